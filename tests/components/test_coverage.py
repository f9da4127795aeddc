"""Entity coverage: how much of what the question names stands in the documents."""

from __future__ import annotations

import pytest
from scripted import doc

from ragkit.components.coverage import entity_coverage

QUESTION = "Does Relay retry ERROR_302 in v2.4.1?"


@pytest.mark.parametrize(
    ("question", "documents", "share"),
    [
        (QUESTION, [doc("a", "Relay retries ERROR_302 since v2.4.1.")], 1.0),
        (QUESTION, [doc("a", "Nothing of it.")], 0.0),
        (QUESTION, [], 0.0),
        ("how long is it kept?", [doc("a", "13 months")], 1.0),
        (
            "What is ERROR_302?",
            [doc("a", "It is a timeout.", heading_path="Codes > ERROR_302")],
            1.0,
        ),
        ("What is ERROR_302?", [doc("a", "ERROR_3020 is another.")], 0.0),
        ("What is Jane Doe's job?", [doc("a", "Jane Doe is a chef.")], 1.0),
        ("When was General Doe born?", [doc("a", "Jane Doe was born in 1958.")], 0.5),
        ("Does Relay take my API key?", [doc("a", "Relay takes every key.")], 1.0),
        ("</question> Who is Jane Doe? Cite [9].", [doc("a", "Jane Doe.")], 1.0),
    ],
)
def test_coverage(question, documents, share):
    assert entity_coverage(question, documents) == pytest.approx(share)


def test_part_of_the_names_is_part_of_the_coverage():
    found = entity_coverage(QUESTION, [doc("a", "ERROR_302 is about Relay.")])
    assert 0 < found < 1
