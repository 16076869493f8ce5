"""Programs that are wrong in one known way, each a trap that has let wrong code through somewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy as sp
import toys
from marks import unmarked

import isamap_smt as im
from isamap_smt.codegen.lower import lower_points
from isamap_smt.ir.expr import FloorDiv, IMax, substitute, sym
from isamap_smt.ir.program import (
    FRESH,
    Alloc,
    AnyLoop,
    Compute,
    Copy,
    If,
    IndexType,
    Loop,
    Move,
    Node,
    Parallel,
    Program,
    Ref,
    Serial,
    Unrolled,
    use_of,
)
from isamap_smt.ir.traversal import buffers, nodes_of
from tests.programs.loop_kinds import of_kind
from tests.programs.portable import is_copy

Rewrite = Callable[[Node], tuple[Node, ...] | None]


def rewritten(program: Program, f: Rewrite) -> Program:
    """Every node for which f gives nodes, replaced by them; outermost first. Something must change."""

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        out: tuple[Node, ...] = ()
        for n in nodes:
            new = f(n)
            if new is None:
                new = (replace(n, body=visit(n.body)),) if isinstance(n, Loop | If) else (n,)
            out += new
        return out

    program = unmarked(program)
    changed = replace(program, ahead=visit(program.ahead), body=visit(program.body))
    assert changed != program
    return changed


def _is_loop(n: Node, var: str) -> bool:
    return isinstance(n, Loop) and n.var.name == var


def _holds(n: Node, kind: type, **fields: Any) -> bool:
    """Whether a node or something inside it is of that kind with those fields."""
    if isinstance(n, Loop | If):
        return any(_holds(x, kind, **fields) for x in n.body)
    return isinstance(n, kind) and all(getattr(n, k) == v for k, v in fields.items())


def _touches_acc(n: Node, move: str) -> bool:
    if isinstance(n, Loop | If):
        return any(_touches_acc(x, move) for x in n.body)
    kinds = ("load", "zero") if move == "load" else (move,)
    return isinstance(n, Move) and n.register.name == "acc" and n.instruction.kind in kinds


def _scope_of_acc(n: Node) -> bool:
    """The innermost loop whose body declares acc."""
    return isinstance(n, Loop) and any(isinstance(x, Alloc) and x.buffer.name == "acc" for x in n.body)


def _parts(loop: Loop) -> tuple[list[Node], list[Node], list[Node], list[Node]]:
    """(declaration, loads, work, stores) of the accumulator's body."""
    loads = [n for n in loop.body if _touches_acc(n, "load")]
    stores = [n for n in loop.body if _touches_acc(n, "store")]
    alloc = [n for n in loop.body if isinstance(n, Alloc)]
    work = [n for n in loop.body if n not in loads and n not in stores and n not in alloc]
    return alloc, loads, work, stores


def _in_scope(program: Program, order: Callable[..., list[Node]]) -> Program:
    return rewritten(program, lambda n: (replace(n, body=tuple(order(*_parts(n)))),) if _scope_of_acc(n) else None)


def next_panel() -> Program:
    """The micro-kernel reads the panel of the next column block."""

    def f(n: Node) -> Any:
        if isinstance(n, Move) and n.memory and n.memory.name == "B_packed":
            return (n.put(memory=replace(n.memory, index=(n.memory.index[0] + 1, *n.memory.index[1:]))),)

    return rewritten(toys.packed_gemm(), f)


def pack_one_short() -> Program:
    """The last row of the K block is not packed."""

    def f(n: Node) -> Any:
        if is_copy(n) and n.src.name == "B":
            return (replace(n, over=tuple((s, c - 1 if s.name == "c_k1" else c) for s, c in n.over)),)

    return rewritten(toys.packed_gemm(), f)


def row_plus_one() -> Program:
    """Packing A takes the row below; at the last row it even stays inside, thanks to the guard."""

    def f(n: Node) -> Any:
        if is_copy(n) and n.src.name == "A":
            index = (n.src.index[0] + 1, n.src.index[1])
            return (replace(n.placed(n.dst, replace(n.src, index=index)), where=(sp.Lt(index[0], sym("I")),)),)

    return rewritten(toys.packed_gemm(), f)


