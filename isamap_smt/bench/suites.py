"""A suite is a list of cases with a name: `isamap bench SUITE`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from isamap_smt.bench import deepbench, operators
from isamap_smt.bench.case import CONDITIONS, Case
from isamap_smt.ir.errors import IsamapError, UnknownNameError, did_you_mean


class SuiteError(IsamapError):
    """A choice of cases that leaves none."""


@dataclass(frozen=True)
class Suite:
    """`quick`: names of the handful that `--quick` runs, one or more of each class.

    conditions: what may be known of the weights; a recurrent layer's are the same at every step, so never free, and most operators
    have none.
    """

    name: str
    about: str
    make: Callable[[], Iterable[Case]]
    quick: tuple[str, ...]
    conditions: tuple[str, ...] = CONDITIONS

    def cases(self, quick: bool = False, only: str | None = None) -> list[Case]:
        """The cases whose names the pattern `only` is found in. Raises SuiteError when none is left."""
        found = [c for c in self.make() if not quick or c.name in self.quick]
        if only is None:
            return found
        try:
            kept = [c for c in found if re.search(only, c.name)]
        except re.error as error:
            raise SuiteError(f"--only {only}: not a regular expression: {error}") from None
        if not kept:
            raise SuiteError(
                f"--only {only}: no case of {self.name}{' --quick' if quick else ''} has such a name; "
                f"names look like {found[0].name!r}"
            )
        return kept


_GEMM_QUICK = (
    "1024x700x512 NN",
    "1024x700x512 NT",
    "1760x16x1760 NN",
    "1760x16x1760 NT",
    "512x16x512 NN",
    "512x16x512 TN",
    "3072x1x1024 NN",
    "35x700x2048 NN",
)
_CONV_QUICK = ("54x54x64->64 3x3 n1", "7x7x512->512 3x3 n1", "28x28x512->128 1x1 n1", "48x480x1->16 3x3 n1")
_CONSTANT, _FREE = ("constant",), ("free",)
_ALL = (
    Suite(
        "gemm-f32",
        "DeepBench's matrix products, f32",
        lambda: deepbench.gemms(("f32", "f32", "f32")),
        _GEMM_QUICK,
    ),
    Suite(
        "gemm-int8",
        "the same, u8 x i8 -> i32",
        lambda: deepbench.gemms(("u8", "i8", "i32")),
        _GEMM_QUICK,
    ),
    Suite(
        "gemm-bf16",
        "the same, bf16 with sums in f32",
        lambda: deepbench.gemms(("bf16", "bf16", "f32")),
        _GEMM_QUICK,
    ),
    Suite("conv", "DeepBench's convolutions, f32, channels last", deepbench.convolutions, _CONV_QUICK),
    Suite(
        "depthwise",
        "MobileNet's depthwise convolutions, f32",
        deepbench.depthwise,
        ("56x56x128 3x3", "14x14x512 3x3", "112x112x64 3x3 s2"),
    ),
    Suite(
        "separable",
        "MobileNet's depthwise separable convolutions, f32: 3x3 depthwise, then 1x1",
        deepbench.separable,
        ("56x56x128->128 3x3", "28x28x256->256 3x3", "112x112x64->128 3x3 s2"),
    ),
    Suite(
        "gru",
        "DeepBench's GRU layers, f32, input projection included",
        lambda: deepbench.recurrent("gru"),
        ("512x1 t1", "1024x1 t25", "1024x4 t25", "1024x32 t25", "2816x1 t25"),
        _CONSTANT,
    ),
    Suite(
        "lstm",
        "DeepBench's LSTM layers, f32, input projection included",
        lambda: deepbench.recurrent("lstm"),
        ("256x1 t25", "512x4 t25", "512x16 t25", "1024x1 t25", "1536x8 t25"),
        _CONSTANT,
    ),
    *(
        Suite(name, about, partial(operators.cases, name), quick, conditions)
        for name, about, quick, conditions in (
            (
                "reductions",
                "sums, maxima and log-sum-exps of rows and columns, dot products, f32",
                ("row_sum 128x768", "row_max 128x768", "column_max 1000x1000", "dot 98304", "log_sum_exp 128x768"),
                _FREE,
            ),
            (
                "elementwise",
                "addition, scale and shift, GELU and SiLU, f32",
                ("add 8x768", "add 128x768", "scale_add_relu 128x768", "gelu_tanh 98304", "silu 98304"),
                _FREE,
            ),
            (
                "norms",
                "softmax, layer norm and RMS norm of rows, f32",
                ("softmax 128x768", "layer_norm 128x768", "rms_norm 128x768", "softmax 1000x1000"),
                _FREE,
            ),
            (
                "attention",
                "attention of BERT-base, 12 heads of 64, 128 and 512 tokens, causal too, f32",
                ("attention 12x128x128x64", "causal_attention 12x128x128x64"),
                _FREE,
            ),
            (
                "quantised",
                "layers of bytes with biases, scales and rounding to bytes, at BERT-base's sizes",
                ("qlinear 128x768x768", "linear 128x768x768"),
                _CONSTANT,
            ),
            (
                "operators",
                "one of each: pooling, argmax, running sums, other convolutions, resizing, contractions, gathers, and the above",
                ("argmax 128x1000", "cumulative_sum_along 256x512", "max_pool 1x28x28x64x3x3x2x1", "stencil2d 512x512"),
                CONDITIONS,
            ),
        )
    ),
)
SUITES = {s.name: s for s in _ALL}


def find_suites(names: Iterable[str]) -> list[Suite]:
    """The suites of these names; `all` stands for every one. Raises UnknownNameError.

    >>> [s.name for s in find_suites(["conv"])]
    ['conv']
    """
    found: dict[str, Suite] = {}
    for name in names:
        if name == "all":
            found |= SUITES
        elif name in SUITES:
            found[name] = SUITES[name]
        else:
            raise UnknownNameError(f"no such suite {name!r}; {did_you_mean(name, [*SUITES, 'all'])}")
    return list(found.values())
