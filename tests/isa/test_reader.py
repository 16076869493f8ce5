"""C does, compiled and run, what reading it says: the planted functions, right and wrong, on random operands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from isamap_encodings import bit_terms as bits
from isamap_smt.isa import header
from isamap_smt.isa.c_values import Fault
from isamap_smt.isa.carry_out import Outcome, carry_out
from isamap_smt.isa.confirm import calling, size
from isamap_smt.isa.entry import Case, Entry
from isamap_smt.isa.evaluate import FLOATS, evaluate
from isamap_smt.isa.meanings import Meaning
from isamap_smt.isa.silicon import FUNCTION, find_place, run_rows
from tests.isa.intrinsics import pools
from tests.isa.planted import FAULTS, NEON, X86

ROWS = 30


def cases(entries: list[Entry], used: dict[str, Meaning]) -> Iterator[tuple[Case, Outcome]]:
    """Cases whose C is defined whatever the operands hold, with what reading it says."""
    for e in entries:
        for case in list(e.cases())[::3]:
            try:
                outcome = carry_out(case, used)
            except Fault:
                continue
            if not outcome.promises:
                yield case, outcome


def inputs(case: Case, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Cell -> its bits in each row."""
    found, at = {}, 0
    for o in case.operands:
        for k, t in enumerate(case.before[o.name]):
            place, step = at + k * o.stride * o.dtype.bytes, o.dtype.bytes
            column = np.ascontiguousarray(rows[:, place : place + step]).view(f"<u{step}")[:, 0]
            found[t.args[0]] = column.astype(np.uint64)
        at += size(o)
    return found


def differences(case: Case, outcome: Outcome, rows: np.ndarray, got: np.ndarray) -> Iterator[str]:
    at, known = 0, inputs(case, rows)
    for o in case.operands:
        for k, t in enumerate(outcome.after.get(o.name, ())):
            place, step = at + k * o.stride * o.dtype.bytes, o.dtype.bytes
            if any(n.startswith("undefined") for n in bits.cells(t)):
                continue
            done = np.ascontiguousarray(got[:, place : place + step]).view(f"<u{step}")[:, 0].astype(np.uint64)
            said = np.broadcast_to(evaluate([t], known)[0], done.shape)
            differ = done != said
            if o.dtype.is_float:
                nan = [np.isnan(x.astype(f"u{step}").view(FLOATS[8 * step])) for x in (done, said)]
                differ &= ~(nan[0] & nan[1])
            if differ.any():
                yield f"{case.function} {case.parameters} {o.name}[{k}]"
        at += size(o)


@pytest.mark.parametrize("name", [X86, NEON])
def test_what_is_read_is_what_runs(name: str, tmp_path: Path) -> None:
    file, used = tmp_path / name, dict[str, Meaning]()
    texts = [f.text(n) for n, f in enumerate(FAULTS) if f.header == name]
    file.write_text(f"#include <{name}>\n" + "".join(texts))
    listed = list(cases(header.entries(file), used))
    place = find_place({f for m in used.values() for f in m.requires})
    if isinstance(place, str):
        pytest.skip(place)
    source = [f"#include <{name}>\n#include <string.h>\n#include <stdint.h>", *sound(texts, listed)]
    ends = np.cumsum([0, *(sum(map(size, case.operands)) for case, _ in listed)])
    source += [f"static void {calling(case, f'call_{n}')}" for n, (case, _) in enumerate(listed)]
    calls = "\n".join(f"    call_{n}(from, to + {at});" for n, at in enumerate(ends[:-1]))
    source.append(f"void {FUNCTION}(const unsigned char *from, unsigned char *to) {{\n{calls}\n}}")
    rows = pools(ROWS)
    requires = sorted({f for m in used.values() for f in m.requires})
    got = run_rows(place, "\n".join(source), requires, rows, int(ends[-1]))
    found = [d for n, (case, o) in enumerate(listed) for d in differences(case, o, rows, got[:, ends[n] : ends[n + 1]])]
    assert found == []
    assert len(listed) >= {X86: 50, NEON: 5}[name]


def sound(texts: list[str], listed: list[tuple[Case, Outcome]]) -> Iterator[str]:
    """The functions of these cases: the others are no C."""
    wanted = {case.function for case, _ in listed}
    for line in "".join(texts).splitlines():
        name = line.split("(")[0].split()[-1] if line.startswith("static") else ""
        if name in wanted:
            yield line
