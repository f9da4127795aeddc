"""A form in which a person decides a waiting thread, in marimo and in Jupyter.

review = ui.review_form(graph, run.thread_id)      # a cell of its own
ui.live(lambda review: ..., review=review)         # review is the finished Run, None before
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, ClassVar

import anywidget
import traitlets

from ragkit.checkpoints import RunError, place
from ragkit.config import GraphConfig
from ragkit.runs import Run, resume
from ragkit.widgets import source, style_sheet

_PAINT = """
.rk-form{box-sizing:border-box;border:1px solid var(--rk-line);border-radius:10px;padding:14px 16px;
display:flex;flex-direction:column;gap:10px}
.rk-form label{display:flex;flex-direction:column;gap:3px;font-size:13px;color:var(--rk-soft)}
.rk-form fieldset{border:0;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:6px 18px}
.rk-form fieldset label{flex-direction:row;align-items:center;gap:6px;font-size:15px;color:inherit;
cursor:pointer}
.rk-form input[type=text],.rk-form textarea{font:inherit;font-size:15px;color:inherit;width:100%;
background:var(--rk-faint);border:1px solid var(--rk-line);border-radius:6px;padding:6px 9px}
.rk-form input[type=radio]{accent-color:var(--rk-path)}
.rk-form button{font:inherit;font-weight:650;color:inherit;cursor:pointer;align-self:flex-start;
border:1.5px solid var(--rk-path);border-radius:8px;padding:6px 16px;
background:color-mix(in srgb,var(--rk-path) 18%,transparent)}
.rk-form :is(input,textarea,button):focus-visible{outline:2px solid var(--rk-path);
outline-offset:1px}
.rk-form .rk-hidden{display:none}
"""


class ReviewForm(anywidget.AnyWidget):
    """Approve, edit or reject the draft of a waiting thread; every refusal is said in the form.

    `run` is the Run that the decision finished, None until then. Sending twice changes nothing.
    """

    _esm: ClassVar[str] = source("review_form.js")
    _css: ClassVar[str] = style_sheet() + _PAINT
    question = traitlets.Unicode().tag(sync=True)
    why = traitlets.Unicode().tag(sync=True)
    draft = traitlets.Unicode().tag(sync=True)
    decision = traitlets.Dict().tag(sync=True)  # what was last sent, with the number of its click
    messages = traitlets.List().tag(sync=True)  # [tone, text] each, oldest first
    reading_traits = ("messages",)

    def __init__(
        self, graph: Any, thread_id: str, *, config: GraphConfig | None = None, log: Any = None
    ) -> None:
        """Ask about a thread of a compiled graph; `log`, an AuditLog, gets what the decision did.

        A thread that does not wait gives a form that says so and takes no decision.
        """
        snapshot = graph.get_state(place(thread_id))
        asked = dict(snapshot.interrupts[0].value) if snapshot.interrupts else {}
        self.run: Run | None = None
        self._place = (graph, thread_id, config, log)
        super().__init__(
            question=asked.get("question", ""),
            why=asked.get("reason", ""),
            draft=asked.get("draft", ""),
            messages=[] if asked else [["muted", f"Thread {thread_id} waits for no review."]],
        )

    @property
    def reading(self) -> Run | None:
        """The finished run, or None while the review waits."""
        return self.run

    def decide(self, **decision: Any) -> None:
        """Resume the thread with a decision, as a click does; what happened is in `messages`."""
        sent = {key: decision.get(key, "") for key in ("action", "reviewer", "comment", "text")}
        try:
            self.run = self._resume(sent)
        except (ValueError, RunError) as error:
            self._say("bad", f"Refused: {error}")
        except Exception as error:
            self._say("bad", f"The run stopped after the decision: {type(error).__name__}: {error}")
        else:
            tag = self.run.tag.replace("_", " ")
            self._say("good", f"{sent['action']} by {sent['reviewer']}: the run ended as {tag}.")

    def _resume(self, sent: dict[str, str]) -> Run:
        graph, thread_id, config, log = self._place
        with log.watch(graph, thread_id, config) if log else nullcontext():
            return resume(graph, thread_id, sent, config=config)

    def _say(self, tone: str, text: str) -> None:
        self.messages = [*self.messages, [tone, text]]

    @traitlets.observe("decision")
    def _clicked(self, change: Any) -> None:
        if change["new"]:
            self.decide(**{key: value for key, value in change["new"].items() if key != "click"})
