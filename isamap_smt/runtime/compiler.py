"""The choice of a C compiler, its flags, and its complaints.

The compiler of the `ziglang` wheel is the default, because it needs no system package and is the same on every machine.
`--cc` or ISAMAP_CC names another one. Floating point is compiled as written: no contraction, no fast-math.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from isamap_smt.ir.errors import BuildError
from isamap_smt.runtime.feature_flags import (
    architecture_of,
    gnu_flags,
    own_architecture,
    where_all_are,
    width_flags,
    zig_cpu,
)

_BASE = ("-std=c11", "-O3")
# what the code means depends on these: they stand behind the user's own
_MEANING = (
    "-ffp-contract=off",  # a*b + c rounds twice unless the instruction says `fused`
    "-fno-fast-math",
    "-fno-math-errno",  # a square root is the instruction alone
    "-fno-strict-aliasing",  # vectors are loaded from arrays of any element type
    "-pthread",
)
_SHARED = ("-fPIC", "-shared")
HELP = (
    "install the default one with `pip install ziglang` (no system package needed), "
    "or a system one with `apt-get install gcc`, or name one with --cc or ISAMAP_CC"
)


@dataclass(frozen=True)
class Compiler:
    """The command to start it, its family ('zig', 'clang' or 'gcc'), its version in its own words, and the user's arguments."""

    command: tuple[str, ...]
    family: str
    version: str
    arguments: tuple[str, ...] = ()

    def flags(
        self, requires: Iterable[str] = (), *, native: bool = False, sanitize: bool = False, target: str | None = None
    ) -> list[str]:
        """Flags for a shared library using these features (archspec's names).

        native: tune for, and use everything of, this CPU. sanitize: address and undefined-behaviour checks. target: for the
        machine of this triple, such as aarch64-linux-musl. Raises BuildError if the compiler takes none.
        """
        requires = tuple(requires)
        if target is not None:
            if self.family != "zig":
                raise BuildError(
                    f"--target needs the compiler of the ziglang wheel, not {self}; leave out --cc and ISAMAP_CC"
                )
            architecture = architecture_of(target)
            chosen = ["-target", target, zig_cpu("baseline", requires, architecture)]
        elif self.family == "zig":
            architecture = own_architecture()
            chosen = [zig_cpu("native" if native else "baseline", requires, architecture)]
        else:
            architecture = own_architecture()
            chosen = [*(["-march=native"] if native else []), *gnu_flags(requires, architecture)]
        chosen += width_flags(requires, architecture)
        if sanitize:
            checks = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-g", "-O1"]
        else:
            # zig adds undefined-behaviour traps unless it is told not to
            checks = ["-fno-sanitize=undefined"] if self.family == "zig" else []
        return [*_BASE, *chosen, *self.arguments, *_MEANING, *_SHARED, *checks]

    def __str__(self) -> str:
        return f"{' '.join((*self.command, *self.arguments))} ({self.version})"


def portable_flags(requires: Iterable[str]) -> list[str]:
    """Flags for gcc and clang to compile the code by itself, for a library or a program."""
    requires = tuple(requires)
    architecture = where_all_are(requires)
    return [*_BASE, *gnu_flags(requires, architecture), *width_flags(requires, architecture), *_MEANING, "-lm"]


def find_compiler(cc: str | None = None) -> Compiler:
    """The compiler named by `cc`, else by ISAMAP_CC, else the ziglang wheel's, else the system's clang or gcc.

    `cc` is 'zig', 'clang', 'gcc', another command or a path, with arguments behind it: 'gcc -O2'. Raises BuildError with advice
    on installing one.
    """
    if (cc is not None and not str(cc).strip()) or not isinstance(cc, str | None):
        raise BuildError(
            f"cc={cc!r} is {type(cc).__name__}: pass the name of a C compiler, or its path, such as 'gcc -O2'"
        )
    named = cc or os.environ.get("ISAMAP_CC")
    if named:
        origin = "--cc" if cc else "ISAMAP_CC"
        return _named(named, origin)
    if find_spec("ziglang") is not None:
        return _probe(_zig())
    for candidate in ("clang", "gcc", "cc"):
        path = shutil.which(candidate)
        if path:
            return _probe((path,))
    raise BuildError(f"no C compiler found: neither the ziglang wheel, nor clang, gcc or cc on PATH; {HELP}")


def compile_shared(
    compiler: Compiler, source: Path, library: Path, flags: Iterable[str], libraries: Iterable[str] = ("-lm",)
) -> None:
    """Compile one C file into one shared library. Raises BuildError with the compiler's first complaints."""
    _run(compiler, [*flags, str(source), "-o", str(library), *libraries], source, library)


