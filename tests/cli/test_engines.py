"""isamap on a machine with engines: what its JSON says, and what is said of descriptions and options that do not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from isamap_smt.cli.app import run

DESCRIPTION = (Path(__file__).parents[2] / "examples" / "outer_product.py").read_text()
SIZES = ("--sizes", "i=11,j=9,k=10")
CLEAR = DESCRIPTION[
    DESCRIPTION.index('    im.instruction(\n        "clear"') : DESCRIPTION.index(
        '    im.instruction(\n        "outer"'
    )
]
STORE = DESCRIPTION[
    DESCRIPTION.index('    im.instruction(\n        "store"') : DESCRIPTION.index(")  # fmt: skip\n\nMACHINE")
]
LOADS = DESCRIPTION[DESCRIPTION.index('    load("load"') : DESCRIPTION.index(CLEAR)]

Edit = tuple[str, str]


def described(*edits: Edit) -> str:
    """`file.py:MACHINE` of the example with texts replaced, in the current directory."""
    text = DESCRIPTION
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    Path("machine.py").write_text(text)
    return "machine.py:MACHINE"


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert run([*words, "--json"]) == 0
    said = capsys.readouterr()
    assert not [line for line in said.err.splitlines() if not line.startswith("note: runs on one thread")]
    found: dict[str, Any] = json.loads(said.out)
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The error, alone on standard error."""
    assert run(list(words)) == 3
    said = capsys.readouterr()
    assert said.out == ""
    return said.err.removeprefix("error: ").rstrip("\n")


def test_the_schedule_as_json(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "schedule", "gemm", described(), *SIZES)
    kinds = {n: type(value) for n, value in found.items()}
    assert kinds == {
        "mapping": str, "instruction": str, "status": str, "space": str, "cycles": float, "bound": float, "gap": float,
        "unit": str, "sizes": dict, "loops": list, "stages": list, "parts": dict, "assumes": list, "decided_outside": list,
        "unscheduled": list, "utilisation": dict, "claims": int, "seconds": float,
    }  # fmt: skip
    assert (found["status"], found["unit"], found["instruction"]) == ("OPTIMAL", "cycles", "outer")
    assert 0 < found["bound"] <= found["cycles"]
    assert [set(x) for x in found["loops"]] == [{"axis", "tiles", "count"}] * 3
    assert [s["operand"] for s in found["stages"]] == ["a", "b", "acc"]
    assert all(type(s[n]) is int for s in found["stages"] for n in ("depth", "slots", "rows", "offset"))


