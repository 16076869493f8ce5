"""Registers with numbers, and what instructions need of a thread's state: a wrong, missing, late or clobbered write is refuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.errors import HardwareError, LanguageError, ScheduleError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Alloc, Compute, If, Loop, Node, Parallel, Program, Serial, SetState, Unrolled
from isamap_smt.ir.states import c_bytes
from isamap_smt.ir.traversal import map_bodies, nodes_of, walk
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program
from tests.programs.loop_kinds import of_kind

REPOSITORY = Path(__file__).parents[2]
TEXT = "C[i,j] += i32(A[i,k]) * i32(B[k,j])"
SIZES = {1: {"i": 20, "j": 20, "k": 64}, 2: {"i": 20, "j": 640, "k": 64}}
Nodes = tuple[Node, ...]


@cache
def program(threads: int = 1) -> Program:
    """A product of bytes on tiles, on one thread or on two."""
    return planned(isamap_hardware.load("amx"), threads)


def planned(machine: im.Hardware, threads: int = 1) -> Program:
    """Lowered for a machine, and not proved."""
    kernel = im.kernel(TEXT, name="gemm", dtypes={"A": "u8", "B": "i8", "C": "i32"})
    mapping = im.fuse(kernel, machine.instruction("dpbusd"), {"i": ("i",), "j": ("j",), "k": ("k",)})
    proved = im.prove(mapping)
    assert isinstance(proved, im.ProvedMapping)
    return im.lower(im.schedule(proved, machine, SIZES[threads], threads=threads))


def refuted(p: Program) -> dict[str, str]:
    """What is refuted, with its first text. Of a state's cell that is right in some turns alone nothing is known."""
    found: dict[str, str] = {}
    for c in prove_program(p).failed():
        assert isinstance(c.verdict, Refuted) or c.claim == "configuration", c
        if isinstance(c.verdict, Refuted):
            found.setdefault(c.claim, c.verdict.text)
    return found


def told_by_a_run(p: Program, threads: int, seeds: int = 3) -> bool:
    """Whether a run of the program finds something, or another result."""
    rng = np.random.default_rng(1)
    n = SIZES[threads]
    a = rng.integers(0, 255, (n["i"], n["k"]), dtype=np.uint8)
    b = rng.integers(-128, 127, (n["k"], n["j"]), dtype=np.int8)
    wanted = a.astype(np.int32) @ b.astype(np.int32)
    for seed in range(seeds):
        run = run_program(p, {"A": a, "B": b}, seed=seed)
        if not run.clean or not np.array_equal(run.outputs["C"], wanted):
            return True
    return False


def test_the_machine_as_it_is() -> None:
    for threads in (1, 2):
        proof = prove_program(program(threads))
        assert proof.proved
        assert {c.subject for c in proof.claims if c.claim == "configuration"} >= {
            "dpbusd a",
            "dpbusd b",
            "dpbusd c",
            "ldtilecfg",
        }
        assert not told_by_a_run(program(threads), threads)
    assert any("each thread of" in c.subject for c in proof.claims if c.claim == "configuration")


# ---- edits of the program ------------------------------------------------------------------------------------------------


def edited(p: Program, change: Callable[[Node], Nodes | None]) -> Program:
    """Each node is replaced by what `change` gives; None: it stays, and what is in it is looked at."""

    def visit(nodes: Any) -> Any:
        return tuple(x for n in nodes for x in made(n))

    def made(n: Node) -> Iterator[Node]:
        new = change(n)
        if new is not None:
            yield from new
        else:
            yield map_bodies(n, visit)

    return replace(p, body=visit(p.body))


def written(n: Node) -> bool:
    return isinstance(n, SetState) and any(n.cells)


def the_write(p: Program) -> SetState:
    return next(n for n in nodes_of(SetState, p.body) if any(n.cells))


def the_clear(p: Program) -> SetState:
    return next(n for n in nodes_of(SetState, p.body) if not any(n.cells))


def with_cell(cell: int, value: int) -> Callable[[Program], Program]:
    def edit(p: Program) -> Program:
        def change(n: Node) -> Nodes | None:
            if not isinstance(n, SetState) or not any(n.cells):
                return None
            return (replace(n, cells=(*n.cells[:cell], value, *n.cells[cell + 1 :])),)

        return edited(p, change)

    return edit


