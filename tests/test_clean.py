"""pileus clean removes what killed runs left, and nothing that anybody needs."""

import fcntl
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from oracle.launch import BIN, ROOT, pileus, run

HOUR_S = 3600
EXAMPLE = BIN / "continued_c"


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A run that stopped after its checkpoint of step 30, with files under way."""
    if not EXAMPLE.is_file():
        pytest.skip("the examples were not built")
    folder = tmp_path_factory.mktemp("stopped")
    done = run(["env", "-C", folder, EXAMPLE, ROOT / "examples" / "continued" / "run.xml", 33], "33 steps")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def directory(stopped, tmp_path):
    """The same directory, two days old, with what a killed run left, and files of others."""
    copy = tmp_path / "out"
    shutil.copytree(stopped, copy)
    (copy / ".w_100.nc.01230123abcdabcd-0.part").write_bytes(bytes(1_500_000))
    (copy / ".archive.tar-2.part").write_text("another program's")
    (copy / "pileus-checkpoints" / ".step-0000000040-01230123abcdabcd-0").mkdir(parents=True)
    (copy / "pileus-checkpoints" / ".step-0000000040-01230123abcdabcd-0" / "part-0000").write_text("x")
    (copy / ".hidden").write_text("of somebody else")
    (copy / "notes.part").write_text("of somebody else")
    for path in copy.rglob("*"):
        written(path, 48)
    return copy


def written(path, hours_ago):
    then = time.time() - hours_ago * HOUR_S
    os.utime(path, (then, then))


def names(directory):
    return {str(path.relative_to(directory)) for path in directory.rglob("*")}


LEFT = {".w_100.nc.01230123abcdabcd-0.part", "pileus-checkpoints/.step-0000000040-01230123abcdabcd-0",
        "pileus-checkpoints/.step-0000000040-01230123abcdabcd-0/part-0000"}


def test_it_removes_what_a_killed_run_left_and_nothing_else(directory):
    before = names(directory)

    done = pileus("clean", directory, "--yes")

    assert done.returncode == 0, done.stdout + done.stderr
    assert before - names(directory) == LEFT
    assert "1.5 MB" in done.stdout and "run 01230123abcdabcd" in done.stdout


def test_a_dry_run_names_it_and_removes_nothing(directory):
    before = names(directory)

    done = pileus("clean", directory, "--dry-run")

    assert done.returncode == 0
    assert names(directory) == before
    assert ".w_100.nc.01230123abcdabcd-0.part" in done.stdout
    assert ".step-0000000040-01230123abcdabcd-0" in done.stdout
    assert ".hidden" not in done.stdout and "notes.part" not in done.stdout


def test_without_an_answer_nothing_is_removed(directory):
    before = names(directory)

    done = pileus("clean", directory)

    assert done.returncode == 1 and "remove them? [y/N]" in done.stdout
    assert names(directory) == before


def test_what_a_run_wrote_lately_stays(directory):
    before = names(directory)
    written(directory / ".w_100.nc.01230123abcdabcd-0.part", 0.2)

    done = pileus("clean", directory, "--yes")

    assert done.returncode == 1
    assert "run 01230123abcdabcd wrote 12 min ago and may be live" in done.stdout
    assert names(directory) == before


def test_complete_checkpoints_go_only_with_all(directory):
    published = {name for name in names(directory) if name.endswith(".nc")}
    steps = set((directory / "pileus-checkpoints").glob("step-*"))
    assert published and steps

    pileus("clean", directory, "--yes")
    assert steps <= set((directory / "pileus-checkpoints").iterdir())

    done = pileus("clean", directory, "--yes", "--all")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [path.name for path in (directory / "pileus-checkpoints").iterdir()] == [".lock"]
    assert published | {".hidden", "notes.part"} <= names(directory)


def test_a_temporary_file_stays_as_long_as_a_checkpoint_refers_to_it(directory):
    """Steps 20 and 30, at 50 and 75 s, refer to level_60; step 30 also refers to level_120."""
    first = next((directory / "pileus-checkpoints").glob(".published-*"))
    run_id = first.name.split("-")[1]
    of_60, of_120, of_180 = (directory / f".level_{end}.nc.{run_id}-0.part" for end in (60, 120, 180))
    for part in (of_60, of_120, of_180):
        part.write_bytes(b"records")
        written(part, 48)

    done = pileus("clean", directory, "--yes")

    assert done.returncode == 0, done.stdout + done.stderr
    assert of_60.exists() and of_120.exists() and not of_180.exists()

    shutil.rmtree(directory / "pileus-checkpoints" / "step-0000000030")
    pileus("clean", directory, "--yes")
    assert of_60.exists() and not of_120.exists()

    pileus("clean", directory, "--yes", "--all")
    assert not of_60.exists()


def test_nothing_goes_while_a_run_has_the_checkpoints(directory):
    before = names(directory) | names(directory / "pileus-checkpoints")
    with (directory / "pileus-checkpoints" / ".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        done = pileus("clean", directory, "--yes", "--all", "--idle-hours", "0")

    assert done.returncode == 2
    assert "pileus-checkpoints" in done.stderr
    assert names(directory) | names(directory / "pileus-checkpoints") == before


def test_while_it_asks_runs_may_take_the_checkpoints_and_write(directory):
    command = [BIN / "pileus", "clean", directory]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as asks:
        said = ""
        while "remove them? [y/N] " not in said:
            more = asks.stdout.read(1)
            assert more, said
            said += more
        with (directory / "pileus-checkpoints" / ".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        under_way = directory / "pileus-checkpoints" / ".step-0000000040-01230123abcdabcd-0" / "part-0000"
        under_way.write_text("of a run that goes on")  # written now
        asks.stdin.write("y\n")
        asks.stdin.flush()
        rest = asks.stdout.read()
        status = asks.wait(60)

    assert status == 1, said + rest
    assert under_way.read_text() == "of a run that goes on"
    assert (directory / ".w_100.nc.01230123abcdabcd-0.part").exists()  # the same run's


def test_where_a_checkpoint_is_damaged_temporary_files_stay(directory):
    part = next((directory / "pileus-checkpoints").glob("step-*/part-0000"))
    part.write_bytes(part.read_bytes()[:-1])
    written(part, 48)

    done = pileus("clean", directory, "--yes")

    assert (directory / ".w_100.nc.01230123abcdabcd-0.part").exists()
    assert "what it refers to is not known" in done.stdout


def test_a_directory_that_is_not_there_is_an_error(tmp_path):
    done = pileus("clean", tmp_path / "nowhere", "--yes")

    assert done.returncode == 2 and str(Path(tmp_path / "nowhere")) in done.stderr
