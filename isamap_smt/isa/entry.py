"""An instruction of somebody else's table: what its text says, what its C is, and what was found about the two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from isamap_encodings.bit_terms import Term
from isamap_smt.ir.dtypes import DType
from isamap_smt.isa.c_types import CType
from isamap_smt.isa.c_values import Value

if TYPE_CHECKING:
    from isamap_smt.isa.form import Form


@dataclass(frozen=True)
class Operand:
    """One operand of a case: cells of one type. place: how the C gets it.

    memory, register: a pointer to all cells (a register: to its one vector). value: a vector or number. result: what is returned.
    stride: elements from one cell to the next.
    """

    name: str
    dtype: DType
    count: int
    place: str
    c_type: CType
    stride: int = 1


@dataclass(frozen=True)
class Case:
    """The instruction for one choice of its integer parameters.

    source: C that defines `function`, whose parameters are the operands and numbers of `arguments`. before, after: cells of
    each operand, and what the text says they become. strict: the text says how results are rounded. either_zero: it leaves the
    sign of a zero open. carried: what the implementation leaves, where it is no C (a carry_out.Outcome).
    """

    source: str
    function: str
    operands: tuple[Operand, ...]
    arguments: tuple[str | Value, ...]
    before: dict[str, list[Term]]
    after: dict[str, list[Term]]
    parameters: dict[str, int] = field(default_factory=dict)
    strict: bool = False
    either_zero: bool = False
    carried: Callable[[dict[str, Any]], Any] | None = None


@dataclass(frozen=True)
class Entry:
    """One instruction. cases: makes them, and raises IsamapError for what cannot be read. open_ended: a parameter without bound.

    memories: what the table calls the memories of its operands, main memory apart. form: it as an instruction of isamap, raising
    IsamapError where that has no words for it; None where nothing gives one. numbers: what its integer parameters are called.
    """

    name: str
    where: str
    contract: str
    code: str
    headers: tuple[str, ...]
    cases: Callable[[], Iterator[Case]]
    open_ended: str = ""
    memories: tuple[str, ...] = ()
    form: Callable[[], Form] | None = None
    numbers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """What was found. verdict: proved, refuted, unknown or unread. input: operand or parameter -> what it holds."""

    name: str
    verdict: str
    reason: str = ""
    input: dict[str, Any] = field(default_factory=dict)
    expected: str = ""
    got: str = ""
    seconds: float = 0.0
    where: str = ""
    contract: str = ""
    code: str = ""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "name": self.name,
            "verdict": self.verdict,
            "input": self.input,
            "expected": self.expected,
            "got": self.got,
            "reason": self.reason,
            "seconds": round(self.seconds, 4),
        }
