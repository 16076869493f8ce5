"""Kernels by name: the library's own, those of other packages, and those in a file of the user's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isamap_smt.ir.arguments import valid_sizes
from isamap_smt.ir.errors import LanguageError, UnknownNameError, did_you_mean
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.kinds import require_kind
from isamap_smt.language.loading import load_module, loading
from isamap_smt.language.text import kernel

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "isamap.kernels"


def kernel_names() -> tuple[str, ...]:
    """Every name known to find_kernel without a file, the library's own first."""
    import isamap_kernels

    return tuple(dict.fromkeys((*isamap_kernels.names(), *sorted(_registered()))))


def found_kernel(kernel: Any) -> Kernel:
    """The kernel, or the one with this name (as find_kernel). Raises UnknownNameError for anything else."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        return find_kernel(kernel)
    raise UnknownNameError(
        f"{type(kernel).__name__} is no kernel: pass isamap_smt.kernel('C[i] += A[i]') or a name such as 'gemm'"
    )


def find_kernel(spec: str | None, text: str | None = None, sizes: Mapping[str, int] | None = None) -> Kernel:
    """The kernel meant by a command's KERNEL argument or its --text.

    `spec`: a library name, the name of an entry point in group `isamap.kernels` (leading to a Kernel or to
    text), or `file.py:name`. sizes: fixed if the text is legal for them alone, left open otherwise. Raises
    UnknownNameError with near matches, LanguageError for a kernel that does not load.
    """
    import isamap_kernels

    sizes = valid_sizes(sizes)
    if text is not None:
        try:
            return kernel(text, name=spec or "kernel")
        except LanguageError:
            if not sizes:
                raise
            return kernel(text, name=spec or "kernel", sizes=sizes)
    if spec is not None:
        require_kind("find_kernel", spec, str, "a name such as 'gemm', or 'file.py:name'")
    if not spec:
        raise UnknownNameError(f"no kernel given; name one ({', '.join(kernel_names())}) or pass its text")
    if ".py:" in spec or spec.endswith(".py"):
        path, _, name = spec.rpartition(":") if ".py:" in spec else (spec, "", "")
        return _from_file(Path(path), name)
    if spec in isamap_kernels.names():
        return isamap_kernels.load(spec)
    registered = _registered()
    if spec in registered:
        return _from_entry_point(registered[spec])
    if "[" in spec:
        raise UnknownNameError(
            f"{spec!r} is the text of a kernel: pass isamap_smt.kernel(text), or --text to a command"
        )
    raise UnknownNameError(f"unknown kernel {spec!r}; {did_you_mean(spec, kernel_names())}")


def _registered() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {e.name: e for e in entry_points(group=GROUP)}


def _from_entry_point(entry: EntryPoint) -> Kernel:
    found = loading(f"kernel {entry.name} ({entry.value})", entry.load, LanguageError)
    return _as_kernel(found, entry.name, entry.value)


def _from_file(path: Path, name: str) -> Kernel:
    module = load_module(path, LanguageError)
    known = [n for n, v in vars(module).items() if isinstance(v, Kernel | str) and not n.startswith("_")]
    if not name or not hasattr(module, name):
        said = f"{path} has no kernel {name!r}" if name else f"{path}: which kernel? write {path}:NAME"
        raise UnknownNameError(f"{said}; {did_you_mean(name, known)}")
    return _as_kernel(getattr(module, name), name, str(path))


def _as_kernel(found: Any, name: str, where: str) -> Kernel:
    if isinstance(found, Kernel):
        return found if found.file else replace(found, file=f"{where}:{name}")
    if isinstance(found, str):
        return kernel(found, name=name, file=f"{where}:{name}")
    raise LanguageError(f"{name} in {where} is {type(found).__name__}; it must be a Kernel or kernel text")
