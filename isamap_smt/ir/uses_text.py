"""Programs of uses as text: loops, uses with their places, and the counters that join engines."""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.graph import Machine
from isamap_smt.ir.uses import BufferPlace, CountedLoop, SlottedBuffer, TensorPlace, Use, UseNode, UseProgram
from isamap_smt.ir.words import words


def text_of(program: UseProgram) -> str:
    """Machine, buffers and body. Versions are left out: they are claims, and nothing that runs reads them."""
    machine = program.machine
    lines = [f"{program.kernel.name} on {machine.name}, engines {', '.join(e.name for e in machine.engines)}"]
    lines += [_buffer(b) for b in program.buffers]
    return "\n".join([*lines, "", *_body(program.body, machine, "")])


def _buffer(b: SlottedBuffer) -> str:
    last = b.offset + b.slots * b.rows - 1
    return f"buffer {b.name}: {b.slots} of {b.rows} rows, rows {b.offset}..{last} of {b.memory}, elements of {b.type.tensor}"


def _body(body: tuple[UseNode, ...], machine: Machine, indent: str) -> list[str]:
    lines = []
    for node in body:
        if isinstance(node, CountedLoop):
            lines.append(f"{indent}for {node.var} < {words(node.count)}  (number {node.number}):")
            lines += _body(node.body, machine, indent + "    ")
        else:
            lines.append(indent + _use(node))
    return lines


def _use(use: Use) -> str:
    places = ", ".join(f"{o}={_place(p)}" for o, p in use.places)
    given = "".join(f", {p}={words(v)}" for p, v in use.parameters)
    waits = "".join(f"  awaits {c} >= {words(amount)}" for c, amount in use.awaits)
    signals = f"  signals {', '.join(use.signals)}" if use.signals else ""
    operation = f"{use.instruction.name}({places}{given})" if places else "signal"
    return f"{use.instruction.engine}: {operation}{waits}{signals}"


def _place(place: BufferPlace | TensorPlace) -> str:
    if isinstance(place, TensorPlace):
        return f"{place.tensor}[{', '.join(map(_short, place.index))}]"
    return f"{place.buffer}.slot[{_short(place.slot)}]"


def _short(e: Any) -> str:
    return words(e)
