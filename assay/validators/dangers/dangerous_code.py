"""Dangers that a change adds: constructs in syntax trees, and lines that match a pattern of their language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath

from assay.validators.changes.language_table import bare_suffixes, languages
from assay.validators.dangers.constructs import constructs
from assay.validators.dangers.danger import (
    FETCHED,
    LOADED,
    LOADED_AS_MARKUP,
    RUN_AS_CODE,
    RUN_BY_SHELL,
    UNVERIFIED,
    Danger,
)
from assay.validators.dangers.embedded import HOLDING, embedded
from assay.validators.dangers.fetched_code import fetches_and_runs, plain
from assay.validators.dangers.injected_python import injections
from assay.validators.dangers.syntax import PYTHON, SCRIPTS

LONGEST_LINE = 2000
"""Characters of a line that are checked; handwritten lines are shorter."""
_HASHED = PYTHON | bare_suffixes("ruby")
_PAGES = "vue svelte astro html"


@dataclass(frozen=True, slots=True)
class _Row:
    """Patterns for one danger in some languages (all if empty)."""

    what: str
    suffixes: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]

    def fits(self, code: str, end: int) -> bool:
        """Return whether a pattern matches and begins before `end`."""
        return any((match := pattern.search(code)) and match.start() < end for pattern in self.patterns)


def _row(what: str, keys: str, *patterns: str) -> _Row:
    return _Row(what, bare_suffixes(*keys.split()), tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns))


# A call with one literal text is safe: `(?!…)` after the bracket skips it.
_ROWS = (
    _row(
        UNVERIFIED,
        "",
        r"\bInsecureSkipVerify\s*[:=]+\s*(?:true\b|!\s*false\b)",
        r"\bdanger_accept_invalid_certs\s*\(\s*true",
    ),
    _row(
        "requests from other sites are accepted",
        "",
        r"@csrf_exempt\b",
        r"\bcsrf_exempt\s*\(",
        r"skip_before_action\s+:verify_authenticity_token",
        r"\.csrf\(\)\.disable\(\)",
    ),
    _row(
        "access is open to everyone",
        "",
        r"(\[|\(|=)\s*(permissions\.)?AllowAny\b",
        r"@permission_classes\(\[\]\)",
        r"\bpermission_classes\s*=\s*(\[\s*\]|\(\s*\))",
        r"@AllowAnonymous\b",
        r"\.permitAll\(\)",
    ),
    _row(
        "signatures are not verified",
        "",
        r"verify_signature['\"]?\s*:\s*False",
        r"algorithms\s*=\s*\[\s*['\"]none['\"]",
        r"jwt\.decode\([^)]*verify\s*=\s*False",
    ),
    _row("markup is not escaped", "", r"\bautoescape\s*=\s*False\b", r"\bbypassSecurityTrust\w+\("),
    _row(
        "any site may send requests",
        "",
        r"Access-Control-Allow-Origin['\"]?\s*[,:=]\s*['\"]\*",
        r"\ballow_origins\s*=\s*\[\s*['\"]\*",
        r"CORS_(ORIGIN_)?ALLOW_ALL(_ORIGINS)?\s*=\s*True",
    ),
    _row(
        RUN_AS_CODE,
        _PAGES,
        r"(?<![\w.$])eval\s*\((?!\s*(['\"`])[^'\"`$]*\1\s*\))",
        r"\bnew\s+Function\s*\((?!\s*\))",
    ),
    _row(LOADED_AS_MARKUP, _PAGES, r"\.(?:inner|outer)HTML\s*\+?=(?!=)", r"\bv-html=", r"\{@html\b", r"\bset:html="),
    _row(
        RUN_BY_SHELL,
        "go",
        r"\bexec\.Command(?:Context)?\s*\((?:[^)]*,)?\s*\"(?:/bin/|/usr/bin/)?(?:ba|da|z)?sh\"\s*,\s*\"-c\"\s*,\s*(?!\"[^\"]*\"\s*\))",
    ),
    _row(RUN_AS_CODE, "ruby", r"(?<![\w.:])eval[\s(](?!\s*(['\"])[^'\"#]*\1\s*\)?\s*$)"),
    _row(LOADED, "ruby", r"\bMarshal\.(?:load|restore)\b", r"\bYAML\.unsafe_load\b"),
    _row(
        RUN_BY_SHELL,
        "ruby",
        r"(?<![\w.])(?:system|exec|spawn)[\s(]\s*\"[^\"]*#\{",
        r"^(?:[^\"'`#\n]|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')*(?<!\w)`[^`]*#\{",
    ),
    _row(RUN_AS_CODE, "php", r"(?<![\w>$:])eval\s*\((?!\s*'[^']*'\s*\))"),
    _row(LOADED, "php", r"(?<![\w>$:])unserialize\s*\([^)]*\$(?!.*allowed_classes)"),
    _row(
        RUN_BY_SHELL,
        "php",
        r"(?<![\w>$:])(?:shell_exec|system|passthru|exec|popen|proc_open)\s*\([^)]*\$(?!.*escapeshell)",
    ),
    _row(RUN_BY_SHELL, "java kotlin scala", r"\bgetRuntime\(\)\s*\.\s*exec\s*\((?!\s*\"[^\"]*\"\s*\))"),
    _row(LOADED, "java kotlin scala", r"\bnew\s+ObjectInputStream\s*\("),
)
PARSED_FOR_VALUES = languages("python", "notebook")
"""Languages in which values put into SQL or markup are found."""
COVERED = languages(
    *f"python cython notebook javascript jsx typescript tsx {_PAGES} go ruby php java kotlin scala".split()
)
"""Languages with constructs or patterns for them alone; the others have only the rows for all languages."""
_PARSED = PYTHON | SCRIPTS | HOLDING
_FETCHING_CALL = re.compile(
    r"(?i)(?:\b(?:system|exec\w*|popen|spawn\w*|command|shell_exec|passthru|run|call|sh)\b\s*[({!]|`|%x)"
)
"""A call that may start a shell, on a line that fetches code."""


@lru_cache(maxsize=128)
def _constructs(suffix: str, source: str, entered: frozenset[str]) -> tuple[list[Danger], frozenset[int]]:
    """Return a file's constructs, and its lines outside of programs; cached, since Tier 3 asks about the same files."""
    if suffix not in HOLDING:
        found = constructs(source, suffix, entered)
        return ([*found, *injections(source)] if suffix in PYTHON else found), frozenset()
    program = embedded(source, suffix)
    found, _ = _constructs(program.suffix, program.source, entered)
    places = [replace(one, line=program.lines[min(one.line, len(program.lines)) - 1]) for one in found]
    return places, frozenset(range(1, source.count("\n") + 2)) - frozenset(program.lines)


