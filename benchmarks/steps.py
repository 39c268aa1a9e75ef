"""Steps of simulations: the compiled integrators beside MuJoCo's, which closes the loops by constraints of its solver.

The same machine without friction and drives, the same efforts, a step of 1 ms; seconds per step of one run.  A step of
RK4 takes four evaluations of the dynamics, one of the semi-implicit method or of MuJoCo's one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import gough
from benchmarks.ours import Setup
from benchmarks.peers import bare, once
from benchmarks.timing import Skip, best
from gough.checks import Array
from gough.simulation import compiled as kernels
from gough.simulation import leg_law
from gough.simulation.state import Rows

STEP, STEPS, RUNS = 1e-3, 100, 256


def ours(
    s: Setup,
    runs: int = RUNS,
    method: str = "rk4",
    threads: int = 1,
    *,
    steps: int = STEPS,
    seconds: float = 1.0,
) -> float:
    """The compiled integrator without laws of the legs, controllers or limits to look at."""
    machine = bare(s.platform)
    law = leg_law.leg_laws(machine, None, False, runs)
    rows = Rows(machine, False, leg_law.in_use(law))
    home = machine.require_home()
    shift = 1e-3 * np.random.default_rng(0).normal(size=(runs, 3))
    start = rows.start(gough.Motion(home.position + shift, home.rotation), None)
    effort = gough.inverse_dynamics(machine, home).force[None, :, None]
    compiled, still = kernels.load(method, rows.kinds, rows.laws), np.zeros((1, 6, 1))
    given = {"effort": effort, "external": still, "law": law, "par": rows.par}

    def run() -> Array:
        state = start.copy()
        kernels.advance(
            compiled, state, steps=steps, every=steps, step=STEP, workers=threads, **given
        )
        return state

    return best(run, runs * steps, threads=threads, seconds=seconds)


def _model(s: Setup) -> tuple[Any, Any, Array, Array]:
    try:
        import mujoco
    except ImportError:
        raise Skip("MuJoCo is not installed") from None
    from gough.export.mjcf import mjcf

    machine = bare(s.platform)
    model = mujoco.MjModel.from_xml_string(mjcf(machine))
    model.opt.timestep = STEP
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.empty(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, state, kind)
    return mujoco, model, state, gough.inverse_dynamics(machine, machine.require_home()).force


def mujoco_step(s: Setup) -> float:
    """mj_step called from Python."""
    mujoco, model, state, effort = once(lambda: _model(s), s, "closed")
    data = mujoco.MjData(model)

    def run() -> None:
        mujoco.mj_setState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        data.ctrl[:] = effort
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    return best(run, STEPS)


def mujoco_rollout(s: Setup, runs: int = RUNS, threads: int = 1) -> float:
    """Its batched stepping: no Python between the steps, states of all of them written."""
    mujoco, model, state, effort = once(lambda: _model(s), s, "closed")
    try:
        from mujoco.rollout import rollout
    except ImportError:
        raise Skip("this MuJoCo has no rollout") from None
    data = [mujoco.MjData(model) for _ in range(threads)]
    first, held = np.tile(state, (runs, 1)), effort[None, None]
    out = np.empty((runs, STEPS, len(state)))
    given = {"nstep": STEPS, "state": out, "persistent_pool": True}
    found = best(lambda: rollout(model, data, first, held, **given), runs * STEPS, threads=threads)
    if not np.isfinite(out).all():
        raise AssertionError("MuJoCo lost the machine")
    return found
