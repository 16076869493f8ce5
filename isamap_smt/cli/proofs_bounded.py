"""Shipped certificates of how far rounding carries a program's results: kernels of examples/, at sizes and for ranges given here.

Their names begin with `bounded_`, so that nobody's own softmax stands in their place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

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
        """hardware/kernel, which patterns are matched against."""
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

    Raises CertificateError where something is not proved; nothing is written then.
    """
    from isamap_smt.certificates.store import Named, program_certificates
    from isamap_smt.language.example_kernels import example
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.pipeline.plan import plan

    kernel = replace(example(one.spec), name=one.kernel)
    # Certificates are the same wherever they are made: nothing that was measured on a machine takes part.
    planned = plan(kernel, find_hardware(one.hardware), sizes=dict(one.sizes), strategy="exact", cost_model="analytic")
    named = Named(split=planned.split.split if planned.split else None)
    ranges = {n: (low, high) for n, low, high in one.ranges}
    made = [*program_certificates(planned.program.schedules, named, ranges)]
    for certificate in made:
        certificate.write(Path(directory))
    return [c.id for c in made]
