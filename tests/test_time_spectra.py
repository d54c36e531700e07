"""Spectra of time series at each point, by SciPy, whatever the layout."""

import json
import re

import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, mpi_command, pileus, run, run_described
from scipy import signal

MODEL = BIN / "pileus_spectra_model"
STEPS, DT, RECORD = 40, 2.0, 20
FILL = netCDF4.default_fillvals["f8"]
SIZE = (7, 6, 3)
DIAGNOSTICS = {
    "w_mean": "mean[z,y,x](w)",
    "w_profile": "mean[y,x](w)",
    "part": "sin(u)",
    "place": "at[x,y](w, 110, -80)",
}
# The field, the attributes of the include, and how SciPy says it.
SPECTRA = {
    "plain": ("w", 'samples="10"', {"nperseg": 10}),
    "odd": (
        "u",
        'samples="7" window="hann" detrend="linear"',
        {"nperseg": 7, "window": "hann", "detrend": "linear"},
    ),
    "welch": (
        "w",
        'samples="8" window="hann" overlap="half"',
        {"nperseg": 8, "window": "hann", "noverlap": 4},
    ),
    "welch_odd": ("map", 'samples="5" overlap="half"', {"nperseg": 5, "noverlap": 2}),
    "raw": ("map", 'samples="10" detrend="none"', {"nperseg": 10, "detrend": False}),
    "holes": ("t", 'samples="4"', {"nperseg": 4}),
    "line_pairs": ("line", 'samples="2"', {"nperseg": 2}),
    "of_mean": ("w_mean", 'samples="10" window="hann"', {"nperseg": 10, "window": "hann"}),
    "of_profile": ("w_profile", 'samples="6" overlap="half"', {"nperseg": 6, "noverlap": 3}),
    "of_expression": ("part", 'samples="10"', {"nperseg": 10}),
    "of_place": ("place", 'samples="10"', {"nperseg": 10}),
    "co": ("u", 'with="w" samples="10" window="hann"', {"nperseg": 10, "window": "hann", "with": "w"}),
    "co_holes": ("t", 'with="w" samples="5"', {"nperseg": 5, "with": "w"}),
    "co_profiles": ("w_profile", 'with="w_profile" samples="10"', {"nperseg": 10, "with": "w_profile"}),
}
FIELDS = ["t", "u", "w", "map", "line", *DIAGNOSTICS]
CONFIGURATION = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="x,y,z" collective="true" missing_value="-999.9" units="K"/>
    <field name="u" size="x,y,z" collective="true" units="m s-1"/>
    <field name="w" size="x,y,z" collective="true" units="m s-1"/>
    <field name="map" size="x,y" collective="true"/>
    <field name="line" size="x" collective="true"/>
  </data-definition>
  <data-handling>{diagnostics}</data-handling>
  <data-writing>
    <file name="steps.nc" write_time_frequency="2000" write_on_terminate="true">{fields}</file>
    <file name="spectra.nc" write_time_frequency="2000" write_on_terminate="true">{spectra}</file>
  </data-writing>
</io-configuration>
"""


def include(name, field, attributes, how="time_spectrum", interval=f'interval="{DT:g} s"', every=RECORD):
    return (
        f'<include field="{field}" name="{name}" time_manipulation="{how}" output_frequency="{every} s" '
        f"{attributes} {interval}/>"
    )


def spectra_of_all():
    includes = [include(name, field, attributes) for name, (field, attributes, _) in SPECTRA.items()]
    includes.append(include("running", "w", 'samples="10"', "time_spectrum over 40 s"))
    includes.append(include("of_means", "w", 'samples="5"', "averaged over 4 s, time_spectrum", "", 40))
    includes.append(include("of_map_means", "map", 'samples="3"', "maximum over 4 s, time_spectrum", ""))
    return "".join(includes)


def write(directory, spectra):
    directory.mkdir(exist_ok=True)
    diagnostics = "".join(f'<diagnostic field="{n}" expression="{t}"/>' for n, t in DIAGNOSTICS.items())
    fields = "".join(f'<include field="{name}" time_manipulation="none"/>' for name in FIELDS)
    text = CONFIGURATION.replace("{diagnostics}", diagnostics).replace("{fields}", fields)
    (directory / "run.xml").write_text(text.replace("{spectra}", spectra))


def start(directory, ranks, servers, cuts, *arguments, spectra=None, size=SIZE):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    write(directory, spectra or spectra_of_all())
    model = (ranks, [MODEL, "run.xml", *size, cuts, *(arguments or (0, "whole", STEPS))])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = ["env", "-C", directory, *mpi_command(model, *server)]
    return run(command, f"{ranks} ranks, {servers} servers, cuts {cuts} {arguments}")


def published(directory, *layout, **changes):
    """The two files of a run."""
    done = start(directory, *layout, **changes)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    return {path.name: path for path in directory.glob("*.nc")}


def read(path):
    """All variables in double precision, NaN where a value is missing."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        values = {name: np.asarray(file[name][:], np.float64) for name in file.variables}
        fills = {name: getattr(one, "_FillValue", FILL) for name, one in file.variables.items()}
    return {name: np.where(one == np.float64(fills[name]), np.nan, one) for name, one in values.items()}


