"""A C file whose functions have contracts in comments before them, in the project's language.

    /* isamap: c[l] += a[l] * b[l]  for l < 8; a, b, c: f32 */
    static inline __m256 multiply_add(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }

A statement, then clauses apart by `;` (or `for`): extents of axes (`l < 8`), element types (`a, b: f32`), values of integer
parameters (`0 <= n <= 8`), `rounding: fused` or `rounding: unfused` where the floating-point result is to be right bit for bit, and
`beyond: zero` where the cells of the result that a guard leaves out become 0 (they are kept where nothing is said).
"""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isamap_encodings import bit_terms as bits
from isamap_smt.ir.errors import IsamapError, LanguageError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import Relu, SMax, SMin
from isamap_smt.isa.c_read import declared, functions
from isamap_smt.isa.c_types import CType, of_element
from isamap_smt.isa.c_values import Unreadable, Value
from isamap_smt.isa.contract import cell_count, run_contract, start
from isamap_smt.isa.entry import Case, Entry, Operand
from isamap_smt.language.text import parse
from isamap_smt.runtime.compiler import find_compiler

if TYPE_CHECKING:
    from isamap_smt.isa.form import Form

_COMMENT = re.compile(r"/\*\s*isamap:(?P<block>.*?)\*/|//[ \t]*isamap:(?P<line>[^\n]*)", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]*)[>"][^\n]*$', re.MULTILINE)
_EXTENT = re.compile(r"(\w+) < (\d+)")
_RANGE = re.compile(r"(-?\d+) <= (\w+) <= (\d+)")
_TYPES = re.compile(r"(\w+(?:, *\w+)*) ?: ?(\w+(?: ?\[[\d, ]*\])?)")
REGISTERS = {"__m128": "xmm", "__m256": "ymm", "__m512": "zmm"}  # all other vectors are v, of Arm
MOST = 4096  # choices of integer parameters
RETURNED = "returned"


@dataclass
class _Contract:
    """One comment, taken apart. line: its first; end: its last."""

    line: int
    end: int
    statement: str
    axes: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, range] = field(default_factory=dict)
    rounding: str = ""
    beyond: str = "kept"


