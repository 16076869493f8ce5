"""OR-Tools' CP-SAT without pandas: importing pandas takes longer than solving a small model.

OR-Tools imports it for annotations, and for methods on series of variables. Here its name stands for a module that
imports pandas at the first access to an attribute, by anybody. Only accesses by OR-Tools' own import, in its thread,
get an empty type.
"""

from __future__ import annotations

import importlib
import sys
from threading import get_ident
from types import ModuleType
from typing import Any


class _Later(ModuleType):
    """pandas, imported at the first access to an attribute."""

    importer: int | None = None

    def __getattr__(self, name: str) -> Any:
        if self.importer == get_ident():
            return type(name, (), {})
        if sys.modules.get("pandas") is self:
            del sys.modules["pandas"]
        return getattr(importlib.import_module("pandas"), name)


def _loaded() -> Any:
    if "pandas" in sys.modules or "ortools.sat.python.cp_model" in sys.modules:
        return importlib.import_module("ortools.sat.python.cp_model")
    later = _Later("pandas")
    later.importer = get_ident()
    sys.modules["pandas"] = later
    try:
        return importlib.import_module("ortools.sat.python.cp_model")
    finally:
        later.importer = None
        if sys.modules.get("pandas") is later:
            del sys.modules["pandas"]


cp_model = _loaded()
