"""Everything that is told about repeat detection, measured once: on both halves, beside the peers, by kind, in time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.github_app.rule_matching import cut
from tests.repeats.alarms import Saying, alarms, rule_read, says_raw, says_shipped
from tests.repeats.figures import Figures, Share, best_cut, figures_at, precision_by_recall
from tests.repeats.labelled import Split, comments_of, pairs_of, strangers_of
from tests.repeats.peers import PEERS, SEEDS_CUT, embedder

ALARMERS: Mapping[str, Saying] = {"shipped": says_shipped, f"embedding, raw, {SEEDS_CUT}": says_raw}


@dataclass(frozen=True, slots=True)
class Row:
    """One way of comparing, at one cut, on one half; `chosen` says how the cut was found."""

    peer: str
    chosen: str
    split: Split
    figures: Figures


@dataclass(frozen=True, slots=True)
class Measured:
    """All of it.

    `by_kind` is how often the shipped comparing says "the same" of the pairs of a kind, `strangers` of comments of two
    topics drawn at random, `alarms` of comments that hold no rule, by way and half.
    """

    rows: tuple[Row, ...]
    curves: Mapping[str, tuple[Figures, ...]]
    by_kind: Mapping[Split, Mapping[str, Share]]
    read_of_empty: Mapping[Split, Share]
    read_of_ruled: Mapping[Split, Share]
    alarms: Mapping[tuple[str, Split], Share]
    strangers: Mapping[tuple[str, Split], Share]

    def shipped(self, split: Split) -> Figures:
        """What ships, where it ships, on one half."""
        wanted = ("shipped", "shipped", split)
        return next(row.figures for row in self.rows if (row.peer, row.chosen, row.split) == wanted)


def measure() -> Measured:
    """Some seconds."""
    scores = {(peer, split): scoring(pairs_of(split)) for peer, scoring in PEERS.items() for split in Split}
    labels = {split: [pair.same for pair in pairs_of(split)] for split in Split}
    rows = []
    for peer in PEERS:
        tuned = scores[peer, Split.tuning], labels[Split.tuning]
        own = {"shipped": cut(embedder().name)} if peer == "shipped" else {"as named": SEEDS_CUT}
        found: dict[str, float | None] = dict(own)
        found |= {"best F1": best_cut(*tuned), "precision 0.90": best_cut(*tuned, precision=0.9)}
        for chosen, limit in found.items():
            # Above every score where the wanted precision is reached nowhere: then nothing is ever called a repeat.
            at = 1.01 if limit is None else limit
            rows += [Row(peer, chosen, split, figures_at(at, scores[peer, split], labels[split])) for split in Split]
    return Measured(
        tuple(rows),
        {peer: tuple(precision_by_recall(scores[peer, Split.test], labels[Split.test])) for peer in PEERS},
        {split: _by_kind(scores["shipped", split], split) for split in Split},
        {split: rule_read([one for one in comments_of(split) if not one.holds_rule]) for split in Split},
        {split: rule_read([one for one in comments_of(split) if one.holds_rule]) for split in Split},
        {(name, split): alarms(comments_of(split), says) for name, says in ALARMERS.items() for split in Split},
        {(name, split): _strangers(split, says) for name, says in ALARMERS.items() for split in Split},
    )


def time_of_300_pairs(folder: Path) -> float:
    """Seconds that `assay rules compare` takes for 300 pairs, its start and the loading of everything included."""
    pairs = [pair for split in Split for pair in pairs_of(split)][:300]
    given, told = folder / "pairs.jsonl", folder / "told.jsonl"
    given.write_text("".join(json.dumps({"a": pair.a, "b": pair.b}) + "\n" for pair in pairs), encoding="utf-8")
    command = [str(Path(sys.executable).with_name("assay")), "rules", "compare", "--pairs", str(given), "-o", str(told)]
    began_at_s = time.monotonic()
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    took_s = time.monotonic() - began_at_s
    assert len(told.read_text(encoding="utf-8").splitlines()) == len(pairs) == 300
    return took_s


def _strangers(split: Split, says: Saying) -> Share:
    pairs = strangers_of(split)
    return Share(sum(says(a, b) for a, b in pairs), len(pairs))


def _by_kind(scores: list[float], split: Split) -> Mapping[str, Share]:
    said: dict[str, list[bool]] = {}
    limit = cut(embedder().name)
    for pair, score in zip(pairs_of(split), scores, strict=True):
        said.setdefault(pair.kind, []).append(score >= limit)
    return {kind: Share(sum(one), len(one)) for kind, one in sorted(said.items())}
