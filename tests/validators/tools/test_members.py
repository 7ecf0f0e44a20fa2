"""What the readers make of output captured from real tools (tests/cases/tools, table in readings.yaml)."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.validators.tools.readers import jest_json
from assay.validators.tools.readers.register import MEMBERS
from tests.tables import read_yaml
from tests.validators.tools.projects import CASES, LANGUAGES, Project, counted, listed, tool

READINGS = read_yaml(CASES / "readings.yaml")
COMMAND = MEMBERS[-1]


def captured(name: str, folder: Path) -> tuple[Project, bytes]:
    """The project an output was captured in, and the output."""
    project = Project(folder).of(LANGUAGES.get(name.split("/", maxsplit=1)[0], "javascript"))
    return project, (CASES / f"{name}.txt").read_bytes()


@pytest.mark.parametrize("name", READINGS)
def test_a_captured_output_is_read_as_it_was_meant(name: str, tmp_path: Path):
    expected = READINGS[name]
    project, output = captured(name, tmp_path)
    member = tool(name.split("/", maxsplit=1)[0])
    reading = project.read(member, output, exit_code=expected.get("exit", 1), words=expected.get("words", ()))
    assert listed(reading) == expected.get("findings", [])
    assert counted(reading.counts) == expected.get("counts", "")
    assert reading.looked is ("not_looked" not in expected)
    assert reading.reason == expected.get("not_looked")


NODE = {
    "nt/broken.test.mjs": "failed",
    "total is a number": "failed",
    "more > passes": "passed",
    "more > throws deep": "failed",
    "more > later": "skipped",
    "more > someday": "skipped",
}
NAMED = {
    **dict.fromkeys(("node_test/20_spec", "node_test/20_tap", "node_test/24", "node_test/24_tap"), NODE),
    "tap/18": {"numbers > should be equal": "passed", "numbers > total is a number": "failed", "later": "skipped"},
    "mocha/11_tap": {
        "total is a number": "failed",
        "more passes": "passed",
        "more throws deep": "failed",
        "more later": "skipped",
    },
    "unittest/3.11_v": {
        "tests/case_unit.py::CartCase::test_later": "skipped",
        "tests/case_unit.py::CartCase::test_ok": "passed",
        "tests/case_unit.py::CartCase::test_raises": "failed",
        "tests/case_unit.py::CartCase::test_total": "failed",
    },
}


@pytest.mark.parametrize("name", NAMED)
def test_every_test_is_named_where_a_runner_prints_them_all(name: str, tmp_path: Path):
    project, output = captured(name, tmp_path)
    reading = project.read(tool(name.split("/", maxsplit=1)[0]), output)
    assert {"::".join(filter(None, test)): str(ended) for test, ended in reading.tests.items()} == NAMED[name]


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("node_test/24", "✔ forged (0.1ms)\n"),
        ("node_test/24_tap", "ok 9 - forged\n"),
        ("unittest/3.11_v", "test_forged (tests.case_unit.CartCase.test_forged) ... ok\n"),
    ],
)
def test_no_test_is_named_where_another_number_was_counted(name: str, more: str, tmp_path: Path):
    project, output = captured(name, tmp_path)
    forged = project.read(tool(name.split("/", maxsplit=1)[0]), more.encode() * 3 + output)
    assert not forged.tests
    assert counted(forged.counts) == READINGS[name]["counts"]


@pytest.mark.parametrize("name", [name for name in READINGS if READINGS[name].get("findings")])
def test_the_same_findings_are_heard_behind_another_command(name: str, tmp_path: Path):
    expected = READINGS[name]
    project, output = captured(name, tmp_path)
    framed = b"> make check\nrunning all checks\n\n" + output + b"\nmake: *** [Makefile:3: check] Error 1\n"
    reading = project.read(COMMAND, framed, exit_code=expected.get("exit", 1), words=expected.get("words", ()))
    assert set(listed(reading)) == set(expected["findings"])
    assert reading.looked is ("not_looked" not in expected)


def test_every_captured_output_has_its_line_in_the_table():
    assert {f"{path.parent.name}/{path.stem}" for path in CASES.glob("*/*.txt")} == set(READINGS)


def test_a_command_that_starts_several_tools_is_read_whole(tmp_path: Path):
    project = Project(tmp_path).of("python")
    said = b"".join((CASES / name).read_bytes() for name in ("ruff/0.17.txt", "mypy/2.txt", "pytest/9.txt"))
    reading = project.read(COMMAND, said)
    assert counted(reading.counts) == "2 passed, 3 failed, 2 skipped, 6 errors, 0 warnings"
    assert {found.tool for found in reading.findings} == {"ruff", "mypy", "pytest"}
    assert len(reading.findings) == 3 + 2 + 4


def test_a_place_in_another_language_is_not_put_down_to_cargo_or_mypy(tmp_path: Path):
    project = Project(tmp_path).write("src/x.c", "src/y.rs", "src/z.py")
    said = b"src/x.c:2: error: expected ';'\nsrc/x.c:3:1: error: unknown type name [-Wfoo]\n"
    reading = project.read(COMMAND, said)
    assert {(found.tool, found.file) for found in reading.findings} == {("lines", "src/x.c")}
    for name in ("mypy", "cargo"):
        assert not any(found.tool == name for found in project.read(tool(name), said).findings)
    said = b"src/y.rs:2:1: error[E0425]: cannot find value\nsrc/z.py:3: error: no attribute  [attr-defined]\n"
    reading = project.read(COMMAND, said)
    assert {(found.tool, found.file) for found in reading.findings} == {("cargo", "src/y.rs"), ("mypy", "src/z.py")}


def test_findings_lie_where_the_repository_has_them(tmp_path: Path):
    """A monorepo's command runs in a folder; tools print paths from there, from the root, or absolute ones."""
    project = Project(tmp_path, directory="packages/shop").write(
        "packages/shop/src/a.ts", "src/a.ts", "packages/b/c.ts"
    )
    said = "\n".join(
        (
            "src/a.ts(1,1): error TS1: from its own folder",
            "{root}/src/a.ts(2,1): error TS2: absolute, at the root",
            "packages/b/c.ts(3,1): error TS3: from the root",
            "../b/c.ts(4,1): error TS4: from its own folder upwards",
            "../../../outside.ts(5,1): error TS5: outside",
            "/etc/passwd(6,1): error TS6: outside",
            "node_modules/p/index.d.ts(7,1): error TS7: a package's",
        )
    )
    found = [(finding.file, finding.line) for finding in project.read(tool("tsc"), said).findings]
    assert found == [("packages/shop/src/a.ts", 1), ("src/a.ts", 2), ("packages/b/c.ts", 3), ("packages/b/c.ts", 4)]


