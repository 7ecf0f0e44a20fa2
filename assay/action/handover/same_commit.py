"""Our Check Runs about one commit: where it is the head of several pull requests, the worst verdict stands on all.

The App remembers who else has this head and publishes theirs anew when ours comes. The Action has no memory and no
later: each pull request is judged by a workflow run of its own, at the same time or years apart, and any of them may
be the last. So each run

- reads the others' Check Runs, in which their own conclusions are kept beside what they were made to say;
- writes its own as the worst of them, and counts a pull request without a verdict as one that must not be merged
  yet, where its base requires the check `Assay`: otherwise a laxer one that ends sooner would be green for both.
  Where nothing requires the check nobody may ever judge it, and nothing would let go again;
- then looks once more, and sets right whatever no longer agrees, others' as well as its own. Of two that run at the
  same time the one that looks last has seen both, so the worse verdict ends up on both; and the one that is mended
  takes its verdict back from the other.

What is left is the moment between a laxer run's look and its own write.
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
_NOT_YET = "has no verdict yet"


def external_id_of(subject: Subject) -> str:
    """By which the Check Run is found again: `assay-action:7:…` for a pull request, `assay-action:group:…`."""
    about = subject.number if subject.kind is SubjectKind.pull else subject.kind
    return f"assay-action:{about}:{subject.head_sha}"


@dataclass
class SameCommit:
    """One look at a commit: our Check Runs on it, and the open pull requests it is the head of.

    `pulls` is the branch each goes to, by its number; None where the token may not read pull requests. Then every
    pull request that has a Check Run counts as open.
    """

    subject: Subject
    repo: Repo
    _required: dict[str, bool] = field(default_factory=dict, init=False, repr=False)
    """Whether a base branch requires our check, as far as it was asked."""

    @cached_property
    def pulls(self) -> Mapping[int, str] | None:
        kind, sha = self.subject.kind, self.subject.head_sha
        if kind is SubjectKind.group:
            return {}  # the queue makes a new commit for each
        try:
            # Most commits that are pushed are nobody's head, and GitHub knows those of the repository's own branches.
            found = self.repo.pulls_with_head(sha, search_all=kind is SubjectKind.pull)
            return {pull.number: pull.base_ref for pull in found}
        except GithubRefused:
            return None

    @cached_property
    def checks(self) -> Mapping[str, CheckFacts]:
        """By what they are about, of each the newest."""
        found = self.repo.our_checks(self.subject.head_sha)
        named = ((_OURS.fullmatch(one.external_id or ""), one) for one in found)
        return {match[1]: one for match, one in named if match is not None}

    @property
    def is_shared(self) -> bool:
        """Whether there is anybody to agree with."""
        return bool(self._numbers - {self._ours}) or bool(set(self.checks) - {self._ours})

    @property
    def has_failed(self) -> bool:
        """Whether another pull request of this commit was judged, and may not be merged."""
        return any(other.said != _NOT_YET for other in self._blocking(but=self._ours))

    def look_again(self) -> None:
        """Forget the Check Runs that were read; who has this head stays."""
        self.__dict__.pop("checks", None)

    def agreed(self, check: CheckOutput) -> CheckOutput:
        """What our Check Run is to say: our verdict, or a worse one of this commit."""
        return with_others(check, tuple(self._blocking(but=self._ours)), keeps_own=True)

    def settle(self) -> CheckOutput | None:
        """Set right every Check Run of ours that does not agree with the others; ours, if it is among them."""
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
        """The pull requests of this commit that may not be merged."""
        for about in sorted(self._numbers - {but}, key=int):
            check = self.checks.get(about)
            if check is None or check.status != CheckStatus.completed:
                if self._has_to_be_judged(int(about)):
                    yield Other(int(about), CheckConclusion.action_required, _NOT_YET)
                continue
            own = own_conclusion(check.conclusion, check.summary)
            if own in BLOCKS:
                yield Other(int(about), CheckConclusion(own), f"ended in {own}")

    def _has_to_be_judged(self, number: int) -> bool:
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
