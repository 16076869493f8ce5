"""The caller's arrays become pointers and sizes, after checks of everything the C cannot see: dtypes, shapes and layout.

Open sizes are read off the shapes. All other hypotheses are the C's to check. Its code does not tell which
element is at fault: this is looked up here afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isamap_smt.ir.convert import single
from isamap_smt.ir.dtypes import from_numpy
from isamap_smt.ir.errors import ArgumentError, DTypeError, SizeError, did_you_mean
from isamap_smt.ir.expr import affine, evaluate, is_constant, symbols_of, words
from isamap_smt.ir.hypotheses import inside
from isamap_smt.ir.kernel import Kernel, Tensor
from isamap_smt.ir.sizes import sizes_that_fit


@dataclass(frozen=True)
class Signature:
    """A kernel's tensors and sizes, worked out once: every call asks for them."""

    kernel: Kernel
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    free_sizes: tuple[str, ...]
    tensors: Dict[str, Tensor]

    @staticmethod
    def of(kernel: Kernel) -> Signature:
        """The signature of this kernel."""
        tensors = {t.name: t for t in kernel.tensors}
        return Signature(kernel, kernel.name, kernel.inputs, kernel.results, kernel.free_sizes, tensors)


@dataclass(frozen=True)
class Arguments:
    """arrays by tensor name, for every tensor of the kernel; sizes by name, for every free size.

    given: outputs passed by the caller. fresh: nothing is added to, so all outputs begin at the neutral element. begun: arrays to
    fill with it before each run. copied: the caller's outputs without contiguous layout, by name; `arrays` has a copy of each.
    """

    arrays: Dict[str, np.ndarray]
    sizes: Dict[str, int]
    given: tuple[str, ...]
    fresh: bool
    begun: tuple[str, ...]
    copied: Dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def results(self) -> Dict[str, np.ndarray]:
        """The arrays by name, the caller's own in place of their copies."""
        return {**self.arrays, **self.copied}

    def take(self) -> None:
        """The copies hold the elements of the caller's arrays."""
        for name, array in self.copied.items():
            self.arrays[name][...] = array

    def give(self) -> None:
        """The caller's arrays hold the elements of the copies."""
        for name, array in self.copied.items():
            array[...] = self.arrays[name]


def as_arrays(kernel: Signature, positional: tuple[Any, ...], named: Dict[str, Any]) -> dict[str, np.ndarray]:
    """Input name -> array, from positional arguments in the order of kernel.inputs and from keywords.

    Anything with __dlpack__ becomes an array without a copy; a number becomes one if the tensor has no
    dimensions. Raises ArgumentError for too many inputs, an unknown one, or one given twice.
    """
    inputs = kernel.inputs
    if len(positional) > len(inputs):
        raise ArgumentError(
            f"{kernel.name} takes {len(inputs)} inputs ({', '.join(inputs)}), got {len(positional)}; "
            "an array to write into is given as out="
        )
    given = {**by_name(kernel.name, inputs, positional, named), **named}
    for name in given:
        if name not in inputs:
            hint = "pass it as out=" if name in kernel.outputs else did_you_mean(name, inputs)
            raise ArgumentError(f"{kernel.name} has no input {name!r}; {hint}")
    tensors = kernel.tensors
    return {
        name: as_array(value if tensors[name].shape else single(value, tensors[name].dtype), name)
        for name, value in given.items()
    }


def by_name(kernel: str, names: Sequence[str], positional: Sequence[Any], named: Dict[str, Any]) -> dict[str, Any]:
    """The positional values by name. Raises ArgumentError for one also given by name."""
    given = dict(zip(names, positional, strict=False))
    if twice := [name for name in named if name in given]:
        raise ArgumentError(f"{kernel}: {twice[0]} is given twice, by position and by name")
    return given


