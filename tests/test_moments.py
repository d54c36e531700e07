"""Variances, deviations, covariances, counts and truths are those of exact fractions, rounded once, whatever
the layout of the run: uneven decompositions, filters, fields of all types, means over time."""

from decimal import Decimal, localcontext
from fractions import Fraction

import netCDF4
import numpy as np
import pytest
from oracle.exact import weighted_mean
from oracle.launch import ORACLE, Layout, require_programs, run_model
from oracle.model_time import Sample, averages
from oracle.published import only

SIZE = (5, 7, 8)  # z, y, x
FILL = netCDF4.default_fillvals["f8"]
LAYOUTS = [
    Layout(3, 2, 2, True),
    Layout(is_alone=True),
    Layout(4, 3, 1),
    Layout(6, 2, 2, True),
]


def publish(layout, directory):
    require_programs()
    size = ",".join(str(n) for n in SIZE)
    return run_model(layout, ORACLE / "moments.xml", directory, "--steps", 24, "--size", size)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return publish(LAYOUTS[0], tmp_path_factory.mktemp("uneven"))


@pytest.fixture(scope="module")
def samples(files):
    """Every sample; the order of dimensions is (time, x, y, z)."""
    return only(files, "samples")


@pytest.fixture(scope="module")
def sparse(files):
    return only(files, "sparse")


def covariance(x, y):
    """The exact covariance of the population; None if there are no values."""
    pairs = [
        (Fraction(a), Fraction(b))
        for a, b in zip(np.ravel(x).tolist(), np.ravel(y).tolist(), strict=True)
        if FILL not in (a, b)
    ]
    if not pairs:
        return None
    mean_x, mean_y = (sum(values) / len(pairs) for values in zip(*pairs, strict=True))
    return sum((a - mean_x) * (b - mean_y) for a, b in pairs) / len(pairs)


def variance(values):
    return covariance(values, values)


def root(exact):
    """The double nearest to the square root; 120 digits leave no doubt."""
    with localcontext(prec=120):
        return float((Decimal(exact.numerator) / Decimal(exact.denominator)).sqrt())


def by_level(function, *fields):
    """function(plane, ...) of each level of each sample."""
    levels = fields[0].shape[-1]
    return [
        [function(*(field[..., level] for field in sample)) for level in range(levels)]
        for sample in zip(*fields, strict=True)
    ]


def rounded(exact):
    """The nearest doubles; where there are no values the result is missing."""
    return np.vectorize(lambda one: FILL if one is None else float(one), otypes=[float])(
        np.array(exact, dtype=object)
    )


def repeated(plane, like):
    """A field without levels, on each of them."""
    return np.broadcast_to(plane[..., np.newaxis], like.shape)


def test_variances_are_rounded_once(samples, sparse):
    theta, cells = sparse["theta"].astype(float), sparse["cells"]

    assert np.array_equal(samples["w_variance"], rounded(by_level(variance, samples["w"])))
    assert np.array_equal(sparse["theta_variance"], rounded([variance(sample) for sample in theta]))
    assert np.array_equal(sparse["cells_variance"], rounded([variance(sample) for sample in cells]))


def test_standard_deviations_are_the_rounded_roots_of_exact_variances(samples):
    expected = np.array([root(variance(sample)) for sample in samples["w"]])

    assert np.array_equal(samples["w_deviation"], expected)
    everywhere = samples["w"] / expected[:, np.newaxis, np.newaxis, np.newaxis]
    assert np.array_equal(samples["w_in_deviations"], everywhere)


def test_a_constant_factor_is_rounded_with_the_deviation(samples):
    rows = np.moveaxis(samples["w"], 2, -1)
    expected = by_level(lambda row: -root(variance(row) * Fraction(4, 9)), rows)

    assert np.array_equal(samples["columns_deviation"], rounded(expected))


def test_covariances_are_rounded_once(samples, sparse):
    w = samples["w"][2::3]
    theta = sparse["theta"].astype(float)

    flux = by_level(covariance, w, theta)
    assert np.array_equal(sparse["flux"], rounded(flux))
    everywhere = [covariance(*pair) for pair in zip(w, theta, strict=True)]
    assert np.array_equal(sparse["flux_of_all"], rounded(everywhere))


def test_a_covariance_repeats_a_field_along_the_dimensions_that_it_lacks(samples):
    path = repeated(samples["path"], samples["w"])

    assert np.array_equal(samples["path_flux"], rounded(by_level(covariance, path, samples["w"])))


