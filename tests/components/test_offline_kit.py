"""The offline kit as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragkit import offline_kit


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> object:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "tea.md").write_text(
        "# Tea room\n\nGreen tea costs $4 a pot. The tea room opens at 9 o'clock.\n"
        "\n## Cakes\n\nLemon cake is baked on Mondays.\n",
        encoding="utf-8",
    )
    (folder / "bikes.md").write_text(
        "# Bikes\n\nA bike can be rented for 12 euros a day.\n", encoding="utf-8"
    )
    return offline_kit(folder)


def test_a_folder_is_searched_graded_and_quoted(kit: object) -> None:
    question = "How much is a pot of green tea?"
    found = kit.retriever(question, 3)
    grades = {g.document_id: g for g in kit.grader(question, found)}
    best = max(found, key=lambda document: grades[document["id"]].score)
    assert "Green tea costs" in best["content"]
    answer = kit.generator(question, [best])
    assert answer.answerable
    assert "$4" in answer.text
    assert "[1]" in answer.text


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        offline_kit(tmp_path / "nowhere")


def test_components_can_be_swapped(kit: object) -> None:
    swapped = kit.replace(grader=lambda question, documents: [])
    assert swapped.grader("x", []) == []
