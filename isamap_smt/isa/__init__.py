"""Other people's tables of instructions: is the C of each what its text says? Proved, refuted with an input, or unknown.

The meaning of intrinsics is one table: what follows from the project's own descriptions, and what is stated lane by lane; all of it
is tested on silicon or under emulators.
"""

from isamap_smt.isa.tables import TABLES, Report, check_isa, machine_from_table, table_machine

__all__ = ["TABLES", "Report", "check_isa", "machine_from_table", "table_machine"]
