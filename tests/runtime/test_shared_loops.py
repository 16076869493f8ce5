"""The C that shares a loop among threads, by itself: every iteration is done once, and nobody waits who could work."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from isamap_smt.codegen.c_expr import HELPERS
from isamap_smt.codegen.c_parallel import RUNTIME
from isamap_smt.runtime.cache import build_library

# visit() counts how often each iteration is done. `waits`: the iteration that goes on only when all others are done (-1:
# none), and returns 9 where that does not happen in 30 seconds. `fails`: the iteration that returns 7. `steps`: that each
# iteration takes; -1: iteration n takes n*n*n.
VISIT = """
#include <pthread.h>
#include <stdint.h>
#include <time.h>
struct visit { int64_t count, waits, fails, steps, *times, *done; };
static int visit_body(const void *context, isamap_share *share) {
    const struct visit *const v = context;
    int result = 0;
    for (int64_t from, to; isamap_next(share, v->count & 1, &from, &to);)
        for (int64_t n = from; n < to; ++n) {
            const struct timespec moment = {0, 1000000};
            for (int ms = 0; n == v->waits && __atomic_load_n(v->done, __ATOMIC_ACQUIRE) < v->count - 1; ++ms) {
                if (ms == 30000) return 9;
                nanosleep(&moment, NULL);
            }
            for (volatile int64_t step = 0; step < (v->steps < 0 ? n * n * n : v->steps); ++step) {}
            if (n == v->fails) result = 7;
            __atomic_fetch_add(&v->times[n], 1, __ATOMIC_RELAXED);
            __atomic_fetch_add(v->done, 1, __ATOMIC_RELEASE);
        }
    return result;
}
int visit(int64_t count, int64_t threads, int64_t waits, int64_t fails, int64_t steps, int64_t *times) {
    int64_t done = 0;
    const struct visit v = {count, waits, fails, steps, times, &done};
    return isamap_parallel(count, threads, visit_body, &v);
}
/* How many of the iterations, of so many steps each, the caller does on two threads. */
struct own { pthread_t caller; int64_t steps, done; };
static int own_body(const void *context, isamap_share *share) {
    struct own *const o = (struct own *)context;
    for (int64_t from, to; isamap_next(share, 0, &from, &to);)
        for (; from < to; ++from) {
            for (volatile int64_t step = 0; step < o->steps; ++step) {}
            if (pthread_equal(pthread_self(), o->caller)) ++o->done;
        }
    return 0;
}
int64_t own(int64_t count, int64_t steps) {
    struct own o = {pthread_self(), steps, 0};
    return isamap_parallel(count, 2, own_body, &o) ? -1 : o.done;
}
/* Whether all helpers sleep. */
int64_t rested(void) {
    pthread_mutex_lock(&isamap_pool.lock);
    const int64_t asleep = isamap_pool.asleep;
    pthread_mutex_unlock(&isamap_pool.lock);
    return asleep == isamap_pool.helpers;
}
/* How often helpers were woken in so many loops of 16 iterations, one close behind the other. */
int64_t series(int64_t loops, int64_t steps) {
    const int64_t before = woken;
    while (loops-- > 0) own(16, steps);
    return woken - before;
}
"""
COUNTED = "static int64_t woken;\n#define pthread_cond_broadcast(c) (__atomic_fetch_add(&woken, 1, 0), pthread_cond_broadcast(c))\n"
SOURCE = "#include <pthread.h>\n#include <stdint.h>\n#include <time.h>\n" + COUNTED + HELPERS + RUNTIME + VISIT


LONG = 200_000  # steps that take long enough for helpers to be woken


class Loop:
    """The compiled loop, which counts. Each mark makes another library, with helpers of its own."""

    def __init__(self, mark: str = "") -> None:
        library = ctypes.CDLL(str(build_library(SOURCE + mark)))
        self._visit, self.own, self.series, self.rested = library.visit, library.own, library.series, library.rested
        self.series.argtypes, self.series.restype = [ctypes.c_int64] * 2, ctypes.c_int64
        self._visit.argtypes = [ctypes.c_int64] * 5 + [ctypes.c_void_p]
        self.own.argtypes, self.own.restype = [ctypes.c_int64] * 2, ctypes.c_int64

    def __call__(
        self, count: int, threads: int, waits: int = -1, fails: int = -1, steps: int = 0
    ) -> tuple[int, np.ndarray]:
        """(result, how often each iteration was done)."""
        times = np.zeros(count, np.int64)
        return self._visit(count, threads, waits, fails, steps, times.ctypes.data), times

    def once(self, count: int, threads: int) -> bool:
        """Whether every iteration was done once, and none failed."""
        result, times = self(count, threads)
        return result == 0 and bool((times == 1).all())


@pytest.fixture(scope="module")
def loop() -> Loop:
    return Loop()


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 64, 1000])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 16, 17, 1001])
def test_every_iteration_is_done_once(loop: Loop, count: int, threads: int) -> None:
    assert all(loop.once(count, threads) for _ in range(20))


@pytest.mark.parametrize("threads", [2, 3])
def test_every_iteration_is_done_once_where_they_are_wildly_uneven(loop: Loop, threads: int) -> None:
    for count in (5, 64, 200):
        result, times = loop(count, threads, steps=-1)
        assert result == 0 and (times == 1).all()


@pytest.mark.parametrize("waits", [1, 8, 15])
def test_others_do_what_stands_behind_a_slow_iteration(loop: Loop, waits: int) -> None:
    """One thread is stuck in an iteration until all others are done, those of its own part among them. Helpers that slept were
    woken behind the first iteration, which took long."""
    for _ in range(5):
        result, times = loop(16, 2, waits=waits, steps=LONG)
        assert result == 0 and (times == 1).all()


def test_who_sleeps_is_woken_for_long_work_alone(loop: Loop) -> None:
    """Between calls helpers fall asleep. Short loops are then done by the caller; of long ones others do a part."""
    done = {steps: [] for steps in (0, LONG)}
    for _ in range(20):
        for steps, own in done.items():
            time.sleep(0.005)
            own.append(loop.own(16, steps))
    assert set(done[0]) == {16} and min(done[LONG]) < 16


def _all_sleep(loop: Loop) -> bool:
    """Whether all helpers fall asleep soon."""
    for _ in range(3000):
        if loop.rested():
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(("loops", "wakes"), [(40, True), (1, False)])
def test_short_loops_wake_helpers_where_they_follow_each_other_closely(loop: Loop, loops: int, wakes: bool) -> None:
    """Each takes a few microseconds and is not worth to wake somebody; forty of them are. Where another program has the core in the
    middle of one, it is not short: that happens now and then."""
    woken = []
    for _ in range(20):
        assert _all_sleep(loop)
        time.sleep(0.001)
        woken.append(loop.series(loops, 300) > 0)
    assert woken.count(wakes) >= 15


def test_who_waits_in_vain_sleeps(loop: Loop) -> None:
    loop.series(2000, 300)
    assert _all_sleep(loop)
    before = time.process_time()
    time.sleep(0.1)
    assert time.process_time() - before < 0.05


def test_two_kernels_with_helpers_of_their_own(loop: Loop) -> None:
    """Their helpers look for work at the same time, and want the same cores."""
    other = Loop("/* another one */")
    assert all(one.once(1 + n % 40, 3) for n in range(2000) for one in (loop, other))
    wrong: list[Loop] = []

    def call(one: Loop) -> None:
        wrong.extend(one for n in range(2000) if not one.once(1 + n % 40, 3))

    callers = [threading.Thread(target=call, args=(one,)) for one in (loop, other)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    assert not wrong


@pytest.mark.parametrize("fails", [0, 9, 15, 16, 30, 31])
def test_a_failure_is_reported_whoever_meets_it(loop: Loop, fails: int) -> None:
    for _ in range(50):
        result, times = loop(32, 2, fails=fails)
        assert result == 7 and (times == 1).all()
        assert loop.once(32, 2)


def test_many_short_calls_of_two_callers(loop: Loop) -> None:
    wrong: list[int] = []

    def call(threads: int) -> None:
        wrong.extend(n for n in range(3000) if not loop.once(1 + n % 40, threads))

    callers = [threading.Thread(target=call, args=(threads,)) for threads in (2, 3)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    assert not wrong


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_forked_in_the_middle_of_a_loop_shares_its_own(loop: Loop) -> None:
    end = threading.Event()

    def call() -> None:
        while not end.is_set():
            loop(100, 3, steps=-1)

    caller = threading.Thread(target=call)
    caller.start()
    codes = []
    for _ in range(20):
        child = os.fork()
        if child == 0:
            signal.alarm(60)  # a child that waits for its parent's helpers would wait for ever
            os._exit(0 if all(loop.once(50, 3) and loop(16, 2, waits=1, steps=LONG)[0] == 0 for _ in range(5)) else 1)
        codes.append(os.waitpid(child, 0)[1])
    end.set()
    caller.join()
    assert codes == [0] * 20
    assert loop.once(50, 3)


RACES = """
#include <stdio.h>
static void *caller(void *argument) {
    for (int64_t n = 0; n < 2000; ++n) {
        int64_t times[50] = {0};
        if (visit(50, 2 + (argument != NULL), -1, -1, 0, times)) return argument;
        for (int i = 0; i < 50; ++i) if (times[i] != 1) return argument; /* plain reads of what other threads wrote */
        if (n % 100 == 0) nanosleep(&(struct timespec){0, 1000000}, NULL); /* the helpers fall asleep */
    }
    puts("done");
    return NULL;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, caller, (void *)1);
    caller(NULL);
    pthread_join(other, NULL);
    return 0;
}
"""


def test_the_thread_sanitizer_finds_no_race(tmp_path: Path) -> None:
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("the thread sanitizer needs gcc, which is not installed")
    source, program = tmp_path / "races.c", tmp_path / "races"
    source.write_text(SOURCE + RACES)
    built = subprocess.run(
        [gcc, "-std=gnu11", "-O1", "-g", "-fsanitize=thread", "-pthread", str(source), "-o", str(program)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if built.returncode:
        pytest.skip(f"gcc has no thread sanitizer here: {built.stderr.strip()[-200:]}")
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False, timeout=300)
    if "unexpected memory mapping" in done.stderr:
        pytest.skip("the thread sanitizer does not run under this kernel's address randomization")
    assert (done.returncode, done.stdout) == (0, "done\ndone\n"), done.stderr[-3000:]
