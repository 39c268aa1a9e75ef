"""Steps of the integrators on complex numbers, operation by operation: slopes without reverse mode."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.layout import STATE
from gough.simulation import programs
from gough.simulation.programs import METHODS

STEP = 1e-40


def complex_states(
    name: str,
    kinds: tuple[str, ...],
    rows: Array,
    effort: Array,
    external: Array,
    par: Array,
    h: float,
) -> Array:
    """(steps + 1, rows, ...) of a rollout from complex rows (rows, ...), loads (steps, 6, ...), parameters (P, ...)."""
    method = METHODS[name]
    stage, finish, _ = programs.steps_programs(name, kinds, ())
    layout = programs.stage_layout(method, kinds, ())
    source = programs.chart_rows(method, kinds, ())
    moving = programs.moving_layout(method, kinds, ()).size
    states = [rows]
    for push, wrench in zip(effort, external, strict=True):
        x = [*states[-1], np.zeros_like(states[-1][0])]
        chart = [x[at] for at in source]
        ahead = (*method.nodes[1:], 0.0)
        z, total = list(chart), [0.0] * moving
        for node, weight in zip(ahead, method.weights, strict=True):
            given = [*z, h, *push, *wrench]
            assert len(given) == layout.size
            rates = stage.program.run(given, par)
            total = [a + weight * b for a, b in zip(total, rates, strict=True)]
            z[:moving] = [chart[k] + h * node * rates[k] for k in range(moving)]
        z[:moving] = [chart[k] + h * total[k] for k in range(moving)]
        states.append(np.array(finish.program.run([*z, h, *push, *wrench], par)))
    return np.array(states)


def twist_rows(count: int) -> slice:
    """Rows of a state whose slopes are asked for: all but the integral of the spins' angles."""
    return slice(0, STATE.size if count == STATE.size else count - 6)
