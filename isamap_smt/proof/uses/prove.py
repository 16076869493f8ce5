"""All claims about a program whose uses are issued by engines."""

from __future__ import annotations

import numpy as np

from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Alloc, Loop, Program, Use, walk
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.data import data_claims
from isamap_smt.proof.uses.moments import Moments
from isamap_smt.proof.uses.order import order_claims
from isamap_smt.simulator import simulate


def goes_wrong(program: Program, sizes: dict[str, int]) -> bool:
    """Whether the simulator finds a race, a use beyond its memory or a deadlock. Values play no part in these."""
    kernel = program.kernel
    inputs = {n: kernel.tensor(n) for n in kernel.inputs}
    arrays = {n: np.zeros([evaluate(e, sizes) for e in t.shape], t.dtype.numpy) for n, t in inputs.items()}
    try:
        return not simulate(program, arrays, sizes, seed=0).sound
    except IsamapError:
        return True  # it is no program at these sizes


def use_claims(book: UseBook, machine: Hardware) -> None:
    """What cells hold (`data`), and in which order they are used (`order`)."""
    if _recognised(book, machine):
        moments = Moments(book.sites, machine)
        order_claims(book, moments)
        data_claims(book, moments)


def _recognised(book: UseBook, machine: Hardware) -> bool:
    """Whether the program is made of buffers, plain loops and uses that the machine's engines issue."""
    program, engines = book.sites.program, {e.name for e in machine.engines}
    odd = [type(n).__name__ for n, around in walk(program.body) if not _fits(n, around, engines)]
    odd += ["what is done ahead of the calls"] * bool(program.ahead)
    words = "the program is made of buffers, loops, and uses that engines issue"
    if odd:
        book.unknown("program", program.kernel.name, words, f"no claim covers {odd[0]}")
    return not odd


def _fits(node: object, around: tuple[object, ...], engines: set[str]) -> bool:
    match node:
        case Alloc():
            return not around
        case Loop():
            return node.plain
        case Use():
            return node.instruction.engine in engines
    return False
