"""The loop closes: what reviewers say reaches the agent, repeats fall, and nobody is told twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli.main import run
from assay.github_app.store import RuleState
from tests.fakes.github_server import GitHubServer
from tests.github_app.learning.life_figures import (
    Rates,
    Seen,
    around,
    asked,
    check_promises,
    delivered,
    effects,
    halves,
    repeated,
    seen,
    table,
    unaided,
)
from tests.github_app.learning.simulated_life import Life, lived, script

SEEDS = (1, 2, 3, 4, 5)
NOTHING = Rates((0, 0), (0, 0))


def test_a_short_life(github_server: GitHubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    drawn = script(1, num_pulls=12, num_rules=3, chance_to_break=0.6)
    names = {rule.name for rule in drawn.rules}
    with lived(github_server, tmp_path, drawn, is_on=True) as life:
        check_promises(life)
        assert life.known[1] == life.known[2] == frozenset(), "nothing is known before somebody said it"
        assert life.known[11] == names, "AGENTS.md on the base names them"
        assert life.known[12] == names, "and so does the HTTP interface"
        since = delivered(life)
        told, control = around(asked(life), since, 12), around(unaided(drawn), since, 12)
        assert told.before == control.before, "until a rule is delivered both lives are the same"
        assert told.after[0] * 2 < control.after[0]
        for one in effects(life):
            assert (one.product.before[1], one.product.after[1]) == (one.truth.before[1], one.truth.after[1])
        row = life.store.rules.of(life.repository_id, [RuleState.confirmed])[0]
        assert run(["rules", "show", life.name, row.rule_id, "--data-dir", str(tmp_path), "--format", "json"]) == 0
        shown = json.loads(capsys.readouterr().out)["effect"]
        assert shown["pulls_after"] == effects(life)[0].product.after[1]


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_an_agent_that_is_not_given_the_block_learns_nothing_from_it(github_server: GitHubServer, tmp_path: Path):
    drawn = script(1, num_pulls=12, num_rules=3, chance_to_break=0.6)
    with lived(github_server, tmp_path, drawn, is_on=True, has_block=False) as life:
        assert {name for turn, known in life.known.items() if turn % 2 for name in known} == set()
        odd = {place for place in unaided(drawn) if place[0] % 2}
        assert {place for place in asked(life) if place[0] % 2} == odd


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_forty_pull_requests(github_server: GitHubServer, tmp_path: Path):
    """Eight rules, five lives, each played twice: with a maintainer who confirms, and without."""
    rows: list[tuple[object, ...]] = []
    sums = {name: NOTHING for name in ("halves", "halves off", "around", "around off", "product", "truth")}
    noticed = Seen(0, 0, 0, 0, 0)
    for seed in SEEDS:
        drawn = script(seed, num_pulls=40, num_rules=8, chance_to_break=0.2)
        with lived(github_server, tmp_path / f"{seed}-on", drawn, is_on=True) as life:
            check_promises(life)
            one, since, noticed_here = figures(life), delivered(life), seen(life)
        with lived(github_server, tmp_path / f"{seed}-off", drawn, is_on=False) as other:
            check_promises(other)
            assert asked(other) == unaided(drawn)
            assert other.replies() == []
        off = {
            "halves off": halves(asked(other), 40),
            "around off": around(asked(other), since, 40),
        }
        sums = {name: total + (one | off)[name] for name, total in sums.items()}
        noticed += noticed_here
        rows += [(seed, len(since), *(one | off).values())]
    print("\n" + table(("seed", "delivered", *(one | off)), rows))
    for name, total in sums.items():
        print(f"{name:12}{total}")
    print(noticed)
    assert sums["halves"].after[0] * 2 < sums["halves off"].after[0]


def figures(life: Life) -> dict[str, Rates]:
    """The figures of a life with the loop on."""
    product, truth = NOTHING, NOTHING
    for one in effects(life):
        product, truth = product + one.product, truth + one.truth
    return {
        "halves": halves(asked(life), life.script.num_pulls),
        "around": around(asked(life), delivered(life), life.script.num_pulls),
        "product": product,
        "truth": truth,
    }
