"""Messages to the studio made from their declarations: every field with usual, odd and hostile values of its type."""

from __future__ import annotations

import copy
import dataclasses
import random
import types
import typing
from typing import Any

from gough.cueing.making import METHODS
from gough.model.files import presets
from gough.orientations import conventions
from gough.studio import cueing_messages
from gough.studio import messages as m
from gough.studio.machines import preset
from gough.studio.motions import KINDS
from gough.studio.simulation import CONTROLLERS

NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.1, 1.15, 3.2, 1e-9, 5e-324, 1e-200, 1e6, -1e12, 1e160, 1.7e308)
COUNTS = (0, 1, 2, 3, 5, 21, 100, 401, 402, 5001, 5002, -1, 2**31, 2**53 - 1, -(2**53) + 1)
TEXTS = (
    "",
    " ",
    "x" * 300,
    "\x00",
    "a\nb",
    "\ud800",
    "‮gpj.toml",
    "<script>alert(1)</script>",
    "${title} @@DATA@@ {0} %s {{7*7}}",
    "=1+1",
    "../../etc/passwd",
    "nul.toml",
    "name = [",
    "π" * 50,
)
USUAL = (
    "motion-base-1500",
    "octahedral-33",
    "dasgupta-1998",
    "positioner-300",
)  # one kernel for all
KNOWN: dict[str, tuple[str, ...]] = {
    "kind": KINDS,
    "method": tuple(METHODS),
    "quantity": ("margin", "condition", "stiffness"),
    "form": ("glb", "stl"),
    "cut": ("", "x", "y", "z"),
    "source": ("start", "preset", "file", "text"),
    "convention": ("rpy", *conventions()),
    "formulation": ("exact", "exact", "kane", "lagrange/published"),
    "formulations": ("exact", "kane", "newton-euler/published", "lagrange"),
    "controller": CONTROLLERS,
    "integrator": ("", "rk4"),
    "plane": ("xy", "xz", "yz", "zz"),
    "name": (*USUAL, "mine.toml", "way.toml", "way.csv", "tilt_rate", "spring", "horizon"),
    "file": ("mine.toml", "way.toml", "way.csv", "001-I", "drive.csv", "readings.toml", ""),
    "find": ("base", "L3.joint", "zero"),
    "sensor": ("pose", "point", "tilt"),
    "poses": (*("random",) * 5, "planned"),
}
SMALL = {
    "samples": (2, 3, 21),
    "points": (2, 3, 15),
    "count": (2, 3, 8),
    "seed": (0, 1, 2),
    "depth": (1, 2, 3),
}  # so that most requests cost little
MOSTLY: dict[str, tuple[float, ...]] = {
    "step": (0.01, 0.1, 0.0, -1.0, 1e-300, 1e300),
    "duration": (0.05, 0.5, 0.0, -1.0, 1e-300, 3600.0, 1e300),
}