def entries(path: Path, cc: str | None = None) -> list[Entry]:
    """Every function of the file with a contract. Raises IsamapError, with file and line, for contracts that say nothing legal."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise IsamapError(f"{path}: cannot be read: {error}") from None
    contracts = [_contract(path, text, m) for m in _COMMENT.finditer(text)]
    if not contracts:
        raise IsamapError(
            f"{path}: no contract; write one before a function: /* isamap: r[l] = a[l] + b[l] for l < 8; r, a, b: f32 */"
        )
    headers = tuple(_INCLUDE.findall(text)) or ("immintrin.h",)
    source = _preprocessed(path, _INCLUDE.sub("", text), cc)
    defined = functions(source, str(path))
    lines = {node.decl.coord.line: name for name, node in defined.items()}
    found = []
    for n, c in enumerate(contracts):
        until = contracts[n + 1].line if n + 1 < len(contracts) else len(text)
        after = sorted(at for at in lines if c.end <= at < until)
        if not after:
            raise IsamapError(f"{path}:{c.line}: no function follows this contract")
        name = lines[after[0]]
        reader = HeaderFunction(path, c, name, defined[name], source)
        form = partial(_form, reader, headers, _INCLUDE.sub("", text).strip())
        memories = reader.memories()
        found.append(Entry(name, f"{path}:{c.line}", reader.text, "", headers, reader.cases, "", memories, form))
    return found


def _form(reader: HeaderFunction, headers: tuple[str, ...], text: str) -> Form:
    from isamap_smt.isa.header_form import form_of

    return form_of(reader, headers, text)


def _contract(path: Path, text: str, m: re.Match[str]) -> _Contract:
    line = text.count("\n", 0, m.start()) + 1
    body = re.sub(r"\n\s*\*(?!=)", "\n", m["block"] if m["block"] is not None else m["line"])
    parts = [" ".join(p.split()) for p in re.split(r";|\bfor\b", body)]
    if not parts[0]:
        raise LanguageError(f"{path}:{line}: the contract has no statement; write one, such as `r[l] = a[l] + b[l]`")
    c = _Contract(line, text.count("\n", 0, m.end()) + 1, parts[0])
    for clause in filter(None, parts[1:]):
        _clause(c, clause, f"{path}:{line}")
    return c


def _clause(c: _Contract, clause: str, where: str) -> None:
    if clause.startswith("rounding:"):
        c.rounding = clause.removeprefix("rounding:").strip()
        if c.rounding not in ("fused", "unfused"):
            raise LanguageError(f"{where}: rounding is fused or unfused, not {c.rounding!r}")
        return
    if clause.startswith("beyond:"):
        c.beyond = clause.removeprefix("beyond:").strip()
        if c.beyond not in ("kept", "zero"):
            raise LanguageError(f"{where}: beyond is kept or zero, not {c.beyond!r}")
        return
    if m := _TYPES.fullmatch(clause):
        c.types |= {name.strip(): m[2] for name in m[1].split(",")}
        return
    for part in map(str.strip, clause.split(",")):
        if m := _EXTENT.fullmatch(part):
            c.axes[m[1]] = int(m[2])
        elif m := _RANGE.fullmatch(part):
            c.numbers[m[2]] = range(int(m[1]), int(m[3]) + 1)
        else:
            raise LanguageError(
                f"{where}: the clause {part!r} is none of `l < 8`, `0 <= n <= 8`, `a, b: f32`, `rounding: fused`, `beyond: zero`"
            )


def _preprocessed(path: Path, text: str, cc: str | None) -> str:
    """Comments taken out and macros put in by the C compiler's preprocessor; what the includes declare is known already."""
    compiler = find_compiler(cc)
    flags = [
        "-E",
        "-x",
        "c",
        "-D__attribute__(x)=",
        "-D__inline=inline",
        "-D__inline__=inline",
        "-D__restrict=",
        "-D__extension__=",
    ]
    done = subprocess.run(
        [*compiler.command, *flags, "-Drestrict=", "-"],
        input=f'#line 1 "{path}"\n{text}',
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise IsamapError(f"{path}: the preprocessor refuses it: {done.stderr.strip().splitlines()[0]}")
    marker = f'# 1 "{path}"'
    return done.stdout[done.stdout.rindex(marker) :] if marker in done.stdout else done.stdout


class HeaderFunction:
    """One function and its contract."""

    def __init__(self, path: Path, contract: _Contract, name: str, node: Any, source: str) -> None:
        self.contract, self.name, self.node, self.source = contract, name, node, source
        self.where = f"{path}:{contract.line}"
        lines = [f"param {n} >= {r.start}" for n, r in contract.numbers.items()]
        lines += [f"axis {a} < {n}" for a, n in contract.axes.items()]
        lines += [f"{t}: {d}" for t, d in contract.types.items()]
        self.text = "; ".join([contract.statement, *(f"{a} < {n}" for a, n in contract.axes.items())])
        try:
            self.kernel: Kernel = parse("\n".join([*lines, contract.statement]), name=name, dtypes={}, extents={})
        except IsamapError as error:
            raise LanguageError(f"{self.where}: {error}") from None
        open_ = set(self.kernel.free_sizes) - set(contract.numbers)
        if open_:
            raise LanguageError(
                f"{self.where}: nothing is said of {', '.join(sorted(open_))}; write `l < 8` or `0 <= n <= 8`"
            )

    def parameters(self) -> list[tuple[str, CType]]:
        """Its parameters with their C types."""
        params = self.node.decl.type.args.params if self.node.decl.type.args else []
        return [(p.name, declared(p.type)) for p in params if getattr(p, "name", None) is not None]

    def memories(self) -> tuple[str, ...]:
        """The kinds of registers that its parameters and its result lie in."""
        try:
            kinds = [*(kind for _, kind in self.parameters()), declared(self.node.decl.type.type)]
        except Unreadable:  # said where it is read
            return ()
        return tuple(dict.fromkeys(REGISTERS.get(k.name.rstrip("di"), "v") for k in kinds if k.kind == "v"))

    def cases(self) -> Iterator[Case]:
        """One for each choice of the integer parameters."""
        numbers = self.contract.numbers
        choices = list(itertools.islice(itertools.product(*numbers.values()), MOST + 1))
        if not 0 < len(choices) <= MOST:
            raise Unreadable(
                f"its integer parameters have {len(choices)} choices; up to {MOST} are tried, and one is needed"
            )
        for values in choices:
            yield self.case(dict(zip(numbers, values, strict=True)))

    def case(self, env: dict[str, int]) -> Case:
        """The C and its cells for these values of the integer parameters."""
        counts = {t.name: cell_count(self.kernel, t.name, env) for t in self.kernel.tensors}
        whole = start({t.name: (t.dtype, counts[t.name]) for t in self.kernel.tensors})
        touched: dict[str, int] = {}
        if self.contract.beyond == "zero":
            output = self.kernel.outputs[0]
            whole[output] = [bits.const(0, x.width) for x in whole[output]]
        rounding = self.contract.rounding or "unfused"
        done = run_contract(self.kernel, whole, rounding, env, touched)
        operands, arguments = [], list[str | Value]()
        for name, kind in self.parameters():
            a = self._parameter(name, kind, env, counts, touched)
            arguments.append(a.name if isinstance(a, Operand) else a)
            if isinstance(a, Operand):
                operands.append(a)
        operands += self._result(operands, counts)
        before = {o.name: whole[o.name][: o.count] for o in operands if o.name in whole}
        after = {o.name: done[o.name][: o.count] for o in operands if o.name in whole}
        output = self.kernel.outputs[0]
        if operands and operands[-1].name == RETURNED:
            before[RETURNED], after[RETURNED] = [], done[output]
        missing = {t.name for t in self.kernel.tensors} - {o.name for o in operands}
        if missing:
            raise Unreadable(
                f"{self.where}: {self.name} has no parameter {', '.join(sorted(missing))}, which the contract reads"
            )
        strict = bool(self.contract.rounding) or any(s.ordered for s in self.kernel.statements)
        either = any(s.op in ("max", "min") or s.value.has(SMax, SMin, Relu) for s in self.kernel.statements)
        return Case(self.source, self.name, tuple(operands), tuple(arguments), before, after, env, strict, either)

    def _parameter(
        self, name: str, kind: CType, env: dict[str, int], counts: dict[str, int], touched: dict[str, int]
    ) -> Operand | Value:
        if name in env:
            if not kind.is_integer:
                raise Unreadable(f"{self.where}: {name} is a number in the contract, and {kind} in C")
            return Value(kind, bits.const(env[name], kind.bits))
        if name not in counts:
            raise Unreadable(f"{self.where}: the contract says nothing of the parameter {name}")
        dtype = self.kernel.tensor(name).dtype
        if kind.kind == "p" and kind.to is not None:
            to = of_element(dtype) if kind.to.kind == "0" else kind.to
            return Operand(name, dtype, max(1, touched.get(name, 0)), "memory", to)
        self._fits(name, kind, counts[name] * dtype.bits)
        return Operand(name, dtype, counts[name], "value", kind)

    def _fits(self, name: str, kind: CType, width: int) -> None:
        if kind.bits != width:
            raise Unreadable(f"{self.where}: the contract gives {name} {width} bits, its C type {kind} has {kind.bits}")

    def _result(self, operands: list[Operand], counts: dict[str, int]) -> list[Operand]:
        """What is returned: an output that is no pointer."""
        output = self.kernel.outputs[0]
        if any(o.name == output and o.place == "memory" for o in operands):
            return []
        kind, dtype = declared(self.node.decl.type.type), self.kernel.tensor(output).dtype
        if kind.kind in "0p":
            raise Unreadable(
                f"{self.where}: {self.name} returns {kind}, and the contract's result {output} is no pointer either"
            )
        known = any(o.name == output for o in operands)
        if not known and self.kernel.statements[0].op != "=":
            raise Unreadable(f"{self.where}: the contract adds to {output}, which is no parameter of {self.name}")
        self._fits(output, kind, counts[output] * dtype.bits)
        return [Operand(RETURNED if known else output, dtype, counts[output], "result", kind)]
