"""What to change so that a refuted mapping is legal: a short list of candidates, and only what is proved is offered.

Candidates are taken in the order of how little they change: the operands' order, one axis taken out of a group, moved to or
exchanged with another instruction axis, another axis in its place; for a mapping written by hand the fuse mapping with
the same lanes, or its guard completed; for other element types an instruction of the same machine; for an ordered sum the
kernel without `ordered`. Ranges of values are found elsewhere (ranges.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.words import words
from isamap_smt.mapping.axes import Groups
from isamap_smt.mapping.fuse import Binding, bind, bindings, fuse_groups, is_fused, outer_names
from isamap_smt.proof import witness
from isamap_smt.proof.rejection import Rejection
from isamap_smt.proof.witness_points import Instance, size_vectors

SECONDS = 0.4  # of this process, not of the clock: a busy machine suggests the same. After this no further candidate is looked at
MOST = 60  # candidates looked at on small integers
PROOFS = 4  # candidates that the prover is asked about
GIVEN_UP = ("hypotheses", "order")  # claims about the kernel itself: no other mapping mends them


@dataclass(frozen=True)
class Mend:
    """A proved mapping near the refuted one. text: what to write, as the command line takes it."""

    text: str
    proved: ProvedMapping


def mend(rejection: Rejection) -> Mend | None:
    """The first candidate that is proved; None when none is, or when the rejection has no counterexample."""
    refuted = [c for c in rejection.proof.claims if isinstance(c.verdict, Refuted)]
    lanes = is_fused(rejection.mapping)  # then its bounds are the kernel's own, too
    if not refuted or any(c.claim in GIVEN_UP or (c.claim == "bounds" and lanes) for c in refuted):
        return None
    values = any(c.claim == "scalar" and c.subject != "operands" for c in refuted)
    started, proofs = time.process_time(), 0
    for n, (text, made) in enumerate(candidates(rejection.mapping, values)):
        if n >= MOST or proofs >= PROOFS or time.process_time() - started > SECONDS:
            return None
        if not _survives(made):
            continue
        proofs += 1
        found = _proved(made)
        if found is not None:
            return Mend(text, found)
    return None


def _proved(m: Mapping) -> ProvedMapping | None:
    from isamap_smt.proof.mapping import prove_after  # it makes rejections

    result = prove_after(m, 0)
    return result if isinstance(result, ProvedMapping) else None


def _survives(m: Mapping) -> bool:
    """No two points clash where every size is 2: a quick look before the prover is asked."""
    fused = bool(m.groups)
    out = m.instruction.kernel.statements[0].target.tensor
    for sizes in size_vectors(m)[:1]:
        instance = Instance(m, sizes, fused)
        if any(not len(v) for v in instance.domain.values()) or not fused:
            continue
        if any(witness.agreement(instance, o) for o, _ in m.binding) or witness.exclusive(instance, out):
            return False
    return True


def candidates(m: Mapping, values: bool = False) -> Iterator[tuple[str, Mapping]]:
    """(what to write, the mapping), nearest first. values: the arithmetic is refuted, so that places do not matter."""
    makers: list[Callable[[Mapping], Iterator[tuple[str, Mapping]]]] = [_other_order]
    if m.statement.ordered:
        makers.append(_unordered)
    makers += [_other_types] if values or not _types_fit(m) else [_by_hand, _dropped, _moved, _exchanged, _replaced]
    for maker in makers:
        try:
            yield from maker(m)
        except IsamapError:
            continue


def _types_fit(m: Mapping) -> bool:
    return all(m.instruction.kernel.tensor(o).dtype == m.kernel.tensor(a.tensor).dtype for o, a in m.binding)


def _other_order(m: Mapping) -> Iterator[tuple[str, Mapping]]:
    """Operands fed in another order."""
    for b in bindings(m.kernel, m.instruction, "any", m.statement_index):
        if dict(b) != dict(m.binding):
            yield f"--operands {_operands(m, b)}", replace(m, binding=b)


def _operands(m: Mapping, b: Binding) -> str:
    out = m.instruction.kernel.statements[0].target.tensor
    return ",".join(f"{o}={a.tensor}" for o, a in b if o != out)


def _unordered(m: Mapping) -> Iterator[tuple[str, Mapping]]:
    """The sum may be added in any order."""
    statements = list(m.kernel.statements)
    statements[m.statement_index] = replace(m.statement, ordered=False)
    yield "the kernel without `ordered`", replace(m, kernel=replace(m.kernel, statements=tuple(statements)))


def _other_types(m: Mapping) -> Iterator[tuple[str, Mapping]]:
    """Another instruction of the same machine, with the same axes and the kernel's element types."""
    from isamap_smt.language.hardware_library import find_hardware

    machine = m.instruction.name.rpartition(".")[0]
    for other in find_hardware(machine).computes if machine else ():
        if other.name == m.instruction.name or list(other.axes) != list(m.instruction.axes):
            continue
        try:
            binding = bind(m.kernel, other, "any", m.statement_index)
            made = fuse_groups(m.kernel, other, m.groups, binding, m.statement_index)
        except IsamapError:
            continue
        if _types_fit(made):
            yield other.name, made


