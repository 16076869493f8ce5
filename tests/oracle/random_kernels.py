"""Random kernels in all statement forms of the language.

Names now and then are those of C, of descriptions or of the language itself. Some kernels mean nothing or are refused: both are
outcomes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tests.oracle.random_steps import steps
from tests.oracle.random_values import Drawn, value
from tests.oracle.text import Line, Text

# target, elements: the element types of kernels that machines have instructions for, and others
FAMILIES: dict[tuple[str, tuple[str, ...]], int] = {
    ("f32", ("f32",)): 9, ("f64", ("f64",)): 3, ("i32", ("u8", "i8")): 4, ("i32", ("i8",)): 3, ("f32", ("bf16",)): 3,
    ("i32", ("i16",)): 2, ("i32", ("i32",)): 3, ("f32", ("f16",)): 1, ("f16", ("f16",)): 2, ("bf16", ("bf16",)): 2,
    ("i64", ("i64",)): 2, ("i8", ("i8",)): 1, ("u8", ("u8",)): 2, ("i16", ("i16", "i8")): 1, ("u32", ("u32", "u16")): 1,
    ("u64", ("u64",)): 1, ("f64", ("f32", "i32")): 1, ("f32", ("i8", "u8", "i32")): 1, ("u16", ("u16",)): 1,
}  # fmt: skip
BOOLS = [("bool", ("bool",)), ("bool", ("f32",)), ("bool", ("bool", "i32")), ("f32", ("f32", "bool")), ("i32", ("bool",)),
         ("u8", ("bool", "u8")), ("bool", ("bf16", "bool")), ("f64", ("bool", "f64")), ("bool", ("u64", "f16"))]  # fmt: skip
ROWS = {k: w for k, w in FAMILIES.items() if k[1] == (k[0],) and k[0] in ("f32", "f64", "i32")}
CLASHES = (
    "int", "double", "float", "long", "register", "auto", "restrict", "static", "main", "printf", "NULL", "I", "M_PI", "part_",
    "rows_", "words_", "acc", "packed", "tensors", "fresh", "exp", "memcpy", "f32", "over", "size", "axis", "param", "sizes",
    "threads", "out", "c", "a", "b", "l", "e", "i0", "i_0", "_x", "t", "zmm", "linux", "unix", "errno", "stdin", "A_0", "sum",
)  # fmt: skip
FORMS: dict[str, int] = {
    "product": 8, "elements": 5, "convolution": 4, "reduction": 3, "chain": 5, "recurrence": 3, "odd": 5, "bytes": 2,
    "rows": 1, "masked": 1, "data": 2, "steps": 3,
    "bools": 2, "zero points": 1, "neighbours": 1, "leading": 1,
}  # fmt: skip


@dataclass
class Draft:
    """A kernel on its way. sizes: by size symbol; extents of axes follow from the names."""

    rng: random.Random
    family: tuple[str, tuple[str, ...]]
    axes: list[str]
    names: list[str]
    statements: list[Line] = field(default_factory=list)
    parameters: dict[str, int] = field(default_factory=dict)
    extents: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    shapes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    temporaries: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def tensor(self, kind: str) -> str:
        """A new tensor of that type."""
        name = self.names.pop(0)
        self.types[name] = kind
        return name

    def element_kind(self) -> str:
        return self.rng.choice(self.family[1])

    def size(self, axis: str) -> str:
        return self.extents.get(axis) or (axis.upper() if axis != axis.upper() else f"{axis}_")

    def text(self) -> Text:
        return Text(
            tuple(self.statements), dict(self.parameters), dict(self.extents), {}, dict(self.types), dict(self.shapes), (),
            tuple(self.temporaries), tuple(self.assumed),
        )  # fmt: skip


def weighted(rng: random.Random, weights: dict[object, int] | dict[str, int]) -> object:
    return rng.choices(list(weights), list(weights.values()))[0]


def subset(rng: random.Random, axes: list[str], least: int, p: float = 0.6) -> list[str]:
    chosen = [a for a in axes if rng.random() < p]
    while len(chosen) < min(least, len(axes)):
        chosen = [a for a in axes if a in chosen or rng.random() < 0.5]
    return chosen


def at(tensor: str, indices: list[str]) -> str:
    return f"{tensor}[{', '.join(indices)}]"


def odd_index(d: Draft, a: str, others: list[str]) -> str:
    """Something else than the axis itself."""
    b = d.rng.choice(others or [a])
    forms = [
        f"{a}+{b}",
        f"2*{a}",
        f"{a}+1",
        f"{a}+2",
        f"{d.size(a)}-1-{a}",
        f"{a}//2",
        f"{a}%2",
        f"2*{a}+{b}",
        f"{a}+2*{b}",
    ]
    if b == a:
        forms = forms[1:-2]
    if d.parameters:
        s = next(iter(d.parameters))
        forms += [f"{a}*{s}+{b}", f"{a}*{s}"]
    return d.rng.choice(forms)


def read(d: Draft, kind: str, axes: list[str], odd: float = 0.12) -> Drawn:
    """An element of a new tensor, indexed by these axes."""
    chosen = d.rng.sample(axes, len(axes)) if d.chance(0.25) else axes
    indices = [odd_index(d, a, [x for x in axes if x != a]) if d.chance(odd) else a for a in chosen]
    if d.chance(0.03):
        indices.insert(d.rng.randint(0, len(indices)), d.rng.choice(["0", "1"]))
    if indices and d.chance(0.03):
        indices.append(indices[0])  # a diagonal
    return Drawn(at(d.tensor(kind), indices), kind)


def guards(d: Draft, axes: list[str], p: float) -> str:
    """A guard over the axes, or none."""
    if not axes or not d.chance(p):
        return ""
    a, b = d.rng.choice(axes), d.rng.choice(axes)
    one = [f"{a} > 0", f"{a} < 3", f"{a} != 1", f"{a} + 1 < {d.size(a)}", f"{a} % 2 == 0", f"1 <= {a} < 5", f"{a} >= 1"]
    two = [f"{a} <= {b}", f"{a} + {b} < {d.size(a)}", f"{b} < {a}", f"{a} - {b} >= 0", f"{a} == {b}"]
    first = d.rng.choice(one if a == b or d.chance(0.6) else two)
    return f"{first} and {d.rng.choice(one)}" if d.chance(0.15) else first


def over(d: Draft, axes: list[str], p: float = 0.08) -> tuple[str, ...]:
    return tuple(d.rng.sample(axes, len(axes))) if d.chance(p) else ()


def product(d: Draft) -> None:
    """A sum of products: matrix products and what resembles them, batches and vectors among them."""
    out, _ = d.family
    target = subset(d.rng, d.axes, 0)
    summed = [a for a in d.axes if a not in target]
    count = d.rng.choice([1, 2, 2, 2, 2, 3])
    sets = [subset(d.rng, d.axes, 1, 0.7) for _ in range(count)]
    for a in summed:
        if not any(a in s for s in sets):
            sets[0].append(a)
    for a in target:
        if not any(a in s for s in sets) and d.chance(0.9):
            sets[-1].append(a)
    kinds = [d.family[1][n % len(d.family[1])] for n in range(count)]
    name = d.tensor(out)
    reads = [read(d, k, s) for k, s in zip(kinds, sets, strict=True)]
    written = any(k != out for k in kinds) and d.chance(0.6)
    parts = [f"{out}({r.text})" if written and r.kind != out else r.text for r in reads]
    body = " * ".join(parts)
    if d.chance(0.12):
        body = d.rng.choice([f"-({body})", f"2 * {body}", f"{body} + 1", f"{parts[0]} - {body}"])
    op = d.rng.choices(["+=", "max=", "min=", "*="], [14, 2, 1, 1])[0]
    where = [odd_index(d, a, [x for x in target if x != a]) if d.chance(0.04) else a for a in target]
    guard = guards(d, d.axes, 0.2)
    _add(d, Line(at(name, where), op, body, over(d, d.axes), guard, d.family[0][0] in "fb" and d.chance(0.12)))


def elements(d: Draft) -> None:
    """One element from others, with all of the functions."""
    out, _ = d.family
    name = d.tensor(out)
    axes = d.axes[:3]
    indices = [odd_index(d, a, [x for x in axes if x != a]) if d.chance(0.06) else a for a in axes]
    reads = [read(d, d.element_kind(), subset(d.rng, axes, 0, 0.75)) for _ in range(d.rng.choice([1, 1, 2, 2, 3]))]
    body = value(d.rng, out, reads, d.rng.choice([1, 2, 2, 3]))
    _add(d, Line(at(name, indices), "=", body, over(d, axes), guards(d, axes, 0.15)))


def reduction(d: Draft) -> None:
    """A reduction of a value."""
    out, _ = d.family
    target = subset(d.rng, d.axes, 0, 0.5)
    name = d.tensor(out)
    reads = [read(d, d.element_kind(), d.axes)]
    reads += [read(d, d.element_kind(), subset(d.rng, d.axes, 0)) for _ in range(d.rng.choice([0, 1]))]
    op = d.rng.choice(["+=", "max=", "min=", "*="])
    ordered = d.chance(0.25)
    _add(d, Line(at(name, target), op, value(d.rng, out, reads, 1), over(d, d.axes), guards(d, d.axes, 0.2), ordered))


def bools(d: Draft) -> None:
    """Elements of bool, or made of them: each from others, or the largest and smallest of many, with a statement that reads it."""
    out, _ = d.family
    (elements if d.chance(0.6) else reduction)(d)
    first = d.statements[-1]
    if out == "bool" and first.op in ("+=", "*="):
        d.statements[-1] = first = replace(first, op=d.rng.choice(["max=", "min="]))
    if d.chance(0.3):
        held = first.target.partition("[")[0]
        name, kind = d.tensor(d.rng.choice(["f32", "bool", "i32"])), d.types[held]
        made = Drawn(first.target, kind)
        indices = first.target[len(held) :]
        d.temporaries += [held] * d.chance(0.5)
        _add(d, Line(f"{name}{indices}", "=", value(d.rng, d.types[name], [made], 1)))


def convolution(d: Draft) -> None:
    """Windows with stride, dilation and padding, in one or two dimensions."""
    out, _ = d.family
    rng, two = d.rng, d.chance(0.4)
    pixels, window = (["p", "q"], ["r", "u"]) if two else (["p"], ["r"])
    stride = rng.choice(["", "", "2*", "s*"])
    dilation = rng.choice(["", "", "2*", "d*"])
    for n in ("s", "d"):
        if f"{n}*" in (stride, dilation):
            d.parameters[n] = 1
    pad = rng.choice([0, 0, 1, 2])
    inner = [f"{stride}{p}+{dilation}{r}" + (f"-{pad}" if pad else "") for p, r in zip(pixels, window, strict=True)]
    for r in window:
        d.extents[r] = str(rng.choice([1, 2, 3]))
    depth, channel = d.chance(0.3), d.chance(0.6)
    outer = ["n"] if d.chance(0.3) else []
    image = [*outer, *inner, *(["k"] if depth else ["c"] if channel else [])]
    weights = [*window, *(["k"] if depth else [*(["c"] if channel else []), *(["k"] if d.chance(0.7) else [])])]
    target = [*outer, *pixels, *(["k"] if "k" in weights else [])]
    name = d.tensor(out)
    kinds = [d.family[1][n % len(d.family[1])] for n in range(2)]
    image_name, weight_name = d.tensor(kinds[0]), d.tensor(kinds[1])
    guard = " and ".join(f"0 <= {i} < {x}" for i, x in zip(inner, ("H", "W"), strict=False)) if pad else ""
    if pad:
        d.shapes[image_name] = tuple(("H", "W")[inner.index(i)] if i in inner else d.size(i) for i in image)
    body = f"{at(image_name, image)} * {at(weight_name, weights)}"
    d.axes = list(dict.fromkeys([*target, *window, *(["c"] if channel and not depth else [])]))
    _add(d, Line(at(name, target), d.rng.choice(["+=", "+=", "+=", "max="]), body, (), guard))


def chain(d: Draft) -> None:
    """A sum, then statements that read it: bias, activation, normalisation."""
    product(d)
    out = d.family[0]
    first = d.statements[-1]
    for _ in range(d.rng.choice([1, 1, 2])):
        last = d.statements[-1]
        source, _, inner = last.target.partition("[")
        indices = [i.strip() for i in inner[:-1].split(",") if i.strip()]
        plain = [i for i in indices if i in d.axes]
        if d.chance(0.7) and source not in d.temporaries:
            d.temporaries.append(source)
        kind = out if d.chance(0.7) else d.rng.choice(["f32", "i8", "u8", "bf16", "i32"])
        reads = [Drawn(last.target, d.types[source])]
        if d.chance(0.6):
            reads.append(read(d, kind, subset(d.rng, plain, 0), 0.02))
        body = value(d.rng, kind, reads, d.rng.choice([1, 2]), first=True)
        reduce = bool(plain) and d.chance(0.25)
        left = subset(d.rng, plain, 0, 0.5) if reduce else indices
        op = d.rng.choice(["+=", "max=", "min="]) if reduce else "="
        guard = guards(d, plain, 0.08)
        _add(d, Line(at(d.tensor(kind), left), op, body, (), guard))
    if d.chance(0.15) and first.op == "+=":  # a second part of the same sum
        d.statements.insert(1, first)


def recurrence(d: Draft) -> None:
    """A state that each time step takes on from the one before."""
    out, rng = d.family[0], d.rng
    j = ["j"] if d.chance(0.8) else []
    state, begin, fed = d.tensor(out), d.tensor(out), d.tensor(out)
    _add(d, Line(at(state, ["0", *j]), "=", at(begin, j)))
    block = ("t", 1)
    form = rng.choice(["running", "running", "product", "gated", "two"])
    if form == "product" and j:
        part, weights = d.tensor(out), d.tensor(out)
        d.temporaries.append(part)
        d.extents["k"] = "J"
        _add(d, Line(at(part, ["t", "j"]), "+=", f"{at(state, ['t', 'k'])} * {at(weights, ['k', 'j'])}", turns=block))
        reads = [Drawn(at(part, ["t", "j"]), out), Drawn(at(fed, ["t", "j"]), out)]
    else:
        reads = [Drawn(at(state, ["t", *j]), out), Drawn(at(fed, ["t", *j]), out)]
        if form == "gated":
            reads.append(Drawn(at(d.tensor(out), ["t", *j]), out))
        if form == "two":
            other = d.tensor(out)
            _add(d, Line(at(other, ["t", *j]), "=", value(rng, out, reads, 1, first=True), turns=block))
            reads.append(Drawn(at(other, ["t", *j]), out))
    body = value(rng, out, reads, rng.choice([1, 2]), first=True, plain=True)
    _add(d, Line(at(state, ["t+1", *j]), "=", body, turns=block))
    if d.chance(0.4):
        _add(d, Line(at(d.tensor(out), ["t", *j]), "=", value(rng, out, [Drawn(at(state, ["t+1", *j]), out)], 1)))
    d.axes = ["t", *j, *(["k"] if "k" in d.extents else [])]


def odd(d: Draft) -> None:
    """Indices and forms that nobody would think of: every index odd, constants, sums inside, no axis at all."""
    out, rng = d.family[0], d.rng
    name = d.tensor(out)
    form = rng.choice(["indices", "sum", "rank0", "self", "constant", "repeat", "declared"])
    axes = d.axes[:3]
    if form == "sum":
        inner = at(
            d.tensor(d.element_kind()),
            [*subset(rng, axes, 1), rng.choice(["e", "4*i+e" if "i" in axes else "e", "e+1"])],
        )
        if d.chance(0.4):
            inner = f"{inner} * {at(d.tensor(d.types[inner.partition('[')[0]]), ['e'])}"
        body = f"sum(e, {rng.choice([1, 2, 3, 4])}, {inner}{rng.choice(['', '', ' + 1'])})"
        op = rng.choice(["=", "+="])
        used = [a for a in axes if a in inner]
        _add(d, Line(at(name, used if op == "=" else subset(rng, used, 0)), op, body, (), guards(d, used, 0.1)))
    elif form == "rank0":
        other = read(d, d.element_kind(), axes[:1])
        _add(d, Line(f"{name}[]", "+=", other.text))
    elif form == "self":
        target = at(name, axes)
        reads = [Drawn(target, out), read(d, d.element_kind(), axes)]
        _add(d, Line(target, rng.choice(["=", "+="]), value(rng, out, reads, 1, first=True)))
    elif form == "constant":
        _add(
            d,
            Line(
                at(name, axes),
                rng.choice(["=", "+="]),
                rng.choice(["3", "1", "0", "7"]),
                tuple(axes),
                guards(d, axes, 0.3),
            ),
        )
    elif form == "repeat":
        other = read(d, d.element_kind(), axes[:1])
        _add(d, Line(at(name, axes[:1]), rng.choice(["+=", "max=", "*="]), other.text, tuple(axes)))
    elif form == "declared":
        other = d.tensor(d.element_kind())
        d.shapes[other] = tuple(f"{d.size(a)}+{rng.choice([1, 3])}" for a in axes)
        d.shapes[name] = tuple(f"{d.size(a)}+{rng.choice([0, 2])}" for a in axes)
        _add(d, Line(at(name, axes), rng.choice(["=", "+="]), at(other, [rng.choice([a, f"{a}+1"]) for a in axes])))
    else:
        reads = [read(d, d.element_kind(), subset(rng, axes, 1), 0.6) for _ in range(rng.choice([1, 2]))]
        target = [odd_index(d, a, [x for x in axes if x != a]) if d.chance(0.4) else a for a in subset(rng, axes, 0)]
        _add(d, Line(at(name, target), "+=", " * ".join(r.text for r in reads), (), guards(d, axes, 0.15)))


def data(d: Draft) -> None:
    """Elements that are found, and places that are written, where an integer input says."""
    out, rng = d.family[0], d.rng
    d.axes = ["i", "k"]
    rows, width = f"{d.size('i')}+4", d.size("k")
    name, found = d.tensor(out), d.tensor(rng.choice(["i32", "i64", "u8", "i8", "i32"]))
    d.shapes[name], d.shapes[found] = (rows, width), (d.size("i"),)
    d.assumed.append(f"0 <= {found} <= 3")
    j = f"{found}[i]"
    row = rng.choice(
        [
            j,
            j,
            f"{j}+1",
            f"{j}+i",
            f"({j}+i)%3",
            f"{j}//2",
            f"min({j}+i, 2)",
            f"max({j}-1, 0)",
            f"3-{j}",
            f"{found}[{j}%{d.size('i')}]",
        ]
    )
    column = rng.choice(["k", "k", "k", f"{width}-1-k", f"({j}+k)%{width}"])
    if d.chance(0.4):
        table = d.tensor(d.element_kind())
        d.shapes[table] = (rows, width)
        d.shapes[name] = (d.size("i"), width) if d.chance(0.8) else (d.size("i"),)
        whole = len(d.shapes[name]) == 2
        reads = [Drawn(at(table, [row, column]), d.types[table]), read(d, d.element_kind(), ["i", "k"], 0.0)]
        target = at(name, ["i", "k"] if whole else ["i"])
        _add(
            d,
            Line(
                target,
                "=" if whole and d.chance(0.6) else "+=",
                value(rng, out, reads, 1, first=True),
                (),
                guards(d, ["i", "k"], 0.2),
            ),
        )
        return
    if d.chance(0.7):
        d.extents["v"] = rows
        _add(d, Line(at(name, ["v", "k"]), "=", at(d.tensor(out), ["v", "k"])))
    reads = [read(d, d.element_kind(), ["i", "k"], 0.0)]
    op = rng.choice(["=", "+=", "+=", "max=", "min=", "*="])
    listed = over(d, ["i", "k"]) if op != "=" else ()
    body = value(rng, out, reads, 1, first=True)
    _add(d, Line(at(name, [row, column]), op, body, listed, guards(d, ["i", "k"], 0.2), op == "+=" and d.chance(0.3)))
    if d.chance(0.3):
        d.extents["v"] = rows
        _add(d, Line(at(d.tensor(out), ["v"]), "+=", at(name, ["v", "k"])))


def quantised(d: Draft) -> None:
    """Bytes multiplied, summed, scaled, rounded and clamped."""
    rng = d.rng
    i, j, k = "i", "j", "k"
    d.axes = [i, j, k]
    sums, a, b = d.tensor("i32"), d.tensor(rng.choice(["u8", "i8"])), d.tensor("i8")
    if d.chance(0.3):
        d.assumed.append(f"0 <= {a} <= {rng.choice([15, 63, 127])}")
    d.temporaries.append(sums)
    _add(d, Line(at(sums, [i, j]), "+=", f"i32({at(a, [i, k])}) * i32({at(b, [k, j])})"))
    read_sum, out = at(sums, [i, j]), rng.choice(["i8", "u8"])
    forms = [
        f"sat_{out}({read_sum})",
        f"sat_{out}({read_sum} + 3)",
        f"{out}({read_sum})",
        f"round_{out}(f32({read_sum}) * 0.125)",
    ]
    _add(d, Line(at(d.tensor(out), [i, j]), "=", rng.choice(forms)))


def rows(d: Draft) -> None:
    """Statements over the rows of one array, as in a softmax, a norm or attention: what they hand over need not outlive a block."""
    rng, out = d.rng, d.family[0]
    heads = ["h"] if d.chance(0.25) else []
    i, n = "i", "n"
    row, element = [*heads, i], [*heads, i, n]
    blocks, sums = [at(d.tensor(out), element)], list[str]()
    fixed = at(d.tensor(out), [n])
    for _ in range(rng.randint(3, 6)):
        x, s = rng.choice(blocks), rng.choice(sums) if sums else fixed
        form = rng.choice(
            ["max=", "min=", "+=", "square", "=", "=", "=", "guard", "select", "moved", "product", "columns"]
        )
        moved = f"{x.partition('[')[0]}[{', '.join([*heads, rng.choice(['0', 'I-1-i']), n])}]"
        own = d.tensor(out)
        here = at(own, element)
        plain = rng.choice(
            [f"{x} - {s}", f"({x} - {s}) * {fixed}", f"relu({x} + {s})", f"max({x}, {fixed})", f"{x} * 2"]
        )
        match form:
            case "max=" | "min=" | "+=" | "square":
                body, here = (f"{x} * {x}" if form == "square" else x), at(own, row)
                _add(d, Line(here, "+=" if form == "square" else form, body, (), guards(d, [i, n], 0.2)))
                sums.append(here)
            case "product":
                d.extents["k"] = d.size(n)
                read_at = x.replace(", n]", ", k]")
                _add(
                    d,
                    Line(here, "+=", f"{read_at} * {at(d.tensor(out), ['k', n])}", (), rng.choice(["", "", "k <= i"])),
                )
            case "columns":
                here = at(own, [n])
                _add(d, Line(here, "+=", x))
            case "guard":
                _add(d, Line(here, "=", plain, (), guards(d, [i, n], 1.0)))
            case "select":
                _add(d, Line(here, "=", f"select(n <= i, {x}, {s})"))
            case "moved":
                _add(d, Line(here, "=", f"{x} + {moved}"))
            case _:
                _add(d, Line(here, "=", plain))
        if here == at(own, element):
            blocks.append(here)
        elif here not in sums:
            sums.append(here)
        d.temporaries += [own] if d.chance(0.85) else []
    ends = [rng.choice(blocks[1:] or blocks), *([rng.choice(sums)] if sums else [])]
    _add(d, Line(at(d.tensor(out), element), "=", " + ".join(ends)))
    d.temporaries = [t for t in d.temporaries if any(f"{t}[" in s.value for s in d.statements)]
    d.types = {t: k for t, k in d.types.items() if any(f"{t}[" in s.value + s.target for s in d.statements)}
    d.axes = [*element, *(["k"] if "k" in d.extents else [])]


def masked(d: Draft) -> None:
    """A product or reduction of which guards between two axes leave out parts: triangles, bands, every other one."""
    rng, out = d.rng, d.family[0]
    kinds = [d.family[1][n % len(d.family[1])] for n in range(2)]
    d.axes = ["q", "k", "d"]
    target, reads = rng.choice(
        [(["q", "k"], ["d"]), (["q", "k"], ["d"]), (["q", "d"], ["k"]), (["h", "q", "k"], ["d"])]
    )
    heads = ["h"] if "h" in target else []
    c = rng.choice([0, 0, 1, 2, 3, 7, 16])
    ways = [f"k <= q+{c}", f"k >= q-{c}", f"k < q+{c}", f"q < k+{c}", f"k == q+{c}", f"q+k <= {c}", f"q+k >= {c}", f"k <= {c}",
            f"q >= {c}", f"2*k <= q+{c}", f"k <= 2*q-{c}", "k%4 < 2", "k//4 <= q", "k <= q//3", "k%2 == q%2", "k != q",
            f"k+d <= q+{c}", "d <= k"]  # fmt: skip
    guard = " and ".join(rng.choice(ways) for _ in range(rng.choice([1, 1, 1, 2, 3])))
    name = d.tensor(out)
    here = at(name, target)
    if rng.random() < 0.25 and reads == ["k"]:
        body, here = at(d.tensor(out), ["q", "k"]), at(name, ["q"])
        _add(d, Line(here, rng.choice(["max=", "min=", "+="]), body, (), guard))
        d.axes = ["q", "k", *(["d"] if "d" in guard else [])]
        return
    pair = [at(d.tensor(kinds[0]), [*heads, "q", reads[0]]), at(d.tensor(kinds[1]), [*heads, "k", "d"])]
    cast = [x if k == out else f"{out}({x})" for x, k in zip(pair, kinds, strict=True)]
    _add(d, Line(here, "+=", " * ".join(cast), (), guard))
    if d.chance(0.4):
        d.temporaries += [name] * d.chance(0.6)
        op, at_end = rng.choice([("=", target), ("max=", target[:-1]), ("+=", target[:-1])])
        _add(d, Line(at(d.tensor(out), at_end), op, f"{here} + 1" if op == "=" else here))
    d.axes = [*heads, *d.axes]


def zero_points(d: Draft) -> None:
    """Products of differences: numbers, one for each row or column, on one side or on both; what is added to them behind."""
    rng = d.rng
    heads = ["h"] if d.chance(0.2) else []
    target, left, right = rng.choice(
        [(["i", "j"], ["i", "k"], ["k", "j"])] * 3
        + [
            (["i", "j"], ["i", "k"], ["j", "k"]),
            (["i"], ["i", "k"], ["k"]),
            ([], ["k"], ["k"]),
            (["i"], ["i+k"], ["k"]),
        ]
    )
    out = rng.choice(["i32", "i32", "i32", "i32", "i64", "i16"])
    kinds = [rng.choice(["u8", "i8"]) if out != "i16" else rng.choice(["i8", "i16"]) for _ in range(2)]
    name = d.tensor(out)
    sides = []
    for kind, index in ((kinds[0], left), (kinds[1], right)):
        varying = f"{out}({at(d.tensor(kind), [*heads, *index])})"
        own = [a for a in target if a in index]
        fixed = [f"{out}({at(d.tensor(kind), [*heads, *subset(rng, own, 0, 0.4)])})", str(rng.choice([1, 3, 128]))]
        forms = [varying, *(f"({varying} - {f})" for f in fixed * 2), f"({fixed[0]} - {varying})",
                 f"({varying} + {fixed[1]} - {fixed[0]})"]  # fmt: skip
        sides.append(rng.choice(forms))
    d.types = {t: k for t, k in d.types.items() if t == name or any(f"{t}[" in x for x in sides)}
    d.axes = [*heads, *target, "k"]
    here = at(name, [*heads, *target])
    _add(d, Line(here, "+=", " * ".join(sides), over(d, d.axes, 0.05), guards(d, d.axes, 0.08)))
    if d.chance(0.3):
        d.temporaries += [name] * d.chance(0.7)
        _add(d, Line(at(d.tensor(out), [*heads, *target]), "=", rng.choice([f"{here} + 1", f"max({here}, 0)"])))


def neighbours(d: Draft) -> None:
    """Reductions over axes that lie together in memory, or nearly; and results of such axes."""
    rng, out = d.rng, d.family[0]
    kind = d.element_kind()
    inner = rng.choice([["p", "q"]] * 4 + [["q", "p"], ["p", "q", "r"]])
    index, target = rng.choice(
        [(["n", "c", *inner], ["n", "c"]), (["n", *inner], ["n"]), ([*inner, "c"], ["c"]), (["n", *inner, "c"], ["n", "c"]),
         (["i", "p", "q"], ["p", "q"]), (["i", "n", "p", "q"], ["p", "q"]), (inner, [])]
    )  # fmt: skip
    d.axes = list(dict.fromkeys([*target, *sorted(index)]))
    name, other = d.tensor(out), d.tensor(kind)
    body = at(other, index)
    if d.chance(0.15):
        d.shapes[other] = tuple(f"{d.size(a)}+1" if a == rng.choice(index) else d.size(a) for a in index)
    if d.chance(0.3):
        body = f"{body} * {at(d.tensor(kind), subset(rng, index, 1, 0.7))}"
    elif out[0] in "fb" and d.chance(0.4):
        body = f"{body} / 4"
    op = rng.choices(["+=", "max=", "min="], [6, 2, 1])[0]
    _add(d, Line(at(name, target), op, body, over(d, d.axes, 0.05), guards(d, d.axes, 0.06)))


def leading(d: Draft) -> None:
    """Products of tensors whose declared shapes hold more than is read, or less at some sizes."""
    product(d)
    axes = set(d.axes)
    for name in list(d.types):
        found = next((s.target for s in d.statements if s.target.startswith(f"{name}[")), None)
        found = found or next(
            (x for s in d.statements if f"{name}[" in s.value for x in [s.value[s.value.index(f"{name}[") :]]), ""
        )
        indices = [i.strip() for i in found.partition("[")[2].partition("]")[0].split(",") if i.strip()]
        if indices and all(i in axes for i in indices) and len(set(indices)) == len(indices) and d.chance(0.6):
            d.shapes[name] = tuple(d.rng.choice([d.size(a), d.size(a), "L", "L", f"{d.size(a)}+2"]) for a in indices)


MAKERS: dict[str, Callable[[Draft], None]] = {
    "data": data, "bools": bools,
    "product": product, "elements": elements, "convolution": convolution, "reduction": reduction, "chain": chain,
    "recurrence": recurrence, "odd": odd, "bytes": quantised, "rows": rows, "masked": masked,
    "zero points": zero_points, "neighbours": neighbours, "leading": leading,
}  # fmt: skip


def _add(d: Draft, line: Line) -> None:
    d.statements.append(line)


def draft(rng: random.Random, form: str) -> Text:
    """The text of a random kernel in that form."""
    if form == "steps":
        return steps(rng)
    names = list("CABDEFGH")
    if rng.random() < 0.08:
        for _ in range(rng.choice([1, 1, 2])):
            names[rng.randrange(3)] = rng.choice(CLASHES)
        names = list(dict.fromkeys([*names, "P1", "P2"]))
    axes = list("ijkn")[: rng.choice([1, 2, 2, 3, 3, 3, 4])]
    if rng.random() < 0.03:
        axes[0] = rng.choice([c for c in CLASHES if c not in names and c not in ("I", "over", "size", "param", "axis")])
    family = rng.choice(BOOLS) if form == "bools" else weighted(rng, FAMILIES if form != "rows" else ROWS)  # type: ignore[arg-type]
    names += [f"T{n}" for n in range(12)] if form == "rows" else []
    d = Draft(rng, family, axes, names)  # type: ignore[arg-type]
    MAKERS[form](d)
    if rng.random() < 0.15 and form != "rows":
        d.extents |= {a: str(rng.choice([1, 2, 4, 8])) for a in d.axes[:1] if a not in d.extents}
    return d.text()


__all__ = ["CLASHES", "FAMILIES", "FORMS", "draft", "weighted"]
