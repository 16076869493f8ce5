"""Networks on several threads: the same bits for any number and any way to run the parts, and no race."""

from __future__ import annotations

import ctypes
import json
import random
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.certificates.sealed import seal
from isamap_smt.codegen.c_printer import workspace_pieces
from isamap_smt.networks.check import check_library
from isamap_smt.networks.library import write_library
from isamap_smt.networks.plan import NetworkPlan
from isamap_smt.networks.proof import prove_network
from isamap_smt.networks.record import network_record

Body = Callable[[int], None]
MOST = 4
BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)
PARALLEL_FOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p)
TSAN = ["gcc", "-fsanitize=thread", "-g", "-O1"]


class Options(ctypes.Structure):
    _fields_ = (
        ("parallel_for", PARALLEL_FOR),
        ("context", ctypes.c_void_p),
        ("threads", ctypes.c_size_t),
        ("after", ctypes.c_void_p),
    )


def network() -> Any:
    """A product whose epilogue has a block for each thread, and a mean of it."""
    rng = np.random.default_rng(0)
    y = im.relu(im.input("x", (192, 128)) @ rng.standard_normal((128, 256)).astype(np.float32)) * np.float32(2)
    return im.network({"y": y, "m": im.mean(y)}, name="shared")


class InC:
    """The library with the caller's own parallel_for."""

    def __init__(self, folder: Path, planned: NetworkPlan) -> None:
        self.folder, self.planned = folder, planned
        written = write_library(planned, folder, "shared")
        seal(folder, network_record(planned, written))
        self.code = ctypes.CDLL(str(folder / "shared.so"))
        self.code.shared_run.argtypes = [ctypes.c_void_p] * 5
        self.weights = aligned(np.fromfile(folder / "shared_weights.bin", np.uint8))
        self.x = np.random.default_rng(1).standard_normal((192, 128)).astype(np.float32)

    def run(self, threads: int, parallel_for: Any = None) -> bytes:
        """The results, on an arena of garbage; what is behind the arena stays."""
        y, m = np.full((192, 256), np.nan, np.float32), np.full((), np.nan, np.float32)
        arena = aligned(np.full(self.planned.peak + 256, 0x7F, np.uint8))
        given, made = (ctypes.c_void_p * 1)(self.x.ctypes.data), (ctypes.c_void_p * 2)(y.ctypes.data, m.ctypes.data)
        options = Options(parallel_for or PARALLEL_FOR(), None, threads, None)
        addresses = (arena.ctypes.data, self.weights.ctypes.data, ctypes.addressof(options))
        assert self.code.shared_run(ctypes.addressof(given), ctypes.addressof(made), *addresses) == 0
        assert (arena[self.planned.peak :] == 0x7F).all()
        return y.tobytes() + m.tobytes()


def aligned(data: np.ndarray) -> np.ndarray:
    whole = np.empty(len(data) + 64, np.uint8)
    whole = whole[-whole.ctypes.data % 64 :][: len(data)]
    whole[:] = data
    return whole


@pytest.fixture(scope="module")
def planned() -> NetworkPlan:
    return im.plan_network(network(), threads=MOST)


@pytest.fixture(scope="module")
def shared(planned: NetworkPlan, tmp_path_factory: Any) -> InC:
    return InC(tmp_path_factory.mktemp("shared"), planned)