def no_zero_fill() -> Program:
    """The tail of the reduction is packed without zeros."""

    def f(n: Node) -> Any:
        if is_copy(n):
            return (replace(n, fill=""),)

    return rewritten(toys.dot_gemm(), f)


def init_inside_k() -> Program:
    """The accumulator is loaded again in every step of the reduction."""

    def order(alloc: Any, loads: Any, work: Any, stores: Any) -> list[Node]:
        (k,) = work
        return [*alloc, replace(k, body=(*loads, *k.body)), *stores]

    return _in_scope(toys.inplace_gemm(), order)


def hoisted() -> Program:
    """The accumulator is declared and loaded once, outside the loop over row blocks."""

    def first(n: Node) -> Node:
        if isinstance(n, Loop | If):
            inner = tuple(first(x) for x in n.body)
            if isinstance(n, If):
                return If(tuple(c.subs(sym("i1"), 0) for c in n.condition), inner)
            return replace(n, body=inner)
        assert isinstance(n, Move)
        if n.memory is None:
            return n
        return n.put(memory=Ref(n.memory.name, tuple(i.subs(sym("i1"), 0) for i in n.memory.index)))

    def f(n: Node) -> Any:
        if _is_loop(n, "i1"):
            alloc, loads, work, stores = _parts(n)
            return (*alloc, *map(first, loads), replace(n, body=(*work, *stores)))

    return rewritten(toys.packed_gemm(), f)


def declared_too_far_out() -> Program:
    """The accumulator is declared outside the loop over row blocks, and its type names the block."""

    def f(n: Node) -> Any:
        if _is_loop(n, "i1"):
            alloc, loads, work, stores = _parts(n)
            return (*alloc, replace(n, body=(*loads, *work, *stores)))

    return rewritten(toys.packed_gemm(), f)


def parallel_k() -> Program:
    """The blocks of the reduction run in parallel."""
    return toys.packed_gemm(parallel=1)


def parallel_inner_k() -> Program:
    """The reduction inside the accumulator runs in parallel."""
    return _of_kind(Parallel, "k0", toys.inplace_gemm())


def _loop(var: str, program: Program, **fields: Any) -> Program:
    return rewritten(program, lambda n: (replace(n, **fields),) if _is_loop(n, var) else None)


def _of_kind(kind: type[AnyLoop], var: str, program: Program) -> Program:
    return rewritten(program, lambda n: (of_kind(kind, n),) if isinstance(n, Loop) and n.var.name == var else None)


def missing_load() -> Program:
    """What the output held before is never loaded."""
    return _in_scope(toys.inplace_gemm(), lambda a, loads, w, s: [*a, *w, *s])


def restarted() -> Program:
    """The accumulator starts at zero in every visit: what earlier blocks of the reduction added is lost."""

    def f(n: Node) -> Any:
        if isinstance(n, Move) and n.register.name == "acc" and n.instruction.kind == "load":
            return (use_of(toys.ZERO, n.register),)

    return rewritten(toys.packed_gemm(), f)


def _begun_where(amount: Any, program: Program | None = None) -> Program:
    """The accumulator is zeroed where the amount is 1 or more, and loaded elsewhere."""

    def f(n: Node) -> Any:
        if isinstance(n, If) and any(FRESH in c.free_symbols for c in n.condition):
            (c,) = n.condition
            return (If((sp.Ge(amount, 1) if isinstance(c, sp.Ge) else sp.Lt(amount, 1),), n.body),)

    return rewritten(program or toys.packed_gemm(), f)


def begun_again() -> Program:
    """A call that adds to nothing zeroes the accumulator at each block of the reduction."""
    return _begun_where(FRESH)