def without_the_write(p: Program) -> Program:
    return edited(p, lambda n: () if written(n) else None)


def without_the_clear(p: Program) -> Program:
    return edited(p, lambda n: () if isinstance(n, SetState) and not any(n.cells) else None)


def late(p: Program) -> Program:
    """Behind the first loop of the call, or on each thread behind its iterations."""
    write, clear = the_write(p), the_clear(p)

    def change(n: Node) -> Nodes | None:
        if isinstance(n, Parallel) and n.enter:
            return (replace(n, enter=(), leave=(write, clear)),)
        if isinstance(n, SetState) and n in p.body:
            return () if n is write else (write, clear)
        return None

    return edited(p, change)


def before_each_product(*uses: SetState) -> Callable[[Program], Program]:
    return lambda p: edited(p, lambda n: (*uses, n) if isinstance(n, Compute) else None)


def clobbered(p: Program) -> Program:
    """Cleared between the loads and the product."""
    return before_each_product(the_clear(p))(p)


def written_anew(p: Program) -> Program:
    """The right cells, in the midst of the sum: what was in the tiles is gone."""
    return before_each_product(the_write(p))(p)


def only_where_a_size_allows(p: Program) -> Program:
    """Not on every way."""
    write = the_write(p)
    return edited(p, lambda n: (If((sym("fresh?") > 0,), (write,)),) if written(n) else None)


def numbered(shift: int) -> Callable[[Program], Program]:
    def edit(p: Program) -> Program:
        def change(n: Node) -> Nodes | None:
            mine = isinstance(n, Alloc) and n.buffer.name == "b_r"
            return (Alloc(replace(n.buffer, first=n.buffer.first + shift)),) if mine else None  # type: ignore[union-attr, operator]

        return edited(p, change)

    return edit


EDITS: dict[str, tuple[Callable[[Program], Program], str]] = {
    "too few rows": (with_cell(48, 8), "needs tilecfg[48] = 16 for register 0"),
    "too few bytes": (with_cell(16, 60), "needs tilecfg[16] = 64 for register 0"),
    "bytes beyond 255": (with_cell(17, 1), "needs tilecfg[17] = 0 for register 0"),
    "another palette": (with_cell(0, 2), "needs tilecfg[0] = 1"),
    "one tile forgotten": (with_cell(49, 0), "needs tilecfg[49] = 16 for register 1"),
    "missing": (without_the_write, "and it is 0 there; nothing has written it on this thread"),
    "late": (late, "and it is 0 there"),
    "clobbered": (clobbered, "amx.tilerelease writes a state while"),
    "written anew": (written_anew, "amx.ldtilecfg writes a state while"),
    "not given back": (without_the_clear, "in tilecfg[0]; nothing clears it"),
    "a register of another": (numbered(-1), "which live at the same time"),
    "a register that is none": (numbered(5), "and tmm has 8"),
}  # fmt: skip
# What no run of the program shows: the caller's thread is left as it should not be, and numbers that are too large are no memory's.
UNSEEN = ("not given back", "a register that is none")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("edit", EDITS)
def test_a_wrong_write_is_refuted(edit: str, threads: int) -> None:
    """By this claim and no other, and a run shows it."""
    change, said = EDITS[edit]
    p = change(program(threads))
    assert p != program(threads)
    found = refuted(p)
    assert set(found) == {"configuration"}
    texts = [c.verdict.text for c in prove_program(p).failed() if isinstance(c.verdict, Refuted)]
    assert any(said in text for text in texts), texts
    assert told_by_a_run(p, threads) or edit in UNSEEN


def test_an_instruction_that_names_fewer_registers() -> None:
    """Of tiles 0 to 3 alone, in a program that has more."""

    def change(n: Node) -> Nodes | None:
        if not isinstance(n, Compute):
            return None
        few = tuple(text.replace("a < 8", "a < 4") for text in n.instruction.needs)
        return (replace(n, instruction=replace(n.instruction, needs=few)),)

    failed = prove_program(edited(program(), change)).failed()
    assert any(
        "a of amx.dpbusd is one of 4 registers, and a_r has number" in getattr(c.verdict, "text", "") for c in failed
    )


