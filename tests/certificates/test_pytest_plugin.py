"""The plugin in a pytest of its own: assert_proved() and --isamap-proofs. One is a process; the others run in this one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from isamap_smt.certificates.manifest import INDEX
from tests.certificates.conftest import DOT

pytest_plugins = ["pytester"]
Within = Callable[..., pytest.RunResult]

TESTS = """
import isamap_smt as im
from isamap_smt.pytest_plugin import assert_proved

def test_right():
    fma = im.find_instruction("avx2.fmadd_ps")
    proved = assert_proved(im.fuse(im.find_kernel("gemm"), fma, "l=j"))
    assert proved.proof.proved and assert_proved(proved).mapping == proved.mapping

def test_wrong():
    assert_proved(im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=k"))
"""


def pytest_in(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def within(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Within:
    """pytest_in(), in this process: pytest's own way of testing a plugin."""

    def run(directory: Path, *arguments: str) -> pytest.RunResult:
        monkeypatch.chdir(directory)
        return pytester.runpytest_inprocess("-q", "-p", "no:cacheprovider", *arguments)

    return run


def test_each_certificate_is_a_test(proofs: Path, tmp_path: Path, within: Within) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "nothing").mkdir()
    found = pytest_in(tmp_path, "nothing", "--isamap-proofs")
    assert found.returncode == 0, found.stdout + found.stderr
    assert "4 passed" in found.stdout
    Path(proofs, DOT, "neutral.smt2").write_text("")
    found = within(tmp_path, "nothing", "--isamap-proofs=proofs")
    assert found.ret == 1
    assert "1 failed, 3 passed" in found.stdout.str()
    assert f"{DOT}: damaged: neutral.smt2 is not as it was written" in found.stdout.str()


def test_a_mapping_that_is_not_proved_fails_with_its_counterexample(tmp_path: Path, within: Within) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_mine.py").write_text(TESTS)
    found = within(tmp_path)
    assert found.ret == 1
    assert "1 failed, 1 passed" in found.stdout.str()
    assert "gemm does not map onto avx2.fmadd_ps" in found.stdout.str()


def test_a_damaged_index_fails_as_a_test_of_its_own(proofs: Path, tmp_path: Path, within: Within) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "nothing").mkdir()
    (proofs / INDEX).write_text("{")
    found = within(tmp_path, "nothing", "--isamap-proofs")
    assert found.ret == 1
    assert "1 failed, 4 passed" in found.stdout.str()
    assert "proofs.json: damaged: proofs.json is truncated or no JSON" in found.stdout.str()


def test_a_directory_of_tests_is_none_of_certificates(tmp_path: Path, within: Within) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "tests").mkdir()
    found = within(tmp_path, "--isamap-proofs", "tests")
    assert found.ret == 4
    assert "--isamap-proofs: tests holds no certificates: there is no proofs.json in it" in found.stderr.str()
    assert "write --isamap-proofs=DIR, or tests before the option" in found.stderr.str()


def test_no_directory_is_a_usage_error(tmp_path: Path, within: Within) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    found = within(tmp_path, "--isamap-proofs=nowhere")
    assert found.ret == 4
    assert "there are no certificates at nowhere: no such directory" in found.stderr.str()
