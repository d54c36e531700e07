"""Published files pass the CF checker, and other tools find in them what the configuration asks for."""

import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
import xarray
from oracle.cf_checker import ERRORS, WARNINGS, complaints
from oracle.launch import ROOT, Layout, require_programs, run_model

CONFIGURATION = ROOT / "tests" / "configurations" / "everything.xml"
PACKED = ROOT / "tests" / "oracle" / "packed.xml"
SIZE = ("--size", "5,9,11", "--steps", "30")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a run of 3 uneven ranks and 2 servers."""
    require_programs()
    folder = tmp_path_factory.mktemp("run")
    run_model(Layout(3, 2, is_uneven=True), CONFIGURATION, folder, *SIZE)
    return folder


def test_the_cf_checker_finds_no_error(folder, tmp_path):
    files = sorted(folder.glob("*.nc"))

    # Warned of, and meant: the attribute with which netCDF says that numbers are rounded, and the order of
    # files that have no coordinates of x and y, as the model gives none.
    meant = ("should begin with a letter", "not in the recommended order")
    assert len(files) >= 5
    for file in files:
        assert complaints(file, tmp_path / "report.json", [ERRORS]) == [], file.name
        for section, warnings in complaints(file, tmp_path / "report.json", [WARNINGS]):
            is_meant = all(any(part in text for part in meant) for text in warnings)
            assert is_meant, (file.name, section, warnings)


def test_the_cf_checker_has_nothing_against_what_is_noted_as_missing(folder, tmp_path):
    noted = tmp_path / "noted.nc"
    shutil.copy(folder / "levels_0001.nc", noted)
    before = complaints(noted, tmp_path / "report.json", [ERRORS, WARNINGS])
    with netCDF4.Dataset(noted, "a") as file:  # as servers note them
        file["w"].holes = "126 of 231 elements, within x 5:11, y 0:7, z 0:3"
        file.missing_parts = "w [0:4, 0:8] of model rank 2 in 3 records"

    assert complaints(noted, tmp_path / "report.json", [ERRORS, WARNINGS]) == before


def test_the_cf_checker_would_complain(folder, tmp_path):
    broken = tmp_path / "broken.nc"
    shutil.copy(folder / "levels_0001.nc", broken)
    with netCDF4.Dataset(broken, "a") as file:
        file["w"].cell_methods = "nowhere: mean"
        file["w"].units = "no unit"

    assert complaints(broken, tmp_path / "report.json", [ERRORS]) != []


def test_levels_are_maps_in_the_order_that_is_asked_for(folder):
    with xarray.open_dataset(folder / "levels_0001.nc") as levels, \
            xarray.open_dataset(folder / "memory_50.nc") as memory:
        assert levels["w"].dims == ("time", "z", "y", "x")
        assert levels["path"].dims == ("time", "y", "x")
        assert memory["w"].dims[1:] == ("x", "y", "z")
        turned = memory["w"].values.transpose(0, 3, 2, 1)
        assert np.array_equal(levels["w"].values, turned)


def test_cdo_sees_levels_as_levels(folder):
    if shutil.which("cdo") is None:
        pytest.skip("cdo is not installed")
    done = subprocess.run(["cdo", "-s", "sinfon", folder / "levels_0001.nc"], capture_output=True, text=True,
                          timeout=60)

    assert done.returncode == 0, done.stderr
    assert "height" in done.stdout and "levels=5" in done.stdout, done.stdout
    shown = subprocess.run(["cdo", "-s", "showlevel", "-selname,w", folder / "levels_0001.nc"],
                           capture_output=True, text=True, timeout=60)
    assert len(shown.stdout.split()) == 5, shown.stdout


def test_times_are_dates_of_the_calendar_that_is_asked_for(folder):
    with netCDF4.Dataset(folder / "levels_0001.nc") as file:
        time = file["time"]
        assert (time.units, time.calendar) == ("seconds since 1850-02-28 12:00:00", "noleap")
        dates = netCDF4.num2date([43200.0], time.units, time.calendar)
        assert str(dates[0]) == "1850-03-01 00:00:00"  # no 29 February
    assert (folder / "packed_18500228T120140.nc").exists()  # 100 s after noon


def test_coordinates_have_cells_half_way_between_them(folder):
    with netCDF4.Dataset(folder / "levels_0001.nc") as file:
        z, bounds = file["z"], file[file["z"].bounds][:]
        assert (z.axis, z.positive, z.standard_name) == ("Z", "up", "height")
        assert np.array_equal(bounds[1:, 0], (z[1:] + z[:-1]) / 2)
        assert np.array_equal(bounds[:-1, 1], bounds[1:, 0])


def test_compressed_files_hold_the_same_numbers_rounded_as_they_say(folder):
    with netCDF4.Dataset(folder / "packed_18500228T120140.nc") as packed, \
            netCDF4.Dataset(folder / "levels_0001.nc") as plain:
        w = packed["w_instantaneous"]
        assert w.filters()["zlib"] and w.filters()["complevel"] == 4 and w.filters()["shuffle"]
        assert not packed["w_averaged"].filters()["shuffle"] and packed["w_averaged"].dtype == np.float32
        records = plain["w"].shape[0]
        assert np.array_equal(w[:records], plain["w"][:])
        theta = packed["theta"]
        assert theta.getncattr("_QuantizeBitRoundNumberOfSignificantBits") == 10
        bits = np.asarray(theta[:]).view(np.uint32)
        assert not np.any(bits & 0x1FFF)  # 23 - 10 bits of the fraction are zero
        assert len(np.unique(bits)) > 10


@pytest.mark.parametrize("layout", [Layout(is_alone=True), Layout(2, 3, 4), Layout(5, 2, 1, True)], ids=str)
def test_every_layout_gives_the_same_bytes(layout, folder, tmp_path):
    files = run_model(layout, CONFIGURATION, tmp_path, *SIZE)

    assert sorted(files) == sorted(path.name for path in folder.glob("*.nc"))
    different = [name for name, path in files.items() if path.read_bytes() != (folder / name).read_bytes()]
    assert different == []


def test_a_second_run_replaces_files_that_may_be_overwritten(tmp_path):
    require_programs()
    files = run_model(Layout(is_alone=True), CONFIGURATION, tmp_path, *SIZE)
    expected = {name: path.read_bytes() for name, path in files.items()}
    (tmp_path / "levels_0001.nc").write_text("old")

    run_model(Layout(2, 1), CONFIGURATION, tmp_path, *SIZE)

    assert {path.name: path.read_bytes() for path in tmp_path.glob("*.nc")} == expected


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """The files of a run of 5 uneven ranks and 3 servers whose compressed records have several chunks."""
    require_programs()
    options = ("--size", "16,256,520", "--steps", "2")
    return run_model(Layout(5, 3, is_uneven=True), PACKED, tmp_path_factory.mktemp("packed"), *options)


def test_chunks_that_servers_compress_hold_the_numbers_of_the_file_that_is_not_compressed(packed):
    with netCDF4.Dataset(packed["plain_100.nc"]) as plain, \
            netCDF4.Dataset(packed["turned_100.nc"]) as turned, \
            netCDF4.Dataset(packed["memory_100.nc"]) as memory:
        # Levels of 1.02 MiB, 3 of them in 4 MiB, and the last chunk reaches past the 16th.
        assert turned["w"].chunking() == [1, 3, 256, 520]
        # Floats, 16 KiB for each x: 256 of them fit, which makes 3 chunks of 174.
        assert memory["w"].chunking() == [1, 174, 256, 16]
        assert turned["w"].filters()["zlib"] and memory["w"].filters()["zlib"]
        w = plain["w"][:].data
        assert w.shape == (2, 520, 256, 16)
        assert np.array_equal(turned["w"][:].data.transpose(0, 3, 2, 1), w)
        assert np.array_equal(memory["w"][:].data, w.astype(np.float32))


def test_chunks_are_the_same_whoever_compresses_them(packed, tmp_path):
    options = ("--size", "16,256,520", "--steps", "2")
    alone = run_model(Layout(is_alone=True), PACKED, tmp_path, *options)

    assert sorted(alone) == sorted(packed)
    assert [name for name in alone if alone[name].read_bytes() != packed[name].read_bytes()] == []


def test_other_tools_read_a_turned_and_compressed_file(packed, tmp_path):
    file = packed["turned_100.nc"]
    with xarray.open_dataset(file) as data:
        assert data["w"].dims == ("time", "z", "y", "x")
        mean = float(data["w"].astype("float64").mean())
    for tool, command in {
        "ncdump": ["ncdump", "-h", "-s", file],
        "ncks": ["ncks", "-O", "-d", "time,0", file, tmp_path / "first.nc"],
        "cdo": ["cdo", "-s", "outputf,%.17g", "-timmean", "-vertmean", "-fldmean", "-selname,w", file],
    }.items():
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (tool, done.stderr)
        if tool == "ncdump":
            assert "w:_DeflateLevel = 1 ;" in done.stdout and "double w(time, z, y, x)" in done.stdout
        elif tool == "cdo":
            assert float(done.stdout.split()[-1]) == pytest.approx(mean, rel=1e-9, abs=1e-9)
    with xarray.open_dataset(file) as data, xarray.open_dataset(tmp_path / "first.nc") as first:
        assert np.array_equal(first["w"].values, data["w"].values[:1])
