"""All claims about a program whose uses are issued by engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
import sympy as sp

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.annotated import misfit
from isamap_smt.ir.errors import AssumedError, IsamapError, LanguageError
from isamap_smt.ir.expr import RELATIONS, evaluate, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.hypotheses import HYPOTHESES, answerable
from isamap_smt.ir.instruction import Instruction, signal
from isamap_smt.ir.program import Alloc, Buffer, Command, If, Issued, Loop, Node, Program, Role, Serial
from isamap_smt.ir.traversal import buffers, nodes_of, parts, walk
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.configured import configuration_claims
from isamap_smt.proof.uses.data import data_claims
from isamap_smt.proof.uses.moments import Moments
from isamap_smt.proof.uses.order import order_claims

if TYPE_CHECKING:
    from isamap_smt.simulator import Simulation


# ---- Parts of a program of uses: buffers in rows of the machine's memories, plain loops, uses of its instructions.
#
# The other claims read every field of these with a meaning on engines. Fields with a meaning on cores alone are refused
# here, so some claim reads every field of a proved program.


def recognised(book: UseBook, machine: Hardware) -> bool:
    """Whether the other claims can be asked."""
    odd = next(_odd(book.sites.program, machine), "")
    if odd:
        words = "the program is made of buffers, loops, and uses that engines issue"
        book.unknown("program", book.sites.kernel.name, words, f"no claim covers {odd}")
        return False
    _issued(book, machine)
    loops = nodes_of(Loop, book.sites.program.body)
    for loop in dict.fromkeys(n for n in loops if n.base is not None):
        words = f"the step of {loop.var} is positive"  # digits are told by it
        book.ask("hypotheses", str(loop.var), words, [], [("lt", sp.S.Zero, sp.sympify(loop.step))])
    laid_out = [_laid_out(book, machine, b) for b in buffers(book.sites.program).values()]
    return all(laid_out)


def _odd(program: Program, machine: Hardware) -> Iterator[str]:
    """Parts of the program outside of all claims, in words."""
    engines, held = {e.name for e in machine.engines}, buffers(program)
    if program.ahead:
        yield "what is done ahead of the calls"
    if program.schedule is not None or program.more:
        yield "a schedule beside the uses"
    for h in program.hypotheses:
        if misfit((h,), HYPOTHESES) or not answerable(h, program.kernel):
            yield f"the assumption {str(h)!r}, which no call can be asked for"
    for node, around in walk(program.body):
        match node:
            case Alloc() if not around:
                pass
            case Loop():
                yield from _of_loop(node, around)
            case If():
                yield from _of_condition(node, around, set(program.kernel.free_sizes))
            case Issued() if node.signals and any(isinstance(x, If) for x in around):
                yield f"a signal of {node.instruction.name} under a condition"
            case Issued() if node.instruction.engine in engines:
                yield from _of_use(node, set(held))
            case _:
                yield type(node).__name__
    yield from _one_number(program)


def _of_loop(loop: Loop, around: tuple[Node, ...]) -> Iterator[str]:
    plain = Serial(loop.var, loop.count, loop.body)
    if isinstance(loop, Serial):
        plain = replace(plain, end=loop.end)
        if loop.base is not None:  # over a vector length
            plain = replace(plain, step=loop.step, base=loop.base, extent=loop.extent)
    if loop != plain:
        yield f"what the loop {loop.var} says beside its count"
    names = {e.name for x in around if isinstance(x, Loop) for e in (x.var, x.number, x.base) if e is not None}
    if names & symbols_of([loop.count]):  # its number is then no product and a sum
        yield f"a loop of {loop.count} iterations"


def _of_condition(node: If, around: tuple[Node, ...], sizes: set[str]) -> Iterator[str]:
    """Conditions are relations over variables of plain loops around, and sizes."""
    known = sizes | {x.var.name for x in around if isinstance(x, Loop)}
    if node.known or not all(type(c) in RELATIONS and symbols_of([c]) <= known for c in node.condition):
        yield f"the condition {', '.join(map(str, node.condition))}"


def _of_use(use: Issued, held: set[str]) -> Iterator[str]:
    """Fields of a use with a meaning for other instructions only."""
    i = use.instruction
    states = {use.state} if use.state else {n.memory for n in i.cells_needed}
    if not {memory for memory, _ in use.sets} <= states:
        yield f"a set of a state that {i.name} has nothing to do with"
    if not isinstance(use, Command):
        return
    statement = i.kernel.statements[0] if i.kernel.statements else None
    target = None if statement is None else dict(use.operands).get(statement.target.tensor)
    if use.point and (statement is None or (statement.op == "=" and i.kind != "compute")):
        yield f"a point of {i.name}, which computes no element"
    if use.begins and (target is None or target.name not in held):
        yield f"a content that {i.name} begins, which writes to no buffer"


def _one_number(program: Program) -> Iterator[str]:
    """Loops whose iterations are counted have variables of their own, and stand under no condition."""
    uses = list(nodes_of(Issued, program.body))
    places = [e for u in uses for _, r in u.operands for e in (*r.index, *r.version)]
    counted = symbols_of(map(sp.sympify, (*places, *(count for u in uses for _, count in u.awaits))))
    seen: set[str] = set()
    named = symbols_of(parts(program.body, Role.EXPRESSION, Role.CLAIM))
    for loop, around in ((n, x) for n, x in walk(program.body) if isinstance(n, Loop)):
        if loop.number.name in named and any(isinstance(x, If) for x in around):
            yield f"the number of the loop {loop.var} under a condition"
        if loop.number.name in counted:
            if loop.var.name in seen:
                yield f"the number of two loops called {loop.var}"
            seen.add(loop.var.name)


def _issued(book: UseBook, machine: Hardware) -> None:
    """Every use is of an instruction as the machine has it, on its own engine."""
    used = dict.fromkeys(n.instruction for n in nodes_of(Issued, book.sites.program.body))
    known = {i.name: i for i in machine.instructions}
    odd = [_unlike(i, known.get(i.name), machine) for i in used if i.kind != "signal" or i != signal(i.engine)]
    words = f"each use is of an instruction of {machine.name}, on the engine that issues it"
    wrong = next(filter(None, odd), "")
    book.structure("program", book.sites.kernel.name, words, not wrong, wrong)


def _unlike(used: Instruction, own: Instruction | None, machine: Hardware) -> str:
    """The difference between an instruction and the machine's own of that name; '' for none."""
    if own is None:
        return f"{machine.name} has no instruction {used.name}"
    if used == own:
        return ""
    if used.engine != own.engine:
        return f"a use of {used.name} is issued by {used.engine}, and {machine.name} issues it by {own.engine}"
    differ = [f.name for f in fields(Instruction) if f.compare and getattr(used, f.name) != getattr(own, f.name)]
    return f"{used.name} of a use and of {machine.name} differ in {', '.join(differ) or 'kind'}"


