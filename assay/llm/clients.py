"""Clients of the Anthropic API and of cloud providers. Keys are read when a client is created.

| provider | key | other settings |
|---|---|---|
| anthropic | ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN for a gateway | ANTHROPIC_BASE_URL |
| bedrock | AWS_BEARER_TOKEN_BEDROCK; AWS credentials where boto3 is installed | AWS_REGION |
| vertex | Google credentials where google-auth is installed | CLOUD_ML_REGION, ANTHROPIC_VERTEX_PROJECT_ID |
"""

from __future__ import annotations

import os
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from assay.llm.language_model import ModelUnavailable, WhyUnavailable

if TYPE_CHECKING:
    from anthropic import Anthropic, AnthropicBedrock, AnthropicVertex

    Client: TypeAlias = Anthropic | AnthropicBedrock | AnthropicVertex


class Provider(StrEnum):
    """Service that hosts the model."""

    anthropic = "anthropic"
    bedrock = "bedrock"
    vertex = "vertex"


def provider_of(name: str) -> tuple[Provider, str]:
    """Split `bedrock:NAME` or `vertex:NAME` into provider and bare name; other names are those of the API."""
    prefix, colon, bare = name.partition(":")
    is_prefixed = colon and prefix in set(Provider)
    return (Provider(prefix), bare) if is_prefixed else (Provider.anthropic, name)


def can_stream(provider: Provider) -> bool:
    """Return whether answers can be streamed; Bedrock's events are decoded by botocore, which may not be there."""
    return provider is not Provider.bedrock or _is_there("botocore")


def client_of(provider: Provider, api_key: str | None, base_url: str | None, timeout_s: float) -> tuple[Client, str]:
    """Create a client; return it with its secret ("" if the cloud's library manages it).

    Raises:
        ModelUnavailable: no key, or a missing library.
    """
    try:
        import anthropic
    except ImportError:
        raise ModelUnavailable(
            "the package anthropic is not installed: install Assay with its `model` extra", WhyUnavailable.not_set_up
        ) from None
    from assay.connections.http_client import HttpFailed, certificates

    try:
        trusted = certificates()
    except HttpFailed as error:
        raise ModelUnavailable(f"{provider} is not set up: {error}", WhyUnavailable.not_set_up) from None
    settings: dict[str, Any] = {
        "base_url": base_url,
        "max_retries": 0,  # AnthropicModel retries, so that the budget counts each attempt
        # A redirect would carry the key and the prompt to whatever host it names.
        "http_client": anthropic.DefaultHttpxClient(follow_redirects=False, timeout=timeout_s, verify=trusted),
    }
    try:
        return _MAKERS[provider](settings, api_key)
    except (ValueError, anthropic.AnthropicError) as error:
        settings["http_client"].close()
        raise ModelUnavailable(f"{provider} is not set up: {error}", WhyUnavailable.not_set_up) from None
    except ModelUnavailable:
        settings["http_client"].close()
        raise


def _anthropic(settings: dict[str, Any], api_key: str | None) -> tuple[Client, str]:
    from anthropic import Anthropic

    key = api_key or os.environ.get("ANTHROPIC_API_KEY")
    if key:
        return Anthropic(api_key=key, **settings), key
    # Keys are never read from disk, so that operators see whether one is used.
    token = os.environ.get("ANTHROPIC_AUTH_TOKEN")
    if token:
        return Anthropic(auth_token=token, **settings), token
    raise ModelUnavailable("there is no key for the model: set ANTHROPIC_API_KEY", WhyUnavailable.no_key)


def _bedrock(settings: dict[str, Any], api_key: str | None) -> tuple[Client, str]:
    from anthropic import AnthropicBedrock

    token = api_key or os.environ.get("AWS_BEARER_TOKEN_BEDROCK") or None
    if token is None and not _is_there("boto3"):
        raise ModelUnavailable(
            "bedrock needs AWS_BEARER_TOKEN_BEDROCK, or the package anthropic[bedrock] for other AWS credentials",
            WhyUnavailable.no_key,
        )
    return AnthropicBedrock(api_key=token, **settings), token or ""


def _vertex(settings: dict[str, Any], api_key: str | None) -> tuple[Client, str]:
    from anthropic import AnthropicVertex

    if api_key is None and not _is_there("google.auth"):
        raise ModelUnavailable("vertex needs the package anthropic[vertex]", WhyUnavailable.not_set_up)
    return AnthropicVertex(access_token=api_key, **settings), api_key or ""


def _is_there(library: str) -> bool:
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:  # its parent package is missing
        return False


_MAKERS = {Provider.anthropic: _anthropic, Provider.bedrock: _bedrock, Provider.vertex: _vertex}
