"""What files have that models do not write here: other types, missing values, calendars, static fields."""

from fractions import Fraction

import netCDF4
import numpy
import pytest
from oracle.joint import (  # noqa: F401
    MISSING,
    MIXED,
    join,
    mean,
    programs,
    write_file,
)
from test_components import written


def test_types_missing_values_and_static_fields_are_those_of_the_files(tmp_path):
    rng = numpy.random.default_rng(5)
    times = [2.0, 4, 6, 8]
    t = rng.normal(280, 9, (4, 3, 4)).astype("f4")
    s = rng.normal(285, 9, (4, 3, 4))
    n = rng.integers(0, 9, (4, 3, 4)).astype("i4")
    area = rng.uniform(1, 2, (3, 4))
    t[0, 1, 2] = t[3, 0, 0] = -999
    s[1, 2, 3] = MISSING
    n[2, 0, 1] = -1
    directory = tmp_path / "out"
    directory.mkdir()
    path = written(tmp_path, MIXED)
    written_fields = {"t": ("f4", -999.0, t), "n": ("i4", -1, n)}
    write_file(directory / "a_10.nc", times, written_fields, {"area": area})
    write_file(directory / "b_10.nc", times, {"s": ("f8", None, s)})

    join(directory, "--final", path=path)

    is_missing = (t == -999) | (s == MISSING)
    expected = numpy.where(is_missing, MISSING, t.astype("f8") - s)
    with netCDF4.Dataset(directory / "both_100.nc") as file:
        file.set_auto_mask(False)
        assert list(file["time"][:]) == times and file["time"].calendar == "noleap"
        assert file["d"][:].tobytes() == expected.tobytes()
        assert file["t"].dtype == "f4"
        assert (file["t"][:][t != -999] == t[t != -999]).all()
        assert (file["t"][:][t == -999] == file["t"]._FillValue).all()
        for record in range(4):
            kept = ~is_missing[record]
            weights = area[kept]
            terms = [Fraction(w) * Fraction(d) for w, d in zip(weights, expected[record][kept], strict=True)]
            weighted = sum(terms) / sum(map(Fraction, weights))
            assert file["m"][record] == float(weighted)
            for x in (0, 1):
                block = t[record, :, 2 * x : 2 * x + 2].ravel()
                assert file["c"][record, 0, x] == mean([float(one) for one in block if one != -999])
            assert file["k"][record] == n[record][n[record] != -1].sum()


def write_two(directory, **changes):
    """A step of ones in both files. `changes`: attributes of the variable s in b.nc."""
    directory.mkdir()
    ones = numpy.ones((2, 3, 4))
    fields = {"t": ("f4", None, 2 * ones), "n": ("i4", None, ones)}
    write_file(directory / "a_10.nc", [2.0, 4], fields, {"area": numpy.ones((3, 4))})
    write_file(directory / "b_10.nc", [2.0, 4], {"s": ("f8", None, ones)})
    with netCDF4.Dataset(directory / "b_10.nc", "a") as file:
        for name, value in changes.items():
            file["s"].setncattr(name, value)


def test_nan_may_stand_for_no_value(tmp_path):
    directory = tmp_path / "out"
    path = written(tmp_path, MIXED)
    write_two(directory)
    t = numpy.full((2, 3, 4), 3, "f4")
    t[0, 1, 1] = numpy.nan
    fields = {"t": ("f4", numpy.nan, t), "n": ("i4", -1, numpy.ones((2, 3, 4)))}
    write_file(directory / "a_10.nc", [2.0, 4], fields, {"area": numpy.ones((3, 4))})

    join(directory, "--final", path=path)

    with netCDF4.Dataset(directory / "both_100.nc") as file:
        file.set_auto_mask(False)
        assert list(file["m"][:]) == [2, 2], "the mean leaves it out"
        assert file["d"][0, 1, 1] == MISSING and (file["d"][1] == 2).all()


def test_missing_value_stands_for_no_value(tmp_path):
    directory = tmp_path / "out"
    path = written(tmp_path, MIXED)
    write_two(directory, missing_value=1.0)

    join(directory, "--final", path=path)

    with netCDF4.Dataset(directory / "both_100.nc") as file:
        file.set_auto_mask(False)
        assert (file["d"][:] == MISSING).all()
        assert (file["t"][:] == 2).all()


@pytest.mark.parametrize("name", ["scale_factor", "add_offset"])
def test_packed_values_are_refused(name, tmp_path):
    directory = tmp_path / "out"
    path = written(tmp_path, MIXED)
    write_two(directory, **{name: 2.0})

    said = join(directory, "--final", path=path, status=1).stderr

    assert f"b_10.nc: its variable s is packed ({name}): read a file whose values are" in said
    assert "run.xml:" in said


@pytest.mark.parametrize("calendars", [("", "standard"), ("gregorian", "standard"), ("gregorian", "")])
def test_the_standard_calendar_has_several_names(calendars, tmp_path):
    directory = tmp_path / "out"
    path = written(tmp_path, MIXED)
    write_two(directory)
    for name, calendar in zip(("a_10.nc", "b_10.nc"), calendars, strict=True):
        with netCDF4.Dataset(directory / name, "a") as file:
            file["time"].delncattr("calendar")
            if calendar:
                file["time"].calendar = calendar

    join(directory, "--final", path=path)

    with netCDF4.Dataset(directory / "both_100.nc") as file:
        assert list(file["time"][:]) == [2, 4]
        assert file["time"].calendar == "standard"


def test_another_date_of_model_time_0_is_refused(tmp_path):
    directory = tmp_path / "out"
    path = written(tmp_path, MIXED)
    write_two(directory)
    with netCDF4.Dataset(directory / "b_10.nc", "a") as file:
        file["time"].units = "seconds since 2001-01-01 00:00:00"

    said = join(directory, "--final", path=path, status=1).stderr

    assert "components that are read together need one calendar and epoch" in said
    assert not list(directory.glob("both*"))
