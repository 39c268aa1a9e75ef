"""Adaptive control after Slotine and Li: all ten inertial parameters of platform and payload are learned on the way.

    s = (xd_ref - xd) + w e                     V_r' = xdd_ref + w (xd_ref - xd)
    J^T u = M V_r' + b + M' s/2 + Y p + w M s   K' = g K L K,   tr(L K(p)) = p . Y^T s
M, b: of the model; Y (n, 6, 10): what one unit of each parameter adds to ``M V_r' + b + M' s/2`` (efforts are linear in
mass, first moments and inertia about the reference point); p (n, 10): how far the body is from the model's; K (n, 4, 4)
its pseudo-inertia, which is positive exactly where some distribution of mass has these parameters: mass above zero, an
admissible tensor.  K' keeps it so, and a sample's step ``K <- K^1/2 exp(g T K^1/2 L K^1/2) K^1/2`` too (T. Lee,
J. Kwon, F. C. Park, IROS 2018); eigenvalues beyond bounds are set to them, which brings K nearer to any K* within, in
the sense of V (a Bregman projection).  With K* the true one,
    V = s^T M_true s/2 + (ln det K - ln det K* + tr(K^-1 K*) - 4)/g       falls as  V' = -w s^T M s
(J.-J. Slotine, W. Li, Int. J. Robotics Research 6(3), 1987; ``M'/2`` in place of their C gives the same V' without
splitting b), up to the sampling and to second order in the rotation error.  No proof with delay, or drives that
saturate or rub: then only the bounds hold.
p converges only in directions that the motion excites (identifiability.py says which); the error vanishes all the same.
Fails: what is wrong beside the body (legs, friction, delay) is learned as payload; admissible is not true.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.checks import Array, Frozen, number
from gough.control.signals import Measurement, Memory, Reference
from gough.control.tracking import EquationsOfMotion, ahead, along, check, task_error, twist
from gough.dynamics import mass_matrix
from gough.frozen import hinted
from gough.layout import TWIST, Layout
from gough.model import Body, Platform
from gough.results import Spin
from gough.spatial import Motion, Pose, rotation_exp

PAYLOAD = Layout(mass=1, first=3, inertia=6)
"""Parameters of the payload: kg; kg m; kg m^2 about the reference point (xx, yy, zz, xy, xz, yz), platform axes."""
PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
STEP = 1e-6  # m and rad by which the pose is moved for M'
FLOOR = 1e-6  # least second moment of the mass, and least mass, in units of the model's body
STEEPEST = 1.0  # a sample changes no parameter by more than e


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class AdaptivePayload(Frozen):
    """Slotine-Li on the ten inertial parameters of the platform's body, kept in the memory's ``payload``.

    bandwidth   w, rad/s, of error and s
    adaptation  how fast the body is learned, as a share of the bandwidth: g is such that under one g the parameters
                follow with ``adaptation x w``
    largest     so many times the model's mass (and second moments) that no estimate passes, whatever is learned
    Estimates keep FLOOR of the model's mass, and of its size squared in every direction; a model whose body has less (a
    plate, a point) or is no distribution of mass starts from the nearest that has.
    """

    model: Platform
    bandwidth: float
    adaptation: float = 0.5
    largest: float = 10.0

    def __post_init__(self) -> None:
        check(self, "bandwidth")
        object.__setattr__(self, "largest", number("largest", self.largest, minimum=3.0))
        share = number("adaptation", self.adaptation, minimum=0.0)
        object.__setattr__(self, "adaptation", share)

    @property
    def rate(self) -> float:
        """g, 1/(kg m^2/s^3)."""
        g = max(float(np.linalg.norm(self.model.gravity)), 1.0)
        mass = max(self.model.body.mass, np.finfo(float).tiny)
        return (self.adaptation * self.bandwidth / g) ** 2 / mass

    def init(self, runs: int) -> Memory:
        """The model's payload."""
        known = payload_parameters(self.model.body)
        start = thickened(known) - known
        return {
            "payload": np.repeat(start[None], runs, axis=0),
            "slope": np.zeros((runs, PAYLOAD.size)),
            "time": np.full((runs, 1), np.nan),
        }

    def update(
        self, t: float, measurement: Measurement, reference: Reference, memory: Memory
    ) -> tuple[Array, Memory]:
        """Actuator efforts (n, 6)."""
        w, now = self.bandwidth, measurement.motion
        machine = EquationsOfMotion.at(self.model, measurement)
        position, velocity = task_error(now, reference.motion)
        s, wanted = velocity + w * position, ahead(reference.motion) + w * velocity
        T = np.where(np.isfinite(memory["time"]), t - memory["time"], 0.0)
        known = payload_parameters(self.model.body)
        body = known + memory["payload"]
        payload = (
            learned(body, self.rate * T * memory["slope"], units_of(known), self.largest) - known
        )
        Y = regressor(self.model, now, wanted, s)
        expected = machine.wrench(wanted) + 0.5 * along(
            mass_rate(self.model, now, measurement.spin), s
        )
        wrench = expected + along(Y, payload) + w * along(machine.M, s)
        slope = along(np.swapaxes(Y, -1, -2), s)
        after = {"payload": payload, "slope": slope, "time": np.full((len(s), 1), t)}
        return machine.efforts(wrench), after


