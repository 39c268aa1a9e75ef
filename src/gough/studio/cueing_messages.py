"""What the page asks of motion cueing; `REQUESTS` and `ANSWERS` here are those of all files of messages."""

from __future__ import annotations

from typing import Annotated

from gough.studio.messages import Answer, CueInput, Numbers, Request, Shape
from gough.studio.view_messages import ANSWERS as FIRST_ANSWERS
from gough.studio.view_messages import REQUESTS as FIRST_REQUESTS


class OfferCues(Request):
    """What can be cued: telemetry files of the work folder, methods with their parameters."""


class CuesOffered(Answer):
    """Answer to OfferCues; `example`: what the made-up drive is, in words."""

    example: str
    files: tuple[str, ...]
    methods: tuple[Annotated[Shape, "CueMethodOffered"], ...]


class MakeCue(Request):
    """The machine's motion for a vehicle's telemetry, judged and scored."""

    cue: CueInput


class CueMade(Answer):
    """Answer to MakeCue.

    cue        what gives this very motion again: the scale that was found, the telemetry's fingerprint
    scale      of the cue, and in words how it was chosen;  factors: of the vehicle's six axes (gough.cueing.Cue)
    word       proved at every instant, not proved, broken, or no limits given;  verdict: what that rests on
    used       per kind of limit the largest share of each leg, at `looked` even times, or in a word why there is none
    missed     (6,) root mean square of the sensed error, m/s^2 and rad/s;  noticed, false_cue: shares of the time
    threshold  (6,) below which nothing is sensed, m/s^2 and rad/s
    """

    machine: int
    label: str
    cue: CueInput
    duration: float
    scale: float
    scale_text: str
    factors: Numbers
    word: str
    verdict: str
    used: tuple[Annotated[Shape, "UsedLimit"], ...]
    looked: int
    missed: Numbers
    noticed: Numbers
    false_cue: Numbers
    threshold: Numbers
    notes: tuple[str, ...]
    data: Annotated[Shape, "CueData"]


REQUESTS = (*FIRST_REQUESTS, OfferCues, MakeCue)
ANSWERS = (*FIRST_ANSWERS, CuesOffered, CueMade)
