"""Inputs: what servers read for the model, against NumPy, to the bit, whatever the layout."""

import re
import subprocess
import time
from pathlib import Path

import cftime
import netCDF4
import numpy as np
import pytest
from oracle.launch import BIN, SERVER, environment, mpi_command, pileus, run

MODEL = BIN / "pileus_input_model"
SIZE = NX, NY, NZ = 7, 9, 3
NAMES = {"theta": ("z", "y", "x"), "q": ("y", "x"), "w": ("z",), "flux": (), "mask": ("y", "x")}
LENGTHS = "300,900,450,1200.5"
STEPS = 12
OK, USAGE, CONFIG, OUTPUT = 0, 2, 3, 4

CONFIGURATION = """<io-configuration>
  <time calendar="{calendar}" epoch="{epoch}"/>
  <data-reading>{inputs}</data-reading>
  <data-definition name="state" frequency="1">
    <field name="theta" size="x,y,z" collective="true"/>
    <field name="q" size="x,y" collective="true"/>
    <field name="w" size="z"/>
    <field name="flux"/>
    <field name="mask" size="x,y" collective="true"/>
    <field name="first" size="x,y,z" collective="true"/>
  </data-definition>
  <data-writing>
    <file name="got.nc" write_time_frequency="1e9" write_on_terminate="true">{includes}</file>
  </data-writing>
</io-configuration>
"""


def values(name, records, seed=1):
    sizes = {"x": NX, "y": NY, "z": NZ}
    random = np.random.default_rng([seed, sorted([*NAMES, "first"]).index(name)])
    shape = [records, *[sizes[d] for d in (NAMES | {"first": NAMES["theta"]})[name]]]
    if name == "mask":
        return random.integers(-5, 1000, shape, np.int32)
    numbers = random.normal(280, 20, shape) * 10.0 ** random.integers(-3, 4, shape)
    return numbers.astype(np.float32) if name in ("q", "first") else numbers


def write_forcing(path, times, units="s", calendar=None, bounds=None, kind="NETCDF4", more=None):
    """All inputs with these times, in what the model takes them in; `first` has no time."""
    with netCDF4.Dataset(path, "w", format=kind) as file:
        file.set_auto_mask(False)
        for name, size in zip("xyz", SIZE, strict=True):
            file.createDimension(name, size)
        file.createDimension("time", None)
        axis = file.createVariable("time", "f8", ("time",))
        axis.standard_name = "time"
        axis.units = units
        if calendar:
            axis.calendar = calendar
        axis[:] = times
        if bounds is not None:
            file.createDimension("two", 2)
            axis.bounds = "time_bounds"
            file.createVariable("time_bounds", "f8", ("time", "two"))[:] = bounds
        for name, dimensions in NAMES.items():
            one = values(name, len(times))
            file.createVariable(name, one.dtype, ("time", *dimensions))[:] = one
        file["theta"].units = "K"
        one = values("first", 1)[0]
        file.createVariable("first", one.dtype, NAMES["theta"])[:] = one
        if more:
            more(file)


def an_input(name, more="", file="forcing.nc"):
    return f'<input name="{name}" file="{file}" {more}/>'


def all_inputs(more="", mask='interpolate="none"'):
    return "".join(an_input(name, mask if name == "mask" else more) for name in NAMES) + an_input("first")


def write_configuration(directory, inputs, calendar="", epoch=""):
    directory.mkdir(parents=True, exist_ok=True)
    includes = "".join(f'<include field="{n}" time_manipulation="none"/>' for n in [*NAMES, "first"])
    text = CONFIGURATION.format(inputs=inputs, includes=includes, calendar=calendar, epoch=epoch)
    text = text.replace(' calendar=""', "").replace(' epoch=""', "").replace("  <time/>\n", "")
    (directory / "run.xml").write_text(text)


