"""A call that is like one before goes another way to the machine code, and nobody can tell but by the clock."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import random
import re
import shutil
import statistics
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError
from isamap_smt.runtime import known_calls
from isamap_smt.runtime.compiled import CompiledKernel
from isamap_smt.runtime.compiler import find_compiler
from isamap_smt.runtime.measure import best_time
from tests.sanitizer import sanitizer_environment

Arrays = dict[str, np.ndarray]


def built(text: str, dtype: str = "f32") -> CompiledKernel:
    """The kernel of this text with tensors of one type and open sizes, proved and compiled."""
    names = set(re.findall(r"(\w+)\[", text))
    return im.build(im.plan(im.kernel(text, name="known", dtypes=dict.fromkeys(names, dtype)), "scalar"))


def warmed(kernel: Any, *inputs: Any, **options: Any) -> Any:
    """The result of a call that is known."""
    for _ in range(2):
        kernel(*inputs, **options)
    assert is_known(kernel, *inputs, **options)
    return kernel(*inputs, **options)


def is_known(kernel: Any, *inputs: Any, **options: Any) -> bool:
    """Whether a call of this form is known; it is carried out if so."""
    return kernel._known.call(inputs, options) is not NotImplemented


@pytest.fixture(scope="module")
def product() -> CompiledKernel:
    """f32, any sizes: adds to C."""
    return built("C[i,j] += A[i,k] * B[k,j]")


@pytest.fixture(scope="module")
def largest() -> CompiledKernel:
    """Two results and a temporary, each beginning at something else; f32 and any sizes."""
    return built("temporary t\nt[i,n] = x[i,n] * 2\ns[i] += t[i,n]\nm[i] max= t[i,n]")


def matrices(rows: int = 3, columns: int = 5, depth: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers as f32."""
    rng = np.random.default_rng(seed)
    shapes = (rows, depth), (depth, columns)
    a, b = (rng.integers(-9, 10, s).astype(np.float32) for s in shapes)
    return a, b


def test_calls_of_many_forms_give_what_the_first_gave(product: CompiledKernel) -> None:
    for n in range(1, 20):
        a, b = matrices(n, 20 - n, n, n)
        assert np.array_equal(warmed(product, a, b), a @ b)
        assert np.array_equal(warmed(product, B=b, A=a), a @ b)
        assert np.array_equal(warmed(product, a, threads=2, B=b), a @ b)
        assert np.array_equal(warmed(product, a, b, check_finite=False, check_ranges=True), a @ b)
        assert np.array_equal(product(a, b, threads=2**70), a @ b)
        c = np.ones((n, 20 - n), np.float32)
        out = c.copy()
        product(a, b, out=out)
        product(a, b, out=out)
        assert is_known(product, a, b, out=out)
        assert product(a, b, out=out) is out
        assert np.array_equal(out, c + 4 * (a @ b))


def test_results_start_at_a_cache_line_and_are_like_any_array(product: CompiledKernel) -> None:
    a, b = matrices(60, 70)
    for _ in range(5):
        c = product(a, b)
        assert c.ctypes.data % 64 == 0 and c.flags.c_contiguous and c.flags.writeable and c.flags.aligned
        assert (c.shape, c.dtype, type(c)) == ((60, 70), np.float32, np.ndarray)
        c += 1
    assert np.array_equal(product(a, b), a @ b)


def test_several_results_and_what_lives_within_a_call(largest: CompiledKernel) -> None:
    x = -np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    for _ in range(3):
        dirt = warmed(largest, x + 1000)
        dirt["s"][:] = dirt["m"][:] = np.nan
        del dirt  # its memory is what the next call gets
        found = warmed(largest, x)
        assert list(found) == ["s", "m"]
        assert np.array_equal(found["s"], 2 * x.sum(1)) and np.array_equal(found["m"], 2 * x.max(1))
    for rows in (1023, 1024, 1025, 5000):  # of 4 bytes: more than one piece of what memory is filled with
        x = -np.arange(1, 2 * rows + 1, dtype=np.float32).reshape(rows, 2)
        assert np.array_equal(warmed(largest, x)["m"], 2 * x.max(1))


