"""Tier 1 results from GitHub checks of the head, so that tools the CI has run do not run again.

`tier1.testChecks` and the words of a check's name give its kind. A check of unknown kind does not count, unless the
branch requires it. A check without a result (cancelled, skipped, neutral, stale) never counts as passed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase

from assay.github.client import CHECK_NAME
from assay.github.events.model import CheckFacts
from assay.validators import (
    OWN_CHECKS,
    Counts,
    Gate,
    NotChecked,
    Outcome,
    ToolKind,
    ToolRun,
    ToolsResult,
    ValidationConfig,
    kind_in_name,
)

MOST_RUNS = 100
"""Checks listed individually, failed ones first; the rest is counted."""
MOST_WORDS = 300
MOST_CHECK_NAME = 60

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
# Jobs of validate.yml: one uploads results, the other publishes.
_POSTS, _PUBLISHES = "tools", "publish"
_NO_TOOL = frozenset(
    "cla dco deploy deployment preview vercel netlify release publish label labeler stale automerge codecov coveralls "
    "review approval triage welcome assign notify changelog renovate dependabot".split()
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_INFRA = re.compile(
    r"lost communication with the server|received a shutdown signal|no space left on device|out of memory|oom.?kill"
    r"|the runner has |exit code 137|runner .{0,40}(?:offline|unavailable)|could not resolve host"
    r"|operation was cancell?ed",
    re.IGNORECASE,
)
_COUNTS = {
    "passed": re.compile(r"(?<!\d)(\d{1,7}) (?:tests? )?(?:passed|pass|successful|ok)\b", re.IGNORECASE),
    "failed": re.compile(r"(?<!\d)(\d{1,7}) (?:tests? )?(?:failed|failures?|fail)\b", re.IGNORECASE),
    "skipped": re.compile(r"(?<!\d)(\d{1,7}) (?:tests? )?skipped\b", re.IGNORECASE),
    "errors": re.compile(r"(?<!\d)(\d{1,7}) errors?\b", re.IGNORECASE),
    "warnings": re.compile(r"(?<!\d)(\d{1,7}) warnings?\b", re.IGNORECASE),
}
_OUTCOMES: Mapping[str, tuple[Outcome, str | None]] = {
    "success": (Outcome.passed, None),
    "failure": (Outcome.failed, "it failed"),
    "timed_out": (Outcome.timed_out, "it ran out of time"),
    "startup_failure": (Outcome.inert, "its workflow could not start: check the workflow file"),
    "cancelled": (Outcome.skipped, "it was cancelled before it ended"),
    "action_required": (Outcome.skipped, "it waits for a manual action"),
    "stale": (Outcome.skipped, "GitHub marked it as stale"),
    "skipped": (Outcome.skipped, "it was skipped"),
    "neutral": (Outcome.skipped, "its conclusion is neutral"),
}
_DID_NOT_LOOK = frozenset(("cancelled", "action_required", "stale"))
UNFINISHED = "it did not finish in time"
FAILS_ON_BASE = "it fails on the base too"


@dataclass(frozen=True, slots=True)
class Harvest:
    """Tier 1 results from checks, and the names of unfinished checks."""

    tools: ToolsResult
    awaited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Around:
    """Context of the checks.

    `required` are names that the base's branch rules require. Checks of `app_id` (the App itself) are left out. `base`
    are the checks of the merge base, None if they were not read. `is_over` stops waiting for unfinished checks.
    `reported_by_job` are workflow jobs that uploaded full results, so their checks are redundant; the publishing job
    next to such a job only repeats the verdict.
    """

    required: Collection[str] = ()
    app_id: int | None = None
    base: Sequence[CheckFacts] | None = None
    is_over: bool = False
    reported_by_job: Collection[str] = ()


def tools_from_checks(checks: Iterable[CheckFacts], config: ValidationConfig, around: Around | None = None) -> Harvest:
    """Return Tier 1 results from all checks and statuses of the head."""
    around = around or Around()
    checks = tuple(checks)
    newest = _newest(checks, around)
    told = {check.name for check in checks if _is_told_by_job(check, around)}
    validated: list[tuple[CheckFacts, ToolKind]] = []
    awaited: list[str] = []
    notes: list[NotChecked] = []
    for check in newest:
        is_test = any(check.name == one or fnmatchcase(check.name, one) for one in config.tier1.test_checks)
        kind = ToolKind.test if is_test else kind_of(check.name)
        is_required = check.name in around.required
        if kind is None and not is_required:
            notes += _unclassified(check)
        elif check.status != "completed":
            awaited.append(check.name)
            notes.append(NotChecked(_shown(check.name), _still_running(around)))
        else:
            validated.append((check, kind or ToolKind.build))
    # A check replaced by its job's uploaded results has started too.
    there = {check.name for check in newest} | told
    for name in sorted(set(around.required) - there - {CHECK_NAME}):
        awaited.append(name)
        notes.append(NotChecked(_shown(name), "required, and has not started"))
    base = {check.name: check for check in _newest(around.base, around)} if around.base is not None else None
    runs = [_run(check, kind, config, base, is_required=check.name in around.required) for check, kind in validated]
    runs.sort(key=lambda run: (not run.gating, run.outcome is Outcome.passed))
    notes += [
        NotChecked(_shown(check.name), str(_OUTCOMES[str(check.conclusion)][1]))
        for check, _ in validated
        if check.conclusion in _DID_NOT_LOOK
    ]
    if len(runs) > MOST_RUNS:
        notes.append(NotChecked("further checks", f"{len(runs) - MOST_RUNS} more are not listed individually"))
    tools = ToolsResult(
        runs=tuple(runs[:MOST_RUNS]),
        not_checked=tuple(notes),
        reported_by=OWN_CHECKS if runs else None,
        checks=tuple(_ended(check) for check in newest[:MOST_RUNS]),
    )
    return Harvest(tools, tuple(dict.fromkeys(awaited)))


def kind_of(name: str) -> ToolKind | None:
    """Return the kind of a check by the words of its name; None if it is unknown or not a tool."""
    plain = f"{name[:MOST_WORDS]} {_CAMEL.sub(' ', name[:MOST_WORDS])}".lower()
    plain = re.sub("continuous.integration", "ci", plain)  # names no tests, as `integration` alone does
    return None if _NO_TOOL & frozenset(re.findall(r"[a-z0-9]+", plain)) else kind_in_name(plain)


def outcome_of(check: CheckFacts) -> tuple[Outcome, str | None]:
    """Return the outcome of a completed check, and a reason unless it passed."""
    outcome, reason = _OUTCOMES.get(str(check.conclusion), (Outcome.skipped, "it ended with an unknown conclusion"))
    words = f"{check.title or ''}\n{check.summary or ''}"[:20_000]
    if outcome is Outcome.failed and _INFRA.search(words):
        return Outcome.infra_failed, "its runner failed"
    return outcome, reason


def _newest(checks: Iterable[CheckFacts], around: Around) -> list[CheckFacts]:
    """Return the newest check of each name and App, sorted by name, without Assay's own."""
    found: dict[tuple[str, object, str], CheckFacts] = {}
    for check in checks:
        is_ours = around.app_id is not None and check.app_id == around.app_id
        if is_ours or check.name == CHECK_NAME or _is_told_by_job(check, around):
            continue
        key = (check.source, check.app_id if check.app_id is not None else check.app_slug, check.name)
        known = found.get(key)
        if known is None or _age(known) <= _age(check):
            found[key] = check
    return sorted(found.values(), key=lambda check: (check.name, check.source))


