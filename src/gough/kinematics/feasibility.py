"""The error for a pose that cannot be taken: which state, when, which leg and why (`gough.guard`, `gough.reasons`)."""

from gough.guard import refuse as refuse
from gough.reasons import pose_problem as pose_problem
