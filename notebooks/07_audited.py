# /// script
# [tool.ragkit]
# title = "The audited loop: roll back, ask a person, keep the record"
# description = "Every claim checked, every failure undone, every step in a log that shows its edits."
# ///

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="7. The audited loop", width="medium")

with app.setup(hide_code=True):
    import hashlib
    import json
    import re
    from pathlib import Path
    from tempfile import TemporaryDirectory

    import marimo as mo
    from langgraph.checkpoint.memory import MemorySaver
    from langgraph.graph import END, START, StateGraph

    from ragkit import exercises, show, ui
    from ragkit.choice import announce, chosen_kit, estimate
    from ragkit.config import AuditedConfig
    from ragkit.graphs import audited
    from ragkit.graphs.arsc import build_arsc
    from ragkit.graphs.audited import build_audited, route_after_check
    from ragkit.graphs.audited_nodes import AuditedNodes
    from ragkit.journal import AuditLog, replay, verify
    from ragkit.journal.lines import canonical
    from ragkit.records import Generation
    from ragkit.runs import ask, branches, compare, fork, history, resume, waiting_threads
    from ragkit.state import AuditedState


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 7. The audited loop: roll back, ask a person, keep the record

    So far a bad answer was tagged. Here it does not leave the house. Every claim is held against the
    page it cites, a failed check takes the run back to the state before the draft, and after three
    failures a person decides. Each step ends up in a log that shows when somebody edits it.
    """)
    return


@app.cell
def _():
    kit = chosen_kit()
    announce(kit, runs=14, route=1, grade=12, rewrite=1, generate=2, check=4)
    return (kit,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What goes wrong without it

    A good generator lies rarely, and never when you are looking. So this one lies on purpose: its
    first draft is the one we give it, and from the second on it works as it always does. Three lies,
    the three that matter most:
    """)
    return


@app.cell
def _(kit):
    def careless(draft):
        def generator(question, documents, attempt=0):
            if attempt == 0:
                return Generation(text=draft, answerable=True)
            return kit.generator(question, documents, attempt)

        return kit.replace(generator=generator)

    return (careless,)


@app.cell
def _():
    repair, seat = (
        "What should I do when the API returns ERROR_302?",
        "What does an extra seat cost?",
    )
    lies = {
        "a fabricated label": (repair, "ERROR_302 indicates a database connection timeout [9]."),
        "an unsupported claim": (repair, "The system supports automatic repair for ERROR_302 [1]."),
        "a stale price": (
            seat,
            "An additional seat costs $12 per month on Starter and Growth [1].",
        ),
    }
    return lies, repair, seat


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Give them to the ARSC of notebook 3. It grades every page it reads and never looks at what it
    writes.
    """)
    return


@app.cell
def _(careless, lies):
    shipped = {name: ask(build_arsc(careless(lie)), asked) for name, (asked, lie) in lies.items()}
    ui.table([{"lie": name, "answer": run.answer, "tag": run.tag} for name, run in shipped.items()])
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    All three went out, with a citation behind each. A label looks like proof; it is only a number.

    ## Check the label, then the claim

    First the cheap half, by hand: which labels does a draft use, and how many pages were shown? No
    model is needed for that, and none is asked.
    """)
    return


@app.cell
def _(kit, lies, repair):
    pages = kit.retriever(repair, 3, "hybrid")
    drafted = lies["a fabricated label"][1]
    used = [int(number) for number in re.findall(r"\[(\d+)\]", drafted)]
    ui.facts(
        {
            "labels": used,
            "pages": len(pages),
            "fabricated": [n for n in used if not 0 < n <= len(pages)],
        }
    )
    return drafted, pages


@app.cell
def _(drafted, kit, pages, repair):
    show.claims(drafted, kit.checker(repair, drafted, pages), pages)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    A label that names no page ends the check; no claim is even read. The dear half comes after it:
    every claim is held against the page it cites. The checker was not there when the draft was
    written. It gets the text, the pages and one question: does this page say that? Someone who
    marks their own exam finds few mistakes.
    """)
    return


@app.cell
def _(kit, lies, pages, repair):
    claimed = lies["an unsupported claim"][1]
    records = kit.checker(repair, claimed, pages)
    show.claims(claimed, records, pages)
    return (records,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Each verdict is a record, and the record is what the audit log will hold:
    """)
    return


