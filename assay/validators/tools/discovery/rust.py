"""Rust: cargo builds, checks and tests the whole workspace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.validators.change import SourceTree
from assay.validators.report import ToolKind
from assay.validators.tools.discovery.settings_files import toml_of
from assay.validators.tools.tool import Setup, SetupStep, Task


@dataclass(frozen=True, slots=True)
class Rust:
    """Cargo.toml."""

    name: str = "rust"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """`cargo test`, `cargo clippy`, `cargo fmt --check`, `cargo build`."""
        if "Cargo.toml" not in tree:
            return
        whole = " --workspace" if "workspace" in toml_of(tree, "Cargo.toml") else ""
        yield Task("cargo test", ToolKind.test, f"cargo test{whole}", "Cargo.toml", inferred=True)
        yield Task("clippy", ToolKind.lint, f"cargo clippy{whole} --all-targets", "Cargo.toml", inferred=True)
        yield Task("rustfmt", ToolKind.formatting, "cargo fmt --all --check", "Cargo.toml", inferred=True)
        yield Task("cargo build", ToolKind.build, f"cargo build{whole}", "Cargo.toml", inferred=True)

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:  # noqa: ARG002
        """The crates Cargo.lock pins, into cargo's own cache."""
        if "Cargo.lock" not in tree:
            return None
        return Setup(fetch=(SetupStep("cargo fetch --locked", "Cargo.lock"),), covers_nested=True)

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:  # noqa: ARG002
        """Cargo's aliases are left to cargo."""
        return None


rust = Rust()
