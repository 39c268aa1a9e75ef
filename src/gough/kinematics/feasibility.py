"""The error for a pose that cannot be taken: which state, when, which leg and why (`gough.guard`, `gough.reach`)."""

from gough.guard import refuse as refuse
from gough.reach import pose_problem as pose_problem
