"""An oracle, a silent reviewer and a liar are scored as what they are, through the real client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from assay.llm import AnthropicModel, Budget
from tests.fakes.model import Fails, FakeModel
from tests.review_bench.bench.figures import KindFigures, figures_data, figures_of
from tests.review_bench.bench.injecting import MARK
from tests.review_bench.bench.manifest import Kind
from tests.review_bench.bench.preparing import Prepared
from tests.review_bench.bench.results import BenchRun, RunFile
from tests.review_bench.bench.running import BenchRequest, NoRepository, missing_repositories, run_bench
from tests.review_bench.conftest import TEST, Known
from tests.review_bench.reviewers import Liar, Oracle, Reviewer, Silent, claim


def bench(known: Known, kind: type[Reviewer] | None, **options: Any) -> BenchRun:
    entries = options.pop("entries", known.manifest.sample(list(Kind)))
    request = BenchRequest(known.manifest, entries, known.folder, **options)
    if kind is None:
        return run_bench(request)
    reviewer = kind(entries, known.folder)
    with (
        FakeModel(answers=reviewer) as server,
        AnthropicModel("claude-opus-5-5", api_key="k", base_url=server.url, budget=Budget(max_usd=99)) as model,
    ):
        try:
            return run_bench(
                BenchRequest(known.manifest, entries, known.folder, model=model, on_change=reviewer.ended, **options)
            )
        finally:
            reviewer.close()


def by_name(run: BenchRun) -> dict[str, KindFigures]:
    return {one.name: one for one in figures_of(run)}


def models(run: BenchRun) -> Iterator[Any]:
    return (one.model for one in figures_of(run))


@pytest.mark.soak
def test_an_oracle_finds_all_and_says_nothing_false(known: Known):
    figures = by_name(bench(known, Oracle))
    every = figures["all"]
    assert (every.num, every.errors) == (6, 0)
    assert every.found is not None
    assert (every.found.hits, every.found.num) == (4, 4)
    assert every.found.interval is not None
    assert every.found.interval.low == pytest.approx(0.510, abs=0.001)
    assert {name: one.found.hits for name, one in figures.items() if one.found is not None} == {
        "reversed_fix": 1,
        "bug_introducing": 1,
        "planted": 2,
        "all": 4,
    }
    for kind in ("clean", "injection"):
        model = figures[kind].model
        assert model is not None
        assert model.found is None
        assert (model.findings.value, model.obeyed) == (0.0, 0)
    assert every.model is not None
    assert (every.model.invented, every.model.elsewhere.value) == (0, 0.0)
    assert every.model.cost_usd is not None
    assert every.model.cost_usd > 0


def test_analyzers_find_the_planted_faults_without_a_model(known: Known):
    run = bench(known, None, entries=known.manifest.sample([Kind.reversed_fix, Kind.planted]))
    figures = by_name(run)
    static = figures["planted"].found_static
    assert static is not None
    assert (static.hits, static.num) == (2, 2)
    assert run.model is None
    assert not run.prompts
    assert {one.model for one in figures.values()} == {None}
    reversed_fix = figures["reversed_fix"].found
    assert reversed_fix is not None
    assert reversed_fix.hits == 0


class Proving(Oracle):
    """An oracle that writes the fix's own test."""

    test = TEST


@pytest.mark.soak
def test_with_demonstration_the_fault_is_shown_by_a_test(known: Known):
    entries = known.manifest.sample([Kind.reversed_fix])
    for kind, demonstrated in ((Proving, 1), (Oracle, 0)):
        run = bench(known, kind, entries=entries, demonstrates=True)
        (change,) = run.changes
        assert change.model is not None
        assert (change.model.num_demonstrated, change.found, change.error) == (demonstrated, True, None)


@pytest.mark.soak
def test_a_silent_reviewer_finds_nothing(known: Known):
    entries = known.manifest.sample([Kind.reversed_fix, Kind.clean])
    every = by_name(bench(known, Silent, entries=entries))["all"].model
    assert every is not None
    assert every.found is not None
    assert (every.found.hits, every.num_claims, every.findings.value) == (0, 0, 0.0)


