"""Rates of what people did about a model's findings, with intervals computed by hand."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zlib import crc32

import pytest

from assay.github_app.outcomes.metrics.review_rates import review_rates
from assay.github_app.store import DecidedBy, FindingOutcome, ReviewFindingRow, Store
from tests.github_app.remembering import after, sha, store_at

PROMPT = "correctness v1 0a1b2c3d4e5f"


def findings(
    store: Store,
    repository_id: int,
    number: int,
    *,
    question: str = "correctness",
    prompt: str = PROMPT,
    at: datetime | None = None,
    **counts: int,
) -> None:
    """Store so many findings of each outcome; `standing` have none."""
    at = at or after()
    for outcome, count in counts.items():
        for place in range(count):
            name = f"{crc32(f'{question} {prompt} {outcome}'.encode()):08x}{place:04x}"
            row = ReviewFindingRow(
                repository_id=repository_id, number=number, finding_id=name, rule=f"review.{question}",
                question=question, prompt=prompt, prompts=(prompt,), model="claude-opus-5-5", severity="warning",
                is_demonstrated=place == 0, file="shop.py", message="It is wrong.", first_sha=sha("a"),
                last_sha=sha("a"), first_at=at,
            )  # fmt: skip
            store.review_findings.seen([row], at)
            if outcome != "standing":
                kind = FindingOutcome(outcome)
                assert store.review_findings.decide((repository_id, number), name, kind, DecidedBy.push, at)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}")


def test_a_rate_is_of_the_findings_people_decided_about(store: Store):
    findings(store, 5, 1, acted_on=15, dismissed=5, ignored=10, withdrawn=4, standing=3)
    acted_on, dismissed, ignored = review_rates(store.review_findings.first_seen([5]))
    assert (acted_on.outcome, acted_on.num, acted_on.n, acted_on.share) == ("acted_on", 15, 30, 0.5)
    # Wilson: (.5 + z²/60) / (1 + z²/30) ± z / (1 + z²/30) · √(.25/30 + z²/3600), z = 1.95996
    assert acted_on.low == pytest.approx(0.33154, abs=1e-4)
    assert acted_on.high == pytest.approx(0.66846, abs=1e-4)
    assert (acted_on.num_withdrawn, acted_on.num_standing, acted_on.num_demonstrated) == (4, 3, 1)
    assert not acted_on.is_too_few
    assert (dismissed.num, ignored.num) == (5, 10)
    assert dismissed.share == pytest.approx(1 / 6)


def test_versions_of_a_prompt_and_questions_are_apart(store: Store):
    findings(store, 5, 1, acted_on=1)
    findings(store, 5, 2, prompt="correctness v2 ffffffffffff", ignored=2)
    findings(store, 5, 3, question="design", prompt="design v1 0a0a0a0a0a0a", standing=1)
    rates = review_rates(store.review_findings.first_seen(None))
    assert [(one.question, one.prompt.split()[1], one.outcome, one.num) for one in rates if one.num] == [
        ("correctness", "v1", "acted_on", 1),
        ("correctness", "v2", "ignored", 2),
    ]
    assert [(one.n, one.share, one.low) for one in rates if one.question == "design"] == [(0, None, None)] * 3
    assert all(one.is_too_few for one in rates)


def test_findings_count_by_the_time_of_their_first_report_and_their_repository(store: Store):
    findings(store, 5, 1, at=after(days=1), acted_on=1)
    findings(store, 6, 1, at=after(days=3), ignored=1)
    found = store.review_findings
    assert len(found.first_seen(None, after(days=2))) == 1
    assert len(found.first_seen(None, None, after(days=3))) == 1
    assert found.first_seen([5], after(days=2)) == ()
    assert found.first_seen([]) == ()
