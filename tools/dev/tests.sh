# shellcheck shell=bash
# Runs the test programs and lets tools/dev/count_tests.py count. Sourced by ./dev.
# Every runner leaves $results/PART.xml (JUnit) and $results/PART.log; the counter gets its exit status too.

# run_part PART COMMAND...: what the command says is shown only if something failed.
run_part() {
  local part=$1 status=0 began=$SECONDS
  shift
  "$@" > "$results/$part.log" 2>&1 || status=$?
  python3 tools/dev/count_tests.py report "$part" "$status" "$results"
  say "$part ran for $((SECONDS - began)) s"
}

# build_ahead PRESET: with what the tests that run meanwhile leave of the processor. What could not be built,
# and why, built() says.
build_ahead() {
  mkdir -p build
  setsid nice -n 19 sh -c "cmake --preset $1 && cmake --build --preset $1" > "build/$1.ahead.log" 2>&1 &
  ahead[$1]=$!
}

# await_build PRESET: until that has ended.
await_build() {
  [[ -n ${ahead[$1]:-} ]] || return 0
  wait "${ahead[$1]}" || true
  unset "ahead[$1]"
}

# is_time_up: the minutes of PILEUS_TEST_MINUTES are over. Without it there is no limit.
is_time_up() {
  [[ -n ${PILEUS_TEST_MINUTES:-} ]] && ((SECONDS >= 10#$PILEUS_TEST_MINUTES * 60))
}

# built_in_time PRESET: builds it unless time is up before that is done.
built_in_time() {
  [[ -n ${PILEUS_TEST_MINUTES:-} ]] || return 0
  [[ -n ${ahead[$1]:-} ]] || is_time_up || build_ahead "$1"
  while [[ -n ${ahead[$1]:-} ]] && kill -0 "${ahead[$1]}" 2> /dev/null; do
    ! is_time_up || break
    sleep 1
  done
  ! is_time_up
}

# has_build_failed PRESET: one that was begun ahead has ended, and not well.
has_build_failed() {
  [[ -n ${ahead[$1]:-} ]] && ! kill -0 "${ahead[$1]}" 2> /dev/null && ! wait "${ahead[$1]}"
}

# test_in_time PART: sanitizers and fuzzing, the tests that a whole run can do without.
test_in_time() {
  if built_in_time "$1" || has_build_failed "$1"; then
    test_part "$1"
  else
    say "$1: not begun, as the $PILEUS_TEST_MINUTES minutes of PILEUS_TEST_MINUTES are over"
  fi
}

# built PART PRESET: builds the preset, once in a run; if that fails it counts as one failed test of PART.
built() {
  local part=$1 preset=$2
  if [[ -z ${build_status[$preset]:-} ]]; then
    build_status[$preset]=0
    await_build "$preset"
    build "$preset" || build_status[$preset]=$?
  fi
  ((build_status[$preset] != 0)) || return 0
  run_part "$part" eval "echo 'the $preset build failed: see above'; false"
  return 1
}

# test_with_ctest PART PRESET LABEL JOBS [ARGUMENT...]: the arguments go to ctest.
test_with_ctest() {
  local part=$1 preset=$2 label=$3 jobs=$4
  shift 4
  built "$part" "$preset" || return 0
  run_part "$part" ctest --test-dir "build/$preset" -L "^$label\$" -j "$jobs" "$@" \
    --output-on-failure --no-tests=ignore --output-junit "$results/$part.xml"
}

# test_with_pytest PART PATH...: those of the paths that exist. Options of pytest may stand among them.
test_with_pytest() {
  local part=$1 directory directories=()
  shift
  for directory in "$@"; do
    [[ $directory != -* && ! -e $directory ]] || directories+=("$directory")
  done
  run_part "$part" "$venv/bin/python" -m pytest -q -p no:cacheprovider \
    --junitxml "$results/$part.xml" "${directories[@]}"
}

# Sanitizers slow everything down, and find what they find in few orders of arrival: the release build runs
# all of them. The one for threads has to do with tests that start some (CMakePresets.json builds those).
test_with_sanitizer() {
  local -x PILEUS_SCENARIO_ORDERS=${PILEUS_SCENARIO_ORDERS:-3}
  local -x PILEUS_SIMULATION_ORDERS=${PILEUS_SIMULATION_ORDERS:-2}
  local which=()
  [[ $1 != tsan ]] ||
    which=(-R '^(core|exec|client|transport|formats_netcdf|report|watch|hooks|serve|capi):')
  test_with_ctest "$1" "$1" unit 2 "${which[@]}"
}

# The simulations in many more orders of arrival, every way to start with every number of ranks and servers.
test_long() {
  local -x PILEUS_SCENARIO_ORDERS=300 PILEUS_SIMULATION_ORDERS=200 PILEUS_ALL_LAYOUTS=1
  test_with_ctest orders release unit 2 -R '^(scenarios|server):'
  ! built layouts mpich || test_with_pytest layouts tests/test_layouts.py
}

# cumulus spread in every way: its files have the same bits.
test_bits() {
  local -x PILEUS_ALL_BITS=1
  ! built bits release || ! built bits mpich || test_with_pytest bits tests/test_bits.py
}

# Runs that are killed and go on.
test_kill() {
  local -x PILEUS_KILLS=${PILEUS_KILLS:-200}
  ! built kill release || test_with_pytest kill tests/test_kills.py
}

# MPI tests run one after the other: two at once on few cores would be measured against their time limits.
test_part() {
  case $1 in
    unit) test_with_ctest unit release unit 2 ;;
    mpi) test_with_ctest mpi release mpi 1 ;;
    mpich) ! built mpich release || test_with_ctest mpich mpich mpi 1 ;;
    # tests/test_layouts.py starts runs with both MPIs. Most of a small run is waiting, so that two files of
    # tests at a time take half as long; the tests of a file share what it made.
    python) ! built python release || ! built python mpich ||
      test_with_pytest python -n2 --dist=loadfile models tests bindings \
        --ignore-glob="tests/test_hosts*.py" ;;
    hosts) ! built hosts release || ! built hosts mpich || test_with_pytest hosts tests/test_hosts*.py ;;
    rooms) test_with_pytest rooms tools ;;
    asan | tsan) test_with_sanitizer "$1" ;;
    long) test_long ;;
    bits) test_bits ;;
    kill) test_kill ;;
    fuzz) test_with_ctest fuzz fuzz search 2 ;;
  esac
}

