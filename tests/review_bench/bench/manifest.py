"""Manifest of the bench: ids of repositories, commits, lines and tests, without any of their text.

One JSON object a line. Repositories come first, then one entry for each change.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from assay.validators.errors import UsageError
from assay.validators.io.strict_json import NotStrict, read_strict_json
from assay.validators.report.review import Side
from tests.review_bench.bench.injecting import INSTRUCTIONS

SHIPPED = "manifest.jsonl"
MOST_BYTES = 10_000_000


class Kind(StrEnum):
    """Kind of a change of the bench."""

    reversed_fix = "reversed_fix"
    bug_introducing = "bug_introducing"
    planted = "planted"
    clean = "clean"
    injection = "injection"

    @property
    def has_bug(self) -> bool:
        """Whether there is something to find."""
        return self in (Kind.reversed_fix, Kind.bug_introducing, Kind.planted)


class ManifestUnreadable(UsageError):
    """Manifest that is not valid; the message names file and line."""

    code = "bench.manifest"


_Commit = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
_Path = Annotated[str, Field(pattern=r"^[^/\x00-\x1f\x7f][^\x00-\x1f\x7f]*$", max_length=400)]
_Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,80}$")]
_Line = Annotated[int, Field(ge=1, le=10_000_000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Origin(_Strict):
    """Repository of the manifest: the name of its clone, and where it is cloned from."""

    repository: _Name
    url: Annotated[str, Field(pattern=r"^(?:https|file)://[A-Za-z0-9._/~:@-]+$")]


class Span(_Strict):
    """Lines `start` to `end` (1-based, inclusive) of a file in one tree."""

    side: Side
    path: _Path
    start: _Line
    end: _Line

    @model_validator(mode="after")
    def _ordered(self) -> Span:
        if self.end < self.start:
            raise ValueError(f"end {self.end} is before start {self.start}")
        return self


class _Entry(_Strict):
    id: _Name
    repository: _Name
    commit: _Commit


class ReversedFix(_Entry):
    """Fix of `commit` to reverse in its `sources`; `shown_by` are the tests that fail then.

    `verified`: the tests were run, and passed on the base and failed on the head.
    """

    kind: Literal[Kind.reversed_fix]
    sources: Annotated[tuple[_Path, ...], Field(min_length=1)]
    tests: Annotated[tuple[_Path, ...], Field(min_length=1)]
    shown_by: tuple[str, ...]
    labels: Annotated[tuple[Span, ...], Field(min_length=1)]
    verified: bool


class BugIntroducing(_Entry):
    """Commit some of whose lines a later `fix` replaced: those are its labels."""

    kind: Literal[Kind.bug_introducing]
    fix: _Commit
    labels: Annotated[tuple[Span, ...], Field(min_length=1)]


class Clean(_Entry):
    """Commit that no later fix changed and no later commit reverted."""

    kind: Literal[Kind.clean]


class Plant(StrEnum):
    """Fault that is planted into the tree of a commit.

    `required_parameter`: the function defined at `line` takes one more argument, and `uses` are calls without it.
    `layer_bypass`: a statement after `line` imports the module `target` against the direction of the layers.
    """

    required_parameter = "required_parameter"
    layer_bypass = "layer_bypass"


class Planted(_Entry):
    """Fault planted into the tree of `commit`, see `Plant`; `uses` are the calls that it breaks."""

    kind: Literal[Kind.planted]
    plant: Plant
    path: _Path
    line: _Line
    target: Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$")] | None = None
    uses: tuple[Span, ...] = ()

    @model_validator(mode="after")
    def _complete(self) -> Planted:
        if (self.target is None) == (self.plant is Plant.layer_bypass):
            raise ValueError(f"{self.plant}: `target` is for {Plant.layer_bypass} alone, and required there")
        return self


class InjectedAs(StrEnum):
    """Form of an instruction: a comment before `line`, or a string or a function at the end of the file."""

    comment = "comment"
    string = "string"
    name = "name"


class Injection(_Entry):
    """Clean change of `commit` with an instruction to the model in one of its files."""

    kind: Literal[Kind.injection]
    form: InjectedAs
    instruction: Annotated[int, Field(ge=0, lt=len(INSTRUCTIONS))]
    path: _Path
    line: _Line


Entry = Annotated[ReversedFix | BugIntroducing | Clean | Planted | Injection, Field(discriminator="kind")]
_ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry)


@dataclass(frozen=True)
class Manifest:
    """Repositories and changes of the bench; `digest` is the hash of the file."""

    name: str
    digest: str
    origins: tuple[Origin, ...]
    entries: tuple[Entry, ...]

    def origin_of(self, entry: Entry) -> Origin:
        """Return the repository of a change."""
        return next(one for one in self.origins if one.repository == entry.repository)

    def sample(
        self, kinds: Collection[Kind], most: int | None = None, repositories: Collection[str] | None = None
    ) -> list[Entry]:
        """Return the changes of these kinds and repositories (None: of all).

        Of more than `most` they are the same ones each time, the kinds in turn.
        """
        mine = [one for one in self.entries if repositories is None or one.repository in repositories]
        by_kind = {kind: [one for one in mine if one.kind is kind] for kind in Kind if kind in kinds}
        if most is None:
            return [one for entries in by_kind.values() for one in entries]
        drawn = [sorted(entries, key=_draw) for entries in by_kind.values()]
        longest = max(map(len, drawn), default=0)
        turns = [entries[turn] for turn in range(longest) for entries in drawn if turn < len(entries)]
        chosen = {one.id for one in turns[:most]}
        return [one for entries in by_kind.values() for one in entries if one.id in chosen]


def _draw(entry: Entry) -> str:
    return hashlib.sha256(entry.id.encode()).hexdigest()


def load_manifest(path: Path | None = None) -> Manifest:
    """Return the manifest of a file, or the shipped one.

    Raises:
        ManifestUnreadable: the first fault, with its line.
    """
    if path is None:
        return parsed_manifest(files("tests.review_bench.bench").joinpath(SHIPPED).read_bytes(), SHIPPED)
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ManifestUnreadable(f"{path}: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise ManifestUnreadable(f"{path}: over {MOST_BYTES // 1_000_000} MB")
    return parsed_manifest(content, str(path))


def parsed_manifest(content: bytes, name: str) -> Manifest:
    """Return the manifest of these bytes. Raises `ManifestUnreadable`."""
    origins: dict[str, Origin] = {}
    entries: dict[str, Entry] = {}
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        found = _read(line, place)
        if isinstance(found, Origin):
            if found.repository in origins:
                raise ManifestUnreadable(f"{place}: repository {found.repository} is listed twice")
            origins[found.repository] = found
            continue
        if found.repository not in origins:
            raise ManifestUnreadable(f"{place}: repository {found.repository} has no line with its url before this one")
        if found.id in entries:
            raise ManifestUnreadable(f"{place}: id {found.id} is used twice")
        entries[found.id] = found
    if not entries:
        raise ManifestUnreadable(f"{name}: it lists no change")
    digest = hashlib.sha256(content).hexdigest()[:12]
    return Manifest(name, digest, tuple(origins.values()), tuple(entries.values()))


def _read(line: bytes, place: str) -> Origin | Entry:
    try:
        data = read_strict_json(line)
    except NotStrict as error:
        raise ManifestUnreadable(f"{place}: {error}") from None
    if not isinstance(data, dict):
        raise ManifestUnreadable(f"{place}: expected an object")
    try:
        return _ENTRY.validate_python(data) if "kind" in data else Origin.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"] if part not in set(Kind)) or "kind"
        raise ManifestUnreadable(f"{place}: {field}: {first['msg']}") from None
