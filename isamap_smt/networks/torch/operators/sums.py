"""Reductions of ATen: sums and maxima, products, convolutions, pools, norms, softmax and attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import UncomputedError
from isamap_smt.networks import attention as attending
from isamap_smt.networks import norms, windows
from isamap_smt.networks import operators as do
from isamap_smt.networks.functions import GELU
from isamap_smt.networks.graph import Var
from isamap_smt.networks.operators import BOOL, computed_in, literal
from isamap_smt.networks.torch.call import Call, aten

Axes = int | Sequence[int] | None


def _axes(x: Var, dim: Axes) -> tuple[int, ...]:
    """The dimensions to reduce; by default all."""
    given = [dim] if isinstance(dim, int) else list(dim or ())
    return do.axes_of(given or None, x.rank)


# ---- Reductions


_REDUCTIONS = {
    "sum": "ReduceSum", "mean": "ReduceMean", "amax": "ReduceMax", "amin": "ReduceMin", "max": "ReduceMax", "min": "ReduceMin",
    "prod": "ReduceProd",
}  # fmt: skip


@aten(
    "sum", "sum.dim_IntList", "mean", "mean.dim", "amax", "amin", "max", "min", "prod", "prod.dim_int",
)  # fmt: skip
def _reduced(c: Call, self: Var, dim: Axes = None, keepdim: bool = False, dtype: Any = None) -> Var:
    x = do.converted(self, c.to)
    return do.reduction(_REDUCTIONS[c.op.partition(".")[0]], x, _axes(x, dim), keepdim)


@aten("any", "any.dim", "any.dims", "all", "all.dim", "all.dims")
def _truth(c: Call, self: Var, dim: Axes = None, keepdim: bool = False) -> Var:
    x = do.converted(do.converted(self, BOOL), dtype("u8"))
    made = do.reduction("ReduceMax" if c.op.startswith("any") else "ReduceMin", x, _axes(x, dim), keepdim)
    return do.converted(made, c.to)


@aten("max.dim", "min.dim")
def _largest(c: Call, self: Var, dim: int, keepdim: bool = False) -> list[Var | None]:
    op, axis = c.op.partition(".")[0], do.axis_of(dim, self.rank)
    value = do.reduction(_REDUCTIONS[op], self, (axis,), keepdim) if self.rank else self
    return [value, do.argument(self, axis, f"{op}=", False, keepdim) if 1 in c.used else None]


@aten("argmax", "argmin")
def _argument(c: Call, self: Var, dim: int | None = None, keepdim: bool = False) -> Var:
    op = "max=" if c.op.startswith("argmax") else "min="
    if dim is None:
        made = do.argument(c.graph.view(self, (self.elements,)), 0, op, False, False)
        return c.graph.view(made, c.shape)
    return do.argument(self, dim, op, False, keepdim)


@aten("var.correction", "std.correction", "var_mean.correction")
def _variance(c: Call, self: Var, dim: Axes = None, correction: Any = 1, keepdim: bool = False) -> Var | list[Var]:
    axes, within = _axes(self, dim), computed_in(self.dtype)
    count = math.prod(self.shape[n] for n in axes)
    left = count - (1 if correction is None else correction)
    if not isinstance(left, int | float) or left <= 0:
        raise UncomputedError(f"it divides by {left}")
    x = do.converted(self, within)
    mean = do.reduction("ReduceMean", x, axes, True)
    finish = f"sqrt({{}} / {left})" if c.op.startswith("std") else f"{{}} / {left}"
    apart = do.pointwise(lambda a, b: f"{a} - {b}", x, mean)
    found = do.converted(do.reduce(apart, axes, "+=", lambda e: f"{e} * {e}", finish.format, keepdim), self.dtype)
    if not c.op.startswith("var_mean"):
        return found
    return [found, do.converted(c.graph.view(mean, found.shape), self.dtype)]


@aten("cumsum", "cumprod")
def _running(c: Call, self: Var, dim: int, dtype: Any = None) -> Var:
    x = do.converted(self, c.to)
    return do.running(x, dim, "+" if c.op.startswith("cumsum") else "*", False, False) if x.rank else x


@aten("linalg_vector_norm")
def _vector_norm(c: Call, self: Var, ord: float = 2, dim: Axes = None, keepdim: bool = False, dtype: Any = None) -> Var:
    x = do.converted(self, c.to)
    if ord in (math.inf, -math.inf):
        return do.reduction("ReduceMax" if ord > 0 else "ReduceMin", do.unary("Abs", x), _axes(x, dim), keepdim)
    if ord not in (1, 2):
        raise UncomputedError(f"its order {ord} is not computed")
    return do.reduction("ReduceL1" if ord == 1 else "ReduceL2", x, _axes(x, dim), keepdim)


@aten("_softmax", "_log_softmax", "softmax.int", "log_softmax.int")
def _softmax(c: Call, self: Var, dim: int, half_to_float: bool = False, dtype: Any = None) -> Var:
    x = do.converted(self, c.to)
    return do.softmax(x, [do.along(x, dim)], c.op.lstrip("_").startswith("log"))


@aten("_safe_softmax")
def _safe_softmax(c: Call, self: Var, dim: int, dtype: Any = None) -> Var:
    """0 in rows of -inf alone: softmax has no number there."""
    x, axes = do.converted(self, c.to), [do.along(self, dim)]
    within = computed_in(c.to)
    least, tiny = (literal(float(n)) for n in (np.finfo(within.numpy).min, np.finfo(within.numpy).tiny))
    top = do.reduction("ReduceMax", do.converted(x, within), axes, True)
    each = do.pointwise(lambda a, b: f"exp({a} - max({b}, {least}))", x, top, to=within, within=within)
    total = do.reduction("ReduceSum", each, axes, True)
    return do.pointwise(lambda a, b: f"{a} / max({b}, {tiny})", each, total, to=c.to, within=within)


# ---- Products


@aten("mm", "bmm", "matmul", "mv", "dot")
def _matmul(c: Call, self: Var, mat2: Any = None, other: Any = None, vec: Any = None, tensor: Any = None) -> Var:
    right = next(x for x in (mat2, other, vec, tensor) if x is not None)
    return do.matmul(self, right)


@aten("addmm", "baddbmm", "addmv")
def _addmm(
    c: Call, self: Var, mat1: Any = None, mat2: Any = None, batch1: Any = None, batch2: Any = None, mat: Any = None,
    vec: Any = None, beta: float = 1, alpha: float = 1,
) -> Var:  # fmt: skip
    if c.op.startswith("addmm"):
        return do.gemm(mat1, mat2, self, alpha, beta, (False, False))
    a, b = (batch1, batch2) if mat is None else (mat, vec)
    return _scaled(c, do.matmul(a, b), self, alpha, beta)


def _scaled(c: Call, product: Var, shift: Var, alpha: float, beta: float) -> Var:
    first = "{x}" if alpha == 1 else f"{literal(alpha)} * {{x}}"
    second = "{y}" if beta == 1 else f"{literal(beta)} * {{y}}"
    if beta == 0:
        return product if alpha == 1 else do.applied(first, product)
    return do.pointwise(lambda p, q: f"{first} + {second}".format(x=p, y=q), product, shift, to=c.to)


@aten("linear")
def _linear(c: Call, input: Var, weight: Var, bias: Var | None = None) -> Var:
    rows = c.graph.view(input, (math.prod(input.shape[:-1]), input.shape[-1]))
    return c.graph.view(do.gemm(rows, weight, bias, 1, 1, (False, True)), c.shape)


def _each(numbers: Sequence[int], count: int) -> list[int]:
    """One number for each dimension; a single one stands for all."""
    return list(numbers) * count if len(numbers) == 1 else list(numbers)


@aten("convolution", "_convolution")
def _convolution(
    c: Call, input: Var, weight: Var, bias: Var | None, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    transposed: bool, output_padding: Sequence[int], groups: int, benchmark: bool = False, deterministic: bool = False,
    cudnn_enabled: bool = False, allow_tf32: bool = False,
) -> Var:  # fmt: skip
    space = weight.rank - 2
    x = input if input.rank == weight.rank else c.graph.view(input, (1, *input.shape))
    strides, sides, apart = (_each(n, space) for n in (stride, padding, dilation))
    if not transposed:
        made = windows.convolution(x, weight, bias, strides, apart, sides, sides, groups)
    else:
        whole = windows.transposed_extents(x.shape[2:], weight.shape[2:], strides, apart, _each(output_padding, space))
        counts = [w - 2 * p for w, p in zip(whole, sides, strict=True)]
        made = windows.transposed_convolution(x, weight, bias, strides, apart, sides, counts, groups)
    return c.graph.view(made, c.shape)


# ---- Pools


@aten("max_pool2d_with_indices", "max_pool2d", "max_pool1d", "max_pool3d")
def _max_pool(
    c: Call, self: Var, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,), ceil_mode: bool = False,
) -> list[Var | None]:  # fmt: skip
    c.only(0)
    return [_pooled(c, "max=", self, kernel_size, stride, padding, dilation, None), None]


@aten("avg_pool2d", "avg_pool1d", "avg_pool3d")
def _average_pool(
    c: Call, self: Var, kernel_size: Sequence[int], stride: Sequence[int] = (), padding: Sequence[int] = (0,),
    ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
) -> Var:  # fmt: skip
    return _pooled(c, "+=", self, kernel_size, stride, padding, (1,), (count_include_pad, divisor_override))


def _pooled(
    c: Call, op: str, x: Var, size: Sequence[int], stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    mean: tuple[bool, int | None] | None,
) -> Var:  # fmt: skip
    space = int(c.op.partition("pool")[2][0])
    whole = x if x.rank == space + 2 else c.graph.view(x, (1, *x.shape))
    points, sides, apart = (_each(n, space) for n in (size, padding, dilation))
    strides, counts = _each(stride, space) if stride else points, list(c.shape[-space:])
    divisors = None if mean is None else _divisors(whole.shape[2:], points, strides, sides, counts, *mean)
    made = windows.pool(whole, op, points, strides, apart, sides, counts, divisors=divisors)
    return c.graph.view(made, c.shape)


def _divisors(
    space: Sequence[Any], points: Sequence[int], strides: Sequence[int], sides: Sequence[int], counts: Sequence[int], padded: bool,
    override: int | None,
) -> np.ndarray:  # fmt: skip
    """How many elements each window averages."""
    total = np.ones((), np.int64)
    for extent, size, stride, side, count in zip(space, points, strides, sides, counts, strict=True):
        start = stride * np.arange(count) - side
        end = np.minimum(start + size, extent + side)
        inside = end - start if padded else np.minimum(end, extent) - np.maximum(start, 0)
        total = np.multiply.outer(total, inside)
    return total if override is None else np.full(total.shape, override)


@aten("_adaptive_avg_pool2d", "adaptive_avg_pool1d", "_adaptive_avg_pool3d", "adaptive_avg_pool2d")
def _adaptive(c: Call, self: Var, output_size: Sequence[int]) -> Var:
    space = len(output_size)
    if any(s % o for s, o in zip(self.shape[-space:], c.shape[-space:], strict=True)):
        raise UncomputedError(f"{list(self.shape[-space:])} are no multiples of {list(c.shape[-space:])}")
    axes = range(self.rank - space, self.rank)
    if all(o == 1 for o in c.shape[-space:]):
        return do.reduction("ReduceMean", self, axes, True)
    whole = self if self.rank == space + 2 else c.graph.view(self, (1, *self.shape))
    points = [s // o for s, o in zip(self.shape[-space:], c.shape[-space:], strict=True)]
    counts = list(c.shape[-space:])
    made = windows.pool(
        whole, "+=", points, points, [1] * space, [0] * space, counts, divisors=np.full(counts, math.prod(points))
    )
    return c.graph.view(made, c.shape)


# ---- Norms


@aten("native_layer_norm")
def _layer_norm(
    c: Call, input: Var, normalized_shape: Sequence[Any], weight: Var | None, bias: Var | None, eps: float
) -> list[Var]:
    axes = range(input.rank - len(normalized_shape), input.rank)
    return list(norms.normalise(input, axes, eps, weight, bias))


@aten("native_group_norm")
def _group_norm(
    c: Call, input: Var, weight: Var | None, bias: Var | None, N: Any, C: Any, HxW: Any, group: int, eps: float
) -> list[Var | None]:  # fmt: skip
    c.only(0)
    return [norms.group_norm(input, group, weight, bias, eps), None, None]


@aten("_native_batch_norm_legit_no_training", "cudnn_batch_norm", "native_batch_norm")
def _batch_norm(
    c: Call, input: Var, weight: Var | None, bias: Var | None, running_mean: Var, running_var: Var, momentum: float, eps: float,
    training: bool = False,
) -> list[Var | None]:  # fmt: skip
    if training:
        raise UncomputedError("training takes the statistics of the batch")
    c.only(0)
    return [norms.batch_norm(input, running_mean, running_var, weight, bias, eps), None, None]


@aten("_fused_rms_norm", "rms_norm")
def _rms_norm(
    c: Call, input: Var, normalized_shape: Sequence[Any], weight: Var | None = None, eps: float | None = None
) -> list[Var | None]:
    c.only(0)
    axes = range(input.rank - len(normalized_shape), input.rank)
    least = float(np.finfo(computed_in(input.dtype).numpy).eps) if eps is None else eps
    return [norms.normalise(input, axes, least, weight, None, centred=False)[0], None]


# ---- Attention


@aten(
    "_scaled_dot_product_flash_attention_for_cpu", "scaled_dot_product_attention", "_scaled_dot_product_attention_math"
)
def _attention(
    c: Call, query: Var, key: Var, value: Var, dropout_p: float = 0.0, is_causal: bool = False, attn_mask: Var | None = None,
    scale: float | None = None, enable_gqa: bool = False,
) -> list[Var | None]:  # fmt: skip
    if dropout_p:
        raise UncomputedError("dropout draws random numbers")
    c.only(0)
    shared = query.rank < 4
    q, k, v = (
        (c.graph.view(x, (*[1] * (4 - x.rank), *x.shape)) for x in (query, key, value))
        if shared
        else (query, key, value)
    )
    made, _ = attending.attention(q, k, v, attending.Seen(attn_mask, is_causal), scale)
    return [c.graph.view(made, (*query.shape[:-1], value.shape[-1])), None]


def _projected(c: Call, x: Var, weight: Var, bias: Var | None) -> Var:
    rows, width = math.prod(x.shape[:-1]), x.shape[-1]
    made = do.gemm(c.graph.view(x, (rows, width)), weight, bias, 1, 1, (False, True))
    return c.graph.view(made, (*x.shape[:-1], made.shape[-1]))


def _self_attention(c: Call, x: Var, heads: int, weights: Sequence[Var]) -> Var:
    """Of [batch, length, width]; weights: weight and bias of queries, keys and values together, and of the result."""
    whole = _projected(c, x, weights[0], weights[1])
    q, k, v = (attending.heads_of(p, heads) for p in do.split(whole, [x.shape[-1]] * 3, 2))
    made, _ = attending.attention(q, k, v, attending.Seen())
    return _projected(c, attending.joined(made), weights[2], weights[3])


@aten("_transformer_encoder_layer_fwd")
def _encoder_layer(
    c: Call, src: Var, embed_dim: int, num_heads: int, qkv_weight: Var, qkv_bias: Var, proj_weight: Var, proj_bias: Var,
    use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: Var, norm_bias_1: Var, norm_weight_2: Var, norm_bias_2: Var,
    ffn_weight_1: Var, ffn_bias_1: Var, ffn_weight_2: Var, ffn_bias_2: Var, mask: Var | None = None,
) -> Var:  # fmt: skip
    if mask is not None or src.rank != 3:
        raise UncomputedError("with a mask it is not computed")

    def normed(x: Var, scale: Var, shift: Var) -> Var:
        return norms.normalise(x, (2,), eps, scale, shift)[0]

    def forward(x: Var) -> Var:
        inner = do.applied(GELU if use_gelu else "relu({x})", _projected(c, x, ffn_weight_1, ffn_bias_1))
        return _projected(c, inner, ffn_weight_2, ffn_bias_2)

    def attended(x: Var) -> Var:
        return _self_attention(c, x, num_heads, (qkv_weight, qkv_bias, proj_weight, proj_bias))

    if norm_first:
        x = do.binary("Add", src, attended(normed(src, norm_weight_1, norm_bias_1)))
        return do.binary("Add", x, forward(normed(x, norm_weight_2, norm_bias_2)))
    x = normed(do.binary("Add", src, attended(src)), norm_weight_1, norm_bias_1)
    return normed(do.binary("Add", x, forward(x)), norm_weight_2, norm_bias_2)


@aten("_native_multi_head_attention")
def _multi_head_attention(
    c: Call, query: Var, key: Var, value: Var, embed_dim: int, num_head: int, qkv_weight: Var, qkv_bias: Var, proj_weight: Var,
    proj_bias: Var, mask: Var | None = None, need_weights: bool = True, average_attn_weights: bool = True,
) -> list[Var | None]:  # fmt: skip
    if mask is not None or not (query.name == key.name == value.name):
        raise UncomputedError("of other keys, or with a mask, it is not computed")
    c.only(0)
    return [_self_attention(c, query, num_head, (qkv_weight, qkv_bias, proj_weight, proj_bias)), None]
