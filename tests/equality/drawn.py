"""Pairs of kernels drawn at random, one an edit of the other: some edits change nothing, others do, and nobody says which."""

from __future__ import annotations

import random
import re

import numpy as np

import isamap_smt as im
from isamap_smt.ir.interpret import actions, prepare
from isamap_smt.ir.time_steps import in_order

SHAPES = {"X[": "X: [2*N+6]", "U[": "U: [2*N+6,3]", "w[": "w: [3]"}
AXES = {"i": "axis i < N", "k": "axis k < 3", "n": "axis n < N"}
TYPES = {"X[": "X: i16", "U[": "U: i8", "w[": "w: i32"}
FORMS = [
    "{0}",
    "{0}+1",
    "{0}+2",
    "N-1-{0}",
    "2*{0}",
    "2*{0}+1",
    "{0}//2",
    "{0}%2",
    "2*({0}//2)+{0}%2",
    "N+{0}",
    "{0}+k",
    "{0}-k+2",
]
SAME = {
    "{0}": ["2*({0}//2)+{0}%2", "({0}+N)-N"],
    "{0}+1": ["1+{0}"],
    "2*{0}+1": ["{0}+{0}+1"],
    "{0}//2": ["(2*{0}+1)//4"],
    "{0}%2": ["({0}+2)%2"],
}
GUARDS = [
    "",
    "",
    "",
    " where {0} < N-1",
    " where 1 <= {0}",
    " where {0} % 2 == 0",
    " where k <= {0}",
    " where {0} + k < N",
    " where {0} != 1",
]


