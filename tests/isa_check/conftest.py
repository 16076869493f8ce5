"""What is collected here: a module that needs TVM only where it is installed. Its tests skip aloud by themselves."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("tvm") else ["tvm_planted.py"]
