"""Planted errors in what the motion of the base adds to the equations."""

from __future__ import annotations

from gough.engines import pack
from gough.equations import base, machine, platform, pus, rss, rus, sps, strut, ucs, ups
from oracles.planted import Error

U, S, P, R = ("UPS",), ("SPS-free",), ("PUS",), ("RUS",)
SPINNING = ("SPS-axisymmetric",)
ALL = (*U, *S, *P, *R)

ERRORS = [
    Error("no Coriolis acceleration", base.Base.carried, " + cross(self.w, rd) * 2.0", "", ALL),
    Error("Coriolis acceleration once", base.Base.carried, "* 2.0", "* 1.0", U),
    Error(
        "no centrifugal acceleration",
        base.base_motion,
        "rate_matrix(w, al)",
        "rate_matrix(w * 0.0, al)",
        ALL,
    ),
    Error(
        "angular acceleration of the wrong sign",
        base.base_motion,
        "rate_matrix(w, al)",
        "rate_matrix(w, -al)",
        ALL,
    ),
    Error("acceleration of the wrong sign", base.base_motion, "weight - part", "weight + part", U),
    Error("gravity left in world axes", base.base_motion, "R.local(gravity)", "gravity", U),
    Error("twist left in world axes", base.base_motion, "R.local(vec_at", "(vec_at", U),
    Error("platform: turning axes forgotten", base.Base.turning, " + cross(self.w, W)", "", U),
    Error("platform: alpha of the wrong sign", base.Base.turning, "A + self.al", "A - self.al", U),
    Error("platform does not feel the base", platform.body_load, "m.base is not None", "False", U),
    Error(
        "leg: turning axes forgotten", strut.JointMotion.turning, " + cross(w, W)", "", (*U, *P, *R)
    ),
    Error(
        "leg: alpha of the wrong sign",
        strut.JointMotion.turning,
        "+ T.local(self.base.al)",
        "- T.local(self.base.al)",
        U,
    ),
    Error(
        "lower part on a base at rest",
        ups.strut_state,
        "at.felt(leg.base, STILL)",
        "at.base.weight",
        U,
    ),
    Error(
        "riding rotor precesses with the leg only",
        ups.strut_state,
        "cross(W0, leg.gyro)",
        "cross(W, leg.gyro)",
        ("UPS-rotor",),
    ),
    Error(
        "riding rotor feels the leg's turning only",
        ups.strut_state,
        "dot(leg.gyro, A0)",
        "dot(leg.gyro, A)",
        ("UPS-rotor",),
    ),
    Error(
        "mounted rotor does not feel the base",
        strut.JointMotion.rotor,
        " + dot(self.mount.rotor, self.base.al)",
        "",
        ALL,
    ),
    Error(
        "mounted rotor: alpha of the wrong sign",
        strut.JointMotion.rotor,
        "own + dot",
        "own - dot",
        U,
    ),
    Error(
        "mounted rotor does not precess",
        machine.ground_wrench,
        " + cross(base.w, mount.rotor) * s.rate",
        "",
        U,
    ),
    Error(
        "mounted rotor without reaction",
        machine.ground_wrench,
        "r.ground_moment + turn",
        "r.ground_moment",
        U,
    ),
    Error(
        "mounted rotor packed without its ratio",
        pack._rotor,
        "drive.ratio * drive.rotor_inertia",
        "drive.rotor_inertia",
        U,
    ),
    Error(
        "spin against the base instead of the world",
        sps._sps,
        "ws = ws + dot(s, at.base.w)",
        "pass",
        SPINNING,
    ),
    Error("ball friction by the motion in the world", sps._sps, "W - at.base.w", "W", SPINNING),
    Error(
        "spin acceleration of the world",
        sps._sps,
        "spin_acceleration = dot(s, A)",
        "pass",
        SPINNING,
    ),
    Error(
        "direction turns as against the base",
        sps._sps,
        "turn = turn + cross(at.base.w, s)",
        "pass",
        S,
    ),
    Error(
        "round rod does not spin against the base",
        rss._round,
        "ws = -dot(s, at.base.w)",
        "ws = 0.0",
        ("RSS-free",),
    ),
    Error(
        "round rod felt at the shaft",
        rss._round,
        "at.felt(place, tip_rate)",
        "at.felt(leg.base, tip_rate)",
        ("RSS-axisymmetric",),
    ),
    Error(
        "upper part does not spin against the base",
        ucs._upper,
        "-dot(T.x, at.base.w)",
        "0.0 * dot(T.x, at.base.w)",
        ("UCS-free",),
    ),
    Error(
        "energy of the upper part without its center's speed",
        ucs._upper,
        "cross(W0, leg.e)",
        "cross(W0, leg.e) * 0.0",
        ("UCS-general",),
    ),
    Error("slider felt at its joint", pus.link_state, "joint + leg.slider_center", "joint", P),
    Error(
        "slider: no Coriolis",
        pus.link_state,
        "slide = (leg.base + e * l, e * ldot)",
        "slide = (leg.base + e * l, e * 0.0)",
        P,
    ),
    Error(
        "crank turns against the base only",
        rus._carried_crank,
        "base.turning(e * thd, e * thdd)",
        "(e * thd, e * thdd)",
        R,
    ),
    Error(
        "crank's tensor left at home",
        rus._carried_crank,
        "turn = _turned(e, inertia_moment(B, mount.crank), crank.cosine, crank.sine)",
        "turn = inertia_moment(B, mount.crank)",
        R,
    ),
    Error(
        "crank's tensor at the user's zero",
        pack.pack_mounts,
        "home @ _moments(leg.crank)[1] @ home.T",
        "_moments(leg.crank)[1]",
        R,
    ),
    Error(
        "crank rides on a base at rest",
        rus._carried_crank,
        "-base.gravity(leg.base, STILL)",
        "-base.weight",
        R,
    ),
    Error("energy without the base's velocity", base.Base.velocity, "self.v + cross", "cross", ALL),
    Error(
        "energy without the height of the base",
        machine.MachineEquations.energy,
        "m.base is not None:\n        potential",
        "False:\n        potential",
        U,
    ),
    Error(
        "energy: rotors do not feel the base",
        machine.MachineEquations.moving_kinetic,
        " + state.rate * dot(mount.rotor, m.base.w)",
        "",
        U,
    ),
    Error(
        "ground: moment about the joint", ups.strut_reactions, " + cross(leg.base, ground)", "", U
    ),
    Error(
        "ground: slider's inertia forgotten",
        pus.slider_reactions,
        "push + leg.rail * (leg.slider_mass * state.acceleration)",
        "push",
        P,
    ),
]
