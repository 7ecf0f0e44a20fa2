"""Workflow files made ready for act, which does not know all that GitHub knows.

Three things are filled in, from the files themselves: each job gets a token with its own permissions (checked against
those of the job that calls it, as GitHub does before it starts anything), contexts that act lacks become their values,
and a called workflow becomes a file beside its caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_LEVELS = ("none", "read", "write")
# What a job may do in a repository whose setting is "read repository contents", which new ones have.
_DEFAULT = {"contents": "read", "packages": "read"}
_ALL = (
    "actions attestations checks contents deployments discussions id-token issues packages pages pull-requests "
    "security-events statuses"
).split()
_CALLED = re.compile(r"(?:\./|(?P<repo>[\w.-]+/[\w.-]+)/)\.github/workflows/(?P<file>[\w.-]+\.ya?ml)(?:@(?P<ref>\S+))?")
_OUTPUT = re.compile(r"\$\{\{ *jobs\.([\w-]+)\.outputs\.([\w-]+) *\}\}")
TOLD = "told"

Strings = Callable[[str], str]


class StartupFailure(AssertionError):
    """GitHub would start no job of this workflow."""


@dataclass(frozen=True, slots=True)
class JobNeeds:
    """What a job is given: a literal for each context, and environment variables."""

    literals: Mapping[str, str]
    env: Mapping[str, str] = field(default_factory=dict)


Furnish = Callable[[str, Mapping[str, str], str], JobNeeds]
"""Job's name, its permissions and the workflow file it stands in -> what it is given."""


class _Loader(yaml.SafeLoader):
    """YAML 1.2 as GitHub reads it: `on` is a word."""


_Loader.yaml_implicit_resolvers = {
    letter: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:bool"]
    for letter, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"true|false"), list("tf"))


def read_yaml(text: str) -> Any:
    """A workflow or an action.yml as data."""
    return yaml.load(text, _Loader)


def write_yaml(data: Any) -> str:
    """The data as a file again."""
    return str(yaml.safe_dump(data, sort_keys=False, width=1000))


@dataclass
class Workflows:
    """The files of one run.

    `own` is the caller as `owner/name/path@ref`. `read` finds a called workflow's text: `owner/name` or "", file, ref.
    `inputs_of` names an action's inputs, None where its files are not known yet.
    """

    own: str
    read: Callable[[str, str, str], str]
    furnish: Furnish
    inputs_of: Callable[[str], set[str] | None]
    literals: Mapping[str, str]
    files: dict[str, str] = field(default_factory=dict)
    uses: set[str] = field(default_factory=set)
    job_names: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    """Of a job that calls a workflow: each output, by job and name inside the called one."""

    def prepare(self, text: str) -> None:
        """Fill `files`: `main.yml` and those it calls, each with a last job that prints what the others gave out."""
        main = read_yaml(text)
        jobs = main["jobs"]
        given = _mapping(main.get("permissions"), _DEFAULT)
        for name, job in jobs.items():
            permissions = _mapping(job.get("permissions"), given)
            if "uses" in job:
                self._call(name, job, permissions)
            else:
                jobs[name] = self._job(name, job, permissions, self.own)
        if direct := [name for name, job in jobs.items() if "uses" not in job]:
            jobs[TOLD] = _telling(direct)
        self.files["main.yml"] = write_yaml(_walk(main, _filled(self.literals)))

    def _call(self, caller: str, job: dict[str, Any], granted: Mapping[str, str]) -> None:
        match = _CALLED.fullmatch(job["uses"])
        assert match, f"cannot tell which workflow {job['uses']} is"
        called = read_yaml(self.read(match["repo"] or "", match["file"], match["ref"] or ""))
        known = (called["on"].get("workflow_call") or {}).get("inputs") or {}
        if unknown := set(job.get("with") or {}) - set(known):
            raise StartupFailure(f"{job['uses']}: invalid input, {', '.join(sorted(unknown))} is not defined")
        default = _mapping(called.get("permissions"), granted)
        place = job["uses"] if match["repo"] else f"{self.own.split('@')[0].rsplit('/', 1)[0]}/{match['file']}@"
        for name, inner in called["jobs"].items():
            wanted = _mapping(inner.get("permissions"), default)
            for what, level in wanted.items():
                if _LEVELS.index(level) > _LEVELS.index(granted.get(what, "none")):
                    raise StartupFailure(
                        f"The workflow is requesting '{what}: {level}', but is only allowed "
                        f"'{what}: {granted.get(what, 'none')}' (job {name} of {job['uses']}, called by {caller})"
                    )
            called["jobs"][name] = self._job(name, inner, wanted, place)
            self.job_names[name] = f"{caller} / {inner.get('name', name)}"
        outputs = called["on"]["workflow_call"].get("outputs") or {}
        self.outputs[caller] = {name: _origin(each["value"]) for name, each in outputs.items()}
        called["jobs"][f"{TOLD}-{caller}"] = _telling(list(called["jobs"]))
        file = f"called-{caller}-{match['file']}"
        self.files[file] = write_yaml(_walk(called, _filled(self.literals)))
        job["uses"] = f"./.github/workflows/{file}"
        job.pop("permissions", None)

    def _job(self, name: str, job: dict[str, Any], permissions: Mapping[str, str], place: str) -> dict[str, Any]:
        needs = self.furnish(name, permissions, place)
        token = needs.literals["github.token"]
        self.job_names.setdefault(name, job.get("name", name))
        for step in job["steps"]:
            if "uses" in step:
                self.uses.add(step["uses"])
                self._furnish_step(step, token)
        job.pop("permissions", None)
        job["env"] = (job.get("env") or {}) | dict(needs.env)
        filled: dict[str, Any] = _walk(job, _filled(needs.literals))
        return filled

    def _furnish_step(self, step: dict[str, Any], token: str) -> None:
        """GitHub only warns of an input that an action does not have; here it is an error."""
        given, known = step.get("with") or {}, self.inputs_of(step["uses"])
        if known is None:
            return
        assert set(given) <= known, f"{step['uses']} has no input {', '.join(sorted(set(given) - known))}"
        if "token" in known:
            # Its default is `github.token`, of which act has one for all jobs.
            step["with"] = {"token": token} | given


