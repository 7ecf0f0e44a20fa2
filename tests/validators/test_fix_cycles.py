"""Fix cycles with real commands as fixers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.validators.report.model import Counts, Gate, Outcome, ToolKind, ToolRun, ToolsResult
from assay.validators.run.fix_cycles import SAME_FAILURES, Fixed, Handover, fix_cycles, tool_failures


class Broken:
    """A tier that fails for each line of the file `broken` in a folder."""

    def __init__(self, root: Path, *lines: str) -> None:
        self.file = root / "broken"
        self.file.write_text("".join(f"{line}\n" for line in lines))
        self.num_runs = 0

    def run(self) -> list[str]:
        self.num_runs += 1
        return self.file.read_text().split()

    def fix(self, command: str, most: int = 2) -> Fixed[list[str]]:
        return fix_cycles(self.run(), self.run, told, command, root=self.file.parent, most=most)


def told(result: list[str]) -> Handover:
    return Handover(frozenset(result), f"# Fix {len(result)}\n", [{"id": name} for name in result])


def test_a_fixer_that_fixes_ends_the_cycles(tmp_path: Path):
    tier = Broken(tmp_path, "a", "b")
    fixed = tier.fix("rm broken && touch broken")
    assert (fixed.result, fixed.num_cycles, fixed.notes) == ([], 1, ())
    assert tier.num_runs == 2


def test_nothing_is_handed_over_where_nothing_fails(tmp_path: Path):
    tier = Broken(tmp_path)
    fixed = tier.fix("touch was-called")
    assert (fixed.num_cycles, (tmp_path / "was-called").exists()) == (0, False)


def test_half_a_fix_gets_a_second_cycle_and_no_third(tmp_path: Path):
    fixed = Broken(tmp_path, "a", "b", "c").fix("sed -i 1d broken")
    assert (fixed.result, fixed.num_cycles) == (["c"], 2)
    assert [note.what for note in fixed.notes] == ["fix cycles"]


def test_the_same_failures_coming_back_end_the_cycles_early(tmp_path: Path):
    tier = Broken(tmp_path, "a")
    fixed = tier.fix("true", most=5)
    assert (fixed.num_cycles, tier.num_runs) == (1, 2)
    assert SAME_FAILURES in fixed.notes[0].why


def test_one_more_failure_than_before_gets_another_cycle(tmp_path: Path):
    fixed = Broken(tmp_path, "a").fix("echo b$ASSAY_FIX_CYCLE >> broken")
    assert (fixed.result, fixed.num_cycles) == (["a", "b1", "b2"], 2)
    assert [note.what for note in fixed.notes] == ["fix cycles"]


def test_no_cycle_is_run_where_none_is_allowed(tmp_path: Path):
    fixed = Broken(tmp_path, "a").fix("touch was-called", most=0)
    assert (fixed.num_cycles, fixed.notes, (tmp_path / "was-called").exists()) == (0, (), False)


def test_a_fixer_is_told_by_files_by_input_and_by_its_place(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("MY_AGENT_KEY", "secret of the user's own")
    Broken(tmp_path, "a").fix(
        'cat > got; cp "$ASSAY_FINDINGS_JSON" json; cp "$ASSAY_FINDINGS_MD" md; '
        'echo $ASSAY_FIX_CYCLE "$MY_AGENT_KEY" > env'
    )
    assert (tmp_path / "got").read_text() == (tmp_path / "md").read_text() == "# Fix 1\n"
    assert json.loads((tmp_path / "json").read_text()) == {"findings": [{"id": "a"}]}
    assert (tmp_path / "env").read_text() == "1 secret of the user's own\n"


def test_a_failing_fixer_is_reported_and_what_it_did_is_looked_at(tmp_path: Path):
    fixed = Broken(tmp_path, "a").fix("> broken; echo ERROR: out of tokens; exit 3")
    assert (fixed.result, fixed.num_cycles) == ([], 1)
    assert fixed.notes[0].why == "the fixer ended with exit code 3: ERROR: out of tokens"


def test_a_hanging_fixer_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.validators.run.fix_cycles.FIXER_TIMEOUT_S", 0.5)
    fixed = Broken(tmp_path, "a").fix("sleep 600")
    assert "was stopped" in fixed.notes[0].why


def test_a_fixer_that_is_not_there_is_reported_and_uses_no_cycle(tmp_path: Path):
    for command in ("no-such-agent --go", "no-such-agent | cat"):
        tier = Broken(tmp_path, "a")
        fixed = tier.fix(command)
        assert (fixed.result, fixed.num_cycles, tier.num_runs) == (["a"], 0, 1)
        assert "no-such-agent" in fixed.notes[0].why


def run(*excerpt: str, gating: bool = True, failed: int = 1) -> ToolsResult:
    made = ToolRun(
        "pytest",
        ToolKind.test,
        "pytest",
        "x",
        Outcome.failed,
        Gate.strict,
        1.0,
        gating=gating,
        counts=Counts(1, failed),
        excerpt=excerpt,
    )
    return ToolsResult((made,))


def test_the_same_failure_has_the_same_name_whenever_it_ran():
    first = run("FAILED test_a in 1.23s", "object at 0x7f3a", "/tmp/assay-tools-1/x")
    again = run("object at 0x99aa", "/tmp/assay-tools-2/y", "FAILED test_a in 4.5s")
    assert tool_failures(first) == tool_failures(again)
    assert tool_failures(first) != tool_failures(run("FAILED test_b in 1.23s"))
    assert tool_failures(first) != tool_failures(run("FAILED test_a in 1.23s", failed=2))


def test_what_does_not_count_is_no_failure():
    assert tool_failures(run("FAILED", gating=False)) == frozenset()