def command(directory, layout, *more, start=0, lengths=LENGTHS, steps=STEPS):
    for program in (MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    ranks, servers, cuts = layout
    model = (ranks, [MODEL, "run.xml", *SIZE, cuts, steps, start, lengths, *more])
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    return ["env", "-C", directory, *mpi_command(model, *server)]


def start_model(directory, layout, *more, settings=None, start=0, lengths=LENGTHS, steps=STEPS):
    started = command(directory, layout, *more, start=start, lengths=lengths, steps=steps)
    return run(started, f"{layout}", **(settings or {}))


def published(directory, layout, **how):
    done = start_model(directory, layout, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    return got(directory)


def got(directory):
    return next(directory.glob("got_*.nc"))


def read(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return {name: np.asarray(file[name][:]) for name in [*NAMES, "first"]}


def times_of_steps(steps=STEPS, start=0.0, lengths=LENGTHS):
    each = [float(one) for one in lengths.split(",")]
    times = []
    for step in range(steps):
        start += each[step % len(each)]
        times.append(start)
    return times


def linear(records, times, at):
    """In double precision, as docs/input.md has it: a + w (b - a), rounded to the type once."""
    last = int(np.searchsorted(times, at, side="right")) - 1
    if last == len(times) - 1 or times[last] == at:
        return records[last]
    weight = (at - times[last]) / (times[last + 1] - times[last])
    a, b = (one.astype(np.float64) for one in (records[last], records[last + 1]))
    return (a + weight * (b - a)).astype(records.dtype)


def holding(records, times, at):
    return records[int(np.searchsorted(times, at, side="right")) - 1]


def expect(path, times, how=linear, start=0.0, lengths=LENGTHS, steps=STEPS):
    were = read(path)
    for name in NAMES:
        records = values(name, len(times))
        rule = holding if name == "mask" else how
        want = np.stack([rule(records, times, at) for at in times_of_steps(steps, start, lengths)])
        assert were[name].tobytes() == want.tobytes(), name
    first = values("first", 1)[0]
    assert all(one.tobytes() == first.tobytes() for one in were["first"])


LAYOUTS = [(1, 0, 1), (1, 1, 1), (2, 1, 1), (3, 0, 3), (3, 2, 1), (4, 3, 2), (6, 1, 3), (6, 3, 1), (5, 2, 5)]
TIMES = np.array([0.0, 250.0, 1000.0, 1001.5, 3000.0, 3600.0, 7000.0, 12000.0])


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_values_are_the_same_bits_in_every_layout(tmp_path, layout):
    write_configuration(tmp_path, all_inputs())
    write_forcing(tmp_path / "forcing.nc", TIMES)

    expect(published(tmp_path, layout), TIMES)


@pytest.mark.parametrize("ahead", [0, 1, 5, 1000])
def test_how_far_records_come_ahead_changes_nothing(tmp_path, ahead):
    write_configuration(tmp_path, all_inputs(f'ahead="{ahead}"', f'ahead="{ahead}" interpolate="none"'))
    write_forcing(tmp_path / "forcing.nc", TIMES)

    expect(published(tmp_path, (3, 1, 1)), TIMES)


def test_without_interpolation_a_record_holds(tmp_path):
    write_configuration(tmp_path, all_inputs('interpolate="none"'))
    write_forcing(tmp_path / "forcing.nc", TIMES)

    expect(published(tmp_path, (4, 2, 2)), TIMES, holding)


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4_CLASSIC"])
def test_files_of_other_kinds_are_read(tmp_path, kind):
    write_configuration(tmp_path, all_inputs())
    write_forcing(tmp_path / "forcing.nc", TIMES, kind=kind)

    expect(published(tmp_path, (2, 1, 1)), TIMES)


@pytest.mark.parametrize("seed", range(6))
def test_random_times_and_steps(tmp_path, seed):
    random = np.random.default_rng([seed, 7])
    times = np.cumsum(random.uniform(0.5, 4000, int(random.integers(2, 40)))).round(3)
    steps = int(random.integers(2, 30))
    of_steps = random.uniform(0.001, (times[-1] - times[0]) / 31, 5).round(3)
    lengths = ",".join(repr(float(one)) for one in of_steps)
    start = float(times[0])
    layout = LAYOUTS[int(random.integers(len(LAYOUTS)))]
    ahead = int(random.integers(0, 6))
    write_configuration(tmp_path, all_inputs(f'ahead="{ahead}"'))
    write_forcing(tmp_path / "forcing.nc", times)

    path = published(tmp_path, layout, start=start, lengths=lengths, steps=steps)

    expect(path, times, start=start, lengths=lengths, steps=steps)


@pytest.mark.parametrize("calendar", ["noleap", "360_day", "standard", "proleptic_gregorian"])
def test_dates_are_those_of_the_calendar(tmp_path, calendar):
    units, epoch = "hours since 1999-12-30", "2000-01-01 12:00:00"
    hours = np.array([0.0, 30.0, 60.0, 61.0, 90.5, 200.0, 400.0])
    write_configuration(tmp_path, all_inputs(), calendar, epoch)
    write_forcing(tmp_path / "forcing.nc", hours, units, calendar)
    since = cftime.num2date(0, units, calendar) - cftime.datetime(2000, 1, 1, 12, calendar=calendar)
    times = since.total_seconds() + hours * 3600

    path = published(tmp_path, (3, 1, 1), lengths="20000,3600")

    expect(path, times, lengths="20000,3600")


def month_middles(calendar, years):
    """Of a climatology that comes round over these years: dates of its records in each."""
    out = []
    for year in years:
        for month in range(12):
            begin = cftime.datetime(year, month + 1, 1, calendar=calendar)
            out.append((begin, month))
    return out


@pytest.mark.parametrize("calendar", ["noleap", "360_day", "standard"])
@pytest.mark.parametrize("layout", [(1, 0, 1), (4, 2, 2)], ids=str)
def test_a_climatology_comes_round_at_the_end_of_the_year(tmp_path, calendar, layout):
    units, epoch = "days since 2001-01-01", "1999-11-20 00:00:00"
    starts = [cftime.datetime(2001, month + 1, 1, calendar=calendar) for month in range(12)]
    days = np.array([cftime.date2num(one, units, calendar) for one in starts], np.float64) + 14.25
    cycle = 'cycle="1 year"'
    write_configuration(tmp_path, all_inputs(cycle, f'{cycle} interpolate="none"'), calendar, epoch)
    write_forcing(tmp_path / "forcing.nc", days, units, calendar)
    lengths, steps = "777600,1209600,86400", 40

    were = read(published(tmp_path, layout, lengths=lengths, steps=steps))

    origin = cftime.datetime(1999, 11, 20, calendar=calendar)
    instants, months = [], []
    for begin, month in month_middles(calendar, range(1997, 2004)):
        instants.append((begin - origin).total_seconds() + 14.25 * 86400)
        months.append(month)
    for name in NAMES:
        records = values(name, 12)[months]
        rule = holding if name == "mask" else linear
        want = np.stack([rule(records, instants, at) for at in times_of_steps(steps, 0.0, lengths)])
        assert were[name].tobytes() == want.tobytes(), name


def test_a_day_comes_round(tmp_path):
    hours = np.array([0.0, 6.0, 12.0, 18.0])
    write_configuration(tmp_path, all_inputs('cycle="1 d"', 'cycle="1 d" interpolate="none"'))
    write_forcing(tmp_path / "forcing.nc", hours, "hours")
    lengths, steps = "10800,21600.5", 30

    were = read(published(tmp_path, (3, 2, 1), lengths=lengths, steps=steps))

    times = [3600.0 * hour + 86400.0 * day for day in range(20) for hour in hours]
    for name in NAMES:
        records = np.concatenate([values(name, 4)] * 20)
        rule = holding if name == "mask" else linear
        want = np.stack([rule(records, times, at) for at in times_of_steps(steps, 0.0, lengths)])
        assert were[name].tobytes() == want.tobytes(), name


def test_bounds_say_from_when_a_record_holds(tmp_path):
    bounds = [[0, 1000], [1000, 2500], [2500, 99999]]
    write_configuration(tmp_path, all_inputs('interpolate="none"'))
    write_forcing(tmp_path / "forcing.nc", [500, 1900, 3000], bounds=bounds)

    were = read(published(tmp_path, (2, 1, 1)))

    want = np.stack([holding(values("theta", 3), [0, 1000, 2500], at) for at in times_of_steps()])
    assert were["theta"].tobytes() == want.tobytes()


@pytest.mark.parametrize("layout, later", [((3, 2, 1), (4, 1, 2)), ((2, 0, 1), (2, 0, 1))], ids=str)
def test_a_run_that_was_killed_goes_on_with_the_same_values(tmp_path, layout, later):
    write_configuration(tmp_path, all_inputs())
    write_forcing(tmp_path / "forcing.nc", TIMES)
    killed = start_model(tmp_path, layout, 5, "die")
    assert killed.returncode != 0
    assert (tmp_path / "pileus-checkpoints").is_dir(), killed.stderr

    done = start_model(tmp_path, later, 5, "continue")

    assert done.returncode == 0, done.stdout + done.stderr
    expect(got(tmp_path), TIMES)


def test_inputs_that_nobody_brings_stay_the_models_own(tmp_path):
    write_configuration(tmp_path, an_input("w"))
    write_forcing(tmp_path / "forcing.nc", TIMES)

    were = read(published(tmp_path, (3, 1, 1)))

    assert (were["theta"] == -1).all() and (were["first"] == -1).all()
    want = np.stack([linear(values("w", len(TIMES)), TIMES, at) for at in times_of_steps()])
    assert were["w"].tobytes() == want.tobytes()


def test_units_are_converted_to_the_models(tmp_path):
    write_configuration(tmp_path, an_input("theta"))
    write_forcing(tmp_path / "forcing.nc", TIMES)

    were = read(published(tmp_path, (2, 1, 1), settings={"INPUT_UNITS": "degC"}))

    kelvin = np.stack([linear(values("theta", len(TIMES)) - 273.15, TIMES, at) for at in times_of_steps()])
    assert were["theta"].tobytes() == kelvin.tobytes()


def test_packed_values_are_unpacked(tmp_path):
    write_configuration(tmp_path, an_input("w", 'field="packed"'))
    numbers = np.arange(len(TIMES) * NZ, dtype=np.int16).reshape(-1, NZ)

    def add(file):
        file.createVariable("packed", "i2", ("time", "z"))
        file["packed"].set_auto_maskandscale(False)
        file["packed"][:] = numbers
        file["packed"].scale_factor, file["packed"].add_offset = 0.1, -3.0

    write_forcing(tmp_path / "forcing.nc", TIMES, more=add)

    were = read(published(tmp_path, (2, 1, 1)))

    unpacked = numbers.astype(np.float64) * 0.1 + -3.0
    want = np.stack([linear(unpacked, TIMES, at) for at in times_of_steps()])
    assert were["w"].tobytes() == want.tobytes()


def test_single_values_of_a_file_may_be_left_out(tmp_path):
    write_configuration(tmp_path, an_input("w", 'field="column"'))

    def add(file):
        file.createDimension("lat", 1)
        file.createDimension("lon", 1)
        column = values("w", len(TIMES))
        file.createVariable("column", "f8", ("time", "z", "lat", "lon"))[:] = column[:, :, None, None]

    write_forcing(tmp_path / "forcing.nc", TIMES, more=add)

    were = read(published(tmp_path, (2, 1, 1)))

    want = np.stack([linear(values("w", len(TIMES)), TIMES, at) for at in times_of_steps()])
    assert were["w"].tobytes() == want.tobytes()


def refused(directory, layout, status, *more, settings=None, **how):
    done = start_model(directory, layout, *more, settings=settings, **how)
    assert done.returncode != 0, done.stdout + done.stderr
    assert f"status {status}:" in done.stderr, done.stderr
    return done.stderr


@pytest.mark.parametrize("layout", [(1, 0, 1), (3, 0, 1), (4, 2, 2)], ids=str)
def test_missing_values_stop_the_run_on_all_ranks(tmp_path, layout):
    def spoil(file):
        file["theta"][4, 1, 5, 2] = netCDF4.default_fillvals["f8"]

    write_configuration(tmp_path, all_inputs())
    write_forcing(tmp_path / "forcing.nc", TIMES, more=spoil)

    said = refused(tmp_path, layout, OUTPUT)

    assert 'variable "theta" of record 4 has no value at [1, 5, 2]' in said
    assert len(re.findall(rf"rank \d+: status {OUTPUT}:", said)) == layout[0]


def test_missing_values_may_be_nan(tmp_path):
    def spoil(file):
        file["theta"][4, 1, 5, 2] = netCDF4.default_fillvals["f8"]

    write_configuration(tmp_path, an_input("theta", 'missing="nan" interpolate="none"'))
    write_forcing(tmp_path / "forcing.nc", TIMES, more=spoil)

    were = read(published(tmp_path, (3, 1, 1)))["theta"]

    with_nan = values("theta", len(TIMES))
    with_nan[4, 1, 5, 2] = np.nan
    want = np.stack([holding(with_nan, TIMES, at) for at in times_of_steps()])
    assert np.array_equal(np.isnan(were), np.isnan(want)) and np.isnan(want).any()
    assert np.array_equal(were, want, equal_nan=True)


def ends_with_an_error(directory, layout, status, text):
    said = refused(directory, layout, status)
    assert text in said
    assert len(re.findall(rf"rank \d+: status {status}:", said)) == layout[0], said


@pytest.mark.parametrize("layout", [(1, 0, 1), (3, 0, 1), (3, 2, 1)], ids=str)
def test_damaged_records_are_errors_of_all_ranks(tmp_path, layout):
    """Of a chunk with a checksum, which the library looks at when it reads it."""

    def add(file):
        one = values("q", len(TIMES))
        how = {"chunksizes": (1, NY, NX), "fletcher32": True}
        file.createVariable("checked", one.dtype, ("time", *NAMES["q"]), **how)[:] = one

    write_configuration(tmp_path, an_input("q", 'field="checked"'))
    write_forcing(tmp_path / "forcing.nc", TIMES, more=add)
    path = tmp_path / "forcing.nc"
    whole = bytearray(path.read_bytes())
    at = whole.rindex(values("q", len(TIMES))[5].tobytes())  # that of q itself stands before it
    whole[at + 40] ^= 0x5A
    path.write_bytes(whole)

    ends_with_an_error(tmp_path, layout, OUTPUT, "forcing.nc: its variable checked cannot be read")


@pytest.mark.parametrize("layout", [(1, 0, 1), (3, 2, 1)], ids=str)
@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_CLASSIC"])
@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.999])
def test_files_that_are_cut_off_are_refused(tmp_path, part, kind, layout):
    write_configuration(tmp_path, an_input("q") + an_input("theta"))
    path = tmp_path / "forcing.nc"
    write_forcing(path, TIMES, kind=kind)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * part)])

    ends_with_an_error(tmp_path, layout, CONFIG, "forcing.nc: ")


