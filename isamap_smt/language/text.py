"""Kernel text to Kernel: declarations first, then the axes of the statements, then shapes.

param s >= 1                      an integer the user sets
H = (P-1)*s + R                   a definition, put in for each H
I: f32[N,H,C]                     element type and shape of a tensor; either may be left out
assume 0 <= A <= 127              values of an integer input, taken for granted by proofs and checked at every call
X: f32[J,16]                      a number indexed by one axis alone is the axis' extent, too
axis e < 4                        the extent of an axis (otherwise axis i has I points)
O[n,p,k] += I[n,p*s+r,c] * W[r,c,k]  where p*s+r < H
for t:                            the statements below, further in, are computed together: all of them for t = 0, then for t = 1 ...

A kernel's sum(e, 4, x) is written out as x at e = 0, plus x at e = 1 and so on, in this order: mapping, proof, schedule
and printer need no case of its own. An instruction keeps its sums: a proof speaks of their axes.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import sympy as sp

from isamap_smt.ir.arguments import valid_sizes
from isamap_smt.ir.dtypes import DTYPES, DType, dtype
from isamap_smt.ir.errors import DTypeError, LanguageError, did_you_mean
from isamap_smt.ir.expr import Inside, affine, elements, symbols_of
from isamap_smt.ir.indirect import check_indices
from isamap_smt.ir.kernel import Access, Axis, Kernel, Recurrence, Statement, Tensor
from isamap_smt.ir.scalar import Read, SAdd, Scalar, Sum, bound_axes, index_values, put_into_indices, reads, sums
from isamap_smt.ir.typed import converted
from isamap_smt.language.conditions import conditions_written_out
from isamap_smt.language.indices import Names, guard, index
from isamap_smt.language.lines import (
    BoundLine,
    DefinitionLine,
    RangeLine,
    StatementLine,
    TensorLine,
    Tree,
    find_blocks,
    parse_line,
    recurrences,
)
from isamap_smt.language.names import Declarations, axis_names, default_size, names_in_index
from isamap_smt.language.ranges import assume_line
from isamap_smt.language.shapes import example_shape, extent_to_come, guarded_extent, index_range, largest, new_size
from isamap_smt.language.source import Segment, Source, logical_lines
from isamap_smt.language.values import Values, element, index_nodes

# ---- Powers with a constant exponent, written out as products, quotients and roots before a value is read.
#
# x ** 3 is x * x * x, from the left; x ** -2 is 1 / (x * x); x ** 0.5 is sqrt(x) and x ** -0.5 is rsqrt(x).


LARGEST_EXPONENT = 16
LONGEST_POWER = 4096  # parts of one that is written out
_ROOTS = {0.5: "sqrt", -0.5: "rsqrt"}


def powers_written_out(tree: Tree) -> Tree:
    """The same value without `**`. Raises LanguageError for an exponent that is not constant or not supported."""
    if not any(isinstance(n, ast.Pow) for n in ast.walk(tree.node)):
        return tree
    return Tree(tree.segment, _Powers(tree).visit(copy.deepcopy(tree.node)))


class _Powers(ast.NodeTransformer):
    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node  # an index has no powers

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        exponent, base = self._exponent(node), node.left
        if exponent in _ROOTS:
            return ast.copy_location(ast.Call(ast.Name(_ROOTS[exponent], ast.Load()), [base], []), node)
        count = int(abs(exponent))
        if count * sum(1 for _ in ast.walk(base)) > LONGEST_POWER:
            raise self.tree.error(
                node, "this power is too long when it is written out", "assign its base to a tensor first"
            )
        made = base
        for _ in range(count - 1):
            made = ast.copy_location(ast.BinOp(made, ast.Mult(), base), node)
        if exponent < 0:
            made = ast.copy_location(ast.BinOp(ast.copy_location(ast.Constant(1), node), ast.Div(), made), node)
        return made

    def _exponent(self, node: ast.BinOp) -> float:
        sign, written = 1, node.right
        while isinstance(written, ast.UnaryOp) and isinstance(written.op, ast.USub | ast.UAdd):
            sign, written = (-sign if isinstance(written.op, ast.USub) else sign), written.operand
        value = written.value if isinstance(written, ast.Constant) else None
        if not isinstance(value, int | float) or isinstance(value, bool):
            hint = "write pow(x, y) for x to the power of y"
            raise self.tree.error(node.right, "the exponent of ** is no constant", hint)
        found = sign * value
        if found not in _ROOTS and not (type(found) is int and 1 <= abs(found) <= LARGEST_EXPONENT):
            instead = f"pow(x, {found})" if found else "1"
            hint = f"an exponent is a whole number from 1 to {LARGEST_EXPONENT}, its negative, 0.5 or -0.5; write {instead}"
            raise self.tree.error(node.right, f"** {found} has no meaning of its own", hint)
        return float(found)


def kernel(
    text: Any,
    *,
    name: str = "kernel",
    dtypes: Mapping[str, DType | str] | None = None,
    sizes: Mapping[str, int] | None = None,
    file: str = "",
) -> Kernel:
    """The kernel described by the text (or by the statements of the Python form).

    `dtypes` sets element types by tensor name and wins over the text; tensors without one are f32. `sizes` fixes sizes
    and parameters, also of a text legal for these alone. Raises LanguageError with line, column, a caret and a fix;
    DTypeError; SizeError.

    >>> k = kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
    >>> [(t.name, str(t.dtype), t.shape) for t in k.tensors]
    [('C', 'f32', (I, J)), ('A', 'f32', (I, K)), ('B', 'f32', (K, J))]
    >>> k.statements[0].reduction_axes
    ('k',)
    """
    if not isinstance(text, str):
        from isamap_smt.language.build import as_text

        text = as_text(text)
    given = valid_sizes(sizes)
    try:
        result = parse(text, name=name, dtypes={} if dtypes is None else dtypes, file=file)
    except LanguageError:
        defined = _defined(text, given) if given else {}
        try:
            result = parse(
                "\n".join([text, *defined.values()]), name=name, dtypes={} if dtypes is None else dtypes, file=file
            )
        except LanguageError:
            defined = {}
        if not defined:
            raise  # about the text as it was written
        given = {n: v for n, v in given.items() if n not in defined}
    result = written_out(result)
    return result.with_sizes(given) if given else result


def _defined(text: str, sizes: Mapping[str, int]) -> dict[str, str]:
    """Size -> its defining line, for sizes given by axis or by name: an index such as W[2-r] needs R = 3. Empty if the
    text cannot be read."""
    try:
        lines = [parse_line(line) for line in logical_lines(Source(text, ""))]
    except LanguageError:
        return {}
    declared = {n for line in lines if isinstance(line, BoundLine) for n in line.names}
    names = {n if n == n.upper() else default_size(n): v for n, v in sizes.items() if n not in declared}
    return {n: f"{n} = {v}" for n, v in names.items()}


def _check_kinds(text: Any, name: Any, dtypes: Any, file: Any) -> None:
    for what, given in (("text", text), ("name", name), ("file", file)):
        if not isinstance(given, str):
            raise LanguageError(
                f"{what}={given!r} is {type(given).__name__}: pass text, such as 'C[i] += A[i]' and 'sum'"
            )
    if not isinstance(dtypes, Mapping) or not all(isinstance(n, str) for n in dtypes):
        raise LanguageError(f"dtypes={dtypes!r}: pass names and element types, such as {{'A': 'u8'}}")


def parse(
    text: str,
    *,
    name: str,
    dtypes: Mapping[str, DType | str],
    file: str = "",
    extents: Mapping[str, int] | None = None,
    shapes: Mapping[str, tuple[Any, ...]] | None = None,
) -> Kernel:
    """kernel() with extents of axes and shapes of tensors given from outside, as an instruction's are."""
    _check_kinds(text, name, dtypes, file)
    source = Source(text, file)
    reader = _Reader(source, Declarations(), dict(shapes or {}))
    for n, extent in (extents or {}).items():
        reader.known.extents[n] = sp.sympify(extent)
    try:
        reader.read()
        reader.check_dtypes(dtypes)
        return reader.kernel(name, text, dtypes, file)
    except RecursionError:
        raise source.error(0, "the text is nested too deeply", "write several statements") from None


