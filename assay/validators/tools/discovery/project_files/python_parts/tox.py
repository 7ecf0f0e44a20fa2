"""tox's settings, in tox.ini, setup.cfg, tox.toml or pyproject.toml: what each environment installs and runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import ini_of, ini_sections, strings, table, toml_of
from assay.validators.tools.commands.command_line import joined

# Environments that check nothing, or run the same tests against other versions.
_NO_CHECK = re.compile(
    r"docs?|publish|release|upload|bump|min|dev|devel|nightly|lowest|bench|pypy|cov-report|pre-commit|update|build"
)
_SECTION = re.compile(r"\{\[([\w:.-]{1,80})\]([\w-]{1,80})\}")
_DEFAULT = re.compile(r"\{(?:posargs|args):([^{}]{0,2000})\}")
_PLACEHOLDER = re.compile(r"\{[^{}\n]{0,200}\}")
_KNOWN_PLACES = (("{envpython}", "python"), ("{envbindir}/", ""))
_TOP = re.compile(r"\{(?:toxinidir|tox_root)\}(/?)")
MOST_NESTED = 4
_FACTOR = re.compile(r"[\w!{},.-]{1,80}:\s")


@dataclass(frozen=True, slots=True)
class ToxEnvironment:
    """A tox environment; the one that all others inherit from is named "py"."""

    name: str
    commands: tuple[str, ...]
    dependencies: tuple[str, ...]
    found_in: str
    directory: str = "."


def tox_environments(tree: SourceTree) -> list[ToxEnvironment]:
    """Return the environments that check something; lines for single factors (`py39: …`) are left out."""
    in_pyproject = table(toml_of(tree, "pyproject.toml"), "tool", "tox")
    return [
        *_in_ini(ini_of(tree, "tox.ini"), "tox.ini"),
        *_in_ini(ini_of(tree, "setup.cfg"), "setup.cfg"),
        *_in_ini(ini_sections("".join(strings(in_pyproject.get("legacy_tox_ini")))), "pyproject.toml legacy_tox_ini"),
        *_in_toml(toml_of(tree, "tox.toml"), "tox.toml ["),
        *_in_toml(in_pyproject, "pyproject.toml [tool.tox."),
    ]


def filled_in(line: str) -> str:
    """Return a command line without placeholders only its runner can fill; keep the default of `{posargs}`."""
    marked = line.strip()
    for place, words in _KNOWN_PLACES:
        marked = marked.replace(place, words)
    for _ in range(MOST_NESTED):
        marked = _PLACEHOLDER.sub("\0", _DEFAULT.sub(lambda match: match[1], marked))
    return " ".join(word for word in marked.split() if "\0" not in word)


def is_check(name: str) -> bool:
    """Return whether an environment or session of this name checks something and does not repeat another."""
    return not _NO_CHECK.search(name)


def _in_ini(sections: Mapping[str, Mapping[str, str]], file: str) -> Iterator[ToxEnvironment]:
    for section, values in sections.items():
        name = section.removeprefix("testenv").lstrip(":") or "py"
        if not re.match(r"testenv(:|$)", section) or not is_check(name):
            continue
        directory = values.get("changedir", values.get("change_dir", ".")).removeprefix("{toxinidir}/").strip("/")
        up = "" if "{" in directory or directory in ("", ".") else "../" * (directory.count("/") + 1)
        yield ToxEnvironment(
            name=name,
            commands=tuple(_lines(values.get("commands", ""), sections, up)),
            dependencies=tuple(_lines(values.get("deps", ""), sections, "")),
            found_in=f"{file} [{section}]",
            directory="." if "{" in directory or not directory else directory,
        )


def _from_top(text: str, up: str) -> str:
    """Return a text with tox's folder as seen from the one the commands run in: `up`, or the same."""
    return _TOP.sub(lambda match: up if match[1] else up.rstrip("/") or ".", text)


def _lines(value: str, sections: Mapping[str, Mapping[str, str]], up: str) -> Iterator[str]:
    """Yield the lines of a value, including those it references in other sections; `up` leads to tox's folder."""

    def other(match: re.Match[str]) -> str:
        return sections.get(match[1], {}).get(match[2], "")

    for raw in _from_top(_SECTION.sub(other, value), up).replace("\\\n", " ").splitlines():
        # A leading dash marks a command that may fail.
        line = re.sub(r"(^|\s)#.*$", "", raw).strip().removeprefix("- ").strip()
        if line and not _FACTOR.match(line) and (kept := filled_in(line)):
            yield kept


def _in_toml(tox: Mapping[str, Any], where: str) -> Iterator[ToxEnvironment]:
    named = {f"env.{name}": value for name, value in table(tox, "env").items() if isinstance(value, Mapping)}
    for key, values in {"env_run_base": table(tox, "env_run_base"), **named}.items():
        name = "py" if key == "env_run_base" else key.removeprefix("env.")
        if values and is_check(name):
            commands = values.get("commands")
            lines = [joined(strings(words)) for words in commands] if isinstance(commands, list) else []
            yield ToxEnvironment(name, tuple(_kept(lines)), tuple(strings(values.get("deps"))), f"{where}{key}]")


def _kept(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if kept := filled_in(_from_top(line.replace("'", ""), "") if "{" in line else line):
            yield kept
