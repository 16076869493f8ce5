"""Many kernels and many machines: which kernels a machine runs, and which machine of a family is worth its cost."""

from isamap_smt.exploration.cells import Answer, Layer, layer
from isamap_smt.exploration.grid import Explored, Machine, sweep, table

__all__ = ["Answer", "Explored", "Layer", "Machine", "layer", "sweep", "table"]
