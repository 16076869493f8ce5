"""Exo's tables of instructions, as installed: the C template of each, and its text as Exo has parsed it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.isa.c_types import NAMED, of_element
from isamap_smt.isa.c_values import Unreadable
from isamap_smt.isa.contract import Cells, arithmetic, convert, float_constant
from isamap_smt.isa.entry import Case, Entry, Operand
from isamap_smt.isa.quick_import import imported

if TYPE_CHECKING:
    from isamap_smt.isa.form import Form

TABLES = ("x86", "neon", "rvv")
HEADERS = {"x86": ("immintrin.h",), "neon": ("arm_neon.h",), "rvv": ("riscv_vector.h",)}
INSTALL = "pip install 'exo-lang>=1.0'"
FAR = 64  # integer parameters are tried up to here
LEFT = "Exo's table gemmini is `isamap check-isa exo-gemmini`"
_TYPES = {"f16": "f16", "f32": "f32", "f64": "f64", "R": "f32", "i8": "i8", "ui8": "u8", "ui16": "u16", "i32": "i32"}
_HEADS = {"+": "SAdd", "-": "SSub", "*": "SMul", "/": "SDiv"}


def installed() -> str | None:
    """Exo's version; None where it is not installed."""
    try:
        return version("exo-lang")
    except PackageNotFoundError:
        return None


def entries(fixed: Mapping[str, int] | None = None) -> Iterator[Entry]:
    """Every instruction of Exo's x86, Neon and RISC-V vector tables, in their order. fixed: the only value of integer arguments
    of these names. Raises ImportError where Exo is not installed."""
    for name in TABLES:
        module = imported(f"exo.platforms.{name}")
        for what in vars(module).values():
            if type(what).__name__ == "Procedure" and what.is_instr():
                yield entry(what, HEADERS[name], fixed)


_texts: dict[int, tuple[Any, str]] = {}  # by address of a procedure, which is kept beside its text


def text_of(procedure: Any) -> str:
    """What the instruction does, in Exo's language. Exo lays it out anew each time, and each machine made of a table reads all."""
    if id(procedure) not in _texts:
        _texts[id(procedure)] = (procedure, str(procedure).rstrip())
    return _texts[id(procedure)][1]


def number_names(listed: Sequence[Entry]) -> tuple[str, ...]:
    """What the integer arguments of these entries are called."""
    return tuple(sorted({n for e in listed for n in e.numbers}))


def entry(procedure: Any, headers: tuple[str, ...], fixed: Mapping[str, int] | None = None) -> Entry:
    """One instruction written with Exo's @instr."""
    ir = procedure._loopir_proc
    where = ir.srcinfo
    reader = ExoInstruction(ir, fixed)
    place = f"{Path(str(where.filename)).name}:{where.lineno}"

    def form() -> Form:
        from isamap_smt.isa.exo_form import form_of

        return form_of(reader, headers)

    return Entry(
        ir.name,
        place,
        text_of(procedure),
        ir.instr.c_instr.strip(),
        headers,
        reader.cases,
        reader.open_ended(),
        reader.memories(),
        form,
        tuple(str(a.name) for a in reader.numbers),
    )


