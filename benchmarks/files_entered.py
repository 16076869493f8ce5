"""How many files of the library one answer leads through, from the question to the C.

    python benchmarks/files_entered.py [--list]

A file counts where a function of its own runs; what a module does when it is imported does not. Each answer is planned, proved and
printed in a process of its own, with an empty cache. --list: every file with its lines, and the number of answers that enter it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = tuple(f"{ROOT / p}/" for p in ("isamap_smt", "encodings", "hardware", "kernels"))
ANSWERS = {  # kernel, machine, sizes
    "gemm on the host": ("gemm", "host", {"i": 64, "j": 64, "k": 64}),
    "layer norm on the host": ("examples/norms.py:LAYER_NORM", "host", {"i": 64, "n": 768}),
    "gemm on Gemmini": ("gemm", "gemmini", {"i": 64, "j": 64, "k": 64}),
}


def answer(kernel: str, machine: str, sizes: dict[str, int]) -> None:
    """The C of a kernel; of bytes for a machine with engines."""
    import isamap_smt as im

    asked = im.find_kernel(kernel)
    if machine == "gemmini":
        asked = asked.with_dtypes({**dict.fromkeys(asked.inputs, "i8"), **dict.fromkeys(asked.outputs, "i32")})
    planned = im.plan(asked, machine, sizes=sizes)
    if machine == "gemmini":
        im.find_target("gemmini").emit(planned)
    else:
        _ = planned.source


def entered(name: str) -> list[str]:
    """The files of the library that the answer enters, in this process."""
    found: set[str] = set()
    importing = 0

    def called(frame: FrameType, event: str, _: Any) -> None:
        nonlocal importing
        code = frame.f_code
        if code.co_name == "<module>":
            importing += {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and not importing and code.co_filename.startswith(LIBRARY):
            found.add(code.co_filename)

    sys.setprofile(called)
    try:
        answer(*ANSWERS[name])
    finally:
        sys.setprofile(None)
    return sorted(str(Path(f).relative_to(ROOT)) for f in found)


def main() -> None:
    """Each answer in a process of its own, with an empty cache: nothing that was planned before serves it."""
    files: Counter[str] = Counter()
    for name in ANSWERS:
        with tempfile.TemporaryDirectory() as nothing:
            told = subprocess.run(
                [sys.executable, __file__, name], check=True, capture_output=True, text=True, cwd=ROOT,
                env={**os.environ, "ISAMAP_CACHE": nothing},
            )  # fmt: skip
        here = json.loads(told.stdout)
        files.update(here)
        print(f"{len(here):4} files  {name}", flush=True)
    print(f"{len(files):4} files  all of them")
    for f in sorted(files) if "--list" in sys.argv else ():
        print(f"{files[f]:4} {len((ROOT / f).read_text().splitlines()):5}  {f}")


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ANSWERS:
        print(json.dumps(entered(sys.argv[1])))
    else:
        main()
