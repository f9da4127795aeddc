# /// script
# [tool.ragkit]
# title = "Naive RAG, and how it fails"
# description = "Retrieve, then answer, whatever was found: five failures, each seen happening, and a first score."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="1. Naive RAG, and how it fails", width="medium")

with app.setup(hide_code=True):
    from collections import Counter

    import marimo as mo
    from langgraph.graph import END, START, StateGraph
    from tqdm.notebook import tqdm

    from ragkit import ask, exercises, show, ui
    from ragkit.choice import announce, by_trap, chosen_kit, is_free
    from ragkit.config import NaiveConfig
    from ragkit.evaluation.gold import relevant_ids
    from ragkit.evaluation.judge import is_correct, is_stale
    from ragkit.evaluation.ladder import climb, rung
    from ragkit.evaluation.metrics import metric
    from ragkit.evaluation.questions import load_questions
    from ragkit.graphs.naive import NaiveNodes, build_naive
    from ragkit.records import Generation
    from ragkit.state import NaiveState


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 1. Naive RAG, and how it fails

    Retrieve the nearest chunks, answer from them, done. Everybody builds this first, and for some
    jobs it is enough.

    Here we build it, watch it fail in five ways, and count how often it is wrong without anybody
    noticing. Nothing is staged: the pages are the company's, the questions come from the practice
    half.
    """)
    return


@app.cell
def _():
    practice = load_questions(half="practice")
    by_id = {question.id: question for question in practice}
    kit = chosen_kit()
    announce(kit, runs=len(practice), generate=1)
    return by_id, kit, practice


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## By hand

    Two calls are all there is. One finds four chunks by embedding alone, one answers from them:
    """)
    return


@app.cell
def _(by_id, kit):
    plain = by_id["q012"].question
    found = kit.retriever(plain, 4, "dense")
    draft = kit.unguarded(plain, found)
    ui.note(draft.text, title=plain)
    return draft, plain


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    `[2]` names the second chunk that was found. The writer is called *unguarded*, because it
    answers from whatever it is given. A careful one comes later.

    ## As a graph

    LangGraph runs **nodes** over a shared **state**. A node is a function: it reads the state, and
    returns only what it changed. Edges say who comes next.
    """)
    return


@app.cell
def _(kit):
    nodes = NaiveNodes(kit)
    builder = StateGraph(NaiveState, context_schema=NaiveConfig)
    builder.add_node("retriever", nodes.retriever)
    builder.add_node("generator", nodes.generator)
    builder.add_edge(START, "retriever")
    builder.add_edge("retriever", "generator")
    builder.add_edge("generator", END)
    naive = builder.compile(name="naive")
    show.graph(naive)
    return (naive,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    `ragkit.graphs.naive` holds the same graph, ready-made. It has the same edges, and it gives the
    answer that we got by hand:
    """)
    return


@app.cell
def _(draft, kit, naive, plain):
    first = ask(naive, plain)
    same_edges = show.edges_of(naive) == show.edges_of(build_naive(kit))
    ui.facts({"same edges": same_edges, "same answer": first.answer == draft.text})
    return (first,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A run keeps everything it did. Here is the whole story: the path, the answer with its sources,
    the evidence, and each step with what it changed in the state.
    """)
    return


@app.cell
def _(first, naive):
    show(first, naive)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Right answer, right source. On a demo day we would stop here.

    ## Five ways to fail

    From now on we lay the **gold** beside each answer: the facts that a right one states, and which
    chunks hold them. The run itself never sees any of it.
    """)
    return


@app.cell
def _(kit, naive):
    chunks = kit.retriever.documents()

    def watch(question, **settings):
        run = ask(naive, question.question, config=NaiveConfig(**settings))
        return show.beside_gold(run, question, relevant_ids(question, chunks))

    return (watch,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### 1. The old price

    The price list of 2023 is the nearest chunk of all: it is about the same thing, in the same
    words. Both prices are quoted, and no word says which one holds. The dates are on the pages, but
    nothing in this graph looks at them:
    """)
    return


@app.cell
def _(by_id, watch):
    watch(by_id["q071"])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Hand on one chunk only, and the old price stands alone:
    """)
    return


