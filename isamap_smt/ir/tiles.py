"""Registers of rows that a thread configures before it uses them: how many rows each has, and how many bytes a row.

The configuration is data. Claims read it, and the C of it is printed from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isamap_smt.ir.errors import HardwareError
from isamap_smt.ir.whole import whole

# palette -> how many tiles it has, and the most rows and bytes of a row that one may have: Intel's manual, CPUID leaf 1DH.
PALETTES = {1: (8, 16, 64)}
NUMBERED = "enum "  # how the C type of a register begins that the C names by its number; how many there are follows
PLACE = "{configuration}"  # in `enter`: the address of the configuration
_BYTES, _ROWS = 16, 48  # where a tile's bytes of a row (two bytes each) and its rows (one each) stand


@dataclass(frozen=True)
class TileConfiguration:
    """tiles: (rows, bytes of a row) of tile 0, 1 ...; (0, 0) leaves one out, and so are those behind the last.

    enter: C, an expression that is 0 where this thread's tiles are configured as the 64 bytes at {configuration} say, in the
    layout that `ldtilecfg` reads. leave: C, a statement that gives them back.
    Raises HardwareError for a palette that is not known, and for what it has no room for.
    """

    tiles: tuple[tuple[int, int], ...]
    enter: str
    leave: str
    palette: int = 1

    def __post_init__(self) -> None:
        if str(self.palette) not in map(str, PALETTES):  # True is no palette
            known = "; ".join(
                f"palette {n}: {count} tiles of at most {rows} rows of {row} bytes"
                for n, (count, rows, row) in PALETTES.items()
            )
            raise HardwareError(f"tile configuration: palette={self.palette!r} is not known; {known}")
        texts: tuple[tuple[str, Any], ...] = (("enter", self.enter), ("leave", self.leave))
        for what, text in texts:
            if not isinstance(text, str) or not text.strip():
                raise HardwareError(f"tile configuration: {what}={text!r}: pass C, such as 'configure({PLACE})'")
        if self.enter.count(PLACE) != 1:
            raise HardwareError(
                f"tile configuration: enter={self.enter!r} must use {PLACE} once: it stands for the address of the 64 bytes that "
                "are printed from `tiles`"
            )
        object.__setattr__(self, "tiles", _tiles(self.palette, self.tiles))

    def tile(self, number: int) -> tuple[int, int]:
        """(rows, bytes of a row) of the tile of that number; (0, 0) where it is not configured."""
        return self.tiles[number] if number < len(self.tiles) else (0, 0)

    @property
    def entering(self) -> str:
        """C: an expression that is 0 where this thread's tiles are configured so."""
        return self.enter.replace(PLACE, self.c_bytes)

    @property
    def c_bytes(self) -> str:
        """The 64 bytes as a C expression.

        >>> TileConfiguration(((16, 64), (8, 32)), "f({configuration})", "g();").c_bytes
        '((const uint8_t[64]){[0] = 1, [16] = 64, [48] = 16, [18] = 32, [49] = 8})'
        """
        parts = [f"[0] = {self.palette}"]
        for n, (rows, row) in enumerate(self.tiles):
            parts += [f"[{_BYTES + 2 * n}] = {row}, [{_ROWS + n}] = {rows}"] if rows else []
        return f"((const uint8_t[64]){{{', '.join(parts)}}})"


def _tiles(palette: int, given: Any) -> tuple[tuple[int, int], ...]:
    count, most_rows, most_bytes = PALETTES[palette]
    if not isinstance(given, tuple | list):
        raise HardwareError(f"tile configuration: tiles={given!r}: pass (rows, bytes of a row) of each tile")
    if len(given) > count:
        raise HardwareError(f"tile configuration: {len(given)} tiles, but palette {palette} has {count}")
    found = []
    for n, tile in enumerate(given):
        if not isinstance(tile, tuple | list) or len(tile) != 2:
            raise HardwareError(
                f"tile configuration: tile {n} is {tile!r}: pass (rows, bytes of a row), such as (16, 64)"
            )
        rows, row = (
            whole(x, f"tile configuration: {what} of tile {n}", HardwareError, 0)
            for x, what in zip(tile, ("rows", "bytes of a row"), strict=True)
        )
        for what, value, most in (("rows", rows, most_rows), ("bytes a row", row, most_bytes)):
            if value > most:
                raise HardwareError(
                    f"tile configuration: tile {n} has {value} {what}; a tile of palette {palette} has at most {most}"
                )
        if (rows == 0) != (row == 0):
            raise HardwareError(
                f"tile configuration: tile {n} has {rows} rows of {row} bytes: both are 0 or none, or the CPU refuses it"
            )
        found.append((rows, row))
    return tuple(found)
