"""Tier 1 from what the head's own checks say: the repository's CI has run its tools already, so they are not run again.

What a check is for is told by the words of its name. A check nobody can classify does not count, unless the branch
requires it; it is named. A check that did not look (cancelled, skipped, neutral, stale) is never taken for a good one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.github.events.model import CheckFacts
from assay.validators import Counts, Gate, NotChecked, Outcome, ToolKind, ToolRun, ToolsResult, ValidationConfig

REPORTED_BY = "the repository's own checks"
MOST_RUNS = 100
"""Checks shown one by one; more of them are counted, those that fail first."""
MOST_WORDS = 300

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS: Mapping[ToolKind, frozenset[str]] = {
    kind: frozenset(words.split())
    for kind, words in (
        (
            ToolKind.test,
            (
                "test tests testing unittest unittests unit units pytest jest vitest mocha rspec phpunit tox nox e2e "
                "integration spec specs ctest cypress playwright"
            ),
        ),
        (ToolKind.types, "type types typing typecheck typechecking mypy pyright tsc sorbet phpstan psalm"),
        (
            ToolKind.lint,
            (
                "lint linter linters linting ruff eslint flake8 pylint clippy golangci rubocop stylelint precommit "
                "style checkstyle shellcheck hadolint actionlint biome ktlint detekt"
            ),
        ),
        (ToolKind.formatting, "format formatting fmt black prettier gofmt rustfmt isort"),
        (
            ToolKind.sast,
            (
                "sast codeql semgrep bandit security snyk trivy zizmor gosec brakeman sonarcloud sonarqube scan audit "
                "gitleaks"
            ),
        ),
        (
            ToolKind.build,
            (
                "assay build builds compile package docker image wheel wheels bundle make ci continuous check checks "
                "verify validate doc docs gradle maven cargo linux ubuntu windows macos python node go rust java"
            ),
        ),
    )
}
"""In this order: a check that tests and builds is a test."""
# The jobs of validate.yml: the one that posts, and the one that publishes beside it.
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
    "startup_failure": (Outcome.inert, "its workflow could not start: see the workflow file"),
    "cancelled": (Outcome.skipped, "it was cancelled before it ended"),
    "action_required": (Outcome.skipped, "it waits for somebody to act"),
    "stale": (Outcome.skipped, "it was given up as stale"),
    "skipped": (Outcome.skipped, "it was skipped"),
    "neutral": (Outcome.skipped, "it ended neutral: neither good nor bad"),
}
_DID_NOT_LOOK = frozenset(("cancelled", "action_required", "stale"))


@dataclass(frozen=True, slots=True)
class Harvest:
    """Tier 1 as the checks tell it, and the names of those that are still awaited."""

    tools: ToolsResult
    awaited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Around:
    """What is known besides the checks.

    `required` are the names the base's branch rules require; `app_id` is ours: our own checks are left out, and so is
    `check_name`, which the Action gives. `base` are the checks of the merge base, for what was failing before; None
    where nobody asked. `is_over`: what still runs is not waited for any more. `told_by_job` are jobs of workflows that
    have posted their results in full: their checks would say the same once more. The job that publishes beside one of
    ours says what became of the verdict, and nothing of the change.
    """

    required: Collection[str] = ()
    app_id: int | None = None
    check_name: str = "Assay"
    base: Sequence[CheckFacts] | None = None
    is_over: bool = False
    told_by_job: Collection[str] = ()


def tools_from_checks(checks: Iterable[CheckFacts], config: ValidationConfig, around: Around | None = None) -> Harvest:
    """Tier 1 from everybody's checks and statuses on the head."""
    around = around or Around()
    checks = tuple(checks)
    newest = _newest(checks, around)
    told = {check.name for check in checks if _is_told_by_job(check, around)}
    judged: list[tuple[CheckFacts, ToolKind]] = []
    awaited: list[str] = []
    notes: list[NotChecked] = []
    for check in newest:
        kind = kind_of(check.name)
        is_required = check.name in around.required
        if kind is None and not is_required:
            notes += _unclassified(check)
        elif check.status != "completed":
            awaited.append(check.name)
            notes.append(NotChecked(_shown(check.name), _still_running(around)))
        else:
            judged.append((check, kind or ToolKind.build))
    # A check that is told by its job's own results has begun all the same.
    there = {check.name for check in newest} | told
    for name in sorted(set(around.required) - there - {around.check_name}):
        awaited.append(name)
        notes.append(NotChecked(_shown(name), "required, and has not begun"))
    base = {check.name: check for check in _newest(around.base, around)} if around.base is not None else None
    runs = [_run(check, kind, config, base, is_required=check.name in around.required) for check, kind in judged]
    runs.sort(key=lambda run: (not run.gating, run.outcome is Outcome.passed))
    notes += [
        NotChecked(_shown(check.name), str(_OUTCOMES[str(check.conclusion)][1]))
        for check, _ in judged
        if check.conclusion in _DID_NOT_LOOK
    ]
    if len(runs) > MOST_RUNS:
        notes.append(NotChecked("further checks", f"{len(runs) - MOST_RUNS} more are not listed one by one"))
    tools = ToolsResult(
        runs=tuple(runs[:MOST_RUNS]),
        not_checked=tuple(notes),
        reported_by=REPORTED_BY if runs else None,
    )
    return Harvest(tools, tuple(dict.fromkeys(awaited)))


