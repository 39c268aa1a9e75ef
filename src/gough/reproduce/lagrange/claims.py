"""What [Lopes] (002) states, set against its own equations and the exact model."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.formulations import lagrange
from gough.formulations.lagrange.balance import energies_at
from gough.formulations.lagrange.errata import Variant
from gough.model import PUS, Body, Platform
from gough.reproduce.builders import listing, newtons, quiet_load, worst
from gough.reproduce.lagrange.forces import TABLE_2_ENDS, Durations, LinkModelForces
from gough.reproduce.lagrange.operations import (
    TABLE_1,
    TABLE_1_TOTAL,
    LinkCounts,
    printed_totals,
    saving,
)
from gough.reproduce.page import Claim, Erratum
from gough.spatial import Motion
from gough.trajectory import paper

DASGUPTA = (411.5293, -1146.6681, 1434.0676, -616.9372, -68.9928, 370.5364)  # 001 Path I, t = 0, N


def summary(runs: Durations) -> str:
    """Two sentences with the result first."""
    slow, fast = (runs["A", T].percent(runs["A", T].simplified) for T in (4.0, 0.5))
    return (
        "The complete model is right: with the data of Table 2 the printed equations are exact once the "
        "damaged entries are restored.  The simplified model is similar only at low speed: it is off by "
        f"{slow:.1f} % of the peak at 4 s from P1 to P2 and by {fast:.1f} % at 0.5 s, because its two end "
        "masses turn with 3.27 times the link's inertia.  Three masses (1/6, 2/3, 1/6 for a uniform rod) "
        "are exact for slender links."
    )


def slip(machine: Platform, main: LinkModelForces, key: str) -> Array:
    """Force error (n, 6) if one erratum alone is kept, N; E002-6 belongs to the simplified model."""
    links = "two-mass" if key == "E002-6" else "complete"
    right = lagrange.inverse_dynamics(machine, main.motion, links=links).force
    return lagrange.inverse_dynamics(machine, main.motion, links=links, errata={key}).force - right


def claims(
    machine: Platform, main: LinkModelForces, runs: Durations, counts: dict[str, LinkCounts]
) -> tuple[Claim, ...]:
    """The paper's statements."""
    return (
        *_models(machine, main, runs),
        *_rest(machine, main),
        *_operations(counts),
        *_theory(machine, main),
    )


def _models(machine: Platform, main: LinkModelForces, runs: Durations) -> tuple[Claim, ...]:
    sizes = ", ".join(
        f"{r.percent(r.simplified):.1f} % ({T:g} s)" for (name, T), r in runs.items() if name == "A"
    )
    moved = redistributed(machine)
    same = worst(lagrange.inverse_dynamics(moved, main.motion).force, main.simplified)
    return (
        Claim(
            "Complete and simplified model give similar forces",
            "Sec. 4, Fig. 5",
            "similar",
            f"{main.percent(main.simplified):.1f} % of the peak at 1 s",
            f"{sizes} for the time from P1 to P2",
            "differs",
            "true for slow motion only; the paper does not say how fast its own was",
        ),
        Claim(
            "The simplified model represents the mechanical behavior",
            "Sec. 5",
            "-",
            f"{max(r.percent(r.simplified) for r in runs.values()):.1f} % at worst (layout B, 0.5 s)",
            f"three masses: {max(r.percent(r.three) for r in runs.values()):.0e} %",
            "differs",
            "a third mass at the mass center repairs it",
        ),
        Claim(
            "Two end masses are the same as moving them to platform and actuators",
            "eqs 86-91",
            "-",
            f"largest difference {same:.0e} N",
            f"{same:.0e} N",
            "reproduced",
        ),
        Claim(
            "Moments of inertia of the six m_L1 about the platform center",
            "eqs 89-91",
            "3, 3, 6 m_L1 r_P^2 for phi_P = 0",
            listing(_added_inertia(machine), 6) + " kg m^2",
            listing(0.194 * 0.75**2 * np.array([3.0, 3.0, 6.0]), 6) + " kg m^2",
            "reproduced",
        ),
    )


