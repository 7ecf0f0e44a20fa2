"""What a job is to validate, by the event that started it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.action.environment.inputs import Inputs, WhichTests, read_inputs
from assay.action.environment.job import read_job
from assay.action.environment.subject import NeedsLookup, Subject, SubjectKind, shown_ref, subject_of
from assay.action.steps.isolated import wanted_tests
from assay.github.errors import ActionMisused
from tests.github_app.action.jobs import BASE, HEAD, ZEROS, environment

NONE = {"PULL_NUMBER": "", "BASE_SHA": "", "BASE_REF": "", "HEAD_REPOSITORY_ID": ""}


def looked(folder: Path, **more: str) -> Subject | NeedsLookup:
    env = environment(folder, **more)
    return subject_of(read_inputs(env), read_job(env), env)


def seen(folder: Path, **more: str) -> Subject:
    subject = looked(folder, **more)
    assert isinstance(subject, Subject)
    return subject


def test_a_pull_request_is_judged_by_its_own_head(tmp_path: Path):
    subject = seen(tmp_path)
    assert subject == Subject(BASE, HEAD, "main", "claude/topic", 7, SubjectKind.pull)
    assert subject.is_complete


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (
            '{"pull_request": {"title": "Skip the header", "body": "It is no item."}}',
            "Skip the header\n\nIt is no item.",
        ),
        ('{"pull_request": {"title": "Skip the header", "body": null}}', "Skip the header"),
        ('{"pull_request": {}}', ""),
        ('{"pull_request": null}', ""),
        ("[]", ""),
        ("{", ""),
    ],
)
def test_title_and_description_are_read_from_the_payload(tmp_path: Path, payload: str, text: str):
    (tmp_path / "event.json").write_text(payload)
    env = environment(tmp_path) | {"GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    found = subject_of(read_inputs(env), read_job(env), env)
    assert isinstance(found, Subject)
    assert found.pull_text == text
    other = env | {"ASSAY_ACTION_HEAD": "f" * 40}
    found = subject_of(read_inputs(other), read_job(other), other)
    assert isinstance(found, Subject)
    assert (found.head_sha, found.pull_text) == ("f" * 40, ""), "they are about another head"


@pytest.mark.parametrize("head_repository", ["43", "", "042", "42 "])
def test_any_other_head_repository_is_a_fork(tmp_path: Path, head_repository: str):
    assert seen(tmp_path, HEAD_REPOSITORY_ID=head_repository).is_fork


def test_a_merge_group_has_no_number(tmp_path: Path):
    head_ref = f"refs/heads/gh-readonly-queue/main/pr-7-{BASE}"
    subject = seen(tmp_path, **NONE | {"BASE_SHA": BASE}, EVENT="merge_group", HEAD_REF=head_ref)
    assert (subject.kind, subject.number) == (SubjectKind.group, None)
    assert subject.head_ref == f"gh-readonly-queue/main/pr-7-{BASE}"


def test_a_push_is_validated_from_what_stood_there_before(tmp_path: Path):
    subject = seen(tmp_path, **NONE | {"BASE_SHA": BASE}, EVENT="push", HEAD_REF="refs/heads/topic")
    assert subject == Subject(BASE, HEAD, BASE[:12], "topic")


def test_the_default_branch_and_a_merge_group_run_all_tests(tmp_path: Path):
    pushed = [seen(tmp_path, **NONE | {"BASE_SHA": BASE}, EVENT="push", HEAD_REF=ref) for ref in ("main", "topic")]
    group = seen(tmp_path, **NONE | {"BASE_SHA": BASE}, EVENT="merge_group", HEAD_REF="gh-readonly-queue/main/pr-7")
    pull = seen(tmp_path, HEAD=HEAD)
    tests = [wanted_tests(one, Inputs(tmp_path, tests=WhichTests.affected)) for one in (*pushed, group, pull)]
    assert tests == ["all", "affected", "all", "affected"]


@pytest.mark.parametrize("before", [ZEROS, ""])
def test_a_new_branch_is_validated_from_the_default_branch(tmp_path: Path, before: str):
    subject = seen(tmp_path, **NONE | {"BASE_SHA": before}, EVENT="push", HEAD_REF="topic")
    assert subject == Subject("", HEAD, "main", "topic")
    assert not subject.is_complete


@pytest.mark.parametrize("event", ["workflow_dispatch", "schedule", "release"])
def test_other_events_are_validated_from_the_default_branch_to_where_they_are(tmp_path: Path, event: str):
    env = environment(tmp_path, **NONE, EVENT=event, HEAD_SHA="", HEAD_REF="")
    env |= {"GITHUB_SHA": HEAD, "GITHUB_REF_NAME": "topic"}
    assert subject_of(read_inputs(env), read_job(env), env) == Subject("", HEAD, "main", "topic")


def test_the_inputs_name_other_ends(tmp_path: Path):
    subject = seen(tmp_path, **NONE, EVENT="workflow_dispatch", BASE="v1.0", HEAD="c" * 40)
    assert subject == Subject("", "c" * 40, "v1.0", "c" * 40)


def test_another_head_than_the_pull_requests_is_a_commit(tmp_path: Path):
    assert seen(tmp_path, HEAD=HEAD).kind is SubjectKind.pull
    other = seen(tmp_path, HEAD="topic")
    assert (other.kind, other.number, other.head_sha, other.head_ref) == (SubjectKind.commit, None, "", "topic")


@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
def test_events_of_strangers_take_the_mode_publish_alone(tmp_path: Path, event: str):
    with pytest.raises(ActionMisused, match="mode: publish"):
        looked(tmp_path, EVENT=event, SOURCE_RUN_ID="5")
    with pytest.raises(ActionMisused, match="mode: publish"):
        looked(tmp_path, EVENT=event, SOURCE_RUN_ID="5", MODE="tools")


@pytest.mark.parametrize("event", ["issue_comment", "issues", "discussion_comment"])
def test_a_change_that_a_strangers_words_ask_for_is_not_run_with_the_repositorys_rights(tmp_path: Path, event: str):
    env = environment(tmp_path, **NONE, EVENT=event, HEAD_SHA="", HEAD_REF="") | {"GITHUB_SHA": BASE}
    assert isinstance(subject_of(read_inputs(env), read_job(env), env), Subject)
    asked = env | {"ASSAY_ACTION_HEAD": HEAD}
    with pytest.raises(ActionMisused, match="mode: publish"):
        subject_of(read_inputs(asked), read_job(asked), asked)
    published = asked | {"ASSAY_ACTION_MODE": "publish"}
    found = subject_of(read_inputs(published), read_job(published), published)
    assert isinstance(found, Subject)
    assert found.head_sha == HEAD


def test_the_target_of_a_pull_request_may_be_published_on(tmp_path: Path):
    assert seen(tmp_path, EVENT="pull_request_target", MODE="publish").number == 7


def test_the_second_stage_is_looked_up_whatever_the_environment_says(tmp_path: Path):
    assert looked(tmp_path, EVENT="workflow_run", MODE="publish", SOURCE_RUN_ID="5") == NeedsLookup(5)
    with pytest.raises(ActionMisused, match=r"^action\.invalid-input: input base: "):
        looked(tmp_path, EVENT="workflow_run", MODE="publish", SOURCE_RUN_ID="5", BASE="main")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BASE_SHA", ""),
        ("HEAD_SHA", ZEROS),
        ("HEAD_SHA", HEAD + "\n"),
        ("HEAD_SHA", "--help"),
        ("BASE_SHA", "b" * 39),
        ("PULL_NUMBER", "7 "),
        ("PULL_NUMBER", "../7"),
        ("PULL_NUMBER", "9" * 19),
    ],
)
def test_an_id_that_is_none_is_refused(tmp_path: Path, name: str, value: str):
    with pytest.raises(ActionMisused, match=rf"^action\.invalid-input: ASSAY_ACTION_{name}: ") as caught:
        looked(tmp_path, **{name: value})
    assert str(caught.value).isprintable()


@given(st.text(max_size=600))
def test_a_branch_is_shown_short_and_printable(ref: str):
    assert shown_ref(ref).isprintable()
    assert len(shown_ref(ref)) <= 255


@given(
    event=st.sampled_from("pull_request merge_group push workflow_dispatch schedule workflow_run".split()),
    values=st.lists(st.one_of(st.text(max_size=50), st.sampled_from([BASE, HEAD, ZEROS, "", "7"])), min_size=6),
    mode=st.sampled_from(["publish", ""]),
)
def test_whatever_the_event_says_ids_are_ids_and_names_can_be_shown(
    tmp_path_factory: pytest.TempPathFactory, event: str, values: list[str], mode: str
):
    folder = tmp_path_factory.getbasetemp() / "subject"
    folder.mkdir(exist_ok=True)
    names = "PULL_NUMBER BASE_SHA HEAD_SHA BASE_REF HEAD_REF SOURCE_RUN_ID".split()
    subject: Subject | NeedsLookup | str
    try:
        subject = looked(folder, EVENT=event, MODE=mode, **dict(zip(names, values, strict=False)))
    except ActionMisused as misused:
        subject = str(misused)
    if isinstance(subject, str):
        assert subject.isprintable()
    elif isinstance(subject, Subject):
        assert all(
            sha == "" or (len(sha) in (40, 64) and sha.isalnum()) for sha in (subject.base_sha, subject.head_sha)
        )
        assert (subject.base_ref + subject.head_ref).isprintable()
        assert subject.base_sha or subject.base_ref
