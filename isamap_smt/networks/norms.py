"""Norms as kernel texts: of layers, batches and groups."""

from __future__ import annotations

import math
from collections.abc import Sequence

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.graph import Var
from isamap_smt.networks.operators import (
    affine,
    broadcast,
    computed_in,
    converted_text,
    element,
    is_factor,
    literal,
    names,
    pointwise,
)


def normalise(
    x: Var, axes: Sequence[int], epsilon: float, scale: Var | None, shift: Var | None, centred: bool = True
) -> tuple[Var, Var, Var]:
    """x, less its mean along the axes if centred, over the root of its mean square plus epsilon; scaled and shifted.

    scale and shift broadcast against x. Returns the result, the mean, and one over the root, the last two in the
    computing type.
    """
    within = computed_in(x.dtype)
    for v in (scale, shift):
        if v is not None and broadcast(v.shape, x.shape) != x.shape:
            raise NetworkError(f"{v.value} does not broadcast to {x.value}")
    index = names(x.rank)
    sizes = dict(zip(index, x.shape, strict=True))
    kept = [i for n, i in enumerate(index) if n not in axes]
    count = math.prod(x.shape[n] for n in axes)
    at, here = f"[{','.join(kept)}]", f"[{','.join(index)}]"
    inner = ",".join(str(sizes[i]) for i in kept)
    e = converted_text(f"X{here}", x.dtype, within)
    temporaries = ["V", *(["S", "D"] if centred else [])]
    lines = [
        f"temporary {', '.join(temporaries)}",
        *(f"{t}: {within}[{','.join(map(str, x.shape)) if t == 'D' else inner}]" for t in temporaries),
    ]
    if centred:
        lines += [f"S{at} += {e}", f"M{at} = S{at} / {count}", f"D{here} = {e} - M{at}"]
    d = f"D{here}" if centred else e
    lines += [f"V{at} += {d} * {d}", f"R{at} = 1 / sqrt(V{at} / {count} + {literal(epsilon)})"]
    value = f"{d} * R{at}"
    reads = {"X": x}
    if scale is not None:
        reads["G"], value = scale, f"{value} * {element(scale, 'G', index, within)}"
    if shift is not None:
        reads["H"], value = shift, f"{value} + {element(shift, 'H', index, within)}"
    lines.append(f"Y{here} = {value}")
    shape = tuple(sizes[i] for i in kept)
    writes = {"M": (within, shape)} if centred else {}
    made = x.graph.step("\n".join(lines), reads, {**writes, "R": (within, shape), "Y": (x.dtype, x.shape)}, sizes)
    wide = [1 if n in axes else s for n, s in enumerate(x.shape)]
    found = [x.graph.view(v, wide) for v in made[:-1]]
    return made[-1], found[0], found[-1]


def channels(x: Var, rank: int) -> Var:
    """One value for each channel, shaped to broadcast against [n, c, spatial...]."""
    return x.graph.view(x, (x.elements, *[1] * (rank - 2)))


def batch_norm(x: Var, mean: Var, variance: Var, scale: Var | None, shift: Var | None, epsilon: float) -> Var:
    """(x - mean) / sqrt(variance + epsilon) * scale + shift, of [n, c, spatial...] and values of each channel."""
    for v in (mean, variance, scale, shift):
        if v is not None and (x.rank < 2 or v.shape != x.shape[1:2]):
            raise NetworkError(f"{v.value} is not of the channels of {x.value}")
    root = f"sqrt({{}} + {literal(epsilon)})"
    if scale is None:
        factor = pointwise(lambda v: f"1 / {root.format(v)}", variance)
    else:
        factor = pointwise(lambda s, v: f"{s} / {root.format(v)}", scale, variance)
    if shift is None:
        rest = pointwise(lambda m, f: f"-{m} * {f}", mean, factor)
    else:
        rest = pointwise(lambda b, m, f: f"{b} - {m} * {f}", shift, mean, factor)
    f, r = channels(factor, x.rank), channels(rest, x.rank)
    if is_factor(x, f) and is_factor(x, r):
        return affine(x, f, r)
    return pointwise(lambda e, a, b: f"{e} * {a} + {b}", x, f, r, to=x.dtype)


def group_norm(x: Var, groups: int, scale: Var | None, shift: Var | None, epsilon: float) -> Var:
    """normalise() of groups of channels of [n, c, spatial...]; scale and shift of each channel, or of each group."""
    if x.rank < 2 or groups < 1 or x.shape[1] % groups:
        raise NetworkError(f"{x.value} has no channels in {groups} groups")
    n, c = x.shape[:2]
    for v in (scale, shift):
        if v is not None and v.shape not in ((c,), (groups,)):
            raise NetworkError(f"{v.value} is neither of {c} channels nor of {groups} groups")
    g, b = (None if v is None else x.graph.view(v, (groups, v.elements // groups, 1)) for v in (scale, shift))
    apart = x.graph.view(x, (n, groups, c // groups, math.prod(x.shape[2:])))
    return x.graph.view(normalise(apart, (2, 3), epsilon, g, b)[0], x.shape)
