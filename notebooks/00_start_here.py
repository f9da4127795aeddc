# /// script
# [tool.ragkit]
# title = "Start here"
# description = "The company and its questions, what a chunk is, and three ways to find the right one."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="0. Start here", width="medium")

with app.setup(hide_code=True):
    import hashlib
    import re
    from collections import Counter

    import marimo as mo

    from ragkit import data_dir, exercises, show, ui
    from ragkit.choice import announce, by_trap, chosen_kit, parts
    from ragkit.corpus import company_corpus, split_page
    from ragkit.embedding import default_embedder
    from ragkit.evaluation.gold import relevant_ids
    from ragkit.evaluation.questions import load_questions
    from ragkit.index import fuse
    from ragkit.keywords import keyword_tokens
    from ragkit.readers import read_page
    from ragkit.splitting import estimate_tokens


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 0. Start here

    Retrieval-augmented generation has two steps: find a few pieces of text, then answer from them.
    If the first step brings the wrong pieces, the second can only be wrong politely.

    So this notebook is about finding. At the end you can cut a page into chunks, rank the chunks in
    three ways, and say why one way finds what another misses.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## How to use these notebooks

    - **In marimo**, change a cell and everything that depends on it runs again. Move a control and
      the picture below it follows.
    - **In JupyterLab**, run all cells once, top to bottom. Controls move their pictures there too;
      after you change code, run the cells below it yourself.
    - **Exercises** are near the end. Each has a function whose body is `...` and a card that says
      whether yours is right. An unsolved one breaks nothing.

    Ten notebooks climb one ladder, on one company and one set of questions:

    | | Notebook | What is new |
    | :--- | :--- | :--- |
    | 0 | Start here | pages, chunks, search |
    | 1 | Naive RAG | answer from whatever was found |
    | 2 | Grading | is this document worth an answer? |
    | 3 | ARSC | if none is, ask again in other words |
    | 4 | Budgets | stop before time or money runs out |
    | 5 | Corrective RAG | the number of good documents picks the way |
    | 6 | CRAG | two thresholds, and a check of the answer |
    | 7 | Audited rollback | every claim checked, a person where it matters |
    | 8 | Failure lab | break it on purpose, see what catches it |
    | 9 | The ladder | what each rung gains, and what it costs |
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The company

    Tarnfield helps software companies charge for what their customers use. **Meter** counts events,
    **Ledger** turns the counts into statements, **Relay** tells other systems, and the
    **Collector** gathers events on the customer's own machines.

    It is made up for this course, but it writes as companies do. A refund is a *chargeback* here, an
    administrator a *steward*, an invoice a *statement*.
    """)
    return


@app.cell
def _():
    corpus = company_corpus()
    ui.stats(
        ("pages", corpus.pages, "Markdown with front matter"),
        ("chunks", len(corpus.documents), "what is searched"),
        ("sections", len(corpus.parents), "what a chunk was cut from"),
    )
    return (corpus,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Pages grow old, and nobody deletes them. These have an older edition that is still there:
    """)
    return


@app.cell
def _(corpus):
    editions = {}
    for _chunk in corpus.documents:
        _about = _chunk["metadata"]
        _days = editions.setdefault((_about["product"], _about["title"]), set())
        _days.add(_about.get("effective_date", "undated"))
    old_and_new = {page: sorted(days) for page, days in editions.items() if len(days) > 1}
    ui.table(
        [{"page": title, "product": product, "in force from": ", ".join(days)}
         for (product, title), days in old_and_new.items()]
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The questions, and what each one is a trap for

    Every question has *gold*: the page that answers it, the facts a right answer states, and how a
    good run should end. Half of the questions are for **practice**; we may look at those. The
    **exam** half is only ever scored.
    """)
    return


@app.cell
def _():
    practice = load_questions(half="practice")
    by_id = {question.id: question for question in practice}
    of_trap = Counter(question.trap for question in practice)
    ui.stats(("practice questions", len(practice)), ("kinds of trap", len(of_trap)))
    return by_id, of_trap, practice


@app.cell
def _(by_id, of_trap):
    _examples = ["q012", "q062", "q071", "q055", "q019", "q010", "q005", "q014", "q023", "q091"]
    _examples += ["q083", "q104"]
    ui.table(
        [{"trap": by_id[name].trap, "questions": of_trap[by_id[name].trap],
          "one of them": by_id[name].question, "why it is a trap": by_id[name].note}
         for name in _examples],
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Demos show the first kind only. The others are what people ask.

    ## What a chunk is

    A page is too long to be one search result, and a sentence is too short to be understood alone.
    So pages are cut at their headings. First by hand:
    """)
    return