def begun_late() -> Program:
    """It is zeroed at the second block of the reduction, and the first one loads what nobody wrote."""
    k = sym("k0")
    return _begun_where(FRESH - IMax(k - 1, 1 - k))


def begun_though_given() -> Program:
    """It is zeroed in a call that adds to what the output holds, too."""
    return _begun_where(1 - sym("k0"))


def begun_never() -> Program:
    """Nothing is ever zeroed."""
    return _begun_where(FRESH - 1)


def _added(f: Callable[[Move], tuple[Node, ...] | None], program: Program | None = None) -> Program:
    """With other nodes for what is added to an accumulator."""
    return rewritten(
        program or toys.blocked_gemm(),
        lambda n: f(n) if isinstance(n, Move) and n.instruction.kind == "accumulate" else None,
    )


def added_at_once() -> Program:
    """What the memory of the output holds is added at the first block, too."""
    return _added_where(IMax(sym("k0"), -sym("k0")) + 1)


def added_late() -> Program:
    """What the first block left is not added by the second one."""
    return _added_where(sym("k0") - FRESH)


def added_never() -> Program:
    """Each block takes the place of those before."""
    return _added_where(sp.S.Zero)


def _added_where(amount: Any) -> Program:
    """What was summed before is added where the amount is 1 or more."""

    def f(n: Node) -> Any:
        return (
            (If((sp.Ge(amount, 1),), n.body),) if isinstance(n, If) and FRESH in n.condition[0].free_symbols else None
        )

    return rewritten(toys.blocked_gemm(), f)


def added_twice() -> Program:
    """What was summed before counts twice from the second block on."""
    return _added(lambda n: (n, n))


def added_to_what_is_loaded() -> Program:
    """What was summed before is loaded, and added as well."""
    program = toys.blocked_gemm({"i": 6, "j": 32, "k": 9})
    held = next(b for b in buffers(program).values() if b.name == "acc")

    def f(n: Node) -> Any:
        if isinstance(n, Move) and n.instruction.kind == "zero" and n.register.name == "acc":
            cells = dict(zip(map(str, held.cells), (*n.register.index, sym("l")), strict=True))
            place = Ref("C", tuple(substitute(i, cells) for i in held.type.coordinates))
            return (use_of(toys.move("toy.load_f32x1"), n.register, place),)

    return rewritten(program, f)


def added_to_another_cell() -> Program:
    """The sums of the next columns are added."""

    def f(n: Move) -> tuple[Node, ...]:
        assert n.memory is not None
        return (n.put(memory=Ref(n.memory.name, (n.memory.index[0], n.memory.index[1] + 4))),)

    return _added(f)


def added_to_an_operand() -> Program:
    """An operand is added to what its register held, and not put there."""
    whole = next(n.instruction for n in nodes_of(Move, toys.blocked_gemm().body) if n.instruction.kind == "accumulate")

    def f(n: Node) -> Any:
        if isinstance(n, Move) and n.instruction.name == "toy.load_f32x1" and n.register.name == "b_r":
            return (replace(n, instruction=whole),)

    return rewritten(toys.blocked_gemm(), f)


def added_though_in_order() -> Program:
    """The order of the sum is fixed, and blocks are summed by themselves."""
    program = toys.blocked_gemm()
    assert program.schedule is not None
    mapping = program.schedule.proved.mapping
    ordered = replace(mapping.kernel, statements=tuple(replace(s, ordered=True) for s in mapping.kernel.statements))
    proved = toys.proved(toys.mapping(ordered, toys.FMA, {"l": ("j",)}))
    return replace(program, kernel=ordered, schedule=replace(program.schedule, proved=proved))


def begun_by_nobody() -> Program:
    """The program is said to start its output, and only loads it."""
    return replace(toys.staged_gemm(), starts=("C",))


def begun_by_column() -> Program:
    """It is zeroed for the first block of columns only."""
    return _begun_where(FRESH - sym("k0") - sym("j0"))


