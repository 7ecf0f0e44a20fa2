""".NET's manifests: project files, packages.config and central package versions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope, Unclear, versions_elsewhere
from assay.validators.io.structured_files import xml

_SUFFIXES = (".csproj", ".fsproj", ".vbproj", ".props", ".targets", "packages.config")
_PROPERTY = re.compile(r"\$\((\w{1,100})\)")


def _packages(path: str, text: str) -> Iterator[Declared | Unclear]:
    scope = Scope.dev if "test" in path.lower() else Scope.runtime
    root = xml(text.encode("utf-8", "surrogateescape"))
    properties = {
        str(node.tag).rpartition("}")[2]: (node.text or "").strip() for node in root.findall("{*}PropertyGroup/*")
    }
    used = set[str]()
    for node in root.iter():
        tag = node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""
        if tag in {"PackageReference", "PackageVersion", "GlobalPackageReference"}:
            name = node.get("Include") or node.get("Update")
            version = node.get("Version") or node.get("VersionOverride") or node.findtext("{*}Version")
        elif tag == "package":
            name, version = node.get("id"), node.get("version")
        else:
            continue
        if name:
            used.update(_PROPERTY.findall(version or ""))
            said = _PROPERTY.sub(lambda match: properties.get(match[1], match[0]), version) if version else None
            yield Declared("nuget", name.lower(), said, scope)
    yield from versions_elsewhere(properties, used)


DOTNET = Manifest("dotnet", lambda path: path.endswith(_SUFFIXES), _packages)
