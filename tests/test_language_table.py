"""One table of languages: complete, and declared against by every analyzer."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest

from assay.validators.changes.change import ChangedFile, FileKind, FileStatus, Hunk
from assay.validators.changes.classify import nature_of
from assay.validators.changes.language_table import (
    ALL_LANGUAGES,
    LANGUAGE_TABLE,
    SOURCE_SUFFIXES,
    is_program,
    language_of,
    language_of_script,
    languages,
    suffixes,
)
from assay.validators.changes.manifest_table import ALL_MANIFESTS, MANIFEST_TABLE, manifest_of
from assay.validators.dependencies.manifests.register import MANIFESTS
from assay.validators.languages.register import LANGUAGES
from assay.validators.languages.source_text import has_dialect
from assay.validators.quality.register import RULES
from assay.validators.report.answers import asked_of
from assay.validators.report.unknown import Question
from assay.validators.risk.register import SIGNALS
from assay.validators.tools.scanners.register import SCANNERS
from tests.conftest import ROOT


@pytest.mark.parametrize(
    "member", [*RULES, *SIGNALS, *SCANNERS, *LANGUAGES.values()], ids=lambda member: type(member).__name__
)
def test_every_analyzer_declares_what_it_covers(member: Any):
    covers = member.covers
    assert covers
    assert covers <= ALL_LANGUAGES | ALL_MANIFESTS


def test_every_question_but_coverage_has_an_analyzer():
    members: list[Any] = [*RULES, *SIGNALS, *SCANNERS]
    answered = {member.answers for member in members} - {None}
    assert answered == set(Question) - {Question.coverage}


def test_manifests_said_to_be_read_have_a_reader_and_others_none():
    (signal,) = [signal for signal in SIGNALS if signal.answers is Question.dependencies]
    examples = {
        "pypi": "pyproject.toml", "conda": "environment.yml", "npm": "package.json", "go-module": "go.mod",
        "cargo": "Cargo.toml", "maven": "pom.xml", "rubygems": "Gemfile", "composer": "composer.json",
        "nuget": "a.csproj", "image": "Dockerfile", "swiftpm": "Package.swift", "hex": "mix.exs",
        "pub": "pubspec.yaml", "cocoapods": "Podfile", "conan": "conanfile.txt", "luarocks": "a.rockspec",
    }  # fmt: skip
    for key, path in examples.items():
        row = manifest_of(path)
        assert row is not None
        assert row.key == key
        assert any(reader.claims(path) for reader in MANIFESTS) == (key in signal.covers), path


def _asks_for_packages(path: str, added: str, removed: str = "x") -> bool:
    hunks = (Hunk(1, (removed,), 1, (added,)),)
    file = ChangedFile(path, path, FileStatus.modified, FileKind.text, nature_of(path), hunks=hunks)
    return Question.dependencies in asked_of(file)


@pytest.mark.parametrize(
    "path",
    "pylock.dev.toml constraints.txt ops/constraints-3.12.txt tox.ini conda/dev.environment.yml "
    "deps.edn gradle/dependencies.gradle settings.gradle.kts buildSrc/src/Deps.kt go.work Brewfile flake.nix Cartfile "
    "Project.toml tool.lock plugin-lock.json requirements.yml .devcontainer/devcontainer.json".split(),
)
def test_a_list_of_packages_without_a_reader_leaves_its_dependencies_unknown(path: str):
    (signal,) = [signal for signal in SIGNALS if signal.answers is Question.dependencies]
    row = manifest_of(path)
    assert row is not None
    assert row.key not in signal.covers
    assert _asks_for_packages(path, "a")


@pytest.mark.parametrize(
    ("path", "added", "removed"),
    [
        ("compose.yaml", "    image: evil/x:1", "x"),
        ("compose.yaml", "    image: a:2", "    image: a:1"),
        ("k8s/pod.yaml", '  - {name: a, image: "evil"}', "x"),
        ("deploy/kustomization.yaml", "    newName: evil", "x"),
        ("charts/shop/values.yaml", "  repository: evil/x", "x"),
        (".github/workflows/ci.yml", "      - uses: evil/action@v1", "x"),
        (".github/workflows/ci.yml", "    container: evil:1", "x"),
        (".circleci/config.yml", "  node: circleci/node@5.1", "x"),
        ("infra/main.tf", '  source = "evil/vpc/aws"', "x"),
        ("lib/BUILD.bazel", '    deps = ["@pypi//evil"],', "x"),
        ("CMakeLists.txt", "FetchContent_Declare(evil GIT_REPOSITORY https://evil.example)", "x"),
    ],
)
def test_a_line_that_names_a_package_leaves_the_dependencies_unknown(path: str, added: str, removed: str):
    assert _asks_for_packages(path, added, removed)


@pytest.mark.parametrize(
    ("path", "added", "removed"),
    [
        ("compose.yaml", "    ports: [80]  # image: a", "x"),
        ("compose.yaml", "      image: a:1", "    image: a:1"),
        ("_config.yml", "image: /pictures/a.png", "x"),
        ("_config.yml", "image: logo.svg", "x"),
        ("charts/shop/values.yaml", "  replicas: 3", "x"),
        (".github/workflows/ci.yml", "      - uses: actions/checkout@v5", "x"),
        (".github/workflows/ci.yml", "      - uses: ./.github/actions/own", "x"),
        (".github/workflows/ci.yml", "        uses: good/action@v2", "      - uses: good/action@v1"),
        (".github/workflows/dependencies.yml", "on: push", "x"),
        ("infra/main.tf", '  source = "./vpc"', "x"),
        ("README.md", "image: evil", "x"),
        ("src/dependencies.py", "image: evil", "x"),
        ("src/lock.ts", "image: evil", "x"),
    ],
)
def test_other_lines_and_files_name_no_package(path: str, added: str, removed: str):
    assert not _asks_for_packages(path, added, removed)


def test_keys_and_suffixes_stand_once_and_are_written_alike():
    keys = [*(row.key for row in LANGUAGE_TABLE), *(row.key for row in MANIFEST_TABLE)]
    assert len(keys) == len(set(keys))
    listed = [suffix for row in LANGUAGE_TABLE for suffix in row.suffixes]
    assert len(listed) == len(set(listed))
    assert all(re.fullmatch(r"\.[a-z0-9+_]+", suffix) for suffix in listed)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("a/b.PY", "python"),
        ("x.d.ts", "typescript"),
        (".github/workflows/ci.yml", "workflow"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("api/openapi.yaml", "openapi"),
        ("conf/a.yaml", "yaml"),
        ("Gemfile", "ruby"),
        ("src/a.qqq", None),
        ("bin/run", None),
        (".gitignore", "prose"),
    ],
)
def test_a_path_leads_to_its_row(path: str, key: str | None):
    row = language_of(path)
    assert (row.key if row is not None else None) == key


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (b"#!/usr/bin/env python3.11", "python"),
        (b"#!/bin/sh -e", "shell"),
        (b"#!/usr/bin/env -S node --x", "javascript"),
        (b"#!/usr/bin/ruby", "ruby"),
        (b"#!/opt/thing", None),
        (b"x = 1", None),
    ],
)
def test_a_first_line_leads_to_its_row(line: bytes, key: str | None):
    row = language_of_script(line)
    assert (row.key if row is not None else None) == key


def test_a_key_nobody_wrote_is_an_error():
    with pytest.raises(KeyError):
        languages("pyhton")
    with pytest.raises(KeyError):
        suffixes("pyhton")


def test_comment_syntax_follows_the_table():
    for row in LANGUAGE_TABLE:
        for suffix in row.suffixes:
            assert has_dialect(f"a{suffix}") == (row.comments is not None), suffix
    assert {".py", ".ts", ".proto", ".css"} <= SOURCE_SUFFIXES
    assert not {".md", ".json", ".csv"} & SOURCE_SUFFIXES


def test_the_table_costs_nothing_at_start():
    """It imports no parser, and nothing of Assay but its packages."""
    code = "import sys, assay; a = set(sys.modules); import assay.validators.changes.language_table; "
    code += "print(*sorted(set(sys.modules) - a))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    own = {name for name in done.stdout.split() if name.startswith("assay")}
    packages = {"assay.lazy_exports", "assay.validators", "assay.validators.changes"}
    assert own == {*packages, "assay.validators.changes.language_table"}
    assert not {"tree_sitter", "yaml", "jsonschema", "networkx"} & set(done.stdout.split())


def test_a_byte_order_mark_hides_no_script():
    begun = b"\xef\xbb\xbf#!/usr/bin/env node\n"
    assert is_program(begun)
    assert language_of_script(begun) == language_of_script(begun[3:])
    assert language_of_script(begun) is not None
