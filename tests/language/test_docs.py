"""The Python in docs/language.md runs."""

from __future__ import annotations

import re


def test_the_examples_run(repository):
    text = (repository / "docs" / "language.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/language.md", "exec"), names)  # noqa: S102
    assert len(blocks) == 3
    assert {"gemm", "padded", "dot"} <= set(names)
