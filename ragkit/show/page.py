"""The small HTML kit that every picture is made of: one style, one way to escape.

Pictures are plain HTML and SVG. They take the page's own ink (`currentColor`) on a transparent
ground, so they read in light and dark, in marimo and in JupyterLab, and need no script.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import escape as _escape
from importlib.resources import files
from pathlib import Path
from typing import Any

# Okabe and Ito's hues, moved to a lightness that holds 3:1 on white and on near-black.
# The style sheet names the same colours as --rk-good, --rk-bad, ...
COLOURS = {
    "good": "#0a9a74",
    "maybe": "#c08400",
    "bad": "#d9541e",
    "path": "#3b82d6",
    "web": "#9a6bd1",
    "muted": "#808080",
}
ICONS = {"good": "✓", "maybe": "≈", "bad": "✕", "path": "→", "web": "↗", "muted": "–"}


@cache
def style() -> str:
    """Return the style sheet that travels with every picture."""
    sheet = files("ragkit.show").joinpath("style.css").read_text(encoding="utf-8")
    return f"<style>{sheet}</style>"


@dataclass(frozen=True, repr=False)
class Picture:
    """Something to look at: `html` for notebooks, `text` wherever HTML does not show."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        # without mathjax_ignore JupyterLab sets "$9 and $12" as a formula
        return f'<div class="rk mathjax_ignore">{style()}{self.html}</div>'

    def __repr__(self) -> str:
        return self.text

    def save(self, path: str | Path) -> Path:
        """Write a page that opens in any browser, without network, and return its path."""
        target = Path(path)
        page = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>ragkit</title>'
            "<style>:root{color-scheme:light dark}body{font:16px system-ui,sans-serif;"
            "margin:2rem auto;padding:0 1rem;max-width:70rem}</style></head>"
            f"<body>{self._repr_html_()}</body></html>"
        )
        target.write_text(page, encoding="utf-8")
        return target


def escape(value: Any) -> str:
    """Return a value as HTML text in which nothing is markup any more, quotes included."""
    return _escape(str(value), quote=True)


def emphasis(text: str) -> str:
    """Return text as HTML in which, of Markdown, bold and code are shown as such."""
    safe = re.sub(r"`([^`\n]+)`", r'<code class="rk-mono">\1</code>', escape(text))
    return re.sub(r"\*\*([^*\n]+)\*\*", r"<b>\1</b>", safe)


def tag(name: str, content: str = "", kind: str = "", **attributes: Any) -> str:
    """Return an element around HTML content; attribute values are escaped, None is left out."""
    if kind:
        attributes["class"] = kind
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{pairs}>{content}</{name}>"


def chip(tone: str, word: str, icon: str | None = None, title: str | None = None) -> str:
    """Return a small label that says its verdict by colour, icon and word at once."""
    mark = ICONS.get(tone, "") if icon is None else icon
    body = tag("span", escape(mark), "rk-icon", aria_hidden="true") if mark else ""
    return tag("span", body + escape(word), f"rk-chip rk-{tone}", title=title)


def bar(share: float | None, tone: str = "path", label: str = "", kind: str = "rk-bar") -> str:
    """Return a bar filled to `share` of its width, 0..1; None draws an empty track."""
    filled = 0.0 if share is None else min(max(float(share), 0.0), 1.0)
    fill = tag("span", "", f"rk-fill rk-{tone}", style=f"width:{filled:.1%}")
    number = tag("span", escape(label), "rk-num") if label else ""
    return tag("span", tag("span", fill, "rk-track") + number, kind)


def folded(summary: str, content: str, opened: bool = False) -> str:
    """Return content behind a summary line that opens without a script. Both are HTML."""
    start = '<details class="rk-fold" open>' if opened else '<details class="rk-fold">'
    return f"{start}<summary>{summary}</summary><div>{content}</div></details>"


def shortened(text: str, limit: int = 160) -> tuple[str, bool]:
    """Return the text cut at a word near `limit` characters, and whether anything was cut."""
    if len(text) <= limit:
        return text, False
    head = text[:limit].rsplit(" ", 1)[0] or text[:limit]
    for mark in ("**", "`"):  # a pair that was cut in two
        if head.count(mark) % 2:
            head = "".join(head.rsplit(mark, 1))
    return head.rstrip(" ,;:") + " …", True


def long_text(text: str, limit: int = 160, lead: str = "") -> str:
    """Return escaped text; what is longer than `limit` is shown whole when its head is opened."""
    head, cut = shortened(" ".join(_without_marks(text).split()), limit)
    if not cut:
        return tag("span", emphasis(lead + text), "rk-text")
    return folded(emphasis(lead + head), tag("div", emphasis(text), "rk-text rk-whole"))


def _without_marks(text: str) -> str:
    """Return Markdown as a running line: cells parted by commas, fences and bullets left away."""
    lines = []
    for line in text.splitlines():
        bare = line.strip()
        if re.fullmatch(r"\|[\s|:-]+\|", bare) or bare.startswith("```"):
            continue
        bare = re.sub(r"^[-*] (\[[ xX]\] )?", "", bare)
        if len(bare) > 1 and bare[0] == bare[-1] == "|":
            bare = ", ".join(cell.strip() for cell in bare[1:-1].split("|")) + ";"
        lines.append(bare)
    return "\n".join(lines)


def short_id(name: Any) -> str:
    """Return a chunk's id without its hash, `pricing#3` for `pricing#3-9f2c01ab`."""
    return re.sub(r"(#\d+)-[0-9a-f]{8}", r"\1", str(name))


def stack(items: Iterable[str], kind: str = "rk-stack") -> str:
    """Return HTML pieces one after another in a box of the given class."""
    return tag("div", "".join(items), kind)
