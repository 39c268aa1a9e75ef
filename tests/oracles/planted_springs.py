"""Planted errors in the springs of the joints."""

from __future__ import annotations

from gough.engines import pack
from gough.equations import (
    offset_pair,
    offset_ucu,
    offset_ups,
    pair_springs,
    pus,
    rus,
    springs,
    sps,
    ucu,
    ups,
)
from oracles.planted import Error

SPRINGS = "+springs"  # suffix of a kind: springs in all joints
U, P, R = ("UPS+springs",), ("PUS+springs",), ("RUS+springs",)
S = ("SPS-general+springs",)
C = ("UCU+springs", "UCU-screw+springs")
OU, OC = ("UPS-offset+springs",), ("UCU-offset+springs", "UCU-screw-offset+springs")
ALL = U + S + P + R
AXES = "Vec(first * kap, second, first * sig)"

ERRORS = [
    Error(
        "moment of a flexure as if small angles added",
        springs.Turn.moment,
        "push + side * 0.5 + cross(self.th, side) * self.b",
        "push",
        ALL,
    ),
    Error("Jacobian of the inverse turn", springs.Turn.moment, "side * 0.5", "side * -0.5", ALL),
    Error(
        "Jacobian cut after its first term",
        springs.Turn.moment,
        " + cross(self.th, side) * self.b",
        "",
        ALL,
    ),
    Error(
        "second term of the Jacobian as at rest",
        springs.turn,
        "(1.0 / (1.0 + c) - h * c) / (4.0 * f * f)",
        "1.0 / 12.0",
        S,
    ),
    Error("sine of half the angle for the angle", springs.turn, "n * (2.0 * f)", "n * 2.0", ALL),
    Error("sine of the angle for the angle", springs.turn, "0.25 / c", "0.25", ALL),
    Error("energy of a flexure doubled", springs.Turn.energy, "0.5 * dot", "dot", ALL),
    Error(
        "sine of the angle about an axis for the angle",
        springs.arc,
        "n * (2.0 + 2.0 * n2 * _excess(n2, c))",
        "sine",
        U + P + R + C,
    ),
    Error(
        "energy of the axes doubled",
        springs.hinges,
        "0.5 * (first * al",
        "(first * al",
        U + P + R + C,
    ),
    Error(
        "strut seen from the base, not from the platform",
        springs.at_platform,
        "R.sees(T)",
        "T",
        ALL,
    ),
    Error(
        "flexure's moment in platform axes",
        springs.universal_load,
        "end.local(R.world(top.moment(springs.platform)))",
        "end.local(top.moment(springs.platform))",
        U + P + R,
    ),
    Error(
        "flexure's moment in platform axes, balls",
        springs.ball_load,
        "T.local(R.world(top.moment(springs.platform)))",
        "T.local(top.moment(springs.platform))",
        S,
    ),
    Error(
        "base flexure's moment in world axes",
        springs.ball_load,
        "T.local(push if carrier is None else carrier.world(push))",
        "push",
        S,
    ),
    Error(
        "stiffness of the axes swapped",
        springs.hinges,
        AXES,
        "Vec(second * kap, first, second * sig)",
        U + P + R + C,
    ),
    Error(
        "first axis along the strut",
        springs.hinges,
        AXES,
        "Vec(first, second, 0.0)",
        U + P + R + C,
    ),
    Error(
        "second axis of the wrong sign",
        springs.hinges,
        "kap_0 * sig - kap * sig_0",
        "kap * sig_0 - kap_0 * sig",
        U + P + R + C,
    ),
    Error(
        "second axis without its rest",
        springs.hinges,
        "arc(kap_0 * sig - kap * sig_0, kap * kap_0 + sig * sig_0)",
        "arc(-kap, sig)",
        U + P + R + C,
    ),
    Error(
        "first axis turns the wrong way",
        springs.hinges,
        "cross(y_rest, T.y)",
        "cross(T.y, y_rest)",
        U + P + R + C,
    ),
    Error("base springs act on nothing", ups.strut_state, "grip + springs.base", "grip", U + S),
    Error(
        "platform springs act on the base",
        ups.strut_state,
        "(grip + springs.base, drag + springs.platform,",
        "(grip + springs.base + springs.platform, drag,",
        U + S,
    ),
    Error("slider's springs act on nothing", pus.link_state, "grip + springs.base", "grip", P),
    Error(
        "platform springs forgotten, slider", pus.link_state, "drag + springs.platform", "drag", P
    ),
    Error("crank's springs act on nothing", rus.rus, "grip + springs.base", "grip", R),
    Error(
        "crank does not feel its joint's friction and springs",
        rus.rod_state,
        "constraint_moment(C, *universal) - grip",
        "constraint_moment(C, *universal)",
        R,
    ),
    Error("platform springs forgotten, crank", rus.rus, "drag + springs.platform", "drag", R),
    Error("rest does not turn with the crank", rus.rus_springs, "crank.sine)", "-crank.sine)", R),
    Error(
        "rest taken where the crank is, not where it is at home",
        rus.rus_axes,
        "-crank.sine",
        "crank.sine",
        R,
    ),
    Error(
        "springs do not turn a free strut",
        sps.sps_spin,
        "(grip + springs.base, drag + springs.platform)",
        "(grip, drag)",
        S,
    ),
    Error(
        "energy of springs lost, strut", ups._ups_mass, "potential + springs.energy", "potential", U
    ),
    Error(
        "energy of springs lost, ball",
        sps.sps_spin_mass,
        "potential + springs.energy",
        "potential",
        S,
    ),
    Error(
        "energy of springs lost, slider", pus.pus_mass, "potential + springs.energy", "potential", P
    ),
    Error(
        "energy of springs lost, crank", rus.rus_mass, "potential + springs.energy", "potential", R
    ),
    Error(
        "rest on the platform turned twice",
        pack._spring_row,
        "R.sees(T)",
        "Frame(R.local(T.x), R.world(T.y), R.local(T.z))",
        ALL,
    ),
    Error(
        "lower part's axes rest on the platform",
        pair_springs.pair_load,
        "hinges(springs.base, k, lower, k, springs.rest, springs.rest.y)",
        "hinges(springs.base, k, lower, k, springs.seat, springs.seat.y)",
        C,
    ),
    Error(
        "upper part's rest stays in space",
        pair_springs.pair_load,
        "R.world(springs.seat.y)",
        "springs.seat.y",
        C,
    ),
    Error(
        "platform joint's axis stays in space",
        pair_springs.pair_load,
        "R.world(kp), upper",
        "kp, upper",
        C,
    ),
    Error(
        "stiffness of the joints exchanged",
        pair_springs.pair_springs,
        "(first, second), (above, over)",
        "(above, over), (first, second)",
        C,
    ),
    Error(
        "moment of the platform joint's springs in the lower part's axes",
        ucu.ucu_state,
        "drag + pair.springs.platform",
        "drag + pair.upper(pair.springs.platform)",
        C,
    ),
    Error(
        "springs of the base joint forgotten, pair",
        ucu.ucu_state,
        "hold + pair.springs.base",
        "hold",
        C,
    ),
    Error(
        "springs of the platform joint turn the leg only",
        ucu.ucu_state,
        "u.T.world(drag - constraint_moment(Ct, u.kap, u.sig))",
        "u.T.world(Wr * leg.friction.z - constraint_moment(Ct, u.kap, u.sig))",
        C,
    ),
    Error(
        "energy of springs lost, pair",
        ucu.ucu_mass,
        "potential + pair.springs.energy",
        "potential",
        C,
    ),
    Error(
        "axes at rest exchanged", ucu.ucu_axes, "(pair.u.T, pair.d.T)", "(pair.d.T, pair.d.T)", C
    ),
    Error("own rest forgotten", pack._spring_row, "leg.springs.home or home", "home", ALL),
]
ERRORS += [
    Error(
        "rest of joints without offsets",
        pack._spring_row,
        "_unsprung_kind(leg, True)",
        "_bare_kind(leg, True)",
        OU + OC,
    ),
    Error(
        "springs of an offset base joint act on nothing, strut",
        offset_ups.offset_ups,
        "grip + springs.base",
        "grip",
        OU,
    ),
    Error(
        "springs of the platform act on an offset base joint",
        offset_ups.offset_ups,
        "(grip + springs.base, drag + springs.platform,",
        "(grip + springs.base + springs.platform, drag,",
        OU,
    ),
    Error(
        "energy of springs lost, offset strut",
        offset_ups.offset_ups_mass,
        "potential + springs.energy",
        "potential",
        OU,
    ),
    Error(
        "springs of an offset base joint act on nothing, pair",
        offset_ucu.offset_ucu,
        "grip + pair.springs.base",
        "grip",
        OC,
    ),
    Error(
        "moment of an offset platform joint's springs in the lower part's axes",
        offset_ucu.offset_ucu,
        "drag + pair.springs.platform",
        "drag + pair.upper(pair.springs.platform)",
        OC,
    ),
    Error(
        "friction and springs of an offset platform joint turn the leg only",
        offset_ucu._answer,
        " - inside.drag",
        "",
        OC,
    ),
    Error(
        "energy of springs lost, offset pair",
        offset_ucu.offset_ucu_mass,
        "potential + pair.springs.energy",
        "potential",
        OC,
    ),
    Error(
        "offset platform joint turned as the lower part",
        offset_pair.closed_pair,
        "pair.d.T, pair.u.T, R",
        "pair.d.T, pair.d.T, R",
        OC,
    ),
    Error(
        "axes at rest exchanged, offset pair",
        offset_pair.offset_ucu_axes,
        "(pair.u.T, pair.d.T)",
        "(pair.d.T, pair.d.T)",
        OC,
    ),
]
