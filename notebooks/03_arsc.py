# /// script
# [tool.ragkit]
# title = "ARSC: ask again in other words"
# description = "Retrieve, grade, rewrite, retry: the first loop, its cap, and everything it remembers."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="3. ARSC: ask again in other words", width="medium")

with app.setup(hide_code=True):
    import marimo as mo
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.graph import END, START, StateGraph

    from ragkit import exercises, show, ui
    from ragkit.choice import announce, by_trap, chosen_kit, limited
    from ragkit.config import ArscConfig, Prices
    from ragkit.evaluation.cases import first_case, was_rescued
    from ragkit.evaluation.components import prepare
    from ragkit.evaluation.questions import load_questions
    from ragkit.graphs.arsc import (
        ArscNodes,
        build_arsc,
        decide_to_generate_or_rewrite,
        decide_to_retry_or_end,
    )
    from ragkit.graphs.naive import build_naive
    from ragkit.runs import ask, history
    from ragkit.state import ArscState, arsc_input, arsc_schema


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 3. ARSC: ask again in other words

    A grader that rejects everything has saved us from a wrong answer. It has not given us a right
    one. Here the run gets a second chance: it rewrites its query and searches again.

    At the end you can build that loop, say why it always ends, and read everything that a run
    remembers of itself.
    """)
    return


@app.cell
def _():
    practice = load_questions(half="practice")
    kit = chosen_kit()
    announce(kit, runs=10, grade=12, rewrite=2, generate=1)
    return kit, practice


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What goes wrong without it

    Customers ask in the words of customers. The pages that answer are written in the words of the
    company. Among the practice questions of that kind, take the first whose search is rejected
    whole. First, naive RAG:
    """)
    return


@app.cell
def _(kit, practice):
    _vocabulary = limited(kit, [q for q in practice if q.trap == "vocabulary"], free=40, paid=3)
    case, _ = first_case(build_arsc(kit), prepare(kit, _vocabulary), was_rescued)
    customer = case.question
    show.beside_gold(ask(build_naive(kit), customer), case, case.relevant)
    return (customer,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    It answers, because it always answers. Now search with the better strategy, `hybrid`, and grade
    what was found, as notebook 2 did:
    """)
    return


@app.cell
def _(customer, kit):
    found = kit.retriever(customer, 4, "hybrid")
    grades = kit.grader(customer, found)
    show.evidence(found, grades)
    return found, grades


@app.cell
def _(found, grades):
    ui.stats(
        ("documents", len(found)),
        ("graded yes", sum(grade.binary_score == "yes" for grade in grades)),
        ("best score", f"{max(grade.score for grade in grades):.2f}"),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    All are rejected. A careful system could stop here and say so. But maybe the page exists, and
    only the *query* was wrong.

    ## One turn of the loop, by hand

    The rewriter gets three things: the customer's question, the queries that failed, and what they
    found. It proposes words that the corpus uses. The offline one is a rule: it looks for a place
    in the pages that may be meant, and asks in the words that stand there.
    """)
    return


@app.cell
def _(customer, found, kit):
    rewritten = kit.rewriter(customer, [customer], found)
    ui.note(rewritten.explanation, title=rewritten.query or "no new query")
    return (rewritten,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    It need not be a nice sentence; a search does not mind. Search with it, but grade for the **old
    question**. The customer did not ask the rewrite; a document that fits the rewrite and not the
    question is of no use to anybody.
    """)
    return


@app.cell
def _(customer, kit, rewritten):
    second = kit.retriever(rewritten.query, 4, "hybrid")
    second_grades = kit.grader(customer, second)
    show.evidence(second, second_grades)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Same customer, same index, other words, and the page is there. That is the whole idea. What is
    left is bookkeeping: how often may it turn, what does it carry from turn to turn, and what does
    it say when nothing helps?

    ## The state

    The protocol keeps one state for the whole run. Four fields must be there before it starts:
    """)
    return


@app.cell
def _():
    schema = arsc_schema()
    ui.table(
        [{"field": name, "type": part["type"], "must be given": name in schema["required"]}
         for name, part in schema["properties"].items()]
    )  # fmt: skip
    return


@app.cell
def _(customer):
    ui.facts(arsc_input(customer, max_iterations=3))
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    `iteration_count` counts the turns, `max_iterations` caps them, and `context_history` is the
    run's diary. A state that does not fit is refused, with the name of the field:
    """)
    return


@app.cell
def _(kit):
    try:
        build_arsc(kit).invoke({**arsc_input("anything"), "max_iterations": 0})
    except ValueError as problem:
        refusal = ui.note(str(problem), "bad", "ValueError")
    refusal
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The graph, in the open

    Four nodes and two decisions. A node does the work and returns **only what it changed**. A
    decision does no work: it reads the state and names the next edge.
    """)
    return


