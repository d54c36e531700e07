"""Diurnal composites: each part of the day over all days of a window, as NumPy makes it of every step.

The model takes steps of a quarter of an hour up to an hour and a quarter, and now and then one of more than a
day. Model time 0 is at no full hour.
"""

import re
from dataclasses import dataclass

import cftime
import netCDF4
import numpy as np
import pytest
from oracle.configured import FILL, PATH, W, extreme, file, group, handling, write, writing
from oracle.exact import weighted_mean
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, require_programs, run, run_model
from oracle.published import read

DAY = 86400
EPOCH, CALENDAR, STEPS = (2001, 1, 29, 4, 30, 0), "noleap", 900
MIDNIGHT = -(4.5 * 3600)
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
OPTIONS = ("--size", "2,3,4", "--sequence", "hours")
FROM, UNTIL = 100000, 9 * DAY + 40000


@dataclass(frozen=True)
class Composite:
    name: str
    field: str
    manipulation: str
    bins: int
    every: str
    spanned: bool = False
    stage: str = ""  # before it, over 30 min

    def include(self):
        span = f' from="{FROM}" until="{UNTIL}"' if self.spanned else ""
        how = f"{self.stage} over 30 min, {self.manipulation}" if self.stage else self.manipulation
        return (
            f'<include field="{self.field}" name="{self.name}" time_manipulation="{how}" '
            f'output_frequency="{self.every}" diurnal="{self.bins}"{span}/>'
        )


COMPOSITES = [
    Composite("hourly", "path", "averaged", 24, "1 month"),
    Composite("hourly_peak", "peak", "averaged", 24, "1 month"),
    Composite("largest", "w", "maximum", 8, "2 d"),
    Composite("smallest", "path", "minimum", 8, "2 d"),
    Composite("sums", "path", "accumulated", 48, "3 d"),
    Composite("daily", "path", "averaged", 1, "1 d"),
    Composite("some", "path", "averaged", 24, "1 d", True),
    Composite("of_peaks", "path", "averaged", 48, "1 month", stage="maximum"),
    Composite("of_means", "w", "maximum", 24, "2 d", stage="averaged"),
    Composite("of_some", "peak", "averaged", 8, "3 d", True, stage="minimum"),
]


def lengths(steps=STEPS):
    return [900 * (1 + n % 5) + (100000 if n % 31 == 0 else 0) for n in range(1, steps + 1)]


ENDS = np.cumsum(lengths()).tolist()


