"""Attention of com.microsoft beside NumPy formulas of its published definition, and onnxruntime where it is installed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from onnx import helper

import isamap_smt as im
from isamap_smt.ir.errors import NetworkError

rng = np.random.default_rng(0)
B, N, S, L, H = 2, 4, 3, 5, 16  # batch, heads, queries, keys, depth


def normal(*shape: int) -> np.ndarray:
    return rng.standard_normal(shape, np.float32)


def heads(x: np.ndarray, count: int = N) -> np.ndarray:
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def attended(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, bias: Any = 0.0, scale: float = H**-0.5, cap: float = 0
) -> np.ndarray:
    """[batch, length, heads * depth] of [batch, heads, length, depth]."""
    k, v = (np.repeat(a, q.shape[1] // a.shape[1], 1) for a in (k, v))
    s = q @ k.swapaxes(2, 3) * scale
    s = (cap * np.tanh(s / cap) if cap else s) + bias
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(*q.shape[:1], q.shape[2], -1)


def causal(rows: int, columns: int, first: Any = 0, window: int = 99) -> np.ndarray:
    """0 where a query sees a key, of each batch from its first position on."""
    i, j = np.arange(rows)[:, None] + np.reshape(first, (-1, 1, 1, 1)), np.arange(columns)
    return np.where((j <= i) & (j > i - window), 0, -np.inf)


def turned(x: np.ndarray, at: np.ndarray, apart: bool = False) -> np.ndarray:
    """x [batch, heads, length, depth] turned at positions [batch, length]."""
    c, s, half = COS[at][:, None], SIN[at][:, None], COS.shape[1]
    places = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if apart else (slice(half), slice(half, 2 * half))
    a, b, made = x[..., places[0]], x[..., places[1]], x.copy()
    made[..., places[0]], made[..., places[1]] = a * c - b * s, a * s + b * c
    return made


Q, K, V, BIAS = normal(B, S, N * H), normal(B, L, N * H), normal(B, L, N * H), normal(3 * N * H)
PAST_K, PAST_V, X, W = normal(B, N, 2, H), normal(B, N, 2, H), normal(B, S, 6), normal(6, 3 * N * H)
ADDED, SEEN = normal(1, N, S, L), np.array([[1, 1, 0, 1, 1], [0, 1, 1, 1, 0]], np.int32)
EACH = (rng.random((B, S, L)) > 0.3).astype(np.int32)
COS, SIN = np.cos(a := rng.random((16, H // 2), np.float32) * 6), np.sin(a)
KEYS, VALUES = normal(B, S, 2 * H), normal(B, S, 2 * H)
CACHE_K, CACHE_V = normal(B, 2, 6, H), normal(B, 2, 6, H)
CACHE_V[0, :, 5:] = np.nan  # behind what is held
ONE, ONE_K, ONE_V = normal(B, 1, N * H), normal(B, 1, 2 * H), normal(B, 1, 2 * H)
HELD = np.array([3, 5], np.int32)  # of the caches, in each batch
HIDDEN = np.float32(-10000)
BQ, BK, BV = np.split(BIAS, 3)
QKV = np.split(X @ W + BIAS, 3, -1)


def cached(cache: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The cache with a row behind those held, and nothing behind it."""
    made = np.where(np.arange(cache.shape[2])[:, None] < HELD[:, None, None, None], cache, 0)
    made[np.arange(B), :, HELD] = x[:, :, 0]
    return made


def total(n: int) -> np.ndarray:
    return np.array([n], np.int32)


@dataclass
class Case:
    """inputs: None is left out. fixed: inputs that are initializers."""

    op: str
    inputs: list[np.ndarray | None]
    attributes: dict[str, Any]
    wanted: list[np.ndarray]
    fixed: tuple[int, ...] = field(default=())


