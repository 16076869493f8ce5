"""C = A B in f32, scheduled with Exo: panels of B packed, tiles of C in registers, lanes masked at the edge."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from itertools import product as pairs
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case
from isamap_smt.bench.peers.exo_products import first_lanes_avx2, packed_memory, product, whole
from isamap_smt.bench.work import Unsupported, Work
from isamap_smt.isa.quick_import import quick_stacks
from isamap_smt.language.hardware_library import host_features
from isamap_smt.runtime.cache import build_library

DEPTH = 256  # of a packed panel at most
PANEL = 24 * 1024  # bytes of one at most, so that it stays in a first-level cache
BLOCK = 384  # rows that a panel is kept for: of 256 floats each they fit into a second-level cache
FEW = 6  # rows at most for which packing does not pay
NARROW = 64  # depth of panels that are not packed: as many rows of B are read side by side
NAME = "isamap_exo_sgemm"
_CHAINS = 8  # accumulations under way at once: latency 4 at two a cycle
_OUTER = {"i": "", "j": "ki", "k": "i"}  # from the inside: the loops around each in a product
Size = tuple[int, int, int]  # rows, columns, depth


@dataclass(frozen=True, eq=False)
class Vectors:
    """An instruction set as the schedule uses it. whole, first: the instructions on all lanes and on the first ones."""

    name: str
    lanes: int
    registers: int
    memory: Any
    whole: dict[str, Any]
    first: dict[str, Any]


@cache
def vectors(avx512: bool) -> Vectors:
    """AVX-512, or AVX2 with FMA."""
    from exo.libs.memories import AVX2, AVX512
    from exo.platforms import x86

    kinds = ("load", "store", "broadcast", "fma")
    if avx512:
        whole = (x86.mm512_loadu_ps, x86.mm512_storeu_ps, x86.mm512_set1_ps, x86.mm512_fmadd_ps)
        first = (x86.mm512_maskz_loadu_ps, x86.mm512_mask_storeu_ps, x86.mm512_mask_set1_ps, x86.mm512_mask_fmadd_ps)
        made = Vectors("AVX-512", 16, 32, AVX512, {}, {})
    else:
        whole = (x86.mm256_loadu_ps, x86.mm256_storeu_ps, x86.mm256_broadcast_ss, x86.mm256_fmadd_ps)
        first = first_lanes_avx2()
        made = Vectors("AVX2", 8, 16, AVX2, {}, {})
    made.whole.update(zip(kinds, whole, strict=True))
    made.first.update(zip(kinds, first, strict=True))
    return made


def tile(rows: int, columns: int, lanes: int, registers: int) -> tuple[int, int]:
    """(rows, vectors) of the tile of C that computes this product in the fewest cycles, by counting instructions.

    Loads are hidden behind products, but not quite.

    >>> tile(1024, 700, 8, 16), tile(1024, 700, 16, 32), tile(1, 700, 8, 16)
    ((6, 2), (5, 5), (1, 7))
    """
    wide = -(-columns // lanes)

    def cycles(shape: tuple[int, int]) -> float:
        each = [(a, b, n * m) for a, n in _pieces(rows, shape[0]) for b, m in _pieces(wide, shape[1])]
        return sum(n * (max(a * b, a + b, _CHAINS) / 2 + (a + b) / 8) for a, b, n in each)

    shapes = pairs(range(1, min(rows, registers) + 1), range(1, min(wide, registers) + 1))
    return min(((r, w) for r, w in shapes if r * w + w + 2 <= registers), key=cycles)


def _pieces(total: int, size: int) -> list[tuple[int, int]]:
    """(size, how many) of the pieces."""
    return [(s, n) for s, n in ((size, total // size), (total % size, 1)) if s and n]


@quick_stacks()  # each step of the schedule asks for the stack
def source(rows: int, columns: int, depth: int, avx512: bool) -> tuple[str, str]:
    """(C of `void isamap_exo_sgemm(void *, const float *A, const float *B, float *C)`, the schedule in words)."""
    from exo.stdlib import scheduling as ex

    v = vectors(avx512)
    r, w = tile(rows, columns, v.lanes, v.registers)
    wide = min(columns, w * v.lanes)
    packs = rows > FEW
    deep = min(depth, DEPTH, PANEL // (4 * wide)) if packs else min(depth, NARROW)
    block = -(-rows // -(-rows // BLOCK))  # rows, in as many blocks as needed of the same size
    levels = (("i", -(-block // r) * r), ("k", deep), ("j", wide), ("i packed" if packs else "i", r))
    size = (rows, columns, depth)
    p = ex.replace(whole(*size), "for i in _: _", _plain(size, True))
    p = ex.call_eqv(p, "product(_)", _blocked(v, levels, size, True))
    return str(p.c_code_str()), f"{v.name}, {r}x{wide} tile, {deep} deep panels{' packed' if packs else ''}"


@cache
def _plain(size: Size, known: bool) -> Any:
    """The product not scheduled, for this depth or, unless it is known, any up to this."""
    p = product(*size)
    return p.partial_eval(K=size[2]) if known else p


@cache
def _blocked(v: Vectors, levels: tuple[tuple[str, int], ...], size: Size, known: bool) -> Any:
    """The product, with an axis divided for each level (axis, size of the pieces); pieces of the last are tiles."""
    from exo.stdlib import scheduling as ex

    if not levels:
        return _registers(v, size)
    (axis, most), inner = levels[0], levels[1:]
    p = ex.rename(_plain(size, known), "_".join(["by", axis[0], *map(str, size), "all" if known else "part"]))
    if axis == "i packed":
        p, axis = _packed(p, size), "i"
    at = "ijk".index(axis)
    piece = min(most, size[at])
    for outer in _OUTER[axis]:
        p = ex.reorder_loops(p, f"{outer} {axis}")
    tail = size[at] % piece
    how: dict[str, Any] = {"tail": "cut"} if tail else {"perfect": True}
    p = ex.simplify(ex.divide_loop(p, axis, piece, [f"{axis}o", f"{axis}i"], **how))
    known = known and axis != "k"
    for part in (piece, tail)[: 1 + bool(tail)]:
        smaller = (*size[:2], piece) if axis == "k" else (*size[:at], part, *size[at + 1 :])
        for outer in reversed(_OUTER[axis]):
            p = ex.reorder_loops(p, f"{axis}i {outer}")
        nest = p.find_loop("ii" if axis == "i" else "i")
        p = ex.replace(p, nest, _plain(smaller, known))
        p = ex.call_eqv(p, "product(_)", _blocked(v, inner, smaller, known))
    return p


def _packed(p: Any, size: Size) -> Any:
    """The panel of B copied first, one row behind the other."""
    from exo.stdlib import scheduling as ex

    p = ex.stage_mem(p, p.find_loop("i"), f"B[0:K, 0:{size[1]}]", "panel")
    p = ex.resize_dim(p, "panel", 0, size[2], 0)
    return ex.set_memory(p, "panel", packed_memory())


@cache
def _registers(v: Vectors, size: Size) -> Any:
    """A tile: C in registers for all of K, a row of B in registers at each step."""
    from exo.stdlib import scheduling as ex

    rows, columns, _ = size
    p = ex.rename(_plain(size, False), "_".join(["tile", *map(str, size)]))
    p = ex.reorder_loops(p, "i k")
    p = ex.stage_mem(p, p.find_loop("k"), f"C[0:{rows}, 0:{columns}]", "sums")
    p = ex.stage_mem(p, p.find_loop("i"), f"B[k, 0:{columns}]", "row")
    for loop in [p.find_loop(n) for n in ("i1 #0", "i0 #1", "j", "i1 #1")]:
        p = _lanes(p, loop, columns, v.lanes)
    for name, axis in (("sums", 1), ("row", 0)):
        p = ex.resize_dim(p, name, axis, -(-columns // v.lanes) * v.lanes, 0)
        p = ex.divide_dim(p, name, axis, v.lanes)
        p = ex.set_memory(p, name, v.memory)
    p = ex.repeat(ex.unroll_loop)(p, "vector")
    p = _instructions(_broadcast(ex.simplify(p), v), v)
    for name in ("i", "i0", "i0"):
        p = ex.unroll_loop(p, name)
    return ex.simplify(p)


def _lanes(p: Any, loop: Any, columns: int, lanes: int) -> Any:
    """A loop over columns as loops over lanes: whole vectors, then the first lanes of one."""
    from exo.stdlib import scheduling as ex

    loop = p.forward(loop)
    if columns >= lanes:
        how: dict[str, Any] = {"tail": "cut"} if columns % lanes else {"perfect": True}
        p = ex.divide_loop(p, loop, lanes, ["vector", "lane"], **how)
        loop = p.forward(loop).next() if columns % lanes else None
    if loop is not None:
        p = ex.divide_loop(p, loop, lanes, ["vector", "lane"], tail="guard")
        p = ex.mult_loops(p, p.forward(loop), "lane")
    return ex.simplify(p)


def _broadcast(p: Any, v: Vectors) -> Any:
    """An element of A in all lanes of a register before each product."""
    from exo.stdlib import scheduling as ex

    for n, loop in enumerate(p.find_loop("i").body()):
        inside = p.forward(loop).body()[0]
        masked = isinstance(inside, ex.IfCursor)
        step = inside.body()[0] if masked else inside
        p = ex.bind_expr(p, [step.rhs().lhs()], f"a{n}")
        p = ex.expand_dim(p, f"a{n}", v.lanes, loop.name())
        p = ex.lift_alloc(p, f"a{n}", n_lifts=1 + masked)
        p = ex.fission(p, p.forward(step).before(), n_lifts=1 + masked)
        p = ex.set_memory(p, f"a{n}", v.memory)
    return p


def _instructions(p: Any, v: Vectors) -> Any:
    """Each loop over lanes as the instruction that does it."""
    from exo.stdlib import scheduling as ex

    lane = (ex.IfCursor, ex.AssignCursor, ex.ReduceCursor)
    loops = [loop for loop in p.find("for _ in _: _", many=True) if isinstance(loop.body()[0], lane)]
    for loop in loops:
        inside = loop.body()[0]
        masked = isinstance(inside, ex.IfCursor)
        step = inside.body()[0] if masked else inside
        if isinstance(step, ex.ReduceCursor):
            kind = "fma"
        elif step.name() == "C":
            kind = "store"
        else:
            kind = "broadcast" if step.rhs().name() == "A" else "load"
        p = ex.replace(p, loop, (v.first if masked else v.whole)[kind])
    return p


_AVX2, _AVX512 = ("avx2", "fma"), ("avx512f",)


def open_case(case: Case, condition: str, threads: int, arrays: dict[str, np.ndarray], options: dict[str, Any]) -> Work:
    """C += A B, from zeros on. Raises Unsupported where this CPU lacks what the schedule is written for."""
    have = host_features()
    requires = next((r for r in (_AVX512, _AVX2) if have.issuperset(r)), None)
    if requires is None:
        raise Unsupported("the schedule is for AVX-512, or AVX2 with FMA")
    size = case.size
    text, words = source(size["i"], size["j"], size["k"], avx512=requires is _AVX512)
    call = getattr(ctypes.CDLL(str(build_library(text, requires, native=True))), NAME)
    call.argtypes, call.restype = [ctypes.c_void_p] * 4, None
    out = np.zeros((size["i"], size["j"]), np.float32)
    a, b, c = (ctypes.c_void_p(t.ctypes.data) for t in (arrays["A"], arrays["B"], out))
    held = (arrays["A"], arrays["B"], out)  # the pointers do not keep them
    return Work(lambda: call(None, a, b, c), lambda: held[2], {"call": f"Exo's sgemm, {words}"})
