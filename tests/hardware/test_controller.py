"""The emulated controller: its lines, its errors, moves that keep what they claim; no socket, time is a number."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.analysis import proved_limits
from gough.hardware import HexapodController, MoveLimits
from gough.hardware.controller import VERBS
from gough.hardware.lines import ERRORS, LARGEST, LONGEST, SENTENCE
from gough.spatial import rotation_log

ME, YOU = object(), object()


class Bench:
    """A controller, its clock, and one client."""

    def __init__(self, name: str = "positioner-300", **more: object) -> None:
        self.now = 5.0
        self.platform = gough.load(name)
        self.controller = HexapodController(self.platform, clock=lambda: self.now, **more)  # type: ignore[arg-type]

    def say(self, line: str, client: object = ME) -> str:
        answer = self.controller.answer(client, line)
        assert "\n" not in answer
        assert answer.startswith(("OK", "ERR "))
        return answer

    def ok(self, line: str, client: object = ME) -> str:
        word, _, rest = self.say(line, client).partition(" ")
        assert word == "OK", rest
        return rest

    def error(self, line: str, client: object = ME) -> str:
        word, code, name, sentence = self.say(line, client).split(" ", 3)
        assert word == "ERR"
        assert ERRORS[name] == int(code)
        assert sentence
        return name

    def six(self, line: str = "POS") -> np.ndarray:
        return np.array([float(x) for x in self.ok(line).split()])


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_it_starts_at_home_and_says_where_it_is(bench: Bench) -> None:
    home = bench.platform.require_home()
    np.testing.assert_allclose(bench.six()[:3], home.position, atol=1e-9)
    legs = gough.inverse_kinematics(bench.platform, home).length
    np.testing.assert_allclose(bench.six("LEGS"), legs, atol=1e-9)
    assert bench.ok("STATUS") == "IDLE 0 0 FREE"
    assert bench.ok("VERSION").startswith("gough-controller 1 ")
    assert bench.ok("help").split() == list(VERBS)
    assert len(bench.ok("STROKES").split()) == 12


def test_a_move_gets_there_in_the_time_it_says(bench: Bench) -> None:
    start = bench.six()
    to = start + np.array([2e-3, -1e-3, 3e-3, 0.0, 0.01, 0.02])
    number, duration, share = bench.ok("MOVE " + " ".join(map(str, to))).split()
    assert (number, share) == ("1", "1")
    bench.now += 0.5 * float(duration)
    assert bench.ok("STATUS").startswith("MOVING 1 ")
    assert bench.error("MOVEBY 0 0 1e-3 0 0 0") == "BUSY"
    assert bench.error("PIVOT 0 0 0") == "BUSY"
    middle = bench.six()
    assert 0.0 < (middle - start)[2] < 3e-3
    bench.now += 0.51 * float(duration)
    assert bench.ok("STATUS").startswith("IDLE 1 0")
    np.testing.assert_allclose(bench.six(), to, atol=1e-9)
    bench.ok("HOME")
    bench.now += 100.0
    np.testing.assert_allclose(bench.six(), start, atol=1e-9)


def test_what_is_accepted_is_proved(bench: Bench) -> None:
    """Legs too slow for the pace asked for: the move is slowed until every limit of the machine holds, by proof."""
    legs = [leg.replace(limits=leg.limits.replace(speed=2e-3)) for leg in bench.platform.legs]
    slow = bench.platform.replace(legs=legs)
    fast = MoveLimits(0.02, 0.5, 50.0, 0.1, 2.0, 50.0)
    bench.controller = HexapodController(slow, limits=fast, clock=lambda: bench.now)
    _, duration, share = bench.ok("MOVEBY 0 0 4e-3 0 0 0").split()
    assert float(share) < 1.0
    way = bench.controller._way
    assert way is not None
    assert way.duration == pytest.approx(float(duration), rel=1e-5)
    assert proved_limits(slow, way).ok is True
    times = np.linspace(0.0, way.duration, 400)
    rates = gough.inverse_kinematics(slow, way(times)).rate
    assert np.abs(rates).max() <= 2e-3
    assert np.abs(rates).max() > 0.2e-3


def test_a_place_it_cannot_reach_is_refused_with_the_reason(bench: Bench) -> None:
    word, reason = bench.ok("CAN 0 0 0.3 0 0 0").split(" ", 1)
    assert word == "NO"
    assert "maximum" in reason
    assert bench.error("MOVE 0 0 0.3 0 0 0") == "UNREACHABLE"
    assert bench.ok("STATUS").startswith("IDLE 0 ")
    home = bench.six()
    word, reason = bench.ok(
        "CAN " + " ".join(map(str, home + np.array([0, 0, 1e-3, 0, 0, 0])))
    ).split(" ", 1)
    assert (word, "proved" in reason) == ("YES", True)


def test_a_way_that_is_not_proved_is_refused() -> None:
    """Legs with offset joints give no bounds: nothing is proved, so nothing is moved."""
    bench = Bench()
    legs = [leg.replace(base_offset=gough.JointOffset(e=1e-3)) for leg in bench.platform.legs]
    machine = bench.platform.replace(legs=legs)
    bench.controller = HexapodController(machine, clock=lambda: bench.now)
    assert bench.ok("CAN 0 0 0.216 0 0 0").startswith("UNPROVED ")
    assert bench.error("MOVEBY 0 0 1e-4 0 0 0") == "UNPROVED"


@pytest.mark.parametrize("part", [1e-6, 0.05, 0.2, 0.4, 0.5, 0.6, 0.8, 0.95, 0.999])
def test_a_stop_slows_down_within_the_limits(bench: Bench, part: float) -> None:
    """Anywhere in a move: nothing jumps but the jerk, the limits hold, and it rests on the way."""
    limits, start = bench.controller.limits, bench.six()
    bench.ok("MOVEBY 4e-3 0 6e-3 0 0 0.03")
    old = bench.controller._way
    assert old is not None
    duration = old.duration
    bench.now += part * duration
    before = old(part * duration)
    state, left, proved = bench.ok("STOP").split()
    assert (state, proved) == ("STOPPING", "PROVED")
    way = bench.controller._way
    assert way is not None
    begun = 0.0 if way is not old else part * duration
    now = way(begun)
    for name in ("position", "velocity", "angular_velocity"):
        np.testing.assert_allclose(getattr(now, name), getattr(before, name), atol=1e-12)
    np.testing.assert_allclose(now.acceleration, before.acceleration, atol=1e-9)
    assert float(left) <= (1.0 - part) * duration * (1 + 1e-5) + 1e-9  # as printed
    times = np.linspace(begun, way.duration, 500)
    motion = way(times)
    speed = np.linalg.norm(motion.velocity, axis=1)
    assert speed.max() <= limits.speed * (1 + 1e-9)
    assert np.linalg.norm(motion.acceleration, axis=1).max() <= limits.acceleration * (1 + 1e-9)
    assert np.linalg.norm(motion.angular_velocity, axis=1).max() <= limits.rate * (1 + 1e-9)
    assert speed[-1] < 1e-12
    jerk = np.diff(motion.acceleration, axis=0) / np.diff(times)[:, None]
    assert np.linalg.norm(jerk, axis=1).max() <= limits.jerk * (1 + 1e-6)
    bench.now += float(left) + 1e-3
    assert bench.ok("STATUS").startswith("IDLE 1 0")
    done = bench.six() - start
    assert -1e-12 <= done[0] <= 4e-3 + 1e-12
    np.testing.assert_allclose(done[2], 1.5 * done[0], atol=1e-9)
    assert bench.ok("MOVEBY 0 0 1e-3 0 0 0")


def test_stops_of_nothing_and_of_a_move_not_begun(bench: Bench) -> None:
    assert bench.ok("STOP") == "IDLE 0"
    bench.ok("MOVEBY 0 0 1e-3 0 0 0")
    at = bench.six()
    assert bench.ok("STOP") == "IDLE 0"
    bench.now += 10.0
    assert np.array_equal(bench.six(), at)


def test_one_owner_of_the_motion(bench: Bench) -> None:
    bench.ok("CLAIM")
    for line in ("MOVEBY 0 0 1e-3 0 0 0", "HOME", "LIMIT SPEED 0.01", "UNITS MM DEG", "RELEASE"):
        assert bench.error(line, YOU) == "OWNED"
    assert bench.ok("STATUS", YOU).endswith("OWNED")
    for line in ("POS", "LIMIT", "UNITS", "PIVOT", "WORK", "CAN 0 0 0.22 0 0 0"):
        bench.ok(line, YOU)
    bench.ok("MOVEBY 0 0 2e-3 0 0 0")
    bench.now += 0.05
    assert bench.ok("STOP", YOU).startswith("STOPPING")
    bench.now += 10.0
    bench.ok("RELEASE")
    bench.ok("MOVEBY 0 0 2e-3 0 0 0", YOU)
    bench.now += 0.05
    bench.controller.leave(ME)
    assert bench.ok("STATUS").split()[0] == "MOVING"
    bench.controller.leave(YOU)
    assert bench.ok("STATUS").split()[0] == "STOPPING"
    assert bench.ok("STATUS").endswith("FREE")


def test_units_frames_and_pivot(bench: Bench) -> None:
    home = bench.platform.require_home()
    assert bench.ok("units mm deg") == "MM DEG"
    np.testing.assert_allclose(bench.six()[:3], 1e3 * home.position, atol=1e-6)
    bench.ok("TOOL 0 0 10 0 0 0")
    np.testing.assert_allclose(bench.six("TOOL"), [0, 0, 10, 0, 0, 0], atol=1e-9)
    np.testing.assert_allclose(bench.six()[2], 1e3 * home.position[2] + 10.0, atol=1e-6)
    bench.ok("WORK 0 0 100 0 0 90")
    bench.ok("PIVOT 0 0 50")
    assert bench.ok("PIVOT") == "0 0 50"
    frames = gough.Frames(
        gough.Pose.from_rpy([0, 0, 0.1], [0, 0, np.pi / 2]),
        gough.Pose([0, 0, 0.01]),
        [0, 0, 0.05],
    )
    at = bench.six()
    pivot = frames.turning_point(home)
    duration = float(bench.ok("MOVEBY 0 0 0 1 0.5 0").split()[1])
    bench.now += duration + 1.0
    np.testing.assert_allclose(bench.six(), at + np.array([0, 0, 0, 1, 0.5, 0]), atol=1e-6)
    end = bench.controller.motion().pose
    np.testing.assert_allclose(frames.turning_point(end), pivot, atol=1e-9)
    assert np.linalg.norm(rotation_log(end.rotation)) > 0.01
    assert bench.ok("PIVOT NONE") == "NONE"


def test_limits_are_asked_set_and_kept(bench: Bench) -> None:
    bench.ok("UNITS MM DEG")
    told = bench.ok("LIMIT SPEED 2").split()
    assert told[:2] == ["SPEED", "2"]
    assert bench.controller.limits.speed == pytest.approx(2e-3)
    assert bench.error("MOVEBY 0 0 1 0 0 0 SPEED 3") == "LIMITS"
    slow = float(bench.ok("MOVEBY 0 0 1 0 0 0 SPEED 0.5").split()[1])
    assert slow >= 2.0
    bench.now += 100.0
    assert float(bench.ok("MOVEBY 0 0 -1 0 0 0").split()[1]) < slow
    bench.now += 100.0
    assert bench.ok("MOVEBY 0 0 0 0 0 0").split()[1] == "0"
    assert bench.error("LIMIT SPEED 0") == "ARGUMENT"
    assert bench.error("LIMIT SPEED -1") == "ARGUMENT"
    assert bench.error("LIMIT COLOR 1") == "ARGUMENT"


BAD = {
    "": "UNKNOWN",
    "   ": "UNKNOWN",
    "JUMP": "UNKNOWN",
    "MOVE": "ARGUMENT",
    "MOVE 1 2 3": "ARGUMENT",
    "MOVE 1 2 3 4 5 x": "ARGUMENT",
    "MOVE nan 0 0 0 0 0": "ARGUMENT",
    "MOVE inf 0 0 0 0 0": "ARGUMENT",
    "MOVE 1e300 0 0 0 0 0": "ARGUMENT",
    f"CAN {10 * LARGEST} 0 0 0 0 0": "ARGUMENT",
    "MOVE 0 0 0.22 0 0 0 SPEED": "ARGUMENT",
    "MOVE 0 0 0.22 0 0 0 SPEED 1 SPEED 1": "ARGUMENT",
    "MOVE 0 0 0.22 0 0 0 SPEED -1": "ARGUMENT",
    "MOVE 0 0 0.22 0 0 0 HASTE 1": "ARGUMENT",
    "POS 1": "ARGUMENT",
    "UNITS FEET DEG": "ARGUMENT",
    "PIVOT 1 2": "ARGUMENT",
    "POS\x00": "ARGUMENT",
    "P\xe4S": "ARGUMENT",
    "X" * (LONGEST + 1): "TOO-LONG",
}


@pytest.mark.parametrize(("line", "word"), BAD.items(), ids=[repr(b)[:30] for b in BAD])
def test_bad_lines_are_answered_and_change_nothing(bench: Bench, line: str, word: str) -> None:
    before = bench.ok("POS"), bench.ok("UNITS"), bench.ok("LIMIT"), bench.ok("WORK")
    assert bench.error(line) == word
    assert (bench.ok("POS"), bench.ok("UNITS"), bench.ok("LIMIT"), bench.ok("WORK")) == before


def test_random_lines_never_break_it(bench: Bench) -> None:
    rng = np.random.default_rng(2)
    words = [
        *VERBS,
        "MM",
        "DEG",
        "NONE",
        "SPEED",
        "-1",
        "0",
        "0.22",
        "1e9",
        "nan",
        "\t",
        "\u20ac",
        "x",
    ]
    words = [w for w in words if w not in ("MOVE", "MOVEBY", "CAN", "HOME")]
    for _ in range(400):
        line = " ".join(rng.choice(words, rng.integers(0, 8)))
        assert len(bench.say(line)) < SENTENCE + 100


def test_a_machine_without_a_home_or_a_wrong_scale_is_refused(bench: Bench) -> None:
    with pytest.raises(gough.GoughError):
        HexapodController(bench.platform.replace(home=None))
    with pytest.raises(gough.InputError, match="scale"):
        HexapodController(bench.platform, scale=0.0)
    with pytest.raises(gough.InputError, match="platform"):
        HexapodController("positioner-300")  # type: ignore[arg-type]


def test_time_can_be_scaled(bench: Bench) -> None:
    fast = Bench(scale=10.0)
    for made in (bench, fast):
        made.ok("MOVEBY 0 0 2e-3 0 0 0")
        made.now += 0.02
    assert fast.six()[2] > bench.six()[2]
