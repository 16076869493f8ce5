"""The kernel's text read anew: lines to declarations and statements, after docs/language.md and by nothing of isamap_smt.

Python's `ast` reads single expressions, and its trees are what the oracle carries out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

OPERATORS = ("max=", "min=", "+=", "*=", "=")
FUNCTIONS = {
    "max",
    "min",
    "relu",
    "exp",
    "log",
    "tanh",
    "sigmoid",
    "erf",
    "sqrt",
    "rsqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "abs",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "asinh",
    "acosh",
    "atanh",
    "pow",
    "fmod",
    "select",
    "sum",
}


@dataclass(frozen=True)
class Line:
    """A statement. turns: the axis of its block and which block of the text it is."""

    target: str
    op: str
    value: str
    over: tuple[str, ...] = ()
    guard: str = ""
    ordered: bool = False
    turns: tuple[str, int] | None = None

    def __str__(self) -> str:
        tail = f" over {', '.join(self.over)}" if self.over else ""
        tail += f" where {self.guard}" if self.guard else ""
        return f"{self.target} {self.op} {self.value}{tail}{' ordered' if self.ordered else ''}"


@dataclass(frozen=True)
class Text:
    """Everything that the lines say."""

    statements: tuple[Line, ...]
    parameters: dict[str, int] = field(default_factory=dict)
    extents: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: tuple[str, ...] = ()
    temporaries: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"param {n} >= {low}" for n, low in self.parameters.items()]
        lines += [f"size {n}" for n in self.sizes]
        lines += [f"{n} = {e}" for n, e in self.definitions.items()]
        lines += [f"axis {n} < {e}" for n, e in self.extents.items()]
        for n in dict.fromkeys([*self.types, *self.shapes]):
            shape = f"[{', '.join(self.shapes[n])}]" if n in self.shapes else ""
            lines.append(f"{n}: {self.types.get(n, '')}{shape}")
        lines += [f"temporary {n}" for n in self.temporaries]
        lines += [f"assume {a}" for a in self.assumed]
        block = None
        for s in self.statements:
            if s.turns is not None and s.turns != block:
                lines.append(f"for {s.turns[0]}:")
            block = s.turns
            lines.append("  " * (block is not None) + str(s))
        return "\n".join(lines)


def read_text(text: str) -> Text:
    """The text as declarations and statements. Raises ValueError for lines that this small reader does not know."""
    made = Text(())
    block: tuple[str, int] | None = None
    margin = blocks = 0
    for indent, line in _logical_lines(text):
        if block and indent <= margin:
            block = None
        if m := re.fullmatch(r"for\s+(\w+)\s*:", line):
            blocks += 1
            block, margin = (m[1], blocks), indent
        else:
            made = _with_line(made, line, block)
    return made


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """(blanks at the start, the line without comments and joined with what goes on)."""
    held, indent, depth = "", 0, 0
    for raw in text.splitlines():
        line = raw.partition("#")[0].rstrip()
        if not line.strip():
            continue
        if held and depth == 0 and not re.match(r"\s*(over|where|and|ordered)\b", line):
            yield indent, held
            held = ""
        if not held:
            indent = len(line) - len(line.lstrip())
        held = f"{held} {line.strip()}".strip()
        depth = sum(held.count(c) for c in "[(") - sum(held.count(c) for c in "])")
    if held:
        yield indent, held


def _with_line(made: Text, line: str, block: tuple[str, int] | None) -> Text:
    if m := re.fullmatch(r"(param|size|temporary)\s+([\w\s,]+?)\s*(?:>=\s*(-?\d+))?", line):
        names = tuple(n.strip() for n in m[2].split(","))
        match m[1]:
            case "param":
                return replace(made, parameters=made.parameters | dict.fromkeys(names, int(m[3] or 0)))
            case "size":
                return replace(made, sizes=(*made.sizes, *names))
        return replace(made, temporaries=(*made.temporaries, *names))
    if m := re.fullmatch(r"axis\s+([\w\s,]+?)\s*<\s*(.+)", line):
        return replace(made, extents=made.extents | {n.strip(): m[2] for n in m[1].split(",")})
    if m := re.fullmatch(r"assume\s+(.+)", line):
        return replace(made, assumed=(*made.assumed, m[1]))
    if m := re.fullmatch(r"(\w+)\s*:\s*(\w*)\s*(?:\[(.*)\])?", line):
        types = made.types | ({m[1]: m[2]} if m[2] else {})
        shapes = made.shapes if m[3] is None else made.shapes | {m[1]: tuple(_items(m[3]))}
        return replace(made, types=types, shapes=shapes)
    if m := re.fullmatch(r"(\w+)\s*=\s*([^=].*)", line):
        return replace(made, definitions=made.definitions | {m[1]: m[2]})
    return replace(made, statements=(*made.statements, _statement(line, block)))


def _statement(line: str, block: tuple[str, int] | None) -> Line:
    m = re.match(r"(\w+\s*\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\]]*\])*\])*\])\s*(max=|min=|\+=|\*=|=)(?!=)\s*(.*)", line)
    if not m:
        raise ValueError(f"this reader does not know {line!r}")
    value, ordered = m[3], False
    if value.endswith(" ordered"):
        value, ordered = value.removesuffix(" ordered").rstrip(), True
    value, _, guard = value.partition(" where ")
    value, _, over = value.partition(" over ")
    listed = tuple(n.strip() for n in over.split(",")) if over else ()
    return Line(m[1], m[2], value.strip(), listed, guard.strip(), ordered, block)


def _items(text: str) -> list[str]:
    return [ast.unparse(e) for e in _tuple(text)]


def _tuple(text: str) -> list[ast.expr]:
    made = ast.parse(f"({text},)" if text.strip() else "()", mode="eval").body
    assert isinstance(made, ast.Tuple)
    return made.elts


def expression(text: str) -> ast.expr:
    """The tree of a value. `r[]` is an element without indices."""
    return ast.parse(re.sub(r"\[\s*\]", "[()]", text.strip()), mode="eval").body


def indices(node: ast.Subscript) -> list[ast.expr]:
    """What stands between the brackets."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def elements(node: ast.AST) -> list[ast.Subscript]:
    """Every element in the tree, left to right."""
    if isinstance(node, ast.Subscript):
        return [node]
    return [e for child in ast.iter_child_nodes(node) for e in elements(child)]


def data(node: ast.AST) -> list[ast.Subscript]:
    """Every element in indices of the tree's elements."""
    return [e for outer in elements(node) for i in indices(outer) for e in (*elements(i), *data(i))]


def tensor(node: ast.Subscript) -> str:
    assert isinstance(node.value, ast.Name)
    return node.value.id


def names_in(node: ast.AST) -> list[str]:
    """Names of an index or a guard, in order."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Subscript):  # a tensor is none, either
        return [n for i in indices(node) for n in names_in(i)]
    parts = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)  # min and max are no names of axes
    return [n for child in parts for n in names_in(child)]


def index_names(node: ast.AST, bound: frozenset[str] = frozenset()) -> list[str]:
    """Names in the indices of a value, in order, without the axes of sums around them."""
    if isinstance(node, ast.Subscript):
        return [n for i in indices(node) for n in names_in(i) if n not in bound]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum":
        first = node.args[0]
        assert isinstance(first, ast.Name)
        return index_names(node.args[-1], bound | {first.id})
    return [n for child in ast.iter_child_nodes(node) for n in index_names(child, bound)]
