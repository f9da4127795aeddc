"""An answer under a lens: each claim beside the evidence it cites, and how well they match."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragkit.show.page import Picture, bar, chip, emphasis, escape, folded, long_text, stack, tag

STATUSES = {
    "supported": ("good", "✓"),
    "unsupported": ("bad", "✕"),
    "fabricated": ("bad", "∅"),
    "uncited": ("maybe", "?"),
    "ambiguous": ("maybe", "≈"),
}
_WORST_FIRST = ("fabricated", "unsupported", "uncited", "ambiguous", "supported")
_MARKER = re.compile(r"\[\d+(?:\s*[,;–-]\s*\d+)*\]")


def claims(
    answer: str,
    support: Iterable[Any],
    documents: Sequence[Mapping[str, Any]] = (),
    title: str = "",
) -> Picture:
    """Show an answer with its citations coloured, then every claim beside its evidence.

    Args:
        support: Support records or their dicts, one a claim and marker.
        documents: what the labels count, 1-based, for the names of the sources.
    """
    records = [
        record.model_dump() if hasattr(record, "model_dump") else dict(record) for record in support
    ]
    head = tag("div", escape(title), "rk-title") if title else ""
    counts = {status: sum(r["support_status"] == status for r in records) for status in STATUSES}
    chips = stack(
        (_status(s, f"{count} {s}") for s, count in counts.items() if count), "rk-line"
    )  # fmt: skip
    rows = stack(_claim(record, documents) for record in records)
    quoted = tag("div", marked(answer, records, documents), "rk-answer rk-text")
    lines = [f"{r['support_status']}: {r['claim']} [{r['citation_id'] or '–'}]" for r in records]
    return Picture(stack([head, quoted, chips, rows]), "\n".join([answer, *lines]))


def marked(
    answer: str,
    records: Sequence[Mapping[str, Any]] = (),
    documents: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return an answer as HTML text whose citation marks are chips in their claims' colour.

    Of Markdown only bold and code are shown as such; all else stays the text it is.
    """
    pieces, at = [], 0
    for match in _MARKER.finditer(answer):
        pieces.append(emphasis(answer[at : match.start()]))
        numbers = [int(number) for number in re.findall(r"\d+", match[0])]
        status = _worst(records, numbers, answer[at : match.start()])
        pieces.append(_citation(match[0], status, numbers, documents))
        at = match.end()
    return "".join(pieces) + emphasis(answer[at:])


def alignment(
    claim_tokens: Sequence[str],
    evidence_tokens: Sequence[str],
    similarity: Sequence[Sequence[float]],
    title: str = "",
) -> Picture:
    """Show, for each token of a claim, the evidence token it is closest to and how close.

    `similarity` has one row a claim token and one column an evidence token, values up to 1.
    Raises ValueError when the shape does not fit the tokens.
    """
    rows = [[float(value) for value in row] for row in similarity]
    if len(rows) != len(claim_tokens) or any(len(row) != len(evidence_tokens) for row in rows):
        raise ValueError(
            f"similarity must be {len(claim_tokens)} x {len(evidence_tokens)}: "
            "one row a claim token, one column an evidence token"
        )
    best = [max(range(len(row)), key=row.__getitem__) for row in rows] if evidence_tokens else []
    cells = stack(
        (
            _aligned(token, evidence_tokens[at], row[at])
            for token, at, row in zip(claim_tokens, best, rows, strict=True)
        ),
        "rk-tokens",
    )
    used = [max((row[at] for row in rows), default=0.0) for at in range(len(evidence_tokens))]
    ground = "".join(
        tag("span", escape(_word(token)), "rk-token", style=_shade(share), title=f"{share:.2f}")
        + " "
        for token, share in zip(evidence_tokens, used, strict=True)
    )
    head = tag("div", escape(title), "rk-title") if title else ""
    legend = tag(
        "div",
        "the claim's tokens, each above its nearest token of the evidence",
        "rk-soft rk-small",
    )
    under = tag("div", "the evidence, stronger where the claim leans on it", "rk-soft rk-small")
    grid = folded("every token against every token", _grid(claim_tokens, evidence_tokens, rows))
    text = "\n".join(
        f"{token} ~ {evidence_tokens[at]} {row[at]:.2f}"
        for token, at, row in zip(claim_tokens, best, rows, strict=True)
    )
    return Picture(stack([head, legend, cells, under, tag("div", ground), grid]), text)


