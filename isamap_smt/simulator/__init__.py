"""Runs programs of uses (isamap_smt.ir.program) on NumPy arrays, as their docstring says and independently of all proofs.

sites      the program at concrete sizes: every expression a column of numbers
places     the cells touched by each use
service    how long shared memories serve a use
orders     the order of completion: timed, or an adversary's
clocks     the uses complete before each use begins, in every order
races      pairs of uses unordered by counters
effects    the effects of uses on memory
simulation all of it together
max_plus   how long a program takes, without a run: by products of matrices, or by its queues at shared memories (queues)
timeline   contents of slots over time; the trace as a document for viewers
"""

from isamap_smt.simulator.races import Race, Touch
from isamap_smt.simulator.simulation import Busy, Simulation, Slot, Step, simulate
from isamap_smt.simulator.timeline import chrome_trace

__all__ = ["Busy", "Race", "Simulation", "Slot", "Step", "Touch", "chrome_trace", "simulate"]
