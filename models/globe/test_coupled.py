"""Tests of the coupled globe: an atmosphere and an ocean in one job, each a component of Pileus."""

import shutil
import subprocess
import sys

import netCDF4
import numpy as np
import pytest
from formulas import DAY, RADIUS, air, gaussian_grid, gaussian_points_at, sea_surface, time_after, weighted
from oracle.cf_checker import complaints
from oracle.kills import kill_when
from oracle.launch import MPI, bin_of, environment, mpi_command, pileus, run
from test_globe import GLOBE, HERE, MPICH, TIMEOUT_S, cdo

DAYS, LEVELS, SIZE = 2, 6, 8
AIR = ["--grid", "gaussian", "--size", SIZE, "--nproma", 7, "--steps", 72 * DAYS]
SEA = ["--grid", "tripolar", "--size", 32, "--steps", 24 * DAYS]
NAMES = ["atmosphere_maps.nc", "atmosphere_means.nc", "ocean_maps.nc", "ocean_means.nc"]
LAYOUTS = [  # ranks of the atmosphere, ranks of the ocean, servers
    (1, 1, 0, []),
    (3, 3, 0, ["--deal", "random", "--seed", 9]),
    (1, 4, 1, ["--deal", "random"]),
    (3, 2, 2, []),
]


def command(directory, ranks, servers, *options, configuration=HERE / "coupled.xml", air=(), mpi=MPI):
    directory.mkdir(exist_ok=True)
    given = ["--coupled", "--levels", LEVELS, "--directory", directory, *options]
    given += ["--config", configuration] if servers == 0 else []
    program = bin_of(mpi) / "globe"
    parts = [(ranks[0], [program, *AIR, *given, *air]), (ranks[1], [program, *SEA, *given])]
    if servers:
        parts.append((servers, [bin_of(mpi) / "pileus-server", configuration, "--directory", directory]))
    return list(map(str, mpi_command(*parts, mpi=mpi)))


