"""Folds over programs: every node with its surroundings, nodes rebuilt, and their parts collected or exchanged.

    for node, around in walk(program): ...                            each node, with the loops and conditions around it
    nodes_of(Loop, program)                                           each loop
    parts(program.ahead, Role.EXPRESSION)                             each expression evaluated by these nodes
    map_nodes(body, lambda n: map_parts(n, {Ref: place}))             the body with other places
    map_bodies(node, lambda body: lowered(body, (*around, node)))     the node with other bodies

Parts are told apart by the annotations of fields (isamap_smt.ir.program.Role), so a new field takes part in every fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import sympy as sp

from isamap_smt.ir.expr import substitute, sym
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import (
    PARTS,
    Alloc,
    AnyLoop,
    Buffer,
    If,
    Loop,
    Node,
    Parallel,
    Program,
    Ref,
    Role,
    Use,
    number_of,
)

Nodes = tuple[Node, ...]
Around = tuple[AnyLoop | If, ...]
Part = Role | type  # how a part is told: by its role, or by its type (Ref, Instruction)
Changes = Mapping[Part, Callable[[Any], Any]]
Kind = TypeVar("Kind", bound=Node | Use | Loop)
Whole = TypeVar("Whole", bound=Program | Node)
Rule = Callable[[Any, Changes], Any]

EXPRESSIONS = (Role.EXPRESSION, Role.CLAIM, Role.BOUND)


# ---- nodes -----------------------------------------------------------------------------------------------------------


def inside(node: Program | Node) -> Nodes:
    """The nodes of all its bodies, in their order."""
    return tuple(n for name in node.bodies for n in getattr(node, name))


def walk(of: Program | Nodes, around: Around = ()) -> Iterator[tuple[Node, Around]]:
    """Every node with the loops and conditions around it, outermost first, in program order."""
    for node in inside(of) if isinstance(of, Program) else of:
        yield node, around
        if isinstance(node, Loop | If):
            yield from walk(inside(node), (*around, node))


def nodes_of(kind: type[Kind], of: Program | Nodes) -> Iterator[Kind]:
    """Every node of this type, in program order."""
    return (n for n, _ in walk(of) if isinstance(n, kind))


def shared(around: Around) -> bool:
    """Whether threads share the iterations of a loop among them."""
    return any(isinstance(x, Parallel) for x in around)


def buffers(program: Program) -> dict[str, Buffer]:
    """All buffers by name."""
    return {n.buffer.name: n.buffer for n in nodes_of(Alloc, program)}


def map_bodies(node: Whole, change: Callable[[Nodes], Nodes]) -> Whole:
    """The same with each of its bodies changed."""
    made: dict[str, Any] = {name: change(getattr(node, name)) for name in node.bodies}
    return replace(node, **made) if made else node


def map_nodes(nodes: Nodes, change: Callable[[Node], Node]) -> Nodes:
    """The nodes with each of them changed, those in bodies before the node around them."""
    return tuple(change(map_bodies(n, lambda body: map_nodes(body, change))) for n in nodes)


# ---- parts of nodes --------------------------------------------------------------------------------------------------


def map_parts(node: Kind, changes: Changes) -> Kind:
    """The node, its bodies as they are, with its parts changed, smaller parts before larger ones around them."""
    return _in_fields(node, changes)


def own_parts(node: Node, *told: Part) -> list[Any]:
    """The parts of one node with this role or type, those of its bodies left out."""
    found: list[Any] = []

    def seen(part: Any) -> Any:
        found.append(part)
        return part

    map_parts(node, dict.fromkeys(told, seen))
    return found


def parts(of: Program | Nodes, *told: Part) -> Iterator[Any]:
    """The same of all nodes, in program order."""
    return (part for node, _ in walk(of) for part in own_parts(node, *told))


def substituted(values: Mapping[str, Any]) -> Changes:
    """Other expressions for symbols, by their names, wherever these stand; bound ones are no exception."""

    def change(e: Any) -> Any:
        return substitute(e, values) if isinstance(e, sp.Basic) else e

    return dict.fromkeys(EXPRESSIONS, change)


def renamed(
    nodes: Nodes, buffers: Mapping[str, str], variables: Mapping[str, str] | None = None,
    counters: Mapping[str, str] | None = None,
) -> Nodes:  # fmt: skip
    """The nodes with other names for buffers, for variables of loops with the numbers of these, and for counters."""
    variables, counters = variables or {}, counters or {}
    table = {old: sym(new) for old, new in variables.items()}
    table |= {number_of(sym(old)).name: number_of(new) for old, new in table.items()}

    def to(names: Mapping[str, str]) -> Callable[[str], str]:
        return lambda name: names.get(name, name)

    names: Changes = {Role.BUFFER: to(buffers), Role.VARIABLE: to(variables), Role.COUNTER: to(counters)}
    changes: Changes = {**substituted(table), **names}
    return map_nodes(nodes, lambda n: map_parts(n, changes))


def _in_fields(value: Any, changes: Changes) -> Any:
    made = {name: rule(getattr(value, name), changes) for name, rule in _field_rules(value.__class__)}
    return replace(value, **made) if any(new is not getattr(value, name) for name, new in made.items()) else value


@cache
def _field_rules(owner: Any) -> tuple[tuple[str, Rule], ...]:
    """The fields with parts, and the rules for changing these."""
    kinds = get_type_hints(owner, include_extras=True)
    bodies = getattr(owner, "bodies", ())
    found = ((f.name, _rule(kinds[f.name])) for f in fields(owner) if f.name not in bodies)
    return tuple((name, rule) for name, rule in found if rule is not None)


def _rule(kind: Any) -> Rule | None:
    """The rule for changing parts in a value of this annotation; None if there are none."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _of_role(inner[1])
    if origin is tuple:
        return _in_tuple(inner)
    if origin in (Union, UnionType):
        return _of_one(inner)
    if kind is Instruction:
        return lambda value, changes: changes.get(kind, _same)(value)
    if is_dataclass(kind) and kind in PARTS:
        return _part_of(kind)
    return None


