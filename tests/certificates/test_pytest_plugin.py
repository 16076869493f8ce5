"""The plugin in a pytest of its own: assert_proved() and --isamap-proofs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from isamap_smt.certificates.manifest import INDEX
from tests.certificates.conftest import DOT

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


def test_each_certificate_is_a_test(proofs: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "nothing").mkdir()
    found = pytest_in(tmp_path, "nothing", "--isamap-proofs")
    assert found.returncode == 0, found.stdout + found.stderr
    assert "4 passed" in found.stdout
    Path(proofs, DOT, "neutral.smt2").write_text("")
    found = pytest_in(tmp_path, "nothing", "--isamap-proofs=proofs")
    assert found.returncode == 1
    assert "1 failed, 3 passed" in found.stdout
    assert f"{DOT}: damaged: neutral.smt2 is not as it was written" in found.stdout


def test_a_mapping_that_is_not_proved_fails_with_its_counterexample(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_mine.py").write_text(TESTS)
    found = pytest_in(tmp_path)
    assert found.returncode == 1
    assert "1 failed, 1 passed" in found.stdout
    assert "gemm does not map onto avx2.fmadd_ps" in found.stdout


def test_a_damaged_index_fails_as_a_test_of_its_own(proofs: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "nothing").mkdir()
    (proofs / INDEX).write_text("{")
    found = pytest_in(tmp_path, "nothing", "--isamap-proofs")
    assert found.returncode == 1
    assert "1 failed, 4 passed" in found.stdout
    assert "proofs.json: damaged: proofs.json is truncated or no JSON" in found.stdout


def test_a_directory_of_tests_is_none_of_certificates(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "tests").mkdir()
    found = pytest_in(tmp_path, "--isamap-proofs", "tests")
    assert found.returncode == 4
    assert "--isamap-proofs: tests holds no certificates: there is no proofs.json in it" in found.stderr
    assert "write --isamap-proofs=DIR, or tests before the option" in found.stderr


def test_no_directory_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    found = pytest_in(tmp_path, "--isamap-proofs=nowhere")
    assert found.returncode == 4
    assert "there are no certificates at nowhere: no such directory" in found.stderr
