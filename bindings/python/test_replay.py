"""Files of an earlier run are handed over as a model did, and give what that run gave."""

import os
import re
import sys

import numpy as np
import pytest
from oracle.launch import BIN, MPIRUN, launcher_flags, run

import pileus
from attached_runs import configuration as configured
from attached_runs import include

xarray = pytest.importorskip("xarray")
CUMULUS = BIN / "cumulus"
MODEL = [
    "--output",
    "pileus",
    "--config",
    "both.xml",
    "--end",
    "60",
    "--nx",
    "12",
    "--ny",
    "10",
    "--nz",
    "8",
    "--quiet",
]
FIELDS = """<field name="w" type="array" data_type="double" size="z_face,y,x" collective="true"/>
    <field name="theta" type="array" data_type="double" size="z,y,x" collective="true"/>"""
HANDLING = """<diagnostic field="w2" expression="mean[y,x](w * w)"/>
    <diagnostic field="warmest" expression="max(theta)"/>
    <diagnostic field="total" expression="sum(theta)"/>"""


def configuration_of(includes, name="out.nc"):
    return configured(FIELDS, includes, HANDLING, frequency=20).replace('"out.nc"', f'"{name}"')


SNAPSHOTS = configuration_of(include("w", 2) + include("theta", 2), "snapshots.nc")
ANALYSIS = configuration_of(
    include("w2", 2) + include("warmest", 2) + include("total", 2) + include("theta", 4)
)


def changes():
    return {"PYTHONPATH": os.environ["PYTHONPATH"], "PILEUS_PREFIX": os.environ["PILEUS_PREFIX"]}


def replayed(cwd, *words, ranks=1, command="replay"):
    program = [sys.executable, "-m", "pileus", command, *words]
    if ranks > 1:
        program = [MPIRUN, *launcher_flags(MPIRUN), "-n", ranks, *program]
    return run(["env", "-C", cwd, *map(str, program)], " ".join(map(str, words)), **changes())


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """What cumulus wrote: snapshots, and the analysis in the same run."""
    if not CUMULUS.is_file():
        pytest.skip(f"no program {CUMULUS}: build it, or set PILEUS_BUILD")
    folder = tmp_path_factory.mktemp("recorded")
    both = SNAPSHOTS.replace(
        "</data-writing>",
        ANALYSIS[ANALYSIS.index("<file") : ANALYSIS.index("</data-writing>")] + "</data-writing>",
    )
    (folder / "both.xml").write_text(both)
    (folder / "snapshots.xml").write_text(SNAPSHOTS)
    (folder / "analysis.xml").write_text(ANALYSIS)
    done = run(["env", "-C", folder, CUMULUS, *MODEL], "cumulus")
    assert done.returncode == 0, done.stderr
    assert len(list(folder.glob("snapshots_*.nc"))) == 4  # the last step ends after 60 s
    return folder


def snapshots(folder):
    return sorted(folder.glob("snapshots_*.nc"), key=lambda path: float(path.stem.rpartition("_")[2]))


def compare(got, expected):
    """To the bit, but for what says when and by whom a file was written."""
    paths = sorted(path.name for path in expected.glob("out_*.nc"))
    assert paths and sorted(path.name for path in got.glob("out_*.nc")) == paths
    for name in paths:
        with (
            xarray.open_dataset(got / name, decode_cf=False) as a,
            xarray.open_dataset(expected / name, decode_cf=False) as b,
        ):
            for variable in ("w2", "warmest", "total", "theta"):
                assert a[variable].shape == b[variable].shape
                assert a[variable].to_numpy().tobytes() == b[variable].to_numpy().tobytes(), (name, variable)
                assert a[variable].dims == b[variable].dims


@pytest.mark.parametrize("ranks", [1, 3])
def test_snapshots_give_what_the_run_gave(recorded, tmp_path, ranks):
    if ranks > 1:
        pytest.importorskip("mpi4py")
    files = snapshots(recorded)
    done = replayed(tmp_path, recorded / "analysis.xml", *files, ranks=ranks)

    assert done.returncode == 0, done.stderr
    records = sum(xarray.open_dataset(file)["w"].shape[0] for file in files)
    assert f"{records} of {records} records" in done.stderr
    compare(tmp_path, recorded)


