"""A lowered program as text: loops, buffers with their index types, moves and executions, one line each.

    for j0 < 9:  # j in steps of 8
      acc[i_u, l] : C[i_u + 12*i0, l + 8*j0] where l + 8*j0 < J, else unused  # 12 x 8 f32 in registers
      acc[i_u] = avx2.load_f32(C[12*i0 + i_u, 8*j0 + l])

A buffer's line is its index type: cell, then the tensor element held by the cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

from isamap_smt.ir.expr import substitute, sym, symbols_of, words
from isamap_smt.ir.instruction import ACCUMULATE, GIVE, TAKE
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.program import (
    Alloc,
    AnyLoop,
    Ask,
    Buffer,
    Compute,
    Configure,
    Copy,
    If,
    Issued,
    Loop,
    Move,
    Node,
    Parallel,
    Point,
    Prefetch,
    Program,
    Ref,
    Serial,
    SetState,
    Unrolled,
    immediate,
)

_INDENT = "  "
_CELL = "c_"  # lowering names cell symbols so, to keep them apart from loop variables


def pseudocode(program: Program) -> str:
    """The whole program, readable from top to bottom; equal programs give equal text."""
    kernel = program.kernel
    where = (
        f" on {program.machine.name}, engines {', '.join(e.name for e in program.machine.engines)}"
        if program.machine
        else ""
    )
    lines = [f"program for {kernel.name}{where}"]
    lines += [f"tensor {t.name}: {t.dtype}[{_list(t.shape)}]" for t in kernel.tensors]
    if kernel.free_sizes:
        lines.append(f"sizes given at each call: {', '.join(kernel.free_sizes)}")
    for name in program.starts:
        when = "" if name in kernel.temporaries else " where fresh? is 1: the call adds to nothing"
        op = next(s.op for s in kernel.statements if s.target.tensor == name)
        lines.append(f"{name} begins at {neutral(op, kernel.tensor(name).dtype)}{when}")
    lines += [f"{name} is assigned before it is read" for name in program.assigned]
    lines += [f"assumes {a}" for a in program.assumptions]
    if program.ahead:
        lines += ["once, before the calls:", *_block(program.ahead, 1, False)]
    lines += ["each call:", *_block(program.body, 1, program.machine is not None)]
    return "\n".join(lines)


def _block(nodes: tuple[Node, ...], depth: int, counted: bool) -> Iterator[str]:
    for node in nodes:
        yield _INDENT * depth + _line(node, counted)
        if isinstance(node, Loop | If):
            enter, leave = (node.enter, node.leave) if isinstance(node, Parallel) else ((), ())
            yield from (f"{line}  # once on each thread" for line in _block(enter, depth + 1, counted))
            yield from _block(node.body, depth + 1, counted)
            yield from (f"{line}  # once on each thread" for line in _block(leave, depth + 1, counted))


def _line(node: Node, counted: bool) -> str:
    match node:
        case Loop():
            return _loop(node, counted)
        case If():
            return f"if {_all(node.condition)}:"
        case Alloc(buffer):
            return declaration(buffer)
        case Issued():
            return _issued(node)
        case Move():
            return _move(node)
        case Compute():
            operands = ", ".join(f"{o}={_ref(r)}" for o, r in node.operands)
            point = ", ".join(f"{axis}={words(e)}" for axis, e in node.point)
            return f"{node.instruction.name}({operands})" + (f"  # computes {point}" if point else "")
        case Copy():
            return _copy(node)
        case Point():
            return _compute(node)
        case Ask():
            return f"{node.state} = {node.instruction.name}({words(node.number)})"
        case SetState():
            return _written(node)
    assert_never(node)


def _written(use: SetState) -> str:
    cells = ", ".join(f"{n}: {x}" for n, x in enumerate(use.cells) if x)
    return f"{use.state} = {use.instruction.name}({cells or 0})"


def _issued(use: Issued) -> str:
    """A use with its engine, its awaits and its signals."""
    i = use.instruction
    slotted = {o.name for o in i.operands if o.row is not None}
    places = [
        f"{o}={ref.name}.slot[{_list(ref.index[:1])}]" + "".join(f".row[{words(e)}]" for e in ref.index[1:])
        if o in slotted
        else f"{o}={_ref(ref) if immediate(ref) is None else ref.index[0]}"
        for o, ref in use.operands
    ]
    places += [f"{p}={words(e)}" for p, e in use.parameters.items()]
    if i.kind in (GIVE, TAKE):
        operation = f"{'has written' if i.kind == GIVE else 'reads'} {', '.join(ref.name for _, ref in use.operands)}"
    else:
        operation = f"{i.name}({', '.join(places)})" if i.kind != "signal" else "signal"
    sets = "".join(f" {m}.set {n}" for m, n in use.sets)
    if isinstance(use, Configure):
        cells = ", ".join(f"{n}: {_ref(e) if isinstance(e, Ref) else words(e)}" for n, e in enumerate(use.cells))
        return f"{i.engine}:{sets or ' ' + use.state} = {i.name}({cells})"
    operation += f" with{sets}" if sets else ""
    waits = "".join(f"  awaits {c} >= {words(amount)}" for c, amount in use.awaits)
    signals = f"  signals {', '.join(use.signals)}" if use.signals else ""
    return f"{i.engine}: {operation}{waits}{signals}"


def _loop(loop: AnyLoop, counted: bool) -> str:
    about = f"  # {loop.axis} in steps of {loop.step}" if loop.axis else f"  # number {loop.number}" if counted else ""
    if loop.base is not None:
        return f"for {loop.base} < {words(loop.extent)} in steps of {words(loop.step)}:{about}"
    order = "".join(f", {x}" for x in course_of(loop))
    kept = "".join(f"; {x}" for x in kept_by(loop))
    return f"{_word(loop)} {loop.var} < {words(loop.count)}{order}:{about}{kept}"


def _word(loop: AnyLoop) -> str:
    match loop:
        case Serial():
            return "for"
        case Parallel():
            return "parallel for"
        case Unrolled():
            return "unroll in turns" if loop.woven else "unroll"


def course_of(loop: AnyLoop) -> list[str]:
    """The early end of the iterations, and their direction, in words."""
    end = [f"until {words(loop.end)}"] if isinstance(loop, Serial) and loop.end is not None else []
    return end + ([] if loop.backwards is None else [f"backwards where {loop.backwards} is odd"])


def kept_by(loop: Loop) -> list[str]:
    """The parts kept of temporaries, in words."""
    folds = [f"each iteration has its own block of {t}" for t, _ in loop.folds]
    return folds + [f"two rows of {t} are kept" for t, _ in loop.rings]


def declaration(buffer: Buffer) -> str:
    """A buffer's index type, with its shape and place: `acc[l] : C[l + 8*j0]  # 8 f32 in registers`."""
    t = buffer.type
    taken = symbols_of([*t.coordinates, *t.guard])
    short = {c.name: c.name.removeprefix(_CELL) for c in buffer.cells}
    names = {n: sym(s) for n, s in short.items() if s not in taken}
    cells = _list(tuple(substitute(c, names) for c in buffer.cells))
    text = f"{buffer.name}[{cells}] : {t.tensor}[{_list(tuple(substitute(e, names) for e in t.coordinates))}]"
    if t.guard:
        outside = "unused" if t.outside == "dead" else t.outside
        text += f" where {_all(tuple(substitute(g, names) for g in t.guard))}, else {outside}"
    shape = " x ".join(words(n) for n in buffer.shape) or "1"
    if buffer.slots:
        last = buffer.offset + buffer.slots * buffer.rows - 1
        slots = f"{buffer.slots} slot{'s' if buffer.slots > 1 else ''} of {shape} {buffer.dtype}"
        return f"{text}  # {slots} in {buffer.memory}, rows {buffer.offset}..{last}"
    return f"{text}  # {shape} {buffer.dtype} in {'memory' if buffer.memory == 'heap' else buffer.memory}"


