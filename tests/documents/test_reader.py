"""The one reader: every key of every document kind, every way it can be wrong, each with its path and line."""

from __future__ import annotations

import contextlib
import re
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gough
from gough.design import read_problem, read_sweep
from gough.documents import kinds as k
from gough.documents.reader import MOST, Keyed, Many, Named, Tagged, each, need, read_document
from gough.documents.source import DocumentError, Lines
from gough.model import document
from gough.simulation.scenario import SCENARIO, load_scenario
from gough.trajectory import load_trajectory
from gough.trajectory.definition import TRAJECTORY

BODY = "mass = 1\ncenter = [0, 0, 0]\ninertia = [1, 1, 1]\n"
DRIVE = """rotor_inertia = "20 g cm^2"
efficiency = 0.9
viscous = 1e-3
coulomb = 0.1
static = 0.2
stribeck_rate = 1
torque_constant = 0.1
resistance = 1
max_current = 10
max_voltage = 48
backlash = 1e-6
"""
LIMITS = """base_cone = "40 deg"
base_axis = [0, 0, 1]
platform_cone = "40 deg"
platform_axis = [0, 0, 1]
radius = 0.01
"""
LINEAR = f"""[legs.friction]
universal = 0.1
prismatic = "20 N s/m"
spherical = 0.1
[legs.limits]
stroke = [0.1, 0.9]
force = "150 N"
speed = "20 mm/s"
{LIMITS}[legs.drive]
transmission = "ball-screw"
lead = "1 mm"
gear = 2
{DRIVE}"""
ROTARY = f"""[legs.friction]
universal = 0.1
prismatic = "20 N m s"
spherical = 0.1
[legs.limits]
stroke = [0.1, 0.9]
force = "150 N m"
speed = "20 rpm"
{LIMITS}[legs.drive]
ratio = 100
{DRIVE}"""
ENDS = 'name = "one"\nbase = [1, 0, 0]\njoint = [0, 1, 0]\n'
UPS = f'[[legs]]\ntype = "UPS"\n{ENDS}axis = [1, 0, 0]\n[legs.lower]\n{BODY}[legs.upper]\n{BODY}'
MACHINE = f"""format = 1
name = "all keys"
gravity = [0, 0, -9.81]
[source]
title = "a"
doi = "b"
page = "c"
errata = ["d"]
chosen = ["e"]
[home]
position = "0 0 220 mm"
rpy = [0, 0, 0]
[body]
{BODY}{UPS}{LINEAR}rotor_axis = [1, 0, 0]
[[legs]]
type = "SPS"
{ENDS}reference = [1, 0, 0]
[[legs]]
type = "PUS"
{ENDS}rail = [0, 0, 1]
axis = [1, 0, 0]
length = 1
slider_mass = 1
slider_center = [0, 0, 0]
assembly = 1
[legs.link]
{BODY}{LINEAR}[[legs]]
type = "RUS"
{ENDS}shaft = [0, 0, 1]
arm = [1, 0, 0]
axis = [1, 0, 0]
length = 1
elbow = 1
[legs.crank]
{BODY}{ROTARY}{UPS}{UPS}"""
GAINS = "bandwidth = 10\ndamping = 1\npayload_error = 0.1\n"
SCENARIO_TEXT = f"""title = "t"
duration = "1 s"
step = 1e-3
output = 1e-2
integrator = "rk4"
drives = true
[start]
position = [0, 0, 1]
rpy = [0, 0, 0]
velocity = [0, 0, 0]
angular_velocity = [0, 0, 0]
[trajectory]
kind = "hold"
duration = 1
pose.position = [0, 0, 1]
[controller]
kind = "decentralized"
{GAINS}integral = 0.1
feed_forward = true
tuned_for = "1 kHz"
delay = 0
[sampling]
rate = "1 kHz"
delay = 0
quantization = 0
noise = 0
velocity = "observed"
pose = "measured"
bandwidth = "10 Hz"
backlash = false
seed = 1
[force]
constant = [1, 2, 3, 4, 5, 6]
static = true
factor = 1
[springs]
stiffness = 1
rest = [1, 2, 3, 4, 5, 6]
damping = 1
[[disturbances]]
wrench = [1, 2, 3, 4, 5, 6]
from = 0
to = 1
[[faults]]
kind = "power-loss"
time = 0.1
legs = ["L1"]
[[faults]]
kind = "brake"
time = 0.1
force = "1 kN"
[events]
stroke = "stop"
speed = "note"
cone = "note"
singularity = "off"
force = "note"
condition = 100
"""


