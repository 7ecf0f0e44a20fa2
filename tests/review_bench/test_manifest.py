"""A manifest is a list of ids; a fault in it is named with its line."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.review_bench.bench.manifest import (
    Kind,
    ManifestUnreadable,
    load_manifest,
    parsed_manifest,
)
from tests.review_bench.conftest import Known

ORIGIN = {"repository": "shop", "url": "https://example.org/shop"}
CLEAN = {"id": "one", "kind": "clean", "repository": "shop", "commit": "a" * 40}
SPAN = {"side": "head", "path": "a.py", "start": 3, "end": 2}
FAULTS: list[tuple[str, list[Any], str]] = [
    ("not JSON", [ORIGIN, "{"], "m.jsonl:2: it is not JSON"),
    ("not an object", [[1]], "m.jsonl:1: expected an object"),
    ("an unknown kind", [ORIGIN, CLEAN | {"kind": "odd"}], "m.jsonl:2: kind"),
    ("a short commit", [ORIGIN, CLEAN | {"commit": "abc"}], "m.jsonl:2: commit"),
    ("an unknown key", [ORIGIN, CLEAN | {"title": "Fix it"}], "m.jsonl:2: title"),
    ("an unknown repository", [CLEAN], "m.jsonl:1: repository shop has no line"),
    ("a repository twice", [ORIGIN, ORIGIN], "m.jsonl:2: repository shop is listed twice"),
    ("an id twice", [ORIGIN, CLEAN, CLEAN], "m.jsonl:3: id one is used twice"),
    ("a name that leads out", [ORIGIN | {"repository": "../shop"}], "m.jsonl:1: repository"),
    ("an address with a command", [ORIGIN | {"url": "https://example.org/a;rm"}], "m.jsonl:1: url"),
    (
        "lines in the wrong order",
        [ORIGIN, CLEAN | {"kind": "bug_introducing", "fix": "b" * 40, "labels": [SPAN]}],
        "m.jsonl:2: labels.0",
    ),
    (
        "a bypass without its target",
        [ORIGIN, CLEAN | {"kind": "planted", "plant": "layer_bypass", "path": "a.py", "line": 1}],
        "m.jsonl:2: kind",
    ),
    ("no change", [ORIGIN], "m.jsonl: it lists no change"),
]


@pytest.mark.parametrize(("rows", "message"), [one[1:] for one in FAULTS], ids=[one[0] for one in FAULTS])
def test_a_fault_is_named_with_its_line(rows: list[Any], message: str):
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    with pytest.raises(ManifestUnreadable) as caught:
        parsed_manifest("\n".join(lines).encode(), "m.jsonl")
    assert caught.value.text.startswith(message)


def test_a_manifest_is_the_same_after_writing(known: Known):
    manifest = known.manifest
    lines = [one.model_dump_json(exclude_none=True) for one in (*manifest.origins, *manifest.entries)]
    again = parsed_manifest("\n".join(lines).encode(), "manifest.jsonl")
    assert (again.origins, again.entries) == (manifest.origins, manifest.entries)


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path):
    with pytest.raises(ManifestUnreadable, match="No such file"):
        load_manifest(tmp_path / "none.jsonl")


def test_the_shipped_manifest_has_ids_alone_and_every_kind():
    manifest = load_manifest()
    counts = Counter(entry.kind for entry in manifest.entries)
    assert counts == {
        Kind.reversed_fix: 120,
        Kind.clean: 120,
        Kind.bug_introducing: 40,
        Kind.planted: 40,
        Kind.injection: 60,
    }
    assert len({entry.repository for entry in manifest.entries if entry.kind is Kind.reversed_fix}) >= 8
    verified = [entry for entry in manifest.entries if getattr(entry, "verified", False)]
    assert len(verified) >= 100


def test_a_sample_takes_the_kinds_in_turn_and_is_the_same_each_time():
    manifest = load_manifest()
    sample = manifest.sample(list(Kind), 20)
    assert Counter(entry.kind for entry in sample) == dict.fromkeys(Kind, 4)
    assert sample == manifest.sample(list(Kind), 20)
    assert {entry.id for entry in sample} < {entry.id for entry in manifest.sample(list(Kind), 40)}
    assert {entry.repository for entry in manifest.sample(list(Kind), 20, {"click"})} == {"click"}
    assert {entry.kind for entry in manifest.sample([Kind.clean, Kind.planted])} == {Kind.clean, Kind.planted}
