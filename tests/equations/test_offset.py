"""Universal joints whose axes do not meet against Pinocchio, whose cross pieces are bodies of their own.

UPS (closed form) and UCU (Picard, Newton), offsets to 50 mm at either joint or both, driven directly, with rotors on
the leg, by screws of both hands on either part, mixed with the other types, on bases that move.  Nothing is compiled.
``python -m campaigns.offset_campaign`` (in tests) runs as many machines as it is told.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pinocchio")

import gough
from campaigns.offset_campaign import worst
from campaigns.ucu_campaign import TOLERANCE
from gough.dynamics import cross_pieces
from gough.engines import pack, plain
from gough.equations import offset_pair
from gough.layout import LEG_MOTION, MOTION
from gough.model import UCU, UPS, JointOffset
from oracles.base_rings import disagreement, outside
from oracles.compare import answers, engine_arrays, errors, library
from oracles.machines import Case, case
from oracles.moving import moving_cases
from oracles.offset_machines import KINDS, offset_case, offset_cases
from oracles.pinocchio_model import PinocchioEngine
from oracles.planted import Error, planted
from oracles.planted_offset import BASE
from oracles.projection import Closed
from oracles.source import equations, motion_numbers

CLEAR = 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_everything_equals_pinocchio_and_power_balances(kind: str) -> None:
    found = worst(kind, 2, states=2, seed=0)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_on_more_machines(kind: str) -> None:
    found = worst(kind, 12, states=3, seed=1)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", ["UPS-offset", "UCU-upper-offset"])
def test_without_drive_and_friction(kind: str) -> None:
    found = worst(kind, 2, states=2, seed=2, drive=False, friction=False)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", ["UPS-offset", "UCU-screw-offset", "mixed-offset"])
def test_every_verb_equals_pinocchio(kind: str) -> None:
    c = offset_case(kind, seed=4)
    theirs = engine_arrays(c, answers(PinocchioEngine(c.platform), c))
    found = errors(library(c, engine="python"), theirs)
    assert len(found) == len(theirs)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_base_that_moves(kind: str) -> None:
    for c, base in moving_cases(kind, 2, states=2):
        assert max(disagreement(c, base, outside(c, base))) < TOLERANCE


@pytest.mark.parametrize("error", BASE, ids=lambda e: e.name)
def test_planted_errors_on_a_base_that_moves_are_caught(error: Error) -> None:
    for kind in error.kinds:
        c, base = moving_cases(kind, 1, seed=2)[0]
        theirs = outside(c, base)
        assert max(disagreement(c, base, theirs)) < TOLERANCE
        with planted(error), np.errstate(all="ignore"):
            assert max(disagreement(c, base, theirs)) > CLEAR


def test_kinds() -> None:
    found = {pack.kinds_of(offset_case(kind, seed=0).platform)[0] for kind in KINDS}
    assert found >= {"ups_offset", "ups_rotor_offset", "ucu_offset", "ucu_spring_offset"}
    assert found >= {"ucu_screw_offset", "ucu_spring_upper_offset"}
    bare = offset_case("UCU-upper-offset", seed=0, friction=False).platform
    assert pack.kinds_of(bare)[0] == "ucu_screw_upper_offset"


@pytest.mark.parametrize("kind", ["UPS", "UPS-rotor", "UCU", "UCU-screw", "UCU-upper"])
def test_no_offset_and_no_cross_piece_is_the_ideal_joint(kind: str) -> None:
    plain_machine = case(kind, seed=3, states=3)
    none = JointOffset()
    given = {"base_offset": none}
    if kind.startswith("UCU"):
        given["platform_offset"] = none
    legs = tuple(leg.replace(**given) for leg in plain_machine.platform.legs)
    machine = plain_machine.platform.replace(legs=legs)
    assert all(name.endswith("_offset") for name in pack.kinds_of(machine))
    m = plain_machine
    with_joints = equations(Case(machine, m.motion, m.external, m.spin_angle, m.spin_rate))
    ideal = equations(m)
    sizes = {name: np.abs(value).max() for name, value in ideal.items()}
    moment = sizes["spherical_force"] * machine.characteristic_length  # they are what is left of it
    sizes |= {name: moment for name in sizes if name.endswith("_moment")}
    for name, value in ideal.items():
        assert np.abs(with_joints[name] - value).max() <= 1e-14 * sizes[name], name


def test_one_joint_without_offsets_and_its_zero_offset_are_the_same() -> None:
    c = offset_case("UCU-screw-offset", seed=5)
    legs = [
        leg.replace(
            base_offset=leg.base_offset or JointOffset(),
            platform_offset=leg.platform_offset or JointOffset(),
        )
        for leg in c.platform.legs
        if isinstance(leg, UCU)
    ]
    assert any(leg.base_offset is None or leg.platform_offset is None for leg in c.platform.legs)  # type: ignore[union-attr]
    spelled = c.platform.replace(legs=tuple(legs))
    np.testing.assert_array_equal(pack.parameters(spelled), pack.parameters(c.platform))


def test_rows_of_the_rates_are_derivatives_of_the_closure() -> None:
    """Complex steps through the iterated closure equal the rates: its last step carries exact slopes."""
    for kind in ("UPS-offset", "UCU-offset", "UCU-screw-offset"):
        c = offset_case(kind, seed=6, states=3)
        m, kinds, par = c.motion, pack.kinds_of(c.platform), pack.parameters(c.platform)
        x = motion_numbers(c).astype(complex)
        x[:, MOTION.position] += 1e-30j * m.velocity
        turned = np.cross(m.angular_velocity[:, :, None], m.rotation, axis=1)
        x[:, MOTION.rotation] += 1e-30j * turned.reshape(-1, 9)
        flat = np.stack(plain.evaluate("kinematics", kinds, list(x.T), list(par)), axis=-1)
        legs = flat.reshape(3, 6, LEG_MOTION.size)
        rate = legs[..., LEG_MOTION.rate].real
        slope = legs[..., LEG_MOTION.coordinate].imag / 1e-30
        np.testing.assert_allclose(slope, rate, atol=1e-13 * np.abs(rate).max())


def random_legs(count: int, seed: int) -> tuple[UCU, ...]:
    rng = np.random.default_rng(seed)
    legs = []
    for _ in range(count):
        axis, top, P = rng.normal(size=(3, 3))
        size = 10.0 ** rng.uniform(-3, -0.3) / 2
        below, above = (JointOffset(*rng.uniform(-size, size, 3)) for _ in range(2))
        legs.append(
            UCU(
                np.zeros(3),
                P / np.linalg.norm(P),
                axis,
                top,
                base_offset=below,
                platform_offset=above,
            )
        )
    return tuple(legs)


def test_the_closure_is_met_wherever_it_is_proved_to_be_the_only_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """q < 1: closed by the steps taken; a short last step: closed to rounding; Picard's steps shrink by q or more."""
    from gough.offset_legs import _joint, _reach, _unit, contraction, offset_legs
    from gough.spatial import Pose

    pose = Pose(np.zeros(3), np.eye(3))
    closed = proved = 0
    for seed in range(24):
        legs = random_legs(6, seed)
        platform = offset_case("UCU-offset", seed=0).platform.replace(legs=legs, home=None)
        kinds, par = pack.kinds_of(platform), pack.parameters(platform)
        found = offset_legs(platform)
        assert found is not None
        P, kp = np.array([leg.joint for leg in legs]), found.platform_axes(pose.rotation)
        q = contraction(found, P, kp)
        x = np.concatenate([pose.position, pose.rotation.ravel(), np.zeros(12)])
        flat = np.array(plain.evaluate("kinematics", kinds, x, par)).reshape(6, LEG_MOTION.size)
        L, s = flat[:, LEG_MOTION.coordinate], flat[:, LEG_MOTION.direction]
        assert np.isfinite(L[q < 1]).all()
        d, u = _joint(found.axis, s, found.below), _joint(kp, s, found.above)
        gap = P - _reach(d) + _reach(u) - L[:, None] * s
        met = np.isfinite(L)
        assert np.abs(gap[met]).max() < 1e-14
        assert (L[met] > 0).all()
        closed, proved = closed + met.sum(), proved + (q < 1).sum()
        rng = np.random.default_rng(seed)
        for leg in np.flatnonzero(q < 1):
            cap = np.arcsin(min(1.0, float(np.linalg.norm(gap_size(legs[leg])))))
            a, b = (_unit(P[leg] + np.sin(cap) * 0.7 * v) for v in rng.normal(size=(2, 3)) / 3.0)
            if (
                np.linalg.norm(a - b) < 1e-6
                or max(np.arccos(np.clip(x @ P[leg], -1, 1)) for x in (a, b)) > cap
            ):
                continue
            images = [
                _unit(
                    P
                    - _reach(_joint(found.axis, v, found.below))
                    + _reach(_joint(kp, v, found.above))
                )[leg]
                for v in (a, b)
            ]
            apart = [np.arccos(np.clip(x @ y, -1, 1)) for x, y in ((a, b), images)]
            assert apart[1] <= q[leg] * apart[0] * (1 + 1e-6) + 1e-7
    assert proved > 80
    assert closed > proved

    monkeypatch.setattr(
        offset_pair, "NEWTON", 2
    )  # planted: too few steps are not taken for an answer
    lost = 0
    for seed in range(20):
        platform = platform.replace(legs=random_legs(6, seed))
        flat = plain.evaluate("kinematics", pack.kinds_of(platform), x, pack.parameters(platform))
        lost += int(np.isnan(np.array(flat).reshape(6, -1)[:, LEG_MOTION.coordinate]).sum())
    assert 20 < lost < 80  # Picard's step before them brings every second leg near enough


