"""An OpenAI-protocol server on loopback that replies what a test tells it to, over real HTTP.

`with scripted_server(says("yes")) as server:` gives `server.url`, `server.requests` and a queue.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ragkit.prompts import PROMPTS

Body = dict[str, Any]
Behaviour = Callable[[Body], Any]
USAGE = {
    "prompt_tokens": 120, "completion_tokens": 12, "total_tokens": 132,
    "prompt_tokens_details": {"cached_tokens": 64},
}  # fmt: skip


def says(text: str | None, finish: str = "stop", **message: Any) -> Behaviour:
    """Reply in text, as one body or as a stream, as the request wants it."""

    def behave(body: Body) -> Response:
        if body.get("stream"):
            return _stream(body, text or "", finish)
        return _completion(body, {"role": "assistant", "content": text, **message}, finish)

    return behave


def fills(fields: Any, finish: str = "tool_calls") -> Behaviour:
    """Reply by a tool call if a tool is offered, else by JSON text; `fields` may be raw text."""

    def behave(body: Body) -> Response:
        text = fields if isinstance(fields, str) else json.dumps(fields)
        if not body.get("tools"):
            end = "stop" if finish == "tool_calls" else finish
            return _completion(body, {"role": "assistant", "content": text}, end)
        function = {"name": body["tools"][0]["function"]["name"], "arguments": text}
        call = {"id": "call_1", "type": "function", "function": function}
        return _completion(
            body, {"role": "assistant", "content": None, "tool_calls": [call]}, finish
        )

    return behave


def refuses(reason: str = "I cannot help with that.") -> Behaviour:
    """Reply with a refusal field."""
    return lambda body: _completion(
        body, {"role": "assistant", "content": None, "refusal": reason}, "stop"
    )


def fails(status: int, message: str = "it went wrong", code: str = "", **headers: str) -> Behaviour:
    """Reply with an error status; `retry_after="1"` becomes the header Retry-After."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    error = {"message": message, "type": "error", "param": None, "code": code or None}
    return lambda _body: JSONResponse({"error": error}, status_code=status, headers=named)


def html() -> Behaviour:
    """Reply with a web page and status 200, as a login wall does."""
    return lambda _body: HTMLResponse("<html><body>Please log in</body></html>")


def raw(text: str) -> Behaviour:
    """Reply with a body that says it is JSON."""
    return lambda _body: Response(text, media_type="application/json")


def drips(seconds_a_byte: float, total: int = 10_000) -> Behaviour:
    """Reply one byte at a time, so that no socket's time limit ever ends."""

    async def bytes_slowly() -> Any:
        for _ in range(total):
            yield b" "
            await asyncio.sleep(seconds_a_byte)

    return lambda _body: StreamingResponse(bytes_slowly(), media_type="application/json")


def closes(after: bytes = b'{"id": "x", "choi') -> Behaviour:
    """Close the connection in the middle of the body."""

    async def half() -> Any:
        yield after
        raise ConnectionResetError("scripted")

    return lambda _body: StreamingResponse(
        half(), media_type="application/json", headers={"content-length": "5000"}
    )


def streams_then_closes(*pieces: str) -> Behaviour:
    """Stream some text and close the connection before the end."""

    async def half() -> Any:
        for piece in pieces:
            yield _event({"choices": [{"index": 0, "delta": {"content": piece}}]})
        raise ConnectionResetError("scripted")

    return lambda _body: StreamingResponse(half(), media_type="text/event-stream")


class ScriptedServer:
    """The queue, what was asked, and how many were in flight at most."""

    def __init__(
        self, *queue: Behaviour, then: Behaviour | None = None, latency: float = 0
    ) -> None:
        self.queue = list(queue)
        self.then = then or fails(500, "the script is over")
        self.latency = latency
        self.requests: list[Body] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.most_at_once = 0
        self.url = ""
        self._at_once = 0

    async def chat(self, request: Request) -> Response:
        """Answer one chat completion."""
        body = await request.json()
        arrived = time.monotonic()
        self.requests.append(body)
        self.headers.append(dict(request.headers))
        self.times.append(arrived)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        behave = self.queue.pop(0) if self.queue else self.then
        try:
            reply = behave(body)
            # what the server itself needs is part of the latency it plays
            await asyncio.sleep(max(0.0, arrived + self.latency - time.monotonic()))
            return reply
        finally:
            self._at_once -= 1

    async def log(self, _request: Request) -> Response:
        """Tell the time and the job of each request since the last call."""
        told = [
            {"at": at, "job": job(body), "model": body["model"]}
            for at, body in zip(self.times, self.requests, strict=True)
        ]
        self.times.clear()
        self.requests.clear()
        return JSONResponse(told)


