"""An executor of fresh processes, none of which outlives it: not Ctrl-C, not a kill.

Each worker hangs on one pipe of its own and leads a process group, so a compiler started by it goes with it. The
executor of the standard library lets go of its workers only when they have finished their work, and Ctrl-C reaches
them while they load. Its workers share queues and their semaphores: a worker ended while holding them leaves its siblings,
and the thread waiting for them, waiting for ever.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from isamap_smt.runtime.interrupted import interrupts_later, leave_with_parent


class Processes(Executor):
    """`count` processes, each started afresh: a solver's threads do not survive a fork. A dying worker breaks it."""

    def __init__(self, count: int) -> None:
        """Processes start when there is something to do."""
        self._threads = ThreadPoolExecutor(count)  # one waits for each worker
        self._count = count
        self._workers: dict[Connection, BaseProcess] = {}
        self._free: queue.SimpleQueue[Connection] = queue.SimpleQueue()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The result or exception of fn in a worker; BrokenExecutor if the worker dies of it."""
        try:
            with interrupts_later():
                while len(self._workers) < self._count:
                    self._start()
                return self._threads.submit(self._ask, fn, args, kwargs)
        except ConnectionError:
            raise BrokenExecutor("a worker process died while it started") from None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """No process is left, and none started by one; with wait, submitted work is finished first."""
        if wait and not cancel_futures:
            self._threads.shutdown()
        with interrupts_later():
            for process in self._workers.values():
                with suppress(ProcessLookupError, PermissionError):  # not a leader yet, or gone
                    os.killpg(_id(process), signal.SIGKILL)
                process.kill()
            for process in self._workers.values():
                process.join()
            self._threads.shutdown(cancel_futures=True)  # whoever waited for an answer has seen the end of its pipe
            for connection in self._workers:
                connection.close()
            self._workers.clear()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        mine, theirs = context.Pipe()
        process: BaseProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        self._workers[mine] = process
        self._free.put(mine)

    def _ask(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        connection = self._free.get()
        try:
            connection.send((fn, args, kwargs))
            good, result = connection.recv()
        except (EOFError, ConnectionError):
            worker = self._workers[connection]
            worker.join()
            code = worker.exitcode or 0
            how = f"by signal {-code}" if code < 0 else f"with status {code}"
            raise BrokenExecutor(f"a worker process ended {how}") from None
        finally:
            self._free.put(connection)
        if not good:
            raise result
        return result


def _id(process: BaseProcess) -> int:
    """The id of a started process."""
    assert process.pid
    return process.pid


def _serve(connection: Connection) -> None:
    """In a worker: carries out call after call, until nobody is there to ask."""
    os.setpgid(0, 0)
    threading.Thread(target=leave_with_parent, daemon=True).start()
    try:
        while True:
            fn, args, kwargs = connection.recv()
            try:
                answer = (True, fn(*args, **kwargs))
            except Exception as error:
                error.add_note(f"in a worker process:\n{traceback.format_exc()}")
                answer = (False, error)
            connection.send(answer)
    except (EOFError, ConnectionError):
        return
