"""A compiled kernel is a function on NumPy arrays: it checks them, then runs the machine code on their memory.

codegen/c_printer.py describes the exports of the library, and its codes for the hypotheses broken by a call.
ctypes releases Python's lock while the code runs.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.codegen.c_interface import OWN
from isamap_smt.codegen.checks import BEGIN, TRUST_FINITE, TRUST_PACKED, TRUST_RANGES, constants_only
from isamap_smt.codegen.printed import PrintedC, require_printed
from isamap_smt.ir.arguments import LARGEST, whole_number
from isamap_smt.ir.errors import ArgumentError, BuildError, SizeError
from isamap_smt.ir.expr import symbols_of, words
from isamap_smt.ir.program import Alloc, Program, Role
from isamap_smt.ir.traversal import parts
from isamap_smt.language.hardware_library import missing_features, require_features
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.callee import Callee, unchecked
from isamap_smt.runtime.conformance.remembered import require_checked
from isamap_smt.runtime.known_calls import ADDED, BEGUN, MADE, Form, KnownCalls, Part
from isamap_smt.runtime.memory import lasting_empty, on_poisoned_heap
from isamap_smt.runtime.packing import constant_tensors, used_instructions
from isamap_smt.runtime.refusals import refusal

_TRUSTED = TRUST_FINITE | TRUST_RANGES | TRUST_PACKED

_Pointers = ctypes.POINTER(ctypes.c_void_p)
_Sizes = ctypes.POINTER(ctypes.c_int64)


class CompiledKernel(Callee):
    """A program built into a shared library, callable on arrays.

    `kernel(A, B)`, `kernel(A=..., B=...)`: inputs by position or name. `out=` is accumulated into where the kernel says
    `+=`, `max=` and the like; with `accumulate=False`, and without `out=`, outputs start at the reduction's neutral element.
    An `out=` without contiguous layout is computed in a copy; each run copies the results back.
    `sizes=` gives those determined by no shape, by axis (i) or size (I).
    Returns the output, or a dictionary when there are several.
    """

    def __init__(self, source: PrintedC, library: Path, *, emulated: bool = False, notes: tuple[str, ...] = ()) -> None:
        """source: the text from print_c(). library: its compiled form. emulated: it runs without the features it requires.

        notes: for the user, on how it was built.
        Raises NotProvedError for other text, HardwareError if this CPU lacks an instruction, BuildError if the library is
        no kernel.
        """
        program = require_printed(source, "CompiledKernel()").checked.program
        if not emulated:
            require_features(used_instructions(program))
        self._load(program, source, library)
        self.notes = notes

    def _load(self, program: Program, source: str, library: Path) -> None:
        super().__init__(program)
        self.source = source
        self.library = Path(library)
        self.constants = constant_tensors(program)
        self._dropped = frozenset(constants_only(program))  # a call reads what was packed of them
        self._exported = _entry_points(self.library)
        self._buffers = sum(isinstance(n, Alloc) for n in program.ahead)
        self._known = self._new_known(self.signature.inputs, self.signature.outputs)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Run on these arrays, with the options of prepare(). Raises ArgumentError, DTypeError or SizeError before anything is
        written."""
        result = self._known.call(inputs, options)
        if result is NotImplemented:
            return _first(self.prepare(*inputs, **options), self._known, inputs, options)
        if type(result) is int:
            self._check(result, {}, {})
        return result

    def prepare(
        self,
        *inputs: Any,
        out: Any = None,
        sizes: Dict[str, int] | None = None,
        threads: int = 1,
        check_finite: bool = True,
        check_ranges: bool = True,
        accumulate: bool = True,
        work: Dict[str, np.ndarray] | None = None,
        **named: Any,
    ) -> Call:
        """A call with everything checked and no result yet: run() may be timed, and repeated on the same arrays.

        work: arrays for temporaries, by name; their contents do not reach the result.
        accumulate: whether `out` is added to; if not, its contents do not reach the result.
        check_finite, check_ranges: whether to look at the elements of tensors assumed finite, or in a range, by the proof.
        Constant operands are packed by each run(); see pack().
        """
        trust, count = unchecked(check_finite, check_ranges), _threads(threads)
        arguments = self._arguments(check.as_arrays(self.signature, inputs, named), out, sizes, accumulate, work)
        tensors = self._checked(arguments, None, count, trust)
        return Call(self, arguments, self._new_buffers(arguments.sizes), count, self._buffers > 0, tensors, trust)

    def pack(
        self,
        *positional: Any,
        sizes: Dict[str, int] | None = None,
        check_finite: bool = True,
        check_ranges: bool = True,
        **constants: Any,
    ) -> PackedKernel:
        """This kernel with its constant operands packed once.

        Constants are given by name, or by position in the order of `constants`. `sizes` gives those needed by the packed form
        and not determined by the constants' shapes. Raises SizeError if one is missing, and ArgumentError for other operands, or
        for values against the proof's assumptions.
        """
        constants |= check.by_name(self.kernel.name, self.constants, positional, constants)
        if set(constants) != set(self.constants) or len(positional) > len(self.constants):
            wanted = ", ".join(self.constants) or "none: schedule one with `constant`"
            got = ", ".join(constants) if len(positional) <= len(self.constants) else f"{len(positional)} arrays"
            raise ArgumentError(f"{self.kernel.name}: constant operands are {wanted}; got {got}")
        arrays = {n: check.as_array(v, n) for n, v in constants.items()}
        for name, array in arrays.items():
            check.check_array(self.signature, name, array, written=False)
        known = check.infer_sizes(self.signature, arrays, sizes)
        needed = symbols_of(parts(self.program.ahead, Role.EXPRESSION)) & set(self.kernel.free_sizes)
        if needed - set(known):
            raise SizeError(f"packing needs {', '.join(sorted(needed - set(known)))}; pass sizes={{name: number}}")
        # No expression of `ahead` mentions the others.
        lows = {p.name: p.low for p in self.kernel.parameters}
        full = {n: known.get(n, max(1, lows.get(n, 1))) for n in self.kernel.free_sizes}
        buffers = self._new_buffers(full)
        values = self._size_array(full, unchecked(check_finite, check_ranges))
        self._check(self._exported.pack(self._pointers(arrays), values, _buffer_pointers(buffers)), arrays, full)
        return PackedKernel(self, arrays, known, tuple(buffers))

    def _checked(self, arguments: check.Arguments, packed: Any, threads: int, trust: int) -> Any:
        """The arrays' pointers, once the C has accepted this call. `packed`: pointers to packed operands, None before packing.

        Constants among the arrays are compared with it. Raises the exceptions of refusal().
        """
        tensors, how = self._pointers(arguments.arrays), trust | (BEGIN if arguments.fresh else 0)
        filled = [n for n in arguments.begun if n in self.looked_at]  # before it runs, and not before all is checked
        begun = {n: np.full_like(arguments.arrays[n], self.first(n)[()]) for n in filled}
        asked = [(tensors, how | (TRUST_RANGES if filled else 0))]
        asked += [(self._pointers({**arguments.arrays, **begun}), how)] if filled else []
        for pointers, bits in asked:
            values = self._size_array(arguments.sizes, bits)
            code = self._exported.check(pointers, values, packed, ctypes.c_int64(threads))
            self._check(code, arguments.arrays, arguments.sizes)
        return tensors

    def _new_known(self, inputs: Sequence[str], results: Sequence[str]) -> KnownCalls:
        """The memory of calls with these inputs and results."""
        e, trusted = self._exported, _TRUSTED & ~TRUST_RANGES if self.looked_at else _TRUSTED
        return KnownCalls(inputs, results, (e.run, e.check, e.pack), trusted)

    def _new_buffers(self, sizes: Dict[str, int]) -> list[np.ndarray]:
        if not self._buffers:
            return []
        values = self._size_array(sizes)
        counts = [int(self._exported.packed_bytes(values, n)) for n in range(self._buffers)]
        for n in counts:
            self._check(-n if n < -1 else 0, {}, sizes)
        if any(n < 0 for n in counts):
            raise BuildError(f"{self.library} does not know its own packed buffers: it was built for another program")
        return [lasting_empty(n) for n in counts]

    def _pointers(self, arrays: Dict[str, np.ndarray]) -> Any:
        """Pointers in the order of kernel.tensors; NULL for tensors not given."""
        addresses = [
            arrays[t.name].__array_interface__["data"][0] if t.name in arrays else None for t in self.kernel.tensors
        ]
        return (ctypes.c_void_p * max(1, len(addresses)))(*addresses)

    def _size_array(self, sizes: Dict[str, int], how: int = 0) -> Any:
        values = [*(int(sizes[n]) for n in self.signature.free_sizes), how]
        return (ctypes.c_int64 * len(values))(*values)

    def _check(self, code: int, arrays: Dict[str, np.ndarray], sizes: Dict[str, int]) -> None:
        if code:
            raise refusal(self.program, code, self._exported.text(code).decode(), arrays, sizes)

    def __repr__(self) -> str:
        return f"CompiledKernel({self.kernel.name}, inputs {', '.join(self.kernel.inputs)}, {self.library.name})"

    def __str__(self) -> str:
        """Its call, its instruction, and the checks of every call."""
        mappings = [s.proved.mapping for s in self.program.schedules[:1]]
        call = f"{', '.join(self.kernel.inputs)}, out={', '.join(self.kernel.results)}"
        how = [f"{m.id} onto {m.instruction.name}" for m in mappings] or ["element by element"]
        lines = [f"compiled {self.kernel.name}({call}): {how[0]}"]
        lines += [f"  {t.name}: {t.dtype}[{', '.join(map(words, t.shape))}]" for t in self.kernel.tensors]
        if self.constants:
            lines.append(f"  packed ahead: {', '.join(self.constants)}")
        lines += [f"  each call checks that {a}" for a in self.program.assumptions]
        lines += [f"  each call checks that {low} <= {name} <= {high}" for name, low, high in self.ranges]
        lines += [f"  each call checks that {name} begins at 0" for name in self.zeroed]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)


