"""A kernel is a list of statements over tensors: for every point of its iteration domain, reduce into an element.

    C[i,j] += A[i,k] * B[k,j]

The domain of a statement is the box of its axes, cut by its guard (`where`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from isamap_smt.ir.arguments import valid_sizes
from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.errors import DTypeError, RangeError, SizeError, UnknownNameError, did_you_mean
from isamap_smt.ir.expr import elements, is_constant, substitute, sym, symbols_of, words
from isamap_smt.ir.kept import hashed_once
from isamap_smt.ir.notebook import Shown
from isamap_smt.ir.scalar import bound_axes, index_values, put_into_indices, reads

# reduction operator -> how it is written
REDUCTIONS = {"+": "+=", "*": "*=", "max": "max=", "min": "min=", "=": "="}


@dataclass(frozen=True)
class Tensor:
    """A named array: element type and shape (expressions over sizes and parameters), row-major."""

    name: str
    dtype: DType
    shape: tuple[Any, ...]


@dataclass(frozen=True)
class Axis:
    """A loop index running over [0, extent)."""

    name: str
    extent: Any

    @property
    def symbol(self) -> Any:
        """The axis as an index expression."""
        return sym(self.name)


@dataclass(frozen=True)
class Parameter:
    """An integer set by the user (a stride, a padding), at least `low`.

    It is at most `high`, if given: programs are then made for this range.
    """

    name: str
    low: int = 0
    high: int | None = None

    def __str__(self) -> str:
        return f"{self.name} >= {self.low}" if self.high is None else f"{self.low} <= {self.name} <= {self.high}"


@hashed_once
@dataclass(frozen=True)
class Access:
    """One element of a tensor, at an index given by expressions over axes, sizes and parameters."""

    tensor: str
    index: tuple[Any, ...]


@hashed_once
@dataclass(frozen=True)
class Statement:
    """target <op> value, at every point of the axes' box with all relations in `guard` true.

    `ordered`: a floating-point reduction must keep the order of the axes; otherwise it is `reassociate`. `value` is a
    tree of isamap_smt.ir.scalar.
    """

    target: Access
    op: str
    value: Any
    axes: tuple[Axis, ...]
    guard: tuple[Any, ...] = ()
    ordered: bool = False
    source: str = field(default="", compare=False)  # as written; two ways of writing it are one statement
    place: str = field(default="", compare=False)  # where it was written: `norms.txt:3`, `line 3`

    @cached_property
    def inputs(self) -> tuple[Access, ...]:
        """Accesses read by the value, left to right, without duplicates; then elements read in any index.

        These are in the indices of the accesses, or of the target.
        """
        seen = dict.fromkeys(Access(r.tensor, r.index) for r in reads(self.value))
        indices = elements(i for a in (*seen, self.target) for i in a.index)
        return tuple(dict.fromkeys((*seen, *(Access(e.tensor, e.index) for e in indices))))

    def axis(self, name: str) -> Axis:
        """The axis of this name. Raises KeyError if there is none."""
        for a in self.axes:
            if a.name == name:
                return a
        raise KeyError(name)

    def extents_of(self, index: Sequence[Any]) -> tuple[Any, ...] | None:
        """The extents of the axes used as index, a different axis for each dimension; None for any other index.

        If they equal a tensor's shape, the index reaches each element once, unless a guard leaves it out.
        """
        extents = {a.name: a.extent for a in self.axes}
        plain = all(i.is_Symbol and i.name in extents for i in index) and len(set(index)) == len(index)
        return tuple(extents[i.name] for i in index) if plain else None

    @cached_property
    def reduction_axes(self) -> tuple[str, ...]:
        """Axes that do not appear in the target's index."""
        used = symbols_of(self.target.index)
        return tuple(a.name for a in self.axes if a.name not in used)


@dataclass(frozen=True)
class Recurrence:
    """Statements number first to end - 1, carried out together for each value of `axis`.

    The axis indexes each of their targets, and runs upwards. Within one of its values, a time step, the statements
    follow each other as written.
    """

    axis: str
    first: int
    end: int

    def moved(self, position: int, added: int) -> Recurrence:
        """The block, once `added` more statements stand in it or before it, in the place of statement `position`."""
        first, end = (n + added * (n > position) for n in (self.first, self.end))
        return Recurrence(self.axis, first, end)


