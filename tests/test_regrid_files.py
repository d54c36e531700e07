"""Regridding by files of weights: to the bit what these give in their order, and what CDO makes of them."""

import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_columns_model"
NX, NY, NZ, STEPS = 9, 7, 12, 4
FILL = netCDF4.default_fillvals["f8"]
CDO = shutil.which("cdo")
pytestmark = pytest.mark.skipif(CDO is None, reason="no cdo")

EXPRESSIONS = {
    "t_lonlat": "regrid(t, to=coarse)",
    "t_fine": "regrid(t, to=fine, method=bilinear)",
    "t_nearest": "regrid[y,x](t, to=bounds, weights='near.nc')",
    "height_lonlat": "regrid(height, to=coarse)",
    "warm": "regrid(t, to=coarse | t > 265)",
    "warm_or_nothing": "regrid(t, to=coarse, missing=missing | t > 265)",
    "orography_lonlat": "regrid(orography, to=coarse)",
    "column": "regrid(mean[z](t), to=coarse)",
    "mean": "mean[lat,lon](t_lonlat)",
    "anomaly": "t_lonlat - regrid(height, to=coarse) / 100",
}
AVERAGED = ["t_lonlat", "warm", "mean", "anomaly"]
CONFIGURATION = """<io-configuration>
  <grid name="cells" dimensions="y,x" latitude="nav_lat" longitude="nav_lon"/>
  <grid name="coarse" cells="r8x5"/>
  <grid name="fine" cells="r24x11" dimensions="lat_fine,lon_fine"/>
  <grid name="bounds" cells="lon=-10:350:45, lat=-90:90:20" dimensions="lat_near,lon_near"/>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="{order}" collective="true" units="K" grid="cells"/>
    <field name="p" size="{order}" collective="true" units="Pa" grid="cells"/>
    <field name="height" size="{order}" collective="true" units="m" grid="cells"/>
    <field name="profile" size="z" {parts} units="m"/>
    <field name="orography" size="x,y" collective="true" static="true" units="m" grid="cells"/>
  </data-definition>
  <data-handling>
{diagnostics}
  </data-handling>
  <data-writing>
    <file name="regridded.nc" write_time_frequency="8">
{includes}
    </file>
  </data-writing>
</io-configuration>
""".replace(' latitude="nav_lat" longitude="nav_lon"', ' area="orography"')


