"""Products of i4 and f8 in wider sums: contracts of a machine with engines, proved and run; wrong ones are refuted."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import Rejection, prove
from tests.uses.tile_machines import tile_machine

SIZES = {"i": 9, "j": 17, "k": 21}
E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2


def product(a: str, b: str, acc: str) -> im.Kernel:
    """C[i,j] is the sum of products in the type of the sums."""
    text = f"C[i,j] += {acc}(A[i,k]) * {acc}(B[k,j])"
    return im.kernel(text, name="product", dtypes={"A": a, "B": b, "C": acc})


def drawn(kind: object, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Every finite number of a type of few bits is as likely."""
    every = np.arange(256, dtype=np.uint8).view(kind) if kind in (E4M3, E5M2) else np.arange(-8, 8).astype(kind)
    every = every[np.isfinite(every.astype(np.float32)) & (np.abs(every.astype(np.float32)) < 500)]
    return np.random.default_rng(seed).choice(every, shape)


@pytest.mark.parametrize(
    ("a", "b", "acc", "kinds"),
    [
        ("f8e4m3", "f8e4m3", "f32", (E4M3, E4M3)),
        ("f8e4m3", "f8e5m2", "f32", (E4M3, E5M2)),
        ("i4", "i4", "i32", (ml_dtypes.int4, ml_dtypes.int4)),
    ],
)
def test_a_product_is_proved_and_run(a: str, b: str, acc: str, kinds: tuple[object, object]) -> None:
    machine = tile_machine(
        f"acc[i,j] += {acc}(a[k,i]) * {acc}(b[k,j])", a, b, acc, "fused" if acc == "f32" else "exact"
    )
    plan = im.stage(product(a, b, acc), machine, sizes=SIZES)
    A, B = drawn(kinds[0], (9, 21), 0), drawn(kinds[1], (21, 17), 1)
    assert plan.proof.word == "proved"
    for seed in (None, 0, 1):
        got = im.simulate(plan.program, {"A": A, "B": B}, seed=seed).outputs["C"]
        wide = np.float64 if acc == "f32" else np.int64
        want = A.astype(np.float32).astype(wide) @ B.astype(np.float32).astype(wide)
        assert np.abs(got - want).max() <= 1e-5 * np.abs(want).max() if acc == "f32" else (got == want).all()


@pytest.mark.parametrize(
    ("types", "contract", "word"),
    [
        (("f8e4m3", "f8e5m2", "f32"), "acc[i,j] += f32(f8e5m2(f32(a[k,i]))) * f32(b[k,j])", "scalar"),
        (("f8e4m3", "f8e4m3", "f32"), "acc[i,j] += f32(f8e4m3(f32(a[k,i]) * f32(b[k,j])))", "scalar"),
        (("f8e4m3", "f8e4m3", "f32"), "acc[i,j] += f32(f16(f32(a[k,i]) * f32(b[k,j])))", "scalar"),
        (("i4", "i4", "i32"), "acc[i,j] += i32(i8(a[k,i]) * i8(b[k,j]))", ""),
        (("i4", "i4", "i32"), "acc[i,j] += i32(i4(i8(a[k,i]) * i8(b[k,j])))", "scalar"),
        (("i4", "i4", "i32"), "acc[i,j] += i32(u4(a[k,i])) * i32(b[k,j])", "scalar"),
        (("i4", "i4", "i32"), "acc[i,j] += i32(a[k,i]) * i32(sat_i4(i32(b[k,j]) + 1))", "scalar"),
    ],
)
def test_what_is_rounded_or_wraps_elsewhere_is_refuted_with_an_input(
    types: tuple[str, str, str], contract: str, word: str
) -> None:
    """Products of i4 fit i8, from -56 to 64; nothing else of these is the same for all inputs."""
    machine = tile_machine(contract, *types, rounding="unfused" if types[2] == "f32" else "exact")
    found = prove(fuse(product(*types), machine.instruction("multiply"), "i=i,j=j,k=k"))
    if not word:
        assert not isinstance(found, Rejection)
        return
    assert isinstance(found, Rejection)
    (claim,) = found.proof.failed()
    assert claim.claim == word and isinstance(claim.verdict, Refuted) and claim.verdict.witness
