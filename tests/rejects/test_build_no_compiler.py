"""No C compiler, one that is not there, one that is none, and one that refuses: what to do is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isamap_smt.ir.errors import BuildError
from isamap_smt.runtime import compiler
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiler import find_compiler

FIX = re.escape("install the default one with `pip install ziglang`") + ".*--cc or ISAMAP_CC"


def no_wheel(_: str) -> None:
    """find_spec on a machine without the ziglang wheel."""


def test_none_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ISAMAP_CC", raising=False)
    monkeypatch.setattr(compiler, "find_spec", no_wheel)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        BuildError, match=f"no C compiler found: neither the ziglang wheel, nor clang, gcc or cc.*{FIX}"
    ):
        build_library("int x;")


def test_the_system_stands_in_for_the_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ISAMAP_CC", raising=False)
    monkeypatch.setattr(compiler, "find_spec", no_wheel)
    fake = tmp_path / "gcc"
    fake.write_text("#!/bin/sh\necho 'gcc (Some) 12.2.0'\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    found = find_compiler()
    assert found.family in ("gcc", "clang")
    assert found.command[0] in (str(fake), "/usr/bin/clang", "/bin/clang")


def test_named_but_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISAMAP_CC", "/nowhere/cc")
    with pytest.raises(BuildError, match=f"the C compiler '/nowhere/cc' named by ISAMAP_CC is not there; {FIX}"):
        find_compiler()
    with pytest.raises(BuildError, match="the C compiler 'nocc' named by --cc is not there"):
        find_compiler("nocc")


def test_named_but_no_compiler(tmp_path: Path) -> None:
    impostor = tmp_path / "impostor"
    impostor.write_text("#!/bin/sh\necho hello\n")
    impostor.chmod(0o755)
    with pytest.raises(BuildError, match="is neither clang nor gcc nor zig: hello"):
        find_compiler(str(impostor))


def test_refused_code_shows_the_first_complaint_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    with pytest.raises(BuildError, match=r"(?s)refused the generated C:\n.*kernel\.c:1:\d+: error: .*nothing"):
        build_library("int f(void) { return nothing; }")
    assert list((tmp_path / "build").iterdir()) == []


def test_a_cache_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path / "file"))
    with pytest.raises(BuildError, match=r"cannot make the build cache .*file/build: .*; set ISAMAP_CACHE"):
        build_library("int x;")


def test_simde_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    from isamap_smt.runtime import simde

    monkeypatch.delenv("ISAMAP_SIMDE", raising=False)
    monkeypatch.setattr(simde, "_PLACES", ())
    with pytest.raises(BuildError, match="SIMDe's headers are not there: apt-get install libsimde-dev"):
        build_library("int x;", simde=True)


@pytest.fixture
def gcc(tmp_path: Path) -> Path:
    """A compiler that writes down how it is started, and does not compile."""
    fake = tmp_path / "my gcc"
    fake.write_text('#!/bin/sh\necho "gcc (Some) 12.2.0"\n[ "$1" = --version ] || { echo "$@" > "$0.log"; exit 1; }\n')
    fake.chmod(0o755)
    return fake


def test_arguments_of_the_compiler(gcc: Path) -> None:
    plain = find_compiler(str(gcc))
    assert (plain.arguments, plain.command) == ((), (str(gcc),))
    found = find_compiler(f"'{gcc}' -O1 -DX='a b'")
    assert (found.command, found.arguments) == ((str(gcc),), ("-O1", "-DX=a b"))
    flags = found.flags()
    assert flags.index("-O3") < flags.index("-O1") < flags.index("-ffp-contract=off")  # its meaning stays
    assert find_compiler("zig cc -O1").arguments == find_compiler("zig -O1").arguments == ("-O1",)
    with pytest.raises(BuildError, match='--cc "gcc \'x": No closing quotation; it is a command with its arguments'):
        find_compiler("gcc 'x")


def test_a_path_from_here(gcc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(gcc.parent.parent)
    with pytest.raises(BuildError, match="refused the generated C"):  # started from a directory of its own
        build_library("int x;", cc=f"'{gcc.parent.name}/my gcc' -O1")
    assert " -O1 -ffp-contract=off" in Path(f"{gcc}.log").read_text()
