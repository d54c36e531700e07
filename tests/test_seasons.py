"""Seasons, and years and quarters from any month: what NumPy makes of every step, cut by cftime.

The model takes steps of 0.9 to 1.1 days over more than a year.
"""

import cftime
import numpy as np
import pytest
from oracle.configured import PATH, W, extreme, file, group, handling, include, write, writing
from oracle.exact import weighted_mean
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, require_programs, run, run_model
from oracle.published import read

MONTHS = "January February March April May June July August September October November December".split()
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
# The calendar, when model time 0 is, and how many steps are taken.
CASES = {
    "360_day": ("2000-01-01", 400),
    "standard": ("2003-12-20 06:00:00", 420),
    "noleap": ("2003-11-30 23:59:59", 460),
    "julian": ("1900-05-15", 300),
}
# What is written, and the number of months and the month (from 1) that it begins with.
PERIODS = {
    "1 season": (3, 12),
    "3 months from February": (3, 2),
    "1 year from October": (12, 10),
    "6 months from March": (6, 3),
}
SIZE = ("--size", "2,3,4", "--sequence", "days")


def lengths(steps):
    """Lengths of the model's steps in s (from the sequence in days)."""
    return [77760 + 4320 * (n % 5) for n in range(1, steps + 1)]


def date_of(text):
    numbers = [int(part) for part in text.replace(":", "-").replace(" ", "-").split("-")]
    return numbers + [0] * (6 - len(numbers))


def starts(calendar, epoch, every, first, until):
    """Seconds from the epoch to the starts of periods, from the last one at or before it."""
    begin = cftime.datetime(*date_of(epoch), calendar=calendar)
    month = begin.year * 12 + begin.month - 1
    while (month - first + 1) % every != 0:
        month -= 1
    found = []
    while not found or found[-1] < until:
        date = cftime.datetime(month // 12, month % 12 + 1, 1, calendar=calendar)
        found.append(round((date - begin).total_seconds()))
        month += every
    return found


def windows(bounds, ends):
    """For each record: begin, end, and which step counts for how many seconds."""
    begins = [0, *ends[:-1]]
    found = []
    for lower, upper in zip(bounds, bounds[1:], strict=False):
        begin, end = max(lower, 0), min(upper, ends[-1])
        shares = [
            (i, min(end, b) - max(begin, a)) for i, (a, b) in enumerate(zip(begins, ends, strict=True))
        ]
        if end > begin:
            found.append((begin, end, [(i, share) for i, share in shares if share > 0]))
    return found


def configuration(calendar, epoch):
    return [
        f'<time calendar="{calendar}" epoch="{epoch}"/>',
        group(W + PATH),
        handling(extreme("max", "peak")),
        writing(
            file("every.nc", include("w", "path", "peak"), 0, 'write_on_terminate="true"'),
            file(
                "means.nc",
                "".join(
                    f'<include field="{field}" name="{field}_{number}" time_manipulation="averaged" '
                    f'output_frequency="{period}"/>'
                    for number, period in enumerate(PERIODS)
                    for field in ("path", "peak")
                ),
                "1 year from October",
            ),
            file("extremes_{date}.nc", include("w", manipulation="maximum", every="1 season"), "1 season"),
            file(
                "chain.nc",
                include("path", manipulation="averaged over 1 month, maximum", every="1 season"),
                "1 year from December",
            ),
            file(
                "long_chain.nc",
                include("path", manipulation="averaged over 1 season, minimum", every="1 year from June"),
                0,
                'write_on_terminate="true"',
            ),
            file(
                "firsts.nc",
                include("path", manipulation="instantaneous", every="1 season"),
                0,
                'write_on_terminate="true"',
            ),
            file(
                "running.nc",
                include("path", manipulation="averaged over 3 months", every="1 month"),
                "1 season",
            ),
        ),
    ]


def configured(directory, calendar):
    return write(directory, *configuration(calendar, CASES[calendar][0]))


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory):
    """The calendar, its epoch, the ends of the steps, every step and the files of a run."""
    require_programs()
    directory = tmp_path_factory.mktemp("seasons")
    epoch, steps = CASES[request.param]
    path = configured(directory, request.param)
    files = run_model(ALONE, path, directory / "out", *SIZE, "--steps", steps)
    values = read(files["every.nc"])
    ends = np.cumsum(lengths(steps)).tolist()
    assert values["time"].tolist() == ends
    return request.param, epoch, ends, values, files


def parts(files, base):
    """The contents of the files of a series in the order of time."""
    found = [read(path) for name, path in files.items() if name.startswith(base + "_")]
    return sorted(found, key=lambda part: min(v.flat[0] for n, v in part.items() if n.startswith("time")))