@app.cell
def _():
    page = read_page(data_dir() / "kb" / "pricing.md", "kb/pricing.md")
    by_hand = re.split(r"(?m)^## ", page.text)
    ui.facts([piece.strip().splitlines()[0] for piece in by_hand])
    return by_hand, page


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Then by the library. It finds the same parts, but cuts a long one once more, and never inside a
    table or a code block:
    """)
    return


@app.cell
def _(by_hand, page):
    chunks = split_page(page, origin="kb")
    _parts = {chunk["metadata"]["heading_path"] for chunk in chunks}
    assert len(_parts) == len(by_hand)
    ui.table(
        [{"id": chunk["id"], "heading path": chunk["metadata"]["heading_path"],
          "tokens": estimate_tokens(chunk["content"])} for chunk in chunks]
    )  # fmt: skip
    return (chunks,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    One of them in full. Its first line is the heading path: without it, a table of numbers would
    not say what it is about.
    """)
    return


@app.cell
def _(chunks):
    plans = chunks[1]
    mo.md(f"```\n{plans['content']}\n```")
    return (plans,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    And what is known about it. The date and the version come from the page's front matter; they are
    all we will ever have to tell an old price from a new one.
    """)
    return


@app.cell
def _(plans):
    ui.facts(plans["metadata"])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The id is not a counter. It is made from the source, the position and the text, so an unchanged
    chunk keeps its id for ever, and a changed one cannot keep it:
    """)
    return


@app.cell
def _(plans):
    _text = f"kb/pricing.md\n1\n{plans['content']}"
    own_id = "pricing#1-" + hashlib.sha256(_text.encode()).hexdigest()[:8]
    assert own_id == plans["id"]
    ui.facts({"by hand": own_id, "by the library": plans["id"]})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    How large should a chunk be? Small ones are easier to find, large ones easier to understand.
    Move the slider:
    """)
    return


@app.cell
def _():
    size = ui.slider(40, 400, 20, 180, "tokens in a chunk, at most")
    size
    return (size,)


@app.cell
def _(page, size):
    def cut(size):
        pieces = [chunk["content"] for chunk in split_page(page, size, origin="kb")]
        lengths = [estimate_tokens(piece) for piece in pieces]
        return ui.stats(
            ("chunks of this page", len(pieces)),
            ("shortest", min(lengths), "tokens"),
            ("longest", max(lengths), "tokens; a table is never cut short"),
        )

    ui.live(cut, size=size)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    One can have both: search the small chunk, show the **section** that it was cut from. Each chunk
    names its section in `parent_id`.
    """)
    return


@app.cell
def _(corpus, plans):
    section = corpus.parents[plans["metadata"]["parent_id"]]
    ui.stats(
        ("the chunk", estimate_tokens(plans["content"]), "tokens"),
        ("its section", estimate_tokens(section["content"]), "tokens"),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Which model thinks

    Everything a run thinks with comes in one bag, the **kit**. The offline kit is rules and a small
    embedding model: it finds and quotes sentences, it writes none of its own. It is no language
    model, it needs no key, and the same question gets the same answer tomorrow.

    A chat model can take its place. Set these before you start the notebook:

    | Variable | Value |
    | :--- | :--- |
    | `RAGKIT_KIT` | `chat` |
    | `OPENAI_API_KEY` | your key |
    | `OPENAI_BASE_URL` | only for another server: Ollama, vLLM, llama.cpp |
    | `RAGKIT_MODEL` | only for another model than the default ones |

    Every notebook says which kit thinks, and what a chat model would cost, before it asks anything.
    """)
    return


@app.cell
def _():
    kit = chosen_kit()
    index = kit.retriever
    announce(kit, runs=1, generate=1)
    return index, kit


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The kit is a list of jobs, each done by a plain function. You can swap any of them:
    `kit.replace(grader=yours)`.
    """)
    return


@app.cell
def _(kit):
    ui.table(parts(kit), page_size=24)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Three ways to search

    Take one question of a customer. The answer is on the page about directory sync, in the
    company's own words.
    """)
    return


@app.cell
def _(by_id, index):
    asked = by_id["q030"]
    gold = relevant_ids(asked, index.documents())
    answer = index.get(gold)[0]
    show.hits([answer], gold, title=asked.question)
    return answer, asked, gold


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### Dense: by meaning

    The embedding model turns a text into 384 numbers, so that texts of like meaning point the same
    way. How alike two texts are is the cosine of their angle. By hand, then by the index:
    """)
    return


