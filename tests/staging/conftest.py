"""Makes the helpers of this folder, and those of programs of uses, importable from its tests."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "uses")]
