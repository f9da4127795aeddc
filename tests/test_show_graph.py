"""Graph pictures: the real edges, the path as it went, and nothing sent anywhere."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TypedDict

import pytest
from langgraph.graph import END, START, StateGraph

from ragkit.show import drawing as drawing_module
from ragkit.show import edges_of, graph
from ragkit.show.walk import as_text, drawn


class State(TypedDict, total=False):
    n: int


def compiled(nodes, edges, routes=None, ends=()):
    builder = StateGraph(State)
    for name in nodes:
        builder.add_node(name, lambda state: {"n": 1})
    for start, end in edges:
        builder.add_edge(start, end)
    for start, path_map in (routes or {}).items():
        builder.add_conditional_edges(start, lambda state: "x", path_map)
    for name in ends:
        builder.add_edge(name, END)
    return builder.compile()


@pytest.fixture
def loop():
    return compiled(
        ["retrieve", "grade", "rewrite", "generate"],
        [(START, "retrieve"), ("retrieve", "grade"), ("rewrite", "retrieve")],
        {"grade": {"relevant": "generate", "none": "rewrite"}},
        ["generate"],
    )


@pytest.fixture
def without_dot(monkeypatch):
    monkeypatch.setattr(drawing_module.shutil, "which", lambda name: None)


needs_dot = pytest.mark.skipif(
    drawing_module.shutil.which("dot") is None, reason="needs Graphviz's dot"
)
SIDES = ("left", "right")
LOOPED = ["retrieve", "grade", "rewrite", "retrieve", "grade", "generate"]


def test_edges_are_the_graphs_own(loop):
    assert edges_of(loop) == {
        ("__start__", "retrieve"), ("retrieve", "grade"), ("grade", "generate"),
        ("grade", "rewrite"), ("rewrite", "retrieve"), ("generate", "__end__"),
    }  # fmt: skip


def test_every_step_is_numbered_on_its_edge(loop):
    drawing = drawn(loop, LOOPED)
    assert drawing.taken == {
        ("__start__", "retrieve"): [1], ("retrieve", "grade"): [2, 5], ("grade", "rewrite"): [3],
        ("rewrite", "retrieve"): [4], ("grade", "generate"): [6], ("generate", "__end__"): [7],
    }  # fmt: skip
    assert drawing.visits == {"retrieve": 2, "grade": 2, "rewrite": 1, "generate": 1}
    assert drawing.jumps == {}


def test_an_unfinished_run_has_not_reached_the_end(loop):
    waiting = SimpleNamespace(path=["retrieve", "grade", "generate"], waiting={"ask": "?"})
    assert ("generate", "__end__") not in drawn(loop, waiting).taken


def test_a_step_without_a_drawn_edge_is_shown_as_a_jump(loop):
    drawing = drawn(loop, ["retrieve", "grade", "generate", "retrieve"])
    assert drawing.jumps == {("generate", "retrieve"): [4]}
    assert "jump, step 4" in as_text(drawing)


def test_parallel_branches_are_both_lit_into_their_join():
    fan = compiled(
        ["split", "left", "right", "join"],
        [
            (START, "split"),
            *(("split", side) for side in SIDES),
            *((side, "join") for side in SIDES),
        ],
        ends=["join"],
    )
    drawing = drawn(fan, ["split", *SIDES, "join"])
    assert set(drawing.taken) == edges_of(fan) and not drawing.jumps


@pytest.mark.parametrize("path", ["retrieve", 3, {"retrieve"}])
def test_a_path_is_a_list_of_names(loop, path):
    with pytest.raises(TypeError, match="list of node names"):
        graph(loop, path)


def test_unknown_names_are_named(loop):
    with pytest.raises(ValueError, match="the path names reranker"):
        graph(loop, ["retrieve", "reranker"])
    with pytest.raises(ValueError, match="no node called reviewer"):
        graph(loop, current="reviewer")


@needs_dot
def test_svg_takes_the_pages_ink_and_has_no_ground(loop):
    html = graph(loop, LOOPED, failed="rewrite", current="grade")._repr_html_()
    svgs = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(svgs) == 2, "one for wide pages, one for narrow ones"
    for svg in svgs:
        assert "currentColor" in svg and "white" not in svg and "#808081" not in svg
        assert "retrieve ×2" in svg and "✕ rewrite" in svg and "● grade" in svg
    assert "<script" not in html and not re.search(r'(src|href)="', html.replace("xmlns", ""))


@needs_dot
def test_a_graph_wider_than_its_page_says_so(loop):
    html = graph(loop, LOOPED, direction="LR").html
    shown, drawn_least = (
        re.search(pattern, html)[1] for pattern in (r"clamp\(0px,\((\d+)px", r"min-width:(\d+)px")
    )
    assert shown == drawn_least, "the hint shows exactly where the page is narrower"
    assert "scroll sideways" in html


@needs_dot
def test_conditional_edges_are_dashed_until_taken(loop):
    plain, lit = (graph(loop, path, direction="LR").html for path in (None, LOOPED))
    assert plain.count("stroke-dasharray") == 2
    assert lit.count("stroke-dasharray") == 0
    assert "none · 3" in lit and "relevant · 6" in lit


@needs_dot
def test_awkward_names_come_out_as_text():
    odd = compiled(['a<b>&"c"', "n\\l{x}"], [(START, 'a<b>&"c"'), ('a<b>&"c"', "n\\l{x}")])
    svg = graph(odd, direction="LR").html
    labels = re.findall(r"<text[^>]*>(.*?)</text>", svg)
    assert "a&lt;b&gt;&amp;&quot;c&quot;" in labels and "n\\l{x}" in labels


def test_without_dot_the_edges_come_as_a_list_and_mermaid(loop, without_dot):
    picture = graph(loop, LOOPED, current="generate")
    html = picture._repr_html_()
    assert "<svg" not in html and "graph TD" in html
    assert "<b>grade ⇢ rewrite</b>" in html and "step 3" in html and "waits here" in html
    assert "* grade -.-> rewrite  [none]  step 3" in repr(picture)


def test_nothing_is_sent(loop, monkeypatch, without_dot):
    from langchain_core.runnables.graph import Graph

    def refuse(*args, **kwargs):
        raise AssertionError("asked a web service to draw")

    monkeypatch.setattr(Graph, "draw_mermaid_png", refuse)
    graph(loop)._repr_html_()


def test_several_tasks_sent_to_one_node_are_no_jumps():
    sent = compiled(["plan", "work"], [(START, "plan")], {"plan": {"work": "work"}}, ["work"])
    drawing = drawn(sent, ["plan", "work", "work", "work"])
    assert drawing.taken["plan", "work"] == [2, 3, 4] and not drawing.jumps
