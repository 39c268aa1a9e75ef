"""The legs: PUS as in the paper (002 Secs. 3.1.2, 3.1.3, 3.4), telescopic legs (UPS, SPS), cranks (RUS)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.checks import Array
from gough.formulations import refusals
from gough.formulations.arrays import column, columns
from gough.formulations.lagrange import energies
from gough.formulations.lagrange.energies import Energies
from gough.formulations.lagrange.errata import Variant
from gough.formulations.lagrange.kinematics import Strut, crank_angle, point, strut
from gough.formulations.lagrange.pairs import pair
from gough.formulations.linear import Numbers, cross, dot, outer, skew, transpose
from gough.model import PUS, RUS, SPS, UCU, UPS
from gough.spatial import Pose


def telescopic(
    legs: Sequence[UPS | SPS | UCU],
    index: list[int],
    g: Array,
    t: Numbers,
    q: Numbers,
    variant: Variant,
    platform: tuple[Numbers, Pose] | None = None,
) -> Energies:
    """UPS, SPS, UCU: the lower part turns about the base joint, the upper one follows the platform joint.

    platform  rotation, and home pose, of what carries the upper universal joint (UCU)
    """
    b, m_d, m_u, c_d, c_u = columns(legs, "base lower.mass upper.mass lower.center upper.center")
    S = t[..., None, :] + q - b
    L = np.sqrt(dot(S, S))[..., None]
    refusals.joints_meet(L[..., 0], index)
    s = S / L
    J_p = point(q)
    k = None if isinstance(legs[0], SPS) else column(legs, "axis")
    lower = upper = strut(s, k, J_p / L[..., None], index, "E002-1" in variant.errata)
    J_C = (s[..., None, :] @ J_p)[..., 0, :]
    turned = None
    if platform is not None:
        turned = pair(legs, lower, J_p / L[..., None], index, *platform)  # type: ignore[arg-type]
        upper = turned.upper
    r_d, r_u = lower.turn(c_d), upper.turn(c_u)
    moving = energies.moving(m_d, -skew(r_d) @ lower.J_D) + energies.moving(
        m_u, J_p - skew(r_u) @ upper.J_D
    )
    turning = energies.turning([leg.lower for leg in legs], lower) + energies.turning(
        [leg.upper for leg in legs], upper
    )
    weight = energies.weight(m_d, b + r_d, g) + energies.weight(m_u, t[..., None, :] + q + r_u, g)
    parts = {"links, translating": moving, "links, turning": turning}
    if turned is None:
        parts["drives"] = energies.drives(legs, J_C, lower)
        return Energies(parts, weight, J_C, lower.J_D, lower.J_D, s, q)
    travel = J_C + turned.data.h[:, None] * turned.J_T  # of screws
    parts["drives"] = energies.drives(legs, travel, turned.carrier)
    weight = weight + turned.potential
    return Energies(parts, weight, travel, upper.J_D, lower.J_D, s, q, J_C, turned.J_T)


def sliding(
    legs: Sequence[PUS], index: list[int], g: Array, t: Numbers, q: Numbers, variant: Variant
) -> Energies:
    """PUS legs, the paper's own: slider on a rail (eqs 30-41), link of fixed length (eqs 42-65)."""
    b, e, k, Lf, sign = columns(legs, "base rail axis length assembly")
    P = t[..., None, :] + q - b
    Pe = dot(P, e)
    root = Pe * Pe - dot(P, P) + Lf * Lf
    refusals.far_from_rail(root, index)
    l = Pe - sign * np.sqrt(root)
    s = (P - l[..., None] * e) / Lf[:, None]  # a_i / L
    J_p = point(q)
    J_C = (s[..., None, :] @ J_p)[..., 0, :] / dot(s, e)[..., None]
    J_A = outer(e, J_C)  # slider velocity, eq 31
    body = Strut(s, np.eye(3), np.zeros((*s.shape, 6)))  # enough for point masses
    if variant.links == "complete" or any(
        leg.friction.universal or leg.friction.spherical for leg in legs
    ):
        N = (J_p - J_A) / Lf[:, None, None]
        body = strut(s, k, N, index, "E002-1" in variant.errata)  # eqs 58, 59
        _misprint_J_D(body.J_D, Lf[:, None] * s, q, Lf, variant)
    sliders = column(legs, "slider_mass")
    end = b + l[..., None] * e
    parts = {
        "actuators": energies.moving(sliders, J_A),
        "drives": energies.drives(legs, J_C, body),
    }  # eqs 35, 40
    weight = energies.weight(sliders, end + column(legs, "slider_center"), g)
    tip = t[..., None, :] + q
    if variant.links == "complete":
        more, fall = _links(legs, variant, body, (J_p, J_A), (tip, end, l, q), g)
    else:
        more, fall = _point_links(legs, variant, (J_p, J_A), (tip, end), g)
    return Energies(parts | more, weight + fall, J_C, body.J_D, body.J_D, s, q)