@dataclass
class _Reader:
    """Collects the content of the lines; `kernel` puts it together."""

    source: Source
    known: Declarations
    shapes: dict[str, tuple[Any, ...]]
    written_dtypes: dict[str, DType] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    values: list[Tree] = field(default_factory=list)
    uses: list[tuple[Access, Statement, Tree, ast.AST]] = field(default_factory=list)
    shape_lines: dict[str, TensorLine] = field(default_factory=dict)
    temporaries: tuple[str, ...] = ()
    recurrences: tuple[Recurrence, ...] = ()
    order: tuple[str, ...] = ()
    ranges: list[Segment] = field(default_factory=list)

    def read(self) -> None:
        """Every line, declarations before statements wherever they stand."""
        lines = [parse_line(line) for line in logical_lines(self.source)]
        statements = [s for s in lines if isinstance(s, StatementLine)]
        if not statements:
            raise self.source.error(0, "there is no statement", "write one, such as `C[i,j] += A[i,k] * B[k,j]`")
        blocks = find_blocks(lines)
        bounds = [x for x in lines if isinstance(x, BoundLine)]
        self.known.declare([x for x in bounds if x.kind not in ("temporary", "input")])
        self.known.define([x for x in lines if isinstance(x, DefinitionLine)])
        for line in lines:
            if isinstance(line, TensorLine):
                self._tensor(line)
            if isinstance(line, RangeLine):
                self.ranges.append(line.segment)
        self.known.axes = axis_names(statements, self.known)
        self._read(statements)
        if whole := self._whole_axes():
            self.known.extents.update(whole)
            self._read(statements)
        self.recurrences = recurrences(blocks, self.statements)
        self._check_declared_axes(lines)
        self.temporaries = temporary_names([x for x in bounds if x.kind == "temporary"], self.statements)
        self.order = input_names([x for x in bounds if x.kind == "input"], self.statements)

    def _read(self, lines: Sequence[StatementLine]) -> None:
        """The statements, with the facts about axes so far."""
        self.statements, self.values, self.uses = [], [], []
        for line in lines:
            self._statement(line)

    def _tensor(self, line: TensorLine) -> None:
        if line.dtype is not None:
            if line.dtype.text not in DTYPES:
                hint = did_you_mean(line.dtype.text, DTYPES)
                raise line.dtype.refuse(f"unknown dtype {line.dtype.text!r}", hint)
            if line.name in self.written_dtypes:
                raise line.named.refuse(f"tensor {line.name} already has a type", "remove this line")
            self.written_dtypes[line.name] = DTYPES[line.dtype.text]
        if line.shape is not None:
            if line.name in self.shapes:
                raise line.named.refuse(f"tensor {line.name} already has a shape", "remove this line")
            assert isinstance(line.shape.node, ast.Tuple)
            names = Names(frozenset(), self.known.definitions, self.known.lows)
            shape = tuple(index(line.shape, e, names) for e in line.shape.node.elts)
            self.known.sizes.update(symbols_of(shape))
            self.shapes[line.name], self.shape_lines[line.name] = shape, line

    def _statement(self, line: StatementLine) -> None:
        names = Names(frozenset(self.known.axes), self.known.definitions, self.known.lows)
        node = element(line.target, line.target.node)

        def make_index(tree: Tree, i: ast.AST, bound: frozenset[str], data: Any = None) -> Any:
            return index(tree, i, Names(names.axes | bound, names.definitions, names.lows, data))

        constants = {n: int(e) for n, e in self.known.extents.items() if sp.sympify(e).is_Integer}
        line = replace(line, value=powers_written_out(conditions_written_out(line.value)))
        known = {*self.known.axes, *self.known.parameters, *self.known.definitions, *self.known.sizes}
        known |= {default_size(a) for a in self.known.axes if a not in self.known.extents}
        places = Values(line.target, constants, make_index, known, self.shapes)
        target = Access(_name(node), tuple(places.indices(_name(node), node, frozenset())))
        values = Values(line.value, constants, make_index, known, self.shapes)
        value = values.value(line.value.node)
        self._check_sums(line, value)
        guards = guard(line.guard, names) if line.guard else ()
        axes = self._axes_of(line, target, value, guards)
        place = self.source.place(line.segment.offsets[0])
        statement = Statement(target, line.op, value, axes, guards, line.ordered, line.segment.text, place)
        self.statements.append(statement)
        self.values.append(line.value)
        found = [(access, (v.tree, at)) for v in (places, values) for access, at in v.data]
        data = dict(reversed(found))
        if gone := [at for access, at in found if access not in statement.inputs]:
            tree, at = gone[0]
            raise tree.error(at, f"{ast.unparse(at)} cancels out of its index", "write the index without it")
        self._note_uses(line, statement, node, data)

    def _whole_axes(self) -> dict[str, Any]:
        """Extents of axes from declared shapes.

        The length of such an axis is given nowhere else. It indexes alone, without a guard, a dimension of so many
        elements. Raises LanguageError if two dimensions differ.
        """
        known = self.known
        written = {s.target.tensor for s in self.statements}
        found: dict[str, tuple[Any, str]] = {}
        settled = {n for n in known.axes if n in known.extents}
        settled |= {n for n in known.axes if default_size(n) in {*known.sizes, *known.definitions}}
        for access, *_ in self.uses:
            if access.tensor not in self.shapes and access.tensor not in written:  # a call's array says it
                settled |= {n for i in access.index for n in symbols_of([i]) & set(known.axes) if affine(i, [n])}
        for access, statement, *_ in self.uses:
            line = self.shape_lines.get(access.tensor)
            shape = self.shapes.get(access.tensor, ())
            if line is None or line.shape is None or len(shape) != len(access.index):
                continue
            for at, extent in zip(access.index, shape, strict=True):
                n = str(at)
                free = n in known.axes and n not in settled and n not in symbols_of(statement.guard)
                if not (at.is_Symbol and free and extent.is_Integer):
                    continue
                before, other = found.setdefault(n, (extent, access.tensor))
                if before != extent:
                    place = self.source.place(self.shape_lines[other].named.offsets[0])
                    raise line.named.refuse(
                        f"axis {n} runs over {extent} elements of {access.tensor}, and over {before} of {other} ({place})",
                        f"declare the shorter one as its extent, such as `axis {n} < {min(before, extent)}`",
                    )
        return {n: extent for n, (extent, _) in found.items()}

    def _check_sums(self, line: StatementLine, value: Any) -> None:
        """An axis of sum() is a name of its own: nothing else is called so, and it has one extent in a statement."""
        if (many := terms(value)) > LARGEST:
            hint = "sum over an axis of the statement: index a tensor with it and write `+=`"
            first = next(x for x in ast.walk(line.value.node) if isinstance(x, ast.Call) and _is_sum(x))
            raise line.value.error(first, f"{many} terms are too many inside a value ({LARGEST} at most)", hint)
        for n in bound_axes(value):
            counts = {int(s.args[1]) for s in sums(value) if s.args[0].name == n}
            taken = n in self.known.axes or n in self.known.parameters or n in self.known.definitions
            if taken or n in self.known.sizes or len(counts) > 1:
                said = "has two extents" if len(counts) > 1 else "already means something else"
                node = next(x for x in ast.walk(line.value.node) if isinstance(x, ast.Name) and x.id == n)
                raise line.value.error(node, f"{n}, the axis of a sum, {said}", "give the sum an axis of its own")

    def _axes_of(self, line: StatementLine, target: Access, value: Any, guards: tuple[Any, ...]) -> tuple[Axis, ...]:
        """Axes in order of appearance: those of the target first, then those summed over."""
        found: dict[str, None] = {}
        for tree, node in ((line.target, line.target.node), (line.value, line.value.node)):
            for n in names_in_index(tree, node):
                if n in self.known.axes:
                    found.setdefault(n)
        if line.over is not None:
            found = self._listed_axes(line, found)
        else:
            used = symbols_of([*target.index, *(i for r in reads(value) for i in r.index)])
            if gone := [n for n in found if n not in used]:
                hint = f"remove it, or list the axes: `over {', '.join(found)}`"
                raise line.segment.refuse(f"axis {gone[0]} cancels out", hint)
        stray = sorted((symbols_of(guards) & set(self.known.axes)) - set(found))
        if stray and line.guard:
            hint = (
                f"index a tensor with {stray[0]}, remove it from the guard, or add `over {', '.join([*found, *stray])}`"
            )
            raise line.guard.error(line.guard.node, f"axis {stray[0]} stands in no index of this statement", hint)
        if alone := sorted((symbols_of(index_values(value)) & set(self.known.axes)) - set(found)):
            node = next(x for x in ast.walk(line.value.node) if isinstance(x, ast.Name) and x.id == alone[0])
            hint = f"index a tensor with {alone[0]}, or add `over {', '.join([*found, *alone])}`"
            raise line.value.error(node, f"axis {alone[0]} stands in no index of this statement", hint)
        reduced = [a for a in found if a not in symbols_of(target.index)]
        if line.op == "=" and reduced:
            hint = f"write `+=` to sum over {reduced[0]}, or sum({reduced[0]}, ..., x) in the value"
            raise line.segment.refuse(f"`=` would write each element once for every {reduced[0]}", hint)
        return tuple(Axis(n, self.known.extent(n)) for n in found)

    def _listed_axes(self, line: StatementLine, found: Mapping[str, None]) -> dict[str, None]:
        """The axes as `over` lists them: all axes of the indices, and possibly more."""
        listed = dict.fromkeys(line.over or ())
        missing = [n for n in found if n not in listed]
        strange = [n for n in listed if n not in self.known.axes]
        if missing or strange or len(listed) != len(line.over or ()):
            what = (
                f"{missing[0]} is missing from"
                if missing
                else f"{strange[0]} is no axis in"
                if strange
                else "a name is twice in"
            )
            hint = f"write `over {', '.join(found)}`"
            raise line.over_segment.refuse(f"{what} the list of axes", hint)
        return listed

    def _note_uses(
        self, line: StatementLine, statement: Statement, target: ast.AST, data: Mapping[Access, tuple[Tree, ast.AST]]
    ) -> None:
        """data: the places of elements used in indices."""
        self.uses.append((statement.target, statement, line.target, target))
        self._note_data(statement, statement.target.index, data)
        # Trees and reads meet in the same order: both go left to right.
        nodes = [n for n in _subscripts(line.value.node) if isinstance(n.value, ast.Name)]
        for node, r in zip(nodes, reads(statement.value), strict=True):
            self.uses.append((Access(r.tensor, r.index), statement, line.value, node))
            self._note_data(statement, r.index, data)

    def _note_data(
        self, statement: Statement, indices: Sequence[Any], data: Mapping[Access, tuple[Tree, ast.AST]]
    ) -> None:
        for access in (Access(e.tensor, e.index) for e in elements(indices)):
            self.uses.append((access, statement, *data[access]))

    def _check_declared_axes(self, lines: list[Any]) -> None:
        summed = {n for s in self.statements for n in bound_axes(s.value)}
        used = {a.name for s in self.statements for a in s.axes} | summed
        for line in lines:
            if isinstance(line, BoundLine) and line.kind == "axis":
                for n in line.names:
                    if n not in used:
                        raise line.segment.refuse(f"axis {n} stands in no index", did_you_mean(n, used))
        for n in self.known.extents:
            if n not in used:
                raise self.source.error(0, f"axis {n} stands in no index", did_you_mean(n, used))
        tensors = {a.tensor for a, *_ in self.uses}
        for line in lines:
            if isinstance(line, TensorLine) and line.name not in tensors:
                raise line.named.refuse(f"tensor {line.name} is never used", did_you_mean(line.name, tensors))

    def check_dtypes(self, dtypes: Mapping[str, DType | str]) -> None:
        """Raise LanguageError if a dtype is given to a tensor unknown to the text."""
        tensors = {a.tensor for a, *_ in self.uses}
        for n in dtypes:
            if n not in tensors:
                raise LanguageError(
                    f"dtypes names tensor {n!r}, which the text does not use; {did_you_mean(n, tensors)}"
                )

    def kernel(self, name: str, text: str, dtypes: Mapping[str, DType | str], file: str) -> Kernel:
        """Tensors in order of first use."""
        tensors = []
        to_come: dict[str, Any] = {}
        for n in dict.fromkeys(a.tensor for a, *_ in self.uses):
            kind = dtype(dtypes[n]) if n in dtypes else self.written_dtypes.get(n, DTYPES["f32"])
            tensors.append(Tensor(n, kind, self._shape(n)))
            to_come |= {str(extent_to_come(n, d)): e for d, e in enumerate(tensors[-1].shape)}
        parameters = tuple(self.known.parameters.values())
        made = Kernel(name, tuple(tensors), tuple(self.statements), parameters, text, file)
        made = replace(made, temporaries=self.temporaries, recurrences=self.recurrences, order=self.order)
        if any(elements(i for a in (s.target, *s.inputs) for i in a.index) for s in self.statements):
            made = made.with_extents(to_come)
        check_indices(made)
        self._check_types(made, {*dtypes, *self.written_dtypes})
        for line in self.ranges:
            made = assume_line(made, line)
        return made

    def _check_types(self, made: Kernel, said: set[str]) -> None:
        """Raise DTypeError, with the place, if all element types of a statement were given and it has no meaning in them."""
        types = {t.name: t.dtype for t in made.tensors}
        for s, tree in zip(made.statements, self.values, strict=True):
            if {s.target.tensor, *(r.tensor for r in reads(s.value))} <= said:
                try:
                    converted(s, types)
                except DTypeError as error:
                    message, _, hint = str(error).partition("; ")
                    raise DTypeError(str(tree.error(tree.node, message, hint))) from None

    def _shape(self, tensor: str) -> tuple[Any, ...]:
        uses = [u for u in self.uses if u[0].tensor == tensor]
        given = self.shapes.get(tensor)
        rank = len(given) if given is not None else len(uses[0][0].index)
        for access, _, tree, node in uses:
            if len(access.index) != rank:
                said = "its declaration" if given is not None else "its first use"
                hint = f"{said} has {rank}"
                raise tree.error(
                    node, f"{tensor} has {len(access.index)} ind{'ex' if len(access.index) == 1 else 'ices'} here", hint
                )
        if given is not None:
            return given
        return tuple(self._extent(tensor, d, uses) for d in range(rank))

    def _extent(self, tensor: str, dimension: int, uses: list[Any]) -> Any:
        """One more than the largest index used in this dimension; if all are data, a size of its own, known at a call."""
        found = []
        for access, statement, tree, node in uses:
            expr, rank = access.index[dimension], len(access.index)
            if isinstance(expr, Inside):
                continue
            at = index_nodes(node)[dimension] if isinstance(node, ast.Subscript) else node
            found.append(self._extent_of_use(tensor, rank, expr, statement, tree, at))
        if not found:
            own = new_size(self._named())
            self.known.sizes.add(str(own))
            return own
        best = largest(list(dict.fromkeys(found)), self.known.lows)
        if best is None:
            extents = " and ".join(map(str, dict.fromkeys(found)))
            _, _, tree, node = uses[-1]
            hint = f"declare it, such as `{self._example(tensor, len(uses[0][0].index))}`"
            raise tree.error(
                node, f"dimension {dimension} of {tensor} needs {extents}: the larger one is not known", hint
            )
        return best

    def _example(self, tensor: str, rank: int) -> str:
        """A declaration of a tensor's shape: in numbers if the axes have some, as an instruction's cells have."""
        numbers = [int(e) for e in self.known.extents.values() if e.is_Integer]
        if numbers:
            return f"{tensor}: [{', '.join([str(max(numbers))] * rank)}]"
        return example_shape(tensor, rank, self._named())

    def _named(self) -> set[str]:
        """Every name in the text."""
        known = self.known
        axes = {*known.axes, *map(default_size, known.axes)}
        return {*axes, *known.parameters, *known.definitions, *known.sizes, *(a.tensor for a, *_ in self.uses)}

    def _extent_of_use(self, tensor: str, rank: int, expr: Any, statement: Statement, tree: Tree, at: ast.AST) -> Any:
        extents = {a.name: a.extent for a in statement.axes}
        extents |= {n: sp.Integer(c) for n, c in bound_axes(statement.value).items()}
        ends = index_range(expr, extents, self.known.lows)
        checked, bound = guarded_extent(expr, statement.guard, set(extents))

        def declare() -> str:
            return f"declare the shape of {tensor}, such as `{self._example(tensor, rank)}`"

        nonnegative = checked or (ends is not None and largest([ends[0], sp.S.Zero], self.known.lows) == ends[0])
        if not nonnegative and (ends is not None or bound is None):
            if ends is None:
                raise tree.error(at, f"the largest value of this index of {tensor} is not known", declare())
            hint = f"add `where 0 <= {ast.unparse(at)} < ...`, or {declare()}"
            raise tree.error(at, f"this index of {tensor} goes down to {ends[0]}", hint)
        if bound is not None and not expr.is_Symbol:
            return bound
        if ends is None:
            raise tree.error(at, f"the largest value of this index of {tensor} is not known", declare())
        return sp.expand(ends[1] + 1)


