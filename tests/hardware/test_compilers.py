"""Every description's C compiles with both compilers, whatever this CPU can run, and does not spill accumulators."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import pytest

import isamap_hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.runtime.compiler import find_compiler
from isamap_smt.runtime.conformance import check_instructions
from isamap_smt.runtime.conformance.check import Made, as_c, compiled
from isamap_smt.runtime.conformance.place import Here
from isamap_smt.runtime.feature_flags import own_architecture, where_all_are
from tests.families import draw

ZIG = pytest.param(
    "zig", marks=pytest.mark.exhaustive
)  # as a rule it compiles every instruction that another test runs
EMITTED = [
    n
    for n in isamap_hardware.names()
    if any(i.emit for i in isamap_hardware.load(n).computes) and not isamap_hardware.load(n).engines
]


EVERY = [False, pytest.param(True, marks=pytest.mark.exhaustive)]  # instruction of a machine, or as many as are drawn


def some(instructions: Iterable[Instruction], every: bool) -> list[Instruction]:
    """Every one, or the last of each kind and one in four."""
    found = list(instructions)
    of_kind = {i.kind: i.name for i in found}.values()
    return [i for i in found if every or i.name in of_kind or draw(i.name, 4) == 0]


def compiler_or_skip(cc: str) -> str:
    """The compiler's name; skips aloud where it is not installed, or is too old for f16 (clang before 15 on x86)."""
    if not (find_spec("ziglang") if cc == "zig" else shutil.which(cc)):
        pytest.skip(f"{cc} is not installed")
    if cc != "zig":
        asked = [cc, "-xc", "-fsyntax-only", "-"]
        if subprocess.run(asked, check=False, input="_Float16 x;", text=True, capture_output=True).returncode:
            pytest.skip(f"{cc} has no _Float16 on this machine")
    return cc


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("cc", [ZIG, "gcc", "clang"])
@pytest.mark.parametrize("machine", EMITTED)
def test_every_emit_compiles(machine: str, cc: str, every: bool) -> None:
    described = isamap_hardware.load(machine)
    needed = {f for i in described.instructions for f in i.requires}
    if where_all_are(needed) != own_architecture():
        pytest.skip(f"{machine} is a machine of {where_all_are(needed)}: tests/targets builds and runs it")
    shown = some(
        (i for i in described.instructions if i.kind != "configure"), every
    )  # which the others' functions call
    made = [as_c(n, i, described) for n, i in enumerate(shown)]
    assert all(isinstance(m, Made) for m in made)
    found = compiled([m for m in made if isinstance(m, Made)], Here(compiler_or_skip(cc)))
    assert len(found) == len(shown)
    assert all(isinstance(library, Path) for library in found.values()), found


def kernel_source(instruction: Instruction, rows: int) -> str:
    """An inner loop as the printer writes it: `rows` accumulators, each fed by one shared b and its own broadcast a."""
    machine = isamap_hardware.load(instruction.name.split(".", 1)[0])
    types = dict(instruction.c_types)
    out = instruction.kernel.outputs[0]

    preludes = list(instruction.prelude)

    def move(form: str, operand: str, **words: str) -> str:
        tensor = instruction.kernel.tensor(operand)
        group = "" if len(tensor.shape) == 1 else f"x{tensor.shape[1]}"
        found = machine.instruction(f"{form}_{tensor.dtype}{group}")
        preludes.extend(found.prelude)
        return found.emit.format(**words)

    def element(operand: str) -> str:
        return instruction.kernel.tensor(operand).dtype.c

    group = 1 if len(instruction.kernel.tensor("a").shape) == 1 else int(instruction.kernel.tensor("a").shape[1])
    step = group * instruction.axes["l"]
    acc = [f"acc_{n}" for n in range(rows)]
    lines = [
        f"void kernel(int64_t k_end, const {element('a')} *restrict a, const {element('b')} *restrict b, "
        f"{element(out)} *restrict c) {{",
        f"{types[out]} {', '.join(acc)};",
        *(move("zero", out, r=r) for r in acc),
        "for (int64_t k = 0; k < k_end; ++k) {",
        f"{types['b']} vb; {types['a']} va;",
        move("load", "b", r="vb", m=f"b + k * {step}"),
    ]
    for n, r in enumerate(acc):
        lines.append(move("broadcast", "a", r="va", m=f"a + k * {rows * group} + {n * group}"))
        lines.append(instruction.emit.format(**{"a": "va", "b": "vb", out: r}))
    lines.append("}")
    lines += [move("store", out, m=f"c + {n * instruction.axes['l']}", r=r) for n, r in enumerate(acc)]
    includes = [f"#include <{h}>" for h in ("stdint.h", "string.h", *instruction.headers)]
    return "\n".join([*includes, *dict.fromkeys(preludes), *lines, "}"])


