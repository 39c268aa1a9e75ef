"""Derivatives over the numbers of the machine file: every column against machines built anew with it changed."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.dynamics import (
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    packed_names,
    parameter_names,
    parameter_units,
    parameters,
)
from gough.dynamics.complex_step import slopes
from gough.engines.pack import packed
from gough.layout import JACOBIAN
from gough.model.document import LEGS, MACHINE
from gough.results import Reactions
from oracles.machines import KINDS, RODS, Case, case
from support.complex_steps import spin_of
from support.parameter_slopes import differences, rebuilt

TOLERANCE = 1e-7  # of the largest entry among the answers; two differences of steps 1e-3 and 5e-4, extrapolated


def flat_answer(c: Case, spin: gough.Spin | None) -> Callable[[gough.Platform], Array]:
    """Efforts, spin accelerations and reactions of a state in one row."""

    def answer(machine: gough.Platform) -> Array:
        found = gough.inverse_dynamics(machine, c.motion[0], c.external[0], spin=spin)
        reactions = [getattr(found.reactions, f.name).ravel() for f in fields(Reactions)]
        assert found.spin_acceleration is not None
        return np.concatenate([found.force, found.spin_acceleration, *reactions])

    return answer


def first_spin(c: Case, given: bool) -> gough.Spin | None:
    return gough.Spin(c.spin_angle[0], c.spin_rate[0]) if given else None


def misfits(
    found: Array, c: Case, answer: Callable[[gough.Platform], Array], spin: bool
) -> list[str]:
    """Names of the columns (outputs, parameters) that are not the slope of rebuilt machines.

    Blocks of the answer are measured by their own largest slope, or by their size where a parameter does nothing.
    """
    wrong, size = [], np.abs(answer(c.platform)) + 1.0
    names, units = parameter_names(c.platform, spin), parameter_units(c.platform, spin)
    assert found.shape[-1] == len(names) == len(set(names))
    for column, (name, unit) in enumerate(zip(names, units, strict=True)):
        wanted = differences(c.platform, name, unit, answer)
        scale = np.abs(wanted).max() + 1e-4 * size.max()
        if np.abs(found[:, column] - wanted).max() > TOLERANCE * scale:
            wrong.append(name)
    return wrong


def all_slopes(c: Case, spin: gough.Spin | None) -> Array:
    d = inverse_dynamics_derivatives(c.platform, c.motion[0], c.external[0], spin=spin)
    rows = [d.parameters, d.spin_acceleration.parameters]
    rows += [d.reactions[f.name].parameters.reshape(18, -1) for f in fields(Reactions)]
    return np.concatenate(rows)


QUICK = ("UPS", "SPS-free", "PUS", "RUS")
EVERY = [pytest.param(k, marks=() if k in QUICK else pytest.mark.slow) for k in KINDS]


@pytest.mark.parametrize("kind", EVERY)
def test_every_column_is_the_slope_of_machines_built_anew(kind: str) -> None:
    c = case(kind, seed=21, states=1)
    spin = first_spin(c, c.needs_spin)
    found = all_slopes(c, spin)
    answer = flat_answer(c, spin)
    assert misfits(found, c, answer, c.needs_spin) == []
    drive = parameter_names(c.platform, c.needs_spin).index("L3.drive.rotor_inertia")
    assert np.abs(found[:6, drive]).max() > 1.0  # a crank's drive too


def test_a_round_leg_with_its_spin_as_state_may_rub_but_stays_round() -> None:
    """Given its spin, an axisymmetric SPS leg feels friction about its axis; its parts stay axisymmetric."""
    c = case("SPS-free", seed=22, states=1)
    rng = np.random.default_rng(0)
    spin = gough.Spin(rng.uniform(-1, 1, 6), rng.uniform(-5, 5, 6))
    names, free = parameter_names(c.platform, True), parameter_names(c.platform)
    assert {"L1.friction.universal", "L1.friction.spherical"} <= {*names} - {*free}
    assert "L1.lower.inertia.across" in names
    assert not {"L1.reference.x", "L1.lower.center.y", "L1.lower.inertia.yz"} & {*names}
    found = inverse_dynamics_derivatives(c.platform, c.motion[0], c.external[0], spin=spin)
    assert found.names == names
    assert misfits(all_slopes(c, spin), c, flat_answer(c, spin), True) == []


@pytest.mark.parametrize("kind", EVERY)
def test_forward_columns_too(kind: str) -> None:
    c = case(kind, seed=23, states=1)
    spin = first_spin(c, c.needs_spin)
    force = gough.inverse_dynamics(c.platform, c.motion[0], c.external[0], spin=spin).force

    def answer(machine: gough.Platform) -> Array:
        a = gough.forward_dynamics(machine, c.motion[0], force, c.external[0], spin=spin)
        return np.concatenate([a.acceleration, a.angular_acceleration, a.spin_acceleration])

    d = forward_dynamics_derivatives(c.platform, c.motion[0], force, c.external[0], spin=spin)
    found = np.concatenate([d.parameters, d.spin_acceleration.parameters])
    assert misfits(found, c, answer, c.needs_spin) == []
    np.testing.assert_allclose(d.spin_acceleration.value, answer(c.platform)[6:], rtol=1e-9)
    with pytest.raises(AttributeError, match="belong to inverse dynamics"):
        _ = d.reactions


@pytest.mark.parametrize("kind", ["UPS", "RUS", "SPS-general"])
def test_a_rotor_of_no_inertia_has_its_column(kind: str) -> None:
    """The equations that serve a leg at rest of a parameter must feel its change."""
    c = case(kind, seed=24, states=1)
    axis = [0.0, 0.6, 0.8] if kind == "UPS" else None
    drive = gough.Drive(ratio=300.0, rotor_inertia=0.0, rotor_axis=axis)
    legs = [leg.replace(drive=drive) for leg in c.platform.legs]
    platform, spin = c.platform.replace(legs=legs), spin_of(c)
    d = inverse_dynamics_derivatives(platform, c.motion, c.external, spin=spin)
    some = rebuilt(platform, "L2.drive.rotor_inertia", 1e-4)
    more = gough.inverse_dynamics(some, c.motion, c.external, spin=spin).force
    wanted = (more - d.value) / 1e-4  # forces are linear in it
    found = d.parameters[..., d.names.index("L2.drive.rotor_inertia")]
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())


def test_motion_wrench_and_spin_columns_of_reactions() -> None:
    """Against central differences of the reactions themselves."""
    c = case("mixed", seed=25, states=1)
    angle, rate, m = c.spin_angle[0], c.spin_rate[0], c.motion[0]
    d = inverse_dynamics_derivatives(c.platform, m, c.external[0], spin=gough.Spin(angle, rate))

    def answer(dz: Array) -> Array:
        turned = gough.spatial.rotation_exp(dz[3:6]) @ m.rotation
        rates = (dz[6 + 3 * k : 9 + 3 * k] + a for k, a in enumerate(m.rates))
        moved = gough.Motion(m.position + dz[:3], turned, *rates)
        spin = gough.Spin(angle + dz[JACOBIAN.spin_angle], rate + dz[JACOBIAN.spin_rate])
        found = gough.inverse_dynamics(
            c.platform, moved, c.external[0] + dz[JACOBIAN.external], spin=spin
        )
        reactions = [getattr(found.reactions, f.name) for f in fields(Reactions)]
        return np.concatenate([found.spin_acceleration[:, None], *reactions], axis=1)

    slopes = [d.spin_acceleration.jacobian[:, None], *(s.jacobian for s in d.reactions.values())]
    found = np.concatenate(slopes, axis=1)
    for column in (*range(24), *range(30, 42)):
        h = 1e-5 * np.eye(JACOBIAN.size)[column]
        wanted = (answer(h) - answer(-h)) / 2e-5
        assert np.abs(found[..., column] - wanted).max() < 1e-6 * (1.0 + np.abs(wanted).max())
    assert d.reactions["spherical_force"].motion.shape == (6, 3, 18)
    assert d.reactions["spherical_force"].external.shape == (6, 3, 6)
    assert not d.spin_acceleration.effort.any()
    np.testing.assert_allclose(
        np.concatenate(
            [d.spin_acceleration.value[:, None], *(s.value for s in d.reactions.values())], axis=1
        ),
        answer(np.zeros(JACOBIAN.size)),
        rtol=1e-9,
        atol=1e-9,
    )


def test_batches_are_rows_and_copies_are_whole() -> None:
    """More states than are differentiated together, two batch axes, and a pickled copy."""
    c = case("UPS", seed=26, states=40)
    one = inverse_dynamics_derivatives(c.platform, c.motion[33], c.external[33])
    many = inverse_dynamics_derivatives(c.platform, c.motion, c.external)
    name = "universal_moment"
    assert many.reactions[name].parameters.shape == (40, 6, 3, len(many.names))
    for a, b in (
        (many.spin_acceleration, one.spin_acceleration),
        (many.reactions[name], one.reactions[name]),
    ):
        np.testing.assert_allclose(a.jacobian[33], b.jacobian, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(many.parameters[33], one.parameters, rtol=1e-12, atol=1e-9)
    copy = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(copy.reactions[name].parameters, one.reactions[name].parameters)
    np.testing.assert_array_equal(copy.parameters, one.parameters)
    with pytest.raises(ValueError, match="read-only"):
        copy.jacobian[...] = 0.0
    grid = gough.Motion(
        *(
            a[:4].reshape(2, 2, *a.shape[1:])
            for a in (c.motion.position, c.motion.rotation, *c.motion.rates)
        )
    )
    square = inverse_dynamics_derivatives(c.platform, grid, c.external[:4].reshape(2, 2, 6))
    assert square.reactions[name].jacobian.shape[:4] == (2, 2, 6, 3)
    np.testing.assert_allclose(square.parameters[1, 0], many.parameters[2], rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_few_directions_or_none(count: int) -> None:
    """The function's own values beside any number of slopes."""
    c = case("UPS", seed=28, states=3)
    m = c.motion
    x = np.concatenate([m.position, m.rotation.reshape(3, 9), *m.rates, c.external], axis=1)
    machine, G = packed(c.platform), parameters.machine_parameters(c.platform).packing
    value, found = slopes("forces", machine.kinds, x, machine.parameters, None, G[:, :count])
    exact = gough.inverse_dynamics(c.platform, m, c.external)
    np.testing.assert_allclose(value[:, :6], exact.force, rtol=1e-9)
    d = inverse_dynamics_derivatives(c.platform, m, c.external)
    assert found.shape == (3, 7, count)
    np.testing.assert_allclose(found[:, :6], d.parameters[..., :count], rtol=1e-8, atol=1e-9)


