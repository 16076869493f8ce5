"""Where a thread cannot enter the state of its registers again, or memory runs out, a call gives back all that it holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.codegen import print_c
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import ProvedProgram
from tests.codegen.test_entry_checks import run_c

NEED = ("mode[0] = 1",)
COUNTED = (
    "static int mine_entries, mine_fails, mine_inside;\n"
    "static int mine_enter(const unsigned char *c) { return *c != 1 || ++mine_entries == mine_fails || !(mine_inside = 1); }\n"
    "static void mine_leave(void) { mine_inside = 0; }"
)

# The second sum has instructions of its own behind the first one's loop over threads.
TEXT = "T[i,j] += A[i,k] * B[k,j]\nS[l] += P[x] * Q[x,l]"
SIZES = {"i": 64, "k": 640, "j": 640, "l": 8, "x": 64}
MAIN = """
#include <stdlib.h>
static int held, allocations, none;
static void *counted_alloc(size_t alignment, size_t size) {
    if (++allocations == none) return NULL;
    held++;
    return aligned_alloc(alignment, size);
}
static void counted_free(void *memory) {
    held -= memory != NULL;
    free(memory);
}
#define aligned_alloc counted_alloc
#define free counted_free
#include "kernel.c"
#include <stdio.h>
static float T[64 * 640], S[8], A[64 * 640], B[640 * 640], P[64], Q[64 * 8];
/* One call: its result, what it still holds, whether it is still inside the state, how often it entered and allocated. */
static void call(int fails, int without) {
    const void *tensors[] = {T, A, B, S, P, Q};
    const int64_t sizes[] = {1};
    mine_entries = mine_inside = held = allocations = 0;
    mine_fails = fails;
    none = without;
    const int got = k_run(tensors, sizes, NULL, 1);
    printf("%d %d %d %d %d\\n", got, held, mine_inside, mine_entries, allocations);
}
int main(void) {
    call(0, 0);
    for (int n = 1; n <= 4; ++n) call(n, 0);
    call(0, 1);
    return 0;
}
"""


def program() -> ProvedProgram:
    """For a machine whose every instruction needs the state."""
    avx2 = isamap_hardware.load("avx2")

    def in_state(i: Instruction) -> Instruction:
        return replace(i, needs=NEED, prelude=(*i.prelude, COUNTED))

    mode = im.Memory("mode", 1, kind="state")
    bytes_ = {"dtypes": {"s": "u8", "c": "u8"}, "prelude": COUNTED, "axes": {"x": 1}}
    enter = im.instruction(
        "mine.enter",
        "s[x] = c[x]",
        places={"s": "mode[x]", "c": "code"},
        emit="mine_enter({c})",
        may_fail=True,
        **bytes_,
    )
    leave = im.instruction(
        "mine.leave", "s[x] = 0", places={"s": "mode[x]"}, emit="mine_leave();", **{**bytes_, "dtypes": {"s": "u8"}}
    )
    stated = (*map(in_state, avx2.instructions), enter, leave)
    machine = im.Hardware("stated", (*avx2.memories, mode), avx2.links, stated)
    planned = im.plan(im.kernel(TEXT), machine, sizes=SIZES, threads=2, fix={"split": "no"})
    assert [t.name for t in planned.kernel.tensors] == ["T", "A", "B", "S", "P", "Q"]
    return planned.checked


@pytest.mark.needs("avx2", "fma")
def test_nothing_is_held_whatever_fails(tmp_path: Path) -> None:
    (tmp_path / "kernel.c").write_text(print_c(program(), prefix="k"))
    (tmp_path / "main.c").write_text(MAIN)
    calls = [
        tuple(map(int, line.split())) for line in run_c(tmp_path, "main.c", flags=("-mavx2", "-mfma")).splitlines()
    ]
    (whole, *failed), without = calls[:-1], calls[-1]
    result, held, inside, entries, allocations = whole
    assert (result, held, inside) == (0, 0, 0)
    assert entries > 4 and allocations == 1
    assert [c[:3] for c in failed] == [(-1, 0, 0)] * 4
    assert failed[2][3] == 3  # the third is the function's own, behind the first loop over threads
    assert without[:3] == (1, 0, 0)
