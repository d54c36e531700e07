#!/usr/bin/env python3
"""Measures quantiles of planes and columns, modes, histograms and percentiles over time: nanoseconds for an
element.

Each is compared with NumPy, which makes the same numbers. Both take turns. Times are processor times of one
thread.
"""

import ctypes
import time

import numpy as np
from figures import BUILD, Figures, read_settings


def timed(function):
    start = time.thread_time()
    made = function()
    return (time.thread_time() - start) * 1e9, made


def main():
    """Measures each way in turn with NumPy, and reports."""
    settings = read_settings(__doc__, repeats=7, levels=8)
    repeats, levels = (1, 4) if settings.quick else (settings.repeats, settings.levels)
    nx, ny = (48, 30) if settings.quick else (800, 500)
    lengths = [20] if settings.quick else [100, 400, 4000]
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libdistributions_operators.so"))
    for name in ("quantile", "along", "histogram", "percentile", "bins_over_time"):
        function = getattr(library, f"bench_{name}_ns")
        function.restype = ctypes.c_double
    field = np.random.default_rng(1).normal(size=(levels, ny, nx))
    rough = np.round(field * 4)
    random = np.random.default_rng(2)
    of_length = {n: random.normal(280, 10, size=(n, 1000)) for n in lengths}
    sizes = [ctypes.c_int64(n) for n in (nx, ny, levels)]
    figures = Figures("distributions", settings)

    def pointer(array):
        return ctypes.c_void_p(array.ctypes.data)

    def quantiles(dimensions, text, shape, of=field):
        out = np.zeros(shape)
        arrays = [pointer(one) for one in (of, out)]
        return library.bench_quantile_ns(dimensions, text, b"exact", *sizes, *arrays), out

    def percentiles(series):
        out = np.zeros(series.shape[1])
        counts = [ctypes.c_int64(n) for n in series.shape[::-1]]
        return library.bench_percentile_ns(*counts, pointer(series), pointer(out)), out

    def most_frequent():
        found = []
        for plane in rough:
            there, times = np.unique(plane, return_counts=True)
            found.append(there[times.argmax()])
        return np.array(found)

    def summed():
        out = np.zeros(field.shape)
        return library.bench_along_ns(b"cumsum", *sizes, pointer(field), pointer(out)), out

    def histogram():
        out = np.zeros(100)
        ends = [ctypes.c_double(one) for one in (-5, 5)]
        count, bins = ctypes.c_int64(field.size), ctypes.c_int64(100)
        return library.bench_histogram_ns(count, pointer(field), *ends, bins, pointer(out)), out

    few = of_length[lengths[0]]
    bins = np.linspace(230, 330, 21)

    def counts_over_time():
        out = np.zeros((20, few.shape[1]))
        counts = [ctypes.c_int64(n) for n in few.shape[::-1]]
        return library.bench_bins_over_time_ns(*counts, b"230:330:5", pointer(few), pointer(out)), out

    def numpy_counts_over_time():
        number = (np.digitize(few, bins) - 1) * few.shape[1] + np.arange(few.shape[1])
        return np.bincount(number.ravel(), minlength=20 * few.shape[1]).reshape(20, -1)

    three = [0.05, 0.5, 0.99]
    ways = {
        "three quantiles of planes": (
            lambda: quantiles(b"y,x", b"0.05 0.5 0.99", (3, levels)),
            lambda: np.quantile(field, three, axis=(1, 2)),
            field.size,
        ),
        "medians of planes": (
            lambda: quantiles(b"y,x", b"0.5", levels),
            lambda: np.median(field, axis=(1, 2)),
            field.size,
        ),
        "medians of columns": (
            lambda: quantiles(b"z", b"0.5", (ny, nx)),
            lambda: np.median(field, axis=0),
            field.size,
        ),
        "modes of planes": (lambda: quantiles(b"y,x", b"", levels, rough), most_frequent, field.size),
        "a histogram of 100 bins": (
            histogram,
            lambda: np.histogram(field, 100, (-5, 5))[0],
            field.size,
        ),
        "histograms of 20 bins over time": (counts_over_time, numpy_counts_over_time, few.size),
        "sums along columns": (summed, lambda: np.cumsum(field, axis=0), field.size),
    }
    for n, series in of_length.items():
        ways[f"a percentile over time of {n}"] = (
            lambda series=series: percentiles(series),
            lambda series=series: np.quantile(series, 0.95, axis=0),
            series.size,
        )
    for name, (ours, numpy, elements) in ways.items():
        found = {"ours": [], "NumPy": [], "ours / NumPy": []}
        for _ in range(repeats):
            numpy_ns, expected = timed(numpy)
            ours_ns, made = ours()
            has_classes = "percentile" in name and elements > 128 * 1000
            close = 127 if has_classes else 1e14
            assert (abs(made - expected) <= np.ptp(of_length[lengths[-1]]) / close + 1e-15).all(), name
            for key, value in zip(found, (ours_ns, numpy_ns, 0), strict=True):
                found[key].append(value / elements)
            found["ours / NumPy"][-1] = ours_ns / numpy_ns
        for key, values in found.items():
            figures.add(f"{name}, {key}", "1" if "/" in key else "ns", values)
    figures.report()


if __name__ == "__main__":
    main()
