"""Packages pinned by lock files, read line by line; only names, versions and hosts are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from assay.validators.changes.change import ChangedFile, ChangeSet, SourceTree, decoded
from assay.validators.configuration.settings_files import table
from assay.validators.dependencies.manifests.python import is_requirements
from assay.validators.io.json_parts import dicts, inner
from assay.validators.io.json_parts import text as text_of
from assay.validators.io.structured_files import Unreadable

LIMIT_BYTES = 64_000_000
"""Bytes of the largest lock file that is read; one side at a time is in memory."""
_MOST_NAME = 214
"""Maximum characters of a name on npm."""

_LINE = re.compile(r"([^\n]*)\n?")
_TOML = re.compile(r"(?P<header>\[\[?[^\]]+\]\]?)|(?P<key>[\w-]+)\s*=\s*(?P<value>.*)")
_GO = re.compile(r"(?P<name>\S+) (?P<version>v[^\s/]+)(?P<is_manifest>/go\.mod)? h1:\S+")
_YARN = re.compile(r'"?(?P<name>@?[^@"\s]+)@[^\n]*:')
_YARN_FIELD = re.compile(r'  (?P<key>version|resolved|resolution):? "?(?P<value>[^"\s]+)"?')
_PNPM = re.compile(r"  ['\"]?/?(?P<name>@?[^@/('\"\s]+(?:/[^@/('\"\s]+)?)[@/](?P<version>[^()/:'\"\s]+)[^\n]*")
_HEADERS = ("[[package]]", "[[packages]]")
_GRADLE = re.compile(r"(?P<name>[\w.-]+:[\w.-]+):(?P<version>[^=:\s]+)=\S*")
_BUN = re.compile(r'    "[^"\n]*": \["(?P<name>@?[^@"\n]+)@(?P<version>[^"\n]*)"[^\n]*')
_GEM = re.compile(r"    (?P<name>[\w.-]+) \((?P<version>[^()\s]+)\)")
_REVISION = re.compile(r"git\b.{0,300}#([0-9a-f]{7,12})")
"""Commit of a package that comes from a repository: it moves while the version stays."""
_CONDA = re.compile(r"[- ] (name|version|url|conda|pypi): (\S.*)")
_CONDA_FILE = re.compile(r"([\w.+-]+?)-([\w.!+]+)-[\w.+]+(?:\.tar\.bz2|\.conda)")
_PINNED = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?[ ]*(?:==+[ ]*([\w.!+-]+)|@[ ]*(\S+))(?:[ ]*;.*)?")
_SEPARATORS = re.compile(r"[-_.]+")
_ADDRESS = re.compile(r"(?:https?|ssh|git)://[^\s\"',}/]+|(?P<short>\b(?:github|gitlab|bitbucket)):[\w.-]+/")
_SHORT = {"github": "github.com", "gitlab": "gitlab.com", "bitbucket": "bitbucket.org"}
"""How npm spells a repository of a known host."""


@dataclass
class Locked:
    """Contents of a lock file: package -> its versions, host -> a package from it, and those that run a script."""

    ecosystem: str
    versions: dict[str, set[str]] = field(default_factory=dict)
    hosts: dict[str, str] = field(default_factory=dict)
    scripts: set[str] = field(default_factory=set)

    def add(self, name: str, version: str, source: str = "") -> None:
        """Record a package, and the host of its address."""
        name = name[:_MOST_NAME]
        self.versions.setdefault(name, set()).add(version[:_MOST_NAME])
        if match := _ADDRESS.search(source):
            self.hosts.setdefault(_SHORT.get(match["short"] or "") or _host(match[0]), name)


@dataclass(frozen=True)
class LockChange:
    """Changed lock file: its contents before, None if it is new, and after."""

    file: ChangedFile
    before: Locked | None
    after: Locked

    def pinned(self, ecosystem: str, name: str) -> tuple[str | None, str | None]:
        """Return the version of a package before and after; None if there is none, or more than one."""
        if ecosystem != self.after.ecosystem:
            return None, None
        return _only(self.before, name), _only(self.after, name)

    def moved(self, but: Collection[tuple[str, str]] = ()) -> dict[str, set[str]]:
        """Return the packages with other versions than before, except those in `but` by (ecosystem, name)."""
        before = self.before.versions if self.before is not None else {}
        return {
            name: versions
            for name, versions in self.after.versions.items()
            if versions != before.get(name) and (self.after.ecosystem, name) not in but
        }


def _only(locked: Locked | None, name: str) -> str | None:
    versions = locked.versions.get(name, ()) if locked is not None else ()
    return next(iter(versions)) if len(versions) == 1 else None


def lock_change(change: ChangeSet, file: ChangedFile) -> LockChange:
    """Return both sides of a changed lock file. Raises `Unreadable`."""
    before = _read(change.base, file.base_path) if file.base_path is not None else None
    return LockChange(file, before, _read(change.head, file.path))


def _read(tree: SourceTree, path: str) -> Locked:
    content = tree.read(path, LIMIT_BYTES)
    if content is None:
        raise Unreadable(f"larger than {LIMIT_BYTES // 1_000_000} MB, or not a regular file")
    return locked(path, content)


def locked(path: str, content: bytes) -> Locked:
    """Return the contents of a lock file. Raises `Unreadable` for a line that its tool would not have written."""
    known = ("pypi", _compiled) if is_requirements(path) else READERS.get(path.rpartition("/")[2])
    if known is None:
        raise Unreadable("its layout is not known")
    ecosystem, read = known
    found = Locked(ecosystem)
    read(decoded(content), found)
    return found


def _lines(text: str) -> Iterator[str]:
    """Yield the lines one at a time: a list of a million lines takes more memory than the file."""
    return (match[1].rstrip() for match in _LINE.finditer(text))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("not valid JSON") from None


def _npm(text: str, found: Locked) -> None:
    document = _json(text)
    for path, one in table(document, "packages").items():
        if "node_modules/" in path:
            _add_npm(path.rpartition("node_modules/")[2], one, found)
    waiting = [table(document, "dependencies")]
    while waiting:
        for name, one in waiting.pop().items():
            _add_npm(name, one, found)
            waiting.append(table(one, "dependencies"))


def _add_npm(key: str, one: object, found: Locked) -> None:
    version = text_of(inner(one, "version"))
    if version:
        name = text_of(inner(one, "name")) or key
        found.add(name, version, text_of(inner(one, "resolved")) or version)
        if inner(one, "hasInstallScript") is True:
            found.scripts.add(name[:_MOST_NAME])


def _toml(text: str, found: Locked) -> None:
    fields: dict[str, str] = {}
    is_inside = False
    for line in chain(_lines(text), (_HEADERS[0],)):
        if '"""' in line or "'''" in line:
            raise Unreadable("a text of several lines")
        match = _TOML.match(line)
        if match is None:
            continue
        header = match["header"]
        if header is None and is_inside:
            fields.setdefault(match["key"], match["value"].strip(" \"'"))
        elif header is not None:
            is_inside = header in (*_HEADERS, "[package.source]")
            if header in _HEADERS:
                _add_toml(fields, found)
                fields = {}


