"""Axes in parts, each a phase: the inside of an image and its borders, and parts of a sum. Wrong parts are refuted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import arrays
import numpy as np
import pytest
import sympy as sp
from judged import numbers_wrong, runs_wrong

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.epilogue import epilogue_of
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.phases import phase_counts, phase_kernels, phases
from isamap_smt.ir.scalar import SAdd, read, reads
from isamap_smt.mapping.axis_parts import Parts, along_borders, along_sum, in_parts
from isamap_smt.pipeline.axis_parts import InParts
from isamap_smt.proof import resident
from isamap_smt.proof.written_parts import claims

BORDER = """
X: [N,V,C]
temporary T
T[n,q,k] += i32(X[n,{stride}*q+{apart}*s-{pad},c]) * i32(W[s,c,k]) where 0 <= {stride}*q+{apart}*s-{pad} < V
Y[n,q,k] = sat_i8(T[n,q,k])
"""
ALONE = BORDER.replace("temporary T\n", "").replace("Y[n,q,k] = sat_i8(T[n,q,k])\n", "")
TYPES = {"X": "i8", "W": "i8", "T": "i32", "Y": "i8"}


def border(stride: int = 2, pad: int = 3, apart: int = 1, text: str = BORDER, **sizes: int) -> Kernel:
    """A convolution along one axis with zeros around the image. 7 columns of 3 colours are 21 of an array's 32 rows."""
    sizes = {"n": 2, "q": 40, "s": 7, "c": 3, "k": 10} | sizes
    sizes = {"v": stride * (sizes["q"] - 1) + apart * (sizes["s"] - 1) + 1 - 2 * pad} | sizes
    kernel = im.kernel(text.format(stride=stride, pad=pad, apart=apart), name="border")
    return kernel.with_dtypes({n: t for n, t in TYPES.items() if n in {x.name for x in kernel.tensors}}).with_sizes(
        {"V" if n == "v" else n: size for n, size in sizes.items()}
    )


def drawn(kernel: Kernel, seed: int = 0, least: int = -3, most: int = 4) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    shapes = {n: [int(e) for e in kernel.tensor(n).shape] for n in kernel.inputs}
    return {n: rng.integers(least, most, s).astype(kernel.tensor(n).dtype.numpy) for n, s in shapes.items()}


def by_numpy(given: dict[str, np.ndarray], q: int, stride: int, pad: int, apart: int) -> np.ndarray:
    """Sums of an image that is copied with its zeros; written apart from the language."""
    x, w = given["X"].astype(np.int64), given["W"].astype(np.int64)
    far = stride * (q - 1) + apart * (len(w) - 1) + 1
    wide = np.zeros((len(x), max(far, x.shape[1] + pad), x.shape[2]), np.int64)
    wide[:, pad : pad + x.shape[1]] = x
    return sum(wide[:, s * apart : s * apart + stride * (q - 1) + 1 : stride] @ w[s] for s in range(len(w)))


def cut(kernel: Kernel, statement: int = 0) -> tuple[Parts, Kernel]:
    """The kernel along its one border."""
    (parts,) = along_borders(kernel, statement)
    return parts, in_parts(kernel, parts)


def as_it_stands(kernel: Kernel, machine: im.Hardware, monkeypatch: pytest.MonkeyPatch) -> Any:
    with monkeypatch.context() as m:
        m.setattr(InParts, "quicker", lambda *given: None)
        return im.stage(kernel, machine)


@cache
def planned() -> Any:
    return im.stage(border(), arrays.array())


def test_a_border_is_cut_off_and_the_inside_fills_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """At q = 0 and 1, and at 38 and 39, the window leaves the image: these columns are phases of their own."""
    whole, found = as_it_stands(border(), arrays.array(), monkeypatch), planned()
    assert whole.schedule.proved.mapping.id.startswith("i=q,j=k,k=c")
    assert [s.proved.mapping.id.split(";")[0] for s in found.phases] == [
        "i=n,j=k,k=s_1.c", "i=n,j=k,k=s_2.c", "i=q_2,j=k,k=s.c", "i=n,j=k,k=s.c",
    ]  # fmt: skip
    assert found.cycles < 0.65 * whole.cycles
    assert any("q in parts of 2, 36, 2" in n for n in found.notes) and any("equal" in n for n in found.notes)


