"""Improved Newton-Euler dynamics of the 6-UPS platform after Pedrammehr et al. (2012), key 000.

Takes the universal joint's kinematics seriously: the pod spins as the joint forces it to, and the joint's
moment acts along ``c = u x v``.  Pod motion (1)-(30) in kinematics.py, balances (31)-(50) in balance.py, closed
form (41)-(51) in closed_form.py.  Corrected, all of it is exact for any UPS leg; what the paper prints
instead is kept behind `errata`.  Derivation: docs/derivations/universal.md.
"""

from gough import border
from gough.formulations.universal.errata import ABOUT as ABOUT
from gough.formulations.universal.errata import ERRATA as ERRATA
from gough.formulations.universal.errata import PRINTED as PRINTED
from gough.formulations.universal.errata import ROUTES as ROUTES
from gough.formulations.universal.verbs import bias as bias
from gough.formulations.universal.verbs import inverse_dynamics as inverse_dynamics
from gough.formulations.universal.verbs import leg_motion as leg_motion
from gough.formulations.universal.verbs import mass_matrix as mass_matrix
from gough.formulations.universal.verbs import pod_matrices as pod_matrices
from gough.formulations.universal.verbs import reactions as reactions

border.guard(__name__)