def as_array(value: Any, name: str) -> np.ndarray:
    """A NumPy array over the same memory. Raises ArgumentError if the value is no array."""
    if isinstance(value, np.ndarray):
        if isinstance(value, np.ma.MaskedArray):
            raise ArgumentError(
                f"{name} is a masked array, and kernels know no masks; try {name}.filled(0), or {name}.data"
            )
        return value
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise ArgumentError(f"{name}: NumPy cannot take this {type(value).__name__} by DLPack: {error}") from None
    raise ArgumentError(
        f"{name} must be a NumPy array or offer DLPack, not {type(value).__name__}; try np.asarray(..., dtype=...)"
    )


def outputs_of(kernel: Signature, out: Any) -> dict[str, np.ndarray]:
    """Output name -> the caller's array, from an array (kernels with one output) or a dictionary."""
    if out is None:
        return {}
    if not isinstance(out, Dict):
        if len(kernel.outputs) != 1:
            raise ArgumentError(f"{kernel.name} has outputs {', '.join(kernel.outputs)}: pass out={{name: array}}")
        out = {kernel.outputs[0]: out}
    for name in out:
        if name not in kernel.outputs:
            raise ArgumentError(f"{kernel.name} has no output {name!r}; {did_you_mean(name, kernel.outputs)}")
    return {name: as_array(value, name) for name, value in out.items()}


def check_type(kernel: Signature, name: str, array: np.ndarray) -> None:
    """The array's dtype and rank fit. Raises DTypeError or SizeError."""
    tensor = kernel.tensors[name]
    if array.dtype != tensor.dtype.numpy:
        known = from_numpy(array.dtype)
        other = f", or compile with dtypes {name}={known}" if known else ""
        raise DTypeError(
            f"{name} is {known or array.dtype}, {kernel.name} was compiled for {tensor.dtype}; "
            f"{_retyped(kernel, name, array)}{other}"
        )
    if array.ndim != len(tensor.shape):
        raise SizeError(f"{name} has {array.ndim} dimensions, {kernel.name} needs {_shape(tensor)}")


def _retyped(kernel: Signature, name: str, array: np.ndarray) -> str:
    """Code to make an array of the right element type, and its effect on the elements."""
    wanted = kernel.tensors[name].dtype.numpy
    kind = f"{wanted.name!r}"
    if name in kernel.outputs:
        return f"try {_copied_back(name, f'{name}.astype({kind})')}"
    if array.dtype.kind == "V" and array.dtype.itemsize == wanted.itemsize and from_numpy(array.dtype) is None:
        return f"try {name}.view({kind}), which takes its elements for the bits of such numbers"
    if array.dtype.kind == "u" and array.dtype.itemsize == wanted.itemsize and kernel.tensors[name].dtype.is_float:
        return f"try {name}.view({kind}) if its elements are the bits of such numbers, {name}.astype({kind}) if they are numbers"
    if np.can_cast(array.dtype, wanted, "safe"):
        return f"try {name}.astype({kind})"
    return f"try {name}.astype({kind}), which does not keep every number"


def _copied_back(name: str, copy: str) -> str:
    """Code to bring the result into the caller's own array if the kernel cannot write there."""
    return f"`whole = {copy}`, out=whole and `{name}[...] = whole`: a copy alone would keep the result"


