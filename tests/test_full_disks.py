"""Disks that are full, or take nothing: real runs on a small file system in memory.

Everybody may mount one in a name space of his own, on most machines. Elsewhere these tests are skipped, and
the simulation's (tests/scenarios/full_disk_test.cpp) have to do.
"""

import functools
import json
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from oracle.kills import Job
from oracle.launch import Layout, environment, model_command, require_programs, run

SIZE = ("--size", "16,40,40", "--steps", "24")
RECORD_BYTES = 16 * 40 * 40 * 8
STEPS_OF_FILE = 6
FILE_BYTES = STEPS_OF_FILE * RECORD_BYTES
DISK_BYTES = 16 * FILE_BYTES
TIMEOUT_S = 120
# Words that unshare needs for a mount of its own, and nsenter to follow it: with privileges, and without.
WAYS = [
    (["--mount"], ["--mount"]),
    (["--map-root-user", "--mount"], ["--user", "--preserve-credentials", "--mount"]),
]
LAYOUTS = [Layout(3, 2), Layout(2, 1, workers=2, is_uneven=True), Layout(2)]
CASES = [(layout, "nc") for layout in LAYOUTS] + [(layout, "zarr") for layout in LAYOUTS[:2]]
CASES += [(LAYOUTS[0], "grib2"), (Layout(4, 3, 2), "few writers")]
CONFIGURATION = """<io-configuration>
  <server-configuration><memory budget="{budget}"/></server-configuration>
  <data-definition name="volumes" frequency="1">
    <field name="w" type="array" data_type="double" size="z,y,x" collective="true"/>
    <field name="theta" type="array" data_type="float" size="z,y,x" collective="true" optional="true"/>
  </data-definition>
  <data-definition name="columns" frequency="1">
    <field name="path" type="array" data_type="double" size="y,x" collective="true"/>
    <field name="cells" type="array" data_type="integer" size="y,x" collective="true" optional="true"/>
    <field name="path_local" type="array" data_type="double"/>
    <field name="columns_held" type="scalar" data_type="double"/>
    <field name="dt" type="scalar" data_type="double"/>
    <field name="number" type="scalar" data_type="integer"/>
  </data-definition>
  <data-writing>
    <file name="large.nc" write_timestep_frequency="{steps}" when_full="{policy}">
      <include field="w" time_manipulation="none"/>
    </file>
    <file name="packed.nc" write_timestep_frequency="{steps}" when_full="{policy}" deflate="1">
      <include field="w" time_manipulation="none"/>
    </file>
    <file name="small.nc" write_timestep_frequency="{steps}">
      <include field="dt" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
"""


@pytest.fixture(scope="module", autouse=True)
def programs():
    require_programs()


def write_configuration(tmp_path, policy, kind="nc"):
    # A run that is to be stopped has memory for one step: its first files are complete before later ones
    # begin.
    budget = "1" if policy == "stop" else "1 GiB"
    path = tmp_path / f"{policy}.xml"
    text = CONFIGURATION.format(steps=STEPS_OF_FILE, policy=policy, budget=budget)
    if kind == "few writers":
        text = text.replace('"large.nc"', '"large.nc" writers="2"')
    if kind == "zarr":
        text = text.replace('.nc"', '.zarr"').replace("deflate=", "zstd=")
    if kind == "grib2":
        text = text.replace('.nc"', '.grib2"').replace('deflate="1"', "")
        text = text.replace("<io-configuration>", '<io-configuration><time epoch="2001-01-01"/>')
        text = text.replace('name="w"', 'name="w" grib="wz" bits_per_value="32" packing="simple"')
        text = text.replace('name="path"', 'name="path" grib="0.192.1"')
        text = text.replace('field="dt"', 'field="path"')
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def published_with_room(tmp_path_factory):
    """What a run with space publishes, by policy and format: files hold a hash of the configuration."""

    @functools.cache
    def of_policy(policy, kind="nc"):
        directory = tmp_path_factory.mktemp("space")
        configuration = write_configuration(tmp_path_factory.mktemp("configuration"), policy, kind)
        done = run(model_command(LAYOUTS[0], configuration, directory, *SIZE), "with space")
        assert done.returncode == 0, done.stdout + done.stderr
        return files_in(directory)

    return of_policy


