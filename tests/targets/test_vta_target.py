"""VTA from its description: planned, proved for all sizes, listed, given tokens, joined, executed by a model apart from it."""

from __future__ import annotations

import functools
import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_hardware
import isamap_smt as im
from isamap_smt.cli.app import run as command
from isamap_smt.ir.errors import (
    ArgumentError,
    DTypeError,
    HardwareError,
    LanguageError,
    NotProvedError,
    ScheduleError,
    SizeError,
)
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import If, Issued, Loop, Program, Ref
from isamap_smt.ir.states import CODE
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from isamap_smt.targets import find_target
from isamap_smt.targets.vta import DeadlockError, RefusedError, Stream, build_here
from isamap_smt.targets.vta.here import run_stream
from isamap_smt.targets.vta.stream import NAMES, Issue
from isamap_smt.targets.vta.target import VtaKernel, in_memory

MACHINE = isamap_hardware.load("vta")
TARGET = find_target("vta")
_SPEC = importlib.util.spec_from_file_location("vta_kernels", Path(__file__).parents[2] / "examples" / "vta_kernels.py")
assert _SPEC is not None and _SPEC.loader is not None
KERNELS: Any = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(KERNELS)
SUM = "temporary T\nT[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])\n"
SIZES = dict(i=37, jo=2, ko=9)
Sizes = tuple[tuple[str, int], ...]


def packed(text: str, **dtypes: str) -> im.Kernel:
    own = {n: d for n, d in {**KERNELS.BYTES, **dtypes}.items() if f"{n}[" in text}
    return im.kernel(text, name="packed", dtypes=own, sizes=KERNELS.PACKED)


@functools.cache
def plan(name: str, sizes: Sizes = ()) -> Any:
    return im.stage(getattr(KERNELS, name), MACHINE, sizes=dict(sizes))


@functools.cache
def built(name: str, sizes: Sizes = ()) -> VtaKernel:
    made = TARGET.build(TARGET.emit(plan(name, sizes)))
    assert isinstance(made, VtaKernel)
    return made


def drawn(kernel: im.Kernel, seed: int) -> dict[str, np.ndarray]:
    """Bytes of their whole range, and sums large enough for every shift and clip to show."""
    random = np.random.default_rng(seed)
    found = {}
    for n, x in random_arrays(kernel, rng=random).items():
        most = 128 if x.dtype.itemsize == 1 else 1 << 18 if kernel.name != "dense_shortcut" or n != "R" else 1 << 8
        found[n] = random.integers(-most, most, x.shape).astype(x.dtype)
    return found


def by_numpy(name: str, X: np.ndarray, W: np.ndarray, B: Any = 0, R: Any = 0) -> np.ndarray:
    """Written apart from the language."""
    t = np.einsum("ikc,jkoc->ijo", X.astype(np.int64), W.astype(np.int64)) + B
    if name == "dense_shortcut":
        return np.clip((t >> 7) + R, 0, 127).astype(np.int8)
    t = t + R
    if name == "dense_relu":
        return np.clip((t + 64) >> 7, 0, 127).astype(np.int8)
    return np.clip(t >> 7, -128, 127).astype(np.int8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["dense", "dense_relu", "dense_residual", "dense_shortcut"])
