"""The leg types by name: which numbers each reads, and which equations serve it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from gough import layout
from gough.equations.offset_pair import OffsetUCUData, offset_ucu_axes
from gough.equations.offset_ucu import offset_ucu, offset_ucu_mass
from gough.equations.offset_ups import OffsetUPSData, offset_ups, offset_ups_axes, offset_ups_mass
from gough.equations.pair_springs import PairSprings, pair_springs
from gough.equations.psu import psu, psu_axes, psu_mass
from gough.equations.pus import PUSData, pus, pus_axes, pus_mass, slider_reactions
from gough.equations.rss import (
    rss,
    rss_axes,
    rss_axial,
    rss_axial_mass,
    rss_data,
    rss_mass,
    rss_spin,
    rss_spin_mass,
)
from gough.equations.rus import RUSData, crank_reactions, rus, rus_axes, rus_mass
from gough.equations.slider_springs import SliderSprings, slider_springs
from gough.equations.springs import LegSprings, ball_springs, universal_springs
from gough.equations.sps import (
    sps,
    sps_axial,
    sps_axial_mass,
    sps_mass,
    sps_spin,
    sps_spin_mass,
)
from gough.equations.strut import LegMass, LegReactions, LegState
from gough.equations.ucs import Case, UCSData, ucs_axes, ucs_mass, ucs_state
from gough.equations.ucu import UCUData, ucu_axes, ucu_mass, ucu_reactions, ucu_state
from gough.equations.ups import (
    UPSData,
    strut_reactions,
    ups,
    ups_axes,
    ups_mass,
    ups_rotor,
    ups_rotor_mass,
)
from gough.equations.vec import Frame, Scalar, blocks_at
from gough.layout import Layout


class Sprung(NamedTuple):
    """Springs in the joints of a leg type: their parameter row, and the leg's axes, by which they are laid at rest.

    axes  (leg, place of its platform joint, platform axes) -> the strut's axes in the world, and as what carries the
          strut sees them (UCU, UCS: of its upper, and of its lower part)
    """

    row: Layout
    constants: Callable[..., LegSprings | PairSprings | SliderSprings]
    axes: Callable[..., tuple[Frame, Frame]]


class Kind(NamedTuple):
    """One leg type: its parameter row and its equations; `spins`: its spin is part of the state.

    springs  those in its joints, whose numbers stand behind its own, where it has some
    held     a fixed link, whose length stands last in its row: `MachineEquations.forward` holds it
    """

    row: Layout
    constants: Callable[..., Any]
    state: Callable[..., LegState]
    mass: Callable[..., LegMass]
    reactions: Callable[..., LegReactions]
    spins: bool = False
    springs: Sprung | None = None
    held: bool = False

    def data(self, par: Scalar, at: int) -> Any:
        """The leg's constants from its row, which starts at par[at]."""
        blocks = blocks_at(self.row, par, at)
        blocks = blocks[:-1] if self.held else blocks
        if self.springs is None:
            return self.constants(*blocks)
        own = len(blocks) - len(self.springs.row.names)
        return self.constants(*blocks[:own], springs=self.springs.constants(*blocks[own:]))

    def sprung(self, springs: Sprung) -> Kind:
        """The same leg with springs in its joints."""
        return self._replace(row=self.row.then(**dict(springs.row.blocks())), springs=springs)

    def fixed(self) -> Kind:
        """The same leg as a fixed link."""
        return self._replace(row=self.row.then(**dict(layout.LINK.blocks())), held=True)


KINDS = {
    "ups": Kind(layout.STRUT, UPSData, ups, ups_mass, strut_reactions),
    "ups_rotor": Kind(layout.STRUT, UPSData, ups_rotor, ups_rotor_mass, strut_reactions),
    "sps": Kind(layout.STRUT, UPSData, sps, sps_mass, strut_reactions),
    "sps_axial": Kind(layout.STRUT, UPSData, sps_axial, sps_axial_mass, strut_reactions, True),
    "sps_spin": Kind(layout.STRUT, UPSData, sps_spin, sps_spin_mass, strut_reactions, True),
    "pus": Kind(layout.SLIDER, PUSData, pus, pus_mass, slider_reactions),
    "rus": Kind(layout.CRANK, RUSData, rus, rus_mass, crank_reactions),
}


def _cylinder(**built: bool) -> Kind:
    state, mass = partial(ucu_state, **built), partial(ucu_mass, **built)
    return Kind(layout.CYLINDER, UCUData, state, mass, ucu_reactions)


KINDS |= {
    "ucu": _cylinder(),
    "ucu_screw": _cylinder(above=False),
    "ucu_screw_upper": _cylinder(above=True),
    "ucu_spring": _cylinder(above=False, spring=True),
    "ucu_spring_upper": _cylinder(above=True, spring=True),
}
_CRANK = (layout.BALL_CRANK, rss_data)
KINDS |= {
    "psu": Kind(layout.PLATFORM_SLIDER, PUSData, psu, psu_mass, slider_reactions),
    "rss": Kind(*_CRANK, rss, rss_mass, crank_reactions),
    "rss_axial": Kind(*_CRANK, rss_axial, rss_axial_mass, crank_reactions, True),
    "rss_spin": Kind(*_CRANK, rss_spin, rss_spin_mass, crank_reactions, True),
}


