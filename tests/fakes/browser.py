"""A real browser: the Chromium that the npm package `@sparticuz/chromium` ships, driven by Playwright."""

from __future__ import annotations

import ctypes.util
import json
import os
import platform
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

from filelock import FileLock
from playwright.sync_api import Browser, sync_playwright

from tests.fakes.emulator import HERE, NODE

FOLDER = HERE / "node_modules" / ".chromium"
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"
# The first two would let a page do what the tests are to show it cannot; with the third all ends with the first window.
_LEFT_OUT = ("--disable-web-security", "--allow-running-insecure-content", "--single-process")


def runs_here() -> bool:
    """Whether the package's browser is for a machine like this one."""
    return (platform.system(), platform.machine()) == ("Linux", "x86_64")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, unpacked the first time; fonts and libraries that a machine lacks come with the package."""
    if not (HERE / "node_modules" / "@sparticuz").is_dir():
        raise RuntimeError("the tests' browser is not installed: run `make venv`")
    path, given = _unpacked()
    environment: dict[str, str | float | bool] = {**os.environ, "FONTCONFIG_FILE": str(_fonts())}
    if ctypes.util.find_library("nss3") is None:
        environment["LD_LIBRARY_PATH"] = str(FOLDER / "al2023" / "lib")
    arguments = [one for one in given if one not in _LEFT_OUT]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments, env=environment)
        try:
            yield browser
        finally:
            browser.close()


def _fonts() -> Path:
    """Write a configuration that names the package's fonts alone: its own names folders this machine lacks."""
    settings = FOLDER / "fonts.conf"
    fonts, cache = FOLDER / "fonts" / "fonts", FOLDER / "fonts-cache"
    text = f"<fontconfig><dir>{escape(str(fonts))}</dir><cachedir>{escape(str(cache))}</cachedir></fontconfig>"
    settings.write_text(f'<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">{text}', encoding="utf-8")
    return settings


def _unpacked() -> tuple[Path, list[str]]:
    """Where it is and how it is started. The package puts it into the folder of temporary files: one of our own."""
    FOLDER.mkdir(exist_ok=True)
    # It brings its libraries only where it believes itself in the place it was made for.
    environment = {**os.environ, "TMPDIR": str(FOLDER), "AWS_EXECUTION_ENV": "AWS_Lambda_nodejs24.x"}
    with FileLock(f"{FOLDER}.lock", timeout=120):
        done = subprocess.run([NODE, "chromium.mjs"], cwd=HERE, env=environment, capture_output=True, check=True)
    found = json.loads(done.stdout)
    return Path(found["path"]), list(found["args"])
