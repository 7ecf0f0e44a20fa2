"""Output of a run prepared for reading: plain text, lines, report files, and findings in one shape."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from assay.validators.report.model import Counts, Finding, Severity, Tier
from assay.validators.tools.readers.places import Places
from assay.validators.tools.tool import Ended, Ran, Reading, TestId
from assay.validators.vcs.trees import read_regular

TEXT_LIMIT = 8 * 1024 * 1024
"""Maximum characters of output: half from the beginning, half from the end."""

LINE_LIMIT = 2000
"""Maximum characters of one line, which bounds the time of every pattern."""

REPORT_LIMIT = 64 * 1024 * 1024
"""Maximum bytes of a report file."""

MOST_FINDINGS = 1000
MOST_REPORTS = 200

_CONTROL = re.compile(
    r"\x1b\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[()][0-9A-Za-z]|\x1b[0-~]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_REPORT_SUFFIXES = (".xml", ".json", ".sarif", ".tap", ".trx")
_USUAL_FOLDERS = (
    ". reports report test-results test-reports test_results junit results build build/test-results/test build/reports "
    "target/surefire-reports target/failsafe-reports target/nextest/default target/nextest/ci TestResults coverage log "
    "tmp"
).split()
_SETTINGS = re.compile(r"^(package(-lock)?|composer|tsconfig.*|pom|phpunit.*|build|deno)\.(json|xml)$")


@dataclass(frozen=True)
class Output:
    """Output of one run, as its readers receive it."""

    text: str
    places: Places
    exit_code: int | None
    words: Sequence[str] = ()
    scratch: Path | None = None
    started_at_s: float = 0.0
    piped: Mapping[TestId, Ended] | None = None

    @classmethod
    def of(cls, ran: Ran) -> Output:
        """Build the output of a run from both streams, without escape codes and control characters."""
        return cls(
            text=plain(ran.completed.stdout, ran.completed.stderr),
            places=Places(ran.root, ran.task.directory),
            exit_code=ran.completed.returncode,
            words=tuple(ran.words),
            scratch=ran.scratch,
            started_at_s=ran.started_at_s,
            piped=ran.piped,
        )

    @cached_property
    def lines(self) -> Sequence[str]:
        """Lines, each cut at `LINE_LIMIT`."""
        return [line[:LINE_LIMIT] for line in self.text.split("\n")]

    @cached_property
    def reports(self) -> Sequence[tuple[str, bytes]]:
        """(name, content) of the report files this run wrote, in its scratch folder or the usual places."""
        return list(self._reports())

    def scratch_report(self, name: str) -> bytes | None:
        """Return the content of the report a tool was asked to write into the scratch folder."""
        return None if self.scratch is None else read_regular(str(self.scratch / name), REPORT_LIMIT)

    def scratch_reports(self, begin: str, end: str, most: int) -> Iterator[bytes]:
        """Return the contents of the scratch folder's reports with this prefix and suffix."""
        names = [] if self.scratch is None else _names(str(self.scratch))
        for name in [name for name in names if name.startswith(begin) and name.endswith(end)][:most]:
            yield self.scratch_report(name) or b""

    def named_report(self, option: str) -> bytes | None:
        """Return the content of the report that the command's own words name (`--junitxml=reports/unit.xml`)."""
        for word, following in pairwise((*self.words, "")):
            if word == option or word.startswith(option + "="):
                name = following if word == option else word[len(option) + 1 :]
                return self._fresh(os.path.join(self.places.root, self.places.directory, name))
        return None

    def relative(self, reading: Reading) -> Reading:
        """Remove the temporary folders from the reading's texts: they differ between runs, and ids must not."""
        folders = [f"{folder}/" for folder in (*self.places.roots, *([str(self.scratch)] if self.scratch else []))]

        def without(words: str | None) -> str | None:
            for folder in folders if words else ():
                words = (words or "").replace(f"file://{folder}", "").replace(folder, "")
            return words

        findings = tuple(
            replace(
                found,
                message=without(found.message) or "",
                context=without(found.context) or "",
                suggestion=without(found.suggestion),
            )
            for found in reading.findings
        )
        tests = {(place, without(name) or ""): ended for (place, name), ended in reading.tests.items()}
        return replace(reading, findings=findings, reason=without(reading.reason), tests=tests)

    def _reports(self) -> Iterator[tuple[str, bytes]]:
        folders = [str(self.scratch)] if self.scratch is not None else []
        for where in dict.fromkeys((self.places.directory, ".")):
            folders += [os.path.normpath(os.path.join(self.places.root, where, usual)) for usual in _USUAL_FOLDERS]
        left = MOST_REPORTS
        for folder in dict.fromkeys(folders):
            for name in _names(folder):
                if left and name.lower().endswith(_REPORT_SUFFIXES) and not _SETTINGS.match(name):
                    content = self._fresh(os.path.join(folder, name))
                    if content is not None:
                        left -= 1
                        yield name, content

    def _fresh(self, path: str) -> bytes | None:
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(found.st_mode) or found.st_mtime < self.started_at_s:
            return None
        return read_regular(path, REPORT_LIMIT)


