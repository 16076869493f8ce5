"""The node cases that ONNX ships: a model of one node, its inputs, and the results that it must have."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

import isamap_smt as im
from isamap_smt.ir.errors import NetworkError

Arrays = dict[str, np.ndarray]
# Each of these rounds every intermediate to bf16, and allows less than one step of bf16: f32 inside gives other last bits.
ROUNDED_INSIDE = {
    "test_attention_4d_causal_bf16", "test_attention_4d_padded_kv_bf16", "test_attention_4d_causal_padded_kv_bf16",
    "test_attention_4d_attn_mask_causal_bf16", "test_attention_3d_causal_bf16",
}  # fmt: skip


@dataclass(frozen=True)
class Result:
    """refused: why no network is made of the case; wrong: how its results differ. Both are empty where it is computed."""

    refused: str = ""
    wrong: str = ""

    @property
    def ok(self) -> bool:
        """Whether it is computed as the case says."""
        return not self.refused and not self.wrong


@cache
def cases() -> list[Any]:
    """Those of one node."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [c for c in collect_testcases(None) if len(c.model.graph.node) == 1]
    return sorted(found, key=lambda c: c.name)


def array(x: Any) -> Any:
    """A tensor of a case as an array."""
    return numpy_helper.to_array(x) if isinstance(x, onnx.TensorProto) else np.asarray(x)


def network_of(case: Any) -> tuple[im.Network, Arrays]:
    """The case's network, inputs on which shapes depend being known, and the arrays of the others. Raises NetworkError."""
    given = dict(zip((i.name for i in case.model.graph.input), case.data_sets[0][0], strict=False))
    known: Arrays = {}
    while True:
        try:
            made = im.from_onnx(case.model, constants=known)
            return made, {n: array(given[n]) for n in made.inputs}
        except NetworkError as error:
            wanted = re.search(r"constants=\{'([^']+)'", str(error))
            if wanted is None or wanted[1] in known:
                raise
            known[wanted[1]] = array(given[wanted[1]])


def differs(case: Any, got: Arrays) -> str:
    """How the results differ from the case's; "" where they do not."""
    for value, wanted in zip(case.model.graph.output, map(array, case.data_sets[0][1]), strict=False):
        found = got[value.name]
        if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
            return f"{value.name} is {found.dtype}{list(found.shape)}, and not {wanted.dtype}{list(wanted.shape)}"
        a, b = (x if x.dtype.kind in "biu" else x.astype(np.float64) for x in (found, wanted))
        if not np.allclose(a, b, rtol=case.rtol, atol=case.atol, equal_nan=True):
            return f"{value.name} is {found}, and not {wanted}"
    return ""


def result(case: Any, run: Callable[[im.Network, Arrays], Arrays] = im.run_network) -> Result:
    """What becomes of a case that is computed by `run`; errors of `run` are its caller's."""
    try:
        network, arrays = network_of(case)
    except NetworkError as error:
        return Result(refused=str(error))
    with np.errstate(all="ignore"):
        return Result(wrong=differs(case, run(network, arrays)))
