"""003 reproduced: the page's numbers against those of an independent check, its figures and verdicts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from gough import trajectory
from gough.kinematics.forward import track
from gough.model import Body
from gough.reproduce import multibody
from gough.reproduce.multibody import branches, operations, tables
from gough.reproduce.multibody import runs as integrations
from gough.reproduce.multibody.tables import AMPLITUDES
from gough.reproduce.multibody.values import values as values_of
from gough.reproduce.paper_text import read


@pytest.fixture(scope="module")
def runs():
    return integrations.simulate()


@pytest.fixture(scope="module")
def report(runs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(integrations, "simulate", lambda progress=None: runs)
        return multibody.reproduce()


def test_ranges(runs):
    """Golden ranges over a period, paper's axes."""
    assert all(
        run.status == "ok" for run in (runs.exact, runs.rest, runs.start, runs.rest_fine, runs.gap)
    )
    for values, low, high in (
        (runs.position, (-0.00994, 0.31421, -0.02876), (0.02360, 0.34683, 0.02561)),
        (runs.euler, (-0.13275, -0.94611, -0.22307), (0.46028, 1.00791, 0.14013)),
    ):
        np.testing.assert_allclose(values.min(axis=0), low, atol=1.1e-5)
        np.testing.assert_allclose(values.max(axis=0), high, atol=1.1e-5)
    np.testing.assert_allclose(runs.joint.min(axis=0), (-5.628, -4.360, -0.457), atol=1e-3)
    np.testing.assert_allclose(runs.joint.max(axis=0), (2.749, 9.485, 2.901), atol=1e-3)
    np.testing.assert_allclose(runs.joint[0], (-2.34018, 2.91848, -0.36806), atol=6e-6)
    assert runs.kinematics_error < 1e-6


def test_errata_sizes(runs):
    """E003-1 .. 4: the figures of the independent check."""
    assert np.abs(runs.printed_force - runs.exact.force).max() == pytest.approx(0.594, abs=0.002)
    assert np.abs(runs.printed_joint - runs.joint).max() == pytest.approx(0.052, abs=0.001)
    assert runs.worst(runs.rest) == pytest.approx((268, 25.2, 0.39), rel=0.01)
    assert runs.worst(runs.rest_fine) == pytest.approx((537, 0.65, 0.05), rel=0.05)
    assert max(runs.worst(runs.start)) < 0.06
    assert runs.worst(runs.gap)[0] == pytest.approx(2.0, abs=0.1)
    smallest = np.abs(np.cos(runs.leg_angles[:, 7:, 1])).min(axis=0)
    assert smallest[0] < 0.003
    assert smallest[5] < 0.004
    assert all(integrations.slope(e) == pytest.approx(2.0, abs=0.05) for e in runs.order.values())


def test_energy_balance(runs):
    """Work of the drivers equals the change of energy along the exact run, to the trapezoidal rule's error."""
    run = runs.exact
    energy, power = run.kinetic + run.potential, (run.force * run.rate).sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.time))])
    assert np.abs(energy - energy[0] - work).max() < 1e-4 * np.ptp(energy)


def test_report(report):
    assert [f.key for f in report.figures[:6]] == [f"003-fig{k:02d}" for k in range(1, 7)]
    assert {t.key for t in report.tables} >= {
        "003-table1",
        "003-table2",
        "003-table3",
        "003-table4",
    }
    assert [e.key for e in report.errata] == [f"E003-{k}" for k in range(1, 11)]
    verdicts = {c.statement: c.verdict for c in report.claims}
    assert verdicts["The oscillation is due to the fixed step size of HHT"] == "wrong"
    assert (
        verdicts["Very high oscillation until approximately 1 s, afterward smooth"] == "reproduced"
    )
    assert verdicts["At t = 0 there is no inertia force yet"] == "reproduced"
    assert verdicts["Each link is treated as a rigid body, not as a point mass"] == "reproduced"
    assert next(v for s, v in verdicts.items() if s.startswith("13 moving links")) == "reproduced"
    fy = report.figures[4].panels[0].curves
    assert fy[0].y[0] == pytest.approx(2.918, abs=1e-3)
    assert np.abs(fy[1].y).max() > 200


def test_assembly_modes_settle_the_only_pose(runs):
    """16 real poses at t = 0 and pi, 8 above the base; 4 and 2 between: not the only pose."""
    found = values_of(runs)
    assert found["real_poses"] == [16, 4, 4, 4, 16, 4, 4, 4]
    assert found["poses_above"] == [8, 2, 2, 2, 8, 2, 2, 2]


