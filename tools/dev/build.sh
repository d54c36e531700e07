# shellcheck shell=bash
# Building, and the environment in which what was built runs. Sourced by ./dev.

# one_at_a_time LOCK COMMAND...: two calls of ./dev in one checkout wait for each other.
one_at_a_time() {
  local lock=$1
  shift
  mkdir -p build
  if ! command -v flock > /dev/null; then
    "$@"
    return
  fi
  (
    flock --nonblock 9 || { say "waiting for another ./dev ($lock)" && flock 9; }
    "$@" 9>&-
  ) 9> "$lock"
}

# configure_and_build PRESET [BUILD_PRESET]: the second builds other targets in the same folder.
# In a log, where no line replaces the one before it: how far it is every 10 s, and what the compilers say.
configure_and_build() {
  local began=$SECONDS build_preset=${2:-$1}
  if [[ -t 1 ]]; then
    cmake --preset "$1" && cmake --build --preset "$build_preset" || return
  else
    say "building build/$1"
    cmake --preset "$1" > "build/$1.cmake.log" 2>&1 || { cat "build/$1.cmake.log" && return 1; }
    cmake --build --preset "$build_preset" | tell_of_build 10 || return
  fi
  say "built build/$1 in $((SECONDS - began)) s"
}

# tell_of_build [SECONDS]: of ninja's lines, [done/all] on the standard input, one in so many seconds.
tell_of_build() {
  local line period=$1 began=$SECONDS next=$((SECONDS + $1))
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
      ((SECONDS >= next)) || continue
      say "building: ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}, $((SECONDS - began)) s"
      next=$((SECONDS + period))
    else
      printf '%s\n' "$line"
    fi
  done
}

# build PRESET [BUILD_PRESET]
build() {
  one_at_a_time "build/$1.lock" configure_and_build "$@"
}

# build_for_mpi: what the chosen MPI needs. Rooms that know no MPI come from build/release.
build_for_mpi() {
  build release
  [[ $mpi == openmpi ]] || build "$mpi"
}

# Open MPI asks the name service for the host's own name: without an answer every mpirun waits 5 to 15 s.
warn_of_unknown_host_name() {
  local name
  [[ -r /proc/sys/kernel/hostname ]] || return 0
  name=$(< /proc/sys/kernel/hostname)
  timeout 2 getent hosts "$name" > /dev/null ||
    complain "this host's name, $name, does not resolve: every mpirun will wait for it." \
      "A line \"127.0.1.1 $name\" in /etc/hosts mends that."
}

# enter_run_environment [PRESET]: for all that runs after the build: the project's own Python and programs
# first, and mpirun with more ranks than cores, as root too (containers).
enter_run_environment() {
  export PILEUS_BUILD=$root/build/${1:-release}
  if [[ $mpi != openmpi ]]; then
    export PILEUS_BUILD=$root/build/${1:-$mpi} PILEUS_MPI=$mpi MPIRUN=mpirun.$mpi
  fi
  export PATH=$root/$venv/bin:$PILEUS_BUILD/bin:$PATH
  export PYTHONDONTWRITEBYTECODE=1
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1
  warn_of_unknown_host_name
}
