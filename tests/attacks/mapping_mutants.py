"""Systematic mutants of a proved mapping: every number and symbol in it moved a little, and the pieces around it changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import FloorDiv, FloorMod
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Axis, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import Cast, Read, SAdd, Saturate, Scalar, SMul, cast, rewrite_reads, saturate
from isamap_smt.ir.typed import typed_value

NARROWER = {
    "i64": "i32", "i32": "i16", "u32": "u16", "i16": "i8", "u16": "u8", "f64": "f32", "f32": "f16", "u8": "i8",
    "i8": "u8", "f16": "bf16", "bf16": "f16", "u64": "u32",
}  # fmt: skip
WIDER = {"i32": "i64", "i16": "i32", "f32": "f64", "u8": "u16", "i8": "i16", "f16": "f32", "bf16": "f32"}


@dataclass(frozen=True)
class Mutant:
    """kind: what was changed (forward, guard ...), what: in words."""

    kind: str
    what: str
    mapping: Mapping


def mutants(m: Mapping) -> Iterator[Mutant]:
    """Every mutant, in a fixed order; each differs from the mapping."""
    hand = replace(m, groups=())
    for kind, what, made in _all(hand, m):
        if made not in (hand, m):
            yield Mutant(kind, what, made)


def _all(hand: Mapping, m: Mapping) -> Iterator[tuple[str, str, Mapping]]:
    for name in ("forward", "inverse"):
        for k, (axis, e) in enumerate(getattr(m, name)):
            for new in nudged(e):
                table = list(getattr(m, name))
                table[k] = (axis, new)
                yield name, f"{name} {axis}: {e} -> {new}", replace(hand, **{name: tuple(table)})
    for k, a in enumerate(m.outer):
        for new in (a.extent + 1, a.extent - 1, *nudged(a.extent)):
            outer = (*m.outer[:k], Axis(a.name, sp.sympify(new)), *m.outer[k + 1 :])
            yield "outer", f"loop {a.name}: {a.extent} -> {new}", replace(hand, outer=outer)
    yield from _guards(hand)
    yield from _bindings(m)
    yield from _kernels(m)
    for what, instruction in instruction_mutants(m.instruction):
        yield "instruction", what, replace(m, instruction=instruction)


def nudged(e: Any) -> list[Any]:
    """The expression with one thing changed: an offset, a coefficient or constant, a div for a mod, a symbol dropped."""
    e = sp.sympify(e)
    found = [e + 1, e - 1]
    for part in dict.fromkeys(sp.preorder_traversal(e)):
        if part.is_Integer and part not in (sp.S.NegativeOne,):
            found += [e.xreplace({part: part + 1}), e.xreplace({part: part - 1})]
        elif part.is_Symbol:
            found += [e.xreplace({part: 2 * part}), e.xreplace({part: sp.S.Zero})]
        elif isinstance(part, FloorDiv):
            found.append(e.xreplace({part: FloorMod(*part.args)}))
        elif isinstance(part, FloorMod):
            found += [e.xreplace({part: FloorDiv(*part.args)}), e.xreplace({part: part.args[0]})]
    return [x for x in dict.fromkeys(found) if x != e and not x.has(sp.zoo, sp.nan)]


def _guards(m: Mapping) -> Iterator[tuple[str, str, Mapping]]:
    swapped = {sp.Lt: sp.Le, sp.Le: sp.Lt, sp.Ge: sp.Gt, sp.Gt: sp.Ge}
    for k, g in enumerate(m.guard):
        others: list[Any] = [None]
        others += [g.func(g.args[0] + d, g.args[1], evaluate=False) for d in (-1, 1)]
        others += [g.func(x, g.args[1], evaluate=False) for x in nudged(g.args[0])[2:]]
        if type(g) in swapped:
            others.append(swapped[type(g)](*g.args, evaluate=False))
        for new in others:
            guard = (*m.guard[:k], *([] if new is None else [new]), *m.guard[k + 1 :])
            yield "guard", f"guard {g} -> {'dropped' if new is None else new}", replace(m, guard=guard)


def _bindings(m: Mapping) -> Iterator[tuple[str, str, Mapping]]:
    inputs = list(range(1, len(m.binding)))
    for k in inputs:
        for j in inputs:
            pairs = list(m.binding)
            if k < j:
                pairs[k], pairs[j] = (pairs[k][0], pairs[j][1]), (pairs[j][0], pairs[k][1])
                yield "binding", f"operands {pairs[k][0]} and {pairs[j][0]} swapped", replace(m, binding=tuple(pairs))
            if k != j:
                pairs = list(m.binding)
                pairs[k] = (pairs[k][0], pairs[j][1])
                yield "binding", f"operand {pairs[k][0]} takes {pairs[j][1].tensor}", replace(m, binding=tuple(pairs))


def _kernels(m: Mapping) -> Iterator[tuple[str, str, Mapping]]:
    """The kernel's element types changed, or its ranges widened by one: the mapping is for another kernel then."""
    for t in m.kernel.tensors:
        for table, word in ((NARROWER, "narrower"), (WIDER, "wider")):
            to = table.get(t.dtype.name)
            if to is None or to not in DTYPES:
                continue
            try:
                kernel = m.kernel.with_dtypes({t.name: to})
                for s in kernel.statements:
                    typed_value(kernel, s)
            except IsamapError:
                continue
            yield "dtype", f"{t.name} {t.dtype} -> {to} ({word})", replace(m, kernel=kernel)
    for k, (name, low, high) in enumerate(m.kernel.ranges):
        d = m.kernel.tensor(name).dtype
        for new in ((low - 1, high), (low, high + 1)):
            if d.low <= new[0] and new[1] <= d.high:
                ranges = (*m.kernel.ranges[:k], (name, *new), *m.kernel.ranges[k + 1 :])
                yield "range", f"{name} in [{new[0]}, {new[1]}]", replace(m, kernel=replace(m.kernel, ranges=ranges))


