"""Every threshold, cap and price, with the articles' values as defaults.

A config is frozen and validated when made. A graph receives it at run time as its context, so one
compiled graph serves every position of a slider; no node holds a number of its own.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator


def _no_truth_value(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"a number is needed, not {value}")
    return value


Number = Annotated[float, BeforeValidator(_no_truth_value)]
Share = Annotated[Number, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Price = Annotated[Number, Field(ge=0.0, allow_inf_nan=False)]
Milliseconds = Annotated[Number, Field(ge=0.0, allow_inf_nan=False)]
Temperature = Annotated[Number, Field(ge=0.0, le=2.0, allow_inf_nan=False)]
Term = Annotated[str, Field(pattern=r"\w")]
Count = Annotated[int, Field(ge=0, le=50, strict=True)]
AtLeastOne = Annotated[int, Field(ge=1, le=50, strict=True)]
Strategy = Literal["dense", "keyword", "hybrid"]


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip()  # a blank one is one that is not set


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{twice[0]} is set twice")
    return dict(pairs)


class Frozen(BaseModel):
    """A record that cannot be changed or misspelt after it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Prices(Frozen):
    """What work costs, in USD.

    Per operation as in the budgeted article (about gpt-4o-mini), used where no tokens are reported;
    per million tokens, `model: (input, output)`, where a chat model reports its usage.
    """

    route: Price = 0.0002
    grade: Price = 0.0002
    rewrite: Price = 0.0003
    generate: Price = 0.002
    check: Price = 0.0002
    tokens: dict[str, tuple[Price, Price]] = {
        "gpt-4o-mini": (0.15, 0.60),
        "gpt-4o": (2.50, 10.00),
    }
    unknown_model: tuple[Price, Price] = (2.50, 10.00)


class Budget(Frozen):
    """What one question may use before the circuit breaker trips (budgeted article).

    New work stops at `latency_stop` of the time and `cost_stop` of the money, so that the answer
    itself still fits.
    """

    max_retries: Count = 2
    max_latency_ms: float = Field(8_000, ge=0, allow_inf_nan=False)
    latency_stop: Share = 0.7
    max_cost_usd: float = Field(0.05, ge=0, allow_inf_nan=False)
    cost_stop: Share = 0.8


class Pace(Frozen):
    """Simulated milliseconds a call, about those of a hosted chat model."""

    route_ms: Milliseconds = 400
    retrieve_ms: Milliseconds = 80
    web_ms: Milliseconds = 900
    grade_ms: Milliseconds = 700
    rewrite_ms: Milliseconds = 600
    generate_ms: Milliseconds = 1_500


class WebConfig(Frozen):
    """Limits of one web search."""

    timeout_s: float = Field(6.0, gt=0, allow_inf_nan=False)
    max_characters: Annotated[int, Field(ge=100)] = 8_000


class GraphConfig(Frozen):
    """What every rung shares."""

    strategy: Strategy = "hybrid"
    prices: Prices = Prices()

    @classmethod
    def from_file(cls, path: str | Path, **changes: Any) -> Self:
        """Return the config with the values of a JSON file, such as `ragkit eval calibrate` writes.

        What the file tells about itself under `about` is no setting. Raises ValueError that names
        the file and the field.
        """
        try:
            found = json.loads(
                Path(path).read_text(encoding="utf-8-sig"), object_pairs_hook=_each_once
            )
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}: not JSON ({error.msg})") from None
        except ValueError as error:  # not UTF-8, or a setting given twice
            raise ValueError(f"{path}: {error}") from None
        if not isinstance(found, dict):
            raise ValueError(f"{path}: not an object with settings")
        found.pop("about", None)
        try:
            return cls(**{**found, **changes})
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"])) or cls.__name__
            raise ValueError(f"{path}: {field}: {first['msg']}") from None

    @property
    def rounds(self) -> int:
        """How many times the loop may be entered, at most."""
        return 1

    @property
    def recursion_limit(self) -> int:
        """Steps no correct run can reach: a bug alarm, not a budget."""
        return 16 * (self.rounds + 1)


class NaiveConfig(GraphConfig):
    """Naive RAG: retrieve `top_k` by embedding alone, then answer."""

    strategy: Strategy = "dense"
    top_k: AtLeastOne = 4


