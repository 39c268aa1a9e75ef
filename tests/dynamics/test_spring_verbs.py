"""Springs in the joints through every verb: engines, derivatives, bounds, words, simulation, linear models."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import InfeasibleError, InputError
from gough.dynamics import bias, bias_error
from gough.dynamics.complex_step import slopes
from gough.dynamics.derivatives import inverse_dynamics_derivatives
from gough.dynamics.parameters import machine_parameters, packed_names
from gough.engines import emit_c, pack
from gough.engines.derivative_programs import leg_stage
from gough.engines.emit_cuda import source as cuda_source
from gough.engines.leg_programs import leg as leg_program
from gough.engines.tracer import trace
from gough.guard import OVERTURNED
from gough.layout import GRAVITY, LEG_ANSWER, LEG_SLOPES, LEG_STAGE, MOTION
from gough.model.numbers import places, with_numbers
from gough.spatial import rotation_exp
from oracles.machines import Case, case
from oracles.source import motion_numbers, run, spin_numbers
from support.complex_steps import complex_step, spin_of, worst

SPUN = ("SPS-general", "UCS-general", "RSS-general")
KINDS = ("UPS", "PUS", "RUS", "UCU-screw", "PSU", *SPUN)


@cache
def sample(kind: str, states: int = 3) -> Case:
    return case(kind, seed=41, states=states, springs=True)


def test_compiled_answers_are_the_equations() -> None:
    c = sample("UPS", 5)
    fast, plain = (
        gough.inverse_dynamics(c.platform, c.motion, c.external, engine=engine)
        for engine in ("native", "python")
    )
    size = np.abs(plain.force).max()
    assert np.abs(fast.force - plain.force).max() < 1e-12 * size
    for name in ("universal_moment", "platform_moment"):
        found, wanted = (getattr(r.reactions, name) for r in (fast, plain))
        assert np.abs(found - wanted).max() < 1e-12 * size
    assert fast.digits.min() > 9.0
    back = gough.forward_dynamics(c.platform, c.motion, fast.force, c.external)
    assert np.abs(back.acceleration - c.motion.acceleration).max() < 1e-9
    energies = [gough.energy(c.platform, c.motion, engine=e) for e in ("native", "python")]
    assert energies[0].potential == pytest.approx(energies[1].potential, rel=1e-13)


def test_derivatives_are_those_of_complex_steps() -> None:
    c = sample("UPS")
    found = inverse_dynamics_derivatives(c.platform, c.motion, c.external)
    keep = np.r_[:24, 30 : found.jacobian.shape[-1]]
    for i in range(3):
        wanted = complex_step("forces", c, i, np.zeros((3, 6)))[1]
        assert worst(found.jacobian[i][:, keep], wanted[:, keep]) < 1e-10
    names = machine_parameters(c.platform).names
    h, name = 1e-4, "L2.springs.platform_ball.xy"
    value = places(c.platform)[name].value
    near = [
        gough.inverse_dynamics(
            with_numbers(c.platform, {name: value + d}), c.motion, c.external, engine="python"
        ).force
        for d in (-h, h)
    ]
    slope = found.parameters[..., names.index(name)]
    assert slope == pytest.approx((near[1] - near[0]) / (2 * h), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_reverse_mode_of_each_leg_is_the_complex_step(kind: str) -> None:
    """The program of one leg, as the derivative kernels run it, on plain numbers: also at rest, where th = 0."""
    c = sample(kind)
    name = pack.kinds_of(c.platform, True)[0]
    program = leg_stage(name)
    rng, home = np.random.default_rng(4), c.platform.require_home()
    leg, m = c.platform.legs[0], c.motion[0]
    leg = leg.replace(springs=leg.springs.replace(home=None))
    zero = pack.crank_zeros(c.platform)[0]
    par = np.concatenate([c.platform.gravity, pack.leg_row(leg, zero, home)])
    for pose, angle in ((m.pose, 0.3), (home, 0.0)):
        x = np.zeros(LEG_STAGE.size)
        x[LEG_STAGE.position], x[LEG_STAGE.rotation] = pose.position, pose.rotation.ravel()
        x[LEG_STAGE.share], x[LEG_STAGE.effort] = rng.normal(size=6), 100.0
        x[LEG_STAGE.cosine], x[LEG_STAGE.sine] = np.cos(angle), np.sin(angle)
        found = np.array(program.run(list(x), list(par)), dtype=float)
        assert np.isfinite(found).all()
        moment = found[LEG_SLOPES.size :]  # over the leg's row
        at, h = pack.KINDS[name].row.at("springs_rest_x") - 6, 1e-3
        for k in (at + 1, at + 2, at + 3, at + 5):
            step = np.zeros_like(par)
            step[GRAVITY.size + k] = h
            high, low = (_share(name, x, par + d) for d in (step, -step))
            assert moment[k] == pytest.approx((high - low) / (2 * h), rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("kind", ["PSU", "UCS-general", "RSS-general"])
def test_reverse_mode_knows_every_number_of_the_springs_of_rods(kind: str) -> None:
    """Stiffness and axes at rest, by complex steps through the leg's program, away from rest and at rest."""
    c = sample(kind)
    name, home, m = pack.kinds_of(c.platform, True)[1], c.platform.require_home(), c.motion[0]
    row, zero = pack.KINDS[name].row, pack.crank_zeros(c.platform)[1]
    leg = c.platform.legs[1].replace(springs=c.platform.legs[1].springs.replace(home=None))
    par = np.concatenate([c.platform.gravity, pack.leg_row(leg, zero, home)])
    own = [n for n in row.names if n.startswith("springs_")]
    first = row.at(own[0])
    assert own[-1] == row.names[-1]
    step = np.zeros((par.size, row.size - first), dtype=complex)
    step[GRAVITY.size + first :] = 1e-30j * np.eye(row.size - first)
    rng = np.random.default_rng(6)
    for motion, angle, rate in ((m, 0.3, 2.0), (gough.Motion.at_rest(home), 0.0, 0.0)):
        x = np.zeros(LEG_STAGE.size)
        for block in MOTION.names:
            x[getattr(LEG_STAGE, block)] = np.ravel(getattr(motion, block))
        x[LEG_STAGE.share], x[LEG_STAGE.effort] = rng.normal(size=6), 100.0
        x[LEG_STAGE.cosine], x[LEG_STAGE.sine] = np.cos(angle), np.sin(angle)
        x[LEG_STAGE.rate] = rate
        found = np.array(leg_stage(name).run(list(x), list(par)), dtype=float)
        wanted = _share(name, x, par[:, None] + step).imag / 1e-30
        assert found[LEG_SLOPES.size + first :] == pytest.approx(
            wanted, rel=1e-10, abs=1e-11 * np.abs(wanted).max()
        )
        if rate:
            assert (np.abs(wanted) > 0).sum() > 0.9 * wanted.size


