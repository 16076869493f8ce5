"""Each logical line is one of: param, axis, size, temporary, input, assume, for, a tensor's type, a definition, or a statement.

Statements below `for t:`, further in than it, are a block: they are carried out together in each time step. Everywhere else blanks
at the start of a line mean nothing.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from isamap_smt.ir.expr import elements, symbols_of
from isamap_smt.ir.kernel import Recurrence, Statement
from isamap_smt.language.source import Segment

# How an assignment is written -> reduction operator.
OPERATORS = {"+=": "+", "*=": "*", "max=": "max", "min=": "min", "=": "="}
_OPERATOR = re.compile(r"(?P<word>(?<=[\]\s])[A-Za-z_]\w*\s*(?==(?!=)))?(?P<sign>[-+*/%@&|^]*)=(?!=)")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(frozen=True)
class Tree:
    """A parsed piece of text: Python's syntax tree, and the way back from its columns to the source."""

    segment: Segment
    node: ast.expr

    def error(self, node: ast.AST, message: str, hint: str = "") -> Exception:
        """The error to raise about `node`."""
        start = getattr(node, "col_offset", 1) - 1
        width = getattr(node, "end_col_offset", start + 2) - 1 - start
        return self.segment.error(start, message, hint, width)


@dataclass(frozen=True)
class StatementLine:
    """target op value [over axes] [where guard] [ordered]."""

    segment: Segment
    target: Tree
    op: str
    value: Tree
    guard: Tree | None
    ordered: bool
    over: tuple[str, ...] | None
    over_segment: Segment


@dataclass(frozen=True)
class DefinitionLine:
    """name = value."""

    segment: Segment
    name: str
    value: Tree


@dataclass(frozen=True)
class TensorLine:
    """name: dtype[shape], either part optional."""

    segment: Segment
    name: str
    dtype: Segment | None
    shape: Tree | None

    @property
    def named(self) -> Segment:
        """The name's segment."""
        return self.segment.cut(0, len(self.name))


@dataclass(frozen=True)
class BoundLine:
    """`param a, b >= low`, `param low <= a, b <= most`, `size a, b`, `axis a < extent` `temporary T` or `input A, B`."""

    segment: Segment
    kind: str
    names: tuple[str, ...]
    bound: Tree | None
    most: Tree | None = None


@dataclass(frozen=True)
class RangeLine:
    """`assume 0 <= A <= 127`. segment: the comparison."""

    segment: Segment


@dataclass(frozen=True)
class ForLine:
    """`for t:`, the head of a block of statements."""

    segment: Segment
    axis: str


Line = RangeLine | StatementLine | DefinitionLine | TensorLine | BoundLine | ForLine


DEEPEST = (
    256  # operations of a statement, one inside the other; solvers and compilers go three or four calls deep for each
)


def parse_expression(segment: Segment) -> Tree:
    """The syntax tree of a piece of text. `r[]` is read as an element of a tensor without dimensions."""
    if not segment.text:
        raise segment.error(0, "an expression is missing here", "write one, or remove what leads up to it")
    text, offsets = _with_empty_subscripts(segment)
    piece = Segment(segment.source, text, offsets)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # Python's advice on `3if` is not for our users
            node = ast.parse(f"({text})", mode="eval").body
    except (RecursionError, MemoryError):
        raise segment.error(0, "this is nested too deeply", "write several statements") from None
    except (SyntaxError, ValueError) as e:
        if "too many nested" in str(e):
            raise segment.error(0, "this is nested too deeply", "write several statements") from None
        at = (getattr(e, "offset", None) or 2) - 2
        hint = "is an operator or a comma missing?"
        if re.search(r"\b(if|else|for|lambda|while)\b", text):
            hint = "there is no `if`, `for` or `lambda`: use `where` after the statement, or select(condition, a, b)"
        raise piece.error(at, "this cannot be read", hint) from None
    if _depth(node) > DEEPEST:
        said = f"more than {DEEPEST} operations stand one inside the other here; a sum counts each of its terms"
        raise segment.error(0, said, "write several statements", 1)
    return Tree(piece, node)


def _depth(node: ast.expr) -> int:
    """How many operations stand one inside the other at most."""
    depth, inside = 0, [node]
    while inside:
        depth += 1
        inside = [x for n in inside for x in ast.iter_child_nodes(n) if isinstance(x, ast.expr)]
    return depth


def _with_empty_subscripts(segment: Segment) -> tuple[str, tuple[int, ...]]:
    """Python has no `r[]`; `r[()]` is the same thing. The new characters point at the bracket."""
    chars: list[str] = []
    offsets: list[int] = []
    position = 0
    for m in re.finditer(r"\[\s*\]", segment.text):
        chars += [segment.text[position : m.start()], "[()]"]
        offsets += [*segment.offsets[position : m.start()], *[segment.offsets[m.start()]] * 4]
        position = m.end()
    return "".join(chars) + segment.text[position:], (*offsets, *segment.offsets[position:])


