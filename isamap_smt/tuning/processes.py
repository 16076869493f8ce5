"""The executor of fresh processes that a search takes by default."""

from isamap_smt.runtime.processes import Processes

__all__ = ["Processes"]
