"""Poses and motions that fixed links allow, those that they do not, and the freedom that is left."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.kinematics.forward import forward_accelerations, forward_rates, track
from gough.kinematics.jacobian import jacobian, jacobian_dot
from gough.links import ACCELERATION, POSE, TOLERANCE, links, misfits, released
from gough.spatial import Motion, Pose, rotation_exp, rotation_log
from oracles.links import fixed_links, linked
from oracles.machines import Case


def some(kind: str = "mixed", count: int = 2, states: int = 3) -> Case:
    return next(c for s in range(60) if (c := linked(kind, seed=s, count=count, states=states)))


def telescope() -> gough.Platform:
    return gough.load("telescope-secondary")


def near(machine: gough.Platform, seed: int, far: float = 0.05, n: int = 4) -> Pose:
    rng, home = np.random.default_rng(seed), machine.require_home()
    t = home.position + rng.uniform(-far, far, (n, 3))
    return Pose(t, rotation_exp(rng.uniform(-far, far, (n, 3))) @ home.rotation)


def test_lengths_rates_and_accelerations_of_links_are_those_of_the_equations() -> None:
    """The judge of links against the legs' own kinematics, off the links too."""
    for kind, count in (("mixed", 2), ("UCU", 3), ("SPS-general", 1)):
        c = some(kind, count)
        free, held = released(c.platform), fixed_links(c.platform)
        m = c.motion
        off = Motion(
            m.position + 0.01, m.rotation, m.velocity + 0.3, m.angular_velocity, *m.rates[2:]
        )
        for motion in (m, off):
            legs = gough.inverse_kinematics(free, motion, engine="python")
            found, sizes = misfits(c.platform, motion, ACCELERATION)
            wanted = legs.length[:, held] - links(c.platform).length
            for mine, theirs in zip(
                found, (wanted, legs.rate[:, held], legs.acceleration[:, held]), strict=True
            ):
                assert np.abs(mine - theirs).max() < 1e-12 * max(1.0, np.abs(theirs).max())
            assert all((np.abs(a) <= b).all() for a, b in zip(found[1:], sizes[1:], strict=True))


def test_what_the_links_do_not_allow_is_refused() -> None:
    machine = telescope()
    home = machine.require_home()
    moved = Pose(home.position + np.array([1e-3, 0.0, 0.0]), home.rotation)
    with pytest.raises(
        gough.InfeasibleError,
        match=r"leg link is a fixed link of 0\.35 m: its joints are 0\.35\d+ m",
    ) as e:
        gough.inverse_kinematics(machine, moved, engine="python")
    assert "+0.000866 m" in str(e.value)
    with pytest.raises(
        gough.InfeasibleError, match=r"with this twist its length would change by \+0\.866 m/s"
    ):
        gough.inverse_kinematics(
            machine, Motion(home.position, home.rotation, [1.0, 0, 0], [0, 0, 0]), engine="python"
        )
    with pytest.raises(
        gough.InfeasibleError, match=r"acceleration its length would change by \+0\.866 m/s\^2"
    ):
        gough.inverse_dynamics(
            machine,
            Motion(home.position, home.rotation, [0, 0, 0], [0, 0, 0], [1.0, 0, 0], [0, 0, 0]),
            engine="python",
        )
    # an allowed twist without the acceleration that goes with it
    with pytest.raises(gough.InfeasibleError, match=r"m/s\^2"):
        gough.inverse_dynamics(
            machine, Motion(home.position, home.rotation, [0, 0, 1.0], [0, 0, 0]), engine="python"
        )
    batch = Motion(
        np.stack([home.position, moved.position]),
        np.stack([home.rotation] * 2),
        time=np.array([0.0, 0.5]),
    )
    with pytest.raises(gough.InfeasibleError, match=r"state 1 \(t = 0\.5 s\)"):
        gough.energy(machine, batch, engine="python")
    for verb in (gough.mass_matrix, gough.bias, gough.energy):
        with pytest.raises(gough.InfeasibleError, match="fixed link"):
            verb(machine, moved, engine="python")
    for formulation in ("newton-euler", "kane"):
        with pytest.raises(gough.InfeasibleError, match="fixed link"):
            gough.inverse_dynamics(machine, moved, formulation=formulation)
    with pytest.raises(gough.InfeasibleError, match="fixed link"):
        gough.mass_matrix(machine, moved, formulation="lagrange")
    with pytest.raises(gough.InfeasibleError, match="fixed link"):
        gough.analysis.check(machine, moved)
    with pytest.raises(gough.InfeasibleError, match="fixed link"):
        gough.freedom(machine, moved)


