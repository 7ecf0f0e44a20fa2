"""Validators: three tiers that check one change, and one report. This module exports their public names.

    repository = Repository(".")
    report = validate(change_between(repository, "main", "topic"), ValidationConfig())

Modules are loaded on first use, so that importing this package is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from assay.escape import code as as_code
    from assay.escape import fenced as as_fenced
    from assay.escape import prose as as_prose
    from assay.escape import visible as as_visible
    from assay.escape import visible_lines as as_visible_lines
    from assay.validators.changes.change import ChangeSet, CommitInfo, FileStatus, SourceTree, path_of, shown
    from assay.validators.changes.classify import Nature, nature_of
    from assay.validators.changes.inherited import (
        ORGANIZATION_FILE,
        ORGANIZATION_REPOSITORY,
        Inherited,
        InheritedFile,
    )
    from assay.validators.changes.landed import LandedChange
    from assay.validators.changes.language_table import language_of
    from assay.validators.changes.language_table import suffixes as language_suffixes
    from assay.validators.changes.past_pulls import MOST_PATHS, MOST_PULLS, PastPull
    from assay.validators.configuration.checking import KnownNames
    from assay.validators.configuration.layers import lock_of
    from assay.validators.configuration.loading import (
        CONFIGURATION,
        LoadedConfiguration,
        extends_of,
        load_configuration,
        load_file,
    )
    from assay.validators.configuration.loading import PLACES as CONFIGURATION_PLACES
    from assay.validators.configuration.model import (
        Command,
        Comments,
        ConfirmedBy,
        FailOn,
        HandBack,
        HoldOn,
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
        UnreadableCoverage,
        UsageError,
        ValidationEnded,
        ValidatorError,
    )
    from assay.validators.graph.export import GRAPH_FORMATS, as_json, impact_of
    from assay.validators.graph.import_graph import Graphs, ImportGraph, build_graph
    from assay.validators.graph.ranked_tests import ranked_tests
    from assay.validators.graph.scan_cache import default_cache as default_scan_cache
    from assay.validators.io.globs import matcher as path_matcher
    from assay.validators.io.strict_json import NotStrict, read_strict_json, strict_values
    from assay.validators.policy.verdict import exit_code
    from assay.validators.progress import Deadline, Progress, Silent
    from assay.validators.quality.inputs.learned_model import MOST_RULES as MOST_LEARNED_RULES
    from assay.validators.quality.inputs.learned_model import (
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
    from assay.validators.quality.learned.checks import code_of, resolved_name, run_checks_on, where_check_matches
    from assay.validators.quality.register import RULES
    from assay.validators.render.first_screen import first_screen
    from assay.validators.render.fix_prompt import fix_prompt
    from assay.validators.render.format import FORMATS
    from assay.validators.render.format import rendered as report_as
    from assay.validators.render.json import document as tools_document
    from assay.validators.render.markdown import details as markdown_details
    from assay.validators.render.markdown import summary as markdown_summary
    from assay.validators.render.terminal import show as show_in_terminal
    from assay.validators.render.view import is_visible, suggestion_block
    from assay.validators.render.words import counted, not_checked_lines
    from assay.validators.render.words import lowering as risk_lowering
    from assay.validators.render.words import set_by as risk_set_by
    from assay.validators.report.attribution import Agent, best_guess
    from assay.validators.report.attribution import signals_of as agent_signals
    from assay.validators.report.change_facts import AgentGuess
    from assay.validators.report.gravity import KINDS as STATEMENT_KINDS
    from assay.validators.report.gravity import Gravity
    from assay.validators.report.model import (
        FAILED_TESTS,
        MODEL,
        OWN_CHECKS,
        OWN_COMMANDS,
        UNTRUSTED_RUN,
        Commit,
        Conclusion,
        Counts,
        Finding,
        Gate,
        Likelihood,
        Outcome,
        RiskLevel,
        Severity,
        Statement,
        Tier,
        ToolKind,
        ToolRun,
        ToolsResult,
        ValidationReport,
    )
    from assay.validators.report.read import read_report, read_tools
    from assay.validators.report.review import MOST_TEST_LINES, Demonstration, Fate, ModelReview, QuotedLines, Side
    from assay.validators.report.risk_facts import LineContexts, LineCoverage
    from assay.validators.report.unknown import QUESTIONS as QUESTION_WORDS
    from assay.validators.report.unknown import Missing, NotChecked
    from assay.validators.report.waiver import Waiver, WaiverKind
    from assay.validators.review.earlier import EarlierFinding, ReportedFinding
    from assay.validators.review.quotes import word_spans
    from assay.validators.risk.likelihood.evaluate import MOST_CHANGES as MOST_PAST_CHANGES
    from assay.validators.risk.likelihood.evaluate import (
        Evaluation,
        Lift,
        evaluate_levels,
        lifts,
        replay_history,
        replay_row,
    )
    from assay.validators.risk.likelihood.model import NUM_AT_LEAST as NUM_PAST_NEEDED
    from assay.validators.risk.likelihood.model import shipped_model as likelihood_model
    from assay.validators.risk.likelihood.replay import ScoredChange
    from assay.validators.risk.register import SIGNALS
    from assay.validators.run.amend import configuration_of, joined_tools, lacks_results, with_tools, with_waivers
    from assay.validators.run.fix_cycles import tool_failures
    from assay.validators.run.fixing import validate_and_fix
    from assay.validators.run.isolated import Commands, Stop, ValidationOptions, ValidationRequest, validate_isolated
    from assay.validators.run.pipeline import Options, known_names, validate, with_tests
    from assay.validators.tools.commands.command_kinds import kind_in_name
    from assay.validators.tools.coverage.contexts import read_contexts
    from assay.validators.tools.coverage.files import read_coverage
    from assay.validators.tools.discovery.discover import Explanation, explain
    from assay.validators.tools.execution.installed import InstalledTool, installed
    from assay.validators.tools.scanners.asked import scanners_asked
    from assay.validators.vcs.clone_cache import Mirror, Remote, holds_change, is_commit_id
    from assay.validators.vcs.default_base import default_branch, is_on_default_branch
    from assay.validators.vcs.landed import RepositoryHistory
    from assay.validators.vcs.read_change import read_change as change_between
    from assay.validators.vcs.repository import WORKTREE, Repository
    from assay.validators.vcs.trees import FolderTree


__getattr__, __dir__ = lazy_exports(__name__, __file__)