def learned(body: Array, push: Array, units: Array, largest: float = np.inf) -> Array:
    """Parameters (n, 10) after the step along `push` (n, 10), ``g T Y^T s``; none where it is zero.

    units  (4, 4) of K: its eigenvalues in them stay above FLOOR and below `largest`
    """
    K, L = pseudo_inertia(body) / units, np.zeros((len(body), 4, 4))
    W = 0.5 * (_tensor(push) + _tensor(push) * np.eye(3))  # off-diagonal entries count twice
    L[:, :3, :3] = np.trace(W, axis1=1, axis2=2)[:, None, None] * np.eye(3) - W
    L[:, :3, 3] = L[:, 3, :3] = 0.5 * push[:, PAYLOAD.first]
    L[:, 3, 3] = push[:, PAYLOAD.mass]
    root = _made_of(K, lambda x: np.sqrt(np.maximum(x, 0.0)))
    grown = _made_of(root @ (L * units) @ root, lambda x: np.expm1(np.clip(x, -STEEPEST, STEEPEST)))
    change = root @ grown @ root
    ends = np.linalg.eigvalsh(K + change)
    out = (ends[:, 0] < FLOOR) | (ends[:, -1] > largest)
    change[out] += _made_of((K + change)[out], lambda x: np.clip(x, FLOOR, largest) - x)
    return body + _parameters(change * units)


def _made_of(A: Array, of: Callable[[Array], Array]) -> Array:
    """The function of symmetric matrices (n, 4, 4)."""
    values, V = np.linalg.eigh(A)
    return np.asarray((V * of(values)[..., None, :]) @ np.swapaxes(V, -1, -2))


def units_of(body: Array) -> Array:
    """(4, 4) of the pseudo-inertia of parameters (10,): mass, and mass times mean radius of gyration to its powers."""
    m = max(float(body[PAYLOAD.mass]), np.finfo(float).tiny)
    size = max(float(np.trace(_tensor(body))) / (3.0 * m), 1e-4)  # m^2
    root = np.sqrt(m * np.array([size, size, size, 1.0]))
    return np.outer(root, root)


def thickened(body: Array) -> Array:
    """The parameters (10,), or the nearest whose pseudo-inertia is FLOOR or more in every direction."""
    return learned(body[None], np.zeros((1, PAYLOAD.size)), units_of(body))[0]


def pseudo_inertia(body: Array) -> Array:
    """K (..., 4, 4) ``[[tr(I)/2 - I, h], [h^T, m]]`` of parameters (..., 10): the second moments of the mass."""
    inertia = _tensor(body)
    K = np.empty((*body.shape[:-1], 4, 4))
    half = 0.5 * np.trace(inertia, axis1=-2, axis2=-1)[..., None, None]
    K[..., :3, :3] = half * np.eye(3) - inertia
    K[..., :3, 3] = K[..., 3, :3] = body[..., PAYLOAD.first]
    K[..., 3, 3] = body[..., PAYLOAD.mass]
    return K


def _tensor(body: Array) -> Array:
    """(..., 3, 3) of the six numbers of the inertia."""
    out = np.empty((*body.shape[:-1], 3, 3))
    for value, (i, j) in zip(np.moveaxis(body[..., PAYLOAD.inertia], -1, 0), PAIRS, strict=True):
        out[..., i, j] = out[..., j, i] = value
    return out


def _parameters(K: Array) -> Array:
    """(..., 10) of a pseudo-inertia."""
    out, moments = np.empty((*K.shape[:-2], PAYLOAD.size)), K[..., :3, :3]
    inertia = np.trace(moments, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - moments
    out[..., PAYLOAD.mass], out[..., PAYLOAD.first] = K[..., 3, 3], K[..., :3, 3]
    out[..., PAYLOAD.inertia] = np.stack([inertia[..., i, j] for i, j in PAIRS], axis=-1)
    return out


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