MANY: dict[str, Any] = {"num_heads": N}
GROUPED: dict[str, Any] = {"num_heads": N, "kv_num_heads": 2}
BEHIND = -10000.0 * (np.arange(L) >= np.array([2, 4])[:, None])[:, None, None]
BETWEEN = (
    -10000.0 * ((np.arange(L) >= np.array([4, 5])[:, None]) | (np.arange(L) < np.array([1, 0])[:, None]))[:, None, None]
)
FROM = np.repeat(np.arange(S)[None], B, 0)
ALL_K, ALL_V = np.concatenate([PAST_K, heads(Q + BK)], 2), np.concatenate([PAST_V, heads(Q + BV)], 2)
MADE_K, MADE_V = np.concatenate([PAST_K, heads(QKV[1])], 2), np.concatenate([PAST_V, heads(QKV[2])], 2)
CASES: list[Case] = [
    Case("MultiHeadAttention", [Q, K, V], MANY, [attended(heads(Q), heads(K), heads(V))]),
    Case(
        "MultiHeadAttention",
        [Q, K, V, BIAS],
        MANY | {"scale": 0.25},
        [attended(heads(Q + BQ), heads(K + BK), heads(V + BV), scale=0.25), heads(K + BK), heads(V + BV)],
    ),
    Case("MultiHeadAttention", [Q, heads(K), heads(V)], MANY, [attended(heads(Q), heads(K), heads(V))]),
    Case(
        "MultiHeadAttention",
        [Q, np.stack([K.reshape(B, L, N, H), V.reshape(B, L, N, H)], 3)],
        MANY,
        [attended(heads(Q), heads(K), heads(V))],
    ),
    Case(
        "MultiHeadAttention",
        [np.stack([a.reshape(B, L, N, H) for a in (K, V, K)], 3)],
        MANY,
        [attended(heads(K), heads(V), heads(K))],
    ),
    Case(
        "MultiHeadAttention",
        [Q, K, V, None, SEEN, ADDED],
        MANY,
        [attended(heads(Q), heads(K), heads(V), ADDED + (1 - SEEN)[:, None, None] * HIDDEN)],
    ),
    Case(
        "MultiHeadAttention",
        [Q, K, V, None, np.array([2, 4], np.int32)],
        MANY,
        [attended(heads(Q), heads(K), heads(V), BEHIND)],
    ),
    Case(
        "MultiHeadAttention",
        [Q, K, V, None, EACH],
        MANY | {"mask_filter_value": -3.0},
        [attended(heads(Q), heads(K), heads(V), (1 - EACH)[:, None] * -3.0)],
    ),
    Case(
        "MultiHeadAttention",
        [Q, Q, Q, BIAS, None, ADDED, PAST_K, PAST_V],
        MANY | {"unidirectional": 1},
        [attended(heads(Q + BQ), ALL_K, ALL_V, ADDED + causal(S, L, 2)), ALL_K, ALL_V],
    ),
    Case("Attention", [X, W, BIAS], MANY, [attended(*map(heads, QKV))]),
    Case(
        "Attention",
        [X, W, BIAS, np.array([3, 1], np.int32)],
        MANY | {"unidirectional": 1},
        [
            attended(
                *map(heads, QKV), np.array([0, 1])[:, None, None, None] * np.array([0, 1, 1]) * HIDDEN + causal(S, S)
            )
        ],
    ),
    Case(
        "Attention",
        [X, W, BIAS, SEEN, np.stack([PAST_K, PAST_V])],
        MANY,
        [attended(heads(QKV[0]), MADE_K, MADE_V, (1 - SEEN)[:, None, None] * HIDDEN), np.stack([MADE_K, MADE_V])],
    ),
    Case(
        "Attention",
        [X, W[:, : 2 * N * H + N * 2], BIAS[: 2 * N * H + N * 2], None, None, ADDED[..., :S]],
        MANY | {"qkv_hidden_sizes": [N * H, N * H, 2 * N]},
        [attended(heads(QKV[0]), heads(QKV[1]), heads(QKV[2][..., : 2 * N]), ADDED[..., :S])],
    ),
    Case(
        "GroupQueryAttention",
        [Q, KEYS, VALUES, None, None, np.full(B, S - 1, np.int32), total(S)],
        GROUPED,
        [attended(heads(Q), heads(KEYS, 2), heads(VALUES, 2), causal(S, S)), heads(KEYS, 2), heads(VALUES, 2)],
        (6,),
    ),
    Case(
        "GroupQueryAttention",
        [Q, KEYS, VALUES, None, None, np.full(B, S - 1, np.int32), total(S), COS, SIN],
        GROUPED | {"do_rotary": 1, "rotary_interleaved": 1, "softcap": 2.0},
        [
            attended(
                turned(heads(Q), FROM, True),
                turned(heads(KEYS, 2), FROM, True),
                heads(VALUES, 2),
                causal(S, S),
                cap=2.0,
            ),
            turned(heads(KEYS, 2), FROM, True),
            heads(VALUES, 2),
        ],
        (6,),
    ),
    Case(
        "GroupQueryAttention",
        [np.concatenate([Q, KEYS, VALUES], 2), None, None, None, None, np.full(B, S - 1, np.int32), total(S)],
        GROUPED | {"local_window_size": 2, "scale": 0.5},
        [attended(heads(Q), heads(KEYS, 2), heads(VALUES, 2), causal(S, S, window=2), 0.5)],
        (6,),
    ),
    Case(
        "GroupQueryAttention",
        [ONE, ONE_K, ONE_V, CACHE_K, CACHE_V, HELD, total(6), COS, SIN],
        GROUPED | {"do_rotary": 1},
        [
            attended(
                turned(heads(ONE), HELD[:, None]),
                cached(CACHE_K, turned(heads(ONE_K, 2), HELD[:, None])),
                cached(CACHE_V, heads(ONE_V, 2)),
                causal(1, 6, HELD),
            ),
            cached(CACHE_K, turned(heads(ONE_K, 2), HELD[:, None])),
            cached(CACHE_V, heads(ONE_V, 2)),
        ],
    ),
    Case(
        "GroupQueryAttention",
        [
            ONE,
            ONE_K,
            ONE_V,
            CACHE_K[:, :, :5],
            CACHE_V[:, :, :5],
            np.full(B, 5, np.int32),
            total(6),
            None,
            None,
            None,
            np.full((B, 1, 1, 6), 0.5, np.float32),
        ],
        GROUPED,
        [
            attended(
                heads(ONE),
                np.concatenate([CACHE_K[:, :, :5], heads(ONE_K, 2)], 2),
                np.concatenate([CACHE_V[:, :, :5], heads(ONE_V, 2)], 2),
            ),
            np.concatenate([CACHE_K[:, :, :5], heads(ONE_K, 2)], 2),
        ],
        (6,),
    ),
    Case(
        "RotaryEmbedding",
        [Q, np.array([4]), COS, SIN],
        {},
        [turned(heads(Q), FROM + 4).transpose(0, 2, 1, 3).reshape(Q.shape)],
    ),
    Case(
        "RotaryEmbedding",
        [heads(Q), FROM[:, ::-1].copy(), COS, SIN],
        {"interleaved": 1},
        [turned(heads(Q), FROM[:, ::-1], True)],
    ),
]
NAMES = ["y", "a", "b", "c"]


