"""The change to validate: base and head of a pull request, a merge group, or a commit.

Read from the event that started the workflow, as GitHub's expressions in action.yml pass it; no request is made here.
`commits.py` resolves names of revisions, and the second stage for forks asks the API.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field

from assay.action.environment.inputs import PREFIX, Inputs
from assay.action.environment.job import Job
from assay.github.errors import ActionMisused
from assay.validators import is_commit_id

MOST_REF = 255
"""Maximum characters kept of a branch name; GitHub has no longer ones."""
SECOND_STAGE = "workflow_run"
_OF_A_PULL = ("pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment")
_UNASKED = ("pull_request_target", SECOND_STAGE)
"""Events that untrusted authors cause and that run with the repository's permissions; no code of the change may run."""
_WORDS_OF_STRANGERS = ("issue_comment", "issues", "discussion", "discussion_comment", "commit_comment")
"""The same, but without a change: unless the workflow names one, the default branch is validated."""
_NUMBER = re.compile(r"[1-9][0-9]{0,18}")
_FULL_REF = re.compile(r"^refs/(?:heads|tags)/")
STRICT = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)
_Id = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})?$")]
_Number = Annotated[int, Field(gt=0, lt=2**63)]
_Ref = Annotated[str, Field(max_length=MOST_REF * 4)]


class SubjectKind(StrEnum):
    """Kind of a change: a pull request gets label and comments, the others only a Check Run."""

    pull = "pull"
    group = "group"
    commit = "commit"


@dataclass(frozen=True, slots=True)
class Subject:
    """One change to validate.

    `settings_sha` is the commit whose configuration is in force: the tip of the base branch; empty until it is found,
    and if it is the base. Ids that are not known yet are empty; then `base_ref` or `head_ref` is the revision to
    resolve (`is_complete`). With `is_second_stage`, the change's own run is `source_run_id`. `pull_text` are the pull
    request's title and description. `is_default_branch`: it is on the default branch, or about to be merged into it.
    The types are checked when a step reads what an earlier one stored.
    """

    __pydantic_config__ = STRICT

    base_sha: _Id
    head_sha: _Id
    base_ref: _Ref
    head_ref: _Ref
    number: _Number | None = None
    kind: SubjectKind = SubjectKind.commit
    is_fork: bool = False
    source_run_id: _Number | None = None
    is_second_stage: bool = False
    settings_sha: _Id = ""
    pull_text: str = ""
    is_default_branch: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether the ids of both ends are known."""
        return bool(self.base_sha and self.head_sha)


@dataclass(frozen=True, slots=True)
class NeedsLookup:
    """The second stage: only the API can tell which change `source_run_id` ran on."""

    source_run_id: int


def subject_of(inputs: Inputs, job: Job, env: Mapping[str, str]) -> Subject | NeedsLookup:
    """Return what this job is to validate. Raises `ActionMisused` if the inputs do not fit the event."""
    is_unasked = job.event in _UNASKED or (job.event in _WORDS_OF_STRANGERS and inputs.head is not None)
    if is_unasked and inputs.runs_commands:
        raise ActionMisused(
            f"on {job.event} the Action requires mode: publish: this event runs untrusted changes with the "
            "repository's permissions, so their code must not run (see docs/action/index.md)",
            code="action.untrusted-event",
        )
    if job.event == SECOND_STAGE:
        return _looked_up(inputs, env)
    if job.event in _OF_A_PULL:
        subject = _pull(job, env)
    elif job.event == "merge_group":
        subject = _group(env)
    else:
        subject = _commit(job, env)
    subject = _as_asked(subject, inputs)
    is_default = subject.kind is SubjectKind.commit and subject.head_ref == shown_ref(job.default_branch)
    return replace(subject, is_default_branch=is_default or subject.kind is SubjectKind.group)


def _looked_up(inputs: Inputs, env: Mapping[str, str]) -> NeedsLookup:
    if inputs.base or inputs.head:
        raise ActionMisused(
            f"input {'base' if inputs.base else 'head'}: not possible on {SECOND_STAGE}; the other run gives the change"
        )
    return NeedsLookup(_number(env, "SOURCE_RUN_ID"))


def _pull(job: Job, env: Mapping[str, str]) -> Subject:
    """Use the pull request's own head, not the merge commit that the job has checked out."""
    return replace(
        _group(env),
        number=_number(env, "PULL_NUMBER"),
        kind=SubjectKind.pull,
        # A deleted fork has no id; it is not part of the repository either.
        is_fork=env.get(PREFIX + "HEAD_REPOSITORY_ID", "") != str(job.repository_id),
        pull_text=_pull_text(env),
    )


