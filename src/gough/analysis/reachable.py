"""Can the platform go there?  The pose itself, the straight way from home, and the side of the singularities.

True   the pose keeps every limit, and on the straight way there from the start (position along a line, turned about
       one axis at an even rate) every limit holds and no pose is singular: proved (analysis/rays.py)
False  the pose breaks a limit or is out of reach; or its determinant has the other sign than the start's, both
       proved: every motion between them passes a pose in which the machine is singular (det = 0), or a leg (a
       slider's or crank's dead point, where it could change its branch; a strut without length)
None   neither is proved; the sentences say what was found
A limit that is met to `gough.limits.ROUNDING` of its range is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough import reasons
from gough.analysis.rays import RayProof, first_stops, no_proof
from gough.analysis.ways import RayEnd, straight, together
from gough.checks import Array, InfeasibleError
from gough.frozen import hinted
from gough.kinematics.encoders import readings
from gough.limits import ROUNDING, check
from gough.links import POSE, refuse_off_links
from gough.model import Platform
from gough.results import Result
from gough.spatial import Pose
from gough.struts import struts

BEYOND = (
    "beyond a singularity: the determinant has the other sign here than at the start (proved at both), so every motion "
    "between them passes a pose in which the machine or a leg is singular"
)
NO_START = (
    "the machine has no home pose to come from: whether this pose can be moved to is not judged"
)
PROVED = "the straight way from the start is inside all limits and free of singular poses, proved"

PARTLY = (
    "the straight way from the start is inside all limits that could be checked and free of singular poses, proved; "
    "others could not be checked"
)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class Reachability(Result):
    """Whether a pose can be taken, and moved to from the start.

    reachable   True: proved; False: it cannot; None: not proved (see the module)
    within      the pose itself is reached by every leg and keeps every limit
    pose, start  in the world; start None: the machine has no home
    coordinate  (6,) actuator coordinates, m (rad); NaN: out of reach
    reading     (6,) what the encoders show
    margin      (6,) smallest margin of each leg over its geometric limits (gough/limits.py); NaN: not limited
    way         how far the straight way from the start goes, 1 its end; None: not asked (no start, or not within)
    sentences   what was found, the deciding one first
    """

    reachable: bool | None
    within: bool
    pose: Pose
    start: Pose | None
    coordinate: Array
    reading: Array
    margin: Array
    way: RayEnd | None
    sentences: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.reachable is True


def reach(platform: Platform, pose: Pose, *, start: Pose | None = None) -> Reachability:
    """Can the platform go to `pose`, from `start` (default: the machine's home)?

    Strokes, cones, leg-leg distances, fixed links, reach and singularities are judged, not speeds and efforts.

    >>> platform = gough.load("positioner-300")
    >>> answer = gough.reach(platform, gough.Pose([0, 0, 0.3]))
    >>> answer.reachable
    False
    >>> print(answer.sentences[0])
    L1: length 313.91 mm is beyond its maximum 254.00 mm by 59.91 mm
    """
    begin = platform.home if start is None else start
    g = struts(platform, pose)
    why, margin = refused(platform, pose)
    facts = g.coordinate, readings(platform, g.coordinate), margin
    if why:
        return Reachability(False, False, pose, begin, *facts, None, why)
    if begin is None:
        return Reachability(None, True, pose, None, *facts, None, (NO_START,))
    first, _ = refused(platform, begin)
    if first:
        said = f"the start itself is refused: {first[0]}"
        return Reachability(None, True, pose, begin, *facts, None, (said, *first[1:]))
    (way,) = first_stops(platform, straight(begin, pose))
    judged, said = _judged(platform, begin, pose, way)
    unchecked = check(platform, pose).unchecked
    if judged and unchecked:
        judged, said = None, (PARTLY,)
    return Reachability(judged, True, pose, begin, *facts, way, (*said, *unchecked))


def refused(platform: Platform, pose: Pose) -> tuple[tuple[str, ...], Array]:
    """Why the pose itself cannot be taken, and the margins of its legs."""
    try:
        refuse_off_links(platform, pose, POSE)
    except InfeasibleError as error:
        return (error.allowed,), np.full(6, np.nan)
    found = check(platform, pose)
    said = list(found.sentences()) if found.worst < -ROUNDING else []
    if not said:
        g = found.geometry
        codes = reasons.problems(platform, g)
        said = [
            f"{platform.leg_names[i]}: {reasons.sentence(platform, int(codes[i]), i, g.end[i])}"
            for i in np.nonzero(codes != reasons.FINE)[0].tolist()
        ]
    return tuple(said), found.leg_margin


def _judged(
    platform: Platform, start: Pose, pose: Pose, way: RayEnd
) -> tuple[bool | None, tuple[str, ...]]:
    if way.whole:
        return (True, (PROVED,)) if way.proved is None else (None, (_whole(way),))
    if way.proved is None and apart(platform, start, pose):
        return False, (BEYOND, *stopped(way))
    return None, (*stopped(way), "another way is not ruled out")


def _whole(way: RayEnd) -> str:
    return f"nothing stops the straight way from the start; not proved: {way.proved}"


def stopped(way: RayEnd) -> tuple[str, ...]:
    word = "stops" if np.isfinite(way.beyond) else "is not proved"
    head = f"the straight way from the start {word} at {100 * way.free:.4g} % of it"
    said = [head, *together(way.stops)]
    said += [way.proved] if way.proved else []
    return tuple(said)


def apart(platform: Platform, start: Pose, pose: Pose) -> bool:
    """The determinants at both poses have proved signs, and these differ."""
    if no_proof(platform):
        return False
    proof, zero = RayProof(platform), np.zeros(1)
    with np.errstate(all="ignore"):
        a, b = (float(proof.over(straight(p, p), zero, zero)[1][0]) for p in (start, pose))
    return a * b < 0.0
