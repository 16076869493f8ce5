"""Contracts that read by data: tables in registers and 2:4 sparse operands. Mappings onto them are carried out lane by lane.

The oracle below fills the cells of each execution with the elements that the mapping says, refuses a cell of two elements, and
computes in Python what the contract says; it shares nothing with the proof.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.interpret import run_instruction, run_kernel
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import Rejection, prove

Arrays = dict[str, np.ndarray]


def lookup(
    text: str = "t: [16]\nd[l] = t[idx[l]]", idx: str = "u8", kind: str = "f32", lanes: int = 8
) -> im.Instruction:
    """A table in a register, and indices in another."""
    operands = {"d": kind, "t": kind, "idx": idx}
    return im.instruction("toy.lookup", text, axes={"l": lanes}, dtypes=operands, places=dict.fromkeys(operands, "v"))


SPARSE_TEXT = "b: [16,8]\nc[i,j] += v[i,k] * b[4*(k//2) + idx[i,k] % 4, j]"


def sparse(text: str = SPARSE_TEXT, idx: str = "u8", **more: Any) -> im.Instruction:
    """Eight stored values of sixteen in a row, two in each group of four."""
    operands = {"c": "f32", "v": "f32", "b": "f32", "idx": idx}
    axes = {"i": 8, "j": 8, "k": 8}
    return im.instruction("toy.sparse", text, axes=axes, dtypes=operands, places=dict.fromkeys(operands, "v"), **more)


def kernel(text: str, **sizes: int) -> im.Kernel:
    return im.kernel(text, name="k").with_sizes(sizes)


SPARSE = "assume 0 <= P <= 3\nP: u8\nB: [H,J]\nC[i,j] += V[i,k] * B[4*(k//2) + P[i,k], j]"


def number(text: Any, env: dict[str, Any], data: Arrays) -> int:
    """An index by Python's own arithmetic; elements of data by arrays."""
    found = re.sub(r"FloorDiv\(", "div(", re.sub(r"FloorMod\(", "mod(", str(text)))
    functions = {
        "div": lambda a, b: a // b,
        "mod": lambda a, b: a % b,
        "Inside": lambda a, b: a,
        "IMin": min,
        "IMax": max,
    }
    return int(eval(found, {**functions, **env, **data}))  # noqa: S307  # the text is of this test


class Always:
    """A tensor of which every element is one number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __getitem__(self, at: object) -> int:
        return self.number


def carried_out(
    mapping: im.Mapping, arrays: Arrays, sizes: dict[str, int], value: Callable[..., float], values: int, adds: bool
) -> np.ndarray:
    """The output, one execution after the other, from cells that hold what the mapping says of each value of an index
    below `values`, whichever one comes."""
    s, operands = mapping.statement, {t.name: t for t in mapping.instruction.kernel.tensors}

    def shape(t: Any) -> tuple[int, ...]:
        return tuple(number(e, sizes, {}) for e in t.shape)

    tensors = {t.name: t for t in mapping.kernel.tensors}
    out = np.zeros(shape(tensors[s.target.tensor]), np.float64)
    outer = {a.name: range(number(a.extent, sizes, {})) for a in mapping.outer}
    lanes = {a: range(n) for a, n in mapping.instruction.axes.items()}
    for o in itertools.product(*outer.values()):
        cells = {n: np.zeros(shape(t), int if n == "idx" else float) for n, t in operands.items()}
        held: dict[tuple[Any, ...], tuple[int, ...]] = {}
        done = []
        for lane in itertools.product(*lanes.values()):
            env = {**sizes, **dict(zip(outer, o, strict=True)), **dict(zip(lanes, lane, strict=True))}
            if not all(number(g, env, {}) for g in mapping.guard):
                continue
            point = {**sizes, **{a: number(e, env, {}) for a, e in mapping.forward}}
            done.append((env, point))
            for (n, a), d in itertools.product(mapping.binding, range(values)):
                index = dict.fromkeys((*tensors, *operands), Always(d))
                at = tuple(number(i, point, index) for i in a.index)
                if n == mapping.instruction.target or not all(
                    0 <= x < e for x, e in zip(at, shape(tensors[a.tensor]), strict=True)
                ):
                    continue
                cell = tuple(number(i, env, index) for i in mapping.cells(n))
                assert held.setdefault((n, *cell), at) == at, (n, cell, at)
                cells[n][cell] = arrays[a.tensor][at]
        for env, point in done:
            at = tuple(number(i, point, {}) for i in s.target.index)
            found = value(cells, {t: env[t] for t in lanes})
            out[at] = out[at] + found if adds else found
    return out


def test_a_table_in_a_register() -> None:
    found = im.find_mappings(kernel("T: [16]\nX: u8\nY[i] = T[X[i]]"), lookup(), operands="fixed")
    assert found.complete and [p.mapping.id for p in found] == ["l=i;t=T,idx=X"] and im.check_certificate(found).ok
    rng = np.random.default_rng(0)
    T, X = rng.standard_normal(16).astype(np.float32), rng.integers(0, 16, 21).astype(np.uint8)
    got = carried_out(
        found[0].mapping,
        {"T": T, "X": X},
        {"I": 21, "T_": 16},
        lambda c, at: float(c["t"][c["idx"][at["l"]]]),
        values=16,
        adds=False,
    )
    assert (got.astype(np.float32) == T[X]).all()
    assert (run_kernel(found[0].mapping.kernel, {"T": T, "X": X})["Y"] == T[X]).all()


def test_rows_of_an_embedding() -> None:
    """All rows' elements of one column are a table; along columns, one cell would be of two of them."""
    k = kernel("T: [16,J]\nX: u8\nY[i,j] = T[X[i],j]")
    found = im.find_mappings(k, lookup(), operands="fixed")
    assert found.complete and [p.mapping.id for p in found] == ["l=i;t=T,idx=X"]
    rng = np.random.default_rng(1)
    T, X = rng.standard_normal((16, 3)).astype(np.float32), rng.integers(0, 16, 11).astype(np.uint8)
    got = carried_out(
        found[0].mapping,
        {"T": T, "X": X},
        {"I": 11, "J": 3},
        lambda c, at: float(c["t"][c["idx"][at["l"]]]),
        values=16,
        adds=False,
    )
    assert (got.astype(np.float32) == T[X]).all()


