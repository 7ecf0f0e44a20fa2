"""Crates of Rust: the root files that Cargo builds from each manifest, and the crates that each may name.

Rules: https://doc.rust-lang.org/cargo/reference/cargo-targets.html.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.validators.configuration.settings_files import table
from assay.validators.io.structured_files import Unreadable, toml
from assay.validators.languages.language import Sources

MOST_MANIFESTS = 2000
_DISCOVERED = re.compile(r"(?:src/main|build|(src/bin|tests|examples|benches)/[^/]+(?:/main)?)\.rs")
_SWITCHES = {"src/bin": "autobins", "tests": "autotests", "examples": "autoexamples", "benches": "autobenches"}
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")


def crates_of(sources: Sources) -> dict[str, dict[str, str]]:
    """Return the root file of each crate of a tree -> name of a crate that it may use -> the root file of that one."""
    manifests: dict[str, Mapping[str, Any]] = {}
    for path in [one for one in sources.paths if one.rpartition("/")[2] == "Cargo.toml"][:MOST_MANIFESTS]:
        try:
            manifests[posixpath.dirname(path)] = toml((sources.read(path) or b"").decode("utf-8", "replace"))
        except Unreadable:
            continue
    libraries: dict[str, tuple[str, str]] = {}
    """Package -> the name and root file of its library."""
    renamed: dict[str, str] = {}
    for folder, manifest in manifests.items():
        called, library = table(manifest, "package").get("name"), table(manifest, "lib")
        root = _joined(folder, library.get("path"), "src/lib.rs")
        if isinstance(called, str) and root in sources:
            libraries[called] = str(library.get("name") or called).replace("-", "_"), root
        renamed |= dict(_named(table(manifest, "workspace", "dependencies"), {}))
    homes = sorted(manifests, key=len, reverse=True)
    found: dict[str, dict[str, str]] = {}
    for path in sources.paths:
        home = next((one for one in homes if not one or path.startswith(f"{one}/")), None)
        if home is None or not path.endswith(".rs"):
            continue
        manifest = manifests[home]
        package = str(table(manifest, "package").get("name"))
        is_library = libraries.get(package, ("", ""))[1] == path
        kind = _DISCOVERED.fullmatch(path[len(home) :].lstrip("/"))
        is_found = kind is not None and table(manifest, "package").get(_SWITCHES.get(kind[1] or "", "")) is not False
        if is_library or is_found or path in _written(home, manifest):
            places = [table(manifest), *(one for one in table(manifest, "target").values() if isinstance(one, dict))]
            pairs = [pair for one in places for kind in _DEPENDENCIES for pair in _named(table(one, kind), renamed)]
            names = {alias.replace("-", "_"): libraries[of][1] for alias, of in pairs if of in libraries}
            own = dict([libraries[package]]) if package in libraries and not is_library else {}
            found[path] = names | own
    return found


def _named(dependencies: Mapping[str, Any], renamed: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (name in the code, package) of each dependency."""
    for name, value in dependencies.items():
        package = table(value).get("package") if isinstance(value, dict) else None
        yield name, str(package or renamed.get(name, name))


def _written(folder: str, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield the root files that a manifest names."""
    yield _joined(folder, table(manifest, "package").get("build"), "build.rs")
    for kind in ("bin", "test", "example", "bench"):
        several = manifest.get(kind)
        for one in several if isinstance(several, list) else []:
            yield _joined(folder, table(one).get("path"), "")


def _joined(folder: str, path: object, usual: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path if isinstance(path, str) else usual))
