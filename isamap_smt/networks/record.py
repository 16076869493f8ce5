"""The proof of a network as a document: each kernel's claims, the claims between them, and the digest of the C."""

from __future__ import annotations

from typing import Any

from isamap_smt.language.printer import to_text
from isamap_smt.networks.extents import written_shape
from isamap_smt.networks.library import Library
from isamap_smt.networks.plan import NetworkPlan
from isamap_smt.networks.proof import prove_network
from isamap_smt.networks.values import Value


def network_record(planned: NetworkPlan, library: Library) -> dict[str, Any]:
    """The document beside a library."""
    numbers = {q: n for n, q in enumerate(planned.plans)}
    return {
        "network": planned.network.name,
        "prefix": library.prefix,
        "features": list(library.features),
        "threads": library.threads,
        "target": library.target,
        "open": {s.name: s.most for s in planned.network.open},
        "inputs": [_value(planned.network.values[n]) for n in planned.network.inputs],
        "outputs": [_value(planned.network.values[n]) for n in planned.network.outputs],
        "digest_of_c": library.digest,
        "claims": [
            {"claim": c.claim, "about": c.subject, "statement": c.statement, "verdict": c.verdict.word}
            for c in prove_network(planned).claims
        ],
        "kernels": [
            {
                "text": to_text(q.kernel),
                "constant": list(q.constant),
                "certificate": p.fingerprint,
                "verdict": p.proof.word,
                "claims": len(p.proof.claims),
            }
            for q, p in planned.plans.items()
        ],
        "steps": [
            {"node": s.node, "kernel": numbers[planned.question(s)], "reads": dict(s.reads), "writes": dict(s.writes)}
            for s in planned.network.kernels
        ],
        "arena": {"bytes": planned.peak, "bound": planned.bound, "places": planned.places},
    }


def _value(value: Value) -> dict[str, Any]:
    return {"name": value.name, "dtype": value.dtype.name, "shape": written_shape(value.shape)}
