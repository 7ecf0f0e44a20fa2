"""The Action's inputs: what is meant is understood, what cannot be meant is one line that names the input."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.action.environment.inputs import Inputs, Mode, Sarif, WhichTests, read_inputs, variable_of
from assay.github.errors import ActionMisused
from assay.validators import FailOn, Tier

WORK = {"ASSAY_ACTION_WORK": "/runner/work", "GITHUB_WORKSPACE": "/runner/workspace"}
NAMES = "mode base head tiers tests fail-on sarif review-model app-url".split()


def read(**inputs: str) -> Inputs:
    given = {variable_of(name.replace("_", "-")): value for name, value in inputs.items()}
    return read_inputs({**WORK, **given})


def test_nothing_given_is_the_documented_default():
    assert read() == read(**dict.fromkeys([name.replace("-", "_") for name in NAMES], ""))
    assert read() == Inputs(report_path=Path("/runner/work/report"))
    assert (read().mode, read().sarif, read().tiers) == (Mode.validate, Sarif.file, tuple(Tier))


def test_everything_given_is_understood():
    found = read(
        mode="publish",
        base="release/1.x",
        head="c" * 40,
        tiers="risk, tools",
        tests="affected-first",
        fail_on="never",
        sarif="upload",
        app_url="https://assay.example.com/app/",
        review_model="claude-haiku-5-5",
    )
    assert found == Inputs(
        report_path=Path("/runner/work/report"),
        mode=Mode.publish,
        base="release/1.x",
        head="c" * 40,
        tiers=(Tier.tools, Tier.risk),
        tests=WhichTests.affected_first,
        fail_on=FailOn.never,
        sarif=Sarif.upload,
        app_url="https://assay.example.com/app",
        review_model="claude-haiku-5-5",
    )


WRONG = [
    ("mode", "memory-eval", "'memory-eval' is not one of validate, tools, publish"),
    ("base", "--upload-pack=x", "'--upload-pack=x' is not a branch, tag or commit id"),
    ("head", "a..b", "'a..b' is not a branch, tag or commit id"),
    ("tiers", "tools,speed", "'speed' is not one of tools, quality, risk"),
    ("tiers", ",", "',' is not one of tools, quality, risk"),
    ("tests", "some", "'some' is not one of all, affected, affected-first"),
    ("fail-on", "x", "'x' is not one of failure, hold, never"),
    ("sarif", "true", "'true' is not one of none, file, upload"),
    ("app-url", "assay.example.com", "'assay.example.com' does not begin with https://"),
    ("app-url", "https://me:secret@assay.example.com", "is not a web address"),
    ("app-url", "http://assay.example.com", "does not begin with https://"),
    ("app-url", "https://[::1", "is not a web address"),
    ("review-model", "claude-haiku-5-5", "needs mode: publish"),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG, ids=[f"{name}={value}" for name, value, _ in WRONG])
def test_a_wrong_value_is_one_line_that_names_the_input(name: str, value: str, said: str):
    with pytest.raises(ActionMisused) as caught:
        read(**{name.replace("-", "_"): value})
    assert str(caught.value).startswith(f"action.invalid-input: input {name}: ")
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["a\nb", "main\r", "x\0y", "a\x1b[2Jb", "a\u202eb", "\udc80"])
def test_line_ends_and_unseen_characters_are_refused_everywhere(name: str, value: str):
    with pytest.raises(ActionMisused, match=rf"^action\.invalid-input: input {name}: ") as caught:
        read(**{name.replace("-", "_"): value})
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(("mode", "runs"), [("validate", True), ("tools", True), ("publish", False)])
def test_only_a_job_that_publishes_runs_no_command_of_the_change(mode: str, runs: bool):
    assert read(mode=mode).runs_commands is runs


def test_an_app_in_clear_is_taken_where_github_itself_is():
    local = {**WORK, "ASSAY_ACTION_APP_URL": "http://assay.corp", "ASSAY_ACTION_API_URL": "http://ghes.corp/api/v3"}
    assert read_inputs(local).app_url == "http://assay.corp"
    assert read(app_url="http://127.0.0.1:8080").app_url == "http://127.0.0.1:8080"


@given(st.sampled_from(NAMES), st.text(alphabet=string.printable + "\0\x85\u2028\u202e\ud800é", max_size=1200))
def test_any_value_is_understood_or_refused_in_one_printable_line(name: str, value: str):
    found: Inputs | str
    try:
        found = read(**{name.replace("-", "_"): value})
    except ActionMisused as misused:
        found = str(misused)
    assert isinstance(found, Inputs) or (found.isprintable() and len(found) < 400)
