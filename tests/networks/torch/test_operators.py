"""Operators of torch against torch itself: functions are exported, become a network, and are run by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install isamap-smt[torch]")

import isamap_smt as im  # noqa: E402
from isamap_smt.networks.torch.call import OPERATORS  # noqa: E402
from isamap_smt.networks.torch.tensors import array_of  # noqa: E402

F = torch.nn.functional


def drawn(*shape: int, of: Any = torch.float32, seed: int = 0) -> Any:
    """Seeded numbers around 0."""
    made = torch.randn(*shape, generator=torch.Generator().manual_seed(seed + sum(shape))) * 2
    return made.to(of) if of.is_floating_point else (made * 10).to(of)


class Functions(torch.nn.Module):
    """Functions as a model: each of tensors of its own. counts: how many each takes."""

    def __init__(self, functions: Sequence[Callable[..., Any]], counts: Sequence[int]) -> None:
        super().__init__()
        self.functions, self.counts = functions, counts

    def forward(self, *xs: Any) -> Any:
        given = iter(xs)
        return [f(*islice(given, count)) for f, count in zip(self.functions, self.counts, strict=True)]


def listed(made: Any) -> list[Any]:
    return list(made) if isinstance(made, list | tuple) else [made]


Case = tuple[Callable[..., Any], tuple[Any, ...]]


def assert_same(*cases: Case, foreign: bool = False, within: float = 2e-5) -> Any:
    """The network of these functions gives what each gives, and nothing in it is foreign, unless that is expected."""
    xs = [x for _, given in cases for x in given]
    network = im.from_torch(Functions([f for f, _ in cases], [len(given) for _, given in cases]), xs)
    assert bool(network.foreign) == foreign, [str(s) for s in network.foreign]
    found = list(im.run_network(network, dict(zip(network.inputs, map(array_of, xs), strict=True))).values())
    meant = [want for f, given in cases for want in listed(f(*given))]
    assert len(found) == len(meant)
    for got, want in zip(found, meant, strict=True):
        held = array_of(want)
        assert got.dtype == held.dtype
        assert got.shape == held.shape
        if held.dtype.kind in "iub":
            np.testing.assert_array_equal(got, held)
        else:
            np.testing.assert_allclose(got.astype(np.float64), held.astype(np.float64), rtol=within, atol=within)
    return network


X, Y = drawn(3, 5), drawn(3, 5, seed=1)
I, J = drawn(3, 5, of=torch.int64), drawn(3, 5, of=torch.int64, seed=1) * 2 + 1
B = X > 0
POSITIVE = X.abs() + 0.1
ELEMENTWISE: dict[str, Case] = {
    **{n: (getattr(torch, n), (X,)) for n in (
        "abs", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor", "neg", "reciprocal", "relu", "round", "sigmoid", "sign",
        "sin",
        "sinh", "square", "tan", "tanh", "trunc", "atan", "asinh", "isnan", "isinf",
    )},
    **{n: (getattr(torch, n), (POSITIVE,)) for n in ("log", "log10", "log1p", "log2", "rsqrt", "sqrt")},
    **{n: (getattr(F, n), (X,)) for n in (
        "elu", "gelu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "logsigmoid", "mish", "relu6", "selu", "silu",
        "softplus",
        "softsign", "tanhshrink",
    )},
    **{f"{n} of integers": (getattr(torch, n),
        (I,)) for n in ("abs", "neg", "sign", "square", "bitwise_not", "logical_not", "sqrt", "sigmoid")},
    **{f"{n} of both": (getattr(torch, n),
        (X, Y)) for n in ("add", "sub", "mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge", "fmod",
        "remainder")},
    **{f"{n} of integers and floats": (getattr(torch, n), (I, Y)) for n in ("add", "sub", "mul", "div", "lt", "ge", "maximum")},
    **{f"{n} of both integers": (getattr(torch, n),
        (I, J)) for n in ("add", "mul", "div", "bitwise_and", "bitwise_or", "bitwise_xor", "remainder", "eq")},
    **{f"{n} of truth": (getattr(torch, n), (B, Y > 0))
        for n in ("logical_and", "logical_or", "logical_xor", "eq", "mul", "bitwise_and")},
    "gelu by tanh": (lambda x: F.gelu(x, approximate="tanh"), (X,)),
    "alpha": (lambda x, y: torch.add(x, y, alpha=2.5), (X, Y)),
    "numbers": (lambda x: 3 - 2 * x / 7 + x**3 - x**0.5, (POSITIVE,)),
    "powers": (lambda x, y: x**y + 2.0**y, (POSITIVE, Y)),
    "floors": (lambda i, j: torch.div(i, j, rounding_mode="floor") + torch.div(i, j, rounding_mode="trunc"), (I, J)),
    "clamps": (lambda x: x.clamp(-1, 1) + x.clamp(min=0.5) + x.clamp_max(0.25), (X,)),
    "a clamp by tensors": (lambda x, y: torch.clamp(x, y, y + 1), (X, Y)),
    "where": (lambda b, x, y: torch.where(b, x, y) + torch.where(b, x, 1.5), (B, X, Y)),
    "where of truth": (lambda b, x: torch.where(b, x, ~b), (B, Y > 1)),
    "filled where": (lambda x, b: x.masked_fill(b, float("-inf")).exp(), (X, B)),
    "casts": (lambda x: x.to(torch.int32).to(torch.float64) + x.bool(), (X,)),
    "halves": (lambda x, y: x * y + 1.5, (drawn(4, 6, of=torch.float16), drawn(4, 6, of=torch.float16, seed=1))),
    "bfloat16": (lambda x, y: x + y, (drawn(4, 6, of=torch.bfloat16), drawn(4, 6, of=torch.bfloat16, seed=1))),
    "mixed floats": (lambda x, y: x * y, (drawn(4, 6, of=torch.bfloat16), drawn(4, 6))),
    "addcmul": (lambda x, y: torch.addcmul(x, y, y, value=0.5), (X, Y)),
    "lerp": (lambda x, y: torch.lerp(x, y, 0.25), (X, Y)),
    "broadcast": (lambda x, y: x + y, (drawn(4, 1, 5), drawn(3, 1))),
    "dropout": (lambda x: F.dropout(x, 0.5, training=False), (X,)),
}  # fmt: skip

T, W = drawn(2, 3, 4, 5), drawn(5, 7)
MOVEMENT: dict[str, Case] = {
    "views": (lambda x: x.view(6, -1).reshape(2, 3, 20).flatten(1).unflatten(1, (3, 20)), (T,)),
    "orders": (lambda x: x.permute(3, 0, 2, 1).transpose(0, -1).contiguous(), (T,)),
    "ones": (lambda x: x.unsqueeze(0).unsqueeze(-1).squeeze().squeeze(0), (T,)),
    "expand": (lambda x: x[:, :1].expand(2, 6, 4, 5) + 0, (T,)),
    "repeat": (lambda x: x.repeat(2, 1, 3, 1, 2), (T,)),
    "slices": (lambda x: x[1, :, 1::2, :-1] + x[0, :, -3::2, 1:], (T,)),
    "flip": (lambda x: x.flip(1, 3), (T,)),
    "roll": (lambda x: x.roll((1, -2), (0, 3)) + x.roll(5), (T,)),
    "cat": (lambda x, w: torch.cat([x[0, 0], w[:, :5].to(torch.float64)], 0), (T, W)),
    "stack": (lambda x: torch.stack([x, -x], 2), (T,)),
    "split": (lambda x: [*x.split(2, 3), *x.chunk(2, 2), *x.unbind(1)], (T,)),
    "pads": (lambda x: F.pad(x, (1, 2, 0, 3), value=0.5) + F.pad(x, (1, 2, 3, 0), mode="reflect")
        + F.pad(x, (2, 1, 2, 1), mode="replicate"), (T,)),
    "triangles": (lambda w: w.tril(1) + w.triu(-1), (W,)),
    "diagonal": (lambda x: [x.diagonal(), x.diagonal(1, 2, 3), torch.diagonal(x, -1, 3, 1)], (T,)),
    "embedding": (F.embedding, (torch.tensor([[1, 0, 4], [2, 2, 3]]), W)),
    "index_select": (lambda x, i: x.index_select(1, i) + x[:, i], (T, torch.tensor([2, 0, 0]))),
    "several indices": (lambda x, i: x[i, i], (T, torch.tensor([1, 0, 1]))),
    "gather": (lambda w, i: w.gather(0, i), (W, torch.tensor([[1, 0, 4, 2, 2, 3, 0]]))),
    "made": (lambda x: x.new_zeros(3) + torch.ones(3) + torch.full((3,), 2.5) + torch.arange(3)
        + torch.arange(1, 4, dtype=torch.float32), (T,)),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), (drawn(2, 8, 3, 3),)),
    "nothing": (lambda x: torch.cat([x[:, :0], x], 1), (T,)),
}  # fmt: skip


def along(name: str, *arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A function of torch with each of these arguments behind the tensor."""
    f = getattr(torch, name)
    return lambda x: [f(x, *a) for a in arguments]


