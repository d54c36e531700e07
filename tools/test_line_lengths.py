"""No line of a source is longer than tools/check_line_lengths.py allows; pages are free."""

import subprocess
from pathlib import Path

import pytest
from check_line_lengths import LONGEST, too_long

ROOT = Path(__file__).parents[1]
SOURCES = (".cpp", ".h", ".hpp", ".c", ".F90", ".f90", ".py", ".sh", ".cmake", "CMakeLists.txt", ".ci/run")


def sources():
    try:
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no git to list the sources")
    return [ROOT / path for path in listed.stdout.splitlines() if path.endswith(SOURCES)]


def test_no_line_is_too_long():
    paths = sources()

    assert len(paths) > 100
    assert [complaint for path in paths if path.is_file() for complaint in too_long(path)] == []


def test_a_long_line_is_named(tmp_path):
    path = tmp_path / "long.py"
    path.write_text("a\n" + "b" * LONGEST + "\n" + "c" * (LONGEST + 1) + "\n")

    assert list(too_long(path)) == [f"{path}:3: {LONGEST + 1} characters; at most {LONGEST}"]
