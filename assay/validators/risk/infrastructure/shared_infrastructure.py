"""Shared infrastructure: images, deployments, the build, and the most imported files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, decoded, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import languages
from assay.validators.io.globs import matcher
from assay.validators.io.structured_files import Unreadable
from assay.validators.progress import Deadline
from assay.validators.report.model import Statement
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.infrastructure.compared import Compared, Comparison, Side, read
from assay.validators.risk.infrastructure.settings import format_of, may_be
from assay.validators.risk.signal import USED_WIDELY, Measure, RiskContext

_DEPLOYED = re.compile(
    r".*\.(tf|tfvars|hcl|bicep)|(.*/)?(k8s|kubernetes|helm|charts?|terraform|pulumi|ansible|cloudformation|deploy(ments?)?|argocd|kustomize)/"
    r".*\.(ya?ml|json|tpl|j2)|(.*/)?(serverless\.ya?ml|template\.ya?ml|cdk\.json|fly\.toml|render\.yaml|app\.yaml|Procfile|Pulumi\.\w+|kustomization\.ya?ml"
    r"|nginx\.conf|vercel\.json|netlify\.toml|wrangler\.toml|skaffold\.yaml)",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"(.*/)?((Dockerfile|Containerfile)[^/]*|[^/]+\.[Dd]ockerfile|\.devcontainer/.*)")
_COMPOSE = re.compile(r"(.*/)?(docker-)?compose[^/]*\.ya?ml")
_BUILD = re.compile(
    r"Makefile|GNUmakefile|CMakeLists\.txt|meson\.build|configure\.ac|WORKSPACE(\.bazel)?|\.bazelrc|BUILD(\.bazel)?|build\.rs|build\.xml"
    r"|settings\.gradle(\.kts)?|gradle\.properties|MANIFEST\.in|setup\.py|hatch_build\.py|(webpack|rollup|vite|babel|esbuild|tsup|gulpfile|Gruntfile"
    r"|metro|next|nuxt|angular|nx|turbo|lerna|rspack|rolldown)(\.[\w-]+)*\.(config\.)?([cm]?[jt]s|json)|\.swcrc|\.babelrc|tsconfig(\.[\w-]+)?\.json"
    r"|\.npmrc|\.cargo/config\.toml|rust-toolchain(\.toml)?|justfile|Taskfile\.ya?ml"
)
_KINDS = (
    (_DEPLOYED, "the deployment configuration"),
    (_IMAGE, "the container image"),
    (_COMPOSE, "how containers are started"),
    (_BUILD, "the build configuration"),
)
MOST_STATED = 200
_APART = frozenset({Nature.test, Nature.docs, Nature.vendored, Nature.generated, Nature.lock})


class SharedInfrastructureSignal:
    """Signal `shared_infrastructure`: an error here affects everything built on it."""

    name = "shared_infrastructure"
    answers = Question.infrastructure
    covers = languages("dockerfile", "compose", "deployment", "terraform", "bicep")

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield what the change opens, switches off or deletes, and every changed file that others share."""
        yield from _effects(context.change, context.deadline)
        is_shared = matcher(context.limits.paths.shared_infrastructure)
        for file in context.change.files:
            line = next(iter(file.added), None)
            if is_shared(file.path):
                yield Statement("shared_path", "changes a path configured as shared infrastructure", file.path, line)
                continue
            text = next((text for pattern, text in _KINDS if pattern.fullmatch(file.path)), None)
            if text is None or _is_apart(context.change, file):
                continue
            # Comments change nothing.
            is_inert = file.kind is FileKind.text and bool(file.hunks) and not context.changed_code(file)
            if not is_inert:
                yield Statement("infrastructure", f"changes {text}", file.path, line)
        yield from _hubs(context)


def _effects(change: ChangeSet, deadline: Deadline) -> Iterator[Measure]:
    """Yield the effects of all infrastructure files together, and the files that could not be read."""
    pairs: list[Compared] = []
    for file in change.files:
        if file.kind is not FileKind.text or not may_be(file.path) or file.is_example or _is_apart(change, file):
            continue
        try:
            pairs += _compared(change, file)
        except Unreadable as error:
            yield NotChecked(shown(file.path), str(error), question=Question.infrastructure, files=(file.path,))
    for one in islice(Comparison(pairs, deadline).found(), MOST_STATED):
        yield Statement(one.kind, one.text, one.file, one.line)


def _is_apart(change: ChangeSet, file: ChangedFile) -> bool:
    """Return whether a file is outside of the product; settings in a folder of tests are the tests' own."""
    folder = file.path.rpartition("/")[0]
    return file.nature in _APART or change.nature_of(f"{folder}/x.py") is Nature.test


def _compared(change: ChangeSet, file: ChangedFile) -> Iterator[Compared]:
    sides = (change.base, file.base_path), (change.head, file.path if file.exists else None)
    before, after = (decoded(tree.read(path) or b"") if path is not None else "" for tree, path in sides)
    name = format_of(file.path, after or before)
    if name:
        yield Compared(file.path, name, Side(read(name, before)), Side(read(name, after)))


def _hubs(context: RiskContext) -> Iterator[Statement]:
    """Yield changed files with a fan-in above the 95th percentile: base classes, shared utilities."""
    touched = [file for file in context.change.existing(Nature.source) if file.base_path is not None]
    if not touched:
        return
    graph = context.head_graph
    busy = max(graph.busy_fan_in, float(USED_WIDELY))
    for file in touched:
        num = graph.fan_in(file.path)
        if num > busy and context.changed_code(file):
            text = (
                f"changes a file that {num} others import "
                f"(95 % of comparable files here have at most {int(graph.busy_fan_in)})"
            )
            yield Statement("infrastructure", text, file.path, next(iter(file.added), None))