MISTAKES = {
    "time goes back": ({"INPUT_TIME": "100"}, USAGE, "time 100 s is before"),
    "beyond the file": ({"INPUT_TIME": "12001"}, USAGE, "covers model time 0 s to 12000 s and not 12001 s"),
    "another size": (
        {"INPUT_NX": "8"},
        CONFIG,
        "has (z 3, y 9, x 7) beside time, and the model takes (z 3, y 9, x 8)",
    ),
    "units": ({"INPUT_UNITS": "m s-1"}, CONFIG, 'is in "K", and the model takes it in "m s-1"'),
}


@pytest.mark.parametrize("layout", [(1, 0, 1), (3, 2, 1)], ids=str)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_of_the_model_are_told(tmp_path, mistake, layout):
    settings, status, text = MISTAKES[mistake]
    write_configuration(tmp_path, all_inputs())
    write_forcing(tmp_path / "forcing.nc", TIMES)

    assert text in refused(tmp_path, layout, status, settings=settings)


def checked(directory):
    done = pileus("check", "run.xml", cwd=directory)
    assert done.returncode == 1, done.stdout
    return done.stdout


def no_theta(file):
    file.renameVariable("theta", "thetta")


def two_months(file):
    file["time"].units = "months since 2000-01-01"


def text_variable(file):
    file.createVariable("letters", "S1", ("x",))


