"""Every verdict is a computation: perturbed machines flip it, no entry holds one, errata carry their evidence."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import gough.reproduce as room
from gough.reproduce import PAPERS, kane, lagrange, newton_euler, universal
from gough.reproduce.builders import quiet_body, quiet_load, quiet_replace
from gough.reproduce.page import GRADES, SCAN, Erratum, PaperReport
from gough.reproduce.paper_text import PaperText, conditions_of, fill, read
from gough.reproduce.verdicts import VERDICTS, Test, verdict

TEXTS = {method: read(method) for method in PAPERS.values()}


def heavy(name: str, mass: float):
    machine = quiet_load(name)
    body = quiet_body(mass, machine.body.center, machine.body.inertia)
    return quiet_replace(machine, body=body)


def verdicts(report: PaperReport) -> dict[str, str]:
    return {c.statement: c.verdict for c in report.claims}


def changed(module, machine) -> dict[str, tuple[str, str]]:
    before, after = verdicts(module.reproduce()), verdicts(module.reproduce(machine=machine))
    return {s: (before[s], after[s]) for s in before if s in after and before[s] != after[s]}


def test_a_platform_of_4000_kg_flips_001():
    found = changed(newton_euler, heavy("dasgupta-1998", 4000.0))
    ratio = found["The platform to leg mass ratio is 10"]
    assert ratio == ("reproduced", "wrong")
    common = found["Leg inertia contributing around 20 % of a force is quite common"]
    assert common[0] == "reproduced"
    assert common[1] != "reproduced"
    assert found["The formulation incorporates all the dynamic effects"][0] == "differs"


def test_a_platform_of_4000_kg_flips_000():
    found = changed(universal, heavy("pedrammehr-2012", 4000.0))
    significant = found["The differences between the two models are significant"]
    assert significant[0] == "reproduced"
    assert significant[1] != "reproduced"


def test_another_machine_flips_002():
    machine = quiet_load("lopes-6pus")
    legs = [leg.replace(slider_mass=leg.slider_mass) for leg in machine.legs]
    body = quiet_body(10 * machine.body.mass, (0.1, 0.0, 0.0), machine.body.inertia)
    links = [leg.replace(link=quiet_body(2.0, leg.link.center, leg.link.inertia)) for leg in legs]
    found = changed(lagrange, machine.replace(body=body, legs=links))
    kept = "The end masses keep mass and mass center of the link"
    assert found[kept] == ("reproduced", "mixed")


def test_an_uneven_machine_flips_004():
    machine = quiet_load("syed-6sps")
    first, *others = machine.legs
    upper = quiet_body(0.5, first.upper.center, first.upper.inertia)
    found = changed(kane, machine.replace(legs=[first.replace(upper=upper), *others]))
    uniform = "Along z the effect of the legs is an increase, uniform in all six forces"
    assert found[uniform][0] == "reproduced"
    assert found[uniform][1] != "reproduced"


@pytest.mark.parametrize("method", TEXTS)
def test_no_verdict_is_a_literal_beside_its_claim(method: str):
    """Claims hold tests and templates; a verdict's word occurs only as the key of a sentence for that verdict."""
    allowed = {"statement", "where", "printed", "as_printed", "exact", "why", "tests", "readings"}
    for key, claim in TEXTS[method].claims.items():
        assert set(claim) <= allowed | {"note", "say", "short"}, key
        assert conditions_of(claim), key
        assert claim["why"], key
        for form in ("say", "short", "note"):
            written = claim.get(form, {})
            assert isinstance(written, str) or set(written) <= set(VERDICTS), key
    folder = Path(room.__file__).parent / method
    for path in folder.glob("*.py"):
        words = [
            n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)
        ]
        assert not [w for w in words if w in VERDICTS], path
        assert not [w for w in words if isinstance(w, str) and w in GRADES], path


@pytest.mark.parametrize("method", TEXTS)
def test_summaries_are_built_from_claims(method: str):
    """Line and summary are lists of claims, nothing else; an unknown verdict's sentence is made from the verdict."""
    text = TEXTS[method]
    assert set(text.paper["line"]) | set(text.paper["summary"]) <= set(text.claims)
    planted = PaperText(
        text.paper,
        {"a": {**next(iter(text.claims.values())), "tests": [{"value": "x", "most": 1}]}},
        {},
        {},
        {},
    )
    planted.claims["a"].update(
        statement="A", where="", printed="", as_printed="", exact="", note=""
    )
    planted.claims["a"].update(say={"reproduced": "Holds: {x:.1f}."}, readings=False)
    assert planted.sentences(["a"], {"x": 0.5}) == "Holds: 0.5."
    assert planted.sentences(["a"], {"x": 2.0}) == "A: wrong."


