"""`ragkit index`: what was read, left out and changed, as a person sees it."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from ragkit.cli import app


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    pages = tmp_path / "handbook"
    (pages / "deep").mkdir(parents=True)
    (pages / "seats.md").write_text("# Seats\n\nA seat costs [15] $.", encoding="utf-8")
    (pages / "deep" / "codes.txt").write_text("ERROR_302 needs an operator.", encoding="utf-8")
    (pages / "empty.md").write_text("", encoding="utf-8")
    (pages / "broken.pdf").write_bytes(b"%PDF-1.7")
    return pages


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["index", *map(str, arguments)])
    return result.exit_code, " ".join(result.output.split())


def test_a_folder_is_indexed_and_what_is_left_out_is_named(folder, tmp_path) -> None:
    code, output = run(folder, "--path", tmp_path / "index")
    assert code == 0
    assert "2 pages, 2 chunks" in output
    assert "│ new │ 2 │" in output
    assert "│ left out │ 2 │" in output
    assert "left out handbook/empty.md: empty" in output
    assert "left out handbook/broken.pdf: a broken PDF" in output
    assert "2 added, 0 removed, 0 with new metadata, 0 as before" in output


def test_the_second_time_only_changes_are_told(folder, tmp_path) -> None:
    run(folder, "--path", tmp_path / "index")
    _, output = run(folder, "--path", tmp_path / "index")
    assert "0 added, 0 removed, 0 with new metadata, 2 as before" in output
    (folder / "seats.md").write_text("# Seats\n\nA seat costs 19 $.", encoding="utf-8")
    (folder / "deep" / "codes.txt").unlink()
    (folder / "new.html").write_text("<h1>New</h1><p>Page.</p>", encoding="utf-8")
    _, output = run(folder, "--path", tmp_path / "index")
    assert "changed: handbook/seats.md" in output
    assert "removed: handbook/deep/codes.txt" in output
    assert "new: handbook/new.html" in output
    assert "2 added, 2 removed, 0 with new metadata, 0 as before" in output


def test_a_search_shows_source_and_text_as_written(folder) -> None:
    code, output = run(folder, "--search", "What does a seat cost?", "-k", 1)
    assert code == 0
    assert "kept in memory only" in output
    assert "handbook/seats.md" in output
    assert "A seat costs [15] $." in output
    assert "ERROR_302" not in output


def test_a_search_that_finds_nothing_says_so(folder) -> None:
    assert "nothing found" in run(folder, "--search", "  ")[1]


def test_nothing_to_index_fails_and_leaves_the_index_alone(folder, tmp_path) -> None:
    run(folder, "--path", tmp_path / "index")
    (folder / "seats.md").write_text("", encoding="utf-8")
    (folder / "deep" / "codes.txt").unlink()
    code, output = run(folder, "--path", tmp_path / "index")
    assert code == 1
    assert "left out handbook/seats.md: empty" in output
    assert "could be indexed; an index stays as it was" in output
    (folder / "seats.md").write_text("# Seats\n\nA seat costs [15] $.", encoding="utf-8")
    assert (
        "1 removed, 0 with new metadata, 1 as before"
        in run(folder, "--path", tmp_path / "index")[1]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}/nowhere"], "there is no folder"),
        (["{folder}/seats.md"], "is a file"),
        (["{folder}", "--server", "http://x/y"], "no server address"),
        (["{folder}", "--server", "127.0.0.1:1"], "no Chroma server answers"),
        (["{folder}", "--path", "{folder}/seats.md"], "an index needs a folder"),
        (["{folder}", "--name", "a b"], "cannot name an index"),
    ],
)
def test_an_error_is_one_line_with_the_culprit(folder, arguments, message) -> None:
    code, output = run(*[argument.format(folder=folder) for argument in arguments])
    assert code == 1
    assert message in output
    assert "Traceback" not in output