def _links(
    legs: Sequence[PUS],
    variant: Variant,
    body: Strut,
    J: tuple[Numbers, Numbers],
    points: tuple[Numbers, Numbers, Numbers, Numbers],
    g: Array,
) -> tuple[dict[str, Numbers], Numbers]:
    """Fixed-length links, complete.  002 eqs 43-65, 69"""
    (J_p, J_A), (tip, end, l, q) = J, points
    m, center, Lf = columns(legs, "link.mass link.center length")
    c = center[:, 0] / Lf  # 1 - b_cm / L
    off = body.turn(center * [0.0, 1.0, 1.0])
    w = c[:, None]
    J_B = w[..., None] * J_p + (1 - w[..., None]) * J_A - skew(off) @ body.J_D  # eqs 44-46
    if "E002-3" in variant.errata:  # entry -p_y of the first row is lost in print
        J_B[..., 0, 5] += c * q[..., 1]
    weight = energies.weight(m, w * tip + (1 - w) * end + off, g)  # eq 43
    if "E002-5" in variant.errata:  # eq 69 prints P_l where (R p_i)_z belongs; read as l_i
        weight = weight - g[2] * (m * c * (l - q[..., 2])).sum(-1)
    turning = energies.turning([leg.link for leg in legs], body)
    return {"links, translating": energies.moving(m, J_B), "links, turning": turning}, weight


def _point_links(
    legs: Sequence[PUS],
    variant: Variant,
    J: tuple[Numbers, Numbers],
    ends: tuple[Numbers, Numbers],
    g: Array,
) -> tuple[dict[str, Numbers], Numbers]:
    """Fixed-length links as two or three point masses.  002 eqs 80-91"""
    (J_p, J_A), (tip, end) = J, ends
    center, Lf = columns(legs, "link.center length")
    c = center[:, 0] / Lf
    masses = np.array(
        [_point_masses(leg, variant) for leg in legs]
    )  # platform end, mass center, slider end
    middle = [(c[:, None, None], J_p, J_A), (c[:, None], tip, end)]
    J_cm, r_cm = (w * far + (1 - w) * near for w, far, near in middle)
    moving = sum(map(energies.moving, masses.T, (J_p, J_cm, J_A)), np.zeros((6, 6)))
    weight = sum(
        (energies.weight(m, r, g) for m, r in zip(masses.T, (tip, r_cm, end), strict=True)),
        np.zeros(()),
    )
    if "E002-6" in variant.errata:  # eq 80 prints "tra + tra": twice the energy of the mass center
        moving = 2 * energies.moving(masses.sum(axis=1), J_cm)
    return {"links, point masses": moving}, weight


def _point_masses(leg: PUS, variant: Variant) -> tuple[float, float, float]:
    """Masses at the platform end, at the mass center and at the slider end.

    two-mass: mass and mass center kept (002 Sec. 3.4), or `end_masses` as given.
    three-mass: the transverse inertia ``I_t`` too: ``m_1 = I_t / (d_1 L)``, ``m_2 = I_t / (d_2 L)`` with the
    distances d of the ends from the mass center; 1/6, 2/3, 1/6 for a uniform rod.
    """
    m, c, Lf = leg.link.mass, float(leg.link.center[0]), leg.length
    if variant.links == "two-mass":
        if variant.end_masses is not None:
            return variant.end_masses[0], 0.0, variant.end_masses[1]
        return m * c / Lf, 0.0, m * (1 - c / Lf)
    I_t = float(leg.link.inertia[1, 1] + leg.link.inertia[2, 2]) / 2
    m1, m2 = I_t / ((Lf - c) * Lf), I_t / (c * Lf)
    return m1, m - m1 - m2, m2


def _misprint_J_D(J_D: Numbers, a: Numbers, q: Numbers, Lf: Array, variant: Variant) -> None:
    """E002-2: eq 63 as it can be read: a_iz in place of a_ix in the third row, columns 4 and 6."""
    if "E002-2" not in variant.errata:
        return
    J_D[..., 2, 3] = -a[..., 2] * q[..., 2] / Lf**2
    J_D[..., 2, 5] = (a[..., 2] * q[..., 0] + a[..., 1] * q[..., 1]) / Lf**2


def cranked(
    legs: Sequence[RUS], index: list[int], g: Array, t: Numbers, q: Numbers, variant: Variant
) -> Energies:
    """RUS legs: a crank turns about its shaft and carries the universal joint; the rod has fixed length.

    The crank angle enters through its cosine and sine only, which are analytic in the pose.
    """
    b, e, u0, k0, Lf, elbow = columns(legs, "base shaft arm axis length elbow")
    P = t[..., None, :] + q - b
    cos, sin = crank_angle(P, e, u0, Lf, elbow, index)

    def turned(v: Array) -> Numbers:
        along = dot(e, v)[:, None] * e
        return along + cos * (v - along) + sin * cross(e, v)

    u, k = turned(u0), turned(k0)
    s = (P - u) / Lf[:, None]
    n = cross(e, u)  # tip velocity per crank rate
    J_p = point(q)
    J_C = (s[..., None, :] @ J_p)[..., 0, :] / dot(s, n)[..., None]
    J_A = outer(n, J_C)
    body = strut(s, k, (J_p - J_A) / Lf[:, None, None], index, "E002-1" in variant.errata, (e, J_C))
    m_c, m_L, d0 = columns(legs, "crank.mass link.mass crank.center")
    about = np.array([leg.shaft @ leg.crank.inertia @ leg.shaft for leg in legs])
    swing = about + m_c * (cross(e, d0) ** 2).sum(-1)  # moment of inertia about the shaft
    r = body.turn(column(legs, "link.center"))
    parts = {
        "actuators": transpose(swing[:, None] * J_C) @ J_C,
        "links, translating": energies.moving(m_L, J_A - skew(r) @ body.J_D),
        "links, turning": energies.turning([leg.link for leg in legs], body),
        "drives": energies.drives(legs, J_C, body),
    }
    weight = energies.weight(m_c, b + turned(d0), g) + energies.weight(m_L, b + u + r, g)
    return Energies(parts, weight, J_C, body.J_D, body.J_D - outer(e, J_C), s, q)
