"""Grids of files that values are regridded to, and the places of their cells in what a run writes."""

import json
import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
import test_regrid_grids as grids
import xarray
from oracle.cf_checker import ERRORS, complaints
from oracle.launch import pileus, run_described

pytestmark = pytest.mark.skipif(shutil.which("cdo") is None, reason="no cdo")
FILES = ("regular", "curved", "points", "scrip", "mesh")
GRIDS = "\n".join(f'<grid name="{name}" file="{name}.nc"/>' for name in FILES)
MAPS = {
    "on_regular": "regrid(t, to=regular)",
    "on_curved": "regrid(t, to=curved)",
    "on_points": "regrid(t, to=points, method=nearest)",
    "on_scrip": "regrid(t, to=scrip)",
    "on_mesh": "regrid(t, to=mesh)",
    "on_ring": "regrid(t, to=hp4, method=nearest)",
    "on_nest": "regrid(t, to=hp2_nest, method=nearest)",
    "doubled": "2 * on_curved",
    "band": "mean[lat](on_regular)",
}
NX, NY = 7, 5


def attributes(variable, **values):
    variable.setncatts(values)


def curved(b=0.0, a=0.0):
    """Latitude and longitude of a grid that leans, at an offset in cells."""
    y, x = np.mgrid[0:NY, 0:NX].astype(float)
    return -60 + 25 * (y + a) + 0.3 * (x + b), 20 + 40 * (x + b) + 3 * (y + a)


CORNERS = [curved(b, a) for a, b in [(-0.5, -0.5), (-0.5, 0.5), (0.5, 0.5), (0.5, -0.5)]]
BOUNDS = [np.stack([corner[i] for corner in CORNERS], -1) for i in (0, 1)]


def write_places(file, dimensions, has_bounds=True, names=("nav_lat", "nav_lon")):
    shape = (NY, NX) if len(dimensions) == 2 else (NY * NX,)
    for name, size in zip(dimensions, shape, strict=True):
        file.createDimension(name, size)
    file.createDimension("nv", 4)
    for i, (name, units) in enumerate(zip(names, ("degrees_north", "degrees_east"), strict=True)):
        variable = file.createVariable(name, "f8", dimensions)
        variable[:] = curved()[i].reshape(shape)
        attributes(variable, units=units)
        if has_bounds:
            attributes(variable, bounds=name + "_b")
            file.createVariable(name + "_b", "f8", (*dimensions, "nv"))[:] = BOUNDS[i].reshape(*shape, 4)


def write_regular(file):
    for name, values, units in (
        ("lat", np.arange(80, -81, -20.0), "degrees_north"),
        ("lon", np.arange(15, 360, 30.0), "degrees_east"),
    ):
        file.createDimension(name, len(values))
        variable = file.createVariable(name, "f8", (name,))
        variable[:] = values
        attributes(variable, units=units, standard_name={"lat": "latitude", "lon": "longitude"}[name])


def write_scrip(file):
    file.createDimension("grid_size", NY * NX)
    file.createDimension("grid_corners", 4)
    file.createDimension("grid_rank", 2)
    file.createVariable("grid_dims", "i4", ("grid_rank",))[:] = [NX, NY]
    for i, name in enumerate(("lat", "lon")):
        centre = file.createVariable(f"grid_center_{name}", "f8", ("grid_size",))
        corner = file.createVariable(f"grid_corner_{name}", "f8", ("grid_size", "grid_corners"))
        centre[:], corner[:] = np.radians(curved()[i].ravel()), np.radians(BOUNDS[i].reshape(-1, 4))
        for variable in (centre, corner):
            attributes(variable, units="radians")


NODES = ([-80.0, -80, 0, 0, 80, 80, 5], [300.0, 350, 300, 350, 300, 350, 50])  # latitudes, longitudes
FACES = [[0, 1, 3, 2], [2, 3, 5, 4], [1, 6, 3, None]]  # two quadrilaterals and a triangle


