"""Zeros around an image by VTA's loads: no copy of the image with zeros, proved for open sizes, and wrong by one is found."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.errors import HardwareError, LanguageError, ScheduleError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.program import If, Issued, Loop, Program
from isamap_smt.proof.program import prove_program
from isamap_smt.scheduling.staged import schedule_stages
from isamap_smt.simulator import simulate
from isamap_smt.targets.vta import build_here
from isamap_smt.targets.vta.here import run_stream
from isamap_smt.targets.vta.stream import LOADS
from isamap_smt.targets.vta.target import VtaKernel, VtaText
from tests.families import part
from tests.quick import quick
from tests.targets.test_vta_target import (
    KERNELS,
    MACHINE,
    TARGET,
    drawn,
    each_token,
    noticed,
    packed,
    stream_of,
    without,
)

# stride, zeros on each side: of a window of 2 * pad + 1 columns
LINES = {"3, stride 1": (1, 1), "3, stride 2": (2, 1), "7, stride 2": (2, 3), "5, stride 3": (3, 2)}


def line(stride: int, pad: int) -> im.Kernel:
    """A convolution along one axis, with a bias and what is added behind the shift."""
    at = f"q*{stride}+s-{pad}"
    return packed(
        f"X: [KO, V, 16]\ntemporary T\nT[jo,q,o] += i32(X[ko,{at},c]) * i32(W[jo,ko,s,o,c]) where 0 <= {at} < V\n"
        "Y[jo,q,o] = i8(min(relu((T[jo,q,o] + B[jo,o] >> 7) + R[jo,q,o]), 127))",
        B="i32", R="i32",
    )  # fmt: skip


@functools.cache
def planned(stride: int, pad: int) -> Any:
    """All sizes open but the window's."""
    found = im.stage(line(stride, pad), MACHINE, sizes={"s": 2 * pad + 1})
    assert found.proof.proved and set(found.kernel.free_sizes) == {"JO", "KO", "Q", "V"}
    assert found.schedule.proved.mapping.id.startswith("i=q,o=o,k=c")
    return found


@functools.cache
def built(stride: int, pad: int) -> VtaKernel:
    made = TARGET.build(TARGET.emit(planned(stride, pad)))
    assert isinstance(made, VtaKernel)
    return made


def by_numpy(stride: int, pad: int, q: int, X: np.ndarray, W: np.ndarray, B: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Written apart from the language, of an image that is copied with its zeros."""
    columns = max(X.shape[1] + 2 * pad, (q - 1) * stride + W.shape[2])
    wide = np.zeros((X.shape[0], columns, 16), np.int64)
    wide[:, pad : pad + X.shape[1]] = X
    t = np.zeros((W.shape[0], q, 16), np.int64)
    for s in range(W.shape[2]):
        columns_of_s = wide[:, s : s + (q - 1) * stride + 1 : stride]
        t += np.einsum("kqc,jkoc->jqo", columns_of_s, W[:, :, s].astype(np.int64))
    return np.clip(((t + B[:, None]) >> 7) + R, 0, 127).astype(np.int8)


def sizes_of(stride: int, pad: int, random: np.random.Generator) -> dict[str, int]:
    """An image that is as long as the result needs, or some columns less or more."""
    q, (jo, ko) = int(random.integers(1, 60)), map(int, random.integers(1, 4, 2))
    v = max(1, (q - 1) * stride + 1 + int(random.integers(-3, 4)))
    return dict(jo=jo, ko=ko, q=q, s=2 * pad + 1, V=v)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", part(LINES, lambda name: name in ("3, stride 2", "7, stride 2")))
@pytest.mark.parametrize("count", [6, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_one_program_at_random_sizes(name: str, count: int) -> None:
    way, random = LINES[name], np.random.default_rng(5)
    for n in range(count):
        sizes = sizes_of(*way, random)
        arrays = drawn(line(*way).with_sizes(sizes), n)
        arrays["R"] = (arrays["R"] >> 10).astype(np.int32)
        call = built(*way).prepare(**arrays)
        call.run(seed=n)
        assert np.array_equal(call.result, by_numpy(*way, sizes["q"], **arrays)), sizes
        assert call.report is not None and call.report.races == call.report.hazards == 0


@functools.cache
def streamed() -> Any:
    arrays = drawn(line(2, 1).with_sizes(dict(jo=2, ko=3, q=37, s=3, V=73)), 1)
    arrays["R"] = (arrays["R"] >> 10).astype(np.int32)  # so that the clips leave something
    arrays["B"] = (arrays["B"] >> 6).astype(np.int32)
    return arrays, stream_of(built(2, 1), arrays)


def test_the_image_lies_in_main_memory_as_it_is() -> None:
    """What is loaded with zeros before it is the image's own, and main memory has room for the tensors alone."""
    arrays, (dram, stream, _, _) = streamed()
    moved = [i.fields for i in stream.issues if i.what == LOADS]
    assert {f[6] for f in moved} == {0, 1} and any(f[5] for f in moved)
    tensors = [*arrays.values(), np.zeros((2, 37, 16), np.int8)]
    assert dram.size == 256 + sum(-(-x.nbytes // 256) * 256 for x in tensors)


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.exhaustive)])
def test_no_order_of_the_engines_changes_it(count: int) -> None:
    _, (dram, stream, right, at) = streamed()
    for seed in range(count):
        report, memory = run_stream(dram, stream, seed)
        assert report.races == 0
        assert np.array_equal(memory[at : at + right.size].view(np.int8), right.reshape(-1))