@pytest.mark.parametrize("seed", range(2))
def test_two_of_four(seed: int) -> None:
    """Against the dense product, of a matrix with zeros where nothing is stored; tails along every axis."""
    k = kernel(SPARSE)
    found = im.find_mappings(k, sparse(), operands="fixed")
    assert (
        found.complete
        and [p.mapping.id for p in found] == ["i=i,j=j,k=k;v=V,b=B,idx=P"]
        and im.check_certificate(found).ok
    )
    rng = np.random.default_rng(seed)
    I, J, K = 3, 9, 10
    V, B = rng.integers(-4, 5, (I, K)).astype(np.float32), rng.integers(-4, 5, (2 * K, J)).astype(np.float32)
    P = np.array([[rng.choice(4, 2, replace=False) for _ in range(K // 2)] for _ in range(I)]).reshape(I, K)
    dense = np.zeros((I, 2 * K), np.float32)
    for i, n in itertools.product(range(I), range(K)):
        dense[i, 4 * (n // 2) + P[i, n]] += V[i, n]
    arrays = {"V": V, "B": B, "P": P}

    def value(c: Arrays, at: dict[str, int]) -> float:
        i, j, n = at["i"], at["j"], at["k"]
        return float(c["v"][i, n] * c["b"][4 * (n // 2) + c["idx"][i, n], j])

    got = carried_out(found[0].mapping, arrays, {"I": I, "J": J, "K": K, "H": 2 * K}, value, values=4, adds=True)
    assert (got == dense @ B).all()
    held = run_kernel(k, {"V": V, "B": B, "P": P.astype(k.tensor("P").dtype.numpy)})
    assert (held["C"] == dense @ B).all()


def test_the_instruction_itself_runs() -> None:
    rng = np.random.default_rng(2)
    t, idx = rng.standard_normal(16).astype(np.float32), rng.integers(0, 16, 8).astype(np.uint8)
    assert (run_instruction(lookup(), {"t": t, "idx": idx})["d"] == t[idx]).all()


WRONG = [
    ("the table may have more elements", "X: u8\nY[i] = T[X[i]]", lookup(), "l=i", "bounds"),
    ("a masked index names one cell twice", "X: u8\nY[i] = T[X[i]]", lookup("t: [16]\nd[l] = t[idx[l] % 16]"), "l=i", "agreement"),
    ("a clamped one, too", "X: u8\nY[i] = T[X[i]]", lookup("t: [16]\nd[l] = t[min(idx[l], 15)]"), "l=i", "agreement"),
    ("a table per column", "T: [16,J]\nX: u8\nY[i,j] = T[X[i],j]", lookup(), "l=j", "agreement"),
    ("a table per row", "T: [I,16]\nX: u8\nY[i] = T[i,X[i]]", lookup(), "l=i", "agreement"),
    ("half of the table", "T: [32]\nX: u8\nY[i] = T[2*X[i]]", lookup("t: [16]\nd[l] = t[idx[l]//2]", "u8"), "l=i", "agreement"),
    ("groups of two", SPARSE.replace("4*(k//2)", "2*(k//2)"), sparse(), "i=i,j=j,k=k", ""),
    ("groups of eight stored by four", SPARSE.replace("4*(k//2)", "4*(k//4)"), sparse(), "i=i,j=j,k=k", ""),
    ("a unit of four of eight", SPARSE, sparse(SPARSE_TEXT.replace("4*(k//2)", "4*(k//4)")), "i=i,j=j,k=k", "agreement"),
    ("one stored of four", SPARSE.replace("4*(k//2)", "4*k"), sparse(), "i=i,j=j,k=k", "agreement"),
    ("rows and columns turned", SPARSE, sparse(), "i=j,j=i,k=k", "agreement"),
    ("an index of three bits", SPARSE.replace("<= 3", "<= 7"), sparse(), "i=i,j=j,k=k", "agreement"),
]  # fmt: skip


@pytest.mark.parametrize(("why", "text", "instruction", "axes", "claim"), WRONG, ids=[w[0] for w in WRONG])
def test_a_wrong_mapping_is_refuted_with_sizes_and_values(
    why: str, text: str, instruction: im.Instruction, axes: str, claim: str
) -> None:
    found = prove(fuse(kernel(text), instruction, axes))
    if not claim:  # cell 4g + d holds B[2g + d, j] for each g and d, whatever the kernel's groups are
        assert not isinstance(found, Rejection)
        return
    assert isinstance(found, Rejection)
    bad = [c for c in found.proof.failed() if isinstance(c.verdict, Refuted)]
    assert [c.claim for c in bad][:1] == [claim], [(c.claim, c.subject, c.verdict) for c in found.proof.failed()]
    values = bad[0].verdict.witness
    assert bad[0].subject not in ("t", "b") or any(n.rstrip("'").endswith("_value") for n in values)


@pytest.mark.parametrize("high", [3, 15])
def test_an_assumed_range_is_a_range_of_indices(high: int) -> None:
    """u8 holds more than a register of four has; where each call checks that they are below, it is enough."""
    text = f"assume 0 <= X <= {high}\nX: u8\nY[i] = T[X[i]]"
    found = prove(fuse(kernel(text), lookup("t: [4]\nd[l] = t[idx[l]]"), "l=i"))
    assert isinstance(found, Rejection) == (high > 3)


def test_an_index_that_a_condition_leaves_out_is_unknown() -> None:
    """No call looks at it there, so that any cell may be named."""
    text = "X: i32\nY[i] = select(X[i] < 0, 0, T[X[i]])\nT: [16]"
    contract = "t: [16]\nd[l] = select(idx[l] < 0, 0, t[idx[l]])"
    found = prove(fuse(kernel(text), lookup(contract, "i32"), "l=i"))
    assert isinstance(found, Rejection)
    assert any(isinstance(c.verdict, Unknown) and "condition" in c.verdict.reason for c in found.proof.failed())


def test_an_index_of_another_place_is_refused() -> None:
    """The operand that is an index is bound to X[j], and the kernel looks at X[i]."""
    k = kernel("X: u8\nZ: u8\nT: [16]\nY[i] = T[X[i]] * f32(Z[i])")
    contract = im.instruction(
        "toy.two", "t: [16]\nd[l] = t[idx[l]] * f32(z[l])", axes={"l": 8}, dtypes={"d": "f32", "t": "f32", "idx": "u8", "z": "u8"},
        places=dict.fromkeys(("d", "t", "idx", "z"), "v"),
    )  # fmt: skip
    assert not isinstance(prove(fuse(k, contract, "l=i", operands="t=T,idx=X,z=Z")), Rejection)
    assert isinstance(prove(fuse(k, contract, "l=i", operands="t=T,idx=Z,z=X")), Rejection)


@pytest.mark.parametrize(
    ("text", "idx", "said"),
    [
        ("d: [16]\nd[idx[l]] = t[l]", "u8", "data says which cell is written"),
        ("t: [16]\nd[l] = t[idx[l]]", "i64", "32 bits hold one"),
        ("d[l] = t[idx[l]]", "u8", "cells have constant sizes"),
    ],
)
def test_what_no_contract_says(text: str, idx: str, said: str) -> None:
    with pytest.raises(LanguageError, match=re.escape(said)):
        lookup(text, idx)


def test_a_plan_follows_none_and_computes_element_by_element() -> None:
    """Mappings are proved; programs of them are not made yet, and the kernel runs as before."""
    k = kernel("T: [16]\nX: u8\nY[i] = T[X[i]]", i=20)
    rng = np.random.default_rng(3)
    T, X = rng.standard_normal(16).astype(np.float32), rng.integers(0, 16, 20).astype(np.uint8)
    assert (im.build(im.plan(k, "scalar"))(T=T, X=X) == T[X]).all()


def test_where_points_are_left_out_any_index_has_to_have_a_cell() -> None:
    """A lane that `where` leaves out holds an index that no call has looked at."""
    k = kernel("X: u8\nT: [16]\nY[i] = T[X[i]] where i % 3 < 2")
    found = prove(fuse(k, lookup(), "l=i"))
    assert isinstance(found, Rejection)
    assert [c.verdict.word for c in found.proof.failed()] == ["unknown"]
    assert not isinstance(prove(fuse(k, lookup("t: [16]\nd[l] = t[idx[l] % 16]"), "l=i")), Rejection)


def test_padding_is_asked_of_cells_for_all_sizes() -> None:
    """Tables shorter than a type has values are as legal as others, and a sum of what is looked up needs a factor that pads."""
    sum_of = im.instruction(
        "toy.sum", "t: [16]\nd[l] += t[idx[l,e]]", axes={"l": 8, "e": 4}, dtypes={"d": "f32", "t": "f32", "idx": "u8"},
        places=dict.fromkeys(("d", "t", "idx"), "v"),
    )  # fmt: skip
    found = prove(fuse(kernel("X: u8\nT: [16]\nY[i] += T[X[i,k]]"), sum_of, "l=i,e=k"))
    assert isinstance(found, Rejection) and [c.claim for c in found.proof.failed()] == ["neutral"]
    assert not isinstance(prove(fuse(kernel("X: u8\nT: [16]\nY[i] += T[X[i,k]]", k=12), sum_of, "l=i,e=k")), Rejection)
    proved = prove(fuse(kernel(SPARSE), sparse(), "i=i,j=j,k=k"))
    assert not isinstance(proved, Rejection) and not any("H >= 4" in str(h) for h in proved.proof.assumptions)


@pytest.mark.parametrize("seed", range(12))
def test_random_lookups_are_what_trying_all_says(seed: int) -> None:
    """Tables at sums of an index and lanes, on contracts likewise: proved or refuted as counting the cells says."""
    rng = np.random.default_rng(seed)
    pieces = ["X[i]", "X[i] + i % 2", "2*X[i]", "X[i] + 4*(i//2)", "X[i] + 4*(i%4)", "3 - X[i]"]
    mine = str(rng.choice(pieces)).replace("X", "idx").replace("i", "l").replace("ldx", "idx")
    theirs = str(rng.choice(pieces))
    k = kernel(f"assume 0 <= X <= 3\nX: u8\nT: [64]\nY[i] = T[{theirs}]", i=8)
    contract = lookup(f"t: [64]\nd[l] = t[{mine}]")
    held: dict[int, int] = {}
    right = True
    for i, d in itertools.product(range(8), range(4)):
        at = {"i": i, "l": i, "X": Always(d), "idx": Always(d)}
        cell, element = (number(e, at, {}) for e in (mine, theirs))
        right &= held.setdefault(cell, element) == element and 0 <= cell < 64
    found = prove(fuse(k, contract, "l=i"))
    assert isinstance(found, Rejection) != right, (mine, theirs, found.proof.failed())
    assert right or found.proof.failed()[0].verdict.word == "refuted", (mine, theirs, found.proof.failed())
