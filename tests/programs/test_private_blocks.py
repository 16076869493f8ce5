"""Threads that share a loop over blocks have blocks of temporaries of their own: right on any number of them, always the same bits.

One block for all threads, another one's and blocks that overlap are refuted, and found by the simulator, which takes iterations
in any order; the first also by the thread sanitizer, in the C that would be made of it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp

import isamap_smt as im
from examples import norms
from examples.attention import CAUSAL
from isamap_smt.codegen.c_printer import _text
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.folds import laid_out
from isamap_smt.ir.program import Alloc, If, Loop, Node, Parallel, Program, Ref, Use
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.pipeline.plan import Plan
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program

SIZES = {"i": 45, "n": 1037}  # neither blocks nor vectors divide them
FEWER = 269  # columns where nothing is compiled: the same loops, in blocks of four rows instead of one
Arrays = dict[str, np.ndarray]


@cache
def softmax(n: int = SIZES["n"], i: int = SIZES["i"]) -> Plan:
    """Its loop over blocks is shared, however little there is to do."""
    return im.plan(norms.SOFTMAX, "avx2", sizes={"i": i, "n": n}, threads=2, strategy="exact", cost_model="analytic")


@cache
def given(n: int = SIZES["n"]) -> tuple[Arrays, np.ndarray]:
    """Rows of very different sizes, so that one row's numbers are no other one's; softmax of them in f64."""
    x = (
        np.random.default_rng(3).normal(size=(45, n)).astype(np.float32)
        * np.linspace(1, 9, 45, dtype=np.float32)[:, None]
    )
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return {"x": x}, e / e.sum(1, keepdims=True)


def shared(program: Program) -> Parallel:
    """The loop over blocks."""
    (found,) = (n for n in program.body if isinstance(n, Parallel) and n.folds)
    return found


def test_the_shared_loop_folds_and_each_iteration_has_its_own_block() -> None:
    program = softmax().program
    loop = shared(program)
    assert set(dict(loop.folds)) == {"share", "e", "top_sums", "total_sums"}
    (laid,) = (n for n in laid_out(program).body if isinstance(n, Loop))
    own = [n.buffer for n in laid.body if isinstance(n, Alloc) and n.buffer.name.endswith("_block")]
    folds = dict(loop.folds)
    assert {b.type.tensor: b.shape[folds[b.type.tensor]] for b in own} == dict.fromkeys(folds, loop.step)
    assert not {b.type.tensor for b in own} & {r.name for n in nodes_of(Use, laid.body) for _, r in n.operands}


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_any_number_of_threads_gives_the_same_bits(threads: int) -> None:
    arrays, wanted = given()
    built = im.build(softmax())
    first = built(**arrays, threads=1)
    np.testing.assert_allclose(first, wanted, rtol=1e-5, atol=0)
    assert {built(**arrays, threads=threads).tobytes() for _ in range(20)} == {first.tobytes()}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(3))
def test_blocks_in_any_order_are_right(seed: int) -> None:
    arrays, wanted = given(FEWER)
    run = run_program(softmax(FEWER).program, arrays, seed=seed)
    assert run.clean
    np.testing.assert_allclose(run.outputs["y"], wanted, rtol=1e-5, atol=0)


def test_heads_are_shared_and_blocks_of_rows_inside_them_fold() -> None:
    """h is shared, q inside it is not, and both fold the scores; of one head, q is shared."""
    for heads, position in ((4, 0), (1, 0)):
        sizes = {"h": heads, "q": 60, "k": 160, "d": 16}
        plan = im.plan(CAUSAL, "avx2", sizes=sizes, threads=2, strategy="exact", cost_model="analytic")
        assert {s.parallel for s in plan.program.schedules} == {position}
        loop = shared(plan.program)
        assert loop.axis == ("h" if heads > 1 else "q") and "S" in dict(loop.folds)
        rng = np.random.default_rng(5)
        q, k, v = (rng.normal(size=(heads, sizes[a], 16)).astype(np.float32) for a in "qkk")
        scores = np.where(np.tri(60, 160, dtype=bool), np.einsum("hqd,hkd->hqk", q.astype(np.float64), k) / 4, -np.inf)
        weights = np.exp(scores - scores.max(2, keepdims=True))
        wanted = np.einsum("hqk,hkd->hqd", weights, v.astype(np.float64)) / weights.sum(2, keepdims=True)
        found = {im.build(plan)(Q=q, K=k, V=v, z=np.array(0.25, np.float32), threads=t).tobytes() for t in (1, 2, 3)}
        assert len(found) == 1
        result = np.frombuffer(found.pop(), np.float32).reshape(wanted.shape)
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


# ---- wrong ones ----------------------------------------------------------------------------------------------------


def _changed(nodes: tuple[Node, ...], change: Callable[[Node], Node]) -> tuple[Node, ...]:
    def one(node: Node) -> Node:
        return change(replace(node, body=_changed(node.body, change)) if isinstance(node, Loop | If) else node)

    return tuple(map(one, nodes))


def _places(program: Program, tensor: str, reads: bool, change: Callable[[Ref], Ref]) -> Program:
    """Places of the tensor that are written, or those that are read in the last nest."""
    last = shared(program).body[-1]

    def one(node: Node) -> Node:
        if not isinstance(node, Use):
            return node
        return replace(node, operands=tuple((o, change(r) if r.name == tensor else r) for o, r in node.operands))

    body = tuple(
        replace(n, body=tuple(_changed((x,), one)[0] if not reads or x is last else x for x in n.body))
        if n == shared(program)
        else n  # type: ignore[union-attr]
        for n in program.body
    )
    return replace(program, body=body)


def _moved(rows: object) -> Callable[[Ref], Ref]:
    return lambda r: replace(r, index=(sp.expand(r.index[0] + rows), *r.index[1:]))  # type: ignore[operator]


def _one_block_for_all(program: Program) -> Program:
    """All threads use the first rows of e."""
    loop = shared(program)
    without = tuple(f for f in loop.folds if f[0] != "e")
    program = replace(program, body=tuple(replace(n, folds=without) if n == loop else n for n in program.body))
    return _places(program, "e", False, _moved(-loop.step * loop.var))


def _next_block_read(program: Program) -> Program:
    """The last statement reads e where the next block's rows are."""
    return _places(program, "e", True, _moved(shared(program).step))


