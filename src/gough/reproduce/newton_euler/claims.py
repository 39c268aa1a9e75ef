"""What [Dasgupta1998] (001) states, set against its own equations and the exact model."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations import newton_euler
from gough.model import Friction, Platform
from gough.reproduce.builders import (
    as_motion,
    listing,
    quiet_body,
    quiet_load,
    quiet_replace,
    ups_legs,
)
from gough.reproduce.counting import elimination
from gough.reproduce.newton_euler.forces import PathForces
from gough.reproduce.newton_euler.operations import counts
from gough.reproduce.page import Claim, Erratum

LIGHT = 4.0  # kg: "platform mass of the same order as the mass of a leg"


def summary(paths: dict[str, PathForces]) -> str:
    """Two sentences with the result first."""
    one, two = paths["I"], paths["II"]
    return (
        "Every figure is reproduced.  As printed, the actuator forces are wrong by up to "
        f"{one.cost(one.printed)} of the peak on the slow path and "
        f"{two.cost(two.printed)} on the fast one: the legs are forbidden to spin "
        "(E001-1), the universal joint's moment points the wrong way (E001-2), and the upper part's inertia "
        "is counted twice (E001-3)."
    )


def fraction(force: Array, massless: Array) -> Array:
    """``|F_d / F|`` in percent."""
    return 100 * np.abs(1.0 - massless / force)


def claims(machine: Platform, paths: dict[str, PathForces]) -> tuple[Claim, ...]:
    """The paper's numeric statements."""
    return (
        *_forces(machine, paths),
        *_fractions(machine, paths),
        *_singular(machine, paths),
        *_arithmetic(),
    )


def _forces(machine: Platform, paths: dict[str, PathForces]) -> tuple[Claim, ...]:
    one, two = paths["I"], paths["II"]
    weight = machine.body.mass * 9.81
    peaks = [np.abs(force).max(axis=0) for force in (one.printed, one.exact)]
    jump = [float(np.abs(np.diff(force, axis=0)).max()) for force in (two.printed, two.exact)]
    return (
        Claim(
            "Leg forces on Path I are of the order of the platform's weight",
            "Sec. 5.1, Fig. 4",
            f"{weight:.0f} N",
            f"peaks of the legs {listing(peaks[0], 0)} N",
            f"{listing(peaks[1], 0)} N",
            "reproduced",
            f"the largest, in leg 3, is {peaks[1].max() / weight:.1f} times the weight",
        ),
        Claim(
            "Path I is well conditioned",
            "Sec. 5.1, Fig. 5",
            "-",
            f"{one.condition.min():.2f} to {one.condition.max():.2f}",
            f"{one.condition.min():.2f} to {one.condition.max():.2f}",
            "reproduced",
            "the condition number does not depend on the errata",
        ),
        Claim(
            "Ten times the speed raises the bounds of the leg forces",
            "Sec. 5.1, Fig. 7",
            "-",
            f"{np.abs(one.printed).max():.0f} to {np.abs(two.printed).max():.0f} N",
            f"{one.peak:.0f} to {two.peak:.0f} N",
            "reproduced",
            "",
        ),
        Claim(
            "Steep changes of the forces at a few instants of Path II",
            "Sec. 5.1, Fig. 7",
            "-",
            f"largest step {jump[0]:.0f} N",
            f"largest step {jump[1]:.0f} N",
            "reproduced",
            "where the accelerations jump, at the ends of the blends",
        ),
    )


