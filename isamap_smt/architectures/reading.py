"""Files as machines, by the format of their keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from isamap_smt.architectures.document import read
from isamap_smt.architectures.form import AXES, listed, refused
from isamap_smt.architectures.machine import ReadMachine, machine_from
from isamap_smt.architectures.timeloop import is_timeloop, timeloop_architecture
from isamap_smt.architectures.zigzag import is_zigzag, zigzag_architecture


def from_timeloop(
    source: str | Path,
    *,
    unroll: Mapping[str, int] | None = None,
    in_time: Mapping[str, int] | None = None,
    dtypes: Mapping[str, str] | None = None,
    sums: float = 0.5,
    ert: str | Path | None = None,
    **values: int,
) -> ReadMachine:
    """The machine of an architecture of Timeloop: version 0.4 with nodes, or 0.2 and 0.3 as a tree.

    source: a path, or the text itself. The array becomes one instruction, acc[i,j] += a[i,k] * b[k,j], with Inputs as
    a, Weights as b, Outputs as acc.
    unroll: points of each axis computed by the array side by side, such as {"j": 16, "k": 16}; by default as in the
    file's spatial constraints, else the first dimension of the mesh takes j and the second k.
    in_time: how many of them it computes one after the other.
    dtypes: element types by operand. sums: the share of sums in a memory for inputs and sums. ert: a file with energies
    (ERT).
    values: numbers of the file to replace, such as shared_glb_depth=8192; i, j and k are in_time.

    Everything not understood, or not kept, is in `unread` of the machine. Raises ArchitectureError if no machine can be
    made.
    """
    own, file_values = _axes(in_time, values)
    found = timeloop_architecture(source, dtypes, file_values, ert)
    return machine_from(found, unroll=unroll, in_time=own, sums=sums)


def from_zigzag(
    source: str | Path,
    *,
    unroll: Mapping[str, int] | None = None,
    in_time: Mapping[str, int] | None = None,
    dtypes: Mapping[str, str] | None = None,
    sums: float = 0.5,
    **values: int,
) -> ReadMachine:
    """The machine of an accelerator of ZigZag. I1 are the inputs a, I2 the weights b, O the sums.

    The others as for from_timeloop(); values: such as D1=32, or sram_size=65536 for the size of the memory sram.
    """
    own, file_values = _axes(in_time, values)
    found = zigzag_architecture(source, dtypes, file_values)
    return machine_from(found, unroll=unroll, in_time=own, sums=sums)


def from_architecture(source: str | Path, **given: int) -> ReadMachine:
    """The machine of a file, its format told by its keys. given: as `values` there. Raises ArchitectureError."""
    file, data = read(source)
    make: Callable[..., ReadMachine] | None = (
        from_timeloop if is_timeloop(data) else from_zigzag if is_zigzag(data) else None
    )
    if make is None:
        raise refused(
            file, "", f"keys {listed([*data]) or 'none'}: an architecture of Timeloop has the key architecture, an accelerator "
            "of ZigZag the keys memories and operational_array"
        )  # fmt: skip
    return make(source, **given)


def _axes(in_time: Mapping[str, int] | None, values: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Points in time of each axis, and numbers of the file."""
    return {**(in_time or {}), **{n: v for n, v in values.items() if n in AXES}}, {
        n: v for n, v in values.items() if n not in AXES
    }


__all__ = ["from_architecture", "from_timeloop", "from_zigzag"]