def _by_hand(program: Program, source: str, library: Path) -> CompiledKernel:
    """A kernel from a library without a proof: for tests of the calls alone."""
    made = CompiledKernel.__new__(CompiledKernel)
    made._load(program, source, library)
    return made


class Call:
    """One checked call. `result` is the kernel's result; run() does the work and may be repeated."""

    def __init__(
        self, kernel: CompiledKernel, arguments: check.Arguments, buffers: list[np.ndarray], threads: int, pack: bool,
        tensors: Any = None, trust: int = 0,
    ) -> None:  # fmt: skip
        """tensors: pointers to the arguments, if known. trust: the checks declined by the caller."""
        self.arguments = arguments
        self._kernel, self._buffers, self._threads = kernel, buffers, ctypes.c_int64(threads)
        self._tensors = self._rest = tensors if tensors is not None else kernel._pointers(arguments.arrays)
        if kernel._dropped:
            self._rest = kernel._pointers({n: a for n, a in arguments.arrays.items() if n not in kernel._dropped})
        # its elements have been looked at; what outputs hold is another thing at each run
        trusted = trust | (_TRUSTED & ~TRUST_RANGES) if kernel.looked_at else _TRUSTED
        self._sizes = kernel._size_array(arguments.sizes, trusted | (BEGIN if arguments.fresh else 0))
        self._packed = _buffer_pointers(buffers)
        self._pack = kernel._exported.pack if pack else None
        self._known, self._options, self._repeated = kernel._new_known((), ()), {"threads": threads}, False

    def run(self) -> None:
        """Compute. An `out` to be added to is added to once more at every run; everything else begins anew.

        prepare() has looked at stated ranges and finite values; indices from data are looked at each time.
        Raises MemoryError or SizeError.
        """
        self.arguments.take()
        self._run_checked()
        self.arguments.give()

    def _run_checked(self) -> None:
        told = self._known.call((), self._options)
        if told is NotImplemented:
            self._run_here()
            if self._repeated:
                self._known.remember(self._same())
            self._repeated = True
        elif type(told) is int:
            self._told(told)

    def _run_here(self) -> None:
        self._kernel._begin(self.arguments)
        if self._pack is not None:
            self._told(on_poisoned_heap(self._pack, self._tensors, self._sizes, self._packed))
        run = self._kernel._exported.run
        self._told(on_poisoned_heap(run, self._rest, self._sizes, self._packed, self._threads))

    @property
    def looked_at_when_begun(self) -> bool:
        """Whether the C looks at a caller's array only after it is filled: its contents before must not be looked at."""
        return bool({*self.arguments.given} & {*self.arguments.begun} & {*self._kernel.looked_at})

    def _told(self, code: int) -> None:
        if code:
            self._kernel._check(code, self.arguments.arrays, self.arguments.sizes)

    def form(self, inputs: Sequence[str]) -> Form:
        """The form of calls like this one with these inputs; all other arrays never change."""
        kernel, arguments = self._kernel, self.arguments
        parts = [self._part(t.name, arguments.arrays[t.name], inputs) for t in kernel.kernel.tensors]
        kind = MADE if not arguments.given else BEGUN if arguments.fresh else ADDED
        return self._form(kind, BEGIN if arguments.fresh else 0, parts)

    def _same(self) -> Form:
        """The form of this call and no other."""
        dropped = self._kernel._dropped if self._pack is None else ()
        arrays = ((t.name, self.arguments.arrays[t.name]) for t in self._kernel.kernel.tensors)
        parts = [Part.constant(a, n in dropped, self._first(n)) for n, a in arrays]
        return self._form(MADE, self._sizes[len(self._sizes) - 1], parts, prepared=True)

    def _form(self, kind: int, how: int, parts: Sequence[Part], prepared: bool = False) -> Form:
        sizes = tuple(int(self.arguments.sizes[n]) for n in self._kernel.signature.free_sizes)
        return Form(kind, how, sizes, tuple(self._buffers), self._pack is not None, tuple(parts), prepared)

    def _first(self, name: str) -> bytes:
        """The element to fill the array with before each run; no bytes if it is not filled."""
        return self._kernel.first(name).tobytes() if name in self.arguments.begun else b""

    def _part(self, name: str, array: np.ndarray, inputs: Sequence[str]) -> Part:
        kernel, signature = self._kernel, self._kernel.signature
        if name in signature.inputs:
            if name in inputs:
                return Part.given(inputs.index(name), array)
            return Part.constant(array, name in kernel._dropped)
        place = signature.outputs.index(name) if name in signature.outputs else None
        return Part.made(place, array, self._first(name))

    @property
    def result(self) -> Any:
        """The output array, or a dictionary of them when the kernel has several."""
        names = self._kernel.signature.outputs
        arrays = self.arguments.results
        return arrays[names[0]] if len(names) == 1 else {n: arrays[n] for n in names}


