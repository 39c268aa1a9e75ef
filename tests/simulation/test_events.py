"""Events: looked for after every step, located inside it, the same however a run is recorded, cut or accompanied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gough
from gough.checks import Array
from gough.layout import STATE
from gough.simulation import Events, State, events, fixed_run, watch
from gough.simulation.state import Rows
from gough.simulation.watch_kernel import condition
from gough.struts import struts

CONDITION = 20.4  # passed on the way of `fall`
TIMES = 1e-9  # s, how well an instant is located where the steps are fine enough


@pytest.fixture(scope="module")
def bare() -> gough.Platform:
    return gough.load("dasgupta-1998-physical")


@pytest.fixture(scope="module")
def lift(bare: gough.Platform) -> Array:
    return gough.inverse_dynamics(bare, bare.home).force


def limited(machine: gough.Platform, **limits: Any) -> gough.Platform:
    """Limits of the legs: one for all, or a list of six."""
    each = [
        {name: v[i] if isinstance(v, list) else v for name, v in limits.items()} for i in range(6)
    ]
    pairs = zip(machine.legs, each, strict=True)
    return machine.replace(legs=[leg.replace(limits=gough.Limits(**own)) for leg, own in pairs])


def told(run: Any) -> list[dict[str, Any]]:
    return json.loads(run.attrs["events"])


def fall(machine: gough.Platform, lift: Array, **options: Any) -> Any:
    """Ideal drives, no stops at the ends of the strokes."""
    more = {"duration": 0.1, "force": 0.5 * lift, "reactions": False, "step": 5e-4, "drives": False}
    more |= options
    return gough.simulate(machine, more.pop("state", machine.home), **more)


def staggered(machine: gough.Platform, lift: Array) -> gough.Platform:
    """Each leg leaves its stroke, speed and cones at a time of its own during `fall`."""
    free = fall(machine, lift)
    at = np.linspace(20, 180, 24).astype(int).reshape(4, 6)
    axis = struts(machine, machine.home).direction
    length, rate = free.length.values, np.abs(free.rate.values)
    angles = base_angles(machine, free)
    legs = range(6)
    ends = [(length[at[0, i], i], length[0, i]) for i in legs]
    return limited(
        machine,
        stroke=[
            (min(a) - (0 if a[0] < a[1] else 9), max(a) + (0 if a[0] > a[1] else 9)) for a in ends
        ],
        speed=[float(rate[at[1, i], i]) for i in legs],
        base_cone=[float(angles[at[2, i], i]) for i in legs],
        base_axis=list(axis),
    )


def base_angles(machine: gough.Platform, run: Any) -> Array:
    """(K, 6) angles of the struts from where they are at home, by the arc cosine."""
    motion = gough.Pose.from_quaternion(run.position.values, run.quaternion.values)
    home = struts(machine, machine.home).direction
    return np.arccos(np.clip((struts(machine, motion).direction * home).sum(axis=-1), -1, 1))


def test_instants_are_those_of_an_independent_solution(bare: gough.Platform, lift: Array) -> None:
    """SciPy's DOP853 and its own events on leg lengths, rates, angles and condition numbers written out here."""
    machine = staggered(bare, lift)
    found = told(fall(machine, lift, step=2e-4, events=Events(condition=CONDITION)))
    assert {e["name"] for e in found} == {"stroke", "speed", "cone", "singularity"}
    b, p = machine.base_joints, machine.platform_joints

    def legs(y: Array) -> tuple[Array, Array, Array, Array]:
        R = y[3:12].reshape(3, 3)
        q = p @ R.T
        S = y[:3] + q - b
        length = np.linalg.norm(S, axis=1)
        s = S / length[:, None]
        return length, (s * (y[12:15] + np.cross(y[15:], q))).sum(axis=1), s, q

    def rhs(t: float, y: Array) -> Array:
        R = y[3:12].reshape(3, 3)
        a = gough.forward_dynamics(
            machine, gough.Motion.trusted(y[:3], R, y[12:15], y[15:]), 0.5 * lift
        )
        turn = np.cross(y[15:], R, axisb=0, axisc=0)
        return np.concatenate([y[12:15], turn.ravel(), a.acceleration, a.angular_acceleration])

    y0 = np.concatenate([bare.home.position, bare.home.rotation.ravel(), np.zeros(6)])
    axis = legs(y0)[2]

    def margin(event: dict[str, Any]) -> Any:
        i = None if event["leg"] is None else machine.leg_names.index(event["leg"])

        def of(t: float, y: Array) -> float:
            length, rate, s, q = legs(y)
            if i is None:
                H = np.concatenate([s, np.cross(q, s) / machine.characteristic_length], axis=1)
                return CONDITION - float(np.linalg.cond(H))
            limits = machine.legs[i].limits
            if event["name"] == "stroke":
                return float(min(length[i] - limits.stroke[0], limits.stroke[1] - length[i]))
            if event["name"] == "speed":
                return float(limits.speed - abs(rate[i]))
            return float(limits.base_cone - np.arccos(min(1.0, s[i] @ axis[i])))

        return of

    solved = solve_ivp(
        rhs, (0.0, 0.1), y0, "DOP853", rtol=1e-12, atol=1e-13, events=[margin(e) for e in found]
    )
    for event, instants in zip(found, solved.t_events, strict=True):
        later = instants[instants > 1e-6]
        assert abs(later[0] - event["time"]) < TIMES, event


