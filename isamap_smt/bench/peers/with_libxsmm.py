"""libxsmm, API 1.x: one kernel is generated for the whole product, in columns, on one thread."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.contenders import libxsmm
from isamap_smt.bench.work import Unsupported, Work


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """C[N,M] = X[N,K] W[K,M] in rows is C' = W' X' in columns. Raises Unsupported where no kernel is generated."""
    library = ctypes.CDLL(str(libxsmm()))
    dispatch = getattr(library, "libxsmm_smmdispatch", None)
    if dispatch is None:
        raise Unsupported("this libxsmm has no libxsmm_smmdispatch: it is not of API 1.x")
    library.libxsmm_init()
    size = case.size
    n, m, k = size["i"], size["j"], size["k"]
    dispatch.restype = ctypes.c_void_p
    beta = ctypes.c_float(0.0)
    found = dispatch(
        ctypes.c_int(m), ctypes.c_int(n), ctypes.c_int(k), None, None, None, None, ctypes.byref(beta), None, None
    )
    if not found:
        raise Unsupported(f"no kernel is generated for {m}x{n}x{k}")
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(found)
    out = np.full((n, m), np.nan, np.float32)
    w, x, c = (ctypes.c_void_p(t.ctypes.data) for t in (arrays["B"], arrays["A"], out))
    held = (arrays["A"], arrays["B"], out)  # the pointers do not keep them
    return Work(lambda: call(w, x, c), lambda: held[2], {"call": "libxsmm_smmdispatch(m, n, k), beta 0"})
