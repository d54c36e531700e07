"""Published files as datasets: in order, joined along time, read when they are asked for."""

import numpy as np
import pytest

import pileus
from attached_runs import SIZES, include, started, values_of
from attached_runs import configuration as configured

xarray = pytest.importorskip("xarray")

TEXT = configured(
    '<field name="theta" type="array" size="x,y,z" collective="true" units="K"/>',
    include("theta") + include("mean", 2, "averaged"),
    '<diagnostic field="mean" units="K" expression="mean[y,x](theta)"/>',
)


def make(directory, steps=20, told=None, text=TEXT):
    directory.mkdir(exist_ok=True)
    with started(directory, text) as run:
        if told is not None:
            run.on_published(lambda file: told.append((file, run.results().files)))
        theta = run.field("theta", ("z", "y", "x"))
        run.commit()
        for step in range(1, steps + 1):
            with run.step(step, step, 1, final=step == steps):
                theta.put(values_of(step))
    return run.results()


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return make(tmp_path_factory.mktemp("results"))


EXPECTED = np.stack([values_of(step) for step in range(1, 21)])


def test_files_of_a_series_are_one_dataset(results):
    dataset = results.dataset

    assert list(results) == ["out.nc"]
    assert [path.name for path in results.files] == [f"out_{end}.nc" for end in (4, 8, 12, 16, 20)]
    assert dataset["theta"].dims[1:] == ("z", "y", "x")
    assert dataset["theta"].to_numpy().tobytes() == EXPECTED.tobytes()
    assert dataset["mean"].shape == (10, 3)
    times = dataset["theta"].coords[dataset["theta"].dims[0]].to_numpy()
    assert (np.diff(times) == np.timedelta64(1, "s")).all()
    assert (
        "bounds"
        in dataset["mean"].coords[dataset["mean"].dims[0]].encoding
        | dataset["mean"].coords[dataset["mean"].dims[0]].attrs
    )


def test_it_is_what_xarray_makes_of_all_files(results):
    parts = [xarray.open_dataset(path) for path in results.files]
    whole = xarray.concat([part[["theta"]] for part in parts], parts[0]["theta"].dims[0])

    xarray.testing.assert_identical(results.dataset["theta"].load(), whole["theta"].load())


def test_random_selections(results):
    rng = np.random.default_rng(5)
    theta = results.dataset["theta"]
    for _ in range(100):
        key = []
        for size in theta.shape:
            kind = rng.integers(4)
            if kind == 0:
                key.append(int(rng.integers(-size, size)))
            elif kind == 1:
                ends = sorted(rng.integers(0, size + 1, 2).tolist())
                key.append(slice(*ends, int(rng.integers(1, 4))))
            elif kind == 2:
                key.append(slice(None, None, -int(rng.integers(1, 4))))
            else:
                key.append(rng.integers(0, size, rng.integers(1, 6)))
        indexers = dict(zip(theta.dims, key, strict=True))
        got = theta.isel(indexers).to_numpy()
        expected = EXPECTED
        axis = 0
        for one in key:
            expected = expected[(slice(None),) * axis + (one,)]
            axis += not isinstance(one, int)
        assert np.array_equal(got, expected), key


def test_nothing_is_read_before_it_is_asked_for(tmp_path, monkeypatch):
    found = make(tmp_path / "out")
    dataset = found.dataset
    from pileus import _joined as module

    read = []
    file = module.file
    monkeypatch.setattr(module, "file", lambda path: read.append(path.name) or file(path))
    dataset["theta"].isel({dataset["theta"].dims[0]: 9}).load()

    assert read == ["out_12.nc"]


def test_datasets_are_pickled_and_found_from_any_folder(tmp_path, monkeypatch):
    """So that processes of Dask, and notebooks that change their folder, read them."""
    import pickle

    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    dataset = make(tmp_path / "out").dataset
    relative = pileus.open("out").dataset
    there = pickle.loads(pickle.dumps(dataset))
    monkeypatch.chdir("/")

    assert there["theta"].to_numpy().tobytes() == EXPECTED.tobytes()
    assert relative["theta"].to_numpy().tobytes() == EXPECTED.tobytes()


def test_a_callback_is_told_of_each_file_once_and_can_read_it(tmp_path):
    told = []
    make(tmp_path / "out", told=told)

    told.sort(key=lambda one: one[0].period)  # those that are ready together are published in any order
    assert [one.path.name for one, _ in told] == [f"out_{end}.nc" for end in (4, 8, 12, 16, 20)]
    assert [(one.period, one.last_record_s) for one, _ in told] == [(n, 4.0 * n) for n in (1, 2, 3, 4, 5)]
    assert all(one.path in known for one, known in told)


