"""The newest truth about a pull request stands, whatever order the news came in."""

from __future__ import annotations

from itertools import permutations

from assay.github.events.model import RepositoryFacts
from assay.github_app.store import DeclaredBy, Store
from tests.github_app.remembering import AUTHOR, REPOSITORY, after, merged, pull, sha


def test_an_older_description_changes_nothing_but_the_list_of_heads(store: Store):
    store.pulls.see(pull(head_sha=sha("b"), title="New", updated_at=after(minutes=5)), REPOSITORY, after())
    row = store.pulls.see(pull(title="Old"), REPOSITORY, after(minutes=9))
    assert (row.title, row.head_sha) == ("New", sha("b"))
    assert [head.sha for head in store.pulls.heads(5, 7)] == [sha("a"), sha("b")]


def test_heads_pushed_within_one_second_are_put_in_order_by_what_each_followed(small_store: Store):
    """Every order of arrival gives the last one, though nothing but `before` tells it."""
    pushes = [(sha("a"), None), (sha("c"), sha("a")), (sha("b"), sha("c")), (sha("d"), sha("b"))]
    for number, order in enumerate(permutations(pushes)):
        for head, before in order:
            facts = pull(number=number + 100, head_sha=head, title=f"at {head[0]}")
            small_store.pulls.see(facts, REPOSITORY, after(), before=before)
        row = small_store.pulls.get(5, number + 100)
        assert row is not None
        assert (row.head_sha, row.title) == (sha("d"), "at d")
        assert [head.sha[0] for head in small_store.pulls.heads(5, number + 100)] == ["a", "c", "b", "d"]


def test_a_merge_in_the_same_second_as_a_label_is_the_last_word(store: Store):
    store.pulls.see(merged(after()), REPOSITORY, after())
    row = store.pulls.see(pull(labels=("late",)), REPOSITORY, after(minutes=1))
    assert row.is_merged
    assert row.labels == ()


def test_who_merged_is_not_lost_by_a_short_description(store: Store):
    store.pulls.see(merged(after()), REPOSITORY, after())
    row = store.pulls.see(merged(after(minutes=1), merged_by=None), REPOSITORY, after(minutes=1))
    assert (row.merged_by, row.updated_at) == ("bo", after(minutes=1))


def test_a_head_that_comes_back_is_the_head_again(store: Store):
    for minute, head in enumerate("aba"):
        row = store.pulls.see(pull(head_sha=sha(head), updated_at=after(minutes=minute)), REPOSITORY, after())
    assert row.head_sha == sha("a")
    assert len(store.pulls.heads(5, 7)) == 2


def test_the_first_push_is_the_head_at_opening(store: Store):
    store.pulls.see(pull(head_sha=sha("b"), updated_at=after(minutes=1)), REPOSITORY, after(), action="synchronize")
    row = store.pulls.see(pull(), REPOSITORY, after(), action="opened")
    assert row.first_push_head == sha("a")


def test_the_first_push_of_a_draft_is_the_head_when_it_was_first_ready(store: Store):
    opened = store.pulls.see(pull(is_draft=True), REPOSITORY, after(), action="opened")
    assert opened.first_push_head is None
    for minute, head in ((9, "c"), (4, "b")):
        facts = pull(head_sha=sha(head), updated_at=after(minutes=minute))
        row = store.pulls.see(facts, REPOSITORY, after(), action="ready_for_review")
    assert row.first_push_head == sha("b")


def test_a_comment_on_an_unseen_pull_request_makes_no_pull_request(store: Store):
    store.pulls.pause(5, 7, "bo", after())
    assert store.pulls.get(5, 7) is None
    assert store.pulls.see(pull(), REPOSITORY, after()).is_paused


