"""Runs the calls of checks, each in a process of its own: whatever an instruction does to it, nobody else is harmed.

Started as a script. A line of its input, ["document", "errors"], is answered by a line with the end of a fork: its exit
status, or minus a signal. The fork works in the document's folder, and writes its words to the file of errors. The
JSON document: {"library", "memory", "size", "protections": [[at, bytes, access]],
"calls": [[[function, from, to, numbers, count, period, bytes], ...], ...], "answers": at, "seconds"}. The calls of one list run
at the same time, each in a thread, over and over until its results change: so many bytes from its first place on.
Nothing but the standard library is imported, so it starts at once. In the memory, at `answers`: the number of lists
begun, or DONE; then the return value of each call, 4 bytes each.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import resource
import signal
import struct
import sys
import threading
import time
import traceback
from typing import Any

LONG = 0.05  # seconds for which threads run at the same time: each is interrupted several times on a busy machine
DONE = -1  # in place of the number of lists begun, when all have ended


def main() -> None:
    """Carry out document after document, until nobody is there to ask."""
    for line in sys.stdin:
        document, errors = json.loads(line)
        child = os.fork()
        if child == 0:
            _alone(document, errors)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _alone(document: str, errors: str) -> None:
    """In the fork: holds nothing of the runner's, and does not return."""
    try:
        nothing, said = os.open(os.devnull, os.O_RDWR), os.open(errors, os.O_WRONLY | os.O_CREAT)
        for here, there in ((nothing, 0), (nothing, 1), (said, 2)):
            os.dup2(here, there)
        os.chdir(os.path.dirname(document))
        _carry_out(document)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def _carry_out(path: str) -> None:
    with open(path) as file:
        told: dict[str, Any] = json.load(file)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGVTALRM, signal.SIGALRM, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE):
        signal.signal(number, signal.SIG_DFL)
    with open(told["memory"], "r+b") as file:
        memory = mmap.mmap(file.fileno(), told["size"])
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for at, count, access in told["protections"]:
        if libc.mprotect(base + at, count, access):
            os._exit(125)
    library = ctypes.CDLL(told["library"])
    answer = told["answers"]
    position = 4
    for begun, together in enumerate(told["calls"], 1):
        struct.pack_into("i", memory, answer, begun)
        # processor time, which a busy machine does not change; and a long while for who waits without computing
        signal.setitimer(signal.ITIMER_VIRTUAL, told["seconds"])
        signal.setitimer(signal.ITIMER_REAL, 30 * told["seconds"])
        found = _together(library, memory, base, together)
        for code in found:
            struct.pack_into("i", memory, answer + position, code)
            position += 4
    struct.pack_into("i", memory, answer, DONE)
    os._exit(0)


def _together(library: ctypes.CDLL, memory: mmap.mmap, base: int, calls: list[Any]) -> list[int]:
    if len(calls) == 1:
        return [_call(library, base, calls[0])]
    found = [0] * len(calls)
    seen: list[list[bytes]] = [[] for _ in calls]
    places = [slice(min(c[2]), min(c[2]) + c[6]) for c in calls]
    ready = threading.Barrier(len(calls))

    def work(n: int) -> None:
        ready.wait()
        end = time.monotonic() + LONG
        while found[n] == 0 and len(set(seen[n])) < 2 and (not seen[n] or time.monotonic() < end):
            found[n] = _call(library, base, calls[n])
            seen[n] = [*seen[n][:1], memory[places[n]]]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(calls))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for n, place in enumerate(places):
        if found[n] == 0:  # of two different results one is wrong: the one not given by a call alone is left
            found[n] = _call(library, base, calls[n])
            memory[place] = next((x for x in seen[n] if x != memory[place]), memory[place])
    return found


def _call(library: ctypes.CDLL, base: int, call: Any) -> int:
    function, start, end, numbers, count, period = call[:6]
    begin = (ctypes.c_void_p * max(1, len(start)))(*(base + at for at in start))
    results = (ctypes.c_void_p * max(1, len(end)))(*(base + at for at in end))
    counts = (ctypes.c_int64 * max(1, len(numbers)))(*numbers)
    return int(library[function](ctypes.c_int64(count), ctypes.c_int64(period), begin, results, counts))


if __name__ == "__main__":
    main()
