"""Choice of instruction and mapping: every legal mapping onto the machine's instructions, best first.

Legal mappings are ranked by the cycles of their executions at these sizes (waste of partly filled lanes
included), with a charge for operands to be rearranged. The ranking picks mappings to schedule; it does not decide legality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from isamap_smt.ir.addresses import serves
from isamap_smt.ir.errors import DTypeError, IsamapError, ScheduleError
from isamap_smt.ir.expr import is_constant, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.indirect import by_data
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import program_axes
from isamap_smt.mapping.bounded import without_points
from isamap_smt.mapping.fuse import fitting, takes
from isamap_smt.mapping.layout import (
    GATHER,
    Supply,
    alone,
    element_axes,
    in_memory,
    lies_apart,
    stays_in_memory,
    supply,
)
from isamap_smt.mapping.lookups import no_lookup, read_in_memory
from isamap_smt.mapping.made import instruction_named
from isamap_smt.mapping.moves import memory_address, moves_in_place
from isamap_smt.mapping.point import point_instruction
from isamap_smt.mapping.selection import selected_instruction
from isamap_smt.mapping.wider_sums import accumulate
from isamap_smt.pipeline.time_steps import counts_time_steps
from isamap_smt.proof.scalar import may_compute
from isamap_smt.proof.tails import ending
from isamap_smt.proof.windows import copied_whole
from isamap_smt.scheduling.figures import DESCRIBED, Figures
from isamap_smt.scheduling.setting import PAGE, at_kernel
from isamap_smt.scheduling.supply import window_cycles
from isamap_smt.search import MappingSet, find_mappings

FAR = 2.0
GATHERED = 1.0  # cycles per element of overlapping windows: each is packed by itself; others are woven in blocks
CONVERTED = 1.0  # cycles of an element that is converted in memory, beside its neighbours (measured: 1.2)
SHARING = 8  # executions that share an operand in registers, for ranking only
TRANSLATED = (
    2048 * PAGE
)  # bytes of pages whose translations a core keeps (measured: 16% quicker at 8 MB, 35% slower at 16)
_ASSUMED = 1024  # points of an axis whose size is left open, for ranking only
_REARRANGE = {"contiguous": 1.0, "broadcast": 1.0, "strided": 1.3, "gather": 1.6}
Search = Callable[..., MappingSet]
_Ranked = tuple[float, MappingSet, ProvedMapping]


@dataclass(frozen=True)
class Candidates:
    """Proved mappings, best first, each with the search it comes from; notes are for the user.

    near: the number of mappings worth a schedule if the first has one; the others are ranked at FAR times its cycles or more.
    """

    found: tuple[tuple[MappingSet, ProvedMapping], ...]
    near: int = 0
    notes: tuple[str, ...] = ()


def candidates(
    kernel: Kernel,
    hardware: Hardware,
    sizes: dict[str, int],
    pinned: str | None = None,
    search: Search = find_mappings,
    figures: Figures = DESCRIBED,
    digits: tuple[tuple[str, str], ...] = (),
    ahead: frozenset[str] = frozenset(),
) -> Candidates:
    """Mappings of the kernel's main statement onto the machine's vector instructions, or onto single points if none is legal.

    The other statements are computed in portable C, in the same loops if possible.
    figures: the rates for ranking. digits: pairs of axes; the second is in an instruction axis, the first
    outside. ahead: tensors packed before the calls.
    Raises ScheduleError when nothing fits, DTypeError when a pinned instruction takes other element types.
    """
    main = kernel.main
    _check_reads(kernel, main)
    _check_points(kernel, sizes, main)
    offered = _offered(kernel, hardware, pinned, main)
    ranked = _onto_vectors(kernel, hardware, offered, sizes, search, main, pinned is not None, ahead)
    ranked = [r for r in ranked if _takes_digits(r[2].mapping, digits)]
    if not ranked and by_data(kernel.statements[main]):
        s = kernel.statements[main]
        why = _too_long(kernel, sizes, read_in_memory(kernel, s, hardware)) or no_lookup(kernel, s, hardware)
        raise ScheduleError(f"{kernel.name}: an index of statement {main + 1} is data, and {why}")
    notes: tuple[str, ...] = ()
    if not ranked and not digits and not pinned:
        scalar, ranked = _points(kernel, hardware, offered, sizes, search, main)
        why = f"no vector instruction of {hardware.name} computes {kernel.name}"
        homes, advice = {place for _, place in scalar.places}, _in_f32(kernel, hardware, sizes, search)
        if homes - {m.name for m in hardware.memories}:
            raise ScheduleError(f"{why}, and it has no registers for single elements{advice}")
        notes = (f"{why}; falling back to {scalar.name}{advice}",)
    if not ranked:
        named = offered if pinned else [i for i in hardware.computes if takes(kernel, i, main)]
        names = [i.name for i in named] or [hardware.name]
        onto = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 4 else "")
        raise ScheduleError(f"no legal mapping of {kernel.name} onto {onto} yields code; `isamap map` shows why")
    return _candidates(ranked, figures, notes)


def _in_f32(kernel: Kernel, hardware: Hardware, sizes: dict[str, int], search: Search) -> str:
    """The advice to carry sums of fewer bits in f32, if a vector instruction then computes them; else ''."""
    try:
        wide = accumulate(kernel)
        found = _onto_vectors(wide, hardware, _offered(wide, hardware, None, wide.main), sizes, search, wide.main)
    except IsamapError:
        return ""
    if not found:
        return ""
    names = dict.fromkeys(
        m.mapping.instruction.told for _, _, m in sorted(found, key=lambda r: (r[0], r[2].mapping.id))
    )
    return (
        f". Each sum in f32, rounded once, is computed by {next(iter(names))}: `--accumulate f32` "
        "(isamap_smt.accumulate(kernel, 'f32'))"
    )


def secondary_candidates(
    kernel: Kernel, hardware: Hardware, sizes: dict[str, int], statement: int, figures: Figures = DESCRIBED
) -> Candidates:
    """Mappings of another statement onto the machine's vector instructions; none when there are none. Raises ScheduleError."""
    _check_points(kernel, sizes, statement)
    offered = fitting(kernel, hardware, statement)
    return _candidates(_onto_vectors(kernel, hardware, offered, sizes, find_mappings, statement), figures)


