"""Forward kinematics, all modes and positions on the GPU, compared with the CPU and measured:
`python benchmarks/gpu.py --modes --out FILE`.

Rates are given twice: of arrays that stay on the device, by device events, and of the verb, arrays of the host in and
out, by the clock.  `left_to_the_cpu`: the share that the card does not settle and the CPU's own code answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import gough
from benchmarks.fk import HOME, hexapod, machine
from gough.analysis.points import _tables, points_inside
from gough.analysis.points_card import CardPoints
from gough.engines import cuda
from gough.kinematics.assembly.card import PART, CardModes
from gough.kinematics.assembly.spheres import Spheres, fixed_geometry
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.forward_card import TOLD, CardForward
from gough.layout import FORWARD_SOLUTION as INFO
from gough.spatial import Pose, rotation_exp, rotation_from_quaternion
from gough.struts import leg_table

Lengths = np.ndarray


def semi_regular(n: int) -> tuple[gough.Platform, Lengths]:
    """The hexapod of fk.py, in poses within 0.1 m and 0.3 rad of home."""
    rng, platform = np.random.default_rng(11), hexapod()
    turn = rotation_exp(rng.uniform(-0.3, 0.3, (n, 3)))
    there = Pose(HOME.position + rng.uniform(-0.1, 0.1, (n, 3)), turn)
    return platform, actuator_coordinates(platform, there)


def general(n: int) -> tuple[gough.Platform, Lengths]:
    """One random 6-6 machine, anywhere."""
    rng = np.random.default_rng(12)
    platform = machine(rng.normal(size=(6, 3)), rng.normal(size=(6, 3)))
    there = Pose(rng.normal(size=(n, 3)), rotation_from_quaternion(rng.normal(size=(n, 4))))
    return platform, actuator_coordinates(platform, there)


def device_seconds(call: Callable[[], Any], repeats: int = 5) -> float:
    """Of the fastest of some calls, by device events."""
    cp, times = cuda.cupy(), []
    call()
    for _ in range(repeats):
        begun, ended = cp.cuda.Event(), cp.cuda.Event()
        begun.record()
        call()
        ended.record()
        ended.synchronize()
        times.append(cp.cuda.get_elapsed_time(begun, ended) * 1e-3)
    return min(times)


def clock_seconds(call: Callable[[], Any], repeats: int = 3) -> float:
    """Of the fastest of some calls, by the clock."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


def measure_modes(made: Callable[[int], Any], n: int) -> dict[str, Any]:
    """Problems per second of one machine, everything proved."""
    cp, (platform, lengths) = cuda.cupy(), made(n)
    geometry = fixed_geometry(platform)
    assert geometry is not None
    base = platform.base_joints
    start = Spheres(platform, base[None], lengths[:2], geometry, False, "cuda")._start()
    assert start is not None
    modes = CardModes(geometry, base, platform.platform_joints, start)
    some = cp.asarray(np.ascontiguousarray(lengths[:PART]))
    seconds = device_seconds(lambda: modes.solve(some))

    def verb() -> Any:
        return gough.assembly_modes(platform, lengths, engine="cuda", disk_cache=False)

    found = verb()
    return {
        "problems": n,
        "solutions": int(found.expected[0]),
        "real_poses": float(found.number.mean()),
        "problems_per_second_on_device": len(some) / seconds,
        "problems_per_second_of_the_verb": n / clock_seconds(verb, 2),
        "complete": float(found.complete.mean()),
        "certified": float(found.certified.mean()),
        "left_to_the_cpu": len(found.found.others) / n,
    }


def compare_modes(made: Callable[[int], Any], n: int) -> dict[str, float]:
    """How far the card's answers are from the CPU's; all zero but the distance of poses, and that of rounding."""
    platform, lengths = made(n)
    gough.assembly_modes(platform, lengths[:1000], disk_cache=False)  # compiles
    begun = time.perf_counter()
    wanted = gough.assembly_modes(platform, lengths, disk_cache=False)
    took = time.perf_counter() - begun
    found = gough.assembly_modes(platform, lengths, engine="cuda", disk_cache=False)
    words = ("count", "expected", "complete", "certified", "number")
    other = np.any([getattr(found, name) != getattr(wanted, name) for name in words], axis=0)
    both = np.flatnonzero(~other & ~np.isin(np.arange(n), [*found.found.others]))
    both = both[~np.isin(both, [*wanted.found.others])]
    worst = 0.0
    if len(both):
        rows = [_rows(answers.found, both) for answers in (found, wanted)]
        worst = float(np.abs(rows[0] - rows[1]).max())
    return {
        "problems": n,
        "sets_that_differ": int(other.sum()),
        "compared_pose_by_pose": len(both),
        "largest_difference_of_a_pose": worst,
        "cpu_problems_per_second": n / took,
    }


def _rows(found: Any, which: Any) -> np.ndarray:
    number, first = found.number[which], found.first[which]
    at = np.repeat(first - np.cumsum(number) + number, number) + np.arange(number.sum())
    return found.rows[at]