@app.cell
def _(kit):
    nodes = ArscNodes(kit)
    workflow = StateGraph(ArscState, context_schema=ArscConfig)
    workflow.add_node("retriever", nodes.retriever)
    workflow.add_node("grader", nodes.grader)
    workflow.add_node("rewriter", nodes.rewriter)
    _ = workflow.add_node("generator", nodes.generator)
    return (workflow,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The first decision: is any document graded yes? The second, after the rewriter: may we go round
    again? Both are closed lists of names, so the drawing below is the real graph and not a guess.
    """)
    return


@app.cell
def _(workflow):
    workflow.add_edge(START, "retriever")
    workflow.add_edge("retriever", "grader")
    workflow.add_conditional_edges(
        "grader",
        decide_to_generate_or_rewrite,
        {"generate": "generator", "rewrite": "rewriter"},
    )
    workflow.add_conditional_edges(
        "rewriter", decide_to_retry_or_end, {"retry": "retriever", "end": END}
    )
    workflow.add_edge("generator", END)
    by_hand = workflow.compile(checkpointer=MemorySaver(), name="arsc")
    return (by_hand,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The package has the same graph ready made. Same nodes, same edges:
    """)
    return


@app.cell
def _(by_hand, kit):
    packaged = build_arsc(kit)
    assert show.edges_of(by_hand) == show.edges_of(packaged)
    show.graph(by_hand)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Run it

    The numbers on the edges are the steps, in order.
    """)
    return


@app.cell
def _(by_hand, customer):
    rescued = ask(by_hand, customer)
    show.graph(by_hand, rescued)
    return (rescued,)


@app.cell
def _(rescued):
    show(rescued)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The tag says `best_effort`, and it means it. The documents were graded, the **answer** was not:
    nobody has yet compared its sentences with the page. That comes in notebook 6.

    ## Everything it remembers

    The graph has a checkpointer, so the state after every node is still there. Read it from top to
    bottom: each card shows what one node changed.
    """)
    return


@app.cell
def _(by_hand, rescued):
    memory = history(by_hand, rescued.thread_id)
    show.timeline(memory)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    > **Note.** This memory lives in the kernel. Restart it and the history is gone; run the cells
    > above again first. A database keeps it for longer: the same graph takes any LangGraph saver.

    ## A question that ends at the cap

    There is no such page, and no rewrite will change that. The loop must find out and stop.
    """)
    return


@app.cell
def _(by_hand, kit, practice):
    _missing = limited(kit, [q for q in practice if q.trap == "missing"], free=20, paid=3)
    _, hopeless = first_case(by_hand, _missing, lambda _, run: run.reason.endswith("cap is reached"))
    ui.table([{"the run's diary": line} for line in hopeless.state["context_history"]])
    return (hopeless,)


@app.cell
def _(by_hand, hopeless):
    show.graph(by_hand, hopeless)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Three retrievals, three gradings, and no answer. There is not even an empty one: the state has
    no `generation` at all, so no program can mistake it for an answer.
    """)
    return


@app.cell
def _(hopeless):
    ui.facts({"tag": hopeless.tag, "reason": hopeless.reason,
              "generation in the state": "generation" in hopeless.state})  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Move the numbers

    Pick a question, the number of documents and the cap. Watch three things: does the loop turn,
    what does it find, and what does it cost?

    Not every story ends well. Look for a *missing* question whose loop turns until the grader
    mistakes some page for an answer. Then take documents away from a *vocabulary* question until
    the cap comes before its page does. More turns are more chances, for both kinds of ending.
    """)
    return


@app.cell
def _(practice):
    of_interest = [q for q in practice if q.trap in ("vocabulary", "missing")]
    return (of_interest,)


@app.cell
def _(of_interest):
    question = ui.dropdown(by_trap(of_interest, 100), of_interest[-1], "question")
    question
    return (question,)


@app.cell
def _():
    top_k = ui.slider(1, 8, 1, 4, "documents a search")
    top_k
    return (top_k,)


@app.cell
def _():
    cap = ui.slider(1, 6, 1, 3, "max_iterations")
    cap
    return (cap,)


@app.cell
def _():
    def price(run):
        """Return what a run costs by the budgeted article's prices, in USD."""
        prices, searches = Prices(), run.path.count("grader")
        graded = sum(len(s["update"]["grades"]) for s in run.steps if s["node"] == "grader")
        paid_rewrites = len(run.state["queries"]) - 1
        answered = prices.generate * ("generation" in run.state)
        total = prices.grade * graded + prices.rewrite * paid_rewrites + answered
        return searches, graded, paid_rewrites, total

    return (price,)


