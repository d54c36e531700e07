"""Static fields that no server holds whole: they lie on the disk, and the files are the same."""

import json
import random
import shutil
import subprocess
import time

import netCDF4
import numpy as np
import pytest
from oracle import launch
from oracle.configured import NUMBER, file, group, include, write, writing
from oracle.kills import Job
from oracle.launch import Layout

NZ, NY, NX = 1, 420, 460  # the area has 1.5 MB: more than stays in memory
AREA = 1 + np.arange(NY)[None, :] + 0.1 * np.arange(NX)[:, None]  # as files have it, y fastest
CONFIGURATION = (
    group(NUMBER),
    group('<field name="area" size="y,x" collective="true" units="m2"/>', 3, "constants"),
    writing(
        file("plain.nc", include("number", "area"), 10),
        file("packed.nc", include("number", "area"), 20, 'deflate="1"'),
        file("turned.nc", include("number", "area"), 40, 'order="time,y,x"'),
    ),
)
LAYOUTS = [Layout(is_alone=True), Layout(4), Layout(3, 2, 2, True), Layout(4, 3), Layout(2, 1, how="total")]
STEPS = 8


@pytest.fixture(scope="module", autouse=True)
def programs():
    launch.require_programs()


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    return write(tmp_path_factory.mktemp("configuration"), *CONFIGURATION)


def command(layout, directory, configuration, *options, steps=STEPS, size=(NZ, NY, NX)):
    words = ["--size", ",".join(map(str, size)), "--steps", steps, "--static", *options]
    return launch.model_command(layout, configuration, directory, *words)


def job(layout, directory, configuration, *options, steps=STEPS, size=(NZ, NY, NX), **environment):
    directory.mkdir(exist_ok=True)
    words = command(layout, directory, configuration, *options, steps=steps, size=size)
    return launch.run(words, str(layout), **environment)


def run(layout, directory, configuration, *options, **more):
    done = job(layout, directory, configuration, *options, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in directory.glob("*.nc")}


@pytest.fixture(scope="module")
def right(configuration, tmp_path_factory):
    directory = tmp_path_factory.mktemp("right")
    run(LAYOUTS[0], directory, configuration)
    return directory


def test_each_file_holds_them_whole(right):
    names = sorted(path.name for path in right.glob("*.nc"))
    assert len([name for name in names if name.startswith("plain")]) > 2
    for path in right.glob("*.nc"):
        with netCDF4.Dataset(path) as dataset:
            is_turned = path.name.startswith("turned")
            assert dataset["area"].dimensions == (("y", "x") if is_turned else ("x", "y"))
            np.testing.assert_array_equal(dataset["area"][:], AREA.T if is_turned else AREA)
            assert (dataset["area"].filters()["complevel"] > 0) == path.name.startswith("packed")


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=str)
def test_files_are_the_same_in_every_layout(layout, right, configuration, tmp_path):
    files = run(layout, tmp_path / "out", configuration)
    assert files == {path.name: path.read_bytes() for path in right.glob("*.nc")}


@pytest.mark.parametrize("again", [[], ["--forget-static"]], ids=["handed over again", "not again"])
def test_a_run_continues_with_those_of_the_checkpoint(again, right, configuration, tmp_path):
    run(LAYOUTS[3], tmp_path / "out", configuration, "--checkpoint-every", 4, steps=5)
    run(LAYOUTS[2], tmp_path / "out", configuration, "--continue", "--checkpoint-every", 2, *again, steps=7)
    run(LAYOUTS[1], tmp_path / "out", configuration, "--continue", *again)
    for path in (tmp_path / "out").glob("*.nc"):
        assert path.read_bytes() == (right / path.name).read_bytes(), path.name


def test_a_run_that_continues_after_its_last_step_publishes_what_is_left(right, configuration, tmp_path):
    run(LAYOUTS[2], tmp_path / "out", configuration, "--checkpoint-every", 8)
    run(LAYOUTS[1], tmp_path / "out", configuration, "--continue")
    for path in (tmp_path / "out").glob("*.nc"):
        assert path.read_bytes() == (right / path.name).read_bytes(), path.name