@pytest.mark.parametrize("count", [7, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_one_program_at_random_sizes(name: str, count: int) -> None:
    """Shifts, clips, relu, a bias for each output, a residual of each element; proved for all sizes."""
    random = np.random.default_rng(11)
    assert plan(name).proof.proved and set(plan(name).kernel.free_sizes) == {"I", "JO", "KO"}
    for n in range(count):
        i, jo, ko = (int(random.integers(1, most)) for most in (100, 11, 12))
        arrays = drawn(getattr(KERNELS, name).with_sizes(dict(i=i, jo=jo, ko=ko)), n)
        call = built(name).prepare(**arrays)
        call.run(seed=n)
        assert np.array_equal(call.result, by_numpy(name, **arrays)), (i, jo, ko)
        assert call.report is not None and call.report.races == call.report.hazards == 0


CONV = dict(n=1, jo=2, ko=2, p=3, q=20, r=3, s=3, sp=1, sq=1, pp=0, pq=0, H=5, V=22)


@pytest.mark.parametrize(
    "sizes",
    [
        CONV,
        CONV | dict(n=2, p=7, q=9, H=9, V=11),
        CONV | dict(sp=2, sq=2, jo=3, H=7, V=41),
        CONV | dict(r=1, s=1, sp=2, sq=2, q=33, H=5, V=66),
    ],
)
@pytest.mark.exhaustive
def test_convolutions_of_images(sizes: dict[str, int]) -> None:
    kernel = KERNELS.conv2d.with_sizes(sizes)
    arrays = drawn(kernel, 3)
    made = built("conv2d", tuple(sizes.items()))
    assert np.array_equal(made(**arrays), run_kernel(kernel, arrays)["Y"])


def test_convolutions_of_lines() -> None:
    """The same along one axis, for which mappings are found sooner."""
    text = "temporary T\nT[jo,q,o] += i32(X[ko,2*q+s,c]) * i32(W[jo,ko,s,o,c])\nY[jo,q,o] = i8(max(T[jo,q,o] + R[jo,q,o] >> 9, -9))"
    kernel = packed(text, R="i32").with_sizes(dict(jo=2, ko=3, q=21, s=3))
    arrays = drawn(kernel, 3)
    planned = im.stage(kernel, MACHINE)
    assert planned.schedule.proved.mapping.id.startswith("i=q,o=o,k=c")
    assert np.array_equal(TARGET.build(TARGET.emit(planned))(**arrays), run_kernel(kernel, arrays)["Y"])


@pytest.mark.parametrize("sizes", [dict(i=37, jo=2, ko=3), dict(i=5, jo=1, ko=1)])
def test_rows_without_blocks(sizes: dict[str, int]) -> None:
    """Only weights are blocks."""
    kernel = KERNELS.dense_rows.with_sizes(sizes)
    arrays = drawn(kernel, 6)
    assert set(plan("dense_rows").kernel.free_sizes) == {"I", "JO", "KO"}
    assert np.array_equal(built("dense_rows")(**arrays), run_kernel(kernel, arrays)["Y"])


def test_two_layers() -> None:
    """What the first stores, the second loads: between them all engines wait for each other."""
    second = "Z[i,jo,o] += i32(H[i,ko,c]) * i32(V[jo,ko,o,c])\nY[i,jo,o] = i8(Z[i,jo,o] >> 5)"
    first = "temporary T, H, Z\nT[i,ko,c] += i32(X[i,lo,d]) * i32(W[ko,lo,c,d])\nH[i,ko,c] = i8(min(relu(T[i,ko,c] >> 6), 127))\n"
    kernel = im.kernel(
        first + second, name="layers", sizes=dict(o=16, c=16, d=16),
        dtypes=dict.fromkeys("XWHVY", "i8") | dict.fromkeys("TZ", "i32"),
    ).with_sizes(dict(i=20, ko=2, jo=1, lo=2))  # fmt: skip
    arrays = drawn(kernel, 5)
    made = TARGET.build(TARGET.emit(im.stage(kernel, MACHINE)))
    right = run_kernel(kernel, arrays)["Y"]
    for seed in range(5):
        call = made.prepare(**arrays)
        call.run(seed)
        assert np.array_equal(call.result, right)


@functools.cache
def streamed() -> tuple[np.ndarray, Stream, np.ndarray, int]:
    """Main memory, a stream in which every queue has tokens, what is right, and where that lies."""
    kernel = KERNELS.dense_relu.with_sizes(SIZES)
    return stream_of(built("dense_relu", (("i", 37), ("jo", 2), ("ko", 9))), drawn(kernel, 1))


def stream_of(
    kernel: VtaKernel, arrays: dict[str, np.ndarray], **about: Any
) -> tuple[np.ndarray, Stream, np.ndarray, int]:
    """Main memory of a call, its stream, what it gives, and where that lies."""
    call = kernel.prepare(**arrays, **about)
    kept: list[Any] = []
    made = call.kernel.made

    def spy(tensors: Any, numbers: Any, **options: Any) -> Any:
        from isamap_smt.targets.vta.here import _laid_out

        kept.append(_laid_out(tensors))
        return made(tensors, numbers, **options)

    call.kernel.made = spy  # type: ignore[assignment]
    try:
        call.run()
    finally:
        call.kernel.made = made
    ((dram, starts),) = kept
    assert call.stream is not None
    names = [t.name for t in in_memory(kernel.program)]
    return dram, call.stream, call.result, starts[names.index("Y")]


def test_no_order_of_the_engines_changes_it() -> None:
    dram, stream, right, at = streamed()
    for seed in range(100):
        report, memory = run_stream(dram, stream, seed)
        assert report.races == 0
        assert np.array_equal(memory[at : at + right.size].view(np.int8), right.reshape(-1))


def test_the_simulator_sees_no_race_either() -> None:
    kernel = KERNELS.dense.with_sizes(dict(i=20, jo=2, ko=3))
    arrays = drawn(kernel, 2)
    for seed in (None, 1, 2, 3):
        seen = simulate(plan("dense").program, arrays, seed=seed)
        assert not seen.races and not seen.deadlock
        assert np.array_equal(seen.outputs["Y"], run_kernel(kernel, arrays)["Y"])


def each_token(stream: Stream) -> list[tuple[int, int]]:
    """(who gives, who takes): positions in the stream, the n-th given being the n-th taken."""
    found = []
    for source, target in ((0, 1), (1, 0), (1, 2), (2, 1)):
        given = [n for n, i in enumerate(stream.issues) if i.engine == source and target in i.signals]
        taken = [n for n, i in enumerate(stream.issues) if i.engine == target and source in i.awaits]
        assert len(given) == len(taken)
        found += list(zip(given, taken, strict=True))
    return found


def without(stream: Stream, giver: int, taker: int, ends: str = "both") -> Stream:
    """Where nobody gives or takes that token."""
    issues = list(stream.issues)
    source, target = issues[giver].engine, issues[taker].engine
    if ends != "taken":
        issues[giver] = replace(issues[giver], signals=issues[giver].signals - {target})
    if ends != "given":
        issues[taker] = replace(issues[taker], awaits=issues[taker].awaits - {source})
    return replace(stream, issues=tuple(issues))


def noticed(dram: np.ndarray, stream: Stream) -> str:
    """What the model says against it."""
    try:
        return "race" if run_stream(dram, stream, 1)[0].races else ""
    except DeadlockError:
        return "deadlock"
    except RefusedError:
        return "refused"


def test_every_token_is_necessary() -> None:
    """Without any one of them there is a race, or something is read that is not there yet; with one end of it, a deadlock, or a
    token is left."""
    dram, stream, _, _ = streamed()
    every = each_token(stream)
    queues = {(NAMES[stream.issues[a].engine], NAMES[stream.issues[b].engine]) for a, b in every}
    assert len(queues) == 4 and len(every) == stream.tokens
    assert all(noticed(dram, without(stream, giver, taker)) in ("race", "refused") for giver, taker in every)
    halves = [
        noticed(dram, s) for g, t in every for s in (without(stream, g, t, "given"), without(stream, g, t, "taken"))
    ]
    assert set(halves) == {"deadlock", "refused"}, halves


def changed(old: str, new: str) -> bool:
    """Whether the program gives what is right where the C of its instructions is this."""
    kernel = KERNELS.dense_relu.with_sizes(SIZES)
    arrays = drawn(kernel, 1)
    text = TARGET.emit(plan("dense_relu", (("i", 37), ("jo", 2), ("ko", 9))))["program.c"]
    assert old in text
    made = VtaKernel(plan("dense_relu", (("i", 37), ("jo", 2), ("ko", 9))).program, build_here(text.replace(old, new)))
    try:
        return np.array_equal(made(**arrays), by_numpy("dense_relu", **arrays))
    except HardwareError:
        return False


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("vta_alu(VTA_MIN", "vta_alu(VTA_MAX"),
        ("vta_alu(VTA_SHR", "vta_alu(VTA_ADD"),
        ("vta_load_inp(", "vta_load_inp(1 + "),
        (", 144, 0, isamap", ", 128, 0, isamap"),  # rows of X, 9 vectors apart
        ("vta_await(", "vta_await(0 * "),
    ],
)
def test_wrong_c_of_an_instruction_is_found(old: str, new: str) -> None:
    assert changed("vta_gemm(", "vta_gemm(0 + ")
    assert not changed(old, new)


