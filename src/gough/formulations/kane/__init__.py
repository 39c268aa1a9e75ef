"""Kane's equations with the actuator rates as independent speeds.  [Syed] 004

    K* + K = 0,   K* = [m] ldd + b,   K = g + [a] sigma + f                                  (eqs 7, 10, 11)

Exact for SPS (spin-free), UPS, PUS, RUS and UCU legs in any mixture.  K* are the generalized inertia forces, so ``[m]``
is minus the mass matrix in leg space; g, f are gravity and friction (and the external wrench); with true
partial velocities ``[a]`` is the identity.  ``legs="massless"`` drops the leg bodies (Sec. 3.1), ``"lower"``
and ``"upper"`` keep one half, ``"full"`` keeps both (Sec. 3.2); ``drive=True`` adds the rotors (Sec. 3.3).
`published` and `errata` keep what is printed.  Derivation: docs/derivations/kane.md.
"""

from gough import border
from gough.formulations.kane.errata import ABOUT as ABOUT
from gough.formulations.kane.errata import ERRATA as ERRATA
from gough.formulations.kane.errata import LEGS as LEGS
from gough.formulations.kane.errata import PRINTED as PRINTED
from gough.formulations.kane.verbs import bias as bias
from gough.formulations.kane.verbs import equations as equations
from gough.formulations.kane.verbs import inverse_dynamics as inverse_dynamics
from gough.formulations.kane.verbs import mass_matrix as mass_matrix

border.guard(__name__)
