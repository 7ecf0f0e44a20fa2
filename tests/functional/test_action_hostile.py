"""A change that attacks the Action: by names, by words, and by what its own tests do when they are run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.act_report import ActRun
from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import BETTER, Shop, at, keeps_secrets, report_of
from tests.repositories import RealRepository

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
    shop = at(tmp_path, github, repository)
    shop.begin()
    return shop


@pytest.mark.parametrize("fails", [False, True])
def test_a_change_that_attacks_its_judge_is_judged_and_reaches_nothing(shop: Shop, tmp_path: Path, fails: bool):
    attack = ATTACK.format(place=str(tmp_path), word=WORD)
    files = dict.fromkeys(NAMES, "x = 1\n") | {"test_attack.py": attack}
    number = shop.pull(files | ({} if fails else BETTER), message=MESSAGE)
    run = shop.judge(number)

    seen = (tmp_path / "seen").read_text("latin-1")
    assert "PATH=" in seen, "the attack did run"
    assert not [token for token in run.tokens if token in seen], "the change's code saw a token"
    assert "AUTHORIZATION" not in seen
    assert not [name for name in ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ASSAY_ACTION_TOKEN") if f"\n{name}=" in own(seen)]

    outputs = run.outputs("assay")
    assert outputs["conclusion"] == ("failure" if fails else "success")
    assert all(WORD not in value for value in outputs.values())
    no_commands_of_theirs(run)
    assert report_of(run)["head"] == shop.heads[number]
    check = shop.check(number)
    assert check["conclusion"] == outputs["conclusion"]
    for text in (run.summary, check["output"]["summary"], check["output"]["text"] or "", *shop.comments(number)):
        assert f"<img src=x onerror={WORD}>" not in unquoted(text)
        assert f"<b>{WORD}</b>" not in unquoted(text)
        assert f"[{WORD}](https:evil.example)" not in unquoted(text)
        assert "@octocat" not in unquoted(text)
    keeps_secrets(run)


def own(seen: str) -> str:
    """The attack's own environment, which it wrote down first."""
    return "\n" + seen.partition("\nPYTEST_CURRENT_TEST=")[0]


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
            assert not str(said["arg"]).startswith(WORD), said


def unquoted(markdown: str) -> str:
    """Markdown without what stands between backticks or in fences, where nothing is markup."""
    lines, fence = [], ""
    for line in markdown.split("\n"):
        mark = line.strip()[:3]
        if fence:
            fence = "" if mark == fence else fence
            continue
        if mark in ("```", "~~~"):
            fence = mark
            continue
        lines.append("".join(part for number, part in enumerate(line.split("`")) if number % 2 == 0))
    return "\n".join(lines)
