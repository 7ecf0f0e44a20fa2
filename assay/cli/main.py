"""`assay`: the commands, and the one place where bad news becomes a line on the terminal and an exit code.

Exit codes: 0 fine, 1 the change failed (or is held), 2 usage or configuration, 3 could not run.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import os
import sys
import tempfile
import traceback
from typing import NoReturn

import click

from assay import __version__

VERBS = {
    "validate": (
        "assay.cli.validate",
        "validate_command",
        "Judge the change between two revisions of the repository at PATH.",
    ),
    "graph": (
        "assay.cli.graph",
        "graph_command",
        "Write the import graph of the repository around PATH (default: here) to standard output.",
    ),
    "config": ("assay.cli.config", "config_command", "Check, show or describe the configuration."),
    "schema": ("assay.cli.schema", "schema_command", "Print the JSON Schema of what Assay writes."),
    "app": ("assay.cli.app.command", "app_command", "Register the GitHub App, and get into its pages."),
    "serve": (
        "assay.cli.app.serve",
        "serve_command",
        "Run the GitHub App: the web server that hears GitHub, and a worker that judges.",
    ),
    "work": (
        "assay.cli.app.serve",
        "work_command",
        "Run a worker of the GitHub App alone, as many as wanted on as many machines, over one PostgreSQL.",
    ),
    "doctor": (
        "assay.cli.app.doctor",
        "doctor_command",
        "Look whether the GitHub App can work, and say how to mend what keeps it from working.",
    ),
    "jobs": (
        "assay.cli.app.jobs",
        "jobs_command",
        "Show what the GitHub App is doing, and release what it gave up on.",
    ),
    "action": (
        "assay.cli.action",
        "action_command",
        "Judge a change inside a GitHub workflow: the steps that action.yml runs, in this order.",
    ),
    "memory": (
        "assay.cli.memory.command",
        "memory_command",
        "Examine an agent's memory: teach it a long dialogue, ask, grade, and say where it is weak.",
    ),
    "rules": (
        "assay.cli.rules.command",
        "rules_command",
        "Look after the rules that reviewers' comments became, and compare comments with each other.",
    ),
    "metrics": (
        "assay.cli.records.metrics",
        "metrics_command",
        "Show what came of pull requests: merged at first review, rounds, CI, comments, repeats, times.",
    ),
    "sync": (
        "assay.cli.app.sync",
        "sync_command",
        "Read a repository's history from GitHub into the database, as if the App had been there from DATE on.",
    ),
    "prompts": (
        "assay.cli.records.prompts",
        "prompts_command",
        "Look at the versions of the instructions agents work under; a version may be shortened to its beginning.",
    ),
    "experiments": (
        "assay.cli.records.experiments",
        "experiments_command",
        "Try prompts against each other: assign tasks to variants, compare what became of them, and end it.",
    ),
    "token": ("assay.cli.app.token", "token_command", "Make, list and revoke tokens for agents and their harnesses."),
    "feedback": (
        "assay.cli.records.feedback",
        "feedback_command",
        "Print the question for an agent whose task has ended, or keep its ANSWER.",
    ),
    "traces": ("assay.cli.records.traces", "traces_command", "Read sessions of agents from their files."),
    "insights": (
        "assay.cli.records.insights",
        "insights_command",
        "Look through what was learned from tasks: what agents lacked, and why tasks failed.",
    ),
    "mcp": (
        "assay.cli.mcp",
        "mcp_command",
        "Serve rules, insights, feedback and judging to a coding agent at work in the repository at PATH.",
    ),
    "demo": (
        "assay.cli.demo",
        "demo_command",
        "Judge a landed change of a repository (default: Assay's own) and write the report in four formats.",
    ),
}
"""Verb -> where its command lives, and its line in the help. Nothing of a verb is imported before it is called."""

EXTRAS = {
    **dict.fromkeys("app serve work doctor jobs rules metrics sync prompts experiments".split(), "app"),
    **dict.fromkeys("token feedback traces insights".split(), "app"),
    "action": "action",
    "memory": "memory",
    "mcp": "mcp",
}
"""Verb -> the extra its packages come with, where that is not `cli`."""

INTERRUPTED = 130

# Pydantic looks for plugins in the metadata of every installed package; Assay uses none.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


class _Verbs(click.Group):
    """Loads a verb when it is named, and says which extra is missing when it cannot be loaded."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module, name, _ = VERBS[cmd_name]
        collects = gc.isenabled()
        gc.disable()  # nothing that is loaded is rubbish, and looking for some is a fifth of the whole start
        try:
            command: click.Command = getattr(importlib.import_module(module), name)
        except ModuleNotFoundError as error:
            if error.name and error.name.split(".")[0] == "assay":
                raise
            extra = EXTRAS.get(cmd_name, "cli")
            ctx.fail(f"`assay {cmd_name}` needs the package {error.name!r}: install Assay with its `{extra}` extra")
        finally:
            if collects:
                gc.enable()
                gc.freeze()  # nor does any later collection look through what was loaded
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs from the table: help is quick, and works where a verb's packages are missing."""
        with formatter.section("Commands"):
            formatter.write_dl([(verb, line) for verb, (_, _, line) in VERBS.items()])


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "--version", prog_name="assay", message="%(prog)s %(version)s")
def assay() -> None:
    """Assay tests what coding agents bring to a repository, and what their memory is worth."""


def main() -> NoReturn:
    """Run the command line; every way out is a meaningful exit code, and no traceback reaches a user."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and give its exit code."""
    out = sys.stdout
    try:
        result = assay.main(arguments, prog_name="assay", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as leaving:
        return int(leaving.exit_code)
    except click.ClickException as error:
        _say(_one_line(error))
        return 2
    except (click.Abort, KeyboardInterrupt):
        _say("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        return _nobody_reads()
    except SystemExit:
        # click sees before we do that nobody reads any more: it puts something deaf in place of the output, and leaves.
        if sys.stdout is not out:
            return _nobody_reads()
        raise
    except Exception as error:  # noqa: BLE001 - the last door: whatever comes here becomes one line
        return _last_word(error)


def _nobody_reads() -> int:
    from assay.cli.outputs import discard_output

    discard_output()
    return 0


def _last_word(error: Exception) -> int:
    code = getattr(error, "exit_code", None)
    if isinstance(code, int):
        _say(str(error))
        return code
    if os.environ.get("ASSAY_DEBUG"):
        traceback.print_exc()
        return 3
    text = traceback.format_exc()
    incident = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    try:
        # In a folder everybody writes to: a new file of a name nobody can guess, readable by us alone.
        descriptor, path = tempfile.mkstemp(prefix=f"assay-incident-{incident}-", suffix=".log")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        where = f"details in {path}"
    except OSError:
        where = "run again with ASSAY_DEBUG=1 for details"
    _say(f"internal error {incident} ({type(error).__name__}): {where}; please report it")
    return 3


def _one_line(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    hint = f" (see `{context.command_path} --help`)" if isinstance(error, click.UsageError) and context else ""
    return " ".join(error.format_message().split()) + hint


def _say(text: str) -> None:
    for line in text.splitlines() or [""]:
        shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in line)
        print(f"assay: {shown}", file=sys.stderr)