@hashed_once
@dataclass(frozen=True)
class Kernel(Shown):
    """Tensors, parameters and statements. Outputs are the targets of statements.

    ranges: (input, low, high), both included: proofs may take them for granted, and every call checks them. Ranges of
    floating point leave out NaN and infinities.
    temporaries: outputs not seen from outside: they start at the neutral element and are not given back.
    recurrences: blocks of statements computed together, one time step after the other, in order and without overlap;
    every other statement is carried out over all its points before the next one starts.
    order: inputs in the order of a call's arguments; inputs not in it come behind, as they are read.
    """

    name: str
    tensors: tuple[Tensor, ...]
    statements: tuple[Statement, ...]
    parameters: tuple[Parameter, ...] = ()
    text: str = field(default="", compare=False)
    file: str = field(default="", compare=False)
    ranges: tuple[tuple[str, Any, Any], ...] = ()
    temporaries: tuple[str, ...] = ()
    recurrences: tuple[Recurrence, ...] = ()
    order: tuple[str, ...] = ()

    def tensor(self, name: str) -> Tensor:
        """The tensor of this name. Raises KeyError if there is none."""
        for t in self.tensors:
            if t.name == name:
                return t
        raise KeyError(name)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of written tensors, in order of first writing."""
        return tuple(dict.fromkeys(s.target.tensor for s in self.statements))

    @property
    def results(self) -> tuple[str, ...]:
        """Outputs given back to the caller: all but the temporaries."""
        return tuple(n for n in self.outputs if n not in self.temporaries)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of tensors only read: in the given order, else of first reading."""
        names = (a.tensor for s in self.statements for a in s.inputs)
        return tuple(n for n in dict.fromkeys((*self.order, *names)) if n not in self.outputs)

    def recurrence_of(self, statement: int) -> Recurrence | None:
        """The block of time steps containing the statement of this number, if any."""
        return next((r for r in self.recurrences if r.first <= statement < r.end), None)

    @property
    def main(self) -> int:
        """Position of the statement with the most work: the one over the most axes, the first of several."""
        return max(range(len(self.statements)), key=lambda n: (len(self.statements[n].axes), -n))

    @property
    def axes(self) -> tuple[Axis, ...]:
        """All axes of all statements; one name is one axis."""
        return tuple({a.name: a for s in self.statements for a in s.axes}.values())

    @cached_property
    def free_sizes(self) -> tuple[str, ...]:
        """Names of sizes and parameters without a value, sorted."""
        exprs = [e for t in self.tensors for e in t.shape] + [a.extent for a in self.axes]
        for s in self.statements:
            exprs += [*s.target.index, *s.guard, *(i for a in s.inputs for i in a.index), *index_values(s.value)]
        summed = {n for s in self.statements for n in bound_axes(s.value)}
        return tuple(sorted(symbols_of(exprs) - {a.name for a in self.axes} - summed))

    def with_sizes(self, sizes: Dict[str, int]) -> Kernel:
        """The kernel with some sizes or parameters fixed. Keys and errors as in named_sizes()."""
        return self._substitute(self.named_sizes(sizes))

    def with_extents(self, extents: Dict[str, Any]) -> Kernel:
        """The kernel with some symbols of shapes replaced by expressions over sizes."""
        return self._substitute(extents)

    def named_sizes(self, sizes: Dict[str, int] | None) -> dict[str, int]:
        """The values by the names of open sizes and parameters. Keys may also be names of axes (i for I).

        Raises SizeError for unknown names, contradictions, and values other than whole numbers from 1 (the parameter's
        `low`) to 2^31 (the parameter's `high`).
        """
        sizes = valid_sizes(sizes)
        values: dict[str, int] = {}
        sizes_of_axes = {a.name: a.extent for a in self.axes}
        lows = {p.name: p.low for p in self.parameters}
        highs = {p.name: p.high for p in self.parameters if p.high is not None}
        known = set(self.free_sizes) | set(sizes_of_axes) | set(lows)
        for key, value in sizes.items():
            if key not in known:
                by_axes = {str(e) for e in sizes_of_axes.values()}  # I is said by i
                raise SizeError(f"{self.name} has no size {key!r}; {did_you_mean(key, known - by_axes)}")
            low = lows.get(key, 1)
            if value < low:
                raise SizeError(f"size {key}={value}: must be at least {low}")
            if key in highs and value > highs[key]:
                raise SizeError(f"size {key}={value}: must be at most {highs[key]}")
            name = self._size_name(key, value, sizes_of_axes)
            if name and values.setdefault(name, value) != value:
                raise SizeError(f"size {key}={value} contradicts {name}={values[name]}")
        return values

    def _size_name(self, key: str, value: int, extents: Dict[str, Any]) -> str:
        """The symbol fixed by `key`, or '' if it is already this constant."""
        extent = extents.get(key)
        if extent is None:
            return key
        if is_constant(extent):
            if int(extent) != value:
                raise SizeError(f"size {key}={value}: axis {key} has {extent} points in {self.name}")
            return ""
        if not extent.is_Symbol:
            raise SizeError(f"size {key}={value}: axis {key} runs to {words(extent)}; set the sizes in that expression")
        return str(extent.name)

    @cached_property
    def _substituted(self) -> dict[tuple[tuple[str, Any], ...], Kernel]:
        """This kernel with symbols replaced, by their replacements: a plan asks for few sizes, many times."""
        return {}

    def _substitute(self, values: Dict[str, Any]) -> Kernel:
        known, key = self._substituted, tuple(values.items())
        if key not in known:
            known[key] = self._made(values)
        return known[key]

    def _made(self, values: Dict[str, Any]) -> Kernel:
        tensors = tuple(replace(t, shape=tuple(substitute(e, values) for e in t.shape)) for t in self.tensors)
        statements = tuple(
            replace(
                s,
                target=Access(s.target.tensor, tuple(substitute(i, values) for i in s.target.index)),
                value=put_into_indices(s.value, values),
                axes=tuple(Axis(a.name, substitute(a.extent, values)) for a in s.axes),
                guard=tuple(g for g in (substitute(g, values) for g in s.guard) if g != True),  # noqa: E712
            )
            for s in self.statements
        )
        parameters = tuple(p for p in self.parameters if p.name not in values)
        return replace(self, tensors=tensors, statements=statements, parameters=parameters)

    def with_dtypes(self, dtypes: Dict[str, DType | str]) -> Kernel:
        """The kernel with element types replaced by tensor name. Raises SizeError for unknown tensors."""
        names = [t.name for t in self.tensors]
        if not isinstance(dtypes, Dict):
            raise DTypeError(f"dtypes={dtypes!r}: pass names and element types, such as {{'A': 'u8'}}")
        for n in dtypes:
            if n not in names:
                raise SizeError(f"{self.name} has no tensor {n!r}; {did_you_mean(n, names)}")
        tensors = tuple(replace(t, dtype=dtype(dtypes.get(t.name, t.dtype))) for t in self.tensors)
        typed = replace(self, tensors=tensors, ranges=())
        return typed.with_ranges({n: (low, high) for n, low, high in self.ranges})

    def with_ranges(self, ranges: Dict[str, tuple[Any, Any]]) -> Kernel:
        """The kernel with the values of some inputs assumed in [low, high], besides earlier assumptions.

        Raises UnknownNameError for tensors other than inputs, DTypeError for a range outside of the element type,
        RangeError for an empty range.
        """
        known = {n: (low, high) for n, low, high in self.ranges}
        for n, (low, high) in ranges.items():
            if n in self.outputs:
                raise UnknownNameError(f"{n} is an output of {self.name}: only inputs have assumed values")
            if n not in self.inputs:
                raise UnknownNameError(f"{self.name} has no input {n!r}; {did_you_mean(n, self.inputs)}")
            d = self.tensor(n).dtype
            least, most = d.ends
            if not (low >= least and high <= most):
                raise DTypeError(f"{low} <= {n} <= {high} is not within {d}, which holds {least} to {most}")
            before = known.get(n, (least, most))
            known[n] = max(low, before[0]), min(high, before[1])
            if known[n][0] > known[n][1]:
                raise RangeError(f"no value of {n} is at least {known[n][0]} and at most {known[n][1]}")
        return replace(self, ranges=tuple((n, *known[n]) for n in sorted(known)))

    def __str__(self) -> str:
        """The text as written, then element types and shapes as they are now, then the sizes left open."""
        text = self.text.strip()
        lines = [f"{self.name}: {text}"] if "\n" not in text else [f"{self.name}:", *_indented(text.splitlines())]
        lines += _indented(f"{t.name}: {t.dtype}[{', '.join(map(words, t.shape))}]" for t in self.tensors)
        if self.free_sizes:
            lines.append(f"  sizes left open: {', '.join(self.free_sizes)}")
        lines += [f"  assumed: {low} <= {n} <= {high}" for n, low, high in self.ranges]
        return "\n".join(lines)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]
