"""Sums with epilogues, and several sums in phases: right programs are proved, and what is wrong is not, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import bare_sums
import pytest
import summed as s
import sympy as sp
import use_edits as edits

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import IMin, substitute, sym
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.phases import phase_kernels
from isamap_smt.ir.program import Alloc, Command, Issued, Program, Ref, number_of
from isamap_smt.ir.states import CODE
from isamap_smt.ir.traversal import buffers
from isamap_smt.proof.program import prove_program

BIAS = s.element("b", s.SIDE * s.J0 + s.C)
ROWS, COLUMNS = IMin(s.SIDE, sym("I") - s.SIDE * s.I0), IMin(s.SIDE, sym("J") - s.SIDE * s.J0)
BY_BIAS = "acc[r,c] + n[c]"


def biased(after: str = "Y[i,j] = T[i,j] + b[j]", *steps: s.Step, begin: s.Step | None = None, **types: str) -> Program:
    """A program for what is computed after the sum."""
    begin = begin or s.Step(s.clear())
    return s.program(s.kernel_of(after, **types), begin, steps or [s.Step(s.store())], s.load(), s.multiply())


def begun(**more: object) -> s.Step:
    """Sums that begin at a bias."""
    return s.Step(s.begun("m[c]", "memory"), {"m": BIAS}, **more)  # type: ignore[arg-type]


def added(**more: object) -> s.Step:
    """A bias that is added to finished sums."""
    return s.Step(s.update(BY_BIAS, active=s.BOTH), {"n": BIAS}, **more)  # type: ignore[arg-type]


def saturated(*before: s.Step, begin: s.Step | None = None, text: str = "T[i,j] + b[j]") -> Program:
    last = s.Step(s.store("sat_i8(acc[r,c])", "i8"))
    return biased(f"Y[i,j] = sat_i8({text})", *before, last, begin=begin, Y="i8")


def numbered(value: str, number: int, kind: str) -> Program:
    """200 is added, by a number in the code."""
    places, types = {"acc": s.ACC, "x": CODE}, {"acc": "i32", "x": kind}
    step = s.Step(s.made("add", f"acc[r,c] = acc[r,c] + {value}", "execute", places, types), {"x": code(number)})
    return biased("Y[i,j] = T[i,j] + 200", step, s.Step(s.store()))


def code(number: int) -> Ref:
    return Ref(CODE, (sp.Integer(number),))


def squared(value: str) -> Program:
    """The product of a matrix with itself, one of the factors not below 0."""
    text = "X: [6,6]\nT: [6,6]\nY: [6,6]\ntemporary T\nT[i,j] += i32(X[i,k]) * i32(relu(X[k,j]))\nY[i,j] = T[i,j]"
    kernel = im.kernel(text, dtypes=s.types_of(text), name="squared").with_sizes(dict.fromkeys("ijk", 6))
    return s.program(kernel, s.Step(s.clear()), [s.Step(s.store())], s.load(), s.multiply(value))


def narrowed() -> Program:
    """Loads of 32 bits into bytes. No description says so; a program may."""
    kernel = s.kernel_of("Y[i,j] = T[i,j]", X="i32", W="i32")
    kernel = im.kernel(kernel.text.replace("i32(", "(").strip(), dtypes=dict.fromkeys("XWTY", "i32"), name="narrowed")
    own, wide = s.load(), s.load("i32").kernel.tensor("m")
    tensors = tuple(wide if t.name == "m" else t for t in own.kernel.tensors)
    narrow = replace(own, kernel=replace(own.kernel, tensors=tensors), kind="compute")
    return s.program(kernel, s.Step(s.clear()), [s.Step(s.store())], narrow, s.multiply())


def zeroed_again() -> Program:
    """The bias is added, and then added again to no row: what is not active becomes 0."""
    again = sym("again")
    step = s.Step(
        s.update(BY_BIAS, active=s.BOTH, beyond="zero"), {"n": BIAS}, (IMin(ROWS, s.SIDE * (1 - again)), COLUMNS),
        ((again, 2),),
    )  # fmt: skip
    return biased("Y[i,j] = T[i,j] + b[j]", step, s.Step(s.store()))


def flat(program: Program) -> Program:
    """A program for sizes of one tile, without loops."""
    none = {n: sp.S.Zero for v in (s.I0, s.J0, s.K0) for n in (v.name, number_of(v).name)}

    def at(values: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(substitute(sp.sympify(e), none) for e in values)

    def buffer(b: object) -> Alloc:
        held = replace(b.type, coordinates=at(b.type.coordinates), guard=at(b.type.guard))  # type: ignore[attr-defined]
        return Alloc(replace(b, version=(), type=held))  # type: ignore[type-var]

    def use(u: Issued) -> Issued:
        u = replace(u, awaits=tuple((c, at((e,))[0]) for c, e in u.awaits))
        if not isinstance(u, Command):
            return u
        places = tuple((o, Ref(r.name, at(r.index))) for o, r in u.operands)
        point = tuple((a, at((e,))[0]) for a, e in u.point)
        return replace(u, operands=places, active=at(u.active), point=point)

    return replace(program, body=(*map(buffer, edits.held(program)), *map(use, edits.uses(program))))


def in_two_buffers(program: Program, moved: tuple[str, ...], begins: str) -> Program:
    """Uses of these instructions take another buffer of sums, and one that does not begin a content says that it does."""
    other = replace(buffers(program)["acc"], name="other", offset=16)

    def change(u: Issued) -> Issued:
        if not isinstance(u, Command):
            return u
        u = replace(u, begins=u.begins or u.instruction.name == begins)
        places = ((o, replace(r, name="other") if r.name == "acc" else r) for o, r in u.operands)
        return replace(u, operands=tuple(places)) if u.instruction.name in moved else u

    program = edits.edited(program, change)
    return replace(program, body=(Alloc(other), *program.body))


def stored_from_another() -> Program:
    same = s.Step(s.update("acc[r,c] + 0"))
    return in_two_buffers(biased("Y[i,j] = T[i,j]", same, s.Step(s.store())), ("update", "store"), "update")


def added_to_nothing() -> Program:
    kernel = s.kernel_of("Y[i,j] = T[i,j]").with_sizes(dict.fromkeys("ijk", 3))
    one = flat(s.program(kernel, s.Step(s.clear()), [s.Step(s.store())], s.load(), s.multiply()))
    return in_two_buffers(one, ("clear",), "multiply")


def crossed() -> Program:
    """An instruction calls its operands p and q, and p is an element of q, and q of p."""
    types = s.types_of("T[ X[ W[ Y[") | {"p": "i32", "q": "i32"}
    text = "temporary T\nT[i,j] += i32(X[i,k]) * i32(W[k,j])\nY[i,j] = T[i,j] + p[i,j] + p[i,j] + 0 * q[i,j]"
    at = {"p": "memory[r*e + c]", "q": "memory[r*f + c]"}
    last = s.store("acc[r,c] + p[r,c] + q[r,c]", types={"p": "i32", "q": "i32"}, at=at)
    places = {"p": s.element("q"), "q": s.element("p")}
    kernel = im.kernel(text, dtypes=types, name="crossed")
    return s.program(kernel, s.Step(s.clear()), [s.Step(last, places)], s.load(), s.multiply())


def onto_itself() -> Program:
    """The store adds what lies where it writes; the kernel takes that from elsewhere."""
    text = "Y: [6,6]\ntemporary T\nT[i,j] += i32(X[i,k]) * i32(W[k,j])\nY[i,j] = T[i,j] + Y[j,i]"
    kernel = im.kernel(text, dtypes=s.types_of(text), name="onto_itself").with_sizes({"i": 6, "j": 6})
    return s.program(kernel, s.Step(s.clear()), [s.Step(s.store("acc[r,c] + m[r,c]"))], s.load(), s.multiply())


def twice_in_a_contract() -> Program:
    step = s.Step(s.update("acc[r,c] + acc[c,r]"))
    return biased("Y[i,j] = T[i,j] + T[i,j]", step, s.Step(s.store()))


def multiplying(text: str, places: dict[str, str], **operands: Ref) -> Program:
    """The sum, by another instruction."""
    where = {"acc": "accumulators[i,j]"} | places
    types = {n: "i32" if n == "acc" else "i8" for n in where}
    unlike = s.made("multiply", f"acc[i,j] += {text}", "execute", where, types, axes=dict.fromkeys("ijk", s.SIDE))

    def change(u: Issued) -> Issued:
        if u.instruction.name != "multiply":
            return u
        known = dict(u.operands) | operands
        return replace(u, instruction=unlike, operands=tuple((o, known[o]) for o in where))

    return edits.edited(biased("Y[i,j] = T[i,j]"), change)


def at_a_barrier(change: Callable[[str, bool, Issued], Issued]) -> Program:
    """Two phases. change: of the engine, whether its use waits, and the use."""

    def node(n: object) -> object:
        one = isinstance(n, Issued) and n.instruction.kind == "signal"
        return change(n.instruction.engine, not n.signals, n) if one else n  # type: ignore[union-attr,arg-type]

    program = s.two_phases()
    return replace(program, body=tuple(map(node, program.body)))


def awaiting(engine: str, waits: bool, *more: tuple[str, int]) -> Program:
    return at_a_barrier(lambda e, w, u: replace(u, awaits=(*u.awaits, *more)) if (e, w) == (engine, waits) else u)


def not_awaited(engine: str, of: str) -> Program:
    def change(e: str, waits: bool, u: Issued) -> Issued:
        return replace(u, awaits=tuple(a for a in u.awaits if a[0] != f"phase2_{of}")) if e == engine else u

    return at_a_barrier(change)


def signalling(counter: str) -> Program:
    return at_a_barrier(
        lambda e, waits, u: replace(u, signals=(counter, counter)) if (e, waits) == ("load", True) else u
    )


def from_the_first_phase() -> Program:
    """The second phase reads a tensor of the first one, which its own kernel does not have."""
    return edits.edited(s.two_phases(), _of_x)


def _of_x(u: Issued) -> Issued:
    places = tuple((o, replace(r, name="X") if r.name == "H" and o == "m" else r) for o, r in u.operands)
    return replace(u, operands=places) if u.instruction.name == "load" else u


def infinite() -> Program:
    """Sums of f32 may be infinite, and the second phase multiplies those beyond its points by 0."""
    text = "temporary T\ntemporary H\nT[i,j] += X[i,k] * W[k,j]\nH[i,j] = T[i,j]\nY[i,m] += H[i,j] * V[j,m] where j < 3"
    kernel = im.kernel(text, dtypes=dict.fromkeys("TXWHYV", "f32"), name="infinite").with_sizes({"j": 6})
    first, second = (in_floats(k) for k in phase_kernels(kernel))
    held = buffers(second)["tile_w"]
    few = replace(held, type=replace(held.type, guard=(s.SIDE * s.K0 + s.ROW < 3, *held.type.guard[1:])))

    def change(u: Issued) -> Issued:
        return (
            replace(u, active=(3 * (1 - s.K0), u.active[1])) if "tile_w" in [r.name for _, r in u.operands[:1]] else u
        )

    return s.together([first, edits.holding(edits.edited(second, change), few)], kernel)


def in_floats(kernel: im.Kernel) -> Program:
    def made(i: Instruction) -> Instruction:
        tensors = tuple(replace(t, dtype=kernel.tensors[0].dtype) for t in i.kernel.tensors)
        return replace(i, kernel=replace(i.kernel, tensors=tensors))

    step = [s.Step(made(s.store()))]
    return s.program(kernel, s.Step(made(s.clear())), step, s.load("f32"), made(s.multiply("a[i,k] * b[k,j]", "i32")))


@dataclass(frozen=True)
class Case:
    """says: part of what the proof says of it, in its statement or its counterexample. behaves: what is wrong shows in no run of
    the simulator."""

    make: Callable[[], Program]
    says: str = ""
    word: str = "refuted"
    behaves: bool = False


RIGHT = {
    "a sum": lambda: biased("Y[i,j] = T[i,j]"),
    "a bias that sums begin with": lambda: biased(begin=begun()),
    "a bias that is added": lambda: biased("Y[i,j] = T[i,j] + b[j]", added(), s.Step(s.store())),
    "saturation of a sum that wraps": lambda: saturated(added(), text="i32(T[i,j] + b[j])"),
    "saturation of a sum that wraps and begins with a bias": lambda: saturated(
        begin=begun(), text="i32(T[i,j] + b[j])"
    ),
    "a number in the code": lambda: numbered("i32(x[])", 200, "u8"),
    "a matrix times itself": lambda: squared("i32(a[i,k]) * i32(relu(b[k,j]))"),
    "two phases": s.two_phases,
}
WRONG = {
    "sums begin at 0 beyond active rows": Case(
        lambda: biased(begin=begun(active=(0, 0))), "brings an element to each cell"
    ),
    "an update of no row sets the tile to 0": Case(zeroed_again, "sets no sum to 0"),
    "what is stored comes from another buffer of the sums": Case(stored_from_another, "something else", "unknown"),
    "products are added to what nothing began": Case(added_to_nothing, "something else", "unknown"),
    "the factors of a matrix times itself are exchanged": Case(
        lambda: squared("i32(relu(a[i,k])) * i32(b[k,j])"), "adds what the kernel adds"
    ),
    "a bias is added to other cells than are stored": Case(bare_sums.program, "is the cell that update acc changes"),
    "loads cut 32 bits to bytes": Case(narrowed, "copies elements as they are", "unknown"),
    "the sum wraps before it is saturated": Case(lambda: saturated(added()), "sat_i8(T + b)"),
    "the sum that began with a bias wraps before it is saturated": Case(
        lambda: saturated(begin=begun()), "sat_i8(T + b)"
    ),
    "a number in the code wraps in its own type": Case(lambda: numbered("i32(x[] * 2)", 100, "i8"), "T + 200"),
    "operands called like tensors are exchanged": Case(crossed, "T + p + p"),
    "a store adds what it overwrites": Case(onto_itself, "not yet written", "unknown"),
    "an update reads its target at two elements": Case(twice_in_a_contract, "one element of each operand"),
    "a square in the place of a product": Case(
        lambda: multiplying("i32(a[i,k]) * i32(a[i,k])", {"a": "scratchpad[i,k]"}), "adds what the kernel adds for a point"
    ),
    "a third factor in the code": Case(
        lambda: multiplying(
            "i32(a[i,k]) * i32(b[k,j]) * i32(x[])", {"a": "scratchpad[i,k]", "b": "scratchpad[k,j]", "x": CODE},
            x=code(1),
        ), "differ in kernel", behaves=True,
    ),
    "the loads of phase 2 do not wait for the stores of phase 1": Case(
        lambda: not_awaited("load", "store"), "reads H[0, 0] before store 0"
    ),
    "a barrier waits for a signal of nobody": Case(lambda: awaiting("load", False, ("never", 1)), "waits for never >= 1"),
    "a barrier waits before it signals": Case(
        lambda: awaiting("load", False, ("phase2_store", 1), ("loaded_2", 1)), "waits for"
    ),
    "a barrier waits for two signals of one": Case(
        lambda: awaiting("load", True, ("phase2_store", 2)), "waits for phase2_store >= 2"
    ),
    "a barrier signals that phase 2 is loaded": Case(lambda: signalling("loaded_2"), "before load 0"),
    "phase 2 reads what is no tensor of its own": Case(from_the_first_phase, "X is neither a tensor", "unknown"),
    "what phase 1 computes may be infinite where phase 2 multiplies by 0": Case(infinite, "adds 0 to a cell", behaves=True),
}  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_are_proved(name: str) -> None:
    program = RIGHT[name]()
    assert prove_program(program).failed() == ()
    assert s.wrong(program) == "" and s.wrong(program, extreme=True) == ""


@pytest.mark.parametrize("name", WRONG)
def test_wrong_programs_are_not_proved(name: str) -> None:
    case = WRONG[name]
    program = case.make()
    failed = prove_program(program).failed()
    told = [f"{c.statement}: {getattr(c.verdict, 'text', '') or getattr(c.verdict, 'reason', '')}" for c in failed]
    assert any(case.says in t and c.verdict.word == case.word for t, c in zip(told, failed, strict=True)), told
    assert bool(s.wrong(program) or s.wrong(program, extreme=True)) != case.behaves


def test_what_is_read_before_it_is_written_is_no_phase() -> None:
    text = "temporary T\ntemporary U\nT[i,j] += X[i,k] * Z[k,j]\nY[i,j] = T[i,j]\nU[k,j] += V[k,m] * W[m,j]\nZ[k,j] = U[k,j]"
    kernel = im.kernel(text, dtypes=dict.fromkeys("TUXYZVW", "i32"), name="early")
    with pytest.raises(ScheduleError, match="Z is read where it is not yet written"):
        phase_kernels(kernel)


def test_steps_that_round_once_are_refuted() -> None:
    """A product and a sum of floating point are two roundings in a kernel."""
    text = "temporary T\nT[i,j] += X[i,k] * W[k,j]\nY[i,j] = T[i,j] * s[] + s[]"
    kernel = im.kernel(text, dtypes=dict.fromkeys("TXWYs", "f32"), name="scaled")
    types, places = {"acc": "f32", "s": "f32"}, {"acc": s.ACC, "s": "memory"}
    for rounding, proved in (("exact", True), ("fused", False)):
        scale = s.made("scale", "acc[r,c] = acc[r,c] * s[] + s[]", "execute", places, types, rounding=rounding)
        whole = in_floats(im.kernel("T[i,j] += X[i,k] * W[k,j]", dtypes=dict.fromkeys("TXW", "f32"), name="sum"))
        machine = {i.name: i for i in whole.machine.instructions}
        steps = [s.Step(scale, {"s": Ref("s", ())}), s.Step(machine["store"])]
        made = s.program(kernel, s.Step(machine["clear"]), steps, machine["load"], machine["multiply"])
        assert prove_program(made).proved == proved
