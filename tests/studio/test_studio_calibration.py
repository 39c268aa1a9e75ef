"""Calibrations for the page: numbers to the last bit, nothing called found that is not, no file from outside."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from campaigns.studio_fuzz import said
from gough.checks import InputError
from gough.metrology import calibrate, plan_poses
from gough.metrology.document import load_readings
from gough.metrology.nominal import nominal_residuals
from gough.metrology.planning import write_plan
from gough.metrology.sensors import PoseSensor
from gough.metrology.trials import synthetic_readings
from gough.metrology.unknowns import unknown_groups, unknowns
from gough.model.json_document import from_document, to_document
from gough.studio import calibration_messages as c
from gough.studio import messages as m
from gough.studio import wire
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder
from support.reading_tables import FILE, write_readings
from support.studio_messages import Maker


def asked(s: Session, given: c.CalibrationInput) -> c.Calibrated:
    answer = s.handle(c.Calibrate(7, given))
    assert isinstance(answer, c.Calibrated), answer
    return answer


def refused(s: Session, given: c.CalibrationInput) -> m.Failure:
    answer = s.handle(c.Calibrate(7, given))
    assert isinstance(answer, m.Failure), answer
    return answer


def trial(**fields: Any) -> c.CalibrationInput:
    return c.CalibrationInput(trial=c.TrialInput(**fields))


def test_numbers_of_a_file_are_those_of_calibrate_to_the_last_bit(session: Session) -> None:
    root = session.folder.root
    write_readings(root)
    shown = asked(session, c.CalibrationInput("readings.toml"))
    given = load_readings(session.platform, root / "readings.toml")
    found = calibrate(session.platform, **given)
    before = nominal_residuals(session.platform, **given)
    assert before is not None
    assert found.spectrum.seen.all()
    for row, told in zip(found.table(), shown.numbers, strict=True):
        assert row == {key: told[key] for key in row}
        assert told["status"] == "found"
        assert told["planted"] is None
    assert (shown.machine, shown.synthetic, shown.source) == (session.count, False, "readings.toml")
    assert (shown.settled, shown.steps, shown.seen) == (True, found.steps, found.spectrum.rank)
    assert (shown.chi_square, shown.freedom) == (found.chi_square, found.freedom)
    assert shown.likelihood == found.likelihood
    assert shown.unseen == found.unseen == ()
    assert shown.warnings == ()
    assert shown.document == to_document(found.platform)
    told = {row["source"]: row for row in shown.residuals}
    parts = {
        "encoders": ("actuator", [0, 1, 2, 3, 4, 5], "m", 5e-6),
        "tracker, position": ("tracker", [0, 1, 2], "m", 2e-5),
        "tracker, rotation": ("tracker", [3, 4, 5], "rad", 2e-5),
    }
    assert set(told) == set(parts)
    for name, (source, columns, unit, sigma) in parts.items():
        row = told[name]
        assert (row["unit"], row["sigma"]) == (unit, pytest.approx(sigma))
        for when, residual in (("before", before), ("after", found.residual)):
            part = residual[source][:, columns]
            assert row[f"{when}_rms"] == float(np.sqrt(np.mean(part**2)))
            assert row[f"{when}_largest"] == float(np.abs(part).max())
        assert row["after_rms"] < row["before_rms"]
    total = sum(12 * x**2 for x in shown.after if x is not None)
    assert total == pytest.approx(found.chi_square, rel=1e-12)


def test_what_is_looked_for_can_be_chosen(session: Session) -> None:
    root = session.folder.root
    write_readings(root, find=["joint", "L1.base"])
    shown = asked(session, c.CalibrationInput("readings.toml", ("joint", "L1.base")))
    given = load_readings(session.platform, root / "readings.toml")
    found = calibrate(session.platform, **given, find=["joint", "L1.base"])
    assert [row["name"] for row in shown.numbers] == list(found.names)
    assert [row["value"] for row in shown.numbers] == found.value.tolist()
    why = refused(session, c.CalibrationInput("readings.toml", ("joints",)))
    assert "did you mean joint" in why.text


def test_single_numbers_are_chosen_none_and_too_many_refused(session: Session) -> None:
    names = unknowns(session.platform, ["joint", "L3.base"]).names
    shown = asked(session, c.CalibrationInput(find=names, trial=c.TrialInput(count=12)))
    assert [row["name"] for row in shown.numbers] == list(names)
    code = session.handle(c.ShowCalibration(3, c.CalibrationInput(find=names)))
    assert isinstance(code, m.Code)
    assert "find=['joint', 'L3.base']" in code.python
    none = refused(session, c.CalibrationInput(find=()))
    assert none.field == "find"
    assert "tick what is to be found" in none.text
    few = c.TrialInput(count=3)
    why = refused(session, c.CalibrationInput(find=("base", "joint", "zero"), trial=few))
    assert why.text.startswith("The readings do not tell the 42 chosen unknowns apart: 24")
    assert "21 more" in why.text
    assert asked(session, c.CalibrationInput(trial=few)).seen == 18, "unless they are the usual"
    for message in (c.PlanPoses, c.ShowCalibration):
        answer = session.handle(message(5, c.CalibrationInput(find=())))
        assert isinstance(answer, m.Failure)
        assert answer.field == "find"


def test_planted_errors_are_recovered_within_their_intervals_and_marked_synthetic(
    session: Session,
) -> None:
    shown = asked(session, trial(count=40, seed=2))
    assert shown.synthetic
    assert shown.settled
    assert shown.source.startswith("synthetic trial")
    assert "nothing was measured" in shown.notes[0]
    inside = [row["inside"] for row in shown.numbers]
    assert len(inside) == 42
    for row in shown.numbers:
        assert row["inside"] == (row["low"] <= row["planted"] <= row["high"])
        off = abs(row["planted"] - row["nominal"])
        assert abs(row["value"] - row["planted"]) < max(6.0 * row["sigma"], 1e-12)
        assert off < 3e-3
    assert sum(inside) >= 36
    assert f"{sum(inside)} of 42 intervals hold the planted number" in shown.notes
    assert shown.document is not None
    assert "synthetic calibration" in shown.document["name"]
    platform, _ = from_document(shown.document)
    assert platform.legs[0].base[0] == shown.numbers[0]["value"]
    again = asked(session, trial(count=40, seed=2))
    assert again.numbers == shown.numbers
    assert asked(session, trial(count=40, seed=3)).numbers != shown.numbers


def test_a_taken_over_synthetic_machine_says_so_once(session: Session) -> None:
    shown = asked(session, trial(count=12))
    assert shown.document is not None
    assert isinstance(session.handle(m.SetMachine(2, shown.document)), m.MachineOpened)
    second = asked(session, trial(count=12))
    assert second.document is not None
    assert second.document["name"].count("synthetic calibration") == 1
    saved = session.handle(m.SaveMachine(3, "taken.toml"))
    assert isinstance(saved, m.Saved)
    read = gough.load(session.folder.root / "taken.toml")
    assert "synthetic calibration" in read.name
    assert read.legs[2].joint[1] == pytest.approx(shown.document["legs"][2]["joint"][1], rel=1e-12)


def test_planned_poses_of_a_trial_are_those_of_the_plan(session: Session) -> None:
    shown = asked(session, trial(count=8, poses="planned", seed=4))
    sensors = {"tracker": PoseSensor(2e-5, 2e-5)}
    plan = plan_poses(session.platform, 8, sensors, sigma=5e-6, seed=4)
    made = synthetic_readings(session.platform, plan.pose, sensors, sigma=5e-6, error=5e-4, seed=4)
    found = calibrate(session.platform, made.length, made.readings, sigma=made.sigma)
    assert shown.chi_square == found.chi_square


def test_too_few_poses_tell_what_is_not_seen_and_claim_nothing(session: Session) -> None:
    shown = asked(session, trial(count=3))
    assert shown.settled
    assert shown.seen == 18
    assert len(shown.unseen) == 24
    assert shown.likelihood is None
    assert {row["status"] for row in shown.numbers} == {"unseen"}
    for row in shown.numbers:
        for key in ("value", "change", "sigma", "low", "high", "inside"):
            assert row[key] is None
    assert any("they are not found" in text for text in shown.warnings)
    assert any("no more readings than unknowns" in text for text in shown.notes)
    assert not any("intervals hold" in text for text in shown.notes)


def test_one_sensor_sees_less_than_another_and_says_which(session: Session) -> None:
    whole, point, tilt = (
        asked(session, trial(count=60, sensor=name)) for name in ("pose", "point", "tilt")
    )
    assert [len(shown.unseen) for shown in (whole, point, tilt)] == [0, 3, 7]
    status = {row["name"]: row["status"] for row in point.numbers}
    assert status["L1.joint.z"] == "unseen"
    assert status["L1.base.x"] == "found"
    assert not any(row["value"] is not None for row in point.numbers if row["status"] != "found")


def test_numbers_that_are_hardly_seen_are_not_called_found(session: Session) -> None:
    """Deviations of a millimeter: the sum of squares has its minimum, and its numbers mean nothing."""
    given = trial(count=20, sigma=5e-4, position_sigma=1e-3, rotation_sigma=1e-3)
    shown = asked(session, given)
    assert shown.settled
    weak = [row for row in shown.numbers if row["status"] == "weak"]
    assert weak
    assert all(row["value"] is None and row["low"] is None for row in weak)
    assert any(f"{len(weak)} numbers are seen so weakly" in text for text in shown.warnings)


def test_what_is_known_from_its_tolerance_alone_is_not_called_found(session: Session) -> None:
    root = session.folder.root
    write_readings(root, count=1)
    text = FILE + '[calibrate.tolerance]\nbase = "1 mm"\njoint = "1 mm"\nzero = "1 mm"\n'
    (root / "readings.toml").write_text(text)
    shown = asked(session, c.CalibrationInput("readings.toml"))
    found = calibrate(session.platform, **load_readings(session.platform, root / "readings.toml"))
    as_before = found.sigma > 0.95e-3
    assert np.isfinite(found.sigma).all()
    assert as_before.any()
    assert [row["status"] == "beforehand" for row in shown.numbers] == as_before.tolist()
    assert any("tolerance alone" in text for text in shown.warnings)


def test_a_search_that_does_not_end_offers_no_number(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gough.metrology.fit.STEPS", 1)
    shown = asked(session, trial(count=20))
    assert not shown.settled
    assert shown.document is None
    assert shown.chi_square is None
    assert shown.likelihood is None
    assert {row["status"] for row in shown.numbers} == {"none"}
    assert all(row[key] is None for row in shown.numbers for key in ("value", "change", "sigma"))
    assert all(x is None for x in shown.after)
    assert all(row["after_rms"] is None for row in shown.residuals)
    assert "no number was found" in shown.warnings[0]
    assert not any("intervals" in text or "likelihood" in text for text in shown.notes)


def test_deviations_that_the_readings_contradict_are_told(session: Session) -> None:
    root = session.folder.root
    write_readings(root, sigma=5e-5)
    shown = asked(session, c.CalibrationInput("readings.toml"))
    assert shown.likelihood is not None
    assert shown.likelihood < 1e-3
    assert "contradict" in shown.warnings[0]
    (root / "readings.toml").write_text(FILE + '[calibrate]\nnoise = "estimated"\n')
    free = asked(session, c.CalibrationInput("readings.toml"))
    assert free.likelihood is None
    assert any("up to one factor" in text for text in free.notes)
    (root / "readings.toml").write_text(FILE + '[calibrate]\nrobust = "huber"\n')
    robust = asked(session, c.CalibrationInput("readings.toml"))
    assert robust.likelihood is None
    assert any("robust" in text for text in robust.notes)


DAMAGED = {
    "no table": FILE.replace('readings = "readings.csv"', ""),
    "not TOML": "readings = [",
    "another kind of file": "[trajectory]\nkind = 'hold'\nduration = 1.0\n",
    "a word that is none": FILE.replace("position_sigma", "position_sigmas"),
    "no unit": FILE.replace('"5 um"', "5"),
    "another leg": FILE.replace(
        "[sensors", 'columns = ["A", "B", "C", "D", "E", "F"]\n[sensors', 1
    ),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_file_gets_the_sentence_of_the_library(session: Session, what: str) -> None:
    root = session.folder.root
    write_readings(root)
    (root / "readings.toml").write_text(DAMAGED[what])
    with pytest.raises(InputError) as wanted:
        load_readings(session.platform, root / "readings.toml")
    why = refused(session, c.CalibrationInput("readings.toml"))
    assert why.text == str(wanted.value)
    assert why.kind == "input"
    assert str(root) not in why.text


def test_a_damaged_table_is_a_sentence(session: Session) -> None:
    root = session.folder.root
    write_readings(root)
    for text, told in (("", "empty"), ("L1,L2\n1,2\n", "missing"), ("\x00\x01", "readings.csv")):
        (root / "readings.csv").write_text(text)
        assert told in refused(session, c.CalibrationInput("readings.toml")).text
    os.remove(root / "readings.csv")
    assert "no such file" in refused(session, c.CalibrationInput("readings.toml")).text


@pytest.fixture
def beside(tmp_path: Path) -> Session:
    """A session whose folder lies beside readings that are nobody's business."""
    inside, outside = tmp_path / "work", tmp_path / "secret"
    (inside / "sub").mkdir(parents=True)
    outside.mkdir()
    write_readings(inside)
    write_readings(outside)
    (inside / "sub" / "readings.csv").write_text((inside / "readings.csv").read_text())
    (inside / ".hidden.csv").write_text((inside / "readings.csv").read_text())
    os.symlink(outside / "readings.csv", inside / "link.csv")
    os.symlink(outside, inside / "linked")
    os.mkfifo(inside / "pipe.csv")
    s = Session(WorkFolder(inside))
    assert isinstance(s.handle(m.OpenMachine(1, "start")), m.MachineOpened)
    return s


