"""Models compiled before: kept on disk under the digest of everything that made them.

The folder is the output of `isamap compile MODEL.onnx -o DIR`, with the record of all its proofs. If the model, the
machine, the options, this CPU, the compiler and every source file of ours are the same, and no kept file has changed,
nothing is planned, proved or compiled again. The record proves nothing by itself: `isamap proofs check` derives all of
it from the folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isamap_hardware.host import features as host_features
from isamap_smt.certificates.directory import OutputError, whole_directory
from isamap_smt.certificates.sealed import MARK, seal
from isamap_smt.ir.errors import ArgumentError, IsamapError
from isamap_smt.networks.loaded import LoadedNetwork, load_network
from isamap_smt.networks.onnx.model import external_files, file_of
from isamap_smt.records.record import digest
from isamap_smt.records.store import kept_directory
from isamap_smt.runtime.cache import digest_of, own_sources
from isamap_smt.runtime.compiler import find_compiler

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware
    from isamap_smt.networks.compiled import CompiledNetwork
    from isamap_smt.networks.plan import NetworkPlan, Progress

FORMAT = "isamap kept network 1"
MOST = 4 << 30  # bytes of all kept networks; those that were used last stay
PREFIX = "network"
HOST = "host"


def compile_onnx(
    model: Any, hardware: Hardware | str = HOST, *, threads: int = 1, sizes: Dict[str, int] | None = None,
    most: Dict[str, int] | None = None, constants: Dict[str, Any] | None = None, foreign: str | None = None,
    place: Sequence[str] | str | None = None, sample: Dict[str, Any] | None = None, place_seconds: float | None = None,
    cc: str | None = None, anew: bool = False, progress: Progress | None = None, **options: Any,
) -> LoadedNetwork | CompiledNetwork:  # fmt: skip
    """The model, ready to be called; taken from the disk if the same was compiled before.

    It is from_onnx(), plan_network() and a library in C in one. model: a path, the bytes of a file, or a ModelProto.
    sizes, most, constants, foreign: as for from_onnx(). options: of plan(). anew: plan, prove and compile in any case.
    place: back ends for nodes our kernels are slower at, or do not compute; sample: inputs to measure that with;
    place_seconds: the time for it.

    Models with foreign nodes, placed models, and models planned within a timeout are not kept: a placement belongs to
    the measurements of its time. Raises as from_onnx(), plan_network() and CompiledNetwork do, and ArgumentError for
    options contradicting each other.
    """
    if place is None and not (sample is None and place_seconds is None):
        raise ArgumentError(f"{'place_seconds' if sample is None else 'sample'} is of place=[...], which is not given")
    if place is not None:
        if foreign is not None:
            raise ArgumentError(
                "foreign and place: the back ends of place compute what kernels refuse, too; give place alone"
            )
        from isamap_smt.networks.place import SECONDS, place_onnx

        return place_onnx(
            model, place, hardware, threads=threads, sizes=sizes, most=most, constants=constants, sample=sample, cc=cc,
            seconds=SECONDS if place_seconds is None else place_seconds, progress=progress, **options,
        )  # fmt: skip
    key = None if foreign or options.get("timeout") is not None else _key(
        model, hardware, cc, (threads, _texts(sizes), _texts(most), _texts(constants), _texts(options))
    )  # fmt: skip
    if key is not None and not anew and (there := _loaded(_place(key))) is not None:
        return there
    from isamap_smt.networks.compiled import CompiledNetwork, with_checked_instructions
    from isamap_smt.networks.onnx.importer import from_onnx
    from isamap_smt.networks.plan import plan_network

    network = from_onnx(model, sizes=sizes, most=most, constants=constants, foreign=foreign)
    planned = plan_network(network, hardware, threads=threads, progress=progress, **options)
    if key is None or network.foreign:
        return CompiledNetwork(planned, cc=cc)
    try:
        return _keep(with_checked_instructions(planned, cc), _place(key), cc)
    except (OSError, OutputError):  # a full disk is no reason not to run
        return CompiledNetwork(planned, cc=cc)


def forget() -> None:
    """Remove every kept network."""
    shutil.rmtree(_folder(), ignore_errors=True)


# ---- What tells two from each other


def _key(model: Any, hardware: Hardware | str, cc: str | None, options: tuple[str | int, ...]) -> str:
    compiler = find_compiler(cc)
    machine = HOST if hardware == HOST else _described(hardware)
    return digest_of(
        [
            FORMAT, *_contents(model), machine, *sorted(host_features()), *_processor(), *_measured(), str(options),
            own_sources(exactly=True), *compiler.command, compiler.version, *compiler.arguments,
        ]
    )  # fmt: skip


def _measured() -> list[str]:
    """Digests of this machine's calibration and tuning results, as plans follow them."""
    return [_file(kept_directory() / n) for n in ("calibration.json", "tuning.sqlite")]


