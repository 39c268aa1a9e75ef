"""Every public verb refuses what it does not take, in one sentence of ours; nothing foreign, nothing silent."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import gough
from border import calls, suspects
from border.values import Evil, machines
from gough import border

HOME = gough.Pose([0.0, 0.0, 0.6])
SMALL = int(os.environ.get("GOUGH_HOSTILE_CALLS", "1500"))


@pytest.fixture(scope="module")
def platform() -> gough.Platform:
    return machines()[0]


BAD = {
    "complex": np.ones(6) + 1j,
    "masked": np.ma.masked_equal(np.arange(6.0), 3.0),
    "dates": np.arange(6).astype("datetime64[s]"),
    "spans": np.arange(6).astype("timedelta64[s]"),
    "text": ["1", "2", "3", "4", "5", "6"],
    "text in objects": np.array(["1"] * 6, dtype=object),
    "truth": [True] * 6,
    "none": [None] * 6,
    "NaN": np.full(6, np.nan),
    "infinity": np.full(6, np.inf),
    "overflow": np.full(6, 1e200),
    "too few": np.ones(5),
    "empty": np.ones((0, 6)),
    "ragged": [[1.0], [1.0, 2.0]],
    "evil": Evil(),
    "huge integer": [10**400] * 6,
}


@pytest.mark.parametrize("what", BAD)
def test_numbers_that_are_none_are_refused_with_the_field(
    what: str, platform: gough.Platform
) -> None:
    with pytest.raises(gough.InputError, match=r"^force: got .*; must"):
        gough.forward_dynamics(platform, HOME, BAD[what])
    with pytest.raises(gough.InputError, match=r"^length: "):
        gough.forward_kinematics(platform, BAD[what])
    with pytest.raises(gough.InputError, match=r"^position: "):
        gough.Pose(BAD[what][:3] if isinstance(BAD[what], list) else BAD[what])


def test_good_numbers_of_other_kinds_are_taken(platform: gough.Platform) -> None:
    wanted = gough.forward_dynamics(platform, HOME, np.ones(6)).acceleration
    for force in (
        [1] * 6,
        (1.0,) * 6,
        np.ones(6, dtype="f4"),
        np.ma.array(np.ones(6)),
        np.ones(6, dtype=int),
    ):
        assert np.array_equal(gough.forward_dynamics(platform, HOME, force).acceleration, wanted)


def test_nan_never_means_no_limit(platform: gough.Platform) -> None:
    nan = float("nan")
    for bad in (
        lambda: gough.analysis.check(platform, HOME, force=np.full(6, nan), rate=np.full(6, nan)),
        lambda: gough.inverse_dynamics(platform, HOME, max_condition=nan),
        lambda: gough.Limits(force=nan),
        lambda: gough.Limits(stroke=(nan, nan)),
        lambda: gough.Friction(prismatic=nan),
        lambda: gough.Drive(ratio=nan),
        lambda: gough.Drive(ratio=1.0, max_current=nan),
        lambda: gough.simulation.Events(condition=nan),
    ):
        with pytest.raises(gough.InputError):
            bad()
    assert gough.inverse_dynamics(platform, HOME, max_condition=float("inf")).force.shape == (6,)


def test_a_pose_is_no_motion_and_an_empty_batch_no_answer(platform: gough.Platform) -> None:
    with pytest.raises(gough.InputError, match=r"motion: .*must be a gough.Motion"):
        gough.jacobian_dot(platform, HOME)  # type: ignore[arg-type]
    empty = gough.Motion(np.zeros((0, 3)))
    for verb in (gough.inverse_dynamics, gough.inverse_kinematics, gough.energy, gough.jacobian):
        with pytest.raises(gough.InputError, match="at least one pose"):
            verb(platform, empty)  # type: ignore[operator]


def test_what_takes_one_state_refuses_a_batch(platform: gough.Platform) -> None:
    """Found by campaigns: each of these ended in a foreign error."""
    from gough.kinematics import assembly
    from gough.report import machine_figure, modes_figure

    home = platform.require_home()
    length = gough.inverse_kinematics(platform, home).length
    many = gough.Pose(np.tile(home.position, (2, 1)), home.rotation)
    modes = gough.assembly_modes(platform, length)
    told = {
        "length": lambda: assembly.explain(platform, np.tile(length, (2, 1))),
        "actuator": lambda: gough.pose_uncertainty(platform, length, actuator=np.ones((2, 6))),
        "guess": lambda: gough.pose_uncertainty(platform, length, many),
        "pose": lambda: machine_figure(platform, many),
        "labels": lambda: modes_figure(platform, modes, labels=[]),
        "source": lambda: gough.stream_into(platform, np.float64),
        "name": lambda: gough.kinematics.Distance([0, 0, 1], [0, 0, 1], 1.0, 1.0, Evil()),  # type: ignore[arg-type]
    }
    for field, call in told.items():
        with pytest.raises(gough.InputError, match=f"^{field}"):
            call()


def test_every_argument_with_numbers_has_a_quantity_or_a_class() -> None:
    """The contract covers the public surface: an argument is checked, or listed as the verb's own business."""
    unchecked = {
        f"{name}.{field}: {kind}"
        for _, name, verb in calls.verbs()
        if getattr(verb, "__guarded__", False)
        for field, kind in getattr(verb, "__wrapped__").__annotations__.items()  # noqa: B009
        if field != "return" and border.kind_of(str(kind)) is border._pass
    }
    assert {line.partition(": ")[2] for line in unchecked} <= {
        "object",
        "Any",
        "Input",
        "Force | None",
        "Lengths | None",
    }


