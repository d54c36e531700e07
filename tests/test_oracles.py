"""Results are those that fractions, math.fsum and NumPy make of the samples in the same run's files.

Nothing of Pileus takes part: sums are exact fractions that are rounded once, weights follow from the text of
decision D11 (oracle/model_time.py), equations are evaluated by NumPy in the order of the grammar.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from oracle.exact import along, exact_sum, rounded, weighted_mean
from oracle.launch import ORACLE, Layout, require_programs, run_model
from oracle.model_time import Sample, averages, by_file, instants
from oracle.published import of_base, only, read

DENSE = ["w", "path", "dt", "w_profile_min", "w_min", "w_max"]
DENSE += ["broadcast", "left_first", "in_brackets", "towers", "minus_square", "profile_squared"]
SPARSE = ["theta", "cells", "number"]
PARTIALS = ["w_profile", "w_sum", "w_mean", "path_mean", "columns_sum", "w_sum_scaled", "flux_profile"]
SPARSE_PARTIALS = ["theta_mean", "cells_sum"]


@dataclass
class Run:
    """One run of the model and what it published."""

    name: str
    layout: Layout
    size: tuple
    steps: int
    window: float
    target: float
    period: float
    files: dict[str, Path] = field(default_factory=dict)

    def start(self, directory):
        """Runs the model."""
        options = ["--sequence", self.name.split()[0], "--steps", self.steps]
        options += ["--size", ",".join(str(extent) for extent in self.size)]
        for key in ("window", "target", "period"):
            options += ["--option", f"{key}={getattr(self, key)}"]
        self.files = run_model(self.layout, ORACLE / "samples.xml", directory, *options)
        return self

    @cached_property
    def dense(self):
        """Every sample of the fields of every step."""
        return only(self.files, "samples")

    @cached_property
    def sparse(self):
        """Every sample of the fields of every third step."""
        return only(self.files, "sparse_samples")

    def samples(self, base):
        """The samples of a file in model time."""
        length = dict(zip(self.dense["time"], self.dense["dt"], strict=True))
        times = (self.sparse if base.startswith("sparse") else self.dense)["time"]
        return [Sample(i, float(time), float(length[time])) for i, time in enumerate(times)]

    @cached_property
    def partials(self):
        """The results of reductions at each sample, before any rounding, from the fields alone."""
        w, path = self.dense["w"], self.dense["path"]
        theta, cells = self.sparse["theta"], self.sparse["cells"]
        columns = self.size[1] * self.size[2]
        flux = w * path[..., np.newaxis]
        sums = np.array([exact_sum(sample) for sample in w], dtype=object)
        return {
            "w_profile": np.array([along(-1, sample, exact_sum) for sample in w]) / columns,
            "flux_profile": np.array([along(-1, sample, exact_sum) for sample in flux]) / columns,
            "w_sum": sums,
            "w_mean": sums / w[0].size,
            "w_sum_scaled": sums * 2 / 7,
            "path_mean": np.array([exact_sum(sample) for sample in path], dtype=object) / columns,
            "columns_sum": np.array([Fraction(columns)] * len(w), dtype=object),
            "theta_mean": np.array([exact_sum(sample) for sample in theta], dtype=object) / theta[0].size,
            "cells_sum": np.array([exact_sum(sample) for sample in cells], dtype=object),
        }

    def values(self, name):
        """All samples of a variable: exact where it is a reduction, otherwise as they are in the file."""
        if name in self.partials:
            return self.partials[name]
        return (self.sparse if name in SPARSE else self.dense)[name]


RUNS = [
    Run("varying", Layout(3, 2, 4, True), (5, 7, 6), 40, 10, 5, 50),
    Run("tenth", Layout(2, 1, 1), (2, 4, 3), 1000, 2.5, 1, 10),
    Run("spanning", Layout(4, 2, 1), (3, 6, 5), 24, 10, 5, 50),
    Run("tenth of odd windows", Layout(2, 3, 4, True), (2, 3, 5), 310, 0.7, 0.3, 2.1),
]


@pytest.fixture(scope="module", params=RUNS, ids=lambda run: run.name.replace(" ", "_"))
def run(request, tmp_path_factory):
    """One run for all tests of this module."""
    require_programs()
    return request.param.start(tmp_path_factory.mktemp("run"))


def assert_bits(published, expected, where):
    """Equal in type of value and every bit; names the first element that is not."""
    published, expected = np.asarray(published), np.asarray(expected).astype(published.dtype)
    assert published.shape == expected.shape, f"{where}: shape {published.shape}, not {expected.shape}"
    wrong = np.argwhere(published != expected)
    if len(wrong):
        at = tuple(int(i) for i in wrong[0])
        pytest.fail(
            f"{where}: {len(wrong)} of {published.size} values differ, the first at {at}: "
            f"{published[at]!r} was published, {expected[at]!r} is right"
        )


def place(run, name, what=""):
    return f"{run.name} on {run.layout}: {name} {what}".rstrip()


# ---- Every sample ----


def test_every_sample_has_the_time_at_the_end_of_its_step(run):
    time = 0.0
    for i, length in enumerate(run.dense["dt"]):
        time += length
        assert run.dense["time"][i] == time, place(run, "samples", f"record {i}")
    assert len(run.dense["time"]) == run.steps
    assert_bits(run.sparse["time"], run.dense["time"][2::3], place(run, "sparse_samples", "time"))


def test_fields_have_the_size_of_the_domain(run):
    assert run.dense["w"].shape == (run.steps, *reversed(run.size))
    assert run.dense["w"].dtype == run.dense["path"].dtype == np.float64
    assert run.sparse["theta"].dtype == np.float32
    assert run.sparse["cells"].dtype == np.int32
    assert run.sparse["number"].dtype == np.int64
    steps = np.arange(3, run.steps + 1, 3)
    assert_bits(run.sparse["number"], steps**2 * 1000003 - 5000000000, place(run, "sparse_samples", "number"))


@pytest.mark.parametrize("name", PARTIALS + SPARSE_PARTIALS)
def test_reductions_are_rounded_once(run, name):
    published = (run.sparse if name in SPARSE_PARTIALS else run.dense)[name]

    assert_bits(published, rounded(run.partials[name]), place(run, "samples", name))


def test_sums_are_those_of_fsum(run):
    sums = [math.fsum(sample) for sample in run.dense["w"].reshape(run.steps, -1)]

    assert_bits(run.dense["w_sum"], sums, place(run, "samples", "w_sum"))


def test_extremes_are_those_of_numpy(run):
    w = run.dense["w"]

    assert_bits(run.dense["w_min"], w.min(axis=(1, 2, 3)), place(run, "samples", "w_min"))
    assert_bits(run.dense["w_max"], w.max(axis=(1, 2, 3)), place(run, "samples", "w_max"))
    assert_bits(run.dense["w_profile_min"], w.min(axis=(1, 2)), place(run, "samples", "w_profile_min"))


def test_equations_are_evaluated_from_left_to_right_with_precedence(run):
    w, path = run.dense["w"], run.dense["path"][..., np.newaxis]
    dt = run.dense["dt"][:, np.newaxis, np.newaxis, np.newaxis]
    profile = run.dense["w_profile"]
    expected = {
        "broadcast": 2 * w * path - dt / 3 + w,
        "left_first": w - path - dt / w / path,
        "in_brackets": w - (path - dt / (w / path)),
        "towers": (dt * 512 - 0.5 * path)[..., 0],
        "profile_squared": profile * profile - run.dense["dt"][:, np.newaxis],
    }

    for name, values in expected.items():
        assert_bits(run.dense[name], values, place(run, "samples", name))


def test_minus_binds_below_powers(run):
    # A power is off by one unit in the last place at most.
    w, published = run.dense["w"], run.dense["minus_square"]
    expected = -rounded(np.vectorize(Fraction, otypes=[object])(w) ** 2)

    assert np.all(np.abs(published - expected) <= np.spacing(np.abs(expected))), place(run, "samples", "-w^2")


# ---- Averages and instants ----


def records_of(run, base):
    """The records in the files of a base according to D11."""
    samples = run.samples(base)
    is_mean = base.endswith("averages")
    records = averages(samples, run.window) if is_mean else instants(samples, run.target)
    return by_file(records, base, run.period)


BASES = ["averages", "instants", "sparse_averages", "sparse_instants"]


@pytest.mark.parametrize("base", BASES)
def test_every_record_is_in_the_file_of_its_time(run, base):
    expected = records_of(run, base)
    published = of_base(run.files, base)

    assert sorted(published) == sorted(expected), place(run, base)
    for name, records in expected.items():
        times = read(published[name])["time"]
        assert_bits(times, [record.time for record in records], place(run, name, "time"))


@pytest.mark.parametrize("base", ["averages", "sparse_averages"])
def test_averages_have_the_bounds_of_their_windows(run, base):
    for name, records in records_of(run, base).items():
        bounds = read(run.files[name])["time_bnds"]
        expected = [[record.begin, record.end] for record in records]
        assert_bits(bounds, expected, place(run, name, "time_bnds"))


@pytest.mark.parametrize("name", DENSE + PARTIALS + SPARSE + SPARSE_PARTIALS)
def test_averages_are_weighted_by_time_and_rounded_once(run, name):
    values = run.values(name)
    base = "sparse_averages" if name in SPARSE + SPARSE_PARTIALS else "averages"

    for file, records in records_of(run, base).items():
        published = read(run.files[file])[name]
        expected = [
            weighted_mean([values[i] for i, _ in record.weights], [weight for _, weight in record.weights])
            for record in records
        ]
        assert_bits(published, expected, place(run, file, name))


@pytest.mark.parametrize("base", ["instants", "sparse_instants"])
def test_instants_are_samples(run, base):
    samples = run.sparse if base.startswith("sparse") else run.dense
    for file, records in records_of(run, base).items():
        indices = [record.weights[0][0] for record in records]
        for name, published in read(run.files[file]).items():
            expected = samples[name][indices] if name not in ("x", "y", "z") else samples[name]
            if name == "time":
                expected = [record.time for record in records]  # the targets', where the samples are on them
            assert_bits(published, expected, place(run, file, name))
