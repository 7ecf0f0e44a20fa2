"""Shared infrastructure: images, deployments, the build, and the most imported files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import languages
from assay.validators.io.globs import matcher
from assay.validators.io.structured_files import Unreadable, json_document, toml
from assay.validators.report.model import Statement
from assay.validators.report.unknown import Question
from assay.validators.risk.changed_code import changed_code
from assay.validators.risk.signal import Measure, RiskContext

_DEPLOYED = re.compile(
    r".*\.(tf|tfvars|hcl|bicep)|(.*/)?(k8s|kubernetes|helm|charts?|terraform|pulumi|ansible|cloudformation|deploy(ments?)?|argocd|kustomize)/"
    r".*\.(ya?ml|json|tpl|j2)|(.*/)?(serverless\.ya?ml|template\.ya?ml|cdk\.json|fly\.toml|render\.yaml|app\.yaml|Procfile|Pulumi\.\w+|kustomization\.ya?ml"
    r"|nginx\.conf|vercel\.json|netlify\.toml|wrangler\.toml|skaffold\.yaml)",
    re.IGNORECASE,
)
_IMAGE = re.compile(
    r"(.*/)?((Dockerfile|Containerfile)[^/]*|[^/]+\.[Dd]ockerfile|(docker-)?compose[^/]*\.ya?ml|\.devcontainer/.*)"
)
_BUILD = re.compile(
    r"Makefile|GNUmakefile|CMakeLists\.txt|meson\.build|configure\.ac|WORKSPACE(\.bazel)?|\.bazelrc|BUILD(\.bazel)?|build\.rs|build\.xml"
    r"|settings\.gradle(\.kts)?|gradle\.properties|MANIFEST\.in|setup\.py|hatch_build\.py|(webpack|rollup|vite|babel|esbuild|tsup|gulpfile|Gruntfile"
    r"|metro|next|nuxt|angular|nx|turbo|lerna|rspack|rolldown)(\.[\w-]+)*\.(config\.)?([cm]?[jt]s|json)|\.swcrc|\.babelrc|tsconfig(\.[\w-]+)?\.json"
    r"|\.npmrc|\.cargo/config\.toml|rust-toolchain(\.toml)?|justfile|Taskfile\.ya?ml"
)
_KINDS = (
    (_DEPLOYED, "the deployment configuration"),
    (_IMAGE, "the container image"),
    (_BUILD, "the build configuration"),
)
_PYPROJECT_PARTS = (
    "build-system tool.setuptools tool.hatch.build tool.poetry.build tool.flit tool.maturin tool.scikit-build "
    "project.scripts project.requires-python"
)
_PACKAGE_PARTS = "scripts exports main module types bin files type workspaces sideEffects browser"

_APART = frozenset({Nature.test, Nature.docs, Nature.vendored, Nature.generated, Nature.lock})


class SharedInfrastructureSignal:
    """Signal `shared_infrastructure`: an error here affects everything built on it."""

    name = "shared_infrastructure"
    answers = Question.infrastructure
    covers = languages("dockerfile", "compose", "deployment", "terraform", "bicep")

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every changed file that others share."""
        for file in context.change.files:
            yield from _by_place(context, file)
        yield from _hubs(context)


def _by_place(context: RiskContext, file: ChangedFile) -> Iterator[Statement]:
    line = next(iter(file.added), None)
    if matcher(context.limits.paths.shared_infrastructure)(file.path):
        yield Statement("shared_path", "changes a path configured as shared infrastructure", file.path, line)
    elif file.nature not in _APART and not _is_in_tests(context.change, file.path):
        for pattern, text in _KINDS:
            if pattern.fullmatch(file.path) and _says_something_else(context.change, file):
                yield Statement("infrastructure", f"changes {text}", file.path, line)
                return
        parts = _manifest_parts(context.change, file)
        if parts:
            yield Statement("infrastructure", f"changes the build configuration ({', '.join(parts)})", file.path, line)


def _is_in_tests(change: ChangeSet, path: str) -> bool:
    """Return whether a settings file is in a test folder."""
    return change.nature_of(f"{path.rpartition('/')[0]}/x.py") is Nature.test


def _says_something_else(change: ChangeSet, file: ChangedFile) -> bool:
    """Return whether more than comments changed."""
    return file.kind is not FileKind.text or not file.hunks or bool(changed_code(change, file))


def _manifest_parts(change: ChangeSet, file: ChangedFile) -> list[str]:
    """Return the changed build settings of a root manifest; its packages are reported elsewhere."""
    wanted = {"pyproject.toml": _PYPROJECT_PARTS, "package.json": _PACKAGE_PARTS}.get(file.path)
    if wanted is None or not file.exists or file.base_path is None:
        return []
    read = toml if file.path.endswith(".toml") else json_document
    try:
        before, after = read(text_at(change.base, file.base_path)), read(text_at(change.head, file.path))
    except Unreadable:
        return []
    return [part for part in wanted.split() if _below(before, part) != _below(after, part)]


def _below(document: object, dotted: str) -> object:
    for name in dotted.split("."):
        document = document.get(name) if isinstance(document, dict) else None
    return document


def _hubs(context: RiskContext) -> Iterator[Statement]:
    """Yield changed files with a fan-in above the 95th percentile: base classes, shared utilities."""
    touched = [file for file in context.change.existing(Nature.source) if file.base_path is not None]
    if not touched:
        return
    graph = context.head_graph
    busy = max(graph.busy_fan_in, float(context.limits.dependents.high))
    for file in touched:
        num = graph.fan_in(file.path)
        if num > busy and changed_code(context.change, file):
            text = (
                f"changes a file that {num} others import "
                f"(95 % of this repository's files have at most {int(graph.busy_fan_in)})"
            )
            yield Statement("infrastructure", text, file.path, next(iter(file.added), None))
