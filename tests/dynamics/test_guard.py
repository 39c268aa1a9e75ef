"""The one guard: refusals name leg, state and cause on every engine; what is answered keeps its word."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from campaigns.guard_campaign import SLOPES, campaign
from gough import guard
from gough.checks import Array
from gough.dynamics import forward_dynamics_derivatives, inverse_dynamics_derivatives
from gough.engines import cuda, error_bound, native, plain
from gough.engines.evaluate import evaluation
from gough.engines.single_state import lean
from gough.engines.stream import stream, stream_into
from gough.equations import solve
from gough.export.c_code import c_project
from gough.model import Platform
from gough.results import Spin, condition_number
from gough.struts import struts
from oracles.machines import Case, case
from support import double_double
from support.near_singular import DEAD_POINT, PLATFORM, RAIL, REFERENCE, SHORT, UNIVERSAL, near

SINGULARITIES = [
    ("UPS", UNIVERSAL, "universal joint's first axis"),
    ("PUS", UNIVERSAL, "universal joint's first axis"),
    ("RUS", UNIVERSAL, "universal joint's first axis"),
    ("SPS-general", REFERENCE, "along its `reference`"),
    ("PUS", RAIL, "perpendicular to the rail|out of reach"),
    ("RUS", DEAD_POINT, "dead point|out of reach|on the shaft"),
    ("UPS", PLATFORM, "condition number"),
]
STATES, DISTANCE = 5, 1e-9
C_CASES = [(kind, name) for kind, name, _ in SINGULARITIES if name != DEAD_POINT]  # needs a home


def spin_of(c: Case) -> Spin | None:
    return Spin(c.spin_angle, c.spin_rate) if c.needs_spin else None


def singular_at(
    kind: str, seed: int, place: int, leg: int, singularity: str
) -> tuple[Case, Platform]:
    """A batch that is singular at one place only, and its machine."""
    c = case(kind, seed=seed, states=STATES)
    machine = near(c, place, leg, singularity, DISTANCE)
    if singularity in (
        RAIL,
        DEAD_POINT,
    ):  # other poses are on the near side of the one where the leg is stretched
        s = struts(c.platform, c.motion[place]).direction[leg]
        position = np.tile(c.motion.position[place], (STATES, 1))
        position[np.arange(STATES) != place] -= 0.05 * s
        rotation = np.tile(c.motion.rotation[place], (STATES, 1, 1))
        c = replace(c, motion=c.motion.replace(position=position, rotation=rotation))
    return c, machine


def rows(c: Case) -> Array:
    """The flat inputs of inverse dynamics, (n, width)."""
    e = evaluation("forces", c.platform, c.motion, spin_of(c), external=c.external)
    return np.concatenate([*e.blocks, *([] if e.spins is None else [e.spins])], axis=1)


def ask(engine: str, c: Case, machine: Platform) -> None:
    """Inverse dynamics of the batch by one way of asking."""
    x = rows(c)
    if engine == "lean":
        call = lean(machine)
        for i, row in enumerate(x):
            try:
                call(np.ascontiguousarray(row))
            except gough.InfeasibleError as error:
                raise error.within(f"state {i}") from None
    elif engine == "stream":
        list(stream(machine, x, chunk=2))
    else:
        gough.inverse_dynamics(machine, c.motion, c.external, spin=spin_of(c), engine=engine)


@pytest.mark.parametrize("engine", ["native", "python", "lean", "stream"])
@pytest.mark.parametrize(("kind", "singularity", "cause"), SINGULARITIES)
@pytest.mark.parametrize("leg", range(6))
def test_refusals_name_leg_state_and_cause(
    kind: str, singularity: str, cause: str, leg: int, engine: str
) -> None:
    for place in (0, 2, STATES - 1):
        c, machine = singular_at(kind, 5, place, leg, singularity)
        who = "" if singularity == PLATFORM else f"leg {machine.leg_names[leg]}: "
        with pytest.raises(gough.InfeasibleError, match=f"state {place}: {who}.*({cause})"):
            ask(engine, c, machine)


@pytest.mark.parametrize(("kind", "singularity", "cause"), SINGULARITIES)
def test_the_cuda_engine_is_guarded_by_the_same_code(
    kind: str, singularity: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GPU is played by the plain engine, which fills the same columns; the campaign runs on real ones."""
    calls = []

    def played(function: str, *given: Any) -> Array:
        calls.append(function)
        return plain.run(function, *given)

    monkeypatch.setattr(cuda, "run", played)
    c, machine = singular_at(kind, 5, 2, 3, singularity)
    with pytest.raises(gough.InfeasibleError, match=f"state 2: .*({cause})"):
        ask("cuda", c, machine)
    good = gough.inverse_dynamics(
        c.platform, c.motion, c.external, spin=spin_of(c), engine="cuda", max_condition=np.inf
    )
    assert calls[:2] == ["forces", "forces"]
    assert good.digits.shape == (STATES,)


