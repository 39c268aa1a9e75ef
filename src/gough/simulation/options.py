"""The options of `simulate`: their groups, and one table of which integrator serves which.

An option that an integrator does not serve is refused with a sentence that names those that do, never ignored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict

from gough.checks import Array, InputError
from gough.documents.source import did_you_mean
from gough.layout import LEG_LAW
from gough.simulation import leg_law
from gough.simulation.events import Events
from gough.simulation.integrators import adaptive, generalized_alpha, hht
from gough.simulation.integrators.adaptive import Adaptive
from gough.simulation.leg_law import Fault, Springs
from gough.simulation.programs import METHODS
from gough.spatial import Motion


@dataclass(frozen=True, eq=False)
class Plant:
    """What belongs to the machine besides its equations of motion.

    springs  passive springs and dampers along the legs
    drives   friction, losses and limits of the legs' drives act, and the stops at the ends of their strokes; False:
             ideal force sources on legs without end stops
    faults   `PowerLoss` and `Brake` at given times
    events   what to do when limits are passed; where a leg has end stops they push whatever is done
    base     motion of the base in the world over time: a function or a trajectory that answers a `Motion` (one that
             stands still may be given as it is); states and answers are then against the base, in its axes
    """

    springs: Springs | None = None
    drives: bool = True
    faults: Sequence[Fault] = ()
    events: Events = field(default_factory=Events)
    base: Any = None

    def __post_init__(self) -> None:
        if not (self.base is None or isinstance(self.base, Motion) or callable(self.base)):
            raise InputError(
                "base", self.base, "must be a function of time to a Motion, or a still one"
            )
        object.__setattr__(self, "faults", tuple(self.faults))
        object.__setattr__(self, "events", self.events or Events())


@dataclass(frozen=True, eq=False)
class Record:
    """What is kept of a run.

    output      interval of the records, s, a multiple of the step; default: every step unless the runs are many
    reactions   joint reactions too (default: for a single run)
    loop        under a controller: reference, readings and error of the coordinates too (default: for a single run)
    checkpoint  folder in which finished pieces are kept; with ``resume=True`` a killed run goes on from there
    version     stands for inputs without readable content (identity.py) where a run is to be resumed
    progress    called with the finished share, 0..1
    """

    output: float | None = None
    reactions: bool | None = None
    loop: bool | None = None
    checkpoint: str | os.PathLike[str] | None = None
    resume: bool = False
    version: str | None = None
    progress: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        if self.resume and self.checkpoint is None:
            raise InputError("resume", True, "needs the checkpoint folder of the run to go on with")


class Fields(TypedDict, total=False):
    """Fields of `Plant`, `Record` and `Adaptive` that `simulate` also takes directly."""

    springs: Springs | None
    drives: bool
    faults: Sequence[Fault]
    events: Events | None
    base: Any
    output: float | None
    reactions: bool | None
    loop: bool | None
    checkpoint: str | os.PathLike[str] | None
    resume: bool
    version: str | None
    progress: Callable[[float], None] | None
    rtol: float
    atol: float


GROUPS: dict[str, type] = {"plant": Plant, "record": Record, "integrator": Adaptive}
GROUP_OF = {
    f.name: name for name, group in GROUPS.items() for f in fields(group) if f.name != "name"
}
COMPILED = frozenset(
    {"controller", "runs", "springs", "drives", "friction", "faults", "stop", "base", "links"}
)
SERVES: dict[str, frozenset[str]] = {
    **dict.fromkeys(METHODS, COMPILED | {"checkpoint", "progress", "spin"}),
    **dict.fromkeys(adaptive.NAMES, adaptive.SERVES),
    hht.NAME: hht.SERVES,
    generalized_alpha.NAME: generalized_alpha.SERVES,
}
"""Integrator -> what it serves beyond force, external wrench, output and reactions, which all do."""
INTEGRATORS = tuple(SERVES)
WORDS = {
    "runs": ("state", "several runs side by side"),
    "friction": ("drives", "dry friction"),
    "stop": ("events", "events that stop the run"),
    "links": ("platform", "fixed links"),
}
"""Options whose argument has another name, or that the machine brings along."""


@dataclass(frozen=True, eq=False)
class Settings:
    """The options of one call, each in its group."""

    integrator: str
    plant: Plant
    record: Record
    tolerance: Adaptive | None

    @classmethod
    def of(
        cls,
        integrator: str | Adaptive,
        plant: Plant | None,
        record: Record | None,
        given: dict[str, Any],
    ) -> Settings:
        """Fields given directly go into their group; unknown ones and those said twice are refused."""
        tolerance = integrator if isinstance(integrator, Adaptive) else None
        groups: dict[str, Any] = {"plant": plant, "record": record, "integrator": tolerance}
        parts: dict[str, dict[str, Any]] = {name: {} for name in GROUPS}
        for name, value in given.items():
            group = GROUP_OF.get(name)
            if group is None:
                known = f"{did_you_mean(name, GROUP_OF)}unknown option; there are "
                raise InputError(name, value, known + ", ".join(GROUP_OF))
            if groups[group] is not None:
                twice = f"is a field of {group}=, which is given as well: say it there"
                raise InputError(name, value, twice)
            parts[group][name] = value
        chosen = integrator.name if isinstance(integrator, Adaptive) else integrator
        if chosen not in SERVES:
            raise InputError("integrator", integrator, f"must be one of {', '.join(INTEGRATORS)}")
        for name in parts["integrator"]:
            refuse(chosen, name, given[name])
        if tolerance is None and chosen in adaptive.NAMES:
            tolerance = Adaptive(chosen, **parts["integrator"])
        keep = record or Record(**parts["record"])
        return cls(chosen, plant or Plant(**parts["plant"]), keep, tolerance)

    def check(
        self, law: Array, *, controller: bool, spin: bool, runs: bool, links: bool = False
    ) -> None:
        """Refuse whatever the integrator does not serve; `law`: the leg laws of the drives alone."""
        used = {
            "controller": controller,
            "runs": runs,
            "spin": spin,
            "links": links,
            "springs": self.plant.springs is not None,
            "friction": bool(law[LEG_LAW.grip].max() > 1.0),
            "drives": not leg_law.is_plain(law),
            "faults": bool(self.plant.faults),
            "base": self.plant.base is not None,
            "stop": self.plant.events.stops,
            "checkpoint": self.record.checkpoint is not None,
            "progress": self.record.progress is not None,
        }
        for name, given in used.items():
            if given:
                told = f"laws of its legs: {', '.join(leg_law.in_use(law))}"
                refuse(self.integrator, name, told if name == "drives" else "given")


def refuse(integrator: str, option: str, value: object) -> None:
    """An error unless the integrator serves the option."""
    if option in SERVES[integrator]:
        return
    serving = ", ".join(name for name, served in SERVES.items() if option in served)
    argument, what = WORDS.get(option, (option, ""))
    ideal = (
        "; or drives=False for ideal force sources, no end stops" if argument == "drives" else ""
    )
    sentence = f'is not served by the integrator "{integrator}"; {serving} do{ideal}'
    raise InputError(argument, what or value, sentence)