def test_every_token_is_necessary() -> None:
    _, (dram, stream, _, _) = streamed()
    every = each_token(stream)
    assert every and all(noticed(dram, without(stream, *ends)) in ("race", "refused") for ends in every)


def changed(program: Program, which: Callable[[Issued], bool], change: Callable[[Issued], Issued]) -> Program:
    def visit(node: Any) -> Any:
        if isinstance(node, Loop | If):
            return replace(node, body=tuple(map(visit, node.body)))
        return change(node) if isinstance(node, Issued) and which(node) else node

    return replace(program, body=tuple(map(visit, program.body)))


def of_image(u: Issued) -> bool:
    return u.instruction.short == "load_inp"


def by_one(u: Issued, **more: int) -> Issued:
    """Its points of each side, so many more; the elements of the points stay where they are."""
    front, active = (tuple(e + more.get(n, 0) for e in getattr(u, n)) for n in ("front", "active"))
    return replace(u, front=front, active=active)


def moved_by(u: Issued, columns: int, tensor: str = "X") -> Issued:
    """It takes other columns of the image, or of another tensor."""
    places = dict(u.operands)
    for o, r in u.operands:
        if r.name == tensor:
            places[o] = replace(r, index=(r.index[0], r.index[1] + columns, r.index[2]))
    return replace(u, operands=tuple(places.items()))


