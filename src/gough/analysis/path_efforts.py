"""Efforts along a path as a function of its pace: ``F = c + b sigma' + P sigma'^2 + Q sigma''``, by the exact model."""

from __future__ import annotations

from gough.checks import Array
from gough.dynamics import inverse_dynamics
from gough.model import Platform
from gough.spatial import Motion


def effort_parts(
    platform: Platform, motion: Motion, wrench: Array
) -> tuple[Array, Array, Array, Array]:
    """c, b, P, Q, (N, 6) each, at N instants of the path at its own pace: weight, springs and external wrench; viscous
    friction; inertia."""

    def at(speed: float, push: float) -> Array:
        moved = Motion(
            motion.position,
            motion.rotation,
            motion.velocity * speed,
            motion.angular_velocity * speed,
            motion.acceleration * speed**2 + motion.velocity * push,
            motion.angular_acceleration * speed**2 + motion.angular_velocity * push,
        )
        return inverse_dynamics(platform, moved, wrench, engine="python").force

    c, ahead, back, pushed = at(0.0, 0.0), at(1.0, 0.0), at(-1.0, 0.0), at(0.0, 1.0)
    return c, 0.5 * (ahead - back), 0.5 * (ahead + back) - c, pushed - c
