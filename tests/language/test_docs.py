"""The Python in docs/language.md runs."""

from __future__ import annotations

import re

import isamap_smt as im


def test_the_examples_run(repository):
    text = (repository / "docs" / "language.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/language.md", "exec"), names)  # noqa: S102
    assert len(blocks) == 3
    assert {"gemm", "padded", "running", "dot"} <= set(names)


def test_the_block_of_turns_is_what_the_page_says(repository):
    text = (repository / "docs" / "language.md").read_text()
    (block,) = [b for b in re.findall(r"```\n(.*?)```", text, re.DOTALL) if "for t:" in b]
    k = im.kernel(block)
    (turns,) = k.recurrences
    assert (turns.axis, turns.first, turns.end) == ("t", 1, 3)
    assert [str(e) for e in k.tensor("H").shape] == ["T + 1", "J"]
