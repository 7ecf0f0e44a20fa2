"""Commands of a tree's CI pipelines, followed into the tree's own scripts as far as these can be read.

A report that "nothing runs the tests any more" must follow `bash .ci/run` first. A command that may run anything and
cannot be followed is *opaque*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from assay.validators.changes.change import SourceTree, decoded
from assay.validators.io.structured_files import Node, Unreadable, yaml_document
from assay.validators.tools.commands.command_line import commands_of
from assay.validators.tools.commands.safe_commands import damage, installs, is_trivial
from assay.validators.tools.discovery.found_commands.split_commands import Part, parts_of
from assay.validators.tools.discovery.workflows import working_directory
from assay.validators.tools.runners import started

MOST_COMMANDS = 3000
"""Limit over all pipelines of a tree; one opaque, unread command stands for the rest."""

_HOLDS_COMMANDS = frozenset(
    "run script before_script after_script command commands bash sh pwsh powershell cmd install before_install".split()
)
_LEADS_ELSEWHERE = frozenset("include trigger template orbs".split())
_OUR_TREE = re.compile(r"\./[\w./-]+")
# The effect of these is known: they fetch, set up, publish, announce or pass files on.
_PLAIN_ACTION = re.compile(
    r"(?:actions|github)/.*|.*(?:setup|cache|install|checkout|upload|download|artifact|deploy|publish|release|label"
    r"|comment|login|codecov|coverage|slack|notify|filter|changed-files|stale|lint|scorecard|dependency|toolchain).*",
    re.IGNORECASE,
)
_PLAIN_DOCKER = frozenset("login logout push pull tag version info images".split())
_IN_GROOVY = re.compile(
    r"\b(?:sh|bat|powershell)\b[\s(]{0,9}(?:script:\s{0,9})?('''|\"\"\"|'|\")(.{0,2000}?)\1", re.DOTALL
)
_HEREDOC = re.compile(r"<<-?[ \t]{0,9}['\"]?(\w{1,40})")
_EXPRESSION = re.compile(r"\$\{\{.{0,500}?\}\}")
_PROGRAM_FILE = re.compile(r".+\.(?:py|js|mjs|cjs|ts|rb|pl|php|ps1|groovy)")
_MOST_LINES = 2000
_MOST_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class CiCommand:
    """A plain command, its pipeline, and the words there that lead to it.

    With `is_program` it is a line of a program (Python, JavaScript, …) that a command starts. `is_unread` stands for a
    whole pipeline that is too large or has no reader.
    """

    pipeline: str
    called_by: str
    line: str
    is_opaque: bool = False
    is_program: bool = False
    is_unread: bool = False


def ci_commands(tree: SourceTree, pipelines: Iterable[str], limit: int) -> list[CiCommand]:
    """Return the commands of these files, in order; files of more than `limit` bytes count as opaque."""
    found = list(islice(_all(tree, pipelines, limit), MOST_COMMANDS + 1))
    if len(found) > MOST_COMMANDS:
        last = found[-1]
        found[-1] = CiCommand(last.pipeline, "everything else", "", is_opaque=True, is_unread=True)
    return found


def _all(tree: SourceTree, pipelines: Iterable[str], limit: int) -> Iterator[CiCommand]:
    for path, content in tree.read_many(pipelines, limit):
        text = decoded(content or b"")
        try:
            if content is None or ("Jenkinsfile" in path and len(text) > _MOST_CHARACTERS):
                raise Unreadable("too large")
            written = _in_groovy(text) if "Jenkinsfile" in path else _in_yaml(tree, yaml_document(text))
            for line, directory in written:
                yield from _followed(tree, path, line, directory)
        except Unreadable:
            yield CiCommand(path, path, "", is_opaque=True, is_unread=True)


def _in_groovy(text: str) -> Iterator[tuple[str, str]]:
    for match in _IN_GROOVY.finditer(text):
        yield match[2], "."


def _in_yaml(tree: SourceTree, document: Node) -> Iterator[tuple[str, str]]:
    """Yield (script, working folder) for every value of a command key, at any depth."""
    left, seen = [document], {""}
    while left:
        one = left.pop()
        for name, below in one.pairs.items():
            if name in _HOLDS_COMMANDS and not _is_program(one):
                folder = working_directory(one) or "."
                for text in [below.text, *(item.text for item in below.items)]:
                    yield text, folder
            elif name in _LEADS_ELSEWHERE:
                yield f"{name}: {' '.join(below.texts)[:80]}", "."
            elif name == "uses" and below.text not in seen:
                seen.add(below.text)
                action = _own_action(tree, below.text)
                if action is not None:
                    left.append(action)
                elif not _is_plain_action(below.text):
                    yield f"uses: {below.text}", "."
        left.extend(reversed([*one.items, *one.pairs.values()]))


def _is_program(node: Node) -> bool:
    """Return whether `script:` here holds a program for an action (actions/github-script)."""
    return "github-token" in node.pairs or "result-encoding" in node.pairs


def _own_action(tree: SourceTree, uses: str) -> Node | None:
    """Return the document of a local action of this tree; workflows are pipelines and read separately."""
    if not _OUR_TREE.fullmatch(uses) or ".." in uses:
        return None
    folder = uses.removeprefix("./").rstrip("/")
    if folder.endswith((".yml", ".yaml")):
        return Node(1) if folder in tree else None
    for name in ("action.yml", "action.yaml"):
        content = tree.read(f"{folder}/{name}")
        if content is not None:
            return yaml_document(decoded(content))
    return None


def _is_plain_action(uses: str) -> bool:
    is_workflow = "/.github/workflows/" in uses or uses.startswith(("docker://", "./"))
    return not is_workflow and bool(_PLAIN_ACTION.fullmatch(uses.partition("@")[0]))


def _followed(tree: SourceTree, pipeline: str, script: str, directory: str) -> Iterator[CiCommand]:
    if script.startswith(("uses: ", *(f"{name}: " for name in _LEADS_ELSEWHERE))):
        yield CiCommand(pipeline, script, script, is_opaque=True)
        return
    for line in _lines(script):
        if not (words := commands_of(line)):
            continue
        called_by = " ".join(line.split())
        parts = parts_of(tree, directory, line)
        if not parts and not all(is_trivial(each) or each[0] in ("cd", "pushd") for each in words):
            # A target or script that could not be read.
            yield CiCommand(pipeline, called_by, line, is_opaque=True)
        for part in parts:
            yield CiCommand(pipeline, called_by, part.line, is_opaque=_is_opaque(part))
            for written in _program_lines(tree, part):
                yield CiCommand(pipeline, called_by, written, is_program=True)


def _lines(script: str) -> Iterator[str]:
    """Yield the lines of a script, continuations joined, without text fed to a command (`<<EOF`)."""
    until: str | None = None
    for line in _EXPRESSION.sub("$X", script[:_MOST_CHARACTERS].replace("\\\n", " ")).split("\n"):
        if until is not None:
            until = None if line.strip() == until else until
            continue
        yield line
        fed = _HEREDOC.search(line)
        until = fed[1] if fed else None


def _is_opaque(part: Part) -> bool:
    words = started(part.words)
    while words and (words[0] == "sudo" or "=" in words[0]):
        words = words[1:]
    if not words:
        return False
    if words[0] in ("docker", "docker-compose", "podman"):
        return words[1:2] == [] or words[1] not in _PLAIN_DOCKER
    return part.known is None and not (is_trivial(words) or installs(words) or damage(words))


def _program_lines(tree: SourceTree, part: Part) -> Sequence[str]:
    """Yield the lines of a program of the tree that a command starts: not commands, but they may name one."""
    for word in part.words[:3]:
        path = word.removeprefix("./") if part.directory == "." else f"{part.directory}/{word.removeprefix('./')}"
        if _PROGRAM_FILE.fullmatch(path) and path in tree:
            lines = decoded(tree.read(path) or b"").split("\n")[:_MOST_LINES]
            return [line for line in lines if not line.lstrip().startswith(("#", "//"))]
    return ()
