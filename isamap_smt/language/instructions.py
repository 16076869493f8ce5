"""An instruction is a kernel over its operands' cells, a place for each operand, and a way to emit it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import sympy as sp

from isamap_smt.ir import instruction_checks as checks
from isamap_smt.ir.described import Described, reads_later
from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.engines import KEPT, Work, issued, placed
from isamap_smt.ir.errors import LanguageError, did_you_mean
from isamap_smt.ir.expr import WIDEST, Element, Inside, sym, symbols_of
from isamap_smt.ir.instruction import Cost, Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.move_form import MAIN, copying_kind, derived_kind
from isamap_smt.ir.scalar import index_values
from isamap_smt.ir.vector_types import vector_type
from isamap_smt.language.loading import caller
from isamap_smt.language.outline import outline
from isamap_smt.language.text import parse

_GONE = {
    "kind": "leave it out: what only copies or clears is a move, which the contract and the places say",
    "state": "describe the memory, im.Memory('tilecfg', 64, kind='state'), an instruction that writes it and one that clears it, "
    "and say needs=('tilecfg[48 + a] = 16', ...)",
    "tiles": "write needs=('a < 8', 'tilecfg[48 + a] = 16', ...): what the cells of a state memory hold",
    "masked": "write active={'l': 'active'}: axis -> the number of active points, a name for emit; a load also says beyond='zero'",
}


def instruction(
    name: str,
    text: str,
    *,
    axes: Mapping[str, Any],
    dtypes: Mapping[str, str | DType],
    places: Mapping[str, str],
    emit: str = "",
    requires: Sequence[str] = (),
    latency: float = 4.0,
    per_cycle: float = 1.0,
    parts: Sequence[tuple[float, Sequence[str]]] = (),
    exact: str | None = None,
    rounding: str = "exact",
    preconditions: Sequence[str] = (),
    assume: Sequence[tuple[str, int, int]] = (),
    c_types: Mapping[str, str] | None = None,
    headers: Sequence[str] | None = None,
    prelude: str | Sequence[str] = (),
    needs: Sequence[str] = (),
    may_fail: bool = False,
    grants: Any = None,
    engine: str = "",
    active: Mapping[str, str] | None = None,
    front: Mapping[str, str] | None = None,
    beyond: str = KEPT,
    temporaries: int = 1,
    work: Work | None = None,
    **gone: Any,
) -> Instruction:
    """The instruction with the contract `text`: one statement over cells, with the extents in `axes`, whole numbers or
    a machine parameter (im.parameter) times one.

    `places`: operand -> memory. Cells in 'memory' lie row-major without gaps, or as an address says: 'memory[i*stride + k]',
    in elements; strides are use parameters (names for `emit`). Operand shapes follow from the axes. `exact` is the real
    computation over the same operands, if it is more than the contract says. `latency` in cycles, `per_cycle` issues
    started each cycle on one core. `parts`: where `emit` is several steps, the cycles of each with the operands that its
    value depends on: executions with these in common share it. `temporaries`: registers needed by its C beside its
    operands'. `headers`: by default those of the vector types among `c_types`, else immintrin.h.

    `needs`: required contents of state memories, such as 'tilecfg[48 + a] = i' (a: the number of its register, i: the
    extent), and 'a < 8': operand a, without C type, is one of 8 registers; `emit` then names it by its number. A place
    'tilecfg[x]' makes it write the cells of a state memory, from an operand in 'code' (constants) or 0; `may_fail`: its
    `emit` is then an expression, other than 0 if the system refuses. `grants`: its cell gets a number, requested by a
    program and granted up to this one (isamap_smt.ir.states); 'vl = active' among the needs of others, whose `emit` then
    has {vl}.

    `active`: axis -> use parameter for the number of its active points (a name for `emit`). `front`, for instructions
    of engines: axis -> use parameter for the number of inactive points at its start. `beyond`: what becomes of written
    cells at inactive points ('zero' or 'kept').

    On a machine with engines: `engine` issues it; a place names the axes for rows and columns, such as 'scratchpad[r,c]';
    `work`: the cycles for which a use occupies its engine.

    Raises LanguageError for operands without dtype or place, numbers that are not whole (axes), not positive (axes,
    per_cycle) or negative (latency), ranges outside the operand's type, preconditions unknown to all rules, and for
    every error in kernel text.

    >>> fma = instruction("fma", "c[l] += a[l] * b[l]", axes={"l": 8}, dtypes=dict.fromkeys("abc", "f32"),
    ...                   places=dict.fromkeys("abc", "ymm"))
    >>> fma.axes, fma.kernel.tensor("a").shape
    ({'l': 8}, (8,))
    """
    given = {n: v for n, v in locals().items() if n not in ("name", "text", "gone")}
    _known(name, gone)
    make = partial(_instruction, name, text, **given, line=caller())
    known = _known_before(name, text, **given) if reads_later() else None
    return make() if known is None else Described(known, make)


def _known_before(name: str, text: str, **given: Any) -> dict[str, Any] | None:
    """Facts about a plain instruction before its contract is read; None for others."""
    said = (given[n] for n in ("engine", "needs", "preconditions", "assume", "front", "grants", "may_fail"))
    if any(said) or any("[" in place for place in given["places"].values()):
        return None
    found = outline(text, given["axes"])
    if found is None or not set(found.shapes) == set(given["dtypes"]) == set(given["places"]):
        return None
    places = {o: given["places"][o] for o in found.shapes}
    kind = "zero" if found.cleared and places[found.target] != MAIN else "compute"
    if found.copied is not None:
        kind = copying_kind(places[found.target], places[found.copied.source], found.copied.along)
    indices = {} if found.indices is None else {"indices": {o: tuple(map(sym, i)) for o, i in found.indices.items()}}
    return indices | {
        "name": name,
        "kind": kind,
        "places": tuple(places.items()),
        "emit": given["emit"],
        "requires": tuple(given["requires"]),
        "rounding": given["rounding"],
        "c_types": tuple((given["c_types"] or {}).items()),
        "headers": _headers(given["c_types"] or {}) if given["headers"] is None else tuple(given["headers"]),
        "prelude": checks.preludes(name, given["prelude"]),
        "active": tuple((given["active"] or {}).items()),
        "written": given["exact"] or text,
        "target": found.target,
        "combines": found.combines,
        "types": {o: dtype(given["dtypes"][o]) for o in places},
        "shapes": dict(found.shapes),
        **dict.fromkeys(("needs", "preconditions", "assume", "front"), ()),
        "may_fail": False,
        "grants": None,
        "engine": "",
    }


def _instruction(
    name: str, text: str, *, axes: Mapping[str, Any], dtypes: Mapping[str, Any], places: Mapping[str, str], exact: str | None,
    latency: float, per_cycle: float, parts: Sequence[tuple[float, Sequence[str]]],
    c_types: Mapping[str, str] | None, headers: Sequence[str] | None,
    prelude: str | Sequence[str], engine: str, active: Mapping[str, str] | None, front: Mapping[str, str] | None, **fields: Any,
) -> Instruction:  # fmt: skip
    """Its contract is read, and everything checked."""
    checks.instruction_name(name)
    axes = checks.whole_axes(name, axes)
    contract = _with_reach(_cells_alone(parse(text, name=name, dtypes=dtypes, extents=axes)), places)
    lie = placed(name, contract, places)
    memories = lie.memories
    _check(name, contract, axes, dtypes, memories)
    return Instruction(
        name=name,
        kernel=contract,
        kind=derived_kind(contract, memories, lie.state, engine),
        places=tuple((t.name, memories[t.name]) for t in contract.tensors),
        cost=Cost(latency, per_cycle, checks.cost_parts(name, contract, parts)),
        exact=None if exact is None else _exact(name, exact, contract, axes),
        c_types=checks.pairs(name, "c_types", c_types or {}, "__m512"),
        headers=_headers(c_types or {}) if headers is None else headers,  # type: ignore[arg-type]
        prelude=checks.preludes(name, prelude),
        engine=engine,
        cells=lie.cells,
        active=issued(name, active),
        front=issued(name, front, "front"),
        steps=lie.steps,
        **fields,
    )


def _cells_alone(contract: Kernel) -> Kernel:
    """The contract. Raises LanguageError if its value is computed from anything but cells and numbers."""
    for s in contract.statements:
        for e in index_values(s.value):
            raise LanguageError(
                f"{contract.name}: {e} is no value in `{s.source}`; a contract computes from cells and numbers"
            )
    return contract


def _with_reach(contract: Kernel, places: Mapping[str, str]) -> Kernel:
    """The contract; a table in main memory without a shape has as many cells as its index has values from 0 on."""
    found = {}
    for s in contract.statements:
        for a in s.inputs:
            for i in a.index if places.get(a.tensor) == MAIN else ():
                if isinstance(i, Inside) and isinstance(i.args[0], Element) and i.args[1].is_Symbol:
                    found[i.args[1].name] = sp.Integer(min(contract.tensor(i.args[0].tensor).dtype.high + 1, WIDEST))
    return contract.with_extents(found) if found else contract


def _headers(c_types: Mapping[str, str]) -> tuple[str, ...]:
    """The headers of the vector types among these."""
    known = (vector_type(str(c_type)) for c_type in dict(c_types).values())
    return tuple(dict.fromkeys(t.header for t in known if t)) or ("immintrin.h",)


def _known(name: str, gone: Mapping[str, Any]) -> None:
    """Raise LanguageError for an unknown parameter; for a former one, the error tells today's form."""
    for parameter in gone:
        hint = _GONE.get(parameter) or did_you_mean(parameter, list(inspect.signature(instruction).parameters)[:-1])
        raise LanguageError(f"instruction {name}: there is no parameter {parameter!r}; {hint}")


