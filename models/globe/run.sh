#!/usr/bin/env bash
# The demo of the globe: an atmosphere on two grids and an ocean on a third, each on four model ranks with a
# server; then an atmosphere and an ocean in one job; and pictures of what the servers wrote. A short run
# before tells pileus weights where the points lie, and maps are regridded with these weights.
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

# shellcheck source=examples/demo/helpers.sh
source "$root/examples/demo/helpers.sh"

# DIR may hold other things, so it removes only what an earlier demo left.
remove_earlier_output() {
  local grid
  for grid in "${grids[@]}"; do
    rm -f {"$directory","$first"}/"$grid"_{maps,zonal,means,levels,regular}.nc
    rm -f {"$directory","$first"}/."$grid"_{maps,zonal,means,levels,regular}.nc.*.part
    rm -f {"$directory","$first"}/"$grid.log" "$configurations/$grid"{,_regular}.xml
  done
  for grid in atmosphere ocean; do
    rm -f "$directory/$grid"_{maps,means,regular}.nc "$directory/.$grid"_{maps,means,regular}.nc.*.part
  done
  rm -f "$directory/coupled.log" "$configurations"/{coupled,coupled_regular,atmosphere,ocean}.xml
  rm -f "$configurations"/weights/{octahedral,triangles,ocean}-to-map-conservative.nc
  rm -f "$directory"/globe_{maps,zonal,means,coupled}.png
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

# run_coupled CONFIGURATION: its points are those of the runs of one grid, and so are its weights.
run_coupled() {
  local log=$directory/coupled.log
  "$mpirun" "${launcher_flags[@]}" \
    -n 2 "$build/bin/globe" --grid gaussian --coupled : -n 2 "$build/bin/globe" --grid tripolar --coupled : \
    -n 1 "$build/bin/pileus-server" "$configurations/$1" --directory "$directory" \
    < /dev/null > "$log" 2>&1 || { cat "$log" && give_up "the run failed"; }
}

# make_weights GRID: where the points lie is in the maps of any run; that of a day or of 30 days has one.
make_weights() {
  local steps=24
  [[ $1 != tripolar ]] || steps=20
  run_model "$1" "$1.xml" "$first" --steps "$steps"
  "$build/bin/pileus" weights "$configurations/$1_regular.xml" --grids "$first/$1_maps.nc"
}

# tell RUN: what its log says of its end.
tell() {
  grep -E '^(globe:|component|model:|time of the model)|info: published' "$directory/$1.log"
}

(($# == 1)) || give_up "usage: $0 DIR (where the files are to land)"
need_programs "$build" globe pileus-server pileus
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
  tell "$grid"
done
heading "globe --coupled: an atmosphere on 2 ranks, an ocean on 2, pileus-server on 1"
run_coupled "coupled$regular.xml"
tell coupled
heading "Pictures"
"$python" "$here/plot.py" "$directory"
"$python" "$here/plot_coupled.py" "$directory"
