"""Elastic drives, twelve degrees of freedom: against Pinocchio with free rotors, and by themselves."""

from __future__ import annotations

import os

import numpy as np
import pytest

pytest.importorskip("pinocchio")

from gough.checks import Array
from gough.engines import pack
from gough.equations import elastic as elastic_equations
from gough.equations import riders
from gough.equations.riders import Rider
from gough.layout import ELASTIC, ENERGY, LEG_RECORD
from oracles.compare import MOMENTS, REACTIONS
from oracles.elastic import ElasticClosed
from oracles.machines import Case, cases
from oracles.pinocchio_model import PinocchioEngine
from oracles.planted import Error, planted
from oracles.source import equations, motion_numbers, run, spin_numbers

TOLERANCE = 1e-11
COUNT = int(os.environ.get("GOUGH_ELASTIC_MACHINES", "2"))
KINDS = (
    "UPS",
    "UPS-rotor",
    "SPS-general",
    "SPS-rotor",
    "SPS-axial-rotor",
    "PUS",
    "RUS",
    "mixed",
    "UCU",
    "UCU-rotor",
    "UCU-screw",
    "UCU-upper",
    "UCU-mixed",
)


def given(case: Case, seed: int) -> tuple[Array, Array, Array]:
    """Rates of the motors near those of their legs, what the springs transmit, what is left for the motors, (n, 6)."""
    rng, n = np.random.default_rng(seed), len(case.external)
    return (
        rng.uniform(-5, 5, (n, 6)),
        rng.uniform(-2000, 2000, (n, 6)),
        rng.uniform(-2000, 2000, (n, 6)),
    )


def elastic(case: Case, drive_rate: Array, effort: Array, push: Array) -> Array:
    state = motion_numbers(case)[:, :18]
    x = np.concatenate([state, effort, case.external, drive_rate, push], axis=1)
    kinds = pack.kinds_of(case.platform, case.needs_spin)
    return run("elastic", kinds, x, spin_numbers(case), pack.pack(case.platform))


def worst(kind: str, count: int, springs: bool = False) -> dict[str, float]:
    """Largest relative difference to Pinocchio: accelerations of platform, spins, motors."""
    out = {"platform": 0.0, "spin": 0.0, "drive": 0.0}
    for number, case in enumerate(cases(kind, count, states=3, seed=61, springs=springs)):
        numbers = given(case, number)
        mine = elastic(case, *numbers)
        engine = PinocchioEngine(case.platform)
        for i in range(3):
            rate, effort, push = (a[i] for a in numbers)
            x, spin, drive = ElasticClosed(engine, case, i, rate).accelerations(effort, push)
            parts = {
                "platform": (mine[i, : ELASTIC.at("spin_acceleration")], x),
                "spin": (mine[i, ELASTIC.spin_acceleration], spin),
                "drive": (mine[i, ELASTIC.drive_acceleration], drive),
            }
            for name, (a, b) in parts.items():
                size = np.abs(b).max()
                out[name] = max(out[name], float(np.abs(a - b).max() / size) if size else 0.0)
    return out


def record(case: Case, drive_rate: Array, drive_acceleration: Array) -> Array:
    """(n, 6, LEG_RECORD) of all twelve in motion."""
    x = [motion_numbers(case), case.external, drive_rate, drive_acceleration]
    kinds = pack.kinds_of(case.platform, case.needs_spin)
    out = run("elastic_record", kinds, np.hstack(x), spin_numbers(case), pack.pack(case.platform))
    return out.reshape(-1, 6, LEG_RECORD.size)


@pytest.mark.parametrize("kind", KINDS)
def test_twelve_accelerations_are_pinocchios(kind: str) -> None:
    found = worst(kind, COUNT)
    assert max(found.values()) < TOLERANCE, found


@pytest.mark.parametrize("kind", [k for k in KINDS if "mixed" not in k] + ["UCU-mixed"])
def test_what_springs_transmit_and_all_reactions_are_pinocchios(kind: str) -> None:
    for number, case in enumerate(cases(kind, 2, states=2, seed=62)):
        rate, acceleration, _ = given(case, number)
        mine = record(case, rate, acceleration)
        for i in range(2):
            closed = ElasticClosed(PinocchioEngine(case.platform), case, i, rate[i])
            effort, _, wanted = closed.loads(acceleration[i])
            size = np.abs(effort).max()
            assert np.abs(mine[i, :, LEG_RECORD.effort] - effort).max() < TOLERANCE * size
            moments = max(np.abs(getattr(wanted, name)).max() for name in MOMENTS)
            for name in REACTIONS:
                there = getattr(wanted, name)
                scale = moments if name in MOMENTS else np.abs(there).max()
                away = np.abs(mine[i, :, getattr(LEG_RECORD, name)] - there).max()
                assert away < TOLERANCE * scale, (name, away, scale)


