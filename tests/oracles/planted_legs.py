"""Planted errors in the legs: mistakes that papers, programs and people have made with these machines."""

from __future__ import annotations

from gough.equations import pus, rus, sps, strut, ups, vec
from oracles.planted import Error

U, P, R = ("UPS",), ("PUS",), ("RUS",)
UR, SR = ("UPS-rotor",), ("SPS-rotor",)
S, F, A = ("SPS-general",), ("SPS-free",), ("SPS-axisymmetric",)
ALL = ("UPS", "SPS-general", "PUS", "RUS")

SHARED = [
    Error("centrifugal term on one axis only", vec.rate_matrix, "Vec(-yy - zz,", "Vec(-yy,", ALL),
    Error(
        "angular acceleration turned the wrong way", vec.rate_matrix, "xy - A.z", "xy + A.z", ALL
    ),
    Error(
        "product of inertia of the wrong sign",
        vec.inertia_tensor,
        "S.yy + S.zz, -S.xy",
        "S.yy + S.zz, S.xy",
        ALL,
    ),
    Error(
        "second moment used as the inertia tensor",
        vec.inertia_tensor,
        "S.yy + S.zz, -S.xy",
        "S.xx, -S.xy",
        ALL,
    ),
    Error(
        "gyroscopic product of inertia lost",
        vec.inertia_moment,
        "B.c.y * S.yy + B.c.z * S.yz",
        "B.c.y * S.yy",
        ALL,
    ),
    Error(
        "second universal axis s x k, not k x s",
        vec.leg_frame,
        "cross(k, s)",
        "cross(s, k)",
        ("UPS", "PUS"),
    ),
    Error("leg frame not normalized", vec.leg_frame, "y / norm(y)", "y", ("UPS", "PUS", "RUS")),
    Error(
        "tensor turned by T^T instead of T",
        vec.Sym.turned,
        "frame.world(",
        "frame.local(",
        ("UPS",),
        3,
    ),
    Error(
        "swing rate of the wrong sign",
        strut.across,
        "-v.z / length, v.y / length",
        "v.z / length, -v.y / length",
        ALL,
    ),
    Error(
        "moment of the universal joint along the leg",
        strut.constraint_moment,
        "-C.x * kap / sig",
        "0.0 * C.x",
        ("UPS", "PUS", "RUS"),
    ),
    Error(
        "moment along the leg ignored in the end force",
        strut.end_force,
        "C.z + C.x * kap / sig",
        "C.z",
        ("UPS", "PUS", "RUS"),
    ),
    Error(
        "moment along the leg of the wrong sign",
        strut.end_force,
        "C.z + C.x",
        "C.z - C.x",
        ("UPS", "PUS", "RUS"),
    ),
    Error(
        "coupling of slide and swing counted once",
        strut.swing_mass,
        "dot(vx, ux) + dot(vx, ex)",
        "dot(vx, ux)",
        ("PUS", "RUS"),
    ),
    Error(
        "swing inertia of the upper part lost",
        strut.swing_mass,
        "dot(vy, uy) + dot(vy, ey)",
        "dot(vy, uy)",
        U,
    ),
    Error("spin left out", ups.universal_spin, "kap / sig * Wn.z", "0.0 * Wn.z", ("UPS", "PUS")),
    Error(
        "spin divided once too often",
        ups.universal_spin,
        "kap / sig",
        "kap / (sig * sig)",
        ("UPS", "PUS"),
    ),
    Error(
        "spin acceleration left out",
        ups.universal_spin_rate,
        "(kap * An.z - Wk * W.y) / sig",
        "0.0 * Wk",
        ("UPS", "PUS"),
    ),
    Error(
        "spin acceleration without its velocity term",
        ups.universal_spin_rate,
        "kap * An.z - Wk * W.y",
        "kap * An.z",
        ("UPS", "PUS"),
    ),
    Error(
        "velocity term of the spin acceleration reversed",
        ups.universal_spin_rate,
        "kap * An.z - Wk * W.y",
        "kap * An.z + Wk * W.y",
        ("UPS", "PUS"),
    ),
]

