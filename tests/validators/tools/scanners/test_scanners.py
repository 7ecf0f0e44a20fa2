"""The scanners on real changes: only what a change brings in, on an export, with each way to fail told apart."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from pathlib import Path

import pytest

from assay.validators.io import process
from assay.validators.report.model import Outcome, ToolKind
from assay.validators.tools.scanners import scanning, semgrep_rules, squawk, zizmor
from assay.validators.tools.scanners.export import write_export
from assay.validators.tools.tool import ScanResult
from tests.repositories import RealRepository
from tests.validators.tools.scanners.changes import ALL, changed, left_open, said, scanned

WORKFLOW = """\
on: issues
permissions: {}
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo "hello"
"""
INJECTED = WORKFLOW.replace('"hello"', '"${{ github.event.issue.title }}"')
SHELL = "import subprocess\n\n\ndef run(command):\n    return subprocess.run(command, shell=True)\n"


def test_each_scanner_looks_at_its_files_and_says_what_is_new(repository: RealRepository):
    result = scanned(
        repository,
        {"shop/cart.py": SHELL, ".github/workflows/greet.yml": WORKFLOW},
        {
            "shop/cart.py": "import os\n"
            + SHELL
            + "\n\ndef view(request, db):\n    return db.execute('SELECT ' + request.GET['sum'])\n",
            "shop/keys.py": "import os\n\nos.chmod('keys', 0o777)\n",
            "web/cart.ts": "export const show = (e: Element, t: string) => { e.innerHTML = t; };\n",
            ".github/workflows/greet.yml": INJECTED,
            "db/migrations/0002_drop.sql": "ALTER TABLE carts DROP COLUMN total;\n",
        },
    )
    assert sorted(said(result)) == [
        ".github/workflows/greet.yml:7 error template-injection",
        "db/migrations/0002_drop.sql:1 warning ban-drop-column",
        "shop/cart.py:10 error python-sql-from-request",
        "shop/keys.py:3 warning B103",
        "web/cart.ts:1 warning javascript-inner-html",
    ]
    assert [(run.name, run.outcome, run.gating) for run in result.runs] == [
        ("semgrep", Outcome.failed, True),
        ("bandit", Outcome.passed, False),
        ("zizmor", Outcome.failed, True),
        ("squawk", Outcome.passed, False),
    ]
    assert {run.kind for run in result.runs} == {ToolKind.sast}
    assert result.runs[0].counts.errors == 1
    assert result.runs[0].counts.warnings == 1
    assert result.not_checked == ()
    assert all(found.suggestion for found in result.findings if found.tool == "semgrep")


def test_a_change_that_holds_nothing_to_scan_has_no_row(repository: RealRepository):
    result = scanned(repository, {"logo.png": b"\0a\n"}, {"logo.png": b"\0b\n"})
    assert (result.runs, result.findings, left_open(result)) == ((), (), [("secrets logo.png", "not scanned")])


# ------------------------------------------------------------------ many small changes in one run of semgrep

MKTEMP = "import tempfile\nx = tempfile.mktemp()\n"
SECRET = "q7Gd82hLm1XzP0vT" + "9sKw"
TOKEN = "AK" + "IAQ7GD82HLM1XZP0VT"
KILL = "import os\n\n\ndef stop(name):\n    os.system('kill ' + name)\n"
LOAD = "def load(text):\n    return tempfile.mktemp(text)\n"
FROM_REQUEST = "def view(request, db):\n    return db.execute('SELECT ' + request.GET['a'])"
OWN_RULES = """\
rules:
  - id: shop.no-print
    languages: [python]
    severity: ERROR
    message: Use the log.
    pattern: print(...)
    paths:
      include: ["shop/**"]
      exclude: ["shop/cli.py"]
  - id: broken
    languages: [python]
    severity: ERROR
    message: Cannot be read.
    pattern: "def def ("
  - id: joined
    mode: join
    languages: [python]
    severity: ERROR
    message: Reads rules from elsewhere.
