"""What a rewrite says of its statements is not believed: each role that is missing, said twice, or said of another is refuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import permutations
from typing import get_args

import pytest

import isamap_smt as im
from isamap_smt.certificates.subject import kernel_document, split_from
from isamap_smt.ir.rewrite import Rewrite
from isamap_smt.ir.rows import Bounded, Digits, Joined, Moved, Multiplied, Numbered, Row, Staged, Sums
from isamap_smt.mapping.rows import made, remade
from isamap_smt.proof.rewrite_claims import ASKED
from isamap_smt.proof.split import prove_split

BYTES = {"X": "i8", "W": "i8", "T": "i32"}
ZERO = {"A": "u8", "B": "i8", "a": "u8", "b": "i8", "C": "i32"}
ROWS: dict[str, tuple[Row, im.Kernel]] = {
    "sums": (Sums(0, "k", 4), im.kernel("C[i,j] += A[i,k] * B[j,k]", sizes={"k": 21})),
    "masked": (Sums(0, "k", 4, masked=True), im.kernel("S[i] += A[i,k]", sizes={"k": 21})),
    "digits": (Digits(0, "j", 4), im.kernel("C[i,j] += A[i,k] * B[j,k]")),
    "bounded": (Bounded(0, "j"), im.kernel("X: [I,J]\nY[i,j] = X[i,j-1] + X[i,j+1] where 1 <= j and j <= J - 2")),
    "joined": (Joined(0, "p", other="q"), im.kernel("X: [N,C,7,7]\nY[n,c] += X[n,c,p,q]")),
    "moved": (Moved(0, "X", 128), im.kernel("T[i,j] += i32(X[i,k]) * i32(W[k,j])", dtypes=BYTES)),
    "multiplied": (
        Multiplied(0, "k"),
        im.kernel("C[i,j] += (i32(A[i,k]) - i32(a[])) * (i32(B[k,j]) - i32(b[]))", dtypes=ZERO),
    ),
    "staged": (Staged(0), im.kernel("S[i] += exp(A[i,j] - B[j]) where j <= i")),
    "a part": (Staged(0, parts=3), im.kernel("Y[i,j] = exp(A[i,j] - B[i] * B[i]) * A[i,j]")),
    "all of it": (Staged(0, parts=1), im.kernel("S[i] += A[i,j] * B[j]")),
    "numbered": (Numbered((0, 1)), im.kernel("Y[i,j] = select(i < j, X[i,j], 0)\nZ[i,j] = Y[i,j] / j")),
}


def rewrite(name: str) -> Rewrite:
    row, kernel = ROWS[name]
    return made(row, kernel)


def test_claims_are_asked_of_every_row() -> None:
    assert set(ASKED) == set(get_args(Row)) == {type(row) for row, _ in ROWS.values()}


@pytest.mark.parametrize("name", ROWS)
def test_it_is_made_again(name: str) -> None:
    one = rewrite(name)
    assert (one.row == ROWS[name][0], prove_split(one).word) == (True, "proved")
    assert remade(one, one.whole) == one == split_from(kernel_document(one.kernel, None, one))


def without_one(one: Rewrite) -> Iterator[Rewrite]:
    for n in range(len(one.roles)):
        yield replace(one, roles=(*one.roles[:n], *one.roles[n + 1 :]))


def one_twice(one: Rewrite) -> Iterator[Rewrite]:
    for role in one.roles:
        yield replace(one, roles=(*one.roles, role))
        yield replace(one, roles=(*one.roles, replace(role, statement=len(one.kernel.statements))))


def two_exchanged(one: Rewrite) -> Iterator[Rewrite]:
    for m, n in permutations(range(len(one.roles)), 2):
        roles = list(one.roles)
        roles[m] = replace(roles[m], statement=one.roles[n].statement)
        roles[n] = replace(roles[n], statement=one.roles[m].statement)
        if roles[m] != one.roles[n]:  # else both are the same in another order
            yield replace(one, roles=tuple(roles))


def one_moved(one: Rewrite) -> Iterator[Rewrite]:
    for n, role in enumerate(one.roles):
        for number in (-1, role.statement + 1, len(one.kernel.statements)):
            yield replace(one, roles=(*one.roles[:n], replace(role, statement=number), *one.roles[n + 1 :]))


def statements_twice(one: Rewrite) -> Iterator[Rewrite]:
    """A statement with a role is computed again behind the kernel, and has that role again."""
    for role in one.roles:
        every = (*one.kernel.statements, one.kernel.statements[role.statement])
        again = replace(role, statement=len(every) - 1)
        yield replace(one, kernel=replace(one.kernel, statements=every), roles=(*one.roles, again))


def behind_another(one: Rewrite) -> Iterator[Rewrite]:
    """What was made first leads to another kernel."""
    yield replace(one, before=rewrite("sums" if isinstance(one.row, Digits) else "digits"))


def of_another_row(one: Rewrite) -> Iterator[Rewrite]:
    """What is claimed under another name, whose claims do not fit."""
    for row, _ in ROWS.values():
        in_place = (Digits, Bounded, Joined)
        if type(row) is not type(one.row) and not (isinstance(row, in_place) and isinstance(one.row, in_place)):
            yield replace(one, row=row)


@pytest.mark.parametrize(
    "wrong",
    [without_one, one_twice, two_exchanged, one_moved, statements_twice, behind_another, of_another_row],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("name", ROWS)
def test_roles_that_are_not_so_are_refuted(name: str, wrong: Callable[[Rewrite], Iterator[Rewrite]]) -> None:
    for changed in wrong(rewrite(name)):
        assert prove_split(changed).word == "refuted", changed.roles


def test_a_statement_of_the_whole_is_restated_once() -> None:
    """The second statement adds; restated twice it would add twice."""
    kernel = im.kernel("Y[i,j] = select(i < j, X[i,j], 0)\nS[i] += Y[i,j]")
    one = made(Numbered((0,)), kernel)
    last = one.kernel.statements[-1]
    twice = replace(one.kernel, statements=(*one.kernel.statements, last))
    again = replace(one.roles[-1], statement=len(twice.statements) - 1, of=1)
    assert prove_split(one).proved
    assert not prove_split(replace(one, kernel=twice, roles=(*one.roles, again))).proved
    assert not prove_split(replace(one, kernel=twice)).proved
