"""Changes of one GitHub workflow: loosened, widened or merely edited."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from assay.validators.io.structured_files import Node
from assay.validators.risk.ci.workflow import Job, Step, Workflow, leaves, secrets_in, settings
from assay.validators.wording import plural

EXPOSED_TRIGGERS = ("pull_request_target", "workflow_run", "issue_comment", "issues", "discussion_comment")
"""Events anyone can trigger that run with this repository's secrets and rights."""
SHRUGS = re.compile(
    r"\|\|\s*(true|:|exit 0|echo\b)|\bset \+e\b|--exit-zero\b|--passWithNoTests\b|--no-verify\b|\bexit 0\s*$"
)
_FROM_STRANGERS = re.compile(
    r"\$\{\{[^}]*github\.(head_ref|event\.(issue|pull_request|comment|review|discussion|head_commit)\.[\w.]*"
    r"(title|body|message|label|email|name|ref)\b)"
)
_HEAD_OF_PULL_REQUEST = re.compile(r"github\.(event\.pull_request\.head|head_ref)|refs/pull/")
_PINNED = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_VERSION = re.compile(r"(?:[\w-]+/)?v?\d+(\.\d+)*([-.+]\w+)*")
_OWN = ("actions/", "github/", "./", "docker/")
"""Actions of GitHub, Docker and the repository itself."""
MOST_QUOTED = 80
_PIN = "pin the action to a commit"
_KEEP_RIGHTS = "keep the permissions"
_RUN_WITHOUT_RIGHTS = "run code of the change only in a workflow on `pull_request`"
_OFF = re.compile(r"(\$\{\{\s*)?false(\s*\}\})?")


@dataclass(frozen=True, slots=True)
class Remark:
    """One effect of a change, with the kind of its statement; `line` is in the head, None for removed lines."""

    kind: str
    text: str
    line: int | None = None
    advice: str | None = None


def workflow_remarks(base: Workflow | None, head: Workflow | None) -> Iterator[Remark]:
    """Yield the changes of one workflow, None if it does not exist. `ci` reports checks that are lost altogether."""
    if head is None:
        yield Remark("ci_reduced", "the workflow is deleted")
        return
    before = base or Workflow(head.path, Node(1))
    yield from _triggers(before, head, is_new=base is None)
    for name, job in head.jobs.items():
        yield from _job(before, head, before.jobs.get(name), job)
    yield from _secrets(before, head)
    if base is None:
        yield Remark("ci_edited", "a new workflow", 1)
    else:
        yield from _edits(before, head)


DEFAULT_TYPES = frozenset(("opened", "synchronize", "reopened"))
"""Default types of `pull_request`; those that add new code to check."""


def _types(trigger: Node) -> frozenset[str]:
    """Return the default activity types a trigger reacts to."""
    said = trigger.get("types")
    if said is None:
        return DEFAULT_TYPES
    named = {said.text, *(item.text for item in said.items)}
    return DEFAULT_TYPES & named


def _triggers(base: Workflow, head: Workflow, is_new: bool) -> Iterator[Remark]:
    for event in EXPOSED_TRIGGERS:
        if event in head.triggers and event not in base.triggers:
            # Triage by forge events, without code of the change, is the purpose of these events.
            runs_code = any(step.run or step.uses.startswith("actions/checkout") for step in head.steps)
            is_bad = event in {"pull_request_target", "workflow_run"} and runs_code
            kind = "ci_loosened" if is_bad else "workflow_rights" if is_new else "ci_rights"
            text = f"runs on {event}, with this repository's rights"
            yield Remark(kind, text, head.triggers[event].line, _RUN_WITHOUT_RIGHTS)
    if is_new:
        return
    by_hand = head.triggers.get("workflow_dispatch")
    is_limited = any("github.ref" in job.node.at("if").text for job in head.jobs.values())
    if by_hand is not None and "workflow_dispatch" not in base.triggers and secrets_in(head.node) and not is_limited:
        yield Remark("ci_rights", "can be started by hand on any branch, with its secrets", by_hand.line)
    if not head.kinds:
        return
    if "pull_request" in base.triggers and not {"pull_request", "pull_request_target"} & set(head.triggers):
        yield Remark("ci_loosened", f"no longer runs {_listed(head.kinds)} on pull requests", head.node.line)
    now, was = head.triggers.get("pull_request"), base.triggers.get("pull_request")
    for filter_name in ("paths", "paths-ignore", "branches", "branches-ignore"):
        narrowed = now.get(filter_name) if now else None
        if narrowed is not None and was is not None and was.get(filter_name) is None:
            yield Remark("ci_weakened", f"runs for fewer pull requests ({filter_name})", narrowed.line)
    lost = _types(was) - _types(now) if was is not None and now is not None else frozenset()
    if lost and now is not None:
        yield Remark("ci_weakened", f"runs for fewer pull requests (not when {_listed(lost)})", now.line)


