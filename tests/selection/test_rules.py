"""Rewrite rules: where each holds, by proofs and by other arithmetic; what they save; and that a wrong one goes nowhere."""

from __future__ import annotations

import ast
import functools
import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_hardware
import isamap_smt as im
from benchmarks import fuzz_expressions
from benchmarks.fuzz_expressions import one
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.scalar import Abs, Relu, SAdd, Scalar, SDiv, SMul, SNeg, SSub, read
from isamap_smt.language.printer import value_text
from isamap_smt.language.values import heads_written
from isamap_smt.mapping import rewriting, selection
from isamap_smt.mapping.patterns import pattern_of
from isamap_smt.mapping.rewriting import Equalities
from isamap_smt.mapping.rule_list import rule_document
from isamap_smt.mapping.rule_table import RULES
from isamap_smt.mapping.rule_verdicts import REALS, SATURATING, element_types, heads_of, keeps_error_of, sides, verdict
from isamap_smt.mapping.selection import selected_instruction
from isamap_smt.proof import prove
from isamap_smt.proof.scalar_rules import follows
from tests.selection.rules_page import PAGE, written

AVX2 = isamap_hardware.load("avx2")
NAMED = {r.name: r for r in RULES}


@functools.cache
def documents() -> list[dict[str, Any]]:
    return rule_document()


def test_the_page_is_current() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page, documents()), "python -m tests.selection.rules_page"


def test_most_rules_are_proved_somewhere_and_those_that_tempt_are_not() -> None:
    held = {r["name"]: {a for a, v in r["verdicts"].items() if v["verdict"] == "proved"} for r in documents()}
    assert not held["sum of exponents"] and not held["product of roots"] and not held["narrow product, without sign"]
    assert held["quotient by a power of two"] == {"f32", "f32 values", "f64", "reals"}
    assert held["quotient by a number"] == {"reals"}
    assert held["magnitude by maximum"] == {"i8", "i32", "f32 values", SATURATING, REALS}  # not of u8: -1 is 255
    assert sum(not h for h in held.values()) == 3 or set(held) - {n for n, h in held.items() if h} >= {"two divisors"}


@pytest.mark.parametrize(
    ("name", "arithmetic", "at"),
    [("rectifier by select", "f32 values", {"x": "nan"}), ("from zero", "f32", {"x": 0.0}), ("plus zero", "f64", {"x": -0.0}),
     ("magnitude by select", "f32", {"x": -0.0}), ("narrow product, without sign", "i32", {"a": 255, "b": 255})],
)  # fmt: skip
def test_what_refutes_a_rule_is_shown(name: str, arithmetic: str, at: dict[str, Any]) -> None:
    found = verdict(NAMED[name], arithmetic)
    assert isinstance(found, Refuted)
    assert {n: repr(v) for n, v in found.witness.items() if n in at} == {n: repr(v) for n, v in at.items()}


# ---- other arithmetic

Work = Callable[..., Any]
_CALLS: dict[str, Work] = {
    "max": np.maximum, "min": np.minimum, "abs": np.abs, "sqrt": np.sqrt, "relu": lambda x: np.maximum(x, x.dtype.type(0)),
    "rsqrt": lambda x: x.dtype.type(1) / np.sqrt(x), "select": np.where,
}  # fmt: skip
_OPERATORS: dict[type[ast.AST], Work] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Lt: np.less, ast.LtE: np.less_equal,
    ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal, ast.NotEq: np.not_equal,
}  # fmt: skip


def calculated(node: ast.AST, at: dict[str, np.ndarray], kind: type) -> Any:
    """The text of a side in NumPy, read by Python's own parser."""
    match node:
        case ast.Expression():
            return calculated(node.body, at, kind)
        case ast.Name():
            return at[node.id]
        case ast.Constant(value=int() | float() as v):
            return np.full_like(next(iter(at.values())), v)
        case ast.UnaryOp(operand=x):
            return np.negative(calculated(x, at, kind))
        case ast.BinOp(left=a, op=op, right=b):
            return _OPERATORS[type(op)](calculated(a, at, kind), calculated(b, at, kind))
        case ast.Compare(left=a, ops=[op], comparators=[b]):
            return _OPERATORS[type(op)](calculated(a, at, kind), calculated(b, at, kind))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _CALLS[name](*[calculated(a, at, kind) for a in args])
    raise TypeError(ast.dump(node))


