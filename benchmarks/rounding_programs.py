"""Random kernels of several statements, and their exact results: joined indices, elements without points, and reads before writes.

Targets are indexed by `i+k`, `i//2`, `i%3` and the like, need not be covered, are written by several statements, and read before
they are written, by the statement itself, or by other time steps. Results are worked out point by point in fractions, functions
with 60 digits; nothing is shared with what is tested. An element that is infinite or has no value is None: nothing may be stated of
it.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

mpmath.mp.dps = 60
FUNCTIONS = {
    "exp": mpmath.exp, "log": mpmath.log, "sqrt": mpmath.sqrt, "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "tanh": mpmath.tanh, "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "erf": mpmath.erf,
}  # fmt: skip
NARROW = {"exp": (-6, 4), "log": (0.25, 9), "sqrt": (0.01, 9), "rsqrt": (0.01, 9)}
LONG = 3000  # bits of a fraction that is shortened to 60 digits
START = {"+=": Fraction(0), "=": Fraction(0), "*=": Fraction(1), "max=": None, "min=": None}
INDICES: dict[str, Callable[[Mapping[str, int]], int]] = {
    "i": lambda p: p["i"], "k": lambda p: p["k"], "i+k": lambda p: p["i"] + p["k"], "2*i+k": lambda p: 2 * p["i"] + p["k"],
    "i//2": lambda p: p["i"] // 2, "i%2": lambda p: p["i"] % 2, "(i+k)//2": lambda p: (p["i"] + p["k"]) // 2,
    "i+1": lambda p: p["i"] + 1, "(i+2*k)%3": lambda p: (p["i"] + 2 * p["k"]) % 3, "2*i": lambda p: 2 * p["i"], "0": lambda p: 0,
}  # fmt: skip
GUARDS: dict[str, Callable[[Mapping[str, int]], bool]] = {
    "": lambda p: True, "k <= i": lambda p: p["k"] <= p["i"], "i < k": lambda p: p["i"] < p["k"], "i < 2": lambda p: p["i"] < 2,
    "1 <= i+k": lambda p: p["i"] + p["k"] >= 1,
}  # fmt: skip


@dataclass(frozen=True)
class Made:
    """An expression, and what it computes of exact elements: `value` of those at one point."""

    text: str
    value: Any


class UndefinedError(Exception):
    """An element has no value, or an infinite one."""


def fraction(x: Any) -> Fraction:
    """Of what mpmath has found, to 60 digits."""
    sign, mantissa, exponent, _ = mpmath.mpf(x)._mpf_
    found = Fraction(int(mantissa)) * Fraction(2) ** exponent
    return -found if sign else found


def shortened(x: Fraction) -> Fraction:
    """The same to 60 digits, where it is long."""
    return fraction(mpmath.mpf(x.numerator) / x.denominator) if x.denominator.bit_length() > LONG else x


def expression(rng: random.Random, leaves: list[Made], depth: int) -> Made:
    """Of some of these elements."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(leaves)
    a = expression(rng, leaves, depth - 1)
    kind = rng.choice("+-*/mxsfff")
    if kind == "f":
        name = rng.choice(list(FUNCTIONS))
        inner, of = a, a.value
        if name in NARROW:
            low, high = (Fraction(str(v)) for v in NARROW[name])
            inner = Made(f"max(min({a.text}, {float(high)}), {float(low)})", lambda p: max(min(of(p), high), low))
        f, g = FUNCTIONS[name], inner.value

        def applied(p: Any) -> Fraction:
            x = g(p)
            return fraction(f(mpmath.mpf(x.numerator) / x.denominator))

        return Made(f"{name}({inner.text})", applied)
    if kind == "s":
        square = a.value
        return Made(f"(({a.text}) * ({a.text}))", lambda p: square(p) ** 2)
    b = expression(rng, leaves, depth - 1)
    x, y = a.value, b.value
    if kind == "/":
        return Made(f"(({a.text}) / (abs({b.text}) + 0.125))", lambda p: x(p) / (abs(y(p)) + Fraction(1, 8)))
    if kind == "m":
        return Made(f"max({a.text}, {b.text})", lambda p: max(x(p), y(p)))
    if kind == "x":
        return Made(f"min({a.text}, {b.text})", lambda p: min(x(p), y(p)))
    two = {"+": lambda u, v: u + v, "-": lambda u, v: u - v, "*": lambda u, v: u * v}[kind]
    return Made(f"(({a.text}) {kind} ({b.text}))", lambda p: two(x(p), y(p)))


