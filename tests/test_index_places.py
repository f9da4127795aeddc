"""The same index in memory, in a folder and on a Chroma server: kept in step, never mixed."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from embedders import HashEmbedder

from ragkit.corpus import split_page
from ragkit.index import build_index, open_index
from ragkit.readers import Page
from ragkit.store import delete_index, parse_server

PAGES = {
    "pricing": "# Pricing\n\nSeats.\n\n## Growth\n\nIt costs $15.\n\n## Scale\n\nIt costs $11.",
    "codes": "# Codes\n\nERROR_302 needs manual inspection.",
}


def documents(**pages: str) -> list[dict]:
    return [
        chunk
        for name, text in {**PAGES, **pages}.items()
        if text
        for chunk in split_page(Page(f"kb/{name}.md", text, {"tags": ["x", "y"]}))
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[str]:
    """The address of a Chroma server: the one given, else one of this test's own."""
    if given := os.environ.get("RAGKIT_TEST_CHROMA"):
        yield given
        return
    command = shutil.which("chroma", path=str(Path(sys.executable).parent)) or shutil.which(
        "chroma"
    )
    if command is None:
        pytest.skip("no chroma command and no RAGKIT_TEST_CHROMA")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tmp_path_factory.mktemp("chroma")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [command, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)],
            stdout=log, stderr=log, cwd=folder,
        )  # fmt: skip
    try:
        _wait_for(port, process, folder / "log")
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(port: int, process: subprocess.Popen, log: Path) -> None:
    for _ in range(1_200):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/heartbeat", timeout=2).close()
            return
        except OSError:
            if process.poll() is not None:
                pytest.skip(f"chroma does not start here: {log.read_text(encoding='utf-8')[-300:]}")
            time.sleep(0.1)
    pytest.skip("chroma did not answer within 120 s")


@pytest.fixture(params=["folder", "server"])
def place(request, tmp_path) -> Iterator[dict]:
    """Where to keep an index, of its own name so that tests on one server do not meet."""
    if request.param == "folder":
        yield {"path": tmp_path / "index", "name": "kept"}
        return
    where = {
        "server": request.getfixturevalue("server"),
        "name": f"test-{os.getpid()}-{time.monotonic_ns()}",
    }
    yield where
    delete_index(**where)


def ids(index) -> set[str]:
    return {document["id"] for document in index.documents()}


def test_building_again_changes_and_embeds_nothing(place) -> None:
    embedder = HashEmbedder()
    first = build_index(documents(), embedder=embedder, **place)
    assert len(first.changes.added) == len(embedder.embedded) == 4
    again = build_index(documents()[::-1], embedder=embedder, **place)
    assert again.changes.kept == 4
    assert not again.changes.added + again.changes.removed + again.changes.changed
    assert set(again.changes.pages.values()) == {"unchanged"}
    assert len(embedder.embedded) == 4
    assert again.documents() == first.documents()


def test_a_changed_page_replaces_its_chunks(place) -> None:
    embedder = HashEmbedder()
    old = build_index(documents(), embedder=embedder, **place)
    changed = PAGES["pricing"].replace("$15", "$19")
    new = build_index(documents(pricing=changed), embedder=embedder, **place)
    assert new.changes.pages == {"kb/codes.md": "unchanged", "kb/pricing.md": "changed"}
    assert (len(new.changes.added), len(new.changes.removed), new.changes.kept) == (1, 1, 3)
    assert len(embedder.embedded) == 5
    [gone] = ids(old) - ids(new)
    assert new.changes.removed == (gone,)
    opened = open_index(embedder=embedder, **place)
    assert ids(opened) == ids(new)
    everything = json.dumps(opened.documents())
    assert "$15" not in everything
    assert "$19" in everything
    assert opened.search("$15", 10, "keyword") == []


