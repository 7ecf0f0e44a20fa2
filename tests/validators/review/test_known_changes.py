"""Demonstrations on changes of public repositories: bugs with right and wrong tests, and intended changes.

`ASSAY_BENCH_REPOSITORIES_DIR` is a folder with clones named as in the manifest of the bench.

    ASSAY_BENCH_REPOSITORIES_DIR=/clones make soak PYTEST_ARGS="-k known_changes -s"
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from assay.llm import AnthropicModel, Budget
from assay.validators.changes.change import ChangeSet, decoded, text_at
from assay.validators.changes.classify import Nature
from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import Finding, Severity, ToolsResult, ValidationReport
from assay.validators.run.pipeline import Options, validate
from assay.validators.tools import trials as trials_module
from assay.validators.vcs.repository import Repository
from tests.fakes.model import FakeModel
from tests.review_bench.bench.manifest import Clean, Entry, Kind, ReversedFix, load_manifest
from tests.review_bench.bench.preparing import Prepared, prepare
from tests.review_bench.fixes import MOST_LINES, changed_tests, labels_of, with_tests
from tests.review_bench.reviewers import Oracle

FOLDER = os.environ.get("ASSAY_BENCH_REPOSITORIES_DIR", "")
WANTED = int(os.environ.get("ASSAY_BENCH_WANTED", "20"))
PROJECTS = ("click", "werkzeug", "packaging", "sqlparse", "more-itertools", "marshmallow")
"""Projects whose tests the default set-up can run here."""
MOST_READ = 400
"""Commits of a project among which intended changes are looked for."""
CONFIG = ValidationConfig.model_validate(
    {"tier1": {"commands": ["python -m pytest -q"]}, "tier2": {"review": {"demonstrate": True}}}
)
pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(3 * 3600),
    pytest.mark.skipif(not FOLDER, reason="ASSAY_BENCH_REPOSITORIES_DIR names no folder"),
]


@pytest.fixture(autouse=True)
def whole_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with the tests of a fix stands in for a generated test, and may be longer."""
    monkeypatch.setattr(trials_module, "LARGEST_BYTES", 1_000_000)


class Scripted(Oracle):
    """A reviewer that claims one fault at each place of a change, and writes a given test."""

    def __init__(self, entry: Entry, prepared: Prepared, test: str, expectation: Mapping[str, str] | None) -> None:
        super().__init__([entry], Path(FOLDER))
        self.known = prepared
        self.test = test
        self.expectation = expectation

    def prepared(self) -> Prepared:
        return self.known

    def claims(self, prepared: Prepared) -> list[dict[str, Any]]:
        return self.quoted(prepared)[:1]


def reviewed(
    entry: Entry, prepared: Prepared, test: str, expectation: Mapping[str, str] | None = None
) -> ValidationReport:
    """The report about a change, through the whole pipeline and the real client."""
    reviewer = Scripted(entry, prepared, test, expectation)
    with (
        FakeModel(answers=reviewer) as server,
        AnthropicModel("claude-haiku-5-5", api_key="k", base_url=server.url, budget=Budget(max_usd=1e6)) as model,
    ):
        return validate(prepared.change, CONFIG, Options(model=model, run_tools=lambda *_, **__: ToolsResult()))


def of_review(report: ValidationReport) -> list[Finding]:
    return [one for one in report.findings if one.rule.startswith("review.")]


def drops(report: ValidationReport) -> Counter[str]:
    assert report.review is not None
    return Counter({one.reason: one.count for one in report.review.dropped if one.count})


def is_demonstrated(report: ValidationReport) -> bool:
    assert report.review is not None
    return bool(report.review.demonstrations)


def wrong_tests(right: str, path: str) -> Sequence[tuple[str, str]]:
    """Wrong tests of a file: what they do, and their text."""
    stem = path.rpartition("/")[2].partition(".")[0]
    return (
        ("passes on the head", f"def test_{stem}():\n    assert 6 * 7 == 42\n"),
        ("fails on the base too", f"{right}\n\ndef test_{stem}_of_nothing():\n    assert 6 * 7 == 41\n"),
        (
            "depends on the folder",
            f"import os\n\n\ndef test_{stem}():\n    assert '/head' not in os.path.abspath('.')\n",
        ),
        ("cannot be imported", f"import nothing_of_this_name\n\n\ndef test_{stem}():\n    assert 6 * 7 == 41\n"),
    )


def bugs() -> Iterator[ReversedFix]:
    """Reversed fixes of the manifest, from each project in turn."""
    mine = [one for one in load_manifest().entries if isinstance(one, ReversedFix) and one.verified]
    yield from (one for one in mine if one.repository in PROJECTS and Path(FOLDER, one.repository).exists())


