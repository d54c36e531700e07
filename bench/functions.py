#!/usr/bin/env python3
"""Measures the functions of expressions: nanoseconds a value of e^x, ln x, x^y and sin x.

"together" is the way of expressions: vector loops that leave hard cases to the functions "one by one", with
the same bits on every processor. They are compared with the C library, whose bits differ between processors,
and with NumPy. All take turns in one run, on arguments such as fields have. Times are processor times.
"""

import ctypes
import time

import numpy as np
from figures import BUILD, Figures, read_settings

WAYS = ["together", "one by one", "C library", "numpy"]
FUNCTIONS = {
    "exp": lambda x, y: np.exp(x),
    "log": lambda x, y: np.log(x),
    "power": lambda x, y: x**y,
    "sin": lambda x, y: np.sin(x),
}


def arguments(function, count):
    """The arguments: exponents of saturation, pressures, Exner's powers of pressures, and angles."""
    random = np.random.default_rng(7)
    x = {
        "exp": random.uniform(-5, 5, count),
        "log": random.uniform(1e4, 1e5, count),
        "power": random.uniform(0.1, 1, count),
        "sin": random.uniform(-np.pi, np.pi, count),
    }[function]
    return x, random.uniform(0.28, 0.29, count)


def one(way, library, function, x, y):
    """Runs one way once and returns nanoseconds a value, and the values."""
    if way == "numpy":
        begin = time.thread_time()
        values = FUNCTIONS[function](x, y)
        return (time.thread_time() - begin) * 1e9 / x.size, values
    out = np.empty_like(x)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (x, y, out)]
    spent = library.bench_function_ns(way.encode(), function.encode(), *pointers[:2],
                                      ctypes.c_size_t(x.size), pointers[2])
    return spent / x.size, out


def main():
    """Measures all functions in all ways, and reports."""
    settings = read_settings(__doc__, repeats=21)
    repeats = 1 if settings.quick else settings.repeats
    library = ctypes.CDLL(str(BUILD / "bench" / "models" / "libexpressions_loops.so"))
    library.bench_function_ns.restype = ctypes.c_double
    figures = Figures("functions", settings)
    for function in FUNCTIONS:
        x, y = arguments(function, 4096 if settings.quick else 1 << 18)
        samples = {way: [] for way in WAYS}
        for _ in range(repeats):
            results = {}
            for way in WAYS:
                spent, results[way] = one(way, library, function, x, y)
                samples[way].append(spent)
            assert np.array_equal(results["together"], results["one by one"])
            for way in ("C library", "numpy"):
                np.testing.assert_array_max_ulp(results["together"], results[way], 4)
        for way in WAYS:
            figures.add(f"{function}: {way}", "ns/value", samples[way])
        for way in WAYS[1:]:
            figures.add(f"{function}: together over {way}", "1",
                        [a / b for a, b in zip(samples["together"], samples[way], strict=True)])
    figures.report()


if __name__ == "__main__":
    main()
