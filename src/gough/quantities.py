"""What the numbers of public arguments mean: shape, unit, largest plausible size; read by `gough.border`."""

from __future__ import annotations

from typing import NamedTuple


class Quantity(NamedTuple):
    """Trailing shape (None: the verb decides), unit, largest plausible size.

    open    infinity means that there is no bound; NaN never does
    single  one number may stand for all of the shape
    alone   no batch axes: one state, one pose
    """

    shape: tuple[int, ...] | None
    unit: str
    largest: float
    open: bool = False
    single: bool = False
    at_least: float | None = None
    alone: bool = False


SIX, THREE, ROTATION = (6,), (3,), (3, 3)
ANYTHING = Quantity(None, "", 1e30)
METROLOGY = {
    "reachable_poses.count": Quantity((), "1", 1e6, at_least=1),
    "reachable_poses.rim": Quantity((), "1", 1.0, at_least=0.0),
    **{
        f"{verb}.{part}": Quantity(SIX if part == "legs" else (), "K", 1e4, single=part == "legs")
        for verb in ("heated", "thermal_compensation")
        for part in ("base", "plate", "legs")
    },
    **dict.fromkeys(
        ("heated.expansion", "thermal_compensation.expansion"),
        Quantity((), "1/K", 1.0, at_least=0.0),
    ),
    "excite.duration": Quantity((), "s", 1e6, at_least=0.0),
    "excite.harmonics": Quantity((), "1", 100, at_least=1),
    "identify.sigma": Quantity(SIX, "N or N m", 1e15, single=True, alone=True),
    "load_compensation.stiffness": Quantity(SIX, "N/m or N m/rad", 1e20, single=True, alone=True),
    "load_compensation.wrench": Quantity(SIX, "N and N m, world axes", 1e15),
    "plan_poses.count": Quantity((), "1", 1e6, at_least=1),
    **dict.fromkeys(
        ("calibrate.sigma", "plan_poses.sigma"),
        Quantity(SIX, "m or rad", 1e6, single=True, alone=True),
    ),
}
POINT = Quantity(THREE, "m", 1e9, alone=True)
SIZING = {
    **{
        f"{verb}.{name}": quantity
        for verb in ("worst_effort", "payload_capacity", "choose_springs")
        for name, quantity in {
            "box": Quantity(THREE, "m", 1e6, at_least=0.0, alone=True),
            "tilt": Quantity(THREE, "rad", 4.0, at_least=0.0, alone=True),
            "at": Quantity(None, "", 1e30, alone=True),
            "acceleration": Quantity((), "m/s^2", 1e12, at_least=0.0),
            "angular_acceleration": Quantity((), "rad/s^2", 1e12, at_least=0.0),
            "force": Quantity((), "N", 1e15, at_least=0.0),
            "moment": Quantity((), "N m", 1e15, at_least=0.0),
            "point": POINT,
            "center": POINT,
            "stiffness": Quantity(SIX, "N/m or N m/rad", 1e20, single=True, alone=True),
            "rest": Quantity(SIX, "m or rad", 1e9, single=True, alone=True),
            "softest": Quantity((), "N/m or N m/rad", 1e20),
            "stiffest": Quantity((), "N/m or N m/rad", 1e20),
            "tolerance": Quantity((), "1", 1e3, at_least=0.0),
            "boxes": Quantity((), "1", 1e7, at_least=1),
        }.items()
    },
    "select_drives.external": Quantity(SIX, "N and N m, platform axes", 1e15, alone=True),
    "select_drives.life": Quantity((), "h", 1e9, at_least=0.0),
    "bearing_life.external": Quantity(SIX, "N and N m, platform axes", 1e15, alone=True),
    **dict.fromkeys(
        ("bearing_life.base_rating", "bearing_life.platform_rating"),
        Quantity(SIX, "N", 1e15, single=True, at_least=0.0, alone=True),
    ),
}
QUANTITIES = (
    METROLOGY
    | SIZING
    | {  # of arguments that hold numbers, by "verb.argument" or by the argument's name alone
        "length": Quantity(SIX, "m or rad", 1e12),
        "rate": Quantity(SIX, "m/s or rad/s", 1e9),
        "acceleration": Quantity(SIX, "m/s^2 or rad/s^2", 1e12),
        "force": Quantity(SIX, "N or N m", 1e30),
        "external": Quantity(SIX, "N and N m, platform axes", 1e15),
        "rotation": Quantity(ROTATION, "1", 2.0),
        "rotations": Quantity(ROTATION, "1", 2.0),
        "positions": Quantity(THREE, "m", 1e9),
        "direction": Quantity(THREE, "m", 1e9),
        "through_motion.position": Quantity(THREE, "m", 1e9),
        "through_motion.velocity": Quantity(THREE, "m/s", 1e9),
        "through_motion.angular_velocity": Quantity(THREE, "rad/s", 1e9),
        "through_motion.acceleration": Quantity(THREE, "m/s^2", 1e12),
        "through_motion.angular_acceleration": Quantity(THREE, "rad/s^2", 1e12),
        "through_motion.times": Quantity(None, "s", 1e9),
        **dict.fromkeys(
            ("telemetry.specific_force", "telemetry.angular_rate"),
            Quantity(THREE, "m/s^2, rad/s", 1e9),
        ),
        "telemetry.time": Quantity(None, "s", 1e9),
        "cue.home": Quantity(None, "", 1e30, alone=True),
        "shaking.acceleration": Quantity(THREE, "m/s^2", 1e12),
        "shaking.times": Quantity(None, "s", 1e9),
        "paced.times": Quantity(None, "s", 1e9),
        "paced.speed": Quantity(None, "1/s", 1e12, at_least=0.0),
        "paced.acceleration": Quantity(None, "1/s^2", 1e12),
        "transmissibility.frequency": Quantity(None, "Hz", 1e9),
        "jonswap.frequency": Quantity(None, "rad/s", 1e9),
        **dict.fromkeys(("jonswap.height", "sea_state.height"), Quantity((), "m", 1e6)),
        **{
            f"legs_move.{name}": Quantity(SIX, unit, 1e12, single=True, alone=True)
            for name, unit in (
                *(("start", "m or rad"), ("end", "m or rad"), ("max_speed", "m/s or rad/s")),
                *(("max_acceleration", "m/s^2 or rad/s^2"), ("max_jerk", "m/s^3 or rad/s^3")),
            )
        },
        "reading": Quantity(SIX, "what the encoders show", 1e15),
        "most_travel": Quantity((), "m", 1e9),
        "travel.pivot": Quantity(THREE, "m", 1e9, alone=True),
        **dict.fromkeys(
            ("reach.pose", "reach.start", "travel.pose", "plan_path.start", "plan_path.end"),
            Quantity(None, "", 1e30, alone=True),
        ),
        "spin": Quantity(SIX, "rad and rad/s", 1e9),
        "Spin.rate": Quantity(None, "rad/s", 1e9),
        "Spin.angle": Quantity(None, "rad", 1e9),
        "BaseMotion.rate": Quantity(None, "rad/s", 1e9),
        "BaseMotion.acceleration": Quantity(None, "rad/s^2", 1e12),
        "BaseMotion.axis": Quantity(THREE, "1", 1e9),
        "Sampling.rate": Quantity((), "1/s", 1e12),
        "Sensor.bias": Quantity(None, "what it reads", 1e15),
        "Drive.force": Quantity(None, "N or N m", 1e15),
        "Drive.rate": Quantity(None, "m/s or rad/s", 1e9),
        "Drive.acceleration": Quantity(None, "m/s^2 or rad/s^2", 1e12),
        "Drive.stiffness": Quantity((), "N/m or N m/rad", 1e20),
        "Drive.damping": Quantity((), "N s/m or N m s/rad", 1e20),
        "Brake.force": Quantity((), "N or N m", 1e15),
        "State.velocity": Quantity(THREE, "m/s", 1e9),
        "State.angular_velocity": Quantity(THREE, "rad/s", 1e9),
        "State.position": Quantity(THREE, "m", 1e9),
        **dict.fromkeys(
            ("explain.length", "pose_uncertainty.length", "modes_within.length"),
            Quantity(SIX, "m or rad", 1e12, alone=True),
        ),
        **dict.fromkeys(
            ("pose_uncertainty.actuator", "modes_within.actuator", "estimate_pose.actuator"),
            Quantity(SIX, "m or rad", 1e12, single=True, alone=True),
        ),
        **dict.fromkeys(
            (
                "machine_figure.pose",
                "pose_uncertainty.guess",
                "estimate_pose.guess",
                "Impedance.pose",
            ),
            Quantity(None, "", 1e30, alone=True),
        ),
        **dict.fromkeys(
            ("grid_volume.rotation", "points_inside.rotation", "slice_profile.rotation"),
            Quantity(ROTATION, "1", 2.0, alone=True),
        ),
        "PlatformVectorEnv.num_envs": Quantity((), "1", 1e7, at_least=1),
        "max_condition": Quantity((), "1", 1e30, open=True),
        "DesignProblem.constraints": Quantity((), "the metric's", 1e30, open=True),
        "margin": Quantity((), "m", 1e9, open=True),
        "duration": Quantity((), "s", 1e9),
        "step": Quantity((), "s", 1e6),
        "stiffness": Quantity(SIX, "N/m or N m/rad", 1e20, single=True),
        "damping": Quantity(SIX, "N s/m or N m s/rad", 1e20, single=True),
        **dict.fromkeys(("start_twist", "end_twist"), Quantity(SIX, "m/s and rad/s", 1e9)),
        **dict.fromkeys(
            ("edge", "height", "base_radius", "platform_radius", "link_length", "crank_length"),
            Quantity((), "m", 1e6),
        ),
        "rod_length": Quantity((), "m", 1e6),
        **dict.fromkeys(
            ("base_pair_angle", "platform_pair_angle", "incline", "roll", "pitch", "yaw"),
            Quantity((), "rad", 1e3),
        ),
        **dict.fromkeys(
            ("samples", "points", "levels", "chunk"), Quantity((), "1", 1e7, at_least=1)
        ),
        "monte_carlo.samples": Quantity((), "1", 1e5, at_least=1),
        "seed": Quantity((), "1", 2.0**63, at_least=0),
        "Impedance.stiffness": Quantity(None, "N/m and N m/rad", 1e20),
        "Impedance.damping": Quantity(None, "N s/m and N m s/rad", 1e20),
        **dict.fromkeys(("base", "joint"), Quantity((), "m", 1.0)),
        "actuator": Quantity(SIX, "m or rad", 1.0, single=True),
        "rest": Quantity(SIX, "m or rad", 1e9, single=True),
        "simulate_dae.damping": Quantity((), "1", 1e3),
        **dict.fromkeys(
            ("ComputedForce.damping", "FeedForward.damping", "GravityCompensation.damping"),
            Quantity((), "1", 1e6),
        ),
        "depth": Quantity((), "1", 12, at_least=0),
        "count": Quantity((), "1", 1e3, at_least=1),
        "varied.count": Quantity((), "1", 1e6, at_least=1),
        "every": Quantity((), "1", 1e10, at_least=1),
        "rollout.effort": Quantity(SIX, "N or N m", 1e30),
    }
)
