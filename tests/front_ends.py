"""Serve a notebook as its readers meet it, in marimo or JupyterLab, and open it in Chromium."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "docmanager-extension/plugin": {"autosave": False},  # outputs stay out of the exports
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def served(command: list[str], url: str, **env: str) -> Iterator[str]:
    """Start a server, yield its address once it answers, and stop it with its kernels."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(
            command, stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": path, **env}
        )
        try:
            _wait_for(url, server, log)
            yield url
        finally:
            server.terminate()
            server.wait(20)


def _wait_for(url: str, server: subprocess.Popen[bytes], log: object) -> None:
    for _ in range(300):
        if server.poll() is not None:
            break
        try:
            urlopen(url, timeout=5).close()
            return
        except (URLError, OSError):
            time.sleep(0.2)
    log.seek(0)
    raise RuntimeError(f"no answer from {url}:\n{log.read().decode(errors='replace')[-2000:]}")


@contextmanager
def marimo_app(notebook: Path) -> Iterator[str]:
    """Serve one notebook by `marimo run`."""
    port = free_port()
    command = [sys.executable, "-m", "marimo", "-q", "run", str(notebook), "--headless"]
    command += ["--no-token", "--no-sandbox", "-p", str(port)]
    with served(command, f"http://127.0.0.1:{port}/") as url:
        yield url


@contextmanager
def jupyter_lab(folder: Path, dark: bool = False) -> Iterator[str]:
    """Serve a folder by JupyterLab; add a notebook's name to the address it yields."""
    port = free_port()
    with tempfile.TemporaryDirectory() as home:
        theme = "JupyterLab Dark" if dark else "JupyterLab Light"
        for name, values in {**SETTINGS, "apputils-extension/themes": {"theme": theme}}.items():
            file = Path(home, "settings", "@jupyterlab", name + ".jupyterlab-settings")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values), encoding="utf-8")
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += [f"--port={port}", "--ServerApp.port_retries=0", f"--notebook-dir={folder}"]
        command += ["--IdentityProvider.token=", "--LabApp.news_url="]
        places = {
            "JUPYTERLAB_SETTINGS_DIR": f"{home}/settings",
            "JUPYTERLAB_WORKSPACES_DIR": f"{home}/workspaces",
            "JUPYTER_CONFIG_DIR": f"{home}/config",
        }
        with served(command, f"http://127.0.0.1:{port}/api", **places) as url:
            yield url.removesuffix("api") + "doc/tree/"


@contextmanager
def browser() -> Iterator[object]:
    """Start Chromium; nothing but this machine is reachable from its pages."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


def offline(page: object) -> list[str]:
    """Refuse a page every other host; the list returned fills with what it asked for."""
    asked: list[str] = []

    def refuse(route: object) -> None:
        asked.append(route.request.url)
        route.abort()

    page.route(re.compile(r"^(?!http://127\.0\.0\.1|data:|blob:)"), refuse)
    return asked


def open_marimo(page: object, url: str) -> None:
    """Open a marimo app and wait until no cell is left running."""
    page.goto(url, timeout=120_000)
    page.locator(".output").first.wait_for(state="attached", timeout=60_000)
    # the icon goes away between two cells too
    for _ in range(3):
        settled(page, 1500)
        page.wait_for_function("!document.querySelector('.running-app-icon')", timeout=300_000)


def settled(page: object, quiet: int = 2500, longest: int = 120_000) -> None:
    """Wait until a page has stopped changing for `quiet` milliseconds."""
    size = "document.body.innerHTML.length + '/' + document.querySelectorAll('.output').length"
    last, still = None, 0
    for _ in range(longest // 500):
        now = page.evaluate(size)
        still = still + 500 if now == last else 0
        if still >= quiet:
            return
        last = now
        page.wait_for_timeout(500)
    raise AssertionError("the page never stopped changing")


def run_in_lab(page: object, url: str) -> None:
    """Open a notebook in JupyterLab, run all its cells and wait for the last."""
    page.goto(url, timeout=120_000)
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=60_000)
    _wait_for_kernel(page, url.partition("doc/tree/")[0] + "api/sessions")
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_function(
        "[...document.querySelectorAll('.jp-CodeCell')].every("
        "c => !c.innerText.match(/\\[[ *]\\]:/)"
        " || !c.querySelector('.cm-content').innerText.trim())",
        timeout=180_000,
    )
    page.wait_for_timeout(2000)


def _wait_for_kernel(page: object, sessions: str) -> None:
    """Wait until the page is connected to an idle kernel; running earlier asks to choose one."""
    for _ in range(120):
        with urlopen(sessions, timeout=5) as answer:
            kernels = [session["kernel"] for session in json.load(answer)]
        shown = page.evaluate(
            "document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status"
        )
        if shown == "idle" and any(kernel["connections"] for kernel in kernels):
            page.wait_for_timeout(1000)
            return
        page.wait_for_timeout(500)
    raise AssertionError("JupyterLab never connected to a kernel")


class Walk:
    """A page that remembers what went wrong on it and what it asked of other hosts."""

    def __init__(self, chromium: object, height: int = 900) -> None:
        self.page = chromium.new_page(viewport={"width": 1280, "height": height})
        self.asked = offline(self.page)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
