"""A C function with a contract in isamap's form: what is emitted is its call, behind the file's own text."""

from __future__ import annotations

import re
from typing import Any

from isamap_smt.isa.c_read import declared
from isamap_smt.isa.c_types import CType, of_element
from isamap_smt.isa.form import Form, Unstated
from isamap_smt.isa.header import HeaderFunction

_GUARD = re.compile(r"(?P<text>.*) where (?P<axis>\w+) < (?P<number>\w+)")


def form_of(reader: HeaderFunction, headers: tuple[str, ...], text: str) -> Form:
    """text: of the file, without its includes. Raises Unstated for what the form has no word for."""
    c = reader.contract
    statement, active = _active(reader)
    if loose := sorted(set(c.numbers) - set(active.values())):
        raise Unstated(f"{loose[0]} is a number of each use that does not say how many cells are active")
    if shaped := [t for t, d in c.types.items() if "[" in d]:
        raise Unstated(f"{shaped[0]} has a shape of its own; shapes of instructions follow from their axes")
    c_types, given = dict[str, str](), list[str]()
    for name, kind in reader.parameters():
        given.append(_argument(reader, name, kind, c_types))
    output = reader.kernel.outputs[0]
    returned = declared(reader.node.decl.type.type)
    call = f"{reader.name}({', '.join(given)});"
    if returned.kind == "v":
        c_types[output] = str(returned)
        call = f"{{{output}}} = {call}"
    elif returned.kind != "0":
        raise Unstated(f"it returns {returned}, which is neither a register nor nothing")
    return Form(
        statement,
        dict(c.axes),
        {t.name: t.dtype.name for t in reader.kernel.tensors},
        c_types,
        call,
        headers,
        reader.case,
        active,
        c.beyond,
        text,
    )


def _active(reader: HeaderFunction) -> tuple[str, dict[str, str]]:
    """The statement without its guard, and which axis' active points a number says."""
    c = reader.contract
    if not reader.kernel.statements[0].guard:
        return c.statement, {}
    m = _GUARD.fullmatch(c.statement)
    if m is None or m["axis"] not in c.axes or m["number"] not in c.numbers:
        raise Unstated("its guard is not of the form l < n, of an axis and a number of each use")
    axis, number = m["axis"], m["number"]
    if c.numbers[number][0] > 0 or c.numbers[number][-1] < c.axes[axis]:
        raise Unstated(f"{number} does not take every value from 0 to {c.axes[axis]}, the points of {axis}")
    return m["text"], {axis: number}


def _argument(reader: HeaderFunction, name: str, kind: CType, c_types: dict[str, str]) -> str:
    """What is passed for a parameter; registers are noted."""
    if name in reader.contract.numbers:
        return f"{{{name}}}"
    dtype: Any = reader.kernel.tensor(name).dtype
    if kind.kind == "p":
        return f"{{{name}}}" if kind.to == of_element(dtype) else f"(void *){{{name}}}"
    if kind.kind == "s":
        raise Unstated(f"{name} is {kind}, several registers")
    if kind.kind == "v":
        c_types[name] = str(kind)
        return f"{{{name}}}"
    return f"*{{{name}}}"  # a number: the element that a pointer leads to