def test_a_write_on_some_ways_alone_is_refuted_on_the_others() -> None:
    """In a call whose sizes or flag leave it out."""
    failed = prove_program(only_where_a_size_allows(program())).failed()
    assert {c.claim for c in failed} == {"configuration"}
    refuted_ = [c.verdict for c in failed if isinstance(c.verdict, Refuted)]
    assert all(v.witness["fresh?"] == 0 for v in refuted_)
    assert any("it is 0 there; nothing has written it on this thread" in v.text for v in refuted_)
    others = [c.verdict for c in failed if isinstance(c.verdict, Unknown)]  # needed with the same flag alone
    assert others and all("differs between two ways" in v.reason for v in others)


def at_its_edges(**fields: Any) -> Program:
    """The loop at whose edges threads write states, with other fields."""
    p = edited(program(2), lambda n: (replace(n, **fields),) if isinstance(n, Parallel) and n.enter else None)
    assert p != program(2)
    return p


def test_the_edges_of_a_loop_write_states_alone() -> None:
    """What stands there is no site of the other claims: a store would be proved by none."""
    product = next(nodes_of(Compute, program().body))
    (proof,) = prove_program(at_its_edges(enter=(the_write(program()), product))).failed()
    assert "the field enter of a Parallel holds tuple" in getattr(proof.verdict, "reason", "")


def test_only_loops_that_threads_share_have_edges() -> None:
    """No loop of another kind can be written with them; the one that threads share is not right as such a loop."""
    (shared,) = (n for n in nodes_of(Parallel, program(2).body) if n.enter)
    for kind in (Serial, Unrolled):
        assert not {"enter", "leave"} & {f.name for f in fields(kind)}
        with pytest.raises(TypeError, match="enter"):
            kind(shared.var, shared.count, shared.body, enter=shared.enter)  # type: ignore[arg-type,call-arg]
    alone = edited(program(2), lambda n: (of_kind(Serial, n),) if isinstance(n, Parallel) and n.enter else None)
    assert {c.claim for c in prove_program(alone).failed()} == {"configuration"}


def test_a_loop_that_threads_share_may_not_run() -> None:
    """Then no thread clears what the caller has written, in the C and when the program is run."""
    p = program()
    write, clear = the_write(p), the_clear(p)
    body = tuple(n for n in p.body if not isinstance(n, SetState))
    for count in (0, sym("fresh?")):
        empty = Parallel(sym("nothing"), count, (If((), ()),), enter=(write,), leave=(clear,))
        failed = prove_program(replace(p, body=(write, *body, empty))).failed()
        assert {c.subject for c in failed} == {"the call"}


def test_threads_clear_in_the_other_order() -> None:
    """And once each: what the system refuses in between is given back by what stands at the end."""

    def change(n: Node) -> Nodes | None:
        return (replace(n, leave=n.leave * 2),) if isinstance(n, Parallel) and n.leave else None

    failed = prove_program(edited(program(2), change)).failed()
    assert any("do not clear what they write, the last state first" in getattr(c.verdict, "text", "") for c in failed)


@pytest.mark.parametrize("cells", [(True,) + (0,) * 63, (1.0,) + (0,) * 63, (256,) + (0,) * 63, (1,) * 8])
def test_cells_that_are_no_bytes(cells: Any) -> None:
    p = edited(program(), lambda n: (replace(n, cells=cells),) if written(n) else None)  # type: ignore[type-var]
    assert any("it is given" in getattr(c.verdict, "text", "") for c in prove_program(p).failed())


def test_in_a_loop_the_first_turn_counts() -> None:
    """Written at the end of each turn, the first one has nothing."""
    p = program()
    body = tuple(n for n in p.body if not isinstance(n, SetState))
    turns = Serial(sym("turn"), 2, (If((), body), the_write(p)))
    texts = [
        c.verdict.text
        for c in prove_program(replace(p, body=(turns, the_clear(p)))).failed()
        if isinstance(c.verdict, Refuted)
    ]
    assert any("needs tilecfg[0] = 1" in text and "and it is 0 there" in text for text in texts)