def write_mesh(file, has_centres=False):
    file.createDimension("node", 7)
    file.createDimension("face", 3)
    file.createDimension("four", 4)
    mesh = file.createVariable("mesh", "i4", ())
    attributes(mesh, cf_role="mesh_topology", topology_dimension=np.int32(2), node_coordinates="nx ny")
    attributes(mesh, face_node_connectivity="nodes_of_faces")
    faces = file.createVariable("nodes_of_faces", "i4", ("face", "four"), fill_value=-1)
    faces[:] = [[-1 if node is None else node + 1 for node in face] for face in FACES]
    attributes(faces, start_index=np.int32(1))
    for i, (name, units) in enumerate((("ny", "degrees_north"), ("nx", "degrees_east"))):
        variable = file.createVariable(name, "f8", ("node",))
        variable[:] = NODES[i]
        attributes(variable, units=units)


WRITE = {
    "regular": write_regular,
    "curved": lambda file: write_places(file, ("eta", "xi")),
    "points": lambda file: write_places(file, ("ncells",), has_bounds=False),
    "scrip": write_scrip,
    "mesh": write_mesh,
}


def write(path, how):
    with netCDF4.Dataset(path, "w") as file:
        how(file)
    return path


def configuration(name, maps):
    text = grids.configuration("curvilinear", name, maps)
    text = text.replace("<file ", '<file deflate="1" ') if maps else text
    return text.replace('<grid name="map" cells="r18x12"/>', GRIDS if maps else "")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("targets")
    for name, how in WRITE.items():
        write(directory / f"{name}.nc", how)
    (directory / "first.xml").write_text(configuration("first", {}))
    (directory / "run.xml").write_text(configuration("run", MAPS))
    done = grids.start(directory, "curvilinear", "first", 2, 1)
    assert done.returncode == 0, done.stdout + done.stderr
    (model,) = directory.glob("first*.nc")
    model.rename(directory / "model.nc")
    said = pileus("weights", "run.xml", "--grids", "model.nc", cwd=directory)
    assert said.returncode == 0, said.stdout + said.stderr
    return "curvilinear", directory


@pytest.fixture(scope="module")
def written(made, tmp_path_factory):
    return grids.maps(made, tmp_path_factory.mktemp("written") / "run", 1, 1)


def test_check_finds_nothing_wrong(made):
    done = pileus("check", "run.xml", cwd=made[1])

    assert done.returncode == 0, done.stdout


def test_maps_are_those_of_the_weights(made, written):
    _, directory = made
    with netCDF4.Dataset(written) as file:
        file.set_auto_mask(False)
        t = file["t"][:].reshape(grids.STEPS, -1)
        for name in FILES:
            method = "nearest" if name == "points" else "conservative"
            expected = grids.applied(directory / f"weights/ocean-to-{name}-{method}.nc", t)
            assert (expected != grids.FILL).any(), name
            assert np.array_equal(file["on_" + name][:].reshape(grids.STEPS, -1), expected), name


def test_files_have_the_places_of_the_cells(written):
    latitude, longitude = curved()
    with netCDF4.Dataset(written) as file:
        file.set_auto_mask(False)
        assert file["on_curved"].dimensions == ("time", "eta", "xi")
        names = file["on_curved"].coordinates.split()
        assert names == ["curved_nav_lat", "curved_nav_lon"]  # the model has a nav_lat, too
        assert file["doubled"].coordinates.split() == names
        assert np.array_equal(file[names[0]][:], latitude)
        assert np.array_equal(file[names[1]][:], longitude)
        assert np.array_equal(file[file[names[0]].bounds][:], BOUNDS[0])
        assert np.array_equal(file[file[names[1]].bounds][:], BOUNDS[1])
        names = file["on_points"].coordinates.split()
        assert file["on_points"].dimensions == ("time", "ncells")
        assert np.array_equal(file[names[1]][:], longitude.ravel())
        assert not hasattr(file[names[0]], "bounds")
        names = file["on_scrip"].coordinates.split()
        assert file["on_scrip"].dimensions == ("time", "grid_y", "grid_x")
        assert np.allclose(file[names[0]][:], latitude, rtol=0, atol=1e-13)
        assert np.allclose(file[file[names[1]].bounds][:], BOUNDS[1], rtol=0, atol=1e-13)


