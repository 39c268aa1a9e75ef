"""Motion in time: compiled fixed-step integrators, SciPy's adaptive ones, and the DAE of thirteen bodies.

`simulate` serves them all; `simulate_dae` is the DAE route with everything it knows.
"""

from gough import border
from gough.control.signals import Measurement as Measurement
from gough.control.signals import Reference as Reference
from gough.control.signals import Sampling as Sampling
from gough.simulation.dae import simulate_dae as simulate_dae
from gough.simulation.differentiable import rollout as rollout
from gough.simulation.events import Events as Events
from gough.simulation.integrators.adaptive import Adaptive as Adaptive
from gough.simulation.jax_rollout import jax_rollout as jax_rollout
from gough.simulation.leg_law import Brake as Brake
from gough.simulation.leg_law import PowerLoss as PowerLoss
from gough.simulation.leg_law import Springs as Springs
from gough.simulation.options import INTEGRATORS as INTEGRATORS
from gough.simulation.options import Plant as Plant
from gough.simulation.options import Record as Record
from gough.simulation.run import simulate as simulate
from gough.simulation.simulator import Simulator as Simulator
from gough.simulation.state import State as State
from gough.simulation.torch_rollout import torch_rollout as torch_rollout
from gough.simulation.variation import Evenly as Evenly
from gough.simulation.variation import Normal as Normal
from gough.simulation.variation import varied as varied

border.guard(__name__)
