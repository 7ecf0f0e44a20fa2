"""Breaks to plant into a TypeScript or JavaScript tree: edits of one export that other lines certainly rely on.

Uses are found by unique names and plain patterns, without following any import.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from posixpath import dirname, join, normpath

from tests.bench.planted import Plant

_SCRIPT = re.compile(r"(?<!\.d)\.[cm]?[jt]sx?$")
_TEST = re.compile(r"test|spec|bench|example|fixture|__mocks__|runtime-tests|playground|website|docs/|perf")
_EXPORT = re.compile(
    r"^export (?:async )?(function|const|class|interface|type|enum)\*? ([A-Za-z_$][\w$]*)", re.MULTILINE
)
_IMPORT = re.compile(r"^import (?:type )?\{([^{}]*)\} from ['\"](\.[^'\"\n]*)['\"]", re.MULTILINE)
_SIGNATURE = re.compile(r"^export (?:async )?function ([A-Za-z_$][\w$]*)\(([^()?=.{}<>]*)\)", re.MULTILINE)
_METHOD = re.compile(r"^  (?:private |protected |public |async )*([A-Za-z_][\w]*)\(([^()]*)\)[^;\n]*\{$", re.MULTILINE)


def plants(sources: Mapping[str, str]) -> Iterator[Plant]:
    """Every break that can be planted, in a stable order."""
    texts = {path: text for path, text in sorted(sources.items()) if _SCRIPT.search(path)}
    defined = Counter(name for text in texts.values() for _, name in _EXPORT.findall(text))
    bound = Counter(
        name for text in texts.values() for name in re.findall(r"\b(?:function|const|let|var|class)\s+([\w$]+)", text)
    )
    users: dict[str, set[str]] = defaultdict(set)
    targets: dict[str, set[str]] = defaultdict(set)
    for path, text in texts.items():
        for names, target in _IMPORT.findall(text):
            targets[normpath(join(dirname(path), target))].add(path)
            for name in re.split(r"\s*,\s*", names.strip()):
                if re.fullmatch(r"(?:type )?[\w$]+", name):
                    users[name.removeprefix("type ")].add(path)
    for path, text in texts.items():
        if _TEST.search(path):
            continue
        if targets[_SCRIPT.sub("", path)]:
            yield Plant("script-delete-module", path, path, {path: None})
        for match in _EXPORT.finditer(text):
            kind, name = match.groups()
            is_elsewhere = re.search(rf"export \{{[^}}]*\b{name}\b|\b(?:namespace|module) {name}\b", text)
            if defined[name] == 1 and users[name] - {path} and not is_elsewhere:
                local = text[: match.start()] + text[match.start() + len("export ") :]
                yield Plant(f"script-unexport-{kind}", path, name, {path: local})
                renamed = text[: match.start(2)] + f"{name}Planted" + text[match.end(2) :]
                yield Plant("script-rename-export", path, name, {path: renamed})
        yield from _of_arguments(texts, path, text, users, bound)
        yield from _of_methods(path, text)


def _of_methods(path: str, text: str) -> Iterator[Plant]:
    """Methods that `this` is asked for, and that the file names nowhere else but after a dot."""
    for match in _METHOD.finditer(text):
        name = match[1]
        num_named = len(re.findall(rf"\b{name}\b", text))
        if f"this.{name}(" in text and num_named == 1 + len(re.findall(rf"\.{name}\b", text)):
            renamed = text[: match.start(1)] + f"{name}Planted" + text[match.end(1) :]
            yield Plant("script-rename-method", path, name, {path: renamed})


def _of_arguments(
    texts: Mapping[str, str], path: str, text: str, users: Mapping[str, set[str]], bound: Counter[str]
) -> Iterator[Plant]:
    if not path.endswith((".ts", ".tsx")):
        return
    for match in _SIGNATURE.finditer(text):
        name, parameters = match.groups()
        callers = [other for other in users.get(name, ()) if other.endswith((".ts", ".tsx")) and other != path]
        calls = [call for other in callers for call in re.findall(rf"(?<![\w$.]){name}\(([^()]*)\)", texts[other])]
        if bound[name] != 1 or not any("..." not in call and call.strip() for call in calls):
            continue
        comma = ", " if parameters.strip() and not parameters.rstrip().endswith(",") else ""
        added = text[: match.end(2)] + f"{comma}planted: string" + text[match.end(2) :]
        yield Plant("script-add-required", path, name, {path: added})
