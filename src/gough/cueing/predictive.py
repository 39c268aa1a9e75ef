"""Model predictive cueing within the real strokes: a quadratic program a step, and a brake that is always checked.

    state     position and angles y (6,), their rates v; control: accelerations u, constant over a step of `period`
    felt      f = u + g (-pitch, roll, 0) about level, rates of the angles
    cost      sum over the horizon of |f - f_ref|^2 Wf + |w - w_ref|^2 Ww + |y|^2 Wy + |v|^2 Wv + |u|^2 Wu
    subject   to leg coordinates and rates within their limits, linear about the present pose
The reference is held over the horizon: the future is not known.  The program is solved exactly, as a least distance
problem (Lawson and Hanson 1974, ch. 23); where it has no solution the machine brakes.
Whatever it answers, a step is taken only if from its end the machine can be braked to rest with every leg inside its
stroke, computed exactly at `DENSE` places a step; else the answer is blended into the brake, which was checked a step
before.  So the motion stays inside at all those places, whatever the telemetry does.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

import numpy as np

from gough.checks import Array, Frozen, InputError, number
from gough.cueing.recording import GRAVITY, Telemetry
from gough.cueing.washout import REST, ClassicalWashout, Way
from gough.extras import package
from gough.frozen import hinted
from gough.kinematics.jacobian import jacobian
from gough.limits import check as check_limits
from gough.model import Platform
from gough.spatial import Motion, Pose, rotation_from_rpy

DENSE = 4
BLENDS = (0.0, 0.25, 0.5, 0.75, 1.0)


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class PredictiveCueing(Frozen):
    """Parameters of predictive cueing.

    scale              of specific force and angular rate
    period, horizon    s between decisions; how many of them are looked ahead
    force, rate, place, angle, speed, effort   weights Wf, Ww, Wy (of positions, of angles), Wv, Wu
    acceleration, angular               largest accelerations, m/s^2 and rad/s^2, also of the brake
    margin             of every stroke kept free by the program, share
    """

    scale: float = 0.5
    period: float = 0.05
    horizon: int = 16
    force: float = 1.0
    rate: float = 8.0
    place: float = 0.6
    angle: float = 8.0
    speed: float = 0.8
    effort: float = 0.02
    acceleration: float = 4.0
    angular: float = radians(90.0)
    margin: float = 0.05

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = number(name, getattr(self, name), above=0.0)
            object.__setattr__(self, name, int(value) if name == "horizon" else value)
        if self.margin >= 0.5:
            raise InputError("margin", self.margin, "must be below a half")

    def scaled(self, factor: float) -> PredictiveCueing:
        """The same with another scale."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return PredictiveCueing(**{**fields, "scale": factor * self.scale})

    def drive(self, given: Telemetry, platform: Platform, home: Pose) -> Way:
        """The platform's way from its neutral pose, at the telemetry's times."""
        force, rate = ClassicalWashout(force_scale=self.scale, rate_scale=self.scale).felt(given)
        steps = max(int(np.ceil(given.duration / self.period - 1e-9)), 1)
        machine = _NeutralMachine(platform, home, self)
        y, v = np.zeros(6), np.zeros(6)
        rows = np.zeros((steps + 1, 3, 6))
        program = _Program(self)
        if not machine.safe(y, v):
            raise InputError(
                "home", "a pose outside the limits", "must allow the machine to stand there"
            )
        for k in range(steps):
            t = k * self.period
            now = [
                np.array([np.interp(t, given.time, c) for c in a.T]) for a in (force - REST, rate)
            ]
            u = program.solve(y, v, now[0], now[1], *machine.linear(y))
            u = machine.allowed(y, v, -v / self.period if u is None else u[:6])
            rows[k] = y, v, u
            y, v = y + self.period * (v + 0.5 * self.period * u), v + self.period * u
        rows[-1] = y, v, np.zeros(6)
        return self._at(given, rows)

    def _at(self, given: Telemetry, rows: Array) -> Way:
        """The piecewise parabolas at the telemetry's times."""
        k = np.minimum((given.time / self.period + 1e-9).astype(int), len(rows) - 1)
        tau = (given.time - k * self.period)[:, None]
        y, v, u = (rows[k, i] for i in range(3))
        place, speed = y + tau * (v + 0.5 * tau * u), v + tau * u
        return Way(place[:, :3], speed[:, :3], u[:, :3], place[:, 3:])


