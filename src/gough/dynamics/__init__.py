"""Which forces: the verbs of the exact model, their derivatives, and the door to the published formulations."""

from gough import border
from gough.dynamics.cross_pieces import cross_pieces as cross_pieces
from gough.dynamics.derivatives import forward_dynamics_derivatives as forward_dynamics_derivatives
from gough.dynamics.derivatives import inverse_dynamics_derivatives as inverse_dynamics_derivatives
from gough.dynamics.elastic import elastic_rest as elastic_rest
from gough.dynamics.errors import bias_error as bias_error
from gough.dynamics.errors import derivatives_error as derivatives_error
from gough.dynamics.errors import mass_matrix_error as mass_matrix_error
from gough.dynamics.formulation import FORMULATIONS as FORMULATIONS
from gough.dynamics.forward import bias as bias
from gough.dynamics.forward import energy as energy
from gough.dynamics.forward import forward_dynamics as forward_dynamics
from gough.dynamics.forward import mass_matrix as mass_matrix
from gough.dynamics.inverse import inverse_dynamics as inverse_dynamics
from gough.dynamics.parameters import packed_names as packed_names
from gough.dynamics.parameters import parameter_names as parameter_names
from gough.dynamics.parameters import parameter_units as parameter_units

border.guard(__name__)
