"""One call of an operator of ATen in a graph traced by torch: its arguments by the names of the operator's schema."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import UncomputedError
from isamap_smt.networks.extents import Extent
from isamap_smt.networks.graph import Graph, Var
from isamap_smt.networks.torch.whole import SPACE

Made = Var | Sequence[Var | None]
F = TypeVar("F", bound=Callable[..., Made])
# operator with its overload, such as "add.Tensor" -> what computes it
OPERATORS: dict[str, Callable[..., Made]] = {}
# They say where a result lies and in which order; a network decides that by itself.
_PLACES = frozenset(
    ("layout", "device", "pin_memory", "memory_format", "non_blocking", "copy", "implicit", "generator")
)


@dataclass(frozen=True)
class Result:
    """A result's type and shape, as torch tells them."""

    dtype: DType
    shape: tuple[Any, ...]


@dataclass
class Call:
    """One call. results: as torch tells them; None for one that is no tensor. used: those read by something.

    promoted: the type used by torch to compare its operands.
    """

    op: str
    graph: Graph
    results: tuple[Result | None, ...]
    used: frozenset[int]
    promoted: DType | None

    @property
    def to(self) -> DType:
        """The type of its first result."""
        return self._first.dtype

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of its first result."""
        return self._first.shape

    @property
    def _first(self) -> Result:
        if not self.results or self.results[0] is None:
            raise UncomputedError("its result is no tensor")
        return self.results[0]

    def var(self, x: Any, to: DType) -> Var:
        """A value, or a number as one of this type."""
        if isinstance(x, Var):
            return x
        if isinstance(x, Extent):
            return self.graph.extents(np.array(x, object))
        with np.errstate(all="ignore"):
            return self.graph.constant(np.asarray(x).astype(to.numpy))

    def only(self, *positions: int) -> None:
        """Raise UncomputedError if another result than these is read."""
        if others := sorted(self.used - {*positions}):
            raise UncomputedError(f"its result {others[0] + 1} is not computed")


def aten(*names: str) -> Callable[[F], F]:
    """Registers a function for these operators of ATen.

    Its parameters are the call and arguments of the schema, by their names. Any other argument must have the schema's
    own value.
    """

    def registered(make: F) -> F:
        for name in names:
            OPERATORS[name if "." in name else f"{name}.default"] = make
        return make

    return registered


def name_of(target: Any) -> str:
    """An operator with its overload, as in OPERATORS; empty for a target without a schema."""
    return f"{target._schema.name.partition('::')[2]}.{target._overloadname}" if hasattr(target, "_schema") else ""


def arguments(target: Any, args: Sequence[Any], kwargs: Dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments of a call by name, and all of the schema's own values."""
    schema = target._schema.arguments
    own = {a.name: a.default_value for a in schema if a.has_default_value()}
    return {**own, **dict(zip((a.name for a in schema), args, strict=False)), **kwargs}, own


def computed(call: Call, target: Any, given: Dict[str, Any], own: Dict[str, Any]) -> list[Var | None]:
    """The results of a call. Raises UncomputedError, NetworkError."""
    make = OPERATORS.get(call.op) if target.namespace in ("aten", SPACE) else None
    if make is None:
        raise UncomputedError(f"no kernel computes {target}")
    taken = {*inspect.signature(make).parameters}
    for name, value in given.items():
        if name not in taken | _PLACES and not (name in own and _same(value, own[name])):
            raise UncomputedError(f"its argument {name} = {value} is not computed")
    made = make(call, **{n: v for n, v in given.items() if n in taken})
    return [made] if isinstance(made, Var) else list(made)


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and not isinstance(a, Var) and bool(a == b)