def _job(base: Workflow, head: Workflow, was: Job | None, now: Job) -> Iterator[Remark]:
    yield from _rights(base, was, now)
    gone = _kinds_of_gone_jobs(base, head)
    if now.kinds:
        yield from _tolerated(was.node if was else None, now.node, f"job {now.name}", now.kinds, gone)
    runner = now.node.at("runs-on")
    if "self-hosted" in runner.texts and not (was and "self-hosted" in was.node.at("runs-on").texts):
        yield Remark(_rights_of(base), f"job {now.name} runs on a self-hosted runner", runner.line)
    pairs = paired(was.steps if was else [], now.steps)
    kept = [before for _, before in pairs if before is not None]
    gone |= {kind for step in (was.steps if was else ()) if step not in kept for kind in step.kinds}
    known_actions = {step.uses.partition("@")[0] for step in base.steps}
    for step, before in pairs:
        yield from _action(step, before, known_actions)
        yield from _commands(step, before, head)
        if step.kinds and step.node is not now.node:
            yield from _tolerated(before.node if before else None, step.node, f"step {step.name}", step.kinds, gone)


def _kinds_of_gone_jobs(base: Workflow, head: Workflow) -> set[str]:
    """Return the kinds of checks in removed jobs, which a new job of that kind may replace."""
    return {kind for name, job in base.jobs.items() if name not in head.jobs for kind in job.kinds}


def paired(old: list[Step], new: list[Step]) -> list[tuple[Step, Step | None]]:
    """Return each new step with its predecessor: by id, command, name or action, and last by kind of check."""
    left = list(old)
    found: dict[int, Step] = {}
    for key in _SAME_STEP:
        for number, step in enumerate(new):
            wanted = key(step)
            if number in found or not wanted:
                continue
            match = next((one for one in left if key(one) == wanted), None)
            if match is not None:
                found[number] = match
                left.remove(match)
    return [(step, found.get(number)) for number, step in enumerate(new)]


_SAME_STEP: tuple[Callable[[Step], object], ...] = (
    lambda step: step.node.at("id").text,
    lambda step: step.run,
    lambda step: step.node.at("name").text,
    lambda step: step.uses.partition("@")[0],
    lambda step: step.run.partition("\n")[0],
    lambda step: step.kinds,
)


def _rights(base: Workflow, was: Job | None, now: Job) -> Iterator[Remark]:
    if now.rights is None:
        if was is not None and was.rights is not None:
            text = f"job {now.name} no longer sets permissions and gets the repository's default"
            yield Remark("ci_loosened", text, now.node.line, _KEEP_RIGHTS)
        return
    before: Mapping[str, str] = (was.rights or {}) if was else {}
    elsewhere = {scope for job in base.jobs.values() for scope, level in (job.rights or {}).items() if level == "write"}
    for scope, level in now.rights.items():
        if level != "write" or before.get(scope) == "write" or before.get("*") == "write":
            continue
        if now.node.get("permissions") is None and _says(base.node, scope) == "write":
            continue  # a new job has the rights the workflow gave every job before
        named = "everything" if scope == "*" else scope
        # A right that was implicit is most often a narrower one now; one of another job of the file may have moved.
        is_implied = was is not None and was.rights is None and scope != "id-token"
        kind = "ci_edited" if is_implied else "ci_rights" if scope in elsewhere else "ci_loosened"
        yield Remark(kind, f"job {now.name} may write {named}", _line_of(now, scope), _KEEP_RIGHTS)


def _says(node: Node, scope: str) -> str:
    """Return the rights the whole workflow grants."""
    return (node.get("permissions", scope) or node.at("permissions")).text


