"""Makes outer_product.py and use_edits.py importable from the tests in this folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
