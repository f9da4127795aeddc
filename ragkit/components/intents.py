"""What a question asks for, by rules: its intent class, its action, and what it leaves open.

Rewrites are anchored to the first two (audited-rollback article, section 3); the third sends a
question back to its asker.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragkit.components.text import content_words, entities, stem

_INTENTS = (
    ("amount", r"how (much|many)|what(?:'s| is| does| do)? .{0,40}\b(cost|price|fee|limit)\b"),
    ("time", r"when|how (long|soon|often|old|fast|quickly)|until what|by what (date|time)"),
    ("procedure", r"how (do|can|could|should|would|to)\b|what (are the )?steps|set up|configure"),
    ("reason", r"why|what causes|how come"),
    ("person", r"who(m|se)?\b"),
    ("place", r"where"),
    ("definition", r"what (is|are|does .{0,40} mean)\b|define|meaning of"),
    ("yes-no", r"(is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have)\b"),
)
_ACTIONS = (
    ("enable", "disable"), ("activate", "deactivate"), ("add", "remove"), ("create", "delete"),
    ("increase", "decrease"), ("raise", "lower"), ("upgrade", "downgrade"), ("import", "export"),
    ("start", "stop"), ("open", "close"), ("install", "uninstall"), ("allow", "forbid"),
    ("grant", "revoke"), ("lock", "unlock"), ("renew", "cancel"), ("before", "after"),
    ("minimum", "maximum"), ("with", "without"),
)  # fmt: skip
# words that name nothing that could be searched
_GENERIC = frozenset(
    stem(word)
    for word in [
        "setting",
        "option",
        "thing",
        "stuff",
        "page",
        "document",
        "file",
        "screen",
        "button",
        "link",
        "number",
        "value",
        "item",
        "part",
        "section",
        "table",
        "list",
        "point",
        "step",
        "problem",
        "issue",
        "error",
        "message",
        "warning",
        "change",
        "update",
        "fix",
        "way",
        "feature",
        "tool",
        "report",
        "ticket",
        "answer",
        "question",
        "request",
        "version",
        "rule",
        "case",
        "topic",
        "subject",
        "idea",
        "kind",
        "type",
        "sort",
        "example",
        "place",
        "name",
        "config",
        "configuration",
        "parameter",
        "use",
        "do",
        "make",
        "change",
        "set",
        "turn",
        "switch",
        "undo",
        "redo",
        "apply",
        "move",
        "send",
        "show",
        "find",
        "fix",
        "solve",
        "work",
        "explain",
        "repeat",
        "tell",
        "talk",
        "say",
        "said",
        "told",
        "mention",
        "discuss",
        "compare",
        "choose",
        "prefer",
        "happen",
        "try",
        "help",
        "start",
        "stop",
        "keep",
        "look",
        "see",
        "mean",
        "know",
        "remember",
        "run",
        "open",
        "close",
        "finish",
        "cheap",
        "cheaper",
        "expensive",
        "good",
        "better",
        "best",
        "bad",
        "worse",
        "fast",
        "faster",
        "slow",
        "slower",
        "new",
        "old",
        "first",
        "second",
        "third",
        "last",
        "next",
        "previous",
        "earlier",
        "later",
        "recent",
        "recently",
        "same",
        "similar",
        "different",
        "usual",
        "normal",
        "right",
        "wrong",
        "broken",
        "big",
        "bigger",
        "small",
        "smaller",
        "other",
        "else",
        "again",
        "still",
        "back",
        "today",
        "yesterday",
        "tomorrow",
        "now",
        "before",
        "after",
        "ago",
        "day",
        "week",
        "month",
        "year",
        "morning",
        "time",
        "call",
        "meeting",
        "conversation",
        "chat",
        "email",
        "mail",
    ]
)
_POINTING = re.compile(
    r"\b(that|this|those|these|it|they|them|its|their"
    r"|the (other|second|first|third|same|usual|previous|last|new|old|thing|one)"
    r"|(mentioned|talked about|spoke about|discussed|told|said|showed|sent))\b",
    re.IGNORECASE,
)

_CONVERSATION = re.compile(
    r"\b(that|this|those|these)\b[^.?!]{0,60}\b(mentioned|discussed|talked about|spoke about"
    r"|(from|of) (last|the other|yesterday)|(you|we|i|they) (said|told|sent|showed|meant))\b",
    re.IGNORECASE,
)


def intent(question: str) -> str:
    """Return the intent class of a question; "" when nothing in it tells."""
    text = " ".join(question.casefold().replace("’", "'").split())
    return next((name for name, shape in _INTENTS if re.search(rf"\b({shape})", text)), "")


def changed_action(question: str, candidate: str) -> str:
    """Return how a candidate turns the asked action round, e.g. "enable -> disable"; "" if not."""
    asked, said = set(_words(question)), set(_words(candidate))
    for pair in _ACTIONS:
        for one, other in (pair, pair[::-1]):
            if one in asked and other not in asked and other in said and one not in said:
                return f"{one} -> {other}"
    return ""


def open_reference(question: str, history: Sequence[dict[str, str]] = ()) -> str:
    """Return what to ask back when a question points at something nobody named; "" otherwise.

    A question with a history, with a name or code, or with any word that could be searched is
    never vague, unless it points back at a conversation nobody has ("that X mentioned last week").
    """
    if history or not question.strip() or entities(question) or not _POINTING.search(question):
        return ""
    if not _CONVERSATION.search(question) and any(
        stem(word) not in _GENERIC for word in content_words(question)
    ):
        return ""
    return (
        "Which one do you mean? Please name the product, the page, the setting or the error code."
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.casefold())
