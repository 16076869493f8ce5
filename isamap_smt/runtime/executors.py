"""Executors that a caller hands in: one of `concurrent.futures`, left open, or a function that makes one, closed by us."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor

from isamap_smt.ir.errors import IsamapError

Executors = Executor | Callable[[], Executor]


class Handed:
    """The executor in use. It is made when it is first needed, and anew once it was closed, unless it is the caller's own."""

    def __init__(self, given: Executors, error: type[IsamapError]) -> None:
        """Raises `error` for anything else than an executor or a function, here or once the function has been called."""
        if not callable(given) and not isinstance(given, Executor):
            raise error(f"executor={given!r}: pass a concurrent.futures executor, or a function that makes one")
        self._given, self._error = given, error
        self._open: Executor | None = None

    @property
    def executor(self) -> Executor:
        """The one that is open."""
        if self._open is None:
            self._open = self._checked(self._given if isinstance(self._given, Executor) else self._given())
        return self._open

    def _checked(self, made: Executor) -> Executor:
        if not isinstance(made, Executor):
            raise self._error(f"executor: the function made {made!r}, which is none")
        if isinstance(made, ThreadPoolExecutor) and made._max_workers > 1:
            raise self._error("executor: pass one of processes; solvers do not run in several threads of one process")
        return made

    def close(self) -> None:
        """Let it go, without waiting for its current job."""
        if self._open is not None and not isinstance(self._given, Executor):
            self._open.shutdown(wait=False)
        self._open = None


__all__ = ["Executors", "Handed"]
