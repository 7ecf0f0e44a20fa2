"""What became of past changes."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.validators.risk.likelihood.kept_past import KeptPast
from assay.validators.risk.likelihood.labels import MOST_FILES, OutcomeFinder, rewritten
from assay.validators.vcs.repository import Repository
from tests.examples import sampled
from tests.validators.risk.likelihood.histories import DAY, START, Commit, history_of, write_history


@pytest.mark.parametrize("seed", sampled(range(30), 3))
def test_owners_are_those_of_git_blame(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    lines = [f"v{at} = {at}" for at in range(30)]
    commits = [Commit({"a.py": "\n".join(lines) + "\n"})]
    for number in range(25):
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(lines) + 1)
            lines[at : at + draw.randint(0, 4)] = [f"n{number}_{draw.random()}" for _ in range(draw.randint(0, 4))]
        if draw.random() < 0.3 and lines:
            at = draw.randrange(len(lines))
            lines[at] = "  " + lines[at]
        commits.append(Commit({"a.py": "\n".join(lines) + "\n"}, day=number))
    ids = write_history(tmp_path / "r.git", commits)
    with Repository(tmp_path / "r.git") as repository:
        past, writers = KeptPast(history_of(repository)), list[str]()
        for change, patch in past.patches(history_of(repository).landed(100)[1:]):
            for file in () if patch is None else patch.files:
                writers = rewritten(writers, file.places, change.sha)
    blame = ["git", "-C", str(tmp_path / "r.git"), "blame", "--first-parent", "-w", "-s", "-l", "main", "--", "a.py"]
    out = subprocess.run(blame, capture_output=True, check=True, text=True).stdout.splitlines()
    expected = [line.split()[0] for line in out]
    known = ["" if sha.startswith("^") or sha == ids[0] else sha for sha in expected]
    assert writers + [""] * (len(lines) - len(writers)) == known


def test_a_fix_names_the_change_that_wrote_its_lines(tmp_path: Path) -> None:
    outcomes = _outcomes(
        tmp_path,
        Commit({"a.py": "x = 1\n"}),
        Commit({"a.py": "x = 1\ny = 2\n"}, "Add y", day=1),
        Commit({"a.py": "x = 1\ny = 2\nz = 3\n"}, "Add z", day=2),
        Commit({"a.py": "x = 1\ny = 4\nz = 3\n"}, "Fix the value of y", day=9),
    )
    assert [one.fixed_at for one in outcomes] == [None, START + 9 * DAY, None, None]


@pytest.mark.parametrize(
    ("line", "message"),
    [("# y is two", "Fix a comment"), ("import y", "Fix an import"), ("", "Fix blank lines"), ("y = 2", "Change y")],
)
def test_these_edits_blame_nobody(tmp_path: Path, line: str, message: str) -> None:
    outcomes = _outcomes(
        tmp_path,
        Commit({"a.py": "x = 1\n"}),
        Commit({"a.py": f"x = 1\n{line}\n"}, "Add a line", day=1),
        Commit({"a.py": "x = 1\n"}, message, day=2),
    )
    assert [one.fixed_at for one in outcomes] == [None, None, None]


def test_a_fix_of_many_files_blames_nobody(tmp_path: Path) -> None:
    names = [f"a{at}.py" for at in range(MOST_FILES + 1)]
    outcomes = _outcomes(
        tmp_path,
        Commit(dict.fromkeys(names, "x = 0\n")),
        Commit(dict.fromkeys(names, "x = 1\n"), "Raise x", day=1),
        Commit(dict.fromkeys(names, "x = 2\n"), "Fix x", day=2),
    )
    assert [one.fixed_at for one in outcomes] == [None, None, None]


def test_a_renamed_file_keeps_its_writers(tmp_path: Path) -> None:
    outcomes = _outcomes(
        tmp_path,
        Commit({"a.py": "x = 1\n"}),
        Commit({"a.py": "x = 1\ny = 2\n"}, "Add y", day=1),
        Commit({"a.py": None, "b.py": "x = 1\ny = 2\n"}, "Move a", day=2),
        Commit({"b.py": "x = 1\ny = 3\n"}, "Bug fix", day=3),
    )
    assert outcomes[1].fixed_at == START + 3 * DAY


def test_a_revert_names_what_it_reverts(tmp_path: Path) -> None:
    start = [Commit({"a.py": "x = 1\n"}), Commit({"a.py": "x = 2\n"}, "Raise x", day=1)]
    ids = write_history(tmp_path / "first.git", start)
    message = f'Revert "Raise x"\n\nThis reverts commit {ids[1]}.\n'
    outcomes = _outcomes(tmp_path, *start, Commit({"a.py": "x = 1\n"}, message, day=5))
    assert [(one.fixed_at, one.reverted_at) for one in outcomes] == [
        (None, None),
        (None, START + 5 * DAY),
        (None, None),
    ]


def test_the_first_fix_counts_and_a_revert_is_none(tmp_path: Path) -> None:
    outcomes = _outcomes(
        tmp_path,
        Commit({"a.py": "x = 1\n"}),
        Commit({"a.py": "x = 1\ny = 2\nz = 3\nw = 4\n"}, "Add y", day=1),
        Commit({"a.py": "x = 1\ny = 2\nz = 3\n"}, 'Revert "Fix w"', day=2),
        Commit({"a.py": "x = 1\ny = 2\nz = 4\n"}, "Fix z", day=3),
        Commit({"a.py": "x = 1\ny = 5\nz = 4\n"}, "Fix y", day=4),
    )
    assert outcomes[1].fixed_at == START + 3 * DAY


class Outcome(NamedTuple):
    fixed_at: int | None
    reverted_at: int | None


def _outcomes(tmp_path: Path, *commits: Commit) -> list[Outcome]:
    write_history(tmp_path / "r.git", commits)
    finder = OutcomeFinder()
    with Repository(tmp_path / "r.git") as repository:
        changes = history_of(repository).landed(100)
        for change, patch in KeptPast(history_of(repository)).patches(changes):
            finder.add(change, None if patch is None else patch.files)
    return [Outcome(finder.fixed_at.get(one.sha), finder.reverted_at.get(one.sha)) for one in changes]
