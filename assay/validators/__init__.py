"""Validators: three tiers that check one change, and one report. This module exports their public names.

    repository = Repository(".")
    report = validate(change_between(repository, "main", "topic"), ValidationConfig())

Modules are loaded on first use, so that importing this package is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.validators.change import ChangeSet, CommitInfo, FileStatus, SourceTree, shown
    from assay.validators.classify import Nature, nature_of
    from assay.validators.configuration import FILES as CONFIGURATION_FILES
    from assay.validators.configuration import KnownNames, LoadedConfiguration, load_configuration, load_file
    from assay.validators.configuration.model import (
        Command,
        Comments,
        FailOn,
        HandBack,
        Learning,
        RepeatAlerts,
        Sandbox,
        Tier1,
        ValidationConfig,
    )
    from assay.validators.errors import (
        ConfigurationError,
        ConfigurationProblem,
        CouldNotRun,
        GitFailed,
        NotARepository,
        ObjectMissing,
        RemoteRefused,
        ReportUnreadable,
        TooLarge,
        UsageError,
        ValidationEnded,
        ValidatorError,
    )
    from assay.validators.graph.export import GRAPH_FORMATS, impact_of
    from assay.validators.graph.import_graph import ImportGraph, build_graph
    from assay.validators.graph.scan_cache import default_cache as default_scan_cache
    from assay.validators.io.globs import matcher as path_matcher
    from assay.validators.io.strict_json import NotStrict, read_strict_json, strict_values
    from assay.validators.language_table import suffixes as language_suffixes
    from assay.validators.progress import Progress, Silent
    from assay.validators.quality.learned.checks import where_check_matches
    from assay.validators.quality.learned_model import MOST_RULES as MOST_LEARNED_RULES
    from assay.validators.quality.learned_model import (
        CheckKind,
        LearnedCheck,
        LearnedRule,
        NotARule,
        Where,
        check_from,
        learned_file,
        read_learned_file,
        rule_from,
    )
    from assay.validators.quality.register import RULES
    from assay.validators.render.escape import code as as_code
    from assay.validators.render.escape import fenced as as_fenced
    from assay.validators.render.escape import prose as as_prose
    from assay.validators.render.escape import visible as as_visible
    from assay.validators.render.escape import visible_lines as as_visible_lines
    from assay.validators.render.fix_prompt import fix_prompt
    from assay.validators.render.json import tools_document
    from assay.validators.render.markdown import details as markdown_details
    from assay.validators.render.markdown import summary as markdown_summary
    from assay.validators.render.phrases import counted
    from assay.validators.render.register import FORMATS
    from assay.validators.render.terminal import show as show_in_terminal
    from assay.validators.report.attribution import AGENTS, Agent
    from assay.validators.report.attribution import TOLD as TOLD_AGENT
    from assay.validators.report.attribution import signals_of as agent_signals
    from assay.validators.report.model import (
        OWN_COMMANDS,
        UNTRUSTED_RUN,
        AgentGuess,
        Commit,
        Conclusion,
        Counts,
        Finding,
        Gate,
        LineCoverage,
        NotChecked,
        Outcome,
        RiskLevel,
        Severity,
        Tier,
        ToolKind,
        ToolRun,
        ToolsResult,
        ValidationReport,
    )
    from assay.validators.report.read import path_of, read_report, read_tools
    from assay.validators.report.waiver import Waiver, WaiverKind
    from assay.validators.risk.register import SIGNALS
    from assay.validators.run.amend import configuration_of, joined_tools, with_tools, with_waivers
    from assay.validators.run.fixing import validate_and_fix
    from assay.validators.run.isolated import Commands, Stop, ValidationRequest, validate_isolated
    from assay.validators.run.pipeline import Options, known_names, validate
    from assay.validators.tools.coverage.files import read_coverage
    from assay.validators.tools.discovery.discover import Explanation, explain
    from assay.validators.tools.execution.installed import InstalledTool, installed
    from assay.validators.tools.fix import tool_failures
    from assay.validators.vcs.clone_cache import Mirror, Remote, holds_change, is_commit_id
    from assay.validators.vcs.read_change import read_change as change_between
    from assay.validators.vcs.repository import WORKTREE, Repository
    from assay.validators.vcs.trees import FolderTree
    from assay.validators.verdict import exit_code

__all__ = [
    "AGENTS",
    "CONFIGURATION_FILES",
    "FORMATS",
    "GRAPH_FORMATS",
    "MOST_LEARNED_RULES",
    "OWN_COMMANDS",
    "RULES",
    "SIGNALS",
    "TOLD_AGENT",
    "UNTRUSTED_RUN",
    "WORKTREE",
    "Agent",
    "AgentGuess",
    "ChangeSet",
    "CheckKind",
    "Command",
    "Commands",
    "Comments",
    "Commit",
    "CommitInfo",
    "Conclusion",
    "ConfigurationError",
    "ConfigurationProblem",
    "CouldNotRun",
    "Counts",
    "Explanation",
    "FailOn",
    "FileStatus",
    "Finding",
    "FolderTree",
    "Gate",
    "GitFailed",
    "HandBack",
    "ImportGraph",
    "InstalledTool",
    "KnownNames",
    "LearnedCheck",
    "LearnedRule",
    "Learning",
    "LineCoverage",
    "LoadedConfiguration",
    "Mirror",
    "Nature",
    "NotARepository",
    "NotARule",
    "NotChecked",
    "NotStrict",
    "ObjectMissing",
    "Options",
    "Outcome",
    "Progress",
    "Remote",
    "RemoteRefused",
    "RepeatAlerts",
    "ReportUnreadable",
    "Repository",
    "RiskLevel",
    "Sandbox",
    "Severity",
    "Silent",
    "SourceTree",
    "Stop",
    "Tier",
    "Tier1",
    "TooLarge",
    "ToolKind",
    "ToolRun",
    "ToolsResult",
    "UsageError",
    "ValidationConfig",
    "ValidationEnded",
    "ValidationReport",
    "ValidationRequest",
    "ValidatorError",
    "Waiver",
    "WaiverKind",
    "Where",
    "agent_signals",
    "as_code",
    "as_fenced",
    "as_prose",
    "as_visible",
    "as_visible_lines",
    "build_graph",
    "change_between",
    "check_from",
    "configuration_of",
    "counted",
    "default_scan_cache",
    "exit_code",
    "explain",
    "fix_prompt",
    "holds_change",
    "impact_of",
    "installed",
    "is_commit_id",
    "joined_tools",
    "known_names",
    "language_suffixes",
    "learned_file",
    "load_configuration",
    "load_file",
    "markdown_details",
    "markdown_summary",
    "nature_of",
    "path_matcher",
    "path_of",
    "read_coverage",
    "read_learned_file",
    "read_report",
    "read_strict_json",
    "read_tools",
    "rule_from",
    "show_in_terminal",
    "shown",
    "strict_values",
    "tool_failures",
    "tools_document",
    "validate",
    "validate_and_fix",
    "validate_isolated",
    "where_check_matches",
    "with_tools",
    "with_waivers",
]

_HOMES = {
    "AGENTS": "report.attribution:AGENTS",
    "CONFIGURATION_FILES": "configuration:FILES",
    "FORMATS": "render.register:FORMATS",
    "GRAPH_FORMATS": "graph.export:GRAPH_FORMATS",
    "MOST_LEARNED_RULES": "quality.learned_model:MOST_RULES",
    "OWN_COMMANDS": "report.model:OWN_COMMANDS",
    "RULES": "quality.register:RULES",
    "SIGNALS": "risk.register:SIGNALS",
    "TOLD_AGENT": "report.attribution:TOLD",
    "UNTRUSTED_RUN": "report.model:UNTRUSTED_RUN",
    "WORKTREE": "vcs.repository:WORKTREE",
    "Agent": "report.attribution:Agent",
    "AgentGuess": "report.model:AgentGuess",
    "ChangeSet": "change:ChangeSet",
    "CheckKind": "quality.learned_model:CheckKind",
    "Command": "configuration.model:Command",
    "Commands": "run.isolated:Commands",
    "Comments": "configuration.model:Comments",
    "Commit": "report.model:Commit",
    "CommitInfo": "change:CommitInfo",
    "Conclusion": "report.model:Conclusion",
    "ConfigurationError": "errors:ConfigurationError",
    "ConfigurationProblem": "errors:ConfigurationProblem",
    "CouldNotRun": "errors:CouldNotRun",
    "Counts": "report.model:Counts",
    "Explanation": "tools.discovery.discover:Explanation",
    "FailOn": "configuration.model:FailOn",
    "FileStatus": "change:FileStatus",
    "Finding": "report.model:Finding",
    "FolderTree": "vcs.trees:FolderTree",
    "Gate": "report.model:Gate",
    "GitFailed": "errors:GitFailed",
    "HandBack": "configuration.model:HandBack",
    "ImportGraph": "graph.import_graph:ImportGraph",
    "InstalledTool": "tools.execution.installed:InstalledTool",
    "KnownNames": "configuration:KnownNames",
    "LearnedCheck": "quality.learned_model:LearnedCheck",
    "LearnedRule": "quality.learned_model:LearnedRule",
    "Learning": "configuration.model:Learning",
    "LineCoverage": "report.model:LineCoverage",
    "LoadedConfiguration": "configuration:LoadedConfiguration",
    "Mirror": "vcs.clone_cache:Mirror",
    "Nature": "classify:Nature",
    "NotARepository": "errors:NotARepository",
    "NotARule": "quality.learned_model:NotARule",
    "NotChecked": "report.model:NotChecked",
    "NotStrict": "io.strict_json:NotStrict",
    "ObjectMissing": "errors:ObjectMissing",
    "Options": "run.pipeline:Options",
    "Outcome": "report.model:Outcome",
    "Progress": "progress:Progress",
    "Remote": "vcs.clone_cache:Remote",
    "RemoteRefused": "errors:RemoteRefused",
    "RepeatAlerts": "configuration.model:RepeatAlerts",
    "ReportUnreadable": "errors:ReportUnreadable",
    "Repository": "vcs.repository:Repository",
    "RiskLevel": "report.model:RiskLevel",
    "Sandbox": "configuration.model:Sandbox",
    "Severity": "report.model:Severity",
    "Silent": "progress:Silent",
    "SourceTree": "change:SourceTree",
    "Stop": "run.isolated:Stop",
    "Tier": "report.model:Tier",
    "Tier1": "configuration.model:Tier1",
    "TooLarge": "errors:TooLarge",
    "ToolKind": "report.model:ToolKind",
    "ToolRun": "report.model:ToolRun",
    "ToolsResult": "report.model:ToolsResult",
    "UsageError": "errors:UsageError",
    "ValidationConfig": "configuration.model:ValidationConfig",
    "ValidationEnded": "errors:ValidationEnded",
    "ValidationReport": "report.model:ValidationReport",
    "ValidationRequest": "run.isolated:ValidationRequest",
    "ValidatorError": "errors:ValidatorError",
    "Waiver": "report.waiver:Waiver",
    "WaiverKind": "report.waiver:WaiverKind",
    "Where": "quality.learned_model:Where",
    "agent_signals": "report.attribution:signals_of",
    "as_code": "render.escape:code",
    "as_fenced": "render.escape:fenced",
    "as_prose": "render.escape:prose",
    "as_visible": "render.escape:visible",
    "as_visible_lines": "render.escape:visible_lines",
    "build_graph": "graph.import_graph:build_graph",
    "change_between": "vcs.read_change:read_change",
    "check_from": "quality.learned_model:check_from",
    "configuration_of": "run.amend:configuration_of",
    "counted": "render.phrases:counted",
    "default_scan_cache": "graph.scan_cache:default_cache",
    "exit_code": "verdict:exit_code",
    "explain": "tools.discovery.discover:explain",
    "fix_prompt": "render.fix_prompt:fix_prompt",
    "holds_change": "vcs.clone_cache:holds_change",
    "impact_of": "graph.export:impact_of",
    "installed": "tools.execution.installed:installed",
    "is_commit_id": "vcs.clone_cache:is_commit_id",
    "joined_tools": "run.amend:joined_tools",
    "known_names": "run.pipeline:known_names",
    "language_suffixes": "language_table:suffixes",
    "learned_file": "quality.learned_model:learned_file",
    "load_configuration": "configuration:load_configuration",
    "load_file": "configuration:load_file",
    "markdown_details": "render.markdown:details",
    "markdown_summary": "render.markdown:summary",
    "nature_of": "classify:nature_of",
    "path_matcher": "io.globs:matcher",
    "path_of": "report.read:path_of",
    "read_coverage": "tools.coverage.files:read_coverage",
    "read_learned_file": "quality.learned_model:read_learned_file",
    "read_report": "report.read:read_report",
    "read_strict_json": "io.strict_json:read_strict_json",
    "read_tools": "report.read:read_tools",
    "rule_from": "quality.learned_model:rule_from",
    "show_in_terminal": "render.terminal:show",
    "shown": "change:shown",
    "strict_values": "io.strict_json:strict_values",
    "tool_failures": "tools.fix:tool_failures",
    "tools_document": "render.json:tools_document",
    "validate": "run.pipeline:validate",
    "validate_and_fix": "run.fixing:validate_and_fix",
    "validate_isolated": "run.isolated:validate_isolated",
    "where_check_matches": "quality.learned.checks:where_check_matches",
    "with_tools": "run.amend:with_tools",
    "with_waivers": "run.amend:with_waivers",
}
"""Public name -> submodule and name there."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, inner = _HOMES[name].partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), inner)


def __dir__() -> list[str]:
    return __all__
