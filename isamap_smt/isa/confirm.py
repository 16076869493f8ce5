"""A counterexample, run: the C of the entry is compiled with a compiler and called on the input that refutes it."""

from __future__ import annotations

import numpy as np

from isamap_smt.ir.errors import IsamapError
from isamap_smt.isa.c_types import of_element
from isamap_smt.isa.c_values import Value
from isamap_smt.isa.check import Confirmation, Refutation
from isamap_smt.isa.entry import Case, Entry, Operand
from isamap_smt.isa.meanings_rvv import REQUIRES, VECTOR
from isamap_smt.isa.silicon import FUNCTION, BuildError, Place, find_place, run_rows

NOTHING = "evaluated by the table of meanings, not run: "


def confirm(e: Entry, r: Refutation, cc: str | None = None) -> Confirmation:
    """Compile and run the case. Where that is not possible, why."""
    if r.case.carried is not None:
        return Confirmation(NOTHING + "it is no C")
    requires = sorted({f for m in r.used.values() for f in m.requires} | set(_always(e)))
    place = find_place(requires)
    if isinstance(place, str):
        return Confirmation(NOTHING + place)
    source = c_source(e, r.case)
    if r.decision.inputs is None or not r.decision.at[0]:
        return _compiled(place, source, requires, r, cc)
    rows = np.frombuffer(_input(r.case, r.decision.inputs), np.uint8).reshape(1, -1)
    try:
        found = run_rows(place, source, requires, rows, sum(size(o) for o in r.case.operands), cc)[0]
    except IsamapError as error:
        return Confirmation(NOTHING + str(error).splitlines()[0])
    operand, index = r.decision.at
    at = 0
    for o in r.case.operands:
        if o.name == operand:
            at += index * o.stride * o.dtype.bytes
            return Confirmation(place.words, int.from_bytes(found[at : at + o.dtype.bytes].tobytes(), "little"))
        at += size(o)
    raise KeyError(operand)


def _always(e: Entry) -> tuple[str, ...]:
    if "riscv_vector.h" in e.headers:
        return REQUIRES
    return ("asimd",) if "arm_neon.h" in e.headers else ("avx2", "fma")


def _compiled(place: Place, source: str, requires: list[str], r: Refutation, cc: str | None) -> Confirmation:
    """What is wrong whatever the operands hold: whether a compiler takes it."""
    if not r.decision.no_c:
        return Confirmation("shown by the table of meanings; running what is undefined shows nothing")
    rows = np.zeros((1, sum(size(o) for o in r.case.operands)), np.uint8)
    try:
        run_rows(place, source, requires, rows, sum(size(o) for o in r.case.operands), cc)
    except BuildError as error:
        complaint = next((line.strip() for line in str(error).splitlines() if "error:" in line), "")
        return Confirmation(f"the compiler refuses it: {complaint.split('error:')[-1].strip()}")
    except IsamapError as error:
        return Confirmation(NOTHING + str(error).splitlines()[0])
    return Confirmation("this compiler takes it all the same")


def size(o: Operand) -> int:
    """Bytes from its first cell to the end of its last."""
    return ((o.count - 1) * o.stride + 1) * o.dtype.bytes


def _input(case: Case, inputs: dict[str, int]) -> bytes:
    """All operands beside each other; cells that the counterexample does not name hold zeros."""
    found = b""
    for o in case.operands:
        cells = [inputs.get(f"{o.name}[{k}]", 0).to_bytes(o.dtype.bytes, "little") for k in range(o.count)]
        gap = b"\0" * ((o.stride - 1) * o.dtype.bytes)
        found += gap.join(cells)
    return found


def c_source(e: Entry, case: Case) -> str:
    """The C of the case and a function that calls it on operands that lie beside each other, before and after."""
    headers = "".join(f"#include <{h}>\n" for h in dict.fromkeys((*e.headers, "stdint.h", "stddef.h", "string.h")))
    return f"{headers}{case.source}\nvoid {calling(case, FUNCTION)}"


def calling(case: Case, name: str) -> str:
    """A function of that name: operands from bytes beside each other, the case's function, operands to bytes."""
    lines, at = [], 0
    for o in case.operands:
        if o.place == "memory":
            lines.append(f"    {of_element(o.dtype)} isamap_{o.name}[{size(o) // o.dtype.bytes}];")
        else:
            lines.append(f"    {o.c_type} isamap_{o.name};")
        lines.append(f"    {_copied(o, at, True)}")
        at += size(o)
    known = {o.name: o for o in case.operands}
    given = [_argument(a, known) for a in case.arguments]
    result = next((o for o in case.operands if o.place == "result"), None)
    before = f"isamap_{result.name} = " if result else ""
    lines.append(f"    {before}{case.function}({', '.join(given)});")
    at = 0
    for o in case.operands:
        lines.append(f"    {_copied(o, at, False)}")
        at += size(o)
    body = "\n".join(lines)
    return f"{name}(const unsigned char *from, unsigned char *to) {{\n{body}\n}}\n"


def _copied(o: Operand, at: int, inwards: bool) -> str:
    """Its bytes from `from`, or to `to`. A vector of RISC-V has no size in C, and is loaded and stored."""
    name = f"isamap_{o.name}"
    if str(o.c_type) == VECTOR and o.place != "memory":
        if inwards:
            return f"{name} = __riscv_vle32_v_f32m1((const float *)(const void *)(from + {at}), {o.count});"
        return f"__riscv_vse32_v_f32m1((float *)(void *)(to + {at}), {name}, {o.count});"
    return f"memcpy(&{name}, from + {at}, {size(o)});" if inwards else f"memcpy(to + {at}, &{name}, {size(o)});"


def _argument(a: str | Value, known: dict[str, Operand]) -> str:
    if isinstance(a, Value):
        return f"({a.type}){a.number}"
    return {"memory": f"(void *)isamap_{a}", "register": f"&isamap_{a}"}.get(known[a].place, f"isamap_{a}")