def plain(*streams: bytes) -> str:
    """Remove escape codes and control characters; a carriage return ends a line as a line feed does."""
    text = "\n".join(stream.decode("utf-8", "replace") for stream in streams if stream)
    if len(text) > TEXT_LIMIT:
        text = text[: TEXT_LIMIT // 2] + "\n" + text[-TEXT_LIMIT // 2 :]
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def finding(
    tool: str,
    rule: str,
    message: str,
    place: tuple[str, int | None],
    severity: Severity = Severity.error,
    *,
    end_line: int | None = None,
    suggestion: str | None = None,
    context: str = "",
) -> Finding:
    """Build a finding of Tier 1, with its texts cut to the report's limits."""
    file, line = place
    return Finding(
        tier=Tier.tools,
        severity=severity,
        rule=_short(rule, 120) or tool,
        file=file,
        message=_short(message, 1000) or "no message",
        line=line if line and line > 0 else None,
        end_line=end_line if line and end_line and end_line > line else None,
        suggestion=_short(suggestion, 500) if suggestion else None,
        tool=tool,
        context=_short(context, 1000),
    )


def lint_reading(findings: Iterable[Finding], *, looked: bool = True, reason: str | None = None) -> Reading:
    """Return a linter's findings without repeated lines, counted by severity."""
    kept = list(dict.fromkeys(findings))
    return Reading(
        counts=Counts(
            errors=sum(found.severity is Severity.error for found in kept),
            warnings=sum(found.severity is Severity.warning for found in kept),
        ),
        findings=tuple(kept[:MOST_FINDINGS]),
        looked=looked,
        reason=reason,
    )


def could_not_look(reason: str, findings: Sequence[Finding] = (), counts: Counts | None = None) -> Reading:
    """Return the reading of a run in which the tool could not do its work."""
    return Reading(counts or Counts(), tuple(findings[:MOST_FINDINGS]), looked=False, reason=_short(reason, 300))


def together(readings: Sequence[Reading]) -> Reading:
    """Merge readings: all findings, all counts summed; if one tool checked nothing, neither did the command."""
    findings = dict.fromkeys(found for reading in readings for found in reading.findings)
    asked = [reading.is_reported for reading in readings if reading.is_reported is not None]
    blind = next((reading for reading in readings if not reading.looked), None)
    names = ("passed", "failed", "skipped", "errors", "warnings")
    return Reading(
        counts=Counts(*(_sum(getattr(reading.counts, name) for reading in readings) for name in names)),
        findings=tuple(findings)[:MOST_FINDINGS],
        looked=blind is None,
        reason=blind.reason if blind else None,
        tests={test: ended for reading in readings for test, ended in reading.tests.items()},
        is_reported=all(asked) if asked else None,
        num_retried=sum(reading.num_retried for reading in readings),
    )


def by_name(ended: Iterable[tuple[TestId, Ended]]) -> dict[TestId, Ended]:
    """Return the tests by name; a number distinguishes those of the same name (`works`, `works[2]`)."""
    named: dict[TestId, Ended] = {}
    seen: dict[TestId, int] = {}
    for test, how in ended:
        seen[test] = seen.get(test, 0) + 1
        named[test if seen[test] == 1 else (test[0], f"{test[1]}[{seen[test]}]")] = how
    return named


def severity_of(word: object) -> Severity:
    """Return the severity for a tool's word; error for an unknown word."""
    said = str(word).lower()
    if said in ("warning", "warn", "⚠"):
        return Severity.warning
    return Severity.info if said in ("note", "info", "information", "none", "help", "style") else Severity.error


def first_line(text: object) -> str:
    """Return the first line with text."""
    for line in str(text)[:20_000].splitlines():
        if line.strip():
            return line.strip()[:300]
    return ""


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _short(text: object, most: int) -> str:
    kept = _CONTROL.sub("", str(text)).strip()
    return kept if len(kept) <= most else kept[: most - 1] + "…"


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))[:5000]
    except OSError:
        return []
