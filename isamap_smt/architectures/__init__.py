"""Machines from other tools' architectures: Timeloop's and ZigZag's YAML, as memories, engines and instructions here.

Parts of a file missing in a machine are named in its `unread`, with their place in the file.
"""

from isamap_smt.architectures.form import ArchitectureError, Unread
from isamap_smt.architectures.machine import ReadMachine
from isamap_smt.architectures.reading import from_architecture, from_timeloop, from_zigzag

__all__ = ["ArchitectureError", "ReadMachine", "Unread", "from_architecture", "from_timeloop", "from_zigzag"]
