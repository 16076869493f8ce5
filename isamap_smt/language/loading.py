"""Python files of the user's, loaded from their path alone; what goes wrong in one is told with its line there."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any

from isamap_smt.ir.errors import IsamapError, did_you_mean

# code that is not the user's: this library, what imports modules, and what dataclasses make
_OWN = (f"{Path(__file__).parents[1]}/", f"{Path(importlib.util.__file__).parent}/", "<frozen ", "<string>")


class _Fresh(SourceFileLoader):
    """Python's own, without its cache of compiled files: it would miss a change within a second that keeps the size."""

    def get_code(self, fullname: str) -> CodeType:
        """Of the file as it is now."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def load_module(path: Path, error: type[IsamapError]) -> Any:
    """The module in a Python file. Raises `error` when there is none or it does not load."""
    if not path.is_file():
        near = [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else []
        looked = "" if path.is_absolute() else f" in {Path.cwd()}"
        raise error(f"no such file: {path}{looked}" + (f"; {did_you_mean(path.name, near)}" if near else ""))
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
    return module


def loading(what: str, action: Callable[[], Any], error: type[IsamapError]) -> Any:
    """The action's value; an exception in the user's file becomes an `error` with its line there, sys.exit() too."""
    try:
        return action()
    except IsamapError as found:
        raise error(f"{what} does not load:{_where(found)}\n{found}") from found
    except KeyboardInterrupt:
        raise
    except BaseException as found:
        said = f"{type(found).__name__}: {found}" if str(found) else type(found).__name__
        raise error(f"{what} does not load:{_where(found)} {said}") from found


def _where(found: BaseException) -> str:
    """The last line that was reached outside this library and Python's own import machinery."""
    if isinstance(found, SyntaxError):
        return f" line {found.lineno}:"
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(found.__traceback__)]
    outside = [(file, line) for file, line in frames if not file.startswith(_OWN)]
    return f" {Path(outside[-1][0]).name} line {outside[-1][1]}:" if outside else ""


def caller() -> str:
    """The line outside this library that is being executed: "mine.py line 9"."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name} line {frame.f_lineno}"