@pytest.mark.parametrize(
    ("short", "text", "dtypes", "kernel", "types"),
    [
        (
            "gemm", "acc[i,o] += i32(inp[i,k]) * i32(wgt[k,o])", {},
            "temporary T\nT[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,c,o])\nY[i,jo,o] = i8(T[i,jo,o] >> 7)", {},
        ),
        (
            "shift", "acc[r,c] = i32(u32(acc[r,c]) >> u32(imm[]))", {},
            SUM + "Y[i,jo,o] = i8(min(i32(u32(T[i,jo,o]) >> u32(15)), 127))", {},
        ),
        ("store", "m[r,c] = sat_i8(acc[r,c])", {}, SUM + "Y[i,jo,o] = sat_i8(T[i,jo,o])", {}),
        ("gemm", "acc[i,o] += i32(inp[i,k]) * i32(wgt[o,k])", {"inp": "u8"}, SUM + "Y[i,jo,o] = i8(T[i,jo,o] >> 7)", {"X": "u8"}),
        ("min", "acc[r,c] = max(acc[r,c], i32(imm[]))", {}, SUM + "Y[i,jo,o] = i8(max(T[i,jo,o] >> 7, 60))", {}),
    ],
    ids=["transposed weights", "logical shift", "saturating store", "no sign", "min for max"],
)  # fmt: skip
def test_a_description_that_contradicts_the_model_is_found(
    short: str, text: str, dtypes: dict[str, str], kernel: str, types: dict[str, str]
) -> None:
    """The proof trusts the description; what executes the instructions does not."""
    made = {i.short: i for i in MACHINE.instructions}

    def other(i: im.Instruction, contract: str, **changed: str) -> im.Instruction:
        own = {t.name: t.dtype.name for t in i.kernel.tensors}
        cells = {
            o: f"{m}[{','.join(str(e) for e in (i.operand(o).row, i.operand(o).column))}]"
            for o, m in i.places
            if i.operand(o).row
        }
        if "wgt[k,o]" in contract:
            cells["wgt"] = "wgt[k,o]"
        far = {o: f"memory[{i.address(o)}]" for o, m in i.places if m == "memory"}
        return im.instruction(
            i.name, contract, axes=i.axes, dtypes={**own, **changed}, places={**dict(i.places), **far, **cells}, engine=i.engine,
            active=dict(i.active), front=dict(i.front), beyond=i.beyond, work=i.work, emit=i.emit, headers=i.headers,
            assume=i.assume,
        )  # fmt: skip

    made[short] = other(made[short], text, **dtypes)
    if dtypes:
        made["load_inp"] = other(made["load_inp"], "s[r,c] = m[r,c]", s="u8", m="u8")
    if short == "min":
        del made["max"]
    machine = replace(MACHINE, instructions=tuple(made.values()))
    wrong = packed(kernel, **types).with_sizes(dict(i=5, jo=1, ko=2))
    run = TARGET.build(TARGET.emit(im.stage(wrong, machine)))
    arrays = drawn(wrong, 4)
    assert not np.array_equal(run(**arrays), run_kernel(wrong, arrays)["Y"])