@app.cell
def _(records):
    ui.facts(records[-1].model_dump(exclude={"score", "outcome", "usage"}))
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Old pages and new ones

    The stale price is the mean one: *some* page does say $12. So the context builder sorts before
    anything is drafted. By hand it is a question of dates, compared as dates:
    """)
    return


@app.cell
def _(kit, seat):
    found = kit.retriever(seat, 2, "hybrid")
    dated = {page["metadata"]["effective_date"]: page["id"] for page in found}
    built = kit.context(seat, found)
    ui.facts(
        {
            "newest by hand": dated[max(dated)],
            "in use": [page["id"] for page in built.documents],
            "superseded": [page["id"] for page in built.superseded],
        }
    )
    return (built,)


@app.cell
def _(built):
    shown = [*built.documents, *built.superseded]
    fate = {page["id"]: "superseded" if page in built.superseded else "kept" for page in shown}
    show.evidence(shown, verdicts=fate, opened=True)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The older edition is not thrown away. It stays beside the newer one with its date, so that an
    answer can say what changed, and so that whoever audits the run sees what was set aside. Two
    pages that contradict each other and that *no* date can order are a **hard conflict**: no draft
    settles that, so none is tried.

    ## The graph, in the open

    Fifteen nodes. They are those of the package; only the wiring is ours.
    """)
    return


@app.cell
def _(kit):
    nodes = AuditedNodes(kit)
    flow = StateGraph(AuditedState, context_schema=AuditedConfig)
    for _name in ("intake", "direct_answer", "query_rewriter", "retriever", "retrieval_validator",
                  "replanner", "context_builder", "answer_generator", "citation_checker",
                  "answer_verifier", "rollback", "human_review_queue", "human_review",
                  "final_format", "abstain"):  # fmt: skip
        flow.add_node(_name, getattr(nodes, _name))
    return (flow,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The straight way from question to answer. `intake` asks three things before any search: is it a
    greeting, is it too vague to be searched, is it about something that only a person may answer?
    """)
    return


@app.cell
def _(flow):
    flow.add_edge(START, "intake")
    flow.add_conditional_edges("intake", audited.after_intake, {
        "direct": "direct_answer", "vague": "human_review_queue", "search": "query_rewriter",
    })  # fmt: skip
    flow.add_edge("query_rewriter", "retriever")
    flow.add_edge("retriever", "retrieval_validator")
    flow.add_edge("answer_generator", "citation_checker")
    for _last in ("direct_answer", "final_format", "abstain"):
        flow.add_edge(_last, END)
    straight = flow
    return (straight,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Now the part that gives this rung its name. Four nodes judge, and **one function** decides after
    each of them. A bad search goes back before the search, through the `replanner`. A bad draft goes
    back before the draft, through `rollback`. At the third retry all roads lead to a person.
    """)
    return


@app.cell
def _(straight):
    _again = {"query_rewriter": "replanner", "human_review_queue": "human_review_queue"}
    _undo = {**_again, "answer_generator": "rollback"}
    for _check, _ways in {
        "retrieval_validator": {**_again, "pass": "context_builder", "abstain": "abstain"},
        "context_builder": {"pass": "answer_generator", "human_review_queue": "human_review_queue"},
        "citation_checker": {**_undo, "pass": "answer_verifier"},
    }.items():
        straight.add_conditional_edges(_check, route_after_check, _ways)
    straight.add_conditional_edges(
        "answer_verifier", audited.after_verification, {**_undo, "pass": "final_format"}
    )
    for _step in (("replanner", "query_rewriter"), ("rollback", "answer_generator"),
                  ("human_review_queue", "human_review"), ("human_review", "final_format")):  # fmt: skip
        straight.add_edge(*_step)
    by_hand = straight.compile(checkpointer=MemorySaver(), name="audited")
    return (by_hand,)


@app.cell
def _(by_hand, kit):
    assert show.edges_of(by_hand) == show.edges_of(build_audited(kit))
    show.graph(by_hand)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The checkpointer is not an extra. A run that may wait for a person must be remembered, and a
    rollback needs a past to return to. Without a saver this graph does not compile.

    ## Catch the lies

    Choose a lie and follow the numbers on the lit edges: the draft is made, found out, undone and
    made again. The node that found it is marked.
    """)
    return


@app.cell
def _():
    lie = ui.dropdown(
        ["a fabricated label", "an unsupported claim", "a stale price"],
        "a fabricated label", "the first draft holds",
    )  # fmt: skip
    lie
    return (lie,)


@app.cell
def _(careless, lie, lies):
    def catch(lie):
        asked, draft = lies[lie]
        graph = build_audited(careless(draft))
        run = ask(graph, asked)
        undone = run.state["rollbacks"]
        tiles = ui.stats(
            ("drafts", run.path.count("answer_generator")), ("tag", run.tag.replace("_", " ")),
            ("retries", f"{run.state['retry_count']} of {run.state['max_retries']}"),
        )  # fmt: skip
        why = ui.note(undone[0]["detail"] if undone else "nothing was undone", "bad", "Caught")
        drawn = show.graph(graph, run, failed="citation_checker" if undone else ())
        return ui.column(tiles, why, drawn, show(run))

    ui.live(catch, lie=lie)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    With a second draft of the stale price the answer even explains itself: what it was, until when,
    and what it is now. The verifier insists on it whenever an old edition says something else.

    ## What a rollback is

    Not a jump back in the drawing with everything still in the bag. The state after `rollback` must
    *be* the state before the draft, but for the counters. The checkpoints can prove it:
    """)
    return


