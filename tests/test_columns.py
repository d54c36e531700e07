"""Interpolation along columns, and isosurfaces: the numbers of NumPy and CDO, whatever the layout."""

import shutil
import subprocess

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_columns_model"
NX, NY, NZ, STEPS = 9, 7, 12, 4
FILL = netCDF4.default_fillvals["f8"]
PRESSURES = [85000, 50000, 20000]
IN_FILE = [95000, 90000, 60000.5, 30000, 1000]
HYBRID_LEVELS = [40000, 70000, 90000]
HEIGHTS = [500, 700.25, 3777, 11400]
ABOVE_GROUND = [100, 1500, 9000]
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="{order}" collective="true" units="K"/>
    <field name="p" size="{order}" collective="true" units="Pa"/>
    <field name="height" size="{order}" collective="true" units="m"/>
    <field name="profile" size="z" {parts} units="m"/>
    <field name="orography" size="x,y" collective="true" static="true" units="m"/>
  </data-definition>
  <data-handling>
    <diagnostic field="t_log" units="K">
      <operator name="interpolate" field="t" of="p" dimension="z" to="85000 50000 20000" units="Pa"
        method="log" levels="plev" result="t_log"/>
    </diagnostic>
    <diagnostic field="t_linear" units="K">
      <operator name="interpolate" field="t" of="p" dimension="z" to="85000,50000,20000" units="Pa"
        levels="plev" result="t_linear"/>
    </diagnostic>
    <diagnostic field="t_in_file" units="K">
      <operator name="interpolate" field="t" of="p" dimension="z" to="file:levels.txt" outside="nearest"
        result="t_in_file"/>
    </diagnostic>
    <diagnostic field="t_far" units="K">
      <operator name="interpolate" field="t" of="p" dimension="z" to="1000 110000" levels="far"
        outside="linear" result="t_far"/>
    </diagnostic>
    <diagnostic field="t_near" units="K">
      <operator name="interpolate" field="t" of="profile" dimension="z" to="600 3700 7000" method="nearest"
        result="t_near"/>
    </diagnostic>
    <diagnostic field="t_at_height" units="K">
      <operator name="interpolate" field="t" of="profile" dimension="z" to="500 700.25 3777 11400"
        levels="height_level" units="m" result="t_at_height"/>
    </diagnostic>
    <diagnostic field="profile_at_p" units="m">
      <operator name="interpolate" field="profile" of="p" dimension="z" to="85000 50000 20000" levels="plev"
        units="Pa" result="profile_at_p"/>
    </diagnostic>
    <diagnostic field="t_above_ground" units="K">
      <operator name="arithmetic" equation="height - orography" result="above_ground"/>
      <operator name="interpolate" field="t" of="above_ground" dimension="z" to="100 1500 9000" units="m"
        result="t_above_ground"/>
    </diagnostic>
    <diagnostic field="t_warm" units="K">
      <operator name="filter" field="t" condition="t gt 260" result="warm"/>
      <operator name="interpolate" field="warm" of="p" dimension="z" to="85000 50000 20000" levels="plev"
        units="Pa" result="t_warm"/>
    </diagnostic>
    <diagnostic field="t_hybrid" units="K">
      <operator name="arithmetic" result="hybrid"
        equation="0*p + 2*profile + (1 - profile/12500)*(100000 + orography)"/>
      <operator name="interpolate" field="t" of="hybrid" dimension="z" to="40000 70000 90000"
        result="t_hybrid"/>
    </diagnostic>
    <diagnostic field="freezing" units="m">
      <operator name="isosurface" field="height" of="t" value="273.15" dimension="z" result="freezing"/>
    </diagnostic>
    <diagnostic field="highest_freezing" units="m">
      <operator name="isosurface" of="t" value="273.15" dimension="z" from="end" result="highest_freezing"/>
    </diagnostic>
    <diagnostic field="freezing_mean" units="m" expression="mean[y,x](freezing)"/>
  </data-handling>
  <data-writing>
    <file name="columns.nc" write_time_frequency="8">
{includes}
    </file>
  </data-writing>
