"""What a search found, as a reader judges it: place, score, text, and where the answer stands.

Which chunks hold the answer is told by gold, so these pictures are for questions with gold only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ragkit.show.page import Picture, bar, chip, escape, folded, long_text, short_id, stack, tag

_HOLDS = "holds the answer"


def hits(found: Iterable[Any], gold: Collection[str] | None = None, title: str = "") -> Picture:
    """Show documents, or (document, score) pairs, best first; ids in `gold` hold the answer.

    Bars are relative to the best score, since scores of two strategies cannot be compared. Without
    `gold`, nothing is said about answers; an empty one says that no document has any.
    """
    rows = [item if isinstance(item, tuple) else (item, None) for item in found]
    best = max((score for _, score in rows if score is not None), default=0.0)
    cards, lines = [], []
    for rank, (document, score) in enumerate(rows, start=1):
        right = document["id"] in (gold or ())
        cards.append(_card(rank, document, score, best, right))
        number = "" if score is None else f"{score:.3f} "
        lines.append(f"{rank}. {number}{document['id']}" + f" ({_HOLDS})" * right)
    if verdict := _verdict({document["id"] for document, _ in rows}, gold):
        lines.append(verdict)
        cards.append(tag("div", escape(verdict), "rk-note rk-bad"))
    head = tag("div", escape(title), "rk-title") if title else ""
    return Picture(stack([head, *cards]), "\n".join(lines))


def _verdict(found: Collection[str], gold: Collection[str] | None) -> str:
    if not found:
        return "Nothing was found."
    if gold is None or set(gold) & set(found):
        return ""
    return "None of these holds the answer" + (", and no page does." if not gold else ".")


def rankings(columns: Mapping[str, Sequence[Mapping[str, Any]]], gold: Collection[str]) -> Picture:
    """Show several rankings of documents side by side, those whose id is in `gold` marked."""
    boxes, lines = [], []
    for name, documents in columns.items():
        rows = [_row(rank, item, item["id"] in gold) for rank, item in enumerate(documents, 1)]
        head = tag("div", escape(name), "rk-title")
        box = tag("div", head + "".join(rows), "rk-stack rk-tight", style="flex:1 1 190px")
        boxes.append(box)
        places = [str(n) for n, item in enumerate(documents, 1) if item["id"] in gold]
        lines.append(f"{name}: {_HOLDS} at {', '.join(places) or 'none'} of {len(documents)}")
    return Picture(tag("div", "".join(boxes), "rk-row"), "\n".join(lines))


def labelled(documents: Iterable[Mapping[str, Any]], gold: Collection[str]) -> Picture:
    """List an answer's evidence by its labels, a line each, the text behind it; see `hits`."""
    rows, lines = [], []
    for label, document in enumerate(documents, start=1):
        right = document["id"] in gold
        metadata = document.get("metadata") or {}
        words = tag("span", f"[{label}] ", "rk-label") + (chip("good", _HOLDS) + " ") * right
        words += tag("span", escape(metadata.get("title") or document["id"]), "rk-title")
        words += tag("span", escape(f" {_where(document)}"), "rk-soft rk-small")
        text = tag("div", escape(_body(document)), "rk-text rk-whole")
        kind = f"rk-card rk-edge rk-{'good' if right else 'muted'}"
        rows.append(tag("div", folded(words, text), kind, style="padding:4px 12px"))
        lines.append(f"[{label}] {document['id']}" + f" ({_HOLDS})" * right)
    if verdict := _verdict({document["id"] for document in documents}, gold):
        lines.append(verdict)
        rows.append(tag("div", escape(verdict), "rk-note rk-bad"))
    return Picture(stack(rows, "rk-stack rk-tight"), "\n".join(lines))


def _card(
    rank: int, document: Mapping[str, Any], score: float | None, best: float, right: bool
) -> str:
    metadata = document.get("metadata") or {}
    drawn = "" if score is None else _score(score, best, right)
    words = [
        tag("span", f"{rank}.", "rk-label"),
        tag("span", escape(metadata.get("title") or document["id"]), "rk-title"),
        chip("good", _HOLDS) if right else "",
        drawn,
    ]
    head = tag("div", "".join(words), "rk-line") + _place(document)
    tone = "good" if right else "muted"
    text = long_text(_body(document), 180)
    return tag("div", head + text, f"rk-card rk-edge rk-{tone}")


def _score(score: float, best: float, right: bool) -> str:
    share = score / best if best > 0 else 0.0
    return tag("span", bar(share, "good" if right else "path", f"{score:.3f}"), "rk-push")


def _row(rank: int, document: Mapping[str, Any], right: bool) -> str:
    metadata = document.get("metadata") or {}
    path = str(metadata.get("heading_path") or metadata.get("title") or document["id"])
    mark = chip("good", _HOLDS) if right else ""
    name = tag("span", escape(short_id(document["id"])), "rk-mono" + " rk-title" * right)
    ranked = tag("span", tag("span", f"{rank}. ", "rk-label") + name)  # stay on one line
    head = tag("div", ranked + mark, "rk-line")
    body = head + tag("div", escape(path), "rk-soft rk-small")
    return tag("div", body, f"rk-card rk-edge rk-{'good' if right else 'muted'}")


def _place(document: Mapping[str, Any]) -> str:
    return tag("div", escape(_where(document)), "rk-soft rk-small")


def _where(document: Mapping[str, Any]) -> str:
    metadata = document.get("metadata") or {}
    path = str(metadata.get("heading_path") or "")
    title = str(metadata.get("title") or "")
    words = [path.removeprefix(f"{title} > ") if path != title else "", short_id(document["id"])]
    words.append(str(metadata.get("effective_date") or "undated"))
    return " · ".join(word for word in words if word)


def _body(document: Mapping[str, Any]) -> str:
    """The text without its first line, which is the heading path."""
    head, _, rest = str(document["content"]).partition("\n\n")
    return rest.strip() if head.startswith("# ") and rest.strip() else head
