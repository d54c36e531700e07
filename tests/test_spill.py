"""What servers have no memory for waits on a disk: all records are there, and the model need not wait."""

import json
import subprocess

import pytest
from oracle.kills import Job, kill_when
from oracle.launch import (
    SERVER,
    Layout,
    environment,
    model_command,
    mpi_command,
    require_programs,
    run,
)
from test_full_memory import (
    BUDGET,
    FIELDS,
    MODEL,
    MOST_BYTES,
    OPERATORS,
    STEPS,
    assert_every_mean,
    configuration,
    records_and_remark,
)
from test_kills import CONFIGURATION, SIZE, files_in

TMPFS_BYTES = 1 << 17  # some thirty parcels
CHECKPOINT_EVERY = 9
LITTLE = "48 KiB"  # a step or two of the model of the tests


def spilling(directory, limit="1 GiB"):
    return f'spill_directory="{directory}" spill_limit="{limit}"'


def run_slow(tmp_path, policy, more):
    """Runs the server that is far too slow; the report, and what was logged."""
    for needed in (MODEL, OPERATORS):
        if not needed.is_file():
            pytest.skip(f"no {needed}: build it, or set PILEUS_BUILD")
    written, report = tmp_path / "run.xml", tmp_path / "report.json"
    written.write_text(configuration(policy, more), encoding="utf-8")
    server = [SERVER, written, "--directory", tmp_path]
    done = run(
        mpi_command((1, [MODEL, written, FIELDS, STEPS]), (1, server)),
        policy,
        PILEUS_REPORT=str(report),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(report.read_text()), done.stdout + done.stderr


def assert_all_is_there(tmp_path, said):
    assert not said["errors"]
    assert_every_mean(tmp_path)
    assert records_and_remark(tmp_path) == (list(range(1, STEPS + 1)), None)
    (figures,) = said["servers"]
    assert figures["most_parcel_bytes"] <= BUDGET / 2
    assert figures["most_memory_bytes"] - figures["memory_at_start_bytes"] <= MOST_BYTES


def events_of(tmp_path, kind):
    lines = (tmp_path / "pileus-events.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]


def test_a_server_that_is_too_slow_spills_and_the_model_does_not_wait(tmp_path):
    folder = tmp_path / "spill"
    folder.mkdir()
    said, log = run_slow(tmp_path, "spill", spilling(folder))

    assert_all_is_there(tmp_path, said)
    (figures,) = said["servers"]
    parcels = figures["spilled_parcels"]
    assert parcels > STEPS / 3
    # The server takes 9 s for what the model hands over at once; with "wait" the model waits for 6 of them.
    assert said["model_ranks"][0]["waiting_s"] < figures["wall_s"] / 4
    assert "spilling from step" in log
    assert f"spilled for want of memory by server 0: {parcels} parcels" in log
    assert list(folder.iterdir()) == []

    begun, ended = events_of(tmp_path, "spilling"), events_of(tmp_path, "spilled")
    assert len(begun) == len(ended) > 0
    assert sum(event["parcels"] for event in ended) == parcels
    assert sum(event["bytes"] for event in ended) == figures["spilled_bytes"]
    assert begun[0]["spill_directory"] == str(folder)
    assert events_of(tmp_path, "spill_failed") == []


def test_files_that_may_lose_records_lose_them_although_others_spill(tmp_path):
    folder = tmp_path / "spill"
    folder.mkdir()
    more = f'budget="{BUDGET}" {spilling(folder)}'
    text = configuration("drop").replace(f'budget="{BUDGET}"', more)
    text = text.replace('<file name="means.nc"', '<file name="means.nc" when_memory_full="spill"')
    written = tmp_path / "run.xml"
    written.write_text(text, encoding="utf-8")
    server = [SERVER, written, "--directory", tmp_path]
    done = run(mpi_command((1, [MODEL, written, FIELDS, STEPS]), (1, server)), "drop and spill")
    assert done.returncode == 0, done.stdout + done.stderr
    assert_every_mean(tmp_path)
    times, remark = records_and_remark(tmp_path)
    assert times[-1] == STEPS
    assert remark.startswith(f"{STEPS - len(times)} of {STEPS} records were left out")


@pytest.fixture
def little_disk(tmp_path):
    """A disk that only one process mounts, and that all see through that process's root."""
    directory = tmp_path / "disk"
    directory.mkdir()
    script = f'mount -t tmpfs -o size={TMPFS_BYTES} tmpfs "$0" && echo mounted && exec sleep infinity'
    command = ["unshare", "--mount", "sh", "-c", script, directory]
    with (
        Job(
            command,
            environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as holder,
        holder.launcher.stdout as said,
    ):
        if said.readline() != "mounted\n":
            pytest.skip("may not mount: a full disk for what is spilled needs root")
        yield f"/proc/{holder.launcher.pid}/root{directory}"


def test_the_model_waits_where_the_disk_is_full(tmp_path, little_disk):
    said, log = run_slow(tmp_path, "spill", spilling(little_disk))

    assert_all_is_there(tmp_path, said)
    (warning,) = [text for text in said["warnings"] if "could not spill" in text]
    assert "No space left on device" in warning
    assert "nothing more is spilled: " in log
    assert events_of(tmp_path, "spill_failed")
    assert said["model_ranks"][0]["waiting_s"] > 0
    assert 0 < said["servers"][0]["most_spilled_bytes"] < 2 * TMPFS_BYTES


def test_the_model_waits_where_the_limit_is_reached(tmp_path):
    said, _ = run_slow(tmp_path, "spill", spilling("/tmp", limit="64 KiB"))
    assert_all_is_there(tmp_path, said)
    assert 0 < said["servers"][0]["most_spilled_bytes"] <= 1 << 16
    assert said["warnings"] == []


def with_little_memory(tmp_path, folder):
    """What tests/test_kills.py writes, on servers that have memory for a step or two."""
    memory = f'<server-configuration><memory budget="{LITTLE}" {spilling(folder)}/></server-configuration>'
    text = CONFIGURATION.read_text(encoding="utf-8")
    text = text.replace("../oracle/", f"{CONFIGURATION.parent.parent}/oracle/")
    text = text.replace("<io-configuration>", "<io-configuration>" + memory, 1)
    text = text.replace('<file name="packed.nc"', '<file name="packed.nc" when_memory_full="spill"')
    written = tmp_path / "run.xml"
    written.write_text(text, encoding="utf-8")
    return written


@pytest.mark.parametrize("layout", [Layout(2, 1), Layout(3, 2, is_uneven=True), Layout(2)], ids=str)
def test_nothing_is_left_of_a_job_that_was_killed_and_it_goes_on_with_the_same_bytes(layout, tmp_path):
    require_programs()
    folder, right, killed = (tmp_path / name for name in ("spill", "right", "killed"))
    for one in (folder, right, killed):
        one.mkdir()
    written = with_little_memory(tmp_path, folder)
    report = tmp_path / "report.json"
    done = run(
        model_command(layout, written, right, *SIZE),
        "not killed",
        PILEUS_REPORT=str(report),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(one["spilled_parcels"] for one in json.loads(report.read_text())["servers"]) > 0

    options = ("--checkpoint-every", str(CHECKPOINT_EVERY), "--continue")
    words = model_command(layout, written, killed, *SIZE, *options)

    def has_checkpoint():
        return list(killed.glob("pileus-checkpoints/step-*/manifest"))

    assert kill_when(has_checkpoint, words, environment(), tmp_path / "log") is None
    assert list(folder.iterdir()) == []

    done = run(words, "continued")
    assert done.returncode == 0, done.stdout + done.stderr
    assert files_in(killed) == files_in(right)
    assert list(folder.iterdir()) == []


def test_a_folder_that_is_not_there_is_named_before_the_first_step(tmp_path):
    require_programs()
    written = with_little_memory(tmp_path, tmp_path / "spill")
    done = run(model_command(Layout(2, 2), written, tmp_path, *SIZE), "no folder")
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "run.xml:" in said and "spill_directory: server " in said
    assert f"{tmp_path / 'spill'}: could not make a file there: No such file or directory" in said
    assert files_in(tmp_path) == {}
