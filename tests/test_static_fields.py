"""Fields that never change: handed over once, used in every step, once in each file without a time axis."""

import netCDF4
import numpy as np
import pytest
from oracle import configured, launch
from oracle.configured import SIZE, W, file, group, handling, include, write, writing
from oracle.launch import Layout

NZ, NY, NX = SIZE
AREA = 1 + np.arange(NY)[None, :] + 0.1 * np.arange(NX)[:, None]  # as files have it, y fastest
CONSTANTS = (
    '<field name="area" size="y,x" collective="true" units="m2"/>'
    '<field name="levels" data_type="float" size="z" parts="same"/>'
)
CONFIGURATION = (
    group(W),
    group(CONSTANTS, 3, "constants"),
    handling(
        '<diagnostic field="flux" expression="mean[y,x](w*area)"/>',
        '<diagnostic field="above" expression="w + levels"/>',
        '<diagnostic field="total" expression="sum[y,x](area)"/>',
        '<diagnostic field="total_km2" expression="total*1e-6"/>',
        '<diagnostic field="thick" expression="2*levels"/>',
    ),
    writing(
        file("means.nc", include("flux", "area", "total", "total_km2", manipulation="averaged", every=5), 10),
        file("maps.nc", include("above", "levels", "thick"), 20, 'deflate="1"'),
    ),
)
LAYOUTS = [
    Layout(is_alone=True),
    Layout(4),
    Layout(3, 2, 2, True),
    Layout(2, 1, how="total"),
]
STEPS = 8


@pytest.fixture(scope="module", autouse=True)
def programs():
    launch.require_programs()


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    return write(tmp_path_factory.mktemp("configuration"), *CONFIGURATION)


def job(layout, directory, configuration, *options, steps=STEPS):
    return configured.job(directory, configuration, steps, "--static", *options, layout=layout)


def run(layout, directory, configuration, *options, **more):
    done = job(layout, directory, configuration, *options, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path.read_bytes() for path in directory.glob("*.nc")}


@pytest.fixture(scope="module")
def right(configuration, tmp_path_factory):
    directory = tmp_path_factory.mktemp("right")
    run(LAYOUTS[0], directory, configuration)
    return directory


def test_each_file_holds_them_once_and_without_time(right):
    paths = sorted(right.glob("means_*.nc"))
    assert len(paths) == 4
    for path in paths:
        with netCDF4.Dataset(path) as dataset:
            assert dataset["area"].dimensions == ("x", "y")
            assert dataset["area"].units == "m2"
            assert "cell_methods" not in dataset["area"].ncattrs()
            np.testing.assert_array_equal(dataset["area"][:], AREA)
            assert dataset["total"].dimensions == ()
            assert float(dataset["total"][...]) == pytest.approx(AREA.sum(), rel=1e-15)
            assert float(dataset["total_km2"][...]) == pytest.approx(1e-6 * AREA.sum(), rel=1e-15)
            assert dataset["flux"].dimensions == ("time", "z")


def test_what_is_made_of_them_alone_is_static_too_also_where_files_are_compressed(right):
    for path in right.glob("maps_*.nc"):
        with netCDF4.Dataset(path) as dataset:
            assert dataset["levels"].dimensions == dataset["thick"].dimensions == ("z",)
            assert dataset["levels"].dtype == np.float32
            np.testing.assert_array_equal(dataset["thick"][:], np.arange(NZ))
            assert dataset["above"].dimensions == ("time", "x", "y", "z")


def test_every_step_computes_with_them(right, tmp_path):
    path = write(
        tmp_path,
        group(W),
        writing(file("maps.nc", include("w"), 20)),
    )
    run(LAYOUTS[0], tmp_path / "out", path)
    for before in sorted((tmp_path / "out").glob("*.nc")):
        with netCDF4.Dataset(before) as plain, netCDF4.Dataset(right / before.name) as dataset:
            expected = plain["w"][:] + 0.5 * np.arange(NZ)
            np.testing.assert_array_equal(dataset["above"][:], expected)


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=str)
def test_files_are_the_same_in_every_layout(layout, right, configuration, tmp_path):
    files = run(layout, tmp_path / "out", configuration)
    assert files == {path.name: path.read_bytes() for path in right.glob("*.nc")}


