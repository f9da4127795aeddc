# /// script
# [tool.ragkit]
# title = "Budgets: a loop that knows what it may spend"
# description = "A router, three circuit breakers, and one telemetry record a question."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="4. Budgets", width="medium")

with app.setup(hide_code=True):
    import marimo as mo
    from langgraph.graph import END, START, StateGraph

    from ragkit import exercises, show, ui
    from ragkit.choice import announce, by_trap, chosen_kit, limited
    from ragkit.config import Budget, BudgetedConfig, Pace, Prices
    from ragkit.evaluation.questions import load_questions
    from ragkit.graphs.arsc import build_arsc
    from ragkit.graphs.budgeted import (
        BudgetedNodes,
        after_grading,
        after_rewriting,
        build_budgeted,
        by_route,
    )
    from ragkit.graphs.meter import over, tripped
    from ragkit.pace import paced
    from ragkit.runs import ask
    from ragkit.state import BudgetedState


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 4. Budgets: a loop that knows what it may spend

    ARSC counts its turns. A customer counts seconds, and the person who pays counts dollars. Here
    the run gets all three limits, and a router that decides whether there is anything to search for
    in the first place.

    At the end you can make each breaker trip on purpose, and read what a run cost from one line.
    """)
    return


@app.cell
def _():
    thinking = chosen_kit()
    practice = [q for q in load_questions(half="practice") if not q.history]
    batch = limited(thinking, practice, free=12, paid=4)
    announce(thinking, runs=len(batch) + 4, route=1, grade=15, rewrite=2, generate=1)
    return batch, practice, thinking


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What goes wrong without it

    Say hello to ARSC. It knows one thing to do with a sentence: search.
    """)
    return


@app.cell
def _(thinking):
    hello = ask(build_arsc(thinking), "Hi there!")
    ui.facts({"path": hello.path, "answer": hello.answer or None, "tag": hello.tag})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    And it has no idea of time. Rules and a small embedding model take milliseconds, so for this
    lesson we let the clock run as it would with a chat model: every call moves it by so much.
    Nobody waits, and a slow laptop changes nothing.
    """)
    return


@app.cell
def _():
    ui.facts(Pace())
    return


@app.cell
def _(thinking):
    def slow(**pace):
        """Return the kit with a clock of its own that moves at every call."""
        return paced(thinking, Pace(**pace))

    return (slow,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Three budgets

    Two retries, eight seconds, five cents. New work stops at 70 % of the time and at 80 % of the
    money, because the answer itself still has to be paid for and waited for.
    """)
    return


@app.cell
def _():
    ui.facts(Budget())
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The breaker is a pure function. It sees what was spent and says which limit forbids more work,
    or `None`. By hand, for a run that has used 6 of its 8 seconds:
    """)
    return


@app.cell
def _():
    used = {"total_ms": 6_000, "estimated_cost": 0.004}
    late = used["total_ms"] > Budget().max_latency_ms * Budget().latency_stop
    ui.facts({"by hand": "latency" if late else None, "by the library": over(used, Budget())})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Without reported tokens the cost is counted in operations, each at the price of a small chat
    model, in dollars:
    """)
    return


@app.cell
def _():
    ui.facts(Prices().model_dump(exclude={"tokens", "unknown_model"}))
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The router

    One cheap decision before anything is searched: answer directly, search the pages, or search the
    web.
    """)
    return


@app.cell
def _(thinking):
    _asked = ["Hi there!", "What is an API?", "How long is a cursor valid?",
              "What do reviews say about Tarnfield?"]  # fmt: skip
    routes = {question: thinking.router(question) for question in _asked}
    ui.table([{"question": q, "route": r.route, "why": r.reasoning} for q, r in routes.items()])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A reply that cannot be read counts as `vector_search`: the safe way is the one that looks at our
    own pages.

    ## The graph, in the open

    Eight nodes. Three of them end the run: an answer from evidence, an answer without any need for
    it, and a polite refusal.
    """)
    return


