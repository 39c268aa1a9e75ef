"""Compiled functions called by their address: the caller's machine code holds nothing of theirs.

numba links a callee's code into each of its callers, which compiles a large kernel again with every one of them.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic


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
