"""All modes on the GPU: the generated text compiled for the CPU against the compiled kernels, rule by rule, with
planted errors; what the card leaves open; refusals; and the same on a card where there is one."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.kinematics import forward_card
from gough.kinematics.assembly import card as assembly_card
from gough.kinematics.assembly.card_text import ROOT
from gough.kinematics.assembly.forms import MIRROR, mirror
from gough.kinematics.assembly.lane_tracker import lane_paths, lane_proofs
from gough.kinematics.assembly.paths import LEVELS, SMALLEST, empty
from gough.kinematics.assembly.roots import judge, weights
from gough.kinematics.assembly.spheres import Spheres, fixed_geometry
from gough.kinematics.forward import actuator_coordinates
from gough.spatial import Pose, rotation_exp, rotation_from_quaternion
from oracles.card_on_cpu import COMPILER, Made, no_card, played
from support.forward_machines import machine
from support.hexapods import random_machine

needs_compiler = pytest.mark.skipif(
    COMPILER is None, reason="NO C++ COMPILER: the CUDA text of all modes was not compiled"
)


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Made]:
    with played(
        monkeypatch, tmp_path, (assembly_card, forward_card), assembly_card._compiled
    ) as made:
        yield made


def problems(kind: str, n: int, seed: int = 3) -> tuple[gough.Platform, np.ndarray]:
    """A machine and lengths of random poses of it."""
    rng = np.random.default_rng(seed)
    platform = random_machine(kind, rng)
    if kind == "semi-regular":
        there = Pose(
            np.array([0.0, 0.0, 1.0]) + rng.uniform(-0.2, 0.2, (n, 3)),
            rotation_exp(rng.uniform(-0.3, 0.3, (n, 3))),
        )
    else:
        there = Pose(rng.normal(size=(n, 3)), rotation_from_quaternion(rng.normal(size=(n, 4))))
    return platform, actuator_coordinates(platform, there)


def differences(a: Any, b: Any) -> list[str]:
    """In which words two batches differ, and by how much their poses do."""
    words = ("count", "expected", "complete", "certified", "number")
    found = [name for name in words if not np.array_equal(getattr(a, name), getattr(b, name))]
    for i in range(len(a)) if not found else ():
        x, y = a[i], b[i]
        if x.reason != y.reason or [c.multiplicity for c in x.clusters] != [
            c.multiplicity for c in y.clusters
        ]:
            found.append(f"reason of {i}: {x.reason} / {y.reason}")
        if not np.allclose(x.poses.position, y.poses.position, rtol=0, atol=1e-9):
            found.append(f"poses of {i}")
        if not np.allclose(x.poses.rotation, y.poses.rotation, rtol=0, atol=1e-9):
            found.append(f"rotations of {i}")
        if not (x.residual < 1e-12).all():
            found.append(f"residuals of {i}")
    return found


def both(platform: gough.Platform, lengths: np.ndarray) -> tuple[Any, Any]:
    return tuple(
        gough.assembly_modes(platform, lengths, engine=engine, disk_cache=False)
        for engine in forward_card.ENGINES
    )


@needs_compiler
def test_the_text_compiled_for_the_cpu_finds_the_same_sets(
    card: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = card()
    monkeypatch.setattr(assembly_card, "PART", 3)
    wanted, told = both(*problems("semi-regular", 8))
    assert not differences(told, wanted)
    assert told.certified.all()
    assert not told.found.others  # all settled by the text itself
    assert len(found.launched) == 4 * 3


def asked(platform: gough.Platform) -> tuple[Any, Any, Any]:
    """The kernels of a machine, its geometry and its start."""
    geometry = fixed_geometry(platform)
    assert geometry is not None
    base = platform.base_joints
    start = Spheres(platform, base[None], np.ones((2, 6)), geometry, False, "cuda")._start()
    assert start is not None
    modes = assembly_card.CardModes(geometry, base, platform.platform_joints, start)
    return modes, geometry, start


def on_the_cpu(geometry: Any, start: Any, lengths: np.ndarray) -> list[Any]:
    """Ends of the same paths by the compiled kernels, problem by problem."""
    (legs, X, _), ends = start, []
    b, p = geometry.b[None], geometry.p[None]
    for l in lengths:
        end, K = empty(X), ((l / geometry.size) ** 2).astype(complex)[None]
        steps = np.empty((1, len(X)), dtype=np.int64)
        out = end.X[None], end.status[None], end.left[None], steps
        lane_paths(*legs, b, p, K, np.ascontiguousarray(X), *LEVELS[0], SMALLEST, *out)
        told = end.radius[None], end.unique[None], end.real[None], end.charts[None]
        lane_proofs(b, p, K, end.X[None], (end.status == 0)[None], *told, end.proper[None])
        ends.append(end)
    return ends


def ends_of(platform: gough.Platform, lengths: np.ndarray) -> tuple[Any, Any, Any]:
    """Roots and words of the card's text, and the CPU's own arrays for the same paths."""
    modes, geometry, start = asked(platform)
    return *modes.roots_of(lengths), on_the_cpu(geometry, start, lengths)


def unlike(roots: Any, words: Any, ends: Any) -> list[str]:
    """Numbers of the proofs in which the text and the compiled kernels differ, over all paths."""
    n, found = len(ends[0].X), []
    for root, word, end in zip(roots[:, :n], words[:, :n], ends, strict=True):
        X = root[:, ROOT.point].reshape(n, 8, 2) @ [1.0, 1.0j]
        told = {
            "points": np.abs(X - end.X).max() < 1e-9 * np.abs(end.X).max(),
            "radius": np.allclose(root[:, ROOT.radius], end.radius, rtol=0.1, atol=0),
            "unique": np.allclose(root[:, ROOT.unique], end.unique, rtol=1e-3),
            "charts": (word & 3 == end.charts).all(),
            "real": ((word >> 2 & 3) - 1 == end.real).all(),
            "proper": (word >> 4 & 1 == end.proper).all(),
        }
        found += [name for name, same in told.items() if not same]
    return found


ERRORS = {
    "a path that goes back": ("left - step : 0.0", "left - 0.5 * step : 0.0"),
    "a way that is no straight one": ("left * START(1)", "left * left * START(1)"),
    "a ball that is too large": ("unique = 0.999 * free", "unique = 1.999 * free"),
    "a root that is given too sharply": ("radius = 2.0 * eta", "radius = 0.2 * eta"),
    "poses that are called real too soon": ("off > wide ? 0 : -1", "off > 9.0 ? 0 : -1"),
    "roots at infinity that pass": ("proper = sqrt", "proper = 0.0 * sqrt"),
    "a chart with a wrong sign": ("1., -1., -1., 1., 1., 1.", "1., 1., -1., 1., 1., 1."),
}


@needs_compiler
def test_every_launch_has_the_numbers_of_its_own_machine(card: Made) -> None:
    """Machines of one form share a kernel and its constant memory."""
    card()
    one, other = (problems("semi-regular", 2, seed) for seed in (3, 4))
    first, second = (asked(platform)[0] for platform, _ in (one, other))
    assert first.form == second.form
    before, words = first.roots_of(one[1])
    second.roots_of(other[1])
    kernel = assembly_card._compiled("paths", *first.form)
    kernel._memory._owner = first.numbers.tobytes()  # planted: as if they still lay there
    assert not np.array_equal(first.roots_of(one[1])[0], before)
    kernel._memory._owner = None
    again, same = first.roots_of(one[1])
    np.testing.assert_array_equal(again, before)
    np.testing.assert_array_equal(same, words)


@needs_compiler
def test_every_number_of_a_proof_is_that_of_the_compiled_kernels(card: Made) -> None:
    card()
    roots, words, ends = ends_of(*problems("semi-regular", 4))
    assert not unlike(roots, words, ends)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS)
def test_a_planted_error_in_paths_or_proofs_is_found(card: Made, error: str) -> None:
    right, wrong = ERRORS[error]
    seen = []

    def change(text: str) -> str:
        seen.append(right in text)
        return text.replace(right, wrong)

    card(change)
    roots, words, ends = ends_of(*problems("semi-regular", 2))
    assert any(seen)
    assert unlike(roots, words, ends)


def spoiled(roots: Any, words: Any, rng: np.random.Generator) -> None:
    """One problem's proved roots with something wrong among them, in place."""
    a, b = rng.choice(len(roots), 2, replace=False)
    what = rng.integers(8)
    if what == 0:  # twice the same root
        roots[a], words[a] = roots[b], words[b]
    elif what == 1:  # one that is not proved, said to be finite or not
        roots[a, ROOT.radius] = -1.0
        words[a] &= ~(rng.integers(2) << 4)
    elif what == 2:  # proved, but not sharply
        roots[a, ROOT.radius] = 10.0 ** rng.uniform(-10.0, -2.0)
    elif what == 3:  # neither real nor complex
        words[a] &= ~(3 << 2)
    elif what == 4:  # a complex root without its conjugate
        roots[a, ROOT.point] += 10.0 ** rng.uniform(-16.0, -1.0)
    elif what == 5:  # at infinity
        words[a] &= ~(1 << 4)
    elif what == 6:  # a ball with others in it
        roots[a, ROOT.unique] *= 10.0 ** rng.uniform(-12.0, 0.0)


