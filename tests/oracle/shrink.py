"""A case that goes wrong, made smaller while the same thing happens: fewer statements, smaller values, axes and sizes.

Every step is a change of the text or of the options. Texts that mean nothing any more, or fail otherwise, are left.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.oracle import text as language
from tests.oracle.case import Case
from tests.oracle.numbers import KINDS
from tests.oracle.random_cases import size_names
from tests.oracle.text import Line, Text, read_text


def shrunk(case: Case, same: Callable[[Case], bool], tries: int = 60) -> Case:
    """The smallest case found of which `same` is true, which asks at most `tries` times."""
    seen = {case.json()}
    while tries > 0:
        for smaller in smaller_cases(case):
            if smaller.json() in seen:
                continue
            seen.add(smaller.json())
            tries -= 1
            if same(smaller):
                case = smaller
                break
            if tries <= 0:
                break
        else:
            break
    return case


def smaller_cases(case: Case) -> Iterator[Case]:
    """Cases with less in them, the boldest steps first."""
    for simple in (
        {"fix": {}}, {"constant": ()}, {"threads": 1, "call_threads": 1}, {"out": False}, {"infer": False}, {"data": "whole"},
        {"compiler": "quick"},
    ):  # fmt: skip
        if any(getattr(case, n) != v for n, v in simple.items()):
            yield replace(case, **simple)  # type: ignore[arg-type]
    for smaller in smaller_texts(read_text(case.text)):
        yield with_text(case, smaller)
    for n, v in case.sizes.items():
        for less in dict.fromkeys((1, 2, 3, v // 2, v - 1)):
            if 0 < less < v:
                yield replace(case, sizes=case.sizes | {n: less})
    if case.fixed and set(case.fixed) != set(case.sizes):
        yield replace(case, fixed=tuple(case.sizes))


def with_text(case: Case, text: Text) -> Case:
    """The case about another text: declarations of what is gone are left out, and so are its sizes."""
    text = _cleaned(text)
    names = {*size_names(text), *text.parameters}
    sizes = {n: case.sizes.get(n, 2) for n in names}
    used = _tensors(text)
    return replace(
        case, text=str(text), sizes=dict(sorted(sizes.items())), fixed=tuple(n for n in case.fixed if n in sizes),
        constant=tuple(c for c in case.constant if c in used),
    )  # fmt: skip


def _tensors(text: Text) -> dict[str, None]:
    found: dict[str, None] = {}
    for s in text.statements:
        for part in (s.target, s.value):
            found |= dict.fromkeys(language.tensor(e) for e in language.elements(language.expression(part)))
    return found


def _cleaned(text: Text) -> Text:
    tensors, written = _tensors(text), {s.target.partition("[")[0] for s in text.statements}
    words = set(
        re.findall(r"\w+", " ".join([*map(str, text.statements), *(e for s in text.shapes.values() for e in s)]))
    )
    values = [language.expression(s.value) for s in text.statements]
    read = {language.tensor(e) for v in values for e in language.elements(v)}
    about = {a: set(re.findall(r"[A-Za-z_]\w*", a)) for a in text.assumed}
    return replace(
        text,
        types={n: k for n, k in text.types.items() if n in tensors},
        temporaries=tuple(n for n in text.temporaries if n in read & written),
        shapes={n: s for n, s in text.shapes.items() if n in tensors},
        parameters={n: v for n, v in text.parameters.items() if n in words},
        extents={n: e for n, e in text.extents.items() if n in words},
        assumed=tuple(a for a in text.assumed if about[a] & (tensors.keys() - written)),
    )


def smaller_texts(text: Text) -> Iterator[Text]:
    """Texts with less in them."""
    lines = text.statements
    if len(lines) > 1:
        for n in range(len(lines)):
            yield replace(text, statements=lines[:n] + lines[n + 1 :])
    for n in text.temporaries:
        yield replace(text, temporaries=tuple(t for t in text.temporaries if t != n))
    for n, line in enumerate(lines):
        for smaller in smaller_lines(line):
            yield replace(text, statements=(*lines[:n], smaller, *lines[n + 1 :]))
    for a in _axes(text):
        yield _without_axis(text, a)
    for a in text.assumed:
        yield replace(text, assumed=tuple(x for x in text.assumed if x != a))
    for n in text.shapes:
        yield replace(text, shapes={m: s for m, s in text.shapes.items() if m != n})
    for a in text.extents:
        yield replace(text, extents={m: e for m, e in text.extents.items() if m != a})
    kinds = set(text.types.values())
    for simple in ("f32", "i32"):
        if kinds - {simple} and all(KINDS[k].floating == KINDS[simple].floating for k in kinds):
            yield replace(text, types=dict.fromkeys(text.types, simple))


def smaller_lines(line: Line) -> Iterator[Line]:
    """The statement with less in it."""
    if line.guard:
        yield replace(line, guard="")
        parts = line.guard.split(" and ")
        if len(parts) > 1:
            yield from (replace(line, guard=" and ".join(parts[:n] + parts[n + 1 :])) for n in range(len(parts)))
    if line.over:
        yield replace(line, over=())
    if line.ordered:
        yield replace(line, ordered=False)
    if line.op not in ("=", "+="):
        yield replace(line, op="+=")
    for value in dict.fromkeys(_smaller_values(language.expression(line.value))):
        yield replace(line, value=value)
    for name in ("target", "value"):
        for new in _plain_indices(getattr(line, name)):
            yield replace(line, **{name: new})


def _text(node: ast.AST) -> str:
    return ast.unparse(node).replace("[()]", "[]")


def _smaller_values(node: ast.AST) -> Iterator[str]:
    """The tree with one operation replaced by one of its operands."""
    for path in _places(node):
        part = _at(node, path)
        for child in ast.iter_child_nodes(part):
            if isinstance(child, ast.BinOp | ast.UnaryOp | ast.Subscript | ast.Constant) or _calls(child):
                if isinstance(part, ast.Subscript):
                    continue
                yield _text(_replaced(node, path, child))


def _calls(node: ast.AST) -> bool:
    return isinstance(node, ast.Call)


Path = tuple[tuple[str, int | None], ...]


def _places(node: ast.AST, path: Path = ()) -> Iterator[Path]:
    """Where operations stand, outermost first; indices are no operations."""
    if isinstance(node, ast.Subscript | ast.Name | ast.Constant):
        return
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Call):
        yield path
    for name, held in ast.iter_fields(node):
        if isinstance(held, ast.AST):
            yield from _places(held, (*path, (name, None)))
        elif isinstance(held, list):
            for n, x in enumerate(held):
                if isinstance(x, ast.AST):
                    yield from _places(x, (*path, (name, n)))


def _at(node: ast.AST, path: Path) -> ast.AST:
    for name, n in path:
        held = getattr(node, name)
        node = held if n is None else held[n]
    return node


def _replaced(node: ast.AST, path: Path, new: ast.AST) -> ast.AST:
    if not path:
        return new
    copy = ast.parse(ast.unparse(node), mode="eval").body
    parent = _at(copy, path[:-1])
    name, n = path[-1]
    if n is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[n] = new
    return copy


def _plain_indices(text: str) -> Iterator[str]:
    """The text with one odd index made plain, or left out."""
    node = language.expression(text)
    for e in language.elements(node):
        held = language.indices(e)
        for n, i in enumerate(held):
            for name in dict.fromkeys(language.names_in(i)):
                if not isinstance(i, ast.Name) and name != name.upper():
                    new = [*held[:n], ast.Name(name), *held[n + 1 :]]
                    yield _text(_with_indices(node, e, new))
                    break


def _with_indices(node: ast.AST, element: ast.Subscript, new: list[ast.expr]) -> ast.AST:
    class Change(ast.NodeTransformer):
        def visit_Subscript(self, found: ast.Subscript) -> ast.AST:
            if found is not element:
                return found
            return ast.Subscript(found.value, ast.Tuple(new) if len(new) != 1 else new[0])

    return Change().visit(node)  # type: ignore[no-any-return]


def _axes(text: Text) -> list[str]:
    found: dict[str, None] = {}
    for s in text.statements:
        for part in (s.target, s.value):
            found |= dict.fromkeys(language.index_names(language.expression(part)))
    return [a for a in found if a not in text.parameters and a != a.upper()]


def _without_axis(text: Text, axis: str) -> Text:
    """Every index that is this axis alone is gone, and so are guards about it."""

    def change(part: str) -> str:
        node = language.expression(part)
        for e in language.elements(node):
            kept = [i for i in language.indices(e) if not (isinstance(i, ast.Name) and i.id == axis)]
            node = _with_indices(node, e, kept)  # type: ignore[assignment]
        return _text(node)

    def line(s: Line) -> Line:
        guard = " and ".join(g for g in s.guard.split(" and ") if axis not in re.findall(r"\w+", g)) if s.guard else ""
        over = tuple(a for a in s.over if a != axis)
        return replace(s, target=change(s.target), value=change(s.value), guard=guard, over=over)

    return replace(text, statements=tuple(map(line, text.statements)))


__all__ = ["shrunk", "smaller_cases"]
