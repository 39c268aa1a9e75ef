"""What a model file says that the machine does not: gathered, and said once.

`changed`  the machine would move otherwise than the file: refused, or (`approximate`) a warning
`outside`  no part of a machine here (a servo's law, a limit of a passive joint): always a warning
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gough.checks import InputError
from gough.model.body import model_warning


@dataclass(eq=False)
class ImportNotes:
    """Sentences about one file.

    tolerance  m: what lies within it is taken as fitting, with a word of how far off it was
    """

    path: str
    approximate: bool
    tolerance: float
    changes: list[str] = field(default_factory=list)
    left: dict[str, list[str]] = field(default_factory=dict)

    def changed(self, sentence: str) -> None:
        """Something cannot be carried over as it is."""
        self.changes.append(sentence)

    def outside(self, what: str, sentence: str) -> None:
        """Something is no part of a machine; what shares a sentence is said together."""
        self.left.setdefault(sentence, []).append(what)

    def refuse(self, what: str, why: str) -> InputError:
        """No machine can be made of this file."""
        return InputError(self.path, what, why)

    def near(self, off: float, rounding: float, what: str, sentence: str) -> bool:
        """`off` meters are none: by rounding, or within the tolerance, which is then said (`sentence` takes it)."""
        if off <= rounding:
            return True
        if off <= self.tolerance:
            told = sentence.format(f"{off:.4g} m")
            self.outside(what, f"{told}: within the tolerance, taken as none")
            return True
        return False

    def finish(self) -> None:
        """Refuse, or warn."""
        if self.changes and not self.approximate:
            more = (
                "; approximate=True (--approximate) takes the machine without these, with warnings"
            )
            raise InputError(
                self.path, "not a machine as it stands", "; ".join(self.changes) + more
            )
        left = [f"{', '.join(whats)}: {sentence}" for sentence, whats in self.left.items()]
        for sentence in (*self.changes, *left):
            model_warning(f"{self.path}: {sentence}")
