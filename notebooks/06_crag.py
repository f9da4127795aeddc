# /// script
# [tool.ragkit]
# title = "CRAG: two thresholds, strips, and grounding"
# description = "Keep, drop or look closer; show the generator only what matters; check every claim."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="6. CRAG", width="medium")

with app.setup(hide_code=True):
    import marimo as mo
    from langgraph.graph import END, START, StateGraph

    from ragkit import exercises, show, ui
    from ragkit.choice import announce, by_trap, chosen_kit, limited
    from ragkit.config import CragConfig
    from ragkit.evaluation.components import judge_pools, prepare
    from ragkit.evaluation.ladder import climb, rung
    from ragkit.evaluation.metrics import metric
    from ragkit.evaluation.questions import load_questions
    from ragkit.evaluation.rates import RATES, at_thresholds
    from ragkit.evaluation.report import changes
    from ragkit.graphs import crag
    from ragkit.graphs.crag import build_crag, move, verdict
    from ragkit.runs import ask
    from ragkit.splitting import estimate_tokens
    from ragkit.state import CragState
    from ragkit.widgets import ThresholdMap


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 6. CRAG: two thresholds, strips, and grounding

    A single cut forces the grader to be sure. At 0.49 it says no, at 0.51 yes, and it means *I do
    not know* both times. This rung lets it say so, looks closer at what is unsure, and checks every
    sentence of the answer before it may be called `verified`.
    """)
    return


@app.cell
def _():
    kit = chosen_kit()
    practice = load_questions(half="practice")
    by_id = {question.id: question for question in practice}
    pools = limited(kit, [q for q in practice if q.answered_by == "kb"], free=16, paid=3)
    batch = limited(kit, [q for q in practice if not q.history], free=12, paid=2)
    batch += [by_id["q107"]]  # known to come out worse
    announce(kit, runs=len(pools + batch), route=1, grade=12, rewrite=1, generate=1, check=3)
    return batch, by_id, kit, pools, practice


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What goes wrong without it

    Grade what the first searches of some practice questions found, and put every score on one line:
    above what really holds the answer, below what does not. Most lie far out on their own side. But
    look at the middle: there are some of both kinds.
    """)
    return


@app.cell
def _(kit, pools):
    judged = list(judge_pools(kit, prepare(kit, pools), ui.progress))
    scores = [
        {"score": pair.grade.score, "relevant": pair.relevant,
         "question": pair.question_id, "document_id": pair.document_id}
        for pair in judged
    ]  # fmt: skip
    ui.stats(
        ("graded pairs", len(scores)), ("of them relevant", sum(s["relevant"] for s in scores))
    )
    return (scores,)


@app.cell
def _(scores):
    show.threshold_map(scores, 0.35, 0.7)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Two lines

    At or above the pass line a document is **kept**. Below the fail line it is **dropped**. Between
    them it is **ambiguous**: it may still hold a good sentence. By hand, then by the library:
    """)
    return


@app.cell
def _():
    def cut(score):
        return "kept" if score >= 0.7 else "dropped" if score < 0.35 else "ambiguous"

    ui.table(
        [{"score": score, "by hand": cut(score), "by the library": verdict(score, CragConfig())}
         for score in (0.2, 0.35, 0.69, 0.7)]
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Drag the two lines, or move them with the arrow keys. Nothing is graded again; the scores are
    there already. Watch the moves below: *strips* when everything is kept, *blend* with the web
    when some is, *rewrite* when nothing is.
    """)
    return


@app.cell
def _(scores):
    lines = ui.wrap(ThresholdMap(scores, 0.35, 0.7))
    lines
    return (lines,)