def gap_size(leg: UCU) -> np.ndarray:
    """Sizes of the leg's offsets, whose sum bounds Delta."""
    joints = [joint for joint in (leg.base_offset, leg.platform_offset) if joint is not None]
    return np.array([sum(abs(j.e) + np.hypot(j.d, j.f) for j in joints)])


def test_a_leg_that_does_not_close_has_no_finite_risk() -> None:
    """Strut along its first axis with an offset: no direction closes it; every function says so by its risk."""
    c = offset_case("UCU-offset", seed=7, states=1)
    pose = c.motion[0]
    leg = c.platform.legs[2]
    assert isinstance(leg, UCU)
    P = pose.position + pose.rotation @ leg.joint - leg.base
    stuck = leg.replace(axis=P / np.linalg.norm(P), base_offset=JointOffset(e=0.03, f=0.05))
    legs = [*c.platform.legs[:2], stuck, *c.platform.legs[3:]]
    machine = c.platform.replace(legs=tuple(legs))
    x = motion_numbers(c)[0]
    kinds, par = pack.kinds_of(machine), pack.parameters(machine)
    for function, given in (
        ("forces", [*x, *np.zeros(6)]),
        ("mass", x[:12]),
        ("forward", [*x[:18], *np.zeros(12)]),
        ("energy", x[:18]),
    ):
        assert not np.isfinite(plain.evaluate(function, kinds, given, par)[-1])


