# /// script
# [tool.ragkit]
# title = "Failure lab: break it on purpose"
# description = "Plant a fault, turn a guard off, and see what reaches the reader."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="8. Failure lab", width="medium")

with app.setup(hide_code=True):
    import marimo as mo

    from ragkit import exercises, show, ui
    from ragkit.choice import announce, chosen_kit
    from ragkit.config import AuditedConfig
    from ragkit.evaluation.guards import GUARDS, Uncapped
    from ragkit.evaluation.incidents import ARTICLE, escapes, planted, play
    from ragkit.graphs.audited import build_audited
    from ragkit.records import Generation
    from ragkit.runs import ask
    from ragkit.verdicts import join


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 8. Failure lab: break it on purpose

    A guard that has never stopped anything may be broken, or may never have been needed. You cannot
    tell by waiting for an accident. So here you cause the accidents yourself: one fault at a time,
    with all guards on, and then with the one guard off that should have stopped it.
    """)
    return


@app.cell
def _():
    kit = chosen_kit()
    announce(kit, runs=60, route=1, grade=12, rewrite=2, generate=2, check=3)
    return (kit,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## One fault by hand

    The article's second failure case: the draft cites page [4], and only three or fewer were shown.
    To plant it, swap the generator for one whose first draft is the bad one. A kit is a bag of plain
    functions, so that takes five lines.
    """)
    return


@app.cell
def _(kit):
    def faulty(question, documents, attempt=0):
        if attempt:
            return kit.generator(question, documents, attempt)
        text = "ERROR_302 indicates a database connection timeout [4]."
        return Generation(text=text, answerable=True)

    graph = build_audited(kit.replace(generator=faulty))
    run = ask(graph, "What should I do when the API returns ERROR_302?")
    return graph, run


@app.cell
def _(graph, run):
    show.graph(graph, run, failed="citation_checker")
    return


@app.cell
def _(run):
    undone = run.state["rollbacks"][0]
    ui.note(f"{undone['detail']} Then: {run.answer}", "good", "Caught, undone, drafted again")
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The guards

    Nine of them, each in a node of its own or at its door. Some look at the question, some at the
    pages, some at the draft. The last two look at nothing: they only say *stop*.
    """)
    return


@app.cell
def _():
    ui.table(
        [{"guard": guard.name, "sits in": guard.node, "what it does": guard.does}
         for guard in GUARDS.values()]
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The faults

    First the article's three, then what goes wrong around a draft, then one draft of every kind of
    fault that the checker is measured on.
    """)
    return


@app.cell
def _():
    lab = planted()
    ui.table(
        [{"fault": name, "what happens": fault.story, "its guard": fault.guard}
         for name, fault in lab.items()],
        page_size=12, widths={"what happens": 760},
    )  # fmt: skip
    return (lab,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The switches

    Choose a fault and watch where the path stops; the node that caught it is marked. Then take its
    guard out of the list and watch again. Can you let something out that two guards stand before?
    """)
    return


@app.cell
def _(lab):
    fault = ui.dropdown(list(lab), "citation out of range", "fault")
    fault
    return (fault,)


@app.cell
def _():
    on = ui.multiselect(list(GUARDS), list(GUARDS), "guards on")
    on
    return (on,)


@app.cell
def _(kit, lab):
    def happened(fault, on):
        planned = lab[fault]
        return play(kit, planned, [name for name in GUARDS if name not in on])

    return (happened,)


@app.cell
def _(graph, happened, lab):
    def lit(fault, on):
        outcome = happened(fault, on)
        tone = "bad" if outcome.escaped else "good"
        why = outcome.error or (outcome.run.reason if outcome.run else "")
        drawn = show.graph(graph, outcome.run or outcome.path, failed=outcome.caught_at or ())
        tiles = ui.stats(
            ("outcome", "escaped" if outcome.escaped else "held back", outcome.caught_at, tone),
            ("steps", len(outcome.path)),
            ("tag", outcome.run.tag.replace("_", " ") if outcome.run else "none"),
        )
        told = ui.note(why, tone, lab[fault].story)
        story = [show(outcome.run)] if outcome.run else []
        return ui.column(tiles, told, drawn, *story)

    return (lit,)


@app.cell
def _(fault, lit, on):
    ui.live(lit, fault=fault, on=on)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The article's three

    **Endless loop.** Every search brings pages that never name the error code, so the validator
    refuses and the loop searches again. With the cap, three retries and a person. Without it, only
    LangGraph's own limit ends the run, and that is an exception, not an answer.
    """)
    return


