"""Manifests of strangers: no content makes a reader raise anything but `Unreadable`, and reading is quick."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.utils import canonicalize_name

from assay.validators.dependencies.changed import reader_of
from assay.validators.dependencies.manifests.manifest import Declared, Scope, Unclear
from assay.validators.dependencies.manifests.register import MANIFESTS
from assay.validators.io.structured_files import Unreadable

NAMES = (
    "pyproject.toml setup.cfg setup.py Pipfile requirements.txt requirements/dev.in environment.yml package.json "
    "pnpm-workspace.yaml go.mod Cargo.toml pom.xml build.gradle build.gradle.kts gradle/libs.versions.toml Gemfile "
    "thing.gemspec composer.json a/App.csproj packages.config Dockerfile"
).split()

# Texts near to what manifests hold find more than random ones do.
PIECES = st.sampled_from(
    "gem |FROM |require (|dependencies|project|install_requires|setup(|a|1.0|<dependency>|- |&a |*a|implementation("
    "|\n| |=|[|]|{|}|\"|'|:|,|#|<|>|)|\\|\0|é|\udc80".split("|")
)


@pytest.mark.parametrize("path", NAMES)
@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=100))
def test_a_reader_raises_nothing_but_unreadable(path: str, text: str):
    reader = reader_of(path)
    assert reader is not None
    found: list[Declared | Unclear] = []
    with suppress(Unreadable):
        found.extend(reader.read(path, text))
    for one in found:
        assert isinstance(one, Declared | Unclear)
        if isinstance(one, Declared):
            assert isinstance(one.name, str)
            assert isinstance(one.scope, Scope)


@pytest.mark.parametrize("path", NAMES)
@pytest.mark.parametrize("piece", ["a = '", "gem 'a', '", "implementation 'g:", "<a b='", "[a.", "- a\n", "a>=1,"])
def test_much_of_the_same_is_read_in_no_time(path: str, piece: str):
    reader = reader_of(path)
    assert reader is not None
    began = time.process_time()
    with suppress(Unreadable):
        list(reader.read(path, piece * (200_000 // len(piece))))
    assert time.process_time() - began < 20


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,4})?", fullmatch=True),
        st.sampled_from([">=1", "==2.0", "~=3.1", ""]),
        max_size=6,
    )
)
def test_every_python_manifest_says_the_same(packages: dict[str, str]):
    lines = [f"{name}{version}" for name, version in packages.items()]
    texts = {
        "pyproject.toml": f"[project]\nname = 'x'\ndependencies = {json.dumps(lines)}\n",
        "requirements.txt": "\n".join(lines),
        "setup.cfg": "[options]\ninstall_requires =\n" + "".join(f"    {line}\n" for line in lines),
        "setup.py": f"from setuptools import setup\nsetup(install_requires={lines!r})\n",
    }
    wanted = {(canonicalize_name(name), version or None) for name, version in packages.items()}
    for path, text in texts.items():
        reader = reader_of(path)
        assert reader is not None
        assert {(one.name, one.version) for one in reader.read(path, text) if isinstance(one, Declared)} == wanted, path


def test_no_two_readers_claim_the_same_file():
    for path in NAMES:
        assert len([manifest for manifest in MANIFESTS if manifest.claims(path)]) == 1, path


@pytest.mark.parametrize(
    "path",
    ["package-lock.json", "src/setup.ts", "docs/requirements.md", "Cargo.lock", "go.sum", "my.json", "Docker.md"],
)
def test_what_is_no_manifest_is_claimed_by_none(path: str):
    assert reader_of(path) is None
