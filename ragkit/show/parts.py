"""Notes, number tiles, folds and plain tables: HTML that looks the same in both notebook kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from ragkit.show.page import ICONS, Picture, bar, escape, folded, long_text, stack, tag

TONES = tuple(ICONS)
LONG = 40  # characters that need more than one line in a narrow column


def note(text: str, tone: str = "path", title: str = "") -> Picture:
    """Return a highlighted note; `text` is Markdown, `tone` one of `TONES`."""
    head = ""
    if title:
        icon = tag("span", escape(ICONS[_known(tone)]), "rk-icon", aria_hidden="true")
        head = tag("div", icon + tag("span", escape(title)), "rk-title")
    body = tag("div", head + markdown(text), f"rk-note rk-{_known(tone)}", role="note")
    return Picture(body, f"{title}: {text}" if title else text)


def stat(label: str, value: Any, caption: str = "", tone: str | None = None) -> Picture:
    """Return one number tile; `caption` says what it is out of."""
    kind = f"rk-tile rk-toned rk-{_known(tone)}" if tone else "rk-tile"
    lines = [
        tag("span", escape(label), "rk-soft rk-small"),
        tag("span", escape(value), "rk-value"),
        tag("span", escape(caption), "rk-soft rk-small") if caption else "",
    ]
    return Picture(
        tag("div", "".join(lines), kind), f"{label}: {value}" + (f" ({caption})" if caption else "")
    )


def stats(*tiles: Picture | tuple[Any, ...]) -> Picture:
    """Return tiles side by side, wrapping where there is no room; a tuple is `stat`'s arguments."""
    made = [tile if isinstance(tile, Picture) else stat(*tile) for tile in tiles]
    return Picture(stack((t.html for t in made), "rk-row"), " | ".join(t.text for t in made))


def gauge(label: str, used: float, limit: float, unit: str = "", digits: int = 0) -> Picture:
    """Return how much of a budget is used: a bar, the numbers, red when it is used up."""
    share = used / limit if limit else 1.0
    tone = "bad" if share >= 1 else "maybe" if share >= 0.7 else "good"
    numbers = f"{used:,.{digits}f} of {limit:,.{digits}f} {unit}".strip()
    words = tag("span", escape(numbers), "rk-push rk-small")
    line = tag("div", tag("span", escape(label), "rk-title") + words, "rk-line")
    body = line + bar(share, tone, kind="rk-wide-bar")
    return Picture(tag("div", body, f"rk-tile rk-toned rk-{tone}"), f"{label}: {numbers}")


def gauges(*rows: tuple[Any, ...]) -> Picture:
    """Return budget gauges side by side; each row is `gauge`'s arguments."""
    made = [gauge(*row) for row in rows]
    return Picture(stack((g.html for g in made), "rk-row"), " | ".join(g.text for g in made))


def facts(record: Any) -> Picture:
    """Return a record, a mapping or a list of names so that it can be read from the last row.

    Names and values stand beside each other; a list without names becomes a line of chips.
    """
    if hasattr(record, "model_dump"):
        record = record.model_dump()
    if not isinstance(record, Mapping):
        chips = [tag("span", escape(item), "rk-chip rk-mono") for item in record]
        return Picture(stack(chips, "rk-line"), ", ".join(map(str, record)))
    rows = "".join(
        tag("tr", tag("th", escape(name)) + tag("td", _fact(value)))
        for name, value in record.items()
    )
    table = tag("table", tag("tbody", rows), "rk-table rk-facts")
    text = "\n".join(f"{name}: {_plain_fact(value)}" for name, value in record.items())
    return Picture(tag("div", table, "rk-wrap"), text)


def details(summary: str, content: Any, opened: bool = False) -> Picture:
    """Return content behind a summary line; content is Markdown or anything that shows itself."""
    body = content.html if isinstance(content, Picture) else as_html(content)
    return Picture(
        tag("div", folded(escape(summary), body, opened), "rk-card"), f"{summary}\n{content}"
    )


def html(markup: str, text: str = "") -> Picture:
    """Return your own trusted HTML as a picture. Never pass text that came from outside."""
    return Picture(markup, text or markup)


def plain_table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> Picture:
    """Return records as a table: numbers to the right, long text folded, everything escaped."""
    records = [dict(row) for row in rows]
    if not records:
        return Picture(tag("div", "No rows.", "rk-note rk-muted"), "No rows.")
    names = list(columns or dict.fromkeys(name for record in records for name in record))
    numeric = {n for n in names if all(_is_number(r.get(n)) for r in records)}
    head = "".join(tag("th", _breakable(n), "rk-n" if n in numeric else "") for n in names)
    body = "".join(
        tag("tr", "".join(_cell(n, record.get(n), n in numeric) for n in names))
        for record in records
    )
    long = any(len(_words(record.get(n, ""))) > LONG for record in records for n in names)
    kind = "rk-table rk-many" if len(names) > (2 if long else 3) else "rk-table"
    table = tag("table", tag("thead", tag("tr", head)) + tag("tbody", body), kind)
    text = "\n".join(" | ".join(_words(record.get(n, "")) for n in names) for record in records)
    return Picture(tag("div", table, "rk-wrap"), " | ".join(names) + "\n" + text)


def markdown(text: str) -> str:
    """Return Markdown as HTML; markup inside the text stays text."""
    return _markdown().render(text)


def as_html(item: Any) -> str:
    """Return anything as HTML: its own, Markdown for a string, else its escaped repr."""
    if isinstance(item, Picture):
        return item._repr_html_()
    if isinstance(item, str):
        return markdown(item)
    own = getattr(item, "_repr_html_", None)
    return own() if own else tag("pre", escape(repr(item)))


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _known(tone: str) -> str:
    if tone not in TONES:
        raise ValueError(f"no tone called {tone!r}; there are {', '.join(TONES)}")
    return tone


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _cell(name: str, value: Any, numeric: bool) -> str:
    if isinstance(value, Picture):
        return tag("td", value.html, data_name=name)
    if value is None or value != value:
        return tag("td", "–", "rk-n rk-soft" if numeric else "rk-soft", data_name=name)
    if numeric:
        return tag("td", escape(_number(value)), "rk-n", data_name=name)
    return tag("td", tag("div", long_text(_words(value), 120)), data_name=name)


def _breakable(name: str) -> str:
    """Return a column's name that may go on in a second line after an underscore."""
    return escape(name).replace("_", "_<wbr>")


def _number(value: float) -> str:
    small = isinstance(value, float) and abs(value) < 1000
    return f"{value:,.3g}" if small else f"{value:,.0f}"


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None or value != value else str(value)


def _fact(value: Any) -> str:
    return tag("span", "–", "rk-soft") if value is None else long_text(_plain_fact(value), 200)


def _plain_fact(value: Any) -> str:
    if isinstance(value, Mapping):
        return " · ".join(f"{name}: {_plain_fact(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list | tuple | set | frozenset):
        return " · ".join(_plain_fact(one) for one in value) or "none"
    if isinstance(value, float):
        return f"{value:.7g}"
    return _words(value)
