"""`ragkit ask`: put one question to one rung and watch it work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

COLOURS = {
    "verified": "green", "direct": "green", "best_effort": "yellow", "needs_review": "yellow",
    "abstained": "magenta",
}  # fmt: skip


def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    graph: Annotated[
        str, typer.Option(help="naive, arsc, budgeted, corrective, crag or audited.")
    ] = "arsc",
    kit: Annotated[
        Literal["offline", "chat"],
        typer.Option(help="Rules and a small embedding model, or the chat model of OPENAI_*."),
    ] = "offline",
    docs: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="A folder of your own pages.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Settings as JSON.")
    ] = None,
    log: Annotated[Path | None, typer.Option(help="Add every step to this audit log.")] = None,
    verdicts: Annotated[
        Path | None,
        typer.Option(help="Add the run to this verdict log; ragkit eval report shows its rates."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object and no steps.")] = False,
) -> None:
    """Put one question to one rung: the steps as they happen, the answer, its sources, the tag."""
    from rich.console import Console

    console = Console()
    compiled, settings, bag = _prepare(graph, kit, docs, config)
    listener = None if as_json else lambda node, update: _print_step(console, node, update)
    run = _run(compiled, question, settings, log, listener)
    if verdicts:
        from ragkit.evaluation.records import log_run

        log_run(verdicts, run, bag.name, settings)
    if as_json:
        typer.echo(json.dumps(_plain(run, bag.name), ensure_ascii=False, indent=1))
    else:
        _print_answer(console, run, bag.name)


def _prepare(graph: str, kit: str, docs: Path | None, config: Path | None) -> tuple[Any, Any, Any]:
    from ragkit.cli import options
    from ragkit.graphs import CONFIGS, build

    if graph not in CONFIGS:
        raise typer.BadParameter(f"no graph called {graph!r}; there are {', '.join(CONFIGS)}")
    try:
        chosen = CONFIGS[graph]
        settings = chosen.from_file(config) if config else chosen()
        bag = options.make_kit(kit, docs, live=True)
        return build(graph, bag), settings, bag
    except (ValueError, RuntimeError, ImportError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None


def _run(graph: Any, question: str, config: Any, log: Path | None, on_step: Any) -> Any:
    from ragkit.redact import describe
    from ragkit.runs import ask as put

    try:
        if log is None:
            return put(graph, question, config=config, on_step=on_step)
        from ragkit.journal import AuditLog

        return AuditLog(log).ask(graph, question, config=config, on_step=on_step)
    except Exception as error:
        typer.echo(f"the run broke off: {describe(error)}", err=True)
        raise typer.Exit(1) from None


def _print_step(console: Any, node: str, update: dict[str, Any]) -> None:
    from rich.text import Text

    console.print(Text.assemble((f"{node:<20}", "bold"), " ", (said(update), "dim")))


def said(update: dict[str, Any]) -> str:
    """Return what a step did, in a few words."""
    parts = []
    found = update.get("documents", update.get("retrieved_documents"))
    if update.get("grades"):
        yes = sum(grade["binary_score"] == "yes" for grade in update["grades"])
        parts.append(f"{yes} of {len(update['grades'])} relevant")
    elif found is not None:
        parts.append(f"{len(found)} documents")
    queries = update.get("queries") or update.get("rewritten_queries")
    if queries:
        parts.append(f"query: {queries[-1]}")
    for key, noun in (("strips", "strips"), ("citations", "citations checked")):
        if update.get(key):
            parts.append(f"{len(update[key])} {noun}")
    if update.get("route"):
        parts.append(f"route: {update['route']}")
    if update.get("generation") or update.get("draft") or update.get("generated_draft"):
        parts.append("draft written")
    if update.get("validation_status"):
        parts.append(update["validation_status"])
    if update.get("tag"):
        parts.append(update["tag"])
    return " · ".join(dict.fromkeys(parts))


def _print_answer(console: Any, run: Any, kit: str) -> None:
    from rich.panel import Panel
    from rich.text import Text

    draft = (run.waiting or {}).get("draft", "")
    body = Text(draft or run.answer)
    title = "draft for the reviewer" if draft else "answer"
    colour = COLOURS.get(run.tag, "red")
    tag = Text.assemble((run.tag or "no tag", f"bold {colour}"), f"  {run.reason}")
    console.print(Panel(body, title=title, title_align="left", border_style=colour))
    console.print(tag)
    for source in run.sources:
        place = source.get("url") or source.get("source", "")
        date = f", {source['effective_date']}" if source.get("effective_date") else ""
        line = f"[{source['label']}] {source.get('title') or source['id']} ({place}{date})"
        console.print(Text(line, style="dim"))
    console.print(Text(f"{kit} · {run.graph} · {run.milliseconds:.0f} ms", style="dim"))


def _plain(run: Any, kit: str) -> dict[str, Any]:
    return {
        "question": run.question, "graph": run.graph, "kit": kit, "tag": run.tag,
        "reason": run.reason, "answer": run.answer, "draft": (run.waiting or {}).get("draft", ""),
        "sources": run.sources, "path": run.path,
    }  # fmt: skip
