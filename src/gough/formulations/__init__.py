"""Five published formulations of the same dynamics, each derived on its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough import lazy

if TYPE_CHECKING:
    from gough.formulations import kane as kane
    from gough.formulations import lagrange as lagrange
    from gough.formulations import multibody as multibody
    from gough.formulations import newton_euler as newton_euler
    from gough.formulations import universal as universal

__getattr__, __dir__ = lazy.attach(__name__)