class Draw:
    """One pair. whole: of integers, which wrap."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.whole = self.r.random() < 0.35

    def leaf(self, axis: str) -> str:
        r = self.r.random()
        form = self.r.choice(FORMS).format(axis)
        if r < 0.5:
            return f"X[{form}]"
        if r < 0.65:
            return f"U[{form},k]"
        if r < 0.8:
            return "w[k]"
        return self.r.choice(["2", "3", "1"])

    def value(self, axis: str, depth: int = 2) -> str:
        r = self.r.random()
        if depth == 0 or r < 0.25:
            return self.leaf(axis)
        a, b = self.value(axis, depth - 1), self.value(axis, depth - 1)
        if r < 0.55:
            return f"({a} * {b})"
        if r < 0.7:
            return f"({a} + {b})"
        if r < 0.8:
            return f"({a} - {b})"
        if r < 0.87:
            return f"max({a}, {b})"
        if r < 0.91:
            return f"select({axis} < 2, {a}, {b})"
        if r < 0.94:
            return f"select({a} < {b}, {a}, {b})"
        if self.whole:
            return self.r.choice(
                [f"({a} >> 1)", f"({a} << 1)", f"i32(i8({a}))", f"i32(sat_i8({a} + {b}))", f"({a} // 3)"]
            )
        return self.r.choice([f"exp({a})", f"relu({a})", f"({a} / (1 + {b} * {b}))", f"tanh({a})"])

    def kernel(self) -> list[str]:
        """Statements, one or two temporaries before the result."""
        lines = []
        op = self.r.choice(["+=", "+=", "max=", "="])
        v = self.value("n")
        if op == "=" and "k" in v:
            op = "+="
        lines.append(f"T[n] {op} {v}{self.guard('n', v)}")
        op = self.r.choice(["+=", "+=", "=", "max="])
        v = self.value("i", 1)
        read = self.r.choice(["T[i]", "T[N-1-i]", "T[n]", "T[i//2]", "T[n] * X[n+i]", "T[i] * T[i]", "T[n] * T[i]"])
        v = f"{read} {self.r.choice(['*', '+', '-'])} {v}"
        if op == "=" and ("k" in v or "[n" in v or " n" in v):
            op = "+="
        lines.append(f"Y[i] {op} {v}{self.guard('i', v)}")
        if self.r.random() < 0.2:
            lines.append(self.r.choice(["Y[2*i] = X[i]", "Y[i] = w[0] where i < 2", "Y[i] += T[i]", "Y[i] max= X[i]"]))
            if "2*i" in lines[-1]:
                lines[-1] += " where 2*i < N"
        return lines

    def guard(self, axis: str, v: str) -> str:
        g = self.r.choice(GUARDS).format(axis)
        return "" if "k" in g and "k" not in v else g

    def edit(self, lines: list[str]) -> list[str]:
        """The lines with one change."""
        lines = list(lines)
        n = self.r.randrange(len(lines))
        head, op, value = lines[n].partition(" = ") if " = " in lines[n] else self._split(lines[n])
        value, where, guard = value.partition(" where ")
        axis = "n" if head.startswith("T") else "i"
        kind = self.r.randrange(10)
        if kind == 0:
            for form, others in SAME.items():
                old = f"X[{form.format(axis)}]"
                if old in value:
                    value = value.replace(old, f"X[{self.r.choice(others).format(axis)}]", 1)
        elif kind == 1:
            value = value.replace("(X", "(1 * X", 1)
        elif kind == 2:
            value = value.replace("[k]", "[2-k]", 1)
        elif kind == 3:
            value = value.replace("+1]", "]", 1) if self.r.random() < 0.5 else value.replace("2", "3", 1)
        elif kind == 4 and op == " += ":
            half = f"{where}{guard} and " if guard else " where "
            test = self.r.choice([f"{axis} < 1", f"{axis} % 2 == 0", "k < 1" if "k" in value else f"{axis} < 3"])
            no = test.replace("==", "!=") if "==" in test else test.replace("<", ">=")
            if self.r.random() < 0.2:
                no = no.replace(">=", ">")
            lines[n : n + 1] = [f"{head} += {value}{half}{test}", f"{head} += {value}{half}{no}"]
            return lines
        elif kind == 5:
            guard = guard.replace("<= ", "< ") if "<=" in guard else guard.replace("< ", "<= ")
            guard = guard if "N" not in guard else guard.replace("<=", "<")
        elif kind == 6:
            value = f"{value} + 0 * X[{axis}]"
        elif kind == 7 and op == " += ":
            value = f"2 * ({value}) - ({value})"
        elif kind == 8 and head.startswith("Y") and "T[i]" in value:
            value = value.replace("T[i]", "(T[i] + X[i])", 1) + " - X[i]"
        elif kind == 9:
            parts = value.split(" * ", 1)
            if len(parts) == 2 and value.count("(") == 0:
                value = f"{parts[1]} * {parts[0]}"
        lines[n] = f"{head}{op}{value}{where}{guard}"
        return lines

    @staticmethod
    def _split(line: str) -> tuple[str, str, str]:
        for op in (" += ", " max= "):
            head, found, value = line.partition(op)
            if found:
                return head, op, value
        raise ValueError(line)

    def pair(self) -> tuple[str, str]:
        lines = self.kernel()
        other = self.edit(lines)
        if self.r.random() < 0.4:
            other = self.edit(other)
        return self.text(lines), self.text(other)

    def text(self, lines: list[str]) -> str:
        """The text, with declarations of what stands in it."""
        body = "\n".join(map(_cast, lines) if self.whole else lines)
        said = ["temporary T", "T: [N]", "Y: [N]", *(d for n, d in SHAPES.items() if n in body)]
        said += [d for n, d in AXES.items() if re.search(rf"\b{n}\b", body)]
        if self.whole:
            said += ["T: i32", "Y: i32", *(d for n, d in TYPES.items() if n in body)]
        return "\n".join([*said, body])


def _cast(line: str) -> str:
    """Elements of narrow types, converted."""
    head, sep, value = line.partition("= ")
    for name in ("X", "U"):
        out, n = "", 0
        while (at := value.find(f"{name}[", n)) >= 0:
            end = value.index("]", at)
            out += value[n:at] + f"i32({value[at:end]}])"
            n = end + 1
        value = out + value[n:]
    return head + sep + value


def kernels(seed: int) -> tuple[im.Kernel, im.Kernel] | None:
    """None where a text is refused."""
    try:
        a, b = Draw(seed).pair()
        return im.kernel(a, name="a"), im.kernel(b, name="b")
    except im.IsamapError:
        return None


def differ(a: im.Kernel, b: im.Kernel, seed: int, sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 8)) -> bool:
    """Whether NumPy sees a difference: of integers any, of f64 one that rounding does not explain, between numbers."""
    rng = np.random.default_rng(seed)
    for n in sizes:
        shapes = {"X": (2 * n + 6,), "U": (2 * n + 6, 3), "w": (3,)}
        both = [_Steps(k, n) for k in (a, b)]
        for draw in range(3):
            arrays = {}
            for name in a.inputs:
                kind = a.tensor(name).dtype
                if kind.is_float:
                    arrays[name] = (
                        rng.uniform(-1.5, 1.5, shapes[name])
                        if draw
                        else rng.integers(-2, 3, shapes[name]).astype(float)
                    )
                else:
                    low, high = (kind.low, kind.high) if draw else (-5, 5)
                    arrays[name] = rng.integers(low, high, shapes[name], endpoint=True).astype(kind.numpy)
            x, y = (steps.results(arrays) for steps in both)
            if x.dtype.kind == "i":
                if (x != y).any():
                    return True
                continue
            numbers = np.isfinite(x) & np.isfinite(y)
            if not np.allclose(x[numbers], y[numbers], rtol=1e-7, atol=1e-7):
                return True
    return False


class _Steps:
    """The interpreter's steps of a kernel at a size, floats in f64; made once, for all arrays."""

    def __init__(self, k: im.Kernel, n: int) -> None:
        wide = {t.name: "f64" for t in k.tensors if t.dtype.is_float}
        self.kernel, self.steps = k.with_dtypes(wide).with_sizes({"N": n}), None

    def results(self, arrays: dict[str, np.ndarray]) -> np.ndarray:
        fixed, held = prepare(self.kernel, {m: arrays[m] for m in self.kernel.inputs}, None, None)
        if self.steps is None:
            shapes = {m: a.shape for m, a in held.items()}
            self.steps = [act for s in in_order(fixed) for act in actions(fixed, s, shapes)]
        with np.errstate(all="ignore"):
            for act in self.steps:
                act(held)
        return held["Y"]
