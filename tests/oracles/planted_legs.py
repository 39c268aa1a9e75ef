"""Planted errors in the legs: mistakes that papers, programs and people have made with these machines."""

from __future__ import annotations

from gough.equations import pus, rus, strut, ups, vec
from oracles.planted import Error
from oracles.planted_kinds import ALL, P, R, U
from oracles.planted_struts import STRUTS

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
        "slider without inertia and weight",
        pus.pus,
        "leg.slider_mass * dot(el, el * ldd - T.local(felt)) + ",
        "",
        P,
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
        strut.carried_spin,
        "Om.x + kap / sig * (Wn.z - Om.z)",
        "kap / sig * Wn.z",
        (*R, "UCU"),
    ),
    Error(
        "turning of the crank's axis forgotten",
        strut.carried_spin_rate,
        " - (kap * Wr.x + sig * Wr.z) * Om.y",
        "",
        (*R, "UCU", "UCU-screw", "UCU-upper"),
    ),
    Error(
        "spin acceleration of the rod left out",
        strut.carried_spin_rate,
        "Omd.x + (kap * (An.z - Omd.z) - turn) / sig",
        "0.0 * turn",
        (*R, "UCU"),
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
        "Wr * leg.friction.x",
        "W * leg.friction.x",
        R,
    ),
    Error("crank's weight forgotten", rus._fixed_crank, "- dot(center_turn, at.g)", "", R),
    Error("crank's gyroscopic moment forgotten", rus._fixed_crank, " + cross(e, Ie) * thd2", "", R),
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
