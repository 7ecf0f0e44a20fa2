"""Differences between two configurations, and whether each loosens a gate.

`_LOOSENS` has a comparison for every key; a test fails if one is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import BaseModel

from assay.validators.configuration.learning import ConfirmedBy
from assay.validators.configuration.model import (
    Command,
    CustomRule,
    FailOn,
    HoldOn,
    Mode,
    Override,
    Policy,
    Sandbox,
    UnknownIs,
    ValidationConfig,
)
from assay.validators.report.model import Gate, RiskLevel, Severity

Judgement: TypeAlias = Callable[[Any, Any], bool | None]
"""(before, after) that differ -> True if less is checked or blocks, False if not, None if unclear."""


@dataclass(frozen=True, slots=True)
class SettingChange:
    """Differing key: its dotted name, both values as plain data, and whether the change loosens a gate.

    `loosens` is None if the values alone do not decide.
    """

    key: str
    before: Any
    after: Any
    loosens: bool | None


def difference(base: ValidationConfig, head: ValidationConfig) -> list[SettingChange]:
    """Return the differences between two configurations, in key order."""
    return [
        SettingChange(key, _plain(before), _plain(after), loosens)
        for key, before, after, loosens in _differences(base, head)
    ]


def _differences(base: ValidationConfig, head: ValidationConfig) -> Iterator[tuple[str, Any, Any, bool | None]]:
    news = dict(leaves(head))
    for key, before in leaves(base):
        after = news[key]
        if isinstance(before, Mapping):
            for name in sorted({*before, *after}):
                if before.get(name) != after.get(name):
                    one, other = before.get(name), after.get(name)
                    yield f"{key}.{name}", one, other, _LOOSENS[key](one, other)
        elif before != after:
            yield key, before, after, _LOOSENS[key](before, after)


def leaves(section: BaseModel, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every key below a section by its dotted name, with its value; sections themselves are left out."""
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        key = f"{above}{field.alias or name}"
        if isinstance(value, BaseModel):
            yield from leaves(value, f"{key}.")
        else:
            yield key, value


# ------------------------------------------------------------------ comparisons


def _ranked(*strictest_first: Any) -> Judgement:
    """Return a comparison by rank: a later value is looser."""
    row = list(strictest_first)

    def judge(before: Any, after: Any) -> bool | None:
        return row.index(after) > row.index(before)

    return judge


def _rising(before: Any, after: Any) -> bool | None:
    """Compare an upper limit: a higher one is looser."""
    return bool(after > before)


def _falling(before: Any, after: Any) -> bool | None:
    """Compare a lower limit: a lower one is looser."""
    return bool(after < before)


def _unclear(before: Any, after: Any) -> bool | None:  # noqa: ARG001 - the shape of a judgement
    return None


def _neutral(before: Any, after: Any) -> bool | None:  # noqa: ARG001
    return False


def _less(before: float, after: float) -> bool | None:
    """Compare a limit of time or cost: with less, less may be checked, which is unclear."""
    return None if after < before else False


def _excluded(before: Sequence[str], after: Sequence[str]) -> bool | None:
    """Compare patterns of excluded paths: a new one is looser, and so is the loss of a `!pattern`."""
    new, gone = set(after) - set(before), set(before) - set(after)
    return any(not one.startswith("!") for one in new) or any(one.startswith("!") for one in gone)


def _shrunk(before: Sequence[Any], after: Sequence[Any]) -> bool | None:
    """Compare a list of watched things: a lost entry is looser."""
    return not set(before) <= set(after)


def _grown(before: Sequence[str], after: Sequence[str]) -> bool | None:
    """Compare a list of what counts as proof: a new entry is looser."""
    return not set(after) <= set(before)


def _allowed(before: Sequence[str], after: Sequence[str]) -> bool | None:
    """Judge a list of what is allowed, where an empty one allows everything."""
    return bool(before) and (not after or not set(after) <= set(before))


def _enforced_less(before: Sequence[str], after: Sequence[str]) -> bool | None:
    """Compare patterns of enforced repositories: a lost one is looser, and so is a new `!pattern`."""
    return any(not one.startswith("!") for one in set(before) - set(after)) or any(
        one.startswith("!") for one in set(after) - set(before)
    )


def _required(before: bool | None, after: bool | None) -> bool | None:
    """Compare a flag whose default follows the mode; the mode's own comparison covers the default."""
    return None if after is None else before is not False and not after


def _public_api(before: Sequence[str], after: Sequence[str]) -> bool | None:
    """Compare interface globs; an empty list means "found by convention" and cannot be compared."""
    return _shrunk(before, after) if before and after else None


def _commands(before: Sequence[Any] | None, after: Sequence[Any] | None) -> bool | None:
    if before is None or after is None:
        # Discovery is replaced or restored: its commands are not in the configuration.
        return True if after == () else None
    olds, news = _by_name(before, "run"), _by_name(after, "run")
    return _worst([_command(old, news.get(name)) for name, old in olds.items()], lost=len(olds) - len(news))


def _command(before: Any, after: Any) -> bool | None:
    if after is None or before == after:
        return None if after is None else False
    old = before if isinstance(before, Command) else Command(run=before)
    new = after if isinstance(after, Command) else Command(run=after)
    if old.gate is not None and new.gate is not None and old.gate != new.gate:
        return _GATES(old.gate, new.gate)
    return None


def _custom_rules(before: Sequence[Any], after: Sequence[Any]) -> bool | None:
    olds, news = _by_name(before, "id"), _by_name(after, "id")
    if set(olds) - set(news):
        return True
    return _worst([_custom_rule(old, news[name]) for name, old in olds.items()])


