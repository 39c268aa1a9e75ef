"""The compiled control loop: from a state to what the controller reads, its law, its command, and the steps between.

Three kernels, each compiled once: `sense` for the machine's leg kinds, `control` for a law and the leg kinds of its
model, `drive` for both and a method; `drive` calls the steps of compiled.py.  Texts in closed.toml.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

from gough.control.signals import CHANNELS
from gough.engines.cache import load_generated
from gough.engines.llvm_program import Lowered
from gough.engines.native import legs_name
from gough.engines.tracer import record
from gough.equations.machine import offsets
from gough.layout import LEG_LAW, MOTION, STATE, Layout
from gough.simulation import closed_laws, compiled, leg_law
from gough.simulation.closed_laws import CONTROL, LAWS, REFERENCE, SENSED
from gough.simulation.integrators import rk4
from gough.simulation.programs import BLOCK, LANES, LEGS, WIDTH, _lowered, state_layout, state_of
from gough.simulation.tables import table

NUMBERS = Layout(period=1, observed=1, pole=1, on_pose=1)
PLAN = Layout(p_from=1, p_to=1, p_period=1, p_every=1, p_seen=1, p_sent=1, p_noise=1)
CLIP = Layout(command=6, rate=6, law=6 * LEG_LAW.size)
Kernel = Callable[..., Any]
Law = tuple[str, tuple[str, ...]]
"""Name of a built-in law and leg kinds of its model."""


def _text(
    what: str, about: str, imports: str, more: dict[str, str] | None = None, **numbers: Any
) -> str:
    texts = table("closed")
    numbers |= {"width": WIDTH, "block": BLOCK, "vector": LANES, "body": STATE.size}
    numbers |= {"about": about, "imports": imports}
    numbers |= {name: SENSED.at(name) for name in SENSED.names}
    lines = {name: line.format(**numbers) for name, line in (more or {}).items()}
    parts = ("head", "rotations", what) if what in ("sense", "control") else ("head", what)
    return "".join(texts[part].format(**numbers, **lines) for part in parts)


def sense_text(kinds: tuple[str, ...]) -> str:
    """Source of the module that measures."""
    numbers: dict[str, Any] = {f"seen_{name}": CHANNELS.at(name) for name in CHANNELS.names}
    numbers |= {
        f"ref_{name}": REFERENCE.at(f"leg_{name}") for name in ("length", "rate", "acceleration")
    }
    numbers |= {name: NUMBERS.at(name) for name in NUMBERS.names}
    size = {"rows": state_layout(kinds, False).size, "legs_size": LEGS.size}
    size["legs_rows"] = LEGS.size + kinds.count("rus")
    return _text("sense", "", "legs_program", kinds=kinds, **size, **numbers)


def control_text(law: Law) -> str:
    """Source of the module of a built-in law."""
    (name, kinds), start = law, CONTROL.at("ref_position")
    known = LAWS[name]
    posed = known.model or known.turns
    numbers = {"inputs": CONTROL.size, "reference": start, "turn": CONTROL.at("turn")}
    numbers |= {"read": start if posed else SENSED.at("pose"), "wanted": REFERENCE.size}
    numbers["wanted_from"] = 0 if posed else REFERENCE.at("leg_length")
    given = {"law": name, "kinds": kinds, "turns": known.turns}
    return _text("control", "", "law_program", **given, **numbers)


def drive_text(method: str, kinds: tuple[str, ...], laws: bool, controller: Any) -> str:
    """Source of the module that runs samples and steps; `controller`: a `Law`, None (commands come from Python), or
    a token that stands for a user's function."""
    texts = table("closed")
    numbers: dict[str, Any] = {name: PLAN.at(name) for name in PLAN.names}
    numbers |= {"method": method, "plant": kinds, "laws": laws, "controller": controller}
    numbers |= {"clip_rows": CLIP.size, "law_size": 6 * LEG_LAW.size}
    clip = texts["drive_law"] if laws else {"clip_names": "", "clip": "pass"}
    ask = texts["drive_asked"] if controller is not None else {"ask": "pass"}
    called = sense_text(kinds), compiled.steps_text(method, kinds, laws), texts["user"]
    called += (control_text(controller),) if isinstance(controller, tuple) else ()
    about = "of " + hashlib.sha256("".join(called).encode()).hexdigest()
    return _text("drive", about, "parts", {**clip, **ask}, **numbers)


