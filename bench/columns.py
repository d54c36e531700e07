#!/usr/bin/env python3
"""Measures the interpolation along columns: nanoseconds a value, 137 levels to 18 of pressure.

The operator is compared with the loop that one writes by hand for one order of levels, and with numpy.interp
column by column. A second field at the same levels takes the places that the first one found; "second" is
such a field, in the logarithm. All take turns in one run. Times are processor times.
"""

import ctypes
import time

import numpy as np
from figures import BUILD, Figures, read_settings

LEVELS = 100.0 * np.array(
    [1000, 925, 850, 800, 700, 600, 500, 400, 300, 250, 200, 150, 100, 70, 50, 30, 20, 10])
NODES = 137
WAYS = ["linear", "log", "by hand"]


def columns(count, is_profile):
    """t and p with the columns behind one another; the pressure falls."""
    random = np.random.default_rng(7)
    t = random.uniform(200, 300, (count, NODES))
    shape = (1 if is_profile else count, NODES)
    surface = random.uniform(101000, 103000, (shape[0], 1))
    p = 500 + (surface - 500) * (1 - (np.arange(NODES) + random.uniform(0, 0.2, shape)) / NODES)
    return t, p


def one(way, library, t, p, lie_together):
    """Runs one way once and returns nanoseconds a value, and the values with the levels last."""
    count = len(t)
    if way == "numpy":
        values = np.empty((count, len(LEVELS)))
        begin = time.thread_time()
        for i in range(count):
            values[i] = np.interp(LEVELS, p[min(i, len(p) - 1), ::-1], t[i, ::-1])
        return (time.thread_time() - begin) * 1e9 / values.size, values
    order = "C" if lie_together else "F"
    t, p = np.array(t, order=order), np.array(p, order=order)
    values = np.empty((count, len(LEVELS)), order=order)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (t, p, LEVELS, values)]
    sizes = [ctypes.c_int64(n) for n in (NODES, count, len(LEVELS))]
    spent = library.bench_columns_ns(way.encode(), *sizes, int(lie_together), int(len(p) == 1), *pointers)
    return spent / values.size, values


def main():
    """Measures all ways of all kinds of columns, and reports."""
    settings = read_settings(__doc__, repeats=11)
    repeats = 1 if settings.quick else settings.repeats
    count = 256 if settings.quick else 16000
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libcolumns_loops.so"))
    library.bench_columns_ns.restype = ctypes.c_double
    figures = Figures("columns", settings)
    kinds = {"levels together": (True, False), "levels apart": (False, False),
             "profile, levels together": (True, True), "profile, levels apart": (False, True)}
    for kind, (lie_together, is_profile) in kinds.items():
        t, p = columns(count, is_profile)
        ways = WAYS + ([] if is_profile else ["second"])
        ways += ["numpy"] if kind == "levels together" else []
        samples = {way: [] for way in ways}
        for _ in range(repeats):
            results = {}
            for way in ways:
                spent, results[way] = one(way, library, t, p, lie_together)
                samples[way].append(spent)
            assert np.array_equal(results["linear"], results["by hand"])
            assert np.array_equal(results.get("second", results["log"]), results["log"])
            if "numpy" in ways:
                is_there = results["linear"] < 1e30
                assert np.allclose(results["linear"][is_there], results["numpy"][is_there], rtol=1e-14)
        for way in ways:
            figures.add(f"{kind}: {way}", "ns/value", samples[way])
    figures.report()


if __name__ == "__main__":
    main()
