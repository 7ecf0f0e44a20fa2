"""What is shipped: the wheel, its extras, and the locks they are installed from."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.conftest import ROOT

EXTRAS = ("cli", "scanners", "model", "app", "action", "memory", "sast", "embed", "mcp", "all")
LARGEST_CLI_BYTES = 210_000_000
LINKS = ("github_app", "validators", "memory_eval")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of what git knows, and the wheel made from that sdist and nothing else."""
    source = tmp_path_factory.mktemp("source")
    out = tmp_path_factory.mktemp("dist")
    _git("checkout-index", "--all", f"--prefix={source}/")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.soak
def test_the_wheel_from_the_sdist_holds_exactly_the_tracked_files_of_assay(built: Path):
    tracked = set(_git("ls-files", "-z", "assay").split("\0")) - {""}
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        shipped = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert shipped == tracked


@pytest.mark.soak
def test_the_links_at_the_top_stay_at_home(built: Path):
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        tops = {member.name.split("/")[1] for member in sdist if "/" in member.name}
        links = [member.name for member in sdist if member.islnk() or member.issym()]
    assert not tops & set(LINKS)
    assert links == []


@pytest.mark.soak
def test_the_wheel_brings_the_command_the_license_and_every_extra(built: Path):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        (info,) = {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" in name}
        metadata = message_from_bytes(wheel.read(f"{info}/METADATA"))
        assert "assay = assay.cli.main:main" in wheel.read(f"{info}/entry_points.txt").decode()
        assert f"{info}/licenses/LICENSE" in wheel.namelist()
    assert set(metadata.get_all("Provides-Extra") or ()) == set(EXTRAS)
    assert metadata["Requires-Python"] == ">=3.11"


@pytest.mark.parametrize("extra", ["cli", "app", "action", "memory", "sast"])
def test_a_lock_satisfies_what_its_extra_asks_for(extra: str):
    locked = _locked(extra)
    for wanted in _wanted(extra):
        assert wanted.name in locked, f"{wanted} is not in requirements/{extra}.txt: run `make lock`"
        assert any(version in wanted.specifier for version in locked[wanted.name]), f"{wanted}: run `make lock`"


def test_the_development_lock_satisfies_every_extra_and_group():
    locked = _locked("dev")
    groups = [Requirement(item) for name in ("bootstrap", "build", "dev") for item in _group(name)]
    for wanted in [*_wanted("all"), *groups]:
        versions = locked.get(_normal(wanted.name), set())
        assert any(version in wanted.specifier for version in versions), f"{wanted}: run `make lock`"


@pytest.mark.parametrize("extra", ["cli", "app", "action", "memory"])
def test_what_users_install_is_what_was_tested(extra: str):
    tested = _locked("dev")
    for name, versions in _locked(extra).items():
        assert versions <= tested[name], f"{name}: run `make lock`"


def test_semgrep_lives_alone():
    assert "semgrep" in _locked("sast")
    for other in ("dev", "cli", "app", "action", "memory"):
        assert "semgrep" not in _locked(other)


FRAMEWORKS = {"fastapi", "starlette", "uvicorn", "flask", "django", "aiohttp", "sanic", "tornado", "litestar", "dbos"}


def test_the_memory_evaluation_brings_no_server_no_scanner_no_graph_and_no_database():
    others = {"semgrep", "bandit", "networkx", "gitpython", "pygithub", "sqlalchemy", "psycopg", "alembic"}
    assert not _locked("memory").keys() & (FRAMEWORKS | others)
    assert {"fastapi", "networkx", "pygithub", "sqlalchemy"} <= _locked("dev").keys()  # called so where they are


def test_no_managed_evaluation_service_is_used():
    """Decision 0006: results stay in documented formats, and no vendor's service is asked."""
    services = {"boto3", "botocore", "braintrust", "deepeval", "galileo", "google-cloud-aiplatform", "langfuse"}
    services |= {"azure-ai-evaluation", "langsmith", "mlflow", "promptfoo", "ragas", "trulens", "wandb", "weave"}
    assert not services & {name.lower() for name in _locked("dev")}


def test_the_command_line_brings_no_server_no_model_and_no_large_scanner():
    others = {"anthropic", "ast-grep-cli", "ruff", "squawk-cli", "zizmor"}
    assert not _locked("cli").keys() & {"fastapi", "starlette", "uvicorn", "dbos", "pygithub", "sqlalchemy", *others}
    assert others <= _locked("action").keys() & _locked("app").keys()


@pytest.mark.parametrize("lock", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda path: path.stem)
def test_every_pin_carries_hashes_and_no_address(lock: Path):
    text = lock.read_text("utf-8")
    assert "://" not in text
    for pin in re.split(r"\n(?=[A-Za-z0-9])", text.split("\n", 2)[2]):
        assert "--hash=sha256:" in pin, pin


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("extra", "door", "absent"),
    [
        ("cli", "assay.validators", ("fastapi", "uvicorn", "dbos", "github", "semgrep", "anthropic")),
        ("app", "assay.github_app", ("semgrep",)),
        ("action", "assay.github_app", ("fastapi", "uvicorn", "dbos", "semgrep")),
        ("memory", "assay.memory_eval", ("fastapi", "networkx", "semgrep", "git", "bandit", "github", "sqlalchemy")),
    ],
)
def test_each_door_opens_with_only_its_extra(
    extra: str, door: str, absent: tuple[str, ...], built: Path, tmp_path: Path
):
    environment = tmp_path / "environment"
    python = environment / "bin" / "python"
    uv = Path(sys.executable).parent / "uv"
    install = [str(uv), "pip", "install", "--quiet", "--python", str(python)]
    _run(uv, "venv", "--quiet", "--python", sys.executable, environment)
    _run(*install, "--require-hashes", "-r", ROOT / "requirements" / f"{extra}.txt")
    _run(*install, "--no-deps", next(built.glob("*.whl")))
    for name in absent:
        assert _run(python, "-c", f"import importlib.util; print(importlib.util.find_spec({name!r}))").strip() == "None"
    _run(python, "-c", f"import {door} as door; [getattr(door, name) for name in dir(door)]")
    assert "Usage: assay" in _run(environment / "bin" / "assay", "--help")
    if extra == "cli":
        size = sum(path.lstat().st_size for path in environment.rglob("*") if not path.is_symlink())
        assert size < LARGEST_CLI_BYTES, size
    if extra == "memory":
        _examines_a_memory(python, tmp_path)


