"""From a folder to chunks: what is read, what is left out and why, ids, dates, parents."""

from __future__ import annotations

import os
import re
from datetime import date
from io import BytesIO

import pytest

from ragkit.config import ChunkConfig
from ragkit.corpus import (
    chunk_id,
    company_corpus,
    load_corpus,
    load_pages,
    split_page,
    web_corpus,
)
from ragkit.metadata import to_metadata
from ragkit.parents import parent_sections
from ragkit.readers import Page
from ragkit.splitting import estimate_tokens

ID = re.compile(r"[\w.-]+#\d+-[0-9a-f]{8}")


def write(folder, **files: str | bytes) -> None:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def pdf(*texts: str, **options: str) -> bytes:
    """Return a real PDF with one page a text, drawn in a standard font."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in texts:
        page = writer.add_blank_page(300, 300)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode("latin-1"))
        page[NameObject("/Contents")] = stream
    if title := options.get("title"):
        writer.add_metadata({"/Title": title})
    if password := options.get("password"):
        writer.encrypt(password)
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def reasons(folder) -> dict[str, str]:
    return {item.source: item.reason for item in load_corpus(folder, name="f").skipped}


def test_front_matter_becomes_plain_metadata(tmp_path) -> None:
    write(tmp_path, page_dot_md="""---
title: 2026 prices
version: 4.10
effective_date: 2026-02-01
valid_to_date: "3 March 2027"
audience: staff
tags: [a, b]
level: 3
owner: {team: sales}
empty:
---
# 2026 prices

