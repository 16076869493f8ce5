"""Staged schedules by CP-SAT: the least bound of all plans left, by the same formulas as over numbers.

A bound is no time. So a caller takes the plan with the least, looks how long it really takes, forbids it, and asks
again for possibly quicker ones, until there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from isamap_encodings import cp_sat, deadline
from isamap_encodings.staging_bound import bound
from isamap_encodings.staging_problem import (
    REGIONS,
    Choices,
    Numbers,
    StagingDecision,
    StagingOperand,
    StagingProblem,
    brings,
    rows,
    table,
    within,
)
from isamap_encodings.without_pandas import cp_model

LIMIT = 1 << 52  # the solver counts in 64 bits, in sums too; a plan of more ticks is none


@dataclass(frozen=True)
class StagingAnswer:
    """decision: None if there is none. status: OPTIMAL, FEASIBLE, INFEASIBLE or UNKNOWN. bound: in ticks; no plan
    left takes less. effort: of the solver, in its deterministic seconds."""

    decision: StagingDecision | None
    status: str
    bound: int
    effort: float


@dataclass(frozen=True)
class Quantity:
    """A linear expression of the solver, from 0 to `most`."""

    of: Any
    most: int

    def __add__(self, other: Any) -> Quantity:
        o = _quantity(other)
        return Quantity(self.of + o.of, self.most + o.most)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Quantity:
        return Quantity(self.of - _quantity(other).of, self.most)

    def __rmul__(self, factor: int) -> Quantity:
        if not factor:
            return Quantity(0, 0)  # `0 * x` would be a constant of the solver's, which it does not add to others
        return Quantity(factor * self.of, factor * self.most)


def _quantity(x: Any) -> Quantity:
    """Of a quantity, a number, or one of the model's bits."""
    if isinstance(x, Quantity):
        return x
    return Quantity(x, 1) if isinstance(x, cp_model.IntVar) else Quantity(int(x), int(x))


class Expressions(Numbers):
    """The algebra of a model's expressions."""

    def __init__(self, model: cp_model.CpModel) -> None:
        self.model = model

    def new(self, most: int) -> Quantity:
        """A variable from 0 to `most`."""
        return Quantity(self.model.new_int_var(0, min(most, LIMIT), ""), min(most, LIMIT))

    def _single(self, q: Quantity) -> Any:
        """One variable equal to the quantity: products and quotients are of variables."""
        if isinstance(q.of, int | cp_model.IntVar):
            return q.of
        found = self.new(q.most)
        self.model.add(found.of == q.of)
        return found.of

    def times(self, *x: Any) -> Any:
        quantities = [_quantity(v) for v in x]
        known = prod(q.most for q in quantities if isinstance(q.of, int))
        found: Quantity | None = None
        several = False
        for q in (q for q in quantities if not isinstance(q.of, int)):
            several, found = found is not None, q if found is None else self._product(found, q, several)
        return known * found if found is not None else _quantity(known)

    def _product(self, x: Quantity, y: Quantity, of_product: bool) -> Quantity:
        """x * y. If x is a product, as (x + 1) * y - y: CP-SAT 9.14 ends the process if presolve puts one into the other."""
        a, b = self._single(x), self._single(y)
        product = self.new((x.most + of_product) * y.most)
        self.model.add_multiplication_equality(product.of, [a + int(of_product), b])
        return Quantity(product.of - b, min(x.most * y.most, LIMIT)) if of_product else product

    def largest(self, *x: Any) -> Any:
        return self._extreme(x, max, self.model.add_max_equality)

    def most(self, *x: Any) -> Any:
        quantities = [_quantity(v) for v in x]
        found = self.new(max(q.most for q in quantities))
        for q in quantities:
            self.model.add(found.of >= q.of)
        return found

    def smallest(self, *x: Any) -> Any:
        return self._extreme(x, min, self.model.add_min_equality)

    def _extreme(self, x: Sequence[Any], most: Callable[..., int], add: Callable[..., Any]) -> Quantity:
        quantities = [_quantity(v) for v in x]
        found = self.new(most(q.most for q in quantities))
        add(found.of, [self._single(q) for q in quantities])
        return found

    def quotient(self, x: Any, y: Any) -> Any:
        a, b = _quantity(x), _quantity(y)
        found = self.new(a.most)
        divisor = self.model.new_int_var(1, max(1, b.most), "")
        self.model.add(divisor == b.of)
        self.model.add_division_equality(found.of, self._single(a), divisor)
        return found

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        if isinstance(condition, bool | int):
            return x if condition else y
        bit = condition.of if isinstance(condition, Quantity) else condition
        a, b = _quantity(x), _quantity(y)
        found = self.new(max(a.most, b.most))
        self.model.add(found.of == a.of).only_enforce_if(bit)
        self.model.add(found.of == b.of).only_enforce_if(~bit)
        return found

    def less(self, x: Any, y: Any) -> Any:
        a, b = _quantity(x), _quantity(y)
        found = self.new(a.most)
        difference = self.model.new_int_var(-b.most, a.most, "")
        self.model.add(difference == a.of - b.of)
        self.model.add_max_equality(found.of, [difference, 0])
        return found

    def both(self, x: Any, y: Any) -> Any:
        for a, b in ((x, y), (y, x)):
            if isinstance(a, bool | int):
                return b if a else False
        return _both(self.model, *(c.of if isinstance(c, Quantity) else c for c in (x, y)))

    def without(self, x: Any) -> Any:
        return not x if isinstance(x, bool | int) else ~(x.of if isinstance(x, Quantity) else x)

    def fewer(self, x: Any, y: Any) -> Any:
        a, b = _quantity(x), _quantity(y)
        if isinstance(a.of, int) and isinstance(b.of, int):
            return a.of < b.of
        bit = self.model.new_bool_var("")
        self.model.add(a.of < b.of).only_enforce_if(bit)
        self.model.add(a.of >= b.of).only_enforce_if(~bit)
        return bit

    def some(self, *conditions: Any) -> Any:
        bits = [c.of if isinstance(c, Quantity) else c for c in conditions if not isinstance(c, bool | int) or c]
        if any(isinstance(b, bool | int) for b in bits):
            return True
        found = self.model.new_bool_var("")
        self.model.add_max_equality(found, bits or [0])
        return found