def test_places_are_compressed_as_the_file_says_where_they_have_a_kilobyte(written):
    with netCDF4.Dataset(written) as file:
        names = [name for one in ("on_curved", "on_ring") for name in file[one].coordinates.split()]
        variables = [file[name] for name in names] + [file[file[name].bounds] for name in names]
        levels = {variable.name: variable.filters()["complevel"] for variable in variables}
        assert levels == {variable.name: int(variable.size * 8 >= 1024) for variable in variables}
        assert set(levels.values()) == {0, 1}


def test_regular_grid_has_dimensions_with_bounds(written):
    with netCDF4.Dataset(written) as file:
        assert file["on_regular"].dimensions == ("time", "lat", "lon")
        assert not hasattr(file["on_regular"], "coordinates")
        assert np.array_equal(file["lat"][:], np.arange(80, -81, -20.0))
        assert np.array_equal(file["lat_bnds"][:][[0, -1]], [[90, 70], [-70, -90]])
        assert file["band"].dimensions == ("time", "lon")


def test_faces_of_a_mesh_have_their_nodes_and_lie_in_their_middle(written):
    with netCDF4.Dataset(written) as file:
        latitude, longitude = (file[name] for name in file["on_mesh"].coordinates.split())
        nodes = [face[:3] + [face[2] if face[3] is None else face[3]] for face in FACES]
        corners = [np.array(NODES[i])[nodes] for i in (0, 1)]
        assert np.array_equal(file[latitude.bounds][:], corners[0])
        assert np.array_equal(np.mod(file[longitude.bounds][:], 360), corners[1])
        assert (np.ptp(file[longitude.bounds][:], axis=1) < 180).all()
        # The first face lies alike on both sides of the meridian of 325 degrees, the triangle does not.
        assert np.isclose(np.mod(longitude[0], 360), 325)
        directions = np.array(
            [
                [np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)]
                for b, a in zip(*np.radians(NODES), strict=True)
            ]
        )
        middle = directions[[1, 6, 3]].sum(axis=0)
        assert np.isclose(latitude[2], np.degrees(np.arctan2(middle[2], np.hypot(*middle[:2]))), atol=1e-12)
        assert np.isclose(longitude[2], np.degrees(np.arctan2(middle[1], middle[0])), atol=1e-12)


@pytest.mark.parametrize("name, variable", [("hp4", "on_ring"), ("hp2_nest", "on_nest")])
def test_cells_of_healpix_lie_where_cdo_has_them(name, variable, made, written):
    with netCDF4.Dataset(made[1] / f"weights/ocean-to-{name}-nearest.nc") as weights:
        units = weights["dst_grid_center_lat"].units
        scale = 1 if units.startswith("deg") else 180 / np.pi
        expected = [weights[f"dst_grid_center_{one}"][:] * scale for one in ("lat", "lon")]

    with netCDF4.Dataset(written) as file:
        latitude, longitude = (file[name] for name in file[variable].coordinates.split())
        assert np.allclose(latitude[:], expected[0], rtol=0, atol=1e-12)
        assert np.allclose(longitude[:], expected[1], rtol=0, atol=1e-12)
        bounds = file[latitude.bounds][:], file[longitude.bounds][:]
        assert (bounds[0].max(axis=1) > latitude[:]).all() and (bounds[0].min(axis=1) < latitude[:]).all()
        assert (bounds[1].max(axis=1) > longitude[:]).all() and (bounds[1].min(axis=1) < longitude[:]).all()


def test_corners_of_healpix_are_those_of_the_cells_around(written):
    """Each corner of ring order, but those of the poles, is one of four cells, or of three."""
    with netCDF4.Dataset(written) as file:
        names = file["on_ring"].coordinates.split()
        latitude, longitude = (file[file[name].bounds][:].ravel() for name in names)
    places = {}
    for a, b in zip(np.round(latitude, 9), np.round(np.mod(longitude, 360), 9) % 360, strict=True):
        key = (a, 0.0) if abs(a) == 90 else (a, b)
        places[key] = places.get(key, 0) + 1
    assert sorted(set(places.values())) == [3, 4]
    assert sum(count == 3 for count in places.values()) == 8
    assert len(places) == 12 * 4**2 + 2


