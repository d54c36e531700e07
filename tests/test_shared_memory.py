"""Model ranks hand over through memory that they share with the server on their node."""

import contextlib
import re
import time
from pathlib import Path

import pytest
from oracle import launch
from oracle.configured import W, extreme, file, group, handling, include, write, writing
from oracle.kills import Job
from oracle.launch import Layout, available_mpis

CONFIGURATION = (
    group(W, 1),
    handling(extreme("max", "w_max")),
    writing(
        file("fields.nc", include("w", manipulation="averaged", every=3), 9),
        file("most.nc", include("w_max", manipulation="averaged", every=2), 20),
    ),
)
# A budget of one byte: each rank hands over when its last step is done with. Of 1 MiB: some lie there.
BUDGETS = {"little": "1", "some": "1 MiB", "default": None}


def configured(directory, budget=None):
    memory = f'<server-configuration><memory budget="{budget}"/></server-configuration>' if budget else ""
    return write(directory, memory, *CONFIGURATION)


def command(layout, configuration, directory, steps):
    return launch.model_command(
        layout, configuration, directory, "--size", "12,20,30", "--steps", steps, "--sequence", "tenth"
    )


def files_and_log(directory, configuration, layout, **environment):
    directory.mkdir()
    done = launch.run(
        command(layout, configuration, directory, 40), str(layout), PILEUS_LOG="debug", **environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    files = {path.name: path.read_bytes() for path in sorted(directory.glob("*.nc"))}
    assert files
    return files, done.stdout + done.stderr


def sharers(log):
    return sorted(int(rank) for rank in re.findall(r"messages of rank (\d+) come through shared memory", log))


@pytest.mark.parametrize("mpi", available_mpis())
@pytest.mark.parametrize("budget", BUDGETS)
def test_the_files_are_the_same_with_and_without_it(tmp_path, mpi, budget):
    configuration = configured(tmp_path, BUDGETS[budget])
    layout = Layout(3, 2, 2, True, mpi=mpi)

    shared, log = files_and_log(tmp_path / "shared", configuration, layout, PILEUS_SHARED_MEMORY="yes")
    by_mpi, mpis_log = files_and_log(tmp_path / "mpi", configuration, layout, PILEUS_SHARED_MEMORY="no")

    assert len(sharers(log)) == 3, log
    assert sharers(mpis_log) == []
    assert shared == by_mpi


TWICE = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


@pytest.mark.skipif(launch.MPI != "openmpi", reason="only Open MPI is told to copy twice")
@pytest.mark.parametrize("word", [None, "auto", "no"])
def test_ranks_share_memory_by_themselves_where_mpi_copies_twice(tmp_path, word):
    asked = {} if word is None else {"PILEUS_SHARED_MEMORY": word}
    layout = Layout(3, 2, 2, True)

    _, log = files_and_log(tmp_path / "files", configured(tmp_path), layout, **TWICE, **asked)

    assert len(sharers(log)) == (0 if word == "no" else 3), log


def test_a_word_that_nobody_knows_is_reported(tmp_path):
    _, log = files_and_log(
        tmp_path / "run", configured(tmp_path), Layout(1, 1, 1, True), PILEUS_SHARED_MEMORY="off"
    )

    assert 'PILEUS_SHARED_MEMORY is "off", which is none of "yes", "no" and "auto"; it is ignored' in log


def with_memory(job):
    """The processes of the job that have memory for messages mapped; those of other tests run beside it."""
    found = set()
    for process in job.processes():
        with contextlib.suppress(OSError):
            if "/memfd:pileus-" in Path(f"/proc/{process.pid}/maps").read_text():
                found.add(process.pid)
    return found


def named_memory():
    """Files of shared memory by whose names some could be left. Directories are those of other tests."""
    return {path.name for path in Path("/dev/shm").iterdir() if "pileus" in path.name and path.is_file()}


def test_a_kill_leaves_nothing_of_it(tmp_path):
    before = named_memory()
    configuration = configured(tmp_path)
    directory = tmp_path / "killed"
    directory.mkdir()
    words = command(Layout(2, 1, 1, True), configuration, directory, 100_000)
    log = tmp_path / "log"
    with log.open("w") as said:
        asked = {"PILEUS_LOG": "debug", "PILEUS_SHARED_MEMORY": "yes"}
        with Job(words, launch.environment() | asked, stdout=said, stderr=said) as job:
            end = time.monotonic() + 60
            while len(sharers(log.read_text())) < 2 and time.monotonic() < end:
                time.sleep(0.05)
            assert job.launcher.poll() is None, log.read_text()
            assert len(with_memory(job)) == 3
            job.kill()
            assert with_memory(job) == set()

    assert len(sharers(log.read_text())) == 2
    assert named_memory() - before == set()