def with_shift(program: Program, by: Any) -> Program:
    """The same with another number in the code of its shifts."""

    def visit(node: Any) -> Any:
        if isinstance(node, Loop | If):
            return replace(node, body=tuple(map(visit, node.body)))
        if isinstance(node, Issued) and node.instruction.short == "shift":
            return replace(node, operands=tuple((o, by if r.name == CODE else r) for o, r in node.operands))
        return node

    return replace(program, body=tuple(map(visit, program.body)))


def test_shifts_by_0_to_15() -> None:
    """What all sources agree on; the proof asks for it at each use."""
    assert im.stage(packed(SUM + "Y[i,jo,o] = i8(T[i,jo,o] >> 15)"), MACHINE).proof.proved
    with pytest.raises(ScheduleError, match=r"T\[i, jo, o\] >> 16\): vta.shift takes imm from 0 to 15, not 16"):
        im.stage(packed(SUM + "Y[i,jo,o] = i8(T[i,jo,o] >> 16)"), MACHINE)
    program = plan("dense").program
    proof = prove_program(with_shift(program, Ref(CODE, (sp.Integer(16),))))
    assert proof.word == "refuted" and any(
        c.statement.endswith("number from 0 to 15") and c.verdict.text == "it is 16" for c in proof.failed()
    )
    six = prove_program(with_shift(program, Ref(CODE, (sp.Integer(6),))))
    assert six.word == "refuted" and any(
        "computed from the sum as the kernel says" in c.statement for c in six.failed()
    )
    for place in (Ref("X", (0, 0, 0)), Ref(CODE, (sp.Symbol("i_tile"),)), Ref(CODE, ())):
        assert prove_program(with_shift(program, place)).word != "proved"


