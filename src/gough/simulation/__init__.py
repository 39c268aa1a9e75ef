"""Motion in time: compiled fixed-step integrators, SciPy's adaptive ones, and the DAE of thirteen bodies.

`simulate` serves them all; `simulate_dae` is the DAE route with everything it knows.
"""

from gough.signals import Measurement as Measurement
from gough.signals import Reference as Reference
from gough.signals import Sampling as Sampling
from gough.simulation.dae import simulate_dae as simulate_dae
from gough.simulation.events import Events as Events
from gough.simulation.laws import Brake as Brake
from gough.simulation.laws import PowerLoss as PowerLoss
from gough.simulation.laws import Springs as Springs
from gough.simulation.run import INTEGRATORS as INTEGRATORS
from gough.simulation.run import simulate as simulate
from gough.simulation.state import State as State