@dataclass(frozen=True)
class _Variables:
    """By name: the number of tiles of a step, region, stage, slots, way, and whether it is filled inside of the loops."""

    tiles: dict[str, Any]
    regions: dict[str, Any]
    stages: dict[str, Any]
    slots: dict[str, Any]
    ways: dict[str, tuple[Any, ...]]
    inside: dict[str, Any]


class StagingModel:
    """All plans of a problem, except forbidden ones and those bounded out."""

    def __init__(self, problem: StagingProblem, seed: int = 0) -> None:
        self.problem, self.seed = problem, seed
        self.model = cp_model.CpModel()
        n = Expressions(self.model)
        self.v, chosen = _declared(problem, self.model, n)
        used = rows(problem, chosen, n)
        for memory, most in problem.memories:
            self.model.add(_quantity(used[memory]).of <= most)
        self.least = _quantity(bound(problem, chosen, n)).of
        self.model.minimize(self.least)

    def forbid(self, d: StagingDecision) -> None:
        """No plan with these steps, regions, stages and ways, whatever its slots and wherever stages are filled."""
        others = []
        for variables, values in ((self.v.tiles, d.tiles), (self.v.regions, d.regions), (self.v.stages, d.stages)):
            for name, x in variables.items():
                bit = self.model.new_bool_var("")
                self.model.add(x != values[name]).only_enforce_if(bit)
                others.append(bit)
        others += [~bits[d.ways[o]] for o, bits in self.v.ways.items()]
        self.model.add_bool_or(others)

    def some_inside(self) -> bool:
        """Demands a stage that is filled inside of loops around which it stands. Returns whether there may be one."""
        bits = [bit for bit in self.v.inside.values() if bit is not False]
        self.model.add_bool_or(bits)
        return bool(bits)

    def below(self, ticks: int) -> None:
        """No plan whose bound is not below."""
        self.model.add(self.least < ticks)

    def solve(self, timeout: float) -> StagingAnswer:
        """A plan with the least bound. timeout: in the solver's deterministic seconds, so that answers repeat.

        Raises KeyboardInterrupt for Ctrl-C.
        """
        solver = cp_model.CpSolver()
        solver.parameters.max_deterministic_time = timeout
        solver.parameters.random_seed = self.seed
        solver.parameters.num_workers = 1
        # Products and quotients have weak relaxations, and probing takes longer than what it saves: half the time without either.
        solver.parameters.linearization_level = 0
        solver.parameters.cp_model_probing_level = 0
        code, interrupted = cp_sat.run(solver, self.model)
        if interrupted:
            raise KeyboardInterrupt
        status = solver.status_name(code)
        if status in ("FEASIBLE", "UNKNOWN"):
            deadline.stopped()
        effort = float(solver.response_proto.deterministic_time)
        least = max(0, math.ceil(solver.best_objective_bound - 1e-6)) if status != "INFEASIBLE" else 0
        if status not in ("OPTIMAL", "FEASIBLE"):
            return StagingAnswer(None, status, least, effort)
        v = self.v
        decision = StagingDecision(
            {a: solver.value(x) for a, x in v.tiles.items()},
            {a: solver.value(x) for a, x in v.regions.items()},
            {o: solver.value(x) for o, x in v.stages.items()},
            {o: solver.value(x) for o, x in v.slots.items()},
            {o: next(w for w, bit in enumerate(bits) if solver.value(bit)) for o, bits in v.ways.items()},
            tuple(o for o, bit in v.inside.items() if bit is not False and solver.value(bit)),
        )
        return StagingAnswer(decision, status, least, effort)


