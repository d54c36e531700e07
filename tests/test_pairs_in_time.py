"""Covariances, correlations and weighted means in time with another field, by fractions, in every layout."""

from fractions import Fraction

import netCDF4
import numpy as np
import pytest
from oracle.configured import attributes, file, group, write, writing
from oracle.kills import kill_when
from oracle.launch import Layout, environment, model_command, require_programs, run, run_model
from oracle.model_time import Sample, averages
from oracle.named import nearest_root

STEPS, EVERY = 30, "13"
FILL = netCDF4.default_fillvals["f8"]
ALONE = Layout(is_alone=True)
LAYOUTS = [Layout(3, 2, 2, True), Layout(4, 3, 1, True), Layout(6, 1), Layout(2, is_uneven=True)]
OPTIONS = ("--size", "2,3,4", "--steps", STEPS)
FIELDS = (
    '<field name="w" size="z,y,x" collective="true" units="m s-1"/>'
    '<field name="theta" data_type="float" size="z,y,x" collective="true" units="K"/>'
    '<field name="path" size="y,x" collective="true" units="kg m-2"/>'
    '<field name="ice" data_type="float" size="y,x" collective="true" missing_value="-999.9"/>'
    '<field name="dt" units="s"/>'
)
DIAGNOSTICS = {
    "size": "abs(path)",
    "w_mean": "mean[y,x](w)",
    "theta_mean": "mean[y,x](theta)",
    "bounded": "sin(w)",
    "other": "cos(theta) + 0.5 * sin(w)",
}
# What is written, of which two, and whether the sums are exact: of few elements.
PAIRS = {
    "flux": ("covariance", "bounded", "other"),
    "likeness": ("correlation", "bounded", "other"),
    "flux_of_means": ("covariance", "w_mean", "theta_mean"),
    "likeness_of_means": ("correlation", "w_mean", "theta_mean"),
    "weighed": ("weighted_mean", "path", "size"),
    "weighed_means": ("weighted_mean", "w_mean", "theta_mean"),
    "holes": ("covariance", "path", "ice"),
    "weighed_holes": ("weighted_mean", "ice", "size"),
    "with_itself": ("covariance", "path", "path"),
    "of_numbers": ("covariance", "dt", "dt"),
}


def configured(directory):
    diagnostics = "".join(f'<diagnostic field="{n}" expression="{t}"/>' for n, t in DIAGNOSTICS.items())
    names = ["w", "theta", "path", "ice", "dt", *DIAGNOSTICS]
    every = "".join(f'<include field="{name}" time_manipulation="none"/>' for name in names)
    pairs = "".join(
        f'<include field="{one}" with="{other}" name="{name}" time_manipulation="{how}" '
        f'output_frequency="{EVERY}"/>'
        for name, (how, one, other) in PAIRS.items()
    )
    running = (
        '<include field="bounded" with="other" name="running" time_manipulation="covariance over 26" '
        f'output_frequency="{EVERY}"/>'
    )
    unnamed = f'<include field="w" with="theta" time_manipulation="covariance" output_frequency="{EVERY}"/>'
    whole = 'write_on_terminate="true"'
    return write(
        directory,
        group(FIELDS),
        f"<data-handling>{diagnostics}</data-handling>",
        writing(
            file("every.nc", every, 0, whole),
            file("pairs.nc", pairs, 0, whole),
            file("running.nc", running, 0, whole),
            file("unnamed.nc", unnamed, 40),
        ),
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    require_programs()
    directory = tmp_path_factory.mktemp("pairs")
    return run_model(ALONE, configured(directory), directory / "out", *OPTIONS)


def read(path):
    with netCDF4.Dataset(path) as dataset:
        dataset.set_auto_mask(False)
        found = {name: np.asarray(one[:], np.float64) for name, one in dataset.variables.items()}
        if "ice" in found:
            fill = np.float64(dataset["ice"]._FillValue)
            found["ice"] = np.where(found["ice"] == fill, np.nan, found["ice"])
        return found


def moments(weights, xs, ys):
    total = sum(weights)

    def mean(values):
        return sum(w * v for w, v in zip(weights, values, strict=True)) / total

    x, y = mean(xs), mean(ys)
    products = [a * b for a, b in zip(xs, ys, strict=True)]
    squares = [[a * a for a in one] for one in (xs, ys)]
    return mean(products) - x * y, mean(squares[0]) - x * x, mean(squares[1]) - y * y


def combined(how, weights, xs, ys):
    """Of one element, from the samples where both have values."""
    there = [i for i in range(len(xs)) if not (np.isnan(xs[i]) or np.isnan(ys[i]))]
    if not there:
        return FILL
    weights = [Fraction(weights[i]) for i in there]
    xs, ys = ([Fraction(float(one[i])) for i in there] for one in (xs, ys))
    if how == "weighted_mean":
        total = sum(w * y for w, y in zip(weights, ys, strict=True))
        parts = zip(weights, xs, ys, strict=True)
        return float(sum(w * x * y for w, x, y in parts) / total) if total else np.nan
    covariance, first, second = moments(weights, xs, ys)
    if how == "covariance":
        return float(covariance)
    if first * second == 0:
        return np.nan
    size = nearest_root(covariance**2 / (first * second))
    return -size if covariance < 0 else size


def expected(every, how, one, other, frequency=float(EVERY)):
    ends, lengths = every["time"], every["dt"]
    samples = [
        Sample(i, float(end), float(dt)) for i, (end, dt) in enumerate(zip(ends, lengths, strict=True))
    ]
    found = []
    for record in averages(samples, frequency):
        numbers, weights = zip(*record.weights, strict=True)
        x, y = every[one][list(numbers)], every[other][list(numbers)]
        flat = [
            combined(how, weights, x.reshape(len(x), -1)[:, i], y.reshape(len(y), -1)[:, i])
            for i in range(int(np.prod(x.shape[1:])))
        ]
        found.append(np.reshape(flat, x.shape[1:]))
    return np.array(found)


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_are_counted_exactly(name, files):
    every, found = read(files["every.nc"]), read(files["pairs.nc"])[name]

    wanted = expected(every, *PAIRS[name])

    assert found.shape == wanted.shape
    if name == "flux" or "bounded" in PAIRS[name]:
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-13, equal_nan=True)
    if "means" in name:
        assert np.array_equal(found, wanted, equal_nan=True)


