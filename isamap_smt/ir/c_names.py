"""Names in C: isamap prints `im_...` and `isamap_...`, and nobody else may use a name of that form.

    im_...      made from names of the user's: tensors, sizes, loops, registers, buffers
    isamap_...  written here: helper functions, entry points, their arguments and locals

No text of a description (`emit`, `prelude`, `state`, `c_types`) may hold such a name: `isamap_smt.ir.c_text` refuses it
when the instruction is made. So neither side can capture a name of the other's. All other words of the printed C are
C's own and those of STANDARD, and no prelude may define them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MADE = "im_"
_FORM = re.compile(r"(?:im|isamap)_", re.IGNORECASE)

KEYWORDS = frozenset((
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "_Alignas",
    "_Alignof", "_Atomic", "_Bool", "_Complex", "_Float16", "_Generic", "_Imaginary", "_Noreturn", "_Static_assert",
    "_Thread_local", "__asm__", "__attribute__", "__extension__", "__int128", "__typeof__", "__volatile__", "asm",
    "typeof",
))  # fmt: skip
# what the printed C uses of the standard headers, and of the compiler
STANDARD = frozenset((
    "NULL", "INT64_C", "UINT64_C", "aligned_alloc", "free", "memcmp", "memcpy", "memmove", "memset", "size_t", "uintptr_t",
    "intptr_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "aligned", "may_alias",
    "vector_size",
))  # fmt: skip


def reserved(identifier: str) -> bool:
    """Whether only isamap may call something so.

    >>> reserved("im_A"), reserved("isamap_max"), reserved("ISAMAP_H"), reserved("image"), reserved("part_")
    (True, True, True, False, False)
    """
    return _FORM.match(identifier) is not None


@dataclass
class Names:
    """The identifiers given out in one C file; no two things have the same.

    >>> names = Names()
    >>> names.give("A"), names.give("acc", 0, 1), names.give("acc_0", 1), names.give("a b"), names.give("a_b")
    ('im_A', 'im_acc_0_1', 'im_acc_0_1_2', 'im_a_b', 'im_a_b_2')
    """

    _taken: set[str] = field(default_factory=set)

    def give(self, *parts: object) -> str:
        """A new identifier made from the parts. Characters not allowed in C become underscores."""
        wanted = found = MADE + re.sub(r"[^A-Za-z0-9_]", "_", "_".join(map(str, parts)))
        again = 1
        while found in self._taken:
            again += 1
            found = f"{wanted}_{again}"
        self._taken.add(found)
        return found


def comment_lines(text: str) -> list[str]:
    """The lines of a text, for a comment of C: nothing in them ends the comment or joins the next line.

    >>> comment_lines("all */ of\\r\\nit\\\\")
    ['all * / of', 'it\\\\.']
    """
    ascii_only = text.encode("ascii", "backslashreplace").decode()
    apart = ascii_only.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")
    lines = ("".join(c if c.isprintable() else " " for c in line).rstrip() for line in apart.splitlines())
    return [f"{line}." if line.endswith("\\") else line for line in lines]


def c_string(text: str) -> str:
    """The text as a string literal of C, whatever it holds; characters beyond ASCII as their bytes in UTF-8.

    >>> print(c_string('a "b"\\n??/'))
    "a \\"b\\"\\012\\077\\077/"
    """
    plain = (chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else _ESCAPED.get(b, f"\\{b:03o}") for b in text.encode())
    return '"' + "".join(plain) + '"'


_ESCAPED = {ord('"'): '\\"', ord("\\"): "\\\\"}