def same_bytes(one, other):
    assert sorted(one) == sorted(other)
    for name, path in one.items():
        assert path.read_bytes() == other[name].read_bytes(), name


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


def welch(values, dt, nperseg, other=None, noverlap=0, window="boxcar", detrend="constant"):
    """By record, then by frequency. Segments with a missing value are left out."""
    other = values if other is None else other
    both = np.stack([values, other])
    both[:, np.isnan(both).any(0)] = np.nan
    step, spectra = nperseg - noverlap, []
    for first in range(0, both.shape[1] - nperseg + 1, step):
        one, two = both[:, first : first + nperseg]
        options = {"fs": 1 / dt, "window": window, "nperseg": nperseg, "detrend": detrend, "axis": 0}
        spectra.append(signal.csd(one, two, **options)[1].real)
    spectra = np.stack(spectra)
    there = ~np.isnan(spectra)
    with np.errstate(invalid="ignore"):
        return np.where(there, spectra, 0).sum(0) / there.sum(0)


def by_records(values, steps, dt, other=None, **how):
    """Of as many steps each."""
    found = []
    for first in range(0, len(values) - steps + 1, steps):
        part = slice(first, first + steps)
        found.append(welch(values[part], dt, other=None if other is None else other[part], **how))
    return np.stack(found)


def near(found, expected):
    """Equal but for rounding, of numbers as large as the largest."""
    assert found.shape == expected.shape
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert not np.isnan(found).all()
    largest = np.nanmax(abs(expected), initial=1e-3)
    assert np.nanmax(abs(found - expected)) < 1e-12 * largest


@pytest.mark.parametrize("name", SPECTRA)
def test_spectra_are_those_of_scipy(name, by_one):
    steps, found = read(by_one["steps_2000.nc"]), read(by_one["spectra_2000.nc"])
    field, _, how = SPECTRA[name]
    how = dict(how)
    other = steps[how.pop("with")] if "with" in how else None

    expected = by_records(steps[field], int(RECORD / DT), DT, other, **how)

    near(found[name], expected)


def test_holes_leave_segments_out(by_one):
    found = read(by_one["spectra_2000.nc"])

    for name in ("holes", "co_holes"):
        assert np.isnan(found[name]).any() and not np.isnan(found[name]).all()


def test_the_sum_over_frequencies_is_the_variance(by_one):
    steps, found = read(by_one["steps_2000.nc"]), read(by_one["spectra_2000.nc"])
    step = 1 / (10 * DT)
    w, u, plane = (steps[name].reshape(4, 10, *steps[name].shape[1:]) for name in ("w", "u", "map"))

    np.testing.assert_allclose(found["plain"].sum(1) * step, w.var(1), rtol=1e-13, atol=0)
    np.testing.assert_allclose(found["raw"].sum(1) * step, (plane**2).mean(1), rtol=1e-13, atol=0)
    plain = by_records(steps["u"], 10, DT, steps["w"], nperseg=10).sum(1) * step
    joint = ((u - u.mean(1, keepdims=True)) * (w - w.mean(1, keepdims=True))).mean(1)
    np.testing.assert_allclose(plain, joint, rtol=0, atol=1e-13 * (u * u).max())