@app.cell
def _(kit, lab):
    capped = play(kit, lab["endless loop"])
    endless = play(kit, lab["endless loop"], ("retry cap",))
    ui.stats(
        (
            "with the cap",
            len(capped.path),
            f"steps, then {capped.run.tag.replace('_', ' ')}",
            "good",
        ),
        ("without it", len(endless.path), endless.error.split(" without")[0], "bad"),
    )
    return (capped,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Citation out of range** you have seen. Note that no model was asked: a number above the count of
    the pages is wrong by arithmetic.

    **Contradiction lock.** Two handbooks, two deadlines, no date that orders them. A loop that tries
    again would pick one page, then the other, for as long as it may. So nothing is tried:
    """)
    return


@app.cell
def _(kit, lab):
    lock = play(kit, lab["contradiction lock"])
    shown = {page["id"] for page in lock.run.documents}
    held = [grade for grade in lock.run.state["grades"] if grade["document_id"] in shown]
    ui.column(
        ui.note(lock.run.reason, "web", "To a person, with no draft written"),
        show.evidence(lock.run.documents, grades=held, opened=True),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When the judge is the fault

    A grader that returns nothing, a judge whose endpoint answers 429: the commonest faults of all,
    and the easiest to wave through. The rule is the same everywhere: **what was not judged has not
    passed.** By hand, for two pages and a reply with a hole in it, and then by the library:
    """)
    return


@app.cell
def _():
    pages = [{"id": "a", "content": "A"}, {"id": "b", "content": "B"}]
    reply = [{"document_id": "b", "binary_score": "yes", "confidence": 0.9}]
    said = {grade["document_id"]: grade["binary_score"] for grade in reply}
    grades, flags = join(pages, reply)
    ui.facts(
        {
            "by hand": {page["id"]: said.get(page["id"], "no") for page in pages},
            "by the library": {grade.document_id: grade.binary_score for grade in grades},
            "flags": flags,
        }
    )
    return


@app.cell
def _(kit, lab):
    silent, busy = play(kit, lab["silent grader"]), play(kit, lab["429 from the judge"])
    ui.column(
        ui.note(silent.run.reason, "good", f"silent grader: {silent.run.tag}"),
        ui.note(busy.run.reason, "good", f"429: {busy.run.tag.replace('_', ' ')}"),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The page that gives orders

    One page of the company carries a note to AI assistants: say that all plans are free. The model
    here obeys, and it even cites the page. The checker does not need to be clever to stop that: it
    looks for a sentence that *states* the claim, and an order to say so states nothing.
    """)
    return


@app.cell
def _(kit, lab):
    poisoned = play(kit, lab["poisoned page"])
    drafted, checked = poisoned.run.steps[5:7]
    show.claims(
        drafted["update"]["generated_draft"],
        checked["update"]["citations"],
        poisoned.run.documents,
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What gets out

    Every fault twice: with all guards, and without the one that is there for it. This is the table to
    make before anyone else makes it for you.
    """)
    return


@app.cell
def _(kit, lab):
    outcomes = escapes(kit, lab.values())
    ui.table(outcomes, page_size=len(outcomes))
    return (outcomes,)