def _add_toml(fields: dict[str, str], found: Locked) -> None:
    source = fields.get("source", "")
    is_own = not source if found.ecosystem == "cargo" else "editable" in source or "virtual" in source
    if "name" in fields and not is_own:
        revision = _REVISION.search(source)
        version = fields.get("version", "") + (f"#{revision[1]}" if revision is not None else "")
        found.add(fields["name"], version, source + " " + fields.get("url", ""))


def _go(text: str, found: Locked) -> None:
    for line in _lines(text):
        match = _GO.fullmatch(line)
        if match is None and line:
            raise Unreadable("not in the layout that go writes")
        if match is not None and not match["is_manifest"]:
            found.add(match["name"], match["version"])


def _yarn(text: str, found: Locked) -> None:
    name, fields = "", dict[str, str]()
    for line in chain(_lines(text), ("end@0:",)):
        if line[:1] not in ("", " ", "#"):
            if name and "version" in fields:
                found.add(name, fields["version"], fields.get("resolved", fields.get("resolution", "")))
            match = _YARN.fullmatch(line)
            if match is None and line != "__metadata:":
                raise Unreadable("not in the layout that yarn writes")
            name, fields = (match["name"] if match is not None else ""), {}
        elif field_ := _YARN_FIELD.fullmatch(line):
            fields[field_["key"]] = field_["value"]


def _pnpm(text: str, found: Locked) -> None:
    is_inside = False
    name = version = ""
    for line in _lines(text):
        if line[:1] not in ("", " ", "#"):
            is_inside = line == "packages:"
        elif is_inside and line[:3].strip() and line[:2] == "  ":
            match = _PNPM.fullmatch(line)
            if match is None:
                raise Unreadable("not in the layout that pnpm writes")
            name, version = match["name"], match["version"]
            found.add(name, version)
        elif is_inside and name and line.startswith("    resolution:"):
            found.add(name, version, line)
        elif is_inside and name and line == "    requiresBuild: true":
            found.scripts.add(name[:_MOST_NAME])