def _check(
    name: str,
    contract: Kernel,
    axes: Mapping[str, int],
    dtypes: Mapping[str, str | DType],
    places: Mapping[str, str],
) -> None:
    if len(contract.statements) != 1:
        raise LanguageError(f"instruction {name}: the contract has {len(contract.statements)} statements; write one")
    if contract.recurrences:
        raise LanguageError(f"instruction {name}: the contract is one statement without `for`")
    if free := [a.name for a in contract.axes if a.name not in axes]:
        raise LanguageError(f"instruction {name}: axis {free[0]} has no extent; add axes={{..., {free[0]!r}: 4}}")
    parameters = {n for extent in axes.values() for n in symbols_of([extent])}
    if loose := [n for n in contract.free_sizes if n not in parameters]:
        raise LanguageError(f"instruction {name}: {loose[0]} has no value; cells have constant sizes")
    if contract.ranges:
        n, low, high = contract.ranges[0]
        raise LanguageError(f"instruction {name}: an assumed range is written assume=[({n!r}, {low}, {high})]")
    operands = [t.name for t in contract.tensors]
    for what, given in (("dtype", dtypes), ("place", places)):
        for n in operands:
            if n not in given:
                raise LanguageError(f"instruction {name}: operand {n} has no {what}; add {what}s={{..., {n!r}: ...}}")
        for n in given:
            if n not in operands:
                raise LanguageError(f"instruction {name}: {what}s names {n!r}; {did_you_mean(n, operands)}")