def _declared(problem: StagingProblem, model: cp_model.CpModel, n: Expressions) -> tuple[_Variables, Choices]:
    """The decisions, with the constraints of a plan."""
    pins = dict(problem.pins)

    def chosen(name: str, values: list[int]) -> Any:
        given = [pins[name]] if name in pins else values
        return model.new_int_var_from_domain(cp_model.Domain.from_values(given), name)

    tiles: dict[str, Any] = {}
    columns: tuple[dict[str, Quantity], ...] = ({}, {}, {}, {})  # as of table()
    for a in problem.axes:
        tiles[a.name] = chosen(f"tile.{a.name}", list(a.steps))
        values = {*a.steps, *([pins[f"tile.{a.name}"]] if f"tile.{a.name}" in pins else [])}
        lines = [(t, *table(a, t)) for t in sorted(values)]
        for c, column in enumerate(columns, 1):
            column[a.name] = n.new(max(line[c] for line in lines))
        model.add_allowed_assignments([tiles[a.name], *(column[a.name].of for column in columns)], lines)
    counts = columns[0]
    regions = {a.name: chosen(f"region.{a.name}", list(range(REGIONS))) for a in problem.axes}
    stages = {o.name: chosen(f"stage.{o.name}", list(range(REGIONS))) for o in problem.stages}
    slots = {o.name: chosen(f"slots.{o.name}", list(range(1, problem.slots + 1))) for o in problem.stages}
    ways = {o.name: _ways(model, o, pins) for o in problem.stages}
    present = {o.name: _passes(problem, model, o, ways, stages, slots) for o in problem.outers}

    def least(x: Any, bound: Any) -> Any:
        """Whether x <= bound."""
        bit = model.new_bool_var("")
        model.add(x <= bound).only_enforce_if(bit)
        model.add(x > bound).only_enforce_if(~bit)
        return bit

    outside = {(a, r): least(x, r) for a, x in regions.items() for r in range(REGIONS)}
    around = {(a, o): least(x, s) for a, x in regions.items() for o, s in stages.items()}
    stands = {(o, r): _is(model, s, r) for o, s in stages.items() for r in range(REGIONS)}
    for o, here in present.items():
        stands |= {(o, r): _both(model, stands[o, r], here) for r in range(REGIONS)}
    single = {o: _is(model, s, 1) for o, s in slots.items()}
    if problem.passed:
        single[problem.output.name] = False
    inside = {o.name: _filled(problem, model, o, ways, stands, present) for o in problem.stages}
    _legal(problem, model, counts, regions, around, stands, present, inside)
    most = {a.name: max(a.steps) for a in problem.axes}
    quantities = {a: Quantity(x, max(most[a], pins.get(f"tile.{a}", 1))) for a, x in tiles.items()}
    count, padded, first, last = columns
    made = Choices(
        quantities, {a: Quantity(x, REGIONS - 1) for a, x in regions.items()},
        dict(count), dict(padded), dict(first), dict(last), outside, stands, around,
        {o: Quantity(s, problem.slots) for o, s in slots.items()}, single, ways, present, inside,
    )  # fmt: skip
    return _Variables(tiles, regions, stages, slots, ways, inside), made


def _filled(
    problem: StagingProblem, model: cp_model.CpModel, o: StagingOperand, ways: dict[str, tuple[Any, ...]],
    stands: dict[tuple[str, int], Any], present: dict[str, Any],
) -> Any:  # fmt: skip
    """Whether a stage is filled inside of the loops: one of its ways can, and some stage stands there. False if never."""
    able, pinned = brings(problem, o), dict(problem.pins).get(f"inside.{o.name}")
    if pinned == 0 or (pinned is None and not any(able)):
        return False
    bit = model.new_bool_var(f"inside.{o.name}")
    if pinned:
        model.add(bit == 1)
    for way, can in zip(ways[o.name], able, strict=True):
        if not can:
            model.add_bool_or(~bit, ~way)
    if o.of:
        model.add_implication(bit, present[o.name])
    model.add_bool_or(~bit, *(stands[x, r] for x in within(problem, o) for r in range(1, REGIONS)))
    return bit


