"""What [Pedrammehr2012] (000) states, set against its own equations and the exact model."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gough.checks import Array
from gough.formulations import newton_euler, universal
from gough.model import Platform
from gough.reproduce.builders import (
    Forces,
    listing,
    newtons,
    quiet_load,
    quiet_replace,
    ups_legs,
    worst,
)
from gough.reproduce.page import Claim, Erratum, TextTable
from gough.reproduce.universal.forces import ImprovedForces, PodRotation

VARIANTS: dict[str, frozenset[str]] = {
    "as printed (E000-3, E000-4)": universal.PRINTED,
    "brackets in local components (E000-3)": frozenset({"E000-3"}),
    "closed form 42, 43 (E000-5)": frozenset({"E000-5"}),
    "closed form, as printed": universal.PRINTED | {"E000-5"},
    "eq 21 without its term (E000-2)": frozenset({"E000-2"}),
    "eq 25 (E000-1)": frozenset({"E000-1"}),
}


def summary(paths: dict[str, ImprovedForces]) -> str:
    """Two sentences with the result first."""
    slow, fast = paths["2"], paths["3"]
    error = [
        path.cost(force)
        for path, force in ((slow, slow.printed), (fast, fast.printed), (fast, fast.simplified))
    ]
    return (
        "The idea is right: with the pods' spin and the joint's moment along c the model is exact, to "
        "round-off, once its inertia tensors are taken about the mass centers.  As printed it counts the "
        f"parallel-axis parts twice (E000-3): off by {error[0]} of the peak on the slow path and {error[1]} "
        f"on the fast one, where the model it improves upon is off by {error[2]}."
    )


def claims(
    machine: Platform, spins: dict[str, PodRotation], paths: dict[str, ImprovedForces]
) -> tuple[Claim, ...]:
    """The paper's checkable statements."""
    one = spins["1"]
    rate = 100 * (one.rate - one.rate_across).max(axis=0) / one.rate_across.max(axis=0)
    across = one.acceleration_across
    turn = 100 * (one.acceleration - across).max(axis=0) / across.max(axis=0)
    return (
        Claim(
            "On Path 1 the angular velocities of pods 1, 2 and 6 coincide with the simplified ones",
            "Fig. 5",
            "pods 1, 2, 6",
            f"largest difference {listing(rate)} % of pods 1-6",
            f"{listing(rate)} %",
            "reproduced",
            "pod 4 coincides exactly, its axis u lies along the motion; the text omits it (E000-11)",
        ),
        Claim(
            "On Path 1 the angular acceleration of pod 3 coincides",
            "Fig. 6",
            "pod 3",
            f"largest difference {listing(turn)} %",
            f"{listing(turn)} %",
            "reproduced",
            "pod 4 coincides exactly as well",
        ),
        *_forces(machine, paths),
        *_structure(machine, paths),
    )


def _forces(machine: Platform, paths: dict[str, ImprovedForces]) -> tuple[Claim, ...]:
    slow, fast = paths["2"], paths["3"]
    trend = [
        [float(np.corrcoef(path.simplified[:, i], force[:, i])[0, 1]) for i in range(6)]
        for path in (slow, fast)
        for force in (path.printed, path.exact)
    ]
    lowest = [min(row) for row in trend]
    error = [path.cost(force) for path in (slow, fast) for force in (path.printed, path.simplified)]
    further = fast.off(fast.printed) > fast.off(fast.simplified)
    difference = [
        f"Path {name} {newtons(worst(force, path.simplified), path.peak)}"
        for force, name, path in (
            (slow.printed, "2", slow),
            (fast.printed, "3", fast),
            (slow.exact, "2", slow),
            (fast.exact, "3", fast),
        )
    ]
    return (
        Claim(
            "Improved and simplified forces have similar trends but different amplitudes",
            "Figs. 9, 10",
            "-",
            f"lowest correlation {lowest[0]:.4f} (2), {lowest[2]:.4f} (3)",
            f"{lowest[1]:.4f} (2), {lowest[3]:.4f} (3)",
            "reproduced",
        ),
        Claim(
            "The differences between the two models are significant",
            "Figs. 9, 10, Sec. 10",
            "-",
            ", ".join(difference[:2]),
            ", ".join(difference[2:]),
            "reproduced",
            "most of the difference on Path 3 is an error of one model or the other",
        ),
        Claim(
            "The improved formulation is more accurate",
            "Abstract, Sec. 10",
            "-",
            f"error on Path 2 {error[0]} against {error[1]}; on Path 3 {error[2]} against {error[3]}",
            "0 by both routes and the closed form",
            "wrong" if further else "reproduced",
            "true on the slow path; on the fast one the printed model is further off than that of 001",
        ),
    )


def _structure(machine: Platform, paths: dict[str, ImprovedForces]) -> tuple[Claim, ...]:
    fast = paths["3"]
    recursive = universal.inverse_dynamics(machine, fast.motion).force
    printed = universal.inverse_dynamics(machine, fast.motion, errata={"E000-5"}).force
    closed = universal.inverse_dynamics(machine, fast.motion, route="closed").force
    Q, _ = universal.pod_matrices(machine, fast.motion, errata={"E000-5"})
    split = float(np.abs(Q - np.swapaxes(Q, -1, -2)).max())
    share = _along_share(machine, paths)
    return (
        Claim(
            "Eqs 41-43 are the compact form of eqs 36-40",
            "Sec. 7",
            "-",
            f"they differ by {newtons(worst(printed, recursive), fast.peak)} on Path 3; Q - Q^T up to "
            f"{split:.2f} kg",
            f"with all terms {worst(closed, recursive):.0e} N",
            "wrong",
            "Q must be symmetric: pd.Q pd/2 is the pod's kinetic energy (E000-5)",
        ),
        Claim(
            "The universal joint cannot impose a moment along u, v and n",
            "Sec. 7",
            "u, v, n",
            f"along n {share:.2f} of m",
            f"{share:.2f} of m",
            "wrong",
            "true for u and v; along n it is m c.n, the reason m exists (E000-8)",
        ),
        Claim(
            "The parallel-axis theorem must be applied to the inertia tensors",
            "Secs. 1, 7, 9",
            "-",
            "adds " + fast.cost(fast.printed) + " of error on Path 3",
            "tensors about the mass centers",
            "wrong",
            "m r x a already contains the parallel-axis part (E000-3)",
        ),
        Claim(
            "1.58 s of processor time for the paths in MATLAB",
            "Sec. 9",
            "1.58 s",
            "-",
            "-",
            "unclear",
            "machine and program are gone; timings live in the benchmarks",
        ),
    )


