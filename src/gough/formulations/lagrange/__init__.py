"""Lagrange's equations in platform coordinates.  [Lopes] 002

    I(x) xdd + V(x, xd) xd + G(x) = f,   f = J^T tau + friction + external          (eqs 1, 2, 10-14, 70-79)

Exact for UPS, SPS, PUS, RUS and UCU legs in any mixture.  Coordinates ``(x, y, z, psi, theta, phi)``: see `chart`.
The kinetic energy gives I, ``V = (Idot + U^T - U)/2`` with ``U = (1 kron xd^T) dI/dx`` (eqs 76-79), the
potential energy gives ``G = dP/dx``.  Derivatives are taken by complex step, so they are exact to rounding.
Leg geometry in kinematics.py, cylindrical pairs in pairs.py, energies of bodies in energies.py and of legs in legs.py,
the equations in balance.py; models of the links and printed errors in errata.py.
Derivation: docs/derivations/lagrange.md.
"""

from gough import border
from gough.formulations.lagrange.errata import ABOUT as ABOUT
from gough.formulations.lagrange.errata import ERRATA as ERRATA
from gough.formulations.lagrange.errata import LINKS as LINKS
from gough.formulations.lagrange.errata import PRINTED as PRINTED
from gough.formulations.lagrange.verbs import bias as bias
from gough.formulations.lagrange.verbs import energy as energy
from gough.formulations.lagrange.verbs import inverse_dynamics as inverse_dynamics
from gough.formulations.lagrange.verbs import mass_matrix as mass_matrix
from gough.formulations.lagrange.verbs import parts as parts
from gough.formulations.lagrange.verbs import terms as terms

border.guard(__name__)
