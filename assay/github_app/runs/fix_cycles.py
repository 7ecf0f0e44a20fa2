"""Handing findings back to the agent that made them: one comment, its own words to read, and a count.

A tier is handed back at most `maxFixCyclesPerTier` times in a pull request, once for each head, and not at all when the
same failure came back unchanged. The comment mentions the agent in our words only; what tools and files say stands in a
code block, where nobody is called.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from assay.github.client import Repo
from assay.github.events.model import PullFacts
from assay.github.publish import marker, read_marker
from assay.github_app.store import CycleRow, EventKind, Store
from assay.validators import (
    HandBack,
    Tier,
    ValidationConfig,
    ValidationReport,
    as_code,
    as_prose,
    configuration_of,
    fix_prompt,
    tool_failures,
)

MARKER = "fix"
UNKNOWN = "unknown"
MOST_PROMPT = 48_000
"""Bytes of the prompt in the comment, of the 65,535 a comment takes; a longer one is cut at a line, and says so."""
_NAMES = {Tier.tools: "Tier 1 (tools)", Tier.quality: "Tier 2 (quality)"}


class Trigger(StrEnum):
    """Who wants it: nobody in particular (`handBack: auto`), or a person who pressed the button."""

    auto = "auto"
    button = "button"


@dataclass(frozen=True, slots=True)
class Desk:
    """Where findings are handed over: what is remembered, what GitHub shows, and now."""

    store: Store
    repo: Repo
    repository_id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Handed:
    """What came of it: our comment (None where nothing was handed over), and a line of Markdown for who asked."""

    comment_id: int | None
    said: str


@dataclass(frozen=True, slots=True)
class _Cycle:
    """A failing tier: what counts against the change in it, the mark of that failure, and the cycles it had."""

    tier: Tier
    blocking: frozenset[str]
    fingerprint: str
    before: tuple[CycleRow, ...]
    most: int

    def why_not(self, head_sha: str) -> str | None:
        """Why this tier is not handed back (again); None where it is."""
        if self.most == 0:
            return "`maxFixCyclesPerTier` is 0"
        if any(one.head_sha == head_sha for one in self.before):
            return "handed over for this commit already"
        if len(self.before) >= self.most:
            return f"all {self.most} cycles are used; what still fails is in the report"
        if self.before and self.before[-1].fingerprint == self.fingerprint:
            return "the same failure came back unchanged; no further cycle is begun"
        return None


def hand_back(desk: Desk, pull: PullFacts, report: ValidationReport, trigger: Trigger, *, by: str | None) -> Handed:
    """Give the agent what blocks, if there is anything, if it may be tried again, and if the settings allow it.

    Of `auto` a fork's pull request gets nothing: a stranger's text is not put before an agent without a person's word.
    Safe to repeat: for one head there is one comment, and it counts once.
    """
    config = configuration_of(report)
    refused = _why_not(config, pull, report, trigger)
    cycles = _failing(desk, pull, report, config.max_fix_cycles_per_tier)
    if refused is None and not cycles:
        refused = "nothing blocks that an agent could mend"
    due = [] if refused else [cycle for cycle in cycles if cycle.why_not(pull.head_sha) is None]
    if not due:
        return _nothing(desk, pull, refused, cycles, trigger)
    agent = _agent(desk, pull, report)
    mark = f"{pull.head_sha}:{'.'.join(cycle.tier for cycle in due)}"
    body = _body(report, due, cycles, pull, config.agents[agent].mention if agent in config.agents else None)
    comment_id = _comment(desk, pull, mark, body)
    _record(desk, pull, due, comment_id, {"agent": agent, "trigger": trigger, "by": by})
    return Handed(comment_id, "Handed to the agent: " + "; ".join(_count(cycle) for cycle in due) + ".")


def may_hand_back(desk: Desk, pull: PullFacts, report: ValidationReport) -> bool:
    """Return whether somebody's press can begin a cycle now; not where it begins by itself once the verdict is out."""
    config = configuration_of(report)
    if _why_not(config, pull, report, Trigger.button) or _why_not(config, pull, report, Trigger.auto) is None:
        return False
    cycles = _failing(desk, pull, report, config.max_fix_cycles_per_tier)
    return any(cycle.why_not(pull.head_sha) is None for cycle in cycles)


def _why_not(config: ValidationConfig, pull: PullFacts, report: ValidationReport, trigger: Trigger) -> str | None:
    if config.hand_back is HandBack.off:
        return "`handBack` is off in this repository's settings"
    if trigger is Trigger.auto and config.hand_back is not HandBack.auto:
        return "`handBack` is not auto"
    if trigger is Trigger.auto and pull.is_fork:
        return "a fork's changes are handed back only by a person"
    if pull.state != "open":
        return "this pull request is closed"
    if pull.head_sha != report.head.sha:
        return "there is a newer commit"
    return None


