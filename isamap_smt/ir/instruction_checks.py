"""Checks of an instruction's description: nothing is rounded, cut into letters, misspelt or left for later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from isamap_smt.ir.addresses import address_of, check_steps
from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.engines import LEAST, MOST, ZERO, check_issue
from isamap_smt.ir.errors import LanguageError, did_you_mean
from isamap_smt.ir.expr import elements, written
from isamap_smt.ir.features import feature_names, is_feature
from isamap_smt.ir.indirect import by_data, writes_by_data
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.machine_parameters import is_open
from isamap_smt.ir.move_form import MAIN, check_move
from isamap_smt.ir.preconditions import Unruled, parse_precondition
from isamap_smt.ir.scalar import Read
from isamap_smt.ir.states import CODE, parse_needs

if TYPE_CHECKING:
    from isamap_smt.ir.instruction import Instruction

MOST_TEMPORARIES = 16
SLOWEST, LONGEST = 1e-6, 1e6  # issues started each cycle; cycles
PRECONDITIONS = "'aligned m 32', a relation such as 'ld(m) % 16 == 0', 'offset(m) % 4 == 0' or 'active <= 8'"


ROUNDINGS = ("exact", "fused", "unfused")
KINDS = ("compute", "load", "store", "broadcast", "zero", "configure", "move", "step")


def normal_form(i: Instruction) -> dict[str, Any]:
    """The fields of an instruction in their final form. Raises LanguageError if a field suits no instruction."""
    name, contract = instruction_name(i.name), i.kernel
    given: Any = contract
    if not isinstance(given, Kernel) or len(contract.statements) != 1:
        raise LanguageError(f"instruction {name}: kernel={contract!r}: pass a Kernel of one statement")
    if i.kind not in KINDS:
        raise LanguageError(f"instruction {name}: unknown kind {i.kind!r}; {did_you_mean(str(i.kind), KINDS)}")
    _check_data(i, contract, i.places)
    whole_axes(name, {a.name: int(a.extent) for a in contract.axes if sp.sympify(a.extent).is_Integer})
    check_cost(name, i.cost)
    if not (i.exact is None or isinstance(i.exact, Kernel)):
        raise LanguageError(f"instruction {name}: exact={i.exact!r}: pass a Kernel, or None")
    for what, text in (("emit", i.emit), ("rounding", i.rounding)):
        if not isinstance(text, str):
            raise LanguageError(f"instruction {name}: {what}={text!r} is {type(text).__name__}: pass a text")
    check_rounding(name, i.rounding)
    operands = [t.name for t in contract.tensors]
    places = _of_operands(name, "places", i.places, operands, "ymm")
    if missing := [n for n in operands if n not in dict(places)]:
        raise LanguageError(
            f"instruction {name}: operand {missing[0]} has no place; add places={{..., {missing[0]!r}: ...}}"
        )
    c_types = _of_operands(name, "c_types", i.c_types, operands, "__m512")
    named = {a.tensor for a in contract.statements[0].inputs if elements(a.index)}
    far = [o for o, place in places if place == MAIN and o not in named]
    if i.emit and i.kind == "compute" and not i.engine and far:
        raise LanguageError(
            f"instruction {name}: {far[0]} lies in {MAIN!r}, and {contract.text.strip()!r} computes; what reads or writes {MAIN!r} "
            "only copies, such as 'r[l] = m[l]'"
        )
    numbered = _check_needs(i, texts(name, "needs", i.needs, "tilecfg[48 + a] = 16"), dict(c_types))
    registers: list[str] = []
    if i.kind == "configure":
        _check_configure(i, dict(places))
    else:
        registers = operands if i.kind in ("compute", "step") else [check_move(name, i.kind, contract, dict(places))]
    if i.may_fail and i.kind != "configure":
        raise LanguageError(
            f"instruction {name}: may_fail is for what writes a state memory; no other instruction is refused by a system"
        )
    if i.grants is not None and i.kind != "configure":
        raise LanguageError(f"instruction {i.name}: grants={i.grants!r} is for what writes a state memory")
    check_issue(i)
    active = active_axes(i)
    check_steps(
        name, contract, [o for o, place in places if place == MAIN], [p for _, p in (*i.front, *active)], i.steps
    )
    whole_number(i.temporaries, f"instruction {name}: temporaries, in registers", LanguageError, 0, MOST_TEMPORARIES)
    asked = preconditions(name, contract, i.kind, i.preconditions)
    for operand in registers if i.emit and not i.engine else ():  # of an engine: a row of an addressed memory
        if operand not in (*dict(c_types), *numbered) and dict(places)[operand] != MAIN:
            raise LanguageError(
                f"instruction {name}: register operand {operand} has no C type; add c_types={{..., {operand!r}: '__m512'}}, or "
                f"needs=('{operand} < 8',) where the C names one of 8 registers by its number"
            )
    return {
        "grants": i.grants if i.grants is None or is_open(i.grants) else _granted(name, i.grants),
        "places": places,
        "requires": features(name, i.requires),
        "preconditions": asked,
        "assume": ranges(name, contract, i.assume, [o for o, place in places if place == CODE]),
        "active": active,
        "c_types": c_types,
        "headers": texts(name, "headers", i.headers, "immintrin.h"),
        "prelude": preludes(name, i.prelude),
        "needs": texts(name, "needs", i.needs, "tilecfg[48 + a] = 16"),
    }


def _check_data(i: Instruction, contract: Kernel, places: Any) -> None:
    """Raises LanguageError unless an index made of data is an element of an integer operand of 32 bits at most.

    It may select a cell only for reading, from a register or an addressed memory.
    """
    name, kind, s, text = i.name, i.kind, contract.statements[0], contract.text.strip()
    if not by_data(s):
        return
    if i.exact is not None:
        raise LanguageError(
            f"instruction {name}: an index in {text!r} is data, and exact= says more; nothing compares the two"
        )
    if writes_by_data(s):
        raise LanguageError(
            f"instruction {name}: in {text!r} data says which cell is written; a contract reads by data alone"
        )
    if kind not in ("compute", "step"):
        raise LanguageError(
            f"instruction {name}: an index in {text!r} is data, and a {kind} has none: nothing would say where the addresses lie; "
            "give the table a memory of the machine, and read it there by an instruction that computes"
        )
    far = {o for o, place in places if place == MAIN} if isinstance(places, tuple | list) else set()
    for a in s.inputs:
        found = elements(a.index)
        if found and a.tensor in far and i.engine:
            raise LanguageError(
                f"instruction {name}: {a.tensor} lies in {MAIN!r} and is read at {found[0]}: nothing would say where the addresses "
                f"lie; give {a.tensor} a memory of the machine"
            )
        if found and a.tensor in far and not (len(a.index) == 1 and written(a.index[0]) == found[0]):
            raise LanguageError(
                f"instruction {name}: {a.tensor} lies in {MAIN!r}, and an address there is the first element's and one index: "
                f"write {a.tensor}[{found[0]}]"
            )
        for e in found:
            if elements(e.index):
                raise LanguageError(f"instruction {name}: {e} lies at an index that is data; one such step is followed")
            if contract.tensor(e.tensor).dtype.bits > 32:
                kind = contract.tensor(e.tensor).dtype.name
                raise LanguageError(f"instruction {name}: {e.tensor} is an index of {kind}; 32 bits hold one")


def _check_needs(i: Instruction, given: tuple[str, ...], c_types: Mapping[str, str]) -> dict[str, int]:
    """Operand -> its number of registers to choose from. Raises LanguageError, also for contradictory needs."""
    cells, counts, held = parse_needs(i, given)
    if held and counts:
        raise LanguageError(
            f"instruction {i.name}: needs {held[0].text!r}, a number that C holds in a variable, and {counts[0][0]} is a register "
            "with a number; give its registers C types"
        )
    for operand, _ in counts:
        if operand in c_types:
            raise LanguageError(
                f"instruction {i.name}: {operand} has the C type {c_types[operand]!r}, and is a register with a number; say one of "
                "both"
            )
    for n in cells:
        other = next(m for m in cells if (m.memory, m.cell) == (n.memory, n.cell))
        if other.value != n.value:
            raise LanguageError(f"instruction {i.name}: needs {other.text!r} and {n.text!r}; a cell holds one number")
    return dict(counts)


def _check_configure(i: Instruction, places: Mapping[str, str]) -> None:
    """Raises LanguageError unless it copies constants of the code into all cells of a state in order, or clears them."""
    s = i.kernel.statements[0]
    axes = [a.symbol for a in i.kernel.axes]
    copied = isinstance(s.value, Read) and list(s.inputs[0].index) == axes and places[s.inputs[0].tensor] == CODE
    if s.op != "=" or s.guard or len(axes) != 1 or list(s.target.index) != axes or not (copied or s.value == 0):
        raise LanguageError(
            f"instruction {i.name}: what writes a state memory is 'cfg[x] = new[x]', with new in {CODE!r}, or 'cfg[x] = 0'; this "
            f"is {i.kernel.text.strip()!r}"
        )
    if i.needs:
        raise LanguageError(f"instruction {i.name}: needs={i.needs!r}: what writes a state needs none")
    if i.grants is not None:
        if (
            not copied
            or int(i.kernel.axes[0].extent) != 1
            or i.may_fail
            or any(t.dtype.name != "i64" for t in i.kernel.tensors)
        ):
            raise LanguageError(
                f"instruction {i.name}: what grants a number is 'vl[x] = asked[x]' with one x, and operands of the type i64"
            )
        return
    if i.engine and (any(t.dtype.name != "i64" for t in i.kernel.tensors) or not copied or i.may_fail):
        raise LanguageError(
            f"instruction {i.name}: cells of an engine's state hold numbers of the type i64, and 'cfg[x] = new[x]' writes them; "
            "no system refuses it"
        )
    if not i.engine and any(t.dtype.name != "u8" for t in i.kernel.tensors):
        raise LanguageError(f"instruction {i.name}: cells of a state memory are bytes; give its operands the type u8")


def instruction_name(name: Any) -> str:
    """The name: it appears in files' names, in C's comments and in the user's input. Raises LanguageError."""
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w.+-]*", name):
        raise LanguageError(f"instruction {name!r}: a name has letters, digits and . _ + -, such as 'npu.dot'")
    return name


