"""In a log ./dev says how far a build is, and what compilers say."""

import subprocess
from pathlib import Path

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