def columns(rule: Rule, names: list[str], kind: str) -> dict[str, np.ndarray]:
    """Values for the names: of a byte all pairs, of f16 all for the first name; numbers that meet the conditions."""
    rng = np.random.default_rng(1)
    every = (
        np.arange(256, dtype=np.uint8).view(np.int8)
        if kind == "i8"
        else np.arange(65536, dtype=np.uint16).view(np.float16)
    )
    some = (
        every
        if kind == "i8"
        else np.concatenate([rng.choice(every, 40), np.array([0, -0.0, np.nan, np.inf, 1, -6e4], "f2")])
    )
    first = np.repeat(every, len(some))
    others = [np.tile(some, len(every)) if n == 1 else rng.choice(some, first.size) for n in range(1, len(names))]
    at = dict(zip(names, [first, *others], strict=False))
    for c in rule.given:
        small = rng.integers(1, 60, first.size) * rng.choice([-1, 1], first.size)
        match c[0]:
            case "power of two":
                at[c[1]] = np.exp2(rng.integers(-13, 14, first.size)) * rng.choice([-1, 1], first.size)
            case "twice":
                at[c[1]], at[c[2]] = 2 * small, small
            case "minus":
                at[c[1]], at[c[2]] = -small, small
            case "less" | "at most":
                at[c[1]], at[c[2]] = small, small + 3
            case "not zero":
                at[c[1]] = np.where(at[c[1]] == 0, 1, at[c[1]])
    return {n: v.astype(every.dtype) for n, v in at.items()}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["i8", "f16"])
def test_proved_rules_hold_in_numpy(kind: str) -> None:
    """Of one and two names all bytes, and all numbers of f16 for the first."""
    checked = 0
    for rule in RULES:
        if rule.types or element_types(rule, kind) is None or not isinstance(verdict(rule, kind), Proved):
            continue
        trees = [ast.parse(side, mode="eval") for side in (rule.left, rule.right)]
        names = sorted({n.id for t in trees for n in ast.walk(t) if isinstance(n, ast.Name)} - set(_CALLS))
        at = columns(rule, names, kind)
        with np.errstate(all="ignore"):
            left, right = (calculated(t, at, np.dtype(DTYPES[kind].numpy).type) for t in trees)
        nan = np.isnan(left.astype(float)) & np.isnan(right.astype(float))
        same = (left == right) | nan
        if not any(w in rule.left + rule.right for w in ("max", "min", "relu")):
            same &= (np.signbit(left) == np.signbit(right)) | nan
        assert same.all(), (rule, {n: v[~same][0] for n, v in at.items()})
        checked += 1
    assert checked > 12


MISTAKES = ((" + ", " - "), (" * ", " + "), ("max(", "min("), ("relu(", "abs("), ("x - y", "y - x"), (" < ", " <= "))


def mutants() -> list[Rule]:
    """Rules of the table with one mistake: an operation, the order of operands, a number, or the condition."""
    found = []
    for r in RULES:
        for before, after in (
            (" + ", " - "),
            (" * ", " + "),
            ("max(", "min("),
            ("relu(", "abs("),
            ("x - y", "y - x"),
            (" < ", " <= "),
        ):
            if before in r.right:
                found.append(replace(r, right=r.right.replace(before, after, 1)))
        if r.where and "not 0" not in r.where:
            names = r.numbers
            if set(names) <= set("".join(c for c in r.left)) and r.name != "clip":
                found.append(replace(r, where=" and ".join(f"{n} is a number" for n in names)))
    return found


