"""Meanings that follow from the project's own descriptions: where one emits exactly one intrinsic, its contract is the meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from isamap_encodings import bit_terms as bits
from isamap_encodings.bit_terms import Term
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.indirect import by_data
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.instruction_checks import ROUNDINGS
from isamap_smt.ir.scalar import Unary
from isamap_smt.isa.contract import cell_count, run_contract
from isamap_smt.isa.meanings import Meaning
from isamap_smt.language.hardware_library import find_hardware, find_instruction

MACHINES = ("avx2", "avx_vnni", "avx512", "avx512_vnni", "neon")
_CALL = re.compile(r"(?:\{(\w+)\} = )?(\w+)\(([^()]*)\);")
_OPERAND = re.compile(r"\{(\w+)\}")


# descriptions whose C is a function of their own around one intrinsic: its name, and its operands in order
WRAPPED = {
    f"avx512_vnni.{name}": (f"_mm512_{name}_epi32", ("acc", "a", "b"), "__m512i")
    for name in ("dpbusd", "dpbusds", "dpwssd", "dpwssds")
}


def derived() -> Iterator[Meaning]:
    """One meaning for each description whose C is one call on its operands, each named once; and the wrapped ones."""
    for name, (intrinsic, operands, kind) in WRAPPED.items():
        i = find_instruction(name)
        compute = _compute(i, list(operands), i.kernel.outputs[0])
        yield Meaning(intrinsic, kind, (kind,) * len(operands), compute, i.requires, origin=name)
    for machine in MACHINES:
        for i in find_hardware(machine).instructions:
            found = _meaning(i)
            if found is not None:
                yield found


def _meaning(i: Instruction) -> Meaning | None:
    call = _CALL.fullmatch(i.emit)
    if call is None or i.active or i.needs or not call[2].startswith(("_mm", "v")):
        return None
    given = [_OPERAND.fullmatch(a.strip()) for a in call[3].split(",") if a.strip()]
    names = [g[1] for g in given if g]
    if len(names) != len(given) or len(set(names)) != len(names) or i.kernel.statements[0].guard:
        return None
    target = i.kernel.outputs[0]
    types = dict(i.c_types)
    if (
        (call[1] or target) != target
        or i.rounding not in ROUNDINGS
        or set(names) | {target} != {t.name for t in i.kernel.tensors}
    ):
        return None
    if any(t.dtype.name == "bf16" for t in i.kernel.tensors) or i.kernel.statements[0].value.has(Unary):
        return None  # neither is compared bit for bit
    if by_data(i.kernel.statements[0]):
        return None  # bits of one cell do not name another one here
    params = tuple(types.get(n) or f"{'' if n == target else 'const '}{i.kernel.tensor(n).dtype.c} *" for n in names)
    reach = max((_bytes(i, n) for n in names if n not in types), default=0)
    result = types[target] if call[1] else "void"
    try:
        return Meaning(call[2], result, params, _compute(i, names, target), i.requires, reach=reach, origin=i.name)
    except KeyError:  # a type of the description's own
        return None


def _bytes(i: Instruction, name: str) -> int:
    return cell_count(i.kernel, name, {}) * i.kernel.tensor(name).dtype.bytes


def _compute(i: Instruction, names: list[str], target: str) -> Callable[..., Term | None]:
    kernel = i.exact or i.kernel
    widths: dict[str, tuple[DType, int]] = {
        t.name: (t.dtype, cell_count(i.kernel, t.name, {})) for t in i.kernel.tensors
    }

    def compute(_: Any, *arguments: Any) -> Term | None:
        before = {target: [bits.const(0, widths[target][0].bits)] * widths[target][1]}
        for name, x in zip(names, arguments, strict=True):
            dtype, count = widths[name]
            whole = x if isinstance(x, Term) else x.block.load(x.offset, dtype.bits * count)
            before[name] = bits.lanes(whole, dtype.bits)
        after = bits.concat(run_contract(kernel, before, i.rounding)[target])
        if target in names and not isinstance(arguments[names.index(target)], Term):
            to = arguments[names.index(target)]
            to.block.store(to.offset, after)
            return None
        return after

    return compute