WRONG: dict[str, Callable[[Issued], Issued]] = {
    "one zero more in front": lambda u: by_one(u, front=1),
    "one zero less in front": lambda u: by_one(u, front=-1),
    "one point more": lambda u: by_one(u, active=1),
    "one point less": lambda u: by_one(u, active=-1),
    "one column further": lambda u: moved_by(u, 1),
    "one column before": lambda u: moved_by(u, -1),
    "no zeros in front": lambda u: replace(u, front=(u.front[0] * 0,)),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_zeros_that_are_wrong_by_one(wrong: str) -> None:
    """The proof refutes it, and what executes the program shows it."""
    program = changed(planned(2, 1).program, of_image, WRONG[wrong])
    proof = prove_program(program)
    assert proof.word == "refuted", wrong
    arrays, (_, _, right, _) = streamed()
    try:
        same = np.array_equal(VtaKernel(program, build_here(VtaText(program).text(), quick()))(**arrays), right)
    except HardwareError:
        same = False
    found = simulate(program, arrays, seed=1)
    assert not same and not (found.sound and np.array_equal(found.outputs["Y"], right))


def beside(u: Issued) -> bool:
    return u.instruction.short == "add_acc"


SUMS: dict[str, tuple[Callable[[Issued], bool], Callable[[Issued], Issued]]] = {
    "the larger one": (beside, lambda u: replace(u, instruction=MACHINE.instruction("vta.max_acc"))),
    "twice itself": (
        beside,
        lambda u: replace(u, operands=tuple((o, dict(u.operands)["acc"]) for o, _ in u.operands)),
    ),
    "another row": (lambda u: any(r.name == "R" for _, r in u.operands), lambda u: moved_by(u, 1, "R")),
}


@pytest.mark.parametrize("wrong", SUMS)
def test_what_is_added_to_sums_wrongly(wrong: str) -> None:
    program = changed(planned(2, 1).program, *SUMS[wrong])
    assert not prove_program(program).proved
    arrays, (_, _, right, _) = streamed()
    found = simulate(program, arrays, seed=1)
    assert not (found.sound and np.array_equal(found.outputs["Y"], right))


def test_elements_that_are_not_brought_yet() -> None:
    """Where the addition stands before what it adds, or both share rows with the sums, nothing is proved."""

    def swapped(node: Any) -> Any:
        if isinstance(node, Loop):
            body = [swapped(n) for n in node.body]
            at = next((n for n, u in enumerate(body) if isinstance(u, Issued) and beside(u)), None)
            if at:
                body[at - 1 : at + 1] = [body[at], body[at - 1]]
            return replace(node, body=tuple(body))
        return node

    program = planned(2, 1).program
    late = replace(program, body=tuple(map(swapped, program.body)))
    assert late != program and prove_program(late).word == "refuted"
    shared = tuple(
        replace(n, buffer=replace(n.buffer, offset=0)) if getattr(n, "buffer", None) and n.buffer.name == "R@acc" else n
        for n in program.body
    )
    failed = prove_program(replace(program, body=shared)).failed()
    assert any("no row of acc in common" in c.statement for c in failed)


def along_the_image(kernel: im.Kernel, machine: im.Hardware) -> None:
    """A plan of the mapping that takes rows of the image."""
    proved = im.prove(im.fuse(kernel.with_sizes({"s": 3}), MACHINE.instruction("vta.gemm"), "i=q,o=o,k=c"))
    assert isinstance(proved, im.ProvedMapping)
    schedule_stages([proved], machine, dict(JO=2, KO=2, Q=20, V=20, d=2), {}, 5.0, lower_stages)


def test_a_machine_whose_loads_have_no_zeros_in_front() -> None:
    own = (replace(i, front=(), emit="") if i.short == "load_inp" else i for i in MACHINE.instructions)
    machine = replace(MACHINE, instructions=tuple(own))
    with pytest.raises(
        ScheduleError,
        match=r"cuts tiles along i from the front, and vta\.load_inp leaves out points from the end alone",
    ):
        along_the_image(line(1, 1), machine)


def test_zeros_before_an_open_stride() -> None:
    """How many they are is then no whole number of columns that is known."""
    text = (
        "param d >= 1\nX: [KO, V, 16]\ntemporary T\nT[jo,q,o] += i32(X[ko,q*d+s-1,c]) * i32(W[jo,ko,s,o,c]) "
        "where 0 <= q*d+s-1 < V\nY[jo,q,o] = i8(T[jo,q,o] >> 7)"
    )  # fmt: skip
    with pytest.raises(ScheduleError, match="would cut tiles along i in steps that are not known; give d"):
        along_the_image(packed(text), MACHINE)


@pytest.mark.parametrize(
    ("front", "why"),
    [
        ({"x": "front"}, "front names 'x', no axis"),
        ({"r": 3}, "front of r is 3: pass the name of a use parameter, such as 'front'"),
        ({"r": "rows"}, "rows is what active of r says; give what front says of r a name of its own"),
        (["r"], r"front=\['r'\]: pass a use parameter for each axis"),
    ],
)
def test_fronts_that_are_none(front: Any, why: str) -> None:
    with pytest.raises(LanguageError, match=why):
        im.instruction(
            "load", "s[r,c] = m[r,c]", axes={"r": 4, "c": 4}, dtypes={"s": "i8", "m": "i8"}, engine="load",
            places={"s": "inp[r,c]", "m": "memory"}, active={"r": "rows"}, front=front, beyond="zero",
        )  # fmt: skip


def test_fronts_are_for_engines() -> None:
    with pytest.raises(LanguageError, match="front is for instructions that an engine issues; add engine="):
        im.instruction(
            "load", "s[l] = m[l]", axes={"l": 4}, dtypes={"s": "f32", "m": "f32"}, places={"s": "ymm", "m": "memory"},
            active={"l": "n"}, front={"l": "front"}, beyond="zero", c_types={"s": "__m128"},
        )  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", [(3, 1, 1), (3, 2, 1), (7, 2, 3), (1, 2, 0)])
@pytest.mark.parametrize("images", [{}, {"n": 1}])
def test_images_with_zeros_around_them(way: tuple[int, int, int], images: dict[str, int]) -> None:
    """Along both axes, for all numbers of rows, columns and channels."""
    side, stride, pad = way
    sizes = dict(r=side, s=side, sp=stride, sq=stride, pp=pad, pq=pad) | images
    found = im.stage(KERNELS.conv2d, MACHINE, sizes=sizes)
    assert found.proof.proved and {"JO", "KO", "P", "Q", "H", "V"} <= set(found.kernel.free_sizes)
    made = TARGET.build(TARGET.emit(found))
    random = np.random.default_rng(7)
    for n in range(5):
        p, q, jo, ko = map(int, random.integers(1, (9, 40, 4, 4)))
        kernel = KERNELS.conv2d.with_sizes(sizes | dict(n=1, p=p, q=q, jo=jo, ko=ko, H=p * stride, V=q * stride))
        arrays = drawn(kernel, n)
        call = made.prepare(**arrays, sizes={"P": p, "Q": q})
        call.run(n)
        assert np.array_equal(call.result, run_kernel(kernel, arrays)["Y"])
        assert call.report.races == call.report.hazards == 0


@pytest.mark.exhaustive
def test_windows_and_zeros_of_any_number() -> None:
    """Strides are known, and nothing else is."""
    strides = dict(n=1, sp=2, sq=2)
    found = im.stage(KERNELS.conv2d, MACHINE, sizes=strides)
    assert found.proof.proved and {"P", "Q", "R", "S", "H", "V", "pp", "pq"} <= set(found.kernel.free_sizes)
    made = TARGET.build(TARGET.emit(found))
    for n, (side, pad) in enumerate(((3, 1), (7, 3), (1, 0), (4, 2), (5, 0))):
        sizes = strides | dict(p=5, q=19, jo=1, ko=2, r=side, s=side, pp=pad, pq=pad, H=10, V=38)
        kernel = KERNELS.conv2d.with_sizes(sizes)
        arrays = drawn(kernel, n)
        call = made.prepare(**arrays, sizes={"P": 5, "Q": 19, "pp": pad, "pq": pad})
        call.run(n)
        assert np.array_equal(call.result, run_kernel(kernel, arrays)["Y"])