KILLED = ("--checkpoint-every", 2, "--continue")
KILLED_STEPS = 24


@pytest.fixture(scope="module")
def unkilled(configuration, tmp_path_factory):
    """The files of a run that nobody kills, and how long one takes with servers, s."""
    files = run(LAYOUTS[0], tmp_path_factory.mktemp("unkilled"), configuration, steps=KILLED_STEPS)
    began = time.monotonic()
    run(LAYOUTS[3], tmp_path_factory.mktemp("timed"), configuration, *KILLED, steps=KILLED_STEPS)
    return files, time.monotonic() - began


def kill_at(instant_s, layout, directory, configuration, log):
    words = command(layout, directory, configuration, *KILLED, steps=KILLED_STEPS)
    with log.open("w") as out, Job(words, launch.environment(), stdout=out, stderr=out) as started:
        try:
            assert started.launcher.wait(instant_s) == 0, f"{layout}: {log.read_text()}"
        except subprocess.TimeoutExpired:
            pass  # the end of the block kills it


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_killed_run_continues_in_another_layout_with_the_same_files(
    seed, unkilled, configuration, tmp_path
):
    right, usual_s = unkilled
    choice = random.Random(seed)
    directory = tmp_path / "out"
    for _ in range(choice.randint(1, 2)):
        if not list(directory.glob("pileus-checkpoints/step-*/manifest")):
            shutil.rmtree(directory, ignore_errors=True)  # what it published without one is in the way
            directory.mkdir()
        kill_at(
            choice.uniform(0, usual_s), choice.choice(LAYOUTS[1:]), directory, configuration, tmp_path / "log"
        )
        for path in directory.glob("*.nc"):
            assert path.read_bytes() == right[path.name], f"{path.name} is half there or wrong"
        assert not [path.name for path in directory.iterdir() if "spill" in path.name]
    if not list(directory.glob("pileus-checkpoints/step-*/manifest")):
        shutil.rmtree(directory)

    files = run(choice.choice(LAYOUTS), directory, configuration, *KILLED, steps=KILLED_STEPS)

    assert sorted(files) == sorted(right)
    assert [name for name in right if files[name] != right[name]] == []
    assert {path.name for path in directory.iterdir()} == {*right, "pileus-checkpoints"}


def test_a_checkpoint_whose_values_were_changed_is_refused(configuration, tmp_path):
    run(LAYOUTS[0], tmp_path / "out", configuration, "--checkpoint-every", 4, steps=5)
    (part,) = (tmp_path / "out").rglob("part-0000")
    bytes_before = part.read_bytes()
    at = bytes_before.rindex(np.float64(AREA[7, 300]).tobytes())
    part.write_bytes(bytes_before[:at] + b"\xff" + bytes_before[at + 1 :])

    done = job(LAYOUTS[0], tmp_path / "out", configuration, "--continue")

    assert done.returncode != 0
    assert 'the checksum of its static variable "' in done.stderr
    assert "it is damaged" in done.stderr


def test_servers_hold_none_of_them_whole(tmp_path):
    size = (1, 2048, 2048)  # 32 MiB
    path = write(
        tmp_path,
        group(NUMBER),
        group('<field name="area" size="y,x" collective="true"/>', 3, "constants"),
        writing(file("maps.nc", include("number", "area"), 40)),
    )
    report = tmp_path / "report.json"
    layout = Layout(8, 4)

    done = job(
        layout,
        tmp_path / "out",
        path,
        "--checkpoint-every",
        2,
        steps=4,
        size=size,
        PILEUS_REPORT=str(report),
    )

    assert done.returncode == 0, done.stdout + done.stderr
    servers = json.loads(report.read_text())["servers"]
    assert len(servers) == 4
    for server in servers:  # the parts of its two model ranks, and no whole
        assert server["window_bytes"] < (2048 * 2048 * 8) // 4 + (1 << 20)
