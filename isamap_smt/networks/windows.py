"""Operators of windows as kernel texts: convolutions from both sides, and pools. An image is [n, c, spatial ...]."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.graph import Var
from isamap_smt.networks.operators import computed_in, converted_text, literal, names


def window(axis: str, inner: str, stride: int, dilation: int, before: int) -> str:
    """The place read by point `inner` of the window at `axis`."""
    place = axis if stride == 1 else f"{stride}*{axis}"
    step = inner if dilation == 1 else f"{dilation}*{inner}"
    return f"{place}+{step}" + (f"-{before}" if before else "")


def windows(
    extents: Sequence[int],
    counts: Sequence[int],
    points: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    before: Sequence[int],
) -> tuple[list[str], list[str], str]:
    """Names of the axes inside windows, the places read, and the guard keeping them inside the image."""
    inner, places, tests = names(len(extents), "r"), [], []
    for n, extent in enumerate(extents):
        if points[n] == 1 and before[n] == 0:
            at = f"p{n}" if strides[n] == 1 else f"{strides[n]}*p{n}"
            if strides[n] * (counts[n] - 1) >= extent:
                tests.append(f"{at} < {extent}")
            places.append(at)
            continue
        at = window(f"p{n}", inner[n], strides[n], dilations[n], before[n])
        last = strides[n] * (counts[n] - 1) + dilations[n] * (points[n] - 1) - before[n]
        if before[n] > 0 or last >= extent:
            tests.append(f"0 <= {at} < {extent}")
        places.append(at)
    return inner, places, f" where {' and '.join(tests)}" if tests else ""


def convolution(
    x: Var, w: Var, bias: Var | None, strides: Sequence[int], dilations: Sequence[int], before: Sequence[int], after: Sequence[int],
    groups: int, to: DType | None = None,
) -> Var:  # fmt: skip
    """Cross-correlation: x [n, c, spatial...], w [m, c / groups, window...], bias [m]; result [n, m, spatial...]."""
    g, to = x.graph, to or x.dtype
    within = computed_in(to)
    space, points = x.shape[2:], w.shape[2:]
    counts = [
        (s + b + a - d * (k - 1) - 1) // t + 1
        for s, b, a, d, k, t in zip(space, before, after, dilations, points, strides, strict=True)
    ]
    n, c, m = x.shape[0], x.shape[1], w.shape[0]
    if w.rank != x.rank or groups < 1 or (bias is not None and bias.elements != m):
        raise NetworkError(f"{x.value} and {w.value} do not fit in {groups} groups")
    if c % groups or m % groups or w.shape[1] != c // groups or any(n < 1 for n in counts):
        raise NetworkError(f"{x.value} and {w.value} do not fit in {groups} groups", g.node)
    inner, places, guard = windows(space, counts, points, strides, dilations, before)
    out = [f"p{d}" for d in range(len(space))]
    axes = {"n": n, "m": m, **dict(zip(out, counts, strict=True))}
    axes |= {r: k for r, k, b in zip(inner, points, before, strict=True) if f"{r}" in "".join(places)}
    taps = [r if r in axes else "0" for r in inner]
    per, each = c // groups, m // groups
    shape, target = (n, m, *counts), ["n", "m", *out]
    if groups == 1:
        axes["c"] = c
        left, right = ["n", "c", *places], ["m", "c", *taps]
    elif per == 1 and each == 1:
        left, right = ["n", "m", *places], ["m", "0", *taps]
    else:
        x, w = g.view(x, (n, groups, per, *space)), g.view(w, (groups, each, per, *points))
        axes = {"n": n, "q": groups, "m": each, **{a: e for a, e in axes.items() if a not in "nm"}, "c": per}
        left, right = ["n", "q", "c", *places], ["q", "m", "c", *taps]
        shape, target = (n, groups, each, *counts), ["n", "q", "m", *out]
        bias = g.view(bias, (groups, each)) if bias is not None else None
    value = f"{_read(x, 'X', left, within)} * {_read(w, 'W', right, within)}{guard}"
    at = f"[{','.join(target)}]"
    reads = {"X": x, "W": w}
    if bias is None and within == to:
        text = f"Y{at} += {value}"
    else:
        channel = target[1 : target.index("m") + 1]
        more = f" + {_read(bias, 'B', channel, within)}" if bias is not None else ""
        reads |= {"B": bias} if bias is not None else {}
        text = f"temporary T\nT: {within}[{','.join(map(str, shape))}]\nT{at} += {value}\nY{at} = T{at}{more}"
    made = g.step(text, reads, {"Y": (to, shape)}, axes)[0]
    return g.view(made, (n, m, *counts))


def _read(x: Var, tensor: str, index: Sequence[str], to: DType) -> str:
    return converted_text(f"{tensor}[{','.join(index)}]", x.dtype, to)


def transposed_extents(
    extents: Sequence[int], points: Sequence[int], strides: Sequence[int], dilations: Sequence[int], more: Sequence[int]
) -> list[int]:
    """The extents of a transposed cross-correlation, before anything is cut off; more: added behind each."""
    sides = zip(extents, points, strides, dilations, more, strict=True)
    return [t * (s - 1) + m + d * (k - 1) + 1 for s, k, t, d, m in sides]


def transposed_convolution(
    x: Var, w: Var, bias: Var | None, strides: Sequence[int], dilations: Sequence[int], before: Sequence[int],
    counts: Sequence[int], groups: int,
) -> Var:  # fmt: skip
    """The transpose of a cross-correlation, asked from the output: w [c, m / groups, window...]; `counts` points of the output."""
    g, to = x.graph, x.dtype
    within = computed_in(to)
    n, c, space, points = x.shape[0], x.shape[1], x.shape[2:], w.shape[2:]
    if w.rank != x.rank or groups < 1 or w.shape[0] != c or c % groups or any(n < 0 for n in counts):
        raise NetworkError(f"{x.value} and {w.value} do not fit in {groups} groups")
    per, each = c // groups, w.shape[1]
    x, w = g.view(x, (n, groups, per, *space)), g.view(w, (groups, per, each, *points))
    out, inner = names(len(space), "p"), names(len(space), "r")
    places, tests = [], []
    for d, (p, r) in enumerate(zip(out, inner, strict=True)):
        at = window(p, r, 1, -dilations[d], 0).replace(f"{p}+{-dilations[d]}*{r}", f"{p}-{dilations[d]}*{r}")
        at += f"+{before[d]}" if before[d] else ""
        if strides[d] == 1:
            places.append(at)
            tests.append(f"0 <= {at} < {space[d]}")
        else:
            places.append(f"({at})//{strides[d]}")
            tests.append(f"({at}) % {strides[d]} == 0 and 0 <= {at} and ({at})//{strides[d]} < {space[d]}")
    axes = {
        "n": n,
        "q": groups,
        "m": each,
        **dict(zip(out, counts, strict=True)),
        "c": per,
        **dict(zip(inner, points, strict=True)),
    }
    shape, at = (n, groups, each, *counts), f"[{','.join(['n', 'q', 'm', *out])}]"
    value = f"{_read(x, 'X', ['n', 'q', 'c', *places], within)} * {_read(w, 'W', ['q', 'c', 'm', *inner], within)}"
    value += f" where {' and '.join(tests)}"
    reads = {"X": x, "W": w}
    if bias is not None:
        reads["B"] = g.view(bias, (groups, each))
    if bias is None and within == to:
        text = f"Y{at} += {value}"
    else:
        more = "" if bias is None else f" + {_read(bias, 'B', ['q', 'm'], within)}"
        text = f"temporary T\nT: {within}[{','.join(map(str, shape))}]\nT{at} += {value}\nY{at} = T{at}{more}"
    return g.view(g.step(text, reads, {"Y": (to, shape)}, axes)[0], (n, groups * each, *counts))


def pool(
    x: Var, op: str, points: Sequence[int], strides: Sequence[int], dilations: Sequence[int], before: Sequence[int],
    counts: Sequence[int], value: Callable[[str], str] = lambda e: e, finish: Callable[[str], str] | None = None,
    divisors: np.ndarray | None = None,
) -> Var:  # fmt: skip
    """Windows of x [n, c, spatial...] reduced by op; divisors: the divisor of the sum, for each place of the output."""
    g, within = x.graph, computed_in(x.dtype)
    inner, places, guard = windows(x.shape[2:], counts, points, strides, dilations, before)
    out = names(len(counts), "p")
    at = f"[{','.join(['n', 'c', *out])}]"
    axes = {"n": x.shape[0], "c": x.shape[1], **dict(zip(out, counts, strict=True))}
    axes |= {r: k for r, k in zip(inner, points, strict=True) if r in "".join(places)}
    shape = (x.shape[0], x.shape[1], *counts)
    read = value(_read(x, "X", ["n", "c", *places], within))
    reads = {"X": x}
    if finish is None and divisors is None and within == x.dtype:
        text = f"Y{at} {op} {read}{guard}"
    else:
        last = f"T{at}" if finish is None else finish(f"T{at}")
        if divisors is not None and (divisors == divisors.flat[0]).all():
            last = f"{last} / {literal(float(divisors.flat[0]))}"
        elif divisors is not None:
            reads["D"] = g.constant(divisors.astype(within.numpy))
            last = f"{last} / D[{','.join(out)}]"
        text = f"temporary T\nT: {within}[{','.join(map(str, shape))}]\nT{at} {op} {read}{guard}\nY{at} = {last}"
    return g.step(text, reads, {"Y": (x.dtype, shape)}, axes)[0]
