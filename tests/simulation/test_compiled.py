"""The compiled kernels against the one definition they are traced from."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.checks import Array
from gough.dynamics import laws
from gough.dynamics.laws.leg import act, rates, stored
from gough.engines.tracer import record
from gough.layout import LEG_LAW, LEG_MOTION, SPINNING, STATE
from gough.simulation import Brake, compiled, driven, leg_law
from gough.simulation.leg_law import FreeRange, apply_fault
from gough.simulation.programs import (
    LAW_INPUTS,
    METHODS,
    REACTIONS,
    chart_rows,
    stage_layout,
    state_layout,
    steps_programs,
)
from gough.simulation.state import Rows, State


def random_law(rng: np.random.Generator) -> Array:
    law = rng.uniform(0.1, 2.0, size=(LEG_LAW.size, 6, 1))
    law[LEG_LAW.limit], law[LEG_LAW.voltage_force] = 1.5, 2.0
    law[LEG_LAW.stop_low], law[LEG_LAW.stop_high], law[LEG_LAW.play] = -0.5, 0.7, 0.1
    return law


RIGID = ("drive", "gear", "stops")
KINDS_OF_LAWS = [
    ("drive",),
    RIGID,
    (*RIGID, "current"),
    ("drive", "stops", "series"),
    ("drive", "gear", "series", "backlash", "current", "inductance"),
]


@pytest.mark.parametrize("used", KINDS_OF_LAWS)
def test_the_traced_law_is_the_written_law(used: tuple[str, ...]) -> None:
    """All of clipping, slipping and sticking, the recorded program against NumPy; a NaN stays one."""
    names = (*LAW_INPUTS, *laws.states(used))

    def all_of(law: object, x: object) -> list[object]:
        now = dict(zip(names, x, strict=True))
        acted = act(used, law, now)
        own = rates(used, law, now, acted, now["rate"]).values()
        return [*acted, *own, stored(used, law, now, acted)]

    rng = np.random.default_rng(1)
    program = record(lambda x, par: all_of(par, x), {"x": len(names), "par": LEG_LAW.size})
    law, x = random_law(rng), rng.normal(size=(len(names), 6, 200))
    written = all_of(law, x)
    traced = program.run(x, law)
    for a, b in zip(written, traced, strict=True):
        assert np.abs(a - b).max() < 1e-13 * (1 + np.abs(a).max())
    assert (np.abs(written[1]) == 1.5).any(), "nothing was clipped"
    assert (np.abs(written[1]) < 1.5).any()
    x[1] = np.nan
    assert np.isnan(all_of(law, x)[0]).all()


def elastic(machine: gough.Platform) -> gough.Platform:
    """The machine with springs, play, current loops and windings in its drives."""
    more = {"stiffness": 2e7, "damping": 4e3, "backlash": 1e-5}
    more |= {"current_bandwidth": 1e3, "inductance": 1e-3}
    legs = [leg.replace(drive=leg.drive.replace(**more)) for leg in machine.legs]
    return machine.replace(legs=legs)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["motion-base-1500", "servo-hexapod", "hexaglide", "elastic"])
def test_one_compiled_step_is_one_driven_step(name: str, method: str) -> None:
    """With every term of the leg laws at work, for each leg kind."""
    if name == "elastic" and method == "lie":
        pytest.skip("rk4 and semi-implicit hold it")
    machine = gough.load(name) if name != "elastic" else elastic(gough.load("motion-base-1500"))
    start = State(
        machine.home, velocity=[0.01, 0.02, -0.03], angular_velocity=[0.1, -0.2, 0.1]
    ).motion
    law = apply_fault(
        machine,
        leg_law.leg_laws(machine, gough.simulation.Springs(50.0, 0.1, 1.0), True, 1),
        Brake(0.0, 1.0),
    )
    rows = Rows(machine, False, leg_law.in_use(law))
    X = rows.start(start[None], None)
    X[rows.layout.anchor] += 1e-3
    effort = 1.05 * gough.inverse_dynamics(machine, machine.home).force[:, None]
    none = np.zeros((6, 1))
    written = driven.step(rows, METHODS[method], 0.0, X, 1e-3, lambda t, x: (effort, none), law)
    moved = X.copy()
    compiled.advance(
        compiled.load(method, rows.kinds, rows.laws),
        moved,
        steps=1,
        every=1,
        step=1e-3,
        effort=effort[None],
        external=none[None],
        law=law,
        par=rows.par,
    )
    assert np.abs(moved - X).max() > 1e-5
    assert np.abs(moved - written).max() < 1e-12 * np.abs(written).max()


def test_a_record_tells_what_the_engines_say() -> None:
    machine = gough.load("motion-base-1500")
    motion = State(
        machine.home, velocity=[0.1, 0.2, -0.1], angular_velocity=[0.1, -0.2, 0.1]
    ).motion
    rows = Rows(machine, False)
    X = np.repeat(rows.start(motion[None], None), 300, axis=1)
    effort = np.repeat(gough.inverse_dynamics(machine, machine.home).force[:, None], 300, axis=1)
    wrench = np.repeat(np.arange(6.0)[:, None], 300, axis=1)
    told = compiled.tell(rows.kinds, (), True, X, effort, wrench, compiled.NO_LAW, rows.par)
    a = gough.forward_dynamics(machine, motion, effort[:, 0], wrench[:, 0])
    legs = rows.kinematics(X)
    assert np.abs(told["acceleration"][:, 299] - a.acceleration).max() < 1e-10
    assert np.abs(told["coordinate"].T - legs[:, :, LEG_MOTION.coordinate]).max() < 1e-14
    assert np.abs(told["rate"].T - legs[:, :, LEG_MOTION.rate]).max() < 1e-14
    assert told["kinetic"][0, 7] == pytest.approx(gough.energy(machine, motion).kinetic, rel=1e-12)
    full = gough.Motion(
        motion.position,
        motion.rotation,
        motion.velocity,
        motion.angular_velocity,
        a.acceleration,
        a.angular_acceleration,
    )
    answer = gough.inverse_dynamics(machine, full, wrench[:, 0])
    assert set(REACTIONS.names) <= set(told)
    assert np.abs(told["spherical_force"][:, :, 11] - answer.reactions.spherical_force).max() < 1e-8
    for value in told.values():
        assert (value == value[..., :1]).all(), "equal states must give equal bits"


def test_layouts_and_charts_fit() -> None:
    spinning = ("sps_spin",) * 6
    assert state_layout(spinning, ("drive",)).size == SPINNING.size + 6
    assert state_layout(spinning, RIGID).size == SPINNING.size + 12
    assert state_layout(spinning, (*RIGID, "series")).size == SPINNING.size + 18
    for method in METHODS.values():
        source = chart_rows(method, spinning, ())
        free = [row for row in source if row == SPINNING.size]
        assert len(free) == (3 if method.name == "lie" else 0), "only the turn starts at zero"
        assert {row for row in source if row < STATE.size} == set(range(STATE.size))
        assert stage_layout(method, spinning, ()).size == len(source) + 13


def test_the_free_range_is_never_too_wide() -> None:
    rng = np.random.default_rng(5)
    law = random_law(rng)
    free, held = FreeRange(law), 0
    for _ in range(500):
        u, rate = rng.normal(size=(6, 1)) * rng.uniform(0, 1), rng.normal(size=(6, 1)) * 0.1
        if free.holds(u, rate):
            held += 1
            assert np.array_equal(leg_law.motor_force(law, u, rate), u)
    assert held > 50
    assert FreeRange(leg_law.leg_laws(gough.load("motion-base-1500"), None, False, 1)).always


def test_laws_that_are_not_in_use_cost_nothing() -> None:
    """A stage holds the operations of its own laws and no others."""
    kinds = ("ups",) * 6
    flops = [
        steps_programs("semi-implicit", kinds, used)[0].program.counts().flops
        for used in ((), ("drive",), ("drive", "stops"), RIGID)
    ]
    assert flops == sorted(set(flops))
    assert flops[2] - flops[1] <= 6 * 12  # a stop, per leg
    for used, apart in (((), False), (("drive",), True)):  # only angles under laws are found apart
        assert ("start_legs(Z" in compiled.steps_text("rk4", ("rus",) * 6, used)) is apart
        assert "start_legs(Z" not in compiled.steps_text("rk4", kinds, used)