Seats cost $15.
""")  # fmt: skip
    [chunk] = load_corpus(tmp_path, name="kb", origin="kb").documents
    metadata = dict(chunk["metadata"])
    assert re.fullmatch(r"page#section-0-[0-9a-f]{8}", metadata.pop("parent_id"))
    assert metadata == {
        "id": chunk["id"], "source": "kb/page.md", "title": "2026 prices", "version": "4.10",
        "effective_date": "2026-02-01", "effective_day": 20260201, "audience": "staff",
        "valid_to_date": "2027-03-03", "valid_to_day": 20270303, "tags": ["a", "b"], "level": 3,
        "owner": '{"team": "sales"}', "heading_path": "2026 prices", "position": 0, "kind": "kb",
    }  # fmt: skip
    assert chunk["content"] == "# 2026 prices\n\nSeats cost $15."


def test_an_uncertain_date_is_unknown_and_said(tmp_path) -> None:
    write(tmp_path, a_dot_md="---\neffective_date: 03/04/2025\n---\nDate: 2024-01-01\n\nText.")
    corpus = load_corpus(tmp_path, name="f")
    assert "effective_date" not in corpus.documents[0]["metadata"]
    assert "effective_day" not in corpus.documents[0]["metadata"]
    [(source, note)] = corpus.notes
    assert source == "f/a.md"
    assert "03/04/2025" in note


def test_the_text_dates_a_page_and_the_file_never_does(tmp_path) -> None:
    write(tmp_path, old_dot_txt="Minutes\nDate: 12 October 2018\n\nWe met.", bare_dot_txt="Hello.")
    os.utime(tmp_path / "bare.txt", (0, 0))
    by_source = {d["metadata"]["source"]: d for d in load_corpus(tmp_path, name="f").documents}
    assert by_source["f/old.txt"]["metadata"]["effective_date"] == "2018-10-12"
    assert not {"effective_date", "effective_day"} & by_source["f/bare.txt"]["metadata"].keys()


def test_a_page_may_not_name_what_the_corpus_sets(tmp_path) -> None:
    write(tmp_path, a_dot_md="---\nid: evil\nsource: other\nposition: 9\nkind: kb\n---\nText.")
    [chunk] = load_corpus(tmp_path, name="f").documents
    assert chunk["metadata"]["id"] == chunk["id"] != "evil"
    assert chunk["metadata"]["source"] == "f/a.md"
    assert (chunk["metadata"]["position"], chunk["metadata"]["kind"]) == (0, "own")


def test_front_matter_that_cannot_be_kept_is_left_out_and_said(tmp_path) -> None:
    write(tmp_path, a_dot_md="---\nmixed: [1, two]\nbig: 99999999999999999999\n---\nText.")
    corpus = load_corpus(tmp_path, name="f")
    assert not {"mixed", "big"} & corpus.documents[0]["metadata"].keys()
    assert [note for _, note in corpus.notes if "mixed" in note]
    assert [note for _, note in corpus.notes if "big" in note]


def test_front_matter_that_never_ends_is_told_and_kept_as_text(tmp_path) -> None:
    write(tmp_path, a_dot_md="---\ntitle: Limits\nversion: 2\n\n# Limits\n\nFive a second.")
    corpus = load_corpus(tmp_path, name="f")
    assert [note for source, note in corpus.notes if source.endswith("a.md") and "---" in note]
    text = "\n".join(chunk["content"] for chunk in corpus.documents)
    assert "Five a second." in text and "version: 2" in text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("---\n\nText after a rule.", "Text after a rule."),
        ("Above.\n\n---\n\nBetween.\n\n---\n\nBelow.", "Above."),
        ("---\njust words\n---\nBelow.", "just words"),
        ("---\n---\nOnly below.", "Only below."),
    ],
)
def test_rules_are_not_front_matter_and_nothing_is_lost(tmp_path, text, kept) -> None:
    write(tmp_path, a_dot_md=text)
    content = "\n".join(chunk["content"] for chunk in load_corpus(tmp_path).documents)
    assert kept in content
    for word in re.findall(r"[A-Z]\w+", text):
        assert word in content


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.md", b"", "empty"),
        ("blank.txt", b" \n\t\n", "empty"),
        ("only.md", b"---\ntitle: T\n---\n\n", "no text"),
        ("binary.txt", b"\x00\x01\x02\x03", "binary"),
        ("image.md", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "binary"),
        ("no.txt", b"caf\x81", "neither UTF-8"),
        ("cut.txt", "\ufeffab".encode("utf-16-le")[:-1], "broken UTF-16"),
        ("yaml.md", b"---\na: [\n---\nText", "not valid YAML (line 3)"),
        ("twice.md", b"---\nversion: 2\nVersion: 3\n---\nText", "version is set twice"),
        ("deep.md", b"---\na: " + b"[" * 5_000 + b"\n---\nText", "nested too deeply"),
        ("broken.pdf", b"%PDF-1.7 and no more", "broken PDF"),
        ("scan.pdf", pdf(""), "PDF without text"),
        ("locked.pdf", pdf("x", password="secret"), "password"),
        ("script.html", b"<html><script>x()</script></html>", "no text"),
        ("letter.docx", b"PK", "not one of .md"),
        (".hidden.md", b"Text", "hidden"),
    ],
)
def test_what_cannot_be_read_is_named_and_the_rest_kept(tmp_path, name, content, reason) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "good.md").write_text("# Good\n\nKept.", encoding="utf-8")
    corpus = load_corpus(tmp_path, name="f")
    assert [d["metadata"]["source"] for d in corpus.documents] == ["f/good.md"]
    [skipped] = corpus.skipped
    assert skipped.source == f"f/{name}"
    assert reason in skipped.reason
    assert corpus.pages == 1


def test_links_are_followed_once_and_loops_named(tmp_path) -> None:
    write(tmp_path, root__sub__page_dot_md="Text.", outside__far_dot_md="Far.")
    root = tmp_path / "root"
    (root / "sub" / "up").symlink_to(root)
    (root / "sub" / "self").symlink_to(root / "sub")
    (root / "dead.md").symlink_to(tmp_path / "nowhere")
    (root / "linked").symlink_to(tmp_path / "outside")
    pages, skipped = load_pages(root)
    assert [page.source for page in pages] == ["root/linked/far.md", "root/sub/page.md"]
    assert {item.source: item.reason for item in skipped} == {
        "root/dead.md": "a link to nothing",
        "root/sub/self": "a link back to a folder above it",
        "root/sub/up": "a link back to a folder above it",
    }


def test_a_hidden_folder_and_a_pipe_are_named_once(tmp_path) -> None:
    write(tmp_path, _dot_git__a_dot_md="x", _dot_git__b_dot_md="x", a_dot_md="Text.")
    os.mkfifo(tmp_path / "pipe.md")
    assert reasons(tmp_path) == {"f/.git": "hidden", "f/pipe.md": "not a regular file"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_typographic_marks_survive_every_known_encoding(tmp_path, encoding) -> None:
    text = "“Quotes” – ½ € café 🙂\u2028next"
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    corpus = load_corpus(tmp_path, name="f")
    assert corpus.documents[0]["content"] == f"# a\n\n{text}"
    assert corpus.notes == []


def test_windows_text_is_read_and_named(tmp_path) -> None:
    (tmp_path / "a.txt").write_bytes("“café” costs 3 €\r\nmore".encode("cp1252"))
    corpus = load_corpus(tmp_path, name="f")
    assert corpus.documents[0]["content"] == "# a\n\n“café” costs 3 €\nmore"
    assert corpus.notes == [("f/a.txt", "not UTF-8, read as Windows-1252")]


def test_html_keeps_headings_tables_and_code_and_drops_scripts(tmp_path) -> None:
    write(tmp_path, a_dot_html="""<html><head><title>Guide</title>
