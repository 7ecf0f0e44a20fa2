"""Gates for changes: Assay's configuration, CODEOWNERS, coverage thresholds, hooks, merge rules.

A change is validated by the base's rules. If it edits them, this signal adds the level under its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay.validators.changes.change import ChangedFile, SourceTree, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.configuration.loading import NAMES, load_configuration
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.settings_files import yaml_of
from assay.validators.configuration.weakened import SettingChange, difference
from assay.validators.errors import ConfigurationError
from assay.validators.languages.inert import is_inert
from assay.validators.policy.gitattributes import states_of
from assay.validators.report.model import RiskLevel
from assay.validators.risk.ci.coverage_thresholds import lowered_thresholds
from assay.validators.risk.code_owners import PLACES, owners_of
from assay.validators.risk.signal import Measure, RiskContext, RiskyChange, factor_of, worst_first

HOOKS = ".pre-commit-config.yaml"
MOST_OWNED_PATHS = 5000
"""Maximum paths whose owners are compared when CODEOWNERS changes."""
_MERGE_RULES = re.compile(
    r"\.?pullapprove\.ya?ml|\.mergify\.ya?ml|\.mergify/config\.ya?ml|\.github/(settings|mergify|auto[-_]?merge[\w-]*)\.ya?ml|\.github/rulesets/.*"
    r"|\.prow/.*|OWNERS|OWNERS_ALIASES|\.bulldozer\.ya?ml|\.kodiak\.toml"
)


_TOLD_TO_AGENTS = re.compile(
    r"(?:.*/)?(?:AGENTS|CLAUDE|GEMINI|CONVENTIONS)(?:\.local)?\.md|(?:.*/)?\.(?:cursor|windsurf|cline|roo)rules"
    r"|\.github/(?:copilot-instructions\.md|(?:instructions|prompts|chatmodes|agents)/.+)"
    r"|(?:.*/)?\.(?:claude|cursor|codex|gemini|windsurf|junie|roo|clinerules|continue|aider)(?:/.+|\.conf\.ya?ml)"
)
_RUN_BY_AGENTS = re.compile(
    r"(?:.*/)?(?:\.?mcp\.json|\.vscode/mcp\.json|\.(?:claude|cursor|codex|gemini)/(?:mcp\.json|settings(?:\.local)?\.json|config\.toml|hooks[/.].*))"
)
"""Settings of an agent's permissions and of the programs it starts."""


class GatesSignal:
    """Signal `gates`: a change may loosen the rules it is validated by."""

    name = "gates"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield one factor for the most severe change of a gate, and the level under the change's own configuration."""
        found: list[RiskyChange] = []
        for file in context.change.files:
            if file.path in NAMES or file.base_path in NAMES or file.path == "pyproject.toml":
                found.extend(_own_configuration(context, file))
            if file.path in PLACES or file.base_path in PLACES:
                found.extend(_code_owners(context, file))
            if _MERGE_RULES.fullmatch(file.path) and not is_inert(context.change, file):
                text = "the rules for merging are edited"
                found.append(RiskyChange(RiskLevel.high, text, file.path, _first_line(file)))
            if file.path.rpartition("/")[2] == ".gitattributes":
                found.extend(_attributes(file))
            found.extend(_for_agents(file))
        found.extend(RiskyChange(RiskLevel.critical, *lowered) for lowered in lowered_thresholds(context.change))
        found.extend(_hooks(context))
        if not found:
            return
        found = worst_first(found)
        worst = found[0]
        level = worst.level if worst.level is RiskLevel.critical else context.level(worst.level, RiskLevel.high)
        advice = "keep the rule, or move it to a separate change reviewed by its owners"
        yield factor_of(self.name, level, f"{_reason(level, worst)}{worst.text}", found, advice)


def _reason(level: RiskLevel | None, worst: RiskyChange) -> str:
    if _TOLD_TO_AGENTS.fullmatch(worst.path) or _RUN_BY_AGENTS.fullmatch(worst.path):
        return ""
    return f"it {'loosens' if level is RiskLevel.critical else 'edits'} a rule that applies to changes: "


def _for_agents(file: ChangedFile) -> Iterator[RiskyChange]:
    """Yield edited instructions, permissions and programs of coding agents."""
    if file.nature in (Nature.test, Nature.vendored):
        return
    verb = {"added": "is new", "deleted": "is gone"}.get(str(file.status), "is edited")
    for pattern, what in (
        (_RUN_BY_AGENTS, "settings of coding agents"),
        (_TOLD_TO_AGENTS, "instructions for coding agents"),
    ):
        if pattern.fullmatch(file.path) or pattern.fullmatch(file.base_path or ""):
            yield RiskyChange(None, f"{shown(file.path)} {verb}: {what}", file.path, _first_line(file))
            return


