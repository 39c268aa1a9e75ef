"""The compiled control loop: from a state to what the controller reads, its law, its command, and the steps between.

`sense` is compiled for the machine's leg kinds, `control` for a law and the leg kinds of its model, `drive` once: it
calls both, and the steps of compiled.py, by their addresses.  Texts in closed.toml.
"""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from math import pi
from types import ModuleType
from typing import Any

from gough.control.signals import CHANNELS
from gough.engines.cache import load_generated
from gough.engines.llvm_program import Lowered
from gough.engines.native import legs_name
from gough.engines.pointer_call import address
from gough.engines.pointer_call import array_at as array_at
from gough.engines.pointer_call import caller as caller
from gough.engines.tracer import record
from gough.equations.kinds import PULLING
from gough.equations.machine import ANGULAR, crank_count, offsets
from gough.layout import LEG_LAW, MOTION, STATE, Layout
from gough.simulation import closed_laws, leg_law, winding
from gough.simulation.closed_laws import CONTROL, LAWS, REFERENCE, SENSED
from gough.simulation.integrators import rk4
from gough.simulation.programs import (
    BLOCK,
    LANES,
    LEGS,
    WIDTH,
    _lowered,
    state_layout,
    state_of,
    width_of,
)
from gough.simulation.tables import table
from gough.simulation.watch import MARKS

NUMBERS = Layout(period=1, observed=1, pole=1, on_pose=1, encoder=1)
PLAN = Layout(
    p_from=1,
    p_to=1,
    p_period=1,
    p_every=1,
    p_kept=1,
    p_loud=1,
    p_seen=1,
    p_sent=1,
    p_noise=1,
    p_laws=1,
    p_sense=1,
    p_control=1,
    p_steps=1,
)
TURN = 2 * pi
WOUND = Layout(share=6, lead=6)  # behind LEGS where a leg may have a screw: see winding.py
ARRAYS = 28  # that `drive` takes
CLIP = Layout(command=6, rate=6, law=6 * LEG_LAW.size)
Law = tuple[str, tuple[str, ...]]
"""Name of a built-in law and leg kinds of its model."""


def _text(what: str, imports: str, lanes: int = LANES, **numbers: Any) -> str:
    texts = table("closed")
    numbers |= {"width": width_of(lanes), "block": BLOCK if lanes > 1 else 1, "vector": lanes}
    numbers["body"] = STATE.size
    numbers |= {name: SENSED.at(name) for name in SENSED.names}
    parts = ("head", "rotations", what) if what in ("sense", "control") else ("head", what)
    return "".join(texts[part].format(imports=imports, **numbers) for part in parts)


def sense_text(kinds: tuple[str, ...], machines: bool = False, lanes: int = LANES) -> str:
    """Source of the module that measures; `machines` and `lanes` as in compiled.py."""
    numbers: dict[str, Any] = {f"seen_{name}": CHANNELS.at(name) for name in CHANNELS.names}
    parts = ("length", "rate", "acceleration")
    numbers |= {f"ref_{name}": REFERENCE.at(f"leg_{name}") for name in parts}
    numbers |= {name: NUMBERS.at(name) for name in NUMBERS.names}
    size: dict[str, Any] = {"rows": state_layout(kinds, ()).size, "legs_size": LEGS.size}
    size |= {name: LEGS.size + WOUND.at(name) for name in WOUND.names}
    size["legs_rows"] = LEGS.size + crank_count(kinds) + WOUND.size * winding.winds(kinds)
    size |= {"angular": tuple(kind in ANGULAR for kind in kinds), "turn": TURN}
    size["winding"] = tuple(kind in PULLING for kind in kinds)
    form = table("closed")["machines" if machines else "machine"]
    own = {"width": width_of(lanes), "vector": lanes}
    lines = {name: line.format(**own) for name, line in form.items()}
    return _text("sense", "legs_program", lanes, kinds=kinds, **size, **numbers, **lines)


def control_text(law: Law, lanes: int = LANES) -> str:
    """Source of the module of a built-in law."""
    (name, kinds), start = law, CONTROL.at("ref_position")
    known = LAWS[name]
    posed = known.model or known.turns
    numbers = {"inputs": CONTROL.size, "reference": start, "turn": CONTROL.at("turn")}
    numbers |= {"read": start if posed else SENSED.at("pose"), "wanted": REFERENCE.size}
    numbers["wanted_from"] = 0 if posed else REFERENCE.at("leg_length")
    given = {"law": name, "kinds": kinds, "turns": known.turns}
    return _text("control", "law_program", lanes, **given, **numbers)


