"""Hydraulic cylinder: two columns of oil on a piston, filled and emptied by a servo valve.

    L1 = l + a1,  L2 = a2 - l       lengths of the chambers, dead volumes included; areas A1 (cap), A2 (rod side)
    p = max(0, B (1 - L/y))         y: length of the same oil without pressure, a state of each chamber; B its secant
                                    bulk modulus.  Where L > y the oil does not fill the chamber: a void at p = 0
    A1 y1' = k (x+ f(ps - p1) - x- f(p1 - pt)) - c (p1 - p2) - e (p1 - pt)      k x f: an edge of the valve, flows
    A2 y2' = k (x- f(ps - p2) - x+ f(p2 - pt)) + c (p1 - p2) - e (p2 - pt)      counted as oil without pressure
    f(d) = d/(d^2 + d0^2)^(1/4)     orifice, sign(d) sqrt|d| above the laminar drop d0
    x' = w (clip(command) - x)      spool, x+ and x- its parts: a closed valve is tight
    u  = A1 (p1 - pa) - A2 (p2 - pa)       on the leg; seals rub as friction.py says
Oil is neither made nor lost, and no pressure is below zero: outflow needs pressure.  A command in newtons becomes
``x = (wf (command - u) + B (A1/y1 + A2/y2) v)/(B k (f/y1 + f/y2))``, f of the edges it opens: pressures, rate and
valve known, the force then follows at wf as far as spool and supply reach.

Energy against the surroundings (pressure pa), ``h(p) = p - p^2/(2 B)`` per volume of oil without pressure:
    stored A (y (p - pa)^2/(2 B) + pa max(L - y, 0)),   in: flow from the supply times h(ps) - h(pa), less flow to the
    tank times h(pt) - h(pa),   heat: every flow times its drop of h, never negative while p < B
so that ``stored' = in - heat - u v`` exactly.
"""

from __future__ import annotations

from math import sqrt as root
from typing import Any

import numpy as np

from gough.checks import Array, InputError
from gough.equations.scalar import larger, smaller, sqrt
from gough.layout import LEG_LAW
from gough.model import CRANKS, Drive, Leg
from gough.model.hydraulic import AMBIENT, Hydraulic

LEAST_DROP = 0.01  # of the supply: the force loop counts on no less at an edge


def fill(law: Array, leg: Leg, drive: Drive) -> None:
    """Rows of one leg."""
    if drive.hydraulic is None:
        return
    h, (cap, ring) = drive.hydraulic, drive.hydraulic.areas
    low, high = _ends(leg, h)
    law[LEG_LAW.cap_area], law[LEG_LAW.rod_area] = cap, ring
    law[LEG_LAW.cap_column] = h.dead_cap / cap - low
    law[LEG_LAW.rod_column] = h.dead_rod / ring + high
    law[LEG_LAW.bulk], law[LEG_LAW.supply] = h.bulk_modulus, h.supply_pressure
    law[LEG_LAW.tank], law[LEG_LAW.laminar] = h.tank_pressure, h.laminar_drop
    law[LEG_LAW.edge] = h.rated_flow / (
        h.rated_drop / root(root(h.rated_drop**2 + h.laminar_drop**2))
    )
    law[LEG_LAW.leak], law[LEG_LAW.drain] = h.leakage, h.drain
    law[LEG_LAW.valve_rate], law[LEG_LAW.valve_limit] = h.valve_bandwidth, 1.0
    if h.command == "force":
        law[LEG_LAW.force_rate] = h.force_bandwidth
    else:
        law[LEG_LAW.limit] = 1.0


def _ends(leg: Leg, h: Hydraulic) -> tuple[float, float]:
    """The stroke, which the cylinder must have; its stops lie inside the chambers."""
    at, limits = "drive.hydraulic", leg.limits
    if isinstance(leg, CRANKS):
        raise InputError(at, "on a crank", "must be on a leg that slides")
    if limits.stroke is None or limits.stop_stiffness == 0.0:
        raise InputError(at, "a leg without stops", "needs the leg's limits.stroke, with stops")
    if limits.stop_gap >= min(h.dead_cap / h.areas[0], h.dead_rod / h.areas[1]):
        allowed = "must leave oil between piston and end: less than dead volume over area"
        raise InputError("limits.stop_gap", limits.stop_gap, allowed)
    return float(limits.stroke[0]), float(limits.stroke[1])