def pairs(name: str, what: str, given: Any, example: str) -> tuple[tuple[str, str], ...]:
    """(operand, text) of a table. Raises LanguageError."""
    if not isinstance(given, Mapping):
        raise LanguageError(
            f"instruction {name}: {what}={given!r}: pass a text for each operand, such as {{'a': {example!r}}}"
        )
    return tuple(given.items())


def _of_operands(name: str, what: str, given: Any, operands: list[str], example: str) -> tuple[tuple[str, str], ...]:
    form = f"pass a text for each operand, such as {example!r}"
    if not isinstance(given, tuple | list) or any(not isinstance(p, tuple | list) or len(p) != 2 for p in given):
        raise LanguageError(f"instruction {name}: {what}={given!r}: {form}")
    for n, (operand, text) in enumerate(given):
        if operand not in operands:
            raise LanguageError(f"instruction {name}: {what} names {operand!r}; {did_you_mean(str(operand), operands)}")
        if not isinstance(text, str) or not text.strip():
            raise LanguageError(f"instruction {name}: {what} of {operand} is {text!r}: {form}")
        if operand in [o for o, _ in given[:n]]:
            raise LanguageError(f"instruction {name}: {what} names {operand} twice")
    return tuple((operand, text) for operand, text in given)


def whole_axes(name: str, axes: Any) -> dict[str, Any]:
    """The number of points of each axis, whole and at least 1, or a machine parameter. Raises LanguageError."""
    if not isinstance(axes, Mapping):
        raise LanguageError(f"instruction {name}: axes={axes!r}: pass names and numbers of points, such as {{'l': 8}}")
    return {n: extent if is_open(extent) else _points(name, n, extent) for n, extent in axes.items()}