def _of_role(role: Role) -> Rule:
    def change(value: Any, changes: Changes) -> Any:
        if isinstance(value, Ref):  # a cell of a state holds the bits of an element, or a number
            return _part_of(Ref)(value, changes)
        return value if value is None else changes.get(role, _same)(value)

    return change


def _part_of(kind: type) -> Rule:
    """Of a dataclass nodes are made of; any other value is left alone: the proof refuses it."""

    def change(value: Any, changes: Changes) -> Any:
        return changes.get(kind, _same)(_in_fields(value, changes)) if isinstance(value, kind) else value

    return change


def _in_tuple(inner: tuple[Any, ...]) -> Rule | None:
    """Of a tuple of one kind, or of a kind for each place. Any other value is left alone: the proof refuses it."""
    alike = inner[1:] == (...,)
    rules = [_rule(k) for k in (inner[:1] if alike else inner)]
    if not any(rules):
        return None

    def change(value: Any, changes: Changes) -> Any:
        if not isinstance(value, tuple) or not (alike or len(value) == len(rules)):
            return value
        each = rules * len(value) if alike else rules
        made = tuple(v if r is None else r(v, changes) for v, r in zip(value, each, strict=True))
        return made if any(new is not v for new, v in zip(made, value, strict=True)) else value

    return change


def _of_one(inner: tuple[Any, ...]) -> Rule | None:
    """Of a part or None, or of a place or an expression."""
    typed = {k: r for k in inner if isinstance(k, type) and (r := _rule(k)) is not None}
    others = [r for k in inner if not isinstance(k, type) and (r := _rule(k)) is not None]

    def change(value: Any, changes: Changes) -> Any:
        rule = typed.get(type(value), others[0] if others else None)
        return value if rule is None or value is None else rule(value, changes)

    return change if typed or others else None


def _same(part: Any) -> Any:
    return part


__all__ = [
    "EXPRESSIONS", "Around", "Changes", "Nodes", "buffers", "inside", "map_bodies", "map_nodes", "map_parts", "nodes_of",
    "own_parts", "parts", "renamed", "shared", "substituted", "walk",
]  # fmt: skip
