"""Statistics under named conditions, whatever the layout."""

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, run

MODEL = BIN / "pileus_neighbours_model"
FILL = netCDF4.default_fillvals["f8"]
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="x,y,z" collective="true" missing_value="-999.9" units="K"/>
    <field name="w" size="x,y,z" collective="true" units="m s-1"/>
  </data-definition>
  <data-handling>
    <diagnostic field="q" expression="w * w - 0.1" units="kg kg-1"/>
    <diagnostic field="rho" expression="1.2 + 0.1 * sin(w)"/>
    <condition name="up">w > 0.1 and q &lt; 0.6</condition>
    <condition name="down" expression="not up and w &lt; 0"/>
    <condition name="rest" expression="not up and not down"/>
    <condition name="never" expression="w > 100"/>
    <statistics name="plain" dimensions="y,x" fields="w,t,q" conditions="up,down,rest,never"
                of="fraction,mean,deviation,minimum,maximum,variance,standard_deviation"/>
    <statistics name="carried" dimensions="y,x" fields="w,q" conditions="up,down,rest,never"
                of="flux,flux_within,flux_between" flux_by="w"/>
  </data-handling>
  <data-handling namespace="mass">
    <statistics name="weighed" dimensions="y,x" fields="w,q" conditions="up,rest" weight="rho"
                of="fraction,mean,flux_within,variance" flux_by="w"/>
  </data-handling>
  <data-writing>
    <file name="statistics.nc" write_time_frequency="8">
      <include field="t" time_manipulation="none"/>
      <include field="w" time_manipulation="none"/>
      <include field="up" time_manipulation="none"/>
      <include group="plain" time_manipulation="none"/>
      <include group="carried" time_manipulation="none"/>
    </file>
    <file name="weighed.nc" write_time_frequency="8">
      <include group="mass::weighed" time_manipulation="none"/>
    </file>
  </data-writing>
