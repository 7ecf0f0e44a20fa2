r"""Rules learned from review comments, as data: their text, and a check if there is one.

They come with a validation request (from the App), or from a file of the base that `assay rules export --format
checks` writes:

    rules:
      - id: 0123456789ab
        text: "use the log, not `print`"
        paths: ["*.py"]
        from: "#12 by alice, #20 by bob"
        check: {kind: regex, pattern: 'print\(', where: code}
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import yaml

from assay.validators.configuration.field_types import check_glob, check_regex
from assay.validators.io.structured_files import Node, Unreadable, yaml_document

MOST_RULES = 200
"""Maximum rules per validation; each takes time, and repositories have far fewer."""
MOST_TEXT = 500
MOST_PATTERN = 2000
MOST_PATHS = 20
MOST_PLACE = 300
_ID = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z0-9+#]{0,19}")


class CheckKind(StrEnum):
    """Tool that runs a check."""

    regex = "regex"
    ast_grep = "ast-grep"
    semgrep = "semgrep"


class Where(StrEnum):
    """Part of an added line that a pattern is matched against.

    Its code (comments and strings blanked), its comments, or the whole line.
    """

    code = "code"
    comments = "comments"
    text = "text"


@dataclass(frozen=True, slots=True)
class LearnedCheck:
    """Check whose matches are certain.

    `pattern` is a regular expression, or semgrep's pattern; `where` applies to the former only. `rule` is ast-grep's
    `rule` object. `language` is its name in ast-grep or semgrep.
    """

    kind: CheckKind
    pattern: str = ""
    where: Where = Where.code
    language: str = ""
    rule: Mapping[str, Any] = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """Return the check as plain data for `check_from`."""
        data: dict[str, Any] = {"kind": str(self.kind)}
        if self.kind is CheckKind.ast_grep:
            return {**data, "language": self.language, "rule": dict(self.rule)}
        data["pattern"] = self.pattern
        return data | ({"where": str(self.where)} if self.kind is CheckKind.regex else {"language": self.language})


@dataclass(frozen=True, slots=True)
class LearnedRule:
    """Request of reviewers, and the paths it applies to (.gitignore patterns).

    `provenance` names the reviewers and pull requests. A rule without a `check` needs a model; `why_no_check` may give
    the reason.
    """

    rule_id: str
    text: str
    check: LearnedCheck | None = None
    paths: tuple[str, ...] = ("**",)
    provenance: str = ""
    why_no_check: str = ""

    def to_data(self) -> dict[str, Any]:
        """Return the rule as plain data for `rule_from`."""
        data: dict[str, Any] = {"id": self.rule_id, "text": self.text, "paths": list(self.paths)}
        data |= {"from": self.provenance} if self.provenance else {}
        data |= {"unchecked": self.why_no_check} if self.why_no_check else {}
        return data | ({"check": self.check.to_data()} if self.check is not None else {})


class NotARule(ValueError):
    """Invalid rule, with the reason in one line."""


def learned_file(rules: Sequence[LearnedRule]) -> str:
    """Return the rules as a file for a repository; equal rules give equal bytes."""
    data = {"rules": [rule.to_data() for rule in sorted(rules, key=lambda rule: rule.rule_id)]}
    head = "# Rules learned from reviews, written by `assay rules export --format checks`. See docs/quality.md.\n"
    return head + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)


def read_learned_file(content: bytes) -> tuple[LearnedRule, ...]:
    """Return the rules of such a file, all of them valid; raise `NotARule`."""
    try:
        document = yaml_document(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise NotARule("it is not UTF-8 text") from None
    except Unreadable as error:
        raise NotARule(str(error)) from None
    rules = document.get("rules")
    if rules is None or not isinstance(rules.value, list):
        raise NotARule("it has no list `rules`")
    return distinct(_at_line(item) for item in rules.items)


def rule_from(data: Mapping[str, Any]) -> LearnedRule:
    """Return a rule from its plain data; raise `NotARule`."""
    unknown = set(data) - {"id", "text", "paths", "from", "unchecked", "check"}
    if unknown:
        raise NotARule(f"`{min(unknown)}` is an unknown key")
    rule_id, paths, check = data.get("id"), data.get("paths", ["**"]), data.get("check")
    if not isinstance(rule_id, str) or not _ID.fullmatch(rule_id):
        raise NotARule("`id` should be lower-case letters, digits, `_`, `.` and `-`")
    if not isinstance(paths, list) or not 0 < len(paths) <= MOST_PATHS:
        raise NotARule(f"{rule_id}: `paths` should be a list of 1 to {MOST_PATHS} patterns")
    text = _text(data.get("text"), f"{rule_id}: `text`")
    if not text:
        raise NotARule(f"{rule_id}: `text` is missing")
    return LearnedRule(
        rule_id,
        text,
        None if check is None else check_from(check, rule_id),
        tuple(_place(path, rule_id) for path in paths),
        _text(data.get("from", ""), f"{rule_id}: `from`"),
        _text(data.get("unchecked", ""), f"{rule_id}: `unchecked`"),
    )


def check_from(data: object, rule_id: str = "check") -> LearnedCheck:
    """Return a check from its plain data; raise `NotARule`."""
    if not isinstance(data, Mapping) or data.get("kind") not in list(CheckKind):
        raise NotARule(f"{rule_id}: `check` needs a `kind`: {', '.join(CheckKind)}")
    kind = CheckKind(data["kind"])
    language = data.get("language", "")
    if kind is not CheckKind.regex and not (isinstance(language, str) and _LANGUAGE.fullmatch(language)):
        raise NotARule(f"{rule_id}: a check of kind {kind} needs a `language`")
    if kind is CheckKind.ast_grep:
        rule = data.get("rule")
        if not isinstance(rule, Mapping) or not rule or len(repr(rule)) > MOST_PATTERN:
            raise NotARule(f"{rule_id}: a check of kind ast-grep needs a `rule`, not longer than {MOST_PATTERN}")
        return LearnedCheck(kind, language=language, rule=dict(rule))
    pattern = data.get("pattern")
    if not isinstance(pattern, str) or not 0 < len(pattern) <= MOST_PATTERN:
        raise NotARule(f"{rule_id}: a check of kind {kind} needs a `pattern` of at most {MOST_PATTERN} characters")
    if kind is CheckKind.semgrep:
        return LearnedCheck(kind, pattern, language=language)
    where = data.get("where", str(Where.code))
    if where not in list(Where):
        raise NotARule(f"{rule_id}: `where` is one of {', '.join(Where)}")
    return LearnedCheck(kind, _regular(pattern, rule_id), Where(where))


def distinct(rules: Iterable[LearnedRule]) -> tuple[LearnedRule, ...]:
    """Return at most `MOST_RULES` rules with distinct ids; raise `NotARule` for more, or for a repeated id."""
    found: dict[str, LearnedRule] = {}
    for rule in rules:
        if rule.rule_id in found:
            raise NotARule(f"two rules are called {rule.rule_id}")
        found[rule.rule_id] = rule
        if len(found) > MOST_RULES:
            raise NotARule(f"it holds more than {MOST_RULES} rules")
    return tuple(found.values())


def _at_line(item: Node) -> LearnedRule:
    try:
        data = _plain(item)
        if not isinstance(data, dict):
            raise NotARule("a rule is a mapping")
        return rule_from(data)
    except NotARule as error:
        raise NotARule(f"line {item.line}: {error}") from None


def _plain(node: Node) -> Any:
    if isinstance(node.value, list):
        return [_plain(item) for item in node.value]
    if isinstance(node.value, dict):
        return {name: _plain(value) for name, value in node.value.items()}
    return node.value


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or len(value) > MOST_TEXT:
        raise NotARule(f"{what} should be a text of at most {MOST_TEXT} characters")
    return " ".join(value.split())


def _place(value: object, rule_id: str) -> str:
    if not isinstance(value, str) or len(value) > MOST_PLACE:
        raise NotARule(f"{rule_id}: a path pattern is a text of at most {MOST_PLACE} characters")
    try:
        return check_glob(value)
    except ValueError as error:
        raise NotARule(f"{rule_id}: a path pattern: {error}") from None


def _regular(pattern: str, rule_id: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return check_regex(pattern)
    except ValueError as error:
        raise NotARule(f"{rule_id}: {error}") from None