def _onto_vectors(
    kernel: Kernel,
    hardware: Hardware,
    offered: list[Instruction],
    sizes: dict[str, int],
    search: Search,
    statement: int,
    any_: bool = False,
    ahead: frozenset[str] = frozenset(),
) -> list[_Ranked]:
    """Mappings onto instructions of several points (any_: or of one), and onto an instruction made for the statement.

    The latter is tried if there is no other mapping, or if each of the others converts elements for a single use.
    """
    ranked: list[_Ranked] = []
    for i in offered:
        if hardware.offers(i) and (i.axes or any_) and may_compute(kernel, i, statement):
            ranked += _ranked(_search(search, kernel, i, statement), sizes, hardware, ahead)
    instead = not any_ and (not ranked or min(_converted(m, sizes, hardware) for _, _, m in ranked) > 0)
    if instead and (made := selected_instruction(hardware, kernel, statement)) is not None:
        # its operands are the statement's, in their order: of eight there are 40,320 orders
        ranked += _ranked(_search(search, kernel, made, statement, "fixed"), sizes, hardware, ahead)
    return ranked if any_ else [r for r in ranked if not _too_long(kernel, sizes, in_memory(r[2].mapping))]


def _candidates(ranked: list[_Ranked], figures: Figures, notes: tuple[str, ...] = ()) -> Candidates:
    """The candidates at measured rates, if any: a core may start an instruction less often than its description says.

    Among the near ones, a mapping repeated onto another instruction (vectors half as wide) comes after other forms.
    """
    priced = []
    for cycles, s, m in ranked:
        i = m.mapping.instruction
        priced.append((cycles * i.cost.per_cycle / figures.cost(i.name, i.cost).per_cycle, s, m))
    order = sorted(priced, key=lambda r: (r[0], r[2].mapping.id))
    near = sum(r[0] < FAR * order[0][0] for r in order)
    seen: set[str] = set()
    again = []
    for _, _, m in order[:near]:
        again.append(m.mapping.id in seen)
        seen.add(m.mapping.id)
    order[:near] = [r for _, r in sorted(zip(again, order, strict=False), key=lambda x: x[0])]
    return Candidates(tuple((s, m) for _, s, m in order), near, notes)