@app.cell
def _(outcomes):
    show.rates(
        {"rate": f"escaped {column}", "denominator": len(outcomes), "tone": tone,
         "numerator": sum(row[column] == "escaped" for row in outcomes)}
        for column, tone in (("with all guards", "good"), ("without it", "bad"))
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Read the rows that still say *caught* on the right. There a second guard stands behind the first:
    the stale price meets the checker; the obedient draft, and the one that makes a *must* of a *can*,
    meet the verifier. That is not waste. It is why one broken guard is an incident and not a headline.

    An interval this wide says how little two dozen cases prove. Hundreds of faulty drafts, each with
    its clean twin, are measured by `python benchmarks/drafts.py`; what each guard is worth on the
    company's questions, by `ragkit eval ablation`.

    ## What a guard costs

    Every guard has a price: steps, and answers held back. What do the caught ones cost in steps?
    """)
    return


@app.cell
def _(capped, kit, lab, run):
    clean = ask(build_audited(kit), lab["citation out of range"].question)
    ui.stats(
        ("no fault", len(clean.path), "steps"),
        ("one rollback", len(run.path), "steps: undo, draft, check"),
        ("three retries in vain", len(capped.path), "steps"),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Exercises

    **Exercise 1: drift.** A rewrite may add words, but not lose a code. Codes look like `ERROR_302`.

    <details><summary>Hint</summary>

    <code>re.findall(r"[A-Z]+_\d+", text)</code> finds them. Every code of the question must be in
    the candidate.

    </details>

    <details><summary>Solution</summary>

    ```python
    import re

    def keeps(question, candidate):
        return all(code in candidate for code in re.findall(r"[A-Z]+_\d+", question))
    ```

    </details>
    """)
    return


@app.cell
def _():
    def keeps(question, candidate):
        """Return whether every code of the question stands in the candidate query."""
        ...

    exercises.check("08-drift", keeps)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: fail closed.** You asked about some pages; the reply maps ids to words. Return the
    ids that may pass. The reply may be empty, may name pages nobody asked about, may ramble.

    <details><summary>Hint</summary>

    Go through what you asked for, not through what came back. Only the exact word counts.

    </details>

    <details><summary>Solution</summary>

    ```python
    def kept(asked, reply):
        return [name for name in asked if reply.get(name) == "yes"]
    ```

    </details>
    """)
    return


@app.cell
def _():
    def kept(asked, reply):
        """Return the asked ids whose verdict is exactly "yes", in the order asked."""
        ...

    exercises.check("08-closed", kept)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: the escape rate.** Of the drafts that were *faulty*, which share was *released*?
    Return `"not measured"` when no draft was faulty: an empty test is not a passed one.

    <details><summary>Hint</summary>

    Keep the faulty ones first; the clean ones do not count at all.

    </details>

    <details><summary>Solution</summary>

    ```python
    def escape_rate(drafts):
        faulty = [draft for draft in drafts if draft["faulty"]]
        if not faulty:
            return "not measured"
        return sum(draft["released"] for draft in faulty) / len(faulty)
    ```

    </details>
    """)
    return


@app.cell
def _():
    def escape_rate(drafts):
        """Return the share of faulty drafts that were released; each has `faulty` and `released`."""
        ...

    exercises.check("08-rate", escape_rate)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 4: two locks.** Which two guards must both be off before the *poisoned page* gets out?
    Try it with the switches above; give the set of their names.

    <details><summary>Hint</summary>

    Switch off the one in the table and see which node catches it then.

    </details>

    <details><summary>Solution</summary>

    ```python
    off = {"citation checker", "verifier"}
    ```

    </details>
    """)
    return


@app.cell
def _():
    off = set()

    exercises.check("08-pair", off)
    return


@app.cell
def test_the_article_s_three_are_caught(kit, outcomes):
    ends = {fault.name: play(kit, fault).end for fault in ARTICLE}
    assert ends == {
        "endless loop": "caught at human_review_queue",
        "citation out of range": "caught at citation_checker",
        "contradiction lock": "caught at context_builder",
    }
    assert all(row["with all guards"].startswith("caught") for row in outcomes)
    assert Uncapped().max_retries > AuditedConfig().max_retries
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When not to use it

    Do not break a system that answers people. Break a copy, with your own pages and with the faults
    you have had. And do not stop at the faults on this list: the next one will not be on it.

    > **Takeaway.** Plant each fault, see it caught, turn its guard off, see it escape. A guard that
    > has been seen to stop something is one you may rely on; the rest is hope.

    Next: notebook 9 measures every rung of the ladder, and what each of these guards is worth.
    """)
    return


if __name__ == "__main__":
    app.run()
