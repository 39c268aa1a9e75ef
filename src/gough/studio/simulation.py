"""Run a simulation for the page: a controller follows the trajectory of the builder."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

import gough
from gough.analysis.timeline import timeline
from gough.checks import Array, InfeasibleError, InputError
from gough.model import Platform
from gough.spatial import Motion, rotation_from_quaternion, rotation_log
from gough.studio import messages as m

LAWS = {
    "computed-force": "ComputedForce",
    "decentralized": "Decentralized.from_bandwidth",
    "feed-forward": "FeedForward",
    "gravity-compensation": "GravityCompensation",
}  # names in gough.control
CONTROLLERS = tuple(LAWS)
RECORDS = 500  # intervals shown on the timeline
MOST_STEPS = 400_000


def simulate(
    platform: Platform,
    message: m.Simulate,
    trajectory: Any,
    report: Callable[[float, str], None],
) -> tuple[dict[str, Any], dict[str, Any], list[str], list[str]]:
    """Data, summary, refusals and notes of the simulated motion."""
    duration = float(trajectory.duration)
    steps, step = grid(duration, message.step)

    def progress(share: float) -> None:
        report(share, f"{share * duration:.2f} of {duration:.2f} s")

    run = gough.simulate(
        platform,
        trajectory(0.0),
        duration=duration,
        reference=trajectory,
        step=step,
        controller=controller(platform, message),
        sampling=gough.control.Sampling(rate=1.0 / step),
        external=np.array(message.motion.external),
        integrator=message.integrator or "rk4",
        output=steps // RECORDS * step,
        progress=progress,
    )
    motion, command = _motion(run)
    data, figures, refused, notes = timeline(platform, motion, np.array(message.motion.external))
    wanted = trajectory(np.minimum(np.asarray(motion.time), duration))
    data["force"]["commanded"] = command
    data["error"] = _error(motion, wanted)
    if run.attrs["status"] != "ok":
        notes.insert(0, str(run.attrs["status"]))
    return data, figures, refused, notes


def grid(duration: float, step: float) -> tuple[int, float]:
    """Whole steps, a multiple of the records, each no longer than asked."""
    if not 1e-6 <= step <= 0.1:
        raise InputError("step", step, "must be from 1e-6 to 0.1 s")
    steps = RECORDS * math.ceil(duration / step / RECORDS - 1e-9)
    if steps > MOST_STEPS:
        raise InputError("step", step, f"gives {steps} steps; the studio runs at most {MOST_STEPS}")
    return steps, duration / steps


def controller(platform: Platform, message: m.Simulate) -> Any:
    """The controller by its name, tuned to the bandwidth asked for (rad/s)."""
    if not 0.0 < message.bandwidth <= 1e5:
        raise InputError("bandwidth", message.bandwidth, "must be above 0 and at most 1e5 rad/s")
    if message.controller not in LAWS:
        raise InputError(
            "controller", message.controller, "must be one of " + ", ".join(CONTROLLERS)
        )
    make = attrgetter(LAWS[message.controller])(gough.control)
    return make(platform, bandwidth=message.bandwidth)


def _motion(run: Any) -> tuple[Motion, Array]:
    """The recorded motion up to where the run ended, and the commanded efforts."""
    both = np.hstack([run["position"].values, run["acceleration"].values])
    good = np.isfinite(both).all(axis=1)
    if good.sum() < 2:
        raise InfeasibleError(f"the simulation ended at once: {run.attrs['status']}")

    def pick(name: str) -> Array:
        return run[name].values[good]

    twist = (pick("velocity"), pick("angular_velocity"))
    change = (pick("acceleration"), pick("angular_acceleration"))
    rotation = rotation_from_quaternion(pick("quaternion"))
    motion = Motion(pick("position"), rotation, *twist, *change, pick("time"))
    return motion, pick("command")


def _error(motion: Motion, wanted: Motion) -> dict[str, Array]:
    """How far the platform is from where it should be: m and rad."""
    turn = rotation_log(np.swapaxes(wanted.rotation, -1, -2) @ motion.rotation)
    return {
        "position": np.linalg.norm(motion.position - wanted.position, axis=-1),
        "angle": np.linalg.norm(turn, axis=-1),
    }
