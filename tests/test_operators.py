"""Operators, communications and manipulations give what NumPy and fractions make of a run's samples."""

from fractions import Fraction
from functools import partial

import netCDF4
import numpy as np
import pytest
from oracle.exact import along, exact_sum, rounded
from oracle.launch import ORACLE, Layout, require_programs, run_model
from oracle.model_time import Sample, averages
from oracle.published import only

SIZE = (5, 7, 8)  # z, y, x
SLICE = 4
FILL = netCDF4.default_fillvals["f8"]
LAYOUTS = [
    Layout(is_alone=True),
    Layout(1, 1),
    Layout(3, 2, 2, True),
    Layout(4, 3, 1),
    Layout(6, 2, 2, True),
]


def publish(layout, directory):
    require_programs()
    options = (
        "--steps",
        24,
        "--size",
        ",".join(str(n) for n in SIZE),
        "--option",
        f"slice={SLICE}",
    )
    return run_model(layout, ORACLE / "operators.xml", directory, *options)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of a run on three uneven ranks and two servers."""
    return publish(LAYOUTS[2], tmp_path_factory.mktemp("uneven"))


@pytest.fixture(scope="module")
def samples(files):
    """Every sample of the dense fields; the order of dimensions is (time, x, y, z)."""
    return only(files, "samples")


@pytest.fixture(scope="module")
def windows(samples):
    """The windows of 10 s according to D11."""
    steps = [
        Sample(i, float(t), float(dt))
        for i, (t, dt) in enumerate(zip(samples["time"], samples["dt"], strict=True))
    ]
    return averages(steps, 10)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_every_layout_gives_the_same_bytes(layout, files, tmp_path):
    published = publish(layout, tmp_path)

    assert sorted(published) == sorted(files)
    for name, path in published.items():
        assert path.read_bytes() == files[name].read_bytes(), name


def test_slices_are_the_field_at_a_global_index(samples):
    w = samples["w"]

    assert np.array_equal(samples["w_at_y"], w[:, :, SLICE, :])
    assert np.array_equal(samples["w_level"], w[:, :, :, 1])
    assert np.array_equal(samples["line"], w[:, :, SLICE, 0])
    assert np.array_equal(samples["line_sum"], [float(exact_sum(line)) for line in w[:, :, SLICE, 0]])


def test_coarse_fields_are_every_period_th_point_with_its_coordinates(files, samples):
    sparse = only(files, "sparse")

    assert np.array_equal(samples["coarse_level"], samples["w"][:, ::3, ::2, 1])
    assert sparse["theta_coarse"].dtype == np.float64  # as a diagnostic is, though theta is single
    assert np.array_equal(sparse["theta_coarse"], sparse["theta"][:, ::3, ::2, ::2])
    assert np.array_equal(sparse["z_every_2"], sparse["z"][::2])
    with netCDF4.Dataset(next(path for name, path in files.items() if name.startswith("sparse"))) as file:
        assert file["theta_coarse"].dimensions == (
            "time",
            "x_every_3",
            "y_every_2",
            "z_every_2",
        )


def test_an_allreduced_mean_is_exact_and_gives_the_variance_by_hand(samples):
    w, columns = samples["w"], SIZE[1] * SIZE[2]
    mean = rounded(np.array([along(-1, sample, exact_sum) for sample in w]) / columns)
    squares = (w - mean[:, np.newaxis, np.newaxis, :]) ** 2
    variance = rounded(np.array([along(-1, sample, exact_sum) for sample in squares]) / columns)

    assert np.array_equal(samples["w_mean"], mean)
    assert np.array_equal(samples["w_variance"], variance)


def test_what_is_broadcast_is_the_value_of_the_root(samples):
    total = np.array([float(exact_sum(sample)) for sample in samples["w"]])
    shift = (total * samples["dt"])[:, np.newaxis, np.newaxis, np.newaxis] / 7

    assert np.array_equal(samples["w_total"], total)
    assert np.array_equal(samples["w_shifted"], samples["w"] - shift)


def test_extremes_that_all_servers_have_make_a_range(samples):
    w = samples["w"]

    expected = 2 * w.max(axis=(1, 2, 3)) - 2 * w.min(axis=(1, 2, 3))
    assert np.array_equal(samples["w_range"], expected)


def kept_sum(sample, condition):
    return float(exact_sum(sample[condition]))


def test_filters_keep_what_the_condition_says_and_reductions_count_that_alone(samples):
    w, mean, dt = samples["w"], samples["w_mean"], samples["dt"]
    assert np.array_equal(samples["w_up"], np.where(w > mean[:, np.newaxis, np.newaxis, :], w, FILL))

    for time, sample in enumerate(w):
        for level in range(SIZE[0]):
            up = sample[..., level][sample[..., level] > mean[time, level]]
            expected = float(exact_sum(up) / len(up)) if len(up) else FILL
            assert samples["w_up_mean"][time, level] == expected

    strong = (w >= 1.5 * mean[:, np.newaxis, np.newaxis, :]) & ~((w < 0.25) | (dt == 0)[:, None, None, None])
    assert 0 < strong.sum() < strong.size
    expected = [kept_sum(sample, condition) for sample, condition in zip(w, strong, strict=True)]
    assert np.array_equal(samples["w_strong_sum"], expected)


def test_what_no_element_fulfils_gives_no_value_and_no_place(samples):
    assert (samples["w_never"] == FILL).all()
    assert (samples["never_at"] == FILL).all()


def test_places_of_extremes_are_global_indices_and_coordinates(samples):
    w = samples["w"]
    x, y, z = np.array([np.unravel_index(np.argmax(sample), sample.shape) for sample in w]).T

    assert len(set(x)) > 1 and len(set(y)) > 1
    assert np.array_equal(samples["w_max_x"], x)
    assert np.array_equal(samples["w_max_y"], y)
    assert np.array_equal(samples["w_max_z"], z)
    assert np.array_equal(samples["w_max_height"], samples["z"][z])
    levels = [[np.argmin(sample[..., level]) // SIZE[1] for level in range(SIZE[0])] for sample in w]
    assert np.array_equal(samples["lowest_at"], levels)


def test_of_several_places_the_lowest_index_is_taken_whichever_rank_has_it(samples):
    places = [np.argwhere(sample > 0.6 * sample.max()) for sample in samples["w"]]

    assert np.array_equal(samples["first_high_y"], [first[0][1] for first in places])
    assert len({first[0][1] for first in places}) > 1
    assert sum(len(first) > 1 for first in places) >= 10


def test_layers_lie_between_the_first_and_the_last_place_above_the_limit(files, samples):
    z, w = samples["z"], samples["w"]
    above = w / w.max(axis=(1, 2, 3), keepdims=True) > 0.6
    levels = [np.nonzero(sample.any(axis=(0, 1)))[0] for sample in above]
    by_level = [[np.nonzero(sample[..., k].any(axis=1))[0] for k in range(SIZE[0])] for sample in above]

    assert 0 < above.any(axis=3).sum() < above.any(axis=3).size
    assert np.array_equal(
        samples["base_in_columns"], np.where(above.any(axis=3), above.argmax(axis=3), FILL)
    )
    assert np.array_equal(samples["top_height"], [z[found[-1]] for found in levels])
    assert np.array_equal(samples["depth"], [z[found[-1]] - z[found[0]] for found in levels])
    assert len(set(samples["depth"])) > 1
    assert np.array_equal(
        samples["width_by_level"],
        [[found[-1] - found[0] if len(found) else FILL for found in step] for step in by_level],
    )
    with netCDF4.Dataset(next(path for name, path in files.items() if name.startswith("samples"))) as file:
        assert file["base_in_columns"].units == "1"
        assert file["top_height"].units == file["z"].units


def over_windows(windows, values, function):
    """function(samples, weights) for each window, element by element, of the samples that are not missing."""

    def of_present(weights, *x):
        present = [(w, value) for w, value in zip(weights, x, strict=True) if value != FILL]
        return function([value for _, value in present], [w for w, _ in present]) if present else FILL

    records = []
    for record in windows:
        parts = [np.asarray(np.asarray(values[i]).tolist(), dtype=object) for i, _ in record.weights]
        weights = [Fraction(weight) for _, weight in record.weights]
        records.append(np.vectorize(partial(of_present, weights), otypes=[float])(*parts))
    return np.array(records)


def integral(values, weights):
    return float(sum(w * Fraction(x) for w, x in zip(weights, values, strict=True)))


def variance(values, weights):
    mean = sum(w * Fraction(x) for w, x in zip(weights, values, strict=True)) / sum(weights)
    squares = sum(w * (Fraction(x) - mean) ** 2 for w, x in zip(weights, values, strict=True))
    return float(squares / sum(weights))


def mean(values, weights):
    return float(sum(w * Fraction(x) for w, x in zip(weights, values, strict=True)) / sum(weights))


def totals(samples):
    """The exact totals of w, which no double holds."""
    return np.array([exact_sum(sample) for sample in samples["w"]], dtype=object)


def test_accumulated_is_the_integral_rounded_once(files, samples, windows):
    published = only(files, "accumulated")

    assert np.array_equal(published["w"], over_windows(windows, samples["w"], integral))
    assert np.array_equal(published["w_total"], over_windows(windows, totals(samples), integral))


@pytest.mark.parametrize(
    ("word", "function"),
    [
        ("averaged", mean),
        ("accumulated", integral),
        ("minimum", lambda x, _: min(x)),
        ("maximum", lambda x, _: max(x)),
        ("variance", variance),
    ],
)
def test_manipulations_leave_out_what_a_filter_did_not_keep(files, samples, windows, word, function):
    published = only(files, word)["w_up"]
    expected = over_windows(windows, samples["w_up"], function)

    assert (expected == FILL).any() and (expected != FILL).any()
    assert np.allclose(published, expected, rtol=1e-13 if word == "variance" else 0, atol=0)


@pytest.mark.parametrize(("word", "function"), [("minimum", min), ("maximum", max)])
def test_extremes_are_those_of_the_samples_that_count(files, samples, windows, word, function):
    published = only(files, word)

    for name in ("w", "w_total"):
        expected = over_windows(windows, samples[name], lambda x, w: function(x))
        assert np.array_equal(published[name], expected), name


def test_variance_is_that_of_the_weighted_population(files, samples, windows):
    published = only(files, "variance")

    exact = over_windows(windows, totals(samples), variance)
    assert np.array_equal(published["w_total"], exact)
    running = over_windows(windows, samples["w"], variance)
    assert np.allclose(published["w"], running, rtol=1e-13, atol=0)


@pytest.mark.parametrize(
    ("word", "method", "units"),
    [
        ("accumulated", "sum", "m s-1 s"),
        ("maximum", "maximum", "m s-1"),
        ("variance", "variance", "(m s-1)2"),
    ],
)
def test_manipulations_say_what_they_did(files, word, method, units):
    with netCDF4.Dataset(next(path for name, path in files.items() if name.startswith(word))) as file:
        assert file["w"].cell_methods == f"time: {method}"
        assert file["w"].units == units
        assert file["time"].bounds
