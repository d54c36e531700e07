# shellcheck shell=bash
# Fuzzing with libFuzzer: tests/fuzz/NAME.cpp. What it keeps is in build/fuzz/corpus, what ends a target in
# build/fuzz/found. Sourced by ./dev.

# run_fuzz NAME [SECONDS]: on one core, with low priority, until something is found or the time is over.
run_fuzz() {
  local name=${1:-} seconds=${2:-600} targets corpus
  targets=$(cd tests/fuzz && grep -l -e '^extern "C" int LLVMFuzzerTestOneInput' -- *.cpp | paste -s -d ' ')
  targets=${targets//.cpp/}
  [[ -n $name && " $targets " == *" $name "* ]] || wrong_usage "fuzz: which target? There are: $targets"
  [[ $seconds =~ ^[0-9]+$ ]] || wrong_usage "fuzz: \"$seconds\" is no number of seconds"
  provide build test fuzz
  one_at_a_time build/fuzz.lock configure_and_build_fuzz "$name"
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus" build/fuzz/found
  "build/fuzz/tests/${name}_replay" --write-seeds "$corpus"
  "build/fuzz/tests/${name}_replay" --write-words "build/fuzz/$name.words"
  local inputs=("$corpus") folder
  for folder in "tests/fuzz/corpus/$name" "tests/fuzz/found/$name"; do
    [[ ! -d $folder ]] || inputs+=("$folder")
  done
  [[ $name != configuration ]] || inputs+=(tests/broken tests/configurations)
  # Without entropic=0 libFuzzer itself takes most of the time: the targets have many features.
  nice -n 19 "build/fuzz/tests/${name}_fuzz" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 \
    -entropic=0 -dict="build/fuzz/$name.words" -artifact_prefix="build/fuzz/found/$name-" \
    -print_final_stats=1 "${inputs[@]}"
}

configure_and_build_fuzz() {
  cmake --preset fuzz && cmake --build --preset fuzz --target "$1_fuzz" "$1_replay"
}