def _fused(m: Mapping, groups: dict[str, list[str]]) -> tuple[str, Mapping]:
    order = [a.name for a in m.statement.axes]
    sorted_groups: Groups = tuple((t, tuple(sorted(groups[t], key=order.index))) for t in m.instruction.axes)
    text = ",".join(f"{t}={'.'.join(g) or '-'}" for t, g in sorted_groups)
    partial = " --partial" if any(not g for _, g in sorted_groups) else ""
    made = fuse_groups(m.kernel, m.instruction, sorted_groups, m.binding, m.statement_index)
    return f"--axes {text}{partial}", made


def _groups(m: Mapping) -> dict[str, list[str]]:
    return {t: list(g) for t, g in m.groups}


def _dropped(m: Mapping) -> Iterator[tuple[str, Mapping]]:
    """One axis out of its group, innermost first."""
    for t, g in m.groups:
        for a in reversed(g) if len(g) > 1 else ():
            groups = _groups(m)
            groups[t].remove(a)
            yield _fused(m, groups)


def _moved(m: Mapping) -> Iterator[tuple[str, Mapping]]:
    """One axis into the group of another instruction axis."""
    for t, g in m.groups:
        for a in g:
            for u in m.instruction.axes:
                if u != t and len(g) > 1:
                    groups = _groups(m)
                    groups[t].remove(a)
                    groups[u].append(a)
                    yield _fused(m, groups)


def _exchanged(m: Mapping) -> Iterator[tuple[str, Mapping]]:
    """Two groups exchanged, or all turned."""
    names = list(m.instruction.axes)
    table = _groups(m)
    for k, t in enumerate(names):
        for u in names[k + 1 :]:
            yield _fused(m, {**table, t: table[u], u: table[t]})
    for turn in range(1, len(names)):
        yield _fused(m, {t: table[names[(k + turn) % len(names)]] for k, t in enumerate(names)})


def _replaced(m: Mapping) -> Iterator[tuple[str, Mapping]]:
    """Another kernel axis in the place of one, innermost first; then none in its place."""
    taken = {a for _, g in m.groups for a in g}
    free = [a.name for a in reversed(m.statement.axes) if a.name not in taken]
    for t, g in m.groups:
        for a in reversed(g):
            for other in free:
                groups = _groups(m)
                groups[t][groups[t].index(a)] = other
                yield _fused(m, groups)
    for t, g in m.groups:
        for a in g if len(g) == 1 else ():
            groups = _groups(m)
            groups[t].remove(a)
            yield _fused(m, groups)


def _by_hand(m: Mapping) -> Iterator[tuple[str, Mapping]]:
    """For a mapping of no groups: the guard that keeps every axis in its extent, then the fuse mapping it resembles."""
    if m.groups and is_fused(m):
        return
    table = dict(m.forward)
    bounds = [sp.Lt(table[a.name], a.extent, evaluate=False) for a in m.statement.axes if _may_leave(m, a.name)]
    missing = [g for g in bounds if g not in m.guard]
    if missing:
        yield f"with the guard {' and '.join(map(words, missing))}", replace(m, groups=(), guard=(*m.guard, *missing))
    groups = _resembling(m)
    if groups is not None:
        text, made = _fused(m, groups)
        yield f"fuse(..., {text.removeprefix('--axes ').removesuffix(' --partial')!r})", made


def _may_leave(m: Mapping, axis: str) -> bool:
    """Whether an axis is computed from more than its own loop."""
    e: Any = dict(m.forward)[axis]
    return not e.is_Symbol


def _resembling(m: Mapping) -> dict[str, list[str]] | None:
    """Instruction axis -> the kernel axes whose expression mentions it."""
    groups: dict[str, list[str]] = {t: [] for t in m.instruction.axes}
    _, outs = outer_names(m.kernel, m.instruction, m.statement)
    for a, e in m.forward:
        used = [t for t in m.instruction.axes if t in symbols_of([e])]
        if len(used) > 1 or a not in outs:
            return None
        for t in used:
            groups[t].append(a)
    return groups


__all__ = ["Mend", "candidates", "mend"]