def test_a_table_outside_the_work_folder_is_refused(beside: Session) -> None:
    root = beside.folder.root
    names = ["../secret/readings.csv", str(root.parent / "secret" / "readings.csv"), "link.csv"]
    names += ["linked/readings.csv", ".hidden.csv", "sub/../../secret/readings.csv", "pipe.csv"]
    names += ["/etc/passwd", "readings.toml", "no.csv", "~/readings.csv", "sub"]
    for name in names:
        (root / "r.toml").write_text(FILE.replace("readings.csv", name))
        why = refused(beside, c.CalibrationInput("r.toml"))
        assert "must be a file of the work folder" in why.text, name
        assert why.field == "readings"
        plan = beside.handle(c.PlanPoses(1, c.CalibrationInput("r.toml"), 5))
        assert isinstance(plan, m.Failure), name
        code = beside.handle(c.ShowCalibration(1, c.CalibrationInput("r.toml")))
        assert isinstance(code, m.Failure), name
    for name in ("../secret/readings.toml", "linked/readings.toml", "/etc/passwd", "readings.csv"):
        assert refused(beside, c.CalibrationInput(name)).field == "name"
    (root / "sub" / "r.toml").write_text(FILE)
    assert asked(beside, c.CalibrationInput("sub/r.toml")).poses == 20
    (root / "r.toml").write_text(FILE.replace("readings.csv", "sub/readings.csv"))
    assert asked(beside, c.CalibrationInput("r.toml")).poses == 20


