"""Python files of the user's, loaded from their path alone; errors in them are reported with their line.

A file is executed once a process for its text. Its output goes to standard error: standard output is for answers.

A description may be a function of machine parameters, `file.py:MACHINE(n=16, kilobytes=64)`: inside the file,
`def MACHINE(n, kilobytes=64)` gives the Hardware (or the Instruction) for those numbers. Called with
`im.parameter("n")` in the place of a number, it gives the machine for all numbers: programs are proved on it, none
is run.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from contextvars import ContextVar
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any

from isamap_smt.ir.errors import HardwareError, IsamapError, UnknownNameError, UnnamedFileError, did_you_mean
from isamap_smt.ir.expr import sym
from isamap_smt.ir.hardware import Hardware

# code that is not the user's: this library, what imports modules, and what dataclasses make
_OWN = (f"{Path(__file__).parents[1]}/", f"{Path(importlib.util.__file__).parent}/", "<frozen ", "<string>")


class _Fresh(SourceFileLoader):
    """Python's own, without its cache of compiled files: it would miss a change within a second that keeps the size."""

    def get_code(self, fullname: str) -> CodeType:
        """Of the file as it is now."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


_LOADED: dict[tuple[Path, bytes], Any] = {}
_ONLY: ContextVar[frozenset[Path] | None] = ContextVar("files that may be carried out", default=None)


@contextmanager
def only_files(specs: Iterable[str]) -> Iterator[None]:
    """Execute no Python file, and read no table, but these during the block: here data, not the user, names the files.

    specs: `file.py`, with a name in it or without. Files loaded by these are their own affair.
    """
    token = _ONLY.set(frozenset(file_of(s).resolve() for s in specs))
    try:
        yield
    finally:
        _ONLY.reset(token)


def file_of(spec: str) -> Path:
    """The file of a spec such as `file.py:MACHINE(n=16).outer` or `file.h:vaddq_f32`.

    >>> file_of("here/m.py:MACHINE(n=16).outer").as_posix(), file_of("simd.h:add").as_posix()
    ('here/m.py', 'simd.h')
    """
    found = _FILE.match(spec)
    return Path(found[0] if found else spec)


def require_named(path: Path) -> None:
    """Raise UnnamedFileError unless the file may be executed."""
    only = _ONLY.get()
    if only is not None and path.resolve() not in only:
        raise UnnamedFileError(
            f"{path} is named by data, and its code is carried out only if you name it, too: read it, then add --source {path} "
            f"(in Python sources=[{str(path)!r}])"
        )


def load_module(path: Path, error: type[IsamapError]) -> Any:
    """The module in a Python file, executed unless this process has executed the file's same text. Raises `error` if
    there is none or it does not load."""
    require_named(path)
    if not path.is_file():
        if path.exists():
            raise error(f"{path} is a directory or a device; name a Python file")
        near = [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else []
        looked = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise error(f"no such file: {path}{looked}" + (f"; {did_you_mean(path.name, near)}" if near else ""))
    text = (path.absolute(), loading(str(path), path.read_bytes, error))
    if text in _LOADED:
        return _LOADED[text]
    name = f"isamap_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_Fresh(name, str(path)))
    if spec is None or spec.loader is None:
        raise error(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    execute = spec.loader.exec_module
    sys.modules[spec.name] = module
    try:
        loading(str(path), lambda: execute(module), error)
    except BaseException:
        sys.modules.pop(spec.name, None)
        raise
    _LOADED[text] = module
    return module


@contextmanager
def _prints_aside() -> Iterator[None]:
    """Redirect standard output to standard error, for Python and for processes it starts."""
    with ExitStack() as after:
        if sys.stdout is not None:
            sys.stdout.flush()
        with suppress(OSError):  # a process may have neither
            kept = os.dup(1)
            after.callback(os.close, kept)
            os.dup2(2, 1)
            after.callback(os.dup2, kept, 1)
        after.enter_context(redirect_stdout(sys.stderr))
        yield


def loading(what: str, action: Callable[[], Any], error: type[IsamapError]) -> Any:
    """The action's value; an exception in the user's file becomes an `error` with its line there, sys.exit() too.

    Whatever it prints goes to standard error.
    """
    token = _ONLY.set(None)
    try:
        with _prints_aside():
            return action()
    except IsamapError as found:
        raise error(f"{what} does not load:{_where(found)}\n{found}") from found
    except KeyboardInterrupt:
        raise
    except BaseException as found:
        said = f"{type(found).__name__}: {found}" if str(found) else type(found).__name__
        raise error(f"{what} does not load:{_where(found)} {said}{_beside(what, found)}") from found
    finally:
        _ONLY.reset(token)


def _beside(what: str, found: BaseException) -> str:
    """How Python finds a missing module, if it lies beside the file; else ''."""
    folder = Path(what).parent
    if isinstance(found, ModuleNotFoundError) and found.name and (folder / f"{found.name}.py").is_file():
        return f"; {found.name}.py lies beside it: set PYTHONPATH={folder}"
    return ""


def _where(found: BaseException) -> str:
    """The last line reached outside this library and Python's own import machinery."""
    if isinstance(found, SyntaxError):
        return f" line {found.lineno}:" if found.lineno else ""
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(found.__traceback__)]
    outside = [(file, line) for file, line in frames if not file.startswith(_OWN)]
    return f" {Path(outside[-1][0]).name} line {outside[-1][1]}:" if outside else ""


