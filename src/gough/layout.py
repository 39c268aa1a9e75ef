"""Where each number stands: every block of a state, an answer or a parameter row by its name, once.

``MOTION.rotation`` is ``slice(3, 12)``, a block of one number is its index, ``MOTION.size`` is 24: no other module
writes a column number.
"""

from __future__ import annotations

from typing import Any


class Layout:
    """Named blocks side by side in a row of numbers.

    names, widths   the blocks in order;   size   of the whole row
    layout.name     slice of a block, or its index where it is one number wide
    layout.at(name) first column of a block
    """

    def __init__(self, **widths: int) -> None:
        self.names, self.widths = tuple(widths), tuple(widths.values())
        self._first: dict[str, int] = {}
        start = 0
        for name, width in widths.items():
            self._first[name] = start
            setattr(self, name, start if width == 1 else slice(start, start + width))
            start += width
        self.size = start

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no block {name!r}; there are {', '.join(self.names)}")

    def at(self, name: str) -> int:
        """First column of a block."""
        return self._first[name]

    def blocks(self) -> tuple[tuple[str, int], ...]:
        """(name, width) of each block in order."""
        return tuple(zip(self.names, self.widths, strict=True))

    def then(self, **widths: int) -> Layout:
        """This layout with more blocks behind it."""
        return Layout(**dict(self.blocks()), **widths)


POSE = Layout(position=3, rotation=9)
STATE = POSE.then(velocity=3, angular_velocity=3)
MOTION = STATE.then(acceleration=3, angular_acceleration=3)
LEG_MOTION = Layout(coordinate=1, rate=1, acceleration=1, direction=3, angular_velocity=3, angular_acceleration=3)
LEG_RECORD = LEG_MOTION.then(
    eta=1, effort=1, spin_acceleration=1, spherical_force=3, universal_force=3, universal_moment=3,
    prismatic_force=3, prismatic_moment=3, risk=1)
SPIN = Layout(cosine=1, sine=1, rate=1)
FORWARD = Layout(acceleration=3, angular_acceleration=3, spin_acceleration=6, bias=6)
TWIST = Layout(linear=3, angular=3)
FORWARD_SOLUTION = Layout(status=1, iterations=1, residual=1, certified=1, straight=1, pieces=1)
LEG_GEOMETRY = Layout(kind=1, base=3, joint=3, e=3, u=3, n=3, h=1, length=1, sign=1, rho=1, axis=3)
CERTIFICATE = Layout(q=3, center=3, strut=3, size=1, sums=1, squares=1, shifts=1, error=1, first=1, first_rho=1,
                     second=1, second_rho=1)