def with_rows(kernel: Kernel, choice: Candidates) -> Candidates:
    """For a statement without a sum that exchanges elements with others: near mappings without fused axes come first.

    Only these stay near. Fused axes have no loop to share, and two passes over memory cost more than the end of each row.
    """
    near = choice.found[: choice.near]
    if not near or near[0][1].mapping.statement.reduction_axes or not _hands_over(kernel, near[0][1].mapping):
        return choice
    fused = [any(len(a.members) > 1 for a in program_axes(m.mapping)) for _, m in near]
    if all(fused):
        return choice
    order = [c for wanted in (False, True) for c, f in zip(near, fused, strict=True) if f == wanted]
    return replace(choice, found=(*order, *choice.found[choice.near :]), near=fused.count(False))


def _hands_over(kernel: Kernel, mapping: Mapping) -> bool:
    s = mapping.statement
    others = [x for n, x in enumerate(kernel.statements) if n != mapping.statement_index]
    read = {a.tensor for x in others for a in x.inputs}
    return s.target.tensor in read or bool({a.tensor for a in s.inputs} & {x.target.tensor for x in others})


def _points(
    kernel: Kernel, hardware: Hardware, offered: list[Instruction], sizes: dict[str, int], search: Search, main: int
) -> tuple[Instruction, list[_Ranked]]:
    """Mappings onto the machine's own instruction of one point if it computes the kernel, else onto portable C."""
    for i in offered:
        may = hardware.offers(i) and not i.axes and may_compute(kernel, i, main)
        if may and (ranked := _ranked(_search(search, kernel, i, main), sizes, hardware)):
            return i, ranked
    point = point_instruction(kernel, main)
    return point, _ranked(_search(search, kernel, point, main, "fixed"), sizes, hardware)


def _check_points(kernel: Kernel, sizes: dict[str, int], statement: int) -> None:
    """Raise ScheduleError if a guard excludes all points: a vector would be read all the same."""
    if without_points(kernel.with_sizes(sizes), statement):
        raise ScheduleError("at these sizes its guard leaves no points")


def _check_reads(kernel: Kernel, main: int) -> None:
    """Raise ScheduleError for reads of results not covered by any program yet."""
    for n, s in enumerate(kernel.statements):
        out, recurrence = s.target.tensor, kernel.recurrence_of(n)
        for a in s.inputs:
            if recurrence is not None and a != s.target:
                continue  # the time steps put reading and writing in order; the program's proof shows that they do
            if a.tensor == out and (n == main or s.op != "=" or a.index != s.target.index):
                only = "only accumulate" if n == main else "change it one element at a time"
                example = f"{out}[..] += .." if n == main else f"{out}[i] = f({out}[i])"
                kind = "kernels" if n == main else "secondary statements"
                raise ScheduleError(
                    f"{kernel.name} reads its output {out}; instructions are used for {kind} that {only}, such as `{example}`"
                )
            if any(t.target.tensor == a.tensor for t in kernel.statements[n + 1 :]):
                raise ScheduleError(
                    f"{kernel.name}: statement {n + 1} reads {a.tensor} before a later statement writes it; instructions are used "
                    "for kernels whose results are read after they are complete"
                )


