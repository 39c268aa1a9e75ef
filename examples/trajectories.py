"""Trajectories: every kind is called with a time and answers with a Motion."""

import numpy as np

import gough
from gough import trajectory

start = gough.Pose.from_rpy((0.1, 0.0, 0.4), (0.0, 0.0, -0.2))
end = gough.Pose.from_rpy((0.3, 0.0, 0.6), (0.0, 0.0, 0.2))

line = trajectory.line(start, end, duration=6.0, max_speed=0.08, max_rate=0.08)
print("blends end and begin at", np.round(line.breaks, 4), "s")
print("speed in the middle", np.linalg.norm(line(3.0).velocity).round(6), "m/s")

middle = gough.Pose.from_rpy((0.25, 0.1, 0.45), (0.1, 0.0, 0.0))
curve = trajectory.waypoints([start, middle, end], times=[0.0, 1.0, 2.0], kind="quintic")
tour = trajectory.sequence(curve, trajectory.hold(end, 0.5), trajectory.quintic(end, start, 1.5))
motion = tour.sample(dt=0.01)
print("tour of", tour.duration, "s in", len(motion.position), "samples")

platform = gough.load("dasgupta-1998-physical")
result = gough.inverse_dynamics(platform, motion)
print("largest force", np.abs(result.force).max().round(3), "N")
