"""What a rule forbids, as checks a machine can carry out: the table from words to patterns.

A template is certain about what it means (`bare except`, the type `any`), so it comes before what is made of a name
alone: a call of it, an import of it, the bare word. Whether a candidate is believed is for `compiling` to find out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.validators import CheckKind, LearnedCheck, Where

LANGUAGES = {
    "python": (".py", ".pyi"),
    "typescript": (".ts", ".tsx", ".mts", ".cts"),
    "javascript": (".js", ".jsx", ".mjs", ".cjs"),
    "go": (".go",),
    "java": (".java",),
    "kotlin": (".kt", ".kts"),
    "ruby": (".rb",),
    "rust": (".rs",),
    "csharp": (".cs",),
    "php": (".php",),
    "shell": (".sh", ".bash"),
}
"""A language's name -> the endings of its files."""
_AST_GREP = {
    "python": "Python",
    "typescript": "TypeScript",
    "javascript": "JavaScript",
    "go": "Go",
    "java": "Java",
    "kotlin": "Kotlin",
    "ruby": "Ruby",
    "rust": "Rust",
    "csharp": "CSharp",
    "php": "Php",
}
_SCRIPTS = ("typescript", "javascript")
LEAST_NAME = 3
"""A shorter name stands for too much: `db`, `i`."""
MOST_NAME = 80