@lru_cache(maxsize=64)  # what is found speaks of all sizes, and a kernel is planned for several
def _search(search: Search, kernel: Kernel, instruction: Instruction, main: int, operands: str = "any") -> MappingSet:
    found = search(kernel, instruction, operands=operands, statement=main)
    return found.finished()  # a plan made from half a search would not be what was asked for


def _ranked(
    mappings: MappingSet, sizes: dict[str, int], hardware: Hardware, ahead: frozenset[str] = frozenset()
) -> list[_Ranked]:
    """The legal mappings with their cycles; those that spread the time steps of a recurrence over lanes are left out."""
    recurrence = mappings.family.kernel.recurrence_of(mappings.family.statement)
    fitting = [m for m in mappings.legal if recurrence is None or counts_time_steps(m.mapping, recurrence)]
    return [(execution_cycles(m, sizes, hardware, ahead), mappings, m) for m in fitting]


def _too_long(kernel: Kernel, sizes: dict[str, int], names: Iterable[str]) -> str:
    """The first of these tensors over more pages than a core keeps translations of, in words; '' if there is none.

    An instruction looks the pages of its lanes up one after the other, elements in portable C side by side.
    """
    for t in map(kernel.with_sizes(sizes).tensor, names):
        if all(map(is_constant, t.shape)) and (size := prod(map(int, t.shape)) * t.dtype.bytes) > TRANSLATED:
            return f"{t.name} has {size} bytes: of more than {TRANSLATED}, single elements are read sooner"
    return ""


def _offered(kernel: Kernel, hardware: Hardware, pinned: str | None, main: int) -> list[Instruction]:
    if pinned is None:
        return fitting(kernel, hardware, main)
    chosen = instruction_named(hardware, pinned, kernel, main)
    if not takes(kernel, chosen, main):
        has = ", ".join(f"{t.name}={t.dtype}" for t in kernel.tensors)
        wants = ", ".join(f"{t.name}: {t.dtype}" for t in chosen.kernel.tensors)
        raise DTypeError(f"{kernel.name} has {has}; {chosen.name} takes {wants}")
    return [chosen]


def _takes_digits(mapping: Mapping, digits: tuple[tuple[str, str], ...]) -> bool:
    grouped = {a for _, g in mapping.groups for a in g}
    return all(low in grouped and high not in grouped for high, low in digits)


