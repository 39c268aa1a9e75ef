"""Fixed links on the engines: traced and compiled programs, parameters, proven digits, a base that moves."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.dynamics.parameters import machine_parameters, packed_names
from gough.engines import native, pack, plain
from gough.engines.tracer import trace
from gough.equations.machine import HELD, KINDS, links, reference_of
from gough.spatial import Motion
from oracles.links import linked
from oracles.machines import Case
from support.engine_states import blocks_of, relative

DIGITS = 1e-12


def some(kind: str, count: int = 2, states: int = 37) -> Case:
    return next(c for s in range(60) if (c := linked(kind, seed=s, count=count, states=states)))


@pytest.mark.parametrize("function", ["forces", "forward", "moving_forward"])
@pytest.mark.parametrize("kind", ["UPS", "SPS-general", "UCU-rotor", "mixed"])
def test_traced_programs_equal_the_equations(kind: str, function: str) -> None:
    c = some(kind, states=4)
    kinds = pack.kinds_of(c.platform, c.needs_spin)
    par = pack.packed(c.platform, c.needs_spin).numbers(function)
    blocks = blocks_of(c, function, kinds)
    program = trace(function, kinds)
    columns = list(np.concatenate(blocks, axis=1).T)
    n = program.sizes["x"]
    with np.errstate(all="ignore"):
        out = program.run(columns[:n], list(par), columns[n:])
    found = np.stack(np.broadcast_arrays(*out), axis=-1)
    assert relative(found, plain.run(function, kinds, blocks, par)) < DIGITS


def test_compiled_equals_plain() -> None:
    c = some("UPS", 1)
    kinds, par = pack.kinds_of(c.platform), pack.parameters(c.platform)
    blocks = blocks_of(c, "forward", kinds)
    mine, theirs = (e.run("forward", kinds, blocks, par) for e in (native, plain))
    assert relative(mine, theirs) < DIGITS


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["SPS-general", "UCU-rotor"])
@pytest.mark.parametrize("function", ["forces", "record", "forward"])
def test_compiled_equals_plain_for_more(kind: str, function: str) -> None:
    c = some(kind, 3)
    kinds = pack.kinds_of(c.platform, c.needs_spin)
    par, blocks = pack.parameters(c.platform), blocks_of(c, function, kinds)
    mine, theirs = (e.run(function, kinds, blocks, par) for e in (native, plain))
    size = np.abs(theirs).max(axis=0)
    still = (size > 0.0) & (size < 1e-10)  # rates and accelerations of the links: rounding
    assert still.sum() <= (2 * len(links(kinds)) if function == "record" else 0)
    assert np.abs(mine[:, still]).max(initial=0.0) < 1e-10
    assert relative(mine[:, ~still], theirs[:, ~still]) < DIGITS


def test_a_base_that_moves_takes_its_links_along() -> None:
    """Efforts there and back against the base; the links' force in them."""
    c = some("mixed", states=3)
    spin = {"spin": gough.Spin(c.spin_angle, c.spin_rate)} if c.needs_spin else {}
    rng = np.random.default_rng(1)
    base = Motion(*(rng.normal(size=3),), np.eye(3), *rng.normal(size=(4, 3)))
    found = gough.inverse_dynamics(
        c.platform, c.motion, c.external, base=base, engine="python", **spin
    )
    pushed = np.array(found.force)
    pushed[:, list(found.links)] = 0.0
    back = gough.forward_dynamics(
        c.platform, c.motion, pushed, c.external, base=base, engine="python", **spin
    )
    assert np.abs(back.answer - np.hstack(c.motion.rates[2:])).max() < 1e-10
    assert (np.asarray(back.digits) > 8).all()


def test_a_link_counts_its_spin_from_the_same_reference() -> None:
    for kind in KINDS:
        if kind.endswith(HELD):
            assert reference_of(kind) == reference_of(kind.removesuffix(HELD)), kind
    assert reference_of("sps_spin" + HELD) is not None


def test_parameters_of_links() -> None:
    """Of every kind what its driven twin has, and its length in the packed vector; the rest is packed alike."""
    for kind in ("UPS", "SPS-free", "SPS-general", "UCU", "UCU-rotor"):
        machine = some(kind, states=1).platform
        kinds, names = pack.kinds_of(machine), packed_names(machine)
        assert len(names) == len(set(names)) == pack.parameters(machine).size
        held = links(kinds)
        assert held
        for i in held:
            at = names.index(f"{machine.leg_names[i]}.fixed")
            assert pack.parameters(machine)[at] == machine.legs[i].fixed  # type: ignore[union-attr]
            assert kinds[i].endswith(HELD)
            assert KINDS[kinds[i]].row.size == KINDS[kinds[i].removesuffix(HELD)].row.size + 1
        known = machine_parameters(machine)
        for i in held:
            own = {
                n.partition(".")[2] for n in known.names if n.startswith(f"{machine.leg_names[i]}.")
            }
            assert "fixed" not in own
            assert "lower.mass" in own
            assert ("universal" in str(own)) == (kind != "SPS-free")
