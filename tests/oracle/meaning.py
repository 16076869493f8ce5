"""What a kernel's text means, carried out point by point on Python integers and fractions.

`execute(text, types, sizes, inputs)` gives every result with how it may be compared: exactly, or within a tolerance where the
language leaves the order of a floating-point sum open or computes a function approximately. Nothing of isamap_smt is imported.
"""

from __future__ import annotations

import ast
import copy
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.oracle import text as language
from tests.oracle.held import Held
from tests.oracle.numbers import KINDS, Kind, Number, arithmetic, converted, larger, smaller
from tests.oracle.text import Line, Text
from tests.oracle.values import Value, Values

Place = Callable[..., int]
LIMIT = 200_000  # points of a kernel that it is still worth to carry out


class Outside(Exception):
    """An index leaves its tensor: the kernel has no meaning at these sizes."""


@dataclass
class Meaning:
    """The kernel at one choice of its sizes: axes, extents and shapes as numbers."""

    text: Text
    types: Mapping[str, str]
    sizes: Mapping[str, int]
    numbers: dict[str, int] = field(init=False)  # sizes, parameters and definitions
    axes: dict[str, int] = field(init=False)
    shapes: dict[str, tuple[int, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = dict(self.sizes)
        for _ in self.text.definitions:
            for n, e in self.text.definitions.items():
                try:
                    self.numbers[n] = int(self._number(e))
                except NameError:
                    continue  # it uses one that comes later
        self.axes = {n: self._extent(n) for n in self.axis_names()}
        self.shapes = {n: self._shape(n) for n in self.tensors}

    def _number(self, e: str | ast.expr) -> int:
        code = e if isinstance(e, str) else ast.unparse(e)
        return eval(code, {"__builtins__": {}}, dict(self.numbers))  # type: ignore[no-any-return]  # noqa: S307 - an index

    @property
    def tensors(self) -> list[str]:
        """Names, in order of first use."""
        found: dict[str, None] = {}
        for s in self.text.statements:
            for node in self._elements(s):
                found.setdefault(language.tensor(node))
        return list(found)

    @property
    def outputs(self) -> list[str]:
        """Written tensors that are results."""
        return [n for n in self.written if n not in self.text.temporaries]

    @property
    def written(self) -> list[str]:
        return list(dict.fromkeys(s.target.partition("[")[0].strip() for s in self.text.statements))

    @property
    def inputs(self) -> list[str]:
        return [n for n in self.tensors if n not in self.written]

    def kind(self, tensor: str) -> Kind:
        return KINDS[self.types.get(tensor) or self.text.types.get(tensor) or "f32"]

    @staticmethod
    def _elements(s: Line) -> list[ast.Subscript]:
        parts = [language.expression(s.target), language.expression(s.value)]
        return [e for p in parts for e in language.elements(p)] + [e for p in parts for e in language.data(p)]

    def axis_names(self) -> list[str]:
        """Names in indices that nothing declares."""
        candidates: dict[str, None] = {}
        for s in self.text.statements:
            for part in (s.target, s.value):
                for n in language.index_names(language.expression(part)):
                    candidates.setdefault(n)
            for n in s.over:
                candidates.setdefault(n)
        upper = {n.upper() for n in candidates if n != n.upper()}
        fixed = {*self.text.parameters, *self.text.definitions, *self.text.sizes}
        fixed |= {n for e in self.declared() for n in language.names_in(e)}
        return [n for n in candidates if n in self.text.extents or not (n in fixed or n in upper)]

    def declared(self) -> list[ast.expr]:
        """The expressions of definitions, extents and shapes."""
        texts = [*self.text.definitions.values(), *self.text.extents.values()]
        texts += [e for shape in self.text.shapes.values() for e in shape]
        return [language.expression(t) for t in texts]

    def _extent(self, axis: str) -> int:
        if axis in self.text.extents:
            return self._number(self.text.extents[axis])
        return self.numbers[axis.upper() if axis != axis.upper() else f"{axis}_"]

    def axes_of(self, s: Line) -> list[str]:
        """The statement's axes in their order."""
        if s.over:
            return list(s.over)
        found: dict[str, None] = {}
        for part in (s.target, s.value):
            for n in language.index_names(language.expression(part)):
                if n in self.axes:
                    found.setdefault(n)
        return list(found)

    def place(self, node: ast.expr, axes: Sequence[str], held: Mapping[str, Held] | None = None) -> Place:
        """The index as a function of the axes' values. held: of the elements that it is made of."""
        code = f"lambda {', '.join(axes)}: {ast.unparse(_Rows().visit(copy.deepcopy(node)))}"
        rows = {_ROWS + n: _Elements(h) for n, h in (held or {}).items()}
        return eval(code, {"__builtins__": {}, "min": min, "max": max, **self.numbers, **rows})  # type: ignore[no-any-return]  # noqa: S307 - an index

    def _shape(self, tensor: str) -> tuple[int, ...]:
        """As declared, else one more than the largest index used, or what a guard says."""
        if tensor in self.text.shapes:
            return tuple(self._number(e) for e in self.text.shapes[tensor])
        extents: list[tuple[int, ...]] = []
        for s in self.text.statements:
            for node in self._elements(s):
                if language.tensor(node) == tensor:
                    extents.append(tuple(self._used(i, s) for i in language.indices(node)))
        return tuple(max(e) for e in zip(*extents, strict=True))

    def _used(self, index: ast.expr, s: Line) -> int:
        inner = _sum_axes(language.expression(s.value), self)
        names = [n for n in dict.fromkeys(language.names_in(index)) if n in self.axes or n in inner]
        at = self.place(index, names)
        ranges = [range(inner[n] if n in inner else self.axes[n]) for n in names]
        largest = max(at(*p) for p in itertools.product(*ranges))
        bound = None if isinstance(index, ast.Name) else self._guarded(at, names, ranges, s)
        return largest + 1 if bound is None else bound

    def _guarded(self, at: Place, names: list[str], ranges: list[range], s: Line) -> int | None:
        """E where the guard says `index < E` of the very index."""
        found = None
        wide = [range(-2, len(r) + 3) for r in ranges]
        for left, op, right in _relations(s.guard):
            strict = isinstance(op, ast.Lt | ast.Gt)
            if not isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                continue
            small, large = (right, left) if isinstance(op, ast.Gt | ast.GtE) else (left, right)
            used = [n for n in language.names_in(small) if n in self.axes]
            if set(used) != set(names) or any(n in self.axes for n in language.names_in(large)):
                continue
            other = self.place(small, names)
            if all(at(*p) == other(*p) for p in itertools.islice(itertools.product(*wide), 400)):
                found = self._number(large) + (not strict)
        return found

    def guard(self, s: Line, axes: Sequence[str]) -> Callable[..., bool]:
        if not s.guard:
            return lambda *p: True
        return self.place(language.expression(s.guard), axes)  # type: ignore[return-value]


_ROWS = "elements_"  # tensors have names of their own


class _Rows(ast.NodeTransformer):
    """Tensors in an index by names that nothing else has."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        self.generic_visit(node)
        assert isinstance(node.value, ast.Name)
        node.value.id = _ROWS + node.value.id
        return node


@dataclass(frozen=True)
class _Elements:
    """A tensor in an index."""

    held: Held

    def __getitem__(self, at: int | tuple[int, ...]) -> int:
        flat = 0
        for i, n in zip(at if isinstance(at, tuple) else (at,), self.held.shape, strict=True):
            if not 0 <= i < n:
                raise Outside(f"{self.held.name}{at}")
            flat = flat * n + i
        return int(self.held.numbers[flat])


def _relations(guard: str) -> list[tuple[ast.expr, ast.cmpop, ast.expr]]:
    """Each single comparison of a guard."""
    if not guard:
        return []
    node = language.expression(guard)
    parts = node.values if isinstance(node, ast.BoolOp) else [node]
    found = []
    for p in parts:
        assert isinstance(p, ast.Compare)
        sides = [p.left, *p.comparators]
        found += list(zip(sides, p.ops, sides[1:], strict=False))
    return found


def _sum_axes(node: ast.AST, meaning: Meaning) -> dict[str, int]:
    """Axis -> count of each sum() in a value."""
    found: dict[str, int] = {}
    for n in ast.walk(node):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "sum":
            assert isinstance(n.args[0], ast.Name)
            name = n.args[0].id
            given = n.args[1] if len(n.args) == 3 else None
            found[name] = ast.literal_eval(given) if given is not None else meaning._extent(name)
    return found


_START: dict[str, Callable[[Kind], Number]] = {
    "=": lambda k: 0.0 if k.floating else 0,
    "+=": lambda k: 0.0 if k.floating else 0,
    "*=": lambda k: 1.0 if k.floating else 1,
    "max=": lambda k: -math.inf if k.floating else k.low,
    "min=": lambda k: math.inf if k.floating else k.high,
}


def execute(
    meaning: Meaning, inputs: Mapping[str, list[Number]], given: Mapping[str, list[Number]] | None = None
) -> dict[str, Held]:
    """Every tensor after the kernel. given: outputs that are accumulated into. Raises Outside."""
    held = {}
    given = given or {}
    for n in meaning.tensors:
        kind, shape = meaning.kind(n), meaning.shapes[n]
        if n in meaning.inputs:
            numbers = list(inputs[n])
        elif n in given and n not in meaning.text.temporaries:
            numbers = list(given[n])
        else:
            first = next(s for s in meaning.text.statements if s.target.partition("[")[0].strip() == n)
            numbers = [_START[first.op](kind)] * math.prod(shape)
        held[n] = Held(n, kind, shape, numbers)
    runs = [Run(meaning, s, held) for s in meaning.text.statements]
    if sum(r.points for r in runs) > LIMIT:
        raise OverflowError("too many points")
    for block, members in itertools.groupby(runs, key=lambda r: r.line.turns):
        together = list(members)
        if block is None:
            for r in together:
                r.go(None)
        else:
            for t in range(meaning.axes[block[0]]):
                for r in together:
                    r.go(t)
    return held


class Run:
    """One statement, ready to be carried out, as a whole or for one time step of its block."""

    def __init__(self, meaning: Meaning, line: Line, held: dict[str, Held]) -> None:
        self.meaning, self.line, self.held = meaning, line, held
        self.axes = meaning.axes_of(line)
        self.target = held[line.target.partition("[")[0].strip()]
        node = language.expression(line.target)
        assert isinstance(node, ast.Subscript)
        reads = Reads(meaning, held, self.axes)
        self.at = reads.flat(node)
        self.value: Value = Values(reads, line, self.target.kind).whole()
        self.reads = reads
        self.guard = meaning.guard(line, self.axes)

    @property
    def points(self) -> int:
        return math.prod(self.meaning.axes[n] for n in self.axes)

    def go(self, turn: int | None) -> None:
        block = self.line.turns
        ranges: list[Sequence[int]] = [
            (turn,) if turn is not None and block and n == block[0] else range(self.meaning.axes[n]) for n in self.axes
        ]
        largest, count = self._reduce(ranges)
        self._note(largest, count)

    def _reduce(self, ranges: list[Sequence[int]]) -> tuple[float, int]:
        """Carry out the points in order: (largest value reduced, points)."""
        target, kind, op, count, largest = self.target, self.target.kind, self.line.op, 0, 0.0
        for point in itertools.product(*ranges):
            if not self.guard(*point):
                continue
            at, x = self.at(*point), self.value.at(*point)
            count += 1
            if abs(x) > largest:
                largest = float(abs(x)) if abs(x) < 1 << 1000 else math.inf
            old = target.numbers[at]
            match op:
                case "=":
                    new = x
                case "max=":
                    new = larger(kind, old, x)
                case "min=":
                    new = smaller(kind, old, x)
                case _:
                    new, exact = arithmetic(kind, op[0], old, x)
                    self.value.exact = self.value.exact and exact
            target.numbers[at] = new
        return largest, count

    def _note(self, largest: float, count: int) -> None:
        """How exactly the target is known now."""
        target, line, kind = self.target, self.line, self.target.kind
        sources = [self.held[n] for n in self.reads.used]
        free_order = kind.floating and not line.ordered and (line.op in ("+=", "*=") or "sum(" in line.value)
        scale = max([1.0, largest, *(abs(x) for x in target.numbers if math.isfinite(x))], default=1.0)
        loose = max([0.0, *(s.loose for s in sources)])
        apart = 1 if language.data(language.expression(line.target)) else max(1, math.prod(target.shape))
        terms = max(1, count // apart) + 4
        if free_order and not self.value.exact:
            loose = max(loose, max(kind.epsilon, self.value.rough) * scale * terms)
            target.reordered = True
            target.vague |= line.op == "*=" or scale > 1e30 or any(not math.isfinite(x) for x in target.numbers)
        if self.value.approximate:
            loose = max(loose, max(kind.epsilon, 2 * self.value.rough, 2.0**-45) * 4 * scale)
            target.vague |= (
                self.value.approximate > 1 or self.value.discrete
            )  # errors that a function or a choice enlarges
        if loose:
            factor = (2 + 2 * largest) * terms if any(s.loose for s in sources) else 1.0
            loose = max(loose * factor, 2 * kind.epsilon * scale)
            target.vague |= self.value.discrete or not kind.floating
        target.loose = max(target.loose, loose)
        target.vague |= any(s.vague for s in sources)
        target.reordered |= any(s.reordered for s in sources)
        words = ("max", "min", "relu")
        free_zero = (
            line.op in ("max=", "min=") or any(w in line.value for w in words) or (line.op != "=" and not line.ordered)
        )
        target.signed_zeros &= not free_zero and not self.value.approximate
        target.signed_zeros &= all(s.signed_zeros for s in sources)


@dataclass
class Reads:
    """Makes functions from points to elements. used: the tensors that were asked for."""

    meaning: Meaning
    held: dict[str, Held]
    axes: list[str]
    used: set[str] = field(default_factory=set)

    def index(self, node: ast.expr, bound: Sequence[str] = ()) -> Place:
        """The value of an index expression."""
        return self.meaning.place(node, [*self.axes, *bound])

    def flat(self, node: ast.Subscript, bound: Sequence[str] = ()) -> Place:
        """Where the element lies among the tensor's numbers. Raises Outside when it is asked for one that is not there."""
        name = language.tensor(node)
        shape = self.held[name].shape
        places = [self.meaning.place(i, [*self.axes, *bound], self.held) for i in language.indices(node)]
        if len(places) != len(shape):
            raise ValueError(f"{name} has {len(shape)} dimensions")

        def at(*point: int) -> int:
            flat = 0
            for f, extent in zip(places, shape, strict=True):
                i = f(*point)
                if not 0 <= i < extent:
                    raise Outside(f"{ast.unparse(node)} at {point}: {i} of {extent}")
                flat = flat * extent + i
            return flat

        return at

    def element(self, node: ast.Subscript, bound: Sequence[str]) -> Callable[..., Number]:
        held = self.held[language.tensor(node)]
        self.used.add(held.name)
        at = self.flat(node, bound)
        return lambda *point: held.numbers[at(*point)]

    def kind(self, node: ast.Subscript) -> Kind:
        return self.held[language.tensor(node)].kind

    def count(self, node: ast.Call) -> int:
        return _sum_axes(node, self.meaning)[node.args[0].id]  # type: ignore[attr-defined]


def inputs_in_range(meaning: Meaning, name: str) -> tuple[int, int] | None:
    """The range that the text assumes of an input, if any."""
    found = None
    for a in meaning.text.assumed:
        numbers = [int(x) for x in a.replace(name, "").replace("<=", " ").split() if x.lstrip("-").isdigit()]
        if name in a.replace("<=", " ").split() and len(numbers) == 2:
            found = numbers[0], numbers[1]
    return found


__all__ = ["Held", "Meaning", "Outside", "converted", "execute"]