def _origin(value: str) -> tuple[str, str]:
    """Job and output behind an output of a called workflow."""
    match = _OUTPUT.fullmatch(value)
    assert match, f"an output of a job is wanted, not {value}"
    return match[1], match[2]


def _telling(names: list[str]) -> dict[str, Any]:
    """A job that prints what the others gave out. Behind a called workflow that failed act would not start it."""
    return {
        "needs": names, "if": "always()", "runs-on": "ubuntu-latest",
        "env": {"NEEDS": "${{ toJSON(needs) }}"}, "steps": [{"run": 'printf %s "$NEEDS" | base64 -w0'}],
    }  # fmt: skip


def _mapping(node: Any, default: Mapping[str, str]) -> dict[str, str]:
    """What `permissions:` says; what it does not name is none."""
    if node is None:
        return dict(default)
    if isinstance(node, str):
        level = {"read-all": "read", "write-all": "write"}[node]
        return dict.fromkeys(_ALL, level)
    assert set(node) <= set(_ALL), f"GitHub knows no such permission: {set(node) - set(_ALL)}"
    return dict(node)


def _filled(literals: Mapping[str, str]) -> Strings:
    """In expressions, contexts that act lacks become literals."""
    if not literals:
        return str
    names = "|".join(re.escape(name) for name in sorted(literals, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w.-])(?:{names})(?![\w-])")

    def fill(text: str) -> str:
        return pattern.sub(lambda match: "'" + literals[match[0]].replace("'", "''") + "'", text)

    return fill


def _walk(node: Any, change: Strings) -> Any:
    """The same with all expressions changed; `if` is one without its brackets."""
    if isinstance(node, dict):
        return {
            key: change(value) if key == "if" and isinstance(value, str) else _walk(value, change)
            for key, value in node.items()
        }
    if isinstance(node, list):
        return [_walk(each, change) for each in node]
    if isinstance(node, str):
        return re.sub(r"\$\{\{.*?\}\}", lambda match: change(match[0]), node, flags=re.DOTALL)
    return node


def filled_action(path: Path, literals: Mapping[str, str]) -> str:
    """An action.yml with the contexts that act lacks filled in.

    act has one `github.token` for all jobs: an action that uses it gets an input by which each job gives its own.
    """
    action = read_yaml(path.read_text())
    if "token" not in action["inputs"]:
        action = read_yaml(path.read_text().replace("${{ github.token }}", "${{ inputs.token }}"))
        action["inputs"]["token"] = {"default": ""}
    return write_yaml(_walk(action, _filled(literals)))
