"""Many kernels and many machines: which kernels a machine runs, and which machine of a family is worth its cost."""

from isamap_smt.exploration.cells import Answer, Layer, layer
from isamap_smt.exploration.grid import Explored, Machine, sweep, table
from isamap_smt.exploration.why import Why, why

__all__ = ["Answer", "Explored", "Layer", "Machine", "Why", "layer", "sweep", "table", "why"]
