"""The offline kit: rules and a small embedding model. No key, no network, no GPU, not an LLM."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ragkit.kit import Kit
from ragkit.records import WebResult


def build_offline_kit(corpus: Any = None, *, embedder: Any = None, **components: Any) -> Kit:
    """Return a kit that needs nothing but the installed packages.

    `corpus` is an `Index`, a folder of documents, or None for the company's knowledge base, which
    also brings the recorded web. `embedder` is a `ragkit.embedding.MiniLM` or one with its methods.
    Further keyword arguments swap components, as `Kit.replace` does.

    Raises:
        FileNotFoundError: the folder does not exist.
    """
    from ragkit.components.citations import OfflineChecker
    from ragkit.components.conflict_model import OfflineConflicts
    from ragkit.components.context import ContextBuilder, explain
    from ragkit.components.coverage import entity_coverage
    from ragkit.components.direct import DirectAnswerer
    from ragkit.components.generators import ExtractiveGenerator
    from ragkit.components.graders import offline_graders
    from ragkit.components.intents import open_reference
    from ragkit.components.planners import Planner
    from ragkit.components.rewriters import VocabularyRewriter
    from ragkit.components.routers import RuleRouter
    from ragkit.components.strips import split_strips
    from ragkit.components.verifiers import OfflineGrounder, OfflineVerifier
    from ragkit.embedding import default_embedder

    index = open_corpus(corpus, embedder)
    grader, strip_grader = offline_graders(embedder or default_embedder(), index)
    rewriter = VocabularyRewriter(index, grader.probability)
    direct = DirectAnswerer()
    checker = OfflineChecker(embedder)
    conflicts = OfflineConflicts(embedder)
    kit = Kit(
        name="offline: rules and a small embedding model",
        retriever=index,
        grader=grader,
        rewriter=rewriter,
        generator=ExtractiveGenerator(grader),
        unguarded=ExtractiveGenerator(grader, guarded=False),
        section=getattr(index, "parent", None),
        router=RuleRouter(index, direct),
        direct=direct,
        web=search_recorded_web if corpus is None else None,
        split=split_strips,
        strip_grader=strip_grader,
        grounder=OfflineGrounder(embedder, checker),
        checker=checker,
        conflicts=conflicts,
        context=ContextBuilder(conflicts),
        explain=explain,
        verifier=OfflineVerifier(embedder),
        planner=Planner(rewriter),
        vague=open_reference,
        coverage=entity_coverage,
    )
    return kit.replace(**components)


def open_corpus(corpus: Any = None, embedder: Any = None) -> Any:
    """Return an index: the company's, one built from a folder, or the given retriever itself."""
    from ragkit.corpus import company_corpus, load_corpus
    from ragkit.index import build_index, company_index

    if corpus is None:
        return (
            build_index(company_corpus().documents, embedder=embedder)
            if embedder
            else company_index()
        )
    if isinstance(corpus, (str, Path)):
        folder = Path(corpus)
        if not folder.is_dir():
            raise FileNotFoundError(f"{folder} is not a folder; give a folder of documents")
        key = hashlib.sha256(str(folder.resolve()).encode("utf-8")).hexdigest()[:12]
        documents = load_corpus(folder).documents
        return build_index(documents, embedder=embedder, name=f"folder-{key}")
    return corpus


def search_recorded_web(query: str, k: int) -> WebResult:
    """Search the recorded pages; their index is built at the first search."""
    from ragkit.components.web import recorded_web

    return recorded_web()(query, k)