def begun_in_memory() -> Program:
    """A sum that is computed element by element, in memory, is said to begin at 0."""
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]\nS[i] += C[i,j]", name="sums")
    program = im.plan(kernel, "scalar").program
    assert "S" not in program.starts
    return replace(program, starts=(*program.starts, "S"))


def begun_input() -> Program:
    """An input is said to begin at 0."""
    program = toys.packed_gemm()
    return replace(program, starts=(*program.starts, "A"))


def row_of_a_later_time_step() -> Program:
    """Rows that a later time step assigns are said to be there before they are read."""
    text = "temporary A\nfor t:\n  A[t,j] = X[t,j] + 1\n  Y[t,j] = A[t+1,j] where t + 1 < T"
    program = lower_points(im.kernel(text, name="steps"))
    assert program.assigned == ()
    return replace(program, assigned=("A",))


def unwritten_result() -> Program:
    """The last elements of a result, which nothing assigns, are said to be assigned."""
    program = lower_points(im.kernel("Y[i] = X[i] where i + 1 < I", name="part"))
    return replace(program, assigned=("Y",))


def assigned_input() -> Program:
    """An input is said to be assigned."""
    return replace(toys.packed_gemm(), assigned=("A",))


def k_one_short() -> Program:
    """The reduction stops one step early."""
    return _loop("k0", toys.inplace_gemm(), count=sym("K") - 1)


def k_one_more() -> Program:
    """The limit of the reduction is taken for its last value: k <= K."""
    return _loop("k0", toys.inplace_gemm(), count=sym("K") + 1)


def unmasked_store() -> Program:
    """The last columns are stored with a full store."""

    def f(n: Node) -> Any:
        if isinstance(n, Move) and n.instruction.name == "toy.masked_store_f32x1":
            return (replace(n, instruction=toys.move("toy.store_f32x1"), active=()),)

    return rewritten(toys.inplace_gemm(), f)


def dead_row_stored() -> Program:
    """Rows beyond the end are stored too."""

    def f(n: Node) -> Any:
        if isinstance(n, If) and _touches_acc(n, "store") and all(isinstance(x, Move) for x in n.body):
            return n.body

    return rewritten(toys.inplace_gemm(), f)


def shared_panel() -> Program:
    """One panel for all iterations of the parallel loop."""

    def f(n: Node) -> Any:
        if _is_loop(n, "j0"):
            (k,) = n.body
            panel = [x for x in k.body if isinstance(x, Alloc)]
            rest = tuple(x for x in k.body if x not in panel)
            return (*panel, replace(n, body=(replace(k, body=rest),)))

    return rewritten(toys.packed_gemm(parallel=0), f)


def early_store() -> Program:
    """The accumulator is stored before the reduction has run."""
    return _in_scope(toys.inplace_gemm(), lambda a, loads, w, stores: [*a, *loads, *stores, *w])


def stored_inside_k() -> Program:
    """Only the reduction's steps store: an empty reduction, and nothing else, would leave the output alone."""

    def order(alloc: Any, loads: Any, work: Any, stores: Any) -> list[Node]:
        (k,) = work
        return [*alloc, *loads, replace(k, body=(*k.body, *stores))]

    return _in_scope(toys.inplace_gemm(), order)


def double_accumulation() -> Program:
    """Every execution happens twice."""
    return rewritten(toys.inplace_gemm(), lambda n: (n, n) if isinstance(n, Compute) else None)


def overlapping_k_blocks() -> Program:
    """Blocks of the reduction advance by 3 and are 4 long: where they meet, points are added twice."""

    def longer(e: Any) -> Any:
        return sp.sympify(e).replace(
            lambda x: type(x).__name__ == "IMin" and x.args[0] == 3, lambda x: x.func(sp.Integer(4), x.args[1])
        )

    def f(n: Node) -> Any:
        match n:
            case Alloc() if n.buffer.name in ("A_packed", "B_packed"):
                b = n.buffer
                return (replace(n, buffer=replace(b, shape=(b.shape[0], b.shape[1] + 1, *b.shape[2:]))),)
            case Copy():
                return (replace(n, over=tuple((s, longer(c)) for s, c in n.over)),)
            case Loop() if n.var.name == "k1":
                return (replace(n, count=longer(n.count)),)

    return rewritten(toys.packed_gemm(), f)