def _copy(copy: Copy) -> str:
    text = f"{_ref(copy.dst)} = {_ref(copy.src)}"
    if copy.over:
        text += f" for {', '.join(f'{s} < {words(n)}' for s, n in copy.over)}"
    if copy.where:
        text += f" where {_all(copy.where)}, else {copy.fill or 'unchanged'}"
    return text


def _compute(node: Point) -> str:
    text = f"{_ref(node.dst)} = {node.instruction.name} of ({', '.join(map(_ref, node.reads))})"
    text += "" if node.across is None else f" by {', '.join(i.name for i in node.across.steps)}"
    return text + f"  # computes {', '.join(f'{axis}={words(e)}' for axis, e in node.point)}"


def _move(move: Move) -> str:
    name, register = move.instruction.name, _ref(move.register)
    lanes = f", active={' x '.join(map(words, move.active))}" if move.active else ""
    if move.memory is None:
        return f"{register} = {name}()"
    if move.instruction.kind == "store":
        return f"{_ref(move.memory)} = {name}({register}{lanes})"
    asked = "".join(f"  # and the line {_asked(p)}" for p in move.prefetch)
    return (
        f"{register} {'+=' if move.instruction.kind == ACCUMULATE else '='} {name}({_ref(move.memory)}{lanes}){asked}"
    )


def _asked(p: Prefetch) -> str:
    return f"{words(p.distance)} bytes ahead" if p.place is None else f"of {_ref(p.place)}"


def _ref(ref: Ref) -> str:
    return f"{ref.name}[{_list(ref.index)}]" if ref.index else ref.name


def _list(exprs: tuple[Any, ...]) -> str:
    return ", ".join(map(words, exprs))


def _all(relations: tuple[Any, ...]) -> str:
    return " and ".join(map(words, relations))
