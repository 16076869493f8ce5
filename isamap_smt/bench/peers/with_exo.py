"""Exo: an sgemm scheduled with its public operators, generated for the case's sizes and built as our own kernels are."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.peers.exo_schedule import NAME, source
from isamap_smt.bench.work import Unsupported, Work
from isamap_smt.language.hardware_library import host_features
from isamap_smt.runtime import build_library

_AVX2, _AVX512 = ("avx2", "fma"), ("avx512f",)


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """C += A B, from zeros on. Raises Unsupported where this CPU lacks what the schedule is written for."""
    have = host_features()
    requires = next((r for r in (_AVX512, _AVX2) if have.issuperset(r)), None)
    if requires is None:
        raise Unsupported("the schedule is for AVX-512, or AVX2 with FMA")
    size = case.size
    text, words = source(size["i"], size["j"], size["k"], avx512=requires is _AVX512)
    call = getattr(ctypes.CDLL(str(build_library(text, requires, native=True))), NAME)
    call.argtypes, call.restype = [ctypes.c_void_p] * 4, None
    out = np.zeros((size["i"], size["j"]), np.float32)
    a, b, c = (ctypes.c_void_p(t.ctypes.data) for t in (arrays["A"], arrays["B"], out))
    held = (arrays["A"], arrays["B"], out)  # the pointers do not keep them
    return Work(lambda: call(None, a, b, c), lambda: held[2], {"call": f"Exo's sgemm, {words}"})
