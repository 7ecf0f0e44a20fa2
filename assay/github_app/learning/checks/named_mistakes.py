"""Named mistakes with their checks: from the wording of reviewers to a pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from assay.github_app.rule_matching.languages import AST_GREP, LANGUAGES, SCRIPTS
from assay.validators import CheckKind, LearnedCheck, Where


@dataclass(frozen=True, slots=True)
class Mistake:
    """Mistake with a name: patterns for the whole rule text, for common wordings, and its languages."""

    name: str
    languages: tuple[str, ...]
    check: LearnedCheck
    said: re.Pattern[str] | None = None
    rules: tuple[str, ...] = ()

    def is_meant(self, rule: str, said: str, language: str | None, *, is_against: bool) -> bool:
        """Return whether a rule (its text and the reviewers' words, in lower case) is about this mistake.

        `is_against` is true if anything in it is negative.
        """
        if language is not None and language not in self.languages:
            return False
        return rule in self.rules or (self.said is not None and is_against and self.said.search(said) is not None)


def _regex(pattern: str, where: Where = Where.code) -> LearnedCheck:
    return LearnedCheck(CheckKind.regex, pattern, where)


def _tree(language: str, rule: dict[str, Any]) -> LearnedCheck:
    return LearnedCheck(CheckKind.ast_grep, language=AST_GREP[language], rule=rule)


def _words(pattern: str) -> re.Pattern[str]:
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

_ALL = tuple(LANGUAGES)
_SLEEPS = r"(?<![\w$])(?:time\.sleep|Thread\.sleep|asyncio\.sleep|sleep|setTimeout)\s*\("

MISTAKES: tuple[Mistake, ...] = (
    Mistake(
        "any_type",
        SCRIPTS,
        _tree("typescript", {"kind": "predefined_type", "regex": "^any$"}),
        _words(r"`any`|\bany\b(?=[^.]{0,40}\btypes?\b)|\btypes?\b[^.]{0,60}\b(?:not any\b|any\b$)"),
        ("use explicit types, not `any`",),
    ),
    Mistake("bare_except", ("python",), _regex(r"^[ \t]*except\s*:"), _words(r"\bbare `?except|`except:`")),
    Mistake(
        "broad_except",
        ("python",),
        _regex(r"^[ \t]*except\s*(?::|\(?\s*(?:Base)?Exception\b)"),
        _words(
            r"`?except (?:base)?exception`?|\bcatch(?:ing)? `?(?:base)?exception`?|\b(?:broad|blanket|bare) `?except"
        ),
        ("catch the specific exception, not everything",),
    ),
    Mistake(
        "swallowed_error",
        ("python",),
        _regex(r"^[ \t]*except\b[^\n]*:\s*(?:\n\s*)?pass\b"),
        None,
        ("never swallow an error silently, handle it or let it propagate",),
    ),
    Mistake(
        "empty_catch",
        (*SCRIPTS, "java", "kotlin", "csharp", "php"),
        _regex(r"\bcatch\s*(?:\([^)\n]*\))?\s*\{\s*\}"),
        _words(r"\bempty catch"),
        ("never swallow an error silently, handle it or let it propagate",),
    ),
    Mistake(
        "todo_without_issue",
        _ALL,
        _regex(rf"\b(?:TODO|FIXME)\b(?![^\n]*(?:{_ISSUE}))", Where.comments),
        _words(r"\b(?:todo|fixme)s?\b[^.]{0,80}\b(?:issue|ticket|link|reference|number)s?\b"),
        ("link every todo to an issue",),
    ),
    Mistake("todo", _ALL, _regex(r"\b(?:TODO|FIXME)\b", Where.comments), _words(r"\b(?:todo|fixme)s?\b")),
    Mistake(
        "wildcard_import",
        ("python", *SCRIPTS, "java", "kotlin"),
        _regex(r"^[ \t]*(?:from\s+\S+\s+import\s+\*|import\s+(?:static\s+)?[\w.]+\.\*)"),
        _words(r"\b(?:wildcard|star) imports?\b|`?import \*"),
        ("no wildcard imports, name what is imported",),
    ),
    Mistake(
        "late_import",
        ("python",),
        _regex(r"^[ \t]+(?:import\s+\w|from\s+\S+\s+import\b)"),
        None,
        ("put imports at the top of the file",),
    ),
    Mistake("relative_import", ("python",), _regex(r"^[ \t]*from\s+\.+"), None, ("use absolute imports",)),
    Mistake(
        "default_export",
        SCRIPTS,
        _regex(r"^[ \t]*export\s+default\b"),
        _words(r"\bdefault[- ]exports?\b|`export default`"),
        ("use named exports",),
    ),
    Mistake(
        "var",
        SCRIPTS,
        _regex(r"^[ \t]*(?:export\s+)?var\s|\bfor\s*\(\s*var\s"),
        _words(r"`var`"),
        ("use const or let, never var",),
    ),
    Mistake(
        "loose_equality",
        SCRIPTS,
        _regex(r"(?<![=!<>])[=!]=(?!=)"),
        _words(r"`[=!]=`|\bloose equality"),
        ("use strict equality",),
    ),
    Mistake("require", SCRIPTS, _regex(r"(?<![\w.$])require\s*\("), None, ("use es module imports",)),
    Mistake(
        "for_in",
        SCRIPTS,
        _regex(r"\bfor\s*\(\s*(?:const|let|var)\s+\w+\s+in\b"),
        _words(r"\bfor[- ]?(?:\.\.\.)?in\b"),
        ("iterate with for-of or object.entries, not for-in",),
    ),
    Mistake(
        "then_chain",
        SCRIPTS,
        _regex(r"\.then\s*\("),
        None,
        ("use async/await instead of promise chains or callbacks",),
    ),
    Mistake(
        "type_cast",
        ("typescript",),
        _regex(r"\bas\s+(?!const\b)[A-Za-z_{\[]"),
        None,
        ("check or narrow instead of casting",),
    ),
    Mistake(
        "non_null_assertion",
        ("typescript",),
        _tree("typescript", {"kind": "non_null_expression"}),
        _words(r"\bnon-?null assertions?\b"),
        ("handle null or undefined instead of asserting it away",),
    ),
    Mistake("ts_ignore", SCRIPTS, _regex(r"@ts-ignore\b", Where.comments), _words(r"@?ts-ignore")),
    Mistake("type_ignore", ("python",), _regex(r"#\s*type:\s*ignore", Where.comments), _words(r"type: ?ignore")),
    Mistake("noqa", ("python",), _regex(r"#\s*noqa\b", Where.comments), _words(r"\bnoqa\b")),
    Mistake("eslint_disable", SCRIPTS, _regex(r"\beslint-disable", Where.comments), _words(r"eslint-disable")),
    Mistake(
        "silenced_warning",
        _ALL,
        _regex(
            r"eslint-disable|#\s*noqa|#\s*type:\s*ignore|@ts-(?:ignore|nocheck)|nolint|NOLINT|pylint:\s*disable",
            Where.comments,
        ),
        None,
        ("fix the lint warning instead of silencing it",),
    ),
    Mistake(
        "console",
        SCRIPTS,
        _tree("javascript", {"pattern": "console.log($$$)"}),
        _words(r"\bconsole\.log\b|\bconsole (?:log|statement|output)|`console`"),
        ("use the logger, not print or console output", "remove leftover debugging output"),
    ),
    Mistake(
        "debugger",
        SCRIPTS,
        _regex(r"^[ \t]*debugger\b"),
        _words(r"\bdebugger\b"),
        ("remove leftover debugging output",),
    ),
    Mistake(
        "print",
        ("python",),
        _tree("python", {"pattern": "print($$$)"}),
        _words(r"`print(?:\(\))?`|\bprints?\b(?: statements?| debugging| calls?|\(\))?"),
        ("use the logger, not print or console output", "remove leftover debugging output"),
    ),
    Mistake(
        "root_logger",
        ("python",),
        _regex(r"(?<![\w.])logging\.(?:debug|info|warning|error|exception|critical)\s*\("),
        None,
        ("get a logger per module, not the root one",),
    ),
    Mistake(
        "fstring_in_log",
        ("python",),
        _tree(
            "python",
            {
                "kind": "call",
                "has": {"field": "function", "regex": r"\.(?:debug|info|warning|error|exception|critical|log)$"},
                "all": [{"has": {"field": "arguments", "has": {"kind": "string", "regex": "^[fF]", "stopBy": "end"}}}],
            },
        ),
        _words(r"\bf-?strings?\b[^.]{0,60}\blog|\blog\w*\b[^.]{0,60}\bf-?strings?\b"),
        ("pass values to the logger as arguments, do not build the string first",),
    ),
    Mistake("eval", ("python", *SCRIPTS), _regex(r"(?<![\w.$])eval\s*\("), _words(r"\beval\b")),
    Mistake(
        "mutable_default",
        ("python",),
        _regex(r"\bdef\s+\w+\([^\n]*=\s*(?:\[|\{|list\(|dict\(|set\()"),
        _words(r"\bmutable default"),
        ("never use a mutable default argument",),
    ),
    Mistake(
        "star_arguments",
        ("python",),
        _regex(r"\bdef\s+\w+\([^\n]*\*\*?(?:args|kwargs)\b"),
        None,
        ("spell out parameters instead of *args and **kwargs",),
    ),
    Mistake("os_path", ("python",), _regex(r"\bos\.path\."), None, ("use pathlib instead of os.path",)),
    Mistake(
        "open_without_encoding",
        ("python",),
        _regex(r"(?<![\w.])open\((?![^\n]*\bencoding\b)(?![^\n]*['\"][rwax+]*b[rwax+]*['\"])", Where.text),
        None,
        ("name the encoding when reading or writing text",),
    ),
    Mistake(
        "naive_time",
        ("python",),
        _regex(r"\bdatetime\.(?:utcnow\(\)|now\(\))"),
        _words(r"\bdatetime\.(?:utc)?now\b"),
        ("use aware times in utc",),
    ),
    Mistake(
        "request_without_timeout",
        ("python",),
        _regex(r"\brequests\.(?:get|post|put|patch|delete|head|request)\((?![^\n]*\btimeout\b)"),
        None,
        ("set a timeout on every remote call",),
    ),
    Mistake(
        "sync_in_async",
        ("python",),
        _tree("python", {"any": [{"pattern": call} for call in _BLOCKING], "inside": _ASYNC_BODY}),
        _words(
            r"\b(?:sync|synchronous|blocking)\b[^.]{0,80}\basync\b|\basync\b[^.]{0,80}\b(?:sync|synchronous|block)\w*"
        ),
        ("never block in async code",),
    ),
    Mistake("sleep", _ALL, _regex(_SLEEPS), None, ("wait for the condition, never sleep for a fixed time",)),
    Mistake(
        "skipped_test",
        _ALL,
        _regex(
            r"\b(?:it|test|describe)\.(?:skip|only)\b|@pytest\.mark\.(?:skip|xfail)|@unittest\.skip|@(?:Disabled|Ignore)\b|\bt\.Skip\("
        ),
        None,
        ("do not skip, disable or weaken tests",),
    ),
    Mistake(
        "hard_coded_secret",
        _ALL,
        _regex(r"(?i)\b\w*(?:password|passwd|secret|token|api_?key)\w*\s*[:=]\s*['\"][^'\"\n]{6,}['\"]", Where.text),
        _words(r"\b(?:hard-?coded?|plain[- ]?text)\b[^.]{0,40}\b(?:secret|password|token|key|credential)s?\b"),
        ("keep secrets out of the code, read them from the environment or a vault",),
    ),
    Mistake(
        "shell_from_input",
        ("python",),
        _regex(r"\bshell\s*=\s*True\b|\bos\.(?:system|popen)\s*\("),
        _words(r"shell ?= ?true"),
        ("never build shell commands from input, pass arguments as a list",),
    ),
    Mistake(
        "unsafe_load",
        ("python",),
        _regex(r"\b(?:pickle|marshal|shelve)\.(?:loads?|open)\s*\(|\byaml\.load\((?![^\n]*Safe)"),
        None,
        ("never deserialise untrusted data",),
    ),
    Mistake(
        "select_star",
        _ALL,
        _regex(r"(?i)\bselect\s+(?:\w+\.)?\*\s*(?:from|,|$)", Where.text),
        _words(r"\bselect \*"),
        ("name the columns instead of select *",),
    ),
    Mistake(
        "panic",
        ("go",),
        _regex(r"(?<![\w.])panic\(|\bos\.Exit\("),
        None,
        ("return an error instead of panicking or exiting",),
    ),
    Mistake(
        "unwrap",
        ("rust",),
        _regex(r"\.(?:unwrap|expect)\("),
        _words(r"\bunwrap\b"),
        ("use the question mark operator instead of unwrap",),
    ),
)
