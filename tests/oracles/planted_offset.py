"""Planted errors in universal joints whose axes do not meet: offsets forgotten, cross pieces that turn with the wrong
body, forces along the leg's axis."""

from __future__ import annotations

from gough.engines import pack
from gough.equations import offset_joint, offset_pair, offset_ucu, offset_ups
from oracles.planted import Error

UPS, DIRECT, SCREW = ("UPS-offset",), ("UCU-offset",), ("UCU-screw-offset",)
UCU = (*DIRECT, *SCREW)
ALL = (*UPS, *DIRECT)
Joint, Closure = offset_joint.OffsetJoint, offset_joint.Closure

ERRORS = [
    Error(
        "offset from the second axis to the leg left out",
        offset_pair.closed_pair,
        "now.d.reach",
        "now.d.T.world(now.d.r)",
        UCU,
    ),
    Error(
        "offset between the axes left out of the closure",
        offset_pair.closed_pair,
        "now.u.reach",
        "now.u.T.world(now.u.o)",
        UCU,
    ),
    Error(
        "offset between the axes of the wrong sign",
        offset_ups.offset_strut,
        "rp - e",
        "rp + e",
        UPS,
    ),
    Error(
        "offset along the second axis of the wrong sign",
        offset_ups.offset_strut,
        "Pp * rp - cross(k, Pp) * f",
        "Pp * rp + cross(k, Pp) * f",
        UPS,
    ),
    Error("one step of the closure", offset_pair.closed_pair, "range(NEWTON)", "range(1)", DIRECT),
    Error(
        "cross piece turns with the leg",
        Joint.rates,
        "Wc = Om + self.k * dot(W - Om, self.k)",
        "Wc = W",
        ALL,
    ),
    Error(
        "cross piece at the platform does not turn with it",
        Joint.rates,
        "Wc = Om + self.k * dot(W - Om, self.k)",
        "Wc = self.k * dot(W - Om, self.k)",
        DIRECT,
    ),
    Error(
        "first axis of the platform joint does not turn",
        Joint.drift,
        " + cross(Om, k) * a",
        "",
        DIRECT,
    ),
    Error(
        "second axis carried by the platform forgotten",
        Joint.drift,
        " + Wr.y * (Om.z * self.kap - Om.x * self.sig)",
        "",
        DIRECT,
    ),
    Error(
        "acceleration of the leg's axis against its joint forgotten",
        Joint.drift,
        "rate_matrix(W, A).times(self.o)",
        "rate_matrix(W, A).times(self.o * 0.0)",
        ALL,
    ),
    Error(
        "cross piece's acceleration without the swing's",
        Joint.swung,
        "self.k * (an.z / self.sig)",
        "self.k * 0.0",
        ALL,
    ),
    Error(
        "acceleration of the upper axis forgotten",
        offset_ucu.offset_ucu,
        "+ pair.lower(drift[1].E)",
        "+ pair.lower(drift[1].E * 0.0)",
        DIRECT,
    ),
    Error(
        "axial effort along the leg only",
        Closure.force,
        "share.y - axial * y.x",
        "share.y",
        ALL,
    ),
    Error(
        "pull along the leg",
        offset_ups.offset_ups,
        "Six(T.world(closure.force(1.0, STILL)), STILL)",
        "Six(T.x, STILL)",
        UPS,
    ),
    Error(
        "torque of the screw not through the platform joint",
        offset_ucu._pull,
        "X * screw + cross(u.o, force)",
        "cross(u.o, force)",
        SCREW,
    ),
    Error(
        "moments about the first axis do not swing",
        Joint.swing_share,
        " + about_first / self.sig",
        "",
        ALL,
    ),
    Error(
        "platform joint holds its first axis",
        Joint.carrier_share,
        " - dot(C1, self.k) / self.sig",
        "",
        DIRECT,
    ),
    Error(
        "lower part's weight has no arm about the first axis",
        offset_ucu._answer,
        "dot(d.k, cross(d.r, loads.lower.force))",
        "0.0",
        DIRECT,
    ),
    Error(
        "end force has no arm at the platform joint",
        offset_ucu._answer,
        "C2 + cross(u.r, force)",
        "C2",
        DIRECT,
    ),
    Error("weight of the cross pieces forgotten", offset_ucu._weight, " + crosses", "", DIRECT),
    Error("cross piece without inertia", pack._offset, "_six(second)", "_six(second * 0.0)", ALL),
    Error(
        "cross piece's mass center at the joint", pack._offset, ", first, ", ", first * 0.0, ", ALL
    ),
    Error(
        "platform's turn across the joint not in the mass",
        offset_ucu.offset_ucu_mass,
        "added(V, V * (0.5 * vv))",
        "added(V, V * (0.0 * vv))",
        DIRECT,
    ),
    Error(
        "base joint does not feel the platform joint's moment",
        offset_ucu.offset_ucu,
        "whole - cross(pair.strut, load) + couple",
        "whole - cross(pair.strut, load)",
        DIRECT,
    ),
]
BASE = [
    Error(
        "gravity of a turning base felt at the base joint by all parts",
        offset_joint.part_load,
        "at.felt(place, velocity)",
        "at.felt(place * 0.0, velocity)",
        ALL,
    ),
    Error(
        "cross pieces stand still in the energy",
        offset_ucu._kinetic,
        "leg.above.cross, at.p, at.pd, loads.above.W",
        "leg.above.cross, at.p, at.pd, loads.above.W * 0.0",
        DIRECT,
    ),
]
