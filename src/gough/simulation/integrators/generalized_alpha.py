"""generalized-alpha: Chung and Hulbert's method on the index-3 equations of thirteen bodies, order 2.

Damps high frequencies to a chosen spectral radius and low ones least; source [Bruls2010].  Serves what hht serves.
"""

from __future__ import annotations

from gough.checks import InputError, number
from gough.simulation.alpha_family import Method
from gough.simulation.integrators.hht import SERVES as SERVES

NAME = "generalized-alpha"


def generalized_alpha(radius: float = 0.9) -> Method:
    """The optimum for the spectral radius `radius` at infinite frequency, 0..1."""
    rho = number("radius", radius, minimum=0.0)
    if rho > 1:
        raise InputError("radius", radius, "must lie between 0 and 1")
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 + af - am
    return Method(NAME, am, af, (gamma + 0.5) ** 2 / 4, gamma)