@app.cell
def _(by_id, watch):
    watch(by_id["q071"], top_k=1)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### 2. Other words

    The customer asks about a *webhook* and a *timeout*. The page that answers says *endpoint* and
    *what your server must do*. It is not among the first four, so the answer comes from a page about
    rate limits:
    """)
    return


@app.cell
def _(by_id, watch):
    watch(by_id["q042"])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### 3. No such page

    There is a page about backups in the European zone and one about the American zone. None is
    about Sydney. A retriever cannot return *nothing*, so it returns the nearest it has:
    """)
    return


@app.cell
def _(by_id, watch):
    watch(by_id["q055"])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### 4. Two pages disagree

    Two guidelines took effect on the same day. One forbids what the other allows. Both are quoted
    as if they went together; a person should decide, and nobody is asked:
    """)
    return


@app.cell
def _(by_id, watch):
    watch(by_id["q010"])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### 5. Made-up certainty

    Look at what the runs say about themselves. One of them is right. Could you tell which?
    """)
    return


@app.cell
def _(by_id, naive):
    _asked = [by_id[name] for name in ("q012", "q071", "q042", "q055", "q010")]
    _runs = [ask(naive, question.question) for question in _asked]
    ui.table([{"question": r.question, "tag": r.tag, "reason": r.reason} for r in _runs])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Every run ends `best_effort`, since nothing was checked. That is honest, and of no use: it says
    the same of a right answer and of a wrong one. Leave the tag away, as most systems do, and what
    remains is a confident sentence with a citation.

    ## Watch it yourself

    Pick a question by its trap. Hand on more chunks, or search by keyword or hybrid. What helps
    against which trap? And what helps against *missing* and *vague*?
    """)
    return


@app.cell
def _(by_id, practice):
    pick = ui.dropdown(by_trap(practice), by_id["q099"], "question")
    pick
    return (pick,)


@app.cell
def _():
    strategy = ui.dropdown(["dense", "keyword", "hybrid"], "dense", "strategy")
    strategy
    return (strategy,)


@app.cell
def _():
    top_k = ui.slider(1, 10, 1, 4, "chunks handed on")
    top_k
    return (top_k,)


@app.cell
def _(pick, strategy, top_k, watch):
    ui.live(watch, question=pick, strategy=strategy, top_k=top_k)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## A first score

    Single cases make good stories. How often does it happen? We ask every practice question once.
    With a chat model, ten of them.
    """)
    return


@app.cell
def _(kit, practice):
    asked = practice if is_free(kit) else practice[:10]
    records = climb(kit, asked, [rung("naive")], jobs=2, progress=tqdm)
    ui.stats(*Counter(f"tagged {record.tag}" for record in records).items())
    return (records,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    When is a run wrong? If the gold has an answer, when the answer lacks a fact or gives a value of
    the past. If there is none, or a person must decide, when it answers all the same. Greetings and
    the like have no gold facts; we leave them out.
    """)
    return


@app.cell
def _(records):
    def is_wrong(record):
        question = record.question
        if question.expected_tag in ("abstained", "needs_review"):
            return record.released
        return is_stale(record.answer, question) or not is_correct(record.answer, question)

    judged = [record for record in records if record.question.expected_tag != "direct"]
    wrong = [record for record in judged if is_wrong(record)]
    noticed = [record for record in wrong if not record.released]
    ui.stats(
        ("judged", len(judged), "questions"),
        ("wrong", len(wrong), f"{len(wrong) / len(judged):.0%} of them", "bad"),
        ("wrong and noticed", len(noticed), f"of {len(wrong)}", "bad"),
    )
    return is_wrong, judged


@app.cell
def _(is_wrong, judged):
    _asked = Counter(record.question.trap for record in judged)
    _wrong = Counter(record.question.trap for record in judged if is_wrong(record))
    show.rates(
        [{"rate": trap, "numerator": _wrong[trap], "denominator": n, "tone": "bad"}
         for trap, n in _asked.items()],
        title="wrong, by trap",
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A handful of questions for each trap give wide intervals: read the bars as a picture, not as a
    measurement.
    The `missing`, `vague` and `sensitive` ones cannot be right: this graph has no way to say no.

    For the questions that have an answer, the library counts the same by its own definition:
    """)
    return