def test_the_chain_rule_is_needed() -> None:
    """``body.mass`` of the file keeps the mass center, that of the packed vector the first moment: not one number."""
    c = case("UPS", seed=27, states=1)
    d = inverse_dynamics_derivatives(c.platform, c.motion)
    own = d.parameters[..., d.names.index("body.mass")]
    at_moments = d.packed[..., packed_names(c.platform).index("body.mass")]
    assert np.abs(own - at_moments).max() > 1e-2 * np.abs(own).max()
    assert d.packed.shape[-1] == len(packed_names(c.platform)) == packed(c.platform).parameters.size


RIGHT = parameters._changed


def heavier(item: Any, path: tuple[str, ...], change: Any) -> Any:
    """Steps a millionth too long."""
    return RIGHT(item, path, (1.0 + 1e-6) * change)


PLANTED = {
    "no normalization": {"DIRECTIONS": ()},
    "another mass": {"_changed": heavier},
    "half an off-diagonal": {"SIX": ((0, 0), (0, 1), (0, 2), (1, 1), (1, 1), (2, 2))},
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_wrong_packing_is_caught(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted errors on the way from the file to the packed numbers."""
    c = case("RUS", seed=21, states=1)
    right = inverse_dynamics_derivatives(c.platform, c.motion[0], c.external[0])
    names = ["L2.shaft.x", "L2.crank.inertia.yz", "L2.arm.y"]
    columns = [right.names.index(name) for name in names]
    answer = flat_answer(c, None)
    wanted = [differences(c.platform, name, "1", answer)[:6] for name in names]
    for name, value in PLANTED[what].items():
        monkeypatch.setattr(parameters, name, value)
    planted = inverse_dynamics_derivatives(c.platform.replace(), c.motion[0], c.external[0])

    def caught(found: Array) -> bool:
        pairs = zip(columns, wanted, strict=True)
        return any(np.abs(found[:, k] - w).max() > TOLERANCE * np.abs(w).max() for k, w in pairs)

    assert not caught(right.parameters)
    assert caught(planted.parameters)


@pytest.mark.parametrize("kind", [*KINDS, *RODS])
def test_names_and_units_are_those_of_the_machine_file(kind: str) -> None:
    """Every parameter is a key that the reader of machine files knows, and the reader takes its unit as 1."""
    platform = case(kind, seed=3, states=1).platform
    for spin in (False, True):
        names, units = parameter_names(platform, spin), parameter_units(platform, spin)
        for name, unit in zip(names, units, strict=True):
            first, *path = name.split(".")
            table: Any = MACHINE
            if first in platform.leg_names:
                table = LEGS[platform.kinds[platform.leg_names.index(first)]]
            else:
                path = [first, *path]
            for step, key in enumerate(path):
                table = table.fields[key].kind
                if not hasattr(table, "fields"):
                    left = path[step + 1 :]
                    break
            one = 1.0 if unit == "1" else f"1 {unit}"
            axes = {0: one, 1: [one, 0.0, 0.0]}[len(left)]
            if left and len(left[0]) > 1:
                axes = [one] * 3
            read = np.asarray(table.convert(axes), dtype=float)
            assert read.flat[0] == 1.0, name


def test_files_with_another_number_are_that_machine() -> None:
    """A line of the machine file edited by hand changes the forces as the column says."""
    platform = gough.load("servo-hexapod")
    motion = gough.Motion(
        platform.home.position, platform.home.rotation, [0.1, 0, 0.05], [0.2, 0, 1]
    )
    d = inverse_dynamics_derivatives(platform, motion)
    column = d.names.index("body.mass")
    text = gough.dumps(platform)
    mass = f"mass = {platform.body.mass!r}"
    assert text.count(mass) >= 1
    heavier = gough.loads(text.replace(mass, f"mass = {platform.body.mass + 0.1!r}", 1))
    change = gough.inverse_dynamics(heavier, motion).force - d.value
    np.testing.assert_allclose(0.1 * d.parameters[:, column], change, rtol=1e-8, atol=1e-12)