Q, K, V = (drawn(2, 4, 6, 8, seed=n) for n in range(3))
SUMS: dict[str, Case] = {
    **{n: (along(n, (), (1,), (-1, True)), (T,)) for n in ("sum", "mean", "prod")},
    **{n: (along(n, ((1, 3),), (-1, True)), (T,)) for n in ("amax", "amin", "logsumexp")},
    **{n: (along(n, ()), (T,)) for n in ("max", "min")},
    "the largest and where": (lambda x: [*x.max(1), *x.min(2, keepdim=True)], (T,)),
    **{n: (along(n, (), (2,)), (T,)) for n in ("argmax", "argmin")},
    **{n: (along(n, (), (2,)), (T > 1,)) for n in ("any", "all")},
    **{n: (along(n, (), ((1, 2),)), (T,)) for n in ("var", "std")},
    "the variance of all": (lambda x: x.var(3, correction=0), (T,)),
    "sums of integers": (lambda i: [i.sum(), i.sum(1), i.cumsum(1), i.float().mean()], (I,)),
    "cumsum": (lambda x: x.cumsum(2), (T,)),
    "norms of vectors": (lambda x: [x.norm(), torch.linalg.vector_norm(x, 1, 1), torch.linalg.vector_norm(x, float("inf"))], (T,)),
    "softmax": (lambda x: x.softmax(1) + x.log_softmax(-1), (T,)),
    "var_mean": (lambda x: torch.var_mean(x, (2, 3)), (T,)),
    "mm": (lambda w: w @ w.T, (W,)),
    "matmul": (lambda x, w: x @ w, (T, W)),
    "bmm": (lambda x: torch.bmm(x[0], x[1].transpose(1, 2)), (T,)),
    "mv": (lambda w: w @ w[0] + w[0] @ w[1], (W,)),
    "addmm": (lambda w: torch.addmm(w[:, :5], w, w.T, beta=0.5, alpha=2), (W,)),
    "baddbmm": (lambda x: torch.baddbmm(x[0, :, :, :4], x[0], x[1].transpose(1, 2), beta=0.5), (T,)),
    "linear": (F.linear, (T, drawn(7, 5), drawn(7))),
    "einsum": (lambda x, y: torch.einsum("bhqd,bhkd->bhqk", x, y), (Q, K)),
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=2), (drawn(2, 3, 9), drawn(4, 3, 3), drawn(4))),
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, padding=1, dilation=2), (drawn(2, 4, 8, 9), drawn(6, 4, 3, 3), drawn(6))),
    "a convolution in groups": (lambda x, w: F.conv2d(x, w, groups=2, stride=(2, 1)), (drawn(2, 4, 8, 9), drawn(6, 2, 3, 3))),
    "conv3d": (lambda x, w: F.conv3d(x, w, padding="same"), (drawn(1, 2, 4, 5, 6), drawn(3, 2, 3, 3, 3))),
    "a convolution of one image": (F.conv2d, (drawn(4, 8, 9), drawn(6, 4, 3, 3))),
    "conv_transpose2d": (lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
        (drawn(2, 4, 5, 6), drawn(4, 3, 3, 3), drawn(3))),
    "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), (drawn(2, 4, 8, 9),)),
    "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2), (drawn(2, 4, 9),)),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 3, 2, 1) + F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), (drawn(2, 4, 8, 9),)),
    "adaptive": (lambda x: [F.adaptive_avg_pool2d(x, 1), F.adaptive_avg_pool2d(x, (4, 3)),
        F.adaptive_avg_pool1d(x[0], 3)], (drawn(2, 4, 8, 9),)),
    "layer_norm": (lambda x, g, b: F.layer_norm(x, (4, 5), g, b), (T, drawn(4, 5), drawn(4, 5))),
    "group_norm": (lambda x, g, b: F.group_norm(x, 2, g, b), (drawn(2, 4, 3, 5), drawn(4), drawn(4))),
    "batch_norm": (F.batch_norm, (T, drawn(3), drawn(3).abs(), drawn(3), drawn(3))),
    "rms_norm": (lambda x, g: F.rms_norm(x, (5,), g), (T, drawn(5))),
    "attention": (F.scaled_dot_product_attention, (Q, K, V)),
    "causal attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), (Q, K, V)),
    "masked attention": (F.scaled_dot_product_attention, (Q, K, V, drawn(2, 1, 6, 6) > 0)),
    "added attention": (lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m, scale=0.5), (Q, K, V, drawn(6, 6))),
    "attention of three dimensions": (F.scaled_dot_product_attention, (Q[0], K[0], V[0])),
    "cross entropy": (F.cross_entropy, (W, torch.tensor([1, 0, 4, 2, 6]))),
}  # fmt: skip

