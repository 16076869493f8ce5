"""Every instruction of a machine as a C function on memory, made from the emit strings of its description."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import isamap_hardware
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.mapping.moves import find_move, lane_symbols, memory_index, memory_shape
from isamap_smt.runtime import build_library

# A child process makes the call: what it may not touch kills the child, and the parent is told by which signal.
GUARD = """
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first byte of a page that must not be touched; the page before it is ordinary memory. */
void *guarded_end(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *two = mmap(0, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (two == MAP_FAILED || mprotect(two + page, page, PROT_NONE)) return 0;
    return two + page;
}
int signal_of(void (*call)(int64_t, void *, void *), int64_t active, void *m, void *r) {
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        call(active, m, r);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
"""


def c_name(instruction: Instruction) -> str:
    """The C function that holds this instruction."""
    return "isamap_" + instruction.name.replace(".", "_")


def source(instructions: Iterable[Instruction]) -> str:
    """C with one function per instruction, and the guard."""
    chosen = [i for i in instructions if i.emit]
    headers = dict.fromkeys(h for i in chosen for h in i.headers)
    parts = [GUARD, *(f"#include <{h}>" for h in headers), *dict.fromkeys(part for i in chosen for part in i.prelude)]
    parts += [_numbered(i) if i.numbered else _compute(i) if i.kind == "compute" else _move(i) for i in chosen]
    return "\n".join(parts)


def build(machine: Hardware, *, cc: str | None = None, simde: bool = False) -> ctypes.CDLL:
    """The machine's instructions, compiled and loaded."""
    return ctypes.CDLL(str(library(machine, cc=cc, simde=simde)))


def library(machine: Hardware, *, cc: str | None = None, simde: bool = False) -> Path:
    """The machine's instructions, compiled."""
    requires = {feature for i in machine.instructions for feature in i.requires}
    return build_library(source(machine.instructions), requires, cc=cc, simde=simde)


def run_compute(loaded: ctypes.CDLL, instruction: Instruction, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """The accumulators after one execution per leading index of the arrays."""
    target = instruction.kernel.outputs[0]
    if instruction.numbered:
        return _run_numbered(loaded, instruction, arrays)
    result = np.ascontiguousarray(arrays[target]).copy()
    held = [result if t.name == target else np.ascontiguousarray(arrays[t.name]) for t in instruction.kernel.tensors]
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in held]
    loaded[c_name(instruction)](ctypes.c_int64(len(result)), *pointers)
    return result


def run_move(loaded: ctypes.CDLL, move: Instruction, memory: int, register: np.ndarray, active: int) -> None:
    """One move between an address and the bytes of a register."""
    loaded[c_name(move)](ctypes.c_int64(active), ctypes.c_void_p(memory), ctypes.c_void_p(register.ctypes.data))


def enter(loaded: ctypes.CDLL, instruction: Instruction) -> None:
    """This thread is in the state that the instruction needs, and stays in it."""
    call = loaded[f"{c_name(instruction)}_enter"]
    assert call() == 0, "the system refuses the registers"


def move_numbered(
    loaded: ctypes.CDLL, move: Instruction, number: int, memory: int, stride: int, active: tuple[int, ...] = ()
) -> None:
    """One move between the register of that number and memory, whose rows lie `stride` bytes apart."""
    counts = [ctypes.c_int64(n) for n in (*active, 0, 0)[:2]]
    loaded[c_name(move)](ctypes.c_int64(number), *counts, ctypes.c_void_p(memory), ctypes.c_int64(stride))


def as_in_memory(move: Instruction, cells: np.ndarray) -> np.ndarray:
    """The elements of a register's cells, as the move has them in memory: row after row."""
    names = tuple(map(str, lane_symbols(move)))
    points = dict(zip(names, np.indices(cells.shape), strict=True))
    memory = np.empty(memory_shape(move), cells.dtype)
    memory[tuple(evaluate(i, points) for i in memory_index(move, names))] = cells
    return memory


def _run_numbered(loaded: ctypes.CDLL, instruction: Instruction, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """The machine's own moves bring the operands to the first registers, and the accumulator back."""
    machine = isamap_hardware.load(instruction.name.partition(".")[0])
    target = instruction.kernel.outputs[0]
    names = [t.name for t in instruction.kernel.tensors]
    whole = tuple(range(2))
    load = {n: find_move(machine, instruction, n, False, whole, False, ordered=False) for n in names}
    store = find_move(machine, instruction, target, True, whole, False)
    results = np.ascontiguousarray(arrays[target]).copy()
    enter(loaded, instruction)
    for x, result in enumerate(results):
        for number, n in enumerate(names):
            memory = as_in_memory(load[n], arrays[n][x])
            move_numbered(loaded, load[n], number, memory.ctypes.data, 64)
        loaded[c_name(instruction)]()
        move_numbered(loaded, store, names.index(target), result.ctypes.data, 64)
    return results


def _numbered(i: Instruction) -> str:
    """A compute instruction on the first registers; a move of one that is chosen by its number."""
    head = f"int {c_name(i)}_enter(void) {{ return {i.state.entering}; }}\n" if i.state else ""
    if i.kind == "compute":
        names = [t.name for t in i.kernel.tensors]
        numbers = ", ".join(f"{n} = {k}" for k, n in enumerate(names))
        return f"{head}void {c_name(i)}(void) {{ enum {{ {numbers} }}; {i.emit.format(**{n: n for n in names})} }}"
    element = next(t.dtype.c for t in i.kernel.tensors)
    emit = i.emit.format(r="r", m="m", active="active", across="across", stride="stride")
    cases = "".join(f"    if (number == {n}) {{ enum {{ r = {n} }}; {emit} }}\n" for n in range(8))
    return (
        f"{head}void {c_name(i)}(int64_t number, int64_t active, int64_t across, void *memory, int64_t stride) {{\n"
        f"    {element} *m = memory; (void)m; (void)active; (void)across; (void)stride;\n{cases}}}"
    )


def _compute(i: Instruction) -> str:
    types = dict(i.c_types)
    names = [t.name for t in i.kernel.tensors]
    arguments = ", ".join(f"char *p_{n}" for n in names)
    fill = "".join(f"        {types[n]} {n}; memcpy(&{n}, p_{n} + x * sizeof {n}, sizeof {n});\n" for n in names)
    target = i.kernel.outputs[0]
    return (
        f"void {c_name(i)}(int64_t count, {arguments}) {{\n    for (int64_t x = 0; x < count; x++) {{\n{fill}"
        f"        {i.emit.format(**{n: n for n in names})}\n"
        f"        memcpy(p_{target} + x * sizeof {target}, &{target}, sizeof {target});\n    }}\n}}"
    )


def _move(i: Instruction) -> str:
    register = dict(i.c_types)["r"]
    element = next(t.dtype.c for t in i.kernel.tensors)
    emit = i.emit.format(r="r", m="m", active="active")
    before = "memcpy(&r, bytes, sizeof r);" if i.kind == "store" else ""
    after = "" if i.kind == "store" else "memcpy(bytes, &r, sizeof r);"
    return (
        f"void {c_name(i)}(int64_t active, void *memory, void *bytes) {{\n    {element} *m = memory; (void)m; "
        f"(void)active;\n    {register} r;\n    {before}\n    {emit}\n    {after}\n}}"
    )
