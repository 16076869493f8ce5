"""Every stage's value prints, in a terminal and in a notebook, and names what it was made from."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.ir.expr import sym
from isamap_smt.ir.hypotheses import Finite
from isamap_smt.ir.notebook import Shown, Table, html_table, pre
from isamap_smt.ir.program import Alloc, Buffer, IndexType, Loop, Ref, copy_of
from isamap_smt.ir.pseudocode import declaration, pseudocode
from isamap_smt.pipeline.build import build
from isamap_smt.pipeline.plan import Plan, plan
from isamap_smt.search import MappingSet

TEXT = "C[i,j] += A[i,k] * B[k,j]"


@pytest.fixture(scope="module")
def planned() -> Plan:
    machine = im.find_hardware("avx2")
    sizes = {"i": 35, "j": 70, "k": 64}
    return plan(im.kernel(TEXT, name="gemm"), machine, sizes=sizes, fix={"register.i": 4, "register.j": 8})


@pytest.fixture(scope="module")
def rejection() -> Any:
    return im.prove(im.fuse(im.kernel(TEXT, name="gemm"), im.find_instruction("avx2.fmadd_ps"), "l=k"))


def test_a_kernel_prints_its_text_types_shapes_and_open_sizes():
    kernel = im.kernel(TEXT, name="gemm").with_sizes({"k": 8}).with_dtypes({"A": "f64"})
    assert str(kernel).splitlines() == [
        "gemm: C[i,j] += A[i,k] * B[k,j]",
        "  C: f32[I, J]",
        "  A: f64[I, 8]",
        "  B: f32[8, J]",
        "  sizes left open: I, J",
    ]


def test_an_instruction_prints_what_it_really_computes():
    text = str(im.find_instruction("avx512_vnni.maddubs_dot"))
    assert text.startswith("avx512_vnni.maddubs_dot: acc[l] += i32(a[l,e]) * i32(b[l,e])  (l < 16, e < 4)\n")
    assert "  really computes acc[l] += i32(sat_i16(" in text
    assert "  a: u8[16, 4] in zmm" in text
    assert "  needs avx512f, avx512bw" in text
    assert "really" not in str(im.find_instruction("avx512_vnni.dpbusd"))


def test_a_machine_prints_its_memories_in_bytes():
    text = str(im.find_hardware("avx2"))
    assert "  ymm: 16 x 32 bytes" in text
    assert "  DRAM: unlimited, shared by the cores" in text
    assert "  L1 -> ymm: 64 bytes per cycle" in text


def test_a_mapping_prints_what_each_cell_holds(planned: Plan):
    lines = str(planned.proved.mapping).splitlines()
    assert lines[0].startswith("gemm onto avx2.fmadd_ps: l=j;")
    assert "  c[l] : C[i_out, l + 8*l_tile]" in lines
    assert "  b[l] : B[k_out, l + 8*l_tile]" in lines
    assert lines[-1] == "  where l + 8*l_tile < J"


def test_a_program_prints_as_pseudocode(planned: Plan):
    text = str(planned.program)
    assert text == pseudocode(planned.program)
    lines = [line.strip() for line in text.splitlines()]
    assert lines[:4] == [
        "program for gemm",
        "tensor C: f32[35, 70]",
        "tensor A: f32[35, 64]",
        "tensor B: f32[64, 70]",
    ]
    accumulators = next(line for line in lines if line.startswith("acc["))
    assert re.match(
        r"acc\[i_u(, \w+)*, l\] : C\[.*i_u, .*l.*\] where .* < 35 and .* < 70, else unused  # ", accumulators
    )
    assert accumulators.endswith("x 8 f32 in registers")
    loads = [line for line in lines if "= avx2.masked_load_f32(C[" in line]
    assert loads and all(", active=" in line for line in loads)
    assert any(line.startswith("C[") and "= avx2.store_f32(acc[" in line for line in lines)
    work = [line for line in lines if line.startswith("avx2.fmadd_ps(")]
    assert work and all(re.search(r"c=acc\[.*\]\)  # computes i=.*, k=.*, j=", line) for line in work)


def test_the_pseudocode_has_one_line_for_every_node(planned: Plan):
    from isamap_smt.ir.traversal import walk

    nodes = list(walk(planned.program))
    body = str(planned.program).split("each call:\n")[1].splitlines()
    assert not planned.program.ahead
    assert len(body) == len(nodes)
    depths = [(len(line) - len(line.lstrip())) // 2 - 1 for line in body]
    assert depths == [len(around) for _, around in nodes]


def test_a_program_that_computes_something_else_prints_otherwise(planned: Plan):
    program = planned.program
    loop = next(n for n in program.body if isinstance(n, Loop))
    shorter = replace(program, body=tuple(replace(n, count=n.count - 1) if n is loop else n for n in program.body))
    assert str(shorter) != str(program)


def test_a_cell_keeps_its_long_name_where_the_short_one_is_taken():
    cell, loop = sym("c_i"), sym("i")
    held = IndexType("A", (4 * loop + cell,), (4 * loop + cell < 10,), "0")
    line = declaration(Buffer("a", im.f32, (cell,), (4,), held))
    assert line == "a[c_i] : A[c_i + 4*i] where c_i + 4*i < 10, else 0  # 4 f32 in memory"
    free = IndexType("A", (4 * sym("i0") + cell,))
    assert declaration(Buffer("a", im.f32, (cell,), (4,), free)) == "a[i] : A[i + 4*i0]  # 4 f32 in memory"


def test_copies_and_ahead_print_with_their_fill(planned: Plan):
    s = sym("s")
    copy = copy_of(Ref("b", (s,)), Ref("B", (s - 1,)), ((s, 8),), (s - 1 >= 0,), "-0", dtypes=(im.f32, im.f32))
    buffer = Buffer("b", im.f32, (sym("c_s"),), (8,), IndexType("B", (sym("c_s") - 1,), (sym("c_s") >= 1,), "-0"))
    program = replace(planned.program, ahead=(Alloc(buffer), copy, replace(copy, fill="")), hypotheses=(Finite("B"),))
    text = str(program)
    assert "assumes B is finite\nonce, before the calls:\n  b[s] : B[s - 1] where s >= 1, else -0" in text
    assert "  b[s] = B[s - 1] for s < 8 where s - 1 >= 0, else -0\n" in text
    assert "  b[s] = B[s - 1] for s < 8 where s - 1 >= 0, else unchanged\n" in text


def test_an_optimum_is_never_said_without_its_space(planned: Plan):
    assert planned.schedule.status == "OPTIMAL"
    assert "OPTIMAL in its space, gap 0.0%" in str(planned.schedule)
    assert html.escape(planned.schedule.space, quote=False) in planned.schedule._repr_html_()


def test_a_rejection_shows_the_witness_and_every_obligation(rejection: Any):
    page = rejection._repr_html_()
    assert "would both hold C[0,0]" in page
    assert page.count("<tr>") == 1 + len(rejection.proof.claims)
    assert "<td>refuted</td>" in page


def test_every_stage_shows_itself_in_a_notebook(planned: Plan, rejection: Any):
    values = [
        planned.kernel, planned.instruction, planned.hardware, planned.mappings, planned.proved, planned.proved.mapping,
        planned.proved.proof, rejection, planned.schedule, planned.program, planned,
    ]  # fmt: skip
    for value in values:
        assert isinstance(value, Shown)
        page = value._repr_html_()
        assert page.startswith(pre(str(value))), type(value)
        assert "object at 0x" not in page
        for tag in ("pre", "table", "tr", "td", "th"):
            assert page.count(f"<{tag}>") == page.count(f"</{tag}>")
    assert "<pre>gemm: C[i,j] += A[i,k] * B[k,j]" in values[0]._repr_html_()


def test_every_stage_holds_its_predecessor(planned: Plan):
    assert isinstance(planned.mappings, MappingSet)
    assert planned.program.schedule is planned.schedule
    assert planned.schedule.proved is planned.proved
    assert planned.proved.mapping.kernel == planned.kernel
    assert planned.proved.mapping.instruction == planned.hardware.instruction("fmadd_ps")


def test_a_compiled_kernel_says_how_to_call_it(planned: Plan):
    from isamap_smt.language.hardware_library import missing_features

    if missing := missing_features((planned.instruction,)):
        pytest.skip(f"this CPU lacks {', '.join(missing)}")
    compiled = build(planned)
    assert str(compiled).startswith("compiled gemm(A, B, out=C): l=j;a=A,b=B onto avx2.fmadd_ps\n  C: f32[35, 70]")
    assert compiled.program is planned.program
    assert compiled._repr_html_() == pre(str(compiled))


def test_ipython_prints_the_text():
    class Printer:
        said = ""

        def text(self, text: str) -> None:
            self.said += text

    printer, kernel = Printer(), im.kernel(TEXT, name="gemm")
    kernel._repr_pretty_(printer, cycle=False)
    assert printer.said == str(kernel)


def test_html_is_escaped_and_rows_fit_their_columns():
    assert html_table(Table("a < b", ("x",), (("<i>",),))) == (
        "<table><caption>a &lt; b</caption><tr><th>x</th></tr><tr><td>&lt;i&gt;</td></tr></table>"
    )
    with pytest.raises(ValueError, match="every row needs 2 cells"):
        Table("t", ("x", "y"), (("1",),))