def test_wrong_rules_are_refuted() -> None:
    """None is proved in an arithmetic in which NumPy, or fractions, show it to be wrong: its witness is replayed by `verdict`."""
    proved, refuted = [], 0
    for rule, arithmetic in itertools.product(mutants(), ("i8", "f32", REALS)):
        if element_types(rule, arithmetic) is None:
            continue
        found = verdict(rule, arithmetic)
        refuted += isinstance(found, Refuted)
        if isinstance(found, Proved):
            proved.append((str(rule), arithmetic))
    assert refuted > 60
    # `<=` for `<` is right where the two values are equal at a tie
    assert all("<=" in text or "select" in text for text, _ in proved), proved


# ---- selection


def statement(text: str, op: str = "=", dtype: str = "f32") -> im.Kernel:
    text = "".join(f"{c}[i,j]" if c in "ABCD" else c for c in text)
    made = im.kernel(f"Y[{'i,j' if op == '=' else 'j'}] {op} {text}", name="statement")
    return made.with_dtypes({t.name: dtype for t in made.tensors})


def chosen(kernel: im.Kernel, machine: im.Hardware = AVX2) -> Instruction:
    found = selected_instruction(machine, kernel)
    assert found is not None
    return found


def proof_of(kernel: im.Kernel, taken: Instruction) -> Any:
    return prove(im.fuse(kernel, taken, "l=j", dict(zip(taken.kernel.inputs, kernel.inputs, strict=True))))


SAVING = [
    ("A / 4", "=", "f32"), ("A / 0.125 + B / 8", "=", "f32"), ("max(max(A, 1), 2)", "=", "f32"),
    ("select(A > B, C, D)", "=", "f32"), ("select(A >= 0, A, 0.1 * A)", "=", "f32"), ("select(A != B, C, D)", "=", "f32"),
    ("abs(-A) + B", "=", "f32"),
    ("-(-(A * B))", "=", "f32"), ("A * B - C * D", "+=", "f32"), ("A * B + C * D", "+=", "f32"), ("-(A + B)", "+=", "f32"),
    ("A * B + A * C", "+=", "f32"), ("A * B - A * C", "+=", "f32"), ("A / 3", "+=", "f32"), ("A / 3 + B / 3", "+=", "f32"),
    ("A * 2", "=", "i32"), ("A * B - A * C", "=", "i32"),
    ("select(A < B, B, A) + C", "=", "i32"), ("max(A, 0 - A) + B", "=", "i32"), ("select(A > 0, A, 0) - B", "=", "i32"),
    ("-A", "+=", "i32"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "op", "dtype"), SAVING)