@app.cell
def _(lines, scores):
    def moves(lines):
        fail, passing = lines
        config = CragConfig(pass_threshold=passing, fail_threshold=fail)
        pools = {}
        for pair in scores:
            pools.setdefault(pair["question"], []).append(verdict(pair["score"], config))
        made = [move(names) for names in pools.values()]
        return ui.stats(
            *((name, made.count(name), f"of {len(made)} questions")
              for name in ("strips", "blend", "rewrite"))
        )  # fmt: skip

    ui.live(moves, lines=lines)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Strips

    A kept document still carries ballast: the row above, the section below. Cut it into strips of
    some tokens (60 here, 120 in the graph), grade each strip, keep the survivors in their order. A
    table keeps its head, a code block stays whole, and no line is lost in the cutting.
    """)
    return


@app.cell
def _(by_id, kit):
    asked = by_id["q017"].question
    page = kit.section(kit.retriever(asked, 1, "hybrid")[0])
    pieces = kit.split(page, 60)
    verdicts = kit.strip_grader(asked, pieces)
    ui.note(asked, title="the question")
    return asked, page, pieces, verdicts


@app.cell
def _(page, pieces, verdicts):
    show.evidence(
        [page],
        strips=[
            {"document_id": page["id"], "content": piece["content"], "score": grade.score,
             "kept": grade.score >= CragConfig().strip_threshold}
            for piece, grade in zip(pieces, verdicts, strict=True)
        ],
        opened=True,
    )  # fmt: skip
    return


@app.cell
def _(page, pieces, verdicts):
    _line = CragConfig().strip_threshold
    _kept = [p for p, g in zip(pieces, verdicts, strict=True) if g.score >= _line]
    ui.stats(
        ("the section", estimate_tokens(page["content"]), "tokens"),
        ("its surviving strips", sum(estimate_tokens(p["content"]) for p in _kept), "tokens"),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Did you see the date? This is the edition of 2024. Neither the search nor the grader looks at
    dates; notebook 7 does.

    ## Grounding

    The draft cites strips: `[1]` is the first of them. The check takes it apart into claims and
    holds each against the text it cites. Here is a draft with one true sentence and one that says
    a little too much:
    """)
    return


@app.cell
def _(by_id, kit):
    limit = by_id["q003"].question
    proof = kit.retriever(limit, 3, "hybrid")
    draft = kit.generator(limit, proof).text + " It can be renewed for 90 days [1]."
    grounding = kit.grounder(limit, draft, proof)
    show.claims(draft, grounding.claims, proof)
    return (grounding,)


@app.cell
def _(grounding):
    ui.facts({"grounded": grounding.grounded, "question answered": grounding.useful})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The graph, in the open

    Eleven nodes. The plain edges first: what always follows what.
    """)
    return


@app.cell
def _(kit):
    nodes = crag.CragNodes(kit)
    flow = StateGraph(CragState, context_schema=CragConfig)
    for _name in ("router", "direct_answer", "retriever", "grader", "blend", "strips", "rewriter",
                  "generator", "grounding_check", "ship", "ship_tagged"):  # fmt: skip
        flow.add_node(_name, getattr(nodes, _name))
    flow.add_edge(START, "router")
    flow.add_conditional_edges(
        "router", crag.is_retrieval_needed, {"yes": "retriever", "no": "direct_answer"}
    )
    flow.add_edge("retriever", "grader")
    flow.add_edge("blend", "strips")
    _ = flow.add_edge("generator", "grounding_check")
    return (flow,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Grading, strips and rewriting can all end with nothing in hand. Then the run looks elsewhere:
    other words first, the web second, and at last it gives up and says so. The check has an edge
    back to the rewriter: a **second draft** is a loop too, and has a budget of its own.
    """)
    return


@app.cell
def _(flow):
    elsewhere = {"blend": "blend", "rewrite": "rewriter", "give_up": "ship_tagged"}
    flow.add_conditional_edges("grader", crag.after_grading, {"strips": "strips", **elsewhere})
    flow.add_conditional_edges("strips", crag.after_strips, {"generate": "generator", **elsewhere})
    flow.add_conditional_edges(
        "rewriter", crag.after_rewriting, {"retry": "retriever", "give_up": "ship_tagged"}
    )
    flow.add_conditional_edges("grounding_check", crag.after_grounding, {
        "ship": "ship", "rewrite": "rewriter", "tag": "ship_tagged",
    })  # fmt: skip
    for _last in ("direct_answer", "ship", "ship_tagged"):
        flow.add_edge(_last, END)
    by_hand = flow.compile(name="crag")
    return (by_hand,)


