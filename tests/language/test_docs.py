"""The Python in docs/language.md runs."""

from __future__ import annotations

import re

import numpy as np

import isamap_smt as im
from isamap_smt.ir.interpret import random_arrays, run_kernel


def test_the_examples_run(repository):
    text = (repository / "docs" / "language.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/language.md", "exec"), names)  # noqa: S102
    assert len(blocks) == 5
    assert {"gemm", "padded", "running", "dot"} <= set(names)


def test_the_block_of_turns_is_what_the_page_says(repository):
    text = (repository / "docs" / "language.md").read_text()
    (block,) = [b for b in re.findall(r"```\n(.*?)```", text, re.DOTALL) if "for t:" in b]
    k = im.kernel(block)
    (turns,) = k.recurrences
    assert (turns.axis, turns.first, turns.end) == ("t", 1, 3)
    assert [str(e) for e in k.tensor("H").shape] == ["T + 1", "J"]


def test_both_recurrences_of_the_page_are_compiled_and_right(repository):
    text = (repository / "docs" / "language.md").read_text()
    (block,) = [b for b in re.findall(r"```\n(.*?)```", text, re.DOTALL) if "for t:" in b]
    for k in (im.kernel("for t:\n  S[t+1] = S[t] + X[t]"), im.kernel(block)):
        kernel = k.with_dtypes({t.name: "f32" for t in k.tensors})
        for sizes in ({}, {"t": 6}):
            compiled = im.compile(kernel, "host", sizes=sizes)
            known = {n: 6 if n == "T" else 3 for n in kernel.free_sizes}
            arrays = random_arrays(kernel, known)
            want = run_kernel(kernel, arrays, sizes=known)
            got = compiled(**arrays, sizes={n: known[n] for n in compiled.kernel.free_sizes})
            for name, x in want.items():
                assert np.allclose(got[name] if isinstance(got, dict) else got, x, rtol=1e-5)