class Sub(np.ndarray):
    """Another type of array."""


def wrong_calls() -> dict[str, Callable[[np.ndarray, np.ndarray], Any]]:
    """Calls of a product of A[3,4] and B[4,5] that are refused, and how each is made."""
    out = np.zeros((3, 5), np.float32)
    frozen = out.copy()
    frozen.flags.writeable = False
    memory = np.zeros(100, np.float32)
    return {
        "type": lambda a, b: ((a.astype(np.float64), b), {}),
        "byte order": lambda a, b: ((a.astype(">f4"), b), {}),
        "rank": lambda a, b: ((a[None], b), {}),
        "rank behind": lambda a, b: ((a[:, :, None], b), {}),
        "shape": lambda a, b: ((a[:, :3].copy(), b), {}),
        "layout": lambda a, b: ((np.asfortranarray(a), b), {}),
        "strides": lambda a, b: ((np.repeat(a, 2, 1)[:, ::2], b), {}),
        "no array": lambda a, b: ((a.tolist(), b), {}),
        "none": lambda a, b: ((None, b), {}),
        "too few": lambda a, b: ((a,), {}),
        "too many": lambda a, b: ((a, b, b), {}),
        "twice": lambda a, b: ((a, b), {"A": a}),
        "no such input": lambda a, b: ((a, b), {"D": a}),
        "output as input": lambda a, b: ((a, b), {"C": out}),
        "no such output": lambda a, b: ((a, b), {"out": {"D": out}}),
        "shape of out": lambda a, b: ((a, b), {"out": out[:2]}),
        "type of out": lambda a, b: ((a, b), {"out": out.astype(np.int32)}),
        "frozen out": lambda a, b: ((a, b), {"out": frozen}),
        "rows of out in one place": lambda a, b: (
            (a, b),
            {"out": np.lib.stride_tricks.as_strided(out, out.shape, (0, 4))},
        ),
        "overlap": lambda a, b: ((memory[:12].reshape(3, 4), b), {"out": memory[5:20].reshape(3, 5)}),
        "unaligned": lambda a, b: ((np.frombuffer(bytes(50), np.float32, 12, 1).reshape(3, 4), b), {}),
        "no threads": lambda a, b: ((a, b), {"threads": 0}),
        "half a thread": lambda a, b: ((a, b), {"threads": 1.5}),
        "true threads": lambda a, b: ((a, b), {"threads": "2"}),
        "a size": lambda a, b: ((a, b), {"sizes": {"I": 4}}),
        "no such size": lambda a, b: ((a, b), {"sizes": {"X": 4}}),
    }