@app.cell
def _(cap, kit, price, question, top_k):
    def turn(question, top_k, cap):
        graph = build_arsc(kit)
        run = ask(graph, question.question, config=ArscConfig(top_k=top_k, max_iterations=cap))
        searches, graded, rewrites, usd = price(run)
        tiles = ui.stats(
            ("searches", searches), ("documents graded", graded),
            ("rewrites", rewrites), ("cost", f"${usd:.4f}", "with a chat model"),
        )  # fmt: skip
        return ui.column(tiles, show(run, graph))

    ui.live(turn, question=question, top_k=top_k, cap=cap)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A cap of 1 makes ARSC a strict naive RAG: one search, one grading, answer or nothing. Every
    further turn costs a rewrite and a whole round of grades, also for the questions that no turn
    can save.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Exercises

    **Exercise 1: the first decision.** Given the grades, name the next edge. Mind the empty list: a
    search that found nothing is not a success.

    <details><summary>Hint</summary>

    <code>any(...)</code> over nothing is <code>False</code>, which is just what we want.

    </details>

    <details><summary>Solution</summary>

    ```python
    def decide(grades):
        graded_yes = any(grade["binary_score"] == "yes" for grade in grades)
        return "generate" if graded_yes else "rewrite"
    ```

    </details>
    """)
    return


@app.cell
def _():
    def decide(grades):
        """Return "generate" when any grade's binary_score is "yes", else "rewrite"."""
        ...

    exercises.check("03-decide", decide)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: off by one.** The protocol's text says: the rewriter counts, *then* the cap is
    checked, before the retriever is entered again. The listing printed with it checks one step
    earlier, after the grader, *before* the rewriter has counted. Follow that listing with a
    question that nothing answers: how many retrievals does `max_iterations = n` give there?

    <details><summary>Hint</summary>

    Play it for <code>n = 1</code>. The first grading happens with <code>iteration_count = 0</code>.
    Is 0 >= 1? What happens next, and what is the count when the grader is reached again?

    </details>

    <details><summary>Solution</summary>

    ```python
    def retrievals_of_the_listing(n):
        count = retrievals = 0
        while True:
            retrievals += 1  # retrieve, grade: all no
            if count >= n:
                return retrievals
            count += 1  # rewrite
    ```

    One retrieval, one grading and one rewrite more than the text allows: <code>n + 1</code>.

    </details>
    """)
    return


@app.cell
def _():
    def retrievals_of_the_listing(n):
        """Return how often the listing retrieves when every document is graded no."""
        ...

    exercises.check("03-off-by-one", retrievals_of_the_listing)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: rewrite from where?** The same listing overwrites the question with each rewrite,
    and rewrites the rewrite. After two turns its query reads *More specific query about: More
    specific query about: …*. Write the step that cannot drift: choose what the rewriter is given.

    <details><summary>Hint</summary>

    The state keeps two things apart: <code>original_question</code>, which never changes, and
    <code>queries</code>, all that was searched so far, the newest last.

    </details>

    <details><summary>Solution</summary>

    ```python
    def rewrite_step(state, rewriter):
        query = rewriter(state["original_question"], state["queries"])
        return {"question": query, "queries": [*state["queries"], query]}
    ```

    </details>
    """)
    return


@app.cell
def _():
    def rewrite_step(state, rewriter):
        """Call `rewriter(question, failed_queries)` once; return the changed keys only.

        These are `question`, the new query, and `queries`, the longer list. Leave `state` as it is.
        """
        ...

    exercises.check("03-rewrite", rewrite_step)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 4: no progress.** A rewriter that returns the old query in other capitals would turn
    the loop for nothing. Say when a rewrite is worth a search.

    <details><summary>Hint</summary>

    Compare both sides in one form: without spaces around, without capitals, without a final
    <code>?</code>.

    </details>

    <details><summary>Solution</summary>

    ```python
    def is_progress(rewrite, queries):
        def plain(text):
            return " ".join(text.casefold().strip(" ?.!").split())

        return bool(plain(rewrite)) and plain(rewrite) not in map(plain, queries)
    ```

    </details>
    """)
    return


@app.cell
def _():
    def is_progress(rewrite, queries):
        """Return True for a rewrite that is not blank and, but for case, spaces and ?, new."""
        ...

    exercises.check("03-progress", is_progress)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What must stay true

    With a retriever that finds nothing, the cap alone decides when it is over.
    """)
    return


@app.cell
def test_the_cap_counts_retrievals(kit):
    def retrievals(cap):
        blind = kit.replace(retriever=lambda query, k, strategy="hybrid": [])
        run = ask(build_arsc(blind), "Is there a moon plan?", config=ArscConfig(max_iterations=cap))
        return run.path.count("retriever")

    assert retrievals(1) == 1, "the first search is the only one"
    assert 1 <= retrievals(3) <= 3, "never more than the cap"
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When not to use it

    Where questions and pages share their words, the loop never turns, and the grader is all you
    pay for. Where the page does not exist, every turn is wasted: watch the share of runs that end
    at the cap, and write the missing pages. And a loop that turns on every second question is a
    sign that the index is at fault, not the questions.

    > **Takeaway.** Rewrite from the original question, grade for the original question, count before
    > you go round again, and leave no answer where there is none.

    Next: `04_budgets` gives the run a budget of time and money, and a choice of where to search.
    """)
    return


if __name__ == "__main__":
    app.run()
