"""What Gemmini's controllers are configured for: where commands stand, wrong ones refuted and seen to go wrong on the model."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Alloc, Configure, Issued, Loop, Node, Program, Ref
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from isamap_smt.targets.gemmini import RefusedError, build_here
from isamap_smt.targets.gemmini.target import GemminiText
from tests.quick import quick

MACHINE = isamap_hardware.load("gemmini")
GEMM = im.find_kernel("gemm").with_dtypes({"A": "i8", "B": "i8", "C": "i32"})
SIZES = {"I": 37, "J": 29, "K": 50}
BATCHED = im.kernel(
    "temporary T\nT[n,i,j] += i32(X[n,i,k]) * i32(W[k,j])\nY[n,i,j] = round_i8(f32(T[n,i,j]) * s[n])", name="batched",
    dtypes={"X": "i8", "W": "i8", "T": "i32", "Y": "i8", "s": "f32"},
)  # fmt: skip
Edit = Callable[[Program], Program]


def with_sets(count: int) -> im.Hardware:
    """A Gemmini with fewer kinds of loads."""
    memories = (replace(m, count=count, capacity=32 * count) if m.name == "loads" else m for m in MACHINE.memories)
    return replace(MACHINE, memories=tuple(memories))


@functools.cache
def program(sets: int = 3, kernel: im.Kernel = GEMM) -> Program:
    return im.stage(kernel, MACHINE if sets == 3 else with_sets(sets)).program


def arrays_of(kernel: im.Kernel, seed: int = 1) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    made = {}
    for name in kernel.inputs:
        t = kernel.tensor(name)
        shape = tuple(int(e) for e in t.shape)
        drawn = random.uniform(0.001, 0.01, shape) if t.dtype.is_float else random.integers(-128, 128, shape)
        made[name] = drawn.astype(t.dtype.numpy)
    return made


def run(p: Program, sizes: dict[str, int], seed: int = 1) -> bool:
    """Whether the model computes what NumPy does. An instruction that is refused does not."""
    kernel = p.kernel.with_sizes(sizes)
    given = arrays_of(kernel, seed)
    arrays = {t.name: given.get(t.name, np.zeros([int(e) for e in t.shape], t.dtype.numpy)) for t in kernel.tensors}
    try:
        build_here(GemminiText(p).text(), quick())(
            list(arrays.values()), [sizes[n] for n in p.kernel.free_sizes],
            written=[n for n, t in enumerate(kernel.tensors) if t.name in kernel.results],
        )  # fmt: skip
    except RefusedError:
        return False
    if "A" in given:
        return np.array_equal(arrays["C"], given["A"].astype(np.int64) @ given["B"].astype(np.int64))
    sums = (given["X"].astype(np.int64) @ given["W"].astype(np.int64)).astype(np.float32)
    return np.array_equal(arrays["Y"], np.clip(np.rint(sums * given["s"][:, None, None]), -128, 127))


def edited(body: tuple[Node, ...], change: Callable[[Issued], tuple[Node, ...]]) -> tuple[Node, ...]:
    """The body, with other nodes for each use."""
    found: list[Node] = []
    for node in body:
        if isinstance(node, Loop):
            found.append(replace(node, body=edited(node.body, change)))
        else:
            found += change(node) if isinstance(node, Issued) else (node,)
    return tuple(found)


def writes(p: Program) -> list[tuple[Issued, tuple[Node, ...]]]:
    return [(n, around) for n, around in walk(p.body) if isinstance(n, Issued) and n.state]


def dropped(p: Program, state: str, number: int) -> Program:
    return replace(p, body=edited(p.body, lambda u: () if (state, number) in u.sets and u.state else (u,)))


def changed(p: Program, state: str, cell: int, value: Any, number: int = 0) -> Program:
    def one(u: Issued) -> tuple[Node, ...]:
        if u.state != state or (state, number) not in u.sets:
            return (u,)
        return (replace(u, cells=tuple(value if n == cell else e for n, e in enumerate(u.cells))),)

    return replace(p, body=edited(p.body, one))


def behind_loop(p: Program, state: str, number: int) -> Program:
    """The write stands behind the loops that need it."""
    (write,) = (u for u, _ in writes(p) if (state, number) in u.sets)
    bare = dropped(p, state, number).body
    last = max(n for n, node in enumerate(bare) if isinstance(node, Loop))
    return replace(p, body=(*bare[: last + 1], write, *bare[last + 1 :]))


def beside(p: Program, instruction: str, also: Issued, before: bool = False) -> Program:
    """Another write at each use of an instruction."""

    def one(u: Issued) -> tuple[Node, ...]:
        if u.instruction.short != instruction:
            return (u,)
        return (also, u) if before else (u, also)

    return replace(p, body=edited(p.body, one))


def on_set(p: Program, buffer: str, number: int) -> Program:
    """Loads of one buffer are of another kind."""

    def one(u: Issued) -> tuple[Node, ...]:
        mine = u.operands and u.operands[0][1].name == buffer and any(m == "loads" for m, _ in u.sets)
        return (replace(u, sets=(("loads", number),)),) if mine else (u,)

    return replace(p, body=edited(p.body, one))


@functools.cache
def first(state: str) -> Issued:
    """The first write of it in the program."""
    return next(u for u, _ in writes(program()) if u.state == state)


def of_cell(use: Issued, cell: Any) -> Issued:
    """The same with another first cell."""
    return replace(use, cells=(cell, *use.cells[1:]))


J, K = sym("J"), sym("K")
WRONG: dict[str, Edit] = {
    "missing loads": lambda p: dropped(p, "loads", 0),
    "missing loads of the other kind": lambda p: dropped(p, "loads", 1),
    "missing dataflow": lambda p: dropped(p, "passes", 0),
    "missing stores": lambda p: dropped(p, "stores", 0),
    "wrong stride of loads": lambda p: changed(p, "loads", 0, J + 1),
    "the stride of another tensor": lambda p: changed(p, "loads", 0, K),
    "wrong stride of stores": lambda p: changed(p, "stores", 0, 4 * J + 4),
    "elements for bytes": lambda p: changed(p, "stores", 0, J),
    "right for one size only": lambda p: changed(p, "loads", 0, 2 * J - 31),
    "wrong scale": lambda p: changed(p, "loads", 2, 0x40000000, 1),
    "wrong dataflow": lambda p: changed(p, "passes", 0, 0),
    "transposed": lambda p: changed(p, "passes", 4, 1),
    "late loads": lambda p: behind_loop(p, "loads", 0),
    "late dataflow": lambda p: behind_loop(p, "passes", 0),
    "late stores": lambda p: behind_loop(p, "stores", 0),
    "clobbered behind each load": lambda p: beside(p, "mvin", of_cell(first("loads"), K + 1)),
    "clobbered behind each store": lambda p: beside(p, "mvout", of_cell(first("stores"), J)),
    "the kind of others": lambda p: on_set(p, "a", 0),
    "a kind that nothing configures": lambda p: on_set(p, "b", 2),
}


OFTEN = {
    "missing loads", "missing dataflow", "wrong stride of loads", "right for one size only", "wrong scale", "late stores",
    "clobbered behind each load", "clobbered behind each store", "the kind of others",
}  # fmt: skip


@pytest.mark.parametrize("name", [n if n in OFTEN else pytest.param(n, marks=pytest.mark.exhaustive) for n in WRONG])
def test_a_wrong_configuration_is_refuted_and_goes_wrong(name: str) -> None:
    """By its proof alone, by the simulator, and by the model, which executes the commands of the C."""
    wrong = WRONG[name](program())
    failed = prove_program(wrong).failed()
    assert {(c.claim, c.verdict.word) for c in failed} == {("configuration", "refuted")}, failed
    text = failed[0].verdict.text
    assert "needs " in text and ("has written" in text or "nothing has written it" in text), text
    kernel = GEMM.with_sizes(SIZES)
    seen = simulate(wrong, arrays_of(kernel), seed=1)
    assert not seen.sound and seen.misconfigured and not seen.races
    at = dict(SIZES, J=40) if name == "right for one size only" else SIZES
    assert not run(wrong, at)


def test_a_stride_of_stores_that_is_negative_is_refuted_and_refused() -> None:
    """Rows stored upwards, by a command that is described as if it took any number; then as it is, by this claim alone."""
    upwards = im.kernel("C: [I,J]\nC[I-1-i,j] += i32(A[i,k]) * i32(B[k,j])", dtypes={"A": "i8", "B": "i8", "C": "i32"})
    own = MACHINE.instruction("config_st")
    any_ = tuple(replace(i, assume=()) if i == own else i for i in MACHINE.instructions)
    p = im.stage(upwards, replace(MACHINE, instructions=any_)).program
    assert prove_program(p).proved and not run(p, SIZES)

    def described(u: Issued) -> tuple[Node, ...]:
        return (replace(u, instruction=own),) if u.instruction.name == own.name else (u,)

    wrong = replace(p, body=edited(p.body, described), machine=MACHINE)
    assert {(c.claim, c.verdict.word) for c in prove_program(wrong).failed()} == {("configuration", "refuted")}


def test_the_words_of_a_counterexample() -> None:
    (claim,) = prove_program(WRONG["elements for bytes"](program())).failed()
    assert claim.statement == (
        "gemmini.mvout C finds stores as it needs it, where gemmini.config_st of any iteration has written it"
    )
    assert claim.verdict.text.endswith(
        "it needs stores[0] = 4 ('stores[0] = 4*down'), and gemmini.config_st has written 1 there (I=1 J=1 K=1)"
    )
    claim = prove_program(WRONG["missing dataflow"](program())).failed()[0]
    assert claim.verdict.text == (
        "gemmini.clear 0 needs passes[0] = 1 ('passes[0] = 1'), and nothing has written it "
        "(i_tile_step=0 j_tile_step=0 i_tile_begin_acc=0 j_tile_begin_acc=0), at I=1 J=1 K=1"
    )


def test_what_no_use_is_is_refuted() -> None:
    """Sets that there are not, cells left out, values that nothing defines."""
    p = program()
    for wrong, told in (
        (on_set(p, "a", 3), "names one of 3 sets of loads"),
        (on_set(p, "a", -1), "names one of 3 sets of loads"),
        (
            replace(
                p, body=edited(p.body, lambda u: (replace(u, cells=u.cells[:2]) if isinstance(u, Configure) else u,))
            ),
            "gives each of 4 cells a value",
        ),
    ):
        failed = prove_program(wrong).failed()
        assert failed[0].verdict.word == "refuted" and told in failed[0].statement
    (claim,) = prove_program(changed(p, "loads", 0, sym("down"))).failed()
    assert claim.claim == "hypotheses" and "nothing defines down" in str(claim.verdict)


def test_commands_stand_once_in_front_of_all_loops() -> None:
    """One for each kind of loads, one for the array and one for stores; the element-wise loops hold none."""
    found = writes(program())
    assert [(u.state, dict(u.sets)[u.state], around) for u, around in found] == [
        ("loads", 0, ()), ("loads", 1, ()), ("passes", 0, ()), ("stores", 0, ()),
    ]  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sets", [1, 2])
def test_kinds_that_take_turns_are_configured_anew(sets: int) -> None:
    """With one kind of loads tiles of A and B take turns; the writes stand in the loop that holds both, in front of each nest."""
    p = program(sets)
    depths = [len(around) for u, around in writes(p) if u.state == "loads"]
    assert depths == ([3, 3] if sets == 1 else [0, 0])
    assert prove_program(p).proved and run(p, SIZES) and run(p, {"I": 70, "J": 33, "K": 129})
    if sets == 1:
        first, second = (u for u, _ in writes(p) if u.state == "loads")
        for gone in (first, second):
            wrong = replace(p, body=edited(p.body, lambda u, gone=gone: () if u == gone else (u,)))
            failed = prove_program(wrong).failed()
            assert {c.claim for c in failed} == {"configuration"}
            assert any(c.verdict.word == "refuted" for c in failed) and not run(wrong, SIZES)


def test_a_write_in_an_inner_loop_is_as_good() -> None:
    """In front of each use, or twice: proved, and right."""
    (load,) = (u for u, _ in writes(program(1)) if u.cells[0] == J and u.state == "loads")

    def own(p: Program, u: Issued) -> tuple[Node, ...]:
        if u.state == "loads":
            return ()
        if u.instruction.short != "mvin":
            return (u,)
        down = J if u.operands[0][1].name == "b" else K
        return (replace(load, cells=(down, *load.cells[1:])), u)

    p = program(1)
    inner = replace(p, body=edited(p.body, lambda u: own(p, u)))
    assert prove_program(inner).proved and run(inner, SIZES)
    twice = beside(program(), "mvout", first("stores"), before=True)
    assert prove_program(twice).proved and run(twice, SIZES)


def test_a_scale_of_each_batch_is_configured_in_its_loop() -> None:
    """The cell gets the bits of an element; of another element, or of another tensor, it is refuted."""
    p, sizes = program(3, BATCHED), {"N": 5, "I": 20, "J": 18, "K": 33}
    (store,) = ((u, around) for u, around in writes(p) if u.state == "stores")
    assert isinstance(store[0].cells[1], Ref) and store[0].cells[1].name == "s" and len(store[1]) >= 1
    assert run(p, sizes) and run(p, sizes | {"N": 1, "J": 40})
    wrong = changed(p, "stores", 1, Ref("s", (sym("N") - 1,)))
    failed = prove_program(wrong).failed()
    assert [c.claim for c in failed] == ["configuration"] and failed[0].verdict.word == "refuted"
    told = r"needs stores.1. = s.\d. .'stores.1. = s'., and gemmini.config_st has written s.\d. there"
    assert re.search(told, failed[0].verdict.text)
    assert not run(wrong, sizes)
    outside = changed(p, "stores", 1, Ref("s", (sym("N"),)))
    assert "bounds" in {c.claim for c in prove_program(outside).failed()}
    number = changed(p, "stores", 1, 0x3F800000)
    assert {c.verdict.word for c in prove_program(number).failed()} == {"refuted"} and not run(number, sizes)
    hoisted = replace(p, body=edited(p.body, lambda u: () if u == store[0] else (u,)))
    first = replace(store[0], cells=(store[0].cells[0], Ref("s", (0,)), *store[0].cells[2:]))
    allocs = sum(isinstance(n, Alloc) for n in p.body)
    gap = next(n for n, node in enumerate(hoisted.body) if isinstance(node, Loop))
    assert gap > allocs
    hoisted = replace(p, body=(*hoisted.body[:gap], first, *hoisted.body[gap:]))
    assert {(c.claim, c.verdict.word) for c in prove_program(hoisted).failed()} == {("configuration", "refuted")}
    assert not run(hoisted, sizes)


@pytest.mark.parametrize("edits", [12, pytest.param(400, marks=pytest.mark.exhaustive)])
def test_random_edits_proof_against_simulator_and_model(edits: int) -> None:
    """What is proved is never seen misconfigured and is right on the model; what is refuted goes wrong at its sizes."""
    random, words = np.random.default_rng(5), {"proved": 0, "refuted": 0, "unknown": 0}
    for n in range(edits):
        p = _edited_at_random(program(int(random.integers(1, 4))), random)
        proof = prove_program(p)
        assert {c.claim for c in proof.failed()} <= {"configuration"}, proof.failed()
        words[proof.word] += 1
        sizes = {m: int(random.integers(1, 80)) for m in "IJK"}
        seen = simulate(p, arrays_of(GEMM.with_sizes(sizes)), seed=n)
        if proof.proved:
            assert seen.sound and run(p, sizes, n), (n, str(p))
        for c in proof.failed():
            if c.verdict.word == "refuted":
                at = {m: max(1, int(dict(c.verdict.witness).get(m, 1))) for m in "IJK"}
                assert simulate(p, arrays_of(GEMM.with_sizes(at)), seed=n).misconfigured
    assert words["proved"] >= edits // 8 and words["refuted"] >= edits // 4 and words["unknown"] <= edits // 4, words


def _edited_at_random(p: Program, random: np.random.Generator) -> Program:
    """One to three of: a write gone, doubled elsewhere, with another value or another set."""
    places = [n for n in nodes_of(Issued, p.body) if n.instruction.emit]
    for _ in range(int(random.integers(1, 4))):
        found = [u for u, _ in writes(p)]
        write = found[int(random.integers(len(found)))] if found else first("loads")
        what, at = int(random.integers(5)), places[int(random.integers(len(places)))]
        value = (J, K, J + K - 1, 4 * J)[int(random.integers(4))]
        assert p.machine is not None
        other = replace(write, sets=((write.state, int(random.integers(p.machine.memory(write.state).count))),))
        if what == 1 and write.state != "passes":
            other = replace(write, cells=(value, *write.cells[1:]))
        p = replace(p, body=edited(p.body, functools.partial(_one_edit, what, write, other, at)))
    return p


def _one_edit(what: int, write: Issued, other: Issued, at: Issued, u: Issued) -> tuple[Node, ...]:
    if u is write and what < 3:
        return () if what == 0 else (other,)
    if u is at and what >= 3:
        return (write, u) if what == 3 else (u, write)
    return (u,)
