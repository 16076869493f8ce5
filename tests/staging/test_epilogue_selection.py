"""What follows a sum is selected as on cores: equal forms by proved rules, the cheapest cover, and nothing that is not proved."""

from __future__ import annotations

import random
from functools import cache

import drawn_values as d
import numpy as np
import pytest
import summed
from random_epilogues import machine as summing
from random_programs import random_decision

import isamap_hardware
import isamap_smt as im
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.epilogue import epilogue_of
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.typed import typed_value
from isamap_smt.language.printer import value_text
from isamap_smt.mapping.epilogue import Cover, covers_of
from isamap_smt.mapping.settled import settled
from isamap_smt.proof.program import prove_program
from isamap_smt.scheduling.staged import decoded, scheduled
from isamap_smt.scheduling.staged_ends import fitting_covers
from isamap_smt.scheduling.staged_problem import question
from isamap_smt.search import find_mappings

SEEDS = range(60)
LONGEST = 2  # updates that are tried


def proved(kernel: Kernel, machine: im.Hardware) -> im.ProvedMapping:
    return next(iter(find_mappings(kernel, machine.instruction("multiply")).finished()))


def selected(kernel: Kernel, machine: im.Hardware) -> tuple[Cover, ...]:
    """Covers whose instructions have the shape of tiles; none if there are none."""
    mapping = proved(kernel, machine).mapping
    try:
        return fitting_covers(mapping, machine, machine.instruction("multiply"), epilogue_of(kernel))
    except ScheduleError:
        return ()


def cycles(cover: Cover) -> int:
    return int(sum(i.occupies.start for i in (*cover.before_the_store, cover.store.instruction)))


@cache
def drawn(seed: int) -> tuple[d.Machine, d.Value, int | None]:
    """A machine, a value, and the cycles of one cover of it; None for any value."""
    rng = random.Random(seed)
    machine = d.Machine(rng)
    if seed % 4 == 3:
        return machine, d.any_value(rng, 4), None
    least, value = d.combined(rng, machine)
    return machine, d.otherwise(rng, value), least


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cheapest_cover_is_taken_and_computes_the_value(seed: int) -> None:
    machine, value, given = drawn(seed)
    found = selected(d.kernel_of(value), machine.hardware)
    assert given is None or found, d.text(value)
    every = list(machine.covers(LONGEST, d.numbers_in(value)))
    right, form = d.meaning(value), d.ordered(value)
    for store in {s for _, _, s in every}:
        took = min((cycles(c) for c in found if c.store.instruction.name == store), default=None)
        written = min((n for n, v, s in every if s == store and d.ordered(v) == form), default=None)
        assert written is None or (took is not None and took <= written), (d.text(value), store)
        same = (n for n, v, s in every if s == store and d.meaning_is(v, right))
        if took is not None and max(len(c.updates) for c in found) <= LONGEST:
            assert took >= min(same), (d.text(value), store)  # cheaper than all that are right
    if given is not None:
        assert min(map(cycles, found)) <= given, d.text(value)


def test_what_is_drawn_is_of_all_kinds() -> None:
    every = [(selected(d.kernel_of(v), m.hardware), v, given) for m, v, given in map(drawn, SEEDS)]
    free = [bool(found) for found, _, given in every if given is None]
    assert any(free) and not all(free) and any(len(found) > 1 for found, _, _ in every)
    covers = [c for found, _, _ in every for c in found]
    assert max(len(c.updates) for c in covers) > 2
    kinds = {str(v).partition("'")[2].partition("'")[0] for _, v, _ in every}
    assert kinds >= {"+", "i8", "sat"}


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_what_is_selected_is_proved_and_runs_right(seed: int) -> None:
    """Any legal plan with a cover: proved for open sizes, right in the simulator and in an executor of the tests' own."""
    machine, value, _ = drawn(seed)
    kernel, rng = d.kernel_of(value), random.Random(seed)
    if not selected(kernel, machine.hardware):
        return
    asked = question(proved(kernel, machine.hardware).mapping, machine.hardware, {"I": 9, "J": 6, "K": 5}, {})
    decision = random_decision(rng, asked.problem, 400)
    mapping = proved(kernel, machine.hardware)
    program = lower_stages(scheduled(mapping, *decoded(mapping.mapping, asked, decision)), machine.hardware)
    proof = prove_program(program)
    assert proof.proved, (d.text(value), [(str(c), c.statement) for c in proof.failed()])
    sizes = [{"I": 9, "J": 6, "K": 5}, {"I": 4, "J": 3, "K": 1}]
    assert summed.wrong(program, sizes, 1, plainly=1) == "", d.text(value)
    assert summed.wrong(program, sizes[:1], 1, extreme=True, plainly=1) == "", d.text(value)


