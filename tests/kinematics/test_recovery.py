"""After a loss: the set of possible branches holds the truth, sensors and limits prune it, and one left is right."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gough
from gough.kinematics import mode_boxes
from gough.kinematics.forward import actuator_coordinates, track
from gough.spatial import Pose
from kinematics.test_certificate import through_a_singularity
from support.forward_machines import HOME, KINDS, machine, poses


def tilt(path: Pose, width: float) -> Callable[[int, Pose], np.ndarray]:
    """An inclinometer: poses whose vertical is within `width` (rad) of the true one."""

    def accept(n: int, candidates: Pose) -> np.ndarray:
        seen = np.swapaxes(candidates.rotation, -1, -2) @ [0.0, 0.0, 1.0]
        return np.linalg.norm(seen - path.rotation[n].T @ [0.0, 0.0, 1.0], axis=-1) < width

    return accept


def near(a: Pose, b: Pose) -> np.ndarray:
    return (np.abs(a.rotation - b.rotation).max(axis=(-1, -2)) < 1e-4) & (
        np.abs(a.position - b.position).max(axis=-1) < 1e-4
    )


def short_way() -> Pose:
    """A centimeter's motion, away from home."""
    there = poses(1, shift=0.05, turn=0.25, seed=12)[0]
    t = np.linspace(0, 0.01, 12)[:, None]
    return Pose(there.position + t, np.broadcast_to(there.rotation, (12, 3, 3)))


def recovered(n: int, seed: int, noise: float = 0.0, width: float = 0.02) -> dict[str, int]:
    """Paths along null twists, with gaps: what the sets hold and what is certified again."""
    platform, rng = machine("UPS"), np.random.default_rng(seed)
    told = dict.fromkeys(("wrong", "missing", "again", "sets", "larger"), 0)
    for k in range(n):
        path = through_a_singularity(rng, 31)
        length = actuator_coordinates(platform, path)
        length += noise * rng.uniform(-1, 1, length.shape)
        if k % 2:
            length[rng.choice(np.arange(1, len(length)), 3, replace=False)] = np.nan
        run = track(
            platform,
            length,
            path[0],
            recover=True,
            accept=tilt(path, width),
            margin=max(noise, 1e-9),
        )
        told["wrong"] += int((run.certified & ~near(run.pose, path)).sum())
        told["again"] += int((run.certified & ~run.connected).any())
        for m, branch in enumerate(run.branches):
            if branch is not None:
                told["sets"] += 1
                told["larger"] += len(branch) > 1
                told["missing"] += not near(branch, path[m]).any()
                assert run.certified[m] == (len(branch) == 1)
        assert not (run.connected & ~run.certified).any()
    return told


def test_the_truth_is_in_every_set_and_what_is_left_is_right() -> None:
    told = recovered(24, seed=1)
    assert told["wrong"] == told["missing"] == 0
    assert told["again"] > 8
    assert told["larger"] > 50


def test_noise_within_the_margin_is_covered() -> None:
    told = recovered(24, seed=2, noise=1e-8)
    assert told["wrong"] == told["missing"] == 0
    assert told["again"] > 4


def test_a_set_that_misses_a_mode_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted error: a list of modes that is called complete and is not."""
    honest = mode_boxes.modes_within

    def careless(*args: Any, **named: Any) -> mode_boxes.ModesWithin:
        found = honest(*args, **named)
        return replace(found, always=found.always[1:])

    monkeypatch.setattr(mode_boxes, "modes_within", careless)
    told = recovered(12, seed=1)
    assert told["wrong"] + told["missing"] > 0


def test_without_sensors_the_set_stays_and_limits_prune_it() -> None:
    """Nothing is certified again without evidence; a platform that cannot hang below its base has fewer branches."""
    platform, path = machine("UPS"), short_way()
    length = actuator_coordinates(platform, path)
    bare = track(platform, length, HOME, recover=True)
    above = track(platform, length, HOME, recover=True, filters="above")
    assert not bare.certified.any()
    for m, (every, fewer) in enumerate(zip(bare.branches, above.branches, strict=True)):
        assert every is not None
        assert fewer is not None
        assert len(every) == 8
        assert 1 < len(fewer) < len(every)
        assert near(fewer, path[m]).any()
    plain = track(platform, length, HOME)
    assert plain.branches == ()
    np.testing.assert_array_equal(plain.connected, bare.connected)


def test_contradicting_evidence_is_no_evidence() -> None:
    """Sensors that exclude every branch: nothing is known, and nothing is certified."""
    platform = machine("UPS")
    path = through_a_singularity(np.random.default_rng(5), 31)
    length = actuator_coordinates(platform, path)
    run = track(platform, length, path[0], recover=True, accept=lambda n, p: np.zeros(len(p), bool))
    lost = ~run.connected
    assert lost.any()
    assert not run.certified[lost].any()
    assert all(run.branches[m] is None for m in np.flatnonzero(lost))
    with pytest.raises(gough.InputError, match="accept"):
        track(platform, length, path[0], recover=True, accept=lambda n, p: 1.0)
    with pytest.raises(gough.InputError, match="filters"):
        track(platform, length, path[0], recover=True, filters="scenic")


@pytest.mark.parametrize("kind", KINDS)
def test_a_start_that_was_wrong_is_recovered(kind: str) -> None:
    """Far from the first sample nothing is certified; the set of all modes and an inclinometer find the pose."""
    platform, path = machine(kind), short_way()
    run = track(
        platform,
        actuator_coordinates(platform, path),
        HOME,
        recover=True,
        accept=tilt(path, 1e-3),
    )
    assert not run.connected.any()
    assert run.certified.all()
    assert near(run.pose, path).all()


def test_a_gap_is_taken_by_the_public_verb() -> None:
    """`gough.track` takes samples without numbers, and refuses what is no sample at all."""
    platform = machine("UPS")
    length = np.tile(actuator_coordinates(platform, HOME), (4, 1))
    length[1, 3] = np.nan
    run = gough.track(platform, length)
    assert run.status[1] == gough.status.NO_SAMPLE
    assert run.certified[[0, 2, 3]].all()
    for bad in ("text", np.ones((3, 5)), 1j * length, length > 0):
        with pytest.raises(gough.InputError, match="lengths"):
            gough.track(platform, bad)


@pytest.mark.slow
def test_the_campaign_keeps_its_words() -> None:
    """`python -m campaigns.track_campaign --count 10000` is the same at full size; GOUGH_PATHS sets the count."""
    from campaigns.track_campaign import broken, campaign, share

    told = campaign(int(os.environ.get("GOUGH_PATHS", "150")), seed=3)
    assert broken(told) == 0
    assert share(told) >= 0.99
    assert told["null twist"]["flipped"] > told["null twist"]["paths"] // 2  # the danger was real


@pytest.mark.slow
def test_the_campaign_sees_a_broken_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted error: what is proved for straight leg motions only is called certified."""
    from campaigns.track_campaign import broken, campaign
    from gough.kinematics.forward_results import Track

    monkeypatch.setattr(Track, "certified", Track.straight)
    assert broken(campaign(60, seed=3)) > 0
