"""The five published formulations: independent derivations with the same function names, see `protocol`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy
from gough.formulations.protocol import FORMULATIONS as FORMULATIONS
from gough.formulations.protocol import About as About
from gough.formulations.protocol import Formulation as Formulation
from gough.formulations.protocol import verb as verb

if TYPE_CHECKING:
    from gough.formulations import kane as kane
    from gough.formulations import lagrange as lagrange
    from gough.formulations import multibody as multibody
    from gough.formulations import newton_euler as newton_euler
    from gough.formulations import universal as universal

    _checked: tuple[Formulation, ...] = (newton_euler, universal, lagrange, kane, multibody)

__getattr__, __dir__ = lazy.attach(__name__)
