"""A fast reference of high precision: f64 for floating point, exact integers modulo 2**64 for integers.

A reduction of products is cut into pieces for einsum: some reduction axes become Python loops, until every index and
every guard moves with at most one axis. Each operand is then gathered along its dimensions, at points with a true
guard, and multiplied. All other statements run in the interpreter with f64 in place of the narrower floats. But if a
float becomes an integer, its last bit can decide the integer, so such a statement runs in the types as written.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from isamap_smt.ir.convert import converted
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.evaluate import needs_single_points
from isamap_smt.ir.expr import evaluate, symbols_of, words
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.indirect import by_data
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.left_behind import LeftBehind
from isamap_smt.ir.scalar import Cast, Read, Round, Scalar, SMul, cast, reads
from isamap_smt.ir.time_steps import in_order
from isamap_smt.ir.typed import type_of, typed_value

Array = np.ndarray


def reference(
    kernel: Kernel,
    arrays: Mapping[str, Array],
    out: Mapping[str, Array] | None = None,
    sizes: Mapping[str, int] | None = None,
    left: Mapping[str, Array] | None = None,
) -> dict[str, Array]:
    """The outputs by name: f64 arrays for floating point, else exact arrays of the output's own dtype.

    Same arguments and errors as run_kernel; casts between floating-point types are not rounded.
    left: results of a program. Each element's reference then follows from the program's own values of earlier results.
    """
    from isamap_smt.ir.interpret import prepare

    fixed, held = prepare(kernel, arrays, out, sizes)
    behind = LeftBehind(fixed, left or {})
    precise = {n: a.astype(np.float64) if fixed.tensor(n).dtype.is_float else a for n, a in held.items()}
    wide = fixed.with_dtypes({t.name: "f64" for t in fixed.tensors if t.dtype.is_float})
    for s in in_order(fixed):
        if is_product(fixed, s) and (loops := loop_axes(s)) is not None:
            _add_products(fixed, s, precise, loops)
            _follow(s, behind, precise)
        elif _cuts_off(typed_value(fixed, s), fixed):
            _as_written(fixed, s, precise, behind)
        else:
            _interpret(wide, s, precise, behind)
    return {n: behind.reference(n, precise[n]) for n in fixed.results}


def factors(value: Any) -> list[Any] | None:
    """The element reads multiplied by a value, in order, casts dropped; None for any other value."""
    match value:
        case Read():
            return [value]
        case Cast():
            return factors(value.args[1])
        case SMul():
            left, right = factors(value.args[0]), factors(value.args[1])
            return None if left is None or right is None else left + right
    return None


def is_product(kernel: Kernel, statement: Statement) -> bool:
    """Whether the statement sums products of element reads, and no cast in it can lose anything.

    Integers: + and * commute with wrapping, so only widening casts and one final wrap are left.
    """
    found = factors(statement.value)
    target = statement.target
    if (
        statement.op != "+"
        or found is None
        or by_data(statement)
        or any(r.tensor == target.tensor for r in reads(statement.value))
    ):
        return False
    kind = kernel.tensor(target.tensor).dtype
    return _casts_keep(statement.value, kernel, kind.is_float, kind.bits)


def _casts_keep(value: Any, kernel: Kernel, floating: bool, bits: int) -> bool:
    """Whether every read and cast on the way has the output's kind, and integer casts hold their operands."""
    match value:
        case Read():
            return kernel.tensor(value.tensor).dtype.is_float == floating
        case Cast():
            to = DTYPES[value.args[0].name]
            if to.is_float != floating or (not floating and to.bits < bits):
                return False
            return _casts_keep(value.args[1], kernel, floating, bits)
    return all(_casts_keep(a, kernel, floating, bits) for a in value.args)


def loop_axes(statement: Statement) -> tuple[str, ...] | None:
    """The reduction axes to loop over so each index and guard moves with one axis at most; None if no choice will do."""
    target = [i.name for i in statement.target.index if i.is_Symbol]
    fixed = sum(1 for i in statement.target.index if i.is_Integer)
    if len(target) + fixed != len(statement.target.index) or len(set(target)) != len(target):
        return None
    axes = {a.name: int(a.extent) for a in statement.axes}
    if set(target) | set(statement.reduction_axes) != set(axes):
        return None
    expressions = [i for a in statement.inputs for i in a.index] + list(statement.guard)
    loops: set[str] = set()
    for e in expressions:
        moving = symbols_of([e]) & set(axes) - loops
        candidates = sorted(moving & set(statement.reduction_axes), key=lambda n: (axes[n], n))
        while len(moving) > 1:
            if not candidates:
                return None
            moving.discard(candidates[0])
            loops.add(candidates.pop(0))
    return tuple(a.name for a in statement.axes if a.name in loops)


