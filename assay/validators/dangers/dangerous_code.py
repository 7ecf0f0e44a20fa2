"""Lines that remove a protection or run data as code: one table row each, with the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath

from assay.validators.changes.language_table import bare_suffixes, languages
from assay.validators.dangers.constructs import constructs
from assay.validators.dangers.danger import FETCHED, RUNNING, Danger
from assay.validators.dangers.embedded import HOLDING, embedded
from assay.validators.dangers.fetched_code import fetches_and_runs, plain
from assay.validators.dangers.flow import PYTHON_PARTS, SCRIPT_PARTS
from assay.validators.dangers.injected_python import injections
from assay.validators.dangers.syntax import PYTHON, SCRIPTS

LONGEST_LINE = 2000
"""Characters of a line that are checked; handwritten lines are shorter."""
_PYTHON = "python cython"
_SCRIPTS = "javascript jsx typescript tsx vue svelte astro html"
_ANY = ""
_HASHED = bare_suffixes("python", "cython", "ruby")
_ENDINGS = PYTHON | SCRIPTS
_PARSED_SUFFIXES = _ENDINGS | HOLDING
_REQUEST = re.compile(rf"\b(?:request|req)\.(?:{'|'.join(sorted(PYTHON_PARTS | SCRIPT_PARTS))})\b")
"""Text of a request, in files that cannot be parsed."""


@dataclass(frozen=True, slots=True)
class Texts:
    """File before and after the change; empty if absent."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class _DangerPattern:
    """Patterns for one danger in some languages (all if empty)."""

    text: str
    suffixes: frozenset[str]
    patterns: tuple[re.Pattern[str], ...]

    def fits(self, code: str, end: int) -> bool:
        """Return whether a pattern matches and begins before `end`."""
        return any((match := pattern.search(code)) and match.start() < end for pattern in self.patterns)


def _row(text: str, keys: str, *patterns: str) -> _DangerPattern:
    return _DangerPattern(text, bare_suffixes(*keys.split()), tuple(re.compile(pattern) for pattern in patterns))


