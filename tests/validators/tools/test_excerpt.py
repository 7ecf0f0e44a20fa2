from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.validators.tools.readers.excerpt import GAP, LINE_LIMIT, MOST_LINES, TAIL_LINES, FailureLines, excerpt_of

QUIET = b"".join(b"tests/test_%d.py ok\n" % number for number in range(3000))


def test_a_failure_in_the_middle_of_a_long_log_is_found():
    lines = excerpt_of(QUIET + b"FAILED tests/test_x.py::test_y - assert 1 == 2\n" + QUIET)
    assert lines[:2] == ("FAILED tests/test_x.py::test_y - assert 1 == 2", GAP)
    assert lines[-1] == "tests/test_2999.py ok"
    assert len(lines) == 2 + TAIL_LINES


def test_an_excerpt_has_a_most_of_telling_lines_and_a_tail():
    noisy = b"".join(b"error: number %d\nfine\n" % number for number in range(500))
    lines = excerpt_of(noisy + QUIET)
    assert sum(line.startswith("error:") for line in lines) == MOST_LINES
    assert len([line for line in lines if line != GAP]) == MOST_LINES + TAIL_LINES


def test_plain_failures_push_out_what_only_mentions_failure():
    log = b"".join(b"    raise SomeException(expected)\n" for _ in range(50))
    log += b"".join(b"E   AssertionError: number %d\n" % number for number in range(8))
    lines = excerpt_of(log + QUIET)
    assert [line for line in lines if "raise" in line] == []
    assert sum(line.startswith("E   ") for line in lines) == 8


def test_what_counts_no_failures_is_not_one():
    assert "error" not in " ".join(excerpt_of(b"Found 0 errors\n0 failed, 3 passed\n" + QUIET))


def test_a_passing_test_that_is_named_after_an_error_is_none():
    log = "  ✔ should handle errors\n  ✓ throws an Error: yes\n  1) fails: AssertionError: 1 == 2\n".encode()
    assert excerpt_of(log + QUIET)[0].strip().startswith("1) fails")


def test_both_values_of_a_comparison_are_kept_and_the_counts_of_tap_are_not():
    counts = [f"# {name} 0" for name in ("tests", "suites", "pass", "cancelled", "skipped", "todo", "duration_ms")]
    failed = ["not ok 1 - price", "  expected: 120", "  actual: 20", *(f"    frame {at}" for at in range(14)), "1..1"]
    assert excerpt_of("\n".join([*failed, *counts]).encode()) == tuple(failed)


def test_escape_codes_and_control_characters_are_taken_out():
    lines = excerpt_of(b"\x1b[31mFAILED\x1b[0m a\x00b\x07\n\x1b]0;title\x07plain\n")
    assert lines == ("FAILED ab", "plain")


def test_a_line_drawn_anew_is_shown_as_it_was_last():
    assert excerpt_of(b"10%\r50%\rdone\n") == ("done",)


def test_a_line_is_cut_to_a_width():
    (line,) = excerpt_of(b"error: " + b"x" * 100_000)
    assert len(line) == LINE_LIMIT


def test_a_line_cut_in_two_by_the_pipe_is_one_line():
    told = FailureLines()
    for piece in (b"FAI", b"LED tests/a.py\nok", b"\n"):
        told.feed(piece)
    assert told.lines() == ("FAILED tests/a.py", "ok")


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_no_bytes_make_it_trip(pieces: list[bytes]):
    told = FailureLines()
    for piece in pieces:
        told.feed(piece)
    for line in told.lines():
        assert line.isprintable() or not any(ord(char) < 32 for char in line)
