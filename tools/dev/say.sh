# shellcheck shell=bash
# How ./dev speaks. Sourced by ./dev.

say() {
  printf 'dev: %s\n' "$*"
}

complain() {
  printf 'dev: %s\n' "$*" >&2
}

# while_saying WHAT LOG COMMAND...: runs it with its output in LOG, and says every 15 s that it goes on.
while_saying() {
  local what=$1 log=$2 began=$SECONDS status=0 watcher
  shift 2
  : > "$log"
  (
    while sleep 15 > /dev/null 2>&1 && kill -0 $$; do
      say "$what: $((SECONDS - began)) s; $(tail -n 1 "$log" | cut -c 1-70)"
    done
  ) &
  watcher=$!
  "$@" > "$log" 2>&1 || status=$?
  kill "$watcher"
  wait "$watcher" 2> /dev/null || true
  ((status != 0)) || say "$what: done in $((SECONDS - began)) s"
  return "$status"
}

give_up() {
  complain "$*"
  exit 1
}
