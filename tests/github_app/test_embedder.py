"""The operator says what compares texts; the bundled one needs nothing."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from assay.github.errors import SettingsError
from assay.github_app.ops.embedder import embedder_of
from assay.github_app.ops.observability import redact
from assay.github_app.ops.settings import Settings


def test_the_bundled_one_is_the_default_and_embeds_without_a_key():
    embedder = embedder_of(Settings())
    assert embedder.name.startswith("bundled:")
    assert embedder.embed(["a rule"]).shape[0] == 1


def test_another_provider_is_made_of_the_settings_and_its_key_is_never_logged():
    settings = Settings(embedding_provider="voyage", embedding_key=SecretStr("pa-0123456789secret"))
    embedder = embedder_of(settings)
    assert embedder.name.startswith("voyage:")
    assert "0123456789secret" not in redact("sent pa-0123456789secret") + repr(settings) + repr(embedder)


@pytest.mark.parametrize("provider", ["voyage", "openai_compatible", "bedrock"])
def test_a_provider_that_lacks_what_it_needs_is_a_wrong_setting(provider: str):
    with pytest.raises(SettingsError, match="ASSAY_EMBEDDING_"):
        embedder_of(Settings(embedding_provider=provider))
