"""Stations of a table and sections: names, places and values, whatever the layout."""

import netCDF4
import numpy as np
import pytest
import xarray
from oracle.cf_checker import ERRORS, WARNINGS, complaints
from oracle.launch import BIN, SERVER, mpi_command, run
from scipy.interpolate import RegularGridInterpolator

MODEL = BIN / "pileus_neighbours_model"
FILL = netCDF4.default_fillvals["f8"]
STATIONS = '''# of two services
id;Name;Latitude;Longitude;Elevation
1;Kew;51.48;-0.29;5.5
2;"Cape; Town ""C""";-33.97;18.6;42
3;São Paulo;-23.5;313.4;0
'''
NAMES = ["Kew", 'Cape; Town "C"', "São Paulo"]
PLACES = np.array([(51.48, -0.29), (-33.97, 18.6), (-23.5, 313.4)])
MASTS = "name\ty\tx\nnorth\t-60\t410\nsouth\t-512.5\t777\n"
# One has the names of the configuration's file, another those of an option.
EXPRESSIONS = {
    "nearest": "at[lat,lon](ug, stations='file:stations.csv')",
    "between": "at[lat,lon](ug, stations='file:stations.csv', method=bilinear)",
    "profiles": "at[y,x](w, stations='file:masts.csv', method=bilinear, station=mast)",
    "around": "section[lat,lon](ug, from=[60,350], to=[-20,40], points=23)",
    "across": "section[y,x](w, from=[-40,120], to=[-400,900], points=11, section=line)",
    "steps": "section[y,x](w, from=[-40,120], to=[-40,900], points=5, section=row, method=nearest)",
}
FILES = {"stations": ["nearest", "between"], "masts": ["profiles"], "sections": ["around", "across", "steps"]}
CONFIGURATION = """<io-configuration>
  <dimension name="z" axis="Z" positive="up" standard_name="height"/>
  <data-definition name="state" frequency="1">
    <field name="w" size="x,y,z" collective="true" units="m s-1"/>
    <field name="ug" size="lon,lat" collective="true" units="m s-1"/>
  </data-definition>
  <data-handling>
{diagnostics}
    <diagnostic field="by_rule" units="m s-1">
      <operator name="at" result="by_rule" field="ug" dimensions="lat,lon" stations="file:stations.csv"/>
    </diagnostic>
  </data-handling>
  <data-writing>
    <file name="fields.nc" write_time_frequency="8">
      <include field="w" time_manipulation="none"/>
      <include field="ug" time_manipulation="none"/>
      <include field="by_rule" time_manipulation="none"/>
    </file>
{files}
  </data-writing>
</io-configuration>
"""


def configuration():
    diagnostics = "\n".join(
        f'    <diagnostic field="{name}" units="m s-1" expression="{text}"/>'
        for name, text in EXPRESSIONS.items()
    )
    files = ""
    for name, fields in FILES.items():
        includes = "".join(f'<include field="{field}" time_manipulation="none"/>' for field in fields)
        files += f'    <file name="{name}.nc" title="Places" write_time_frequency="8">{includes}</file>\n'
    return CONFIGURATION.replace("{diagnostics}", diagnostics).replace("{files}", files)