def test_public_verbs_are_pickled_by_their_public_address() -> None:
    for verb in (gough.inverse_dynamics, gough.trajectory.line, gough.analysis.check):
        assert pickle.loads(pickle.dumps(verb)) is verb


def test_the_planted_verb_without_a_border_is_caught() -> None:
    """A verb that forgets its checks is what the campaign is for: it must see one."""

    def careless(platform: gough.Platform, length: Any) -> Any:
        return np.linalg.inv(np.reshape(length, (2, 3)) @ np.ones((3, 2))) + platform.body.mass

    import random

    found = {
        calls.hostile_call("gough", "careless", careless, ".", random.Random(seed))[0]
        for seed in range(40)
    }
    assert any("raises" in text for text in found)
    assert calls.outcome(lambda: np.nan) != ""
    assert calls.outcome(lambda: [np.full(3, np.inf)]) != ""


def test_small_campaign_of_hostile_calls() -> None:
    """`python -m border calls --count N --seed S` (in tests/) makes any number of them."""
    for machine in machines():  # kernels compile at first touch; no call after that may take long
        there = gough.Pose(machine.require_home().position[None], machine.require_home().rotation)
        length = gough.inverse_kinematics(machine, there).length
        for certify in (True, False):
            gough.forward_kinematics(machine, length, certify=certify)
        gough.track(machine, length, there[0])
    assert calls.campaign(SMALL, seed=20) == {}


@pytest.mark.parametrize(
    "share", [0.02, pytest.param(0.25, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_usual_suspects_in_every_argument(share: float) -> None:
    """``python -c "from border import suspects; print(suspects.campaign())"`` (in tests/) makes all of them."""
    assert suspects.campaign(share, seed=int(1000 * share)) == {}


FORK = """
import multiprocessing
import numpy as np
import gough

PLATFORM = gough.load("octahedral-33")

def forces(batch):
    home = PLATFORM.require_home()
    motion = gough.Motion(np.tile(home.position, (batch, 1)), home.rotation)
    return float(gough.inverse_dynamics(PLATFORM, motion).force.sum())

wanted = forces(20_000)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map_async(forces, [20_000] * 4).get(timeout=60) == [wanted] * 4
"""


def test_nothing_hangs_after_a_fork() -> None:
    """Threads do not survive a fork; a child that waited for its parent's hung in 10 of 10 runs."""
    environment = {**os.environ, "GOUGH_THREADS": "2"}
    subprocess.run([sys.executable, "-c", FORK], check=True, env=environment)
