# /// script
# [tool.ragkit]
# title = "Grading: is this worth an answer?"
# description = "Scores, confidence, one cut and two, and what a grader costs when it is called well."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="2. Grading", width="medium")

with app.setup(hide_code=True):
    import time

    import marimo as mo

    from ragkit import exercises, show, ui
    from ragkit.choice import announce, chosen_kit, limited
    from ragkit.config import CragConfig
    from ragkit.evaluation.components import judge_pools, prepare
    from ragkit.evaluation.questions import load_questions
    from ragkit.graphs.crag import verdict
    from ragkit.graphs.nodes import grade_each
    from ragkit.records import Grade
    from ragkit.verdicts import join, kept


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 2. Grading: is this worth an answer?

    A search engine always returns something. Nothing in naive RAG ever asked whether that something
    deserves to be read. A **grader** asks exactly this, for one document at a time, before a word
    of the answer is written.

    At the end you can read a grade, set a threshold with your eyes open, and call a grader so that
    it costs little.
    """)
    return


@app.cell
def _():
    kit = chosen_kit()
    practice = load_questions(half="practice")
    pools = limited(kit, [q for q in practice if q.answered_by == "kb"], free=20, paid=4)
    announce(kit, runs=len(pools) + 4, grade=6)
    return kit, pools, practice


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What goes wrong without it

    No page of the company knows this. The search returns four documents all the same, and they look
    as respectable as ever:
    """)
    return


@app.cell
def _(kit, practice):
    by_id = {question.id: question for question in practice}
    missing = by_id["q040"].question
    found = kit.retriever(missing, 4, "hybrid")
    show.hits(found, title=missing)
    return found, missing


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## One grade

    The grader sees the question and one document. It says yes or no, how sure it is, and why.
    """)
    return


@app.cell
def _(found, kit, missing):
    first = kit.grader(missing, found[:1])[0]
    ui.facts(first.model_dump(exclude={"usage"}) | {"score": first.score})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Three numbers that are easily mixed up:

    - `binary_score` is the verdict, yes or no.
    - `confidence` is how sure the grader is **of its own verdict**. A *no* at 0.95 is a firm no.
    - `score` is relevance on one scale, from 0 to 1. It is what thresholds cut.

    By hand, then by the record:
    """)
    return


@app.cell
def _():
    firm_no = Grade(document_id="d1", binary_score="no", confidence=0.95)
    soft_yes = Grade(document_id="d2", binary_score="yes", confidence=0.6)
    assert (firm_no.score, soft_yes.score) == (1 - 0.95, 0.6)
    ui.facts({"score of a firm no": firm_no.score, "score of a soft yes": soft_yes.score})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    And a grade that never came? A timeout, a refusal, half a reply: each is a *no* with its reason
    beside it. A failed grade must never let a document in.
    """)
    return


@app.cell
def _():
    lost = Grade.failed("d3", "transport", "no reply in time")
    ui.facts(lost.model_dump(include={"binary_score", "score", "outcome", "explanation"}))
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Joined by id

    Models that grade several documents at once answer in any order, skip some, repeat some, or
    grade a document that nobody sent. Lists that are zipped together by position would then
    approve the wrong page. So every grade carries an id:
    """)
    return


@app.cell
def _():
    three = [{"id": name, "content": name, "metadata": {}} for name in ("d1", "d2", "d3")]
    reply = [
        Grade(document_id="d3", binary_score="yes", confidence=0.9),
        Grade(document_id="d9", binary_score="yes", confidence=0.9),
        Grade(document_id="d1", binary_score="no", confidence=0.8),
    ]
    joined, flags = join(three, reply)
    ui.table(
        [{"id": g.document_id, "verdict": g.binary_score, "outcome": g.outcome} for g in joined]
    )
    return flags, joined, three


@app.cell
def _(flags, joined, three):
    ui.facts({"kept": [document["id"] for document in kept(three, joined)], "flags": flags})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Where to cut

    Now a batch: the first six hits of some practice questions, graded once. The gold tells which of
    them really hold the answer. The offline grader was fitted on this half, so the figures flatter
    it; `ragkit eval components --half exam` scores it on questions that it never saw.
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


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    One threshold, two kinds of mistake. **Missed** is what holds the answer and is cut away;
    **let in** is what does not and stays. Move the cut and try to make both small.
    """)
    return


@app.cell
def _():
    threshold = ui.slider(0.0, 1.0, 0.05, 0.5, "threshold", dragging=True)
    threshold
    return (threshold,)


@app.cell
def _(scores, threshold):
    def at(threshold):
        good = [s["score"] for s in scores if s["relevant"]]
        bad = [s["score"] for s in scores if not s["relevant"]]
        missed, let_in = sum(s < threshold for s in good), sum(s >= threshold for s in bad)
        balanced = 1 - (missed / len(good) + let_in / len(bad)) / 2
        return ui.stats(
            ("missed", f"{missed} of {len(good)}"), ("let in", f"{let_in} of {len(bad)}"),
            ("balanced accuracy", f"{balanced:.2f}", "mean of both rights"),
        )  # fmt: skip

    ui.live(at, threshold=threshold)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Low cuts let things in, high cuts miss some, and between the two lies a stretch where the grader
    simply does not know. So there is a better question than *where do I cut?*, namely *where am I
    unsure?* Two thresholds leave a zone between them for that:
    """)
    return