def test_counts_of_all_poses_along_the_period(runs):
    """Complete and proved at every time; the same at t and pi - t; never one alone above the base."""
    found = runs.branches
    assert found.complete.all()
    assert found.certified.all()
    assert found.time[-1] == pytest.approx(2 * np.pi)
    half = branches.STEPS // 2
    np.testing.assert_array_equal(found.real[: half + 1], found.real[: half + 1][::-1])
    np.testing.assert_array_equal(found.real, 2 * found.above)  # mirror images below the base
    assert set(found.above.tolist()) == {2, 4, 6, 8}
    followed = np.interp(found.time, runs.exact.time, runs.track.pose.position[:, 2])
    np.testing.assert_allclose(followed, [z[0] for z in found.heights], atol=1e-5)


def test_the_branch_is_proved_and_a_singular_motion_is_not(runs):
    """Every step certified, back to the start; with legs driven four times as far the proof ends, and the verdict."""
    assert runs.track.certified.all()
    np.testing.assert_allclose(
        runs.track.pose.position[-1], runs.track.pose.position[0], atol=1e-12
    )
    far = runs.length + 4 * AMPLITUDES * np.sin(runs.exact.time)[:, None]
    lost = track(runs.machine, far, runs.machine.home)
    assert not lost.certified.all()
    text = read("multibody")
    right, other = (text.judge(values_of(x)) for x in (runs, dataclasses.replace(runs, track=lost)))
    assert right["only-pose"].verdict == "mixed"
    assert other["only-pose"].verdict == "wrong"


def test_one_pose_above_would_be_the_only_one(runs):
    """Planted: only the highest pose is real."""
    one = dataclasses.replace(runs.branches, heights=tuple(z[:1] for z in runs.branches.heights))
    found = values_of(dataclasses.replace(runs, branches=one))
    assert read("multibody").judge(found)["only-pose"].verdict == "reproduced"
    missing = dataclasses.replace(runs.branches, complete=~runs.branches.complete)
    found = values_of(dataclasses.replace(runs, branches=missing))
    assert read("multibody").judge(found)["only-pose"].verdict == "undecided"


def test_every_joint_and_body(runs):
    """Reactions of all joints by multipliers and by the exact model; what is printed misses them and leg rates."""
    found = values_of(runs)
    assert found["exact_joints"] < 1e-9
    assert found["joint_percents"] == pytest.approx([3.73, 3.29, 3.50, 0.24], abs=0.01)
    assert found["platform_rates"] < 0.01
    assert found["leg_rates"] > 100
    text = read("multibody")
    assert text.judge(found)["reactions"].verdict == "differs"
    assert text.judge(found)["links"].verdict == "mixed"
    states = runs.exact.states
    exact = dataclasses.replace(
        runs,
        printed_reactions=runs.reactions,
        printed_force=runs.exact.force,
        printed_states=states,
    )
    planted = text.judge(values_of(exact))
    assert planted["reactions"].verdict == planted["links"].verdict == "reproduced"
    # Newton's law on the platform: the six joint forces and its weight make its acceleration
    body, motion = runs.machine.body, runs.exact.motion
    push = runs.reactions.spherical_force.sum(axis=1) + body.mass * runs.machine.gravity
    np.testing.assert_allclose(push, body.mass * motion.acceleration, atol=1e-8)


def test_the_paper_path_starts_where_the_page_starts(runs):
    """`trajectory.paper("003")` has the lengths of Table 3's pose, leg by leg, and runs as the page's drivers do."""
    path = trajectory.paper("003")
    lengths = integrations.drivers(runs.length)
    for t in (0.0, 1.0, 4.0):
        legs = path(t)
        for ours, theirs in zip(
            (legs.length, legs.rate, legs.acceleration), lengths(t), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, atol=1e-15)
    home = runs.machine.home
    np.testing.assert_allclose(path.on(runs.machine)(0.0).position, home.position, atol=1e-15)
    assert np.abs(path(0.0).length - (tables.DISTANCE + 0.2)).min() > 1e-5  # not Table 4's gap


def test_a_heavier_platform_flips_its_verdicts(runs):
    """The runs of 003 set against a platform of 4000 kg: its first force is no longer the weight share."""
    text = read("multibody")
    heavy = runs.machine.replace(
        body=Body(4000.0, runs.machine.body.center, runs.machine.body.inertia)
    )
    right, other = (
        text.judge(values_of(x)) for x in (runs, dataclasses.replace(runs, machine=heavy))
    )
    assert right["first-force"].verdict == right["no-inertia"].verdict == "reproduced"
    assert other["first-force"].verdict != "reproduced"
    assert other["no-inertia"].verdict == "wrong"


def test_operations(runs):
    """Counted from the code: leg by leg a twentieth of the full system; the counted code still gives its numbers."""
    found = operations.operations(runs.machine, runs.exact.motion[60])
    *stages, full = (tally.total for tally in found.values())
    assert 15 < full / sum(stages) < 25
    assert found["constraint Jacobian"].divisions == 0
    # 72 rows of 78 columns, almost all zero: far fewer operations than entries
    assert found["constraint Jacobian"].total < 72 * 78 / 2
