"""Limits without branches for compiled code: min, max and ternaries in a row are not vectorized."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import intrinsic


def _select(operator: str) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        x, bound = args
        return builder.select(builder.fcmp_ordered(operator, bound, x), bound, x)

    return codegen


@intrinsic
def smaller(typingctx: Any, x: Any, bound: Any) -> Any:
    """``bound if bound < x else x``; a NaN in x stays."""
    return types.float64(types.float64, types.float64), _select("<")


@intrinsic
def larger(typingctx: Any, x: Any, bound: Any) -> Any:
    """``bound if bound > x else x``; a NaN in x stays."""
    return types.float64(types.float64, types.float64), _select(">")
