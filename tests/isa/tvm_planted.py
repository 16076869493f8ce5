"""The dot product of TVM's x86 table, with one fault each."""

from __future__ import annotations

from typing import Any

from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def signed_for_unsigned(
    A: T.Buffer((4,), "uint8", offset_factor=1),  # type: ignore[valid-type]
    B: T.Buffer((16, 4), "int8", offset_factor=1),  # type: ignore[valid-type]
    C: T.Buffer((16,), "int32", offset_factor=1),  # type: ignore[valid-type]
) -> None:
    with T.sblock("root"):
        T.reads(C[0:16], A[0:4], B[0:16, 0:4])
        T.writes(C[0:16])
        a = T.broadcast(T.reinterpret(A.vload([0], "uint8x4"), dtype="int32"), 16)
        b = T.reinterpret(B.vload([0, 0], dtype="int8x64"), dtype="int32x16")
        C[T.ramp(T.int32(0), 1, 16)] = T.call_llvm_pure_intrin(
            T.llvm_lookup_intrinsic_id("llvm.x86.avx512.vpdpbusd.512"),
            C.vload([0], dtype="int32x16"),
            b,
            a,
            dtype="int32x16",
        )


@T.prim_func(s_tir=True)
def a_row_too_far(
    A: T.Buffer((4,), "uint8", offset_factor=1),  # type: ignore[valid-type]
    B: T.Buffer((16, 4), "int8", offset_factor=1),  # type: ignore[valid-type]
    C: T.Buffer((16,), "int32", offset_factor=1),  # type: ignore[valid-type]
) -> None:
    with T.sblock("root"):
        T.reads(C[0:16], A[0:4], B[0:16, 0:4])
        T.writes(C[0:16])
        a = T.broadcast(T.reinterpret(A.vload([0], "uint8x4"), dtype="int32"), 16)
        b = T.reinterpret(B.vload([1, 0], dtype="int8x64"), dtype="int32x16")
        C[T.ramp(T.int32(0), 1, 16)] = T.call_llvm_pure_intrin(
            T.llvm_lookup_intrinsic_id("llvm.x86.avx512.vpdpbusd.512"),
            C.vload([0], dtype="int32x16"),
            a,
            b,
            dtype="int32x16",
        )


@T.prim_func(s_tir=True)
def added_twice(
    A: T.Buffer((4,), "uint8", offset_factor=1),  # type: ignore[valid-type]
    B: T.Buffer((16, 4), "int8", offset_factor=1),  # type: ignore[valid-type]
    C: T.Buffer((16,), "int32", offset_factor=1),  # type: ignore[valid-type]
) -> None:
    with T.sblock("root"):
        T.reads(C[0:16], A[0:4], B[0:16, 0:4])
        T.writes(C[0:16])
        a = T.broadcast(T.reinterpret(A.vload([0], "uint8x4"), dtype="int32"), 16)
        b = T.reinterpret(B.vload([0, 0], dtype="int8x64"), dtype="int32x16")
        C[T.ramp(T.int32(0), 1, 16)] += T.call_llvm_pure_intrin(
            T.llvm_lookup_intrinsic_id("llvm.x86.avx512.vpdpbusd.512"),
            C.vload([0], dtype="int32x16"),
            a,
            b,
            dtype="int32x16",
        )


FAULTS: dict[str, tuple[Any, str]] = {
    "signed for unsigned": (signed_for_unsigned, "C[0] is another value"),
    "a row too far": (a_row_too_far, "reads B[64], and B has 64 elements"),
    "added twice": (added_twice, "C[0] is another value"),
}