def _add_products(kernel: Kernel, s: Statement, held: dict[str, Array], loops: tuple[str, ...]) -> None:
    """held[target] += the sum of products, wrapped to the output's dtype at the end."""
    found = factors(s.value)
    assert found is not None
    name = s.target.tensor
    kind = kernel.tensor(name).dtype
    work = np.float64 if kind.is_float else np.int64
    total = held[name].astype(work, copy=False)  # an output: nobody else holds it
    exact_in_f64 = not kind.is_float and _fits_f64(kernel, s, found, held)
    letters = {a.name: chr(ord("a") + n) for n, a in enumerate(s.axes)}
    for env, live in _pieces(s, loops):
        operands, subscripts = [], []
        for r in found:
            gathered = _gather(held[r.tensor], r.index, env, live)
            operands.append(gathered.astype(np.float64 if kind.is_float or exact_in_f64 else np.int64))
            moving = [next(iter(symbols_of([i]) & set(live)), "") for i in r.index]
            subscripts.append("".join(letters[m] for m in moving if m))
        where = [i.name for i in s.target.index if i.is_Symbol]
        used = set("".join(subscripts))
        # An axis in no operand: the piece is the same for each of its points.
        free = [n for n in live if letters[n] not in used]
        times = int(np.prod([live[n].size for n in free if n not in where], dtype=np.int64))
        result = "".join(letters[n] for n in where if n not in free)
        piece = np.einsum(f"{','.join(subscripts)}->{result}", *operands, optimize=True) * times
        places = [live[i.name] if i.is_Symbol else np.array([int(i)]) for i in s.target.index]
        for i, place, extent in zip(s.target.index, places, total.shape, strict=True):
            _check_inside(i, place, extent)
        sizes = [1 if i.is_Integer or i.name in free else live[i.name].size for i in s.target.index]
        total[np.ix_(*places)] += piece.reshape(sizes).astype(work, copy=False)
    held[name] = total if kind.is_float else total.astype(kind.numpy)


def _pieces(s: Statement, loops: tuple[str, ...]) -> Iterator[tuple[dict[str, int], dict[str, Array]]]:
    """(values of the loop axes, points of each other axis with a true guard); empty pieces are left out."""
    extents = {a.name: int(a.extent) for a in s.axes}
    for values in itertools.product(*[range(extents[n]) for n in loops]):
        env = dict(zip(loops, values, strict=True))
        live = {n: np.arange(e) for n, e in extents.items() if n not in env}
        holds = True
        for relation in s.guard:
            moving = symbols_of([relation]) & set(live)
            result = evaluate(relation, {**env, **live})
            if moving:
                (n,) = moving
                live[n] = live[n][np.broadcast_to(result, live[n].shape)]
            else:
                holds = holds and bool(result)
        if holds and all(v.size for v in live.values()):
            yield env, live


def _gather(array: Array, index: tuple[Any, ...], env: Mapping[str, int], live: Mapping[str, Array]) -> Array:
    """array at `index`: one dimension for each moving index, in order."""
    for d in reversed(range(len(index))):
        at = evaluate(index[d], {**env, **live})
        _check_inside(index[d], at, array.shape[d])
        if isinstance(at, np.ndarray) and np.array_equal(at, np.arange(array.shape[d])):
            continue
        array = np.take(array, at, axis=d)
    return array


def _check_inside(index: Any, at: Any, extent: int) -> None:
    if np.min(at) < 0 or np.max(at) >= extent:
        raise SizeError(
            f"index {words(index)} runs from {np.min(at)} to {np.max(at)}; its dimension has {extent} elements"
        )


def _fits_f64(kernel: Kernel, s: Statement, found: list[Any], held: Mapping[str, Array]) -> bool:
    """Whether every partial sum is below 2**53, and so exact in f64."""
    bound = int(fibres(kernel, s).most)
    for r in found:
        array = held[r.tensor]
        bound *= max(abs(int(array.min())), abs(int(array.max()))) if array.size else 0
    return bound < 1 << 53


def _interpret(wide: Kernel, s: Statement, held: dict[str, Array], behind: LeftBehind) -> None:
    """One statement in the interpreter, with f64 for every floating-point tensor and cast."""
    statement = replace(s, value=_widened(s.value))
    _run(replace(wide, statements=(statement,)), statement, held, behind)


def _run(kernel: Kernel, s: Statement, held: dict[str, Array], behind: LeftBehind) -> None:
    """One statement in the interpreter; point by point if its points read earlier ones' writes."""
    from isamap_smt.ir.interpret import actions, run_statement

    name = s.target.tensor
    if name not in behind or not needs_single_points(s):
        run_statement(kernel, s, held)
        _follow(s, behind, held)
        return
    with np.errstate(all="ignore"):
        for act, at in zip(actions(kernel, s, {n: a.shape for n, a in held.items()}), behind.moments(s), strict=True):
            act(held)
            behind.written(name, at, held[name])


def _follow(s: Statement, behind: LeftBehind, held: dict[str, Array]) -> None:
    for at in behind.moments(s):
        behind.written(s.target.tensor, at, held[s.target.tensor])


def _cuts_off(value: Any, kernel: Kernel) -> bool:
    """Whether a float is made an integer somewhere in the typed value."""
    if isinstance(value, Round):
        return True
    if isinstance(value, Cast) and not DTYPES[value.args[0].name].is_float:
        given = type_of(value.args[1], {t.name: t.dtype for t in kernel.tensors})
        if given is not None and given.is_float:
            return True
    return any(_cuts_off(a, kernel) for a in getattr(value, "args", ()))


def _as_written(kernel: Kernel, s: Statement, held: dict[str, Array], behind: LeftBehind) -> None:
    """One statement in the interpreter, on values rounded to the kernel's types."""
    name = s.target.tensor
    used = {name, *(a.tensor for a in s.inputs)}
    with np.errstate(all="ignore"):
        rounded = {n: converted(held[n], kernel.tensor(n).dtype) for n in used}
    _run(kernel, s, rounded, behind)
    held[name] = rounded[name].astype(held[name].dtype)


def _widened(value: Any) -> Any:
    """Casts to narrower floating-point types become casts to f64."""
    if isinstance(value, Cast) and DTYPES[value.args[0].name].is_float:
        return cast("f64", _widened(value.args[1]))
    if isinstance(value, Read) or not isinstance(value, Scalar):
        return value
    return value.func(*[_widened(a) for a in value.args])