STRUTS = [
    Error("gravity pulls upwards on the upper part", ups._ups, "fall = u - g", "fall = u + g", U),
    Error("weight of the lower part forgotten", ups._ups, " - cross(leg.d, g)", "", U),
    Error(
        "weight of the lower part reversed", ups._ups, "- cross(leg.d, g)", "+ cross(leg.d, g)", U
    ),
    Error(
        "leg acceleration without the centripetal part",
        ups._ups,
        "Ldd = u.x + L * (Wn.y * Wn.y + Wn.z * Wn.z)",
        "Ldd = u.x",
        U,
    ),
    Error(
        "Coriolis term without its two", ups._ups, "slide = 2.0 * Ldot / L", "slide = Ldot / L", U
    ),
    Error(
        "spin forgotten in the swing acceleration",
        ups._ups,
        "- Vec(0.0, -ws * Wn.z, ws * Wn.y)",
        "",
        U,
    ),
    Error(
        "upper part's inertia force has no lever arm",
        ups._ups,
        "+ Vec(0.0, -L * upper_load.z, L * upper_load.y) + W",
        "+ W",
        U,
    ),
    Error(
        "friction of the universal joint forgotten",
        ups._ups,
        "+ W * leg.friction.x + drag",
        "+ drag",
        U,
    ),
    Error(
        "ball friction relative to the base",
        ups._ups,
        "(W - w) * leg.friction.z",
        "W * leg.friction.z",
        U,
    ),
    Error("friction of the slide forgotten", ups._ups, "+ leg.friction.y * Ldot + leg", "+ leg", U),
    Error(
        "friction of the slide helps the motor",
        ups._ups,
        "upper_load.x + leg.friction.y",
        "upper_load.x - leg.friction.y",
        U,
    ),
    Error("reflected inertia forgotten", ups._ups, "+ leg.reflected * Ldd", "", U),
    Error(
        "reflected inertia on the rate", ups._ups, "leg.reflected * Ldd", "leg.reflected * Ldot", U
    ),
    Error("rotor's gyroscopic couple forgotten", ups._ups, "+ cross(W, leg.gyro) * Ldot", "", UR),
    Error("rotor's spin-up couple forgotten", ups._ups, "leg.gyro * Ldd + ", "", UR),
    Error("leg's turning not felt by the rotor", ups._ups, "D = D + dot(leg.gyro, A)", "D = D", UR),
    Error("mass matrix without the spin", ups._ups_mass, "dot(leg.k, s) / sig", "0.0", U),
    Error("mass matrix without the drive", ups._ups_mass, "Sym(leg.reflected,", "Sym(0.0,", U),
    Error(
        "mass matrix without the rotor's coupling",
        ups._ups_mass,
        "dot(leg.gyro, rates.b)",
        "0.0",
        UR,
    ),
    Error(
        "lower part does not load the base joint",
        ups._ups,
        "+ B.times(leg.d) - g * leg.lower_mass",
        "",
        U,
    ),
    Error(
        "joint force of the wrong sign",
        ups.strut_reactions,
        "spherical_force=-F",
        "spherical_force=F",
        U,
    ),
    Error(
        "prismatic moment about the platform joint",
        ups.strut_reactions,
        " - cross(state.arm, F)",
        "",
        U,
    ),
    Error("free spin forgotten", sps.sps_spin, "-C0 / axial", "0.0 * C0", S),
    Error(
        "spin's gyroscopic term forgotten",
        sps.sps_spin,
        "- Vec(0.0, -ws * Wn.z, ws * Wn.y)",
        "",
        A + S,
    ),
    Error(
        "axial inertia from one of its halves",
        sps.sps_spin,
        "leg.second.yy + leg.second.zz",
        "leg.second.yy",
        S,
    ),
    Error(
        "spin angle turned backwards",
        sps.spun_frame,
        "T.y * spin.cosine + T.z * spin.sine, T.z * spin.cosine - T.y",
        "T.y * spin.cosine - T.z * spin.sine, T.z * spin.cosine + T.y",
        S,
    ),
    Error(
        "spin does not move the upper mass center",
        sps.sps_spin,
        "load0 + Vec(0.0, -leg.e.z, leg.e.y) * spin_acceleration",
        "load0",
        S,
    ),
    Error(
        "motor's reaction does not spin the leg",
        sps.sps_spin,
        "+ drag.x + leg.gyro.x * Ldd",
        "+ drag.x",
        SR,
    ),
    Error(
        "spin not condensed out of the mass matrix",
        sps.sps_spin_mass,
        "share = -1.0 / axial",
        "share = 0.0",
        S,
    ),
    Error(
        "spin condensed with the wrong sign",
        sps.sps_spin_mass,
        "share = -1.0 / axial",
        "share = 1.0 / axial",
        S,
    ),
    Error("plain leg: Coriolis term without its two", sps.sps, "2.0 * Ldot", "1.0 * Ldot", F),
    Error("plain leg: mass center's lever once", sps.sps_mass, "2.0 * leg.e.x", "1.0 * leg.e.x", F),
]