def controller(kind: str, keys: str) -> str:
    return f'duration = 1\n[controller]\nkind = "{kind}"\n{keys}'


ENDPOINTS = (
    'start.position = [0, 0, 1]\nend.position = [0, 0, 1.1]\nduration = 1\norientation = "rpy"\n'
)
SINES = "frequency = [1]\nphase = [0, 0, 0, 0, 0, 0]\nduration = 1\n"
TRAJECTORIES = {
    "line": ENDPOINTS + "max_speed = 0.15\nmax_rate = 1\n",
    "move": ENDPOINTS + 'profile = "quintic"\n',
    "there-and-back": ENDPOINTS + 'profile = "quintic"\n',
    "hold": "duration = 1\npose.position = [0, 0, 1]\n",
    "harmonic": f'amplitude = [0, 0, 0.1, 0, 0, 0]\norientation = "rpy"\n{SINES}center.position = [0, 0, 1]\n',
    "legs-harmonic": f"center = [1, 1, 1, 1, 1, 1]\namplitude = [0, 0, 0.1, 0, 0, 0]\n{SINES}",
    "acceleration": 'coordinate = "x"\npeak = 1\nperiod = 1\nduration = 1\nstart.position = [0, 0, 1]\n',
    "waypoints": 'times = [0, 1]\nspline = "cubic"\nends = "rest"\n[[trajectory.poses]]\nposition = [0, 0, 1]\n'
    "rpy = [0, 0, 0]\n[[trajectory.poses]]\nposition = [0, 0, 1.1]\n",
    "paper": 'name = "001-I"\n',
    "file": 'path = "m.csv"\n',
    "sequence": '[[trajectory.parts]]\nkind = "hold"\nduration = 1\npose.position = [0, 0, 1]\n',
    "paced": 'times = [0, 1]\nspeed = [1, 1]\n[trajectory.path]\nkind = "hold"\nduration = 1\n'
    "pose.position = [0, 0, 1]\n",
    "retimed": 'duration = 3\nprofile = "quintic"\n[trajectory.path]\nkind = "hold"\nduration = 1\n'
    "pose.position = [0, 0, 1]\n",
}
FAMILY = """platform_radius = 0.25
base_pair_angle = "17 deg"
platform_pair_angle = "23 deg"
height = "0.6 m"
platform_mass = 20
leg_mass = 1
base_scale = 1
platform_scale = 1
payload = 1
leg = "UPS"
"""
TASK = """[task]
box = [0.01, 0.01, 0.01]
tilt = [0.01, 0.01, 0.01]
relative = true
payload = 1
payload_center = [0, 0, 0]
samples = 11
"""
PROBLEM = f"""[machine]
family = "hexapod"
{FAMILY}[machine.limits]
stroke = [0.1, 0.9]
force = 100
[parameters]
base_radius = ["300 mm", "900 mm"]
{TASK}[objective]
dexterity = 1
[objective.footprint]
weight = 0.5
reference = "1 m"
[constraints.stroke]
min = 0.1
max = "400 mm"
[search]
seed = 1
generations = 3
population = 5
"""
SWEEP = f"""metrics = ["dexterity"]
chunk = 3
[machines.one]
family = "hexapod"
{FAMILY}[machines.two]
preset = "octahedral-33"
payload = 1
[motions.heave]
kind = "hold"
duration = 1
pose.position = [0, 0, 0]
{TASK}[axes]
payload = [0, 1]
[axes.base_scale]
from = 1
to = 2
count = 3
"""


def scenario_from(path: Path) -> Any:
    return load_scenario(path)


DOCUMENTS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "machine": (MACHINE, gough.load),
    "scenario": (SCENARIO_TEXT, scenario_from),
    **{kind: (controller(kind, GAINS), scenario_from) for kind in ("feed-forward", "gravity")},
    "computed-force": (controller("computed-force", GAINS + 'space = "task"\n'), scenario_from),
    "impedance": (
        controller("impedance", "stiffness = [1, 1, 1, 1, 1, 1]\ndamping = 1\n"),
        scenario_from,
    ),
    **{
        f"trajectory {kind}": (f'[trajectory]\nkind = "{kind}"\n{keys}', load_trajectory)
        for kind, keys in TRAJECTORIES.items()
    },
    "problem": (PROBLEM, read_problem),
    "sweep": (SWEEP, read_sweep),
}
pytestmark = pytest.mark.filterwarnings("ignore::gough.ModelWarning")
TEXTS = {
    "name",
    "title",
    "doi",
    "page",
    "errata",
    "chosen",
    "integrator",
    "orientation",
    "leg",
}  # any text will do


