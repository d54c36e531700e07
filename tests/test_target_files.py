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
from oracle.target_files import BOUNDS, FACES, NODES, NX, WRITE, curved, write, write_places

pytestmark = pytest.mark.skipif(shutil.which("cdo") is None, reason="no cdo")
FILES = ("regular", "curved", "points", "scrip", "mesh")
GRIDS = "\n".join(f'<grid name="{name}" file="{name}.nc"/>' for name in FILES)
GRIDS += '\n<grid name="towns" file="towns.csv" dimensions="town"/>'
TOWNS = "name,latitude,longitude\nKew,51.5,-0.3\nPerth,-31.95,115.86\n"
MAPS = {
    "on_regular": "regrid(t, to=regular)",
    "on_curved": "regrid(t, to=curved)",
    "on_points": "regrid(t, to=points, method=nearest)",
    "on_scrip": "regrid(t, to=scrip)",
    "on_mesh": "regrid(t, to=mesh)",
    "on_towns": "regrid(t, to=towns, method=nearest)",
    "on_ring": "regrid(t, to=hp4, method=nearest)",
    "on_nest": "regrid(t, to=hp2_nest, method=nearest)",
    "doubled": "2 * on_curved",
    "band": "mean[lat](on_regular)",
}


def configuration(name, maps):
    text = grids.configuration("curvilinear", name, maps)
    text = text.replace("<file ", '<file deflate="1" ') if maps else text
    return text.replace('<grid name="map" cells="r18x12"/>', GRIDS if maps else "")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("targets")
    for name, how in WRITE.items():
        write(directory / f"{name}.nc", how)
    (directory / "towns.csv").write_text(TOWNS)
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
        for name in (*FILES, "towns"):
            method = "nearest" if name in ("points", "towns") else "conservative"
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


def test_stations_of_a_table_have_their_names(written):
    with xarray.open_dataset(written) as data:
        assert data["on_towns"].dims == ("time", "town")
        assert list(data["station_name"].values) == ["Kew", "Perth"]
        assert np.array_equal(data["station_latitude"], [51.5, -31.95])
        assert np.array_equal(data["station_longitude"], [-0.3, 115.86])
        assert "featureType" not in data.attrs  # there are maps in it, too


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

    assert again.stdout.count("up to date") == len(FILES) + 3
    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    assert "ocean-to-curved-conservative.nc: these weights lead to another grid: point 17 of theirs" in said
    assert anew.stdout.count("made anew") == 1, anew.stdout
    assert "ocean-to-curved-conservative.nc: made anew" in anew.stdout


def test_weights_of_cells_with_other_bounds_are_refused(made, tmp_path):
    """Their centres are the same, so that only conservative weights are others."""
    folder = tmp_path / "run"
    shutil.copytree(made[1], folder)
    with netCDF4.Dataset(folder / "curved.nc", "a") as file:
        file["nav_lon_b"][4, 1, 2] += 0.5
    refused = grids.start(folder, "curvilinear", "run", 3, 2)

    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    point = 4 * NX + 1
    assert (
        "ocean-to-curved-conservative.nc: these weights lead to cells with other bounds: a corner of cell "
        f"{point} of theirs lies at" in said
    )


def test_weights_can_be_asked_for_by_name(made, tmp_path):
    wanted = ["--from", "ocean", "--to", "mesh", "--method", "nearest", "--folder", tmp_path]
    done = pileus("weights", "run.xml", "--grids", "model.nc", *wanted, cwd=made[1])

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ocean-to-mesh-nearest.nc").is_file()


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