def test_how_much_is_rounding() -> None:
    machine = telescope()
    home, L = machine.require_home(), 0.35
    along = jacobian(machine, home)[5, :3] / np.linalg.norm(jacobian(machine, home)[5, :3])
    for share, fine in ((0.9, True), (1.1, False)):
        pose = Pose(home.position + share * TOLERANCE * L * along, home.rotation)
        if fine:
            gough.inverse_kinematics(machine, pose, engine="python")
        else:
            with pytest.raises(gough.InfeasibleError, match="fixed link"):
                gough.inverse_kinematics(machine, pose, engine="python")


def test_unchecked_numbers_of_links_are_nan() -> None:
    machine = telescope()
    home = machine.require_home()
    moved = Pose(home.position + np.array([1e-3, 0.0, 0.0]), home.rotation)
    legs = gough.inverse_kinematics(machine, moved, engine="python", check=False)
    assert np.isnan(legs.length[5])
    assert np.isfinite(legs.length[:5]).all()
    assert np.isfinite(
        gough.inverse_kinematics(machine, home, engine="python", check=False).length
    ).all()


def test_a_pose_moves_to_a_nearest_one() -> None:
    """On the links, and across all that they allow; no pose on them nearby is nearer."""
    for machine in (telescope(), some("mixed", 3, 1).platform):
        pose = near(machine, 1)
        found = gough.on_links(machine, pose)
        assert np.abs(misfits(machine, found.pose, POSE)[0][0]).max() < 1e-14
        c = machine.characteristic_length
        turn = rotation_log(found.pose.rotation @ np.swapaxes(pose.rotation, 1, 2))
        step = np.concatenate([found.pose.position - pose.position, c**2 * turn], axis=1)
        basis = gough.freedom(machine, found.pose).basis
        assert np.abs(np.einsum("ni,nij->nj", step, basis)).max() < 1e-12
        rng = np.random.default_rng(2)
        for _ in range(20):
            free = (basis @ rng.normal(scale=1e-3, size=(4, basis.shape[-1], 1)))[..., 0]
            R = rotation_exp(free[:, 3:]) @ found.pose.rotation
            other = gough.on_links(machine, Pose(found.pose.position + free[:, :3], R)).pose
            turn = rotation_log(other.rotation @ np.swapaxes(pose.rotation, 1, 2))
            far = np.sqrt(((other.position - pose.position) ** 2).sum(1) + c**2 * (turn**2).sum(1))
            assert (far > found.distance).all()
        again = gough.on_links(machine, found.pose)
        assert again.distance.max() < 1e-13


def test_a_motion_moves_with_its_derivatives() -> None:
    """Velocity and acceleration are those of the poses found, by differences; the drives do what they did."""
    machine = some("mixed", 2, 1).platform
    start, end = (near(machine, s, 0.03, 1)[0] for s in (3, 4))
    free = gough.trajectory.quintic(start, end, duration=1.0)
    path = gough.trajectory.on_links(machine, free)
    assert path.duration == 1.0
    assert path.breaks == free.breaks
    t, h = np.array([0.2, 0.5, 0.7]), 1e-5
    now, before, after = path(t), path(t - h), path(t + h)
    assert np.array_equal(now.time, t)
    assert np.abs((after.position - before.position) / (2 * h) - now.velocity).max() < 1e-8
    turned = rotation_log(after.rotation @ np.swapaxes(before.rotation, 1, 2)) / (2 * h)
    assert np.abs(turned - now.angular_velocity).max() < 1e-8
    for a, b, rate in zip(after.rates[:2], before.rates[:2], now.rates[2:], strict=True):
        assert np.abs((a - b) / (2 * h) - rate).max() < 1e-7
    here = gough.inverse_kinematics(machine, now, engine="python")
    there = gough.inverse_kinematics(released(machine), free(t), engine="python")
    driven = links(machine).driven
    for name in ("length", "rate", "acceleration"):
        assert np.abs(getattr(here, name) - getattr(there, name))[:, driven].max() < 1e-11
    stays = gough.on_links(machine, now)
    assert stays.distance.max() < 1e-13
    assert np.abs(stays.motion.acceleration - now.acceleration).max() < 1e-10


def test_where_there_is_no_pose() -> None:
    """A link longer than base and platform allow."""
    machine = telescope()
    legs = (*machine.legs[:5], machine.legs[5].replace(fixed=50.0))
    far = machine.replace(home=None, legs=legs)
    for what in (machine.require_home(), Motion.at_rest(machine.require_home())):
        with pytest.raises(gough.InfeasibleError, match="no pose near"):
            gough.on_links(far, what)


