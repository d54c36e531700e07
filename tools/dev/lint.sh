# shellcheck shell=bash
# The checks that need no running program. Sourced by ./dev.

# files PATTERN...: the files of the checkout that match, new ones included, ignored and deleted ones not.
files() {
  git ls-files --cached --others --exclude-standard --deduplicate -- "$@" |
    while read -r path; do [[ ! -f $path ]] || echo "$path"; done
}

# files_to_tidy [all]: all C++ sources, or those that differ from what is published or was committed before.
files_to_tidy() {
  local base
  if [[ ${1:-} == all ]]; then
    files '*.cpp'
    return
  fi
  base=$(git merge-base HEAD '@{upstream}' 2> /dev/null) || base=HEAD
  [[ $base != "$(git rev-parse HEAD)" ]] || base=$(git rev-parse --quiet --verify HEAD~1) || base=HEAD
  git diff --name-only --diff-filter=d "$base" -- '*.cpp'
  git ls-files --others --exclude-standard -- '*.cpp'
}

# What it finds, clang-format -i mends.
check_format() {
  files '*.cpp' '*.h' '*.hpp' '*.c' | xargs -r clang-format --dry-run -Werror
}

# What ./dev sources is checked as a part of it.
check_scripts() {
  shellcheck --external-sources --check-sourced dev || return
  files '*.sh' .ci/run ':!tools/dev' | xargs -r shellcheck
}

check_line_lengths() {
  files dev .ci/run '*.cpp' '*.h' '*.hpp' '*.c' '*.F90' '*.f90' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' |
    xargs -r python3 tools/check_line_lengths.py
}

check_python() {
  "$venv/bin/ruff" check --no-cache --line-length 110 --select E,F,W,B,I .
}

check_with_clang_tidy() {
  local paths=()
  mapfile -t paths < <(files_to_tidy "$1")
  ((${#paths[@]})) || return 0
  cmake --preset debug > /dev/null || return
  printf '%s\n' "${paths[@]}" | xargs -n 1 -P 2 clang-tidy --quiet -p build/debug
}

# lint_step NAME COMMAND...: shows what a check says only if it fails, and goes on with the next.
lint_step() {
  local name=$1 words
  shift
  if words=$("$@" 2>&1); then
    say "$name: good"
  else
    printf '%s\n' "$words"
    complain "$name: FAILED"
    failed_checks+=("$name")
  fi
}

run_lint() {
  local failed_checks=()
  [[ $1 == "" || $1 == all ]] || wrong_usage "lint: \"$1\" is neither nothing nor all"
  provide build test lint python
  lint_step "rooms" python3 tools/check_rooms.py
  lint_step "format" check_format
  lint_step "line lengths" check_line_lengths
  lint_step "scripts" check_scripts
  lint_step "Python" check_python
  lint_step "clang-tidy" check_with_clang_tidy "$1"
  ((${#failed_checks[@]} == 0)) || give_up "failed: ${failed_checks[*]}"
}