KINDS = (".nc", ".zarr", ".grib2")


def files_in(directory):
    return {path.name: bytes_of(path) for path in directory.iterdir() if path.suffix in KINDS}


def bytes_of(path):
    """Of a file, or of all files of a folder."""
    if path.is_file():
        return path.read_bytes()
    return {str(one.relative_to(path)): one.read_bytes() for one in path.rglob("*") if one.is_file()}


@pytest.fixture(scope="module")
def way(tmp_path_factory):
    """The first of WAYS that this machine allows."""
    why = []
    for enter, follow in WAYS:
        command = ["unshare", *enter, "mount", "-t", "tmpfs", "tmpfs", tmp_path_factory.mktemp("mounted")]
        done = run(command, "mount")
        if done.returncode == 0:
            return enter, follow
        why.append(done.stderr.strip())
    pytest.skip(f"may not mount: {why}")


@pytest.fixture
def disk(way, tmp_path):
    """A disk that only one process mounts, and that all see through that process's root."""
    directory = tmp_path / "disk"
    directory.mkdir()
    script = f'mount -t tmpfs -o size={DISK_BYTES} tmpfs "$0" && echo mounted && exec sleep infinity'
    command = ["unshare", *way[0], "sh", "-c", script, directory]
    with (
        Job(command, environment(), stdout=subprocess.PIPE, text=True) as holder,
        holder.launcher.stdout as said,
    ):
        assert said.readline() == "mounted\n"
        yield Path(f"/proc/{holder.launcher.pid}/root{directory}")


def make_read_only(disk, way):
    _, _, pid, _, *directory = disk.parts
    inside = ["nsenter", "--target", pid, *way[1]]
    done = run([*inside, "mount", "-o", "remount,bind,ro", Path("/", *directory)], "remount")
    assert done.returncode == 0, done.stderr


def fill(disk, free_bytes):
    """Leaves so much space, and returns the file that takes the rest."""
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(DISK_BYTES - free_bytes))
    return ballast


def variables(tmp_path, patience_s="1"):
    # Events lie beside the disk, which has no space for them.
    return dict(
        environment(),
        PILEUS_EVENTS=str(tmp_path / "events.jsonl"),
        PILEUS_DISK_PATIENCE=patience_s,
    )


def events(tmp_path, kind):
    path = tmp_path / "events.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    told = [json.loads(line) for line in lines if line.endswith("}")]
    return [event for event in told if event["event"] == kind]


@pytest.fixture
def start(tmp_path):
    """Starts a command; all of it ends with the test."""
    with (tmp_path / "log").open("w") as log, ExitStack() as jobs:

        def start_one(command):
            return jobs.enter_context(Job(command, variables(tmp_path), stdout=log, stderr=log))

        yield start_one


def finish(job, tmp_path):
    """Waits for the command and returns its status and output."""
    try:
        status = job.launcher.wait(TIMEOUT_S)
    except subprocess.TimeoutExpired:
        pytest.fail(f"not finished after {TIMEOUT_S} s\n{(tmp_path / 'log').read_text()}")
    return status, (tmp_path / "log").read_text()


def wait_for(tmp_path, kind, job):
    deadline = time.monotonic() + TIMEOUT_S
    while not events(tmp_path, kind) and job.launcher.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert events(tmp_path, kind), (tmp_path / "log").read_text()