# ---- floating point: bits are kept, and where no solver decides it, the proof finds a chain of proved rules itself


@cache
def floating() -> im.Hardware:
    """Sums of f32, with a few steps in place."""
    acc, made = summed.ACC, summed.made
    number, kinds = (
        {"acc": acc, "x": "code"},
        {"acc": "f32", "x": "f32", "m": "f32", "a": "f32", "b": "f32", "s": "f32"},
    )

    def of(name: str, value: str, places: dict[str, str], to: str = "acc[r,c] =", **more: object) -> Instruction:
        return made(name, f"{to} {value}", "execute", places, {o: kinds[o] for o in places}, **more)

    product = {"acc": "accumulators[i,j]", "a": "scratchpad[i,k]", "b": "scratchpad[k,j]"}
    moved = {"active": summed.BOTH, "beyond": "zero"}
    return summed.machine(
        summed.load("f32"),
        of("clear", "0", {"acc": acc}),
        of("multiply", "a[i,k] * b[k,j]", product, to="acc[i,j] +=", axes=dict.fromkeys("ijk", 4)),
        of("add", "acc[r,c] + x[]", number), of("scale", "acc[r,c] * x[]", number), of("positive", "relu(acc[r,c])", {"acc": acc}),
        of("add_row", "acc[r,c] + m[c]", {"acc": acc, "m": "memory"}, **moved), of("below_root", "rsqrt(acc[r,c])", {"acc": acc}),
        of("begin_row", "m[c]", {"acc": acc, "m": "memory"}, **moved),
        summed.store(result="f32", types={"m": "f32", "acc": "f32"}),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "took", "chain"),
    [
        ("max(T[i,j] + b[j], 0)", "clear, add_row, positive, store", ""),
        ("T[i,j] - 3", "clear, add -3, store", ""),
        ("T[i,j] * -2", "clear, scale -2, store", ""),
        ("1 / sqrt(T[i,j])", "clear, below_root, store", "root below one"),
        (
            "max(0, (T[i,j] - 0.75) * 1.3 + b[j])",
            "clear, add -0.75, scale 1.3, add_row, positive, store",
            "less a number",
        ),
    ],
)
def test_floating_point_keeps_its_bits(value: str, took: str, chain: str) -> None:
    """A sum begins at no element: it would round in another order."""
    types = {n: "f32" for n in "TXWYb" if f"{n}[" in value or n != "b"}
    text = f"temporary T\nT[i,j] += X[i,k] * W[k,j]\nY[i,j] = {value}"
    kernel = im.kernel(text, dtypes=types, name="floating").with_sizes({"I": 8, "J": 8, "K": 8})
    assert steps(kernel, floating(), "multiply") == took
    made = im.stage(kernel, floating())
    assert made.proof.proved
    said = [c.statement for c in made.proof.claims if "stores is computed from the sum" in c.statement]
    assert said and all(chain in words for words in said)


@pytest.mark.parametrize("value", ["T[i,j] / 3", "T[i,j] / 4", "select(T[i,j] > 0, T[i,j], 0)", "b[j] - T[i,j]"])
def test_what_has_other_bits_is_refused(value: str) -> None:
    """A quotient by 3 rounds otherwise, a NaN is chosen otherwise, and nothing negates or divides here."""
    text = f"temporary T\nT[i,j] += X[i,k] * W[k,j]\nY[i,j] = {value}"
    kernel = im.kernel(text, dtypes={n: "f32" for n in "TXWYb" if f"{n}[" in text}, name="floating")
    with pytest.raises(ScheduleError, match="nothing computes"):
        covers_of(kernel, floating(), floating().instruction("multiply"))


