"""Schedules written by hand, so that every corner of the lowering is reached and not only what the solver likes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

from isamap_smt.codegen import lower
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import LEFT_OUT, LoopStep, Schedule, Stage
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.language.library import find_kernel
from isamap_smt.mapping.fuse import fuse
from isamap_smt.mapping.point import point_instruction
from isamap_smt.proof import prove

P = Stage


@dataclass(frozen=True)
class Case:
    """A kernel, how it is mapped, and a schedule. loops: axis:step, '|' where the accumulators open."""

    name: str
    kernel: str
    hardware: str
    instruction: str
    axes: str
    loops: str
    registers: tuple[tuple[str, int], ...]
    packing: tuple[Stage, ...]
    sizes: tuple[tuple[str, int], ...]
    dtypes: tuple[tuple[str, str], ...] = ()
    parallel: int | None = None
    fixed: bool = True
    notes: tuple[str, ...] = field(default=())

    def the_kernel(self) -> Kernel:
        kernel = find_kernel(self.kernel)
        return kernel.with_dtypes(dict(self.dtypes)) if self.dtypes else kernel

    def schedule(self) -> Schedule:
        before, after = self.loops.split("|")
        outer = tuple(_step(s) for s in before.split())
        inner = tuple(_step(s) for s in after.split())
        return Schedule(
            proved(self.the_kernel(), self.hardware, self.instruction, self.axes),
            (*outer, *inner),
            len(outer),
            self.registers,
            self.packing,
            parallel=self.parallel,
            sizes=self.sizes if self.fixed else (),
            hardware=find_hardware(self.hardware),
        )

    def program(self) -> Program:
        return _lowered(self)

    def symbolic(self) -> Case:
        """The same with every size a run-time parameter."""
        return Case(**{**self.__dict__, "fixed": False, "name": self.name + " symbolic"})


@cache
def _lowered(case: Case) -> Program:
    return lower(case.schedule())


def _step(text: str) -> LoopStep:
    axis, step = text.rsplit(":", 1)
    return LoopStep(axis, int(step))


@cache
def proved(kernel: Kernel, hardware: str, instruction: str, axes: str) -> ProvedMapping:
    """The proved mapping; a rejection fails the test with its text."""
    chosen: Any = (
        point_instruction(kernel) if instruction == "point" else find_hardware(hardware).instruction(instruction)
    )
    result = prove(fuse(kernel, chosen, axes or {}, "fixed"))
    assert isinstance(result, ProvedMapping), str(result)
    return result


GEMM_LOOPS = "j:32 k:8 i:12 j:16 i:6 | k:1"
GEMM_SIZES = (("i", 17), ("j", 37), ("k", 19))
TILE = (("i", 6), ("j", 16))
BYTES = (("A", "u8"), ("B", "i8"), ("C", "i32"))
HALF = (("A", "bf16"), ("B", "bf16"))
CONV = tuple(dict(n=2, p=5, q=7, k=11, c=3, r=3, s=3, sp=2, sq=1, dp=1, dq=2, pp=1, pq=1).items())
STRIDED = tuple(dict(n=1, p=9, q=10, c=11, r=3, s=3, sp=2, sq=2, dp=1, dq=1, pp=1, pq=1).items())
DEPTH = tuple(dict(n=2, p=5, q=7, c=11, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1).items())

GEMM = [
    Case("both packed", "gemm", "avx2", "fmadd_ps", "l=j", GEMM_LOOPS, TILE, (P("a", 3), P("b", 2)), GEMM_SIZES),
    Case("b ahead", "gemm", "avx2", "fmadd_ps", "l=j", GEMM_LOOPS, TILE, (P("a"), P("b", 0, True)), GEMM_SIZES),
    Case("in place", "gemm", "avx2", "fmadd_ps", "l=j", GEMM_LOOPS, TILE, (P("a"), P("b")), GEMM_SIZES),
    Case("parallel outside", "gemm", "avx2", "fmadd_ps", "l=j", GEMM_LOOPS, TILE, (P("a", 3), P("b", 2)), GEMM_SIZES,
         parallel=0),
    Case("parallel rows", "gemm", "avx2", "fmadd_ps", "l=j", GEMM_LOOPS, TILE, (P("a", 3), P("b", 2)), GEMM_SIZES,
         parallel=2),
    Case("parallel inside", "gemm", "avx2", "fmadd_ps", "l=j", GEMM_LOOPS, TILE, (P("a", 3), P("b", 2)), GEMM_SIZES,
         parallel=3),
    Case("rows in lanes", "gemm", "avx2", "fmadd_ps", "l=i", "j:4 i:16 | k:1", (("i", 16), ("j", 4)),
         (P("a", 2), P("b")), GEMM_SIZES),
    Case("fused lanes", "gemm", "avx2", "fmadd_ps", "l=i.j", "i.j:16 | k:1", (("i.j", 16),), (P("a", 1), P("b", 1)),
         GEMM_SIZES),
    Case("bytes", "gemm", "avx2", "madd_u8i8", "l=j,e=k", "j:16 k:8 i:3 | k:4", (("i", 3), ("j", 16)),
         (P("a", 3), P("b", 2)), GEMM_SIZES, BYTES),
    Case("transposed", "gemm_nt", "avx2", "fmadd_ps", "l=j", GEMM_LOOPS, TILE, (P("a"), P("b", 2)), GEMM_SIZES),
    Case("vector", "matvec", "avx2", "fmadd_ps", "l=i", "i:16 | k:1", (("i", 16),), (P("a", 1), P("b")),
         (("i", 21), ("k", 19))),
    Case("scalar", "gemm", "scalar", "muladd_f32", "", "j:4 i:2 | k:1", (("i", 2), ("j", 4)), (P("a"), P("b")),
         GEMM_SIZES),
    Case("scalar bf16", "gemm", "scalar", "muladd_f32_bf16", "", "j:4 i:2 | k:1", (("i", 2), ("j", 4)),
         (P("a"), P("b")), GEMM_SIZES, HALF),
    Case("point", "gemm", "scalar", "point", "", "j:4 i:2 | k:1", (("i", 2), ("j", 4)), (P("x0"), P("x1")),
         GEMM_SIZES, HALF),
]  # fmt: skip
GEMM_512 = [
    Case("avx512", "gemm", "avx512", "fmadd_ps", "l=j", "j:32 k:8 i:12 i:6 | k:1", (("i", 6), ("j", 32)),
         (P("a", 3), P("b", 2)), GEMM_SIZES),
    Case("vnni", "gemm", "avx512_vnni", "dpbusd", "l=j,e=k", "j:32 k:8 i:3 | k:4", (("i", 3), ("j", 32)),
         (P("a", 3), P("b", 2)), GEMM_SIZES, BYTES),
    Case("bf16", "gemm", "avx512_bf16", "dpbf16_ps", "l=j,e=k", "j:32 k:8 i:3 | k:2", (("i", 3), ("j", 32)),
         (P("a", 3), P("b", 2)), GEMM_SIZES, HALF),
]  # fmt: skip
CONVOLUTIONS = [
    Case("conv window", "conv2d", "avx2", "fmadd_ps", "l=q", "k:2 n:1 p:1 q:8 | r:1 s:1 c:1", (("k", 2), ("q", 8)),
         (P("a"), P("b")), (*CONV[:4], ("c", 1), *CONV[5:])),
    Case("conv border", "conv2d", "avx2", "fmadd_ps", "l=k", "k:16 n:1 p:1 q:3 | r:1 s:1 c:1", (("q", 3), ("k", 16)),
         (P("a", padding=LEFT_OUT), P("b", 0, True)), CONV),
    Case("conv border of whole rows", "conv2d", "avx2", "fmadd_ps", "l=k", "k:8 n:1 p:1 | r:1 s:1 c:1", (("q", 7), ("k", 8)),
         (P("a"), P("b", 0, True)), CONV),
    Case("conv border, weights streamed", "conv2d", "avx2", "fmadd_ps", "l=k", "k:24 n:1 p:1 q:2 | r:1 s:1 c:1",
         (("q", 2), ("k", 24)), (P("a"), P("b", 0, True)), CONV),
    Case("conv packed", "conv2d", "avx2", "fmadd_ps", "l=k", "k:16 n:1 p:1 q:3 | r:1 s:1 c:1", (("q", 3), ("k", 16)),
         (P("a", 3), P("b", 0)), CONV),
    Case("conv fused pixels", "conv2d", "avx2", "fmadd_ps", "l=p.q", "n:1 p.q:8 k:2 | r:1 s:1 c:1",
         (("k", 2), ("p.q", 8)), (P("a", 2), P("b")), CONV),
    Case("conv all fused", "conv2d", "avx2", "fmadd_ps", "l=n.p.q.k", "n.p.q.k:8 | r:1 s:1 c:1", (),
         (P("a", 1), P("b", 1)), CONV),
    Case("conv bytes", "conv2d", "avx2", "madd_u8i8", "l=k,e=s.c", "k:16 n:1 p:1 q:3 | r:1 s.c:4",
         (("q", 3), ("k", 16)), (P("a", 3), P("b", 0)), CONV, (("I", "u8"), ("W", "i8"), ("O", "i32"))),
    Case("depthwise", "depthwise_conv2d", "avx2", "fmadd_ps", "l=c", "n:1 p:1 q:4 c:16 | r:1 s:1",
         (("q", 4), ("c", 16)), (P("a"), P("b")), DEPTH),
    Case("depthwise packed", "depthwise_conv2d", "avx2", "fmadd_ps", "l=c", "n:1 p:1 q:4 c:16 | r:1 s:1",
         (("q", 4), ("c", 16)), (P("a", 4), P("b", 0)), DEPTH),
    Case("depthwise border", "depthwise_conv2d", "avx2", "fmadd_ps", "l=c", "n:1 p:2 q:4 c:8 | r:1 s:1",
         (("p", 2), ("q", 4), ("c", 8)), (P("a"), P("b")), STRIDED),
    Case("depthwise border in blocks", "depthwise_conv2d", "avx2", "fmadd_ps", "l=c", "r:2 p:4 n:1 p:2 q:4 c:8 | r:1 s:1",
         (("p", 2), ("q", 4), ("c", 8)), (P("a"), P("b", 0)), STRIDED),
]  # fmt: skip
ALL = GEMM + GEMM_512 + CONVOLUTIONS
EVERY_SIZE = [c.symbolic() for c in ALL if "border" not in c.name and c.name not in ("conv window", "depthwise")]
