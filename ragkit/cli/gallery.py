"""The page a class starts from: one card a notebook, served by marimo's own editor server."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

Scope = MutableMapping[str, Any]
Asgi = Callable[[Scope, Callable[..., Awaitable[Any]], Callable[..., Awaitable[Any]]], Any]

_SCRIPT_HEADER = re.compile(r"(?ms)^# /// script$\s(?P<toml>(?:^#(?:| .*)$\s)+)^# ///$")
_PAGE = Path(__file__).with_name("gallery.html")


@dataclass(frozen=True)
class Card:
    """What the gallery says about one notebook."""

    file: str
    number: str
    title: str
    description: str


def read_card(notebook: Path) -> Card:
    """Read title and description from a notebook's `[tool.ragkit]` header.

    A notebook without a readable header gets the title that its file name gives.
    """
    number, _, name = notebook.stem.partition("_")
    about = _header(notebook.read_text(encoding="utf-8"))
    title = str(about.get("title") or name.replace("_", " ").capitalize())
    title = re.sub(rf"^0*{int(number)}\W+", "", title) if number.isdigit() else title
    return Card(notebook.name, number, title, str(about.get("description", "")))


def _header(source: str) -> dict[str, Any]:
    found = _SCRIPT_HEADER.search(source)
    if not found:
        return {}
    lines = found["toml"].splitlines()
    try:
        header = tomllib.loads("\n".join(line[2:] for line in lines))
    except tomllib.TOMLDecodeError:
        return {}
    return header.get("tool", {}).get("ragkit", {})


def numbered_notebooks(folder: Path, suffix: str = ".py") -> list[Path]:
    """List the notebooks of a folder in reading order: those whose name starts with a digit."""
    return sorted(folder.glob(f"[0-9]*{suffix}"))


def render(folder: Path) -> str:
    """Write the gallery of a folder's notebooks as one HTML page that asks for no other file."""
    cards = "\n".join(_card(read_card(path)) for path in numbered_notebooks(folder))
    return _PAGE.read_text(encoding="utf-8").replace("<!-- cards -->", cards)


def _card(card: Card) -> str:
    link = f"?file={quote(card.file)}"
    return (
        f'<li><a class="open" href="{link}" target="{html.escape(card.file)}">'
        f'<span class="number">{html.escape(card.number)}</span>'
        f"<h2>{html.escape(card.title)}</h2><p>{html.escape(card.description)}</p></a>"
        f'<a class="read" href="{link}&amp;view-as=present" target="{html.escape(card.file)}">'
        "without code</a></li>"
    )


class Gallery:
    """ASGI middleware: answers `/` with the gallery, leaves every other address to marimo.

    It stands behind marimo's own login: who has no session gets marimo's answer, never the list.
    """

    def __init__(self, app: Asgi, folder: Path) -> None:
        self.app = app
        self.folder = folder

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        from starlette.responses import HTMLResponse

        app = HTMLResponse(render(self.folder)) if _asks_for_gallery(scope) else self.app
        await app(scope, receive, send)


def _asks_for_gallery(scope: Scope) -> bool:
    # any query, `?file=` or `?access_token=`, is marimo's to answer
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and scope["path"] == "/"
        and not scope["query_string"]
        and "read" in scope["auth"].scopes
    )
