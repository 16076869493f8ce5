"""Contents of cells: a content has its declared type when it begins, and every use finds the elements it needs.

A content copied from a tensor holds the tensor's elements under its guard, and 0 elsewhere. A content of the buffer of
sums stands for elements of the sum. It begins at the identity of the reduction, or at an element added by the epilogue.
Each use that adds to it adds the points it claims.

Together these claims make the output right, in any order of the additions: each point of the kernel is added once
(link, coverage), to the one cell of its sum; each step of the epilogue changes each of these cells once; each is stored
once, at its own element. The same holds for maxima and minima.

If the kernel assigns elements, the use that computes them begins the content: each cell of an element receives its
value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from isamap_smt.ir.addresses import offset
from isamap_smt.ir.engines import KEPT, ZERO, Operand
from isamap_smt.ir.epilogue import Epilogue, begins_at, epilogue_of, unassigned
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import FloorDiv, FloorMod, affine, elements, insides, substitute, sym, symbols_of
from isamap_smt.ir.kernel import Access, Statement
from isamap_smt.ir.layouts import has_layout, is_box, layout_of
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.program import Buffer, Ref
from isamap_smt.ir.scalar import Read, SMul, reads
from isamap_smt.ir.typed import typed_value
from isamap_smt.proof.mapping_neutral import harmless
from isamap_smt.proof.narrow import sums_fit
from isamap_smt.proof.program_held import DEAD
from isamap_smt.proof.uses.book import UseBook
from isamap_smt.proof.uses.cells import (
    active,
    axes_inside,
    cell,
    data_in,
    equal,
    first_row,
    held,
    holds_zero,
    named_by_data,
    negated,
    rows_and_columns,
    rows_of,
    stays,
    sums_of,
    taken_from,
    whole,
)
from isamap_smt.proof.uses.laid_out import apart_cells, laid_out_alike, straight
from isamap_smt.proof.uses.moments import FALSE, Formula, Moment, Moments, UseSite, contract_of
from isamap_smt.proof.uses.order import target
from isamap_smt.proof.uses.values import added, beside, composed, immediates, others, plain_contracts
from isamap_smt.proof.zero_products import any_zero_is_enough

NOTHING = {"+": "0", "*": "1", "max": "nothing", "min": "nothing"}  # what leaves a reduction as it is

# ---- Sums in a memory whose cells have few bits: no sum exceeds them, so the memory wraps only as the kernel does.


def width_claims(book: UseBook, moments: Moments, add: UseSite, begin: UseSite | None) -> None:
    """Claims for each use that writes a memory of few bits. add, begin: the uses of the sums; others are Unknown."""
    kernel = moments.program.kernel
    for site in moments.sites:
        if (place := target(site)) is None:
            continue
        buffer = moments.buffers.get(place.name)
        memory = None if buffer is None else moments.machine.memory(buffer.memory)
        if memory is None or not memory.bits or (site is begin and begins_at(site.use.instruction) == 0):
            continue
        words = f"what {site.name} leaves in {memory.name} stays within its {memory.bits} bits"
        if site is add and contract_of(add).op == "+" and begin is not None and begins_at(begin.use.instruction) == 0:
            book.note("scalar", site.name, words, sums_fit(kernel, memory.bits, memory.name))
        else:
            book.unknown("scalar", site.name, words, "only sums of the kernel's terms, from 0, are bounded")


# ---- Coverage: each point of a box has an iteration of a use, and cells of its instruction, that stand for it.


def covered(
    book: UseBook, site: UseSite, index: dict[str, Any], axes: dict[str, Any], words: str,
    alive: Sequence[Formula] = (), where: Sequence[Formula] = (),
) -> None:  # fmt: skip
    """Each point (under the guards `where`) has an iteration and cells that satisfy `alive`: its digits, checked."""
    extents = {n: getattr(a, "extent", a) for n, a in axes.items()}
    given = [f for n, e in extents.items() for f in (("le", 0, sym(f"{n}?")), ("lt", sym(f"{n}?"), e))]
    given += where
    own = {a.name: a.extent for a in contract_of(site).axes}
    counts = {x.var.name: x.count for x in site.loops if x.base is None}
    bases = {x.base.name: x for x in site.loops if x.base is not None}
    found: dict[str, Any] = {}
    places: dict[Any, Any] = {}  # what is divided -> its digits so far, each times its weight
    for n, e in index.items():
        value = sym(f"{n}?")
        for b in symbols_of([e]) & set(bases):  # a multiple of the step not above the value, less than a step below it
            found[b] = sym(f"{b}?")
            given += [("le", 0, found[b]), ("le", found[b], value), ("lt", value, found[b] + bases[b].step)]
        rest = substitute(e, dict.fromkeys(bases, sp.S.Zero))
        value -= sum(found[b] for b in symbols_of([e]) & set(bases))
        fused = _fused(rest)
        digits = _digits(rest.subs({d: sym(name) for name, d in fused.items()}), value, own, {*counts, *fused})
        if digits is None:
            return book.unknown("coverage", site.name, words, f"the digits of {e} are not recognised")
        for name, d in fused.items():
            divided, weight = _divided(d)
            places[divided] = places.get(divided, sp.S.Zero) + weight * digits.pop(name, sp.S.Zero)
        found |= digits
    for divided, value in places.items():
        digits = _digits(divided, value, own, set(counts))
        if digits is None or set(digits) & set(found):
            return book.unknown("coverage", site.name, words, f"the digits of {divided} are not recognised")
        found |= digits
    found |= dict.fromkeys({*own, *counts, *bases} - set(found), sp.S.Zero)
    goals = [f for n, e in counts.items() for f in (("le", 0, found[n]), ("lt", found[n], e))]
    goals += [f for n, e in own.items() for f in (("le", 0, found[n]), ("lt", found[n], e))]
    parameters = site.use.parameters
    goals += [("lt", found[b], x.extent) for b, x in bases.items()]
    goals += [("lt", found[a], substitute(parameters[p], found)) for a, p in site.use.instruction.active]
    goals += [("le", substitute(parameters[p], found), found[a]) for a, p in site.use.instruction.front]
    goals += [("eq", substitute(e, found), sym(f"{n}?")) for n, e in index.items()]
    goals += [_at(f, found) for f in (*alive, *site.guard)]
    book.ask("coverage", site.name, words, given, goals)
    return None


def _at(f: Formula, values: dict[str, Any]) -> Formula:
    """A formula at these values."""
    return (f[0], *(_at(g, values) for g in f[1:])) if isinstance(f, tuple) else substitute(f, values)


def _fused(e: Any) -> dict[str, Any]:
    """Names for the outermost quotients and remainders of a sum, such as `i // 7` of `4*t + i // 7`."""
    inside = [t for term in sp.Add.make_args(e) for t in sp.Mul.make_args(term) if isinstance(t, FloorDiv | FloorMod)]
    return {f"{t}?": t for t in inside}


def _divided(e: Any) -> tuple[Any, Any]:
    """Of a digit of a number: the number, and how much the digit stands for in it. Of `i // 7 % 4`: i, and 7."""
    if isinstance(e, FloorMod):
        return _divided(e.args[0]) if isinstance(e.args[0], FloorDiv) else (e.args[0], sp.S.One)
    return (e.args[0], e.args[1])


def _digits(e: Any, value: Any, own: dict[str, Any], loops: set[str]) -> dict[str, Any] | None:
    """Digits of a value in a sum such as `32 * j0 + 16 * ju + l`: values of its symbols, the largest step first.

    The constant part is subtracted first; `I - 1 - 8 * i0 - r` counts backwards. The caller proves that the digits give
    the value.
    """
    names = symbols_of([e]) & (set(own) | loops)
    if not names:
        return {}
    split = affine(e, names)
    if split is None:
        return None
    steps, rest = split[0], value - split[1]
    if all(c.is_Integer and c < 0 for c in steps.values()):
        steps, rest = {n: -c for n, c in steps.items()}, -rest
    ordered = sorted(((c, n) for n, c in steps.items()), key=lambda x: -x[0] if x[0].is_Integer else 0)
    if any(not c.is_Integer or c <= 0 for c, _ in ordered) or ordered[-1][0] != 1:
        return None
    found: dict[str, Any] = {}
    for c, n in ordered:
        found[n], rest = FloorDiv(rest, c), FloorMod(rest, c)
    return found


def data_claims(book: UseBook, moments: Moments) -> None:
    """All claims about contents of cells."""
    kernel = moments.program.kernel
    statement, words = kernel.statements[0], "the kernel is one statement, and what is computed of its elements"
    try:
        epilogue = epilogue_of(kernel)
    except ScheduleError as error:
        return book.unknown("program", kernel.name, words, str(error))
    if epilogue.assigned and (why := unassigned(kernel)):
        return book.unknown("program", kernel.name, words, why)
    if statement.ordered and statement.op in ("+", "*") and kernel.tensor(statement.target.tensor).dtype.is_float:
        return book.unknown("order", kernel.name, words, "its terms have an order, and are taken in any here")
    sites = [s for s in moments.sites if s.use.instruction.kernel.statements and not s.use.state]
    plain_contracts(book, sites)
    found: dict[str, list[UseSite]] = {}
    for site in sites:
        _ranges(book, moments, site)
        found.setdefault(_of(book, moments, site, epilogue), []).append(site)
    if "" in found:
        return None
    does = "computes elements" if epilogue.assigned else "adds products" if _product(statement) else "reduces elements"
    alone = {"begin": "begins sums", "compute": does, "store": "stores the output"}
    counts = {kind: len(found.get(kind, [])) for kind in alone}
    wanted = {kind: int(kind != "begin" or not epilogue.assigned) for kind in alone}
    ones = [
        book.structure(
            "program", kernel.name, f"{'one' if wanted[kind] else 'no'} use {word}", counts[kind] == wanted[kind],
            f"{counts[kind]} uses do",
        )
        for kind, word in alone.items()
    ]  # fmt: skip
    onward = found.get("onward", [])
    ones.append(
        book.structure("program", kernel.name, "one use takes sums on, or none", len(onward) <= 1, f"{len(onward)} do")
    )
    if all(ones):
        (add,), (store,) = found["compute"], found["store"]
        begin = next(iter(found.get("begin", [])), None)
        _points(book, moments, add, statement)
        _ended(book, moments, epilogue, add, begin, onward, [*found.get("update", []), store])
    return None


def _ended(
    book: UseBook, moments: Moments, epilogue: Epilogue, add: UseSite, begin: UseSite | None, onward: list[UseSite],
    steps: list[UseSite],
) -> None:  # fmt: skip
    """Sums begin, change and are stored as in the kernel; the last step stores. begin: None if `add` assigns them."""
    *updates, store = steps
    begins = [] if begin is None else [begin]
    if not _together(book, moments, epilogue, [*begins, add], onward, steps):
        return
    for site in (*begins, *steps):
        _elements(book, moments, site, epilogue)
    for site in begins:
        _begun(book, moments, site)
    width_claims(book, moments, add, begin)
    for site in onward:
        handed_on(book, moments, add, site)
    last = onward[0] if onward else add
    for n, site in enumerate(steps):
        _exclusive(book, moments, last, site)
        for later in steps[n + 1 :]:
            _exclusive(book, moments, site, later)
    for site in updates:
        _updated(book, moments, site, epilogue)
    _stored(book, moments, store, epilogue)
    composed(book, moments, epilogue, begin, steps)


def _together(
    book: UseBook,
    moments: Moments,
    epilogue: Epilogue,
    first: list[UseSite],
    onward: list[UseSite],
    last: list[UseSite],
) -> bool:
    """Whether sums begin and change in one buffer, and end there or in the one buffer they are handed on to."""
    early, late = ({sums_of(moments, s)[1].name for s in sites} for sites in (first, last))
    for site in onward:
        early |= {taken_from(moments, site)[1].name}
    words = f"sums of {epilogue.sum} begin, change and end in one buffer"
    places = early | late
    if not onward:
        return book.structure(
            "program", epilogue.sum, words, len(places) == 1, f"they lie in {' and '.join(sorted(places))}"
        )
    late |= {sums_of(moments, site)[1].name for site in onward}
    words = f"sums of {epilogue.sum} begin and change in one buffer, are taken on to another, and end there"
    right = len(early) == len(late) == 1 and early != late
    return book.structure("program", epilogue.sum, words, right, f"they lie in {' and '.join(sorted(places))}")


def _product(s: Statement) -> bool:
    return isinstance(s.value, SMul) and len(s.inputs) == 2 and all(isinstance(r, Read) for r in reads(s.value))


def _ranges(book: UseBook, moments: Moments, site: UseSite) -> None:
    """Use parameters, rows, columns and elements lie within their bounds."""
    x, instruction, kernel = moments.moment(site), site.use.instruction, moments.program.kernel
    extents = {a.name: a.extent for a in contract_of(site).axes}
    for (axis, parameter), count in zip(instruction.counted, site.use.counted, strict=True):
        value = x.at(count)
        words = f"{parameter} of {site.name} is from {instruction.least} to {extents[axis]}"
        goals = [("le", instruction.least, value), ("le", value, extents[axis])]
        book.ask("precondition", site.name, words, x.ranges(), goals, (x,))
    for name, place in site.use.operands:
        if name in instruction.immediates:
            continue
        operand, buffer = instruction.operand(name), moments.buffers.get(place.name)
        if buffer is not None and not is_box(operand):
            apart_cells(book, moments, site, operand)
        if buffer is None:
            shape = kernel.tensor(place.name).shape
            goals = [
                f for i, n in zip(place.index, shape, strict=True) for f in (("le", 0, x.at(i)), ("lt", x.at(i), n))
            ]
            memory, points = MAIN, [*axes_inside(site, x), *active(site, x)]
            own, taken = instruction.address(name), ", ".join(map(str, place.index))
            words = f"the cells of {place.name}[{taken}] lie at {own}, as {site.name} takes them"
            apart = x.at(own.apart(offset(place.index, shape)))
            book.ask("precondition", site.name, words, [*x.ranges(), *points], [("eq", apart, 0)], (x,))
        else:
            own_row, own_column, _ = rows_and_columns(moments, site, operand)
            row, column = x.at(own_row + first_row(place)), x.at(own_column)
            goals = [("le", 0, row), ("le", 0, column), ("lt", column, buffer.shape[1])]
            first, all_rows = x.at(place.index[0]) * buffer.rows, buffer.slots * buffer.rows
            alone = stays(site, operand, place, buffer)
            goals.append(("lt", row, buffer.rows) if alone else ("lt", first + row, all_rows))
            memory, points = buffer.memory, axes_inside(site, x)
            points += active(site, x) if place is not target(site) else []  # of the others, nothing is read
        asked, there = (instruction.kernel.tensor(name).dtype, (buffer or kernel.tensor(place.name)).dtype)
        words = f"{name} of {site.name} lies in {operand.memory}, as {asked}"
        right = memory == operand.memory and asked == there
        book.structure("memory", site.name, words, right, f"{place.name} lies in {memory}, as {there}")
        words = f"{site.name} stays inside {place.name}"
        book.ask("bounds", site.name, words, [*x.ranges(), *points], goals, (x,))


def _of(book: UseBook, moments: Moments, site: UseSite, epilogue: Epilogue) -> str:
    """Kind of the use: 'compute', 'copy', 'begin', 'onward', 'update' or 'store'; '' if none.

    Notes the claims about its cells.
    """
    instruction, contract, place = site.use.instruction, contract_of(site), target(site)
    sources, out = list(dict.fromkeys(r.tensor for r in reads(contract.value))), epilogue.sum
    cells = [s for s in sources if dict(site.use.operands)[s].name in moments.buffers]
    held_there = [moments.buffers[dict(site.use.operands)[s].name].type.tensor for s in cells]
    if place is not None and place.name not in moments.buffers:
        if contract.op == "=" and held_there == [out] and place.name == epilogue.result:
            return "store"
    elif place is not None:
        buffer = moments.buffers[place.name]
        sums, begins = buffer.type.tensor == out, site.command.begins
        taken = [s for s in sources if s not in instruction.immediates]
        computes = contract.op == epilogue.op and begins == epilogue.assigned and cells == taken and len(cells) > 0
        if sums and computes and out not in held_there:
            return "compute"
        own = [s for s, tensor in zip(cells, held_there, strict=True) if tensor == out]
        if sums and not begins and contract.op == "=" and own == [contract.target.tensor]:
            return "update"
        if begins and contract.op == "=" and len(place.index) == 1 and _whole(book, moments, site, buffer):
            _filled(book, moments, site, buffer)
            if sums and not cells:
                return "begin"
            if sums and isinstance(contract.value, Read) and held_there == [out] and not instruction.immediates:
                return "onward"
            if isinstance(contract.value, Read) and not sums and not instruction.immediates:
                _copied(book, moments, site, buffer, sources[0])
                return "copy"
    book.unknown(
        "program", site.name, f"{site.name} begins, adds to, changes or stores a content", "it does something else"
    )
    return ""


def _whole(book: UseBook, moments: Moments, site: UseSite, buffer: Buffer) -> bool:
    """Whether the points of the contract's axes cover every cell of a slot touched by any use.

    Row and column are axes, or 0 if there is one only. They span all rows of the buffer, and as many columns as any use
    touches. Of a layout it is asked of each use.
    """
    operand = site.use.instruction.operand(contract_of(site).target.tensor)
    if not is_box(operand):
        laid_out_alike(book, moments, site, operand, buffer)
        return True
    extents = {a.symbol: a.extent for a in contract_of(site).axes}
    rows = sp.S.One if operand.row == 0 else extents.get(operand.row)
    mine = sp.S.One if operand.column == 0 else extents.get(operand.column, sp.S.Zero)
    enough = all(
        mine == other or (mine.is_Integer and other.is_Integer and mine >= other) for other in _columns(moments, buffer)
    )
    whole = rows is not None and (rows == buffer.rows or (rows.is_Integer and rows >= buffer.rows))
    return (operand.row != operand.column or operand.row == 0) and whole and enough


def _columns(moments: Moments, buffer: Buffer) -> set[Any]:
    """The numbers of columns touched by the uses of a buffer: an axis' extent, 1 for column 0, those of a layout, else all."""
    every = sp.sympify(buffer.shape[1])
    found = set()
    for site in moments.sites:
        for name, place in site.use.operands:
            if place.name == buffer.name:
                operand = site.use.instruction.operand(name)
                column = operand.column
                if not is_box(operand) and has_layout(site.use.instruction, name):
                    found.add(sp.Integer(layout_of(site.use.instruction, name).columns))
                    continue
                extents = {a.symbol: a.extent for a in contract_of(site).axes}
                found.add(sp.S.One if column == 0 else extents.get(column, every))
    return found