def _laid_out(book: UseBook, machine: Hardware, b: Buffer) -> bool:
    """Whether a buffer is rows of a memory of the machine, and its type speaks of its own cells and contents."""
    words = (
        f"{b.name} is rows of a memory of {machine.name}, and its type says which element each cell of a content holds"
    )
    wrong = next(_misplaced(book, machine, b), "")
    return book.structure("memory", b.name, words, not wrong, wrong)


def _misplaced(book: UseBook, machine: Hardware, b: Buffer) -> Iterator[str]:
    program, kernel = book.sites.program, book.sites.kernel
    if b.memory not in {m.name for m in machine.memories if m.row}:
        yield f"{machine.name} has no rows of a memory {b.memory}"
    for what, e in (("begins at row", b.offset), ("has slots:", b.slots), *(("has a side of", n) for n in b.shape)):
        if not symbols_of([sp.sympify(e)]) <= set(program.parameters):
            yield f"it {what} {e}, which is no number"
    if not (len(b.shape) == len(b.cells) == 2 and not b.lanes and b.first is None):
        yield "it says what registers have"
    shape = next((t.shape for t in kernel.tensors if t.name == b.type.tensor), None)
    if shape is None or len(shape) != len(b.type.coordinates):
        yield f"no element of {b.type.tensor} is at {', '.join(map(str, b.type.coordinates))}"
    own = (*b.cells, *b.version)
    if len(set(own)) != len(own) or not all(getattr(v, "is_Symbol", False) for v in own):
        yield "its cells and contents have no names of their own"
        return
    loops = list(nodes_of(Loop, program.body))
    names = {v.name for v in own} | {x.base.name for x in loops if x.base is not None and x.var in b.version}
    if twice := names & set(book.sites.sizes):
        yield f"{min(twice)} is a size, too"
    if loose := symbols_of([*b.type.coordinates, *b.type.guard]) - names - set(book.sites.sizes):
        yield f"its type mentions {min(loose)}, which is neither a cell nor a content of it"


FEW = 9  # of each size, with which a loop over tiles goes on


def goes_wrong(program: Program, sizes: dict[str, int]) -> bool:
    """Whether the simulator finds a race, a use beyond its memory, a wrong state or a deadlock, independent of values."""
    try:
        return not _simulated(program, sizes).sound
    except AssumedError:
        return False  # no call has these sizes
    except IsamapError:
        return True  # it is no program at these sizes


def goes_wrong_somewhere(program: Program) -> Refuted | None:
    """Small sizes with a race, a use beyond its memory, a wrong state or a deadlock in the simulator; else None."""
    for sizes in _small(program):
        try:
            found = _simulated(program, sizes)
        except IsamapError:
            continue  # these sizes do not go together
        if not found.sound:
            at = " ".join(f"{n}={v}" for n, v in sizes.items())
            return Refuted(
                sizes,
                (found.deadlock or (found.races[0].text if found.races else found.misconfigured[0]))
                + (f", at {at}" if at else ""),
            )
    return None


def _simulated(program: Program, sizes: dict[str, int]) -> Simulation:
    """A run on zeros. Proofs that hold need none."""
    from isamap_smt.simulator import simulate

    return simulate(program, _zeros(program, sizes), sizes, seed=0)


def _small(program: Program) -> Iterator[dict[str, int]]:
    """One point of each axis, and a few of each."""
    kernel = program.kernel
    least = {**dict.fromkeys(kernel.free_sizes, 1), **{p.name: max(1, p.low) for p in kernel.parameters}}
    for n in () if program.parameters else (1, FEW):
        yield {name: max(low, n) for name, low in sorted(least.items())}


def makes_no_sense(program: Program) -> Refuted | None:
    """Small sizes at which the simulator meets an undefined name, or the like; None if it finds none."""
    for sizes in _small(program):
        try:
            _simulated(program, sizes)
        except LanguageError as error:
            return Refuted(sizes, str(error))
        except IsamapError:
            continue  # these sizes do not go together
    return None


def _zeros(program: Program, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    inputs = {n: program.kernel.tensor(n) for n in program.kernel.inputs}
    return {n: np.zeros([evaluate(e, sizes) for e in t.shape], t.dtype.numpy) for n, t in inputs.items()}


def use_claims(book: UseBook, machine: Hardware) -> None:
    """Claims about a program's parts (`shape`), its cells (`data`), their order (`order`) and states (`configured`)."""
    if recognised(book, machine):
        moments = Moments(book.sites, machine)
        order_claims(book, moments)
        data_claims(book, moments)
        configuration_claims(book, moments)
