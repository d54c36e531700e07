"""The example that continues where it was ends with the bytes of one that was not interrupted."""

import shutil
import signal
import subprocess
import time

import pytest
from oracle.kills import Job
from oracle.launch import BIN, ROOT, SERVER, environment, mpi_command, run

EXAMPLE = ROOT / "examples" / "continued"
LANGUAGES = ("continued_c", "continued_cpp", "continued_fortran")
TIMEOUT_S = 180


@pytest.fixture(scope="module", autouse=True)
def programs():
    for name in LANGUAGES:
        if not (BIN / name).is_file():
            pytest.skip(f"no program {BIN / name}: build it, or set PILEUS_BUILD")


def started(directory, command):
    directory.mkdir(exist_ok=True)
    return run(["env", "-C", directory, *command], " ".join(map(str, command)))


def published(directory, command):
    done = started(directory, command)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in directory.glob("*.nc")}


def model(name, steps):
    return [BIN / name, EXAMPLE / "run.xml", steps]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return published(tmp_path_factory.mktemp("whole"), model("continued_c", 57))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_that_stopped_goes_on_from_its_newest_checkpoint(language, whole, tmp_path):
    first = published(tmp_path, model(language, 33))
    kept = sorted(path.name for path in (tmp_path / "pileus-checkpoints").glob("step-*"))

    assert kept == ["step-0000000020", "step-0000000030"]
    assert first != whole
    assert published(tmp_path, model(language, 57)) == whole
    # Files after its checkpoint were written again, and files before it were not.
    assert not list(tmp_path.glob(".*.part"))


def test_it_goes_on_with_other_ranks_beside_servers(whole, tmp_path):
    published(tmp_path, model("continued_c", 33))
    model_words = [BIN / "continued_fortran", "unread.xml", 57]
    command = mpi_command((3, model_words), (2, [SERVER, EXAMPLE / "run.xml"]))

    assert published(tmp_path, command) == whole


def test_it_goes_on_from_the_checkpoint_before_if_its_own_state_is_not_there(whole, tmp_path):
    published(tmp_path, model("continued_cpp", 33))
    (tmp_path / "level-30").unlink()

    assert published(tmp_path, model("continued_cpp", 57)) == whole


def test_a_damaged_checkpoint_is_refused_with_the_reason(tmp_path):
    published(tmp_path, model("continued_c", 33))
    part = tmp_path / "pileus-checkpoints" / "step-0000000030" / "part-0000"
    damaged = bytearray(part.read_bytes())
    damaged[-1] ^= 1
    part.write_bytes(damaged)

    done = started(tmp_path, model("continued_c", 57))

    assert done.returncode == 1
    assert "part-0000" in done.stderr and "damaged" in done.stderr, done.stderr
    listed = run([BIN / "pileus", "state", tmp_path], "pileus state")
    assert listed.returncode == 1
    assert "step 30: damaged" in listed.stdout and "step 20 at 50 s" in listed.stdout, listed.stdout


@pytest.mark.parametrize("name", ["SIGUSR1", "SIGTERM"])
def test_a_signal_makes_it_stop_after_a_checkpoint(name, whole, tmp_path):
    """One process; what launchers do with signals is in docs/couple-your-model.md."""
    # One that inherits an ignored signal, below nohup for example, goes on ignoring it.
    command = ["env", "--default-signal", *model("continued_c", 10**9)]
    with Job(command, environment(), cwd=tmp_path, stdout=subprocess.DEVNULL) as job:
        deadline = time.monotonic() + TIMEOUT_S
        while not (tmp_path / "level-10").exists():
            assert job.launcher.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        job.launcher.send_signal(getattr(signal, name))
        assert job.launcher.wait(TIMEOUT_S) == 0
    kept = (tmp_path / "pileus-checkpoints").glob("step-*")
    steps = [int(path.name.removeprefix("step-")) for path in kept]

    assert (tmp_path / f"level-{max(steps)}").exists()
    last = max(steps)
    assert published(tmp_path, model("continued_c", last + 7)) == published(
        tmp_path / "whole", model("continued_c", last + 7)
    )
    shutil.rmtree(tmp_path / "whole")