def _filled(book: UseBook, moments: Moments, site: UseSite, buffer: Buffer) -> None:
    """A use with counted axes leaves no cell as it was: the instruction zeroes inactive cells, or there are none."""
    instruction, x = site.use.instruction, moments.moment(site)
    if instruction.beyond == KEPT and instruction.counted:
        words = f"{site.name} leaves no cell of {buffer.name} as it was"
        book.ask("program", buffer.name, words, x.ranges(), whole(site, x), (x,))


def _copied(book: UseBook, moments: Moments, site: UseSite, buffer: Buffer, source: str) -> None:
    """A content copied from a tensor, or from a content of another buffer, holds the elements named by its type."""
    x, places = moments.moment(site), dict(site.use.operands)
    tensor, place = places[source], target(site)
    assert place is not None
    words = f"{site.name} copies from {buffer.type.tensor}"
    other = moments.buffers.get(tensor.name)
    if (tensor.name if other is None else other.type.tensor) != buffer.type.tensor:
        return book.unknown("program", buffer.name, words, "it copies from elsewhere")
    there = moments.program.kernel.tensor(tensor.name).dtype if other is None else other.dtype
    if there != buffer.dtype:
        words = f"{site.name} copies elements as they are"
        return book.unknown("memory", site.name, words, f"it converts {there} to {buffer.dtype}")
    coordinates, guard = held(moments, site, x, site.use.instruction.operand(contract_of(site).target.tensor), place)
    here, alive, taken = [*x.ranges(), *axes_inside(site, x)], active(site, x), list(x.at(tensor.index))
    if other is not None:
        taken, stands = held(moments, site, x, site.use.instruction.operand(source), tensor)
        alive = [*alive, *stands]
        words = f"{other.name} holds 0 where it stands for no element"
        book.structure("program", other.name, words, other.type.outside == "0", f"it holds {other.type.outside}")
        words = f"{site.name} takes cells of one content of {other.name} alone"
        alone = rows_of(site, site.use.instruction.operand(source)) <= other.rows
        book.structure("program", other.name, words, alone, "it takes rows of the next ones, too")
    words = f"{site.name} puts into {buffer.name} the elements that it stands for"
    book.ask("program", buffer.name, words, [*here, *alive], [*guard, *equal(coordinates, taken)], (x,))
    if buffer.type.outside == DEAD:
        return None
    words = f"{site.name} puts 0 into {buffer.name} where it stands for none"
    book.structure("program", buffer.name, words, buffer.type.outside == "0", f"it should hold {buffer.type.outside}")
    book.ask("program", buffer.name, words, [*here, negated(alive)], [negated(guard)], (x,))
    return None


