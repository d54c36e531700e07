"""A run that is killed at any instant and continued publishes the files of the run that was not.

The model of the tests keeps its state every few steps. At a random instant a model rank, a server or the
whole job gets SIGKILL; then the run goes on from the newest checkpoint that is complete, spread otherwise,
and may be killed again. The normal run does 20 of that; PILEUS_KILLS=200 (./dev test kill) asks for more, and
PILEUS_KILL_SEED for others than those from 1 on.
"""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from oracle.kills import Job, kill_when, send
from oracle.launch import Layout, environment, model_command, require_programs, run

HERE = Path(__file__).resolve().parent
CONFIGURATION = HERE / "kills" / "kills.xml"
SIZE = ("--size", "6,17,19", "--steps", "160")
LAYOUTS = [
    Layout(1, 1, 1),
    Layout(2, 1, 4),
    Layout(2, 2, 1, is_uneven=True),
    Layout(3, 1, 1),
    Layout(3, 2, 4, is_uneven=True),
    Layout(4, 3, 1),
    Layout(2),
    Layout(3, is_uneven=True),
    Layout(3, 2, how="total"),
]
MOST_KILLS = 3
TIMEOUT_S = 120


def seeds():
    first = int(os.environ.get("PILEUS_KILL_SEED", "1"))
    return range(first, first + int(os.environ.get("PILEUS_KILLS", "20")))


@pytest.fixture(scope="module", autouse=True)
def programs():
    require_programs()


def files_in(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.suffix == ".nc"}


def command(layout, directory, checkpoint_every=9):
    more = ("--checkpoint-every", str(checkpoint_every), "--continue")
    return model_command(layout, CONFIGURATION, directory, *SIZE, *more)


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory):
    """The files of a run that nobody kills, and how long it takes in a usual layout, s."""
    directory = tmp_path_factory.mktemp("unkilled")
    done = run(model_command(LAYOUTS[0], CONFIGURATION, directory, *SIZE), "not killed")
    assert done.returncode == 0, done.stdout + done.stderr
    timed = tmp_path_factory.mktemp("timed")
    began = time.monotonic()
    done = run(command(LAYOUTS[4], timed), "timed")
    assert done.returncode == 0, done.stdout + done.stderr
    assert files_in(timed) == files_in(directory)
    return files_in(directory), time.monotonic() - began


def begin_anew_without_checkpoint(directory):
    """Removes what a run published that was killed before its first checkpoint and cannot go on."""
    if not list(directory.glob("pileus-checkpoints/step-*/manifest")):
        shutil.rmtree(directory)
        directory.mkdir()


def run_and_kill(layout, directory, instant_s, victim, choice):
    """Starts the run and kills it at the instant; returns its output and whether it had ended before."""
    log = directory.parent / "log"
    words = command(layout, directory)
    shared = {"PILEUS_SHARED_MEMORY": choice.choice(["yes", "no"])}
    with log.open("w") as out, Job(words, environment() | shared, stdout=out, stderr=out) as job:
        try:
            status = job.launcher.wait(instant_s)
            assert status == 0, f"{layout}: ended by itself with status {status}\n{log.read_text()}"
            return log.read_text(), True
        except subprocess.TimeoutExpired:
            pass
        wanted = {"model rank": "pileus_test_mod", "server": "pileus-server"}.get(victim)
        victims = [process for process in job.processes() if process.name == wanted]
        if victims:
            send(signal.SIGKILL, [choice.choice(sorted(victims, key=lambda process: process.pid))])
            try:
                job.launcher.wait(20)
            except subprocess.TimeoutExpired:
                pass  # the others wait for the one that is missing
    return log.read_text(), False


@pytest.mark.parametrize("seed", seeds())
def test_a_killed_run_that_goes_on_publishes_the_same(seed, unkilled, tmp_path):
    expected, usual_s = unkilled
    choice = random.Random(seed)
    directory = tmp_path / "files"
    directory.mkdir()
    told = [f"seed {seed}"]
    for _ in range(choice.randint(1, MOST_KILLS)):
        layout, victim = choice.choice(LAYOUTS), choice.choice(["model rank", "server", "all"])
        begin_anew_without_checkpoint(directory)
        instant_s = choice.uniform(0, 1.1 * usual_s)
        said, has_ended = run_and_kill(layout, directory, instant_s, victim, choice)
        told.append(f"{layout}: {victim} killed after {instant_s:.2f} s; {said}")
        for name, content in files_in(directory).items():
            assert content == expected.get(name), f"{name} is half there or wrong\n" + "\n".join(told)
        if has_ended:
            break
    layout = choice.choice(LAYOUTS)
    begin_anew_without_checkpoint(directory)
    done = run(command(layout, directory), str(layout), TIMEOUT_S)
    told.append(f"{layout}: to the end; {done.stdout}{done.stderr}")
    print("\n".join(told))
    assert done.returncode == 0, "\n".join(told)
    published = files_in(directory)
    assert sorted(published) == sorted(expected), "\n".join(told)
    wrong = [name for name in expected if published[name] != expected[name]]
    assert not wrong, f"{wrong} differ\n" + "\n".join(told)
    left = {path.name for path in directory.iterdir()} - set(expected) - {"pileus-checkpoints"}
    assert not left, f"left behind {left}\n" + "\n".join(told)


def checkpoints(directory):
    return sorted(path.parent.name for path in directory.glob("pileus-checkpoints/step-*/manifest"))


@pytest.mark.parametrize("layouts", [[LAYOUTS[i] for i in chosen] for chosen in ((4, 1, 7), (0, 8, 5))])
def test_one_that_is_killed_again_before_its_first_checkpoint_goes_on_from_the_same(
    layouts, unkilled, tmp_path
):
    """Each attempt makes files under way again, and leaves them and no checkpoint."""
    expected, _ = unkilled
    directory = tmp_path / "files"
    directory.mkdir()
    log = tmp_path / "log"
    words = command(layouts[0], directory)
    assert kill_when(lambda: checkpoints(directory), words, environment(), log) is None, log.read_text()
    kept = checkpoints(directory)
    assert kept, log.read_text()
    for attempt, layout in enumerate(layouts[1:], 1):

        def is_under_way(attempt=attempt):
            return list(directory.glob(f".*-{attempt}.part"))

        words = command(layout, directory, checkpoint_every=10**6)
        assert kill_when(is_under_way, words, environment(), log) is None, log.read_text()
        assert checkpoints(directory) == kept, log.read_text()

    done = run(command(layouts[0], directory), str(layouts[0]), TIMEOUT_S)

    assert done.returncode == 0, done.stdout + done.stderr
    published = files_in(directory)
    assert sorted(published) == sorted(expected)
    assert not [name for name in expected if published[name] != expected[name]]
    left = {path.name for path in directory.iterdir()} - set(expected) - {"pileus-checkpoints"}
    assert not left, f"left behind {left}"
