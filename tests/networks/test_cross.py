"""Networks for other machines: compiled and packed here, run under QEMU, equal to the interpreter."""

from __future__ import annotations

import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import isamap_smt as im
from isamap_smt.certificates.sealed import read_seal
from isamap_smt.cli.app import run
from isamap_smt.networks.check import check_library
from isamap_smt.runtime.compiler import find_compiler, object_flags
from isamap_smt.targets.emulator import find_emulator
from tests.networks.models import expected, model, node, weight

MAIN = """
#include "small.h"
#include <stdio.h>
static _Alignas(64) char arena[1 << 20], weights[1 << 20];
static float x[300], y[12];
int main(int count, char **words) {
    (void)count;
    FILE *file = fopen(words[1], "rb");
    if (!file || fread(x, 1, sizeof x, file) != sizeof x) return 2;
    if (!(file = fopen(words[2], "rb")) || fread(weights, 1, sizeof weights, file) != small_weights_bytes()) return 3;
    const int code = small_run(&(small_inputs){x}, &(small_outputs){y}, arena, weights, 0);
    if (code) return fprintf(stderr, "%s: %s\\n", small_node(code), small_text(code)), 4;
    return fwrite(y, 1, sizeof y, stdout) != sizeof y;
}
"""
MACHINES = {"neon": "aarch64-linux-musl", "sve": "aarch64-linux-musl", "rvv": "riscv64-linux-musl"}


def small() -> Any:
    """A convolution whose channels leave a tail, and a product."""
    rng = np.random.default_rng(0)
    weights = {"W": weight(rng, 7, 3, 3, 3), "B": weight(rng, 7), "V": weight(rng, 7 * 64, 12)}
    nodes = [
        node("Conv", ["x", "W", "B"], ["c"]),
        node("Relu", ["c"], ["r"]),
        node("Flatten", ["r"], ["f"]),
        node("MatMul", ["f", "V"], ["y"]),
    ]
    return model(nodes, {"x": [1, 3, 10, 10]}, {"y": [1, 12]}, weights)


X = np.random.default_rng(3).standard_normal((1, 3, 10, 10)).astype(np.float32)


@pytest.fixture(scope="module")
def source(tmp_path_factory: Any) -> Path:
    if find_spec("ziglang") is None:
        pytest.skip("the cross compiler is that of the ziglang wheel")
    place = tmp_path_factory.mktemp("cross")
    onnx.save(small(), place / "small.onnx")
    X.tofile(place / "x")
    return place / "small.onnx"


def program_for(folder: Path, triple: str, scratch: Path) -> Path:
    """A static program of the folder's C."""
    (scratch / "main.c").write_text(MAIN)
    compiler, objects = find_compiler("zig"), []
    record = read_seal(folder)
    for file in sorted(folder.glob("small*.c")):
        requires = record["features"] if re.fullmatch(r"small_k\d+\.c", file.name) else []
        flags = object_flags(compiler, requires, triple)
        objects.append(f"{file.stem}.o")
        command = [*compiler.command, *flags, "-c", str(file), "-o", objects[-1]]
        subprocess.run(command, cwd=scratch, check=True, capture_output=True)
    flags = [*object_flags(compiler, [], triple), "-static", f"-I{folder}"]
    command = [*compiler.command, *flags, "main.c", *objects, "-o", "run", "-lm"]
    subprocess.run(command, cwd=scratch, check=True, capture_output=True)
    return scratch / "run"


@pytest.mark.parametrize("hardware", MACHINES)
def test_it_computes_there_what_the_interpreter_does(source: Path, tmp_path: Path, hardware: str) -> None:
    triple, out = MACHINES[hardware], tmp_path / "out"
    more = [] if hardware == "neon" else ["--set", "VL=4"]
    command = ["compile", str(source), hardware, "--target", triple, "-o", str(out), *more]
    assert run(command) == 0
    if hardware == "sve":
        assert {o.status for o in check_library(out).outcomes} == {"ok"}
    with pytest.raises(im.IsamapError, match="this CPU has no"):
        im.load_network(out)
    emulator = find_emulator(triple.split("-")[0])
    if emulator is None:
        pytest.skip("qemu-user is not installed")
    program = program_for(out, triple, tmp_path)
    wanted = im.run_network(im.from_onnx(small()), {"x": X})["y"]
    assert np.allclose(wanted, expected(small(), {"x": X})["y"], atol=1e-5)
    there = emulator if hardware == "neon" else emulator.with_vectors(512)
    arguments = [str(program), str(source.parent / "x"), str(out / "small_weights.bin")]
    said = subprocess.run([*there.command, *arguments], capture_output=True, check=False)
    assert said.returncode == 0, said.stderr
    assert np.allclose(np.frombuffer(said.stdout, np.float32), wanted[0], atol=1e-5)
    if hardware != "neon":
        done = subprocess.run([*emulator.with_vectors(256).command, *arguments], capture_output=True, check=False)
        assert done.returncode == 4 and b"memory is laid out for VL = 4, and this machine has another" in done.stderr


def test_a_target_without_the_instructions_is_refused(source: Path, tmp_path: Path, capsys: Any) -> None:
    assert run(["compile", str(source), "neon", "--target", "riscv64-linux-musl", "-o", str(tmp_path / "out")]) != 0
    assert "asimd" in capsys.readouterr().err and not (tmp_path / "out").exists()
    assert run(["compile", str(source), "neon", "--target", "elsewhere", "-o", str(tmp_path / "out")]) != 0
    assert "ARCHITECTURE-SYSTEM-LIBRARY" in capsys.readouterr().err