<meta name="date" content="2025-03-03"><style>p {}</style></head><body><script>bad()</script>
<h1>Guide</h1><p>Call <b>ERROR_302</b> &amp; wait.</p><h2>Codes</h2>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>
<pre><code>x = 1
  y = 2</code></pre></body></html>""")  # fmt: skip
    first, second = load_corpus(tmp_path, name="f").documents
    assert first["content"] == "# Guide\n\nCall **ERROR_302** & wait."
    assert second["content"].startswith("# Guide > Codes\n\n| A | B |\n| --- | --- |\n| 1 | 2 |")
    assert "x = 1\n  y = 2" in second["content"]
    assert "bad()" not in first["content"] + second["content"]
    assert second["metadata"]["effective_date"] == second["metadata"]["published"] == "2025-03-03"


def test_a_pdf_is_read_page_by_page(tmp_path) -> None:
    (tmp_path / "hand-book.pdf").write_bytes(pdf("First page.", "Second page.", title="Handbook"))
    chunks = load_corpus(tmp_path, name="f").documents
    assert [c["content"] for c in chunks] == [
        "# Handbook > Page 1\n\nFirst page.",
        "# Handbook > Page 2\n\nSecond page.",
    ]
    assert "effective_date" not in chunks[0]["metadata"]


def test_a_file_name_gives_the_title_where_nothing_else_does(tmp_path) -> None:
    write(tmp_path, refund_policy_dot_txt="Thirty days.", b_dot_md="## Only a heading\n\nText.")
    titles = {
        d["metadata"]["source"]: d["content"] for d in load_corpus(tmp_path, name="f").documents
    }
    assert titles["f/refund_policy.txt"] == "# refund policy\n\nThirty days."
    assert titles["f/b.md"] == "# Only a heading\n\nText."


def test_a_folder_that_is_none_is_said(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match="no folder"):
        load_pages(tmp_path / "nowhere")
    (tmp_path / "a.md").write_text("x", encoding="utf-8")
    with pytest.raises(NotADirectoryError, match="is a file"):
        load_pages(tmp_path / "a.md")
    (tmp_path / "void").mkdir()
    corpus = load_corpus(tmp_path / "void")
    assert (corpus.documents, corpus.skipped, corpus.pages) == ([], [], 0)


def test_ids_are_readable_stable_and_follow_the_text() -> None:
    page = Page("kb/pricing 2026\\x.md", "# P\n\nOne.\n\n## Two\n\nText.", {})
    first, second = split_page(page)
    assert ID.fullmatch(first["id"])
    assert first["id"].startswith("pricing-2026-x#0-")
    assert second["id"] == chunk_id(page.source, 1, "# P > Two\n\nText.")
    assert [c["id"] for c in split_page(page)] == [first["id"], second["id"]]
    changed = split_page(Page(page.source, page.text.replace("Text", "Test"), {}))
    assert (changed[0]["id"], changed[1]["id"] == second["id"]) == (first["id"], False)
    moved = split_page(Page("kb/other.md", page.text, {}))
    assert moved[0]["id"].partition("-")[2] != first["id"].rpartition("-")[2]


def test_the_same_file_name_in_two_folders_shares_no_id() -> None:
    text = "# Setup\n\nDo it.\n\n## More\n\nText."
    chunks = [c for f in ("a", "b") for c in split_page(Page(f"{f}/setup.md", text, {}))]
    assert len({c["id"] for c in chunks}) == 4
    assert len(parent_sections(chunks)) == 2


def test_a_parent_is_a_section_or_neighbours_that_fit() -> None:
    long = " ".join(["Some words about it."] * 20)
    text = (
        "# P\n\nIntro.\n\n## A\n\nIn a.\n\n### A1\n\nIn a1.\n\n"
        f"## B\n\n{long}\n\n### B1\n\n{long}\n\n## C\n\nIn c.\n"
    )
    chunks = split_page(Page("kb/p.md", text, {}), config=ChunkConfig(parent_tokens=120))
    parents = list(parent_sections(chunks).values())
    assert [p["metadata"]["heading_path"] for p in parents] == ["P", "P > B", "P"]
    assert parents[0]["content"] == "# P\n\nIntro.\n\n# P > A\n\nIn a.\n\n# P > A > A1\n\nIn a1."
    assert all(estimate_tokens(p["content"]) <= 120 for p in parents)
    whole = split_page(Page("kb/p.md", text, {}), config=ChunkConfig(parent_tokens=5_000))
    [page] = parent_sections(whole).values()
    assert (page["metadata"]["heading_path"], page["id"]) == ("P", page["metadata"]["id"])


def test_a_parent_shows_a_cut_table_with_its_head_once() -> None:
    rows = "\n".join(f"| ERROR_{n} | meaning {n} |" for n in range(40))
    text = f"# Codes\n\nAll codes:\n\n| Code | Meaning |\n| --- | --- |\n{rows}\n\nThe end."
    page = Page("kb/codes.md", text, {})
    chunks = split_page(page, 80, config=ChunkConfig(parent_tokens=2_000))
    assert len(chunks) > 3
    [parent] = parent_sections(chunks).values()
    assert parent["content"] == text


def test_each_parent_of_a_cut_table_has_its_head() -> None:
    rows = "\n".join(f"| ERROR_{n} | meaning {n} |" for n in range(40))
    page = Page("kb/codes.md", f"# Codes\n\n| Code | Meaning |\n| --- | --- |\n{rows}", {})
    chunks = split_page(page, 80, config=ChunkConfig(parent_tokens=150))
    parents = parent_sections(chunks).values()
    assert len(parents) > 2
    assert all(parent["content"].count("| Code | Meaning |") == 1 for parent in parents)
    assert "".join(p["content"] for p in parents).count("| ERROR_") == 40


def test_a_page_of_plain_text_has_parents_of_bounded_size() -> None:
    page = Page("f/long.txt", "\n\n".join(["Words of a long report."] * 300), {}, markdown=False)
    config = ChunkConfig(max_tokens=60, parent_tokens=200)
    parents = parent_sections(split_page(page, config=config)).values()
    assert len(parents) > 5
    assert all(estimate_tokens(parent["content"]) <= 220 for parent in parents)


@pytest.mark.parametrize("corpus", [company_corpus, web_corpus])
def test_the_shipped_pages_give_sound_chunks(corpus) -> None:
    loaded = corpus()
    assert loaded.skipped == []
    assert len({c["id"] for c in loaded.documents}) == len(loaded.documents)
    for chunk in loaded.documents:
        metadata = chunk["metadata"]
        assert ID.fullmatch(chunk["id"])
        assert metadata["id"] == chunk["id"]
        assert to_metadata(metadata) == metadata
        assert metadata["parent_id"] in loaded.parents
        assert {"source", "title", "heading_path", "position", "kind"} <= metadata.keys()
        assert chunk["content"].startswith(f"# {metadata['title']}")
        if "effective_date" in metadata:
            day = date.fromisoformat(metadata["effective_date"])
            assert metadata["effective_day"] == int(day.strftime("%Y%m%d"))


def test_the_company_has_the_chunks_it_should() -> None:
    corpus = company_corpus()
    assert 200 <= len(corpus.documents) <= 400
    assert corpus.pages >= 40
    # small chunks are matched, their sections shown
    assert len(corpus.parents) < len(corpus.documents) / 2
    assert all(c["metadata"]["kind"] == "kb" for c in corpus.documents)


def test_the_web_pages_carry_their_address() -> None:
    assert all(c["metadata"]["url"].startswith("https://") for c in web_corpus().documents)


def test_field_names_are_known_in_any_case(tmp_path) -> None:
    head = (
        "\ufeff---\r\nTitle: Rates\r\nEffective Date: 2025-03-04\r\nVERSION: 2.10\r\n---\r\nBody."
    )
    (tmp_path / "rates.md").write_text(head, encoding="utf-8", newline="")
    (page,), _ = load_pages(tmp_path)
    found = {key: str(page.metadata.get(key)) for key in ("title", "version", "effective_date")}
    assert found == {"title": "Rates", "version": "2.10", "effective_date": "2025-03-04"}


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_folder_is_not_the_working_directory(blank: str) -> None:
    with pytest.raises(FileNotFoundError, match="empty"):
        load_corpus(blank)
