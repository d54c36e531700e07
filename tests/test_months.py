"""Files and records of calendar months: what is in them is what NumPy makes of every step, cut by cftime.

The model takes steps of 0.9 to 1.1 days, so that some months end on a step and most within one.
"""

import cftime
import numpy as np
import pytest
from oracle.configured import PATH, W, extreme, file, group, handling, include, write, writing
from oracle.exact import weighted_mean
from oracle.launch import Layout, require_programs, run_model
from oracle.published import read

DAY = 86400
ALONE = Layout(is_alone=True)
LAYOUTS = [ALONE, Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(2, is_uneven=True)]
# The calendar, when model time 0 is, and how many steps are taken: over an end of February in each.
CASES = {
    "360_day": ("2000-01-01", 150),
    "standard": ("2003-12-20 06:00:00", 75),
    "noleap": ("2003-11-30 23:59:59", 100),
    "julian": ("1900-01-15", 70),
}


def lengths(steps):
    """Lengths of the model's steps in s (from the sequence in days)."""
    return [77760 + 4320 * (n % 5) for n in range(1, steps + 1)]


def date_of(text):
    numbers = [int(part) for part in text.replace(":", "-").replace(" ", "-").split("-")]
    return numbers + [0] * (6 - len(numbers))


def months(calendar, epoch, every, until):
    """Seconds from the epoch to the starts of months, from its own to the first one not before `until`."""
    start = cftime.datetime(*date_of(epoch), calendar=calendar)
    found, month = [], start.year * 12 + start.month - 1
    while not found or found[-1] < until:
        first = cftime.datetime(month // 12, month % 12 + 1, 1, calendar=calendar)
        found.append(round((first - start).total_seconds()))
        month += every
    return found


def windows(bounds, ends):
    """For each record of a mean: begin, end, and which step counts for how many seconds."""
    begins = [0, *ends[:-1]]
    found = []
    for lower, upper in zip(bounds, bounds[1:], strict=False):
        begin, end = max(lower, 0), min(upper, ends[-1])
        shares = [(i, min(end, b) - max(begin, a)) for i, (a, b) in enumerate(zip(begins, ends, strict=True))]
        found.append((begin, end, [(i, share) for i, share in shares if share > 0]))
    return found


def firsts(bounds, ends):
    """The first step at or after each bound above 0, each step once."""
    return sorted({min(i for i, end in enumerate(ends) if end >= bound) for bound in bounds
                   if 0 < bound <= ends[-1]})


def configuration(calendar, epoch):
    return [
        f'<time calendar="{calendar}" epoch="{epoch}"/>',
        group(W + PATH),
        handling(extreme("max", "peak")),
        writing(
            file("every.nc", include("w", "path", "peak"), "1 year"),
            file(
                "mixed.nc",
                include("path", "peak", manipulation="averaged", every="1 month")
                + include("path", manipulation="averaged", every="2 months")
                + include("path", manipulation="averaged", every="10 d")
                + include("path", manipulation="instantaneous", every="1 month"),
                "1 year",
            ),
            file("extremes.nc", include("w", manipulation="maximum", every="1 month"), 0,
                 'write_on_terminate="true"'),
            file("daily_{date}.nc", include("path", manipulation="averaged", every="1 d"), "1 month"),
            file("monthly.nc", include("path", manipulation="averaged", every="1 month"), "1 month"),
            file("numbered_{index}.nc", include("path"), "3 month"),
        ),
    ]


def run(directory, layout, calendar):
    epoch, steps = CASES[calendar]
    path = write(directory, *configuration(calendar, epoch))
    options = ("--size", "2,3,4", "--steps", steps, "--sequence", "days")
    return run_model(layout, path, directory / "out", *options)


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory):
    """The calendar, its epoch, the ends of the steps, every step and the files of a run."""
    require_programs()
    files = run(tmp_path_factory.mktemp("months"), ALONE, request.param)
    epoch, steps = CASES[request.param]
    every = [read(path) for name, path in sorted(files.items()) if name.startswith("every_")]
    every.sort(key=lambda part: part["time"][0])
    values = {name: np.concatenate([part[name] for part in every]) for name in ("w", "path", "peak", "time")}
    ends = np.cumsum(lengths(steps)).tolist()
    assert values["time"].tolist() == ends
    return request.param, epoch, ends, values, files


def parts(files, base):
    """The contents of the files of a series in the order of time."""
    found = [(name, read(path)) for name, path in files.items() if name.startswith(base + "_")]

    def begins(part):
        return min(values.flat[0] for name, values in part[1].items() if name.startswith("time"))

    return sorted(found, key=begins)


def joined(files, base, name):
    return np.concatenate([part[name] for _, part in parts(files, base)])


def means(values, found):
    return np.array([weighted_mean([values[i] for i, _ in shares], [share for _, share in shares])
                     for _, _, shares in found])