class Maker:
    """Draws messages; the same seed draws the same ones."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.odd = 0.0  # share of odd values in the message being made

    def message(self) -> dict[str, Any]:
        """A request as JSON data, with an unknown, missing or wrongly typed field now and then."""
        cls, self.odd = (
            self.rng.choice(cueing_messages.REQUESTS),
            self.rng.choice((0.0, 0.0, 0.03, 0.3)),
        )
        data = {"type": cls.__name__, **self.part(cls)}
        roll = self.rng.random()
        if roll < 0.03:
            data[self.text("")] = 1
        elif roll < 0.06:
            data.pop(self.rng.choice(sorted(data)))
        elif roll < 0.12:
            data[self.rng.choice(sorted(data))] = self.anything()
        return data

    def part(self, cls: type) -> dict[str, Any]:
        """Every field that must be there, and some of the others."""
        hints, made = typing.get_type_hints(cls), dict[str, Any]()
        for f in dataclasses.fields(cls):
            if f.default is dataclasses.MISSING or self.rng.random() < 0.5:
                made[f.name] = self.value(hints[f.name], f.name, f.metadata.get("length"))
        return made

    def value(self, hint: Any, name: str, length: Any = None) -> Any:
        """Of a field of that type and name."""
        origin = typing.get_origin(hint)
        if name == "document":
            return self.document()
        if hint is bool:
            return self.rng.random() < 0.5
        if hint is int:
            return self.rng.choice(SMALL[name] if name in SMALL and not self.strange() else COUNTS)
        if hint is float:
            return self.number(name)
        if hint is str:
            return self.text(name)
        if origin in (typing.Union, types.UnionType):
            inner = next(h for h in typing.get_args(hint) if h is not type(None))
            return None if self.rng.random() < 0.3 else self.value(inner, name, length)
        if origin is tuple:
            count = length[0] if length else self.rng.choice((0, 1, 2, 3, 4))
            count = self.rng.choice((0, 1, 4, 5, 7, 600)) if self.strange() else count
            inner = typing.get_args(hint)[0]
            wide = (6,) if name in ("waypoints", "rows") else None
            return [self.value(inner, name, wide) for _ in range(count)]
        return self.part(hint) if isinstance(hint, type) and issubclass(hint, m.MessagePart) else {}

    def number(self, name: str = "") -> Any:
        """A usual number, mostly; else one at the edge of what a float can be."""
        if name in MOSTLY:
            return self.rng.choice(MOSTLY[name] if self.strange() else MOSTLY[name][:2])
        if self.strange():
            return self.rng.choice(NUMBERS)
        if name == "position":
            return self.rng.choice((0.0, 0.01, 1.15, 1.1))
        return self.rng.uniform(0.0, 0.1)

    def strange(self) -> bool:
        """Whether the next value is an odd one."""
        return self.rng.random() < self.odd

    def text(self, name: str) -> str:
        """A known word, mostly."""
        if name == "text":
            return self.machine_text()
        known = KNOWN.get(name)
        return self.rng.choice(known if known and not self.strange() else TEXTS)

    def machine(self) -> str:
        """A preset, mostly one whose kernels are at hand."""
        return self.rng.choice(USUAL if self.rng.random() < 0.9 else presets())

    def machine_text(self) -> str:
        """The text of a machine file with a few characters changed."""
        from gough.model.files import dumps

        letters = list(dumps(preset(self.machine())[0]))
        for _ in range(self.rng.choice((0, 0, 1, 2, 5))):
            letters[self.rng.randrange(len(letters))] = self.rng.choice(
                "0123456789[]\"'=.,-e\n#αx "
            )
        return "".join(letters)

    def document(self) -> dict[str, Any]:
        """A machine of the gallery with a few of its values changed, at any depth."""
        from gough.model.json_document import to_document

        made = copy.deepcopy(to_document(preset(self.machine())[0]))
        for _ in range(self.rng.choice((0, 1, 1, 2, 4))):
            self.spoil(made)
        return made

    def spoil(self, value: Any) -> None:
        """Change one value somewhere inside."""
        key: Any = None
        while isinstance(value, (dict, list)) and value:
            key = (
                self.rng.choice(sorted(value))
                if isinstance(value, dict)
                else self.rng.randrange(len(value))
            )
            inner = value[key]
            if not isinstance(inner, (dict, list)) or not inner or self.rng.random() < 0.2:
                value[key] = self.anything() if self.rng.random() < 0.5 else self.number()
                return
            value = inner

    def anything(self) -> Any:
        """A value of any type."""
        deep: Any = 1
        for _ in range(30):
            deep = [deep]
        return self.rng.choice(
            (
                None,
                True,
                [],
                {},
                [[]],
                [None] * 6,
                {"x": 1},
                deep,
                2**70,
                *NUMBERS,
                *TEXTS,
                [1e308] * 3,
            )
        )