@pytest.mark.parametrize(("kind", "singularity", "cause"), SINGULARITIES[:-1])
@pytest.mark.parametrize(
    "verb", ["forward", "bias", "mass", "energy", "inverse slopes", "forward slopes"]
)
def test_every_verb_refuses_a_leg_at_its_own_singularity(
    kind: str, singularity: str, cause: str, verb: str
) -> None:
    c, machine = singular_at(kind, 6, 3, 4, singularity)
    spin = spin_of(c)
    force = np.ones((STATES, 6))
    calls = {
        "forward": lambda: gough.forward_dynamics(machine, c.motion, force, spin=spin),
        "bias": lambda: gough.dynamics.bias(machine, c.motion, spin=spin),
        "mass": lambda: gough.mass_matrix(machine, c.motion, spin=spin),
        "energy": lambda: gough.energy(machine, c.motion, spin=spin),
        "inverse slopes": lambda: inverse_dynamics_derivatives(machine, c.motion, spin=spin),
        "forward slopes": lambda: forward_dynamics_derivatives(machine, c.motion, force, spin=spin),
    }
    with pytest.raises(gough.InfeasibleError, match=f"state 3: leg .*5.*: .*({cause})"):
        calls[verb]()


def test_a_platform_singularity_stops_forces_and_their_slopes_but_not_the_free_machine() -> None:
    c = case("UPS", seed=5, states=2)
    machine = near(c, 1, 2, PLATFORM, 1e-10)
    with pytest.raises(gough.InfeasibleError, match="condition number"):
        inverse_dynamics_derivatives(machine, c.motion)
    found = gough.forward_dynamics(machine, c.motion, np.ones((2, 6)))
    assert (found.digits > 10).all()
    assert (gough.energy(machine, c.motion).digits > 10).all()


@pytest.mark.parametrize("name", ["newton-euler", "universal", "lagrange", "kane", "multibody"])
def test_formulations_are_guarded_and_marked(name: str) -> None:
    c = case("UPS", seed=5, states=3)
    good = gough.inverse_dynamics(c.platform, c.motion, c.external, name)
    assert (good.digits > 8).all()
    for singularity, cause in ((PLATFORM, "condition"), (UNIVERSAL, "universal")):
        machine = near(c, 2, 1, singularity, 1e-10)
        with pytest.raises(gough.InfeasibleError, match=f"state 2: .*{cause}"):
            gough.inverse_dynamics(machine, c.motion, c.external, name)
    wild = gough.inverse_dynamics(
        near(c, 2, 1, PLATFORM, 1e-13), c.motion, c.external, name, max_condition=np.inf
    )
    assert wild.digits[2] < 5 < wild.digits[0]