# A call with one literal text is safe: `(?!…)` after the bracket skips it.
_ROWS = (
    _row(
        "certificates are not verified",
        _PYTHON,
        r"\bverify\s*=\s*False\b",
        r"\bcheck_hostname\s*=\s*False\b",
        r"=\s*(ssl\.)?CERT_NONE\b",
        r"\b_create_unverified_context\b",
    ),
    _row(
        "certificates are not verified",
        _SCRIPTS,
        r"\brejectUnauthorized\s*:\s*false\b",
        r"NODE_TLS_REJECT_UNAUTHORIZED",
    ),
    _row(
        "certificates are not verified",
        _ANY,
        r"\bInsecureSkipVerify\s*[:=]+\s*(?:true\b|!\s*false\b)",
        r"\bdanger_accept_invalid_certs\s*\(\s*true",
    ),
    _row(
        "requests from other sites are accepted",
        _ANY,
        r"@csrf_exempt\b",
        r"\bcsrf_exempt\s*\(",
        r"skip_before_action\s+:verify_authenticity_token",
        r"\.csrf\(\)\.disable\(\)",
    ),
    _row(
        "access is open to everyone",
        _ANY,
        r"(\[|\(|=)\s*(permissions\.)?AllowAny\b",
        r"@permission_classes\(\[\]\)",
        r"\bpermission_classes\s*=\s*(\[\s*\]|\(\s*\))",
        r"@AllowAnonymous\b",
        r"\.permitAll\(\)",
    ),
    _row(
        "signatures are not verified",
        _ANY,
        r"verify_signature['\"]?\s*:\s*False",
        r"algorithms\s*=\s*\[\s*['\"]none['\"]",
        r"jwt\.decode\([^)]*verify\s*=\s*False",
    ),
    _row("markup is not escaped", _ANY, r"\bautoescape\s*=\s*False\b", r"\bbypassSecurityTrust\w+\("),
    _row(
        "any site may send requests",
        _ANY,
        r"Access-Control-Allow-Origin['\"]?\s*[,:=]\s*['\"]\*",
        r"\ballow_origins\s*=\s*\[\s*['\"]\*",
        r"CORS_(ORIGIN_)?ALLOW_ALL(_ORIGINS)?\s*=\s*True",
    ),
    _row("data is run as code", _PYTHON, r"(?<![\w.])(?:eval|exec)\s*\((?!\s*(['\"])[^'\"]*\1\s*[,)])"),
    _row(
        "data is run by a shell",
        _PYTHON,
        r"\bos\.(?:system|popen)\s*\((?!\s*(['\"])[^'\"{]*\1\s*\))",
        r"\bshell\s*=\s*True\b",
    ),
    _row(
        "data is loaded that may run code",
        _PYTHON,
        r"(?<![\w.])(c?[pP]ickle|dill|cloudpickle|marshal|shelve|jsonpickle)\.(loads?|open|decode|Unpickler)\s*\(",
        r"\byaml\.(unsafe_load|full_load|load)\s*\((?!.*(Safe|Base)Loader)",
    ),
    _row(
        "data is run as code",
        _SCRIPTS,
        r"(?<![\w.$])eval\s*\((?!\s*(['\"`])[^'\"`$]*\1\s*\))",
        r"\bnew\s+Function\s*\((?!\s*\))",
    ),
    _row(
        "data is run by a shell",
        _SCRIPTS,
        r"\bchild_process\b.*\bexec(Sync)?\s*\(",
        r"(?<![\w.])exec(Sync)?\s*\(\s*`[^`]*\$\{",
    ),
    _row(
        "text becomes markup unescaped",
        _SCRIPTS,
        r"\bdangerouslySetInnerHTML\b",
        r"\.(?:inner|outer)HTML\s*\+?=(?!=)(?!\s*(['\"`])[^'\"`$]*\1\s*;?\s*$)",
        r"\bdocument\.write(ln)?\s*\(",
        r"\.insertAdjacentHTML\s*\(",
        r"\bv-html=",
    ),
    _row(
        "data is run by a shell",
        "go",
        r"\bexec\.Command(?:Context)?\s*\((?:[^)]*,)?\s*\"(?:/bin/|/usr/bin/)?(?:ba|da|z)?sh\"\s*,\s*\"-c\"\s*,\s*(?!\"[^\"]*\"\s*\))",
    ),
    _row("data is run as code", "ruby", r"(?<![\w.:])eval[\s(](?!\s*(['\"])[^'\"#]*\1\s*\)?\s*$)"),
    _row("data is loaded that may run code", "ruby", r"\bMarshal\.(?:load|restore)\b", r"\bYAML\.unsafe_load\b"),
    _row(
        "data is run by a shell",
        "ruby",
        r"(?<![\w.])(?:system|exec|spawn)[\s(]\s*\"[^\"]*#\{",
        r"^(?:[^\"'`#]|\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')*(?<!\w)`[^`]*#\{",
    ),
    _row("data is run as code", "php", r"(?<![\w>$:])eval\s*\((?!\s*'[^']*'\s*\))"),
    _row("data is loaded that may run code", "php", r"(?<![\w>$:])unserialize\s*\([^)]*\$(?!.*allowed_classes)"),
    _row(
        "data is run by a shell",
        "php",
        r"(?<![\w>$:])(?:shell_exec|system|passthru|exec|popen|proc_open)\s*\([^)]*\$(?!.*escapeshell)",
    ),
    _row("data is run by a shell", "java kotlin scala", r"\bgetRuntime\(\)\s*\.\s*exec\s*\((?!\s*\"[^\"]*\"\s*\))"),
    _row("data is loaded that may run code", "java kotlin scala", r"\bnew\s+ObjectInputStream\s*\("),
)
PARSED_FOR_VALUES = languages("python", "notebook")
"""Languages in which values put into SQL or markup are found."""
COVERED = languages(*f"{_PYTHON} notebook {_SCRIPTS} go ruby php java kotlin scala".split())
"""Languages with patterns for them alone; the others have only the rows for all languages."""
_FETCHING_CALL = re.compile(
    r"(?i)(?:\b(?:system|exec\w*|popen|spawn\w*|command|shell_exec|passthru|run|call|sh)\b\s*[({!]|`|%x)"
)
"""A call that may start a shell, on a line that fetches code."""
_HINT = re.compile(
    "verify|hostname|CERT_NONE|unverified|rejectUnauthorized|TLS_REJECT|InsecureSkip|danger|csrf|authenticity|AllowAny"
    "|permission_classes|Anonymous|permitAll|algorithms|decode|autoescape|bypassSecurity|Allow-Origin|allow_origins|CORS"
    "|curl|wget|eval|exec|system|popen|shell|serialize|passthru|proc_open|spawn|Marshal|YAML|ObjectInput|`|ickle|dill|marshal|shelve|yaml|Function|HTML|document|v-html"
)
"""Words without which no row matches: a cheap test that skips most lines."""


