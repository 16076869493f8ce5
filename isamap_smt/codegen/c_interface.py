"""The functions exported by the C, below one prefix, as a caller sees them: all else is static.

PREFIX(A, B, C, I, J, K, threads, how)          typed; omitted if the prefix is the runtime's own
PREFIX_run, PREFIX_check(tensors, sizes, packed, threads)
PREFIX_pack(tensors, sizes, packed)
PREFIX_packed_bytes(sizes, which)
PREFIX_text(code)
"""

from __future__ import annotations

import re

import sympy as sp

from isamap_smt.codegen.c_checks import stamp_words
from isamap_smt.codegen.c_entry import packed_buffers, unused
from isamap_smt.codegen.c_expr import c_expr
from isamap_smt.codegen.c_state import Printer
from isamap_smt.codegen.standard_names import MACROS, RESERVED
from isamap_smt.ir.c_names import KEYWORDS, STANDARD, reserved
from isamap_smt.ir.c_text import said_by
from isamap_smt.ir.errors import UnknownNameError
from isamap_smt.ir.kernel import Tensor
from isamap_smt.ir.program import Program, Use
from isamap_smt.ir.traversal import nodes_of

OWN = "isamap"  # the prefix of what the runtime loads
PACK = "const void *const *isamap_tensors, const int64_t *isamap_sizes, void *const *isamap_packed"
CALL = f"{PACK}, int64_t isamap_threads"


def prefix_of(name: str) -> str:
    """The default C prefix for a kernel of this name."""
    made = re.sub(r"[^A-Za-z0-9_]", "_", name)
    made = f"kernel_{made}" if not made[:1].isalpha() else made
    return f"kernel_{made}" if _clash(made) else made


def check_prefix(prefix: str, program: Program | None = None) -> str:
    """The prefix itself. Raises UnknownNameError if C cannot export it, or it already has a meaning there."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", prefix):
        raise UnknownNameError(
            f"prefix {prefix!r}: the C exports functions of that name, so it is a letter and then letters, digits and _"
        )
    other = re.sub("(?i)^(im|isamap)(_|$)", "", prefix) or "my"
    if why := _clash(prefix):
        raise UnknownNameError(f"prefix {prefix!r} {why}; try {other}_kernel")
    nodes = () if program is None else (*program.ahead, *program.body)
    for i in (n.instruction for n in nodes_of(Use, nodes)):
        said = said_by(i)
        if prefix in said or any(w.startswith(f"{prefix}_") for w in said):
            raise UnknownNameError(
                f"prefix {prefix!r}: the C of instruction {i.name} says that name, too; try {other}_kernel"
            )
    return prefix


def _clash(prefix: str) -> str:
    if prefix in RESERVED | KEYWORDS | STANDARD | MACROS:
        return "is a word of C or C++, or a function of their libraries"
    if reserved(f"{prefix}_"):
        return "begins as the names inside of the generated C do"
    return ""


def in_order(program: Program) -> tuple[Tensor, ...]:
    """The tensors as the typed function takes them: inputs, then outputs."""
    names = (*program.kernel.inputs, *program.kernel.outputs)
    return tuple(program.kernel.tensor(n) for n in names)


def typed_arguments(program: Program, tensors: list[str], sizes: list[str], own: str = "") -> str:
    """The parameters of the typed function, with these names for the tensors of in_order() and the free sizes; `own` stands
    before those of the interface itself."""
    found = []
    for t, name in zip(in_order(program), tensors, strict=True):
        const = "" if t.name in program.kernel.outputs else "const "
        found.append(f"{const}{t.dtype.c} *{name}")
    found += [f"int64_t {n}" for n in sizes]
    found += [f"void *const *{own}packed"] if program.ahead else []
    return ", ".join([*found, f"int64_t {own}threads", f"int64_t {own}how"])


def print_typed(program: Program, prefix: str) -> str:
    """The typed function."""
    place = {t.name: n for n, t in enumerate(in_order(program))}
    free = [f"isamap_size_{n}" for n in range(len(program.kernel.free_sizes))]
    arguments = typed_arguments(program, [f"isamap_tensor_{n}" for n in range(len(place))], free, "isamap_")
    tensors = ", ".join(f"isamap_tensor_{place[t.name]}" for t in program.kernel.tensors)
    packed = "isamap_packed" if program.ahead else "0"
    return (
        f"int {prefix}({arguments}) {{\n"
        f"    const void *const isamap_tensors[] = {{{tensors}}};\n"
        f"    const int64_t isamap_sizes[] = {{{', '.join([*free, 'isamap_how'])}}};\n"
        f"    return {prefix}_run(isamap_tensors, isamap_sizes, {packed}, isamap_threads);\n}}\n"
    )


def print_check(prefix: str) -> str:
    """The C function PREFIX_check: it checks a call and computes nothing."""
    call = "isamap_checked(isamap_tensors, isamap_sizes, isamap_packed, isamap_threads)"
    return f"int {prefix}_check({CALL}) {{\n    return {call};\n}}\n"


def print_packed_bytes(p: Printer, prefix: str, declare_sizes: list[str]) -> str:
    """The C function from a packed buffer's number to its bytes, or to minus a check's code if a size is out of range."""
    p.lines, p.depth = [], 1
    if p.program.ahead:
        p.put("const int isamap_code = isamap_sized(NULL, isamap_sizes, NULL);")
        p.put("if (isamap_code) return -isamap_code;")
        p.lines += declare_sizes
        unused(p, ["isamap_how", *p.sizes])
    for which, b in enumerate(packed_buffers(p.program)):
        count = c_expr(sp.Mul(*b.shape), p.names, tight=True)
        p.put(f"if (isamap_which == {which}) return {8 * stamp_words(p.program)} + {count} * {b.dtype.bytes};")
    unused(p, ["isamap_sizes", "isamap_which"])
    p.put("return -1;")
    return (
        f"int64_t {prefix}_packed_bytes(const int64_t *isamap_sizes, int64_t isamap_which) {{\n"
        + "\n".join(p.lines)
        + "\n}\n"
    )


__all__ = [
    "CALL", "OWN", "PACK", "check_prefix", "in_order", "prefix_of", "print_check", "print_packed_bytes", "print_typed",
    "typed_arguments",
]  # fmt: skip
