"""Changed test results: hooks and settings that decide the outcome instead of the tests.

Tests left out of a run show in its results, which Tier 1 compares with the base's. Code that replaces the runner's
result does not show there, and so is an error here: an exit status set by hand, rewritten outcomes, a modified report,
a module that shadows the runner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import FileStatus
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.report.model import Finding, Severity

MOST_BODY_LINES = 60
_PYTHON = r"\.py$"
_PYTHON_TESTS = r"(?:^|/)(?:conftest\.py|tests?/.*\.py|test_[^/]*\.py|[^/]*_test\.py)$"
_NODE_TESTS = (
    r"(?:^|/)(?:tests?|specs?|__tests__|__mocks__)/.*\.[cm]?[jt]sx?$|\.(?:test|spec)\.[cm]?[jt]sx?$"
    r"|(?:^|/)(?:jest|vitest|vite|[\w.-]*setup)[\w.-]*\.[cm]?[jt]s$"
)
_NODE_SETTINGS = (
    r"(?:^|/)(?:(?:jest|vitest|vite|playwright|cypress)[\w.-]*\.[cm]?[jt]s(?:on)?|package\.json|\.mocharc.*)$"
)
_RECIPES = r"(?:^|/)(?:(?:GNU)?[Mm]akefile|[^/]+\.mk|[^/]+\.(?:sh|bash)|(?:scripts?|bin|ci|hack)/[^/.]+)$"
_PYTEST_SETTINGS = r"(?:^|/)(?:pyproject\.toml|\.?pytest\.(?:ini|toml)|setup\.cfg|tox\.(?:ini|toml))$"
_RUNS_TESTS = (
    r"\b(?:pytest|unittest|tox|nox|jest|vitest|mocha|go test|gotestsum|cargo (?:test|nextest)"
    r"|(?:npm|pnpm|yarn) (?:run )?test)\b"
)
_SHADOWS = re.compile(
    r"(?:^|/)(?:(?:site|user)customize\.py|(?:pytest|_pytest|pluggy|unittest|xdist|doctest)(?:\.py|/__init__\.py)|[^/]+\.pth)$"
)
_HOOK = re.compile(
    r"\s*(?:async\s+)?def\s+(?P<name>pytest_(?:runtest_(?:makereport|logreport|call|protocol|setup|teardown)|runtestloop"
    r"|pyfunc_call|cmdline_main|sessionfinish|unconfigure|report_teststatus|collection_modifyitems|ignore_collect"
    r"|exception_interact|pycollect_makeitem|deselected|configure))\s*\("
)
_SPEAKS_FOR_RUNNER = re.compile(
    r"\.outcome\s*=(?!=)|force_result|force_exception|\.longrepr\s*=(?!=)|\.exitstatus\s*=(?!=)|wasxfail\s*=(?!=)"
    r"|\bos\._exit|\bos\.kill|sys\.exit|\bexcept\b|\bsuppress\(|xmlpath|setattr\(|runtestprotocol"
)
_ANSWERS = re.compile(r"\s*return\s+(?:True|0|\[\]|ExitCode\.OK|pytest\.ExitCode\.OK)\b")
_ANSWERING = frozenset(
    "pytest_runtest_protocol pytest_runtestloop pytest_pyfunc_call pytest_cmdline_main pytest_runtest_call".split()
)
_LEAVES_OUT = re.compile(
    r"items\[:\]\s*=|\bdel\s+items|items\.(?:clear|remove|pop)|deselect|mark\.(?:skip|xfail)|\breturn\s+True"
)
_ENDS = re.compile(r"\bos\._exit|\bprocess::(?:exit|abort)|\bprocess\.(?:exit|reallyExit)|\bos\.Exit|\blibc::_?exit")
_RUNNER_WORDS = re.compile(
    r"test result: ok|\d passed(?:;| in |, )|--- PASS|PYTEST_ADDOPTS|junitxml|xmlpath|--outputFile|<testsuite"
    r"|Tests:  +\d"
)
_HARNESS = "the test runner is switched off"
_RETRIED = "failing tests are run again until they pass"
_FETCHES = re.compile(r"\b(?:curl|wget|dnf|apt-get|gsutil|rclone)\b[^|;&]*$")
"""Commands whose retries are those of a download."""


@dataclass(frozen=True, slots=True)
class _Bend:
    """Line that changes results in files of these paths.

    `soft`: a warning if no source changes, and nothing if a removed line of the file does the same.
    """

    paths: re.Pattern[str]
    pattern: re.Pattern[str]
    what: str
    severity: Severity = Severity.error
    soft: bool = False


def _bend(paths: str, pattern: str, what: str, severity: Severity = Severity.error, *, soft: bool = False) -> _Bend:
    return _Bend(re.compile(paths), re.compile(pattern), what, severity, soft)


_BENDS = (
    _bend(_PYTHON, r"\b(?:session|config)?\.?exitstatus\s*=(?!=)", "the exit status of the tests is set by hand"),
    _bend(_PYTHON_TESTS, r"\bos\._exit\s*\(|\bos\.kill\(\s*os\.getpid", "the test run is ended from inside"),
    _bend(_PYTHON_TESTS, r"\batexit\.register\(\s*(?:os\._exit|sys\.exit)", "the test run is ended from inside"),
    _bend(_PYTHON_TESTS, r"\bpytest\.exit\([^)\n]*returncode\s*=\s*0", "the test run is ended as a success"),
    _bend(_PYTHON_TESTS, r"\b(?:xmlpath|_xml\b|LogXML)", "the report of the tests is modified"),
    _bend(_PYTHON_TESTS, r"\bimport _pytest|\bfrom _pytest\S* import .*(?:runner|main|reports)\b",
          "parts of pytest are used that tests have no use for", Severity.warning),
    _bend(_PYTHON_TESTS, r"(?:_pytest|pytest|unittest)[\w.]*\.\w+\s*=(?!=)", "a part of the test runner is replaced"),
    _bend(_PYTHON, r"\bcollect_ignore(?:_glob)?\b\s*(?:\+?=|\.)", "files are left out of the tests", Severity.warning),
    _bend(_PYTEST_SETTINGS, r"(?:^|[\s\"'=\[,])(?:--collect-only|--co\b|--deselect|--ignore(?:-glob)?\b|-k[\s\"',=])",
          "tests are left out by the settings", Severity.warning),
    _bend(_PYTEST_SETTINGS, r"--reruns\b(?:[ =]\s*\d+)?|--force-flaky|\bflaky_\w+\s*=.*", _RETRIED, soft=True),
    _bend(_NODE_TESTS, r"\bprocess\.(?:exit|abort|reallyExit|kill)\s*\(|\bprocess\.exitCode\s*=(?!=)",
          "the exit status of the tests is set by hand"),
    _bend(f"{_NODE_TESTS}|{_NODE_SETTINGS}",
          r"\bretryTimes\s*\(.*|\bthis\.retries\s*\(.*|[\"']?\bretr(?:y|ies)[\"']?\s*:\s*[1-9]\d*", _RETRIED,
          soft=True),
    _bend(f"{_NODE_SETTINGS}|{_RECIPES}|^\\.github/", r"--retr(?:y|ies)(?:[ =]\s*[1-9]\d*)|--reruns(?:[ =]\s*\d+)?",
          _RETRIED, soft=True),
    _bend(f"{_NODE_SETTINGS}|{_RECIPES}", r"passWithNoTests\b(?!\"?\s*[:=]\s*false)",
          "no tests at all count as a success", soft=True),
    _bend(_NODE_TESTS, r"\b(?:global|globalThis)\.(?:test|it|describe|expect)\b[\w.]*\s*=(?!=)",
          "a part of the test runner is replaced"),
    _bend(r"_test\.go$", r"\b(?:os|syscall)\.Exit\(\s*0\s*\)", "the exit status of the tests is set by hand"),
    _bend(r"(?:^|/)tests/.*\.rs$", r"\bprocess::(?:exit|abort)\s*\(|\blibc::_?exit",
          "the test run is ended from inside"),
    _bend(r"(?:^|/)Cargo\.toml$", r"^\s*(?:harness|test|autotests|doctest)\s*=\s*false", _HARNESS),
    _bend(r"(?:^|/)\.cargo/config(?:\.toml)?$", r"^\s*runner\s*=", "another program runs the tests"),
    _bend(_RECIPES, rf"^\t\s*@?-.*{_RUNS_TESTS}", "its failure is ignored (`-`)"),
    _bend(_RECIPES, r"^\.IGNORE\b", "failures are ignored"),
    _bend(r"\.(?:sh|bash)$|^(?:scripts?|bin|ci|hack)/[^/.]+$",
          rf"{_RUNS_TESTS}.*(?:\|\|\s*(?:true|:|exit 0|echo\b.*)|;\s*(?:true|exit 0))\s*$", "its failure is ignored"),
)  # fmt: skip


def bent(read: Sequence[ReadFile]) -> Iterator[Finding]:
    """Yield one finding for each added line that decides how tests end."""
    changes_source = any(each.file.nature is Nature.source for each in read)
    for each in read:
        if each.head_text is None:
            continue
        path = each.file.path
        if _SHADOWS.search(path) and each.file.status in (FileStatus.added, FileStatus.renamed):
            yield _finding(each, 1, Severity.error, "This is loaded instead of, or before, the test runner")
        bends = [bend for bend in _BENDS if bend.paths.search(path)]
        gone = {line.strip() for line in each.file.removed.values()}
        for number, line in sorted(each.file.added.items()):
            if line.strip() in gone or not each.head.code_lines[number - 1 : number] or not line.strip():
                continue
            yield from _on_line(each, number, line[:1000], bends, changes_source=changes_source)
        yield from _hooks(each)
        yield from _forged(each)
        yield from _test_main(each)
        yield from _in_rust_tests(each)


def _on_line(
    read: ReadFile, number: int, line: str, bends: Sequence[_Bend], *, changes_source: bool
) -> Iterator[Finding]:
    # A comment is blank in the code; a quoted text may be an option.
    if not read.head.code_lines[number - 1].strip():
        return
    for bend in bends:
        if match := _match(bend, line):
            said = (was for removed in read.file.removed.values() for was in bend.pattern.findall(removed[:1000]))
            if not bend.soft or match[0] not in said:
                severity = Severity.warning if bend.soft and not changes_source else bend.severity
                yield _finding(read, number, severity, f"{bend.what[0].upper()}{bend.what[1:]}")
            return


def _match(bend: _Bend, line: str) -> re.Match[str] | None:
    found = bend.pattern.finditer(line)
    may_download = bend.what is _RETRIED
    return next((one for one in found if not (may_download and _FETCHES.search(line[: one.start()]))), None)


def _hooks(read: ReadFile) -> Iterator[Finding]:
    """Yield hooks of pytest whose touched bodies decide outcomes or leave tests out."""
    if not read.file.path.endswith(suffixes("python")):
        return
    lines = read.head.code_lines
    for index, line in enumerate(lines):
        hook = _HOOK.match(line[:400])
        body = _body(lines, index) if hook else []
        if not hook or not any(number in read.file.added for number in range(index + 1, index + 2 + len(body))):
            continue
        name = hook["name"]
        text = [words[:400] for words in body]
        if any(_SPEAKS_FOR_RUNNER.search(words) for words in text) or (
            name in _ANSWERING and any(_ANSWERS.match(words) for words in text)
        ):
            yield _finding(read, index + 1, Severity.error, f"`{name}` decides how tests end")
        elif any(_LEAVES_OUT.search(words) for words in text):
            yield _finding(read, index + 1, Severity.warning, f"`{name}` decides which tests run")


def _body(lines: Sequence[str], start: int) -> list[str]:
    indent = len(lines[start]) - len(lines[start].lstrip())
    body: list[str] = []
    for line in lines[start + 1 : start + 1 + MOST_BODY_LINES]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent and not line.lstrip().startswith(")"):
            break
        body.append(line)
    return body


def _forged(read: ReadFile) -> Iterator[Finding]:
    """Yield code that both prints or writes a test runner's output and ends the process."""
    if read.file.nature not in (Nature.source, Nature.test):
        return
    added = sorted(read.file.added.items())
    ends = [number for number, line in added if _ENDS.search(line[:1000])]
    if ends and any(_RUNNER_WORDS.search(line[:1000]) for _, line in added):
        yield _finding(read, ends[0], Severity.error, "This ends the process and replaces the test runner's result")