def cut(law: Array) -> None:
    """Without power the spool goes to its middle."""
    law[LEG_LAW.valve_limit] = 0.0


def fastest(law: Array, masses: Array) -> Array:
    """A bound of the eigenvalues of oil columns, valve and force loop on these masses (stiffness.py), 1/s.

    The columns' springs are stiffest, and their flows fastest, with the piston at a stop; an edge's flow changes at
    most by ``k/sqrt(d0)`` per pressure.
    """
    rows = {name: law[getattr(LEG_LAW, name)] for name in LEG_LAW.names}
    used = rows["bulk"] > 0
    rows = {name: np.where(used, value, 1.0) for name, value in rows.items()}
    springs, flows = [], []
    for at in (rows["stop_low"], rows["stop_high"]):
        cap, rod = (np.where(used, L, 1.0) for L in lengths(law, at))
        springs.append(rows["cap_area"] / cap + rows["rod_area"] / rod)
        flows += [1.0 / (rows["cap_area"] * cap), 1.0 / (rows["rod_area"] * rod)]
    through = rows["edge"] / np.sqrt(rows["laminar"]) + 2.0 * rows["leak"] + rows["drain"]
    rate = rows["bulk"] * through * np.maximum.reduce(flows)
    mode = np.sqrt(rows["bulk"] * np.maximum.reduce(springs) / masses)
    loop = rows["valve_rate"] + np.sqrt(rows["valve_rate"] * rows["force_rate"])
    return np.where(used, rate + mode + loop, 0.0)


def lengths(law: Any, length: Any) -> tuple[Any, Any]:
    """Of the chambers, m."""
    return length + law[LEG_LAW.cap_column], law[LEG_LAW.rod_column] - length


def pressures(law: Any, length: Any, cap: Any, rod: Any) -> tuple[Any, Any]:
    """Absolute, Pa, of oil columns `cap` and `rod` (m)."""
    B, (L1, L2) = law[LEG_LAW.bulk], lengths(law, length)
    return larger(B * (1.0 - L1 / cap), 0.0), larger(B * (1.0 - L2 / rod), 0.0)


def _pressures(law: Any, now: Any) -> tuple[Any, Any]:
    return pressures(law, now["coordinate"], now["cap_oil"], now["rod_oil"])


def force(law: Any, now: Any) -> Any:
    """On the leg's coordinate, N."""
    p1, p2 = _pressures(law, now)
    return law[LEG_LAW.cap_area] * (p1 - AMBIENT) - law[LEG_LAW.rod_area] * (p2 - AMBIENT)


def _orifice(law: Any, drop: Any) -> Any:
    d0 = law[LEG_LAW.laminar]
    return drop / sqrt(sqrt(drop * drop + d0 * d0))


def _flows(law: Any, now: Any) -> dict[str, tuple[Any, Any, Any]]:
    """Every flow (m^3/s of oil without pressure) with the pressures it goes from and to."""
    (p1, p2), ps, pt = _pressures(law, now), law[LEG_LAW.supply], law[LEG_LAW.tank]
    ahead, back = larger(now["valve"], 0.0), larger(-now["valve"], 0.0)

    def edge(opening: Any, source: Any, sink: Any) -> tuple[Any, Any, Any]:
        return law[LEG_LAW.edge] * opening * _orifice(law, source - sink), source, sink

    def gap(width: Any, source: Any, sink: Any) -> tuple[Any, Any, Any]:
        return width * (source - sink), source, sink

    return {
        "supply_cap": edge(ahead, ps, p1),
        "supply_rod": edge(back, ps, p2),
        "cap_tank": edge(back, p1, pt),
        "rod_tank": edge(ahead, p2, pt),
        "piston": gap(law[LEG_LAW.leak], p1, p2),
        "cap_drain": gap(law[LEG_LAW.drain], p1, pt),
        "rod_drain": gap(law[LEG_LAW.drain], p2, pt),
    }


