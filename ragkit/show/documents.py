"""Evidence as a reader can judge it: verdict, score, place, date, and the text itself.

Document text may come from anywhere; every piece of it is escaped, so a page that holds markup,
scripts or citation marks is shown as the text it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ragkit.show.page import Picture, bar, chip, emphasis, escape, folded, long_text, stack, tag

VERDICTS = {
    "kept": ("good", "✓"),
    "ambiguous": ("maybe", "≈"),
    "dropped": ("bad", "✕"),
    "superseded": ("muted", "↺"),
    "ungraded": ("muted", "·"),
}


def evidence(
    documents: Any,
    grades: Iterable[Any] = (),
    *,
    thresholds: tuple[float, float] | None = None,
    verdicts: Mapping[str, str] | None = None,
    strips: Iterable[Mapping[str, Any]] = (),
    today: date | None = None,
    opened: bool = False,
    title: str = "",
) -> Picture:
    """Show documents with what was decided about each. A Run brings all of it along.

    Args:
        documents: documents in the order of their labels, or a Run.
        grades: Grade records or their dicts, joined by `document_id`.
        thresholds: (fail, pass); a score at or above pass is kept, below fail dropped.
        verdicts: document id -> kept, ambiguous, dropped or superseded, where decided elsewhere.
        strips: `{"document_id", "content", "kept", "score"}`, shown inside their document.
        opened: show the texts unfolded.
    """
    labels = None
    if hasattr(documents, "state"):
        labels = {d["id"]: label for label, d in enumerate(documents.documents, 1)}
        documents, grades, verdicts, strips = _of_run(documents, grades, verdicts, strips)
    shown = list(documents)
    labels = {d["id"]: n for n, d in enumerate(shown, 1)} if labels is None else labels
    look = _Look(labels, thresholds, today, opened)
    graded = {record["document_id"]: record for record in map(_plain, grades)}
    cards, lines = [], []
    for document in shown:
        name, grade = document["id"], graded.get(document["id"])
        verdict = (verdicts or {}).get(name) or verdict_of(grade, thresholds)
        if verdict not in VERDICTS:
            raise ValueError(f"no verdict called {verdict!r}; there are {', '.join(VERDICTS)}")
        inside = [strip for strip in strips if strip["document_id"] == name]
        cards.append(_card(document, grade, verdict, inside, look))
        lines.append(f"{look.mark(name)}{verdict}: {_title(document)} ({name})")
    head = tag("div", escape(title), "rk-title") if title else ""
    body = stack(cards) if cards else tag("div", "No documents.", "rk-note rk-muted")
    return Picture(head + body, "\n".join(lines) or "No documents.")


@dataclass(frozen=True)
class _Look:
    """How documents are shown: their labels in the answer, thresholds, the day, folded or not."""

    labels: Mapping[str, int]
    thresholds: tuple[float, float] | None
    today: date | None
    opened: bool

    def mark(self, name: str) -> str:
        return f"[{self.labels[name]}] " if name in self.labels else ""


def _of_run(
    run: Any, grades: Any, verdicts: Mapping[str, str] | None, strips: Any
) -> tuple[list[Any], Any, Mapping[str, str], Any]:
    """Return what a Run's state holds, each document once; what the caller gives goes first."""
    state = run.state
    found: dict[str, Any] = {}
    inside = {strip["id"] for strip in state.get("strips", ()) if "id" in strip}
    for key in ("retrieved_documents", "documents", "candidates", "evidence"):
        found |= {d["id"]: d for d in state.get(key, ()) if d["id"] not in {*found, *inside}}
    decided = dict.fromkeys(state.get("superseded", ()), "superseded")
    decided = {**state.get("verdicts", {}), **decided, **(verdicts or {})}
    return (
        list(found.values()), grades or state.get("grades", ()), decided,
        strips or state.get("strips", ()),
    )  # fmt: skip


def sources(documents: Any, today: date | None = None) -> Picture:
    """List what an answer's labels `[n]` stand for, with place, date and age; takes a Run too."""
    listed = getattr(documents, "documents", documents)
    rows, lines = [], []
    for label, document in enumerate(listed, 1):
        head = tag("span", f"[{label}]", "rk-label") + _heading(document)
        rows.append(tag("div", head + _place(document, today), "rk-line rk-source"))
        lines.append(f"[{label}] {_title(document)} – {_where(document)}")
    return Picture(stack(rows, "rk-stack rk-tight"), "\n".join(lines) or "No sources.")


def verdict_of(grade: Any, thresholds: tuple[float, float] | None = None) -> str:
    """Return kept, ambiguous, dropped or ungraded from a grade and the two thresholds."""
    if grade is None:
        return "ungraded"
    record = _plain(grade)
    if thresholds is None or record.get("outcome", "ok") != "ok":
        return "kept" if record["binary_score"] == "yes" else "dropped"
    fail, passing = thresholds
    score = record["score"]
    return "kept" if score >= passing else "dropped" if score < fail else "ambiguous"


