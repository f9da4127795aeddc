"""Light rewordings that keep the meaning, made by rules: clean drafts are not copies of a page.

Each rule takes a sentence and returns it reworded, or unchanged where it does not apply.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

SYNONYMS: tuple[tuple[str, str], ...] = (
    (r"\bmust have at least\b", "need at least"),
    (r"\bat least (?=\d)", "no fewer than "),
    (r"\bat most (?=\d)", "no more than "),
    (r"\bup to (?=\d)", "as many as "),
    (r"\badditional\b", "extra"),
    (r"\bare carried out\b", "take place"),
    (r"\bis carried out\b", "takes place"),
    (r"\bare kept\b", "are stored"),
    (r"\bis kept\b", "is stored"),
    (r"\bimmediately\b", "at once"),
    (r"\bneeds\b", "requires"),
    (r"\blargest\b", "biggest"),
    (r"\brefused\b", "rejected"),
    (r"\bEvery\b", "Each"),
    (r"\bbegins\b", "starts"),
    (r"\bgives\b", "provides"),
    (r"\bchoose\b", "pick"),
    (r"\bask for\b", "request"),
    (r"\bmakes (?=up to|\d)", "performs "),
    (r"\btogether\b", "jointly"),
    (r"\banybody\b", "anyone"),
    (r"\beverybody\b", "everyone"),
)
FIGURES: tuple[tuple[str, str], ...] = (
    (r"(?<![\d.,])(\$)(\d[\d,.]*\d|\d)(?! ?(?:million|billion))", r"\2 dollars"),
    (r"(?<![\d.,])(\$)(\d[\d,.]*\d|\d)(?! ?(?:million|billion))", r"USD \2"),
    (r"€(\d[\d,.]*\d|\d)", r"\1 euro"),
    (r"(\d) %", r"\1%"),
    (r"(\d) %", r"\1 percent"),
    (r"\bper month\b", "a month"),
    (r"\bper second\b", "each second"),
    (r"\bper year\b", "a year"),
    (r"(?<![\w.,:$€-])2(?= [a-z])", "two"),
    (r"(?<![\w.,:$€-])3(?= [a-z])", "three"),
    (r"(?<![\w.,:$€-])5(?= [a-z])", "five"),
    (r"(?<![\w.,:$€-])10(?= [a-z])", "ten"),
    (r"(?<![\w.,:$€-])12(?= [a-z])", "twelve"),
)
MODALS: tuple[tuple[str, str], ...] = (
    (r"\bmust be\b", "have to be"),
    (r"\bmust have\b", "have to have"),
    (r"\bmay be\b", "can be"),
    (r"\bmay have\b", "can have"),
    (r"\bmay run\b", "can run"),
    (r"\bmay hold\b", "can hold"),
    (r"\bcannot\b", "can not"),
    (r"\bis not\b", "isn't"),
    (r"\bare not\b", "aren't"),
    (r"\bdo not\b", "don't"),
    (r"\bdoes not\b", "doesn't"),
)
_TAIL = re.compile(
    r"^(?P<main>[A-Z][^,;:()]{12,}?) (?P<tail>on (?:the )?[A-Z]\w+(?: and [A-Z]\w+)?)\.$"
)
_ASIDE = re.compile(r" \([^()]{3,60}\)")
_SECOND_HALF = re.compile(r"^(?P<main>[^;]{25,}?);\s[^;]+\.$")
_RESULT = re.compile(r"^(?P<main>.{25,}?),\s(?:so|which|with)\s[^,;]{8,}\.$")
_OPENINGS = ("According to the documentation, ", "In short, ", "Note that ", "As documented, ")

Rule = Callable[[str, random.Random], str]


def reworded(sentence: str, rng: random.Random, strength: int = 2) -> str:
    """Reword a sentence by up to `strength` rules that apply, in a random order."""
    rules: list[Rule] = [_synonym, _figure, _modal, _front, _drop_aside, _drop_half, _open]
    rng.shuffle(rules)
    changed = 0
    for rule in rules:
        before, sentence = sentence, rule(sentence, rng)
        changed += sentence != before
        if changed >= strength:
            break
    return sentence


def _apply(sentence: str, table: Sequence[tuple[str, str]], rng: random.Random) -> str:
    fitting = [(pattern, new) for pattern, new in table if re.search(pattern, sentence)]
    if not fitting:
        return sentence
    pattern, new = rng.choice(fitting)
    return re.sub(pattern, new, sentence)


def _synonym(sentence: str, rng: random.Random) -> str:
    return _apply(sentence, SYNONYMS, rng)


def _figure(sentence: str, rng: random.Random) -> str:
    return _apply(sentence, FIGURES, rng)


def _modal(sentence: str, rng: random.Random) -> str:
    return _apply(sentence, MODALS, rng)


def _front(sentence: str, rng: random.Random) -> str:
    """Put "on Growth" first: "On Growth a temporary raise costs $80.\""""
    match = _TAIL.match(sentence)
    if not match or " and " in match["main"]:
        return sentence
    first = match["main"].split()[0]
    main = match["main"] if first.isupper() else match["main"][0].lower() + match["main"][1:]
    return f"{match['tail'][0].upper()}{match['tail'][1:]}, {main}."


def _drop_aside(sentence: str, rng: random.Random) -> str:
    return _ASIDE.sub("", sentence, count=1)


def _drop_half(sentence: str, rng: random.Random) -> str:
    match = _SECOND_HALF.match(sentence) or _RESULT.match(sentence)
    return f"{match['main']}." if match else sentence


def _open(sentence: str, rng: random.Random) -> str:
    first = sentence.split(maxsplit=1)[0] if sentence.strip() else ""
    common = first.lower() in ("a", "an", "the", "it", "they", "each", "every", "no", "you")
    if not common:
        return sentence
    return rng.choice(_OPENINGS) + sentence[0].lower() + sentence[1:]