# ---- machines of the library: forms that no instruction spells

GEMMINI, VTA = isamap_hardware.load("gemmini"), isamap_hardware.load("vta")
PACKED = "temporary T\nT[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])\n"
BYTES = dict.fromkeys("XWY", "i8") | dict.fromkeys("TBRb", "i32") | {"s": "f32"}


def on_gemmini(value: str) -> Kernel:
    text = f"temporary T\nT[i,j] += i32(X[i,k]) * i32(W[k,j])\nY[i,j] = {value}"
    return im.kernel(text, dtypes={n: t for n, t in BYTES.items() if f"{n}[" in text}, name="layer")


def on_vta(value: str) -> Kernel:
    text = f"{PACKED}Y[i,jo,o] = {value.replace('T', 'T[i,jo,o]').replace('B', 'B[jo,o]').replace('R', 'R[i,jo,o]')}"
    types = {n: t for n, t in BYTES.items() if f"{n}[" in text}
    return im.kernel(text, dtypes=types, sizes={"o": 16, "c": 16}, name="packed")


def steps(kernel: Kernel, machine: im.Hardware, compute: str) -> str:
    """The cheapest cover in words."""
    cover = covers_of(kernel, machine, machine.instruction(compute))[0]
    said = [b.instruction.short for b in cover.begins]
    for step in (*cover.updates, cover.store):
        said.append(" ".join([step.instruction.short, *(str(e) for _, e in step.bound if not isinstance(e, Access))]))
    return ", ".join(said)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("i8(max(min(T >> 7, 127), -128))", "reset, shift 7, min 127, max -128, store"),
        ("sat_i8(T >> 7)", "reset, shift 7, max -128, min 127, store"),
        ("sat_i8(i32(T >> 7))", "reset, shift 7, max -128, min 127, store"),
        ("i8(T - 64 >> 7)", "reset, add -64, shift 7, store"),
        ("i8(B + T >> 7)", "load_acc, shift 7, store"),
        ("i8((B + 64) + T >> 7)", "load_acc, add 64, shift 7, store"),
        ("i8(select(T > 0, T, 0) >> 7)", "reset, max 0, shift 7, store"),
        ("i8(select(T < 100, T, 100))", "reset, min 100, store"),
        ("i8(i32(relu(T)) >> 4)", "reset, max 0, shift 4, store"),
        ("sat_i8(max(T, -5))", "reset, max -5, max -128, min 127, store"),
        ("i8(max(R, T >> 3))", "reset, shift 3, max_acc, store"),
    ],
)
def test_other_forms_on_vta(value: str, told: str) -> None:
    kernel = on_vta(value)
    assert steps(kernel, VTA, "vta.gemm") == told


@pytest.mark.parametrize("value", ["i8(T - 64 >> 7)", "sat_i8(i32(T >> 7))", "i8(select(T < 100, T, 100))"])
def test_other_forms_on_vta_are_proved_and_right(value: str) -> None:
    made = im.stage(on_vta(value), VTA, sizes={"I": 3, "JO": 2, "KO": 2})
    assert made.proof.proved
    assert summed.wrong(made.program, [{"I": 3, "JO": 2, "KO": 2}, {"I": 17, "JO": 1, "KO": 1}], 1, plainly=1) == ""


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("round_i8(s[] * f32(b[j] + T[i,j]))", "mvin_sums, mvout_i8"),
        ("round_i8(max(f32(T[i,j]) * 0.01, 0))", "clear, mvout_relu_i8_by 0.01"),
        ("round_i8(relu(0.01 * f32(T[i,j])))", "clear, mvout_relu_i8_by 0.01"),
        ("round_i8(f32(i32(T[i,j])) * 0.5)", "clear, mvout_i8_by 0.5"),
    ],
)
def test_other_forms_on_gemmini(value: str, told: str) -> None:
    kernel = on_gemmini(value)
    assert steps(kernel, GEMMINI, "gemmini.matmul") == told
    assert im.stage(kernel.with_sizes({"I": 16, "J": 16, "K": 16}), GEMMINI).proof.proved


