"""Which tests look at a line: the coverage map that `make coverage` leaves, cheapest and most varied tests first.

Map (out/coverage/map.json): ``tests`` node id and seconds; ``files`` source path -> its ``digest`` and its ``lines``,
line number -> places in ``tests``; ``suite`` test file -> its digest, so that newer ones of the room run too.
Where there is no map, or it does not know the line (compiled kernels, an edited file), the test files of the room
that name the module come first.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mutants.changes import Mutant

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
MAP = ROOT / "out" / "coverage" / "map.json"
KEPT = 120  # tests kept per line
SMALLEST = 0.02  # s; what starting any test costs
PLAIN = (  # nothing of the equations is compiled here: these tests come before all others
    "tests/equations/test_scalar.py",
    "tests/equations/test_solving.py",
    "tests/equations/test_kinds.py",
    "tests/equations/test_plain_equations.py",
    "tests/equations/test_risk.py",
    "tests/equations/test_ucu.py",
    "tests/equations/test_springs.py",
    "tests/equations/test_rods.py",
    "tests/equations/test_offset.py",
    "tests/equations/test_links.py",
    "tests/equations/test_elastic.py",
    "tests/equations/test_moving_base.py",
    "tests/equations/test_link_springs.py",
    "tests/equations/test_base_springs.py",
    "tests/equations/test_rod_springs.py",
    "tests/dynamics/test_dry_joints.py",
    "tests/engines/test_tracer.py::test_counts_are_those_of_the_committed_table",
)
TRIED_BY = {"psu": "rods", "rss": "rods", "ucs": "rods", "riders": "elastic"}


def digest(path: Path) -> str:
    """Changes with the text of a source."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def varied(tests: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """One case of every test function first, then the second of each, and so on; cheap ones before dear ones."""
    rank: dict[str, int] = {}
    keyed = []
    for name, seconds in sorted(tests, key=lambda t: (t[1], t[0])):
        function = name.split("[")[0]
        rank[function] = rank.get(function, -1) + 1
        keyed.append((rank[function], seconds, name))
    return [(name, seconds) for _, seconds, name in sorted(keyed)]


def make_map(folder: Path = MAP.parent) -> None:
    """Turn coverage's data, with a context per test, into the map."""
    import coverage

    found = coverage.CoverageData(str(folder / "data"))
    found.read()
    took: dict[str, float] = {}
    for part in sorted(folder.glob("seconds-*.json")):
        took |= json.loads(part.read_text())
    place = {name: k for k, name in enumerate(took)}
    files: dict[str, Any] = {}
    for name in sorted(found.measured_files()):
        path, lines = Path(name), {}
        if not (path.is_relative_to(ROOT / "src") and path.is_file()):
            continue  # a copy that some test made
        for line, contexts in found.contexts_by_lineno(name).items():
            known = [(test, took[test]) for test in contexts if test in took]
            if known:
                lines[line] = [place[test] for test, _ in varied(known)[:KEPT]]
        files[path.relative_to(ROOT / "src").as_posix()] = {"digest": digest(path), "lines": lines}
    suite = {name: digest(ROOT / name) for name in {test.split("::")[0] for test in took}}
    MAP.write_text(json.dumps({"tests": list(took.items()), "files": files, "suite": suite}))


@dataclass
class Chooser:
    """Tests for a mutant, as arguments for pytest, at most `seconds` of them."""

    room: str
    also: tuple[str, ...]
    seconds: float = 30.0
    known: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if MAP.is_file():
            self.known = json.loads(MAP.read_text())

    def tests(self, mutant: Mutant, plain: bool = False) -> list[str]:
        """Tests that run the changed statement, then others that run anything of the file, the room's own first.

        `plain`: of equations only those that compile nothing, elsewhere those that the map knows and newer ones that
        name the module.
        """
        if plain and mutant.path.parts[1] == "equations":
            stem = mutant.path.stem
            words = (*stem.split("_"), TRIED_BY.get(stem, stem))
            return [
                str(ROOT / file)
                for file in sorted(PLAIN, key=lambda f: not any(word in f for word in words))
            ]
        file = self.known.get("files", {}).get(mutant.path.as_posix())
        if file is None:
            return self.by_name(mutant.path)
        here: set[int] = set()
        if file["digest"] == digest(ROOT / "src" / mutant.path):
            here.update(k for line in mutant.lines for k in file["lines"].get(str(line), []))
        all_of_file = {k for at in file["lines"].values() for k in at}
        order = [*self._sorted(here), *self._sorted(all_of_file - here)]
        chosen = [t for t in self._within(order) if self._exists(t)]
        if plain and here:
            return [*chosen, *(f for f in self._new() if mutant.path.stem in Path(f).read_text())]
        if not mutant.lines:  # a default or a constant: promised ones are written down
            chosen = [*self._promised(), *chosen]
        return [*chosen, *self._new(), *([] if here else self.by_name(mutant.path))]

    def _promised(self) -> list[str]:
        """Tests of the defaults that the room has promised."""
        names = (TESTS / room / f"test_{room}_defaults.py" for room in self.also)
        return [str(path) for path in names if path.is_file()]

    def _new(self) -> list[str]:
        """Test files of the room that are not as the map knows them."""
        files = [p for room in self.also for p in sorted((TESTS / room).glob("test_*.py"))]
        known = self.known["suite"]
        return [str(p) for p in files if known.get(p.relative_to(ROOT).as_posix()) != digest(p)]

    def _sorted(self, places: set[int]) -> list[tuple[str, float]]:
        order = varied([tuple(self.known["tests"][k]) for k in places])
        return sorted(order, key=self._distance)

    def _distance(self, test: tuple[str, float]) -> int:
        """Plain tests of the equations first, then the room's own."""
        file = test[0].split("::")[0]
        return -1 if file in PLAIN else int(file.split("/")[1] not in self.also)

    def _within(self, tests: list[tuple[str, float]]) -> list[str]:
        left, chosen = self.seconds, []
        for name, seconds in tests:
            cost = max(seconds, SMALLEST)
            if cost <= left or not chosen:
                left -= cost
                chosen.append(name)
        return chosen

    def _exists(self, test: str) -> bool:
        file, *rest = test.split("::")
        path = ROOT / file
        return path.is_file() and f"def {rest[-1].split('[')[0]}(" in path.read_text()

    def by_name(self, path: Path) -> list[str]:
        """Test files of the room, those that name the module most often first."""
        module = path.with_suffix("").as_posix().replace("/", ".")
        words = (module, f"import {path.stem}", path.stem)
        files = [p for room in self.also for p in sorted((TESTS / room).glob("test_*.py"))]
        weight = {p: sum(p.read_text().count(word) for word in words) for p in files}
        return [str(p) for p in sorted(files, key=lambda p: -weight[p])]


if __name__ == "__main__":
    make_map()