def hidden(directory):
    return [path.name for path in directory.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("layout, kind", CASES, ids=str)
def test_files_wait_until_somebody_makes_room(layout, kind, published_with_room, disk, tmp_path, start):
    configuration = write_configuration(tmp_path, "wait", kind)
    expected = published_with_room("wait", kind)
    ballast = fill(disk, FILE_BYTES // 2)

    job = start(model_command(layout, configuration, disk, *SIZE))
    wait_for(tmp_path, "disk_full", job)
    assert job.launcher.poll() is None
    ballast.unlink()
    status, said = finish(job, tmp_path)

    assert status == 0, said
    assert files_in(disk) == expected
    assert hidden(disk) == []
    assert "waits for space on the disk" in said
    assert "No space left on device" in said
    assert events(tmp_path, "disk_has_space")
    assert "s for space on the disk" in said  # the report's sentence of how long it was


@pytest.mark.parametrize("layout, kind", CASES, ids=str)
def test_files_are_skipped_and_others_go_on(layout, kind, published_with_room, disk, tmp_path, start):
    configuration = write_configuration(tmp_path, "skip", kind)
    expected = published_with_room("skip", kind)
    fill(disk, FILE_BYTES // 2)

    job = start(model_command(layout, configuration, disk, *SIZE))
    status, said = finish(job, tmp_path)

    assert status != 0, said
    published = files_in(disk)
    assert published == {name: expected[name] for name in published}
    assert {name for name in expected if name.startswith("small")} <= set(published)
    large = {name for name in expected if name.startswith("large")}
    assert not large & set(published)
    assert {event["file"].rsplit("/", 1)[-1] for event in events(tmp_path, "skipped")} >= large
    assert hidden(disk) == []
    assert "No space left on device" in said


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_file_that_is_skipped_is_an_error_once(layout, disk, tmp_path):
    """The log has it when it happens, the report counts it, and the model gets it from pileus_finish."""
    configuration = write_configuration(tmp_path, "skip")
    fill(disk, FILE_BYTES // 2)
    report = tmp_path / "report.json"

    command = model_command(layout, configuration, disk, *SIZE)
    done = run(command, str(layout), PILEUS_DISK_PATIENCE="1", PILEUS_REPORT=str(report))

    errors = json.loads(report.read_text())["errors"]
    assert len(errors) == 8  # four files of large, four of packed
    for error in errors:
        assert done.stderr.count("error: " + error) == 1, done.stderr
        assert error not in done.stdout, done.stdout
    assert "8 errors in the log above" in done.stdout


@pytest.mark.parametrize("layout, kind", CASES, ids=str)
def test_a_run_that_a_full_disk_stops_goes_on_from_its_checkpoint(
    layout, kind, published_with_room, disk, tmp_path, start
):
    configuration = write_configuration(tmp_path, "stop", kind)
    expected = published_with_room("stop", kind)
    # For the first file of each series, with space for 16 records as long as it is written, and not for all.
    # Files of GRIB are half as long, and grow by what they have.
    ballast = fill(disk, (0 if kind == "grib2" else 16 * RECORD_BYTES) + int(1.6 * FILE_BYTES))
    options = (*SIZE, "--checkpoint-every", "3", "--continue")

    job = start(model_command(layout, configuration, disk, *options))
    status, said = finish(job, tmp_path)

    assert status != 0, said
    # mpirun may lose a server's last lines once a model rank has ended with an error.
    stopping = events(tmp_path, "stopping")
    assert len(stopping) == 1, said
    assert "No space left on device" in stopping[0]["why"]
    assert "No space left on device" in said
    published = files_in(disk)
    assert published == {name: expected[name] for name in published}
    assert len(published) < len(expected)
    assert list(disk.glob("pileus-checkpoints/step-*/manifest")), said

    ballast.unlink()
    done = run(model_command(layout, configuration, disk, *options), f"{layout} continued")
    assert done.returncode == 0, done.stdout + done.stderr
    assert files_in(disk) == expected
    assert hidden(disk) == []


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_directory_that_takes_nothing_is_named(layout, way, disk, tmp_path, start):
    configuration = write_configuration(tmp_path, "wait")
    make_read_only(disk, way)

    job = start(model_command(layout, configuration, disk, *SIZE))
    status, said = finish(job, tmp_path)

    assert status != 0, said
    assert str(disk) in said and "Read-only file system" in said
    assert list(disk.iterdir()) == []


def test_a_file_that_exists_is_kept_and_refuses_the_run(published_with_room, tmp_path, start):
    configuration = write_configuration(tmp_path, "wait")
    expected = published_with_room("wait")
    name = next(name for name in expected if name.startswith("large"))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("precious")

    job = start(model_command(LAYOUTS[0], configuration, tmp_path / "out", *SIZE))
    status, said = finish(job, tmp_path)

    assert status != 0, said
    assert f"{name} exists already; move it away" in said
    assert [path.name for path in (tmp_path / "out").iterdir()] == [name]
    assert (tmp_path / "out" / name).read_text() == "precious"
