"""Bring one commit into the workspace as actions/checkout does, or, for the Action itself, a copy of this project."""

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

SETTINGS = json.loads(Path(__file__).with_name("settings.json").read_text())
WORKSPACE = Path(os.environ["GITHUB_WORKSPACE"])
EXTRA = "http.{}/.extraheader"


def main() -> None:
    given = json.loads(os.environ["INPUTS"])
    into = (WORKSPACE / given["path"]).resolve()
    if not into.is_relative_to(WORKSPACE.resolve()):
        sys.exit(f"Repository path '{into}' is not under '{WORKSPACE}'")
    if given["submodules"] != "false":
        sys.exit("this stand-in knows no submodules")
    if given["repository"] == SETTINGS["action_repository"]:
        # The commit asked for is not looked at: what is tested is the project as it lies here.
        shutil.copytree(SETTINGS["action_folder"], into, dirs_exist_ok=True, symlinks=True)
        commit = given["ref"]
    else:
        commit = cloned(given, into)
    with Path(os.environ["GITHUB_OUTPUT"]).open("a") as output:
        output.write(f"commit={commit}\n")


def cloned(given: dict[str, str], into: Path) -> str:
    into.mkdir(parents=True, exist_ok=True)
    for each in into.iterdir():
        shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
    server = os.environ["GITHUB_SERVER_URL"]
    secret = base64.b64encode(f"x-access-token:{given['token']}".encode()).decode()
    header = f"AUTHORIZATION: basic {secret}"
    git(into, "init", "--quiet", "--initial-branch=main")
    git(into, "remote", "add", "origin", f"{server}/{given['repository']}")
    if given["persist-credentials"] == "true":
        git(into, "config", EXTRA.format(server), header)
    is_here = given["repository"] == os.environ["REPOSITORY"]
    wanted = given["ref"] or (os.environ["SHA"] if is_here else "HEAD")
    depth = [] if given["fetch-depth"] == "0" else [f"--depth={given['fetch-depth']}"]
    everything = ["+refs/heads/*:refs/remotes/origin/*"] if given["fetch-depth"] == "0" else []
    once = ["-c", f"{EXTRA.format(server)}={header}"] if given["persist-credentials"] != "true" else []
    git(into, *once, "fetch", "--quiet", "--no-tags", *depth, "origin", wanted, *everything)
    git(into, "checkout", "--quiet", "--detach", "FETCH_HEAD")
    return git(into, "rev-parse", "HEAD").strip()


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"git {arguments[-1]}: {done.stderr}")
    return done.stdout


main()
