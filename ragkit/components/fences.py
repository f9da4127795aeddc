"""Hand pages to a model as data: fenced with a code nobody can guess, harmless inside.

The code comes from the text itself and a secret of this process: a page cannot foresee it, and the
same evidence makes the same prefix again, which servers cache.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from ragkit.records import Document

_SECRET = secrets.token_bytes(32)
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:document|strip|question|answer|claim|quer|conver|conflict))", re.IGNORECASE
)
_LABEL = re.compile(r"\[([^\[\]\n]*\d[^\[\]\n]*)\]|【([^【】\n]*)】")
_MASKED = re.compile(r"⟦([^⟦⟧\n]*)⟧")
_CODE = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_HEADER = (
    ("title", "title"), ("heading_path", "section"), ("source", "source"), ("version", "version"),
    ("effective_date", "date"), ("kind", "kind"),
)  # fmt: skip


def harmless(text: str) -> str:
    """Return the text without our tags, and with `[1]` in it as `⟦1⟧`, which cites nothing."""
    # a half character cannot be sent at all
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return _LABEL.sub(lambda m: f"⟦{m.group(1) or m.group(2) or ''}⟧", _TAG.sub("‹", whole))


def restored(answer: str) -> str:
    """Return an answer with quoted `⟦0⟧` as `[0]` in code and as `\\[0\\]` in prose."""
    parts = _CODE.split(answer)
    for at, part in enumerate(parts):
        parts[at] = _MASKED.sub(r"[\1]" if at % 2 else r"\\[\1\\]", part)
    return "".join(parts)


@dataclass(frozen=True)
class Fence:
    """A pair of tags for one request; `code` is part of each."""

    code: str

    @classmethod
    def around(cls, *texts: str) -> Fence:
        """Return the fence for these texts: the same texts give the same code in this process."""
        joined = "\0".join(texts).encode("utf-8", "replace")
        return cls(hmac.new(_SECRET, joined, hashlib.sha256).hexdigest()[:8])

    def block(self, tag: str, text: str, **attributes: str) -> str:
        """Return the text between this fence's tags, with our tags and labels in it disarmed."""
        return self.wrap(tag, harmless(text), **attributes)

    def wrap(self, tag: str, blocks: str, **attributes: str) -> str:
        """Return blocks of this fence between its tags."""
        named = "".join(f' {key}="{_attribute(value)}"' for key, value in attributes.items())
        return f"<{tag}-{self.code}{named}>\n{blocks}\n</{tag}-{self.code}>"

    def document(self, document: Document, label: str) -> str:
        """Return one document with its label and header."""
        return self.block("document", document["content"], label=label, **header(document))

    def documents(self, documents: Sequence[Document], label: str = "{}") -> str:
        """Return the documents in order; `label` makes the label of the n-th, from 1."""
        numbered = enumerate(documents, start=1)
        return "\n".join(self.document(item, label.format(n)) for n, item in numbered)


def header(document: Document) -> dict[str, str]:
    """Return what a model is told of a document beside its text: title, section, date, ..."""
    metadata = document.get("metadata") or {}
    found = ((name, metadata.get(key)) for key, name in _HEADER)
    return {name: str(value) for name, value in found if value not in (None, "", "kb")}


def shown(document: Document) -> str:
    """Return all that a model is shown of a document, as one text: header and content."""
    head = " ".join(f"{name}={value}" for name, value in header(document).items())
    return f"{head}\n{document['content']}"


def _attribute(value: str) -> str:
    return harmless(" ".join(value.split()))[:120].replace('"', "'").replace(">", "›")
