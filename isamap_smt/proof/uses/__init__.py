"""Programs of uses are proved for all sizes: what each cell holds, who happens before whom, and that nothing waits for ever."""

from isamap_smt.proof.uses.prove import prove_uses, require_uses

__all__ = ["prove_uses", "require_uses"]
