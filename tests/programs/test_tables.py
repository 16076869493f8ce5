"""Tables in registers: programs of lookups are proved, run as NumPy says, and wrong ones are not proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
import tables
from mutants import rewritten

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.codegen.checks import entry_checks
from isamap_smt.ir.errors import ArgumentError
from isamap_smt.ir.expr import Inside, substitute, sym
from isamap_smt.ir.program import Alloc, Compute, Copy, Move, Node, Program, Ref
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.ir.used import Used
from isamap_smt.proof.program_trial import trials
from tests.attacks.program_mutants import judge, mutants

BYTES, SHORT, TWO = "bytes", "a shorter table", "two tables"
L = sym("l")
Arrays = dict[str, np.ndarray]
EXPECTED: dict[str, Callable[[Arrays], Any]] = {
    BYTES: lambda a: a["T"][a["X"]],
    SHORT: lambda a: a["T"][a["X"].T],
    "scaled": lambda a: a["T"][a["X"]] * a["s"] + a["X"],
    TWO: lambda a: np.maximum(a["T"][a["X"]], a["U"][a["Z"]]),
    "two indices": lambda a: a["T"][a["X"]] + a["T"][a["Z"]],
    "the largest": lambda a: a["T"][a["X"]].max(1),
    "floats": lambda a: a["T"][a["X"]],
    "sums of floats": lambda a: (a["T"][a["X"]] * a["B"][:, None]).sum(0),
}


def program(name: str = BYTES) -> Program:
    return tables.ORIGINALS[name]()


def lookups(made: Program) -> list[str]:
    return [n.instruction.short for n in nodes_of(Compute, made.body)]


@pytest.mark.parametrize("name", tables.ORIGINALS)
def test_each_is_computed_by_lookups_and_proved(name: str) -> None:
    made = program(name)
    steps = {s for x in made.schedules for s in (x.proved.mapping.instruction.short, *_steps(x))}
    assert any(s.startswith(("shuffle", "permutevar8x32")) for s in steps)
    assert im.prove_program(made).proved
    assert trials(made, 6) is None  # on the simulator, memory poisoned, contents at random


def _steps(schedule: im.Schedule) -> tuple[str, ...]:
    return getattr(schedule.proved.mapping.instruction, "steps_taken", ())


def drawn(kernel: im.Kernel, sizes: dict[str, int], random: np.random.Generator) -> Arrays:
    """Random contents; indices that every table of the kernel has."""
    shapes = {t.name: tuple(int(substitute(e, sizes)) for e in t.shape) for t in kernel.tensors}
    entries = min(shapes[n][0] for n in ("T", "U") if n in shapes)
    most = {"X": entries, "Z": entries}
    return {
        n: random.integers(0, most.get(n, 120), shapes[n]).astype(kernel.tensor(n).dtype.numpy) for n in kernel.inputs
    }


@pytest.mark.needs("avx2", "fma", "f16c")
@pytest.mark.parametrize("name", tables.ORIGINALS)
def test_compiled_it_is_what_numpy_says(name: str) -> None:
    text, kind = (tables.TEXTS[name], "u8") if name in tables.TEXTS else (tables.FLOATS[name], "f32")
    call, random = im.build(tables.made(text, kind)), np.random.default_rng(7)
    for i, j in ((1, 1), (31, 32), (33, 129), (200, 3), *random.integers(1, 300, (8, 2))):
        arrays = drawn(program(name).kernel, {"I": int(i), "J": int(j)}, random)
        np.testing.assert_allclose(call(**arrays), EXPECTED[name](arrays), rtol=1e-5, atol=0)


@pytest.mark.needs("avx2", "fma", "f16c")
@pytest.mark.parametrize(("name", "entries"), [(BYTES, 16), (SHORT, 11)])
def test_an_index_beyond_the_table_is_refused(name: str, entries: int) -> None:
    call = im.build(tables.made(tables.TEXTS[name], "u8"))
    shape = (70,) if name == BYTES else (35, 2)
    arrays = {"T": np.arange(entries, dtype="u1"), "X": np.zeros(shape, "u1")}
    call(**arrays)
    for n in (entries, 128, 255):
        arrays["X"].flat[-1] = n
        with pytest.raises(ArgumentError, match=f"is {n} at"):
            call(**arrays)
    assert any(isinstance(c.asked, Used) for c in entry_checks(program(name)))


def test_numpy_and_machine_agree_on_every_kind_of_element() -> None:
    for table, index in (("u8", "i8"), ("i8", "u8"), ("i8", "i8")):
        kernel = im.kernel(tables.TEXTS[BYTES], name="table").with_dtypes({"T": table, "Y": table, "X": index})
        made = im.plan(kernel, "avx2").program
        assert lookups(made)[0] == f"shuffle_{table}_{index}"
        assert trials(made, 4) is None


# ---- Sums that end inside an instruction: indices are padded with 0, which names an element that counts for nothing.


def summing(kind: str) -> im.Plan:
    """Sums of products with what is looked up, four by four points at once, on a machine without C."""

    def move(name: str, text: str, axes: dict[str, int], dtype: str, **places: str) -> im.Instruction:
        return im.instruction(f"toy.{name}", text, axes=axes, dtypes=dict.fromkeys(places, dtype), places=places)

    four, operands = {"l": 4}, {"c": kind, "t": kind, "idx": "u8", "b": kind}
    dot = im.instruction(
        "toy.dot", "t: [16]\nc[i] += t[idx[i,k]] * b[k]", axes={"i": 4, "k": 4}, dtypes=operands,
        places=dict.fromkeys(operands, "v"), rounding="exact" if kind == "i32" else "unfused",
    )  # fmt: skip
    moves = (
        move("load", "r[l] = m[l]", four, kind, r="v", m="memory"),
        move("zero", "r[l] = 0", four, kind, r="v"),
        move("store", "m[l] = r[l]", four, kind, m="memory", r="v"),
        move("load_table", "r[l] = m[l]", {"l": 16}, kind, r="v", m="memory"),
        move("load_indices", "r[i,k] = m[i,k]", {"i": 4, "k": 4}, "u8", r="v", m="memory"),
    )
    memories = (im.Memory("v", 16 * 64, count=16), im.Memory("L1", 32 << 10), im.Memory("RAM", None))
    links = (im.Link("RAM", "L1", 16.0), im.Link("L1", "v", 32.0), im.Link("v", "RAM", 16.0))
    machine = im.Hardware("toy", memories, links, (dot, *moves))
    kernel = im.kernel("T: [16]\nX: u8\nY[i] += T[X[i,k]] * B[k]", name="dots")
    return im.plan(kernel.with_dtypes(dict.fromkeys("TBY", kind)), machine)


@pytest.mark.parametrize("kind", ["i32", "f32"])
def test_sums_may_end_inside_an_instruction(kind: str) -> None:
    made = summing(kind).program
    assert lookups(made)[0] == "dot"
    assert trials(made, 6) is None
    finite = [h for h in im.prove_program(made).assumptions if "finite" in h]
    assert any("T" in h for h in finite) == (kind == "f32")


@pytest.mark.parametrize("kind", ["i32", "f32"])
def test_an_index_of_zero_is_no_factor_of_zero(kind: str) -> None:
    """Only X is padded with 0; B holds anything behind its end."""

    def change(n: Node) -> tuple[Node, ...] | None:
        if isinstance(n, Alloc) and n.buffer.type.tensor == "B":
            return (replace(n, buffer=replace(n.buffer, type=replace(n.buffer.type, outside="dead"))),)
        return (replace(n, fill=""),) if isinstance(n, Copy) and n.src.name == "B" else None

    made = rewritten(summing(kind).program, change)
    failed = im.prove_program(made).failed()
    assert any(c.claim == "neutral" and isinstance(c.verdict, Refuted) for c in failed)
    assert trials(made, 8) is not None


# ---- Wrong programs. Each changes one thing in all places where it is said, so that a single claim has to tell.


def changed(f: Callable[[Any], Any], *kinds: type, name: str = BYTES) -> Program:
    """Each node of these kinds, changed; None leaves it."""

    def visit(n: Node) -> tuple[Node, ...] | None:
        new = f(n) if isinstance(n, kinds) else None
        return None if new is None else (new,)

    return rewritten(program(name), visit)


def held(register: str, where: Callable[[tuple[Any, ...], tuple[Any, ...]], tuple[Any, ...]]) -> Program:
    """A register is said to hold, and is loaded with, other elements. where: coordinates, cells -> coordinates."""

    def change(n: Any) -> Any:
        if isinstance(n, Alloc) and n.buffer.name == register:
            t = n.buffer.type
            other = replace(t, coordinates=where(t.coordinates, n.buffer.cells))
            return replace(n, buffer=replace(n.buffer, type=other))
        if isinstance(n, Move) and n.register.name == register:
            assert n.memory is not None
            return n.put(memory=Ref(n.memory.name, where(n.memory.index, (L,))))
        return None

    return changed(change, Alloc, Move)


def loaded(register: str, shift: Any) -> Program:
    """The load alone is from other places."""

    def change(n: Any) -> Any:
        if n.register.name != register or n.memory is None:
            return None
        return n.put(memory=Ref(n.memory.name, tuple(i + shift for i in n.memory.index)))

    return changed(change, Move)


def unloaded(register: str) -> Program:
    return rewritten(program(), lambda n: () if isinstance(n, Move) and n.register.name == register else None)


def smaller_register() -> Program:
    """A lookup in eight cells, with the register and the load to it; the kernel's table has sixteen."""
    text = "t: [8]\nd[l] = t[idx[l]]"
    lookup = im.instruction(
        "avx2.shuffle_u8_u8", text, axes={"l": 32}, dtypes=dict.fromkeys(("d", "t", "idx"), "u8"),
        places=dict.fromkeys(("d", "t", "idx"), "ymm"),
    )  # fmt: skip
    load = im.find_instruction("avx2.load_u8_8")

    def change(n: Any) -> Any:
        if isinstance(n, Compute):
            return replace(n, instruction=lookup)
        if isinstance(n, Alloc):
            b = n.buffer
            return replace(n, buffer=replace(b, shape=(sp.Integer(8),))) if b.name == "t_r" else None
        return replace(n, instruction=load) if n.register.name == "t_r" else None

    return changed(change, Alloc, Compute, Move)


