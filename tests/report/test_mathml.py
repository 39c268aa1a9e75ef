"""Formulas become well-formed MathML; a wrong source is refused with its place."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from gough.report.mathml import FormulaError, typeset
from gough.reproduce import PAPERS
from gough.reproduce.paper_text import read

FORMULAS = {
    key: erratum["formula"]
    for method in PAPERS.values()
    for key, erratum in read(method).errata.items()
}
KNOWN = {"div", "span", "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt"}
KNOWN |= {"msub", "msup", "msubsup", "mover"}
CHILDREN = {"mfrac": 2, "msub": 2, "msup": 2, "mover": 2, "msubsup": 3}


def lines(source: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(f"<all>{typeset(source)}</all>"))  # a row each


def drawn(element: ElementTree.Element) -> str:
    return "".join(element.itertext())


@pytest.mark.parametrize("key", FORMULAS)
def test_every_formula_of_the_page_is_well_formed(key: str) -> None:
    """Only elements of MathML Core, each with as many children as it takes, nothing left of the source's marks."""
    found = lines(FORMULAS[key])
    assert len(found) == len(FORMULAS[key].strip().splitlines())
    for element in (e for line in found for e in line.iter()):
        assert element.tag in KNOWN
        assert element.tag not in CHILDREN or len(element) == CHILDREN[element.tag]
    text = "".join(map(drawn, found))
    assert not set("\\{}_") & set(text)
    assert text.strip()


def test_fractions_scripts_accents_and_words() -> None:
    (line,) = lines(r"\frac{a}{b_1} + Ṡ² \text{if x_1}")
    over = line.find(".//mfrac")
    assert over is not None
    assert [drawn(child) for child in over] == ["a", "b1"]
    accent = line.find(".//mover")
    assert accent is not None
    assert drawn(accent) == "S."
    power = line.find(".//msup")
    assert power is not None
    assert drawn(power[1]) == "2"
    words = line.find("span")
    assert words is not None
    assert words.text == "if x_1"


def test_several_letters_are_one_upright_name() -> None:
    (line,) = lines("m_ext L1 ab")
    assert [e.text for e in line.iter("mi")] == ["m", "ext", "L", "ab"]
    assert [e.text for e in line.iter("mn")] == ["1"]


def test_a_line_may_break_at_gaps_and_outside_brackets() -> None:
    """Parts may stand below each other on a narrow page; nothing inside brackets, fractions or names is parted."""
    (row,) = lines(r"a b = c + (d + e),   d_+ = −\frac{a + b}{c}, f \text{or so}")
    parts = ["ab", "=c", "+(d+e),", "", "d+", "=−a+bc,", "f", "or so"]
    assert [drawn(part) for part in row] == parts


def test_an_inequality_keeps_its_stroke() -> None:
    (line,) = lines("a ≠ b < c")
    assert [e.text for e in line.iter("mo")] == ["≠", "<"]


@pytest.mark.parametrize(
    "wrong", [r"\frac{a}", r"\frac a b", r"{a", "a}", r"\foo{a}", "a_", r"\text a"]
)
def test_a_wrong_source_is_refused(wrong: str) -> None:
    with pytest.raises(FormulaError):
        typeset(wrong)
