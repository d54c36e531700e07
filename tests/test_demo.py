"""The demo runs to its pictures, and the usual tools read its files."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray
from oracle.cf_checker import complaints
from oracle.launch import SERVER, require_programs

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(SERVER).resolve().parent.parent
PICTURES = ["cross_section.png", "profiles.png", "series.png"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder of a demo that ends after two files of each short series, and what it printed."""
    require_programs()
    if not (BUILD / "bin" / "cumulus").exists():
        pytest.skip("cumulus was not built")
    folder = tmp_path_factory.mktemp("demo")
    environment = {**os.environ, "PILEUS_BUILD": str(BUILD), "PYTHON": sys.executable, "END_TIME": "610"}
    done = subprocess.run([ROOT / "examples" / "demo" / "run.sh", folder], env=environment,
                          capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder, done.stdout


def run(*command):
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def test_ends_with_the_files_the_models_time_and_pictures(demo):
    folder, said = demo

    assert "time of the model in Pileus" in said and "waiting for memory" in said
    assert "profiles_600.nc" in said and "ql_mean" in said
    for picture in PICTURES:
        assert (folder / picture).read_bytes().startswith(b"\x89PNG"), picture
    assert not list(folder.glob(".*")), "nothing half written is left"


def test_ncdump_cdo_and_xarray_read_every_file(demo):
    folder, _ = demo
    files = sorted(folder.glob("*.nc"))

    assert len(files) >= 8
    for file in files:
        assert "Conventions = \"CF-1.11\"" in run("ncdump", "-h", str(file))
        assert run("cdo", "-s", "infon", str(file)).count("\n") > 1
        for engine in ("netcdf4", "h5netcdf"):
            with xarray.open_dataset(file, engine=engine) as dataset:
                assert dataset.sizes["time"] >= 1


def test_ncrcat_joins_two_files_of_a_series(demo, tmp_path):
    folder, _ = demo
    parts = [folder / "profiles_600.nc", folder / "profiles_1200.nc"]
    joined = tmp_path / "joined.nc"

    run("ncrcat", *map(str, parts), str(joined))

    several = np.concatenate([xarray.open_dataset(part)["theta_mean"].values for part in parts])
    with xarray.open_dataset(joined) as one:
        assert (one["theta_mean"].values == several).all()


def test_the_cf_checker_has_nothing_to_say_of_any_file(demo, tmp_path):
    folder, _ = demo

    for file in sorted(folder.glob("*.nc")):
        assert complaints(file, tmp_path / "report.json") == [], file.name


def test_fields_are_levels_of_maps_with_their_heights(demo):
    folder, _ = demo

    with xarray.open_dataset(folder / "fields_600.nc") as fields:
        assert fields["ql"].dims == ("time", "z", "y", "x")
        assert fields["w"].dims == ("time", "z_face", "y", "x")
        for axis, name in {"X": "x", "Y": "y", "Z": "z"}.items():
            assert fields[name].attrs["axis"] == axis
        assert fields["z"].attrs["positive"] == "up"
        assert fields["ql"].encoding["zlib"]
    levels = run("cdo", "-s", "showlevel", "-selname,ql", str(folder / "fields_600.nc")).split()
    assert len(levels) == fields.sizes["z"]