@app.cell
def _(careless, lies):
    asked, false = lies["an unsupported claim"]
    loop = build_audited(careless(false))
    caught = ask(loop, asked)
    past = history(loop, caught.thread_id)
    return asked, caught, loop, past


@app.cell
def _(past):
    before = next(step for step in past if step.next == ("answer_generator",))
    after = next(step for step in past if step.node == "rollback")
    ui.facts(sorted(key for key in after.values if after.values[key] != before.values.get(key)))
    return (before,)


@app.cell
def _(past):
    show.timeline(past[5:], limits={"retry_count": 3})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Read it from the draft on: written, refused, *back to step* so and so, written again with
    `attempt` 1, passed. `retry_count` rose **before** the second try, so no loop can forget to count.

    ## Time travel

    A checkpoint is also a door. `fork` goes back to one, changes a field and runs on; the old branch
    stays. Here we stand just before the first draft and pretend that so many retries were already
    used up. At which number does the same lie end on a person's desk?
    """)
    return


@app.cell
def _():
    used_up = ui.slider(0, 3, 1, 3, "retry_count at the fork")
    used_up
    return (used_up,)


@app.cell
def _(asked, before, loop, used_up):
    def parted(used_up):
        first = ask(loop, asked)
        door = next(s for s in history(loop, first.thread_id) if s.next == before.next)
        second = fork(loop, first.thread_id, door.id, {"retry_count": int(used_up)})
        left, right = branches(history(loop, first.thread_id))
        differs = ", ".join(compare(first, second)) or "nothing"
        names = ("as it was", f"retry_count set to {int(used_up)}")
        return ui.column(
            ui.stats(("as it was", first.tag), ("forked", second.tag.replace("_", " "))),
            show.timeline(left, right, names=names, limits={"retry_count": 3}),
            ui.note(differs, "path", "compare(first, second): what differs at the end"),
        )

    ui.live(parted, used_up=used_up)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## A person decides

    Some questions end with a person even when every check has passed. Refunds, courts and data
    protection are on the list in `AuditedConfig`; so is whatever yours will be.
    """)
    return


@app.cell
def _(by_hand):
    refund = "How many days until an approved refund shows up on our credit card?"
    waiting = ask(by_hand, refund)
    ui.column(
        ui.note(waiting.reason, "web", waiting.tag.replace("_", " ")),
        show.graph(by_hand, waiting, current="human_review"),
    )
    return (waiting,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    The run has stopped in the middle, and nothing runs while it waits. With a saver on disk it would
    still wait after a restart. What waits, and for what, is the reviewer's queue:
    """)
    return


@app.cell
def _(by_hand, waiting):
    ui.table(
        [{"question": ask_for["question"], "draft": ask_for["draft"], "why": ask_for["reason"]}
         for thread, ask_for in waiting_threads(by_hand) if thread == waiting.thread_id],
        widths={"question": 250, "draft": 340, "why": 250},
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Now you are the reviewer. Send the form empty first and read what it says. Then decide, and then
    press the button once more: a second click must change nothing.
    """)
    return


@app.cell
def _(by_hand, waiting):
    review = ui.review_form(by_hand, waiting.thread_id)
    review
    return (review,)


@app.cell
def _(by_hand, review):
    def decided(review):
        if review is None:
            return ui.note("The thread waits for your decision.", "web")
        return ui.column(show.graph(by_hand, review), show(review))

    ui.live(decided, review=review)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    An edited answer is checked like any draft: a reviewer can be wrong too, and then the tag is
    `best_effort`, not `verified`. In a script the form is one call. An incomplete decision is refused
    before it reaches the graph:
    """)
    return


@app.cell
def _(by_hand):
    _other = ask(by_hand, "Do you refund a month in which we used nothing?")
    try:
        resume(by_hand, _other.thread_id, {"action": "reject", "reviewer": "R. Viewer"})
    except ValueError as error:
        refusal = str(error)
    done = resume(
        by_hand, _other.thread_id,
        {"action": "reject", "reviewer": "R. Viewer", "comment": "ask the desk"},
    )  # fmt: skip
    ui.facts({"refused": refusal, "then": done.tag, "reason": done.reason, "answer": done.answer})
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The record

    An audit log is a file to which lines are only ever added, one a step. Ask the caught question
    once more, this time with a log.
    """)
    return