def judged(roots: Any, words: Any) -> int:
    """What the compiled `judge` says about a problem's roots."""
    X = roots[:, ROOT.point].reshape(len(roots), 8, 2) @ [1.0, 1.0j]
    same = np.full(len(X), -1)
    flags = (words >> 2 & 3).astype(int) - 1, (words & 3).astype(int), (words >> 4 & 1).astype(bool)
    given = roots[:, ROOT.radius].copy(), roots[:, ROOT.unique].copy()
    return int(judge(X, *given, *flags, same, False))


RULES = {
    "doublets": ("own = Y[", "own = true || Y["),
    "roots without proof": ("if (X[16] < 0.0) continue;", ""),
    "dull proofs": ("< 1e-09;", "< 1.0;"),
    "undecided ones": ("REAL(n) >= 0 &&", "true &&"),
    "conjugates": ("sound = found;", "sound = true;"),
    "infinity": ("if (!own || !PROPER(n)) continue", "if (!own) continue"),
    "the ball without another": ("(radius - 1e-14)", "(1e9 * radius)"),
}


def rows_of(end: Any) -> tuple[np.ndarray, np.ndarray]:
    """ROOT and words of the CPU's ends and of their reflections."""
    n, twice = len(end.X), np.tile(np.arange(len(end.X)), 2)
    X = np.concatenate([end.X, mirror(end.X) * MIRROR[end.charts][:, None]])
    rows = np.empty((2 * n, ROOT.size))
    rows[:, ROOT.point] = np.stack([X.real, X.imag], axis=-1).reshape(2 * n, 16)
    rows[:, ROOT.radius], rows[:, ROOT.unique] = end.radius[twice], end.unique[twice]
    rows[:, ROOT.wq], rows[:, ROOT.wd] = np.array([weights(x) for x in X]).T
    words = end.charts | (end.real + 1) << 2 | end.proper.astype(int) << 4
    return rows, words[twice].astype(np.int32)


