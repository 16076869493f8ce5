"""Statements below `for t:`, further in than it, are a block: they are carried out together, turn by turn.

    for t:
      R[t,b,j] += H[t,b,k] * U[k,j]
      H[t+1,b,j] = tanh(P[t,b,j] + R[t,b,j])

Everywhere else blanks at the start of a line mean nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.kernel import Recurrence, Statement
from isamap_smt.language.lines import ForLine, Line, StatementLine
from isamap_smt.language.source import Segment


@dataclass(frozen=True)
class Block:
    """A head and the statements below it. first: how many statements stand before them."""

    head: ForLine
    first: int
    statements: tuple[StatementLine, ...] = ()


def find_blocks(lines: Sequence[Line]) -> tuple[Block, ...]:
    """The blocks, top to bottom. Raises LanguageError for one without statements and for lines that do not belong there."""
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
        hint = f"one axis takes turns; give each statement its other axes as indices, or end the block of {axis} first"
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
    """The blocks as parts of the kernel of these statements. Raises LanguageError where the axis does not index a target."""
    made = []
    for block in blocks:
        axis, end = block.head.axis, block.first + len(block.statements)
        for line, s in zip(block.statements, statements[block.first : end], strict=True):
            _check(axis, line, s)
        made.append(Recurrence(axis, block.first, end))
    return tuple(made)


def _check(axis: str, line: StatementLine, statement: Statement) -> None:
    own = {a.name for a in statement.axes}
    if axis in own and axis in symbols_of(statement.target.index):
        return
    message = f"this statement of the block of {axis} has no axis {axis}"
    if axis in own:
        message = f"{axis}, the axis of the block, stands in no index of {statement.target.tensor} here"
    hint = f"index {statement.target.tensor} with {axis}, or write the statement outside the block"
    raise line.target.error(line.target.node, message, hint)
