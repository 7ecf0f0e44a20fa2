"""Wrappers that put the carrier somewhere else: folders, names, suffixes, modes, links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath

from tests.evasion.base_repository import BASE
from tests.evasion.changes import EXECUTABLE, FILE, LINK, Change, Entry
from tests.evasion.wrapper import PROGRAMS, Stage, Wrapper

_FOLDERS = (
    "vendor",
    "vendored",
    "node_modules/shop",
    "third_party/other",
    "third_party/tinylib",
    "external",
    "extern",
    "dist",
    "build/lib",
    "generated",
    "__generated__",
    "testing",
    "spec",
    "e2e",
    "fixtures",
    "testdata",
    "__mocks__",
    "docs/tools",
    "doc",
    "man",
    "changes",
    "examples",
    "samples",
    "benchmarks",
    "scripts",
    "tools",
    "contrib",
    "integration",
    "hack",
    "build",
    "demo",
    ".hidden",
    ".github/scripts",
    "site-packages/shop",
)
_STEMS = (
    "{}_pb2",
    "{}_pb2_grpc",
    "{}.pb",
    "{}.min",
    "{}.bundle",
    "{}.generated",
    "{}_generated",
    "zz_generated_{}",
    "{}.g",
    "{}.designer",
    "LICENSE_{}",
    "README_{}",
    "changes_{}",
    ".{}",
    "{}.config",
    "{}.stories",
    "conftest_{}",
    "setup_{}",
    "räum {}",
    '{}"quoted',
    "{}\\back",
    "{}\nline",
    "{}\udcff",
    "-{}",
    "{}%0a",
    "{}" + "x" * 180,
)
_TESTING_STEMS = ("test_{}", "{}_test", "{}.test", "{}.spec", "{}.e2e", "{}Test", "{}_spec")


def _moves(change: Change) -> bool:
    """Whether the carrier does its work at any path."""
    return change.language in PROGRAMS and not change.carrier.startswith(("migrations/", "alembic/"))


def _in_folder(change: Change, folder: str) -> Change | None:
    # Below a folder of tests or documents that the base keeps, only what a product file loads counts.
    is_aside = folder.partition("/")[0] in ("tests", "docs")
    if not _moves(change) or (is_aside and change.language not in ("python", "typescript", "tsx")):
        return None
    moved = change.moved(f"{folder}/{PurePosixPath(change.carrier).name}")
    return _used(moved)


def _named(change: Change, stem: str) -> Change | None:
    if not _moves(change):
        return None
    path = PurePosixPath(change.carrier)
    if path.suffix == ".java" or (path.suffix == ".go" and "_test" in stem):
        return None
    return _used(change.moved(str(path.with_name(stem.format(path.stem) + path.suffix))))


def _used(change: Change) -> Change:
    """The change with a product file that loads the carrier: nobody can call it a test or an example."""
    path = PurePosixPath(change.carrier)
    if change.language == "python":
        module = str(path.with_suffix("")).replace("/", ".")
        if module.replace(".", "").replace("_", "").isalnum():
            return change.with_files({"shop/orders.py": Entry(f"import {module}\n{BASE['shop/orders.py']}".encode())})
        load = f"import runpy\n\nrunpy.run_path({change.carrier!r})\n"
        return change.with_files({"shop/orders.py": Entry((load + BASE["shop/orders.py"]).encode())})
    if change.language in ("typescript", "tsx"):
        line = f"import {str('../../' + str(path.with_suffix('')))!r};\n"
        return change.with_files(
            {"web/src/server.ts": Entry((line + BASE["web/src/server.ts"]).encode("utf-8", "replace"))}
        )
    return change


def _suffixed(change: Change, suffix: str, languages: tuple[str, ...]) -> Change | None:
    if not _moves(change) or change.language not in languages:
        return None
    return _used(change.moved(str(PurePosixPath(change.carrier).with_suffix(suffix))))


def _upper(change: Change) -> Change | None:
    return _suffixed(change, change.suffix.upper(), tuple(PROGRAMS)) if change.suffix != ".java" else None


def _script(change: Change, first: str, languages: tuple[str, ...], path: str, mode: str) -> Change | None:
    if not _moves(change) or change.language not in languages:
        return None
    moved = change.moved(path)
    return moved.with_data(f"{first}\n{moved.text}", mode)


def _executable(change: Change) -> Change:
    return change.with_data(change.entry.data, EXECUTABLE)


def _linked(change: Change) -> Change | None:
    """The carrier becomes a link to a file without a suffix that holds the payload."""
    if not _moves(change):
        return None
    target = f"{change.carrier}.d/content"
    link = Entry(f"{PurePosixPath(change.carrier).name}.d/content".encode(), LINK)
    files = {**change.files, change.carrier: link, target: Entry(change.entry.data)}
    return replace(change, files=files, carrier=target)


def _was_link(change: Change) -> Change | None:
    """An earlier commit of the change had a link where the carrier is."""
    return replace(change, earlier=({change.carrier: Entry(b"nowhere", LINK)},)) if change.is_new else None


def _from_vendored(change: Change) -> Change | None:
    """The carrier comes in the place of a vendored file, so that git reports a rename where it is alike."""
    if not _moves(change) or change.language != "python" or not change.is_new:
        return None
    return change.with_files({"third_party/tinylib/tinylib.py": None})


def _wrappers() -> Iterator[tuple[str, Callable[[Change], Change | None]]]:
    for folder in _FOLDERS:
        yield f"in-{folder.replace('/', '-')}", partial(_in_folder, folder=folder)
    yield "in-tests", partial(_in_folder, folder="tests")
    for stem in _STEMS:
        yield f"named-{stem[:24]!a}", partial(_named, stem=stem)
    for stem in _TESTING_STEMS:
        yield f"named-{stem}", partial(_named, stem=stem)
    for suffix in (".pyw", ".pyx", ".pyi"):
        yield f"suffix{suffix}", partial(_suffixed, suffix=suffix, languages=("python",))
    for suffix in (".mts", ".cts", ".tsx"):
        yield f"suffix{suffix}", partial(_suffixed, suffix=suffix, languages=("typescript",))
    for suffix in (".inc", ".phtml", ".php5"):
        yield f"suffix{suffix}", partial(_suffixed, suffix=suffix, languages=("php",))
    yield "suffix-upper", _upper
    for name, first, languages in (
        ("python", "#!/usr/bin/env python3", ("python",)),
        ("python-path", "#!/usr/bin/python3.12 -u", ("python",)),
        ("env-s", "#!/usr/bin/env -S python3 -I", ("python",)),
        ("uv", "#!/usr/bin/env -S uv run --script", ("python",)),
        ("node", "#!/usr/bin/env tsx", ("typescript",)),
        ("deno", "#!/usr/bin/env -S deno run -A", ("typescript",)),
        ("ruby", "#!/usr/bin/env ruby", ("ruby",)),
    ):
        for place in ("bin/serve", "shop/serve", "LICENSE-tool", "serve.txt"):
            label = place.replace("/", "-")
            yield (
                f"script-{name}-{label}",
                partial(_script, first=first, languages=languages, path=place, mode=EXECUTABLE),
            )
    yield (
        "script-not-executable",
        partial(_script, first="#!/usr/bin/env python3", languages=("python",), path="bin/serve", mode=FILE),
    )
    yield "executable", _executable
    yield "linked", _linked
    yield "was-link", _was_link
    yield "from-vendored", _from_vendored


PLACES = tuple(Wrapper(name, Stage.place, apply) for name, apply in _wrappers())