def _tolerated(
    was: Node | None, now: Node, where: str, kinds: frozenset[str], gone: Collection[str]
) -> Iterator[Remark]:
    """Yield checks whose failure no longer counts, or which no longer run.

    A new check that replaces none of the `gone` ones loosens nothing.
    """
    is_new = was is None and kinds.isdisjoint(gone)
    before = was or Node(1)
    tolerant = now.get("continue-on-error")
    if tolerant is not None and tolerant.text not in ("", "false"):
        said = before.at("continue-on-error").text
        kind = "ci_loosened" if tolerant.text == "true" else "ci_weakened"
        if not is_new and said not in (tolerant.text, "true"):
            yield Remark(kind, f"{where} ({_listed(kinds)}) may fail without failing the run", tolerant.line)
    condition = now.at("if")
    if not is_new and _OFF.fullmatch(condition.text.strip()) and before.at("if").text != condition.text:
        yield Remark("ci_loosened", f"{where} ({_listed(kinds)}) is switched off", condition.line)


def _action(step: Step, before: Step | None, known: set[str]) -> Iterator[Remark]:
    if not step.uses or step.uses.startswith("./"):
        return
    name, _, version = step.uses.partition("@")
    line = step.node.at("uses").line
    is_own = name.startswith(_OWN)
    old_name, _, old_version = before.uses.partition("@") if before is not None else ("", "", "")
    was_pinned = _PINNED.fullmatch(old_version) is not None
    was_branch = old_name == name and _VERSION.fullmatch(old_version) is None
    if before is not None and before.uses == step.uses:
        return
    if _PINNED.fullmatch(version):
        if name not in known and not is_own:
            yield Remark("ci_edited", f"a new action: {name}, pinned", line)
        return
    is_branch = not name.startswith("docker:") and _VERSION.fullmatch(version) is None
    if was_pinned and not is_own:
        yield Remark("ci_loosened", f"{name} is no longer pinned to a commit", line, _PIN)
    elif is_branch and not was_branch and not is_own and (name not in known or before is not None):
        yield Remark("ci_loosened", f"{name} follows the branch {version or 'of its default'}", line, _PIN)
    elif name not in known and not is_own:
        yield Remark("ci_edited", f"a new action, not pinned to a commit: {step.uses}", line)
        if given := frozenset(secrets_in(step.node)):
            text = f"gives {_listed(given)} to {step.uses}, a new action that is not pinned to a commit"
            yield Remark("ci_rights", text, line, _PIN)


def _commands(step: Step, before: Step | None, head: Workflow) -> Iterator[Remark]:
    node = step.node.get("run")
    old = before.run if before else ""
    if node is not None and step.run != old:
        if step.kinds and SHRUGS.search(step.run) and not SHRUGS.search(old):
            text = f"step {step.name} ({_listed(step.kinds)}) ignores failures"
            yield Remark("ci_loosened", text, node.line)
        if _FROM_STRANGERS.search(step.run) and not _FROM_STRANGERS.search(old):
            text = f"step {step.name} puts untrusted text into a command"
            yield Remark("ci_loosened", text, node.line, "pass the text in an environment variable")
    exposed = {"pull_request_target", "workflow_run"} & set(head.triggers)
    ref = step.node.get("with", "ref")
    was = before.node.at("with", "ref").texts if before else []
    if exposed and ref and _HEAD_OF_PULL_REQUEST.search(ref.text) and was != [ref.text]:
        text = f"checks out untrusted code under {', '.join(sorted(exposed))}"
        yield Remark("ci_loosened", text, ref.line, _RUN_WITHOUT_RIGHTS)


def _secrets(base: Workflow, head: Workflow) -> Iterator[Remark]:
    for name in sorted(secrets_in(head.node) - secrets_in(base.node)):
        line = next((line for text, line in leaves(head.node) if f"secrets.{name}" in text), None)
        yield Remark(_rights_of(base), f"uses the secret {name}", line)
    for job in head.jobs.values():
        inherited = job.node.at("secrets")
        before = base.jobs.get(job.name)
        was = before.node.at("secrets").texts if before else []
        if inherited.text == "inherit" and was != ["inherit"]:
            kind = "ci_rights" if job.node.at("uses").text.startswith("./") else "ci_loosened"
            text = f"job {job.name} passes on every secret"
            yield Remark(kind, text, inherited.line, "pass the needed secrets by name")


