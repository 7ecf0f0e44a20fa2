#!/usr/bin/env bash
# Finds what the Action stands on: a Python, a folder of its own, and the key its packages are cached under.
# Nothing is changed for the steps that come after it. Runs with the bash of macOS (3.2) too.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=.github/action/house.sh
. "$here/house.sh"

main() {
  case "${RUNNER_OS:-}" in
    Windows) stop 2 "the Action runs on Linux and macOS runners, not on Windows; give the job another runs-on" ;;
  esac
  [ -d "${RUNNER_TEMP:-}" ] || stop 3 "RUNNER_TEMP names no folder, so this is no job of a workflow"
  local house python
  house=$(mktemp -d "$RUNNER_TEMP/assay.XXXXXX")
  mkdir "$house/work"
  tell house "$house"
  if [ -n "${ASSAY_HOME:-}" ]; then
    [ -x "$ASSAY_HOME/bin/assay" ] || stop 2 "ASSAY_HOME is set, and there is no program $ASSAY_HOME/bin/assay"
    return
  fi
  forget_settings
  forget_workspace
  cd "$house"
  python=$(find_python) \
    || stop 3 "no Python 3.11 or newer was found; put actions/setup-python before the Action, with python-version: '3.13'"
  tell python "$python"
  tell key "$("$python" -I "$here/wheelhouse.py" key "${LOCKS[@]}")"
}

# The first that fits: by name on PATH, then where hosted runners keep theirs.
find_python() {
  local name found
  for name in python3.13 python3.12 python3.11 python3; do
    while IFS= read -r found; do
      if fits "$found"; then printf '%s\n' "$found"; return; fi
    done < <(type -aP "$name")
  done
  for found in "${RUNNER_TOOL_CACHE:-/nonexistent}"/Python/3.*/*/bin/python3; do
    if fits "$found"; then printf '%s\n' "$found"; return; fi
  done
  return 1
}

fits() {
  "$1" -I -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

main
