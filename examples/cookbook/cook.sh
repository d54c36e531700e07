#!/usr/bin/env bash
# Runs recipes of the cookbook, each on the model that it is for, and draws what they wrote.
#
#   examples/cookbook/cook.sh DIR [RECIPE...]
#
# All of them where none is named. Each leaves DIR/RECIPE.png, and its files in DIR/RECIPE.
#
# PILEUS_BUILD is the build's folder (build/release), PYTHON a Python with numpy, netCDF4 and matplotlib
# (build/venv/bin/python, or python3 where that is not there).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${PILEUS_BUILD:-$root/build/release}
python=${PYTHON:-$root/build/venv/bin/python}
[[ -n ${PYTHON:-} || -x $python ]] || python=python3

give_up() {
  printf 'cook: %s\n' "$*" >&2
  exit 1
}

# run_model MODEL OPTIONS CONFIGURATION FOLDER: one process models, analyses and writes.
run_model() {
  # shellcheck disable=SC2086
  "$build/bin/$1" $2 --config "$3" --directory "$4" > "$4.log" 2>&1
}

# make_weights RECIPE MODEL OPTIONS: a first run of two steps says where the points lie. Prints the name of
# the configuration that has the weights beside it.
make_weights() {
  local beside=$directory/$1.weights
  rm -rf "$beside"
  mkdir -p "$beside"
  cp "$here/$1.xml" "$here/$2"_*fields.xml "$beside"
  if ! run_model "$2" "$3 --steps 2" "$beside/$2_places_fields.xml" "$beside" ||
    ! "$build/bin/pileus" weights "$beside/$1.xml" --grids "$beside"/places*.nc >> "$beside.log" 2>&1; then
    give_up "$1: no weights were made; why is in $beside.log"
  fi
  printf "%s\n" "$beside/$1.xml"
}

cook() {
  local recipe=$1 model options configuration
  [[ -f $here/$recipe.xml ]] || give_up "there is no recipe $recipe: see docs/cookbook.md"
  model=$(sed -n 's/.*include file="\([a-z]*\)_fields.xml".*/\1/p' "$here/$recipe.xml")
  options=$(sed -n "s/^$recipe: //p" "$here/runs.txt")
  [[ -n $options ]] || options=$(sed -n "s/^$model: //p" "$here/runs.txt")
  [[ -x $build/bin/$model ]] || give_up "$build/bin/$model is not there: ./dev build makes it"
  rm -rf "${directory:?}/$recipe"
  mkdir -p "$directory/$recipe"
  configuration=$here/$recipe.xml
  if grep -q 'expression="regrid(' "$configuration"; then
    configuration=$(make_weights "$recipe" "$model" "$options")
  fi
  run_model "$model" "$options" "$configuration" "$directory/$recipe" ||
    give_up "$recipe: the run failed; what it said is in $directory/$recipe.log"
  "$python" "$here/draw.py" "$directory/$recipe"/*.nc "$directory/$recipe.png"
  printf '%s\n' "$asked/$recipe.png"
}

(($# >= 1)) || give_up "usage: $0 DIR [RECIPE...]"
asked=$1
mkdir -p "$1"
directory=$(cd "$1" && pwd)
shift
recipes=("$@")
if ((${#recipes[@]} == 0)); then
  for file in "$here"/*.xml; do
    [[ $file == *_fields.xml ]] || recipes+=("$(basename "$file" .xml)")
  done
fi
for recipe in "${recipes[@]}"; do cook "$recipe"; done