def _fractions(machine: Platform, paths: dict[str, PathForces]) -> tuple[Claim, ...]:
    one, two = paths["I"], paths["II"]
    printed, exact = fraction(one.printed, one.massless), fraction(one.exact, one.massless)
    fast = [fraction(force, two.massless) for force in (two.printed, two.exact)]
    other = newton_euler.inverse_dynamics(
        machine, one.motion, errata=newton_euler.PRINTED | {"E001-4"}
    ).force
    crossings = [
        "; ".join(f"leg {i + 1}: {n}" for i, n in enumerate(_crossings(force)) if n)
        for force in (one.printed, one.exact, other)
    ]
    light = quiet_replace(
        machine, body=quiet_body(LIGHT, machine.body.center, machine.body.inertia)
    )
    medians = []
    for errata in (newton_euler.PRINTED, ()):
        result = [
            newton_euler.inverse_dynamics(light, path.motion, errata=errata) for path in (one, two)
        ]
        medians.append([np.median(fraction(r.force, r.extra["massless"]), axis=0) for r in result])
    ratio = machine.body.mass / (ups_legs(machine)[0].lower.mass + ups_legs(machine)[0].upper.mass)
    return (
        Claim(
            "Platform to leg mass ratio",
            "Sec. 5.1",
            "10",
            f"{ratio:.0f}",
            f"{ratio:.0f}",
            "reproduced",
        ),
        Claim(
            "Leg inertia commonly contributes about 20 % of a force",
            "Sec. 5.1, Fig. 6",
            "20 %",
            f"mean, legs 1-4 {printed[:, :4].mean():.1f} %",
            f"{exact[:, :4].mean():.1f} %",
            "reproduced",
        ),
        Claim(
            "The dynamic fraction goes up to 40 %",
            "Sec. 5.1, Fig. 6",
            "40 %",
            f"{printed[:, :4].max():.1f} % (leg {printed[:, :4].max(axis=0).argmax() + 1})",
            f"{exact[:, :4].max():.1f} %",
            "differs",
            "the paper's own equations give its number; legs 5 and 6 are left out, where F crosses zero",
        ),
        Claim(
            "The fraction jumps in sign in legs 5 and 6, where F crosses zero",
            "Sec. 5.1, Fig. 6",
            "legs 5, 6",
            f"zero crossings {crossings[0]}",
            crossings[1],
            "reproduced",
            f"with the sign of eq 33 they would be {crossings[2]}",
        ),
        Claim(
            "With a platform as light as a leg the fraction is often above 60 %",
            "Sec. 5.1",
            "> 60 %",
            f"medians {_span(medians[0][0])} % (I), {_span(medians[0][1])} % (II)",
            f"{_span(medians[1][0])} % (I), {_span(medians[1][1])} % (II)",
            "reproduced",
            f"{LIGHT:g} kg, mass center and tensor unchanged",
        ),
        Claim(
            "Leg inertia generally contributes 20-50 %",
            "Sec. 6",
            "20-50 %",
            f"mean {printed[:, :4].mean():.1f} %, largest {printed[:, :4].max():.1f} % (I)",
            f"mean {exact[:, :4].mean():.1f} %, largest {exact[:, :4].max():.1f} % (I)",
            "reproduced",
            "Sec. 5 says 20 % and up to 40 % (E001-9)",
        ),
        Claim(
            "The fraction grows with speed",
            "Sec. 6",
            "-",
            f"median of all legs, I to II: {np.median(printed):.1f} to {np.median(fast[0]):.1f} %",
            f"{np.median(exact):.1f} to {np.median(fast[1]):.1f} %",
            "reproduced" if np.median(fast[1]) > np.median(exact) else "wrong",
            "medians, because fractions are unbounded where a force crosses zero",
        ),
    )


def _span(values: Array) -> str:
    return f"{values.min():.0f}-{values.max():.0f}"


def _crossings(force: Array) -> list[int]:
    sign = np.sign(force)
    return [int((sign[1:, i] != sign[:-1, i]).sum()) for i in range(6)]


def _singular(machine: Platform, paths: dict[str, PathForces]) -> tuple[Claim, ...]:
    three = paths["III"]
    largest = [np.abs(force).max(axis=1) for force in (three.printed, three.exact)]
    where = [float(three.time[f.argmax()]) for f in largest]
    crossing = singular_time(machine)
    peak = f"{three.condition.max():.2g} at {three.time[three.condition.argmax()]:.1f} s"
    band = (three.condition > 1e2) & (three.condition < 1e3)
    rank = [float(np.corrcoef(np.log(three.condition), np.log(f))[0, 1]) for f in largest]
    return (
        Claim(
            "Path III meets a singularity with forces of the order of 1e5 N",
            "Sec. 5.2, Fig. 9",
            "1e5 N",
            f"{largest[0].max():.2g} N at {where[0]:.1f} s",
            f"{largest[1].max():.2g} N at {where[1]:.1f} s",
            "reproduced",
            f"det H changes sign at {crossing:.3f} s; the height depends on the sampling",
        ),
        Claim(
            "The condition number peaks at the same place",
            "Sec. 5.2, Fig. 10",
            "-",
            peak,
            peak,
            "reproduced",
        ),
        Claim(
            "Condition numbers of 1e2 to 1e3 go with forces of 1e4 N or more",
            "Sec. 5.2",
            "1e4 N",
            f"{largest[0][band].min():.2g} to {largest[0][band].max():.2g} N",
            f"{largest[1][band].min():.2g} to {largest[1][band].max():.2g} N",
            "reproduced" if largest[0][band].max() >= 1e4 else "differs",
            f"{int(band.sum())} samples of Path III lie in that band; the paper means cases not shown",
        ),
        Claim(
            "The higher the condition number, the higher the forces",
            "Sec. 6",
            "-",
            f"correlation of the logarithms on Path III {rank[0]:.3f}",
            f"{rank[1]:.3f}",
            "reproduced",
        ),
    )


