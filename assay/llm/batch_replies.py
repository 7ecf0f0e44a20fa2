"""Responses of the Message Batches API, reduced to the fields in use."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, ValidationError

from assay.llm.language_model import ModelUnavailable, WhyUnavailable
from assay.llm.replies import NoReply, Reply

MOST_LISTED = 100
_OF_THE_REQUEST = ("invalid_request_error", "request_too_large")


class _Counts(BaseModel):
    processing: int = 0
    succeeded: int = 0
    errored: int = 0
    canceled: int = 0
    expired: int = 0

    @property
    def total(self) -> int:
        """Number of requests in the batch."""
        return self.processing + self.succeeded + self.errored + self.canceled + self.expired


class BatchStatus(BaseModel):
    """Batch of requests; `archived_at` is set once its results are deleted."""

    id: str
    processing_status: str
    request_counts: _Counts
    created_at: AwareDatetime
    archived_at: datetime | None = None


class _Listed(BaseModel):
    data: list[BatchStatus]


class _Error(BaseModel):
    type: str = ""
    message: str = ""


class _ErrorResponse(BaseModel):
    error: _Error = _Error()


class _Result(BaseModel):
    type: Literal["succeeded", "errored", "canceled", "expired"]
    message: Any = None
    error: _ErrorResponse = _ErrorResponse()


class ResultLine(BaseModel):
    """Result of one request; only a request that succeeded is charged."""

    custom_id: str
    result: _Result

    @property
    def reply(self) -> Reply | None:
        """Message of the model, None if there is none."""
        if self.result.type != "succeeded":
            return None
        try:
            return Reply.model_validate(self.result.message)
        except ValidationError:
            return None

    def error(self, hide: Callable[[str], str]) -> ModelUnavailable:
        """Return why there is no message."""
        if self.result.type == "expired":
            return ModelUnavailable("the batch expired before the request was processed", WhyUnavailable.expired)
        if self.result.type == "canceled":
            return ModelUnavailable("the batch was canceled", WhyUnavailable.canceled)
        if self.result.type == "succeeded":
            return ModelUnavailable("the result is not a message of the model")
        failed = self.result.error.error
        why = WhyUnavailable.unfit if failed.type in _OF_THE_REQUEST else WhyUnavailable.busy
        return ModelUnavailable(f"the request failed: {hide(f'{failed.type} {failed.message}')}", why)


M = TypeVar("M", bound=BaseModel)


def status_from(body: bytes) -> BatchStatus:
    """Parse a batch. Raises `NoReply` if the body is none."""
    return _parsed(BatchStatus, body)


def listed_from(body: bytes) -> list[BatchStatus]:
    """Parse a page of batches, newest first. Raises `NoReply` if the body is none."""
    return _parsed(_Listed, body).data


def result_from(line: bytes) -> ResultLine:
    """Parse a line of the results. Raises `NoReply` if it is none."""
    return _parsed(ResultLine, line)


def _parsed(form: type[M], body: bytes) -> M:
    try:
        return form.model_validate_json(body)
    except ValidationError:
        raise NoReply from None