def longer_table() -> Program:
    """The kernel's table has twenty elements, and calls let through as many indices."""
    made = program()
    s = made.kernel.statements[0]

    def longer(e: Any) -> Any:
        return e.replace(lambda x: isinstance(x, Inside), lambda x: Inside(x.args[0], sp.Integer(20)))

    tensors = tuple(replace(t, shape=(sp.Integer(20),)) if t.name == "T" else t for t in made.kernel.tensors)
    kernel = replace(made.kernel, tensors=tensors, statements=(replace(s, value=longer(s.value)),), text="")
    return replace(made, kernel=kernel)


def other_table() -> Program:
    """Both tables are looked up with the other's indices."""

    def change(n: Compute) -> Compute:
        refs = dict(n.operands)
        return replace(n, operands=tuple((o, refs[{"x2": "x3", "x3": "x2"}.get(o, o)]) for o, _ in n.operands))

    return changed(change, Compute, name=TWO)


def whole_tail() -> Program:
    """The last vector of indices is loaded whole."""
    whole = im.find_instruction("avx2.load_u8_32")
    return changed(
        lambda n: replace(n, instruction=whole, active=()) if n.active and n.register.name == "idx_r" else None, Move
    )


def whole_short_table() -> Program:
    whole = im.find_instruction("avx2.load_u8_16")
    return changed(
        lambda n: replace(n, instruction=whole, active=()) if n.register.name == "t_r" else None, Move, name=SHORT
    )