def test_the_run_as_json(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("run", "gemm", described(), *SIZES, "--target", "simulate", "--seeds", "4")
    found = document(capsys, *words)
    assert found["interleavings"] == 5
    assert found["races"] == [] and found["wrong"] == "" and found["notes"] == []
    assert found["max_error"] < found["bound"] < 1e-3
    assert type(found["exact"]) is bool and found["reference"] == "float64"
    assert found["seconds"] is found["gflops"] is None
    assert (found["target"], found["executor"]) == ("simulate", "isamap's simulator")
    assert found["predicted_cycles"] == found["schedule"]["cycles"] == pytest.approx(found["cycles"], rel=0.2)
    assert {n: set(e) for n, e in found["engines"].items()} == {
        n: {"cycles", "uses"} for n in ("load", "execute", "store")
    }
    tiles, steps = 2 * 2, 2  # of C, and of k
    assert found["engines"]["execute"]["cycles"] == tiles * (1 + steps * (4 + 8))  # clear, outer
    assert found["engines"]["execute"]["uses"] >= tiles * (1 + steps)  # signals are uses too
    assert max(e["cycles"] for e in found["engines"].values()) <= found["cycles"]
    assert document(capsys, *words) == found | {"schedule": {**found["schedule"], "seconds": pytest.approx(0, abs=60)}}


def test_a_trace_is_written_whole_or_not_at_all(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("run", "gemm", described(), *SIZES, "--seeds", "0", "--trace")
    found = document(capsys, *words, "out.json")
    assert found["trace"] == "out.json"
    trace = json.loads(Path("out.json").read_text())
    assert trace["otherData"]["cycles"] == found["cycles"]
    busy = {n: e["cycles"] for n, e in found["engines"].items()}
    rows = [e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name" and e["pid"] == 1]
    spans = [(rows[e["tid"] - 1], e["dur"]) for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] == 1]
    assert {n: sum(d for engine, d in spans if engine == n) for n in rows} == busy
    assert document(capsys, *words, "out.json")["trace"] == "out.json"  # a trace replaces a trace
    Path("mine.json").write_text("{}")
    message = "mine.json was not written by this command; name another file, or move that away"
    assert refused(capsys, *words, "mine.json") == message
    assert Path("mine.json").read_text() == "{}"
    assert refused(capsys, *words, "no/out.json") == "cannot write no/out.json: no such directory no"
    assert {p.name for p in Path().iterdir() if p.suffix == ".json"} == {"mine.json", "out.json"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["avx2"], "--trace shows the uses of engines, and avx2 has none; leave it out"),
        (["gemmini", "--target", "gemmini"], "--trace: gemmini keeps none, the simulator does: add --target simulate"),
    ],
)
def test_a_machine_that_keeps_no_trace(
    words: list[str], message: str, in_empty_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if words[0] == "avx2":
        words = [*words, "--target", "simulate"]
    assert refused(capsys, "run", "gemm", *words, *SIZES, "--trace", "out.json") == message
    assert not list(in_empty_directory.iterdir())


def test_open_sizes_are_planned_for_and_said(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "schedule", "gemm", described())
    assert found["sizes"] == {"I": 64, "J": 64, "K": 64}
    assert any("I" in x["count"] for x in found["loops"])


def test_words(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    machine = described()
    assert run(["run", "gemm", machine, *SIZES, "--seeds", "1"]) == 0
    said = capsys.readouterr()
    for text in ("simulated in 2 orders: no races; proved:", "cycles simulated", "engines: load", "passes as rounding"):
        assert text in said.out
    assert run(["schedule", "gemm", machine, *SIZES]) == 0
    assert "Cost-model assumptions" not in capsys.readouterr().out
    assert run(["schedule", "gemm", machine, *SIZES, "-v"]) == 0
    said = capsys.readouterr()
    for text in (
        "optimal (search space: for each loop a step and a region, for each operand a path through the memories",
        "Stages",
        "scratchpad",
        "Time (cycles)",
        "Cost-model assumptions",
        "program: proved",
    ):
        assert text in said.out


def test_pins_are_kept(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("schedule", "gemm", described(), *SIZES)
    free = document(capsys, *words)
    pins = "slots.a=1,slots.b=1,tile.i_tile=1,region.k_tile=1,stage.acc=0,via.b=load"
    found = document(capsys, *words, "--fix", pins)
    assert {s["operand"]: s["slots"] for s in found["stages"]} | {"acc": 1} == {"a": 1, "b": 1, "acc": 1}
    assert {x["axis"]: x["tiles"] for x in found["loops"]}["i_tile"] == 1
    assert found["stages"][1]["via"] == "load"
    assert found["cycles"] >= free["cycles"]


def test_an_unused_axis_is_noted(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of A's columns follow no row of the tile, so A is gathered; x is a row of one element each, either way."""
    assert run(["run", "matvec", described(), "--sizes", "i=11,k=10", "--seeds", "1"]) == 0
    said = capsys.readouterr()
    assert said.err == "note: an axis of the instruction is left unused\n"
    assert "by gather" in said.out


def test_a_window_over_as_many_rows_as_the_unit_has(
    in_empty_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Axes of one tile have a place that is a number."""
    sizes = "n=1,p=8,q=3,k=8,c=3,r=2,s=2,sp=1,sq=1,dp=1,dq=1,pp=0,pq=0"
    found = document(capsys, "run", "conv2d", described(), "--sizes", sizes, "--instruction", "outer", "--seeds", "1")
    assert found["races"] == [] and found["wrong"] == ""


OPTIONS = [
    (["--fix", "slots.x=2"],
     "--fix slots.x: no such decision for i=i,j=j,k=k;a=A,b=B; did you mean slots.b or slots.a or slots.acc?"),
    (["--fix", "slots.a=9"], "--fix slots.a=9: pass a whole number from 1 to 4"),
    (["--fix", "tile.i_tile=300"], "--fix tile.i_tile=300: pass a whole number from 1 to 256"),
    (["--fix", "region.k_tile=3"], "--fix region.k_tile=3: pass a whole number from 0 to 2"),
    (["--fix", "via.a=nothing"], "--fix via.a=nothing: no way to move a; known: gather"),
    (["--fix", "slots.a=4,tile.i_tile=256"],
     "i=i,j=j,k=k;a=A,b=B: no plan fits with tile.i_tile=256; free a pin, or enlarge the memories"),
    (["--threads", "2"], "--threads: programs for the engines of outer_product have no such choice; leave it out"),
    (["--constant", "B"], "--constant: programs for the engines of outer_product have no such choice; leave it out"),
    (["--objective", "energy"], "--objective: programs for the engines of outer_product have no such choice; leave it out"),
    (["--instruction", "outre"], "--instruction outre: outer_product computes with no such one; did you mean outer?"),
    (["--dtypes", "A=i8,B=i8,C=i32"],
     "gemm has C:i32 A:i8 B:i8, which no instruction of outer_product takes: outer takes acc:f32 a:f32 b:f32; give it others with "
     "with_dtypes() or --dtypes, or describe one that does"),
    (["--dtypes", "A=f16"],
     "i=i,j=j,k=k;a=A,b=B: A is f16, and outer takes a as f32: moves convert nothing; give A as f32, with with_dtypes() "
     "or --dtypes"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), OPTIONS, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_an_option_that_means_nothing(
    options: list[str], message: str, in_empty_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = described()
    # how many cores there are is noted before
    assert refused(capsys, "schedule", "gemm", machine, *SIZES, *options).rpartition("\nerror: ")[2] == message
    assert refused(capsys, "run", "gemm", machine, *SIZES, *options).rpartition("\nerror: ")[2] == message


NO_C = (
    "no C is made for the engines of outer_product: `isamap schedule` plans its programs, `isamap run` simulates them"
)
COMMANDS = [
    (["compile", "gemm", "MACHINE", "-o", "out"], NO_C),
    (["tune", "gemm", "MACHINE", *SIZES], f"{NO_C}; im.plan() plans them"),
    (["run", "gemm", "MACHINE", *SIZES, "--target", "c"],
     "outer_product has engines, for which no C is made; use --target simulate"),
    (["schedule", "gemm", "MACHINE", "--assume", "A<=3"],
     "--assume: programs for the engines of outer_product have no such choice; leave it out"),
    (["run", "gemm", "MACHINE"], "gemm runs only at known sizes; i, j, k missing: add --sizes i=...,j=...,k=..."),
    (["schedule", "linear_relu", "MACHINE"],
     "outer_product: nothing computes relu(T[i, j] + b[j]) of sums in accumulators; describe a store that does, or steps that "
     "change cells of accumulators in place"),
    (["schedule", "MACHINE", "--text", "C[i,j] max= A[i,k] * B[k,j]"],
     "kernel does not map onto outer: kernel combines with max=, outer with +="),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), COMMANDS, ids=lambda x: " ".join(x[:2]) if isinstance(x, list) else "")
def test_a_command_that_this_machine_is_not_for(
    words: list[str], message: str, in_empty_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = described()
    assert refused(capsys, *[machine if w == "MACHINE" else w for w in words]) == message
    assert not Path("out").exists()


def line(text: str) -> int:
    """Where the example has it."""
    return DESCRIPTION[: DESCRIPTION.index(text)].count("\n") + 1


LOAD, OUTER = line("    return im.instruction(\n        name"), line('    im.instruction(\n        "outer"')
HARDWARE, SCRATCHPAD = line("MACHINE = im.Hardware"), line('        im.Memory("scratchpad"')

# What is wrong with a description when it is made, and where: told with the line.
DESCRIPTIONS: list[tuple[str, Edit, int, str]] = [
    ("an engine that is misspelt", ('engine="load"', 'engine="laod"'), HARDWARE,
     f"hardware outer_product: load (machine.py line {LOAD}) is issued by 'laod', which is no engine; did you mean load?"),
    ("no engines listed", ('    engines=(im.Engine("load"), im.Engine("execute"), im.Engine("store")),\n', ""), HARDWARE,
     f"hardware outer_product: load (machine.py line {LOAD}) is issued by 'load', which is no engine; add "
     "engines=(im.Engine('load'), ...) to the machine"),
    ("no engine named", ('engine="load", ', ""), LOAD,
     "instruction load: places with [row,column] is for instructions that an engine issues; add engine='...'"),
    ("no row and column", ('"scratchpad[k,i]"', '"scratchpad"'), HARDWARE,
     f"hardware outer_product: outer (machine.py line {OUTER}): where do the cells of a lie in scratchpad? write the memory and "
     "which axis counts its rows and its columns, such as 'scratchpad[r,c]', or 0 for one row"),
    ("no column", ('"scratchpad[k,i]"', '"scratchpad[k]"'), OUTER,
     "instruction outer: a lies in 'scratchpad[k]': write the memory and which axis counts its rows and its columns, such as "
     "'scratchpad[r,c]', or 0 for one row"),
    ("a column of another axis", ('"scratchpad[k,i]"', '"scratchpad[k,x]"'), OUTER,
     "instruction outer: a lies in 'scratchpad[k,x]', and 'x' is no axis; known: i, j, k"),
    ("an address of two parts", ('"memory[r*down + c]", DMA', '"memory[r,c]", DMA'), LOAD,
     "instruction load: m lies in 'memory[r,c]', and '(r, c)' is no index with its step; write its address as a sum of its indices "
     "(r, c), each once and times one number or one stride at most"),
    ("a stride that is a number of points", ("c*right]", "c*columns]"), LOAD,
     "instruction gather: the stride 'columns' of m is a number of active points already; each has a name of its own"),
    ("one stride for two indices", ("c*right]", "c*down]"), LOAD,
     "instruction gather: the stride 'down' of m is a stride already; each has a name of its own"),
    ("the old word for rows", ('engine="load", active', 'preconditions=["rows m"], engine="load", active'), LOAD,
     "instruction load: there is no precondition 'rows m'; say in its place where its cells lie: places={'m': 'memory[r*stride + "
     "c]'}, in elements"),
    ("a memory without rows", ("64 << 10, row=32", "64 << 10"), HARDWARE,
     f"hardware outer_product: load (machine.py line {LOAD}): where do the cells of s lie in scratchpad? im.Memory('scratchpad', "
     "...) needs row=, the bytes of a row"),
    ("rows that are too short", ("64 << 10, row=32", "64 << 10, row=16"), HARDWARE,
     f"hardware outer_product: load (machine.py line {LOAD}): s has 8 rows of 32 bytes, and scratchpad has 4096 rows of 16; "
     "describe a larger memory, or a smaller tile"),
    ("part of a row", ("64 << 10, row=32", "100, row=32"), SCRATCHPAD,
     "memory scratchpad: 100 bytes, count=1, with rows of 32 bytes: pass a capacity that is a whole number of rows, and no count"),
    ("unlimited rows", ("64 << 10, row=32", "None, row=32"), SCRATCHPAD,
     "memory scratchpad: unlimited, with rows of 32 bytes: pass a capacity that is a whole number of rows, and no count"),
    ("active points of no axis", ('{"r": "rows", "c": "columns"}', '{"q": "rows", "c": "columns"}'), LOAD,
     "instruction load: active names 'q', no axis; known: c, r"),
    ("beyond in another word", ('beyond="zero"', 'beyond="zeros"'), LOAD,
     "instruction load: beyond='zeros': pass 'zero' or 'kept'"),
    ("work by no axis", ('per=("r",)', 'per=("q",)'), LOAD,
     "instruction load: per=('q',) of its work: pass a tuple of axes whose active points take `each` cycles, such as ('r',); the "
     "axes are r, c"),
    ("work by a text", ('per=("r",)', 'per="r"'), LOAD,
     "instruction load: per='r' of its work: pass a tuple of axes whose active points take `each` cycles, such as ('r',); the "
     "axes are r, c"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "where", "message"), [d[1:] for d in DESCRIPTIONS], ids=[d[0] for d in DESCRIPTIONS])
def test_a_description_that_does_not_fit(
    edit: Edit, where: int, message: str, in_empty_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "schedule", "gemm", described(edit), *SIZES)
    assert said == f"machine.py does not load: machine.py line {where}:\n{message}"


# A machine that is whole, and cannot run the kernel.
MACHINES: list[tuple[str, Edit, str]] = [
    ("a scratchpad for one tile", ("64 << 10, row=32", "256, row=32"),
     "scratchpad has 8 rows, and one tile of each operand there needs 16 (a 8, b 8): 8 rows are missing; enlarge the capacity of "
     "scratchpad"),
    ("a scratchpad that lacks a row", ("64 << 10, row=32", "480, row=32"),
     "scratchpad has 15 rows, and one tile of each operand there needs 16 (a 8, b 8): 1 row is missing; enlarge the capacity of "
     "scratchpad"),
    ("no way in", (LOADS, ""),
     "outer_product: a of outer lies in scratchpad, and no instruction moves from memory to scratchpad; describe one, such as "
     "'a[r,c] = m[r,c]'"),
    ("no way out", (STORE, ""),
     "outer_product: sums lie in accumulators, and no instruction moves from accumulators to memory; describe one, such as "
     "'m[r,c] = x[r,c]'"),
    ("no beginning", (CLEAR, ""),
     "outer_product: no instruction begins cells of accumulators at 0; describe one, such as 'x[r,c] = 0'"),
    ("a precondition that no use promises", ('engine="load", active', 'preconditions=["aligned m 32"], engine="load", active'),
     f"load (machine.py line {LOAD}): precondition 'aligned m 32': uses on a machine with engines promise only where cells lie"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "message"), [m[1:] for m in MACHINES], ids=[m[0] for m in MACHINES])
def test_a_machine_that_cannot_run_the_kernel(
    edit: Edit, message: str, in_empty_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, "run", "gemm", described(edit), *SIZES) == message


def test_what_no_instruction_moves_is_said_where_another_mapping_does_without(
    in_empty_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without `gather` columns of A cannot be brought as a tile; with one row of the unit in use they need not be.
    Nor do rows of C then touch each other, as tiles without gaps do."""
    assert run(["run", "gemm", described((LOADS.splitlines(keepends=True)[1], "")), *SIZES]) == 0
    assert (
        "note: an axis of the instruction is left unused; i=i,j=j,k=k;a=A,b=B: no instruction moves tiles of A from memory to "
        "scratchpad: load would need them of another shape"
    ) in " ".join(capsys.readouterr().err.split())
    assert run(["run", "gemm", described(('"m": "memory[r*down + c]"', '"m": "memory"')), *SIZES]) == 0
    assert (
        "note: an axis of the instruction is left unused; i=i,j=j,k=k;a=A,b=B: store takes elements of C that lie otherwise apart "
        "in memory; describe one that does"
    ) in " ".join(capsys.readouterr().err.split())


def test_a_load_that_leaves_old_numbers_is_named(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The proof refutes such programs (tests/uses/use_mutants.py); here none is made, and the field is named."""
    said = refused(capsys, "run", "gemm", described(('beyond="zero"', 'beyond="kept"')), *SIZES)
    assert "leaves cells beyond its active points as they were (beyond='kept')" in said
    assert "say beyond='zero'" in said
