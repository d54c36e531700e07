"""Files of GRIB: what ecCodes, CDO and cfgrib find in them, beside the NetCDF file of the same run."""

import csv
import math
import re
import warnings

import cfgrib
import eccodes
import netCDF4
import numpy as np
import pytest
from oracle.configured import file, group, include, write, writing
from oracle.kills import kill_when
from oracle.launch import (
    BIN,
    ROOT,
    SERVER,
    Layout,
    environment,
    model_command,
    mpi_command,
    pileus,
    require_programs,
    run,
)

STEPS = 12
SMALL, LARGE = "3,5,4", "6,50,40"
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
TIME = '<time epoch="1999-12-31 23:59:30" calendar="standard"/>'
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1" standard_name="upward_air_velocity"/>'
    '<field name="path" size="y,x" collective="true" grib="0.192.5"/>'
)
# Numbers of the test's model are of every size; some roots of them are none.
HANDLING = (
    '<data-handling><diagnostic field="root" grib="0.192.6" expression="sqrt(w)"/>'
    '<diagnostic field="nothing" grib="0.192.7" expression="sqrt(-1 - w*w)"/></data-handling>'
)
HOW = {
    "ccsds": "",
    "simple": 'packing="simple" bits_per_value="12"',
    "places": 'decimal_scale="-4"',
    "float": 'precision="float" packing="simple" decimal_scale="-3"',
    "fine": 'bits_per_value="30"',
}
INSIDE = (
    include("w", "path", "root", "nothing")
    + include("w", manipulation="averaged", every=7, more='name="w_mean"')
    + include("path", manipulation="maximum", every=7, more='name="path_max"')
)
WRITTEN = ["w", "path", "root", "nothing", "w_mean", "path_max"]


def configured(directory, period=1000):
    files = []
    for name, more in HOW.items():
        precise = 'precision="float"' if "float" in more else ""
        files.append(file(f"{name}.nc", INSIDE, period, precise))
        files.append(file(f"{name}.grib2", INSIDE, period, more))
    return write(directory, TIME, group(FIELDS), HANDLING, writing(*files))


def published(directory):
    """Every published file, and what is beside it, by name."""
    found = [one for one in directory.rglob("*") if one.is_file()]
    return {str(one.relative_to(directory)): one for one in found if "pileus-checkpoints" not in one.parts}


