"""Motion cueing for the page: what is offered, the cue with its judgement, and the motion that goes on the timeline."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from math import radians
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import InputError
from gough.cueing.example import DURATION, example_drive
from gough.cueing.making import METHODS, Cue, CueMethod, cue, method_of
from gough.cueing.predictive import PredictiveCueing
from gough.cueing.recording import Telemetry, load_telemetry
from gough.cueing.verdicts import judged_kinds
from gough.cueing.vestibular import FORCE_THRESHOLD, RATE_THRESHOLD
from gough.model import Platform
from gough.struts import lengths_only
from gough.studio.cueing_messages import CueMade, CuesOffered, MakeCue, OfferCues
from gough.studio.messages import CueInput
from gough.studio.used_limits import used_limits
from gough.studio.workfolder import WorkFolder
from gough.trajectory.spline import PoseSpline

if TYPE_CHECKING:
    from gough.studio.session import Session

MOST_TELEMETRY = 30_001  # samples: five minutes at 100 Hz
LARGEST_FORCE, LARGEST_RATE = 1e4, 1e3  # m/s^2, rad/s
LONGEST_HORIZON, SHORTEST_PERIOD = 64, 0.005  # steps, s
EXAMPLE = f"Made up, not measured: {DURATION:g} s of speeding up, a change of lanes, a bump, slowing down."
ABOUT = {
    "classical": "Classical washout: high-pass filters give the onset, a slow tilt what lasts.",
    "adaptive": "Adaptive washout: gains fall when the travel costs more than the cue gives.",
    "predictive": "Predictive cueing: the best motion within the strokes, decided anew every period.",
}


@dataclass(frozen=True)
class CueKnob:
    """A parameter that the page offers: its field, what to call it, its unit on screen and that unit in SI."""

    name: str
    label: str
    unit: str = ""
    factor: float = 1.0


DEGREE = radians(1.0)
KNOBS: dict[str, tuple[CueKnob, ...]] = {
    "classical": (
        CueKnob("force_scale", "force scale"),
        CueKnob("rate_scale", "rate scale"),
        CueKnob("translation", "onset high-pass", "rad/s"),
        CueKnob("third", "return high-pass", "rad/s"),
        CueKnob("rotation", "turn high-pass", "rad/s"),
        CueKnob("tilt", "tilt low-pass", "rad/s"),
        CueKnob("tilt_rate", "tilt rate, most", "°/s", DEGREE),
    ),
    "adaptive": (
        CueKnob("scale", "own scale"),
        CueKnob("damping", "damping", "1/s"),
        CueKnob("spring", "spring", "1/s²"),
        CueKnob("leak", "leak of angles", "1/s"),
        CueKnob("adapt", "gains fall"),
        CueKnob("restore", "gains return", "1/s"),
        CueKnob("tilt_rate", "tilt rate, most", "°/s", DEGREE),
    ),
    "predictive": (
        CueKnob("scale", "own scale"),
        CueKnob("period", "period", "s"),
        CueKnob("horizon", "look ahead", "periods"),
        CueKnob("place", "pull to home"),
        CueKnob("acceleration", "acceleration, most", "m/s²"),
        CueKnob("angular", "turning, most", "°/s²", DEGREE),
        CueKnob("margin", "stroke kept free", "%", 0.01),
    ),
}


def offer_cues(session: Session, message: OfferCues) -> CuesOffered:
    """Telemetry and methods to choose from, with the defaults of the library."""
    files = (f["name"] for f in session.folder.files() if f["name"].lower().endswith(".csv"))
    methods = tuple({"name": name, "about": ABOUT[name], "knobs": _knobs(name)} for name in METHODS)
    return CuesOffered(message.id, EXAMPLE, tuple(files), methods)


def _knobs(method: str) -> list[dict[str, Any]]:
    plain = METHODS[method]()
    return [
        {**vars(knob), "default": np.ravel(getattr(plain, knob.name)).astype(float).tolist()}
        for knob in KNOBS[method]
    ]


def make_cue(session: Session, message: MakeCue) -> CueMade:
    """The cue of the library, every number of it, and its words."""
    asked = message.cue
    found, fingerprint = _cued(session.platform, asked, session.folder)
    again = CueInput(asked.file, asked.method, found.scale, asked.parameters, fingerprint)
    score, verdict = found.score, found.verdict
    data = {
        "t": found.telemetry.time,
        "vehicle": found.wanted,
        "machine": found.felt,
        "vehicle_sensed": score.sensed,
        "machine_sensed": score.given,
    }
    return CueMade(
        id=message.id,
        machine=session.count,
        label=cue_label(again),
        cue=again,
        duration=found.trajectory.duration,
        scale=found.scale,
        scale_text=_scale_text(asked, found),
        factors=tuple(found.factors.tolist()),
        word=verdict.word,
        verdict=verdict.text,
        used=used_limits(found.limits, np.linspace(0.0, found.trajectory.duration, found.looked)),
        looked=found.looked,
        missed=tuple(score.missed.tolist()),
        noticed=tuple(score.noticed.tolist()),
        false_cue=tuple(score.false_cue.tolist()),
        threshold=(*FORCE_THRESHOLD.tolist(), *RATE_THRESHOLD.tolist()),
        notes=_notes(session.platform, found),
        data=data,
    )


def cue_trajectory(platform: Platform, asked: CueInput, folder: WorkFolder) -> PoseSpline:
    """The motion of a cue."""
    return _cued(platform, asked, folder)[0].trajectory


def cue_label(asked: CueInput) -> str:
    """Telemetry, method and scale in a line."""
    scale = "the scale that fits" if asked.scale is None else f"scale {asked.scale:.4g}"
    return f"{asked.method} cue of {asked.file or 'a made-up drive'}, {scale}"


def cue_method(asked: CueInput) -> CueMethod:
    """Its parameter object; what the library refuses, and what would take for ever here, is a sentence."""
    names = [p.name for p in asked.parameters]
    if len(set(names)) < len(names):
        raise InputError("parameters", f"{len(names)} given", "must not repeat one")
    law = method_of(asked.method, {p.name: p.values for p in asked.parameters})
    if isinstance(law, PredictiveCueing):
        if law.horizon > LONGEST_HORIZON:
            raise InputError("horizon", law.horizon, f"must be at most {LONGEST_HORIZON} here")
        if law.period < SHORTEST_PERIOD:
            raise InputError("period", law.period, f"must be at least {SHORTEST_PERIOD} s here")
    return law


def _cued(platform: Platform, asked: CueInput, folder: WorkFolder) -> tuple[Cue, str]:
    law, vehicle = cue_method(asked), _vehicle(asked, folder)
    parts = vehicle.time, vehicle.specific_force, vehicle.angular_rate
    fingerprint = sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]
    if asked.fingerprint not in ("", fingerprint):
        raise InputError("file", asked.file, "has changed since the cue was computed: cue it again")
    return cue(platform, vehicle, law, scale=asked.scale), fingerprint


def _vehicle(asked: CueInput, folder: WorkFolder) -> Telemetry:
    """The made-up drive, or a file of the work folder that is not too long."""
    if not asked.file:
        return example_drive()
    path = folder.file(asked.file, kind="telemetry")
    try:
        vehicle = load_telemetry(path)
    except OSError as error:
        raise InputError("name", asked.file, f"cannot be read: {error.strerror}") from None
    count = len(vehicle.time)
    if count > MOST_TELEMETRY:
        most = f"must be at most {MOST_TELEMETRY} here; `gough cue` takes more"
        raise InputError(asked.file, f"{count} samples", most)
    for what, values, most in (
        ("specific force", vehicle.specific_force, LARGEST_FORCE),
        ("angular rate", vehicle.angular_rate, LARGEST_RATE),
    ):
        if np.abs(values).max() > most:
            largest = float(np.abs(values).max())
            raise InputError(f"{asked.file}: {what}", largest, f"must be at most {most:g} (SI)")
    return vehicle


def _scale_text(asked: CueInput, found: Cue) -> str:
    """How the scale came about; that a larger one is not excluded."""
    if asked.scale is not None:
        return "as given"
    if not judged_kinds(found.limits):
        return "no limit to fit it to"
    where = "at every instant" if lengths_only(found.limits.platform) else "at the times looked at"
    if found.scale == 1.0:
        return f"the largest that is tried; inside the limits {where}"
    return f"the largest that bisection found inside the limits {where}; a larger one may exist"


def _notes(platform: Platform, found: Cue) -> tuple[str, ...]:
    said = ["Forces are not judged here; the timeline shows them."]
    said += [f"Not checked: {sentence}." for sentence in found.limits.unchecked]
    g = platform.gravity
    if not (g[2] < 0.0 and np.hypot(g[0], g[1]) <= 1e-6 * -g[2]):
        said.append(
            "What is felt is computed with gravity along -z of the world; this machine's is not."
        )
    return tuple(said)