@app.cell
def _(by_hand, kit):
    assert show.edges_of(by_hand) == show.edges_of(build_crag(kit))
    show.graph(by_hand)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    All numbers that steer this graph stand in one place: `CragConfig`. None is written into a node,
    so the same compiled graph serves every position of every slider below.

    ## Run it

    A run that ships: every claim stands in the evidence. Follow the lit edges. Where only some of
    the documents were kept, the way leads through `blend`: the web is asked too, and what it brings
    is graded like everything else.
    """)
    return


@app.cell
def _(asked, by_hand):
    shipped = ask(by_hand, asked)
    show.graph(by_hand, shipped)
    return (shipped,)


@app.cell
def _(shipped):
    show(shipped)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The evidence is no longer a list of chunks. It is a list of strips, each with the path of its
    headings and the page it came from, and that is what the labels in the answer count.

    ## Move the numbers

    Pick a question, move the lines, close the world. With the web closed, nothing from outside can
    get into an answer, and more questions end without one. Raise the pass line and watch documents
    turn ambiguous: they are not lost, but now each of their strips has to stand for itself.
    """)
    return


@app.cell
def _(practice):
    question = ui.dropdown(
        by_trap(q for q in practice if not q.history), practice[1], "question"
    )  # fmt: skip
    question
    return (question,)


@app.cell
def _():
    cuts = ui.range_slider(0.0, 1.0, 0.05, (0.35, 0.7), "fail and pass")
    cuts
    return (cuts,)


@app.cell
def _():
    web = ui.switch(True, "web fallback")
    web
    return (web,)


@app.cell
def _(cuts, kit, question, web):
    def run_it(question, cuts, web):
        fail, passing = cuts
        passing = passing if passing > fail else min(fail + 0.05, 1.0)
        fail = fail if fail < passing else passing - 0.05
        config = CragConfig(pass_threshold=passing, fail_threshold=fail, web_fallback=web)
        graph = build_crag(kit)
        run = ask(graph, question.question, config=config)
        tiles = ui.stats(
            ("tag", run.tag), ("evidence", len(run.documents), "strips"),
            ("searches", run.path.count("retriever")), ("web", run.state["web_outcome"] or "no"),
        )  # fmt: skip
        return ui.column(tiles, show(run, graph))

    ui.live(run_it, question=question, cuts=cuts, web=web)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Five rates to watch

    One run is a story, many runs are a measurement. Ask a batch of practice questions, once, and
    keep the records.
    """)
    return


@app.cell
def _(batch, kit):
    _still = kit.replace(clock=lambda: 0.0)
    records = climb(_still, batch, [rung("naive"), rung("crag")])
    crag_records = [record for record in records if record.rung == "crag"]
    return crag_records, records


@app.cell
def _(crag_records):
    _measured = [(rate.name, rate.measure(crag_records)) for rate in RATES[:5]]
    show.rates(
        {"rate": name, "numerator": share.hits, "denominator": share.total}
        for name, share in _measured
        if share is not None
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Rejections point at the chunks, rewrites at a gap between your words and theirs, web fallbacks
    at missing pages, second drafts at the prompt, and exhausted budgets are what you really fail.
    Mind one thing about the web: six documents are graded, and a single one that is not kept is
    reason enough to `blend`. With fewer documents a search, the web is asked less.

    What would other lines have done to the same scores?
    """)
    return


@app.cell
def _():
    what_if = ui.range_slider(0.05, 0.95, 0.05, (0.35, 0.7), "fail and pass")
    what_if
    return (what_if,)