def _rest(machine: Platform, main: LinkModelForces) -> tuple[Claim, ...]:
    rest = [
        lagrange.inverse_dynamics(machine, Motion.at_rest(main.motion[i].pose)).force
        for i in (0, len(main.time) // 2)
    ]
    weight = 9.81 * (
        machine.body.mass
        + sum(leg.slider_mass + leg.link.mass for leg in machine.legs if isinstance(leg, PUS))
    )
    return (
        Claim(
            "The end masses keep the mass center of the link",
            "Sec. 3.4",
            "m_L = m_L1 + m_L2",
            "0.388 kg at 0.9185 m from either end",
            "0.389 kg at 0.918 m from the platform",
            "differs",
            f"1 g is missing: {rest[0][0] - _rest_simplified(machine, main):.4f} N per actuator at rest (E002-7)",
        ),
        Claim(
            "Slider positions at P1 and P2",
            "Fig. 4",
            "-",
            f"P1 {main.length[0, 0]:.5f} m each",
            "P2 " + listing(main.length[len(main.time) // 2], 5) + " m",
            "unclear",
            "the joint layout is not given; layout A",
        ),
        Claim(
            "Forces at rest carry the weight",
            "eqs 67-69, 14",
            "-",
            f"P1 {rest[0][0]:.5f} N each, sum {rest[0].sum():.4f} N",
            f"P2 {listing(rest[1], 5)}, sum {rest[1].sum():.4f} N; weight {weight:.4f} N",
            "reproduced",
            "with vertical rails the six forces always add up to the weight at rest",
        ),
    )


def _operations(counts: dict[str, LinkCounts]) -> tuple[Claim, ...]:
    complete, simple = printed_totals()
    sums = tuple(map(sum, zip(*TABLE_1.values(), strict=True)))
    mine = (counts["complete"].total, counts["two-mass"].total, counts["three-mass"].total)
    return (
        Claim(
            "Totals of Table 1",
            "Table 1",
            listing(TABLE_1_TOTAL, 0),
            listing(sums, 0),
            listing(sums, 0),
            "reproduced" if sums == TABLE_1_TOTAL else "wrong",
        ),
        Claim(
            "The simplified model has a much lower computational burden",
            "Sec. 5, Table 1",
            "-",
            f"{simple} of {complete} operations, {saving(complete, simple)} saved",
            f"this code {mine[1]} of {mine[0]}, {saving(mine[0], mine[1])} saved; three masses {mine[2]}, "
            f"{saving(mine[0], mine[2])} saved",
            "reproduced",
            f"inertia matrices: {counts['complete'].inertia.total} operations here, "
            f"{sum(TABLE_1_TOTAL[3:])} in Table 1; derivatives by complex step cost more than hand-made "
            "ones",
        ),
    )


def _theory(machine: Platform, main: LinkModelForces) -> tuple[Claim, ...]:
    spin = link_spin(machine, main.motion)
    found = lagrange.terms(machine, main.motion, chart="euler")
    rate = (found.xd[..., None, None] * found.gradient).sum(-3)
    skew = rate - 2 * found.coriolis
    skew_error = float(
        np.abs(skew + np.swapaxes(skew, -1, -2)).max() / np.abs(found.coriolis).max()
    )
    christoffel = np.einsum("tkij,ti,tj->tk", found.gradient, found.xd, found.xd)
    Vx = (found.coriolis @ found.xd[..., None])[..., 0]
    want = (rate @ found.xd[..., None])[..., 0] - christoffel / 2
    V_error = float(np.abs(Vx - want).max() / np.abs(want).max())
    other = lagrange.inverse_dynamics(quiet_load("dasgupta-1998"), paper("001-I")(0.0))  # type: ignore[operator]
    reach = float(np.abs(other.force - DASGUPTA).max())
    return (
        Claim(
            "V = (dI/dt + U^T - U)/2 gives the Coriolis and centripetal terms",
            "eqs 76-79",
            "-",
            f"V xd against dI/dt xd - d(xd^T I xd/2)/dx: {V_error:.0e} relative",
            f"dI/dt - 2V skew to {skew_error:.0e}",
            "reproduced",
        ),
        Claim(
            "A link cannot rotate about its own axis",
            "Sec. 3.1.3, eqs 55, 59",
            "0 rad/s",
            "0 rad/s",
            f"up to {np.abs(spin).max():.3f} rad/s",
            "wrong",
            "its universal joint makes it spin by (k.s)(k.W_n)/(1 - (k.s)^2), as the frame of eq 55 does; "
            "no effect with I_Lxx = 0 (E002-1)",
        ),
        Claim(
            "The approach is general",
            "Sec. 5",
            "-",
            "6-PUS only",
            f"6-UPS of 001, Path I at t = 0: within {reach:.0e} N of the Newton-Euler forces",
            "reproduced",
            "energies of both leg parts in place of actuator and link",
        ),
    )


def link_spin(machine: Platform, motion: Motion) -> Array:
    """Angular velocity of the links along their own axes (n, 6), rad/s."""
    found = energies_at(machine, motion.position, motion.rotation, Variant())
    twist = np.concatenate([motion.velocity, motion.angular_velocity], axis=-1)
    W = (found.J_D @ twist[..., None, :, None])[..., 0]
    return (W * found.s).sum(-1)


def redistributed(machine: Platform) -> Platform:
    """Eqs 86-91: the end masses of Table 2 as part of platform and sliders, links without mass."""
    extra = np.diag(_added_inertia(machine))
    body = Body(machine.body.mass + 6 * 0.194, machine.body.center, machine.body.inertia + extra)
    legs = [
        leg.replace(slider_mass=leg.slider_mass + 0.194, link=Body(0.0))
        for leg in machine.legs
        if isinstance(leg, PUS)
    ]
    return machine.replace(body=body, legs=legs)


def _added_inertia(machine: Platform) -> Array:
    p = machine.platform_joints
    return 0.194 * np.array([(p[:, 1] ** 2).sum(), (p[:, 0] ** 2).sum(), (p**2).sum()])


def _rest_simplified(machine: Platform, main: LinkModelForces) -> float:
    rest = Motion.at_rest(main.motion[0].pose)
    return float(
        lagrange.inverse_dynamics(machine, rest, links="two-mass", end_masses=TABLE_2_ENDS).force[0]
    )


def errata(machine: Platform, main: LinkModelForces, runs: Durations) -> tuple[Erratum, ...]:
    """Each erratum and what it costs on the trajectory of Fig. 5."""

    def cost(key: str) -> str:
        return newtons(float(np.abs(slip(machine, main, key)).max()), main.peak) + " of the peak"

    return (
        Erratum(
            "E002-1",
            "Eqs 55 and 59 exclude each other: the frame follows the universal joint and spins, the "
            "angular velocity does not.  Add the spin (k.s)(k.W_n)/(1 - (k.s)^2) s.",
            "none with Table 2; " + _thick_links(machine, main),
        ),
        Erratum(
            "E002-2",
            "Eq 63 is damaged in (2,3), (3,4), (3,6) and the right half of row 2; it is J_D = a~([1, -p~] "
            "- z J_C)/L^2.",
            "a_iz read for a_ix in row 3: " + cost("E002-2"),
        ),
        Erratum(
            "E002-3",
            "Eq 46 has lost the entry -p_y of its first row; J_B = (1-b/L)[1, -p~] + (b/L) z J_C.",
            cost("E002-3"),
        ),
        Erratum(
            "E002-4",
            "J_C and eq 42 are missing; J_C has rows [a, p x a]/(a.z), p_L = x + p_i - (b_cm/L) a_i.",
            "none once derived",
        ),
        Erratum(
            "E002-5",
            "Eq 69 prints P_l where the height (R p_i)_z of the platform joint belongs.",
            "read as l_i: " + cost("E002-5"),
        ),
        *_data_errata(machine, main, runs, cost("E002-6")),
    )


def _thick_links(machine: Platform, main: LinkModelForces) -> str:
    """Cost of E002-1 for links with a moment of inertia about their axis."""
    thick = []
    for I_xx in (0.001, 0.01):
        heavy = machine.replace(
            legs=[
                leg.replace(link=Body(0.389, (0.919, 0, 0), (I_xx, 0.1, 0.1)))
                for leg in machine.legs
            ]
        )
        error = [
            lagrange.inverse_dynamics(heavy, main.motion, published=p).force for p in (True, False)
        ]
        thick.append(f"{worst(*error):.4f} N with I_Lxx = {I_xx:g}")
    return ", ".join(thick)


def _data_errata(
    machine: Platform, main: LinkModelForces, runs: Durations, literal: str
) -> tuple[Erratum, ...]:
    """Of the simplified model and of Table 2."""
    sizes = {
        name: "/".join(f"{r.percent(r.simplified):.1f}" for (n, _), r in runs.items() if n == name)
        for name in "AB"
    }
    rest = lagrange.inverse_dynamics(machine, Motion.at_rest(main.motion[0].pose)).force
    lost = float(rest[0]) - _rest_simplified(machine, main)
    turning = 0.194 * 2 * (1.837 / 2) ** 2
    return (
        Erratum(
            "E002-6",
            "Eq 80 says tra + tra for tra + rot; eqs 35, 36 lose transposes, eq 78 loses I(x), eq 34 says "
            "J_E for row i of J_C.",
            "eq 80 taken literally: " + literal,
        ),
        Erratum(
            "E002-7",
            "Table 2: m_L1 + m_L2 = 0.388 kg, m_L = 0.389 kg; b_cm 0.918 m is not L/2 = 0.9185 m; I_Lyy = "
            f"0.1 where a uniform rod has {0.389 * 1.837**2 / 12:.4f} kg m^2.",
            f"{lost:.4f} N per actuator at rest",
        ),
        Erratum(
            "E002-8",
            f"The two end masses have {turning:.4f} kg m^2 about the mass center, the link has 0.1: "
            f"{turning / 0.1:.2f} times as much.  Three masses can match it.",
            f"{sizes['A']} % of the peak for 4/2/1/0.5 s (layout A), {sizes['B']} % (layout B)",
        ),
        Erratum(
            "E002-9",
            "I_Lxx = 0 is the slender limit: admissible, but the tensor must not be inverted.",
            "none",
        ),
    )
