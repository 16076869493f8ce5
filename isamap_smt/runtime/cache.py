"""Compiled libraries are kept under the digest of everything they depend on: C, compiler, flags and, for `native`, the CPU.

A library appears in the cache whole or not at all: it is built in a directory of its own and then renamed. Its digest lies beside
it, so a library damaged by a full disk or a crash is built again.

The header of the vector instructions is compiled once for each compiler and its flags: reading it takes longer than a kernel for
AVX2, 0.33 s of zig, 0.12 s of them its own. An unusable header changes nothing but the time.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from isamap_hardware.host import features as host_features
from isamap_smt.ir.errors import BuildError
from isamap_smt.records.record import digest
from isamap_smt.records.store import kept_directory
from isamap_smt.runtime import simde as emulation
from isamap_smt.runtime.compiler import (
    Compiler,
    compile_exactly,
    compile_linked,
    compile_shared,
    find_compiler,
    link_shared,
)
from isamap_smt.runtime.target import check_here, check_target

_PACKAGES = ("isamap_smt", "isamap_encodings", "isamap_hardware", "isamap_kernels")
_SCRATCH = ".building-"
_DIGEST = ".digest"
_ELSEWHERE = "free some space there, or set ISAMAP_CACHE to another place"
_LITTLE = 1 << 16  # bytes: if fewer are free, a failed build is the disk's fault


def cache_directory() -> Path:
    """Where compiled libraries are kept: ISAMAP_CACHE, or the user's cache directory. Created if it is missing."""
    path = kept_directory() / "build"
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BuildError(f"cannot make the build cache {path}: {error.strerror}; set ISAMAP_CACHE") from None
    return path


def build_key(source: str, compiler: Compiler, flags: Iterable[str]) -> str:
    """Digest of the C, the compiler and its flags; of this CPU's features too if a flag says `native`."""
    parts = [source, *compiler.command, compiler.version, *flags]
    if any("native" in flag for flag in flags):
        parts += sorted(host_features())
    return digest_of(parts)


def digest_of(parts: Iterable[str]) -> str:
    """32 hexadecimal digits of these texts, in their order."""
    digest = hashlib.blake2b(digest_size=16)
    for data in map(str.encode, parts):
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def sources_digest(*folders: str | Path) -> str:
    """16 hexadecimal digits of the Python files in these folders."""
    digest = hashlib.blake2b(digest_size=8)
    for file in _sources(folders):
        digest.update(Path(file.path).read_bytes())
    return digest.hexdigest()


def sources_stamp(*folders: str | Path) -> str:
    """16 hexadecimal digits of the places, sizes and times of change of the Python files in these folders: none is read."""
    digest = hashlib.blake2b(digest_size=8)
    for file in _sources(folders):
        found = file.stat()
        digest.update(f"{file.path} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


@cache
def own_sources(exactly: bool = False) -> str:
    """A text that changes with any of our source files, and with the versions of the libraries that compute for us.

    exactly: by the files' contents, for results not proved again; else by their sizes and times of change.
    """
    folders = [folder for name in _PACKAGES for folder in __import__(name).__path__]
    from importlib.metadata import version

    versions = [version(p) for p in ("z3-solver", "ortools", "sympy", "numpy")]
    return " ".join([(sources_digest if exactly else sources_stamp)(*folders), *versions])


def _sources(folders: Iterable[str | Path]) -> Iterator[os.DirEntry[str]]:
    """The Python files of each folder, by name, with those of the folders in it behind them."""
    for folder in folders:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda e: e.name)
        yield from (e for e in entries if e.name.endswith(".py") and e.is_file())
        yield from _sources(e.path for e in entries if e.is_dir() and e.name != "__pycache__")


def build_library(
    source: str,
    requires: Iterable[str] = (),
    *,
    cc: str | None = None,
    native: bool = False,
    sanitize: bool = False,
    simde: bool = False,
    target: str | None = None,
) -> Path:
    """The shared library of this C source, from the cache or newly built.

    requires: features the code uses, by archspec's names. native: for this CPU alone. sanitize: with address and
    undefined-behaviour checks. simde: x86 vector instructions this CPU lacks are emulated by SIMDe. target: for the machine of
    this triple. Raises BuildError, and HardwareError if no such machine has the features.
    """
    features = frozenset(requires)
    if target is not None:
        check_target(target, features)
    compiler = find_compiler("zig" if cc is None and target else cc)
    if sanitize:
        compiler = _sanitizing(compiler)
    if simde:
        features = frozenset(emulation.supported(features))
    elif target is None and not features <= host_features():
        check_here(features)
    flags = compiler.flags(features, native=native, sanitize=sanitize, target=target)
    if simde:
        flags += ["-DISAMAP_SIMDE", *emulation.include_flags()]
    library = cache_directory() / f"{build_key(source + emulation.SHIM * simde, compiler, flags)}.so"

    def build(folder: Path) -> None:
        chosen = [f"-I{emulation.write_shim(library.parent)}", *flags] if simde else flags

        def compile_with(more: list[str]) -> None:
            compile_shared(compiler, folder / "kernel.c", folder / "kernel.so", [*chosen, *more])

        if sanitize or not includes_it(source):
            compile_with([])
        else:
            _with_header(compiler, chosen, compile_with)

    return _kept(library, {"kernel.c": source}, build)