"""
BEFORE = {
    ".semgrep/own.yaml": OWN_RULES,
    ".semgrep/more/list.yml": "- a\n",
    "moved/a.py": SHELL,
    "moved/b.py": KILL,
    "moved/c.py": LOAD,
    "more/a.py": "x = tempfile.mktemp(text)\n",
    "tests/test_b.py": "",
}
AFTER = {
    "moved/a.py": '"""Now with words."""\n\nimport subprocess\n\n\nclass Runner:\n    def run(self, command):\n'
    "        return subprocess.run(command,   shell=True)\n",
    "moved/package/b.py": KILL,
    "moved/d.py": "x = 1\n\n\n" + LOAD,
    "more/a.py": "x = tempfile.mktemp(text)\n\ny = 1\n\nx = tempfile.mktemp(text)\n",
    "together/a.py": "import ssl\n\n\ndef trust(context):\n    context.check_hostname = False\n"
    "    context.verify_mode = ssl.CERT_NONE\n",
    "declined/a.py": (
        "x = tempfile.mktemp(text)  # noqa: S306\n# nosec\ny = tempfile.mktemp(text)\n\n\n"
        f"{FROM_REQUEST}  # noqa: S608\n"
    ),
    "tests/test_a.py": f"token = '{TOKEN}'\n\n\n{FROM_REQUEST}\n",
    "secret/a.py": f'API_KEY = "{SECRET}"\n',
    "shop/a.py": "print(1)\n",
    "shop/cli.py": "print(1)\n",
    "shop/tests/test_a.py": "print(1)\n",
    "tools/a.py": "print(1)\n",
    ".semgrep/new.yaml": OWN_RULES.replace("print(...)", "tempfile.mktemp(...)").replace("shop", "new"),
}


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory) -> ScanResult:
    """What semgrep makes of all of it: its start alone takes seconds."""
    repository = RealRepository(tmp_path_factory.mktemp("at-once") / "repository")
    return scanned(repository, BEFORE, AFTER, only=("semgrep",), gone=("moved/b.py", "moved/c.py"))


def below(result: ScanResult, folder: str) -> list[str]:
    return [line.removeprefix(folder) for line in said(result) if line.startswith(folder)]


def test_code_that_moved_within_a_file_to_another_file_or_with_its_file_is_not_new(at_once: ScanResult):
    assert below(at_once, "moved/") == []


def test_one_more_of_what_was_there_is_new(at_once: ScanResult):
    assert len(below(at_once, "more/")) == 1


def test_one_rule_speaks_once_of_lines_that_belong_together(at_once: ScanResult):
    assert below(at_once, "together/") == ["a.py:5 warning python-tls-verification-off"]


def test_advice_the_change_declines_itself_is_given(at_once: ScanResult):
    assert below(at_once, "declined/") == [
        "a.py:1 warning python-mktemp",
        "a.py:3 warning python-mktemp",
        "a.py:7 error python-sql-from-request",
    ]


def test_what_stands_in_a_test_never_gates(at_once: ScanResult):
    assert below(at_once, "tests/") == [
        "test_a.py:1 warning hardcoded-token",
        "test_a.py:5 info python-sql-from-request",
    ]


def test_a_secret_is_repeated_nowhere(at_once: ScanResult):
    assert below(at_once, "secret/") == ["a.py:1 error hardcoded-secret"]
    assert SECRET not in repr(at_once)
    assert TOKEN not in repr(at_once)


def test_the_bases_rules_hold_where_they_say_in_tests_too(at_once: ScanResult):
    assert below(at_once, "shop/") == ["a.py:1 error shop.no-print", "tests/test_a.py:1 warning shop.no-print"]
    assert below(at_once, "tools/") == []


def test_a_rule_of_the_base_that_cannot_be_used_is_told(at_once: ScanResult):
    assert [(note.what, note.why.split(":")[0]) for note in at_once.not_checked if "switched off" not in note.why] == [
        ("semgrep rules in .semgrep/more/list.yml", semgrep_rules.NO_RULES),
        ("semgrep rules in .semgrep/own.yaml: joined", "mode join is not run"),
        ("semgrep rule broken in .semgrep/own.yaml", "rule parse error"),
    ]


def test_rules_the_change_itself_brings_are_not_obeyed(at_once: ScanResult):
    assert not [line for line in said(at_once) if "new.no-print" in line]


def test_a_rule_for_a_language_semgrep_does_not_know_takes_no_other_with_it(repository: RealRepository):
    rules = "rules:\n  - {id: a, languages: [klingon], severity: ERROR, message: m, pattern: x}\n"
    result = scanned(repository, {".semgrep.yml": rules}, {"a.py": MKTEMP}, only=("semgrep",))
    assert said(result) == ["a.py:2 warning python-mktemp"]
    assert ("semgrep rule a in .semgrep.yml", "rule parse error: invalid language klingon") in [
        (note.what, note.why) for note in result.not_checked
    ]


def test_an_edited_line_had_its_fault_before(repository: RealRepository):
    before = WORKFLOW.replace("run: echo", "uses: actions/checkout@v4\n      - run: echo").replace(
        "permissions: {}\n", ""
    )
    before = before.replace("checkout@v4", f"checkout@{'1a2b' * 10} # v4.2.0")
    after = before.replace("1a2b", "c3d4").replace("v4.2.0", "v5.0.1").replace('"hello"', '"hello, all"')
    name = ".github/workflows/greet.yml"
    assert said(scanned(repository, {name: before}, {name: after}, only=("zizmor",))) == []


# ------------------------------------------------------------------ settings of the base


def test_what_the_base_tells_bandit_to_skip_is_skipped(repository: RealRepository):
    settings = '[tool.bandit]\nskips = ["B103"]\n'
    code = "import os\n\nos.chmod('keys', 0o777)\n"
    result = scanned(repository, {"pyproject.toml": settings}, {"a.py": code}, only=("bandit",))
    assert said(result) == []


def test_bandit_says_more_where_semgrep_does_not_look(repository: RealRepository):
    assert said(scanned(repository, {}, {"a.py": MKTEMP}, only=("bandit",))) == ["a.py:2 warning B306"]


def test_characters_that_deceive_the_reader_gate(repository: RealRepository):
    result = scanned(repository, {}, {"a.py": "ok = 'user\u202e\u2066# no\u2069 \u2066'\n"}, only=("bandit",))
    assert said(result) == ["a.py:1 error B613"]


def test_zizmor_obeys_the_bases_settings_and_says_what_it_cannot_read(repository: RealRepository):
    result = scanned(
        repository,
        {".github/zizmor.yml": "rules:\n  template-injection:\n    ignore: [greet.yml]\n"},
        {".github/workflows/greet.yml": INJECTED, ".github/workflows/broken.yml": "on: [\n"},
        only=("zizmor",),
    )
    assert said(result) == []
    assert [(note.what, note.why) for note in result.not_checked if note.what.startswith(".")] == [
        (".github/workflows/broken.yml", zizmor.NOT_A_WORKFLOW)
    ]


def test_sql_that_is_not_postgresql_is_said_not_to_be_read(repository: RealRepository):
    mysql = "CREATE TABLE `a` (`id` int NOT NULL AUTO_INCREMENT) ENGINE=InnoDB;\n"
    result = scanned(
        repository,
        {},
        {
            "db/migrations/1.sql": mysql,
            "db/migrations/2.down.sql": "DROP TABLE a;\n",
            "queries/a.sql": "DROP TABLE a;\n",
        },
        only=("squawk",),
    )
    assert said(result) == []
    unread = [(note.what, note.why) for note in result.not_checked if "sql" in note.what]
    assert unread == [("db/migrations/1.sql", squawk.NOT_POSTGRESQL)]
    (run,) = [one for one in result.runs if one.name == "squawk"]
    assert (run.outcome, run.reason) == (Outcome.inert, scanning.NOTHING_READ)


# ------------------------------------------------------------------ what cannot be looked at


def rows(result) -> list[tuple[str, Outcome, bool]]:
    return [(run.name, run.outcome, run.gating) for run in result.runs]


def stand_in(folder: Path, body: str) -> str:
    """A program that stands in for semgrep."""
    path = folder / "semgrep"
    path.write_text(f"#!{sys.executable}\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_a_scanner_that_is_not_installed_is_said_with_how_to_get_it(
    repository: RealRepository, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ASSAY_SEMGREP", "/absent/semgrep")
    result = scanned(repository, {}, {"a.py": MKTEMP}, only=("semgrep", "bandit"))
    assert rows(result) == [("semgrep", Outcome.inert, False), ("bandit", Outcome.passed, False)]
    # bandit takes over what semgrep would have said.
    assert said(result) == ["a.py:2 warning B306"]
    assert [what for what, _ in left_open(result)] == ["semgrep", "secrets a.py", "dangers a.py"]
    assert all("make install-sast" in note.why for note in result.not_checked)


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("import time; time.sleep(60)", Outcome.timed_out),
        ("import os; os.kill(os.getpid(), 9)", Outcome.infra_failed),
        ("raise SystemExit(3)", Outcome.inert),
        ("print('not JSON')", Outcome.inert),
        ("print('[' * 100000)", Outcome.inert),
        ('print(\'{"results": [{"path": 3, "start": "x"}, 7], "errors": 1}\')', Outcome.passed),
    ],
)
def test_a_scanner_that_fails_never_fails_the_change(
    body: str, outcome: Outcome, repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ASSAY_SEMGREP", stand_in(tmp_path, body))
    result = scanned(repository, {}, {"a.py": MKTEMP}, only=("semgrep",), seconds=2)
    assert rows(result) == [("semgrep", outcome, False)]
    assert [what for what, why in left_open(result) if why.startswith("semgrep")] == (
        [] if outcome is Outcome.passed else ["semgrep", "secrets a.py", "dangers a.py"]
    )
    could_block = [] if outcome is Outcome.passed else [outcome in (Outcome.timed_out, Outcome.infra_failed)]
    assert [note.could_block for note in result.not_checked if note.what == "semgrep"] == could_block


def test_where_semgrep_refuses_it_is_asked_in_a_plainer_way(
    repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Not as `--experimental`, then not with the base's rules."""
    body = """
import json, sys
if "--experimental" in sys.argv:
    sys.exit("unknown option")
refused = any(word.endswith("base.yaml") for word in sys.argv)
print(json.dumps({"results": [], "errors": [{"type": "SemgrepError", "message": "no"}] if refused else []}))
"""
    monkeypatch.setenv("ASSAY_SEMGREP", stand_in(tmp_path, body))
    result = scanned(repository, {".semgrep/own.yaml": OWN_RULES}, {"a.py": "x = 1\n"}, only=("semgrep",))
    assert rows(result) == [("semgrep", Outcome.passed, False)]
    assert semgrep_rules.REPOSITORY_RULES in [note.what for note in result.not_checked]


