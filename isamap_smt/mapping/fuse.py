"""The fuse family: each instruction axis takes kernel axes, fused, then cut to the axis' size.

Search proposes axes in the kernel's order; a mapping written by hand may fuse them in any. The kernel may be one whose axes were
taken apart into digits (mapping/digits.py): then a group can hold the low digit of an axis alone.

For a group g = (a1 .. am) of instruction axis t with N points
    F = (..(a1*E2 + a2)*E3 + ..)*Em + am        mixed radix, innermost axis last
    t = F mod N,  outer tile = F div N,  live where F < E1*..*Em
and every kernel axis of no group is a loop outside the instruction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dict
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.arguments import position, yes_or_no
from isamap_smt.ir.dtypes import DType, widens
from isamap_smt.ir.errors import UnknownNameError, WrongKindError, did_you_mean
from isamap_smt.ir.expr import (
    FloorDiv,
    FloorMod,
    ceil_div,
    elements,
    free_name,
    is_constant,
    substitute,
    sym,
    symbols_of,
)
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.indirect import by_data, writes_by_data
from isamap_smt.ir.instruction import Instruction, SelectedInstruction
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.kinds import require_kernel_and_instruction
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.mapping.axes import AxesError, Groups, axes_table, groups_of
from isamap_smt.mapping.digits import named_digits, split_axes
from isamap_smt.mapping.layout import whole_table

Binding = tuple[tuple[str, Access], ...]


def fuse(
    kernel: Kernel,
    instruction: Instruction,
    axes: str | Dict[str, Sequence[str]],
    operands: str | Dict[str, str] = "fixed",
    statement: int = 0,
    partial: bool = False,
) -> Mapping:
    """The mapping of the fuse family with these axes; nothing about it is proved yet.

    `q%8` among the axes is the low digit of q: the mapping is one of the kernel with q in two digits.
    operands: 'fixed' (kernel operands feed instruction operands in the order written), 'any' (the first
    assignment whose element types fit) or {operand: tensor}. Raises AxesError and UnknownNameError.
    """
    require_kernel_and_instruction("fuse", kernel, instruction)
    statement = position(statement, len(kernel.statements), "statement", AxesError)
    partial = yes_or_no(partial, "partial", AxesError)
    table = axes_table(axes)
    split = split_axes(kernel, named_digits([a for g in table.values() for a in g]), statement)
    if split is not None:
        kernel, names = split.kernel, {digit: a for a, digit in split.low_digits.items()}
        table = {t: [names.get(a.replace(" ", ""), a) for a in g] for t, g in table.items()}
    groups = groups_of(kernel, instruction, table, statement, partial)
    return fuse_groups(kernel, instruction, groups, bind(kernel, instruction, operands, statement), statement, split)


@lru_cache(maxsize=256)
def fuse_groups(
    kernel: Kernel,
    instruction: Instruction,
    groups: Groups,
    binding: Binding,
    statement: int = 0,
    split: Rewrite | None = None,
) -> Mapping:
    """The mapping of checked groups and a binding; groups holds every instruction axis, in its order. split: the
    rewrite that led to the kernel."""
    s = kernel.statements[statement]
    extents = {a.name: a.extent for a in s.axes}
    tiles, outs = outer_names(kernel, instruction, s)
    grouped = {a for _, g in groups for a in g}
    forward: dict[str, Any] = {a.name: sym(outs[a.name]) for a in s.axes if a.name not in grouped}
    outer = [Axis(outs[a.name], a.extent) for a in s.axes if a.name not in grouped]
    inverse: dict[str, Any] = {outs[a.name]: a.symbol for a in s.axes if a.name not in grouped}
    guard: list[Any] = []
    for t, group in groups:
        n = instruction.axes[t]
        if not group:
            inverse[t] = sp.S.Zero
            if n > 1:
                guard.append(sp.Le(sym(t), 0))
            continue
        total = product(extents[a] for a in group)
        fused, tile = mixed_radix(group, extents), sym(tiles[t])
        outer.append(Axis(tile.name, ceil_div(total, n)))
        inverse[tile.name], inverse[t] = FloorDiv(fused, n), FloorMod(fused, n)
        forward.update(digits(n * tile + sym(t), group, extents))
        if not (is_constant(total) and int(total) % n == 0):
            guard.append(sp.Lt(n * tile + sym(t), total, evaluate=False))
    guard += [relation(g, forward) for g in s.guard]
    return Mapping(
        kernel,
        instruction,
        binding,
        tuple(outer),
        tuple((a.name, forward[a.name]) for a in s.axes),
        tuple(inverse.items()),
        tuple(g for g in guard if g is not sp.true),
        groups,
        statement,
        split,
    )


def relation(g: Any, table: Dict[str, Any]) -> Any:
    """A relation with symbols replaced; SymPy decides it only between two numbers (its other attempts are slow)."""
    if not isinstance(g, sp.core.relational.Relational):
        return substitute(g, table)
    a, b = (substitute(x, table) for x in g.args)
    return g.func(a, b) if a.is_Integer and b.is_Integer else g.func(a, b, evaluate=False)


def product(factors: Any) -> Any:
    """The product, expanded; 1 for no factors."""
    result: Any = sp.S.One
    for f in factors:
        result = result * f
    return sp.expand(result)


def mixed_radix(group: Sequence[str], extents: Dict[str, Any]) -> Any:
    """The fused index of the group's axes, innermost last, in [0, product of extents)."""
    value: Any = sp.S.Zero
    for a in group:
        value = sp.expand(value * extents[a]) + sym(a)
    return value


