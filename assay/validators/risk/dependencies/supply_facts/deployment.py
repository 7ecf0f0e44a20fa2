"""Images, Terraform and containers: what runs as root, open to everyone, or with the rights of its host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.validators.changes.language_table import is_in
from assay.validators.dependencies.manifests.docker import DOCKER, images
from assay.validators.risk.dependencies.supply_facts.fact import Fact, Reader, Sides, new_lines, quoted

_ROOT = re.compile(r"(?:root|0)(?::.*)?")
_OPEN = re.compile(
    r"""^\s*(?:
      (?:cidr_blocks|ipv6_cidr_blocks|cidr_ipv4|cidr_ipv6|source_ranges|source_address_prefix(?:es)?|authorized_networks)
        \s*=\s*\[?\s*"(?:0\.0\.0\.0/0|::/0|\*|Internet)"
     |publicly_accessible\s*=\s*true|public_network_access_enabled\s*=\s*true|acl\s*=\s*"public-
     |(?:block_public_(?:acls|policy)|ignore_public_acls|restrict_public_buckets)\s*=\s*false
     |"?(?:actions?|Action|principals?|Principal|identifiers)"?\s*[=:]\s*\[?\s*"\*"|members?\s*=\s*\[?\s*"allUsers"
    )""",
    re.VERBOSE,
)
_OUTWARD = re.compile(r"^\s*egress\s*\{|^\s*type\s*=\s*\"egress\"|_egress_rule\"", re.MULTILINE)
_BLOCK = re.compile(r"^\s*(?:\w+\s*\{|(?:resource|dynamic|data)\s.*\{)")
_PRIVILEGED = re.compile(
    r"(?:^\s*-?\s*|[{,]\s*)[\"']?(?:privileged[\"']?:\s*true|host(?:Network|PID|IPC):\s*true|allowPrivilegeEscalation:\s*true|runAsUser:\s*0\b"
    r"|runAsNonRoot:\s*false|hostPath:|network_mode:\s*[\"']?host|pid:\s*[\"']?host|.*/var/run/docker\.sock)"
)


def _docker(sides: Sides) -> Iterator[Fact]:
    was, now = _user(sides.before), _user(sides.after)
    if was is not None and not _ROOT.fullmatch(was) and sides.after and (now is None or _ROOT.fullmatch(now)):
        yield Fact("access_opened", f"the image runs as root, no longer as {quoted(was)}", sides.line_of("USER"))
    pinned = {one.name for one in images(sides.before) if "@" in (one.version or "")}
    for one in images(sides.after):
        if one.name in pinned and "@" not in (one.version or ""):
            text = f"the image {quoted(one.name)} is no longer pinned to a digest"
            yield Fact("pin_lost", text, sides.line_of("FROM", one.name))


DOCKERFILES = Reader("docker", DOCKER.claims, _docker)


def _user(text: str) -> str | None:
    """Return the user of the last stage; None if it sets none."""
    found = None
    for line in text.split("\n"):
        words = line.split()
        if words[:1] and words[0].upper() == "FROM":
            found = None
        elif len(words) > 1 and words[0].upper() == "USER":
            found = words[1]
    return found


def _terraform(sides: Sides) -> Iterator[Fact]:
    rows = sides.after.split("\n")
    for line, match in new_lines(sides, _OPEN):
        begin = next((n for n in range(line - 2, -1, -1) if _BLOCK.match(rows[n])), 0)
        end = next((n for n in range(line, len(rows)) if rows[n].strip() == "}"), line)
        if not ("cidr" in match[0] and _OUTWARD.search("\n".join(rows[begin:end]))):
            yield Fact("access_opened", f"open to everyone: {quoted(match.string)}", line)


TERRAFORM = Reader("terraform", lambda path: path.endswith((".tf", ".tf.json", ".tofu")), _terraform)


def _containers(sides: Sides) -> Iterator[Fact]:
    is_manifest = "apiVersion:" in sides.after and "kind:" in sides.after
    if is_manifest or is_in(sides.file.path, ("compose",)) or "/templates/" in f"/{sides.file.path}":
        for line, match in new_lines(sides, _PRIVILEGED):
            yield Fact("access_opened", f"a container gets rights of its host: {quoted(match.string)}", line)


CONTAINERS = Reader("containers", lambda path: PurePosixPath(path).suffix in (".yaml", ".yml", ".tpl"), _containers)
