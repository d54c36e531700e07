"""The tools that scientists use read what is published, and agree with each other on values and metadata."""

import hashlib
import re
import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
import xarray
from oracle.launch import ORACLE, SERVER, Layout, require_programs, run_model
from oracle.published import read

CONFIGURATION = ORACLE / "samples.xml"
OPTIONS = {"period": "50", "target": "5", "window": "10", "x_size": "5", "y_size": "6"}
ENGINES = ["netcdf4", "h5netcdf"]
EPOCH = np.datetime64("2000-01-01T00:00:00", "ns")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that a run of 3 ranks and 2 servers publishes."""
    require_programs()
    options = ["--size", "4,6,5", "--steps", "40"]
    for key in ("period", "target", "window"):
        options += ["--option", f"{key}={OPTIONS[key]}"]
    return run_model(Layout(3, 2), CONFIGURATION, tmp_path_factory.mktemp("run"), *options)


def tool(name, *arguments):
    """The output of the program; skips if it is not installed."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    command = [name, *(str(argument) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    assert done.stderr.strip() == "", f"{command}: {done.stderr}"
    return done.stdout


def every_file(test):
    """Names the files of one run, which are known before it."""
    names = [f"{base}_{end}.nc" for base in ("averages", "instants") for end in (50, 100, 150)]
    names += ["samples_100000.nc", "sparse_samples_100000.nc", "sparse_averages_100.nc"]
    return pytest.mark.parametrize("name", names)(test)


# ---- ncdump, NCO, CDO ----


@every_file
def test_ncdump_shows_variables_with_their_units(files, name):
    header = tool("ncdump", "-h", files[name])

    is_sparse = name.startswith("sparse")
    time = "mean" if "averages" in name else "point"
    expected = ['theta:units = "K"', f'theta:cell_methods = "time: {time}"', 'theta:long_name = "theta"']
    if not is_sparse:
        expected = [
            "double w(time, x, y, z) ;",
            'w:units = "m s-1"',
            'w:standard_name = "upward_air_velocity"',
            'w:long_name = "vertical velocity"',
            f'w:cell_methods = "time: {time}"',
            f'w_profile:cell_methods = "area: mean time: {time}"',
        ]
    expected += ['time:units = "seconds since 2000-01-01 00:00:00"', 'z:units = "m"']
    expected += [':Conventions = "CF-1.11"']
    expected += ['time:bounds = "time_bnds"'] if "averages" in name else []
    missing = [line for line in expected if line not in header]
    assert not missing, f"{name}: {missing} not in\n{header}"
    assert ("time_bnds" in header) == ("averages" in name), f"{name}: {header}"


def test_ncdump_gives_the_same_numbers(files):
    text = tool("ncdump", "-p", "9,17", "-v", "w_mean", files["averages_50.nc"])
    numbers = re.search(r"\n w_mean = ([^;]*);", text).group(1)

    expected = read(files["averages_50.nc"])["w_mean"].tolist()
    assert [float(number) for number in numbers.split(",")] == expected


def extremes_of_cdo(path):
    """Least and greatest value of each variable, to five digits, over all that `cdo infon` lists of it."""
    seen = {}
    for line in tool("cdo", "-s", "infon", path).splitlines():
        if line.endswith("Parameter name"):
            continue  # the heading, which comes again at every time
        place, numbers, name = line.rsplit(":", 2)
        assert place.split()[-1] == "0", f"missing values: {line}"
        numbers = [float(number) for number in numbers.split()]  # a single value stands alone
        seen[name.strip()] = seen.get(name.strip(), []) + [numbers[0], numbers[-1]]
    return {name: (min(numbers), max(numbers)) for name, numbers in seen.items()}


@every_file
def test_cdo_reads_every_variable(files, name):
    values = read(files[name])
    seen = extremes_of_cdo(files[name])

    assert set(seen) == {v for v in values if v not in ("time", "time_bnds", "x", "y", "z")}, name
    for variable, (least, greatest) in seen.items():
        assert np.isclose(least, values[variable].min(), rtol=1e-4), f"{name}: {variable}"
        assert np.isclose(greatest, values[variable].max(), rtol=1e-4), f"{name}: {variable}"


