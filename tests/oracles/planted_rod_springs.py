"""Planted errors in the springs of PSU, RSS and UCS legs."""

from __future__ import annotations

from gough.engines import crank_axes, pack
from gough.equations import psu, rss, rus, slider_springs, springs, ucs
from oracles.planted import Error

P, R, C = ("PSU+springs",), ("RSS-general+springs",), ("UCS-general+springs",)
LOST = "potential + springs.energy"

ERRORS = [
    Error("crank's ball at rest in space", rss.rss_springs, "crank_axes(leg, crank)", "None", R),
    Error(
        "moment of the crank's ball in the crank's axes",
        springs.ball_load,
        "carrier.world(push)",
        "push",
        R,
    ),
    Error(
        "stiffness of the crank's ball as if home were angle zero",
        pack._spring_row,
        "turned_tensor(leg.shaft, zero, value)",
        "value",
        R,
    ),
    Error(
        "stiffness of the crank's ball turned back",
        crank_axes.turned_tensor,
        "C @ K @ C.T",
        "C.T @ K @ C",
        R,
    ),
    Error("crank's axes turn the wrong way", rus.crank_axes, "crank.sine)", "-crank.sine)", R),
    Error(
        "rod's rest taken where the crank is",
        rss.rss_axes,
        "crank_axes(leg, crank).sees(T)",
        "T",
        R,
    ),
    Error("crank's ball acts on nothing", rss.rss_spin, "grip + springs.base", "grip", R),
    Error("platform springs forgotten, rod", rss.rss_spin, "drag + springs.platform", "drag", R),
    Error("energy of springs lost, rod", rss.rss_spin_mass, LOST, "potential", R),
    Error(
        "link's joint at rest in space",
        slider_springs.slider_load,
        "R.world(springs.seat.y)",
        "springs.seat.y",
        P,
    ),
    Error(
        "link's joint has its axis in space",
        slider_springs.slider_load,
        "R.world(kp), T",
        "kp, T",
        P,
    ),
    Error(
        "moment of the slider's ball in world axes",
        slider_springs.slider_load,
        "T.local(foot.moment(springs.base))",
        "foot.moment(springs.base)",
        P,
    ),
    Error(
        "slider's ball rests where the platform's joint does",
        slider_springs.slider_load,
        "turn(T, springs.rest)",
        "turn(T, springs.seat)",
        P,
    ),
    Error(
        "stiffness of the link's joint swapped",
        slider_springs.slider_springs,
        "(first, second)",
        "(second, first)",
        P,
    ),
    Error("link's axes at rest of an axis in space", psu.psu_axes, "R.world(leg.k)", "leg.k", P),
    Error("energy of springs lost, link", psu.psu_mass, "found." + LOST, "found.potential", P),
    Error("base springs forgotten, free part", ucs.ucs_state, "hold + springs.base", "hold", C),
    Error("free part feels no spring", ucs._upper, "drag + springs.platform", "drag", C),
    Error("ball bends as the lower part turns", ucs.ucs_springs, "pair.Tu)", "pair.T)", C),
    Error(
        "ball's moment in the lower part's axes",
        springs.universal_load,
        "end.local(",
        "T.local(",
        C,
    ),
    Error(
        "free part rests as the lower part does",
        ucs.ucs_axes,
        "leg_frame(leg.reference, s)",
        "leg_frame(leg.k, s)",
        C,
    ),
    Error("energy of springs lost, free part", ucs.ucs_mass, LOST, "potential", C),
]
