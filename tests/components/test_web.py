"""Web search: three outcomes, and no error text ever becomes a document (P61, P63)."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import assert_plain, doc

from ragkit.components.web import RecordedWeb, adapt, read_results, recorded_web
from ragkit.components.web_live import duckduckgo, tavily
from ragkit.config import WebConfig

PAGE = {"title": "A page", "url": "https://a.example/x", "content": "Some text."}


@pytest.mark.parametrize(
    "found",
    [
        [PAGE],
        PAGE,
        json.dumps([PAGE]),
        json.dumps({"results": [PAGE]}),
        {"results": [PAGE]},
        [{"title": "A page", "link": "https://a.example/x", "snippet": "Some text."}],
        [{"title": "A page", "href": "https://a.example/x", "body": "Some text."}],
        [PAGE, PAGE, None, 7, {"title": "no text"}],
    ],
)
def test_records_in_any_form_become_pages(found):
    result = read_results(found, 5)
    [page] = result.documents
    assert result.outcome == "found" and page["content"] == "Some text."
    assert page["metadata"]["kind"] == "web" and page["metadata"]["url"] == "https://a.example/x"
    assert_plain(page)


def test_plain_text_is_one_page():
    [page] = read_results("Tarnfield opens an office in Oslo.", 5).documents
    assert page["content"].startswith("Tarnfield")


@pytest.mark.parametrize(
    "found",
    [
        "HTTPError 401",
        "Error: rate limited",
        "429 Too Many Requests",
        "Request timed out",
        "Unauthorized: invalid api key",
        {"error": "no key"},
        json.dumps({"error": "no key"}),
        ["HTTPError 401"],
        "<!DOCTYPE html><html><body>Sign in</body></html>",
        42,
    ],
)
def test_an_error_is_failed_and_never_a_document(found):
    result = read_results(found, 5)
    assert result.outcome == "failed" and result.documents == () and result.detail


def test_a_page_about_errors_is_a_page():
    [page] = read_results([{**PAGE, "content": "Error codes explained, one by one."}], 1).documents
    assert page["content"].startswith("Error codes")


@pytest.mark.parametrize("found", [None, "", [], {}, "[]", [{"title": "x"}], {"results": []}])
def test_nothing_is_empty(found):
    assert read_results(found, 5).outcome == "empty"


def test_a_raising_or_hanging_search_fails_in_time():
    def raising(_query, _k):
        raise ConnectionError("Bearer sk-secretsecretsecret refused")

    result = adapt(raising)("q", 3)
    assert result.outcome == "failed" and "secret" not in result.detail
    began = time.monotonic()
    result = adapt(lambda *_: time.sleep(30), WebConfig(timeout_s=0.2))("q", 3)
    assert result.outcome == "failed" and time.monotonic() - began < 5


def test_html_in_a_record_becomes_text_without_scripts():
    content = "<p>Rates &amp; limits</p><script>steal()</script><style>p{}</style>"
    [page] = read_results([{**PAGE, "content": content}], 5).documents
    assert page["content"] == "Rates & limits"


def test_k_and_length_are_limits():
    many = [{"content": f"text {number}"} for number in range(9)]
    assert len(read_results(many, 3).documents) == 3
    [page] = read_results([{"content": "x" * 9_000}], 3, WebConfig(max_characters=500)).documents
    assert len(page["content"]) == 500


def test_a_published_date_dates_the_page():
    [page] = read_results([{**PAGE, "published_date": "3 March 2025"}], 1).documents
    assert page["metadata"]["effective_date"] == "2025-03-03"


def test_recorded_pages_are_marked_as_web_with_their_address():
    result = recorded_web()("How many notifications does Relay keep after an outage?", 4)
    assert result.outcome == "found" and len(result.documents) <= 4
    for page in result.documents:
        assert page["metadata"]["kind"] == "web" and page["metadata"]["url"].startswith("https://")
        assert_plain(page)


def test_a_recorded_search_that_finds_nothing_is_empty():
    assert RecordedWeb(lambda *_: [])("q", 4).outcome == "empty"
    assert RecordedWeb(lambda *_: [doc("a")])("q", 4).documents[0]["metadata"]["kind"] == "web"


def test_live_searches_fail_closed_without_network_or_key(monkeypatch):
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    with pytest.raises(ValueError, match="TAVILY_API_KEY"):
        tavily()
    assert tavily("tvly-1234567890abcdef", WebConfig(timeout_s=3))("q", 2).outcome == "failed"
    result = duckduckgo(WebConfig(timeout_s=3))("q", 2)
    assert result.outcome == "failed" and result.documents == ()


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["content", "url", "results", "error", "title"]), inner)
    ),
    max_leaves=12,
)


@given(values)
def test_whatever_a_tool_returns_is_an_outcome(found):
    result = read_results(found, 4)
    assert result.outcome in {"found", "empty", "failed"}
    assert (result.outcome == "found") == bool(result.documents)
    for page in result.documents:
        assert page["content"].strip() and page["metadata"]["kind"] == "web"
