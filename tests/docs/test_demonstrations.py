"""docs/demonstrations.md does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import Session

PAGE = Path(__file__).parents[2] / "docs" / "demonstrations.md"


def test_the_demonstrations_run(in_empty_directory: Path) -> None:
    session = Session(PAGE)
    session.read()
    assert session.ran == {"python": 6, "outputs": 6, "commands": 1}


@pytest.mark.parametrize(
    ("right", "wrong"), [("A<=129 refuted", "A<=129 proved"), ("49 legal", "48 legal"), ("'np': 35", "'np': 34")]
)
def test_a_page_that_says_otherwise_fails(right: str, wrong: str, in_empty_directory: Path) -> None:
    page = in_empty_directory / "page.md"
    text = PAGE.read_text()
    assert right in text
    # Only the part in question, with what it needs.
    parts = text.split("\n## ")
    part = next(p for p in parts if right in p)
    setup = "" if "import isamap_smt" in part else "```python\nimport isamap_smt as im\n```\n"
    page.write_text(setup + part.replace(right, wrong))
    with pytest.raises(AssertionError, match="the page shows"):
        Session(page).read()
