"""The verdicts on Exo's Gemmini table: `tested` where no execution differs from the text, never `proved`."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.errors import BuildError, IsamapError
from isamap_smt.isa.c_values import Unreadable
from isamap_smt.isa.check import Progress
from isamap_smt.isa.entry import Finding
from isamap_smt.isa.exo_gemmini import GemminiEntry, Trial, Writer, asserted_config, read_config, said, trials
from isamap_smt.isa.gemmini_macros import MACROS
from isamap_smt.targets.gemmini import RefusedError
from isamap_smt.targets.gemmini.here import HereProgram, build_here

SEED = 20
HEAD = f'#include "gemmini_isa.h"\n#include <string.h>\n{MACROS}\n'


@dataclass(frozen=True)
class _Written:
    entry: GemminiEntry
    writer: Writer
    text: str


def run_entries(
    table: list[GemminiEntry], listed: list[GemminiEntry], cc: str | None = None, progress: Progress = lambda *_: None
) -> list[Finding]:
    """A finding for each of `listed`. table: all entries, of which some configure what others rest on."""
    written, found = list[_Written](), dict[str, Finding]()
    for e in listed:
        try:
            written.append(_written(e, table, len(written)))
        except IsamapError as error:
            found[e.name] = _finding(e, "unread", str(error))
    programs = _built(written, cc)
    for n, (w, program) in enumerate(zip(written, programs, strict=True)):
        progress(n, len(written), w.entry.name)
        found[w.entry.name] = _tested(w, n, program)
    return [found[e.name] for e in listed]


def _finding(e: GemminiEntry, verdict: str, reason: str, **more: object) -> Finding:
    return Finding(e.name, verdict, reason, where=e.where, contract=e.text, code=e.code, **more)  # type: ignore[arg-type]


def _written(e: GemminiEntry, table: list[GemminiEntry], n: int) -> _Written:
    e.read()
    if "gemmini_" not in e.code:
        raise Unreadable(f"its C issues none of Gemmini's instructions: {e.code}")
    writer = Writer(e, table)
    return _Written(e, writer, writer.function(f"entry_{n}", sorted(read_config(e) | asserted_config(e))))


def _built(written: list[_Written], cc: str | None) -> list[HereProgram | str]:
    """One program of all of them; where it does not compile, one for each, or why there is none."""
    if not written:
        return []
    try:
        return [build_here(_program(written, range(len(written))), cc)] * len(written)
    except BuildError:
        found: list[HereProgram | str] = []
        for n in range(len(written)):
            try:
                found.append(build_here(_program(written, [n]), cc))
            except BuildError as error:
                found.append(next((x.strip() for x in str(error).splitlines() if "error:" in x), str(error)))
        return found


def _program(written: list[_Written], chosen: range | list[int]) -> str:
    cases = "".join(f"    case {n}: entry_{n}(arrays, numbers + 1); break;\n" for n in chosen)
    functions = "\n".join(written[n].text for n in chosen)
    main = "int64_t gemmini_program(void *const *arrays, const int64_t *numbers) {\n    switch (numbers[0]) {\n"
    return f"{HEAD}{functions}\n{main}{cases}    default: return 1;\n    }}\n    return 0;\n}}\n"


def _tested(w: _Written, n: int, program: HereProgram | str) -> Finding:
    if isinstance(program, str):
        return _finding(w.entry, "refuted", f"no C: {program}", expected="C that compiles", got=program)
    begun, count = time.perf_counter(), 0
    for t in trials(w.entry, np.random.default_rng(SEED)):
        count += 1
        try:
            after = said(w.entry, t)
        except Unreadable as error:
            return _finding(w.entry, "unread", str(error))
        different = _executed(w, n, program, t, after)
        if different:
            took = time.perf_counter() - begun
            reason, expected, got = different
            if "config" not in w.entry.code:
                reason += "; its C configures nothing, and rests on what was configured before"
            return _finding(w.entry, "refuted", reason, input=_shown(w, t), expected=expected, got=got, seconds=took)
    words = f"{count} executions on the model of Gemmini leave what the text says, bit for bit"
    if w.entry.only_configures():
        words += "; what it configures shows in the entries that rest on it alone"
    return _finding(w.entry, "tested", words, seconds=time.perf_counter() - begun)


def _executed(
    w: _Written, n: int, program: HereProgram, t: Trial, after: dict[object, np.ndarray]
) -> tuple[str, str, str] | None:
    """(why, what the text gives, what Gemmini gave) of the first cell that differs."""
    arrays: list[np.ndarray] = []
    written: list[int] = []
    results: dict[object, np.ndarray] = {}
    for what, symbol in w.writer.given:
        array = t.arrays[symbol].copy() if what == "array" else np.zeros_like(t.arrays[symbol])
        local = any(a.symbol is symbol and a.kind == "local" for a in w.entry.arguments)
        if what == "result" or not local:
            written.append(len(arrays))
            results[symbol] = array
        arrays.append(np.atleast_1d(array))
        if not array.shape:
            results[symbol] = arrays[-1]
    numbers = [n, *(how(t) for how in w.writer.numbers)]
    try:
        program(arrays, numbers, written=written)
    except RefusedError as error:
        return f"Gemmini refuses it: {error}", "an execution", str(error)
    for a in w.entry.arguments:
        if a.symbol not in results:
            continue
        got, wanted = np.atleast_1d(results[a.symbol]), np.atleast_1d(after[a.symbol])
        if not np.array_equal(got, wanted):
            at = tuple(int(x[0]) for x in np.nonzero(got != wanted))
            place = (
                f"{a.name}[{', '.join(str(x - (2 if a.kind == 'local' and k == 0 else 0)) for k, x in enumerate(at))}]"
            )
            return f"{place} is another value than the text says", f"{place} = {wanted[at]}", f"{place} = {got[at]}"
    return None


def _shown(w: _Written, t: Trial) -> dict[str, object]:
    """Sizes, strides, flags, scalars and configuration."""
    found: dict[str, object] = {}
    for a in w.entry.arguments:
        if a.symbol in t.values:
            found[a.name] = t.values[a.symbol]
        elif a.symbol in t.rows:
            found[f"stride of {a.name}"] = t.rows[a.symbol]
        elif a.kind == "scalar":
            found[a.name] = float(t.arrays[a.symbol])
    return found | {f"{c}.{part}": (float(v) if part == "scale" else v) for (c, part), v in t.config.items()}