def dangers(
    path: str, lines: Mapping[int, str], before: str, after: str, entered: Collection[str] = ()
) -> Iterator[Danger]:
    """Yield each danger that the change adds to a file.

    `before` and `after` are its texts, empty if absent; `lines` are the added ones. A parsed language is compared as a
    whole: new constructs count on any line. Other languages are checked line by line. `entered` are functions that
    other modules call with text from a request.
    """
    suffix = PurePosixPath(path).suffix.lower().lstrip(".")
    rows = [row for row in _ROWS if not row.suffixes or suffix in row.suffixes]
    rows = [row for row in rows if row.fits(after, len(after))]
    general = [row for row in rows if not row.suffixes]
    unparsed: Collection[int] = lines
    if suffix in _PARSED:
        found, unparsed = _constructs(suffix, after, frozenset(entered))
        old = Counter(danger.key for danger in (_constructs(suffix, before, frozenset())[0] if found else ()))
        # Of equal constructs, those on unchanged lines existed before.
        for danger in sorted(found, key=lambda one: one.line in lines):
            if old[danger.key] > 0:
                old[danger.key] -= 1
            else:
                yield danger
    every = after.split("\n")
    for number, text in lines.items():
        fitting = rows if number in unparsed else general
        code = _code(text, suffix)
        # A call may continue on the next lines, but its finding is on the first.
        whole = " ".join((code, *(_code(line, suffix) for line in every[number : number + 2]))) if fitting else code
        what = next((row.what for row in fitting if row.fits(whole, len(code))), None)
        if what is None and number in unparsed and _FETCHING_CALL.search(code) and fetches_and_runs(plain(code)):
            what = FETCHED
        if what is not None:
            yield Danger(number, what, f"{what}: {code}")


def _code(text: str, suffix: str) -> str:
    """Return a line up to its comment. A mark after an odd number of quotes is part of a text."""
    code = " ".join(text.split())[:LONGEST_LINE]
    mark = " #" if suffix in _HASHED else " //"
    at = code.find(mark)
    while at >= 0 and any(code.count(quote, 0, at) % 2 for quote in "\"'`"):
        at = code.find(mark, at + 1)
    return code if at < 0 else code[:at]
