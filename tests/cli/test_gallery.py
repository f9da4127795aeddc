"""The gallery lists the notebooks in reading order, and only to who may see it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from ragkit.cli.gallery import Card, Gallery, numbered_notebooks, read_card, render

HEADER = """# /// script
# [tool.ragkit]
# title = "{title}"
# description = "Why <one> loop & a half"
# ///
import marimo
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, title in (("10_last", "10. The last"), ("02_b", "2. Second"), ("01_a", "First")):
        text = HEADER.format(title=title)
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    (tmp_path / "helper.py").write_text("", encoding="utf-8")
    return tmp_path


def test_notebooks_come_in_reading_order(folder: Path) -> None:
    assert [path.stem for path in numbered_notebooks(folder)] == ["01_a", "02_b", "10_last"]


def test_a_card_reads_the_header_and_does_not_repeat_the_number(folder: Path) -> None:
    card = Card("10_last.py", "10", "The last", "Why <one> loop & a half")
    assert read_card(folder / "10_last.py") == card


@pytest.mark.parametrize(
    "source",
    ["import marimo\n", "# /// script\n# not toml [\n# ///\n", "# /// script\n# a = 1\n# ///\n"],
    ids=["no header", "broken header", "other header"],
)
def test_without_a_title_the_file_name_gives_one(tmp_path: Path, source: str) -> None:
    path = tmp_path / "03_grade_and_rewrite.py"
    path.write_text(source, encoding="utf-8")
    assert read_card(path) == Card(path.name, "03", "Grade and rewrite", "")


def test_a_title_that_is_a_number_stays(tmp_path: Path) -> None:
    path = tmp_path / "04_x.py"
    path.write_text(HEADER.format(title="40 questions"), encoding="utf-8")
    assert read_card(path).title == "40 questions"


def test_the_page_escapes_what_it_shows_and_asks_for_nothing_else(folder: Path) -> None:
    page = render(folder)
    assert "Why &lt;one&gt; loop &amp; a half" in page
    assert page.index("01_a.py") < page.index("02_b.py") < page.index("10_last.py")
    assert "helper" not in page
    assert not [part for part in ("http:", "https:", "<script", "@import") if part in page]


class Behind:
    """Stands in for marimo's own application."""

    async def __call__(self, scope: dict, receive: object, send: object) -> None:
        from starlette.responses import PlainTextResponse

        await PlainTextResponse("marimo")(scope, receive, send)


def client(folder: Path, scopes: list[str]) -> TestClient:
    gallery = Gallery(Behind(), folder)

    async def app(scope: dict, receive: object, send: object) -> None:
        scope["auth"] = SimpleNamespace(scopes=scopes)
        await gallery(scope, receive, send)

    return TestClient(app)


def test_who_is_logged_in_gets_the_gallery(folder: Path) -> None:
    assert "01_a.py" in client(folder, ["read", "edit"]).get("/").text


@pytest.mark.parametrize("path", ["/?file=01_a.py", "/?access_token=x", "/?files", "/api/status"])
def test_every_other_address_is_left_to_marimo(folder: Path, path: str) -> None:
    assert client(folder, ["read", "edit"]).get(path).text == "marimo"


def test_who_is_not_logged_in_gets_no_list(folder: Path) -> None:
    assert client(folder, []).get("/").text == "marimo"


def test_a_post_is_left_to_marimo(folder: Path) -> None:
    assert client(folder, ["read"]).post("/").text == "marimo"
