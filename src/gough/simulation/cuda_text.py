"""CUDA text of a whole run: method, laws of the legs, controller and the look at the limits, one run per thread.

The programs are those of the compiled kernels (`programs.py`, `watch.py`, `closed_kernels.py`), traced once and written
by `emit_c.statements`; cuda.toml holds the loops around them.  What depends on parameters alone is computed on the host
(`emit_cuda.split`) and lies in constant memory or, of runs that each have their own machine, in rows on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from string import Template
from typing import Any

from gough.engines.emit_cuda import RECIPROCAL, SINGLE_RECIPROCAL
from gough.engines.tracer import Program, record
from gough.equations.kinds import PULLING
from gough.equations.machine import ANGULAR
from gough.layout import LEG_LAW, STATE, Layout
from gough.simulation import leg_law, programs, winding
from gough.simulation.closed_kernels import TURN, WOUND, law_program, legs_program
from gough.simulation.closed_laws import CONTROL, LAWS, REFERENCE, SENSED
from gough.simulation.compiled import LARGEST
from gough.simulation.cuda_legs import LegStage, outputs_of, stage_cut
from gough.simulation.cuda_writer import Form, Module, Writer, at, by_blocks
from gough.simulation.events import MARGIN, MARGINS
from gough.simulation.integrators.fixed_step import FixedStep
from gough.simulation.programs import LEGS, METHODS
from gough.simulation.tables import table
from gough.simulation.watch import LIMITS, MARKS, SUSPICIONS, WATCH, watch_program

CLIP = Layout(command=6, rate=6)


def _stage(form: Form, writer: Writer) -> dict[str, str]:
    method = METHODS[form.method]
    stage, finish, legs = (
        None if found is None else found.program
        for found in programs.steps_programs(form.method, form.kinds, form.laws)
    )
    assert stage is not None
    assert finish is not None
    state = programs.state_layout(form.kinds, form.laws)
    moving = programs.moving_layout(method, form.kinds, form.laws)
    source = programs.chart_rows(method, form.kinds, form.laws)
    start = [f"X[{row}]" if row < state.size else "0.0" for row in source]
    layout = programs.stage_layout(method, form.kinds, form.laws)
    words = stage_words(form, method, state)
    read, read_end = by_blocks(layout, words), by_blocks(layout, words | _end_words(form, method))
    begin = [f"F[{k}]" for k in range(moving.size)] if form.single else start

    def onward(k: int, value: str) -> str:
        if k < moving.size:
            return f"S[{k}] += weight * {value}; Z[{k}] = {begin[k]} + ahead * {value};"
        row, k = divmod(k - moving.size, 6)
        target = f"C[{k}]" if row else f"X[{state.at('anchor') + k}]"
        return f"if (stage == 0) {target} = {value};"

    numbers, count = "stage" if form.laws else "machine", outputs_of(form)
    end = "E" if form.single else "Z"
    chart = [f"Z[{k}] = {value};" for k, value in enumerate(start)]
    if form.single:
        chart += [f"F[{k}] = Z[{k}];" for k in range(moving.size)]
        chart += [f"E[{k}] = {start[k]};" for k in range(moving.size, len(start))]
    sums = [f"{end}[{k}] = {start[k]} + h * S[{k}];" for k in range(moving.size)]
    lines = {"chart": "\n        ".join(chart), "sum": "\n        ".join(sums), "legs": ""}
    if form.lanes:
        cut = stage_cut(form.method, form.kinds, form.laws, count)
        assert cut is not None, "the form asks for like legs"
        lines |= LegStage(form, cut, read, onward).words(writer, numbers)
        lines["stage"] = table("cuda")["legs"]["stage"]
    else:
        whole = stage.select(range(count))
        lines["stage"] = writer.lines(numbers, whole, read, onward, form.single)
    lines["finish"] = writer.lines("machine", finish, read_end, lambda k, v: f"X[{k}] = {v};")
    if legs is not None:
        found = writer.lines("machine", legs, read, lambda k, v: f"G[{k}] = {v};")
        lines["legs"] = f"double G[{LEGS.size}];\n            {{\n{found}\n            }}"
    return lines


def _end_words(form: Form, method: FixedStep) -> dict[str, Callable[[int], str]]:
    """How the end of a step is read: in double precision."""
    moving = programs.moving_layout(method, form.kinds, form.laws)
    charted = moving.then(**dict(method.held.blocks()))
    end = "E[{}]" if form.single else "Z[{}]"
    return {name: at(end, charted.at(name)) for name in charted.names}


def stage_words(form: Form, method: FixedStep, state: Layout) -> dict[str, Callable[[int], str]]:
    moving = programs.moving_layout(method, form.kinds, form.laws)
    charted = moving.then(**dict(method.held.blocks()))

    words: dict[str, Callable[[int], str]] = {
        name: at("Z[{}]", charted.at(name)) for name in charted.names
    }
    words["step"] = lambda k: "h"
    words["effort"] = at("U[{}]" if form.law else "command[{} * effort_runs]", 0)
    words["external"] = at("push[{} * external_runs]", 0)
    for name in LEGS.names:
        words[name] = at("G[{}]", LEGS.at(name))
    if form.laws:
        words["anchor"] = at("X[{}]", state.at("anchor"))
    return words


def _control(form: Form, writer: Writer) -> dict[str, str]:
    """Measurement, law and saturation."""
    assert form.law is not None
    name, kinds = form.law
    state = programs.state_layout(form.kinds, form.laws)
    legs = legs_program(form.kinds, 1).program

    def row(k: int) -> str:
        return f"X[{k}]"

    def coordinate(k: int, value: str) -> str:
        own = form.encoder and k < LEGS.size
        return f"G[{k}] = {row(state.at('drive_coordinate') + k) if own else value};"

    words: dict[str, Callable[[int], str]] = {}
    for block in ("length", "rate", "integral"):
        words[block] = at("M[{}]", SENSED.at(block))
    for block in STATE.names:
        words[block] = at("X[{}]", STATE.at(block))
    for block in REFERENCE.names:
        words[f"ref_{block}"] = at("WANTED({})", REFERENCE.at(block))
    words["turn"] = lambda k: f"turn[{k}]"
    clip = by_blocks(
        CLIP,
        {"command": lambda k: f"U[{k}]", "rate": lambda k: f"M[{SENSED.at('rate') + k}]"},
    )
    law = law_program(name, kinds, 1).program
    return {
        "coordinates": writer.lines("machine", legs, row, coordinate),
        "law": writer.lines(
            "gains",
            law,
            by_blocks(CONTROL, words),
            lambda k, v: f"U[{k}] = {v};" if k < 6 else f"risk = {v};",
        ),
        "clip": writer.lines("law", _clip(), clip, lambda k, v: f"given[{k}] = {v};"),
    }


def _clip() -> Program:
    """What the six drives give of a command."""

    def traced(x: Sequence[Any], par: Sequence[Any]) -> list[Any]:
        z = CLIP.named(x)
        each = zip(z["command"], z["rate"], strict=True)
        return [leg_law.motor_force(par[leg::6], u, v) for leg, (u, v) in enumerate(each)]

    return record(traced, {"x": CLIP.size, "par": 6 * LEG_LAW.size})


def _look(form: Form, writer: Writer) -> dict[str, str]:
    program = watch_program(form.kinds, form.laws, 1).program

    def row(k: int) -> str:
        return f"X[{k}]"

    lines = writer.lines("watch", program, row, lambda k, v: f"W[{k}] = {v};")
    return {"margins": lines, "limits_from": str(writer.kept("limits", LIMITS.size))}


def step_numbers(form: Form) -> dict[str, Any]:
    """Rows and sizes by the words of cuda.toml."""
    method, state = METHODS[form.method], programs.state_layout(form.kinds, form.laws)
    moving = programs.moving_layout(method, form.kinds, form.laws).size
    size = STATE.size
    return {
        "threads": form.threads,
        "stages": len(method.nodes),
        "nodes": ", ".join(repr(float(x)) for x in (*method.nodes[1:], 0.0)),
        "weights": ", ".join(repr(float(x)) for x in method.weights),
        "samples": ", ".join(str(round(2 * x)) for x in method.nodes),
        "rows": state.size,
        "charted": moving + method.held.size,
        "moving": moving,
        "body": size,
        "largest": repr(LARGEST),
        "real": "float" if form.single else "double",
        "sample": "step" if form.held else "3 * step + SAMPLE[stage]",
        "per_step": 1 if form.held else 3,
        "first": "lane == 0 && " if form.lanes > 1 else "",
    }


def _loop_numbers(form: Form) -> dict[str, Any]:
    size = STATE.size
    return {
        "memory": SENSED.size - size,
        "pose": SENSED.at("pose"),
        "reference": REFERENCE.size,
        "ref_length": REFERENCE.at("leg_length"),
        "ref_rate": REFERENCE.at("leg_rate"),
        "ref_rotation": REFERENCE.at("rotation"),
        "rotation": STATE.at("rotation"),
        "length": SENSED.at("length"),
        "rate": SENSED.at("rate"),
        "integral": SENSED.at("integral"),
        **{name: SENSED.at(name) - size for name in ("play", "saturated", "wound")},
        "legs_rows": LEGS.size + WOUND.size * winding.winds(form.kinds),
        "lead": LEGS.size + WOUND.at("lead"),
        "share": LEGS.size + WOUND.at("share"),
        "angular": sum(1 << leg for leg, kind in enumerate(form.kinds) if kind in ANGULAR),
        "screws": sum(1 << leg for leg, kind in enumerate(form.kinds) if kind in PULLING),
        "turn": repr(TURN),
        "clipped": repr(leg_law.CLIPPED),
    }


def _watch_numbers() -> dict[str, Any]:
    from gough.simulation.watch_kernel import SWEEPS  # compiles when loaded

    found: dict[str, Any] = {name: WATCH.at(name) for name in WATCH.names}
    found |= {name: LIMITS.at(name) for name in ("low", "high", "speed", "screen", "condition")}
    found |= {f"{name}_limit": LIMITS.at(name) for name in ("base", "platform")}
    found |= {name: MARKS.at(name) for name in ("now", "ever", "missed", "count", "used")}
    found |= {f"{name}_of": MARKS.at(name) for name in ("step", "bits", "dips")}
    words = {"LOW": "low", "HIGH": "high", "SPEED": "speed", "BASE": "base"}
    words |= {"PLATFORM": "platform", "FORCE": "force", "SINGULAR": "singular"}
    found |= {word: MARGIN.at(name) for word, name in words.items()}
    more = {"watched": WATCH.size, "margins_count": MARGINS, "suspicions": SUSPICIONS}
    return {**found, **more, "sweeps": SWEEPS}


def filled(text: str, words: dict[str, Any]) -> str:
    """Words for their names, and names inside these words."""
    while "$" in text:
        text = Template(text).substitute(words)
    return text


def _number_words(form: Form, writer: Writer) -> dict[str, Any]:
    """Where the numbers of machine, laws and legs are, and what the threads of a run are."""
    texts, many = table("cuda")["legs"], form.lanes > 1
    number = "own[(k) * n + i]" if form.machines else "par[k]"
    words: dict[str, Any] = {"number": number, "lanes": max(form.lanes, 1), "single": ""}
    words["constants"] = 1 if form.machines else max(writer.count, 1)
    words |= {"numbers_of_legs": "", "lane": ""}
    own = "OF_LEG[(place) * 8 + leg]" if many and not form.machines else "NUMBER(k)"
    defined = f"#define OWN(k, place) {own}\n"
    if form.single:
        own = own if own.startswith("OF") else "SINGLE(k)"
        words["lane"] = "float F[$moving];\n    double E[$charted];"
        single = "(float)NUMBER(k)" if form.machines else "single[k]"
        defined = "__constant__ float single[$constants];\n" + f"#define SINGLE(k) {single}\n"
        defined += f"#define OWN_SINGLE(k, place) {own}\n"
    words["single"] = defined
    if many:
        words["lane"] += texts["lane"]
    if many and not form.machines:
        words["numbers_of_legs"] = texts["numbers_of_legs"]
        words["of_legs"] = sum(count for _, count in writer.of_legs)
        chosen, before = "", 0
        for first, count in writer.of_legs:
            place = f"NUMBER({first} + k % 6 * {count} + k / 6 - {before})"
            before += count
            chosen += f"k < {6 * before} ? {place} : "
        words["number_of_leg"] = chosen + "0.0"
    return words


@lru_cache(maxsize=64)
def module(form: Form) -> Module:
    """The kernel of a form."""
    texts, writer = table("cuda"), Writer()
    way = texts["closed" if form.law else "open"]
    lines = dict.fromkeys(("sense", "before", "look", "end"), "") | _stage(form, writer)
    lines |= {name: way.get(name, "") for name in ("arguments", "begin", "given", "next", "end")}
    helpers = ""
    if form.law:
        found = _control(form, writer) | _loop_numbers(form)
        found["winding"] = ""
        if winding.winds(form.kinds) and not form.encoder:
            found["winding"] = way["winding"]
        found["turn_error"] = way["turn_error"] if LAWS[form.law[0]].turns else ""
        found["saturation"] = way["saturation"] if form.laws else ""
        helpers = way["rotations"] if LAWS[form.law[0]].turns else ""
        lines |= {
            name: filled(way[name], {**step_numbers(form), **found}) for name in ("sense", "before")
        }
        lines |= {
            name: filled(way[name], {**step_numbers(form), **found}) for name in ("begin", "end")
        }
    if form.watched:
        look, own = texts["watch"], {**step_numbers(form), **_watch_numbers()}
        own |= _look(form, writer) | {"held": way["held"]}
        for name in ("arguments", "begin", "before"):
            lines[name] += filled("\n" + look[name], own)
        lines["look"] = filled(look["look"], own)
        limits = f"#define LIMIT(k) NUMBER({own['limits_from']} + k)\n"
        helpers = limits + filled(look["condition"], own) + helpers
    words = {**step_numbers(form), **lines, **_number_words(form, writer)}
    helpers = (SINGLE_RECIPROCAL if form.single else "") + helpers
    if form.lanes > 1:
        helpers = texts["legs"]["lanes"] + helpers
    text = RECIPROCAL + filled(helpers, words)
    text = filled(texts["head"], words) + text + filled(texts["steps"], words)
    return Module(text, tuple(writer.parts))