@lru_cache(maxsize=128)
def _constructs(suffix: str, source: str, entered: frozenset[str]) -> tuple[list[Danger], list[int]]:
    """Return the constructs of a file and its unread lines; cached, since Tier 3 asks about the same files.

    Of a file with embedded programs, all other lines are unread.
    """
    if suffix in HOLDING:
        program = embedded(source, suffix)
        found, unread = _constructs(program.suffix, program.source, entered)
        unknown = {program.lines[line - 1] for line in unread if line <= len(program.lines)}
        others = set(range(1, source.count("\n") + 2)) - set(program.lines)
        places = [replace(one, line=program.lines[min(one.line, len(program.lines)) - 1]) for one in found]
        return places, sorted(unknown | others)
    found, unread = constructs(source, suffix, entered)
    return ([*found, *injections(source)] if suffix in PYTHON else found), unread


def dangers(
    path: str, lines: Mapping[int, str], texts: Texts | None = None, entered: Collection[str] = ()
) -> Iterator[Danger]:
    """Yield each dangerous construct that the change adds.

    `lines` are the added ones. With `texts` (the file before and after) a parsed language is compared as a whole:
    new constructs count on any line. Other languages, and files that do not parse, are checked line by line. `entered`
    are functions that other modules call with text from a request.
    """
    suffix = PurePosixPath(path).suffix.lower().lstrip(".")
    rows = [row for row in _ROWS if not row.suffixes or suffix in row.suffixes]
    is_parsed = suffix in _PARSED_SUFFIXES
    if is_parsed and texts is not None:
        found, unread = _constructs(suffix, texts.after, frozenset(entered))
        before = _constructs(suffix, texts.before, frozenset())[0] if found else []
        old = Counter(danger.key for danger in before)
        # Of equal constructs, those on unchanged lines existed before.
        for danger in sorted(found, key=lambda one: one.line in lines):
            if old[danger.key] > 0:
                old[danger.key] -= 1
            else:
                yield danger
        unknown = frozenset(unread)
        parsed = [row for row in rows if not row.suffixes]
    else:
        unknown, parsed = frozenset(lines), rows
    after = texts.after.split("\n") if texts is not None else []
    for number, text in lines.items():
        if not _HINT.search(text):
            continue
        code = _without_comment(" ".join(text.split())[:LONGEST_LINE], suffix)
        # A call may continue on the next lines, but its finding is on the first.
        below = (_without_comment(" ".join(line.split())[:LONGEST_LINE], suffix) for line in after[number : number + 2])
        whole = " ".join((code, *below)) if number not in unknown or not is_parsed else code
        row = next((row for row in (rows if number in unknown else parsed) if row.fits(whole, len(code))), None)
        if row is None and number in unknown and _FETCHING_CALL.search(code) and fetches_and_runs(plain(code)):
            yield Danger(number, FETCHED, f"{FETCHED}: {code}")
        if row is not None:
            is_fed = row.text in RUNNING and texts is not None and _REQUEST.search(texts.after) is not None
            yield Danger(number, row.text, f"{row.text}: {code}", is_fed and suffix in _ENDINGS)


def _without_comment(text: str, suffix: str) -> str:
    """Return a line up to its comment. A mark after an odd number of quotes is part of a text."""
    mark = " #" if suffix in _HASHED else " //"
    at = text.find(mark)
    while at >= 0 and any(text.count(quote, 0, at) % 2 for quote in "\"'`"):
        at = text.find(mark, at + 1)
    return text if at < 0 else text[:at]