def test_the_program_of_the_parts_is_right() -> None:
    found, given = planned(), drawn(border())
    want = {"Y": np.clip(by_numpy(given, 40, 2, 3, 1), -128, 127).astype(np.int8)}
    assert runs_wrong(found.program, given, {}, want, 2, 2) == ""
    assert im.simulate(found.program, given).cycles == found.cycles
    assert im.prove_program(found.program).proved


def test_sums_that_nothing_follows_are_copied() -> None:
    kernel = border(text=ALONE)
    found, given = im.stage(kernel, arrays.array()), drawn(kernel)
    want = {"T": by_numpy(given, 40, 2, 3, 1).astype(np.int32)}
    assert len(found.phases) > 1 and runs_wrong(found.program, given, {}, want, 2, 2) == ""


def test_it_is_asked_only_where_a_border_rules_less_work_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """32 colours fill the rows; a window without a border leaves nothing to cut."""
    tried: list[Parts] = []
    monkeypatch.setattr(InParts, "_planned", lambda self, made, *more: tried.append(made.told) or None)
    im.stage(border(c=32), arrays.array())
    im.stage(border(pad=0), arrays.array())
    assert tried == []
    im.stage(border(), arrays.array())
    assert tried == [("q in parts of 2, 36, 2",)]


def test_pins_are_about_the_kernel_as_it_stands() -> None:
    kernel = border(q=8)
    assert len(im.stage(kernel, arrays.array(), fix={"slots.a": 1}).phases) == 1
    assert len(im.stage(kernel, arrays.array(), axes="i=q,j=k,k=c").phases) == 1


# ---- random convolutions


def _drawn_convolutions() -> Iterator[dict[str, int]]:
    """Some whose every column has a point of the window inside of the image."""
    rng = np.random.default_rng(5)
    while True:
        stride, apart, s = int(rng.integers(1, 4)), int(rng.integers(1, 3)), int(rng.integers(2, 6))
        ways = {"stride": stride, "apart": apart, "s": s, "pad": int(rng.integers(0, apart * (s - 1) + 1))}
        ways |= {n: int(rng.integers(1, most)) for n, most in (("n", 3), ("q", 12), ("c", 5), ("k", 9))}
        ways["v"] = max(1, stride * (ways["q"] - 1) + apart * (s - 1) + 1 - 2 * ways["pad"] + int(rng.integers(-3, 4)))
        columns = [[stride * q + apart * t - ways["pad"] for t in range(s)] for q in range(ways["q"])]
        if all(any(0 <= x < ways["v"] for x in c) for c in columns) and list(along_borders(border(**ways), 0)):
            yield ways


@pytest.mark.one_in(3)
@pytest.mark.parametrize("number", range(12))
def test_parts_of_random_convolutions_are_equal(number: int) -> None:
    """All cuts of each, proved and computed; the borders of what is left are cut again."""
    ways = next(itertools.islice(_drawn_convolutions(), number, None))
    kernel = border(**ways)
    given = drawn(kernel, number)
    want = np.clip(by_numpy(given, ways["q"], ways["stride"], ways["pad"], ways["apart"]), -128, 127)
    left, seen = [kernel], 0
    while left and seen < 4:
        one = left.pop()
        for n, s in enumerate(one.statements):
            for parts in along_borders(one, n) if s.op == "+" else ():
                made = in_parts(one, parts)
                assert im.equal(kernel, made, "bits").is_proved, made.text
                assert np.array_equal(im.run_kernel(made, given)["Y"], want)
                assert all(c.verdict.word == "proved" for c in claims(made))
                left.append(made)
                seen += 1
    assert seen


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", range(4))
def test_programs_of_parts_of_random_convolutions_are_right(number: int) -> None:
    """The kernel in parts is planned as it is given, on a small array, whether that is quicker or not."""
    ways = next(itertools.islice(_drawn_convolutions(), 20 + number, None))
    kernel = border(**ways)
    _, made = cut(kernel)
    machine = arrays.array(rows=(8, 16, 4, 32)[number], columns=(8, 4, 16, 8)[number], passed=(8, 16, 8, 4)[number])
    plan = im.stage(made, machine)
    given = drawn(kernel, number)
    want = np.clip(by_numpy(given, ways["q"], ways["stride"], ways["pad"], ways["apart"]), -128, 127).astype(np.int8)
    assert runs_wrong(plan.program, given, {}, {"Y": want}, 2, 2) == ""


