"""Fix cycles: blocking findings posted for the agent that made the change, as one comment per head.

Each tier is posted at most `maxFixCyclesPerTier` times per pull request, once per head, and not again if the same
failure returns unchanged. The agent is mentioned outside the code block; output of tools and files stays inside it, so
it cannot mention anyone.
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
"""Maximum bytes of the prompt; GitHub accepts 65,535 per comment. Longer prompts are cut at a line, with a note."""
_NAMES = {Tier.tools: "Tier 1 (tools)", Tier.quality: "Tier 2 (quality)"}
ALREADY_SENT = "already sent to the agent for this commit"
NOTHING_TO_FIX = "no blocking finding that an agent could fix"


class Trigger(StrEnum):
    """Cause of a fix cycle: the settings (`handBack`), or a user who pressed the button."""

    auto = "auto"
    button = "button"


@dataclass(frozen=True, slots=True)
class CycleContext:
    """Store, repository client, time and trusted agents (`ASSAY_TRUSTED_AGENTS`) that a fix cycle uses."""

    store: Store
    repo: Repo
    repository_id: int
    at: datetime
    trusted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CycleResult:
    """Result of a fix cycle: id of the comment (None if none was posted) and one line of Markdown for the user."""

    comment_id: int | None
    message: str


@dataclass(frozen=True, slots=True)
class _Cycle:
    """Failing tier: its blocking findings, their fingerprint, earlier cycles and the maximum."""

    tier: Tier
    blocking: frozenset[str]
    fingerprint: str
    before: tuple[CycleRow, ...]
    most: int

    def why_not(self, head_sha: str) -> str | None:
        """Return the reason not to post this tier (again), or None."""
        if self.most == 0:
            return "`maxFixCyclesPerTier` is 0"
        if self.was_sent(head_sha):
            return ALREADY_SENT
        if len(self.before) >= self.most:
            return f"all {self.most} cycles are used; the report lists the remaining failures"
        if self.before and self.before[-1].fingerprint == self.fingerprint:
            return "the same failure returned unchanged, so no further cycle starts"
        return None

    def was_sent(self, head_sha: str) -> bool:
        """Return whether a cycle was posted for this head."""
        return any(one.head_sha == head_sha for one in self.before)


def hand_back(
    ctx: CycleContext, pull: PullFacts, report: ValidationReport, trigger: Trigger, *, by: str | None
) -> CycleResult:
    """Post the blocking findings for the agent, if the settings and the cycle limits allow it.

    `auto` skips pull requests from forks: untrusted text reaches an agent only after a user asks for it. Idempotent:
    one comment and one count per head.
    """
    config = configuration_of(report)
    agent = _agent(ctx, pull, report)
    refused = _why_not(config, pull, report, trigger, is_trusted=agent in ctx.trusted)
    cycles = _failing(ctx, pull, report, config.max_fix_cycles_per_tier)
    if refused is None and not cycles:
        refused = NOTHING_TO_FIX
    due = [] if refused else [cycle for cycle in cycles if cycle.why_not(pull.head_sha) is None]
    if not due:
        return _nothing(ctx, pull, refused, cycles, trigger)
    mark = f"{pull.head_sha}:{'.'.join(cycle.tier for cycle in due)}"
    body = _body(report, due, cycles, pull, config.agents[agent].mention if agent in config.agents else None)
    comment_id = _comment(ctx, pull, mark, body)
    _record(ctx, pull, due, comment_id, {"agent": agent, "trigger": trigger, "by": by})
    return CycleResult(comment_id, "Sent to the agent: " + "; ".join(_count(cycle) for cycle in due) + ".")


def may_hand_back(ctx: CycleContext, pull: PullFacts, report: ValidationReport) -> bool:
    """Return whether the button can start a cycle now; False if a cycle starts automatically after the verdict."""
    config = configuration_of(report)
    is_trusted = _agent(ctx, pull, report) in ctx.trusted
    button, auto = (
        _why_not(config, pull, report, one, is_trusted=is_trusted) for one in (Trigger.button, Trigger.auto)
    )
    if button or auto is None:
        return False
    cycles = _failing(ctx, pull, report, config.max_fix_cycles_per_tier)
    return any(cycle.why_not(pull.head_sha) is None for cycle in cycles)


def _why_not(
    config: ValidationConfig, pull: PullFacts, report: ValidationReport, trigger: Trigger, *, is_trusted: bool
) -> str | None:
    if config.hand_back is HandBack.off:
        return "`handBack` is off in this repository's configuration"
    if trigger is Trigger.auto and config.hand_back is HandBack.button:
        return "`handBack` is button"
    if trigger is Trigger.auto and config.hand_back is HandBack.trusted and not is_trusted:
        return "the operator does not trust its agent (`ASSAY_TRUSTED_AGENTS`)"
    if trigger is Trigger.auto and pull.is_fork:
        return "for pull requests from forks, only a user can start a cycle"
    if pull.state != "open":
        return "this pull request is closed"
    if pull.head_sha != report.head.sha:
        return "there is a newer commit"
    return None


def _failing(ctx: CycleContext, pull: PullFacts, report: ValidationReport, most: int) -> list[_Cycle]:
    """Return the tiers with blocking findings; not risk, which needs a person."""
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
        _Cycle(tier, blocking, _fingerprint(marks), ctx.store.cycles.of(ctx.repository_id, pull.number, tier), most)
        for tier, (blocking, marks) in failing.items()
        if blocking
    ]


def _fingerprint(marks: frozenset[str]) -> str:
    return hashlib.sha256("\n".join(sorted(marks)).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _nothing(
    ctx: CycleContext, pull: PullFacts, refused: str | None, cycles: list[_Cycle], trigger: Trigger
) -> CycleResult:
    """Return why nothing was posted; record once per head that the cycles ended."""
    why = {cycle.tier: cycle.why_not(pull.head_sha) or "" for cycle in cycles}
    if refused is None:
        over = {cycle.tier: why[cycle.tier] for cycle in cycles if cycle.most == 0 or not cycle.was_sent(pull.head_sha)}
        if over:
            data = {"head_sha": pull.head_sha, "why": over, "trigger": trigger}
            key = f"{ctx.repository_id}#{pull.number}@{pull.head_sha}"
            ctx.store.events.append(EventKind.fix_stopped, key, ctx.at, ctx.repository_id, pull.number, data=data)
        refused = "; ".join(f"{_NAMES[tier]}: {reason}" for tier, reason in why.items())
    return CycleResult(None, f"Nothing was sent to the agent: {refused}.")


def _agent(ctx: CycleContext, pull: PullFacts, report: ValidationReport) -> str:
    """Return the agent of the pull request; GitHub's data on it takes precedence over its commits."""
    row = ctx.store.pulls.get(ctx.repository_id, pull.number)
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
            "The text below is for the agent. Copy it if the agent does not read comments.",
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
    return f"{kept.strip()}\n\n(Truncated: the report has the rest.)"


def _fenced(text: str) -> str:
    """Return a code block that the text cannot close, so its mentions, links and commands have no effect."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(4, longest + 1)
    return f"{fence}markdown\n{text}\n{fence}"


def _comment(ctx: CycleContext, pull: PullFacts, mark: str, body: str) -> int:
    """Return our comment for this head and these tiers; create it if no comment has the marker and our author."""
    for one in ctx.repo.comments(pull.number):
        if read_marker(one.body) == (MARKER, mark) and ctx.repo.us.wrote(one):
            return one.id
    return ctx.repo.create_comment(pull.number, f"{marker(MARKER, mark)}\n\n{body}").id


def _record(
    ctx: CycleContext, pull: PullFacts, due: list[_Cycle], comment_id: int, who: Mapping[str, str | None]
) -> None:
    place = (ctx.repository_id, pull.number)
    with ctx.store.together():
        for cycle in due:
            tier = str(cycle.tier)
            ctx.store.cycles.add(*place, tier, pull.head_sha, cycle.fingerprint, comment_id, who["agent"], ctx.at)
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
            ctx.store.events.append(EventKind.fix_requested, key, ctx.at, *place, data=data)
