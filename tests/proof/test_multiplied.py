"""Products of differences multiplied out: the kernel computes the same, and each way of getting it wrong is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from isamap_smt.certificates.subject import kernel_document, split_from
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.scalar import Cast, Read, SMul, SSub, read, rewrite_reads
from isamap_smt.mapping.multiplied import multipliable, multiply_out
from isamap_smt.mapping.rows import remade
from isamap_smt.proof.split import prove_split, require_split

TYPES = {"A": "u8", "B": "i8", "a": "u8", "b": "i8", "C": "i32"}
BOTH = "C[i,j] += (i32(A[i,k]) - i32(a[])) * (i32(B[k,j]) - i32(b[]))"
TEXTS = (
    BOTH,
    "C[i,j] += (i32(A[i,k]) - i32(a[i])) * (i32(B[k,j]) - i32(b[j]))",
    "C[i,j] += (i32(A[i,k]) - 128) * i32(B[k,j])",
    "C[i,j] += i32(A[i,k]) * (3 - i32(B[k,j]) + i32(b[j]))",
    "C[i] += (i32(A[i,k]) - i32(a[i])) * (i32(B[k]) - i32(b[]))",
    "C[h,i,j] += (i32(A[h,i,k]) - i32(a[h])) * (i32(B[h,k,j]) - i32(b[h,j]))",
    "C[p,c] += (i32(A[p+r,k]) - i32(a[])) * i32(B[r,k,c])",
    "C[] += (i32(A[k]) - i32(a[])) * (i32(B[k]) - i32(b[]))",
    "C[i,j] += (i32(A[i,k]) + i32(A[i,k+1]) - i32(a[])) * (i32(B[k,j]) - i32(b[]))",
)


def whole(text: str = BOTH, types: dict[str, str] | None = None) -> Kernel:
    return im.kernel(
        text, name="whole", dtypes={n: d for n, d in {**TYPES, **(types or {})}.items() if f"{n}[" in text}
    )


def drawn(kernel: Kernel, sizes: dict[str, int], rng: np.random.Generator) -> dict[str, np.ndarray]:
    fixed = kernel.with_sizes(sizes)
    found = {}
    for n in kernel.inputs:
        t, kind = fixed.tensor(n), np.iinfo(fixed.tensor(n).dtype.numpy)
        found[n] = rng.choice([kind.min, kind.max, 0, 1, kind.max - 1], tuple(map(int, t.shape))).astype(t.dtype.numpy)
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_it_computes_the_same(text: str) -> None:
    kernel = whole(text)
    made = multiply_out(kernel)
    proof = prove_split(made)
    assert (proof.word, proof.arithmetic) == ("proved", "exact"), [str(c) for c in proof.failed()]
    rng = np.random.default_rng(5)
    for _ in range(4):
        sizes = {n: int(rng.choice([1, 2, 3, 5, 7])) for n in kernel.free_sizes}
        arrays = drawn(kernel, sizes, rng)
        start = {"C": rng.integers(-9, 9, tuple(map(int, kernel.with_sizes(sizes).tensor("C").shape))).astype(np.int32)}
        want = run_kernel(kernel, arrays, out={"C": start["C"].copy()}, sizes=sizes)["C"]
        np.testing.assert_array_equal(
            run_kernel(made.kernel, arrays, out={"C": start["C"].copy()}, sizes=sizes)["C"], want
        )


@pytest.mark.parametrize("factor", ["{0} - 128", "{0} - 3 - 4", "3 - {0}"])
@pytest.mark.parametrize("kind", ["u8", "u16", "u32"])
def test_literals_are_taken_from_unsigned_elements(kind: str, factor: str) -> None:
    text = f"C[i,j] += ({factor.format('A[i,k]')}) * (B[k,j] - 3)"
    kernel = whole(text, dict.fromkeys(TYPES, kind))
    made = multiply_out(kernel)
    assert prove_split(made).word == "proved"
    assert im.kernel(made.kernel.text).statements == made.kernel.statements
    sizes = {"I": 3, "J": 4, "K": 5}
    arrays = drawn(kernel, sizes, np.random.default_rng(4))
    exact = {n: a.astype(object) for n, a in arrays.items()}
    left = {"{0} - 128": exact["A"] - 128, "{0} - 3 - 4": exact["A"] - 7, "3 - {0}": 3 - exact["A"]}[factor]
    want = (left @ (exact["B"] - 3)) % (1 << kernel.tensor("C").dtype.bits)
    assert (run_kernel(made.kernel, arrays, sizes=sizes)["C"].astype(object) == want).all()
    compiled = im.compile(kernel, "scalar", sizes=sizes)
    assert (compiled(**arrays).astype(object) == want).all()


@pytest.mark.parametrize("kind", ["i64", "i32", "i16", "u32"])
def test_integers_of_every_width_wrap(kind: str) -> None:
    text = f"C[i,j] += ({kind}(A[i,k]) - {kind}(a[])) * ({kind}(B[k,j]) - {kind}(b[]))"
    kernel = whole(text, dict.fromkeys(TYPES, kind))
    made = multiply_out(kernel)
    assert prove_split(made).word == "proved"
    sizes = {"I": 3, "J": 4, "K": 5}
    arrays = drawn(kernel, sizes, np.random.default_rng(3))
    want = run_kernel(kernel, arrays, sizes=sizes)["C"]
    np.testing.assert_array_equal(run_kernel(made.kernel, arrays, sizes=sizes)["C"], want)


def test_it_is_text_that_reads_back_and_is_made_again() -> None:
    made = multiply_out(whole())
    assert im.kernel(made.kernel.text, name="whole") == made.kernel
    assert remade(made, made.whole) == made
    assert split_from(kernel_document(made.kernel, None, made)) == made
    assert str(made) == "the differences of statement 1 multiplied out"
    assert made.key == "multiplied-1"


@pytest.mark.parametrize(
    "text, types",
    [
        ("C[i,j] += i32(A[i,k]) * i32(B[k,j])", {}),
        ("C[i,j] += (A[i,k] - a[]) * (B[k,j] - b[])", dict.fromkeys(TYPES, "f32")),
        (BOTH + " where k <= i", {}),
        (BOTH + " ordered", {}),
        ("C[i,j] max= (i32(A[i,k]) - i32(a[])) * (i32(B[k,j]) - i32(b[]))", {}),
        ("C[i,j] += i32(i16(A[i,k]) - i16(a[])) * i32(B[k,j])", {}),
        ("C[i,j] += (i32(A[i,k]) - i32(k)) * i32(B[k,j])", {}),
        ("C[i,j] += (i32(A[i,k]) - i32(a[])) * i32(b[j])", {}),
        ("C[i,j] = (i32(A[i,j]) - i32(a[])) * i32(B[i,j])", {}),
    ],
)  # fmt: skip
def test_what_is_not_multiplied_out(text: str, types: dict[str, str]) -> None:
    kernel = whole(text, types)
    assert not multipliable(kernel, 0)
    words = "statement 1 of whole adds no products of differences that can be multiplied out"
    with pytest.raises(ScheduleError, match=words):
        multiply_out(kernel)


# ---- mutants


def changed(made: Rewrite, number: int, **fields: Any) -> Rewrite:
    """The same with another statement of that number."""
    every = list(made.kernel.statements)
    every[number] = replace(every[number], **fields)
    return replace(made, kernel=replace(made.kernel, statements=tuple(every)))


def tensor(made: Rewrite, name: str, **fields: Any) -> Rewrite:
    """The same with another tensor of that name."""
    found = tuple(replace(t, **fields) if t.name == name else t for t in made.kernel.tensors)
    return replace(made, kernel=replace(made.kernel, tensors=found))


def elsewhere(made: Rewrite, number: int, name: str, index: tuple[Any, ...]) -> Rewrite:
    """Another element of that tensor is read."""
    value = made.kernel.statements[number].value
    moved = rewrite_reads(value, lambda r: Read(r.args[0], *index) if r.tensor == name else r)
    return changed(made, number, value=moved)


def symbols(made: Rewrite) -> dict[str, Any]:
    return {x.name: x.symbol for s in made.kernel.statements for x in s.axes}


def short(made: Rewrite, number: int) -> Rewrite:
    """Over all points but one."""
    axes = tuple(replace(x, extent=x.extent - 1) if x.name == "k" else x for x in made.kernel.statements[number].axes)
    return changed(made, number, axes=axes)


def i32(name: str, *index: Any) -> Any:
    return Cast(sp.Symbol("i32"), read(name, *index))


def swapped(made: Rewrite) -> Rewrite:
    """Each total times the other's number."""
    value = made.kernel.statements[3].value
    one, other = value.args
    return changed(made, 3, value=value.func(SMul(other.args[0], one.args[1]), SMul(one.args[0], other.args[1])))