def keys_of(text: str) -> list[tuple[int, str, str]]:
    """Line number, full path and value of every key in the text; the keys that choose a table are left out."""
    lines, found = text.split("\n"), []
    table = Lines(text)
    paths = {
        number: path for path, number in sorted(table.at.items(), key=lambda item: len(item[0]))
    }
    for number, line in enumerate(lines, 1):
        match = re.fullmatch(r"([\w.]+) = (.*)", line)
        if match and match[1] not in ("type", "kind", "family", "transmission", "preset"):
            path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in paths[number])[1:]
            assert path.endswith(match[1])
            found.append((number, path, match[2]))
    return found


CASES = [(name, *key) for name, (text, _) in DOCUMENTS.items() for key in keys_of(text)]
IDS = [f"{name}-{path}" for name, _, path, _ in CASES]


def replaced(text: str, number: int, change: Callable[[str], str]) -> str:
    lines = text.split("\n")
    lines[number - 1] = change(lines[number - 1])
    return "\n".join(lines)


def problems_of(folder: Path, name: str, text: str) -> list[Any]:
    (folder / "m.csv").write_text("time,x,y,z\n0,0,0,1\n1,0,0,2\n")
    file = folder / "document.toml"
    file.write_text(text)
    with pytest.raises(DocumentError) as caught:
        DOCUMENTS[name][1](file)
    assert isinstance(caught.value, gough.InputError)
    assert all(str(p) in str(caught.value) for p in caught.value.problems)
    return list(caught.value.problems)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_documents_are_good(tmp_path: Path, name: str) -> None:
    (tmp_path / "m.csv").write_text("time,x,y,z\n0,0,0,1\n1,0,0,2\n")
    (tmp_path / "document.toml").write_text(DOCUMENTS[name][0])
    assert DOCUMENTS[name][1](tmp_path / "document.toml") is not None


@pytest.mark.parametrize(("name", "number", "path", "value"), CASES, ids=IDS)
def test_every_key_wrong_in_every_way(
    tmp_path: Path, name: str, number: int, path: str, value: str
) -> None:
    """A wrong type, NaN, 1e400, a wrong unit: one problem, at this key and line, that shows what was given."""
    text, key = DOCUMENTS[name][0], path.rpartition(".")[2]
    bad = ["1979-05-27", "nan", "1e400", "1" + "0" * 400] + (
        [] if key in TEXTS else ['"3 furlong"']
    )
    for given in bad:
        spoiled = replaced(text, number, lambda line, g=given: re.sub("= .*", f"= {g}", line))
        found = problems_of(tmp_path, name, spoiled)
        assert [(p.path, p.line) for p in found] == [(path, number)], given
        assert re.search(r"got .+; .*(must|unit)", found[0].message), found[0].message


@pytest.mark.parametrize(("name", "number", "path", "value"), CASES, ids=IDS)
def test_every_key_misspelled_or_missing(
    tmp_path: Path, name: str, number: int, path: str, value: str
) -> None:
    """A misspelled key is refused with its line and, where it is the nearest, the right one; needed keys are missed."""
    text, (table, _, key) = DOCUMENTS[name][0], path.rpartition(".")
    if re.match(
        r"\w+\.\w+ =", text.split("\n")[number - 1]
    ):  # a dotted key: the table itself is misspelled
        table, key = table.rpartition(".")[0], path.split(".")[-2]
    found = {
        p.path: p
        for p in problems_of(tmp_path, name, replaced(text, number, lambda line: "x" + line))
    }
    wrong = f"{table}.x{key}" if table else f"x{key}"
    assert found[wrong].line == number
    assert "unknown key" in found[wrong].message
    assert len(key) < 3 or "did you mean " in found[wrong].message
    others = set(found) - {wrong}
    sorry = ("is missing", "must be given", "is needed", "give ")
    assert all(found[other].message.split(";")[-1].strip().startswith(sorry) for other in others)