def build_program_for(triple: str, source: str, caller: str, requires: Iterable[str], cc: str | None = None) -> Path:
    """A program for the machine of that triple, from the cache or newly built.

    It links the C of a kernel with these features to `caller`, C with a `main`.
    It needs nothing where it runs. Raises BuildError, and HardwareError if no such machine has the features.
    """
    features = frozenset(requires)
    check_target(triple, features)
    compiler = find_compiler(cc or "zig")
    flags = compiler.flags(features, target=triple)
    program = cache_directory() / f"{build_key(source + caller, compiler, flags)}.elf"

    def build(folder: Path) -> None:
        compile_linked(compiler, folder, features, triple)
        _linked(triple, compiler).touch()

    return _kept(program, {"kernel.c": source, "caller.c": caller}, build)


def build_shared(files: Mapping[str, str], requires: Mapping[str, Iterable[str]], cc: str | None = None) -> Path:
    """The shared library of these files (name -> text), from the cache or newly built. requires: features used by each file.

    Raises BuildError, and HardwareError if this CPU lacks features.
    """
    features = {name: frozenset(requires.get(name, ())) for name in files if name.endswith(".c")}
    if missing := frozenset().union(*features.values()) - host_features():
        check_here(missing)
    compiler = find_compiler(cc)
    flags = [f for used in dict.fromkeys(features.values()) for f in compiler.flags(used)]
    parts = "".join(f"{name}\n{text}\n{sorted(features.get(name, ()))}\n" for name, text in sorted(files.items()))
    library = cache_directory() / f"{build_key(parts, compiler, flags)}.so"

    return _kept(
        library, {**files, "kernel.c": ""}, lambda folder: link_faster(compiler, folder / "kernel.so", files, features)
    )


def link_faster(
    compiler: Compiler, made: Path, files: Mapping[str, str], features: Mapping[str, Iterable[str]]
) -> None:
    """Make a shared library of the C files beside its place, with the precompiled header if several read it.

    files: their texts; features: those each is compiled for. Raises BuildError.
    """
    sources = {made.parent / n: frozenset(used) for n, used in features.items()}
    readers: dict[frozenset[str], list[Path]] = {}
    for file, used in sources.items():
        if includes_it(files[file.name]):
            readers.setdefault(used, []).append(file)
    used, most = max(readers.items(), key=lambda r: len(r[1]), default=(frozenset[str](), list[Path]()))
    if not most:
        link_shared(compiler, sources, made)
        return
    link = partial(link_shared, compiler, sources, made)
    flags, at_once = compiler.flags(used), len(most) > 1
    _with_header(compiler, flags, lambda more: link(more=dict.fromkeys(most, more)), at_once)


def first_for(triple: str, cc: str | None = None) -> bool:
    """Whether build_program_for() has built nothing for that triple yet. Raises BuildError.

    At its first program, zig also compiles that machine's C library, and keeps it.
    """
    compiler = find_compiler(cc or "zig")
    return compiler.family == "zig" and not _linked(triple, compiler).exists()


def _linked(triple: str, compiler: Compiler) -> Path:
    """The path of a file, present once this compiler has linked a program for the triple."""
    return cache_directory() / f"linked-{digest_of([triple, *compiler.command, compiler.version])}"


def build_bare(
    source: str,
    beside: Mapping[str, str],
    arguments: Iterable[str],
    cc: str | None = None,
    apart: Iterable[str] = (),
) -> Path:
    """A program for a machine without an operating system, from the cache or newly built.

    One C source is compiled in a folder with the files `beside` it (name -> text), with exactly these arguments, by default by
    the compiler of the ziglang wheel.
    apart: if any, the source is compiled by itself, with these, and linked with the others. Raises BuildError.
    """
    compiler = find_compiler(cc or "zig")
    first = [*apart, "-c", "kernel.c", "-o", "kernel.o"] if (apart := list(apart)) else []
    flags = [*arguments, "kernel.o" if first else "kernel.c", "-o", "kernel.elf"]
    parts = "".join(f"{name}\n{text}\n" for name, text in sorted(beside.items()))
    program = cache_directory() / f"{build_key(source + parts, compiler, [*first, *flags])}.elf"

    def build(folder: Path) -> None:
        if first:
            compile_exactly(compiler, folder, first, "kernel.o")
        compile_exactly(compiler, folder, flags, "kernel.elf")

    return _kept(program, {**beside, "kernel.c": source}, build)


