"""What a statement says beyond its words: negation, modality, names, numbers.

A `Statement` is parsed once and compared often: claims and the sentences of the evidence alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from ragkit.components.quantities import MONTHS, Quantity, is_code, quantities
from ragkit.components.text import STOP_WORDS, stem, word_set

Modality = Literal[
    "must", "may", "should", "must not", "may not", "should not", "cannot", "need not", ""
]  # fmt: skip

_TOKEN = re.compile(r"[/\w](?:[\w./:@{}+'’-]*[\w/}+])?")
_CLAUSE = re.compile(
    r"[;—()]|:(?=\s)|\s–\s|,\s+(?:and|but|or|so|while|whereas|not|which)\b|,\s"
    r"|\b(?:but|while|whereas|although|though|unless|except|because|if|when|until|without)\b",
    re.IGNORECASE,
)
_DENYING = re.compile(
    r"\b(?:no longer|not any ?more|yet to|fail(?:s|ed|ing)? to|incapable of|unable to"
    r"|refus(?:e|es|ed|ing) to|declin(?:e|es|ed|ing) to|anything but|other than|rather than"
    r"|instead of|far from|no one|zero|(?:false|untrue|incorrect|a myth) that)\b",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\A\s*except(?: for| on| in)?\b", re.IGNORECASE)
_NO_LIMIT = re.compile(
    r"\b(?:without (?:a )?limit|no limit|not only|no doubt"
    r"|(?:no|not) (?:more|less|fewer|later|longer|earlier|sooner) than)\b",
    re.IGNORECASE,
)
# a "no" that denies nothing
_IDIOM = re.compile(
    r"\b(?:all[ -]or[ -]nothing|whether or not|no matter|not least|none other|nothing but)\b",
    re.IGNORECASE,
)
NEGATORS = word_set(
    "not no never none neither nor cannot without nothing nobody nowhere hardly can't won't isn't "
    "aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't couldn't shouldn't wouldn't "
    "mustn't needn't mayn't ain't nicht kein keine keinen nie niemals"
)
_NEGATIVE_VERBS = word_set("lacks lack lacked lacking")
_MODALS: dict[str, str] = {
    **dict.fromkeys(("must", "shall"), "must"),
    **dict.fromkeys(("may", "might", "allowed", "optional", "permitted", "mayn't"), "may"),
    **dict.fromkeys(("can", "could", "cannot", "can't", "couldn't"), "can"),
    **dict.fromkeys(("should", "ought", "recommended", "advised", "shouldn't"), "should"),
    **dict.fromkeys(("mustn't",), "must"),
    **dict.fromkeys(("need", "needs", "needn't", "needed", "necessary", "required", "requires",
                     "require", "mandatory", "obliged", "compulsory", "obligatory"), "need"),
}  # fmt: skip
_NO_NAMES = STOP_WORDS | frozenset(MONTHS) | word_set("usd eur gbp kb mb gb tb")
_HAVE = word_set("has have had haven't hasn't hadn't")
_DENIED_MODAL: dict[str, Modality] = {
    "must": "must not",
    "may": "may not",
    "can": "cannot",
    "need": "need not",
    "should": "should not",
}
_MODAL: dict[str, Modality] = {
    "must": "must", "may": "may", "can": "may", "need": "must", "should": "should",
}  # fmt: skip
_NOBODY = word_set("no none nobody nothing nowhere neither never")
_BEFORE_MODAL = 3
_JOINTS = word_set("and or than that which who as but")
# the first word of a pair stands for both; a second word of `_POLAR` denies its clause like "not"
_POLAR = """accept refuse|accept reject|accept deny|accept decline|allow forbid|allow prohibit
allow disallow|allow ban|support unsupported|possible impossible|available unavailable|able unable
enable disable|enabled disabled|valid invalid|known unknown|likely unlikely|agree disagree
approve reject|capable incapable|visible hidden|required optional|mandatory optional|secure insecure
safe unsafe|common uncommon|stable unstable"""
_OPPOSITES = """include exclude|increase decrease|increase reduce|rise fall|raise lower
maximum minimum|most least|open close|start end|start stop|start finish|begin end|begin finish
before after|above below|always never|first last|win lose|keep lose|public private|more less
internal external|online offline|manual automatic|manually automatically|success failure
succeed fail|more fewer|same different|true false|early late|earlier later|old young|older younger
high low|higher lower|long short|longer shorter|large small|larger smaller|fast slow|faster slower
hot cold|male female|north south|east west|northern southern|eastern western|husband wife
father mother|son daughter|brother sister|king queen|born died|birth death|love hate|arrive depart
buy sell|married unmarried|positive negative|living dead|alive dead|ancient modern|major minor
majority minority|encrypted unencrypted|add remove|inside outside|indoor outdoor|upper lower
left right|friend enemy|like dislike|appear disappear|legal illegal|regular irregular
complete incomplete|successful unsuccessful|popular unpopular|direct indirect|few many
permanent temporary|permanently temporarily|often rarely|upload download|import export|grant revoke
lock unlock|inbound outbound|incoming outgoing|synchronous asynchronous|free paid"""


@dataclass(frozen=True)
class Token:
    """A word with the `stem` it is compared by, and what its clause says about it.

    `clause` counts from 0. In a negated clause the words from "not" on are `denied` and those
    before it its `subject`. `opposite` tells that the word is the opposite of its stem ("closed"
    is compared as "open").
    """

    text: str
    stem: str
    start: int
    clause: int
    denied: bool
    subject: bool
    opposite: bool
    modality: Modality
    content: bool


@dataclass(frozen=True)
class Statement:
    """A parsed statement.

    `names` are its capitalised words and codes, `initials` the capitalised words that begin a
    sentence or follow a colon and so may be none; both in lower case.
    """

    text: str
    tokens: tuple[Token, ...]
    quantities: tuple[Quantity, ...]
    names: tuple[str, ...]
    initials: tuple[str, ...]

    @property
    def stems(self) -> frozenset[str]:
        """The stems of all its words."""
        return frozenset(token.stem for token in self.tokens)


@lru_cache(maxsize=8192)
def parse_statement(text: str) -> Statement:
    """Parse one sentence, list item or table row. Any text is accepted."""
    tokens: list[Token] = []
    edges = [0, *(match.start() for match in _CLAUSE.finditer(text)), len(text)]
    for clause, (start, end) in enumerate(pairwise(edges)):
        denied = bool(tokens) and tokens[-1].clause == clause - 1 and tokens[-1].denied
        words = text[start:end]
        if not denied and tokens:  # what is excepted from a denial is asserted
            words = _EXCEPT.sub(lambda match: "not".ljust(len(match[0])), words)
        tokens += _clause_tokens(words, start, clause)
    names, initials = _names(text)
    return Statement(text, tuple(tokens), quantities(text), tuple(names), tuple(initials))


def _clause_tokens(said: str, start: int, number: int) -> Iterator[Token]:
    clause = _NO_LIMIT.sub(_without_first_word, said)
    clause = _DENYING.sub(lambda match: "not".ljust(len(match[0])), clause)
    found = [(match[0].replace("’", "'"), match.start()) for match in _TOKEN.finditer(clause)]
    lower = [word.lower() for word, _ in found]
    words = [canonical(word) for word in lower]
    idle = [match.span() for match in _IDIOM.finditer(clause)]
    denials = [
        index
        for index, (low, base, (_, position)) in enumerate(zip(lower, words, found, strict=True))
        if (low in NEGATORS or low in _NEGATIVE_VERBS or base.polar)
        and not any(left <= position < right for left, right in idle)
    ]
    # "neither one nor the other" and "not one nor the other" deny once
    denials = denials[:1] + [index for index in denials[1:] if lower[index] != "nor"]
    negated = len(denials) % 2 == 1
    first = _first_denied(lower, denials[0]) if negated else 0
    modal = _modalities(lower)
    telling = [not (low in STOP_WORDS or low in NEGATORS or low in _MODALS) for low in lower]
    if negated and not any(telling[first:]):
        telling = [low not in NEGATORS for low in lower]  # "calls that are not yours"
    for index, ((word, position), _, base) in enumerate(zip(found, lower, words, strict=True)):
        yield Token(
            text=said[position : position + len(word)],
            stem=base.stem,
            start=start + position,
            clause=number,
            denied=negated and index >= first,
            subject=negated and index < first,
            opposite=base.opposite,
            modality=modal[index],
            content=telling[index],
        )


def _first_denied(lower: Sequence[str], denial: int) -> int:
    """Return where the denied words begin: at the "not", or before one that ends its clause.

    In "browsers are content and Relay is not" the words since "and" are denied.
    """
    ends = denial + 1 == len(lower) and (lower[denial] == "not" or lower[denial].endswith("n't"))
    if not ends:
        return denial
    joints = [index for index in range(denial) if lower[index] in _JOINTS]
    return joints[-1] + 1 if joints else denial


def _without_first_word(match: re.Match[str]) -> str:
    first, space, rest = match[0].partition(" ")
    return " " * len(first) + space + rest


def _modalities(lower: Sequence[str]) -> list[Modality]:
    """Return what each word of a clause is obliged to: by the modal before it, or by the first.

    "No", "nobody" and the like deny the first modal wherever they stand; "not" only one close by,
    so that "who do not want it can leave" allows.
    """
    places = [index for index, word in enumerate(lower) if _modal(lower, index)]
    if not places:
        return [""] * len(lower)
    found: list[Modality] = []
    for number, (place, end) in enumerate(zip(places, [*places[1:], len(lower)], strict=True)):
        first = max(places[number - 1] + 1 if number else 0, place - _BEFORE_MODAL)
        near = sum(word in NEGATORS for word in lower[first : place + 2])
        far = sum(word in _NOBODY for word in lower[:first]) if number == 0 else 0
        kind = _modal(lower, place)
        denied = (near + far) % 2 == 1
        found += [(_DENIED_MODAL if denied else _MODAL)[kind]] * (end - (place if number else 0))
    return found


def _modal(lower: Sequence[str], index: int) -> str:
    """Return the kind of modal that stands at a place, "" for any other word."""
    if lower[index] in _HAVE and lower[index + 1 : index + 2] == ["to"]:
        return "need"
    return _MODALS.get(lower[index], "")


class Canonical(NamedTuple):
    """What a word is compared by: a stem, and whether it says the opposite of that stem."""

    stem: str
    opposite: bool = False
    polar: bool = False


@lru_cache(maxsize=65_536)
def canonical(word: str) -> Canonical:
    """Return what a word is compared by; a code stays as it is, in lower case."""
    word = word.lower()
    if is_code(word):
        return Canonical(word.rstrip(".:/"))
    base = stem(word.removesuffix("'s"))
    return _opposites().get(base, Canonical(base))


@lru_cache(maxsize=1)
def _opposites() -> dict[str, Canonical]:
    table: dict[str, Canonical] = {}
    for pairs, polar in ((_POLAR, True), (_OPPOSITES, False)):
        for pair in pairs.replace("\n", "|").split("|"):
            first, second = (stem(word) for word in pair.split())
            if second not in table and first not in table and first != second:
                table[second] = Canonical(first, opposite=not polar, polar=polar)
    return table


def _names(text: str) -> tuple[list[str], list[str]]:
    """Return capitalised words and codes, and apart from them those that begin a sentence."""
    names: list[str] = []
    initials: list[str] = []
    begins = True
    for match in _TOKEN.finditer(text):
        word = match[0].removesuffix("'s").removesuffix("’s")
        low = word.lower()
        if is_code(word):
            names.append(low.rstrip(".:/"))
        elif word[:1].isupper() and low not in _NO_NAMES:
            plain = any(char.isupper() for char in word[1:])
            (names if plain or not begins else initials).append(low)
        begins = text[match.end() : match.end() + 2].strip()[:1] in (".", "!", "?", ":", ";")
    return names, initials
