"""Random recurrences, and statements over what they leave: what one time step reads another one may write, sooner or later.

Rows are read before they are there, behind one another and from the end. Targets are moved, guarded or joined (`i+k`, `i//2`,
`i%2`), so that not every element is written; several statements write one temporary. About half of the tensors are written
whole, so that what decides whether memory is filled is drawn on both sides of the line.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.oracle.text import Line, Text

KINDS = ("i32", "i32", "i64", "u8", "f32", "f64")
BLOCK = ("t", 1)
# row -> what a guard must say of it for a tensor of so many rows; None: it never fits
ROWS: dict[str, dict[str, str | None]] = {
    "t": {"T": "", "T+1": "", "T+2": ""},
    "t+1": {"T": "t + 1 < T", "T+1": "", "T+2": ""},
    "t-1": {"T": "t >= 1", "T+1": "t >= 1", "T+2": "t >= 1"},
    "T-1-t": {"T": "", "T+1": "", "T+2": ""},
    "T-t": {"T": "t >= 1", "T+1": "", "T+2": ""},
    "t+2": {"T": "t + 2 < T", "T+1": "t + 1 < T", "T+2": ""},
    "t-2": {"T": "t >= 2", "T+1": "t >= 2", "T+2": "t >= 2"},
    "t//2": {"T": "", "T+1": "", "T+2": ""},
    "2*t": {"T": "2*t < T", "T+1": "2*t <= T", "T+2": "2*t < T + 2"},
    "t%2": {"T": None, "T+1": "", "T+2": ""},
    "(t+1)%2": {"T": None, "T+1": "", "T+2": ""},
    "max(t-1, 0)": {"T": "", "T+1": "", "T+2": ""},
    "min(t+1, T-1)": {"T": "", "T+1": "", "T+2": ""},
    "0": {"T": "", "T+1": "", "T+2": ""},
    "T-1": {"T": "", "T+1": "", "T+2": ""},
    "T": {"T": None, "T+1": "", "T+2": ""},
}
READ = {
    "t": 8, "t+1": 6, "t-1": 6, "T-1-t": 4, "T-t": 2, "t+2": 1, "t-2": 2, "t//2": 1, "2*t": 1, "t%2": 1, "(t+1)%2": 1,
    "max(t-1, 0)": 1, "min(t+1, T-1)": 1, "0": 2, "T-1": 1, "T": 1,
}  # fmt: skip
WRITTEN = {
    "t": 7,
    "t+1": 6,
    "T-1-t": 2,
    "T-t": 1,
    "t-1": 2,
    "t//2": 1,
    "2*t": 1,
    "t%2": 1,
    "(t+1)%2": 1,
    "max(t-1, 0)": 1,
}
COLUMNS = {"j": 14, "J-1-j": 2, "0": 1, "j//2": 1, "j%J": 1, "t": 1}
GUARDS = (
    "t >= 1", "t + 1 < T", "t >= 2", "t % 2 == 0", "j <= t", "t <= j", "j >= 1", "j + 1 < J", "t != 1", "t < 3", "t + j < T",
    "j == t", "j % 2 == 1",
)  # fmt: skip
# whole: rows of the tensor, and what writes each of them: a row before the time steps, and one in each
WHOLE = (("T", "", "t"), ("T", "", "t"), ("T", "", "T-1-t"), ("T+1", "0", "t+1"), ("T+1", "0", "t+1"), ("T+1", "T", "t"),
         ("T+1", "0", "T-t"), ("T+1", "T", "T-1-t"))  # fmt: skip
# targets of two axes without time steps, with the extent that they need
JOINED = {"i+k": "I+K", "i//2": "I", "i%2": "2", "2*i+k": "2*I+K", "i": "I", "i+1": "I+1", "k//2": "K", "I-1-i": "I"}


@dataclass
class _Steps:
    rng: random.Random
    kind: str
    columns: bool
    before: list[Line] = field(default_factory=list)
    block: list[Line] = field(default_factory=list)
    behind: list[Line] = field(default_factory=list)
    shapes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inputs: int = 0

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def one(self, weights: dict[str, int]) -> str:
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def at(self, name: str, row: str, column: str = "j") -> str:
        return f"{name}[{row}, {column}]" if self.columns else f"{name}[{row}]"

    def new(self, name: str, rows: str) -> str:
        self.shapes[name] = (rows, "J") if self.columns else (rows,)
        return name

    def fed(self) -> str:
        """An element of a new input."""
        self.inputs += 1
        return self.at(self.new(f"X{self.inputs}", "T"), "t")

    def place(self, name: str, rows: dict[str, int], columns: dict[str, int]) -> tuple[str, str]:
        """An element of the tensor, and the guard that it needs to exist."""
        known = {r: w for r, w in rows.items() if ROWS[r][self.shapes[name][0]] is not None}
        row, column = self.one(known), self.one(columns)
        needs = [ROWS[row][self.shapes[name][0]] or "", "t < J" if column == "t" and self.columns else ""]
        return self.at(name, row, column), " and ".join(n for n in needs if n)

    def guard(self, p: float) -> str:
        found = [g for g in GUARDS if self.columns or "j" not in g]
        return " and ".join(self.rng.sample(found, self.rng.choice([1, 1, 1, 2]))) if self.chance(p) else ""

    def statement(self, to: list[Line], target: str, op: str, read: list[str], *needs: str) -> None:
        """With so many reads of tensors that are written, a value that stays small, and the guard that they need."""
        places = [self.place(n, READ, COLUMNS) for n in read]
        parts = [p for p, _ in places] + ([self.fed()] if not places or self.chance(0.6) else [])
        value = parts[0]
        for p in parts[1:]:
            value = self.rng.choice([f"{value} + {p}", f"{value} - {p}", f"max({value}, {p})", f"min({p}, {value})"])
        if self.chance(0.4):
            value = f"max(min({value}, 3), {self.rng.choice(['1', '0'])})"
        guards = list(dict.fromkeys(g for n in (*(g for _, g in places), *needs) for g in n.split(" and ") if g))
        to.append(Line(target, op, value, (), " and ".join(guards), turns=BLOCK if to is self.block else None))

    def some(self, written: list[str], least: int) -> list[str]:
        return [self.rng.choice(written) for _ in range(max(least, self.rng.choice([0, 1, 1, 2])))]

    def write(self, name: str, written: list[str]) -> None:
        """Statements that write the tensor: all of it, or what comes."""
        rows = self.shapes[name][0]
        whole = [(first, each) for n, first, each in WHOLE if n == rows]
        tidy = bool(whole) and self.chance(0.55)
        first, each = self.rng.choice(whole) if tidy else (self.rng.choice(["", "0", "0", "T-1"]), "")
        if first:
            column = "j" if tidy or self.chance(0.8) else "J-1-j"
            fed = self.at(self.new("Z", "1"), "0")
            guard = "" if tidy or not self.columns else self.rng.choice(["", "j >= 1"])
            self.before.append(Line(self.at(name, first, column), "=", fed, (), guard))
        if tidy:
            self.statement(
                self.block, self.at(name, each, self.rng.choice(["j", "j", "J-1-j"])), "=", self.some(written, 0)
            )
            self._without_guard()
            if self.chance(0.6):
                return
        for _ in range(self.rng.choice([1, 1, 2])):
            op = self.rng.choices(["=", "+=", "max=", "min="], [8, 4, 2, 1])[0]
            columns = {"j": 12, "J-1-j": 1} | ({} if op == "=" else {"j//2": 1, "0": 1, "t": 1})
            if op == "=" and self.chance(0.1):
                columns = {"t": 1}  # a diagonal
            target, needs = self.place(name, WRITTEN, columns)
            read = self.some(written, 0)
            self.statement(self.block, target, op, read, needs, self.guard(0.3))
            if self.columns and op == "=" and "j" not in target:
                self._on_the_diagonal()

    def _without_guard(self) -> None:
        """The last statement has points everywhere: reads that would need a guard become others."""
        last = self.block[-1]
        if last.guard:
            self.block[-1] = Line(last.target, last.op, self.fed(), (), "", turns=BLOCK)

    def _on_the_diagonal(self) -> None:
        """An assignment has each of its axes in its target."""
        last = self.block[-1]
        guard = " and ".join(g for g in last.guard.split(" and ") if "j" not in g)
        self.block[-1] = Line(last.target, "=", "1" if "j" in last.value else last.value, (), guard, turns=BLOCK)


def steps(rng: random.Random) -> Text:
    """The text of a kernel with time steps."""
    d = _Steps(rng, rng.choice(KINDS), rng.random() < 0.8)
    written = list("ABC")[: rng.choice([1, 2, 2, 3])]
    for n in written:
        d.new(n, rng.choice(["T", "T", "T+1", "T+1", "T+1", "T+2"]))
    for n in rng.sample(written, len(written)):
        d.write(n, written)
    rng.shuffle(d.block)
    while len(d.block) > 5:
        d.block.pop(rng.randrange(len(d.block)))
    there = [n for n in written if any(s.target.startswith(n) for s in d.block)]
    for name in ("Y", "V")[: rng.choice([1, 1, 2])]:
        d.statement(d.behind, d.at(d.new(name, "T"), "t"), "=", d.some(there, 1), d.guard(0.25))
    if d.chance(0.2):
        _joined(d)
    lines = [*(s for s in d.before if s.target[0] in there), *d.block, *d.behind]
    used = "\n".join(map(str, lines))
    read = {n: [s for s in lines if f"{n}[" in s.value and not s.target.startswith(f"{n}[")] for n in (*there, "S")}
    temporaries = [n for n, found in read.items() if found and rng.random() < 0.65]
    shapes = {n: s for n, s in d.shapes.items() if f"{n}[" in used}
    return Text(tuple(lines), types=dict.fromkeys(shapes, d.kind), shapes=shapes, temporaries=tuple(temporaries))


def _joined(d: _Steps) -> None:
    """A reduction into a target in which axes are joined, and what reads it."""
    index = d.rng.choice(list(JOINED))
    d.shapes |= {"S": (JOINED[index],), "P": ("I", "K"), "R": ("I",)}
    op, guard = d.rng.choice(["+=", "max=", "min="]), d.rng.choice(["", "", "i >= 1", "k <= i"])
    read = d.rng.choice(["S[i]", "S[i]", "S[i+1]", "S[I-1-i]", "S[i%2]"])
    lines = [Line(f"S[{index}]", op, "P[i,k]", ("i", "k"), guard), Line("R[i]", "=", read)]
    if d.chance(0.3):
        lines.insert(d.rng.choice([0, 1]), Line("S[i]", "=", "P[i,0]", (), d.rng.choice(["", "i >= 1"])))
    if d.chance(0.2):
        lines.reverse()
    d.behind += lines


__all__ = ["steps"]