def test_chains_and_running_windows_have_spectra_of_their_samples(by_one):
    steps, found = read(by_one["steps_2000.nc"]), read(by_one["spectra_2000.nc"])
    w = steps["w"]
    means = w.reshape(STEPS // 2, 2, *w.shape[1:]).mean(1)
    plane = steps["map"].reshape(STEPS // 2, 2, *steps["map"].shape[1:]).max(1)

    near(found["of_means"], by_records(means, 10, 2 * DT, nperseg=5))
    near(found["of_map_means"], by_records(plane, 5, 2 * DT, nperseg=3))
    running = [welch(w[max(end - 20, 0) : end], DT, nperseg=10) for end in (10, 20, 30, 40)]
    near(found["running"], np.stack(running)[-len(found["running"]) :])


def test_files_say_what_it_is(by_one):
    with netCDF4.Dataset(by_one["spectra_2000.nc"]) as file:
        plain, co = file["plain"], file["co"]
        assert plain.dimensions[1:] == ("frequency", "z", "y", "x")
        assert np.array_equal(file["frequency"][:], np.fft.rfftfreq(10, DT))
        assert file["frequency"].units == "s-1" and file["frequency"].long_name == "frequency"
        assert file["odd"].dimensions[1:] == ("frequency_2", "z", "y", "x")
        assert np.allclose(file["frequency_2"][:], np.fft.rfftfreq(7, DT), rtol=1e-15)
        assert file["of_mean"].dimensions[1:] == ("frequency",)
        assert plain.units == "m2 s-1" and plain.long_name == "time spectrum of w"
        assert co.units == "m2 s-1" and co.long_name == "time spectrum of u with w"
        assert "cell_methods" not in plain.ncattrs() and "segments" in plain.comment
        assert file["holes"].units == "K2 s"


LAYOUTS = [(2, 1, 1), (2, 1, 2), (4, 2, 2), (6, 3, 3), (5, 3, 5), (4, 0, 2), (3, 2, -1), (4, 3, 0), (3, 0, 0)]


@pytest.mark.parametrize("ranks, servers, cuts", LAYOUTS)
def test_every_layout_gives_the_same_bytes(ranks, servers, cuts, by_one, tmp_path):
    same_bytes(published(tmp_path / "run", ranks, servers, cuts), by_one)


@pytest.mark.parametrize("servers, kept", [(0, 7), (2, 3), (2, 16), (1, 30)])
def test_a_killed_run_goes_on_in_another_layout(servers, kept, by_one, tmp_path):
    killed = start(tmp_path / "run", 4, servers, 2, kept, "die", STEPS)
    assert killed.returncode != 0

    same_bytes(published(tmp_path / "run", 6, servers, 3, kept, "continue", STEPS), by_one)


def test_uneven_steps_begin_segments_anew(tmp_path):
    """Step 15 takes 3 s. The second record has steps 11 to 19, of which 11 to 14 are even, and 15 to 19."""
    spectra = include("w", "w", 'samples="4"') + include("map", "map", 'samples="10"')
    done = start(tmp_path / "run", 2, 1, 2, 0, "whole", 19, 15, spectra=spectra)
    assert done.returncode == 0, done.stderr
    steps, found = read(tmp_path / "run" / "steps_2000.nc"), read(tmp_path / "run" / "spectra_2000.nc")

    assert np.array_equal(steps["time"][13:16], [28, 31, 33])
    expected = (welch(steps["w"][10:14], DT, 4) + welch(steps["w"][14:18], DT, 4)) / 2
    near(found["w"][1:], expected[None])
    assert np.isnan(found["map"][1]).all() and not np.isnan(found["map"][0]).any()


def test_an_interval_that_is_not_that_of_the_steps_is_an_error(tmp_path):
    spectra = include("w", "w", 'samples="4"', interval='interval="1.5 s"')

    done = start(tmp_path / "run", 2, 1, 2, 0, "whole", 19, spectra=spectra)

    assert done.returncode != 0
    assert 'w in "spectra.nc": a record gets no value: no samples are 1.5 s apart' in done.stderr
    assert "one came 2 s after another" in done.stderr


def windows_of(tmp_path, name, spectra):
    """What windows are expected to keep on all servers, and have kept."""
    directory = tmp_path / name
    write(directory, spectra)
    model = (3, [MODEL, "run.xml", *SIZE, 3, 0, "whole", 10])
    run_described(["env", "-C", directory, *mpi_command(model, (2, [SERVER, "run.xml"]))], directory)
    options = ("--model", "model.json", "--json", "--steps", 10, "--timestep", DT)
    done = pileus("explain", "run.xml", *options, cwd=directory)
    assert done.returncode == 0, done.stderr
    report = json.loads((directory / "report.json").read_text())
    expected = [server["memory"]["window_bytes"] for server in json.loads(done.stdout)["servers"]]
    return expected, [server["window_bytes"] for server in report["servers"]]


def test_explain_knows_what_windows_keep(tmp_path):
    one = include("w", "w", 'samples="10"')
    pair = include("co", "u", 'with="w" samples="9" overlap="half"') + include(
        "mean", "w_mean", 'samples="4"'
    )

    expected, kept = windows_of(tmp_path, "one", one)
    with_pair, kept_with_pair = windows_of(tmp_path, "pair", one + pair)

    elements = np.prod(SIZE)
    assert sum(expected) == elements * 8 * (10 + 2 * 6 + 1)
    assert expected == kept
    assert sum(with_pair) - sum(expected) == elements * 8 * (2 * 9 + 2 * 5 + 1) + 8 * (4 + 2 * 3 + 1)
    assert with_pair == kept_with_pair


WRONG = {
    'samples="10"': "needs the model time from one sample to the next",
    'interval="2 s"': "needs the number of samples",
    'samples="1" interval="2 s"': "has 2 to 65536 samples",
    'samples="11" interval="2 s"': "is longer than what a record is made of",
}


@pytest.mark.parametrize("attributes", WRONG)
def test_what_cannot_be_is_said_at_once(attributes, tmp_path):
    write(tmp_path, include("w", "w", attributes, interval=""))

    done = pileus("check", "run.xml", cwd=tmp_path)

    assert done.returncode != 0
    assert re.search(re.escape(WRONG[attributes]), done.stdout + done.stderr), done.stdout + done.stderr
