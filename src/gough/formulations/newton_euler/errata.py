"""What this formulation is, and the printed errors of [Dasgupta1998] it can keep."""

from __future__ import annotations

from gough.formulations.protocol import about

ABOUT = about("newton-euler")
ERRATA, PRINTED = ABOUT.errata, ABOUT.printed
