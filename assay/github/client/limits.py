"""Limits of GitHub with their sources.

Where GitHub documents characters but its servers count bytes of UTF-8, Assay counts bytes, which fits both.
"""

from __future__ import annotations

# ------------------------------------------------------------------ check runs

MOST_OUTPUT_BYTES = 65_535
"""REST, "Create a check run": "output.summary … Maximum length: 65535 characters", the same for `output.text`; the
server answers "summary exceeds a maximum bytesize of 65535"."""

MOST_TITLE = 255
"""REST, "Create a check run", annotations: "title … The maximum size is 255 characters."; the output's title has no
documented limit, so it gets the same."""

ANNOTATIONS_PER_REQUEST = 50
"""REST, "Create a check run": "The Checks API limits the number of annotations to a maximum of 50 per API request. To
create more than 50 annotations, you have to make multiple requests to the Update a check run endpoint. Each time you
update the check run, annotations are appended to the list of annotations that already exist for the check run.\""""

MOST_ANNOTATION_BYTES = 64 * 1024
"""REST, "Create a check run": "annotations[].message … The maximum size is 64 KB"."""

MOST_ACTIONS = 3
"""REST, "Create a check run": "actions … A maximum of three actions are accepted.\""""

MOST_ACTION_LABEL = 20
"""REST, "Create a check run": "actions[].label … The maximum size is 20 characters.\""""

MOST_ACTION_DESCRIPTION = 40
"""REST, "Create a check run": "actions[].description … The maximum size is 40 characters.\""""

MOST_ACTION_IDENTIFIER = 20
"""REST, "Create a check run": "actions[].identifier … The maximum size is 20 characters.\""""

# ------------------------------------------------------------------ comments, reviews, files

MOST_COMMENT_BYTES = 65_535
"""The server's answer: "body is too long (maximum is 65536 characters)"."""

MOST_FILES_OF_A_PULL = 3_000
"""REST, "List pull requests files": "Responses include a maximum of 3000 files.\""""

MOST_FILE_BYTES = 1024 * 1024
"""REST, "Get repository content": "1 MB or smaller: All features of this endpoint are supported."; above it the content
is left out."""

# ------------------------------------------------------------------ code scanning

MOST_SARIF_BYTES = 10 * 1024 * 1024
"""Docs, "SARIF file limits": "The maximum size for gzip-compressed SARIF files is 10 MB.\""""

# ------------------------------------------------------------------ workflows

MOST_JOB_SUMMARY_BYTES = 1024 * 1024
"""Docs, "Workflow commands": "Job summaries are isolated between steps and each step is restricted to a maximum size of
1MiB.\""""

MOST_WORKFLOW_WARNINGS = 10
"""GitHub's actions/toolkit, "Problem matchers", limitations: "10 warning annotations, 10 error annotations, and 10
notice annotations per step"; further ones are not shown."""

# ------------------------------------------------------------------ rates

MOST_CONCURRENT = 100
"""Docs, "About secondary rate limits": "No more than 100 concurrent requests are allowed.\""""

CONTENT_PER_MINUTE = 80
"""Docs, "About secondary rate limits": "no more than 80 content-generating requests per minute". Which these are, the
descriptions of the requests say: "Creating content too quickly using this endpoint may result in secondary rate
limiting": comments, replies, reviews and pull requests, but not Check Runs and labels."""

CONTENT_PER_HOUR = 500
"""Docs, "About secondary rate limits": "and no more than 500 content-generating requests per hour are allowed.\""""

SECONDS_BETWEEN_WRITES = 1.0
"""Docs, "Best practices for using the REST API": "wait at least one second between each request" that writes."""

BACK_OFF_S = 60
"""Docs, "Exceeding the rate limit": "Otherwise, wait for at least one minute before retrying.\""""

# ------------------------------------------------------------------ tokens and pages

RENEW_BEFORE_S = 300
"""Chosen limit: a token is not used in its last five minutes, so that none expires during a publication."""

PER_PAGE = 100
"""REST, everywhere: "per_page … The number of results per page (max 100).\""""

MOST_PAGES = 10_000
"""Chosen limit: a million pull requests or commits, more than the largest repositories have."""