@pytest.mark.parametrize("count", [1, 3])
def test_the_freedom_that_is_left(count: int) -> None:
    c = some("mixed", count)
    machine, m = c.platform, len(fixed_links(c.platform))
    left = gough.freedom(machine, c.motion)
    size = machine.characteristic_length
    assert left.basis.shape == (3, 6, 6 - m)
    assert np.abs(left.constraint @ left.basis).max() < 1e-14
    metric = np.diag(np.repeat([1.0, size**2], 3))
    unit = np.swapaxes(left.basis, 1, 2) @ metric @ left.basis
    assert np.abs(unit - np.eye(6 - m)).max() < 1e-14
    J, driven = jacobian(machine, c.motion), links(machine).driven
    np.testing.assert_allclose(left.jacobian, J[:, driven] @ left.basis, atol=1e-13)
    free = gough.freedom(released(machine), c.motion)
    assert free.basis.shape == (3, 6, 6)
    assert (free.link_condition == 1.0).all()


def test_both_kinds_of_singularity() -> None:
    """Links that are dependent, and drives that cannot hold what independent links leave free."""
    machine = telescope()
    legs, home = list(machine.legs), machine.require_home()
    twice = legs[5].replace(base=2 * legs[5].base - home.position - legs[5].joint, fixed=0.7)
    both = machine.replace(legs=(*legs[:4], twice, legs[5]))
    left = gough.freedom(both, home)
    assert np.isinf(left.link_condition)
    legs[1] = legs[0].replace(base=legs[0].base - [0, 0, 0.1], limits=gough.Limits())
    weak = gough.freedom(machine.replace(legs=tuple(legs)), home)
    assert weak.link_condition == 1.0
    assert np.isinf(weak.drive_condition)
    for bad in (both, machine.replace(legs=tuple(legs))):
        with pytest.raises(gough.InfeasibleError, match=r"singular|dependent"):
            gough.inverse_dynamics(bad, home, engine="python")
    with pytest.raises(gough.InfeasibleError, match="fixed links are dependent"):
        gough.forward_dynamics(both, home, np.zeros(6), engine="python")
    gough.forward_dynamics(machine.replace(legs=tuple(legs)), home, np.zeros(6), engine="python")


def test_forward_kinematics_takes_the_links_lengths() -> None:
    machine = telescope()
    pose = gough.on_links(machine, near(machine, 7, 0.004, 3)).pose
    length = gough.inverse_kinematics(machine, pose, engine="python").length
    found = gough.forward_kinematics(machine, length)
    assert found.certified.all()
    np.testing.assert_allclose(found.pose.position, pose.position, atol=1e-13)
    length = np.array(length)
    for verb in (gough.forward_kinematics, gough.assembly_modes):
        length[1, 5] = 0.351
        with pytest.raises(
            gough.InputError,
            match=r"length\[5\].*leg link is a fixed link: must be its length, 0\.35 m",
        ):
            verb(machine, length)
    with pytest.raises(gough.InputError, match=r"lengths\[5\].*fixed link"):
        track(machine, length)
    for verb in (gough.pose_uncertainty, gough.modes_within):
        with pytest.raises(gough.InputError, match="fixed link"):
            verb(machine, length[1])
    length[1, 5] = 0.35 * (1.0 + 0.5 * TOLERANCE)
    again = gough.forward_kinematics(machine, length)
    np.testing.assert_array_equal(again.pose.position, found.pose.position)


def test_a_lost_sample_stays_lost() -> None:
    machine = telescope()
    length = np.tile(
        gough.inverse_kinematics(machine, machine.home, engine="python").length, (3, 1)
    )  # type: ignore[arg-type]
    length[1] = np.nan
    tracked = track(machine, length)
    assert np.isfinite(tracked.pose.position[[0, 2]]).all()
    assert np.isnan(tracked.pose.position[1]).all()


def test_rates_of_links_are_zero() -> None:
    c = some("mixed", 2)
    m, held = c.motion, fixed_links(c.platform)
    J, Jd = jacobian(c.platform, m), jacobian_dot(c.platform, m)
    x, xd = (np.concatenate(pair, axis=-1)[..., None] for pair in (m.rates[:2], m.rates[2:]))
    rate, acceleration = (J @ x)[..., 0], (J @ xd + Jd @ x)[..., 0]
    np.testing.assert_allclose(forward_rates(c.platform, m.pose, rate), x[..., 0], atol=1e-11)
    _, change = forward_accelerations(c.platform, m.pose, rate, acceleration)
    np.testing.assert_allclose(change, xd[..., 0], atol=1e-9)
    rate[:, held[0]] = 0.1
    for call in (
        lambda: forward_rates(c.platform, m.pose, rate),
        lambda: forward_accelerations(c.platform, m.pose, rate, acceleration),
        lambda: forward_accelerations(c.platform, m.pose, 0 * rate, 10 * rate),
    ):
        with pytest.raises(gough.InputError, match=r"\[\d\].*is a fixed link: must be zero"):
            call()
