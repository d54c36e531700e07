"""What looks back in time, lag and ddt: as NumPy makes it of every step, whatever the layout."""

import json

import netCDF4
import numpy as np
import pytest
from oracle.configured import file, group, include, lengths, write, writing
from oracle.kills import kill_when
from oracle.launch import (
    BIN,
    SERVER,
    Layout,
    environment,
    model_command,
    mpi_command,
    pileus,
    require_programs,
    run,
    run_described,
    run_model,
)

FILL = netCDF4.default_fillvals["f8"]
STEPS = 24
ALONE = Layout(is_alone=True)
# The last one has ranks without any element, with servers of their own.
LAYOUTS = [
    Layout(3, 2, 2, True),
    Layout(4, 3, 1, True),
    Layout(6, 1),
    Layout(2, is_uneven=True),
    Layout(9, is_uneven=True),
]
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="ice" data_type="float" size="y,x" collective="true" missing_value="-999.9"/>'
    '<field name="cells" data_type="integer" size="y,x" collective="true"/>'
    '<field name="number" data_type="integer"/><field name="dt" units="s"/>'
)
# Of the step n, with the fields of then and the numbers of steps.
EXPRESSIONS = {
    "before": "lag(w, 1 step)",
    "long_before": "lag(w, by=5 steps)",
    "change": "w - lag(w, 1 step)",
    "rate": "ddt(w)",
    "rate_of_rates": "ddt(ddt(w))",
    "holes": "ice - lag(ice, 2 steps)",
    "whole_numbers": "lag(cells, 3 steps)",
    "of_numbers": "lag(number, 1 step) + 1",
    "twice": "lag(lag(w, 1 step), 2 steps)",
    "mean_before": "lag(mean[y,x](w), 1 step)",
    "mean_of_before": "mean[y,x](lag(w, 1 step))",
    "mean_rate": "ddt(mean[y,x](w))",
    "product": "lag(w * dt, 1 step) * w",
    "time_before": "lag(dt * model_time, 2 steps)",
    "largest": "max[z,y,x](abs(ddt(w)))",
    "anomaly": "w - lag(mean[y,x](w), 1 step)",
    "moved": "lag(shift[x](w, by=1, border=periodic), 1 step)",
}
HOURLY = {"path_before": "lag(path, 9 s)", "path_rate": "ddt(path)", "path_two": "path - lag(path, 1 step)"}


def configured(directory, every="none"):
    diagnostics = "".join(
        f'<diagnostic field="{name}" expression="{text}"/>'
        for name, text in {**EXPRESSIONS, **HOURLY}.items()
    )
    whole = 'write_on_terminate="true"'
    averaged = ("rate", "mean_rate", "largest", "holes")
    return write(
        directory,
        group(FIELDS),
        group('<field name="path" size="y,x" collective="true"/>', "3 s", "seldom"),
        f"<data-handling>{diagnostics}</data-handling>",
        writing(
            file("every.nc", include("w", "ice", "cells", "number", "dt", *EXPRESSIONS), 0, whole),
            file("seldom.nc", include("path", *HOURLY), 0, whole),
            file("means.nc", include(*averaged, manipulation="averaged", every="10"), 30),
            file(
                "instants.nc", include("change", "mean_rate", manipulation="instantaneous", every="7"), 30
            ),
        ),
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("lags")
    options = ("--size", "3,4,5", "--steps", STEPS)
    return run_model(ALONE, configured(directory), directory / "out", *options)


def read(path):
    """All variables in double precision; NaN is missing."""
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_mask(False)
        found = {}
        for name, one in dataset.variables.items():
            values = np.asarray(one[:], np.float64)
            fill = getattr(one, "_FillValue", netCDF4.default_fillvals[one.dtype.str[1:]])
            found[name] = np.where(values == np.float64(fill), np.nan, values)
        return found


@pytest.fixture(scope="module")
def every(files):
    return read(files["every.nc"])


def back(values, by=1):
    """By step: what it was before, NaN where there was nothing."""
    before = np.full(values.shape, np.nan)
    before[by:] = values[:-by]
    return before


def along(values, like):
    return values.reshape(-1, *[1] * (like.ndim - 1))


def same(found, expected, exactly=True):
    assert np.isnan(found).tolist() == np.isnan(expected).tolist()
    if exactly:
        assert np.array_equal(found, expected, equal_nan=True)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14 * np.nanmax(np.abs(expected)))