def late_time(file):
    file.createVariable("turned", "f8", ("x", "time"))


CHECKS = {
    "no file": (an_input("theta", file="nowhere.nc"), None, "nowhere.nc: there is no such file"),
    "no variable": (an_input("theta"), no_theta, 'it has no variable "theta"; did you mean "thetta"?'),
    "months": (an_input("w"), two_months, "months and years have no fixed length"),
    "text": (an_input("w", 'field="letters"'), text_variable, "holds no numbers"),
    "time is not slowest": (an_input("w", 'field="turned"'), late_time, "is not the slowest dimension"),
    "static and interpolated": (
        an_input("first", 'interpolate="linear"'),
        None,
        "has no time, so that there is nothing to interpolate",
    ),
    "static and cycled": (an_input("first", 'cycle="1 d"'), None, "nothing to come round"),
    "short cycle": (an_input("w", 'cycle="1 h"'), None, "a file that comes round has the records of one"),
    "cycle of months": (an_input("w", 'cycle="1 month"'), None, "counts from no date"),
}


@pytest.mark.parametrize("check", CHECKS)
def test_check_looks_into_the_file(tmp_path, check):
    inputs, change, text = CHECKS[check]
    write_configuration(tmp_path, inputs, "noleap", "2000-01-01 00:00:00")
    write_forcing(tmp_path / "forcing.nc", TIMES, more=change)

    assert text in checked(tmp_path)


