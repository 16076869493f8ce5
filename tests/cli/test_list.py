"""isamap list names what the other commands take."""

from __future__ import annotations

import json
from typing import Any

import pytest

from isamap_smt.cli.app import run


def listed(capsys: pytest.CaptureFixture[str], what: str) -> list[dict[str, Any]]:
    """The JSON of one list; standard error stays empty."""
    assert run(["list", what, "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    found: list[dict[str, Any]] = json.loads(said.out)[what]
    return found


def test_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    found = {k["name"]: k for k in listed(capsys, "kernels")}
    wanted = {"gemm", "gemm_nt", "matvec", "batched_gemm", "conv2d", "depthwise_conv2d", "pointwise_conv2d"}
    assert wanted <= set(found)
    assert found["gemm"]["axes"] == {"i": "I", "j": "J", "k": "K"}
    assert found["two_layers"]["statements"][0] == "H[i,j] += X[i,k] * W[k,j]"
    assert found["gru"]["statements"][2:4] == ["for t:", "  R[t,b,g,j] += H[t,b,k] * U[k,g,j]"]
    assert set(found["conv2d"]["parameters"]) == {"sp", "sq", "dp", "dq", "pp", "pq"}


def test_hardware(capsys: pytest.CaptureFixture[str]) -> None:
    found = {h["name"]: h for h in listed(capsys, "hardware")}
    assert {"avx2", "avx512", "avx512_vnni", "avx512_bf16", "scalar", "wmma", "host"} <= set(found)
    assert found["host"]["runs_here"]
    assert not found["wmma"]["runs_here"]


def test_instructions(capsys: pytest.CaptureFixture[str]) -> None:
    found = {i["name"]: i for i in listed(capsys, "instructions")}
    assert found["avx512_vnni.maddubs_dot"]["axes"] == {"l": 16, "e": 4}
    assert found["wmma.32x8x16"]["axes"] == {"i": 32, "j": 8, "k": 16}
    assert found["avx2.fmadd_ps"]["dtypes"] == {"a": "f32", "b": "f32", "c": "f32"}


@pytest.mark.parametrize(
    ("what", "word"), [("kernels", "gemm_nt"), ("hardware", "avx512_vnni"), ("instructions", "avx2.fmadd_ps")]
)
def test_tables(capsys: pytest.CaptureFixture[str], what: str, word: str) -> None:
    assert run(["list", what]) == 0
    assert word in capsys.readouterr().out


def test_every_instruction_named_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    from isamap_smt.language.hardware_library import find_instruction

    for i in listed(capsys, "instructions"):
        assert find_instruction(i["name"]).axes == i["axes"]


def lines(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert run(["list", *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_line_for_each_machine_the_host_first(capsys: pytest.CaptureFixture[str]) -> None:
    names = {h["name"] for h in listed(capsys, "hardware")}
    title, columns, *rows, _, hint = lines(capsys, "hardware")
    assert (title.strip(), columns.split()) == ("Hardware", ["name", "what", "executed"])
    assert rows[0].startswith("host ") and {r.split()[0] for r in rows} == names and len(rows) == len(names)
    how = {r.split()[0]: r.rstrip() for r in rows}
    assert all(r.endswith(("runs here", "emulator", "simulator", "maps only")) and len(r) <= 80 for r in how.values())
    assert (
        how["scalar"].endswith("runs here")
        and how["wmma"].endswith("maps only")
        and how["gemmini"].endswith("simulator")
    )
    assert "isamap list hardware NAME" in hint


def test_a_machine_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    first, *rest = lines(capsys, "hardware", "scalar")
    assert first == "scalar: any machine with a C compiler"
    assert rest[0].startswith("runs here ")
    assert any(r.startswith("computes with ") and "muladd_f32" in r for r in rest)
    assert run(["list", "hardware", "scalar", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["hardware"]
    assert found in listed(capsys, "hardware")


def test_instructions_of_one_machine(capsys: pytest.CaptureFixture[str]) -> None:
    said = "\n".join(lines(capsys, "instructions", "wmma"))
    assert "wmma.16x16x16" in said and "avx2." not in said
    assert run(["list", "instructions", "wmm"]) == 3
    assert capsys.readouterr().err == "error: unknown hardware 'wmm'; did you mean wmma?\n"


def test_kernels_and_examples_in_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    from isamap_kernels import ABOUT, names

    assert set(ABOUT) == set(names())
    said = lines(capsys, "kernels")
    rows = [line.split(maxsplit=1) for line in said]
    assert ["conv2d", "2-D convolution, NHWC, stride, dilation, padding"] in [[w.strip() for w in r] for r in rows]
    assert any(r and r[0] == "attention.py" and "ATTENTION, CAUSAL" in r[1] for r in rows)
    assert not any(r and r[0] == "outer_product.py" for r in rows)
    assert lines(capsys, "kernels", "gemm")[:2] == ["gemm", "  C[i,j] += A[i,k] * B[k,j]"]


def test_rules_have_no_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "rules", "x"]) == 3
    assert "unexpected argument 'x'" in capsys.readouterr().err
