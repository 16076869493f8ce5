"""Every obligation of a program is one implication: assumptions (loop ranges, conditions, guards) imply goals.

Goals are proved in order and each proved one helps the next: a coordinate of a fused axis follows from the digits only
after the digits are known to add up. A counterexample is made small by bounding the sizes, and replayed in plain
integers; one that does not replay is Unknown, not Refuted.

Formulas have a meaning in plain integers, too: a counterexample counts only when it also fails there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from typing import Any

import sympy as sp

from isamap_encodings.linear import follows, somewhere
from isamap_encodings.solve import check, is_recording, satisfiable
from isamap_encodings.terms import COMPARISONS, INTEGERS, RELATIONS, element_name
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict


def value(e: Any, env: Mapping[str, int]) -> int:
    """The integer an index expression stands for. Raises KeyError for a symbol without a value.

    >>> import sympy as sp
    >>> value(2 * sp.Symbol("i", integer=True) + 1, {"i": 3})
    7
    """
    if isinstance(e, int) or e.is_Integer:
        return int(e)
    if e.is_Symbol:
        return env[e.name]
    if type(e).__name__ == "Element":
        name, *index = e.args
        at = element_name(str(name), [value(i, env) for i in index])
        return env.get(at, env.get(element_name(str(name), ["..."]), 0))
    if (head := type(e).__name__) not in INTEGERS:
        raise TypeError(f"not an index expression: {e}")
    parts = [value(a, env) for a in e.args]
    return int(INTEGERS[head](*parts) if head == "ISelect" else reduce(INTEGERS[head], parts))


def truth(f: Any, env: Mapping[str, int]) -> bool:
    """Whether a formula (see terms.py) holds."""
    if isinstance(f, tuple):
        head, *args = f
        match head:
            case "and":
                return all(truth(a, env) for a in args)
            case "or":
                return any(truth(a, env) for a in args)
            case "not":
                return not truth(args[0], env)
            case "implies":
                return not truth(args[0], env) or truth(args[1], env)
            case "iff":
                return truth(args[0], env) == truth(args[1], env)
        return bool(COMPARISONS[head](*(value(x, env) for x in args)))
    if not hasattr(f, "args") or not f.args:
        return bool(f)
    return bool(COMPARISONS[RELATIONS[type(f).__name__]](*(value(x, env) for x in f.args)))


BOUNDS = (1, 2, 3, 5, 8, 9, 13, 17, 25, 33, 65, 129)
AT_ONCE = 300_000  # solver steps for all goals together, before they are taken one by one
TIES = 3  # an assumption further from the goal is left out at first
PROBES = (1, 2, 3, 5, 9, 17)


def implied(
    assumptions: Sequence[Any], goals: Sequence[Any], sizes: Sequence[str], name: str = "", smallest: bool = True
) -> Verdict:
    """Proved when the assumptions imply every goal, for all values of all variables.

    `sizes` are the variables to be made small in a counterexample. The witness gives every variable of the
    assumptions and of the failing goal. smallest: look for one at the smallest sizes; without, any replayed one.
    """
    started = time.perf_counter()
    known = list(assumptions)
    if not is_recording() and follows(known, ("and", *goals)):
        return Proved(time.perf_counter() - started)
    if len(goals) > 1 and not _divides_by_symbol((known, goals)):
        whole = check(_near(known, ("and", *goals), sizes), ("and", *goals), name, rlimit=AT_ONCE)
        if isinstance(whole, Proved):
            return Proved(time.perf_counter() - started)
        if isinstance(whole, Refuted) and not smallest:
            whole = _replayed(known, ("and", *goals), sizes, whole)
            if isinstance(whole, Refuted):
                return replace(whole, seconds=time.perf_counter() - started)
    for goal in goals:
        near, asked = _near(known, goal, sizes), _at_known(goal, known)
        verdict = check(near, asked, name)
        if not isinstance(verdict, Proved) and len(near) < len(known):
            verdict = check(known, asked, name)
        if isinstance(verdict, Unknown):
            verdict = _probe(known, goal, sizes, name, verdict)
        if isinstance(verdict, Refuted):
            verdict = _witness(known, goal, sizes, name, verdict, smallest)
        if not isinstance(verdict, Proved):
            return replace(verdict, seconds=time.perf_counter() - started)
        known.append(goal)
    return Proved(time.perf_counter() - started)


def _near(known: Sequence[Any], goal: Any, sizes: Sequence[str]) -> list[Any]:
    """The assumptions tied to the goal: they share a variable with it, or with a tied one, and so on.

    A size is in nearly everything and counts as no tie. All assumptions imply whatever a part of them implies.
    """
    left = [(a, _named(a) - frozenset(sizes)) for a in known]
    tied = _named(goal) - frozenset(sizes)
    for _ in range(TIES):
        tied |= frozenset().union(*(names for _, names in left if names & tied))
    return [a for a, names in left if not names or names & tied]


def _at_known(goal: Any, known: Sequence[Any]) -> Any:
    """The goal, with each dividend of a symbol replaced by an expression known to equal it.

    The digits of `p + P*n` follow in both solvers; those of `16*u + 80*v + j`, known to be the same, often in one
    only.
    """
    if not _divides_by_symbol(goal):
        return goal
    same = {sp.expand(f[1]): sp.sympify(f[2]) for f in known if isinstance(f, tuple) and len(f) == 3 and f[0] == "eq"}

    def at(f: Any) -> Any:
        if isinstance(f, tuple):
            return (f[0], *map(at, f[1:]))
        if not isinstance(f, sp.Basic):
            return f
        divisions = [e for e in sp.preorder_traversal(f) if type(e).__name__ in ("FloorDiv", "FloorMod")]
        table = {e: e.func(same[n], e.args[1]) for e in divisions if (n := sp.expand(e.args[0])) in same}
        return f.xreplace(table)

    return at(goal)


def _divides_by_symbol(formulas: Any) -> bool:
    """Whether something is divided by more than a number. Such goals are asked one by one: whether all of them together
    fit the limit depends on the solver's past, and the same formulas shall be asked each time."""
    if isinstance(formulas, sp.Basic):
        return bool(formulas.args) and _has_symbol_as_divisor(formulas)
    return isinstance(formulas, list | tuple) and any(map(_divides_by_symbol, formulas))


