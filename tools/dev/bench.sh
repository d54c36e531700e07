# shellcheck shell=bash
# Benchmarks: executable scripts in bench/, and programs that the build puts into build/release/bench/.
# Sourced by ./dev.

# benchmarks [NAME]: the paths of all benchmarks whose names begin with NAME.
benchmarks() {
  local path
  for path in bench/"${1:-}"* build/release/bench/"${1:-}"*; do
    [[ ! -f $path || ! -x $path ]] || echo "$path"
  done
}

run_bench() {
  local found=() path
  provide build python
  build release
  mapfile -t found < <(benchmarks "$1")
  ((${#found[@]})) || give_up "no benchmark's name begins with \"$1\""
  if [[ -z $1 ]]; then
    printf '%s\n' "${found[@]##*/}"
    return
  fi
  enter_run_environment
  for path in "${found[@]}"; do
    say "running $path"
    "$path"
  done
}