def spills(name: str, rows: int, cc: str, directory: Path) -> list[str]:
    """Vector stores to the stack in the inner loop with `rows` accumulators. The loop does compute."""
    compiler = find_compiler(compiler_or_skip(cc))
    machine, short = name.split(".", 1)
    instruction = isamap_hardware.load(machine).instruction(short)
    (directory / "k.c").write_text(kernel_source(instruction, rows))
    flags = [f for f in compiler.flags(instruction.requires) if f != "-shared"]
    command = [*compiler.command, *flags, "-S", str(directory / "k.c"), "-o", str(directory / "k.s")]
    subprocess.run(command, check=True, capture_output=True)
    text = (directory / "k.s").read_text()
    loop = inner_loop(text)
    assert any("fmadd" in line or "vpdp" in line or "vdpbf" in line for line in loop), text
    return [line for line in loop if re.search(r"vmov\w+\s+%[yz]mm\d+,.*\(%r[bs]p", line)]


@pytest.mark.one_in(
    3,
    each=(
        "name",
        "cc",
    ),
)
@pytest.mark.parametrize("cc", ["zig", "gcc", "clang"])
@pytest.mark.parametrize(
    "name",
    ["avx512.fmadd_ps", "avx512.fmadd_pd", "avx512_vnni.dpbusd", "avx512_vnni.dpwssds", "avx512_bf16.dpbf16_ps", "avx2.fmadd_ps",
     "avx_vnni.dpbusd", "avx_vnni.dpbusds"],
)  # fmt: skip
def test_accumulators_stay_in_registers(name: str, cc: str, tmp_path: Path) -> None:
    """24 accumulators of 32 registers, 12 of 16."""
    assert spills(name, 12 if name.startswith(("avx2", "avx_vnni")) else 24, cc, tmp_path) == []


@pytest.mark.parametrize("cc", ["zig", "gcc", "clang"])
def test_too_many_accumulators_are_seen_to_spill(cc: str, tmp_path: Path) -> None:
    """The test above can fail: 40 accumulators do not fit 32 registers."""
    assert spills("avx512.fmadd_ps", 40, cc, tmp_path)


def inner_loop(assembly: str) -> list[str]:
    """Lines between a label and the backward jump to it that hold most multiplications."""
    lines = assembly.splitlines()
    labels = {m.group(1): n for n, line in enumerate(lines) if (m := re.match(r"(\.?L\w+):", line))}
    loops = []
    for n, line in enumerate(lines):
        jump = re.match(r"\s+j\w+\s+(\.?L\w+)", line)
        if jump and labels.get(jump.group(1), n) < n:
            loops.append(lines[labels[jump.group(1)] : n])
    return max(loops, key=lambda body: sum("fmadd" in x or "dp" in x for x in body), default=[])


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("cc", [ZIG, "gcc"])
@pytest.mark.parametrize("machine", ["avx2", "scalar"])
def test_gcc_and_zig_agree_on_the_instructions_of_this_cpu(machine: str, cc: str, every: bool) -> None:
    described = isamap_hardware.load(machine)
    if missing := missing_features(described.instructions):
        pytest.skip(f"this CPU has no {', '.join(missing)}")
    found = check_instructions(
        some(described.computes, every), described, results=2000, seed=7, cc=compiler_or_skip(cc)
    )
    assert [str(c) for c in found if c.status != "right"] == []
