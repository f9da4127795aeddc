"""Faults put into good drafts by named rules, so that what a checker lets by can be counted.

A fault takes a `Draft` (its sentences, labels and sources) and returns it with one thing wrong and
words that say what, or None where the rule does not apply. All chance comes from the caller's seed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ragkit.records import Document

NAMES: tuple[tuple[str, ...], ...] = (
    ("Starter", "Growth", "Scale", "Enterprise"),
    ("Meter", "Ledger", "Relay", "Collector"),
    ("eu-1", "us-1", "ap-1"),
    ("Frankfurt", "Stockholm", "Sydney", "Dublin", "Lisbon", "Ohio"),
    ("SAML", "SCIM", "OpenID Connect"),
    ("SEPA", "ACH"),
    ("Python", "Go", "Java", "Ruby"),
    ("steward", "builder", "observer", "analyst"),
)
UNITS: tuple[tuple[str, ...], ...] = (
    ("second", "minute", "hour", "day", "week", "month", "year"),
    ("KB", "MB", "GB"),
    ("$", "€", "£"),
    ("per second", "per minute", "per hour"),
    ("per month", "per year", "per week"),
    ("a month", "a year", "a week"),
    ("business days", "weeks", "months"),
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_DATE = re.compile(
    rf"\b(?:(\d{{1,2}}) )?({'|'.join(_MONTHS)})(?: (\d{{1,2}}),?)?(?: (20\d\d))?\b"
    r"|\b(20\d\d)\b(?!-)"
)
_NUMBER = re.compile(r"(?<![\w.,:/_-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w/_]|[.:,-]\d)")
_DENIED = (
    (r"\b(is|are|was|were|do|does|may|must|can|has|have|will) not\b", r"\1"),
    (r"\b(is|are|do|does|was)n't\b", r"\1"),
    (r"\bcan ?not\b", "can"),
    (r"\b[Nn]o ((?:payment )?\w+ (?:is|are) )", r"A \1"),
    (r"\bno longer ", "still "),
    (r"\bnever\b", "always"),
)
_AFFIRMED = (
    (r"\b(is|are|was|were|must|may|can|has to|will)\b(?! not| no\b|n't)", r"\1 not"),
    (
        r"\b(cost|include|last|need|require|hold|allow|take|run|make|keep|provide)s\b",
        r"does not \1",
    ),
    (r"\b(apply|get|need|want|run|have)\b (?=\w)", r"do not \1 "),
)
_MODALS = (
    (r"\bmust not\b", "may"),
    (r"\bmust\b(?! not)", "may"),
    (r"\b(?:has|have) to\b", "can"),
    (r"\bis required\b", "is optional"),
    (r"\bmay\b(?! not| have been)", "must"),
    (r"\bcan\b(?! ?not)", "must"),
)
_LIST = re.compile(
    r"\b(\w[\w-]*(?: \w[\w-]*)?(?:, \w[\w-]*(?: [\w-]+)?)*),? (and|or) "
    r"(?!(?:not|so|then|all|a|an|the)\b)(\w[\w-]*)"
)
INVENTED = (
    "The limit can be doubled free of charge by writing to the desk.",
    "A dedicated account manager is assigned within two working days.",
    "The same rule has applied to trial workspaces since last spring.",
    "Customers in Canada receive this at half price.",
    "An exception is made for workspaces with more than 500 seats.",
    "The team plans to remove this restriction in the next release.",
    "It was introduced after a security review by an external auditor.",
    "Weekend requests are answered by a partner in Singapore.",
    "Unused amounts are carried over to the following quarter.",
    "Mobile apps for both phones show the same figures in real time.",
    "The setting is switched on by default for hospitals and schools.",
    "A printed copy can be ordered by post for a small fee.",
    "Partners with a gold badge skip this step entirely.",
    "The change was announced at the customer conference in Vienna.",
    "Old invoices are converted automatically during the night.",
    "An SMS is sent to every manager when this happens.",
)
LISTED = ("cheques", "gift cards", "fax", "telegram", "carrier pigeons", "vouchers", "barter")


@dataclass(frozen=True)
class Sentence:
    """One sentence of a draft, the label behind it (None: uncited) and the chunk it rests on."""

    text: str
    label: int | None
    source: str


@dataclass(frozen=True)
class Draft:
    """A draft with the documents shown for it, document n being label n."""

    sentences: tuple[Sentence, ...]
    documents: tuple[Document, ...]

    def text(self) -> str:
        """Return the draft as a reader sees it, each label before its full stop."""
        return " ".join(_cited(sentence) for sentence in self.sentences)

    def with_sentence(self, index: int, **changes: object) -> Draft:
        """Return the draft with one sentence changed."""
        sentences = list(self.sentences)
        sentences[index] = replace(sentences[index], **changes)  # type: ignore[arg-type]
        return replace(self, sentences=tuple(sentences))


Fault = Callable[[Draft, random.Random], tuple[Draft, str] | None]


def _cited(sentence: Sentence) -> str:
    if sentence.label is None:
        return sentence.text
    body = sentence.text.rstrip()
    stop = body[-1] if body[-1:] in ".!?" else ""
    return f"{body.removesuffix(stop)} [{sentence.label}]{stop or '.'}"


def fabricated_label(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Cite a document that was never shown."""
    index = rng.randrange(len(draft.sentences))
    label = len(draft.documents) + rng.randint(1, 4)
    return draft.with_sentence(index, label=label), f"[{label}] names no document"