def instruction_mutants(i: Instruction) -> Iterator[tuple[str, Instruction]]:
    """Each index, extent, operator, element type and intermediate width of the description changed."""
    s = i.kernel.statements[0]
    for a in s.axes:
        for d in (-1, 1):
            if int(a.extent) + d >= 1:
                axes = tuple(Axis(x.name, x.extent + d) if x == a else x for x in s.axes)
                tensors = tuple(
                    replace(t, shape=tuple(e + 1 for e in t.shape)) if d == 1 else t for t in i.kernel.tensors
                )
                kernel = replace(i.kernel, statements=(replace(s, axes=axes),), tensors=tensors)
                yield f"axis {a.name} has {int(a.extent) + d} points", replace(i, kernel=kernel, exact=None)
    for access in (s.target, *s.inputs):
        for n, e in enumerate(access.index):
            for new in (e + 1, 2 * e, sp.S.Zero, *(b.symbol for b in s.axes if b.symbol != e)):
                if new != e:
                    other = Access(access.tensor, (*access.index[:n], sp.sympify(new), *access.index[n + 1 :]))
                    yield f"{access.tensor} index {n}: {e} -> {new}", _indexed(i, access, other)
    for op in ("max", "="):
        if op != s.op:
            yield f"{s.op} -> {op}", replace(i, kernel=_with(i.kernel, replace(s, op=op)), exact=None)
    for t in i.kernel.tensors:
        for table in (NARROWER, WIDER):
            to = table.get(t.dtype.name)
            kernel = _typed(i.kernel, t.name, to) if to in DTYPES else None
            if kernel is not None:
                yield f"{t.name} {t.dtype} -> {to}", replace(i, kernel=kernel, exact=None)
    yield from _operators(i)
    yield from _widths(i)


def _with(kernel: Kernel, statement: Any) -> Kernel:
    return replace(kernel, statements=(statement,))


def _typed(kernel: Kernel, name: str, to: str | None) -> Kernel | None:
    try:
        made = kernel.with_dtypes({name: str(to)})
        typed_value(made, made.statements[0])
    except IsamapError:
        return None
    return made


def _indexed(i: Instruction, old: Access, new: Access) -> Instruction:
    """The contract with one access changed; the operand is as large as that needs."""
    s = i.kernel.statements[0]

    def change(r: Any) -> Any:
        return Read(r.args[0], *new.index) if Access(r.tensor, r.index) == old else r

    target = new if s.target == old else s.target
    statement = replace(s, target=target, value=rewrite_reads(s.value, change))
    most = 2 * max([int(a.extent) for a in s.axes], default=1) + 1
    tensors = tuple(
        replace(t, shape=tuple(sp.Integer(most) for _ in t.shape)) if t.name == old.tensor else t
        for t in i.kernel.tensors
    )
    return replace(i, kernel=replace(i.kernel, statements=(statement,), tensors=tensors), exact=None)


def _operators(i: Instruction) -> Iterator[tuple[str, Instruction]]:
    s = i.kernel.statements[0]
    if isinstance(s.value, SMul):
        changed = replace(s, value=SAdd(*s.value.args))
        yield "* -> +", replace(i, kernel=_with(i.kernel, changed), exact=None)
        squared = replace(s, value=SMul(s.value.args[0], s.value.args[0]))
        yield "a*b -> a*a", replace(i, kernel=_with(i.kernel, squared), exact=None)


def _widths(i: Instruction) -> Iterator[tuple[str, Instruction]]:
    """What the instruction really computes, with each intermediate type narrowed, or saturating where it wrapped."""
    really = i.exact or i.kernel
    s = really.statements[0]
    out = really.tensor(s.target.tensor).dtype
    if out.is_float:
        return
    for k, part in enumerate(p for p in sp.preorder_traversal(s.value) if isinstance(p, Cast | Saturate)):
        to = NARROWER.get(part.args[0].name)
        if to is None:
            continue
        narrow = cast if isinstance(part, Cast) else saturate
        value = s.value.xreplace({part: cast(part.args[0].name, narrow(to, part.args[1]))})
        yield f"intermediate {k} {part.args[0]} -> {to}", _really(i, really, s, value)
    if isinstance(s.value, Scalar):
        to = NARROWER.get(out.name)
        if to is not None:
            value = cast(out, saturate(to, s.value))
            yield f"products saturate to {to}", _really(i, really, s, value)


def _really(i: Instruction, really: Kernel, s: Any, value: Any) -> Instruction:
    return replace(i, exact=_with(really, replace(s, value=value)))
