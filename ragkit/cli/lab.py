"""`ragkit lab`: open the notebooks, in marimo's editor or in JupyterLab."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from ragkit.cli import workbook
from ragkit.cli.gallery import Gallery, numbered_notebooks

PORTS = {"marimo": 2718, "jupyter": 8888}
# a closed browser tab keeps its notebook's kernel for two hours, then its memory is given back
SESSION_SECONDS = 7200
START_SECONDS = 60


def lab(
    jupyter: Annotated[bool, typer.Option(help="JupyterLab instead of marimo.")] = False,
    port: Annotated[int | None, typer.Option(help="Taken? Then the next free one.")] = None,
    host: Annotated[str, typer.Option(help="0.0.0.0 lets other machines in.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open a browser where there is one.")] = True,
    folder: Annotated[Path | None, typer.Option(help="Work on a copy in this folder.")] = None,
) -> None:
    """Open the gallery of notebooks and print its address."""
    kind = "jupyter" if jupyter else "marimo"
    try:
        notebooks = workbook.prepare(kind, folder)
    except OSError as error:
        typer.echo(f"ragkit lab: {error}", err=True)
        raise typer.Exit(1) from error
    wanted = port or PORTS[kind]
    port = free_port(host, wanted)
    if port != wanted:
        typer.echo(f"Port {wanted} is taken, using {port}.")
    token = secrets.token_urlsafe(16)
    shown_host = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host
    url = f"http://{shown_host}:{port}{_page(kind, notebooks)}{token}"
    announce = threading.Thread(target=_announce, args=(host, port, url, browser), daemon=True)
    announce.start()
    serve = _serve_jupyter if jupyter else _serve_marimo
    serve(notebooks, host, port, token)


def free_port(host: str, wanted: int) -> int:
    """Return `wanted`, or the next port above it that nothing listens on, or any free one."""
    last = min(wanted + 50, 65536)
    for candidate in (*range(wanted, last), 0):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            try:
                probe.bind((host, candidate))
            except OSError:
                continue
            return probe.getsockname()[1]
    raise OSError(f"no free port on {host}")


def has_screen(environment: os._Environ[str] | dict[str, str] = os.environ) -> bool:
    """Tell whether a browser window can come up here."""
    if sys.platform in ("win32", "darwin"):
        return "SSH_CONNECTION" not in environment
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def _page(kind: str, notebooks: Path) -> str:
    if kind == "marimo":
        return "/?access_token="
    first = numbered_notebooks(notebooks, ".ipynb")
    return f"/lab{f'/tree/{first[0].name}' if first else ''}?token="


def _announce(host: str, port: int, url: str, browser: bool) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _listens(host, port):
        if time.monotonic() > deadline:
            typer.echo(f"ragkit lab: nothing answers on port {port} yet", err=True)
            return
        time.sleep(0.1)
    typer.echo(f"The notebooks are at {url} (stop with Ctrl+C)")
    if browser and has_screen():
        webbrowser.open(url)


def _listens(host: str, port: int) -> bool:
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    try:
        socket.create_connection((target, port), timeout=0.5).close()
    except OSError:
        return False
    return True


def _serve_marimo(notebooks: Path, host: str, port: int, token: str) -> None:
    from marimo._cli.cli import main as marimo
    from marimo._server.registry import MIDDLEWARE_REGISTRY
    from starlette.middleware import Middleware

    MIDDLEWARE_REGISTRY.register("ragkit-gallery", Middleware(Gallery, folder=notebooks))
    quiet = ["--log-level", "error", "--quiet", "--yes"]
    where = ["--host", host, "--port", str(port), "--token-password", token, "--headless"]
    rest = ["--skip-update-check", "--no-sandbox", "--session-ttl", str(SESSION_SECONDS)]
    logging.getLogger("uvicorn.error").addFilter(_is_no_farewell)
    marimo([*quiet, "edit", *where, *rest, str(notebooks)])


def _is_no_farewell(record: logging.LogRecord) -> bool:
    # stopping by Ctrl+C cancels the server's last task, which is no error to show
    return "CancelledError" not in record.getMessage()


def _serve_jupyter(notebooks: Path, host: str, port: int, token: str) -> None:
    # settings that keep JupyterLab from asking about news and from looking for updates
    paths = [str(Path(__file__).with_name("jupyter")), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
    from jupyterlab.labapp import LabApp

    settings = {
        "ServerApp.ip": host,
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": notebooks,
        "ServerApp.open_browser": False,
        "ServerApp.answer_yes": True,
        "ServerApp.allow_root": True,
        "Application.log_level": "CRITICAL",
        "IdentityProvider.token": token,
    }
    LabApp.launch_instance(argv=[f"--{name}={value}" for name, value in settings.items()])
