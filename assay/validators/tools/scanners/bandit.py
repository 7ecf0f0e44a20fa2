"""bandit on changed Python: only tests that matter to a maintainer, few of which block."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, SourceTree, decoded, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import languages
from assay.validators.io import process
from assay.validators.io.json_parts import dicts, inner, number, text
from assay.validators.io.structured_files import Unreadable, toml
from assay.validators.report.model import Severity
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.scanners.export import Exported
from assay.validators.tools.scanners.scanner import Assignment, Scan, Sighting

TESTS = {
    "B103": Severity.warning,  # a file every user may write or run
    "B304": Severity.warning,  # ciphers that are broken
    "B305": Severity.warning,  # ECB and other modes that show the pattern of the text
    "B323": Severity.warning,  # TLS without verification
    "B413": Severity.warning,  # PyCrypto, unmaintained since 2013
    "B502": Severity.warning,  # SSL 2, SSL 3, TLS 1.0
    "B503": Severity.warning,
    "B504": Severity.warning,
    "B505": Severity.warning,  # keys that are too short
    "B507": Severity.warning,  # SSH without host keys
    "B508": Severity.warning,  # SNMP without encryption
    "B509": Severity.warning,
    "B609": Severity.warning,  # a shell wildcard that matches what looks like an option
    "B610": Severity.warning,  # Django: SQL as text
    "B611": Severity.warning,
    "B612": Severity.warning,  # a socket that takes logging configuration, and so code
    "B613": Severity.error,  # characters that make the source read otherwise than it runs
    "B614": Severity.warning,  # a model file is a pickle
    "B615": Severity.info,  # a model without a pinned revision
    "B702": Severity.warning,  # Mako does not escape
    "B703": Severity.warning,  # Django: text declared safe
    "B704": Severity.warning,
}
"""Test -> severity. All others concern style, or report code that is fine in most places."""

IF_ALONE = {
    "B201": Severity.warning,  # Flask's debugger
    "B202": Severity.warning,  # unpacking archives
    "B306": Severity.warning,  # mktemp
    "B501": Severity.warning,  # requests without verification
    "B701": Severity.warning,  # Jinja without escaping
}
"""Tests that Assay's semgrep rules cover more exactly: used only where semgrep is missing."""

_WORDS = re.compile(
    r"chmod|ARC[24]|Blowfish|DES\b|\bXOR\b|CAST5|IDEA|SEED|ECB|_create_unverified_context|\bCrypto\b"
    r"|SSLv|TLSv1|wrap_socket|generate_private_key|PublicKey|set_missing_host_key_policy|CommunityData|UsmUserData"
    r"|\b(?:system|popen[234]?|getoutput|getstatusoutput|listen)(?:\s*\(|\s+as\b)|\bextra\s*\(|\bshell\s*=|RawSQL"
    r"|[\u200f\u202a-\u202e\u2066-\u2069]"
    r"|torch|transformers|datasets|huggingface_hub|mako|safestring|Markup"
)
"""Names without which `TESTS` find nothing: a change with none of them needs no bandit, whose start takes a second."""


class Bandit:
    """Python's security linter, on files that are not tests."""

    name = "bandit"
    answers = None
    covers = languages("python")

    def wants(self, file: ChangedFile) -> bool:
        """Return whether a file is Python that is shipped or run."""
        return file.typed_path.endswith((".py", ".pyw")) and file.nature not in (Nature.test, Nature.docs)

    def scan(self, assignment: Assignment) -> Scan:
        """Run over each side; skip what the base's configuration skips, and all where no test could match."""
        tests = TESTS if "semgrep" in assignment.looked else {**TESTS, **IF_ALONE}
        asked = sorted(set(tests) - _skipped(assignment.base))
        if not asked or (tests is TESTS and not any(map(may_match, assignment.heads))):
            return Scan()
        words = [*process.own_python("bandit"), "-f", "json", "-q", "--exit-zero", "--tests", ",".join(asked), "--"]
        return assignment.both_sides(lambda names: self._side([*words, *names], tests, assignment))

    def _side(self, words: list[str], tests: dict[str, Severity], assignment: Assignment) -> Scan:
        answer = assignment.answer(self.name, words, dict)
        not_checked = [
            NotChecked(shown(where.path), f"bandit: {text(error.get('reason'))[:200]}")
            for error in dicts(answer.get("errors"))
            if (where := assignment.export.at(error.get("filename"))) is not None and where.side == "head"
        ]
        return Scan(tuple(_sightings(answer, tests, assignment)), tuple(not_checked))


def _sightings(answer: object, tests: dict[str, Severity], assignment: Assignment) -> Iterator[Sighting]:
    for result in dicts(inner(answer, "results")):
        where = assignment.export.at(result.get("filename"))
        rule = text(result.get("test_id"))
        line = number(result.get("line_number"))
        if where is None or line is None or rule not in tests or text(result.get("issue_confidence")) == "LOW":
            continue
        lines = [value for value in result.get("line_range") or () if isinstance(value, int)]
        message = text(result.get("issue_text")).split("\n")[0]
        yield Sighting(where, rule, tests[rule], message, line, max([line, *lines]))


def may_match(file: Exported) -> bool:
    """Return whether one of `TESTS` could find something in a file."""
    # Python compares names in this form.
    return _WORDS.search(unicodedata.normalize("NFKC", "\n".join(file.lines))) is not None


def _skipped(base: SourceTree) -> set[str]:
    """Return what `[tool.bandit]` of the base's pyproject.toml turns off."""
    try:
        settings = toml(decoded(base.read("pyproject.toml") or b""))
    except Unreadable:
        return set()
    skips = inner(settings, "tool", "bandit", "skips")
    return {skip for skip in skips if isinstance(skip, str)} if isinstance(skips, list) else set()


bandit = Bandit()
