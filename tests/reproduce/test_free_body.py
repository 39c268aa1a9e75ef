"""Free-body diagrams are true: what is drawn balances, and a missing or wrong load is noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gough.formulations import newton_euler, universal
from gough.reproduce import free_body
from gough.reproduce.builders import as_motion, quiet_load
from gough.reproduce.newton_euler.figures import SYMBOLS as SYMBOLS_001
from gough.reproduce.universal.figures import SYMBOLS as SYMBOLS_000

CASES = {
    "001": ("dasgupta-1998", "001-II", newton_euler, SYMBOLS_001),
    "000": ("pedrammehr-2012", "000-3", universal, SYMBOLS_000),
}


def bodies(paper: str, sample: int) -> list[free_body.FreeBody]:
    name, path, theory, symbols = CASES[paper]
    machine, now = quiet_load(name), as_motion(path).sample(61)[sample]
    legs = [free_body.leg(machine, now, i, theory, symbols) for i in range(6)]
    return [*legs, free_body.platform(machine, now, theory, symbols)]


def unbalance(body: free_body.FreeBody) -> float:
    return max(float(np.abs(x).max()) for x in body.resultant())


@pytest.mark.parametrize("paper", CASES)
@pytest.mark.parametrize("sample", [0, 6, 30, 58])
def test_forces_and_moments_balance(paper: str, sample: int) -> None:
    for body in bodies(paper, sample):
        assert unbalance(body) < free_body.BALANCED


@pytest.mark.parametrize("paper", CASES)
def test_a_missing_or_reversed_load_is_noticed(paper: str) -> None:
    """Without any one of its loads above 1e-6, or with it reversed, a body is not balanced."""
    for body in bodies(paper, 58):
        for n, load in enumerate(body.loads):
            if np.abs(load.vector).max() < 1e-6:
                continue
            without = replace(body, loads=(*body.loads[:n], *body.loads[n + 1 :]))
            wrong = replace(load, vector=-load.vector)
            turned = replace(body, loads=(*body.loads[:n], wrong, *body.loads[n + 1 :]))
            assert unbalance(without) > free_body.BALANCED, load.label
            assert unbalance(turned) > free_body.BALANCED, load.label
            assert any("below" not in cell for row in without.rows()[-2:] for cell in row[2:])
            assert without.rest > body.rest == free_body.BALANCED


def test_the_printed_moment_does_not_balance_the_leg() -> None:
    """E001-2: a moment along the leg leaves the leg of 001 unbalanced."""
    machine, now = quiet_load("dasgupta-1998"), as_motion("001-II").sample(61)[58]
    body = free_body.leg(machine, now, 2, newton_euler, SYMBOLS_001)
    s = newton_euler.leg_motion(machine, now).direction[2]
    loads = [
        replace(x, vector=(x.vector @ s) * s) if x.label == SYMBOLS_001.moment else x
        for x in body.loads
    ]
    assert unbalance(replace(body, loads=tuple(loads))) > 1.0


def test_arrows_are_to_scale_and_labelled() -> None:
    body = bodies("001", 58)[2]
    for panel in free_body.panels(body, np.array([1.0, 1.0, 0.0])):
        arrows = [c for c in panel.curves if c.arrow == "force"]
        words = {word for word, _, _ in panel.marks}
        assert {"F_u", "F_s", "m_d g", "b", "p", "G_d", "G_u"} <= words
        assert len(arrows) >= 4
        low, high = (c.y[1] - c.y[0] for c in panel.curves if c.group == 1 and c.arrow)
        assert low / high == pytest.approx(3.0)  # m_d = 3 kg, m_u = 1 kg
