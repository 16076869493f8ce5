"""Other ways to compute a kernel, from its user: each is proved to be equal, and the cheapest one is planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Mapping as Dict
from dataclasses import replace
from typing import TYPE_CHECKING

from isamap_smt.equality import Equality, equal
from isamap_smt.equality.arguments import together
from isamap_smt.ir.errors import DTypeError, NotProvedError, ScheduleError, UndecidedError, UnknownNameError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.notes import GivenUp, Rewritten
from isamap_smt.language.library import found_kernel
from isamap_smt.pipeline.predicted import predicted

if TYPE_CHECKING:
    from isamap_smt.pipeline.plan import Plan


def cheapest(
    kernel: Kernel, others: Iterable[Kernel | str], sizes: Dict[str, int], planned: Callable[[Kernel], Plan]
) -> Plan:
    """The plan of the kernel, or of the one of the others that is predicted to cost less.

    planned: the plan of a kernel at these sizes. Raises UnknownNameError for a name of no kernel, ArgumentError for other
    arguments, ScheduleError where one computes something else or takes fewer sizes, NotProvedError where that is not decided.
    """
    if isinstance(others, str | Kernel):
        raise UnknownNameError("rewrites: pass a list of kernels, such as [kernel] or ['gemm']")
    whole = kernel.with_sizes(sizes)
    ways = [(other, *_equal(whole, other)) for other in map(_found, others)]
    best = planned(kernel)
    least = written = _cost(best)
    notes = []
    for other, same, found in ways:
        try:
            made = planned(same)
        except UndecidedError:
            raise
        except (ScheduleError, NotProvedError, DTypeError) as error:
            notes.append(GivenUp.idea(f"{other.name} in place of {kernel.name}", str(error).splitlines()[0]))
            continue
        cost = _cost(made)
        if cost < least and bool(made.program.schedules) >= bool(best.program.schedules):
            told = _Told(
                found,
                f"{other.name} in place of {kernel.name}: {cost:,.0f} cycles predicted, {written:,.0f} as written",
            )
            best, least = replace(made, notes=(Rewritten(told), *made.notes)), cost
    return replace(best, notes=(*best.notes, *notes)) if notes else best


class _Told:
    """A rewrite and its proof, in words."""

    def __init__(self, found: Equality, words: str) -> None:
        self.found, self.words = found, words

    def __str__(self) -> str:
        return f"{self.words}; {self.found}"


def _found(other: Kernel | str) -> Kernel:
    if isinstance(other, str | Kernel):
        return found_kernel(other)
    raise UnknownNameError(f"rewrites: {type(other).__name__} is no kernel; pass kernels, or names such as 'gemm'")


def _equal(kernel: Kernel, other: Kernel) -> tuple[Kernel, Equality]:
    """The other kernel at the sizes of this one, and the proof that both are equal."""
    both = together(kernel, other)
    if set(both.first.free_sizes) != set(kernel.free_sizes):
        raise ScheduleError(
            f"{other.name} computes {kernel.name} where {', '.join(both.agree)} alone: fix these sizes, or write it for all"
        )
    if kernel.results != other.results:
        raise ScheduleError(
            f"{other.name} writes {', '.join(other.results)} and {kernel.name} {', '.join(kernel.results)}: "
            "a call gives them in this order, so write them in the same one"
        )
    found = equal(kernel, other, "bits" if any(s.ordered for s in kernel.statements) else "reals")
    if found.difference is not None:
        raise ScheduleError(f"{other.name} does not compute {kernel.name}: {found.difference}")
    if not found.is_proved:
        raise NotProvedError(str(found))
    own = {m: n for m, n in both.names.items() if m in both.second.free_sizes}
    taken = set(both.second.free_sizes)
    names = {m: n if n not in taken else f"{n}_2" for m, n in own.items()}
    same = replace(both.second, order=kernel.inputs)  # a call's arguments
    return same.with_extents({m: sym(n) for m, n in names.items()}), found


def _cost(made: Plan) -> float:
    return predicted(made.program, dict(made.asked.sizes) if made.asked else {})


__all__ = ["cheapest"]