@app.cell
def _(is_wrong, judged):
    _answerable = [r for r in judged if r.question.expected_tag == "verified" and r.question.facts]
    _correctness = metric("answer correctness")
    ui.stats(
        ("by hand", sum(not is_wrong(r) for r in _answerable), f"right of {len(_answerable)}"),
        ("by the library", _correctness.measure(judged).hits, _correctness.definition),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Now a number that many systems are proud of. **Groundedness** asks whether each sentence is
    backed by the chunks that the writer was shown:
    """)
    return


@app.cell
def _(judged):
    _names = ("groundedness", "answer correctness")
    _shares = [(name, metric(name).measure(judged)) for name in _names]
    show.rates(
        {"rate": name, "numerator": share.hits, "denominator": share.total}
        for name, share in _shares
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    True to the text, and wrong about the question. Whoever checks the answer against the wrong
    pages will always be content.

    ## Could a cut on similarity save us?

    The retriever gives a cosine with each chunk. Why not refuse when the best one is low? Move the
    cut and look for a place where both tiles are small.
    """)
    return


@app.cell
def _(kit, practice):
    has_page = {"kb": True, "web": False, "none": False}
    pairs = [
        (kit.retriever.scored(q.question, 1, "dense")[0][1], has_page[q.answered_by])
        for q in practice
        if q.answered_by in has_page
    ]
    return (pairs,)


@app.cell
def _():
    cut = ui.slider(0.2, 0.8, 0.05, 0.4, "refuse below")
    cut
    return (cut,)


@app.cell
def _(cut, pairs):
    def fates(cut):
        with_page = [best for best, answered in pairs if answered]
        without = [best for best, answered in pairs if not answered]
        refused = sum(best < cut for best in with_page)
        let_in = sum(best >= cut for best in without)
        return ui.stats(
            ("refused, though a page answers", refused, f"of {len(with_page)}", "maybe"),
            ("answered, though no page does", let_in, f"of {len(without)}", "bad"),
        )

    ui.live(fates, cut=cut)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    There is no such place. A cosine says how near two texts are, not whether one answers the other.
    The next notebook asks that question itself.

    ## What it costs

    This is naive RAG's strength: one search and one call of the writer, whatever is asked.
    """)
    return


@app.cell
def _(records):
    tokens = metric("context tokens").measure(records)
    price = metric("USD a question").measure(records)
    ui.stats(
        ("steps", len(records[0].path), " then ".join(records[0].path)),
        ("shown to the writer", f"{tokens.value:.0f}", "tokens a question"),
        ("with a chat model", f"${price.value:.4f}", "a question, by the price table"),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Exercises

    **Exercise 1: is the fact stated?** A judge that looks for `$49` must not find it in `$499`, and
    `5 days` is not in `15 days`. Write the test that every count above rests on.

    <details><summary>Hint</summary>

    A regular expression with <code>re.escape(value)</code>. Before it no word character may stand,
    and after it none either: <code>(?&lt;!\w)</code> and <code>(?!\w)</code> look without taking
    anything.

    </details>
    <details><summary>Solution</summary>

    ```python
    import re

    def states(answer, value):
        found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", answer, re.IGNORECASE)
        return found is not None
    ```

    </details>
    """)
    return


