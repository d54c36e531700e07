#!/usr/bin/env bash
# Shows that a sum of Pileus has the same bits at every step and on every layout: cumulus on 1, 2, 3 and 6
# ranks, with and without servers, and a picture beside sums as loops make them.
#
#   examples/same_bits/run.sh DIR
#
# PILEUS_BUILD is the build's folder (build/release), PYTHON a Python with numpy, netCDF4 and matplotlib
# (build/venv/bin/python), MPIRUN the launcher (mpirun), END_TIME the model time of the runs in seconds (600).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${PILEUS_BUILD:-$root/build/release}
python=${PYTHON:-$root/build/venv/bin/python}
mpirun=${MPIRUN:-mpirun}
layouts=(1+0 2+0 3+1 6+2) # model ranks and servers

(($# == 1)) || { echo "usage: $0 DIR (where the files are to land)" >&2 && exit 1; }
export SOURCE_DATE_EPOCH=0 # the hour of the day is no part of the comparison
flags=()
if [[ $("$mpirun" --version 2>&1) == *"Open MPI"* ]]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  flags=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
fi
folders=()
for layout in "${layouts[@]}"; do
  ranks=${layout%+*} servers=${layout#*+} folder=$1/ranks$ranks
  mkdir -p "$folder"
  rm -f "$folder"/{mass,pressure}_[0-9]*.nc
  model=("$build/bin/cumulus" --nx 32 --ny 32 --nz 25 --end "${END_TIME:-600}" --uneven --quiet)
  model+=(--output pileus --config "$here/same_bits.xml" --directory "$folder")
  beside=(: -n "$servers" "$build/bin/pileus-server" "$here/same_bits.xml" --directory "$folder")
  ((servers > 0)) || beside=()
  echo "== model ranks: $ranks, servers: $servers"
  "$mpirun" "${flags[@]}" -n "$ranks" "${model[@]}" "${beside[@]}" < /dev/null > "$folder/run.log" 2>&1 ||
    { cat "$folder/run.log" && exit 1; }
  cmp "${folders[0]:-$folder}/mass_86400.nc" "$folder/mass_86400.nc"
  folders+=("$folder")
done
echo "the files of all layouts have the same bytes"
"$python" "$here/plot.py" "${folders[0]}" --out "$1/same_bits.png"
