"""A counterexample in the user's names: the statement with numbers, the lane, and why the two do not fit."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from typing import Any

from isamap_smt.ir.expr import evaluate, substitute, words
from isamap_smt.ir.kernel import REDUCTIONS, Access, Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.language.printer import value_text
from isamap_smt.proof.witness import Found, Point


class Counterexample(str):
    """Several lines; the first tells where the claim fails. why: the lines about the clash there."""

    why: tuple[str, ...] = ()


def tell(mapping: Mapping, found: Found) -> Counterexample:
    """The counterexample in the user's names."""
    at = " and ".join(filter(None, (_point(p.kernel) for p in found.points[: _shown(found)])))
    head = f"fails at {at} ({_sizes(found)})" if at else f"fails ({_sizes(found)})"
    lines = [head]
    for k, p in enumerate(found.points[: _shown(found)]):
        lines.append(f"  {'kernel      ' if k == 0 else ' ' * 12} {with_numbers(mapping, found.sizes, p)}")
    lines.append(f"  instruction  {_lane(mapping, found)}")
    why = _why(mapping, found)
    told = Counterexample("\n".join([*lines, *why]))
    told.why = tuple(why)
    return told


def _shown(found: Found) -> int:
    return 2 if found.claim in ("agreement", "exclusive") else 0 if found.claim == "neutral" else 1


def _point(values: Dict[str, int]) -> str:
    return " ".join(f"{a}={v}" for a, v in values.items())


def _sizes(found: Found) -> str:
    return "smallest; " + _point(found.sizes) if found.sizes else "smallest"


def element(access: Access, env: Dict[str, int]) -> str:
    """An access with numbers: A[0,16]."""
    return f"{access.tensor}[{','.join(str(int(evaluate(i, env))) for i in access.index)}]"


def with_numbers(mapping: Mapping, sizes: Dict[str, int], p: Point) -> str:
    """The kernel's statement at one point: C[0,16] += A[0,0] * B[0,16]."""
    s: Statement = mapping.statement
    env = {**sizes, **p.kernel}

    def index(e: Any) -> str:
        return words(substitute(e, env))  # the axis of a sum stays a name

    value = value_text(s.value, lambda r: f"{r.tensor}[{','.join(map(index, r.index))}]", index)
    return f"{element(s.target, env)} {REDUCTIONS[s.op]} {value}"


def _cell(mapping: Mapping, operand: str, p: Point) -> str:
    index = ",".join(str(int(evaluate(i, p.lane))) for i in mapping.cells(operand))
    return f"{operand}[{index}]"


def _lane(mapping: Mapping, found: Found) -> str:
    points = " and ".join(f"({_point(p.lane)})" for p in found.points)
    if len(found.points) > 1:
        return f"iterations {points} of one issue"
    return f"iteration {points}" + (f" of issue ({_point(found.points[0].outer)})" if found.points[0].outer else "")


def _why(mapping: Mapping, found: Found) -> list[str]:
    s, p = mapping.statement, found.points
    match found.claim:
        case "agreement":
            a = mapping.operand_access(found.operand)
            one, two = (element(a, {**found.sizes, **q.kernel}) for q in p)
            use = f"both use cell {_cell(mapping, found.operand, p[0])}, which cannot hold {one} and {two}"
            return [*_clash(found, _access(a), a.index, _cells(mapping, found.operand)), use]
        case "exclusive":
            out = element(s.target, {**found.sizes, **p[0].kernel})
            cells = [_cell(mapping, found.operand, q) for q in p]
            if cells[0] == cells[1] or p[0].outer != p[1].outer:
                return [f"both write {out}, and `=` keeps only one of the two"]
            index = mapping.cells(found.operand)
            clash = _clash(found, _cells(mapping, found.operand), index, _access(s.target))
            return [
                *clash,
                f"cells {cells[0]} and {cells[1]} would both hold {out}, each a part of its {_RESULTS.get(s.op, 'value')}",
            ]
        case "bounds":
            a = mapping.operand_access(found.operand)
            shape = ",".join(str(int(evaluate(e, found.sizes))) for e in mapping.kernel.tensor(a.tensor).shape)
            return [f"{element(a, {**found.sizes, **p[0].kernel})} lies outside {a.tensor}, whose shape is [{shape}]"]
        case "coverage":
            return [_coverage(mapping, found)]
        case "neutral":
            return [*_failing(mapping, found), _neutral(mapping, found)]
    return []


_RESULTS = {"+": "sum", "*": "product", "max": "maximum", "min": "minimum"}


def _access(a: Access) -> str:
    return f"{a.tensor}[{','.join(map(words, a.index))}]"


def _cells(mapping: Mapping, operand: str) -> str:
    return f"{operand}[{','.join(map(words, mapping.cells(operand)))}]"


def _clash(found: Found, moving: str, index: tuple[Any, ...], still: str) -> list[str]:
    """The dimensions that differ between the two points, while the other side's do not."""
    # A kernel axis and an instruction axis may share their name.
    agreement = found.claim == "agreement"
    envs = [{**found.sizes, **(p.kernel if agreement else p.lane)} for p in found.points]
    differ = [words(e) for e in index if len({int(evaluate(e, env)) for env in envs}) > 1]
    return (
        [f"index {' and '.join(differ)} of {moving} differs between the two, no index of {still} does"]
        if differ
        else []
    )


def _failing(mapping: Mapping, found: Found) -> list[str]:
    """The conditions of the guard that exclude the first point."""
    p = found.points[0]
    env = {**found.sizes, **p.outer, **p.lane}
    failing = [words(g) for g in mapping.guard if not evaluate(g, env)]
    return [f"the condition {' and '.join(failing)} leaves it out"] if failing else []


def _coverage(mapping: Mapping, found: Found) -> str:
    p = found.points[0]
    if found.outside:
        name = found.outside
        extent = dict(mapping.instruction.axes).get(name)
        if extent is not None:
            return f"it needs {name}={p.lane[name]}, and {mapping.instruction.name} has {name} in [0, {extent}): no such lane"
        return f"it needs iteration {name}={p.outer[name]}, which the loop {name} does not have"
    failing = " and ".join(words(g) for g in mapping.guard if not evaluate(g, {**found.sizes, **p.outer, **p.lane}))
    return {
        "guarded away": f"the mapping's guard {failing} leaves this iteration out, so nothing computes it",
        "not returned": "the lane that should compute this iteration computes another one",
        "no kernel point": "this lane computes something that is no iteration of the kernel",
        "another lane's point": "another lane computes this iteration, too",
    }[found.reason]


def _neutral(mapping: Mapping, found: Found) -> str:
    p = found.points[0]
    cell = _cell(mapping, found.operand, p)
    holds = element(mapping.statement.target, {**found.sizes, **found.points[1].kernel})
    parts = [_cell(mapping, o, p) for o, _ in mapping.binding if o != found.operand]
    return (
        f"iteration ({_point(p.lane)}) is outside the guard, but adds {', '.join(parts)} to {cell}, "
        f"which holds {holds}, and nothing makes that harmless"
    )