def test_new_metadata_leaves_nothing_of_the_old(place) -> None:
    embedder = HashEmbedder()
    superseded = documents()
    for chunk in superseded:
        chunk["metadata"]["superseded"] = True
    build_index(superseded, embedder=embedder, **place)
    fresh = documents()
    for chunk in fresh:
        del chunk["metadata"]["tags"]
    index = build_index(fresh, embedder=embedder, **place)
    assert len(index.changes.changed) == 4
    assert index.changes.added == index.changes.removed == ()
    assert all(not {"superseded", "tags"} & d["metadata"].keys() for d in index.documents())


def test_a_removed_page_disappears(place) -> None:
    embedder = HashEmbedder()
    build_index(documents(), embedder=embedder, **place)
    index = build_index(documents(pricing=""), embedder=embedder, **place)
    assert index.changes.pages == {"kb/codes.md": "unchanged", "kb/pricing.md": "removed"}
    assert {d["metadata"]["source"] for d in index.documents()} == {"kb/codes.md"}
    assert [d["metadata"]["source"] for d in index.search("seat", 9, "dense")] == ["kb/codes.md"]
    assert len(build_index([], embedder=embedder, **place)) == 0


def test_every_place_gives_the_same_results_as_memory(place) -> None:
    here = build_index(documents(), embedder=HashEmbedder())
    there = build_index(documents(), embedder=HashEmbedder(), **place)
    opened = open_index(embedder=HashEmbedder(), **place)
    for strategy in ("dense", "keyword", "hybrid"):
        expected = here.scored("What does a seat cost?", 9, strategy)
        for index in (there, opened):
            found = index.scored("What does a seat cost?", 9, strategy)
            assert [d for d, _ in found] == [d for d, _ in expected]
            scores = [score for _, score in expected]
            assert [score for _, score in found] == pytest.approx(scores, abs=2e-6)
    assert opened.documents() == here.documents()
    chunk = opened.search("seat", 1)[0]
    assert opened.parent(chunk) == here.parent(chunk)
    where = {"source": "kb/codes.md"}
    assert len(opened.search("seat", 9, "dense", where=where)) == 1


def test_another_embedding_is_named(place) -> None:
    build_index(documents(), embedder=HashEmbedder(model="one"), **place)
    for attempt in (open_index, lambda **options: build_index(documents(), **options)):
        with pytest.raises(ValueError, match=r"another embedding.*:one.*:two"):
            attempt(embedder=HashEmbedder(model="two"), **place)
    with pytest.raises(ValueError, match=r"another embedding.*8 numbers.*gives 5"):
        open_index(embedder=HashEmbedder(5, model="one"), **place).search("seat", 3)
    changed = documents(codes="# Codes\n\nNew.")
    with pytest.raises(ValueError, match=r"another embedding.*8 numbers.*gives 5"):
        build_index(changed, embedder=HashEmbedder(5, model="one"), **place)
    assert len(open_index(embedder=HashEmbedder(model="one"), **place)) == 4


def test_an_index_that_is_not_there_is_named(place) -> None:
    with pytest.raises(LookupError, match="there is no index 'nobody-made-this'"):
        open_index(embedder=HashEmbedder(), **{**place, "name": "nobody-made-this"})


def test_a_deleted_index_says_so_and_can_be_built_again(place) -> None:
    embedder = HashEmbedder()
    index = build_index(documents(), embedder=embedder, **place)
    delete_index(**place)
    delete_index(**place)
    with pytest.raises(LookupError, match="was deleted"):
        index.search("seat", 3, "dense")
    assert len(build_index(documents(), embedder=embedder, **place)) == 4


def test_two_names_in_one_place_never_mix(place) -> None:
    other = {**place, "name": place["name"] + "-other"}
    build_index(documents(), embedder=HashEmbedder(), **place)
    two = build_index(documents(pricing=""), embedder=HashEmbedder(), **other)
    assert len(two) == 1
    assert len(open_index(embedder=HashEmbedder(), **place)) == 4
    delete_index(**other)


