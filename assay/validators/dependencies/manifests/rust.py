"""Rust's manifest: Cargo.toml, workspaces and targets included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.validators.configuration.settings_files import table
from assay.validators.dependencies.manifests.manifest import Declared, Manifest, Scope, is_called
from assay.validators.io.structured_files import toml

_SECTIONS = {"dependencies": Scope.runtime, "dev-dependencies": Scope.dev, "build-dependencies": Scope.build}


def _crates(document: Mapping[str, Any]) -> Iterator[Declared]:
    for holder in (document, document.get("workspace"), *table(document, "target").values()):
        for section, scope in _SECTIONS.items():
            for name, said in table(holder, section).items():
                yield from _crate(name, said, scope)


def _crate(name: str, said: object, scope: Scope) -> Iterator[Declared]:
    if isinstance(said, str):
        yield Declared("cargo", name, said, scope)
    elif isinstance(said, dict) and "path" not in said:
        version = said.get("version") or said.get("git")
        is_optional = scope is Scope.runtime and said.get("optional") is True
        real_name = said.get("package")
        yield Declared(
            "cargo",
            real_name if isinstance(real_name, str) else name,
            version if isinstance(version, str) else None,
            Scope.optional if is_optional else scope,
        )


RUST = Manifest("rust", is_called("Cargo.toml"), lambda _, text: _crates(toml(text)))
