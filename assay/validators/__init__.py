"""The room that judges one change: three tiers, one report. These are its names for the rest of the house.

    repository = Repository(".")
    report = validate(change_between(repository, "main", "topic"), ValidationConfig())

Nothing is loaded before it is used, so that looking at this room costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.validators.amending import configuration_of, joined_tools, with_tools, with_waivers
    from assay.validators.attribution import AGENTS, Agent
    from assay.validators.attribution import TOLD as TOLD_AGENT
    from assay.validators.attribution import signals_of as agent_signals
    from assay.validators.change import ChangeSet, CommitInfo, FileStatus, SourceTree, shown
    from assay.validators.classify import Nature, nature_of
    from assay.validators.config import (
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
    from assay.validators.configuration import FILES as CONFIGURATION_FILES
    from assay.validators.configuration import KnownNames, LoadedConfiguration, load_configuration, load_file
    from assay.validators.errors import (
        ConfigurationError,
        ConfigurationProblem,
        CouldNotRun,
        GitFailed,
        JudgingEnded,
        NotARepository,
        ObjectMissing,
        RemoteRefused,
        ReportUnreadable,
        TooLarge,
        UsageError,
        ValidatorError,
    )
    from assay.validators.fixing import validate_and_fix
    from assay.validators.git import WORKTREE, Repository
    from assay.validators.globs import matcher as path_matcher
    from assay.validators.graph import ImportGraph, build_graph
    from assay.validators.graph_export import GRAPH_FORMATS, impact_of
    from assay.validators.judging import Commands, JudgeRequest, Stop, judge_apart
    from assay.validators.language_table import suffixes as language_suffixes
    from assay.validators.learned import MOST_RULES as MOST_LEARNED_RULES
    from assay.validators.learned import (
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
    from assay.validators.mirroring import Mirror, Remote, holds_change, is_commit_id
    from assay.validators.pipeline import Options, known_names, validate
    from assay.validators.progress import Progress, Silent
    from assay.validators.quality import RULES
    from assay.validators.quality.learned_checks import where_check_matches
    from assay.validators.read_change import read_change as change_between
    from assay.validators.render import FORMATS
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
    from assay.validators.render.terminal import show as show_in_terminal
    from assay.validators.report import (
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
    from assay.validators.report_reader import path_of, read_report, read_tools
    from assay.validators.risk import SIGNALS
    from assay.validators.scan_cache import default_cache as default_scan_cache
    from assay.validators.strict_json import NotStrict, read_strict_json, strict_values
    from assay.validators.tools.coverage_files import read_coverage
    from assay.validators.tools.discover import Explanation, explain
    from assay.validators.tools.fix import tool_failures
    from assay.validators.tools.installed import InstalledTool, installed
    from assay.validators.trees import FolderTree
    from assay.validators.verdict import exit_code
    from assay.validators.waiver import Waiver, WaiverKind

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
    "JudgeRequest",
    "JudgingEnded",
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
    "ValidationReport",
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
    "judge_apart",
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
    "where_check_matches",
    "with_tools",
    "with_waivers",
]

_HOMES = {
    "AGENTS": "attribution:AGENTS",
    "CONFIGURATION_FILES": "configuration:FILES",
    "FORMATS": "render:FORMATS",
    "GRAPH_FORMATS": "graph_export:GRAPH_FORMATS",
    "MOST_LEARNED_RULES": "learned:MOST_RULES",
    "OWN_COMMANDS": "report:OWN_COMMANDS",
    "RULES": "quality:RULES",
    "SIGNALS": "risk:SIGNALS",
    "TOLD_AGENT": "attribution:TOLD",
    "UNTRUSTED_RUN": "report:UNTRUSTED_RUN",
    "WORKTREE": "git:WORKTREE",
    "Agent": "attribution:Agent",
    "AgentGuess": "report:AgentGuess",
    "ChangeSet": "change:ChangeSet",
    "CheckKind": "learned:CheckKind",
    "Command": "config:Command",
    "Commands": "judging:Commands",
    "Comments": "config:Comments",
    "Commit": "report:Commit",
    "CommitInfo": "change:CommitInfo",
    "Conclusion": "report:Conclusion",
    "ConfigurationError": "errors:ConfigurationError",
    "ConfigurationProblem": "errors:ConfigurationProblem",
    "CouldNotRun": "errors:CouldNotRun",
    "Counts": "report:Counts",
    "Explanation": "tools.discover:Explanation",
    "FailOn": "config:FailOn",
    "FileStatus": "change:FileStatus",
    "Finding": "report:Finding",
    "FolderTree": "trees:FolderTree",
    "Gate": "report:Gate",
    "GitFailed": "errors:GitFailed",
    "HandBack": "config:HandBack",
    "ImportGraph": "graph:ImportGraph",
    "InstalledTool": "tools.installed:InstalledTool",
    "JudgeRequest": "judging:JudgeRequest",
    "JudgingEnded": "errors:JudgingEnded",
    "KnownNames": "configuration:KnownNames",
    "LearnedCheck": "learned:LearnedCheck",
    "LearnedRule": "learned:LearnedRule",
    "Learning": "config:Learning",
    "LineCoverage": "report:LineCoverage",
    "LoadedConfiguration": "configuration:LoadedConfiguration",
    "Mirror": "mirroring:Mirror",
    "Nature": "classify:Nature",
    "nature_of": "classify:nature_of",
    "NotARepository": "errors:NotARepository",
    "NotARule": "learned:NotARule",
    "NotChecked": "report:NotChecked",
    "NotStrict": "strict_json:NotStrict",
    "ObjectMissing": "errors:ObjectMissing",
    "Options": "pipeline:Options",
    "Outcome": "report:Outcome",
    "Progress": "progress:Progress",
    "Remote": "mirroring:Remote",
    "RemoteRefused": "errors:RemoteRefused",
    "RepeatAlerts": "config:RepeatAlerts",
    "ReportUnreadable": "errors:ReportUnreadable",
    "Repository": "git:Repository",
    "RiskLevel": "report:RiskLevel",
    "Sandbox": "config:Sandbox",
    "Severity": "report:Severity",
    "Silent": "progress:Silent",
    "SourceTree": "change:SourceTree",
    "Stop": "judging:Stop",
    "Tier": "report:Tier",
    "Tier1": "config:Tier1",
    "TooLarge": "errors:TooLarge",
    "ToolKind": "report:ToolKind",
    "ToolRun": "report:ToolRun",
    "ToolsResult": "report:ToolsResult",
    "UsageError": "errors:UsageError",
    "ValidationConfig": "config:ValidationConfig",
    "ValidationReport": "report:ValidationReport",
    "ValidatorError": "errors:ValidatorError",
    "Waiver": "waiver:Waiver",
    "WaiverKind": "waiver:WaiverKind",
    "Where": "learned:Where",
    "agent_signals": "attribution:signals_of",
    "as_code": "render.escape:code",
    "as_fenced": "render.escape:fenced",
    "as_prose": "render.escape:prose",
    "as_visible": "render.escape:visible",
    "as_visible_lines": "render.escape:visible_lines",
    "build_graph": "graph:build_graph",
    "change_between": "read_change:read_change",
    "check_from": "learned:check_from",
    "configuration_of": "amending:configuration_of",
    "counted": "render.phrases:counted",
    "default_scan_cache": "scan_cache:default_cache",
    "exit_code": "verdict:exit_code",
    "explain": "tools.discover:explain",
    "fix_prompt": "render.fix_prompt:fix_prompt",
    "holds_change": "mirroring:holds_change",
    "impact_of": "graph_export:impact_of",
    "installed": "tools.installed:installed",
    "is_commit_id": "mirroring:is_commit_id",
    "joined_tools": "amending:joined_tools",
    "judge_apart": "judging:judge_apart",
    "known_names": "pipeline:known_names",
    "language_suffixes": "language_table:suffixes",
    "learned_file": "learned:learned_file",
    "load_configuration": "configuration:load_configuration",
    "load_file": "configuration:load_file",
    "markdown_details": "render.markdown:details",
    "markdown_summary": "render.markdown:summary",
    "path_matcher": "globs:matcher",
    "path_of": "report_reader:path_of",
    "read_coverage": "tools.coverage_files:read_coverage",
    "read_learned_file": "learned:read_learned_file",
    "read_report": "report_reader:read_report",
    "read_strict_json": "strict_json:read_strict_json",
    "read_tools": "report_reader:read_tools",
    "rule_from": "learned:rule_from",
    "show_in_terminal": "render.terminal:show",
    "shown": "change:shown",
    "strict_values": "strict_json:strict_values",
    "tool_failures": "tools.fix:tool_failures",
    "tools_document": "render.json:tools_document",
    "validate": "pipeline:validate",
    "validate_and_fix": "fixing:validate_and_fix",
    "where_check_matches": "quality.learned_checks:where_check_matches",
    "with_tools": "amending:with_tools",
    "with_waivers": "amending:with_waivers",
}
"""Name -> module below this one, and what it is called there."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, inner = _HOMES[name].partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), inner)


def __dir__() -> list[str]:
    return __all__
