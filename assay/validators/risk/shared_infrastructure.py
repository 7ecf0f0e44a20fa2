"""Shared infrastructure: images, deployments, the build, and the most imported files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import FileKind
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import languages
from assay.validators.io.globs import matcher
from assay.validators.report.model import Statement
from assay.validators.report.unknown import Question
from assay.validators.risk.signal import Measure, RiskContext

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
_APART = frozenset({Nature.test, Nature.docs, Nature.vendored, Nature.generated, Nature.lock})


class SharedInfrastructureSignal:
    """Signal `shared_infrastructure`: an error here affects everything built on it."""

    name = "shared_infrastructure"
    answers = Question.infrastructure
    covers = languages("dockerfile", "compose", "deployment", "terraform", "bicep")

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every changed file that others share."""
        is_shared = matcher(context.limits.paths.shared_infrastructure)
        for file in context.change.files:
            line = next(iter(file.added), None)
            if is_shared(file.path):
                yield Statement("shared_path", "changes a path configured as shared infrastructure", file.path, line)
                continue
            text = next((text for pattern, text in _KINDS if pattern.fullmatch(file.path)), None)
            if text is None or file.nature in _APART:
                continue
            # Settings in a folder of tests are the tests' own; comments change nothing.
            is_of_tests = context.change.nature_of(f"{file.path.rpartition('/')[0]}/x.py") is Nature.test
            is_inert = file.kind is FileKind.text and bool(file.hunks) and not context.changed_code(file)
            if not (is_of_tests or is_inert):
                yield Statement("infrastructure", f"changes {text}", file.path, line)
        yield from _hubs(context)


def _hubs(context: RiskContext) -> Iterator[Statement]:
    """Yield changed files with a fan-in above the 95th percentile: base classes, shared utilities."""
    touched = [file for file in context.change.existing(Nature.source) if file.base_path is not None]
    if not touched:
        return
    graph = context.head_graph
    busy = max(graph.busy_fan_in, float(context.limits.dependents.high))
    for file in touched:
        num = graph.fan_in(file.path)
        if num > busy and context.changed_code(file):
            text = (
                f"changes a file that {num} others import "
                f"(95 % of comparable files here have at most {int(graph.busy_fan_in)})"
            )
            yield Statement("infrastructure", text, file.path, next(iter(file.added), None))