@app.cell
def _():
    def states(answer, value):
        """Return whether the answer holds the value as a whole, in any case of letters."""
        ...

    exercises.check("01-states", states)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: the newest edition.** Editions of one page share `title` and `product` in their
    metadata. `effective_day` is a number such as 20260201; on some pages it is absent, and such a
    page is neither old nor new. Keep what counts today, in the order given.

    <details><summary>Hint</summary>

    Two passes. First note the highest day for each (title, product). Then keep a document that has
    no day, or whose day is the highest of its page.

    </details>
    <details><summary>Solution</summary>

    ```python
    def newest(documents):
        def page(document):
            return document["metadata"]["title"], document["metadata"]["product"]

        latest = {}
        for document in documents:
            day = document["metadata"].get("effective_day", 0)
            latest[page(document)] = max(day, latest.get(page(document), 0))
        return [
            document
            for document in documents
            if document["metadata"].get("effective_day") in (None, latest[page(document)])
        ]
    ```

    </details>
    """)
    return


@app.cell
def _():
    def newest(documents):
        """Return the documents without those that have a newer edition among them."""
        ...

    exercises.check("01-newest", newest)
    return (newest,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: a third node.** Put a node called `editions` between `retriever` and `generator`.
    It hands the state's `documents` to `newest` and returns the ones that are left. Return the
    compiled graph.

    <details><summary>Hint</summary>

    Copy the cell that built the graph. A node may be a lambda: <code>lambda state: {"documents":
    newest(state["documents"])}</code>. Three nodes in a row have four edges.

    </details>
    <details><summary>Solution</summary>

    ```python
    def build_dated(nodes, newest):
        builder = StateGraph(NaiveState, context_schema=NaiveConfig)
        builder.add_node("retriever", nodes.retriever)
        builder.add_node("editions", lambda state: {"documents": newest(state["documents"])})
        builder.add_node("generator", nodes.generator)
        builder.add_edge(START, "retriever")
        builder.add_edge("retriever", "editions")
        builder.add_edge("editions", "generator")
        builder.add_edge("generator", END)
        return builder.compile(name="dated")
    ```

    With your <code>newest</code> it gives one price for the Scale plan:
    <code>ask(build_dated(NaiveNodes(kit), newest), by_id["q071"].question)</code>.

    </details>
    """)
    return


@app.cell
def _():
    def build_dated(nodes, newest):
        """Return a compiled graph: retriever, editions, generator."""
        ...

    exercises.check("01-dated", build_dated)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 4: two kinds of error.** A cut on similarity makes both. Count them, and do not trade
    one for the other unseen.

    <details><summary>Hint</summary>

    The function <code>fates</code> above counts the same two. A best cosine that equals the cut is
    let through.

    </details>
    <details><summary>Solution</summary>

    ```python
    def errors_at(cut, pairs):
        refused = sum(answerable and best < cut for best, answerable in pairs)
        let_in = sum(not answerable and best >= cut for best, answerable in pairs)
        return refused, let_in
    ```

    Is there a cut at which both are below 5? Try
    <code>[(n / 100, *errors_at(n / 100, pairs)) for n in range(20, 80, 5)]</code>.

    </details>
    """)
    return


@app.cell
def _():
    def errors_at(cut, pairs):
        """Return (answerable questions refused, unanswerable ones let in).

        `pairs` holds (best cosine, answerable); a question is refused when its cosine is below cut.
        """
        ...

    exercises.check("01-errors", errors_at)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What must stay true

    Fixed inputs, and a writer that repeats the first chunk, so that this holds with any kit.
    """)
    return


@app.cell
def test_naive(by_id, kit, naive):
    def repeat(question, documents):
        return Generation(text=documents[0]["content"], answerable=True)

    _run = ask(build_naive(kit.replace(unguarded=repeat)), by_id["q071"].question)
    assert show.edges_of(naive) == show.edges_of(build_naive(kit))
    assert _run.path == ["retriever", "generator"]
    assert _run.documents[0]["metadata"]["source"] == "kb/pricing-2023.md", "the nearest is old"
    assert is_stale(_run.answer, by_id["q071"]) and _run.tag == "best_effort"
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When naive is enough

    A list of fifty questions and answers, asked in nearly the words of the list, one edition of
    each, and no harm done by a wrong one: then naive RAG is right far more often than here, and it
    is cheap, fast and easy to explain. Take a rung more when a wrong answer costs more than another
    call.

    > **Takeaway.** Naive RAG does not fail loudly. It is wrong in the same voice in which it is
    > right.

    Next: `02_grading` puts a judge between search and answer.
    """)
    return


if __name__ == "__main__":
    app.run()
