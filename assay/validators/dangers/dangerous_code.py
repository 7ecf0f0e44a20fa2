"""Dangers that a change adds: constructs in syntax trees, and lines that match a pattern."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from assay.validators.changes.language_table import bare_suffixes, languages, suffix_of
from assay.validators.dangers.constructs import constructs, row_of
from assay.validators.dangers.danger import Danger, Kind
from assay.validators.dangers.embedded import HOLDING, embedded
from assay.validators.dangers.fetched_code import fetches_and_runs, plain

LONGEST_LINE = 2000
"""Characters of a line that are checked; handwritten lines are shorter."""
_PAGES = "vue svelte astro html"
COVERED = languages(
    *"python notebook javascript jsx typescript tsx go java kotlin csharp rust ruby php c c-header cpp".split(),
    *_PAGES.split(),
)
"""Languages with constructs; the others have only the patterns for all languages."""
_HASHED = bare_suffixes("python", "cython", "ruby")
_ANYWHERE = {
    Kind.forged: (
        r"\bcsrf_exempt\b(?=\s*(?:\(|$))|skip_before_action\s+:verify_authenticity_token|\[IgnoreAntiforgeryToken"
        r"|\.csrf\(\s*(?:\)\s*\.disable\(\)|\w+::disable|\(?\w+\)?\s*->\s*\w+\.disable\()"
    ),
    Kind.open: (
        r"(?:\[|\(|=)\s*(?:permissions\.)?AllowAny\b|@permission_classes\(\[\]\)"
        r"|\bpermission_classes\s*=\s*(?:\[\s*\]|\(\s*\))|@AllowAnonymous\b|\.permitAll\(\)"
    ),
    Kind.unsigned: (
        r"verify_signature['\"]?\s*:\s*False|algorithms\s*=\s*\[\s*['\"]none['\"]|jwt\.decode\([^)]*verify\s*=\s*False"
    ),
    Kind.unescaped: r"\bautoescape\s*=\s*False\b|\bbypassSecurityTrust\w+\(",
    Kind.shared: (
        r"Access-Control-Allow-Origin['\"]?\s*[,:=]\s*['\"]\*|\ballow_origins\s*=\s*\[\s*['\"]\*"
        r"|CORS_(?:ORIGIN_)?ALLOW_ALL(?:_ORIGINS)?\s*=\s*True"
    ),
}
"""Danger -> its pattern in lines of any language."""
_OUTSIDE = {
    Kind.code: r"(?<![\w.$])eval\s*\((?!\s*(['\"`])[^'\"`$]*\1\s*\))|\bnew\s+Function\s*\((?!\s*\))",
    Kind.markup: (r"\.(?:inner|outer)HTML\s*\+?=(?!=)|\bv-html=|\{@html\b|\bset:html=|\bth:utext=|@Html\.Raw\("),
}
"""Danger -> its pattern in the markup of pages and templates."""
_BLADE_SUFFIX = ".blade.php"
_BLADE = {Kind.markup: r"\{!!\s*\$"}
_PATTERNS = {
    name: {what: re.compile(pattern, re.MULTILINE) for what, pattern in each.items()}
    for name, each in (("any", _ANYWHERE), ("page", _ANYWHERE | _OUTSIDE), ("blade", _ANYWHERE | _BLADE))
}
_TEMPLATES = bare_suffixes(*_PAGES.split(), "razor")
_FETCHING_CALL = re.compile(
    r"(?i)(?:\b(?:system|exec\w*|popen|spawn\w*|command|shell_exec|passthru|run|call|sh)\b\s*[({!]|`|%x)"
)
"""A call that may start a shell, on a line that fetches code."""


@lru_cache(maxsize=2048)
def _constructs(path: str, source: str, entered: frozenset[str]) -> tuple[list[Danger], frozenset[int] | None]:
    """Return a file's constructs, and its lines outside of programs, None for all of them.

    Cached for both sides of 1,000 files, since Tier 3 asks about the same ones.
    """
    suffix = suffix_of(path)[1:]
    if suffix not in HOLDING:
        is_program = row_of(path) is not None and not path.endswith(_BLADE_SUFFIX)
        return constructs(source, path, entered), frozenset() if is_program else None
    program = embedded(source, suffix)
    found = constructs(program.source, f"program.{program.suffix}", entered)
    places = [replace(one, line=program.lines[min(one.line, len(program.lines)) - 1]) for one in found]
    return places, frozenset(range(1, source.count("\n") + 2)) - frozenset(program.lines)


def dangers(
    path: str, lines: Mapping[int, str], before: str, after: str, entered: Collection[str] = ()
) -> Iterator[Danger]:
    """Yield each danger that the change adds to a file.

    `before` and `after` are its texts, empty if absent; `lines` are the added ones. A parsed language is compared as a
    whole: new constructs count on any line. Other text is checked line by line. `entered` are functions that other
    modules call with text from a request.
    """
    path = path.rpartition("/")[2]
    found, outside = _constructs(path, after, frozenset(entered))
    old = Counter(danger.key for danger in (_constructs(path, before, frozenset())[0] if found else ()))
    # Of equal constructs, those on unchanged lines existed before.
    for danger in sorted(found, key=lambda one: one.line in lines):
        if old[danger.key] > 0:
            old[danger.key] -= 1
        else:
            yield danger
    suffix = suffix_of(path)[1:]
    every = after.split("\n")
    kind = "page" if suffix in _TEMPLATES else "blade" if path.endswith(_BLADE_SUFFIX) else "any"
    fitting = {what: pattern for what, pattern in _PATTERNS[kind].items() if pattern.search(after)}
    for number, text in lines.items():
        is_outside = outside is None or number in outside
        code = _code(text, suffix)
        # A call may continue on the next lines, but its finding is on the first.
        whole = " ".join((code, *(_code(line, suffix) for line in every[number : number + 2]))) if fitting else code
        matches = (
            (what, pattern.search(whole)) for what, pattern in fitting.items() if is_outside or what in _ANYWHERE
        )
        what = next((what for what, match in matches if match is not None and match.start() < len(code)), None)
        if what is None and is_outside and _FETCHING_CALL.search(code) and fetches_and_runs(plain(code)):
            what = Kind.fetched
        if what is not None:
            yield Danger(number, what, f"{what}: {code}")


def _code(text: str, suffix: str) -> str:
    """Return a line up to its comment. A mark after an odd number of quotes is part of a text."""
    code = f" {' '.join(text.split())}"[:LONGEST_LINE]
    mark = " #" if suffix in _HASHED else " //"
    at = code.find(mark)
    while at >= 0 and any(code.count(quote, 0, at) % 2 for quote in "\"'`"):
        at = code.find(mark, at + 1)
    return code if at < 0 else code[:at]
