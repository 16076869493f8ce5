"""isamap proofs check DIR of a compiled network: its claims proved today by two solvers, and the parts left unchecked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from isamap_smt.cli.bar import counting_bar
from isamap_smt.cli.network import parse_constants, parse_most
from isamap_smt.cli.options import parse_sizes
from isamap_smt.cli.output import print_json, tell

if TYPE_CHECKING:
    from isamap_smt.networks.check import Checked


def is_library(folder: Path) -> bool:
    """Whether `isamap compile MODEL.onnx` wrote the folder."""
    from isamap_smt.networks.check import is_library as found

    return folder.is_dir() and found(folder)


def check(
    folder: Path, hardware: tuple[str, ...], sources: tuple[str, ...], cache: bool, model: str | None, sizes: tuple[str, ...],
    most: tuple[str, ...], constants: tuple[str, ...], as_json: bool,
) -> int:  # fmt: skip
    """Check, tell, and return the exit status."""
    from isamap_smt.certificates import exit_status
    from isamap_smt.certificates.run import load_sources
    from isamap_smt.cli.proofs import summary
    from isamap_smt.networks.check import check_library

    network = None
    if model is not None:
        from isamap_smt.networks.onnx.importer import from_onnx

        network = from_onnx(
            model, sizes=parse_sizes(sizes), most=parse_most(most), constants=parse_constants(constants)
        )
    with counting_bar("checking") as count:
        checked = check_library(
            folder, network, sources=load_sources(hardware, sources), cache=cache,
            progress=lambda n, of, o: count(n, of, o.id),
        )  # fmt: skip
    status = exit_status(checked.outcomes)
    if as_json:
        found: dict[str, Any] = {**summary(checked.outcomes), "status": status, "left_out": list(checked.left_out)}
        print_json({"network": checked.network, **found, "outcomes": [o.as_document() for o in checked.outcomes]})
    else:
        _show(checked)
    return status


def _show(checked: Checked) -> None:
    from isamap_smt.cli.proofs import STYLE, counted, solver_words, summary

    for o in checked.outcomes:
        if o.status != "ok":
            head, *rest = str(o).split("\n")
            tell(head, style=STYLE[o.status])
            tell(*rest)
    found = summary(checked.outcomes)
    bad = ", ".join(f"{n} {word}" for word, n in found["counts"].items() if n and word != "ok")
    kernels = sum(o.status == "ok" and o.id.endswith(".c") for o in checked.outcomes)
    proved = f"{counted(kernels, 'kernel')} and {counted(found['claims'], 'claim')} proved"
    tell(
        f"{checked.network}: {bad}; {proved}"
        if bad
        else f"{checked.network}: {proved}; the C is what is printed of them"
    )
    tell(*(f"not checked: {line}" for line in checked.left_out))
    tell(solver_words(found))
