"""How a value changed, said so that a reader sees it: lists by what came and went, texts folded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragkit.show.answers import STATUSES
from ragkit.show.page import chip, emphasis, escape, folded, long_text, short_id, stack, tag

BADGES = {
    "verified": ("good", "✓"),
    "direct": ("path", "→"),
    "best_effort": ("maybe", "≈"),
    "abstained": ("muted", "–"),
    "needs_review": ("web", "!"),
}


def badge(tag_name: str) -> str:
    """Return a run's tag as a chip with its own colour and icon."""
    tone, icon = BADGES.get(tag_name, ("muted", "?"))
    return chip(tone, tag_name.replace("_", " ") or "untagged", icon)


def change_row(key: str, before: Any, after: Any) -> str:
    """Return one key of a state with what became of it."""
    name = tag("span", escape(key), "rk-key rk-mono")
    return tag("div", name + tag("div", difference(before, after), "rk-value"), "rk-change")


def difference(before: Any, after: Any) -> str:
    """Return what became of a value, as HTML; `before` is None for a new one."""
    if after is None:
        return tag("span", "gone", "rk-soft")
    if isinstance(after, list):
        return _list_difference(before if isinstance(before, list) else [], after)
    if isinstance(after, bool | int | float):
        old = "" if before is None else tag("s", escape(before), "rk-soft") + " → "
        return old + tag("b", escape(after))
    text = plain(after)
    if text == "":
        return tag("span", "empty" if not before else "emptied", "rk-soft")
    if before in (None, "", {}):
        return long_text(text)
    return tag("div", tag("s", long_text(plain(before), 90), "rk-soft")) + tag(
        "div", long_text(text, lead="→ ")
    )


def _list_difference(before: list[Any], after: list[Any]) -> str:
    if not after:
        return tag("span", f"cleared ({len(before)} before)" if before else "empty", "rk-soft")
    if all(isinstance(item, Mapping) and "binary_score" in item for item in after):
        return stack((_grade(item) for item in after), "rk-line")
    if all(isinstance(item, Mapping) and "id" in item for item in after):
        return _documents(before, after)
    if all(isinstance(item, Mapping) and "support_status" in item for item in after):
        return stack((_claim(item) for item in after), "")
    if before == after[: len(before)]:
        kept = tag("span", f"{len(before)} as before, and ", "rk-soft") if before else ""
        return kept + stack((tag("div", _item(item, "+ ")) for item in after[len(before) :]), "")
    return stack((tag("div", _item(item)) for item in after), "")


def _item(item: Any, lead: str = "") -> str:
    return long_text(plain(item), 140, lead)


def _claim(support: Mapping[str, Any]) -> str:
    """Return a claim's verdict in one line; its evidence and reasons open below it."""
    status = str(support["support_status"])
    label = support.get("citation_id")
    words = str(support.get("claim", "")) + ("" if label is None else f" [{label}]")
    line = chip(*_chip(status)) + " " + emphasis(words)
    rest = {k: v for k, v in support.items() if k not in ("claim", "support_status", "citation_id")}
    return folded(line, tag("div", emphasis(plain(rest, "\n")), "rk-text rk-soft"))


def _chip(status: str) -> tuple[str, str, str]:
    tone, icon = STATUSES.get(status, ("muted", "?"))
    return tone, status, icon


def _grade(grade: Mapping[str, Any]) -> str:
    yes = grade["binary_score"] == "yes"
    score = grade.get("score", grade.get("confidence"))
    name = str(grade.get("document_id", "?"))
    words = short_id(name) + ("" if score is None else f" {score:.2f}")
    if grade.get("outcome", "ok") != "ok":
        words += f" {grade['outcome']}"
    return chip("good" if yes else "bad", words, title=f"{name} {grade.get('explanation', '')}")


def _documents(before: list[Any], after: list[Any]) -> str:
    had = {item.get("id") for item in before if isinstance(item, Mapping)}
    has = {item["id"] for item in after}
    plus = "+" if before else ""
    new = [_document(item["id"], "path", plus) for item in after if item["id"] not in had]
    gone = [_document(name, "bad", "−") for name in sorted(had - has, key=str)]
    kept = len(has & had)
    words = tag("span", f"{kept} stay", "rk-soft rk-small") if kept else ""
    chips = [*new, *gone]
    if len(chips) > 8:
        rest = folded(f"{len(chips) - 8} more", stack(chips[8:], "rk-line"))
        chips = [*chips[:8], rest]
    return stack([words, *chips], "rk-line")


def _document(name: Any, tone: str, icon: str) -> str:
    return chip(tone, short_id(name), icon, title=str(name))


def plain(value: Any, between: str = "; ") -> str:
    """Return a value as words, a record as its filled fields; "" for an empty one."""
    if isinstance(value, Mapping):
        filled = {key: plain(item, ", ") for key, item in value.items()}
        return between.join(f"{key}: {words}" for key, words in filled.items() if words)
    if isinstance(value, list | tuple | set):
        return ", ".join(filter(None, map(plain, value)))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
