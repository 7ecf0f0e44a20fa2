"""What was known of files before a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from assay.validators.changes.landed import LandedChange, TouchedFile
from assay.validators.risk.likelihood.kept_past import KeptPast, PatchedFile, PatchFacts
from assay.validators.risk.likelihood.past import DAY_S, FileHistory, PastChanges, is_fix, is_ordinary, reverted_by
from assay.validators.risk.likelihood.replay import Replay
from assay.validators.risk.likelihood.text_measures import TextMeasures

NOW = 1_000 * DAY_S


class Patched(KeptPast):
    """A past in which every change has a patch of one file."""

    def __init__(self) -> None:
        pass

    def patches(self, changes: Sequence[LandedChange]) -> Iterator[tuple[LandedChange, PatchFacts | None]]:
        for change in changes:
            yield change, PatchFacts(TextMeasures(), (PatchedFile("shop/a.py", "shop/a.py", ()),))


def _change(message: str, day: float, *paths: str, author: str = "ada@example.org") -> LandedChange:
    files = tuple(TouchedFile(path, path, True, ()) for path in paths)
    return LandedChange("a" * 40, ("b" * 40,), int(day * DAY_S), author, message, files)


def _before(
    *changes: LandedChange, paths: tuple[str, ...] = ("shop/a.py",), author: str = "bo@example.org"
) -> FileHistory:
    past = PastChanges()
    for change in changes:
        past.add(change, change.files)
    return past.before(paths, author, NOW)


def test_fixes_of_the_past_year_count() -> None:
    changes = [_change("Fix a", day, "shop/a.py") for day in (630, 640, 900)]
    assert _before(*changes).fixes == 2
    assert _before(_change("Add a", 900, "shop/a.py")).fixes == 0
    assert _before(_change("Fix b", 900, "shop/b.py")).fixes == 0


def test_activity_is_that_of_the_busiest_part_in_a_month() -> None:
    changes = [_change("Change", day, "shop/b.py", "shop/c.py") for day in (960, 975, 990)]
    changes.append(_change("Change", 999, "web/x/y/z/a.ts"))
    assert _before(*changes).activity == 2
    assert _before(*changes, paths=("web/x/y/b.ts", "shop/a.py")).activity == 2
    assert _before(*changes, paths=("web/x/y/b.ts",)).activity == 1
    assert _before(*changes, paths=("docs/a.py",)).activity == 0


def test_a_revert_is_remembered_for_a_year() -> None:
    assert _before(_change('Revert "Add a"', 700, "shop/a.py")).was_reverted
    assert not _before(_change('Revert "Add a"', 600, "shop/a.py")).was_reverted
    assert not _before(_change("Add a", 999, "shop/a.py")).was_reverted


def test_an_author_is_new_to_files_they_did_not_change_this_year() -> None:
    assert _before(_change("Add a", 999, "shop/a.py")).is_new_author
    assert not _before(_change("Add a", 999, "shop/a.py", author="bo@example.org")).is_new_author
    assert _before(_change("Add a", 600, "shop/a.py", author="bo@example.org")).is_new_author


def test_a_renamed_file_keeps_its_history() -> None:
    past = PastChanges()
    past.add(_change("Fix a", 990, "shop/a.py"), [TouchedFile("shop/a.py", "shop/a.py", True, ())])
    past.add(_change("Move a", 995), [TouchedFile("shop/b.py", "shop/a.py", True, ())])
    assert past.before(["shop/b.py"], "bo@example.org", NOW).fixes == 1


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Fix the total", True),
        ("fixed: a crash of the cart (#7)", True),
        ("Bug-fix of the cart", True),
        ("Add a prefix", False),
        ("Run modernize -fix ./...", False),
        ("Change the cart\n\nCloses-Bug: #123", True),
        ("Change the cart\n\nThis fixes nothing else", False),
    ],
)
def test_a_fix_says_so(message: str, expected: bool) -> None:
    assert is_fix(_change(message, 1)) is expected


@pytest.mark.parametrize(
    ("message", "author", "expected"),
    [
        ("Add a cart", "ada@example.org", True),
        ("Add a cart", "198982749+copilot@users.noreply.github.com", True),
        ("Bump x from 1 to 2", "49699333+dependabot[bot]@users.noreply.github.com", False),
        ('Revert "Add a cart"', "ada@example.org", False),
        ("Release 1.2", "ada@example.org", False),
        ("v1.2.0", "ada@example.org", False),
    ],
)
def test_ordinary_changes_are_compared_with(message: str, author: str, expected: bool) -> None:
    change = _change(message, 1, "shop/a.py", author=author)
    assert is_ordinary(change) is expected
    replay = Replay()
    replay.run([change], Patched())
    assert [one.is_ordinary for one in replay.scored()] == [expected]
    assert len(replay.scorer) == int(expected)


def test_reverted_commits_are_named_in_the_body() -> None:
    assert reverted_by(_change("Revert it\n\nThis reverts commit 1234567890ab.", 1)) == ["1234567890ab"]
