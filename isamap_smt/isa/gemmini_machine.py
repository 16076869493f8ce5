"""A machine of the entries of Exo's Gemmini table that GEMM needs: loads, zeros, products and stores, each with Exo's own C.

isamap's form asks that a load of a tile at the rim leaves zeros beyond it; Exo's leaves what was there. So a load here is two
entries, `zero_i8` of the whole tile where not all of it is loaded, then `ld_i8`. The others are one entry each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import isamap_smt as im
from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.isa.entry import Finding
from isamap_smt.isa.exo_gemmini import GemminiEntry, fill
from isamap_smt.isa.gemmini_macros import MACROS
from isamap_smt.isa.machine import Stated, TableMachine
from isamap_smt.language.hardware_library import find_hardware

NAME = "exo-gemmini"
TILE = {"r": 16, "c": 16}
NEEDED = ("ld_i8", "zero_i8", "zero_acc_i32", "matmul_acc_i8", "st_acc_i32")
ROLES = {
    "ld_i8": "mvin",
    "zero_acc_i32": "clear",
    "matmul_acc_i8": "matmul",
    "st_acc_i32": "mvout",
}  # whose figures it has

_WRAPPERS = """\
static inline void exo_zero_i8(uint32_t local) {{
    {zero_i8}
}}
static inline void exo_ld_i8(const int8_t *from, int64_t down, uint32_t local, int64_t rows, int64_t columns) {{
    struct {{ const int8_t *data; int64_t strides[2]; }} src = {{ from, {{ down, 1 }} }};
    if (rows <= 0 || columns <= 0 || rows < 16 || columns < 16) exo_zero_i8(local);
    if (rows <= 0 || columns <= 0) return;
    {ld_i8}
}}
static inline void exo_zero_acc_i32(uint32_t local) {{
    {zero_acc_i32}
}}
static inline void exo_matmul_acc_i8(uint32_t a, uint32_t b, uint32_t c) {{
    {matmul_acc_i8}
}}
static inline void exo_st_acc_i32(int32_t *to, int64_t down, uint32_t local, int64_t rows, int64_t columns) {{
    struct {{ int32_t *data; int64_t strides[2]; }} dst = {{ to, {{ down, 1 }} }};
    if (rows <= 0 || columns <= 0) return;
    {st_acc_i32}
}}
static inline void gemmini_begin(void) {{ gemmini_flush(); }}
"""


def _local(name: str, c: str = "int8_t") -> dict[str, str]:
    return {"_data": f"(*({c} *)(uint64_t)({name}))"}


def _memory(name: str, pointer: str) -> dict[str, str]:
    return {"": name, "_data": f"{pointer}[0]"}


def _number(name: str) -> dict[str, str]:
    return {"": name, "_data": name}


_HOLES: dict[str, dict[str, dict[str, str]]] = {
    "zero_i8": {"n": _number("16"), "m": _number("16"), "dst": _local("local")},
    "ld_i8": {
        "n": _number("rows"),
        "m": _number("columns"),
        "src": _memory("src", "from"),
        "dst": _local("local"),
    },
    "zero_acc_i32": {"n": _number("16"), "m": _number("16"), "dst": _local("local", "int32_t")},
    "matmul_acc_i8": {
        **{n: _number("16") for n in "NMK"},
        "A": _local("a"),
        "B": _local("b"),
        "C": _local("c", "int32_t"),
    },
    "st_acc_i32": {
        "n": _number("rows"),
        "m": _number("columns"),
        "src": _local("local", "int32_t"),
        "dst": _memory("dst", "to"),
    },
}


@dataclass(frozen=True)
class _Shape:
    """What im.instruction() takes beside name and C."""

    text: str
    dtypes: dict[str, str]
    places: dict[str, str]
    engine: str
    emit: str
    axes: dict[str, int]
    active: bool = False
    beyond: str = "kept"


_BYTES, _SUMS = {"src": "i8", "dst": "i8"}, {"src": "i32", "dst": "i32"}
_ACC = "gemmini_acc((uint32_t){{{}}})"
SHAPES = {
    "ld_i8": _Shape(
        "dst[r,c] = src[r,c]", _BYTES, {"dst": "scratchpad[r,c]", "src": "memory[r*down + c]"}, "load",
        "exo_ld_i8({src}, {down}, (uint32_t){dst}, {rows}, {columns});", TILE, True, "zero",
    ),
    "zero_acc_i32": _Shape(
        "dst[r,c] = 0", {"dst": "i32"}, {"dst": "accumulator[r,c]"}, "execute",
        f"exo_zero_acc_i32({_ACC.format('dst')});", TILE,
    ),
    "matmul_acc_i8": _Shape(
        "C[i,j] += i32(A[i,k]) * i32(B[k,j])", {"A": "i8", "B": "i8", "C": "i32"},
        {"A": "scratchpad[i,k]", "B": "scratchpad[k,j]", "C": "accumulator[i,j]"}, "execute",
        f"exo_matmul_acc_i8((uint32_t){{A}}, (uint32_t){{B}}, {_ACC.format('C')});", {"i": 16, "j": 16, "k": 16},
    ),
    "st_acc_i32": _Shape(
        "dst[r,c] = src[r,c]", _SUMS, {"dst": "memory[r*down + c]", "src": "accumulator[r,c]"}, "store",
        f"exo_st_acc_i32({{dst}}, {{down}}, {_ACC.format('src')}, {{rows}}, {{columns}});", TILE, True,
    ),
}  # fmt: skip


def gemmini_machine(
    title: str, table: list[GemminiEntry], test: Callable[[list[GemminiEntry]], list[Finding]]
) -> TableMachine:
    """test: of entries, their findings. Raises HardwareError where one of those that are needed is not tested."""
    by_name = {e.name: e for e in table}
    findings = dict(zip(NEEDED, test([by_name[n] for n in NEEDED]), strict=True))
    if failed := [f for f in findings.values() if f.verdict != "tested"]:
        raise HardwareError(f"{title}: {failed[0].name} is {failed[0].verdict}: {failed[0].reason}")
    codes = {n: "\n    ".join(fill(by_name[n].code, _HOLES[n]).splitlines()) for n in NEEDED}
    prelude = MACROS + _WRAPPERS.format(**codes)
    like = find_hardware("gemmini")
    stated = []
    for name, role in ROLES.items():
        made = _instruction(name, prelude, like.instruction(role), by_name[name].where)
        stated.append(Stated(findings[name], made, f"gemmini.{role}"))
    stated.append(Stated(findings["zero_i8"], None, "", "it is a part of ld_i8 here"))
    words = f"{len(ROLES)} instructions of {len(NEEDED)} entries of {title}, tested on the model of Gemmini, not proved"
    machine = Hardware(
        NAME, like.memories, (), tuple(s.instruction for s in stated if s.instruction), words, like.engines
    )
    return TableMachine(machine, tuple(stated))


def _instruction(name: str, prelude: str, like: Instruction, where: str) -> Instruction:
    s = SHAPES[name]
    return im.instruction(
        f"{NAME}.{name}",
        s.text,
        axes=s.axes,
        dtypes=s.dtypes,
        places=s.places,
        engine=s.engine,
        emit=s.emit,
        active={"r": "rows", "c": "columns"} if s.active else None,
        beyond=s.beyond,
        work=like.occupies,
        latency=like.cost.latency,
        per_cycle=like.cost.per_cycle,
        headers=("gemmini_isa.h",),
        prelude=prelude,
    )