def same(one: Any, other: Any) -> None:
    """Events and status, to the last bit."""
    for event, twin in zip(told(one), told(other), strict=True):
        assert {**event, "run": 0} == {**twin, "run": 0}
    assert one.attrs["status"] == other.attrs["status"]


def test_events_do_not_depend_on_records_calls_or_company(
    bare: gough.Platform, lift: Array, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eighteen first times in one call, seen alike with two records, in calls of one
    step, in a batch on several threads, after a kill, and by a force that is a function of the motion."""
    machine = staggered(bare, lift)
    whole = fall(machine, lift)
    assert len(told(whole)) == 18
    assert whole.attrs["dips_not_looked_into"] == 0
    assert whole.attrs["status"].startswith("limits passed: leg ")
    same(whole, fall(machine, lift, output=0.1))
    runs = 300
    start = gough.Motion(np.repeat(bare.home.position[None], runs, axis=0), bare.home.rotation)
    many = fall(machine, lift, state=start, output=0.1)
    for run in (0, 131, 299):
        own = [e for e in told(many) if e["run"] == run]
        short = [{**e, "run": run} for e in told(whole)]
        assert own == short[: len(own)], "the list ends after the first thousand of all runs"
        assert str(many.status.values[run]) == whole.attrs["status"]
    felt = fall(machine, lift, force=lambda t, motion: 0.5 * lift)
    for event, twin in zip(told(whole), told(felt), strict=True):
        assert event["time"] == pytest.approx(twin["time"], abs=1e-12)
    monkeypatch.setattr(fixed_run, "CHUNK", 7)
    same(whole, fall(machine, lift))
    fall(machine, lift, checkpoint=tmp_path / "run")
    for piece in sorted((tmp_path / "run").glob("piece-*"))[13:]:
        piece.unlink()
    same(whole, fall(machine, lift, checkpoint=tmp_path / "run", resume=True))


def test_two_records_of_a_prime_number_of_steps_hide_nothing(
    bare: gough.Platform, lift: Array
) -> None:
    machine = staggered(bare, lift)
    prime = fall(machine, lift, duration=199 * 5e-4, output=199 * 5e-4, events=Events(speed="stop"))
    fine = fall(machine, lift, events=Events(speed="stop"))
    assert prime.attrs["end_time"] == fine.attrs["end_time"]
    assert prime.sizes["time"] == 2
    assert np.array_equal(prime.rate.values[-1], fine.rate.values[-1])


@pytest.mark.parametrize("integrator", ["rk4", "lie", "semi-implicit", "DOP853", "LSODA", "hht"])
def test_all_integrators_say_what_was_passed(
    bare: gough.Platform, lift: Array, integrator: str
) -> None:
    """At the start and on the way, whatever the integrator; stopping ends where the margin is zero."""
    machine = staggered(bare, lift)
    exact = told(fall(machine, lift, step=2e-4))
    run = fall(machine, lift, integrator=integrator)
    within = {"rk4": 1e-8, "lie": 1e-8, "semi-implicit": 1e-3, "hht": 1e-5}.get(integrator, 1e-8)
    by = {(e["name"], e["leg"]): e["time"] for e in told(run)}
    assert set(by) == {(e["name"], e["leg"]) for e in exact}
    for event in exact:
        assert by[event["name"], event["leg"]] == pytest.approx(event["time"], abs=within)
    assert run.attrs["limits_checked"] == "stroke, speed, cone"
    stopped = fall(machine, lift, integrator=integrator, events=Events(stroke="stop"))
    first = min(t for (name, _), t in by.items() if name == "stroke")
    assert stopped.attrs["end_time"] == stopped.time.values[-1] == pytest.approx(first, abs=1e-12)
    assert np.abs(stopped.stroke_margin.values[-1]).min() < 1e-10
    beyond = limited(bare, stroke=(0.1, 0.52))
    started = fall(beyond, lift, integrator=integrator, duration=1e-3)
    assert started.attrs["status"].startswith("limits passed: leg L1 started beyond its stroke")
    ended = fall(beyond, lift, integrator=integrator, duration=1e-3, events=Events(stroke="stop"))
    assert ended.attrs["end_time"] == 0.0
    assert ended.sizes["time"] == 1
    assert ended.attrs["status"].startswith("stopped by stroke at t = 0 s: leg L1 started beyond")


@pytest.mark.parametrize("kind", ["stroke", "cone"])
def test_a_leg_that_is_back_before_the_step_is_over(
    bare: gough.Platform, lift: Array, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thrown up, leg 1 is longest, and farthest from its axis, between two steps: the limit is just below that."""
    up = State(bare.home, velocity=[0.0, 0.0, 0.3])
    more: dict[str, Any] = {"state": up, "duration": 0.06, "force": np.zeros(6)}
    fine = fall(bare, lift, **more, step=1e-4)
    h = 0.02
    value = fine.length.values[:, 0] if kind == "stroke" else base_angles(bare, fine)[:, 0]
    top = int(value.argmax())
    at_steps = value[:: round(h / 1e-4)].max()
    assert at_steps < value[top]
    limit = 0.5 * (at_steps + value[top])
    own = {"stroke": (0.1, limit)} if kind == "stroke" else {"base_cone": limit}
    others: dict[str, Any] = {"stroke": (0.1, 9.0)} if kind == "stroke" else {"base_cone": 3.0}
    machine = limited(bare, **{k: [own[k]] + [others[k]] * 5 for k in own})
    run = fall(machine, lift, **more, step=h)
    (event,) = told(run)
    assert (event["name"], event["leg"], event["count"]) == (kind, "L1", 1)
    crossed = int((value > limit).argmax()) * 1e-4
    assert crossed - 1.5e-4 <= event["time"] <= crossed + 0.5e-4
    assert run.attrs["status"].startswith("limits passed")
    monkeypatch.setattr("gough.simulation.lookout.deepest", lambda margin, top: top)
    assert told(fall(machine, lift, **more, step=h)) == [], (
        "at the steps themselves nothing is passed"
    )


def test_a_stop_in_a_batch_keeps_the_state_at_its_instant(
    bare: gough.Platform, lift: Array
) -> None:
    machine = staggered(bare, lift)
    forces = np.stack([lift, 0.5 * lift, 0.6 * lift])[:, None]
    start = gough.Motion(np.repeat(bare.home.position[None], 3, axis=0), bare.home.rotation)
    run = fall(machine, lift, state=start, force=forces, output=0.1, events=Events(stroke="stop"))
    assert [str(s).split(" at ")[0] for s in run.status.values] == ["ok"] + [
        "stopped by stroke"
    ] * 2
    assert run.attrs["status"].startswith("2 of 3 runs ended early: stopped by stroke")
    assert np.isnan(run.end_position.values[0]).all()
    for k, factor in ((1, 0.5), (2, 0.6)):
        alone = fall(machine, lift, force=factor * lift, events=Events(stroke="stop"))
        assert run.end_time.values[k] == alone.attrs["end_time"]
        for name in ("position", "quaternion", "velocity"):
            assert np.array_equal(run[f"end_{name}"].values[k], alone[name].values[-1])
        assert np.isnan(run.position.values[k, -1]).all()


def test_a_limit_that_is_off_is_not_spoken_of(bare: gough.Platform, lift: Array) -> None:
    machine = staggered(bare, lift)
    run = fall(machine, lift, events=Events(stroke="off", speed="off", cone="off"))
    assert run.attrs["status"] == "ok"
    assert run.attrs["limits_checked"] == "none"
    assert told(run) == []
    assert fall(bare, lift).attrs["limits_checked"] == "none", "the machine has no limits"


def test_saturation_is_seen_at_every_step_and_counted(bare: gough.Platform, lift: Array) -> None:
    """A command beyond the drive's force at three of the steps, none of them recorded."""
    machine = limited(bare, force=2.0 * float(np.abs(lift).max()))
    force = np.repeat(lift[None], 40, axis=0)
    force[[7, 8, 20], 3] *= 100.0
    more: dict[str, Any] = {"force": force, "duration": 0.02, "output": 0.02, "drives": True}
    (event,) = told(fall(machine, lift, **more))
    assert (event["name"], event["leg"], event["count"]) == ("force", "L4", 2)
    assert event["time"] == pytest.approx(7 * 5e-4, abs=1e-15)
    stopped = fall(machine, lift, **more, events=Events(force="stop"))
    assert stopped.attrs["end_time"] == event["time"]
    assert told(fall(machine, lift, **more, events=Events(force="off"))) == []
    felt = fall(
        machine, lift, **{**more, "force": lambda t, m: force[min(int(t / 5e-4 + 1e-9), 39)]}
    )
    assert told(felt)[0]["time"] == event["time"]


def test_the_bound_of_the_condition_number_is_one() -> None:
    """Never below it, never above it times the root of six; and as computed for machines of all leg types."""
    rng = np.random.default_rng(4)
    for _ in range(300):
        rows = rng.normal(size=(6, 6)) * 10.0 ** rng.uniform(-2, 1, size=(6, 1))
        true, bound = np.linalg.cond(rows), float(watch.condition_bound(rows.tolist()))
        assert true * (1 - 1e-6) <= bound <= true * np.sqrt(6.0) * (1 + 1e-6)
    W = np.zeros((watch.WATCH.size, 1))
    for _ in range(50):
        rows = rng.normal(size=(6, 6)) * 10.0 ** rng.uniform(-3, 1, size=(6, 1))
        W[watch.WATCH.wrench, 0] = rows.ravel()
        assert condition(W, 0, np.zeros((6, 6))) == pytest.approx(np.linalg.cond(rows), rel=1e-9)


@pytest.mark.parametrize("name", ["motion-base-1500", "servo-hexapod", "hexaglide"])
def test_the_watch_says_what_the_judge_of_limits_says(name: str) -> None:
    """Traced rows against struts and limits written in NumPy, slopes against differences, for each leg type."""
    machine = gough.load(name)
    axes = struts(machine, machine.home).direction
    machine = limited(machine, base_cone=0.5, base_axis=list(axes), platform_cone=0.4)
    rows, h = Rows(machine, False), 1e-6
    start = State(machine.home, velocity=[0.01, 0.02, -0.03], angular_velocity=[0.1, -0.2, 0.1])
    X = rows.start(start.motion[None], None)
    moved = X.copy()
    numbers = np.append(rows.par, watch.numbers(machine, Events()))
    program = watch.watch_program(rows.kinds, False).program

    def rows_of(state: Array) -> Array:
        return np.array(program.run(state[:, 0], numbers), dtype=float)

    w = X[STATE.angular_velocity, 0]
    cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    R = X[STATE.rotation, 0].reshape(3, 3)
    moved[STATE.position] += h * X[STATE.velocity]
    moved[STATE.rotation, 0] += h * (cross @ R).ravel()
    at, later = rows_of(X), rows_of(moved)
    legs = gough.inverse_kinematics(machine, start.motion)
    layout = watch.WATCH
    np.testing.assert_allclose(at[layout.coordinate], legs.length, atol=1e-12)
    np.testing.assert_allclose(at[layout.rate], legs.rate, atol=1e-12)
    for side in ("base", "platform"):
        slope = (later[getattr(layout, side)] - at[getattr(layout, side)]) / h
        np.testing.assert_allclose(at[getattr(layout, f"{side}_slope")], slope, atol=1e-5)
    values = events.judged(rows, X, Events())[1][0]
    np.testing.assert_allclose(
        at[layout.base], np.cos(values[events.BASE : events.BASE + 6]), atol=1e-12
    )
    cosines = np.cos(values[events.PLATFORM : events.PLATFORM + 6])
    np.testing.assert_allclose(at[layout.platform], cosines, atol=1e-12)
    H = at[layout.wrench].reshape(6, 6)
    assert np.linalg.cond(H) == pytest.approx(values[events.SINGULAR], rel=1e-9)
