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