def steps_from_home(n: int, sizes: tuple[float, float]) -> tuple[gough.Platform, Pose]:
    """Poses `sizes` m, evenly in their logarithm, and twice as many rad from home."""
    rng = np.random.default_rng(13)
    least, most = np.log(sizes)
    size = np.exp(rng.uniform(least, most, (n, 1)))
    turn = rotation_exp(2.0 * size * rng.uniform(-1, 1, (n, 3)))
    return hexapod(), Pose(HOME.position + size * rng.uniform(-1, 1, (n, 3)), turn)


def compare_forward(n: int) -> dict[str, Any]:
    """Steps from a tenth of a millimeter to where most are left to the CPU."""
    platform, there = steps_from_home(n, (1e-4, 0.1))
    length = actuator_coordinates(platform, there)
    words = [INFO.at(name) for name in ("status", "iterations", "certified", "straight", "pieces")]
    out: dict[str, Any] = {"problems": 2 * n, "answers_that_differ": 0}
    worst = 0.0
    for certify in (True, False):
        wanted, found = (
            gough.forward_kinematics(platform, length, certify=certify, engine=engine)
            for engine in ("native", "cuda")
        )
        other = (found.info[:, words] != wanted.info[:, words]).any(axis=1)
        out["answers_that_differ"] += int(other.sum())
        worst = max(worst, float(np.nanmax(np.abs(found.flat - wanted.flat))))
        if certify:
            out["certified"] = float(found.certified.mean())
    return {**out, "largest_difference_of_a_pose": worst}


def forward_kinematics(n: int) -> dict[str, Any]:
    """Steps of about a millimeter from home, with and without the certificate."""
    cp, (platform, there) = cuda.cupy(), steps_from_home(n, (1e-3, 1.001e-3))
    length = actuator_coordinates(platform, there)
    found = gough.forward_kinematics(platform, length, engine="cuda")
    gough.forward_kinematics(platform, length[:1000])  # compiles
    scale = platform.characteristic_length
    kernel = CardForward(leg_table(platform), scale)
    start = np.concatenate([HOME.position, HOME.rotation.ravel()])[None]
    given = cp.asarray(length), cp.asarray(start), 1e-9 * scale
    told = kernel.solve(*given, True)[1]
    return {
        "problems": n,
        "largest_error_of_a_pose": float(np.abs(found.flat[:, :3] - there.position).max()),
        "certified": float(found.certified.mean()),
        "left_to_the_cpu": float((told[:, TOLD.settled] == 0.0).mean()),
        "solves_per_second_on_device": {
            name: n / device_seconds(lambda proof=proof: kernel.solve(*given, proof))
            for name, proof in (("certified", True), ("without certificate", False))
        },
        "solves_per_second_of_the_verb": n
        / clock_seconds(lambda: gough.forward_kinematics(platform, length, engine="cuda")),
        "cpu_solves_per_second": n
        / clock_seconds(lambda: gough.forward_kinematics(platform, length), 1),
    }


def positions(n: int) -> dict[str, Any]:
    """Positions of a preset with strokes, cones and leg distances, at one rotation."""
    cp, platform, rng = cuda.cupy(), gough.load("motion-base-1500"), np.random.default_rng(14)
    home = platform.require_home()
    points = home.position + 0.3 * platform.characteristic_length * rng.normal(size=(n, 3))
    here, there = (points_inside(platform, points, engine=e) for e in ("native", "cuda"))
    kernel, some = CardPoints(_tables(platform, home.rotation)), cp.asarray(points)
    return {
        "positions": n,
        "inside": float(here.mean()),
        "answers_that_differ": int((here != there).sum()),
        "positions_per_second_on_device": n / device_seconds(lambda: kernel.inside(some)),
        "positions_per_second_of_the_verb": n
        / clock_seconds(lambda: points_inside(platform, points, engine="cuda")),
        "cpu_positions_per_second": n / clock_seconds(lambda: points_inside(platform, points), 1),
    }


def measure(say: Any, problems: int) -> dict[str, Any]:
    """All figures; every comparison must hold."""
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "semi-regular, compared": lambda: compare_modes(semi_regular, problems // 10),
        "semi-regular": lambda: measure_modes(semi_regular, problems),
        "general 6-6, compared": lambda: compare_modes(general, problems // 50),
        "general 6-6": lambda: measure_modes(general, problems // 4),
        "forward kinematics, compared": lambda: compare_forward(problems // 5),
        "forward kinematics": lambda: forward_kinematics(2 * problems),
        "positions": lambda: positions(10 * problems),
    }
    out: dict[str, Any] = {}
    for name, part in parts.items():
        out[name] = part()
        say(name, out[name])
    for told in out.values():
        assert told.get("sets_that_differ", 0) == 0
        assert told.get("answers_that_differ", 0) == 0
        assert told.get("largest_difference_of_a_pose", 0.0) < 1e-9
    return out