def wrong_judgements(count: int) -> int:
    """Of problems with spoiled roots, how often the text judges otherwise than the compiled kernel."""
    platform, lengths = problems("semi-regular", 3)
    modes, geometry, start = asked(platform)
    rng = np.random.default_rng(7)
    each = [rows_of(end) for end in on_the_cpu(geometry, start, lengths)]
    many, flags = (np.stack([*a] * (count // 3)) for a in zip(*each, strict=True))
    for n in range(1, len(many)):
        spoiled(many[n], flags[n], rng)
    counts, numbers = (np.empty(len(many), dtype=np.int64) for _ in range(2))
    real = np.empty(len(many), dtype=np.uint64)
    modes.launch("judge", len(many), np.int64(len(many)), many, flags, counts, numbers, real)
    wanted = np.array([judged(r, w) for r, w in zip(many, flags, strict=True)])
    assert (wanted == modes.roots).any()
    assert len(set(wanted.tolist())) > 3
    return int((counts != wanted).sum())


@needs_compiler
def test_spoiled_roots_are_judged_as_on_the_cpu(card: Made) -> None:
    card()
    assert wrong_judgements(900) == 0


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_left_out_is_noticed(card: Made, rule: str) -> None:
    right, wrong = RULES[rule]
    seen = []

    def change(text: str) -> str:
        if "real_ones" not in text or "counts[problem]" not in text:
            return text
        seen.append(right in text)
        return text.replace(right, wrong)

    card(change)
    assert wrong_judgements(900) > 0
    assert seen == [True]


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["general", "6-3"])
def test_other_machines(card: Made, kind: str) -> None:
    card()
    platform, lengths = problems(kind, 6)
    wanted, told = both(platform, lengths)
    assert not differences(told, wanted)
    assert told.complete.all()


@needs_compiler
@pytest.mark.filterwarnings("ignore::gough.ModelWarning")
def test_what_the_card_leaves_open_the_cpu_answers(card: Made) -> None:
    """Lengths of a pose where solutions merge, of one that none has, and of a machine that is singular everywhere."""
    found = card()
    platform, lengths = problems("semi-regular", 8)
    level = actuator_coordinates(platform, Pose(np.array([0.0, 0.0, 0.9])))
    mixed = np.stack([lengths[0], level, lengths[1] * [1.0, 9.0, 1.0, 1.0, 1.0, 1.0]])
    wanted, told = both(platform, mixed)
    assert not differences(told, wanted)
    one, same = both(platform, lengths[0])
    assert len(one) == len(same) == len(told[0])
    base = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.arange(6.0)])
    legs = [gough.SPS(base=b, joint=0.5 * b) for b in base]
    launched = len(found.launched)
    wanted, told = both(gough.Platform(gough.Body(1.0), legs), np.ones((2, 6)))
    assert not differences(told, wanted)
    assert not told.complete.any()
    assert len(found.launched) == launched  # it has no start, and no path to follow


