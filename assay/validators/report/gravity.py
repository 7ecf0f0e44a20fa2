"""Kinds of statements, and the gravity of each: one table for the first screen, the level and the documents.

The order of the table is the order on the first screen, among statements of one gravity.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, Self


class Ordered(StrEnum):
    """Enum whose members rank in definition order."""

    @property
    def rank(self) -> int:
        return list(type(self)).index(self)

    def at_least(self, other: Self) -> bool:
        return self.rank >= other.rank


class Gravity(Ordered):
    """Gravity of a statement, ordered remark < notice < medium < high < critical.

    From medium on it sets the risk level. A remark is in the whole report only.
    """

    remark = "remark"
    notice = "notice"
    medium = "medium"
    high = "high"
    critical = "critical"


class Kind(NamedTuple):
    """Kind of a statement.

    `seed` is its gravity under `tier3.policy: seed`, the table of the specification; None if it is the same. `label`
    says why it matters, in front of the statement. `advice` is what to do where a statement does not say it.
    """

    key: str
    gravity: Gravity
    label: str
    advice: str = ""
    seed: Gravity | None = None


_C, _H, _M, _N, _R = Gravity.critical, Gravity.high, Gravity.medium, Gravity.notice, Gravity.remark
_KEEP_RULE = "keep the rule, or move it to a separate change reviewed by its owners"
_LATER = "add the new form first, and remove the old one in a later release"
_KEEP_NAME = "keep the old name or parameter working, with a deprecation"
_OTHER = "check its maintainers, licence and known vulnerabilities, or use a package that is there already"
_APART = "move it to a separate change"

TABLE = (
    # Critical: policy floors that hold a change by default.
    Kind("danger", _C, "Dangerous code", "avoid the dangerous construct"),
    Kind("code_fetched", _C, "Fetches and runs code", "install it as a package, or check its digest first"),
    Kind("guard_removed", _C, "Access check removed", "keep the check, or confirm that it is no longer needed"),
    Kind("schema_destroyed", _C, "Destructive migration", _LATER),
    Kind("ci_loosened", _C, "CI loosened", "keep the check"),
    Kind("gate_loosened", _C, "Gate loosened", _KEEP_RULE),
    Kind("api_broken", _C, "Public API broken", _KEEP_NAME),
    Kind("schema_unread", _C, "Migration not readable", "make it shorter, or split it, so that it can be read"),
    Kind("ci_unread", _C, "Pipeline not readable", "make the file readable"),
    Kind(
        "source_unread",
        _C,
        "Source not readable",
        "store the content as UTF-8 text under 1 MB; or exclude its path in the base (`exclude`)",
    ),
    Kind("sensitive_path", _C, "Security-sensitive path", "move it to a separate change, with tests of refused access"),
    # High.
    Kind("secret", _H, "Secret in the source", "revoke it, and keep it out of the repository"),
    Kind("runs_at_install", _H, "Runs at installation", "run it in a build step instead"),
    Kind("source_moved", _H, "Packages from another place", "take the packages from the place the base names"),
    Kind("package_malicious", _H, "Malicious package", "do not install it"),
    Kind("package_absent", _H, "Package does not exist", "check the name"),
    Kind("package_vulnerable", _H, "Known vulnerability", "use a version that fixes it"),
    Kind("licence_denied", _H, "Licence not allowed", "use another package, or allow the licence in the configuration"),
    Kind("access_opened", _H, "Access opened", "restrict it to the addresses, users or rights that need it"),
    Kind("safeguard_off", _H, "Protection switched off", "keep it on, or say why it is not needed any more"),
    Kind("state_removed", _H, "Data removed", "move or export the data first, or keep the resource"),
    Kind("caller_broken", _H, "Caller broken", "adapt the callers, or keep the old name working"),
    Kind("contract_broken", _H, "Interface contract broken", _KEEP_NAME, _C),
    Kind("api_broken_undocumented", _H, "API broken", _KEEP_NAME, _C),
    Kind("model_without_migration", _H, "Model without its migration", "add the migration"),
    Kind("ci_weakened", _H, "CI weakened", "keep the check", _C),
    Kind("gate_weakened", _H, "Gate weakened", _KEEP_RULE),
    Kind("shared_path", _H, "Shared infrastructure", _APART),
    Kind("schema_path", _H, "Schema path", "describe the step and how to revert it", _C),
    # Medium.
    Kind("api_broken_early", _M, "API broken before 1.0", _KEEP_NAME, _C),
    Kind("route_removed", _M, "HTTP route removed", "keep the route, or confirm that no client calls it", _C),
    Kind("requirement_raised", _M, "Requirement of users changed", "announce it in the release notes"),
    Kind("new_dependency", _M, "New dependency", _OTHER, _H),
    Kind("dependency_back", _M, "Dependency moved back", "say why, and which faults come back with it"),
    Kind("package_vulnerable_less", _M, "Known vulnerability", "use a version that fixes it"),
    Kind("package_young", _M, "Version just published", "wait some days: most malicious versions are found by then"),
    Kind("package_alike", _M, "Name like a much-used one", "check that it is the package you mean"),
    Kind("package_unlisted", _M, "Not in the public registry", "check the name and the version"),
    Kind("package_unlicensed", _M, "Licence unknown", "ask for its licence before you depend on it"),
    Kind("package_deprecated", _M, "Deprecated package", "use what replaces it"),
    Kind("package_script", _M, "Package with an install script", "check what the script does, or install without it"),
    Kind("executable_added", _M, "Executable added", "build it from source, or check its origin and digest"),
    Kind("workflow_rights", _M, "Workflow with secrets or own machines", "", _C),
    Kind("interface_unknown", _M, "Interface unknown", "compare the contract's versions by hand"),
    # Notices: they set no level, and come after the others on the first screen.
    Kind("test_fails", _N, "Test fails"),
    Kind("command_fails", _N, "Command fails"),
    Kind("flaky", _N, "Flaky test", "make it pass each time, or repair what it shares with others"),
    Kind("finding", _N, "Finding"),
    Kind("expectation_flipped", _N, "Expected value changed", "confirm that the new behaviour is intended"),
    Kind("agent_settings", _N, "Settings of coding agents", "", _H),
    Kind("schema_rewritten", _N, "Migration rewritten", "leave it as it is, and write a further migration", _C),
    Kind("schema_changed", _N, "Schema changed", "describe the step and how to revert it", _C),
    Kind("schema_unclear", _N, "Migration of unknown effect", "write the step so that it can be read", _C),
    Kind("protection_removed", _N, "Protection removed", "confirm that it is no longer needed"),
    Kind(
        "setting_removed", _N, "Settings no longer read", "read the old name too, or announce it in the release notes"
    ),
    Kind("refusal_removed", _N, "No longer refused", "confirm that it may be accepted now, with a test"),
    Kind("wire_changed", _N, "Sent data changed", "keep the old form for a while, or announce it to clients"),
    Kind("input_required", _N, "Input newly required", "accept what lacks it for a while, or announce it"),
    Kind("setting_changed", _N, "Setting changed", "confirm that it is intended"),
    Kind("default_changed", _N, "Default or limit changed", "announce it in the release notes"),
    Kind("refusal_added", _N, "Refused now", "confirm that no caller depends on it, with a test"),
    Kind("code_disabled", _N, "Code commented out", "remove it, or say what it waits for"),
    Kind("link_left", _N, "Link left behind", "point it to the new place"),
    Kind("deprecated", _N, "Deprecated", "name what to use instead"),
    Kind("many_packages", _N, "Many new packages"),
    Kind("second_lock", _N, "Second lock file", "keep the lock file of the tool that the project installs with"),
    Kind("dependency_moved", _N, "Dependency moved", "update it in a separate change", _M),
    Kind("new_extra", _N, "New optional dependency", _OTHER, _H),
    Kind("new_tool", _N, "New development dependency", _OTHER, _H),
    Kind("pin_lost", _N, "Pin lost", "pin it again"),
    Kind("capacity_reduced", _N, "Fewer copies", "keep two, or expect an outage with each restart"),
    Kind("from_own_address", _N, "Package from an own address", "publish it to a registry", _C),
    Kind("api_deprecated", _N, "Deprecated parameter moved", _KEEP_NAME, _C),
    Kind("ci_rights", _N, "CI gets rights", "", _C),
    Kind("ci_reduced", _N, "CI reduced", "", _C),
    Kind("uncovered", _N, "Coverage", "", _M),
    Kind("uncovered_mostly", _N, "Coverage", "", _H),
    Kind("by_model", _N, "Model assessment"),
    Kind("untested", _N, "Untested"),
    # Remarks: in the whole report only.
    Kind("api_changed", _R, "Public API", "", _H),
    Kind("large", _R, "Large", "", _M),
    Kind("very_large", _R, "Large", "", _H),
    Kind("used", _R, "Users", "change a place that fewer files use", _M),
    Kind("used_widely", _R, "Users", "change a place that fewer files use", _H),
    Kind("sensitive_name", _R, "Security-related name", "", _C),
    Kind("danger_aside", _R, "Dangerous code outside the product", "", _C),
    Kind("infrastructure", _R, "Shared infrastructure", _APART, _H),
    Kind("ci_edited", _R, "CI edited", _APART, _C),
    Kind("gate_edited", _R, "Gate edited", "", _H),
    Kind("lock_moved", _R, "Lock file"),
    Kind("remark", _R, "Remark"),
)
KINDS: Mapping[str, Kind] = {kind.key: kind for kind in TABLE}
RANKS: Mapping[str, int] = {kind.key: rank for rank, kind in enumerate(TABLE)}


def gravity_of(kind: str, *, is_seed: bool) -> Gravity:
    """Return the gravity of a kind under the policy in force."""
    row = KINDS[kind]
    return row.seed if is_seed and row.seed is not None else row.gravity
