"""QEMU's user-mode emulators: the one of an architecture, its version, and its most capable CPU."""

from __future__ import annotations

import functools
import shutil
import subprocess
from dataclasses import dataclass

from isamap_smt.ir.errors import HardwareError

# architecture of a triple -> QEMU's name; all of them little-endian, as this project's arrays are
_NAMES = {
    "aarch64": "aarch64",
    "arm": "arm",
    "thumb": "arm",
    "loongarch64": "loongarch64",
    "mipsel": "mipsel",
    "mips64el": "mips64el",
    "ppc64le": "ppc64le",
    "riscv32": "riscv32",
    "riscv64": "riscv64",
    "x86": "i386",
    "x86_64": "x86_64",
}
_CPU = {"riscv64": "rv64,v=true,vext_spec=v1.0"}  # where QEMU has no `max`
_VECTORS = {
    "aarch64": "sve{bits}=on,sve-default-vector-length={bytes}",
    "riscv64": "vlen={bits},rvv_ta_all_1s=true,rvv_ma_all_1s=true",
}
INSTALL = "apt-get install qemu-user"


def emulated_architectures() -> tuple[str, ...]:
    """The architectures of Linux programs emulated by QEMU and known here by name."""
    return tuple(sorted(_NAMES))


@dataclass(frozen=True)
class Emulator:
    """How to start it before a program, its name with its version, and how its CPU is told the length of its vectors, if at all."""

    command: tuple[str, ...]
    title: str

    vectors: str = ""

    def with_vectors(self, bits: int) -> Emulator:
        """The same with vectors of so many bits; itself for 0.

        Raises HardwareError if it has no such vectors, or no known way to choose their length.
        """
        if not bits:
            return self
        if not self.vectors:
            raise HardwareError(f"{self.title}: it is not known here how its vectors get {bits} bits")
        path, flag, cpu = self.command
        command = (path, flag, f"{cpu},{self.vectors.format(bits=bits, bytes=bits // 8)}")
        if why := _refused(command, self.command):
            raise HardwareError(
                f"{self.title} has no vectors of {bits} bits ({why}); take shorter ones with --set, or another --target"
            )
        return Emulator(command, f"{self.title}, vectors of {bits} bits")


@functools.cache
def _refused(command: tuple[str, ...], plain: tuple[str, ...]) -> str:
    """The emulator's reason against this CPU, in its own words; '' if it has none.

    This source file is no program, so a plain CPU fails on it, too. The same words for both mean that the CPU is
    accepted.
    """
    said = [
        subprocess.run([*c, __file__], capture_output=True, text=True, check=False).stderr.strip()
        for c in (command, plain)
    ]
    return "" if said[0] == said[1] else said[0].splitlines()[0].partition(": ")[2]


def emulator_name(architecture: str) -> str:
    """QEMU's program for the architecture; '' if none is known here."""
    return f"qemu-{_NAMES[architecture]}" if architecture in _NAMES else ""


@functools.cache
def find_emulator(architecture: str) -> Emulator | None:
    """The emulator of the architecture; None if it is not on PATH."""
    name = emulator_name(architecture)
    path = name and (shutil.which(name) or shutil.which(f"{name}-static"))
    if not path:
        return None
    version = _said(path, "--version").split("version ", maxsplit=1)[-1].split(" ", maxsplit=1)[0].strip()
    known = {word for line in _said(path, "-cpu", "help").splitlines() for word in line.split()}
    cpu = "max" if "max" in known else _CPU.get(architecture, "")
    return Emulator((path, *(("-cpu", cpu) if cpu else ())), f"{name} {version}", _VECTORS.get(architecture, ""))


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
