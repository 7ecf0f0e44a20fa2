#!/usr/bin/env bash
# Installs Assay beside the job: fresh environments below RUNNER_TEMP, from wheels whose hashes are locked.
#
# With ASSAY_ACTION_SCANNERS only these packages, into the environment that prepare.sh unpacked.
#
# Every package is installed from the wheelhouse, offline, and only if its hash is one of requirements/*.txt. What is not
# there, or is not what was locked, is downloaded anew. See docs/decisions/0014-a-wheelhouse-for-the-action.md.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=.github/action/house.sh
. "$here/house.sh"

HOUSE=$ASSAY_ACTION_HOUSE
WHEELS=$ASSAY_ACTION_WHEELHOUSE
PYTHON=$ASSAY_ACTION_PYTHON
OFFLINE=(--offline --no-index --find-links "$WHEELS")
SOURCE=("${OFFLINE[@]}")
SCANNERS=${ASSAY_ACTION_SCANNERS:-}
readonly TRIES=3

main() {
  local began=$SECONDS from="the cache"
  forget_settings
  forget_workspace
  cd "$HOUSE"
  [ -z "$SCANNERS" ] || choose_scanners
  export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_USER=0 UV_CACHE_DIR="$HOUSE/uv"
  "$PYTHON" -I "$here/wheelhouse.py" sweep "$WHEELS" "${LOCKS[@]}"
  if ! { bootstrap && install_all; } >offline.log 2>&1; then
    from="the package index"
    install_directly || install_from_downloads
  fi
  [ -n "$SCANNERS" ] || tell assay "$HOUSE/env/bin/assay"
  [ ! -d env-sast ] || tell semgrep "$HOUSE/env-sast/bin/semgrep"
  echo "assay: installed from $from in $((SECONDS - began)) s"
}

# Of the locks only the lines of what was asked for.
choose_scanners() {
  local one others=()
  LOCKS=("${LOCKS[0]}")
  for one in $SCANNERS; do
    case "$one" in
      semgrep) LOCKS+=("$ACTION/requirements/sast.txt") ;;
      *) others+=("$one") ;;
    esac
  done
  [ "${#others[@]}" -gt 0 ] || return 0
  "$PYTHON" -I "$here/wheelhouse.py" pick "$ACTION/requirements/action.txt" "${others[@]}" >scanners.txt
  LOCKS+=("$HOUSE/scanners.txt")
}

# Where nothing is kept for a next run, and the machine has no words of its own on where packages come from, uv brings
# them itself: in a quarter of the time, and with the same hashes.
install_directly() {
  [ "${ASSAY_ACTION_KEEPS:-true}" = false ] || return 1
  if pip_of_machine config list | grep -qE 'index|find-links|cert|proxy|trusted-host|keyring'; then return 1; fi
  fetch "${LOCKS[0]}" pip_of_machine
  bootstrap || return
  SOURCE=(--color never)
  if install_all >direct.log 2>&1; then return; fi
  SOURCE=("${OFFLINE[@]}")
  return 1
}

install_from_downloads() {
  fetch_all
  bootstrap || stop 3 "pip and uv cannot be installed from what was downloaded"
  install_all || stop 3 "what was downloaded does not install; is this system one that Assay has packages for?"
  tell fetched true
}

# pip and uv, into an environment of their own.
bootstrap() {
  rm -rf bootstrap
  "$PYTHON" -I -m venv --without-pip bootstrap || return
  pip_of_machine --python bootstrap/bin/python install --quiet --no-compile --no-index --find-links "$WHEELS" \
    --require-hashes --only-binary :all: -r "${LOCKS[0]}"
}

# One environment after the other: uv works on all cores by itself, and two of it hinder each other.
install_all() {
  local lock
  rm -rf env-sast
  [ -n "$SCANNERS" ] || rm -rf env
  for lock in "${LOCKS[@]:1}"; do
    case "$lock" in
      */sast.txt) install_into env-sast "$lock" || return ;;
      *) install_into env "$lock" || return ;;
    esac
  done
  [ -n "$SCANNERS" ] || install_assay
}

install_into() {
  [ -d "$1" ] || "$PYTHON" -I -m venv --without-pip "$1" || return
  uv pip install --quiet "${SOURCE[@]}" --require-hashes --no-build --python "$1/bin/python" -r "$2"
}

# The package from the Action's own folder, in which nothing is written.
install_assay() {
  uv pip install --quiet --offline --no-index --no-deps --no-build-isolation --python env/bin/python "$ACTION"
}

uv() {
  bootstrap/bin/uv --no-config "$@"
}

# The machine's pip, or where that is too old for `--python` or missing the one that Python carries with it.
pip_of_machine() {
  if "$PYTHON" -I -c 'import pip, sys; sys.exit([*map(int, pip.__version__.split(".")[:2])] < [22, 3])' 2>/dev/null; then
    "$PYTHON" -I -m pip "$@"
  else
    [ -d machine-pip ] || "$PYTHON" -I -m venv machine-pip || return
    machine-pip/bin/python -I -m pip "$@"
  fi
}

# The long lists at the same time: pip spends it waiting for answers.
fetch_all() {
  local lock waiting=() one failed=0
  fetch "${LOCKS[0]}" pip_of_machine
  bootstrap || stop 3 "pip and uv cannot be installed from what was downloaded"
  for lock in "${LOCKS[@]:1}"; do
    fetch "$lock" bootstrap/bin/python -I -m pip &
    waiting+=("$!")
  done
  # All are waited for, whatever becomes of the first.
  for one in "${waiting[@]}"; do
    wait "$one" || failed=1
  done
  [ "$failed" = 0 ] || exit 3
}

# fetch LOCK PIP…: into the wheelhouse, with a pause before each further try.
fetch() {
  local lock=$1 try said
  said="$HOUSE/pip-$(basename "$1").log"
  shift
  for ((try = 1; try <= TRIES; try++)); do
    if "$@" download --quiet --no-deps --require-hashes --only-binary :all: --dest "$WHEELS" -r "$lock" >"$said" 2>&1
    then
      return
    fi
    [ "$try" -eq "$TRIES" ] || sleep "$((try * ${ASSAY_ACTION_PAUSE_S:-5}))"
  done
  tail -n 12 "$said" >&2
  stop 3 "packages could not be downloaded in $TRIES tries (pip's own words are above); where the index cannot be reached, set PIP_INDEX_URL to a mirror, or ASSAY_HOME to an Assay that is installed"
}

main
