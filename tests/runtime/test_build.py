"""Libraries are built once, whole or not at all, with floating point as written."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from isamap_smt.ir.errors import BuildError
from isamap_smt.runtime import cache as build_cache
from isamap_smt.runtime.cache import build_key, build_library, build_shared
from isamap_smt.runtime.compiler import Compiler, find_compiler
from isamap_smt.runtime.simde import find_simde

SOURCE = "double muladd(double a, double b, double c) { return a * b + c; }\n"


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build cache of the test's own."""
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    return tmp_path / "build"


def compilers() -> list[str]:
    """Short names of the compilers that are installed."""
    found = []
    for name in ("zig", "gcc", "clang"):
        try:
            find_compiler(name)
        except BuildError:
            continue
        found.append(name)
    return found


def test_the_second_build_starts_no_compiler(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build_library(SOURCE)
    assert first.parent == empty_cache
    assert first.with_suffix(".c").read_text() == SOURCE

    def no(*_: object) -> None:
        raise AssertionError("compiled twice")

    monkeypatch.setattr(build_cache, "compile_shared", no)
    assert build_library(SOURCE) == first


def test_the_key_digests_source_compiler_and_flags() -> None:
    zig, gcc = Compiler(("zig", "cc"), "zig", "1"), Compiler(("gcc",), "gcc", "1")
    newer = Compiler(("gcc",), "gcc", "2")
    keys = {
        build_key(SOURCE, zig, ["-O3"]),
        build_key(SOURCE, gcc, ["-O3"]),
        build_key(SOURCE, newer, ["-O3"]),
        build_key(SOURCE, gcc, ["-O2"]),
        build_key(SOURCE + " ", gcc, ["-O3"]),
        build_key(SOURCE, gcc, ["-O3", "-march=native"]),
        build_key(SOURCE, gcc, ["-O", "3"]),
    }
    assert len(keys) == 7
    assert build_key(SOURCE, gcc, ["-O3"]) in keys


def lanes(number: int) -> str:
    """C with an intrinsic of SSE2, another text for each number."""
    return (
        "#include <immintrin.h>\n"
        f"int sum(int x) {{ return _mm_cvtsi128_si32(_mm_add_epi32(_mm_set1_epi32(x), _mm_set1_epi32({number}))); }}\n"
    )


@pytest.mark.parametrize("cc", compilers())
def test_the_header_of_the_intrinsics_is_compiled_at_the_second_build(cc: str, empty_cache: Path) -> None:
    """And changes nothing: not where it is damaged, and not for C that is wrong, which leaves it as it is."""
    for number in range(5):
        library = build_library(lanes(number), cc=cc)
        assert ctypes.CDLL(str(library)).sum(7) == 7 + number
        if number == 2:
            with pytest.raises(BuildError, match="missing"):
                build_library(lanes(9) + "int g(void) { return missing; }\n", cc=cc)
        headers = [f for f in empty_cache.glob("intrinsics-*") if f.suffix in (".pch", ".gch")]
        assert number == 4 or len(headers) == min(number, 1)
        for header in headers if number == 3 else ():
            header.write_bytes(b"no header")  # the next build notices
    with pytest.raises(BuildError, match="missing"):
        build_library(lanes(9) + "int h(void) { return missing; }\n", cc=cc)
    assert not list(empty_cache.glob(".building-*"))


@pytest.mark.parametrize("cc", compilers())
def test_several_files_of_one_library_read_a_compiled_header(cc: str, empty_cache: Path) -> None:
    """At the first build; one that is damaged changes nothing, and C that is wrong is refused."""
    for number in range(3):
        files = {f"f{n}.c": lanes(n).replace("sum", f"sum{n}") for n in (number, number + 1)}
        made = ctypes.CDLL(str(build_shared(files, {}, cc)))
        assert (getattr(made, f"sum{number}")(7), getattr(made, f"sum{number + 1}")(7)) == (7 + number, 8 + number)
        headers = [f for f in empty_cache.glob("intrinsics-*") if f.suffix in (".pch", ".gch")]
        assert number == 1 or len(headers) == 1
        for header in headers if number == 0 else ():
            header.write_bytes(b"no header")
    with pytest.raises(BuildError, match="missing"):
        build_shared({"f.c": lanes(1), "g.c": lanes(2) + "int g(void) { return missing; }\n"}, {}, cc)
    assert not list(empty_cache.glob(".building-*"))


def test_a_macro_before_the_intrinsics_is_read_by_their_header(empty_cache: Path) -> None:
    """So that what it changes is changed in every build."""
    for number in range(3):
        build_library("#define _GNU_SOURCE\n" + lanes(number))
    assert not list(empty_cache.glob("intrinsics-*"))


@pytest.mark.parametrize("cc", compilers())
def test_a_product_and_a_sum_are_not_contracted(cc: str, empty_cache: Path) -> None:
    """(1 + 2^-30)^2 - (1 + 2^-29) is 2^-60 with one rounding, and 0 with two."""
    muladd = ctypes.CDLL(str(build_library(SOURCE, ["fma"], cc=cc))).muladd
    muladd.argtypes, muladd.restype = [ctypes.c_double] * 3, ctypes.c_double
    x = 1 + 2.0**-30
    assert muladd(x, x, -(1 + 2.0**-29)) == 0.0


@pytest.mark.parametrize("cc", compilers())
def test_built_for_this_cpu(cc: str, empty_cache: Path) -> None:
    assert build_library(SOURCE, cc=cc, native=True) != build_library(SOURCE, cc=cc)


def test_leftovers_of_killed_builds_are_removed(empty_cache: Path) -> None:
    empty_cache.mkdir(parents=True)
    old, new = empty_cache / ".building-old", empty_cache / ".building-new"
    for place in (old, new):
        place.mkdir()
        (place / "kernel.c").write_text("")
    os.utime(old, (0, 0))
    build_library(SOURCE)
    assert not old.exists()
    assert new.exists()


@pytest.mark.parametrize("left", [b"", b"\x7fELF"])
def test_a_damaged_library_is_built_again(left: bytes, empty_cache: Path) -> None:
    """A full disk or a crash may leave an empty one behind."""
    library = build_library(SOURCE)
    whole = library.read_bytes()
    library.write_bytes(left)
    assert build_library(SOURCE) == library
    assert library.read_bytes()[:64] == whole[:64] and ctypes.CDLL(str(library)).muladd


def test_a_disk_that_takes_nothing_is_told(empty_cache: Path) -> None:
    """In a process that may write no byte to any file; what was begun is put away."""
    script = (
        "import resource, sys\n"
        "from isamap_smt.ir.errors import BuildError\n"
        "from isamap_smt.runtime.cache import build_library, build_shared\nfrom isamap_smt.runtime.compiler import find_compiler\n"
        "find_compiler()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        f"try: build_library({SOURCE!r})\n"
        "except BuildError as error: sys.exit(str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.startswith(f"cannot write the build cache {empty_cache}: ")
    assert done.stderr.endswith("free some space there, or set ISAMAP_CACHE to another place\n")
    assert list(empty_cache.iterdir()) == []


def test_a_compiler_that_fails_on_a_full_disk_is_not_blamed(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: shutil._ntuple_diskusage(1 << 30, 1 << 30, 0))
    with pytest.raises(BuildError, match=r"the disk of the build cache \S+ is full; free some space there"):
        build_library("int f(void) { return nothing; }")


OVERRUN = "int read(const int *a, long n) { return a[n]; }\nint shift(int n) { return 1 << n; }\n"


@pytest.mark.skipif(
    not {"gcc", "clang"} & set(compilers()), reason="the sanitizers need gcc or clang; none is installed"
)
@pytest.mark.parametrize(("call", "said"), [("read(a, 4)", "heap-buffer-overflow"), ("shift(40)", "shift exponent 40")])
def test_a_sanitized_build_catches(call: str, said: str, empty_cache: Path) -> None:
    """In a program of its own: the sanitizers end the process that misbehaves."""
    main = "#include <stdlib.h>\nint main(void) { int *a = malloc(16); return %s & a[0] & 0; }\n"
    library = build_library(OVERRUN, sanitize=True)
    compiler = find_compiler("gcc" if "gcc" in compilers() else "clang")
    program = empty_cache / "program.c"
    program.write_text("int read(const int *, long);\nint shift(int);\n" + main % call)
    flags = ["-fsanitize=address,undefined", str(program), str(library), "-o", str(empty_cache / "program")]
    subprocess.run([*compiler.command, *flags], check=True, capture_output=True)
    done = subprocess.run([empty_cache / "program"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert said in done.stderr


def test_simde_runs_what_this_cpu_lacks(empty_cache: Path) -> None:
    if find_simde() is None:
        pytest.skip("SIMDe (libsimde-dev) is not installed")
    source = (
        "#include <immintrin.h>\nvoid twice(float *x) { __m512 v = _mm512_loadu_ps(x); "
        "_mm512_storeu_ps(x, _mm512_fmadd_ps(v, _mm512_set1_ps(1.0f), v)); }\n"
    )
    values = (ctypes.c_float * 16)(*range(16))
    ctypes.CDLL(str(build_library(source, ["avx512f"], simde=True))).twice(values)
    assert list(values) == [2.0 * n for n in range(16)]


def test_a_build_killed_by_the_user_leaves_nothing(empty_cache: Path) -> None:
    """Control-C while the compiler runs: the process ends, and the cache is as it was."""
    script = (
        "import signal, subprocess, os, threading\n"
        "from isamap_smt.runtime import cache\n"
        "def interrupted(compiler, source, library, flags):\n"
        "    library.write_bytes(b'half')\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    import time; time.sleep(5)\n"
        "cache.compile_shared = interrupted\n"
        f"cache.build_library({SOURCE!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "KeyboardInterrupt" in done.stderr
    assert empty_cache.is_dir()
    assert list(empty_cache.iterdir()) == []
