"""Design: optimize a platform for a task, and sweep parameters over machines and motions."""

from gough.design.metrics import METRICS as METRICS
from gough.design.metrics import Task as Task
from gough.design.metrics import evaluate as evaluate
from gough.design.optimize import Optimum as Optimum
from gough.design.optimize import Problem as Problem
from gough.design.optimize import optimize as optimize
from gough.design.optimize import read_problem as read_problem
from gough.design.sweep import SweepStoppedError as SweepStoppedError
from gough.design.sweep import read_sweep as read_sweep
from gough.design.sweep import sweep as sweep
