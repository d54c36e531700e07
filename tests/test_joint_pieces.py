"""What calls of `pileus join` leave beside the files: checkpoints, hidden files, publications, notes."""

# ruff: noqa: F811

import re
import shutil
import signal
import subprocess
import time

import pytest
from oracle.joint import (  # noqa: F401
    JOINT,
    configuration,
    copy,
    job,
    join,
    joint_files,
    programs,
    published,
    series,
)
from oracle.launch import BIN, environment, pileus
from test_components import written


def home(directory, component="air_sea"):
    return directory / "pileus-checkpoints" / component


def all_in_order(source):
    end = lambda path: float(path.stem.split("_")[1])  # noqa: E731
    return [path.name for path in sorted(source.glob("*.nc"), key=end)]


@pytest.mark.parametrize("keep", [1, 2])
def test_calls_leave_no_more_checkpoints_than_are_kept_and_publish_little_twice(keep, published, tmp_path):
    source, expected = published
    log = tmp_path / "log"
    common = f'<server-configuration><checkpoint keep="{keep}"/></server-configuration>'
    hook = f'name="d.nc" on_publish="echo $1 &gt;&gt; {log}; true"'
    written(tmp_path, configuration(JOINT.replace('name="d.nc"', hook), common))
    directory = tmp_path / "out"
    said = ""

    for name in all_in_order(source):
        copy(source, directory, [name])
        said += join(directory).stderr
        steps = list(home(directory).glob("step-*"))
        assert len(steps) <= keep
        assert not list(home(directory).glob(".step-*"))
        assert len(list(directory.glob(".*.part"))) <= 3 * (keep + 1)
    said += join(directory, "--final").stderr

    assert joint_files(directory).keys() == expected.keys()
    times = [len(re.findall(rf"info: published \S*/{name} ", said)) for name in expected]
    # One that ends with the step behind which a call stops is under way in the state of that step.
    assert max(times) <= 2, dict(zip(expected, times, strict=True))
    assert len(log.read_text().split()) <= 2 * 3


def test_files_that_were_read_may_be_moved_away(published, tmp_path):
    source, expected = published
    shutil.copy(source.parent / "run.xml", tmp_path)
    directory = tmp_path / "out"

    for name in all_in_order(source):
        copy(source, directory, [name])
        join(directory)
        steps = sorted(home(directory).glob("step-*"))
        made_s = 6 * int(steps[-1].name[5:]) if steps else 0
        for path in [*directory.glob("ocean_*.nc"), *directory.glob("atmosphere_*.nc")]:
            if float(path.stem.split("_")[1]) < made_s:
                path.unlink()
    join(directory, "--final")

    assert len(list(directory.glob("ocean_*.nc"))) < 3
    assert joint_files(directory) == expected


def test_files_that_lie_before_what_was_made_are_not_opened(published, tmp_path):
    source, expected = published
    shutil.copy(source.parent / "run.xml", tmp_path)
    directory = tmp_path / "out"
    names = all_in_order(source)
    copy(source, directory, names[:-2])
    join(directory)

    for name in ("ocean_12.nc", "atmosphere_10.nc", "atmosphere_20.nc"):
        (directory / name).write_bytes(b"no netCDF any more")
    copy(source, directory, names[-2:])
    join(directory, "--final")

    assert joint_files(directory) == expected


CHAIN = """
  <component name="sum">
    <data-definition name="x" component="air_sea" file="d.nc" frequency="1">
      <field name="d"/>
    </data-definition>
    <data-writing>
      <file name="sum.nc" write_time_frequency="48"><include field="air_sea::d" output_frequency="6"/></file>
    </data-writing>
  </component>"""


def test_a_chain_goes_on_after_its_first_component_was_killed_before_a_checkpoint(published, tmp_path):
    source, _ = published
    path = written(tmp_path, configuration(JOINT + CHAIN))
    directory = tmp_path / "out"
    copy(source, directory, all_in_order(source))
    words = [BIN / "pileus", "join", path, "--directory", directory, "--component", "air_sea"]
    call = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while call.poll() is None and not (directory / "d_24.nc").exists():
        time.sleep(0.001)
    call.send_signal(signal.SIGKILL)
    call.wait()
    is_early = not list(home(directory).glob("step-*"))
    join(directory, "--component", "sum", "--final" if is_early else "--quiet")

    if is_early:
        shutil.rmtree(home(directory, "sum"))
        for name in directory.glob("sum_*.nc"):
            name.unlink()
    join(directory, "--final")

    whole = tmp_path / "whole"
    copy(source, whole, all_in_order(source))
    join(whole, "--final", path=path)
    names = ("d", "d_max", "means", "sum")
    assert joint_files(directory, names) == joint_files(whole, names)
    assert series(directory, "sum", "d")[0].tolist() == [6.0 * n for n in range(1, 11)]
    assert series(directory, "sum", "d")[1].tobytes() == series(directory, "d", "d")[1].tobytes()


def test_a_run_keeps_its_id_when_it_begins_again(published, tmp_path):
    """Those who read its files know it by this id."""
    source, _ = published
    path = written(tmp_path, configuration(JOINT + CHAIN))
    directory = tmp_path / "out"
    copy(source, directory, all_in_order(source))
    join(directory, "--component", "air_sea", "--final")
    join(directory, "--component", "sum", "--final")

    note = home(directory) / ".made"
    content = bytearray(note.read_bytes())
    shutil.rmtree(next(iter(home(directory).glob("step-*"))))
    flags = content.index(b"atmosphere=") + content[content.index(b"atmosphere=") - 8]
    content[flags : flags + 2] = b"\0\0"  # as of a call that was killed before its first checkpoint
    note.write_bytes(content)
    join(directory, "--component", "air_sea", "--final")

    assert "there is nothing new" in join(directory, "--component", "sum", path=path).stdout


def test_the_sets_of_checkpoints_are_those_of_the_models(tmp_path):
    more = {"ocean": ["--checkpoint-every", 4], "atmosphere": ["--checkpoint-every", 6]}
    directory = job(tmp_path, more=more)

    said = pileus("state", directory).stdout

    assert "component air_sea" in said
    assert "all components at 60 s: atmosphere step 60, ocean step 40" in said, said[-500:]