@pytest.mark.parametrize("again", [[], ["--forget-static"]], ids=["handed over again", "not again"])
def test_a_run_continues_with_those_of_the_checkpoint(again, right, configuration, tmp_path):
    run(LAYOUTS[2], tmp_path / "out", configuration, "--checkpoint-every", 4, steps=5)
    run(LAYOUTS[1], tmp_path / "out", configuration, "--continue", *again)
    for path in (tmp_path / "out").glob("*.nc"):
        assert path.read_bytes() == (right / path.name).read_bytes(), path.name


def test_a_run_that_continues_after_its_last_step_publishes_what_is_left(right, configuration, tmp_path):
    run(LAYOUTS[2], tmp_path / "out", configuration, "--checkpoint-every", 8)
    run(LAYOUTS[1], tmp_path / "out", configuration, "--continue")
    for path in (tmp_path / "out").glob("*.nc"):
        assert path.read_bytes() == (right / path.name).read_bytes(), path.name


@pytest.mark.parametrize("layout", [LAYOUTS[1], LAYOUTS[2]], ids=str)
def test_a_run_that_continues_with_others_is_refused_by_name(layout, configuration, tmp_path):
    run(LAYOUTS[0], tmp_path / "out", configuration, "--checkpoint-every", 4, steps=5)
    done = job(layout, tmp_path / "out", configuration, "--continue", "--area", 1.5)
    assert done.returncode != 0
    assert 'the static field "area" of model rank' in done.stderr
    assert "is not what the checkpoint holds" in done.stderr


@pytest.mark.parametrize("layout", [LAYOUTS[0], LAYOUTS[1], LAYOUTS[2]], ids=str)
def test_one_that_was_forgotten_is_named_and_nothing_hangs(layout, configuration, tmp_path):
    done = job(layout, tmp_path / "out", configuration, "--forget-static", "--report")
    said = [line for line in done.stdout.splitlines() if line.startswith("model rank")]
    assert len(said) == layout.ranks, done.stdout + done.stderr
    for line in said:
        assert "pileus_end: status 2: pileus_end: " in line
        assert 'the first step lacks the static field "area", "levels", which no later step takes' in line


def test_the_configuration_alone_may_say_it(right, tmp_path):
    text = (
        (W, CONSTANTS.replace("/>", ' static="true"/>')),
        handling('<diagnostic field="flux" expression="mean[y,x](w*area)"/>'),
        writing(file("means.nc", include("flux", "area", manipulation="averaged", every=5), 10)),
    )
    path = write(tmp_path, group(text[0][0]), group(text[0][1], 7, "constants"), *text[1:])
    done = launch.pileus("check", path)
    assert (done.returncode, "steps alone" in done.stdout + done.stderr) == (0, False), done.stdout
    run(LAYOUTS[1], tmp_path / "out", path)
    for made in (tmp_path / "out").glob("*.nc"):
        with netCDF4.Dataset(made) as mine, netCDF4.Dataset(right / made.name) as theirs:
            np.testing.assert_array_equal(mine["area"][:], theirs["area"][:])
            np.testing.assert_array_equal(mine["flux"][:], theirs["flux"][:])


def test_explain_shows_them(configuration, tmp_path):
    layout = Layout(2, 2, how="total")
    directory = tmp_path / "out"
    directory.mkdir()
    size = ["--size", ",".join(map(str, SIZE))]
    command = launch.model_command(layout, configuration, directory, *size, "--steps", STEPS, "--static")
    launch.run_described(command, directory)
    said = launch.pileus("explain", configuration, "--model", directory / "model.json", "--steps", STEPS)
    assert said.returncode == 0, said.stderr
    assert "area: double [x 5, y 4], static: once in each file" in said.stdout
    for path in directory.glob("*.nc"):
        if not path.name.startswith("means_10"):
            continue
        assert f"{path.name}: " in said.stdout
        assert f"{path.stat().st_size} bytes" in said.stdout
