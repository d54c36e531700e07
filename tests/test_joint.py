"""A component that is made of what others publish: its files follow from theirs, whenever it is made."""

# ruff: noqa: F811

import random
import shutil
import subprocess

import numpy
import pytest
from oracle.cf_checker import complaints
from oracle.joint import (  # noqa: F401
    ATMOSPHERE,
    BY_HAND,
    OCEAN,
    check_joint_files,
    configuration,
    copy,
    difference,
    job,
    join,
    joint_files,
    programs,
    published,
    series,
    some_order,
)
from oracle.launch import BIN, available_mpis, environment, run
from test_components import command, written


def test_a_component_of_files_is_made_after_the_run(tmp_path):
    directory = job(tmp_path, **BY_HAND)

    said = join(directory, "--final")

    assert "component air_sea: 10 steps, up to 60 s; it has ended" in said.stdout
    check_joint_files(directory)


@pytest.mark.parametrize("seed", range(4))
def test_calls_after_each_file_make_what_one_call_makes(seed, published, tmp_path):
    source, expected = published
    shutil.copy(source.parent / "run.xml", tmp_path)
    directory = tmp_path / "pieces"
    rng = random.Random(seed)

    for name in some_order(source, rng):
        copy(source, directory, [name])
        if rng.random() < 0.7:
            join(directory)
            files = joint_files(directory)
            assert files.items() <= expected.items(), "what is published stays as it is"
    join(directory, "--final")

    assert joint_files(directory) == expected
    assert not list(directory.glob(".*.part")), "nothing is left"
    said = join(directory, "--final").stdout
    assert "there is nothing new since its end at 60 s" in said
    assert joint_files(directory) == expected


@pytest.mark.parametrize("seed", range(3))
def test_a_call_that_is_killed_is_made_again(seed, published, tmp_path):
    source, expected = published
    shutil.copy(source.parent / "run.xml", tmp_path)
    directory = tmp_path / "killed"
    rng = random.Random(seed)
    names = list(some_order(source, rng))

    for number, name in enumerate(names):
        copy(source, directory, [name])
        is_last = number + 1 == len(names)
        for _ in range(4 if is_last else 1):
            words = [BIN / "pileus", "join", tmp_path / "run.xml", "--directory", directory]
            words += ["--final"] if is_last else []
            call = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL)
            try:
                call.wait(rng.uniform(0, 0.15))
            except subprocess.TimeoutExpired:
                call.kill()
                call.wait()
    join(directory, "--final")

    assert joint_files(directory) == expected


def test_a_file_that_another_is_published_before_waits_for_it(published, tmp_path):
    """The atmosphere's second file has its name, its first one not yet."""
    source, _ = published
    shutil.copy(source.parent / "run.xml", tmp_path)
    directory = tmp_path / "out"
    copy(source, directory, ["ocean_12.nc", "atmosphere_20.nc"])
    (directory / ".atmosphere_10.nc.0123456789abcdef-0.part").touch()

    assert "has published no file" in join(directory).stdout

    copy(source, directory, ["atmosphere_10.nc"])
    assert "1 step, up to 6 s" in join(directory).stdout


@pytest.mark.parametrize("mpi", available_mpis())
def test_the_job_makes_it_while_it_runs(mpi, published, tmp_path):
    _, expected = published

    for servers in (1, 2, 0, -1):
        directory = job(tmp_path, f"{servers}-servers", servers, mpi=mpi)
        assert joint_files(directory) == expected, f"{servers} servers"
        assert not list(directory.glob(".*.part")), "nothing is left"
        check_joint_files(directory)
    assert "nothing new since its end" in join(directory).stdout


@pytest.mark.parametrize("servers", [2, 0])
def test_a_job_that_is_killed_and_continued_has_the_same_files(servers, published, tmp_path):
    _, expected = published
    path = written(tmp_path, configuration())
    directory = tmp_path / "killed"
    more = {
        "ocean": ["--checkpoint-every", 5, "--die-after", 20],
        "atmosphere": ["--checkpoint-every", 7, "--partner", 0, "--exchange-every", 25],
    }
    run(command((OCEAN, ATMOSPHERE), directory, path, servers, more=more), "killed")
    assert joint_files(directory).items() < expected.items()

    goes_on = {"ocean": ["--continue"], "atmosphere": ["--continue"]}
    again = run(command((ATMOSPHERE, OCEAN), directory, path, 1 if servers else 0, more=goes_on), "continued")

    assert again.returncode == 0, again.stdout + again.stderr
    assert joint_files(directory) == expected


def test_a_component_that_ends_early_ends_the_common_times(tmp_path):
    short = ("atmosphere", 1, ["--size", 40, "--steps", 31, "--length", 1])
    directory = job(tmp_path, components=(OCEAN, short))

    times, expected = difference(directory)
    found_times, found = series(directory, "d", "d")
    assert list(found_times) == list(times) == [6, 12, 18, 24, 30]
    assert found.tobytes() == expected.tobytes()
    assert "there is nothing new since its end at 30 s" in join(directory).stdout


def test_components_that_are_continued_to_a_later_end_continue_it(published, tmp_path):
    _, expected = published
    more = {"ocean": ["--checkpoint-every", 4], "atmosphere": ["--checkpoint-every", 6]}
    shorter = [
        (name, ranks, [*options, "--steps", steps])
        for (name, ranks, options), steps in ((OCEAN, 22), (ATMOSPHERE, 33))
    ]
    directory = job(tmp_path, components=shorter, more=more)
    assert "means_36.nc" in joint_files(directory), "the window that ends at 36 is closed at the end"

    again = {"ocean": ["--continue"], "atmosphere": ["--continue"]}
    job(tmp_path, more=again)

    assert joint_files(directory) == expected


def test_another_run_in_the_same_directory_is_not_taken_for_the_same(tmp_path):
    directory = job(tmp_path)
    for path in [*directory.glob("ocean_*.nc"), *directory.glob("atmosphere_*.nc")]:
        path.unlink()
    path = written(tmp_path, configuration())

    again = run(command((OCEAN, ATMOSPHERE), directory, path, 1), "again")

    assert again.returncode == 0, "the components themselves are well"
    assert 'component "air_sea" was made of files of other runs than those of now' in again.stderr
    assert "pileus join: exit status 1" in again.stdout + again.stderr


def test_options_of_the_components_are_known(tmp_path):
    text = configuration().replace("ocean.nc", "{number}_ocean.nc")
    more = {"ocean": ["--option", "number=7"]}
    directory = job(tmp_path, text=text, more=more)

    assert joint_files(directory)
    assert list(directory.glob("7_ocean_*.nc"))


def test_its_files_are_for_everybody(published, tmp_path):
    xarray = pytest.importorskip("xarray")
    source, expected = published
    directory = source.parent / "whole"

    _, differences = difference(source)
    records = []
    for name in ("d_24.nc", "d_48.nc", "d_72.nc"):
        with xarray.open_dataset(directory / name) as data:
            assert data["d"].attrs["units"] == "K"
            records.append(data["d"].values)
    numpy.testing.assert_array_equal(numpy.concatenate(records), differences)
    for name in expected:
        assert not complaints(directory / name, tmp_path / "report.json"), name