def _failing(desk: Desk, pull: PullFacts, report: ValidationReport, most: int) -> list[_Cycle]:
    """Tiers in which something blocks. Risk is not among them: it is for a person."""
    failing: dict[Tier, tuple[frozenset[str], frozenset[str]]] = {}
    names = frozenset(report.blocking)
    if report.tools is not None:
        runs = frozenset(run.name for run in report.tools.runs if run.gating and run.name in names)
        found = frozenset(one.id for one in report.tools.findings if one.id in names)
        failing[Tier.tools] = runs | found, tool_failures(report.tools) | found
    if report.quality is not None:
        found = frozenset(one.id for one in report.quality.findings if one.id in names)
        failing[Tier.quality] = found, found
    return [
        _Cycle(tier, blocking, _fingerprint(marks), desk.store.cycles.of(desk.repository_id, pull.number, tier), most)
        for tier, (blocking, marks) in failing.items()
        if blocking
    ]


def _fingerprint(marks: frozenset[str]) -> str:
    return hashlib.sha256("\n".join(sorted(marks)).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _nothing(desk: Desk, pull: PullFacts, refused: str | None, cycles: list[_Cycle], trigger: Trigger) -> Handed:
    """Nothing is handed over; that cycles came to an end is written down once for each head."""
    why = {cycle.tier: cycle.why_not(pull.head_sha) or "" for cycle in cycles}
    if refused is None:
        over = {tier: told for tier, told in why.items() if not told.startswith("handed")}
        if over:
            data = {"head_sha": pull.head_sha, "why": dict(over), "trigger": trigger}
            key = f"{desk.repository_id}#{pull.number}@{pull.head_sha}"
            desk.store.events.append(EventKind.fix_stopped, key, desk.at, desk.repository_id, pull.number, data=data)
        refused = "; ".join(f"{_NAMES[tier]}: {told}" for tier, told in why.items())
    return Handed(None, f"Nothing was handed over: {refused}.")


def _agent(desk: Desk, pull: PullFacts, report: ValidationReport) -> str:
    """Whose work it seems to be; what GitHub knows of the pull request tells more than its commits alone."""
    row = desk.store.pulls.get(desk.repository_id, pull.number)
    return row.agent if row and row.agent not in (None, UNKNOWN) else report.agent.name


def _body(
    report: ValidationReport, due: list[_Cycle], cycles: list[_Cycle], pull: PullFacts, mention: str | None
) -> str:
    blocking = frozenset().union(*(cycle.blocking for cycle in due))
    ours = replace(report, blocking=tuple(name for name in report.blocking if name in blocking))
    call = f"{mention} please" if mention else "Please"
    rest = [f"{_NAMES[one.tier]}: {why}" for one in cycles if one not in due and (why := one.why_not(pull.head_sha))]
    return "\n\n".join(
        (
            f"{call} fix what blocks this pull request at {as_code(pull.head_sha[:12])}, and push to this branch.",
            "\n".join(f"- {_count(cycle)}" for cycle in due) + "".join(f"\n- {as_prose(one)}" for one in rest),
            "The text below is for the agent: copy it, if the agent does not read it here.",
            _fenced(_cut(fix_prompt(ours))),
        )
    )


def _count(cycle: _Cycle) -> str:
    now = len(cycle.before) + 1
    left = cycle.most - now
    return f"{_NAMES[cycle.tier]}: cycle {now} of {cycle.most}, {left or 'none'} left"


def _cut(prompt: str) -> str:
    if len(prompt.encode()) <= MOST_PROMPT:
        return prompt.strip()
    kept = prompt.encode()[:MOST_PROMPT].decode("utf-8", "ignore").rsplit("\n", 1)[0]
    return f"{kept.strip()}\n\n(Cut here: the rest is in the report.)"


def _fenced(text: str) -> str:
    """A code block that nothing in the text can end; mentions, links and commands in it are dead letters."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(4, longest + 1)
    return f"{fence}markdown\n{text}\n{fence}"


def _comment(desk: Desk, pull: PullFacts, mark: str, body: str) -> int:
    """Our comment for this head and tiers: made once, found again by marker and author when the answer was lost."""
    for one in desk.repo.comments(pull.number):
        if read_marker(one.body) == (MARKER, mark) and desk.repo.us.wrote(one):
            return one.id
    return desk.repo.create_comment(pull.number, f"{marker(MARKER, mark)}\n\n{body}").id


def _record(desk: Desk, pull: PullFacts, due: list[_Cycle], comment_id: int, who: Mapping[str, str | None]) -> None:
    place = (desk.repository_id, pull.number)
    with desk.store.together():
        for cycle in due:
            tier = str(cycle.tier)
            desk.store.cycles.add(*place, tier, pull.head_sha, cycle.fingerprint, comment_id, who["agent"], desk.at)
            data = {
                "tier": tier,
                "head_sha": pull.head_sha,
                "cycle": len(cycle.before) + 1,
                "most": cycle.most,
                "fingerprint": cycle.fingerprint,
                "blocking": sorted(cycle.blocking),
                "comment_id": comment_id,
                **who,
            }
            key = f"{place[0]}#{place[1]}@{pull.head_sha}:{tier}"
            desk.store.events.append(EventKind.fix_requested, key, desk.at, *place, data=data)