def cdo(*arguments, cwd):
    done = subprocess.run([CDO, "-s", "-O", *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """The files of weights, between a regular grid of 9 by 7 and three others."""
    directory = tmp_path_factory.mktemp("weights")
    (directory / "near.txt").write_text(
        "gridtype = lonlat\nxsize = 8\nysize = 9\nxfirst = 12.5\nxinc = 45\nyfirst = -80\nyinc = 20\n"
    )
    source = f"-const,1,r{NX}x{NY}"
    cdo("gencon,r8x5", source, "con.nc", cwd=directory)
    cdo("genbil,r24x11", source, "bil.nc", cwd=directory)
    cdo("gennn,near.txt", source, "near.nc", cwd=directory)
    return directory


def start(directory, weights, ranks, servers, how, expressions=EXPRESSIONS):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    (directory / "weights").mkdir(exist_ok=True, parents=True)
    shutil.copy(weights / "con.nc", directory / "weights/cells-to-coarse-conservative.nc")
    shutil.copy(weights / "bil.nc", directory / "weights/cells-to-fine-bilinear.nc")
    shutil.copy(weights / "near.nc", directory)
    diagnostics = "\n".join(
        f'    <diagnostic field="{name}" units="K" expression="{text.replace(">", "&gt;")}"/>'
        for name, text in expressions.items()
    )
    written = ["t", "height", "orography", *expressions]
    includes = "\n".join(f'      <include field="{name}" time_manipulation="none"/>' for name in written)
    averages = "\n".join(
        f'      <include field="{name}" time_manipulation="averaged" output_frequency="4" '
        f'name="{name}_average"/>'
        for name in AVERAGED
        if name in expressions
    )
    text = CONFIGURATION.replace("{includes}", includes + "\n" + averages)
    text = text.replace("{diagnostics}", diagnostics)
    text = text.replace("{parts}", 'collective="true"' if how == "levels" else 'parts="same"')
    text = text.replace("{order}", "x,y,z" if how == "surfaces" else "z,x,y")
    (directory / "run.xml").write_text(text)
    model = (ranks, [MODEL, "run.xml", how])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = ["env", "-C", directory, *mpi_command(model, *server)]
    return run(command, f"{ranks} ranks, {servers} servers, {how}")


def published(directory, weights, *layout):
    """The file of a run."""
    done = start(directory, weights, *layout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    (file,) = directory.glob("regridded*.nc")
    return file


@pytest.fixture(scope="module")
def by_column(tmp_path_factory, weights):
    return published(tmp_path_factory.mktemp("columns") / "run", weights, 1, 1, "rows")


@pytest.fixture(scope="module")
def by_level(tmp_path_factory, weights):
    return published(tmp_path_factory.mktemp("levels") / "run", weights, 3, 2, "surfaces")


def read(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return {name: np.asarray(file[name][:], np.float64) for name in file.variables}


@pytest.fixture(scope="module")
def numbers(by_column):
    """All variables, in double precision, with the dimensions (time, y, x, z)."""
    return read(by_column)


def links(path):
    """Of each target point its links (source, weight), by rising source, and the shape of the target."""
    with netCDF4.Dataset(path) as file:
        targets = file["dst_address"][:].data - 1
        sources = file["src_address"][:].data - 1
        weights = file["remap_matrix"][:, 0].data
        dims = file["dst_grid_dims"][:].data
    rows = [{} for _ in range(dims.prod())]
    for target, source, weight in zip(targets, sources, weights, strict=True):
        rows[target][source] = rows[target].get(source, 0.0) + weight
    return [sorted(row.items()) for row in rows], tuple(dims[::-1])


def regridded(values, path, if_missing="scaled"):
    """As Pileus states it: links by rising source, one after the other; the first dimensions behind time are
    the grid's. NaN is missing."""
    rows, shape = links(path)
    flat = values.reshape((values.shape[0], NY * NX) + values.shape[3:])
    made = np.full((values.shape[0], len(rows)) + values.shape[3:], FILL)
    for target, row in enumerate(rows):
        total, present, every = (np.zeros_like(flat[:, 0]) for _ in range(3))
        count = np.zeros(flat[:, 0].shape)
        for source, weight in row:
            there = ~np.isnan(flat[:, source])
            total = np.where(there, total + weight * flat[:, source], total)
            present = np.where(there, present + weight, present)
            every = every + weight
            count += there
        whole = count == len(row)
        with np.errstate(invalid="ignore", divide="ignore"):
            result = np.where(whole, total, total / present * every)
        if if_missing == "missing":
            result = np.where(whole, result, FILL)
        if row:
            made[:, target] = np.where(count > 0, result, FILL)
    return made.reshape((values.shape[0], *shape) + values.shape[3:])


def test_the_sums_are_those_of_the_weights_in_their_order(numbers, weights):
    t, height = numbers["t"], numbers["height"]

    assert np.array_equal(numbers["t_lonlat"], regridded(t, weights / "con.nc"))
    assert np.array_equal(numbers["height_lonlat"], regridded(height, weights / "con.nc"))
    assert np.array_equal(numbers["t_fine"], regridded(t, weights / "bil.nc"))
    assert np.array_equal(numbers["t_nearest"], regridded(t, weights / "near.nc"))
    orography = regridded(numbers["orography"][None], weights / "con.nc")[0]
    assert np.array_equal(numbers["orography_lonlat"], orography)
    anomaly = numbers["t_lonlat"] - numbers["height_lonlat"] / 100
    assert np.array_equal(numbers["anomaly"], anomaly)


def test_what_is_missing_is_left_out_and_the_others_are_scaled(numbers, weights):
    warm = np.where(numbers["t"] > 265, numbers["t"], np.nan)

    scaled, missing = (regridded(warm, weights / "con.nc", how) for how in ("scaled", "missing"))
    assert (scaled == FILL).sum() < (missing == FILL).sum() < missing.size
    assert np.array_equal(numbers["warm"], scaled)
    assert np.array_equal(numbers["warm_or_nothing"], missing)


def test_reduced_values_are_regridded_and_regridded_ones_reduced(numbers, weights):
    column = regridded(numbers["t"].mean(-1), weights / "con.nc")

    assert np.allclose(numbers["column"], column, rtol=1e-14, atol=0)
    assert np.allclose(numbers["mean"], numbers["t_lonlat"].mean((1, 2)), rtol=1e-14, atol=0)


def test_cdo_makes_the_same_of_the_same_weights(numbers, weights, tmp_path):
    with netCDF4.Dataset(tmp_path / "t.nc", "w") as file:
        for name, size in (("time", None), ("z", NZ), ("lat", NY), ("lon", NX)):
            file.createDimension(name, size)
        lon = file.createVariable("lon", "f8", ("lon",))
        lat = file.createVariable("lat", "f8", ("lat",))
        lon[:], lat[:] = np.arange(NX) * 360 / NX, np.linspace(-90, 90, NY)
        lon.units, lat.units = "degrees_east", "degrees_north"
        t = file.createVariable("t", "f8", ("time", "z", "lat", "lon"))
        t[:] = np.moveaxis(numbers["t"], -1, 1)
    for name, made, target in (("con.nc", "t_lonlat", "r8x5"), ("bil.nc", "t_fine", "r24x11")):
        cdo("-b", "F64", f"remap,{target},{weights / name}", "t.nc", "made.nc", cwd=tmp_path)
        expected = np.moveaxis(read(tmp_path / "made.nc")["t"], 1, -1)
        assert np.allclose(numbers[made], expected, rtol=1e-12, atol=0)


def test_conservative_weights_conserve_and_constants_stay(numbers, weights):
    with netCDF4.Dataset(weights / "con.nc") as file:
        source, target = (file[name][:].data for name in ("src_grid_area", "dst_grid_area"))
        fraction = file["dst_grid_frac"][:].data
    before = (numbers["t"].reshape(STEPS, NY * NX, NZ) * source[:, None]).sum(1)
    after = (numbers["t_lonlat"].reshape(STEPS, -1, NZ) * (target * fraction)[:, None]).sum(1)

    assert np.allclose(after, before, rtol=1e-13, atol=0)
    rows, _ = links(weights / "con.nc")
    assert max(abs(sum(weight for _, weight in row) - 1) for row in rows) < 8 * np.finfo(float).eps


def test_files_say_where_the_points_lie(by_column):
    with netCDF4.Dataset(by_column) as file:
        assert np.array_equal(file["lon"][:], np.arange(8) * 45)
        assert np.allclose(file["lat"][:], [-90, -45, 0, 45, 90])
        assert file["lat"].standard_name == "latitude" and file["lon"].units == "degrees_east"
        assert file["t_lonlat"].dimensions[-3:] == ("lat", "lon", "z")


LAYOUTS = [(2, 1), (3, 2), (6, 3), (1, 0), (2, 0), (5, 0)]


@pytest.mark.parametrize("ranks, servers", LAYOUTS)
def test_every_layout_of_rows_gives_the_same_bytes(ranks, servers, by_column, weights, tmp_path):
    made = published(tmp_path / "run", weights, ranks, servers, "rows")
    assert made.read_bytes() == by_column.read_bytes()


@pytest.mark.parametrize("ranks, servers", [(1, 1), (5, 3), (4, 0)])
def test_points_in_any_order_give_the_same_bytes(ranks, servers, by_column, weights, tmp_path):
    made = published(tmp_path / "run", weights, ranks, servers, "points")
    assert made.read_bytes() == by_column.read_bytes()


@pytest.mark.parametrize("ranks, servers", [(5, 3), (4, 0)])
def test_levels_that_lie_apart_give_the_same_bytes(ranks, servers, by_level, weights, tmp_path):
    made = published(tmp_path / "run", weights, ranks, servers, "surfaces")
    assert made.read_bytes() == by_level.read_bytes()


@pytest.mark.parametrize("ranks, servers", [(3, 2), (5, 0)])
def test_columns_that_are_cut_between_ranks_give_the_same_numbers(ranks, servers, numbers, weights, tmp_path):
    made = read(published(tmp_path / "run", weights, ranks, servers, "levels"))
    for name in EXPRESSIONS:
        assert np.array_equal(made[name], numbers[name]), name


BROKEN = {
    "no_file": (
        {"a": "regrid(t, to=r9x9)"},
        'there is no file "weights/cells-to-r9x9-conservative.nc"; make it with "pileus weights"',
    ),
    "other_grid": (
        {"a": "regrid(t, to=r7x5, weights='near.nc')"},
        "these weights lead from a grid of 63 points to one of 72, but here it is one of 63 and one of 35",
    ),
    "no_grid_known": ({"a": "regrid(t, to=N80)"}, "F80"),
    "no_dimension": ({"a": "regrid[k](t, to=coarse)"}, 'has no dimension "k"'),
    "no_weights": ({"a": "regrid[z](profile, to=r4x3)"}, "weights="),
    "no_method": ({"a": "regrid(t, to=coarse, method=cubic)"}, "cubic"),
    "two_grids_of_one_name": (
        {"a": "regrid(t, to=coarse)", "b": "regrid(t, to=r24x11, weights='near.nc')"},
        'its dimension "lon" would have the size 24, but there is another of that name, of size 8; name',
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_cannot_be_regridded_is_refused_before_the_first_step(case, weights, tmp_path):
    expressions, said = BROKEN[case]
    done = start(tmp_path / "run", weights, 2, 1, "rows", expressions)
    assert done.returncode != 0
    assert said in done.stdout + done.stderr, done.stderr
    assert not list((tmp_path / "run").glob("regridded*.nc"))
