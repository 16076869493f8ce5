"""Open extents: polynomials in named sizes, each from 1 to its planned maximum.

A comparison is answered if it has one answer for all of these sizes. Two extents are equal if they are the same
polynomial: `batch` is not 1 and not 8, and whatever needs it to be is refused. So a network's formulas are the same for
every size.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from isamap_smt.ir.arguments import LARGEST
from isamap_smt.ir.errors import NetworkError

Sizes = Dict[str, int]


@dataclass(frozen=True, order=True)
class OpenSize:
    """A size of a network, chosen by each call. most: the largest one planned for."""

    name: str
    most: int

    @property
    def extent(self) -> Extent:
        """As an extent."""
        return Extent(((1, (self,)),))

    def __str__(self) -> str:
        return f"1 <= {self.name} <= {self.most}"


def named_size(label: str, largest: Any) -> OpenSize:
    """The size under a name taken by no axis of a kernel. Raises NetworkError."""
    if type(largest) is not int or not 1 <= largest <= LARGEST:
        raise NetworkError(f"the most of {label} is {largest!r}; it is a whole number from 1 to 2^31")
    from isamap_smt.language.values import KNOWN_FUNCTIONS  # which a process that only calls does not load

    name = re.sub(r"\W", "_", str(label), flags=re.ASCII)
    plain = re.fullmatch(r"[A-Za-z]\w{2,}", name) and not re.fullmatch(r"[a-z]+_?\d+(_\d+)*", name)
    return OpenSize(name if plain and name not in {*_WORDS, *KNOWN_FUNCTIONS} else f"size_{name}", largest)


def named_sizes(most: Dict[str, Any]) -> dict[str, OpenSize]:
    """One size for each label; labels with colliding names get names apart. Raises NetworkError."""
    found: dict[str, OpenSize] = {}
    for label, largest in most.items():
        size = named_size(label, largest)
        while size.name in {s.name for s in found.values()}:
            size = replace(size, name=f"{size.name}_")
        found[label] = size
    return found


_WORDS = frozenset(("param", "axis", "size", "temporary", "assume", "for", "where", "and", "not", "over", "ordered"))


@dataclass(frozen=True)
class Extent:
    """A sum of terms: whole numbers times products of sizes, in order, none of them 0. A number alone is an `int` instead."""

    terms: tuple[tuple[int, tuple[OpenSize, ...]], ...]
    __array_ufunc__: ClassVar[None] = None  # so that a number of NumPy's on the left leaves its operators to these

    @cached_property
    def sizes(self) -> tuple[OpenSize, ...]:
        """The sizes it depends on, by name."""
        return tuple(sorted({s for _, product in self.terms for s in product}))

    def at(self, sizes: Sizes) -> int:
        """Its value."""
        return sum(n * math.prod(sizes[s.name] for s in product) for n, product in self.terms)

    def told_by(self, number: int) -> int | None:
        """The value of its one size if the extent is `number`; -1 if no whole size gives it.

        None if the number does not tell the size: with several sizes, or a power of one.
        """
        if len(self.sizes) != 1 or any(len(product) > 1 for _, product in self.terms):
            return None
        size, start = self.sizes[0], self.at({self.sizes[0].name: 0})
        step = self.at({size.name: 1}) - start
        return (number - start) // step if (number - start) % step == 0 else -1

    @property
    def ends(self) -> tuple[int, int]:
        """It is at least the first and at most the second."""
        low = sum(n * (1 if n > 0 else math.prod(s.most for s in product)) for n, product in self.terms)
        high = sum(n * (math.prod(s.most for s in product) if n > 0 else 1) for n, product in self.terms)
        return low, high

    def __str__(self) -> str:
        """As texts of kernels have it, wherever it stands in them."""
        terms = ["*".join([*([str(n)] if n != 1 or not p else []), *(s.name for s in p)]) for n, p in self.terms]
        return terms[0] if terms[0].isidentifier() and len(terms) == 1 else f"({' + '.join(terms)})"

    __repr__ = __str__

    def __add__(self, other: Any) -> Any:
        return _sum([*self.terms, *_terms(other)])

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + other * -1

    def __rsub__(self, other: Any) -> Any:
        return self * -1 + other

    def __mul__(self, other: Any) -> Any:
        return _sum((a * b, tuple(sorted(p + q))) for a, p in self.terms for b, q in _terms(other))

    __radd__, __rmul__ = __add__, __mul__

    def __floordiv__(self, other: Any) -> Any:
        found = _divided(self, other)
        if found is None:
            raise NetworkError(f"{self} is divided by {other}, which need not leave a whole number")
        return found

    def __rfloordiv__(self, other: Any) -> Any:
        raise NetworkError(f"{other} is divided by {self}, which need not leave a whole number")

    def __mod__(self, other: Any) -> int:
        if _divided(self, other) is None:
            raise NetworkError(f"what {self} leaves when it is divided by {other} depends on {_names(self)}")
        return 0

    def __rmod__(self, other: Any) -> int:
        raise NetworkError(f"what {other} leaves when it is divided by {self} depends on {_names(self)}")

    def __divmod__(self, other: Any) -> tuple[Any, int]:
        return self // other, self % other

    def __truediv__(self, other: Any) -> Any:
        return self // other

    __rtruediv__ = __rfloordiv__

    def __bool__(self) -> bool:
        return True  # it is not the number 0, though it may be 0 for some sizes

    def __lt__(self, other: Any) -> bool:
        return self._decided("is below", other, lambda low, high: True if high < 0 else False if low >= 0 else None)

    def __le__(self, other: Any) -> bool:
        return self._decided("is at most", other, lambda low, high: True if high <= 0 else False if low > 0 else None)

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def _decided(self, words: str, other: Any, answer: Callable[[int, int], bool | None]) -> bool:
        left = self - other
        found = answer(*(left.ends if isinstance(left, Extent) else (left, left)))
        if found is None:
            raise NetworkError(f"whether {self} {words} {other} depends on {_names(self)}; give it a number (--sizes)")
        return found

    def __index__(self) -> int:
        raise NetworkError(f"a number is needed, and {self} is open; give it one (--sizes)")

    __int__ = __index__


def most(extent: Any) -> int:
    """The largest value."""
    return extent.ends[1] if isinstance(extent, Extent) else int(extent)


def at_most(a: Any, b: Any) -> bool:
    """Whether a is at most b whatever the sizes are; False if it is not, and if it depends on them."""
    return most(a - b) <= 0


def at(shape: Iterable[Any], sizes: Sizes) -> tuple[int, ...]:
    """The shape at these sizes."""
    return tuple(e.at(sizes) if isinstance(e, Extent) else e for e in shape)


def open_sizes(shapes: Iterable[Iterable[Any]]) -> tuple[OpenSize, ...]:
    """The sizes the shapes depend on, in order of their first mention."""
    return tuple(dict.fromkeys(s for shape in shapes for e in shape if isinstance(e, Extent) for s in e.sizes))


def read_extent(text: Any, known: Dict[str, OpenSize]) -> Any:
    """The extent written in a text, such as '8*batch + 3'. Raises ValueError for other text."""
    made: Any = 0
    for term in str(text).strip("()").replace("- ", "+ -").split("+"):
        product: Any = 1
        for factor in re.sub(r"\*\*(\d+)", lambda m: f"^{m[1]}", term).split("*"):
            name, _, power = factor.strip().partition("^")
            sign = -1 if name.startswith("-") and name[1:] in known else 1
            one = known[name.lstrip("-")].extent if name.lstrip("-") in known else int(name)
            product = product * sign * math.prod([one] * int(power or 1))
        made = made + product
    return made


def read_shape(shape: Sequence[Any], known: Dict[str, OpenSize]) -> tuple[Any, ...]:
    """Numbers, and extents from their texts. Raises ValueError."""
    return tuple(int(e) if isinstance(e, int) else read_extent(e, known) for e in shape)


def written_shape(shape: Sequence[Any]) -> list[Any]:
    """The opposite: numbers and texts."""
    return [str(e) if isinstance(e, Extent) else e for e in shape]


def _names(e: Extent) -> str:
    return " and ".join(s.name for s in e.sizes)


def _terms(e: Any) -> tuple[tuple[int, tuple[OpenSize, ...]], ...]:
    if isinstance(e, Extent):
        return e.terms
    return ((int(e), ()),) if e else ()


def _sum(terms: Iterable[tuple[int, tuple[OpenSize, ...]]]) -> Any:
    found: dict[tuple[OpenSize, ...], int] = {}
    for n, product in terms:
        found[product] = found.get(product, 0) + n
    left = sorted(((n, p) for p, n in found.items() if n), key=lambda t: (-len(t[1]), t[1]))
    if any(p for _, p in left):
        return Extent(tuple(left))
    return left[0][0] if left else 0


def _divided(a: Extent, b: Any) -> Any:
    """The quotient, if it is whole for all sizes; None if that is not plain."""
    if a == b:
        return 1
    terms = _terms(b)
    if len(terms) != 1:
        return None
    n, product = terms[0]
    found = []
    for m, p in a.terms:
        left = Counter(p)
        left.subtract(product)
        if m % n or min(left.values(), default=0) < 0:
            return None
        found.append((m // n, tuple(sorted(left.elements()))))
    return _sum(found)
