"""Runs programs of uses (isamap_smt.ir.program) on NumPy arrays, as their docstring says and independently of all proofs.

sites      the program at concrete sizes: every expression a column of numbers
places     which cells each use touches
service    how long memories that engines share serve a use
orders     who completes when: timed, or an adversary's order
clocks     what is complete before each use begins, in every order
races      pairs of uses that no counter orders
effects    what the uses leave in memory
simulation all of it together
max_plus   how long a program takes, without a run: by products of matrices, or by its queues at shared memories (queues)
timeline   what each slot held when; the trace as a document for viewers
"""

from isamap_smt.simulator.races import Race, Touch
from isamap_smt.simulator.simulation import Busy, Simulation, Slot, Step, simulate
from isamap_smt.simulator.timeline import chrome_trace

__all__ = ["Busy", "Race", "Simulation", "Slot", "Step", "Touch", "chrome_trace", "simulate"]