def test_behind_a_loop_that_threads_share_the_state_is_gone() -> None:
    """They cleared theirs, and one of them was the caller's: what is right before the loop is missing behind it."""
    shared = program(2).body[-1]
    assert isinstance(shared, Parallel) and shared.enter and shared.leave
    packing, one = program(2).body[:-1], of_kind(Serial, shared)
    assert prove_program(replace(program(2), body=(*packing, *shared.enter, one, *shared.leave))).proved
    between = replace(program(2), body=(*packing, *shared.enter, shared, one, *shared.leave))
    texts = [c.verdict.text for c in prove_program(between).failed() if isinstance(c.verdict, Refuted)]
    assert any("needs tilecfg[0] = 1" in text and "and it is 0 there" in text for text in texts)


def test_a_tile_that_is_kept_over_a_parallel_loop() -> None:
    """Its threads are others: what is in a register of this one is not in theirs."""
    p = program()
    loops = [n for n in nodes_of(Loop, p.body) if any(isinstance(x, Alloc) for x in n.body)]
    holder = next(n for n in loops if any(isinstance(x, Loop) and _runs(x) for x in n.body))
    spread = replace(holder, body=tuple(of_kind(Parallel, x) if _runs(x) else x for x in holder.body))  # type: ignore[type-var]
    found = refuted(edited(p, lambda n: (spread,) if n is holder else None))
    assert "is declared outside of the parallel loop that uses it" in found["configuration"]


def _runs(node: Node) -> bool:
    return isinstance(node, Loop) and any(isinstance(n, Compute) for n, _ in walk(node.body))


def test_each_thread_writes_what_the_claims_read() -> None:
    """The cells stand in the C as data, at the head of each function that uses tiles."""
    kernel = im.kernel(TEXT, name="gemm", dtypes={"A": "u8", "B": "i8", "C": "i32"})
    p = im.plan(kernel, "amx", sizes={"i": 64, "j": 640, "k": 64}, threads=2, cost_model="analytic")
    cells = c_bytes(the_write(p.program).cells)
    assert cells.count("= 64") == cells.count("= 16") > 4
    assert p.source.count(cells) == p.source.count("amx_tiles_leave();") > 0


# ---- descriptions --------------------------------------------------------------------------------------------------------


def copy(tmp_path: Path, old: str, new: str) -> Path:
    text = (REPOSITORY / "hardware" / "isamap_hardware" / "amx.py").read_text()
    assert old in text
    file = tmp_path / "amx.py"
    file.write_text(text.replace(old, new))
    return file


def test_instructions_that_need_different_things(tmp_path: Path) -> None:
    """The accumulator's moves say 8 rows, the product 16: no configuration is right for both, and no code is made."""
    file = copy(tmp_path, '{_stride(dtype)}", ("i", "4*j")', '{_stride(dtype)}", ("i // 2", "4*j")')
    with pytest.raises(ScheduleError, match=r"need different things: tilecfg\[48\] is to be 8 .* and 16"):
        planned(im.find_hardware(str(file)))


def npu(needs: Any, **given: Any) -> im.Instruction:
    return im.instruction(
        "npu.load", "r[i,j] = m[i,j]", axes={"i": 16, "j": 16}, dtypes={"r": "f32", "m": "f32"},
        places={"r": "tmm", "m": "memory"}, emit="load({r}, {m});", needs=needs, **given,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("needs", "given", "said"),
    [
        (("r < 8", "cfg[48 + r]"), {}, r"needs 'cfg\[48 \+ r\]': write the cell that must hold a number, such as"),
        (("r < 8", "cfg[48 + q] = 16"), {}, r"'q' is no operand and no axis; "),
        (("q < 8",), {}, r"'q' is no operand; known: m, r"),
        (("r < 8", "r < 4"), {}, r"say once how many registers r is one of"),
        (("r < 0",), {}, r"say once how many registers r is one of, 1 to 256"),
        (("cfg[48 + r] = i",), {}, r"how many registers is r one of\? add 'r < 8'"),
        (("r < 8", "cfg[r + m] = 1"), {}, r"a cell is named by one operand's register at most"),
        (("r < 8", "cfg[r] = 256"), {}, r"holds a number from 0 to 255"),
        (("r < 8", "cfg[r] = 16*i"), {}, r"holds a number from 0 to 255"),
        (("r < 8", "cfg[r] = 1", "cfg[r] = 2"), {}, r"needs 'cfg\[r\] = 1' and 'cfg\[r\] = 2'; a cell holds one number"),
        (("r < 8",), {"c_types": {"r": "__m512"}}, r"r has the C type '__m512', and is a register with a number"),
        ((), {}, r"register operand r has no C type; add c_types=.*, or needs=\('r < 8',\)"),
        (("r < 8",), {"may_fail": True}, r"may_fail is for what writes a state memory"),
        ("r < 8", {}, r"needs='r < 8' is one text; write needs=\('r < 8',\)"),
        (("r < 8",), {"preconditions": ("state vl set by vsetvl",)}, r"'state vl set by vsetvl' is gone: write needs="),
    ],
)  # fmt: skip
def test_no_such_need(needs: tuple[str, ...], given: dict[str, Any], said: str) -> None:
    with pytest.raises(LanguageError, match=f"^instruction npu.load: .*{said}"):
        npu(needs, **given)


