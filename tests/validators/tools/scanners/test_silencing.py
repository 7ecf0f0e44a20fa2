"""Comments that silence scanners: the base's do, the change's do not."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.tools.scanners.introduced import SILENCED
from assay.validators.tools.scanners.silencing import added_silencers, awake
from tests.repositories import RealRepository
from tests.validators.tools.scanners.changes import Files, changed, said, scanned

QUERY = "def view(request, db):\n    return db.execute('SELECT ' + request.GET['a'])"


def silencers(
    repository: RealRepository, before: Files, after: Files, path: str, gone: Collection[str] = ()
) -> set[int]:
    with changed(repository, before, after, gone) as change:
        return set(added_silencers(change, change.by_path[path]))


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("x = eval(a)\n", "x = eval(a)  # nosec\n", {1}),
        ("", "# nosemgrep: python-mktemp\nx = eval(a)\n", {1}),
        ("x = eval(a)  # nosec\n", "x = eval(b)  # nosec\n", set()),
        ("x = eval(a)  # nosec\n", "y = 1\nx = eval(a)  # nosec\n", set()),
        ("x = eval(a)  # nosec\n", "x = eval(a)  # nosec\nprint(pickle.loads(request.body))  # nosec\n", {2}),
        ("", "x = 'nosec'\n", set()),
        ("", "x = 1  # noqa: E501\n", set()),
        ("", "x = 1  # noqa: S307\ny = 1  # noqa\n", {1, 2}),
    ],
)
def test_a_comment_counts_where_the_base_has_it(
    repository: RealRepository, before: str, after: str, lines: set[int]
) -> None:
    assert silencers(repository, {"a.py": before}, {"a.py": after}, "a.py") == lines


def test_a_line_that_moved_keeps_its_comment_and_a_comment_alone_does_not(repository: RealRepository) -> None:
    before = {"a.py": "x = eval(a)  # nosec\n# nosemgrep\ny = eval(a)\n", "b.py": "z = 1\n"}
    after = {"b.py": "z = 1\nx = eval(a)  # nosec\n# nosemgrep\nw = eval(c)\n"}
    assert silencers(repository, before, after, "b.py", ("a.py",)) == {3}


@given(st.text(st.sampled_from("# nosec:semgrp-/x\t"), max_size=40))
def test_a_line_keeps_its_length_and_its_code(line: str) -> None:
    found = awake(line)
    assert len(found) == len(line)
    assert (
        found.partition("#")[0].partition("//")[0].partition("--")[0]
        == (line.partition("#")[0].partition("//")[0].partition("--")[0])
    )


def test_bandit_and_semgrep_speak_all_the_same(repository: RealRepository) -> None:
    after = {
        "a.py": f"{QUERY}  # nosemgrep\n",
        "b.py": "import os\nos.chmod('/etc/x', 0o777)  # nosec\n",
        "c.py": "import tempfile\nx = tempfile.mktemp()  # noqa: S307\n",
        "d.py": "import tempfile\ny = 1\nx = tempfile.mktemp()  # nosemgrep\n",
    }
    result = scanned(
        repository, {"d.py": "import tempfile\nx = tempfile.mktemp()  # nosemgrep\n"}, after, only=("semgrep", "bandit")
    )
    assert sorted(said(result)) == [
        "a.py:2 error python-sql-from-request",
        "b.py:2 warning B103",
        "c.py:2 warning python-mktemp",
    ]
    assert all(finding.message.startswith(SILENCED) for finding in result.findings)


def test_a_migration_and_a_workflow_cannot_silence_their_scanner(repository: RealRepository) -> None:
    workflow = "on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: true\n"
    after = {
        "migrations/2.sql": "-- squawk-ignore-file\nDROP TABLE users;\n",
        ".github/workflows/a.yml": workflow.replace("_target\n", "_target # zizmor: ignore[dangerous-triggers]\n"),
    }
    result = scanned(repository, {"migrations/1.sql": "SELECT 1;\n"}, after, only=("squawk", "zizmor"))
    assert {(finding.file, finding.rule) for finding in result.findings if finding.message.startswith(SILENCED)} == {
        ("migrations/2.sql", "ban-drop-table"),
        (".github/workflows/a.yml", "dangerous-triggers"),
    }
