"""Motion cueing in the studio: the library's numbers to the last bit, its words, its refusals, and the motion again."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import cueing
from gough.analysis.utilisation import utilisation
from gough.limits import check
from gough.studio import cueing_messages as c
from gough.studio import messages as m
from gough.studio import wire
from gough.studio.crew import LONG, WorkerCrew
from gough.studio.cue_motions import ABOUT, KNOBS, MOST_TELEMETRY
from gough.studio.server import SLOW
from gough.studio.session import Session
from gough.studio.used_limits import used_limits

HEAD = "time,fx,fy,fz,p,q,r\n"
REST = np.array([0.0, 0.0, 9.80665])


def opened(s: Session, name: str) -> Session:
    assert isinstance(s.handle(m.OpenMachine(1, "preset", name)), m.MachineOpened)
    return s


def made(s: Session, **asked: Any) -> c.CueMade:
    answer = s.handle(c.MakeCue(3, m.CueInput(**asked)))
    assert isinstance(answer, c.CueMade), answer
    return answer


def refused(s: Session, **asked: Any) -> str:
    answer = s.handle(c.MakeCue(3, m.CueInput(**asked)))
    assert isinstance(answer, m.Failure)
    assert answer.kind in ("input", "infeasible")
    return answer.text


def drive(s: Session, name: str = "drive.csv", times: float = 1.0) -> Path:
    """A file of the work folder: a second of the made-up drive's lane change, its cues times a factor."""
    v = cueing.example_drive()
    keep = (v.time > 7.0) & (v.time < 9.0)
    force = REST + times * (v.specific_force[keep] - REST)
    rows = np.column_stack([v.time[keep], force, times * v.angular_rate[keep]])
    path = s.folder.root / name
    path.write_text(HEAD + "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist()))
    return path


@pytest.mark.parametrize(
    ("method", "parameters", "law"),
    [
        ("classical", (), cueing.ClassicalWashout()),
        (
            "classical",
            (
                m.CueParameter("translation", (2.0, 3.0, 4.0)),
                m.CueParameter("rate_scale", (0.2,)),
                m.CueParameter("tilt_rate", (0.04,)),
            ),
            cueing.ClassicalWashout(translation=(2.0, 3.0, 4.0), rate_scale=0.2, tilt_rate=0.04),
        ),
        ("adaptive", (m.CueParameter("spring", (7.0,)),), cueing.AdaptiveWashout(spring=7.0)),
        ("predictive", (m.CueParameter("horizon", (9.0,)),), cueing.PredictiveCueing(horizon=9)),
    ],
)
def test_every_number_is_that_of_the_library(
    session: Session, method: str, parameters: Any, law: Any
) -> None:
    path = drive(session)
    shown = made(session, file="drive.csv", method=method, scale=0.7, parameters=parameters)
    found = cueing.cue(session.platform, cueing.load_telemetry(path), law, scale=0.7)
    assert shown.scale == found.scale == 0.7
    assert np.array_equal(shown.factors, found.factors)
    for name in ("missed", "noticed", "false_cue"):
        assert np.array_equal(getattr(shown, name), getattr(found.score, name)), name
    assert np.array_equal(shown.data["vehicle"], found.wanted)
    assert np.array_equal(shown.data["machine"], found.felt)
    assert np.array_equal(shown.data["machine_sensed"], found.score.given)
    assert np.array_equal(shown.data["vehicle_sensed"], found.score.sensed)
    assert (shown.word, shown.verdict) == (found.verdict.word, found.verdict.text)
    assert found.proved
    assert shown.word == "proved at every instant"
    # by another way: an accelerometer at the reference point shows R^T (a + g), a gyroscope R^T omega
    motion = found.trajectory(found.telemetry.time)
    own = np.swapaxes(motion.rotation, -1, -2)
    felt = (own @ (motion.acceleration + REST)[..., None])[..., 0]
    turned = (own @ motion.angular_velocity[..., None])[..., 0]
    assert np.allclose(shown.data["machine"], np.hstack([felt, turned]), rtol=0, atol=1e-12)


def test_the_scale_that_is_found_is_that_of_the_library_and_said_so(session: Session) -> None:
    opened(session, "positioner-300")
    path = drive(session)
    shown = made(session, file="drive.csv", scale=None)
    found = cueing.cue(session.platform, cueing.load_telemetry(path), scale=None)
    assert 0.0 < shown.scale == found.scale < 1.0
    assert "a larger one may exist" in shown.scale_text
    assert shown.word == "proved at every instant"
    again = made(session, file="drive.csv", scale=shown.scale)
    assert again.scale_text == "as given"
    assert np.array_equal(again.data["machine"], shown.data["machine"])
    assert shown.cue.scale == shown.scale


def test_the_made_up_drive_needs_no_file_and_is_called_made_up(session: Session) -> None:
    assert not list(session.folder.root.iterdir())
    offered = session.handle(c.OfferCues(1))
    assert isinstance(offered, c.CuesOffered)
    assert offered.files == ()
    assert "Made up" in offered.example
    shown = made(session)
    assert "made-up" in shown.label
    found = cueing.cue(session.platform, cueing.example_drive())
    assert np.array_equal(shown.data["machine"], found.felt)
    assert shown.duration == found.trajectory.duration == 20.0


def test_what_is_offered_are_the_defaults_of_the_library(session: Session) -> None:
    drive(session)
    (session.folder.root / "notes.txt").write_text("no")
    offered = session.handle(c.OfferCues(1))
    assert isinstance(offered, c.CuesOffered)
    assert offered.files == ("drive.csv",)
    methods = cueing.making.METHODS
    assert [one["name"] for one in offered.methods] == list(methods) == list(KNOBS) == list(ABOUT)
    for one in offered.methods:
        plain = methods[one["name"]]()
        for knob in one["knobs"]:
            assert np.array_equal(knob["default"], np.ravel(getattr(plain, knob["name"])))


def test_a_planted_scale_breaks_limits_and_says_which(session: Session) -> None:
    shown = made(session, scale=4.0)
    assert shown.word == "broken"
    found = cueing.cue(session.platform, cueing.example_drive(), scale=4.0)
    worst = found.limits.violations()[0]
    assert shown.verdict.startswith(worst.sentence)
    time = worst.sample * 20.0 / (found.looked - 1)
    assert f"t = {time:.4g} s" in shown.verdict
    assert not check(session.platform, found.trajectory(time)).ok


def test_a_limit_broken_only_between_the_looks_is_broken(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof finds an instant outside where all looks are inside: never "hold", never "proved"."""
    monkeypatch.setattr("gough.cueing.making.doubt", lambda *_: "outside at t = 3.21 s")
    shown = made(session)
    assert shown.word == "broken"
    assert "outside at t = 3.21 s" in shown.verdict
    monkeypatch.setattr("gough.cueing.making.doubt", lambda *_: "the limits are too near to tell")
    shown = made(session)
    assert shown.word == "not proved"
    assert shown.verdict.endswith(
        "at 4001 times, nothing proved between: the limits are too near to tell"
    )


@pytest.mark.parametrize("scale", [1.0, None])
def test_without_limits_nothing_is_within_them(session: Session, scale: float | None) -> None:
    opened(session, "dasgupta-1998-physical")
    shown = made(session, scale=scale)
    assert shown.word == "no limits given"
    assert "nothing was judged" in shown.verdict
    said = " ".join((shown.word, shown.verdict, shown.scale_text, *shown.notes))
    assert "proved" not in said
    assert "inside the limits" not in said
    assert "Forces are not judged here; the timeline shows them." in shown.notes


def test_limits_of_some_legs_are_said_of_these(session: Session) -> None:
    opened(session, "dasgupta-1998-physical")
    one, *rest = session.platform.legs
    wide = gough.Limits(stroke=(0.1, 9.0))
    session.use("some", session.platform.replace(legs=(one.replace(limits=wide), *rest)))
    shown = made(session)
    assert (shown.word, shown.verdict) == ("proved at every instant", "stroke (1 of 6 legs)")


def test_used_shares_are_those_of_the_library_and_what_has_none_says_why(session: Session) -> None:
    shown = made(session, scale=0.7)
    found = cueing.cue(session.platform, cueing.example_drive(), scale=0.7)
    times = np.linspace(0.0, found.trajectory.duration, found.looked)
    expected = {row["kind"]: row["legs"] for row in utilisation(found.limits, times)}
    assert {row["kind"]: row["legs"] for row in shown.used if row["legs"]} == expected
    words = {row["kind"]: row["word"] for row in shown.used if not row["legs"]}
    assert words["force"] == "given, not judged here"
    assert words["base clearance"] == "no limit given"
    stroke = next(row["legs"] for row in shown.used if row["kind"] == "stroke")
    worst = max(stroke, key=lambda leg: leg["share"])
    middle, half = (worst["low"] + worst["high"]) / 2, (worst["high"] - worst["low"]) / 2
    assert worst["share"] == pytest.approx(abs(worst["value"] - middle) / half, rel=1e-9)
    assert shown.looked == found.looked
    opened(session, "dasgupta-1998-physical")
    free = made(session)
    assert {row["word"] for row in free.used} == {"no limit given"}
    assert all(row["legs"] == [] for row in free.used)
    legs = tuple(
        leg.replace(limits=gough.Limits(base_cone=0.5, force=1e4)) for leg in session.platform.legs
    )
    homeless = session.platform.replace(legs=legs, home=None)
    looked = check(homeless, session.platform.require_home()[None])
    told = {row["kind"]: row["word"] for row in used_limits(looked, np.zeros(1))}
    assert told["base cone"] == "given, not checked"


def test_cranks_are_not_proved(session: Session) -> None:
    opened(session, "servo-hexapod")
    shown = made(session, scale=0.05)
    assert shown.word == "not proved"
    assert "nothing proved between: legs whose coordinate is not the distance" in shown.verdict
    fitted = made(session, scale=None)
    assert fitted.word == "not proved"
    assert "at the times looked at" in fitted.scale_text


def test_a_machine_that_hangs_is_told_which_gravity_is_felt(session: Session) -> None:
    session.use("hung", session.platform.replace(gravity=(0.0, 0.0, 9.81)))
    assert any("gravity along -z" in note for note in made(session).notes)
    session.use("stands", session.platform.replace(gravity=(0.0, 0.0, -9.81)))
    assert not any("gravity" in note for note in made(session).notes)


ODD = {
    "a missing file": ({"file": "gone.csv"}, "no such file in the work folder"),
    "another ending": ({"file": "mine.toml"}, "must end with .csv"),
    "outside": ({"file": "../drive.csv"}, "must be inside the work folder"),
    "a bad column": ({"file": "half.csv"}, "half.csv: fz"),
    "no telemetry": ({"file": "way.csv"}, "must hold either fx, fy, fz or ax, ay, az"),
    "a word": ({"file": "word.csv"}, "word.csv"),
    "a link": ({"file": "link.csv"}, "links are not followed"),
    "absurd numbers": ({"file": "huge.csv"}, "must be at most 10000"),
    "no method": ({"method": "magic"}, "must be one of classical, adaptive, predictive"),
    "no parameter": ({"parameters": (m.CueParameter("warmth", (1.0,)),)}, "must be of force_scale"),
    "twice": ({"parameters": (m.CueParameter("tilt", (1.0,)),) * 2}, "must not repeat"),
    "below": ({"parameters": (m.CueParameter("tilt_rate", (-1.0,)),)}, "must be greater than 0"),
    "three for one": ({"parameters": (m.CueParameter("tilt", (1.0,) * 3),)}, "must be a number"),
    "no scale": ({"scale": 0.0}, "scale: got 0.0; must be greater than 0"),
    "unstable": (
        {"method": "adaptive", "parameters": (m.CueParameter("spring", (1e8,)),)},
        "must stay finite",
    ),
    "a long look": (
        {"method": "predictive", "parameters": (m.CueParameter("horizon", (1e6,)),)},
        "must be at most 64",
    ),
    "a short period": (
        {"method": "predictive", "parameters": (m.CueParameter("period", (1e-6,)),)},
        "must be at least 0.005",
    ),
    "margin": (
        {"method": "predictive", "parameters": (m.CueParameter("margin", (0.7,)),)},
        "must be below a half",
    ),
    "other telemetry": ({"fingerprint": "0" * 16}, "has changed since the cue was computed"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("what", ODD)
def test_what_cannot_be_cued_is_a_sentence(session: Session, what: str) -> None:
    root = session.folder.root
    drive(session)
    (root / "half.csv").write_text("time,fx,fy\n0,0,0\n1,0,0\n")
    (root / "way.csv").write_text("time,x,y,z\n0,0,0,1\n1,0,0,1\n")
    (root / "word.csv").write_text(HEAD + "0,0,0,9.8,0,0,zero\n")
    (root / "huge.csv").write_text(HEAD + "0,0,0,9.8,0,0,0\n1,1e20,0,9.8,0,0,0\n")
    (root / "link.csv").symlink_to(root / "drive.csv")
    asked, why = ODD[what]
    said = refused(session, **asked)
    assert why in said
    assert str(root) not in said


def test_telemetry_that_is_too_long_says_what_takes_it(session: Session) -> None:
    rows = "".join(f"{k}e-2,0,0,9.8,0,0,0\n" for k in range(MOST_TELEMETRY + 1))
    (session.folder.root / "long.csv").write_text(HEAD + rows)
    assert "`gough cue` takes more" in refused(session, file="long.csv")


def test_a_cue_goes_on_the_timeline_as_it_was_shown(session: Session) -> None:
    path = drive(session)
    shown = made(session, file="drive.csv", scale=None)
    asked = m.MakeMotion(4, "cue", samples=41, cue=shown.cue)
    answer = session.handle(asked)
    assert isinstance(answer, m.Timeline)
    assert answer.label == shown.label
    found = cueing.cue(session.platform, cueing.load_telemetry(path), scale=None)
    motion = found.trajectory.sample(41)
    assert np.array_equal(answer.data["position"], motion.position)
    assert np.array_equal(answer.data["t"], motion.time)
    drive(session, times=1.1)  # the file is another now
    answer = session.handle(asked)
    assert isinstance(answer, m.Failure)
    assert "has changed since the cue was computed" in answer.text
    answer = session.handle(m.MakeMotion(5, "cue"))
    assert isinstance(answer, m.Failure)
    assert answer.field == "cue"


def test_a_cue_can_be_simulated(session: Session) -> None:
    drive(session)
    shown = made(session, file="drive.csv", scale=0.5)
    run = session.handle(m.Simulate(6, m.MakeMotion(6, "cue", cue=shown.cue), step=2e-3))
    assert isinstance(run, m.Timeline)
    assert run.kind == "simulation"
    assert shown.label in run.label


def test_a_cue_is_made_by_a_worker_and_can_be_stopped(session: Session) -> None:
    """From another process, letter by letter; a stopped one leaves no process."""
    assert c.MakeCue in SLOW
    assert c.MakeCue in LONG
    drive(session)
    asked = c.MakeCue(7, m.CueInput(file="drive.csv"))
    endless = c.MakeCue(8, m.CueInput(method="predictive", scale=None))
    crew = WorkerCrew(2)

    def ended(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    async def story() -> Any:
        answer = await crew.answer(session.snapshot(), asked, lambda *_: None)
        stopped = asyncio.create_task(crew.answer(session.snapshot(), endless, lambda *_: None))
        while not crew.busy:
            await asyncio.sleep(0.01)
        pid = next(iter(crew.busy)).process.pid
        assert pid is not None
        await asyncio.sleep(0.1)
        stopped.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stopped
        while not ended(pid):
            await asyncio.sleep(0.01)
        return answer

    try:
        assert asyncio.run(story()) == wire.encode(session.handle(asked))
    finally:
        crew.close()


def test_the_messages_travel(session: Session) -> None:
    text = (
        '{"type":"MakeCue","id":3,"cue":{"scale":null,"parameters":[{"name":"tilt","values":[2]}]}}'
    )
    message = wire.decode(text)
    assert isinstance(message, c.MakeCue)
    assert message.cue == m.CueInput(scale=None, parameters=(m.CueParameter("tilt", (2.0,)),))
    assert b'"type":"CueMade"' in wire.encode(session.handle(message))[:60]
    with pytest.raises(wire.MessageError, match="1 or 3 numbers"):
        wire.decode(text.replace("[2]", "[2, 2]"))
