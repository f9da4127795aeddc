"""What batching, strips and a cheap grader save: python benchmarks/latency.py [--latency 0.1]

CRAG on chat models of a scripted OpenAI-protocol server (tests/scripted_server.py) that answers
each call after the same time, asked three ways:

- crag: as shipped. All documents graded at once, each with its strips, by the cheap model.
- one by one: the same graph and verdicts, but whole chunks graded one call after another, then
  strip after strip, all by the generator's model.
- no strips: the same without strips, whole chunks to the generator (the article's first build).

The server grades by word overlap and quotes what fits best, so all that differs is who is asked
what and when. The critical path is the number of calls that wait for another, times the latency
of the plainest client on this machine, which is printed.
"""

from __future__ import annotations

import argparse
import json
import re
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import uvicorn
from langchain_openai import ChatOpenAI
from scripted_server import ScriptedServer, app_of, fills, job, says
from starlette.responses import JSONResponse

from ragkit.components.chat_graders import ChatGrader, ChatStripGrader
from ragkit.components.endpoint import Chat
from ragkit.components.text import stems
from ragkit.config import ChatConfig, CragConfig, Prices
from ragkit.evaluation.questions import load_questions
from ragkit.graphs.crag import build_crag
from ragkit.index import company_index
from ragkit.kit import Kit, chat_kit
from ragkit.prompts import ROUTE
from ragkit.records import Grade
from ragkit.runs import Run, ask

LARGE, SMALL = "gpt-4o", "gpt-4o-mini"
CHARACTERS_PER_TOKEN = 4
OVERLAP = 0.3
_BLOCK = re.compile(r'<(\w+)-\w{8}(?: label="(\w+)")?[^>]*>\n(.*?)\n</\1-', re.DOTALL)


def overlap(question: str, text: str) -> float:
    """Return the share of the question's stems that a text holds."""
    asked = set(stems(question))
    return len(asked & set(stems(text))) / len(asked) if asked else 0.0


def think(body: dict[str, Any]) -> Any:
    """Play a model whose verdict on a text depends on the question and that text alone."""
    name = job(body)
    blocks = _BLOCK.findall(body["messages"][-1]["content"])
    question = next(text for tag, _, text in blocks if tag == "question")
    documents = [(label, text) for tag, label, text in blocks if tag == "document"]
    if name in ("read", "grade", "grade-strips"):
        return fills({"grades": [_grade(question, *document) for document in documents]})
    if name == "ground":
        claims = [label for tag, label, _ in blocks if tag == "claim"]
        checks = [{"claim_id": c, "supported": "yes", "confidence": 0.9} for c in claims]
        return fills({"checks": checks, "answered": "yes"})
    if name == "answer":
        return says(_answer(question, documents))
    return fills({"route": "vector_search", "rewritten_query": question, "reasoning": "ours"})


def _grade(question: str, label: str, text: str) -> dict[str, Any]:
    strips = [(inner, part) for _, inner, part in _BLOCK.findall(text)]
    plain = "\n".join(part for _, part in strips) or text
    held = overlap(question, plain)
    return {
        "document_id": label,
        "explanation": f"it holds {held:.0%} of the words asked",
        "binary_score": "yes" if held >= OVERLAP else "no",
        "confidence": 0.9,
        "keep": [inner for inner, part in strips if overlap(question, part) >= OVERLAP],
    }


def _answer(question: str, documents: Sequence[tuple[str, str]]) -> str:
    lines = [
        (overlap(question, line), line.strip(), label)
        for label, text in documents
        for line in re.split(r"(?<=[.!?])\s+|\n", text)
        if len(line.split()) > 3
    ]
    best = max(lines, key=lambda item: (item[0], item[1]))
    return f"{best[1].rstrip('.')} [{best[2]}]."


