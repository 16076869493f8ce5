"""TVM's tensor intrinsics for x86 and Arm, as installed: the description of each, and the implementation by LLVM's intrinsics.

Both are functions of TVM's own language, which TVM parses; both are carried out here on terms.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from math import prod
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.ir import scalar
from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.isa.c_types import named, of_element
from isamap_smt.isa.c_values import Fault, Promises, Unreadable
from isamap_smt.isa.carry_out import Outcome
from isamap_smt.isa.contract import arithmetic, convert, float_constant
from isamap_smt.isa.entry import Case, Entry, Operand
from isamap_smt.isa.meanings import Meaning, table
from isamap_smt.isa.quick_import import imported

TABLES = ("x86", "arm_cpu")
INSTALL = "pip install 'apache-tvm>=0.27'"
LEFT = "TVM's tables cuda, hexagon, metal, riscv_cpu and rocm, of whose intrinsics nothing is known here, are not read"
_MODULE = "tvm.s_tir.tensor_intrin"
# an intrinsic of LLVM and the type of its result -> the intrinsic of C with the same meaning
_LLVM = {
    ("llvm.x86.avx512.vpdpbusd.512", "int32x16"): "_mm512_dpbusd_epi32",
    ("llvm.x86.avx512.pmaddubs.w.512", "int16x32"): "_mm512_maddubs_epi16",
    ("llvm.x86.avx512.pmaddw.d.512", "int32x16"): "_mm512_madd_epi16",
    ("llvm.aarch64.neon.smull", "int16x8"): "vmull_s8",
    ("llvm.aarch64.neon.umull", "uint16x8"): "vmull_u8",
    ("llvm.aarch64.neon.saddlp", "int32x4"): "vpaddlq_s16",
    ("llvm.aarch64.neon.uaddlp", "uint32x4"): "vpaddlq_u16",
    ("llvm.aarch64.neon.addp", "int32x4"): "vpaddq_s32",
    ("llvm.aarch64.neon.addp", "uint32x4"): "vpaddq_u32",
    ("llvm.aarch64.neon.sdot", "int32x4"): "vdotq_s32",
    ("llvm.aarch64.neon.udot", "uint32x4"): "vdotq_u32",
    ("llvm.aarch64.neon.udot", "int32x4"): "vdotq_u32",
}
_KINDS = {"int": "i", "uint": "u", "float": "f"}
_HEADS: dict[str, type] = {
    "Add": scalar.SAdd,
    "Sub": scalar.SSub,
    "Mul": scalar.SMul,
    "Max": scalar.SMax,
    "Min": scalar.SMin,
}


def installed() -> str | None:
    """TVM's version; None where it is not installed."""
    try:
        return version("apache-tvm")
    except PackageNotFoundError:
        return None


def entries() -> list[Entry]:
    """Every tensor intrinsic that TVM's x86 and Arm modules register. Raises Unreadable for a TVM without these."""
    try:
        intrin = imported("tvm.s_tir").TensorIntrin
        modules = [imported(f"{_MODULE}.{name}") for name in TABLES]
    except (ImportError, AttributeError) as error:
        raise Unreadable(f"TVM {installed()} has no {_MODULE} ({error}); {INSTALL}") from None
    found: dict[str, Entry] = {}
    for module in modules:
        for name in vars(module).values():
            if isinstance(name, str) and name not in found:
                known = intrin.get(name, allow_missing=True)
                if known is not None:
                    found[name] = entry(name, known.desc, known.impl, f"{module.__name__}")
    return list(found.values())


def entry(name: str, description: Any, implementation: Any, where: str) -> Entry:
    """One tensor intrinsic."""
    texts = [f.script().strip() for f in (description, implementation)]
    return Entry(name, where, texts[0], texts[1], (), partial(_cases, description, implementation))


def _cases(description: Any, implementation: Any) -> Iterator[Case]:
    operands = [_operand(p) for p in description.params]
    theirs = [_operand(p) for p in implementation.params]
    if [(o.dtype, o.count) for o in operands] != [(o.dtype, o.count) for o in theirs]:
        raise Fault("its description and its implementation have operands of other types or sizes")
    names = [o.name for o in operands]
    before = {o.name: [bits.cell(f"{o.name}[{k}]", o.dtype.bits) for k in range(o.count)] for o in operands}
    after = _Function(description, names, before, {}).run()

    def carried(used: dict[str, Meaning]) -> Outcome:
        return Outcome(_Function(implementation, names, before, used).run(), (), used)

    yield Case("", "", tuple(operands), (), before, after, carried=carried)