</io-configuration>
"""


def published(directory, ranks, servers, cuts):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir()
    (directory / "run.xml").write_text(CONFIGURATION)
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = mpi_command((ranks, [MODEL, "run.xml", cuts]), *server)
    done = run(["env", "-C", directory, *command], f"{ranks} {servers} {cuts}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    return sorted(directory.glob("*.nc"))


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


@pytest.fixture(scope="module")
def numbers(by_one):
    found = {}
    for path in by_one:
        with netCDF4.Dataset(path) as file:
            file.set_auto_mask(False)
            found |= {
                (path.name.split("_")[0], name): np.asarray(one[:], np.float64)
                for name, one in file.variables.items()
            }
    return {
        name: {key: value for (file, key), value in found.items() if file.startswith(name)}
        for name in ("statistics", "weighed")
    }


def fields_of(numbers):
    w, t = numbers["statistics"]["w"], numbers["statistics"]["t"]
    q = w * w - 0.1
    up = (w > 0.1) & (q < 0.6)
    down = ~up & (w < 0)
    conditions = {"up": up, "down": down, "rest": ~up & ~down, "never": w > 100}
    return {"w": w, "t": np.where(t == FILL, np.nan, t), "q": q}, conditions


def profiles(values, where, take):
    """`take` of the values of each level where the condition holds, NaN where there is none."""
    out = np.full(values.shape[:2], np.nan)
    for at in np.ndindex(*out.shape):
        chosen = values[at][where[at] & ~np.isnan(values[at])]
        if chosen.size:
            out[at] = take(chosen)
    return out


def assert_close(found, expected, scale=1.0):
    found = np.where(found == FILL, np.nan, found)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-13 * scale, equal_nan=True)


TAKES = {
    "{f}_in_{c}": np.mean,
    "{f}_minimum_in_{c}": np.min,
    "{f}_maximum_in_{c}": np.max,
    "{f}_variance_in_{c}": np.var,
    "{f}_standard_deviation_in_{c}": np.std,
}


def test_statistics_are_those_of_numpy(numbers):
    fields, conditions = fields_of(numbers)
    found = numbers["statistics"]
    for c, where in conditions.items():
        assert_close(found[f"{c}_fraction"], where.mean((2, 3)))
        for f, values in fields.items():
            scale = np.nanmax(abs(values)) ** 2
            for name, take in TAKES.items():
                assert_close(found[name.format(f=f, c=c)], profiles(values, where, take), scale)
            deviation = profiles(values, where, np.mean) - np.nanmean(values, (2, 3))
            assert_close(found[f"{f}_deviation_in_{c}"], deviation, scale)
    assert np.array_equal(found["up"], conditions["up"])
    assert 0 < conditions["up"].mean() < 1 and not conditions["never"].any()


def covariance(w, f, where, weight):
    weight = np.where(where, weight, 0)
    total = weight.sum((2, 3))
    with np.errstate(invalid="ignore"):
        mean_w, mean_f = ((weight * one).sum((2, 3)) / total for one in (w, f))
        apart = (w - mean_w[..., None, None]) * (f - mean_f[..., None, None])
        return total / weight[0, 0].size, (weight * apart).sum((2, 3)) / total, mean_w, mean_f


def test_fluxes_within_and_between_add_up(numbers):
    fields, conditions = fields_of(numbers)
    found, w, q = numbers["statistics"], fields["w"], fields["q"]
    everywhere = np.ones(w.shape, bool)
    _, total, mean_w, mean_q = covariance(w, q, everywhere, 1)
    assert_close(found["q_flux"], total)
    parts = np.zeros(total.shape)
    for c, where in conditions.items():
        part, flux, up_w, up_q = covariance(w, q, where, 1)
        some = part > 0
        assert_close(found[f"q_flux_within_{c}"], np.where(some, part * flux, 0))
        between = part * (up_w - mean_w) * (up_q - mean_q)
        assert_close(found[f"q_flux_between_{c}"], np.where(some, between, 0))
        parts += found[f"q_flux_within_{c}"] + found[f"q_flux_between_{c}"]
    assert_close(parts, total)
    assert "w_flux" not in found


def test_weights_make_them_those_of_the_mass(numbers):
    fields, conditions = fields_of(numbers)
    found, w, q = numbers["weighed"], fields["w"], fields["q"]
    rho = 1.2 + 0.1 * np.sin(w)
    for c in ("up", "rest"):
        part = (rho * conditions[c]).sum((2, 3)) / rho.sum((2, 3))
        _, flux, mean_w, mean_q = covariance(w, q, conditions[c], rho)
        _, variance, _, _ = covariance(q, q, conditions[c], rho)
        assert_close(found[f"{c}_fraction"], part)
        assert_close(found[f"w_in_{c}"], mean_w)
        assert_close(found[f"q_in_{c}"], mean_q)
        assert_close(found[f"q_variance_in_{c}"], variance)
        assert_close(found[f"q_flux_within_{c}"], np.where(part > 0, part * flux, 0))


def test_variables_say_what_they_are(by_one):
    with netCDF4.Dataset(by_one[0]) as file:
        assert file["q_in_up"].long_name == "mean of q where up"
        assert file["q_in_up"].units == "kg kg-1"
        assert file["q_variance_in_up"].units == "kg2 kg-2" or file["q_variance_in_up"].units == "1"
        assert file["q_flux"].units == "m s-1"
        assert file["up_fraction"].units == "1"
        assert file["up"].long_name == "1 where w > 0.1 and q < 0.6"


@pytest.mark.parametrize("ranks, servers, cuts", [(2, 0, 2), (3, 2, 1), (6, 3, 2)])
def test_the_layout_changes_no_bit(tmp_path, by_one, ranks, servers, cuts):
    files = published(tmp_path / "run", ranks, servers, cuts)

    assert [one.name for one in files] == [one.name for one in by_one]
    for one, other in zip(files, by_one, strict=True):
        assert one.read_bytes() == other.read_bytes()
