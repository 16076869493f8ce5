"""All claims about a program whose uses are issued by engines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import IsamapError, LanguageError
from isamap_smt.ir.expr import evaluate, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Alloc, Loop, Program, Use, walk
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.configured import configuration_claims
from isamap_smt.proof.uses.data import data_claims
from isamap_smt.proof.uses.moments import Moments
from isamap_smt.proof.uses.order import order_claims
from isamap_smt.simulator import simulate

FEW = 9  # of each size, with which a loop over tiles goes on


def goes_wrong(program: Program, sizes: dict[str, int]) -> bool:
    """Whether the simulator finds a race, a use beyond its memory or a deadlock. Values play no part in these."""
    try:
        return not simulate(program, _zeros(program, sizes), sizes, seed=0).sound
    except IsamapError:
        return True  # it is no program at these sizes


def goes_wrong_somewhere(program: Program) -> Refuted | None:
    """Small sizes at which the simulator finds a race, a use beyond its memory or a deadlock; None where it finds none."""
    for sizes in _small(program):
        try:
            found = simulate(program, _zeros(program, sizes), sizes, seed=0)
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
            simulate(program, _zeros(program, sizes), sizes, seed=0)
        except LanguageError as error:
            return Refuted(sizes, str(error))
        except IsamapError:
            continue  # these sizes do not go together
    return None


def _zeros(program: Program, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    inputs = {n: program.kernel.tensor(n) for n in program.kernel.inputs}
    return {n: np.zeros([evaluate(e, sizes) for e in t.shape], t.dtype.numpy) for n, t in inputs.items()}


def use_claims(book: UseBook, machine: Hardware) -> None:
    """What cells hold (`data`), in which order they are used (`order`), and what states hold (`configured`)."""
    if _recognised(book, machine):
        moments = Moments(book.sites, machine)
        order_claims(book, moments)
        data_claims(book, moments)
        configuration_claims(book, moments)


def _recognised(book: UseBook, machine: Hardware) -> bool:
    """Whether the program is made of buffers, plain loops and uses that the machine's engines issue."""
    program, engines = book.sites.program, {e.name for e in machine.engines}
    odd = [type(n).__name__ for n, around in walk(program.body) if not _fits(n, around, engines)]
    counted = ((n, around) for n, around in walk(program.body) if isinstance(n, Loop))
    odd += [f"a loop of {n.count} iterations" for n, around in counted if _varies(n, around)]
    odd += ["what is done ahead of the calls"] * bool(program.ahead)
    words = "the program is made of buffers, loops, and uses that engines issue"
    if odd:
        book.unknown("program", program.kernel.name, words, f"no claim covers {odd[0]}")
    return not odd


def _varies(node: Loop, around: tuple[object, ...]) -> bool:
    """Whether a loop has other counts in other iterations of those around it: its number is then no product and a sum."""
    names = {e.name for x in around if isinstance(x, Loop) for e in (x.var, x.number, x.base) if e is not None}
    return bool(names & symbols_of([node.count]))


def _fits(node: object, around: tuple[object, ...], engines: set[str]) -> bool:
    match node:
        case Alloc():
            return not around
        case Loop():
            return node.plain
        case Use():
            return node.instruction.engine in engines
    return False
