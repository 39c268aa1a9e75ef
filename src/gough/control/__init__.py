"""Controllers: frozen objects ``(t, measurement, reference) -> command``, and how they are sampled.

`Decentralized` treats each drive as a constant load; `ComputedForce`, `FeedForward`, `GravityCompensation` and
`Impedance` carry a model.  `Sampling` says how the controller sees the machine.  Give them to `gough.simulate`.
"""

from gough import lazy
from gough.control.decentralized import Decentralized as Decentralized
from gough.control.decentralized import leg_loads as leg_loads
from gough.control.decentralized import leg_mass_matrix as leg_mass_matrix
from gough.control.errors import with_payload_error as with_payload_error
from gough.control.model_based import ComputedForce as ComputedForce
from gough.control.model_based import FeedForward as FeedForward
from gough.control.model_based import GravityCompensation as GravityCompensation
from gough.control.model_based import Impedance as Impedance
from gough.control.signals import Controller as Controller
from gough.control.signals import Measurement as Measurement
from gough.control.signals import Reference as Reference
from gough.control.signals import Sampling as Sampling
from gough.control.signals import Sensor as Sensor
from gough.control.user_law import CompiledLaw as CompiledLaw

__getattr__, __dir__ = lazy.attach(__name__)