def kind_of(name: str) -> ToolKind | None:
    """What a check is for, by the words of its name; None where they do not say, or say it is no tool."""
    plain = f"{name[:MOST_WORDS]} {_CAMEL.sub(' ', name[:MOST_WORDS])}".lower()
    plain = (
        plain.replace("pre-commit", "precommit").replace("type-check", "typecheck").replace("type check", "typecheck")
    )
    words = frozenset(re.findall(r"[a-z0-9]+", plain))
    if words & _NO_TOOL:
        return None
    return next((kind for kind, known in _KINDS.items() if words & known), None)


def outcome_of(check: CheckFacts) -> tuple[Outcome, str | None]:
    """How an ended check ended in our words, and a line about anything but a pass."""
    outcome, reason = _OUTCOMES.get(str(check.conclusion), (Outcome.skipped, "it ended in a way we do not know"))
    words = f"{check.title or ''}\n{check.summary or ''}"[:20_000]
    if outcome is Outcome.failed and _INFRA.search(words):
        return Outcome.infra_failed, "the machine it ran on gave up"
    return outcome, reason


def _newest(checks: Iterable[CheckFacts], around: Around) -> list[CheckFacts]:
    """Of each name and App the newest, in order of names; our own left out."""
    found: dict[tuple[str, object, str], CheckFacts] = {}
    for check in checks:
        is_ours = around.app_id is not None and check.app_id == around.app_id
        if is_ours or check.name == around.check_name or _is_told_by_job(check, around):
            continue
        key = (check.source, check.app_id if check.app_id is not None else check.app_slug, check.name)
        known = found.get(key)
        if known is None or _age(known) <= _age(check):
            found[key] = check
    return sorted(found.values(), key=lambda check: (check.name, check.source))


def _is_told_by_job(check: CheckFacts, around: Around) -> bool:
    caller, _, job = check.name.rpartition(" / ")
    is_publishing = bool(caller) and job == _PUBLISHES and _POSTS in around.told_by_job
    return is_publishing or job in around.told_by_job


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
        said.append("it fails on the base too" if was_bad else "its gate is `informational`")
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
    """A line about a check that does not count, where it says anything but good."""
    if check.status == "completed" and check.conclusion not in ("success", "skipped", "neutral"):
        why = f"Assay cannot tell what it checks, and the branch does not require it; it ended {check.conclusion}"
        yield NotChecked(_shown(check.name), why)


def _still_running(around: Around) -> str:
    return "it did not end in the time it was waited for" if around.is_over else "it still runs"


def _found_in(check: CheckFacts, *, is_required: bool) -> str:
    who = check.app_slug or ("a commit status" if check.source == "status" else "an App")
    parts = [REPORTED_BY, f"run by {_shown(who)}", *(["required"] if is_required else [])]
    return ", ".join(parts) + (f": {_shown(check.url)}" if check.url else "")


def _duration_s(check: CheckFacts) -> float:
    if check.started_at is None or check.completed_at is None:
        return 0.0
    return round(max(0.0, (check.completed_at - check.started_at).total_seconds()), 3)


def _counts(check: CheckFacts) -> Counts:
    """What the check's own words count: `42 passed, 1 failed`. Only where passed or failed is among them."""
    words = f"{check.title or ''}\n{check.summary or ''}"[:20_000]
    found = {name: int(match[1]) for name, pattern in _COUNTS.items() if (match := pattern.search(words))}
    return Counts(**found) if "passed" in found or "failed" in found else Counts()


def _excerpt(check: CheckFacts) -> tuple[str, ...]:
    lines = (check.summary or "")[:20_000].splitlines()
    return tuple(line[:MOST_WORDS] for line in lines if line.strip())[:40]


def _shown(text: str) -> str:
    """One printable line of bounded length; the renderers escape the rest."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: MOST_WORDS * 4]).split())
    return line[:MOST_WORDS] or "(no name)"
