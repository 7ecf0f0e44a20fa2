"""Time, size and hostile sources: what the search for broken uses costs, and what it says where it gives up."""

from __future__ import annotations

from assay.validators.configuration.model import ValidationConfig
from assay.validators.graph.import_graph import Graphs
from assay.validators.progress import Deadline
from assay.validators.quality.contracts import search
from assay.validators.quality.contracts.contracts import MOST_USES, Contracts
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding
from assay.validators.report.unknown import NotChecked
from tests.validators.quality.conftest import Judge, judge  # noqa: F401 - a fixture

BASE = {"pay.py": "def charge(a): ...\n\n\ndef refund(a): ...\n", "app.py": "from pay import refund\n"}
HEAD = {"pay.py": "def charge(a): ...\n"}


def found(judge: Judge, base, head, seconds: float = 60.0):  # noqa: F811
    """What the rule yields, and the graphs it used."""
    with judge.change(base, head) as change:
        graphs = Graphs(change)
        context = QualityContext(change, ValidationConfig(), Deadline(seconds), graphs)
        return list(Contracts().check(context)), graphs


def test_a_change_that_takes_nothing_away_builds_no_graph(judge: Judge, monkeypatch):  # noqa: F811
    monkeypatch.setattr(Graphs, "head", lambda *_: (_ for _ in ()).throw(AssertionError("built")))
    findings, _ = found(
        judge, BASE, {"pay.py": BASE["pay.py"].replace("(a): ...", "(a):\n    return a"), "new.ts": "x\n"}
    )
    assert findings == []


def test_the_time_of_the_tier_is_kept(judge: Judge):  # noqa: F811
    findings, _ = found(judge, BASE, HEAD, seconds=0)
    assert [type(one) for one in findings] == [NotChecked]


def test_files_beyond_the_limit_are_told(judge: Judge, monkeypatch):  # noqa: F811
    monkeypatch.setattr(search, "MOST_FILES", 2)
    base = {**BASE, **{f"app{number}.py": "from pay import refund\n" for number in range(3)}}
    findings, _ = found(judge, base, HEAD)
    assert sorted(type(one).__name__ for one in findings) == ["Finding", "NotChecked"]


def test_many_uses_are_counted_and_some_are_listed(judge: Judge):  # noqa: F811
    lines = "from pay import refund\n" * 30
    findings, _ = found(judge, {**BASE, "app.py": lines}, HEAD)
    (finding,) = findings
    assert isinstance(finding, Finding)
    assert "30 such lines found" in finding.message
    assert finding.suggestion is not None
    assert finding.suggestion.count("`app.py:") == MOST_USES
    assert f"and {30 - MOST_USES} more" in finding.suggestion


def test_hostile_sources_cost_themselves_alone(judge: Judge):  # noqa: F811
    hostile = {
        "deep.py": "from pay import refund\nx = pay" + ".a" * 3000 + ".refund\n",
        "nested.py": "import pay\nx = " + "(" * 150 + "pay.refund" + ")" * 150 + "\n",
        "broken.py": "from pay import refund\ndef f(:\n",
        "nul.py": "from pay import refund\nx = '\0'\n",
        "classes.py": "from pay import refund\n" + "".join(f"class C{n}(C{n - 1}): x{n} = 1\n" for n in range(1, 1500)),
        "loop.py": "from loop import a as b, b as a\nfrom pay import refund\nclass A(B): ...\nclass B(A): A.refund\n",
        "own.py": "import own\nown.C1499().x1\n" + "".join(f"class C{n}(C{n - 1}): x{n} = 1\n" for n in range(1, 1500)),
        **{f"open.{suffix}": "a<" * 50_000 for suffix in ("cs", "java")},
        "deep.ts": "import { refund } from './pay'\n" + "f(" * 5000 + ")" * 5000 + "\n",
    }
    findings, _ = found(
        judge, {**BASE, **hostile, "pay.ts": "export const refund = 1\n"}, {**HEAD, "pay.ts": "export {}\n"}
    )
    symbols = [one.message for one in findings if isinstance(one, Finding)]
    assert len(symbols) == 2
    assert all("`refund` was removed" in message for message in symbols)


def test_both_tiers_share_the_graphs_of_a_change(judge: Judge):  # noqa: F811
    with judge.change(BASE, HEAD) as change:
        graphs, deadline = Graphs(change), Deadline(60)
        assert graphs.head(deadline) is graphs.head(deadline)
        assert graphs.base(deadline) is graphs.base(deadline)


def test_declarations_that_never_end_are_read_once(judge: Judge):  # noqa: F811
    base = {
        "a.ts": "export class A {\n  go() {}\n}\n",
        "b.ts": "import { A } from './a';\nnew A().go();\n",
        "c.ts": "import { A } from './a';\n// go\n" + "declare module x {\n" * 20_000,
    }
    findings, _ = found(judge, base, {"a.ts": "export class A {}\n"})
    assert [one.file for one in findings if isinstance(one, Finding)] == ["a.ts"]