@pytest.mark.parametrize("value", ["sat_i8(T + R)", "sat_i8(T - 64 >> 7)", "i8(T - R)"])
def test_what_may_wrap_or_has_no_rule_is_refused(value: str) -> None:
    """A sum below a saturation is exact, and a cell holds 32 bits of it."""
    with pytest.raises(ScheduleError, match="nothing computes"):
        covers_of(on_vta(value), VTA, VTA.instruction("vta.gemm"))


@pytest.mark.parametrize(
    "value", ["sat_i8(T[i,j] + b[j])", "sat_i8(max(T[i,j], 0) + b[j])", "sat_i8(max(T[i,j] + b[j], 3))"]
)
def test_a_cell_holds_no_exact_sum(value: str) -> None:
    """A store that clamps takes 32 bits; with a conversion that says that the sum wraps, it is covered."""
    machine, wraps = summing(4, 8), f"sat_i8(i32({value[7:-1]}))"
    exact, wrapped = (summed.kernel_of(f"Y[i,j] = {v}", Y="i8", b="i32") for v in (value, wraps))
    assert covers_of(wrapped, machine, machine.instruction("multiply"))
    with pytest.raises(ScheduleError, match="nothing computes"):
        covers_of(exact, machine, machine.instruction("multiply"))


# ---- parts below a saturation


def settled_in_words(kernel: Kernel) -> str:
    types = {t.name: t.dtype for t in kernel.tensors}
    return value_text(settled(typed_value(kernel, kernel.statements[1]), types, kernel.ranges))


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("sat_i8(max(T[i,j], -5))", "sat_i8(i32(max(T[i, j], -5)))"),
        ("sat_i8(T[i,j] + b[j])", "sat_i8(T[i, j] + b[j])"),
        ("sat_i8(max(T[i,j], 0) + b[j])", "sat_i8(i32(max(T[i, j], 0)) + b[j])"),
        ("sat_i8((min(T[i,j], 9) >> 3) + 1)", "sat_i8(i32((min(T[i, j], 9) >> 3) + 1))"),
        ("sat_i8(-T[i,j])", "sat_i8(-T[i, j])"),
        ("sat_i8(max(T[i,j], 3000000000))", "sat_i8(max(T[i, j], 3000000000))"),
        ("sat_i8(T[i,j] * 2)", "sat_i8(T[i, j]*2)"),
    ],
)
def test_a_part_that_stays_within_its_type_has_it(value: str, told: str) -> None:
    types = {"b": "i32"} if "b[" in value else {}
    assert settled_in_words(summed.kernel_of(f"Y[i,j] = {value}", **types, Y="i8")).replace(" * ", "*") == told


@pytest.mark.parametrize("seed", range(30))
def test_settled_values_are_the_same(seed: int) -> None:
    rng = random.Random(seed)
    value = d.any_value(rng, 4)
    kernel = d.kernel_of(("sat", value if value[0] not in ("sat", "i8") else value[1]))
    types = {t.name: t.dtype.name for t in kernel.tensors if t.name in "TbRXWY"}
    other = im.kernel(
        f"{kernel.text.strip().rpartition('=')[0]}= {settled_in_words(kernel)}", dtypes=types, name="settled"
    )
    sizes = {"I": 9, "J": 6, "K": 3}
    for extreme in (False, True):
        arrays = {n: summed.drawn(np.random.default_rng(seed), kernel, n, sizes, extreme) for n in kernel.inputs}
        ours, theirs = (im.run_kernel(k, arrays, sizes=sizes)["Y"] for k in (kernel, other))
        assert np.array_equal(ours, theirs), other.text
