"""What kind of answer a question asks for, and whether a sentence holds one of that kind."""

from __future__ import annotations

import re

from ragkit.components.text import entities, entity_key, holds_entity

_MONTHS = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_ASKS = (
    ("when", r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|time|decade|century)\b|\bdate of\b|\brelease date\b|\bas of what\b"),
    ("money", r"\bhow much\b|\bprices?\b|\bcosts?\b|\bfees?\b|\brevenue\b|\bsalary\b|\bincome\b|\bcharged?\b"),
    ("number", r"\bhow (?:many|long|old|often|far|tall|big|large|high|fast|late|early|soon|wide|deep|heavy)\b|\bpopulation\b|\bnumber of\b|\bpercentage\b|\bwhat (?:share|percent|limit|size|version|port)\b|\b(?:limit|maximum|minimum)\b"),
    ("who", r"\bwho\b|\bwhom\b|\bwhose\b|\bwinner\b|\b(?:which|what) (?:actor|actress|player|person|director|author|team|band|artist|company|role|singer)\b"),
    ("where", r"\bwhere\b|\b(?:what|which) (?:city|cities|country|countries|state|place|region|zone|county)\b|\blocation\b|\blocated\b|\bcapital of\b"),
    ("why", r"\bwhy\b|\breason\b|\bcause\b"),
    ("how", r"\bhow\b|\bsteps?\b"),
    ("yes_no", r"^(?:so |and |but |ok |hi )?(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|may|must|am)\b"),
)  # fmt: skip
_ASKS_RE = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _ASKS)
_DATE = re.compile(
    rf"\b(?:1[0-9]\d\d|20\d\d)\b|\b(?:{_MONTHS})\b\.?\s*\d|\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTHS})\b|\b\d{{4}}-\d\d-\d\d\b|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|daily|weekly|monthly|yearly|midnight|noon)\b|\b\d{{1,2}}:\d\d\b",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[$€£¥]\s?\d|\d\s?(?:%|percent|dollars?|euros?|pounds?|cents?|usd|eur|gbp|million|billion)\b|\bfree\b|\bno (?:extra )?(?:charge|cost|fee)",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\d[\d.,]*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand"
    r"|million|billion|half|quarter|once|twice|unlimited|never|always|daily|weekly|monthly|yearly)\b",
    re.IGNORECASE,
)


def answer_type(question: str) -> str:
    """Return when, money, number, who, where, why, how, yes_no or what."""
    head = question[:400]
    return next((name for name, pattern in _ASKS_RE if pattern.search(head)), "what")


def answer_met(kind: str, question: str, text: str) -> float:
    """Return 1.0 when the text holds something of that kind that the question does not say itself."""
    asked = entity_key(question)
    if kind == "when":
        return float(any(not holds_entity(asked, m.group()) for m in _DATE.finditer(text)))
    if kind == "money":
        return float(any(not holds_entity(asked, m.group()) for m in _MONEY.finditer(text)))
    if kind == "number":
        return float(any(not holds_entity(asked, m.group()) for m in _COUNT.finditer(text)))
    if kind in ("who", "where"):
        return float(
            any(
                not _shares_word(asked, name)
                for name in entities("x " + text)
                if name[:1].isupper()
            )
        )
    return 0.5


def _shares_word(asked: str, name: str) -> bool:
    return any(holds_entity(asked, part) for part in name.split() if len(part) > 2)
