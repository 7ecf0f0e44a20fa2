"""The JVM's manifests: pom.xml, build.gradle(.kts) where coordinates are written out, Gradle's version catalogs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from assay.validators.configuration.settings_files import table
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope, Unclear, versions_elsewhere
from assay.validators.io.structured_files import toml, xml

_PROPERTY = re.compile(r"\$\{([^{}]{1,200})\}")
_GRADLE = re.compile(
    r"""^[ \t]*(\w{2,60})[ \t]*\(?[ \t]*(?:platform[ \t]*\([ \t]*)?"""
    r"""["']([\w.-]{1,200}:[\w.-]{1,200})(?::([^"'\s]{1,100}))?["']""",
    re.MULTILINE,
)
_PLUGIN = re.compile(
    r"""\bid[ \t]*\(?[ \t]*["']([\w.-]{1,200})["'][ \t]*\)?[ \t]*\.?version[ \t]*\(?["']([^"'\s]{1,100})["']"""
)
_VARIABLE = re.compile(r"""\b(\w{2,60})[ \t]{0,5}=[ \t]{0,5}["']([\w.+-]{1,60})["']""")
_REFERENCE = re.compile(r"\$\{?(?:\w{1,40}\.)?(\w{1,60})\}?")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def _is_manifest(path: str) -> bool:
    name = PurePosixPath(path).name
    return name in {"pom.xml", "build.gradle", "build.gradle.kts"} or name.endswith(".versions.toml")


def _packages(path: str, text: str) -> Iterator[Declared | Unclear]:
    if path.endswith("pom.xml"):
        return _pom(xml(text.encode("utf-8", "surrogateescape")))
    return _catalog(toml(text)) if path.endswith(".toml") else _gradle(text)


def _pom(root: Any) -> Iterator[Declared | Unclear]:
    properties = {_plain(node.tag): (node.text or "").strip() for node in root.findall("./{*}properties/*")}
    used = set[str]()
    for node in root.iter():
        if _plain(node.tag) not in {"dependency", "plugin", "parent"}:
            continue
        said = {_plain(child.tag): (child.text or "").strip() for child in node}
        if "artifactId" not in said:
            continue
        used.update(_PROPERTY.findall(said.get("version", "")))
        version = _PROPERTY.sub(lambda match: properties.get(match[1], match[0]), said.get("version", ""))
        is_tool = _plain(node.tag) == "plugin"
        scope = Scope.build if is_tool else Scope.dev if said.get("scope") == "test" else Scope.runtime
        group = said.get("groupId") or ("org.apache.maven.plugins" if is_tool else "")
        yield Declared("maven", f"{group}:{said['artifactId']}", version or None, scope)
    yield from versions_elsewhere(properties, used)


def _gradle(text: str) -> Iterator[Declared | Unclear]:
    code = _COMMENT.sub("", text)
    variables = {match[1]: match[2] for match in _VARIABLE.finditer(code)}
    used = set[str]()
    for match in _GRADLE.finditer(code):
        version = match[3]
        if version is not None and (named := _REFERENCE.fullmatch(version)):
            used.add(named[1])
            version = variables.get(named[1], version)
        configuration = match[1].lower()
        is_tool = configuration in {"classpath", "annotationprocessor", "kapt", "ksp"}
        scope = Scope.dev if "test" in configuration else Scope.build if is_tool else Scope.runtime
        yield Declared("maven", match[2], version, scope)
    for match in _PLUGIN.finditer(code):
        yield Declared("gradle", match[1], variables.get(match[2].strip("${}"), match[2]), Scope.build)
    yield from versions_elsewhere(variables, used)


def _catalog(document: Mapping[str, Any]) -> Iterator[Declared]:
    known = table(document, "versions")
    for said in table(document, "libraries").values():
        if isinstance(said, str) and said.count(":") >= 2:
            module, _, version = said.rpartition(":")
            yield Declared("maven", module, version)
        elif isinstance(said, dict):
            module = str(said.get("module") or f"{said.get('group')}:{said.get('name')}")
            yield Declared("maven", module, _catalog_version(said.get("version"), known))
    yield from _plugins(document)


def _plugins(document: Mapping[str, Any]) -> Iterator[Declared]:
    known = table(document, "versions")
    for said in table(document, "plugins").values():
        if isinstance(said, str):
            module, _, version = said.partition(":")
            yield Declared("gradle", module, version or None, Scope.build)
        elif isinstance(said, dict) and "id" in said:
            yield Declared("gradle", str(said["id"]), _catalog_version(said.get("version"), known), Scope.build)


def _catalog_version(said: object, known: Mapping[str, Any]) -> str | None:
    if isinstance(said, dict):
        said = known.get(str(said.get("ref")), said.get("require") or said.get("strictly"))
    return said if isinstance(said, str) else None


def _plain(tag: object) -> str:
    """Return a tag without its namespace; comments have no tag text."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


JVM = Manifest("jvm", _is_manifest, _packages)
