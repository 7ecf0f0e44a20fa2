"""The image and the compose file: checked by the linters of their own field, and against what the tests install."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from assay.cli.main import VERBS
from assay.github_app.ops.settings import Settings
from tests.conftest import ROOT
from tests.tables import read_yaml

BIN = Path(sys.executable).parent
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


def steps(instruction: str) -> list[str]:
    """Each instruction of one kind, on one line."""
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE)).splitlines()
    return [line.removeprefix(instruction).strip() for line in lines if line.startswith(instruction + " ")]


def stages() -> list[str]:
    """The text of each stage."""
    return re.split(r"^FROM ", DOCKERFILE, flags=re.MULTILINE)[1:]


def test_the_dockerfile_pleases_its_linter():
    done = subprocess.run([BIN / "hadolint", ROOT / "Dockerfile"], check=False, capture_output=True, text=True)
    assert done.stdout == ""
    assert done.returncode == 0


def test_the_compose_file_keeps_to_its_schema():
    command = [str(BIN / "check-jsonschema"), "--builtin-schema", "vendor.compose-spec", str(ROOT / "compose.yaml")]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_python_packages_come_from_the_locked_lists_alone():
    allowed = re.compile(r"(apt-get|rm|useradd|install|make) |sh trim\.sh$")
    said = [part.strip() for step in steps("RUN") for part in step.split("&&")]
    assert [part for part in said if not allowed.match(part)] == []
    assert "make install-app install-sast" in said


def test_what_the_make_targets_need_is_copied_and_nothing_more():
    copied = {name for step in steps("COPY") if "--from" not in step for name in step.split()[:-1]}
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert {f"!{name}" for name in copied} == {line for line in ignored if line.startswith("!")}
    assert ignored[1] == "*"


def test_it_does_not_run_as_root():
    ends = [re.findall(r"^USER (\S+)$", stage, re.MULTILINE)[-1] for stage in stages() if "USER " in stage]
    assert ends == ["10001", "10001"]
    assert DOCKERFILE.index("USER 10001") < DOCKERFILE.index("ENTRYPOINT")


@pytest.mark.soak
def test_a_web_server_reaches_what_its_image_lacks_only_through_validations_and_models():
    """Its image lacks these packages (deploy/image/trim.sh): nothing of the web server imports them itself."""
    script = (ROOT / "deploy/image/trim.sh").read_text("utf-8")
    (said,) = re.findall(r"for name in ([a-z ]+); do mv \"\$app", script)
    graph = grimp.build_graph("assay", include_external_packages=True)
    importers = {one for name in said.split() for one in graph.find_modules_that_directly_import(name)}
    assert len(said.split()) == 3
    assert {one for one in importers if not one.startswith(("assay.llm.", "assay.validators."))} == set()
    asked = "import assay.github_app.server.worker, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert set(said.split()) & set(done.stdout.split()) == set()


def test_every_setting_it_names_exists():
    known = {"ASSAY_DEBUG", *(f"ASSAY_{name.upper()}" for name in Settings.model_fields)}
    services = read_yaml(ROOT / "compose.yaml")["services"]
    named = {name for service in services.values() for name in service.get("environment", {})}
    named |= set(re.findall(r"ASSAY_[A-Z_]+", DOCKERFILE))
    assert {name for name in named if name.startswith("ASSAY_")} <= known


@pytest.mark.parametrize("service", ["web", "worker"])
def test_a_container_can_change_nothing_but_its_data(service: str):
    made = read_yaml(ROOT / "compose.yaml")["services"][service]
    assert made["read_only"] is True
    assert made["cap_drop"] == ["ALL"]
    assert made["tmpfs"] == ["/tmp"]
    assert made["command"][0] in VERBS