def _points(book: UseBook, moments: Moments, site: UseSite, statement: Statement) -> None:
    """The computing use finds the operands of its points, takes no point twice, and takes all of them."""
    x, contract = moments.moment(site), contract_of(site)
    point = {n: x.at(e) for n, e in site.command.point}
    axes = {a.name: a for a in statement.axes}
    assigns = contract.op == "="
    words = f"{site.name} says which point each of its {'elements' if assigns else 'products'} is"
    if not book.structure("link", site.name, words, sorted(point) == sorted(axes), "an axis is missing"):
        return
    inside = [f for n, a in axes.items() for f in (("le", 0, point[n]), ("lt", point[n], a.extent))]
    inside += [substitute(g, point) for g in statement.guard]
    operands = _operands(site)
    alive, *guards = (_stands(moments, site, x, a.tensor) for a in (contract.target, *operands))
    there = [f for g in (alive, *guards) for f in g]  # it is a point where all its cells stand for elements
    here = [*x.ranges(), *axes_inside(site, x), *active(site, x), *alive]  # what other cells hold, nobody reads
    pairs = [(contract.target, statement.target), *_pairs(moments, site, statement)]
    for pair in pairs:
        _element(book, moments, site, pair, point, [*here, *inside, *there])
    by_data = any(named_by_data(site, a.tensor) for a in operands)
    facts = data_in(moments.program.kernel, point, []) if by_data else []
    known: list[Formula] = [("implies", ("and", *inside), f) for f in facts]
    if assigns:
        _assigned(book, moments, site, [*inside, *(f for g in guards for f in g)], known)
    else:
        words = f"{site.name} adds {NOTHING[contract.op]} to a cell for a point that there is not"
        enough = _enough(book, moments, site, x)
        book.ask("neutral", site.name, words, [*here, ("or", *(negated(g) for g in (inside, *guards)))], enough, (x,))
        _spared(book, moments, site)
    immediates(book, site)
    added(book, moments.program.kernel, site, {m.tensor: w for m, w in pairs})
    _exclusive(book, moments, site, site)
    y = moments.moment(site, "'")
    again = [f for m in (x, y) for f in (*axes_inside(site, m), *active(site, m))]
    again += [f for m in (x, y) for a in (contract.target, *operands) for f in _stands(moments, site, m, a.tensor)]
    same = [("eq", point[n], y.at(e)) for n, e in site.command.point]
    cells = [("eq", x.at(a.symbol), y.at(a.symbol)) for a in contract.axes]
    words = f"{site.name} adds no point twice"
    book.ask("link", site.name, words, [*moments.known(x, y), *again, *same], [x.same(y), *cells], (x, y))
    words = f"each point of the kernel is added by {site.name}"
    asked = {n: sym(f"{n}?") for n in axes}
    where = [substitute(g, asked) for g in statement.guard]
    if by_data:
        where += data_in(moments.program.kernel, asked, [])
    covered(book, site, dict(site.command.point), axes, words, there, where)