class ArscConfig(GraphConfig):
    """ARSC protocol: `max_iterations = n` gives n retrievals and n gradings."""

    top_k: AtLeastOne = 4
    max_iterations: AtLeastOne = 3

    @property
    def rounds(self) -> int:
        return self.max_iterations


class BudgetedConfig(GraphConfig):
    """Routed self-correction within budgets."""

    top_k: AtLeastOne = 5
    enough_relevant: Share = 0.6
    budget: Budget = Budget()
    web_fallback_retries: Count = 1
    web_fallback_enough: Share = 0.4

    @property
    def rounds(self) -> int:
        return self.budget.max_retries + self.web_fallback_retries + 1


class CorrectiveConfig(GraphConfig):
    """Corrective RAG: the count of relevant documents picks the branch."""

    top_k: AtLeastOne = 4
    secondary_k: AtLeastOne = 3
    web_k: AtLeastOne = 4
    enough_documents: AtLeastOne = 2
    grade_concurrency: AtLeastOne = 8


class TwoThresholds(GraphConfig):
    """At or above `pass_threshold` kept, below `fail_threshold` dropped, between ambiguous."""

    pass_threshold: Share = 0.7
    fail_threshold: Share = 0.35

    @model_validator(mode="after")
    def _fail_below_pass(self) -> TwoThresholds:
        if not self.fail_threshold < self.pass_threshold:
            raise ValueError(
                f"fail_threshold ({self.fail_threshold}) must be below "
                f"pass_threshold ({self.pass_threshold})"
            )
        return self


class CragConfig(TwoThresholds):
    """CRAG with two thresholds, knowledge strips and a grounding check.

    A strip survives from `strip_threshold` on, chosen on the practice questions: the highest that
    keeps nearly every gold fact of the documents.
    """

    top_k: AtLeastOne = 6
    web_k: AtLeastOne = 4
    max_rewrites: Count = 2
    max_regenerations: Count = 1
    grade_concurrency: AtLeastOne = 8
    web_fallback: bool = True
    strip_tokens: Annotated[int, Field(ge=20, le=2_000)] = 120
    strip_threshold: Share = 0.3
    max_latency_ms: float = Field(20_000, ge=0, allow_inf_nan=False)

    @property
    def rounds(self) -> int:
        return self.max_rewrites + self.max_regenerations + 1


class AuditedConfig(TwoThresholds):
    """The audited rollback loop: at `max_retries` a person decides.

    A chunk is valid from `pass_threshold` on. What lies above `fail_threshold` is ambiguous in the
    pictures and the log; it is never evidence here, for no strips are cut.
    """

    top_k: AtLeastOne = 6
    max_retries: Annotated[int, Field(ge=0, le=3, strict=True)] = 3
    min_valid_chunks: Count = 1
    min_entity_coverage: Share = 0.5
    min_sources: Count = 1
    max_candidates: AtLeastOne = 3
    strategies: Annotated[tuple[Strategy, ...], Field(min_length=1)] = (
        "dense",
        "hybrid",
        "keyword",
    )
    sensitive_terms: tuple[Term, ...] = (
        "refund", "chargeback", "money back", "legal", "lawsuit", "lawyer", "attorney", "court",
        "compliance", "gdpr", "hipaa", "subpoena", "liability", "indemnity",
    )  # fmt: skip

    @property
    def rounds(self) -> int:
        return self.max_retries + 1


class CitationConfig(Frozen):
    """How drafts are read for citations (components/markers.py, components/claims.py)."""

    longest_marker: Annotated[int, Field(ge=1, le=200)] = 40
    longest_range: Annotated[int, Field(ge=1, le=1_000)] = 50


class SupportConfig(Frozen):
    """How a claim is compared with its evidence (components/alignment.py, components/support.py).

    A word that the source sentence lacks costs 0 where its best cosine is `alike` or more, 1 at
    `unlike` or less. It is strange below `strange`, or below `doubtful` where no word of the
    sentence, taken by itself, comes nearer than `strange_alone`. Two words that stand between the
    same neighbours must be `synonym` alike by themselves.
    """

    window_tokens: Annotated[int, Field(ge=20, le=250)] = 180
    texts_in_memory: Annotated[int, Field(ge=1)] = 1_024
    least_probability: Share = 0.15
    unlike: Share = 0.3
    alike: Share = 0.7
    heading_cost: Share = 0.4
    before_cost: Share = 0.6
    strange: Share = 0.36
    doubtful: Share = 0.62
    strange_alone: Share = 0.37
    synonym: Share = 0.4
    most_uncovered: Share = 0.5
    coverage_margin: Share = 0.1


