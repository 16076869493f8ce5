"""Changes to make a refuted mapping legal: a short list of candidates, offered only with a proof.

Candidates come in the order of their distance: the operands' order; one axis taken out of a group, moved to or
exchanged with another instruction axis, or replaced by another axis; for a mapping written by hand the fuse mapping
with the same lanes, or its guard completed; for other element types an instruction of the same machine, or the same
mapping with the instruction's types; for an ordered sum the kernel without `ordered`; and sizes padded to multiples of
the instruction's axes. Ranges of values are found elsewhere (ranges.py).
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import IsamapError, SizeError
from isamap_smt.ir.expr import is_constant, symbols_of
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.language.hardware_library import find_instruction
from isamap_smt.language.library import find_kernel
from isamap_smt.language.printer import relation_text, to_text
from isamap_smt.language.text import kernel as kernel_of_text
from isamap_smt.mapping.axes import Groups
from isamap_smt.mapping.fuse import bind, bindings, fuse, fuse_groups, is_fused, outer_names, product
from isamap_smt.proof import witness
from isamap_smt.proof.rejection import Rejection
from isamap_smt.proof.witness_points import Instance, size_vectors

# ---- What to write for a mapping: the command that proves it, or the call that makes it. Read back before it is
# offered.


def written(m: Mapping, types: bool = False) -> str:
    """`isamap prove ...` if names on the command line give exactly this fuse mapping, else `im.fuse(...)`.

    types: name element types even if the instruction gives them anyway.
    """
    named = next((n for n in (m.instruction.file, m.instruction.name) if _names(n, m.instruction)), None)
    kernel = None if named is None else _kernel_words(m, types)
    if named is None or kernel is None:
        return _call(m)
    spec, given = kernel
    return shlex.join(["isamap", "prove", *spec, named, *_options(m), *given])


def _names(name: str, instruction: Instruction) -> bool:
    """Whether a command finds this very instruction under the name."""
    try:
        return find_instruction(name) == instruction
    except IsamapError:
        return False


def guarded(m: Mapping, conditions: list[Any]) -> str | None:
    """`mapping.with_guard(...)`; None if its text does not read back as these conditions."""
    texts = [relation_text(c) for c in conditions]
    try:
        same = m.with_guard(*texts).guard == (*m.guard, *conditions)
    except IsamapError:
        return None
    return f"mapping.with_guard({', '.join(map(repr, texts))})" if same else None


def axes_text(m: Mapping) -> str:
    """The groups, as --axes takes them."""
    return ",".join(f"{t}={'.'.join(g) or '-'}" for t, g in m.groups)


def _operands(m: Mapping) -> str | None:
    """The binding in the form of --operands; None for the written order."""
    if m.binding == bind(m.kernel, m.instruction, "fixed", m.statement_index):
        return None
    out = m.instruction.kernel.statements[0].target.tensor
    return ",".join(f"{o}={a.tensor}" for o, a in m.binding if o != out)


def _partial(m: Mapping) -> bool:
    return any(not g for _, g in m.groups)


def _options(m: Mapping) -> list[str]:
    operands = _operands(m)
    words = ["--axes", axes_text(m)] + (["--operands", operands] if operands else [])
    words += ["--statement", str(m.statement_index + 1)] if m.statement_index else []
    return words + (["--partial"] if _partial(m) else [])


def _call(m: Mapping) -> str:
    words = ["kernel", "instruction", repr(axes_text(m))]
    operands = _operands(m)
    if operands:
        words.append(repr(operands))
    if m.statement_index:
        words.append(f"statement={m.statement_index}")
    return f"im.fuse({', '.join(words)}{', partial=True' if _partial(m) else ''})"


def _kernel_words(m: Mapping, types: bool) -> tuple[list[str], list[str]] | None:
    """([the kernel's name, or --text and its text], further options) that give the same mapping; None without any."""
    for spec, given, kernel in _ways(m.kernel, types or _said(m)):
        try:
            made = fuse(
                kernel,
                m.instruction,
                axes_text(m) or {},
                _operands(m) or "fixed",
                m.statement_index,
                partial=_partial(m),
            )
        except IsamapError:
            continue
        if replace(made, kernel=replace(made.kernel, name=m.kernel.name)) == m:
            return spec, given
    return None


def _said(m: Mapping) -> bool:
    """Whether element types must be given, as the instruction's own are others."""
    return any(m.kernel.tensor(a.tensor).dtype != m.instruction.kernel.tensor(o).dtype for o, a in m.binding)


def _ways(kernel: Kernel, types_differ: bool) -> Iterator[tuple[list[str], list[str], Kernel]]:
    """(words for the kernel, options, the kernel they give), the shortest first."""
    types = {t.name: t.dtype.name for t in kernel.tensors}
    ranges = [w for n, low, high in kernel.ranges for w in ("--assume", f"{low}<={n}<={high}")]
    assumed = {n: (low, high) for n, low, high in kernel.ranges}
    names = [([n], n, None) for n in dict.fromkeys((kernel.name, kernel.file))]
    for words, name, text in [*names, (["--text", _line(kernel.text)], None, kernel.text)]:
        try:
            base = find_kernel(name, text)
            sizes = sizes_between(base, kernel)
            made = base.with_dtypes(types).with_sizes(sizes).with_ranges(assumed)
        except IsamapError:
            continue
        given = ["--sizes", ",".join(f"{n}={v}" for n, v in sizes.items())] if sizes else []
        if types_differ or any(base.tensor(n).dtype.name != t for n, t in types.items()):
            given += ["--dtypes", ",".join(f"{n}={t}" for n, t in types.items())]
        yield words, given + ranges, made
    text = to_text(kernel)
    try:
        made = find_kernel(None, text)
    except IsamapError:
        return
    yield ["--text", _line(text)], [], made


def _line(text: str) -> str:
    return text.strip().replace("\n", "\\n")


def sizes_between(base: Kernel, kernel: Kernel) -> dict[str, int]:
    """Sizes to give to the axes of the base to have those of the kernel."""
    extents = {a.name: a.extent for a in kernel.axes}
    return {
        a.name: int(extents[a.name])
        for a in base.axes
        if a.name in extents and a.extent.is_Symbol and is_constant(extents[a.name])
    }


SECONDS = 0.4  # of this process, not of the clock: a busy machine suggests the same. After this no further candidate is looked at
MOST = 60  # candidates looked at on small integers
PROOFS = 4  # candidates that the prover is asked about
GIVEN_UP = ("hypotheses", "order")  # claims about the kernel itself: no other mapping mends them


@dataclass(frozen=True)
class Mend:
    """A proved mapping near the refuted one. text: a command, or a call of the API. change: the difference in words."""

    text: str
    proved: ProvedMapping
    change: str = ""

    def __str__(self) -> str:
        return f"{self.text}  # {self.change}" if self.change else self.text


@dataclass(frozen=True)
class Candidate:
    """A mapping to try. change: the difference in words, unless its text shows it. text: the command or call for it."""

    mapping: Mapping
    change: str = ""
    text: str | None = None


def mend(rejection: Rejection) -> Mend | None:
    """The first candidate with a proof; None if there is none, or if the kernel itself is at fault."""
    failed = rejection.proof.failed()
    lanes = is_fused(rejection.mapping)  # then its bounds are the kernel's own, too
    if any(c.claim in GIVEN_UP or (c.claim == "bounds" and lanes) for c in failed):
        return None
    values = any(c.claim == "scalar" and c.subject not in ("operands", "order") for c in failed)
    started, proofs = time.process_time(), 0
    for n, made in enumerate(candidates(rejection.mapping, values)):
        if n >= MOST or proofs >= PROOFS or time.process_time() - started > SECONDS:
            return None
        if not _survives(made.mapping):
            continue
        proofs += 1
        found = _proved(made.mapping)
        if found is not None:
            return Mend(made.text or written(made.mapping), found, made.change)
    return None


def _proved(m: Mapping) -> ProvedMapping | None:
    from isamap_smt.proof.mapping import prove_after  # it makes rejections

    result = prove_after(m, 0)
    return result if isinstance(result, ProvedMapping) else None


def _survives(m: Mapping) -> bool:
    """No two points clash at all sizes 2: a quick look ahead of the prover."""
    fused = bool(m.groups)
    out = m.instruction.kernel.statements[0].target.tensor
    for sizes in size_vectors(m)[:1]:
        instance = Instance(m, sizes, fused)
        if any(not len(v) for v in instance.domain.values()) or not fused:
            continue
        if any(witness.agreement(instance, o) for o, _ in m.binding) or witness.exclusive(instance, out):
            return False
    return True


def candidates(m: Mapping, values: bool = False) -> Iterator[Candidate]:
    """Candidates, nearest first. values: the arithmetic is refuted, so places do not matter."""
    makers: list[Callable[[Mapping], Iterator[Candidate]]] = [_other_order]
    if m.statement.ordered:
        makers += [_padded, _unordered]
    if values or not _types_fit(m):
        makers += [_other_instruction, _other_types]
    else:
        makers += [_by_hand, _dropped, _moved, _exchanged, _replaced, _padded]
    for maker in makers:
        try:
            yield from maker(m)
        except IsamapError:
            continue


def _types_fit(m: Mapping) -> bool:
    return all(m.instruction.kernel.tensor(o).dtype == m.kernel.tensor(a.tensor).dtype for o, a in m.binding)


def _other_order(m: Mapping) -> Iterator[Candidate]:
    """Operands fed in another order."""
    for b in bindings(m.kernel, m.instruction, "any", m.statement_index):
        if dict(b) != dict(m.binding):
            yield Candidate(replace(m, binding=b))


def _unordered(m: Mapping) -> Iterator[Candidate]:
    """The sum may be added in any order."""
    statements = list(m.kernel.statements)
    statements[m.statement_index] = replace(m.statement, ordered=False)
    yield Candidate(replace(m, kernel=replace(m.kernel, statements=tuple(statements))), "the kernel without `ordered`")


def _other_instruction(m: Mapping) -> Iterator[Candidate]:
    """Another instruction of the same machine, with the same axes and the kernel's element types."""
    from isamap_smt.language.hardware_library import find_hardware

    machine = m.instruction.name.rpartition(".")[0]
    try:
        others = find_hardware(machine).computes if machine else ()
    except IsamapError:
        return
    for other in others:
        if other.name == m.instruction.name or list(other.axes) != list(m.instruction.axes):
            continue
        try:
            binding = bind(m.kernel, other, "any", m.statement_index)
            made = fuse_groups(m.kernel, other, m.groups, binding, m.statement_index)
        except IsamapError:
            continue
        if _types_fit(made):
            yield Candidate(made, "an instruction for these element types")


def _other_types(m: Mapping) -> Iterator[Candidate]:
    """The same mapping of the kernel with the instruction's element types."""
    types = {a.tensor: m.instruction.kernel.tensor(o).dtype for o, a in m.binding}
    if any(types[a.tensor] != m.instruction.kernel.tensor(o).dtype for o, a in m.binding):
        return  # one tensor feeds operands of two types
    typed = m.kernel.with_dtypes(types)
    if typed != m.kernel:
        made = replace(m, kernel=typed)
        yield Candidate(made, "with the element types of the instruction", written(made, types=True))


def _padded(m: Mapping) -> Iterator[Candidate]:
    """Every size not divided by the lanes, padded to a multiple of them."""
    groups = dict(m.groups) if m.groups else _resembling(m)
    if groups is None or not any(groups.values()):
        return
    base, sizes = _open(m.kernel)
    extents = {a.name: a.extent for a in m.statement.axes}
    fixed, open_ = {}, {}
    for t, g in groups.items():
        n, total = m.instruction.axes[t], product(extents[a] for a in g)
        if not g or (is_constant(total) and int(total) % n == 0):
            continue
        inner = extents[g[-1]]
        if is_constant(inner):
            fixed[g[-1]] = -(-int(inner) // n) * n
        elif inner.is_Symbol:
            open_[inner.name] = n
    if not fixed and not open_:
        return
    lines = [f"{s} = {n}*{s}_{n}" for s, n in open_.items()]
    padded = kernel_of_text("\n".join([*lines, to_text(base)]), name=base.name) if lines else base
    padded = padded.with_sizes({**sizes, **fixed}).with_ranges({n: (lo, hi) for n, lo, hi in m.kernel.ranges})
    words = [f"{a} to {n}" for a, n in fixed.items()] + [f"{s} to a multiple of {n}" for s, n in open_.items()]
    table = {t: list(g) for t, g in groups.items()}
    yield replace(_fused(replace(m, kernel=padded), table), change=f"pad {' and '.join(words)}")


def _open(kernel: Kernel) -> tuple[Kernel, dict[str, int]]:
    """(the kernel as written, with its element types; the sizes that turn it into the kernel again). Raises SizeError."""
    written_ = kernel_of_text(kernel.text, name=kernel.name, dtypes={t.name: t.dtype for t in kernel.tensors})
    sizes = sizes_between(written_, kernel)
    if replace(written_.with_sizes(sizes), ranges=kernel.ranges) != kernel:
        raise SizeError(f"{kernel.name} is not its text with some sizes fixed")
    return written_, sizes


def _fused(m: Mapping, groups: dict[str, list[str]]) -> Candidate:
    order = [a.name for a in m.statement.axes]
    sorted_groups: Groups = tuple((t, tuple(sorted(groups[t], key=order.index))) for t in m.instruction.axes)
    binding = tuple((o, _same_access(m, a)) for o, a in m.binding)
    return Candidate(fuse_groups(m.kernel, m.instruction, sorted_groups, binding, m.statement_index))


def _same_access(m: Mapping, a: Access) -> Access:
    """The mapping's own access to the tensor: sizes in its index may have changed."""
    accesses = (m.statement.target, *m.statement.inputs)
    return a if a in accesses else next(b for b in accesses if b.tensor == a.tensor)


def _groups(m: Mapping) -> dict[str, list[str]]:
    return {t: list(g) for t, g in m.groups}


def _dropped(m: Mapping) -> Iterator[Candidate]:
    """One axis out of its group, innermost first."""
    for t, g in m.groups:
        for a in reversed(g) if len(g) > 1 else ():
            groups = _groups(m)
            groups[t].remove(a)
            yield _fused(m, groups)


def _moved(m: Mapping) -> Iterator[Candidate]:
    """One axis into the group of another instruction axis."""
    for t, g in m.groups:
        for a in g:
            for u in m.instruction.axes:
                if u != t and len(g) > 1:
                    groups = _groups(m)
                    groups[t].remove(a)
                    groups[u].append(a)
                    yield _fused(m, groups)


def _exchanged(m: Mapping) -> Iterator[Candidate]:
    """Two groups exchanged, or all turned."""
    names = list(m.instruction.axes)
    table = _groups(m)
    for k, t in enumerate(names):
        for u in names[k + 1 :]:
            yield _fused(m, {**table, t: table[u], u: table[t]})
    for turn in range(1, len(names)):
        yield _fused(m, {t: table[names[(k + turn) % len(names)]] for k, t in enumerate(names)})


def _replaced(m: Mapping) -> Iterator[Candidate]:
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


def _by_hand(m: Mapping) -> Iterator[Candidate]:
    """For a mapping without groups: a guard to keep every axis in its extent, then the fuse mapping it resembles."""
    if m.groups and is_fused(m):
        return
    table = dict(m.forward)
    bounds = [sp.Lt(table[a.name], a.extent, evaluate=False) for a in m.statement.axes if _may_leave(m, a.name)]
    missing = [g for g in bounds if g not in m.guard]
    text = guarded(m, missing)
    if missing and text is not None:
        yield Candidate(replace(m, groups=(), guard=(*m.guard, *missing)), "points outside the kernel masked", text)
    groups = _resembling(m)
    if groups is not None:
        yield _fused(m, groups)


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


__all__ = ["Candidate", "Mend", "candidates", "mend"]