@pytest.mark.parametrize(
    ("kernel", "why"),
    [
        (im.kernel("T[i,j] += i32(X[i,k]) * i32(W[j,k])\nY[i,j] = i8(T[i,j] >> 7)\ntemporary T", dtypes=KERNELS.BYTES),
         "takes 16 points of c at once, along axis j of .*, and it has J"),
        (packed("T[i,jo,o] += i32(X[i,ko,c]) * i32(W[jo,ko,o,c])", T="i32"),
         "sums lie in acc as i32, and go from there to memory only as i8; let a statement make them that, such as "),
        (packed(SUM + "Y[i,jo,o] = i8(T[i,jo,o] * 3)"), "nothing computes"),
        (packed(SUM + "Y[i,jo,o] = i8(T[i,jo,o] + 40000)"), "nothing computes"),
        (packed(SUM + "Y[i,jo,o] = i8((T[i,jo,o] >> 7) + i32(R[i,jo,o]))", R="i8"),
         "R is i8, and what is read beside sums in acc is i32; give R as i32"),
    ],
    ids=["row-major", "sums", "product", "large number", "bytes beside sums"],
)  # fmt: skip
def test_kernels_that_it_has_no_instructions_for(kernel: im.Kernel, why: str) -> None:
    with pytest.raises(ScheduleError, match=why):
        im.stage(kernel, MACHINE)


def test_rows_that_vta_does_not_reach() -> None:
    """Main memory is addressed by 16 bytes, so where rows lie otherwise apart a call is refused."""
    text = (
        "temporary T\nX: [I, K + 16]\nT[i,jo,o] += i32(X[i,c]) * i32(W[jo,o,c])\nY[i,jo,o] = i8(T[i,jo,o] >> 4)\nsize K"
    )
    kernel = im.kernel(text, name="apart", dtypes=KERNELS.BYTES, sizes=KERNELS.PACKED)
    made = TARGET.build(TARGET.emit(im.stage(kernel, MACHINE)))
    for k in (16, 32):
        arrays = drawn(kernel.with_sizes(dict(i=20, jo=2, K=k)), 1)
        assert np.array_equal(made(**arrays), run_kernel(kernel, arrays)["Y"])
    with pytest.raises(
        SizeError, match=r"X of shape \[20, 50\]: .* rows that begin between two of VTA's elements .* axes of 16"
    ):
        made(**drawn(kernel.with_sizes(dict(i=20, jo=2, K=34)), 1))


