"""What a process needs in which a library built with sanitizers is loaded."""

from __future__ import annotations

import subprocess

from isamap_smt.runtime.compiler import Compiler


def sanitizer_environment(compiler: Compiler) -> dict[str, str]:
    """What a process that loads a sanitized library needs in its environment: Python itself is not sanitized."""
    runtime = "libclang_rt.asan-x86_64.so" if compiler.family == "clang" else "libasan.so"
    said = subprocess.run(
        [*compiler.command, f"-print-file-name={runtime}"], capture_output=True, text=True, check=False
    )
    return {
        "LD_PRELOAD": said.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python keeps memory until it ends
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
