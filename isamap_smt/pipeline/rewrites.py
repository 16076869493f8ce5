"""Other ways to compute a kernel, from its user: each is proved to be equal before it stands in the queue of candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from isamap_smt.equality import Equality, equal
from isamap_smt.equality.arguments import together
from isamap_smt.ir.errors import NotProvedError, ScheduleError, UnknownNameError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.library import found_kernel
from isamap_smt.pipeline.contraction_order import reordered
from isamap_smt.pipeline.question import Other

Opened = Callable[[Kernel], tuple[Kernel, dict[str, int]]]


def others(kernel: Kernel, given: Iterable[Kernel | str], opened: Opened) -> tuple[Other, ...]:
    """The given kernels, each proved to be equal to this one.

    opened: takes sizes out of a kernel again, as out of the one asked about, and returns both. Raises UnknownNameError
    for a name of no kernel, ArgumentError for other arguments, ScheduleError if one computes another thing or takes fewer sizes,
    NotProvedError if equality stays undecided.
    """
    if isinstance(given, str | Kernel):
        raise UnknownNameError("rewrites: pass a list of kernels, such as [kernel] or ['gemm']")
    found = []
    for other in map(_found, given):
        same, proof = _equal(kernel, other)
        taken, sizes = opened(same)
        found.append(Other(taken, tuple(sorted(sizes.items())), f"{other.name} in place of {kernel.name}", proof))
    return tuple(found)


def in_another_order(kernel: Kernel, opened: Opened) -> tuple[Other, ...]:
    """The kernel with a product's factors in the order of fewest multiplications, if these are fewer and it is proved equal."""
    other = reordered(kernel)
    if other is None:
        return ()
    proof = equal(kernel, other)
    if not proof.is_proved:
        return ()
    taken, sizes = opened(other)
    return (Other(taken, tuple(sorted(sizes.items())), f"{kernel.name}, with factors in another order", proof),)


def _found(other: Kernel | str) -> Kernel:
    if isinstance(other, str | Kernel):
        return found_kernel(other)
    raise UnknownNameError(f"rewrites: {type(other).__name__} is no kernel; pass kernels, or names such as 'gemm'")


def _equal(kernel: Kernel, other: Kernel) -> tuple[Kernel, Equality]:
    """The other kernel at the sizes of this one, and the proof of their equality."""
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


__all__ = ["in_another_order", "others"]
