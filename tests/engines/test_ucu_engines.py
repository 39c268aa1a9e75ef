"""UCU legs and screws on every engine: compiled, JAX, C, CUDA text, derivatives, proven digits, packed names."""

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
from gough.engines import native, pack, plain
from gough.equations.machine import FUNCTIONS, MOVING, offsets
from gough.export.c_code import c_project
from oracles.machines import CYLINDERS, case
from support.complex_steps import complex_step, worst
from support.engine_states import blocks_of, relative

DIGITS = 1e-12
SLOPES = 1e-10


def same(kind: str, function: str, seed: int = 1, springs: bool = False) -> float:
    c = case(kind, seed=seed, states=37, springs=springs)
    kinds, par = pack.kinds_of(c.platform, c.needs_spin), pack.parameters(c.platform)
    if function.startswith(MOVING):
        par = np.concatenate([par, pack.pack_mounts(c.platform)])
    blocks = blocks_of(c, function, kinds)
    mine, theirs = (e.run(function, kinds, blocks, par) for e in (native, plain))
    return relative(mine, theirs)


@pytest.mark.parametrize("function", ["forces", "record", "forward"])
def test_compiled_equals_plain(function: str) -> None:
    assert same("UCU-screw", function) < DIGITS


def test_compiled_equals_plain_with_springs_in_the_joints() -> None:
    assert same("UCU-screw", "forces", springs=True) < DIGITS


@pytest.mark.slow
@pytest.mark.parametrize("kind", CYLINDERS)
@pytest.mark.parametrize("function", list(FUNCTIONS))
def test_compiled_equals_plain_for_all(kind: str, function: str) -> None:
    assert same(kind, function, seed=2) < DIGITS


def test_slopes_of_inverse_dynamics() -> None:
    c = case("UCU-screw", seed=11, states=2)
    found = inverse_dynamics_derivatives(c.platform, c.motion, c.external)
    keep = np.r_[:24, 30 : found.jacobian.shape[-1]]
    for i in range(2):
        _, wanted = complex_step("forces", c, i, np.zeros((2, 6)))
        assert worst(found.jacobian[i][:, keep], wanted[:, keep]) < SLOPES


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["UCU", "UCU-upper"])
def test_slopes_of_forward_dynamics(kind: str) -> None:
    c = case(kind, seed=12, states=2)
    effort = gough.inverse_dynamics(c.platform, c.motion, c.external, engine="python").force
    found = forward_dynamics_derivatives(c.platform, c.motion, effort, c.external)
    keep = np.r_[:12, 18 : found.jacobian.shape[-1]]
    for i in range(2):
        _, wanted = complex_step("forward", c, i, effort)
        assert worst(found.jacobian[i][:, keep], wanted[:, keep]) < SLOPES


@pytest.mark.parametrize("kind", ["UCU", "UCU-screw", "UCU-upper"])
def test_packing_of_every_parameter_by_differences(kind: str) -> None:
    """``d packed/d parameter`` against machines built anew; the twist at home is held where it is."""
    machine = case(kind, seed=13, states=1).platform
    known = machine_parameters(machine)
    leg, zero = machine.legs[2], pack.crank_zeros(machine)[2]
    at = offsets(pack.kinds_of(machine))[2]
    own = [n for n in known.names if n.startswith("L3.")]
    wanted = {"platform_axis.x": True, "cylindrical": True, "torsion": kind == "UCU-upper"}
    for word, there in (wanted | dict.fromkeys(("lead", "zero"), kind != "UCU")).items():
        assert any(word in name for name in own) == there, word
    for name, value in (("friction", "cylindrical"), ("screw", "lead"), ("screw", "inertia")):
        part = getattr(leg, name)
        if part is None:
            continue
        step = 1e-6 * (getattr(part, value) or 1.0)
        rows = [
            pack.leg_row(
                leg.replace(**{name: part.replace(**{value: getattr(part, value) + d})}),
                zero,
                machine.home,
            )
            for d in (step, -step)
        ]
        column = known.packing[at : at + rows[0].size, known.names.index(f"L3.{name}.{value}")]
        np.testing.assert_allclose(column, (rows[0] - rows[1]) / (2 * step), rtol=1e-6, atol=1e-9)
    names = packed_names(machine)
    assert len(names) == len(set(names)) == pack.parameters(machine).size
    assert "L3.friction.cylindrical" in names
    assert "L3.friction.spherical" in names


@pytest.mark.parametrize("kind", CYLINDERS)
def test_digits_are_proven(kind: str) -> None:
    c = case(kind, seed=21, states=3)
    spin = gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin, engine="python")
    size = np.abs(found.force).max()
    assert (found.digits > 9).all()
    assert found.reactions_error.platform_moment.max() < 1e-8 * size
    exact = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin)
    assert (np.abs(exact.force - found.force) <= 2 * found.error).all()


def test_jax() -> None:
    jax = pytest.importorskip("jax")
    c = case("UCU-upper", seed=31, states=2)
    m = c.motion
    twist = (m.position, m.rotation, m.velocity, m.angular_velocity)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        model = model_jax.machine(c.platform)
        force = np.asarray(
            model.inverse_dynamics(*twist, m.acceleration, m.angular_acceleration, c.external)
        )
        acc = np.asarray(model.forward_dynamics(*twist, force, c.external))
        length = np.asarray(model.inverse_kinematics(m.position, m.rotation))
    wanted = gough.inverse_dynamics(c.platform, m, c.external, engine="python").force
    np.testing.assert_allclose(force, wanted, atol=DIGITS * np.abs(wanted).max())
    np.testing.assert_allclose(
        acc, np.concatenate([m.acceleration, m.angular_acceleration], axis=-1), rtol=1e-8, atol=1e-8
    )
    legs = gough.inverse_kinematics(c.platform, m, engine="python")
    np.testing.assert_allclose(length, legs.length, atol=1e-13)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="NO C COMPILER")
@pytest.mark.parametrize("kind", ["UCU-screw"])
def test_exported_c(tmp_path: Path, kind: str) -> None:
    """Forces, and its Newton for the pose, which reads the full rows of the screws."""
    c_project(case(kind, seed=3, states=1).platform, name="ucu").write(tmp_path)
    program = tmp_path / "test"
    sources = sorted(str(path) for path in tmp_path.glob("*.c"))
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    subprocess.run(["gcc", *strict, *sources, "-o", str(program), "-lm"], check=True)
    found = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stdout