def temporary_names(lines: list[BoundLine], statements: list[Statement]) -> tuple[str, ...]:
    """Names of `temporary` lines: each is written by a statement and read by a later one, and some output remains."""
    written = list(dict.fromkeys(s.target.tensor for s in statements))
    read = {a.tensor for s in statements for a in s.inputs if a.tensor != s.target.tensor}
    found: dict[str, None] = {}
    for line in lines:
        for n in line.names:
            at = line.segment.text.index(n)
            if n not in written:
                raise line.segment.error(at, f"no statement writes {n}", did_you_mean(n, written), len(n))
            if n not in read:
                raise line.segment.error(
                    at, f"no other statement reads {n}", "remove this line: it is a result", len(n)
                )
            if n in found:
                raise line.segment.error(at, f"{n} is declared twice", "remove one", len(n))
            found[n] = None
    return tuple(found)


def input_names(lines: list[BoundLine], statements: list[Statement]) -> tuple[str, ...]:
    """Names of `input` lines: each is read and not written."""
    written = {s.target.tensor for s in statements}
    read = list(dict.fromkeys(a.tensor for s in statements for a in s.inputs if a.tensor not in written))
    found: dict[str, None] = {}
    for line in lines:
        for n in line.names:
            at = line.segment.text.index(n, len("input"))
            if n in written:
                raise line.segment.error(at, f"a statement writes {n}", "name inputs alone", len(n))
            if n not in read:
                raise line.segment.error(at, f"no statement reads {n}", did_you_mean(n, read), len(n))
            if n in found:
                raise line.segment.error(at, f"{n} is named twice", "remove one", len(n))
            found[n] = None
    return tuple(found)