def singular_time(machine: Platform) -> float:
    """Time on Path III at which det H changes sign, by bisection, s."""
    path = as_motion("001-III")

    def det(t: float) -> float:
        return float(np.linalg.det(newton_euler.inverse_dynamics(machine, path(t)).H))

    low, high = 3.6, 3.7
    start = det(low)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if det(middle) * start > 0 else (low, middle)
    return (low + high) / 2


def _arithmetic() -> tuple[Claim, ...]:
    total, serial = 6 * 694 + 273 + 452, 132 * 6 + 111 * 6 - 4
    printed, exact = (
        sum(t.total for t in counts(s)) + elimination(6).total
        for s in (newton_euler.PRINTED, frozenset[str]())
    )
    return (
        Claim(
            "4889 operations a step (694 a leg, 273 platform, 452 equations)",
            "Sec. 4.5",
            "4889",
            f"sum {total}; this code, as printed {printed}",
            f"{exact}",
            "reproduced",
            "the sum is right; our counts leave out constant zeros and ones",
        ),
        Claim(
            "3.36 times a serial arm's 1454 operations",
            "Sec. 4.5",
            "3.36",
            f"{total / serial:.2f}",
            f"{exact / serial:.2f}",
            "reproduced",
            f"132 n + 111 n - 4 = {serial} for n = 6",
        ),
    )


def errata(machine: Platform, paths: dict[str, PathForces]) -> tuple[Erratum, ...]:
    """Each erratum and what it costs alone on Paths I and II."""
    one, two = paths["I"], paths["II"]

    def cost(other: Platform | None = None, slips: frozenset[str] = frozenset()) -> str:
        parts = []
        for name, path in (("I", one), ("II", two)):
            force = newton_euler.inverse_dynamics(other or machine, path.motion, errata=slips).force
            parts.append(f"Path {name} {path.cost(force)}")
        return ", ".join(parts)

    legs = ups_legs(machine)
    bent = [
        quiet_replace(machine, legs=[legs[0].replace(axis=(-0.8141, 0.2714, z)), *legs[1:]])
        for z in (0.5134, -0.5134)
    ]
    smooth = quiet_replace(machine, legs=[leg.replace(friction=Friction()) for leg in legs])
    lengths = newton_euler.leg_motion(machine, one.motion).length
    low = min(float((lengths + leg.upper.center[0]).min()) for leg in legs)
    moments = [float(x) for x in np.linalg.eigvalsh(legs[0].lower.inertia)]
    both = newton_euler.PRINTED | {"E001-4"}
    return (
        Erratum(
            "E001-1",
            "Eqs 6 and 9 forbid spin (W.s = 0); a universal joint enforces W.c = 0, so "
            "W.s = (k.s)(k.W_n)/(1 - (k.s)^2).",
            cost(slips=frozenset({"E001-1"})),
        ),
        Erratum(
            "E001-2",
            "Eqs 17-21 and 29 put the joint's moment along s; it acts along c = k x y: "
            "m = C.s/(c.s), K = (C - m c) x s/L.",
            cost(slips=frozenset({"E001-2"})),
        ),
        Erratum(
            "E001-3",
            "Eq 16 adds m_u L^2 diag(0, 1, 1), which m_u r_u x a_u already contains: "
            "I_u = T I_u0 T^T.",
            cost(slips=frozenset({"E001-3"})),
        ),
        Erratum(
            "E001-4",
            "Eq 33 prints +sum K; the line above it and eq 35 have -sum K.",
            cost(slips=frozenset({"E001-4"})) + "; with the other slips " + cost(slips=both),
        ),
        Erratum(
            "E001-5",
            "Eq 39 uses tau_t for both times; read tau_b = tau_f - |t1 - t0|/V.",
            "none once read so",
        ),
        Erratum(
            "E001-6",
            "k_1 has length 0.8581 although called a unit vector; normalized here.",
            "if a third component +0.5134 or -0.5134 was lost: " + "; ".join(cost(m) for m in bent),
        ),
        Erratum(
            "E001-7",
            "No tensor is physical: the lower parts have principal moments "
            f"{listing(moments, 4)} kg m^2, the others break the triangle inequality.",
            "nearest physical tensors: " + cost(quiet_load("dasgupta-1998-physical")),
        ),
        Erratum(
            "E001-8",
            "The upper parts' mass centers lie below the base joints on parts of Path I.",
            f"axial coordinate down to {low:.3f} m; not realizable, harmless in the equations",
        ),
        Erratum(
            "E001-9",
            "Sec. 5 says 20 % and up to 40 %, the conclusion 20-50 %; friction is invisible.",
            "friction removed: " + cost(smooth),
        ),
        Erratum(
            "E001-10",
            "Ball joints at both ends may ignore the spin only for legs symmetric about their "
            "axis; otherwise the spins are six more degrees of freedom.",
            "not measured here",
        ),
    )
