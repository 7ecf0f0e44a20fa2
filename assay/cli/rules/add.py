"""The command `assay rules add`: write a rule with its check into the repository in front of you."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import click

from assay.cli.rules.life import proposal_line
from assay.github_app.learning.checks.examples import Example, example_at
from assay.github_app.learning.checks.past import past_of
from assay.github_app.learning.checks.proposals import LETTERS, Proposal, Way, propose
from assay.github_app.learning.rules.accepting import checked_paths, checked_text
from assay.github_app.learning.rules.deciding import CannotDecide
from assay.github_app.rule_matching.languages import globs_of, language_of
from assay.validators import (
    MOST_LEARNED_RULES,
    CouldNotRun,
    LearnedRule,
    NotARule,
    Repository,
    Severity,
    learned_file,
    read_learned_file,
)

FILE = ".assay/learned-rules.yml"
LARGEST_BYTES = 1024 * 1024
_PLACE = re.compile(r"(.+):(\d{1,7})")


@click.command("add", short_help="Add a rule to this repository, with a check")
@click.argument("text")
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only in these files.")
@click.option("--example", "places", multiple=True, metavar="FILE:LINE", help="Code that breaks the rule.")
@click.option("--block", is_flag=True, help="A finding blocks the pull request.")
@click.option("-y", "--yes", is_flag=True, help="Take the first proposal.")
def add_command(text: str, paths: tuple[str, ...], places: tuple[str, ...], block: bool, yes: bool) -> int:
    """Add the rule TEXT to `.assay/learned-rules.yml` of the repository you are in.

    Shows how the rule can be checked, best first, with what each check finds in the repository and in its last
    changes, and asks which one to use. Exit code: 0 written, 1 not written, 2 usage.
    """
    with Repository(".") as repository:
        root = repository.root
    try:
        text, scope = checked_text(text), checked_paths(paths)
        examples = [_example(root, place) for place in places]
        proposals = _proposals(root, text, scope, examples)
    except (CannotDecide, CouldNotRun) as error:
        raise click.UsageError(str(error)) from None
    for letter, one in zip(LETTERS, proposals, strict=False):
        click.echo(f"{letter}) {proposal_line(one)}")
    letter = "a" if yes else click.prompt("Which one (n: none)", default="a")
    place = LETTERS.find(letter.strip().lower()[:1] or "n")
    if not 0 <= place < len(proposals):
        click.echo("nothing was written")
        return 1
    chosen = proposals[place]
    rule = LearnedRule(
        hashlib.sha256(text.encode()).hexdigest()[:12],
        text,
        chosen.check,
        scope or chosen.paths,
        severity=Severity.error if block else Severity.warning,
        is_advice=chosen.way is Way.advice,
    )
    write_rules(root / FILE, [rule])
    click.echo(f"{FILE}: {text} ({proposal_line(chosen)})")
    return 0


def write_rules(file: Path, rules: Sequence[LearnedRule]) -> None:
    """Add rules to a file, or replace those with the same id. Raises a usage error if the file is invalid."""
    try:
        content = file.read_bytes() if file.is_file() and not file.is_symlink() else None
        kept = {one.rule_id: one for one in read_learned_file(content)} if content is not None else {}
        kept.update((one.rule_id, one) for one in rules)
        if len(kept) > MOST_LEARNED_RULES:
            raise NotARule(f"it would hold more than {MOST_LEARNED_RULES} rules")
    except NotARule as error:
        raise click.UsageError(f"{file}: {error}") from None
    file.parent.mkdir(exist_ok=True)
    file.write_text(learned_file(list(kept.values())), "utf-8")


def _proposals(root: Path, text: str, scope: tuple[str, ...], examples: list[Example]) -> list[Proposal]:
    """Return the proposals in this scope; without scope and example, for the language of most files."""
    past = past_of(root, scope or _usual_paths(examples))
    found = propose([text], examples, past)
    if not examples and past is not None:
        # Without an example, a linter's rule of another language is as likely by its words.
        languages = Counter(language_of(path) for path, _ in past.base)
        usual = set(globs_of(max(languages, key=languages.__getitem__) if languages else None))
        found.sort(key=lambda one: one.check is not None and "**" not in one.paths and usual.isdisjoint(one.paths))
        found.sort(key=lambda one: one.check is None)
    return [replace(one, paths=scope or one.paths) for one in found]


def _usual_paths(examples: Sequence[Example]) -> tuple[str, ...]:
    names = {language_of(one.path) for one in examples}
    return tuple(glob for name in names for glob in globs_of(name)) or ("**",)


def _example(root: Path, place: str) -> Example:
    found = _PLACE.fullmatch(place)
    file = None if found is None else Path(found[1]).resolve()
    if found is None or file is None or not file.is_file() or not file.is_relative_to(root):
        raise click.UsageError(f"--example {place!r}: not FILE:LINE of this repository")
    if file.stat().st_size > LARGEST_BYTES:
        raise click.UsageError(f"--example {place!r}: the file has more than 1 MiB")
    path = str(PurePosixPath(file.relative_to(root)))
    example = example_at(path, file.read_text("utf-8", "replace"), int(found[2]))
    if example is None:
        raise click.UsageError(f"--example {place!r}: there is no code on that line")
    return example
