"""UCS, PSU and RSS legs on every engine: compiled, JAX, C, derivatives, parameters, proven digits.

One machine mixes the new kinds, so that few programs are compiled; the slow tests compile a second mixture with the
rest of the kinds, and every function.  With springs in all its joints it has every kind of rod with springs.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.dynamics import jax as model_jax
from gough.dynamics.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from gough.dynamics.parameters import derivative_kinds, machine_parameters, packed_names
from gough.engines import emit_c, emit_cuda, native, pack, plain
from gough.engines.single_state import lean
from gough.engines.tracer import trace
from gough.equations.machine import FUNCTIONS, KINDS, MOVING, SPRUNG, offsets
from gough.export.c_code import c_project
from gough.layout import SPIN
from oracles.machines import RODS, Case, case, clear
from support.complex_steps import complex_step, worst
from support.engine_states import blocks_of, relative
from support.parameter_slopes import differences

DIGITS, SLOPES = 1e-12, 1e-10
MIXED = "rods-mixed"


def others() -> Case:
    """A machine of the kinds that the mixture does not have: three of legs that spin, told not to."""
    c = case(MIXED, seed=2, states=37)
    found = [case(kind, seed=2, states=1).platform for kind in RODS[:-1]]
    kinds = [pack.kinds_of(m)[0] for m in found]
    picked = [kinds.index(name) for name in ("ucs", "ucs_rotor", "ucs_axial", "rss", "psu")]
    legs = [found[k].legs[i] for i, k in enumerate(picked)]
    machine = c.platform.replace(legs=(*legs, found[kinds.index("rss_spin")].legs[5]))
    return Case(machine, c.motion, c.external, c.spin_angle, c.spin_rate)


def sprung(seed: int, states: int) -> Case:
    """The mixture with springs in every joint."""
    return case(MIXED, seed=seed, states=states, springs=True)


def test_the_mixture_with_springs_has_every_kind_of_rod_with_springs() -> None:
    rods = {kind for kind in KINDS if kind.startswith(("psu", "rss", "ucs"))}
    wanted = {kind for kind in rods if kind.endswith(SPRUNG)}
    assert len(wanted) == 3
    assert wanted <= set(pack.kinds_of(sprung(1, 1).platform))


def numbers(c: Case, function: str) -> np.ndarray:
    par = pack.parameters(c.platform)
    moving = function.startswith(MOVING)
    return np.concatenate([par, pack.pack_mounts(c.platform)]) if moving else par


@pytest.mark.parametrize("function", list(FUNCTIONS))
def test_traced_programs_of_rods_with_springs_equal_the_equations(function: str) -> None:
    """What every engine is made from, on plain numbers."""
    c = sprung(3, 2)
    kinds, par = pack.kinds_of(c.platform), numbers(c, function)
    x = np.concatenate(blocks_of(c, function, kinds), axis=1)
    own = x.shape[1] - 6 * SPIN.size
    given = list(x.T[:own]), list(par), list(x.T[own:])
    found = np.stack(np.broadcast_arrays(*trace(function, kinds).run(*given)), axis=-1)
    assert relative(found, plain.run(function, kinds, [x], par)) < DIGITS


def test_texts_for_c_and_cuda_have_the_springs() -> None:
    """Five roots for an angle: of a ball one angle, of a universal joint two; none without springs."""
    kinds = pack.kinds_of(sprung(3, 1).platform)
    angles = {"rss": 2, "psu": 3, "ucs": 3, "ups": 3, "ucu": 4}
    more = 5 * sum(angles[kind[:3]] for kind in kinds)
    bare = tuple(kind.removesuffix(SPRUNG) for kind in kinds)
    for write in (_c_text, emit_cuda.source):
        counts = [write("forces", which).count("sqrt(") for which in (kinds, bare)]
        assert counts[0] - counts[1] == more


def _c_text(function: str, kinds: tuple[str, ...]) -> str:
    return emit_c.function(trace(function, kinds), "efforts", "double")


def same(c: Case, function: str) -> float:
    kinds, par = pack.kinds_of(c.platform), numbers(c, function)
    blocks = blocks_of(c, function, kinds)
    with np.errstate(invalid="ignore"):
        mine, theirs = (e.run(function, kinds, blocks, par) for e in (native, plain))
    poses = zip(c.motion.position, c.motion.rotation, strict=True)
    seen = np.array([clear(c.platform, *pose) for pose in poses])  # as all other samples are
    assert seen.sum() > 2
    assert np.isfinite(theirs[seen]).all()
    return relative(mine[seen], theirs[seen])


@pytest.mark.parametrize("function", ["forces", "record", "forward"])
def test_compiled_equals_plain(function: str) -> None:
    assert same(case(MIXED, seed=1, states=37), function) < DIGITS


def test_compiled_forces_of_rods_with_springs_equal_plain_ones() -> None:
    assert same(sprung(1, 37), "forces") < DIGITS


@pytest.mark.slow
@pytest.mark.parametrize("function", ["forward", "mass", "record", "energy", "moving_forces"])
def test_compiled_functions_of_rods_with_springs_equal_plain_ones(function: str) -> None:
    assert same(sprung(1, 37), function) < DIGITS


@pytest.mark.slow
def test_lean_calls_of_rods_with_springs() -> None:
    c = sprung(1, 5)
    kinds = pack.kinds_of(c.platform)
    blocks, call = blocks_of(c, "forces", kinds), lean(c.platform)
    wanted = plain.run("forces", kinds, blocks, pack.parameters(c.platform))
    for i in range(5):
        found = call(np.concatenate([b[i] for b in blocks]))
        np.testing.assert_allclose(found, wanted[i], rtol=1e-11, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.slow
@pytest.mark.parametrize("function", list(FUNCTIONS))
def test_compiled_equals_plain_for_all(function: str) -> None:
    assert same(case(MIXED, seed=2, states=37), function) < DIGITS
    assert same(others(), function) < DIGITS


@pytest.mark.parametrize("springs", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_slopes_of_inverse_dynamics(springs: bool) -> None:
    c = case(MIXED, seed=11, states=1, springs=springs)
    spin = gough.Spin(c.spin_angle, c.spin_rate)
    found = inverse_dynamics_derivatives(c.platform, c.motion, c.external, spin=spin)
    keep = np.r_[:24, 30 : found.jacobian.shape[-1]]
    _, wanted = complex_step("forces", c, 0, np.zeros((1, 6)))
    assert worst(found.jacobian[0][:, keep], wanted[:, keep]) < SLOPES


@pytest.mark.slow
def test_slopes_of_forward_dynamics() -> None:
    c = case(MIXED, seed=12, states=1)
    spin = gough.Spin(c.spin_angle, c.spin_rate)
    effort = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin, engine="python")
    found = forward_dynamics_derivatives(c.platform, c.motion, effort.force, c.external, spin=spin)
    _, wanted = complex_step("forward", c, 0, effort.force)
    keep, G = np.r_[:12, 18:42], machine_parameters(c.platform, True).packing
    assert worst(found.jacobian[0][:, keep], wanted[:, keep]) < SLOPES
    # over numbers of the file: rails that stay unit vectors, arms that stay across their shafts
    apart = np.abs((found.jacobian[0][:, 42:] - wanted[:, 42:]) @ G).max(axis=0)
    assert (apart <= SLOPES * (1.0 + np.abs(wanted[:, 42:] @ G).max(axis=0))).all()


@pytest.mark.parametrize("kind", [k for k in RODS if k != MIXED])
def test_packing_of_every_parameter_is_that_of_machines_built_anew(kind: str) -> None:
    """Columns of one leg, and that round parts stay round."""
    platform = case(kind, seed=13, states=1).platform
    spins = kind not in ("PSU", "UCS-free", "UCS-still", "RSS-free")
    known, at = machine_parameters(platform, spins), offsets(pack.kinds_of(platform, spins))
    zero = pack.crank_zeros(platform)[2]
    for column, (name, unit) in enumerate(zip(known.names, known.units, strict=True)):
        if not name.startswith("L3."):
            continue
        wanted = differences(
            platform, name, unit, lambda m: pack.leg_row(m.legs[2], zero, platform.home)
        )
        apart = np.abs(known.packing[at[2] : at[3], column] - wanted).max()
        assert apart < 1e-5 * (1.0 + np.abs(wanted).max()), name
    names = packed_names(platform)
    assert len(names) == len(set(names)) == pack.parameters(platform).size


def test_which_parameters_are_listed() -> None:
    """What a round rod or upper part may not change, what has no place without a spin, and what always has one."""

    def own(kind: str, spin: bool) -> set[str]:
        machine = case(kind, seed=14, states=1).platform
        names = machine_parameters(machine, spin).names
        return {n.removeprefix("L2.") for n in names if n.startswith("L2.")}

    free, spun, any_rod = own("RSS-free", False), own("RSS-free", True), own("RSS-general", True)
    assert "friction.universal" not in free
    assert {"friction.universal", "friction.spherical", "link.inertia.across"} <= spun
    assert not {"reference.x", "link.center.y", "link.inertia.yz"} & spun
    assert {"crank.center.y", "crank.inertia.yz"} <= free  # the crank need not be round
    assert {"reference.x", "link.center.y", "link.inertia.yz"} <= any_rod
    free, spun = own("UCS-free", False), own("UCS-free", True)
    assert not {"friction.cylindrical", "friction.spherical", "reference.x"} & free
    assert {"friction.universal", "lower.center.y", "upper.inertia.across"} <= free
    assert {"friction.cylindrical", "friction.spherical"} <= spun
    assert {"drive.rotor_axis.x", "drive.rotor_inertia"} <= own("UCS-still", False)
    assert {"platform_axis.x", "link.inertia.yz"} <= own("PSU", False)


def test_a_rotor_of_no_inertia_is_felt() -> None:
    machine = case("UCS-free", seed=15, states=1).platform
    drive = gough.Drive(300.0, 0.0, rotor_axis=[0.0, 1.0, 0.0])
    still = machine.replace(legs=[leg.replace(drive=drive) for leg in machine.legs])
    assert set(pack.kinds_of(still)) == {"ucs"}
    assert set(derivative_kinds(still, False)) == {"ucs_rotor"}


@pytest.mark.parametrize("kind", RODS)
def test_digits_are_proven(kind: str) -> None:
    c = case(kind, seed=21, states=2)
    spin = gough.Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, spin=spin, engine="python")
    assert (found.digits > 9).all()
    assert found.reactions_error.platform_moment.max() < 1e-8 * np.abs(found.force).max()


@pytest.mark.parametrize("springs", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_jax(springs: bool) -> None:
    jax = pytest.importorskip("jax")
    c = case(MIXED, seed=31, states=2, springs=springs)
    m, turned = c.motion, (np.cos(c.spin_angle), np.sin(c.spin_angle), c.spin_rate)
    spin = np.stack(turned, axis=-1)
    twist = (m.position, m.rotation, m.velocity, m.angular_velocity)
    with jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64():
        model = model_jax.machine(c.platform)
        rates = (m.acceleration, m.angular_acceleration, c.external)
        force = np.asarray(model.inverse_dynamics(*twist, *rates, spin=spin))
        acc = np.asarray(model.forward_dynamics(*twist, force, c.external, spin=spin))
    wanted = gough.inverse_dynamics(
        c.platform, m, c.external, spin=gough.Spin(c.spin_angle, c.spin_rate), engine="python"
    ).force
    np.testing.assert_allclose(force, wanted, atol=DIGITS * np.abs(wanted).max())
    np.testing.assert_allclose(
        acc[..., :6],
        np.concatenate([m.acceleration, m.angular_acceleration], axis=-1),
        rtol=1e-8,
        atol=1e-8,
    )


@pytest.mark.skipif(shutil.which("gcc") is None, reason="NO C COMPILER")
@pytest.mark.parametrize("springs", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_exported_c(tmp_path: Path, springs: bool) -> None:
    c_project(case(MIXED, seed=3, states=1, springs=springs).platform, name="rods").write(tmp_path)
    program = tmp_path / "test"
    sources = sorted(str(path) for path in tmp_path.glob("*.c"))
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    subprocess.run(["gcc", *strict, *sources, "-o", str(program), "-lm"], check=True)
    found = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stdout