@app.cell
def _(thinking):
    nodes = BudgetedNodes(thinking)
    flow = StateGraph(BudgetedState, context_schema=BudgetedConfig)
    for _name in ("router", "direct_answer", "retriever", "web_search", "grader", "rewriter",
                  "generator", "fallback"):  # fmt: skip
        flow.add_node(_name, getattr(nodes, _name))
    return (flow,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Then the edges. Every decision has the breaker in it: a run that is broken goes to the
    generator with what it has, or to the refusal when it has nothing.
    """)
    return


@app.cell
def _(flow):
    flow.add_edge(START, "router")
    flow.add_conditional_edges("router", by_route, {
        "direct": "direct_answer", "vector_search": "retriever",
        "web_search": "web_search", "exhausted": "fallback",
    })  # fmt: skip
    flow.add_edge("retriever", "grader")
    flow.add_edge("web_search", "grader")
    flow.add_conditional_edges("grader", after_grading, {
        "generate": "generator", "rewrite": "rewriter",
        "vector_search": "retriever", "refuse": "fallback",
    })  # fmt: skip
    flow.add_conditional_edges("rewriter", after_rewriting, {
        "retry": "retriever", "generate": "generator", "refuse": "fallback",
    })  # fmt: skip
    for _last in ("generator", "fallback", "direct_answer"):
        flow.add_edge(_last, END)
    by_hand = flow.compile(name="budgeted")
    return (by_hand,)


@app.cell
def _(by_hand, thinking):
    assert show.edges_of(by_hand) == show.edges_of(build_budgeted(thinking))
    show.graph(by_hand)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## How much is enough?

    ARSC went on with a single relevant document. This rung wants 60 % of what was found to be
    relevant. Nothing found is a ratio of 0, not a division by zero.
    """)
    return


@app.cell
def _(by_hand):
    first = ask(by_hand, "How large may a single event be?")
    ui.column(
        ui.stat("relevant", f"{first.state['relevant']} of {first.state['retrieved']}"),
        show.graph(by_hand, first),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Spend it

    Pick a question and turn the three limits. The gauges show what the run used; the breaker's name
    is on the tile. Can you make each of the three trip? Halve the seconds, then try half a cent.
    """)
    return


@app.cell
def _(practice):
    question = ui.dropdown(by_trap(practice), practice[1], "question")
    question
    return (question,)


@app.cell
def _():
    retries = ui.slider(0, 5, 1, 2, "retries")
    retries
    return (retries,)


@app.cell
def _():
    seconds = ui.slider(0, 16, 0.5, 8, "seconds")
    seconds
    return (seconds,)


@app.cell
def _():
    cents = ui.slider(0, 5, 0.1, 5, "cents")
    cents
    return (cents,)


@app.cell
def _(slow):
    def spend(question, retries, seconds, cents):
        budget = Budget(
            max_retries=int(retries), max_latency_ms=seconds * 1000, max_cost_usd=cents / 100
        )
        graph = build_budgeted(slow())
        return graph, ask(graph, question.question, config=BudgetedConfig(budget=budget)), budget

    return (spend,)


@app.cell
def _(cents, question, retries, seconds, spend):
    def spent(question, retries, seconds, cents):
        graph, run, budget = spend(question, retries, seconds, cents)
        used = run.state["metrics"]
        gauges = ui.gauges(
            ("retries", used["retries_used"], budget.max_retries),
            ("time", used["total_ms"] / 1000, budget.max_latency_ms / 1000, "s", 1),
            ("cost", used["estimated_cost"] * 100, budget.max_cost_usd * 100, "cents", 2),
        )
        tiles = ui.stats(("breaker", used["trigger_reason"] or "closed"), ("tag", run.tag))
        return ui.column(gauges, tiles, show(run, graph))

    ui.live(spent, question=question, retries=retries, seconds=seconds, cents=cents)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A run that is stopped still answers when it can: from everything relevant that **any** attempt
    found, with a note under the answer and the tag `best_effort`. With nothing in hand it refuses
    and asks to rephrase. It never answers from nothing.

    ## One line a question

    Each run leaves one record. In production these lines are all you look at.
    """)
    return


@app.cell
def _(batch, slow):
    _graph = build_budgeted(slow())
    telemetry = [ask(_graph, q.question).state["telemetry"] for q in batch]
    ui.facts(telemetry[1])
    return (telemetry,)


