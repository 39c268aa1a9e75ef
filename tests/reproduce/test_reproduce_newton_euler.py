"""The pages of 000 and 001: every figure there, numbers as settled, nothing empty."""

import numpy as np
import pytest

from gough.formulations import newton_euler
from gough.reproduce import reproduce
from gough.reproduce.builders import as_motion, quiet_load
from gough.reproduce.counting import count, elimination
from gough.reproduce.newton_euler import operations, remarks
from gough.reproduce.newton_euler.forces import PATHS, path_forces
from gough.reproduce.newton_euler.values import singular_time
from gough.reproduce.page import Claim, Curve, PaperReport, TextTable


@pytest.fixture(scope="module", params=["000", "001"])
def report(request):
    heard = []
    page = reproduce(request.param, lambda sentence, fraction: heard.append(fraction))
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    return page


def test_every_figure_is_there_and_finite(report: PaperReport):
    keys = [f.key for f in report.figures]
    assert keys[:10] == [f"{report.key}-fig{i:02d}" for i in range(1, 11)]
    assert len(set(keys)) == len(keys)
    for figure in report.figures:
        assert figure.caption
        for panel in figure.panels:
            assert panel.curves
            assert panel.xlabel
            for curve in panel.curves:
                assert np.isfinite(curve.y).all(), (figure.key, curve.label)


def test_force_figures_have_six_panels_exact_and_printed(report: PaperReport):
    wanted = {"001": ("fig04", "fig06", "fig07", "fig08", "fig09"), "000": ("fig09", "fig10")}[
        report.key
    ]
    for figure in report.figures:
        if figure.key.split("-")[1] in wanted:
            assert len(figure.panels) == 6
            for panel in figure.panels:
                assert {"exact", "printed"} <= {c.style for c in panel.curves}
                assert len(panel.curves[0].x) == 61


def test_settled_numbers_stand_on_the_page(report: PaperReport):
    text = report.summary + " ".join(e.cost for e in report.errata)
    wanted = {
        "001": ("27.7 N (1.93 %)", "103.9 N (4.87 %)", "349.6 N", "678.5 N", "28.3 N (1.97 %)"),
        "000": (
            "1.2 N (0.08 %)",
            "120.7 N (5.67 %)",
            "231.0 N (10.85 %)",
            "14.0 N (0.66 %)",
            "12.6 N",
        ),
    }
    for number in wanted[report.key]:
        assert number in text
    claims = {c.statement: c for c in report.claims}
    if report.key == "001":
        claim = claims["The maximum of the dynamic fraction may go up to 40 %"]
        assert claim.as_printed.startswith("40.5 %")
        assert claim.exact == "52.5 % (leg 4)"
        assert claim.verdict == "mixed"
    else:
        found = next(c for s, c in claims.items() if "significantly improves" in s)
        assert found.verdict == "mixed"


def test_operation_counts():
    """The counter counts: a cross product costs 6 products and 3 sums, elimination n^3/3 + n^2 - n/3."""
    tally = count(lambda number: np.cross(number([1.0, 2.0, 3.0]), number([4.0, 5.0, 6.0])))
    assert (tally.multiplications, tally.additions) == (6, 3)
    tally = elimination(6)
    assert tally.multiplications + tally.divisions == 6**3 / 3 + 6**2 - 6 / 3
    six, alone = operations.counts()
    assert six.total % 6 == 0
    assert 0.5 * 694 < six.total / 6 < 694
    more, same = operations.counts(frozenset())
    assert more.total > six.total
    assert same.total == alone.total


def test_singular_time_lies_between_the_samples():
    from gough.reproduce.builders import as_motion, quiet_load

    machine = quiet_load("dasgupta-1998")
    t = singular_time(machine)
    assert t == pytest.approx(3.671, abs=5e-4)
    assert newton_euler.condition(machine, as_motion("001-III")(t).pose) > 1e8


def test_types_refuse_nonsense():
    with pytest.raises(ValueError, match="rows"):
        Curve("a", np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="style"):
        Curve("a", np.zeros(3), np.zeros(3), "fancy")
    with pytest.raises(ValueError, match="verdict"):
        Claim("a", "b", "", "", "", "maybe", "")
    with pytest.raises(ValueError, match="header"):
        TextTable("a", "b", ("x", "y"), (("1",),))


def test_the_printed_reactions_are_worse_than_the_printed_forces() -> None:
    """Eqs (25)-(29): joint forces as far off as the actuator forces, forces across the leg and moments much more."""
    machine = quiet_load("dasgupta-1998")
    off = remarks.reactions(machine, path_forces(machine, "001-II"))
    assert off["ball"] < 5 < off["prismatic"]
    assert off["moment"] > 50


def test_remarks_on_joint_space_and_parallel_branches() -> None:
    machine = quiet_load("dasgupta-1998")
    paths = {name: path_forces(machine, key) for name, key in PATHS.items()}
    found = remarks.values(machine, paths)
    assert found["joint_off"] < 1e-8
    assert 2 <= found["joint_steps"] <= 6
    assert found["branch_coupling"] == 0.0
    assert found["parallel_ours"] < found["joint_extra"] < 4889


def test_a_position_is_found_from_its_leg_lengths() -> None:
    machine = quiet_load("dasgupta-1998")
    motion = as_motion("001-I").sample(3)
    length = newton_euler.leg_motion(machine, motion).length
    pose, _ = remarks.position(machine, length[1], motion[0].pose)
    np.testing.assert_allclose(pose.position, motion.position[1], atol=1e-8)
    with pytest.raises((ArithmeticError, np.linalg.LinAlgError)):
        remarks.position(machine, np.full(6, 50.0) + np.arange(6), motion[0].pose)
