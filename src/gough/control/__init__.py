"""Controllers: frozen objects ``(t, measurement, reference) -> command``, and how they are sampled.  docs/control.md

Each law has its file and stands in one table (register.py).  `Sampling` says how the controller sees the machine.  Give
them to `gough.simulate`; `tune` finds a bandwidth, `margins` and `frequency_response` judge the loop as it would run,
`residual` what steps and noise of the sensors leave.
"""

from typing import TYPE_CHECKING

from gough import lazy
from gough.control.computed_force import ComputedForce as ComputedForce
from gough.control.decentralized import Decentralized as Decentralized
from gough.control.decentralized import leg_loads as leg_loads
from gough.control.decentralized import leg_mass_matrix as leg_mass_matrix
from gough.control.errors import with_payload_error as with_payload_error
from gough.control.feed_forward import FeedForward as FeedForward
from gough.control.gravity import GravityCompensation as GravityCompensation
from gough.control.impedance import Impedance as Impedance
from gough.control.signals import Controller as Controller
from gough.control.signals import Measurement as Measurement
from gough.control.signals import Memory as Memory
from gough.control.signals import Reference as Reference
from gough.control.signals import Sampling as Sampling
from gough.control.signals import Sensor as Sensor
from gough.control.signals import Stateful as Stateful
from gough.control.user_law import CompiledLaw as CompiledLaw

if TYPE_CHECKING:
    from gough.control.adaptive import AdaptivePayload as AdaptivePayload
    from gough.control.admittance import Admittance as Admittance
    from gough.control.disturbance_observer import DisturbanceObserver as DisturbanceObserver
    from gough.control.identifiability import excitation as excitation
    from gough.control.learning import Learned as Learned
    from gough.control.learning import learn as learn
    from gough.control.lqr import LQR as LQR
    from gough.control.moving_base import OnMovingBase as OnMovingBase
    from gough.control.rest_motion import residual as residual
    from gough.control.sliding_mode import SlidingMode as SlidingMode
    from gough.control.stability import frequency_response as frequency_response
    from gough.control.stability import margins as margins
    from gough.control.stability import sampled_loop as sampled_loop
    from gough.control.tuning import tune as tune

__getattr__, __dir__ = lazy.attach(__name__)
