"""Wrong programs of uses, each with what its proof must say; and changed ones that are right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import outer_product as outer
import use_edits as edits

from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.expr import FloorMod, sym
from isamap_smt.ir.hypotheses import Relation
from isamap_smt.ir.program import IndexType, Issued, Loop, Program, number_of

CLEAR, LOAD_A, LOAD_B, MULTIPLY, DONE, STORE = range(6)


@dataclass(frozen=True)
class Mutant:
    """claim: the one that is refuted; says: words of its refutation. behaves: whether the program's behaviour is wrong,
    too, and not just what it claims of itself."""

    name: str
    make: Callable[[], Program]
    claim: str
    says: str = ""
    behaves: bool = True


def _at(number: int, change: Callable[[Issued], Issued], **choice: int) -> Callable[[], Program]:
    return lambda: edits.at(outer.gemm(outer.Choice(**choice)), number, change)


def _no_await(number: int, k: int) -> Callable[[], Program]:
    return _at(number, lambda u: edits.without_await(u, k))


def _steps(number: int, *steps: int | str) -> Callable[[], Program]:
    def said(use: Issued) -> Issued:
        return replace(use, instruction=replace(use.instruction, steps=(("m", steps),) if steps else ()))

    return _described(_at(number, said))


def _described(make: Callable[[], Program]) -> Callable[[], Program]:
    """The same program on a machine that has its instructions."""
    return lambda: edits.described(make())


def _unsignalled(number: int) -> Callable[[], Program]:
    return _at(number, lambda u: replace(u, signals=()))


def _no_load_waits() -> Program:
    program = edits.at(outer.gemm(), LOAD_A, lambda u: edits.without_await(u, 0))
    return edits.at(program, LOAD_B, lambda u: edits.without_await(u, 0))


def _slot_of_step(e: object, **choice: int) -> Program:
    program = outer.gemm(outer.Choice(**choice))
    for number, names in ((LOAD_A, "s"), (LOAD_B, "s"), (MULTIPLY, "ab")):
        for name in names:
            program = edits.at(program, number, lambda u, name=name: edits.place(u, name, index=(e,)))
    return program


def _short(name: str) -> Callable[[], Program]:
    def shorter(x: Loop) -> Loop:
        return replace(x, count=x.count - 1) if x.var.name == name else x

    return lambda: edits.loops(outer.gemm(), shorter)


def _order(*numbers: int) -> Callable[[], Program]:
    """The uses of a tile in another order, by number; the loop over steps keeps its place among them as 9."""

    def make() -> Program:
        program = outer.gemm()

        def change(x: Loop) -> Loop:
            if x.var.name != "j0":
                return x
            clear, steps, done, store = x.body
            named = {CLEAR: clear, 9: steps, DONE: done, STORE: store}
            return replace(x, body=tuple(named[n] for n in numbers))

        return edits.loops(program, change)

    return make


def _on(number: int, engine: str) -> Callable[[], Program]:
    return _described(_elsewhere(number, engine))


def _elsewhere(number: int, engine: str) -> Callable[[], Program]:
    """A use on an engine that does not issue its instruction."""
    return _at(number, lambda u: replace(u, instruction=replace(u.instruction, engine=engine)))


def _one_engine() -> Program:
    """The engine that computes issues everything, and nothing is awaited."""
    return edits.edited(
        outer.gemm(),
        lambda u: replace(
            u,
            instruction=u.instruction if u.instruction.kind == "signal" else replace(u.instruction, engine="execute"),
            awaits=(),
            signals=(),
        ),
    )


def _stops(name: str) -> Callable[[], Program]:
    """A loop stops after its first iteration."""
    return lambda: edits.loops(outer.gemm(), lambda x: replace(x, end=1) if x.var.name == name else x)


def _assuming(*texts: str) -> Callable[[], Program]:
    return lambda: replace(outer.gemm(), hypotheses=tuple(map(Relation.of, texts)))


def _given(number: int, operand: str, name: str, *index: int) -> Callable[[], Program]:
    """An operand is given a place of another kind."""
    return _at(number, lambda u: edits.place(u, operand, name=name, index=index, version=()))


def _buffer(**fields: object) -> Callable[[], Program]:
    """Fields of the first buffer replaced."""

    def make() -> Program:
        program = outer.gemm()
        return edits.holding(program, replace(edits.held(program)[0], **fields))

    return make


def _parameter(number: int, name: str, more: int) -> Callable[[], Program]:
    def change(u: Issued) -> Issued:
        return replace(u, active=tuple(e + more if n == name else e for n, e in u.parameters.items()))

    return _at(number, change)


def _overlapping() -> Program:
    program = outer.gemm()
    _, b, _ = edits.held(program)
    return edits.holding(program, replace(b, offset=b.offset - 1))


def _next_slot(number: int, operand: str) -> Callable[[], Program]:
    return _at(number, lambda u: edits.place(u, operand, index=(FloorMod(dict(u.operands)[operand].index[0] + 1, 2),)))


def _earlier_content() -> Program:
    i0, j0, k0 = sym("i0"), sym("j0"), sym("k0")
    return edits.at(outer.gemm(), MULTIPLY, lambda u: edits.place(u, "a", version=(i0, j0, k0 - 1)))


def _kept() -> Program:
    changed = edits.at(outer.gemm(), LOAD_A, lambda u: replace(u, instruction=replace(u.instruction, beyond="kept")))
    return edits.described(changed)


def _one_counter(awaited: int) -> Program:
    """Both loads signal one counter, and the product awaits both, or fewer."""
    program = outer.gemm()
    for number in (LOAD_A, LOAD_B):
        program = edits.at(program, number, lambda u: replace(u, signals=("loaded",)))
    return edits.at(program, MULTIPLY, lambda u: replace(u, awaits=(("loaded", 2 * number_of(sym("k0")) + awaited),)))


def _one_too_far() -> Program:
    def change(u: Issued) -> Issued:
        row, column = dict(u.operands)["m"].index
        return edits.place(u, "m", index=(row, column + 1))

    return edits.at(outer.gemm(), LOAD_A, change)


def _half_steps() -> Program:
    def change(u: Issued) -> Issued:
        point = dict(u.point)
        return replace(u, point=tuple({**point, "k": point["k"] - 4 * sym("k0")}.items()))

    return edits.at(outer.gemm(), MULTIPLY, change)


def _typed(names: str, change: Callable[[IndexType], IndexType]) -> Program:
    program = outer.gemm()
    changed = (replace(b, type=change(b.type)) for b in edits.held(program) if b.name in names.split())
    return edits.holding(program, *changed)


def _no_last_row(held: IndexType) -> IndexType:
    return replace(held, guard=held.guard[1:])


def _two_cells_one_element(held: IndexType) -> IndexType:
    i, j = held.coordinates
    return replace(held, coordinates=(i - 4 * sym("i0"), j))


def _of_other_type() -> Program:
    """Rows of A are brought as whole numbers of 32 bits."""

    def changed(u: Issued) -> Issued:
        contract = u.instruction.kernel
        tensors = tuple(replace(t, dtype=dtype("i32")) for t in contract.tensors)
        return replace(u, instruction=replace(u.instruction, kernel=replace(contract, tensors=tensors)))

    return edits.at(outer.gemm(), LOAD_A, changed)


def _clearing() -> Program:
    changed = edits.at(outer.gemm(), STORE, lambda u: replace(u, instruction=replace(u.instruction, beyond="zero")))
    return edits.described(changed)


def _late_b() -> Program:
    def change(x: Loop) -> Loop:
        if x.var.name != "k0":
            return x
        a, b, multiply = x.body
        return replace(x, body=(a, multiply, b))

    return edits.loops(outer.gemm(), change)


MUTANTS = (
    Mutant("loads wait one step too few", lambda: outer.gemm(outer.Choice(lag=3)), "order",
           "load a 2 overwrites slot 0 of a before multiply acc 0 has used it"),
    Mutant("loads never wait", _no_load_waits, "order", "overwrites slot"),
    Mutant("tiles wait one too few", lambda: outer.gemm(outer.Choice(drain=3)), "order",
           "overwrites slot 0 of acc before store C 0"),
    Mutant("tiles never wait", _no_await(CLEAR, 0), "order", "overwrites slot"),
    Mutant("multiply waits for one of two signals", lambda: _one_counter(1), "order", "uses b before load b"),
    Mutant("multiply waits for no b", _no_await(MULTIPLY, 1), "order", "multiply acc 0 uses b before load b 0 has filled it"),
    Mutant("store waits for nothing", _no_await(STORE, 0), "order", "before"),
    Mutant("a is never said to be loaded", _unsignalled(LOAD_A), "progress", "for ever"),
    Mutant("b is never said to be loaded", _unsignalled(LOAD_B), "progress", "for ever"),
    Mutant("no step is said to be executed", _unsignalled(MULTIPLY), "progress", "for ever"),
    Mutant("no tile is said to be finished", _unsignalled(DONE), "progress", "for ever"),
    Mutant("no tile is said to be stored", _unsignalled(STORE), "progress", "for ever"),
    Mutant("multiply waits for a step too many", _at(MULTIPLY, lambda u: edits.waiting(u, 0, 1)), "progress", "for ever"),
    Mutant("store waits for a tile too many", _at(STORE, lambda u: edits.waiting(u, 0, 1)), "progress", "for ever"),
    Mutant("slots restart in each tile", lambda: _slot_of_step(FloorMod(sym("k0"), 2)), "order", "overwrites slot"),
    Mutant("multiply reads the other slot of a", _next_slot(MULTIPLY, "a"), "order"),
    Mutant("store reads the other accumulator", _next_slot(STORE, "acc"), "order"),
    Mutant("multiply names the content before", _earlier_content, "order", behaves=False),
    Mutant("buffers overlap", _overlapping, "memory", "they are rows"),
    Mutant("one row short of a", _parameter(LOAD_A, "rows", -1), "program"),
    Mutant("one column too many of b", _parameter(LOAD_B, "columns", 1), "precondition"),
    Mutant("one row short of the output", _parameter(STORE, "rows", -1), "coverage"),
    Mutant("tiles of a are said to have no gaps", _steps(LOAD_A), "precondition", "lie at 8*r + c, as load a takes them"),
    Mutant("rows of b are said to lie in every other number", _steps(LOAD_B, "down", 2), "precondition", "lie at r*down + 2*c"),
    Mutant("columns of the output are said to lie apart", _steps(STORE, 1, "right"), "precondition", "lie at r + c*right"),
    Mutant("padding of a keeps what was there", _kept, "program"),
    Mutant("a is loaded as whole numbers", _of_other_type, "memory", "as f32"),
    Mutant("one step short", _short("k0"), "coverage"),
    Mutant("one tile short", _short("j0"), "coverage"),
    Mutant("done is said before the steps", _order(CLEAR, DONE, 9, STORE), "order", "store C"),
    Mutant("cleared after the steps", _order(9, CLEAR, DONE, STORE), "order"),
    Mutant("a is loaded from one column too far", _one_too_far, "bounds"),
    Mutant("points of two steps are the same", _half_steps, "link", behaves=False),
    Mutant("factors beyond the sum are said to be elements", lambda: _typed("a b", _no_last_row), "neutral", behaves=False),
    Mutant("two cells stand for one output", lambda: _typed("acc", _two_cells_one_element), "exclusive", behaves=False),
    Mutant("the store clears what is beyond", _clearing, "program"),
    Mutant("products on the engine that stores", _on(MULTIPLY, "store"), "order"),
    Mutant("the rows stop after one tile", _stops("i0"), "coverage"),
    Mutant("the steps stop after one", _stops("k0"), "coverage"),
    Mutant("one engine issues what is another's", _one_engine, "program", "outer_product issues it by load", behaves=False),
    Mutant("a load is issued by the engine that stores", _elsewhere(LOAD_A, "store"), "program", "issues it by",
           behaves=False),
    Mutant("a load is none of the machine's", _at(LOAD_A, lambda u: replace(u, instruction=replace(u.instruction, name="other"))),
           "program", "no instruction other", behaves=False),
    Mutant("a load's C is another one", _at(LOAD_A, lambda u: replace(u, instruction=replace(u.instruction, emit="f({s}, {m});"))),
           "program", "differ in emit", behaves=False),
    Mutant("no sizes are as the program assumes", _assuming("I >= 5", "4 >= I"), "hypotheses", "I >= 5 and 4 >= I", behaves=False),
    Mutant("a tile in the place of a tensor", _given(LOAD_A, "m", "b", 0), "hypotheses", "operand m lies in memory"),
    Mutant("a tensor in the place of a tile", _given(LOAD_A, "s", "A", 0, 0), "hypotheses", "operand s lies in scratchpad"),
    Mutant("a buffer begins at a row that is no number", _buffer(offset=sym("I")), "memory", "begins at row I"),
    Mutant("a buffer lies where nothing is addressed", _buffer(memory="heap"), "memory", "no rows of a memory heap"),
    Mutant("the store begins nothing, the clear neither", _at(CLEAR, lambda u: replace(u, begins=False)), "order", behaves=False),
)  # fmt: skip

RIGHT = (
    Mutant("one counter for both loads", lambda: _one_counter(2), ""),
    Mutant("the output is stored one number at a time", _steps(STORE, "down", "right"), ""),
    Mutant("one slot", lambda: outer.gemm(outer.Choice(1, 1)), ""),
    Mutant("three slots", lambda: outer.gemm(outer.Choice(3, 2)), ""),
    Mutant("eight accumulators", lambda: outer.gemm(outer.Choice(2, 8)), ""),
    Mutant("loads wait longer than they need", lambda: outer.gemm(outer.Choice(3, 3, lag=1, drain=1)), ""),
    Mutant("multiply waits for b alone, which is loaded after a", _no_await(MULTIPLY, 0), ""),
    Mutant("b is loaded without waiting, after an a that waited", _no_await(LOAD_B, 0), ""),
    Mutant("slots restart where there is one", lambda: _slot_of_step(0, slots=1), ""),
    Mutant("the product stands before the load of b that it awaits", _late_b, ""),
)

# Right, and not proved: that the store comes after the clear is told by two counters, one of them awaited in a loop behind it.
UNDECIDED = (Mutant("the accumulator is cleared by the engine that loads", _on(CLEAR, "load"), "order"),)
