"""Boxes, levels and stations, whatever the layout."""

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_neighbours_model"
FILL = netCDF4.default_fillvals["f8"]
EXPRESSIONS = {
    "boxed": "box[x,y](t, from=[3,2], to=[9,2])",
    "boxed_by_place": "box[x,y](w, from=[150,-310], to=[900,-90], by=coordinate)",
    "boxed_globe": "box[lon,lat](ug, from=[-90,-40], to=[-20,40], by=coordinate, names=[west,middle])",
    "some_levels": "levels[z](w, at=[0,3,4])",
    "even_levels": "levels[z](w, at=[0,2,4])",
    "levels_by_place": "levels[z](t, at=[12,88], by=coordinate, levels=heights)",
    "mean_of_box": "mean[x_3_to_9](box[x](w, from=3, to=9))",
    "meeting": "box[x](w, from=3, to=9) - box[x](t, from=3, to=9)",
    "stations": "at[lat,lon](ug, y=[51.5,-33,0], x=[-0.1,370,181])",
    "stations_between": "at[y,x](t, y=[-60,-500], x=[410,777], method=bilinear, station=mast)",
}
CONFIGURATION = """<io-configuration>
  <dimension name="z" axis="Z" positive="up" standard_name="height"/>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="x,y,z" collective="true" missing_value="-999.9"/>
    <field name="w" size="x,y,z" collective="true"/>
    <field name="ug" size="lon,lat" collective="true"/>
  </data-definition>
  <data-handling>
{diagnostics}
  </data-handling>
  <data-writing>
    <file name="parts.nc" write_time_frequency="8">
{includes}
    </file>
  </data-writing>
</io-configuration>
"""


def published(directory, ranks, servers, cuts, written=("t", "w", "ug")):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    diagnostics = "\n".join(
        f'    <diagnostic field="{name}" expression="{text}"/>' for name, text in EXPRESSIONS.items()
    )
    includes = "\n".join(
        f'      <include field="{name}" time_manipulation="none"/>' for name in (*written, *EXPRESSIONS)
    )
    text = CONFIGURATION.replace("{diagnostics}", diagnostics).replace("{includes}", includes)
    (directory / "run.xml").write_text(text)
    model = (ranks, [MODEL, "run.xml", cuts])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    done = run(["env", "-C", directory, *mpi_command(model, *server)], f"{ranks} {servers} {cuts}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    (file,) = directory.glob("*.nc")
    return file


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Without whole fields, so that the model hands over parts alone."""
    return published(tmp_path_factory.mktemp("alone") / "run", 1, 1, 1, ())


@pytest.fixture(scope="module")
def numbers(by_one):
    with netCDF4.Dataset(by_one) as file:
        file.set_auto_mask(False)
        return {name: np.asarray(file[name][:], np.float64) for name in file.variables}


def test_boxes_are_those_of_numpy(numbers):
    t, w, ug, x, y = (numbers[name] for name in ("t", "w", "ug", "x", "y"))

    assert np.array_equal(numbers["boxed"], t[:, :, 2:3, 3:10])
    columns, rows = (x >= 150) & (x <= 900), (y >= -310) & (y <= -90)
    assert np.array_equal(numbers["boxed_by_place"], w[:, :, rows][..., columns])
    lon, lat = numbers["lon"], numbers["lat"]
    assert np.array_equal(numbers["boxed_globe"], ug[:, abs(lat) <= 40][..., (lon >= 270) & (lon <= 340)])
    assert np.array_equal(numbers["west"], lon[(lon >= 270) & (lon <= 340)])
    assert np.allclose(numbers["mean_of_box"], w[..., 3:10].mean(-1), rtol=1e-14, atol=0)
    missing = t == FILL
    expected = np.where(missing, FILL, w - t)[..., 3:10]
    assert np.array_equal(numbers["meeting"], expected)


def test_levels_are_those_of_numpy(numbers):
    t, w, z = numbers["t"], numbers["w"], numbers["z"]

    assert np.array_equal(numbers["some_levels"], w[:, [0, 3, 4]])
    assert np.array_equal(numbers["even_levels"], w[:, ::2])
    assert np.array_equal(numbers["levels_by_place"], t[:, [1, 3]])
    assert np.array_equal(numbers["heights"], z[[1, 3]])


def test_parts_say_what_their_dimensions_say(by_one):
    with netCDF4.Dataset(by_one) as file:
        for name in ("z", "z_at_0_3_4", "heights"):
            said = [file[name].getncattr(key) for key in ("standard_name", "axis", "positive", "units")]
            assert said == ["height", "Z", "up", "m"], name
        assert file["boxed"].dimensions == ("time", "z", "y_2_to_2", "x_3_to_9")


def test_stations_are_those_of_numpy(numbers):
    ug, lon, lat = numbers["ug"], numbers["lon"], numbers["lat"]

    for i, (y, x) in enumerate([(51.5, 359.9), (-33, 10), (0, 181)]):
        apart = np.minimum(abs(lon - x), 360 - abs(lon - x))
        assert np.array_equal(numbers["stations"][:, i], ug[:, abs(lat - y).argmin(), apart.argmin()])


def test_stations_between_elements_are_bilinear(numbers):
    t, x, y = numbers["t"], numbers["x"], numbers["y"]
    t = np.where(t == FILL, np.nan, t)

    for i, (at_y, at_x) in enumerate([(-60, 410), (-500, 777)]):
        column = np.searchsorted(x, at_x) - 1
        row = min(np.searchsorted(-y, -at_y, side="right") - 1, len(y) - 2)
        wx = (at_x - x[column]) / (x[column + 1] - x[column])
        wy = (at_y - y[row]) / (y[row + 1] - y[row])
        low, high = (t[:, :, row + j, column] * (1 - wx) + t[:, :, row + j, column + 1] * wx for j in (0, 1))
        expected = low if wy == 0 else high if wy == 1 else low * (1 - wy) + high * wy
        found = numbers["stations_between"][:, :, i]
        found = np.where(found == FILL, np.nan, found)
        assert np.allclose(found, expected, rtol=1e-13, atol=0, equal_nan=True)


def test_stations_have_their_places(by_one):
    with netCDF4.Dataset(by_one) as file:
        latitude, longitude = file["stations"].coordinates.split()
        assert np.array_equal(file[latitude][:], [51.5, -33, 0])
        assert np.array_equal(file[longitude][:], [-0.1, 370, 181])
        assert file["stations"].dimensions == ("time", "station")


LAYOUTS = [(2, 1, 2), (6, 3, 3), (5, 2, 5), (4, 0, 2), (3, 2, -1), (4, 3, 0)]


@pytest.mark.parametrize("ranks, servers, cuts", LAYOUTS)
def test_every_layout_gives_the_same_bytes(ranks, servers, cuts, by_one, tmp_path):
    assert published(tmp_path / "run", ranks, servers, cuts).read_bytes() == by_one.read_bytes()


@pytest.mark.parametrize("ranks, servers, cuts", LAYOUTS)
def test_every_layout_gives_the_same_bytes_of_parts_alone(ranks, servers, cuts, alone, tmp_path):
    assert published(tmp_path / "run", ranks, servers, cuts, ()).read_bytes() == alone.read_bytes()