def test_planted_without_the_check_a_foreign_table_would_be_read(
    beside: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = beside.folder.root
    (root / "r.toml").write_text(FILE.replace("readings.csv", "../secret/readings.csv"))
    monkeypatch.setattr("gough.studio.reading_files._checked", lambda f, n: (f.root / n, [n]))
    assert asked(beside, c.CalibrationInput("r.toml")).poses == 20


def test_readings_files_are_listed_as_such(beside: Session) -> None:
    (beside.folder.root / "mine.toml").write_text("name = 'x'\n")
    kinds = {file["name"]: file["kind"] for file in beside.folder.files()}
    assert kinds["readings.toml"] == "readings"
    assert kinds["mine.toml"] == "machine"


def test_a_plan_is_that_of_the_library_and_its_table_that_of_the_command(
    session: Session, tmp_path: Path
) -> None:
    write_readings(session.folder.root)
    sensors = {"tracker": PoseSensor(2e-5, 2e-5)}
    plan = plan_poses(session.platform, 9, sensors, sigma=5e-6, seed=3)
    for given in (c.CalibrationInput("readings.toml"), trial()):
        shown = session.handle(c.PlanPoses(2, given, 9, 3))
        assert isinstance(shown, c.PosesPlanned)
        assert (shown.spread, shown.by_chance) == (plan.spread, plan.by_chance)
        assert (shown.unknowns, shown.seen) == (42, plan.spectrum.rank)
        path = write_plan(session.platform, plan, tmp_path / "plan.csv")
        lines = path.read_text().splitlines()
        assert lines[0].split(",") == list(shown.heads)
        assert [[float(x) for x in line.split(",")] for line in lines[1:]] == [
            list(row) for row in shown.table
        ]
        at = np.array(shown.rows)
        assert np.array_equal(at[:, :3], plan.pose.position)
        assert f"{plan.by_chance / plan.spread:.3g} times as accurate" in " ".join(shown.notes)


def test_a_plan_of_too_few_poses_promises_nothing(session: Session) -> None:
    shown = session.handle(c.PlanPoses(2, trial(), 4))
    assert isinstance(shown, c.PosesPlanned)
    assert shown.spread is None
    assert "too few" in shown.notes[1]
    assert "accurate" not in " ".join(shown.notes)


def test_what_can_be_looked_for_is_listed(session: Session) -> None:
    for name in ("motion-base-1500", "servo-hexapod", "screw-hexapod"):
        session.handle(m.OpenMachine(1, "preset", name))
        shown = session.handle(c.ListUnknowns(3))
        assert isinstance(shown, c.UnknownsListed)
        groups = unknown_groups(session.platform)
        assert shown.groups == tuple(group.name for group in groups)
        assert shown.usual == tuple(group.usual for group in groups)
        told = [tuple(number["name"] for number in members) for members in shown.members]
        assert told == [group.names for group in groups]
        for number in (number for members in shown.members for number in members):
            assert number["name"].startswith(f"{number['leg']}.")
            assert number["name"].endswith(number["part"])
        assert shown.turning is (name == "servo-hexapod")
        assert shown.pushing is (name != "servo-hexapod")
        assert shown.size == session.platform.characteristic_length


BAD = {
    "count": {"count": 0},
    "seed": {"seed": -1},
    "sensor": {"sensor": "nose"},
    "poses": {"poses": "best"},
    "sigma": {"sigma": 0.0},
    "turn_sigma": {"turn_sigma": -1.0},
    "position_sigma": {"position_sigma": 1e9},
    "rotation_sigma": {"rotation_sigma": 1e-300},
    "error": {"error": 1.0},
}


@pytest.mark.parametrize("field", BAD)
def test_what_cannot_be_tried_is_a_sentence(session: Session, field: str) -> None:
    why = refused(session, trial(**BAD[field]))
    assert (why.field, why.kind) == (field, "input")


def test_machines_that_cannot_be_calibrated_say_why(session: Session) -> None:
    free = gough.load("motion-base-1500")
    legs = [leg.replace(limits=gough.Limits()) for leg in free.legs]
    document = to_document(free.replace(legs=tuple(legs)))
    assert isinstance(session.handle(m.SetMachine(1, document)), m.MachineOpened)
    assert "no limits" in refused(session, trial()).text
    leg = document["legs"][0]
    leg["friction"] |= {"prismatic": 0.0}
    length = gough.inverse_kinematics(free, free.require_home()).length
    leg |= {"fixed": float(length[0]), "drive": None}
    answer = session.handle(m.SetMachine(1, document))
    assert isinstance(answer, m.MachineOpened), answer
    for message in (c.ListUnknowns(1), c.Calibrate(1, trial()), c.PlanPoses(1, trial())):
        why = session.handle(message)
        assert isinstance(why, m.Failure)
        assert "fixed" in why.text


def test_a_file_of_very_many_poses_is_for_the_command(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_readings(session.folder.root, count=5)
    monkeypatch.setattr("gough.studio.reading_files.MOST_POSES", 4)
    assert (
        "the command gough calibrate takes more"
        in refused(session, c.CalibrationInput("readings.toml")).text
    )


def test_the_messages_travel(session: Session) -> None:
    message = wire.decode('{"type": "Calibrate", "id": 3, "given": {"trial": {"count": 4}}}')
    assert message == c.Calibrate(3, trial(count=4))
    sent = json.loads(wire.encode(session.handle(message)))
    assert sent["type"] == "Calibrated"
    assert sent["numbers"][0]["value"] is None
    with pytest.raises(wire.MessageError, match="no field"):
        wire.decode('{"type": "Calibrate", "id": 3, "given": {"trial": {"counts": 4}}}')


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_drawn_messages_are_answered_or_refused(session: Session) -> None:
    """Of these declarations alone, every field usual, odd or hostile."""
    write_readings(session.folder.root, count=4)
    maker, found = Maker(5), set()
    for _ in range(24):
        cls = maker.rng.choice(c.REQUESTS)
        maker.odd = maker.rng.choice((0.0, 0.03, 0.3))
        kind = said(session, json.dumps({"type": cls.__name__, **maker.part(cls)}))
        assert kind != "fault"
        found.add(kind)
    assert {"Calibrated", "Failure input"} < found
