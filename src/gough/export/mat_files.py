"""Tables for MATLAB and Octave: a .mat file (version 5) with each variable by its name, its unit and its meaning.

A variable has its dimensions in the table's order, time first: ``length(k, i)`` is leg i at sample k; what has one
dimension is a column.  Names along a dimension (legs, axes) are cell arrays of text, and the structs `units` and
`long_name` have a field for each variable.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.checks import InputError
from gough.extras import package
from gough.storage import write_whole

if TYPE_CHECKING:
    from xarray import Dataset

LONGEST = 31  # letters of a name in such a file, of a field too
NOTES = ("units", "long_name")


def write_mat(table: Dataset, path: str | os.PathLike[str]) -> Path:
    """Write all variables and coordinates of a table; the file appears complete or not at all.

    Numbers keep all their digits.  A name that MATLAB could not read, or that would hide `units` or `long_name`, is
    refused; text that is not ASCII, too, for such a file says nothing of its encoding.
    """
    savemat = package("scipy.io").savemat

    content: dict[str, Any] = {}
    notes: dict[str, dict[str, str]] = {name: {} for name in NOTES}
    for key, variable in table.variables.items():
        name = _named(str(key))
        content[name] = _values(name, variable.values)
        for note in NOTES:
            notes[note][name] = _ascii(name, str(variable.attrs.get(note, "")))
    memory = io.BytesIO()
    savemat(memory, content | notes, oned_as="column", long_field_names=False)
    return write_whole(path, memory.getvalue())


def _named(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or len(name) > LONGEST or name in NOTES:
        problem = f"must be at most {LONGEST} letters, digits and _, and neither of {NOTES}"
        raise InputError("name", name, f"a variable of a .mat file {problem}")
    return name


def _values(name: str, values: Any) -> Any:
    """Numbers as they are, text as a cell array."""
    data = np.asarray(values)
    if data.dtype.kind in "fiub":
        return data
    if data.dtype.kind not in "UO":
        raise InputError(name, str(data.dtype), "a .mat file takes numbers and text")
    cells = np.empty(data.shape, dtype=object)
    for at in np.ndindex(data.shape):
        cells[at] = _ascii(name, str(data[at]))
    return cells


def _ascii(name: str, text: str) -> str:
    if not text.isascii():
        raise InputError(name, text, "text of a .mat file must be ASCII")
    return text