def swapped_label(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Cite another shown document, one that says nothing of the kind."""
    index = rng.randrange(len(draft.sentences))
    sentence = draft.sentences[index]
    strangers = [
        number
        for number, document in enumerate(draft.documents, start=1)
        if number != sentence.label and not _tells(document, sentence.text)
    ]
    if not strangers:
        return None
    label = rng.choice(strangers)
    return draft.with_sentence(index, label=label), f"[{sentence.label}] became [{label}]"


def changed_number(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Change a number that is no part of a date, a code or a name."""

    def change(text: str) -> list[tuple[str, str, str]]:
        dated = [match.span() for match in _DATE.finditer(text)]
        return [
            _swap(text, match, new)
            for match in _NUMBER.finditer(text)
            if not any(left <= match.start() < right for left, right in dated)
            for new in [_other_number(match[0], rng)]
        ]

    return _change(draft, rng, change)


def changed_date(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Change the day, month or year of a date."""

    def change(text: str) -> list[tuple[str, str, str]]:
        return [_swap(text, m, _other_date(m, rng)) for m in _DATE.finditer(text) if _is_date(m)]

    return _change(draft, rng, change)


def changed_unit(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Change days to hours, dollars to euros, per month to per year."""

    def change(text: str) -> list[tuple[str, str, str]]:
        found = []
        for family in UNITS:
            for unit in family:
                for match in _unit_pattern(unit).finditer(text):
                    others = [other for other in family if other != unit]
                    plural = "s" if match[0].endswith("s") and not unit.endswith("s") else ""
                    found.append(_swap(text, match, rng.choice(others) + plural))
        return found

    return _change(draft, rng, change)


def changed_name(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Put another plan, product, zone, place or code in the place of the right one."""

    def change(text: str) -> list[tuple[str, str, str]]:
        found = []
        for family in NAMES:
            present = [name for name in family if re.search(rf"\b{re.escape(name)}\b", text)]
            for name in present:
                others = [other for other in family if other not in present]
                match = re.search(rf"\b{re.escape(name)}\b", text)
                if match and others:
                    found.append(_swap(text, match, rng.choice(others)))
        for match in re.finditer(r"\bERROR_(\d{3})\b", text):
            found.append(_swap(text, match, f"ERROR_{int(match[1]) + rng.choice((1, 2, 10))}"))
        return found

    return _change(draft, rng, change)


def dropped_negation(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Take a "not" away."""
    return _change(draft, rng, lambda text: _by_patterns(text, _DENIED))


def added_negation(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Put a "not" where there is none."""
    return _change(draft, rng, lambda text: _by_patterns(text, _AFFIRMED)[:1])


def changed_modality(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Say "may" for "must", or "must" for "may"."""
    return _change(draft, rng, lambda text: _by_patterns(text, _MODALS))


def invented_sentence(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Add a sentence that no document holds, under a label that exists."""
    text = rng.choice(INVENTED)
    label = rng.choice([s.label for s in draft.sentences if s.label])
    added = Sentence(text, label, "")
    return replace(draft, sentences=(*draft.sentences, added)), f"added “{text}”"


def uncited_sentence(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Leave the label of one sentence out."""
    index = rng.randrange(len(draft.sentences))
    label = draft.sentences[index].label
    return draft.with_sentence(index, label=None), f"[{label}] was left out"


def merged_claims(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Join two sentences of two documents under the label of the first."""
    for index in range(len(draft.sentences) - 1):
        first, second = draft.sentences[index : index + 2]
        if first.label == second.label or first.label is None:
            continue
        if _tells(draft.documents[first.label - 1], second.text):
            continue
        opening = second.text
        if _is_common(opening):
            opening = opening[0].lower() + opening[1:]
        joined = replace(first, text=f"{first.text.rstrip('.')}, and {opening}")
        rest = (*draft.sentences[:index], joined, *draft.sentences[index + 2 :])
        return replace(draft, sentences=rest), f"[{second.label}] was merged into [{first.label}]"
    return None


def half_true_list(draft: Draft, rng: random.Random) -> tuple[Draft, str] | None:
    """Add an item of its own to a list that is right otherwise."""

    def change(text: str) -> list[tuple[str, str, str]]:
        found = []
        for match in _LIST.finditer(text):
            if "," in match[1] or (match[3][0].isupper() and match[1][:1].isupper()):
                extra = _extra_item(match, text, rng)
                if extra:
                    new = f"{match[1]}, {match[3]} {match[2]} {extra}"
                    found.append(_swap(text, match, new))
        return found

    return _change(draft, rng, change)


FAULTS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        fabricated_label, swapped_label, changed_number, changed_date, changed_unit, changed_name,
        dropped_negation, added_negation, changed_modality, invented_sentence, uncited_sentence,
        merged_claims, half_true_list,
    )
}  # fmt: skip


def _change(
    draft: Draft, rng: random.Random, change: Callable[[str], list[tuple[str, str, str]]]
) -> tuple[Draft, str] | None:
    """Apply one of the changes that a rule offers for any sentence, if it makes the text wrong."""
    options = []
    for index, sentence in enumerate(draft.sentences):
        for new, was, became in change(sentence.text):
            if new != sentence.text and not _still_said(draft, sentence, new):
                options.append((index, new, f"“{was}” became “{became}”"))
    if not options:
        return None
    index, text, said = rng.choice(options)
    return draft.with_sentence(index, text=text), said


def _still_said(draft: Draft, sentence: Sentence, text: str) -> bool:
    """Tell whether the cited page says just that as well: then it would be no fault."""
    content = draft.documents[sentence.label - 1]["content"] if sentence.label else ""
    return text.rstrip(".") in content


def _swap(text: str, match: re.Match[str], new: str) -> tuple[str, str, str]:
    return text[: match.start()] + new + text[match.end() :], match[0], new


def _by_patterns(text: str, patterns: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    found = []
    for pattern, new in patterns:
        for match in re.finditer(pattern, text):
            found.append(_swap(text, match, match.expand(new)))
    return found


def _other_number(digits: str, rng: random.Random) -> str:
    value = float(digits.replace(",", ""))
    whole = "." not in digits
    choices = [
        value * 2,
        value + 1,
        value * 10,
        value + 5,
        value * 1.5,
        max(value - 1, 0),
        value * 3,
    ]
    for other in rng.sample(choices, len(choices)):
        if other != value and (not whole or other == int(other)) and other > 0:
            return f"{int(other):,}" if whole else f"{other:.{len(digits.split('.')[1])}f}"
    return f"{int(value) + 1:,}"


def _is_date(match: re.Match[str]) -> bool:
    return bool(match[5] or match[1] or match[3] or match[4])


def _other_date(match: re.Match[str], rng: random.Random) -> str:
    text = match[0]
    parts = [group for group in (match[1] or match[3], match[2], match[4] or match[5]) if group]
    part = rng.choice(parts)
    if part in _MONTHS:
        return text.replace(part, rng.choice([month for month in _MONTHS if month != part]))
    if len(part) == 4:
        return text.replace(part, str(int(part) + rng.choice((-2, -1, 1))))
    day = rng.choice([d for d in range(1, 29) if d != int(part)])
    return re.sub(rf"\b{part}\b", str(day), text, count=1)


def _unit_pattern(unit: str) -> re.Pattern[str]:
    if unit in "$€£":
        return re.compile(re.escape(unit) + r"(?=\d)")
    if unit[0].isupper() or " " in unit:
        return re.compile(rf"(?<=\d ){unit}\b" if unit[0].isupper() else rf"\b{unit}\b")
    return re.compile(rf"(?<=\d ){unit}s?\b")


def _extra_item(match: re.Match[str], text: str, rng: random.Random) -> str | None:
    for family in NAMES:
        if match[3] in family:
            others = [name for name in family if not re.search(rf"\b{name}\b", text)]
            return rng.choice(others) if others else None
    return rng.choice(LISTED) if match[3].islower() else None


def _is_common(sentence: str) -> bool:
    return sentence.split()[0].lower() in ("a", "an", "the", "it", "they", "each", "every", "no")


def _tells(document: Document, text: str) -> bool:
    """Tell whether a document may hold a statement: most of its words and all its numbers."""
    content = document["content"].lower()
    words = set(re.findall(r"[a-z]{4,}", text.lower()))
    numbers = set(_NUMBER.findall(text))
    shared = sum(word in content for word in words)
    return shared >= 0.7 * len(words) and all(number in content for number in numbers)