@app.cell
def _(asked, loop):
    shelf = TemporaryDirectory()
    log = AuditLog(Path(shelf.name) / "audit.jsonl")
    log.ask(loop, asked)
    events = verify(log.path).events
    ui.stat("events", len(events), "one a step, and the question itself")
    return events, log, shelf


@app.cell
def _(events):
    ui.table(
        [{"line": event["seq"] + 1, "node": event["node"], "status": event["changed"].get(
            "validation_status", ""), "verdicts": ", ".join(event["verdicts"]),
          "next": ", ".join(event["next"] or []), "previous": event["previous"][:8],
          "hash": event["hash"][:8]} for event in events],
        page_size=20,
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Look at the last two columns: each line carries the hash of the line before it. By hand, for the
    sixth line: take the event without its hash, write it in the one canonical way, hash it.
    """)
    return


@app.cell
def _(events):
    _body = {key: value for key, value in events[5].items() if key != "hash"}
    by_own_hash = hashlib.sha256(canonical(_body)).hexdigest()
    ui.facts(
        {
            "by hand": by_own_hash[:8],
            "its own": events[5]["hash"][:8],
            "the next line's": events[6]["previous"][:8],
        }
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    So whoever changes a line must change every line after it, and whoever kept the last hash sees
    even that. Be the forger. Choose what to do and to which line; `verify` names the first event that
    is not what was written.
    """)
    return


@app.cell
def _():
    forgery = ui.dropdown(
        ["change a line", "change it and hash it anew", "delete it", "swap it with the next",
         "cut everything from it on"],
        "change a line", "forgery",
    )  # fmt: skip
    forgery
    return (forgery,)


@app.cell
def _():
    at = ui.slider(1, 12, 1, 8, "line")
    at
    return (at,)


@app.cell
def _(log, shelf):
    def forged(forgery, line):
        lines = log.path.read_bytes().splitlines(keepends=True)
        event = {**json.loads(lines[line - 1]), "verdicts": {}, "inputs": {"all": "is well"}}
        if forgery == "change it and hash it anew":
            event.pop("hash")
            event["hash"] = hashlib.sha256(canonical(event)).hexdigest()
        changed = {
            "delete it": [*lines[: line - 1], *lines[line:]],
            "swap it with the next": [
                *lines[: line - 1], *lines[line - 1 : line + 1][::-1], *lines[line + 1 :],
            ],
            "cut everything from it on": lines[: line - 1],
        }.get(forgery, [*lines[: line - 1], canonical(event) + b"\n", *lines[line:]])  # fmt: skip
        copy = Path(shelf.name) / "forged.jsonl"
        copy.write_bytes(b"".join(changed))
        return copy

    return (forged,)


@app.cell
def _(at, forged, forgery, log):
    def found_out(forgery, at):
        copy = forged(forgery, int(at))
        alone, anchored = verify(copy), verify(copy, head=log.head)
        says = [("verify(file)", alone.problem), ("verify(file, head=...)", anchored.problem)]
        return ui.column(
            *(ui.note(str(problem or "nothing is wrong"), "good" if problem else "bad", name)
              for name, problem in says)
        )  # fmt: skip

    ui.live(found_out, forgery=forgery, at=at)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    Green means *found*. Only the cut end needs the anchor: a chain cannot know what was never there,
    so keep its last hash somewhere else.

    The log can do one thing more. The routers are pure functions, so they can decide every step again
    from what the log says. On the terminal: `ragkit audit verify FILE`, `ragkit audit replay FILE`.
    """)
    return


@app.cell
def _(log):
    _again = replay(log.path)
    ui.stat("decisions reached again", sum(d.same for d in _again), f"of {len(_again)}", "good")
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## What it cost

    A lie that is caught is a draft paid twice. With a chat model, at the prices in `config.py`:
    """)
    return