def caller() -> str:
    """The current line outside this library: "mine.py line 9"."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name} line {frame.f_lineno}"


_FILE = re.compile(r".*?\.(py|h|c|yaml|yml)(?=[:(]|\Z)", re.DOTALL)
_GIVEN = re.compile(r"(?P<name>[^(]*)\((?P<inside>[^()]*)\)(?P<rest>\.[^()]*)?\Z")
_FORM = "write whole numbers, such as MACHINE(n=16)"


def parameter(name: Any) -> Any:
    """A machine parameter without a number, such as a vector length: at least 1, and whole. Extents of axes,
    capacities and rows may be a number of times one. Raises HardwareError for anything but a name."""
    if not isinstance(name, str) or not name.isidentifier():
        raise HardwareError(f"machine parameter {name!r}: pass a name, such as 'VL'")
    return sym(name)


def split_parameters(spec: str) -> tuple[str, dict[str, int] | None]:
    """The spec without its parameters, and the parameters, or None if it gives none. Raises UnknownNameError.

    >>> split_parameters("m.py:MACHINE(n=16, kilobytes=64).outer")
    ('m.py:MACHINE.outer', {'n': 16, 'kilobytes': 64})
    """
    if "(" not in spec and ")" not in spec:
        return spec, None
    found = _GIVEN.match(spec)
    if found is None:
        raise UnknownNameError(f"{spec!r}: {_FORM}")
    return found["name"] + (found["rest"] or ""), parse_parameters(found["inside"].split(","), spec)


def parse_parameters(texts: Sequence[str], where: str) -> dict[str, int]:
    """name -> number of texts such as 'n=16'. Raises UnknownNameError."""
    given: dict[str, int] = {}
    for text in (t.strip() for t in texts if t.strip()):
        name, equals, number = (x.strip() for x in text.partition("="))
        if not equals or not name.isidentifier() or not re.fullmatch(r"[+-]?\d{1,18}", number):
            raise UnknownNameError(f"{where}: {text!r} sets no machine parameter; {_FORM}")
        if name in given:
            raise UnknownNameError(f"{where}: {name} is set twice")
        given[name] = int(number)
    return given


def with_set(spec: str, settings: Sequence[str]) -> str:
    """The spec with the machine parameters of `--set` among its own. Raises UnknownNameError.

    >>> with_set("m.py:MACHINE.outer", ["n=16"])
    'm.py:MACHINE(n=16).outer'
    """
    texts = [t for text in settings for t in text.split(",")]
    if not texts:
        return spec
    plain, given = split_parameters(spec)
    added = parse_parameters(texts, "--set")
    if twice := sorted(set(added) & set(given or {})):
        raise UnknownNameError(f"--set: {spec} sets {twice[0]} itself")
    path, colon, name = plain.partition(":")
    machine, dot, short = (name or "HARDWARE").partition(".") if colon or path.endswith(".py") else ("", "", "")
    inside = ", ".join(f"{n}={x}" for n, x in {**(given or {}), **added}.items())
    if path.endswith((".yaml", ".yml")):
        return f"{path}({inside})"
    if not machine:
        name, dot, short = path.partition(".")
        return f"{name}({inside}){dot}{short}"
    return f"{path}:{machine}({inside}){dot}{short}"


def made_with(value: Any, given: Mapping[str, int] | None, spec: str) -> Any:
    """The machine for these numbers, if its description is a function; another value as it is.

    Raises HardwareError for unset and for unknown parameters.
    """
    if isinstance(value, Hardware) and value.parameters:
        return value.at(**given or {})
    if not inspect.isfunction(value):
        if given:
            raise HardwareError(
                f"{spec} is no function of machine parameters, and is given {', '.join(given)}; leave them out"
            )
        return value
    known = inspect.signature(value).parameters
    code = value.__code__
    where = f"{spec} ({code.co_filename.rpartition('/')[2]} line {code.co_firstlineno})"
    for name in given or {}:
        if name not in known:
            raise HardwareError(f"{where} has no machine parameter {name!r}; {did_you_mean(name, list(known))}")
    left = [n for n, p in known.items() if p.default is p.empty and n not in (given or {})]
    if left:
        example = f"{spec}({', '.join(f'{n}=8' for n in left)})"
        raise HardwareError(
            f"{where}: the machine parameter {left[0]} is open, and a number is needed; write {example}, or --set {left[0]}=8"
        )
    return _made(value, tuple((given or {}).items()), spec)


@cache
def _made(make: Callable[..., Any], given: tuple[tuple[str, int], ...], spec: str) -> Any:
    """The function's value for these numbers; it is called once for them."""
    return loading(spec, lambda: make(**dict(given)), HardwareError)
