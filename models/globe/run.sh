#!/usr/bin/env bash
# The demo of the globe: an atmosphere on two grids and an ocean on a third, each on four model ranks with a
# server, and pictures of what the servers wrote.
#
#   models/globe/run.sh DIR
#
# ./dev demo globe builds everything and calls it. By hand: PILEUS_BUILD is the build's folder
# (build/release), PYTHON a Python with numpy, netCDF4 and matplotlib (build/venv/bin/python), MPIRUN the
# launcher (mpirun).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${PILEUS_BUILD:-$root/build/release}
python=${PYTHON:-$root/build/venv/bin/python}
mpirun=${MPIRUN:-mpirun}
grids=(gaussian icosahedral tripolar)

give_up() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

heading() {
  printf '\n== %s\n' "$*"
}

# DIR may hold other things, so it removes only what an earlier demo left.
remove_earlier_output() {
  local grid
  for grid in "${grids[@]}"; do
    rm -f "$directory/$grid"_{maps,zonal,means}.nc "$directory/.$grid"_{maps,zonal,means}.nc.*.part
    rm -f "$directory/$grid.log"
  done
  rm -f "$directory"/globe_{maps,zonal,means}.png
}

# Only Open MPI must be told that it may start more ranks than there are cores, and that root may run them.
choose_launcher_flags() {
  launcher_flags=()
  [[ $("$mpirun" --version 2>&1) == *"Open MPI"* ]] || return 0
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  launcher_flags=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
}

run_model() {
  "$mpirun" "${launcher_flags[@]}" \
    -n 4 "$build/bin/globe" --grid "$1" : \
    -n 1 "$build/bin/pileus-server" "$here/$1.xml" --directory "$directory" \
    < /dev/null > "$directory/$1.log" 2>&1
}

(($# == 1)) || give_up "usage: $0 DIR (where the files are to land)"
for program in globe pileus-server; do
  [[ -x $build/bin/$program ]] || give_up "$build/bin/$program is not there: ./dev build makes it"
done
command -v "$mpirun" > /dev/null || give_up "no program $mpirun: set MPIRUN"
command -v "$python" > /dev/null || give_up "no program $python: set PYTHON"
mkdir -p "$1"
directory=$(cd "$1" && pwd)

remove_earlier_output
choose_launcher_flags
for grid in "${grids[@]}"; do
  heading "globe --grid $grid on 4 ranks, pileus-server on 1"
  run_model "$grid" || { cat "$directory/$grid.log" && give_up "the run failed"; }
  grep -E '^(globe:|model:|time of the model)|info: published' "$directory/$grid.log"
done
heading "Pictures"
"$python" "$here/plot.py" "$directory"
