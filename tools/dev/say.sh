# shellcheck shell=bash
# How ./dev speaks. Sourced by ./dev.

say() {
  printf 'dev: %s\n' "$*"
}

complain() {
  printf 'dev: %s\n' "$*" >&2
}

give_up() {
  complain "$*"
  exit 1
}