def test_moments_are_taken_of_what_a_filter_keeps(samples):
    up, path = kept(samples), samples["path"]
    counts = (up != FILL).sum(axis=(1, 2))

    assert np.array_equal(samples["up_count"], counts)
    assert np.array_equal(samples["up_fraction"], counts / (SIZE[1] * SIZE[2]))
    assert np.array_equal(samples["up_variance"], rounded(by_level(variance, up)))
    assert np.array_equal(samples["up_flux"], rounded(by_level(covariance, repeated(path, up), up)))
    assert 0 < counts.min() < counts.max()


def kept(samples):
    mean = samples["w_mean"][:, np.newaxis, np.newaxis, :]
    return np.where(samples["w"] > 1.5 * mean, samples["w"], FILL)


def test_truths_are_those_of_numpy_and_missing_where_there_is_nothing(samples):
    layers = samples["layers"]
    is_there = layers != netCDF4.default_fillvals["i4"]
    all_there = np.where(is_there, layers != 0, True).all(axis=1)
    some_there = (layers == 6).any(axis=1)
    is_high = (samples["w"] > 2e11).any(axis=(1, 2))

    assert is_there.any(axis=1).all()
    assert np.array_equal(samples["all_there"], all_there)
    assert np.array_equal(samples["some_there"], some_there)
    assert np.array_equal(samples["any_up"], np.where(is_high, 1, FILL))
    for truths in (all_there, some_there, is_high):
        assert truths.any() and not truths.all()


def test_missing_values_are_left_out_and_pairs_with_one(samples):
    is_there = samples["ice"] != np.float32(netCDF4.default_fillvals["f4"])
    has_layers = samples["layers"] != netCDF4.default_fillvals["i4"]
    ice = np.where(is_there, samples["ice"].astype(float), FILL)
    layers = np.where(has_layers, samples["layers"].astype(float), FILL)
    pairs = [covariance(*pair) for pair in zip(ice, layers, strict=True)]

    assert np.array_equal(samples["ice_variance"], rounded([variance(sample) for sample in ice]))
    assert np.array_equal(samples["ice_layers"], rounded(pairs))
    assert np.array_equal(samples["ice_count"], is_there.sum(axis=(1, 2)))
    assert (ice == FILL).any() and (is_there != has_layers).any()


def test_values_of_ranks_have_moments_too(files, samples):
    ranks = only(files, "ranks")

    # Columns of the three ranks follow from the field that each of them holds.
    held = ranks["held_variance"]
    assert (held > 0).all() and (held == held[0]).all()
    assert np.array_equal(ranks["held_covariance"], -held)
    own = [variance(sample) for sample in samples["path"]]
    assert np.array_equal(samples["own_covariance"], rounded(own))


def test_means_over_time_are_of_exact_variances_and_rounded_deviations(files, samples):
    published = only(files, "averages")
    steps = [
        Sample(i, float(t), float(dt))
        for i, (t, dt) in enumerate(zip(samples["time"], samples["dt"], strict=True))
    ]
    path = repeated(samples["path"], samples["w"])
    exact = {
        "w_variance": by_level(variance, samples["w"]),
        "w_deviation": [Fraction(value) for value in samples["w_deviation"].tolist()],
        "path_flux": by_level(covariance, path, samples["w"]),
        "up_count": samples["up_count"].tolist(),
    }

    for name, values in exact.items():
        expected = [
            weighted_mean(
                [np.array(values[i], dtype=object) for i, _ in record.weights],
                [weight for _, weight in record.weights],
            )
            for record in averages(steps, 10)
        ]
        assert np.array_equal(published[name], np.array(expected)), name


def test_files_say_what_was_taken(files):
    (path,) = (path for name, path in files.items() if name.startswith("samples"))
    with netCDF4.Dataset(path) as file:
        methods = {
            name: file[name].cell_methods for name in file.variables if "cell_methods" in file[name].ncattrs()
        }
        units = {name: file[name].units for name in file.variables if "units" in file[name].ncattrs()}

    assert methods["w_variance"] == "area: variance time: point"
    assert methods["w_deviation"] == "area: standard_deviation (over z) time: point"
    assert methods["path_flux"] == methods["up_count"] == "time: point"
    assert units["w_variance"] == "(m s-1)2"
    assert units["w_deviation"] == "m s-1"
    assert units["path_flux"] == "(m s-1) (kg m-2)"
    assert units["up_count"] == units["some_there"] == "1"


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=str)
def test_every_layout_publishes_the_same_bytes(files, layout, tmp_path):
    others = publish(layout, tmp_path)

    assert sorted(others) == sorted(files)
    for name, path in files.items():
        if not name.startswith("ranks"):  # the number of ranks is in these
            assert path.read_bytes() == others[name].read_bytes(), name
