"""Springs in offset universal joints on every engine: traced, compiled, C, CUDA text, JAX, slopes, proven digits.

`six` is one machine with a leg of each kind but one, so that few programs are compiled; the last kind is UPS.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.dynamics import jax as model_jax
from gough.dynamics.derivatives import inverse_dynamics_derivatives
from gough.dynamics.parameters import machine_parameters, packed_names
from gough.engines import emit_cuda, native, pack, plain
from gough.engines.derivative_programs import inverse_stage, leg_stage
from gough.engines.single_state import lean
from gough.engines.tracer import trace
from gough.equations.machine import FUNCTIONS, KINDS, MOVING, offsets
from gough.export.c_code import c_project
from gough.layout import BODY, LEG_SLOPES, LEG_STAGE, LOADED_MOTION, MOTION, SPIN
from gough.model import UCU, UPS
from oracles.machines import Case
from oracles.offset_machines import offset_case
from support.complex_steps import complex_step, worst
from support.engine_states import blocks_of, relative

DIGITS, SLOPES = 1e-12, 1e-10
ORDER = (
    "ucu_screw_offset_sprung",
    "ucu_spring_offset_sprung",
    "ucu_screw_upper_offset_sprung",
    "ucu_spring_upper_offset_sprung",
    "ucu_offset_sprung",
    "ups_rotor_offset_sprung",
)
LAST = "ups_offset_sprung"


@lru_cache(maxsize=8)
def six(seed: int, states: int) -> Case:
    """A machine on screws, its legs built in the six ways of ORDER."""
    c = offset_case("UCU-screw-offset", seed=seed, states=states, springs=True)
    legs = []
    for i, leg in enumerate(c.platform.legs):
        assert isinstance(leg, UCU)
        assert leg.screw is not None
        assert leg.drive is not None
        upper = leg.screw.replace(mount="upper" if i in (2, 3) else "lower")
        built = leg.replace(screw=upper, torsion=300.0 if i in (1, 3) else 0.0, torsion_rest=0.2)
        if i == 4:
            built = leg.replace(screw=None, torsion=0.0, drive=leg.drive.replace(rotor_axis=None))
        legs.append(_ups(leg) if i == 5 else built)
    platform = c.platform.replace(legs=tuple(legs))
    assert pack.kinds_of(platform) == ORDER
    return Case(platform, c.motion, c.external, c.spin_angle, c.spin_rate)


def _ups(leg: UCU) -> UPS:
    """A leg with a ball at the platform between the same joints, its motor riding on it."""
    own, ball = leg.springs, np.diag([20.0, 35.0, 50.0]) + 4.0
    springs = gough.JointSprings(own.first, own.second, platform_ball=ball, home=own.home)
    joint = leg.base_offset or leg.platform_offset
    given: dict[str, Any] = {"drive": leg.drive, "springs": springs, "base_offset": joint}
    given["friction"] = leg.friction.replace(cylindrical=0.0)
    return UPS(leg.base, leg.joint, leg.axis, leg.lower, leg.upper, **given)


def last(seed: int, states: int) -> Case:
    c = offset_case("UPS-offset", seed=seed, states=states, springs=True)
    assert set(pack.kinds_of(c.platform)) == {LAST}
    return c


MACHINES = {"six": six, "UPS": last}


def test_these_are_all_the_kinds() -> None:
    assert {*ORDER, LAST} == {kind for kind in KINDS if kind.endswith("_offset_sprung")}


def numbers(c: Case, function: str) -> np.ndarray:
    par = pack.parameters(c.platform)
    moving = function.startswith(MOVING)
    return np.concatenate([par, pack.pack_mounts(c.platform)]) if moving else par


@pytest.mark.parametrize("machine", MACHINES)
def test_traced_programs_equal_the_equations(machine: str) -> None:
    c = MACHINES[machine](3, 2)
    kinds = pack.kinds_of(c.platform)
    for function in FUNCTIONS:
        par = numbers(c, function)
        x = np.concatenate(blocks_of(c, function, kinds), axis=1)
        found = np.stack(np.broadcast_arrays(*trace(function, kinds).run(list(x.T), par)), axis=-1)
        assert relative(found, plain.run(function, kinds, [x], par)) < DIGITS, function


def same(c: Case, function: str) -> float:
    kinds, blocks = pack.kinds_of(c.platform), blocks_of(c, function, pack.kinds_of(c.platform))
    mine, theirs = (e.run(function, kinds, blocks, numbers(c, function)) for e in (native, plain))
    assert np.isfinite(theirs).all()
    return relative(mine, theirs)


@pytest.mark.parametrize("function", ["forces", "forward"])
def test_compiled_equals_plain(function: str) -> None:
    assert same(six(1, 5), function) < DIGITS


@pytest.mark.slow
@pytest.mark.parametrize("function", ["mass", "record", "moving_forces"])
def test_compiled_equals_plain_for_more(function: str) -> None:
    assert same(six(1, 5), function) < DIGITS


@pytest.mark.slow
def test_compiled_equals_plain_of_the_last_kind_and_lean_calls_say_the_same() -> None:
    c = last(2, 5)
    kinds, par = pack.kinds_of(c.platform), pack.parameters(c.platform)
    for function in ("forces", "forward", "mass", "record"):
        assert same(c, function) < DIGITS, function
    blocks = blocks_of(c, "forces", kinds)
    wanted, call = native.run("forces", kinds, blocks, par), lean(c.platform)
    for i in range(5):
        found = call(np.concatenate([b[i] for b in blocks]))
        np.testing.assert_allclose(found, wanted[i], rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


def slopes_by_stages(c: Case, state: int) -> np.ndarray:
    """``d effort/d packed numbers`` of the legs, (6, n), from the programs of the kernels, not compiled."""
    kinds, par = pack.kinds_of(c.platform), pack.parameters(c.platform)
    x = np.concatenate(blocks_of(c, "forces", kinds), axis=1)[state]
    stage = np.array([float(v) for v in inverse_stage(kinds).run(list(x), par)])
    efforts, shares = stage[:6], stage[6:].reshape(6, 6)
    out, at = np.zeros((6, par.size)), offsets(kinds)
    spin = np.zeros(SPIN.size)
    spin[0] = 1.0
    for i, kind in enumerate(kinds):
        own = np.concatenate([par[BODY.gravity], par[at[i] : at[i + 1]]])
        for k in range(6):
            given = np.concatenate([x[: MOTION.size], shares[k], efforts[i : i + 1], spin])
            assert given.size == LEG_STAGE.size
            found = np.array([float(v) for v in leg_stage(kind).run(list(given), own)])
            out[k, at[i] : at[i + 1]] = found[LEG_SLOPES.size :]
    return out


@pytest.mark.parametrize("machine", MACHINES)
def test_slopes_over_every_number_of_the_legs(machine: str) -> None:
    """Reverse mode, springs and their rest among the numbers, against complex steps through the whole closure."""
    c = MACHINES[machine](11, 1)
    assert LOADED_MOTION.size == 30
    found = slopes_by_stages(c, 0)[:, BODY.size :]
    _, wanted = complex_step("forces", c, 0, np.zeros((1, 6)))
    wanted = wanted[:, 42 + BODY.size :]
    felt = np.abs(wanted).max(axis=0) > 1e-12
    assert worst(found[:, felt], wanted[:, felt]) < SLOPES
    assert np.abs(found[:, ~felt]).max() < 1e-12
    names = np.array(packed_names(c.platform))[BODY.size :]
    stiff = [n for n in names[felt] if ".springs." in n]
    assert len({n.split(".")[0] for n in stiff}) == 6
    for word in ("springs.first", "springs.second"):
        assert sum(n.endswith(word) for n in stiff) == 6


@pytest.mark.slow
def test_slopes_compiled() -> None:
    c = six(11, 1)
    found = inverse_dynamics_derivatives(c.platform, c.motion, c.external)
    _, wanted = complex_step("forces", c, 0, np.zeros((1, 6)))
    keep = np.r_[:24, 42 : found.jacobian.shape[-1]]
    keep = keep[np.abs(wanted[:, keep]).max(axis=0) > 1e-12]
    assert worst(found.jacobian[0][:, keep], wanted[:, keep]) < SLOPES


@pytest.mark.parametrize(
    ("leg", "path"),
    [
        (0, "platform_first"),
        (2, "platform_second"),
        (3, "first"),
        (5, "second"),
        (5, "platform_ball.xy"),
    ],
)
def test_stiffness_is_a_parameter_of_the_machine(leg: int, path: str) -> None:
    """``d packed/d parameter`` against machines built anew; planted: another leg's column is another one."""
    machine = six(13, 1).platform
    known, own = machine_parameters(machine), machine.legs[leg]
    at = offsets(pack.kinds_of(machine))
    field, _, entry = path.partition(".")
    zero = pack.crank_zeros(machine)[leg]

    def row(step: float) -> np.ndarray:
        value = getattr(own.springs, field)
        if entry:
            value = value + step * np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        else:
            value = value + step
        springs = own.springs.replace(**{field: value})
        return pack.leg_row(own.replace(springs=springs), zero, machine.home)

    slope = (row(1e-3) - row(-1e-3)) / 2e-3
    names = [f"L{k + 1}.springs.{path}" for k in (leg, (leg + 1) % 6)]
    columns = [known.packing[:, known.names.index(n)] for n in names if n in known.names]
    np.testing.assert_allclose(columns[0][at[leg] : at[leg + 1]], slope, rtol=1e-9, atol=1e-9)
    assert not columns[0][: at[leg]].any()
    for other in columns[1:]:
        assert not other[at[leg] : at[leg + 1]].any()


