"""isamap proofs update: certificates of the library's kernels, chosen with the search and the scheduler and derived
without them; and of one's own, from the mappings and decisions they hold.

Shipped is every library kernel on every instruction for its element types: the claims of the best legal mapping; for
the machines' main instructions (and gemm on all of them) also the legal list with its completeness, and the program
of the scheduler's choice with sizes left open; and bounds of rounding (proofs_bounded.py). The choice is not
trusted: the certificates are derived from it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from isamap_smt.certificates.claim_file import UndecidedError
from isamap_smt.certificates.directory import check_place, whole_directory, write_whole
from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.certificates.fingerprint import AT
from isamap_smt.certificates.lock import lock_path, lock_text, question, read_lock
from isamap_smt.certificates.manifest import INDEX, certificate_ids, manifest_alone, read_manifest, write_index
from isamap_smt.certificates.place import no_certificate, pack, unpack
from isamap_smt.certificates.rounding import WITHIN
from isamap_smt.certificates.saved import renewed
from isamap_smt.certificates.subject import Sources
from isamap_smt.certificates.workers import spread
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.schedule import Schedule

# ---- Shipped certificates of how far rounding carries a program's results: kernels of examples/, at sizes and for
# ranges given here.
#
# Their names begin with `bounded_`, so that nobody's own softmax stands in their place.


BEGIN = "bounded_"


@dataclass(frozen=True)
class Bounded:
    """A kernel on a machine. spec: its file and name in examples/. ranges: the least and the greatest element of each input."""

    hardware: str
    spec: str
    kernel: str
    sizes: tuple[tuple[str, int], ...]
    ranges: tuple[tuple[str, float, float], ...]

    @property
    def name(self) -> str:
        """hardware/kernel, to match patterns against."""
        return f"{self.hardware}/{self.kernel}"

    def covers(self, identifier: str) -> bool:
        """Whether a certificate of this id comes from here."""
        return identifier.startswith(f"{self.name}/")


def _each(spec: str, name: str, sizes: dict[str, int], ranges: dict[str, tuple[float, float]]) -> Bounded:
    given = tuple((n, low, high) for n, (low, high) in ranges.items())
    return Bounded("avx512", spec, f"{BEGIN}{name}", tuple(sizes.items()), given)


BOUNDED = (
    _each("norms.py:SOFTMAX", "softmax", {"i": 4, "n": 64}, {"x": (-4, 4)}),
    _each("norms.py:LAYER_NORM", "layer_norm", {"i": 4, "n": 64}, {"x": (-4, 4), "g": (0.5, 2), "b": (-1, 1)}),
    _each("attention.py:ATTENTION", "attention", {"h": 1, "q": 8, "k": 64, "d": 32},
          {"Q": (-1, 1), "K": (-1, 1), "V": (-1, 1), "z": (0.125, 0.25)}),
)  # fmt: skip


def write_bounded(one: Bounded, directory: str) -> list[str]:
    """Write its certificate, and those of its further statements, below the directory; returns their ids.

    Raises CertificateError if something is not proved; nothing is written then.
    """
    from isamap_smt.certificates.store import Named, program_certificates
    from isamap_smt.language.example_kernels import example
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.pipeline.plan import plan

    kernel = replace(example(one.spec), name=one.kernel)
    # Certificates are the same wherever they are made: nothing that was measured on a machine takes part.
    planned = plan(
        kernel,
        find_hardware(one.hardware),
        sizes=dict(one.sizes),
        strategy="exact",
        cost_model="analytic",
        reorder=False,
    )
    named = Named(split=planned.split.split if planned.split else None)
    ranges = {n: (low, high) for n, low, high in one.ranges}
    made = [*program_certificates(planned.program.schedules, named, ranges)]
    for certificate in made:
        certificate.write(Path(directory))
    return [c.id for c in made]


# the instruction of each machine for which every kernel's program and legal list are certified; gemm's are for all
MAIN = ("fmadd_ps", "dpbusd", "dpbf16_ps", "dpbf16ps", "muladd_f32", "16x16x16")
# what the convolutions' programs need fixed: padding is written out at compile time
WINDOW = {"sp": 1, "sq": 1, "dp": 1, "dq": 1, "pp": 1, "pq": 1, "R": 3, "S": 3}
ANYTHING_OF_SCALAR = "gemm"  # the only kernel that is mapped onto each of the scalar instructions


@dataclass(frozen=True)
class Wanted:
    """One kernel on one instruction, or (kernel and instruction empty) a machine's description."""

    hardware: str
    kernel: str = ""
    instruction: str = ""

    @property
    def name(self) -> str:
        """hardware/kernel/instruction, to match patterns against."""
        return f"{self.hardware}/{self.kernel}/{self.instruction}" if self.kernel else f"{self.hardware}/machine"

    def covers(self, identifier: str) -> bool:
        """Whether a certificate of this id comes from here."""
        if not self.kernel:
            return identifier == self.name
        start = f"{self.hardware}/{self.kernel}/"
        rest = identifier.removeprefix(start)
        names = rest.split(",")
        if len(names) > 1 and names[1].startswith(("by-hand-", "split-", "cut-")):
            return False  # none of the library's is made so
        if WITHIN in names:
            return False  # a bound of rounding, for ranges of one's own
        if AT in names and not {*names[names.index(AT) + 1 :]} <= {f"{n}={v}" for n, v in WINDOW.items()}:
            return False  # a program at sizes of one's own
        return identifier.startswith(start) and self.instruction in (
            names[0],
            names[1] if names[0] == "complete" and len(names) > 1 else "",
        )