def of(case: Case, results: int) -> tuple[Any, dict[str, np.ndarray]]:
    given = {f"i{n}": a for n, a in enumerate(case.inputs) if a is not None}
    node = helper.make_node(
        case.op, [f"i{n}" if a is not None else "" for n, a in enumerate(case.inputs)], NAMES[:results], name="n",
        domain="com.microsoft", **case.attributes,
    )  # fmt: skip
    kinds = {n: helper.np_dtype_to_tensor_dtype(a.dtype) for n, a in given.items()}
    fixed = {f"i{n}" for n in case.fixed}
    graph = helper.make_graph(
        [node], "g",
        [helper.make_tensor_value_info(n, kinds[n], a.shape) for n, a in given.items() if n not in fixed],
        [helper.make_tensor_value_info(n, 1, None) for n in NAMES[:results]],
        [helper.make_tensor(n, kinds[n], given[n].shape, given[n].ravel()) for n in fixed],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8), {
        n: a for n, a in given.items() if n not in fixed
    }


def results(case: Case) -> int:
    return 3 if case.op == "GroupQueryAttention" else len(case.wanted)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_an_operator(number: int) -> None:
    case = CASES[number]
    made, given = of(case, results(case))
    found = im.run_network(im.from_onnx(made), given)
    for name, wanted in zip(NAMES, case.wanted, strict=False):
        assert found[name].shape == wanted.shape
        assert np.allclose(found[name], wanted, rtol=1e-4, atol=1e-5), name


def test_onnxruntime_says_the_same() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    for number, case in enumerate(CASES):
        made, given = of(case, results(case))
        session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
        try:
            found = session.run(None, given)
        except Exception as error:  # of its own class
            assert "Packed" in str(error) and "not implemented for CPU" in str(error), number
            continue
        for got, wanted in zip(found, case.wanted, strict=False):
            assert np.allclose(got, wanted, rtol=1e-3, atol=1e-3), number


