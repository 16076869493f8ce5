"""What to write for a mapping: the command that proves it, or the call that makes it. Read back before it is offered."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.language.hardware_library import find_instruction
from isamap_smt.language.library import find_kernel
from isamap_smt.language.printer import relation_text, to_text
from isamap_smt.mapping.fuse import bind, fuse


def written(m: Mapping, types: bool = False) -> str:
    """`isamap prove ...` where names on the command line give exactly this fuse mapping, else `im.fuse(...)`.

    types: say element types even where the instruction gives them anyway.
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
    """`mapping.with_guard(...)`; None where its text does not read back as these conditions."""
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
    """The binding, as --operands takes it; None where it is the written order."""
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
    """([the kernel's name, or --text and its text], further options) from which the same mapping is made."""
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
    """Whether element types must be said: those that the instruction would give are others."""
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


__all__ = ["axes_text", "guarded", "sizes_between", "written"]
