"""What the pages keep and list: sessions that end, examinations that are kept once, and nobody else's rows."""

from __future__ import annotations

from datetime import timedelta

from assay.github.events.model import Person, PullFacts, RepositoryFacts
from assay.github_app.store import FactorRow, MemoryRunRow, SessionRow, Store
from tests.github_app.remembering import after

MINE, OTHERS = RepositoryFacts(1, "octo/shop"), RepositoryFacts(2, "octo/vault")


def test_a_session_is_there_until_it_ends_or_is_over(store: Store):
    session = SessionRow("k", "ada", 5, "sealed", {1: "maintain", 2: "read"}, after(), after(), after(minutes=60))
    store.sessions.begin(session)
    assert store.sessions.get("k", after()) == session
    assert store.sessions.get("k", after(minutes=60)) is None
    store.sessions.checked("k", {2: "read"}, after(minutes=10))
    found = store.sessions.get("k", after(minutes=10))
    assert found is not None
    assert (found.permissions, found.checked_at) == ({2: "read"}, after(minutes=10))
    assert store.sessions.end("k")
    assert not store.sessions.end("k")
    assert store.sessions.get("k", after()) is None


def test_a_new_session_sweeps_out_those_that_are_over(store: Store):
    store.sessions.begin(SessionRow("old", None, None, None, {}, after(), after(), after(minutes=60)))
    store.sessions.begin(
        SessionRow("new", None, None, None, {}, after(minutes=60), after(minutes=60), after(minutes=120))
    )
    assert store.sessions.get("old", after()) is None
    assert store.sessions.get("new", after(minutes=60)) is not None


def examined(key: str, repository_id: int, days: float) -> MemoryRunRow:
    at = after() + timedelta(days=days)
    return MemoryRunRow(repository_id, key, at, "notebook", "rules", "42", 100, 20, 0.5, {"a": None}, {}, None, None)


def test_an_examination_is_kept_once_and_listed_to_its_readers(store: Store):
    assert store.memory_runs.put(examined("x", 1, 2))
    assert not store.memory_runs.put(examined("x", 1, 3))
    assert store.memory_runs.put(examined("y", 1, 1))
    assert store.memory_runs.put(examined("x", 2, 1))
    assert [run.key for run in store.memory_runs.of([1])] == ["y", "x"]
    assert [run.key for run in store.memory_runs.of([1], after() + timedelta(days=1.5))] == ["x"]
    assert store.memory_runs.of([]) == ()


def validated(store: Store, repository: RepositoryFacts, number: int, *levels: str) -> None:
    """A pull request with one verdict after the other."""
    head = f"{number:040x}"
    facts = PullFacts(
        id=number, number=number, title=f"Change {number}", body="", author=Person("ada"), head_sha=head,
        head_ref="x", base_sha="b" * 40, base_ref="main", head_repository=repository,
        base_repository_id=repository.id, created_at=after(), updated_at=after(),
    )  # fmt: skip
    store.pulls.see(facts, repository, after())
    for turn, level in enumerate(levels):
        run, _ = store.runs.begin(repository.id, number, f"{number:039x}{turn}", "test", after(minutes=turn))
        store.runs.save_report(
            run.id, b"{}", conclusion="success", title="", risk_level=level, is_hold=False, findings=(),
            factors=(FactorRow("surface", level, "why"),), config_hash=None, durations_s={}, at=after(minutes=turn),
        )  # fmt: skip
    if "critical" in levels:
        store.holds.place(repository.id, number, head, "critical", ["why"], after())


def test_lists_hold_what_the_reader_may_see_and_nothing_else(store: Store):
    store.repositories.put(MINE, 1, after())
    store.repositories.put(OTHERS, 1, after())
    validated(store, MINE, 1, "low", "high")
    validated(store, MINE, 2, "high")
    validated(store, OTHERS, 3, "critical")
    listings = store.listings
    assert [row.full_name for row in listings.repositories(None)] == ["octo/shop", "octo/vault"]
    assert [row.full_name for row in listings.repositories([1])] == ["octo/shop"]
    assert listings.repositories([]) == ()
    assert {run.repository_id for run in listings.runs([1], 10)} == {1}
    assert len(listings.runs(None, 10)) == 4
    assert listings.signals([1]) == {("surface", "high"): 2}
    assert listings.signals([1], after(minutes=1)) == {("surface", "high"): 1}
    assert listings.signals(None) == {("surface", "high"): 2, ("surface", "critical"): 1}
    assert [len(listings.held(ids)) for ids in ([1], [2], None)] == [0, 1, 1]
    assert [(one.repository, one.number, one.is_failure, one.is_hold) for one in listings.verdicts(None)] == [
        ("octo/shop", 1, False, False),
        ("octo/shop", 2, False, False),
        ("octo/vault", 3, False, False),
    ]
    assert [one.number for one in listings.verdicts([1], after(minutes=1))] == [1]
    assert listings.verdicts([1], None, after()) == ()
    assert listings.titles([(1, 2)]) == {(1, 2): ("Change 2", None, "open")}


def test_of_two_repositories_with_one_name_the_one_seen_last_counts(store: Store):
    store.repositories.put(MINE, 1, after())
    store.repositories.put(RepositoryFacts(9, "Octo/Shop"), 1, after(minutes=5))
    assert [row.id for row in store.listings.repositories(None)] == [9]