def test_check_compares_calendars(tmp_path):
    write_configuration(tmp_path, an_input("w"), "noleap", "2000-01-01 00:00:00")
    write_forcing(tmp_path / "forcing.nc", [0, 1], "days since 2000-01-01", "360_day")

    assert "its calendar is 360_day, and that of the run noleap" in checked(tmp_path)


def test_a_file_of_dates_needs_a_run_with_dates(tmp_path):
    write_configuration(tmp_path, an_input("w"))
    write_forcing(tmp_path / "forcing.nc", [0, 1], "days since 2000-01-01")
    assert pileus("check", "run.xml", cwd=tmp_path).returncode == 0  # the model may say it

    assert "the run has no date" in refused(tmp_path, (2, 1, 1), CONFIG)


def test_a_wait_is_counted_and_told(tmp_path):
    write_configuration(tmp_path, all_inputs('ahead="0"', 'ahead="0" interpolate="none"'))
    write_forcing(tmp_path / "forcing.nc", TIMES)

    done = start_model(tmp_path, (2, 1, 1), settings={"PILEUS_PATIENCE": "1e-6"})

    assert done.returncode == 0, done.stderr
    inside, waiting = map(float, re.search(r"inside (\S+) waiting (\S+)", done.stdout).groups())
    assert 0 < waiting < inside
    assert "s for input" in done.stderr and "has not read that yet" in done.stderr
    # To each rank: four inputs from record 1 on, the five records of the mask that steps fall on, and the one
    # that does not change for each of the steps, as it asks for it in each.
    counted = re.search(r"read for the model: (\d+) records, .* waiting for records of inputs", done.stdout)
    assert int(counted[1]) == 2 * (4 * 7 + 5 + STEPS)


