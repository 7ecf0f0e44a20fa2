"""Pack what a workflow names and put it into the store of artifacts, as actions/upload-artifact does."""

import glob
import io
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

SETTINGS = json.loads(Path(__file__).with_name("settings.json").read_text())


def main() -> None:
    given = json.loads(os.environ["INPUTS"])
    if set(given["name"]) & set('":<>|*?\r\n\\/') or not given["name"]:
        sys.exit(f"The artifact name is not valid: {given['name']!r}")
    found, root = searched(given["path"].split("\n"), hidden=given["include-hidden-files"] == "true")
    if not found:
        words = f"No files were found with the provided path: {given['path']}. No artifacts will be uploaded."
        if given["if-no-files-found"] == "error":
            sys.exit(words)
        print(f"::warning::{words}" if given["if-no-files-found"] == "warn" else words)
        return
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in found:
            archive.write(path, path.relative_to(root))
    query = urllib.parse.urlencode({"name": given["name"], "overwrite": given["overwrite"]})
    request = urllib.request.Request(f"{SETTINGS['artifacts']}?{query}", packed.getvalue(), method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            kept = json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"Failed to CreateArtifact: {error.code}: {error.read().decode()}")
    with Path(os.environ["GITHUB_OUTPUT"]).open("a") as output:
        output.write(f"artifact-id={kept['id']}\nartifact-url={kept['url']}\n")


def searched(lines: list[str], *, hidden: bool) -> tuple[list[Path], Path]:
    """The files, and the folder their names in the artifact are relative to."""
    patterns = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
    files: set[Path] = set()
    roots: list[Path] = []
    for pattern in patterns:
        for name in glob.glob(pattern, recursive=True, include_hidden=hidden):
            path = Path(name).absolute()
            inside = [one for one in path.rglob("*") if one.is_file()] if path.is_dir() else [path]
            files |= {one for one in inside if hidden or not any(p[0] == "." for p in one.relative_to(path).parts)}
            roots.append(path if path.is_dir() else path.parent)
    return sorted(files), Path(os.path.commonpath(roots)) if roots else Path()


main()
