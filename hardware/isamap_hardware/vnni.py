"""The four dot products of VNNI, as contracts: in 32-bit lanes of one register, or of any width.

dpbusd and dpwssd wrap. dpbusds and dpwssds add the exact sum of the products to the accumulator and saturate once
(Intel's manual, VPDPBUSDS and VPDPWSSDS: SIGNED_DWORD_SATURATE of the whole sum). They are sums, if no sum of a
kernel's terms leaves i32.
"""

from __future__ import annotations

from typing import Any

import isamap_smt as im

FORMS = {
    "dpbusd": ("u8", "i8", 4),
    "dpbssd_moved": ("i8", "i8", 4),
    "dpbusds": ("u8", "i8", 4),
    "dpwssd": ("i16", "i16", 2),
    "dpwssds": ("i16", "i16", 2),
}
PRODUCT = "i32(a[l,e]) * i32(b[l,e])"
#: Of signed bytes by the instruction that takes a without a sign: 128 more, and 128 times b less. What b alone decides is the same
#: for all executions that share b, so compilers make it once for them.
MOVED = "i32(u8(i32(a[l,e]) + 128)) * i32(b[l,e]) - 128 * i32(b[l,e])"
#: Of bytes that hold two numbers of 4 bits without a sign: b goes with the lower ones, c with the upper ones. No sum of two such
#: products leaves 16 bits.
HALVES = "(i32(a[l,e]) & 15) * i32(b[l,e]) + (i32(a[l,e]) >> 4) * i32(c[l,e])"


def dot(machine: str, name: str, lanes: int, memory: str, c_type: str, emit: str, **more: Any) -> im.Instruction:
    """The instruction with this name in so many lanes. more: further arguments of im.instruction."""
    a, b, group = FORMS[name]
    saturates, moved = name.endswith("s"), name.endswith("_moved")
    return im.instruction(
        f"{machine}.{name}",
        f"acc[l] += {PRODUCT}",
        axes={"l": lanes, "e": group},
        dtypes={"a": a, "b": b, "acc": "i32"},
        places=dict.fromkeys(("a", "b", "acc"), memory),
        emit=emit,
        latency=5.0,
        exact=f"acc[l] = sat_i32(acc[l] + sum(e, {group}, {PRODUCT}))"
        if saturates
        else f"acc[l] += {MOVED}"
        if moved
        else None,
        c_types=dict.fromkeys(("a", "b", "acc"), c_type),
        **more,
    )


def halves(name: str, lanes: int, memory: str, c_type: str, function: str, **more: Any) -> im.Instruction:
    """The instruction with this name: products of halves of bytes, by a C function of acc, a, b and c."""
    operands = ("a", "b", "c", "acc")
    return im.instruction(
        name,
        f"acc[l] += {HALVES}",
        axes={"l": lanes, "e": 4},
        dtypes={"a": "u8", "b": "i8", "c": "i8", "acc": "i32"},
        places=dict.fromkeys(operands, memory),
        emit=f"{{acc}} = {function}({{acc}}, {{a}}, {{b}}, {{c}});",
        c_types=dict.fromkeys(operands, c_type),
        **more,
    )