EXAMINING = """
from assay.memory_eval import AgentAdapter, AgentResponse, EvalRunner, generate_dialogue, generate_questions
from assay.memory_eval.datasets.catalog import download_dataset, list_datasets

class Last(AgentAdapter):
    told = ""
    def learn(self, content): self.told = content
    def answer(self, question): return AgentResponse(self.told or "You never told me that.")
    def reset(self): self.told = ""

questions = generate_questions(generate_dialogue(num_turns=100, seed=7), num_questions=30)
report = EvalRunner(num_turns=100, num_questions=30, seed=7, grading="deterministic").run(Last())
assert [one.question_id for one in report.results] == [one.id for one in questions]
assert report.valid and 0 <= report.overall_score < 0.5, report
print(callable(download_dataset), list_datasets())
"""


def _examines_a_memory(python: Path, folder: Path) -> None:
    """The names a program of its own uses, and every way to run it, in the environment of that one lock."""
    (folder / "examining.py").write_text(EXAMINING)
    assert _run(python, "-P", folder / "examining.py") == "True []\n"
    asked = ("--turns", "100", "--questions", "30", "--baseline", "nothing", "--output-dir", folder / "results")
    shown = _run(python, "-P", "-m", "assay.memory_eval", *asked, "--adapter", "baseline:bm25")
    assert "CATEGORY BREAKDOWN" in shown
    files = {path.name for path in (folder / "results").iterdir()}
    assert files >= {"report.json", "report.md", "report.html", "results.jsonl"}
    for kind in ("bm25", "embeddings"):
        _run(
            python,
            "-P",
            "-m",
            "assay.memory_eval",
            "--turns",
            "50",
            "--questions",
            "9",
            "--adapter",
            f"baseline:{kind}",
        )


def _locked(name: str) -> dict[str, set[Version]]:
    """Package to pinned versions; a package may be pinned twice, for different Pythons."""
    found: dict[str, set[Version]] = {}
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    for package, version in re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^ ;\\]+)", text, re.MULTILINE):
        found.setdefault(_normal(package), set()).add(Version(version))
    return found


def _wanted(extra: str) -> list[Requirement]:
    """What an extra asks for, with the extras it is made of and what every install needs, names normal."""
    own = PROJECT["project"]["name"]
    found = [Requirement(item) for item in PROJECT["project"]["dependencies"]]
    for item in map(Requirement, PROJECT["project"]["optional-dependencies"][extra]):
        if item.name == own:
            found += [wanted for inner in sorted(item.extras) for wanted in _wanted(inner)]
        else:
            item.name = _normal(item.name)
            found.append(item)
    return found


def _group(name: str) -> list[str]:
    return [item for item in PROJECT["dependency-groups"][name] if isinstance(item, str)]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout
