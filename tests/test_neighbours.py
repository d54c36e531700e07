"""Operators that look at neighbours: derivatives, shifts, vorticity and divergence, whatever the layout."""

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_neighbours_model"
NX, NY, NZ, STEPS = 13, 11, 5, 4
FILL, RADIUS = netCDF4.default_fillvals["f8"], 6371229.0
ON_PLANE = {
    "shifted": "shift[x](t)",
    "shifted_far": "shift[x](w, by=-8, border=periodic)",
    "shifted_rows": "shift[y](w, by=3, border=nearest)",
    "shifted_profile": "shift[z](profile, by=-1)",
    "slope": "ddx[x](w)",
    "slope_with_holes": "ddx[x](t)",
    "slope_periodic": "ddx[x](w, border=periodic, period=1400)",
    "slope_missing": "ddy[y](w, border=missing)",
    "slope_up": "ddz[z](w)",
    "slope_of_profile": "ddz[z](profile)",
    "slope_of_mean": "ddz[z](mean[y,x](w))",
    "slope_of_slopes": "ddx[x](ddx[x](w))",
    "curvature": "d2dx2[x](w)",
    "curvature_of_rows": "d2dy2[y](w)",
    "curvature_periodic": "d2dx2[x](w, period=1400)",
    "curvature_up": "d2dz2[z](w, border=missing)",
    "curl": "vorticity[x,y](u, v)",
    "spread": "divergence[x,y](u, v, period=1400, border_y=missing)",
    "advection": "w * ddx[x](t) + u * ddy[y](t)",
    "gradient": "mean[y](ddx[x](u))",
}
ON_GLOBE = {
    "globe_ddx": "ddx[lon](ug)",
    "globe_ddy": "ddy[lat](ug)",
    "globe_d2dx2": "d2dx2[lon](ug, radius=1000)",
    "globe_curl": "vorticity[lon,lat](ug, vg)",
    "globe_spread": "divergence[lon,lat](ug, vg)",
}
EXPRESSIONS = {**ON_PLANE, **ON_GLOBE}
AVERAGED = ["slope", "slope_with_holes", "advection", "globe_curl", "curl"]
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="x,y,z" collective="true" missing_value="-999.9"/>
    <field name="w" size="x,y,z" collective="true"/>
    <field name="u" size="x,y" collective="true"/>
    <field name="v" size="x,y" collective="true"/>
    <field name="ug" size="lon,lat" collective="true"/>
    <field name="vg" size="lon,lat" collective="true"/>
    <field name="profile" size="z" parts="same"/>
  </data-definition>
  <data-handling>
{diagnostics}
  </data-handling>
  <data-writing>
    <file name="neighbours.nc" write_time_frequency="8">
{includes}
    </file>
  </data-writing>