def _points(name: str, axis: str, extent: Any) -> int:
    points = whole_number(extent, f"instruction {name}: points of axis {axis}", LanguageError, -(2**63))
    if points < 1:
        raise LanguageError(f"instruction {name}: axis {axis} has {points} points; it needs at least 1")
    return points


def _granted(name: str, most: Any) -> int:
    return whole_number(most, f"instruction {name}: grants", LanguageError, 1)


def texts(name: str, what: str, given: Any, example: str) -> tuple[str, ...]:
    """The texts of a sequence. Raises LanguageError, also for one text in place of several: its letters are not meant."""
    if isinstance(given, str):
        raise LanguageError(f"instruction {name}: {what}={given!r} is one text; write {what}=({given!r},)")
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise LanguageError(f"instruction {name}: {what}={given!r}: pass a tuple of texts, such as ({example!r},)")
    found = tuple(given)
    for text in found:
        if not isinstance(text, str) or not text.strip():
            raise LanguageError(f"instruction {name}: {what} holds {text!r}: pass texts, such as {example!r}")
    return found


def features(name: str, given: Any) -> tuple[str, ...]:
    """Names of features found on some machine, of whichever architecture. Raises LanguageError."""
    found = texts(name, "requires", given, "avx2")
    for feature in found:
        if not is_feature(feature):
            near = did_you_mean(feature.lower(), feature_names())
            hint = (
                near
                if not near.startswith("known:")
                else "write archspec's name (avx512_vnni) or LLVM's (dotprod, zve64d)"
            )
            raise LanguageError(f"instruction {name}: requires {feature!r}, which no CPU is known to have; {hint}")
    return found