@app.cell
def _(telemetry):
    _columns = ("query", "route", "iterations", "documents_relevant", "circuit_breaker_reason",
                "latency_ms", "estimated_cost_usd")  # fmt: skip
    ui.table([{column: record[column] for column in _columns} for record in telemetry])
    return


@app.cell
def _(telemetry):
    _broken = sum(record["circuit_breaker_triggered"] for record in telemetry)
    ui.stats(
        ("runs", len(telemetry)),
        ("stopped by a breaker", f"{_broken} of {len(telemetry)}"),
        ("cost of all", f"${sum(r['estimated_cost_usd'] for r in telemetry):.4f}"),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    If most runs are stopped, the budget is not at fault. Here five documents are fetched for
    questions that one page answers, so 60 % relevant is out of reach: look at *documents_relevant*.
    The next rung counts instead.

    ## Exercises

    **Exercise 1: the ratio.** Return relevant/retrieved, and mind the search that found nothing.

    <details><summary>Hint</summary>

    0 of 0 is not <em>enough</em>. Decide it before you divide.

    </details>

    <details><summary>Solution</summary>

    ```python
    def ratio(relevant, retrieved):
        return relevant / retrieved if retrieved else 0.0
    ```

    </details>
    """)
    return


@app.cell
def _():
    def ratio(relevant, retrieved):
        """Return the share of relevant documents, 0.0 when nothing was retrieved."""
        ...

    exercises.check("04-ratio", ratio)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: the breaker.** Which budget forbids a retry now? Retries first, then time, then
    money. New work stops at 70 % of the time and at 80 % of the money.

    <details><summary>Hint</summary>

    Three <code>if</code>s in that order. A limit that is just reached is not yet exceeded, but a
    retry count that is reached is used up.

    </details>

    <details><summary>Solution</summary>

    ```python
    def breaker(retries, ms, usd):
        if retries >= 2:
            return "retries"
        if ms > 8_000 * 0.7:
            return "latency"
        return "cost" if usd > 0.05 * 0.8 else None
    ```

    </details>
    """)
    return


@app.cell
def _():
    def breaker(retries, ms, usd):
        """Return "retries", "latency", "cost" or None, for 2 retries, 8,000 ms and 0.05 USD."""
        ...

    exercises.check("04-breaker", breaker)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: nothing is lost.** Attempt 1 kept page A, attempt 2 kept nothing, attempt 3 kept B
    and A again. What may the stopped run answer from?

    <details><summary>Hint</summary>

    All that was kept in any attempt, each page once, the first found first. A dictionary keeps the
    order of its keys.

    </details>

    <details><summary>Solution</summary>

    ```python
    def evidence_of(attempts):
        found = {page["id"]: page for pages in reversed(attempts) for page in reversed(pages)}
        order = dict.fromkeys(page["id"] for pages in attempts for page in pages)
        return [found[name] for name in order]
    ```

    </details>
    """)
    return


@app.cell
def _():
    def evidence_of(attempts):
        """Return the pages kept in any attempt, by id, once each; `attempts` is a list of lists."""
        ...

    exercises.check("04-union", evidence_of)
    return


@app.cell
def test_each_breaker_by_itself():
    cheap = {"total_ms": 0, "estimated_cost": 0.0}
    assert tripped(cheap, Budget(), retries=2, allowed=2) == "retries"
    assert tripped({**cheap, "total_ms": 5_601}, Budget(), retries=0, allowed=2) == "latency"
    assert tripped({**cheap, "estimated_cost": 0.041}, Budget(), retries=0, allowed=2) == "cost"
    assert tripped(cheap, Budget(), retries=1, allowed=2) is None
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When not to use it

    A batch job at night has no customer who waits; give it a money budget and drop the clock. And a
    ratio is a poor measure where one page is all there is.

    > **Takeaway.** Check the budget before the paid call, keep what any attempt kept, and let a
    > stopped run say that it was stopped.

    Next: notebook 5 lets the *number* of good documents pick the way.
    """)
    return


if __name__ == "__main__":
    app.run()