def _custom_rule(before: CustomRule | str, after: CustomRule | str) -> bool | None:
    if before == after:
        return False
    if isinstance(before, str) or isinstance(after, str) or before.severity == after.severity:
        return None
    return True if after.severity.rank < before.severity.rank else None


def _by_name(items: Sequence[Any], attribute: str) -> dict[str, Any]:
    return {item if isinstance(item, str) else getattr(item, attribute): item for item in items}


def _severity(before: Any, after: Any) -> bool | None:
    """Compare a rule's severity; None means the rule's default, which is unknown here."""
    if before is None:
        return {"off": True, Severity.error: False}.get(after)
    if after is None:
        return False if before in ("off", Severity.info) else None
    return _SEVERITIES(before, after)


def _signal(before: bool | None, after: bool | None) -> bool | None:
    """Compare a signal's switch, which is on by default."""
    return before is not False and after is False


def _overrides(before: Sequence[Override], after: Sequence[Override]) -> bool | None:
    """Compare overrides: a new or changed one that turns a rule off is looser; the rest depends on the paths."""
    outcomes = [
        any(severity == "off" for severity in override.severities.values())
        for override in after
        if override not in before
    ]
    return True if any(outcomes) else None


def _worst(outcomes: Sequence[bool | None], lost: int = 0) -> bool | None:
    """Return True if one is True or more was lost than added; None if one is unclear."""
    if True in outcomes or lost > 0:
        return True
    return None if None in outcomes else False


_GATES = _ranked(Gate.strict, Gate.regression_only, Gate.informational)
_ON = _ranked(True, False)
_SEVERITIES = _ranked(Severity.error, Severity.warning, Severity.info, "off")


def _all(comparison: Judgement, keys: str) -> dict[str, Judgement]:
    return dict.fromkeys(keys.split(), comparison)


_LOOSENS: dict[str, Judgement] = {
    **_all(
        _ON,
        "tier1.enabled tier1.changedTests tier2.enabled tier3.enabled learning.enabled tier1.scanners.semgrep "
        "tier1.scanners.bandit tier1.scanners.zizmor tier1.scanners.squawk tier2.review.enabled "
        "tier2.review.demonstrate tier2.review.risk",
    ),
    "tier1.gate": _GATES,
    "tier1.sandbox": _ranked(Sandbox.required, Sandbox.auto, Sandbox.off),
    "tier1.network": _ranked(False, True),
    "tier1.commands": _commands,
    "tier1.requireTests": _required,
    "tier1.testChecks": _grown,
    "tier2.blockingSeverity": _ranked(Severity.warning, Severity.error),
    "tier2.customRules": _custom_rules,
    "tier2.severities": _severity,
    "tier3.riskThresholdForHold": _ranked(RiskLevel.high, RiskLevel.critical),
    "tier3.holdOn": _ranked(HoldOn.level, HoldOn.policy),
    "tier3.policy": _ranked(Policy.seed, Policy.narrow),
    "tier3.unknown": _ranked(UnknownIs.hold, UnknownIs.medium, UnknownIs.note),
    "tier3.paths.publicApi": _public_api,
    "tier3.signals": _signal,
    "learning.confirmedBy": _ranked(ConfirmedBy.maintainer, ConfirmedBy.quorum),
    "mode": _ranked(Mode.enforce, Mode.advisory),
    "failOn": _ranked(FailOn.hold, FailOn.failure, FailOn.never),
    "overrides": _overrides,
    "tier2.review.questions": _shrunk,
    **_all(
        _less,
        "tier1.timeoutSeconds tier1.setupTimeoutSeconds tier2.timeoutSeconds tier3.timeoutSeconds tier2.review.maxUsd "
        "tier2.review.maxUsdPerPull tier2.review.maxUsdPerMonth tier2.review.timeoutSeconds",
    ),
    **_all(
        _rising,
        "tier2.complexity.cyclomatic tier2.complexity.cognitive tier2.complexity.nesting tier2.duplication.minLines "
        "tier2.duplication.minTokens tier2.naming.minSamples tier2.naming.agreement tier3.surface.medium "
        "tier3.surface.high tier3.dependents.medium tier3.dependents.high tier3.coverage.minLines",
    ),
    **_all(
        _falling,
        "tier3.coverage.medium tier3.coverage.high learning.quorumReviewers learning.quorumPulls "
        "tier2.review.maxFindings",
    ),
    **_all(
        _shrunk, "tier1.coverage tier3.paths.securitySensitive tier3.paths.sharedInfrastructure tier3.paths.schemas"
    ),
    **_all(_excluded, "generated vendored unreadable exclude"),
    "dependencies.offline": _ranked(False, True),
    "dependencies.minimumAge": _falling,
    "dependencies.licences.allow": _allowed,
    "dependencies.licences.deny": _shrunk,
    "dependencies.private": _grown,
    "locked": _shrunk,
    "enforceIn": _enforced_less,
    # Another file of learned rules may have fewer rules, or none.
    **_all(_unclear, "tier1.setup tier2.learnedRules learning.threshold extends"),
    **_all(
        _neutral,
        "maxFixCyclesPerTier handBack agents comments learning.repeatAlerts learning.repeatAfter learning.notifyAfter "
        "learning.pendingDays learning.confirmedDays learning.instructionFiles",
    ),
}


def _plain(value: Any) -> Any:
    """Return the value as plain JSON data."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value
