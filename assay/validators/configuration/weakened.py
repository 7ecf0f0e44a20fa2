"""Differences between two configurations, and whether each loosens a gate.

`LOOSENS` has a comparison for every key; a test fails if one is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from assay.validators.configuration.keys import KEYS
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.reading import dotted, values_of

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
    before, after = dict(leaves(base)), dict(leaves(head))
    return [
        SettingChange(key, before.get(key), after.get(key), _judgement(key)(before.get(key), after.get(key)))
        for key in sorted({*before, *after}, key=_place)
        if before.get(key, {}) != after.get(key, {})
    ]


def leaves(config: ValidationConfig) -> Iterator[tuple[str, Any]]:
    """Yield every value as plain data by its dotted key, such as `tier2.severities.naming`."""
    return ((dotted(path), value) for path, value in values_of(config.model_dump(mode="json", by_alias=True)))


def _place(key: str) -> tuple[int, str]:
    return next(((index, key) for index, one in enumerate(KEYS) if key == one or key.startswith(f"{one}.")), (-1, key))


def _judgement(key: str) -> Judgement:
    return next(judge for one, judge in LOOSENS.items() if f"{key}.".startswith(f"{one}."))


# ------------------------------------------------------------------ comparisons


def _ranked(*strictest_first: Any) -> Judgement:
    """Return a comparison by rank: a later value is looser."""
    return lambda before, after: strictest_first.index(after) > strictest_first.index(before)


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


def _enforced(before: Sequence[str], after: Sequence[str]) -> bool | None:
    """Compare patterns of enforced repositories: a lost one is looser, and so is a new `!pattern`."""
    return _excluded(after, before)


def _shrunk(before: Sequence[Any], after: Sequence[Any]) -> bool | None:
    """Compare a list of watched things: a lost entry is looser."""
    return not set(before) <= set(after)


def _grown(before: Sequence[str], after: Sequence[str]) -> bool | None:
    """Compare a list of what counts as proof: a new entry is looser."""
    return _shrunk(after, before)


def _allowed(before: Sequence[str], after: Sequence[str]) -> bool | None:
    """Judge a list of what is allowed, where an empty one allows everything."""
    return bool(before) and (not after or _grown(before, after))


def _required(before: bool | None, after: bool | None) -> bool | None:
    """Compare a flag whose default follows the mode; the mode's own comparison covers the default."""
    return None if after is None else before is not False and not after


def _public_api(before: Sequence[str], after: Sequence[str]) -> bool | None:
    """Compare interface globs; an empty list means "found by convention" and cannot be compared."""
    return _shrunk(before, after) if before and after else None


def _entries(name: str, part: str, judge: Judgement) -> Judgement:
    """Return a comparison of lists whose entries are plain texts, or mappings with a name: a lost entry is looser.

    `judge` compares a part of two entries of one name; everything else that differs is unclear.
    """

    def compare(before: Sequence[Any], after: Sequence[Any]) -> bool | None:
        olds, news = ({_named(one, name): one for one in entries} for entries in (before, after))
        outcomes = [_entry(old, news.get(key), part, judge) for key, old in olds.items()]
        if True in outcomes or len(olds) > len(news):
            return True
        return None if None in outcomes else False

    return compare


def _named(entry: Any, name: str) -> Any:
    return entry if isinstance(entry, str) else entry[name]


def _entry(old: Any, new: Any, part: str, judge: Judgement) -> bool | None:
    before, after = (one.get(part) if isinstance(one, dict) else None for one in (old, new))
    if new == old:
        return False
    return judge(before, after) if before is not None and after is not None and before != after else None


def _commands(before: Any, after: Any) -> bool | None:
    if before is None or after is None:
        # Discovery is replaced or restored: its commands are not in the configuration.
        return True if after == [] else None
    return _entries("run", "gate", _GATES)(before, after)


def _custom_rules(before: Any, after: Any) -> bool | None:
    lost = {_named(one, "id") for one in before} - {_named(one, "id") for one in after}
    return True if lost else _entries("id", "severity", _SEVERITIES)(before, after)


def _severity(before: Any, after: Any) -> bool | None:
    """Compare a rule's severity; None means the rule's default, which is unknown here."""
    if before is None:
        return {"off": True, "error": False}.get(after)
    if after is None:
        return False if before in ("off", "info") else None
    return _SEVERITIES(before, after)


def _signal(before: bool | None, after: bool | None) -> bool | None:
    """Compare a signal's switch, which is on by default."""
    return before is not False and after is False


_GATES = _ranked("strict", "regression_only", "informational")
_SEVERITIES = _ranked("error", "warning", "info", "off")
_ROWS: tuple[tuple[Judgement, str], ...] = (
    (_ranked(True, False), "tier1.enabled tier2.enabled tier3.enabled learning.enabled"),
    (_ranked(True, False), "tier2.review.enabled tier2.review.demonstrate"),
    (_ranked(False, True), "tier1.network dependencies.offline"),
    (_GATES, "tier1.gate"),
    (_ranked("block", "note"), "tier1.flaky"),
    (lambda _, after: after == "affected", "tier1.tests"),
    (_ranked("required", "auto", "off"), "tier1.sandbox"),
    (_ranked("warning", "error"), "tier2.blockingSeverity"),
    (_ranked("high", "critical"), "tier3.riskThresholdForHold"),
    (_ranked("unknown", "level", "policy"), "tier3.holdOn"),
    (_ranked("seed", "narrow"), "tier3.policy"),
    (_ranked("maintainer", "quorum"), "learning.confirmedBy"),
    (_ranked("enforce", "advisory"), "mode"),
    (_commands, "tier1.commands"),
    (_required, "tier1.requireTests"),
    (_custom_rules, "tier2.customRules"),
    (_severity, "tier2.severities"),
    (_public_api, "tier3.paths.publicApi"),
    (_signal, "tier3.signals"),
    (_grown, "tier1.testChecks dependencies.private"),
    (_allowed, "dependencies.licences.allow"),
    (_enforced, "enforceIn"),
    (_excluded, "generated vendored exclude"),
    (_shrunk, "tier3.paths.securitySensitive tier3.paths.sharedInfrastructure tier3.paths.schemas"),
    (_shrunk, "tier1.scanners dependencies.licences.deny locked"),
    (_less, "tier1.timeoutSeconds tier2.timeoutSeconds tier3.timeoutSeconds tier2.review.maxUsd"),
    (_rising, "tier2.complexity.cyclomatic tier2.complexity.cognitive tier2.complexity.nesting"),
    (_falling, "tier3.coverage.medium tier3.coverage.high dependencies.minimumAge"),
    # Another file of learned rules may have fewer rules, or none.
    (_unclear, "tier1.setup tier2.learnedRules learning.threshold extends"),
    (_neutral, "maxFixCyclesPerTier handBack agents comments learning.repeatAlerts learning.instructionFiles"),
)
LOOSENS = {key: judge for judge, keys in _ROWS for key in keys.split()}
