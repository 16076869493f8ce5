"""Machines, one file each, described with the public API of `isamap_smt` alone."""
