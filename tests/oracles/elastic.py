"""The machine on elastic drives as an outside engine sees it: its rotors are hinges that nothing holds.

Independent speeds u = (v, w, spin rates, rates of the six motors at their actuators); a rotor turns with its ratio
times the motor's rate.  Efforts: ``J^T y`` on the platform, what is left of the motors' efforts, ``push``, on theirs.
"""

from __future__ import annotations

import numpy as np

from gough.checks import Array
from gough.results import Reactions
from oracles.machines import Case
from oracles.projection import Closed, Engine


class ElasticClosed(Closed):
    """One machine in one state, its motors turning with rates of their own."""

    def __init__(self, engine: Engine, case: Case, state: int, drive_rate: Array) -> None:
        self.drive_rate = drive_rate
        given = (case.motion[state], case.external[state])
        spin = (case.spin_angle[state], case.spin_rate[state])
        super().__init__(engine, case.platform, *given, *spin)

    def _jacobians(self) -> None:
        super()._jacobians()
        self.u = np.concatenate([self.u, self.drive_rate])

    def _leg_system(self, i: int) -> tuple[Array, Array]:
        A, columns = super()._leg_system(i)
        count = len(self.engine.tree.legs[i].rotors)
        if count:
            A[len(A) - count :] = 0.0
            for k, (node, _, _) in enumerate(self.engine.tree.legs[i].rotors):
                at = list(columns).index(self.engine.dofs[node].start)
                A[len(A) - count + k, at] = 1.0
        return A, columns

    def _velocity_map(self) -> Array:
        B = super()._velocity_map()
        for i, n in enumerate(self.engine.tree.legs):
            A, columns = self.systems[i]
            rhs = np.zeros(len(A))
            rhs[len(A) - len(n.rotors) :] = [along for _, along, _ in n.rotors]
            B[columns, len(self.u) - 6 + i] = np.linalg.solve(A, rhs)
        return B

    def accelerations(self, effort: Array, push: Array) -> tuple[Array, Array, Array]:
        """Of the platform, of the six spins and of the six motors."""
        M, rest, J = self.equations()
        force = np.concatenate([J.T @ effort + self._wrench(), np.zeros(len(self.spinning)), push])
        found = np.linalg.solve(M, force - rest)
        spun = np.zeros(6)
        spun[self.spinning] = found[6:-6]
        return found[:6], spun, found[-6:]

    def equations(self) -> tuple[Array, Array, Array]:
        """Mass matrix, bias (platform, spins, motors) and the rows of the actuators."""
        J = (self._actuators() @ self.B)[:, :6]
        M = self.B.T @ self.engine.mass_matrix() @ self.B
        return M, self.B.T @ (self.engine.inverse(self.drift) - self._friction()), J

    def kinetic(self) -> float:
        """J."""
        return 0.5 * float(self.qd @ self.engine.mass_matrix() @ self.qd)

    def _carried_on(self, i: int, effort: Array) -> Array:
        return np.zeros_like(effort)  # the springs do, with what they transmit

    def loads(self, drive_acceleration: Array) -> tuple[Array, Array, Reactions]:
        """What the springs transmit, what the motors are left with, and all reactions, of a motion of all twelve."""
        M, rest, J = self.equations()
        xdd = np.concatenate([self.motion.acceleration, self.motion.angular_acceleration])
        known, free = [*range(6), *range(len(self.u) - 6, len(self.u))], slice(6, len(self.u) - 6)
        given = np.concatenate([xdd, drive_acceleration])
        spin = np.linalg.solve(M[free, free], -(M[free][:, known] @ given + rest[free]))
        qdd = self.B @ np.concatenate([xdd, spin, drive_acceleration]) + self.drift
        effort = self.engine.inverse(qdd) - self._friction()
        whole = self.B.T @ effort
        y = np.linalg.solve(J.T, whole[:6] - self._wrench())
        return y, whole[-6:], self._reactions(qdd, effort, y)