def once(made: Rewrite) -> Rewrite:
    """One total alone is added."""
    return changed(made, 3, value=made.kernel.statements[3].value.args[0])


def twice(made: Rewrite) -> Rewrite:
    """Added once for each of two points of a new axis."""
    return changed(made, 3, axes=(*made.kernel.statements[3].axes, Axis("more", sp.Integer(2))))


def without_closing(made: Rewrite) -> Rewrite:
    return replace(made, kernel=replace(made.kernel, statements=made.kernel.statements[:3]))


def read_again(made: Rewrite) -> Rewrite:
    """Another statement reads a total."""
    s = made.kernel.statements[3]
    more = Statement(Access("C", s.target.index), "+", read("C_right", symbols(made)["j"]), s.axes)
    return replace(made, kernel=replace(made.kernel, statements=(*made.kernel.statements, more)))


def varying(made: Rewrite) -> Rewrite:
    """What a total is multiplied with is an element that varies along the sum."""
    one, other = made.kernel.statements[3].value.args
    k = symbols(made)["k"]
    value = made.kernel.statements[3].value.func(SMul(i32("B", k, symbols(made)["j"]), one.args[1]), other)
    return changed(made, 3, value=value)


def no_zero_point(made: Rewrite) -> Rewrite:
    """K a b is lost."""
    s = symbols(made)
    return changed(made, 1, value=i32("B", s["k"], s["j"]))


