# /// script
# [tool.ragkit]
# title = "Corrective RAG: let the count decide"
# description = "Two good documents, one, or none: three branches, a web search, and a guard at the door."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="5. Corrective RAG", width="medium")

with app.setup(hide_code=True):
    import marimo as mo
    from langgraph.graph import END, START, StateGraph

    from ragkit import exercises, show, ui
    from ragkit.choice import announce, by_trap, chosen_kit, limited
    from ragkit.config import BudgetedConfig, CorrectiveConfig
    from ragkit.evaluation.cases import first_case
    from ragkit.evaluation.questions import load_questions
    from ragkit.graphs.budgeted import build_budgeted
    from ragkit.graphs.corrective import (
        CorrectiveNodes,
        after_rewriting,
        after_second_grading,
        branch_for,
        build_corrective,
        by_count,
        is_retrieval_needed,
    )
    from ragkit.runs import ask
    from ragkit.state import CorrectiveState


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 5. Corrective RAG: let the count decide

    A ratio asks how pure a search was. But a question that one page answers will never be 60 %
    pure. This rung counts instead: two good documents are enough, one is a beginning, none means
    that we are looking in the wrong place.

    It is also the first rung that reads its own answer before it lets it out.
    """)
    return


@app.cell
def _():
    kit = chosen_kit()
    announce(kit, runs=16, route=1, grade=8, rewrite=1, generate=1, check=2)
    return (kit,)


@app.cell
def _():
    practice = {question.id: question for question in load_questions(half="practice")}
    return (practice,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What goes wrong without it

    A plain question, whose answer stands on one page. The rung of notebook 4 finds the page at once
    and turns its loop all the same:
    """)
    return


@app.cell
def _(kit, practice):
    plain = practice["q003"].question
    _patient = BudgetedConfig(budget={"max_latency_ms": 600_000})
    budgeted = ask(build_budgeted(kit), plain, config=_patient)
    ui.stats(("searches", budgeted.path.count("retriever")), ("how it ended", budgeted.reason))
    return (plain,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Three branches

    | good documents | branch | what happens |
    | :--- | :--- | :--- |
    | two or more | *correct* | answer |
    | one | *ambiguous* | rewrite, search once more, join what is good |
    | none | *incorrect* | leave our pages, search the web |

    By hand, from grades; then by the library:
    """)
    return


@app.cell
def _(kit, plain):
    documents = kit.retriever(plain, 4, "hybrid")
    grades = kit.grader(plain, documents)
    good = sum(grade.binary_score == "yes" for grade in grades)
    by_hand = "correct" if good >= 2 else "ambiguous" if good == 1 else "incorrect"
    ui.facts({"good": good, "by hand": by_hand, "by the library": branch_for(good, 2)})
    return documents, grades


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Each document is graded **by itself**, all at the same time, and each grade says why. If one
    grade is lost to a timeout, only that document is lost.
    """)
    return


@app.cell
def _(documents, grades):
    show.evidence(documents, grades)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Small to find, large to read

    The chunk that matches is small. The generator is shown the **section** it was cut from, so that
    a table keeps the sentence above it.
    """)
    return


@app.cell
def _(documents, kit):
    section = kit.section(documents[0])
    ui.stats(
        ("the chunk", len(documents[0]["content"].split()), "words, this was matched"),
        ("its section", len(section["content"].split()), "words, this is shown"),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The graph, in the open

    Eleven nodes. Two search again, one reads the draft, the rest you know from notebook 4.
    """)
    return


