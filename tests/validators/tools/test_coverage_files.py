"""Coverage reports of every format: the same lines from each, found again in the repository."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.validators.errors import UnreadableCoverage, UsageError
from assay.validators.tools.commands.python_statements import statement_lines
from assay.validators.tools.coverage.files import find_coverage, read_coverage
from assay.validators.tools.coverage.formats import COVERAGE_FORMATS
from tests.conftest import ROOT
from tests.examples import num_examples

CASES = ROOT / "tests" / "cases" / "coverage"
CART_JS = {"src/cart.js": {1: True, 3: True, 4: True, 5: True, 6: True, 8: True, 10: True}}
CART_PY = {"src/shop/cart.py": {1: True, 4: True, 5: True, 6: True, 7: True, 8: True, 11: True, 12: False}}
CART_GO = {"cart/cart.go": {5: True, 6: True, 7: True, 8: True, 9: True, 10: True, 11: False, 13: True}}
CART_JAVA = {"app/src/main/java/com/example/shop/Cart.java": {5: True, 6: True, 8: False}}


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ("jest_istanbul.json", CART_JS),
        ("jest_lcov.info", CART_JS),
        ("jest_cobertura.xml", CART_JS),
        ("coverage_py.json", CART_PY),
        ("coverage_py.xml", CART_PY),
        ("coverage_py.lcov", CART_PY),
        ("go.out", CART_GO),
        ("jacoco.xml", CART_JAVA),
    ],
)
def test_each_format_says_the_same(report: str, expected: dict[str, dict[int, bool]]):
    """The reports were written on another machine, in /builds/team/shop."""
    tree = [*CART_JS, *CART_PY, *CART_GO, *CART_JAVA, "setup.py", "README.md"]
    assert read_coverage(CASES / report, tree) == expected


def test_every_format_has_a_captured_report():
    heads = [path.read_bytes()[:16000] for path in CASES.iterdir()]
    unread = [reader.name for reader in COVERAGE_FORMATS if not any(reader.begins.search(head) for head in heads)]
    assert unread == ["coverage_py_data"]  # made anew below


def test_clover_is_not_taken_for_cobertura(tmp_path: Path):
    report = tmp_path / "clover.xml"
    report.write_text(
        '<coverage generated="1" clover="3.2.0"><project><file path="/ci/src/cart.js"/></project></coverage>'
    )
    with pytest.raises(UnreadableCoverage, match="unsupported coverage format"):
        read_coverage(report, [*CART_JS])


def lcov(*paths: str) -> str:
    return "".join(f"TN:\nSF:{path}\nDA:1,1\nDA:2,0\nend_of_record\n" for path in paths)


@pytest.mark.parametrize(
    ("reported", "tree", "expected"),
    [
        (["src/a.py"], ["src/a.py"], ["src/a.py"]),
        (["./src/a.py"], ["src/a.py"], ["src/a.py"]),
        (["a.py"], ["src/a.py"], ["src/a.py"]),
        (["a.py"], ["src/a.py", "lib/a.py"], None),
        (["pkg/a.py"], ["one/pkg/a.py", "two/pkg/b.py"], ["one/pkg/a.py"]),
        (["pkg/a.py"], ["one/pkg/a.py", "two/pkg/a.py"], None),
        (["/ci/shop/src/a.py"], ["src/a.py", "x/a.py"], ["src/a.py"]),
        (["/app/src/a.py"], ["backend/src/a.py", "backend/a.py"], ["backend/src/a.py"]),
        (["C:\\build\\shop\\src\\a.cs"], ["src/a.cs"], ["src/a.cs"]),
        (["file:///ci/src/a.ts"], ["src/a.ts"], ["src/a.ts"]),
        (["/usr/lib/python3/site-packages/p/a.py"], ["p/a.py"], None),
        (["/ci/shop/node_modules/x/src/a.js"], ["src/a.js"], None),
        # A file at the root is found by its neighbours, never by its bare name.
        (["/usr/lib/python3/other/setup.py", "/ci/shop/src/a.py"], ["setup.py", "src/a.py"], ["src/a.py"]),
        (["/ci/shop/setup.py", "/ci/shop/src/a.py"], ["setup.py", "src/a.py"], ["setup.py", "src/a.py"]),
        (["/ci/shop/a.py", "/ci/shop/b.py"], ["a.py", "b.py"], ["a.py", "b.py"]),
        (["src/\udcff.py"], ["src/\udcff.py"], ["src/\udcff.py"]),
    ],
)
def test_paths_are_found_again_by_their_longest_ending(
    reported: list[str], tree: list[str], expected: list[str] | None, tmp_path: Path
):
    report = tmp_path / "lcov.info"
    report.write_bytes(lcov(*reported).encode("utf-8", "surrogateescape"))
    if expected is None:
        with pytest.raises(UnreadableCoverage, match=r"coverage\.unreadable: .*of the 1 files"):
            read_coverage(report, tree)
    else:
        assert sorted(read_coverage(report, tree)) == expected


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"hello", "unsupported coverage format"),
        (b"", "unsupported coverage format"),
        (b"<coverage><packages>", "not readable as XML"),
        (b'{"executed_lines": ', "Expecting value"),
        (b"SQLite format 3\0" + b"x" * 100, "not a data file of coverage.py"),
        (b"mode: set\na.go:1.1,99999999.1 1 1\n", "a block without end"),
    ],
)
def test_a_file_that_is_no_report_is_named_in_one_line(content: bytes, why: str, tmp_path: Path):
    report = tmp_path / "given.report"
    report.write_bytes(content)
    with pytest.raises(UnreadableCoverage) as caught:
        read_coverage(report, ["a.go"])
    assert isinstance(caught.value, UsageError)
    assert str(caught.value).startswith(f"coverage.unreadable: coverage file {report}: ")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_entities_in_a_report_are_refused():
    bomb = (
        b'<!DOCTYPE coverage [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><coverage><packages>&b;</packages></coverage>'
    )
    for reader in COVERAGE_FORMATS:
        if reader.name in ("cobertura", "jacoco"):
            with pytest.raises(ValueError, match="EntitiesForbidden"):
                list(reader.read(bomb))


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(UnreadableCoverage, match=r"coverage\.unreadable"):
        read_coverage(tmp_path / "absent.xml", [])


# ------------------------------------------------------------------ what a run leaves


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name in ("src/a.py", "src/b.py", "packages/one/src/c.ts"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    return root


def leave(root: Path, name: str, content: str, *, age_s: float = 0) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    when = time.time() - age_s
    os.utime(path, (when, when))


def test_reports_of_several_packages_are_one(tree: Path):
    started_at = time.time() - 5
    leave(tree, "lcov.info", lcov("src/a.py", "src/b.py"))
    leave(tree, "packages/one/coverage/lcov.info", lcov("src/c.ts"))
    leave(tree, "unit/lcov.info", "TN:\nSF:src/a.py\nDA:2,3\nend_of_record\n")
    lines, source, notes = find_coverage(tree, started_at)
    assert lines == {
        "src/a.py": {1: True, 2: True},
        "src/b.py": {1: True, 2: False},
        "packages/one/src/c.ts": {1: True, 2: False},
    }
    assert source == "lcov.info, packages/one/coverage/lcov.info, unit/lcov.info"
    assert notes == []


def test_a_report_that_was_there_before_is_not_this_runs(tree: Path):
    leave(tree, "lcov.info", lcov("src/a.py"), age_s=100)
    assert find_coverage(tree, time.time() - 50) == (None, None, [])


def test_what_cannot_be_used_is_said_unless_it_only_looks_like_a_report(tree: Path):
    leave(tree, "coverage.txt", "ok  example.com/shop 80%\n")
    leave(tree, "coverage.xml", "<coverage><broken")
    leave(tree, "lcov.info", lcov("elsewhere/x.c"))
    lines, source, notes = find_coverage(tree, time.time() - 50)
    assert (lines, source) == (None, None)
    assert [note.what for note in notes] == ["coverage file coverage.xml", "coverage file lcov.info"]


def test_a_data_file_of_a_process_that_measured_nothing_is_ignored(tree: Path):
    leave(tree, "coverage.json", '{"meta": {"format": 3}, "files": {}}')
    assert find_coverage(tree, time.time() - 50) == (None, None, [])


def test_a_link_is_not_followed(tree: Path, tmp_path: Path):
    (tmp_path / "outside.info").write_text(lcov("src/a.py"))
    (tree / "lcov.info").symlink_to(tmp_path / "outside.info")
    assert find_coverage(tree, 0)[0] is None


# ------------------------------------------------------------------ coverage.py's own data

MEASURED = '''\
"""A module."""
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    import contextlib
import os


class Shop:
    """A shop."""

    name = (
        "the"
        " shop"
    )

    @property
    def open(self):
        """Whether it is open."""
        match self.name:
            case "closed":
                return False
            case _:
                return True


def debug():  # pragma: no cover
    print("never")


def total(prices):
    if not prices:
        return 0
    for price in prices:
        try:
            yield price
        except (
            ValueError,
            TypeError,
        ):
            pass
    else:
        return 1


def stub(): ...


print(Shop().open, list(total([1])))
'''


@pytest.mark.parametrize("mode", [[], ["--branch"]])
def test_the_data_file_alone_says_what_a_report_would(mode: list[str], tmp_path: Path):
    (tmp_path / "shop.py").write_text(MEASURED)
    environment = {"PATH": os.environ["PATH"], "COVERAGE_FILE": str(tmp_path / ".coverage")}

    def coverage(*arguments: str) -> None:
        command = [sys.executable, "-P", "-m", "coverage", *arguments]
        subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)

    coverage("run", "--rcfile=/dev/null", *mode, "--source=.", "shop.py")
    lines, source, _ = find_coverage(tmp_path, 0)
    assert source == ".coverage"
    coverage("json", "--rcfile=/dev/null")
    report, source, _ = find_coverage(tmp_path, 0)
    assert source == "coverage.json"  # a report is better than what it was made from
    assert lines == report
    assert report is not None
    assert report["shop.py"][21]
    assert not report["shop.py"][22]


def test_the_data_file_given_by_hand_is_refused(tmp_path: Path):
    (tmp_path / "shop.py").write_text("print(1)\n")
    command = [sys.executable, "-P", "-m", "coverage", "run", "--rcfile=/dev/null", "shop.py"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    with pytest.raises(UnreadableCoverage, match="coverage json"):
        read_coverage(tmp_path / ".coverage", ["shop.py"])


def test_source_that_is_no_python_has_no_statements():
    assert statement_lines(b"def f(:\n") is None
    assert statement_lines(b"(" * 5000) is None
    assert statement_lines(b"\0") is None


@settings(
    max_examples=num_examples(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_no_mangled_report_does_anything_but_say_so(data: st.DataObject, tmp_path: Path):
    content = bytearray(data.draw(st.sampled_from(sorted(CASES.iterdir()))).read_bytes()[:20_000])
    for position in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=20)):
        content[position] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(content)))
    report = tmp_path / "report"
    report.write_bytes(bytes(content[:end]))
    with contextlib.suppress(UnreadableCoverage):
        lines = read_coverage(report, [*CART_JS, *CART_PY, *CART_GO, *CART_JAVA])
        assert all(line > 0 for found in lines.values() for line in found)
