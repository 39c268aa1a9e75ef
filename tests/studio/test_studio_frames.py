"""Timelines as binary frames: every number as computed, nothing lost but what is only drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.analysis.timeline import flat, timeline
from gough.studio import messages as m
from gough.studio import wire
from gough.studio.motions import make_motion
from gough.studio.session import Session
from gough.studio.workfolder import WorkFolder
from support.binary_frames import unpack


def leaves(data: Any, where: str = "") -> dict[str, Any]:
    """Arrays of nested tables by their path."""
    if not isinstance(data, dict):
        return {where: data}
    return {k: v for key, item in data.items() for k, v in leaves(item, f"{where}/{key}").items()}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, Any]]:
    """A frame as sent, and the same timeline by the library."""
    folder = WorkFolder(tmp_path_factory.mktemp("work"))
    session = Session(folder)
    session.handle(m.OpenMachine(1, "start"))
    request = m.MakeMotion(2, "demo", samples=101, formulations=("exact", "kane"))
    frame = wire.encode(session.handle(request))
    assert isinstance(frame, bytes)
    motion, _, path = make_motion(session.platform, request, folder)
    data, _, _, _ = timeline(session.platform, motion, np.zeros(6), request.formulations, path)
    return frame, data


def test_every_number_arrives_to_the_last_bit(both: tuple[bytes, dict[str, Any]]) -> None:
    frame, data = both
    sent, wanted = leaves(unpack(frame)["data"]), leaves(data)
    assert sent.keys() == wanted.keys()
    for name, array in wanted.items():
        if name == "/spherical_vector":  # arrows: single precision
            assert sent[name].dtype == np.float32
            np.testing.assert_allclose(sent[name], np.ravel(array), rtol=6e-8)
        else:
            assert sent[name].dtype == (np.int32 if name in ("/broken", "/near") else np.float64)
            np.testing.assert_array_equal(sent[name], np.ravel(array))


def test_a_frame_is_less_than_half_of_the_text(both: tuple[bytes, dict[str, Any]]) -> None:
    frame, data = both
    header = {k: v for k, v in unpack(frame).items() if k != "data"}
    text = json.dumps(header | {"data": flat(data)}, separators=(",", ":"))
    assert len(frame) < 0.5 * len(text)


def test_numbers_that_do_not_exist_are_nan_in_arrays_and_null_in_the_header() -> None:
    data = {"t": np.array([0.0, np.nan, np.inf]), "m": np.array([[1, 2], [3, 4]])}
    parts = (1, "k", "l", data, {"worst": float("nan")}, (), ())
    answer = unpack(wire.encode(m.Timeline(7, *parts)))
    assert answer["id"] == 7
    assert answer["type"] == "Timeline"
    assert answer["summary"] == {"worst": None}
    np.testing.assert_array_equal(answer["data"]["t"], [0.0, np.nan, np.inf])
    np.testing.assert_array_equal(answer["data"]["m"], [1, 2, 3, 4])
    assert answer["data"]["m"].dtype == np.int32


def test_answers_without_arrays_are_text(tmp_path: Path) -> None:
    session = Session(WorkFolder(tmp_path))
    assert isinstance(wire.encode(session.handle(m.OpenMachine(1, "start"))), str)
    home = gough.load("motion-base-1500").require_home().position
    pose = m.PoseInput(tuple(home.tolist()))
    assert isinstance(wire.encode(session.handle(m.SolvePose(2, pose))), str)
