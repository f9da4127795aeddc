"""What kind of answer a question asks for, and whether a sentence holds one of that kind."""

from __future__ import annotations

import re
from functools import lru_cache

from ragkit.components.text import STOP_WORDS, entities, entity_key, holds_entity, stem

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SPELT = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|ninety|hundred|thousand|million|billion|dozen|half|an?|several)"
)
_UNIT = (
    r"(?:milli)?(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|quarters?|years?|decades?"
    r"|centur(?:y|ies)|cycles?|terms?|ms|min|hrs?)"
)
_NUMBER = rf"(?:\d[\d.,]*|{_SPELT})"

# in the order in which they are tried: the first that the question shows counts
_ASKS = {
    "money": r"\bhow much\b|\bhow (?:expensive|costly)\b|\bprices?\b|\bcosts?\b|\bfees?\b"
    r"|\brevenue\b|\bsalary\b|\bincome\b|\bcharge[ds]?\b|\bwhat do (?:i|we) (?:pay|save)\b",
    "span": r"\bhow (?:long|old|quick(?:ly)?|soon|fast|late|early|outdated)\b"
    r"|\bhow far (?:back|ahead)\b"
    rf"|\bhow many (?:business |working |calendar )?{_UNIT}\b|\b(?:within|for) what time\b"
    r"|\bwhat (?:time limit|deadline|period|delay)\b|\bby when\b|\bhow far in advance\b"
    r"|\blifetime\b",
    "when": rf"\bwhen\b|\b(?:what|which) (?:year|date|day|month|{_DAY}|time|century)s?\b"
    r"|\bdate of\b|\brelease date\b|\bsince when\b",
    "number": r"\bhow (?:many|often|far|tall|big|large|high|wide|deep|heavy)\b|\bpopulation\b"
    r"|\bnumber of\b|\bpercentage\b|\bwhat (?:share|percent|limit|size|version|port|rate)\b"
    r"|\b(?:limit|maximum|minimum|max|min)\b|\b(?:once|twice) or\b",
    "who": r"\bwho\b|\bwhom\b|\bwhose\b|\bwinner\b|\b(?:which|what) (?:actor|actress|player|person"
    r"|director|author|team|band|artist|company|role|singer|seat)s?\b",
    "where": r"\bwhere\b|\b(?:what|which) (?:city|cities|country|countries|state|place|region|zone"
    r"|county|address)\b|\blocation\b|\blocated\b|\bcapital of\b",
    "why": r"\bwhy\b|\breason\b|\bcauses?\b",
    "how": r"\bhow\b|\bsteps?\b",
    "yes_no": r"^\W*(?:so |and |but |ok |hi )?(?:is|are|was|were|do|does|did|can|could|will|would"
    r"|should|has|have|may|must|am)\b",
}
ANSWER_TYPES = (*_ASKS, "what")
_MEETS = {
    "money": rf"[$€£¥]\s?\d|\d\s?(?:%|percent)|{_NUMBER}\s?(?:dollars?|euros?|pounds?"
    rf"|cents?|usd|eur"
    r"|gbp|million|billion)\b|\bfree\b|\bno (?:extra )?(?:charge|cost|fee)|\bwithout a fee\b",
    "span": rf"{_NUMBER}(?:[\s-]+(?:business|working|calendar|full|whole|more))?[\s-]+{_UNIT}\b"
    rf"|\b(?:immediately|at once|right away|instantly|never|forever|without limit|no limit"
    rf"|(?:the )?(?:next|same) {_UNIT}|(?:end|start|beginning) of (?:the |each "
    rf"|a )?[\w ]{{0,12}}{_UNIT})\b",
    "when": rf"\b(?:1[0-9]\d\d|20\d\d)\b|\b{_MONTH}\b\.?\s*\d|\d(?:st|nd|rd"
    rf"|th)?\s+(?:of\s+)?{_MONTH}\b"
    rf"|\b{_DAY}s?\b|\b(?:daily|weekly|monthly|yearly|midnight|noon|each|every)\b|\b\d{{1,2}}:\d\d\b"
    rf"|\b{_NUMBER} {_UNIT} (?:after|before|from)\b|\b(?:end|start|beginning) of\b",
    "number": rf"\d[\d.,]*|\b{_SPELT}\b|\b(?:once|twice|unlimited|never|always|daily|weekly|monthly"
    r"|yearly|no limit)\b",
}
_ASKS_RE = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _ASKS.items()}
_MEETS_RE = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _MEETS.items()}
_COUNTED = re.compile(r"\bhow (?:many|much)\s+((?:[\w'-]+\s+){0,3}[\w'-]+)", re.IGNORECASE)


@lru_cache(4096)
def answer_type(question: str) -> str:
    """Return one of `ANSWER_TYPES`: money, span (of time), when, number, who, where, …, what."""
    head = question[:400]
    return next((name for name, pattern in _ASKS_RE.items() if pattern.search(head)), "what")


def answer_met(kind: str, question: str, text: str) -> float:
    """Return 1.0 when the text holds an answer of that kind, else 0.0; 0.5 where none can be told.

    What the question says itself is no answer.
    """
    asked = entity_key(question)
    if kind in _MEETS_RE:
        found = (match.group() for match in _MEETS_RE[kind].finditer(text))
        return float(any(not holds_entity(asked, part) for part in found))
    if kind in ("who", "where"):
        names = (name for name in entities("x " + text) if name[:1].isupper())
        return float(any(not _shares_word(asked, name) for name in names))
    return 0.5


def counted_met(question: str, text: str) -> float:
    """Return 1.0 when "how many seats" meets a number beside "seats", 0.0 when not, else 0.5."""
    wanted = _counted(question)
    if not wanted:
        return 0.5
    near = re.compile(
        rf"{_NUMBER}(?:\s+[\w'-]+){{0,2}}?\s+{wanted}\w*|\b{wanted}\w*\W+(?:[\w'-]+\W+){{0,4}}?{_NUMBER}\b",
        re.IGNORECASE,
    )
    return float(bool(near.search(text)))


@lru_cache(4096)
def _counted(question: str) -> str:
    """Return the stem of what is to be counted, as a pattern, or ""."""
    match = _COUNTED.search(question[:400])
    if not match:
        return ""
    nouns: list[str] = []
    for word in match.group(1).lower().split():
        if word in STOP_WORDS and nouns:
            break
        if word not in STOP_WORDS:
            nouns.append(word)
    return re.escape(stem(nouns[-1])[:12]) if nouns else ""


def _shares_word(asked: str, name: str) -> bool:
    return any(holds_entity(asked, part) for part in name.split() if len(part) > 2)