def joined(files, base, name):
    return np.concatenate([part[name] for part in parts(files, base) if name in part])


def means(values, found):
    return np.array(
        [
            weighted_mean([values[i] for i, _ in shares], [share for _, share in shares])
            for _, _, shares in found
        ]
    )


def axis_of(months, first):
    first = (first - 1) % min(months, 12)
    return f"time_averaged_{months}_month_from_{MONTHS[first]}"


@pytest.mark.parametrize("number", range(len(PERIODS)))
def test_means_are_those_of_the_calendar(case, number):
    calendar, epoch, ends, values, files = case
    months, first = list(PERIODS.values())[number]
    found = windows(starts(calendar, epoch, months, first, ends[-1]), ends)

    bounds = joined(files, "means", axis_of(months, first) + "_bnds")
    assert bounds.tolist() == [[begin, end] for begin, end, _ in found]
    assert np.array_equal(joined(files, "means", f"path_{number}"), means(values["path"], found))
    assert np.array_equal(joined(files, "means", f"peak_{number}"), means(values["peak"], found))


def test_files_of_seasons_have_the_date_of_their_end(case):
    calendar, epoch, ends, values, files = case
    bounds = starts(calendar, epoch, 3, 12, ends[-1])
    begin = cftime.datetime(*date_of(epoch), calendar=calendar)
    found = windows(bounds, ends)
    named = {name: read(path) for name, path in files.items() if name.startswith("extremes_")}

    expected = {}
    for record in found:
        end = next(bound for bound in bounds if bound >= record[1])
        dates = [
            cftime.datetime(year, month, 1, calendar=calendar)
            for year in range(begin.year, begin.year + 4)
            for month in (3, 6, 9, 12)
        ]
        date = next(date for date in dates if round((date - begin).total_seconds()) == end)
        expected[f"extremes_{date.strftime('%Y%m%d')}T000000.nc"] = record
    assert sorted(named) == sorted(expected)
    for name, (_, _, shares) in expected.items():
        assert np.array_equal(named[name]["w"][0], values["w"][[i for i, _ in shares]].max(axis=0))


def test_chains_go_through_months_and_seasons(case):
    calendar, epoch, ends, values, files = case
    by_month = windows(starts(calendar, epoch, 1, 1, ends[-1]), ends)
    monthly = means(values["path"], by_month)
    by_season = windows(starts(calendar, epoch, 3, 12, ends[-1]), ends)
    seasonal = means(values["path"], by_season)
    by_year = windows(starts(calendar, epoch, 12, 6, ends[-1]), ends)

    def inside(parts, whole):
        return [i for i, part in enumerate(parts) if whole[0] <= part[0] and part[1] <= whole[1]]

    expected = [monthly[inside(by_month, season)].max(axis=0) for season in by_season]
    assert np.array_equal(joined(files, "chain", "path"), expected)
    expected = [seasonal[inside(by_season, year)].min(axis=0) for year in by_year]
    assert np.array_equal(read(files["long_chain.nc"])["path"], expected)


def test_instants_are_the_first_steps_of_seasons(case):
    calendar, epoch, ends, values, files = case
    bounds = [bound for bound in starts(calendar, epoch, 3, 12, ends[-1]) if 0 < bound <= ends[-1]]
    chosen = sorted(
        {min(i for i, end in enumerate(ends) if end >= bound) for bound in bounds} | {len(ends) - 1}
    )

    assert np.array_equal(read(files["firsts.nc"])["path"], values["path"][chosen])


def wrong_in(published, expected):
    assert sorted(published) == sorted(expected)
    return [name for name, path in expected.items() if path.read_bytes() != published[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_seasons_are_the_same_bytes_in_every_layout(layout, case, tmp_path):
    calendar, _, ends, _, expected = case

    path = configured(tmp_path, calendar)
    published = run_model(layout, path, tmp_path / "out", *SIZE, "--steps", len(ends))

    assert not wrong_in(published, expected)


@pytest.mark.parametrize("every", [37, 111])
def test_seasons_go_on_in_another_layout_after_a_kill(every, case, tmp_path):
    calendar, _, ends, _, expected = case
    path = configured(tmp_path, calendar)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(
        LAYOUTS[0], path, directory, *SIZE, "--steps", len(ends), "--checkpoint-every", every
    )
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    words = model_command(LAYOUTS[1], path, directory, *SIZE, "--steps", len(ends), "--continue")
    done = run(words, f"continued each {every}")

    assert done.returncode == 0, done.stderr
    assert not wrong_in({one.name: one for one in directory.glob("*.nc")}, expected)