class ConflictConfig(Frozen):
    """When two statements are taken to speak of the same thing (components/conflicts.py).

    Two bare texts contradict each other from a score of `asked_score` on, or `unasked_score` where
    no question is asked (components/conflict_model.py).
    """

    shared_words: AtLeastOne = 2
    shared_share: Share = 0.5
    same_subject: Share = 0.6
    lead_words: AtLeastOne = 4
    asked_score: Share = 0.38
    unasked_score: Share = 0.37


class VerifierConfig(Frozen):
    """When an answer counts as being about the question (components/verifiers.py)."""

    related: Share = 0.2


class EmbedderConfig(Frozen):
    """How the small embedding model is run."""

    max_pieces: Annotated[int, Field(ge=8, le=512)] = 256
    threads: AtLeastOne = 1
    workers: AtLeastOne = 2
    vectors_in_memory: Annotated[int, Field(ge=1)] = 8_192
    hidden_in_memory: Annotated[int, Field(ge=1)] = 1_024


class IndexConfig(Frozen):
    """How the index searches.

    `rrf_k` is the constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009);
    `pool` is how many candidates each search hands to the fusion, at least. Chroma's search is
    approximate, so it is asked for `oversample * k` candidates, or for every row of an index of up
    to `exact_below` rows, and they are ordered by the exact cosine. The first `rerank_pool` of the
    fusion are ordered once more (0: they are not), by word and with a weight of `passage_share` by
    sentence, where a page lends `page_share` of its best chunk's score to its others. BM25's
    numbers are Anserini's. The last `searches_in_memory` searches are remembered.
    """

    rrf_k: Annotated[int, Field(ge=1)] = 60
    pool: Annotated[int, Field(ge=1)] = 100
    oversample: AtLeastOne = 4
    rerank_pool: Annotated[int, Field(ge=0)] = 100
    rerank_workers: AtLeastOne = 2
    passage_share: Share = 0.5
    passages_in_memory: Annotated[int, Field(ge=1)] = 4_096
    page_share: Share = 0.25
    exact_below: Annotated[int, Field(ge=0)] = 2_000
    bm25_k1: float = Field(0.9, gt=0)
    bm25_b: Share = 0.4
    searches_in_memory: Annotated[int, Field(ge=0)] = 1_024


class ChunkConfig(Frozen):
    """How pages are cut: a chunk and its parent section have about so many tokens at most."""

    max_tokens: Annotated[int, Field(ge=20, le=2_000)] = 180
    parent_tokens: Annotated[int, Field(ge=20, le=20_000)] = 400


ReplyMode = Literal["function_calling", "json_schema", "json_prompt"]


