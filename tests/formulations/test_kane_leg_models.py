"""Kane's models of the legs: what a model leaves out is what a machine with such legs lacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.formulations import FORMULATIONS
from oracles.machines import case

NOTHING = gough.Body(0.0)
PARTS = {
    "UPS": ({"lower": NOTHING}, {"upper": NOTHING}),
    "PUS": ({"slider_mass": 0.0}, {"link": NOTHING}),
    "RUS": ({"crank": NOTHING}, {"link": NOTHING}),
    "UCU": ({"lower": NOTHING}, {"upper": NOTHING}),
    "UCU-screw": ({"lower": NOTHING}, {"upper": NOTHING}),
}


@pytest.mark.parametrize("kind", PARTS)
@pytest.mark.parametrize("legs", ["full", "lower", "upper", "massless"])
def test_a_model_of_the_legs_is_a_machine_without_the_rest(kind: str, legs: str) -> None:
    c = case(kind, seed=8, friction=False, drive=False)
    lower, upper = PARTS[kind]
    gone: dict[str, Any] = {}
    gone |= {} if legs in ("full", "lower") else lower
    gone |= {} if legs in ("full", "upper") else upper
    bare = c.platform.replace(legs=[leg.replace(**gone) for leg in c.platform.legs])
    kane = FORMULATIONS["kane"]
    found = kane.inverse_dynamics(c.platform, c.motion, c.external, legs=legs).force
    wanted = FORMULATIONS["multibody"].inverse_dynamics(bare, c.motion, c.external).force
    np.testing.assert_allclose(found, wanted, atol=1e-8 * np.abs(wanted).max())
