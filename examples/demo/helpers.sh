# shellcheck shell=bash disable=SC2034,SC2154
# What the scripts of all demos have in common. They source it; `mpirun` and `python` are set then.

give_up() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

heading() {
  printf '\n== %s\n' "$*"
}

# need_programs BUILD PROGRAM...: those of the build, the launcher and Python.
need_programs() {
  local build=$1 program
  shift
  for program in "$@"; do
    [[ -x $build/bin/$program ]] || give_up "$build/bin/$program is not there: ./dev build makes it"
  done
  command -v "$mpirun" > /dev/null || give_up "no program $mpirun: set MPIRUN"
  command -v "$python" > /dev/null || give_up "no program $python: set PYTHON"
}

# Only Open MPI must be told that it may start more ranks than there are cores, and that root may run them.
choose_launcher_flags() {
  launcher_flags=()
  [[ $("$mpirun" --version 2>&1) == *"Open MPI"* ]] || return 0
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  launcher_flags=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
}
