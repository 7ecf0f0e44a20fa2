"""Past comments are grouped by the rule they say, with who said it where, and what counts for nothing is left out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assay.embedding.embedder import Embedder, EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app.learning.extract.mining import Candidate, MiningResult, mine
from assay.github_app.learning.extract.past_comments import PastComment

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
TIMEOUT = "Please include a regression test for this crash."
CONSTANT = "Let's avoid the magic number."


def said(body: str, pull: int, author: str = "ada", **more: object) -> PastComment:
    comment = PastComment(body=body, author=author, pull=pull, created_at=BEGAN + timedelta(days=pull))
    return comment.model_copy(update=more)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return EMBEDDERS["bundled"](EmbeddingSettings())


def mined(embedder: Embedder, *comments: PastComment) -> MiningResult:
    return mine(comments, embedder)


def only(found: MiningResult) -> Candidate:
    (candidate,) = found.candidates
    return candidate


def test_the_same_rule_said_on_three_pull_requests_is_one_candidate_with_its_provenance(embedder: Embedder):
    comments = (
        said("nit: please include a regression test", 9, "bo"),
        said(TIMEOUT, 4),
        said("Could you include a regression test for this?", 7),
    )
    candidate = only(mined(embedder, *comments))
    assert [comment.pull for comment in candidate.comments] == [4, 7, 9]
    assert (candidate.pulls, candidate.reviewers) == ((4, 7, 9), ("ada", "bo"))
    assert (candidate.first_at, candidate.last_at) == (BEGAN + timedelta(days=4), BEGAN + timedelta(days=9))
    assert "regression" in candidate.rule.text.lower()


def test_other_rules_are_other_candidates_those_of_the_most_pull_requests_first(embedder: Embedder):
    found = mined(embedder, said(TIMEOUT, 1), said(TIMEOUT, 1), said(TIMEOUT, 1), said(CONSTANT, 2), said(CONSTANT, 3))
    assert [len(one.pulls) for one in found.candidates] == [2, 1]
    assert "constant" in found.candidates[0].rule.text.lower()


@pytest.mark.parametrize(
    ("comment", "why"),
    [
        (said(TIMEOUT, 1, "renovate[bot]"), "by a machine"),
        (said(TIMEOUT, 1, "Ada", pull_author="ada"), "by the author of the pull request"),
        (said("/assay rule accept 12", 1), "a command"),
        (said(" \n", 1), "empty"),
        (said("LGTM, thanks!", 1), "no rule in it"),
        (said(TIMEOUT, 1, in_reply_to=5), "an answer in another author's thread"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_counts_for_nothing_is_left_out_and_counted(embedder: Embedder, comment: PastComment, why: str):
    found = mined(embedder, comment)
    assert (found.candidates, found.num_read, dict(found.left_out)) == ((), 1, {why: 1})


def test_an_answer_in_ones_own_thread_counts(embedder: Embedder):
    question = said("Hm, what is this?", 1, id=5)
    assert only(mined(embedder, question, said(TIMEOUT, 1, id=6, in_reply_to=5))).pulls == (1,)


def test_deleted_accounts_are_not_taken_for_the_author(embedder: Embedder):
    assert len(mined(embedder, said(TIMEOUT, 1, "ghost", pull_author="ghost")).candidates) == 1


def test_the_order_of_the_source_makes_no_difference(embedder: Embedder):
    comments = [
        said(TIMEOUT, 1),
        said(CONSTANT, 2),
        said("Please include a regression test for that", 3),
        said(CONSTANT, 4),
    ]
    assert mined(embedder, *comments).candidates == mined(embedder, *reversed(comments)).candidates


@pytest.mark.soak
def test_a_thousand_comments_are_embedded_once_each(embedder: Embedder):
    class Counting:
        name = embedder.name
        num_texts = 0

        def embed(self, texts):
            self.num_texts += len(texts)
            return embedder.embed(texts)

    counting, nouns = Counting(), [f"field{number}" for number in range(60)]
    mine([said(f"Please validate `{noun}` before using it", place) for place, noun in enumerate(nouns * 3)], counting)
    assert counting.num_texts <= len(nouns) * 4
