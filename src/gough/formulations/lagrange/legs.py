"""The legs: PUS as in the paper (002 Secs. 3.1.2, 3.1.3, 3.4), telescopic legs (UPS, SPS), cranks (RUS)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gough.checks import Array
from gough.formulations.lagrange import bodies as rigid
from gough.formulations.lagrange.bodies import Group, Strut, Variant
from gough.formulations.lagrange.chart import Complex
from gough.model import PUS, RUS, SPS, UPS


def telescopic(
    legs: Sequence[UPS | SPS], index: list[int], g: Array, t: Complex, q: Complex, variant: Variant
) -> Group:
    """UPS and SPS: the lower part turns about the base joint, the upper one follows the platform joint."""
    b = np.array([leg.base for leg in legs])
    S = t[..., None, :] + q - b
    L = np.sqrt((S * S).sum(-1))[..., None]
    rigid.positive(L[..., 0].real, index, "the platform joint meets the base joint")
    s = S / L
    J_p = rigid.point(q)
    k = np.array([leg.axis for leg in legs if isinstance(leg, UPS)]) if isinstance(legs[0], UPS) else None
    strut = rigid.strut(s, k, J_p / L[..., None], index, "E002-1" in variant.errata)
    J_C = (s[..., None, :] @ J_p)[..., 0, :]
    lower, upper = [leg.lower for leg in legs], [leg.upper for leg in legs]
    r_d, r_u = (strut.turn(np.array([x.center for x in bodies])) for bodies in (lower, upper))
    m_d, m_u = (np.array([x.mass for x in bodies]) for bodies in (lower, upper))
    moving = rigid.moving(m_d, -rigid.skew(r_d) @ strut.J_D) + rigid.moving(
        m_u, J_p - rigid.skew(r_u) @ strut.J_D
    )
    turning = rigid.turning(lower, strut) + rigid.turning(upper, strut)
    weight = rigid.weight(m_d, b + r_d, g) + rigid.weight(m_u, t[..., None, :] + q + r_u, g)
    parts = {
        "links, translating": moving,
        "links, turning": turning,
        "drives": rigid.drives(legs, J_C, strut),
    }
    return Group(index, parts, weight, J_C, strut.J_D, strut.J_D, s)


def sliding(
    legs: Sequence[PUS], index: list[int], g: Array, t: Complex, q: Complex, variant: Variant
) -> Group:
    """PUS legs, the paper's own: slider on a rail (eqs 30-41), link of fixed length (eqs 42-65)."""
    b, e, k = (np.array([getattr(leg, name) for leg in legs]) for name in ("base", "rail", "axis"))
    Lf = np.array([leg.length for leg in legs])
    sign = np.array([leg.assembly for leg in legs])
    P = t[..., None, :] + q - b
    Pe = (P * e).sum(-1)
    root = Pe * Pe - (P * P).sum(-1) + Lf * Lf
    rigid.positive(root.real, index, "the link is too short to reach the platform joint from its rail")
    l = Pe - sign * np.sqrt(root)
    s = (P - l[..., None] * e) / Lf[:, None]  # a_i / L
    J_p = rigid.point(q)
    J_C = (s[..., None, :] @ J_p)[..., 0, :] / (s * e).sum(-1)[..., None]
    J_A = e[:, :, None] * J_C[..., None, :]  # slider velocity, eq 31
    strut = Strut(s, np.eye(3), np.zeros((*s.shape, 6)))
    if variant.links == "complete" or any(leg.friction.universal or leg.friction.spherical for leg in legs):
        N = (J_p - J_A) / Lf[:, None, None]
        strut = rigid.strut(
            s, k, N, index, "E002-1" in variant.errata
        )  # eqs 58, 59; point masses do not need it
        _misprint_J_D(strut.J_D, Lf[:, None] * s, q, Lf, variant)
    sliders = np.array([leg.slider_mass for leg in legs])
    end = b + l[..., None] * e
    parts = {"actuators": rigid.moving(sliders, J_A), "drives": rigid.drives(legs, J_C, strut)}  # eqs 35, 40
    weight = rigid.weight(sliders, end + np.array([leg.slider_center for leg in legs]), g)
    more, fall = _links(legs, variant, strut, J_p, J_A, (t[..., None, :] + q, end, l, q), g)
    return Group(index, parts | more, weight + fall, J_C, strut.J_D, strut.J_D, s)


