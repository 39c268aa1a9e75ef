"""Kinetic and potential energy of every body from the platform pose.  [Lopes] 002, Secs. 3.1, 3.2, 3.4

Every body is seen through Jacobians from the platform twist (v, omega) at the reference point, world axes:
    J_C  (..., 6)     of an actuator rate                 eqs 6, 34
    J_B  (..., 3, 6)  of a mass centre's velocity         eqs 45, 46
    J_D  (..., 3, 6)  of a strut's angular velocity       eqs 60, 63
so that its kinetic energy is that of a platform with inertia ``m J_B^T J_B + J_D^T I J_D`` (eqs 48, 62).
The paper's 6-PUS machine is one case; telescopic legs (UPS, SPS) add a second body per leg, mass centres may
lie off the strut and tensors may be full.  Legs of one type are handled together along the axis ``n``.
Everything is analytic in the pose: no norms of complex numbers, no branches on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.checks import Array, InfeasibleError
from gough.formulations.lagrange.chart import Complex
from gough.model import PUS, SPS, UPS, Body, Platform

SINGULAR = 1e-12  # 1 - (k.s)^2 below which the universal joint has lost an axis


@dataclass(frozen=True)
class Variant:
    """Which model: `links` complete, two-mass or three-mass; `errata` kept; `end_masses` (m_L1, m_L2)."""

    links: str = "complete"
    errata: frozenset[str] = frozenset()
    end_masses: tuple[float, float] | None = None


@dataclass
class Machine:
    """What the energies need, at one pose (or at the six complex steps around it).

    parts      equivalent inertia matrices (..., 6, 6) by name, base frame, to be added (eq 73)
    potential  (...) J
    J_C        (..., 6, 6) actuator rates;   J_D  (..., 6, 3, 6) strut angular velocities
    s          (..., 6, 3) strut directions; q (..., 6, 3) platform joints from the reference point
    """

    parts: dict[str, Complex]
    potential: Complex
    J_C: Complex
    J_D: Complex
    s: Complex
    q: Complex

    @property
    def inertia(self) -> Complex:
        """Total inertia matrix, base frame.  002 eq 73"""
        return sum(self.parts.values(), np.zeros((6, 6)))  # type: ignore[return-value]


@dataclass
class Group:
    """Legs of one type, stacked: energies and Jacobians to be put into the machine."""

    index: list[int]
    parts: dict[str, Complex]
    potential: Complex
    J_C: Complex
    J_D: Complex
    s: Complex


@dataclass
class Strut:
    """Direction s, frame ``T = [s, y, s x y]`` (eqs 53-56), angular velocity Jacobian J_D of struts."""

    s: Complex
    T: Complex
    J_D: Complex

    def turn(self, local: Array) -> Complex:
        """Local vectors (n, 3) to world axes."""
        return (self.T @ local[..., None])[..., 0]


def machine(platform: Platform, t: Complex, R: Complex, variant: Variant) -> Machine:
    """All energies at position `t` (..., 3) and rotation `R` (..., 3, 3)."""
    parts, potential = _platform(platform.body, platform.gravity, t, R)
    dtype, shape = np.result_type(t, R), t.shape[:-1]
    J_C = np.zeros((*shape, 6, 6), dtype=dtype)
    J_D = np.zeros((*shape, 6, 3, 6), dtype=dtype)
    s = np.zeros((*shape, 6, 3), dtype=dtype)
    q = platform.platform_joints @ _mt(R)
    makers = {UPS: _telescopic, SPS: _telescopic, PUS: _sliding}
    for kind, make in makers.items():
        index = [i for i, leg in enumerate(platform.legs) if type(leg) is kind]
        if not index:
            continue
        group = make([platform.legs[i] for i in index], index, platform.gravity, t, q[..., index, :], variant)
        J_C[..., index, :], J_D[..., index, :, :], s[..., index, :] = group.J_C, group.J_D, group.s
        potential = potential + group.potential
        for name, value in group.parts.items():
            parts[name] = parts[name] + value if name in parts else value
    return Machine(parts, potential, J_C, J_D, s, q)


def _platform(body: Body, g: Array, t: Complex, R: Complex) -> tuple[dict[str, Complex], Complex]:
    """Moving platform: eqs 16-23 and 67, with the mass centre anywhere in the platform."""
    r = R @ body.center
    J_B = _point(r[..., None, :])[..., 0, :, :]
    inertia = body.mass * _mt(J_B) @ J_B
    inertia[..., 3:, 3:] += R @ body.inertia @ _mt(R)  # eq 20
    return {"platform": inertia}, -body.mass * (t + r) @ g


def _telescopic(
    legs: Sequence[UPS | SPS], index: list[int], g: Array, t: Complex, q: Complex, variant: Variant
) -> Group:
    """UPS and SPS: the lower part turns about the base joint, the upper one follows the platform joint."""
    b = np.array([leg.base for leg in legs])
    S = t[..., None, :] + q - b
    L = np.sqrt((S * S).sum(-1))[..., None]
    _positive(L[..., 0].real, index, "the platform joint meets the base joint")
    s = S / L
    J_p = _point(q)
    k = np.array([leg.axis for leg in legs if isinstance(leg, UPS)]) if isinstance(legs[0], UPS) else None
    strut = _strut(s, k, J_p / L[..., None], index, "E002-1" in variant.errata)
    J_C = (s[..., None, :] @ J_p)[..., 0, :]
    lower, upper = [leg.lower for leg in legs], [leg.upper for leg in legs]
    r_d, r_u = (strut.turn(np.array([x.center for x in bodies])) for bodies in (lower, upper))
    m_d, m_u = (np.array([x.mass for x in bodies]) for bodies in (lower, upper))
    moving = _moving(m_d, -_skew(r_d) @ strut.J_D) + _moving(m_u, J_p - _skew(r_u) @ strut.J_D)
    turning = _turning(lower, strut) + _turning(upper, strut)
    weight = _weight(m_d, b + r_d, g) + _weight(m_u, t[..., None, :] + q + r_u, g)
    parts = {"links, translating": moving, "links, turning": turning, "drives": _drives(legs, J_C, strut)}
    return Group(index, parts, weight, J_C, strut.J_D, s)


def _sliding(
    legs: Sequence[PUS], index: list[int], g: Array, t: Complex, q: Complex, variant: Variant
) -> Group:
    """PUS legs, the paper's own: slider on a rail (eqs 30-41), link of fixed length (eqs 42-65)."""
    b, e, k = (np.array([getattr(leg, name) for leg in legs]) for name in ("base", "rail", "axis"))
    Lf = np.array([leg.length for leg in legs])
    sign = np.array([leg.assembly for leg in legs])
    P = t[..., None, :] + q - b
    Pe = (P * e).sum(-1)
    root = Pe * Pe - (P * P).sum(-1) + Lf * Lf
    _positive(root.real, index, "the link is too short to reach the platform joint from its rail")
    l = Pe - sign * np.sqrt(root)
    s = (P - l[..., None] * e) / Lf[:, None]  # a_i / L
    J_p = _point(q)
    J_C = (s[..., None, :] @ J_p)[..., 0, :] / (s * e).sum(-1)[..., None]
    J_A = e[:, :, None] * J_C[..., None, :]  # slider velocity, eq 31
    strut = Strut(s, np.eye(3), np.zeros((*s.shape, 6)))
    if variant.links == "complete" or any(leg.friction.universal or leg.friction.spherical for leg in legs):
        N = (J_p - J_A) / Lf[:, None, None]
        strut = _strut(s, k, N, index, "E002-1" in variant.errata)  # eqs 58, 59; point masses do not need it
        _misprint_J_D(strut.J_D, Lf[:, None] * s, q, Lf, variant)
    sliders = np.array([leg.slider_mass for leg in legs])
    end = b + l[..., None] * e
    parts = {"actuators": _moving(sliders, J_A), "drives": _drives(legs, J_C, strut)}  # eqs 35, 40
    weight = _weight(sliders, end + np.array([leg.slider_center for leg in legs]), g)
    more, fall = _links(legs, variant, strut, J_p, J_A, (t[..., None, :] + q, end, l, q), g)
    return Group(index, parts | more, weight + fall, J_C, strut.J_D, s)


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
        )  # platform end, mass centre, slider end
        middle = [(c[:, None, None], J_p, J_A), (c[:, None], tip, end)]
        J_cm, r_cm = (w * far + (1 - w) * near for w, far, near in middle)
        moving = sum(map(_moving, masses.T, (J_p, J_cm, J_A)), np.zeros((6, 6)))
        weight = sum(
            (_weight(m, r, g) for m, r in zip(masses.T, (tip, r_cm, end), strict=True)), np.zeros(())
        )
        if "E002-6" in variant.errata:  # eq 80 prints "tra + tra": twice the energy of the mass centre
            moving = 2 * _moving(masses.sum(axis=1), J_cm)
        return {"links, point masses": moving}, weight
    off = strut.turn(np.array([[0.0, *link.center[1:]] for link in links]))
    w = c[:, None]
    J_B = w[..., None] * J_p + (1 - w[..., None]) * J_A - _skew(off) @ strut.J_D  # eqs 44-46
    if "E002-3" in variant.errata:  # entry -p_y of the first row is lost in print
        J_B[..., 0, 5] += c * q[..., 1]
    r = w * tip + (1 - w) * end + off  # eq 43
    m = np.array([link.mass for link in links])
    weight = _weight(m, r, g)
    if "E002-5" in variant.errata:  # eq 69 prints P_l where (R p_i)_z belongs; read as l_i
        weight = weight - g[2] * (m * c * (l - q[..., 2])).sum(-1)
    return {"links, translating": _moving(m, J_B), "links, turning": _turning(links, strut)}, weight


