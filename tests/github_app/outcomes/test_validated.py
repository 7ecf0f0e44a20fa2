"""A finished run leaves its findings, its risk level on the task's record, and one entry in the log."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

from assay.github_app.outcomes import record, sources_seen, validation_completed
from assay.github_app.outcomes.metrics.measures import measures
from assay.github_app.provenance.declarations import declared_in_body
from assay.github_app.provenance.instructions import instructions_of
from assay.github_app.store import EventRow, FactorRow, RunRow, RunState, Side, Store
from assay.validators import (
    Options,
    Repository,
    Tier,
    ValidationConfig,
    ValidationReport,
    change_between,
    validate,
)
from tests.github_app.outcomes.telling import pulled
from tests.github_app.publish.reports import statement
from tests.github_app.remembering import after, pull
from tests.repositories import RealRepository

BODY = "Task-Id: T-17"


def validated(repository: RealRepository) -> ValidationReport:
    """The report of a real change: a new function, twice, in place of an old line."""
    repository.commit(files={"hats.py": "a = 1\nb = 2\nc = 3\n", "AGENTS.md": "Be kind.\n"})
    repository.branch("claude/hats")
    lines = "\n".join(f"    total += prices[{i}] * counts[{i}]" for i in range(20))
    functions = "".join(f"\n\ndef {name}(prices, counts, total):\n{lines}\n" for name in "fg")
    repository.commit(
        "Sell hats\n\nPrompt-Version: shop-3\nCo-Authored-By: Claude <noreply@anthropic.com>",
        {"hats.py": "a = 1\nb = 22\nc = 3\n" + functions},
    )
    with Repository(repository.path) as opened:
        change = change_between(opened, "main", "claude/hats")
        return validate(change, ValidationConfig(), Options(tiers=frozenset({Tier.quality, Tier.risk})))


def begun(store: Store, report: ValidationReport) -> RunRow:
    record(pulled("opened", pull(head_sha=report.head.sha, body=BODY)), store, after())
    run, _ = store.runs.begin(5, 7, report.head.sha, "opened", after())
    store.runs.advance(run.id, RunState.running, after())
    return run


def entries(store: Store) -> list[EventRow]:
    return [event for event in store.events.of(5, 7) if event.kind == "validation_completed"]


def test_a_real_report_is_written_down(store: Store, repository: RealRepository):
    report = validated(repository)
    run = begun(store, report)
    assert validation_completed(store, run, report, after(minutes=5), config_hash="c0")
    assert validation_completed(store, run, report, after(minutes=5), config_hash="c0")
    assert report.risk is not None
    row = store.runs.get(run.id)
    assert row is not None
    assert (row.risk_level, row.conclusion, row.config_hash) == (report.risk.level, report.conclusion, "c0")
    assert report.risk.likelihood is not None
    assert (row.likelihood_level, row.floor_level) == (report.risk.likelihood.level, report.risk.floor)
    assert [one.likelihood_level for one in measures(store)] == [report.risk.likelihood.level]
    stored = store.runs.report(run.id)
    assert stored is not None
    assert json.loads(stored)["head"]["sha"] == report.head.sha
    assert {one.finding_id for one in store.runs.findings(run.id)} == {one.id for one in report.findings}
    assert [one.signal for one in store.runs.factors(run.id)] == [one.signal for one in report.risk.statements]
    (entry,) = entries(store)
    assert entry.task_id == "T-17" == declared_in_body(BODY).task_id
    assert entry.data["risk_level"] == report.risk.level
    assert len(entry.data["risk_factors"]) == len(report.risk.statements)
    task = store.tasks.get(5, "T-17")
    assert task is not None
    assert (task.risk_level, task.number) == (report.risk.level, 7)
    places = {(place.side, place.first) for place in store.changes.of(5, 7, report.head.sha)}
    assert {(Side.base, 2), (Side.head, 2)} <= places


def test_a_task_nobody_named_has_a_record_too(small_store: Store, repository: RealRepository):
    report = validated(repository)
    run, _ = small_store.runs.begin(5, 7, report.head.sha, "opened", after())
    validation_completed(small_store, run, report, after())
    task = small_store.tasks.get(5, "pull:7")
    assert task is not None
    assert task.risk_level is not None


def test_another_verdict_is_another_entry_and_a_passing_one_is_none(small_store: Store, repository: RealRepository):
    report = validated(repository)
    run = begun(small_store, report)
    validation_completed(small_store, run, report, after(minutes=1), is_final=False)
    assert entries(small_store) == []
    validation_completed(small_store, run, report, after(minutes=2))
    validation_completed(small_store, run, replace(report, hold=not report.hold), after(minutes=3))
    assert not validation_completed(small_store, run, report, after(minutes=1))
    assert [event.at for event in entries(small_store)] == [after(minutes=2), after(minutes=3)]


def test_an_old_head_that_is_done_late_does_not_speak_for_the_task(small_store: Store, repository: RealRepository):
    report = validated(repository)
    run = begun(small_store, report)
    newer = pull(head_sha="f" * 40, body=BODY, updated_at=after(minutes=1))
    record(pulled("synchronize", newer, report.head.sha), small_store, after(minutes=1))
    validation_completed(small_store, run, report, after(minutes=5))
    task = small_store.tasks.get(5, "T-17")
    assert task is not None
    assert task.risk_level is None
    assert len(entries(small_store)) == 1


def test_a_checkout_tells_task_prompt_and_agent(store: Store, repository: RealRepository):
    report = validated(repository)
    begun(store, report)
    facts = pull(head_sha=report.head.sha, body=BODY)

    def look(at: datetime) -> None:
        with Repository(repository.path) as opened:
            base = instructions_of(opened.tree(report.merge_base))
            assert base is not None
            sources_seen(store, 5, facts, opened.commits(report.merge_base, report.head.sha), base, at)
            assert store.prompt_versions.get(5, base.version) is not None

    look(after(minutes=1))
    look(after(minutes=2))
    row = store.pulls.get(5, 7)
    assert row is not None
    assert (row.task_id, row.prompt_version, row.prompt_version_source) == ("T-17", "shop-3", "trailer")
    assert (row.agent, row.agent_confidence) == ("claude-code", 0.8)
    versions = {one.version: one for one in store.prompt_versions.of(5)}
    assert versions["shop-3"].source == "declared"
    (from_files,) = [one for one in versions.values() if one.source == "files"]
    assert from_files.texts == {"AGENTS.md": "Be kind.\n"}
    kinds = [event.kind for event in store.events.of(5, 7)]
    assert kinds.count("agent_seen") == kinds.count("prompt_version_seen") == 1


def test_each_statement_is_stored_with_the_level_it_sets(small_store: Store, repository: RealRepository):
    report = validated(repository)
    assert report.risk is not None
    said = (statement("schema", "schema_path", "touches a table"), statement("surface", "large", "adds 500 lines"))
    report = report.with_tiers(risk=replace(report.risk, statements=said))
    run = begun(small_store, report)
    assert validation_completed(small_store, run, report, after(minutes=5))
    assert small_store.runs.factors(run.id) == (
        FactorRow("schema", "high", "touches a table"),
        FactorRow("surface", None, "adds 500 lines"),
    )
    (entry,) = entries(small_store)
    assert entry.data["risk_factors"] == [
        {"signal": "schema", "kind": "schema_path", "level": "high"},
        {"signal": "surface", "kind": "large", "level": None},
    ]