def start(directory, ranks, servers, *options, **more):
    done = run(command(directory, ranks, servers, *options, **more), "globe --coupled", TIMEOUT_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def bytes_in(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.nc")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of one rank each and one server."""
    made = tmp_path_factory.mktemp("coupled")
    start(made, (1, 1), 1)
    assert sorted(bytes_in(made)) == NAMES
    return made


@pytest.mark.parametrize(("atmosphere", "ocean", "servers", "options"), LAYOUTS)
def test_files_are_the_same_on_other_ranks(atmosphere, ocean, servers, options, folder, tmp_path):
    start(tmp_path, (atmosphere, ocean), servers, *options)

    assert bytes_in(tmp_path) == bytes_in(folder)


@MPICH
def test_mpich_gives_the_same_files(folder, tmp_path):
    start(tmp_path, (2, 2), 1, mpi="mpich")

    assert bytes_in(tmp_path) == bytes_in(folder)


def values(folder, name, variable):
    with netCDF4.Dataset(folder / name) as file:
        return np.ma.filled(file[variable][:].astype(float), np.nan)


class Exchange:
    """The coupled surface once more: README.md of the model has the equations."""

    def __init__(self, folder):
        self.air = gaussian_grid(SIZE)
        places = [values(folder, "ocean_maps.nc", name).ravel()
                  for name in ("mask", "longitude", "latitude", "area")]
        self.is_sea = places[0] == 1
        self.sea = [place[self.is_sea] for place in places[1:]]
        self.cells = self.cells_of_parts(folder)  # of the air, by point and part
        self.sea_area = self.to_air(1)
        self.thickness = 5000 / LEVELS**2
        self.warm_air, self.warm_sea = np.zeros(len(self.air[0])), np.zeros(len(self.sea[0]))
        self.heat = np.zeros_like(self.warm_air)

    def to_air(self, of_sea):
        weights = np.broadcast_to((self.sea[2] * of_sea)[:, None] / 64, self.cells.shape)
        return np.bincount(self.cells.ravel(), weights.ravel(), len(self.air[0]))

    def cells_of_parts(self, folder):
        """A cell of the sea has 8 by 8 parts: their middles, between its corners."""
        latitude, longitude = (
            np.radians(values(folder, "ocean_maps.nc", f"{name}_corners").reshape(-1, 4)[self.is_sea])
            for name in ("latitude", "longitude"))
        corners = np.array([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude),
                            np.sin(latitude)])
        v, u = (way.ravel() for way in np.meshgrid(*2 * [(np.arange(8) + 0.5) / 8], indexing="ij"))
        x, y, z = corners @ np.array([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v])
        return gaussian_points_at(SIZE, np.degrees(np.arctan2(z, np.hypot(x, y))),
                                  np.degrees(np.arctan2(y, x)) % 360)

    def air_temperature(self, time):
        return air(*self.air[:2], LEVELS, time)[1][:, -1] + self.warm_air

    def sea_temperature(self, time):
        return sea_surface(*self.sea[:2], self.thickness / 2, time) + self.warm_sea

    def interval(self, number):
        """Two hours: temperatures and fluxes of air and sea by step, and the lengths of these."""
        begin = number * 7200.0
        sea_flux = self.heat[self.cells].mean(axis=1) / 7200
        with np.errstate(invalid="ignore"):
            sst = self.to_air(self.sea_temperature(begin)) / self.sea_area
        self.heat = np.zeros_like(self.heat)
        in_air, in_sea = [], []
        for step in range(6):
            before, after = (begin + time_after(step + n, 1200) for n in (0, 1))
            flux = 20 * (sst + 273.15 - self.air_temperature(before))
            gained = np.nan_to_num(flux) * self.sea_area / self.air[2]
            self.heat += (after - before) * np.nan_to_num(flux)
            capacity = 1004.64 * 101325 / (9.80665 * LEVELS)
            self.warm_air = self.warm_air + (after - before) * (gained / capacity - self.warm_air / (5 * DAY))
            in_air.append((after - before, self.air_temperature(after), flux, sst))
        for step in range(2):
            before, after = (begin + time_after(step + n) for n in (0, 1))
            self.warm_sea = self.warm_sea - (after - before) * sea_flux / (1025 * 3990 * self.thickness)
            in_sea.append((after - before, self.sea_temperature(after), sea_flux))
        return in_air, in_sea


def averaged(steps, which):
    return sum(step[0] * step[which] for step in steps) / sum(step[0] for step in steps)


def test_both_models_and_their_exchange_are_those_of_numpy(folder):
    exchange = Exchange(folder)
    intervals = [exchange.interval(number) for number in range(12 * DAYS)]
    weights = np.nan_to_num(exchange.sea_area)

    def same(file, variable, expected):
        stored = values(folder, file, variable).reshape(np.shape(expected))
        np.testing.assert_allclose(stored, expected, rtol=1e-11, atol=1e-9, err_msg=f"{file} {variable}")

    same("atmosphere_maps.nc", "sea_area", exchange.sea_area)
    for side, index, file, names in ((0, weights, "atmosphere", {"t_low": 1, "flux": 2, "sst": 3}),
                                     (1, exchange.sea[2], "ocean", {"sst": 1, "flux": 2})):
        days = [sum((pair[side] for pair in intervals[12 * day:12 * day + 12]), []) for day in range(DAYS)]
        for name, which in names.items():
            expected = np.array([averaged(day, which) for day in days])
            if file == "ocean":
                whole = np.full((DAYS, len(exchange.is_sea)), np.nan)
                whole[:, exchange.is_sea] = expected
                expected = whole
            same(f"{file}_maps.nc", name, expected)
        for name, which in {"t_mean" if side == 0 else "sst_mean": 1, "flux_mean": 2}.items():
            same(f"{file}_means.nc", name,
                 [np.nansum(averaged(pair[side], which) * index) / index.sum() for pair in intervals])


def test_what_the_air_takes_is_what_the_sea_gives(folder):
    """Heat is neither lost nor made between the grids: in each interval it is that of the one before."""
    taken = values(folder, "atmosphere_means.nc", "flux_mean")
    given = values(folder, "ocean_means.nc", "flux_mean")
    sea_area = values(folder, "atmosphere_maps.nc", "sea_area").sum()
    mask, area = (values(folder, "ocean_maps.nc", name) for name in ("mask", "area"))

    np.testing.assert_allclose(sea_area, (mask * area).sum(), rtol=1e-13)
    assert 0 < sea_area < 4 * np.pi * RADIUS**2
    assert given[0] == 0 and np.abs(taken).min() > 0
    np.testing.assert_allclose(given[1:], taken[:-1], rtol=1e-12)


def checkpoints(directory, component):
    """Steps of those that Pileus has completed."""
    found = (directory / "pileus-checkpoints" / component).glob("step-*/manifest")
    return {int(path.parent.name.removeprefix("step-")) for path in found}


@pytest.mark.parametrize("servers", [2, 0])
def test_a_killed_run_goes_on_with_other_ranks(servers, folder, tmp_path):
    """It is killed twice; whenever it is, both have a state of the same time."""
    for since in (12, 72):
        goes_on = ["--continue", "newest"] if since > 12 else []
        status = kill_when(
            lambda since=since: any(step > since for step in checkpoints(tmp_path, "atmosphere")),
            command(tmp_path, (2, 1), servers, *goes_on, air=["--checkpoint-every", 6, "--pace", 0.02]),
            environment(), tmp_path / "log.txt")
        assert status is None, (tmp_path / "log.txt").read_text()
        same = checkpoints(tmp_path, "atmosphere") & {3 * step for step in checkpoints(tmp_path, "ocean")}
        assert same, "no time of which both have a checkpoint"
        for component, ratio in (("atmosphere", 1), ("ocean", 3)):
            assert (tmp_path / f"globe-restart-{component}-{max(same) // ratio:010}").is_file()

    start(tmp_path, (1, 3), 1, "--continue", "newest", "--deal", "random")

    assert bytes_in(tmp_path) == bytes_in(folder)


def failed(directory, *options, servers=1, **more):
    done = run(command(directory, (1, 2), servers, *options, **more), "globe --coupled", TIMEOUT_S)
    assert done.returncode != 0
    return done.stderr


@pytest.mark.parametrize(("options", "expected"), [
    (["--steps", 45], "--steps must be even in the ocean and end at the same time in both components"),
    (["--dt", 1000], "--dt of the ocean must be that of the atmosphere or a multiple of it"),
    (["--gird", "gaussian"], 'unknown option "--gird"'),
    (["--continue", 6], "--continue: the atmosphere and the ocean have no state of the same time"),
])
def test_a_mistake_of_one_component_ends_both(options, expected, tmp_path):
    assert expected in failed(tmp_path, air=options)


def test_one_component_alone_is_told_what_is_missing(tmp_path):
    path = HERE / "coupled.xml"
    done = run(list(map(str, mpi_command((2, [GLOBE, *AIR, "--coupled", "--config", path,
                                              "--directory", tmp_path])))), "half a job", TIMEOUT_S)
    assert done.returncode != 0
    assert "--coupled needs the other component beside this one" in done.stderr


@pytest.fixture(scope="module")
def regridded(folder, tmp_path_factory):
    """The maps of both components on one grid, by weights for the points of the first run."""
    if shutil.which("cdo") is None:
        pytest.skip("cdo is not installed")
    made = tmp_path_factory.mktemp("regridded")
    for path in HERE.glob("*.xml"):
        shutil.copy(path, made)
    for component in ("atmosphere", "ocean"):
        done = pileus("weights", made / "coupled_regular.xml", "--component", component, "--grids",
                      folder / f"{component}_maps.nc")
        assert done.returncode == 0, done.stdout + done.stderr
    start(made, (2, 2), 1, configuration=made / "coupled_regular.xml")
    return made


@pytest.mark.parametrize(("component", "grid", "name"), [
    ("atmosphere", "octahedral", "t_low"), ("ocean", "ocean", "sst")])
def test_both_are_brought_to_the_same_grid(component, grid, name, regridded, tmp_path):
    path = regridded / f"{component}_regular.nc"
    native = values(regridded, f"{component}_maps.nc", name)
    expected = weighted(native.reshape(DAYS, -1), regridded / f"weights/{grid}-to-map-conservative.nc")

    # The file has 24 bits of each number.
    np.testing.assert_allclose(values(regridded, path.name, name), expected, rtol=2**-23)
    assert complaints(path, tmp_path / "report.json") == []
    assert "lonlat" in cdo("sinfon", path)


@pytest.mark.parametrize("which", ["folder", "regridded"])
def test_the_demo_draws_both(which, request, tmp_path):
    made = request.getfixturevalue(which)
    done = subprocess.run([sys.executable, HERE / "plot_coupled.py", made, "--out", tmp_path],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "globe_coupled.png").read_bytes().startswith(b"\x89PNG")