FOREIGN: dict[str, Case] = {
    "sort": (lambda x: x.sort(1)[0] * 2, (X,)),
    "atan2": (torch.atan2, (X, Y)),
    "topk": (lambda x: x.relu().topk(2, 1)[0] + 1, (X,)),
    "scatter": (lambda x, i: x.scatter(1, i, 1.0), (X, torch.tensor([[0, 1], [2, 3], [4, 0]]))),
}
ALL = {**ELEMENTWISE, **MOVEMENT, **SUMS}


TOGETHER = 16  # functions of one model: each export takes torch a sixth of a second


@cache
def wrong_together(first: int) -> Exception | None:
    """What is wrong with the model of the functions from there on."""
    try:
        assert_same(*list(ALL.values())[first : first + TOGETHER])
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("name", ALL)
def test_kernels_compute_what_torch_does(name: str) -> None:
    place = list(ALL).index(name) % TOGETHER
    if wrong := wrong_together(list(ALL).index(name) - place):
        assert_same(ALL[name])  # by itself: which of them is at fault
        assert place > 0, wrong


@pytest.mark.parametrize("name", FOREIGN)
def test_the_rest_is_called_in_torch(name: str) -> None:
    network = assert_same(FOREIGN[name], foreign=True)
    assert all(s.backend == "torch" and s.reason for s in network.foreign)


