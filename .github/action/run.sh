#!/usr/bin/env bash
# run.sh fetch|judge|publish: one step of the Action, with no more of the job's environment than it needs.
#
# Exit codes: 0 fine, 1 the change failed, 2 inputs or configuration, 3 could not run.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=.github/action/house.sh
. "$here/house.sh"

HOUSE=$ASSAY_ACTION_HOUSE

main() {
  cd "$HOUSE"
  # Said by `look` alone, when it is so.
  unset ASSAY_ACTION_MUTED
  # The project's own programs are for its own commands, and for nothing that may have rights.
  runs_commands "$1" || forget_workspace
  case "$1" in
    judge)
      if [ "${2:-}" != anew ]; then
        # Started anew, so that not even the shell above the change's commands holds what they must not see.
        forget_job
        if runs_commands judge; then unset ANTHROPIC_API_KEY; fi
        exec bash "$here/run.sh" judge anew
      fi
      look judge
      ;;
    fetch)
      forget_identity
      look fetch
      ;;
    publish)
      [ -z "${ASSAY_ACTION_STOPPED:-}" ] || say_stopped "$ASSAY_ACTION_STOPPED"
      finish
      ;;
  esac
}

# runs_commands STEP: whether the change's own commands may run in this step.
runs_commands() {
  [ "$1" = judge ] && [ "${ASSAY_ACTION_PUBLISH_ONLY:-}" != true ]
}

# The program that prepare and install found, with nothing of the current folder on its path. Its cache is this job's
# alone: on a machine that stays, one in the user's home is what a change can leave for the next job.
assay() {
  export ASSAY_ACTION_WORK="$HOUSE/work" XDG_CACHE_HOME="$HOUSE/cache"
  [ -z "${ASSAY_ACTION_SEMGREP:-}" ] || export ASSAY_SEMGREP="$ASSAY_ACTION_SEMGREP"
  forget_settings
  PYTHONSAFEPATH=1 PYTHONUNBUFFERED=1 "${ASSAY_ACTION_ASSAY:-${ASSAY_HOME:-}/bin/assay}" action "$1"
}

# Credentials, and the files by which a step speaks to the runner and to later steps.
forget_job() {
  forget_identity
  unset GITHUB_TOKEN GH_TOKEN ASSAY_ACTION_TOKEN
  unset GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY
}

# What the runner gives a job to say who it is, and to reach caches and artifacts. Runners that are not GitHub's put the
# inputs there too, the token among them.
forget_identity() {
  local name
  for name in $(compgen -e); do
    case "$name" in
      ACTIONS_* | INPUT_*) unset "$name" ;;
    esac
  done
}

# A step before the verdict. What is printed meanwhile may quote the change, so the runner takes no commands from it.
look() {
  local code=0 word
  word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '::stop-commands::%s\n' "$word"
  export ASSAY_ACTION_MUTED=1
  heard "$1" || code=$?
  printf '\n::%s::\n' "$word"
  printf '%s\n' "$code" >"$1.code"
  exit "$code"
}

# The last step. Where it ends without an output of its own, it is told like the others.
finish() {
  local code=0
  heard publish || code=$?
  printf '%s\n' "$code" >publish.code
  if [ "$code" -ge 2 ] && ! grep -q '^conclusion=' "$GITHUB_OUTPUT"; then say_stopped publish; fi
  exit "$code"
}

# Runs a step, and keeps what it says of trouble. Shown it is on the same stream as all else: what is read from another
# one may be read late, when the runner takes commands again.
heard() {
  { assay "$1" 2>&1 >&3 3>&- | tee "$1.said" >&3; return "${PIPESTATUS[0]}"; } 3>&1
}

# A step came to no verdict: its last words go on the run's page, and its exit code is the Action's.
say_stopped() {
  local step=$1 conclusion=could_not_run code=3 words
  if [ "$(cat "$step.code" 2>/dev/null)" = 2 ]; then conclusion=misconfigured code=2; fi
  words=$(sed -n 's/^assay: //p' "$step.said" 2>/dev/null | tail -n 1 | tr -d '\000-\037' | cut -c 1-500)
  words=${words//'##['/'## ['}
  words=${words:-"it stopped in its step \"$step\", whose log says more"}
  tell conclusion "$conclusion"
  tell title "Assay came to no verdict"
  printf '## Assay came to no verdict\n\n    %s\n' "$words" >>"$GITHUB_STEP_SUMMARY"
  stop "$code" "${words//'%'/%25}"
}

main "$@"