SLIDERS_AND_CRANKS = [
    Error("the other assembly", pus.slider, "Pe - leg.assembly", "Pe + leg.assembly", P),
    Error(
        "slider acceleration without the centripetal part",
        pus.pus,
        "(dot(s, at.pdd) + dot(n1, n1) / Lf) / se",
        "dot(s, at.pdd) / se",
        P,
    ),
    Error(
        "slider rate not divided by s.e",
        pus.pus,
        "ldot = dot(s, at.pd) / se",
        "ldot = dot(s, at.pd)",
        P,
    ),
    Error(
        "lateral force does not reach the slider",
        pus.pus,
        "dot(el, link_load - K)",
        "dot(el, link_load)",
        P,
    ),
    Error(
        "slider without inertia and weight", pus.pus, "leg.slider_mass * dot(el, fall) + ", "", P
    ),
    Error(
        "link's universal joint does not move", pus.pus, "fall = el * ldd - g", "fall = u - g", P
    ),
    Error(
        "guide carries the drive force",
        pus.slider_reactions,
        "push - leg.rail * dot(leg.rail, push)",
        "push",
        P,
    ),
    Error(
        "slider's own weight has no moment",
        pus.slider_reactions,
        "state.part_moment + state",
        "state",
        P,
    ),
    Error(
        "guide moment with the slider's center reversed",
        pus.pus,
        "cross(leg.slider_center, slider_fall)",
        "cross(slider_fall, leg.slider_center)",
        P,
    ),
    Error("mass matrix: slider moves with s, not 1/(s.e)", pus.pus_mass, "/ (el.x * el.x)", "", P),
    Error(
        "crank rate forgotten in the spin (W.c = 0)",
        rus.rus,
        "Om.x + kap / sig * (Wn.z - Om.z)",
        "kap / sig * Wn.z",
        R,
    ),
    Error(
        "turning of the crank's axis forgotten",
        rus.rus,
        " - (kap * Wr.x + sig * Wr.z) * Om.y",
        "",
        R,
    ),
    Error(
        "spin acceleration of the rod left out",
        rus.rus,
        "Omd.x + (kap * (An.z - Omd.z) - turn) / sig",
        "0.0 * turn",
        R,
    ),
    Error(
        "centripetal acceleration of the crank tip lost",
        rus.rus,
        "crank.n * thdd + inward * thd2",
        "crank.n * thdd",
        R,
    ),
    Error("crank acceleration without its own rate", rus.rus, " - thd2 * dot(s, inward)", "", R),
    Error("joint moment not carried to the shaft", rus.rus, "+ dot(el, moment)", "", R),
    Error(
        "friction relative to the base, not the crank",
        rus.rus,
        "- Wr * leg.friction.x",
        "- W * leg.friction.x",
        R,
    ),
    Error("crank's weight forgotten", rus.rus, "- dot(center_turn, at.g)", "", R),
    Error("crank's gyroscopic moment forgotten", rus.rus, " + cross(e, Ie) * thd2", "", R),
    Error("the other elbow", rus.crank_position, "leg.elbow * sqrt", "-leg.elbow * sqrt", R),
    Error(
        "rod's universal force has no arm about the shaft",
        rus.crank_reactions,
        " + cross(state.arm, universal)",
        "",
        R,
    ),
    Error(
        "mass matrix: crank turns with 1, not 1/eta",
        rus.rus_mass,
        "(leg.shaft_inertia + leg.reflected) / (eta * eta)",
        "leg.shaft_inertia + leg.reflected",
        R,
    ),
    Error(
        "mass matrix: universal axis fixed to the base",
        rus.rus_mass,
        "Om.x + tan * (-travel.y / Lf - Om.z)",
        "tan * (-travel.y / Lf)",
        R,
    ),
]

LEGS = [*SHARED, *STRUTS, *SLIDERS_AND_CRANKS]