def parse_line(line: Segment) -> Line:
    """The parsed content of a logical line. Raises LanguageError if it says nothing legal."""
    if m := re.match(r"(param|axis|size|temporary|input)\s+(?=[A-Za-z_])", line.text):
        return _bound(line, m.group(1), m.end())
    if m := re.fullmatch(r"param\s+(-?\s*\d+)\s*<=([^<>=]*)<=(.*)", line.text):
        low, names, most = (line.cut(m.start(n), m.end(n)) for n in (1, 2, 3))
        return BoundLine(
            line, "param", _names(names, "param 1 <= s <= 8"), parse_expression(low), parse_expression(most)
        )
    if m := re.match(r"assume\s+(?=[A-Za-z_(\d]|[-+]\s*\d)", line.text):
        return RangeLine(line.cut(m.end()))
    if re.match(r"for\b", line.text):
        return _head(line)
    colon = _at_depth_zero(line, re.compile(":"))
    operator = _at_depth_zero(line, _OPERATOR)
    if colon and not (operator and operator.start() < colon.start()):
        return _tensor(line, colon.start())
    if not operator:
        raise line.refuse("this line is neither a statement nor a declaration", _SHAPES)
    left = line.cut(0, operator.start())
    if _NAME.match(left.text) and not operator["word"] and not operator["sign"]:
        return DefinitionLine(line, left.text, parse_expression(line.cut(operator.end())))
    return _statement(line, operator)


_SHAPES = "write a statement `C[i,j] += A[i,k] * B[k,j]`, a type `A: f32[I,K]`, or `param s >= 1`"


def _at_depth_zero(line: Segment, pattern: re.Pattern[str]) -> re.Match[str] | None:
    depths = line.depths()
    for m in pattern.finditer(line.text):
        compares = m.group().endswith("=") and m.end() > 1 and line.text[m.end() - 2] in "<>!="
        if depths[m.start()] == 0 and not compares:
            return m
    return None


def _statement(line: Segment, operator: re.Match[str]) -> StatementLine:
    word, sign = (operator["word"] or "").strip(), operator["sign"]
    written = f"{word}{sign}="
    if written not in OPERATORS:
        hint = "write `+=` and negate the value" if written == "-=" else f"use one of {', '.join(OPERATORS)}"
        raise line.error(operator.start(), f"there is no reduction {written!r}", hint, len(operator.group()))
    rest = line.cut(operator.end())
    rest, ordered = _ordered(rest)
    guard = None
    if m := _at_depth_zero(rest, re.compile(r"\bwhere\b")):
        guard = parse_expression(rest.cut(m.end()))
        rest, early = _ordered(rest.cut(0, m.start()))
        ordered = ordered or early
    if m := re.search(r"\bif\b", rest.text):
        raise rest.error(
            m.start(), "there is no `if`", "use `where` after the statement, or select(condition, a, b)", 2
        )
    over, over_segment = None, rest
    if m := _at_depth_zero(rest, re.compile(r"\bover\b")):
        over_segment = rest.cut(m.end())
        over = _names(over_segment, "over i, j, k")
        rest = rest.cut(0, m.start())
    target = parse_expression(line.cut(0, operator.start()))
    value = parse_expression(rest)
    return StatementLine(line, target, OPERATORS[written], value, guard, ordered, over, over_segment)


def _head(line: Segment) -> ForLine:
    """`for t:` and nothing else."""
    m = re.match(r"for\s+([A-Za-z_]\w*)\s*(?=:|\Z)", line.text)
    if not m:
        hint = "write `for t:`: t runs upwards over all its points; `axis t < 4` says how many they are"
        raise line.refuse("a block names one axis and no range", hint)
    name, after = m.group(1), line.text[m.end() :]
    if not after:
        raise line.error(m.start(1), "the head of a block ends with a colon", f"write `for {name}:`", len(name))
    if after != ":":
        rest = line.cut(m.end() + 1)
        hint = f"write it below `for {name}:`, further in"
        raise rest.refuse("a statement of a block stands on a line of its own", hint)
    return ForLine(line, name)


def _names(segment: Segment, example: str) -> tuple[str, ...]:
    """Names separated by commas."""
    names = tuple(n.strip() for n in segment.text.split(","))
    for n in names:
        if not _NAME.match(n):
            raise segment.refuse(f"{n!r} is not a name", f"write `{example}`")
    return names


def _ordered(piece: Segment) -> tuple[Segment, bool]:
    m = re.search(r"\s\bordered\Z", piece.text)
    return (piece.cut(0, m.start()), True) if m else (piece, False)


def _tensor(line: Segment, colon: int) -> TensorLine:
    name = line.cut(0, colon)
    if not _NAME.match(name.text):
        raise line.error(0, f"{name.text!r} is not a tensor's name", "write `A: f32[I,K]`", max(1, len(name.text)))
    kind = line.cut(colon + 1)
    m = re.match(r"(?P<dtype>\w*)\s*(?P<shape>\[.*\])?\Z", kind.text)
    if not m or not kind.text:
        raise kind.refuse("a type is an element type, a shape, or both", "write `A: f32[I,K]`")
    dtype = kind.cut(0, m.end("dtype")) if m["dtype"] else None
    shape = parse_expression(_brackets_as_tuple(kind.cut(m.start("shape")))) if m["shape"] else None
    return TensorLine(line, name.text, dtype, shape)