def test_rules_save_steps(text: str, op: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = statement(text, op, dtype)
    before = time.perf_counter()
    taken = chosen(kernel)
    found = proof_of(kernel, taken)
    assert time.perf_counter() - before < 4  # the first use of a rule proves it
    assert isinstance(found, im.ProvedMapping), str(found)
    assert getattr(taken, "rules", ())
    monkeypatch.setattr(selection, "RULES", ())
    plain = selected_instruction(AVX2, kernel)
    assert plain is None or plain.cost.per_cycle < taken.cost.per_cycle


def test_the_claim_says_what_it_stands_on() -> None:
    """Bit for bit it is a chain of rules; over the reals, and of integers, Z3 answers itself."""
    kernel = statement("max(max(A, 1), 2) / 4")
    said = next(c for c in proof_of(kernel, chosen(kernel)).proof.claims if c.subject == "instruction")
    assert "by a chain of 2 uses of proved rules: " in said.statement
    assert "`two maxima` in f32" in said.statement and "`quotient by a power of two` in f32" in said.statement
    summed = statement("A / 3 + B / 3", "+=")
    proof = proof_of(summed, chosen(summed)).proof
    assert (
        next(c for c in proof.claims if c.subject == "instruction").statement == "the instruction computes its contract"
    )
    assert proof.arithmetic == "reassociate"
    assert any("computes the same real numbers otherwise" in a and "`common divisor`" in a for a in proof.assumptions)


def test_what_is_assigned_is_not_rounded_otherwise() -> None:
    """Nor do comparisons change where sums may: of NaN, a maximum is no choice."""
    assert "_mm256_div_ps" in chosen(statement("A / 3")).emit
    assert chosen(statement("A * B + A * C")).emit.count("_mm256_mul_ps") == 2
    assert "_mm256_max_ps" in chosen(statement("max(A, B)", "+=")).emit
    assert "_mm256_max_ps" not in chosen(statement("select(A < B, B, A)", "+=")).emit


def test_products_of_differences_are_not_multiplied_out() -> None:
    """(A - B) * (A - B) is A * (A - B) - B * (A - B) over the reals, and nothing but rounding where A is near B."""
    taken = chosen(statement("(A - B) * (A - B)", "+="))
    assert taken.emit.count("_mm256_sub_ps") == 1 and taken.emit.count("fmadd") == 1
    rule = NAMED["common factor of a difference"]
    assert isinstance(keeps_error_of(rule, turned=False), Proved)
    assert not isinstance(keeps_error_of(rule, turned=True), Proved)
    assert not any(isinstance(keeps_error_of(NAMED["sums in another order"], t), Proved) for t in (False, True))


def test_sums_that_are_clamped_are_not_computed_before() -> None:
    """What wraps before it is clamped is another value, and used to be proved."""
    kernel = statement("sat_i32(A + B) + C", dtype="i32")
    taken = chosen(kernel)
    assert taken.steps_taken == ("adds_i32_8", "add_i32")
    a, b, c = (np.full((3, 11), v, np.int32) for v in (2**31 - 1, 5, -7))
    got = im.build(im.plan(kernel, AVX2, sizes={"i": 3, "j": 11}))(a, b, c)
    assert (got == 2**31 - 8).all()


@pytest.mark.parametrize(
    ("kernel", "rule"),
    [(statement("A / B - C"), Rule("wrong", "x / y", "x - y")), (statement("A / 3"), NAMED["quotient by a number"]),
     (statement("relu(A) * B"), Rule("wrong", "relu(x)", "x")), (statement("A * 6", dtype="i32"), Rule("wrong", "x * 6", "x + x")),
     (statement("abs(A) + B", "+="), Rule("wrong", "abs(x)", "x"))],
)  # fmt: skip
def test_a_wrong_rule_that_is_forced_in_is_refuted_by_the_claim(
    kernel: im.Kernel, rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    proved = rewriting.proved_in
    monkeypatch.setattr(rewriting, "proved_in", lambda r, k, *rest: k if r == rule else proved(r, k, *rest))
    monkeypatch.setattr(selection, "RULES", (rule,))
    taken = selected_instruction(AVX2, kernel)
    assert taken is not None and getattr(taken, "rules", ()) == (rule,)
    found = proof_of(kernel, taken)
    assert isinstance(found, im.Rejection) and found.refuted
    assert "scalar instruction" in str(found.claim)


def test_a_link_is_one_use_of_a_proved_rule() -> None:
    x, y, z = (read(n) for n in "xyz")
    types = dict.fromkeys("xyz", DTYPES["f32"])
    halves = NAMED["quotient by a power of two"]

    def valid(rule: Rule, before: Any, after: Any, reals: bool = False) -> str | None:
        return follows(rule, before, after, types, DTYPES["f32"], reals)

    quarter = SMul(x, SDiv(1, 4))
    assert valid(halves, SAdd(SDiv(x, 4), y), SAdd(quarter, y)) == "f32"
    assert valid(halves, SAdd(quarter, y), SAdd(SDiv(x, 4), y)) == "f32"
    assert valid(halves, SDiv(x, 3), SMul(x, SDiv(1, 3))) is None  # the condition
    assert valid(halves, SDiv(x, 4), SMul(y, SDiv(1, 4))) is None  # another name
    assert valid(halves, SAdd(SDiv(x, 4), SDiv(y, 4)), SAdd(quarter, SMul(y, SDiv(1, 4)))) is None  # two places
    assert valid(NAMED["common factor"], SAdd(SMul(x, y), SMul(x, z)), SMul(x, SAdd(y, z))) is None  # not in f32
    assert valid(NAMED["common factor"], SAdd(SMul(x, y), SMul(x, z)), SMul(x, SAdd(y, z)), reals=True) == REALS
    assert (
        valid(NAMED["common factor"], SMul(x, SAdd(y, z)), SAdd(SMul(x, y), SMul(x, z)), reals=True) is None
    )  # its error grows
    assert valid(NAMED["rectifier by select"], Relu(x), Abs(x)) is None


def test_all_that_rules_make_of_a_value_is_equal_to_it() -> None:
    """Integers, whatever the rules found: each tree of the value's class at random elements."""
    rng = np.random.default_rng(4)
    at = {n: rng.integers(-(2**31), 2**31, 500).astype(np.int32) for n in "xyz"}
    x, y, z = (read(n) for n in "xyz")
    work: dict[str, Any] = {"SAdd": np.add, "SSub": np.subtract, "SMul": np.multiply, "SNeg": np.negative}

    def value(tree: Any) -> Any:
        if tree.is_Number:
            return np.int32(int(tree))
        return at[tree.tensor] if type(tree).__name__ == "Read" else work[type(tree).__name__](*map(value, tree.args))

    seen = 0
    for tree in (
        SSub(SMul(x, y), SMul(z, x)),
        SMul(SAdd(x, 4), SNeg(y)),
        SAdd(SSub(x, SMul(y, 6)), SNeg(SNeg(z))),
        SMul(SMul(x, -4), y),
    ):
        found = Equalities(tree, dict.fromkeys("xyz", DTYPES["i32"]), DTYPES["i32"], RULES, False)
        found.saturate()
        for member in found.graph.members(found.root):
            assert (value(found.tree(member)) == value(tree)).all(), found.tree(member)
            seen += 1
    assert seen > 40


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(50_000, 50_020))
def test_random_expressions_are_computed_rightly(seed: int) -> None:
    assert one(seed, AVX2) != "unknown"


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(60_000, 60_300))
def test_more_random_expressions_are_computed_rightly(seed: int) -> None:
    assert one(seed, AVX2)