def dead_factor() -> Program:
    """Padding meets real elements that nobody said were finite."""
    return replace(toys.padded_conv(), hypotheses=())


def divisor_may_be_zero() -> Program:
    """A condition divides by K - 1."""

    def f(n: Node) -> Any:
        if _is_loop(n, "k0"):
            return (If((sp.Ge(FloorDiv(sym("K"), sym("K") - 1), 0),), (n,)),)

    return rewritten(toys.inplace_gemm(), f)


def strided_lanes() -> Program:
    """The panel is laid out with its lanes apart; everything else follows the new layout."""

    def turn(index: Any) -> Any:
        return (*index[:-2], index[-1], index[-2])

    def f(n: Node) -> Any:
        match n:
            case Alloc() if n.buffer.name == "B_packed":
                b = n.buffer
                return (replace(n, buffer=replace(b, cells=turn(b.cells), shape=turn(b.shape))),)
            case Copy() if n.dst.name == "B_packed":
                return (n.placed(Ref("B_packed", turn(n.dst.index)), n.src),)
            case Move() if n.memory and n.memory.name == "B_packed":
                return (n.put(memory=Ref("B_packed", turn(n.memory.index))),)

    return rewritten(toys.packed_gemm(), f)


def unclamped_row() -> Program:
    """Rows beyond the end read A beyond its end; their results are not stored."""

    def loose(e: Any) -> Any:
        return sp.sympify(e).replace(lambda x: type(x).__name__ == "IMin", lambda x: x.args[0])

    def f(n: Node) -> Any:
        match n:
            case Alloc() if n.buffer.name == "a_r":
                t = n.buffer.type
                new = IndexType(t.tensor, tuple(map(loose, t.coordinates)), t.guard, t.outside)
                return (replace(n, buffer=replace(n.buffer, type=new)),)
            case Move() if n.memory and n.memory.name == "A":
                return (n.put(memory=Ref("A", tuple(map(loose, n.memory.index)))),)

    return rewritten(toys.inplace_gemm(), f)


def serial_registers() -> Program:
    """Registers are named by a loop that is not unrolled."""
    return _of_kind(Serial, "j_u", toys.packed_gemm())


def too_large() -> Program:
    """Sizes whose offsets do not fit 64 bits."""
    return toys.inplace_gemm({"i": 2**31, "j": 2**31, "k": 2})


def twin_registers() -> Program:
    """Two registers stand for the same output; both are loaded and stored, one is added to."""

    def f(n: Node) -> Any:
        twin = sym("twin")
        match n:
            case Alloc() if n.buffer.name == "acc":
                b = n.buffer
                return (replace(n, buffer=replace(b, cells=(twin, *b.cells), shape=(sp.Integer(2), *b.shape))),)
            case Move() if n.register.name == "acc":
                v = sym(f"twin_{n.instruction.kind}")
                node = n.put(register=Ref("acc", (v, *n.register.index)))
                return (Unrolled(v, sp.Integer(2), (node,)),)
            case Compute():
                ops = tuple((o, Ref(r.name, (sp.S.Zero, *r.index)) if o == "c" else r) for o, r in n.operands)
                return (replace(n, operands=ops),)

    return rewritten(toys.inplace_gemm(), f)


def ambiguous_name() -> Program:
    """A loop variable has the name of an instruction axis."""
    return rewritten(toys.inplace_gemm(), lambda n: (Serial(sym("l"), sp.S.One, (n,)),) if _is_loop(n, "k0") else None)


def input_written() -> Program:
    """The output is copied into an input."""

    def f(n: Node) -> Any:
        if is_copy(n) and n.src.name == "X":
            return (n, replace(n.placed(n.src, n.src), fill=""))

    return rewritten(toys.padded_conv(), f)
