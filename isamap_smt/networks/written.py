"""A network's library as a folder with its record: the output of `isamap compile MODEL -o DIR`, from Python."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from pathlib import Path
from typing import Any

from isamap_smt.certificates.directory import check_place, whole_directory
from isamap_smt.certificates.sealed import seal
from isamap_smt.codegen.c_interface import check_prefix, prefix_of
from isamap_smt.networks.graph import Network
from isamap_smt.networks.library import Library, write_library
from isamap_smt.networks.plan import NetworkPlan, plan_network
from isamap_smt.networks.record import network_record


def write_network(
    network: Network | NetworkPlan, folder: str | Path, hardware: str = "host", *, name: str | None = None, cc: str | None = None,
    target: str | None = None, record: Dict[str, Any] | None = None, tell: Callable[[str], Any] = lambda _: None, **options: Any,
) -> Library:  # fmt: skip
    """Write a network's library in C into a folder, whole or not at all.

    load_network() and `isamap proofs check` read it. The folder holds sources, weights, the compiled files, and the
    record of the proof. name: prefix of its names in C; the network's by default. target: the triple of another
    machine. record: further entries of the record. options: those of plan_network(), for a network not planned yet.

    Raises OutputError if the folder holds other files, and the errors of plan_network() and write_library().
    """
    place = Path(folder)
    check_place(place)
    prefix = check_prefix(name or prefix_of((network if isinstance(network, Network) else network.model).name))
    planned = plan_network(network, hardware, **options) if isinstance(network, Network) else network
    with whole_directory(place) as scratch:
        written = write_library(planned, scratch, prefix, cc=cc, target=target, tell=tell)
        seal(scratch, {**network_record(planned, written), **(record or {})})
    return written
