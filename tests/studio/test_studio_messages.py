"""Messages: what is read, what is refused and why, and that the page's file is not stale."""

from __future__ import annotations

import json
import math
import random

import pytest

from gough.studio import generate, messages, wire


def text(**fields: object) -> str:
    return json.dumps(fields)


def test_generated_file_of_the_page_is_up_to_date() -> None:
    assert generate.TARGET.read_text(encoding="utf-8") == generate.source(), (
        "run: python -m gough.studio.generate"
    )


def test_a_pose_is_read_with_its_defaults() -> None:
    m = wire.decode(text(type="SolvePose", id=7, pose={"position": [0, 0, 1]}))
    assert isinstance(m, messages.SolvePose)
    assert (m.id, m.pose.position, m.pose.convention, m.external) == (
        7,
        (0.0, 0.0, 1.0),
        "rpy",
        (0.0,) * 6,
    )


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[]", "JSON object"),
        ("null", "JSON object"),
        ('"SolvePose"', "JSON object"),
        ("{}", "`type`"),
        (text(type="Eval", id=1), "`type`"),
        (text(type=["SolvePose"], id=1), "`type`"),
        (text(type="Hello"), "needs 'id'"),
        (text(type="Hello", id="1"), "whole number"),
        (text(type="Hello", id=True), "whole number"),
        (text(type="Hello", id=1.5), "whole number"),
        (text(type="Hello", id=2**60), "whole number"),
        (text(type="Hello", id=1, extra=2), "no field 'extra'"),
        (text(type="SolvePose", id=1), "needs 'pose'"),
        (text(type="SolvePose", id=1, pose=[0, 0, 1]), "must be an object"),
        (text(type="SolvePose", id=1, pose={"position": [0, 0]}), "3 numbers"),
        (text(type="SolvePose", id=1, pose={"position": [0, 0, "1"]}), "must be a number"),
        (text(type="SolvePose", id=1, pose={"position": [0, 0, None]}), "must be a number"),
        ('{"type":"SolvePose","id":1,"pose":{"position":[0,0,NaN]}}', "NaN"),
        ('{"type":"SolvePose","id":1,"pose":{"position":[0,0,Infinity]}}', "Infinity"),
        ('{"type":"SolvePose","id":1,"pose":{"position":[0,0,1e999]}}', "finite"),
        ('{"type":"SolvePose","id":1,"pose":{"position":[0,0,1' + "0" * 400 + "]}}", "too large"),
        (text(type="SolvePose", id=1, pose={"position": [0, 0, 1], "pivot": {}}), "list"),
        (text(type="MakeMotion", id=1, kind=3), "must be text"),
        (text(type="SaveMachine", id=1, name="a", overwrite="yes"), "true or false"),
        (text(type="MakeMotion", id=1, kind="waypoints", waypoints=[[0.0] * 6] * 5000), "at most"),
        ("[" * 100_000, "nested|JSON"),
        (
            '{"type":"SetMachine","id":1,"document":' + '{"a":' * 500 + "1" + "}" * 500 + "}",
            "nested",
        ),
        (" " * (wire.LARGEST + 1), "characters"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_a_reason(message: str, why: str) -> None:
    with pytest.raises(wire.MessageError, match=why):
        wire.decode(message)


def test_bytes_that_are_not_text_are_refused() -> None:
    with pytest.raises(wire.MessageError):
        wire.decode(b"\xff\xfe\x00")


def test_the_id_of_a_broken_message_is_found_where_there_is_one() -> None:
    assert wire.request_id(text(type="Eval", id=12)) == 12
    for broken in (
        "",
        "[1]",
        '{"id": "x"}',
        '{"id": true}',
        '{"id": 1e400}',
        "[" * 100_000,
        "\x00",
    ):
        assert wire.request_id(broken) == 0


def test_answers_never_carry_nan() -> None:
    answer = messages.SliceShown(
        1, 1, "xy", math.nan, (1.0, math.inf), (0.0,), (0,), ("inside",), 0.0, ""
    )
    data = json.loads(wire.encode(answer), parse_constant=lambda name: pytest.fail(name))
    assert data["level"] is None
    assert data["u"] == [1.0, None]


def test_numbers_survive_the_journey_to_the_last_bit() -> None:
    rng = random.Random(4)
    values = tuple(rng.uniform(-1, 1) * 10 ** rng.randint(-300, 300) for _ in range(300))
    sent = wire.encode(messages.SliceShown(1, 1, "xy", 0.0, values, (), (), (), 0.0, ""))
    assert tuple(json.loads(sent)["u"]) == values


def test_random_mutations_are_read_or_refused_but_never_crash() -> None:
    rng = random.Random(11)
    seed = text(
        type="SolvePose",
        id=3,
        pose={"position": [0.1, 0.2, 1.0], "convention": "rpy", "angles": [0, 0, 0]},
        payload={"mass": 2.0},
        formulation="kane",
    )
    refused = 0
    for _ in range(3000):
        letters = list(seed)
        for _ in range(rng.randint(1, 6)):
            letters[rng.randrange(len(letters))] = chr(
                rng.choice([rng.randint(32, 126), rng.randint(0, 0x10FF)])
            )
        try:
            wire.decode("".join(letters))
        except wire.MessageError:
            refused += 1
    assert refused > 1000
