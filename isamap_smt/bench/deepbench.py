"""DeepBench's problem sizes as cases: every distinct size below 30 GFLOP, in DeepBench's order; few steps of long sequences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from isamap_smt.bench.case import Case
from isamap_smt.language.library import find_kernel

LIMIT = 30e9  # operations: larger ones take seconds a call and say nothing new
SETS = ("training", "inference_server", "inference_device")
_TINY = 10e6  # operations: a call takes microseconds, and its fixed costs show


def rows(kind: str) -> list[tuple[Any, ...]]:
    """The distinct rows of shapes/deepbench_KIND.json.

    >>> rows("gemm")[0]
    (1760, 16, 1760, False, False)
    """
    document = json.loads((files("isamap_smt.bench") / "shapes" / f"deepbench_{kind}.json").read_text())
    return list(dict.fromkeys(tuple(r) for name in SETS for r in document[name]))


def source(kind: str) -> str:
    """Where the sizes come from: repository, commit and file."""
    document = json.loads((files("isamap_smt.bench") / "shapes" / f"deepbench_{kind}.json").read_text())
    return str(document["source"])


def gemms(dtypes: tuple[str, str, str]) -> Iterator[Case]:
    """Matrix products C[N,M] = X[N,K] W[K,M] with these element types of X, W and C.

    a_t of DeepBench stores the weights as W[M,K] (NT), b_t the activations as X[K,N] (TN).
    """
    for m, n, k, a_t, b_t in rows("gemm"):
        if 2.0 * m * n * k >= LIMIT:
            continue
        kernel, form = ("gemm_nt", "NT") if a_t else ("gemm_tn", "TN") if b_t else ("gemm", "NN")
        yield Case(
            name=f"{m}x{n}x{k} {form}",
            family="matmul",
            kernel=kernel,
            sizes=(("i", n), ("j", m), ("k", k)),
            dtypes=tuple(zip("ABC", dtypes, strict=True)),
            weights=("B",),
            group=gemm_group(m, n, k),
            form=form,
        )


def gemm_group(m: int, n: int, k: int) -> str:
    """tiny, thin (N <= 8), skinny (N <= 64), odd (an extent that no vector divides), or large.

    >>> gemm_group(512, 1, 512), gemm_group(7680, 4, 2560), gemm_group(1760, 16, 1760), gemm_group(35, 700, 2048)
    ('tiny', 'thin', 'skinny', 'odd')
    """
    if 2.0 * m * n * k < _TINY:
        return "tiny"
    if n <= 8:
        return "thin"
    if n <= 64:
        return "skinny"
    return "odd" if m % 4 or n % 4 else "large"


def convolutions() -> Iterator[Case]:
    """Two-dimensional convolutions, f32, channels last. Images have the least height and width that give the output.

    (Where DeepBench's image has a row that no window reaches, that row is left out: the work is the same.)
    """
    for w, h, c, n, k, s, r, pad_w, pad_h, stride_w, stride_h in rows("conv"):
        p, q = (h + 2 * pad_h - r) // stride_h + 1, (w + 2 * pad_w - s) // stride_w + 1
        if 2.0 * n * p * q * k * c * r * s >= LIMIT:
            continue
        window = f"{r}x{s}" + (f" s{stride_h}" if stride_h > 1 else "")
        yield conv_case("conv2d", (n, p, q, k, c, r, s), stride_h, pad_h, f"{h}x{w}x{c}->{k} {window} n{n}")


def conv_case(kernel: str, extents: tuple[int, ...], stride: int, pad: int, name: str) -> Case:
    """A convolution as a case, with the extents that its kernel has.

    One of a single element without stride and padding is a matrix product per pixel.
    """
    n, p, q, k, c, r, s = extents
    group = conv_group(kernel, c, r * s, 2.0 * n * p * q * k * c * r * s)
    if kernel == "conv2d" and (r, s, stride, pad) == (1, 1, 1, 0):
        kernel = "pointwise_conv2d"
    problem = find_kernel(kernel)
    known = {a.name for a in problem.axes} | {x.name for x in problem.parameters}
    sizes = dict(n=n, p=p, q=q, k=k, c=c, r=r, s=s, sp=stride, sq=stride, dp=1, dq=1, pp=pad, pq=pad)
    _, *weights = problem.inputs
    return Case(
        name=name,
        family="separable" if problem.temporaries else "conv",
        kernel=kernel,
        sizes=tuple((x, value) for x, value in sizes.items() if x in known),
        dtypes=tuple((x, "f32") for x in (*problem.inputs, *problem.results)),
        weights=tuple(weights),
        group=group,
        form=f"{r}x{s}",
    )


_CLASSES = {"depthwise_conv2d": "depthwise", "depthwise_separable_conv2d": "separable"}  # whatever their sizes


def conv_group(kernel: str, channels: int, window: int, operations: float) -> str:
    """depthwise, separable, tiny, few channels (C <= 3), 1x1, 3x3, or wide (a larger window)."""
    if kernel in _CLASSES:
        return _CLASSES[kernel]
    if operations < _TINY:
        return "tiny"
    if channels <= 3:
        return "few channels"
    return {1: "1x1", 9: "3x3"}.get(window, "wide")


STEPS = 25  # at most: DeepBench goes to 1500, and every step takes the same time
BATCH = 32  # the largest batch of a recurrent layer


def recurrent(cell: str) -> Iterator[Case]:
    """Layers of gru or lstm cells, f32, as many inputs as hidden elements: forward, input projection included.

    DeepBench's own cells without gates (vanilla) are no case. Sizes that differ in steps above STEPS are one.
    """
    found = dict.fromkeys((n, b, min(t, STEPS)) for n, b, t, kind in rows("rnn") if kind == cell and b <= BATCH)
    for n, b, t in found:
        case = recurrent_case(cell, n, b, t)
        if case.operations < LIMIT:
            yield case


def recurrent_case(cell: str, hidden: int, batch: int, steps: int, inputs: int | None = None) -> Case:
    """A layer as a case; without `inputs` it has as many as hidden elements.

    >>> recurrent_case("lstm", 512, 4, 25).name
    '512x4 t25'
    """
    return Case(
        name=f"{hidden}x{batch} t{steps}",
        family=cell,
        kernel=cell,
        sizes=(("t", steps), ("b", batch), ("j", hidden), ("c", inputs or hidden)),
        dtypes=(("X", "f32"), ("W", "f32"), ("U", "f32"), ("H", "f32")),
        weights=("W", "U"),
        group=recurrent_group(batch),
        form=f"{steps} step{'s' * (steps > 1)}",
    )


def recurrent_group(batch: int) -> str:
    """By batch: one reads the weights for every element of it, eight and more keep the multipliers busy.

    >>> recurrent_group(1), recurrent_group(4), recurrent_group(16)
    ('batch 1', 'batch 2-4', 'batch 8-32')
    """
    if batch == 1:
        return "batch 1"
    return "batch 2-4" if batch < 8 else "batch 8-32"


#: Height (= width), channels, stride and output channels of MobileNet's depthwise separable layers (Howard et al., 2017,
#: table 1): 3x3, padded by 1, then 1x1.
MOBILENET = (
    (112, 32, 1, 64),
    (112, 64, 2, 128),
    (56, 128, 1, 128),
    (56, 128, 2, 256),
    (28, 256, 1, 256),
    (28, 256, 2, 512),
    (14, 512, 1, 512),
    (14, 512, 2, 1024),
    (7, 1024, 1, 1024),
)


def depthwise() -> Iterator[Case]:
    """MobileNet's depthwise layers, one image each; DeepBench has none."""
    for h, c, stride, _ in MOBILENET:
        yield _mobilenet("depthwise_conv2d", h, c, stride, 1, f"{h}x{h}x{c}")


def separable() -> Iterator[Case]:
    """The same layers, each with the pointwise layer that follows it."""
    for h, c, stride, k in MOBILENET:
        yield _mobilenet("depthwise_separable_conv2d", h, c, stride, k, f"{h}x{h}x{c}->{k}")


def _mobilenet(kernel: str, height: int, channels: int, stride: int, k: int, image: str) -> Case:
    p = (height + 2 - 3) // stride + 1
    name = f"{image} 3x3" + (f" s{stride}" if stride > 1 else "")
    return conv_case(kernel, (1, p, p, k, channels, 3, 3), stride, 1, name)