@app.cell
def _(kit):
    nodes = CorrectiveNodes(kit)
    flow = StateGraph(CorrectiveState, context_schema=CorrectiveConfig)
    for _name in ("router", "direct_answer", "retriever", "grader", "rewriter",
                  "secondary_retriever", "web_search", "secondary_grader", "generator",
                  "hallucination_guard", "fallback"):  # fmt: skip
        flow.add_node(_name, getattr(nodes, _name))
    return (flow,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Four decisions. The second is the one this rung is named for. All ways that draft an answer lead
    through the guard.
    """)
    return


@app.cell
def _(flow):
    flow.add_edge(START, "router")
    flow.add_conditional_edges(
        "router", is_retrieval_needed, {"yes": "retriever", "no": "direct_answer"}
    )
    flow.add_edge("retriever", "grader")
    flow.add_conditional_edges("grader", by_count, {
        "correct": "generator", "ambiguous": "rewriter", "incorrect": "web_search",
    })  # fmt: skip
    flow.add_conditional_edges(
        "rewriter", after_rewriting, {"search": "secondary_retriever", "generate": "generator"}
    )
    flow.add_edge("secondary_retriever", "secondary_grader")
    flow.add_edge("web_search", "secondary_grader")
    flow.add_conditional_edges(
        "secondary_grader", after_second_grading, {"generate": "generator", "refuse": "fallback"}
    )
    flow.add_edge("generator", "hallucination_guard")
    for _last in ("hallucination_guard", "direct_answer", "fallback"):
        flow.add_edge(_last, END)
    by_cells = flow.compile(name="corrective")
    return (by_cells,)


@app.cell
def _(by_cells, kit):
    assert show.edges_of(by_cells) == show.edges_of(build_corrective(kit))
    show.graph(by_cells)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Each branch, lit

    The same graph, one practice question for each branch, and one that nothing answers:
    """)
    return


@app.cell
def _(by_cells, kit, practice):
    def first(branch, tag, **wanted):
        """Return the first run on such questions that takes the branch and ends so."""
        fits = [q for q in practice.values() if wanted.items() <= q.model_dump().items()]
        return first_case(
            by_cells, limited(kit, fits, free=20, paid=2),
            lambda _, run: (run.state["branch"], run.tag) == (branch, tag),
        )[1]  # fmt: skip

    return (first,)


@app.cell
def _(first):
    runs = {
        "two or more": first("correct", "verified", trap="plain"),
        "one": first("ambiguous", "verified", trap="plain"),
        "none": first("incorrect", "verified", answered_by="web"),
        "none anywhere": first("incorrect", "abstained", trap="missing"),
    }
    ui.table([{"good documents": good, "question": run.question, "branch": run.state["branch"],
               "tag": run.tag} for good, run in runs.items()])  # fmt: skip
    return (runs,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Two good documents or more: straight to the answer, and through the guard.
    """)
    return


@app.cell
def _(by_cells, runs):
    show.graph(by_cells, runs["two or more"])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    One good document. Before we answer from it alone, the run looks once more, with other words,
    for what stands beside it:
    """)
    return


@app.cell
def _(by_cells, runs):
    show.graph(by_cells, runs["one"])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    No good document. Our pages do not know it; perhaps the web does. Here the web is a folder of
    recorded pages, so that the lesson is the same tomorrow.
    """)
    return


@app.cell
def _(by_cells, runs):
    show.graph(by_cells, runs["none"])
    return


@app.cell
def _(runs):
    show(runs["none"])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The web is not one of us

    Anybody can write there. Pages from the web are marked in the evidence, graded like any other,
    and never obeyed. And they may simply be wrong. This one contradicts our own page:
    """)
    return


@app.cell
def _(kit):
    rumour = kit.web("How long does Relay keep notifications that could not be delivered?", 3)
    show.evidence(list(rumour.documents))
    return