def test_with_no_time_left_nothing_is_started(repository: RealRepository):
    result = scanned(repository, {}, {"a.py": MKTEMP}, only=("semgrep",), seconds=0)
    assert rows(result) == [("semgrep", Outcome.skipped, False)]
    assert result.runs[0].reason == scanning.NO_TIME


# ------------------------------------------------------------------ the export


def test_the_export_holds_regular_files_under_names_of_our_own(repository: RealRepository, tmp_path: Path):
    repository.link("linked.py", "/etc/passwd")
    after: dict[str, str | bytes] = {
        ".semgrepignore": "*\n",
        ".bandit": "[bandit]\nskips: B103\n",
        "-rf.py": "x = 1\n",
        os.fsdecode(b"bad\xff\nname.py"): "x = 1\n",
        "big.py": "x = 1\n" * 300_000,
        "data.bin": b"\0\1\2",
        ".github/workflows/ci.yml": WORKFLOW,
        "deep/action.yml": "runs: {using: composite, steps: []}\n",
        "no-suffix": "x\n",
        "odd.p$y": "x\n",
    }
    (tmp_path / "export").mkdir()
    with changed(repository, {}, after) as change:
        export = write_export(change, change.files, tmp_path / "export")
    written = sorted(str(path.relative_to(tmp_path / "export")) for path in (tmp_path / "export").rglob("*.*"))
    shapes = sorted(re.sub(r"\d{6}", "N", name) for name in written if "/.github" not in name)
    assert shapes == ["head/N.py"] * 2 + ["head/N.txt"] * 4 + ["head/N/action.yml"]
    assert [name[11:] for name in written if name.endswith("ci.yml")] == ["/.github/workflows/ci.yml"]
    assert {exported.path for exported in export.by_name.values()} == set(after) - {"data.bin", "big.py"}
    assert [note.what for note in export.not_checked()] == ["big.py"]
    for name in ("../../etc/passwd", "/etc/passwd", "head/999999.py", "", 7, None):
        assert export.at(name) is None