def _attributes(file: ChangedFile) -> Iterator[RiskyChange]:
    """Yield lines that decide which files later changes treat as generated, vendored or documentation."""
    for lines, loosening in ((file.added, True), (file.removed, False)):
        for number, text in lines.items():
            if loosening in states_of(text).values():
                verb = "marks" if loosening else "no longer marks"
                line = number if loosening else None
                said = f"{verb} files for later changes: {' '.join(text.split())}"
                yield RiskyChange(RiskLevel.high, said, file.path, line)


def _own_configuration(context: RiskContext, file: ChangedFile) -> Iterator[RiskyChange]:
    inherited = context.change.inherited
    try:
        before = load_configuration(context.change.base, inherited=inherited)
    except ConfigurationError:
        return  # the loader of the effective configuration reported it
    try:
        after = load_configuration(context.change.head, inherited=inherited)
    except ConfigurationError as error:
        text = f"the new configuration is invalid: {error.problems[0].message}"
        yield RiskyChange(RiskLevel.critical, text, file.path)
        return
    differences = difference(before.config, after.config)
    for one in differences:
        yield RiskyChange(_level_of(one), _in_words(one), file.path, _line_naming(file, one.key))
    if differences:
        yield RiskyChange(RiskLevel.low, f"by its own rules {_level_under(context, after.config)}", file.path)
    for note in after.notes:
        if note not in before.notes:
            yield RiskyChange(None, f"{note.what}: {note.why}", file.path)


def _level_under(context: RiskContext, config: ValidationConfig) -> str:
    """Return the policy floor of the rest of the change under another configuration."""
    if not config.tier3.enabled:
        return "risk would not be checked"
    return f"the policy floor of everything else would be {context.level_under(config, GatesSignal.name)}"


def _level_of(one: SettingChange) -> RiskLevel | None:
    if one.loosens is None:
        return RiskLevel.high
    return RiskLevel.critical if one.loosens else None


def _in_words(one: SettingChange) -> str:
    return f"{one.key}: {_short(one.before)} -> {_short(one.after)}"


def _short(value: Any) -> str:
    words = "unset" if value is None else str(value)
    return words if len(words) <= 60 else f"{words[:57]}..."


def _line_naming(file: ChangedFile, key: str) -> int | None:
    last = key.rpartition(".")[2]
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", last).lower()
    return next((line for line, text in file.added.items() if last in text or snake in text), None)


def _code_owners(context: RiskContext, file: ChangedFile) -> Iterator[RiskyChange]:
    """Yield paths that lose owners, compared by the effect on existing paths."""
    before, after = owners_of(context.change.base), owners_of(context.change.head)
    lost, moved = [], []
    for path in context.change.head.paths[:MOST_OWNED_PATHS]:
        was, now = before(path), after(path)
        if was and not now:
            lost.append(path)
        elif set(was) - set(now):
            moved.append(path)
    if lost:
        text = f"{len(lost)} files, {shown(lost[0])} among them, have no owner any more"
        yield RiskyChange(RiskLevel.critical, text, file.path, _first_line(file))
    if moved:
        text = f"{len(moved)} files, {shown(moved[0])} among them, lose an owner"
        yield RiskyChange(RiskLevel.high, text, file.path, _first_line(file))
    if not lost and not moved:
        yield RiskyChange(None, "no file loses an owner", file.path, _first_line(file))


def _hooks(context: RiskContext) -> Iterator[RiskyChange]:
    """Yield hooks removed from .pre-commit-config.yaml; with new ones in their place it may be an exchange."""
    file = context.change.by_path.get(HOOKS)
    if file is None:
        return
    before, after = _hook_ids(context.change.base), _hook_ids(context.change.head)
    come = sorted(set(after) - set(before))
    level = None if come else RiskLevel.high
    instead = f"; new: {', '.join(come[:3])}" if come else ""
    for hook in sorted(set(before) - set(after)):
        yield RiskyChange(level, f"the hook {hook} is gone{instead}", HOOKS)


def _hook_ids(tree: SourceTree) -> list[str]:
    hooks = [hook for repo in yaml_of(tree, HOOKS).at("repos").items for hook in repo.at("hooks").items]
    return [node.text for hook in hooks if (node := hook.get("id")) is not None]


def _first_line(file: ChangedFile) -> int | None:
    return next(iter(file.added), None)
