"""Reviews, comments and threads stand as GitHub last described them."""

from __future__ import annotations

from itertools import permutations

from assay.github.events.model import Person
from assay.github_app.store import Store
from tests.github_app.remembering import AUTHOR, after, line_comment, review


def test_a_dismissal_is_never_undone_and_what_was_said_first_is_known(small_store: Store):
    said = review(1, "changes_requested", after())
    gone = review(1, "dismissed", after())
    for number, order in enumerate(permutations([(said, 0), (gone, 5), (said, 9)])):
        for facts, minute in order:
            small_store.reviews.put_review(number, 7, facts, after(), version_at=after(minutes=minute))
        (row,) = small_store.reviews.reviews(number, 7)
        assert (row.state, row.first_state) == ("dismissed", "changes_requested")


def test_only_a_review_that_is_new_is_said_to_be(store: Store):
    said = review(1, "changes_requested", after())
    kept = [store.reviews.put_review(5, 7, said, after(), version_at=after(minutes=minute)) for minute in (5, 5, 1)]
    assert kept == [True, False, False]


def test_an_edited_comment_keeps_its_newest_words(store: Store):
    new = line_comment(1, after(), body="new", updated_at=after(minutes=5))
    assert store.reviews.put_comment(5, 7, new, after(), pull_author=AUTHOR)
    assert not store.reviews.put_comment(5, 7, line_comment(1, after(), body="old"), after(), pull_author=AUTHOR)
    (row,) = store.reviews.comments(5, 7)
    assert (row.body, row.kind, row.path, row.line, row.is_by_pull_author) == ("new", "line", "hats.py", 3, False)


def test_a_deleted_comment_loses_its_words_and_does_not_come_back(store: Store):
    store.reviews.put_comment(5, 7, line_comment(1, after(), path=None), after(), is_deleted=True)
    store.reviews.put_comment(5, 7, line_comment(1, after(), path=None, updated_at=after(days=1)), after())
    assert store.reviews.comments(5, 7) == ()


def test_bots_and_apps_are_told_from_people(store: Store):
    bot = Person("dependabot[bot]", 1, "Bot")
    store.reviews.put_comment(5, 7, line_comment(1, after(), author=bot), after())
    store.reviews.put_comment(5, 7, line_comment(2, after(), app_id=3), after())
    store.reviews.put_comment(5, 7, line_comment(3, after(), author=AUTHOR), after(), pull_author=AUTHOR)
    assert [row.comment_id for row in store.reviews.comments(5, 7, of_people=True)] == [3]
    assert [row.is_by_pull_author for row in store.reviews.comments(5, 7)] == [False, False, True]


def test_a_comment_on_a_line_and_one_in_the_conversation_may_share_an_id(store: Store):
    store.reviews.put_comment(5, 7, line_comment(1, after()), after())
    store.reviews.put_comment(5, 7, line_comment(1, after(), path=None), after())
    assert {row.kind for row in store.reviews.comments(5, 7)} == {"line", "conversation"}


def test_a_thread_stands_as_it_was_last_left(small_store: Store):
    steps = [(True, 1), (False, 2), (True, 3)]
    for number, order in enumerate(permutations(steps)):
        for is_resolved, minute in order:
            ids = (10 + minute, 11)
            small_store.reviews.put_thread(number, 7, "T", ids, after(minutes=minute), is_resolved=is_resolved)
        (row,) = small_store.reviews.threads(number, 7)
        assert (row.is_resolved, row.changed_at, row.comment_ids) == (True, after(minutes=3), (11, 12, 13))
        assert row.root_comment_id == 11
