"""Packs: the productions and word lists that exams are worded with. One is public, others are private files.

A pack has five parts. `attributes` words each attribute: its nouns, what is said, what is asked. `told` has the frames
of statements, `asked` those of questions, `words` the word lists that replace public ones, and `coined` the lists that
are made of syllables. What a private pack leaves out comes from the public one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from assay.memory_eval.errors import ExamUsageError, told_in_a_line
from assay.memory_eval.world.vocabulary_files import VOCABULARY

MOST_BYTES = 4 << 20
"""Largest file of a pack."""
_MOST_DEEP = 6
_PARTS = ("attributes", "told", "asked", "words", "coined")


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """A pack with all its parts; `hash` is the SHA-256 over them and the public word lists, in hexadecimal."""

    name: str
    parts: Mapping[str, Any]
    hash: str

    def at(self, *path: str) -> Any:
        """Return what is at a path, None if there is nothing."""
        found: Any = self.parts
        for key in path:
            if not isinstance(found, Mapping) or key not in found:
                return None
            found = found[key]
        return found


@cache
def public_pack() -> Pack:
    """Return the pack that ships with Assay."""
    folder = files("assay.memory_eval.world").joinpath("public_pack")
    shipped = ("attributes", "told", "asked")
    parts = {name: json.loads(folder.joinpath(f"{name}.json").read_text("utf-8")) for name in shipped}
    return _pack("public", {**parts, "words": {}, "coined": {}})


def read_pack(path: Path) -> Pack:
    """Return the pack of a file, completed from the public one; raises `ExamUsageError` with the place of a mistake."""
    with told_in_a_line(path, "read"), path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise _invalid(path, f"larger than {MOST_BYTES >> 20} MB")
    try:
        own = json.loads(data)
    except (ValueError, RecursionError):
        raise _invalid(path, "not JSON") from None
    if not isinstance(own, dict) or not isinstance(own.get("name"), str) or not own["name"].strip():
        raise _invalid(path, 'expected an object with a "name"')
    unknown = sorted(set(own) - {"name", *_PARTS})
    if unknown:
        raise _invalid(path, f"{unknown[0][:60]!r} is not a part of a pack")
    parts = {name: own.get(name, {}) for name in _PARTS}
    public = public_pack().parts
    for name, part in parts.items():
        if wrong := _misshapen(part, public[name], name, is_open=name in ("words", "coined")):
            raise _invalid(path, wrong)
    return _pack(own["name"].strip()[:80], {name: _over(public[name], part) for name, part in parts.items()})


def _invalid(path: Path, why: str) -> ExamUsageError:
    return ExamUsageError(f"{path}: {why}", code="pack.invalid")


def _pack(name: str, parts: Mapping[str, Any]) -> Pack:
    digest = hashlib.sha256(_words_digest())
    digest.update(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode())
    return Pack(name, parts, digest.hexdigest())


@cache
def _words_digest() -> bytes:
    digest = hashlib.sha256()
    for name, data in sorted(_texts(files("assay.memory_eval.world").joinpath(VOCABULARY), VOCABULARY)):
        digest.update(len(name).to_bytes(8) + name.encode() + len(data).to_bytes(8) + data)
    return digest.digest()


def _texts(folder: Traversable, path: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            found += _texts(entry, name)
        elif entry.name.endswith(".json"):
            found.append((name, entry.read_bytes()))
    return found


def _over(public: Any, own: Any) -> Any:
    """Return the public part with everything that the own part has instead."""
    if isinstance(public, Mapping) and isinstance(own, Mapping):
        return {**public, **{key: _over(public.get(key), value) for key, value in own.items()}}
    return own


def _misshapen(own: Any, public: Any, where: str, *, is_open: bool, depth: int = 0) -> str:
    """Return the first place where a part has another shape than the public one, "" if there is none.

    `is_open`: names may be new, as those of word lists.
    """
    if depth > _MOST_DEEP:
        return f"{where}: nested too deeply"
    if isinstance(own, dict) and (isinstance(public, Mapping) or (is_open and public is None)):
        for key, value in own.items():
            place = f"{where}.{key[:60]}"
            if (
                isinstance(public, Mapping)
                and key not in public
                and not is_open
                and depth < 2
                and where != "attributes"
            ):
                return f"{place}: there is no such slot"
            beside = public.get(key) if isinstance(public, Mapping) else None
            if wrong := _misshapen(value, beside, place, is_open=is_open or beside is None, depth=depth + 1):
                return wrong
        return ""
    if isinstance(own, list):
        is_fine = bool(own) and all(isinstance(one, dict) == _has_objects(public) for one in own)
        texts = [text for one in own for text in (one.values() if isinstance(one, dict) else [one])]
        if is_fine and all(isinstance(text, str) for text in texts) and (public is None or isinstance(public, list)):
            return ""
        return f"{where}: expected a list like that of the public pack, not empty"
    if isinstance(own, str | int) and not isinstance(public, list | dict):
        return ""
    return f"{where}: expected the shape that the public pack has"


def _has_objects(public: Any) -> bool:
    return isinstance(public, list) and bool(public) and isinstance(public[0], dict)
