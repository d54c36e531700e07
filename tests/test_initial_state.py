"""The state at the start, which a model hands over in a first step of no length."""

import json

import netCDF4
import numpy as np
import pytest
from oracle import launch
from oracle.configured import (
    DT,
    NUMBER,
    PATH,
    W,
    bytes_of,
    extreme,
    file,
    files_of,
    group,
    handling,
    include,
    lengths,
    number_of,
    write,
    writing,
)
from oracle.launch import BIN, SERVER, mpi_command
from oracle.published import read

STEPS = 6  # to 16.25 s: 2, 4.75, 8.25, 12.5, 13.75, 15.75 and so on
CUMULUS = BIN / "cumulus"
MARKED = ("--initial", "--checkpoint-every", 4)
CONFIGURATION = (
    group(NUMBER + W + PATH),
    group(DT, 4, "rare"),
    handling(extreme("max", "w_max")),
    writing(
        file("instants.nc", include("w", "w_max", manipulation="instantaneous", every=5), 10),
        file("means.nc", include("w", "w_max", manipulation="averaged", every=5), 10),
        file("largest.nc", include("path", manipulation="maximum", every=5), 10),
        file("every.nc", include("number"), 10),
        file("rare.nc", include("dt"), 1000),
        f'<file name="steps.nc" write_timestep_frequency="3">{include("number")}</file>',
    ),
)


@pytest.fixture(scope="module", autouse=True)
def programs():
    launch.require_programs()


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    return write(tmp_path_factory.mktemp("configuration"), *CONFIGURATION)


@pytest.fixture(scope="module")
def whole(configuration, tmp_path_factory):
    return files_of(tmp_path_factory.mktemp("whole"), configuration, STEPS, *MARKED)


@pytest.fixture(scope="module")
def without(configuration, tmp_path_factory):
    return files_of(tmp_path_factory.mktemp("without"), configuration, STEPS)


def test_instants_and_every_sample_have_a_record_of_it_in_the_first_file_of_their_series(whole, without):
    ends = np.cumsum([0, *lengths(STEPS)])

    assert sorted(whole) == sorted(without)  # no files of time 0
    instants = read(whole["instants_10.nc"])
    assert instants["time"][0] == 0
    assert np.array_equal(instants["time"][1:], read(without["instants_10.nc"])["time"])
    assert instants["w_max"][0] == instants["w"][0].max()
    assert np.array_equal(instants["w"][1:], read(without["instants_10.nc"])["w"])
    every = read(whole["every_10.nc"])
    assert every["number"].tolist() == [number_of(step) for step in range(STEPS + 1) if ends[step] <= 10]
    assert every["time"].tolist() == [end for end in ends if end <= 10]
    steps = read(whole["steps_step_3.nc"])
    assert steps["number"].tolist() == [number_of(step) for step in range(4)]
    assert read(whole["rare_1000.nc"])["dt"].tolist() == [0, lengths()[3]]


def test_no_average_and_no_extreme_takes_it(whole, without):
    for name, path in whole.items():
        if name.startswith(("means", "largest")):
            assert path.read_bytes() == without[name].read_bytes(), name


@pytest.mark.parametrize("layout", [launch.Layout(1, 0, 1, False), launch.Layout(2, 1, 1, True)], ids=str)
def test_every_layout_gives_the_same_bytes(layout, whole, configuration, tmp_path):
    files = files_of(tmp_path / "out", configuration, STEPS, *MARKED, layout=layout)

    assert bytes_of(files) == bytes_of(whole)


def test_a_run_goes_on_after_a_checkpoint_of_it(whole, configuration, tmp_path):
    first = files_of(tmp_path / "out", configuration, 0, *MARKED)
    assert read(first["every_10.nc"])["number"].tolist() == [number_of(0)]

    layout = launch.Layout(2, 1, 1, False)
    files = files_of(tmp_path / "out", configuration, STEPS, *MARKED, "--continue", layout=layout)

    assert bytes_of(files) == bytes_of(whole)


@pytest.mark.parametrize("ranks, servers", [(1, 0), (3, 1)])
def test_the_first_record_of_cumulus_is_the_state_that_it_starts_from(ranks, servers, tmp_path):
    if not CUMULUS.is_file():
        pytest.skip(f"no program {CUMULUS}: build it, or set PILEUS_BUILD")
    fields = "".join(
        f'<field name="{name}" data_type="double" size="{size}" collective="true"/>'
        for name, size in (("w", "z_face,y,x"), ("qv", "z,y,x"))
    )
    instants = include("w", "qv", manipulation="instantaneous", every=60)
    configuration = write(tmp_path, group(fields), writing(file("f.nc", instants)))
    grid = ["--nx", 10, "--ny", 9, "--nz", 8, "--quiet"]
    start = launch.run(
        mpi_command((1, [CUMULUS, *grid, "--steps", 0, "--restart-write", tmp_path / "start.nc"])), "start"
    )
    if "without netCDF" in start.stderr:
        pytest.skip("cumulus was built without netCDF")
    assert start.returncode == 0, start.stderr
    model = [CUMULUS, *grid, "--steps", 3, "--initial-state", "--output", "pileus", "--config", configuration]
    programs = [(ranks, [*model, "--directory", tmp_path])]
    if servers:
        programs.append((servers, [SERVER, configuration, "--directory", tmp_path]))

    done = launch.run(mpi_command(*programs), "cumulus")

    assert done.returncode == 0, done.stdout + done.stderr
    with netCDF4.Dataset(tmp_path / "start.nc") as expected, netCDF4.Dataset(tmp_path / "f_1000.nc") as got:
        assert got["time"][0] == 0
        for name in ("w", "qv"):
            assert got[name][0].max() > 0 or name == "w"
            assert np.array_equal(got[name][0].ravel(), expected[name][:].ravel()), name


def test_explain_knows_of_it_from_the_description_of_the_model(whole, configuration, tmp_path):
    model, steps = tmp_path / "model.json", tmp_path / "steps"
    files_of(tmp_path / "out", configuration, STEPS, "--initial", "--describe", model)
    steps.write_text(" ".join(map(str, lengths(STEPS))), encoding="utf-8")

    done = launch.pileus("explain", configuration, "--model", model, "--timesteps", steps, "--json")

    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(model.read_text(encoding="utf-8"))["initial_state"] is True
    series = json.loads(done.stdout)["files"]
    expected = {one["name"]: one["size_bytes"] for all_of in series for one in all_of["files"]}
    assert expected == {name: path.stat().st_size for name, path in whole.items()}
