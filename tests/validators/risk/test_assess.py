"""The tier as a whole: which level counts, what is said where something could not be looked at, what stays bounded."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import pytest

from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import GitFailed
from assay.validators.graph.kept_facts import KeptFacts
from assay.validators.graph.scan_cache import Key
from assay.validators.languages.language import Scan
from assay.validators.progress import Deadline
from assay.validators.report.model import (
    Evidence,
    Finding,
    Likelihood,
    RiskLevel,
    Severity,
    Statement,
    Tier,
    ToolsResult,
)
from assay.validators.report.risk_facts import Dependent
from assay.validators.report.statements import MOST_EVIDENCE
from assay.validators.report.unknown import USES
from assay.validators.risk.assess import MOST_DEPENDENTS, assess_risk
from assay.validators.risk.dependents import DependentsSignal
from assay.validators.risk.signal import Measure, RiskContext
from tests.validators.risk.changes import OF_THE_CHANGE, Changes, assess, many, said_of


class Says:
    """A signal that yields what it is given, or raises it."""

    answers = None
    covers = ALL_LANGUAGES

    def __init__(self, *measures: Measure | Exception, name: str = "says") -> None:
        self.name = name
        self._measures = measures

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        for measure in self._measures:
            if isinstance(measure, Exception):
                raise measure
            yield measure


class Hears:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def began(self, tier, what) -> None:
        self.heard.append(f"{tier} {what}")

    def ended(self, tier, what, how) -> None:
        self.heard.append(f"{tier} {what}: {how}")


KINDS = {"low": "remark", "medium": "requirement_raised", "high": "source_moved", "critical": "guard_removed"}


def of(level: str, text: str = "it is", **more) -> Statement:
    return Statement(KINDS[level], text, **more)


@pytest.fixture(scope="module")
def change(changes: Changes):
    return changes.of({"a.py": "x = 1\n"}, {"a.py": "x = 2\n"})


def test_the_gravest_statement_sets_the_level_and_stands_first(change):
    signals = [Says(of("low"), of("high")), Says(of("medium"), name="other")]
    assessment = assess_risk(change, ValidationConfig(), signals=signals)
    assert assessment.level is RiskLevel.high
    assert [(one.signal, one.level) for one in assessment.statements] == [
        ("says", RiskLevel.high),
        ("other", RiskLevel.medium),
        ("says", None),
    ]


@pytest.mark.parametrize(
    ("likely", "floor", "level", "set_by"),
    [
        ("low", None, "low", ()),
        ("medium", None, "medium", ("likelihood",)),
        ("medium", "medium", "medium", ("likelihood", "policy")),
        ("high", "critical", "critical", ("policy",)),
        ("critical", "high", "critical", ("likelihood",)),
        (None, "high", "high", ("policy",)),
        (None, "low", "low", ()),
    ],
)
def test_the_level_is_the_higher_of_likelihood_and_policy_floor(change, likely, floor, level, set_by):
    likelihood = [Likelihood(RiskLevel(likely), 50.0, "model", 500)] if likely else []
    fact = Statement("used", "4 files use it")
    floors = [of(floor)] if floor else []
    risk = assess_risk(change, ValidationConfig(), signals=[Says(fact, *floors, *likelihood)])
    assert (risk.level, risk.set_by, risk.floor) == (level, set_by, floor or "low")
    assert risk.statements[-1].level is None
    assert (risk.likelihood is None) is (likely is None)


def test_without_statements_the_level_is_low(change):
    assert assess_risk(change, ValidationConfig(), signals=[]).level is RiskLevel.low


def test_a_signal_that_fails_costs_nobody_else_their_answer(change):
    signals = [Says(of(RiskLevel.low), RecursionError("too deep\nindeed")), Says(of(RiskLevel.medium), name="other")]
    assessment = assess_risk(change, ValidationConfig(), signals=signals)
    assert assessment.level is RiskLevel.medium
    assert [(note.what, note.why) for note in assessment.not_checked] == [
        ("risk signal says", "it failed: RecursionError: too deep indeed"),
    ]


def test_a_repository_that_cannot_be_read_is_nobodys_finding(change):
    with pytest.raises(GitFailed):
        assess_risk(change, ValidationConfig(), signals=[Says(GitFailed(["ls-tree"], 1, "broken"))])


def test_a_signal_that_is_switched_off_is_named(change):
    config = ValidationConfig.model_validate({"tier3": {"signals": {"says": False}}})
    assessment = assess_risk(change, config, signals=[Says(of(RiskLevel.critical))])
    assert assessment.level is RiskLevel.low
    assert ["tier3.signals.says" in note.why for note in assessment.not_checked] == [True]


def test_when_time_is_up_the_rest_is_named_and_what_is_known_is_kept(change, monkeypatch):
    from assay.validators.risk import assess as module

    class Over(Deadline):
        @property
        def passed(self) -> bool:
            return over

    over = False

    class Slow(Says):
        def measure(self, context: RiskContext) -> Iterator[Measure]:
            nonlocal over
            over = True
            yield of(RiskLevel.medium)

    monkeypatch.setattr(module, "Deadline", Over)
    assessment = assess_risk(change, ValidationConfig(), signals=[Slow(), Says(of(RiskLevel.high), name="late")])
    assert assessment.timed_out
    assert assessment.level is RiskLevel.medium
    assert [(note.what, note.why) for note in assessment.not_checked] == [
        ("risk signal late", "the tier ran out of time (120 s)"),
    ]


def test_a_graph_that_takes_too_long_is_said_and_what_was_read_helps_the_next_attempt(
    changes: Changes, monkeypatch: pytest.MonkeyPatch
):
    from assay.validators.risk import assess as module

    class RunsOut(Deadline):
        def left_s(self) -> float:
            return 1.0 if next(looks, False) else 0.0

    files = {f"p/m{n}.py": f"import p.m{n + 1}\n" for n in range(50)}
    change = changes.of(files, {"p/m7.py": "import p.m8\nx = 1\n"})
    store = Kept()
    monkeypatch.setattr(module, "Deadline", RunsOut)
    monkeypatch.setattr(module, "default_cache", lambda: store)
    looks = iter([True] * 80)
    assessment = assess_risk(change, ValidationConfig(), signals=[DependentsSignal(), Says(of("high"))])
    assert assessment.timed_out
    assert [(note.what, note.why) for note in assessment.not_checked] == [
        ("risk signal dependents", "graph: out of time (120 s for the tier)"),
        ("risk signal says", "the tier ran out of time (120 s)"),
        ("Python", "graph: out of time (120 s for the tier)"),
    ]
    num_read = len(store.kept)
    assert 0 < num_read < 50
    looks = iter([True] * 1000)
    again = assess_risk(change, ValidationConfig(), signals=[DependentsSignal()])
    assert not again.timed_out
    assert len(again.dependents) == 7
    assert store.num_lent == num_read


class Kept:
    """A store that keeps what it is given, and counts what it gives back."""

    def __init__(self) -> None:
        self.kept: dict[Key, Scan] = {}
        self.num_lent = 0

    def load(self, keys: Collection[Key]) -> dict[Key, Scan]:
        found = {key: self.kept[key] for key in keys if key in self.kept}
        self.num_lent += len(found)
        return found

    def save(self, scans: Mapping[Key, Scan]) -> None:
        self.kept.update(scans)

    def load_facts(self, keys: Collection[Key]) -> dict[Key, KeptFacts]:
        return {}

    def save_facts(self, facts: Mapping[Key, KeptFacts]) -> None:
        pass


def test_a_report_stays_readable_however_much_there_is_to_say(change):
    evidence = tuple(Evidence(str(number)) for number in range(100))
    dependents = [Dependent(f"{number}.py", 1 + number % 3) for number in range(MOST_DEPENDENTS + 7)]
    assessment = assess_risk(change, ValidationConfig(), signals=[Says(of("low", evidence=evidence), *dependents)])
    assert len(assessment.statements[0].evidence) == MOST_EVIDENCE + 1
    assert assessment.statements[0].evidence[-1].text == f"and {100 - MOST_EVIDENCE} more"
    assert len(assessment.dependents) == MOST_DEPENDENTS
    assert assessment.num_dependents_total == MOST_DEPENDENTS + 7
    assert [one.distance for one in assessment.dependents] == sorted(one.distance for one in assessment.dependents)


def test_of_very_many_changed_files_the_importers_are_listed_without_what_they_use(changes: Changes):
    before = {f"p/m{number}.py": "def run():\n    return 1\n" for number in range(301)}
    after = {path: text.replace("1", "2") for path, text in before.items()}
    found = assess(changes.of({**before, "user.py": "from p.m7 import run\nrun()\n"}, after), only="dependents")
    assert [(one.path, one.uses) for one in found.dependents] == [("user.py", ())]
    assert [(one.what, one.why) for one in found.not_checked if one.what == USES] == [
        (USES, "more than 300 files changed")
    ]


def test_progress_hears_of_every_signal(change):
    hears = Hears()
    assess_risk(
        change,
        ValidationConfig(),
        progress=hears,
        signals=[Says(of("high")), Says(name="quiet"), Says(ValueError(), name="broken")],
    )
    assert hears.heard == [
        "risk says",
        "risk says: source moved",
        "risk quiet",
        "risk quiet: nothing",
        "risk broken",
        "risk broken: failed",
    ]


def test_what_the_configuration_excludes_is_not_looked_at(changes: Changes):
    change = changes.of({}, {"generated/big.py": many("x = {n}", 600), "small.py": "y = 1\n"})
    assert assess(change).surface.num_files == 2
    config = ValidationConfig.model_validate({"exclude": ["generated/"]})
    assessment = assess_risk(change, config)
    assert assessment.surface.num_files == 1
    assert assessment.level is RiskLevel.low


def test_the_report_says_which_policy_is_in_force(change):
    assert assess(change).policy == "narrow"
    assert assess(change, {"policy": "seed"}).policy == "seed"


def test_an_empty_change_is_low_and_says_nothing(changes: Changes):
    assessment = assess(changes.of({"a.py": "x = 1\n"}, {}))
    assert assessment.level is RiskLevel.low
    assert assessment.statements == ()
    assert assessment.not_checked == ()


def test_every_signal_looks_at_a_change_of_everything(changes: Changes):
    """Each statement is one line, and one that sets a level says where it is and what to do."""
    change = changes.of(
        {
            "pyproject.toml": "[build-system]\nrequires = []\n[project]\nname = 'thing'\n",
            "thing/__init__.py": "def verify_token(a, b): ...\n",
            **{f"thing/user_{number}.py": "from thing import verify_token\nverify_token()\n" for number in range(6)},
            ".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: a, steps: [{run: pytest}]}}\n",
            "CODEOWNERS": "* @us\n",
            "Dockerfile": "FROM a:1\n",
            "thing/views.py": "@login_required\n@transaction.atomic\ndef show(): ...\n",
            "docs/old.md": "old\n",
            "README.md": "[old](docs/old.md)\n",
        },
        {
            "pyproject.toml": "[build-system]\nrequires = []\n[project]\nname = 'thing'\ndependencies = ['new']\n",
            "thing/__init__.py": "def verify_token(a): ...\n" + many("x_{n} = 1", 60),
            ".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: a, steps: [{run: echo}]}}\n",
            "CODEOWNERS": "",
            "Dockerfile": "FROM a:1\nRUN b\n",
            "thing/views.py": "def show(): ...\n",
            "docs/old.md": None,
            ".npmrc": "registry=https://npm.example.org/\n",
            "thing/pointer.py": "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 1\n",
            "migrations/1.sql": "DROP TABLE a;\n",
        },
    )
    leaked = Finding(Tier.tools, Severity.error, "hardcoded-token", "thing/keys.py", "a token", line=1, is_secret=True)
    tools = ToolsResult(
        findings=(leaked,),
        line_coverage={"thing/__init__.py": dict.fromkeys(range(1, 62), False)},
        coverage_source="x.xml",
    )
    assessment = assess_risk(change, ValidationConfig(), tools=tools)
    assert {one.signal for one in assessment.statements} == {signal.name for signal in OF_THE_CHANGE}
    for one in assessment.statements:
        assert "\n" not in one.text
        assert one.file or one.evidence, one
        assert one.advice or one.level is None, one
    assert assessment.coverage.source == "x.xml"


@pytest.mark.parametrize(
    ("num", "more"), [(MOST_EVIDENCE - 1, []), (MOST_EVIDENCE, []), (MOST_EVIDENCE + 1, ["and 1 more"])]
)
def test_evidence_is_cut_where_there_is_more_than_is_shown(change, num: int, more: list[str]):
    told = tuple(Evidence(f"place {number}") for number in range(num))
    (shown,) = assess_risk(change, ValidationConfig(), signals=[Says(of("low", evidence=told))]).statements
    assert [one.text for one in shown.evidence] == [one.text for one in told[:MOST_EVIDENCE]] + more


@pytest.mark.parametrize(
    ("policy", "num", "level"),
    [
        ("narrow", 2, "none"),
        ("narrow", 5, None),
        ("narrow", 21, None),
        ("seed", 1, RiskLevel.medium),
        ("seed", 19, RiskLevel.medium),
        ("seed", 20, RiskLevel.high),
    ],
)
def test_a_file_that_many_use_sets_a_level_by_the_specification_alone(changes: Changes, policy, num, level):
    users = {f"pkg/user{number}.py": "from pkg.tool import x\n" for number in range(num)}
    others = {f"pkg/other{number}.py": f"from pkg.one{number} import y\n" for number in range(40)}
    others |= {f"pkg/one{number}.py": f"y = {number}\n" for number in range(40)}
    base = {"pkg/__init__.py": "", "pkg/tool.py": "x = 1\n", **users, **others}
    config = ValidationConfig.model_validate({"tier3": {"policy": policy}})
    change = changes.of(base, {"pkg/tool.py": "x = 2\n"})
    found = said_of(assess_risk(change, config, signals=[DependentsSignal()]), "dependents")
    assert (found[0].level if found else "none") == level
    assert [len(one.evidence) for one in found] == ([num] if found else [])