def test_a_wrong_answer_has_no_digits() -> None:
    """Planted: the error bound sees what was done to the forces."""
    c = case("UPS", seed=5, states=3)
    e = evaluation("forces", c.platform, c.motion, external=c.external)
    force = gough.inverse_dynamics(c.platform, c.motion, c.external).force.copy()
    force[1, 4] *= 1.0 + 1e-6
    error = e.error(force)
    assert error[1, 4] >= 0.99e-6 * abs(force[1, 4])
    assert error[0].max() < 1e-9 * np.abs(force).max()


def test_published_answers_carry_no_bound() -> None:
    c = case("UPS", seed=5, states=1)
    found = gough.inverse_dynamics(c.platform, c.motion, c.external, "newton-euler", True)
    with pytest.raises(AttributeError, match="error bound"):
        _ = found.digits


@pytest.mark.parametrize("value", [math.nan, 0.0, -1.0, 1.0, "many", None])
def test_max_condition_cannot_switch_the_guard_off(value: object) -> None:
    c = case("UPS", seed=5, states=1)
    with pytest.raises(gough.InputError, match="max_condition"):
        gough.inverse_dynamics(c.platform, c.motion, max_condition=value)  # type: ignore[arg-type]


def test_without_limit_whatever_is_finite_is_answered_and_marked() -> None:
    c = case("UPS", seed=5, states=3)
    for distance, most in ((1e-4, 12.0), (1e-10, 6.0)):
        machine = near(c, 1, 0, PLATFORM, distance)
        found = gough.inverse_dynamics(machine, c.motion, c.external, max_condition=np.inf)
        assert found.digits[1] < most < found.digits[0] + 4
        assert found.error.shape == (3, 6)


def test_stream_can_mark_instead() -> None:
    c = case("UPS", seed=5, states=STATES)
    machine, x = near(c, 3, 0, UNIVERSAL, DISTANCE), rows(c)
    out = np.empty((STATES, 7))
    assert stream_into(machine, x, out, chunk=2, refuse=False) == STATES
    assert np.isnan(out[3]).all()
    assert np.isfinite(np.delete(out, 3, axis=0)).all()
    with pytest.raises(gough.InfeasibleError, match="state 3: "):
        list(stream(machine, x, chunk=2, number="float32"))


def test_singular_mass_is_refused() -> None:
    c = case("SPS-free", seed=5, states=2)
    legs = [
        leg.replace(lower=gough.Body(0.0), upper=gough.Body(0.0), drive=None)
        for leg in c.platform.legs
    ]
    for inertia in (np.zeros((3, 3)), np.diag([1e-20, 1e-20, 1e-20])):
        body = gough.Body(30.0, [0.1, 0.2, 0.3], inertia)
        machine = c.platform.replace(body=body, legs=legs)
        with pytest.raises(gough.InfeasibleError, match="mass matrix is singular"):
            gough.forward_dynamics(machine, c.motion, np.ones((2, 6)))


def test_a_short_strut_is_marked() -> None:
    """The strut is the difference of two joints: its digits go with its length."""
    c = case("UPS", seed=5, states=1)
    left = [
        gough.inverse_dynamics(near(c, 0, 3, SHORT, length), c.motion, max_condition=np.inf).digits
        for length in (1e-1, 1e-4, 1e-7)
    ]
    assert left[0] > left[1] > left[2]


# --- the bound and the risk ----------------------------------------------------------------------------------------


def test_risk_bounds_the_condition_number_from_both_sides() -> None:
    c = case("UPS", seed=7, states=40)
    machine = near(c, 0, 0, PLATFORM, 1e-3)
    e = evaluation("forces", machine, c.motion, external=c.external)
    g = struts(machine, c.motion)
    H = g.wrench_matrix
    unit = H / np.linalg.norm(H, axis=-2, keepdims=True)
    s = np.linalg.svd(unit, compute_uv=False)[..., -1]
    columns = [
        solve.Six(
            solve.Vec(*np.moveaxis(H[:, :3, i], -1, 0)), solve.Vec(*np.moveaxis(H[:, 3:, i], -1, 0))
        )
        for i in range(6)
    ]
    risk = solve.solve_columns(columns, columns[0]).risk
    np.testing.assert_allclose(risk, (np.linalg.inv(unit) ** 2).sum(axis=(-1, -2)), rtol=1e-8)
    assert (1 / s**2 <= risk * (1 + 1e-8)).all()
    assert (risk <= 6 / s**2 * (1 + 1e-8)).all()
    whole = e.risk(e.run("forces"))
    assert (whole >= risk).all()
    condition = condition_number(H, machine.characteristic_length)
    assert (condition <= guard.risk_factor(machine) * np.sqrt(risk)).all()


