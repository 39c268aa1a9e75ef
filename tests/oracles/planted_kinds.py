"""Kinds of machines on which an error is planted, by the letters that the lists use."""

from __future__ import annotations

U, P, R = ("UPS",), ("PUS",), ("RUS",)
SLIDES, CRANKS = ("PUS", "PSU"), ("RUS", "RSS-general")
UR, SR = ("UPS-rotor",), ("SPS-rotor",)
S, F, A, AR = ("SPS-general",), ("SPS-free",), ("SPS-axisymmetric",), ("SPS-axial-rotor",)
ALL = ("UPS", "SPS-general", "PUS", "RUS")
