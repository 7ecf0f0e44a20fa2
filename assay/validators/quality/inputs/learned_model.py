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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Self, TypeVar

import yaml
from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError, model_validator

from assay.validators.configuration.field_types import check_glob, check_regex
from assay.validators.io.structured_files import Node, Unreadable, yaml_document
from assay.validators.report.model import Severity

MOST_RULES = 200
"""Maximum rules per validation; each takes time, and repositories have far fewer."""
MOST_TEXT = 500
MOST_PATTERN = 2000
MOST_PATHS = 20
MOST_PLACE = 300
_Text = Annotated[str, StringConstraints(max_length=MOST_TEXT), AfterValidator(lambda text: " ".join(text.split()))]
_Glob = Annotated[str, StringConstraints(max_length=MOST_PLACE), AfterValidator(check_glob)]
_Model = TypeVar("_Model")
_SHAPES = {
    "name": re.compile(r"@?[\w$][\w$/:.-]{0,150}(?:\(\))?"),
    "ruff": re.compile(r"[A-Z]{1,5}\d{0,4}(?:,[A-Z]{1,5}\d{0,4}){0,19}"),
}


class CheckKind(StrEnum):
    """How a check is run: by a tool, or by Assay.

    `named` finds uses of a qualified name, whatever they are imported as; `path` finds files that a change adds or
    edits; `titled` and `commit` match the pull request's title and the subjects of its commits.
    """

    regex = "regex"
    named = "name"
    ast_grep = "ast-grep"
    semgrep = "semgrep"
    ruff = "ruff"
    path = "path"
    titled = "title"
    commit = "commit"


_OF_TEXTS = (CheckKind.regex, CheckKind.titled, CheckKind.commit)
"""Kinds whose pattern is a regular expression."""


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

    `pattern` is a regular expression, semgrep's pattern, a name (`yaml.load`, or `print()` for its calls), ruff's
    codes separated by commas, or a path pattern; `where` applies to `regex` only. `rule` is ast-grep's `rule` object.
    `language` is its name in ast-grep or semgrep.
    """

    kind: CheckKind
    pattern: Annotated[str, Field(max_length=MOST_PATTERN)] = ""
    where: Where = Where.code
    language: Annotated[str, Field(pattern=r"^([A-Za-z][A-Za-z0-9+#]{0,19})?$")] = ""
    rule: Mapping[str, Any] = field(default_factory=dict)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.kind in (CheckKind.ast_grep, CheckKind.semgrep) and not self.language:
            raise ValueError(f"a check of kind {self.kind} needs a `language`")
        needed = "rule" if self.kind is CheckKind.ast_grep else "pattern"
        if not getattr(self, needed) or len(repr(self.rule)) > MOST_PATTERN:
            raise ValueError(f"a check of kind {self.kind} needs a `{needed}`, not longer than {MOST_PATTERN}")
        if self.kind in _OF_TEXTS:
            check_regex(self.pattern)
        elif self.kind is CheckKind.path:
            check_glob(self.pattern)
        elif (shape := _SHAPES.get(self.kind)) and not shape.fullmatch(self.pattern):
            raise ValueError(f"{self.pattern!r} is not a pattern of kind {self.kind}")
        return self

    def to_data(self) -> dict[str, Any]:
        """Return the check as plain data for `check_from`."""
        data: dict[str, Any] = _CHECK.dump_python(self, mode="json", exclude_defaults=True)
        return data


@dataclass(frozen=True, slots=True)
class LearnedRule:
    """Request of reviewers, and the paths it applies to (.gitignore patterns).

    `provenance` names the reviewers and pull requests. A rule without a `check` needs a model, unless it `is_advice`
    for authors and agents alone; `why_no_check` may give the reason. A finding has the rule's `severity`.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    rule_id: Annotated[str, Field(alias="id", pattern=r"^[a-z0-9][a-z0-9_.-]{0,79}$")]
    text: Annotated[_Text, Field(min_length=1)]
    check: LearnedCheck | None = None
    paths: Annotated[tuple[_Glob, ...], Field(min_length=1, max_length=MOST_PATHS)] = ("**",)
    provenance: Annotated[_Text, Field(alias="from")] = ""
    why_no_check: Annotated[_Text, Field(alias="unchecked")] = ""
    severity: Severity = Severity.warning
    is_advice: Annotated[bool, Field(alias="advice")] = False

    def to_data(self) -> dict[str, Any]:
        """Return the rule as plain data for `rule_from`."""
        data: dict[str, Any] = _RULE.dump_python(self, mode="json", by_alias=True, exclude_defaults=True)
        return data


_CHECK = TypeAdapter(LearnedCheck)
_RULE = TypeAdapter(LearnedRule)


class NotARule(ValueError):
    """Invalid rule, with the reason in one line."""


def learned_file(rules: Sequence[LearnedRule]) -> str:
    """Return the rules as a file for a repository; equal rules give equal bytes."""
    data = {"rules": [rule.to_data() for rule in sorted(rules, key=lambda rule: rule.rule_id)]}
    head = "# Rules learned from reviews: `assay rules add`, or `export --format checks`. See docs/quality.md.\n"
    return head + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)


def read_learned_file(content: bytes) -> tuple[LearnedRule, ...]:
    """Return the rules of such a file, all of them valid; raise `NotARule`."""
    try:
        rules = yaml_document(content.decode("utf-8")).get("rules")
    except UnicodeDecodeError:
        raise NotARule("it is not UTF-8 text") from None
    except Unreadable as error:
        raise NotARule(str(error)) from None
    if rules is None or not isinstance(rules.value, list):
        raise NotARule("it has no list `rules`")
    return distinct(_valid(_RULE, _plain(item), f"line {item.line}: ") for item in rules.items)


def rule_from(data: Mapping[str, Any]) -> LearnedRule:
    """Return a rule from its plain data; raise `NotARule`."""
    return _valid(_RULE, data)


def check_from(data: object, rule_id: str = "check") -> LearnedCheck:
    """Return a check from its plain data; raise `NotARule`."""
    return _valid(_CHECK, data, f"{rule_id}: ")


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


def _valid(model: TypeAdapter[_Model], data: object, place: str = "") -> _Model:
    try:
        return model.validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise NotARule(" ".join(f"{place}`{where}`: {first['msg']}".split())[:MOST_TEXT]) from None


def _plain(node: Node) -> Any:
    if isinstance(node.value, list):
        return [_plain(item) for item in node.value]
    if isinstance(node.value, dict):
        return {name: _plain(value) for name, value in node.value.items()}
    return node.value
