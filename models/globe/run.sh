#!/usr/bin/env bash
# The demo of the globe: an atmosphere on two grids and an ocean on a third, each on four model ranks with a
# server, and pictures of what the servers wrote. A short run before tells pileus weights where the points
# lie, and maps are regridded with these weights.
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
    rm -f {"$directory","$first"}/"$grid"_{maps,zonal,means,levels,regular}.nc
    rm -f {"$directory","$first"}/."$grid"_{maps,zonal,means,levels,regular}.nc.*.part
    rm -f {"$directory","$first"}/"$grid.log" "$configurations/$grid"{,_regular}.xml
  done
  rm -f "$configurations"/weights/{octahedral,triangles,ocean}-to-map-conservative.nc
  rm -f "$directory"/globe_{maps,zonal,means}.png
}

# Only Open MPI must be told that it may start more ranks than there are cores, and that root may run them.
choose_launcher_flags() {
  launcher_flags=()
  [[ $("$mpirun" --version 2>&1) == *"Open MPI"* ]] || return 0
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  launcher_flags=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
}

# run_model GRID CONFIGURATION FOLDER [OPTION...]
run_model() {
  local grid=$1 configuration=$configurations/$2 folder=$3
  shift 3
  "$mpirun" "${launcher_flags[@]}" \
    -n 4 "$build/bin/globe" --grid "$grid" "$@" : \
    -n 1 "$build/bin/pileus-server" "$configuration" --directory "$folder" \
    < /dev/null > "$folder/$grid.log" 2>&1 || { cat "$folder/$grid.log" && give_up "the run failed"; }
}

# make_weights GRID: where the points lie is in the maps of any run; that of a day or of 30 days has one.
make_weights() {
  local steps=24
  [[ $1 != tripolar ]] || steps=20
  run_model "$1" "$1.xml" "$first" --steps "$steps"
  "$build/bin/pileus" weights "$configurations/$1_regular.xml" --grids "$first/$1_maps.nc"
}

(($# == 1)) || give_up "usage: $0 DIR (where the files are to land)"
for program in globe pileus-server pileus; do
  [[ -x $build/bin/$program ]] || give_up "$build/bin/$program is not there: ./dev build makes it"
done
command -v "$mpirun" > /dev/null || give_up "no program $mpirun: set MPIRUN"
command -v "$python" > /dev/null || give_up "no program $python: set PYTHON"
mkdir -p "$1"
directory=$(cd "$1" && pwd)
first=$directory/first configurations=$directory/configurations
mkdir -p "$first" "$configurations"

remove_earlier_output
choose_launcher_flags
cp "$here"/*.xml "$here/pressures.txt" "$configurations"
regular=
if command -v "${PILEUS_CDO:-cdo}" > /dev/null; then
  regular=_regular
  heading "Weights: a short run on each grid, and CDO"
  for grid in "${grids[@]}"; do make_weights "$grid"; done
else
  echo "demo: maps stay on the grids of the model, as weights of regridding need CDO, which is not installed"
fi
for grid in "${grids[@]}"; do
  heading "globe --grid $grid on 4 ranks, pileus-server on 1"
  run_model "$grid" "$grid$regular.xml" "$directory"
  grep -E '^(globe:|model:|time of the model)|info: published' "$directory/$grid.log"
done
heading "Pictures"
"$python" "$here/plot.py" "$directory"
