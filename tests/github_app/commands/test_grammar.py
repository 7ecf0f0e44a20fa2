"""What counts as a command, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.github_app.commands.grammar import (
    MOST_COMMANDS,
    MOST_LINE,
    CommandLine,
    commands_in,
    finding_id,
    first_word,
    plain_name,
)
from assay.github_app.commands.register import COMMANDS

NAMES = [command.name for command in COMMANDS]


def words(body: str) -> list[str]:
    return [typed.word for typed in commands_in(body)[0]]


@pytest.mark.parametrize(
    ("body", "typed"),
    [
        ("/assay rerun", CommandLine("rerun")),
        ("/assay", CommandLine("")),
        ("/assay   Rerun  ", CommandLine("rerun")),
        ("\n\n \n/assay rerun\n", CommandLine("rerun")),
        ("\ufeff/assay rerun", CommandLine("rerun")),
        ("/assay\trerun", CommandLine("rerun")),
        ("/assay rerun\r\nthank you", CommandLine("rerun")),
        (
            "/assay fp 0123456789ab the  parser\tis generated",
            CommandLine("fp", "0123456789ab the  parser is generated"),
        ),
        ("/assay rerun\u2028/assay hold", CommandLine("rerun\u2028/assay", "hold")),
    ],
)
def test_a_comment_that_begins_with_it_is_a_command(body: str, typed: CommandLine):
    assert commands_in(body)[0] == (typed,)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "Looks good.\n/assay release fine",
        "> /assay release fine",
        "> quoted\n/assay release fine",
        " /assay rerun",
        "    /assay rerun",
        "\t/assay rerun",
        "```\n/assay rerun\n```",
        "~~~\n/assay rerun\n~~~",
        "`/assay rerun`",
        "- /assay rerun",
        "* /assay rerun",
        "1. /assay rerun",
        "<!--\n/assay release hidden\n-->",
        "<details>\n/assay release hidden\n</details>",
        "/assayrerun",
        "/assay-rerun",
        "/assay:rerun",
        "/Assay rerun",
        "/ASSAY rerun",
        "//assay rerun",
        "\\/assay rerun",
        "assay rerun",
        "/\u0430ssay rerun",  # a Cyrillic letter
        "/\uff41ssay rerun",  # a full-width letter
        "/as\u200bsay rerun",
        "\u200b/assay rerun",
        "\u202e/assay rerun",
        "/assay\u00a0rerun",
        "/assay\u2028rerun",
        "\uff0fassay rerun",
        "\u2044assay rerun",
        "@assay rerun",
    ],
)
def test_what_is_quoted_fenced_hidden_or_only_looks_alike_is_no_command(body: str):
    assert commands_in(body) == ((), False)


@pytest.mark.parametrize("word", ["\uff52erun", "r\u0435run", "\u0280erun", "re\u200brun", "re\u0301run", "\u212aeep"])
def test_a_look_alike_of_a_commands_name_is_not_that_command(word: str):
    assert words(f"/assay {word}")[0] not in NAMES


def test_lines_are_read_until_one_is_something_else():
    assert words("/assay rerun\n\n/assay hold\nplease\n/assay pause") == ["rerun", "hold"]


def test_the_same_line_counts_once():
    assert words("/assay rerun\n/assay rerun\n/assay rerun") == ["rerun"]


def test_of_thousands_of_commands_a_few_are_read_and_it_is_said_that_there_are_more():
    typed, has_more = commands_in("\n".join(f"/assay hold number {i}" for i in range(10_000)))
    assert len(typed) == MOST_COMMANDS
    assert has_more


def test_a_line_too_long_is_refused_whole_and_not_cut():
    typed, _ = commands_in("/assay release " + "x" * MOST_LINE + "\n/assay rerun")
    assert typed == (CommandLine("", is_too_long=True), CommandLine("rerun"))


@given(st.text(max_size=400))
@example("/assay " * 60)
def test_any_text_at_all_is_read_within_bounds(body: str):
    typed, _ = commands_in(body)
    assert len(typed) <= MOST_COMMANDS
    assert all(len(one.word) + len(one.rest) <= MOST_LINE for one in typed)
    if typed:
        assert body.lstrip("\ufeff \t\r\n").startswith("/assay")


@given(st.sampled_from(NAMES), st.text(st.characters(blacklist_characters="\r\n"), max_size=200))
def test_a_known_name_keeps_all_that_follows_it_on_its_line(name: str, rest: str):
    (typed,), _ = commands_in(f"/assay {name} {rest}\nand more")
    assert typed.word == name
    assert typed.rest == rest.replace("\t", " ").strip(" ")


@given(st.text(alphabet="> \t`~-*#<!/assay rerunholdé\u200b\u00a0\n\r", max_size=80))
def test_a_command_is_only_ever_read_from_the_very_beginning(body: str):
    typed, _ = commands_in(body)
    lines = [line for line in body.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip(" \t")]
    assert bool(typed) == bool(lines and (lines[0] == "/assay" or lines[0].startswith(("/assay ", "/assay\t"))))


@pytest.mark.parametrize(("word", "wanted"), [("0123456789ab", "0123456789ab"), ("`0123456789AB`", "0123456789ab")])
def test_an_id_may_be_pasted_as_a_report_shows_it(word: str, wanted: str):
    assert finding_id(word) == wanted


@pytest.mark.parametrize(
    "word", ["", "0123456789a", "0123456789abc", "0123456789ag", "../../etc/pw", "\u0660123456789ab"]
)
def test_what_is_no_id_is_none(word: str):
    assert finding_id(word) is None


@pytest.mark.parametrize("word", ["", "../x", "a b", "a/b", "<b>", "é", "-rf", "$(id)", "x" * 81])
def test_a_name_holds_nothing_that_acts(word: str):
    assert plain_name(word) is None


def test_a_first_word_ends_at_the_first_space():
    assert first_word("  a  b c ") == ("a", "b c")