@pytest.mark.parametrize("machine", MACHINES)
def test_digits_are_proven(machine: str) -> None:
    """Bounds hold against forty digits, and a wrong stiffness is beyond them."""
    mpmath = pytest.importorskip("mpmath")
    c = MACHINES[machine](21, 1)
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, engine="python")
    assert (found.digits > 9).all()
    kinds, par = pack.kinds_of(c.platform), pack.parameters(c.platform)
    x = np.concatenate(blocks_of(c, "forces", kinds), axis=1)[0]
    with mpmath.workdps(40):
        exact, wrong = (
            np.array([float(v) for v in plain.evaluate("forces", kinds, *given)[:6]])
            for given in (
                [[mpmath.mpf(float(v)) for v in values] for values in (x, par * scale)]
                for scale in (1.0, _stiffer(c))
            )
        )
    assert (np.abs(exact - found.force[0]) <= found.error[0]).all()
    assert (np.abs(wrong - found.force[0]) > found.error[0]).any()


def _stiffer(c: Case) -> np.ndarray:
    """Factors of the packed numbers: one spring is stiffer by a millionth."""
    out = np.ones(pack.parameters(c.platform).size)
    out[packed_names(c.platform).index("L3.springs.first")] += 1e-6
    return out


def test_cuda_text() -> None:
    for c in (six(1, 5), last(2, 5)):
        kinds = pack.kinds_of(c.platform)
        text = emit_cuda.source("forces", kinds, "double")
        assert "restart" not in text
        assert text.count("sqrt") > emit_cuda.source("forces", _bare(kinds), "double").count("sqrt")


def _bare(kinds: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(kind.removesuffix("_sprung") for kind in kinds)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="NO C COMPILER")
def test_exported_c(tmp_path: Path) -> None:
    c_project(last(3, 1).platform, name="sprung").write(tmp_path)
    program = tmp_path / "test"
    sources = sorted(str(path) for path in tmp_path.glob("*.c"))
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    subprocess.run(["gcc", *strict, *sources, "-o", str(program), "-lm"], check=True)
    found = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stdout


@pytest.mark.slow
def test_jax() -> None:
    jax = pytest.importorskip("jax")
    c = last(31, 2)
    m = c.motion
    twist = (m.position, m.rotation, m.velocity, m.angular_velocity)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        model = model_jax.machine(c.platform)
        rates = (m.acceleration, m.angular_acceleration, c.external)
        force = np.asarray(model.inverse_dynamics(*twist, *rates))
    wanted = gough.inverse_dynamics(c.platform, m, c.external, engine="python").force
    np.testing.assert_allclose(force, wanted, atol=DIGITS * np.abs(wanted).max())
