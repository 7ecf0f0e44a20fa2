"""The tools artifact from the run's list to its last key: what is not written by the Action is not read at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.action.handover.artifact import ArtifactLimits, read_tools_artifact
from assay.github.errors import ArtifactRefused, GithubRefused
from assay.github.external_results.tools_payload import REPORTED_BY, PostedTools
from assay.validators import UNTRUSTED_RUN, Outcome
from tests.examples import num_examples
from tests.github_app.action.archives import ARCHIVES, Zip
from tests.github_app.action.posted import RUN, OneArtifact, changed, document, packed, tools

# Not by `read_yaml`: libyaml refuses the lone surrogate of one case.
CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "action" / "refused_bodies.yaml").read_text("utf-8"))


def read(*archives: bytes, reported_by: str = UNTRUSTED_RUN, **more: Any) -> PostedTools | None:
    return read_tools_artifact(OneArtifact(list(archives), more), RUN, reported_by=reported_by)


def test_an_honest_artifact_is_read_and_marked_by_whose_word_it_is():
    posted = read(packed(document()))
    assert posted is not None
    assert posted.is_untrusted
    assert (posted.run_id, posted.tools.reported_by) == (RUN, UNTRUSTED_RUN)
    assert [run.outcome for run in posted.tools.runs] == [Outcome.failed, Outcome.passed]
    assert posted.tools.line_coverage == {"shop.py": {1: True, 2: True}}
    ours = read(packed(document()), reported_by=REPORTED_BY)
    assert ours is not None
    assert not ours.is_untrusted
    assert ours.tools.reported_by == REPORTED_BY


def test_what_it_says_of_who_reports_is_not_believed():
    posted = read(packed(changed(document(), ["tools", "reported_by"], "Assay itself")))
    assert posted is not None
    assert posted.tools.reported_by == UNTRUSTED_RUN


def test_it_may_name_the_run_it_is_from():
    posted = read(packed(changed(document(), ["run_id"], RUN)))
    assert posted is not None
    assert posted.run_id == RUN


def _body(case: dict[str, Any]) -> bytes:
    if "raw" in case:
        return str(_value(case["raw"])).encode("latin-1")
    if "text" in case:
        whole = json.dumps(document())
        assert whole.count(case["text"]) >= 1, case
        return whole.replace(case["text"], case["by"], 1).encode()
    return json.dumps(changed(document(), case["at"], _value(case["put"]))).encode()


def _value(given: Any) -> Any:
    if isinstance(given, dict) and given.keys() == {"repeat", "times"}:
        return given["repeat"] * given["times"]
    if isinstance(given, dict) and given.keys() == {"nested"}:
        nested: list[Any] = []
        for _ in range(given["nested"]):
            nested = [nested]
        return nested
    return given


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_a_body_that_the_action_would_not_write_is_refused(case: dict[str, Any]):
    with pytest.raises(ArtifactRefused) as caught:
        read(packed(_body(case)))
    _is_a_line_of_ours(str(caught.value))


def _is_a_line_of_ours(text: str) -> None:
    """It goes into logs, where a line that begins with `::`, or holds `##[`, is a command to the runner."""
    assert text.isascii()
    assert text.isprintable()
    assert "::" not in text
    assert "##[" not in text
    assert not any(word in text for word in ("evil", "set-output", "excellent", "Sign in", "4711"))


@pytest.mark.soak
@pytest.mark.parametrize("what", ["a symlink", "two lists", "a gigabyte of zeros", "an archive in an archive"])
def test_an_archive_that_is_refused_is_no_artifact(what: str):
    archive = ARCHIVES[what]()
    with pytest.raises(ArtifactRefused):
        read(archive)


def test_an_artifact_that_says_it_is_large_is_not_downloaded():
    repo = OneArtifact([b"x"], {"size_bytes": 100 * 1024 * 1024})
    with pytest.raises(ArtifactRefused, match="larger"):
        read_tools_artifact(repo, RUN, reported_by=UNTRUSTED_RUN)
    assert repo.asked == 0


def test_limits_may_be_closer():
    repo = OneArtifact([packed(document())])
    with pytest.raises(ArtifactRefused, match="larger than 100 bytes"):
        read_tools_artifact(repo, RUN, ArtifactLimits(1_000_000, 100), reported_by=UNTRUSTED_RUN)


def test_a_run_without_the_artifact_reported_nothing():
    assert read() is None
    assert read_tools_artifact(OneArtifact([packed(document())]), RUN + 1, reported_by=UNTRUSTED_RUN) is None


def test_an_artifact_of_another_run_is_none_of_this_one():
    assert read(packed(document()), run_id=RUN + 1) is None


def test_of_several_attempts_the_newest_counts():
    old, new = document(runs=()), document()
    posted = read(packed(old), packed(new))
    assert posted is not None
    assert len(posted.tools.runs) == 2
    assert posted == read(packed(new))


@pytest.mark.parametrize(("job", "told"), [("tools", "tools"), ("unit tests", ""), ("", "")])
def test_results_name_no_job_whose_check_would_not_be_heard_then(job: str, told: str):
    posted = read(packed({**document(), "job": job}))
    assert posted is not None
    assert posted.job == told


def test_an_expired_artifact_is_refused():
    with pytest.raises(ArtifactRefused, match="expired"):
        read(packed(document()), is_expired=True)


def test_an_artifact_that_is_gone_is_refused_and_other_refusals_are_told():
    class Gone(OneArtifact):
        status = 410

        def artifact_archive(self, artifact_id: int, most_bytes: int, deadline_s: float = 0) -> bytes:
            raise GithubRefused(self.status, "download", "no")

    repo = Gone([packed(document())])
    with pytest.raises(ArtifactRefused, match="gone"):
        read_tools_artifact(repo, RUN, reported_by=UNTRUSTED_RUN)
    repo.status = 403
    with pytest.raises(GithubRefused):
        read_tools_artifact(repo, RUN, reported_by=UNTRUSTED_RUN)


@pytest.mark.parametrize("digest", ["sha256:" + "0" * 64, "sha256:", "sha256:\n::error::x"])
def test_an_artifact_that_was_exchanged_on_its_way_is_refused(digest: str):
    with pytest.raises(ArtifactRefused, match=r"artifact\.wrong-digest") as caught:
        read(packed(document()), digest=digest)
    _is_a_line_of_ours(str(caught.value))


# ------------------------------------------------------------------ anything at all

_ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["\ud800", "\x00", "\u202e", "a\n::x::", "1e999", "../x", "/etc/passwd", '"\\012"']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[list[Any]]:
    for key, one in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        yield [*at, key]
        yield from _places(one, (*at, key))


_HONEST = document()


@pytest.mark.soak
@settings(max_examples=num_examples(200), deadline=None)
@given(st.sampled_from(list(_places(_HONEST))), _ANYTHING)
def test_whatever_stands_at_a_place_it_is_read_or_refused_in_our_words(at: list[Any], value: Any):
    try:
        posted = read(Zip(json.dumps(changed(_HONEST, at, value)).encode()).bytes())
    except ArtifactRefused as refused:
        text = str(refused)
        assert text.isascii()
        assert text.isprintable()
        assert "::" not in text
        return
    assert posted is not None
    assert posted.run_id == RUN
    assert posted.tools.reported_by == UNTRUSTED_RUN
    assert len(posted.tools.runs) <= len(tools().runs)


@settings(max_examples=num_examples(200), deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_whatever_the_file_holds_it_is_refused(content: bytes):
    with pytest.raises(ArtifactRefused):
        read(Zip(content).bytes())