REFUSED: list[tuple[str, list[np.ndarray | None], dict[str, Any], str]] = [
    ("MultiHeadAttention", [Q, K, V], {}, "lacks its attribute num_heads"),
    ("MultiHeadAttention", [Q, K, V], {"num_heads": 5}, "is not of 5 heads"),
    ("MultiHeadAttention", [Q, K, V], {"num_heads": 0}, "the attribute num_heads of MultiHeadAttention is 0"),
    ("MultiHeadAttention", [Q], MANY, "n: MultiHeadAttention of i0: .* for 4 heads is not computed"),
    ("MultiHeadAttention", [Q, K[0, 0, :1], V], MANY, "of i0: .*, i1: f32.1., i2: .* for 4 heads is not computed"),
    ("MultiHeadAttention", [Q, K, V, BIAS[:7]], MANY, "the bias i3: .* is not as wide as"),
    (
        "MultiHeadAttention",
        [Q, K, V, None, np.ones(3 * B + 2, np.int32)],
        MANY,
        "with a mask i4: i32.8. for 2 batches of 3 queries and 5 keys",
    ),
    ("MultiHeadAttention", [Q, K, V, None, SEEN.astype(np.float32)], MANY, "does not take float as its input 5"),
    ("MultiHeadAttention", [Q, K, V, None, None, ADDED[..., :4]], MANY, "is not added to scores of 5 keys"),
    ("MultiHeadAttention", [Q, K, V, None, None, None, PAST_K], MANY, "are there together, or neither"),
    (
        "MultiHeadAttention",
        [Q, K, V, None, None, None, PAST_K[:1], PAST_V],
        MANY,
        "is no cache of .batch, heads, length, depth. before",
    ),
    (
        "MultiHeadAttention",
        [Q, K, V, None, None, None, PAST_K, PAST_V, total(2)],
        MANY,
        "with its input past_sequence_length is not computed",
    ),
    ("MultiHeadAttention", [Q, K, V], MANY | {"scale": -1.0}, "its scale is -1"),
    ("Attention", [X, W[:5]], MANY, "does not make queries, keys and values of"),
    ("Attention", [X, W, BIAS], MANY | {"qkv_hidden_sizes": [64, 64]}, "does not make queries, keys"),
    ("Attention", [X, W, BIAS], MANY | {"do_rotary": 1}, "n: Attention with do_rotary = 1 is not computed"),
    ("Attention", [X, W, BIAS, None, PAST_K], MANY, "is no cache of keys and values"),
    ("GroupQueryAttention", [Q, KEYS, VALUES], GROUPED, "has not 3 inputs"),
    (
        "GroupQueryAttention",
        [Q, KEYS, VALUES, None, None, HELD[:1], total(S)],
        GROUPED,
        "is not one length for each of 2",
    ),
    (
        "GroupQueryAttention",
        [Q, KEYS, VALUES, CACHE_K, CACHE_V, HELD, total(6)],
        GROUPED,
        "input 7 of GroupQueryAttention decides about shapes",
    ),
    (
        "GroupQueryAttention",
        [Q, KEYS, VALUES, CACHE_K[:, :, :2], CACHE_V[:, :, :2], HELD, total(S)],
        GROUPED,
        "decides about shapes and must be known",
    ),
    (
        "GroupQueryAttention",
        [Q, KEYS, VALUES, None, None, HELD, total(S)],
        GROUPED | {"smooth_softmax": 1},
        "with smooth_softmax = 1 is not computed",
    ),
    (
        "GroupQueryAttention",
        [Q, KEYS, VALUES, None, None, HELD, total(S), COS[:2], SIN[:2]],
        GROUPED | {"do_rotary": 1},
        "has not 3 positions",
    ),
    (
        "GroupQueryAttention",
        [Q, KEYS, VALUES, None, None, HELD, total(S)],
        GROUPED | {"do_rotary": 1},
        "lacks its input 8",
    ),
    ("RotaryEmbedding", [Q, np.arange(3), COS, SIN], {}, "is no position of each of 2 times 3"),
    ("RotaryEmbedding", [Q, np.array([0]), COS, SIN[:, :3]], {}, "are no tables of angles"),
    (
        "RotaryEmbedding",
        [Q, np.array([0]), COS, SIN],
        {"is_packed_batching": 1},
        "with is_packed_batching = 1 is not computed",
    ),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_is_not_computed_is_refused_by_name(number: int) -> None:
    op, inputs, attributes, told = REFUSED[number]
    with pytest.raises(NetworkError, match=told):
        im.from_onnx(of(Case(op, inputs, attributes, []), 1)[0])


def test_a_cache_without_room_is_refused_by_each_call() -> None:
    case = next(c for c in CASES if c.inputs[0] is ONE and len(c.inputs) == 9)
    made, given = of(case, 3)
    with pytest.raises(im.IsamapError, match="J"):
        im.run_network(im.from_onnx(made), given | {"i5": np.array([3, 6], np.int32)})
