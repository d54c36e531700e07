"""A server's memory does not grow with its run: neither with published files nor with empty steps.

PILEUS_LONG_FILES and PILEUS_LONG_STEPS: how long the runs are (10 000 files and 100 000 steps take minutes).
"""

import json
import os

import pytest
from oracle.launch import Layout, model_command, require_programs, run

FILES = int(os.environ.get("PILEUS_LONG_FILES", "1000"))
STEPS = int(os.environ.get("PILEUS_LONG_STEPS", "3000"))
SHORTER = 10  # so many times, of the run to which the long one is compared
MOST_GROWTH = 0.04
UNDER_WAY_BYTES = 4 << 20  # what is under way at once differs from run to run
FILE_BYTES = 2048  # in the report: its name and times, more than once while it is sent and written
TIMEOUT_S = 120 + FILES // 20 + STEPS // 50

FILE_EACH_STEP = """<io-configuration>
  <server-configuration><memory budget="1 MiB"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="dt" type="scalar" data_type="double"/>
  </data-definition>
  <data-writing>
    <file name="out.nc" write_time_frequency="0.1">
      <include field="dt" time_manipulation="instantaneous" output_frequency="0.1"/>
    </file>
  </data-writing>
</io-configuration>
"""

SUM_OF_RANKS = """<io-configuration>
  <server-configuration><memory budget="1 MiB"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="total">
      <operator name="localreduce" operator="sum" field="w" result="part"/>
      <communication name="reduction" operator="sum" field="part" result="total"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="out.nc" write_time_frequency="20">
      <include field="total" time_manipulation="averaged" output_frequency="2"/>
      <include field="w" time_manipulation="instantaneous" output_frequency="20"/>
    </file>
  </data-writing>
</io-configuration>
"""


# The mean of each level, 8 kB a step, is never complete behind a rank that has gone.
SPREAD_OF_LEVELS = """<io-configuration>
  <server-configuration><memory budget="1 MiB"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
  </data-definition>
  <data-handling>
    <diagnostic field="spread" expression="mean((w - mean[y,x](w))^2)"/>
  </data-handling>
  <data-writing>
    <file name="out.nc" write_time_frequency="20">
      <include field="spread" time_manipulation="averaged" output_frequency="2"/>
    </file>
  </data-writing>
</io-configuration>
"""
RUNS = {"a sum": (SUM_OF_RANKS, "2,2,2"), "means of levels": (SPREAD_OF_LEVELS, "1000,1,2")}


@pytest.fixture(autouse=True)
def programs():
    require_programs()


def run_for(steps, configuration, layout, directory, *options):
    """Returns the finished job and its report; steps last a tenth of a second."""
    directory.mkdir()
    path = directory / "run.xml"
    path.write_text(configuration, encoding="utf-8")
    command = model_command(layout, path, directory, "--sequence", "tenth", "--steps", steps, *options)
    report = directory / "report.json"
    done = run(command, f"{steps} steps", TIMEOUT_S, PILEUS_REPORT=str(report))
    return done, json.loads(report.read_text())


def most_bytes(report):
    (server,) = report["servers"]
    return server["most_memory_bytes"]


def test_of_files_that_were_published_only_what_the_report_says_stays_in_memory(tmp_path):
    reports = {}
    for files in (FILES // SHORTER, FILES):
        directory = tmp_path / str(files)
        done, reports[files] = run_for(
            files, FILE_EACH_STEP, Layout(is_alone=True), directory, "--size", "1,1,1"
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert len(list(directory.glob("out_*.nc"))) == files

    growth = most_bytes(reports[FILES]) - most_bytes(reports[FILES // SHORTER])
    assert growth <= UNDER_WAY_BYTES + FILE_BYTES * (FILES - FILES // SHORTER)


@pytest.mark.parametrize("what", RUNS)
def test_memory_does_not_grow_with_the_steps_after_a_rank_has_gone(what, tmp_path):
    configuration, size = RUNS[what]
    reports = {}
    for steps in (STEPS // SHORTER, STEPS):
        options = ["--size", size, "--leave", 10, "--report"]
        done, reports[steps] = run_for(steps, configuration, Layout(2, 1), tmp_path / str(steps), *options)
        assert done.returncode == 1, done.stdout + done.stderr
        (wrong,) = [error for error in reports[steps]["errors"] if "broke the run off" in error]
        assert "model rank 1" in wrong and "after step 9" in wrong
        assert reports[steps]["model_ranks"][0]["steps"] == steps

    shorter = most_bytes(reports[STEPS // SHORTER])
    assert most_bytes(reports[STEPS]) <= UNDER_WAY_BYTES // 2 + (1 + MOST_GROWTH) * shorter
