#!/usr/bin/env bash
# Finds what the Action stands on: a Python, a folder of its own, and its packages as archives of its release. Where there
# are none, the key under which its packages are cached.
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
  if [ "${#PARTS[@]}" -gt 0 ] && unpack; then
    tell assay "$house/env/bin/assay"
    return
  fi
  rm -rf "$house/env"
  tell key "$("$python" -I "$here/wheelhouse.py" key "${LOCKS[@]}")"
}

# Archives are verified by the hashes in requirements/archives.lock, wherever they come from: docs/decisions/0047.
unpack() {
  "$python" -I -m venv --without-pip "$house/env" || return
  "$python" -I "$here/archive.py" "$ACTION/requirements/archives.lock" "$house/env" \
    "${RUNNER_TOOL_CACHE:-$RUNNER_TEMP}/assay-archives" "$(release)" "${PARTS[@]}" || return
  local packages
  packages=$(echo "$house"/env/lib/python3.*/site-packages)
  # Assay itself is of the Action's own commit, in whose folder nothing is written.
  cp -R "$ACTION/assay" "$packages/assay" || return
  printf '#!%s/env/bin/python -I\nimport sys\n\nfrom assay.cli.main import main\n\nsys.exit(main())\n' "$house" \
    >"$house/env/bin/assay"
  chmod +x "$house/env/bin/assay"
}

# Where the archives of this version are: a mirror, or the releases of the repository that the Action is from.
release() {
  local repository version
  if [ -n "${ASSAY_ARCHIVES:-}" ]; then
    printf '%s\n' "$ASSAY_ARCHIVES"
    return
  fi
  version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$ACTION/assay/__init__.py")
  case "$ACTION" in
    # As runners lay out what `uses:` names: _actions/OWNER/REPOSITORY/REF.
    */_actions/*)
      repository=${ACTION##*/_actions/}
      repository=${GITHUB_SERVER_URL:-https://github.com}/$(cut -d / -f 1,2 <<<"$repository")
      ;;
    *) repository=$(git -C "$ACTION" config --get remote.origin.url || true) ;;
  esac
  printf '%s/releases/download/v%s\n' "${repository%.git}" "$version"
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