def test_files_are_right_for_other_programs(written, tmp_path):
    assert complaints(written, tmp_path / "report.json", [ERRORS]) == []
    with xarray.open_dataset(written) as data:
        assert {"curved_nav_lat", "curved_nav_lon"} <= set(data["on_curved"].coords)
        assert data["on_ring"].mean("hp4_cell").shape == (grids.STEPS,)
    shown = subprocess.run(
        ["cdo", "-s", "griddes", "-selname,on_curved", written], capture_output=True, text=True, check=True
    ).stdout
    assert "curvilinear" in shown and f"xsize     = {NX}" in shown


@pytest.mark.parametrize("ranks, servers", [(2, 1), (4, 2), (3, 0)])
def test_bytes_are_the_same_on_any_layout(ranks, servers, made, written, tmp_path):
    other = grids.maps(made, tmp_path / "run", ranks, servers)

    assert other.read_bytes() == written.read_bytes()


def test_weights_are_made_anew_for_another_file(made, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(made[1], folder)
    again = pileus("weights", "run.xml", "--grids", "model.nc", cwd=folder)
    with netCDF4.Dataset(folder / "curved.nc", "a") as file:
        file["nav_lat"][2, 3] += 1
    refused = grids.start(folder, "curvilinear", "run", 3, 2)
    anew = pileus("weights", "run.xml", "--grids", "model.nc", cwd=folder)

    assert again.stdout.count("up to date") == len(FILES) + 2
    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    assert "ocean-to-curved-conservative.nc: these weights lead to another grid: point 17 of theirs" in said
    assert anew.stdout.count("made anew") == 1, anew.stdout
    assert "ocean-to-curved-conservative.nc: made anew" in anew.stdout


def test_weights_can_be_asked_for_by_name(made, tmp_path):
    wanted = ["--from", "ocean", "--to", "mesh", "--method", "nearest", "--folder", tmp_path]
    done = pileus("weights", "run.xml", "--grids", "model.nc", *wanted, cwd=made[1])

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ocean-to-mesh-nearest.nc").is_file()


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
def test_the_same_grid_in_other_words_has_the_same_weights(how, made, tmp_path):
    for name, write_it in (("one", WRITE["curved"]), ("other", how)):
        folder = tmp_path / name
        folder.mkdir()
        write(folder / "curved.nc", write_it)
        shutil.copy(made[1] / "model.nc", folder)
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


def test_dimensions_of_the_model_have_other_points(tmp_path):
    (tmp_path / "run.xml").write_text(configuration("run", {"on_curved": "regrid(t, to=curved)"}))
    write(tmp_path / "curved.nc", lambda file: write_places(file, ("y", "x")))

    done = pileus("check", "run.xml", cwd=tmp_path)

    assert done.returncode == 1, done.stdout
    assert (
        'its dimension "x" is that of other points, and there is one of a name; name those of the'
        in done.stdout
    )


def test_dimensions_may_have_other_names(tmp_path):
    text = configuration("run", {"on_curved": "regrid(t, to=curved)"})
    text = text.replace('file="curved.nc"', 'file="curved.nc" dimensions="row,column"')
    (tmp_path / "run.xml").write_text(text)
    write(tmp_path / "curved.nc", lambda file: write_places(file, ("y", "x")))

    done = pileus("check", "run.xml", cwd=tmp_path)

    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("ranks, servers", [(4, 2), (5, 3)])
def test_explain_counts_what_servers_send_each_other(ranks, servers, made, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(made[1], folder)
    programs = grids.bin_of(grids.available_mpis()[0])
    model, server = programs / "pileus_grid_model", programs / "pileus-server"
    command = grids.mpi_command(
        (ranks, [model, "run.xml", "curvilinear", grids.STEPS]), (servers, [server, "run.xml"])
    )
    run_described(["env", "-C", folder, *command], folder)
    report = json.loads((folder / "report.json").read_text())

    done = pileus(
        "explain",
        "run.xml",
        "--model",
        "model.json",
        "--json",
        "--timestep",
        "1",
        "--steps",
        grids.STEPS,
        cwd=folder,
    )

    assert done.returncode == 0, done.stderr
    sent = 0
    for server, was in zip(json.loads(done.stdout)["servers"], report["servers"], strict=True):
        bounds, did = server["to_servers"]["regrid"], was["to_servers"]["regrid"]
        assert bounds["least"] == bounds["most"] == {key: did[key] for key in bounds["most"]}
        sent += did["bytes"]
    assert sent > 0
