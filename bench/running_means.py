#!/usr/bin/env python3
"""Measures running means over time, of samples that come step by step: nanoseconds for a sample of a point.

Over 24 hours, each hour, of 1 or 6 samples an hour: with a window for each of the means that are under way,
and as a chain, whose windows take means of an hour. Compared with scipy.ndimage.uniform_filter1d of series
that were collected before, and with differences of numpy.cumsum. All take turns. Times are processor times of
one thread.
"""

import ctypes

import numpy as np
from figures import BUILD, Figures, read_settings
from scipy import ndimage
from turns import take_turns

HOURS = 24


def main():
    """Measures both ways, and reports."""
    settings = read_settings(__doc__, repeats=7, points=10_000, days=4)
    if settings.quick:
        settings.repeats, settings.points, settings.days = 1, 50, 2
    repeats, points, days = settings.repeats, settings.points, settings.days
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libaverages_loops.so"))
    library.bench_running_mean_ns.restype = ctypes.c_double
    figures = Figures("running_means", settings)
    for an_hour in 1, 6:
        size = HOURS * an_hour
        series = np.random.default_rng(4).normal(280, 10, (days * size, points))
        records = (days - 1) * HOURS + 1
        ends = size + an_hour * np.arange(records)

        def filtered(series=series, size=size, ends=ends):
            means = ndimage.uniform_filter1d(series, size, axis=0, origin=-(size // 2))
            return means[ends - size]

        def summed(series=series, size=size, ends=ends):
            sums = np.vstack([np.zeros(series.shape[1]), np.cumsum(series, axis=0)])
            return (sums[ends] - sums[ends - size]) / size

        for way, is_chain in ("windows", 0), ("a chain", 1):

            def ours(series=series, an_hour=an_hour, is_chain=is_chain, records=records):
                out = np.zeros((records, points))
                counts = [ctypes.c_int64(n) for n in (points, len(series), an_hour, HOURS)]
                arrays = [ctypes.c_void_p(one.ctypes.data) for one in (series, out)]
                ns = library.bench_running_mean_ns(*counts, ctypes.c_int(is_chain), *arrays)
                return ns, out

            for other, theirs in ("SciPy", filtered), ("NumPy", summed):
                take_turns(figures, f"{an_hour} an hour, {way}", repeats, series.size, ours=ours, other=other,
                           theirs=theirs, same=lambda a, b: np.allclose(a, b, rtol=1e-9))
    figures.report()


if __name__ == "__main__":
    main()
