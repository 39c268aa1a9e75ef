"""The GPU engine checked and measured on the machine it runs on: `python benchmarks/gpu.py --out gpu.json`.

Checks every machine function on random machines of every leg kind against the equations on the CPU, then measures
the generated kernel, the hand-written one (hand.cu) and JAX where it is installed.  Needs CuPy and an NVIDIA GPU; the
library itself is read from `src`, so nothing has to be installed beside NumPy.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform as host
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests"), str(ROOT)]


from gough.engines import cuda, pack, plain  # noqa: E402
from gough.engines.emit_cuda import THREADS  # noqa: E402
from gough.engines.native import inputs_of  # noqa: E402
from oracles.machines import CYLINDERS, KINDS, RODS, case  # noqa: E402
from oracles.offset_machines import KINDS as OFFSETS  # noqa: E402
from oracles.offset_machines import offset_case  # noqa: E402

CHECKED = {
    "forces": (*KINDS, *CYLINDERS, *RODS, *OFFSETS),
    "forward": (
        "UPS",
        "SPS-general",
        "PUS",
        "RUS",
        "mixed",
        *CYLINDERS,
        *RODS,
        *OFFSETS,
    ),
    "kinematics": ("UPS", "RUS", "mixed"),
    "mass": ("UPS", "RUS"),
    "energy": ("UPS", "RUS"),
    "record": ("UPS", "RUS"),
}


def machine_of(kind: str, seed: int) -> Any:
    """A random machine with 64 states; offset joints, which few states allow, with eight."""
    if kind in OFFSETS:
        return offset_case(kind, seed=seed, states=8)
    return case(kind, seed=seed, states=64)


def say(*words: object) -> None:
    sys.stderr.write(" ".join(str(w) for w in words) + "\n")
    sys.stderr.flush()


def columns(c: Any, function: str, kinds: tuple[str, ...]) -> list[np.ndarray]:
    """Inputs of a machine function as (N, width) arrays."""
    m, n = c.motion, len(c.external)
    spin = np.stack([np.cos(c.spin_angle), np.sin(c.spin_angle), c.spin_rate], axis=-1).reshape(
        n, 18
    )
    given = {
        "position": m.position,
        "rotation": m.rotation.reshape(n, 9),
        "velocity": m.velocity,
        "angular_velocity": m.angular_velocity,
        "acceleration": m.acceleration,
        "angular_acceleration": m.angular_acceleration,
        "external": c.external,
        "effort": 3.0 * c.external,
        "spin": spin,
    }
    return [np.ascontiguousarray(given[name]) for name, _ in inputs_of(function, kinds)]


def relative(found: np.ndarray, wanted: np.ndarray) -> float:
    size = np.abs(wanted).max(axis=0)
    return float((np.abs(found - wanted) / np.where(size > 0, size, 1.0)).max())


def check(cp: Any, seeds: int) -> dict[str, float]:
    """Largest relative error of each function and kind, device arrays in and out."""
    worst: dict[str, float] = {}
    for function, kinds in CHECKED.items():
        for kind in kinds:
            for seed in range(seeds if function == "forces" else 1):
                c = machine_of(kind, 900 + seed)
                names = pack.kinds_of(c.platform, c.needs_spin)
                blocks, par = columns(c, function, names), pack.parameters(c.platform)
                wanted = plain.run(function, names, blocks, par)
                spins = inputs_of(function, names)[-1][0] == "spin"
                spin = cp.asarray(blocks.pop()) if spins else None
                device = [cp.asarray(b) for b in blocks]
                found = cuda.evaluate(function, c.platform, device, spin)
                assert isinstance(found, cp.ndarray)
                key = f"{function} {kind}"
                worst[key] = max(worst.get(key, 0.0), relative(cp.asnumpy(found), wanted))
            say("checked", key, f"{worst[key]:.1e}")
    return worst


def best(cp: Any, call: Any, repeats: int = 20, queued: int = 5) -> float:
    """Seconds of a launch in the fastest of some queues of them, by device events."""
    call()
    cp.cuda.Device().synchronize()
    times = []
    for _ in range(repeats):
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        for _ in range(queued):
            call()
        stop.record()
        stop.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, stop) * 1e-3 / queued)
    return min(times)


def states(cp: Any, n: int) -> tuple[Any, Any]:
    """A UPS machine and n states on the device, (30, n) by component; every state is different."""
    c = case("UPS", seed=5, states=256)
    rows = np.concatenate(columns(c, "forces", pack.kinds_of(c.platform)), axis=1).T
    X = cp.ascontiguousarray(cp.tile(cp.asarray(rows), n // 256 + 1)[:, :n])
    rng = cp.random.default_rng(1)
    X[12:] += rng.standard_normal((18, n))  # twist, acceleration and wrench vary freely
    return c.platform, X


def split(X: Any) -> list[Any]:
    edges = np.cumsum([0, *(width for _, width in inputs_of("forces", ("ups",) * 6))])
    return [X[a:b].T for a, b in itertools.pairwise(edges)]


def measure(cp: Any, n: int) -> dict[str, Any]:
    """Evaluations per second of the generated and the hand-written kernel."""
    machine, X = states(cp, n)
    out = cp.empty((7, n)).T
    rows = split(X)
    seconds = {
        "generated float64": best(cp, lambda: cuda.evaluate("forces", machine, rows, out=out))
    }
    by_state = [cp.ascontiguousarray(b) for b in rows]
    out_rows = cp.empty((n, 7))
    seconds["generated float64, states by rows"] = best(
        cp, lambda: cuda.evaluate("forces", machine, by_state, out=out_rows)
    )
    hand, Y = hand_kernel(cp, machine), cp.empty((6, n))
    grid = ((n + THREADS - 1) // THREADS,)
    seconds["hand-written float64"] = best(cp, lambda: hand(grid, (THREADS,), (np.int64(n), X, Y)))
    error = float(cp.abs(Y.T - out[:, :6]).max() / cp.abs(Y).max())
    single = split(X.astype(np.float32))
    out32 = cp.empty((7, n), dtype=np.float32).T
    seconds["generated float32"] = best(
        cp, lambda: cuda.evaluate("forces", machine, single, out=out32)
    )
    error32 = float(cp.abs(out32[:, :6].astype(np.float64) - out[:, :6]).max() / cp.abs(Y).max())
    driven, Z = [*split(X)[:4], X[24:30].T], cp.empty((19, n)).T
    seconds["forward dynamics float64"] = best(
        cp, lambda: cuda.evaluate("forward", machine, [*driven, driven[-1]], out=Z)
    )
    rates = {name: n / t for name, t in seconds.items()}
    return {
        "states": n,
        "evaluations_per_second": rates,
        "generated_over_hand_written": rates["generated float64"] / rates["hand-written float64"],
        "hand_written_difference": error,
        "float32_error": error32,
    }


def hand_kernel(cp: Any, machine: Any) -> Any:
    """hand.cu with hand.h in place."""
    folder = Path(__file__).parent
    text = (
        (folder / "hand.cu")
        .read_text()
        .replace('#include "hand.h"', (folder / "hand.h").read_text())
    )
    module = cp.RawModule(code=text, options=("--std=c++17",))
    par = pack.parameters(machine)
    cp.ndarray(par.shape, dtype=np.float64, memptr=module.get_global("par")).set(par)
    kernel = module.get_function("kernel")
    return lambda *launch: (module, kernel(*launch))  # the module must live as long as its kernel


def measure_jax(cp: Any, n: int) -> dict[str, Any]:
    """The same function through XLA on components."""
    os.environ.setdefault(
        "XLA_PYTHON_CLIENT_PREALLOCATE", "false"
    )  # leave room beside CuPy's arrays
    try:
        import jax
    except ImportError:
        return {"skipped": "JAX is not installed"}
    jax.config.update("jax_enable_x64", True)
    if jax.default_backend() != "gpu":
        return {"skipped": f"JAX runs on {jax.default_backend()}"}
    from gough.dynamics import jax as model_jax

    machine, X = states(cp, n)
    model = model_jax.machine(machine)
    rows = [jax.device_put(cp.asnumpy(row)) for row in X]
    f = jax.jit(
        lambda rows: model.efforts(rows[:24], rows[24:], model.parameters, [1.0, 0.0, 0.0] * 6)
    )
    start = time.perf_counter()
    found = jax.block_until_ready(f(rows))
    compile_seconds = time.perf_counter() - start
    times = []
    for _ in range(10):
        start = time.perf_counter()
        jax.block_until_ready(f(rows))
        times.append(time.perf_counter() - start)
    wanted = cp.asnumpy(cuda.evaluate("forces", machine, split(X)))
    return {
        "version": jax.__version__,
        "compile_seconds": compile_seconds,
        "evaluations_per_second": n / min(times),
        "error": relative(np.stack([np.asarray(v) for v in found[:6]], axis=1), wanted[:, :6]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="write the result here as JSON")
    parser.add_argument("--states", type=int, default=10_000_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--simulation", action="store_true", help="runs instead of single states")
    parser.add_argument("--modes", action="store_true", help="kinematics instead of dynamics")
    parser.add_argument("--problems", type=int, default=1_000_000, help="of measured kinematics")
    parser.add_argument("--runs", type=int, default=1_000_000, help="of a measured simulation")
    parser.add_argument("--steps", type=int, default=1000, help="of a checked simulation")
    arguments = parser.parse_args()
    cp = cuda.cupy()
    properties = cp.cuda.runtime.getDeviceProperties(cp.cuda.Device().id)
    result: dict[str, Any] = {
        "device": properties["name"].decode(),
        "cupy": cp.__version__,
        "python": host.python_version(),
        "driver": cp.cuda.runtime.driverGetVersion(),
        "runtime": cp.cuda.runtime.runtimeGetVersion(),
    }
    steps: dict[str, Any] = {
        "relative_error": lambda: check(cp, arguments.seeds),
        "throughput": lambda: measure(cp, arguments.states),
        "jax": lambda: measure_jax(cp, arguments.states // 4),
    }
    if arguments.simulation:
        from benchmarks import gpu_simulation as runs

        steps = {
            "simulation_difference": lambda: runs.check(say, arguments.steps),
            "simulation": lambda: runs.measure(say, arguments.runs),
        }
    if arguments.modes:
        from benchmarks import gpu_modes

        steps = {"kinematics": lambda: gpu_modes.measure(say, arguments.problems)}
    if arguments.out and arguments.out.exists():  # the other parts' figures stay
        result = {**json.loads(arguments.out.read_text()), **result}
    failed = False
    for name, step in steps.items():
        try:
            result[name] = step()
        except Exception as error:  # one part failing must not lose the others' numbers
            result[name], failed = {"failed": f"{type(error).__name__}: {error}"}, True
        say(name, json.dumps(result[name], indent=1))
        if arguments.out:
            arguments.out.write_text(json.dumps(result, indent=1) + "\n")
    bounds = {"relative_error": 1e-12, "simulation_difference": 1e-10}
    far = [name for name in steps if not all(v < bounds[name] for v in _numbers(result, name))]
    if failed or far:
        raise SystemExit(1)


def _numbers(result: dict[str, Any], name: str) -> list[float]:
    """The differences of a check; what could not be compared is infinitely far."""
    told = result[name] if name.endswith(("error", "difference")) else {}
    return [v if isinstance(v, float) else float("inf") for v in told.values()]


if __name__ == "__main__":
    main()