def _is_told_by_job(check: CheckFacts, around: Around) -> bool:
    caller, _, job = check.name.rpartition(" / ")
    is_publishing = bool(caller) and job == _PUBLISHES and _POSTS in around.reported_by_job
    return is_publishing or job in around.reported_by_job


def _age(check: CheckFacts) -> tuple[datetime, int]:
    number = int(check.external_key) if check.external_key.isdecimal() else 0
    return max(check.started_at or _LONG_AGO, check.completed_at or _LONG_AGO), number


def _run(
    check: CheckFacts,
    kind: ToolKind,
    config: ValidationConfig,
    base: Mapping[str, CheckFacts] | None,
    *,
    is_required: bool,
) -> ToolRun:
    outcome, reason = outcome_of(check)
    gate = config.tier1.gate
    before = base.get(check.name) if base is not None else None
    base_outcome = outcome_of(before)[0] if before is not None and before.status == "completed" else None
    is_bad = outcome in (Outcome.failed, Outcome.timed_out)
    was_bad = base_outcome in (Outcome.failed, Outcome.timed_out)
    gating = is_bad and gate is not Gate.informational and not (gate is Gate.regression_only and was_bad)
    said = [part for part in (reason, check.title, check.url) if part] if outcome is not Outcome.passed else []
    if is_bad and not gating:
        said.append(FAILS_ON_BASE if was_bad else "its gate is `informational`")
    return ToolRun(
        name=_shown(check.name),
        kind=kind,
        command=_shown(check.name),
        found_in=_found_in(check, is_required=is_required),
        outcome=outcome,
        gate=gate,
        duration_s=_duration_s(check),
        gating=gating,
        counts=_counts(check),
        base_outcome=base_outcome,
        reason="; ".join(_shown(part) for part in said) or None,
        excerpt=_excerpt(check) if is_bad else (),
    )


def _unclassified(check: CheckFacts) -> Iterator[NotChecked]:
    """Yield a note about a check of unknown kind that did not pass."""
    if check.status == "completed" and check.conclusion not in ("success", "skipped", "neutral"):
        why = f"unknown kind of check, not required by the branch; it ended with {check.conclusion}"
        yield NotChecked(_shown(check.name), why)


def _still_running(around: Around) -> str:
    return UNFINISHED if around.is_over else "it still runs"


def _ended(check: CheckFacts) -> str:
    """Return a check's name and how it ended, for a sentence."""
    name = _shown(check.name)[:MOST_CHECK_NAME].replace("`", "'")
    return f"`{name}` ({_shown(check.conclusion or check.status)})"


def _found_in(check: CheckFacts, *, is_required: bool) -> str:
    who = check.app_slug or ("a commit status" if check.source == "status" else "an App")
    parts = [OWN_CHECKS, f"run by {_shown(who)}", *(["required"] if is_required else [])]
    return ", ".join(parts) + (f": {_shown(check.url)}" if check.url else "")


def _duration_s(check: CheckFacts) -> float:
    if check.started_at is None or check.completed_at is None:
        return 0.0
    return round(max(0.0, (check.completed_at - check.started_at).total_seconds()), 3)


def _counts(check: CheckFacts) -> Counts:
    """Return the counts in the check's text, as `42 passed, 1 failed`; empty without passed or failed."""
    words = f"{check.title or ''}\n{check.summary or ''}"[:20_000]
    found = {name: int(match[1]) for name, pattern in _COUNTS.items() if (match := pattern.search(words))}
    return Counts(**found) if "passed" in found or "failed" in found else Counts()


def _excerpt(check: CheckFacts) -> tuple[str, ...]:
    lines = (check.summary or "")[:20_000].splitlines()
    return tuple(line[:MOST_WORDS] for line in lines if line.strip())[:40]


def _shown(text: str) -> str:
    """Return one printable line of bounded length; renderers escape the rest."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: MOST_WORDS * 4]).split())
    return line[:MOST_WORDS] or "(no name)"