def _described(hardware: Hardware | str) -> str:
    from isamap_smt.ir.described import key_text
    from isamap_smt.language.hardware_library import find_hardware

    return key_text(find_hardware(hardware))


def _contents(model: Any) -> list[str]:
    """Digests of the model's bytes, and of the files beside it they name. Raises NetworkError."""
    if isinstance(model, bytes | bytearray | memoryview):
        return [digest(bytes(model))]
    if hasattr(model, "SerializeToString"):
        return [digest(model.SerializeToString(deterministic=True))]
    path = file_of(model)
    try:
        data = path.read_bytes()
    except (OSError, ValueError):
        return [str(path), str(time.time_ns())]  # from_onnx() says what is wrong
    return [path.stem, digest(data), *(_file(f) for f in external_files(data, path.parent))]


def _file(file: Path) -> str:
    """The file's name and the digest of its contents; "" if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return f"{file.name} {hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=16)).hexdigest()}"
    except OSError:
        return ""


def _processor() -> list[str]:
    """This machine's part in the description of the host."""
    from isamap_hardware.host import cpu_name

    return [cpu_name(), str(os.cpu_count())]


def _texts(given: Dict[str, Any] | None) -> str:
    """Options as a text, the same for the same options only: arrays by their elements."""

    def text(value: Any) -> str:
        if isinstance(value, np.ndarray):
            return f"{value.dtype}{value.shape}{digest(np.ascontiguousarray(value).tobytes())}"
        return repr(value)

    return str(sorted((str(n), text(v)) for n, v in (given or {}).items()))


# ---- The folders


def _folder() -> Path:
    return kept_directory() / "networks"


def _place(key: str) -> Path:
    return _folder() / key


def _loaded(place: Path) -> LoadedNetwork | None:
    """The network kept there; None if none is, or if its files have changed since."""
    if not (place / MARK).is_file():
        return None
    try:
        found = load_network(place)
        found.kept = str(found.record["kept"])
        with suppress(OSError):
            os.utime(place)
    except (IsamapError, LookupError):
        shutil.rmtree(place, ignore_errors=True)
        return None
    return found


def _keep(planned: NetworkPlan, place: Path, cc: str | None) -> LoadedNetwork:
    """Write the network's library there, whole or not at all. Raises OutputError, and what write_library() raises."""
    from isamap_smt.networks.library import write_library
    from isamap_smt.networks.record import network_record

    with whole_directory(place, lambda _: "") as scratch:
        written = write_library(planned, scratch, PREFIX, cc=cc)
        seal(scratch, {**network_record(planned, written), "kept": time.strftime("%Y-%m-%d")})
        found = load_network(scratch)  # before others may replace it
    found.folder = place
    _make_room(place)
    return found


def _make_room(but: Path) -> None:
    """Remove the longest unused folders until the rest takes at most MOST bytes.

    Folders left a day ago by killed calls are removed, too.
    """
    found = []
    for place in _folder().iterdir():
        with suppress(OSError):
            used = place.stat().st_mtime
            if place.name.startswith("."):
                if time.time() - used > 86400:
                    shutil.rmtree(place, ignore_errors=True)
                continue
            found.append((used, place, sum(f.stat().st_size for f in place.iterdir())))
    total = sum(size for _, _, size in found)
    for _, place, size in sorted(found):
        if total <= MOST:
            break
        if place != but:
            shutil.rmtree(place, ignore_errors=True)
            total -= size