@pytest.mark.parametrize("springs", [False, True])
@pytest.mark.parametrize("kind", ["UPS-offset", "UCU-screw-offset", "mixed-offset"])
def test_what_the_cross_pieces_carry_equals_pinocchio(kind: str, springs: bool) -> None:
    """Wrenches between the bodies; planted: the base joint's own wrench is another one."""
    c = offset_case(kind, seed=10, springs=springs)
    spin = gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None
    found = cross_pieces(c.platform, c.motion, c.external, spin=spin)
    reactions = equations(c)
    engine = PinocchioEngine(c.platform)
    for i in range(len(c.external)):
        angle, rate = c.spin_angle[i], c.spin_rate[i]
        closed = Closed(engine, c.platform, c.motion[i], c.external[i], angle, rate)
        closed.answer()
        for k, (leg, n) in enumerate(zip(c.platform.legs, engine.tree.legs, strict=True)):
            force, moment = found.base_force[i, k], found.base_moment[i, k]
            if getattr(leg, "base_offset", None) is None:
                assert not np.any([force, moment])
            else:
                theirs = closed.wrenches[n.universal[1]]
                size = np.abs(theirs[0]).max()
                np.testing.assert_allclose((force, moment), theirs, atol=TOLERANCE * size)
                assert np.abs(force - reactions["universal_force"][i, k]).max() > 1e-4 * size
            force, moment = found.platform_force[i, k], found.platform_moment[i, k]
            if getattr(leg, "platform_offset", None) is None:
                assert not np.any([force, moment])
            else:
                theirs = [-a for a in closed.wrenches[n.plate[0]]]
                size = np.abs(theirs[0]).max()
                np.testing.assert_allclose((force, moment), theirs, atol=TOLERANCE * size)


def test_the_platform_joint_carries_nothing_about_its_first_axis_but_friction() -> None:
    for c in offset_cases("UCU-screw-offset", 2, friction=False, seed=8):
        found = equations(c)["platform_moment"]
        for i, leg in enumerate(c.platform.legs):
            assert isinstance(leg, UCU)
            k = c.motion.rotation @ leg.platform_axis
            along = np.abs((found[:, i] * k).sum(axis=-1)).max()
            assert along < 1e-12 * np.abs(found).max()


def test_the_force_of_the_actuator_is_not_along_the_leg() -> None:
    """The wrench of a unit effort of a UPS leg with d or f leans; with e alone it does not."""
    from gough.struts import struts

    c = case("UPS", seed=9, states=2)

    def lean(**offset: float) -> float:
        legs = [leg.replace(base_offset=JointOffset(**offset)) for leg in c.platform.legs]
        assert all(isinstance(leg, UPS) for leg in legs)
        g = struts(c.platform.replace(legs=tuple(legs)), c.motion)
        assert g.pull is not None
        return float(np.abs(g.pull[..., :3] - g.direction).max())

    assert lean(e=0.05) < 1e-15
    assert lean(d=0.05) > 1e-2
    assert lean(f=0.05) > 1e-2
