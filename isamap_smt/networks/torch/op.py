"""A kernel as an operator of torch: torch.library knows its results' shapes, so that traced graphs hold it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch

from isamap_smt.ir.errors import ArgumentError, IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.text import kernel as read_kernel
from isamap_smt.networks.torch.importer import polynomial
from isamap_smt.networks.torch.tensors import array_of, plain, tensor_of, torch_type, type_of
from isamap_smt.pipeline.build import compile
from isamap_smt.runtime.compiled import CompiledKernel

SPACE = "isamap"  # torch.ops.isamap
_library = torch.library.Library(SPACE, "FRAGMENT")
_taken: set[str] = set()
_modes = torch._C._len_torch_dispatch_stack
_compiling = torch.compiler.is_compiling
_tensor = torch.from_numpy


def torch_op(
    kernel: Kernel | CompiledKernel | str,
    hardware: Hardware | str = "host",
    *,
    name: str | None = None,
    threads: int = 1,
    **options: Any,
) -> Callable[..., Any]:
    """A kernel as a function of tensors, in their order in the kernel; the result, or a tuple of several, is new.

    It is the operator torch.ops.isamap.NAME, with the kernel's name by default. torch.compile and torch.export trace
    it: sizes may stay open. It has no gradient. options: those of compile(), if the kernel is not compiled yet.

    Raises ArgumentError for an invalid or taken name, and the errors of compile(); a call raises the errors of a
    kernel's call.
    """
    made = kernel
    if not isinstance(made, CompiledKernel):
        made = compile(read_kernel(made) if isinstance(made, str) else made, hardware, threads=threads, **options)
    elif options:
        raise ArgumentError(f"torch_op: {', '.join(options)}: the kernel is compiled already")
    name = made.kernel.name if name is None else name
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ArgumentError(f"torch_op: {name!r} is no name of an operator; pass name=")
    if name in _taken:
        raise ArgumentError(f"torch_op: there is an operator {SPACE}::{name} already; pass another name=")
    _taken.add(name)
    inputs, results = made.kernel.inputs, made.kernel.results
    given = ", ".join(f"Tensor x{n}" for n in range(len(inputs)))
    back = "Tensor" if len(results) == 1 else f"({', '.join(['Tensor'] * len(results))})"
    _library.define(f"{name}({given}) -> {back}")

    def run(*tensors: Any) -> Any:
        for x in tensors:
            if wrong := plain(x):
                raise ArgumentError(f"{name}: {wrong}")
        found = made(*[array_of(x) for x in tensors], **({"threads": threads} if threads > 1 else {}))
        return tensor_of(found) if len(results) == 1 else tuple(tensor_of(found[r]) for r in results)

    def shaped(*tensors: torch.Tensor) -> Any:
        shapes = _shapes(made.kernel, tensors)
        of = [torch_type(made.kernel.tensor(r).dtype) for r in results]
        new = [torch.empty(s, dtype=d, device="cpu") for s, d in zip(shapes, of, strict=True)]
        return new[0] if len(results) == 1 else tuple(new)

    _library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{SPACE}::{name}", shaped, lib=_library)
    operator = getattr(getattr(torch.ops, SPACE), name).default
    plainly = threads == 1 and len(results) == 1 and all(t.dtype.name != "bf16" for t in made.kernel.tensors)

    def call(*tensors: torch.Tensor) -> Any:
        if plainly and not _compiling() and not _modes():
            try:
                arrays = [x.numpy() if x.is_contiguous() else array_of(x) for x in tensors]
            except (RuntimeError, TypeError, AttributeError):
                return operator(*tensors)
            return _tensor(made(*arrays))
        return operator(*tensors)

    call.__name__ = name
    call.__doc__ = f"torch.ops.{SPACE}.{name}\n\n{made}"
    return call


def _shapes(kernel: Kernel, tensors: tuple[torch.Tensor, ...]) -> list[tuple[Any, ...]]:
    """The shapes of the results, perhaps in sizes left open by torch. Raises ArgumentError."""
    sizes: dict[str, Any] = {}
    for name, x in zip(kernel.inputs, tensors, strict=True):
        t = kernel.tensor(name)
        if type_of(x.dtype) != t.dtype or len(x.shape) != len(t.shape):
            raise ArgumentError(
                f"{kernel.name}: {name} is {t.dtype} of {len(t.shape)} dimensions, and got {x.dtype}{list(x.shape)}"
            )
        for extent, size in zip(t.shape, x.shape, strict=True):
            if getattr(extent, "is_Symbol", False):
                sizes.setdefault(str(extent), size)
    for name, x in zip(kernel.inputs, tensors, strict=True):
        for extent, size in zip(kernel.tensor(name).shape, x.shape, strict=True):
            meant = _extent(extent, sizes)
            if meant is not None and size != meant:
                raise ArgumentError(f"{kernel.name}: {name} has {size} elements along {extent}, and not {meant}")
    found = [[_extent(e, sizes) for e in kernel.tensor(r).shape] for r in kernel.results]
    if any(e is None for shape in found for e in shape):
        raise ArgumentError(f"{kernel.name}: the shapes of its inputs do not tell those of its results")
    return [tuple(shape) for shape in found]


def _extent(extent: Any, sizes: dict[str, Any]) -> Any:
    """Its value; None if one of its sizes is unknown."""
    try:
        return polynomial(extent, sizes)
    except IsamapError:
        return None