# ---- wrong parts


def _statement(kernel: Kernel, number: int, change: Callable[[Statement], Statement]) -> Kernel:
    every = list(kernel.statements)
    every[number] = change(every[number])
    return replace(kernel, statements=tuple(every))


def _with_extent(kernel: Kernel, axis: str, more: int) -> Kernel:
    """An axis of one part by so many points longer, in its sum, in what follows it and in the temporary."""

    def change(s: Statement) -> Statement:
        return replace(s, axes=tuple(replace(a, extent=a.extent + more * (a.name == axis)) for a in s.axes))

    tensors = {t.name: t for t in kernel.tensors}
    for s in kernel.statements:
        for d, i in enumerate(s.target.index):
            t = tensors[s.target.tensor]
            if str(i) == axis and s.target.tensor in kernel.temporaries:
                shape = tuple(n + more * (d == m) for m, n in enumerate(t.shape))
                tensors[t.name] = replace(t, shape=shape)
    return replace(kernel, statements=tuple(map(change, kernel.statements)), tensors=tuple(tensors.values()))


def _written_at(number: int, axis: str, by: int) -> Callable[[Kernel], Kernel]:
    def moved(s: Statement) -> Statement:
        index = tuple(
            substitute(i, {axis: sp.Symbol(axis, integer=True, nonnegative=True) + by}) for i in s.target.index
        )
        return replace(s, target=replace(s.target, index=index))

    return lambda kernel: _statement(kernel, number, moved)


def _text(old: str, new: str) -> Callable[[Kernel], Kernel]:
    """Another text of the kernel."""

    def change(kernel: Kernel) -> Kernel:
        assert kernel.text.count(old) == 1
        return im.kernel(kernel.text.replace(old, new), name=kernel.name)

    return change


