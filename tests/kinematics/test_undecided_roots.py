"""Roots that may be real or not: a ball that proves neither says so."""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.kinematics.assembly.geometry import Geometry, normalize
from gough.kinematics.assembly.solve import solve
from gough.kinematics.forward import actuator_coordinates
from gough.kinematics.mode_boxes import DataError, balls, data_error
from gough.struts import anchors, lengths_only
from support.forward_machines import HOME, machine

REAL, COMPLEX, UNDECIDED = 1, 0, -1


def problem() -> tuple[Geometry, Array, DataError, Array]:
    platform = machine("UPS")
    lam = actuator_coordinates(platform, HOME)
    c, l = anchors(platform, lam)
    geometry = normalize(c, platform.platform_joints)
    X = solve(geometry, l, lengths_only(platform)).X
    chart = np.abs(X).argmax(axis=1)[:, None]
    error = data_error(platform, lam, 0.0, 0.0, 0.0)
    return geometry, l, error, X / np.take_along_axis(X, chart, 1)


def test_a_complex_root_is_never_called_real() -> None:
    """Seen from points between its real part and itself: no ball, or proved complex."""
    geometry, l, error, X = problem()
    for x in X[np.abs(X.imag).max(axis=1) > 1e-6][:6]:
        for share in (0.5, 0.7, 0.9, 0.97, 1.0):
            _, verdict = balls(geometry, l, (x.real + 1j * share * x.imag)[None], error)
            assert verdict[0] != REAL
        assert verdict[0] == COMPLEX


def test_a_real_root_seen_from_beside_is_real_then_undecided_then_lost() -> None:
    """From X = x + i d: real while the ball and its mirror image lie where the root is unique; then only its ball is
    proved; then nothing."""
    geometry, l, error, X = problem()
    way = np.random.default_rng(1).normal(size=8)
    for x in X[np.abs(X.imag).max(axis=1) < 1e-9]:
        said = list[tuple[bool, int]]()
        for far in np.geomspace(1e-8, 1.0, 120):
            radius, verdict = balls(geometry, l, (x.real + 1j * far * way)[None], error)
            now = bool(radius[0] >= 0.0), int(verdict[0])
            if not said or said[-1] != now:
                said.append(now)
        assert said == [(True, REAL), (True, UNDECIDED), (False, UNDECIDED)]