class ChatConfig(Frozen):
    """How chat models are asked: who does what, how many at once, how long, how often again.

    A cheap grader beside a large generator: grading is most of the calls and the least thinking.
    `modes` is the order in which a structured reply is asked for; what an endpoint cannot do is
    skipped from then on. `call_seconds` covers one verdict or text with its retry and its waiting.
    A document graded with at least `sure_enough` has its strips of `strip_tokens` judged in the
    same call; a graph that cuts otherwise has them judged by another.
    """

    generator: str = "gpt-4o"
    grader: str = "gpt-4o-mini"
    judge: str = "gpt-4o-mini"
    modes: tuple[ReplyMode, ...] = ("function_calling", "json_schema", "json_prompt")
    max_concurrency: AtLeastOne = 8
    documents_per_call: AtLeastOne = 1
    strips_per_call: AtLeastOne = 8
    claims_per_call: AtLeastOne = 8
    strip_tokens: Annotated[int, Field(ge=20, le=2_000)] = 120
    sure_enough: Share = 0.7
    call_seconds: float = Field(20.0, gt=0, allow_inf_nan=False)
    retries: Annotated[int, Field(ge=0, le=1, strict=True)] = 1
    backoff_seconds: float = Field(0.5, ge=0, allow_inf_nan=False)
    judge_temperature: Temperature = 0.0
    rewrite_temperature: Temperature = 0.3
    answer_temperatures: tuple[Temperature, ...] = (0.0, 0.3, 0.6)
    verdict_tokens: Annotated[int, Field(ge=50, le=8_000)] = 1_000
    answer_tokens: Annotated[int, Field(ge=50, le=8_000)] = 800
    query_characters: Annotated[int, Field(ge=20, le=2_000)] = 300
    excerpt_characters: Annotated[int, Field(ge=50, le=5_000)] = 400

    @model_validator(mode="after")
    def _has_modes(self) -> ChatConfig:
        if not self.modes or len(set(self.modes)) != len(self.modes):
            raise ValueError("modes must name at least one way of asking, each once")
        if not self.answer_temperatures:
            raise ValueError("answer_temperatures must hold at least one temperature")
        return self

    @classmethod
    def from_environment(cls) -> ChatConfig:
        """Return the defaults with RAGKIT_MODEL, RAGKIT_GRADER_MODEL and RAGKIT_JUDGE_MODEL.

        RAGKIT_MODEL alone names one model for all three jobs, as local servers have only one.
        RAGKIT_CALL_SECONDS and RAGKIT_VERDICT_TOKENS give a slow server time and keep it short.
        """
        everywhere = _variable("RAGKIT_MODEL")
        names = {
            "generator": everywhere,
            "grader": _variable("RAGKIT_GRADER_MODEL") or everywhere,
            "judge": _variable("RAGKIT_JUDGE_MODEL") or everywhere,
        }
        limits = {
            "call_seconds": _variable("RAGKIT_CALL_SECONDS"),
            "verdict_tokens": _variable("RAGKIT_VERDICT_TOKENS"),
        }
        return cls(**{field: value for field, value in {**names, **limits}.items() if value})


class LocalServerConfig(Frozen):
    """The local server: port 0 takes a free one; `parallel` requests share it at a time.

    Its clients wait `call_seconds` for a reply and let a verdict be `verdict_tokens` long.
    """

    port: Annotated[int, Field(ge=0, le=65_535)] = 0
    context_tokens: Annotated[int, Field(ge=512, le=131_072)] = 8_192
    parallel: AtLeastOne = 2
    threads: AtLeastOne = 1
    call_seconds: float = Field(90.0, gt=0, allow_inf_nan=False)
    verdict_tokens: Annotated[int, Field(ge=50, le=8_000)] = 120


class GraderConfig(Frozen):
    """How the offline grader reads: below `threshold` a document is graded "no".

    A text of more than `window_tokens` is judged by the best of at most `max_windows` windows, and
    compared with the first `depth` chunks of the corpus; `keep` verdicts stay in memory. A text
    that answers by rule, by a definition or a table lookup, has at least the probability `certain`.
    """

    threshold: Share = 0.5
    certain: Share = 0.9
    window_tokens: Annotated[int, Field(ge=50, le=250)] = 200
    max_windows: AtLeastOne = 6
    depth: AtLeastOne = 12
    keep: Annotated[int, Field(ge=1)] = 8_192


class GeneratorConfig(Frozen):
    """How the offline generator picks its quotes.

    It answers when the best sentence, weighed by its document, reaches `answer_threshold`: on the
    practice questions the highest that loses no right answer; and the documents must hold
    `least_coverage` of the names in the question. Up to `max_sentences` within `margin`
    of the best are quoted; up to `sure_sentences` within `sure_margin` of it from its own document,
    where that is relevant by `sure_document`. Every retry raises the threshold by `stricter` and
    quotes one sentence less.
    """

    answer_threshold: Share = 0.45
    least_coverage: Share = 0.5
    max_sentences: AtLeastOne = 3
    margin: Share = 0.2
    sure_document: Share = 0.7
    sure_sentences: AtLeastOne = 4
    sure_margin: Share = 0.35
    stricter: Share = 0.1


class RewriterConfig(Frozen):
    """How far the offline rewriter looks.

    It considers `depth` chunks a search, none that is relevant with a probability below `floor`,
    and checks what the first `check` places of a new query hold. A word is translated by the
    corpus's glossary when at most the share `foreign` as many documents have it as have the term.
    """

    depth: AtLeastOne = 12
    floor: Share = 0.05
    check: AtLeastOne = 4
    foreign: Share = 0.15


class RouterConfig(Frozen):
    """How near, as a cosine, a question must be to the corpus.

    Below `far` it goes to the web; below `near` it does when it is about something that the corpus
    never names.
    """

    far: Share = 0.15
    near: Share = 0.25
