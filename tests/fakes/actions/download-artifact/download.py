"""Fetch an artifact of this run out of the store of artifacts, as actions/download-artifact does."""

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
    name = given["name"] or given["pattern"]
    query = urllib.parse.urlencode({"name": name})
    try:
        with urllib.request.urlopen(f"{SETTINGS['artifacts']}?{query}", timeout=30) as answer:
            packed = answer.read()
    except urllib.error.HTTPError as error:
        if error.code == 404 and not given["name"]:
            return
        sys.exit(f"Unable to download artifact(s): {name}: {error.code}")
    folder = Path(given["path"]).absolute()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(folder)
    with Path(os.environ["GITHUB_OUTPUT"]).open("a") as output:
        output.write(f"download-path={folder}\n")


main()