@lru_cache(maxsize=20_000)
def _has_symbol_as_divisor(e: Any) -> bool:
    if type(e).__name__ in ("FloorDiv", "FloorMod") and not e.args[1].is_number:
        return True
    return any(a.args and _has_symbol_as_divisor(a) for a in e.args)


def consistent(assumptions: Sequence[Any], sizes: Sequence[str], name: str = "") -> Verdict:
    """Proved when some values satisfy all assumptions: then nothing is proved from a contradiction."""
    if not is_recording() and _holds_somewhere(assumptions):
        return Proved()
    for n in PROBES if sizes else ():
        verdict = satisfiable([*assumptions, *_fixed(sizes, n)], name)
        if isinstance(verdict, Proved):
            return verdict
    return satisfiable(assumptions, name)


def _holds_somewhere(assumptions: Sequence[Any]) -> bool:
    found = somewhere(assumptions)
    if found is None:
        return False
    env = {**dict.fromkeys(_names(assumptions), 0), **found}
    try:
        return all(truth(f, env) for f in assumptions)
    except (ZeroDivisionError, TypeError, KeyError):
        return False


def _probe(known: list[Any], goal: Any, sizes: Sequence[str], name: str, verdict: Verdict) -> Verdict:
    """The solver gave up with symbolic sizes: look for a counterexample at a few fixed small sizes."""
    for n in PROBES:
        found = check([*known, *_fixed(sizes, n)], goal, f"{name}: sizes {n}")
        if isinstance(found, Refuted):
            return found
    return verdict


def _fixed(sizes: Sequence[str], n: int) -> list[Any]:
    return [("eq", sp.Symbol(s, integer=True), n) for s in sizes]


def _witness(known: list[Any], goal: Any, sizes: Sequence[str], name: str, verdict: Refuted, smallest: bool) -> Verdict:
    found = verdict if smallest else _replayed(known, goal, sizes, verdict)
    done = not smallest and isinstance(found, Refuted)
    return found if done else _smallest(known, goal, sizes, name, verdict)


def _smallest(known: list[Any], goal: Any, sizes: Sequence[str], name: str, verdict: Refuted) -> Verdict:
    """The same refutation at the smallest bound on the sizes that still has one, replayed."""
    for n in BOUNDS if sizes else ():
        bounded = [("le", sp.Symbol(s, integer=True), n) for s in sizes]
        found = check([*known, *bounded], goal, f"{name}: sizes <= {n}")
        if isinstance(found, Refuted):
            verdict = found
            break
    return _replayed(known, goal, sizes, verdict)


def _replayed(known: list[Any], goal: Any, sizes: Sequence[str], verdict: Refuted) -> Verdict:
    """The refutation with a value for every variable, if it fails in plain integers, too."""
    env = {**dict.fromkeys(_names([*known, goal]), 0), **verdict.witness}
    for s in sizes:
        env.setdefault(s, 1)
    try:
        replayed = all(truth(f, env) for f in known) and not truth(goal, env)
    except (ZeroDivisionError, TypeError, KeyError) as e:
        return Unknown(f"the solver's counterexample does not replay: {e!r}")
    if not replayed:
        return Unknown("the solver's counterexample does not replay in integers")
    return replace(verdict, witness=env)


def _names(formulas: Sequence[Any]) -> list[str]:
    return sorted(frozenset().union(*map(_named, formulas)))


@lru_cache(maxsize=20_000)
def _named(formula: Any) -> frozenset[str]:
    """The variables of a formula or of a term in it."""
    if isinstance(formula, tuple):
        return frozenset().union(*map(_named, formula[1:]))
    return frozenset(s.name for s in getattr(formula, "free_symbols", ()))
