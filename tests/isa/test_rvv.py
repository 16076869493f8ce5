"""RISC-V's vector intrinsics: the lanes that they set are what QEMU gives, and Exo's table, with vl fixed, carries GEMM."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings import bit_terms as bits
from isamap_smt.isa.c_types import NAMED, named
from isamap_smt.isa.c_values import Address, Block, Promises
from isamap_smt.isa.confirm import calling
from isamap_smt.isa.entry import Case, Operand
from isamap_smt.isa.evaluate import evaluate
from isamap_smt.isa.meanings import Meaning
from isamap_smt.isa.meanings_rvv import REQUIRES, stated
from isamap_smt.isa.silicon import FUNCTION, find_place, run_rows
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.targets import Target, find_target

F32 = im.f32
VALUES = (0.0, -0.0, 1.0, -2.5, 3.0e38, 1e-45, float("inf"), float("nan"), 7.0, 0.1)


@pytest.mark.one_in(
    4,
    each=(
        "vl",
        "m",
    ),
)
@pytest.mark.parametrize("m", tuple(stated()), ids=lambda m: m.name)
@pytest.mark.parametrize("vl", [1, 3, 4])
def test_lanes_below_vl_are_qemus(m: Meaning, vl: int) -> None:
    place = find_place(REQUIRES)
    if isinstance(place, str):
        pytest.skip(place)
    operands, given, arguments, promises = [], [], [], Promises()
    for n, kind in enumerate(m.params[:-1]):
        c, name = named(kind), f"x{n}"
        count = 1 if c.kind == "f" else 4
        cells = [bits.cell(f"{name}[{k}]", 32) for k in range(count)]
        where = "memory" if c.kind == "p" else "value"
        operands.append(Operand(name, F32, count, where, NAMED["float"] if c.kind == "p" else c))
        given.append(name)
        whole = bits.concat(cells)
        arguments.append(Address(Block(name, whole, 32), 0, NAMED["float"]) if c.kind == "p" else whole)
    done = m.compute(promises, *arguments, bits.const(vl, 64))
    stores = done is None
    if not stores:
        operands.append(Operand("r", F32, 4, "result", NAMED["vfloat32m1_t"]))
    else:
        done = arguments[0].block.contents
    names = ", ".join(f"{p} x{n}" for n, p in enumerate(m.params[:-1]))
    call = f"{m.name}({', '.join([*given, str(vl)])})"
    result = "void" if stores else "vfloat32m1_t"
    body = f"static {result} f({names}) {{ {'' if stores else 'return '}{call}; }}\n"
    source = f"#include <riscv_vector.h>\n#include <string.h>\n{body}"
    case = Case(source, "f", tuple(operands), tuple(given), {}, {})
    size = 4 * sum(o.count for o in operands)
    rows = np.random.default_rng(1).choice(np.array(VALUES, np.float32), (40, size // 4))
    found = run_rows(place, f"{source}void {calling(case, FUNCTION)}", REQUIRES, rows.view(np.uint8), size).view(
        np.uint32
    )
    inputs, at = {}, 0
    for o in operands:
        for k in range(o.count):
            inputs[f"{o.name}[{k}]"] = rows.view(np.uint32)[:, at + k].astype(np.uint64)
        at += o.count
    first = 0 if stores else size // 4 - 4
    for k, lane in enumerate(bits.lanes(done, 32)):
        if k >= vl and not stores:
            continue
        said = np.broadcast_to(evaluate([lane], inputs)[0], (len(rows),)).astype(np.uint32)
        got = found[:, first + k]
        nan = np.isnan(said.view(np.float32)) & np.isnan(np.ascontiguousarray(got).view(np.float32))
        assert ((said == got) | nan).all(), (k, said, got)


@pytest.fixture(scope="module")
def riscv() -> Target:
    """64-bit RISC-V, emulated."""
    found = find_target("riscv64-linux-musl")
    if why := found.available():
        pytest.skip(why)
    return found


def test_gemm_on_exos_riscv_vectors_at_vl_4_equals_numpy_emulated(riscv: Target) -> None:
    pytest.importorskip("exo.platforms", reason="exo-lang is not installed: pip install 'exo-lang>=1.0'")
    machine = find_hardware("exo:RVV(vl=4)")
    assert {i.kind for i in machine.instructions} == {"load", "store", "broadcast", "zero", "compute"}
    plan = im.plan(im.find_kernel("gemm"), machine)
    assert plan.instruction.short == "rvv_vfmacc_4xf32_4xf32"
    made = riscv.build(riscv.emit(plan))
    random = np.random.default_rng(2)
    for i, j, k in ((1, 1, 1), (37, 29, 50), (8, 16, 3)):
        a, b = (random.integers(-8, 8, shape).astype(np.float32) for shape in ((i, k), (k, j)))
        np.testing.assert_array_equal(made(a, b), a @ b)


def test_a_number_that_no_entry_has_is_named() -> None:
    pytest.importorskip("exo.platforms", reason="exo-lang is not installed: pip install 'exo-lang>=1.0'")
    with pytest.raises(im.IsamapError, match=r"no entry has a number 'VL'; did you mean vl"):
        find_hardware("exo:RVV(VL=4)")


def test_with_any_vl_only_the_store_is_what_its_text_says() -> None:
    pytest.importorskip("exo.platforms", reason="exo-lang is not installed: pip install 'exo-lang>=1.0'")
    assert [i.short for i in find_hardware("exo:RVV").instructions] == ["rvv_vst_4xf32"]
