"""The manifests for Kubernetes: they fit together, and name what the App and its image really have."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from assay.cli.main import VERBS
from assay.github_app.ops.settings import Settings
from assay.github_app.server.app import make_app, make_monitor
from tests.conftest import ROOT
from tests.github_app.remembering import store_at
from tests.github_app.stand_ins import settings_in
from tests.tables import read_yaml

FOLDER = ROOT / "deploy" / "kubernetes"
BASE, EXAMPLE = (read_yaml(FOLDER / name / "kustomization.yaml") for name in ("base", "example"))
LABELS = {name: value for one in BASE["labels"] if one.get("includeTemplates") for name, value in one["pairs"].items()}


def objects(kind: str) -> dict[str, Any]:
    """The objects of one kind in the files that the kustomizations name."""
    files = [FOLDER / "base" / name for name in BASE["resources"]]
    files += [FOLDER / "example" / name for name in EXAMPLE["resources"] if name.endswith(".yaml")]
    found = [one for file in files for one in yaml.safe_load_all(file.read_text("utf-8"))]
    return {one["metadata"]["name"]: one for one in found if one["kind"] == kind}


PODS = {name: one["spec"]["template"] for name, one in objects("Deployment").items()}


def container(name: str) -> dict[str, Any]:
    (only,) = PODS[name]["spec"]["containers"]
    assert isinstance(only, dict)
    return only


def literals() -> Iterator[tuple[str, str]]:
    for of in (BASE, EXAMPLE):
        for generated in of["configMapGenerator"]:
            assert generated["name"] == "assay-settings"
            for line in generated["literals"]:
                name, _, value = line.partition("=")
                yield name, value


def labels_of(pod: str) -> dict[str, str]:
    return {**PODS[pod]["metadata"]["labels"], **LABELS}


def selected(labels: dict[str, str]) -> set[str]:
    return {pod for pod in PODS if labels.items() <= labels_of(pod).items()}


def test_every_setting_exists_and_its_value_is_valid():
    known = {f"ASSAY_{name.upper()}" for name in Settings.model_fields}
    named = {name for name, _ in literals()} | {one["name"] for pod in PODS for one in container(pod)["env"]}
    assert named <= known
    values = {name.removeprefix("ASSAY_").lower(): value for name, value in literals()}
    assert Settings.model_validate(values).port == 8080


def test_every_command_exists():
    assert {name: container(name)["args"] for name in PODS} == {
        "assay-web": ["serve", "--no-worker"],
        "assay-worker": ["worker"],
    }
    assert {"serve", "worker"} <= set(VERBS)


@pytest.mark.parametrize(
    ("pod", "make", "probed"), [("assay-web", make_app, 3), ("assay-worker", make_monitor, 2)], ids=["web", "worker"]
)
def test_every_probe_is_answered(pod: str, make: Any, probed: int, tmp_path: Any):
    main = container(pod)
    probes = [probe["httpGet"] for name, probe in main.items() if name.endswith("Probe")]
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        client = TestClient(make(settings_in(tmp_path), store))
        assert [client.get(one["path"]).status_code for one in probes] == [200] * probed
    assert {one["port"] for one in probes} == {main["ports"][0]["name"]}


def test_a_worker_is_reached_on_the_port_of_its_setting():
    port = int(dict(literals())["ASSAY_WORKER_PORT"])
    (let_in,) = objects("NetworkPolicy")["assay-worker"]["spec"]["ingress"]
    assert [one["containerPort"] for one in container("assay-worker")["ports"]] == [port]
    assert let_in["ports"] == [{"protocol": "TCP", "port": port}]


def test_the_port_is_one_from_the_setting_to_the_ingress():
    port = int(dict(literals())["ASSAY_PORT"])
    (named,) = container("assay-web")["ports"]
    (served,) = objects("Service")["assay-web"]["spec"]["ports"]
    (rule,) = objects("Ingress")["assay"]["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    (let_in,) = objects("NetworkPolicy")["assay-web"]["spec"]["ingress"]
    assert (named["containerPort"], named["name"]) == (port, served["targetPort"])
    assert path["backend"]["service"] == {"name": "assay-web", "port": {"name": served["name"]}}
    assert let_in["ports"] == [{"protocol": "TCP", "port": port}]
    assert f"https://{rule['host']}" == dict(literals())["ASSAY_PUBLIC_URL"]


def test_selectors_select_the_pods_they_are_for():
    for kind in ("Deployment", "PodDisruptionBudget"):
        for name, one in objects(kind).items():
            assert selected(one["spec"]["selector"]["matchLabels"]) == {name}, (kind, name)
    assert selected(objects("Service")["assay-web"]["spec"]["selector"]) == {"assay-web"}
    policies = {
        name: selected(one["spec"]["podSelector"]["matchLabels"]) for name, one in objects("NetworkPolicy").items()
    }
    assert policies == {"assay": set(PODS), **{name: {name} for name in PODS}}


@pytest.mark.parametrize("pod", PODS)
def test_a_pod_runs_as_the_image_s_user_and_writes_only_its_folders(pod: str):
    spec, main = PODS[pod]["spec"], container(pod)
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    user = re.findall(r"^USER (\d+)$", dockerfile, re.MULTILINE)[-1]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert {str(spec["securityContext"][name]) for name in ("runAsUser", "runAsGroup", "fsGroup")} == {user}
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    assert main["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    writable = {one["mountPath"] for one in main["volumeMounts"] if not one.get("readOnly")}
    assert writable == {"/data", "/tmp"}
    assert {one["name"] for one in main["volumeMounts"]} == {one["name"] for one in spec["volumes"]}


@pytest.mark.parametrize("pod", PODS)
def test_secrets_are_references_and_files_that_the_settings_name(pod: str):
    spec, main = PODS[pod]["spec"], container(pod)
    (volume,) = [one["secret"] for one in spec["volumes"] if "secret" in one]
    (mount,) = [one["mountPath"] for one in main["volumeMounts"] if one["name"] == "secrets"]
    files = {f"{mount}/{item['path']}" for item in volume["items"]}
    assert files == {value for name, value in literals() if name.endswith("_FILE")}
    assert volume["defaultMode"] & (stat.S_IWGRP | stat.S_IRWXO) == 0
    assert all(set(one) == {"name", "valueFrom"} and "secretKeyRef" in one["valueFrom"] for one in main["env"])
    secret = {field for field, info in Settings.model_fields.items() if "Secret" in str(info.annotation)}
    assert {name for name, _ in literals() if name.removeprefix("ASSAY_").lower() in secret} == set()


def test_the_documents_name_every_key_of_the_secret():
    text = (ROOT / "docs/app/deploying.md").read_text("utf-8")
    main, volumes = container("assay-web"), PODS["assay-web"]["spec"]["volumes"]
    keys = {one["valueFrom"]["secretKeyRef"]["key"] for one in main["env"]}
    keys |= {item["key"] for one in volumes if "secret" in one for item in one["secret"]["items"]}
    assert {key for key in keys if f"--from-file={key}=" not in text and f"--from-literal={key}=" not in text} == set()


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
def test_kustomize_builds_the_example():
    done = subprocess.run(["kubectl", "kustomize", FOLDER / "example"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    built = list(yaml.safe_load_all(done.stdout))
    pods = {one["metadata"]["name"]: one for one in built if one["kind"] == "Deployment"}
    assert pods["assay-worker"]["spec"]["replicas"] == 4
    for name, one in pods.items():
        template = one["spec"]["template"]
        (main,) = template["spec"]["containers"]
        image = {"assay-web": "assay-web", "assay-worker": "assay"}[name]
        assert main["image"] == f"images.example.com/{image}:1.0.0"
        assert template["metadata"]["labels"]["app.kubernetes.io/part-of"] == "assay"
    (settings,) = [one["data"] for one in built if one["kind"] == "ConfigMap"]
    assert settings == dict(literals())


def test_the_manifests_keep_to_kubernetes_schemas():
    validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")
    for kind in ("Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy", "Ingress"):
        for one in objects(kind).values():
            validate.validate(one, "1.32", strict=True)
