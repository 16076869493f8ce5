"""Random values of statements: arithmetic, functions, casts and saturations over elements that were drawn."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.oracle.numbers import KINDS

_SMALL = ("i8", "u8", "i16", "u16", "i32", "u32")


@dataclass(frozen=True)
class Drawn:
    """A piece of text and its type."""

    text: str
    kind: str


SMOOTH = ["exp", "tanh", "sigmoid", "erf", "sqrt", "rsqrt", "log", "floor", "ceil", "trunc", "rint"]


BENT = ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh"]


def value(
    rng: random.Random, out: str, reads: list[Drawn], depth: int, *, first: bool = False, plain: bool = False
) -> str:
    """A value that has every element in it. first: the first stands outermost, so that it counts in each term; plain: no casts."""
    bools = "bool" in (out, *(r.kind for r in reads))  # nothing is converted to bool before it is compared
    casts = not plain and (bools or rng.random() < (0.8 if any(r.kind != out for r in reads) else 0.25))
    if not casts:
        kind = out
        parts = [r.text for r in reads]
    else:
        kind = rng.choice([out, out, reads[0].kind, "f32"])
        parts = [converted(rng, r, kind) for r in reads]
    text = parts[0]
    for p in parts[1:]:
        text = binary(rng, kind, text, p)
    for _ in range(depth if not first else max(1, depth - 1)):
        text = step(rng, kind, text, parts, casts)
    if casts and kind != out and rng.random() < 0.5:
        text = converted(rng, Drawn(text, kind), out)
    return text


def converted(rng: random.Random, x: Drawn, kind: str) -> str:
    """x as a value of that type."""
    if x.kind == kind:
        return x.text
    if "bool" in (x.kind, kind):
        return f"{kind}({x.text})"
    if not KINDS[kind].floating:
        if KINDS[x.kind].floating and kind in _SMALL and rng.random() < 0.6:
            return f"round_{kind}({x.text})"
        if not KINDS[x.kind].floating and rng.random() < 0.4:
            return f"sat_{kind}({x.text})"
    return f"{kind}({x.text})"


def literal(rng: random.Random, kind: str) -> str:
    if kind == "bool":
        return rng.choice("01")
    if KINDS[kind].floating:
        return rng.choice(["2", "0.5", "1.25", "-1.0", "0.1", "3", "0.0"])
    return rng.choice(["2", "1", "3", "7", "0"] + (["-1", "-3"] if KINDS[kind].signed else []))


def binary(rng: random.Random, kind: str, a: str, b: str) -> str:
    """Two values joined."""
    forms = ["{} * {}"] * 3 + ["{} + {}"] * 3 + ["{} - {}"] * 2 + ["max({}, {})", "min({}, {})"]
    if KINDS[kind].floating and rng.random() < 0.3:
        forms = ["{} / {}"]
    if kind == "bool":
        forms = ["max({}, {})", "min({}, {})", "(({}) & ({}))", "(({}) | ({}))", "(({}) ^ ({}))"]
    form = rng.choice(forms)
    if "(" not in form:
        a, b = (f"({x})" if any(s in x for s in (" + ", " - ", " / ")) else x for x in (a, b))
    return form.format(a, b)


def _truth(rng: random.Random, x: str, c: str, p: str) -> str:
    """x with one more operation of bools around it."""
    compared = f"({x}) {rng.choice(['<', '<=', '==', '!='])} ({p})"
    forms = ["not ({x})", "(({x}) and ({p}))", "(({x}) or not ({p}))", "select({p}, {x}, {c})", "select({x}, {c}, {p})",
             "bool({x})", "bool(i32({x}) - i32({p}))", "select({compared}, {p}, {c})", "bool(f32({x}) * inf)"]  # fmt: skip
    forms = [f.format(x=x, c=c, p=p, compared=compared) for f in forms]
    forms = [f.format(x=x, c=c, p=p, compared=compared) for f in forms]
    return rng.choice([binary(rng, "bool", x, p), f"bool({compared})", *forms])


def step(rng: random.Random, kind: str, x: str, parts: list[str], casts: bool) -> str:
    """x with one more operation around it."""
    c, p = literal(rng, kind), rng.choice(parts)
    if kind == "bool":
        return _truth(rng, x, c, p)
    forms = [
        f"relu({x})",
        f"abs({x})",
        f"-({x})",
        binary(rng, kind, x, c),
        f"max({x}, {c})",
        f"min({c}, {x})",
        binary(rng, kind, x, p),
    ]
    forms += [f"select({p} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {c}, {x}, {rng.choice([p, c])})"]
    if rng.random() < 0.15:
        tests = [f"{rng.choice(parts)} {rng.choice(['<', '<=', '>', '!='])} {rng.choice([p, c])}" for _ in range(3)]
        whole = rng.choice(["{} and {}", "{} or {}", "not ({} or {})", "{} and ({} or not {})"]).format(*tests)
        forms = [f"select({whole}, {x}, {c})", f"({whole}) * ({x})", f"select(not {p}, {x}, {p})"]
    if KINDS[kind].floating and rng.random() < 0.05:
        forms = [f"select({p} < {c}, -inf, {x})", f"min({x}, inf)", f"select({x} == inf, {c}, {x})"]
    if KINDS[kind].floating and kind != "f64" and rng.random() < 0.3:
        forms = [f"{rng.choice(SMOOTH)}({x})"]
        if rng.random() < 0.4:
            forms = [f"{name}({x})" for name in BENT]
            forms += [
                f"pow({x}, {c})",
                f"pow(abs({x}), {p})",
                f"fmod({x}, {p})",
                f"(({x}) % ({rng.choice([p, c])}))",
            ] * 2
    elif not KINDS[kind].floating and rng.random() < 0.25:
        forms = [f"(({x}) {sign} ({rng.choice([p, c])}))" for sign in ("//", "%") if c != "0"]
        forms += [f"(({x}) {sign} ({rng.choice([p, c])}))" for sign in ("&", "|", "^")]
        forms += [f"~({x})", f"(({x}) << {rng.randrange(KINDS[kind].bits)})", f"(({x}) << ({p}))"]
    elif (
        casts
        and not KINDS[kind].floating
        and rng.random() < 0.4
        and not any(w in x for w in ("select", "/", "%", "&", "|", "^", "~", "<", "not"))
    ):
        forms = [f"sat_{kind}({x} + {c})", f"sat_{kind}({x} * {p})", f"sat_{kind}(({x}) * {p} >> {rng.choice(parts)})"]
    return rng.choice(forms)
