"""A trajectory file of every kind, and other documents that no example shows whole."""

from __future__ import annotations

from gough.trajectory.definition import TRAJECTORY

HERE = "{ position = [0, 0, 1.15] }"
THERE = '{ position = "50 0 1200 mm", rpy = [0, "5 deg", 0.1] }'
ENDS = f"start = {HERE}\nend = {THERE}\nduration = 2.0\n"
SINES = 'frequency = ["0.2 Hz", 0.5]\nduration = 10.0\nphase = [[0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, "30 deg"]]\n'
LEGS = "[1.4, 1.4, 1.4, 1.4, 1.4, 1.4]"
PATH = f'{{ kind = "move", profile = "quintic", start = {HERE}, end = {THERE}, duration = 2.0 }}'
TEXTS = {
    "line": ENDS + 'max_speed = 0.05\nmax_rate = "6 deg/s"\norientation = "rpy"',
    "move": ENDS + 'profile = "trigonometric"',
    "there-and-back": ENDS + 'orientation = "geodesic"',
    "hold": f'pose = {THERE}\nduration = "500 ms"',
    "harmonic": f"center = {HERE}\namplitude = [[0.01, 0, 0.02, 0, 0.1, 0], [0, 0, 0.01, 0, 0, 0.05]]\n"
    + SINES
    + 'orientation = "vector"',
    "legs-harmonic": f"center = {LEGS}\namplitude = [[0.01, 0, 0, 0, 0, 0], [0, 0, 0.02, 0, 0, 0]]\n"
    + SINES,
    "acceleration": f'start = {HERE}\ncoordinate = "rx"\nduration = 2.0\nperiod = 1.0\npeak = "2 rad/s^2"',
    "waypoints": f'poses = [{HERE}, {THERE}, {HERE}]\ntimes = [0.0, 1.0, 2.5]\nspline = "quintic"\nends = "natural"',
    "jerk-limited": f'start = {HERE}\nend = {THERE}\nmax_speed = 0.3\nmax_acceleration = "1 m/s^2"\nmax_jerk = 20.0\n'
    + 'max_rate = 1.0\nmax_angular_acceleration = 5.0\nmax_angular_jerk = 50.0\norientation = "geodesic"',
    "legs-move": f"start = {LEGS}\nend = [1.41, 1.42, 1.4, 1.4, 1.39, 1.4]\n"
    + "max_speed = [0.1, 0.1, 0.1, 0.1, 0.1, 0.2]\n"
    + "max_acceleration = [1, 1, 1, 1, 1, 1]\nmax_jerk = [9, 9, 9, 9, 9, 9]",
    "sea-state": f'center = {HERE}\nheight = 0.02\nperiod = "8 s"\ngamma = 3.3\nheading = "150 deg"\nduration = 30.0\n'
    + "components = 40\nseed = 3",
    "sweep": f'start = {HERE}\ncoordinate = "z"\nsize = "0.5 m/s^2"\nlow = "1 Hz"\nhigh = 9.0\nduration = 5.0\n'
    + 'spacing = "linear"\ncontrolled = "acceleration"\nfade = 0.5',
    "paper": 'name = "001-I"',
    "sequence": f'parts = [{PATH}, {{ kind = "hold", pose = {THERE}, duration = 1.0 }}]',
    "paced": f"path = {PATH}\ntimes = [0.0, 1.0, 2.0, 3.0]\nspeed = [0.0, 0.5, 0.5, 0.0]"
    + "\nacceleration = [0.0, 0.1, 0.0, 0.0]",
    "retimed": f'path = {PATH}\nduration = 4.0\nprofile = "quintic"',
}  # not those that are read from other files: shaking, file


def definitions() -> list[bytes]:
    """Trajectory files."""
    known = {name for name in TRAJECTORY.tables if name not in ("shaking", "file")}
    assert known == set(TEXTS), known ^ set(TEXTS)
    return [f'[trajectory]\nkind = "{kind}"\n{text}\n'.encode() for kind, text in TEXTS.items()]
