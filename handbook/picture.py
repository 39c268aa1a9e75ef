"""The moving picture of the first page: a motion base on a wave, its legs colored by their forces.

    python -m handbook.picture        writes docs/images/moving.svg again

A scalable drawing animated by its own attributes (SMIL): no script, no fonts, some kilobytes.  Motion, lengths and
forces are those of `gough.trajectory.harmonic` and `gough.inverse_dynamics`; the test draws it again and compares.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import gough
from gough.checks import Array
from gough.storage import write_whole

TARGET = Path(__file__).parents[1] / "docs" / "images" / "moving.svg"
PERIOD, FRAMES = 4.0, 48
WIDTH, HEIGHT = 640, 420
LOW, HIGH = np.array([25, 113, 194]), np.array([214, 48, 58])  # least and largest force
THICK = 0.05  # of the plates, m
TUBE = 0.62  # of the shortest leg: the part that does not slide


def wave(platform: gough.Platform) -> gough.Motion:
    """One period of heave, roll, pitch and yaw; the last state is the first."""
    assert platform.home is not None
    home, zero = platform.home, [0.0] * 6
    size = [0.06, 0.0, 0.08, 0.16, 0.12, 0.1]
    phase = [0.0, 0.0, 1.2, 0.0, 1.6, 0.8]
    path = gough.trajectory.harmonic(
        home, [size, zero], [1 / PERIOD, 2 / PERIOD], phase=[phase, zero], duration=PERIOD
    )
    return path.sample(FRAMES + 1)


def draw() -> str:
    """The picture as SVG text."""
    platform = gough.load("motion-base-1500")
    motion = wave(platform)
    force = gough.inverse_dynamics(platform, motion).force
    legs = gough.inverse_kinematics(platform, motion)
    base = platform.base_joints
    joints = motion.position[:, None] + np.einsum(
        "nij,kj->nki", motion.rotation, platform.platform_joints
    )
    tube = base + TUBE * legs.length.min() * legs.direction
    up = motion.rotation[:, :, 2][:, None] * THICK
    look = _Camera(np.vstack([base - [0, 0, 0.1], (joints + up).reshape(-1, 3)]))
    share = (force - force.min()) / np.ptp(force)

    ring = _ring(base)
    plate = _ring(platform.platform_joints)
    body = _still(base[ring] - [0, 0, THICK], look, "#566373") + _still(base[ring], look, "#8b98a9")
    far = np.argsort(-(base @ look.depth))
    for i in far:
        color = ";".join(_color(value) for value in share[:, i])
        body += (
            f'<path d="{_line(base[i], joints[0, i], look)}" stroke="#c3ccd8" stroke-width="5">'
            f"{_moving('d', [_line(base[i], p, look) for p in joints[:, i]])}</path>"
            f'<path d="{_line(base[i], tube[0, i], look)}" stroke="{_color(share[0, i])}" stroke-width="11">'
            f"{_moving('d', [_line(base[i], p, look) for p in tube[:, i]])}"
            f'<animate attributeName="stroke" dur="{PERIOD}s" repeatCount="indefinite" values="{color}"/></path>'
        )
    for corners, fill in ((joints[:, plate], "#b45f06"), ((joints + up)[:, plate], "#e2953a")):
        frames = [_outline(points, look) for points in corners]
        body += (
            f'<path d="{frames[0]}" fill="{fill}" stroke="#7a4104">{_moving("d", frames)}</path>'
        )
    low, high = force.min() / 1e3, force.max() / 1e3
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" fill="none" stroke-linecap="round" stroke-linejoin="round">\n'
        "<title>A motion base on a wave; color of a leg: the force of its actuator, "
        f"{low:.2f} kN (blue) to {high:.2f} kN (red)</title>\n{body}</svg>\n"
    )


class _Camera:
    """Seen from the front, the right and a little above, with all `points` inside."""

    def __init__(self, points: Array) -> None:
        turn, rise = np.radians(25.0), np.radians(24.0)
        right = np.array([np.cos(turn), np.sin(turn), 0.0])
        ahead = np.array([-np.sin(turn), np.cos(turn), 0.0])
        above = np.cos(rise) * np.array([0, 0, 1.0]) + np.sin(rise) * ahead
        self.depth = np.cos(rise) * ahead - np.sin(rise) * np.array([0, 0, 1.0])
        self.axes = np.stack([right, above], axis=1)
        flat = points @ self.axes
        low, high = flat.min(axis=0), flat.max(axis=0)
        self.scale = float(min((WIDTH - 40) / (high - low)[0], (HEIGHT - 40) / (high - low)[1]))
        self.middle = (low + high) / 2

    def at(self, point: Array) -> str:
        x, y = (point @ self.axes - self.middle) * self.scale
        return f"{WIDTH / 2 + x:.1f} {HEIGHT / 2 - y:.1f}"


def _ring(points: Array) -> Array:
    return np.argsort(np.arctan2(points[:, 1], points[:, 0]))


def _line(start: Array, end: Array, look: _Camera) -> str:
    return f"M{look.at(start)}L{look.at(end)}"


def _outline(points: Array, look: _Camera) -> str:
    return "M" + "L".join(look.at(p) for p in points) + "Z"


def _still(points: Array, look: _Camera, fill: str) -> str:
    return f'<path d="{_outline(points, look)}" fill="{fill}" stroke="#445060"/>'


def _moving(name: str, frames: list[str]) -> str:
    values = ";".join(frames)
    return f'<animate attributeName="{name}" dur="{PERIOD}s" repeatCount="indefinite" values="{values}"/>'


def _color(share: float) -> str:
    red, green, blue = (LOW + share * (HIGH - LOW)).round().astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


if __name__ == "__main__":
    print(write_whole(TARGET, draw()))
