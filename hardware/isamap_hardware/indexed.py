"""Arm's products with one element of a vector: four at once, by the four elements of one register.

The instruction takes the number of its element as a constant of the code. Four of them, with 0, 1, 2 and 3, use up a
register of four points of the reduction (four f32, or four groups of four bytes). One load brings it in place of
four broadcasts. So they are described together: b is the four registers of the other factor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import isamap_smt as im

COUNT = 4  # elements of 32 bits in 128


def products(
    machine: str, memory: str, lanes: Any, call: Callable[[int], str], name: str, requires: tuple[str, ...],
    types: tuple[str, str, str], c_types: tuple[str, str, str], headers: tuple[str, ...] | None = None,
) -> im.Instruction:  # fmt: skip
    """The four uses of one intrinsic. call: C of the n-th. types, c_types: of a, b, acc; a has the elements."""
    a, b, acc = types
    floats = acc == "f32"
    return im.instruction(
        f"{machine}.{name}",
        "acc[l] += a[k] * b[k,l]" if floats else f"acc[l] += {acc}(a[k]) * {acc}(b[k//4,l,k%4])",
        axes={"l": lanes, "k": COUNT if floats else 4 * COUNT},
        temporaries=0,
        dtypes={"a": a, "b": b, "acc": acc},
        places=dict.fromkeys(("a", "b", "acc"), memory),
        emit=" ".join(f"{{acc}} = {call(n)};" for n in range(COUNT)),
        requires=requires,
        latency=COUNT * (4.0 if floats else 3.0),
        per_cycle=2.0 / COUNT,
        rounding="fused" if floats else "exact",
        c_types=dict(zip(("a", "b", "acc"), c_types, strict=True)),
        headers=headers,
    )


def load(
    machine: str, memory: str, name: str, axes: dict[str, Any], emit: str, c_type: str, requires: tuple[str, ...],
    headers: tuple[str, ...], prelude: str, place: str = "memory", active: dict[str, str] | None = None,
) -> im.Instruction:  # fmt: skip
    """A load of f32: of one register of elements along k, or of four rows of registers."""
    cell = ",".join(axes)
    return im.instruction(
        f"{machine}.{name}",
        f"r[{cell}] = m[{cell}]",
        axes=axes,
        dtypes=dict.fromkeys("rm", "f32"),
        places={"r": memory, "m": place},
        emit=emit,
        requires=requires,
        latency=5.0,
        per_cycle=2.0 if len(axes) == 1 else 2.0 / COUNT,
        active=active,
        beyond="zero" if active else "kept",
        c_types={"r": c_type},
        headers=headers,
        prelude=prelude,
    )