def test_the_oracle_has_steps_of_all_lengths(every):
    assert every["dt"].tolist() == lengths(STEPS)
    assert len(set(lengths(STEPS))) > 4


def test_lags_are_what_was_before(every):
    w, ice, cells = every["w"], every["ice"], every["cells"]

    assert not np.isnan(w).any() and np.isnan(ice).any()
    same(every["before"], back(w))
    same(every["long_before"], back(w, 5))
    same(every["change"], w - back(w))
    same(every["holes"], ice - back(ice, 2))
    same(every["whole_numbers"], back(cells, 3))
    same(every["of_numbers"], back(every["number"]) + 1)
    same(every["twice"], back(w, 3))
    same(every["moved"], back(np.roll(w, 1, axis=1)))


def test_rates_divide_by_the_time_that_has_passed(every):
    w, time = every["w"], every["time"]
    passed = time - back(time)
    rate = (w - back(w)) / along(passed, w)

    same(every["rate"], rate)
    passed = along(passed, w)
    same(every["rate_of_rates"], (rate - back(rate)) / passed)
    same(every["largest"], np.abs(rate).max((1, 2, 3)))
    same(every["time_before"], back(every["dt"] * time, 2))


def test_lags_of_what_is_made_of_fields_are_made_of_their_lags(every):
    w = every["w"]
    mean = w.mean((1, 2))

    same(every["mean_before"], every["mean_of_before"])
    same(every["mean_before"], back(mean), exactly=False)
    same(every["product"], back(w * along(every["dt"], w)) * w)
    same(every["anomaly"], w - every["mean_before"][:, None, None, :])
    passed = along(every["time"] - back(every["time"]), mean)
    assert np.isnan(every["mean_rate"][0]).all()
    np.testing.assert_allclose(
        every["mean_rate"][1:], ((mean - back(mean)) / passed)[1:], rtol=1e-6, atol=1e-9
    )


def test_lags_in_time_count_hand_overs(files):
    found = read(files["seldom.nc"])
    path, time = found["path"], found["time"]

    assert len(path) > 10
    same(found["path_before"], back(path, 3))
    same(found["path_two"], path - back(path))
    same(found["path_rate"], (path - back(path)) / along(time - back(time), path))


def test_means_and_instants_are_made_of_what_there_is(files, every):
    found = {}
    for name, path in sorted(files.items(), key=lambda one: len(one[0]) * 1000):
        if name.startswith("instants_"):
            part = read(path)
            for key, values in part.items():
                found[key] = np.concatenate([found[key], values]) if key in found else values
    order = np.argsort(found["time"])
    steps = [int(np.argmin(abs(every["time"] - time))) for time in found["time"][order]]
    assert len(steps) > 5
    for name in ("change", "mean_rate"):
        assert np.array_equal(found[name][order], every[name][steps], equal_nan=True)


