"""Index expressions for people, as the whole library writes them."""

from isamap_smt.ir.words import words

__all__ = ["words"]