def _share(kind: str, x: np.ndarray, par: np.ndarray) -> Any:
    motion = [*x[: LEG_STAGE.at("share")], *x[[LEG_STAGE.cosine, LEG_STAGE.sine, LEG_STAGE.rate]]]
    found = LEG_ANSWER.named(leg_program(kind).run(motion, list(par)))
    load, column = (np.stack(np.broadcast_arrays(*found[block])) for block in ("load", "column"))
    return x[LEG_STAGE.share] @ (load - column * x[LEG_STAGE.effort] / found["eta"])


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_by_name_carry_the_rest_along(kind: str) -> None:
    """Where the springs are relaxed goes with joints, axes and lengths: slopes against changed machines."""
    c = sample(kind)
    platform, spinning = c.platform, kind in SPUN
    made, known = machine_parameters(platform, spinning), places(platform)
    kinds = pack.kinds_of(platform, spinning)
    parts = ("joint.x", "base.y", "springs.platform_ball.xy", "axis.z", "arm.x", "length")
    parts += ("springs.platform_first", "platform_axis.y", "springs.base_ball.xy", "shaft.y")
    names = [name for name in (f"L4.{part}" for part in parts) if name in made.names]
    assert len(names) > 2
    x = np.concatenate([motion_numbers(c), c.external], axis=1)
    inputs = np.concatenate([x, spin_numbers(c)], axis=1) if spinning else x
    columns = [made.names.index(name) for name in names]
    slope = slopes("forces", kinds, inputs, pack.pack(platform), None, made.packing[:, columns])[1]
    for k, name in enumerate(names):
        h, value = 1e-6, known[name].value
        high, low = (
            run("forces", kinds, x, spin_numbers(c), pack.pack(with_numbers(platform, {name: v})))
            for v in (value + h, value - h)
        )
        wanted = ((high - low) / (2 * h))[:, :6]
        assert slope[:, :6, k] == pytest.approx(wanted, abs=1e-5 * np.abs(wanted).max()), name
    assert len(packed_names(platform)) == len(pack.parameters(platform))
    assert "L1.springs.seat_x.y" in packed_names(platform)