def test_a_rank_gives_up_a_server_that_stands_still(tmp_path):
    write_configuration(tmp_path, an_input("w", 'ahead="0"'))
    write_forcing(tmp_path / "forcing.nc", np.linspace(0, 5e6, 50000))
    started = subprocess.Popen(
        list(map(str, command(tmp_path, (1, 1, 1), steps=49000, lengths="100"))),
        env=environment() | {"PILEUS_GIVE_UP": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        server = server_of(tmp_path, started)
        subprocess.run(["kill", "-STOP", str(server)], check=True)
        time.sleep(3)  # longer than the rank waits
        subprocess.run(["kill", "-CONT", str(server)], check=False)
        _, errors = started.communicate(timeout=60)
    finally:
        if started.poll() is None:
            started.kill()
    assert started.returncode != 0
    assert f"status {OUTPUT}:" in errors and "PILEUS_GIVE_UP" in errors, errors


def server_of(directory, started):
    """The process of pileus-server that works in the directory, once the run has begun to write."""
    for _ in range(600):
        assert started.poll() is None, started.stderr.read()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                is_here = (folder / "cwd").resolve() == directory.resolve()
            except OSError:
                continue
            has_begun = any("got_" in path.name for path in directory.iterdir())
            if words[0].endswith(b"pileus-server") and is_here and has_begun:
                return int(folder.name)
        time.sleep(0.05)
    pytest.fail("no server was found")


def test_memory_does_not_grow_with_the_records(tmp_path):
    """1000 records of 1 MB: a rank and its server hold a few of them."""
    side, records = 360, 1000
    with netCDF4.Dataset(tmp_path / "forcing.nc", "w") as file:
        for name, size in (("y", side), ("x", side), ("time", None)):
            file.createDimension(name, size)
        file.createVariable("time", "f8", ("time",)).units = "s"
        big = file.createVariable("q", "f8", ("time", "y", "x"), chunksizes=(1, side, side))
        for record in range(records):
            big[record] = np.full((side, side), float(record))
        file["time"][:] = np.arange(records)
    write_configuration(tmp_path, an_input("q"))
    text = (tmp_path / "run.xml").read_text()
    (tmp_path / "run.xml").write_text(re.sub(r'<include field="(?!flux)\w+" [^>]*>', "", text))
    model = [MODEL, "run.xml", side, side, 1, 1, records - 1, 0, "1"]
    timed = ["/usr/bin/env", "python3", "-c", MEASURE]
    started = mpi_command((1, [*timed, *model]), (1, [*timed, SERVER, "run.xml"]))
    done = run(["env", "-C", tmp_path, *started], "1000 records")

    assert done.returncode == 0, done.stderr
    peaks = [int(kib) for kib in re.findall(r"peak (\d+) KiB", done.stdout)]
    assert len(peaks) == 2 and max(peaks) < 150_000, peaks


MEASURE = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, "KiB", flush=True)
sys.exit(status)
"""


def test_explain_knows_records_memory_and_messages(tmp_path):
    write_configuration(tmp_path, all_inputs())
    write_forcing(tmp_path / "forcing.nc", TIMES)
    described = {"PILEUS_DESCRIBE_MODEL": str(tmp_path / "model.json")}
    published(tmp_path, (2, 1, 1), settings=described)

    steps = ("--timestep", 500, "--steps", 4)
    said = pileus("explain", "run.xml", "--model", "model.json", *steps, cwd=tmp_path)

    assert said.returncode == 0, said.stderr
    assert re.search(
        r"theta from forcing.nc: theta, linear in time, 2 records ahead: 1512 bytes a record, "
        r"7 records in 14 messages to model ranks\n.*at most 6048 bytes",
        said.stdout,
    ), said.stdout
    assert "first from forcing.nc: first, once: 756 bytes a record, 1 record in 2 messages" in said.stdout


def write_weights(path, sources, seed=3):
    """Rows as ESMF writes them, of one to four links each that rise; the model's points are those of y, x."""
    random = np.random.default_rng(seed)
    rows, columns, weights = [], [], []
    for target in range(NX * NY):
        for source in sorted(random.choice(sources, int(random.integers(1, 5)), replace=False)):
            rows.append(target + 1)
            columns.append(int(source) + 1)
            weights.append(float(random.uniform(-0.5, 1)))
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("n_a", sources), ("n_b", NX * NY), ("n_s", len(rows))):
            file.createDimension(name, size)
        file.createVariable("row", "i4", ("n_s",))[:] = rows
        file.createVariable("col", "i4", ("n_s",))[:] = columns
        file.createVariable("S", "f8", ("n_s",))[:] = weights
    return rows, columns, weights