@app.cell
def _(crag_records, what_if):
    def rates_at(what_if):
        fail, passing = what_if
        found = at_thresholds(crag_records, max(passing, fail + 0.01), fail)
        return show.rates(
            {"rate": name, "numerator": share.hits, "denominator": share.total}
            for name, share in found.items()
        )

    ui.live(rates_at, what_if=what_if)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When correction hurts

    More machinery is not always better. A strip can be cut away that held the number, a strict
    check can hold back a sentence that was true, and a rewrite can wander off. So every change of a
    rung is to be read in both directions. The batch ends with the one practice question, of 107,
    that naive RAG answers right and this rung does not. Count first:
    """)
    return


@app.cell
def _(records):
    _changed = changes(records, "naive", "crag", metric("answer correctness"))
    worse = [change for change in _changed if change.hurt]
    better = [change for change in _changed if not change.hurt]
    ui.stats(("better than naive", len(better)), ("worse than naive", len(worse)))
    return better, worse


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Then read them, the worse ones first. For each, ask which node did it: the grader, the strips,
    the writer or the check?
    """)
    return


@app.cell
def _(better, worse):
    ui.table(
        [{"change": kind, "question": change.before.question.question,
          "naive": change.before.answer, "CRAG": change.after.answer}
         for kind, found in (("worse", worse), ("better", better)) for change in found]
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Exercises

    **Exercise 1: three verdicts.** Mind the ends: the pass line itself is kept, the fail line
    itself is not dropped.

    <details><summary>Hint</summary>

    One <code>&gt;=</code> and one <code>&lt;</code>.

    </details>

    <details><summary>Solution</summary>

    ```python
    def verdict_of(score, fail, passing):
        if score >= passing:
            return "kept"
        return "dropped" if score < fail else "ambiguous"
    ```

    </details>
    """)
    return


@app.cell
def _():
    def verdict_of(score, fail, passing):
        """Return "kept", "ambiguous" or "dropped"."""
        ...

    exercises.check("06-verdict", verdict_of)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: the move.** From the verdicts of one search, choose *strips*, *blend* or *rewrite*.

    <details><summary>Hint</summary>

    An empty search has no verdicts at all. <code>all(...)</code> over nothing is <code>True</code>:
    ask for it last.

    </details>

    <details><summary>Solution</summary>

    ```python
    def move_for(verdicts):
        if not any(name != "dropped" for name in verdicts):
            return "rewrite"
        return "strips" if all(name == "kept" for name in verdicts) else "blend"
    ```

    </details>
    """)
    return


@app.cell
def _():
    def move_for(verdicts):
        """Return "strips", "blend" or "rewrite" for a list of verdicts."""
        ...

    exercises.check("06-move", move_for)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: the tag.** A draft was checked. Choose the tag, and mind that a draft which nobody
    could check has not passed.

    <details><summary>Hint</summary>

    <code>passed</code> is <code>True</code>, <code>False</code>, or <code>None</code> when the
    check broke down.

    </details>

    <details><summary>Solution</summary>

    ```python
    def tag_for(draft, passed):
        if not draft:
            return "abstained"
        return "verified" if passed is True else "best_effort"
    ```

    </details>
    """)
    return


@app.cell
def _():
    def tag_for(draft, passed):
        """Return "verified", "best_effort" or "abstained"; an empty draft has nothing to tag."""
        ...

    exercises.check("06-tag", tag_for)
    return


@app.cell
def test_the_lines_and_the_moves():
    config = CragConfig()
    assert [verdict(score, config) for score in (0.7, 0.35, 0.34)] == [
        "kept", "ambiguous", "dropped",
    ]  # fmt: skip
    assert move(["kept"]) == "strips" and move(["kept", "dropped"]) == "blend"
    assert move(["dropped"]) == move([]) == "rewrite"
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When not to use it

    Fifty questions with fifty exact answers need a search box. And a grader that costs as much as
    the generator eats all that the strips save: keep it small, or fix the retriever first.

    > **Takeaway.** Two lines instead of one, evidence instead of pages, and no answer without a
    > check that it could have failed.

    Next: notebook 7 keeps a record of every step, goes back to an earlier state when a check fails,
    and asks a person where it matters.
    """)
    return


if __name__ == "__main__":
    app.run()