@pytest.mark.parametrize(("every", "written"), [(1, "1"), (2, "2")])
def test_means_are_those_of_calendar_months(case, every, written):
    calendar, epoch, ends, values, files = case
    found = windows(months(calendar, epoch, every, ends[-1]), ends)

    bounds = joined(files, "mixed", f"time_averaged_{written}_month_bnds")
    assert len(found) > 1
    assert bounds.tolist() == [[begin, end] for begin, end, _ in found]
    assert found[-1][1] == ends[-1]  # within a month, or on its end
    path = joined(files, "mixed", f"path_averaged_{written}_month")
    assert np.array_equal(path, means(values["path"], found))
    if every == 1:
        assert np.array_equal(joined(files, "mixed", "peak"), means(values["peak"], found))


def test_seconds_and_months_go_together_in_one_file(case):
    _, _, ends, values, files = case
    found = windows([10 * DAY * k for k in range(int(ends[-1] // (10 * DAY)) + 2)], ends)
    found = [window for window in found if window[2]]

    assert np.array_equal(joined(files, "mixed", "path_averaged_864000"), means(values["path"], found))


def test_instants_are_the_first_steps_of_months(case):
    calendar, epoch, ends, values, files = case
    chosen = firsts(months(calendar, epoch, 1, ends[-1]), ends)

    assert joined(files, "mixed", "time_instantaneous_1_month").tolist() == [ends[i] for i in chosen]
    assert np.array_equal(joined(files, "mixed", "path_instantaneous"), values["path"][chosen])


def test_extremes_of_months_in_a_file_for_the_whole_run(case):
    calendar, epoch, ends, values, files = case
    found = windows(months(calendar, epoch, 1, ends[-1]), ends)

    got = read(files["extremes.nc"])
    assert got["time_bnds"].tolist() == [[begin, end] for begin, end, _ in found]
    expected = [values["w"][[i for i, _ in shares]].max(axis=0) for _, _, shares in found]
    assert np.array_equal(got["w"], expected)


def test_files_of_months_hold_the_days_of_their_month_and_have_its_end_as_name(case):
    calendar, epoch, ends, values, files = case
    bounds = months(calendar, epoch, 1, ends[-1])
    start = cftime.datetime(*date_of(epoch), calendar=calendar)
    days = windows([DAY * k for k in range(int(ends[-1] // DAY) + 2)], ends)
    days = [day for day in days if day[2]]
    expected = {}
    for day in days:
        number = next(k for k, bound in enumerate(bounds) if bound >= day[1])
        month = start.year * 12 + start.month - 1 + number
        first = cftime.datetime(month // 12, month % 12 + 1, 1, calendar=calendar)
        expected.setdefault(f"daily_{first.strftime('%Y%m%d')}T000000.nc", []).append(day)

    got = dict(parts(files, "daily"))
    assert sorted(got) == sorted(expected)
    for name, inside in expected.items():
        assert got[name]["time_bnds"].tolist() == [[begin, end] for begin, end, _ in inside], name
        assert np.array_equal(got[name]["path"], means(values["path"], inside)), name


def test_names_have_the_seconds_and_the_number_of_months(case):
    calendar, epoch, ends, values, files = case
    found = windows(months(calendar, epoch, 1, ends[-1]), ends)

    monthly = parts(files, "monthly")
    assert [name for name, _ in monthly] == [
        f"monthly_{end}.nc" for end in months(calendar, epoch, 1, ends[-1])[1:]
    ]
    assert [part["time_bnds"].tolist() for _, part in monthly] == [[[b, e]] for b, e, _ in found]
    quarters = months(calendar, epoch, 3, ends[-1])
    numbers = [next(k for k, bound in enumerate(quarters) if bound >= end) for end in ends]
    got = dict(parts(files, "numbered"))
    assert sorted(got) == [f"numbered_{k:04d}.nc" for k in sorted(set(numbers))]
    for name, part in got.items():
        inside = [i for i, number in enumerate(numbers) if f"numbered_{number:04d}.nc" == name]
        assert np.array_equal(part["path"], values["path"][inside]), name


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=str)
def test_months_are_the_same_bytes_in_every_layout(layout, case, tmp_path):
    calendar, _, _, _, expected = case

    published = run(tmp_path, layout, calendar)

    assert sorted(published) == sorted(expected)
    wrong = [name for name, path in expected.items() if path.read_bytes() != published[name].read_bytes()]
    assert not wrong


def test_months_without_an_epoch_are_refused_where_they_stand(tmp_path):
    require_programs()
    monthly = include("path", manipulation="averaged", every="1 month")
    path = write(tmp_path, group(PATH), writing(file("f.nc", monthly, "1 month")))

    with pytest.raises(AssertionError) as refused:
        run_model(ALONE, path, tmp_path / "out", "--size", "2,3,4", "--steps", "3", "--sequence", "days")

    said = str(refused.value)
    for attribute in ("write_time_frequency", "output_frequency"):
        assert f"error: {attribute} in months needs the date of model time 0: <time epoch=" in said