def turned(coordinates: tuple[Any, ...], cells: tuple[Any, ...]) -> tuple[Any, ...]:
    """The lanes of a register from the last to the first."""
    lane = cells[-1]
    return tuple(substitute(c, {lane.name: 31 - lane}) for c in coordinates)


# what is wrong -> the program, claims that say so, and whether a run at small sizes shows it
WRONG: dict[str, tuple[Callable[[], Program], set[str], bool]] = {
    "the next cell of the table": (lambda: held("t_r", lambda c, _: (c[0] + 1,)), {"program", "bounds"}, True),
    "the next cell is loaded": (lambda: loaded("t_r", 1), {"program"}, True),
    "the table the other way round": (lambda: held("t_r", lambda c, _: (15 - c[0],)), {"program"}, True),
    "one cell in all places": (lambda: held("t_r", lambda c, _: (sp.S.Zero,)), {"program"}, True),
    "no table": (lambda: unloaded("t_r"), {"program"}, True),
    "no indices": (lambda: unloaded("idx_r"), {"program"}, True),
    "the index of the next point": (lambda: held("idx_r", lambda c, _: (c[0] + 1,)), {"program"}, True),
    "the index of the first point": (lambda: held("idx_r", lambda c, _: (sp.S.Zero,)), {"program"}, True),
    "lanes in another order": (lambda: held("idx_r", turned), {"program"}, True),
    "the indices of the other table": (other_table, {"program"}, True),
    "a register of half the table": (smaller_register, {"bounds", "program"}, False),
    "a table longer than the register": (longer_table, {"bounds", "program"}, False),
    "indices loaded beyond the end": (whole_tail, {"bounds"}, True),
    "a short table loaded beyond its end": (whole_short_table, {"bounds"}, True),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_not_proved(name: str) -> None:
    made, claims, runs = WRONG[name]
    proof = im.prove_program(made())
    assert not proof.proved
    assert {c.claim for c in proof.failed()} >= claims
    assert any(isinstance(c.verdict, Refuted) for c in proof.failed())
    if runs:
        assert trials(made(), 8) is not None


def test_systematic_mutants() -> None:
    """None that is wrong is proved; benchmarks/mutation.py runs those of all tables."""
    from benchmarks.mutation_score import Score

    score = Score()
    for name, every in ((BYTES, 9), (SHORT, 25), ("scaled", 31)):
        for n, (kind, what, made) in enumerate(mutants(program(name))):
            if n % every == 0:
                judge(name, kind, what, made, score)
    assert not score.unsound and not score.survivors, (score.unsound, score.survivors)
    assert score.counts["refuted"] >= 25


@pytest.mark.parametrize(
    "text",
    [
        "T: [17]\nY[i] = T[X[i]]",  # longer than a register
        "Y[i] = T[X[i]]",  # of no declared shape
        "T: [16,4]\nY[i,j] = T[X[i],j]",  # rows of a table
        "T: [16]\nY[i] = T[X[i] % 16]",  # a computed index, of which no instruction says what it does
        "T: [16]\nY[i] = select(X[i] < 16, T[X[i]], 0)",  # used under a condition: no call looks elsewhere
        "T: [16]\nX: [16]\nY[i] = T[X[Z[i]]]",
        "T: [16]\nY[X[i]] = T[X[i]]\nY: [16]",
    ],
)
def test_others_are_computed_element_by_element(text: str) -> None:
    kernel = im.kernel(text, name="table")
    made = im.plan(kernel.with_dtypes({t.name: "u8" for t in kernel.tensors}), "avx2")
    assert not made.program.schedules
    assert trials(made.program, 4) is None


@pytest.mark.parametrize(
    ("declared", "kind", "words"),
    [
        ("T: [17]\n", "u8", "T has 17 elements, and a register holds 16 of u8 (avx2.shuffle_u8_u8)"),
        ("", "u8", "the size of T is open, and a register holds 16 of u8 (avx2.shuffle_u8_u8): declare its shape"),
        ("T: [4]\n", "f64", "T is f64, and tables in registers are here f32, i32, i8, u8"),
    ],
)
def test_it_is_said_why_no_register_holds_the_table(declared: str, kind: str, words: str) -> None:
    types = {"T": kind, "Y": kind, "X": "u8" if kind == "u8" else "i32"}
    made = im.plan(im.kernel(f"{declared}Y[i] = T[X[i]]", dtypes=types), "avx2")
    assert any(words in str(note) for note in made.notes)