def run_in(layout, configuration, directory, *options, size=LARGE):
    directory.mkdir(exist_ok=True)
    words = model_command(layout, configuration, directory, "--size", size, "--steps", STEPS, *options)
    done = run(words, str(layout))
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module", params=[SMALL, LARGE])
def whole(request, tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("grib")
    run_in(ALONE, configured(directory), directory / "out", size=request.param)
    return directory / "out"


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    """Files of short periods."""
    require_programs()
    directory = tmp_path_factory.mktemp("series")
    run_in(ALONE, configured(directory, 15), directory / "out")
    return directory / "out"


class Message:
    """A message as ecCodes reads it."""

    def __init__(self, handle):
        self.handle = handle

    def __getitem__(self, key):
        kind = int if key.startswith(("typeOf", "indicator")) and key != "typeOfLevel" else None
        return eccodes.codes_get(self.handle, key, kind)

    def values(self):
        """NaN where there is none."""
        eccodes.codes_set(self.handle, "missingValue", -1e300)
        values = eccodes.codes_get_values(self.handle)
        return np.where(values == -1e300, np.nan, values)


def messages(path):
    with open(path, "rb") as opened:
        while (handle := eccodes.codes_grib_new_from_file(opened)) is not None:
            yield Message(handle)
            eccodes.codes_release(handle)


def lines(path):
    """What is said of each message beside the file."""
    with open(f"{path}.errors.csv", encoding="utf-8") as opened:
        return list(csv.DictReader(one for one in opened if not one.startswith("#")))


def axis_of(dataset, variable):
    (axis,) = [name for name in dataset[variable].dimensions if name.startswith("time")]
    return axis


VERTICAL = ("z", "plev", "level")


def in_order(dataset, name):
    """A variable of a NetCDF file as messages have it: records, levels if there are some, and the plane."""
    variable = dataset[name]
    order = [one for one in variable.dimensions if one.startswith("time")]
    order += [one for one in variable.dimensions if one in VERTICAL]
    for first in ("y", "x", "lat", "lon", "cell", "point"):
        order += [one for one in variable.dimensions if one.split("_")[0] == first]
    assert len(order) == variable.ndim, variable.dimensions
    values = np.ma.filled(np.ma.asarray(variable[...], dtype="f8"), np.nan)
    return np.transpose(values, [variable.dimensions.index(one) for one in order])


def level_of(dataset, line):
    """The plane that the line is of; NaN where there is no number."""
    name = line["variable"]
    plane = in_order(dataset, name)
    if line["time_s"]:
        plane = plane[list(dataset[axis_of(dataset, name)][:]).index(float(line["time_s"]))]
    if line["level"]:
        (vertical,) = [one for one in dataset[name].dimensions if one in VERTICAL]
        levels = list(dataset[vertical][:]) if vertical in dataset.variables else None
        level = float(line["level"])
        plane = plane[levels.index(level) if levels else int(level) - 1]
    return np.where(np.isfinite(plane), plane, np.nan).ravel()


def whole_s(time_s):
    """As messages have it."""
    return math.floor(float(time_s) + 0.5)


@pytest.mark.parametrize("how", HOW)
def test_values_are_those_of_the_netcdf_file_within_the_error_that_is_said(how, whole):
    (path,) = whole.glob(f"{how}_*.grib2")
    said = lines(path)
    sizes = {"ccsds": 16, "simple": 12, "fine": 30}
    with netCDF4.Dataset(whole / path.with_suffix(".nc").name) as dataset:
        expected = sum(math.prod(in_order(dataset, name).shape[:-2]) for name in WRITTEN)
        count = 0
        for message, line in zip(messages(path), said, strict=True):
            count += 1
            assert int(line["message"]) == count
            values, right = message.values(), level_of(dataset, line)
            assert np.array_equal(np.isnan(values), np.isnan(right)), line
            assert int(line["missing"]) == np.isnan(right).sum()
            errors = np.abs(values - right)[~np.isnan(right)]
            largest = errors.max(initial=0)
            assert float(line["largest_error"]) == largest, line
            assert largest <= float(line["error_bound"])
            if len(errors):
                rms = math.sqrt(math.fsum(errors**2) / len(errors))
                assert float(line["rms_error"]) == pytest.approx(rms, rel=1e-14, abs=0)
            if how in sizes and len(errors):
                assert message["bitsPerValue"] in (0, sizes[how])
            elif message["bitsPerValue"] not in (0, 32):
                assert largest <= 0.5 * 10 ** -message["decimalScaleFactor"] * (1 + 1e-9)
        assert count == expected


def test_headers_say_parameters_levels_and_times(whole):
    (path,) = whole.glob("ccsds_*.grib2")
    number = {"w": 9, "w_mean": 9, "path": 5, "path_max": 5, "root": 6, "nothing": 7}
    with netCDF4.Dataset(path.with_suffix(".nc")) as dataset:
        heights = dataset["z"][:] if "z" in dataset.variables else None
    for message, line in zip(messages(path), lines(path), strict=True):
        name = line["variable"]
        assert message["parameterNumber"] == number[name]
        assert message["parameterCategory"] == (2 if name.startswith("w") else 192)
        if name.startswith("w"):
            assert message["shortName"] in ("wz", "avg_wz") and message["units"] == "m s**-1"
        if name in ("path", "path_max"):
            assert message["typeOfFirstFixedSurface"] == 1 and not line["level"]
        elif heights is not None:
            assert message["typeOfLevel"] == "heightAboveGround"
            assert message["level"] == pytest.approx(float(line["level"]))
        assert (message["dataDate"], message["hour"], message["minute"], message["second"]) == (
            19991231,
            23,
            59,
            30,
        )
        end_s = whole_s(line["time_s"])
        is_mean = name in ("w_mean", "path_max")
        assert message["productDefinitionTemplateNumber"] == (8 if is_mean else 0)
        if not is_mean:
            assert message["forecastTime"] * {13: 1, 0: 60}[message["indicatorOfUnitOfTimeRange"]] == end_s
            continue
        assert message["typeOfStatisticalProcessing"] == (0 if name == "w_mean" else 2)
        begin_s = whole_s(line["begin_s"])
        unit = {13: 1, 0: 60}[message["indicatorOfUnitForTimeRange"]]
        assert message["forecastTime"] * unit == begin_s
        assert message["lengthOfTimeRange"] * unit == end_s - begin_s
        ends = np.datetime64("1999-12-31T23:59:30") + np.timedelta64(end_s, "s")
        keys = ["year", "month", "day", "hour", "minute", "second"]
        found = [message[f"{key}OfEndOfOverallTimeInterval"] for key in keys]
        assert np.datetime64("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}".format(*found)) == ends


def test_the_tools_of_eccodes_read_all_messages(whole):
    (path,) = whole.glob("ccsds_*.grib2")
    done = run(["grib_ls", "-s", "stepUnits=s", "-p", "shortName,stepRange,level,typeOfLevel", path], "ls")
    assert done.returncode == 0, done.stderr
    count = len(lines(path))
    assert f"{count} of {count} messages" in done.stdout
    first = next(messages(path)).values()
    done = run(["grib_get_data", "-w", "count=1", "-F", "%.17g", path], "data")
    read = [float(one.split()[-1]) for one in done.stdout.splitlines()[1:]]
    assert done.returncode == 0 and np.array_equal(np.array(read), first)


@pytest.mark.parametrize("how", ["ccsds", "simple"])
def test_cdo_reads_the_same_values(how, whole, tmp_path):
    (path,) = whole.glob(f"{how}_*.grib2")
    subset = tmp_path / "w.grib2"
    run(["grib_copy", "-w", "parameterNumber=9,productDefinitionTemplateNumber=0", path, subset], "copy")
    done = run(["cdo", "-s", "-f", "nc4", "-b", "F64", "copy", subset, tmp_path / "cdo.nc"], "cdo")
    assert done.returncode == 0, done.stderr
    with netCDF4.Dataset(tmp_path / "cdo.nc") as read:
        (name,) = [one for one in read.variables if read[one].ndim == 3]
        found = read[name][...].reshape(-1, read[name].shape[-1])
        dates = netCDF4.num2date(read["time"][:], read["time"].units)
    expected = np.array([one.values() for one in messages(subset)])
    assert np.array_equal(np.ma.filled(found), expected)
    times = sorted({float(line["time_s"]) for line in lines(path) if line["variable"] == "w"})
    assert [round((one - dates[0]).total_seconds()) for one in dates] == [
        whole_s(one) - whole_s(times[0]) for one in times
    ]


def test_cfgrib_gives_them_to_xarray(whole):
    (path,) = whole.glob("fine_*.grib2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cfgrib.open_datasets(str(path), backend_kwargs={"indexpath": ""}, squeeze=False)
    winds = [one for one in found if "wz" in one]
    with netCDF4.Dataset(path.with_suffix(".nc")) as dataset:
        right = in_order(dataset, "w")
    values = winds[0]["wz"].values.squeeze((0,)) if winds[0]["wz"].ndim == 4 else winds[0]["wz"].values
    assert np.allclose(values.ravel(), right.ravel(), rtol=1e-6, atol=1e-6 * np.abs(right).max())
    assert winds[0]["wz"].attrs["GRIB_units"] == "m s**-1"


def wrong_in(found, wanted):
    assert sorted(found) == sorted(wanted)
    return [name for name, path in wanted.items() if path.read_bytes() != found[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_files_have_the_same_bytes_in_every_layout(layout, series, tmp_path):
    run_in(layout, configured(tmp_path, 15), tmp_path / "out")

    assert not wrong_in(published(tmp_path / "out"), published(series))


@pytest.mark.parametrize("first, second", [(0, 1), (1, 3), (3, 0)])
def test_files_have_the_same_bytes_after_a_kill(first, second, series, tmp_path):
    path = configured(tmp_path, 15)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    options = ("--size", LARGE, "--steps", STEPS)
    words = model_command(LAYOUTS[first], path, directory, *options, "--checkpoint-every", 3)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    for one in directory.glob("*.grib2"):  # what is published is whole, and has its errors beside it
        assert len(list(messages(one))) == len(lines(one))
    run_in(LAYOUTS[second], path, directory, "--continue")

    assert not wrong_in(published(directory), published(series))


STATISTICS = {
    "averaged": 0,
    "accumulated": 1,
    "maximum": 2,
    "minimum": 3,
    "root_mean_square": 5,
    "standard_deviation": 6,
    "variance": 7,
}


def test_statistics_have_their_codes_and_dates_end_with_hours(tmp_path):
    require_programs()
    files = [
        file(f"{one}.grib2", include("path", manipulation=one, every="1 min"), 1000) for one in STATISTICS
    ]
    path = write(tmp_path, TIME, group(FIELDS), writing(*files))
    run_in(ALONE, path, tmp_path / "out", size=SMALL)
    for name, code in STATISTICS.items():
        (path,) = (tmp_path / "out").glob(f"{name}_*.grib2")
        for message in messages(path):
            assert message["typeOfStatisticalProcessing"] == code
            assert message["typeOfTimeIncrement"] == 2


def of_globe(files, directory, ranks, servers, more=""):
    """What the model globe publishes."""
    folder = ROOT / "examples" / "cookbook"
    text = (folder / "globe_fields.xml").read_text().replace('calendar="noleap"', 'calendar="standard"')
    (directory / "globe_fields.xml").write_text(text)
    path = directory / "globe.xml"
    path.write_text(
        f'<io-configuration><include file="globe_fields.xml"/>{more}'
        f"<data-writing>{files}</data-writing></io-configuration>"
    )
    out = directory / f"out{ranks}{servers}"
    out.mkdir()
    options = "--grid gaussian --size 8 --levels 6 --quiet --steps 60".split()
    if not (directory / "weights").exists():
        text = (folder / "globe_places_fields.xml").read_text()
        (directory / "places.xml").write_text(text)
        words = [BIN / "globe", *options[:-1], 2, "--config", directory / "places.xml"]
        done = run(mpi_command((1, [*words, "--directory", directory])), "places")
        assert done.returncode == 0, done.stdout + done.stderr
        made = pileus("weights", path, "--grids", *directory.glob("places*.nc"))
        assert made.returncode == 0, made.stdout + made.stderr
    command = [BIN / "globe", *options, "--directory", out]
    server = [(servers, [SERVER, path, "--directory", out])] if servers else []
    command += [] if servers else ["--config", path]
    done = run(mpi_command((ranks, command), *server), "globe")
    assert done.returncode == 0, done.stdout + done.stderr
    return out


TARGETS = {
    "regular": ('cells="r24x13"', "lonlat", "regular_ll"),
    "third": ('cells="r54x27"', "lonlat", "regular_ll"),
    "gauss": ('cells="F8"', "gaussian", "regular_gg"),
    "healpix": ('cells="hp4"', "unstructured", "unstructured_grid"),
}


@pytest.fixture(scope="module")
def globe(tmp_path_factory):
    require_programs()
    grids = "".join(
        f'<grid name="{name}" {cells} '
        + ('dimensions="cell"/>' if name == "healpix" else f'dimensions="lat_{name},lon_{name}"/>')
        for name, (cells, _, _) in TARGETS.items()
    )
    handling = "".join(
        f'<diagnostic field="t_{name}" standard_name="air_temperature" units="K" '
        f'units_metadata="temperature: on_scale" expression="regrid(t, to={name}, method=nearest)"/>'
        f'<diagnostic field="p_{name}" standard_name="surface_air_pressure" units="Pa" '
        f'expression="regrid(ps, to={name}, method=nearest)"/>'
        for name in TARGETS
    )
    levels = (
        '<dimension name="plev" axis="Z" positive="down" standard_name="air_pressure"/>'
        '<dimension name="level" axis="Z" positive="down" '
        'standard_name="atmosphere_hybrid_sigma_pressure_coordinate"/>'
    )
    handling += (
        '<diagnostic field="t_plev" units="K" standard_name="air_temperature" '
        'units_metadata="temperature: on_scale" '
        "expression=\"interpolate[level](t, of=p, to=[20000,50000,85000], levels=plev, units='Pa', "
        'method=log)"/>'
    )
    files = ""
    every = 'time_manipulation="averaged" output_frequency="6 h"'
    for name in [*TARGETS, "own"]:
        inside = (
            f'<include field="t" {every}/><include field="ps" {every}/>'
            if name == "own"
            else f'<include field="t_{name}" {every}/><include field="p_{name}" {every}/>'
        )
        for kind in ("nc", "grib2"):
            files += (
                f'<file name="{name}.{kind}" write_time_frequency="0" write_on_terminate="true">'
                f"{inside}</file>"
            )
    for kind in ("nc", "grib2"):
        files += (
            f'<file name="plev.{kind}" write_time_frequency="0" write_on_terminate="true">'
            f'<include field="t_plev" time_manipulation="instantaneous" output_frequency="6 h"/></file>'
        )
    more = f"{grids}{levels}<data-handling>{handling}</data-handling>"
    directory = tmp_path_factory.mktemp("globe")
    return of_globe(files, directory, 1, 0, more), lambda r, s: of_globe(files, directory, r, s, more)


@pytest.mark.parametrize("name", [*TARGETS, "own", "plev"])
def test_planes_of_the_globe_have_their_values_and_places(name, globe):
    path = globe[0] / f"{name}.grib2"
    with netCDF4.Dataset(path.with_suffix(".nc")) as dataset:
        for message, line in zip(messages(path), lines(path), strict=True):
            right = level_of(dataset, line)
            assert np.nanmax(np.abs(message.values() - right)) <= float(line["error_bound"])
            if name in TARGETS:
                assert message["gridType"] == TARGETS[name][2]
            else:
                assert message["gridType"] == "reduced_gg"
            if name == "healpix":
                continue
            of_grid = f"lat_{name}", f"lon_{name}"
            keys = of_grid if name in TARGETS else ("latitude", "longitude")
            places = [np.asarray(dataset[key][...]) for key in keys]
            if name in TARGETS:
                places = [one.ravel() for one in np.meshgrid(*places, indexing="ij")]
            found = [eccodes.codes_get_array(message.handle, key) for key in ("latitudes", "longitudes")]
            assert np.allclose(found[0], places[0], atol=2e-6, rtol=0)
            turned = (found[1] - places[1] + 180) % 360 - 180
            assert np.allclose(turned, 0, atol=2e-6, rtol=0)
    steps = {one["stepRange"] for one in messages(path)}
    levels = {(one["typeOfLevel"], one["level"]) for one in messages(path)}
    if name == "plev":
        assert "6" in steps and levels == {("isobaricInhPa", level) for level in (200, 500, 850)}
    else:
        assert "0-6" in steps and levels == {("surface", 0)} | {("hybrid", n) for n in range(1, 7)}


def test_cdo_knows_the_grids_of_the_globe(globe):
    for name, (_, kind, _) in TARGETS.items():
        done = run(["cdo", "-s", "griddes", globe[0] / f"{name}.grib2"], "cdo")
        assert re.search(r"gridtype\s*=\s*(\w+)", done.stdout)[1] == kind, done.stdout + done.stderr
    done = run(["cdo", "-s", "griddes", globe[0] / "own.grib2"], "cdo")
    assert "gaussian_reduced" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("ranks, servers", [(3, 2), (5, 0)])
def test_files_of_the_globe_have_the_same_bytes(ranks, servers, globe):
    found = published(globe[1](ranks, servers))

    assert not wrong_in(found, published(globe[0]))


def known_parameters():
    text = (ROOT / "src" / "formats" / "grib" / "terms" / "parameters.cpp").read_text()
    surfaces = {"kGround": (1, None), "kTop": (8, None), "kSea": (101, None)}
    surfaces |= {"kAt2m": (103, 2), "kAt10m": (103, 10)}
    row = r'\{"([^"]*)",\s*(\d+),\s*"([^"]*)",\s*\{(\d+), (\d+), (\d+)\},\s*"([^"]*)"((?:, k\w+)*)\}'
    for short, number, name, *code, units, where in re.findall(row, text):
        yield short, int(number), name, [int(one) for one in code], units, [
            surfaces[one] for one in re.findall(r"k\w+", where)
        ]


def test_the_table_of_parameters_says_what_eccodes_says():
    rows = list(known_parameters())
    known = 0
    for short, number, name, code, _units, where in rows:
        handle = eccodes.codes_grib_new_from_samples("GRIB2")
        for key, value in zip(["discipline", "parameterCategory", "parameterNumber"], code, strict=True):
            eccodes.codes_set(handle, key, value)
        first = where[0] if where else (160, 10) if code[0] == 10 else (100, 50000)
        second = where[1] if len(where) > 1 else (255, None)
        for which, (kind, level) in (("First", first), ("Second", second)):
            eccodes.codes_set(handle, f"typeOf{which}FixedSurface", kind)
            for key in ("scaleFactor", "scaledValue"):
                if level is None:
                    eccodes.codes_set_missing(handle, f"{key}Of{which}FixedSurface")
                else:
                    eccodes.codes_set(handle, f"{key}Of{which}FixedSurface", level * (key == "scaledValue"))
        found = [eccodes.codes_get(handle, key) for key in ("shortName", "paramId", "cfName")]
        if number:
            assert found[1] in (number, 0), (short, found)  # names change from version to version
            known += found[1] == number
        if found[2] != "unknown" and name not in OTHER_NAMES:
            assert found[2] == name or not name, (short, found, name)
        eccodes.codes_release(handle)
    assert known > 50


# Names of CF for which ecCodes has others.
OTHER_NAMES = {"x_wind", "y_wind", "surface_altitude", "surface_snow_thickness", "height"}
OTHER_NAMES |= {"atmosphere_mass_content_of_water_vapor"}


MISTAKES = {
    "no_parameter": ('<field name="w" size="z,y,x" collective="true"/>', "", TIME, "no standard_name says"),
    "other_name": (
        '<field name="w" size="z,y,x" collective="true" standard_name="sea_water_x_velocity"/>',
        "",
        TIME,
        'no parameter of GRIB is known for the standard_name "sea_water_x_velocity"',
    ),
    "misspelt": (
        '<field name="w" size="z,y,x" collective="true" grib="clwcc"/>',
        "",
        TIME,
        'did you mean "clwc"?',
    ),
    "units": (
        '<field name="w" size="z,y,x" collective="true" grib="t" units="degC"/>',
        "",
        TIME,
        'convert them by units="K" in the include',
    ),
    "calendar": (FIELDS, "", '<time calendar="noleap" epoch="2000-01-01"/>', "Gregorian calendar"),
    "codec": (FIELDS, 'zstd="3"', TIME, "has no zstd"),
    "rounding": (FIELDS, 'significant_bits="10"', TIME, "GRIB packs numbers itself"),
    "error": (FIELDS, 'error="absolute 0.1"', TIME, "GRIB packs numbers itself"),
    "bits": (FIELDS, 'bits_per_value="33"', TIME, "whole number from 1 to 32"),
    "places": (FIELDS, 'decimal_scale="2.5"', TIME, "whole number from -20 to 20"),
    "both": (FIELDS, 'decimal_scale="2" bits_per_value="8"', TIME, "both bits_per_value and decimal_scale"),
    "packing": (FIELDS, 'packing="jpeg"', TIME, "ccsds or simple"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name, tmp_path):
    fields, more, time, words = MISTAKES[name]
    path = write(tmp_path, time, group(fields), writing(file("w.grib2", include("w"), more=more)))
    done = pileus("check", path)

    assert done.returncode == 1
    assert words in done.stdout, done.stdout
    assert done.stdout.count("error:") == 1, done.stdout


REFUSED = {
    "date": ("", FIELDS, "w", "none", "messages have dates"),
    "scalar": (TIME, '<field name="dt" grib="t"/>', "dt", "none", "no horizontal dimensions"),
    "range": (TIME, FIELDS, "w", "range", "GRIB has no word for what is done in time"),
    "stages": (TIME, FIELDS, "w", "maximum over 7 s, averaged", "several stages in time"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_runs_whose_model_shows_the_mistake_are_refused(name, tmp_path):
    require_programs()
    time, fields, field, manipulation, words = REFUSED[name]
    every = None if manipulation == "none" else 14
    content = include(field, manipulation=manipulation, every=every)
    path = write(tmp_path, time, group(fields), writing(file("w.grib2", content)))
    out = tmp_path / "out"
    out.mkdir()
    done = run(model_command(ALONE, path, out, "--size", SMALL, "--steps", STEPS), name)

    assert done.returncode != 0
    assert words in done.stdout + done.stderr, done.stdout + done.stderr
    assert not published(out)
