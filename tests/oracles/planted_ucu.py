"""Planted errors in legs whose parts turn: the usual shortcuts of the literature, and what is easily mistaken."""

from __future__ import annotations

from gough.engines import pack
from gough.equations import platform, ucu
from oracles.planted import Error

ALL = ("UCU", "UCU-screw", "UCU-upper")
SCREWS = ("UCU-screw", "UCU-upper")
LOWER, UPPER, ROTOR = ("UCU-screw",), ("UCU-upper",), ("UCU-rotor",)

CYLINDERS = [
    Error(
        "upper part spins with the lower one (UCU as UPS)",
        ucu.ucu_state,
        "wu = carried_spin(u.kap, u.sig, Wn, w)",
        "wu = ws",
        ALL,
    ),
    Error(
        "platform axis taken as fixed in space",
        ucu.ucu_state,
        "u.T.local(at.w), ",
        "u.T.local(at.w * 0.0), ",
        ALL,
    ),
    Error(
        "platform's angular acceleration forgotten in the upper spin",
        ucu.ucu_state,
        "u.T.local(at.al)",
        "u.T.local(at.al * 0.0)",
        ALL,
    ),
    Error(
        "leg's moment on the platform dropped",
        ucu.ucu_state,
        "u.T.world(drag - constraint_moment(Ct, u.kap, u.sig))",
        "u.T.world(drag)",
        ALL,
    ),
    Error(
        "effort of a screw along the leg only",
        ucu._pull,
        "pair.d.T.x + row.lin",
        "pair.d.T.x",
        SCREWS,
    ),
    Error("torque of a screw not on the platform", ucu._pull, "row.ang)", "row.ang * 0.0)", SCREWS),
    Error(
        "moment of a pull forgotten in H",
        platform.column,
        "leg.pull.ang",
        "leg.pull.ang * 0.0",
        SCREWS,
    ),
    Error(
        "motor's acceleration without the twist's",
        ucu.ucu_state,
        "Ldd + leg.screw * turning",
        "Ldd",
        SCREWS,
    ),
    Error(
        "motor's rate without the twist's",
        ucu.ucu_state,
        "Ldot + leg.screw * turn",
        "Ldot",
        SCREWS,
    ),
    Error(
        "only the reflected inertia of the rotors",
        ucu.ucu_state,
        "leg.gyro * acceleration + cross(W, leg.gyro) * rate",
        "leg.gyro * 0.0",
        SCREWS,
    ),
    Error(
        "carrier's acceleration forgotten in the motor's torque",
        ucu.ucu_state,
        "rotor + dot(leg.gyro, A)",
        "rotor + dot(leg.gyro, A) * 0.0",
        SCREWS,
    ),
    Error(
        "torque that accelerates the rotors goes through the thread",
        ucu.ucu_state,
        "N + leg.screw * rotor",
        "N - leg.screw * rotor",
        SCREWS,
    ),
    Error(
        "left hand for right",
        pack._cylinder,
        "else screw.travel",
        "else -screw.travel",
        SCREWS,
    ),
    Error(
        "screw on the upper part turns as on the lower one",
        pack.rotors,
        "turns = leg.screw.rotor_turns",
        "turns = -leg.screw.rotor_turns",
        UPPER,
    ),
    Error(
        "mass center of the upper part in axes of the lower one",
        ucu.ucu_state,
        "cross(leg.e, fall)",
        "cross(pair.upper(leg.e), fall)",
        ALL,
    ),
    Error(
        "friction of the twist forgotten", ucu.ucu_state, "leg.turning * turn", "0.0 * turn", ALL
    ),
    Error(
        "moment of the pair in the same sense on both parts",
        ucu.ucu_state,
        "Ct + drag + Vec(N, 0.0, 0.0)",
        "Ct + drag - Vec(N, 0.0, 0.0)",
        ALL,
    ),
    Error(
        "torsion spring at rest where the twist is zero",
        ucu.ucu_state,
        "leg.torsion * (twist - leg.rest)",
        "leg.torsion * twist",
        (*ROTOR, *UPPER),
    ),
    Error(
        "energy of the torsion spring forgotten",
        ucu.ucu_mass,
        "0.5 * leg.torsion",
        "0.0 * leg.torsion",
        (*ROTOR, *UPPER),
    ),
    Error("twist of the wrong sense", ucu.pair_at, "dot(d.T.z, u.T.y)", "-dot(d.T.z, u.T.y)", ALL),
    Error(
        "sine of the twist for its angle",
        ucu.Pair.twist,
        "angle(self.sine * c - self.cosine * s, self.cosine * c + self.sine * s)",
        "self.sine * c - self.cosine * s",
        SCREWS,
    ),
    Error(
        "upper part's coupling of turning and moving without its mass center",
        ucu.ucu_mass,
        " + Vec(0.0, -leg.e.z, leg.e.y)",
        "",
        ALL,
    ),
    Error(
        "rotor's coupling to the platform's turning forgotten",
        ucu.ucu_mass,
        "(j * leg.reflected + g) * h",
        "j * (leg.reflected * h)",
        SCREWS,
    ),
    Error(
        "rotors on the upper part do not feel its spin",
        ucu.ucu_mass,
        "Y + 2.0 * h * leg.gyro.x",
        "Y",
        UPPER,
    ),
    Error(
        "turned mass about the joint, not the reference point",
        platform._turned_mass,
        "Y.xx + 2.0 * a.x",
        "Y.xx",
        ALL,
    ),
    Error(
        "base joint's moment without the thread's torque",
        ucu.ucu_reactions,
        "moment + turn + cross(state.arm, pull.lin) * y",
        "moment + turn",
        SCREWS,
    ),
    Error(
        "pair's moment without that of the platform joint",
        ucu.ucu_reactions,
        "state.part_moment + couple",
        "state.part_moment",
        ALL,
    ),
]