WRONG: dict[
    str, tuple[Callable[[Kernel], Kernel], bool]
] = {  # an edit, and whether elements are missing or written twice
    "the inside leaves its last column out": (lambda k: _with_extent(k, "q_2", -1), True),
    "a rim leaves a column out": (lambda k: _with_extent(k, "q_1", -1), True),
    "the inside is written a column further": (_written_at(3, "q_2", 1), True),
    "the inside is written a column before": (_written_at(3, "q_2", -1), True),
    "a rim is written a column further": (_written_at(1, "q_1", 1), True),
    "the inside is read a column before": (_text("2*q_2 + s + 1", "2*q_2 + s"), False),
    "the window is read backwards": (_text("2*q_2 + s + 1", "2*q_2 - s + 7"), False),
    "a border is a column too wide": (_text("where 0 <= 2*q_1 + s - 3", "where 1 <= 2*q_1 + s - 3"), False),
    "the other border is a column too wide": (_text("2*q_3 + s + 11 < 17", "2*q_3 + s + 11 < 16"), False),
    "parts change places": (
        _text("Y[n, q_3 + 7, k] = sat_i8(T_3[n, q_3, k])", "Y[n, q_3 + 7, k] = sat_i8(T_3[n, 1 - q_3, k])"),
        False,
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_parts_are_refuted(wrong: str) -> None:
    kernel = border(n=1, q=9, k=2)
    parts, made = cut(kernel)
    assert len(parts.ranges) == 3 and im.equal(kernel, made, "bits").is_proved
    edit, apart = WRONG[wrong]
    edited = edit(made)
    assert edited != made
    assert not im.equal(kernel, edited, "bits").is_proved
    if not apart:
        assert isinstance(im.equal(kernel, edited, "bits").verdict, Refuted)
    assert any(isinstance(c.verdict, Refuted) for c in claims(edited)) == apart


def test_parts_that_overlap_are_refuted() -> None:
    """They write the same values, so the kernels are equal; which phase writes an element is no longer one."""
    _, made = cut(border(n=1, q=9, k=2))
    longer = _with_extent(made, "q_1", 1)
    found = [c for c in claims(longer) if isinstance(c.verdict, Refuted)]
    assert [(c.claim, c.subject) for c in found] == [("exclusive", "Y")] and "q_1=2" in found[0].verdict.text


@pytest.mark.one_in(2)
@pytest.mark.parametrize("wrong", [w for w, (_, apart) in WRONG.items() if apart])
def test_programs_of_wrong_parts_are_not_proved(wrong: str) -> None:
    """Each phase is right by itself: that an element is missing is a claim about all of them."""
    _, made = cut(border(n=1, q=9, k=2))
    with pytest.raises((NotProvedError, ScheduleError)):
        im.stage(WRONG[wrong][0](made), arrays.array())


def test_two_statements_that_write_all_of_a_tensor_are_refused() -> None:
    one, other = (f"{c}[i,j] += i32(A[i,k]) * i32({b}[k,j])\nY[i,j] = sat_i8({c}[i,j])" for c, b in ("CB", "DE"))
    types = {**dict.fromkeys("ABEY", "i8"), **dict.fromkeys("CD", "i32")}
    kernel = im.kernel(f"temporary C, D\n{one}\n{other}", name="both", dtypes=types)
    with pytest.raises(ScheduleError, match="two statements write Y"):
        im.stage(kernel.with_sizes({"i": 8, "j": 8, "k": 8}), arrays.array())


def test_a_program_of_one_part_leaves_elements_out() -> None:
    """What a kernel of one phase writes is asked of it, too."""
    kernel = im.kernel(
        "A: [I,K]\nY: [I + 1,J]\ntemporary C\nC[i,j] += i32(A[i,k]) * i32(B[k,j])\nY[i+1,j] = sat_i8(C[i,j])",
        name="one",
    )
    kernel = kernel.with_dtypes({"A": "i8", "B": "i8", "C": "i32", "Y": "i8"}).with_sizes({"i": 9, "j": 9, "k": 9})
    assert epilogue_of(kernel).of_a_part
    with pytest.raises(NotProvedError, match="Y"):
        im.stage(kernel, arrays.array())


def test_a_phase_stores_its_own_part_alone() -> None:
    """A program whose store goes a column further is refuted, although its kernel is the right one."""
    _, made = cut(border(n=1, q=9, k=2))
    right = im.stage(made, arrays.array())
    moved = im.stage(border(n=1, q=9, k=2), arrays.array())
    assert right.proof.proved and len(phases(right.program)) == 3 and len(phases(moved.program)) >= 1
    for number, axis in ((1, "q_1"), (3, "q_2")):
        edited = _written_at(number, axis, 1)(made)
        program = replace(right.program, kernel=edited)
        assert not im.prove_program(program).proved


def test_tensors_of_two_phases_do_not_stay_on_chip() -> None:
    """What stays is asked of the one phase that computes the tensor: another one may have written a part of it."""
    import test_on_chip
    import vectors

    softmax = im.stage(im.kernel(test_on_chip.SOFTMAX, name="k"), vectors.machine(4, 8, 40), sizes={"i": 8, "j": 24})
    apart = list(phases(softmax.program))
    found = resident.residents(apart)
    assert found and all(c.verdict.word == "proved" for c in resident.claims(softmax.program, apart, found))
    r = found[0]
    other = next(n for n in range(len(apart)) if n != r.left)
    kernel = _statement(apart[other].kernel, -1, lambda s: replace(s, target=replace(s.target, tensor=r.tensor)))
    apart[other] = replace(apart[other], kernel=kernel)
    wrong = [c for c in resident.claims(softmax.program, apart, found) if isinstance(c.verdict, Refuted)]
    assert "another phase computes a part of it" in [c.verdict.text for c in wrong]


# ---- sums in parts


def product(i: int, j: int, k: int, after: str = "sat_i8(C[i,j])") -> Kernel:
    text = f"temporary C\nC[i,j] += i32(A[i,k]) * i32(B[k,j])\nY[i,j] = {after}"
    kernel = im.kernel(text, name="product")
    return kernel.with_dtypes({"A": "i8", "B": "i8", "C": "i32", "Y": "i8"}).with_sizes({"i": i, "j": j, "k": k})


@cache
def taking_on(sums: int = 8, kib: int = 1) -> im.Hardware:
    """An array of 8x8 whose accumulators begin at elements that a load brings; few sums, and small pads."""
    machine = arrays.array(rows=8, columns=8, passed=8, kib=kib, sums=sums)
    tile = {"r": 8, "c": 8}
    load = im.instruction(
        "load_sums", "acc[r,c] = m[r,c]", axes=tile, dtypes={"acc": "i32", "m": "i32"}, engine="dma_in", beyond="zero",
        places={"acc": "sums[r,c]", "m": "memory[r*down + c]"}, work=im.Work(40, 2, ("r",)), active={"r": "rows", "c": "columns"},
    )  # fmt: skip
    return replace(machine, instructions=(*machine.instructions, load))


@cache
def summed() -> Any:
    return im.stage(product(128, 64, 256), taking_on())


def test_partial_sums_are_stored_and_taken_on(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, found = as_it_stands(product(128, 64, 256), taking_on(), monkeypatch), summed()
    assert len(found.phases) > 1 and found.cycles < 0.9 * whole.cycles
    assert all(s.stages[-1].begin == ("load_sums" if n else "clear") for n, s in enumerate(found.phases))
    given = drawn(product(128, 64, 256))
    sums = given["A"].astype(np.int64) @ given["B"].astype(np.int64)
    want = {"Y": np.clip(sums, -128, 127).astype(np.int8)}
    assert runs_wrong(found.program, given, {}, want, 2, 1) == ""
    assert im.simulate(found.program, given).cycles == found.cycles


def _of_24_bits(machine: im.Hardware) -> im.Hardware:
    memories = (replace(m, bits=24) if m.name == "sums" else m for m in machine.memories)
    return replace(machine, memories=tuple(memories))


def test_cells_of_few_bits_begin_at_0() -> None:
    """No sum of 256 products leaves 24 bits; of a sum that begins at an element nothing is known."""
    found = im.stage(product(128, 64, 256), _of_24_bits(taking_on()))
    assert len(found.phases) == 1 and not any("parts" in n for n in found.notes)


def test_parts_whose_program_is_not_proved_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same machine, taken for one that may begin anywhere: what the planner took is not proved."""
    monkeypatch.setattr(InParts, "_take_sums_on", lambda self, phases, memory: True)
    found = im.stage(product(128, 64, 256), _of_24_bits(taking_on()))
    assert len(found.phases) == 1 and found.proof.proved
    assert any("k in parts of 128, 128" in n and "was not proved" in n for n in found.notes)


def test_accumulators_that_begin_at_0_alone_do_not_take_sums_on() -> None:
    """load_bias of this array brings a row for all rows."""
    found = im.stage(product(64, 64, 256), arrays.array(rows=8, columns=8, passed=8, kib=1, sums=8))
    assert len(found.phases) == 1


@pytest.mark.one_in(3, each=("after",))
@pytest.mark.parametrize("parts", [2, 3, 5])
@pytest.mark.parametrize("after", ["sat_i8(C[i,j])", ""])
def test_parts_of_sums_are_equal_and_right(parts: int, after: str) -> None:
    kernel = product(11, 9, 37, after or "sat_i8(C[i,j])")
    if not after:
        kernel = im.kernel("C[i,j] += i32(A[i,k]) * i32(B[k,j])", name="sum", dtypes={"A": "i8", "B": "i8", "C": "i32"})
        kernel = kernel.with_sizes({"i": 11, "j": 9, "k": 37})
    cut_up = along_sum(kernel, 0, "k", parts, 4)
    assert cut_up is not None and len(cut_up.ranges) == parts
    made = in_parts(kernel, cut_up)
    assert phase_counts(made) == cut_up.counts
    assert im.equal(kernel, made, "bits").is_proved
    plan = im.stage(made, taking_on(64, 4))
    assert numbers_wrong(plan.program, kernel) == ""


def _begins_at(kernel: Kernel, number: int, other: str) -> Kernel:
    """A part that begins at the sums of another one."""

    def change(s: Statement) -> Statement:
        first = next(iter(reads(s.value)))
        return replace(s, value=s.value.xreplace({first: read(other, *first.index)}))

    return _statement(kernel, number, change)


def _forgets(kernel: Kernel, number: int) -> Kernel:
    """A part that begins at 0."""

    def change(s: Statement) -> Statement:
        (sum_,) = s.value.atoms(SAdd)
        return replace(s, value=s.value.xreplace({sum_: sum_.args[1]}))

    return _statement(kernel, number, change)


WRONG_SUMS: dict[str, Callable[[Kernel], Kernel]] = {
    "the last part begins at the first": lambda k: _begins_at(k, 4, "C_1"),
    "the last part begins at its own sums": lambda k: _begins_at(k, 4, "C_3"),
    "the second part forgets the first": lambda k: _forgets(k, 2),
    "the last part forgets the others": lambda k: _forgets(k, 4),
    "a part is one point short": lambda k: _with_extent(k, "k_2", -1),
    "a part is one point long": lambda k: _with_extent(k, "k_2", 1),
    "a part is moved by one": _text("A[i, k_2 + 4]) * i32(B[k_2 + 4, j])", "A[i, k_2 + 3]) * i32(B[k_2 + 3, j])"),
}


@pytest.mark.parametrize("wrong", WRONG_SUMS)
def test_wrong_parts_of_sums_are_refuted(wrong: str) -> None:
    kernel = product(3, 2, 12)
    cut_up = along_sum(kernel, 0, "k", 3, 4)
    assert cut_up is not None
    made = in_parts(kernel, cut_up)
    edited = WRONG_SUMS[wrong](made)
    assert edited != made and im.equal(kernel, made, "bits").is_proved
    assert isinstance(im.equal(kernel, edited, "bits").verdict, Refuted)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("wrong", [w for w in WRONG_SUMS if "begins" in w or "forgets" in w])
def test_programs_that_begin_at_wrong_sums_are_not_proved(wrong: str) -> None:
    kernel = product(11, 9, 24)
    cut_up = along_sum(kernel, 0, "k", 3, 8)
    assert cut_up is not None
    made = in_parts(kernel, cut_up)
    plan = im.stage(made, taking_on(64, 4))
    assert plan.proof.proved
    assert not im.prove_program(replace(plan.program, kernel=WRONG_SUMS[wrong](made))).proved


def test_sums_of_floating_point_keep_an_order_that_is_asked_for() -> None:
    text = "C[i,j] += A[i,k] * B[k,j]"
    free = im.kernel(text, name="free").with_sizes({"i": 4, "j": 4, "k": 12})
    cut_up = along_sum(free, 0, "k", 3, 4)
    assert cut_up is not None
    made = in_parts(free, cut_up)
    assert im.equal(free, made, "reals").is_proved and not im.equal(free, made, "bits").is_proved
    assert (
        along_sum(im.kernel(f"{text} ordered", name="ordered").with_sizes({"i": 4, "j": 4, "k": 12}), 0, "k", 3, 4)
        is None
    )


def test_no_part_where_another_statement_reads_the_sums() -> None:
    """T is a result, too, or is read twice: it is copied from the parts, and nothing is computed of them at once."""
    text = "T[i] += A[i,k]\nY[i] = T[i] + T[i]"
    kernel = im.kernel(text, name="twice").with_sizes({"i": 4, "k": 12})
    cut_up = along_sum(kernel, 0, "k", 3, 4)
    assert cut_up is not None and cut_up.statements == 1
    made = in_parts(kernel, cut_up)
    assert im.equal(kernel, made).is_proved and made.results == kernel.results
    assert len(phase_kernels(made)) == 4