def age(effective: str | None, today: date | None = None) -> str:
    """Return a date with how long ago it was; what is not an ISO date is called undated."""
    try:
        then = date.fromisoformat(str(effective)[:10])
    except ValueError:
        return "undated"
    days = ((today or date.today()) - then).days
    if days < 0:
        return f"{then}, in {-days} days"
    if days < 60:
        return f"{then}, {days} days old"
    months = round(days / 30.44)
    return f"{then}, " + (
        f"{months} months old" if months < 24 else f"{days / 365.25:.1f} years old"
    )


def _plain(record: Any) -> dict[str, Any]:
    return record.model_dump() if hasattr(record, "model_dump") else dict(record)


def _card(
    document: Mapping[str, Any], grade: Mapping[str, Any] | None, verdict: str,
    strips: Sequence[Mapping[str, Any]], look: _Look,
) -> str:  # fmt: skip
    tone, icon = VERDICTS[verdict]
    words = [tag("span", look.mark(document["id"]), "rk-label"), chip(tone, verdict, icon)]
    if _metadata(document).get("kind") == "web":
        words.append(chip("web", "web"))
    words.append(_heading(document))
    if grade:
        words.append(tag("span", _score(grade, tone, look.thresholds), "rk-push"))
    parts = [tag("div", "".join(words), "rk-line"), _place(document, look.today)]
    if grade and grade.get("outcome", "ok") != "ok":
        parts.append(tag("div", chip("bad", f"grade {grade['outcome']}"), "rk-line"))
    if grade and grade.get("explanation"):
        parts.append(tag("div", escape(grade["explanation"]), "rk-why"))
    parts.append(_strips(strips, look) if strips else _text(document, look.opened))
    return tag("div", "".join(parts), f"rk-card rk-edge rk-{tone}")


def _score(grade: Mapping[str, Any], tone: str, thresholds: tuple[float, float] | None) -> str:
    """Return the score as a bar with a tick at each threshold."""
    score = grade.get("score", grade.get("confidence"))
    drawn = bar(score, tone, f"{score:.2f}")
    ticks = "".join(
        tag("span", "", "rk-tick", style=f"left:{at:.1%}", title=f"{name} {at:g}")
        for name, at in zip(("fail", "pass"), thresholds or (), strict=False)
    )
    return drawn.replace("</span></span>", f"</span>{ticks}</span>", 1)


def _text(document: Mapping[str, Any], opened: bool) -> str:
    path = _metadata(document).get("heading_path")  # the card's head says it already
    content = str(document.get("content", "")).removeprefix(f"# {path}\n").lstrip()
    if not opened:
        return long_text(content, 180)
    return tag("div", escape(content), "rk-text rk-whole")


def _strips(strips: Sequence[Mapping[str, Any]], look: _Look) -> str:
    kept = sum(bool(strip["kept"]) for strip in strips)
    rows = []
    for strip in strips:
        tone, word = ("good", "kept") if strip["kept"] else ("bad", "dropped")
        score = "" if strip.get("score") is None else f" {strip['score']:.2f}"
        mark = look.mark(strip.get("id", "")) + f"{word}{score}"
        kind = "rk-text" if strip["kept"] else "rk-text rk-gone"
        text = tag("span", emphasis(_below_heading(strip["content"])), kind)
        rows.append(tag("div", tag("div", chip(tone, mark)) + text, f"rk-strip rk-{tone}"))
    summary = f"{kept} of {len(strips)} strips kept"
    return folded(escape(summary), stack(rows, "rk-stack rk-tight"), opened=True)


def _below_heading(text: str) -> str:
    """The text without its first line, where that is the heading path."""
    head, _, rest = text.partition("\n")
    return rest.strip() if head.startswith("# ") and rest.strip() else text


def _metadata(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return document.get("metadata") or {}


def _title(document: Mapping[str, Any]) -> str:
    metadata = _metadata(document)
    return str(metadata.get("title") or metadata.get("source") or document["id"])


def _where(document: Mapping[str, Any]) -> str:
    metadata = _metadata(document)
    return str(metadata.get("url") or metadata.get("source") or document["id"])


def _heading(document: Mapping[str, Any]) -> str:
    title = _title(document)
    path = str(_metadata(document).get("heading_path") or "")
    path = "" if path == title else path.removeprefix(f"{title} > ")
    below = tag("span", escape(path), "rk-soft") if path else ""
    return tag("span", escape(title), "rk-title") + below


def _place(document: Mapping[str, Any], today: date | None) -> str:
    metadata = _metadata(document)
    words = [_where(document), age(metadata.get("effective_date"), today)]
    words += [f"version {metadata['version']}"] if metadata.get("version") else []
    words += [f"for {metadata['audience']}"] if metadata.get("audience") else []
    return tag("div", escape(" · ".join(words)), "rk-soft rk-small")
