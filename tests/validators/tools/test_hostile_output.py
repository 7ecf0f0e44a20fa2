"""Whatever a command prints, reading it neither fails nor takes long."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.validators.tools.readers.register import MEMBERS
from tests.examples import num_examples, sampled
from tests.validators.tools.projects import CASES, Project

CAPTURED = sorted(path for path in CASES.glob("*/*") if path.suffix in (".txt", ".xml", ".json"))
SLOW_S = 20.0
"""Far above what a reading takes here, far below what backtracking would."""


def project(folder: Path) -> Project:
    return Project(folder).write("src/a.py", "src/a.js", "src/a.ts", "src/lib.rs", "a_test.go", "go.mod")


@settings(
    max_examples=num_examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(said=st.binary(max_size=2000), exit_code=st.sampled_from([None, -9, 0, 1, 2]))
def test_no_bytes_make_a_reader_raise(said: bytes, exit_code: int | None, tmp_path: Path):
    here = project(tmp_path)
    for member in MEMBERS:
        here.read(member, said, exit_code=exit_code, stderr=said[::-1])


@settings(
    max_examples=num_examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_no_mangled_real_output_makes_a_reader_raise(data: st.DataObject, tmp_path: Path):
    """Pieces of real outputs, cut anywhere, glued together, with bytes exchanged."""
    pieces = []
    for path in data.draw(st.lists(st.sampled_from(CAPTURED), min_size=1, max_size=3)):
        content = bytearray(path.read_bytes()[:6000])
        for position in data.draw(st.lists(st.integers(0, max(0, len(content) - 1)), max_size=8)):
            content[position] = data.draw(st.sampled_from(b'\0\x1b\n\r"{}[]<>&:()-=9\xff'))
        start, end = sorted(data.draw(st.tuples(st.integers(0, len(content)), st.integers(0, len(content)))))
        pieces.append(bytes(content[start:end]))
    said = b"\n".join(pieces)
    here = project(tmp_path)
    for member in MEMBERS:
        reading = here.read(member, said)
        assert all(found.message and found.rule for found in reading.findings)


@pytest.mark.parametrize(
    "piece",
    sampled(
        [
            b"___ ___ _ ",
            b" FAIL  a > b [ c ",
            b"[[[[[[",
            b'{"a":[',
            b"a(1,1): error TS1(1,1): error TS1",
            b"src/a.py:1:1: error: x [y] ",
            b"FAIL (((( src/a.js (5 s",
            b"test at a:1:1:1:1:1:1\n\xe2\x9c\x96 x (1ms) (1ms\n",
            b"thread 'a' panicked at 'b', c:1:1 'd', ",
            b"::error file=a,line=1,title=(((( ::x::",
            b"    not ok 1 - x # skip # todo\n",
            b"error[E0001]: x\n --> a:1:1\n --> ",
            b"ERROR: a (b (c (d) (e\n",
            b'File "a.py", line 1, "b.py", line 2 (c.js:3 ',
            b"--- FAIL: Test/a/b/c (0.00s)\n",
            b"\x1b]0;\x1b[\x1b(",
            b"1 passed, 1 failed, in in in 1 passed ",
            b"<testsuite><testcase><failure>",
            b"  1) a\n       b\n  1 passing (1ms)\n  1 failing\n",
            b"=====\nFAIL: a (b)\n-----\nRan 1 tests in 1s\n",
            b"(fail) a > b [1ms]\n  ^ c\nRan 1 test\n",
            b"::error file=a,title=b(c,line=1(",
            b"[error] a: Error: c (1:1) (1:1",
            b"____ ERROR collecting a ____\nFAILED a::b - c\nshort test summary info\n",
            b'{"file":"src/a.py","line":1,"message":"x"}\n',
        ],
        2,
    ),
)
def test_no_repetition_takes_long(piece: bytes, tmp_path: Path):
    """Eight megabytes in one line, and in lines of two thousand bytes."""
    here = project(tmp_path)
    size = 2_000_000
    began = time.process_time()
    one_line = (piece.replace(b"\n", b" ") * (size // len(piece) + 1))[:size]
    lines = (piece * (1990 // len(piece)) + b"\n") * (size // 2000)
    for said in (one_line, lines):
        here.read(MEMBERS[-1], said)
    assert time.process_time() - began < SLOW_S