def other_sign(made: Rewrite) -> Rewrite:
    s = symbols(made)
    return changed(made, 1, value=SSub(i32("b"), i32("B", s["k"], s["j"])))


MUTANTS: dict[str, tuple[str, Callable[[Rewrite], Rewrite]]] = {
    "without the product of the zero points": ("scalar", no_zero_point),
    "a total with the other sign": ("scalar", other_sign),
    "each total times the other's number": ("scalar", swapped),
    "the product of other elements": ("scalar", lambda m: elsewhere(m, 2, "A", (symbols(m)["i"] + 1, symbols(m)["k"]))),
    "a total of other elements": ("scalar", lambda m: elsewhere(m, 0, "A", (symbols(m)["i"], symbols(m)["k"] + 1))),
    "totals of 16 bits": ("neutral", lambda m: tensor(m, "C_right", dtype=dtype("i16"))),
    "one point too few in a total": ("exclusive", lambda m: short(m, 1)),
    "one point too few in the sum": ("program", lambda m: short(m, 2)),
    "a condition on the sum": ("program", lambda m: changed(m, 2, guard=(sp.Lt(symbols(m)["i"], 3),))),
    "a condition on a total": ("exclusive", lambda m: changed(m, 0, guard=(sp.Lt(symbols(m)["i"], 3),))),
    "the maximum of a factor": ("exclusive", lambda m: changed(m, 1, op="max")),
    "one total is not added": ("neutral", once),
    "nothing is added": ("link", without_closing),
    "added twice": ("link", twice),
    "another column's total": ("link", lambda m: elsewhere(m, 3, "C_right", (symbols(m)["j"] + 1,))),
    "times what varies along the sum": ("link", varying),
    "a condition on what is added": ("link", lambda m: changed(m, 3, guard=(sp.Lt(symbols(m)["i"], 3),))),
    "read by another": ("link", read_again),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_are_refuted(name: str) -> None:
    claim, mutate = MUTANTS[name]
    proof = prove_split(mutate(multiply_out(whole())))
    assert not proof.proved and {claim} == {c.claim for c in proof.failed()}, [str(c) for c in proof.failed()]


def test_a_guarded_sum_is_refuted_where_it_is_claimed() -> None:
    """Points that are left out add nothing, and the totals have them all."""
    made = multiply_out(whole())
    guard = (sp.Le(symbols(made)["k"], symbols(made)["i"]),)
    s = made.whole.statements[0]
    claimed = replace(changed(made, 2, guard=guard), whole=replace(made.whole, statements=(replace(s, guard=guard),)))
    with pytest.raises(NotProvedError, match="exclusive terms: refuted"):
        require_split(claimed)


# ---- plans

VNNI = im.find_hardware("avx512_vnni")


@pytest.mark.parametrize("first", ["u8", "i8"])
def test_a_plan_multiplies_zero_points_out(first: str) -> None:
    """Of signed bytes one is moved, too."""
    made = im.plan(whole(BOTH, {"A": first, "a": first}), VNNI, sizes={"i": 128, "j": 256, "k": 256})
    assert made.split is not None and made.split.proof.proved
    assert "the differences of statement 1 multiplied out" in " ".join(made.notes)
    used = [s.proved.mapping.instruction.name for s in made.program.schedules]
    assert any("dpb" in n for n in used), used


def test_a_pinned_instruction_is_used_where_it_takes_the_products_alone() -> None:
    made = im.plan(whole(TEXTS[2]), VNNI, sizes={"i": 16, "j": 32, "k": 64}, instruction="dpbusd")
    assert "dpbusd" in " ".join(s.proved.mapping.instruction.name for s in made.program.schedules)


def test_what_is_pinned_is_of_the_kernel_as_it_is_written() -> None:
    made = im.plan(whole(), "avx2", sizes={"i": 16, "j": 32, "k": 64}, fix={"split": "no"})
    assert made.split is None


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize("text", [TEXTS[3], TEXTS[6]])
def test_what_is_compiled_computes_the_same(text: str) -> None:
    kernel = whole(text)
    sizes = {n: 2 + 3 * k for k, n in enumerate(kernel.free_sizes)} | {"K": 37}
    sizes = {n: v for n, v in sizes.items() if n in kernel.free_sizes}
    run = im.build(im.plan(kernel, "avx2", sizes=sizes))
    rng = np.random.default_rng(11)
    arrays = drawn(kernel, sizes, rng)
    np.testing.assert_array_equal(run(**arrays), run_kernel(kernel, arrays, sizes=sizes)["C"])