def configured(directory):
    epoch = "{:04}-{:02}-{:02} {:02}:{:02}:{:02}".format(*EPOCH)
    whole = 'write_on_terminate="true"'
    every = "".join(f'<include field="{name}" time_manipulation="none"/>' for name in ("w", "path", "peak"))
    return write(
        directory,
        f'<time calendar="{CALENDAR}" epoch="{epoch}"/>',
        group(W + PATH),
        handling(extreme("max", "peak")),
        writing(
            file("every.nc", every, 0, whole),
            *(
                file(f"{one.name}.nc", one.include(), "1 month" if "month" in one.every else "4 d")
                for one in COMPOSITES
            ),
            file("together.nc", "".join(one.include() for one in COMPOSITES), 0, whole),
        ),
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("diurnal")
    return run_model(ALONE, configured(directory), directory / "out", *OPTIONS, "--steps", STEPS)


def bounds_of(every):
    """Model times at which windows end."""
    if every == "1 month":
        begin = cftime.datetime(*EPOCH, calendar=CALENDAR)
        dates = [cftime.datetime(2001, month, 1, calendar=CALENDAR) for month in range(1, 6)]
        return [round((date - begin).total_seconds()) for date in dates]
    length = DAY * int(every.split()[0])
    return [length * k for k in range(int(ENDS[-1] // length) + 2)]


def expected(composite, values):
    """By record: time, bounds and values."""
    first, last = (FROM, UNTIL) if composite.spanned else (0, ENDS[-1])
    length = DAY / composite.bins
    begins, ends = [0, *ENDS[:-1]], ENDS
    if composite.stage:
        begins, ends, values = before(composite.stage, values, first, last)
    bounds = bounds_of(composite.every)
    found = []
    for lower, upper in zip(bounds, bounds[1:], strict=False):
        begin, end = max(lower, first), min(upper, last)
        if end <= begin:
            continue
        parts = {}  # by bin: its stretches of time in the window
        number = int((begin - MIDNIGHT) // length)
        while MIDNIGHT + number * length < end:
            at = MIDNIGHT + number * length
            parts.setdefault(number % composite.bins, []).append((max(at, begin), min(at + length, end)))
            number += 1
        for stretches in parts.values():
            shares = []
            for i, (a, b) in enumerate(zip(begins, ends, strict=True)):
                if b <= begin or a >= end:
                    continue
                share = sum(max(0, min(b, y) - max(a, x)) for x, y in stretches)
                shares += [(i, share)] if share > 0 else []
            (x, y), *_ = stretches
            made = combined(composite.manipulation, [values[i] for i, _ in shares], [w for _, w in shares])
            found.append(((x + y) / 2, [x, stretches[-1][1]], made))
    return found


def before(manipulation, values, first, last, period=1800):
    """The records of a stage before the composite, cut at both ends."""
    begins, ends, made = [], [], []
    steps = list(zip([0, *ENDS[:-1]], ENDS, strict=True))
    step = 0
    for number in range(int(first // period), int(np.ceil(last / period))):
        begin, end = max(first, number * period), min(last, (number + 1) * period)
        while steps[step][1] <= begin:
            step += 1
        there = [
            i for i in range(step, min(step + 4, len(steps))) if steps[i][0] < end and steps[i][1] > begin
        ]
        weights = [min(end, steps[i][1]) - max(begin, steps[i][0]) for i in there]
        begins.append(begin)
        ends.append(end)
        made.append(combined(manipulation, [values[i] for i in there], weights))
    return begins, ends, made


def combined(manipulation, values, weights):
    if manipulation == "maximum":
        return np.max(values, axis=0)
    if manipulation == "minimum":
        return np.min(values, axis=0)
    mean = weighted_mean(values, weights)
    return mean * sum(weights) if manipulation == "accumulated" else mean


def joined(files, composite):
    """Times, bounds and values of all files of a composite."""
    found = []
    for name, path in files.items():
        if re.fullmatch(composite.name + r"_\d+\.nc", name):
            found.append(read(path))
    found.sort(key=lambda part: part["time"][0])
    return tuple(
        np.concatenate([part[name] for part in found]) for name in ("time", "time_bnds", composite.name)
    )


@pytest.mark.parametrize("composite", COMPOSITES, ids=lambda one: one.name)
def test_each_part_of_the_day_is_made_of_its_samples(composite, files):
    every = read(files["every.nc"])[composite.field]
    records = expected(composite, every)

    times, bounds, values = joined(files, composite)

    assert times.tolist() == [time for time, _, _ in records]
    assert bounds.tolist() == [bound for _, bound, _ in records]
    assert (np.diff(times) > 0).all()
    made = np.array([value for _, _, value in records])
    if composite.manipulation == "accumulated":
        np.testing.assert_allclose(values, made, rtol=1e-15)
    else:
        assert np.array_equal(values, made)
    assert not (values == FILL["f8"]).any()


def test_files_say_that_they_are_climatologies(files):
    for name, path in files.items():
        if not name.startswith(("hourly_", "largest_")):
            continue
        with netCDF4.Dataset(path) as dataset:
            assert dataset["time"].climatology == "time_bnds"
            assert "bounds" not in dataset["time"].ncattrs()
            (variable,) = set(dataset.variables) & {one.name for one in COMPOSITES}
            word = "maximum" if variable == "largest" else "mean"
            methods = dataset[variable].cell_methods
            assert methods.count("time:") == 2
            assert methods.endswith(f"time: {word} within days time: {word} over days"), methods


def test_cell_methods_say_what_a_chain_makes(files):
    found = {}
    for name, path in files.items():
        if name.startswith(("of_peaks_", "of_means_")):
            with netCDF4.Dataset(path) as dataset:
                found.update(
                    (one, dataset[one].cell_methods)
                    for one in ("of_peaks", "of_means")
                    if one in dataset.variables
                )

    assert found["of_peaks"].endswith("time: maximum within days time: mean over days")
    assert found["of_means"].endswith(
        "time: mean time: maximum within days (interval: 30 minute) "
        "time: maximum over days (interval: 30 minute)"
    )


def test_one_file_has_an_axis_for_each_composite(files):
    with netCDF4.Dataset(files["together.nc"]) as dataset:
        axes = {one.name: dataset[one.name].dimensions[0] for one in COMPOSITES}
        assert axes["largest"] != axes["smallest"]
        assert axes["hourly"] == axes["hourly_peak"]
        for one in COMPOSITES:
            axis = axes[one.name]
            assert dataset[axis].climatology == axis + "_bnds"
            times, _, values = joined(files, one)
            assert np.array_equal(dataset[axis][:], times)
            assert np.array_equal(dataset[one.name][:], values)


def wrong_in(published, expected):
    assert sorted(published) == sorted(expected)
    return [name for name, path in expected.items() if path.read_bytes() != published[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_composites_are_the_same_bytes_in_every_layout(layout, files, tmp_path):
    published = run_model(layout, configured(tmp_path), tmp_path / "out", *OPTIONS, "--steps", STEPS)

    assert not wrong_in(published, files)


@pytest.mark.parametrize("every", [61, 200])
def test_composites_go_on_in_another_layout_after_a_kill(every, files, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(
        LAYOUTS[0], path, directory, *OPTIONS, "--steps", STEPS, "--checkpoint-every", every
    )
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    words = model_command(LAYOUTS[1], path, directory, *OPTIONS, "--steps", STEPS, "--continue")
    done = run(words, f"continued each {every}")

    assert done.returncode == 0, done.stderr
    assert not wrong_in({one.name: one for one in directory.glob("*.nc")}, files)
