"""Grids of files in the words of others: what is the same grid, and what is none."""

import shutil

import netCDF4
import numpy as np
import pytest
import test_regrid_grids as grids
from oracle.launch import pileus
from oracle.target_files import (
    BOUNDS,
    NX,
    NY,
    WRITE,
    attributes,
    curved,
    write,
    write_mesh,
    write_places,
    write_regular,
    write_scrip,
)

pytestmark = pytest.mark.skipif(shutil.which("cdo") is None, reason="no cdo")


def configuration(name, maps):
    text = grids.configuration("curvilinear", name, maps)
    grid = '<grid name="curved" file="curved.nc"/>' if maps else ""
    return text.replace('<grid name="map" cells="r18x12"/>', grid)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A file with the grid of the model."""
    directory = tmp_path_factory.mktemp("model")
    (directory / "first.xml").write_text(configuration("first", {}))
    done = grids.start(directory, "curvilinear", "first", 2, 1)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(directory.glob("first*.nc"))


def with_string_attributes(file):
    write_places(file, ("eta", "xi"))
    for name in ("nav_lat", "nav_lon"):
        for attribute in ("units", "bounds"):
            file[name].setncattr_string(attribute, file[name].getncattr(attribute))


def with_units_of_bounds(file):
    write_places(file, ("eta", "xi"))
    for name, units in (("nav_lat", "degrees_north"), ("nav_lon", "degrees_east")):
        attributes(file[name + "_b"], units=units)


def with_bounds_in_radians(file):
    write_places(file, ("eta", "xi"))
    for i, name in enumerate(("nav_lat", "nav_lon")):
        attributes(file[name + "_b"], units="radian")
        file[name + "_b"][:] = np.radians(BOUNDS[i])


def with_other_coordinates(file):
    write_places(file, ("eta", "xi"), names=("y", "x"))
    for name, units in (("old_y", "degrees_north"), ("old_x", "degrees_east")):
        attributes(file.createVariable(name, "f8", ("eta",)), units=units)
    file.createVariable("t", "f4", ("eta", "xi")).coordinates = "x y"


def scrip_in_two_units(file):
    write_scrip(file)
    for i, name in enumerate(("lat", "lon")):
        file[f"grid_center_{name}"][:] = curved()[i].ravel()
        attributes(file[f"grid_center_{name}"], units="Degrees ")


ALIKE = [
    with_string_attributes,
    with_units_of_bounds,
    with_bounds_in_radians,
    with_other_coordinates,
    scrip_in_two_units,
]


@pytest.mark.parametrize("how", ALIKE, ids=lambda how: how.__name__)
def test_the_same_grid_in_other_words_has_the_same_weights(how, model, tmp_path):
    for name, write_it in (("one", WRITE["curved"]), ("other", how)):
        folder = tmp_path / name
        folder.mkdir()
        write(folder / "curved.nc", write_it)
        shutil.copy(model, folder / "model.nc")
        (folder / "run.xml").write_text(configuration("run", {"m": "regrid(t, to=curved)"}))
        said = pileus("weights", "run.xml", "--grids", "model.nc", cwd=folder)
        assert said.returncode == 0, said.stdout + said.stderr
    files = [next((tmp_path / name / "weights").glob("*.nc")) for name in ("one", "other")]
    with netCDF4.Dataset(files[0]) as one, netCDF4.Dataset(files[1]) as other:
        for name in ("src_address", "dst_address"):
            np.testing.assert_array_equal(one[name][:], other[name][:])
        np.testing.assert_allclose(one["remap_matrix"][:], other["remap_matrix"][:], rtol=1e-9)


def without_bounds(file):
    write_places(file, ("eta", "xi"), has_bounds=False)


def beyond_the_pole(file):
    write_places(file, ("eta", "xi"))
    file["nav_lat"][4, 6] = 90.5


def missing_place(file):
    write_places(file, ("eta", "xi"))
    file["nav_lon"][0, 2] = np.nan


def on_three_dimensions(file):
    for name in ("a", "b", "c"):
        file.createDimension(name, 2)
    for name, units in (("lat", "degrees_north"), ("lon", "degrees_east")):
        attributes(file.createVariable(name, "f8", ("a", "b", "c")), units=units)


def of_other_points(file):
    write_places(file, ("eta", "xi"))
    file.renameVariable("nav_lat", "old")
    attributes(file["old"], units="1")
    file.createDimension("other", 3)
    attributes(file.createVariable("nav_lat", "f8", ("other", "xi")), units="degrees_north")


def with_two_latitudes(file):
    write_places(file, ("eta", "xi"))
    attributes(file.createVariable("gphi", "f8", ("eta", "xi")), units="degrees_north")


def no_grid(file):
    file.createDimension("x", 3)
    file.createVariable("x", "f8", ("x",))[:] = [1, 2, 3]


def unordered(file):
    write_regular(file)
    file["lon"][0] = 500


def of_bad_bounds(file):
    write_places(file, ("eta", "xi"))
    file.createDimension("two", 2)
    file.renameVariable("nav_lat_b", "old")
    file.createVariable("nav_lat_b", "f8", ("eta", "xi", "two"))


def scrip_of_other_dims(file):
    write_scrip(file)
    file["grid_dims"][:] = [NX, NY + 1]


def mesh_without_faces(file):
    write_mesh(file)
    file["mesh"].delncattr("face_node_connectivity")


def mesh_with_a_wrong_node(file):
    write_mesh(file)
    file["nodes_of_faces"][1, 2] = 8


def in_metres(file):
    write_places(file, ("eta", "xi"))
    attributes(file["nav_lon"], units="m", standard_name="longitude")


def scrip_of_negative_dims(file):
    write_scrip(file)
    file["grid_dims"][:] = [-NX, -NY]


def scrip_of_scalar_dims(file):
    write_scrip(file)
    file.renameVariable("grid_dims", "old")
    file.createVariable("grid_dims", "i4", ())[...] = NX * NY


def mesh_of_scalar_places(file):
    write_mesh(file)
    for name, units in (("sy", "degrees_north"), ("sx", "degrees_east")):
        attributes(file.createVariable(name, "f8", ()), units=units)
    attributes(file["mesh"], node_coordinates="sx sy")


def twice_at_a_meridian(file):
    write_regular(file)
    file.createDimension("around", 13)
    file.renameVariable("lon", "old")
    attributes(file["old"], units="1", standard_name="")
    attributes(file.createVariable("lon", "f8", ("around",)), units="degrees_east")
    file["lon"][:] = np.arange(0, 361, 30.0)


def to_the_west(file):
    write_places(file, ("eta", "xi"))
    attributes(file["nav_lon"], units="degrees_west", standard_name="longitude")


WRONG = {
    scrip_of_negative_dims: "its grid_dims are not one or two numbers whose product is its grid_size",
    scrip_of_scalar_dims: "its grid_dims are not one or two numbers whose product is its grid_size",
    mesh_of_scalar_places: "its sy and sx are not over one dimension, the nodes",
    twice_at_a_meridian: "the cells of its lon go more than once around the globe",
    to_the_west: 'its nav_lon is in "degrees_west", and not in degrees',
    without_bounds: "it has no bounds of its cells, which conservative weights need",
    beyond_the_pole: "its latitude of cell 34, counted from 0, lies beyond a pole: 90.500000 degrees",
    missing_place: "its longitude of cell 2, counted from 0, is no angle",
    on_three_dimensions: "its lat and lon are not over one dimension each, nor over the same one or two",
    of_other_points: "its nav_lat and nav_lon are not over one dimension each",
    with_two_latitudes: "it has several of latitude: nav_lat, gphi; leave one, or let the coordinates",
    no_grid: "it has no latitude, by standard_name or units: it is no grid",
    unordered: "its lon neither grows nor falls all the way",
    of_bad_bounds: "its nav_lat_b does not have the corners of the cells, three or more, behind their",
    scrip_of_other_dims: "its grid_dims are not one or two numbers whose product is its grid_size",
    mesh_without_faces: "its mesh mesh has no face_node_connectivity, and so no cells",
    mesh_with_a_wrong_node: "its nodes_of_faces has no node for corner 2 of face 1, both counted from 0",
    in_metres: 'its nav_lon is in "m", and not in degrees (to the north or to the east) or radians',
}


@pytest.mark.parametrize("how", WRONG, ids=lambda how: how.__name__)
def test_check_says_where_and_what_is_wrong_with_a_file(how, tmp_path):
    maps = {"on_curved": "regrid(t, to=curved)"}
    (tmp_path / "run.xml").write_text(configuration("run", maps))
    write(tmp_path / "curved.nc", how)

    done = pileus("check", "run.xml", cwd=tmp_path)

    assert done.returncode == 1, done.stdout
    (line,) = [line for line in done.stdout.splitlines() if ": error: " in line]
    text = (tmp_path / "run.xml").read_text().splitlines()
    row, column = (int(number) for number in line.split(":")[1:3])
    assert text[row - 1][column - 1 :].startswith("curved.nc") or 'file="curved.nc"' in text[row - 1]
    assert f'grid "curved": curved.nc: {WRONG[how]}' in line
