"""Base of the errors that users see."""

from __future__ import annotations


class CodedError(Exception):
    """Error with a stable code, which starts its text: `git.no-commits: this repository has no commits yet`.

    A class sets `code` for all its errors, and a `raise` may set its own; `text` is the message without the code.
    docs/messages.md lists the codes.
    """

    code = ""

    def __init__(self, text: str, *, code: str = "") -> None:
        self.code = code or self.code
        self.text = text
        super().__init__(f"{self.code}: {text}" if self.code else text)
