"""Compiled functions called by their address, and arrays handed over as numbers.

numba links a callee's code into each of its callers, which compiles a large kernel again with every one of them: by an
address the caller's machine code holds nothing of theirs.  And it looks at every argument of every call from Python:
many arrays that stay the same from call to call go over as one array of numbers (`Described`, `array_at`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array
from numpy.typing import NDArray


def address(compiled: Any) -> int:
    """Where the machine code of a function with one signature begins; it must live as long as the address is used."""
    (found,) = compiled.overloads.values()
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))


def caller(signature: Any) -> Any:
    """``call(address, (arguments...))`` of a compiled function ``void(...)``; its exceptions are passed on."""
    wanted = signature.args

    @intrinsic
    def call(typingctx: Any, where: Any, given: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            convention = context.call_conv
            kind = convention.get_function_type(types.void, wanted)
            function = builder.inttoptr(args[0], kind.as_pointer())
            values = [
                context.cast(builder, value, have, want)
                for value, have, want in zip(
                    cgutils.unpack_tuple(builder, args[1]), sig.args[1].types, wanted, strict=True
                )
            ]
            status, _ = convention.call_function(builder, function, types.void, wanted, values)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return context.get_dummy_value()

        return types.void(types.int64, given), codegen

    return call


class Described:
    """Arrays as numbers: address, shape and strides of each; it holds them as long as they are in use."""

    def __init__(self, arrays: Sequence[NDArray[Any]]) -> None:
        self.arrays, sizes = list(arrays), [1 + 2 * a.ndim for a in arrays]
        self._first, self.numbers = [0, *accumulate(sizes)], np.empty(sum(sizes), dtype=np.int64)
        for at, array in enumerate(arrays):
            self.put(at, array)

    def put(self, at: int, array: NDArray[Any]) -> None:
        """Another array in the place of one with as many axes."""
        self.arrays[at] = array
        where = array.__array_interface__["data"][0]
        self.numbers[self._first[at] : self._first[at + 1]] = where, *array.shape, *array.strides


def array_at(kinds: Sequence[Any], at: int) -> Any:
    """``array(numbers)``: number `at` of the arrays of these numba types that a `Described` wrote down."""
    first, kind = sum(1 + 2 * k.ndim for k in kinds[:at]), kinds[at]

    @intrinsic
    def array(typingctx: Any, numbers: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            where = cgutils.create_struct_proxy(sig.args[0])(context, builder, args[0]).data
            count = 1 + 2 * kind.ndim
            told = [builder.load(cgutils.gep(builder, where, first + i)) for i in range(count)]
            found = context.make_array(kind)(context, builder)
            data = builder.inttoptr(told[0], found.data.type)
            size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
            size = context.get_constant(types.intp, size)
            shape, strides = told[1 : 1 + kind.ndim], told[1 + kind.ndim :]
            populate_array(found, data, shape, strides, size, meminfo=None)
            return found._getvalue()

        return kind(numbers), codegen

    return array
