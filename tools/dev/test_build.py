"""In a log ./dev says how far a build is, and what compilers say; one build goes on beside tests."""

import os
import subprocess
import time
from pathlib import Path

# The programs that tests.sh calls, in few words; cmake notes that it was called and ends when it may.
STAND_INS = """
set -euo pipefail
source {here}/say.sh
source {here}/tests.sh
provide() {{ :; }}
enter_run_environment() {{ :; }}
test_part() {{
  echo "part $1" >> log
  if [[ $1 == asan ]]; then await_build asan; echo "asan tested" >> log; fi
}}
python3() {{ :; }}
mpi=openmpi
cd {directory}
PATH={directory}/bin:$PATH
"""
HERE = Path(__file__).parent
NINJA = "[1/3] Building a.o\na.cpp:1: warning: odd\n[3/3] Linking a\n"


def told(period_s):
    script = f"source {HERE}/say.sh && source {HERE}/build.sh && tell_of_build {period_s}"
    return subprocess.run(
        ["bash", "-c", script], input=NINJA, capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()


def test_a_build_says_how_far_it_is_every_so_often():
    assert [line.split(",")[0] for line in told(0)] == [
        "dev: building: 1 of 3", "a.cpp:1: warning: odd", "dev: building: 3 of 3"]


def test_between_these_lines_only_compilers_speak():
    assert told(1000) == ["a.cpp:1: warning: odd"]


def run_tests(directory, part, may_end, minutes=""):
    (directory / "bin").mkdir()
    cmake = directory / "bin" / "cmake"
    wait = "" if may_end else "sleep 1000"
    cmake.write_text(f'#!/bin/sh\necho "cmake $1" >> log; echo $$ > pid; {wait}\n')
    cmake.chmod(0o755)
    script = STAND_INS.format(here=HERE, directory=directory) + f"run_test {part}\n"
    changed = {**os.environ, "PILEUS_TEST_MINUTES": minutes}
    return subprocess.Popen(["bash", "-c", script], start_new_session=True, env=changed)


def lines(directory):
    log = directory / "log"
    return log.read_text().splitlines() if log.exists() else []


def test_the_slowest_build_goes_on_beside_tests_and_is_awaited(tmp_path):
    with run_tests(tmp_path, "all", may_end=True) as tests:
        assert tests.wait(60) == 0

    said = lines(tmp_path)
    assert [line for line in said if "asan" in line] == ["part asan", "asan tested"]
    assert said.index("cmake --build") < said.index("asan tested")
    assert said.count("cmake --build") == 1


def test_a_part_alone_builds_nothing_beside_it(tmp_path):
    with run_tests(tmp_path, "python", may_end=True) as tests:
        assert tests.wait(60) == 0

    assert lines(tmp_path) == ["part python"]


def test_sanitizers_and_fuzzing_are_left_out_where_time_is_up(tmp_path, capfd):
    with run_tests(tmp_path, "all", may_end=False, minutes="0") as tests:
        assert tests.wait(60) == 0

    assert [line for line in lines(tmp_path) if line.startswith("part")] == [
        f"part {part}" for part in ("unit", "mpi", "mpich", "python", "rooms", "hosts")]
    said = capfd.readouterr().out
    assert [part for part in ("asan", "tsan", "fuzz") if f"dev: {part}: not begun" in said] == [
        "asan", "tsan", "fuzz"]


def test_they_are_built_and_run_where_there_is_time(tmp_path):
    with run_tests(tmp_path, "all", may_end=True, minutes="60") as tests:
        assert tests.wait(60) == 0

    said = lines(tmp_path)
    assert [line for line in said if line.startswith("part")][-3:] == ["part asan", "part tsan", "part fuzz"]
    assert said.count("cmake --build") == 3


def test_minutes_that_are_no_number_are_refused(tmp_path):
    with run_tests(tmp_path, "all", may_end=True, minutes="soon") as tests:
        assert tests.wait(60) != 0
    assert not lines(tmp_path)


def test_who_breaks_off_leaves_no_build_behind(tmp_path):
    with run_tests(tmp_path, "all", may_end=False) as tests:
        while "part asan" not in lines(tmp_path) or not (tmp_path / "pid").exists():
            assert tests.poll() is None
            time.sleep(0.01)
        cmake = int((tmp_path / "pid").read_text())
        tests.terminate()
        tests.wait(60)

    deadline = time.monotonic() + 60
    while os.path.exists(f"/proc/{cmake}") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{cmake}")