def rates(force_loop: bool, law: Any, now: Any) -> dict[str, Any]:
    """Of spool (1/s) and oil columns (m/s)."""
    wanted = _spool(law, now) if force_loop else now["effort"]
    most = law[LEG_LAW.valve_limit]
    wanted = smaller(larger(wanted, -most), most)
    q = {name: flow for name, (flow, _, _) in _flows(law, now).items()}
    into_cap = q["supply_cap"] - q["cap_tank"] - q["piston"] - q["cap_drain"]
    into_rod = q["supply_rod"] - q["rod_tank"] + q["piston"] - q["rod_drain"]
    return {
        "valve": law[LEG_LAW.valve_rate] * (wanted - now["valve"]),
        "cap_oil": into_cap / law[LEG_LAW.cap_area],
        "rod_oil": into_rod / law[LEG_LAW.rod_area],
    }


def _spool(law: Any, now: Any) -> Any:
    """Where the force loop wants the spool."""
    B, ps, pt = law[LEG_LAW.bulk], law[LEG_LAW.supply], law[LEG_LAW.tank]
    (p1, p2), cap, rod = _pressures(law, now), now["cap_oil"], now["rod_oil"]
    u = smaller(larger(now["effort"], -law[LEG_LAW.limit]), law[LEG_LAW.limit])
    stiffness = B * (law[LEG_LAW.cap_area] / cap + law[LEG_LAW.rod_area] / rod)
    wanted = law[LEG_LAW.force_rate] * (u - force(law, now)) + stiffness * now["rate"]

    def gain(at_cap: Any, at_rod: Any) -> Any:
        least = LEAST_DROP * ps
        each = (_orifice(law, larger(drop, least)) for drop in (at_cap, at_rod))
        return B * law[LEG_LAW.edge] * sum(f / y for f, y in zip(each, (cap, rod), strict=True))

    ahead, back = larger(wanted, 0.0), larger(-wanted, 0.0)
    return ahead / gain(ps - p1, p2 - pt) - back / gain(p1 - pt, ps - p2)


def stored(law: Any, now: Any) -> Any:
    """In both columns against the surroundings, J."""
    total: Any = 0.0
    chambers = zip(_pressures(law, now), lengths(law, now["coordinate"]), strict=True)
    for (p, L), name in zip(chambers, ("cap", "rod"), strict=True):
        y, area = now[f"{name}_oil"], law[getattr(LEG_LAW, f"{name}_area")]
        void = AMBIENT * larger(L - y, 0.0)
        total = total + area * (
            y * (p - AMBIENT) * (p - AMBIENT) / (2.0 * law[LEG_LAW.bulk]) + void
        )
    return total


def _head(law: Any, p: Any) -> Any:
    """``h(p)``, J per m^3 of oil without pressure."""
    return p - p * p / (2.0 * law[LEG_LAW.bulk])


def supplied(law: Any, now: Any) -> Any:
    """Power of supply and tank, W: what the oil brings in from the one less what it carries into the other."""
    q, around = _flows(law, now), _head(law, AMBIENT)
    flow = q["supply_cap"][0] + q["supply_rod"][0]
    back = sum(q[name][0] for name in ("cap_tank", "rod_tank", "cap_drain", "rod_drain"))
    high, low = (_head(law, law[row]) - around for row in (LEG_LAW.supply, LEG_LAW.tank))
    return flow * high - back * low


def dissipated(law: Any, now: Any) -> Any:
    """In edges and gaps, W."""
    return sum(
        flow * (_head(law, source) - _head(law, sink))
        for flow, source, sink in _flows(law, now).values()
    )


def start(law: Any, length: Any, load: Any) -> tuple[Any, Any]:
    """Oil columns that carry a load at rest, their pressures about the middle of supply and tank."""
    A1, A2, both = (
        law[LEG_LAW.cap_area],
        law[LEG_LAW.rod_area],
        law[LEG_LAW.supply] + law[LEG_LAW.tank],
    )
    push = load + (A1 - A2) * AMBIENT
    p2 = smaller(larger((A1 * both - push) / (A1 + A2), 0.0), both)
    p1 = larger((push + A2 * p2) / A1, 0.0)
    p2 = larger((A1 * p1 - push) / A2, 0.0)
    (L1, L2), B = lengths(law, length), law[LEG_LAW.bulk]
    return L1 / (1.0 - p1 / B), L2 / (1.0 - p2 / B)