def _assigned(book: UseBook, moments: Moments, site: UseSite, point: list[Formula], known: list[Formula]) -> None:
    """Each cell of an element gets the value of a point with all its operands, and exactly one point writes it.

    known: of data in indices.
    """
    x, contract = moments.moment(site), contract_of(site)
    alive = _stands(moments, site, x, contract.target.tensor)
    words = f"{site.name} gives each cell that stands for an element its value"
    given = [*x.ranges(), *axes_inside(site, x), *alive, *known]
    book.ask("program", site.name, words, given, [*active(site, x), *point], (x,))
    words = f"{site.name} computes one value for each of its cells"
    alone = symbols_of(contract.target.index) == {a.name for a in contract.axes}
    book.structure("exclusive", site.name, words, alone, "it has more points than cells")
    exact = site.use.instruction.rounding != "fused" or not any(
        t.dtype.is_float for t in site.use.instruction.kernel.tensors
    )
    words = f"{site.use.instruction.name} rounds after each operation, as kernels do"
    book.structure("scalar", site.name, words, exact, "it rounds a product and a sum once")


def _enough(book: UseBook, moments: Moments, site: UseSite, x: Moment) -> list[Formula]:
    """Conditions on the operands under which a point outside the kernel changes no sum.

    For a product, one factor is 0 and all others are finite, or all are 0. For another term, all operands are 0, if the
    term is then 0. For a maximum or minimum, no condition suffices.
    """
    contract, places = contract_of(site), dict(site.use.operands)
    multiplied = {r.tensor for r in reads(contract.value)}
    operands = [a for a in _operands(site) if a.tensor in multiplied]  # what is an index alone is no factor
    term = typed_value(site.use.instruction.kernel, contract)
    if not harmless(contract.op, term, frozenset(a.tensor for a in operands)) or contract.op != "+":
        return [FALSE]
    zeros = [holds_zero(moments, site, x, site.use.instruction.operand(a.tensor), places[a.tensor]) for a in operands]
    if not any_zero_is_enough(site.use.instruction.kernel):
        return zeros
    factors = [moments.buffers[places[a.tensor].name] for a in operands]
    open_ended = [b.dtype.is_float and b.type.tensor in book.computed for b in factors]
    alone = [z for n, z in enumerate(zeros) if not any(open_ended[:n] + open_ended[n + 1 :])]
    return [("or", ("and", *zeros), *alone)]