@lru_cache(maxsize=64)
def legs_program(kinds: tuple[str, ...]) -> Lowered:
    """Actuator coordinates and rates of a state; generated modules call this."""
    layout = state_layout(kinds, False)
    return _lowered(kinds, layout, lambda z, m: m.coordinates(state_of(rk4.METHOD, z), z))


@lru_cache(maxsize=64)
def law_program(name: str, kinds: tuple[str, ...]) -> Lowered:
    """Six commands and a risk of a built-in law on rows of `CONTROL`; parameters: the model's, then the gains."""
    first, law = offsets(kinds)[-1], LAWS[name]

    def traced(x: Any, par: Any) -> list[Any]:
        return closed_laws.commands(name, kinds, CONTROL.named(x), par[:first], par[first:])

    sizes = {"x": CONTROL.size, "par": first + law.gains.size}
    return Lowered(record(traced, sizes), WIDTH, LANES)


@lru_cache(maxsize=4)
def clip_program(kinds: tuple[str, ...]) -> Lowered:
    """What the six drives give of a command, on rows of CLIP."""

    def traced(x: Any, par: Any) -> list[Any]:
        z = CLIP.named(x)
        given = zip(z["command"], z["rate"], strict=True)
        return [
            leg_law.motor_force(z["law"][leg::6], u, rate) for leg, (u, rate) in enumerate(given)
        ]

    return Lowered(record(traced, {"x": CLIP.size, "par": offsets(kinds)[-1]}), WIDTH, LANES)


_lock = threading.RLock()
_users: dict[
    str, Kernel
] = {}  # the `control` of users' functions, by the token in their drive's text


@lru_cache(maxsize=64)
def _module(what: str, name: str, text: str) -> ModuleType:
    return load_generated(f"loop_{what}_{name}", text)


def sense(kinds: tuple[str, ...]) -> Kernel:
    """The compiled measurement."""
    with _lock:
        return _module("sense", legs_name(kinds), sense_text(kinds)).sense


def parts(method: str, kinds: tuple[str, ...], laws: bool, controller: Any) -> tuple[Any, ...]:
    """What the module of `drive_text` calls; generated modules call this."""
    steps: Any = compiled.load(method, kinds, laws)
    control = _users.get(controller) if isinstance(controller, str) else None
    if isinstance(controller, tuple):
        name, model = controller
        control = _module("control", f"{name}_{legs_name(model)}", control_text(controller)).control
    return sense(kinds), control, steps.func, clip_program(kinds) if laws else None


def drive(method: str, kinds: tuple[str, ...], laws: bool, controller: Law | None) -> Any:
    """The compiled loop (`before`, `after`, `drive`) of a built-in law, or (None) of commands that come from Python."""
    with _lock:
        name = f"{method}_{'law' if laws else 'bare'}_{legs_name(kinds)}"
        return _module("drive", name, drive_text(method, kinds, laws, controller))


def user_drive(method: str, kinds: tuple[str, ...], laws: bool, law: Any) -> Any:
    """The compiled loop around a user's function, compiled in this process only."""
    with _lock:
        token = f"user {id(law)}"
        numbers = {"motion": MOTION.size, "ref_length": REFERENCE.at("leg_length")}
        _users[token] = _fresh(_text("user", "", "parts", **numbers), {"law": law}).control
        return _fresh(drive_text(method, kinds, laws, token), {})


def _fresh(text: str, names: dict[str, Any]) -> ModuleType:
    """A module compiled without the cache: a user's code is no part of its key."""
    text = text.replace("from gough.engines.cache import njit", "from numba import njit")
    module = ModuleType("gough_user_law")
    module.__dict__.update(names)
    exec(compile(text, "<user law>", "exec"), module.__dict__)
    return module