def test_known_changes_with_a_bug_are_demonstrated_by_right_tests_alone():
    rows: list[tuple[str, ...]] = []
    num_rejected = 0
    for entry in bugs():
        if len(rows) == WANTED:
            break
        with Repository(Path(FOLDER, entry.repository)) as repository:
            prepared = prepare(repository, entry)
            path = entry.tests[0]
            right = with_tests(decoded(repository.tree(entry.commit).read(path) or b""), path, entry.shown_by)
            report = reviewed(entry, prepared, right)
            if not is_demonstrated(report):
                print(entry.id, "not demonstrated", drops(report), [one.message for one in of_review(report)])
                continue
            assert [one.severity for one in of_review(report)] == [Severity.warning]
            kinds = wrong_tests(right, entry.sources[0])
            kind, wrong = kinds[len(rows) % len(kinds)]
            report = reviewed(entry, prepared, wrong)
            is_rejected = not is_demonstrated(report) and Severity.error not in [
                one.severity for one in of_review(report)
            ]
            num_rejected += is_rejected
            rows.append((entry.id, kind, "rejected" if is_rejected else "DEMONSTRATED", str(dict(drops(report)))))
            print(*rows[-1], flush=True)
    table = Table("bug, demonstrated by its test", "wrong test", "outcome", "dropped", title="known bugs")
    for row in rows:
        table.add_row(*row)
    Console(width=140).print(table)
    assert len(rows) == WANTED
    assert num_rejected == WANTED


def test_known_changes_of_behaviour_are_no_errors():
    rows: list[tuple[str, ...]] = []
    for entry, path, old in intended_changes():
        if len(rows) == WANTED:
            break
        with Repository(Path(FOLDER, entry.repository)) as repository:
            landed = prepare(repository, entry)
            labels = tuple(labels_of(landed.change))
            prepared = Prepared(landed.change, tuple(one for one in labels if one.path.endswith(".py")))
            report = reviewed(entry, prepared, old, any_mention(landed.change, old))
            found = of_review(report)
            if not is_demonstrated(report) and not drops(report)["intended"]:
                print(entry.id, "not usable", drops(report), [one.message for one in found], flush=True)
                continue
            outcome = ", ".join(str(one.severity) for one in found) or "no finding"
            rows.append((entry.id, path, outcome, str(dict(drops(report)))))
            print(*rows[-1], flush=True)
    table = Table("intended change", "its test of before", "outcome", "dropped", title="intended changes")
    for row in rows:
        table.add_row(*row)
    Console(width=140).print(table)
    assert len(rows) == WANTED
    assert not [row for row in rows if "error" in row[2]]


def intended_changes() -> Iterator[tuple[Clean, str, str]]:
    """Landed changes that edit existing tests with a little source, with those tests as they were before."""
    each = [_edited(name) for name in PROJECTS if Path(FOLDER, name).exists()]
    for group in zip_longest(*each):
        yield from (one for one in group if one is not None)


def _edited(name: str) -> Iterator[tuple[Clean, str, str]]:
    with Repository(Path(FOLDER, name)) as repository:
        log = repository.good("log", "--no-merges", "--format=%H", "-n", str(MOST_READ), repository.resolve("HEAD"))
        for sha in islice(log.decode().split(), MOST_READ):
            parent = repository.parent_of(sha)
            if parent is None:
                continue
            entry = Clean(id=f"{name}-{sha[:10]}", kind=Kind.clean, repository=name, commit=sha)
            change = prepare(repository, entry).change
            sources = [one for one in change.files if one.nature is Nature.source and one.path.endswith(".py")]
            tests = [one for one in change.files if one.nature is Nature.test and one.base_path == one.path]
            size = sum(len(one.added) + len(one.removed) for one in sources)
            if not sources or len(tests) != 1 or not 0 < size <= MOST_LINES or not re.search("test", tests[0].path):
                continue
            path = tests[0].path
            edited = list(changed_tests(repository, sha, parent, path)) if path.endswith(".py") else []
            if edited:
                yield entry, path, with_tests(text_at(change.base, path), path, edited)


def any_mention(change: ChangeSet, test: str) -> Mapping[str, str] | None:
    """A line of an untouched document or test that names what the test calls, as a careless model would quote it."""
    touched = {path for file in change.files for path in (file.path, file.base_path)}
    names = {name for file in change.files for line in file.added.values() for name in re.findall(r"\w{5,}", line)}
    names &= set(re.findall(r"\w{5,}", test))
    for path in change.base.paths:
        if path in touched or change.nature_of(path) not in (Nature.docs, Nature.test):
            continue
        for line in text_at(change.base, path).split("\n"):
            if len(line.strip()) > 12 and names & set(re.findall(r"\w{5,}", line)):
                return {"path": path, "quote": line}
    return None
