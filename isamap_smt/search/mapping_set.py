"""Result of a search: every legal mapping, the refutations of the others, and whether nothing was left undecided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.proof import ProvedMapping, phrase
from isamap_smt.mapping.layout import supply
from isamap_smt.proof.family import Family
from isamap_smt.proof.family_witnesses import Witness
from isamap_smt.proof.rejection import Rejection
from isamap_smt.search.conflicts import Conflict, SmallKernel, conflicts_of, reasons_of


@dataclass(frozen=True)
class MappingSet(Shown):
    """The outcome of a search over one family.

    legal: every legal mapping found, in a fixed order. refuted, redundant (skipped duplicates: the same mapping as
    another with a loop outside) and unknown add up with them to `candidates` when complete. small: the kernel at small
    sizes, for messages about the others. interrupted: Ctrl-C ended the search early. late: the seconds after which it
    ran out of time, None if it did not.
    """

    family: Family
    legal: tuple[ProvedMapping, ...]
    refuted: int
    redundant: int
    unknown: tuple[tuple[Mapping, Rejection], ...]
    candidates: int
    complete: bool
    seconds: float
    witnesses: tuple[Witness, ...]
    small: tuple[SmallKernel, ...] = field(default=(), repr=False, compare=False)
    interrupted: bool = False
    late: float | None = None

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The smallest parts that refute a mapping. Computed on demand: a plan needs none of them."""
        return conflicts_of(self.family, self.legal, self.small) if self.small and not self.cut_short else ()

    @cached_property
    def reasons(self) -> tuple[tuple[str, str], ...]:
        """When nothing is legal, why each instruction axis gets none."""
        return () if self.legal or self.cut_short else reasons_of(self.family, self.conflicts, self.witnesses)

    @property
    def cut_short(self) -> bool:
        """Whether the search ended before everything was judged. If so, no reasons for the rest are worked out."""
        return self.interrupted or self.late is not None

    def finished(self) -> MappingSet:
        """This set, for callers that need all of it. Raises KeyboardInterrupt if the search was interrupted."""
        if self.interrupted:
            raise KeyboardInterrupt
        return self

    def __iter__(self) -> Iterator[ProvedMapping]:
        return iter(self.legal)

    def __len__(self) -> int:
        return len(self.legal)

    def __getitem__(self, key: Any) -> ProvedMapping:
        """By position, or by the mapping's id."""
        if isinstance(key, str):
            for p in self.legal:
                if p.mapping.id == key:
                    return p
            raise KeyError(key)
        return self.legal[key]

    def __str__(self) -> str:
        f = self.family
        done = "complete" if self.complete else "NOT complete"
        done += "" if self.late is None else f": {self.late:g} s were over"
        lines = [
            f"{f.kernel.name} onto {f.instruction.name}: {len(self.legal)} legal of {self.candidates} candidates of the "
            f"mapping family {f.told} ({self.refuted} refuted, {self.redundant} duplicates skipped, {len(self.unknown)} unknown; "
            f"{done})"
        ]
        lines += [f"  {p.mapping.id}" for p in self.legal]
        lines += [f"  {t}: {why}" for t, why in self.reasons]
        return "\n".join(lines)

    def tables(self) -> tuple[Table, ...]:
        """The legal mappings with their operands' layout in memory, and the smallest parts that forbid the others."""
        rows = tuple((p.mapping.id, *(supply(p.mapping, o).kind for o, _ in p.mapping.binding)) for p in self.legal)
        found = []
        if rows:
            operands = tuple(o for o, _ in self.legal[0].mapping.binding)
            title = "Legal mappings, and how each operand's elements lie in memory"
            found.append(Table(title, ("mapping", *operands), rows))
        if self.conflicts:
            parts = tuple((str(c.part), phrase(c.claim), c.witness) for c in self.conflicts)
            found.append(Table("What forbids the others", ("part", "claim", "counterexample"), parts))
        return tuple(found)