class ExoInstruction:
    """One @instr. Arguments that are integers take every value that its assertions allow, or the one of `fixed`."""

    def __init__(self, ir: Any, fixed: Mapping[str, int] | None = None) -> None:
        self.ir = ir
        self.numbers = [a for a in ir.args if kind_of(a.type) in ("Size", "Index", "Int")]
        given = fixed or {}
        self.fixed = {str(a.name): given[str(a.name)] for a in self.numbers if str(a.name) in given}
        self.unit = {str(p.lhs.name) for p in ir.preds if _is_unit_stride(p)}

    def choices(self) -> list[dict[Any, int]]:
        """Values of the integer arguments that the assertions allow."""
        ranges = [self._values(a) for a in self.numbers]
        found = [dict(zip([a.name for a in self.numbers], v, strict=True)) for v in itertools.product(*ranges)]
        asked = [
            p
            for p in self.ir.preds
            if "StrideExpr" not in (kind_of(getattr(p, "lhs", None)), kind_of(getattr(p, "rhs", None)))
        ]
        return [env for env in found if all(integer(p, env) for p in asked)]

    def _values(self, a: Any) -> Sequence[int]:
        if str(a.name) in self.fixed:
            return (self.fixed[str(a.name)],)
        return range(1 if kind_of(a.type) == "Size" else -2, FAR + 1)

    @property
    def open_numbers(self) -> list[Any]:
        """Its integer arguments without those that are fixed."""
        return [a for a in self.numbers if str(a.name) not in self.fixed]

    def fixed_numbers(self) -> dict[Any, int]:
        """The integer arguments that are fixed, by Exo's names."""
        return {a.name: self.fixed[str(a.name)] for a in self.numbers if str(a.name) in self.fixed}

    def largest(self) -> dict[Any, int]:
        """The largest value of each integer argument that the assertions allow. Raises Unreadable where they allow none."""
        choices = self.choices()
        if not choices:
            raise Unreadable("no value of its integer parameters satisfies its assertions")
        return {a.name: max(c[a.name] for c in choices) for a in self.numbers}

    def memories(self) -> tuple[str, ...]:
        """Names of the memories beside main memory in which its operands lie."""
        return tuple(dict.fromkeys(a.mem.name() for a in self.ir.args if a.type.is_numeric() and not in_memory(a)))

    def open_ended(self) -> str:
        """A parameter that may be as large as is tried, or ''."""
        try:
            largest = {str(a.name): max((c[a.name] for c in self.choices()), default=0) for a in self.open_numbers}
        except Unreadable:
            return ""
        return next((n for n, v in largest.items() if v == FAR), "")

    def cases(self) -> Iterator[Case]:
        """One for each choice, and one more with elements apart where no assertion says that they lie beside each other."""
        choices = self.choices()
        if not choices:
            raise Unreadable("no value of its integer parameters satisfies its assertions")
        for env in choices:
            yield self.case(env, 1)
            if any(self._apart(a, env) for a in self.ir.args):
                yield self.case(env, 2)

    def _apart(self, a: Any, env: dict[Any, int]) -> bool:
        """Whether it is in memory with several elements, and any distance between them."""
        return in_memory(a) and extent_of(a, env) > 1 and str(a.name) not in self.unit and a.type.is_win()

    def case(self, env: dict[Any, int], stride: int) -> Case:
        """Its C and its cells for these values of its integer arguments, and that distance between elements in memory."""
        operands = [self.operand(a, env, stride) for a in self.ir.args if a not in self.numbers]
        known = {o.name: o for o in operands}
        text, params = dict[str, str](), list[str]()
        for a in self.ir.args:
            name = str(a.name)
            if a in self.numbers:
                text |= {name: f"({env[a.name]})", f"{name}_data": f"({env[a.name]})"}
                continue
            o = known[name]
            own = f"exo_{name}"  # apart from what the template names itself
            params.append(f"{o.c_type} *{own}")
            lvalue = f"(*{own})" if o.place == "register" else f"{own}[0]"
            text |= {name: f"({own})", f"{name}_data": lvalue if a.type.is_win() else f"({own})", f"{name}_int": own}
        try:
            body = self.ir.instr.c_instr.format(**text)
        except (KeyError, IndexError, ValueError) as error:
            raise Unreadable(f"its template cannot be filled in: {type(error).__name__} {error}") from None
        before = {o.name: [bits.cell(f"{o.name}[{k}]", o.dtype.bits) for k in range(o.count)] for o in operands}
        after = _Text(self.ir, before, {o.name: o.dtype for o in operands}).run(env)
        source = f"void {self.ir.name}({', '.join(params)}) {{\n{body}\n}}\n"
        given = {str(n): v for n, v in env.items()} | ({"stride of a window": stride} if stride > 1 else {})
        return Case(source, self.ir.name, tuple(operands), tuple(o.name for o in operands), before, after, given)

    def operand(self, a: Any, env: dict[Any, int], stride: int) -> Operand:
        """One of its arguments that is no number. Raises Unreadable for registers that are not known."""
        dtype, count = dtype_of(a.type.basetype()), max(1, extent_of(a, env))
        if in_memory(a):
            apart = stride if self._apart(a, env) else 1
            return Operand(str(a.name), dtype, count, "memory", of_element(dtype), apart)
        try:
            declared = a.mem.alloc("x", a.type.basetype().ctype(), [str(count)], a.srcinfo)
        except Exception as error:  # each memory of Exo raises what it likes
            raise Unreadable(f"{a.mem.name()} has no register of {count} {dtype}: {error}") from None
        kind = declared.split()[0]
        if kind not in NAMED:
            raise Unreadable(f"{a.name} lies in {a.mem.name()}, of which nothing is known here")
        return Operand(str(a.name), dtype, count, "register", NAMED[kind])


def kind_of(x: Any) -> str:
    """What Exo calls this kind of node."""
    return type(x).__name__


def _is_unit_stride(p: Any) -> bool:
    right = getattr(p, "rhs", None)
    return getattr(p, "op", "") == "==" and kind_of(p.lhs) == "StrideExpr" and getattr(right, "val", None) == 1


def in_memory(a: Any) -> bool:
    """Whether an argument lies in main memory."""
    return a.type.is_numeric() and (a.mem is None or a.mem.name().startswith("DRAM"))


def extent_of(a: Any, env: dict[Any, int]) -> int:
    """How many elements an argument has. Raises Unreadable for more dimensions than one."""
    shape = [integer(e, env) for e in a.type.shape()] if a.type.is_tensor_or_window() else []
    if len(shape) > 1:
        raise Unreadable(f"{a.name} has {len(shape)} dimensions; one is covered")
    return shape[0] if shape else 1


def dtype_of(t: Any) -> DType:
    """The element type of Exo's name. Raises Unreadable."""
    if str(t) not in _TYPES:
        raise Unreadable(f"the element type {t} is not covered")
    return DTYPES[_TYPES[str(t)]]