def _started(bodies: list[Body], count: int) -> None:
    threads = [threading.Thread(target=bodies[0], args=(n,)) for n in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def _each(order: Callable[[int], list[int]]) -> Callable[[list[Body], int], None]:
    def run(bodies: list[Body], count: int) -> None:
        for n in order(count):
            bodies[0](n)

    return run


WAYS: dict[str, Callable[[list[Body], int], None]] = {
    "one after the other": _each(lambda n: list(range(n))),
    "backwards": _each(lambda n: list(range(n))[::-1]),
    "in any order": _each(lambda n: random.Random(n).sample(range(n), n)),
    "at once": _started,
    "the last alone": _each(lambda n: [n - 1]),
    "none": _each(lambda n: []),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_bits_are_the_same_however_the_parts_are_run(shared: InC, way: str) -> None:
    asked: list[int] = []

    @PARALLEL_FOR
    def parallel_for(_: int, count: int, body: int, argument: int) -> None:
        asked.append(count)
        WAYS[way]([lambda n: BODY(body)(argument, n)], count)

    wanted = shared.run(1)
    assert shared.run(MOST, parallel_for) == wanted
    assert asked and max(asked) == MOST


@pytest.mark.parametrize("threads", [0, 1, 2, 3, MOST, 5, 1000, 2**64 - 1])
def test_any_number_of_threads_is_taken(shared: InC, threads: int) -> None:
    pool = ctypes.cast(shared.code.shared_threads, PARALLEL_FOR)
    wanted = shared.run(1)
    for _ in range(5):
        assert shared.run(threads, pool) == wanted
    assert shared.run(threads) == wanted  # no parallel_for: one thread


def test_two_callers_at_once_have_an_arena_each(shared: InC) -> None:
    pool, wanted = ctypes.cast(shared.code.shared_threads, PARALLEL_FOR), shared.run(1)
    found: list[bytes] = []
    callers = [threading.Thread(target=lambda: found.extend(shared.run(2, pool) for _ in range(8))) for _ in range(3)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    assert found == [wanted] * 24


def test_each_thread_has_work_space_of_its_own(planned: NetworkPlan) -> None:
    proof = prove_network(planned)
    assert proof.proved
    alone = sum(len(workspace_pieces(p.program, 1)) for p in planned.plans.values())
    assert sum(len(workspace_pieces(p.program, MOST)) for p in planned.plans.values()) > alone
    for peak in (planned.peak - 128, planned.peak // 2):
        assert not prove_network(replace(planned, peak=peak)).proved
    more = prove_network(replace(planned, threads=8))  # places for four
    assert {c.claim for c in more.failed()} <= {"arena", "separate", "version"} and not more.proved


def test_python_computes_the_same_with_any_number(shared: InC) -> None:
    compiled = im.compile_network(network(), threads=2)
    one = im.load_network(shared.folder, threads=1)(shared.x)
    for found in (im.load_network(shared.folder)(shared.x), im.load_network(shared.folder, threads=9)(shared.x)):
        assert all((found[n] == one[n]).all() for n in one)
    meant = im.run_network(network(), {"x": shared.x})
    for made in (one, compiled(shared.x)):
        assert np.allclose(made["y"], meant["y"], atol=1e-3) and np.allclose(made["m"], meant["m"], rtol=1e-4)
    with pytest.raises(im.IsamapError, match="threads"):
        im.load_network(shared.folder, threads=0)


def test_the_number_of_threads_is_checked_with_the_folder(shared: InC, tmp_path: Path) -> None:
    assert {o.status for o in check_library(shared.folder).outcomes} == {"ok"}
    for threads, status in ((1, "stale"), (8, "broken")):
        there = tmp_path / str(threads)
        shutil.copytree(shared.folder, there)
        plan = json.loads((there / "plan.json").read_text())
        (there / "plan.json").write_text(json.dumps({**plan, "threads": threads}))
        record = json.loads((there / "proofs.json").read_text())
        (there / "proofs.json").unlink()
        seal(there, {k: v for k, v in record.items() if k not in ("files", "digest")})
        assert status in {o.status for o in check_library(there).outcomes}


MAIN = """
#include "shared.h"
#include "shared_threads.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static float x[192 * 128], y[3][192 * 256], m[3];
static _Alignas(64) char arena[3][ARENA], weights[WEIGHTS];
static void *call(void *number) {
    const size_t n = (size_t)number;
    const shared_options options = {shared_threads, NULL, 4, 0};
    for (int k = 0; k < 3; ++k)
        if (shared_run(&(shared_inputs){x}, &(shared_outputs){y[n], &m[n]}, arena[n], weights, n ? &options : 0)) return number;
    return NULL;
}
int main(void) {
    FILE *file = fopen("shared_weights.bin", "rb");
    if (!file || fread(weights, 1, WEIGHTS, file) != WEIGHTS) return 2;
    for (int n = 0; n < 192 * 128; ++n) x[n] = (float)(n % 37) / 17 - 1;
    pthread_t other;
    void *failed;
    if (call((void *)0) || pthread_create(&other, NULL, call, (void *)1)) return 3;
    if (call((void *)2) || pthread_join(other, &failed) || failed) return 4;
    return memcmp(y[0], y[1], sizeof y[0]) || memcmp(y[0], y[2], sizeof y[0]) || m[0] != m[1] || m[0] != m[2];
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_the_thread_sanitizer_finds_no_race(shared: InC, tmp_path: Path) -> None:
    (tmp_path / "any.c").write_text("int main(void) { return 0; }\n")
    if subprocess.run([*TSAN, "any.c", "-o", "any"], cwd=tmp_path, capture_output=True, check=False).returncode:
        pytest.skip("this gcc has no thread sanitizer")
    if subprocess.run([tmp_path / "any"], capture_output=True, check=False).returncode:
        pytest.skip("the thread sanitizer does not run here")
    text = (shared.folder / "Makefile").read_text()
    flags = " ".join(line.partition("?= ")[2] for line in text.splitlines() if line.startswith(("CFLAGS", "FEATURES")))
    sizes = [f"-DARENA={shared.planned.peak}", f"-DWEIGHTS={len(shared.weights)}"]
    (tmp_path / "main.c").write_text(MAIN)
    sources = [str(p) for p in shared.folder.glob("*.c")]
    command = [
        *TSAN[:1],
        *flags.split(),
        *TSAN[1:],
        *sizes,
        f"-I{shared.folder}",
        "main.c",
        *sources,
        "-o",
        "run",
        "-lm",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([tmp_path / "run"], cwd=shared.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "WARNING" not in done.stderr, done.stderr[:3000]