def check_rounding(name: str, text: str) -> None:
    """Raises LanguageError unless the rounding is a defined one, or several words describing another."""
    if text in ROUNDINGS or len(text.split()) > 1:
        return
    near = did_you_mean(text.lower(), ROUNDINGS)
    near += "" if near.endswith("?") else "."
    raise LanguageError(
        f"instruction {name}: unknown rounding {text!r}; {near} Another rounding is "
        "described in several words, such as 'fused, flushes denormals'"
    )


def check_cost(name: str, cost: Any) -> None:
    """Raises LanguageError unless the latency is at least 0 and the rate positive."""
    for what, value, means in (
        ("latency", getattr(cost, "latency", cost), "cycles, 0 or more"),
        (
            "per_cycle",
            getattr(cost, "per_cycle", cost),
            "issues started each cycle, more than 0 (0.5: one in two cycles)",
        ),
    ):
        number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LONGEST
        if not number or (what == "per_cycle" and value < SLOWEST):
            raise LanguageError(f"instruction {name}: {what}={value!r}: pass a number of {means}, at most {LONGEST:g}")


def cost_parts(name: str, contract: Kernel, parts: Any) -> tuple[tuple[float, tuple[str, ...]], ...]:
    """(cycles, operands) of each step. Raises LanguageError for cycles that are not positive and for other operands."""
    form = "write parts=[(1.0, ('a', 'b', 'c')), (0.5, ('b',))]: the cycles of each step, and its operands"
    made = []
    for given in parts:
        if not isinstance(given, tuple | list) or len(given) != 2 or isinstance(given[1], str):
            raise LanguageError(f"instruction {name}: parts holds {given!r}: {form}")
        cycles, operands = given
        if not isinstance(cycles, int | float) or isinstance(cycles, bool) or not SLOWEST <= cycles <= LONGEST:
            raise LanguageError(f"instruction {name}: parts holds {cycles!r} cycles: {form}")
        known = [t.name for t in contract.tensors]
        if wrong := [o for o in operands if o not in known]:
            raise LanguageError(f"instruction {name}: parts: no operand {wrong[0]!r}; {did_you_mean(wrong[0], known)}")
        made.append((float(cycles), tuple(operands)))
    return tuple(made)


def ranges(name: str, contract: Kernel, assume: Any, code: Sequence[str] = ()) -> tuple[tuple[str, int, int], ...]:
    """(operand, low, high) of integer operands, within their types, and of numbers in the code. Raises LanguageError."""
    form = "write assume=[('a', 0, 127)], one (operand, low, high) for each range"
    if isinstance(assume, str) or not isinstance(assume, Iterable):
        raise LanguageError(f"instruction {name}: assume={assume!r}: {form}")
    return tuple(_range(name, contract, given, form, code) for given in assume)