_OPERATIONS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a // b, "%": lambda a, b: a % b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "and": lambda a, b: a and b, "or": lambda a, b: a or b,
}  # fmt: skip


def integer(e: Any, env: dict[Any, int]) -> int:
    """The value of an index expression or condition."""
    match kind_of(e):
        case "Const":
            return int(e.val)
        case "Read" if e.name in env:
            return env[e.name]
        case "BinOp":
            return int(_OPERATIONS[e.op](integer(e.lhs, env), integer(e.rhs, env)))
        case "USub":
            return -integer(e.arg, env)
    raise Unreadable(f"{e} is no number that is known here")


@dataclass
class _Text:
    """Exo's statements, carried out in order on cells. Each operation is rounded to its type."""

    ir: Any
    before: Cells
    types: dict[str, DType]

    def run(self, env: dict[Any, int]) -> Cells:
        """The cells afterwards."""
        self.cells = {n: list(held) for n, held in self.before.items()}
        self._block(self.ir.body, env)
        return self.cells

    def _block(self, body: Any, env: dict[Any, int]) -> None:
        for s in body:
            match kind_of(s):
                case "Pass":
                    pass
                case "For":
                    for i in range(integer(s.lo, env), integer(s.hi, env)):
                        self._block(s.body, env | {s.iter: i})
                case "If":
                    self._block(s.body if integer(s.cond, env) else s.orelse, env)
                case "Assign" | "Reduce":
                    self._assign(s, env)
                case other:
                    raise Unreadable(f"{other} in its text is not covered")

    def _assign(self, s: Any, env: dict[Any, int]) -> None:
        name, at = str(s.name), self._place(s, env)
        to = self.types[name]
        value, own = self._value(s.rhs, env, to)
        new = convert(value, own, to)
        if kind_of(s) == "Reduce":
            new = arithmetic(_head("+"), self.cells[name][at], new, dtype=to)
        self.cells[name][at] = new

    def _place(self, e: Any, env: dict[Any, int]) -> int:
        name = str(e.name)
        if name not in self.cells:
            raise Unreadable(f"{name} in its text is no operand")
        at = integer(e.idx[0], env) if e.idx else 0
        if not 0 <= at < len(self.cells[name]):
            raise Unreadable(f"its text reads or writes {name}[{at}], of {len(self.cells[name])}")
        return at

    def _value(self, e: Any, env: dict[Any, int], kind: DType) -> tuple[Term, DType]:
        """A value and its type; literals take `kind`."""
        match kind_of(e):
            case "Read":
                return self.cells[str(e.name)][self._place(e, env)], self.types[str(e.name)]
            case "Const":
                return self._literal(float(e.val), kind)
            case "USub":
                x, own = self._value(e.arg, env, kind)
                return arithmetic(_head("neg"), x, dtype=own), own
            case "BinOp" if e.op in _HEADS:
                return self._operation(e, env, kind)
            case "Extern" if e.f.name() in ("relu", "select"):
                return self._chosen(e, env, kind)
            case "Extern":
                raise Unreadable(f"{e.f.name()} in its text is not computed bit for bit here")
        raise Unreadable(f"{kind_of(e)} in its text is not covered")

    def _literal(self, x: float, kind: DType) -> tuple[Term, DType]:
        if kind.is_float:
            return float_constant(x, kind.bits), kind
        if x != int(x):
            raise Unreadable(f"{x} meets {kind}")
        return bits.const(int(x), kind.bits), kind

    def _operation(self, e: Any, env: dict[Any, int], kind: DType) -> tuple[Term, DType]:
        own = [self._value(a, env, kind)[1] for a in (e.lhs, e.rhs) if kind_of(a) != "Const"]
        to = max(own, key=lambda d: (d.is_float, d.bits), default=kind)
        x, y = (convert(*self._value(a, env, to), to) for a in (e.lhs, e.rhs))
        if e.op == "/" and not to.is_float:
            if to.kind != "u" or not y.value:
                raise Unreadable(f"division of {to} in its text is covered by positive constants only")
            return bits.binary("udiv", x, y), to
        return arithmetic(_head(e.op), x, y, dtype=to), to

    def _chosen(self, e: Any, env: dict[Any, int], kind: DType) -> tuple[Term, DType]:
        """relu(x): x where x > 0, else 0. select(x, v, y, z): y where x < v, else z. As the C that Exo makes of them."""
        own = max((self._value(a, env, kind)[1] for a in e.args), key=lambda d: d.bits)
        x = [convert(*self._value(a, env, own), own) for a in e.args]
        if not own.is_float:
            raise Unreadable(f"{e.f.name()} of {own} in its text is not covered")
        if e.f.name() == "relu":
            zero = float_constant(0.0, own.bits)
            return bits.ite(bits.compare("flt", zero, x[0]), x[0], zero), own
        return bits.ite(bits.compare("flt", x[0], x[1]), x[2], x[3]), own


def _head(op: str) -> type:
    from isamap_smt.ir import scalar

    return scalar.SNeg if op == "neg" else getattr(scalar, _HEADS[op])
