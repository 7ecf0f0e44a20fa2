"""Assay's Check Runs of one commit: if it is the head of several pull requests, the worst verdict is shown on all.

The App stores the other pull requests with this head and publishes them again after a new verdict. The Action has no
state: a separate workflow run validates each pull request, at the same time or years apart, and any may be the last.
So each run

- reads the other Check Runs, which keep their own conclusion next to the shown one;
- publishes the worst of them, and treats a pull request without a verdict as not mergeable if its base requires the
  check `Assay`: otherwise a less strict pull request that ends sooner would pass for both. If no rule requires the
  check, it may never be validated, so it is ignored;
- then reads them again and corrects every Check Run that no longer agrees. Of two simultaneous runs, the one that reads
  last has seen both, so the worse verdict ends up on both, and a later better verdict replaces it on both.

A short race remains between the read and the write of a less strict run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.action.environment.subject import Subject, SubjectKind
from assay.github.client import CHECK_NAME, CheckConclusion, CheckOutput, CheckStatus, Repo
from assay.github.errors import GithubRefused
from assay.github.events.model import CheckFacts
from assay.github.publish import BLOCKS, Other, own_conclusion, with_others, without_others

_OURS = re.compile(r"assay-action:([a-z]+|[1-9][0-9]{0,18}):[0-9a-f]{40,64}")
NOT_YET = "has no verdict yet"


def external_id_of(subject: Subject) -> str:
    """Return the id of a subject's Check Run: `assay-action:7:…` for a pull request, `assay-action:group:…`."""
    about = subject.number if subject.kind is SubjectKind.pull else subject.kind
    return f"assay-action:{about}:{subject.head_sha}"


@dataclass
class SameCommit:
    """Assay's Check Runs of a commit, and the open pull requests with this head.

    `pulls` maps the number of each pull request to its base branch; None if the token may not read pull requests. Then
    every pull request with a Check Run counts as open.
    """

    subject: Subject
    repo: Repo
    _required: dict[str, bool] = field(default_factory=dict, init=False, repr=False)
    """Base branch -> whether it requires the check, as far as requested."""

    @cached_property
    def pulls(self) -> Mapping[int, str] | None:
        kind, sha = self.subject.kind, self.subject.head_sha
        if kind is SubjectKind.group:
            return {}  # the queue creates a new commit for each
        try:
            # Most pushed commits are not a head, and GitHub lists heads of the repository's own branches.
            found = self.repo.pulls_with_head(sha, search_all=kind is SubjectKind.pull)
            return {pull.number: pull.base_ref for pull in found}
        except GithubRefused:
            return None

    @cached_property
    def checks(self) -> Mapping[str, CheckFacts]:
        """Subject -> its newest Check Run."""
        found = self.repo.our_checks(self.subject.head_sha)
        named = ((_OURS.fullmatch(one.external_id or ""), one) for one in found)
        return {match[1]: one for match, one in named if match is not None}

    @property
    def is_shared(self) -> bool:
        """Whether another subject has this head."""
        return bool(self._numbers - {self._ours}) or bool(set(self.checks) - {self._ours})

    @property
    def has_failed(self) -> bool:
        """Whether another pull request of this commit has a verdict that blocks merging."""
        return any(other.said != NOT_YET for other in self._blocking(but=self._ours))

    def look_again(self) -> None:
        """Discard the Check Runs, but not the pull requests."""
        self.__dict__.pop("checks", None)

    def agreed(self, check: CheckOutput) -> CheckOutput:
        """Return this run's Check Run with its own verdict, or a worse one of this commit."""
        return with_others(check, tuple(self._blocking(but=self._ours)), keeps_own=True)

    def settle(self) -> CheckOutput | None:
        """Correct every Check Run that does not agree with the others; return this run's if it was corrected."""
        ours = None
        for about, check in self.checks.items():
            if check.status != CheckStatus.completed or not self._is_open(about):
                continue
            others = tuple(self._blocking(but=about))
            own = own_conclusion(check.conclusion, check.summary)
            if _worst(own, others) == check.conclusion:
                continue
            shown = self.repo.shown_check(int(check.external_key))
            told = with_others(without_others(shown), others, keeps_own=True)
            self.repo.update_check(int(check.external_key), told)
            ours = told if about == self._ours else ours
        return ours

    @property
    def _ours(self) -> str:
        return external_id_of(self.subject).split(":")[1]

    @property
    def _numbers(self) -> set[str]:
        known = self.checks if self.pulls is None else map(str, self.pulls)
        return set(filter(str.isdigit, known))

    def _is_open(self, about: str) -> bool:
        return about == self._ours or not about.isdigit() or about in self._numbers

    def _blocking(self, but: str) -> Iterator[Other]:
        """Yield the pull requests of this commit that may not be merged."""
        for about in sorted(self._numbers - {but}, key=int):
            check = self.checks.get(about)
            if check is None or check.status != CheckStatus.completed:
                if self._awaits_verdict(int(about)):
                    yield Other(int(about), CheckConclusion.action_required, NOT_YET)
                continue
            own = own_conclusion(check.conclusion, check.summary)
            if own in BLOCKS:
                yield Other(int(about), CheckConclusion(own), f"ended in {own}")

    def _awaits_verdict(self, number: int) -> bool:
        base = (self.pulls or {}).get(number)
        if base is None:
            return False
        if base not in self._required:
            self._required[base] = CHECK_NAME in self.repo.required_checks(base)
        return self._required[base]


def _worst(own: str | None, others: tuple[Other, ...]) -> str | None:
    for conclusion in BLOCKS:
        if own == conclusion or any(other.conclusion is conclusion for other in others):
            return conclusion
    return own
