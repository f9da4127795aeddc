"""What a run on chat models would cost, before it runs: counted from the rung's own caps.

An estimate: tokens at four characters each, chunks at their longest. What a run did cost is in the
usage of its records.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from ragkit.config import ChatConfig, ChunkConfig, GraphConfig, Prices
from ragkit.graphs import CONFIGS
from ragkit.prompts import PROMPTS

_CHARACTERS_PER_TOKEN = 4
_FORM_TOKENS = 120  # a tool's schema and what its use adds
_QUESTION_TOKENS = 30
# job -> who does it, how many chunks it reads (None: all the evidence), tokens it writes
_JOBS: dict[str, tuple[str, int | None, int]] = {
    "route": ("grader", 0, 50), "read": ("grader", 1, 50), "grade-strips": ("grader", 2, 80),
    "rewrite": ("grader", None, 20), "plan": ("grader", 0, 60), "answer": ("generator", None, 150),
    "answer-unguarded": ("generator", None, 150), "ground": ("judge", None, 120),
    "check": ("judge", None, 120), "verify": ("judge", None, 60),
}  # fmt: skip


@dataclass(frozen=True)
class Estimate:
    """Calls, tokens and USD of one question: as a rule, and at most when every budget is used.

    USD is None where a model has no price in the table, as with a server of one's own.
    """

    calls: int
    most_calls: int
    tokens: int
    most_tokens: int
    usd: float | None
    most_usd: float | None

    def __str__(self) -> str:
        said = f"about {self.calls} calls and {self.tokens:,} tokens a question"
        most = f"at most {self.most_calls} calls and {self.most_tokens:,} tokens"
        if self.usd is None or self.most_usd is None:
            return f"{said}, {most}; no price is known for this model"
        return f"{said} ({self.usd:.4f} USD), {most} ({self.most_usd:.4f} USD)"


def estimate(
    rung: str,
    config: GraphConfig | None = None,
    chat: ChatConfig | None = None,
    prices: Prices | None = None,
) -> Estimate:
    """Return what one question to a rung would cost on the models of `chat`.

    Raises KeyError that lists the names for an unknown rung.
    """
    if rung not in CONFIGS:
        raise KeyError(f"no graph called {rung!r}; there are {', '.join(CONFIGS)}")
    config = config or CONFIGS[rung]()
    chat, prices = chat or ChatConfig.from_environment(), prices or config.prices
    usual, most = _jobs(rung, config)
    tokens, usd = _total(usual, config, chat, prices)
    most_tokens, most_usd = _total(most, config, chat, prices)
    return Estimate(usual.total(), most.total(), tokens, most_tokens, usd, most_usd)


def _jobs(rung: str, config: Any) -> tuple[Counter[str], Counter[str]]:
    """Count a rung's calls by job: when the first retrieval is good, and with all budgets used."""
    if rung == "naive":
        return Counter({"answer-unguarded": 1}), Counter({"answer-unguarded": 1})
    rounds, k = config.rounds, config.top_k
    usual, most = Counter(read=k, answer=1), Counter(read=k * rounds, rewrite=rounds - 1, answer=1)
    if rung == "arsc":
        return usual, most
    usual["route"] = most["route"] = 1
    if rung == "corrective":
        usual["ground"] = most["ground"] = 1
        most.update(read=max(config.secondary_k, config.web_k), rewrite=1)
    elif rung == "crag":
        usual["ground"] = 1
        again = config.max_regenerations
        most.update({"answer": again, "ground": again + 1, "grade-strips": rounds + 1})
        most["read"] += config.web_k if config.web_fallback else 0
    elif rung == "audited":
        usual.update(plan=1, read=k, check=1, verify=1)
        found = k * (config.max_candidates + 1)
        most = Counter(
            route=1, plan=rounds, read=found * rounds, answer=rounds, check=rounds, verify=rounds
        )
    return usual, most


def _total(
    jobs: Counter[str], config: Any, chat: ChatConfig, prices: Prices
) -> tuple[int, float | None]:
    tokens, usd, known = 0, 0.0, True
    for job, count in jobs.items():
        who, chunks, writes = _JOBS[job]
        reads = _fixed(job) + ChunkConfig().max_tokens * (
            config.top_k if chunks is None else chunks
        )
        price = prices.tokens.get(getattr(chat, who))
        known = known and price is not None
        per_read, per_written = price or prices.unknown_model
        tokens += count * (reads + writes)
        usd += count * (reads * per_read + writes * per_written) / 1_000_000
    return tokens, usd if known else None


def _fixed(job: str) -> int:
    system = next(prompt.system for prompt in PROMPTS if prompt.name == job)
    writes_text = job in ("rewrite", "answer", "answer-unguarded")
    form = 0 if writes_text else _FORM_TOKENS
    return len(system) // _CHARACTERS_PER_TOKEN + form + _QUESTION_TOKENS
