"""The units for systemd: settings, commands and files that exist, and hardening that systemd itself rates."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.main import VERBS
from assay.github_app.ops.settings import Settings
from tests.conftest import ROOT

UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
BINARY = "/opt/assay/.venv/bin/assay"
COMMANDS = {
    "assay.service": "serve",
    "assay-web.service": "serve --no-worker",
    "assay-worker@.service": "worker",
}


def lines(unit: Path, name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", unit.read_text("utf-8"), re.MULTILINE)


def test_each_unit_runs_its_command():
    assert {unit.name: lines(unit, "ExecStart")[0].removeprefix(f"{BINARY} ") for unit in UNITS} == COMMANDS
    assert {command.split()[0] for command in COMMANDS.values()} <= set(VERBS)


@pytest.mark.parametrize("unit", UNITS, ids=lambda one: one.name)
def test_settings_name_credentials_and_the_unit_s_own_folder(unit: Path):
    given = dict(re.findall(r"(ASSAY_\w+)=(\S+)", " ".join(lines(unit, "Environment"))))
    assert set(given) <= {"ASSAY_DEBUG", *(f"ASSAY_{name.upper()}" for name in Settings.model_fields)}
    loaded = {line.partition(":")[0] for line in lines(unit, "LoadCredential")}
    assert {value.removeprefix("%d/") for name, value in given.items() if name.endswith("_FILE")} == loaded
    assert given["ASSAY_DATA_DIR"] == f"/var/lib/{lines(unit, 'StateDirectory')[0]}"


def test_units_differ_in_nothing_but_command_and_folder():
    bodies = {
        re.sub(r"assay(-web|-worker-%i)?(?=\n| ASSAY)|ExecStart=.*|Description=.*", "", unit.read_text("utf-8"))
        for unit in UNITS
    }
    assert len(bodies) == 1


def test_the_documented_installation_is_compiled_and_names_every_credential():
    text = (ROOT / "docs/app/deploying.md").read_text("utf-8")
    assert "UV_COMPILE_BYTECODE=1 make -C /opt/assay" in text
    for loaded in lines(UNITS[0], "LoadCredential"):
        name, _, file = loaded.partition(":")
        assert f"ASSAY_{name.upper().replace('-', '_')}_FILE={file}" in text


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda one: one.name)
def test_systemd_accepts_the_unit_and_rates_its_exposure_low(unit: Path, tmp_path: Path):
    here = tmp_path / unit.name.replace("@.", "@1.")
    here.write_text(unit.read_text("utf-8").replace(BINARY, str(Path(sys.executable))), encoding="utf-8")
    checked = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True, check=False)
    assert (checked.returncode, [line for line in checked.stderr.splitlines() if here.name in line]) == (0, [])
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", here],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert rated.returncode == 0, rated.stdout[-200:]
