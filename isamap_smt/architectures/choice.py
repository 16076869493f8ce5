"""The extents of the array's product, and each operand's own memory: the level beside the array, or one before."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod

from isamap_smt.architectures.cycles import busy, rounded
from isamap_smt.architectures.form import AXES, INDEXED, OPERANDS, Architecture, Mesh, listed
from isamap_smt.architectures.placed import Placed, Way
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import HardwareError

IN_TIME = (16, 8, 4, 2)  # points of an axis that no mesh takes: the array goes through them one after the other
MOST = 4096  # points of an axis of one instruction


def axes_of(architecture: Architecture, unroll: Mapping[str, int] | None) -> list[dict[str, str]]:
    """The possible assignments of axes to the meshes, best first. unroll: points of each axis computed side by side."""
    meshes = architecture.meshes
    found = []
    for chosen in product(AXES, repeat=len(meshes)):
        axes = dict(zip((m.name for m in meshes), chosen, strict=True))
        if unroll is None or all(_across(meshes, axes, a) == unroll.get(a, 1) for a in AXES):
            found.append(axes)
    return sorted(found, key=lambda axes: _rank(meshes, axes))


def _across(meshes: tuple[Mesh, ...], axes: Mapping[str, str], axis: str) -> int:
    return prod(m.size for m in meshes if axes[m.name] == axis)


def _rank(meshes: tuple[Mesh, ...], axes: Mapping[str, str]) -> tuple[int, int, list[int]]:
    """Contradictions to the file; axes left in time; columns of weights first, then the sum."""
    against = sum(bool(m.may) and axes[m.name] not in m.may for m in meshes)
    return against, -len(set(axes.values())), ["jki".index(axes[m.name]) for m in meshes]


def place(architecture: Architecture, unroll: Mapping[str, int] | None, in_time: Mapping[str, int] | None) -> Placed:
    """The extents and ways with the busiest array, then with the most levels, then with room for two tiles in each.

    Raises ArchitectureError.
    """
    across, wanted = _numbers(unroll, "unroll"), _numbers(in_time, "in_time") or {}
    known = axes_of(architecture, across)
    if not known:
        meshes = " x ".join(f"{m.size} ({m.name})" for m in architecture.meshes) or "no array: one multiplier"
        asked = listed([f"{a}={n}" for a, n in (across or {}).items()])
        raise architecture.refused(
            "", f"unroll={asked}: the array has {meshes}; give each axis the product of the meshes that it takes"
        )
    best: tuple[tuple[float, int, int, int], Placed] | None = None
    axes = known[0]
    sides = {a: _across(architecture.meshes, axes, a) for a in AXES}
    choices = [[sides[a] * n for n in _turns(wanted.get(a), sides[a])] for a in AXES]
    why: HardwareError | None = None
    for extents in product(*choices):
        if max(extents) > MOST:
            continue
        try:
            found = _placed(architecture, axes, dict(zip(AXES, extents, strict=True)))
        except HardwareError as error:
            why = error
            continue
        rank = (-rounded(busy(found) / found.steps), _kept(found), _roomy(found), prod(extents))
        if best is None or rank > best[0]:
            best = rank, found
    if best is None:
        sizes = listed([str(m.size) for m in architecture.meshes])
        large = f"an instruction has at most {MOST} points of an axis, and the array is {sizes}; describe a part of it"
        raise why or architecture.refused("", large)
    return best[1]


def _numbers(given: Mapping[str, int] | None, what: str) -> dict[str, int] | None:
    if given is None:
        return None
    for axis, n in given.items():
        if axis not in AXES or type(n) is not int or not 1 <= n <= MOST:
            raise HardwareError(f"{what}: {axis}={n!r}: pass points by axis, i, j or k, such as {{'j': 16, 'k': 16}}")
    return dict(given)


def _turns(wanted: int | None, side: int) -> tuple[int, ...]:
    if wanted is not None:
        return (wanted,)
    return (1,) if side > 1 else IN_TIME


def _placed(architecture: Architecture, axes: dict[str, str], extents: dict[str, int]) -> Placed:
    bare = Placed(architecture, axes, extents, {})
    return Placed(architecture, axes, extents, {o: _way(bare, o) for o in OPERANDS})


def _way(placed: Placed, operand: str) -> Way:
    """An operand's own memory is the innermost level with room for a tile; before it, the largest level is passed.

    The passed level has room for two tiles. Raises ArchitectureError if no level has room for one.
    """
    main, *rest = placed.architecture.of(operand)
    fits = [x for x in rest if placed.tiles(x, operand) >= 1]
    if not fits:
        size = placed.elements(operand) * dtype(dict(placed.architecture.types)[operand]).bytes
        path = rest[-1].path if rest else main.path
        holds = (
            f"no memory but {main.name} holds" if not rest else f"none of {listed([x.name for x in rest])} has room for"
        )
        raise placed.architecture.refused(
            path, f"{holds} {operand}[{','.join(INDEXED[operand])}], {size} bytes for one product of the array; "
            "give one a larger size, or choose other extents with unroll and in_time"
        )  # fmt: skip
    own = fits[-1]
    at = rest.index(own)
    before = [x for x in rest[:at] if placed.tiles(x, operand) >= 2]
    via = max(before, key=lambda x: x.bits or 0, default=None)
    left = tuple(x for x in rest[:at] if x is not via)
    return Way(main, via, own, tuple(rest[at + 1 :]), left)


def _kept(placed: Placed) -> int:
    return sum(1 + (w.via is not None) for w in placed.ways.values())


def _roomy(placed: Placed) -> int:
    return sum(placed.tiles(w.own, o) >= 2 for o, w in placed.ways.items())
