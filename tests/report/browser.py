"""A page as a browser lays it out: its faults at the widths of a desk and of a phone, in the light and the dark theme."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
PHONE, DESK = 390, 1400  # widths in CSS pixels
# Widths decide about places and themes about colours: two frames see both of each.
FRAMES = ((PHONE, "dark"), (DESK, "light"))
LACKS = f"no browser lays a page out: none of {', '.join(BROWSERS)} is on PATH (Debian: apt-get install {BROWSERS[0]})"

_DARK = "@media (prefers-color-scheme: dark)"
_THEME = re.compile(re.escape(_DARK) + r"\s*\{\s*:root\s*\{[\s\w#.%,;:()-]*\}\s*\}")
_FAULTS = (Path(__file__).parent / "faults.js").read_text()
_MEASURE = """
addEventListener("load", () => {
  const found = [...document.querySelectorAll("iframe")].map(frame => [frame.name, faults(frame.contentDocument)])
  document.body.textContent = JSON.stringify(Object.fromEntries(found))
})
"""


def browser() -> str | None:
    """The first of BROWSERS that is installed."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def faults(page: str, frames: Sequence[tuple[int, str]] = FRAMES) -> list[str]:
    """What goes wrong on the page, each as `390 dark: ...`; empty for a page that is laid out well.

    frames: a width and `light` or `dark` each.
    """
    return faults_of({"": page}, frames)[""]


def faults_of(pages: Mapping[str, str], frames: Sequence[tuple[int, str]] = FRAMES) -> dict[str, list[str]]:
    """The faults of several pages. One start of the browser sees all of them."""
    path = browser()
    assert path is not None, LACKS
    shown = []
    for number, page in enumerate(pages.values()):
        assert page.count("prefers-color-scheme") == len(_THEME.findall(page)) == 1, "a theme is a set of variables"
        for width, theme in frames:
            themed = html.escape(page.replace(_DARK, "@media all" if theme == "dark" else "@media not all"))
            style = f"width:{width}px;height:900px;border:0"
            shown.append(f'<iframe name="{number} {width} {theme}" style="{style}" srcdoc="{themed}"></iframe>')
    with tempfile.TemporaryDirectory(prefix="isamap-test-browser-", ignore_cleanup_errors=True) as folder:
        outer = Path(folder) / "frames.html"
        script = f"<script>{_FAULTS}{_MEASURE}</script>"
        outer.write_text(f'<!doctype html><meta charset="utf-8">{script}<body>{"".join(shown)}</body>')
        command = [path, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += [f"--user-data-dir={folder}/profile", "--dump-dom", outer.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    said = re.search(r"<body>(.*?)</body>", done.stdout, re.S)
    assert said, done.stdout[-2000:] + done.stderr[-2000:]
    found: dict[str, list[str]] = json.loads(html.unescape(said[1]))
    assert len(found) == len(shown)
    return {
        name: [f"{width} {theme}: {f}" for width, theme in frames for f in found[f"{number} {width} {theme}"]]
        for number, name in enumerate(pages)
    }