def _operands(site: UseSite) -> list[Access]:
    """The accesses of the contract to memories, without immediates."""
    return [a for a in contract_of(site).inputs if a.tensor not in site.use.instruction.immediates]


def _stands(moments: Moments, site: UseSite, x: Moment, operand: str) -> list[Formula]:
    """The cell of an operand stands for an element."""
    place = dict(site.use.operands)[operand]
    assert place is not None
    return held(moments, site, x, site.use.instruction.operand(operand), place)[1]


def _element(
    book: UseBook,
    moments: Moments,
    site: UseSite,
    pair: tuple[Access, Access],
    point: dict[str, Any],
    given: list[Formula],
) -> None:
    """An operand's cell, if it stands for an element, holds the tensor element named by the point."""
    mine, wanted = pair
    x = moments.moment(site)
    place = dict(site.use.operands)[mine.tensor]
    assert place is not None
    buffer = moments.buffers[place.name]
    words = f"{mine.tensor} of {site.name} holds {wanted.tensor}"
    book.structure("program", buffer.name, words, buffer.type.tensor == wanted.tensor, f"it holds {buffer.type.tensor}")
    operand = site.use.instruction.operand(mine.tensor)
    named = tuple(e for e in (operand.row, operand.column) if e != 0)
    words = f"each cell of {mine.tensor} is the one that the contract names"
    other = f"it lies in {operand.memory}[{','.join(map(str, named))}], and {site.use.instruction.name} has {mine}"
    index = named_by_data(site, mine.tensor)
    plain = tuple(n for n, i in zip(named, index, strict=False) if not elements([i]))
    same = tuple(mine.index) == named if not index else plain == tuple(i for i in index if not elements([i]))
    if is_box(operand):  # of a layout: apart_cells()
        book.structure("program", site.name, words, same and len(mine.index) == len(named), other)
    coordinates = held(moments, site, x, operand, place)[0]
    if index:
        cells = [x.at(e) for e in rows_and_columns(moments, site, operand)[:2]]
        given = [*given, *data_in(moments.program.kernel, point, cells)]
        goals = [f for i in insides(cells) for f in (("le", sp.S.Zero, i.args[0]), ("lt", i.args[0], i.args[1]))]
        book.ask("bounds", site.name, f"each index of {mine.tensor} names one of its cells", given, goals, (x,))
        for name in dict.fromkeys(e.tensor for e in elements(index)):
            b = moments.buffers[dict(site.use.operands)[name].name]
            words = f"{b.name} holds 0 where it stands for no element"
            book.structure("bounds", site.name, words, b.type.outside == "0", f"it may hold {b.type.outside}")
        zeros = dict.fromkeys(elements(index), sp.S.Zero)
        first = [(x.at(i.args[0].xreplace(zeros)), i.args[1]) for i in insides(index)]
        goals = [f for e, n in first for f in (("le", sp.S.Zero, e), ("lt", e, n))]
        words = f"an index of 0 names a cell of {mine.tensor}"
        book.ask("bounds", site.name, words, [*x.ranges(), *axes_inside(site, x)], goals, (x,))
    words = f"{mine.tensor} of {site.name} is the element of {wanted.tensor} that the point takes"
    book.ask(
        "program", buffer.name, words, given, equal(coordinates, [substitute(i, point) for i in wanted.index]), (x,)
    )