# Also where somebody breaks off.
end_tests() {
  local pid
  rm -rf "$results"
  for pid in "${ahead[@]}"; do
    # One that was begun just now has no group of its own yet.
    kill -- "-$pid" 2> /dev/null || kill "$pid" 2> /dev/null || true
  done
}

# run_test [PART]: the last line counts all tests of all runners.
run_test() {
  local part parts=()
  local -A build_status=()
  declare -gA ahead=()
  case $1 in
    "") parts=(unit mpi mpich python rooms) ;;
    all) parts=(unit mpi mpich python rooms hosts asan tsan fuzz) ;;
    unit | mpi | mpich | python | rooms | hosts | asan | tsan | fuzz | long | bits | kill) parts=("$1") ;;
    *) wrong_usage "test: no part \"$1\"" ;;
  esac
  [[ ${PILEUS_TEST_MINUTES:-0} =~ ^[0-9]+$ ]] ||
    wrong_usage "test: PILEUS_TEST_MINUTES is \"$PILEUS_TEST_MINUTES\" and must be a number of minutes"
  # What knows no MPI is the same with either.
  [[ $mpi != mpich || $1 != "" ]] || parts=(mpich python)
  local sections=(build test python)
  [[ " ${parts[*]} " != *" fuzz "* ]] || sections+=(fuzz)
  [[ " ${parts[*]} " != *" hosts "* ]] || sections+=(hosts)
  provide "${sections[@]}"
  enter_run_environment
  export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}
  results=$(mktemp -d)
  trap end_tests EXIT
  for part in "${parts[@]}"; do
    [[ $part != python || $1 != all ]] || build_ahead asan
    case $part in
      asan | tsan | fuzz) test_in_time "$part" ;;
      *) test_part "$part" ;;
    esac
  done
  python3 tools/dev/count_tests.py total "$results"
}
