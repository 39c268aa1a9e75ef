"""Linear-quadratic regulator about a pose, with the reference's inverse dynamics ahead.

    u = ID(reference) + K (error, xd_ref - xd)          K (6, 12) minimizes, for the linear model at the pose,
    integral of  w^4 e^T M e + (4 z^2 - 2) w^2 ed^T M ed + u^T M_l^-1 u
The weights are the machine's own (M mass matrix, M_l as the legs see it: ``u^T M_l^-1 u = a^T M a``), so that neither
units nor frames matter, and a free mass gets exactly two poles of frequency w and damping z.  Fails: far from the pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.checks import Array, Frozen, InputError, array, number
from gough.control.computed_force import efforts
from gough.control.decentralized import home, leg_mass_matrix
from gough.control.signals import Measurement, Reference
from gough.control.tracking import along, task_error
from gough.dynamics import mass_matrix
from gough.extras import package
from gough.frozen import hinted
from gough.layout import LINEAR
from gough.links import refuse_links
from gough.model import Platform
from gough.spatial import Pose

LEAST_DAMPING = float(np.sqrt(0.5))


@hinted
@dataclass(frozen=True, eq=False, repr=False)
class LQR(Frozen):
    """State feedback with constant gains; gain (6, 12): N (N m) per task error (m, rad) and twist error."""

    model: Platform
    gain: Array

    def __post_init__(self) -> None:
        K = array("gain", self.gain, (6, 12))
        if K.shape != (6, 12):
            raise InputError("gain", f"shape {K.shape}", "must have shape (6, 12)")
        object.__setattr__(self, "gain", K)

    def __call__(self, t: float, measurement: Measurement, reference: Reference) -> Array:
        """Actuator efforts (n, 6)."""
        error = np.concatenate(task_error(measurement.motion, reference.motion), axis=-1)
        return efforts(self.model, reference.motion, measurement) + along(self.gain, error)

    @classmethod
    def from_bandwidth(
        cls,
        model: Platform,
        bandwidth: float,
        *,
        damping: float = LEAST_DAMPING,
        pose: Pose | None = None,
        rate: float | None = None,
    ) -> LQR:
        """Weights from the frequency w (rad/s) and damping ratio z (at least 0.7071) of a free mass, at `pose`
        (default: home); with the sampling `rate` (1/s) for the sampled machine with held efforts."""
        solve_continuous_are = package("scipy.linalg").solve_continuous_are
        solve_discrete_are = package("scipy.linalg").solve_discrete_are

        from gough.analysis.state_space import linearize

        w, z = number("bandwidth", bandwidth, above=0.0), number("damping", damping)
        if z < LEAST_DAMPING:
            raise InputError("damping", damping, "must be at least sqrt(1/2): no weights give less")
        refuse_links(model, "no regulator is made")
        where = home(model, pose)
        if where.shape:
            raise InputError("pose", f"batch shape {where.shape}", "must be one pose")
        M, plant = mass_matrix(model, where), linearize(model, where)
        # errors and efforts in units of the machine, time in 1/w: there the weights are one, whatever masses and w are
        C, mass = np.linalg.cholesky(leg_mass_matrix(model, where)), np.linalg.cholesky(M).T
        T, Q = np.zeros((12, 12)), np.eye(12)
        T[LINEAR.pose, LINEAR.pose], T[LINEAR.twist, LINEAR.twist] = w * mass, mass
        Q[LINEAR.twist, LINEAR.twist] *= 4 * z**2 - 2
        back = np.linalg.inv(T)
        try:
            if rate is None:
                A, B = T @ plant.A @ back / w, T @ plant.B @ C
                K = B.T @ solve_continuous_are(A, B, Q, np.eye(6))
            else:
                period = 1.0 / number("rate", rate, above=0.0)
                held, pushed, _, _ = plant.discrete(period)
                A, B = T @ held @ back, w * T @ pushed @ C
                X = solve_discrete_are(A, B, Q, np.eye(6))
                K = np.linalg.solve(np.eye(6) + B.T @ X @ B, B.T @ X @ A)
        except (ValueError, np.linalg.LinAlgError):
            why = "no gains were found: the machine is too near to a singular pose, or the bandwidth too extreme"
            raise InputError("bandwidth", bandwidth, why) from None
        return cls(model, w * C @ K @ T)