@dataclass(frozen=True)
class PackedKernel:
    """A compiled kernel whose constant operands are packed. A constant passed again must hold the same elements."""

    compiled: CompiledKernel
    constants: Dict[str, np.ndarray]
    sizes: Dict[str, int]
    buffers: tuple[np.ndarray, ...]

    @functools.cached_property
    def _known(self) -> KnownCalls:
        signature = self.compiled.signature
        inputs = signature.inputs
        return self.compiled._new_known([n for n in inputs if n not in self.constants], signature.outputs)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """As CompiledKernel; inputs by position skip the constants."""
        result = self._known.call(inputs, options)
        if result is NotImplemented:
            return _first(self.prepare(*inputs, **options), self._known, inputs, options)
        if type(result) is int:
            self.compiled._check(result, {}, {})
        return result

    def prepare(
        self,
        *inputs: Any,
        out: Any = None,
        sizes: Dict[str, int] | None = None,
        threads: int = 1,
        check_finite: bool = True,
        check_ranges: bool = True,
        accumulate: bool = True,
        work: Dict[str, np.ndarray] | None = None,
        **named: Any,
    ) -> Call:
        """As CompiledKernel.prepare, without the packing. Raises ArgumentError when a constant has changed."""
        kernel, trust = self.compiled.signature, unchecked(check_finite, check_ranges)
        again = {n: check.as_array(named.pop(n), n) for n in self.constants if n in named}
        for name, array in again.items():
            self._alike(name, array)
        free = [n for n in kernel.inputs if n not in self.constants]
        if len(inputs) > len(free):
            raise ArgumentError(f"{kernel.name} takes {len(free)} inputs besides {', '.join(self.constants)}")
        named |= check.by_name(kernel.name, free, inputs, named)
        arrays = check.as_arrays(kernel, (), {**named, **self.constants, **again})
        known = {**self.sizes, **self.compiled.kernel.named_sizes(sizes)}
        arguments = self.compiled._arguments(arrays, out, known, accumulate, work)
        looked_at = {n: a for n, a in arguments.arrays.items() if n in again or n not in self.compiled._dropped}
        buffers, count = list(self.buffers), _threads(threads)
        self.compiled._checked(replace(arguments, arrays=looked_at), _buffer_pointers(buffers), count, trust)
        return Call(self.compiled, arguments, buffers, count, pack=False, trust=trust)

    def _alike(self, name: str, array: np.ndarray) -> None:
        """Raise ArgumentError if the array's shape or type is not the packed constant's."""
        held = self.constants[name]
        if array.shape != held.shape or array.dtype != held.dtype:
            raise ArgumentError(
                f"{name} is not the array that was packed: it is {array.dtype}{list(array.shape)}, packed was "
                f"{held.dtype}{list(held.shape)}; call pack({name}=...) again"
            )