def test_with_a_rank_that_serves(recorded, tmp_path):
    pytest.importorskip("mpi4py")
    files = snapshots(recorded)
    done = replayed(tmp_path, recorded / "analysis.xml", *files, "--servers", 1, "--quiet", ranks=3)

    assert done.returncode == 0, done.stderr
    compare(tmp_path, recorded)


TEMPERATURE = configured(
    '<field name="t" type="array" size="lat,lon" collective="true" units="K"/>'
    '<field name="area" type="array" size="lat,lon" collective="true"/>',
    include("t_mean", "{every}", "averaged") + include("t", "{every}", "maximum"),
    '<diagnostic field="t_mean" units="K" expression="mean(t, weight=area)"/>',
    frequency="{file}",
)


def archive(path, times, units="days since 2001-01-01", bounds=None, dtype="f4", **encoding):
    """A file as archives have them: packed, with missing values, a calendar and coordinates."""
    rng = np.random.default_rng(11)
    t = 280 + rng.integers(0, 100, (len(times), 4, 6)) / 8
    variables = {
        "tas": (
            ("time", "lon", "lat"),
            t.transpose(0, 2, 1).reshape(len(times), 6, 4).astype(dtype),
            {"units": "K"},
        ),
        "cell_area": (("lon", "lat"), np.arange(24.0).reshape(6, 4)),
    }
    coords = {
        "time": ("time", times, {"units": units, "calendar": "noleap"}),
        "lat": ("lat", np.linspace(-60, 60, 4), {"units": "degrees_north"}),
        "lon": ("lon", np.arange(0, 360, 60.0), {"units": "degrees_east"}),
    }
    dataset = xarray.Dataset(variables, coords)
    if bounds is not None:
        dataset["time"].attrs["bounds"] = "time_bnds"
        dataset["time_bnds"] = (("time", "bnds"), bounds)
    dataset.to_netcdf(path, unlimited_dims=["time"], encoding={"tas": encoding} if encoding else {})
    return t.transpose(0, 2, 1)


def configure(path, every, file):
    path.write_text(TEMPERATURE.replace("{every}", str(every)).replace("{file}", str(file)))


def test_a_file_of_an_archive(tmp_path):
    """Days of one kind and of another, names that differ, a calendar, packed numbers."""
    ends = np.array([1.0, 2, 3, 5, 6, 8, 9, 10])
    t = archive(tmp_path / "in.nc", ends, dtype="f8", scale_factor=0.125, add_offset=280.0, _FillValue=-999)
    xarray.open_dataset(tmp_path / "in.nc").close()
    configure(tmp_path / "run.xml", "5 d", "10 d")
    done = replayed(tmp_path, "run.xml", "in.nc", "--map", "t=tas", "--map", "area=cell_area")
    assert done.returncode == 0, done.stderr
    dataset = pileus.open(tmp_path)["out.nc"]

    area = np.arange(24.0).reshape(6, 4)
    lengths = np.diff(ends, prepend=0)
    means = (t * area).sum((1, 2)) / area.sum()
    expected = [np.average(means[:4], weights=lengths[:4]), np.average(means[4:], weights=lengths[4:])]
    np.testing.assert_allclose(dataset["t_mean"], expected, rtol=1e-13)
    assert (dataset["t_max" if "t_max" in dataset else "t"].to_numpy()[0] == t[:4].max(0)).all()
    dates = dataset["t_mean"].coords[dataset["t_mean"].dims[0]].to_numpy()
    assert [str(date)[:10] for date in dates] == ["2001-01-06", "2001-01-11"]
    assert dataset["lat"].attrs["units"] == "degrees_north"


def test_bounds_of_time_are_lengths_of_steps(tmp_path):
    bounds = np.array([[0, 4], [4, 5], [5, 6], [6, 10.0]])
    t = archive(tmp_path / "in.nc", bounds.mean(1), bounds=bounds, dtype="f8")
    configure(tmp_path / "run.xml", "10 d", "10 d")
    done = replayed(tmp_path, "run.xml", "in.nc", "--map", "t=tas", "--map", "area=cell_area")
    assert done.returncode == 0, done.stderr

    area = np.arange(24.0).reshape(6, 4)
    means = (t * area).sum((1, 2)) / area.sum()
    got = pileus.open(tmp_path)["out.nc"]["t_mean"].to_numpy()
    np.testing.assert_allclose(got, [np.average(means, weights=bounds[:, 1] - bounds[:, 0])], rtol=1e-13)