_NAME = re.compile(r"[@A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*){0,5}")
_PACKAGE = re.compile(r"@?[A-Za-z_][\w.-]*(?:/[\w.-]+){0,3}")
_ANY = ("python", *_SCRIPTS)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a rule forbids: its whole text in lower case, one thing it names (as written), and the language."""

    text: str
    thing: str
    language: str | None


@dataclass(frozen=True, slots=True)
class Template:
    """A mistake with a name. `said` matches what people call it; `languages` are where it exists."""

    name: str
    said: re.Pattern[str]
    languages: tuple[str, ...]
    check: LearnedCheck


def candidates(wanted: Wanted) -> Iterator[LearnedCheck]:
    """Checks for what a rule forbids, the surest first."""
    for template in TEMPLATES:
        if template.said.search(wanted.text) and (wanted.language is None or wanted.language in template.languages):
            yield template.check
    name = wanted.thing.strip().strip("`").strip()
    is_call = name.endswith(")")
    name = re.sub(r"\(.{0,40}\)$", "", name)
    if len(name) > MOST_NAME:
        return
    if _NAME.fullmatch(name) and len(name) >= LEAST_NAME:
        yield from _calls(name, wanted.language)
    if is_call:
        return
    if _PACKAGE.fullmatch(name) and len(name) >= LEAST_NAME:
        yield from _imports(name, wanted.language)
    if _NAME.fullmatch(name) and len(name) >= LEAST_NAME:
        yield _regex(rf"(?<![\w.$@]){re.escape(name)}(?![\w$])")


def _calls(name: str, language: str | None) -> Iterator[LearnedCheck]:
    known = _AST_GREP.get(language or "")
    if known is not None and not set(name) & set("$@>"):
        yield LearnedCheck(CheckKind.ast_grep, language=known, rule={"pattern": f"{name}($$$)"})
    yield _regex(rf"(?<![\w.$@]){re.escape(name)}\s*\(")


def _imports(name: str, language: str | None) -> Iterator[LearnedCheck]:
    module = re.escape(name)
    if language in (None, "python") and "/" not in name:
        yield _regex(rf"^\s*(?:from\s+{module}(?:\.[\w.]+)?\s+import\b|import\s+(?:[\w., ]+,\s*)?{module}(?![\w]))")
    if language in (None, *_SCRIPTS):
        quoted = rf"['\"]{module}(?:/[^'\"\n]*)?['\"]"
        yield _regex(rf"^\s*(?:import|export)\b[^\n]*{quoted}|\brequire\(\s*{quoted}|\bimport\(\s*{quoted}", Where.text)
    if language == "go":
        yield _regex(rf"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"{module}\"\s*$", Where.text)


def _regex(pattern: str, where: Where = Where.code) -> LearnedCheck:
    return LearnedCheck(CheckKind.regex, pattern, where)


def _tree(language: str, rule: dict[str, Any]) -> LearnedCheck:
    return LearnedCheck(CheckKind.ast_grep, language=_AST_GREP[language], rule=rule)


def _said(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_ASYNC_BODY = {"kind": "function_definition", "regex": r"^async\s", "stopBy": "end"}
_BLOCKING = (
    "time.sleep($$$)",
    "requests.$M($$$)",
    "urllib.request.urlopen($$$)",
    "subprocess.run($$$)",
    "subprocess.check_output($$$)",
    "subprocess.check_call($$$)",
)
_ISSUE = r"#\d+|\b[A-Z]{2,10}-\d+|https?://"

TEMPLATES: tuple[Template, ...] = (
    Template(
        "any_type",
        _said(r"(?:`any`|\bany\b)(?=[^.]{0,40}\btypes?\b)|\btypes?\b[^.]{0,60}(?:`any`|\bnot any\b|\bany\b$)|`any`"),
        _SCRIPTS,
        _tree("typescript", {"kind": "predefined_type", "regex": "^any$"}),
    ),
    Template(
        "bare_except",
        _said(r"\bbare `?except|`except:`|\bexcept(?:ion)?s? without (?:a |an )?(?:type|class|exception)"),
        ("python",),
        _regex(r"^\s*except\s*:"),
    ),
    Template(
        "broad_except",
        _said(r"`?except (?:base)?exception`?|\bcatch(?:ing)? `?(?:base)?exception`?|\b(?:broad|blanket) except"),
        ("python",),
        _regex(r"^\s*except\s*(?::|\(?\s*(?:Base)?Exception\b)"),
    ),
    Template(
        "todo_without_issue",
        _said(r"\b(?:todo|fixme)s?\b[^.]{0,80}\b(?:issue|ticket|link|reference|number)s?\b"),
        tuple(LANGUAGES),
        _regex(rf"\b(?:TODO|FIXME)\b(?![^\n]*(?:{_ISSUE}))", Where.comments),
    ),
    Template(
        "todo",
        _said(r"\b(?:todo|fixme)s?\b"),
        tuple(LANGUAGES),
        _regex(r"\b(?:TODO|FIXME)\b", Where.comments),
    ),
    Template(
        "wildcard_import",
        _said(r"\b(?:wildcard|star) imports?\b|`?import \*"),
        ("python", *_SCRIPTS, "java", "kotlin"),
        _regex(r"^\s*(?:from\s+\S+\s+import\s+\*|import\s+(?:static\s+)?[\w.]+\.\*)"),
    ),
    Template(
        "default_export",
        _said(r"\bdefault[- ]exports?\b|`export default`"),
        _SCRIPTS,
        _regex(r"^\s*export\s+default\b"),
    ),
    Template(
        "var",
        _said(r"(?:\bnot|\bnever|\bno|\bavoid|instead of|over|\buse) `var`"),
        _SCRIPTS,
        _regex(r"^\s*(?:export\s+)?var\s"),
    ),
    Template(
        "non_null_assertion",
        _said(r"\bnon-?null assertions?\b"),
        ("typescript",),
        _tree("typescript", {"kind": "non_null_expression"}),
    ),
    Template("ts_ignore", _said(r"@?ts-ignore"), _SCRIPTS, _regex(r"@ts-ignore\b", Where.comments)),
    Template("type_ignore", _said(r"type: ?ignore"), ("python",), _regex(r"#\s*type:\s*ignore", Where.comments)),
    Template("noqa", _said(r"\bnoqa\b"), ("python",), _regex(r"#\s*noqa\b", Where.comments)),
    Template("eslint_disable", _said(r"eslint-disable"), _SCRIPTS, _regex(r"\beslint-disable", Where.comments)),
    Template(
        "console",
        _said(r"\bconsole\.log\b|\bconsole (?:log|statement|output)|`console`"),
        _SCRIPTS,
        _tree("javascript", {"pattern": "console.log($$$)"}),
    ),
    Template("debugger", _said(r"`?\bdebugger\b`?"), _SCRIPTS, _regex(r"^\s*debugger\b")),
    Template(
        "print",
        _said(r"`print`|`print\(\)`|\bprints?\b(?: statements?| debugging| calls?|\(\))?"),
        ("python",),
        _tree("python", {"pattern": "print($$$)"}),
    ),
    Template("eval", _said(r"`?\beval\b`?"), _ANY, _regex(r"(?<![\w.$])eval\s*\(")),
    Template(
        "mutable_default",
        _said(r"\bmutable default"),
        ("python",),
        _regex(r"\bdef\s+\w+\([^\n]*=\s*(?:\[|\{|list\(|dict\(|set\()"),
    ),
    Template(
        "sync_in_async",
        _said(
            r"(?:\b(?:sync|synchronous|blocking)\b[^.]{0,80}\basync\b)|(?:\basync\b[^.]{0,80}\b(?:sync|synchronous|block)\w*)"
        ),
        ("python",),
        _tree("python", {"any": [{"pattern": call} for call in _BLOCKING], "inside": _ASYNC_BODY}),
    ),
    Template(
        "fstring_in_log",
        _said(r"\bf-?strings?\b[^.]{0,60}\blog|\blog\w*\b[^.]{0,60}\bf-?strings?\b"),
        ("python",),
        _tree(
            "python",
            {
                "kind": "call",
                "has": {"field": "function", "regex": r"\.(?:debug|info|warning|error|exception|critical|log)$"},
                "all": [{"has": {"field": "arguments", "has": {"kind": "string", "regex": "^[fF]", "stopBy": "end"}}}],
            },
        ),
    ),
    Template(
        "hard_coded_secret",
        _said(r"\b(?:hard-?coded?|plain[- ]?text)\b[^.]{0,40}\b(?:secret|password|token|key|credential)s?\b"),
        tuple(LANGUAGES),
        _regex(r"(?i)\b\w*(?:password|passwd|secret|token|api_?key)\w*\s*[:=]\s*['\"][^'\"\n]{6,}['\"]", Where.text),
    ),
)
