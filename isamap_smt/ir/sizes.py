"""Sizes follow from the shapes of the arrays; contradictions name both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import from_numpy
from isamap_smt.ir.errors import DTypeError, SizeError, UnknownNameError, did_you_mean
from isamap_smt.ir.expr import affine, evaluate, is_constant, substitute, symbols_of, words
from isamap_smt.ir.kernel import Kernel, Statement

ROOM = 1 << 48  # bytes a process can address, or fewer
TRIED = 1 << 16  # numbers, for a size left open by shapes


def infer_sizes(kernel: Kernel, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Values of the sizes and parameters determined by the shapes, by symbol name; others are left out.

    Raises UnknownNameError for a tensor the kernel does not have, SizeError for a wrong number of dimensions and for
    contradictory shapes.
    """
    equations = _equations(kernel, shapes)
    lows = {p.name: p.low for p in kernel.parameters}
    highs = {p.name: p.high for p in kernel.parameters if p.high is not None}
    known: dict[str, int] = {}
    origin: dict[str, str] = {}
    progress = True
    while progress and equations:
        progress, left = False, []
        for expr, value, where in equations:
            rest = substitute(expr, known)
            if is_constant(rest):
                if int(rest) != value:
                    raise _contradiction(expr, int(rest), value, where, known, origin)
            elif solved := _solve(rest, value):
                name, x = solved
                if x is None or x < lows.get(name, 1):
                    raise SizeError(
                        f"{where} = {value}: no {name} >= {lows.get(name, 1)} makes {words(expr)} = {value}"
                    )
                if name in highs and x > highs[name]:
                    raise SizeError(f"{where} = {value}: {name} is {x}, and {highs[name]} at most")
                known[name], origin[name], progress = x, where, True
            else:
                left.append((expr, value, where))
        equations = left
    return known


def _equations(kernel: Kernel, shapes: Mapping[str, tuple[int, ...]]) -> list[tuple[Any, int, str]]:
    names = [t.name for t in kernel.tensors]
    equations = []
    for name, shape in shapes.items():
        if name not in names:
            raise UnknownNameError(f"{kernel.name} has no tensor {name!r}; {did_you_mean(name, names)}")
        want = kernel.tensor(name).shape
        if len(shape) != len(want):
            raise SizeError(
                f"{name} has {len(shape)} dimensions {tuple(shape)}; {kernel.name} needs {len(want)}: {_show(want)}"
            )
        equations += [(e, int(n), f"{name}.shape[{d}]") for d, (e, n) in enumerate(zip(want, shape, strict=True))]
    # Equations for one plain size go first, so an error names the plainest pair.
    return sorted(equations, key=lambda q: not getattr(q[0], "is_Symbol", False))


def _show(shape: tuple[Any, ...]) -> str:
    return f"[{', '.join(map(words, shape))}]"


def _solve(expr: Any, value: int) -> tuple[str, int | None] | None:
    """(name, its value or None if not an integer) if one symbol is left, in an affine expression; else None."""
    names = symbols_of([expr])
    if len(names) != 1:
        return None
    (name,) = names
    parts = affine(expr, names)
    if parts is None or not is_constant(parts[0].get(name, 0)) or not is_constant(parts[1]):
        return None
    coefficient, rest = int(parts[0][name]), int(parts[1])
    quotient, remainder = divmod(value - rest, coefficient)
    return name, None if remainder else quotient


def _contradiction(
    expr: Any, found: int, value: int, where: str, known: Mapping[str, int], origin: Mapping[str, str]
) -> SizeError:
    because = ", ".join(f"{n} = {known[n]} from {origin[n]}" for n in sorted(symbols_of([expr])))
    if not because:
        return SizeError(f"{where} = {value}, but the kernel says {found}")
    return SizeError(
        f"{where} = {value} contradicts {because}" + ("" if expr.is_Symbol else f" ({words(expr)} = {found})")
    )


