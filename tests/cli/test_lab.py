"""`ragkit lab` really serves: marimo and JupyterLab in a process of their own, over loopback."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, ProxyHandler, build_opener

import pytest

from ragkit.cli.lab import free_port, has_screen

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
START_SECONDS = 120
NOTEBOOK = """# /// script
# [tool.ragkit]
# title = "1. Six times seven"
# description = "One product."
# ///
import marimo

app = marimo.App()


@app.cell
def _():
    print("six times seven is", 6 * 7)
    return


if __name__ == "__main__":
    app.run()
"""
IPYNB = {
    "cells": [
        {"cell_type": "code", "id": "a", "source": "6 * 7", "metadata": {}, "outputs": [],
         "execution_count": None}
    ],
    "metadata": {}, "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip


@dataclass
class Lab:
    """A running `ragkit lab` and what it has printed so far."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        (found,) = re.findall(r"http://\S+", "\n".join(self.lines))
        return found

    def browser(self) -> OpenerDirector:
        """Return what opens addresses as a browser does: with cookies, without a proxy."""
        return build_opener(HTTPCookieProcessor(CookieJar()), ProxyHandler({}))

    def stop(self) -> tuple[int, str]:
        """Press Ctrl+C; return the exit code and what was printed after the address."""
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=30)
        return self.process.returncode, rest


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a checkout of its own with one small notebook, so that no other is touched."""
    root = tmp_path_factory.mktemp("checkout")
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "ragkit", root / "ragkit", ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "notebooks/jupyter").mkdir(parents=True)
    (root / "notebooks/01_product.py").write_text(NOTEBOOK, encoding="utf-8")
    (root / "notebooks/jupyter/01_product.ipynb").write_text(json.dumps(IPYNB), encoding="utf-8")
    return root


@pytest.fixture
def start(checkout: Path, tmp_path: Path) -> Iterator[Callable[..., Lab]]:
    """Start labs with an empty home folder and no screen; end those still running."""
    running: list[Lab] = []

    def run(*options: str) -> Lab:
        environment = {**os.environ, "PYTHONPATH": str(checkout), "HOME": str(tmp_path)}
        environment |= {"USERPROFILE": str(tmp_path), "PYTHONUNBUFFERED": "1"}
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            environment.pop(name, None)
        process = subprocess.Popen(
            [sys.executable, "-m", "ragkit", "lab", *options],
            cwd=tmp_path, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            # a shell's background job ignores Ctrl+C and hands that on
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        lab = Lab(process)
        running.append(lab)
        alarm = threading.Timer(START_SECONDS, process.kill)
        alarm.start()
        for line in process.stdout:
            lab.lines.append(line.rstrip())
            if "http://" in line:
                break
        alarm.cancel()
        assert lab.lines and "http://" in lab.lines[-1], lab.lines
        return lab

    yield run
    for lab in running:
        if lab.process.poll() is None:
            lab.process.kill()
            lab.process.communicate()


@pytest.fixture
def taken() -> Iterator[int]:
    """Listen on a port, as another program would."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_marimo_opens_at_the_printed_address_on_another_port_than_a_taken_one(
    start: Callable[..., Lab], taken: int
) -> None:
    lab = start("--port", str(taken))
    port = urlsplit(lab.url).port
    assert port != taken
    assert lab.lines == [
        f"Port {taken} is taken, using {port}.",
        f"The notebooks are at {lab.url} (stop with Ctrl+C)",
    ]
    browser = lab.browser()
    page = browser.open(lab.url).read().decode()
    assert "Six times seven" in page
    assert 'href="?file=01_product.py"' in page
    editor = browser.open(f"http://localhost:{port}/?file=01_product.py").read().decode()
    assert "01_product.py" in editor
    assert '"auto_instantiate": true' in editor, "a notebook opens run"
    assert lab.stop() == (0, "")


def test_marimo_shows_nothing_to_who_has_no_token(start: Callable[..., Lab]) -> None:
    lab = start()
    stranger = lab.browser()
    home = f"http://localhost:{urlsplit(lab.url).port}/"
    assert "/auth/login" in stranger.open(home).url
    assert "/auth/login" in stranger.open(f"{home}?access_token=guess").url
    assert "/auth/login" in stranger.open(f"{home}?file=01_product.py").url


def test_jupyter_opens_at_the_printed_address_on_another_port_than_a_taken_one(
    start: Callable[..., Lab], taken: int, checkout: Path
) -> None:
    lab = start("--jupyter", "--port", str(taken))
    port = urlsplit(lab.url).port
    assert port != taken
    assert lab.lines[-1] == f"The notebooks are at {lab.url} (stop with Ctrl+C)"
    assert str(checkout / "workbook/jupyter") in lab.lines[0]
    browser = lab.browser()
    reply = browser.open(lab.url)
    page = reply.read().decode()
    assert "/lab/tree/01_product.ipynb" in reply.url
    listing = json.load(browser.open(f"http://localhost:{port}/api/contents"))
    assert [item["name"] for item in listing["content"]] == ["01_product.ipynb"]
    with pytest.raises(HTTPError, match="403"):
        lab.browser().open(f"http://localhost:{port}/api/contents")
    settings = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])
    assert settings["news"] == {"disabled": True}
    code, rest = lab.stop()
    assert code == 0
    assert "Traceback" not in rest


def test_without_a_notebook_it_says_so_and_fails(checkout: Path, tmp_path: Path) -> None:
    root = tmp_path / "empty"
    shutil.copytree(checkout, root)
    (root / "notebooks/01_product.py").unlink()
    done = subprocess.run(
        [sys.executable, "-m", "ragkit", "lab"],
        env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 1
    assert "no notebook found" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.browser
def test_a_click_on_a_card_opens_the_notebook_run(start: Callable[..., Lab]) -> None:
    from playwright.sync_api import expect, sync_playwright

    assert CHROMIUM, "chromium is missing: apt install chromium"
    lab = start()
    with sync_playwright() as play:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        page = play.chromium.launch(executable_path=CHROMIUM, args=options).new_page()
        foreign: list[str] = []
        page.context.on("request", lambda request: foreign.append(request.url))
        page.goto(lab.url, timeout=120_000)
        with page.context.expect_page() as opened:
            page.get_by_role("heading", name="Six times seven").click()
        expect(opened.value.get_by_text("six times seven is 42")).to_be_visible(timeout=180_000)
    assert not [url for url in foreign if urlsplit(url).hostname not in ("localhost", None, "")]


def test_a_free_port_is_the_wanted_one_or_the_next(taken: int) -> None:
    other = free_port("127.0.0.1", taken)
    assert other != taken
    assert free_port("127.0.0.1", other) == other


def test_the_last_port_taken_gives_any_free_one(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        blocker = socket.create_server(("127.0.0.1", 65535))
    except OSError:
        blocker = None  # somebody else holds it, which is just as good
    assert 0 < free_port("127.0.0.1", 65535) < 65535
    if blocker:
        blocker.close()


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ""}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
        ("darwin", {"SSH_CONNECTION": "1 2 3 4"}, False),
        ("win32", {}, True),
    ],
)
def test_a_browser_is_opened_only_where_there_is_a_screen(
    platform: str, environment: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert has_screen(environment) is expected
