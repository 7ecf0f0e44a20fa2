"""Settings of linters, type checkers and compilers as data: what each file says, one value a setting.

The files are read as the tools document them; a setting is `tool:key`, with the names above it joined by dots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from assay.validators.changes.change import decoded
from assay.validators.configuration.settings_files import ini_sections, table
from assay.validators.io.structured_files import Node, Unreadable, toml, xml, yaml_document
from assay.validators.languages.javascript.settings import json_object

Value = str | tuple[str, ...]
Setting = tuple[str, Value]
"""(key, value): a word in lower case, or the words of a list as they are written."""
MOST_SETTINGS = 5000
DEEPEST = 8
_IN_PYPROJECT = ("ruff", "mypy", "pyright", "basedpyright", "pylint", "flake8")
_WORDS = re.compile(r"[,\s]+")
_LISTS = re.compile(
    r"disable|enable|select|ignore|exclude|error_code|paths?$|nowarn|warningsnotaserrors", re.IGNORECASE
)
_NAMES = ("module", "files", "path", "paths", "linters", "name")
"""What an entry of a list of tables is called by."""
_IN_SCRIPT = re.compile(r"[\"']?([@\w][\w@/-]{0,80})[\"']?\s{0,9}:\s{0,9}\[?\s{0,9}[\"'](off|warn|error)[\"']")
_IGNORES = re.compile(r"\bignores\s*:\s*\[([^\]]{0,4000})\]")
_QUOTED = re.compile(r"[\"']([^\"'\n]{1,200})[\"']")


def settings_in(path: str, content: bytes) -> dict[str, dict[str, Value]]:
    """Return tool -> its settings in a file; empty for a file of no known tool, or one that cannot be read."""
    name = path.rpartition("/")[2]
    found: dict[str, dict[str, Value]] = {}
    for pattern, read in _READERS:
        if pattern.fullmatch(name):
            try:
                for tool, settings in read(content):
                    found.setdefault(tool, {}).update(islice(settings, MOST_SETTINGS))
            except Unreadable:
                continue
    return found


def _flat(value: object, above: str = "", depth: int = 0) -> Iterator[Setting]:
    """Yield each setting below a value of TOML, JSON or YAML."""
    if isinstance(value, Node):
        value = value.pairs or value.items or value.text
    if depth > DEEPEST:
        return
    if isinstance(value, Mapping):
        if "level" in value and ("rules." in above or above.startswith("lints.")):  # how severe it is, with options
            value = {"": value["level"]}
        for key, one in value.items():
            yield from _flat(one, f"{above}.{key}".strip("."), depth + 1)
    elif isinstance(value, list):
        yield from _flat_list(value, above, depth)
    elif _is_word(value):
        text = _word(value)
        is_list = _LISTS.search(above.rpartition(".")[2]) is not None
        yield above, tuple(filter(None, _WORDS.split(text))) if is_list and not _is_switch(text) else text.lower()


def _flat_list(values: list[object], above: str, depth: int) -> Iterator[Setting]:
    words = [_word(one) for one in values if _is_word(one)]
    if ".rules." in f".{above}" and words[:1] == [_word(values[0])]:
        yield above, words[0].lower()  # how severe the rule is, before its options
    elif len(words) == len(values):
        yield above, tuple(words)
    for at, one in enumerate(values):
        if not _is_word(one):
            yield from _flat(one, f"{above}[{_called(one) or at}]", depth + 1)


def _is_word(value: object) -> bool:
    return isinstance(value, (str, int, float)) or (isinstance(value, Node) and isinstance(value.value, str))


def _word(value: object) -> str:
    return value.text if isinstance(value, Node) else str(value)


def _is_switch(text: str) -> bool:
    return text.lower() in ("true", "false")


def _called(entry: object) -> str:
    values = entry.pairs if isinstance(entry, Node) else entry if isinstance(entry, Mapping) else {}
    said = next((values[name] for name in _NAMES if name in values), "")
    several = said.items if isinstance(said, Node) and said.items else said if isinstance(said, list) else [said]
    return ",".join(map(_word, several[:5]))


_Read = Iterator[tuple[str, Iterator[Setting]]]


def _pyproject(content: bytes) -> _Read:
    tool = table(toml(decoded(content)), "tool")
    for name in _IN_PYPROJECT:
        yield name.removeprefix("based"), _flat(tool.get(name))
    yield "pytest", _flat(table(tool, "pytest", "ini_options"))


def _cargo(content: bytes) -> _Read:
    document = toml(decoded(content))
    for lints in (table(document, "lints"), table(document, "workspace", "lints")):
        yield "cargo", _flat(lints, "lints")


def _ini(content: bytes) -> _Read:
    for section, values in ini_sections(decoded(content)).items():
        tool, _, module = section.partition("-")
        if tool in ("mypy", "flake8"):
            yield tool, _flat(values, f"overrides[{module}]" if module else "")
        elif section == "tool:pytest":
            yield "pytest", _flat(values)
        elif section.startswith("pylint"):
            yield "pylint", _flat(values)


def _pylint(content: bytes) -> _Read:
    for values in ini_sections(decoded(content)).values():
        yield "pylint", _flat(values)


def _editorconfig(content: bytes) -> _Read:
    for section, values in ini_sections(f"[all]\n{decoded(content)}").items():
        yield ".NET analyzers", _flat({key: one for key, one in values.items() if key.startswith("dotnet_")}, section)


def _tsconfig(content: bytes) -> _Read:
    said = json_object(content)
    yield "tsc", _flat({**table(said, "compilerOptions"), "extends": said.get("extends", "")})


def _eslint_script(content: bytes) -> _Read:
    text = decoded(content)
    yield "eslint", ((f"rules.{name}", word) for name, word in _IN_SCRIPT.findall(text))
    yield "eslint", (("ignores", tuple(_QUOTED.findall(found))) for found in _IGNORES.findall(text))


def _msbuild(content: bytes) -> _Read:
    root = xml(content)
    groups = [one for one in root if str(one.tag).rpartition("}")[2] == "PropertyGroup"]
    texts = {str(one.tag).rpartition("}")[2]: (one.text or "").replace(";", " ") for group in groups for one in group}
    yield "the compiler", _flat({name: text.replace("$(NoWarn)", "").strip() for name, text in texts.items()})


def _toml_of(tool: str) -> Callable[[bytes], _Read]:
    return lambda content: iter([(tool, _flat(toml(decoded(content))))])


def _json_of(tool: str, *below: str) -> Callable[[bytes], _Read]:
    return lambda content: iter([(tool, _flat(table(json_object(content), *below)))])


def _yaml_of(tool: str) -> Callable[[bytes], _Read]:
    return lambda content: iter([(tool, _flat(yaml_document(decoded(content).replace("\t", "  "))))])


_READERS: tuple[tuple[re.Pattern[str], Callable[[bytes], Any]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"pyproject\.toml", _pyproject),
        (r"\.?ruff\.toml", _toml_of("ruff")),
        (r"\.?mypy\.ini|setup\.cfg|tox\.ini|\.flake8", _ini),
        (r"\.?pylintrc(?:\.ini)?", _pylint),
        (r"pyrightconfig\.json", _json_of("pyright")),
        (r"tsconfig[\w.-]*\.json", _tsconfig),
        (r"\.eslintrc(?:\.json)?", _json_of("eslint")),
        (r"\.eslintrc\.ya?ml", _yaml_of("eslint")),
        (r"package\.json", _json_of("eslint", "eslintConfig")),
        (r"eslint\.config\.[cm]?[jt]s|\.eslintrc\.c?js", _eslint_script),
        (r"biome\.jsonc?", _json_of("biome")),
        (r"\.golangci\.(?:ya?ml|json)", _yaml_of("golangci-lint")),
        (r"\.golangci\.toml", _toml_of("golangci-lint")),
        (r"Cargo\.toml", _cargo),
        (r"\.?clippy\.toml", _toml_of("clippy")),
        (r"\.rubocop\.ya?ml", _yaml_of("rubocop")),
        (r"phpstan\.neon(?:\.dist)?", _yaml_of("phpstan")),
        (r".+\.[cf]sproj|Directory\.Build\.(?:props|targets)", _msbuild),
        (r"\.editorconfig|\.globalconfig", _editorconfig),
        (r"detekt[\w.-]*\.ya?ml", _yaml_of("detekt")),
    )
)