</io-configuration>
"""


def start(directory, ranks, servers, cuts, *arguments):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    diagnostics = "\n".join(
        f'    <diagnostic field="{name}" expression="{text}"/>' for name, text in EXPRESSIONS.items()
    )
    written = ["t", "w", "u", "v", "ug", "vg", "profile", *EXPRESSIONS]
    includes = "\n".join(f'      <include field="{name}" time_manipulation="none"/>' for name in written)
    includes += "".join(
        f'\n      <include field="{name}" time_manipulation="averaged" output_frequency="4" '
        f'name="{name}_average"/>'
        for name in AVERAGED
    )
    text = CONFIGURATION.replace("{diagnostics}", diagnostics).replace("{includes}", includes)
    (directory / "run.xml").write_text(text)
    model = (ranks, [MODEL, "run.xml", cuts, *arguments])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = ["env", "-C", directory, *mpi_command(model, *server)]
    return run(command, f"{ranks} ranks, {servers} servers, cuts {cuts} {arguments}")


def published(directory, *layout):
    """The file of a run."""
    done = start(directory, *layout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    (file,) = directory.glob("*.nc")
    return file


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


@pytest.fixture(scope="module")
def numbers(by_one):
    """All variables in double precision, with the dimensions (time, z, y, x); NaN is missing."""
    with netCDF4.Dataset(by_one) as file:
        file.set_auto_mask(False)
        values = {name: np.asarray(file[name][:], np.float64) for name in file.variables}
    for name in ["t", *EXPRESSIONS]:
        values[name] = np.where(values[name] == FILL, np.nan, values[name])
    return values


def shifted(values, axis, by, border):
    moved = np.roll(values, by, axis)
    if border == "periodic":
        return moved
    moved, n = np.moveaxis(moved, axis, 0).copy(), values.shape[axis]
    edge = slice(0, by) if by > 0 else slice(n + by, n)
    nearest = np.moveaxis(values, axis, 0)[0 if by > 0 else -1]
    moved[edge] = nearest if border == "nearest" else np.nan
    return np.moveaxis(moved, 0, axis)


def steps(coordinates, period):
    """To the next element; behind the last one the first comes again."""
    seam = coordinates[0] + (period if coordinates[-1] > coordinates[0] else -period) - coordinates[-1]
    return np.append(np.diff(coordinates), seam)


def first(values, axis, coordinates, border="one-sided", period=0.0):
    f = np.moveaxis(values, axis, -1)
    h2 = steps(coordinates, period)
    h1 = np.roll(h2, 1)
    before, behind = f - np.roll(f, 1, -1), np.roll(f, -1, -1) - f
    made = h2 / (h1 * (h1 + h2)) * before + h1 / (h2 * (h1 + h2)) * behind
    if border == "missing":
        made[..., [0, -1]] = np.nan
    if border == "one-sided":
        made[..., 0] = 1 / h2[0] * behind[..., 0]
        made[..., -1] = 1 / h1[-1] * before[..., -1]
    return np.moveaxis(made, -1, axis)


def second(values, axis, coordinates, border="one-sided", period=0.0):
    f = np.moveaxis(values, axis, -1)
    h2 = steps(coordinates, period)
    h1 = np.roll(h2, 1)
    before, behind = f - np.roll(f, 1, -1), np.roll(f, -1, -1) - f
    made = 2 / (h2 * (h1 + h2)) * behind - 2 / (h1 * (h1 + h2)) * before
    if border == "missing":
        made[..., [0, -1]] = np.nan
    if border == "one-sided":
        made[..., 0], made[..., -1] = made[..., 1], made[..., -2]
    return np.moveaxis(made, -1, axis)


def same(found, expected):
    assert np.isnan(found).sum() == np.isnan(expected).sum()
    assert np.array_equal(found, expected, equal_nan=True)


def test_shifted_fields_are_those_of_numpy(numbers):
    t, w, profile = numbers["t"], numbers["w"], numbers["profile"]

    same(numbers["shifted"], shifted(t, 3, 1, "missing"))
    same(numbers["shifted_far"], shifted(w, 3, -8, "periodic"))
    same(numbers["shifted_rows"], shifted(w, 2, 3, "nearest"))
    same(numbers["shifted_profile"], shifted(profile, 1, -1, "missing"))


def test_derivatives_are_those_of_numpy(numbers):
    t, w, x, y, z = (numbers[name] for name in "twxyz")

    same(numbers["slope"], first(w, 3, x))
    same(numbers["slope_periodic"], first(w, 3, x, "periodic", 1400))
    same(numbers["slope_missing"], first(w, 2, y, "missing"))
    same(numbers["slope_up"], first(w, 1, z))
    same(numbers["slope_of_profile"], first(numbers["profile"], 1, z))
    same(numbers["slope_of_slopes"], first(first(w, 3, x), 3, x))
    same(numbers["curvature"], second(w, 3, x))
    same(numbers["curvature_of_rows"], second(w, 2, y))
    same(numbers["curvature_periodic"], second(w, 3, x, "periodic", 1400))
    same(numbers["curvature_up"], second(w, 1, z, "missing"))
    assert np.isnan(t).any()
    same(numbers["slope_with_holes"], first(t, 3, x))


def test_derivatives_agree_with_those_of_numpy_itself(numbers):
    w, x, y = numbers["w"], numbers["x"], numbers["y"]

    assert np.allclose(numbers["slope"], np.gradient(w, x, axis=3), rtol=1e-12, atol=1e-13)
    inner = np.gradient(w, y, axis=2)[:, :, 1:-1]
    assert np.allclose(numbers["slope_missing"][:, :, 1:-1], inner, rtol=1e-12, atol=1e-13)


def test_derivatives_meet_fields_where_these_lie(numbers):
    t, w, u, v, x, y, z = (numbers[name] for name in "twuvxyz")

    same(numbers["advection"], w * first(t, 3, x) + u[:, None] * first(t, 2, y))
    same(numbers["curl"], first(v, 2, x) - first(u, 1, y))
    same(numbers["spread"], first(u, 2, x, "periodic", 1400) + first(v, 1, y, "missing"))
    assert np.allclose(numbers["gradient"], first(u, 2, x).mean(1), rtol=1e-13, atol=0)
    assert np.allclose(numbers["slope_of_mean"], first(w.mean((2, 3)), 1, z), rtol=1e-9, atol=1e-15)


def test_derivatives_on_the_globe_are_those_of_numpy(numbers):
    u, v, lon, lat = (numbers[name] for name in ("ug", "vg", "lon", "lat"))
    radians = np.pi / 180
    lengths = np.where(abs(lat) < 90, np.cos(lat * radians), np.nan)[:, None]
    cosine = np.where(abs(lat) < 90, np.cos(lat * radians), 0)[:, None]
    x, y, around = lon * radians, lat * radians, 360 * radians

    same(numbers["globe_ddx"], first(u, 2, x, "periodic", around) / (RADIUS * lengths))
    same(numbers["globe_ddy"], first(u, 1, y) / RADIUS)
    metric = 1000 * lengths
    same(numbers["globe_d2dx2"], second(u, 2, x, "periodic", around) / (metric * metric))
    curl = first(v, 2, x, "periodic", around) - first(u * cosine, 1, y)
    same(numbers["globe_curl"], curl / (RADIUS * lengths))
    spread = first(u, 2, x, "periodic", around) + first(v * cosine, 1, y)
    same(numbers["globe_spread"], spread / (RADIUS * lengths))
    assert np.isnan(numbers["globe_curl"]).sum() == 2 * NX * STEPS


def test_averages_leave_out_what_is_missing(numbers):
    samples = numbers["slope_with_holes"].reshape(2, 2, NZ, NY, NX)
    there = ~np.isnan(samples)
    means = np.where(there, samples, 0).sum(1) / np.maximum(there.sum(1), 1)
    expected = np.where(there.any(1), means, FILL)
    assert np.allclose(numbers["slope_with_holes_average"], expected, rtol=1e-12, atol=0)


LAYOUTS = [(2, 1, 1), (2, 1, 2), (4, 2, 2), (6, 3, 3), (6, 2, 2), (5, 3, 5), (6, 2, 6), (1, 0, 1), (4, 0, 2)]


@pytest.mark.parametrize("ranks, servers, cuts", LAYOUTS)
def test_every_layout_gives_the_same_bytes(ranks, servers, cuts, by_one, tmp_path):
    assert published(tmp_path / "run", ranks, servers, cuts).read_bytes() == by_one.read_bytes()


@pytest.mark.parametrize("ranks, servers, cuts", [(3, 2, -1), (5, 0, -1), (1, 1, 0), (4, 3, 0), (3, 0, 0)])
def test_levels_that_are_cut_and_points_give_the_same_bytes(ranks, servers, cuts, by_one, tmp_path):
    assert published(tmp_path / "run", ranks, servers, cuts).read_bytes() == by_one.read_bytes()


@pytest.mark.parametrize("servers", [0, 2])
def test_a_killed_run_goes_on_in_another_layout(servers, by_one, tmp_path):
    killed = start(tmp_path / "run", 4, servers, 2, 3, "die")
    assert killed.returncode != 0
    assert published(tmp_path / "run", 6, servers, 3, 3, "continue").read_bytes() == by_one.read_bytes()
