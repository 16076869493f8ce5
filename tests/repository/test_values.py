"""No decision of the library reads English: sentences are made where they are shown.

Sentences are what the fields `notes`, `assumptions` and `reason` hold, what `str()` makes of an error, what a parameter named
note or told is given, and what is taken out of these. None is looked through: by `in`, by its ends, by a pattern or a parser.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SENTENCES = {"notes", "assumptions", "reason"}  # fields
NAMES = {"note", "notes", "told", "said", "sentence"}  # of parameters
TAKEN = {
    "splitlines",
    "split",
    "partition",
    "rpartition",
    "strip",
    "lower",
    "removeprefix",
    "removesuffix",
    "values",
    "items",
}
LOOKED = {"startswith", "endswith", "find", "index", "count"}
PATTERNS = {"match", "search", "fullmatch", "findall"}
# Words of others, who say no more than these.
FOREIGN = {
    "isamap_smt/language/lines.py": "Python's parser: that something is nested too deeply",
    "isamap_smt/isa/confirm.py": "a compiler's: which line is its error",
    "isamap_smt/isa/gemmini_runs.py": "a compiler's: which line is its error",
    "isamap_smt/bench/peers/with_onednn.py": "oneDNN's: that this CPU lacks something",
}


class _Function:
    """One function, or a module without its functions: what in it is a sentence, and where one is looked through."""

    def __init__(self, nodes: list[ast.AST], arguments: list[ast.arg]) -> None:
        self.nodes = nodes
        self.names = {a.arg for a in arguments if a.arg in NAMES}
        self.errors = {n.name for n in nodes if isinstance(n, ast.ExceptHandler) and n.name}
        self.errors |= {a.arg for a in arguments if a.annotation is not None and _is_error(ast.unparse(a.annotation))}
        before = -1
        while before < len(self.names):
            before = len(self.names)
            for node in nodes:
                self._bind(node)

    def _bind(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                pairs = [(t, value) for t in targets]
            case ast.NamedExpr(target=target, value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                pairs = [(target, value)]
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                pairs = [(target, value)]
            case _:
                return
        for target, value in pairs:
            if self.sentence(value):
                self.names |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}

    def sentence(self, e: ast.expr) -> bool:
        match e:
            case ast.Name(id=name):
                return name in self.names
            case ast.Attribute(attr=attr):
                return attr in SENTENCES
            case ast.Subscript(value=value) | ast.Starred(value=value):
                return self.sentence(value)
            case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]):
                return name in self.errors or name in self.names
            case ast.Call(func=ast.Attribute(attr=attr, value=value)) if attr in TAKEN:
                return self.sentence(value)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return any(map(self.sentence, parts))
        return False

    def looked_through(self) -> Iterator[ast.expr]:
        for node in self.nodes:
            match node:
                case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]) if self.sentence(right):
                    # whether the same note stands in a list of some is no look into it
                    if not (isinstance(right, ast.Attribute) and right.attr == "notes") or _is_text(node.left):
                        yield node
                case ast.Call(func=ast.Attribute(attr=attr, value=value)) if attr in LOOKED and self.sentence(value):
                    yield node
                case ast.Call(func=ast.Attribute(attr=attr), args=args) if attr in PATTERNS and any(
                    map(self.sentence, args)
                ):
                    yield node
                case ast.Call(func=ast.Name(id=name), args=args) if name == "map":
                    if isinstance(args[0], ast.Name) and _reads(args[0].id) and any(map(self.sentence, args[1:])):
                        yield node
                case ast.Call(func=ast.Name(id=name), args=args) if _reads(name) and any(map(self.sentence, args)):
                    yield node


def _is_error(annotation: str) -> bool:
    return annotation.endswith(("Error", "Exception"))


def _is_text(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant | ast.JoinedStr) or (isinstance(e, ast.Call) and ast.unparse(e.func) == "str")


def _reads(function: str) -> bool:
    return function.startswith(("parse", "read_"))


def _functions(tree: ast.AST) -> Iterator[_Function]:
    """A lambda and a comprehension belong to the function around them."""
    inner: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    nodes: list[ast.AST] = []
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner.append(node)
            continue
        nodes.append(node)
        waiting += ast.iter_child_nodes(node)
    arguments = [n for n in ast.iter_child_nodes(tree) if isinstance(n, ast.arguments)]
    given = [a for x in arguments for a in (*x.posonlyargs, *x.args, *x.kwonlyargs)]
    given += [a for n in nodes if isinstance(n, ast.Lambda) for a in n.args.args]
    yield _Function(nodes, given)
    for f in inner:
        yield from _functions(f)


def read_english(source: str) -> list[tuple[int, str]]:
    """(line, expression) of each place that looks through a sentence."""
    found = [e for f in _functions(ast.parse(source)) for e in f.looked_through()]
    return sorted((e.lineno, ast.unparse(e)) for e in found)


def test_no_decision_reads_english() -> None:
    files = [p for folder in ("isamap_smt", "encodings") for p in sorted((ROOT / folder).rglob("*.py"))]
    assert len(files) > 500
    found = {p.relative_to(ROOT).as_posix(): places for p in files if (places := read_english(p.read_text()))}
    assert {name: places for name, places in found.items() if name not in FOREIGN} == {}
    assert set(FOREIGN) <= set(found)  # each exception is one


OLD = (
    "def f(plan):\n    return any(REFUTED in note for note in plan.notes)",
    "def f(made, hardware):\n    return next((n for n in made.notes if elementwise(hardware) in n), '')",
    "def f(program):\n    return dict.fromkeys(n for s in program.schedules for n in s.notes if n.startswith(ONE_THREAD))",
    "def f(notes, told):\n    return tuple(note for note in notes if not any(t.startswith(note) for t in told))",
    "def f(error: Exception):\n    first, *claims = str(error).splitlines()\n    return 'nothing shows that it is wrong' in first",
    "def f(found):\n    return found.reason.startswith('outside ')",
    "def f(self):\n    first, *rest = self.reason.split('x')\n    return first if first.startswith('fails') else 'fails'",
    "def f(found):\n    return all(c.reason.startswith(LACKS) for c in found.of('not run'))",
    "def f(book, t):\n    return str(Finite(t)) in book.sites.program.assumptions",
    "def f(program):\n    return [read_hypothesis(text, program.kernel, 0) for text in program.assumptions]",
    "def f(self):\n    return [c for c in map(parse_condition, self.program.assumptions) if c.op == '>=']",
    "try:\n    g()\nexcept NotProvedError as error:\n    text = str(error)\n    print(text if '; ' in text else '')",
)


@pytest.mark.parametrize("source", OLD)
def test_such_decisions_are_found(source: str) -> None:
    assert read_english(source)


@pytest.mark.parametrize(
    "source",
    [
        "def f(plan):\n    return any(isinstance(n, Note) and n.refuted for n in plan.notes)",
        "def f(taken, planned):\n    return [n for n in taken.notes if n not in planned.notes]",
        "def f(q, error: Exception):\n    return f'{q.said}; given up: {error}'",
    ],
)
def test_notes_that_are_asked_and_shown_are_not(source: str) -> None:
    assert not read_english(source)
