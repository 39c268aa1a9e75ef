"""Machine files: exact round trips, presets against their papers, and every way a file can be wrong."""

from __future__ import annotations

import json
import os
import pickle
import threading
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gough import (
    PUS,
    RUS,
    SPS,
    UPS,
    Body,
    Drive,
    Friction,
    InputError,
    Limits,
    MachineFileError,
    ModelWarning,
    Platform,
    Pose,
    Source,
)
from gough.documents.units import UNITS
from gough.model import files


def quiet_load(name: str) -> Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return files.load(name)


def quiet_loads(text: str) -> Platform:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return files.loads(text)


def preset_text(name: str) -> str:
    return (Path(files.__file__).parent / "presets" / f"{name}.toml").read_text(encoding="utf-8")


def problems_of(text: str) -> dict[str, str]:
    with pytest.raises(MachineFileError) as caught:
        quiet_loads(text)
    return {p.path: p.message for p in caught.value.problems}


# ---- writing


@pytest.mark.parametrize("name", files.presets())
def test_round_trip_is_exact(name: str, tmp_path: Path) -> None:
    platform = quiet_load(name)
    path = files.save(platform, tmp_path / "machine.toml")
    again = quiet_load(str(path))
    assert again == platform
    assert hash(again) == hash(platform)
    assert files.dumps(again) == files.dumps(platform)
    for a, b in zip(platform.legs, again.legs, strict=True):  # bit by bit, not only equal
        assert a.base.tobytes() == b.base.tobytes()
        assert a.joint.tobytes() == b.joint.tobytes()


def mixed_platform() -> Platform:
    rng = np.random.default_rng(7)
    body = Body(1.3, rng.normal(size=3), np.diag([1.0, 1.1, 1.2]) + 0.01)
    friction, limits = (
        Friction(0.1, 1 / 3, 1e-300),
        Limits(stroke=(0.1, 0.9), base_axis=rng.normal(size=3)),
    )

    def v() -> np.ndarray:
        return rng.normal(size=3)

    drive = Drive(ratio=-1 / 3, rotor_axis=v(), efficiency=0.9, torque_constant=0.1, backlash=1e-6)
    legs = [
        UPS(v(), v(), v(), body, body, friction, limits, drive, 'first "leg"\n\t\\ \x7f \x00 ü'),
        SPS(v(), v(), body, Body(0.0), reference=v()),
        PUS(
            v(),
            v(),
            v(),
            v(),
            1.7,
            0.2,
            body,
            slider_center=v(),
            assembly=-1,
            drive=Drive(ratio=10.0),
        ),
        RUS(
            v(), v(), v(), v(), v(), 0.9, crank=body, link=body, elbow=-1, limits=Limits(force=3.0)
        ),
        UPS(v(), [-0.0, 1e-320, 1e29], v()),
        UPS(v(), v(), v(), lower=body),
    ]
    source = Source('A "title"', "10.1/x", "p. 3", ("one", "two, three"), ("ü = ∅",))
    return Platform(body, legs, v(), Pose.from_quaternion(v(), rng.normal(size=4)), "mixed", source)


def test_mixed_machine_round_trip() -> None:
    platform = mixed_platform()
    again = files.loads(files.dumps(platform))
    assert again == platform
    assert (
        again.legs[4].joint.tobytes() == platform.legs[4].joint.tobytes()
    )  # -0.0 and subnormals too


finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e29, max_value=1e29)
triple = st.tuples(finite, finite, finite)


@settings(max_examples=60, deadline=None)
@given(triple, triple, st.floats(0, 1e29), triple, triple, st.text(max_size=20))
def test_any_numbers_and_names_survive(
    base: tuple, joint: tuple, mass: float, center: tuple, axis: tuple, name: str
) -> None:
    if np.linalg.norm(np.array(axis) / 1e100) * 1e100 < 1e-9:
        axis = (0.0, 0.0, 1.0)
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        name = ""
    legs = [UPS(base, joint, axis, lower=Body(mass, center), name=name)] * 6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        platform = Platform(Body(mass, center), legs, name=name, source=Source(title=name))
        assert files.loads(files.dumps(platform)) == platform


def test_shared_leg_values_are_written_once() -> None:
    text = files.dumps(quiet_load("dasgupta-1998"))
    assert text.count("0.14, -0.18") == 1
    assert "[leg_defaults]" in text


