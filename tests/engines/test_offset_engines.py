"""Offset universal joints on every engine: compiled, JAX, C, CUDA text, derivatives, proven digits, packed names."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.dynamics import jax as model_jax
from gough.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from gough.dynamics.parameters import machine_parameters, packed_names
from gough.engines import emit_cuda, native, pack, plain
from gough.engines.error_bound import Bounded
from gough.engines.stream import stream
from gough.engines.tracer import trace
from gough.equations import scalar
from gough.equations.machine import FUNCTIONS, MOVING, offsets
from gough.export.c_code import c_project
from oracles.offset_machines import KINDS, offset_case
from support.complex_steps import complex_step, worst
from support.engine_states import blocks_of, relative

DIGITS = 1e-12
SLOPES = 1e-10


def same(kind: str, function: str, seed: int = 1) -> float:
    c = offset_case(kind, seed=seed, states=5)
    kinds, par = pack.kinds_of(c.platform, c.needs_spin), pack.parameters(c.platform)
    if function.startswith(MOVING):
        par = np.concatenate([par, pack.pack_mounts(c.platform)])
    blocks = blocks_of(c, function, kinds)
    mine, theirs = (e.run(function, kinds, blocks, par) for e in (native, plain))
    return relative(mine, theirs)


@pytest.mark.parametrize("function", ["forces", "forward"])
def test_compiled_equals_plain(function: str) -> None:
    """One machine with UPS and UCU legs, screws on either part: every piece of the equations is compiled once."""
    assert same("mixed-offset", function) < DIGITS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("UPS-offset", "forces"),
        ("UCU-offset", "record"),
        ("UCU-screw-offset", "moving_forces"),
        ("UCU-upper-offset", "mass"),
    ],
)
def test_compiled_equals_plain_for_more(kind: str, function: str) -> None:
    assert same(kind, function, seed=2) < DIGITS


@pytest.mark.parametrize("kind", ["UPS-rotor-offset", "UCU-upper-offset"])
def test_traced_programs_equal_the_equations(kind: str) -> None:
    c = offset_case(kind, seed=3, states=2)
    kinds, par = pack.kinds_of(c.platform), pack.parameters(c.platform)
    for function in FUNCTIONS:
        own = np.concatenate([par, pack.pack_mounts(c.platform)]) if MOVING in function else par
        x = np.concatenate(blocks_of(c, function, kinds), axis=1)
        found = np.stack(np.broadcast_arrays(*trace(function, kinds).run(list(x.T), own)), axis=-1)
        assert relative(found, plain.run(function, kinds, [x], own)) < DIGITS


@pytest.mark.parametrize("kind", ["mixed-offset"])
def test_slopes_of_inverse_dynamics(kind: str) -> None:
    """Reverse mode through the last step of the closure alone, against complex steps through all of them."""
    c = offset_case(kind, seed=11, states=2)
    spin = gough.Spin(c.spin_angle, c.spin_rate)
    found = inverse_dynamics_derivatives(c.platform, c.motion, c.external, spin=spin)
    keep = np.r_[:24, 30 : found.jacobian.shape[-1]]
    for i in range(2):
        _, wanted = complex_step("forces", c, i, np.zeros((2, 6)))
        felt = keep[np.abs(wanted[:, keep]).max(axis=0) > 1e-12]
        assert (
            len(felt) > 300
        )  # a cross piece at the base turns about one axis: the rest of its tensor does nothing
        assert worst(found.jacobian[i][:, felt], wanted[:, felt]) < SLOPES
        assert np.abs(found.jacobian[i][:, np.setdiff1d(keep, felt)]).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["UCU-screw-offset"])
def test_slopes_of_forward_dynamics(kind: str) -> None:
    c = offset_case(kind, seed=12, states=2)
    effort = gough.inverse_dynamics(c.platform, c.motion, c.external, engine="python").force
    found = forward_dynamics_derivatives(c.platform, c.motion, effort, c.external)
    keep, G = np.r_[:12, 18:30], machine_parameters(c.platform).packing
    for i in range(2):
        _, wanted = complex_step("forward", c, i, effort)
        assert worst(found.jacobian[i][:, keep], wanted[:, keep]) < SLOPES
        # over numbers of the file: axes that stay unit vectors
        apart = np.abs((found.jacobian[i][:, 42:] - wanted[:, 42:]) @ G).max(axis=0)
        assert (apart <= SLOPES * (1.0 + np.abs(wanted[:, 42:] @ G).max(axis=0))).all()


@pytest.mark.parametrize("kind", ["UPS-offset", "UCU-screw-offset"])
def test_packing_of_every_offset_by_differences(kind: str) -> None:
    """``d packed/d parameter`` against machines built anew."""
    machine = offset_case(kind, seed=13, states=1).platform
    known = machine_parameters(machine)
    leg, zero = machine.legs[2], pack.crank_zeros(machine)[2]
    at = offsets(pack.kinds_of(machine))[2]
    side = "base_offset" if getattr(leg, "base_offset", None) is not None else "platform_offset"
    joint = getattr(leg, side)
    for path in ("e", "d", "f", "cross.mass"):

        def changed(by: float) -> np.ndarray:
            if path == "cross.mass":  # noqa: B023
                other = joint.replace(cross=joint.cross.replace(mass=joint.cross.mass + by))
            else:
                other = joint.replace(**{path: getattr(joint, path) + by})  # noqa: B023
            return pack.leg_row(leg.replace(**{side: other}), zero, machine.home)

        step = 1e-6
        slope = (changed(step) - changed(-step)) / (2 * step)
        column = known.packing[:, known.names.index(f"L3.{side}.{path}")]
        np.testing.assert_allclose(column[at : at + slope.size], slope, rtol=1e-6, atol=1e-9)
    names = packed_names(machine)
    assert len(names) == len(set(names)) == pack.parameters(machine).size
    for word in ("base_offset.e", "base_offset.cross.mass", "base_offset.cross.second.xy"):
        assert f"L3.{word}" in names


@pytest.mark.parametrize("kind", ["UPS-offset", "UCU-screw-offset", "mixed-offset"])
def test_digits_are_proven(kind: str) -> None:
    """The bound starts again with the last step of the closure: it does not grow with their number."""
    c = offset_case(kind, seed=21, states=3)
    spin = gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin, engine="python")
    size = np.abs(found.force).max()
    assert (found.digits > 9).all()
    assert found.reactions_error.platform_moment.max() < 1e-8 * size
    kinds, par = pack.kinds_of(c.platform, c.needs_spin), pack.parameters(c.platform)
    exact = many_digits(c, kinds, par)
    assert (np.abs(exact - found.force) <= found.error).all()


def many_digits(c: object, kinds: tuple[str, ...], par: np.ndarray) -> np.ndarray:
    """Efforts with 40 digits."""
    mpmath = pytest.importorskip("mpmath")
    blocks = blocks_of(c, "forces", kinds)  # type: ignore[arg-type]
    out = []
    with mpmath.workdps(40):
        for row in np.concatenate(blocks, axis=1):
            x = [mpmath.mpf(float(v)) for v in row]
            n = FUNCTIONS["forces"].inputs.size
            found = plain.evaluate(
                "forces", kinds, x[:n], [mpmath.mpf(float(v)) for v in par], x[n:] or plain.NO_SPIN
            )
            out.append([float(v) for v in found[:6]])
    return np.array(out)


def test_a_restart_drops_what_came_before() -> None:
    assert scalar.restart(2.0) == 2.0
    assert scalar.restart(Bounded(2.0, 0.1)).error == 0.0


def test_single_precision_is_refused_where_the_closure_is_iterated() -> None:
    platform = offset_case("UCU-offset", seed=1).platform
    with pytest.raises(gough.InputError, match="float64 for UCU legs"):
        next(iter(stream(platform, np.zeros((1, 30)), number="float32")))


def test_cuda_text() -> None:
    kinds = pack.kinds_of(offset_case("UCU-offset", seed=1).platform)
    text = emit_cuda.source("forces", kinds, "double")
    assert "restart" not in text
    assert "sqrt" in text


def test_jax() -> None:
    jax = pytest.importorskip("jax")
    c = offset_case("UCU-offset", seed=31, states=2)
    m = c.motion
    twist = (m.position, m.rotation, m.velocity, m.angular_velocity)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        model = model_jax.machine(c.platform)
        force = np.asarray(
            model.inverse_dynamics(*twist, m.acceleration, m.angular_acceleration, c.external)
        )
        length = np.asarray(model.inverse_kinematics(m.position, m.rotation))
    wanted = gough.inverse_dynamics(c.platform, m, c.external, engine="python").force
    np.testing.assert_allclose(force, wanted, atol=DIGITS * np.abs(wanted).max())
    legs = gough.inverse_kinematics(c.platform, m, engine="python")
    np.testing.assert_allclose(length, legs.length, atol=1e-13)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="NO C COMPILER")
def test_exported_c(tmp_path: Path) -> None:
    """Forces, and its Newton for the pose, which reads the full rows."""
    c_project(offset_case("UCU-screw-offset", seed=3, states=1).platform, name="offset").write(
        tmp_path
    )
    program = tmp_path / "test"
    sources = sorted(str(path) for path in tmp_path.glob("*.c"))
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    subprocess.run(["gcc", *strict, *sources, "-o", str(program), "-lm"], check=True)
    found = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stdout


def test_every_kind_has_its_machine() -> None:
    from gough.equations.kinds import KINDS as EVERY

    used = {k for kind in KINDS for k in pack.kinds_of(offset_case(kind, seed=0).platform)}
    used |= set(pack.kinds_of(offset_case("UCU-upper-offset", seed=0, friction=False).platform))
    used |= set(pack.kinds_of(offset_case("UCU-rotor-offset", seed=0, friction=False).platform))
    assert {name for name in EVERY if name.endswith("_offset")} <= used
