"""What goes wrong under `pileus join` is said, and is lost to nothing: full disks, late files."""

# ruff: noqa: F811

import fcntl
import shutil
import subprocess

import pytest
from oracle.joint import (  # noqa: F401
    ATMOSPHERE,
    BY_HAND,
    JOINT,
    OCEAN,
    configuration,
    copy,
    job,
    join,
    joint_files,
    programs,
    published,
    series,
)
from oracle.launch import BIN, environment, run
from test_components import command, written


@pytest.fixture
def directory(published, tmp_path):
    """With all that the components published."""
    source, _ = published
    shutil.copy(source.parent / "run.xml", tmp_path)
    copy(source, tmp_path / "out", [path.name for path in source.glob("*.nc")])
    return tmp_path / "out"


def without(directory, names):
    for name in names:
        (directory / name).unlink()


def join_with_small_files(directory, blocks, *arguments):
    """No file may be longer than so many KiB."""
    words = f"trap '' XFSZ; ulimit -f {blocks}; exec {BIN / 'pileus'} join {directory.parent / 'run.xml'}"
    words += f" --directory {directory} {' '.join(arguments)}"
    return subprocess.run(
        ["bash", "-c", words], capture_output=True, text=True, env=environment(), timeout=120, check=False
    )


@pytest.mark.parametrize("arguments", [[], ["--final"]])
def test_a_file_that_could_not_be_written_is_made_again(arguments, directory, published):
    _, expected = published

    failed = join_with_small_files(directory, 14, *arguments)
    assert failed.returncode == 1, failed.stdout + failed.stderr
    assert "could not" in failed.stderr

    join(directory, "--final")
    assert joint_files(directory) == expected


def test_what_failed_after_calls_that_did_not_is_made_again(directory, published):
    source, expected = published
    later = ["ocean_48.nc", "ocean_60.nc", "atmosphere_40.nc", "atmosphere_50.nc", "atmosphere_60.nc"]
    without(directory, later)
    join(directory)
    copy(source, directory, later)

    assert join_with_small_files(directory, 14).returncode == 1

    join(directory, "--final")
    assert joint_files(directory) == expected


def test_what_is_published_stays_where_its_checkpoints_are_lost(directory, published):
    source, expected = published
    without(directory, ["ocean_60.nc"])
    join(directory)
    before = joint_files(directory)
    home = directory / "pileus-checkpoints" / "air_sea"
    for checkpoint in home.glob("step-*"):
        checkpoint.rename(directory.parent / checkpoint.name)
    copy(source, directory, ["ocean_60.nc"])

    said = join(directory, "--final", status=1).stderr
    assert "has no checkpoint of it any more, to go on from: what is published stays as it is" in said
    assert joint_files(directory) == before

    for checkpoint in directory.parent.glob("step-*"):
        checkpoint.rename(home / checkpoint.name)
    join(directory, "--final")
    assert joint_files(directory) == expected


def test_files_of_others_are_not_removed_where_a_call_was_killed_early(directory):
    """The note of it says which series it found free."""
    made = directory / "pileus-checkpoints" / "air_sea" / ".made"
    join(directory, "--final")
    text = (directory.parent / "run.xml").read_text().replace('name="d.nc"', 'name="ocean.nc"')
    written(directory.parent, text.replace('<component name="ocean">', '<component name="sea">'))
    kept = (directory / "ocean_12.nc").read_bytes()
    assert made.is_file()

    join(directory, "--final", "--component", "air_sea", status=1)

    assert (directory / "ocean_12.nc").read_bytes() == kept


def test_a_file_that_comes_late_is_refused(directory, published):
    source, _ = published
    without(directory, ["atmosphere_20.nc"])
    join(directory)
    copy(source, directory, ["atmosphere_20.nc"])

    said = join(directory, "--final", status=1).stderr

    assert 'atmosphere_20.nc: a record of it came late: component "air_sea" has been made up to' in said


def test_the_file_that_is_waited_for_is_named_unless_it_is_of_another_run(tmp_path):
    directory = job(tmp_path, **BY_HAND)
    run_id = (directory / "pileus-checkpoints/ocean/.run").read_bytes()
    assert run_id
    part = directory / ".ocean_6.nc.0123456789abcdef-0.part"
    part.touch()
    join(directory, "--final")

    other = tmp_path / "other"
    copy(directory, other, [path.name for path in directory.glob("[ao]*.nc")])
    part.rename(other / part.name)
    assert f"; {part.name} is not published yet" in join(other).stdout


def test_one_common_time_at_the_end_is_made_anew_when_the_components_go_on(published, tmp_path):
    _, expected = published
    more = {"ocean": ["--checkpoint-every", 2], "atmosphere": ["--checkpoint-every", 2]}
    shorter = [
        (name, ranks, [*options, "--steps", steps])
        for (name, ranks, options), steps in ((OCEAN, 5), (ATMOSPHERE, 8))
    ]
    directory = job(tmp_path, components=shorter, more=more)
    assert series(directory, "d", "d")[0].tolist() == [6]

    job(tmp_path, more={"ocean": ["--continue"], "atmosphere": ["--continue"]})

    assert joint_files(directory) == expected


