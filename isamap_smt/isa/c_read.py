"""C text to a tree: pycparser reads it, after the compiler's own preprocessor where there is one to run."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from pycparser import c_ast, c_parser

from isamap_smt.ir.c_names import KEYWORDS
from isamap_smt.isa.c_types import NAMED, CType, pointer
from isamap_smt.isa.c_values import Unreadable

_OWN = ("char", "short", "int", "long", "float", "double", "void", "signed", "unsigned", "_Bool")


# a name where C has a type: before a name that is declared
_TYPE = re.compile(r"\b([A-Za-z_]\w*)(?=(?:\s+|\s*\*[\s*]*)[A-Za-z_]\w*\s*[(,)=;\[])")
_DEFINED = re.compile(r"\btypedef\b[^;{]*(?:\{[^}]*\})?[^;]*?\b(\w+)\s*;")


def prelude(text: str = "") -> str:
    """Declarations that tell the parser which names are types, in this text too. What they are is for c_types to say: a function
    with one that it does not know is not read, the others are."""
    known = [n for n in NAMED if " " not in n and n not in _OWN]
    others = [n for n in _TYPE.findall(text) if n not in {*KEYWORDS, *_OWN, *_DEFINED.findall(text)}]
    return " ".join(f"typedef int {n};" for n in dict.fromkeys([*known, *others])) + "\n"


@lru_cache(maxsize=64)
def functions(text: str, name: str) -> dict[str, Any]:
    """The functions that the C text defines. Raises Unreadable with file and line where it is no C, or more than functions."""
    parser = c_parser.CParser()
    try:
        tree = parser.parse(prelude(text) + f'#line 1 "{name}"\n' + text, name)
    except Exception as error:  # pycparser raises ParseError, and plain errors on some texts
        raise Unreadable(_where(str(error), name, getattr(parser.clex, "_lineno", 0))) from None
    found = {}
    for node in tree.ext:
        if isinstance(node, c_ast.FuncDef):
            found[node.decl.name] = node
    return found


def _where(text: str, name: str, line: int) -> str:
    """pycparser's words, behind the line that it has come to where it names none."""
    words = text.removeprefix(name).lstrip(": ")
    return f"{name}:{words}" if words[:1].isdigit() else f"{name}:{line}: {words}"


def declared(node: Any) -> CType:
    """The type that a declarator says. Raises Unreadable for types that are not covered."""
    match node:
        case c_ast.PtrDecl():
            return pointer(declared(node.type))
        case c_ast.TypeDecl() | c_ast.Typename():
            return declared(node.type)
        case c_ast.IdentifierType():
            return _plain(tuple(node.names), node)
    raise Unreadable(f"{place(node)}the type {type(node).__name__} is not covered")


def _plain(names: tuple[str, ...], node: Any) -> CType:
    text = " ".join(names)
    if text in NAMED:
        return NAMED[text]
    words = sorted(n for n in names if n not in ("int", "signed"))
    if "char" in words:
        return NAMED["unsigned char" if "unsigned" in words else "signed char"]
    key = " ".join(sorted(words, key=lambda w: w != "unsigned")) or "int"
    key = "unsigned int" if key == "unsigned" else key
    if key not in NAMED:
        raise Unreadable(f"{place(node)}the type {text} is not covered")
    return NAMED[key]


def place(node: Any) -> str:
    """`file:line: ` of a node, as far as it is known."""
    coord = getattr(node, "coord", None)
    return f"{coord.file}:{coord.line}: " if coord is not None and coord.file else ""
