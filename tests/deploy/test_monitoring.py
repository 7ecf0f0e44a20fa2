"""Alert rules and the Grafana dashboard: over metrics and labels that a running App has, and rules that fire."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.metrics import MetricWrapperBase

from assay.github_app.ops.observability import METRICS
from tests.conftest import ROOT
from tests.github_app.web import web_in
from tests.tables import read_yaml

FOLDER = ROOT / "deploy" / "monitoring"
RULES = [rule for group in read_yaml(FOLDER / "alerts.yml")["groups"] for rule in group["rules"]]
BOARD = json.loads((FOLDER / "grafana.json").read_text("utf-8"))
QUERIES = [rule["expr"] for rule in RULES] + [one["expr"] for panel in BOARD["panels"] for one in panel["targets"]]
_USE = re.compile(r"(assay_[a-z_]+)(?:\{([^}]*)\})?")
_MATCHER = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"([^\"]*)\"")
_BY = re.compile(r"by \(([^)]*)\)")


def labels_of(query: str) -> Iterator[tuple[str, set[str]]]:
    """Each metric of a query, and the labels that the query takes it to have."""
    grouped = {name.strip() for names in _BY.findall(query) for name in names.split(",")}
    for metric, matchers in _USE.findall(query):
        yield metric, {name for name, _ in _MATCHER.findall(matchers)} | grouped


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    """The samples of a real response: metric -> the labels of each sample."""
    for collector in list(METRICS._collector_to_names):
        if isinstance(collector, MetricWrapperBase) and collector._labelnames:
            collector.labels(*["x"] * len(collector._labelnames))
    with web_in(tmp_path_factory.mktemp("data")) as web:
        text = web.client.get("/metrics").text
    found: dict[str, list[dict[str, str]]] = {}
    for line in text.splitlines():
        if match := re.match(r"(assay_\w+)(?:\{(.*)\})? ", line):
            found.setdefault(match[1], []).append(dict(_MATCHER.findall(match[2] or "")))
    return found


def test_every_metric_and_label_is_one_of_the_app(shown: dict[str, list[dict[str, str]]]):
    unknown = [
        (query, metric, labels)
        for query in QUERIES
        for metric, labels in labels_of(query)
        if metric not in shown or not labels <= set(shown[metric][0])
    ]
    assert unknown == []


def test_every_queue_and_state_is_one_of_the_app(shown: dict[str, list[dict[str, str]]]):
    real = {(one["queue"], one["state"]) for one in shown["assay_queue_depth"]}
    used = {
        (given["queue"], state)
        for query in QUERIES
        for metric, matchers in _USE.findall(query)
        if metric == "assay_queue_depth"
        for given in [dict(_MATCHER.findall(matchers))]
        for state in given["state"].split("|")
    }
    assert used <= real


def test_the_dashboard_shows_every_metric_of_the_app(shown: dict[str, list[dict[str, str]]]):
    used = {metric for panel in BOARD["panels"] for one in panel["targets"] for metric, _ in _USE.findall(one["expr"])}
    bases = {re.sub(r"_(bucket|sum|count|created)$", "", name) for name in shown}
    assert {re.sub(r"_bucket$", "", name) for name in used} == {name for name in bases if f"{name}_total" not in bases}


def test_each_rule_says_how_urgent_it_is_and_what_to_do():
    for rule in RULES:
        assert rule["labels"]["severity"] in ("page", "ticket"), rule["alert"]
        assert set(rule["annotations"]) == {"summary", "action"}, rule["alert"]


def test_panels_have_ids_and_places_of_their_own():
    panels = BOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) == 23


BAD = {
    'assay_workers{instance="a"}': "0x60",
    'assay_workers{instance="b"}': "0x60",
    "assay_delivery_oldest_seconds": "0+60x60",
    'assay_queue_depth{queue="deliveries",state="parked"}': "2x60",
    'assay_queue_depth{queue="runs",state="queued"}': "30x60",
    'assay_runs_total{outcome="failed",instance="a"}': "0+0.1x60",
    'assay_runs_total{outcome="failed",instance="b"}': "0+0.1x60",
    'assay_deliveries_total{event="unknown",result="refused_401"}': "0+1x60",
    'assay_github_rate_remaining{installation="7",resource="core"}': "4000x60",
    'assay_github_rate_remaining{installation="7",resource="graphql"}': "100x60",
    "assay_jobs_taken_over_total": "0+1x60",
    'assay_delivery_ack_seconds_bucket{le="2.5"}': "0+1x60",
    'assay_delivery_ack_seconds_bucket{le="10.0"}': "0+9x60",
    'assay_delivery_ack_seconds_bucket{le="+Inf"}': "0+9x60",
}
GOOD = {
    'assay_workers{instance="a"}': "0x60",
    'assay_workers{instance="b"}': "1x60",
    "assay_delivery_oldest_seconds": "30x60",
    'assay_queue_depth{queue="deliveries",state="parked"}': "0x60",
    'assay_queue_depth{queue="runs",state="queued"}': "3x60",
    'assay_runs_total{outcome="failed"}': "400x60",
    'assay_runs_total{outcome="completed"}': "0+10x60",
    'assay_deliveries_total{event="push",result="new"}': "0+1x60",
    'assay_github_rate_remaining{installation="7",resource="core"}': "4000x60",
    'assay_github_rate_remaining{installation="7",resource="graphql"}': "4000x60",
    "assay_jobs_taken_over_total": "2x60",
    'assay_delivery_ack_seconds_bucket{le="2.5"}': "0+9x60",
    'assay_delivery_ack_seconds_bucket{le="10.0"}': "0+9x60",
    'assay_delivery_ack_seconds_bucket{le="+Inf"}': "0+9x60",
}
STILL = {"assay_workers": "1x1600", 'assay_deliveries_total{event="push",result="new"}': "7x1600"}
EXPECTED = {
    "bad": (BAD, "1h", {rule["alert"] for rule in RULES} - {"AssayAway", "AssayNoDeliveries"}),
    "good": (GOOD, "1h", set[str]()),
    "still": (STILL, "1560m", {"AssayNoDeliveries"}),
    "away": ({"up": "1x60"}, "1h", {"AssayAway"}),
}


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed (Debian: prometheus)")
@pytest.mark.parametrize("name", EXPECTED)
def test_the_rules_fire_when_they_should_and_only_then(name: str, tmp_path: Path):
    """Prometheus itself evaluates them; `ALERTS` has a series for each that fires."""
    series, at, firing = EXPECTED[name]
    test: dict[str, Any] = {
        "interval": "1m",
        "input_series": [{"series": one, "values": values} for one, values in series.items()],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": at,
                "exp_samples": [{"labels": f'{{alertname="{one}"}}', "value": 1} for one in sorted(firing)],
            }
        ],
    }
    file = tmp_path / "test.yml"
    file.write_text(json.dumps({"rule_files": [str(FOLDER / "alerts.yml")], "tests": [test]}), encoding="utf-8")
    ran = subprocess.run(["promtool", "test", "rules", str(file)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