class _NeutralMachine:
    """The exact machine about its neutral pose."""

    def __init__(self, platform: Platform, home: Pose, law: PredictiveCueing) -> None:
        self.platform, self.home, self.law = platform, home, law
        self.most = np.repeat([law.acceleration, law.angular], 3)
        strokes = [leg.limits.stroke for leg in platform.legs]
        self.low = np.array([-np.inf if s is None else s[0] for s in strokes])
        self.high = np.array([np.inf if s is None else s[1] for s in strokes])
        speeds = [leg.limits.speed for leg in platform.legs]
        self.speed = np.array([np.inf if s is None else s for s in speeds])
        wide = np.where(np.isfinite(self.high - self.low), self.high - self.low, 0.0)
        self.low, self.high = self.low + law.margin * wide, self.high - law.margin * wide

    def pose(self, y: Array) -> Pose:
        """Pose (...) of places (..., 6)."""
        R = rotation_from_rpy(y[..., 3:]) @ self.home.rotation
        return Pose.trusted(self.home.position + y[..., :3], R)

    def linear(self, y: Array) -> tuple[Array, Array, Array]:
        """d(leg coordinates)/dy (6, 6), and the room below and above the present coordinates, (6,) each."""
        pose = self.pose(y)
        J = jacobian(self.platform, pose)
        s, c = np.sin(y[3:]), np.cos(y[3:])
        turning = np.array(  # angular velocity of R = Rz Ry Rx, world axes, by the angles' rates
            [[c[2] * c[1], -s[2], 0.0], [s[2] * c[1], c[2], 0.0], [-s[1], 0.0, 1.0]]
        )
        J = np.concatenate([J[:, :3], J[:, 3:] @ turning], axis=1)
        from gough.struts import struts

        length = struts(self.platform, pose).coordinate
        return J, self.low - length, self.high - length

    def safe(self, y: Array, v: Array, u: Array | None = None) -> bool:
        """Inside all limits through a step under u (if given) and from there braking to rest."""
        T = self.law.period
        places, rates = [y[None]], [v[None]]
        if u is not None:
            tau = T * np.linspace(0.0, 1.0, DENSE + 1)[1:, None]
            places.append(y + tau * (v + 0.5 * tau * u))
            rates.append(v + tau * u)
            y, v = places[-1][-1], rates[-1][-1]
        longest = float((np.abs(v) / self.most).max())
        if longest > 0.0:
            tau = np.linspace(0.0, longest, 2 + DENSE * int(np.ceil(longest / T)))[1:, None]
            stop = np.minimum(tau, np.abs(v) / self.most)  # each axis brakes for itself
            places.append(y + stop * (v - 0.5 * stop * np.sign(v) * self.most))
            rates.append(v - stop * np.sign(v) * self.most)
        q, w = np.concatenate(places), np.concatenate(rates)
        return bool(check_limits(self.platform, self.moving(q, w)).ok.all())

    def moving(self, y: Array, v: Array) -> Motion:
        """Motions (n,) of places and rates (n, 6)."""
        from gough.trajectory.base import rpy_motion

        R, omega, _ = rpy_motion(y[:, 3:], v[:, 3:], np.zeros_like(v[:, 3:]))
        zero = np.zeros((len(y), 3))
        return Motion(
            self.home.position + y[:, :3], R @ self.home.rotation, v[:, :3], omega, zero, zero
        )

    def allowed(self, y: Array, v: Array, u: Array) -> Array:
        """`u`, or as much of it as leaves a way to brake; the brake itself at the last."""
        brake = np.clip(-v / self.law.period, -self.most, self.most)
        u = np.clip(u, -self.most, self.most)
        for share in BLENDS:
            blend = (1.0 - share) * u + share * brake
            if self.safe(y, v, blend):
                return blend
        return brake


class _Program:
    """The quadratic program of one step; its matrix is the same at every step but for the legs' rows."""

    def __init__(self, law: PredictiveCueing) -> None:
        n, T = law.horizon, law.period
        steps = np.arange(1, n + 1)
        gone = np.clip(
            steps[:, None] - np.arange(n)[None, :], 0, None
        )  # steps since control j ended, plus one
        self.to_speed = T * (gone > 0).astype(float)
        self.to_place = T**2 * np.where(gone > 0, gone - 0.5, 0.0)
        self.times, self.law, self.n = T * steps, law, n
        lean = np.zeros((6, 6))
        lean[0, 4], lean[1, 3] = -GRAVITY, GRAVITY
        self.lean = lean
        eye = np.eye(6)
        # felt force: rows of u_k plus lean x place at the step's end
        self.felt = np.kron(np.eye(n), eye[:3]) + np.kron(self.to_place, lean[:3])
        self.turn = np.kron(self.to_speed, eye[3:])
        self.place, self.speed = np.kron(self.to_place, eye), np.kron(self.to_speed, eye)
        H = law.force * self.felt.T @ self.felt + law.rate * self.turn.T @ self.turn
        self.home = np.tile(np.repeat([law.place, law.angle], 3), n)
        H += (
            self.place.T @ (self.home[:, None] * self.place) + law.speed * self.speed.T @ self.speed
        )
        self.H = H + law.effort * np.eye(6 * n)
        self.root = np.linalg.inv(np.linalg.cholesky(self.H))  # H^-1 = root^T root

    def solve(
        self, y: Array, v: Array, force: Array, rate: Array, J: Array, low: Array, high: Array
    ) -> Array | None:
        """The controls (6 horizon,), step by step; None where the legs' bounds allow no way at all."""
        law, n = self.law, self.n
        coast = y + self.times[:, None] * v  # places without control
        miss = (force - coast @ self.lean[:3].T).reshape(-1)
        slope = law.force * self.felt.T @ miss + law.rate * self.turn.T @ np.tile(rate - v[3:], n)
        slope -= self.place.T @ (self.home * coast.reshape(-1))
        slope -= law.speed * self.speed.T @ np.tile(v, n)
        free = self.root @ slope
        room = np.concatenate([-np.tile(low, n), np.tile(high, n)])  # of the legs, both ways
        A = np.kron(self.to_place, J)
        drift = ((coast - y) @ J.T).reshape(-1)
        bound = np.isfinite(room)
        rows = np.concatenate([-A, A])[bound] @ self.root.T
        left = (room - np.concatenate([-drift, drift]))[bound] - rows @ free
        if (left >= 0.0).all():
            return self.root.T @ free
        nnls = package("scipy.optimize").nnls

        # least |d| with rows d <= left
        weights, _ = nnls(np.vstack([-rows.T, -left]), np.append(np.zeros(6 * n), 1.0))
        rest = np.append(-rows.T @ weights, -left @ weights - 1.0)
        if abs(rest[-1]) < 1e-12:
            return None
        return self.root.T @ (free - rest[:-1] / rest[-1])
