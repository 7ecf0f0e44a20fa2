"""The rules semgrep receives: Assay's, and those the base of the change keeps in `.semgrep/`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from assay.validators.changes.change import SourceTree, decoded, shown
from assay.validators.io.globs import matcher
from assay.validators.io.structured_files import YAML_LOADER, Unreadable, yaml_document
from assay.validators.report.unknown import NotChecked

OUR_RULES = Path(__file__).parent / "rules"
"""Written for Assay: the registry's license does not allow redistribution of its rules."""

ANY = "any"
"""Rules for any text file: forms of secrets, which Assay searches for itself."""
BASE_FILE = "base.yaml"
MOST_BYTES = 512 * 1024
MOST_FILES = 200
MOST_RULES = 1000

_PLACE = re.compile(r"\.semgrep/.*\.ya?ml|\.semgrep\.ya?ml")
_TEST_OF_RULE = re.compile(r"\.(test|fixed)\.ya?ml$")
NO_RULES = "no list of rules in it, or too large"
REPOSITORY_RULES = "the repository's semgrep rules"


@dataclass(frozen=True, slots=True)
class BaseRule:
    """A rule of the repository: its id, its file, and the paths it applies to (patterns as in .gitignore)."""

    id: str
    file: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Return whether the rule applies to this file."""
        is_included = not self.include or matcher(self.include)(path)
        return is_included and not (self.exclude and matcher(self.exclude)(path))


@dataclass
class RuleSet:
    """The rule files semgrep gets, and the base's rules by their ids there."""

    files: list[str] = field(default_factory=list)
    base_rules: dict[str, BaseRule] = field(default_factory=dict)
    not_checked: list[NotChecked] = field(default_factory=list)

    def drop_base(self) -> None:
        """Continue without the base's rules, and report it."""
        self.files = [file for file in self.files if not file.endswith(f"/{BASE_FILE}")]
        self.base_rules.clear()
        self.not_checked.append(NotChecked(REPOSITORY_RULES, "semgrep cannot use them"))


@cache
def our_rules() -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Return Assay's rules by the name of their file (`python`), in order."""
    texts = {path.stem: path.read_text("utf-8") for path in sorted(OUR_RULES.glob("*.yaml"))}
    return {name: yaml.load(text, YAML_LOADER)["rules"] for name, text in texts.items()}  # noqa: S506 - a safe loader


def write_rules(base: SourceTree, folder: Path) -> RuleSet:
    """Write all rules into `folder`.

    The base's rules get new ids and lose `paths`, since semgrep sees exported file names. Whatever would access the
    network is removed.
    """
    rules = RuleSet()
    for name, ours in our_rules().items():
        rules.files += [] if name == ANY else [_written(folder / f"{name}.yaml", ours)]
    written: list[dict[str, Any]] = []
    for file in _rule_files(base)[:MOST_FILES]:
        for rule in _rules_in(file, base.read(file, MOST_BYTES), rules.not_checked):
            key = f"base-{len(written)}"
            where = _texts(rule.pop("paths", None))
            rules.base_rules[key] = BaseRule(str(rule["id"])[:120], file, where["include"], where["exclude"])
            written.append({**rule, "id": key})
    if written:
        rules.files.append(_written(folder / BASE_FILE, written[:MOST_RULES]))
    return rules


def has_rules(base: SourceTree) -> bool:
    """Return whether the base keeps semgrep rules."""
    return bool(_rule_files(base))


def _rule_files(base: SourceTree) -> list[str]:
    return [path for path in base.paths if _PLACE.fullmatch(path) and not _TEST_OF_RULE.search(path)]


def _written(path: Path, rules: Sequence[Mapping[str, Any]]) -> str:
    """Write rules as JSON, a subset of YAML, since semgrep's own parser lacks anchors; return the file's path."""
    path.write_text(json.dumps({"rules": list(rules)}, default=str), "utf-8")
    return str(path)


def _rules_in(file: str, content: bytes | None, not_checked: list[NotChecked]) -> Iterator[dict[str, Any]]:
    what = f"semgrep rules in {shown(file)}"
    try:
        text = decoded(content or b"")
        yaml_document(text)  # refuses what would grow without end
        document = yaml.safe_load(text)
    except (Unreadable, yaml.YAMLError, ValueError, RecursionError) as error:
        not_checked.append(NotChecked(what, " ".join(str(error).split())[:200]))
        return
    found = document.get("rules") if isinstance(document, dict) else None
    if not isinstance(found, list):
        not_checked.append(NotChecked(what, NO_RULES))
        return
    for number, rule in enumerate(found):
        wrong = _wrong_with(rule)
        if wrong:
            name = rule.get("id") if isinstance(rule, dict) else number
            not_checked.append(NotChecked(f"{what}: {str(name)[:120]}", wrong))
        else:
            yield {key: value for key, value in rule.items() if key not in ("validators", "request", "response")}


def _wrong_with(rule: object) -> str | None:
    """Return why a rule cannot be used, so that it does not break the others."""
    if not isinstance(rule, dict) or not all(isinstance(rule.get(key), str) for key in ("id", "message", "severity")):
        return "a rule needs an id, a message and a severity"
    languages = rule.get("languages")
    if not isinstance(languages, list) or not all(isinstance(name, str) for name in languages):
        return "a rule needs a list of languages"
    if rule.get("mode") in ("join", "extract", "steps"):
        return f"mode {rule['mode']} is not run: it reads rules from elsewhere"
    return None


def _texts(paths: object) -> dict[str, tuple[str, ...]]:
    found = {}
    for key in ("include", "exclude"):
        listed = paths.get(key) if isinstance(paths, Mapping) else None
        found[key] = tuple(text for text in listed if isinstance(text, str)) if isinstance(listed, list) else ()
    return found
