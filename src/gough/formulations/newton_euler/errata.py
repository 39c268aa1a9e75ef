"""What this formulation is, and the printed errors of [Dasgupta1998] it can keep."""

from __future__ import annotations

from gough.formulations.protocol import About

ABOUT = About(
    name="newton-euler",
    paper="001",
    legs=("UPS",),
    gives=frozenset({"reactions", "mass_matrix", "bias", "leg_motion", "condition"}),
    errata={
        "E001-1": "eqs 6, 9: W.s = 0 and A.s = 0, although a universal joint enforces W.c = 0",
        "E001-2": "eqs 17-21, 29: the universal joint's moment along s instead of along c = k x y",
        "E001-3": "eq 16: m_u L^2 diag(0, 1, 1) added to I_u, and counted again in r_u x a_u",
        "E001-4": "eq 33: +sum K instead of -sum K (eq 35 has the right sign)",
    },
    printed=frozenset(
        {"E001-1", "E001-2", "E001-3"}
    ),  # with the sign of eq 35; add E001-4 for that of eq 33
)
ERRATA, PRINTED = ABOUT.errata, ABOUT.printed
