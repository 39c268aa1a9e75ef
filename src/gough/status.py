"""How a computation ended: one type wherever a result can fail."""

from __future__ import annotations

GOOD = ("ok", "converged")


class Status(str):
    """A sentence for people that carries a code for programs; it is ordinary text everywhere else.

    code   one word: "ok" or "converged" where the answer stands, otherwise what went wrong
    value  the sentence itself
    """

    code: str

    def __new__(cls, code: str, sentence: str | None = None) -> Status:
        made = super().__new__(cls, code if sentence is None else sentence)
        made.code = code
        return made

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.code, str(self)

    def __repr__(self) -> str:
        return f"<{self.code}: {self}>" if str(self) != self.code else f"<{self.code}>"

    @property
    def ok(self) -> bool:
        """True where the answer stands."""
        return self.code in GOOD

    @property
    def value(self) -> str:
        """The sentence."""
        return str(self)

    def at(self, time: float) -> Status:
        """The same outcome with the moment it happened."""
        return Status(self.code, f"{self} at t = {time:.6g} s")


OK = Status("ok")
CONVERGED = Status("converged", "converged: the pose fulfills all six legs")
NO_CONVERGENCE = Status(
    "no-convergence", "Newton did not converge from this guess: no pose nearby, or a singular one"
)
SINGULAR = Status(
    "singular",
    "the platform is singular on the way to the answer: the legs do not determine its motion there",
)
UNREACHABLE = Status(
    "unreachable", "no pose exists: two of the legs contradict each other by the polygon inequality"
)
WRONG_BRANCH = Status(
    "wrong-branch",
    "a pose exists near the guess, but a PUS or RUS leg would have to be on its other branch",
)
NO_SAMPLE = Status(
    "no-sample",
    "the sample is not six finite (lengths: positive) coordinates: its step is left out",
)
