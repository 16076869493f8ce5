"""An entry of a table in isamap's form: a statement over cells, where operands lie, and the C with operands in braces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from isamap_smt.ir.errors import IsamapError
from isamap_smt.isa.entry import Case


class Unstated(IsamapError):
    """What an entry says has no place in an instruction of isamap."""


@dataclass(frozen=True)
class Form:
    """What im.instruction() takes, as far as a table says it.

    text: the statement. c_types: operand -> C type of its register; every other operand lies in memory. active: axis -> the number
    of its points that are active; beyond: what becomes of the cells written that are not. case: the C and its cells for one value
    of each such number, from 0 on, to be compared with the statement.
    """

    text: str
    axes: dict[str, int]
    dtypes: dict[str, str]
    c_types: dict[str, str]
    emit: str
    headers: tuple[str, ...]
    case: Callable[[dict[str, int]], Case]
    active: dict[str, str] = field(default_factory=dict)
    beyond: str = "kept"
    prelude: str = ""
