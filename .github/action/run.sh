#!/usr/bin/env bash
# run.sh STEP: one step of the Action, with no more of the job's environment than it needs.
#
#   fetch, validate, publish   of a change
#   examine, examined       of a memory, by one exam: to hold it, and to say what was found
#   report                  of a memory, by all exams
#
# Exit codes: 0 fine, 1 the change failed, 2 inputs or configuration, 3 could not run.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=.github/action/house.sh
. "$here/house.sh"

HOUSE=$ASSAY_ACTION_HOUSE
EXAM=$HOUSE/work/memory
# Of a report on a page; a step has 1 MiB, and shows nothing where that is passed.
readonly MOST_PAGE_BYTES=1000000

main() {
  cd "$HOUSE"
  # Said by `look` alone, when it is so.
  unset ASSAY_ACTION_MUTED
  # The project's own programs are for its own commands, and for nothing that may have rights.
  runs_commands "$1" || forget_workspace
  case "$1" in
    validate | examine)
      if [ "${2:-}" != anew ]; then
        # Started anew, so that not even the shell above the change's commands holds what they must not see.
        forget_job
        if [ "$1" = validate ] && runs_commands validate; then unset ANTHROPIC_API_KEY; fi
        if [ "$1" = examine ]; then hand_over_key; fi
        exec bash "$here/run.sh" "$1" anew
      fi
      look "$1"
      ;;
    fetch)
      forget_identity
      look fetch
      ;;
    publish)
      [ -z "${ASSAY_ACTION_STOPPED:-}" ] || say_stopped "$ASSAY_ACTION_STOPPED"
      finish publish
      ;;
    examined)
      [ ! -s "$EXAM/report.json" ] || say_found
      [ -z "${ASSAY_ACTION_STOPPED:-}" ] || say_stopped examine
      ;;
    report)
      finish report
      ;;
  esac
}

# The key of the model that grades, by a pipe: an agent can read the environment of the processes above it. Assay empties
# the pipe before the agent is begun.
hand_over_key() {
  [ -n "${ANTHROPIC_API_KEY:-}" ] || return 0
  exec 9< <(printf '%s' "$ANTHROPIC_API_KEY")
  unset ANTHROPIC_API_KEY
  export ASSAY_MODEL_KEY_FD=9
}

# runs_commands STEP: whether the change's own commands, or an agent's, may run in this step.
runs_commands() {
  case "$1" in
    validate) [ "${ASSAY_ACTION_MODE:-}" != publish ] ;;
    examine) true ;;
    *) false ;;
  esac
}

# The program that prepare and install found, with nothing of the current folder on its path. Its cache is this job's
# alone: on a machine that stays, one in the user's home is what a change can leave for the next job.
assay() {
  export ASSAY_ACTION_WORK="$HOUSE/work" XDG_CACHE_HOME="$HOUSE/cache"
  [ -z "${ASSAY_ACTION_SEMGREP:-}" ] || export ASSAY_SEMGREP="$ASSAY_ACTION_SEMGREP"
  forget_settings
  export PYTHONSAFEPATH=1 PYTHONUNBUFFERED=1
  local program="${ASSAY_ACTION_ASSAY:-${ASSAY_HOME:-}/bin/assay}"
  case "$1" in
    examine) examined_by "$program" ;;
    report) "$program" action memory-report ;;
    *) "$program" action "$1" ;;
  esac
}

# The exam or the record, in the workspace: that is what paths and an agent's own modules are looked for in.
examined_by() {
  local exam=${ASSAY_ACTION_EXAMS:-}
  if [ "${ASSAY_ACTION_MODE:-}" != examine ]; then
    refuse mode "neither examine nor report"
  elif [ "$exam" = record ]; then
    recorded_by "$1"
  elif [[ "$exam" =~ ^-?[0-9]+$ ]]; then
    held_by "$1" --seed "$exam"
  elif [[ ! "$exam" =~ ^secret-[0-9]+$ ]]; then
    refuse exams "neither secret- and a number, nor a seed, nor record"
  elif [ -n "${ASSAY_ACTION_SNAPSHOT:-}" ]; then
    refuse exams "a snapshot was taught the dialogue of a seed; give that seed"
  else
    # Without a seed the exam is secret.
    held_by "$1"
  fi
}