@pytest.mark.parametrize("kind", KINDS)
def test_the_kinetic_energy_is_pinocchios(kind: str) -> None:
    for case in cases(kind, 2, states=2, seed=63):
        rate = given(case, 1)[0]
        x = np.hstack([motion_numbers(case)[:, :18], rate])
        kinds = pack.kinds_of(case.platform, case.needs_spin)
        mine = run("elastic_energy", kinds, x, spin_numbers(case), pack.pack(case.platform))
        for i in range(2):
            closed = ElasticClosed(PinocchioEngine(case.platform), case, i, rate[i])
            assert mine[i, ENERGY.kinetic] == pytest.approx(closed.kinetic(), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_motors_that_move_with_their_legs_are_the_rigid_machine(kind: str) -> None:
    """lam = l: the same reactions, and the springs transmit what is left of the effort behind the rotor."""
    case = cases(kind, 1, states=3, seed=64)[0]
    rigid = {name: equations(case)[name] for name in ("rate", "acceleration", *REACTIONS)}
    mine = record(case, rigid["rate"], rigid["acceleration"])
    for name in REACTIONS:
        away = np.abs(mine[..., getattr(LEG_RECORD, name)] - rigid[name]).max()
        assert away < TOLERANCE * max(np.abs(rigid[n]).max() for n in REACTIONS), name


U, C, A, S = ("UPS-rotor",), ("UCU-screw",), ("UCU-upper",), ("SPS-rotor",)
ERRORS = [
    Error(
        "carrier feels no gyroscopic moment",
        Rider.moment,
        " + cross(self.W, self.G) * rate",
        "",
        U + C + A + S,
    ),
    Error(
        "gyroscopic moment the wrong way",
        Rider.moment,
        "cross(self.W, self.G)",
        "cross(self.G, self.W)",
        U + C + A + S,
    ),
    Error("rotor does not feel its carrier turn", riders._below, "dot(G, state.A)", "0.0", U + C),
    Error(
        "rotor does not push its leg",
        elastic_equations.ElasticEquations.elastic,
        "force - g * (u / J)",
        "force",
        U + C + A + S,
    ),
    Error(
        "rotor's locked inertia counted twice",
        elastic_equations.ElasticEquations.elastic,
        "M + rotor_mass(g, -1.0 / J)",
        "M",
        U + C + A + S,
    ),
    Error(
        "platform does not turn the rotor",
        elastic_equations.ElasticEquations.elastic,
        "u - inner(g, acc)",
        "u",
        U + C + A + S,
    ),
    Error(
        "coupling without the universal joint",
        riders._below,
        "end_force(leg.gyro, kap, sig, norm(state.arm))",
        "end_force(leg.gyro, 0.0, sig, norm(state.arm))",
        U + C,
    ),
    Error(
        "upper part spins with the lower one",
        riders._above,
        "wu = carried_spin(u.kap, u.sig, Wn, w)",
        "wu = W.x",
        A,
    ),
    Error(
        "upper part's acceleration of the lower one", riders._above, "A.y - more * W.z", "A.y", A
    ),
    Error(
        "no moment of the upper rotor on the platform",
        riders._above,
        "Six(u.T.world(force), u.T.world(moment))",
        "Six(u.T.world(force), STILL)",
        A,
    ),
    Error(
        "rotor rides on the wrong part",
        riders.rub_of,
        "rides_above(kind)",
        "not rides_above(kind)",
        C + A,
    ),
    Error(
        "rotor's moment taken for friction of its joint",
        riders.unrubbed,
        "state.couple - moment",
        "state.couple",
        A,
    ),
    Error(
        "free strut does not give way",
        riders._spun,
        "leg.reflected - along * spins",
        "leg.reflected",
        S,
    ),
    Error(
        "spin condensed with the wrong sign",
        riders._spun,
        "- mass.mu * spins",
        "+ mass.mu * spins",
        S,
    ),
    Error(
        "strut does not spin against its rotor",
        elastic_equations.ElasticEquations.elastic,
        "free - r.spins * lamdd",
        "free",
        S,
    ),
    Error(
        "rotors turn with their legs",
        riders.locked,
        "reflected=0.0",
        "reflected=leg.reflected",
        U + C + A + S,
    ),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.name)
def test_planted_errors_are_caught(error: Error) -> None:
    for kind in error.kinds:
        with planted(error):
            found = worst(kind, 1)
        assert max(found.values()) > 1e-6, (kind, found)