def _pairs(moments: Moments, site: UseSite, statement: Statement) -> list[tuple[Access, Access]]:
    """Each operand of the contract with an element of the statement: the next one of the tensor it holds, or the last.

    The order is free, as products commute; the value computed from the pairs is compared with the kernel's.
    """
    wanted, places = list(statement.inputs), dict(site.use.operands)
    found: list[tuple[Access, Access]] = []
    for a in _operands(site):
        held = moments.buffers[places[a.tensor].name].type.tensor
        last = [w for _, w in found if w.tensor == held][-1:]
        taken = next(iter([w for w in wanted if w.tensor == held] + last + wanted), statement.inputs[0])
        found.append((a, taken))
        wanted = [w for w in wanted if w != taken]
    return found


def _exclusive(
    book: UseBook, moments: Moments, add: UseSite, site: UseSite, taken: tuple[Operand, Ref] | None = None
) -> None:
    """A cell of sums touched by one use and a cell changed by another are one cell, or stand for different elements."""
    (mine, here), (other, there) = sums_of(moments, add), taken or sums_of(moments, site)
    x, y = moments.moment(add), moments.moment(site, "'")
    (a, live), (b, alive) = held(moments, add, x, mine, here), held(moments, site, y, other, there)
    given = [*moments.known(x, y), *axes_inside(add, x), *axes_inside(site, y), *live, *alive, *equal(a, b)]
    left, right = (
        (*c.version, c.row, c.column) for c in (cell(moments, add, mine, here), cell(moments, site, other, there))
    )
    if len(left) != len(right):
        return book.unknown("exclusive", here.name, f"{site.name} names contents as {add.name} does", "it does not")
    words = f"cells of {here.name} stand for different outputs"
    if site is not add:
        words = f"what {site.name} takes for a sum is the cell that {add.name} changes"
    goals = [("eq", x.at(e), y.at(f)) for e, f in zip(left, right, strict=True)]
    book.ask("exclusive", here.name, words, given, goals, (x, y))
    return None


