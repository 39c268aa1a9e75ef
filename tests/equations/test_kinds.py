"""The table of leg kinds: what their names say is how they are built; rows, places and counts of machines of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from gough import layout
from gough.equations import kinds
from gough.equations.kinds import HELD, KINDS, OFFSET, SPRUNG
from gough.equations.machine import FUNCTIONS, MachineEquations, mass_of, parameter_count
from gough.equations.machine import upper_triangle as upper

BARE = {name: name.removesuffix(HELD).removesuffix(SPRUNG).removesuffix(OFFSET) for name in KINDS}
MIXED = ("rus", "ups", "sps_spin", "pus", "ucu_offset", "rss_axial")


@pytest.mark.parametrize("name", KINDS)
def test_a_name_says_how_a_kind_is_built(name: str) -> None:
    kind, bare = KINDS[name], BARE[name]
    assert kind.spins == bare.endswith(("_axial", "_spin"))
    assert kind.held == name.endswith(HELD)
    assert (kind.springs is not None) == (SPRUNG in name)
    assert (name in kinds.ANGULAR) == bare.startswith(("rus", "rss"))
    assert kinds.closed_by_iteration(("ups", name)) == (bare.startswith("ucu") and OFFSET in name)
    pulls = OFFSET in name or (bare.startswith("ucu_") and HELD not in name)
    assert (name in kinds.PULLING) == pulls
    base = name.removesuffix(HELD).removesuffix(SPRUNG)
    size = KINDS[base].row.size
    if kind.springs is not None:
        size += kind.springs.row.size
    if kind.held:
        assert kind.row.names[-1] == layout.LINK.names[-1]
        size += layout.LINK.size
    assert kind.row.size == size


@pytest.mark.parametrize("name", [n for n in KINDS if n.startswith("ucu")])
def test_screws_and_springs_of_cylinders_are_as_named(name: str) -> None:
    bare, kind = BARE[name], KINDS[name]
    built = {}
    if bare != "ucu":
        built["above"] = bare.endswith("_upper")
    if "_spring" in bare:
        built["spring"] = True
    for part in (kind.state, kind.mass):
        assert part.keywords == built  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [n for n in KINDS if n.startswith(("ucs", "ups_"))])
def test_rotors_ride_where_the_name_says_so(name: str) -> None:
    bare, kind = BARE[name], KINDS[name]
    if bare.startswith("ucs"):
        case = {"ucs_axial": "axial", "ucs_spin": "spin"}.get(bare, "still")
        for part in (kind.state, kind.mass):
            assert part.keywords == {"case": case, "rotor": bare != "ucs"}  # type: ignore[attr-defined]
    elif OFFSET in name:
        for part in (kind.state, kind.mass):
            assert part.keywords == {"rotor": "rotor" in bare}  # type: ignore[attr-defined]


def test_references_stand_where_a_spin_is_measured() -> None:
    for name, kind in KINDS.items():
        at = kinds.reference_of(name)
        if not BARE[name].endswith("_spin"):
            assert at is None
            continue
        block = "reference" if "reference" in kind.row.names else "axis"
        assert at == kind.row.at(block)


def test_rows_of_a_machine_follow_one_another() -> None:
    at = kinds.offsets(MIXED)
    assert len(at) == 7
    assert at[0] == layout.BODY.size
    assert [b - a for a, b in pairwise(at)] == [KINDS[k].row.size for k in MIXED]
    assert kinds.crank_count(MIXED) == 2
    assert kinds.spinning(MIXED)
    assert not kinds.spinning(("ups", "rus", "sps"))
    held = ("ups", "ups_held", "pus", "ucu_sprung_held", "rus", "sps_held")
    assert kinds.links(held) == [1, 3, 5]
    for function in FUNCTIONS:
        mounts = 6 * layout.MOUNT.size if function.startswith("moving_") else 0
        assert parameter_count(function, MIXED) == at[-1] + mounts


def test_constants_are_read_from_their_own_rows() -> None:
    """Every number of the parameter vector is its own place: joints, lengths of links, mounts behind all of them."""
    held = ("ups", "ups_held", "pus", "ucu", "rus", "sps_held")
    at, machine = kinds.offsets(held), MachineEquations(held)
    par = [float(k) for k in range(at[-1] + 6 * layout.MOUNT.size)]
    bare = machine.unpack(par[: at[-1]])
    assert list(bare.mounts) == [None] * 6
    assert bare.links == [(1, float(at[2] - 1)), (5, float(at[6] - 1))]
    for kind, start, leg in zip(held, at, bare.legs, strict=False):
        assert [*leg.joint] == [float(start + KINDS[kind].row.at("joint") + k) for k in range(3)]
    moving = machine.unpack(par).mounts
    first = [float(mount.rotor.x) for mount in moving if mount is not None]
    assert len(first) == 6
    np.testing.assert_allclose(np.diff(first), layout.MOUNT.size)


def test_a_mass_matrix_comes_back_from_its_upper_triangle() -> None:
    numbers = [float(k) for k in range(21)]
    M = mass_of(numbers)
    assert list(upper(M)) == numbers
    full = np.zeros((6, 6))
    full[np.triu_indices(6)] = numbers
    full += np.triu(full, 1).T
    rows = [M.B.a, M.B.b, M.B.c]
    np.testing.assert_array_equal([[*row] for row in rows], full[:3, 3:])
    np.testing.assert_array_equal([*M.A], full[:3, :3][np.triu_indices(3)])
    np.testing.assert_array_equal([*M.C], full[3:, 3:][np.triu_indices(3)])


def test_functions_answer_once_or_per_leg() -> None:
    for name, function in FUNCTIONS.items():
        legs = 6 if name.endswith(("record", "kinematics", "rubbed")) else 1
        assert function.n_out == legs * function.outputs.size
        assert function.inputs.size > 0