def _pull_text(env: Mapping[str, str]) -> str:
    """Return title and description from the payload's file: they can be too long for a variable."""
    try:
        pull = json.loads(Path(env.get("GITHUB_EVENT_PATH", "")).read_bytes())["pull_request"]
        return f"{pull['title']}\n\n{pull['body'] or ''}".strip()
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _group(env: Mapping[str, str]) -> Subject:
    return Subject(
        base_sha=_id(env, "BASE_SHA"),
        head_sha=_id(env, "HEAD_SHA"),
        base_ref=_ref(env, "BASE_REF"),
        head_ref=_ref(env, "HEAD_REF"),
        kind=SubjectKind.group,
    )


def _commit(job: Job, env: Mapping[str, str]) -> Subject:
    """Compare a push with the branch before it; anything else, and a new branch, with the default branch."""
    head = _id_or_none(env, "HEAD_SHA", PREFIX) or _id_or_none(env, "SHA", "GITHUB_")
    if head is None:
        raise ActionMisused(
            f"on {job.event} there is no commit to validate: give the input head", code="action.no-head"
        )
    before = _id_or_none(env, "BASE_SHA", PREFIX)
    head_ref = _ref(env, "HEAD_REF") or shown_ref(env.get("GITHUB_REF_NAME", ""))
    default = shown_ref(job.default_branch)
    return Subject(
        base_sha=before or "",
        head_sha=head,
        base_ref=(_ref(env, "BASE_REF") or before[:12]) if before else default,
        head_ref=head_ref or head[:12],
    )


def _as_asked(subject: Subject, inputs: Inputs) -> Subject:
    """Replace the ends that the inputs name. A head other than the pull request's is validated as a commit."""
    if inputs.base is not None:
        sha = inputs.base if is_commit_id(inputs.base) else ""
        subject = replace(subject, base_sha=sha, base_ref=inputs.base)
    if inputs.head is not None and inputs.head != subject.head_sha:
        sha = inputs.head if is_commit_id(inputs.head) else ""
        commit = SubjectKind.commit
        subject = replace(subject, head_sha=sha, head_ref=inputs.head, number=None, kind=commit, pull_text="")
    if not subject.base_sha and not subject.base_ref:
        raise ActionMisused("input base: empty, and the default branch is unknown; give a branch, tag or commit")
    return subject


def shown_ref(ref: str) -> str:
    """Return a branch name for display: without `refs/heads/`, truncated, with printable characters only."""
    name = _FULL_REF.sub("", ref[: MOST_REF * 2], count=1)
    return "".join(char if char.isprintable() else "\ufffd" for char in name)[:MOST_REF]


def _ref(env: Mapping[str, str], name: str) -> str:
    return shown_ref(env.get(PREFIX + name, ""))


def _id(env: Mapping[str, str], name: str) -> str:
    found = _id_or_none(env, name, PREFIX)
    if found is None:
        raise ActionMisused(f"{PREFIX}{name}: is missing; action.yml takes it from the event")
    return found


def _id_or_none(env: Mapping[str, str], name: str, prefix: str) -> str | None:
    """Return a full id, or None if it is missing or all zeros, which is how GitHub marks a new or deleted branch."""
    value = env.get(prefix + name, "")
    if not value.strip("0"):
        return None
    if not is_commit_id(value):
        raise ActionMisused(f"{prefix}{name}: {value[:80]!a} is not a full commit id")
    return value


def _number(env: Mapping[str, str], name: str) -> int:
    value = env.get(PREFIX + name, "")
    if not _NUMBER.fullmatch(value) or int(value) >= 2**63:
        raise ActionMisused(f"{PREFIX}{name}: {value[:80]!a} is not a valid number")
    return int(value)
