"""Adaptive control after Slotine and Li: the payload is learned while the platform moves.

    s = (xd_ref - xd) + w e                     V_r' = xdd_ref + w (xd_ref - xd)
    J^T u = M V_r' + b + M' s/2 + Y p + w M s   p' = G Y^T s
M, b: of the model; Y (n, 6, 10): what one unit of each parameter of the payload adds to ``M V_r' + b + M' s/2``
(efforts are linear in mass, first moments and inertia about the reference point); p (n, 10): how far the payload is
from the model's.  With p* the true difference, ``V = s^T M_true s/2 + (p - p*)^T G^-1 (p - p*)/2`` falls as
``V' = -w s^T M s`` (J.-J. Slotine, W. Li, Int. J. Robotics Research 6(3), 1987; ``M'/2`` in place of their C gives
the same V' without splitting b), up to the sampling and to second order in the rotation error.
p converges to p* only under a motion that excites all ten; otherwise the error still goes to zero.  Fails: what is
wrong beside the payload (friction, delay) is learned as payload, and p may wander: no bounds are put on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, Frozen, number
from gough.control.signals import Measurement, Memory, Reference
from gough.control.tracking import EquationsOfMotion, ahead, along, check, task_error, twist
from gough.dynamics import mass_matrix
from gough.layout import TWIST, Layout
from gough.model import Body, Platform
from gough.results import Spin
from gough.spatial import Motion, Pose, rotation_exp

PAYLOAD = Layout(mass=1, first=3, inertia=6)
"""Parameters of the payload: kg; kg m; kg m^2 about the reference point (xx, yy, zz, xy, xz, yz), platform axes."""
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
STEP = 1e-6  # m and rad by which the pose is moved for M'


@dataclass(frozen=True, eq=False)
class AdaptivePayload(Frozen):
    """Slotine-Li on the ten inertial parameters of the payload, kept in the memory's ``payload``.

    bandwidth   w, rad/s, of error and s
    adaptation  how fast the payload is learned, as a share of the bandwidth: G is such that under one g the parameters
                follow with ``adaptation x w``
    """

    model: Platform
    bandwidth: float
    adaptation: float = 0.5

    def __post_init__(self) -> None:
        check(self, "bandwidth")
        share = number("adaptation", self.adaptation, minimum=0.0)
        object.__setattr__(self, "adaptation", share)

    @property
    def rates(self) -> Array:
        """(10,) diagonal of G."""
        body = self.model.body
        g = max(float(np.linalg.norm(self.model.gravity)), 1.0)
        size = max(float(np.trace(body.inertia)) / 3, 1e-4 * body.mass)
        scale = np.empty(PAYLOAD.size)
        scale[PAYLOAD.mass], scale[PAYLOAD.first] = body.mass, size
        scale[PAYLOAD.inertia] = size**2 / body.mass
        return scale * (self.adaptation * self.bandwidth / g) ** 2

    def init(self, runs: int) -> Memory:
        """The model's payload."""
        none = np.zeros((runs, PAYLOAD.size))
        return {"payload": none, "slope": none.copy(), "time": np.full((runs, 1), np.nan)}

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        """Actuator efforts (n, 6)."""
        w, now = self.bandwidth, measurement.motion
        machine = EquationsOfMotion.at(self.model, measurement)
        position, velocity = task_error(now, reference.motion)
        s, wanted = velocity + w * position, ahead(reference.motion) + w * velocity
        T = np.where(np.isfinite(memory["time"]), t - memory["time"], 0.0)
        payload = memory["payload"] + T * memory["slope"]
        Y = regressor(self.model, now, wanted, s)
        known = machine.wrench(wanted) + 0.5 * along(
            mass_rate(self.model, now, measurement.spin), s
        )
        wrench = known + along(Y, payload) + w * along(machine.M, s)
        slope = self.rates * along(np.swapaxes(Y, -1, -2), s)
        after = {"payload": payload, "slope": slope, "time": np.full((len(s), 1), t)}
        return machine.efforts(wrench), after


def payload_parameters(body: Body) -> Array:
    """(10,) mass, first moments and inertia about the reference point."""
    c, out = body.center, np.empty(PAYLOAD.size)
    inertia = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    out[PAYLOAD.mass], out[PAYLOAD.first] = body.mass, body.mass * c
    out[PAYLOAD.inertia] = [inertia[i, j] for i, j in PAIRS]
    return out


def regressor(model: Platform, now: Motion, wanted: Array, s: Array) -> Array:
    """Y (n, 6, 10) of ``M a + b + M' s/2`` of the platform's own body, a = `wanted`; world axes.

    force   m (a - g) + al x h + w x (w x h) - (w x h) x s_w/2
    moment  h x (a - g) + I al + w x I w + ((w x h) x s_v + (w x I - I w x) s_w)/2        h first moment
    """
    R = now.rotation[:, None]
    w = now.angular_velocity[:, None]
    v, al = (
        (wanted - np.pad(model.gravity, (0, 3)))[:, None, TWIST.linear],
        wanted[:, None, TWIST.angular],
    )
    sv, sw = s[:, None, TWIST.linear], s[:, None, TWIST.angular]
    n = len(now.position)
    force, moment = np.zeros((n, PAYLOAD.size, 3)), np.zeros((n, PAYLOAD.size, 3))
    force[:, PAYLOAD.mass] = v[:, 0]
    h = np.swapaxes(now.rotation, -1, -2)  # columns of R: the unit first moments
    turning = np.cross(w, h)
    force[:, PAYLOAD.first] = np.cross(al, h) + np.cross(w, turning) - 0.5 * np.cross(turning, sw)
    moment[:, PAYLOAD.first] = np.cross(h, v) + 0.5 * np.cross(turning, sv)
    units = np.zeros((6, 3, 3))
    for unit, (i, j) in zip(units, PAIRS, strict=True):
        unit[i, j] = unit[j, i] = 1.0
    inertia = R @ units @ np.swapaxes(R, -1, -2)
    spun = np.cross(w, along(inertia, w)) + 0.5 * np.cross(w, along(inertia, sw))
    moment[:, PAYLOAD.inertia] = along(inertia, al) + spun - 0.5 * along(inertia, np.cross(w, sw))
    return np.swapaxes(np.concatenate([force, moment], axis=-1), -1, -2)


def mass_rate(model: Platform, now: Motion, spin: Spin | None) -> Array:
    """``M'`` (n, 6, 6) along the motion, by a central difference."""
    speed = 1.0 + np.linalg.norm(twist(now), axis=-1)
    h = (STEP / speed)[:, None]

    def at(side: float) -> Array:
        turn = rotation_exp(side * h * now.angular_velocity)
        pose = Pose.trusted(now.position + side * h * now.velocity, turn @ now.rotation)
        return mass_matrix(model, pose, spin=spin)

    return (at(1.0) - at(-1.0)) / (2 * h[:, :, None])
