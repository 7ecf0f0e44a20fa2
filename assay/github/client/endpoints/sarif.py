"""Upload to code scanning."""

from __future__ import annotations

import base64
import gzip

from assay.github.client.connection import RepositoryClient
from assay.github.client.limits import MOST_SARIF_BYTES
from assay.github.errors import GithubRefused


class CodeScanning(RepositoryClient):
    """Uploads to code scanning."""

    def upload_sarif(self, head_sha: str, ref: str, sarif: bytes) -> str | None:
        """Upload a SARIF file about a commit and return GitHub's id; the same report replaces an earlier upload.

        Raises:
            GithubRefused: the file exceeds the limit of code scanning (413), or code scanning is off (403).
        """
        # Without a timestamp the same report gives the same file.
        packed = gzip.compress(sarif, 9, mtime=0)
        if len(packed) > MOST_SARIF_BYTES:
            raise GithubRefused(
                413, "upload the SARIF file", f"{len(packed)} bytes compressed; GitHub's limit is {MOST_SARIF_BYTES}"
            )
        data = self._connection.send(
            "POST",
            f"{self._path}/code-scanning/sarifs",
            "upload the SARIF file",
            "security_events: write",
            body={"commit_sha": head_sha, "ref": ref, "sarif": base64.b64encode(packed).decode()},
            is_repeatable=True,
        ).data
        return str(data["id"]) if isinstance(data, dict) and data.get("id") else None