class Exact:
    """Every tensor, element by element. first: the operator of the first statement that writes it."""

    def __init__(self, arrays: Mapping[str, np.ndarray], lengths: Mapping[str, int], first: Mapping[str, str]) -> None:
        self.inputs = {n: np.vectorize(Fraction, otypes=[object])(a.astype(np.float64)) for n, a in arrays.items()}
        self.first = first
        self.held: dict[str, list[Fraction | None]] = {n: [START[first[n]]] * length for n, length in lengths.items()}
        self.written = {n: [False] * length for n, length in lengths.items()}

    def read(self, tensor: str, at: int) -> Fraction:
        """Raises UndefinedError for an element without a finite value."""
        found = self.held[tensor][at]
        if found is None:
            raise UndefinedError
        return found

    def write(self, tensor: str, at: int, op: str, value: Fraction | None) -> None:
        """One point of a statement."""
        held, old = self.held[tensor], self.held[tensor][at]
        begins = not self.written[tensor][at] and op == self.first[tensor]
        self.written[tensor][at] = True
        if op == "=" or (begins and op in ("max=", "min=")):
            held[at] = value if value is None else shortened(value)
        elif value is None or old is None:
            held[at] = None
        else:
            held[at] = shortened(
                {"+=": old + value, "*=": old * value, "max=": max(old, value), "min=": min(old, value)}[op]
            )


@dataclass(frozen=True)
class Line:
    """A statement. index: of its target, in the row `row`, where there are time steps."""

    target: str
    index: str
    op: str
    value: Made
    axes: tuple[str, ...]
    guard: str = ""
    row: str = ""

    def text(self) -> str:
        """As it is written."""
        at = f"{self.row},{self.index}" if self.row else self.index
        guard = f" where {self.guard}" if self.guard else ""
        over = f" over {', '.join(('t', *self.axes) if self.row else self.axes)}"
        return f"{'  ' if self.row else ''}{self.target}[{at}] {self.op} {self.value.text}{over}{guard}"


