# shellcheck shell=bash
# What the Action's scripts share; read by them, never run.

ACTION=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# What is installed, by hash. Another list of locks is for the tests alone.
LOCKS=("$ACTION/requirements/bootstrap.txt")
# The prebuilt archives of what a job needs; none of an examination's.
PARTS=()
case "${ASSAY_ACTION_MODE:-}" in
  examine) LOCKS+=("$ACTION/requirements/memory.txt") ;;
  report) LOCKS+=("$ACTION/requirements/action.txt" "$ACTION/requirements/memory.txt") ;;
  # The job that only runs the repository's own commands scans nothing: semgrep alone is more than half of it all.
  tools) LOCKS+=("$ACTION/requirements/action.txt") PARTS=(base setup) ;;
  publish) LOCKS+=("$ACTION/requirements/action.txt" "$ACTION/requirements/sast.txt") PARTS=(base quality) ;;
  *) LOCKS+=("$ACTION/requirements/action.txt" "$ACTION/requirements/sast.txt") PARTS=(base setup quality) ;;
esac
export ACTION LOCKS PARTS

# stop CODE LINE: one line for the log and the run's page, and the end. All to one stream: a runner reads the other one
# when it likes, in the middle of a line too.
stop() {
  printf 'assay: %s\n' "$2"
  printf '::error title=Assay::%s\n' "$2"
  exit "$1"
}

# tell NAME VALUE: an output of this step.
tell() {
  case "$2" in
    *$'\n'*) stop 3 "a path with a line end in it: $1" ;;
  esac
  printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# What the workflow or its earlier steps set for the project's own Python and installers is not meant for ours. Kept is
# where packages come from and how to get there (PIP_INDEX_URL, PIP_CERT, PIP_CONFIG_FILE, …): that is the machine's.
forget_settings() {
  local name
  for name in $(compgen -e); do
    case "$name" in
      PIP_INDEX_URL | PIP_EXTRA_INDEX_URL | PIP_FIND_LINKS | PIP_TRUSTED_HOST | PIP_CERT | PIP_CLIENT_CERT) ;;
      PIP_NO_INDEX | PIP_PROXY | PIP_CONFIG_FILE | PIP_TIMEOUT | PIP_DEFAULT_TIMEOUT | PIP_RETRIES | PIP_KEYRING_PROVIDER) ;;
      PYTHON* | PIP_* | UV_* | VIRTUAL_ENV* | CONDA_* | HATCH_* | SOURCE_DATE_EPOCH) unset "$name" ;;
    esac
  done
}

# Programs are looked for neither in the workspace, whose files are the change's, nor in the folder we happen to be in.
# By whatever way a folder is named: what is not there, or only looks to be elsewhere, is left out too.
forget_workspace() {
  local folder real there kept=""
  there=$(cd "${GITHUB_WORKSPACE:-/nonexistent}" 2>/dev/null && pwd -P) || there=/nonexistent
  local IFS=:
  set -f
  for folder in $PATH; do
    case "$folder" in
      "${GITHUB_WORKSPACE:-/nonexistent}" | "${GITHUB_WORKSPACE:-/nonexistent}"/*) continue ;;
      /*) real=$(cd "$folder" 2>/dev/null && pwd -P) || continue ;;
      *) continue ;;
    esac
    case "$real/" in
      "$there"/*) ;;
      *) kept="$kept${kept:+:}$folder" ;;
    esac
  done
  set +f
  export PATH="$kept"
}
