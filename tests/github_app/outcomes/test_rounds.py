"""Review rounds: a review with findings by a person, a new push, and a review or the merge."""

from __future__ import annotations

import pytest

from assay.github.events.model import Person
from assay.github_app.outcomes import record, rounds
from assay.github_app.store import Store
from tests.examples import sampled
from tests.github_app.outcomes.telling import commented, pulled, reviewed
from tests.github_app.remembering import AUTHOR, REVIEWER, after, line_comment, merged, pull, review, sha

BOT = Person("lint[bot]", 5, "Bot")


def play(store: Store, story: str) -> list[str]:
    """Tell a story, a letter a minute; what closed each round.

    p push, n a review that requests changes, y an approval, c a comment on a line, r a reply on a line, m merge,
    B a bot's "request changes", A one by the author himself.
    """
    record(pulled("opened", pull()), store, after())
    head = sha("a")
    for minute, letter in enumerate(story, 1):
        at = after(minutes=minute)
        head = f"{minute:040x}" if letter == "p" else head
        now = pull(head_sha=head, updated_at=at)
        if letter == "p":
            record(pulled("synchronize", now), store, at)
        elif letter == "m":
            record(pulled("closed", merged(at, head_sha=head)), store, at)
        elif letter in "cr":
            record(reviewed(now, review(minute, "commented", at)), store, at)
            reply = 3 if letter == "r" else None
            comment = line_comment(minute, at, review_id=minute, in_reply_to=reply)
            record(commented(now, comment), store, at)
        else:
            by = {"B": BOT, "A": AUTHOR}.get(letter, REVIEWER)
            state = "approved" if letter == "y" else "changes_requested"
            record(reviewed(now, review(minute, state, at, by)), store, at)
    return [one.closed_by for one in rounds(store, 5, 7)]


@pytest.mark.parametrize(
    ("story", "closed_by"),
    sampled(
        [
            ("m", []),
            ("ym", []),
            ("pm", []),
            ("npym", ["review"]),
            ("npm", ["merge"]),
            ("np", []),
            ("nm", []),
            ("nnpym", ["review"]),
            ("nppym", ["review"]),
            ("npnpym", ["review", "review"]),
            ("cpym", ["review"]),
            ("rpym", []),
            ("ypm", []),
            ("Bpym", []),
            ("Apym", []),
        ],
        7,
    ),
)
def test_rounds_are_counted_as_defined(small_store: Store, story: str, closed_by: list[str]):
    assert play(small_store, story) == closed_by


def test_a_round_says_who_asked_and_when(small_store: Store):
    play(small_store, "npy")
    (one,) = rounds(small_store, 5, 7)
    assert (one.reviewer, one.asked_at, one.pushed_at, one.closed_at) == (
        "bo",
        after(minutes=1),
        after(minutes=2),
        after(minutes=3),
    )


def test_a_pull_request_nobody_saw_has_no_rounds(small_store: Store):
    assert rounds(small_store, 5, 99) == ()