@app.cell
def _(answer, asked, index):
    embedder = default_embedder()
    _question = embedder.embed_query(asked.question)
    _answer = embedder.embed_documents([answer["content"]])[0]
    cosine = sum(a * b for a, b in zip(_question, _answer, strict=True))
    scores = {
        found["id"]: score for found, score in index.scored(asked.question, len(index), "dense")
    }
    ui.facts({"by hand": round(cosine, 6), "by the index": round(scores[answer["id"]], 6)})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### Keyword: by the words themselves

    BM25 counts the words that question and chunk share; a rare word weighs more. Words are cut to
    their stems first. These are all that the two have in common:
    """)
    return


@app.cell
def _(answer, asked):
    shared = set(keyword_tokens(asked.question)) & set(keyword_tokens(answer["content"]))
    ui.facts(sorted(shared))
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The customer says *deactivates* and *API keys*, the page says *inactive* and *credentials*. Words
    alone are a weak link here. With an error code or a header's name it is the other way round:
    there the words are all that counts, and meaning is the weak link.

    ### Hybrid: both at once

    Cosines and BM25 scores cannot be added; they are not on one scale. Ranks can. **Reciprocal rank
    fusion** gives a chunk 1 / (60 + its rank) from each ranking, and adds that up. By hand, for the
    chunk that answers:
    """)
    return


@app.cell
def _(answer, asked, index):
    def ranking(query, strategy, depth=50):
        return [found["id"] for found in index.search(query, depth, strategy)]

    dense = ranking(asked.question, "dense")
    keyword = ranking(asked.question, "keyword")
    ranks = dense.index(answer["id"]) + 1, keyword.index(answer["id"]) + 1
    ui.facts({"rank in dense": ranks[0], "rank in keyword": ranks[1]})
    return dense, keyword, ranking, ranks


@app.cell
def _(answer, dense, keyword, ranks):
    fused_by_hand = 1 / (60 + ranks[0]) + 1 / (60 + ranks[1])
    fused_scores = fuse([dense, keyword], 60)
    assert fused_by_hand == fused_scores[answer["id"]]
    ui.facts({"by hand": fused_by_hand, "by the library": fused_scores[answer["id"]]})
    return (fused_scores,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Neither ranking has it among its first four. Together they do: a chunk that is rather good twice
    beats one that is very good once.

    The index takes one more step. It reads the first thirty again, token by token, and orders them
    anew. That is `strategy="hybrid"`.
    """)
    return


@app.cell
def _(asked, dense, fused_scores, gold, index, keyword):
    fused = sorted(fused_scores, key=lambda name: (-fused_scores[name], name))
    show.rankings(
        {
            "dense": index.get(dense[:5]),
            "keyword": index.get(keyword[:5]),
            "both, fused": index.get(fused[:5]),
            "hybrid: fused, read again": index.search(asked.question, 5, "hybrid"),
        },
        gold,
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Try it

    Pick a question and a strategy. Some to try: *SCIM token lifetime?* (the words are enough),
    *pause our subscription* (they are not), *Does the sandbox get emptied automatically?* (nothing
    finds it).
    """)
    return


@app.cell
def _(index, practice):
    answered = [q for q in practice if relevant_ids(q, index.documents())]
    return (answered,)


@app.cell
def _(answered, by_id):
    pick = ui.dropdown(by_trap(answered), by_id["q101"], "question")
    pick
    return (pick,)


@app.cell
def _():
    strategy = ui.dropdown(["dense", "keyword", "hybrid"], "hybrid", "strategy")
    strategy
    return (strategy,)


@app.cell
def _():
    k = ui.slider(1, 10, 1, 4, "documents")
    k
    return (k,)


@app.cell
def _(index, k, pick, strategy):
    def search(question, strategy, k):
        found = index.scored(question.question, k, strategy)
        return show.hits(found, relevant_ids(question, index.documents()), question.question)

    ui.live(search, question=pick, strategy=strategy, k=k)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## How often is the answer found?

    One question proves little. For every practice question that has an answer, we look up the rank
    of the first chunk that holds it, in each ranking:
    """)
    return


@app.cell
def _(answered, index, ranking):
    def place(question, names):
        gold = relevant_ids(question, index.documents())
        return next((rank for rank, name in enumerate(names, 1) if name in gold), None)

    def fused_ranking(query):
        scores = fuse([ranking(query, "dense"), ranking(query, "keyword")], 60)
        return sorted(scores, key=lambda name: (-scores[name], name))

    places = {
        "dense": [place(q, ranking(q.question, "dense")) for q in answered],
        "keyword": [place(q, ranking(q.question, "keyword")) for q in answered],
        "both, fused": [place(q, fused_ranking(q.question)) for q in answered],
    }
    return (places,)


@app.cell
def _():
    depth = ui.slider(1, 20, 1, 4, "documents handed on")
    depth
    return (depth,)


@app.cell
def _(depth, places):
    def in_time(depth):
        counts = {name: sum(r is not None and r <= depth for r in ranks)
                  for name, ranks in places.items()}  # fmt: skip
        total = len(places["dense"])
        return ui.stats(
            *((name, f"{n / total:.0%}", f"{n} of {total}") for name, n in counts.items())
        )

    ui.live(in_time, depth=depth)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Handing on more documents finds more answers, and brings more that are not answers. Who tells
    the two apart? Not the retriever: it returns the nearest chunks, however far away they are.

    ## Exercises

    Each has a hint and a solution, folded. Write your own version first.

    **Exercise 1: what has to be indexed anew?** A page was edited. You have its chunks of yesterday
    and of today. Which ids have to go, and which have to come?

    <details><summary>Hint</summary>

    The id tells everything: an unchanged chunk has the same id on both sides. Sets can be
    subtracted.

    </details>
    <details><summary>Solution</summary>

    ```python
    def to_update(before, after):
        old = {chunk["id"] for chunk in before}
        new = {chunk["id"] for chunk in after}
        return old - new, new - old
    ```

    </details>
    """)
    return