def wanted(pattern: str = "*") -> list[Wanted | Bounded]:
    """All matches of the pattern (`avx2`, `avx2/gemm`, `*/conv2d/*`).

    Instructions with saturating sums have gemm's alone: no open sum fits.
    """
    import isamap_hardware
    import isamap_kernels
    from isamap_smt.proof.bounded_sums import carries

    found: list[Wanted | Bounded] = [*BOUNDED]
    for machine in isamap_hardware.names():
        hardware = isamap_hardware.load(machine)
        found.append(Wanted(machine))
        for i in (c for c in hardware.computes if c.kernel.statements[0].op == "+"):  # the library's kernels are sums
            for name in isamap_kernels.names():
                extra = machine == "scalar" and i.short != "muladd_f32" and name != ANYTHING_OF_SCALAR
                own = isamap_hardware.certified(machine, name)
                if i.name == f"{machine}.{i.short}" and own and not extra and (name == "gemm" or not carries(i)):
                    found.append(Wanted(machine, name, i.short))
    patterns = (pattern, f"{pattern.rstrip('/')}/*")
    return [w for w in found if any(fnmatchcase(w.name, p) for p in patterns)]


def write(one: Wanted, directory: str) -> list[str]:
    """Write the certificates of one pair below the directory; returns their ids.

    Raises CertificateError if a verdict is unknown or a program is not proved; nothing of the pair is written then.
    """
    from isamap_smt.certificates.errors import CertificateError
    from isamap_smt.certificates.store import (
        completeness_certificate,
        machine_certificate,
        mapping_certificate,
        program_certificates,
    )
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.language.library import find_kernel
    from isamap_smt.mapping.types_of import with_types_of
    from isamap_smt.search import find_mappings

    root = Path(directory)
    hardware = find_hardware(one.hardware)
    if not one.kernel:
        made = [machine_certificate(hardware)]
    else:
        instruction = hardware.instruction(one.instruction)
        kernel = with_types_of(find_kernel(one.kernel), instruction, "any")
        found = find_mappings(kernel, instruction).finished()
        if not found.family.bindings:
            return []
        if not found.complete:
            raise CertificateError(
                f"{one.name} is not certified, because its set of mappings is not complete:\n{found}"
            )
        made = []
        if one.kernel == "gemm" or one.instruction in MAIN:
            made.append(completeness_certificate(found.family, [p.mapping.id for p in found], found.witnesses))
        if found.legal:
            schedules = _schedules(kernel, one, instruction)
            made += [*program_certificates(schedules)] if schedules else [mapping_certificate(found.legal[0])]
    for certificate in made:
        certificate.write(root)
    return [c.id for c in made]


def _schedules(kernel: Kernel, one: Wanted, instruction: Instruction) -> tuple[Schedule, ...]:
    """The schedules of the pair's program, with open sizes if the kernel allows it; none if none is certified."""
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.pipeline.plan import plan

    if (
        not instruction.emit
        or instruction.engine
        or not _filled_along_axes(instruction)
        or not ((one.kernel == "gemm" and one.hardware != "scalar") or one.instruction in MAIN)
    ):
        return ()
    sizes = {n: v for n, v in WINDOW.items() if n in kernel.free_sizes} if kernel.parameters else {}
    # Certificates are the same wherever they are made: nothing that was measured on a machine takes part.
    machine = find_hardware(one.hardware)
    return plan(
        kernel, machine, sizes=sizes, instruction=instruction.name, strategy="exact", cost_model="analytic"
    ).program.schedules


def _filled_along_axes(instruction: Instruction) -> bool:
    """Whether programs use it: the cells of each register are told by axes alone, as `b[l]`, and not by `b[k//4,l]`."""
    s = instruction.kernel.statements[0]
    return all(i.is_Symbol for a in (s.target, *s.inputs) for i in a.index)


@dataclass(frozen=True)
class Own:
    """One certificate and its place."""

    directory: str
    id: str
    sources: tuple[str, ...] = ()


