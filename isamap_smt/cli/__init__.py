"""The command line, `isamap`: each command is one file, prints tables, or with --json one JSON document alone."""

from isamap_smt.cli.app import main

__all__ = ["main"]
