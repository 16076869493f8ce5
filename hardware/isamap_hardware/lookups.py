"""Tables in registers: an instruction that looks up each lane's element at the index in the same lane of another register.

    t: [16]
    d[l] = t[idx[l]]

The contract says nothing of an index without an element: on x86 and Arm what comes then differs (an element at the
index' low bits, or 0), no kernel may depend on it, and no call lets one through.
"""

from __future__ import annotations

from collections.abc import Sequence

import isamap_smt as im


def lookups(
    machine: str, memory: str, name: str, entries: int, lanes: int, types: Sequence[tuple[str, str]],
    emit: str, c_types: tuple[str, str, str], requires: tuple[str, ...], latency: float = 3.0, per_cycle: float = 1.0,
    headers: tuple[str, ...] = ("immintrin.h",), prelude: tuple[str, ...] = (), temporaries: int = 0,
) -> tuple[im.Instruction, ...]:  # fmt: skip
    """One instruction for each pair of element types: of the table and of the index.

    emit: its C, of {d}, {t} and {idx}; c_types: theirs, in this order. The table lies in a register as any vector of so
    many elements.
    """
    return tuple(
        im.instruction(
            f"{machine}.{name}_{kind}_{index}",
            f"t: [{entries}]\nd[l] = t[idx[l]]",
            axes={"l": lanes},
            dtypes={"d": kind, "t": kind, "idx": index},
            places=dict.fromkeys(("d", "t", "idx"), memory),
            emit=emit,
            requires=requires,
            latency=latency,
            per_cycle=per_cycle,
            temporaries=temporaries,
            c_types=dict(zip(("d", "t", "idx"), c_types, strict=True)),
            headers=headers,
            prelude=prelude,
        )
        for kind, index in types
    )


def gathers(
    machine: str, memory: str, lanes: int, per_cycle: float, kinds: Sequence[tuple[str, str, str, str]],
    requires: tuple[str, ...], latency: float = 20.0, headers: tuple[str, ...] = ("immintrin.h",),
    prelude: tuple[str, ...] = (),
) -> tuple[im.Instruction, ...]:  # fmt: skip
    """The same of a table in main memory, of any number of elements: each lane's address is the first element's and its
    index, of 32 bits with a sign.

    kinds: (element type, its C type, C type of the indices, C of {d}, {t} and {idx}).
    """
    return tuple(
        im.instruction(
            f"{machine}.gather_{kind}_i32",
            "d[l] = t[idx[l]]",
            axes={"l": lanes},
            dtypes={"d": kind, "t": kind, "idx": "i32"},
            places={"d": memory, "t": "memory", "idx": memory},
            emit=emit,
            requires=requires,
            latency=latency,
            per_cycle=per_cycle,
            c_types={"d": c_type, "idx": index},
            headers=headers,
            prelude=prelude,
        )
        for kind, c_type, index, emit in kinds
    )


BYTES = (("u8", "u8"), ("i8", "u8"), ("u8", "i8"), ("i8", "i8"))

HALVES = tuple((kind, index) for kind in ("i16", "u16") for index in ("i16", "u16"))
WORDS = (("f32", "i32"), ("i32", "i32"))