def _point_masses(leg: PUS, variant: Variant) -> tuple[float, float, float]:
    """Masses at the platform end, at the mass centre and at the slider end.

    two-mass: mass and mass centre kept (002 Sec. 3.4), or `end_masses` as given.
    three-mass: the transverse inertia ``I_t`` too: ``m_1 = I_t / (d_1 L)``, ``m_2 = I_t / (d_2 L)`` with the
    distances d of the ends from the mass centre; 1/6, 2/3, 1/6 for a uniform rod.
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


def _strut(s: Complex, k: Array | None, N: Complex, index: list[int], no_spin: bool) -> Strut:
    """Frame and angular velocity of struts along `s` whose far end moves with ``N (v, omega)`` per length.

    Eq 59 gives the part across the strut.  The universal joint allows no rotation about ``c = k x y``, so the
    strut spins by ``(k.s)(k.W_n)/(1 - (k.s)^2)``; the paper drops this (E002-1), its frame (eq 55) has it.
    `k` None: ball joints at both ends, no spin, and only axisymmetric bodies, for which any frame serves.
    """
    J_n = _skew(s) @ N
    if k is None:
        return Strut(s, _any_frame(s), J_n)
    kap = (k * s).sum(-1)[..., None]
    room = 1 - kap * kap
    _positive(
        room[..., 0].real - SINGULAR, index, "the strut lies along the first axis of its universal joint"
    )
    y = np.cross(k, s) / np.sqrt(room)
    T = np.stack([s, y, np.cross(s, y)], axis=-1)
    if no_spin:
        return Strut(s, T, J_n)
    spin = (kap / room) * (k[:, None, :] @ J_n)[..., 0, :]
    return Strut(s, T, J_n + s[..., :, None] * spin[..., None, :])


def _any_frame(s: Complex) -> Complex:
    """A frame with first axis s, built on the world axis farthest from it."""
    k = np.eye(3)[np.argmin(np.abs(np.real(s)), axis=-1)]
    y = np.cross(k, s)
    y = y / np.sqrt((y * y).sum(-1))[..., None]
    return np.stack([s, y, np.cross(s, y)], axis=-1)


def _moving(masses: Array, J_B: Complex) -> Complex:
    """``sum m J_B^T J_B``.  002 eqs 35, 48"""
    flat = J_B.reshape(*J_B.shape[:-3], -1, 6)
    return _mt((masses[:, None, None] * J_B).reshape(flat.shape)) @ flat


def _turning(bodies: Sequence[Body], strut: Strut) -> Complex:
    """``sum J_D^T (T I T^T) J_D``.  002 eqs 52, 62"""
    A = _mt(strut.T) @ strut.J_D
    flat = A.reshape(*A.shape[:-3], -1, 6)
    return _mt((np.array([x.inertia for x in bodies]) @ A).reshape(flat.shape)) @ flat


def _weight(masses: Array, r: Complex, g: Array) -> Complex:
    """``- sum m g.r``.  002 eqs 66-69"""
    return -((r @ g) * masses).sum(-1)


def _drives(legs: Sequence[UPS | SPS | PUS], J_C: Complex, strut: Strut) -> Complex:
    """Rotors: ``m_r ldot^2 / 2``, and ``gam ldot (d.W)`` for one that rides on its leg."""
    m_r = np.array([leg.drive.reflected_inertia if leg.drive else 0.0 for leg in legs])
    total = _mt(m_r[:, None] * J_C) @ J_C
    for n, leg in enumerate(legs):
        if leg.drive is None or leg.drive.rotor_axis is None or leg.drive.rotor_inertia == 0.0:
            continue
        d = strut.T[..., n, :, :] @ leg.drive.rotor_axis
        row = (d[..., None, :] @ strut.J_D[..., n, :, :])[..., 0, :]
        cross = leg.drive.ratio * leg.drive.rotor_inertia * J_C[..., n, :, None] * row[..., None, :]
        total = total + cross + _mt(cross)
    return total


def _point(q: Complex) -> Complex:
    """``[1, -q~]``: velocity of a platform point from the twist, (..., n, 3, 6)."""
    J = np.zeros((*q.shape, 6), dtype=q.dtype)
    J[..., :3] = np.eye(3)
    J[..., 3:] = -_skew(q)
    return J


def _skew(v: Complex) -> Complex:
    K = np.zeros((*v.shape, 3), dtype=v.dtype)
    K[..., 0, 1], K[..., 1, 0] = -v[..., 2], v[..., 2]
    K[..., 0, 2], K[..., 2, 0] = v[..., 1], -v[..., 1]
    K[..., 1, 2], K[..., 2, 1] = -v[..., 0], v[..., 0]
    return K


def _mt(a: Complex) -> Complex:
    return np.swapaxes(a, -1, -2)


def _positive(value: Array, index: list[int], sentence: str) -> None:
    bad = np.logical_not(value > 0)
    if bad.any():
        leg = index[int(np.nonzero(bad)[-1][0])]
        raise InfeasibleError(f"leg {leg + 1}: {sentence}")