def test_names_come_back_as_they_were_and_none_can_switch_a_scanner_off(repository: RealRepository):
    names = ["-x.py", "a b.py", "new\nline.py", 'quo"te.py', os.fsdecode(b"bad\xff.py"), ".semgrepignore.py"]
    obeyed = {
        ".semgrepignore": "*\n",
        ".gitignore": "*\n",
        ".bandit": "[bandit]\nskips: B103\n",
        "pyproject.toml": '[tool.bandit]\nskips = ["B103"]\n',
        "chmod.py": "import os\n\nos.chmod('keys', 0o777)\n",
    }
    after = {**obeyed, **dict.fromkeys(names, "x = tempfile.mktemp(text)\n")}
    result = scanned(repository, {}, after, only=("semgrep", "bandit"))
    assert sorted(found.file for found in result.findings) == sorted((*names, "chmod.py"))


def test_scanners_get_nothing_of_our_own_environment(
    repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    seen = tmp_path / "seen"
    body = f"import json, os\nopen({str(seen)!r}, 'w').write(json.dumps(dict(os.environ)))\nprint('{{}}')"
    monkeypatch.setenv("ASSAY_SEMGREP", stand_in(tmp_path, body))
    scanned(repository, {}, {"a.py": "x = tempfile.mktemp(y)\n"}, only=("semgrep",))
    assert "secret" not in seen.read_text()
    home = json.loads(seen.read_text())["HOME"]
    assert home != process.clean_environment()["HOME"]
    assert not Path(home).exists()


def test_every_scanner_has_its_key_in_the_configuration():
    assert {"semgrep", "bandit", "zizmor", "squawk"} == ALL
