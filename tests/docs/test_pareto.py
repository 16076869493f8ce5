"""The picture of cost and cycles is what docs/pareto.py draws today."""

from docs.pareto import PICTURE, drawn


def test_the_picture_is_the_sweep() -> None:
    assert PICTURE.read_text() == drawn()