# refuse INPUT WHY: a wrong input, as the program itself says it.
refuse() {
  printf 'assay: input %s: %s\n' "$1" "$2" >&2
  return 2
}

# held_by PROGRAM OPTION...: one exam.
held_by() {
  local program=$1 options=() more=()
  shift
  options=("$@")
  local adapter=${ASSAY_ACTION_ADAPTER:-}
  if [ -n "${ASSAY_ACTION_SNAPSHOT:-}" ]; then
    options+=(--load-memory "$ASSAY_ACTION_SNAPSHOT" --skip-learning)
    adapter=${adapter:-snapshot}
  fi
  [ -z "$adapter" ] || options+=(--adapter "$adapter")
  read -r -a more <<<"$(tr '\n' ' ' <<<"${ASSAY_ACTION_OPTIONS:-}")"
  refuse_ours ${more[@]+"${more[@]}"} || return
  cd "${GITHUB_WORKSPACE:-.}"
  # An agent that is a Python program imports what lies beside it. Ours looks in no folder of the workspace anyway: an
  # installed program's own folder comes first, not the current one.
  unset PYTHONSAFEPATH
  # `+`: an empty list is an unset name to the bash of macOS.
  "$program" memory run ${options[@]+"${options[@]}"} ${more[@]+"${more[@]}"} --output-dir "$EXAM"
}

# The record of a production memory, without its text. Another job compares it with the last one.
recorded_by() {
  local more=()
  if [ -z "${ASSAY_ACTION_SNAPSHOT:-}" ]; then
    refuse snapshot "empty; give the path of the memory"
    return
  fi
  read -r -a more <<<"$(tr '\n' ' ' <<<"${ASSAY_ACTION_OPTIONS:-}")"
  refuse_ours ${more[@]+"${more[@]}"} || return
  mkdir -p "$EXAM"
  # Without a secret, a key that is the same in every run, so that records can be compared.
  export ASSAY_MEMORY_KEY="${ASSAY_MEMORY_KEY:-$ASSAY_ACTION_REPOSITORY_ID}"
  cd "${GITHUB_WORKSPACE:-.}"
  unset PYTHONSAFEPATH
  "$1" memory drift ${more[@]+"${more[@]}"} -o "$EXAM/report.json" -o "$EXAM/report.md" \
    -- "$ASSAY_ACTION_SNAPSHOT"
}

# refuse_ours OPTION...: what the Action says to the exam itself cannot be said to it a second time. One exam's job that
# fails below a score would also look like one that came to no verdict: it is the joined score that is held against it.
refuse_ours() {
  local option why
  for option in "$@"; do
    option=${option%%=*}
    case "$option" in
      --adapter) why="has an input of its own, adapter" ;;
      --seed) why="has an input of its own, exams" ;;
      --fail-under) why="has an input of its own, fail-under, with mode: report" ;;
      --output-dir | --output | -o | --format | -f) why="is the Action's own; the input artifact names where the reports are kept" ;;
      *) continue ;;
    esac
    refuse options "$option $why"
    return
  done
}

# What the exam left, on the run's page and as outputs.
say_found() {
  local score
  score=$(sed -n 's/^  "overall_score": \([0-9.e-]*\),\{0,1\}$/\1/p' "$EXAM/report.json" | head -n 1)
  tell score "$score"
  tell folder "$EXAM"
  tell report "$EXAM/report.json"
  tell markdown "$EXAM/report.md"
  [ -n "${ASSAY_ACTION_STOPPED:-}" ] || tell conclusion success
  # Nothing is known yet about a memory that was only recorded; the other job's summary compares it.
  [ "${ASSAY_ACTION_EXAMS:-}" != record ] || return 0
  head -c "$MOST_PAGE_BYTES" "$EXAM/report.md" >>"$GITHUB_STEP_SUMMARY"
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

# finish STEP: the last step. Where it ends without an output of its own, it is told like the others.
finish() {
  local code=0
  heard "$1" || code=$?
  printf '%s\n' "$code" >"$1.code"
  if [ "$code" -ge 2 ] && ! grep -q '^conclusion=' "$GITHUB_OUTPUT"; then say_stopped "$1"; fi
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