def _plain(record: Any) -> dict[str, Any]:
    return record.model_dump() if hasattr(record, "model_dump") else dict(record)


def _status(status: str, words: str = "") -> str:
    tone, icon = STATUSES[status]
    return chip(tone, words or status, icon)


def _worst(records: Sequence[Mapping[str, Any]], numbers: Sequence[int], before: str) -> str:
    """Return the worst status of a mark's labels: of the claim before it, else of all claims."""
    cited = [record for record in records if record.get("citation_id") in numbers]
    here = [r for r in cited if r["claim"].strip(" .") and r["claim"].strip(" .") in before]
    found = [record["support_status"] for record in here or cited]
    return min(found, key=_WORST_FIRST.index, default="")


def _citation(
    mark: str, status: str, numbers: Sequence[int], documents: Sequence[Mapping[str, Any]]
) -> str:
    tone, icon = STATUSES.get(status, ("path", ""))
    names = "; ".join(_source(number, documents) for number in numbers)
    return chip(tone, mark, icon, title=f"{status + ': ' if status else ''}{names}")


def _source(number: int | None, documents: Sequence[Mapping[str, Any]]) -> str:
    if number is None:
        return "no citation"
    if not 1 <= number <= len(documents):
        return f"[{number}] stands for no document" if documents else f"[{number}]"
    document = documents[number - 1]
    metadata = document.get("metadata") or {}
    return f"[{number}] {metadata.get('title') or document['id']}"


def _claim(record: Mapping[str, Any], documents: Sequence[Mapping[str, Any]]) -> str:
    status = record["support_status"]
    tone, _ = STATUSES[status]
    words = [_status(status)]
    risk = record.get("risk_level")
    if risk in ("medium", "high"):
        words.append(chip("bad" if risk == "high" else "maybe", f"{risk} risk", "!"))
    if record.get("outcome", "ok") != "ok":
        words.append(chip("bad", f"check {record['outcome']}"))
    left = tag("div", "".join(words), "rk-line") + tag("div", escape(record["claim"]), "rk-text")
    source = tag("span", escape(_source(record.get("citation_id"), documents)), "rk-soft rk-small")
    score = record.get("score") or 0.0
    right = tag("div", source + tag("span", bar(score, tone, f"{score:.2f}"), "rk-push"), "rk-line")
    found = record.get("evidence_text")
    right += tag("div", long_text(found, 220) if found else "no evidence", "rk-quote")
    right += "".join(tag("div", escape(reason), "rk-why") for reason in record.get("reasons", ()))
    return tag("div", tag("div", left) + tag("div", right), f"rk-card rk-edge rk-{tone} rk-pair")


def _word(token: str) -> str:
    return token.removeprefix("##") or token


def _shade(share: float) -> str:
    percent = max(0.0, min(share, 1.0)) ** 2 * 60
    return f"background:color-mix(in srgb,var(--rk-path) {percent:.0f}%,transparent)"


def _aligned(token: str, match: str, share: float) -> str:
    tone = "good" if share >= 0.75 else "maybe" if share >= 0.5 else "bad"
    body = tag("b", escape(_word(token))) + tag("span", escape(_word(match)), "rk-soft")
    body += tag("span", f"{share:.2f}", "rk-small")
    return tag("span", body, f"rk-pairing rk-{tone}")


def _grid(left: Sequence[str], top: Sequence[str], rows: Sequence[Sequence[float]]) -> str:
    head = tag("tr", tag("th") + "".join(tag("th", tag("span", escape(t)), "rk-up") for t in top))
    body = "".join(
        tag(
            "tr",
            tag("th", escape(token))
            + "".join(tag("td", f"{v:.2f}"[-3:], style=_shade(v), title=f"{v:.3f}") for v in row),
        )
        for token, row in zip(left, rows, strict=True)
    )
    return tag("div", tag("table", head + body, "rk-grid"), "rk-wrap")
