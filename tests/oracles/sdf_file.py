"""The closed machine from an SDF file alone: every link free, every joint a constraint, written out here.

    [M J^T; J 0] (a, -f) = (applied - bias, -Jdot v),   v = (velocity of each link's origin, angular velocity), world
Jdot v by central differences along v.  Damping, springs and `gough:reflected_inertia` act along the rates of joints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gough.checks import Array
from gough.spatial import rotation_exp, skew
from oracles.closure import cross
from oracles.model_files import Scene

STEP = 1e-5
WORLD = "world"


def across(x: Array) -> list[Array]:
    """Two directions at right angles to x and to each other."""
    u = cross(x, np.eye(3)[int(np.argmin(np.abs(x)))])
    u = u / np.linalg.norm(u)
    return [u, cross(x, u)]


class FreeLinks(Scene):
    """One SDF at the pose at which it was written; `spun`: links that spin freely about their x axes, and do not."""

    def __init__(self, text: str, spun: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.spun = spun
        self.names = list(self.links)
        self.size = 6 * len(self.names)
        self.links[WORLD] = (np.eye(3), np.zeros(3))
        self.start = dict(self.links)
        self.gravity = np.array(self.root.find("world/gravity").text.split(), dtype=float)
        self.held = {name: self._hold(name) for name in self.joints}

    def _hold(self, name: str) -> tuple[str, str, str, list[Array], list[Array]]:
        """Type, links, anchor and axes of a joint in the axes of either link."""
        kind, parent, child, anchor, axes = self.joint(name)
        anchors, turned = [], []
        for i, link in enumerate((parent, child)):
            R, p = self.links[link]
            anchors.append(R.T @ (anchor - p))
            if axes:
                own = axes[-1] if i else axes[0]
                turned.append(R.T @ own)
        return kind, parent, child, anchors, turned

    def _row(self, link: str, linear: Array, angular: Array) -> Array:
        """A row (or several) of what a link's velocities contribute."""
        row = np.zeros((*linear.shape[:-1], self.size))
        if link != WORLD:
            at = 6 * self.names.index(link)
            row[..., at : at + 3], row[..., at + 3 : at + 6] = linear, angular
        return row

    def constraints(self) -> Array:
        """Jacobian of all joints where the links are now."""
        rows = []
        for kind, a, b, anchors, axes in self.held.values():
            (Ra, pa), (Rb, pb) = self.links[a], self.links[b]
            ra, rb = Ra @ anchors[0], Rb @ anchors[1]
            E, Z = np.eye(3), np.zeros((3, 3))
            if kind in ("ball", "universal", "revolute"):
                rows.append(self._row(b, E, -skew(rb)) - self._row(a, E, -skew(ra)))
            else:
                rows.append(Ra.T @ (self._row(b, Z, E) - self._row(a, Z, E)))
            if kind == "fixed":
                rows.append(self._row(b, E, -skew(rb)) - self._row(a, E, -skew(ra)))
            if kind == "prismatic":
                for u in across(axes[0]):
                    n = Ra @ u
                    arm = pb + rb - pa
                    row = self._row(b, n, cross(rb, n)) - self._row(a, n, cross(arm, n))
                    rows.append(row[None])
            if kind in ("universal", "revolute"):
                y = Rb @ axes[1]
                for u in [axes[0]] if kind == "universal" else across(axes[0]):
                    n, zero = cross(Ra @ u, y), np.zeros(3)
                    rows.append((self._row(a, zero, n) - self._row(b, zero, n))[None])
        return np.concatenate(rows)

    def rates(self, name: str) -> Array:
        """Rows of the rates of a joint's axes where the links are now."""
        kind, a, b, anchor, axes = self.joint(name)
        zero, rows = np.zeros(3), []
        for x in axes:
            if kind == "prismatic":
                arms = [cross(anchor - self.links[link][1], x) for link in (b, a)]
                rows.append(self._row(b, x, arms[0]) - self._row(a, x, arms[1]))
            else:
                rows.append(self._row(b, zero, x) - self._row(a, zero, x))
        return np.array(rows).reshape(-1, self.size)

    def _velocities(self, twist: Array) -> Array:
        """Velocities of all links of the closed machine."""
        top, mine = 6 * self.names.index("platform"), np.zeros(self.size, bool)
        mine[top : top + 6] = True
        J = [self.constraints()]
        J += [self._row(n, np.zeros(3), self.links[n][0][:, 0])[None] for n in self.spun]
        J, v = np.concatenate(J), np.zeros(self.size)
        v[mine] = twist
        v[~mine] = np.linalg.lstsq(J[:, ~mine], -J[:, mine] @ twist, rcond=None)[0]
        assert np.abs(J @ v).max() < 1e-8 * (1.0 + np.abs(v).max())
        return v

    def _changes(self, v: Array, rows: Callable[[], Array]) -> Array:
        """``d(rows)/dt v`` while the links move so."""
        sides = []
        for step in (STEP, -STEP):
            for i, name in enumerate(self.names):
                (R, p), (u, w) = self.start[name], step * v[6 * i : 6 * i + 6].reshape(2, 3)
                self.links[name] = (rotation_exp(w) @ R, p + u)
            sides.append(rows())
        self.links = dict(self.start)
        return (sides[0] - sides[1]) @ v / (2 * STEP)

    def acceleration(self, velocity: Array, turn: Array, rotation: Array, effort: Array) -> Array:
        """(6,) of the platform, world axes; efforts on the drives in their order in the file."""
        v, top = (
            self._velocities(np.concatenate([velocity, turn])),
            6 * self.names.index("platform"),
        )
        M, force = self._bodies(v)
        self._joints(M, force, v, effort)
        J, drift = self.constraints(), self._changes(v, self.constraints)
        system = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        return np.linalg.solve(system, np.concatenate([force, -drift]))[top : top + 6]

    def _bodies(self, v: Array) -> tuple[Array, Array]:
        """Mass matrix about the links' origins, and weight less what the rates need."""
        M, force = np.zeros((self.size, self.size)), np.zeros(self.size)
        for i, name in enumerate(self.names):
            body, (R, _), w = self.bodies[name], self.links[name], v[6 * i + 3 : 6 * i + 6]
            m, c, I = body.mass, R @ body.center, R @ body.inertia @ R.T
            own, C = slice(6 * i, 6 * i + 6), skew(c)
            M[own, own] = np.block([[m * np.eye(3), -m * C], [m * C, I - m * C @ C]])
            pull = m * (self.gravity - cross(w, cross(w, c)))
            force[own] = np.concatenate([pull, cross(c, pull) - cross(w, I @ w)])
        return M, force

    def _joints(self, M: Array, force: Array, v: Array, effort: Array) -> None:
        """Drives, damping, springs and drive inertia along the rates of the joints."""
        drives = iter(effort)
        for name, joint in self.joints.items():
            inertia = joint.findtext("{urn:gough}reflected_inertia")
            axes = [a.find("dynamics") for a in joint if a.tag[:4] == "axis"]
            for row, said in zip(self.rates(name), axes, strict=True):
                force -= float(said.findtext("damping")) * (row @ v) * row
                stiffness = float(said.findtext("spring_stiffness", "0"))
                force += stiffness * float(said.findtext("spring_reference", "0")) * row
            if inertia is not None:
                (row,) = self.rates(name)
                change = self._changes(v, lambda name=name: self.rates(name))[0]
                M += float(inertia) * np.outer(row, row)
                force += (next(drives) - float(inertia) * change) * row
