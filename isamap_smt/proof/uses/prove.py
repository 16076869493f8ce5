"""All claims about a program whose uses are issued by engines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import AssumedError, IsamapError, LanguageError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Program
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.configured import configuration_claims
from isamap_smt.proof.uses.data import data_claims
from isamap_smt.proof.uses.moments import Moments
from isamap_smt.proof.uses.order import order_claims
from isamap_smt.proof.uses.shape import recognised

if TYPE_CHECKING:
    from isamap_smt.simulator import Simulation

FEW = 9  # of each size, with which a loop over tiles goes on


def goes_wrong(program: Program, sizes: dict[str, int]) -> bool:
    """Whether the simulator finds a race, a use beyond its memory or a deadlock. Values play no part in these."""
    try:
        return not _simulated(program, sizes).sound
    except AssumedError:
        return False  # no call has these sizes
    except IsamapError:
        return True  # it is no program at these sizes


def goes_wrong_somewhere(program: Program) -> Refuted | None:
    """Small sizes at which the simulator finds a race, a use beyond its memory or a deadlock; None where it finds none."""
    for sizes in _small(program):
        try:
            found = _simulated(program, sizes)
        except IsamapError:
            continue  # these sizes do not go together
        if not found.sound:
            at = " ".join(f"{n}={v}" for n, v in sizes.items())
            return Refuted(
                sizes,
                (found.deadlock or (found.races[0].text if found.races else found.misconfigured[0]))
                + (f", at {at}" if at else ""),
            )
    return None


def _simulated(program: Program, sizes: dict[str, int]) -> Simulation:
    """A run on zeros. Proofs that hold need none."""
    from isamap_smt.simulator import simulate

    return simulate(program, _zeros(program, sizes), sizes, seed=0)


def _small(program: Program) -> Iterator[dict[str, int]]:
    """One point of each axis, and a few of each."""
    kernel = program.kernel
    least = {**dict.fromkeys(kernel.free_sizes, 1), **{p.name: max(1, p.low) for p in kernel.parameters}}
    for n in () if program.parameters else (1, FEW):
        yield {name: max(low, n) for name, low in sorted(least.items())}


def makes_no_sense(program: Program) -> Refuted | None:
    """Small sizes at which the simulator comes upon a name that nothing defines, or the like; None where it finds none."""
    for sizes in _small(program):
        try:
            _simulated(program, sizes)
        except LanguageError as error:
            return Refuted(sizes, str(error))
        except IsamapError:
            continue  # these sizes do not go together
    return None


def _zeros(program: Program, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    inputs = {n: program.kernel.tensor(n) for n in program.kernel.inputs}
    return {n: np.zeros([evaluate(e, sizes) for e in t.shape], t.dtype.numpy) for n, t in inputs.items()}


def use_claims(book: UseBook, machine: Hardware) -> None:
    """What the program is made of (`shape`), what cells hold (`data`), in which order they are used (`order`), what states hold
    (`configured`)."""
    if recognised(book, machine):
        moments = Moments(book.sites, machine)
        order_claims(book, moments)
        data_claims(book, moments)
        configuration_claims(book, moments)