def compile_linked(compiler: Compiler, directory: Path, requires: Iterable[str], triple: str) -> None:
    """Make kernel.elf of the directory's kernel.c, for a CPU with these features, and caller.c: one file needing no other.

    Raises BuildError with the compiler's first complaints.
    """
    kernel, caller, made, program = (directory / n for n in ("kernel.c", "caller.c", "kernel.o", "kernel.elf"))
    _run(compiler, [*object_flags(compiler, requires, triple), "-c", str(kernel), "-o", str(made)], kernel, made)
    # without the features: zig compiles the C library anew for each set of them
    _run(
        compiler,
        [*object_flags(compiler, (), triple), "-static", str(caller), str(made), "-o", str(program), "-lm"],
        caller,
        program,
    )


def object_flags(compiler: Compiler, requires: Iterable[str], triple: str) -> list[str]:
    """Flags for a part of a program for a CPU with these features. Raises BuildError if the compiler takes no triple."""
    return [f for f in compiler.flags(requires, target=triple) if f not in _SHARED]


def link_shared(
    compiler: Compiler,
    sources: Mapping[Path, Iterable[str]],
    made: Path,
    target: str | None = None,
    more: Mapping[Path, Sequence[str]] | None = None,
) -> None:
    """Make one shared library of several files of one folder, each for a CPU with its own features.

    The bytes do not depend on its place. target: the machine's triple; more: further flags for a file. Raises BuildError.
    """
    place = f"-ffile-prefix-map={made.parent}=."

    def one(source: Path, requires: Iterable[str]) -> str:
        flags = [f for f in compiler.flags(requires, target=target) if f != "-shared"]
        compiled = source.with_suffix(".lib.o")
        further = (more or {}).get(source, ())
        _run(compiler, [*flags, place, *further, "-c", source.name, "-o", compiled.name], source, compiled)
        return compiled.name

    with ThreadPoolExecutor(os.cpu_count()) as at_once:
        objects = list(at_once.map(one, sources, sources.values()))
    flags = compiler.flags(target=target)
    _run(compiler, [*flags, place, *objects, "-o", made.name, "-lm"], made.with_suffix(""), made)
    for name in objects:
        (made.parent / name).unlink()


def compile_exactly(compiler: Compiler, directory: Path, arguments: Iterable[str], made: str) -> None:
    """Make that file of the directory's kernel.c with these arguments and no others. Raises BuildError."""
    _run(compiler, arguments, directory / "kernel.c", directory / made)


def _run(compiler: Compiler, arguments: Iterable[str], source: Path, made: Path) -> None:
    try:
        done = subprocess.run(
            [*compiler.command, *arguments], capture_output=True, text=True, check=False, cwd=source.parent
        )
    except OSError as error:
        raise BuildError(f"cannot start the C compiler {compiler.command[0]}: {error.strerror}; {HELP}") from None
    if done.returncode != 0 or not made.is_file():
        raise BuildError(f"{compiler} refused the generated C:\n{_complaints(done.stderr, source)}")


def _named(text: str, origin: str) -> Compiler:
    try:
        name, *more = [text] if shutil.which(text) else shlex.split(text)
    except ValueError as error:
        raise BuildError(f"{origin} {text!r}: {error}; it is a command with its arguments, such as 'gcc -O2'") from None
    path = shutil.which(name)
    if name == "zig" and find_spec("ziglang") is not None:
        command: tuple[str, ...] = _zig()
    elif path is None:
        raise BuildError(f"the C compiler {name!r} named by {origin} is not there; {HELP}")
    else:
        path = os.path.abspath(path)  # it is started elsewhere
        command = (path, "cc") if Path(path).name.startswith("zig") else (path,)
    if command[-1] == "cc" and more[:1] == ["cc"]:
        more = more[1:]
    return replace(_probe(command), arguments=tuple(more))


def _zig() -> tuple[str, ...]:
    """The wheel's compiler: the program itself, since `python -m ziglang` starts Python to do no more than start it."""
    found = find_spec("ziglang")
    program = Path(found.origin).parent / "zig" if found and found.origin else Path()
    return (str(program), "cc") if program.is_file() else (sys.executable, "-m", "ziglang", "cc")


@functools.cache
def _probe(command: tuple[str, ...]) -> Compiler:
    """Ask the compiler who it is."""
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{' '.join(command)} does not start ({error}); {HELP}") from None
    said = done.stdout.strip().splitlines()
    if done.returncode != 0 or not said:
        raise BuildError(f"{' '.join(command)} --version failed: {done.stderr.strip()[:300]}; {HELP}")
    if command[-1] == "cc" and len(command) > 1:
        family = "zig"
    elif "clang" in said[0].lower():
        family = "clang"
    elif re.search(r"gcc|\bcc\b|Free Software Foundation", done.stdout, re.IGNORECASE):
        family = "gcc"
    else:
        raise BuildError(f"{' '.join(command)} is neither clang nor gcc nor zig: {said[0]}; {HELP}")
    return Compiler(command, family, said[0].strip())


def _complaints(stderr: str, source: Path, limit: int = 20) -> str:
    lines = stderr.replace(str(source), source.name).strip().splitlines()
    first = next((n for n, line in enumerate(lines) if "error" in line), 0)
    shown = lines[first : first + limit]
    return "\n".join(f"  {line}" for line in shown) or "  (it said nothing)"