def app_of(server: ScriptedServer) -> Starlette:
    """Return the app: chat completions, and at `/log` what was asked since the last look."""
    return Starlette(
        routes=[
            Route("/v1/chat/completions", server.chat, methods=["POST"]),
            Route("/log", server.log, methods=["GET"]),
        ]
    )


@contextmanager
def scripted_server(
    *queue: Behaviour, then: Behaviour | None = None, latency: float = 0
) -> Iterator[ScriptedServer]:
    """Run a server for this block; after the queue it behaves like `then`."""
    server = ScriptedServer(*queue, then=then, latency=latency)
    # asyncio turns Nagle's delay off only where the socket names its protocol
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        runner = uvicorn.Server(
            uvicorn.Config(app_of(server), log_level="critical", timeout_graceful_shutdown=0)
        )
        thread = threading.Thread(target=runner.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not runner.started:
            time.sleep(0.005)
        try:
            yield server
        finally:
            runner.should_exit = runner.force_exit = True
            thread.join(timeout=5)


def _completion(body: Body, message: Body, finish: str) -> JSONResponse:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return JSONResponse(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [choice],
            "usage": USAGE,
        }
    )


def _stream(body: Body, text: str, finish: str) -> StreamingResponse:
    async def events() -> Any:
        for word in text.split(" "):
            delta = {"role": "assistant", "content": word + " "}
            yield _event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
        yield _event({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        if (body.get("stream_options") or {}).get("include_usage"):
            yield _event({"choices": [], "usage": USAGE})
        yield "data: [DONE]\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


def _event(fields: Body) -> str:
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return f"data: {json.dumps({**whole, **fields})}\n\n"


def job(body: Body) -> str:
    """Return the name of the prompt that a request is made with: grade, answer, check, ..."""
    system = body["messages"][0]["content"]
    return next(prompt.name for prompt in PROMPTS if system.startswith(prompt.system))


def thinks(**instead: Any) -> Behaviour:
    """Play a model that does every job well; `instead` replies otherwise by the job's name."""

    def behave(body: Body) -> Response:
        name = job(body)
        reply = instead.get(name) or _thought(name, body["messages"][-1]["content"])
        return (says if isinstance(reply, str) else fills)(reply)(body)

    return behave


def when(wanted: str, behaviour: Behaviour, otherwise: Behaviour) -> Behaviour:
    """Behave in one way for one job and in another for all others."""
    return lambda body: behaviour(body) if job(body) == wanted else otherwise(body)


def _thought(name: str, asked: str) -> Any:
    labels = re.findall(r'<(?:document|claim)-\w+ label="([cd]\d+)"', asked)
    strips = re.findall(r'<strip-\w+ label="(d\d+)(s\d+)"', asked)
    graded = [{"document_id": n, "binary_score": "yes", "confidence": 0.9} for n in labels]
    checked = [{"claim_id": n, "supported": "yes", "confidence": 0.9} for n in labels]
    well = dict.fromkeys(("resolved", "complete", "conflict_explained", "passed"), "yes")
    read = [{**g, "keep": [d + s for d, s in strips if d == g["document_id"]]} for g in graded]
    return {
        "grade": {"grades": graded},
        "read": {"grades": read},
        "grade-strips": {"grades": graded},
        "rewrite": f"another query {len(asked)}",
        "plan": {"queries": ["price of a seat"]},
        "answer": "Seats cost 9 USD [1].",
        "answer-unguarded": "Seats cost 9 USD [1].",
        "direct": "Hello.",
        "route": {"route": "vector_search", "rewritten_query": "seats", "reasoning": "ours"},
        "ground": {"checks": checked, "answered": "yes"},
        "check": {"checks": checked},
        "verify": {**well, "explanation": "it answers the question"},
    }[name]