def _brackets_as_tuple(shape: Segment) -> Segment:
    """`[I,K]` as `(I,K,)`: one dimension is a tuple, too."""
    inner = shape.cut(1, len(shape.text) - 1)
    if not inner.text:
        return Segment(shape.source, "()", (shape.offsets[0], shape.offsets[-1]))
    comma = "" if inner.text.endswith(",") else ","
    return Segment(shape.source, f"({inner.text}{comma})", (shape.offsets[0], *inner.offsets, *[shape.offsets[-1]] * 2))


_BOUND_SIGN = {"param": ">=", "axis": "<", "size": ">="}


def _bound(line: Segment, kind: str, start: int) -> BoundLine:
    m = re.search(r"[<>=]+", line.text)
    names = _names(line.cut(start, m.start() if m else None), f"{kind} {_EXAMPLE[kind]}")
    if m and kind in ("temporary", "input"):
        a = "a temporary" if kind == "temporary" else "an input"
        raise line.error(m.start(), f"{a} has no bound", f"write `{kind} {names[0]}`")
    if m and m.group() != _BOUND_SIGN[kind]:
        raise line.error(
            m.start(), f"a bound of {kind} is written `{_BOUND_SIGN[kind]}`", f"write `{kind} {_EXAMPLE[kind]}`"
        )
    if not m and kind == "axis":
        raise line.refuse(f"axis {names[0]} needs its extent", f"write `axis {names[0]} < 4`")
    return BoundLine(line, kind, names, parse_expression(line.cut(m.end())) if m else None)


_EXAMPLE = {"param": "s >= 1", "axis": "e < 4", "size": "N", "temporary": "T", "input": "A, B"}


@dataclass(frozen=True)
class Block:
    """A head and the statements below it. first: how many statements stand before them."""

    head: ForLine
    first: int
    statements: tuple[StatementLine, ...] = ()


def find_blocks(lines: Sequence[Line]) -> tuple[Block, ...]:
    """The blocks, top to bottom. Raises LanguageError for one without statements and for foreign lines in one."""
    found: list[Block] = []
    block: Block | None = None  # the one that the next line may belong to
    count = 0
    for line in lines:
        if block is not None and _width(line.segment) > _width(block.head.segment):
            block = replace(block, statements=(*block.statements, _member(line, block)))
        else:
            found += _complete(block)
            block = Block(line, count) if isinstance(line, ForLine) else None
        count += isinstance(line, StatementLine)
    return (*found, *_complete(block))


def _complete(block: Block | None) -> tuple[Block, ...]:
    if block is None:
        return ()
    if not block.statements:
        head = block.head.segment
        raise head.refuse("this block has no statements", "write them below it, further in")
    return (block,)


def _member(line: Line, block: Block) -> StatementLine:
    """The line as a statement of the block."""
    segment, axis = line.segment, block.head.axis
    if isinstance(line, ForLine):
        hint = f"one axis counts the time steps; give each statement its other axes as indices, or end the block of {axis} first"
        raise segment.refuse("a block does not stand inside another", hint)
    if not isinstance(line, StatementLine):
        hint = f"write it above `for {axis}:`"
        raise segment.refuse("a declaration does not stand in a block", hint)
    if block.statements and _margin(segment) != _margin(block.statements[0].segment):
        hint = "begin each with the same blanks; what no longer belongs to the block begins where `for` does"
        raise segment.refuse(f"the statements of the block of {axis} are not in one column", hint)
    return line


def _margin(segment: Segment) -> str:
    """The blanks before the first character of the segment's line."""
    text = segment.source.text
    line = text[text.rfind("\n", 0, segment.offsets[0]) + 1 :]
    return line[: len(line) - len(line.lstrip())]


def _width(segment: Segment) -> int:
    return len(_margin(segment).expandtabs())


def recurrences(blocks: Sequence[Block], statements: Sequence[Statement]) -> tuple[Recurrence, ...]:
    """The blocks as parts of the kernel of these statements. Raises LanguageError if the axis does not index a target."""
    made = []
    for block in blocks:
        axis, end = block.head.axis, block.first + len(block.statements)
        for line, s in zip(block.statements, statements[block.first : end], strict=True):
            _check(axis, line, s)
        made.append(Recurrence(axis, block.first, end))
    return tuple(made)


def _check(axis: str, line: StatementLine, statement: Statement) -> None:
    own = {a.name for a in statement.axes}
    plain = [i for i in statement.target.index if not elements([i])]
    if axis in own and axis in symbols_of(plain):
        return
    message = f"this statement of the block of {axis} has no axis {axis}"
    if axis in own:
        message = f"{axis}, the axis of the block, stands in no index of {statement.target.tensor} here"
        message += " but in data" if axis in symbols_of(statement.target.index) else ""
    hint = f"index {statement.target.tensor} with {axis}, or write the statement outside the block"
    raise line.target.error(line.target.node, message, hint)