def _along_share(machine: Platform, paths: dict[str, ImprovedForces]) -> float:
    """Smallest ``|c.n|`` over pods and time on Path 2."""
    n = universal.leg_motion(machine, paths["2"].motion).direction
    u = np.array([leg.axis for leg in ups_legs(machine)])
    return float(np.sqrt(1.0 - (u * n).sum(axis=-1) ** 2).min())


def variants(machine: Platform, path: Forces) -> dict[str, Array]:
    """Forces with some errata committed, by name."""
    return {
        label: universal.inverse_dynamics(machine, path.motion, errata=slips).force
        for label, slips in VARIANTS.items()
    }


def cost_table(machine: Platform, paths: dict[str, ImprovedForces]) -> TextTable:
    """Error of every variant on both paths."""
    found = [variants(machine, path) for path in paths.values()]
    rows = [
        (
            label,
            *(path.cost(forces[label]) for path, forces in zip(paths.values(), found, strict=True)),
        )
        for label in VARIANTS
    ]
    rows.append(
        (
            "001 as printed, on this machine",
            *(path.cost(path.simplified) for path in paths.values()),
        )
    )
    return TextTable(
        "000-errors",
        "Error of the pod forces (share of the peak force)",
        ("model", "Path 2", "Path 3"),
        tuple(rows),
    )


def _cost(machine: Platform, path: ImprovedForces, slips: Iterable[str]) -> str:
    """Error of the forces with some errata committed."""
    force = universal.inverse_dynamics(machine, path.motion, errata=slips).force
    return path.cost(force)


def errata(machine: Platform, paths: dict[str, ImprovedForces]) -> tuple[Erratum, ...]:
    """Each erratum and what it costs."""

    def cost(slips: set[str]) -> str:
        return ", ".join(
            f"Path {name} {_cost(machine, path, slips)}" for name, path in paths.items()
        )

    def other(changed: Platform) -> str:
        return ", ".join(
            f"Path {name} {path.cost(newton_euler.inverse_dynamics(changed, path.motion).force)}"
            for name, path in paths.items()
        )

    turned = quiet_replace(machine, legs=[leg.replace(axis=-leg.axis) for leg in ups_legs(machine)])
    parts = "; ".join(
        f"eq {e} alone: {cost({f'E000-3:{e}', 'E000-4'})}" for e in ("32", "33", "50")
    )
    return (
        Erratum(
            "E000-1",
            "Eq 25: a_t = [(u.n)(u.a_n) + wu wv (c.n)]/(1 - (u.n)^2); the printed last term "
            "lacks 1/sqrt(1 - (u.n)^2) and holds for one sign of v only.",
            cost({"E000-1"}),
        ),
        Erratum(
            "E000-2",
            "Eq 21 multiplies a scalar crosswise; it must read wu wv c x l n.",
            "term left out: " + cost({"E000-2"}),
        ),
        Erratum(
            "E000-3",
            "Eqs 32, 33, 50 move the tensors by parallel axes while m L x L'' is kept: counted "
            "twice.  Right are the turned tensors about the mass centers.",
            "with E000-4, as printed: " + cost({"E000-3", "E000-4"}) + "; " + parts,
        ),
        Erratum(
            "E000-4",
            "The same equations put base-frame components into brackets that are turned from "
            "the local frame.",
            "with local components the double counting costs " + cost({"E000-3"}),
        ),
        Erratum(
            "E000-5",
            "Eqs 42, 43 drop terms: Q is unsymmetric, V lacks the spin and the sliding parts "
            "and has L_u for L_d once; S in Appendix 1 lacks the dot of l.",
            cost({"E000-5"}) + "; S without its dot: " + cost({"E000-5", "E000-5:S"}),
        ),
        Erratum("E000-6", "Path 1 needs 6.25 s at 0.08 m/s, not 6 s.", "constant 0.0833 m/s taken"),
        Erratum(
            "E000-7",
            "Figs. 9, 10 are announced for paths 1 and 2 and captioned 2 and 3; the reference "
            "model is called [19] and [20]; 'substituted into Eq. (36)' means (38).",
            "none",
        ),
        Erratum(
            "E000-8", "The text denies a joint moment along n; it is m c.n.", "none: eq 34 is right"
        ),
        Erratum("E000-9", "u_i and the sign of v_i are missing.", "v reversed: " + other(turned)),
        Erratum(
            "E000-10",
            "The upper mass center has z = -0.08; 001, said to be the same, has +0.08.",
            "the other sign: " + other(quiet_load("dasgupta-1998")),
        ),
        Erratum(
            "E000-11",
            "With u_4 along the motion pod 4 does not spin on Path 1; the text omits it.",
            "not measurable: the figure is all there is",
        ),
    )
