"""A C function run on rows of bytes: on this CPU, under SIMDe where that lacks instructions, or under QEMU."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.errors import BuildError, HardwareError
from isamap_smt.ir.features import architectures
from isamap_smt.language.hardware_library import host_features
from isamap_smt.runtime.cache import build_library, build_program_for
from isamap_smt.runtime.feature_flags import own_architecture
from isamap_smt.runtime.simde import find_simde
from isamap_smt.targets.emulator import find_emulator

FUNCTION = "isamap_confirm"  # void isamap_confirm(const unsigned char *from, unsigned char *to)
SECONDS = 60
_TRIPLES = {"aarch64": "aarch64-linux-musl", "x86_64": "x86_64-linux-musl", "riscv64": "riscv64-linux-musl"}
_CALLER = f"""
#include <stdio.h>
#include <stdlib.h>
void {FUNCTION}(const unsigned char *from, unsigned char *to);
int main(int argc, char **argv) {{
    if (argc != 4) return 2;
    const size_t in = (size_t)atol(argv[1]), out = (size_t)atol(argv[2]);
    unsigned char *from = calloc(in + 1, 1), *to = calloc(out + 1, 1);
    for (long row = atol(argv[3]); row > 0; --row) {{
        if (fread(from, 1, in, stdin) != in) return 3;
        {FUNCTION}(from, to);
        if (fwrite(to, 1, out, stdout) != out) return 4;
    }}
    return 0;
}}
"""
_HERE = f"""
import ctypes, sys
path, in_, out, rows = sys.argv[1], *map(int, sys.argv[2:])
call = ctypes.CDLL(path).{FUNCTION}
call.restype = None
data, to = sys.stdin.buffer.read(), ctypes.create_string_buffer(out + 1)
for row in range(rows):
    call(data[row * in_:(row + 1) * in_] + b"x", to)
    sys.stdout.buffer.write(to.raw[:out])
"""


@dataclass(frozen=True)
class Place:
    """Where it runs, in words. triple: '' for this CPU. simde: what it lacks is emulated."""

    words: str
    triple: str = ""
    simde: bool = False
    command: tuple[str, ...] = ()


def find_place(requires: Iterable[str]) -> Place | str:
    """Where code with these features runs, or why nowhere."""
    features = sorted(set(requires))
    lacking = [f for f in features if f not in host_features()]
    if not lacking:
        return Place("run on this CPU")
    able = [a for a in _TRIPLES if all(a in architectures(f) for f in features)]
    if not able:
        return f"no architecture that can be run here has {', '.join(features)}"
    if able[0] == own_architecture():
        if find_simde() is None:
            return f"this CPU has no {', '.join(lacking)}, and SIMDe (libsimde-dev) is not installed"
        return Place(f"run under SIMDe, as this CPU has no {', '.join(lacking)}", simde=True)
    emulator = find_emulator(able[0])
    if emulator is None:
        return f"qemu-{able[0]} is not installed (apt-get install qemu-user)"
    if able[0] == "riscv64":  # as wide as the table of meanings takes vectors to be, and tails that show
        emulator = emulator.with_vectors(128)
    return Place(f"run under {emulator.title}", _TRIPLES[able[0]], command=emulator.command)


def run_rows(
    place: Place, source: str, requires: Iterable[str], rows: np.ndarray, out: int, cc: str | None = None
) -> np.ndarray:
    """The bytes that the function of `source` gives for each row. Raises BuildError, and HardwareError where it crashes."""
    wanted = (len(rows), out)
    numbers = [str(rows.shape[1]), str(out), str(len(rows))]
    if place.triple:
        program = build_program_for(place.triple, source, _CALLER, requires, cc)
        command = [*place.command, str(program), *numbers]
    else:
        library = build_library(source, requires, cc=cc, simde=place.simde)
        command = [sys.executable, "-I", "-S", "-c", _HERE, str(library), *numbers]
    try:
        done = subprocess.run(
            command, input=rows.astype(np.uint8).tobytes(), capture_output=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise HardwareError(f"it did not end within {SECONDS} seconds") from None
    if done.returncode or len(done.stdout) != wanted[0] * wanted[1]:
        raise HardwareError(f"it ended with status {done.returncode}")
    return np.frombuffer(done.stdout, np.uint8).reshape(wanted)


__all__ = ["FUNCTION", "BuildError", "Place", "find_place", "run_rows"]
