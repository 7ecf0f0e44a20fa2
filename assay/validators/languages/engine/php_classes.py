"""Classes, functions and constants of PHP by their namespaces, as the files declare them.

Rules: https://www.php.net/manual/en/language.namespaces.rules.php. Where several files declare a name, the one counts
that Composer loads for it: by the longest prefix of PSR-4, by PSR-0, or listed under `classmap` or `files`.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Collection, Iterator, Sequence

from assay.validators.changes.language_table import suffixes
from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.language import Import, Origin, Resolution, Sources

_SUFFIXES = suffixes("php")
_PATH = re.compile(
    r"\(*\s*(?P<base>__DIR__|dirname\s*\(\s*(?P<of>__FILE__|__DIR__)\s*(?:,\s*(?P<up>\d)\s*)?\))?\s*\.?\s*"
    r"(?P<quote>['\"])(?P<path>[^'\"$\n]{1,300})(?P=quote)\s*\)*"
)
_LATER = frozenset(
    "str_contains str_starts_with str_ends_with array_is_list array_key_first array_key_last array_find "
    "array_find_key array_any array_all array_first array_last fdiv get_debug_type get_resource_id preg_last_error_msg "
    "hrtime is_countable is_iterable enum_exists fsync fdatasync json_validate spl_object_id utf8_encode utf8_decode "
    "random_int random_bytes intdiv error_clear_last each Stringable ValueError UnhandledMatchError Attribute PhpToken "
    "JsonException ReturnTypeWillChange CURLStringFile Override SensitiveParameter SensitiveParameterValue Deprecated "
    "NoDiscard DelayedTargetValidation Normalizer Collator NumberFormatter IntlDateFormatter PHP_INT_MIN "
    "PHP_FLOAT_EPSILON PHP_OS_FAMILY".split()
)
_EXTENSION = re.compile(
    r"(?:mb|ctype|iconv|grapheme|normalizer|idn|intl|apcu|sodium|openssl|bc|gmp|curl)_\w+", re.IGNORECASE
)
"""With `_LATER` what polyfills define: a newer PHP or an extension has it too."""
MOST_PARTS = 50
"""Maximum parts of a full name; a longer one is not a name."""
MOST_MANIFESTS = 2000


class PhpClasses(ByNames):
    """Resolver of one tree."""

    def __init__(self, sources: Sources) -> None:
        super().__init__(sources)
        self._manifests = dict(_manifests(sources))
        self._outer: set[str] = set()
        """Namespaces, and those around them."""
        for path in sources.paths:
            if path.endswith(_SUFFIXES):
                scan = sources.scan(path)
                around = scan.namespace
                while around and around not in self._outer:
                    self._outer.add(around)
                    around = around.rpartition(".")[0]
                for name in scan.declares:
                    full = re.sub(r"\\+", ".", name).strip(".")
                    namespace, _, last = full.rpartition(".") if "\\" in name else (scan.namespace, "", full)
                    self._index.add(namespace, path, (last,))

    def resolve(self, path: str, item: Import) -> Resolution:
        """Return the files of an imported name, or the file that is required."""
        if item.kind == "path":
            return self._required(path, item.target)
        found = self._longest(path, item.target)
        namespace = item.target.rpartition(".")[0]
        if found or namespace not in self._index or not namespace or item.target in self._outer:
            return Resolution(tuple(origin.file for origin, _ in found))
        return Resolution((), f"namespace {namespace} of this tree has no such name: it may be generated")

    def named(self, path: str, mention: str) -> Iterator[str]:
        """Yield the files that declare what a mention in a file names."""
        if mention not in self._sources.scan(path).declares:
            yield from (origin.file for origin, _ in self.origins(path, mention.split(".")))

    def may_be_foreign(self, path: str, mention: str, before: Collection[str]) -> bool:
        """Return whether a mention may name what no file of the tree declares."""
        last = mention.rpartition(".")[2]
        imported = [
            item.target for item in self._sources.scan(path).imports if _local(item) == mention.partition(".")[0]
        ]
        is_new = any(target not in before for target in imported)
        is_global = not imported and "." not in mention and _is_function(mention) and self._sources.scan(path).namespace
        return is_new or bool(is_global) or last in _LATER or _EXTENSION.fullmatch(last) is not None

    def origins(self, path: str, names: Sequence[str]) -> Iterator[tuple[Origin, Sequence[str]]]:
        """Yield the origins of a name: imported, of the own namespace, written in full, or a global function."""
        namespace = self._sources.scan(path).namespace
        own = f"{namespace}." if namespace else ""
        if not names[0] or names[0] == "namespace":
            yield from self._longest(path, (own if names[0] else "") + ".".join(names[1:]))
            return
        imported = [item.target for item in self._sources.scan(path).imports if _local(item) == names[0]]
        for target in imported or [f"{own}{names[0]}"]:
            found = self._longest(path, ".".join((target, *names[1:])), len(target.split(".")))
            if not found and not imported and own and _is_function(names[0]):
                found = self._longest(path, names[0])
            yield from found

    def _longest(self, path: str, full: str, least: int = 1) -> list[tuple[Origin, Sequence[str]]]:
        """Return the origins of the longest beginning of a full name that is declared, with the names after it."""
        parts = full.strip(".").split(".")
        for end in range(len(parts), least - 1, -1) if len(parts) <= MOST_PARTS else ():
            files = self._index.files(".".join(parts[: end - 1]), parts[end - 1])
            if files:
                kept = files if len(files) < 2 else self._loaded(path, files, parts[:end])
                return [(Origin(file, parts[end - 1]), parts[end:]) for file in kept]
        return []

    def _loaded(self, path: str, files: Sequence[str], parts: Sequence[str]) -> list[str]:
        """Return of several files those that Composer loads for a name; of equal ones the nearest to the importer."""
        if path in files:
            return [path]
        loaded = [file for file in files if self._loads(file, parts)] or list(files)
        shared = {file: len(posixpath.commonprefix((file, path)).rpartition("/")[0]) for file in loaded}
        return [file for file in loaded if shared[file] == max(shared.values())]

    def _loads(self, file: str, parts: Sequence[str]) -> bool:
        """Return whether the manifest above a file makes Composer load a name from it."""
        folder = posixpath.dirname(file)
        while folder and folder not in self._manifests:
            folder = posixpath.dirname(folder)
        psr4, psr0, listed = self._manifests.get(folder, ({}, {}, ()))
        stem = posixpath.splitext(file)[0]
        if any(not one or file == one or file.startswith(f"{one}/") for one in listed):
            return True
        end = next((end for end in range(len(parts) - 1, -1, -1) if ".".join(parts[:end]) in psr4), None)
        longest = psr4[".".join(parts[:end])] if end is not None else ()
        older = [place for prefix, places in psr0.items() if ".".join(parts).startswith(prefix) for place in places]
        old = "/".join((*parts[:-1], parts[-1].replace("_", "/")))
        return stem in (
            *(posixpath.join(place, *parts[end:]) for place in longest),
            *(posixpath.join(place, old) for place in older),
        )

    def _required(self, path: str, written: str) -> Resolution:
        """Return the file that `require` names by a literal path, from the folder of the file or from the top."""
        match = _PATH.fullmatch(written)
        if match is None:
            return Resolution()
        folder = posixpath.dirname(path)
        steps = int(match["up"] or 1) - (match["of"] == "__FILE__") if match["of"] else 0
        start = posixpath.join(folder, *[".."] * steps, match["path"].lstrip("/") if match["base"] else match["path"])
        tried = [start] if match["base"] else [start, match["path"]]
        found = [one for one in map(posixpath.normpath, tried) if one in self._sources]
        is_here = match["base"] is not None and not posixpath.normpath(start).startswith("..")
        why = "no such file in this tree" if is_here and not found and "vendor/" not in start else None
        return Resolution(tuple(found[:1]), why)


_Places = dict[str, list[str]]


def _manifests(sources: Sources) -> Iterator[tuple[str, tuple[_Places, _Places, list[str]]]]:
    """Yield the folder of each composer.json with its prefixes of PSR-4 and PSR-0 and what it lists."""
    for path in [path for path in sources.paths if path.rpartition("/")[2] == "composer.json"][:MOST_MANIFESTS]:
        home = posixpath.dirname(path)
        try:
            manifest = json.loads(sources.read(path) or b"{}")
        except (ValueError, RecursionError):
            continue
        blocks = [manifest.get(key) for key in ("autoload", "autoload-dev")] if isinstance(manifest, dict) else []
        known = [block for block in blocks if isinstance(block, dict)]
        listed = [one for block in known for key in ("classmap", "files") for one in _below(home, block.get(key))]
        yield home, (_places(home, known, "psr-4"), _places(home, known, "psr-0"), listed)


def _places(home: str, blocks: Sequence[dict[str, object]], key: str) -> dict[str, list[str]]:
    """Return the folders of each prefix, which is dotted as names are."""
    found: dict[str, list[str]] = {}
    for block in blocks:
        prefixes = block.get(key)
        for prefix, places in prefixes.items() if isinstance(prefixes, dict) else ():
            found.setdefault(str(prefix).strip("\\").replace("\\", "."), []).extend(_below(home, places))
    return found


def _below(home: str, places: object) -> list[str]:
    """Return the folders or files that a manifest names, from the top of the tree."""
    texts = [places] if isinstance(places, str) else places if isinstance(places, list) else []
    joined = (posixpath.normpath(posixpath.join(home, one)) for one in texts if isinstance(one, str))
    return ["" if one == "." else one for one in joined]


def _local(item: Import) -> str:
    """Return the name under which a file uses an import."""
    last = item.target.rpartition(".")[2] if item.kind != "path" else ""
    return item.names[0][1] if item.names else last


def _is_function(name: str) -> bool:
    """Return whether a name is written as functions and constants are: these may be global ones."""
    return name[:1].islower() or name.isupper() or name.startswith("_")
