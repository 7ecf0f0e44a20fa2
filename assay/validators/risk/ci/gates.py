"""Gates for changes: Assay's configuration, CODEOWNERS, coverage thresholds, hooks, merge rules.

A change is validated by the base's rules. If it edits them, this signal adds the level under its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay.validators.changes.change import ChangedFile, SourceTree, shown
from assay.validators.changes.classify import RUN_BY_AGENTS, TOLD_TO_AGENTS, Nature
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.configuration.loading import CONFIGURATION, load_configuration
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.settings_files import yaml_of
from assay.validators.configuration.weakened import SettingChange, difference
from assay.validators.errors import ConfigurationError
from assay.validators.languages.inert import is_inert
from assay.validators.policy.gitattributes import states_of
from assay.validators.report.model import Statement
from assay.validators.risk.ci.coverage_thresholds import lowered_thresholds
from assay.validators.risk.ci.weaker_tools import weaker_tools
from assay.validators.risk.code_owners import PLACES, owners_of
from assay.validators.risk.signal import Measure, RiskContext

HOOKS = ".pre-commit-config.yaml"
MOST_OWNED_PATHS = 5000
"""Maximum paths whose owners are compared when CODEOWNERS changes."""
_MERGE_RULES = re.compile(
    r"\.?pullapprove\.ya?ml|\.mergify\.ya?ml|\.mergify/config\.ya?ml|\.github/(settings|mergify|auto[-_]?merge[\w-]*)\.ya?ml|\.github/rulesets/.*"
    r"|\.prow/.*|OWNERS|OWNERS_ALIASES|\.bulldozer\.ya?ml|\.kodiak\.toml"
)


class GatesSignal:
    """Signal `gates`: a change may loosen the rules it is validated by."""

    name = "gates"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every change of a gate, and the level under the change's own configuration."""
        for file in context.change.files:
            if CONFIGURATION in (file.path, file.base_path):
                yield from _own_configuration(context, file)
            if file.path in PLACES or file.base_path in PLACES:
                yield from _code_owners(context, file)
            if _MERGE_RULES.fullmatch(file.path) and not is_inert(context.change, file):
                yield Statement("gate_weakened", "the rules for merging are edited", file.path, _first_line(file))
            if file.path.rpartition("/")[2] == ".gitattributes":
                yield from _attributes(file)
            yield from _for_agents(file)
        for lowered in lowered_thresholds(context.change):
            yield Statement("gate_loosened", *lowered)
        yield from weaker_tools(context.change)
        yield from _hooks(context)


def _for_agents(file: ChangedFile) -> Iterator[Statement]:
    """Yield edited instructions, permissions and programs of coding agents."""
    if file.nature in (Nature.test, Nature.vendored):
        return
    verb = {"added": "is new", "deleted": "is gone"}.get(str(file.status), "is edited")
    for pattern, what in (
        (RUN_BY_AGENTS, "settings of coding agents"),
        (TOLD_TO_AGENTS, "instructions for coding agents"),
    ):
        if pattern.fullmatch(file.path) or pattern.fullmatch(file.base_path or ""):
            yield Statement("agent_settings", f"{shown(file.path)} {verb}: {what}", file.path, _first_line(file))
            return


def _attributes(file: ChangedFile) -> Iterator[Statement]:
    """Yield lines that decide which files later changes treat as generated, vendored or documentation."""
    for lines, loosening in ((file.added, True), (file.removed, False)):
        for number, text in lines.items():
            if loosening in states_of(text).values():
                verb = "marks" if loosening else "no longer marks"
                line = number if loosening else None
                said = f"{verb} files for later changes: {' '.join(text.split())}"
                yield Statement("gate_weakened", said, file.path, line)


def _own_configuration(context: RiskContext, file: ChangedFile) -> Iterator[Statement]:
    inherited = context.change.inherited
    try:
        before = load_configuration(context.change.base, inherited=inherited)
    except ConfigurationError:
        return  # the loader of the effective configuration reported it
    try:
        after = load_configuration(context.change.head, inherited=inherited)
    except ConfigurationError as error:
        text = f"the new configuration is invalid: {error.problems[0].message}"
        yield Statement("gate_loosened", text, file.path)
        return
    differences = difference(before.config, after.config)
    for one in differences:
        yield Statement(_kind_of(one), _in_words(one), file.path, _line_naming(file, one.key))
    if differences:
        yield Statement("gate_edited", f"by its own rules {_level_under(context, after.config)}", file.path)
    for note in after.notes:
        if note not in before.notes:
            yield Statement("gate_edited", f"{note.what}: {note.why}", file.path)


def _level_under(context: RiskContext, config: ValidationConfig) -> str:
    """Return the policy floor of the rest of the change under another configuration."""
    if not config.tier3.enabled:
        return "risk would not be checked"
    return f"the policy floor of everything else would be {context.level_under(config, GatesSignal.name)}"


def _kind_of(one: SettingChange) -> str:
    if one.loosens is None:
        return "gate_weakened"
    return "gate_loosened" if one.loosens else "gate_edited"


def _in_words(one: SettingChange) -> str:
    return f"{one.key}: {_short(one.before)} -> {_short(one.after)}"


def _short(value: Any) -> str:
    words = "unset" if value is None else str(value)
    return words if len(words) <= 60 else f"{words[:57]}..."


def _line_naming(file: ChangedFile, key: str) -> int | None:
    last = key.rpartition(".")[2]
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", last).lower()
    return next((line for line, text in file.added.items() if last in text or snake in text), None)


def _code_owners(context: RiskContext, file: ChangedFile) -> Iterator[Statement]:
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
        yield Statement("gate_loosened", text, file.path, _first_line(file))
    if moved:
        text = f"{len(moved)} files, {shown(moved[0])} among them, lose an owner"
        yield Statement("gate_weakened", text, file.path, _first_line(file))
    if not lost and not moved:
        yield Statement("gate_edited", "no file loses an owner", file.path, _first_line(file))


def _hooks(context: RiskContext) -> Iterator[Statement]:
    """Yield hooks removed from .pre-commit-config.yaml; with new ones in their place it may be an exchange."""
    file = context.change.by_path.get(HOOKS)
    if file is None:
        return
    before, after = _hook_ids(context.change.base), _hook_ids(context.change.head)
    come = sorted(set(after) - set(before))
    kind = "gate_edited" if come else "gate_weakened"
    instead = f"; new: {', '.join(come[:3])}" if come else ""
    for hook in sorted(set(before) - set(after)):
        yield Statement(kind, f"the hook {hook} is gone{instead}", HOOKS)


def _hook_ids(tree: SourceTree) -> list[str]:
    hooks = [hook for repo in yaml_of(tree, HOOKS).at("repos").items for hook in repo.at("hooks").items]
    return [node.text for hook in hooks if (node := hook.get("id")) is not None]


def _first_line(file: ChangedFile) -> int | None:
    return next(iter(file.added), None)