OUT_OF_RANGE = {
    "machine": (
        "mass",
        "universal",
        "prismatic",
        "spherical",
        "force",
        "speed",
        "base_cone",
        "platform_cone",
        "radius",
        "lead",
        "rotor_inertia",
        "efficiency",
        "viscous",
        "coulomb",
        "static",
        "stribeck_rate",
        "torque_constant",
        "resistance",
        "max_current",
        "max_voltage",
        "backlash",
        "length",
        "slider_mass",
        "assembly",
        "elbow",
        "format",
    ),
    "scenario": (
        "duration",
        "step",
        "output",
        "bandwidth",
        "tuned_for",
        "delay",
        "rate",
        "quantization",
        "noise",
        "seed",
        "time",
        "condition",
        "stiffness",
    ),
    "trajectory line": ("duration", "max_speed", "max_rate"),
    "trajectory acceleration": ("period", "duration"),
    "trajectory harmonic": ("frequency", "duration"),
    "trajectory hold": ("duration",),
    "problem": ("samples", "weight", "dexterity", "seed", "generations", "population"),
    "sweep": ("chunk", "count"),
}


@pytest.mark.parametrize(
    ("name", "number", "path"),
    [
        (name, number, path)
        for name, number, path, _ in CASES
        if path.rpartition(".")[2] in OUT_OF_RANGE.get(name, ())
    ],
)
def test_every_range_is_kept(tmp_path: Path, name: str, number: int, path: str) -> None:
    text = replaced(DOCUMENTS[name][0], number, lambda line: re.sub("= .*", "= -1", line))
    if path.endswith(("assembly", "elbow")):
        text = text.replace("= -1", "= 0")
    found = problems_of(tmp_path, name, text)
    assert [(p.path, p.line) for p in found] == [(path, number)]
    assert re.search(r"got .+; must", found[0].message)


@pytest.mark.parametrize("name", [n for n in DOCUMENTS if n != "trajectory paper"])
def test_all_keys_wrong_are_all_named_in_one_pass(tmp_path: Path, name: str) -> None:
    text, wanted = DOCUMENTS[name][0], []
    for number, path, _ in keys_of(text):
        text = replaced(text, number, lambda line: re.sub("= .*", "= 1979-05-27", line))
        wanted.append((path, number))
    assert [(p.path, p.line) for p in problems_of(tmp_path, name, text)] == wanted


# ---- limits on the text


def test_keys_of_a_drive_outside_a_drive_are_a_sentence() -> None:
    """The old reader crashed on these ("not enough values to unpack")."""
    for key in ("ratio", "gear", "lead", "transmission", "pinion_radius"):
        with pytest.raises(DocumentError) as caught:
            gough.loads(f"{key} = 1\n{MACHINE}")
        assert [p.path for p in caught.value.problems] == [key]
        with pytest.raises(DocumentError, match=rf"leg_defaults\.{key}: unknown key"):
            gough.loads(f"[leg_defaults]\n{key} = 1\n{MACHINE}".replace("format = 1", ""))


def long_list(count: int) -> str:
    poses = ",\n".join(f"{{position = [0, 0, {1 + i % 7}]}}" for i in range(count))
    return f'[trajectory]\nkind = "waypoints"\ntimes = [{", ".join(map(str, range(count)))}]\nposes = [\n{poses}\n]\n'


def test_long_lists_take_linear_time() -> None:
    """Ten times the list takes about ten times as long, wrong entries or not."""
    table = Keyed(
        "list",
        {
            "trajectory": Keyed(
                "t",
                {
                    "kind": k.text,
                    "times": k.listed("time"),
                    "poses": Many(Keyed("p", {"position": k.vector("length")}), ""),
                },
            )
        },
    )
    for spoil in (lambda text: text, lambda text: text.replace("position", "postion")):
        took = []
        for count in (1000, 10_000):
            text = spoil(long_list(count))
            best = min(_seconds(table, text) for _ in range(3))
            took.append(best)
        assert took[1] < 30 * took[0] + 0.05, took


def _seconds(table: Keyed[Any], text: str) -> float:
    start = time.process_time()
    with contextlib.suppress(DocumentError):
        read_document(table, text, "t")
    return time.process_time() - start


def test_more_problems_than_fit_are_counted() -> None:
    table = Keyed("t", {"a": k.text})
    with pytest.raises(DocumentError, match=r"t: 5000 problems\n(.*\n)*  and 4000 more") as caught:
        read_document(table, "".join(f"b{i} = 1\n" for i in range(5000)), "t")
    assert len(caught.value.problems) == MOST


# ---- lines


