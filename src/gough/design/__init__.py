"""Design: optimize a platform for a task, and sweep parameters over machines and motions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.design.executors import SweepStoppedError as SweepStoppedError
    from gough.design.front_files import write_front as write_front
    from gough.design.fronts import find_front as find_front
    from gough.design.hardware import Hardware as Hardware
    from gough.design.metrics import METRICS as METRICS
    from gough.design.metrics import Task as Task
    from gough.design.metrics import evaluate as evaluate
    from gough.design.optimization import DesignProblem as DesignProblem
    from gough.design.optimization import Optimum as Optimum
    from gough.design.optimization import optimize as optimize
    from gough.design.optimization import read_problem as read_problem
    from gough.design.own_metrics import metric as metric
    from gough.design.parameter_sweep import sweep as sweep
    from gough.design.sweep_plan import read_sweep as read_sweep

__getattr__, __dir__ = lazy.attach(__name__)