def published(directory, ranks, servers, cuts):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(parents=True)
    (directory / "run.xml").write_text(configuration())
    (directory / "stations.csv").write_text(STATIONS)
    (directory / "masts.csv").write_text(MASTS)
    model = (ranks, [MODEL, "run.xml", cuts])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    done = run(["env", "-C", directory, *mpi_command(model, *server)], f"{ranks} {servers} {cuts}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    files = {path.name.split("_")[0]: path for path in directory.glob("*.nc")}
    assert set(files) == {"fields", *FILES}
    return files


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


def values(path, name):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return np.asarray(file[name][:], np.float64)


def around_the_globe(files):
    """The field, with its first longitude once more behind the last."""
    lat, lon, ug = (values(files["fields"], name) for name in ("lat", "lon", "ug"))
    return lat, np.append(lon, 360), np.concatenate([ug, ug[..., :1]], axis=-1)


def on_globe(files, places):
    lat, lon, ug = around_the_globe(files)
    at = np.column_stack([places[:, 0], np.mod(places[:, 1], 360)])
    return np.array([RegularGridInterpolator((lat, lon), step)(at) for step in ug])


def on_plane(files, places):
    y, x, w = (values(files["fields"], name) for name in ("y", "x", "w"))
    falls = slice(None, None, -1)
    places = np.column_stack([np.clip(places[:, 0], y.min(), y.max()), places[:, 1]])
    return np.array(
        [
            [RegularGridInterpolator((y[falls], x), level[falls])(places) for level in step]
            for step in w
        ]
    )


def test_stations_of_a_table_have_values_names_and_places(files):
    lat, lon, ug = around_the_globe(files)
    rows = [abs(lat - y).argmin() for y in PLACES[:, 0]]
    columns = [abs(lon - x % 360).argmin() for x in PLACES[:, 1]]

    assert np.array_equal(values(files["stations"], "nearest"), ug[:, rows, columns])
    assert np.array_equal(values(files["fields"], "by_rule"), ug[:, rows, columns])
    assert np.allclose(values(files["stations"], "between"), on_globe(files, PLACES), rtol=1e-12, atol=1e-12)
    with xarray.open_dataset(files["stations"]) as data:
        assert data.attrs["featureType"] == "timeSeries"
        assert list(data["station_name"].values) == NAMES
        assert data["station_name"].attrs["cf_role"] == "timeseries_id"
        assert {"station_latitude", "station_longitude", "station_altitude", "station_name"} <= set(
            data["nearest"].coords
        )
        assert np.array_equal(data["station_latitude"], PLACES[:, 0])
        assert np.array_equal(data["station_longitude"], PLACES[:, 1])
        assert np.array_equal(data["station_altitude"], [5.5, 42, 0])


def test_masts_on_a_plane_have_profiles(files):
    places = np.array([(-60, 410), (-512.5, 777)])

    found = values(files["masts"], "profiles")
    assert np.allclose(found, on_plane(files, places), rtol=1e-12, atol=1e-12)
    with xarray.open_dataset(files["masts"]) as data:
        assert data.attrs["featureType"] == "timeSeriesProfile"
        assert list(data["mast_name"].values) == ["north", "south"]
        assert np.array_equal(data["mast_y"], places[:, 0])
        assert np.array_equal(data["mast_x"], places[:, 1])


def great_circle(start, end, points):
    """By turning the first point about the axis of both."""
    vectors = []
    for latitude, longitude in np.radians([start, end]):
        vectors.append(
            np.array(
                [
                    np.cos(latitude) * np.cos(longitude),
                    np.cos(latitude) * np.sin(longitude),
                    np.sin(latitude),
                ]
            )
        )
    a, b = vectors
    axis = np.cross(a, b) / np.linalg.norm(np.cross(a, b))
    angles = np.linspace(0, np.arccos(a @ b), points)
    line = np.outer(np.cos(angles), a) + np.outer(np.sin(angles), np.cross(axis, a))
    degrees = np.degrees([np.arcsin(line[:, 2]), np.arctan2(line[:, 1], line[:, 0])])
    return degrees.T, angles * 6371229


def test_a_section_on_the_globe_follows_a_great_circle(files):
    places, distances = great_circle((60, 350), (-20, 40), 23)

    latitude, longitude = (values(files["sections"], f"section_{name}") for name in ("latitude", "longitude"))
    assert np.allclose(latitude, places[:, 0], rtol=0, atol=1e-9)
    assert np.allclose(np.mod(longitude - places[:, 1] + 180, 360), 180, rtol=0, atol=1e-9)
    assert np.allclose(values(files["sections"], "section"), distances, rtol=1e-12, atol=1e-6)
    written = np.column_stack([latitude, longitude])
    assert np.allclose(values(files["sections"], "around"), on_globe(files, written), rtol=1e-12, atol=1e-12)


def test_a_section_on_a_plane_is_straight(files):
    places = np.column_stack([np.linspace(-40, -400, 11), np.linspace(120, 900, 11)])

    assert np.allclose(values(files["sections"], "across"), on_plane(files, places), rtol=1e-11, atol=1e-11)
    assert np.allclose(values(files["sections"], "line"), np.hypot(*(places - places[0]).T), rtol=1e-14)
    y, x, w = (values(files["fields"], name) for name in ("y", "x", "w"))
    columns = [abs(x - at).argmin() for at in np.linspace(120, 900, 5)]
    assert np.array_equal(values(files["sections"], "steps"), w[:, :, abs(y + 40).argmin()][..., columns])


@pytest.mark.parametrize("name", FILES)
def test_cf_knows_them(files, name, tmp_path):
    """It recommends levels behind stations, which variables of the model's order do not have."""
    levels = (ERRORS, WARNINGS) if name == "stations" else (ERRORS,)
    assert complaints(files[name], tmp_path / "report.json", levels) == []


@pytest.mark.parametrize("ranks, servers, cuts", [(2, 1, 2), (6, 3, 3), (5, 2, 5), (4, 0, 2), (3, 2, -1)])
def test_every_layout_gives_the_same_bytes(ranks, servers, cuts, files, tmp_path):
    others = published(tmp_path / "run", ranks, servers, cuts)

    for name, path in files.items():
        assert others[name].read_bytes() == path.read_bytes(), name
