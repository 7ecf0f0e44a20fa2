"""The command line: a lazy table of commands, and the mapping of errors to messages and exit codes.

Exit codes: 0 success, 1 the change failed or is held, 2 usage or configuration, 3 could not run.
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
    "validate": ("assay.cli.validate", "validate_command", "Validate a change between two revisions of a repository"),
    "init": (
        "assay.cli.init",
        "init_command",
        "Write workflows and a configuration, and show what Assay would have said",
    ),
    "graph": ("assay.cli.graph", "graph_command", "Write the import graph of a repository to standard output"),
    "risk": ("assay.cli.risk", "risk_command", "Show risk levels of past changes, and what became of them"),
    "config": ("assay.cli.config", "config_command", "Check, show or describe the configuration"),
    "schema": ("assay.cli.schema", "schema_command", "Print the JSON Schema of a file Assay reads or writes"),
    "app": ("assay.cli.app.command", "app_command", "Register the GitHub App and open its pages"),
    "serve": ("assay.cli.app.serve", "serve_command", "Run the GitHub App: web server and worker"),
    "worker": ("assay.cli.app.serve", "worker_command", "Run a worker of the GitHub App without the web server"),
    "doctor": ("assay.cli.app.doctor", "doctor_command", "Check the GitHub App's setup"),
    "jobs": ("assay.cli.app.jobs", "jobs_command", "List jobs, retry failed ones, and request lost webhooks"),
    "action": ("assay.cli.action", "action_command", "Run one step of the GitHub Action"),
    "memory": ("assay.cli.memory.command", "memory_command", "Evaluate an agent's memory"),
    "rules": ("assay.cli.rules.command", "rules_command", "Manage rules learned from review comments"),
    "sync": ("assay.cli.app.sync", "sync_command", "Import a repository's history from GitHub"),
    "token": ("assay.cli.app.token", "token_command", "Create, list and revoke API tokens"),
    "feedback": (
        "assay.cli.agent.feedback",
        "feedback_command",
        "Print the feedback question for a task, or submit an answer",
    ),
    "mcp": ("assay.cli.agent.mcp", "mcp_command", "Serve rules, insights and validation to an agent over MCP"),
    "demo": ("assay.cli.demo", "demo_command", "Validate an example change and write its reports"),
}
"""Command -> module, attribute, help line. A module is imported only when its command is called."""

EXTRAS = {
    **dict.fromkeys("app serve worker doctor jobs rules sync token".split(), "app"),
    "action": "action",
    "memory": "memory",
    **dict.fromkeys("feedback mcp".split(), "mcp"),
}
"""Command -> the extra that installs its packages, if not `cli`."""

INTERRUPTED = 130

# Pydantic reads the metadata of every installed package to find plugins; Assay uses none.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


class _Verbs(click.Group):
    """Group that imports a command when it is called, and names the missing extra if the import fails."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module, name, _ = VERBS[cmd_name]
        collects = gc.isenabled()
        gc.disable()  # imports create no garbage, and collecting takes a fifth of the startup time
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
                gc.freeze()  # keeps later collections from scanning the imported modules
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is answered with those that are spelled alike."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(error.command_name, possibilities=VERBS, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands from the table, so that help is fast and needs no extra."""
        with formatter.section("Commands"):
            formatter.write_dl([(verb, line) for verb, (_, _, line) in VERBS.items()])


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, "--version", prog_name="assay", message="%(prog)s %(version)s")
def assay() -> None:
    """Validate changes made by coding agents, and evaluate agents' memory."""


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str], group: click.Command = assay) -> int:
    """Run one command and return its exit code."""
    out = sys.stdout
    try:
        result = group.main(arguments, prog_name="assay", standalone_mode=False)
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
        return _output_closed()
    except SystemExit:
        # click handles a closed stdout first: it replaces sys.stdout and raises SystemExit.
        if sys.stdout is not out:
            return _output_closed()
        raise
    except Exception as error:  # noqa: BLE001 - users see one line, not a traceback
        return _report_error(error)


def _output_closed() -> int:
    from assay.cli.display.outputs import discard_output

    discard_output()
    return 0


def _report_error(error: Exception) -> int:
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
        # The folder is world-writable: mkstemp creates a new file with a random name, readable by this user only.
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