def _kept(made: Path, texts: Mapping[str, str], build: Callable[[Path], None]) -> Path:
    """The file, from the cache or newly built: build() makes `kernel` with its suffix in a folder that has these texts, and it is
    renamed to its place between what it was made of and its digest. Raises BuildError."""
    if _is_whole(made):
        return made
    cache = made.parent
    _sweep(cache)
    try:
        with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=cache) as scratch:
            folder = Path(scratch)
            for name, text in texts.items():
                (folder / name).write_text(text)
            build(folder)
            (folder / f"kernel{_DIGEST}").write_text(digest((folder / f"kernel{made.suffix}").read_bytes()))
            for suffix in (".c", made.suffix, _DIGEST):
                (folder / f"kernel{suffix}").replace(made.with_suffix(suffix))
    except OSError as error:
        raise BuildError(f"cannot write the build cache {cache}: {error.strerror}; {_ELSEWHERE}") from None
    except BuildError:
        if shutil.disk_usage(cache).free >= _LITTLE:
            raise
        raise BuildError(f"the disk of the build cache {cache} is full; {_ELSEWHERE}") from None
    return made


def _with_header(
    compiler: Compiler, flags: list[str], build: Callable[[list[str]], None], at_once: bool = False
) -> None:
    """build() with the arguments of the precompiled header, if there is one; a faulty one is removed. Raises BuildError."""
    cache, key = cache_directory(), build_key(INCLUDE, compiler, flags)
    ready = precompiled(compiler, flags, cache, key, _SCRATCH, at_once)
    try:
        build(ready)
    except BuildError:
        if not ready:
            raise
        build([])  # says what is wrong with the source
        forget(cache, key)


def _is_whole(library: Path) -> bool:
    """Whether the library is there as it was built."""
    try:
        return library.with_suffix(_DIGEST).read_text() == digest(library.read_bytes())
    except OSError:
        return False


def _sanitizing(compiler: Compiler) -> Compiler:
    """A compiler with the sanitizers' run-time libraries: the wheel of zig has none."""
    if compiler.family != "zig":
        return compiler
    for name in ("gcc", "clang"):
        if shutil.which(name):
            return find_compiler(name)
    raise BuildError("a sanitized build needs gcc or clang, and neither is on PATH; apt-get install gcc")


def _sweep(cache: Path, age: float = 86400.0) -> None:
    """Remove the remains of killed builds older than `age` seconds."""
    for left in cache.glob(f"{_SCRATCH}*"):
        try:
            if time.time() - left.stat().st_mtime > age:
                shutil.rmtree(left, ignore_errors=True)
        except OSError:
            continue


INCLUDE = "#include <immintrin.h>\n"
_DEFINED = re.compile(r"#\s*define\s+(\w+)")


def includes_it(source: str) -> bool:
    """Whether the source has INCLUDE, with no macros before it but our own: headers do not know these."""
    before, found, _ = source.partition(INCLUDE)
    return bool(found) and all(name.startswith("ISAMAP_") for name in _DEFINED.findall(before))


def precompiled(
    compiler: Compiler, flags: Sequence[str], cache: Path, key: str, scratch: str, at_once: bool = False
) -> list[str]:
    """Arguments that spare a source with includes_it() the header's text; none if there is no compiled header.

    It is made at the second build with these flags, or at_once: a single build does not wait for it. key: of the compiler and its
    flags. scratch: the beginning of names of unfinished directories in the cache.
    """
    header = cache / f"intrinsics-{key}.h"
    made = header.with_suffix(".h.gch" if compiler.family == "gcc" else ".h.pch")
    try:
        if not made.exists():
            if not header.exists():
                header.write_text(INCLUDE)
                if not at_once:
                    return []
            _make(compiler, flags, header, made, scratch)
    except OSError:
        return []  # the build itself says what is the matter with the cache or the compiler
    return ["-include", str(header)] if compiler.family == "gcc" else ["-include-pch", str(made)]


def forget(cache: Path, key: str) -> None:
    """Remove a header that may be damaged; it is made again."""
    for left in cache.glob(f"intrinsics-{key}.*"):
        left.unlink(missing_ok=True)


def _make(compiler: Compiler, flags: Sequence[str], header: Path, made: Path, scratch: str) -> None:
    """Compile it beside its place, and rename. Raises OSError on failure."""
    with tempfile.TemporaryDirectory(prefix=scratch, dir=header.parent) as directory:
        new = Path(directory) / made.name
        chosen = [f for f in flags if f != "-shared"]
        command = [*compiler.command, *chosen, "-x", "c-header", str(header), "-o", str(new)]
        subprocess.run(command, capture_output=True, check=False, cwd=directory)
        os.replace(new, made)