@pytest.mark.parametrize("f", [torch.expm1, torch.log1p])
def test_small_numbers_keep_their_bits(f: Callable[..., Any]) -> None:
    x = torch.tensor([1e-30, 1e-9, -1e-9, 3e-5, -0.25, 0.5, 80.0, 0.0, 1e-4])
    network = im.from_torch(Functions([f], [1]), (x,))
    found = im.run_network(network, {network.inputs[0]: x.numpy()})["result_0"]
    np.testing.assert_allclose(found, f(x.double()).float().numpy(), rtol=4e-7, atol=0)


def test_a_row_without_a_key_gives_0() -> None:
    mask = torch.ones(6, 6, dtype=torch.bool)
    mask[2] = False
    network = im.from_torch(Functions([F.scaled_dot_product_attention], [4]), (Q, K, V, mask))
    given = dict(zip(network.inputs, [array_of(x) for x in (Q, K, V, mask)], strict=True))
    found = im.run_network(network, given)["result_0"]
    assert (found[:, :, 2] == 0).all()
    assert np.isfinite(found).all()


def test_operators_are_torchs_own() -> None:
    """Each name is one of ATen's or of its primitives, so that none is registered in vain."""
    for name in OPERATORS:
        packet, _, overload = name.partition(".")
        assert overload in getattr(torch.ops.aten, packet).overloads(), name
