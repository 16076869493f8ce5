"""Index expressions and conditions as JSON, read against a list of the heads that exist: nothing is evaluated.

12                      an integer
"l_tile"                a name
["+", "l", ["*", 8, "l_tile"]]
["<", ["+", "l", ["*", 8, "l_tile"]], "J"]
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable
from typing import Any

import sympy as sp

from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin, sym

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_LARGEST = 1 << 63
_DEEPEST = 60
_POWER = 16  # the largest exponent
_ANY = range(2, 1000)
# head -> (SymPy's class, how many arguments it takes, how it is made)
_TERMS: dict[str, tuple[Any, range, Callable[..., Any]]] = {
    "+": (sp.Add, _ANY, sp.Add),
    "*": (sp.Mul, _ANY, sp.Mul),
    "**": (sp.Pow, range(2, 3), sp.Pow),
    "//": (FloorDiv, range(2, 3), FloorDiv),
    "%": (FloorMod, range(2, 3), FloorMod),
    "min": (IMin, range(2, 3), IMin),
    "max": (IMax, range(2, 3), IMax),
}
_RELATIONS: dict[str, Any] = {"<": sp.Lt, "<=": sp.Le, ">": sp.Gt, ">=": sp.Ge, "==": sp.Eq, "!=": sp.Ne}


def expression_document(e: Any) -> Any:
    """An index expression as JSON. Raises CertificateError for what no head stands for."""
    e = sp.sympify(e)
    if e.is_Integer:
        return int(e)
    if e.is_Symbol and e == sym(e.name):
        return e.name
    head = next((h for h, (kind, _, _) in _TERMS.items() if isinstance(e, kind)), None)
    if head is None:
        raise CertificateError(f"{e} cannot be written to a file: an index is made of + * // % min max")
    return [head, *map(expression_document, e.args)]


def condition_document(c: Any) -> Any:
    """A comparison of index expressions, or a truth value, as JSON. Raises CertificateError for anything else."""
    if c is sp.true or c is sp.false:
        return bool(c)
    head = next((h for h, kind in _RELATIONS.items() if isinstance(c, kind)), None)
    if head is None:
        raise CertificateError(f"{c} cannot be written to a file: a guard compares index expressions")
    return [head, *map(expression_document, c.args)]


def expression_from(document: Any, depth: int = 0) -> Any:
    """The expression of such JSON. Raises DamagedError for anything else."""
    if type(document) is int and abs(document) < _LARGEST:
        return sp.Integer(document)
    if isinstance(document, str) and _NAME.match(document):
        return sym(document)
    if not isinstance(document, list) or not document or depth > _DEEPEST:
        raise DamagedError(f"{_short(document)} is no index expression")
    head, *rest = document
    if not isinstance(head, str) or head not in _TERMS:
        raise DamagedError(f"{_short(head)} is no operation of an index expression; there are {' '.join(_TERMS)}")
    _, counts, make = _TERMS[head]
    if len(rest) not in counts:
        raise DamagedError(f"{head} does not take {len(rest)} arguments in an index expression")
    args = [expression_from(a, depth + 1) for a in rest]
    if head == "**" and not (args[1].is_Integer and 1 <= args[1] <= _POWER):
        raise DamagedError(f"{_short(document)} is no power of an index expression")
    return make(*args)


def condition_from(document: Any) -> Any:
    """The condition of such JSON. Raises DamagedError for anything else."""
    if isinstance(document, bool):
        return sp.true if document else sp.false
    if not isinstance(document, list) or len(document) != 3 or document[0] not in tuple(_RELATIONS):
        raise DamagedError(f"{_short(document)} is no condition; it compares with {' '.join(_RELATIONS)}")
    left, right = map(expression_from, document[1:])
    return _RELATIONS[document[0]](left, right, evaluate=False)


def _short(document: Any) -> str:
    return reprlib.repr(document)  # however deep it is