def _range(name: str, contract: Kernel, given: Any, form: str, code: Sequence[str]) -> tuple[str, int, int]:
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise LanguageError(f"instruction {name}: assume holds {given!r}: {form}")
    operand, low, high = given
    operands = [t.name for t in contract.tensors]
    if operand not in operands:
        raise LanguageError(f"instruction {name}: assume names {operand!r}; {did_you_mean(str(operand), operands)}")
    d = contract.tensor(operand).dtype
    if d.is_float and operand not in code:
        raise LanguageError(f"instruction {name}: {operand} is {d}: a range of values is assumed of integers only")
    low, high = (whole_number(v, f"instruction {name}: assume {operand}", LanguageError, -(2**64)) for v in (low, high))
    if low > high:
        raise LanguageError(f"instruction {name}: assume {operand} in [{low}, {high}] holds for nothing")
    if not d.is_float and (low < d.low or high > d.high):
        raise LanguageError(
            f"instruction {name}: assume {operand} in [{low}, {high}] is not within {d}, which holds {d.low} to {d.high}"
        )
    return operand, low, high


def preconditions(name: str, contract: Kernel, kind: str, given: Any) -> tuple[str, ...]:
    """Texts in a form known to the prover, on existing operands. Raises LanguageError."""
    found = texts(name, "preconditions", given, "aligned m 32")
    # A move's preconditions speak of its memory operand: what a load reads, what a store writes.
    written = contract.statements[0].target.tensor
    operands = [t.name for t in contract.tensors]
    if kind in ("load", "broadcast"):
        operands = [n for n in operands if n != written]
    elif kind == "store":
        operands = [written]
    for text in found:
        if text.split()[0] == "state":
            raise LanguageError(
                f"instruction {name}: precondition {text!r} is gone: write needs=('vl[0] = 4',), what cells of a memory of "
                "kind='state' hold, and describe the instruction that writes it"
            )
        if text.split()[0] in ("contiguous", "rows"):
            raise LanguageError(f"instruction {name}: there is no precondition {text!r}; {_place_of(text, contract)}")
        asked = parse_precondition(text)
        if isinstance(asked, Unruled):
            raise LanguageError(f"instruction {name}: precondition {text!r} is of no known form: {PRECONDITIONS}")
        for n in asked.operands:
            if n not in operands:
                lies = "" if kind == "compute" else f" in memory, which a {kind} reads or writes,"
                known = f"operands{lies}: {', '.join(operands) or 'none'}"
                raise LanguageError(f"instruction {name}: precondition {text!r} speaks of {n!r}; {known}")
    return found


def _place_of(text: str, contract: Kernel) -> str:
    """The present notation for such a former precondition."""
    word, operand = (*text.split(), "m")[:2]
    if word == "contiguous":
        return f"leave it out: cells in {MAIN!r} lie next to each other, row by row, unless the place of {operand} says more"
    far = [t.name for t in contract.tensors if t.name == operand and len(t.shape) > 1]
    own = address_of(contract, operand) if far else None
    form = replace(own, steps=("stride", *own.steps[1:])) if own else "i*stride + k"
    return f"say in its place where its cells lie: places={{{operand!r}: '{MAIN}[{form}]'}}, in elements"


def active_axes(i: Instruction) -> tuple[tuple[str, str], ...]:
    """(axis, use parameter) of the axes with a number of active points. Raises LanguageError.

    For a core's move they are the first axes, two at most. Cells left out by a load are zero, or the least or the most
    of their type.
    """
    given = tuple((axis, parameter) for axis, parameter in i.active)
    if i.engine or not given:
        return given
    first = [a.name for a in i.kernel.axes][: min(2, len(given))]
    if [axis for axis, _ in given] != first:
        raise LanguageError(
            f"instruction {i.name}: active={dict(given)}: a core's move has numbers of active points of its first axes, two at "
            f"most: {', '.join(first)}"
        )
    if i.kind == "compute":
        raise LanguageError(
            f"instruction {i.name}: active={dict(given)}: of a core's instructions, only moves have that"
        )
    if i.kind != "store" and i.beyond not in (ZERO, LEAST, MOST):
        raise LanguageError(
            f"instruction {i.name}: a {i.kind} that brings some cells alone says what it makes the others: "
            f"add beyond={ZERO!r}, {LEAST!r} or {MOST!r}"
        )
    return given


def preludes(name: str, given: Any) -> tuple[str, ...]:
    """The texts of a prelude, given as one text or several. Raises LanguageError."""
    if isinstance(given, str):
        return (given,) if given.strip() else ()
    return texts(name, "prelude", given, "static inline int twice(int n) { return 2 * n; }")