def test_a_callback_that_raises_ends_the_model_and_no_file(tmp_path):
    (tmp_path / "out").mkdir()

    def fail(file):
        raise RuntimeError("no such notebook")

    with pytest.raises(RuntimeError, match="notebook"), started(tmp_path / "out", TEXT) as run:
        run.on_published(fail)
        theta = run.field("theta", ("z", "y", "x"))
        run.commit()
        for step in range(1, 5):
            with run.step(step, step, 1, final=step == 4):
                theta.put(values_of(step))
    assert [path.name for path in (tmp_path / "out").glob("*.nc")] == ["out_4.nc"]


def test_events_of_the_configuration_are_not_taken_away(tmp_path):
    text = TEXT.replace(
        "<io-configuration>",
        "<io-configuration><server-configuration><events file='e.jsonl'/></server-configuration>",
    )
    found = make(tmp_path / "out", text=text)

    assert len(found.files) == 5
    assert (tmp_path / "out" / "e.jsonl").read_text().count('"published"') == 5


def test_a_folder_is_opened(tmp_path):
    make(tmp_path / "out", steps=40)
    (tmp_path / "out" / "other.nc").write_bytes((b"not a file of ours"))
    xarray.Dataset({"a": ("x", [1.0])}).to_netcdf(tmp_path / "out" / "foreign.nc")
    found = pileus.open(tmp_path / "out")

    assert list(found) == ["out.nc"]
    assert [path.name for path in found.files] == [f"out_{end}.nc" for end in range(4, 41, 4)]
    assert found["out.nc"]["theta"].shape == (40, 3, 4, 5)
    with pytest.raises(KeyError, match="nothing.nc.*out.nc"):
        found["nothing.nc"]
    with pytest.raises(FileNotFoundError):
        pileus.open(tmp_path / "nowhere")


def test_stores_of_zarr(tmp_path):
    pytest.importorskip("zarr")
    found = make(tmp_path / "out", text=TEXT.replace("out.nc", "out.zarr"))

    assert [path.name for path in found.files] == [f"out_{end}.zarr" for end in (4, 8, 12, 16, 20)]
    assert found.dataset["theta"].to_numpy().tobytes() == EXPECTED.tobytes()
    assert pileus.open(tmp_path / "out").files == found.files


def test_results_of_a_run_in_the_middle(tmp_path):
    with started(tmp_path, TEXT) as run:
        theta = run.field("theta", ("z", "y", "x"))
        run.commit()
        assert len(run.results()) == 0
        with pytest.raises(pileus.UsageError, match="0 series"):
            run.results().dataset  # noqa: B018
        for step in range(1, 9):
            with run.step(step, step, 1):
                theta.put(values_of(step))
        while len(run.results().files) < 2:
            run.progress()
        assert run.results()["out.nc"]["theta"].to_numpy().tobytes() == EXPECTED[:8].tobytes()
    assert SIZES["x"] == run.results().dataset.sizes["x"]


READERS = """
import sys
order = sys.argv[2].split(",")
for name in order:
    if name == "pileus": import pileus
    else: __import__(name)
import numpy as np
import pileus
TEXT = sys.argv[1]
with pileus.Run(TEXT) as run:
    for name, size in dict(x=5, y=4, z=3).items(): run.dimension(name, size)
    theta = run.field("theta", ("z", "y", "x"))
    run.commit()
    import netCDF4, h5py
    for step in range(1, 41):
        with run.step(step, step, 1, final=step == 40): theta.put(np.full((3, 4, 5), 1.0 * step))
        for file in run.results().files:
            with netCDF4.Dataset(file) as opened: assert opened["theta"].shape[1:] == (3, 4, 5)
            with h5py.File(file) as opened: assert opened["theta"].shape[1:] == (3, 4, 5)
    with netCDF4.Dataset("mine.nc", "w") as mine: mine.createDimension("x", 3)
print("read", len(run.results().files))
"""


@pytest.mark.parametrize(
    "order", ["pileus", "pileus,netCDF4,h5py", "netCDF4,h5py,pileus", "h5py,pileus,netCDF4"]
)
@pytest.mark.parametrize("python", ["wheels", "system"])
def test_the_readers_of_the_process_are_left_alone(tmp_path, order, python):
    """Libraries of wheels, and those of the system, which are the very ones that Pileus calls."""
    import os
    import shutil
    import subprocess
    import sys

    program = sys.executable if python == "wheels" else "/usr/bin/python3"
    if python == "system":
        tried = subprocess.run([program, "-c", "import netCDF4, h5py, xarray"], capture_output=True)
        if not shutil.which(program) or tried.returncode != 0:
            pytest.skip("the system has no netCDF4, h5py and xarray for Python")
    done = subprocess.run(
        [program, "-c", READERS, TEXT, order],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ,
    )

    assert done.returncode == 0, done.stderr
    assert "read 10" in done.stdout
    is_shared = "the model uses the same file library" in done.stderr
    assert is_shared == (python == "system"), "it is noticed before the run, whoever is imported when"
