"""The task of a search: a kernel at known sizes, a machine described, and the options deciding which schedules fit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from isamap_smt import codegen
from isamap_smt.ir.described import key_text
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language import to_text
from isamap_smt.runtime.cache import digest_of, sources_digest
from isamap_smt.scheduling.arguments import Pin


@dataclass(frozen=True)
class Task:
    """A search's task.

    sizes: all those left free by the kernel. pins: decisions taken. instruction: the only one to use, or None.
    """

    kernel: Kernel
    hardware: Hardware
    sizes: tuple[tuple[str, int], ...]
    constant: tuple[str, ...] = ()
    threads: int = 1
    pins: tuple[Pin, ...] = ()
    instruction: str | None = None

    @cached_property
    def digest(self) -> str:
        """Hexadecimal digits, the key of stored measurements. They depend on the code that makes C of schedules, too."""
        pins = tuple((p.name, p.value) for p in self.pins)
        options = (self.sizes, self.constant, self.threads, pins, self.instruction)
        parts = (to_text(self.kernel), repr(self.kernel.ranges), key_text(self.hardware), repr(options), _generator())
        return digest_of(parts)

    def __str__(self) -> str:
        sizes = ", ".join(f"{n}={v}" for n, v in self.sizes)
        extra = [f"{', '.join(self.constant)} constant"] * bool(self.constant)
        extra += [f"{self.threads} threads"] * (self.threads > 1)
        extra += map(str, self.pins)
        return "; ".join([f"{self.kernel.name} with {sizes} on {self.hardware.name}", *extra])


@cache
def _generator() -> str:
    """Digest of the sources of the C generator: another generator makes other programs of a schedule."""
    return sources_digest(*codegen.__path__)
