"""Issues that a pull request names by GitHub's closing keywords, or that a task's report names."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.outcomes import report_task, see_pull
from assay.github_app.provenance.linked_issues import MOST_ISSUES, issue_from, issue_url, issues_in_body
from assay.github_app.store import Store
from tests.github_app.remembering import REPOSITORY, START, after, pull

WEB = "https://github.com"


def found(body: str, web_url: str = WEB) -> tuple[str, ...]:
    return issues_in_body(body, "octo/shop", web_url)


@pytest.mark.parametrize("keyword", "close closes closed fix fixes fixed resolve resolves resolved".split())
def test_every_keyword_of_github_links(keyword: str):
    assert found(f"{keyword.upper()}: #12.") == ("octo/shop#12",)
    assert found(f"It {keyword} #12, {keyword} acme/api#7 and {keyword} {WEB}/acme/x.y/issues/3#issuecomment-1") == (
        "octo/shop#12",
        "acme/api#7",
        "acme/x.y#3",
    )


@pytest.mark.parametrize(
    "body",
    [
        "#12",
        "see #12",
        "prefix #12",
        "hot-fix #12",
        "fixes#12",
        "fixes #12abc",
        "fixes #0",
        "fixes 12",
        "fixes\n#12",
        "fixes https://elsewhere.example/octo/shop/issues/12",
        "fixes https://github.com/octo/shop/pull/12",
        "fixes https://github.com.example/octo/shop/issues/12",
        "fixes a/b/c#12",
        "<!-- fixes #12 -->",
        "<!-- fixes #12",
        "```\nfixes #12\n```",
        "`fixes #12`",
    ],
)
def test_nothing_else_links(body: str):
    assert found(body) == ()


def test_an_issue_is_named_once_and_not_without_end():
    assert found(f"fixes #1, fixes Octo/Shop#1, fixes {WEB}/OCTO/shop/issues/1") == ("octo/shop#1",)
    assert len(found(" ".join(f"fixes #{number}" for number in range(1, 99)))) == MOST_ISSUES


def test_addresses_are_those_of_the_same_github():
    body = "fixes https://git.example.com/acme/api/issues/7"
    assert found(body) == ()
    assert found(body, "https://git.example.com") == ("acme/api#7",)
    assert issue_url("acme/api#7", "https://git.example.com") == "https://git.example.com/acme/api/issues/7"


@given(st.text())
def test_whatever_is_found_is_a_plain_reference(text: str):
    for issue in (*found(f"fixes {text}"), *filter(None, [issue_from(text, "octo/shop", WEB)])):
        assert issue_from(issue, "octo/shop", WEB) == issue
        assert not set(issue) & set("<>\"' &?")


@pytest.mark.parametrize("part", ["<!--", "`", "```\n", "fixes ", "fixes #", "fixes " + "a" * 300, "\n~~~"])
def test_a_hostile_description_is_read_quickly(part: str):
    began = time.process_time()
    found(part * (65_536 // len(part)))
    assert time.process_time() - began < 1


def test_the_issues_of_a_description_follow_it_and_those_of_a_report_stay(small_store: Store):
    store = small_store
    row = see_pull(store, REPOSITORY, pull(body="Fixes #3"), START)
    report_task(
        store, _repository(store), "T-1", "a harness", after(), WEB, pr_url=f"{WEB}/octo/shop/pull/7", issues=("#9",)
    )
    assert _issues(store) == ("octo/shop#9", "octo/shop#3")
    see_pull(store, REPOSITORY, pull(body="Fixes #4", updated_at=after(minutes=5)), after(minutes=5))
    assert _issues(store) == ("octo/shop#9", "octo/shop#4")
    assert row.number == 7


def _repository(store: Store):
    row = store.repositories.get(REPOSITORY.id)
    assert row is not None
    return row


def _issues(store: Store) -> tuple[str, ...]:
    row = store.pulls.get(REPOSITORY.id, 7)
    assert row is not None
    return row.issues
