"""A job that the tests kill is over when oracle/kills.py says so, whatever it had started."""

import os
import signal
import time
from pathlib import Path

import pytest
from oracle.kills import Job, kill_when
from oracle.launch import run

TIMEOUT_S = 60
# An orphan in a session of its own, a child in one, and the launcher, which goes on starting others.
SCRIPT = """(setsid sh -c 'echo $$ >> pids; exec sleep 1000' &)
setsid sh -c 'echo $$ >> pids; exec sleep 1000' &
echo $$ >> pids
while :; do sleep 0.001; done"""


def states(directory):
    """The state of each process that has noted its number, by its first thread; none if it has gone."""
    found = {}
    for pid in (directory / "pids").read_text().split():
        try:
            found[int(pid)] = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            found[int(pid)] = None
    return found


def are_there(directory):
    path = directory / "pids"
    return path.exists() and path.read_text().count("\n") == 3


def test_a_job_is_killed_with_what_left_its_group_and_outlived_its_parent(tmp_path):
    deadline = time.monotonic() + TIMEOUT_S
    with Job(["sh", "-c", SCRIPT], dict(os.environ), cwd=tmp_path) as job:
        while not are_there(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.01)
        running = states(tmp_path)
        told = {process.pid for process in job.processes()}

    assert len(running) == 3 and running.keys() <= told
    assert job.launcher.returncode == -signal.SIGKILL
    assert set(states(tmp_path).values()) <= {None, "Z"}  # a zombie until init has asked for its status


def test_a_job_that_ended_before_is_told_by_its_status(tmp_path):
    status = kill_when(lambda: False, ["sh", "-c", "echo why; exit 3"], dict(os.environ), tmp_path / "log")

    assert status == 3
    assert (tmp_path / "log").read_text() == "why\n"


def test_a_run_that_does_not_end_leaves_nothing_that_runs(tmp_path):
    with pytest.raises(pytest.fail.Exception, match="endless: not finished after 2 s\nbegun"):
        run(["env", "-C", tmp_path, "sh", "-c", f"echo begun; {SCRIPT}"], "endless", 2)

    assert are_there(tmp_path)
    assert set(states(tmp_path).values()) <= {None, "Z"}
