"""Files on a curvilinear and on an unstructured grid: the CF checker, xarray and CDO know the cells."""

import shutil
import subprocess
from fractions import Fraction

import netCDF4
import numpy as np
import pytest
import xarray
from oracle.cf_checker import ERRORS, WARNINGS, complaints
from oracle.launch import available_mpis, bin_of, mpi_command, pileus, run

NX, NY, STEPS = 12, 8, 4
KINDS = ["curvilinear", "unstructured"]
PLACES = {"nav_lat", "nav_lon", "lat_corners", "lon_corners", "area", "tmask"}
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" size="{points}" collective="true" units="K" standard_name="air_temperature"
      units_metadata="temperature: on_scale" grid="t"/>
  </data-definition>
  <data-definition name="constants" frequency="1">
    <field name="nav_lat" size="{points}" collective="true" static="true" long_name="latitude"
      units="degrees_north" standard_name="latitude"/>
    <field name="nav_lon" size="{points}" collective="true" static="true" long_name="longitude"/>
    <field name="lat_corners" size="corner,{points}" collective="true" static="true"/>
    <field name="lon_corners" size="corner,{points}" collective="true" static="true"/>
    <field name="area" size="{points}" collective="true" static="true"/>
    <field name="tmask" data_type="integer" size="{points}" collective="true" static="true" units="1"/>
  </data-definition>
  <grid name="t" dimensions="{points}" latitude="nav_lat" longitude="nav_lon"
    latitude_bounds="lat_corners" longitude_bounds="lon_corners" area="area" mask="tmask"/>
  <data-handling>
    <diagnostic field="anomaly" units="K" expression="t - mean[{points}](t, weight=area)"/>
    <diagnostic field="t_mean" units="K" expression="mean[{points}](t, weight=area)"/>
    <diagnostic field="t_zonal" units="K" standard_name="air_temperature"
      units_metadata="temperature: on_scale"
      expression="zonal(t, edges=-90:90:30)"/>
    <diagnostic field="t_bands" units="K" standard_name="air_temperature"
      units_metadata="temperature: on_scale"
      expression="mean[{points}](t, weight=area, by=nav_lat, edges=-90:90:30)"/>
  </data-handling>
  <data-writing>
    <file name="maps.nc" title="On a grid" write_time_frequency="4">
      <include field="t" time_manipulation="averaged" output_frequency="2"/>
      <include field="anomaly" time_manipulation="averaged" output_frequency="2"/>
    </file>
    <file name="means.nc" title="Without a grid" write_time_frequency="4">
      <include field="t_mean" time_manipulation="averaged" output_frequency="2"/>
    </file>
    <file name="zonal.nc" title="By latitude" write_time_frequency="4">
      <include field="t_zonal" time_manipulation="none"/>
      <include field="t_bands" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