def _first(call: Call, known: KnownCalls, inputs: tuple[Any, ...], options: Dict[str, Any]) -> Any:
    """The result of this call, already checked by Python; calls like it may be known afterwards."""
    call.run()
    if known.worth(inputs, options) and not call.looked_at_when_begun and not call.arguments.copied:
        known.remember(call.form(known.inputs))
    return call.result


def _threads(threads: int) -> int:
    """The number of threads as C takes it. Raises ArgumentError for anything but a whole number of at least 1."""
    return min(whole_number(threads, "threads", ArgumentError), LARGEST)


def _buffer_pointers(buffers: list[np.ndarray]) -> Any:
    return (ctypes.c_void_p * max(1, len(buffers)))(*(b.ctypes.data for b in buffers))


@dataclass(frozen=True)
class _Exported:
    """The functions of a library."""

    run: Any
    check: Any
    pack: Any
    packed_bytes: Any
    text: Any


def _entry_points(library: Path) -> _Exported:
    try:
        loaded = ctypes.CDLL(str(library))
        found = _Exported(*(getattr(loaded, f"{OWN}_{f.name}") for f in fields(_Exported)))
    except OSError as error:
        raise BuildError(f"cannot load {library}: {error}") from None
    except AttributeError as error:
        raise BuildError(f"{library} is not a compiled kernel: {error}") from None
    call = [_Pointers, _Sizes, _Pointers, ctypes.c_int64]
    for f, takes in ((found.run, call), (found.check, call), (found.pack, call[:3])):
        f.argtypes, f.restype = takes, ctypes.c_int
    found.packed_bytes.argtypes, found.packed_bytes.restype = [_Sizes, ctypes.c_int64], ctypes.c_int64
    found.text.argtypes, found.text.restype = [ctypes.c_int], ctypes.c_char_p
    return found


def build_program(
    source: PrintedC, *, cc: str | None = None, sanitize: bool = False, simde: bool = False
) -> CompiledKernel:
    """The text from print_c(), compiled for this CPU, from the cache if it was built before.

    sanitize: with address and undefined-behaviour checks; the process must have the compiler's libasan preloaded.
    simde: instructions this CPU lacks are emulated by SIMDe's headers, for tests.
    Its instructions are checked first, unless this project's tests did that or an earlier use. Raises NotProvedError for other
    text, BuildError, HardwareError if this CPU lacks an instruction, and DescriptionError if one differs from
    its description.
    """
    program = require_printed(source, "build_program()").checked.program
    used = used_instructions(program)
    emulate = simde and bool(missing_features(used))
    notes: tuple[str, ...] = ()
    if not emulate:
        require_features(used)
        notes = require_checked(program, cc)
    requires = {feature for i in used for feature in i.requires}
    library = build_library(source, requires, cc=cc, native=not emulate, sanitize=sanitize, simde=emulate)
    return CompiledKernel(source, library, emulated=emulate, notes=notes)
