"""NumPy: operators, and matmul with the result in place. Transposed operands are views, which BLAS takes as they lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import OPERATORS
from isamap_smt.bench.peers import operators_numpy
from isamap_smt.bench.work import Work


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """Threads are set by the environment."""
    if case.family in OPERATORS:
        return operators_numpy.work(case, arrays)
    a, b = arrays["A"], arrays["B"]
    x, w = (a.T if case.form == "TN" else a), (b.T if case.form == "NT" else b)
    out = np.full((x.shape[0], w.shape[1]), np.nan, np.float32)
    return Work(lambda: np.matmul(x, w, out=out), lambda: out, {"call": "numpy.matmul(x, w, out=out)"})