def _test_main(read: ReadFile) -> Iterator[Finding]:
    """Yield a `TestMain` that drops the exit code of its package's tests."""
    if not read.file.path.endswith("_test.go"):
        return
    lines = read.head.code_lines
    for index, line in enumerate(lines):
        if not line.startswith("func TestMain("):
            continue
        end = next((at for at in range(index + 1, len(lines)) if lines[at].startswith("}")), len(lines))
        body = "\n".join(lines[index:end])
        if any(number in read.file.added for number in range(index + 1, end + 2)) and ".Run()" not in body:
            yield _finding(read, index + 1, Severity.error, "`TestMain` does not run the tests")


def _in_rust_tests(read: ReadFile) -> Iterator[Finding]:
    """Yield code that ends the process in the tests of a source file."""
    if not read.file.path.endswith(suffixes("rust")) or "#[cfg(test)]" not in (read.head_text or ""):
        return
    start = next(index for index, line in enumerate(read.head_lines) if "#[cfg(test)]" in line)
    for number, line in sorted(read.file.added.items()):
        if number > start and re.search(r"\bprocess::(?:exit|abort)\s*\(|\blibc::_?exit", line[:1000]):
            yield _finding(read, number, Severity.error, "The test run is ended from inside")


def _finding(read: ReadFile, number: int, severity: Severity, message: str) -> Finding:
    line = read.head_lines[number - 1].strip() if number <= len(read.head_lines) else ""
    said = f"{message}: `{' '.join(line.split())[:100]}`" if line else message
    advice = "Let the test runner decide how the tests ended."
    return finding("bent", severity, (read.file.path, number), said, advice, f"bent {message} {line}")