@app.cell
def _():
    cuts = ui.range_slider(0.0, 1.0, 0.05, (0.35, 0.7), "fail and pass")
    cuts
    return (cuts,)


@app.cell
def _(cuts, scores):
    def mapped(cuts):
        fail, passing = cuts
        return show.threshold_map(scores, min(fail, 0.95), max(passing, min(fail, 0.95) + 0.05))

    ui.live(mapped, cuts=cuts)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Notebook 6 makes use of the zone. Until then a single yes or no will do.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Can it be believed?

    When a score says 0.8, is the document relevant in eight cases of ten? On the dashed line it
    would be.
    """)
    return


@app.cell
def _(scores):
    show.reliability(
        [pair["score"] for pair in scores], [pair["relevant"] for pair in scores], bins=5,
        names=("score", "share that is relevant"),
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What it costs

    Grades do not depend on each other, so nothing is gained by asking one after the other. Let each
    grade take 50 ms longer, as over a network, and grade six documents in both ways:
    """)
    return


@app.cell
def _(kit, missing):
    six = kit.retriever(missing, 6, "hybrid")

    def slow(question, documents):
        time.sleep(0.05)
        return kit.grader(question, documents)

    def timed(concurrency):
        began = time.perf_counter()
        grade_each(slow, missing, six, concurrency)
        return (time.perf_counter() - began) * 1000

    _ = timed(8)  # once before we look at the watch
    return (timed,)


@app.cell
def _(timed):
    ui.stats(
        ("one after the other", f"{timed(1):.0f} ms"),
        ("all at once", f"{timed(8):.0f} ms", "eight at a time"),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The bill is the same, the wait is not. To make the bill smaller, take a small model for grading
    and a large one for writing, and remember verdicts: the same question and the same text need no
    second opinion.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Exercises

    **Exercise 1: relevance from a verdict.** Turn `binary_score` and `confidence` into a score. A
    *no* must never score above one half, whatever its confidence: a doubtful no is still no yes.

    <details><summary>Hint</summary>

    For a yes, the score is the confidence. For a no, it is what is left, but at most 0.5.

    </details>

    <details><summary>Solution</summary>

    ```python
    def relevance(binary_score, confidence):
        if binary_score == "yes":
            return confidence
        return min(1 - confidence, 0.5)
    ```

    </details>
    """)
    return


@app.cell
def _():
    def relevance(binary_score, confidence):
        """Return a score from 0 to 1."""
        ...

    exercises.check("02-relevance", relevance)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: a confidence that cannot be.** Models write 95, `"90%"`, `nan` or `True` where a
    number from 0 to 1 was asked. Accept what is certain, refuse the rest. Do not divide by 100: a
    95 may as well be a mistyped 0.95 as a 95 out of 1,000.

    <details><summary>Hint</summary>

    <code>True</code> is a number to Python; look at <code>bool</code> first. Every comparison with
    <code>nan</code> is false, so ask <code>0 &lt;= value &lt;= 1</code> and not its opposite.

    </details>

    <details><summary>Solution</summary>

    ```python
    def is_confidence(value):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        return 0 <= value <= 1
    ```

    </details>
    """)
    return


@app.cell
def _():
    def is_confidence(value):
        """Return True for a real number from 0 to 1, else False."""
        ...

    exercises.check("02-confidence", is_confidence)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: who is kept?** The grader's reply comes in any order, may miss a document and may
    grade one twice with different verdicts. Return the ids that may stay, in the order asked.

    <details><summary>Hint</summary>

    Collect all verdicts of an id in a set. Only the set that is exactly <code>{"yes"}</code> keeps
    it.

    </details>

    <details><summary>Solution</summary>

    ```python
    def keep(ids, reply):
        said = {}
        for name, verdict in reply:
            said.setdefault(name, set()).add(verdict)
        return [name for name in ids if said.get(name) == {"yes"}]
    ```

    </details>
    """)
    return


@app.cell
def _():
    def keep(ids, reply):
        """Return the ids whose verdicts are all yes; `reply` is a list of (id, "yes" or "no")."""
        ...

    exercises.check("02-keep", keep)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What must stay true

    Fixed inputs: when no grade came, nothing is let in.
    """)
    return


@app.cell
def test_a_failed_grade_lets_nothing_in():
    pages = [{"id": name, "content": name, "metadata": {}} for name in ("a", "b")]
    late = [Grade.failed("a", "transport", "late"), Grade.failed("b", "refused", "no")]
    grades, _ = join(pages, late)
    assert kept(pages, grades) == []
    assert verdict(grades[0].score, CragConfig()) == "dropped"
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When not to use it

    With a hundred pages and questions that quote them, the first hit is right and a grader only
    costs. And a grader cannot know what is **true**: it will pass an outdated page that answers
    the question well.

    > **Takeaway.** Grade before you write, join by id, and let nothing in that was not clearly
    > approved.

    Next: `03_arsc` does something about it when everything is rejected.
    """)
    return


if __name__ == "__main__":
    app.run()