"""
Y, X = np.mgrid[0:NY, 0:NX]


def latitude(x, y):
    return -60 + 15 * y + 0.5 * x


def longitude(x, y):
    return 10 + 20 * x + 2 * y


AREA = 1e12 * np.cos(np.radians(latitude(X + 0.5, Y + 0.5)))
T = 280 + X - 0.5 * Y + 0.25 * 1.5  # of the first two steps


def start(directory, kind, ranks=3, servers=2, mpi=None):
    """The files of a run by name."""
    mpi = mpi or available_mpis()[0]
    programs = [bin_of(mpi) / name for name in ("pileus_grid_model", "pileus-server")]
    for program in programs:
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    configuration = directory / "run.xml"
    points = "x,y" if kind == "curvilinear" else "cell"
    configuration.write_text(CONFIGURATION.format(points=points))
    model = (ranks, [programs[0], configuration, kind, STEPS])
    server = [(servers, [programs[1], configuration])] if servers else []
    done = run(["env", "-C", directory, *mpi_command(model, *server, mpi=mpi)], kind)
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: path for path in directory.glob("*.nc")}


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def files(kind, tmp_path_factory):
    return start(tmp_path_factory.mktemp(kind), kind)


def shaped(kind, values):
    return values if kind == "curvilinear" else values.reshape(NX * NY, *values.shape[2:])


def cdo(*arguments):
    if shutil.which("cdo") is None:
        pytest.skip("cdo is not installed")
    done = subprocess.run(["cdo", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done


def test_a_configuration_with_a_grid_is_right(tmp_path):
    (tmp_path / "run.xml").write_text(CONFIGURATION.format(points="x,y"))
    said = pileus("check", tmp_path / "run.xml")
    assert (said.returncode, said.stdout.count("\n")) == (0, 1), said.stdout


def test_files_say_where_their_cells_lie(kind, files):
    with netCDF4.Dataset(files["maps_4.nc"]) as maps:
        for name in ("t", "anomaly"):
            assert maps[name].coordinates == "nav_lat nav_lon"
            assert maps[name].cell_measures == "area: area"
        assert (maps["nav_lat"].units, maps["nav_lon"].units) == ("degrees_north", "degrees_east")
        assert (maps["nav_lat"].bounds, maps["nav_lon"].bounds) == ("lat_corners", "lon_corners")
        corners = np.stack([X, X + 1, X + 1, X], -1), np.stack([Y, Y, Y + 1, Y + 1], -1)
        for name, expected in {
            "nav_lat": latitude(X + 0.5, Y + 0.5),
            "nav_lon": longitude(X + 0.5, Y + 0.5),
            "lat_corners": latitude(*corners),
            "lon_corners": longitude(*corners),
            "area": AREA,
            "tmask": (X + Y) % 5 != 0,
        }.items():
            assert maps[name].dimensions[0] != "time"
            np.testing.assert_allclose(maps[name][:], shaped(kind, expected), rtol=1e-15)


def test_a_file_of_means_has_no_coordinates(files):
    with netCDF4.Dataset(files["means_4.nc"]) as means:
        assert not PLACES & set(means.variables)
        assert "coordinates" not in means["t_mean"].ncattrs()


def test_a_mean_over_the_area_is_that_of_exact_sums(files):
    with netCDF4.Dataset(files["means_4.nc"]) as means:
        mean = means["t_mean"]
        assert mean.cell_methods.startswith("area: mean time")
        areas = [Fraction(float(area)) for area in AREA.ravel()]
        for record, first in enumerate((1, 3)):
            places = zip(X.flat, Y.flat, strict=True)
            values = [280 + Fraction(int(x)) - Fraction(int(y), 2) for x, y in places]
            of_steps = [value + Fraction(2 * first + 1, 8) for value in values]
            exact = sum(a * t for a, t in zip(areas, of_steps, strict=True)) / sum(areas)
            assert float(mean[record]) == float(exact)


def test_a_zonal_mean_is_that_of_the_cells_of_each_band(kind, files):
    with netCDF4.Dataset(files["zonal_4.nc"]) as means:
        zonal = means["t_zonal"]
        assert zonal.dimensions[1:] == ("nav_lat_bin_6",)
        np.testing.assert_array_equal(zonal[:], means["t_bands"][:])
        bands = means["nav_lat_bin_6"]
        assert (bands.standard_name, bands.units) == ("latitude", "degrees_north")
        np.testing.assert_array_equal(bands[:], np.arange(-75, 90, 30))
        np.testing.assert_array_equal(means[bands.bounds][:, 0], np.arange(-90, 90, 30))
        lat = latitude(X + 0.5, Y + 0.5)
        for step, values in enumerate(zonal[:], start=1):
            of_cells = 280 + X - 0.5 * Y + 0.25 * step
            for band, value in zip(np.arange(-90, 90, 30), values, strict=True):
                cells = (lat >= band) & (lat < band + 30)
                if cells.any():
                    assert value == pytest.approx(np.average(of_cells[cells], weights=AREA[cells]), rel=1e-14)
                else:
                    assert np.ma.is_masked(value)


def test_check_says_where_cells_count_alike(tmp_path):
    text = CONFIGURATION.format(points="x,y").replace("(t, weight=area)", "(t)")
    (tmp_path / "run.xml").write_text(text)
    said = pileus("check", tmp_path / "run.xml")
    assert said.returncode == 0
    assert said.stdout.count("counts alike here") == 2, said.stdout
    assert "weight=area makes it that over the area" in said.stdout


def test_the_cf_checker_finds_nothing(files, tmp_path):
    for path in files.values():
        assert complaints(path, tmp_path / "report.json", [ERRORS, WARNINGS]) == []


def test_xarray_knows_the_coordinates(kind, files):
    with xarray.open_dataset(files["maps_4.nc"], decode_coords="all") as maps:
        assert set(maps["t"].coords) >= {"nav_lat", "nav_lon", "area"}
        assert "lat_corners" in (maps["nav_lat"].attrs | maps["nav_lat"].encoding).values()
        weighted = maps["t"].weighted(maps["area"]).mean(maps["nav_lat"].dims)
        assert float(weighted[0]) == pytest.approx(np.average(T, weights=AREA), rel=1e-14)


def test_cdo_knows_the_grid_with_its_corners(kind, files):
    said = cdo("-s", "sinfon", files["maps_4.nc"]).stdout
    assert kind in said and f"points={NX * NY}" in said, said
    described = cdo("-s", "griddes", files["maps_4.nc"]).stdout
    assert "xbounds" in described and "ybounds" in described, described


def test_cdo_weights_means_with_the_area_of_the_cells(files):
    done = cdo("-s", "outputf,%.17g", "-fldmean", "-selname,t", "-seltimestep,1", files["maps_4.nc"])
    assert float(done.stdout.split()[0]) == pytest.approx(np.average(T, weights=AREA), rel=1e-12)


@pytest.mark.parametrize(("ranks", "servers"), [(1, 1), (5, 3), (2, 0)])
def test_files_are_the_same_however_the_cells_are_held(ranks, servers, kind, files, tmp_path):
    others = start(tmp_path / "out", kind, ranks, servers)
    assert sorted(others) == sorted(files)
    for name, path in files.items():
        assert others[name].read_bytes() == path.read_bytes(), name
