"""Files that are written with checkpoints (state="io"), and checkpoints beside which no file is written."""

import json
import re

import numpy as np
import pytest
from oracle import launch
from oracle.configured import (
    DT,
    NUMBER,
    STEPS,
    W,
    file,
    group,
    include,
    job,
    lengths,
    number_of,
    write,
    writing,
)
from oracle.published import read

# The MONC model asks for its restart files in this way.
AS_MONC = """
<data-definition name="checkpoint_data" frequency="{checkpoint_frequency}" namespace="checkpoint"
                 send_on_terminate="true">
  <field name="w" type="array" data_type="double" size="z,y,x" collective="true" optional="true"/>
  <field name="number" type="scalar" data_type="integer"/>
  <field name="th" type="array" data_type="double" size="z,y,x" collective="true" optional="true"/>
</data-definition>
<group name="checkpoint_fields" namespace="checkpoint">
  <member name="w"/>
  <member name="number"/>
  <member name="th"/>
</group>
<data-writing>
  <file name="dump.nc" write_timestep_frequency="{checkpoint_frequency}" title="Checkpoint"
        write_on_terminate="true" store_state="false">
    <include group="checkpoint::checkpoint_fields" time_manipulation="none"/>
    <include state="io"/>
  </file>
</data-writing>
"""


@pytest.fixture(scope="module", autouse=True)
def programs():
    launch.require_programs()


def run(directory, configuration, *options, steps=STEPS):
    """Runs the example; returns its output and the paths of the published files."""
    done = job(directory, configuration, steps, "--checkpoint-every", 5, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr, {path.name: path for path in directory.glob("*.nc")}


def checkpoints(directory):
    done = launch.run([launch.BIN / "pileus", "state", directory, "--json"], "pileus state")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["checkpoints"]


def test_they_hold_the_values_of_exactly_the_steps_of_the_checkpoints(tmp_path):
    configuration = write(
        tmp_path,
        group(NUMBER + W),
        group(DT, 4, "rare"),
        writing(
            f'<file name="dump_{{time}}.nc"><include state="io"/>'
            f"{include('number', 'w', 'dt')}</file>{file('every.nc', include('w'))}"
        ),
    )
    _, files = run(tmp_path / "out", configuration)

    assert sorted(files) == ["dump_10.nc", "dump_5.nc", "every_1000.nc"]
    every = read(files["every_1000.nc"])
    for step in (5, 10):
        dump = read(files[f"dump_{step}.nc"])
        assert dump["time"].tolist() == [every["time"][step - 1]]
        assert dump["number"].tolist() == [number_of(step)]
        assert dump["dt"].tolist() == [lengths()[step - 1]]
        assert np.array_equal(dump["w"][0], every["w"][step - 1])


@pytest.mark.parametrize("frequency", [0, 5, 7])
def test_monc_asks_for_them_in_its_way(frequency, tmp_path):
    """The model says when, whatever the frequencies say."""
    text = AS_MONC.replace("{checkpoint_frequency}", str(frequency))
    configuration = write(tmp_path, text, group(W, name="raw"), writing(file("every.nc", include("w"))))
    _, files = run(tmp_path / "out", configuration)

    every = read(files.pop("every_1000.nc"))
    assert len(files) == 2
    for path in files.values():
        dump = read(path)
        step = int(re.search(r"(\d+)\.nc", path.name)[1])
        assert step in (5, 10)
        assert dump["number"].tolist() == [number_of(step)]
        assert np.array_equal(dump["w"][0], every["w"][step - 1])
        assert "th" not in dump  # optional, and the model has none


def test_a_run_that_goes_on_has_those_of_the_run_that_was_not_interrupted(tmp_path):
    dump = f'<file name="dump_{{time}}.nc"><include state="io"/>{include("w", "number")}</file>'
    configuration = write(tmp_path, group(NUMBER + W), writing(dump))
    _, whole = run(tmp_path / "whole", configuration, "--checkpoint-every", 3)
    _, first = run(tmp_path / "out", configuration, "--checkpoint-every", 3, steps=7)
    assert sorted(first) == ["dump_3.nc", "dump_6.nc"]

    _, files = run(tmp_path / "out", configuration, "--checkpoint-every", 3, "--continue")

    assert {name: path.read_bytes() for name, path in files.items()} == {
        name: path.read_bytes() for name, path in whole.items()
    }
    assert sorted(files) == [f"dump_{step}.nc" for step in (12, 3, 6, 9)]


def test_a_run_without_files_keeps_its_state_and_goes_on(tmp_path):
    configuration = write(tmp_path, group(NUMBER + W))
    _, files = run(tmp_path / "out", configuration)
    assert files == {}
    assert [(one["step"], one["windows"], one["files"]) for one in checkpoints(tmp_path / "out")] == [
        (5, [], []),
        (10, [], []),
    ]

    said, files = run(tmp_path / "out", configuration, "--continue", steps=15)

    assert files == {} and "continues after step 10" in said and "warning" not in said, said
    assert [(one["step"], one["attempt"]) for one in checkpoints(tmp_path / "out")] == [(10, 0), (15, 1)]


def test_checkpoints_of_another_run_are_named_when_a_run_begins_afresh(tmp_path):
    configuration = write(
        tmp_path, group(NUMBER), writing(file("f.nc", include("number"), more='overwrite="true"'))
    )
    first, _ = run(tmp_path / "out", configuration)
    (run_id,) = {one["run"] for one in checkpoints(tmp_path / "out")}

    again, _ = run(tmp_path / "out", configuration, "--checkpoint-every", 4)

    assert "another run" not in first
    assert f"holds checkpoints of another run, {run_id}, which is not continued: of steps 5, 10;" in again
    others = {one["step"]: one["run"] == run_id for one in checkpoints(tmp_path / "out")}
    assert others == {5: True, 8: False, 10: True, 12: False}