def wrong_in(published, expected):
    assert sorted(published) == sorted(expected)
    return [name for name, path in expected.items() if path.read_bytes() != published[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_lags_are_the_same_bytes_in_every_layout(layout, files, tmp_path):
    options = ("--size", "3,4,5", "--steps", STEPS)
    published = run_model(layout, configured(tmp_path), tmp_path / "out", *options)

    assert not wrong_in(published, files)


@pytest.mark.parametrize("every", [4, 7])
@pytest.mark.parametrize("first, second", [(0, 1), (1, 3), (3, 0), (2, 4)])
def test_lags_go_on_in_another_layout_after_a_kill(every, first, second, files, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    options = ("--size", "3,4,5", "--steps", STEPS)
    words = model_command(LAYOUTS[first], path, directory, *options, "--checkpoint-every", every)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = run(model_command(LAYOUTS[second], path, directory, *options, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in({one.name: one for one in directory.glob("*.nc")}, files)


def test_explain_counts_what_is_kept(tmp_path):
    few, many = tmp_path / "few", tmp_path / "many"
    found = {}
    for directory, steps in ((few, 1), (many, 21)):
        directory.mkdir()
        path = write(
            directory,
            group('<field name="w" size="z,y,x" collective="true"/>'),
            f'<data-handling><diagnostic field="d" expression="w - lag(w, {steps} steps)"/></data-handling>',
            writing(file("d.nc", include("d"), 1000)),
        )
        command = model_command(Layout(2, 1), path, directory, "--size", "20,30,40", "--steps", STEPS)
        run_described(command, directory)
        explained = pileus("explain", path, "--model", directory / "model.json", "--json")
        assert explained.returncode == 0, explained.stdout + explained.stderr
        servers = [server["memory"] for server in json.loads(explained.stdout)["servers"]]
        found[directory] = [sum(one[what] for one in servers) for what in ("window_bytes", "result_bytes")]
    field = 8 * 20 * 30 * 40
    assert 20 * field <= found[many][0] - found[few][0] < 20 * field * 1.01
    # Of the step itself: what is kept of it, the lag, and the difference.
    assert 3 * field <= found[many][1] == found[few][1] < 3.1 * field


POINTS = """<io-configuration>
  <data-definition name="state" frequency="1">
    <field name="t" data_type="float" size="x,y,z" collective="true" missing_value="-999.9"/>
    <field name="w" size="x,y,z" collective="true"/>
    <field name="u" size="x,y" collective="true"/>
    <field name="profile" size="z" parts="same"/>
  </data-definition>
  <data-handling>
    <diagnostic field="before" expression="lag(w, 1 step)"/>
    <diagnostic field="holes" expression="lag(t, 2 steps)"/>
    <diagnostic field="rate" expression="ddt(u)"/>
    <diagnostic field="beside" expression="w * lag(profile, 1 step)"/>
    <diagnostic field="slope" expression="lag(ddx[x](w), 1 step)"/>
    <diagnostic field="mean" expression="ddt(mean[y,x](w)) + lag(profile, 1 step)"/>
  </data-handling>
  <data-writing>
    <file name="lags.nc" write_time_frequency="8">
      <include field="w" time_manipulation="none"/>
      <include field="t" time_manipulation="none"/>
      <include field="before" time_manipulation="none"/>
      <include field="holes" time_manipulation="none"/>
      <include field="rate" time_manipulation="none"/>
      <include field="beside" time_manipulation="none"/>
      <include field="slope" time_manipulation="none"/>
      <include field="mean" time_manipulation="none"/>
      <include field="rate" name="rate_average" time_manipulation="averaged" output_frequency="4"/>
    </file>
  </data-writing>
</io-configuration>
"""
POINT_MODEL = BIN / "pileus_neighbours_model"


def start(directory, ranks, servers, cuts, *arguments):
    for program in (POINT_MODEL, SERVER):
        if not program.is_file():
            pytest.skip(f"no program {program}: build it, or set PILEUS_BUILD")
    directory.mkdir(exist_ok=True)
    (directory / "run.xml").write_text(POINTS)
    server = [(servers, [SERVER, "run.xml"])] if servers else []
    command = mpi_command((ranks, [POINT_MODEL, "run.xml", cuts, *arguments]), *server)
    return run(["env", "-C", directory, *command], f"{ranks} {servers} {cuts} {arguments}")


def published(directory, *layout):
    done = start(directory, *layout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "error" not in done.stderr, done.stderr
    (one,) = directory.glob("*.nc")
    return one


@pytest.fixture(scope="module")
def by_one(tmp_path_factory):
    return published(tmp_path_factory.mktemp("one") / "run", 1, 1, 1)


def test_fields_with_holes_are_what_they_were(by_one):
    found = read(by_one)
    same(found["before"], back(found["w"]))
    same(found["holes"], back(found["t"], 2))
    assert np.isnan(found["t"]).any()


@pytest.mark.parametrize(
    "ranks, servers, cuts", [(2, 1, 2), (6, 3, 3), (4, 0, 2), (3, 2, -1), (4, 3, 0), (3, 0, 0)]
)
def test_parts_levels_and_points_give_the_same_bytes(ranks, servers, cuts, by_one, tmp_path):
    assert published(tmp_path / "run", ranks, servers, cuts).read_bytes() == by_one.read_bytes()


@pytest.mark.parametrize(
    "before, after", [((4, 2, 2), (6, 3, 3)), ((4, 3, 0), (3, 2, -1)), ((3, 0, -1), (4, 0, 0))]
)
@pytest.mark.parametrize("step", [1, 2, 3])
def test_a_killed_run_goes_on_on_other_parts(before, after, step, by_one, tmp_path):
    assert start(tmp_path / "run", *before, step, "die").returncode != 0
    assert published(tmp_path / "run", *after, step, "continue").read_bytes() == by_one.read_bytes()
