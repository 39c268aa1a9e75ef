"""What rollouts and their slopes show of themselves: what was asked for, nothing of the making."""

from __future__ import annotations

import re

import numpy as np

import gough
from gough.simulation import rollout


def shown(answer: object) -> set[str]:
    return set(re.findall(r"(\w+)=", repr(answer)))


def test_rollouts_show_how_they_were_made_and_slopes_their_numbers() -> None:
    machine = gough.load("motion-base-1500")
    run = rollout(machine, machine.require_home(), np.ones((2, 6)), external=5.0 * np.ones(6))
    assert shown(run) == {"integrator", "step", "every", "engine", "shape"}
    slopes = run.slopes(position=np.ones(3), parameters=True)
    assert shown(slopes) == {"effort", "external"}
