""".NET's manifests: project files, packages.config and central package versions."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope
from assay.validators.io.structured_files import xml

_SUFFIXES = (".csproj", ".fsproj", ".vbproj", "Directory.Packages.props", "Directory.Build.props", "packages.config")


def _packages(path: str, text: str) -> Iterator[Declared]:
    scope = Scope.dev if "test" in path.lower() else Scope.runtime
    for node in xml(text.encode("utf-8", "surrogateescape")).iter():
        tag = node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""
        if tag in {"PackageReference", "PackageVersion", "GlobalPackageReference"}:
            name = node.get("Include") or node.get("Update")
            version = node.get("Version") or node.get("VersionOverride") or node.findtext("{*}Version")
        elif tag == "package":
            name, version = node.get("id"), node.get("version")
        else:
            continue
        if name:
            yield Declared("nuget", name.lower(), version, scope)


DOTNET = Manifest("dotnet", lambda path: path.endswith(_SUFFIXES), _packages)
