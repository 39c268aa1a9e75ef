"""Arithmetic operations of the multibody formulation: its rows and balances counted by running them."""

from __future__ import annotations

from gough.checks import Array
from gough.formulations.multibody.assembly import assemble
from gough.formulations.multibody.balance import forces, mass
from gough.formulations.multibody.constraints import BodyState
from gough.formulations.multibody.kinematics import body_motion
from gough.model import Platform
from gough.reproduce.counting import Number, Tally, count, elimination
from gough.spatial import Motion


def _solve(n: int, sides: int) -> Tally:
    """Gaussian elimination of n unknowns for several right sides at once."""
    one = elimination(n)
    more = (
        (sides - 1) * n * n
    )  # multiplications and additions of each further side, divisions among them
    return one + Tally(more - (sides - 1) * n, more - (sides - 1) * n, (sides - 1) * n)


def operations(machine: Platform, motion: Motion) -> dict[str, Tally]:
    """Stages of inverse dynamics, from the configuration of the bodies on."""
    assembly = assemble(machine)
    state, _ = body_motion(machine, motion)

    def counting(number: Number) -> BodyState:
        def moving(values: Array) -> Array:
            out = values.astype(object)
            out[:-1] = number(values[:-1])  # the ground stays a constant: it costs nothing
            return out

        return BodyState(moving(state.r), moving(state.A), moving(state.v), moving(state.w))

    def balances(number: Number) -> None:
        found = counting(number)
        mass(assembly, found, Phi)
        forces(assembly, found, Phi, gamma)

    Phi, gamma = assembly.jacobian(state), assembly.gamma(state)
    rows = len(assembly.leg_rows[0])
    return {
        "constraint Jacobian": count(lambda number: assembly.jacobian(counting(number))),
        "right sides gamma": count(lambda number: assembly.gamma(counting(number))),
        "mass matrix and forces": count(balances),
        "speeds of the legs, six of 12 unknowns": 6 * _solve(12, 1),
        f"six legs of {12 + rows} unknowns, eight right sides": 6 * _solve(12 + rows, 8),
        "platform's six equations: forming them": 6
        * Tally(144, 144),  # (6, 3) times (3, 8) per leg
        "platform's six equations: solving them": elimination(6),
        f"instead: the full system of {78 + assembly.size} unknowns": elimination(
            78 + assembly.size
        ),
    }


def rows(machine: Platform, motion: Motion) -> list[tuple[object, ...]]:
    """Operations by stage; dense arithmetic in the solves, zeros of the Jacobian not exploited within a leg."""
    found = operations(machine, motion)
    names = ("additions", "multiplications", "divisions", "total")
    lines: list[tuple[object, ...]] = [
        (name, *(getattr(t, n) for n in names)) for name, t in found.items()
    ]
    stages = list(found.values())[:-1]
    total = [sum(getattr(t, n) for t in stages) for n in names]
    lines.insert(-1, ("inverse dynamics, leg by leg", *total))
    return lines