def copies(kernel: Signature, results: Dict[str, np.ndarray], inputs: Dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Contiguous copies of the outputs without contiguous layout, by name.

    Raises as check_array() does, and ArgumentError if elements of one share memory with each other, or with another array.
    """
    found = {}
    for name, array in results.items():
        if array.flags.c_contiguous:
            continue
        check_type(kernel, name, array)
        check_writable(kernel, name, array)
        if not _apart(array):
            raise ArgumentError(
                f"two elements of {name} lie at one address (strides {array.strides} bytes for shape {array.shape}); "
                f"try {_copied_back(name, f'{name}.copy()')}"
            )
        for other, held in {**inputs, **results}.items():
            if other != name and _share(array, held):
                raise ArgumentError(
                    f"{kernel.name}: {name} and {other} overlap in memory, and {name} is written; "
                    + (f"pass a copy of {other}" if other in inputs else "give each an array of its own")
                )
        found[name] = np.array(array, order="C")
    return found


def _apart(array: np.ndarray) -> bool:
    """Whether each dimension steps over the whole reach of those with smaller steps, so no two elements share memory."""
    reached = array.itemsize
    for step, count in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if step < reached:
            return False
        reached += step * (count - 1)
    return True


def _share(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether an element of both lies at one address; True also if finding out takes long."""
    return bool(np.may_share_memory(a, b, max_work=10_000))  # type: ignore[arg-type]  # its stubs know two numbers alone


def check_writable(kernel: Signature, name: str, array: np.ndarray) -> None:
    """The array can be written. Raises ArgumentError."""
    if not array.flags.writeable:
        raise ArgumentError(
            f"{name} is read-only, and {kernel.name} writes it; leave out= out and take what the call returns, or try "
            f"`whole = {name}.copy()` and out=whole, which then holds the result"
        )


def check_array(kernel: Signature, name: str, array: np.ndarray, written: bool) -> None:
    """The array's dtype, rank, layout and writability fit. Raises DTypeError, SizeError or ArgumentError."""
    check_type(kernel, name, array)
    if not array.flags.c_contiguous:
        rows = array.ndim == 1 or array.strides[-1] == array.itemsize
        in_place = f", or compile with strided=[{name!r}], which reads it in place" if rows else ""
        whole = f"np.ascontiguousarray({name})"
        hint = _copied_back(name, whole) if written else f"{whole}{in_place}"
        raise ArgumentError(
            f"{name} is not contiguous in memory (strides {array.strides} bytes for shape {array.shape}); try {hint}"
        )
    if written:
        check_writable(kernel, name, array)


def infer_sizes(
    kernel: Signature, arrays: Dict[str, np.ndarray], given: Dict[str, int] | None = None
) -> dict[str, int]:
    """The free sizes determined by the arrays' shapes and `given`.

    `given` is as Kernel.named_sizes() takes it. Raises SizeError if a size is not positive (below a parameter's `low`), or if
    two places disagree: it names both.
    """
    lows = {p.name: p.low for p in kernel.kernel.parameters}
    sizes: dict[str, int] = {}
    origin: dict[str, str] = {}
    for name, value in kernel.kernel.named_sizes(given).items():
        sizes[name], origin[name] = value, f"sizes={{{name!r}: {value}}}"
    open_dimensions: list[tuple[Tensor, int]] = []
    for names in (kernel.inputs, kernel.kernel.outputs):  # inputs decide: an output of another shape is what is wrong
        open_dimensions += [(kernel.tensors[n], d) for n in names if n in arrays for d in range(arrays[n].ndim)]
        while True:
            left = [x for x in open_dimensions if not _settle(kernel, arrays[x[0].name], *x, sizes, origin)]
            if len(left) == len(open_dimensions):
                break
            open_dimensions = left
    for name, value in sizes.items():
        low = lows.get(name, 1)
        if value < low:
            raise SizeError(f"size {name} is {value} ({origin[name]}), it must be at least {low}")
    return sizes


def missing_sizes(kernel: Signature, arrays: Dict[str, np.ndarray], sizes: Dict[str, int]) -> None:
    """Raise SizeError unless every free size is known. It names sizes determined by no shape, with values fitting the shapes."""
    missing = [n for n in kernel.free_sizes if n not in sizes]
    if missing:
        shapes = {n: a.shape for n, a in arrays.items()}
        hint = sizes_that_fit(kernel.kernel, shapes, sizes, missing)
        raise SizeError(f"{kernel.name}: the shapes do not determine {', '.join(missing)}; {hint}")


def check_shapes(kernel: Signature, arrays: Dict[str, np.ndarray], sizes: Dict[str, int]) -> None:
    """Every array has exactly the shape its tensor has at these sizes. Raises SizeError."""
    for name, array in arrays.items():
        shape = tensor_shape(kernel.tensors[name], sizes)
        if array.shape != shape:
            at = f" with {listed(sizes)}" if sizes else ""
            raise SizeError(
                f"{name} has shape {array.shape}, {kernel.name} needs {_shape(kernel.tensors[name])} = {shape}{at}"
            )


def not_finite(kernel: Signature, name: str, array: np.ndarray, padded: Sequence[str]) -> str:
    """The error text for an element found not finite by the C: it names the first. padded: tensors with zeros around them."""
    pins = ", ".join(f"'pad.{t}': 'tests'" for t in padded if t != name)
    other = (
        f"compile with fix={{{pins}}}, which multiplies by no zeros, where such a program is found"
        if pins
        else "use an instruction with masks"
    )
    return (
        f"{_first(name, array, ~np.isfinite(array))}, and {kernel.name} was proved for finite {name}; {other}, "
        "or pass check_finite=False to accept other results for such elements"
    )


def out_of_range(kernel: Signature, name: str, low: Any, high: Any, array: np.ndarray) -> str:
    """The error text for an element found out of range by the C: it names the first."""
    return (
        f"{out_of_proved(kernel, name, low, high, array)}; compile without that assumption, with an instruction that "
        "needs none, or pass check_ranges=False, and such elements give wrong results"
    )


def out_of_proved(kernel: Signature, name: str, low: Any, high: Any, array: np.ndarray) -> str:
    """The first element outside a range assumed by the proof, in words."""
    return (
        f"{_first(name, array, ~inside(array, low, high))}, and {kernel.name} was proved for {name} in [{low}, {high}]"
    )


def _first(name: str, array: np.ndarray, bad: np.ndarray) -> str:
    where = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape))
    held = array.view(np.uint8) if array.dtype == np.bool_ else array
    return f"{name}{list(where)} is {held[where]}"


