"""Detection of changes that can alter which tests run or how results are reported: the base runs too.

Errs towards running the base: a false alarm costs one more run, and its results are cached.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, shown

_SETTINGS = re.compile(
    r"(?:^|/)(?:conftest\.py|\.?pytest\.(?:ini|toml)|setup\.cfg|tox\.(?:ini|toml)|noxfile\.py|runtests?\.py"
    r"|(?:site|user)customize\.py|[^/]+\.pth|[^/]+\.egg-link|\.env"
    r"|(?:jest|vitest|vite|babel|karma|playwright|ava)[\w.-]*\.(?:config|setup|workspace)?\.?[cm]?[jt]s(?:on)?"
    r"|[\w.-]*setup[\w.-]*\.[cm]?[jt]sx?|\.mocharc[\w.]*|\.babelrc[\w.]*|\.npmrc"
    r"|(?:GNU)?[Mm]akefile|[^/]+\.mk|[Jj]ustfile|Taskfile\.ya?ml|dodo\.py|Rakefile"
    r"|build\.rs|\.cargo/config(?:\.toml)?|rust-toolchain(?:\.toml)?|go\.work|\.config/nextest\.toml"
    r"|pom\.xml|build\.gradle(?:\.kts)?|[^/]+\.(?:sh|bash))$"
    r"|^\.github/workflows/|^(?:scripts?|bin|ci|hack|tools|\.ci)/[^/.]+$"
    r"|(?:^|/)(?:pytest|_pytest|pluggy|unittest|xdist|coverage|jest|vitest|mocha|testing)(?:\.py|\.[cm]?js|/)"
)
_MANIFESTS = re.compile(r"(?:^|/)(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod)$")
_MANIFEST_WORDS = re.compile(
    r"(?i)pytest|testpaths|addopts|python_(?:files|classes|functions)|norecursedirs|jest|vitest|mocha|\btest|scripts"
    r"|harness|pythonpath|\"(?:pre|post)|exclude|ignore|--|entry|plugin|\[lib\]|\[features\]|env\b"
)
_WORDS = re.compile(
    r"os\._exit|sys\.exit|SystemExit|process\.(?:exit|abort|reallyExit|kill)|exitCode|os\.Exit|syscall\.Exit|runtime\.Goexit"
    r"|process::(?:exit|abort)|libc::_?exit|exit_?status|\bpytest_[a-z]+_?\w*\(|\bpytest\.(?:skip|exit|importorskip|xfail)"
    r"|mark\.(?:skip|skipif|xfail)|collect_ignore|__test__|importorskip|load_tests\b|SkipTest|\bskip(?:If|Unless|Test)?\("
    r"|\bTestMain\b|//\s*(?:go:build|\+build)|\bt\.Skip|testing\.Short|#!?\[(?:ignore|cfg|test)|\batexit\b|\bjunit|xmlpath"
    r"|\.(?:only|skip|todo|retryTimes|retries|runIf|skipIf)\b|\b(?:x|f)(?:it|describe|test)\(|passWithNoTests|\bretry\b"
    r"|_pytest|pluggy|settrace|setprofile|sys\.modules|builtins\.|AssertionError|pluginmanager|__import__|os\.kill"
    r"|\bos\.(?:exec|fork|dup)|os\.(?:remove|unlink)|expect\.extend|globalThis\b|require\.cache|NODE_OPTIONS"
)
_DEFINITION = re.compile(
    r"\s*(?:(?:async\s+)?def\s+test|class\s+\w*[Tt]est|(?:it|test|describe|suite|context)(?:\.\w+)*\s*\(|func\s+Test"
    r"|#\[(?:\w+::)?test|@Test\b|def\s+setUp)"
)
_TEST_PATH = re.compile(r"(?i)(?:^|/|_|\.|-)(?:tests?|specs?)(?:/|_|\.|-|$)|(?:^|/)__tests__/|Test\.\w+$")
MOST_LINE = 2000


def bends(change: ChangeSet) -> str | None:
    """Return what in the change may alter which tests run or how they end; None for plain code and plain tests."""
    for file in change.files:
        why = _why(file)
        if why is not None:
            return why
    return None


def _why(file: ChangedFile) -> str | None:
    paths = {file.path, file.base_path or file.path}
    name = shown(file.path)
    if any(_SETTINGS.search(path) for path in paths):
        return f"{name} decides how tests run"
    is_test = any(_TEST_PATH.search(path) for path in paths)
    if file.kind is not FileKind.text:
        return f"{name} is a {file.kind} among the tests" if is_test and file.kind is FileKind.symlink else None
    if is_test and (not file.exists or len(paths) > 1):
        return f"{name} is moved or deleted"
    added, removed = file.added.values(), file.removed.values()
    if _MANIFESTS.search(file.path):
        return f"{name} configures how tests run" if _any(_MANIFEST_WORDS, (*added, *removed)) else None
    if _any(_WORDS, added):
        return f"{name} adds code that may end, skip or retry tests"
    gone = Counter(line.strip() for line in removed if is_test and _DEFINITION.match(line[:MOST_LINE]))
    gone.subtract(line.strip() for line in added)
    return f"{name} removes tests" if any(num > 0 for num in gone.values()) else None


def _any(pattern: re.Pattern[str], lines: Iterable[str]) -> bool:
    return any(pattern.search(line[:MOST_LINE]) for line in lines)
