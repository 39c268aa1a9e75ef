"""Thirteen rigid bodies and their joints as constraints: 003 (El-Badawy and Youssef), made exact.

The multipliers of the 66 to 72 kinematic rows are the joint reactions, those of the six driving rows the
actuator forces.  Joints in constraints.py and pairs.py, bodies and rows in assembly.py, motion of all bodies in
kinematics.py, Newton-Euler balances in balance.py, the solution leg by leg in elimination.py; 003's own coordinates in
euler.py and published.py.  Derivation: docs/derivations/multibody.md.
"""

from gough import border
from gough.formulations.multibody.assembly import assemble as assemble
from gough.formulations.multibody.assembly import counts as counts
from gough.formulations.multibody.errata import ABOUT as ABOUT
from gough.formulations.multibody.errata import ERRATA as ERRATA
from gough.formulations.multibody.errata import PRINTED as PRINTED
from gough.formulations.multibody.kinematics import body_motion as body_motion
from gough.formulations.multibody.verbs import bias as bias
from gough.formulations.multibody.verbs import forward_dynamics as forward_dynamics
from gough.formulations.multibody.verbs import inverse_dynamics as inverse_dynamics
from gough.formulations.multibody.verbs import mass_matrix as mass_matrix
from gough.formulations.multibody.verbs import reactions as reactions

border.guard(__name__)