def test_save_is_atomic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    platform = quiet_load("syed-6sps")
    path = tmp_path / "machine.toml"
    files.save(platform, path)
    before = path.read_bytes()

    def fail(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        files.save(platform.replace(name="other"), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["machine.toml"]


def test_save_refuses_what_it_cannot_write(tmp_path: Path) -> None:
    platform = quiet_load("syed-6sps")
    with pytest.raises(InputError, match="folder"):
        files.save(platform, tmp_path)
    with pytest.raises(InputError, match="cannot be written"):
        files.save(platform, tmp_path / "none" / "machine.toml")
    with pytest.raises(InputError, match="Platform"):
        files.dumps("platform")  # type: ignore[arg-type]


# ---- reading: what a file may say


def test_units_and_defaults_and_overrides() -> None:
    text = preset_text("syed-6sps").replace(
        "[[legs]]\n", '[[legs]]\nlower = { mass = "80 g" }\n', 1
    )
    legs = quiet_loads(text).legs
    plain = quiet_load("syed-6sps").legs
    assert legs[0].lower.mass == 0.08  # type: ignore[union-attr]
    assert legs[0].lower.center.tolist() == [0.1, 0.0, 0.0]  # type: ignore[union-attr]  # the rest stays
    assert legs[1:] == plain[1:]


def test_all_spellings_of_a_pose() -> None:
    text = preset_text("dasgupta-1998")
    pose = quiet_loads(text).home
    assert pose is not None
    for spelling in (
        f"quaternion = {pose.quaternion.tolist()}",
        f"rotation = {pose.rotation.tolist()}",
        f'rpy = "0 0 {np.degrees(-0.2):.17g} deg"',
    ):
        home = quiet_loads(text.replace("rpy = [0.0, 0.0, -0.2]", spelling)).home
        assert home is not None
        np.testing.assert_allclose(home.rotation, pose.rotation, atol=1e-15)
    found = problems_of(text.replace("rpy = ", "quaternion = [1, 0, 0, 0]\nrpy = "))
    assert found == {"home.quaternion": "got [1.0, 0.0, 0.0, 0.0]; is given beside rpy; keep one"}


def test_planted_unit_error_is_caught() -> None:
    """Degrees read as radians, or millimeters as meters, would give another machine."""
    text = preset_text("lopes-6pus")
    whole = quiet_load("lopes-6pus")
    assert quiet_loads(text) == whole
    assert quiet_loads(text.replace("radius = 1.5", 'radius = "1500 mm"')).legs == whole.legs
    assert quiet_loads(text.replace('"45 deg"', "45")).legs != whole.legs


# ---- reading: what is wrong with a file


def test_all_errors_come_at_once_with_key_and_line() -> None:
    text = preset_text("dasgupta-1998")
    for old, new in (
        ("axis = [0.2308, 0.9231, 0.3077]", "axis = [0, 0, 0]"),
        ("mass = 40.0", "mas = 40.0"),
        ("mass = 3.0", 'mass = "-3 kg"'),
        ("spherical = 0.0002", 'spherical = "3 furlong"'),
        ("joint = [0.0, 0.3, 0.0]", "joint = [nan, 0, 1]"),
        ("gravity", "gravty"),
        ("base = [0.2, -0.3, -0.05]", "bse = [0.2, -0.3, -0.05]"),
    ):
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(MachineFileError) as caught:
        quiet_loads(text)
    found = {p.path: p for p in caught.value.problems}
    assert set(found) == {
        "gravty",
        "body.mass",
        "body.mas",
        "leg_defaults.lower.mass",
        "legs[1].axis",
        "leg_defaults.friction.spherical",
        "legs[2].joint",
        "legs[4].base",
        "legs[4].bse",
    }
    lines = text.splitlines()
    assert "[0, 0, 0]" in lines[found["legs[1].axis"].line - 1]  # type: ignore[operator]
    assert "bse" in lines[found["legs[4].bse"].line - 1]  # type: ignore[operator]
    assert "furlong" in lines[found["leg_defaults.friction.spherical"].line - 1]  # type: ignore[operator]
    assert "did you mean base?" in found["legs[4].bse"].message
    assert "did you mean gravity?" in found["gravty"].message
    assert "N m s" in found["leg_defaults.friction.spherical"].message
    assert all(p.path in str(caught.value) for p in caught.value.problems)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert isinstance(caught.value, InputError)


@pytest.mark.parametrize(
    ("old", "new", "path", "message"),
    [
        ("mass = 40.0", "mass = -40.0", "body.mass", "at least 0"),
        ("mass = 40.0", "mass = inf", "body.mass", "finite"),
        ("mass = 40.0", "mass = 1e400", "body.mass", "finite"),
        ("mass = 40.0", "mass = true", "body.mass", "must be a number"),
        ("mass = 40.0", 'mass = "40 m"', "body.mass", "m is a unit of length"),
        ("mass = 40.0", 'mass = "1e999 kg"', "body.mass", "finite"),
        ("mass = 40.0", f"mass = 1{'0' * 400}", "body.mass", "finite"),
        ("center = [0.04, 0.03, -0.06]", "center = [1, 2]", "body.center", "three quantities"),
        ("center = [0.04, 0.03, -0.06]", 'center = "1 2 3"', "body.center", "has no unit"),
        ("[0.003, 0.040, 0.003]", "[0.9, 0.040, 0.003]", "body.inertia", "symmetric"),
        ('type = "UPS"', 'type = "XYZ"', "leg_defaults.type", "UPS, SPS, PUS, RUS"),
        ('type = "UPS"', 'type = "UPS"\nlenght = 1', "leg_defaults.lenght", "did you mean length?"),
        ("position = [0.1, 0.0, 0.4]", "position = 3", "home.position", "three quantities"),
        ("format = 1", "format = 2", "format", "must be 1"),
        ("[home]", "home = 3\n[other]", "other", "unknown key"),
        ("friction = {", "friction = 7 # {", "leg_defaults.friction", "must be a table"),
        (
            "axis = [1.0, 0.0, 0.0]",
            'axis = { angel = "3 deg" }',
            "legs[3].axis",
            "{angle, elevation}",
        ),
        (
            "base = [0.6, 0.2, 0.0]",
            'base = { radius = "3 kg", angle = 0 }',
            "legs[0].base.radius",
            "unit of mass",
        ),
        (
            "base = [0.6, 0.2, 0.0]",
            "base = { angle = 0 }",
            "legs[0].base",
            "{radius, angle, height}",
        ),
        (
            "axis = [1.0, 0.0, 0.0]",
            "axis = [1.0, 0.0, 0.0]\ndrive = { lead = 1 }",
            "legs[3].drive.ratio",
            "either",
        ),
        (
            "axis = [1.0, 0.0, 0.0]",
            'axis = [1.0, 0.0, 0.0]\ndrive = { transmission = "belt" }',
            "legs[3].drive.pulley_radius",
            "is needed",
        ),
        (
            "axis = [1.0, 0.0, 0.0]",
            "axis = [1.0, 0.0, 0.0]\nlimits = { stroke = [2, 1] }",
            "legs[3].limits.stroke",
            "min < max",
        ),
    ],
)
def test_bad_values(old: str, new: str, path: str, message: str) -> None:
    text = preset_text("dasgupta-1998")
    assert old in text
    found = problems_of(text.replace(old, new, 1))
    assert path in found
    assert message in found[path]


def test_wrong_number_of_legs() -> None:
    text = preset_text("dasgupta-1998")
    last = text.rindex("[[legs]]")
    assert problems_of(text[:last]) == {"legs": "got 5; must be exactly six"}
    assert problems_of(text + "\n" + text[last:]) == {"legs": "got 7; must be exactly six"}
    assert set(problems_of("")) == {"body", "legs"}
    assert "legs" in problems_of("legs = 3")
    assert "legs" in problems_of("legs = [1, 2]")


HOSTILE = [
    "= 3",
    "a = [1",
    "[body]\n[body]",
    "a = " + "9" * 5000,
    "a = " + "[" * 100_000,
    "\x00",
    "a" + ".b" * 300_000 + " = 1",
    "name = '\x01'",
    "a = {b = {c = " * 4000,
    "[" + "'x' . " * 9000,
    "a.b.c.d.e.f.g.h.i.j.k.l.m = {a.b.c.d.e.f.g.h.i.j.k.l.m = 1}",
    "a" * 900_000,
    '"' * 900_001,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_malformed_toml(text: str) -> None:
    with pytest.raises(MachineFileError):
        files.loads(text)


def test_rotary_units_for_cranks() -> None:
    text = preset_text("servo-hexapod")
    found = problems_of(
        text.replace('force = "0.9 N m"', 'force = "0.9 N"').replace('"6 rad/s"', '"6 m/s"')
    )
    assert set(found) == {"leg_defaults.limits.force", "leg_defaults.limits.speed"}
    assert "lead" in str(problems_of(text.replace("gear = 280", 'gear = 280\nlead = "5 mm"')))


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean dasgupta-1998"):
        files.load("dasgupta-1989")
    with pytest.raises(InputError, match="not a file"):
        files.load(tmp_path)
    with pytest.raises(InputError, match="preset name or the path"):
        files.load(3)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        files.load("")
    with pytest.raises(InputError):
        files.load("a\x00b")
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'format = 1\nname = "M\xfcller"\n')
    with pytest.raises(MachineFileError, match="line 2: is not UTF-8"):
        files.load(latin)
    huge = tmp_path / "huge.toml"
    huge.write_bytes(b"#" * (files.LARGEST + 1))
    with pytest.raises(InputError, match="larger than"):
        files.load(huge)
    with pytest.raises(InputError, match="presets are"):
        files.preset_summary("../presets/dasgupta-1998")


def test_truncated_files_never_load_as_something_else() -> None:
    """Every prefix of a file is refused, or is the whole machine."""
    text = files.dumps(quiet_load("syed-6sps"))
    whole = quiet_loads(text)
    for n in range(0, len(text), 37):
        try:
            made = quiet_loads(text[:n])
        except InputError:
            continue
        assert made.legs[:5] == whole.legs[:5]


def test_warnings_of_threads_do_not_mix() -> None:
    loaded: list[Platform] = []

    def work() -> None:
        with warnings.catch_warnings():
            loaded.extend(files.load("syed-6sps") for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(loaded) == 20
    with pytest.warns(ModelWarning):
        Body(1.0, inertia=(1.0, 1.0, 5.0))


# ---- schema for editors


def test_json_schema_knows_every_key_of_the_presets() -> None:
    schema = files.json_schema()
    json.dumps(schema)
    refs = [item["$ref"] for item in schema["properties"]["legs"]["items"]["anyOf"]]
    legs = [schema["$defs"][ref.split("/")[-1]] for ref in refs]
    by_type = {leg["properties"]["type"]["const"]: leg["properties"] for leg in legs}
    assert set(by_type) == {"UPS", "SPS", "PUS", "RUS", "UCU", "UCS", "PSU", "RSS"}
    for name in files.presets():
        data = tomllib.loads(preset_text(name))
        assert set(data) <= set(schema["properties"])
        kind = data["leg_defaults"]["type"]
        for leg in [data["leg_defaults"], *data["legs"]]:
            assert set(leg) <= set(by_type[kind])


# ---- documentation


def test_documentation_is_true() -> None:
    """The example loads, the tables list every unit and preset, the errors shown are those reported."""
    page = (Path(__file__).parents[2] / "docs" / "machine-files.md").read_text(encoding="utf-8")
    example = page.split("```toml\n")[1].split("```")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        platform = files.loads(example)
    assert platform.legs[1].limits.force == 120.0
    assert platform.legs[1].limits.speed == platform.legs[0].limits.speed == 0.02
    for dimension, table in UNITS.items():
        assert f"| {dimension} | {', '.join(f'`{unit}`' for unit in table)} |" in page
    for name in files.presets():
        assert f"| `{name}` | {files.preset_summary(name)} |" in page
    wrong = example.replace('mass = "7 kg"', 'mas = "7 kg"').replace('"20 mm/s"', '"20 mm"')
    with pytest.raises(MachineFileError) as caught:
        files.loads(wrong.replace('axis.angle = "130 deg"', "axis = [0, 0, 0]"))
    assert str(caught.value).replace("text:", "mine.toml:") in page


def test_the_schema_command_prints_the_schema():
    import json
    import subprocess
    import sys

    run = subprocess.run(
        [sys.executable, "-m", "gough", "schema"], capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout)["properties"].keys() >= {"body", "legs"}