def handed_on(book: UseBook, moments: Moments, add: UseSite, site: UseSite) -> None:
    """A use hands sums on: each cell of an element in the new buffer receives the sum of that element."""
    x, (target, to), (source, place) = moments.moment(site), sums_of(moments, site), taken_from(moments, site)
    types = [moments.buffers[p.name].dtype for p in (to, place)]
    words = f"{site.name} takes sums on as they are"
    book.structure("memory", site.name, words, types[0] == types[1], f"it converts {types[1]} to {types[0]}")
    (wanted, alive), (taken, stands) = held(moments, site, x, target, to), held(moments, site, x, source, place)
    words = f"{site.name} puts into {to.name} the sums that it stands for"
    given = [*x.ranges(), *axes_inside(site, x), *alive]
    book.ask("program", to.name, words, given, [*active(site, x), *stands, *equal(wanted, taken)], (x,))
    _exclusive(book, moments, add, site, taken_from(moments, site))


def _elements(book: UseBook, moments: Moments, site: UseSite, epilogue: Epilogue) -> None:
    """A step of the epilogue reads beside a sum the same elements as the kernel; the sum has its own type."""
    x, (operand, place), instruction = moments.moment(site), sums_of(moments, site), site.use.instruction
    immediates(book, site)
    buffer, tensor = moments.buffers[place.name], moments.program.kernel.tensor(epilogue.sum)
    words = f"{place.name} holds sums as {tensor.name} has them"
    book.structure(
        "memory", site.name, words, buffer.dtype == tensor.dtype, f"they are {buffer.dtype}, not {tensor.dtype}"
    )
    coordinates, alive = held(moments, site, x, operand, place)
    inputs = {a.tensor: a for a in epilogue.statement.inputs} if epilogue.statement else {}
    for name, there in others(site):
        words = f"{name} of {site.name} is the element of {there.name} that the kernel reads"
        if there.name not in inputs or there.name == epilogue.sum:
            book.structure("program", site.name, words, False, "the kernel reads none there")
            continue
        wanted = list(epilogue.index(inputs[there.name], tuple(coordinates)))
        given = [*x.ranges(), *axes_inside(site, x), *active(site, x), *alive]
        book.ask("program", site.name, words, given, equal(wanted, list(x.at(there.index))), (x,))
    for name, there in beside(moments, site, epilogue.sum):
        taken = moments.buffers[there.name].type.tensor
        words = f"{name} of {site.name} holds the element of {taken} that the kernel reads"
        if taken not in inputs:
            book.structure("program", site.name, words, False, "the kernel reads none there")
            continue
        found, stands = held(moments, site, x, instruction.operand(name), there)
        wanted = list(epilogue.index(inputs[taken], tuple(coordinates)))
        given = [*x.ranges(), *axes_inside(site, x), *active(site, x), *alive]
        book.ask("program", there.name, words, given, [*stands, *equal(wanted, found)], (x,))


