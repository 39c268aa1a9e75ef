"""Newton-Euler inverse dynamics of the 6-UPS platform after Dasgupta and Mruthyunjaya (1998), key 001.

Follows the paper equation by equation: leg kinematics (1)-(14), leg balances with all unknowns but one
eliminated (15)-(24), platform balance ``H x = c`` (30)-(37), reactions (25)-(29), massless legs (41)-(42).
Corrected, it is exact for any UPS leg; what the paper prints instead is kept behind `errata`.
Derivation: docs/derivations/newton_euler.md.
"""

from gough import border
from gough.formulations.newton_euler.errata import ABOUT as ABOUT
from gough.formulations.newton_euler.errata import ERRATA as ERRATA
from gough.formulations.newton_euler.errata import PRINTED as PRINTED
from gough.formulations.newton_euler.verbs import bias as bias
from gough.formulations.newton_euler.verbs import condition as condition
from gough.formulations.newton_euler.verbs import dynamic_fraction as dynamic_fraction
from gough.formulations.newton_euler.verbs import inverse_dynamics as inverse_dynamics
from gough.formulations.newton_euler.verbs import leg_motion as leg_motion
from gough.formulations.newton_euler.verbs import mass_matrix as mass_matrix
from gough.formulations.newton_euler.verbs import reactions as reactions

border.guard(__name__)