@pytest.mark.parametrize("name", ["ab", "a b", "-ab", "a/b", "", "x" * 401])
def test_a_name_that_cannot_be_one_is_named(place, name) -> None:
    with pytest.raises(ValueError, match="cannot name an index"):
        build_index(documents(), embedder=HashEmbedder(), **{**place, "name": name})


def test_results_are_the_same_in_every_process(tmp_path) -> None:
    build_index(documents(), path=tmp_path / "index")
    code = (
        "import json, sys\nfrom ragkit.index import open_index\n"
        "index = open_index(path=sys.argv[1])\n"
        "print(json.dumps([[index.scored(q, 9, s) for s in ('dense', 'keyword', 'hybrid')]"
        " for q in ('seat price', 'ERROR_302')]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "index")],
            capture_output=True, text=True, check=True, encoding="utf-8",
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    fresh = build_index(documents())
    strategies = ("dense", "keyword", "hybrid")
    here = [[fresh.scored(q, 9, s) for s in strategies] for q in ("seat price", "ERROR_302")]
    [output] = outputs
    assert json.loads(output) == json.loads(json.dumps(here))


def test_more_rows_than_one_call_takes(tmp_path) -> None:
    many = [
        {"id": f"d{n}", "content": f"text {n}", "metadata": {"source": f"kb/{n % 40}.md"}}
        for n in range(6_000)
    ]
    index = build_index(many, embedder=HashEmbedder(4), path=tmp_path)
    assert len(index) == 6_000
    fewer = build_index(many[:10], embedder=HashEmbedder(4), path=tmp_path)
    assert (len(fewer), len(fewer.changes.removed)) == (10, 5_990)


def test_a_folder_that_was_deleted_can_be_built_again(tmp_path) -> None:
    path = tmp_path / "index"
    build_index(documents(), embedder=HashEmbedder(), path=path)
    shutil.rmtree(path)
    again = build_index(documents(), embedder=HashEmbedder(), path=path)
    assert len(again.search("seat", 9, "dense")) == 4
    assert len(again.changes.added) == 4


def test_a_folder_deleted_while_open_is_explained(tmp_path) -> None:
    path = tmp_path / "index"
    kept = build_index(documents(), embedder=HashEmbedder(), path=path)
    shutil.rmtree(path)
    with pytest.raises(OSError, match="was its folder deleted"):
        build_index(documents(codes=""), embedder=HashEmbedder(), path=path)
    assert len(kept) == 4


def test_a_path_that_is_a_file_is_named(tmp_path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(NotADirectoryError, match=r"file is a file"):
        build_index(documents(), embedder=HashEmbedder(), path=tmp_path / "file")
    with pytest.raises(OSError, match="cannot be made"):
        build_index(documents(), embedder=HashEmbedder(), path=tmp_path / "file" / "below")


def test_a_folder_and_a_server_at_once_are_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match="not in both"):
        build_index([], embedder=HashEmbedder(), path=tmp_path, server="localhost:8000")


def test_a_server_that_does_not_answer_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ConnectionError, match=f"no Chroma server answers at {address}"):
            build_index(documents(), embedder=HashEmbedder(), server=address)


@pytest.mark.parametrize(
    ("server", "parts"),
    [
        ("localhost", ("localhost", 8000, False)),
        ("10.0.0.7:9000", ("10.0.0.7", 9000, False)),
        ("http://chroma.example", ("chroma.example", 8000, False)),
        ("https://chroma.example", ("chroma.example", 443, True)),
        ("https://chroma.example:8443/", ("chroma.example", 8443, True)),
        ("[::1]:9000", ("::1", 9000, False)),
    ],
)
def test_a_server_address_is_read(server, parts) -> None:
    assert parse_server(server) == parts


@pytest.mark.parametrize(
    "server", ["", "ftp://x", "http://", "host:port", "host:99999", "http://host/path", ":8000"]
)
def test_a_server_address_that_is_none_is_named(server) -> None:
    with pytest.raises(ValueError, match="no server address"):
        parse_server(server)