def test_running_pairs_are_those_of_both_windows(files):
    every, found = read(files["every.nc"]), read(files["running.nc"])
    for bounds, values in zip(found["time_bnds"], found["running"], strict=True):
        begins = every["time"] - every["dt"]
        weights = np.minimum(every["time"], bounds[1]) - np.maximum(begins, bounds[0])
        there = weights > 0
        x, y = every["bounded"][there], every["other"][there]
        mean = np.average(x * y, axis=0, weights=weights[there])
        product = np.average(x, axis=0, weights=weights[there]) * np.average(
            y, axis=0, weights=weights[there]
        )
        np.testing.assert_allclose(values, mean - product, rtol=1e-9, atol=1e-12)


def test_names_and_units_say_what_it_is(files):
    path = next(path for name, path in files.items() if name.startswith("unnamed_"))
    said = attributes(path, "w_covariance_theta")
    assert said["units"] == "m s-1 K"
    assert said["long_name"] == "covariance of w with theta"
    assert attributes(files["pairs.nc"], "likeness")["units"] == "1"
    assert attributes(files["pairs.nc"], "weighed")["units"] == "kg m-2"


def wrong_in(published, expected):
    assert sorted(published) == sorted(expected)
    return [name for name, path in expected.items() if path.read_bytes() != published[name].read_bytes()]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_pairs_are_the_same_bytes_in_every_layout(layout, files, tmp_path):
    assert not wrong_in(run_model(layout, configured(tmp_path), tmp_path / "out", *OPTIONS), files)


@pytest.mark.parametrize("every, first, second", [(4, 0, 1), (7, 1, 3), (11, 3, 0)])
def test_pairs_go_on_in_another_layout_after_a_kill(every, first, second, files, tmp_path):
    path = configured(tmp_path)
    directory = tmp_path / "out"
    directory.mkdir()
    log = tmp_path / "log"

    def kept():
        return list(directory.glob("pileus-checkpoints/step-*/manifest"))

    words = model_command(LAYOUTS[first], path, directory, *OPTIONS, "--checkpoint-every", every)
    assert kill_when(kept, words, environment(), log) in (None, 0), log.read_text()
    done = run(model_command(LAYOUTS[second], path, directory, *OPTIONS, "--continue"), "continued")

    assert done.returncode == 0, done.stderr
    assert not wrong_in({one.name: one for one in directory.glob("*.nc")}, files)
