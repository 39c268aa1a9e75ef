"""What the page asks about calibrations: unknowns of a machine, a calibration, a plan of poses, code for both.

Declared as in messages.py; SI units and radians.
"""

from __future__ import annotations

from typing import Annotated

from gough.studio.messages import Answer, Gaps, MessagePart, Numbers, Request, Shape


class TrialInput(MessagePart):
    """A synthetic trial: nothing is measured, errors are planted in the machine and readings computed from it.

    sensor   pose, point (of the platform's reference point) or tilt (two axes)
    poses    random, or planned (by plan_poses);   count   how many;   seed   of everything that is drawn
    sigma, turn_sigma   of the encoders, m, and of those of cranks, rad
    position_sigma, rotation_sigma   of the sensor, m and rad;   error   of the planted errors, m
    """

    sensor: str = "pose"
    poses: str = "random"
    count: int = 40
    seed: int = 1
    sigma: float = 5e-6
    turn_sigma: float = 2e-5
    position_sigma: float = 2e-5
    rotation_sigma: float = 2e-5
    error: float = 5e-4


class CalibrationInput(MessagePart):
    """What is measured and what is looked for.

    file    a readings file of the work folder; empty: the synthetic `trial`
    find    groups or names of unknowns, one at least; null: what the file says, else the usual ones
    """

    file: str = ""
    find: tuple[str, ...] | None = None
    trial: TrialInput = TrialInput()


class ListUnknowns(Request):
    """What a calibration of this machine can look for."""


class UnknownsListed(Answer):
    """Answer to ListUnknowns: groups of numbers, what each holds, and which are looked for unless others are named.

    size   characteristic length of the machine, m;   pushing, turning   whether a leg pushes, whether one is a crank
    """

    machine: int
    groups: tuple[str, ...]
    members: tuple[tuple[Annotated[Shape, "UnknownNumber"], ...], ...]
    usual: tuple[bool, ...]
    size: float
    pushing: bool
    turning: bool


class Calibrate(Request):
    """Find the machine's numbers from readings."""

    given: CalibrationInput


class Calibrated(Answer):
    """Answer to Calibrate.

    synthetic  nothing was measured;   source  the file, or the trial in words
    fingerprint  of the file and its table as they were read; empty: no file
    settled    False: the steps did not end, and no number is given
    likelihood of residuals this large (null: it has no meaning here)
    notes      what is to be said of the result;   warnings  what speaks against it
    unseen     combinations that no reading depends on
    numbers    one per unknown: nothing in `value` and `change` where it was not found
    residuals  per source, before (the machine as it was, poses fitted) and after
    before, after   root mean square of each pose's residuals over their deviations
    document   the calibrated machine, to take over; null where not settled
    """

    machine: int
    synthetic: bool
    source: str
    fingerprint: str
    poses: int
    seen: int
    settled: bool
    steps: int
    chi_square: float | None
    freedom: int
    likelihood: float | None
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    unseen: tuple[str, ...]
    numbers: tuple[Annotated[Shape, "CalibratedNumber"], ...]
    residuals: tuple[Annotated[Shape, "ResidualFigures"], ...]
    before: Gaps
    after: Gaps
    document: Annotated[Shape, "MachineDocument"] | None


class PlanPoses(Request):
    """Poses to measure at, with the sensors of a readings file or of a trial."""

    given: CalibrationInput
    count: int = 40
    seed: int = 0


class PosesPlanned(Answer):
    """Answer to PlanPoses.

    rows    x y z, quaternion;   table  x y z, roll pitch yaw, six coordinates;   heads  of its columns
    seen    how many combinations of the unknowns these poses show
    spread, by_chance   of the plan and of as many random poses, over changes of equal weight; null: infinite
    """

    machine: int
    fingerprint: str
    rows: tuple[Numbers, ...]
    heads: tuple[str, ...]
    table: tuple[Numbers, ...]
    unknowns: int
    seen: int
    spread: float | None
    by_chance: float | None
    notes: tuple[str, ...]


class ShowCalibration(Request):
    """Python and command line of a calibration, or of a plan: answered by a Code.

    fingerprint  of the file when it was read; refused where it has changed since: the code would give something else
    """

    given: CalibrationInput
    plan: bool = False
    count: int = 40
    seed: int = 0
    fingerprint: str = ""


PARTS = (TrialInput, CalibrationInput)
REQUESTS = (ListUnknowns, Calibrate, PlanPoses, ShowCalibration)
ANSWERS = (UnknownsListed, Calibrated, PosesPlanned)
