#!/usr/bin/env bash
# The demo: five cumulus clouds on three model ranks with uneven parts, two servers that analyse and write,
# and pictures of what they wrote.
#
#   examples/demo/run.sh DIR
#
# ./dev demo builds everything and calls it. By hand: PILEUS_BUILD is the build's folder (build/release),
# PYTHON a Python with numpy, netCDF4 and matplotlib (build/venv/bin/python), MPIRUN the launcher (mpirun),
# END_TIME the model time of the run in seconds (1500).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${PILEUS_BUILD:-$root/build/release}
python=${PYTHON:-$root/build/venv/bin/python}
mpirun=${MPIRUN:-mpirun}
end_time=${END_TIME:-1500}
series=(fields profiles columns series mean_wind)

# shellcheck source=examples/demo/helpers.sh
source "$here/helpers.sh"

# DIR may hold other things, so it removes only what an earlier demo left.
remove_earlier_output() {
  local name earlier=()
  shopt -s nullglob
  for name in "${series[@]}"; do
    earlier+=("$directory/$name"_[0-9]*.nc "$directory/.$name"_[0-9]*.nc.*.part)
  done
  earlier+=("$directory"/{run.log,cross_section.png,profiles.png,series.png})
  shopt -u nullglob
  rm -f "${earlier[@]}"
}

run_model() {
  "$mpirun" "${launcher_flags[@]}" \
    -n 3 "$build/bin/cumulus" --case bubbles --uneven --end "$end_time" --progress 50 \
    --initial-state --output pileus : \
    -n 2 "$build/bin/pileus-server" "$here/cumulus.xml" --directory "$directory" < /dev/null 2>&1 |
    tee "$directory/run.log"
}

(($# == 1)) || give_up "usage: $0 DIR (where the files are to land)"
need_programs "$build" cumulus pileus-server
mkdir -p "$1"
directory=$(cd "$1" && pwd)

remove_earlier_output
choose_launcher_flags
heading "cumulus on 3 ranks, pileus-server on 2: $end_time s of model time"
run_model || give_up "the run failed; all it said is in $directory/run.log"
heading "What is in the files in $directory"
"$python" "$here/contents.py" "$directory"
heading "What it cost the model, and the servers"
grep -E '^(model:|time of the model|servers |  server [0-9])' "$directory/run.log" ||
  give_up "the servers printed no report"
heading "Pictures"
"$python" "$here/plot.py" "$directory"