def test_lines_of_awkward_spellings() -> None:
    text = "\n".join(
        [
            'a = """',
            "b = 1",
            '"""',
            "[t]  # [u]",
            "rows = [",
            "[1],",
            '["x = 3"],',
            "]",
            "c.d = 1",
            '"e f" = 2',
            "[[t.list]]",
            "g = '''",
            "[no]",
            "'''",
            "[[t.list]]",
            "g = 1",
            "[ 'q' . r ]",
            "h = 1",
        ]
    )
    tomllib.loads(text)
    at = Lines(text).at
    assert at[("a",)] == 1
    assert ("b",) not in at
    assert at[("t", "rows")] == 5
    assert at[("t", "c", "d")] == 9
    assert at[("t", "e f")] == 10
    assert (at[("t", "list", 0, "g")], at[("t", "list", 1, "g")]) == (12, 16)
    assert at[("q", "r", "h")] == 18
    assert not [path for path in at if "1" in path or "no" in path]


# ---- schemas


def tables_in(kind: Any, seen: dict[str, Keyed[Any]]) -> dict[str, Keyed[Any]]:
    if isinstance(kind, Keyed) and kind.name not in seen:
        seen[kind.name] = kind
        for field in kind.fields.values():
            tables_in(field.kind, seen)
    for inner in (
        getattr(kind, "leg", None),
        getattr(kind, "item", None),
        getattr(kind, "table", None),
    ):
        if inner is not None:
            tables_in(inner, seen)
    for inner in getattr(kind, "tables", {}).values():
        tables_in(inner, seen)
    return seen


@pytest.mark.parametrize(
    "kind", [document.MACHINE, SCENARIO, TRAJECTORY], ids=["machine", "scenario", "trajectory"]
)
def test_the_schema_has_every_key_of_every_table(kind: Any) -> None:
    definitions: dict[str, Any] = {}
    kind.schema(definitions)
    for name, table in tables_in(kind, {}).items():
        assert set(table.fields) <= set(definitions[name]["properties"])
        assert definitions[name]["required"] == [
            key for key, field in table.fields.items() if field.needed
        ]
        assert definitions[name]["additionalProperties"] is False


def test_declared_ranges_are_those_of_the_model() -> None:
    """What the reader lets through, the model takes; what the model refuses, the reader has refused."""
    for value in (-1.0, 0.0, 1.0, 2.0):
        for name in (
            "efficiency",
            "viscous",
            "stribeck_rate",
            "resistance",
            "backlash",
            "rotor_inertia",
        ):
            field = document.LEGS["UPS"].fields["drive"].kind.fields[name]  # type: ignore[attr-defined]
            assert _takes(lambda f=field, v=value: f.kind.convert(v)) == _takes(
                lambda n=name, v=value: gough.Drive(1.0, **{n: v})
            ), (name, value)  # type: ignore[arg-type]
        for name in ("force", "speed", "base_cone", "radius"):
            field = document.LEGS["UPS"].fields["limits"].kind.fields[name]  # type: ignore[attr-defined]
            assert _takes(lambda f=field, v=value: f.kind.convert(v)) == _takes(
                lambda n=name, v=value: gough.Limits(**{n: v})
            ), (name, value)  # type: ignore[arg-type]


def _takes(call: Callable[[], object]) -> bool:
    try:
        call()
    except gough.InputError:
        return False
    return True


def test_a_small_document_of_ones_own() -> None:
    """The pieces, without any of the house's documents."""
    shape = Tagged(
        "kind",
        {
            "disc": Keyed(
                "disc", {"radius": need(k.scalar("length", above=0))}, lambda radius: radius
            ),
            "box": Keyed("box", each(need(k.scalar("length")), "a", "b"), lambda a, b: a * b),
        },
    )
    table = Keyed("things", {"things": Named(shape), "count": k.whole(1)})
    text = "count = 2\n[things.x]\nkind = 'disc'\nradius = '3 mm'\n[things.y]\nkind = 'box'\na = 2\nb = 3\n"
    assert read_document(table, text, "t") == {"count": 2, "things": {"x": 0.003, "y": 6.0}}
    with pytest.raises(DocumentError) as caught:
        read_document(
            table,
            text.replace("'disc'", "'disk'").replace("b = 3", "").replace("= 2\n[", "= 0\n["),
            "t",
        )
    assert [str(p) for p in caught.value.problems] == [
        "line 1: count: got 0; must be a whole number, at least 1",
        "line 3: things.x.kind: got 'disk'; did you mean disc? must be one of disc, box",
        "line 5: things.y.b: is missing",
    ]
