#!/usr/bin/env python3
"""Measures reductions with weights: nanoseconds an element for mean[y,x](w, weight=area) on one core.

Beside the exact mean and covariance of fields, and NumPy's average with weights, which rounds as it goes.
Times are processor times; all ways take turns in one run, and ratios are those of neighbours in one turn.
"""

import ctypes
import time

import numpy as np
from figures import BUILD, Figures, read_settings

WAYS = ["mean", "weighted mean", "weighted mean in 90 bins", "weighted variance", "covariance", "numpy"]
LEVELS = 64


def library():
    """Loads the library of the ways in C++, which time themselves."""
    loops = ctypes.CDLL(str(BUILD / "bench" / "models" / "libexpressions_loops.so"))
    loops.bench_weighted_ns.restype = ctypes.c_double
    return loops


def one(way, loops, order, fields, areas):
    """Runs one way once and returns nanoseconds an element, and what it makes of each level."""
    if way == "numpy":
        begin = time.thread_time()
        means = np.average(fields[0], axis=0 if order == "fastest" else 1, weights=areas)
        return (time.thread_time() - begin) * 1e9 / fields[0].size, means
    results = np.zeros(LEVELS * 90)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in [*fields, areas, results]]
    spent = loops.bench_weighted_ns(way.encode(), order.encode(), *pointers[:3], ctypes.c_size_t(areas.size),
                                    ctypes.c_size_t(LEVELS), 1, pointers[3])
    return spent / fields[0].size, results[:LEVELS]


def main():
    """Measures all ways with levels side by side and one behind the other, and reports."""
    settings = read_settings(__doc__, repeats=21)
    side = 32 if settings.quick else 256
    loops, random = library(), np.random.default_rng(5)
    figures = Figures("weights", settings)
    areas = random.uniform(1e8, 1e10, side * side)
    for order in ("fastest", "slowest"):
        shape = (areas.size, LEVELS) if order == "fastest" else (LEVELS, areas.size)
        fields = [random.normal(middle, spread, shape) for middle, spread in ((0, 1), (300, 5))]
        samples = {way: [] for way in WAYS}
        for _ in range(1 if settings.quick else settings.repeats):
            results = {}
            for way in WAYS:
                spent, results[way] = one(way, loops, order, fields, areas)
                samples[way].append(spent)
            np.testing.assert_allclose(results["weighted mean"], results["numpy"], rtol=1e-9, atol=1e-9)
        title = f"{side}x{side}x{LEVELS}, z {order}"
        for way in WAYS:
            figures.add(f"{title}: {way}", "ns/element", samples[way])
        for base in ("mean", "covariance", "numpy"):
            figures.add(f"{title}: weighted mean over {base}", "1",
                        [a / b for a, b in zip(samples["weighted mean"], samples[base], strict=True)])
    figures.report()


if __name__ == "__main__":
    main()