def _buffer(p: Any) -> Any:
    """A parameter, which is a buffer. Raises Unreadable for others."""
    if not hasattr(p, "shape") or not hasattr(p, "dtype"):
        raise Unreadable(f"the parameter {p.name} is no buffer")
    return p


def _operand(p: Any) -> Operand:
    b = _buffer(p)
    dtype, lanes = _type(b.dtype)
    if any(type(e).__name__ != "IntImm" for e in b.shape):
        raise Unreadable(f"the buffer {b.name} has no constant shape")
    return Operand(b.name, dtype, prod(int(e) for e in b.shape) * lanes, "memory", of_element(dtype))


def _type(t: Any) -> tuple[DType, int]:
    """Element type and lanes of `int8x64`."""
    word, _, lanes = str(t).strip('"').partition("x")
    kind = word.rstrip("0123456789")
    name = f"{_KINDS.get(kind, '?')}{word[len(kind) :]}"
    if name not in DTYPES or (lanes and not lanes.isdecimal()):
        raise Unreadable(f"the type {t} is not covered")
    return DTYPES[name], int(lanes or 1)


class _Function:
    """One call of a function of TVM's language; buffers are lists of lanes."""

    def __init__(self, f: Any, names: list[str], before: dict[str, list[Term]], used: dict[str, Meaning]) -> None:
        self.f, self.used, self.env = f, used, dict[Any, int]()
        self.names = {_buffer(p): name for p, name in zip(f.params, names, strict=True)}
        self.held: dict[Any, list[Term]] = {b: list(before[name]) for b, name in self.names.items()}

    def run(self) -> dict[str, list[Term]]:
        """The operands afterwards. Raises Unreadable and Fault."""
        self._statement(self.f.body)
        return {name: self.held[b] for b, name in self.names.items()}

    def _statement(self, s: Any) -> None:
        match type(s).__name__:
            case "SBlockRealize" | "BlockRealize":
                for v, x in zip(s.block.iter_vars, s.iter_values, strict=True):
                    self.env[v.var] = self._index(x)[0]
                if s.block.init is not None or len(s.block.match_buffers):
                    raise Unreadable("a block with an initial statement or matched buffers is not covered")
                self._statement(s.block.body)
            case "SeqStmt":
                for inner in s.seq:
                    self._statement(inner)
            case "For":
                low, count = self._index(s.min)[0], self._index(s.extent)[0]
                for i in range(low, low + count):
                    self.env[s.loop_var] = i
                    self._statement(s.body)
            case "AllocBuffer" | "DeclBuffer" | "Allocate":
                self._allocate(s)
            case "BufferStore":
                self._store(s)
            case other:
                raise Unreadable(f"{other} of TVM's language is not covered")

    def _allocate(self, s: Any) -> None:
        dtype, lanes = _type(s.buffer.dtype)
        size = prod(self._index(e)[0] for e in s.buffer.shape) * lanes
        self.held[s.buffer] = [bits.cell(f"undefined {s.buffer.name}[{k}]", dtype.bits) for k in range(size)]
        if hasattr(s, "body"):
            self._statement(s.body)

    def _places(self, buffer: Any, indices: Any, what: str) -> list[int]:
        """Lanes of the buffer, whose rows lie behind each other."""
        if buffer not in self.held:
            raise Unreadable(f"nothing is known of the buffer {buffer.name}")
        _, lanes = _type(buffer.dtype)
        at = [0]
        for index, extent in zip(indices, buffer.shape, strict=True):
            step, here = self._index(extent)[0], self._index(index)
            width = max(len(at), len(here))
            at = [a * step + h for a, h in zip(at * (width // len(at)), here * (width // len(here)), strict=True)]
        found = [a * lanes + k for a in at for k in range(lanes)]
        size = len(self.held[buffer])
        outside = next((n for n in found if not 0 <= n < size), None)
        if outside is not None:
            raise Fault(f"{what} {buffer.name}[{outside}], and {buffer.name} has {size} elements")
        return found

    def _store(self, s: Any) -> None:
        value, _ = self._value(s.value)
        places = self._places(s.buffer, s.indices, "writes")
        if len(value) == 1:
            value = value * len(places)
        for at, x in zip(places, value, strict=True):
            self.held[s.buffer][at] = x

    def _index(self, e: Any) -> list[int]:
        """The lanes of an index."""
        match type(e).__name__:
            case "int":
                return [e]
            case "IntImm":
                return [int(e.value)]
            case "Ramp":
                base, step = self._index(e.base)[0], self._index(e.stride)[0]
                return [base + step * k for k in range(int(e.lanes))]
            case "Var" if e in self.env:
                return [self.env[e]]
            case "Add" | "Sub" | "Mul" as name:
                a, b = self._index(e.a)[0], self._index(e.b)[0]
                return [{"Add": a + b, "Sub": a - b, "Mul": a * b}[name]]
        raise Unreadable(f"the index {e} is no number that is known here")

    def _value(self, e: Any) -> tuple[list[Term], DType]:
        match type(e).__name__:
            case "TensorLoad" | "BufferLoad":
                source = e.source if hasattr(e, "source") else e.buffer
                return [self.held[source][at] for at in self._places(source, e.indices, "reads")], _type(source.dtype)[
                    0
                ]
            case "Broadcast":
                x, own = self._value(e.value)
                return x * int(e.lanes), own
            case "Cast":
                x, own = self._value(e.value)
                to, _ = _type(_typed(e))
                return [convert(v, own, to) for v in x], to
            case "IntImm" | "FloatImm":
                to, _ = _type(_typed(e))
                return [
                    float_constant(float(e.value), to.bits) if to.is_float else bits.const(int(e.value), to.bits)
                ], to
            case "Add" | "Sub" | "Mul" | "Max" | "Min" as name:
                (x, own), (y, other) = self._value(e.a), self._value(e.b)
                if own != other or len(x) != len(y):
                    raise Unreadable(f"{name} of {own} and {other} is not covered")
                return [arithmetic(_HEADS[name], a, b, dtype=own) for a, b in zip(x, y, strict=True)], own
            case "Call":
                return self._call(e)
        raise Unreadable(f"{type(e).__name__} of TVM's language is not covered")

    def _call(self, e: Any) -> tuple[list[Term], DType]:
        to, lanes = _type(_typed(e))
        op = getattr(e.op, "name", str(e.op)).rpartition(".")[2]
        if op in ("call_llvm_pure_intrin", "call_llvm_intrin"):
            return self._llvm(e, to, lanes), to
        if op not in ("reinterpret", "vectorlow", "vectorhigh"):
            raise Unreadable(
                f"no meaning is known of {op}" + (f" {e.args[0]}" if op.startswith("call_") and len(e.args) else "")
            )
        x, own = self._value(e.args[0])
        if op != "reinterpret":
            half = len(x) // 2
            return (x[:half] if op == "vectorlow" else x[half:]), own
        whole = bits.concat(x)
        if whole.width != lanes * to.bits:
            raise Fault(f"reinterprets {whole.width} bits as {lanes * to.bits}")
        return bits.lanes(whole, to.bits), to

    def _llvm(self, e: Any, to: DType, lanes: int) -> list[Term]:
        name = imported("tvm.target.codegen").llvm_get_intrinsic_name(int(e.args[0].value))
        same = _LLVM.get((name, str(_typed(e)).strip('"')))
        if same is None:
            raise Unreadable(f"no meaning is known of {name} that gives {_typed(e)}")
        m = self.used[same] = table()[same]
        given = [bits.concat(self._value(a)[0]) for a in e.args[1:]]
        if [g.width for g in given] != [named(t).bits for t in m.params]:
            raise Fault(f"{name} takes {', '.join(m.params)}, and other widths are given")
        found = m.compute(Promises(), *given)
        assert found is not None
        if found.width != lanes * to.bits:
            raise Fault(f"{name} gives {found.width} bits, and {lanes * to.bits} are expected")
        return bits.lanes(found, to.bits)


def _typed(e: Any) -> Any:
    """The type of an expression: `ty` or, before, `dtype`."""
    return e.ty if hasattr(e, "ty") else e.dtype