def test_cdo_gives_the_same_numbers(files):
    text = tool("cdo", "-s", "outputf,%.17g,1", "-selname,w_profile", files["averages_50.nc"])

    expected = read(files["averages_50.nc"])["w_profile"].ravel().tolist()
    assert [float(number) for number in text.split()] == expected


@pytest.mark.parametrize("base", ["averages", "instants"])
def test_ncrcat_joins_consecutive_files(files, base, tmp_path):
    parts = [files[f"{base}_50.nc"], files[f"{base}_100.nc"]]
    tool("ncrcat", *parts, tmp_path / "joined.nc")
    one, other, joined = read(parts[0]), read(parts[1]), read(tmp_path / "joined.nc")

    assert set(joined) == set(one) == set(other)
    assert np.all(np.diff(joined["time"]) > 0)
    for name, values in joined.items():
        expected = one[name] if name in ("x", "y", "z") else np.concatenate([one[name], other[name]])
        assert np.array_equal(values, expected), f"{base}: {name}"


# ---- xarray ----


@pytest.mark.parametrize("engine", ENGINES)
@every_file
def test_xarray_reads_the_same_values(files, name, engine):
    values = read(files[name])
    with xarray.open_dataset(files[name], engine=engine) as data:
        assert set(data.variables) == set(values), name
        for variable, expected in values.items():
            found = data[variable].values
            if variable in ("time", "time_bnds"):
                seconds = (found - EPOCH) / np.timedelta64(1, "s")
                assert np.allclose(seconds, expected, rtol=0, atol=1e-6), f"{name}: {variable}"
            else:
                assert np.array_equal(found.astype(expected.dtype), expected), f"{name}: {variable}"
        assert data["time"].dims == ("time",)
        if "averages" in name:
            known = {**data["time"].attrs, **data["time"].encoding}
            assert known["bounds"] == "time_bnds"
            assert np.array_equal(data["time_bnds"].values[:, 1], data["time"].values), name


@every_file
def test_all_readers_see_the_same_attributes(files, name):
    with netCDF4.Dataset(files[name]) as file:
        of_file = {key: file.getncattr(key) for key in file.ncattrs()}
        of_variables = {
            (variable, key): file[variable].getncattr(key)
            for variable in file.variables
            for key in file[variable].ncattrs()
        }
    for engine in ENGINES:
        with xarray.open_dataset(files[name], engine=engine, decode_cf=False) as data:
            assert dict(data.attrs) == of_file, f"{name}: {engine}"
            seen = {(v, key): value for v in data.variables for key, value in data[v].attrs.items()}
            assert seen == of_variables, f"{name}: {engine}"


@every_file
def test_a_file_says_how_it_came_to_be(files, name):
    with netCDF4.Dataset(files[name]) as file:
        attributes = {key: file.getncattr(key) for key in file.ncattrs()}
    titles = {
        "samples": "Every sample",
        "averages": "Averages",
        "instants": "Instants",
        "sparse_samples": "Every third sample",
        "sparse_averages": "Averages of every third sample",
    }
    said = subprocess.run([SERVER, "--version"], capture_output=True, text=True, timeout=60).stdout
    version = said.split()[1]  # pileus-server 0.1.0 (commit …)

    text = CONFIGURATION.read_text(encoding="utf-8")
    assert attributes == {
        "Conventions": "CF-1.11",
        "title": titles[name.rpartition("_")[0]],
        "history": f"1970-01-01T00:00:00Z written by Pileus {version}",
        "configuration": text,
        "configuration_hash": hashlib.sha256(text.encode()).hexdigest(),
        "options": "; ".join(f"{key}={value}" for key, value in OPTIONS.items()),
        "pileus_version": version,
    }, name


def test_coordinates_are_the_models(files):
    values = read(files["samples_100000.nc"])

    assert values["z"].tolist() == [25, 75, 150, 250]  # 12.5 (z + 1) (z + 2)
    assert "x" not in values and "y" not in values  # the model gave them none
