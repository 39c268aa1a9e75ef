"""A spool opens fully and no further, whatever is asked for; without power it goes to its middle."""

from __future__ import annotations

import pytest

from gough.dynamics.laws import hydraulic
from gough.layout import LEG_LAW
from support.cylinders import cylinder_law, oil_at_rest


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize(("command", "powered"), [("valve", 1), ("valve", 0), ("force", 0)])
def test_a_spool_heads_for_its_end(command: str, sign: float, powered: int) -> None:
    law = cylinder_law(command=command)
    cap, rod = oil_at_rest(law, 1.6, 0.0)
    if not powered:
        hydraulic.cut(law)
    now = {"valve": 0.25, "cap_oil": cap, "rod_oil": rod, "coordinate": 1.6, "rate": 0.0}
    wanted = sign * powered
    rate = hydraulic.rates(command == "force", law, {**now, "effort": sign * 1e9})["valve"]
    assert rate == pytest.approx(law[LEG_LAW.valve_rate] * (wanted - 0.25))
