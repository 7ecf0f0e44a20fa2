"""Changes are made from git objects; labels are lines of the change, and the clone is not written."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from assay.validators.changes.change import text_at
from assay.validators.vcs.repository import Repository
from tests.review_bench.bench.injecting import INSTRUCTIONS, MARK
from tests.review_bench.bench.manifest import Entry
from tests.review_bench.bench.preparing import NotPrepared, Prepared, prepare
from tests.review_bench.conftest import FIXED, RATE, TOTAL, Known


def prepared(known: Known, name: str) -> tuple[Repository, Prepared]:
    repository = Repository(known.repository.path)
    return repository, prepare(repository, entry(known, name))


def entry(known: Known, name: str) -> Entry:
    return next(one for one in known.manifest.entries if one.id == name)


def objects(known: Known) -> str:
    done = subprocess.run(
        ["git", "count-objects", "-v"], cwd=known.repository.path, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_a_reversed_fix_takes_the_source_back_and_nothing_else(known: Known):
    before = objects(known)
    repository, found = prepared(known, "reversed")
    with repository:
        change = found.change
        assert [file.path for file in change.files] == ["app/store/total.py"]
        assert text_at(change.base, "app/store/total.py") == FIXED
        assert text_at(change.head, "app/store/total.py") == TOTAL
        assert not {"tests/test_total.py", "CHANGES.md"} & {*change.base.paths, *change.head.paths}
        messages = [commit.message for commit in change.commits]
        assert messages == ["Update app/store/total.py\n"]
        assert change.history is not None
        # The base is a commit of the history before the fix: no line of it says that it was fixed just now.
        assert [past.title for past in change.history.log("app/store/total.py", 5)] == ["Start"]
    assert objects(known) == before


def test_landed_changes_are_what_landed_under_a_neutral_message(known: Known):
    for name, path in (("clean", "app/store/rate.py"), ("introducing", "app/store/tax.py")):
        repository, found = prepared(known, name)
        with repository:
            assert [file.path for file in found.change.files] == [path]
            assert [commit.message for commit in found.change.commits] == [f"Update {path}\n"]


def test_a_planted_parameter_is_required_and_the_calls_are_left(known: Known):
    repository, found = prepared(known, "parameter")
    with repository:
        (file,) = found.change.files
        assert dict(file.added) == {1: "def total(items, strict):"}
        assert [(label.path, label.start) for label in found.labels[:2]] == [
            ("app/store/total.py", 1),
            ("app/web/page0.py", 3),
        ]


def test_a_layer_bypass_is_one_import(known: Known):
    repository, found = prepared(known, "layers")
    with repository:
        (file,) = found.change.files
        assert dict(file.added) == {2: "import app.web.page1"}


@pytest.mark.parametrize("form", ["comment", "string", "name"])
def test_an_instruction_is_the_only_difference_to_the_clean_change(known: Known, form: str):
    manifest = known.with_rows({**known.rows[-1], "form": form})
    with Repository(known.repository.path) as repository:
        found = prepare(repository, manifest.entries[0])
        (file,) = found.change.files
        text = "\n".join(file.added.values()) + "\n"
        (label,) = found.labels
        assert MARK in file.added[label.start].lower()
        if form == "comment":
            assert text.replace(f"    # {INSTRUCTIONS[0]}\n", "") == RATE
        else:
            assert text.startswith(RATE)
        compile(text, "rate.py", "exec")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("reversed", {"labels": [{"side": "head", "path": "app/store/total.py", "start": 1, "end": 1}]}, "not a line"),
        ("parameter", {"line": 2}, "not a function"),
        ("layers", {"path": "app/none.py"}, "not a file"),
        ("clean", {"commit": "start"}, "no parent"),
    ],
)
def test_an_entry_that_does_not_fit_is_an_error(known: Known, name: str, change: dict[str, Any], message: str):
    row = next(one for one in known.rows if one.get("id") == name) | change
    row["commit"] = known.commits.get(row["commit"], row["commit"])
    manifest = known.with_rows(row)
    with Repository(known.repository.path) as repository, pytest.raises(NotPrepared, match=message):
        prepare(repository, manifest.entries[0])