def tensor_shape(tensor: Tensor, sizes: Dict[str, int]) -> tuple[int, ...]:
    """The tensor's shape at these sizes. Raises SizeError if a dimension would be negative."""
    shape = tuple(int(evaluate(e, sizes)) for e in tensor.shape)
    if any(n < 0 for n in shape):
        raise SizeError(f"{tensor.name} would have shape {shape} with {listed(sizes)}")
    return shape


def listed(sizes: Dict[str, int]) -> str:
    """The sizes in words."""
    return ", ".join(f"{n}={v}" for n, v in sorted(sizes.items()))


def _settle(
    kernel: Signature, array: np.ndarray, tensor: Tensor, d: int, sizes: dict[str, int], origin: dict[str, str]
) -> bool:
    """Use one dimension: check it if it is known, solve it if one size in it is unknown. False when more are."""
    extent, got = tensor.shape[d], int(array.shape[d])
    where = f"dimension {d} of {tensor.name}" + (", given as out," if tensor.name in kernel.outputs else "")
    if is_constant(extent):
        if int(extent) != got:
            raise SizeError(f"{where} is {got}, it must be {int(extent)}")
        return True
    unknown = symbols_of([extent]) - set(sizes)
    if not unknown:
        wanted = int(evaluate(extent, sizes))
        if wanted != got:
            known = ", ".join(f"{n}={sizes[n]} ({origin[n]})" for n in sorted(symbols_of([extent])))
            raise SizeError(f"{where} is {got}, but {words(extent)} = {wanted} because {known}")
        return True
    if len(unknown) > 1:
        return False
    (name,) = unknown
    solved = _solve(extent, name, got, sizes)
    if solved is None:
        return False
    sizes[name], origin[name] = solved, where.rstrip(",")
    return True


def _solve(extent: Any, name: str, value: int, sizes: Dict[str, int]) -> int | None:
    """The one integer making the extent equal value, if the extent is affine in it with a known slope; else None."""
    parts = affine(extent, [name])
    if parts is None or name not in parts[0]:
        return None
    slope, rest = int(evaluate(parts[0][name], sizes)), int(evaluate(parts[1], sizes))
    if slope == 0 or (value - rest) % slope:
        return None
    return (value - rest) // slope


def _shape(tensor: Tensor) -> str:
    return f"[{', '.join(map(words, tensor.shape))}]"