def test_instructions_are_joined() -> None:
    """Half of what computes is left even here, and micro-ops are shared."""
    _, stream, _, _ = streamed()
    compute = [i for i in stream.issues if i.engine == 1]
    assert stream.saved > 0 and len(compute) * 2 <= len(compute) + stream.saved
    assert 0 < len(stream.uops) < 100


def test_what_no_call_may_ask() -> None:
    made = built("dense")
    x, w = np.ones((2, 3, 16), np.int8), np.ones((1, 3, 16, 16), np.int8)
    with pytest.raises(ArgumentError, match="begins its sums itself; leave out= out"):
        made(x, w, out=np.zeros((2, 1, 16), np.int8))
    with pytest.raises(ArgumentError, match="runs in one thread"):
        made(x, w, threads=2)
    with pytest.raises(DTypeError, match="compiled for i8"):
        made(x.astype(np.float32), w)
    with pytest.raises(SizeError):
        made(x, np.ones((1, 4, 16, 16), np.int8))


def test_what_the_target_takes() -> None:
    example = im.plan("gemm", "scalar", sizes=dict(i=2, j=2, k=2))
    with pytest.raises(HardwareError, match="no program of engines"):
        TARGET.emit(example)
    with pytest.raises(NotProvedError, match="builds what emit"):
        TARGET.build({"program.c": "int x;"})
    assert "take the machine `vta`" in TARGET.takes(isamap_hardware.load("gemmini"))
    assert TARGET.takes(MACHINE) == TARGET.available() == ""


def test_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", f"{_SPEC.origin}:dense_relu", "vta", "--sizes", "i=21,jo=2,ko=3", "--json"]  # type: ignore[union-attr]
    assert command(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["exact"] and told["target"] == "vta" and told["executor"] == "the model of VTA in this process"
    assert told["instruction"] == "vta.gemm"
    assert told["told"][0].endswith("no race") and " tokens" in told["told"][0]
    assert command(["run", "gemm", "avx2", "--sizes", "i=4,j=4,k=4", "--target", "vta"]) == 3
    assert "take the machine `vta`" in capsys.readouterr().err


def test_a_number_in_the_code_is_one_number() -> None:
    wrong = im.instruction(
        "vta.add", "acc[r,c] = acc[r,c] + i32(imm[r])", axes={"r": 16, "c": 16}, dtypes={"acc": "i32", "imm": "i16"},
        places={"acc": "acc[r,c]", "imm": "code"}, engine="compute",
    )  # fmt: skip
    with pytest.raises(HardwareError, match="imm stands in the code, and a use reads one number there"):
        replace(MACHINE, instructions=(wrong,))


def test_the_simulator_takes_numbers_in_the_code_alone() -> None:
    kernel = KERNELS.dense.with_sizes(dict(i=3, jo=1, ko=1))
    for place in (Ref(CODE, (sp.Integer(16),)), Ref("X", (sp.Integer(0),) * 3)):
        with pytest.raises(LanguageError, match=r"operand imm is .*; it is a number from 0 to 15 in the code"):
            simulate(with_shift(plan("dense").program, place), drawn(kernel, 1))


def test_issues_are_what_they_say() -> None:
    dram, stream, _, _ = streamed()
    assert all(isinstance(i, Issue) for i in stream.issues)
    assert tuple(run_stream(dram, stream, 0)[0].instructions) == tuple(
        sum(i.engine == e for i in stream.issues) for e in range(3)
    )
