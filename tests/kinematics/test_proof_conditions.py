"""Conditions of proofs, each where it alone decides: uniqueness in a box, mirrored pairs, the rank of sensors."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from gough import status
from gough.checks import Array
from gough.kinematics import uncertainty
from gough.kinematics.assembly import start
from gough.kinematics.assembly.paths import Legs
from gough.kinematics.estimation import UNDETERMINED, Distance, estimate_pose
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.mode_boxes import DataError
from gough.struts import struts
from support.forward_machines import HOME, machine

NEARLY = 1e-7  # below the largest error for which there is a box


def test_a_box_is_unique_only_where_the_slope_stays_regular(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Six equations ``k = m + s r + r^2/2`` that touch ``k = r`` nearly: boxes beyond ``s + r = 1`` hold a pose, but
    perhaps another too.  What is called proved lies below, whatever steps led there."""
    monkeypatch.setattr(uncertainty, "_spread", lambda *given: np.diag(given[-1]))
    middle, ones = np.zeros((6, 3)), np.ones((6, 3)) / np.sqrt(3.0)
    proved = open_ = 0
    for s in np.linspace(0.0, 0.5, 3000):
        m = 0.5 * (1.0 - s) ** 2 * (1.0 - NEARLY)
        error = DataError(np.full(6, np.sqrt(1.0 + m) - 1.0), middle, middle)  # (2 l + e) e = m
        J = (1.0 - s) * np.eye(6)
        box = uncertainty._krawczyk(np.eye(3), middle, ones, ones, np.ones(6), J, np.eye(6), error)
        if box is None:
            open_ += 1
            continue
        proved += 1
        assert (s + box < 1.0).all()
        assert box == pytest.approx(1.0 - s, rel=2e-3)
    assert proved > 0
    assert open_ > 0


PAIRINGS: dict[str, tuple[list[int], list[int] | None]] = {
    "pairs": ([1, 0, 3, 2], [0, 2]),
    "pairs across": ([2, 3, 0, 1], [0, 1]),
    "an odd number": ([1, 0, -1], None),
    "one without a partner": ([1, 0, -1, 2], None),
    "a partner among the mirrored": ([1, 0, 3, 6], None),
    "its own partner": ([1, 0, 2, 3], None),
    "not the partner's partner": ([1, 2, 3, 0], None),
}


@pytest.mark.parametrize("name", PAIRINGS)
def test_half_of_the_solutions_only_where_all_are_pairs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    partner, kept = PAIRINGS[name]
    n = len(partner)
    same = np.array([*[-1] * n, *partner])
    monkeypatch.setattr(start, "known", lambda target, X: SimpleNamespace(same=same))
    X = np.arange(8.0 * n).reshape(n, 8) + 0j
    half = start._half(Legs(np.zeros((6, 3)), np.zeros((6, 3)), np.zeros(6)), X)
    if kept is None:
        assert half is None
    else:
        assert half is not None
        assert half == pytest.approx(X[kept])


def sensors(shift: float) -> tuple[Array, Distance, float]:
    """Five legs, and a wire beside the fifth, `shift` away at both ends: coordinates, wire, condition number of all six
    over the characteristic length."""
    platform = machine("UPS")
    length = actuator_coordinates(platform, HOME)
    base, joint = platform.legs[4].base, platform.legs[4].joint
    b, p = base + shift * np.array([0.3, 0.8, 0.1]), joint + shift * np.array([-0.4, 0.2, 0.5])
    along = HOME.position + HOME.rotation @ p - b
    size = float(np.linalg.norm(along))
    wire = Distance(b, p, size, 1.0)
    n = along / size
    rows = struts(platform, HOME).rows[:5]
    J = np.vstack([rows, [*n, *np.cross(HOME.rotation @ p, n)]])
    J[:, 3:] /= platform.characteristic_length
    return np.append(length[:5], np.nan), wire, float(np.linalg.cond(J))


@pytest.mark.parametrize("share", [0.97, 1.03])
def test_sensors_determine_a_pose_up_to_their_condition_number(share: float) -> None:
    """1e10 over the characteristic length: below it they do, above they do not."""
    wide = 1e-4
    shift = wide * sensors(wide)[2] / (share * 1e10)
    length, wire, condition = sensors(shift)
    assert condition == pytest.approx(share * 1e10, rel=0.01)
    found = estimate_pose(machine("UPS"), length, HOME, actuator=1.0, sensors=[wire])
    assert found.status is (status.CONVERGED if share < 1.0 else UNDETERMINED)