</io-configuration>
"""
WRITTEN = (
    "t p height profile orography t_log t_linear t_in_file t_far t_near t_at_height profile_at_p "
    "t_above_ground t_warm t_hybrid freezing highest_freezing freezing_mean"
).split()


def start(directory, ranks, servers, how, parts='parts="same"'):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    includes = "\n".join(f'      <include field="{name}" time_manipulation="none"/>' for name in WRITTEN)
    text = CONFIGURATION.replace("{includes}", includes).replace("{parts}", parts)
    text = text.replace("{order}", "x,y,z" if how == "surfaces" else "z,x,y")
    (directory / "run.xml").write_text(text)
    (directory / "levels.txt").write_text("# Pa\n" + "\n".join(map(str, IN_FILE)) + "\n")
    # The text of the configuration, with the names of its files, is an attribute of what it writes.
    model = (ranks, [MODEL, "run.xml", how])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = ["env", "-C", directory, *mpi_command(model, *server)]
    return run(command, f"{ranks} ranks, {servers} servers, {how}")


def published(directory, *layout):
    """The file of a run."""
    done = start(directory, *layout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    (file,) = directory.glob("*.nc")
    return file


@pytest.fixture(scope="module")
def by_column(tmp_path_factory):
    return published(tmp_path_factory.mktemp("columns") / "run", 1, 1, "rows")


@pytest.fixture(scope="module")
def by_level(tmp_path_factory):
    return published(tmp_path_factory.mktemp("levels") / "run", 3, 2, "surfaces")


@pytest.fixture(scope="module")
def numbers(by_column):
    """All variables, in double precision, with the dimensions (time, y, x, z)."""
    with netCDF4.Dataset(by_column) as file:
        file.set_auto_mask(False)
        return {name: np.asarray(file[name][:], np.float64) for name in file.variables}


def interpolated(level, place, value):
    """As Pileus states it, and as numpy.interp does it on x86; `place` rises."""
    if np.isnan(value).any() or level < place[0] or level > place[-1]:
        return FILL
    i = np.searchsorted(place, level)
    if place[i] == level:
        return value[i]
    x0, x1, y0, y1 = place[i - 1], place[i], value[i - 1], value[i]
    return (y1 - y0) / (x1 - x0) * (level - x0) + y0


def by_hand(levels, places, values):
    """Every column at every level. The places fall or rise along the last dimension."""
    places, values = np.broadcast_arrays(places, values)
    made = np.empty(places.shape[:-1] + (len(levels),))
    for at in np.ndindex(places.shape[:-1]):
        place, value = places[at], values[at]
        if place[0] > place[-1]:
            place, value = place[::-1], value[::-1]
        for i, level in enumerate(levels):
            made[at + (i,)] = interpolated(level, place, value)
    return made


def test_levels_of_pressure_are_those_of_numpy(numbers):
    t, p = numbers["t"], numbers["p"]

    assert np.array_equal(numbers["plev"], PRESSURES)
    assert np.array_equal(numbers["t_linear"], by_hand(PRESSURES, p, t))
    column = np.interp(PRESSURES, p[1, 2, 3, ::-1], t[1, 2, 3, ::-1])
    assert np.allclose(numbers["t_linear"][1, 2, 3], column, rtol=1e-15, atol=0)
    with_log = by_hand(np.log(PRESSURES), np.log(p), t)
    assert np.allclose(numbers["t_log"], with_log, rtol=1e-13, atol=0)


def test_levels_are_those_of_a_file_and_the_ends_count_beyond_a_column(numbers):
    t, p = numbers["t"], numbers["p"]
    nearest = np.array(IN_FILE)[:, None, None, None].clip(p.min(-1), p.max(-1))

    expected = [by_hand([0.0], p - level[..., None], t)[..., 0] for level in nearest]
    assert np.array_equal(numbers["p_levels"], IN_FILE)
    assert np.allclose(numbers["t_in_file"], np.moveaxis(expected, 0, -1), rtol=1e-12, atol=0)


def test_lines_go_on_beyond_a_column(numbers):
    t, p = numbers["t"], numbers["p"]

    top = (t[..., -2] - t[..., -1]) / (p[..., -2] - p[..., -1]) * (1000 - p[..., -1]) + t[..., -1]
    bottom = (t[..., 0] - t[..., 1]) / (p[..., 0] - p[..., 1]) * (110000 - p[..., 1]) + t[..., 1]
    assert np.array_equal(numbers["t_far"], np.stack([top, bottom], -1))


def test_levels_of_height_are_those_of_numpy(numbers):
    expected = by_hand(HEIGHTS, numbers["profile"][:, None, None], numbers["t"])

    assert np.array_equal(numbers["t_at_height"], expected)


def test_the_nearest_level_of_a_profile(numbers):
    # The profile is 500, 1500, 2500 and so on; 7000 is as near to both of its neighbours.
    assert np.array_equal(numbers["t_near"], numbers["t"][..., [0, 3, 6]])


def test_a_profile_is_taken_to_levels_of_a_field(numbers):
    expected = by_hand(PRESSURES, numbers["p"], numbers["profile"][:, None, None, :])

    assert np.array_equal(numbers["profile_at_p"], expected)


def test_heights_above_ground(numbers):
    above = numbers["height"] - numbers["orography"][..., None]

    expected = by_hand(ABOVE_GROUND, above, numbers["t"])
    assert (expected == FILL).any() and (expected != FILL).any()
    assert np.array_equal(numbers["t_above_ground"], expected)


def test_what_is_missing_leaves_out_only_what_needs_it(numbers):
    t, p = numbers["t"], numbers["p"]
    kept = np.where(t > 260, t, np.nan)

    made = numbers["t_warm"]
    for at in np.ndindex(t.shape[:-1]):
        for i, level in enumerate(PRESSURES):
            here = int(np.sum(p[at] > level))
            needed = kept[at][here - 1 : here + 1]
            is_there = 0 < here < NZ and not np.isnan(needed).any()
            assert made[at + (i,)] == (numbers["t_linear"][at + (i,)] if is_there else FILL)
    assert 0 < np.sum(made == FILL) < made.size


def crossing(t, place):
    """Where a column first passes freezing."""
    for i in range(NZ - 1):
        low, high = sorted((i, i + 1), key=lambda node: t[node])
        if t[low] <= 273.15 <= t[high]:
            return (place[high] - place[low]) / (t[high] - t[low]) * (273.15 - t[low]) + place[low]
    return FILL


def test_the_height_of_freezing_from_both_ends(numbers):
    t, height = numbers["t"], numbers["height"]
    columns = list(np.ndindex(t.shape[:-1]))

    first = [crossing(t[at], height[at]) for at in columns]
    last = [crossing(t[at][::-1], numbers["z"][::-1]) for at in columns]
    assert np.array_equal(numbers["freezing"].ravel(), first)
    assert np.array_equal(numbers["highest_freezing"].ravel(), last)


LAYOUTS = [(2, 1), (3, 2), (4, 3), (5, 1), (1, 0), (2, 0), (5, 0)]


@pytest.mark.parametrize("ranks, servers", LAYOUTS)
def test_every_layout_of_rows_gives_the_same_bytes(ranks, servers, by_column, tmp_path):
    assert published(tmp_path / "run", ranks, servers, "rows").read_bytes() == by_column.read_bytes()


@pytest.mark.parametrize("ranks, servers", [(1, 1), (3, 2), (5, 3), (4, 0)])
def test_points_in_any_order_give_the_same_bytes(ranks, servers, by_column, tmp_path):
    assert published(tmp_path / "run", ranks, servers, "points").read_bytes() == by_column.read_bytes()


@pytest.mark.parametrize("ranks, servers", [(1, 1), (5, 3), (4, 0)])
def test_every_layout_of_levels_that_lie_apart_gives_the_same_bytes(ranks, servers, by_level, tmp_path):
    assert published(tmp_path / "run", ranks, servers, "surfaces").read_bytes() == by_level.read_bytes()


def test_levels_that_lie_apart_give_the_same_numbers(numbers, by_level):
    with netCDF4.Dataset(by_level) as file:
        file.set_auto_mask(False)
        for name in WRITTEN:
            values = np.asarray(file[name][:], np.float64)
            if values.ndim == 4:
                values = np.moveaxis(values, 1, -1)
            assert np.array_equal(values, numbers[name]), name


@pytest.mark.parametrize("ranks, servers", [(1, 1), (2, 1), (5, 3), (12, 2), (3, 0)])
def test_parts_of_columns_are_brought_together(ranks, servers, numbers, tmp_path):
    made = published(tmp_path / "run", ranks, servers, "levels", 'collective="true"')

    with netCDF4.Dataset(made) as file:
        file.set_auto_mask(False)
        for name in WRITTEN:
            assert np.array_equal(np.asarray(file[name][:], np.float64), numbers[name]), name


def write_hybrid_levels(path, numbers):
    """t on levels of a hybrid coordinate, from above, as CF and CDO know it: 2 z + (1 - z/12500) ps."""
    borders = np.arange(NZ, -1, -1) * 1000.0
    a, b = 2 * borders, 1 - borders / 12500
    with netCDF4.Dataset(path, "w") as file:
        for name, size in {"lon": NX, "lat": NY, "lev": NZ, "bnds": 2, "time": None}.items():
            file.createDimension(name, size)

        def write(name, dimensions, values, **attributes):
            variable = file.createVariable(name, "f8", dimensions)
            variable[:] = values
            variable.setncatts(attributes)

        write("lon", "lon", np.arange(NX) * 10.0, units="degrees_east", standard_name="longitude")
        write("lat", "lat", np.arange(NY) * 10.0, units="degrees_north", standard_name="latitude")
        write("time", "time", np.arange(STEPS), units="days since 2000-01-01")
        terms = "ap: ap b: b ps: ps"
        write("lev", "lev", np.arange(NZ), units="1", positive="down", bounds="lev_bnds", formula_terms=terms,
              standard_name="atmosphere_hybrid_sigma_pressure_coordinate")
        write("lev_bnds", ("lev", "bnds"), np.arange(NZ)[:, None] + [-0.5, 0.5],
              formula_terms="ap: ap_bnds b: b_bnds ps: ps")
        for name, values in {"ap": a, "b": b}.items():
            write(name, "lev", (values[1:] + values[:-1]) / 2)
            write(f"{name}_bnds", ("lev", "bnds"), np.stack([values[:-1], values[1:]], 1))
        surface = np.broadcast_to(100000 + numbers["orography"], (STEPS, NY, NX))
        write("ps", ("time", "lat", "lon"), surface, units="Pa", standard_name="surface_air_pressure")
        write("t", ("time", "lev", "lat", "lon"), np.moveaxis(numbers["t"][..., ::-1], -1, 1), units="K")


@pytest.mark.skipif(not shutil.which("cdo"), reason="there is no cdo to compare with")
def test_levels_of_pressure_in_a_hybrid_model_are_those_of_cdo(numbers, tmp_path):
    write_hybrid_levels(tmp_path / "hybrid.nc", numbers)
    words = ",".join(map(str, HYBRID_LEVELS))

    subprocess.run(["cdo", "-s", "-b", "F64", f"ml2pl,{words}", "-selname,t,ps", "hybrid.nc", "levels.nc"],
                   cwd=tmp_path, check=True, timeout=60)

    with netCDF4.Dataset(tmp_path / "levels.nc") as cdo:
        theirs = cdo["t"][:]
    assert theirs.shape == (STEPS, len(HYBRID_LEVELS), NY, NX) and not np.ma.is_masked(theirs)
    assert np.allclose(np.moveaxis(numbers["t_hybrid"], -1, 1), theirs, rtol=1e-12, atol=0)


@pytest.mark.skipif(not shutil.which("cdo"), reason="there is no cdo to compare with")
def test_heights_are_those_of_cdo(by_level, tmp_path):
    made = tmp_path / "cdo.nc"
    words = ",".join(map(str, HEIGHTS))

    subprocess.run(["cdo", "-s", f"intlevel,{words}", "-selname,t", by_level, made], check=True, timeout=60)

    with netCDF4.Dataset(by_level) as ours, netCDF4.Dataset(made) as cdo:
        assert ours["t_at_height"].shape == cdo["t"].shape == (STEPS, len(HEIGHTS), NY, NX)
        # CDO computes in double precision and writes the type of t.
        assert np.allclose(ours["t_at_height"][:], cdo["t"][:], rtol=1e-7, atol=0)
