"""The default executor of a search: fresh processes."""

from isamap_smt.runtime.processes import Processes

__all__ = ["Processes"]