def _exact(name: str, text: str, contract: Kernel, axes: Mapping[str, int]) -> Kernel:
    shapes = {t.name: t.shape for t in contract.tensors}
    dtypes = {t.name: t.dtype for t in contract.tensors}
    target = contract.statements[0].target
    # A sum in `exact` may cut an axis of the contract into parts: only the axes it runs over keep their extents.
    loose = _cells_alone(parse(text, name=name, dtypes={}, shapes=shapes))
    if loose.ranges:
        raise LanguageError(f"instruction {name}: an assumed range is written assume=[...], not in exact")
    if {t.name for t in loose.tensors} != set(shapes):
        raise LanguageError(f"instruction {name}: exact and contract have different operands")
    extents = {a.name: axes[a.name] for a in loose.axes if a.name in axes}
    really = _cells_alone(parse(text, name=name, dtypes=dtypes, shapes=shapes, extents=extents))
    if really.outputs != (target.tensor,) or len(really.statements) != 1:
        raise LanguageError(f"instruction {name}: exact must be one statement that writes {target.tensor}")
    if really.recurrences:
        raise LanguageError(f"instruction {name}: exact is one statement without `for`")
    if free := [a.name for a in really.axes if a.name not in axes]:
        raise LanguageError(f"instruction {name}: axis {free[0]} of exact is not an axis of the instruction; use sum()")
    return really
