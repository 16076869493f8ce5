"""A toy machine with four lanes, or twice as many as it decides, and kernels lowered for it: small enough to run every boundary in
milliseconds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.codegen.lower import lower
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.expr import sym
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.machine_parameters import MachineParameter
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.scalar import SAdd, SMul, cast, read
from isamap_smt.ir.schedule import LoopStep, Schedule, Stage
from isamap_smt.language.loading import parameter
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import prove

LANES = 4


def _kernel(
    name: str, axes: dict[str, Any], types: dict[str, tuple[str, tuple[Any, ...]]], target: tuple[str, tuple[Any, ...]],
    value: Any, op: str = "+", guard: tuple[Any, ...] = (),
) -> Kernel:  # fmt: skip
    tensors = tuple(Tensor(n, dtype(d), tuple(sp.sympify(e) for e in shape)) for n, (d, shape) in types.items())
    statement = Statement(
        Access(target[0], tuple(sp.sympify(e) for e in target[1])), op, value,
        tuple(Axis(n, sp.sympify(e)) for n, e in axes.items()), guard,
    )  # fmt: skip
    return Kernel(name, tensors, (statement,), (), name)


def _product(a: Any, b: Any, out: str) -> Any:
    return SMul(cast(out, a), cast(out, b))


def gemm(a: str = "f32", b: str = "f32", c: str = "f32") -> Kernel:
    """C[i,j] += A[i,k] * B[k,j]"""
    i, j, k, M, N, K = map(sym, ["i", "j", "k", "I", "J", "K"])
    return _kernel(
        "gemm", {"i": M, "j": N, "k": K}, {"C": (c, (M, N)), "A": (a, (M, K)), "B": (b, (K, N))},
        ("C", (i, j)), _product(read("A", i, k), read("B", k, j), c),
    )  # fmt: skip


def gemm_nt() -> Kernel:
    """C[j,i] += A[i,k] * B[k,j], output not contiguous in the lane."""
    i, j, k, M, N, K = map(sym, ["i", "j", "k", "I", "J", "K"])
    return _kernel(
        "gemm_t", {"i": M, "j": N, "k": K}, {"C": ("f32", (N, M)), "A": ("f32", (M, K)), "B": ("f32", (K, N))},
        ("C", (j, i)), _product(read("A", i, k), read("B", k, j), "f32"),
    )  # fmt: skip


def conv(padded: bool = True) -> Kernel:
    """O[p,q,c] += X[p+r-1,q] * W[r,q,c], zero padding along p."""
    p, q, c, r, P, Q, C = map(sym, ["p", "q", "c", "r", "P", "Q", "C"])
    guard = (sp.Ge(p + r - 1, 0), sp.Lt(p + r - 1, P)) if padded else ()
    return _kernel(
        "conv", {"p": P, "q": Q, "c": C, "r": 3},
        {"O": ("f32", (P, Q, C)), "X": ("f32", (P if padded else P + 2, Q)), "W": ("f32", (3, C))},
        ("O", (p, q, c)), _product(read("X", p + r - (1 if padded else 0), q), read("W", r, c), "f32"), "+", guard,
    )  # fmt: skip


def _instruction(name: str, kind: str, axes: dict[str, int], types: dict[str, Any], target: Any, value: Any,
                 op: str = "=", **more: Any) -> Instruction:  # fmt: skip
    return Instruction(name, _kernel(name, axes, types, target, value, op), kind, **more)


ACTIVE = (("l", "active"),)


def _moves(d: str, group: int, lanes: Any) -> list[Instruction]:
    l, e = sym("l"), sym("e")
    axes = {"l": lanes} if group == 1 else {"l": lanes, "e": group}
    cell, shape = ((l,), (lanes,)) if group == 1 else ((l, e), (lanes, group))
    full, one = {"r": (d, shape), "m": (d, shape)}, {"r": (d, shape), "m": (d, shape[1:])}
    places = {"places": (("r", "v"), ("m", "memory"))}
    s = f"{d}x{group}"
    return [
        _instruction(f"toy.load_{s}", "load", axes, full, ("r", cell), read("m", *cell), **places),
        _instruction(
            f"toy.masked_load_{s}",
            "load",
            axes,
            full,
            ("r", cell),
            read("m", *cell),
            active=ACTIVE,
            beyond="zero",
            **places,
        ),
        _instruction(f"toy.broadcast_{s}", "broadcast", axes, one, ("r", cell), read("m", *cell[1:]), **places),
        _instruction(f"toy.store_{s}", "store", axes, full, ("m", cell), read("r", *cell), **places),
        _instruction(
            f"toy.masked_store_{s}", "store", axes, full, ("m", cell), read("r", *cell), active=ACTIVE, **places
        ),
    ]


def fma(lanes: Any = LANES) -> Instruction:
    """c[l] += a[l] * b[l]"""
    l = sym("l")
    return _instruction(
        "toy.fma", "compute", {"l": lanes}, dict.fromkeys("cab", ("f32", (lanes,))), ("c", (l,)),
        _product(read("a", l), read("b", l), "f32"), "+", places=(("a", "v"), ("b", "v"), ("c", "v")),
    )  # fmt: skip


def dot(lanes: Any = LANES) -> Instruction:
    """c[l] += i32(a[l,e]) * i32(b[l,e])"""
    l, e = sym("l"), sym("e")
    types = {"c": ("i32", (lanes,)), "a": ("u8", (lanes, 2)), "b": ("i8", (lanes, 2))}
    return _instruction(
        "toy.dot", "compute", {"l": lanes, "e": 2}, types, ("c", (l,)),
        _product(read("a", l, e), read("b", l, e), "i32"), "+", places=(("a", "v"), ("b", "v"), ("c", "v")),
    )  # fmt: skip


def zero(lanes: Any = LANES) -> Instruction:
    """r[l] = 0"""
    l = sym("l")
    return _instruction(
        "toy.zero_f32x1", "zero", {"l": lanes}, {"r": ("f32", (lanes,))}, ("r", (l,)), sp.S.Zero, places=(("r", "v"),)
    )


def machine(lanes: Any = LANES, parameters: tuple[MachineParameter, ...] = ()) -> Hardware:
    """The machine with so many lanes."""
    moves = (m for d, group in (("f32", 1), ("i32", 1), ("u8", 2), ("i8", 2)) for m in _moves(d, group, lanes))
    return Hardware("toy", (), (), (fma(lanes), dot(lanes), zero(lanes), *moves), parameters=parameters)


TOY = machine()
FMA, DOT, ZERO = TOY.instructions[:3]


def add(lanes: Any = LANES) -> Instruction:
    """c[l] = a[l] + b[l]"""
    l = sym("l")
    return _instruction(
        "toy.add", "compute", {"l": lanes}, dict.fromkeys("cab", ("f32", (lanes,))), ("c", (l,)),
        SAdd(read("a", l), read("b", l)), places=(("a", "v"), ("b", "v"), ("c", "v")),
    )  # fmt: skip


ADDING = replace(TOY, instructions=(*TOY.instructions, add()))
VL = parameter("VL")
OPEN = machine(2 * VL, (MachineParameter("VL", (1, 2, 3), "toy_length()", 2),)).at()  # two, four or six lanes


def move(name: str) -> Instruction:
    """A move of the toy machine."""
    return next(i for i in TOY.moves if i.name == name)


def mapping(kernel: Kernel, instruction: Instruction, groups: dict[str, tuple[str, ...]]) -> Mapping:
    """The fuse mapping with these groups; operands in written order."""
    return fuse(kernel, instruction, groups)


def schedule(
    m: Mapping, loops: str, accumulate: int, registers: dict[str, int], packing: dict[str, Any] | None = None,
    parallel: int | None = None, sizes: dict[str, int] | None = None, hardware: Hardware = TOY,
) -> Schedule:  # fmt: skip
    """loops as 'i:4 j:8 k:1'; packing: operand -> depth, or 'ahead'."""
    steps = tuple(LoopStep(a, int(s)) for a, s in (x.split(":") for x in loops.split()))
    packs = tuple(Stage(o, 0, True) if d == "ahead" else Stage(o, d) for o, d in (packing or {}).items())
    return Schedule(
        proved(m), steps, accumulate, tuple(registers.items()), packs, parallel,
        sizes=tuple((sizes or {}).items()), hardware=hardware,
    )  # fmt: skip


def proved(m: Mapping) -> ProvedMapping:
    """The mapping with its proof."""
    result = prove(m)
    assert isinstance(result, ProvedMapping), str(result)
    return result


def packed_gemm(
    parallel: int | None = None, sizes: dict[str, int] | None = None, on: Hardware = TOY, narrow: bool = False
) -> Program:
    """Blocked f32 GEMM: 2x(2x4) registers, both operands packed, K in blocks of 3.

    narrow: 2x4 registers, two tiles in each block.
    """
    m = mapping(gemm(), FMA, {"l": ("j",)})
    loops, columns = ("j:8 k:2 i:4 j:4 i:2 k:1", 4) if narrow else ("j:16 k:3 i:6 j:8 i:2 k:1", 8)
    return lower(schedule(m, loops, 5, {"i": 2, "j": columns, "k": 1}, {"a": 3, "b": 2}, parallel, sizes, on))


def blocked_gemm(sizes: dict[str, int] | None = None) -> Program:
    """The same on a machine that adds: each block of K begins at 0, and what was summed before is added to it."""
    return packed_gemm(sizes=sizes, on=ADDING)


def inplace_gemm(sizes: dict[str, int] | None = None, on: Hardware = TOY) -> Program:
    """f32 GEMM that reads both operands in place; rows beyond the end are clamped."""
    m = mapping(gemm(), FMA, {"l": ("j",)})
    return lower(schedule(m, "i:2 j:4 k:1", 2, {"i": 2, "j": 4}, {}, None, sizes, on))


def dot_gemm(sizes: dict[str, int] | None = None, on: Hardware = TOY) -> Program:
    """u8 x i8 GEMM on the dot instruction, both packed, B ahead."""
    m = mapping(gemm("u8", "i8", "i32"), DOT, {"l": ("j",), "e": ("k",)})
    loops = "j:8 k:4 i:2 k:2"
    return lower(schedule(m, loops, 3, {"i": 2, "j": 8, "k": 2}, {"a": 3, "b": "ahead"}, None, sizes, on))


def fused_gemm(sizes: dict[str, int] | None = None, on: Hardware = TOY) -> Program:
    """i and j fused into the lanes: outputs and operands are gathered through packing."""
    m = mapping(gemm(), FMA, {"l": ("i", "j")})
    return lower(schedule(m, "i.j:8 k:2 k:1", 2, {"i.j": 8, "k": 1}, {"a": 2, "b": 2}, None, sizes, on))


def staged_gemm(sizes: dict[str, int] | None = None, on: Hardware = TOY) -> Program:
    """The output is scattered in memory, so accumulators go through a staging buffer."""
    m = mapping(gemm_nt(), FMA, {"l": ("j",)})
    return lower(schedule(m, "i:2 j:4 k:1", 2, {"i": 2, "j": 4}, {"b": 0}, None, sizes, on))


def padded_conv(sizes: dict[str, int] | None = None, on: Hardware = TOY) -> Program:
    """Convolution with zero padding; the input is read from a window with its padding written out."""
    m = mapping(conv(), FMA, {"l": ("c",)})
    return lower(schedule(m, "q:1 p:2 c:4 r:1", 3, {"p": 2, "c": 4}, {}, None, sizes, on))


OF_ANY_LENGTH: dict[str, Callable[[], Program]] = {
    "packed": lambda: packed_gemm(on=OPEN), "parallel": lambda: packed_gemm(0, on=OPEN),
    "inplace": lambda: inplace_gemm(on=OPEN), "dot": lambda: dot_gemm(on=OPEN), "fused": lambda: fused_gemm(on=OPEN),
    "staged": lambda: staged_gemm(on=OPEN), "conv": lambda: padded_conv(on=OPEN),
    "fixed": lambda: packed_gemm(0, {"i": 5, "j": 9, "k": 7}, on=OPEN),
    "whole": lambda: packed_gemm(0, {"i": 6, "j": 48, "k": 6}, on=OPEN),
    "small": lambda: dot_gemm({"i": 3, "j": 8, "k": 5}, on=OPEN),
}  # fmt: skip
