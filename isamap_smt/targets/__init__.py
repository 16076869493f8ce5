"""Places to run a proved program: this CPU, or another machine under an emulator.

Other packages add theirs by entry points.
"""

from isamap_smt.targets.target import Runnable as Runnable
from isamap_smt.targets.target import Target as Target
from isamap_smt.targets.target import find_target as find_target
from isamap_smt.targets.target import target_names as target_names
