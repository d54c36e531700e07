"""Dates are those of cftime, in all six calendars of CF, and the same dates do not exist."""

import random
import subprocess

import cftime
import pytest
from oracle.launch import BIN

CALENDARS = ["standard", "proleptic_gregorian", "julian", "noleap", "all_leap", "360_day"]
PROGRAM = BIN / "pileus_test_calendar"
HAS_YEAR_0 = {"standard": False, "julian": False}
# Around the switch of 1582, leap days that only some calendars have, ends of years, first and last years.
EDGES = [(1582, 10, 4), (1582, 10, 15), (1500, 2, 28), (1900, 2, 28), (2000, 2, 28), (2000, 12, 30),
         (1, 1, 1), (1583, 1, 1), (1581, 12, 30), (9000, 1, 1)]


def answers(questions):
    if not PROGRAM.is_file():
        pytest.skip(f"no program {PROGRAM}: build it, or set PILEUS_BUILD")
    text = "".join(" ".join(map(str, question)) + "\n" for question in questions)
    done = subprocess.run([PROGRAM], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def date_in(calendar, year, month, day, hour=0, minute=0, second=0):
    has_year_0 = HAS_YEAR_0.get(calendar, True)
    date = (year, month, day, hour, minute, second)
    return cftime.datetime(*date, calendar=calendar, has_year_zero=has_year_0)


def existing_date(numbers, calendar):
    while True:
        try:
            return date_in(calendar, numbers.randint(1, 9000), numbers.randint(1, 12), numbers.randint(1, 31),
                           numbers.randrange(24), numbers.randrange(60), numbers.randrange(60))
        except ValueError:
            continue


def form(date):
    return (f"{date.year:04d}-{date.month:02d}-{date.day:02d} "
            f"{date.hour:02d}:{date.minute:02d}:{date.second:02d}")


@pytest.mark.parametrize("calendar", CALENDARS)
def test_a_date_so_many_seconds_later_is_that_of_cftime(calendar):
    numbers = random.Random(calendar)
    dates = [existing_date(numbers, calendar) for _ in range(4000)] + [date_in(calendar, *e) for e in EDGES]
    questions = [(date, numbers.randint(0, 10 ** numbers.randint(1, 10))) for date in dates]
    questions += [(date_in(calendar, *e), s) for e in EDGES for s in range(0, 40 * 86400, 40000)]

    said = answers([(calendar, form(date).replace(" ", "T"), seconds) for date, seconds in questions])

    assert len(said) == len(questions)
    for (date, seconds), answer in zip(questions, said, strict=True):
        later = cftime.num2date(seconds, f"seconds since {form(date)}", calendar=calendar,
                                has_year_zero=HAS_YEAR_0.get(calendar, True))
        assert answer == f"{form(later)} {seconds}", f"{calendar}: {form(date)} + {seconds} s"


@pytest.mark.parametrize("calendar", CALENDARS)
def test_the_same_dates_exist_as_in_cftime(calendar):
    years = [1, 4, 100, 400, 1500, 1581, 1582, 1583, 1600, 1900, 2000, 2001, 2023, 2024]
    years += [0] if HAS_YEAR_0.get(calendar, True) else []
    dates = [(year, month, day) for year in years for month in range(1, 13) for day in range(1, 33)]

    said = answers([(calendar, f"{y:04d}-{m:02d}-{d:02d}", 0) for y, m, d in dates])

    assert len(said) == len(dates)
    for date, answer in zip(dates, said, strict=True):
        try:
            date_in(calendar, *date)
            assert "does not exist" not in answer, f"{calendar}: {date}"
        except ValueError:
            assert "does not exist" in answer, f"{calendar}: {date}: {answer}"


@pytest.mark.parametrize("calendar", CALENDARS)
def test_months_begin_when_they_do_for_cftime(calendar):
    numbers = random.Random(calendar)
    dates = [existing_date(numbers, calendar) for _ in range(2000)] + [date_in(calendar, *e) for e in EDGES]
    dates = [date for date in dates if 101 <= date.year <= 8899]
    asked = [(date, 1, numbers.randint(-200, 1200)) for date in dates]
    asked += [(date, every, k) for date in dates for every, k in [(1, 0), (1, 1), (3, 400), (5, 2), (12, -3)]]

    said = answers([(calendar, form(date).replace(" ", "T"), every, k) for date, every, k in asked])

    assert len(said) == len(asked)
    for (date, every, k), answer in zip(asked, said, strict=True):
        month = date.year * 12 + date.month - 1 + every * k
        first = date_in(calendar, month // 12, month % 12 + 1, 1)
        seconds = round((first - date).total_seconds())
        assert answer == f"{seconds} {k - 1} {k} {k + 1}", f"{calendar}: {form(date)} + {k} * {every} months"
