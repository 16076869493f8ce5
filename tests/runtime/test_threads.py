"""Threads that are kept between calls: many callers, a forked child, more threads than work."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

import isamap_smt as im


@pytest.fixture(scope="module")
def product() -> tuple[im.CompiledKernel, np.ndarray, np.ndarray]:
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]")
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((50, 20), (20, 40)))
    return im.compile(kernel, "host", threads=2), a, b


@pytest.mark.parametrize("threads", [1, 2, 3, 64, 1000])
def test_any_number_of_threads_gives_the_same(product, threads: int) -> None:
    compiled, a, b = product
    for _ in range(20):
        assert (compiled(a, b, threads=threads) == a @ b).all()


def test_a_sum_to_one_number_is_shared() -> None:
    plan = im.plan(im.kernel("y[] += x[n] * z[n]"), "host", sizes={"n": 1_000_003}, threads=2)
    assert any(s.parallel is not None for s in plan.program.schedules)
    rng = np.random.default_rng(4)
    x, z = (rng.integers(-3, 4, 1_000_003).astype(np.float32) for _ in "xz")
    built = im.build(plan)
    assert {float(built(x, z, threads=threads)) for threads in (1, 2, 3)} == {float(x.astype(np.float64) @ z)}


def test_several_callers_at_once(product) -> None:
    compiled, a, b = product
    wrong: list[int] = []

    def call() -> None:
        for n in range(200):
            if not (compiled(a, b, threads=2) == a @ b).all():
                wrong.append(n)

    callers = [threading.Thread(target=call) for _ in range(4)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    assert not wrong


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own(product) -> None:
    compiled, a, b = product
    want = a @ b
    compiled(a, b, threads=2)
    child = os.fork()
    if child == 0:
        right = all((compiled(a, b, threads=2) == want).all() for _ in range(20))
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (compiled(a, b, threads=2) == want).all()