def _overlapping(program: Program) -> Program:
    """Blocks begin one row too soon, and are as long: the last row of each is also the first of the next."""
    loop = shared(program)
    step = loop.step - 1
    swap = {loop.step * loop.var: step * loop.var}

    def ref(r: Ref) -> Ref:
        return replace(r, index=tuple(sp.sympify(x).subs(swap) for x in r.index))

    def one(node: Node) -> Node:
        return replace(node, operands=tuple((o, ref(r)) for o, r in node.operands)) if isinstance(node, Use) else node

    return replace(
        program,
        body=tuple(replace(n, step=step, body=_changed(n.body, one)) if n == loop else n for n in program.body),  # type: ignore[union-attr]
    )


def _read_behind(program: Program) -> Program:
    """The last statement in a loop of its own, which threads share too: it reads rows that lay in blocks of other iterations."""
    loop = shared(program)
    again = replace(loop, body=loop.body[-1:], folds=())
    return replace(program, body=(*(replace(n, body=n.body[:-1]) if n == loop else n for n in program.body), again))  # type: ignore[union-attr]


# with the claims that refute each
WRONG: dict[str, tuple[Callable[[Program], Program], set[str]]] = {
    "one block for all threads": (_one_block_for_all, {"disjoint", "order", "program"}),
    "another thread's block is read": (_next_block_read, {"bounds", "disjoint", "forms", "order", "program"}),
    "blocks overlap": (_overlapping, {"coverage", "disjoint", "forms", "order", "program"}),
    "a block is read behind the loop": (_read_behind, {"forms"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refuted(name: str) -> None:
    change, claims = WRONG[name]
    program = change(softmax(FEWER).program)
    assert program != softmax(FEWER).program
    proof = prove_program(program)
    assert proof.word == "refuted" and {c.claim for c in proof.failed()} == claims
    with pytest.raises(NotProvedError):
        im.build(program)


@pytest.mark.parametrize("name", WRONG)
def test_the_simulator_finds_what_is_wrong(name: str) -> None:
    arrays, wanted = given(FEWER)
    run = run_program(WRONG[name][0](softmax(FEWER).program), arrays)
    assert not run.clean or not np.allclose(run.outputs["y"], wanted, rtol=1e-3)


# ---- a race run ----------------------------------------------------------------------------------------------------

MAIN = """
int isamap_run(const void *const *, const int64_t *, void *const *, int64_t);
int main(void) {
    static float memory[@TENSORS@][45 * 1040] __attribute__((aligned(64)));
    const void *tensors[@TENSORS@];
    void *packed[1] = {0};
    for (int n = 0; n < @TENSORS@; ++n) tensors[n] = memory[n];
    for (int n = 0; n < 45 * 1037; ++n) memory[@X@][n] = (float)(n % 97) / 8;
    const int64_t sizes[1] = {0};
    for (int n = 0; n < 40; ++n)
        if (isamap_run(tensors, sizes, packed, 3)) return 9;
    return 0;
}
"""


@pytest.fixture(scope="module")
def races(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Program], tuple[int, str]]:
    """What the thread sanitizer says of a program's C, run on three threads; skipped where there is none."""
    folder = tmp_path_factory.mktemp("races")

    def run(program: Program) -> tuple[int, str]:
        names = [t.name for t in program.kernel.tensors]
        main = MAIN.replace("@TENSORS@", str(len(names))).replace("@X@", str(names.index("x")))
        source, binary = folder / "program.c", folder / "program"
        source.write_text(_text(program, assumed=()) + main)
        flags = ["-std=gnu11", "-O1", "-g", "-mavx2", "-mfma", "-fno-math-errno", "-fsanitize=thread", "-pthread"]
        try:
            built = subprocess.run(
                ["gcc", *flags, str(source), "-o", str(binary)], capture_output=True, text=True, check=False
            )
        except FileNotFoundError:
            pytest.skip("the thread sanitizer needs gcc, which is not installed")
        if built.returncode:
            pytest.skip(f"gcc has no thread sanitizer here: {built.stderr.strip()[-200:]}")
        done = subprocess.run([str(binary)], capture_output=True, text=True, check=False, timeout=300)
        if "unexpected memory mapping" in done.stderr:
            pytest.skip("the thread sanitizer does not run under this kernel's address randomization")
        return done.returncode, done.stderr

    return run


@pytest.mark.needs("avx2")
def test_the_thread_sanitizer_finds_one_block_for_all_threads_and_no_race_besides(
    races: Callable[[Program], tuple[int, str]],
) -> None:
    code, said = races(softmax().program)
    assert (code, said) == (0, "")
    code, said = races(_one_block_for_all(softmax().program))
    assert code == 66 and "data race" in said