@pytest.mark.parametrize("which", wrong_calls())
def test_wrong_calls_are_refused_as_ever(product: CompiledKernel, which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = matrices()
    warmed(product, a, b)
    warmed(product, a, b, out=np.zeros((3, 5), np.float32))
    positional, options = wrong_calls()[which](a, b)
    told = []
    for call in (product._known.call, known_calls.unknown):  # with what is remembered, and as if nothing were
        monkeypatch.setattr(product._known, "call", call)
        with pytest.raises(IsamapError) as error:
            product(*positional, **options)
        told.append((type(error.value), str(error.value)))
    assert told[0] == told[1]


def test_nothing_is_written_by_a_call_that_is_refused(product: CompiledKernel) -> None:
    a, b = matrices()
    out = np.full((3, 5), 7, np.float32)
    warmed(product, a, b, out=out.copy())
    memory = np.full(100, 7, np.float32)
    with pytest.raises(IsamapError, match="overlap"):
        product(memory[:12].reshape(3, 4), b, out=memory[5:20].reshape(3, 5))
    assert (memory == 7).all()


def test_values_are_looked_at_in_every_call() -> None:
    """Ranges that the proof assumes, with options that leave the look out."""
    kernel = built("assume 0 <= x <= 9\ny[i] += x[i,k] * z[k]", "i32")
    x, z = np.arange(8, dtype=np.int32).reshape(2, 4), np.ones(4, np.int32)
    assert warmed(kernel, x, z).tolist() == [6, 22]
    x[1, 2] = 10
    with pytest.raises(IsamapError, match=r"x\[1, 2\] is 10"):
        kernel(x, z)
    assert warmed(kernel, x, z, check_ranges=False).shape == (2,)


def test_codes_of_a_kernel_that_had_begun(gemm: CompiledKernel) -> None:
    a, b = matrices(5, 7, 3)
    warmed(gemm, a, b)
    for rows, kind, words in ((13, MemoryError, "no memory for its buffers"), (17, IsamapError, "I is seventeen")):
        x, y = matrices(rows, 7, 3)
        form = gemm.prepare(x, y).form(gemm.signature.inputs)  # no call of it ends well
        gemm._known.remember(form)
        with pytest.raises(kind, match=words):
            gemm(x, y)


def test_other_types_of_arrays_are_looked_at_by_python(product: CompiledKernel) -> None:
    a, b = matrices()
    warmed(product, a, b)
    other = a.view(Sub)
    assert not is_known(product, other, b)
    assert np.array_equal(product(other, b), a @ b)


def test_arrays_that_were_pickled_are_known(product: CompiledKernel) -> None:
    """Their types are other objects, and equal."""
    a, b = matrices()
    warmed(product, a, b)
    c, d = (pickle.loads(pickle.dumps(x)) for x in (a, b))
    assert c.dtype is not a.dtype
    assert is_known(product, c, d) and np.array_equal(product(c, d), a @ b)


def test_only_arrays_are_remembered(product: CompiledKernel) -> None:
    a, b = matrices(17, 3, 9)
    before = product._known._count
    for _ in range(5):
        product(a.view(Sub), b)
        product(a, b, sizes={"I": 17})
        product(a, b, out={"C": np.zeros((17, 3), np.float32)})
    assert product._known._count == before


def views(array: np.ndarray, chance: random.Random) -> Any:
    """Something that keeps the array's memory, and not always the array."""
    return chance.choice(
        [
            lambda: array,
            lambda: array[1:, ::2],
            lambda: array.T,
            lambda: memoryview(array),
            lambda: array.reshape(-1)[3:].view(np.int32),
            lambda: np.from_dlpack(array),
            lambda: np.frombuffer(array, np.uint8),
            lambda: iter(array),
            lambda: (ctypes.c_char * array.nbytes).from_buffer(array),
        ]
    )()


def content(view: Any) -> bytes:
    return next(view).tobytes() if hasattr(view, "__next__") else bytes(np.asarray(view).tobytes())


@pytest.mark.parametrize("size", [8, 64, 200])
def test_memory_that_anything_refers_to_is_never_used_again(product: CompiledKernel, size: int) -> None:
    """Results, and views of results, are kept and let go at random; each holds what its call computed, to the end."""
    chance = random.Random(size)
    inputs = [matrices(size, size, 3, seed) for seed in range(6)]
    wanted = [a @ b for a, b in inputs]
    warmed(product, *inputs[0])
    held: list[tuple[Any, bytes]] = []
    places = set()
    for _ in range(400):
        n = chance.randrange(len(inputs))
        found = product(*inputs[n])
        places.add(found.ctypes.data)
        assert np.array_equal(found, wanted[n])
        view = views(found, chance)
        held.append((view, b"" if hasattr(view, "__next__") else content(view)))
        while len(held) > chance.randrange(1, 12):
            view, before = held.pop(chance.randrange(len(held)))
            assert not before or content(view) == before
        del found, view
    assert len(places) < 60  # and what nothing refers to is


def test_of_idle_memory_little_is_kept(product: CompiledKernel) -> None:
    """More blocks than are kept, of sizes of their own, and more bytes."""
    held = many_sizes(product, 5_000_000)[-8:]  # of 20 MB each
    before = resident()
    held.clear()
    assert before - resident() > 8 * 20_000_000 - (64 << 20) - (16 << 20)
    a, b = np.ones((1, 1), np.float32), np.ones((1, 18_000_000), np.float32)
    assert all(product(a, b).all() for _ in range(3))  # of more than is kept at all


def many_sizes(product: CompiledKernel, most: int) -> list[np.ndarray]:
    """Results of 70 small sizes and of eight from `most` on."""
    a, held = np.ones((1, 1), np.float32), []
    for n in (*range(1, 1400, 20), *(most + n for n in range(8))):
        b = np.full((1, n), n, np.float32)
        product(a, b), product(a, b)
        held.append(product(a, b))
        assert is_known(product, a, b)
    assert all((h == h.size).all() for h in held)
    return held


def resident() -> int:
    """Bytes of this process that lie in memory, without those that the C library keeps for itself after they were freed."""
    getattr(ctypes.CDLL(None), "malloc_trim", int)(0)  # glibc has it
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_two_threads_call_one_kernel(product: CompiledKernel) -> None:
    """Each with arrays of its own, of forms that both have, while results come and go."""
    wrong: list[str] = []

    def work(seed: int) -> None:
        cases = [matrices(n, 30, 40, seed + n) for n in (20, 21, 22)]
        wanted = [a @ b for a, b in cases]
        held = []
        for turn in range(400):
            (a, b), right = cases[turn % 3], wanted[turn % 3]
            held.append((product(a, b, threads=1 + turn % 2), right))
            if turn % 7 == 0:
                wrong.extend("result" for got, kept in held if not np.array_equal(got, kept))
                held.clear()

    threads = [threading.Thread(target=work, args=(100 * n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_nothing_leaks(product: CompiledKernel, largest: CompiledKernel) -> None:
    a, b = matrices()
    out = np.zeros((3, 5), np.float32)
    x = np.ones((3, 4), np.float32)
    warmed(product, a, b), warmed(product, a, b, out=out), warmed(largest, x)
    counted = (a, b, out, x, a.dtype, np.ndarray, product, "threads")
    gc.collect()
    before = [sys.getrefcount(o) for o in counted]
    for _ in range(300):
        product(a, b, threads=1), product(a, b, out=out), largest(x)
        with pytest.raises(IsamapError):
            product(a, b, threads=0)
    gc.collect()
    more = [sys.getrefcount(o) - n for o, n in zip(counted, before, strict=True)]
    assert max(map(abs, more)) < 20, more


def test_a_run_that_is_repeated_is_no_dearer_than_the_call(product: CompiledKernel, packing: CompiledKernel) -> None:
    """In turns, so that a busy machine slows both; it may slow one of them for a while, so there are three tries."""
    (a, b), (x, y), out = matrices(), whole(), np.zeros((3, 5), np.float32)
    started = np.zeros(3, np.int32)
    begun = built("temporary t\nt[i] += x[i,n]\nm[i] max= t[i] where i < 2", "i32")
    for kernel, inputs, options in (
        (product, (a, b), {}),
        (product, (a, b), {"out": out}),
        (packing, (x, y), {}),
        (begun, (x,), {"out": started, "accumulate": False}),
    ):
        run = kernel.prepare(*inputs, **options).run
        warmed(kernel, *inputs, **options), run(), run()
        seen = []
        while not seen or (seen[-1] > 1.1 and len(seen) < 3):
            turns = best_time([run, lambda k=kernel, i=inputs, o=options: k(*i, **o)], budget=0.2)
            prepared, direct = map(statistics.median, turns)
            seen.append(prepared / direct)
        assert seen[-1] <= 1.1, (options, seen)


def test_a_kernel_goes_with_what_it_remembers() -> None:
    kernel = built("y[i] = x[i] + 1")
    x = np.ones(5, np.float32)
    result = warmed(kernel, x)
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None
    assert result.tolist() == [2] * 5  # its memory does not hang on the kernel


@pytest.fixture
def without_the_c(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where arrays have other fields, or no compiler is there."""
    monkeypatch.setattr(known_calls, "_library", lambda: None)
    yield


@pytest.mark.usefixtures("without_the_c")
def test_without_it_python_looks_at_every_call() -> None:
    kernel = built("y[i] = x[i] + 1")
    x = np.ones(5, np.float32)
    for _ in range(3):
        assert kernel(x).tolist() == [2] * 5
    assert not is_known(kernel, x)


def test_fields_elsewhere_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert known_calls._layout_holds()
    for name in ("_Array", "_Dtype"):
        fields = getattr(known_calls, name)._fields_
        for n in range(1 if name == "_Array" else 3, len(fields)):
            order = [*fields[:n], ("more", ctypes.c_void_p), *fields[n:]]
            with monkeypatch.context() as patch:
                patch.setattr(known_calls, name, type(name, (ctypes.Structure,), {"_fields_": order}))
                assert not known_calls._layout_holds(), fields[n][0]


def test_more_forms_than_are_kept(product: CompiledKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_calls, "_FORMS", 0)
    a, b = matrices(31, 37, 2)
    for _ in range(3):
        assert np.array_equal(product(a, b), a @ b)
    assert not is_known(product, a, b)


@pytest.fixture(scope="module")
def packing() -> CompiledKernel:
    """i32 gemm whose B is packed ahead, and of which the proof assumes a range."""
    text = "assume 0 <= B <= 9\nC[i,j] += A[i,k] * B[k,j]"
    kernel = im.kernel(text, name="packing", dtypes=dict.fromkeys("ABC", "i32"))
    return im.build(im.plan(kernel, "scalar", constant=["B"]))


def whole(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(-9, 10, (3, 4)).astype(np.int32), rng.integers(0, 10, (4, 5)).astype(np.int32)


def test_what_is_packed_at_every_call(packing: CompiledKernel) -> None:
    for seed in range(4):
        a, b = whole(seed)
        assert np.array_equal(warmed(packing, a, b), a @ b)
    b[2, 3] = 10
    with pytest.raises(IsamapError, match=r"B\[2, 3\] is 10"):
        packing(a, b)


def test_what_is_packed_once(packing: CompiledKernel) -> None:
    a, b = whole()
    other, more = whole(1)
    ready, second = packing.pack(b.copy()), packing.pack(B=more)
    assert np.array_equal(warmed(ready, a), a @ b)
    assert np.array_equal(warmed(second, a), a @ more)
    assert np.array_equal(warmed(ready, other, threads=2), other @ b)
    assert np.array_equal(ready(a, B=b), a @ b) and not is_known(ready, a, B=b)
    b[1, 1] += 1
    with pytest.raises(IsamapError, match="B does not hold what was packed"):
        ready(a, B=b)
    ready.buffers[0][:] = 0  # its stamp, too
    with pytest.raises(IsamapError, match="was not filled by this kernel's packing"):
        ready(a)


SANITIZED = """
import functools
import numpy as np
from isamap_smt.runtime import known_calls
from tests.runtime import test_known_calls as tests

known_calls.build_library = functools.partial(known_calls.build_library, sanitize=True)
product = tests.built("C[i,j] += A[i,k] * B[k,j]")
largest = tests.built("temporary t\\nt[i,n] = x[i,n] * 2\\ns[i] += t[i,n]\\nm[i] max= t[i,n]")
tests.test_calls_of_many_forms_give_what_the_first_gave(product)
tests.test_several_results_and_what_lives_within_a_call(largest)
tests.test_memory_that_anything_refers_to_is_never_used_again(product, 64)
tests.test_two_threads_call_one_kernel(product)
tests.many_sizes(product, 30)
for positional, options in (make(*tests.matrices()) for make in tests.wrong_calls().values()):
    try:
        product(*positional, **options)
    except tests.IsamapError:
        continue
    raise AssertionError((positional, options))
print("no complaint")
"""


def test_no_sanitizer_complains(repository: Path) -> None:
    """Calls of all kinds with the C built with address and undefined-behaviour checks, in a process of its own."""
    compiler = find_compiler("gcc") if shutil.which("gcc") else None
    if compiler is None:
        pytest.skip("no gcc, whose sanitizers this needs")
    environment = {**os.environ, **sanitizer_environment(compiler), "PYTHONPATH": str(repository)}
    done = subprocess.run(
        [sys.executable, "-c", SANITIZED], check=False, env=environment, cwd=repository, capture_output=True, text=True
    )
    assert done.stdout == "no complaint\n", done.stderr[-2000:]
