"""Minimum coverage in any settings file, and its reduction by a change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from assay.validators.changes.change import ChangeSet, SourceTree, decoded
from assay.validators.configuration.settings_files import table
from assay.validators.io.structured_files import Unreadable, ini, json_document, toml, yaml_document

_FAIL_UNDER = re.compile(r"--cov-fail-under[= ](\d{1,3}(?:\.\d+)?)|--fail-under[= ](\d{1,3}(?:\.\d+)?)")
_IN_JAVASCRIPT = re.compile(r"\b(branches|functions|lines|statements)['\"]?\s*:\s*(\d{1,3}(?:\.\d+)?)")
_NUMBER = re.compile(r"\d{1,3}(?:\.\d+)?")


def lowered_thresholds(change: ChangeSet) -> Iterator[tuple[str, str, int | None]]:
    """Yield (what, path, line in the head) of each lowered or removed threshold.

    A threshold that moved unchanged to another file of the change is not lowered.
    """
    before: dict[str, tuple[float, str]] = {}
    after: dict[str, float] = {}
    for file in change.files:
        for name, number in _read(change.base, file.base_path).items():
            before[name] = (max(number, before.get(name, (0.0, ""))[0]), file.path)
        for name, number in _read(change.head, file.path if file.exists else None).items():
            after[name] = max(number, after.get(name, 0.0))
    highest_now = max(after.values(), default=None)
    for name, (was, path) in before.items():
        now = after.get(name, highest_now if name == "coverage" else None)
        if now is None or now < was:
            line = next((line for line, text in change.by_path[path].added.items() if now and f"{now:g}" in text), None)
            said = "is no longer required" if now is None else f"is lowered from {was:g} to {now:g} %"
            yield f"the minimum {name} {said}", path, line


def _read(tree: SourceTree, path: str | None) -> Mapping[str, float]:
    reader = None if path is None else _reader(path)
    if path is None or reader is None:
        return {}
    content = tree.read(path)
    try:
        return {} if content is None else dict(reader(decoded(content)))
    except Unreadable:
        return {}


def _reader(path: str) -> Callable[[str], Iterator[tuple[str, float]]] | None:
    name = PurePosixPath(path).name
    if re.fullmatch(r"(jest|vitest|vite|karma)\.?conf(ig)?\.[cm]?[jt]s", name):
        return _javascript
    return _READERS.get(name)


def _pyproject(text: str) -> Iterator[tuple[str, float]]:
    tool = toml(text).get("tool", {})
    yield from _number("coverage", table(tool, "coverage", "report").get("fail_under"))
    options = table(tool, "pytest", "ini_options").get("addopts")
    yield from _options(" ".join(options) if isinstance(options, list) else str(options))


def _ini(text: str) -> Iterator[tuple[str, float]]:
    settings = ini(text)
    for section in ("coverage:report", "report"):
        if settings.has_option(section, "fail_under"):
            yield from _number("coverage", settings.get(section, "fail_under"))
    yield from _options(text)


def _options(text: str) -> Iterator[tuple[str, float]]:
    numbers = [float(one or other) for one, other in _FAIL_UNDER.findall(text)]
    if numbers:
        yield "coverage", max(numbers)


def _codecov(text: str) -> Iterator[tuple[str, float]]:
    status = yaml_document(text).at("coverage", "status")
    for kind, node in status.pairs.items():
        for name, target in {"": node, **node.pairs}.items():
            aim = target.get("target")
            if aim is not None:
                yield from _number(f"{kind} coverage {name}".strip(), aim.text)


def _package(text: str) -> Iterator[tuple[str, float]]:
    document = json_document(text)
    for where in (
        table(document, "jest", "coverageThreshold", "global"),
        table(document, "coverageThreshold", "global"),
        table(document),
    ):
        for name in ("branches", "functions", "lines", "statements"):
            yield from _number(f"coverage of {name}", where.get(name))


def _javascript(text: str) -> Iterator[tuple[str, float]]:
    at = re.search(r"coverageThreshold|thresholds?\b", text)
    for name, number in _IN_JAVASCRIPT.findall(text[at.end() : at.end() + 2000]) if at else ():
        yield f"coverage of {name}", float(number)


_READERS: dict[str, Callable[[str], Iterator[tuple[str, float]]]] = {
    "pyproject.toml": _pyproject,
    **dict.fromkeys(("setup.cfg", "tox.ini", ".coveragerc", "pytest.ini"), _ini),
    **dict.fromkeys(("codecov.yml", ".codecov.yml", "codecov.yaml"), _codecov),
    **dict.fromkeys(("package.json", ".nycrc", ".nycrc.json", "jest.config.json"), _package),
}


def _number(name: str, said: object) -> Iterator[tuple[str, float]]:
    is_number = isinstance(said, (str, int, float)) and not isinstance(said, bool)
    match = _NUMBER.match(str(said).strip()) if is_number else None
    if match is not None:
        yield name, float(match[0])