def machine(*instructions: im.Instruction, cells: int = 64, registers: int = 8, kind: str = "state") -> im.Hardware:
    memories = (im.Memory("tmm", registers * 1024, count=registers), im.Memory("cfg", cells, kind=kind))
    return im.Hardware("npu", memories, (), instructions)


def writer(
    text: str = "cfg[x] = new[x]", cells: int = 64, place: str = "cfg[x]", name: str = "npu.write"
) -> im.Instruction:
    places = {"cfg": place, "new": "code"} if "new" in text else {"cfg": place}
    return im.instruction(
        name, text, axes={"x": cells}, dtypes=dict.fromkeys(places, "u8"), places=places, emit="write();"
    )


CLEAR = writer("cfg[x] = 0", name="npu.clear")
NEED = ("r < 8", "cfg[48 + r] = 16")


def test_a_machine_with_a_state() -> None:
    found = machine(npu(NEED), writer(), CLEAR)
    assert [i.name for i in found.configuring("cfg")] == ["npu.write", "npu.clear"]
    assert [i.kind for i in found.instructions] == ["load", "configure", "configure"]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: machine(npu(("r < 8", "other[r] = 1")), writer(), CLEAR), r"and other is no memory of kind='state'; "),
        (lambda: machine(npu(("r < 8", "cfg[60 + r] = 1")), writer(), CLEAR), r"cell 64 for register 4; cfg has 64 cells"),
        (lambda: machine(npu(NEED), CLEAR), r"npu.load needs cfg, and no instruction writes it; add one with the contract"),
        (lambda: machine(npu(NEED), writer()), r"npu.load needs cfg, and no instruction clears it"),
        (lambda: machine(npu(NEED), writer(cells=32), CLEAR), r"npu.write \(.*\) writes 32 cells of cfg, which has 64"),
        (lambda: machine(writer(place="tmm[x]")), r"npu.write \(.*\) writes tmm, which is no memory of kind='state'"),
        (lambda: machine(npu(("r < 9",)), writer(), CLEAR), r"r of npu.load is one of 9 registers, and tmm has 8"),
        (lambda: machine(kind="control"), r"memory cfg: kind='control'; known: "),
        (lambda: im.Memory("cfg", None, kind="state"), r"a state has 1 to 4096 bytes in all its cells; pass its capacity"),
        (lambda: im.Hardware("npu", (im.Memory("cfg", 64, count=2, kind="state"),)), r"are one set; leave count out"),
    ],
)  # fmt: skip
def test_no_such_machine(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(HardwareError, match=said):
        make()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cfg[x] = new[x] + 1", "what writes a state memory is"),
        ("cfg[x] += new[x]", "what writes a state memory is"),
        ("cfg[x] = 3", "what writes a state memory is"),
    ],
)
def test_no_such_write(text: str, said: str) -> None:
    with pytest.raises(LanguageError, match=f"^instruction npu.write: {said}"):
        writer(text)


def test_what_writes_a_state_needs_none() -> None:
    with pytest.raises(LanguageError, match=r"needs=\('mode\[0\] = 1',\): what writes a state needs none"):
        replace(writer(), needs=("mode[0] = 1",))
