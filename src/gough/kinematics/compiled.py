"""The decorators of the compiled kernels in this room; their machine code lies in the one cache (engines/cache.py)."""

from __future__ import annotations

from gough.engines.cache import njit

kernel = njit(nogil=True, error_model="numpy", fastmath={"contract"})
strict_kernel = njit(
    nogil=True, error_model="numpy", fastmath=False
)  # no fused multiply-adds: error-free sums
