"""Coordinates of CMIP's files, what stands for no value in them, and files that never change."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, pileus, run

MODEL = BIN / "pileus_cmip_model"
TABLES = Path(__file__).parent / "cmip"
NX, NY, NP, STEPS = 12, 6, 3, 60
PRESSURES = [85000, 50000, 25000]
CONFIGURATION = """<io-configuration>
  <dimension name="x" axis="X" standard_name="longitude"/>
  <dimension name="y" axis="Y" standard_name="latitude"/>
  <dimension name="p" axis="Z" standard_name="air_pressure"/>
  <data-definition name="state" frequency="1">
    <field name="tas" size="x,y" collective="true" units="K" units_metadata="temperature: on_scale"/>
    <field name="sst" size="x,y" collective="true" units="K" missing_value="-999"
      units_metadata="temperature: on_scale"/>
    <field name="ta" size="x,y,p" collective="true" units="K" units_metadata="temperature: on_scale"/>
    <field name="zg" size="x,y" collective="true" optional="true" units="m"/>
    <field name="orog" size="x,y" collective="true" static="true" units="km"/>
  </data-definition>
  <data-writing>
    <cmip-dataset tables="CMIP6" experiment_id="amip" source_id="PILEUS-1-0" institution_id="OWN-LAB"
      variant_label="r1i1p1f1" grid_label="gn" nominal_resolution="100 km" source_type="AGCM"
      version="v20270131" write_time_frequency="2 months">
      {variables}
    </cmip-dataset>
  </data-writing>