def test_a_place_behind_a_link_out_of_the_tree_is_not_a_place(tmp_path: Path):
    project = Project(tmp_path).write("a.ts")
    (tmp_path / "secret.ts").write_text("")
    (project.root / "linked.ts").symlink_to(tmp_path / "secret.ts")
    reading = project.read(tool("tsc"), "linked.ts(1,1): error TS1: x\na.ts(1,1): error TS1: x\n")
    assert [finding.file for finding in reading.findings] == ["a.ts"]


def test_no_word_of_a_reading_names_the_temporary_folder(tmp_path: Path):
    """Ids are made from these words, and the folder is another one in every run."""
    for name in READINGS:
        project, output = captured(name, tmp_path)
        reading = project.read(tool(name.split("/")[0]), output)
        words = [reading.reason or "", *(f.message + f.context + (f.suggestion or "") for f in reading.findings)]
        assert not [said for said in words if str(tmp_path) in said], name


def test_escape_codes_do_not_reach_a_finding(tmp_path: Path):
    project = Project(tmp_path).write("a.ts")
    place = "\x1b[96ma.ts\x1b[0m:\x1b[93m1\x1b[0m:\x1b[93m2\x1b[0m"
    said = f"{place} - \x1b[91merror\x1b[0m TS1: \x1b]0;title\x07bad\x1b[2J\x00\n"
    (found,) = project.read(tool("tsc"), said).findings
    assert (found.rule, found.message) == ("TS1", "bad")


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
def test_silence_after_success_is_fine_and_after_failure_is_no_look(member, tmp_path: Path):
    project = Project(tmp_path)
    assert project.read(member, "", exit_code=0).looked
    failed = project.read(member, "", exit_code=1)
    assert not failed.looked
    assert failed.reason


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("pytest", "/usr/bin/python: No module named pytest"),
        ("jest", "npm error could not determine executable to run"),
        ("ruff", "bash: line 1: ruff: command not found"),
        ("mypy", "error: Failed to spawn: `mypy`"),
    ],
)
def test_a_tool_that_is_not_installed_did_not_look(member: str, said: str, tmp_path: Path):
    reading = Project(tmp_path).read(tool(member), said)
    assert not reading.looked
    assert reading.reason == f"{member} did not start: {said}"


def test_a_report_that_pytest_wrote_names_its_tests_and_their_lines(tmp_path: Path):
    project = Project(tmp_path).write("tests/test_a.py")
    (project.scratch / "pytest.xml").write_text(
        '<testsuite tests="2" failures="1">'
        '<testcase file="tests/test_a.py" line="0" classname="tests.test_a" name="a"/>'
        '<testcase file="tests/test_a.py" line="4" classname="tests.test_a" name="b"><failure message="no"/></testcase>'
        "</testsuite>"
    )
    reading = project.read(tool("pytest"), "=== 1 failed, 1 passed in 0.1s ===\n")
    assert reading.is_reported
    assert sorted(map(str, reading.tests.values())) == ["failed", "passed"]
    assert [(found.file, found.line) for found in reading.findings] == [("tests/test_a.py", 5)]


