"""A file that stops a scanner costs itself, not the scanner."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from assay.validators.changes.change import ChangedFile
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.configuration.model import ValidationConfig
from assay.validators.progress import Deadline, Silent
from assay.validators.report.model import Outcome, Severity
from assay.validators.report.unknown import Question
from assay.validators.tools.scanners import scanning
from assay.validators.tools.scanners.bandit import TESTS, may_match
from assay.validators.tools.scanners.export import Exported
from assay.validators.tools.scanners.scanner import Assignment, Scan, ScanFailed, Sighting
from assay.validators.tools.scanners.scanning import MOST_ATTEMPTS, scan
from tests.repositories import RealRepository
from tests.validators.tools.scanners.changes import changed, left_open, scanned


@dataclass
class Fragile:
    """Sees the first line of each file, and is stopped by one that holds the word."""

    name: str = "bandit"
    covers: frozenset[str] = ALL_LANGUAGES
    answers: None = None
    num_runs: int = 0
    seen: list[str] = field(default_factory=list)

    def wants(self, file: ChangedFile) -> bool:
        return True

    def scan(self, assignment: Assignment) -> Scan:
        self.num_runs += 1
        files = [assignment.export.by_name[name] for name in assignment.names]
        if any("crash" in file.lines for file in files):
            raise ScanFailed(self.name, Outcome.infra_failed, "ended with -11")
        return Scan(tuple(Sighting(file, "first", Severity.warning, "seen", 1, 1) for file in files))


@pytest.fixture
def fragile(monkeypatch: pytest.MonkeyPatch) -> Fragile:
    scanner = Fragile()
    monkeypatch.setattr(scanning, "SCANNERS", (scanner,))
    return scanner


def test_a_file_that_stops_a_scanner_is_named_and_the_others_are_scanned(
    repository: RealRepository, fragile: Fragile
) -> None:
    files = {f"{n}.py": f"x = {n}\n" for n in range(20)} | {"bad.py": "crash\n"}
    with changed(repository, {}, files) as change:
        result = scan(change, ValidationConfig(), Deadline(100), Silent())
    assert len(result.findings) == 20
    assert left_open(result) == [
        ("bad.py", "bandit ended with -11"),
        ("dangers bad.py", "bandit ended with -11"),
    ]
    assert result.not_checked[0].could_block
    assert result.runs[0].outcome is Outcome.passed


def test_looking_for_such_files_is_bounded(repository: RealRepository, fragile: Fragile) -> None:
    files = {f"{n}.py": "crash\n" if n % 2 else f"x = {n}\n" for n in range(60)}
    with changed(repository, {}, files) as change:
        result = scan(change, ValidationConfig(), Deadline(100), Silent())
    assert fragile.num_runs == MOST_ATTEMPTS
    named = {what.rpartition(" ")[2] for what, _ in left_open(result) if " " not in what}
    found = {finding.file for finding in result.findings}
    assert named | found == set(files) or named == {"bandit"}
    assert not named & found


def test_a_scanner_that_is_switched_off_is_said_to_be(repository: RealRepository):
    after = {
        "a.py": "import os\nos.tempnam()\n",
        "notes.md": "x\n",
        ".github/workflows/greet.yml": "on: push\n",
    }
    result = scanned(repository, {}, after, only=())
    assert result.runs == ()
    assert left_open(result)[:3] == [
        (name, "switched off by tier1.scanners") for name in ("semgrep", "bandit", "zizmor")
    ]
    open_ = {(one.question, path) for one in result.not_checked if one.question for path in one.files}
    assert open_ == {(Question.secrets, path) for path in after} | {(Question.dangers, "a.py")}


OF_BANDIT = {
    "B103": "import os\nos.chmod('keys', 0o777)\n",
    "B304": "from Crypto.Cipher import DES as cipher\ncipher.new(key)\n",
    "B305": "from cryptography.hazmat.primitives.ciphers import modes\nmodes.ECB()\n",
    "B323": "import ssl\nssl._create_unverified_context()\n",
    "B413": "import Crypto.Hash\n",
    "B502": "import ssl\nssl.wrap_socket(ssl_version=ssl.PROTOCOL_SSLv3)\n",
    "B503": "import ssl\ndef open_it(version=ssl.PROTOCOL_TLSv1): ...\n",
    "B504": "from ssl import wrap_socket as wrap\nwrap()\n",
    "B505": "from Crypto.PublicKey import RSA\nRSA.generate(1024)\n",
    "B507": "from paramiko import client\nclient.SSHClient().set_missing_host_key_policy(client.AutoAddPolicy)\n",
    "B508": "from pysnmp.hlapi import CommunityData\nCommunityData('public', mpModel=0)\n",
    "B509": "from pysnmp.hlapi import UsmUserData\nUsmUserData('someone')\n",
    "B609": "import os\nos.system('/bin/chown root *')\n",
    "B610": "from django.contrib.auth.models import User\nUser.objects.extra(select={'test': secure % x})\n",
    "B611": "from django.db.models.expressions import RawSQL\nUser.objects.annotate(val=RawSQL('select %s' % x, []))\n",
    "B612": "import logging.config\nlogging.config.listen(9999)\n",
    "B613": "x = 1  # \u202e\n",
    "B614": "import torch\ntorch.load('model.pth')\n",
    "B615": "from transformers import AutoModel\nAutoModel.from_pretrained('org/model')\n",
    "B702": "from mako.template import Template\nTemplate('hello')\n",
    "B703": "from django.utils import safestring\nsafestring.mark_safe(text)\n",
    "B704": "from markupsafe import Markup\nMarkup(text)\n",
}
"""One piece of code for each test of bandit that counts next to semgrep."""


def test_bandit_starts_for_what_one_of_its_tests_finds(repository: RealRepository):
    files = {f"{name}.py": text for name, text in OF_BANDIT.items()}
    result = scanned(repository, {}, files, only=("semgrep", "bandit"))
    assert {(one.rule, one.file) for one in result.findings if one.tool == "bandit"} >= {
        (name, f"{name}.py") for name in TESTS
    }
    exported = {name: Exported("head", name, name, text.split("\n")) for name, text in OF_BANDIT.items()}
    assert [name for name in TESTS if not may_match(exported[name])] == []
    assert may_match(Exported("head", "a.py", "a.py", ["os.\uff43hmod('keys', 0o777)"]))
    assert not may_match(Exported("head", "a.py", "a.py", ["def price(n: int) -> int:", "    return n + 1"]))
