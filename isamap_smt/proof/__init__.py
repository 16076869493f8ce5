"""The claims about a mapping or a lowered program, generated here and discharged by `isamap_encodings`."""

from isamap_smt.proof.mapping import prove
from isamap_smt.proof.mapping_form import MappingError
from isamap_smt.proof.program import prove_program, require_proof
from isamap_smt.proof.rejection import Rejection

__all__ = ["MappingError", "Rejection", "prove", "prove_program", "require_proof"]