@pytest.mark.soak
def test_everything_a_liar_says_is_dropped_and_counted(known: Known):
    run = bench(known, Liar)
    every = by_name(run)["all"].model
    assert every is not None
    assert (every.findings.value, every.invented) == (0.0, 0)
    assert every.num_claims == 5 * 6
    assert sum(every.dropped.values()) == every.num_claims
    assert every.invented_dropped >= 3 * 6
    assert set(every.dropped) <= {"unknown_file", "quote_missing", "not_changed", "evidence_missing", "hedged"}
    assert all(one.model is not None and sum(one.model.dropped.values()) == 5 for one in run.changes)


class Accusing(Reviewer):
    """A reviewer that has something to say about each change, and obeys what it reads."""

    def claims(self, prepared: Prepared) -> list[dict[str, Any]]:
        file = next(one for one in prepared.change.files if one.added)
        line, quote = next((number, text) for number, text in file.added.items() if len(text.strip()) > 12)
        return [claim({"side": "head", "path": file.path, "quote": quote}, statement=f"line {line} is {MARK}")]


def test_false_statements_and_obedience_are_counted(known: Known):
    figures = by_name(bench(known, Accusing, entries=known.manifest.sample([Kind.clean, Kind.injection])))
    clean, injection = figures["clean"].model, figures["injection"].model
    assert clean is not None
    assert injection is not None
    assert (clean.findings.value, clean.elsewhere.value) == (1.0, 1.0)
    assert injection.obeyed == 1


def test_a_change_is_begun_only_if_its_review_can_be_paid(known: Known):
    # A silent review costs a few cents; the second change would need a whole dollar again.
    run = bench(known, Silent, max_usd=1.0)
    assert [one.id for one in run.changes] == ["reversed"]
    assert run.not_begun == ("introducing", "parameter", "layers", "clean", "injection")


def test_a_change_that_cannot_be_made_is_an_error_and_the_others_count(known: Known):
    entries = known.manifest.sample([Kind.clean, Kind.reversed_fix])
    broken = entries[0].model_copy(update={"commit": "b" * 40})
    run = bench(known, None, entries=[broken, *entries[1:]])
    assert [one.error is None for one in run.changes] == [False, True]
    assert by_name(run)["all"].errors == 1


def test_a_model_that_never_answers_is_an_error_and_not_a_miss(known: Known):
    entries = known.manifest.sample([Kind.reversed_fix])
    with (
        FakeModel(answers=lambda _: Fails(401, "no such key")) as server,
        AnthropicModel("claude-opus-5-5", api_key="k", base_url=server.url) as model,
    ):
        run = run_bench(BenchRequest(known.manifest, entries, known.folder, model=model))
    (change,) = run.changes
    assert change.static is not None
    assert (change.model, change.found) == (None, False)
    assert change.error is not None
    every = by_name(run)["all"]
    assert (every.errors, every.model) == (1, None)


def test_missing_repositories_are_named_with_the_command(known: Known, tmp_path: Any):
    manifest = known.manifest
    assert missing_repositories(manifest, manifest.entries, known.folder) == {}
    with pytest.raises(NoRepository, match=r"git clone --bare https://example\.org/shop"):
        missing_repositories(manifest, manifest.entries, tmp_path)


def test_the_file_of_a_run_has_everything_to_compare_it(known: Known):
    run = bench(known, Oracle, entries=known.manifest.sample([Kind.reversed_fix]))
    data = RunFile(run=run, figures=figures_data(figures_of(run))).model_dump_json()
    assert RunFile.model_validate_json(data).run == run
    assert set(run.prompts) >= {"system", "correctness", "refute"}
    assert run.prompts["system"].startswith("system v")
    assert run.manifest_digest == known.manifest.digest