def own(directory: Path, pattern: str = "*", sources: tuple[str, ...] = ()) -> list[Own]:
    """One's own certificates at the place that match the pattern (`accel`, `accel/layer`, `*/layer/outer`, or a whole id).

    Raises CertificateError for one of one's own in the place of a library's certificate.
    """
    library = wanted()
    found: list[Own] = []
    for identifier in certificate_ids(directory):
        by = next((w for w in library if w.covers(identifier)), None)
        if _matches(identifier, pattern):
            if by is None:
                found.append(Own(str(directory), identifier, sources))
            else:
                _require_library(directory, identifier, by)
    return found


def write_again(one: Own, scratch: str) -> list[str]:
    """Write it below the scratch directory, from today's sources; returns its id, which may be another one.

    Raises CertificateError if it is damaged, no longer proved, or its subject is not found.
    """
    place = Path(one.directory) / one.id
    try:
        certificate = renewed(place, Sources(files=one.sources))
    except UndecidedError as error:
        raise UndecidedError(f"{place} cannot be written anew: {error}", error.formulas) from None
    except IsamapError as error:
        hint = "delete it, or save it again" if isinstance(error, DamagedError) else "mend that, or delete it"
        raise CertificateError(f"{place} cannot be written anew: {error}\n{hint}") from error
    certificate.write(Path(scratch))
    return [certificate.id]


def _matches(identifier: str, pattern: str) -> bool:
    """As patterns match the library's: by hardware/kernel/instruction or its first parts."""
    name = identifier.split(",", maxsplit=1)[0]
    return identifier == pattern or any(fnmatchcase(name, p) for p in (pattern, f"{pattern.rstrip('/')}/*"))


def _require_library(directory: Path, identifier: str, by: Wanted | Bounded) -> None:
    try:
        document = read_manifest(directory / identifier)
    except DamagedError:
        return  # it is written anew
    kernel, instruction = document.get("kernel", {}), document.get("instruction", {})
    source = None if isinstance(by, Bounded) else by.kernel
    if by.kernel and (kernel.get("source") != source or ".py" in str(instruction.get("source"))):
        raise CertificateError(
            f"{directory / identifier} is of {kernel.get('source') or 'a kernel of your own'}, and the library's {by.name} "
            "would take its place; update another directory, or give your kernel another name"
        )


@dataclass(frozen=True)
class Updated:
    """written: ids. lock: the file with their list; added, removed, changed: its differences from the earlier lock."""

    written: list[str]
    lock: Path
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


def update_directory(
    place: Path,
    pattern: str = "*",
    jobs: int | None = None,
    progress: Callable[[int, int, list[str]], None] | None = None,
    sources: tuple[str, ...] = (),
) -> Updated:
    """Write every matching certificate, the library's and one's own at the place, and list all in the lock beside it.

    The others stay as they are. sources: files with code named by one's own certificates.
    Raises CertificateError if nothing matches, one is not proved, or one of one's own in the lock is gone; OutputError
    if the place holds something else.
    """
    check_place(place, no_certificate)
    mine, chosen, lock = own(place, pattern, sources), wanted(pattern), lock_path(place)
    if not chosen and not mine:
        raise CertificateError(
            f"no certificate of the library, and none in {place}, matches {pattern!r}; write hardware/kernel, such as "
            "avx2/gemm or */conv2d"
        )
    before = read_lock(lock) if os.path.lexists(lock) else {}
    library = chosen if pattern == "*" else wanted()
    gone = [i for i in before if i not in certificate_ids(place) and not any(w.covers(i) for w in library)]
    if gone:
        raise CertificateError(f"{gone[0]} is missing: {lock} lists it; put it back, or remove its line")
    replaced = {one.id for one in mine}
    with whole_directory(place, no_certificate) as scratch:
        results = spread(_write, [(w, str(scratch)) for w in (*mine, *chosen)], jobs, progress)
        written = [i for ids in results for i in ids]
        if pattern != "*" and (place / INDEX).is_file():
            for identifier in certificate_ids(place):
                if identifier not in replaced and not any(w.covers(identifier) for w in chosen):
                    _keep(place, identifier, scratch)
        pack(scratch, place)
        write_index(scratch)
        now = {i: question(manifest_alone(scratch / i)) for i in certificate_ids(scratch)}
    if pattern != "*":  # what is missing of the rest stays missed
        now |= {i: q for i, q in before.items() if i not in now and not any(w.covers(i) for w in chosen)}
    if now != before:
        write_whole(lock, lock_text(now))
    changed = tuple(i for i in now if i in before and now[i] != before[i])
    return Updated(written, lock, tuple(sorted({*now} - {*before})), tuple(sorted({*before} - {*now})), changed)


def _keep(place: Path, identifier: str, scratch: Path) -> None:
    """Copy a certificate as it is if it is not written anew; a damaged one would be lost."""
    try:
        unpack(place, identifier, scratch)
    except CertificateError as error:
        raise CertificateError(f"{error}; update or delete it first") from None


def _write(one: Own | Wanted | Bounded, directory: str) -> list[str]:
    if isinstance(one, Bounded):
        return write_bounded(one, directory)
    return write_again(one, directory) if isinstance(one, Own) else write(one, directory)
