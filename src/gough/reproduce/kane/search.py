"""Search over the data that [Syed] (004) does not give, by the compiled kernels.

    python -m gough.reproduce.kane.search --machines 1000000 --seed 0 --out search.toml

First a survey: over what share of admissible machines each statement of the paper holds.  Then, from the best of
them, a machine on which all hold together, for every shape of the trajectories.  The page reads what was found from
``search.toml``; tests/reproduce/test_reproduce_kane.py verifies it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from gough.checks import Array
from gough.engines import native
from gough.layout import FORCES, FULL, LEG_MOTION, MASS, MOTION
from gough.reproduce.kane import missing
from gough.reproduce.kane.control import tracking_error
from gough.reproduce.kane.forces import dependence
from gough.reproduce.kane.missing import Data
from gough.reproduce.kane.statements import (
    ALWAYS,
    DURATION,
    PEAKS,
    SHAPES,
    Observed,
    margins,
    measures,
    peak,
    profile,
)
from gough.reproduce.paper_text import PaperText, read
from gough.spatial import rotation_exp
from gough.storage import write_whole

KINDS = ("sps",) * 6
TIMES = 9  # samples of a trajectory
CHUNK = 3000  # machines observed at once
OVERLOAD = (
    10.0  # no leg needs more than this many times the weight and inertia of everything that moves
)
QUANTILES = (0.0, 0.05, 0.5, 0.95, 1.0)
STARTS, GENERATIONS, PARENTS, CHILDREN = 3, 40, 40, 8  # of the refinement; starts from each chunk


@lru_cache(maxsize=8)
def trajectories(shape: str) -> tuple[Array, ...]:
    """The six trajectories from the origin, side by side: (6 TIMES, width) blocks of a motion."""
    x, v, a = profile(shape, np.linspace(0.0, DURATION, TIMES))
    blocks = {name: np.zeros((6, TIMES, 3)) for name in MOTION.names if name != "rotation"}
    turns = np.zeros((6, TIMES, 3))
    for i, size in enumerate(PEAKS):
        along = size * np.eye(3)[i % 3]
        kind = ("position", "velocity", "acceleration")
        if i >= 3:
            turns[i] = x[:, None] * along
            kind = ("", "angular_velocity", "angular_acceleration")
        for name, values in zip(kind, (x, v, a), strict=True):
            if name:
                blocks[name][i] = values[:, None] * along
    rows = {name: block.reshape(6 * TIMES, 3) for name, block in blocks.items()}
    rows["rotation"] = rotation_exp(turns).reshape(6 * TIMES, 9)
    return tuple(rows[name] for name in MOTION.names)


def observe(data: Data, shape: str) -> tuple[Observed, Array]:
    """What the statements are about, of n machines; and which of them are admissible."""
    n, height = len(data["base_radius"]), missing.heights(data)
    blocks, nothing = trajectories(shape), np.zeros((6 * TIMES, 6))
    still = [np.zeros((TIMES, width)) for width in (*MOTION.widths[2:], 6)]
    forces, legs = native.kernel("forces", KINDS), native.kernel("kinematics", KINDS)
    masses = native.kernel("mass", KINDS)
    models = [
        missing.parameters(data, *halves)
        for halves in ((False, False), (True, False), (False, True), (True, True))
    ]
    found, rest = np.empty((n, 3, 6 * TIMES, FORCES.size)), np.empty((n, 2, TIMES, FORCES.size))
    motion, mass = np.empty((n, 6 * TIMES, 6 * LEG_MOTION.size)), np.empty((n, 1, MASS.size))
    for i in range(n):
        position = blocks[0] + (0.0, 0.0, height[i])
        for k in range(3):
            forces(position, *blocks[1:], nothing, models[k][i], found[i, k])
        for k, model in enumerate((models[0], models[3])):
            forces(position[:TIMES], blocks[1][:TIMES], *still, model[i], rest[i, k])
        legs(position, *blocks[1:], models[3][i], motion[i])
        masses(position[:1], blocks[1][:1], models[3][i], mass[i])
    effort = found.reshape(n, 3, 6, TIMES, FORCES.size)[..., FORCES.effort]
    leg = motion.reshape(n, 6, TIMES, 6, LEG_MOTION.size)
    observed = Observed(
        shape,
        massless=effort[:, 0],
        lower=effort[:, 1],
        upper=effort[:, 2],
        weight=(rest[:, 1] - rest[:, 0])[..., FORCES.effort],
        rate=leg[..., LEG_MOTION.rate],
        acceleration=leg[..., LEG_MOTION.acceleration],
        mass=_in_leg_space(data, mass[:, 0, MASS.upper][:, FULL]),
        reflected=np.asarray(data["reflected_mass"]),
    )
    length = leg[..., LEG_MOTION.coordinate]
    return observed, _admissible(data, observed, length)


def _in_leg_space(data: Data, M: Array) -> Array:
    """``J^-T M J^-1`` at the start."""
    b, p = missing.joints(data)
    s = p + missing.heights(data)[:, None, None] * np.eye(3)[2] - b
    s /= np.linalg.norm(s, axis=-1, keepdims=True)
    J = np.concatenate([s, np.cross(p, s)], axis=-1)
    inverse = np.asarray(np.linalg.pinv(J), dtype=np.float64)
    return np.swapaxes(inverse, -1, -2) @ M @ inverse


def _admissible(data: Data, o: Observed, length: Array) -> Array:
    """Legs whole (their rods overlap, and neither reaches through the leg) and no force near a singularity."""
    start = length[:, 0, 0, 0]
    longest, shortest = (f(length, axis=(1, 2, 3)) / start for f in (np.max, np.min))
    lower, upper = data["lower_length"], data["upper_length"]
    whole = (lower + upper >= longest) & (np.maximum(lower, upper) <= shortest)
    moving = data["platform_mass"] + 12 * missing.HALF_MASS
    largest = peak(o.full).max(axis=-1)
    return whole & (largest <= OVERLOAD * moving * (missing.GRAVITY + max(PEAKS)))


def taken(data: Data, which: Any) -> dict[str, Array]:
    """Some of the machines."""
    return {name: values[which] for name, values in data.items()}


def worst(text: PaperText, data: Data) -> Array:
    """(n,) the least margin of all statements over all shapes; minus infinity where a machine is not admissible."""
    least = np.full(len(data["base_radius"]), np.inf)
    for shape in SHAPES:
        observed, admissible = observe(data, shape)
        kept = margins(text, measures(observed), text.paper["statements"])
        if shape != SHAPES[0]:
            del kept[ALWAYS]
        least = np.minimum(
            least, np.where(admissible, np.min(list(kept.values()), axis=0), -np.inf)
        )
    return least


def survey(text: PaperText, machines: int, seed: int) -> tuple[dict[str, Any], dict[str, Array]]:
    """Shares of the admissible machines on which statements hold, quantiles of the measures, and the best machines."""
    rng = np.random.default_rng(seed)
    values: dict[str, list[Array]] = {}
    best: dict[str, Array] = {}
    tried: dict[str, Array] = {}
    for first in range(0, machines, CHUNK):
        data = missing.sample(min(CHUNK, machines - first), rng)
        observed, admissible = observe(data, SHAPES[first // CHUNK % len(SHAPES)])
        found = taken(measures(observed), admissible)
        for name, value in found.items():
            values.setdefault(name, []).append(value)
        kept = margins(text, found, text.paper["statements"])
        score = np.min([value for key, value in kept.items() if key != ALWAYS], axis=0)
        which = np.flatnonzero(admissible)
        best = _joined(best, taken(data, which[np.argsort(-score, kind="stable")[:STARTS]]))
        tried = _joined(tried, taken(data, which[:1]))
    measured = {name: np.concatenate(value) for name, value in values.items()}
    kept = margins(text, measured, text.paper["statements"])
    holds = {key: value >= 0 for key, value in kept.items()}
    pattern = holds["x-pattern"]
    together = np.all([value for key, value in holds.items() if key != ALWAYS], axis=0)
    among = {key: value[pattern] for key, value in holds.items() if pattern.any()}
    platforms = [missing.machine(taken(tried, i)) for i in range(len(tried["disc"]))]
    measured["tracking"] = np.array([tracking_error(platform) for platform in platforms])
    changes = [dependence(platform) for platform in platforms]
    measured |= {name: np.array([each[name] for each in changes]) for name in changes[0]}
    beyond = margins(text, measured, text.paper["simulated"])
    holds |= {key: value >= 0 for key, value in beyond.items()}
    return {
        "machines": machines,
        "admissible": len(pattern),
        "pattern": int(pattern.sum()),
        "together": int(together.sum()),
        "simulated": len(platforms),
        "share": {key: 100 * float(value.mean()) for key, value in holds.items()},
        "share_of_pattern": {key: 100 * float(value.mean()) for key, value in among.items()},
        "quantiles": {
            name: [float(np.quantile(value, q)) for q in QUANTILES]
            for name, value in measured.items()
        },
    }, best


def refined(text: PaperText, start: Data, seed: int) -> tuple[dict[str, float], float]:
    """The machine with the largest least margin, by random variation of the best, and that margin.

    Rounded to three digits; its drives are the lightest that keep nine tenths of the margin.
    """
    rng = np.random.default_rng(seed)
    score = worst(text, start)
    order = np.argsort(-score, kind="stable")[:PARENTS]
    parents, score = taken(start, order), score[order]
    for generation in range(GENERATIONS):
        children = taken(parents, np.repeat(np.arange(len(score)), CHILDREN))
        n = len(children["base_radius"])
        for name, ends in missing.RANGES.items():
            step = 0.25 * 0.9**generation * rng.standard_normal(n) * (rng.random(n) < 0.6)
            children[name] = np.clip(children[name] * np.exp(step), *ends)
        everyone = _joined(parents, children)
        score = np.concatenate([score, worst(text, children)])
        order = np.argsort(-score, kind="stable")[:PARENTS]
        parents, score = taken(everyone, order), score[order]
    first = {name: float(f"{values[0]:.3g}") for name, values in parents.items()}
    drives = np.array([float(f"{m:.2g}") for m in np.geomspace(*missing.RANGES["reflected_mass"])])
    each = {name: np.full(len(drives), value) for name, value in first.items()}
    kept = worst(text, each | {"reflected_mass": drives})
    enough = int(np.argmax(kept >= 0.9 * kept.max()))
    return first | {"reflected_mass": float(drives[enough])}, float(kept[enough])


def _joined(a: Data, b: Data) -> dict[str, Array]:
    return {name: np.concatenate([a[name], b[name]]) if a else b[name] for name in b}


def document(table: Mapping[str, Any], head: str) -> str:
    """TOML of a table of numbers, rows of numbers and tables of them, under a comment."""
    lines = [head]
    flat = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines += [f"{key} = {_number(value)}" for key, value in flat.items()]
    for name, part in table.items():
        if isinstance(part, dict):
            lines += [
                "",
                f"[{name}]",
                *(f"{key} = {_number(value)}" for key, value in part.items()),
            ]
    return "\n".join(lines) + "\n"


def _number(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_number, value))}]"
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def main(words: list[str]) -> None:
    """Survey, refine, write."""
    parser = argparse.ArgumentParser(prog="python -m gough.reproduce.kane.search")
    parser.add_argument("--machines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="search.toml")
    given = parser.parse_args(words)
    text = read("kane")
    table, best = survey(text, given.machines, given.seed)
    found, least = refined(text, best, given.seed)
    command = f"{parser.prog} --machines {given.machines} --seed {given.seed}"
    head = f"# Data missing in 004, searched.  Made by: {command}"
    whole = {**table, "least_margin": least, "found": found}
    write_whole(given.out, document(whole, head))
    print(f"{table['together']} of {table['admissible']} admissible machines meet every statement")


if __name__ == "__main__":
    main(sys.argv[1:])