@pytest.mark.parametrize("kind", KINDS)
def test_digits_are_proven(kind: str) -> None:
    c = sample(kind)
    found = gough.inverse_dynamics(
        c.platform, c.motion, c.external, spin=spin_of(c), engine="python"
    )
    assert found.digits.min() > 8.0
    b = bias(c.platform, c.motion, spin=spin_of(c), engine="python")
    wrong = b + 1e-6 * np.abs(b).max()
    for value, holds in ((b, True), (wrong, False)):
        error = bias_error(c.platform, c.motion, value, spin=spin_of(c))
        assert (error.max() < 1e-8 * np.abs(b).max()) == holds


def test_every_source_of_code_has_the_springs() -> None:
    kinds = pack.kinds_of(sample("RUS").platform)
    program = trace("forces", kinds)
    for text in (emit_c.function(program, "efforts", "double"), cuda_source("forces", kinds)):
        assert text.count("sqrt") > 50  # five roots an angle, three angles a leg


@pytest.mark.parametrize(
    "formulation", ["newton-euler", "universal", "lagrange", "kane", "multibody"]
)
def test_formulations_without_springs_say_so(formulation: str) -> None:
    c = sample("UPS")
    with pytest.raises(InputError, match=f"springs.*{formulation} has none; use .*exact"):
        gough.inverse_dynamics(c.platform, c.motion, formulation=formulation)


def test_a_flexure_turned_too_far_is_refused_in_words() -> None:
    """The platform turned upside down about x: the ball flexures have turned half a turn."""
    platform = gough.load("motion-base-1500")
    springs = gough.JointSprings(first=10.0, platform_ball=5.0)
    machine = platform.replace(legs=[leg.replace(springs=springs) for leg in platform.legs])
    home = machine.require_home()
    for angle, fine in ((0.5, True), (2.9, False)):
        pose = gough.Pose(home.position, rotation_exp([angle, 0, 0]) @ home.rotation)
        for verb in (gough.inverse_dynamics, gough.energy):
            if fine:
                verb(machine, pose, engine="python", **WIDE.get(verb, {}))
                continue
            with pytest.raises(InfeasibleError, match=OVERTURNED):
                verb(machine, pose, engine="python", **WIDE.get(verb, {}))
        gough.inverse_dynamics(platform, pose, engine="python", max_condition=np.inf)
    batch = gough.Pose(
        np.tile(home.position, (2, 1)),
        np.stack([home.rotation, rotation_exp([2.9, 0, 0]) @ home.rotation]),
    )
    with pytest.raises(InfeasibleError, match=f"state 1.*{OVERTURNED}"):
        gough.mass_matrix(machine, batch, engine="python")


WIDE = {gough.inverse_dynamics: {"max_condition": 1e12}}


def test_spins_are_asked_for_and_kinematics_asks_for_none() -> None:
    c = sample("SPS-general")
    with pytest.raises(InputError, match="friction or springs"):
        gough.inverse_dynamics(c.platform, c.motion)
    round_legs = case("SPS-free", seed=5, springs=True).platform
    assert not round_legs.legs[0].spin_free  # type: ignore[union-attr]
    legs = gough.inverse_kinematics(round_legs, round_legs.require_home(), engine="python")
    assert np.isfinite(legs.acceleration).all()


def test_jax_has_the_springs_and_refuses_in_words() -> None:
    jax = pytest.importorskip("jax")
    from gough.dynamics import jax as model_jax

    c = sample("UPS")
    m = c.motion
    wanted = gough.inverse_dynamics(c.platform, m, c.external, engine="python").force
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        model = model_jax.machine(c.platform)
        rest = (m.velocity, m.angular_velocity, m.acceleration, m.angular_acceleration, c.external)
        found = np.asarray(model.inverse_dynamics(m.position, m.rotation, *rest))
        assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()
        over = rotation_exp([0.0, 0.0, 2.9]) @ m.rotation
        with pytest.raises(InfeasibleError, match=f"or {OVERTURNED}"):
            model.inverse_dynamics(m.position, over, *rest)
