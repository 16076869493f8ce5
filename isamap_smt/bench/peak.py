"""The peak of an instruction on this CPU: independent executions on registers, generated from its own description."""

from __future__ import annotations

import ctypes
import math
import time

from isamap_smt.ir.c_names import Names
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.machine_model.rates import in_state
from isamap_smt.runtime import build_library

CHAINS = 12  # independent accumulators; latency 5 at two a cycle needs 10


def peak_source(hardware: Hardware, instruction: Instruction) -> str:
    """C of `void isamap_peak(int64_t rounds)`: each round executes the instruction once on each of chains()."""
    statement = instruction.kernel.statements[0]
    output = statement.target.tensor
    inputs = [a.tensor for a in statement.inputs if a.tensor != output]
    names = Names()
    if instruction.numbered:
        held = {o: names.give(o, "in") for o in inputs}
        chained = [{**held, output: names.give(output, n)} for n in range(chains(instruction))]
        needs = (f"#include <{h}>" for h in dict.fromkeys(["stdint.h", *instruction.headers]))
        return "\n".join([*needs, *instruction.prelude, in_state(hardware, instruction, "isamap_peak", chained)])
    types = dict(instruction.c_types)
    zeros = {o: _zero(hardware, instruction, o) for o in (output, *inputs)}
    words = {o: names.give(o, "in") for o in inputs}
    accumulators = [names.give(output, n) for n in range(CHAINS)]
    lines = [
        f'{types[o]} {x}; {zeros[o].statement({"r": x})} __asm__ volatile("" : "+x"({x}));' for o, x in words.items()
    ]
    lines += [f"{types[output]} {x}; {zeros[output].statement({'r': x})}" for x in accumulators]
    body = [instruction.statement({**words, output: x}) for x in accumulators]
    # an empty asm on each accumulator keeps the compiler from folding the additions of zero
    keep = [f'__asm__ volatile("" : "+x"({x}));' for x in accumulators]
    headers = "".join(f"#include <{h}>\n" for h in dict.fromkeys(["stdint.h", *instruction.headers]))
    return (
        headers
        + "\n".join(instruction.prelude)
        + "\nvoid isamap_peak(int64_t isamap_rounds) {\n    "
        + "\n    ".join(lines)
        + "\n    for (int64_t isamap_n = 0; isamap_n < isamap_rounds; ++isamap_n) {\n        "
        + "\n        ".join(body + keep)
        + "\n    }\n}\n"
    )


def chains(instruction: Instruction) -> int:
    """Independent accumulators: of eight numbered registers as many as its inputs leave."""
    return 9 - len(instruction.kernel.tensors) if instruction.numbered else CHAINS


def _zero(hardware: Hardware, instruction: Instruction, operand: str) -> Instruction:
    t = instruction.kernel.tensor(operand)
    place = dict(instruction.places)[operand]
    for move in hardware.moves:
        if move.kind == "zero" and dict(move.places).get("r") == place:
            r = move.kernel.tensor("r")
            if r.dtype == t.dtype and r.shape == t.shape:
                return move
    raise LookupError(f"{hardware.name} cannot zero operand {operand} of {instruction.name}")


class Peak:
    """Operations per second of one instruction; `measure()` takes a few milliseconds."""

    def __init__(self, hardware: Hardware, instruction: Instruction) -> None:
        library = build_library(peak_source(hardware, instruction), instruction.requires, native=True)
        self._run = ctypes.CDLL(str(library)).isamap_peak
        self._rounds = 50_000
        self._operations = 2 * math.prod(instruction.axes.values()) * chains(instruction)

    def measure(self) -> float:
        """Operations per second of the quickest of three runs, 2 a product-sum."""
        taken = []
        for _ in range(3):
            start = time.perf_counter()
            self._run(ctypes.c_int64(self._rounds))
            taken.append(time.perf_counter() - start)
        return self._operations * self._rounds / min(taken)
