"""Two kernels of the same arguments: proved equal for all sizes, refuted by an input, or neither."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict, worst
from isamap_smt.equality.arguments import Together, together
from isamap_smt.equality.cancelled import MOST_PAIRS, Canceller
from isamap_smt.equality.domains import Known, between, simple
from isamap_smt.equality.refuted import LONG, QUICK, Difference, difference
from isamap_smt.equality.sums import Sum, add, fresh_axis, negated
from isamap_smt.equality.unfolded import NotUnfoldedError, Unfolded
from isamap_smt.equality.words import sum_words
from isamap_smt.ir.arguments import time_limit
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import ArgumentError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.kinds import KERNEL, require_kind
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.time_limit import limited

ARITHMETICS = ("reals", "bits")


@dataclass(frozen=True)
class Equality:
    """The answer for two kernels. arithmetic: `reals` or `bits`. claims: one for each result.

    difference: a refuting input, if one is known. where: relations by the shapes between sizes of different names in
    the two kernels, such as `K = 4*S`.
    """

    first: Kernel
    second: Kernel
    arithmetic: str
    claims: tuple[ClaimResult, ...]
    difference: Difference | None = None
    where: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def verdict(self) -> Verdict:
        """Proved if every claim is, Refuted if one is, else Unknown."""
        word = worst([c.verdict for c in self.claims])
        return next(c.verdict for c in self.claims if c.verdict.word == word)

    @property
    def is_proved(self) -> bool:
        """Whether the kernels are proved to be equal."""
        return isinstance(self.verdict, Proved)

    def __str__(self) -> str:
        a, b = self.first.name, self.second.name
        match self.verdict:
            case Proved():
                return f"{a} and {b} are equal for all sizes{self._where}, {meant(self.first, self.arithmetic)}"
            case Refuted():
                return f"{a} and {b} differ: {self.difference}"
        return (
            f"{a} and {b}: not decided, {next(c.verdict for c in self.claims if isinstance(c.verdict, Unknown)).reason}"
        )

    @property
    def _where(self) -> str:
        return f" with {', '.join(self.where)}" if self.where else ""


def meant(kernel: Kernel, arithmetic: str) -> str:
    """The arithmetic of a comparison of two kernels of these types, in words."""
    floating = any(t.dtype.is_float for t in kernel.tensors)
    if not floating:
        return "bit for bit"
    return "over the real numbers" if arithmetic == "reals" else "bit for bit"


def equal(
    first: Kernel,
    second: Kernel,
    arithmetic: str = "reals",
    sizes: Mapping[str, int] | None = None,
    timeout: float | None = None,
) -> Equality:
    """Whether both kernels give the same results for all sizes and all inputs.

    arithmetic: `reals` takes floating point for real numbers, so sums may be regrouped and products distributed; `bits`
    takes each operation by its type, with sums in their written order. Integers wrap by their types in both. Results
    are compared without `out`, wherever every value is a number. sizes: fixes sizes of both. Raises ArgumentError if
    the arguments differ, SizeError, TimeLimitError at 2.5 times `timeout` seconds.
    """
    for k in (first, second):
        require_kind("equal", k, Kernel, KERNEL)
    if arithmetic not in ARITHMETICS:
        raise ArgumentError(f"arithmetic={arithmetic!r}: pass {' or '.join(map(repr, ARITHMETICS))}")
    started = time.perf_counter()
    with limited(time_limit(timeout, ArgumentError), f"{first.name} and {second.name}"):
        if sizes:
            first, second = first.with_sizes(sizes), second.with_sizes(sizes)
        both = together(first, second)
        reals = arithmetic == "reals"
        found = difference(both, reals, QUICK)
        claims = () if found else tuple(_claim(both, n, reals) for n in both.first.results)
        if found is None and any(isinstance(c.verdict, Unknown) for c in claims):
            found = difference(both, reals, LONG)
        if found is not None:
            claims = _refuted(both, claims, found)
    return Equality(first, second, arithmetic, claims, found, both.agree, time.perf_counter() - started)


def _refuted(both: Together, claims: tuple[ClaimResult, ...], found: Difference) -> tuple[ClaimResult, ...]:
    """The claims, with the one refuted by the difference."""
    out = []
    for n in both.first.results:
        known = next((c for c in claims if c.subject == n), None)
        verdict: Verdict = Refuted(dict(found.sizes), str(found)) if n == found.result else Unknown("not asked")
        out.append(replace(known, verdict=verdict) if known and n == found.result else known or _result(n, verdict))
    return tuple(out)


def _result(name: str, verdict: Verdict) -> ClaimResult:
    return ClaimResult("equal", name, verdict, f"each element of {name} is the same in both")


def _claim(both: Together, name: str, reals: bool) -> ClaimResult:
    """Both sides of one result at an arbitrary element: their difference is 0."""
    started = time.perf_counter()
    tensor = both.first.tensor(name)
    index = tuple(fresh_axis("at") for _ in tensor.shape)
    known = Known(both.facts)
    known = known.also(r for p, e in zip(index, tensor.shape, strict=True) for r in between(p, simple(e, known)))
    kind = "" if tensor.dtype.is_float else tensor.dtype.name
    canceller = Canceller(_MODULI)
    try:
        sides = [Unfolded(k, reals).at(name, index, len(k.statements), known) for k in (both.first, both.second)]
        left = canceller.left(add(sides[0], negated(sides[1])), known, kind)
    except NotUnfoldedError as e:
        return _result(name, Unknown(str(e), time.perf_counter() - started))
    seconds = time.perf_counter() - started
    if not left:
        return _result(name, Proved(seconds))
    shown = {p.name: n for p, n in zip(index, _names(both, name), strict=True)} | both.names
    return _result(name, Unknown(_open(left, shown, canceller), seconds))


def _open(left: Sum, names: dict[str, str], canceller: Canceller) -> str:
    if canceller.pairs > MOST_PAIRS:
        return f"more than {MOST_PAIRS} pairs of terms"
    return f"nothing was found that cancels {sum_words(left[:1], names)}"


def _names(both: Together, result: str) -> list[str]:
    """Names for the coordinates of a result's element: those of the first kernel's statement."""
    s = next(s for s in reversed(both.first.statements) if s.target.tensor == result)
    return [str(i).rstrip("'") if getattr(i, "is_Symbol", False) else f"at{n}" for n, i in enumerate(s.target.index)]


_MODULI: dict[str, int] = {n: d.bits for n, d in DTYPES.items() if not d.is_float and n != "bool"}

__all__ = ["ARITHMETICS", "Difference", "Equality", "equal", "meant"]