def digits(fused: Any, group: Sequence[str], extents: Dict[str, Any]) -> dict[str, Any]:
    """Each axis as a digit of the fused index; the outermost needs no modulo, the guard bounds it."""
    result: dict[str, Any] = {}
    for k, a in enumerate(group):
        inner = product(extents[b] for b in group[k + 1 :])
        quotient = FloorDiv(fused, inner)
        result[a] = quotient if k == 0 else FloorMod(quotient, extents[a])
    return result


def outer_names(
    kernel: Kernel, instruction: Instruction, statement: Statement
) -> tuple[dict[str, str], dict[str, str]]:
    """Names of loops outside the instruction: per instruction axis its tile index, per kernel axis its own loop.

    They meet no instruction axis, size or parameter. Raises AxesError if a size has the name of an instruction axis.
    """
    sizes = set(kernel.free_sizes) | {p.name for p in kernel.parameters}
    clash = sizes & set(instruction.axes)
    if clash:
        name = min(clash)
        raise AxesError(
            f"{kernel.name} has a size called {name!r}, which is also an axis of {instruction.name}; rename the size"
        )
    used = sizes | set(instruction.axes) | {a.name for a in statement.axes}

    def fresh(name: str) -> str:
        name = free_name(name, used)
        used.add(name)
        return name

    tiles = {t: fresh(f"{t}_tile") for t in instruction.axes}
    return tiles, {a.name: fresh(f"{a.name}_out") for a in statement.axes}


def bind(kernel: Kernel, instruction: Instruction, operands: str | Dict[str, str], statement: int = 0) -> Binding:
    """Instruction operand -> kernel access, output first. Raises UnknownNameError and AxesError."""
    s = kernel.statements[statement]
    contract = instruction.kernel.statements[0]
    names = [a.tensor for a in operand_accesses(contract)]
    inputs = list(operand_accesses(s))
    if isinstance(operands, str) and operands not in ("fixed", "any"):
        operands = _parse_operands(operands)
    if not isinstance(operands, (str, Dict)):
        raise WrongKindError(
            f"operands={operands!r}: pass 'fixed', 'any', text such as 'a=I,b=W', or {{'a': 'I', 'b': 'W'}}"
        )
    if isinstance(operands, str):
        if len(names) != len(inputs):
            raise AxesError(
                f"{instruction.name} reads {len(names)} operands ({', '.join(names)}), "
                f"{kernel.name} reads {len(inputs)} ({', '.join(a.tensor for a in inputs)})"
            )
        chosen = bindings(kernel, instruction, operands, statement)
        if chosen:
            return chosen[0]
        return ((contract.target.tensor, s.target), *zip(names, inputs, strict=True))
    return _bind_by_name(kernel, instruction, dict(operands), statement)


def _parse_operands(text: str) -> dict[str, str]:
    pairs = [p.strip().partition("=") for p in text.split(",")]
    if any(not e or not a.strip() or not b.strip() for a, e, b in pairs):
        raise AxesError(f"operands {text!r}: write fixed, any, or operand=tensor pairs such as a=I,b=W")
    return {a.strip(): b.strip() for a, _, b in pairs}


def _bind_by_name(kernel: Kernel, instruction: Instruction, table: dict[str, str], statement: int) -> Binding:
    s = kernel.statements[statement]
    contract = instruction.kernel.statements[0]
    names = [a.tensor for a in operand_accesses(contract)]
    out = contract.target.tensor
    for operand in table:
        if operand not in (*names, out):
            raise UnknownNameError(
                f"{instruction.name} has no operand {operand!r}; {did_you_mean(operand, [*names, out])}"
            )
    missing = [n for n in names if n not in table]
    if missing:
        raise AxesError(f"operand {missing[0]!r} of {instruction.name} is bound to no tensor")
    if table.get(out, s.target.tensor) != s.target.tensor:
        raise AxesError(f"output {out!r} of {instruction.name} takes {s.target.tensor}, not {table[out]!r}")
    rest = list(operand_accesses(s))
    binding = [(out, s.target)]
    for n in names:
        found = next((a for a in rest if a.tensor == table[n]), None)
        if found is None:
            tensors = [a.tensor for a in operand_accesses(s)]
            raise UnknownNameError(
                f"{kernel.name} reads no {table[n]!r} for operand {n!r}; {did_you_mean(table[n], tensors)}"
            )
        rest.remove(found)
        binding.append((n, found))
    return tuple(binding)