def _is_sum(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "sum"


def _name(node: ast.Subscript) -> str:
    assert isinstance(node.value, ast.Name)
    return node.value.id


def _subscripts(node: ast.AST) -> list[ast.Subscript]:
    """Element reads left to right."""
    if isinstance(node, ast.Subscript):
        return [node]
    return [s for child in ast.iter_child_nodes(node) for s in _subscripts(child)]


__all__ = ["Segment", "default_size", "kernel", "parse"]


LARGEST = 64  # terms of the sums in one value: each is written into the code


def terms(value: Any) -> int:
    """How many terms the most deeply nested sums stand for: at least as many as are written out on one way down."""
    return prod(bound_axes(value).values())


def written_out(kernel: Kernel) -> Kernel:
    """The kernel without Sum in its values, of the same meaning to the last bit.

    >>> from isamap_smt.language import kernel, to_text
    >>> to_text(kernel("y[i] = sum(e, 3, x[3*i+e])")).splitlines()[-1]
    'y[i] = x[3*i] + x[3*i + 1] + x[3*i + 2]'
    """
    if not any(bound_axes(s.value) for s in kernel.statements):
        return kernel
    return replace(kernel, statements=tuple(replace(s, value=_written_out(s.value)) for s in kernel.statements))


def _written_out(x: Any) -> Any:
    if isinstance(x, Read) or not isinstance(x, Scalar):
        return x
    if not isinstance(x, Sum):
        return x.func(*map(_written_out, x.args))
    axis, count, body = x.args
    body = _written_out(body)
    made = put_into_indices(body, {axis.name: 0})
    for n in range(1, int(count)):
        made = SAdd(made, put_into_indices(body, {axis.name: n}))
    return made