def _free_cylinder(case: Case, rotor: bool = True) -> Kind:
    state = partial(ucs_state, case=case, rotor=rotor)
    mass = partial(ucs_mass, case=case, rotor=rotor)
    return Kind(layout.FREE_CYLINDER, UCSData, state, mass, strut_reactions, case != "still")


KINDS |= {
    "ucs": _free_cylinder("still", rotor=False),
    "ucs_rotor": _free_cylinder("still"),
    "ucs_axial": _free_cylinder("axial"),
    "ucs_spin": _free_cylinder("spin"),
}
PULLING = tuple(n for n in KINDS if n.startswith("ucu_"))  # effort may be no force along the strut
SPRUNG = "_sprung"  # suffix: springs in the joints
_UNIVERSAL = partial(Sprung, layout.SPRUNG_UNIVERSAL, universal_springs)
_PAIR = partial(Sprung, layout.SPRUNG_PAIR, pair_springs)
_SPRUNG = {
    **dict.fromkeys(("ups", "ups_rotor"), _UNIVERSAL(ups_axes)),
    "sps_spin": Sprung(layout.SPRUNG_BALL, ball_springs, ups_axes),
    "pus": _UNIVERSAL(pus_axes),
    "rus": _UNIVERSAL(rus_axes),
    **dict.fromkeys(("ucu", *PULLING), _PAIR(ucu_axes)),
    "psu": Sprung(layout.SPRUNG_SLIDER, slider_springs, psu_axes),
    "rss_spin": Sprung(layout.SPRUNG_BALL, ball_springs, rss_axes),
    "ucs_spin": _UNIVERSAL(ucs_axes),
}
PULLING += tuple(name + SPRUNG for name in PULLING)
KINDS |= {name + SPRUNG: KINDS[name].sprung(springs) for name, springs in _SPRUNG.items()}
HELD = "_held"  # suffix: a fixed link
_HOLDABLE = ("ups", "sps", "sps_axial", "sps_spin", "ucu", "ucu_spring")
_HOLDABLE += tuple(name + SPRUNG for name in ("ups", "sps_spin", "ucu", "ucu_spring"))
KINDS |= {name + HELD: KINDS[name].fixed() for name in _HOLDABLE}


def _offset_strut(rotor: bool) -> Kind:
    state, mass = partial(offset_ups, rotor=rotor), partial(offset_ups_mass, rotor=rotor)
    return Kind(layout.OFFSET_STRUT, OffsetUPSData.of, state, mass, ucu_reactions)


def _offset_cylinder(**built: bool) -> Kind:
    state, mass = partial(offset_ucu, **built), partial(offset_ucu_mass, **built)
    return Kind(layout.OFFSET_CYLINDER, OffsetUCUData.of, state, mass, ucu_reactions)


OFFSET = "_offset"  # suffix: universal joints whose axes do not meet
_OFFSETS = {
    "ups_offset": _offset_strut(False),
    "ups_rotor_offset": _offset_strut(True),
    "ucu_offset": _offset_cylinder(),
    "ucu_screw_offset": _offset_cylinder(above=False),
    "ucu_screw_upper_offset": _offset_cylinder(above=True),
    "ucu_spring_offset": _offset_cylinder(above=False, spring=True),
    "ucu_spring_upper_offset": _offset_cylinder(above=True, spring=True),
}
_STRUT, _CYLINDER = _UNIVERSAL(offset_ups_axes), _PAIR(offset_ucu_axes)
_OFFSETS |= {
    name + SPRUNG: kind.sprung(_STRUT if name.startswith("ups") else _CYLINDER)
    for name, kind in _OFFSETS.items()
}
KINDS |= _OFFSETS
PULLING += tuple(_OFFSETS)


ANGULAR = frozenset(n for n, kind in KINDS.items() if kind.constants in (RUSData, rss_data))


def closed_by_iteration(kinds: Sequence[str]) -> bool:
    """Some leg's closure is iterated, to more digits than single precision has."""
    return any(KINDS[kind].constants == OffsetUCUData.of for kind in kinds)


def crank_count(kinds: Sequence[str]) -> int:
    """Legs whose coordinate is an angle."""
    return sum(kind in ANGULAR for kind in kinds)


def spinning(kinds: Sequence[str]) -> bool:
    """Some leg's spin is part of the state."""
    return any(KINDS[kind].spins for kind in kinds)


def reference_of(kind: str) -> int | None:
    """Where in its row a leg's spin reference stands; None where no angle of spin matters."""
    name, row = kind.removesuffix(HELD).removesuffix(SPRUNG), KINDS[kind].row
    if not name.endswith("_spin"):
        return None
    return row.at("reference" if "reference" in row.names else "axis")


def offsets(kinds: tuple[str, ...]) -> tuple[int, ...]:
    """Where each leg's row starts in the parameter vector; the seventh entry is its length."""
    at = [layout.BODY.size]
    for kind in kinds:
        at.append(at[-1] + KINDS[kind].row.size)
    return tuple(at)


def links(kinds: Sequence[str]) -> list[int]:
    """Legs that are fixed links."""
    return [i for i, kind in enumerate(kinds) if KINDS[kind].held]
