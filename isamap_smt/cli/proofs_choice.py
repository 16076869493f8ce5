"""Which certificates are shipped: every library kernel on every instruction that takes its element types.

For each pair the claims of the best legal mapping; for the machines' main instructions (and gemm on all of them) also the
legal list with its completeness, and the program of the schedule that the scheduler chooses with sizes left open. What is
chosen here is not trusted: the certificates are derived from the choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from isamap_smt.certificates.fingerprint import AT
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.schedule import Schedule

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
        """hardware/kernel/instruction, which patterns are matched against."""
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
        if AT in names and not {*names[names.index(AT) + 1 :]} <= {f"{n}={v}" for n, v in WINDOW.items()}:
            return False  # a program at sizes of one's own
        return identifier.startswith(start) and self.instruction in (
            names[0],
            names[1] if names[0] == "complete" and len(names) > 1 else "",
        )


def wanted(pattern: str = "*") -> list[Wanted]:
    """All that match the pattern (`avx2`, `avx2/gemm`, `*/conv2d/*`)."""
    import isamap_hardware
    import isamap_kernels

    found: list[Wanted] = []
    for machine in isamap_hardware.names():
        hardware = isamap_hardware.load(machine)
        found.append(Wanted(machine))
        for i in hardware.computes:
            for name in isamap_kernels.names():
                extra = machine == "scalar" and i.short != "muladd_f32" and name != ANYTHING_OF_SCALAR
                own = isamap_hardware.certified(machine, name)
                if i.name == f"{machine}.{i.short}" and own and not extra:
                    found.append(Wanted(machine, name, i.short))
    patterns = (pattern, f"{pattern.rstrip('/')}/*")
    return [w for w in found if any(fnmatchcase(w.name, p) for p in patterns)]


def write(one: Wanted, directory: str) -> list[str]:
    """Write the certificates of one pair below the directory; returns their ids.

    Raises CertificateError where a verdict is unknown or a program is not proved; nothing of the pair is written then.
    """
    from isamap_smt.certificates.errors import CertificateError
    from isamap_smt.certificates.store import (
        completeness_certificate,
        machine_certificate,
        mapping_certificate,
        program_certificates,
    )
    from isamap_smt.cli.options import with_types_of
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.language.library import find_kernel
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
    """The schedules of the pair's program, with open sizes where the kernel allows it; none where none is certified."""
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.pipeline import plan

    if not instruction.emit or not ((one.kernel == "gemm" and one.hardware != "scalar") or one.instruction in MAIN):
        return ()
    sizes = {n: v for n, v in WINDOW.items() if n in kernel.free_sizes} if kernel.parameters else {}
    # Certificates are the same wherever they are made: nothing that was measured on a machine takes part.
    machine = find_hardware(one.hardware)
    return plan(
        kernel, machine, sizes=sizes, instruction=instruction.name, strategy="exact", cost_model="analytic"
    ).program.schedules
