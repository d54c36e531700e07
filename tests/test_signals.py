"""Launchers do with signals what docs/couple-your-model.md says, and no run is lost by it.

The lake of examples/continued falls until a signal makes it stop. Where the launcher hands a signal to the
processes and does nothing else, the run ends well with a checkpoint of its last step. Where it ends the job,
at once or after a second, the run goes on from what it had.
"""

import os
import re
import signal
import time

import pytest
from oracle.kills import Job
from oracle.launch import BIN, available_mpis, bin_of, environment, mpi_command, run

# Signals that reach the processes and have no other effect.
HANDED_ON = {"openmpi": ["USR1", "USR2"], "mpich": ["USR1", "TERM", "INT"]}
ENDS_THE_JOB = {"openmpi": ["TERM", "INT", "HUP"], "mpich": ["USR2", "HUP"]}
CONFIGURATION = """<io-configuration>
  <server-configuration><checkpoint signals="HUP INT TERM USR1 USR2"/></server-configuration>
  <data-definition name="state" frequency="1">
    <field name="level" type="scalar" units="m"/>
  </data-definition>
  <data-writing>
    <file name="level.nc" write_time_frequency="1 h">
      <include field="level" time_manipulation="averaged" output_frequency="12"/>
    </file>
  </data-writing>
</io-configuration>
"""
ENDLESS = 10**9
TIMEOUT_S = 300


def cases(table):
    return [(mpi, name) for mpi in available_mpis() for name in table[mpi]]


def command(mpi, ranks, servers, steps):
    model = [bin_of(mpi) / "continued_c", "../run.xml", steps]
    server = [bin_of(mpi) / "pileus-server", "../run.xml"]
    return mpi_command((ranks, model), *([(servers, server)] if servers else []), mpi=mpi)


def require(mpi):
    for name in ("continued_c", "pileus-server"):
        if not (bin_of(mpi) / name).is_file():
            pytest.skip(f"no program {bin_of(mpi) / name}: build it, or set PILEUS_BUILD")


@pytest.fixture
def directory(tmp_path):
    (tmp_path / "run.xml").write_text(CONFIGURATION, encoding="utf-8")
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def send(mpi, name, directory, ranks, servers):
    """Signals the launcher once the run has published something; returns its status and the output."""
    # A launcher that inherits an ignored signal, below nohup for example, goes on ignoring it.
    words = ["env", "--default-signal", *command(mpi, ranks, servers, ENDLESS)]
    with (directory.parent / "log").open("w+") as log:
        with Job(words, environment(), cwd=directory, stdout=log, stderr=log) as job:
            deadline = time.monotonic() + TIMEOUT_S
            while not (directory / "level_3600.nc").exists():
                assert job.launcher.poll() is None, (directory.parent / "log").read_text()
                assert time.monotonic() < deadline, (directory.parent / "log").read_text()
                time.sleep(0.01)
            job.launcher.send_signal(getattr(signal, f"SIG{name}"))
            status = job.launcher.wait(TIMEOUT_S)
            while job.processes() and time.monotonic() < deadline:
                time.sleep(0.01)  # a launcher that ends at once leaves it to others to end the processes
        log.seek(0)
        return status, log.read()


def kept(directory):
    return [int(path.name[5:]) for path in directory.glob("pileus-checkpoints/step-*")]


def published(directory):
    return {path.name: path.read_bytes() for path in directory.glob("*.nc")}


def run_to(steps, mpi, directory, ranks=1, servers=0):
    words = ["env", "-C", directory, *command(mpi, ranks, servers, steps)]
    deadline = time.monotonic() + 120
    while "is still alive and has the checkpoints" in (done := run(words, f"{steps} steps")).stderr:
        assert time.monotonic() < deadline, done.stderr  # the launcher ends before the last of its ranks
    assert done.returncode == 0, done.stdout + done.stderr
    return published(directory)


def assert_whole(files, steps, mpi, directory):
    """The files are those of a run of so many steps that nobody interrupted."""
    whole = directory.parent / "whole"
    whole.mkdir()
    expected = run_to(steps, mpi, whole)
    assert sorted(files) == sorted(expected)
    assert not [name for name in expected if files[name] != expected[name]]


@pytest.mark.parametrize("ranks, servers", [(2, 1), (3, 0)])
@pytest.mark.parametrize("mpi, name", cases(HANDED_ON))
def test_one_that_is_handed_on_ends_the_run_with_a_checkpoint(mpi, name, ranks, servers, directory):
    require(mpi)
    status, said = send(mpi, name, directory, ranks, servers)

    assert status == 0, said
    (step,) = kept(directory)
    assert re.search(rf"checkpoint of step {step} is complete", said), said
    assert (directory / f"level-{step}").exists()  # the model's own state
    assert_whole(run_to(step + 50, mpi, directory), step + 50, mpi, directory)


@pytest.mark.parametrize("mpi, name", cases(ENDS_THE_JOB))
def test_one_that_ends_the_job_leaves_complete_files_and_nothing_else(mpi, name, directory):
    require(mpi)
    status, said = send(mpi, name, directory, 2, 1)

    assert status != 0, said
    last = max((int(file.name[6:-3]) // 3600 for file in directory.glob("level_*.nc")), default=0)
    if not kept(directory):  # the second that Open MPI leaves was too short, or MPICH left none
        for name in published(directory):
            os.unlink(directory / name)
    steps = max([last * 1440, *kept(directory)]) + 10
    assert_whole(run_to(steps, mpi, directory), steps, mpi, directory)
    done = run([BIN / "pileus", "state", directory], "pileus state")
    assert done.returncode == 0, done.stdout