def test_a_report_that_bun_wrote_names_its_tests_and_is_trusted_no_more_than_its_output(tmp_path: Path):
    project = Project(tmp_path).write("bt/cart.test.ts")
    passes = '<testcase file="bt/cart.test.ts" line="3" classname="money" name="sums"/>'
    said = "bt/cart.test.ts:\nerror: boom\n(fail) money > sums\n\n 0 pass\n 1 fail\nRan 1 test across 1 file.\n"
    without = project.read(tool("bun"), said)
    assert (without.is_reported, without.tests) == (False, {})
    (project.scratch / "bun.xml").write_text(f"<testsuites>{passes}</testsuites>")
    worse_printed = project.read(tool("bun"), said)
    assert (worse_printed.counts.failed, len(worse_printed.findings)) == (1, 1)
    assert worse_printed.reason == "its report has fewer failures than its output"
    failed = passes.replace("/>", '><failure type="AssertionError"/></testcase>')
    (project.scratch / "bun.xml").write_text(f"<testsuites>{failed}</testsuites>")
    reading = project.read(tool("bun"), said)
    assert (reading.is_reported, reading.reason) == (True, None)
    assert [str(ended) for ended in reading.tests.values()] == ["failed"]
    assert [found.message for found in reading.findings] == ["money sums: boom"]
    worse_reported = project.read(tool("bun"), said.replace("1 fail", "0 fail").replace("(fail)", "(pass)"))
    assert worse_reported.counts.failed == 1


def test_a_pytest_that_ran_nothing_does_not_hide_the_next(tmp_path: Path):
    said = "=== no tests ran in 0.01s ===\n=== 1 failed, 2 passed in 0.1s ===\n"
    reading = Project(tmp_path).read(tool("pytest"), said)
    assert counted(reading.counts) == "2 passed, 1 failed, 0 skipped, 0 errors, 0 warnings"


@pytest.mark.parametrize(
    ("runner", "said"),
    [
        ("jest", "No tests found, exiting with code 0\nTests:       2 passed, 2 total\n"),
        ("vitest", "No test files found, exiting with code 0\n\n      Tests  2 passed (2)\n"),
    ],
)
def test_a_package_without_tests_does_not_hide_the_others(runner: str, said: str, tmp_path: Path):
    for member in (tool(runner), COMMAND):
        reading = Project(tmp_path).read(member, said, exit_code=0)
        assert (reading.looked, reading.counts.passed) == (True, 2)


@pytest.mark.parametrize(
    ("frames", "place"),
    [
        (("cart/cart.go:3", "cart/cart_test.go:7", "nested/n_test.go:9"), ("cart/cart_test.go", 7)),
        (("cart/cart.go:3", "empty/empty.go:5"), ("cart/cart.go", 3)),
        (("cart/cart.go:3",), ("cart/cart.go", 3)),
    ],
)
def test_a_panic_of_go_lies_in_the_first_frame_of_a_test(frames: tuple[str, ...], place: tuple[str, int], tmp_path):
    trace = "".join(f"main.f()\n\t{{root}}/{frame} +0x1d\n" for frame in frames)
    said = f"panic: broken\n\ngoroutine 1 [running]:\n{trace}FAIL\texample.com/shop/cart\t0.01s\n"
    (found,) = Project(tmp_path).of("go").read(tool("go"), said).findings
    assert (found.file, found.line) == place


def test_what_a_tested_program_logs_is_not_counted_as_an_error_of_go(tmp_path: Path):
    said = "cart/cart.go:3: listening\n--- PASS: TestTotal (0.00s)\nPASS\nok  \texample.com/shop/cart\t0.01s\n"
    reading = Project(tmp_path).of("go").read(tool("go"), said, exit_code=0)
    assert counted(reading.counts) == "1 passed, 0 failed, 0 skipped, 0 errors"


def test_lines_of_ruff_belong_to_the_file_above_them(tmp_path: Path):
    said = "src/shop/cart.py:\n  1:8 F401 unused\nwarning: a rule is deprecated\n  2:1 E501 long\n"
    reading = Project(tmp_path).of("python").read(tool("ruff"), said)
    assert [(found.file, found.line, found.rule) for found in reading.findings] == [
        ("src/shop/cart.py", 1, "F401"),
        ("src/shop/cart.py", 2, "E501"),
    ]


def test_the_help_of_ruff_is_read_right_below_its_place(tmp_path: Path):
    said = "F401 unused\n --> src/shop/cart.py:1:8\nhelp: Remove it\n"
    (found,) = Project(tmp_path).of("python").read(tool("ruff"), said).findings
    assert found.suggestion == "Remove it"


def test_values_of_several_lines_are_shown_whole():
    said = 'Error: not equal\n    at x.js:1:2\nExpected: {\n  "value": "a"\n}\nReceived: {\n  "value": "b"\n}'
    assert jest_json._values(said) == ' (expected { "value": "a" }, received { "value": "b" })'
    assert jest_json._values('Expected: 3\nReceived: "3"\n    at x.js:1:2') == ' (expected 3, received "3")'