def execution_cycles(
    proved: ProvedMapping, sizes: dict[str, int], hardware: Hardware, ahead: frozenset[str] = frozenset()
) -> float:
    """Cycles of all executions at one per_cycle, times a charge for each rearranged operand, plus conversions.

    Tensors not packed ahead add loads if each execution has elements of its own, and elements packed one by one.
    """
    mapping = proved.mapping
    kernel = mapping.kernel.with_sizes(sizes)
    extents = {a.name: int(a.extent) if is_constant(a.extent) else _ASSUMED for a in kernel.axes}
    executions = prod(-(-prod(extents[m] for m in axis.members) // axis.leaf) for axis in program_axes(mapping))
    sized = at_kernel(mapping, kernel)
    cycles = executions * _cycles(sized)
    output = mapping.instruction.kernel.statements[0].target.tensor
    moved = 0.0
    for operand, access in mapping.binding:
        if stays_in_memory(mapping, operand):
            continue
        lie = supply(mapping, operand)
        if operand != output and access.tensor not in ahead and _from_window(sized, operand, hardware):
            moved += window_cycles(sized, operand)
            continue
        ends = operand != output and ending(sized, operand) != ""
        loads = [] if ends else _loads_in_place(mapping, operand, lie, hardware)
        charge = 1.0 if loads else _REARRANGE[lie.kind]
        cycles *= charge**2 if operand == output else charge
        names = symbols_of(access.index) & set(extents)
        if operand == output or access.tensor in ahead:
            continue
        if loads and names >= {a.name for a in kernel.axes}:  # each execution loads elements of its own
            moved += executions * min(1 / load.cost.per_cycle for load in loads)
        elif ends or (not loads and lies_apart(mapping, operand)):
            size = mapping.instruction.kernel.tensor(operand).dtype.bytes
            windows = any(len(symbols_of([i]) & set(extents)) > 1 for i in access.index)
            copied = DESCRIBED.pack_apart * alone(mapping, operand) or DESCRIBED.pack_elements * size
            moved += (GATHERED if windows else copied) * prod(extents[n] for n in names)
    return cycles + moved + _converted(proved, sizes, hardware)


def _cycles(mapping: Mapping) -> float:
    """Cycles of an execution, sizes being fixed; one of its steps is made once for executions that share its operands."""
    cost = mapping.instruction.cost
    if not cost.parts:
        return 1 / cost.per_cycle
    tiles = [
        (a, -(-int(a.extent) // a.leaf)) for a in program_axes(mapping) if not a.reduction and is_constant(a.extent)
    ]

    def sharing(operands: tuple[str, ...]) -> int:
        used = {x for o in operands for x in element_axes(mapping, o)}
        return min(SHARING, prod(n for a, n in tiles if not used & {*a.members}))

    own = sum(cycles / sharing(operands) for cycles, operands in cost.parts)
    return own / (sum(cycles for cycles, _ in cost.parts) * cost.per_cycle)


def _from_window(mapping: Mapping, operand: str, hardware: Hardware) -> bool:
    """Whether the operand is read in place from a copy of its whole tensor, sizes being fixed."""
    if not copied_whole(mapping, operand):
        return False
    lie = supply(mapping, operand)
    return _neighbours(mapping, lie) or bool(_loads_in_place(mapping, operand, lie, hardware, window=True))


def _neighbours(mapping: Mapping, lie: Supply) -> bool:
    """Whether the elements that differ are neighbours in memory, in the order of the cells."""
    if lie.kind == GATHER:
        return False
    expected = 1
    for axis, step in reversed(lie.strides):
        if step not in (0, expected):
            return False
        expected *= 1 if step == 0 else mapping.instruction.axes[axis]
    return True


def _converted(proved: ProvedMapping, sizes: dict[str, int], hardware: Hardware) -> float:
    """Cycles to convert operands of another element type, through memory; 0 for those in whole copies."""
    m, s = proved.mapping, proved.mapping.statement
    sized = at_kernel(m, m.kernel.with_sizes(sizes))
    held = {o: m.instruction.kernel.tensor(o).dtype for o, _ in m.binding}
    extents = {a.name: int(a.extent) if is_constant(a.extent) else sizes.get(str(a.extent), _ASSUMED) for a in s.axes}
    total = 0.0
    for o, a in m.binding:
        if not m.kernel.tensor(a.tensor).dtype.lies_as(held[o]):
            if _from_window(sized, o, hardware):
                continue
            each = DESCRIBED.pack_apart * alone(m, o) or CONVERTED
            total += each * prod(extents[n] for n in symbols_of(a.index) & set(extents))
    return total


def _loads_in_place(
    mapping: Mapping, operand: str, lie: Supply, hardware: Hardware, window: bool = False
) -> list[Instruction]:
    """The machine's loads for elements at these distances. window: zeros are around them, so no lanes are left out."""
    whole = tuple(range(len(mapping.cells(operand))))
    if len(lie.strides) != len(whole):
        return []
    grouped = {a for _, group in mapping.groups for a in group}
    guarded = not window and bool(
        symbols_of(mapping.statement.guard) & grouped
    )  # lanes by which a load would be masked
    return [
        load
        for load, lanes in moves_in_place(hardware, mapping.instruction, operand, whole, masked=False)
        if (lanes == whole or not guarded)
        and all(serves(step, lie.strides[n][1]) for step, n in zip(memory_address(load).steps, lanes, strict=True))
    ]
