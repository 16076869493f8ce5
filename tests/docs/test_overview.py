"""The README's picture is what docs/overview.py draws today."""

from __future__ import annotations

from xml.etree import ElementTree

from docs.overview import PICTURE, drawn


def test_the_picture_is_drawn_from_what_is_proved_and_simulated() -> None:
    assert PICTURE.read_text() == drawn(), "python -m docs.overview"
    words = "".join(ElementTree.parse(PICTURE).getroot().itertext())
    assert "proved for all sizes" in words and "cycles, simulated" in words and "5,69" in words and "5,70" not in words