def test_what_the_card_does_not_serve_is_refused(card: Made) -> None:
    card()
    for kind in ("PUS", "RUS", "mixed"):
        with pytest.raises(gough.InputError, match=r"engine: .*distance of their joints"):
            gough.assembly_modes(machine(kind), np.full(6, 0.1), engine="cuda")
    with pytest.raises(gough.InputError, match=r"engine: .*native, cuda"):
        gough.assembly_modes(machine("UPS"), np.ones(6), engine="python")


def test_without_cupy_the_engine_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(gough.InputError, match="cupy: not installed; needs the extra cuda"):
        gough.assembly_modes(machine("UPS"), np.ones(6), engine="cuda")


@pytest.mark.parametrize("kind", ["semi-regular", "general", "6-3", "3-3"])
def test_a_card_finds_what_the_cpu_finds(kind: str) -> None:
    reason = no_card("all modes on one were not compared")
    if reason:
        pytest.skip(reason)
    wanted, told = both(*problems(kind, 400))
    assert not differences(told, wanted)


def test_the_documentation_quotes_the_last_run() -> None:
    root = Path(__file__).parents[2]
    told = json.loads((root / "benchmarks/gpu-h200.json").read_text())["kinematics"]
    page = (root / "docs/performance.md").read_text()
    rates = [
        rate
        for part in told.values()
        for name, value in part.items()
        if "per_second" in name
        for rate in (value.values() if isinstance(value, dict) else [value])
    ]
    assert len(rates) == 13
    missing = [rate for rate in rates if f"| {rate:.2e} |" not in page]
    assert not missing
    assert (
        f"{told['semi-regular']['problems_per_second_on_device']:.2e}"
        in (root / "docs/forward-kinematics.md").read_text()
    )