def _rights_of(base: Workflow) -> str:
    """Return the kind of a statement on secrets and machines that a workflow gets."""
    return "ci_rights" if base.jobs else "workflow_rights"


def _edits(base: Workflow, head: Workflow) -> Iterator[Remark]:
    """Yield all other changes: a removed job or step, a command."""
    for name, job in base.jobs.items():
        now = head.jobs.get(name)
        if now is not None:
            yield from _lost_steps(job, now)
        elif job.kinds:
            yield Remark("ci_reduced", f"the job {name} ({_listed(job.kinds)}) is gone", None)
    before = Counter((name, text) for name, text, _ in settings(base.node))
    old = [line for name, text, _ in settings(base.node) if name == "run" for _, line in _lines(text)]
    for name, text, line in settings(head.node):
        # A command runs with the pipeline's rights; a setting mostly decides where and when.
        if before[name, text] > 0:
            before[name, text] -= 1
        elif name == "run":
            yield from _new_command(text, line, old)


def _lost_steps(job: Job, now: Job) -> Iterator[Remark]:
    """Yield checks that a job no longer runs, and a smaller matrix."""
    pairs = paired(job.steps, now.steps)
    kept = [before for _, before in pairs if before is not None]
    for step, before in pairs:
        if before is not None and (lost := before.kinds - now.kinds):
            text = f"the step {step.name} of job {job.name} no longer runs {_listed(lost)}"
            yield Remark("ci_reduced", text, step.node.line)
    for name in sorted(job.node.at("services").pairs.keys() - now.node.at("services").pairs.keys()):
        yield Remark("ci_reduced", f"job {job.name} no longer starts the service {name}", None)
    for step in job.steps:
        if step not in kept and (lost := step.kinds - now.kinds):
            yield Remark("ci_reduced", f"the step {step.name} ({_listed(lost)}) is gone from job {job.name}", None)
    if _matrix(job) > _matrix(now) >= 0 and job.kinds:
        strategy = now.node.get("strategy")
        text = f"job {job.name} runs for fewer versions or systems"
        yield Remark("ci_reduced", text, strategy.line if strategy else None)


def _new_command(text: str, line: int, old: list[str]) -> Iterator[Remark]:
    """Yield the lines of a command that no command of the base has."""
    known = {"".join(one.split()) for one in old}
    lenient = {"".join(SHRUGS.sub("", one).split()) for one in old if SHRUGS.search(one)}
    is_block = "\n" in text
    new: list[tuple[int, str]] = []
    for number, one in _lines(text):
        squeezed = "".join(one.split())
        if not squeezed or squeezed.startswith("#") or squeezed in known:
            continue
        at = line + 1 + number if is_block else line
        if squeezed not in lenient:
            new.append((at, one))
    if new:
        more = f" and {plural(len(new) - 1, 'more line')}" if len(new) > 1 else ""
        yield Remark("ci_edited", f"now runs {_shortened(new[0][1])}{more}", new[0][0])


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a script with their numbers, backslash continuations joined."""
    begin, whole = 0, ""
    for number, line in enumerate(text.split("\n")):
        begin = number if not whole else begin
        whole += line.strip()
        if whole.endswith("\\"):
            whole = whole[:-1]
            continue
        yield begin, whole
        whole = ""
    if whole:
        yield begin, whole


def _shortened(text: str) -> str:
    """Return the first line, with a mark if more was cut off."""
    first = text.strip().partition("\n")[0]
    return first if len(first) <= MOST_QUOTED else first[: MOST_QUOTED - 1].rstrip() + "…"


def _matrix(job: Job) -> int:
    """Return the number of values in the matrix; -1 if it is computed."""
    texts = [text for text, _ in leaves(job.node.at("strategy", "matrix"))]
    return -1 if any("${{" in text for text in texts) else len(texts)


def _line_of(job: Job, scope: str) -> int:
    node = job.node.get("permissions", scope) or job.node.get("permissions") or job.node
    return node.line


def _listed(kinds: frozenset[str]) -> str:
    return ", ".join(sorted(kinds))
