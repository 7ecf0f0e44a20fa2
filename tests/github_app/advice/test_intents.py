"""What a comment wants: a change, an answer, nothing but to be friendly."""

from __future__ import annotations

import pytest

from assay.github_app.rule_matching import Intent, intent

TABLE = {
    "Please don't use any here": Intent.asks,
    "Could we extract this into a helper?": Intent.asks,
    "Shouldn't this be validated on the server?": Intent.asks,
    "This swallows the exception.": Intent.asks,
    "nit: trailing whitespace": Intent.asks,
    "I'd rename it to something that says what it holds": Intent.asks,
    "Missing tests for the error path.": Intent.asks,
    "```suggestion\nx = 1\n```": Intent.asks,
    "Nice, but please add a test.": Intent.asks,
    "Why did you change this?": Intent.question,
    "What does this do?": Intent.question,
    "Did you run this against staging?": Intent.question,
    "LGTM": Intent.praise,
    "Great work on the tests here, thank you!": Intent.praise,
    "nice catch!": Intent.praise,
    "Done, thanks!": Intent.other,
    "ditto": Intent.other,
    "Agree with Tom.": Intent.other,
    "/retest": Intent.other,
    "> please add a test\n\nDone.": Intent.other,
    "": Intent.other,
}


def test_each_comment_of_the_table_is_what_it_is():
    assert {text: intent(text) for text in TABLE} == TABLE


@pytest.mark.parametrize("emoji", ["\N{THUMBS UP SIGN}", "\N{PARTY POPPER}"])
def test_a_cheer_alone_is_praise(emoji):
    assert intent(emoji) is Intent.praise
