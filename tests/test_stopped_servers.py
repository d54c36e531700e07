"""A server that stands still stops nobody but those who hand it something, and their wait is counted.

The lake of examples/continued falls while its ranks talk to each other in every step. When their server is
stopped, what they send it must not fill the queues of MPI, which their own messages need.
"""

import json
import os
import re
import signal
import time

import pytest
from oracle.kills import TIMEOUT_S, Job
from oracle.launch import available_mpis, bin_of, environment, mpi_command
from test_signals import CONFIGURATION, ENDLESS, assert_whole, kept, published, require, run_to

PATIENCE_S = 0.2


def wait_until(is_true, job, log):
    deadline = time.monotonic() + TIMEOUT_S
    while not is_true():
        assert job.launcher.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.01)


@pytest.mark.parametrize("mpi", available_mpis())
def test_the_model_waits_in_pileus_for_a_server_that_is_stopped(mpi, tmp_path):
    require(mpi)
    directory, log, report = tmp_path / "out", tmp_path / "log", tmp_path / "report.json"
    directory.mkdir()
    (tmp_path / "run.xml").write_text(CONFIGURATION, encoding="utf-8")
    model = [bin_of(mpi) / "continued_c", "../run.xml", ENDLESS]
    server = [bin_of(mpi) / "pileus-server", "../run.xml"]
    words = ["env", "--default-signal", *mpi_command((2, model), (1, server), mpi=mpi)]
    surroundings = environment() | {"PILEUS_PATIENCE": str(PATIENCE_S), "PILEUS_REPORT": str(report)}
    with log.open("w") as out, Job(words, surroundings, cwd=directory, stdout=out, stderr=out) as job:
        wait_until(lambda: (directory / "level_3600.nc").exists(), job, log)
        (stopped,) = [process for process in job.processes() if process.name == "pileus-server"]

        os.kill(stopped.pid, signal.SIGSTOP)
        # Rank 1 hands nothing over: a scalar is rank 0's. It waits for rank 0, as in any other delay.
        wait_until(lambda: re.search("model rank 0 has waited .* for memory", log.read_text()), job, log)
        os.kill(stopped.pid, signal.SIGCONT)
        job.launcher.send_signal(signal.SIGUSR1)
        assert job.launcher.wait(TIMEOUT_S) == 0, log.read_text()

    figures = json.loads(report.read_text())
    assert not figures["errors"]
    assert figures["model_ranks"][0]["waiting_s"] >= PATIENCE_S
    (step,) = kept(directory)
    assert_whole(run_to(step + 50, mpi, directory), step + 50, mpi, directory)
    assert published(directory)