def test_a_turn_that_another_call_has_is_waited_for_and_no_longer_than_is_said(directory, published):
    _, expected = published
    home = directory / "pileus-checkpoints" / "air_sea"
    home.mkdir(parents=True)
    with open(home / ".turn", "w") as turn:
        turn.write("process 17 on moon")
        turn.flush()
        fcntl.flock(turn, fcntl.LOCK_EX)
        said = join(directory, "--final", "--wait", "0.2", status=1).stderr
        assert "process 17 on moon makes component air_sea and has not ended" in said

        words = [BIN / "pileus", "join", directory.parent / "run.xml", "--directory", directory, "--final"]
        call = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL)
        with pytest.raises(subprocess.TimeoutExpired):
            call.wait(1)
        assert not joint_files(directory)
    assert call.wait(60) == 0
    assert joint_files(directory) == expected


def test_calls_at_once_take_turns(directory, published):
    source, expected = published
    names = ["ocean_36.nc", "atmosphere_30.nc", "ocean_48.nc", "atmosphere_40.nc"]
    names += ["atmosphere_50.nc", "ocean_60.nc", "atmosphere_60.nc"]
    without(directory, names)
    words = [BIN / "pileus", "join", directory.parent / "run.xml", "--directory", directory, "--quiet"]
    for name in names:
        copy(source, directory, [name])
        changed = environment()
        calls = [subprocess.Popen(words, env=changed, stderr=subprocess.PIPE, text=True) for _ in range(3)]
        for call in calls:
            said = call.communicate(timeout=60)[1]
            assert call.returncode == 0, said
            assert not said, "they are quiet"
    join(directory, "--final")

    assert joint_files(directory) == expected


SECOND = JOINT.replace('name="air_sea"', 'name="zz"').replace('.nc" title', '_zz.nc" title')


def test_the_turn_of_a_component_does_not_wait_for_the_next_one(directory, published):
    """A call for both components waits for the turn of the second; the first one has been made."""
    source, _ = published
    path = written(directory.parent, configuration(JOINT + SECOND))
    without(directory, ["ocean_60.nc", "atmosphere_60.nc"])
    home = directory / "pileus-checkpoints" / "zz"
    home.mkdir(parents=True)
    with open(home / ".turn", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        words = [BIN / "pileus", "join", path, "--directory", directory]
        both = subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE)
        assert b"component air_sea: 7 steps" in both.stdout.readline()
        copy(source, directory, ["ocean_60.nc", "atmosphere_60.nc"])
        said = join(directory, "--component", "air_sea", "--wait", "20").stdout
        assert "2 steps, up to 54 s" in said
    both.communicate(timeout=60)
    assert both.returncode == 0


# ---- Options ----


def options_job(tmp_path, **options):
    text = configuration().replace("ocean.nc", "{number}_ocean.nc")
    text = text.replace("atmosphere.nc", "{number}_atmosphere.nc")
    more = {name: ["--option", f"number={value}"] for name, value in options.items()}
    path = written(tmp_path, text)
    done = run(command((OCEAN, ATMOSPHERE), tmp_path / "out", path, 1, more=more), "options")
    assert done.returncode == 0, done.stdout + done.stderr
    return tmp_path / "out", done


def test_options_that_components_have_otherwise_have_to_be_said(published, tmp_path):
    _, expected = published
    directory, done = options_job(tmp_path, ocean=7, atmosphere=8)
    assert 'the option "number", which the components that it reads have otherwise: "8" in' in done.stderr
    assert not joint_files(directory)

    join(directory, status=1)
    join(directory, "--set", "number=5")

    assert joint_files(directory).keys() == expected.keys()
    assert list(directory.glob("7_ocean_*.nc")) and list(directory.glob("8_atmosphere_*.nc"))


def test_options_of_components_that_left_no_note_are_those_of_the_call(tmp_path):
    directory, _ = options_job(tmp_path, ocean=7, atmosphere=7)
    copied = tmp_path / "copied"
    copy(directory, copied, [path.name for path in directory.glob("7_*.nc")])

    join(copied, "--final", status=1)
    said = join(copied, "--final", "--set", "number=7").stdout

    assert "10 steps, up to 60 s" in said


def test_files_that_are_not_there_are_an_error_of_the_last_call_alone(tmp_path):
    written(tmp_path, configuration())
    directory = tmp_path / "empty"
    directory.mkdir()

    assert "has published no file" in join(directory).stdout
    assert "has published no file" in join(directory, "--final", status=1).stderr


def test_a_folder_is_not_taken_for_a_published_file(directory):
    said = join(directory.parent, directory, status=2, path=directory.parent / "run.xml").stderr

    assert f"{directory} is a folder: name that of the job's files with --directory" in said


def test_a_call_of_the_job_is_quiet(tmp_path):
    path = written(tmp_path, configuration())
    done = run(command((OCEAN, ATMOSPHERE), tmp_path / "out", path, 1), "quiet")

    assert joint_files(tmp_path / "out")
    assert "air_sea" not in done.stdout + done.stderr