def _ways(model: cp_model.CpModel, o: StagingOperand, pins: dict[str, int]) -> tuple[Any, ...]:
    """One bit for each way; exactly one is set."""
    bits = tuple(model.new_bool_var(f"via.{o.name}.{w.name}") for w in o.ways)
    model.add_exactly_one(bits)
    if f"via.{o.name}" in pins:
        model.add(bits[pins[f"via.{o.name}"]] == 1)
    return bits


def _passes(
    problem: StagingProblem, model: cp_model.CpModel, o: StagingOperand, ways: dict[str, tuple[Any, ...]],
    stages: dict[str, Any], slots: dict[str, Any],
) -> Any:  # fmt: skip
    """Whether the way of its operand leads through an outer stage; it then stands no further in than the operand's
    stage. Otherwise it has the first of all values."""
    (of,) = (x for x in problem.inputs if x.name == o.of)
    here = model.new_bool_var(f"present.{o.name}")
    model.add(sum(bit for bit, w in zip(ways[of.name], of.ways, strict=True) if w.outer == o.name) == here)
    model.add(stages[o.name] <= stages[of.name]).only_enforce_if(here)
    for value, first in ((stages[o.name], 0), (slots[o.name], 1), (ways[o.name][0], 1)):
        model.add(value == first).only_enforce_if(~here)
    return here


def _both(model: cp_model.CpModel, x: Any, y: Any) -> Any:
    """Whether both hold."""
    bit = model.new_bool_var("")
    model.add_bool_and(x, y).only_enforce_if(bit)
    model.add_bool_or(~x, ~y).only_enforce_if(~bit)
    return bit


def _is(model: cp_model.CpModel, x: Any, value: int) -> Any:
    """Whether x is the value."""
    bit = model.new_bool_var("")
    model.add(x == value).only_enforce_if(bit)
    model.add(x != value).only_enforce_if(~bit)
    return bit


def _legal(
    problem: StagingProblem, model: cp_model.CpModel, counts: dict[str, Quantity], regions: dict[str, Any],
    around: dict[tuple[str, str], Any], stands: dict[tuple[str, int], Any], present: dict[str, Any],
    inside: dict[str, Any],
) -> None:  # fmt: skip
    """Sums end inside the output's stage; slots are of constant size; a stage stands inside loops of its own region;
    no loop is around the stage of a `still` operand, or around one that is filled inside of the loops."""
    reduced = {a.name for a in problem.reduced}
    pins = dict(problem.pins)
    many = {}
    of_region = {}
    for a in problem.axes:
        bit = many[a.name] = model.new_bool_var("")
        model.add(counts[a.name].of >= 2).only_enforce_if(bit)
        model.add(counts[a.name].of == 1).only_enforce_if(~bit)
        if not a.open and f"region.{a.name}" not in pins:  # a loop of one step is none, in whatever region
            model.add(regions[a.name] == 0).only_enforce_if(~bit)
        if a.name in reduced:
            model.add_bool_or(~around[a.name, problem.output.name], *([] if a.open else [~bit]))
        for name in problem.still:
            model.add_bool_or(~around[a.name, name], *([] if a.open else [~bit]))
        for name, filled in inside.items():
            if filled is not False:
                model.add_bool_or(~filled, ~around[a.name, name], *([] if a.open else [~bit]))
        for o in problem.stages:
            if a.open and a.name in o.axes:
                must = model.add(around[a.name, o.name] == 1)
                if o.of:
                    must.only_enforce_if(present[o.name])
    for r in range(REGIONS):
        loops = []
        for a in problem.axes:
            here = _is(model, regions[a.name], r)
            loops.append(_both(model, here, many[a.name]))
        for o in problem.stages if r else ():
            model.add_bool_or(*loops, ~stands[o.name, r])
        of_region[r] = loops
    if not problem.still and not any(name.startswith(("region.", "stage.")) for name in pins):
        _once(problem, model, of_region, stands)


def _once(
    problem: StagingProblem, model: cp_model.CpModel, loops: dict[int, list[Any]], stands: dict[tuple[str, int], Any]
) -> None:
    """Keep one of several plans if they differ only in numbers of regions and in the order of tiles inside of all stages."""
    pins = dict(problem.pins)
    model.add_bool_or(*(stands[o.name, 0] for o in problem.stages))  # else each region is the one before
    for loop in loops[2]:
        model.add_bool_or(*loops[1], ~loop)
    for r in range(1, REGIONS):
        here = [stands[o.name, r] for o in problem.stages]
        inside = [stands[o.name, q] for o in problem.stages for q in range(r + 1, REGIONS)]
        for a, loop in zip(problem.axes, loops[r], strict=True):
            # loops of a region where nothing stands are part of the next one, and the innermost ones of a step
            whole = not a.open and a.tiles in a.steps and f"tile.{a.name}" not in pins
            for further in [[]] if whole else [[~x] for x in inside]:
                model.add_bool_or(*here, *further, ~loop)
