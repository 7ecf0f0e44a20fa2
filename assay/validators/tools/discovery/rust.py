"""Rust: cargo builds, checks and tests the whole workspace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import text_of, toml_of
from assay.validators.report.model import ToolKind
from assay.validators.tools.tool import Ecosystem, Setup, SetupStep, Task

_CONFIGURATION = (".cargo/config", ".cargo/config.toml")
_TOOLCHAIN = ("rust-toolchain", "rust-toolchain.toml")


class Rust(Ecosystem):
    """Cargo.toml."""

    name = "rust"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return `cargo test`, `cargo clippy`, `cargo fmt --check`, `cargo build`."""
        if "Cargo.toml" not in tree:
            return
        whole = " --workspace" if "workspace" in toml_of(tree, "Cargo.toml") else ""
        yield Task("cargo test", ToolKind.test, f"cargo test{whole}", "Cargo.toml", inferred=True)
        yield Task("clippy", ToolKind.lint, f"cargo clippy{whole} --all-targets", "Cargo.toml", inferred=True)
        yield Task("rustfmt", ToolKind.formatting, "cargo fmt --all --check", "Cargo.toml", inferred=True)
        yield Task("cargo build", ToolKind.build, f"cargo build{whole}", "Cargo.toml", inferred=True)

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:  # noqa: ARG002
        """Return the download of Cargo.lock's crates into cargo's own cache."""
        if "Cargo.lock" not in tree:
            return None
        step = SetupStep("cargo fetch --locked", "Cargo.lock")
        if _runs_tree_code(tree):
            return Setup(install=(step,), covers_nested=True)
        return Setup(
            fetch=(step,),
            keeps=("$ASSAY_PREFIX/cargo/registry", "$ASSAY_PREFIX/cargo/git"),
            depends_on=("Cargo.lock",),
            versions=("cargo --version",),
            covers_nested=True,
        )


def _runs_tree_code(tree: SourceTree) -> bool:
    """Return whether the tree configures a program (compiler, wrapper) that cargo starts even to fetch."""
    return any(path in tree for path in _CONFIGURATION) or any("path" in text_of(tree, path) for path in _TOOLCHAIN)


rust = Rust()