def _begun(book: UseBook, moments: Moments, site: UseSite) -> None:
    """Each sum begins at its element: no cell of a sum lies beyond the active ones."""
    instruction, x = site.use.instruction, moments.moment(site)
    if (begins_at(instruction) == 0 and instruction.beyond == ZERO) or not instruction.counted:
        return
    operand, place = sums_of(moments, site)
    alive = held(moments, site, x, operand, place)[1]
    words = f"{site.name} brings an element to each cell of {place.name} that stands for a sum"
    book.ask("program", place.name, words, [*x.ranges(), *axes_inside(site, x), *alive], active(site, x), (x,))


def _spared(book: UseBook, moments: Moments, site: UseSite) -> None:
    """A use that changes sums leaves inactive sums as they are."""
    instruction, x = site.use.instruction, moments.moment(site)
    if not instruction.counted or instruction.beyond == KEPT:
        return
    operand, place = sums_of(moments, site)
    alive, beyond = held(moments, site, x, operand, place)[1], negated(active(site, x))
    words = f"{site.name} sets no sum to 0"
    book.ask("program", place.name, words, [*x.ranges(), *axes_inside(site, x), beyond], [negated(alive)], (x,))


def _updated(book: UseBook, moments: Moments, site: UseSite, epilogue: Epilogue) -> None:
    """A step that changes sums in place changes each of them once."""
    operand, place = sums_of(moments, site)
    x, y = moments.moment(site), moments.moment(site, "'")
    (a, live), (b, alive) = (held(moments, site, m, operand, place) for m in (x, y))
    again = [f for m in (x, y) for f in (*axes_inside(site, m), *active(site, m))]
    cells = [("eq", x.at(c.symbol), y.at(c.symbol)) for c in contract_of(site).axes]
    words = f"{site.name} changes no sum twice"
    given = [*moments.known(x, y), *again, *live, *alive, *equal(a, b)]
    book.ask("exclusive", place.name, words, given, [x.same(y), *cells], (x, y))
    along_axes = a if is_box(operand) else straight(book, moments, site, a)
    index = dict(zip((f"d{n}" for n in range(len(a))), along_axes, strict=True))
    axes = {f"d{n}": e for n, e in enumerate(moments.program.kernel.tensor(epilogue.sum).shape)}
    covered(book, site, index, axes, f"{site.name} changes each sum", live)
    _spared(book, moments, site)


def _stored(book: UseBook, moments: Moments, site: UseSite, epilogue: Epilogue) -> None:
    """The storing use stores each element of the output once, at its own place."""
    x, contract, place = moments.moment(site), contract_of(site), target(site)
    operand, buffer_place = sums_of(moments, site)
    assert place is not None
    words = f"{site.name} leaves elements that are not active as they are"
    cut = bool(site.use.instruction.counted) and site.use.instruction.beyond != KEPT
    book.structure("program", place.name, words, not cut, "it sets them to 0")
    coordinates, guard = held(moments, site, x, operand, buffer_place)
    belongs = list(epilogue.stored(tuple(coordinates)))
    here = [*x.ranges(), *axes_inside(site, x), *active(site, x)]
    words = f"{site.name} stores what stands for the element"
    book.ask("program", place.name, words, here, [*guard, *equal(belongs, list(x.at(place.index)))], (x,))
    y = moments.moment(site, "'")
    again = [f for m in (x, y) for f in (*axes_inside(site, m), *active(site, m))]
    same = equal(list(x.at(place.index)), list(y.at(place.index)))
    cells = [("eq", x.at(a.symbol), y.at(a.symbol)) for a in contract.axes]
    words = f"{site.name} stores no element twice"
    book.ask("exclusive", place.name, words, [*moments.known(x, y), *again, *same], [x.same(y), *cells], (x, y))
    stored, index, alive = place.name, list(place.index), []
    if epilogue.of_a_part:  # whether all parts are all of the tensor is asked of all phases together
        stored, index, alive = epilogue.sum, coordinates, guard
    axes = {f"d{n}": e for n, e in enumerate(moments.program.kernel.tensor(stored).shape)}
    places = {f"d{n}": e for n, e in enumerate(index)}
    covered(book, site, places, axes, f"each element of {stored} is stored", alive)
