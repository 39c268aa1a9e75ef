"""Which forces: the verbs of the exact model."""

from gough.dynamics.forward import bias as bias
from gough.dynamics.forward import energy as energy
from gough.dynamics.forward import forward_dynamics as forward_dynamics
from gough.dynamics.forward import mass_matrix as mass_matrix
from gough.dynamics.inverse import FORMULATIONS as FORMULATIONS
from gough.dynamics.inverse import inverse_dynamics as inverse_dynamics