def known_sizes(
    kernel: Kernel, shapes: Mapping[str, tuple[int, ...]], sizes: Mapping[str, int] | None = None
) -> dict[str, int]:
    """The sizes given, and those determined by the shapes, by symbol name. Raises SizeError for contradictions."""
    given = {} if sizes is None else kernel.named_sizes(sizes)
    return {**given, **infer_sizes(kernel.with_sizes(given) if given else kernel, shapes)}


def fix_sizes(kernel: Kernel, shapes: Mapping[str, tuple[int, ...]], sizes: Mapping[str, int] | None = None) -> Kernel:
    """The kernel with every size a number, from `sizes` and the shapes, and no axis below 0 points.

    Raises SizeError for sizes left unknown.
    """
    fixed = kernel.with_sizes(known_sizes(kernel, shapes, sizes))
    if missing := fixed.free_sizes:
        raise SizeError(
            f"{kernel.name}: sizes missing: {', '.join(missing)}; {sizes_that_fit(fixed, shapes, {}, missing)}"
        )
    for t in fixed.tensors:
        if any(int(e) < 0 for e in t.shape):
            raise SizeError(f"{t.name} would have shape {_show(t.shape)}; no dimension has fewer than 0 elements")
    if any(int(a.extent) < 0 for a in fixed.axes):  # as J - 2 is of one column: there are no points
        fixed = replace(fixed, statements=tuple(map(_with_points, fixed.statements)))
    return fixed


def _with_points(s: Statement) -> Statement:
    return replace(s, axes=tuple(replace(a, extent=max(a.extent, sp.S.Zero)) for a in s.axes))


def sizes_that_fit(
    kernel: Kernel, shapes: Mapping[str, tuple[int, ...]], known: Mapping[str, int], missing: Sequence[str]
) -> str:
    """Advice on the missing sizes: numbers giving these shapes, if each dimension leaves at most one of them open."""
    found: dict[str, int] = {}
    for name in missing:
        low = next((p.low for p in kernel.parameters if p.name == name), 1)
        fits = tried = np.arange(low, low + TRIED)
        for tensor, shape in shapes.items():
            for extent, n in zip(kernel.tensor(tensor).shape, shape, strict=False):
                if symbols_of([extent]) - {*known, *found} == {name}:
                    fits = fits[evaluate(extent, {**known, **found, name: fits}) == n]
        if not fits.size:
            return "no sizes were found that make these shapes"
        if fits.size < tried.size:
            found[name] = int(fits[-1])
    told = ", ".join(f"{n!r}: {found.get(n, '...')}" for n in missing)
    return f"pass sizes={{{told}}}" + (", or others that make the same shapes" if found else "")


def check_room(kernel: Kernel) -> None:
    """Raises SizeError unless every tensor of known shape has room in memory."""
    for t in kernel.tensors:
        bytes_ = prod(int(e) for e in t.shape if is_constant(e)) * t.dtype.bytes
        if bytes_ > ROOM:
            raise SizeError(
                f"{t.name} has shape {_show(t.shape)}, at least {bytes_:,} bytes; memory ends at 2^48, so lower a size"
            )


def check_array(kernel: Kernel, name: str, array: Any) -> None:
    """Raises DTypeError or SizeError unless the array fits the kernel's declaration (of known sizes) of `name`."""
    t = kernel.tensor(name)
    if not isinstance(array, np.ndarray):
        raise DTypeError(f"{name} is {type(array).__name__}, not a NumPy array; pass numpy.asarray({name})")
    if array.dtype != t.dtype.numpy:
        found = from_numpy(array.dtype)
        other = f", or set dtypes={{{name!r}: '{found}'}}" if found else ""
        raise DTypeError(f"{name} is {found or array.dtype}, the kernel says {t.dtype}; convert it{other}")
    shape = tuple(int(e) for e in t.shape)
    if array.shape != shape:
        raise SizeError(f"{name} has shape {array.shape}, the kernel says {shape}")