def test_notes_change_with_their_verdict():
    """A note written for one verdict is not shown under another."""
    claim = dict.fromkeys(("statement", "where", "printed", "exact", "why"), "")
    claim |= {"tests": [{"value": "x", "most": 1}], "note": {"reproduced": "As it says: {x:g}."}}
    text = PaperText({}, {"a": claim}, {}, {}, {})
    assert text.judge({"x": 0.5})["a"].note == "As it says: 0.5."
    assert text.judge({"x": 2.0})["a"].note == ""


@pytest.mark.parametrize("module", [newton_euler, universal, lagrange])
def test_no_note_agrees_with_the_paper_whatever_the_verdict(module):
    """Words of agreement or blame stand only in notes that hang on the verdict."""
    judging = re.compile(
        r"as the paper says|is right|is wrong|does hold|holds|reproduce|its program had", re.I
    )
    for key, claim in read(module.__name__.rsplit(".", 1)[-1]).claims.items():
        note = claim.get("note", "")
        assert not (isinstance(note, str) and judging.search(note)), key


@pytest.mark.parametrize("method", TEXTS)
def test_every_erratum_has_its_evidence(method: str):
    for key, entry in TEXTS[method].errata.items():
        assert entry["grade"] in GRADES, key
        assert all(entry[name].strip() for name in ("where", "text", "formula", "reason")), key
        assert ("cost" not in entry) == (entry["grade"] == SCAN), key


def test_grades_as_audited():
    grade = {key: e["grade"] for text in TEXTS.values() for key, e in text.errata.items()}
    scan = [
        "E001-5",
        "E002-2",
        "E002-3",
        "E002-5",
        "E002-6",
        "E002-10",
        "E000-5",
        "E004-4",
        "E004-5",
    ]
    assert sorted(key for key, g in grade.items() if g == SCAN) == sorted(scan)
    for key in ["E000-2", "E000-8", "E001-4", "E001-8", "E002-4", "E003-6", "E003-7", "E004-1"]:
        assert grade[key] == "one reading of several"
    for key in ["E001-1", "E001-2", "E001-3", "E001-6", "E001-7", "E000-3", "E002-1", "E003-1"]:
        assert grade[key] == "certain"


@pytest.mark.parametrize("method", TEXTS)
def test_headlines_name_only_certain_errata(method: str):
    text = TEXTS[method]
    for key in {*text.paper["line"], *text.paper["summary"]}:
        for form in ("say", "short"):
            said = " ".join(text.claims[key].get(form, {}).values())
            for code in re.findall(r"E00\d-\d+", said):
                assert text.errata[code]["grade"] == "certain", (key, code)


def test_the_scan_is_charged_nothing():
    with pytest.raises(ValueError, match="no cost"):
        Erratum("E", "eq 1", "a", "b", SCAN, "c", "5 N")
    with pytest.raises(ValueError, match="needed"):
        Erratum("E", "eq 1", "", "b", "certain", "c", "5 N")
    with pytest.raises(ValueError, match="grade"):
        Erratum("E", "eq 1", "a", "b", "sure", "c", "5 N")


def test_verdict_is_a_function_of_the_values():
    near = Test("a", about=40, within=5, near=15)
    assert [verdict([near], {"a": x}) for x in (44.0, 52.5, 70.0)] == [
        "reproduced",
        "differs",
        "wrong",
    ]
    both = [near, Test("b", about=40, within=5, near=15)]
    assert verdict(both, {"a": 40.5, "b": 52.5}) == "mixed"
    assert verdict(both, {"a": 40.5, "b": 52.5}, readings=True) == "undecided"
    assert verdict([near], {"a": None}) == verdict([near], {"a": np.nan}) == "undecided"
    assert verdict([], {}) == "undecided"
    row = Test("a", least="b")
    assert verdict([row], {"a": np.array([1.0, 3.0]), "b": 1}) == "reproduced"
    assert verdict([row], {"a": np.array([1.0, 3.0]), "b": 2}) == "wrong"
    assert verdict([row], {"a": [1.0, 3.0], "b": 2}, readings=True) == "undecided"
    assert verdict([Test("a", equals=[5, 6])], {"a": (5, 6)}) == "reproduced"
    with pytest.raises(ValueError, match="one of"):
        Test("a", least=1, most=2)


def test_templates_write_rows_and_spans():
    assert fill("{a:.1f} and {a:-.0f}", {"a": [1.0, 3.0]}) == "1.0, 3.0 and 1-3"
    with pytest.raises(KeyError):
        fill("{missing}", {})