def _composer(text: str, found: Locked) -> None:
    document = _json(text)
    for one in (package for key in ("packages", "packages-dev") for package in dicts(inner(document, key))):
        if name := text_of(one.get("name")):
            source = text_of(inner(one, "source", "url")) or text_of(inner(one, "dist", "url"))
            found.add(name, text_of(one.get("version")), source)


def _bundler(text: str, found: Locked) -> None:
    remote = ""
    for line in _lines(text):
        if line[:1] not in ("", " "):
            remote = ""
        elif line.startswith("  remote: ") and "://" in line:
            remote = line
        elif remote and (match := _GEM.fullmatch(line)):
            found.add(match["name"], match["version"], remote)


def _pipenv(text: str, found: Locked) -> None:
    document = _json(text)
    for name, one in (row for key in ("default", "develop") for row in table(document, key).items()):
        if version := text_of(inner(one, "version")):
            found.add(name, version.removeprefix("=="))


def _nuget(text: str, found: Locked) -> None:
    for framework in table(_json(text), "dependencies").values():
        for name, one in table(framework).items():
            if version := text_of(inner(one, "resolved")):
                found.add(name.lower(), version)


def _gradle(text: str, found: Locked) -> None:
    for line in _lines(text):
        match = _GRADLE.fullmatch(line)
        if match is not None:
            found.add(match["name"], match["version"])
        elif line and not line.startswith(("#", "empty=")):
            raise Unreadable("not in the layout that Gradle writes")


def _bun(text: str, found: Locked) -> None:
    is_inside = False
    for line in _lines(text):
        if line and line[:3] != "   ":
            is_inside = line == '  "packages": {'
        elif is_inside and line:
            match = _BUN.fullmatch(line)
            if match is None:
                raise Unreadable("not in the layout that bun writes")
            is_own = match["version"].startswith(("workspace:", "file:", "link:"))
            if not is_own:
                found.add(match["name"], match["version"], match["version"])


def _compiled(text: str, found: Locked) -> None:
    for line in _lines(text):
        said = line.partition(" #")[0].rstrip("\\ ")
        match = _PINNED.fullmatch(said)
        if match is not None:
            found.add(_SEPARATORS.sub("-", match[1]).lower(), match[2] or match[3], match[3] or "")


def _deno(text: str, found: Locked) -> None:
    document = _json(text)
    for holder in (document, inner(document, "packages")):
        for section in ("npm", "jsr"):
            for key in table(holder, section):
                name, _, version = key[1:].partition("@")
                found.add(f"{section}:{key[:1]}{name}", version.partition("_")[0])
    for address in table(document, "remote"):
        found.hosts.setdefault(_host(address), address[:_MOST_NAME])


def _conda(text: str, found: Locked) -> None:
    fields: dict[str, str] = {}
    is_inside = False
    for line in chain(_lines(text), ("-",)):
        if line[:1] not in ("", " ", "-", "#"):
            is_inside = line in ("packages:", "package:")
        match = _CONDA.match(line)
        if line[:1] == "-" and fields:
            address = fields.get("url") or fields.get("conda") or fields.get("pypi") or ""
            file = _CONDA_FILE.fullmatch(address.rpartition("/")[2])
            name, version = fields.get("name") or (file and file[1]), fields.get("version") or (file and file[2])
            if name:
                found.add(name, version or "", address)
            fields = {}
        if is_inside and match is not None:
            fields.setdefault(match[1], match[2].strip("\"' "))


@lru_cache(1000)
def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


READERS: dict[str, tuple[str, Callable[[str, Locked], None]]] = {
    "package-lock.json": ("npm", _npm),
    "npm-shrinkwrap.json": ("npm", _npm),
    "yarn.lock": ("npm", _yarn),
    "pnpm-lock.yaml": ("npm", _pnpm),
    "bun.lock": ("npm", _bun),
    "Pipfile.lock": ("pypi", _pipenv),
    "pylock.toml": ("pypi", _toml),
    "packages.lock.json": ("nuget", _nuget),
    "gradle.lockfile": ("maven", _gradle),
    "Cargo.lock": ("cargo", _toml),
    "poetry.lock": ("pypi", _toml),
    "uv.lock": ("pypi", _toml),
    "pdm.lock": ("pypi", _toml),
    "go.sum": ("golang", _go),
    "composer.lock": ("composer", _composer),
    "Gemfile.lock": ("gem", _bundler),
    "deno.lock": ("deno", _deno),
    "pixi.lock": ("conda", _conda),
    "conda-lock.yml": ("conda", _conda),
}
