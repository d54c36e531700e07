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

# run_bench [NAME [ARGUMENT...]]: each benchmark gets the arguments and runs in the folder of the caller.
run_bench() {
  local found=() path name=${1:-}
  shift $(($# > 0))
  provide build test bench python
  build release
  mapfile -t found < <(benchmarks "$name")
  ((${#found[@]})) || give_up "no benchmark's name begins with \"$name\""
  if [[ -z $name ]]; then
    printf '%s\n' "${found[@]##*/}"
    return
  fi
  enter_run_environment
  for path in "${found[@]}"; do
    say "running $path"
    (cd "$called_from" && "$root/$path" "$@")
  done
}
