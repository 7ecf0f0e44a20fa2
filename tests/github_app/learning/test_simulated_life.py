"""The loop closes: what reviewers say reaches the agent, repeats fall, and nobody is told twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import run
from assay.github_app.store import RuleState
from tests.fakes.github_server import GitHubServer
from tests.github_app.learning.life_figures import (
    NONE_SEEN,
    NOTHING,
    around,
    asked,
    asked_after_confirmation,
    check_promises,
    delivered,
    effects,
    halves,
    seen,
    table,
    unaided,
)
from tests.github_app.learning.simulated_life import lived, script

SEEDS = (1, 2, 3, 4, 5)
HEADS = ("halves, on", "halves, off", "delivery, on", "delivery, off", "rules show", "the same, by simulation")
"""Rates before and after: pull requests with a repeat in each half; those of each rule around its delivery; effects."""
SHORT: dict[str, Any] = {"num_pulls": 12, "num_rules": 3, "chance_to_break": 0.6}


@pytest.mark.system
def test_what_reviewers_say_reaches_the_agent_and_repeats_fall(
    github_server: GitHubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    drawn = script(1, **SHORT)
    names = {rule.name for rule in drawn.rules}
    with lived(github_server, tmp_path, drawn, is_on=True) as life:
        check_promises(life)
        assert life.known[1] == life.known[2] == frozenset(), "nothing is known before it was confirmed"
        assert life.known[11] == names, "AGENTS.md on the base names them"
        assert life.known[12] == names, "and so does the HTTP interface"
        since = delivered(life)
        told, control = around(asked(life), since, 12), around(unaided(drawn), since, 12)
        assert told.before == control.before, "until a rule is delivered both lives are the same"
        assert told.after[0] * 2 < control.after[0]
        product, truth = effects(life)
        assert (product.before[1], product.after[1]) == (truth.before[1], truth.after[1])
        row = life.store.rules.of(life.repository_id, [RuleState.confirmed])[0]
        assert run(["rules", "show", life.name, row.rule_id, "--data-dir", str(tmp_path), "--format", "json"]) == 0
        shown = json.loads(capsys.readouterr().out)["effect"]
        of_one, _ = effects(life, row.rule_id)
        assert (shown["asked_after"], shown["pulls_after"]) == of_one.after


@pytest.mark.soak
def test_a_reviewer_with_one_phrase_for_each_rule_is_told_once_on_each_pull_request(
    github_server: GitHubServer, tmp_path: Path
):
    """The agent obeys nothing, so that every rule comes back after it was confirmed, some in two threads at once."""
    drawn = script(2, num_pulls=6, num_rules=2, chance_to_break=0.8, chance_to_obey=0, num_wordings=1)
    with lived(github_server, tmp_path, drawn, is_on=True) as life:
        check_promises(life)
        due = asked_after_confirmation(life)
        twice = [place for place in due if drawn.twice[place]]
        assert twice, "one of them is asked for in two threads"
        assert len(life.replies()) == len(due)
        numbers = {life.pulls[turn] for turn, _ in due}
        matches = [one for one in life.store.rules.matches(life.repository_id) if one.number in numbers]
        assert sum(one.is_after_handout for one in matches) == len(due) + len(twice)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_an_agent_that_is_not_given_the_block_learns_nothing_from_it(github_server: GitHubServer, tmp_path: Path):
    drawn = script(1, **SHORT)
    with lived(github_server, tmp_path, drawn, is_on=True, has_block=False) as life:
        assert {name for turn, known in life.known.items() if turn % 2 for name in known} == set()
        odd = {place for place in unaided(drawn) if place[0] % 2}
        assert {place for place in asked(life) if place[0] % 2} == odd


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_forty_pull_requests(github_server: GitHubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Eight rules, five lives, each played twice: with a maintainer who confirms, and without."""
    rows: list[tuple[object, ...]] = []
    sums, noticed = dict.fromkeys(HEADS, NOTHING), NONE_SEEN
    for seed in SEEDS:
        drawn = script(seed, num_pulls=40, num_rules=8, chance_to_break=0.2)
        with lived(github_server, tmp_path / f"{seed}-on", drawn, is_on=True) as life:
            check_promises(life)
            since, noticed = delivered(life), noticed + seen(life)
            on, (product, truth) = asked(life), effects(life)
        with lived(github_server, tmp_path / f"{seed}-off", drawn, is_on=False) as other:
            check_promises(other)
            off = asked(other)
            assert off == unaided(drawn)
            assert other.replies() == []
        found = (halves(on, 40), halves(off, 40), around(on, since, 40), around(off, since, 40), product, truth)
        assert product.before[1] == truth.before[1]
        assert product.after[1] == truth.after[1]
        rows.append((seed, *found))
        sums = {name: sums[name] + one for name, one in zip(HEADS, found, strict=True)}
    with capsys.disabled():
        print("\n" + table(("seed", *HEADS), rows))
        print("\n".join(f"{name:32}{one}, {one.values[0]:.2f} -> {one.values[1]:.2f}" for name, one in sums.items()))
        print(noticed)
    halves_on, _, on_, off_, product, truth = sums.values()
    assert halves_on.difference is not None
    assert halves_on.difference.high < 0, "fewer pull requests of the second half repeat something"
    assert on_.before == off_.before
    assert on_.difference is not None
    assert off_.difference is not None
    assert on_.difference.high < off_.difference.low, "and that is the delivery, not the time that went by"
    assert product.difference is not None
    assert product.difference.high < 0, "Assay's own figure says so too"
    assert product.before[0] <= truth.before[0]
    assert product.after[0] <= truth.after[0]
    assert noticed.wrong * 10 <= noticed.joined
    assert (noticed.joined + noticed.by_hand) * 2 > noticed.repeats, "with a maintainer who joins what may repeat"
