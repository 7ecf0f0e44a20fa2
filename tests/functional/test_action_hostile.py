"""A change that attacks the Action: by names, by words, and by what its own tests do when they are run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.act_report import ActRun, as_heard
from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import SETTINGS, Shop, at, keeps_secrets, report_of
from tests.repositories import RealRepository
from tests.validators.render.github import FILTERS, TAGS, shown_by_github

pytestmark = pytest.mark.timeout(180)
WORD = "pwned"
MESSAGE = f"""Harmless
::error file=shop.py,line=1::{WORD} by a message
::set-output name=conclusion::{WORD}
title<<EOF
{WORD}
EOF
"""
NAMES = [
    f"a\n::error::{WORD} by a name.py",
    "title<<EOF.py",
    f"%0A::error::{WORD}.py",
    f"<img src=x onerror={WORD}>.py",
    f"[{WORD}](https:evil.example).py",
    "`|** @octocat #1.py",
]
HIDDEN = ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ASSAY_ACTION_TOKEN", "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY")
# Runs as a test of the change, with whatever rights the change's code has.
ATTACK = '''
import os
import pathlib
import sys

import shop

PLACE = pathlib.Path({place!r})
FILES = ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_STATE")
LINES = "conclusion={word}\\ntitle={word}\\nrisk-level={word}\\n# <b>{word}</b>\\n"


def seen():
    """The environments of this process and of all it can look into."""
    yield "\\n".join(f"{{name}}={{value}}" for name, value in os.environ.items())
    for each in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            yield each.read_bytes().decode("latin-1").replace("\\0", "\\n")
        except OSError:
            pass


def test_everything():
    found = "\\n".join(seen())
    for folder in (os.environ.get("GITHUB_WORKSPACE", "."), "."):
        try:
            found += (pathlib.Path(folder) / ".git/config").read_text()
        except OSError:
            pass
    PLACE.joinpath("seen").write_text(found)
    # What the environment of this very process names, it would have been given.
    for name in FILES:
        if os.environ.get(name):
            with open(os.environ[name], "a") as file:
                file.write(LINES)
    said = "::error file=shop.py,line=1::{word} by a test\\n::set-output name=conclusion::{word}\\n::warning::{word}\\n"
    for stream in (sys.__stdout__, sys.__stderr__):
        stream.write("\\n" + said + LINES)
        stream.flush()
    os.write(1, ("\\n" + said).encode())
    assert shop.price(1) > 1, said + LINES + found[:0]
'''


@pytest.fixture
def shop(github: FakeGitHub, repository: RealRepository, tmp_path: Path) -> Shop:
    """Commands run without a sandbox, as on machines that have none."""
    shop = at(tmp_path, github, repository)
    shop.begin(assay_yml=SETTINGS.replace("tier1:\n", "tier1:\n  sandbox: off\n"))
    return shop


@pytest.mark.soak
def test_a_change_that_attacks_its_validate_is_validated_and_reaches_nothing(shop: Shop, tmp_path: Path):
    fork = shop.github.fork("mallory", repo=shop.name)
    files = dict.fromkeys(NAMES, "print(1)\n") | {"test_attack.py": ATTACK.format(place=str(tmp_path), word=WORD)}
    number = shop.pull(files, message=MESSAGE, by="mallory", fork=fork, branch="`<b>x")
    first = shop.validate(number)

    seen = (tmp_path / "seen").read_text("latin-1")
    assert "PATH=" in seen, "the attack did run"
    assert not [line for line in seen.splitlines() for token in first.tokens if token in line], (
        "the change's code saw a token"
    )
    assert "AUTHORIZATION" not in seen
    own = "\n" + seen.partition("\nPYTEST_CURRENT_TEST=")[0]
    assert not [name for name in HIDDEN if f"\n{name}=" in own]

    assert first.outputs("assay")["conclusion"] == "failure"
    assert len(first.jobs["publish"].annotations) > 3, "names do stand in what the runner was told"
    second = shop.act.second_stage(first, "assay-report.yml")
    assert second.outputs("report")["conclusion"] == "failure"
    check = shop.check(number)
    assert check["conclusion"] == "failure"
    assert {one["path"] for one in check["annotations"]} & set(NAMES)
    for run in (first, second):
        assert all(WORD not in value for job in run.called for value in run.outputs(job).values())
        no_commands_of_theirs(run)
        assert report_of(run)["head"]["sha"] == shop.heads[number]
        keeps_secrets(run)
    (comment,) = shop.comments(number)
    for text in (first.summary, second.summary, check["output"]["summary"], check["output"]["text"], comment):
        assert WORD in text
        page = shown_by_github(text)
        assert set(page.tags) <= TAGS | {"a", "blockquote"}
        assert not [value for _, _, value in page.attributes if value and (WORD in value or "evil" in value)]
        assert not [one for one in page.texts if FILTERS["mention"].search(one)]
        assert not [one for one in page.headings if WORD in one]


def no_commands_of_theirs(run: ActRun) -> None:
    """The runner heard no command that the change wrote: what we say may quote it, behind words of our own."""
    for job in run.jobs.values():
        for one in job.annotations:
            assert not one["message"].startswith(WORD), one
        for step in job.steps.values():
            assert WORD not in step.outputs.get("conclusion", ""), step
    for line in run.log.splitlines():
        said = json.loads(line)
        if said.get("command") in ("error", "warning", "notice"):
            assert not as_heard(said["raw"])["message"].startswith(WORD), said