def test_open_pull_requests_without_a_run_are_found(store: Store):
    for number in range(1, 6):
        store.pulls.see(pull(number=number, updated_at=after(seconds=number)), REPOSITORY, after())
    store.runs.begin(5, 1, sha("a"), "opened", after())
    store.pulls.pause(5, 2, "bo", after())
    store.pulls.see(pull(number=3, state="closed", updated_at=after(minutes=1)), REPOSITORY, after())
    store.runs.begin(5, 4, sha("9"), "opened", after())
    assert [row.number for row in store.pulls.open_without_run()] == [4, 5]
    assert store.pulls.resume(5, 2)
    assert not store.pulls.resume(5, 2)
    store.repositories.remove(REPOSITORY, 1, after(days=1))
    assert store.pulls.open_without_run() == ()


def test_a_surer_guess_stays(store: Store):
    store.pulls.see(pull(), REPOSITORY, after())
    store.pulls.set_agent(5, 7, "codex", 0.9, ["branch"], after())
    store.pulls.set_agent(5, 7, "devin", 0.6, ["label"], after())
    row = store.pulls.get(5, 7)
    assert row is not None
    assert (row.agent, row.agent_confidence, row.agent_signals) == ("codex", 0.9, ("branch",))


def test_of_several_declarations_the_strongest_source_counts(store: Store):
    store.pulls.see(pull(), REPOSITORY, after())
    store.pulls.declare(5, 7, DeclaredBy.files, after(), prompt_version="f00d")
    store.pulls.declare(5, 7, DeclaredBy.trailer, after(), task_id="T1", prompt_version="v7")
    store.pulls.declare(5, 7, DeclaredBy.body, after(), task_id="T2", model="m1", prompt_version="v8")
    row = store.pulls.get(5, 7)
    assert row is not None
    assert (row.task_id, row.model, row.prompt_version) == ("T1", "m1", "v7")
    assert row.prompt_version_source == "trailer"
    store.pulls.declare(5, 7, DeclaredBy.trailer, after())
    row = store.pulls.get(5, 7)
    assert row is not None
    assert (row.task_id, row.prompt_version, row.prompt_version_source) == ("T2", "v8", "body")


def test_pull_requests_are_found_by_head_and_by_merge_commit(store: Store):
    fork = RepositoryFacts(77, "mallory/shop")
    store.pulls.see(pull(head_repository=fork), REPOSITORY, after())
    store.pulls.see(merged(after(days=2), number=8, head_sha=sha("b")), REPOSITORY, after())
    (found,) = store.pulls.with_head(5, sha("a"))
    assert (found.number, found.is_fork, found.author) == (7, True, AUTHOR.login)
    for name in (sha("e"), "eeeeeee", "bbbbbbbb"):
        assert [row.number for row in store.pulls.merged_as(5, name)] == [8]
    assert store.pulls.merged_as(5, "e_eeeee") == ()
    assert [row.number for row in store.pulls.quiet_since(after(days=1))] == [7]


def test_a_repository_keeps_its_id_through_a_new_name_and_its_branch_through_short_facts(store: Store):
    store.repositories.see(RepositoryFacts(5, "octo/shop", "develop"), 42, after())
    store.repositories.put(RepositoryFacts(5, "octo/store"), 42, after(minutes=1))
    row = store.repositories.named("OCTO/Store")
    assert row is not None
    assert (row.id, row.default_branch, row.installation_id) == (5, "develop", 42)
    assert store.repositories.named("octo/shop") is None


def test_repositories_of_a_suspended_or_removed_installation_are_left_alone(store: Store):
    store.installations.put(42, "octo", after())
    store.repositories.put(REPOSITORY, 42, after())
    store.repositories.put(RepositoryFacts(6, "octo/old", is_archived=True), 42, after())
    assert [row.id for row in store.repositories.active()] == [5]
    store.installations.suspend(42, "octo", after(minutes=2))
    store.installations.put(42, "octo", after(minutes=1))
    assert store.repositories.active() == ()
    store.installations.put(42, "octo", after(minutes=3))
    assert [row.id for row in store.repositories.active()] == [5]
    assert [row.id for row in store.installations.active()] == [42]
    store.repositories.remove(REPOSITORY, 42, after(minutes=4))
    store.repositories.put(REPOSITORY, 42, after(minutes=3))
    assert store.repositories.active() == ()
