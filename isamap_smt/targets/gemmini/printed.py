"""A proved program of Gemmini's engines as C that issues its instructions, in the order of its text.

The text is a legal execution of the program: that each await is met by signals before it is one of its claims. Gemmini's
controllers run ahead of each other and wait where they touch the same rows, so the C has no counters. Main memory they do not
watch, nor does the core: the program has a barrier between what the core does and the first phase, between any two, and behind the
last. Each of them is a fence.
"""

from __future__ import annotations

from isamap_smt.ir.program import Issued
from isamap_smt.targets.engines_text import EnginesText
from isamap_smt.targets.gemmini.sources import HEADER


class GemminiText(EnginesText):
    """gemmini_program(arrays, numbers): the kernel's tensors in their order, its free sizes in theirs; 0 when it is done."""

    header, entry = HEADER, "int64_t gemmini_program"
    before, between = ("gemmini_fence();", "gemmini_begin();"), "gemmini_fence();"
    after = ("gemmini_fence();", "return 0;")

    def use(self, node: Issued) -> None:
        """Its instruction; signals have none."""
        if node.instruction.emit:
            self._put(node.instruction.statement(self._words(node)))
