"""Put chat models to work: which model does which job."""

from __future__ import annotations

from functools import partial
from typing import Any

from ragkit.cache import CachedGrader, VerdictCache
from ragkit.components.chat_graders import ChatStripGrader
from ragkit.components.chat_judges import ChatChecker, ChatGrounder
from ragkit.components.chat_planner import ChatPlanner
from ragkit.components.chat_reader import ChatReader
from ragkit.components.chat_verifier import ChatVerifier
from ragkit.components.chat_writers import ChatDirect, ChatGenerator, ChatRewriter, ChatRouter
from ragkit.components.citations import OfflineChecker
from ragkit.components.endpoint import Chat, OnText
from ragkit.components.fences import shown
from ragkit.components.models import chat_model
from ragkit.components.strips import split_strips
from ragkit.config import ChatConfig
from ragkit.prompts import ANSWER_UNGUARDED
from ragkit.vector_cache import cache_dir

Model = Any  # a model's name, or a LangChain chat model


def chat_components(
    model: Model = None,
    *,
    grader_model: Model = None,
    judge_model: Model = None,
    config: ChatConfig | None = None,
    cache: VerdictCache | bool = False,
    on_text: OnText | None = None,
) -> dict[str, Any]:
    """Return the components of a kit that think with chat models, by their names in the kit.

    `model` writes answers; `grader_model` grades, routes and rewrites, which is most of the calls;
    `judge_model` checks what was written. One that is not given is `model`; without any, the
    config's three names. `cache` keeps verdicts: True on disk beside the embeddings. Raises
    MissingKey where a model has only a name and nothing says where it is.
    """
    config = config or ChatConfig.from_environment()
    cache = VerdictCache(cache_dir() / "verdicts.sqlite") if cache is True else cache
    writer, grader, judge = _chats(config, model, grader_model, judge_model)
    rules = OfflineChecker()
    documents, strips = _graders(grader, config, cache or None)
    return {
        "name": _name(writer, grader, judge),
        "grader": documents,
        "strip_grader": strips,
        "rewriter": ChatRewriter(grader),
        "router": ChatRouter(grader),
        "planner": ChatPlanner(grader),
        "generator": ChatGenerator(writer, on_text=on_text),
        "unguarded": ChatGenerator(writer, prompt=ANSWER_UNGUARDED, on_text=on_text),
        "direct": ChatDirect(writer, on_text=on_text),
        "grounder": ChatGrounder(judge, rules),
        "checker": ChatChecker(judge, rules),
        "verifier": ChatVerifier(judge),
    }


def _chats(config: ChatConfig, model: Model, grader: Model, judge: Model) -> list[Chat]:
    wanted = [
        model or config.generator,
        grader or model or config.grader,
        judge or model or config.judge,
    ]
    made: dict[Any, Chat] = {}
    for asked in wanted:
        key = asked if isinstance(asked, str) else id(asked)
        if key not in made:
            found = chat_model(asked, config) if isinstance(asked, str) else asked
            made[key] = Chat(found, config)
    return [made[asked if isinstance(asked, str) else id(asked)] for asked in wanted]


def _graders(chat: Chat, config: ChatConfig, cache: VerdictCache | None) -> tuple[Any, Any]:
    single = ChatStripGrader(chat, per_call=config.strips_per_call)
    # without a cache of its own, a strip's verdict is still carried from one node to the next
    strips = CachedGrader(single, cache or VerdictCache(), single.fingerprint, shown)
    split = partial(split_strips, max_tokens=config.strip_tokens)
    reader = ChatReader(chat, strips, split, per_call=config.documents_per_call)
    return CachedGrader(reader, cache, reader.fingerprint, shown) if cache else reader, strips


def _name(writer: Chat, grader: Chat, judge: Chat) -> str:
    if writer is grader is judge:
        return f"chat: {writer.name}"
    return f"chat: {writer.name}, graded by {grader.name}, judged by {judge.name}"