@app.cell
def _():
    def to_update(before, after):
        """Return (ids to remove, ids to add) as two sets; `before` and `after` are lists of chunks."""
        ...

    exercises.check("00-update", to_update)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: reciprocal rank fusion.** Above we did it for one chunk. Do it for all.

    <details><summary>Hint</summary>

    Two loops: over the rankings, and over <code>enumerate(ranking, start=1)</code>.
    <code>scores.get(name, 0)</code> is 0 for a name that you have not met yet.

    </details>
    <details><summary>Solution</summary>

    ```python
    def fuse_yourself(rankings, rrf_k):
        scores = {}
        for ranking in rankings:
            for rank, name in enumerate(ranking, start=1):
                scores[name] = scores.get(name, 0) + 1 / (rrf_k + rank)
        return scores
    ```

    </details>
    """)
    return


@app.cell
def _():
    def fuse_yourself(rankings, rrf_k):
        """Return {name: score}; each ranking that has a name adds 1 / (rrf_k + its rank), from 1."""
        ...

    exercises.check("00-fusion", fuse_yourself)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: recall.** The tiles above show the share of questions whose answer is among the
    first `k`. Mind the answers that were never found, and the case that nothing was asked: that is
    not 0 %, it is *not measured*.

    <details><summary>Hint</summary>

    Count the ranks for which <code>rank is not None and rank &lt;= k</code>, and divide by the
    number of all ranks.

    </details>
    <details><summary>Solution</summary>

    ```python
    def recall_at(k, ranks):
        if not ranks:
            return None
        return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)
    ```

    </details>
    """)
    return


@app.cell
def _():
    def recall_at(k, ranks):
        """Return the share of ranks that are k or better; None in `ranks` was not found.

        Without any ranks return None.
        """
        ...

    exercises.check("00-recall", recall_at)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 4: be the rewriter.** A customer asks: *Does the sandbox get emptied automatically?*
    Nothing finds the answer, since the page says neither sandbox nor automatically. Ask in the
    company's words, so that the keyword search puts the right chunk first.

    <details><summary>Hint</summary>

    Choose that question under <b>Try it</b>. None of the hits answers it, but the first one shows what
    the company calls a sandbox. And what would one do to the <em>raw events</em> in there?

    </details>
    <details><summary>Solution</summary>

    ```python
    my_query = "Are raw events in a rehearsal workspace wiped?"
    ```

    Notebook 3 has a component that does this by itself.

    </details>
    """)
    return


@app.cell
def _():
    my_query = ...

    exercises.check("00-words", my_query)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What must stay true

    This cell has fixed inputs. It runs here, and whenever the project is tested.
    """)
    return


@app.cell
def test_search(by_id, index, ranking):
    assert fuse([["a", "b"], ["b"]], 60) == {"a": 1 / 61, "b": 1 / 62 + 1 / 61}
    _pause = relevant_ids(by_id["q062"], index.documents())
    assert ranking(by_id["q062"].question, "dense", 1)[0] in _pause, "meaning finds it"
    assert not _pause & set(ranking(by_id["q062"].question, "keyword", 4)), "words do not"
    _header = relevant_ids(by_id["q100"], index.documents())
    assert ranking(by_id["q100"].question, "keyword", 1)[0] in _header, "words find it"
    assert not _header & set(ranking(by_id["q100"].question, "dense", 4)), "meaning does not"
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When you need none of this

    If all your pages fit into one prompt, hand them over and skip the search. If people type the
    titles of pages, a list of titles is a better index than any of these.

    > **Takeaway.** A retriever always returns something. It knows what is near, not what is right.

    Next: `01_naive_rag` answers from whatever is near, and we watch what happens.
    """)
    return


if __name__ == "__main__":
    app.run()