def _links(
    legs: Sequence[PUS],
    variant: Variant,
    strut: Strut,
    J_p: Complex,
    J_A: Complex,
    points: tuple[Complex, Complex, Complex, Complex],
    g: Array,
) -> tuple[dict[str, Complex], Complex]:
    """Fixed-length links: complete (eqs 43-65, 69), or as two or three point masses (eqs 80-91)."""
    tip, end, l, q = points
    links = [leg.link for leg in legs]
    c = np.array([link.center[0] / leg.length for link, leg in zip(links, legs, strict=True)])  # 1 - b_cm / L
    if variant.links != "complete":
        masses = np.array(
            [_point_masses(leg, variant) for leg in legs]
        )  # platform end, mass center, slider end
        middle = [(c[:, None, None], J_p, J_A), (c[:, None], tip, end)]
        J_cm, r_cm = (w * far + (1 - w) * near for w, far, near in middle)
        moving = sum(map(rigid.moving, masses.T, (J_p, J_cm, J_A)), np.zeros((6, 6)))
        weight = sum(
            (rigid.weight(m, r, g) for m, r in zip(masses.T, (tip, r_cm, end), strict=True)), np.zeros(())
        )
        if "E002-6" in variant.errata:  # eq 80 prints "tra + tra": twice the energy of the mass center
            moving = 2 * rigid.moving(masses.sum(axis=1), J_cm)
        return {"links, point masses": moving}, weight
    off = strut.turn(np.array([[0.0, *link.center[1:]] for link in links]))
    w = c[:, None]
    J_B = w[..., None] * J_p + (1 - w[..., None]) * J_A - rigid.skew(off) @ strut.J_D  # eqs 44-46
    if "E002-3" in variant.errata:  # entry -p_y of the first row is lost in print
        J_B[..., 0, 5] += c * q[..., 1]
    r = w * tip + (1 - w) * end + off  # eq 43
    m = np.array([link.mass for link in links])
    weight = rigid.weight(m, r, g)
    if "E002-5" in variant.errata:  # eq 69 prints P_l where (R p_i)_z belongs; read as l_i
        weight = weight - g[2] * (m * c * (l - q[..., 2])).sum(-1)
    return {"links, translating": rigid.moving(m, J_B), "links, turning": rigid.turning(links, strut)}, weight


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


def _misprint_J_D(J_D: Complex, a: Complex, q: Complex, Lf: Array, variant: Variant) -> None:
    """E002-2: eq 63 as it can be read: a_iz in place of a_ix in the third row, columns 4 and 6."""
    if "E002-2" not in variant.errata:
        return
    J_D[..., 2, 3] = -a[..., 2] * q[..., 2] / Lf**2
    J_D[..., 2, 5] = (a[..., 2] * q[..., 0] + a[..., 1] * q[..., 1]) / Lf**2


def cranked(
    legs: Sequence[RUS], index: list[int], g: Array, t: Complex, q: Complex, variant: Variant
) -> Group:
    """RUS legs: a crank turns about its shaft and carries the universal joint; the rod has fixed length.

    The crank angle enters through its cosine and sine only, which are analytic in the pose.
    """
    b, e, u0, k0 = (
        np.array([getattr(leg, name) for leg in legs]) for name in ("base", "shaft", "arm", "axis")
    )
    Lf = np.array([leg.length for leg in legs])
    P = t[..., None, :] + q - b
    cos, sin = _crank_angle(P, e, u0, Lf, np.array([leg.elbow for leg in legs]), index)

    def turned(v: Array) -> Complex:
        along = (e * v).sum(-1)[:, None] * e
        return along + cos * (v - along) + sin * np.cross(e, v)

    u, k = turned(u0), turned(k0)
    s = (P - u) / Lf[:, None]
    n = np.cross(e, u)  # tip velocity per crank rate
    J_p = rigid.point(q)
    J_C = (s[..., None, :] @ J_p)[..., 0, :] / (s * n).sum(-1)[..., None]
    J_A = n[..., :, None] * J_C[..., None, :]
    strut = rigid.strut(s, k, (J_p - J_A) / Lf[:, None, None], index, "E002-1" in variant.errata, (e, J_C))
    d0 = np.array([leg.crank.center for leg in legs])
    m_c, m_L = (np.array([getattr(leg, name).mass for leg in legs]) for name in ("crank", "link"))
    about = np.array([leg.shaft @ leg.crank.inertia @ leg.shaft for leg in legs])
    swing = about + m_c * (np.cross(e, d0) ** 2).sum(-1)  # moment of inertia about the shaft
    r = strut.turn(np.array([leg.link.center for leg in legs]))
    parts = {
        "actuators": rigid.mt(swing[:, None] * J_C) @ J_C,
        "links, translating": rigid.moving(m_L, J_A - rigid.skew(r) @ strut.J_D),
        "links, turning": rigid.turning([leg.link for leg in legs], strut),
        "drives": rigid.drives(legs, J_C, strut),
    }
    weight = rigid.weight(m_c, b + turned(d0), g) + rigid.weight(m_L, b + u + r, g)
    J_U = strut.J_D - e[:, :, None] * J_C[..., None, :]
    return Group(index, parts, weight, J_C, strut.J_D, J_U, s)


def _crank_angle(
    P: Complex, e: Array, u0: Array, Lf: Array, elbow: Array, index: list[int]
) -> tuple[Complex, Complex]:
    """Cosine and sine (..., n, 1) of the crank angle that puts the tip at the rod's length from P."""
    h, Pe = (e * u0).sum(-1), (P * e).sum(-1)
    flat = u0 - h[:, None] * e
    A, B = (P * flat).sum(-1), (P * np.cross(e, flat)).sum(-1)
    D = ((P * P).sum(-1) + (u0 * u0).sum(-1) - Lf * Lf) / 2 - h * Pe
    NN = A * A + B * B
    root = NN - D * D
    rigid.positive(root.real, index, "the rod does not reach from the crank to the platform joint")
    X = elbow * np.sqrt(root)
    return ((A * D - B * X) / NN)[..., None], ((B * D + A * X) / NN)[..., None]
