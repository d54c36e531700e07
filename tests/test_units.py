"""Values in other units than their fields have, with UDUNITS (cf_units) as the oracle."""

import cf_units
import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_neighbours_model"
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="x,y,z" collective="true" units="K" missing_value="-999.9"/>
    <field name="w" size="x,y,z" collective="true" units="m s-1"/>
    <field name="ug" size="lon,lat" collective="true" units="Pa"/>
  </data-definition>
  <data-handling>
    <diagnostic field="mean_t" units="K" units_metadata="temperature: on_scale" expression="mean[x,y](t)"/>
    <diagnostic field="cells" units="1" expression="sum[x,y](w &gt; 0)"/>
  </data-handling>
  <data-writing>
{files}
  </data-writing>
</io-configuration>
"""
# The name of a variable: its field, its time manipulation, the units of the field and those that are wanted.
WRITTEN = {
    "t_now": ("t", "instantaneous", "K", "degC"),
    "t_mean": ("t", "averaged", "K", "degF"),
    "t_most": ("t", "maximum", "K", "degree_Celsius"),
    "t_spread": ("t", "standard_deviation", "K", "degC"),
    "t_range": ("t", "range", "K", "degF"),
    "w_fast": ("w", "averaged", "m s-1", "km h-1"),
    "w_variance": ("w", "variance", "m2 s-2", "cm2 s-2"),
    "p": ("ug", "instantaneous", "Pa", "hPa"),
    "profile": ("mean_t", "averaged", "K", "degC"),
    "percent": ("cells", "instantaneous", "1", "%"),
}
OF_DIFFERENCES = {"t_spread", "t_range"}
LAYOUTS = [(4, 2, 2), (5, 3, 5), (3, 0, 3)]


def configuration():
    files = ""
    for kind, extra in (("plain", ""), ("converted", 'units="{}"'), ("small", 'units="{}"')):
        storage = 'precision="float" significant_bits="9" deflate="1"' if kind == "small" else ""
        includes = "".join(
            f'      <include field="{field}" name="{name}" time_manipulation="{how}" output_frequency="2" '
            f"{extra.format(wanted)}/>\n"
            for name, (field, how, _, wanted) in WRITTEN.items()
        )
        files += f'    <file name="{kind}.nc" write_time_frequency="8" {storage}>\n{includes}    </file>\n'
    return CONFIGURATION.replace("{files}", files)


def published(directory, ranks, servers, cuts):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(parents=True)
    (directory / "run.xml").write_text(configuration())
    model = (ranks, [MODEL, "run.xml", cuts])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    done = run(["env", "-C", directory, *mpi_command(model, *server)], f"{ranks} {servers} {cuts}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    return {path.name.split("_")[0]: path for path in directory.glob("*.nc")}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


@pytest.fixture(scope="module")
def values(files):
    found = {}
    for kind, path in files.items():
        with netCDF4.Dataset(path) as file:
            found[kind] = {name: np.ma.filled(file[name][:].astype("f8"), np.nan) for name in WRITTEN}
            found[kind, "float"] = {name for name in WRITTEN if file[name].dtype == np.float32}
            for name, (_, _, before, wanted) in WRITTEN.items():
                expected = before if kind == "plain" else wanted
                assert cf_units.Unit(file[name].units) == cf_units.Unit(expected), name
                assert kind == "plain" or file[name].units == wanted
    return found


@pytest.mark.parametrize("name", WRITTEN)
def test_values_are_those_of_udunits(values, name):
    _, _, before, wanted = WRITTEN[name]
    plain = values["plain"][name]
    convert = cf_units.Unit(before).convert
    expected = convert(plain, cf_units.Unit(wanted))
    if name in OF_DIFFERENCES:
        expected = expected - convert(0.0, cf_units.Unit(wanted))

    assert np.isfinite(expected).any()
    assert np.array_equal(np.isnan(values["converted"][name]), np.isnan(plain))
    # What the plain file has of floats is rounded, at about 300 K.
    rounded = 1e-4 if name in values["plain", "float"] else 1e-10
    assert np.allclose(values["converted"][name], expected, rtol=1e-12, atol=rounded, equal_nan=True)


@pytest.mark.parametrize("name", WRITTEN)
def test_bits_are_rounded_after_the_conversion(values, name):
    exact, small = values["converted"][name], values["small"][name]

    there = ~np.isnan(exact)
    assert np.array_equal(~np.isnan(small), there)
    mantissas = np.frexp(small[there])[0] * 2**10
    assert np.array_equal(mantissas, np.round(mantissas))
    assert np.all(abs(small[there] - exact[there]) <= 2.0**-9 * abs(exact[there]))


def test_floats_stay_floats(files):
    with netCDF4.Dataset(files["converted"]) as converted:
        assert converted["t_now"].dtype == np.float32
        assert converted["profile"].dtype == np.float64


@pytest.mark.parametrize("ranks, servers, cuts", LAYOUTS)
def test_every_layout_gives_the_same_bytes(ranks, servers, cuts, files, tmp_path):
    others = published(tmp_path / "run", ranks, servers, cuts)

    assert others.keys() == files.keys()
    for name, path in files.items():
        assert others[name].read_bytes() == path.read_bytes(), name
