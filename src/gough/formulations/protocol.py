"""What every formulation says about itself and can be asked for; the register of all five.

A formulation is a package with the same inner files: ``errata`` (what it says about itself, `About`), ``kinematics``,
``balance`` (the equations), ``verbs`` (what can be asked for), and files of its own where its method needs them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Protocol, TypedDict

from numpy.typing import ArrayLike

from gough.checks import Array, InputError
from gough.documents.source import parse_toml
from gough.model import SPS, Platform
from gough.model.offset import offset
from gough.results import InverseDynamics
from gough.spatial import Motion, Pose

EVERY_LEG = ("UPS", "SPS", "PUS", "RUS", "UCU")


class Keep(TypedDict, total=False):
    """Options by keyword of every formulation: which printed errors to keep.

    published  True: what the paper prints;  errata: a selection of ``ABOUT.errata`` instead
    """

    published: bool
    errata: Iterable[str] | None


@dataclass(frozen=True)
class About:
    """A formulation in words.

    name, paper  as `formulation=` takes it; the key of its source
    legs         types it serves, in any mixture
    gives        verbs beside `inverse_dynamics`; "spin" means SPS legs whose spin is a state of their own
    errata       code -> sentence, each selectable with `errata=`;  printed: those that ``published=True`` keeps
    """

    name: str
    paper: str
    legs: tuple[str, ...]
    gives: frozenset[str]
    errata: Mapping[str, str]
    printed: frozenset[str]

    def kept(self, published: bool = False, errata: Iterable[str] | None = None) -> frozenset[str]:
        """The errata to keep: `errata` if given, else the printed set or none."""
        if not isinstance(published, bool):
            allowed = "must be True or False; `errata` picks printed errors one by one"
            raise InputError("published", published, allowed)
        if errata is None:
            return self.printed if published else frozenset()
        chosen = frozenset() if isinstance(errata, str) else frozenset(errata)
        wrong = errata if isinstance(errata, str) else sorted(chosen - self.errata.keys())
        if wrong or isinstance(errata, str):
            raise InputError("errata", wrong, f"must be among {', '.join(self.errata)}")
        return chosen

    def check(self, platform: Platform, kept: Iterable[str] = ()) -> None:
        """Refuse legs that this formulation does not serve, and printed errors (`kept`) for legs that no paper has."""
        for i, leg in enumerate(platform.legs):
            kind, problem = type(leg).__name__, None
            if kind not in self.legs:
                others = "'exact'"
                if kind in EVERY_LEG:
                    others += ", 'lagrange', 'kane' or 'multibody'"
                problem = (
                    f"{self.name} is for {', '.join(self.legs)} legs; use formulation {others}"
                )
            elif offset(leg):
                kind = "a leg whose universal joints have offsets"
                problem = f"{self.name} knows joints whose axes meet; use formulation 'exact'"
            elif kind == "UCU" and frozenset(kept):
                problem = f"{self.paper} prints no equations for it, so none of its errors either"
            elif leg.springs.any:
                kind = "a leg with springs in its joints"
                problem = f"{self.name} has none; use formulation 'exact'"
            elif isinstance(leg, SPS) and not leg.spin_free and "spin" not in self.gives:
                kind, problem = (
                    "SPS leg whose spin matters",
                    (
                        f"{self.name} needs SPS legs that are axisymmetric, without ball friction and without a "
                        "leg-mounted rotor; use formulation 'exact' or 'multibody'"
                    ),
                )
            if problem:
                raise InputError(f"legs[{i}]", kind, problem)


def about(name: str) -> About:
    """What register.toml says of a formulation."""
    text = (resources.files("gough.formulations") / "register.toml").read_text(encoding="utf-8")
    entry = parse_toml(text, "register.toml")[name]
    gives, printed = frozenset(entry["gives"]), frozenset(entry["printed"])
    return About(name, entry["paper"], tuple(entry["legs"]), gives, entry["errata"], printed)


class Formulation(Protocol):
    """A module of this package; options of its own join those of `Keep`.

    external  (..., 6) force and moment on the platform at its reference point, platform axes, N and N m
    """

    @property
    def ABOUT(self) -> About: ...

    def inverse_dynamics(
        self, platform: Platform, motion: Motion, external: ArrayLike | None = None, **keep: Any
    ) -> InverseDynamics:
        """Actuator efforts (..., 6), N (N m for cranks)."""
        ...

    def mass_matrix(self, platform: Platform, pose: Pose, **keep: Any) -> Array:
        """``M`` (..., 6, 6) of ``M (a, al) + b = J^T F + wrench`` at the reference point, world axes."""
        ...

    def bias(self, platform: Platform, motion: Motion, **keep: Any) -> Array:
        """``b`` (..., 6) of the same: gravity, velocity terms, friction."""
        ...


class _Register(Mapping[str, Formulation]):
    """Formulations by name in the order of presentation; a module is imported when it is asked for."""

    _names = ("newton-euler", "universal", "lagrange", "kane", "multibody")

    def __getitem__(self, name: str) -> Formulation:
        if name not in self._names:
            raise KeyError(name)
        module: Any = importlib.import_module(f"gough.formulations.{name.replace('-', '_')}")
        return module

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


FORMULATIONS = _Register()


def verb(formulation: str, name: str) -> Callable[..., Any]:
    """The function `name` of a formulation; one that it does not give is refused with those that do."""
    if formulation not in FORMULATIONS:
        allowed = f"must be one of exact, {', '.join(FORMULATIONS)}"
        raise InputError("formulation", formulation, allowed)
    module = FORMULATIONS[formulation]
    if name != "inverse_dynamics" and name not in module.ABOUT.gives:
        able = [other for other, m in FORMULATIONS.items() if name in m.ABOUT.gives]
        instead = f"use {', '.join(able)}" if able else "no formulation does"
        raise InputError("formulation", formulation, f"gives no {name}; {instead}")
    return getattr(module, name)