@dataclass
class Drawn:
    """A kernel. lengths: of the vectors that it writes, or of the rows of what it writes in so many time steps. ends: of
    the axes j of vectors, those included that no line writes."""

    sizes: dict[str, int]
    steps: int = 0
    lines: list[Line] = field(default_factory=list)
    lengths: dict[str, int] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    temporaries: list[str] = field(default_factory=list)

    def text(self) -> str:
        """As it is written."""
        rows = f"{self.steps + 1}," if self.steps else ""
        head = [f"temporary {n}" for n in self.temporaries] + [
            f"{n}: [{rows}{length}]" for n, length in self.lengths.items()
        ]
        head += [
            f"axis j{n} < {length}" for n, length in self.ends.items() if any(f"j{n}" in s.axes for s in self.lines)
        ]
        head += [f"axis {n} < {size}" for n, size in self.used.items()]
        head += [f"axis t < {self.steps}", "for t:"] if self.steps else []
        return "\n".join([*head, *(s.text() for s in self.lines)])

    @property
    def used(self) -> dict[str, int]:
        """The sizes that stand in it."""
        return {n: v for n, v in self.sizes.items() if any(n in s.axes for s in self.lines)}

    @property
    def results(self) -> list[str]:
        """Names of what is given back."""
        return [n for n in self.lengths if n not in self.temporaries]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of the inputs that the kernel reads."""
        i, k = self.sizes["i"], self.sizes["k"]
        return {n: s for n, s in {"X": (i, k), "W": (k,), "V": (i,)}.items() if f"{n}[" in self.text()}

    def exact(self, arrays: Mapping[str, np.ndarray]) -> dict[str, list[Fraction | None]]:
        """The results, element by element."""
        first = {n: next(s.op for s in self.lines if s.target == n) for n in self.lengths}
        held = Exact(arrays, {n: length * (self.steps + 1) for n, length in self.lengths.items()}, first)
        extents = {**self.sizes, **{f"j{n}": length for n, length in self.ends.items()}}
        for t in range(max(self.steps, 1)):
            for s in self.lines:
                row = t + s.row.count("+1")
                for values in itertools.product(*(range(extents[a]) for a in s.axes)):
                    point = {**dict(zip(s.axes, values, strict=True)), "t": t}
                    if GUARDS[s.guard](point):
                        at = row * self.lengths[s.target] + _place(s.index, point)
                        held.write(s.target, at, s.op, _value(s.value, held, point))
        return {n: held.held[n] for n in self.results}


def _value(made: Made, held: Exact, point: Mapping[str, int]) -> Fraction | None:
    try:
        return Fraction(made.value((held, point)))
    except UndefinedError:
        return None


def _place(index: str, point: Mapping[str, int]) -> int:
    return point[index] if index in point else INDICES[index](point)


def drawn(rng: random.Random, steps: float = 0.0) -> Drawn:
    """One to five statements over up to three vectors; so often, they are computed in time steps."""
    while True:
        made = Drawn({"i": rng.randint(1, 5), "k": rng.randint(1, 5)}, rng.randint(1, 3) if rng.random() < steps else 0)
        names = rng.sample(["A", "B", "C"], rng.randint(1, 3))
        made.lengths = {n: rng.randint(1, 9) for n in names}
        lines = [_line(rng, made, n) for n in (*names, *rng.choices(names, k=rng.randint(0, 2)))]
        made.lines = [s for s in lines if s is not None]
        if rng.random() < 0.3:
            rng.shuffle(made.lines)
        if len(names) > 1 and not made.steps and rng.random() < 0.2:
            made.lines = _chain(rng, made, *names[:2])
        written = {s.target for s in made.lines}
        if made.lines and all(n in written or not any(f"{n}[" in s.value.text for s in made.lines) for n in names):
            break
    made.ends = made.lengths
    made.lengths = {n: length for n, length in made.lengths.items() if n in written}
    read = {n for n in made.lengths if any(f"{n}[" in s.value.text and s.target != n for s in made.lines)}
    made.temporaries = [n for n in sorted(read) if n != made.lines[-1].target and rng.random() < 0.7]
    return made


def _fits(index: str, sizes: Mapping[str, int], length: int) -> bool:
    points = itertools.product(range(sizes["i"]), range(sizes["k"]))
    return all(0 <= INDICES[index]({"i": i, "k": k}) < length for i, k in points)


def _line(rng: random.Random, made: Drawn, target: str) -> Line | None:
    """A statement with this target: over i and k, or over all elements of a vector."""
    length = made.lengths[target]
    axes: tuple[str, ...]
    if rng.random() < 0.3:
        index = f"j{rng.choice([n for n in made.lengths if made.lengths[n] <= length])}"
        axes, guards = (index,), [""]
    else:
        index = rng.choice([x for x in INDICES if _fits(x, made.sizes, length)])
        axes = tuple(a for a in ("i", "k") if a in index or rng.random() < 0.7) or ("i",)
        guards = ["", "", *(g for g in GUARDS if all(n not in g or n in axes for n in "ik"))]
    op = rng.choice(["+="] * 6 + ["max=", "max=", "min=", "=", "=", "*="])
    if op == "=":
        axes = tuple(a for a in axes if a in index)
        guards = [g for g in guards if all(n not in g or n in axes for n in "ik")]
    if not axes:
        return None
    value = expression(rng, _leaves(rng, made, axes, target), rng.randint(0, 2))
    return Line(target, index, op, value, axes, rng.choice(guards), rng.choice(["t", "t+1"]) if made.steps else "")


def _chain(rng: random.Random, made: Drawn, largest: str, total: str) -> list[Line]:
    """Sums of exponentials less a maximum, of the same points or of others."""
    fits = {n: [x for x in INDICES if _fits(x, made.sizes, made.lengths[n])] for n in (largest, total)}
    index = rng.choice(fits[largest])
    other = index if index in fits[total] and rng.random() < 0.5 else rng.choice(fits[total])
    score = Made("X[i,k]", lambda p: p[0].inputs["X"][p[1]["i"], p[1]["k"]])
    top = _element(largest, index, made.lengths[largest], "")

    def less(p: Any) -> Fraction:
        x = score.value(p) - top.value(p)
        return fraction(mpmath.exp(mpmath.mpf(x.numerator) / x.denominator))

    axes = ("i", "k") if rng.random() < 0.8 else ("k", "i")
    guard = rng.choice(["", "", "", *GUARDS])
    value = Made(f"exp(X[i,k] - {top.text})", less)
    return [
        Line(largest, index, "max=", score, axes, guard),
        Line(total, other, "+=", value, axes, guard if rng.random() < 0.7 else ""),
    ]


def _leaves(rng: random.Random, made: Drawn, axes: tuple[str, ...], target: str) -> list[Made]:
    """Elements that may be read at such a point; seldom, those of the target itself."""
    found = [Made("0.375", lambda p: Fraction(3, 8))]
    if {"i", "k"} <= set(axes):
        found += [Made("X[i,k]", lambda p: p[0].inputs["X"][p[1]["i"], p[1]["k"]])] * 4
    if "k" in axes:
        found += [Made("W[k]", lambda p: p[0].inputs["W"][p[1]["k"]])] * 2
    if "i" in axes:
        found += [Made("V[i]", lambda p: p[0].inputs["V"][p[1]["i"]])] * 2
    for n, length in made.lengths.items():
        if n == target and not made.steps and rng.random() < 0.9:
            continue
        every = [
            x
            for x in INDICES
            if x != "0" and _fits(x, made.sizes, length) and all(a not in x or a in axes for a in "ik")
        ]
        for x in [f"j{n}"] if f"j{n}" in axes else rng.sample(every, min(1, len(every))):
            found += [_element(n, x, length, rng.choice(["t", "t+1"]) if made.steps else "")] * 3
    return found


def _element(tensor: str, index: str, length: int, row: str) -> Made:
    def value(p: Any) -> Fraction:
        held, point = p
        at = (point["t"] + row.count("+1")) * length if row else 0
        return Fraction(held.read(tensor, at + _place(index, point)))

    return Made(f"{tensor}[{row},{index}]" if row else f"{tensor}[{index}]", value)
