"""Planted errors in legs with rods that spin freely or that the platform turns: UCS, PSU, RSS."""

from __future__ import annotations

from gough.engines import pack
from gough.equations import psu, pus, rss, strut, ucs
from oracles.planted import Error

TURNED = ("PSU",)
FREE = ("UCS-axisymmetric", "UCS-general")
ANY_UPPER, ANY_ROD, ROUND = ("UCS-general",), ("RSS-general",), ("RSS-axisymmetric",)

RODS = [
    Error(
        "link's spin as of a joint on the slider (PSU as PUS)",
        psu.psu,
        "ws = carried_spin(kap, sig, Wn, w)",
        "ws = kap / sig * Wn.z",
        TURNED,
    ),
    Error(
        "platform's angular acceleration forgotten in the link's spin",
        psu.psu,
        "T.local(at.al)",
        "T.local(at.al * 0.0)",
        TURNED,
    ),
    Error(
        "platform axis of the link left as it is at home",
        psu.psu,
        "at.R.world(leg.k)",
        "leg.k",
        TURNED,
    ),
    Error(
        "link's moment not on the platform",
        pus.link_state,
        "(drag - held, hold)",
        "(drag, hold)",
        TURNED,
    ),
    Error(
        "link's moment on the slider too",
        pus.link_state,
        "(drag - held, hold)",
        "(drag - held, held - grip)",
        TURNED,
    ),
    Error(
        "mass matrix: the link does not feel the platform turn",
        psu.psu_mass,
        "T.x - T.z * swings.tan",
        "T.x * 0.0",
        TURNED,
    ),
    Error(
        "mass matrix: the platform turns the link about s only",
        psu.psu_mass,
        "T.x - T.z * swings.tan",
        "T.x",
        TURNED,
    ),
    Error(
        "coupling of spin and motion without the mass center",
        strut.Swings.spin_coupling,
        "self.slides.times(side) + ",
        "",
        (*TURNED, *ANY_ROD, *ANY_UPPER),
    ),
    Error(
        "coupling of spin and motion without products of inertia",
        strut.Swings.spin_coupling,
        " + self.rates.times(axial)",
        "",
        (*TURNED, *ANY_ROD, *ANY_UPPER),
    ),
    Error(
        "free spin kept constant",
        strut.free_spin,
        "-about / (S.yy + S.zz)",
        "0.0 * about",
        (*FREE, *ANY_ROD),
    ),
    Error(
        "free spin without weight",
        strut.free_spin,
        "first.y * fall.z - first.z * fall.y",
        "0.0",
        (*ANY_ROD, *ANY_UPPER),
    ),
    Error("spin not condensed out", strut.condensed, "-1.0 / axial", "0.0", (*ANY_ROD, *ANY_UPPER)),
    Error(
        "rod's friction against the base, not the crank",
        rss.rss_spin,
        "(W - T.local(leg.shaft) * m.thd)",
        "W",
        ANY_ROD,
    ),
    Error(
        "round rod's friction against the base",
        rss._round,
        "(W - leg.shaft * thd)",
        "W",
        ROUND,
    ),
    Error(
        "round rod's friction not on the crank",
        rss._round,
        " - dot(leg.shaft, grip)",
        "",
        ROUND,
    ),
    Error(
        "round rod: gyroscopic moment of the spin forgotten",
        rss._round,
        "s * dot(s, A0) + lean * dot(s, W0)",
        "s * dot(s, A0)",
        ROUND,
    ),
    Error("round rod: spin does not slow down", rss._round, " / axial", " * 0.0", ROUND),
    Error("round rod: mass without the crank's tip", rss._round_mass, "2.0 * lean", "0.0", ROUND),
    Error(
        "round rod: mass without the lever",
        rss._round_mass,
        "own * (ab - aa - bb)",
        "0.0 * ab",
        ROUND,
    ),
    Error(
        "upper part spins with the lower one (UCS as UPS)",
        ucs._upper,
        "W, A = (Vec(rate, Wn.y, Wn.z), swing",
        "rate = below\n    W, A = (Vec(rate, Wn.y, Wn.z), swing",
        FREE,
    ),
    Error(
        "friction of the pair on the upper part only",
        ucs.ucs_state,
        "C + hold - Vec(top.pair, 0.0, 0.0)",
        "C + hold",
        FREE,
    ),
    Error(
        "friction of the pair in the same sense on both parts",
        ucs._upper,
        "drag.x + N)",
        "drag.x - N)",
        FREE,
    ),
    Error(
        "upper part's moments in axes of the lower one",
        ucs._strut,
        "spun_frame(leg.reference, s, spin)",
        "T",
        ANY_UPPER,
    ),
    Error(
        "rotor on the lower part not felt",
        ucs.ucs_state,
        "D + dot(leg.gyro, A0)",
        "D",
        ("UCS-rotor", "UCS-still"),
    ),
    Error(
        "rotor on the lower part not in the mass",
        ucs.ucs_mass,
        "dot(leg.gyro, under.b)",
        "0.0",
        ("UCS-rotor", "UCS-still"),
    ),
    Error(
        "spin reference taken for the base joint's axis",
        pack._free_cylinder,
        "axis=leg.axis",
        "axis=leg.reference",
        FREE,
    ),
]
