"""Tests of the globe: the same bytes however its points are dealt, numbers against NumPy, other readers.

The programs are those of the build that PILEUS_BUILD names; MPIRUN is the launcher.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from formulas import DAY, RADIUS, air, gaussian_grid, interpolated, mean, time_after, tracer, weighted
from oracle.cf_checker import complaints, without_roles_of_meshes
from oracle.kills import kill_when
from oracle.launch import MPI, PILEUS, bin_of, environment, launcher_flags, launcher_of, mpi_command, run

HERE = Path(__file__).resolve().parent
GLOBE = bin_of(MPI) / "globe"
TIMEOUT_S = 60
GRIDS = ["gaussian", "icosahedral", "tripolar"]
SMALL = {
    "gaussian": ["--size", 8, "--nproma", 7, "--levels", 6, "--steps", 30],
    "icosahedral": ["--size", 5, "--levels", 6, "--steps", 30],
    "tripolar": ["--size", 32, "--levels", 6, "--steps", 45],
}
LAYOUTS = [
    (3, 2, []),
    (2, 3, ["--deal", "random"]),
    (6, 1, ["--deal", "random", "--seed", 5]),
    (5, 0, []),
    (4, 0, ["--deal", "random", "--seed", 9]),
]


# The same files from another MPI, where there is a build for it.
MPICH = pytest.mark.skipif(
    MPI == "mpich" or not (bin_of("mpich") / "globe").is_file() or shutil.which(launcher_of("mpich")) is None,
    reason="no build of the globe for MPICH beside that for Open MPI")


def command(directory, grid, ranks, servers, *options, configuration=None, mpi=MPI):
    configuration = configuration or HERE / f"{grid}.xml"
    programs = bin_of(mpi)
    given = SMALL[grid] + list(options) + (["--config", configuration] if servers == 0 else [])
    model = (ranks, [programs / "globe", "--grid", grid, "--directory", directory, *given])
    server = [(servers, [programs / "pileus-server", configuration, "--directory", directory])]
    directory.mkdir(exist_ok=True)
    return mpi_command(model, *server[:servers], mpi=mpi)


def start(directory, grid, *layout_and_options, **more):
    """A finished run whose files lie in the directory."""
    command_line = map(str, command(directory, grid, *layout_and_options, **more))
    done = run(list(command_line), f"globe {grid}", TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def published(directory, grid, ranks, servers, *options, **more):
    start(directory, grid, ranks, servers, *options, **more)
    return {path.name: path.read_bytes() for path in directory.glob("*.nc")}


@pytest.fixture(scope="module", params=GRIDS)
def grid(request):
    return request.param


@pytest.fixture(scope="module")
def folder(grid, tmp_path_factory):
    return folder_of(grid, tmp_path_factory)


FOLDERS = {}


def folder_of(grid, tmp_path_factory):
    """The files of one rank and one server."""
    if grid not in FOLDERS:
        FOLDERS[grid] = tmp_path_factory.mktemp(grid)
        start(FOLDERS[grid], grid, 1, 1)
    return FOLDERS[grid]


def bytes_in(folder):
    files = {path.name: path.read_bytes() for path in folder.glob("*.nc")}
    assert len(files) == (4 if "gaussian_maps.nc" in files else 3)
    return files


@pytest.mark.parametrize(("ranks", "servers", "options"), LAYOUTS)
def test_files_are_the_same_however_the_points_are_dealt(ranks, servers, options, grid, folder, tmp_path):
    assert published(tmp_path / "run", grid, ranks, servers, *options) == bytes_in(folder)


def test_a_run_goes_on_with_another_deal(grid, folder, tmp_path):
    start(tmp_path / "run", grid, 3, 1, "--steps", 20, "--checkpoint-every", 9)

    continued = published(tmp_path / "run", grid, 2, 2, "--continue", "newest", "--deal", "random")

    assert continued == bytes_in(folder)


@pytest.mark.parametrize("servers", [1, 0])
def test_a_killed_run_goes_on_from_its_newest_checkpoint(servers, grid, folder, tmp_path):
    directory = tmp_path / "run"
    kept = directory / "pileus-checkpoints"
    status = kill_when(lambda: len(list(kept.glob("step-*/manifest"))) > 1,
                       command(directory, grid, 3, servers, "--checkpoint-every", 2, "--pace", 0.05),
                       environment(), tmp_path / "log.txt")
    assert status is None, (tmp_path / "log.txt").read_text()

    assert published(directory, grid, 2, 1, "--continue", "newest", "--deal", "random") == bytes_in(folder)


@MPICH
def test_mpich_gives_the_same_files(grid, folder, tmp_path):
    assert published(tmp_path / "run", grid, 3, 1, "--deal", "random", mpi="mpich") == bytes_in(folder)


def launched(*options):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    launcher = os.environ.get("MPIRUN", "mpirun")
    command = [launcher, *launcher_flags(launcher), "-n", "2", str(GLOBE), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, env=environment)


def test_help_is_printed_once_and_is_no_error():
    done = launched("--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("--grid gaussian") == 1


@pytest.mark.parametrize(("options", "expected"), [
    ([], "--grid is needed: gaussian, tripolar or icosahedral"),
    (["--grid", "tripolar"], "give --config FILE, or start pileus-server beside the model"),
    (["--grid", "cubed"], '--grid is gaussian, tripolar or icosahedral, not "cubed"'),
    (["--gird", "gaussian"], 'unknown option "--gird"'),
    (["--grid"], "option --grid needs a value"),
    (["--grid", "gaussian", "--size", "many"], '--size needs a whole number from 4 to 1000, not "many"'),
    (["--grid", "gaussian", "--dt", "-5"], '--dt needs a positive number of seconds below 1e7, not "-5"'),
    (["--grid", "tripolar", "--nproma", "8"], "--nproma needs --grid gaussian"),
    (["--grid", "tripolar", "--seed", "8"], "--seed needs --deal random"),
    (["--grid", "gaussian", "--continue", "last"], '--continue needs a whole number from 1 to'),
    (["--grid", "gaussian", "--set", "novalue"], '--set needs key=value, not "novalue"'),
])
def test_a_wrong_option_is_named_once(options, expected):
    done = launched(*options)
    assert done.returncode == 1
    assert done.stderr.count("globe: ") == 1 and expected in done.stderr, done.stderr


@pytest.fixture(scope="module")
def gaussian(tmp_path_factory):
    return folder_of("gaussian", tmp_path_factory)


def test_the_gaussian_points_are_those_of_numpy(gaussian):
    with netCDF4.Dataset(gaussian / "gaussian_maps.nc") as maps:
        for name, expected in zip(("longitude", "latitude", "area"), gaussian_grid(8), strict=True):
            np.testing.assert_allclose(maps[name][:], expected, rtol=1e-12, atol=1e-12)


def test_formula_terms_give_the_pressure_on_the_levels_of_the_model(gaussian):
    longitude, latitude, _ = gaussian_grid(8)
    with netCDF4.Dataset(gaussian / "gaussian_levels.nc") as levels:
        level = levels["level"]
        assert level.standard_name == "atmosphere_hybrid_sigma_pressure_coordinate"
        assert level.computed_standard_name == "air_pressure"
        terms = level.formula_terms.split()
        assert terms[::2] == ["ap:", "b:", "ps:"]
        a, b, ps = (levels[name] for name in terms[1::2])
        assert ps.dimensions == ("time", "point") and a.units == "Pa"
        p, t, _ = air(longitude, latitude, 6, float(levels["time"][0]))
        np.testing.assert_allclose(a[:] + b[:] * ps[0][:, None], p, rtol=1e-7)
        np.testing.assert_allclose(levels["t"][0].T, t, rtol=1e-7)
        np.testing.assert_allclose(a[:] / 101325 + b[:], level[:], rtol=1e-14)
    assert re.search(r"hybrid +: levels=6", cdo("sinfon", gaussian / "gaussian_levels.nc"))


def test_means_and_levels_of_pressure_are_those_of_numpy(gaussian):
    longitude, latitude, area = gaussian_grid(8)
    with netCDF4.Dataset(gaussian / "gaussian_means.nc") as means:
        levels = means["plev"][:]
        np.testing.assert_array_equal(levels, np.loadtxt(HERE / "pressures.txt"))
        np.testing.assert_array_equal(means["time"][:4], [time_after(step) for step in (6, 12, 18, 24)])
        for record, time in enumerate(means["time"][:].data):
            p, t, q = air(longitude, latitude, 6, time)
            q_plev, t_plev = interpolated(q, p, levels), interpolated(t, p, levels, np.log)
            north = latitude > 0
            for name, expected in {
                "q_mean": mean(q_plev, area),
                "t_north": mean(t_plev[north], area[north]),
                "t_south": mean(t_plev[~north], area[~north]),
            }.items():
                stored = np.ma.filled(means[name][record], np.nan)
                np.testing.assert_allclose(stored, expected, rtol=1e-12, err_msg=name)


def test_zonal_means_over_a_day_of_varying_steps_are_those_of_numpy(gaussian):
    longitude, latitude, area = gaussian_grid(8)
    steps = range(3, 25, 3)
    lengths = np.diff([0, *map(time_after, steps)])
    with netCDF4.Dataset(gaussian / "gaussian_zonal.nc") as zonal:
        levels, edges = zonal["plev"][:], np.arange(-90, 91, 4)
        total = 0
        for step, length in zip(steps, lengths, strict=True):
            p, _, q = air(longitude, latitude, 6, time_after(step))
            q_plev = interpolated(q, p, levels)
            bands = [(latitude >= south) & (latitude < south + 4) for south in edges[:-1]]
            total = total + length * np.array([mean(q_plev[band], area[band]) for band in bands])
        stored = np.ma.filled(zonal["q_zonal"][0], np.nan)
        np.testing.assert_allclose(stored, total.T / DAY, rtol=1e-12)
        assert np.isfinite(stored).any()


def test_triangles_cover_the_sphere_and_carry_the_same_air(tmp_path_factory):
    folder = folder_of("icosahedral", tmp_path_factory)
    with netCDF4.Dataset(folder / "icosahedral_maps.nc") as maps:
        longitude, latitude, area = (maps[name][:].data for name in ("longitude", "latitude", "area"))
    assert area.sum() == pytest.approx(4 * np.pi * RADIUS**2, rel=1e-13)
    with netCDF4.Dataset(folder / "icosahedral_means.nc") as means:
        p, _, q = air(longitude, latitude, 6, float(means["time"][1]))
        expected = mean(interpolated(q, p, means["plev"][:]), area)
        np.testing.assert_allclose(np.ma.filled(means["q_mean"][1], np.nan), expected, rtol=1e-12)


def test_the_mesh_of_triangles_has_their_corners_as_its_nodes(tmp_path_factory):
    folder = folder_of("icosahedral", tmp_path_factory)
    with netCDF4.Dataset(folder / "icosahedral_maps.nc") as maps:
        topology = maps["triangles"]
        assert (topology.cf_role, topology.topology_dimension) == ("mesh_topology", 2)
        assert topology.node_coordinates == "node_longitude node_latitude"
        assert (maps["ps"].mesh, maps["ps"].location) == ("triangles", "face")
        faces = maps[topology.face_node_connectivity]
        assert faces.start_index == 1
        nodes = faces[:].data - 1
        assert len(maps.dimensions["node"]) == 10 * 5**2 + 2 == nodes.max() + 1 and nodes.min() == 0
        uses = np.bincount(nodes.ravel())
        assert sorted(set(uses.tolist())) == [5, 6] and (uses == 5).sum() == 12
        places = vectors(maps["node_longitude"][:].data, maps["node_latitude"][:].data)[nodes]
        corners = vectors(maps["longitude_corners"][:].data, maps["latitude_corners"][:].data)
        np.testing.assert_allclose(places, corners, rtol=0, atol=1e-14)
        # Seen from above each triangle runs counterclockwise, as UGRID wants it.
        centre = vectors(maps["longitude"][:].data, maps["latitude"][:].data)
        normal = np.cross(places[:, 1] - places[:, 0], places[:, 2] - places[:, 0])
        assert (np.sum(normal * centre, axis=1) > 0).all()


def vectors(longitude, latitude):
    lam, phi = np.radians(longitude), np.radians(latitude)
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)], axis=-1)


def test_the_ocean_has_no_land_no_halo_and_nothing_below_its_floor(tmp_path_factory):
    folder = folder_of("tripolar", tmp_path_factory)
    with netCDF4.Dataset(folder / "tripolar_maps.nc") as maps:
        longitude, latitude, area, floor, basin, mask = (
            maps[name][:].data.ravel()
            for name in ("longitude", "latitude", "area", "sea_floor", "basin", "mask"))
        np.testing.assert_array_equal(maps["sst"][0].mask.ravel(), mask == 0)
        np.testing.assert_array_equal(basin == 0, mask == 0)
        depth = maps["depth"][:].data
        is_water = depth <= floor[:, None]
        np.testing.assert_array_equal(~maps["q"][0].mask.reshape(len(depth), -1).T, is_water)
    with netCDF4.Dataset(folder / "tripolar_means.nc") as means:
        q = tracer(longitude[:, None], latitude[:, None], 2 * depth / 5000 - 1, float(means["time"][3]), True)
        q[~is_water] = np.nan
        np.testing.assert_allclose(means["q_mean"][3], mean(q, area), rtol=1e-12)
        for number in range(1, 6):
            here = basin == number
            expected = mean(q[here], area[here])
            stored = np.ma.filled(means["q_basins"][3], np.nan)
            axis = means["q_basins"].dimensions[1:].index("depth")
            np.testing.assert_allclose(np.moveaxis(stored, axis, 0)[:, number - 1], expected, rtol=1e-12)


def start_regridding(directory, grid, configurations, ranks, servers, *options):
    """A run to its first map; the bytes of the regridded maps."""
    start(directory, grid, ranks, servers, "--steps", 20 if grid == "tripolar" else 24, *options,
          configuration=configurations / f"{grid}_regular.xml")
    return (directory / f"{grid}_regular.nc").read_bytes()


REGRIDDED = {}


def regridded_of(grid, tmp_path_factory):
    """A folder with the configurations, weights for the points of a first run, and what one rank and one
    server make with them."""
    if shutil.which("cdo") is None:
        pytest.skip("cdo is not installed")
    if grid not in REGRIDDED:
        REGRIDDED[grid] = made = tmp_path_factory.mktemp("regridded")
        for path in [*HERE.glob("*.xml"), HERE / "pressures.txt"]:
            shutil.copy(path, made)
        first = folder_of(grid, tmp_path_factory) / f"{grid}_maps.nc"
        command = [PILEUS, "weights", made / f"{grid}_regular.xml", "--grids", first]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
        assert done.returncode == 0, done.stdout + done.stderr
        start_regridding(made, grid, made, 1, 1)
    return REGRIDDED[grid]


@pytest.fixture(scope="module")
def regridded(grid, tmp_path_factory):
    return regridded_of(grid, tmp_path_factory)


@pytest.mark.parametrize(("ranks", "servers", "options"), [LAYOUTS[1], LAYOUTS[4]])
def test_regridded_maps_are_the_same_however_the_points_are_dealt(ranks, servers, options, grid, regridded,
                                                                  tmp_path):
    made = start_regridding(tmp_path / "run", grid, regridded, ranks, servers, *options)
    assert made == (regridded / f"{grid}_regular.nc").read_bytes()


def test_regridded_maps_are_the_weighted_sums_of_numpy(grid, regridded):
    source = {"gaussian": "octahedral", "icosahedral": "triangles", "tripolar": "ocean"}[grid]
    weights = regridded / f"weights/{source}-to-map-conservative.nc"
    names = ("sst", "q") if grid == "tripolar" else ("q_plev", "t_plev", "ps")
    with netCDF4.Dataset(regridded / f"{grid}_maps.nc") as maps, \
            netCDF4.Dataset(regridded / f"{grid}_regular.nc") as regular:
        horizontal = 2 if grid == "tripolar" else 1
        for name in names:
            values = np.ma.filled(maps[name][0].astype(float), np.nan)
            points = int(np.prod(values.shape[-horizontal:]))
            expected = weighted(values.reshape(-1, points), weights)
            stored = np.ma.filled(regular[name][0], np.nan).reshape(expected.shape)
            assert np.isnan(expected).any() == (name != "ps")  # land, and levels below the ground
            # Both files have 24 bits of each number, and a mean is rounded no worse than its parts.
            tolerance = 2**-23 * np.nanmax(np.abs(expected))
            np.testing.assert_allclose(stored, expected, rtol=0, atol=tolerance, err_msg=name)


def test_other_readers_know_the_regular_grid(grid, regridded, tmp_path):
    path = regridded / f"{grid}_regular.nc"
    assert complaints(path, tmp_path / "report.json") == []
    assert re.search(r"lonlat +: points=16200 \(180x90\)", cdo("sinfon", path))


def cdo(*arguments):
    if shutil.which("cdo") is None:
        pytest.skip("cdo is not installed")
    done = subprocess.run(["cdo", "-s", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_cdo_knows_the_grids_and_the_levels(grid, folder):
    said = cdo("sinfon", folder / f"{grid}_maps.nc")
    kind, points = {"gaussian": ("unstructured", 544), "icosahedral": ("unstructured", 500),
                    "tripolar": ("curvilinear", 32 * 15)}[grid]
    assert re.search(rf"{kind} +: points={points}\b", said), said
    assert "available : cellbounds area" in said
    assert ("depth_below_sea" if grid == "tripolar" else "pressure ") in said
    said = cdo("sinfon", folder / f"{grid}_zonal.nc")
    assert "lonlat" in said and "ybounds" in said, said


@pytest.mark.parametrize("grid", ["icosahedral", "tripolar"])  # the other's cells have no great circles
def test_cdo_finds_the_same_areas_between_the_corners(grid, tmp_path_factory, tmp_path):
    folder = folder_of(grid, tmp_path_factory)
    cdo("gridarea", folder / f"{grid}_maps.nc", tmp_path / "area.nc")
    with netCDF4.Dataset(tmp_path / "area.nc") as theirs, \
            netCDF4.Dataset(folder / f"{grid}_maps.nc") as ours:
        ratio = theirs["cell_area"][:] / ours["area"][:]
    np.testing.assert_allclose(ratio, ratio.flat[0], rtol=1e-9)


def test_the_cf_checker_finds_nothing_but_the_order_of_maps(grid, folder, tmp_path):
    for path in sorted(folder.glob("*.nc")):
        found = complaints(path, tmp_path / "report.json")
        # It wants dimensions without coordinates of their own before time and levels; nobody writes maps so.
        if path.name in (f"{grid}_maps.nc", f"{grid}_levels.nc"):
            found = [one for one in found if not one[0].startswith("§2.4")]
        if grid == "icosahedral":
            found = without_roles_of_meshes(found)
        assert found == [], path.name


def test_a_header_says_where_the_cells_lie(grid, folder):
    if shutil.which("ncdump") is None:
        pytest.skip("ncdump is not installed")
    header = subprocess.run(["ncdump", "-h", folder / f"{grid}_maps.nc"], capture_output=True, text=True,
                            timeout=60, check=True).stdout
    name = "q" if grid == "tripolar" else "q_plev"
    for line in (f'{name}:coordinates = "latitude longitude"', f'{name}:cell_measures = "area: area"',
                 'latitude:bounds = "latitude_corners"', 'latitude:units = "degrees_north"',
                 'Conventions = "CF-1.11'):
        assert line in header, header


@pytest.mark.parametrize("has_regular", [False, True])
def test_the_demo_draws_its_pictures(has_regular, tmp_path_factory, tmp_path):
    for grid in GRIDS:
        for path in folder_of(grid, tmp_path_factory).glob("*.nc"):
            shutil.copy(path, tmp_path)
        if has_regular:
            shutil.copy(regridded_of(grid, tmp_path_factory) / f"{grid}_regular.nc", tmp_path)
    done = subprocess.run([sys.executable, HERE / "plot.py", tmp_path], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    for name in ("globe_maps.png", "globe_zonal.png", "globe_means.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG"), name