def drive_text() -> str:
    """Source of the module that runs samples and steps."""
    numbers: dict[str, Any] = {name: PLAN.at(name) for name in PLAN.names}
    numbers["used"], numbers["clipped"] = MARKS.used, leg_law.CLIPPED
    numbers["clip_rows"], first = CLIP.size, CLIP.at("law")
    read = {at.a for at in clip_program().program.operations if at.code == "x"}
    numbers["clip_reads"] = tuple(sorted({(at - first) // 6 for at in read if at >= first}))
    names = [f"array_{i}" for i in range(ARRAYS)]
    numbers["arrays"] = "\n".join(f"{name} = array_at(KINDS, {i})" for i, name in enumerate(names))
    numbers["described"] = ", ".join(f"{name}(told)" for name in names)
    return _text("drive", "array_at, caller, clip_program", **numbers)


@lru_cache(maxsize=64)
def legs_program(kinds: tuple[str, ...], lanes: int) -> Lowered:
    """Actuator coordinates and rates of a state, and rows of `WOUND` where there may be screws; generated modules
    call this."""

    def found(z: Any, m: Any) -> list[Any]:
        state = state_of(rk4.METHOD, z)
        told = winding.traced_shares(kinds, state, m.par) if winding.winds(kinds) else []
        return [*m.coordinates(state, z), *told]

    return _lowered(kinds, state_layout(kinds, ()), found, lanes)


@lru_cache(maxsize=64)
def law_program(name: str, kinds: tuple[str, ...], lanes: int) -> Lowered:
    """Six commands and a risk of a built-in law on rows of `CONTROL`; parameters: the model's, then the gains."""
    first, law = offsets(kinds)[-1], LAWS[name]

    def traced(x: Any, par: Any) -> list[Any]:
        return closed_laws.commands(name, kinds, CONTROL.named(x), par[:first], par[first:])

    sizes = {"x": CONTROL.size, "par": first + law.gains.size}
    return Lowered(record(traced, sizes), width_of(lanes), lanes)


def clip_program() -> Lowered:
    """What the six drives give of a command, on rows of CLIP; the generated module calls this."""

    def traced(x: Any, par: Any) -> list[Any]:
        z = CLIP.named(x)
        each = zip(z["command"], z["rate"], strict=True)
        return [leg_law.motor_force(z["law"][leg::6], u, v) for leg, (u, v) in enumerate(each)]

    return Lowered(record(traced, {"x": CLIP.size, "par": 1}), WIDTH, LANES)


_lock = threading.RLock()
_users: dict[int, Any] = {}  # the `control` of users' functions: their addresses must stay theirs


@cache  # their addresses are in use
def _module(what: str, name: str, text: str) -> ModuleType:
    return load_generated(f"loop_{what}_{name}", text)


def load(
    kinds: tuple[str, ...], law: Law | Any | None, machines: bool, lanes: int
) -> tuple[Any, int, int]:
    """The compiled loop (`before`, `after`, `run`), and the addresses of its measurement and of a law: a built-in
    one, a user's function, or 0 for commands that come from Python.  `machines` and `lanes` as in compiled.py."""
    with _lock:
        control = None
        if isinstance(law, tuple):
            name = f"{law[0]}_{legs_name(law[1])}"
            control = _module("control", name, control_text(law, lanes)).control
        elif law is not None:
            control = _users[id(law)] = _users.get(id(law)) or _user(law)
        sense = _module("sense", legs_name(kinds), sense_text(kinds, machines, lanes)).sense
        where = 0 if control is None else address(control)
        return _module("drive", "all", drive_text()), address(sense), where


def _user(law: Any) -> Any:
    """The `control` of a user's function, compiled without the cache: a user's code is no part of its key."""
    numbers = {"motion": MOTION.size, "ref_length": REFERENCE.at("leg_length")}
    text = _text("user", "caller", **numbers)
    module = ModuleType("gough_user_law")
    module.__dict__["law"] = law
    exec(
        compile(text.replace("gough.engines.cache", "numba"), "<user law>", "exec"), module.__dict__
    )
    return module.control