def test_a_file_of_zarr(tmp_path):
    pytest.importorskip("zarr")
    archive(tmp_path / "in.nc", np.arange(1.0, 11), dtype="f8")
    xarray.open_dataset(tmp_path / "in.nc", decode_cf=False).to_zarr(
        tmp_path / "in.zarr", zarr_format=3, consolidated=False
    )
    for name in ("in.nc", "in.zarr"):
        (tmp_path / name[3:]).mkdir()
        configure(tmp_path / name[3:] / "run.xml", "10 d", "10 d")
        done = replayed(
            tmp_path / name[3:], "run.xml", tmp_path / name, "--map", "t=tas", "--map", "area=cell_area"
        )
        assert done.returncode == 0, done.stderr
    a, b = (pileus.open(tmp_path / name)["out.nc"]["t_mean"].to_numpy() for name in ("nc", "zarr"))
    assert a.tobytes() == b.tobytes() and a.size == 1


MISTAKES = {
    "no file": (["nowhere.nc"], 2, "nowhere.nc: there is no such file"),
    "no variable": (
        ["in.nc", "--map", "area=cell_area"],
        1,
        "no variable for t; name it with --map FIELD=VARIABLE, of",
    ),
    "no field": (["in.nc", "--map", "x=tas"], 1, 'wants no field "x"'),
    "no such variable": (["in.nc", "--map", "t=temperature"], 1, 'no variable "temperature"'),
    "no time": (["in.nc", "--time", "epoch"], 1, "no dimension 'epoch'"),
    "no pair": (["in.nc", "--map", "tas"], 1, "expected NAME=VALUE"),
    "falling": (["falling.nc"], 1, "times do not rise: 172800 s follows 259200 s (record 2)"),
    "months": (["months.nc"], 1, "no unit of time that has a fixed length"),
    "no netCDF": (["run.xml"], 1, "run.xml"),
    "sizes": (["in.nc", "--map", "t=lat", "--map", "area=cell_area"], 1, "t"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_sentences(tmp_path, mistake):
    words, status, text = MISTAKES[mistake]
    archive(tmp_path / "in.nc", np.arange(1.0, 4))
    archive(tmp_path / "falling.nc", np.array([1.0, 3, 2]))
    archive(tmp_path / "months.nc", np.arange(1.0, 4), units="months since 2001-01-01")
    archive(tmp_path / "empty.nc", np.arange(0.0))
    configure(tmp_path / "run.xml", "5 d", "10 d")
    done = replayed(tmp_path, "run.xml", *words)

    assert text in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == status
    assert not list(tmp_path.glob("out*"))


ODD = {
    "scale": (dict(scale_factor=0.25), {}, "scale_factor of 'tas'"),
    "fill": (dict(_FillValue=-7.0), {}, "_FillValue of 'tas'"),
    "units of time": ({}, {"units": "days since 2002-01-01"}, "units of 'time'"),
    "name of time": ({}, {"rename": {"time": "date"}}, "tas"),
    "coordinates": ({}, {"lat": [60.0, 20, -20, -60]}, "coordinates 'lat'"),
    "no variable": ({}, {"drop": "tas"}, "no variable 'tas'"),
}


@pytest.mark.parametrize("odd", ODD)
def test_files_that_do_not_go_together_are_refused(tmp_path, odd):
    """They would be read as if they were as the first."""
    encoding, change, text = ODD[odd]
    archive(tmp_path / "one.nc", np.arange(1.0, 4), dtype="f8", scale_factor=0.125, _FillValue=-999.0)
    plain = dict(scale_factor=0.125, _FillValue=-999.0) | encoding
    archive(
        tmp_path / "two.nc",
        np.arange(4.0, 7),
        change.get("units", "days since 2001-01-01"),
        None,
        "f8",
        **plain,
    )
    with xarray.open_dataset(tmp_path / "two.nc", decode_cf=False) as two:
        two = two.rename(change.get("rename", {})).load()
    if "lat" in change:
        two["lat"] = ("lat", change["lat"], two["lat"].attrs)
    if "drop" in change:
        two = two.drop_vars(change["drop"])
    two.to_netcdf(tmp_path / "three.nc")
    configure(tmp_path / "run.xml", "5 d", "10 d")
    done = replayed(tmp_path, "run.xml", "one.nc", "three.nc", "--map", "t=tas", "--map", "area=cell_area")

    assert done.returncode == 1 and "three.nc" in done.stderr and text in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


def test_whole_numbers_are_not_made_of_others(tmp_path):
    archive(tmp_path / "in.nc", np.arange(1.0, 4), dtype="f8")
    text = TEMPERATURE.replace(
        'size="lat,lon" collective="true" units="K"', 'data_type="integer" size="lat,lon" collective="true"'
    )
    (tmp_path / "run.xml").write_text(text.replace("{every}", "5 d").replace("{file}", "10 d"))
    done = replayed(tmp_path, "run.xml", "in.nc", "--map", "t=tas", "--map", "area=cell_area")

    assert done.returncode == 1 and "the configuration wants int32" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("units", "refused"),
    [
        ("days since 2001-01-01 00:00:00 +00:00", None),
        ("days since 2001-1-1T00:00:00Z", None),
        ("Days Since 2001-01-01 12", None),
        ("days since 2001-01-01 00:00:00 +02:00", "another time zone"),
        ("days since yesterday", "cannot be read"),
    ],
)
def test_dates_are_read_as_they_are_written(tmp_path, units, refused):
    archive(tmp_path / "in.nc", np.arange(1.0, 11), units)
    configure(tmp_path / "run.xml", "5 d", "10 d")
    done = replayed(tmp_path, "run.xml", "in.nc", "--map", "t=tas", "--map", "area=cell_area")

    assert (done.returncode == 0) == (refused is None), done.stderr
    assert refused is None or refused in done.stderr


def test_a_file_stands_in_for_the_model_at_check(tmp_path):
    archive(tmp_path / "in.nc", np.arange(1.0, 11))
    configure(tmp_path / "run.xml", "5 d", "10 d")
    good = replayed(
        tmp_path, "run.xml", "--with", "in.nc", "--map", "t=tas", "--map", "area=cell_area", command="check"
    )
    bad = replayed(tmp_path, "run.xml", "--with", "in.nc", "--map", "area=cell_area", command="check")
    none = replayed(tmp_path, "run.xml", "--with", "nowhere.nc", command="check")

    assert (good.returncode, bad.returncode, none.returncode) == (0, 1, 2), good.stdout + good.stderr
    assert '"t"' in bad.stdout and "nowhere.nc" in none.stderr


def test_a_replay_reads_by_blocks(tmp_path):
    """Not the whole files: memory stays far below their size."""
    netcdf = pytest.importorskip("netCDF4")
    records = 1000
    with netcdf.Dataset(tmp_path / "in.nc", "w") as file:
        for name, size in {"time": None, "y": 64, "x": 1024}.items():
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "seconds since 2000-01-01"
        t = file.createVariable("t", "f8", ("time", "y", "x"))
        for record in range(records):  # 0.5 MB each
            t[record], time[record] = np.full((64, 1024), 1.0 * record), record + 1
    text = configured(
        '<field name="t" type="array" size="x,y" collective="true"/>',
        include("m", 1),
        '<diagnostic field="m" expression="mean(t)"/>',
        frequency=records,
    )
    (tmp_path / "run.xml").write_text(text)
    program = (
        "import sys; from pileus import replay; status = replay.main(sys.argv[1:]); "
        "print(open('/proc/self/status').read()); sys.exit(status)"
    )
    done = run(
        ["env", "-C", tmp_path, sys.executable, "-c", program, "run.xml", "in.nc"], "replay", **changes()
    )

    assert done.returncode == 0, done.stderr
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", done.stdout)[1]) * 1024
    assert peak < 400e6, done.stdout  # 250 MB on the way, most of it libraries; the file has 524 MB
    assert pileus.open(tmp_path).dataset["m"].to_numpy().tolist() == list(range(records))