@app.cell
def _(kit):
    ours = kit.retriever("How long do entries stay in the dead-letter drawer?", 2, "hybrid")
    show.evidence(ours)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    This rung asks the web only when our pages have nothing. That order is a decision, and in a
    regulated place the right decision is not to ask at all.

    ## The guard

    The last node reads the draft against its evidence, claim by claim. Let us hand it a lie.
    """)
    return


@app.cell
def _(documents, kit, plain):
    def judged(answer):
        verdict = kit.grounder(plain, answer, documents)
        return {"answer": answer, "grounded": verdict.grounded, "why": verdict.explanation}

    honest = kit.generator(plain, documents).text
    ui.table([judged(honest), judged("A cursor is valid for 97 days [1].")])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A draft that does not pass is replaced by *not enough information*. A guard that breaks down
    counts as a guard that said no.

    ## Move the numbers

    How many good documents are enough? With 1 the second branch is never taken. With 4 nearly every
    question that has a page takes it.
    """)
    return


@app.cell
def _(practice):
    question = ui.dropdown(
        by_trap(q for q in practice.values() if not q.history), practice["q003"], "question"
    )
    question
    return (question,)


@app.cell
def _():
    enough = ui.slider(1, 4, 1, 2, "good documents that are enough")
    enough
    return (enough,)


@app.cell
def _(enough, kit, question):
    def branch(question, enough):
        graph = build_corrective(kit)
        run = ask(graph, question.question, config=CorrectiveConfig(enough_documents=int(enough)))
        tiles = ui.stats(
            ("branch", run.state["branch"] or "direct"), ("tag", run.tag),
            ("graded", len(run.state["grades"])), ("evidence", len(run.documents)),
        )  # fmt: skip
        return ui.column(tiles, show(run, graph))

    ui.live(branch, question=question, enough=enough)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Exercises

    **Exercise 1: name the branch.**

    <details><summary>Hint</summary>

    Ask for the largest count first.

    </details>

    <details><summary>Solution</summary>

    ```python
    def branch_of(good):
        if good >= 2:
            return "correct"
        return "ambiguous" if good else "incorrect"
    ```

    </details>
    """)
    return


@app.cell
def _():
    def branch_of(good):
        """Return "correct", "ambiguous" or "incorrect" for a count of good documents."""
        ...

    exercises.check("05-branch", branch_of)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: join the harvests.** The second search may bring the first document again. Keep
    each once, the first harvest first.

    <details><summary>Hint</summary>

    Remember the ids you have seen.

    </details>

    <details><summary>Solution</summary>

    ```python
    def join(first, second):
        seen = {page["id"] for page in first}
        return first + [page for page in second if page["id"] not in seen]
    ```

    </details>
    """)
    return


@app.cell
def _():
    def join(first, second):
        """Return the pages of both lists, by id, each once, those of `first` in front."""
        ...

    exercises.check("05-join", join)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: three outcomes.** A search tool returned something. Was anything found, was there
    nothing, or did the tool fail? An error that looks like a page must never become one.

    <details><summary>Hint</summary>

    An exception and a text that begins with <code>Error</code> are failures. An empty list is not a
    failure.

    </details>

    <details><summary>Solution</summary>

    ```python
    def outcome(search):
        try:
            results = search()
        except Exception:
            return "failed"
        if isinstance(results, str):
            return "failed" if results.startswith("Error") else "found"
        return "found" if results else "empty"
    ```

    </details>
    """)
    return


@app.cell
def _():
    def outcome(search):
        """Call `search()`; return "found", "empty" or "failed". It gives a list or a text."""
        ...

    exercises.check("05-outcome", outcome)
    return


@app.cell
def test_the_count_picks_the_branch():
    assert [branch_for(good, 2) for good in range(4)] == [
        "incorrect", "ambiguous", "correct", "correct",
    ]  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When not to use it

    Where answers must come from your own pages, and from nowhere else, take the web branch out: a
    kit without `web` refuses instead. And a count is blind to *how* good a document is. A grade of
    0.51 opens the door as wide as one of 0.99.

    > **Takeaway.** Count what is good, look elsewhere when there is nothing, and read your own
    > answer before you send it.

    Next: notebook 6 replaces the single cut by two, and whole documents by strips.
    """)
    return


if __name__ == "__main__":
    app.run()
