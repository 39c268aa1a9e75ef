"""Motion cueing: what a vehicle's occupant feels, on a machine with six short legs.

`load_telemetry` reads what was measured, `cue` makes the machine's motion by `ClassicalWashout`, by the
coordinated `AdaptiveWashout` or by `PredictiveCueing` within the strokes; `score` tells how it
feels by models of the inner ear.  `example_drive` is a made-up drive to try them with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.cueing.adaptive import AdaptiveWashout as AdaptiveWashout
    from gough.cueing.example import example_drive as example_drive
    from gough.cueing.making import Cue as Cue
    from gough.cueing.making import cue as cue
    from gough.cueing.predictive import PredictiveCueing as PredictiveCueing
    from gough.cueing.recording import Telemetry as Telemetry
    from gough.cueing.recording import load_telemetry as load_telemetry
    from gough.cueing.recording import telemetry as telemetry
    from gough.cueing.vestibular import Score as Score
    from gough.cueing.vestibular import score as score
    from gough.cueing.washout import ClassicalWashout as ClassicalWashout

__getattr__, __dir__ = lazy.attach(__name__)
