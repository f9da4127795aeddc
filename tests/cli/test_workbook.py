"""Readers work on the source in a checkout, else on a copy, and lose nothing of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragkit.cli import workbook


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return shipped(tmp_path / "repository/notebooks", monkeypatch)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    return shipped(tmp_path / "site/ragkit/_notebooks", monkeypatch)


def shipped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder / "jupyter").mkdir(parents=True)
    for name in ("00_start", "01_naive"):
        (folder / f"{name}.py").write_text("shipped", encoding="utf-8")
        (folder / f"jupyter/{name}.ipynb").write_text("shipped", encoding="utf-8")
    monkeypatch.setattr(workbook, "notebooks_dir", lambda: folder)
    return folder


def read(folder: Path, name: str = "00_start.py") -> str:
    return (folder / name).read_text(encoding="utf-8")


def write(folder: Path, text: str, name: str = "00_start.py") -> None:
    (folder / name).write_text(text, encoding="utf-8")


def test_a_checkout_is_opened_in_place(checkout: Path) -> None:
    assert workbook.prepare("marimo") == checkout


def test_generated_notebooks_are_copied_even_in_a_checkout(checkout: Path) -> None:
    target = workbook.prepare("jupyter")
    assert target == checkout.parent / "workbook/jupyter"
    assert sorted(p.name for p in target.glob("*.ipynb")) == ["00_start.ipynb", "01_naive.ipynb"]


def test_a_checkout_that_cannot_be_written_is_copied_to_the_home_folder(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setattr(workbook.os, "access", lambda path, mode: False)
    assert workbook.prepare("marimo") == tmp_path / "home/ragkit-notebooks/marimo"


def test_an_installed_package_is_copied_with_the_settings(installed: Path, tmp_path: Path) -> None:
    target = workbook.prepare("marimo")
    assert target == tmp_path / "home/ragkit-notebooks/marimo"
    assert read(target) == "shipped"
    assert "auto_instantiate = true" in read(target, "pyproject.toml")


def test_a_folder_can_be_named(checkout: Path, tmp_path: Path) -> None:
    assert workbook.prepare("marimo", tmp_path / "class") == tmp_path / "class/marimo"


def test_what_the_reader_changed_stays_also_when_a_newer_one_ships(
    installed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = workbook.prepare("marimo")
    write(target, "my answer")
    workbook.prepare("marimo")
    assert read(target) == "my answer"
    write(installed, "newer")
    capsys.readouterr()
    workbook.prepare("marimo")
    assert read(target) == "my answer"
    assert "00_start.py has a newer version; yours stays" in capsys.readouterr().out


def test_an_unchanged_copy_follows_the_package(installed: Path) -> None:
    target = workbook.prepare("marimo")
    write(installed, "newer")
    workbook.prepare("marimo")
    assert read(target) == "newer"
    write(installed, "newest")
    workbook.prepare("marimo")
    assert read(target) == "newest"


@pytest.mark.parametrize("ledger", ["", "{", "[1]", None])
def test_a_broken_ledger_loses_no_work(installed: Path, ledger: str | None) -> None:
    target = workbook.prepare("marimo")
    write(target, "my answer")
    if ledger is None:
        (target / ".shipped.json").unlink()
    else:
        write(target, ledger, ".shipped.json")
    workbook.prepare("marimo")
    assert read(target) == "my answer"


def test_a_deleted_copy_comes_back(installed: Path) -> None:
    target = workbook.prepare("marimo")
    (target / "00_start.py").unlink()
    workbook.prepare("marimo")
    assert read(target) == "shipped"


def test_no_notebook_is_an_error_that_names_the_folder(checkout: Path) -> None:
    for path in checkout.glob("jupyter/*"):
        path.unlink()
    with pytest.raises(FileNotFoundError, match=r"no notebook found in .*jupyter"):
        workbook.prepare("jupyter")
