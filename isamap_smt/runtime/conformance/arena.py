"""Memory shared between a check and the process running the instruction: operands, results, and pages not to be touched."""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

PAGE = mmap.PAGESIZE
CANARY = 0xA5
NOTHING, READ, BOTH = 0, mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE


@dataclass
class Arena:
    """Laid out first; then written to a file and mapped by another process; then read. Places are offsets into the file."""

    end: int = 0
    parts: list[tuple[int, np.ndarray]] = field(default_factory=list)
    protections: list[tuple[int, int, int]] = field(default_factory=list)
    held: np.ndarray | None = None
    begun: np.ndarray | None = None

    def pages(self, count: int, access: int = BOTH) -> int:
        """Reserve so many pages with this access; if they are accessible, each byte is CANARY. Returns their place."""
        at, self.end = self.end, self.end + count * PAGE
        if access != BOTH:
            self.protections.append((at, count * PAGE, access))
        if access != NOTHING:
            self.parts.append((at, np.full(count * PAGE, CANARY, np.uint8)))
        return at

    def array(self, values: np.ndarray) -> int:
        """A copy of the values, from a new page on."""
        data = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        at = self.end
        self.end += -(-max(data.size, 1) // PAGE) * PAGE
        self.put(at, data)
        return at

    def room(self, count: int) -> int:
        """Reserve so many bytes, all 0. Returns their place."""
        at = self.end
        self.end += -(-max(count, 1) // PAGE) * PAGE
        return at

    def put(self, at: int, values: np.ndarray) -> None:
        """Give this place its initial contents."""
        self.parts.append((at, np.ascontiguousarray(values).reshape(-1).view(np.uint8).copy()))

    def write(self, path: Path) -> None:
        """The file, as it is in the beginning."""
        with open(path, "w+b") as file:
            file.truncate(max(self.end, PAGE))
        whole = np.memmap(path, np.uint8, "r+")
        for at, data in self.parts:
            whole[at : at + data.size] = data
        whole.flush()
        self.held, self.begun = whole, np.array(whole)

    def read(self, at: int, count: int) -> np.ndarray:
        """Bytes as they are now."""
        assert self.held is not None, "write() comes first"
        return np.asarray(self.held[at : at + count])

    def before(self, at: int, count: int) -> np.ndarray:
        """Bytes as they were in the beginning."""
        assert self.begun is not None, "write() comes first"
        return self.begun[at : at + count].copy()