def regridded(records, links):
    """Link by link in their order, as docs/input.md has it."""
    flat = records.reshape(*records.shape[:-2], -1) if records.ndim > 2 else records
    out = np.zeros((*flat.shape[:-1], NX * NY))
    for row, column, weight in zip(*links, strict=True):
        out[..., row - 1] += weight * flat[..., column - 1]
    return out.reshape(*flat.shape[:-1], NY, NX)


LON, LAT = 11, 6


@pytest.mark.parametrize("layout", [(1, 0, 1), (3, 2, 1), (4, 1, 2), (6, 3, 3)], ids=str)
@pytest.mark.parametrize("is_mesh", [False, True], ids=["lat and lon", "cells"])
def test_values_of_another_grid_come_by_weights(tmp_path, layout, is_mesh):
    random = np.random.default_rng(5)
    theta = random.normal(280, 20, (len(TIMES), NZ, LAT, LON))
    q = random.normal(0, 1, (len(TIMES), LAT, LON)).astype(np.float32)

    def add(file):
        points = ("cell",) if is_mesh else ("lat", "lon")
        for name, size in (("cell", LAT * LON), ("lat", LAT), ("lon", LON)):
            file.createDimension(name, size)
        shape = [len(file.dimensions[name]) for name in points]
        file.createVariable("theta_far", "f8", ("time", "z", *points))[:] = theta.reshape(-1, NZ, *shape)
        file.createVariable("q_far", "f4", ("time", *points))[:] = q.reshape(-1, *shape)

    links = write_weights(tmp_path / "weights.nc", LAT * LON)
    by = 'weights="weights.nc"'
    inputs = an_input("theta", f'field="theta_far" {by}') + an_input("q", f'field="q_far" {by}')
    write_configuration(tmp_path, inputs)
    write_forcing(tmp_path / "forcing.nc", TIMES, more=add)

    were = read(published(tmp_path, layout))

    for name, far in (("theta", theta), ("q", q.astype(np.float64))):
        records = regridded(far, links)
        want = np.stack([linear(records, TIMES, at) for at in times_of_steps()]).astype(were[name].dtype)
        assert were[name].tobytes() == want.tobytes(), name


def test_weights_of_other_grids_and_points_without_links_are_errors(tmp_path):
    def add(file):
        file.createDimension("cell", LAT * LON)
        file.createVariable("far", "f8", ("time", "cell"))[:] = np.ones((len(TIMES), LAT * LON))

    write_configuration(tmp_path, an_input("q", 'field="far" weights="weights.nc"'))
    write_forcing(tmp_path / "forcing.nc", TIMES, more=add)
    assert "weights.nc: there is no such file of weights" in checked(tmp_path)

    write_weights(tmp_path / "weights.nc", LAT * LON + 1)
    assert "lead from a grid of 67 points to one of 63" in refused(tmp_path, (2, 1, 1), CONFIG)

    rows, columns, weights = write_weights(tmp_path / "weights.nc", LAT * LON)
    with netCDF4.Dataset(tmp_path / "weights.nc", "a") as file:
        file["row"][:] = [2 if row == 1 else row for row in rows]  # the first point has none
    assert "the model's point [0, 0]" in refused(tmp_path, (2, 1, 1), OUTPUT)
