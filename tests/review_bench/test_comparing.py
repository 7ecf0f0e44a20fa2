"""Two runs are compared change by change: recall by McNemar's test, false statements by a permutation test."""

from __future__ import annotations

from typing import Any

import pytest

from tests.review_bench.bench.comparing import NotComparable, compare_runs
from tests.review_bench.bench.figures import UNVERIFIED, VERIFIED, figures_of
from tests.review_bench.bench.manifest import Kind
from tests.review_bench.bench.results import BenchRun, MeasuredChange, ModelPart, StaticPart


def change(name: str, kind: Kind, found: bool | None = None, findings: int = 0, **other: Any) -> MeasuredChange:
    model = ModelPart(
        found=found,
        num_findings=findings,
        num_elsewhere=0 if found else findings,
        num_invented=0,
        num_demonstrated=0,
        num_claims=findings,
        dropped={},
        num_calls=1,
        num_tokens_in=1000,
        num_tokens_cached=400,
        num_tokens_out=10,
        cost_usd=0.5,
        seconds=2.0,
        num_unanswered=0,
    )
    static = StaticPart(found=False if kind.has_bug else None, num_findings=0, seconds=0.1)
    return MeasuredChange(id=name, kind=kind, repository="r", static=static, model=model).model_copy(update=other)


def run(*changes: MeasuredChange, prompts: dict[str, str] | None = None, **other: Any) -> BenchRun:
    fields: dict[str, Any] = {
        "assay": "0",
        "manifest": "m",
        "manifest_digest": "d",
        "model": "claude-opus-5-5",
        "prompts": prompts or {"system": "system v1 aa"},
        "demonstrates": False,
        "max_usd": 10.0,
        "changes": changes,
    }
    return BenchRun(**(fields | other))


def fixes(num: int, found: int) -> list[MeasuredChange]:
    return [change(f"fix{number}", Kind.reversed_fix, number < found, int(number < found)) for number in range(num)]


def cleans(*findings: int) -> list[MeasuredChange]:
    return [change(f"clean{number}", Kind.clean, findings=count) for number, count in enumerate(findings)]


def test_ten_gained_of_twenty_are_significant():
    found = compare_runs(run(*fixes(20, 5)), run(*fixes(20, 15)))
    recall = found.recall
    assert recall is not None
    assert (recall.before, recall.after, recall.difference) == (5, 15, 0.5)
    assert recall.gained == tuple(f"fix{number}" for number in range(5, 15))
    assert recall.lost == ()
    assert recall.p == pytest.approx(2 / 2**10)
    assert recall.interval is not None
    assert 0.2 < recall.interval.low < 0.5 < recall.interval.high < 0.8
    assert found.false is None


def test_fewer_findings_on_clean_changes():
    found = compare_runs(run(*cleans(2, 1, 1, 1, 0, 0)), run(*cleans(0, 0, 0, 0, 0, 0))).false
    assert found is not None
    assert (found.before, found.after) == (5 / 6, 0.0)
    assert found.difference == pytest.approx(-5 / 6)
    # Of 2^4 signs, all four the same way and all four the other.
    assert found.p == pytest.approx(2 / 16)
    assert found.interval is not None
    assert found.interval.high <= 0


def test_equal_runs_do_not_differ():
    one = run(*fixes(8, 4), *cleans(0, 1, 0, 0, 1))
    found = compare_runs(one, one)
    assert found.recall is not None
    assert found.false is not None
    assert (found.recall.p, found.recall.difference, found.false.p, found.prompts) == (1.0, 0.0, 1.0, {})


def test_what_differs_between_the_runs_is_named_and_only_pairs_count():
    before = run(*fixes(6, 3), prompts={"system": "system v1 aa", "design": "design v1 bb"})
    after = run(*fixes(5, 3), *cleans(1), prompts={"system": "system v2 cc", "design": "design v1 bb"})
    found = compare_runs(before, after)
    assert found.prompts == {"system": ("system v1 aa", "system v2 cc")}
    assert (found.num, found.unpaired, found.is_same_manifest) == (5, 2, True)
    with pytest.raises(NotComparable):
        compare_runs(run(*fixes(2, 1)), run(*cleans(1)))


def test_a_change_that_failed_is_not_paired():
    failed = change("fix0", Kind.reversed_fix, static=None, model=None, error="git.failed")
    found = compare_runs(run(failed, *fixes(3, 1)[1:]), run(*fixes(3, 3)))
    assert (found.num, found.recall.num if found.recall else 0) == (2, 2)


def test_figures_of_verified_fixes_are_shown_apart():
    verified = [one.model_copy(update={"is_verified": number < 2}) for number, one in enumerate(fixes(5, 2))]
    figures = {one.name: one for one in figures_of(run(*verified, *cleans(1, 0)))}
    assert {name: one.num for name, one in figures.items()} == {
        "reversed_fix": 5,
        VERIFIED: 2,
        UNVERIFIED: 3,
        "clean": 2,
        "all": 7,
    }
    every = figures["all"].model
    assert every is not None
    assert (every.cost_usd, every.cost_p50_usd, every.cached_share, every.seconds_p95) == (3.5, 0.5, 0.4, 2.0)
    assert [one.found.hits for one in figures.values() if one.found is not None] == [2, 2, 0, 2]
