"""The controls and the threshold map where readers meet them: both kernels, both pages.

The websocket part speaks marimo's own undocumented protocol (0.25); marimo is pinned.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import front_ends
import nbformat
import pytest
from nbclient import NotebookClient
from websockets.sync.client import connect

SAMPLE = Path(__file__).parent / "sample_notebooks" / "01_sample.py"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sample as a Jupyter notebook."""
    target = tmp_path_factory.mktemp("jupyter") / "01_sample.ipynb"
    command = [sys.executable, "-m", "marimo", "-q", "export", "ipynb", str(SAMPLE)]
    subprocess.run([*command, "--sort", "top-down", "-o", str(target), "-f"], check=True)
    return target


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    with front_ends.browser() as made:
        yield made


# --- marimo's kernel ---


class Session:
    """One reader of a served notebook, without a browser."""

    def __init__(self, url: str, token: str, socket: object) -> None:
        self.url, self.token, self.socket = url, token, socket

    def outputs(self) -> dict[str, str]:
        """Return the output of every cell that ran until the kernel is done."""
        seen: dict[str, str] = {}
        while (message := json.loads(self.socket.recv(timeout=60)))["op"] != "completed-run":
            cell = message["data"]
            if message["op"] == "cell-op" and cell.get("output"):
                seen[cell["cell_id"]] = json.dumps(cell["output"]["data"])
        return seen

    def move(self, element: str, value: object) -> dict[str, str]:
        """Move a control and return what ran after it."""
        body = json.dumps({"objectIds": [element], "values": [value]}).encode()
        headers = {
            "Marimo-Session-Id": "reader", "Marimo-Server-Token": self.token,
            "Content-Type": "application/json",
        }  # fmt: skip
        urlopen(Request(self.url + "api/kernel/set_ui_element_value", body, headers)).close()
        return self.outputs()


@contextmanager
def reading(notebook: Path) -> Iterator[Session]:
    """Serve a notebook and open it as a page would."""
    with front_ends.marimo_app(notebook) as url:
        token = re.search(r'"serverToken":\s*"([^"]+)"', urlopen(url).read().decode())[1]
        address = url.replace("http", "ws") + "ws?session_id=reader"
        with connect(address, max_size=None, proxy=None) as socket:
            yield Session(url, token, socket)


def test_a_moved_slider_runs_its_view_and_nothing_else() -> None:
    with reading(SAMPLE) as session:
        first = session.outputs()
        [slider] = [
            re.search(r"object-id='([^']+)'", html)[1]
            for html in first.values()
            if "<marimo-slider" in html
        ]
        assert any(_value(html) == "11" for html in first.values())
        after = session.move(slider, 0.9)
        assert [_value(html) for html in after.values()] == ["3"]
        refused = session.move(slider, 0.95)
        assert ["keeps nothing worth reading" in html for html in refused.values()] == [True]
        assert [_value(html) for html in session.move(slider, 1.0 - 0.1).values()] == ["3"]


def _value(html: str) -> str | None:
    found = re.search(r'rk-value\\*">([^<]+)<', html)
    return found and found[1]


# --- a Jupyter kernel ---


def executed(exported: Path, *more: str) -> list[nbformat.NotebookNode]:
    """Run the exported sample with more cells after it."""
    notebook = nbformat.read(exported, as_version=4)
    notebook.cells += [nbformat.v4.new_code_cell(code) for code in more]
    root = str(front_ends.ROOT)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(f"import sys; sys.path.insert(0, {root!r})"))
    NotebookClient(notebook, timeout=120).execute()
    return notebook.cells


def shown(cells: list[nbformat.NotebookNode], source: str) -> str:
    [cell] = [cell for cell in cells if cell.source.startswith(source)]
    return "".join(output.data["text/html"] for output in cell.outputs)


def test_a_moved_slider_redraws_in_jupyter(exported: Path) -> None:
    assert _value(shown(executed(exported), "ui.live(lambda threshold")) == "11"
    moved = executed(exported, "threshold.value = 0.9")
    assert _value(shown(moved, "ui.live(lambda threshold")) == "3"


def test_a_refused_value_is_said_in_jupyter(exported: Path) -> None:
    moved = executed(exported, "threshold.value = 1.0")
    assert "keeps nothing worth reading" in shown(moved, "ui.live(lambda threshold")


def test_moved_lines_redraw_in_jupyter(exported: Path) -> None:
    moved = executed(exported, "cuts.fail = 0.1", "cuts.passing = 0.9")
    assert re.findall(r'rk-value">([^<]+)<', shown(moved, "ui.live(lambda cuts")) == ["0.1", "0.9"]


def test_a_view_that_raises_fails_its_cell(exported: Path) -> None:
    from nbclient.exceptions import CellExecutionError

    with pytest.raises(CellExecutionError, match="keeps nothing"):
        executed(exported, "ui.live(lambda t: kept(scores, 1), t=threshold)")


# --- browsers ---


def walk_the_map(page: object) -> list[str]:
    """Move the pass line by keys and the fail line by mouse; return what the tiles say."""
    from playwright.sync_api import expect

    line = page.get_by_role("slider", name="pass threshold")
    line.wait_for(timeout=60_000)
    line.focus()
    for _ in range(4):
        page.keyboard.press("Shift+ArrowRight")
    handle = page.get_by_role("slider", name="fail threshold").locator(".rk-knob")
    handle.scroll_into_view_if_needed()
    knob = handle.bounding_box()
    x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 100, y, steps=4)
    page.mouse.up()
    tile = page.locator(".rk-tile", has_text="fail at").locator(".rk-value")
    expect(tile).not_to_have_text("0.35")
    tiles = page.locator(".rk-tile", has_text="at").locator(".rk-value")
    return [tile.inner_text() for tile in tiles.all()]


@pytest.mark.browser
@pytest.mark.skipif(front_ends.CHROMIUM is None, reason="needs chromium for browser walks")
def test_walk_in_marimo(chromium: object) -> None:
    from playwright.sync_api import expect

    walk = front_ends.Walk(chromium, height=2400)
    with front_ends.marimo_app(SAMPLE) as url:
        front_ends.open_marimo(walk.page, url)
        handle = walk.page.locator("marimo-slider [role=slider]")
        kept = walk.page.locator(".rk-tile", has_text="kept").locator(".rk-value")
        expect(kept).to_have_text("11")
        handle.focus()
        for _ in range(8):
            handle.press("ArrowRight")
        expect(kept).to_have_text("3")
        fail, passing = walk_the_map(walk.page)
        assert float(fail) < 0.35 and passing == "0.9"
        assert "Not solved yet" in walk.page.locator("body").inner_text()
    assert (walk.errors, walk.asked) == ([], [])
    walk.page.close()


@pytest.mark.browser
@pytest.mark.skipif(front_ends.CHROMIUM is None, reason="needs chromium for browser walks")
def test_walk_in_jupyterlab(chromium: object, exported: Path) -> None:
    from playwright.sync_api import expect

    walk = front_ends.Walk(chromium, height=2400)
    with front_ends.jupyter_lab(exported.parent) as url:
        front_ends.run_in_lab(walk.page, url + exported.name)
        handle = walk.page.locator(".widget-slider .noUi-handle").first
        kept = walk.page.locator(".rk-tile", has_text="kept").locator(".rk-value")
        expect(kept).to_have_text("11")
        handle.focus()
        for _ in range(8):
            handle.press("ArrowRight")
        expect(kept).to_have_text("3")
        fail, passing = walk_the_map(walk.page)
        assert float(fail) < 0.35 and passing == "0.9"
    assert (walk.errors, walk.asked) == ([], [])
    walk.page.close()