@app.cell
def _(caught):
    _ops = {"route": 1, "grade": AuditedConfig().top_k, "rewrite": 1}
    _rounds = caught.path.count("answer_generator")
    _plain = estimate(1, **_ops, generate=1)
    _audited = estimate(1, **_ops, generate=_rounds, check=2 * _rounds)
    ui.stats(
        ("one draft, no check", f"${_plain:.4f}"),
        (f"{_rounds} drafts, all checked", f"${_audited:.4f}"),
        ("steps", len(caught.path)),
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Exercises

    **Exercise 1: fabricated labels.** Return the labels of a draft for which no page was shown.

    <details><summary>Hint</summary>

    This finds them. The pages are numbered from 1.

    ```python
    re.findall(r"\[(\d+)\]", draft)
    ```

    </details>

    <details><summary>Solution</summary>

    ```python
    def fabricated(draft, shown):
        labels = [int(number) for number in re.findall(r"\[(\d+)\]", draft)]
        return [label for label in labels if not 1 <= label <= shown]
    ```

    </details>
    """)
    return


@app.cell
def _():
    def fabricated(draft, shown):
        """Return the labels `[n]` that name none of the `shown` pages, in reading order."""
        ...

    exercises.check("07-labels", fabricated)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 2: the edition in force.** Of several editions, each with a `version` and a `date`
    (`None` when nobody knows), return the one that holds today, or `"unknown"`.

    <details><summary>Hint</summary>

    Leave out the undated ones first. ISO dates compare as text; version numbers do not.

    </details>

    <details><summary>Solution</summary>

    ```python
    def current(pages):
        dated = [page for page in pages if page["date"]]
        return max(dated, key=lambda page: page["date"]) if dated else "unknown"
    ```

    </details>
    """)
    return


@app.cell
def _():
    def current(pages):
        """Return the newest dated page, or "unknown" when no page has a date."""
        ...

    exercises.check("07-newest", current)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 3: the way on.** The article's table. Statuses are *passed*, *retrieval_failed*,
    *citation_failed* and *conflict*; return *final_format*, *query_rewriter*, *answer_generator* or
    *human_review_queue*.

    <details><summary>Hint</summary>

    Passed first, then the cap, then the cause. What is left over goes to a person.

    </details>

    <details><summary>Solution</summary>

    ```python
    def way_on(status, retries):
        if status == "passed":
            return "final_format"
        if retries >= 3:
            return "human_review_queue"
        back = {"retrieval_failed": "query_rewriter", "citation_failed": "answer_generator"}
        return back.get(status, "human_review_queue")
    ```

    </details>
    """)
    return


@app.cell
def _():
    def way_on(status, retries):
        """Return the next node for a status after so many retries."""
        ...

    exercises.check("07-route", way_on)
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Exercise 4: the first bad event.** Events have a `text`, the `previous` hash and their own
    `hash`, which is `digest(text, previous)`; the first one's `previous` is empty. Return the position
    of the first event that is not what was written, or `"whole"`.

    <details><summary>Hint</summary>

    Two things must hold for each event: it follows the one before, and it matches its own hash.

    </details>

    <details><summary>Solution</summary>

    ```python
    def first_bad(events, digest):
        previous = ''
        for position, event in enumerate(events):
            own = digest(event["text"], event["previous"])
            if event["previous"] != previous or event["hash"] != own:
                return position
            previous = event["hash"]
        return "whole"
    ```

    </details>
    """)
    return


@app.cell
def _():
    def first_bad(events, digest):
        """Return the position of the first bad event, or "whole"."""
        ...

    exercises.check("07-chain", first_bad)
    return


@app.cell
def test_the_routes_and_the_chain(forged):
    state = {"retry_count": 0, "max_retries": 3, "sensitive": []}
    ways = [
        route_after_check({**state, "validation_status": status})
        for status in ("passed", "retrieval_failed", "citation_failed", "conflict")
    ]
    assert ways == ["pass", "query_rewriter", "answer_generator", "human_review_queue"]
    last = {**state, "retry_count": 3, "validation_status": "citation_failed"}
    assert route_after_check(last) == "human_review_queue"
    assert verify(forged("change a line", 3)).problem.line == 3
    assert verify(forged("change it and hash it anew", 3)).problem.line == 4
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## When not to use it

    Most questions are harmless, and an audit of each of them is slow, dear and read by nobody. Put
    this rung where a wrong answer costs more than a late one. And a review queue that nobody works
    through is only a slower way of not answering.

    > **Takeaway.** Check what was written apart from who wrote it, undo what fails instead of
    > patching it, stop after three, and keep a record that cannot be quietly changed.

    Next: notebook 8 breaks this loop on purpose, one fault at a time.
    """)
    return


if __name__ == "__main__":
    app.run()