@pytest.mark.parametrize(("told", "planted"), [("max(", "min("), (" - ", " + "), ("f32(", "f16("), (" >> ", " * 2 * ")])
def test_another_computation_is_found(monkeypatch: pytest.MonkeyPatch, told: str, planted: str) -> None:
    """The attack compares: steps that compute something else differ somewhere."""
    monkeypatch.setattr(fuzz_expressions, "value_text", lambda value: value_text(value).replace(told, planted))
    with pytest.raises(AssertionError, match="instead of"):
        for seed in range(50_000, 50_100):
            one(seed, AVX2)


def _heads(tree: Any) -> set[str]:
    return {type(t).__name__ for t in sp.preorder_traversal(tree) if isinstance(t, Scalar)}


def test_heads_told_from_a_text_stand_in_its_tree() -> None:
    for rule in RULES:
        both = sides(rule)
        for tree, text in ((both.left, rule.left), (both.right, rule.right)):
            assert heads_of(text) <= _heads(tree)
            assert heads_of(text) >= _heads(tree) - {"Read", "Compare", "SNeg"}, text
    for i in AVX2.instructions:
        told = heads_written(i.written.partition("=")[2])
        assert told <= _heads(pattern_of(i)) | selection.CONVERTING, i.name


@pytest.mark.parametrize(
    ("tree", "kind", "reals"),
    [
        (SAdd(SMul(read("x"), read("y")), SMul(read("x"), read("z"))), "f32", True),
        (SSub(SMul(read("x"), read("y")), read("z")), "f32", False),
        (Relu(SSub(read("x"), SNeg(read("y")))), "i32", False),
        (SDiv(SMul(read("x"), read("y")), SDiv(read("y"), read("z"))), "f32", True),
    ],
)
def test_rules_that_are_not_read_would_change_nothing(
    tree: Any, kind: str, reals: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def graph() -> Any:
        found = Equalities(tree, dict.fromkeys("xyz", DTYPES[kind]), DTYPES[kind], RULES, reals)
        found.saturate()
        return found.graph.terms, [found.graph.find(t) for t in range(len(found.graph.terms))]

    quick = graph()
    assert len(quick[0]) > 5
    monkeypatch.setattr(rewriting, "heads_of", lambda text: frozenset())
    assert graph() == quick