def test_bounds_catch_an_arithmetic_of_fewer_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Single precision answers lie far outside the bounds of double precision, and inside their own distance."""
    c = case("UPS", seed=5, states=20)
    e = evaluation("forces", c.platform, c.motion, external=c.external)
    machine = gough.engines.pack.packed(c.platform)
    single = native.run("forces", machine.kinds, e.blocks, machine.parameters, "float32")[:, :6]
    value, error = e.bounds()
    assert (np.abs(single - value) > 100 * error).any()
    assert (e.error(single) >= np.abs(single - value)).all()
    monkeypatch.setattr(error_bound, "ROUNDOFF", 0.0)
    monkeypatch.setattr(error_bound, "PACKING", 0.0)
    e.proven.clear()
    assert (e.bounds()[1] < 0.2 * error).all()


def test_answers_keep_their_word_near_singularities() -> None:
    """A small campaign; `campaigns.guard_campaign` runs any number of states."""
    for name, t in campaign(200, 11, ("UPS", "RUS"), each=20).items():
        assert t.broken == 0, (name, t.examples)


def test_the_campaign_sees_a_word_that_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: bounds that forget the rounding; a truth that has lost its digits."""
    monkeypatch.setattr(error_bound, "ROUNDOFF", 0.0)
    monkeypatch.setattr(error_bound, "PACKING", 0.0)
    found = campaign(20, 11, ("UPS",), each=20)
    assert sum(t.broken for t in found.values()) > 10
    monkeypatch.undo()
    monkeypatch.setattr(double_double, "SPLIT", 1.0)
    found = campaign(20, 11, ("UPS",), each=20)
    assert any("the truth is off" in line for t in found.values() for line in t.examples)


@pytest.mark.slow
def test_answers_keep_their_word_for_every_kind() -> None:
    for name, t in campaign(2200, 12, each=100).items():
        assert t.broken == 0, (name, t.examples)
    for name, t in campaign(300, 13, ("UPS", "SPS-axisymmetric"), 20, verbs=SLOPES).items():
        assert t.broken == 0, (name, t.examples)


# --- exported C ------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("gcc") is None, reason="NO C COMPILER")
@pytest.mark.parametrize(("kind", "singularity"), C_CASES)
def test_exported_c_says_singular(tmp_path: Path, kind: str, singularity: str) -> None:
    c = case(kind, seed=5, states=1)
    answers = []
    for n, machine in enumerate((c.platform, near(c, 0, 4, singularity, DISTANCE))):
        folder = tmp_path / str(n)
        c_project(machine.replace(home=c.platform.home), name="mm", states=1).write(folder)
        command = ["gcc", "-O0", "-shared", "-fPIC", str(folder / "mm.c")]
        subprocess.run([*command, "-o", str(folder / "mm.so"), "-lm"], check=True)
        call = ctypes.CDLL(str(folder / "mm.so")).mm_inverse_dynamics
        x, force = np.ascontiguousarray(rows(c)[0]), np.zeros(6)
        parts = [x[:24].copy(), x[24:30].copy(), *([x[30:].copy()] if c.needs_spin else [])]
        status = call(*(a.ctypes.data_as(ctypes.c_void_p) for a in (*parts, force)))
        answers.append((status, np.isfinite(force).all()))
    assert answers[0] == (0, True)
    assert answers[1][0] in ((2, 4) if singularity == RAIL else (4,))
    assert not answers[1][1]
