"""Whatever is written in a comment: no error, no long wait, the same answer both ways round and every time."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.embedding.embedder import EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app.rule_matching import CommentText, Comparer, canonical_rule, intent
from assay.github_app.rule_matching.weights import calibration
from tests.examples import num_examples
from tests.github_app.advice.conftest import labelled

COMPARER = Comparer(EMBEDDERS["bundled"](EmbeddingSettings()))
BODIES = [row[side] for row in labelled("pairs_tuning.jsonl")[:120] for side in ("a", "b")]
comments = st.one_of(
    st.text(max_size=400),
    st.sampled_from(BODIES),
    st.lists(st.sampled_from(BODIES), min_size=2, max_size=4).map(" ".join),
    st.lists(
        st.sampled_from("use don't `any` never prefer over instead of test | ~ \ud800 \x00 ``` > <!-- :".split()),
        max_size=30,
    ).map(" ".join),
)


@settings(max_examples=num_examples(60), deadline=None)
@given(comments, comments)
def test_any_two_texts_are_compared_alike_both_ways(a, b):
    one, other = (COMPARER.compare(CommentText(x), CommentText(y)) for x, y in ((a, b), (b, a)))
    assert (one.same, one.score) == (other.same, other.score)
    assert (one.rule_a, one.rule_b) == (other.rule_b, other.rule_a)
    assert 0 <= one.score <= 1
    assert one.same == (one.score >= calibration()["same"] and one.rule_a is not None and one.rule_b is not None)


@settings(max_examples=num_examples(80), deadline=None)
@given(comments)
def test_a_text_with_a_rule_is_like_itself(text):
    rule = canonical_rule(CommentText(text))
    likeness = COMPARER.compare(CommentText(text), CommentText(text))
    assert likeness.same == (rule is not None)
    intent(text)


HOSTILE = {
    "questions": "?" * 65_536,
    "words": "a " * 32_768,
    "backticks": "`" * 65_536,
    "code spans": "`x`" * 20_000,
    "comments": "<!--" * 16_384,
    "quotes": "> " * 32_768,
    "links": "[" * 30_000 + "](" * 15_000,
    "negations": "should not use " * 4_000,
    "gaps": "catch " * 10_000,
    "fences": "```\n" * 16_000,
    "tags": "<div " * 13_000,
    "labels": "nit " * 16_000,
    "camel": "aB" * 32_000,
    "dots": "a." * 32_000,
    "newlines": "\n" * 65_536,
    "brackets": "**__" * 16_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_64_kb_of_anything_take_no_time(name):
    canonical_rule(CommentText("no magic numbers"))
    began = time.process_time()
    canonical_rule(CommentText(HOSTILE[name]))
    intent(HOSTILE[name])
    assert time.process_time() - began < 2


@pytest.mark.soak
def test_another_process_finds_the_same():
    """Nothing goes by the order of a set."""
    script = (
        "import json, sys\nfrom assay.embedding.embedder import EmbeddingSettings\n"
        "from assay.embedding.register import EMBEDDERS\n"
        "from assay.github_app.rule_matching import CommentText, Comparer\n"
        "texts = json.loads(sys.argv[1])\n"
        "pairs = [(CommentText(a), CommentText(b)) for a, b in texts]\n"
        "found = Comparer(EMBEDDERS['bundled'](EmbeddingSettings())).compare_all(pairs)\n"
        "print(json.dumps([[one.score, one.why, one.rule_a and one.rule_a.key] for one in found]))"
    )
    import json

    texts = [[row["a"], row["b"]] for row in labelled("pairs_tuning.jsonl")[:40]]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script, json.dumps(texts)],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PATH": ""},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
