"""Operators, one file per family, described with the public API of `isamap_smt` alone."""
