"""gough control: facts, the figure and what it draws, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from test_cue import run

import gough
from gough.control import ComputedForce, Sampling, frequency_response, margins

WORDS = ("control", "servo-hexapod", "--rate", "500", "--delay", "0.004")


def test_the_loop_as_told_and_drawn(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The facts are those of `margins`; at the tuned bandwidth the margin is the one asked for."""
    out = tmp_path / "out"
    code, said, _ = run(capfd, monkeypatch, *WORDS, "--margin", "1.5", "--out", str(out), "--json")
    assert code == 0
    facts = json.loads(said)
    assert sorted(p.name for p in out.iterdir()) == ["loop.json", "loop.png"]
    assert facts["stable"] is True
    assert facts["together_gain_up"] == pytest.approx(1.5, rel=5e-3)
    machine = gough.load("servo-hexapod")
    law, sampling = ComputedForce(machine, facts["bandwidth"]), Sampling(rate=500.0, delay=4e-3)
    found = margins(machine, law, sampling=sampling)
    assert facts["together_phase"] == pytest.approx(float(found.together.phase), rel=1e-9)
    assert facts["worst_leg_modulus"] == pytest.approx(found.single.modulus.min(), rel=1e-9)
    assert facts["worst_leg_gain_down"] == pytest.approx(found.single.gain_down.max(), rel=1e-9)


def test_what_the_figure_draws_is_the_response() -> None:
    from gough.report import loop_figure

    machine = gough.load("servo-hexapod")
    law, omega = ComputedForce(machine, 20.0), np.geomspace(0.1, 1000.0, 50)
    told, found = frequency_response(machine, law, omega), margins(machine, law)
    figure = loop_figure(machine, told, found)
    gain, phase, closed, gives = figure.axes
    lines = [np.asarray(line.get_ydata()) for line in gain.lines[:6]]
    np.testing.assert_allclose(lines[2], np.abs(1 / told.sensitivity[:, 2, 2] - 1))
    turned = np.asarray(phase.lines[2].get_ydata())
    angle = np.angle(1 / told.sensitivity[:, 2, 2] - 1, deg=True)
    np.testing.assert_allclose((turned - angle + 180.0) % 360.0, 180.0, atol=1e-6)
    assert np.asarray(closed.lines[0].get_ydata()).max() <= 1 / found.together.modulus * (1 + 1e-9)
    np.testing.assert_allclose(gives.lines[4].get_ydata(), np.abs(told.compliance[:, 2, 2]))
    np.testing.assert_allclose(gives.lines[5].get_ydata(), np.abs(told.compliance[:, 5, 5]))
    assert "N·m" in gives.get_ylabel()
    figure.canvas.draw()
    for axes in figure.axes:  # legends stand beside the panels
        box, legend = axes.get_window_extent(), axes.get_legend()
        assert legend is not None
        assert legend.get_window_extent().x0 >= box.x1


def test_an_unstable_loop_is_exit_code_three(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said, why = run(capfd, monkeypatch, *WORDS, "--bandwidth", "400")
    assert code == 3
    assert "none" in said
    assert "not stable" in why
    code, _, why = run(capfd, monkeypatch, *WORDS, "--law", "computed-torque")
    assert code == 2
    assert "computed-force" in why
    code, _, why = run(capfd, monkeypatch, *WORDS, "--bandwidth", "-1")
    assert code == 2
    assert "bandwidth" in why
