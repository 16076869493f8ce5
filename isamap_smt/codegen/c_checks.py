"""The entry checks in C: one static function returns the first broken hypothesis' code, another the code's text.

Checks of sizes and addresses cost a few cycles each. Checks of values read whole tensors; the caller may switch them
off. A buffer packed ahead begins with a stamp: the packing's identity, the sizes, and a digest of each constant.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.codegen.c_entry import chosen_values, machine_parameters
from isamap_smt.codegen.c_expr import c_condition, c_element, c_expr, c_offset, with_data
from isamap_smt.codegen.c_state import Printer
from isamap_smt.codegen.checks import (
    ADDRESSES,
    BEGIN,
    PACKED_START,
    TRUST_FINITE,
    TRUST_PACKED,
    TRUST_RANGES,
    Aligned,
    Asked,
    Check,
    Dimension,
    Filled,
    Given,
    Overlap,
    Present,
    Threads,
    constants_only,
    packed_ahead,
    packing_sizes,
)
from isamap_smt.ir.c_names import c_string
from isamap_smt.ir.conditions import Condition
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.expr import sym, written
from isamap_smt.ir.hypotheses import Finite, Fits, Range, Relation, Start, Unchanged
from isamap_smt.ir.kernel import Tensor
from isamap_smt.ir.program import Alloc, Program
from isamap_smt.ir.scalar import Compare, IndexValue, Read, Select, index_values, reads, rewrite_reads
from isamap_smt.ir.used import Used, domain, left_out
from isamap_smt.mapping.convert_c import wide
from isamap_smt.mapping.point_c import c_value

NOT_COVERED = -2
TEXTS = {0: "done", 1: "out of memory", -1: "the system refuses the registers that an instruction uses"}
NOT_LISTED = "a parameter of this machine, such as its vector length, has a value that its description does not list"
# Bits all set in infinities and NaN alone; a fnuz type has one such number, the sign alone.
_INFINITE = {
    "f64": "0x7ff0000000000000", "f32": "0x7f800000", "f16": "0x7c00", "bf16": "0x7f80", "f8e4m3": "0x7f", "f8e5m2": "0x7c",
    "e8m0": "0xff",
}  # fmt: skip
IDENTITY = "ISAMAP_IDENTITY"
_RELATIONS = {"==": sp.Eq, "<=": sp.Le, ">=": sp.Ge, "<": sp.Lt, ">": sp.Gt}

OVERLAP = """\
static inline int isamap_overlap(const void *isamap_a, int64_t isamap_m, const void *isamap_b, int64_t isamap_n) {
    const uintptr_t isamap_p = (uintptr_t)isamap_a, isamap_q = (uintptr_t)isamap_b;
    return isamap_m > 0 && isamap_n > 0 && isamap_p < isamap_q + (uintptr_t)isamap_n && isamap_q < isamap_p + (uintptr_t)isamap_m;
}
"""
DIGEST = """\
/* One flipped bit always changes it: each step is a bijection of what it has seen. Eight sums run side by side. */
static uint64_t isamap_digest(const void *data, int64_t bytes) {
    uint64_t sum[8] = {1, 2, 3, 4, 5, 6, 7, 8}, word[8], all = (uint64_t)bytes;
    for (int64_t at = 0; at < bytes; at += 64) {
        if (bytes - at < 64) memset(word, 0, 64);
        memcpy(word, (const char *)data + at, (size_t)isamap_min(64, bytes - at));
        for (int w = 0; w < 8; ++w) sum[w] = (sum[w] ^ word[w]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    for (int w = 0; w < 8; ++w) all = (all ^ sum[w]) * UINT64_C(0xbf58476d1ce4e5b9);
    return all;
}
"""


CHECKED = ("isamap_checked", "isamap_packing", "isamap_sized")


def print_checks(p: Printer, checks: tuple[Check, ...], declare_sizes: str, wanted: tuple[str, ...] = CHECKED) -> str:
    """Prints isamap_checked() for a call; isamap_packing() for packing ahead, isamap_sized() for its sizes alone.

    Without their helpers, if not all are wanted.
    """
    packs = bool(p.program.ahead)
    elsewhere = [Given("packed"), *map(Present, constants_only(p.program))]  # asked where it runs, and where it packs
    packing = packing_checks(p, checks)
    asked = {
        "isamap_checked": tuple(c for c in checks if c.asked not in elsewhere),
        **(
            {"isamap_packing": packing, "isamap_sized": tuple(c for c in packing if c.code < ADDRESSES)}
            if packs
            else {}
        ),
    }
    found = [_checked(p, n, n == "isamap_checked", declare_sizes, asked[n]) for n in wanted if n in asked]
    text = "\n".join(found)
    helpers = [OVERLAP if "isamap_overlap(" in text else "", DIGEST if packs else ""] if wanted == CHECKED else []
    return "\n".join(part for part in (*helpers, *found) if part)


def packing_checks(p: Printer, checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks of packing ahead: on the tensors it reads and the sizes it depends on."""
    constant, sizes = set(packed_ahead(p.program)), set(packing_sizes(p.program))

    def concerns(a: Asked) -> bool:
        match a:
            case Relation(condition=c):
                return c.names <= sizes
            case (
                Present(tensor=t)
                | Dimension(tensor=t)
                | Aligned(tensor=t)
                | Start(tensor=t)
                | Finite(tensor=t)
                | Range(tensor=t)
            ):
                return t in constant
        return isinstance(a, Given | Fits)

    return tuple(c for c in checks if concerns(c.asked))


def stamp_words(program: Program) -> int:
    """Words of 8 bytes in a packed buffer's stamp, rounded up so the elements start at a cache line."""
    words = 1 + len(packing_sizes(program)) + len(packed_ahead(program))
    return -(-8 * words // PACKED_START) * PACKED_START // 8


def print_stamps(p: Printer) -> list[str]:
    """Lines to stamp each filled buffer."""
    words = [IDENTITY, *(f"(uint64_t){p.names[n]}" for n in packing_sizes(p.program))]
    words += [f"isamap_digest(isamap_tensors[{_number(p, t)}], {_bytes(p, t)})" for t in packed_ahead(p.program)]
    lines = [f"const uint64_t isamap_words[] = {{{', '.join(words)}}};"]
    buffers = sum(isinstance(n, Alloc) for n in p.program.ahead)
    return [*lines, *(f"memcpy(isamap_packed[{n}], isamap_words, sizeof isamap_words);" for n in range(buffers))]


def with_identity(text: str, packing: str) -> str:
    """The C with this packing's identity, a digest of its text, written in."""
    return text.replace(IDENTITY, "UINT64_C(0x" + hashlib.blake2b(packing.encode(), digest_size=8).hexdigest() + ")")


def print_texts(name: str, program: Program, checks: tuple[Check, ...], lent: bool = False) -> str:
    """The function from codes to their texts."""
    values = ", ".join(f"{n} = {v}" for n, v in chosen_values(program).items())
    listed = {NOT_COVERED: f"memory is laid out for {values}, and this machine has another" if lent else NOT_LISTED}
    listed = listed if program.parameters else {}
    known = {**TEXTS, **listed, **{c.code: c.text for c in checks}}
    lines = "".join(f"    case {code}: return {c_string(text)};\n" for code, text in known.items())
    return (
        f"const char *{name}(int isamap_code) {{\n    switch (isamap_code) {{\n{lines}    }}\n"
        '    return "no code of this kernel";\n}\n'
    )


def _checked(p: Printer, name: str, more: bool, declare_sizes: str, checks: tuple[Check, ...]) -> str:
    arguments = "const void *const *isamap_tensors, const int64_t *isamap_sizes, void *const *isamap_packed"
    arguments += ", int64_t isamap_threads" if more else ""
    sizes = [c for c in checks if c.asked == Given("sizes")]
    lines = "".join(_line(p, c) for c in checks if c not in sizes)
    opening = "".join(_line(p, c) for c in sizes)  # before the first of them is read
    names = [
        "isamap_tensors",
        "isamap_sizes",
        "isamap_packed",
        *(["isamap_threads"] if more else []),
        "isamap_how",
        *p.sizes,
    ]
    unused = " ".join(f"(void){n};" for n in names)
    return f"static int {name}({arguments}) {{\n{opening}{declare_sizes}    {unused}\n{_values_known(p)}{lines}    return 0;\n}}\n"


def _values_known(p: Printer) -> str:
    """Tests each machine parameter: a value of its description, or the chosen one if threads are lent."""
    lines = ""
    chosen = chosen_values(p.program) if p.lent else {}
    for m in machine_parameters(p.program):
        known = " || ".join(f"{p.names[m.name]} == {v}" for v in ([chosen[m.name]] if chosen else m.values))
        lines += f"    if (!({known})) return {NOT_COVERED};\n"
    return lines


def _line(p: Printer, c: Check) -> str:
    """The check as C lines; on failure they return its code."""
    match c.asked:
        case Fits(bound=bound):
            return _fits(p, bound, c.code)
        case Finite(tensor=t):
            return _values(p, t, TRUST_FINITE, c.code, _not_finite(_tensor(p, t).dtype))
        case Range(tensor=t, low=low, high=high):
            outside = _outside(_tensor(p, t).dtype, low, high)
            return _values(p, t, TRUST_RANGES, c.code, outside) if outside else ""
        case Used() as use:
            return _used(p, use, c.code)
        case Unchanged(tensor=t):
            at = 1 + len(packing_sizes(p.program)) + packed_ahead(p.program).index(t)
            held = f"((const uint64_t *)isamap_packed[0])[{at}]"
            given = f"isamap_tensors[{_number(p, t)}]"
            return (
                f"    if (isamap_packed && !(isamap_how & {TRUST_PACKED}) && {given} &&\n"
                f"        isamap_digest({given}, {_bytes(p, t)}) != {held}) return {c.code};\n"
            )
    return f"    if ({_broken(p, c.asked)}) return {c.code};\n"


def _broken(p: Printer, a: Asked) -> str:
    """The C condition for the failure of a check that reads no elements."""
    match a:
        case Given(argument=of) if "[" in of:
            return f"isamap_packed && (!isamap_{of} || (uintptr_t)isamap_{of} % {PACKED_START})"
        case Given(argument=of):
            return f"!isamap_{of}"
        case Present(tensor=t):
            return f"!isamap_tensors[{_number(p, t)}]"
        case Relation(condition=condition):
            return f"!({_condition(p, condition)})"
        case Dimension(extent=e):
            return f"{c_expr(e, p.names)} < 0"
        case Aligned(tensor=t, multiple=m) | Start(tensor=t, multiple=m):
            return f"(uintptr_t)isamap_tensors[{_number(p, t)}] % {m}"
        case Overlap(written=w, other=o):
            sides = (f"isamap_tensors[{_number(p, t)}], {_bytes(p, t)}" for t in (w, o))
            return f"isamap_overlap({', '.join(sides)})"
        case Filled(buffer=n):
            words = [IDENTITY, *(f"(uint64_t){p.names[s]}" for s in packing_sizes(p.program))]
            stamp = f"((const uint64_t *)isamap_packed[{n}])"
            return "isamap_packed && (" + " || ".join(f"{stamp}[{k}] != {w}" for k, w in enumerate(words)) + ")"
        case Threads():
            return "isamap_threads < 1"
    raise TypeError(f"no C for the check {a!r}")


def _condition(p: Printer, c: Condition) -> str:
    return c_condition((_RELATIONS[c.op](c.left, c.right, evaluate=False),), p.names)


def _fits(p: Printer, bound: object, code: int) -> str:
    lines = ["    { int64_t isamap_bound = 0, isamap_term;"]
    for term in sp.Add.make_args(sp.expand(bound)):
        coefficient, rest = term.as_coeff_Mul()
        lines.append(f"      isamap_term = INT64_C({int(coefficient)});")
        for factor in sp.Mul.make_args(rest):
            base, power = factor.as_base_exp()
            for _ in range(int(power) if base != 1 else 0):
                lines.append(
                    f"      if (__builtin_mul_overflow(isamap_term, {c_expr(base, p.names)}, &isamap_term)) return {code};"
                )
        lines.append(f"      if (__builtin_add_overflow(isamap_bound, isamap_term, &isamap_bound)) return {code};")
    return "\n".join([*lines, "    }", ""])


def _values(p: Printer, name: str, trust: int, code: int, bad: str) -> str:
    """A loop over all elements `x` of a given tensor. It has no early exit, so the compiler vectorises it."""
    t = _tensor(p, name)
    of = t.dtype.c if not t.dtype.is_float else f"uint{8 * t.dtype.bytes}_t"
    count = c_expr(sp.Mul(*t.shape), p.names)
    pointer = f"isamap_tensors[{_number(p, name)}]"
    untold = trust | (BEGIN if name in p.program.starts else 0)  # what the call begins by itself holds anything
    asked = f"!(isamap_how & {untold}) && {pointer}" if untold else pointer
    return (
        f"    if ({asked}) {{\n"
        f"        int isamap_bad = 0;\n"
        f"        const int64_t isamap_count = {count};\n"
        f"        for (int64_t isamap_at = 0; isamap_at < isamap_count; ++isamap_at) {{\n"
        f"            {of} isamap_x;\n"
        f"            memcpy(&isamap_x, (const {of} *){pointer} + isamap_at, sizeof isamap_x);\n"
        f"            isamap_bad |= {bad};\n"
        f"        }}\n"
        f"        if (isamap_bad) return {code};\n"
        f"    }}\n"
    )


def _used(p: Printer, use: Used, code: int) -> str:
    """A loop over all points that use an index made of data. It has no early exit, so the compiler vectorises it."""
    kernel, names = p.program.kernel, dict(p.names)
    s = domain(kernel, use)
    names |= {a.name: f"isamap_axis_{n}" for n, a in enumerate(s.axes)}

    def offset(tensor: str, index: tuple[Any, ...]) -> str:
        own, made = names, []
        for i in index:
            e, own = with_data(i, own, load)
            made.append(e)
        return c_offset(tuple(made), kernel.tensor(tensor).shape, own)

    def pointer(tensor: str) -> str:
        return f"((const {kernel.tensor(tensor).dtype.c} *)isamap_tensors[{_number(p, tensor)}])"

    def load(e: Any) -> str:
        return c_element(pointer(e.tensor), offset(e.tensor, e.index), kernel.tensor(e.tensor).dtype)

    def text(e: Any) -> str:
        made, own = with_data(e, names, load)
        return c_expr(made, own)

    def holds(c: Any) -> str:
        if not isinstance(c, Compare):
            return c_condition(
                (c.func(*(sym(f"side {n}") for n in (0, 1))),), {f"side {n}": text(e) for n, e in enumerate(c.args)}
            )
        places = {r: sp.Symbol(f"read {n}") for n, r in enumerate(dict.fromkeys(reads(c)))}
        held = {
            x.name: (f"{pointer(r.tensor)}[{offset(r.tensor, r.index)}]", kernel.tensor(r.tensor).dtype)
            for r, x in places.items()
        }
        tree = rewrite_reads(c, lambda r: Read(places[r], sp.S.Zero))
        indices = index_values(tree)
        held |= {f"index {n}": (f"(int64_t)({text(e)})", DTYPES["i64"]) for n, e in enumerate(indices)}
        tree = tree.xreplace({IndexValue(e): IndexValue(sym(f"index {n}")) for n, e in enumerate(indices)})
        return c_value(Select(tree, sp.S.One, sp.S.Zero), held, DTYPES["i32"])[0]

    at, end = text(written(use.index)), text(use.extent)
    bad = f"isamap_at <= -{end} || isamap_at >= {end}" if use.low else f"(uint64_t)isamap_at >= (uint64_t)({end})"
    asked = [f"!({c_condition((g,), names)})" for g in s.guard]
    asked += [f"{'!' if yes else ''}({holds(c)})" for c, yes in use.conditions]
    more = [f"{text(e)} > 0" for e in left_out(kernel, use) if not (e.is_Integer and e > 0)]
    lines = [f"if ({' && '.join(more) or '1'}) {{", "    int isamap_bad = 0;"]
    loops = [f"for (int64_t {v} = 0; {v} < {text(a.extent)}; ++{v}) {{" for a in s.axes for v in (names[a.name],)]
    opened = loops or ["do {"]  # of one point, too: nothing is read where the guard does not hold
    lines += ["    " * n + loop for n, loop in enumerate(opened, 1)]
    inner = "    " * (len(opened) + 1)
    lines += [f"{inner}if ({x}) continue;" for x in asked]
    lines += [f"{inner}const int64_t isamap_at = {at};", f"{inner}isamap_bad |= ({bad});"]
    lines += ["    " * n + ("}" if loops else "} while (0);") for n in range(len(opened), 0, -1)]
    lines += [f"    if (isamap_bad) return {code};", "}"]
    return "".join(f"    {line}\n" for line in lines)


def _not_finite(d: DType) -> str:
    if d.is_part:
        return "0"
    if d.name not in _INFINITE:
        return "isamap_x == 0x80"
    return f"(isamap_x & {_INFINITE[d.name]}) == {_INFINITE[d.name]}"


def _outside(d: DType, low: Any, high: Any) -> str:
    """The C test of an element outside of its range; bounds implied by the type are omitted. Floating-point elements
    are compared by their bits, turned into the order of the numbers: NaN comes before or behind all numbers."""
    if d.is_float:
        suffix = "ull" if d.bits == 64 else "u"
        sign, every = f"{1 << (d.bits - 1):#x}{suffix}", f"{(1 << d.bits) - 1:#x}{suffix}"
        x = f"(isamap_x & {every})" if d.is_part else "isamap_x"
        turned = x if d.is_scale else f"(uint{8 * d.bytes}_t)({x} ^ ({x} & {sign} ? {every} : {sign}))"
        least, most = (_turned(d, v, up) for v, up in ((low, True), (high, False)))
        return f"({turned} < {least:#x}{suffix}) | ({turned} > {most:#x}{suffix})"
    number = {"u64": "UINT64_C({})", "i64": "INT64_C({})", "u32": "{}u"}.get(d.name, "{}").format
    x = wide("isamap_x", d)
    sides = [f"{x} < {number(low)}"] if low > d.low else []
    sides += [f"{x} > {number(high)}"] if high < d.cells.high else []
    return " | ".join(f"({s})" for s in sides)


def _turned(d: DType, number: Any, up: bool) -> int:
    """Bits of the type's nearest number no less than `number` (up), or no greater, turned so that greater numbers have
    greater bits; of both zeros the further one."""
    held = np.asarray(number, np.float64).astype(d.numpy)
    beyond = (float(held) < number) - (float(held) > number)
    if float(held) == 0 and not beyond:
        held = np.asarray(-0.0 if up else 0.0, d.numpy)
    bits = int(held.view(f"u{d.bytes}")) & ((1 << d.bits) - 1)
    turned = bits if d.is_scale else bits ^ ((1 << d.bits) - 1 if bits >> (d.bits - 1) else 1 << (d.bits - 1))
    return turned + (beyond if (beyond > 0) == up else 0)


def _bytes(p: Printer, name: str) -> str:
    t = _tensor(p, name)
    return f"{c_expr(sp.Mul(*t.shape), p.names, tight=True)} * {t.dtype.bytes}"


def _number(p: Printer, name: str) -> int:
    return [t.name for t in p.program.kernel.tensors].index(name)


def _tensor(p: Printer, name: str) -> Tensor:
    return p.program.kernel.tensor(name)


__all__ = ["print_checks", "print_stamps", "print_texts", "stamp_words", "with_identity"]
