"""`pileus state DIR` says what checkpoints hold, to people and programs, and whether they are whole."""

import json
import re
import shutil

import pytest
from oracle.launch import BIN, ROOT, run

PILEUS = BIN / "pileus"
MODEL = BIN / "continued_c"
CONFIGURATION = ROOT / "examples" / "continued" / "run.xml"


@pytest.fixture(scope="module", autouse=True)
def programs():
    for program in (PILEUS, MODEL):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """The example after 33 steps of 2.5 s: checkpoints of steps 20 and 30, at 50 and 75 s."""
    directory = tmp_path_factory.mktemp("stopped")
    done = run(["env", "-C", directory, MODEL, CONFIGURATION, 33], "33 steps")
    assert done.returncode == 0, done.stdout + done.stderr
    return directory


@pytest.fixture
def directory(stopped, tmp_path):
    return shutil.copytree(stopped, tmp_path / "run")


def state(directory, *options):
    return run([PILEUS, "state", directory, *options], "pileus state")


def state_json(directory):
    done = state(directory, "--json")
    return done.returncode, json.loads(done.stdout)


def part_of(directory, step, name="part-0000"):
    return directory / "pileus-checkpoints" / f"step-{step:010d}" / name


def test_it_says_of_each_checkpoint_whose_it_is_and_what_is_in_progress(directory):
    done = state(directory)

    assert (done.returncode, done.stderr) == (0, "")
    first, second = re.split(r"\n(?=step )", done.stdout)
    for text, step, time, records, last in [(first, 20, 50, 4, 48), (second, 30, 75, 1, 72)]:
        lines = text.splitlines()
        when = r"written \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, [\d.]+ (bytes|kB) in 1 part"
        assert re.fullmatch(rf"step {step} at {time} s, {when}", lines[0])
        assert re.fullmatch(r"  run \w+, 1 model rank, Pileus \d+\.\d+\.\d+", lines[1])
        assert re.fullmatch(r"  configuration .*run\.xml \(sha256 [0-9a-f]{12}\)", lines[2])
        assert re.fullmatch(r"  in progress for level\.nc: level \(\d+ bytes\)", lines[3])
        file = r"level_\d+\.nc \(\.level_\d+\.nc\.\w+-0\.part\)"
        under_way = rf"  under way: {file}: {records} records? of time up to {last} s"
        assert re.fullmatch(under_way, lines[-1]), lines[-1]
        assert len(lines) == 5 or step == 30  # where that of 60 s need not be published yet


def test_programs_read_the_same(directory):
    status, all_of_it = state_json(directory)

    assert status == 0
    assert all_of_it["directory"] == str(directory)
    assert all_of_it["unfinished"] == []
    twenty, thirty = all_of_it["checkpoints"]
    assert (twenty["step"], twenty["time_s"], thirty["step"], thirty["time_s"]) == (20, 50, 30, 75)
    assert twenty["run"] == thirty["run"] and twenty["attempt"] == 0
    assert twenty["damage"] == ""
    assert twenty["folder"] == str(part_of(directory, 20).parent)
    assert (twenty["parts"], twenty["model_ranks"]) == (1, 1)
    assert twenty["size_bytes"] == part_of(directory, 20).stat().st_size
    assert [(window["file"], window["variable"], window["pieces"]) for window in thirty["windows"]] == [
        ("level.nc", "level", 1)
    ]
    file = thirty["files"][-1]
    assert (file["file"], file["name"]) == ("level.nc", "level_120.nc")
    assert file["temporary_name"] == f".level_120.nc.{thirty['run']}-0.part"
    assert file["axes"] == [{"dimension": "time", "records": 1, "last_time_s": 72}]


def test_an_attempt_that_went_on_is_counted(directory):
    done = run(["env", "-C", directory, MODEL, CONFIGURATION, 43], "43 steps")
    assert done.returncode == 0, done.stdout + done.stderr

    status, all_of_it = state_json(directory)

    assert status == 0
    assert [(one["step"], one["attempt"]) for one in all_of_it["checkpoints"]] == [(30, 0), (40, 1)]
    assert len({one["run"] for one in all_of_it["checkpoints"]}) == 1
    assert ", continued 1 time, " in state(directory).stdout


@pytest.mark.parametrize("name", ["manifest", "part-0000"])
@pytest.mark.parametrize("how", ["flipped", "cut short", "gone"])
def test_a_damaged_checkpoint_is_named_and_the_status_is_1(name, how, directory):
    path = part_of(directory, 30, name)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(content if how == "flipped" else content[: len(content) // 2])

    done = state(directory)
    status, all_of_it = state_json(directory)

    if name == "manifest" and how == "gone":  # then it never was one
        assert done.returncode == status == 0
        assert all_of_it["unfinished"] == [str(path.parent)]
        assert f"{path.parent}: not complete" in done.stdout
        return
    assert done.returncode == status == 1
    assert "step 20 at 50 s" in done.stdout
    assert "step 30: damaged: " in done.stdout and str(path) in done.stdout
    twenty, thirty = all_of_it["checkpoints"]
    assert (twenty["damage"], thirty["step"]) == ("", 30)
    assert str(path) in thirty["damage"]


def test_a_checkpoint_in_the_folder_of_another_step_is_damaged(directory):
    part_of(directory, 30).parent.rename(part_of(directory, 31).parent)

    done = state(directory)

    assert done.returncode == 1
    assert "step 31: damaged: " in done.stdout and "it is that of step 30" in done.stdout


def test_those_of_two_runs_are_told_apart(directory, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    done = run(["env", "-C", other, MODEL, CONFIGURATION, 13], "13 steps")
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.copytree(part_of(other, 10).parent, part_of(directory, 10).parent)

    status, all_of_it = state_json(directory)

    assert status == 0
    runs = [one["run"] for one in all_of_it["checkpoints"]]
    assert len(runs) == 3 and runs[0] != runs[1] == runs[2]


def test_folders_that_a_killed_run_left_are_named_and_no_fault(directory):
    aside = directory / "pileus-checkpoints" / ".step-0000000040-0123-0"
    aside.mkdir()

    done = state(directory)

    assert done.returncode == 0
    assert (
        f"{aside}: not complete: a run that is under way writes it, or one that was killed did" in done.stdout
    )


def test_where_nothing_was_kept_there_is_none_and_the_status_is_0(tmp_path):
    done = state(tmp_path)
    status, all_of_it = state_json(tmp_path)

    assert (done.returncode, done.stdout, status) == (0, f"no checkpoint in {tmp_path}\n", 0)
    assert all_of_it == {"directory": str(tmp_path), "checkpoints": [], "unfinished": []}


def test_a_directory_that_cannot_be_read_is_an_error_and_the_status_is_2(tmp_path):
    done = state(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    of_a_file = state(tmp_path / "file")

    assert (done.returncode, done.stdout) == (2, "")
    assert f"cannot look for checkpoints in {tmp_path / 'nowhere'}" in done.stderr
    assert of_a_file.returncode == 2 and "file" in of_a_file.stderr


def test_a_folder_that_cannot_be_read_is_an_error_and_the_status_is_2(tmp_path):
    (tmp_path / "pileus-checkpoints").write_text("x", encoding="utf-8")

    done = state(tmp_path)

    assert done.returncode == 2 and str(tmp_path / "pileus-checkpoints") in done.stderr
