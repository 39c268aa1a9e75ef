"""A mass on one coordinate under the laws of a leg, by SciPy, with work and heat integrated beside it.

Dry friction makes the motion piecewise: while its element sticks the anchor stands; while it slips z is the level over
the grip.  The pieces are found by SciPy's events, so every quadrature runs over smooth pieces.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from gough.checks import Array
from gough.dynamics import laws
from gough.dynamics.laws import friction, gear, hydraulic
from gough.dynamics.laws.leg import Action, act, dissipated, rates, stored
from gough.dynamics.laws.machine import ideal_laws
from gough.dynamics.laws.springs import stored as in_springs
from gough.layout import LEG_LAW

TIGHT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
SAMPLES = 120
MOST_PIECES = 10_000


def one_leg(**rows: float) -> Array:
    """Rows of LEG_LAW of one ideal leg, some of them given."""
    law = ideal_laws()[:, 0]
    law[LEG_LAW.stop_low], law[LEG_LAW.stop_high] = -np.inf, np.inf
    for name, value in rows.items():
        law[getattr(LEG_LAW, name)] = value
    return law


class Ride:
    """States: coordinate, rate, those of the laws, anchor of the friction element, work in, heat out."""

    def __init__(
        self, law: Array, mass: float, command: Callable[[float], float], weight: float = 0.0
    ) -> None:
        self.law, self.mass, self.command, self.weight = law, mass, command, weight
        self.used = laws.in_use(law[:, None])
        self.own = laws.states(self.used)
        self.dry = law[LEG_LAW.grip] > 1.0
        self.anchor = 2 + len(self.own)
        self.coldest = np.inf  # least heat at a sample, W
        self.mode = 0  # of the friction element: 0 sticks, 1 slips forward, -1 backward

    def now(self, t: float, x: Array) -> dict[str, float]:
        given = dict(zip(("coordinate", "rate", *self.own, "anchor"), x, strict=False))
        turned = given.get("drive_coordinate", given["coordinate"])
        now = given | {"effort": self.command(t)}
        if not self.dry:
            return now | {"anchor": turned}
        if self.mode:
            level = self.levels(now)[0 if self.mode > 0 else 1]
            return now | {"anchor": turned - self.mode * level / self.law[LEG_LAW.grip]}
        return now

    def levels(self, now: dict[str, float]) -> tuple[float, float]:
        """Against sliding forward and backward."""
        v = now.get("drive_rate", now["rate"])
        up = down = float(friction.dry(self.law, v))
        if "gear" in self.used:
            more = gear.levels(self.law, now["load"])
            up, down = up + float(more[0]), down + float(more[1])
        return up, down

    def acting(
        self, t: float, x: Array
    ) -> tuple[dict[str, float], Action, float, dict[str, float]]:
        """Now, action, acceleration and rates of the laws' states."""
        now = self.now(t, x)
        acted = act(self.used, self.law, now)
        rotor = 0.0 if "series" in self.used else self.law[LEG_LAW.reflected]
        a = (float(acted.effort) - self.weight) / float(self.mass + rotor)
        own = rates(self.used, self.law, now, acted, a)
        return now, acted, a, {name: float(own[name]) for name in self.own}

    def slip(self, now: dict[str, float], a: float, own: dict[str, float]) -> float:
        """Rate of the anchor: the coordinate's less the level's over the grip, written out here."""
        if not self.mode:
            return 0.0
        law, v = self.law, now.get("drive_rate", now["rate"])
        r = v / law[LEG_LAW.stribeck]
        turn = own.get("drive_rate", a)
        change = -2.0 * law[LEG_LAW.excess] * r / (1 + r * r) ** 2 / law[LEG_LAW.stribeck] * turn
        if "gear" in self.used:
            load = now["load"]
            along = law[LEG_LAW.loss if load * self.mode > 0 else LEG_LAW.back_loss]
            change += along * np.sign(load) * own["load"]
        return float(v - self.mode * change / law[LEG_LAW.grip])

    def rhs(self, t: float, x: Array) -> list[float]:
        now, acted, a, own = self.acting(t, x)
        slip = self.slip(now, a, own)
        power = float(acted.motor) * now.get("drive_rate", now["rate"])
        if "hydraulic" in self.used:
            power = float(hydraulic.supplied(self.law, now))
        heat = float(dissipated(self.used, self.law, now, acted, slip))
        return [now["rate"], a, *own.values(), slip, power, heat]

    def energy(self, t: float, x: Array) -> float:
        now, acted, _, _ = self.acting(t, x)
        rotor = 0.5 * self.law[LEG_LAW.reflected] * now.get("drive_rate", now["rate"]) ** 2
        inside = stored(self.used, self.law, now, acted) + in_springs(self.law, x[0])
        return float(0.5 * self.mass * x[1] ** 2 + rotor + inside + self.weight * x[0])

    def _events(self) -> list[Callable[[float, Array], float]]:
        """What ends a piece: the element reaches a level, or its anchor comes to rest."""
        if not self.dry:
            return []

        def room(side: int) -> Callable[[float, Array], float]:
            def left(t: float, x: Array) -> float:
                now = self.now(t, x)
                z = now.get("drive_coordinate", now["coordinate"]) - now["anchor"]
                level = self.levels(now)[0 if side > 0 else 1]
                return level - float(side * self.law[LEG_LAW.grip] * z)

            return left

        def sliding(t: float, x: Array) -> float:
            now, _, a, own = self.acting(t, x)
            return self.mode * self.slip(now, a, own)

        found = [sliding] if self.mode else [room(1), room(-1)]
        for event in found:
            event.terminal, event.direction = True, -1  # type: ignore[attr-defined]
        return found

    def run(self, start: list[float], duration: float, **more: object) -> Array:
        """(SAMPLES + 1, states + anchor + work + heat)."""
        times = np.linspace(0.0, duration, SAMPLES + 1)
        options = {**TIGHT, "max_step": duration / SAMPLES, **more}
        first = start[2] if "series" in self.used else start[0]  # friction at ease
        x, t = np.array([*start, first, 0.0, 0.0]), 0.0
        self.mode, found = 0, [(0.0, 0, x)]
        for _ in range(MOST_PIECES):
            part = solve_ivp(
                self.rhs,
                (t, duration),
                x,
                t_eval=times[times > t],
                events=self._events(),
                **options,
            )
            assert part.success
            found += [(s, self.mode, y) for s, y in zip(part.t, np.array(part.y).T, strict=True)]
            if part.status == 0:
                break
            which = int(np.argmax([len(e) > 0 for e in part.t_events]))
            t, x = float(part.t_events[which][-1]), part.y_events[which][-1].copy()
            x[self.anchor] = self.now(t, x)["anchor"]
            self.mode = 0 if self.mode else (1 - 2 * which)
        else:
            raise AssertionError("no end of pieces")
        self.modes = [mode for _, mode, _ in found]
        path = np.array([y for _, _, y in found])
        assert len(path) == SAMPLES + 1
        return path

    def imbalance(self, path: Array, duration: float) -> float:
        """Largest error of ``energy = energy at the start + work - heat``, over the energy that was turned over."""
        times, E = np.linspace(0.0, duration, SAMPLES + 1), []
        for t, mode, x in zip(times, self.modes, path, strict=True):
            self.mode = mode
            E.append(self.energy(t, x))
            self.coldest = min(self.coldest, self.rhs(t, x)[-1])
        self.mode = 0
        work, heat = path[:, -2], path[:, -1]
        scale = max(np.ptp(E), np.abs(work).max(), heat.max())
        return float(np.abs(np.array(E) - E[0] - work + heat).max() / scale)
