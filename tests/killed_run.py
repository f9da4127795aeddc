# ruff: noqa: E402 - the path and the checkpoint mode are set before the imports
"""A run of the audited graph in a process of its own, which a component may kill.

    python killed_run.py SAVER LOG MODE KILL_AT

SAVER is `sqlite:FILE` or `postgresql:URL`; MODE is ask, carry_on or resume. The process dies
without a word when the node KILL_AT is entered for the first time. What the components were called
for is appended to LOG.calls, one line a call.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"

from scripted import Queue, grades, scripted_kit

from ragkit.graphs.audited import build_audited
from ragkit.journal import AuditLog
from ragkit.records import Context, Rewrite, Route, Support, Verdict
from ragkit.runs import ask, carry_on, resume

THREAD = "killed"


@contextmanager
def saver(address: str):
    """Open the persistent saver at an address and make its tables."""
    kind, place = address.split(":", 1)
    if kind == "sqlite":
        from langgraph.checkpoint.sqlite import SqliteSaver

        with SqliteSaver.from_conn_string(place) as opened:
            yield opened
        return
    from langgraph.checkpoint.postgres import PostgresSaver

    with PostgresSaver.from_conn_string(address) as opened:
        opened.setup()
        yield opened


def noisy(name: str, reply, log: Path, kill_at: str):
    """Return a component that writes down its call, and dies where it is told to."""

    def component(*args, **kwargs):
        with open(f"{log}.calls", "a", encoding="utf-8") as calls:
            calls.write(f"{name}\n")
        if name == kill_at:
            os._exit(9)
        return reply(*args, **kwargs)

    return component


def kit(log: Path, kill_at: str):
    """Return a kit whose every component is noisy; the question is sensitive, so it is reviewed."""
    replies = {
        "router": Queue([Route(route="vector_search", reasoning="needed")]),
        "planner": Queue([[Rewrite(query="another query")]]),
        "grader": grades(a=0.9, b=0.9),
        "context": lambda _q, documents: Context(documents=tuple(documents)),
        "generator": scripted_kit().generator,
        "checker": Queue([[Support(claim="c", citation_id=1, support_status="supported")]]),
        "verifier": Queue([Verdict(status="passed", resolved=True, complete=True)]),
    }
    return scripted_kit(
        **{name: noisy(name, reply, log, kill_at) for name, reply in replies.items()}
    )


def main(address: str, log: str, mode: str, kill_at: str) -> None:
    """Do one part of the run and keep its audit log."""
    journal = AuditLog(log)
    with saver(address) as checkpointer:
        graph = build_audited(kit(Path(log), kill_at), checkpointer)

        def step(*_):
            if mode == "resume" and kill_at == "review":
                os._exit(9)
            journal.sync(graph, THREAD, newest=True)

        if mode == "ask":
            run = ask(graph, "Who pays the refund?", thread_id=THREAD, on_step=step)
        elif mode == "carry_on":
            run = carry_on(graph, THREAD, on_step=step)
        else:
            decision = {"action": "approve", "reviewer": "R", "comment": "fine"}
            run = resume(graph, THREAD, decision, on_step=step)
        journal.sync(graph, THREAD)
        print(run.tag, run.answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
