"""Ctrl-C ends a command with status 130, says so, and leaves nothing half-written behind."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from isamap_smt.cli import compile_kernel, map_kernel
from isamap_smt.cli.app import run


def test_while_writing(
    capsys: pytest.CaptureFixture[str], in_empty_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interrupt comes after some files are written: at the moment the proofs are put into words."""

    def interrupt(_: object) -> None:
        assert any(Path().rglob("kernel.c"))
        raise KeyboardInterrupt

    monkeypatch.setattr(compile_kernel, "proofs_document", interrupt)
    assert run(["compile", "gemm", "scalar", "--sizes", "i=4,j=4,k=4", "-o", "out", "--json"]) == 130
    said = capsys.readouterr()
    assert said.err.splitlines()[-1] == "interrupted"
    assert json.loads(said.out) == {"error": "interrupted"}
    assert list(in_empty_directory.iterdir()) == []


def test_a_search(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A search gives what it has so far, and says that it is not complete."""

    @contextmanager
    def progress(_: str) -> Iterator[Callable[[str], None]]:
        def tell(text: str) -> None:
            if text.endswith("1 legal"):
                raise KeyboardInterrupt  # a signal that comes while a finalizer runs would be lost here; main() sends it again

        yield tell

    monkeypatch.setattr(map_kernel, "progress", progress)
    assert run(["map", "batched_gemm", "avx2.fmadd_ps", "--json"]) == 130
    said = capsys.readouterr()
    assert said.err == "interrupted: what was found until then is above\n"
    found = json.loads(said.out)
    assert found["complete"] is False
    assert found["legal"] == len(found["mappings"]) == 1


@pytest.mark.parametrize("after", [0.02, 0.1, 0.3])
def test_any_moment(after: float) -> None:
    """Wherever a signal finds it, in the loading of modules or in a proof, the process says so and ends."""
    program = (
        "import signal, os, sys\n"
        "import isamap_smt.cli.app\n"
        "words = ['map', 'conv2d', 'wmma.16x16x16']\n"
        "signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))\n"
        f"signal.setitimer(signal.ITIMER_REAL, {after})\n"
        "isamap_smt.cli.app.main(words)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 130
    assert "interrupted" in done.stderr
    assert "fault of isamap" not in done.stderr
