"""Arrays that no memory holds are the user's sizes, not a fault of isamap."""

from __future__ import annotations

import pytest

from isamap_smt.cli.app import run

MESSAGE = "error: kernel: its arrays do not fit into memory (C 4000000x4000000, A 4000000x4000000)"


def test_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--text", "C[i,j] += A[i,j]", "scalar", "--sizes", "i=4000000,j=4000000"]
    assert run(["run", *words]) == 3
    assert MESSAGE in capsys.readouterr().err


def test_arrays_beyond_every_address(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--text", "C[i,j] += A[i,j]", "scalar", "--sizes", "i=2000000000,j=2000000000"]
    assert run(["run", *words]) == 3
    said = "error: C has shape [2000000000, 2000000000], at least 16,000,000,000,000,000,000 bytes; memory ends at 2^48"
    assert capsys.readouterr().err.startswith(said)


def test_a_result_that_no_memory_holds(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--text", "C[i,j] += A[i] * B[j]", "scalar", "--sizes", "i=4000000,j=4000000"]
    assert run(["run", *words]) == 3
    said = "error: C has shape [4000000, 4000000], which does not fit into memory; give smaller sizes\n"
    assert capsys.readouterr().err.endswith(said)


def test_what_is_compared_with_does_not_fit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_large(*_: object) -> None:
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr("isamap_smt.runtime.measure.wanted", too_large)
    assert run(["run", "gemm", "scalar", "--sizes", "i=2,j=2,k=2"]) == 3
    said = "error: there is too little memory (Unable to allocate 9 TiB); give smaller sizes\n"
    assert capsys.readouterr().err.endswith(said)