def operand_accesses(statement: Statement) -> tuple[Access, ...]:
    """Accesses the value reads, without the statement's own target (`y[l] = y[l] + ...` reads it as accumulator)."""
    return tuple(a for a in statement.inputs if a != statement.target)


def bindings(kernel: Kernel, instruction: Instruction, operands: str, statement: int = 0) -> tuple[Binding, ...]:
    """Every binding to try, in a fixed order: the written order alone, or with 'any' all with fitting element types.

    Operands that the instruction cannot tell apart (same cells, type and place) are not permuted among themselves. An
    instruction made for the statement takes its operands as written, as its cover bound them. If the instruction reads
    several cells of one operand at a point, nothing is bound: an operand takes one access.
    """
    s = kernel.statements[statement]
    contract = instruction.kernel.statements[0]
    slots = operand_accesses(contract)
    inputs = operand_accesses(s)
    if len(slots) != len(inputs) or len({a.tensor for a in slots}) < len(slots):
        return ()
    if by_data(s) != by_data(contract) or writes_by_data(s):
        return ()
    places = dict(instruction.places)
    kinds = {(a.index, instruction.kernel.tensor(a.tensor).dtype, places.get(a.tensor)) for a in slots}
    held = [kernel.tensor(a.tensor).dtype for a in inputs]
    taken = [instruction.kernel.tensor(o.tensor).dtype for o in slots]
    orders: Iterable[tuple[int, ...]] = [tuple(range(len(inputs)))]
    if operands == "any" and len(kinds) > 1 and not isinstance(instruction, SelectedInstruction):
        orders = _orders([[_feeds(h, t) for h in held] for t in taken])
    elif operands == "any":
        orders = [o for o in orders if all(_feeds(held[k], taken[n]) for n, k in enumerate(o))]
    out = (contract.target.tensor, s.target)
    return tuple((out, *((o.tensor, inputs[k]) for o, k in zip(slots, order, strict=True))) for order in orders)


def _orders(fits: Sequence[Sequence[bool]], taken: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The permutations that give each slot a fitting input, in lexicographic order; no others are gone through."""
    if len(taken) == len(fits):
        yield taken
        return
    for k, fit in enumerate(fits[len(taken)]):
        if fit and k not in taken:
            yield from _orders(fits, (*taken, k))


def may_take(kernel: Kernel, instruction: Instruction, statement: int = 0) -> bool:
    """Whether the type of its output and the number of its operands fit; its contract is not read for that."""
    s = kernel.statements[statement]
    own, many = instruction.types, len(operand_accesses(s))
    return kernel.tensor(s.target.tensor).dtype == own[instruction.target] and len(own) - 1 <= many <= len(own)


def takes(kernel: Kernel, instruction: Instruction, statement: int = 0) -> bool:
    """Whether the output's element type is the instruction's, and in some order it can take the inputs'."""
    if not may_take(kernel, instruction, statement):
        return False
    s = kernel.statements[statement]
    found = bindings(kernel, instruction, "any", statement)
    return any(_in_registers(kernel, instruction, b) for b in found) if by_data(s) else bool(found)


def _in_registers(kernel: Kernel, instruction: Instruction, binding: Binding) -> bool:
    """Whether each operand read by data is a table whose registers hold a whole tensor, or a tile of an engine's memory.

    Of others no program is made.
    """
    if instruction.engine:
        return True
    contract = instruction.kernel.statements[0]
    cells = {a.tensor: a.index for a in contract.inputs}
    named = [(o, a) for o, a in binding if elements((*cells.get(o, ()), *a.index))]
    return all(whole_table(kernel, instruction, o, a) for o, a in named)


def fitting(kernel: Kernel, hardware: Hardware, statement: int) -> list[Instruction]:
    """The machine's instructions with the statement's element types and, if both say one, its combining operation.

    No other is proved to compute it; contracts of others are not read.
    """
    s = kernel.statements[statement]
    own = "" if s.target in s.inputs else s.op
    return [i for i in hardware.computes if (not own or i.combines in ("", own)) and takes(kernel, i, statement)]


def _feeds(held: DType, wanted: DType) -> bool:
    return held == wanted or widens(held, wanted)


def is_fused(mapping: Mapping) -> bool:
    """Whether outer, forward, inverse and guard are exactly those implied by the groups; nothing is taken on trust."""
    names = [a.name for a in mapping.statement.axes]
    grouped = [a for _, g in mapping.groups for a in g]
    if [t for t, _ in mapping.groups] != list(mapping.instruction.axes):
        return False
    if len(set(grouped)) != len(grouped) or not set(grouped) <= set(names):
        return False
    if symbols_of([a.extent for a in mapping.statement.axes]) & set(names):
        return False
    implied = fuse_groups(mapping.kernel, mapping.instruction, mapping.groups, mapping.binding, mapping.statement_index)
    return (implied.outer, dict(implied.forward), dict(implied.inverse), set(implied.guard)) == (
        mapping.outer,
        dict(mapping.forward),
        dict(mapping.inverse),
        set(mapping.guard),
    )