</io-configuration>
"""
VARIABLES = """<cmip table="Amon" variable="tas" field="tas"/>
      <cmip table="Amon" variable="ta" field="ta"/>
      <cmip table="Amon" variable="thetao300" field="sst"/>
      <cmip table="fx" variable="orog" field="orog"/>"""
Y, X = np.mgrid[0:NY, 0:NX]
MONTHS = np.array([np.arange(1, 31).mean(), np.arange(31, 61).mean()])[:, None, None]


def write(directory, variables=VARIABLES):
    directory.mkdir(exist_ok=True)
    for table in TABLES.glob("*.json"):
        shutil.copy(table, directory)
    (directory / "run.xml").write_text(CONFIGURATION.replace("{variables}", variables), encoding="utf-8")
    return directory / "run.xml"


def start(directory, ranks=3, servers=2):
    """The files of a run by the name of their variable."""
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    configuration = write(directory)
    server = [(servers, [SERVER, configuration])] if servers else []
    command = mpi_command((ranks, [MODEL, configuration, STEPS]), *server)
    done = run(["env", "-C", directory, *command], "cmip")
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name.split("_")[0]: path for path in directory.rglob("*.nc")}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return start(tmp_path_factory.mktemp("cmip"))


def test_names_bounds_and_attributes_are_those_of_the_table(files):
    with netCDF4.Dataset(files["ta"]) as dataset:
        assert dataset["ta"].dimensions == ("time", "plev", "lat", "lon")
        assert not hasattr(dataset["ta"], "coordinates")
        assert np.array_equal(dataset["lon"][:], 30 * np.arange(NX))
        assert np.array_equal(dataset["lat"][:], -75 + 30 * np.arange(NY))
        assert np.array_equal(dataset["plev"][:], PRESSURES)
        plev = {name: dataset["plev"].getncattr(name) for name in dataset["plev"].ncattrs()}
        assert plev == {
            "standard_name": "air_pressure",
            "long_name": "pressure",
            "units": "Pa",
            "axis": "Z",
            "positive": "down",
        }
        assert (dataset["lat"].bounds, dataset["lon"].bounds) == ("lat_bnds", "lon_bnds")
        ends = -90 + 30 * np.arange(NY + 1)
        assert np.array_equal(dataset["lat_bnds"][:], np.stack([ends[:-1], ends[1:]], -1))
        assert np.array_equal(dataset["lon_bnds"][0], [-15, 15])
        assert dataset["lon"].long_name == "Longitude" and dataset["lat"].units == "degrees_north"


def test_scalars_are_coordinates_with_a_value(files):
    with netCDF4.Dataset(files["tas"]) as dataset:
        height = dataset["height"]
        assert dataset["tas"].coordinates == "height" and height.shape == () and height[:] == 2
        assert {name: height.getncattr(name) for name in height.ncattrs()} == {
            "standard_name": "height",
            "long_name": "height",
            "units": "m",
            "axis": "Z",
            "positive": "up",
        }
    with netCDF4.Dataset(files["thetaoga"]) as dataset:
        assert dataset["thetaoga"].coordinates == "depth type"
        assert dataset["depth"][:] == 150 and dataset["depth"].bounds == "depth_bnds"
        assert np.array_equal(dataset["depth_bnds"][:], [0, 300])
        assert netCDF4.chartostring(dataset["type"][:]) == "land"


def test_no_value_is_1e20(files):
    for name in ("tas", "ta", "thetaoga", "orog"):
        with netCDF4.Dataset(files[name]) as dataset:
            variable = dataset[name]
            assert variable.dtype == np.float32
            for attribute in ("_FillValue", "missing_value"):
                value = variable.getncattr(attribute)
                assert value == np.float32(1e20) and value.dtype == np.float32
    with netCDF4.Dataset(files["thetaoga"]) as dataset:
        dataset.set_auto_mask(False)
        raw = dataset["thetaoga"][:]
    assert np.all(raw[:, :, :3] == np.float32(1e20))
    expected = (285 + 0.5 * X + 0.125 * MONTHS)[:, :, 3:]
    assert np.allclose(raw[:, :, 3:], expected, rtol=1e-7, atol=0)


def test_values_are_those_of_the_model(files):
    with netCDF4.Dataset(files["tas"]) as dataset:
        assert np.allclose(dataset["tas"][:], 280 + X - 0.5 * Y + 0.25 * MONTHS, rtol=1e-7, atol=0)
    level = 10 * np.arange(NP)[:, None, None]
    with netCDF4.Dataset(files["ta"]) as dataset:
        expected = 250 + X + Y - level + 0.5 * MONTHS[:, None]
        assert np.allclose(dataset["ta"][:], expected, rtol=1e-7, atol=0)


def test_what_never_changes_has_no_time(files):
    path = files["orog"]
    assert path.name == "orog_fx_PILEUS-1-0_amip_r1i1p1f1_gn.nc" and path.parents[3].name == "fx"
    with netCDF4.Dataset(path) as dataset:
        assert set(dataset.variables) == {"orog", "lat", "lat_bnds", "lon", "lon_bnds"}
        assert set(dataset.dimensions) == {"lat", "lon", "bnds"}
        assert dataset["orog"].units == "m" and dataset["orog"].cell_methods == "area: mean"
        assert np.allclose(dataset["orog"][:], 1000 * (100 * X + Y), rtol=1e-7, atol=0)
        assert dataset.frequency == "fx" and dataset.table_id == "fx"


@pytest.mark.parametrize("name", ["tas", "ta", "thetaoga", "orog"])
def test_the_checker_of_cf_finds_no_error(name, files, tmp_path):
    checker = Path(sys.executable).parent / "compliance-checker"
    if not checker.exists():
        pytest.skip("compliance-checker is not installed")
    report = tmp_path / "report.json"
    command = [checker, "--test=cf:1.7", "--criteria=normal", "--format=json", f"--output={report}"]
    subprocess.run([*command, files[name]], capture_output=True, timeout=300, check=False)
    found = json.loads(report.read_text(encoding="utf-8"))["cf:1.7"]
    kinds = found["high_priorities"] + found["medium_priorities"]
    messages = [one for kind in kinds for one in kind["msgs"]]
    # It knows no bounds of scalars, which CF has in section 7.1, and wants Conventions to be "CF-1.7".
    known = ("Conventions", "Boundary variable depth_bnds")
    assert [one for one in messages if not one.startswith(known) and known[0] not in one] == []


@pytest.mark.parametrize("ranks, servers", [(1, 0), (2, 1), (4, 3)])
def test_every_layout_makes_the_same_bytes(ranks, servers, files, tmp_path):
    found = start(tmp_path / "other", ranks, servers)

    assert found.keys() == files.keys()
    assert [name for name in files if found[name].read_bytes() != files[name].read_bytes()] == []


@pytest.mark.parametrize(
    "variable, why",
    [
        ('<cmip table="Amon" variable="msft" field="tas"/>', "dimensions of texts are not made"),
        ('<cmip table="Amon" variable="tas" field="ta"/>', '"p", of which the table says nothing'),
        ('<cmip table="Amon" variable="ta" field="tas"/>', '"ta" has no dimension "plev3" (air_pressure)'),
        ('<cmip table="Amon" variable="tal" field="ta"/>', '"ta" has no dimension "alevel"'),
        ('<cmip table="fx" variable="orog" field="zg"/>', 'has to be static="true"'),
    ],
)
def test_other_dimensions_than_the_table_has_are_errors(variable, why, tmp_path):
    done = pileus("check", write(tmp_path, variable))

    assert done.returncode == 1 and why in done.stdout, done.stdout


@pytest.mark.parametrize(
    "name, why",
    [
        ("tas", '"tas" is another\'s name there'),
        ("lat", '"lat" is another\'s name there'),
        ("time", '"time" is another\'s name there'),
        ("l/n", 'a name is made of letters, digits, "_", "-" and ".", not of "/"'),
        ("-lon", 'names in files begin with a letter, a digit or "_"'),
    ],
)
def test_names_of_coordinates_that_a_file_cannot_have_are_errors(name, why, tmp_path):
    configuration = write(tmp_path, '<cmip table="Amon" variable="tas" field="tas"/>')
    table = tmp_path / "CMIP6_coordinate.json"
    entries = json.loads(table.read_text(encoding="utf-8"))
    entries["axis_entry"]["longitude"]["out_name"] = name
    table.write_text(json.dumps(entries), encoding="utf-8")

    done = pileus("check", configuration)

    assert done.returncode == 1
    assert 'error: "tas": its file cannot have the coordinate' in done.stdout + done.stderr
    assert why in done.stdout + done.stderr
