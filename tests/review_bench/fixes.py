"""Fixes of public repositories that can be reversed: small, with a test, and whether that test shows the fault."""

from __future__ import annotations

import ast
import re
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from assay.validators.changes.change import ChangedFile, ChangeSet, decoded
from assay.validators.changes.classify import Nature, nature_of
from assay.validators.errors import ValidatorError
from assay.validators.report.review import Side
from assay.validators.vcs.repository import Repository
from tests.review_bench.bench.manifest import Kind, ReversedFix, Span
from tests.review_bench.bench.preparing import prepare

MOST_LINES = 60
MOST_READ = 2_500
RUN_WITHIN_S = 90
_READABLE = (".py", ".md", ".rst", ".txt")
_QUIET = re.compile(r"#|import |from .* import|\"\"\"|'''|$|[)\]}]+,?$")


def fixes(repository: Repository, name: str) -> Iterator[ReversedFix]:
    """The newest fixes that change little source and tests, and nothing else that runs."""
    tip = repository.resolve("HEAD")
    log = repository.good("log", "--no-merges", "--format=%H", "-n", str(MOST_READ), "-i", "--grep=fix", tip)
    seen = set()
    for sha in log.decode().split():
        changed = _changed(repository, sha)
        if (key := tuple(sorted(changed.items()))) in seen:
            continue  # the same fix, picked onto another branch
        seen.add(key)
        natures = {path: nature_of(path, b"") for path in changed}
        sources = [path for path, nature in natures.items() if nature is Nature.source and path.endswith(".py")]
        tests = [path for path, nature in natures.items() if nature is Nature.test and path.endswith(".py")]
        rest = {natures[path] for path in changed if path not in (*sources, *tests)} - {Nature.docs, Nature.data}
        lines = sum(changed[path] for path in sources)
        if not sources or len(tests) != 1 or rest - {Nature.source} or not 0 < lines <= MOST_LINES:
            continue
        if any(nature is Nature.source and not path.endswith(_READABLE) for path, nature in natures.items()):
            continue  # other languages; notes of changes may count as source
        with suppress(ValidatorError, ValueError):
            entry = _entry(repository, name, sha, sources, tests)
            if entry is not None:
                yield entry


def _changed(repository: Repository, sha: str) -> dict[str, int]:
    rows = repository.good("show", "--numstat", "--no-renames", "--format=", sha).decode("utf-8", "replace")
    found = [row.split("\t") for row in rows.splitlines() if row]
    return {path: int(added) + int(removed) for added, removed, path in found if added.isdigit()}


def _entry(repository: Repository, name: str, sha: str, sources: list[str], tests: list[str]) -> ReversedFix | None:
    shown_by = tuple(one for path in tests for one in changed_tests(repository, f"{sha}^", sha, path))
    if not shown_by:
        return None
    draft = ReversedFix(
        id=f"{name}-{sha[:10]}-reversed",
        kind=Kind.reversed_fix,
        repository=name,
        commit=sha,
        sources=tuple(sources),
        tests=tuple(path for path in tests if any(one.startswith(f"{path}::") for one in shown_by)),
        shown_by=shown_by[:8],
        labels=(Span(side=Side.head, path=sources[0], start=1, end=10_000_000),),
        verified=False,
    )
    labels = tuple(labels_of(prepare(repository, draft).change))
    return draft.model_copy(update={"labels": labels}) if labels else None


def labels_of(change: ChangeSet) -> Iterator[Span]:
    """The changed places, without those of comments and imports alone."""
    for file in change.files:
        for hunk in file.hunks:
            texts = [line.strip() for line in (*hunk.base_lines, *hunk.head_lines)]
            if all(_QUIET.match(text) for text in texts):
                continue
            yield span_of(file, hunk.base_start, len(hunk.base_lines), hunk.head_start, len(hunk.head_lines))


def span_of(file: ChangedFile, base_start: int, num_base: int, head_start: int, num_head: int) -> Span:
    """The lines of a hunk on the head, or on the base if the head has none."""
    if num_head:
        return Span(side=Side.head, path=file.path, start=head_start, end=head_start + num_head - 1)
    return Span(side=Side.base, path=file.base_path or file.path, start=base_start, end=base_start + num_base - 1)


def changed_tests(repository: Repository, before: str, after: str, path: str) -> Iterator[str]:
    """The ids of the tests in a file that are new or other than before."""
    text = repository.tree(after).read(path)
    if text is None:
        return
    options = ("-r", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv")
    patch = repository.good("diff-tree", *options, before, after, "--", path).decode("utf-8", "replace")
    added: set[int] = set()
    for found in re.finditer(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", patch, re.MULTILINE):
        first, count = int(found[1]), int(found[2] or "1")
        added |= set(range(first, first + count))
    try:
        module = ast.parse(decoded(text))
    except (SyntaxError, ValueError):
        return
    yield from (f"{path}::{name}" for name in _tests(module, added, ""))


def _tests(node: ast.AST, lines: set[int], inside: str) -> Iterator[str]:
    for one in ast.iter_child_nodes(node):
        if isinstance(one, ast.ClassDef):
            yield from _tests(one, lines, f"{inside}{one.name}::")
        elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name.startswith("test"):
            first = min((one.lineno, *(mark.lineno for mark in one.decorator_list)))
            if lines & set(range(first, (one.end_lineno or one.lineno) + 1)):
                yield f"{inside}{one.name}"


def with_tests(text: str, path: str, wanted: Collection[str]) -> str:
    """A test file without the tests that are not wanted: others may fail here, or need minutes."""
    module = ast.parse(text)
    _strip(module, path, wanted)
    return ast.unparse(module)


def _strip(node: ast.Module | ast.ClassDef, inside: str, wanted: Collection[str]) -> None:
    body: list[ast.stmt] = []
    for one in node.body:
        if isinstance(one, ast.ClassDef):
            _strip(one, f"{inside}::{one.name}", wanted)
        is_test = isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.name.startswith("test")
        if not is_test or f"{inside}::{getattr(one, 'name', '')}" in wanted:
            body.append(one)
    node.body = body or [ast.Pass()]


def outcome_of(repository: Repository, entry: ReversedFix, python: str) -> tuple[bool, str]:
    """Whether the fix's tests pass on the base and fail on the head, run by pytest as that Python has it."""
    change = prepare(repository, entry).change
    assert change.checkout is not None
    outcomes: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as home:
        for side in ("base", "head"):
            folder = Path(home, side)
            change.checkout(side, str(folder))
            names = []
            for path in entry.tests:
                text = with_tests(decoded(repository.tree(entry.commit).read(path) or b""), path, entry.shown_by)
                # Under its own name: other tests and fixtures may import it.
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, "utf-8")
                names.append(path)
            outcomes[side] = _pytest(folder, names, python)
    return outcomes == {"base": "passed", "head": "failed"}, str(outcomes)


def _pytest(folder: Path, names: Collection[str], python: str) -> str:
    """Outcome of some test files: `passed`, `failed`, or why they could not be run."""
    paths = [str(folder / "src"), str(folder)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": ":".join(paths), "LC_ALL": "C.UTF-8"}
    command = [python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-o", "addopts=", *names]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=RUN_WITHIN_S, check=False
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    # 1: tests failed; 2: a file could not be collected, as where a test imports what the fix adds.
    last = (done.stdout.strip().splitlines() or done.stderr.strip().splitlines() or [""])[-1]
    return {0: "passed", 1: "failed"}.get(done.returncode, last[-120:])