def counted(body: dict[str, Any]) -> JSONResponse:
    """Reply with the tokens of this very request and reply, at four characters a token."""
    reply = json.loads(think(body)(body).body)
    message = reply["choices"][0]["message"]
    sent = len(json.dumps([body["messages"], body.get("tools")]))
    got = len(json.dumps(message.get("tool_calls") or message["content"]))
    reply["usage"] = {
        "prompt_tokens": sent // CHARACTERS_PER_TOKEN,
        "completion_tokens": got // CHARACTERS_PER_TOKEN,
        "total_tokens": (sent + got) // CHARACTERS_PER_TOKEN,
    }
    return JSONResponse(reply)


def listen() -> socket.socket:
    """Return a listener on a free port whose replies leave at once.

    asyncio switches Nagle's algorithm off only on a socket that names its protocol; left on, it
    and the delayed acknowledgement of the other side add 40 ms to a reply on some systems.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


def serve(latency: float) -> None:
    """Serve until the parent closes our input; the address goes to the output."""
    listener = listen()
    server = ScriptedServer(then=counted, latency=latency)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app_of(server), log_level="critical")).run([listener])


@contextmanager
def server_process(latency: float) -> Iterator[str]:
    """Run the server in a process of its own, so that its work is not counted as ours."""
    command = [sys.executable, __file__, "--serve", "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@dataclass
class Way:
    """One way of asking, and what it took."""

    name: str
    kit: Kit
    config: CragConfig
    seconds: list[float] = field(default_factory=list)
    hops: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.graph = build_crag(self.kit)

    def warm_up(self, question: str) -> None:
        """Connect, and learn what the endpoint can do, before anything is measured."""
        ask(self.graph, question, config=self.config)
        for meter in (self.kit.grader, self.kit.strip_grader):
            meter.usd, meter.tokens = 0.0, 0

    def measure(self, url: str, latency: float, question: str) -> None:
        """Ask one question and note time, calls and the calls that waited for each other."""
        log(url)

        began = time.perf_counter()
        self.runs.append(ask(self.graph, question, config=self.config))
        self.seconds.append(time.perf_counter() - began)
        asked = log(url)
        self.calls.append(len(asked))
        self.hops.append(waves([entry["at"] for entry in asked], latency))


def log(url: str) -> list[dict[str, Any]]:
    """Return what the server was asked since the last look."""
    with urllib.request.urlopen(f"{url}/log") as reply:
        return json.load(reply)


def waves(times: Sequence[float], latency: float) -> int:
    """Count the calls that waited for another: one that starts after the last wave was answered."""
    count, start = 0, float("-inf")
    for at in sorted(times):
        if at >= start + latency * 0.9:
            count, start = count + 1, at
    return count


class Metered:
    """A grader that adds up what its verdicts cost."""

    def __init__(self, grader: Any, prices: Prices) -> None:
        self.grader, self.prices = grader, prices
        self.usd, self.tokens = 0.0, 0

    def __call__(self, question: str, documents: Sequence[Any]) -> list[Any]:
        grades = self.grader(question, documents)
        for usage in (g.usage for g in grades if g.usage and g.usage.calls):
            reads, writes = self.prices.tokens[usage.model]
            self.usd += (usage.input_tokens * reads + usage.output_tokens * writes) / 1e6
            self.tokens += usage.input_tokens + usage.output_tokens
        return grades


def ways(url: str, corpus: Any) -> list[Way]:
    """Return the three ways of asking, on one index."""
    large, small = (
        ChatOpenAI(model=n, base_url=f"{url}/v1", api_key="none") for n in (LARGE, SMALL)
    )
    shipped = chat_kit(large, grader_model=small, judge_model=small, corpus=corpus, cache=False)
    slow = ChatConfig(max_concurrency=1, strips_per_call=1)
    serial = chat_kit(large, corpus=corpus, config=slow, cache=False)
    alone = Chat(large, slow)
    serial = serial.replace(grader=ChatGrader(alone), strip_grader=ChatStripGrader(alone))
    whole = serial.replace(split=lambda document, _tokens: [document], strip_grader=_keep_all)
    one_at_a_time = CragConfig(grade_concurrency=1, web_fallback=False)
    return [
        Way("crag", _metered(shipped), CragConfig(web_fallback=False)),
        Way("one by one", _metered(serial), one_at_a_time),
        Way("no strips", _metered(whole), one_at_a_time),
    ]


def _metered(kit: Kit) -> Kit:
    prices = Prices()
    return kit.replace(
        grader=Metered(kit.grader, prices), strip_grader=Metered(kit.strip_grader, prices)
    )


def _keep_all(_question: str, documents: Sequence[Any]) -> list[Grade]:
    return [Grade(document_id=d["id"], binary_score="yes", confidence=1) for d in documents]


def bare_latency(url: str, calls: int = 10) -> float:
    """Return the median seconds of a call by the plainest client."""
    system = {"role": "system", "content": ROUTE.system}
    user = {"role": "user", "content": "<question-00000000>\nseats\n</question-00000000>"}
    body = json.dumps({"model": SMALL, "messages": [system, user]}).encode()
    request = urllib.request.Request(f"{url}/v1/chat/completions", body)
    taken = []
    for _ in range(calls):
        began = time.perf_counter()
        urllib.request.urlopen(request).read()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def search_seconds(kit: Kit, question: str) -> float:
    """Return the seconds of the search that the runs will find remembered."""
    began = time.perf_counter()
    kit.retriever(question, CragConfig().top_k)
    return time.perf_counter() - began


def report(measured: list[Way], nominal: float, latency: float) -> None:
    """Print a row a way, and what the first gains over the others."""
    print(
        f"{len(measured[0].runs)} questions, {nominal * 1000:.0f} ms a call, "
        f"{latency * 1000:.1f} ms as a client sees it; medians of a question"
    )
    print(f"{'':12}{'calls':>7}{'hops':>6}{'ms':>8}{'of path':>9}{'grading':>10}{'USD':>10}")
    for way in measured:
        path = [t / (h * latency) for t, h in zip(way.seconds, way.hops, strict=True)]
        tokens, usd = _grading(way)
        print(
            f"{way.name:12}{statistics.median(way.calls):7.0f}{statistics.median(way.hops):6.0f}"
            f"{statistics.median(way.seconds) * 1000:8.0f}{statistics.median(path):9.3f}"
            f"{tokens:10.0f}{usd:10.6f}"
        )
    shipped, serial, whole = measured
    for other in (serial, whole):
        times = sum(other.seconds) / sum(shipped.seconds)
        (tokens, usd), (their_tokens, their_usd) = _grading(shipped), _grading(other)
        print(
            f"crag against {other.name}: {times:.2f} x faster, "
            f"{tokens / their_tokens:.2f} x the grading tokens, {usd / their_usd:.3f} x their cost"
        )
    pairs = zip(shipped.runs, serial.runs, strict=True)
    same = sum((a.answer, a.tag) == (b.answer, b.tag) for a, b in pairs)
    print(f"same answer and tag as {serial.name}: {same} of {len(shipped.runs)}")


def _grading(way: Way) -> tuple[float, float]:
    """Return grading tokens and USD a question; documents and strips together."""
    graders = [g for g in (way.kit.grader, way.kit.strip_grader) if isinstance(g, Metered)]
    count = len(way.runs)
    return sum(g.tokens for g in graders) / count, sum(g.usd for g in graders) / count


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--latency", type=float, default=0.1, help="seconds a call")
    parser.add_argument("--questions", type=int, default=20, help="how many of the practice half")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.latency)
        return
    asked = [q.question for q in load_questions(half="practice") if q.answered_by == "kb"]
    with server_process(options.latency) as url:
        measured = ways(url, company_index())
        for way in measured:
            way.warm_up(asked[-1])
        seen, searched = bare_latency(url), []
        for question in asked[: options.questions]:
            # what is measured is the waiting for models, so the search is made before, and told
            searched.append(search_seconds(measured[0].kit, question))
            for way in measured:
                way.measure(url, options.latency, question)
    report(measured, options.latency, seen)
    print(f"the local search, not among these: {statistics.median(searched) * 1000:.0f} ms")


if __name__ == "__main__":
    main()
